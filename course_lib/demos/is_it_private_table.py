"""The table of variants in notebook 04 as a picture: what each loses against what it claims."""

import re

import numpy as np

from course_lib.demos.drawing import EXACT, THEOREM, bars, line, place_bars
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.is_it_private import times_below
from course_lib.exact.family import ROWS
from course_lib.lab.is_it_private import published_losses

BEYOND = {"color": "#D55E00", "linestyle": "none", "marker": "X", "markersize": 10}
EDGE = 3000.0  # what is infinite or beyond is drawn to here


def citation(name):
    """A row of the table, in short: Lee & Clifton."""
    return re.sub(r" 20\d\d|^Roth, | here$", "", ROWS[name].source)


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    cutoff=(range(1, 11), 2),
    num_below=(nice(1, 1000), 100),
    monotone=([False, True], False),
    size=(7.6, 4.6),
)
def table_of_variants(fig):
    """For each published variant the largest exact loss found, as a multiple of its claim."""
    ax = fig.subplots()
    rows = np.arange(len(ROWS))
    ax.set(xscale="log", xlim=(0.1, 4e6), ylim=(len(ROWS) - 0.4, -0.6))
    ax.set_xticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1,000"])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("exact loss / ε", loc="left")
    ax.set_yticks(rows, [citation(name) for name in ROWS], fontsize=10)
    ax.axvline(1, label="claimed", **THEOREM)
    lengths = bars(ax, color="0.6", linewidth=2)
    within = line(ax, "within the claim", EXACT | {"linestyle": "none", "marker": "o"})
    beyond = line(ax, "beyond it", BEYOND)
    infinite = line(ax, "infinite", BEYOND | {"marker": ">"})
    words = [
        ax.text(3.5e6, row, "", va="center", ha="right", fontsize=11, animated=True) for row in rows
    ]
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, cutoff, num_below, monotone):
        found = published_losses(
            num_below=num_below, cutoff=cutoff, epsilon=epsilon, monotone=monotone
        )
        loss, limit = found.T / epsilon
        more, proved = loss > 1 + 1e-9, limit <= 1 + 1e-9
        claimed = np.array([monotone or not row.monotone for row in ROWS.values()])
        convicted = more & claimed
        shown = np.clip(loss, 0.1, EDGE)
        endless = loss > EDGE
        place_bars(lengths, (np.full(len(rows), 0.1), rows), (shown, rows))
        for artist, kept in (
            (within, ~more),
            (beyond, more & ~endless),
            (infinite, endless),
        ):
            artist.set_data(shown[kept], rows[kept])
        states = np.where(proved, "cleared", np.where(convicted, "convicted", "not yet convicted"))
        states = np.where(claimed, states, "no such claim")
        sizes = ["∞" if np.isinf(share) else about(share) for share in loss]
        for word, state, size, guilty in zip(words, states, sizes, convicted, strict=True):
            word.set_text(f"{state}: {size} ε".replace("∞ ε", "∞"))
            word.set(weight="bold" if guilty else "normal")
        told = {state: [] for state in states} | {"convicted": []}
        for name, state, size in zip(ROWS, states, sizes, strict=True):
            told[state].append(f"{citation(name)} ({size})")
        names, unsure = told["convicted"], told.get("not yet convicted")
        silent = f" Not yet, though no proof can exist: {', '.join(unsure)}." if unsure else ""
        other = told.get("no such claim")
        outside = f" Claims ε for monotone queries only: {other[0]}." if other else ""
        kind = "monotone streams" if monotone else "streams"
        return (
            f"ε = {epsilon:g}, c = {cutoff}, {kind} with {times_below(num_below)}. Convicted, "
            f"with loss / ε: {', '.join(names) or 'none'}.{silent} Cleared, by proof: "
            f"{np.count_nonzero(proved)} of {len(ROWS)}.{outside}"
        )

    return update
