"""One run on a stream as layers, a line for each query; and a meter of the budget it has used."""

import numpy as np

from course_lib.demos.picture import (
    DOTS, MEASURED, VALUES, axes, bars, line, linear, text, upright,
)  # fmt: skip


def query_axis(queries, size):
    """An axis with a line for each query, the first on top, their names in letters of this size."""
    names = [query.name for query in queries]
    return linear("", len(names) - 0.4, -0.6, ticks=range(len(names)), names=names, size=size)


def stream_layers(values, noise, threshold, answers, above, *, kind, edge, sizes, queries):
    """The values asked for, their noise and the answers, of `queries` in all.

    `kind` names the values; the answers are words, `above` says which are ⊤, and they stand left of
    `edge` in letters of two `sizes`, for ⊤ and ⊥. Noise is None where a run drew it in another way.
    """
    rows, values = np.arange(len(answers)), np.asarray(values[: len(answers)], dtype=float)
    noisy = values + (np.nan if noise is None else noise)
    above = np.asarray(above, dtype=bool)
    unasked = np.arange(len(answers), queries)
    shown = [
        (f"{kind}s above", rows[above], {"color": "blue", "size": sizes[0], "bold": True}),
        (f"{kind}s below", rows[~above], {"color": "ink", "size": sizes[1]}),
    ]
    return [
        bars("noise", (values, rows), (noisy, rows), {"color": "0.55", "linewidth": 1}, label=None,
             see=f"noisy {kind}"),
        line(kind, values, rows, VALUES | DOTS),
        line(f"noisy {kind}", noisy, rows, MEASURED),
        upright("T", threshold, {"color": "0.5", "linewidth": 1.5}),
        *(
            text(name, [edge] * len(at), at.tolist(), [answers[row] for row in at], ha="right", **style)
            for name, at, style in shown
        ),
        text("not asked", [edge] * len(unasked), unasked.tolist(), ["not asked"] * len(unasked),
             color="0.45", size=sizes[1], ha="right"),
    ]  # fmt: skip


def budget_meter(slots, words, *, box):
    """A bar of slots side by side, each filled to its share from 0 to 1, with words above it.

    A slot is what one thing may cost: for AboveThreshold half of ε for the threshold, which is paid
    with the first answer, and half for the ⊤.
    """
    # the axis stays the same however many slots there are: to move it, all axes are drawn again
    start, width = (np.arange(len(slots)) + 0.02) / len(slots), 0.96 / len(slots)
    filled = start + width * np.clip(np.asarray(slots, dtype=float), 0, 1)
    middle = np.full(len(slots), 0.5)
    empty, full = ({"color": colour, "linewidth": 11} for colour in ("0.85", "purple"))
    return axes(
        bars("budget", (start, middle), (start + width, middle), empty, label=None, see=words),
        bars("budget used", (start, middle), (filled, middle), full, label=None, see=words),
        text("budget in words", 0, 1, words, within="axes", va="bottom", size=12),
        x=linear("", 0, 1, ticks=[], lineless=True),
        y=linear("", 0, 1, ticks=[], lineless=True),
        box=box,
    )


def outside(limits, x):
    """How many of the numbers lie beyond the limits."""
    x = np.asarray(x, dtype=float)
    return int(np.count_nonzero((x < limits[0]) | (x > limits[1])))
