"""The figure of notebook 05 on promises: SmallDB against Laplace noise, a map from the bounds."""

import numpy as np
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from course_lib.demos.drawing import THEOREM, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.linear_queries import histogram_alpha
from course_lib.support.multisets import log_multisets
from course_lib.toolbox import advanced_pays_from, advanced_per_run, laplace_alpha

BETAS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
DELTAS = [1e-12, 1e-9, 1e-6, 1e-3]
SIZES = np.unique(np.geomspace(1, 1e24, 800).round())  # rows m of the small database
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


def laplace_rows(num_queries, *, beta, epsilon, delta):
    """The (1−β)-error of Laplace answers, times n: basic and advanced composition."""
    per_answer = (
        epsilon / num_queries,
        advanced_per_run(runs=num_queries, epsilon=epsilon, delta=delta),
    )
    return [laplace_alpha(num_queries=num_queries, beta=beta, epsilon=e) for e in per_answer]


class Promise:
    """The lemma at its best α: the least of √(ln|Q|/m) + cost(m)/n over the rows m."""

    def __init__(self, universe_size, beta, epsilon):
        self.cost = 2 * (log_multisets(universe_size, SIZES) - np.log(beta)) / epsilon

    def alphas(self, num_queries):
        """For each m the smallest α that takes no more rows."""
        return np.sqrt(np.log(np.asarray(num_queries, float))[..., None] / SIZES)

    def at(self, num_queries, n):
        """The promise and the m that gives it."""
        promises = self.alphas(num_queries) + self.cost / n
        best = promises.argmin(axis=-1)
        return promises.min(axis=-1), SIZES[best]

    def rows(self, num_queries, error):
        """The n from which on this error is promised."""
        left = error - self.alphas(num_queries)
        return np.where(left > 0, self.cost / np.where(left > 0, left, 1), np.inf).min(axis=-1)

    def rows_against(self, num_queries, other):
        """The n up to which the promise is below other / n; 0 if it never is."""
        ahead = (np.asarray(other)[..., None] - self.cost) / self.alphas(num_queries)
        return np.maximum(ahead.max(axis=-1), 0)


def changes(winner, low, high):
    """Every whole number from low + 1 to high at which winner differs from the number before."""
    places = np.unique(np.geomspace(low, high, 150).round())
    for i in np.flatnonzero(np.diff(winner(places))):
        if places[i + 1] - places[i] == 1:
            yield int(places[i + 1])
        else:
            yield from changes(winner, places[i], places[i + 1])


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
        at = {"beta": beta, "epsilon": epsilon, "delta": delta}
        universe = 2.0 ** int(universe_size[2:])
        promise = Promise(universe, beta, epsilon)
        turn = advanced_pays_from(
            epsilon=epsilon, delta=delta
        )  # from this |Q| on advanced composition is better

        def noise(queries):
            """What noise promises, times n: on the answers, basic and advanced; on the counts."""
            counts = {"universe_size": universe, "beta": beta, "epsilon": epsilon}
            return [
                *laplace_rows(queries, **at),
                histogram_alpha(n=1, num_queries=queries, **counts),
            ]

        def numbers(queries):
            """What each of ORDER promises at n = NAMED."""
            return np.array([*np.divide(noise(queries), NAMED), promise.at(queries, NAMED)[0]])

        last = QUERIES[-1]  # at `meet` the histogram becomes better than the answers
        meet = next(changes(lambda k: np.argmin(noise(k), axis=0) == 2, 2, last), last)
        queries = np.union1d(QUERIES, [turn, meet])
        least = np.min(noise(queries), axis=0)
        start = np.minimum(least, promise.rows(queries, 1.0))
        end = np.maximum(start, promise.rows_against(queries, least))
        bounds = {
            "nothing below 1": (queries > 0, np.zeros(len(queries)), start),
            "SmallDB": (queries > 0, start, end),
            "answers, basic": (queries <= min(turn, meet), end, end + np.inf),
            "answers, advanced": ((queries >= turn) & (queries <= meet), end, end + np.inf),
            "histogram": (queries >= meet, end, end + np.inf),
        }
        for name, (where, low, high) in bounds.items():
            place(areas[name], words[name], queries[where], low[where], high[where])
        tenth.set_data(queries, promise.rows(queries, 0.1))
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
    window = {"size": columns, "mode": "constant"}
    floor = maximum_filter1d(np.log10(low), **window, cval=99)
    ceiling = minimum_filter1d(np.log10(high), **window, cval=-99)
    best = np.argmax(ceiling - floor)
    height = (ceiling - floor)[best]
    share = 0.75 if height > 3 else 0.5  # where there is room, above the lines
    if name.get_text() == "SmallDB":  # or below them
        share = 0.3
    name.set_position((queries[best], 10 ** (floor[best] + share * height)))
    name.set_visible(height > needed)
