"""The figure of notebook 04 on Theorem 4: for which δ one kind of stream refutes it."""

import numpy as np

from course_lib.demos.drawing import EXACT, THEOREM, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.is_it_private import (
    DELTAS,
    delta_taken,
    log_delta_taken_at_least,
    refuted_range,
)

LONGEST = 200  # queries in the stream
CLOSED = {"color": "0.4", "linestyle": ":"}


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    num_queries=(nice(10, LONGEST), LONGEST),
    delta=(DELTAS, 1e-15),
)
def theorem_4(fig):
    """The δ that one kind of stream takes against the δ that Theorem 4 promises."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(1e-62, 1e-1), ylim=(1e-62, 1e-1))
    ax.set(xlabel="δ promised", ylabel="δ taken by this stream")
    ax.plot(DELTAS, DELTAS, label="Theorem 4", **THEOREM)
    ax.text(1e-58, 3e-10, "above: refuted", fontsize=12)
    exact = line(ax, "exact", EXACT)
    closed = line(ax, "at least, closed form", CLOSED)
    here = line(ax, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 10})
    fig.legend(loc="outside upper center", ncols=3, frameon=False)

    def update(*, epsilon, num_queries, delta):
        taken = [
            delta_taken(num_queries=num_queries, epsilon=epsilon, delta=d) or np.nan for d in DELTAS
        ]
        exact.set_data(DELTAS, taken)
        least = [
            log_delta_taken_at_least(
                num_queries=num_queries, epsilon=epsilon, log_inverse=-np.log(d)
            )
            for d in DELTAS
        ]
        closed.set_data(DELTAS, np.where(np.isfinite(least), np.exp(least), np.nan))
        mass = delta_taken(num_queries=num_queries, epsilon=epsilon, delta=delta)
        here.set_data([delta], [mass or np.nan])
        if np.isnan(taken).all():
            such = "No transcript this short passes e^ε, at any δ shown."
        elif ends := refuted_range(num_queries=num_queries, epsilon=epsilon):
            low, high = (about(end) for end in ends)
            where = f"for δ from {low}" if ends[0] > DELTAS[0] else "at every δ shown up"
            such = f"Such streams refute Theorem 4 {where} to {high}."
        else:
            such = "Such streams refute Theorem 4 at no δ shown."
        verdict = "more than promised: refuted" if mass > delta else "which refutes nothing"
        return (
            f"c = 1, ε = {epsilon:g}, {num_queries} equal queries: at δ = {compact(delta)} the "
            f"stream takes δ = {about(mass)}, {verdict}. {such}"
        )

    return update
