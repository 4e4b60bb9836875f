"""The figure of notebook 05 on promises: SmallDB against Laplace noise, a map from the bounds."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from course_lib.demos.drawing import THEOREM, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.small_db import Promises, changes

BETAS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
DELTAS = [1e-12, 1e-9, 1e-6, 1e-3]
QUERIES = np.unique(np.geomspace(2, 1e12, 121).round())
LOW, HIGH, NAMED = 1e2, 1e10, 10**6  # the rows n of the map, and those of the sentence
ORDER = ("basic", "advanced", "noise on the histogram", "SmallDB")
REGIONS = {
    "nothing below 1": {"facecolor": "0.9"},
    "SmallDB": {"facecolor": "#F5CDB0", "hatch": "//"},
    "answers, basic": {"facecolor": "#A6DBCB", "hatch": ".."},
    "answers, advanced": {"facecolor": "#EBC9DB", "hatch": "\\\\"},
    "histogram": {"facecolor": "#F5EDA0", "hatch": "--"},
}
EDGE = {"edgecolor": "white", "linewidth": 0}
CROSSING = {"color": "0.2", "linestyle": "none", "marker": "D", "markersize": 9}


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    beta=(BETAS, 0.05),
    delta=(DELTAS, 1e-6),
    universe_size=([f"2^{d}" for d in (8, 10, 15, 20, 25, 30, 40, 50, 60)], "2^30"),
    size=(7.2, 4.35),
)
def smaller_promise(fig):
    """A map, made from the bounds: which of four mechanisms promises the smallest error."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(2, 1e12), ylim=(LOW, HIGH))
    ax.set(xlabel="number of queries |Q|", ylabel="rows n")
    ax.set_xticks(10.0 ** np.arange(1, 13))
    ax.set_title("smallest promise: from the bounds, not from runs", fontsize=13)
    areas = {
        name: ax.fill([1], [1], label=name, **style, **EDGE, animated=True)[0]
        for name, style in REGIONS.items()
    }
    words = {name: word(ax, name) for name in REGIONS}
    tenth = line(ax, "SmallDB promises 0.1", THEOREM)
    ax.axhline(NAMED, color="0.3", linewidth=1, animated=True)
    cross = line(ax, None, CROSSING)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)

    def update(*, epsilon, beta, delta, universe_size):
        universe = 2.0 ** int(universe_size[2:])
        promises = Promises(universe_size=universe, beta=beta, epsilon=epsilon, delta=delta)

        def noise(queries):
            return promises.noise(num_queries=queries)

        def numbers(queries):
            """What each of ORDER promises at n = NAMED."""
            small = promises.small_db(n=NAMED, num_queries=queries)
            return np.array([*noise(queries) / NAMED, small])

        last = QUERIES[-1]
        # where advanced composition becomes better than basic, the histogram than the answers
        turn = next(changes(lambda k: np.argmin(noise(k)[:2], axis=0), 2, last), last)
        meet = next(changes(lambda k: np.argmin(noise(k), axis=0) == 2, 2, last), last)
        queries = np.union1d(QUERIES, [turn, meet])
        least = np.min(noise(queries), axis=0)
        start = np.minimum(least, promises.small_db_n(num_queries=queries, error=1.0))
        end = np.maximum(start, promises.small_db_ahead(num_queries=queries, error=least))
        bounds = {
            "nothing below 1": (queries > 0, np.zeros(len(queries)), start),
            "SmallDB": (queries > 0, start, end),
            "answers, basic": (queries <= min(turn, meet), end, end + np.inf),
            "answers, advanced": ((queries >= turn) & (queries <= meet), end, end + np.inf),
            "histogram": (queries >= meet, end, end + np.inf),
        }
        for name, (where, low, high) in bounds.items():
            place(areas[name], words[name], queries[where], low[where], high[where])
        tenth.set_data(queries, promises.small_db_n(num_queries=queries, error=0.1))
        found = list(changes(lambda k: numbers(k).argmin(axis=0), 2, last))
        cross.set_data(found, [NAMED] * len(found))
        at_found = numbers(np.append(found, last))
        names = [ORDER[i] for i in at_found.argmin(axis=0)]
        told = [f"{name} from |Q| {rounded(k)} on" for name, k in zip(names, found, strict=False)]
        *answers, other, small = at_found[:, -1]
        return (
            f"Smallest promise at n = {compact(NAMED)}: noise on the answers, basic; "
            f"{'; '.join(told)}, with {about(at_found[:, -2].min())}. At |Q| = {compact(last)} "
            f"SmallDB promises {about(small)}, noise on the histogram {about(other)}, on the "
            f"answers {about(min(answers))}; 1 or more says nothing."
        )

    return update


def rounded(number):
    return f"{'=' if number < 1000 else '≈'} {about(number)}"


def word(ax, name):
    """The name of a region, upright where the region is narrow."""
    upright = name == "answers, basic"
    text = name if upright else name.replace(", ", ",\n").replace(" below", "\nbelow")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1.5}
    place = {"ha": "center", "va": "center", "rotation": 90 if upright else 0, "bbox": box}
    return ax.text(1, 1, text, **place, fontsize=12, animated=True)


def place(area, name, queries, low, high):
    """Fill a region of the map, and write its name where it fits or nowhere."""
    name.set_visible(False)
    area.set_visible(len(queries) > 0)
    if not len(queries):
        return
    low, high = (np.clip(y, LOW, HIGH) for y in (low, high))
    corners = np.append(queries, queries[::-1]), np.append(low, high[::-1])
    area.set_xy(np.column_stack(corners))
    columns, needed = (5, 2.2) if name.get_rotation() else (19, 0.9)  # the latter in powers of ten
    floor = sliding_window_view(np.pad(np.log10(low), columns // 2, constant_values=99), columns)
    ceiling = sliding_window_view(
        np.pad(np.log10(high), columns // 2, constant_values=-99), columns
    )
    floor, ceiling = floor.max(axis=1), ceiling.min(axis=1)
    best = np.argmax(ceiling - floor)
    height = (ceiling - floor)[best]
    share = 0.75 if height > 3 else 0.5  # where there is room, above the lines
    if name.get_text() == "SmallDB":  # or below them
        share = 0.3
    name.set_position((queries[best], 10 ** (floor[best] + share * height)))
    name.set_visible(height > needed)
