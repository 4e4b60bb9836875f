"""The figures of notebook 03 on the proofs: the factor that Theorem 3 drops, Theorem 5's δ.

Lengths are in units of 1/n, so n = 1 here.
"""

import numpy as np

from course_lib.demos.drawing import EXACT, NEIGHBOUR, THEOREM, THRESHOLD, VALUES, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.lecture11_sparse import (
    failures_at_stated_alpha,
    parts_of_the_loss,
    threshold_density,
)

LONGEST = 20
DROPPED = {"color": THRESHOLD["color"], "alpha": 0.45, "linewidth": 0}
KEPT = {"color": EXACT["color"], "alpha": 0.45, "linewidth": 0}


@demo(
    epsilon=(nice(0.1, 3.0), 1.0),
    cutoff=(range(1, 6), 1),
    num_below=(range(1, LONGEST + 1), 10),
    answer=(np.arange(-2, 8.1, 0.5), 0.0),
    size=(7.2, 4.4),
)
def dropped_factor(fig):
    """What m times ⊥ say of the threshold on D and D′, and what the number then gives away."""
    ax, loss = fig.subplots(1, 2)
    ax.set(yscale="log", ylim=(1e-9, 10), xlabel="noisy threshold, in 1/n")
    ax.set_ylabel("its density after m times ⊥")
    cut = ax.axvspan(-1, 0, color="0.85", label="T̂ ≤ âᵢ", animated=True)
    here, there = (
        line(ax, label, style | {"marker": ""})
        for label, style in (("on D", VALUES), ("on D′", NEIGHBOUR))
    )
    loss.set(xlim=(0, LONGEST + 0.5), ylim=(0, 10.5), xlabel="m times ⊥, then âᵢ")
    loss.set_ylabel("log-ratio / ε")
    loss.set_xticks(range(0, LONGEST + 1, 5))
    kept = loss.fill([0], [0], label="the ⊥", **KEPT, animated=True)[0]
    dropped = loss.fill([0], [0], label="dropped factor", **DROPPED, animated=True)[0]
    total = line(loss, "exact", EXACT)
    loss.axhline(1, label="Theorem 3", **THEOREM)
    dot = line(loss, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 9})
    for axes in (ax, loss):
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    m = np.arange(1, LONGEST + 1)

    def update(*, epsilon, cutoff, num_below, answer):
        # In steps: a new limit means a new background, which takes ten times as long.
        right = next(step for step in (15, 50, 150, 500) if step >= (6 + 8 * cutoff) / epsilon)
        limits = -right / 3, right
        if ax.get_xlim() != limits:
            ax.set_xlim(limits)
        z = np.linspace(*limits, 301)
        for curve, value in ((here, 0.0), (there, 1.0)):
            density = threshold_density(
                z, num_below=num_below, value=value, cutoff=cutoff, epsilon=epsilon
            )
            curve.set_data(z, density)
        cut.set_x(limits[0])
        cut.set_width(max(0.0, answer - limits[0]))
        parts = parts_of_the_loss(num_below=m, cutoff=cutoff, answer=answer, epsilon=epsilon)
        below, whole = parts[0] / epsilon, sum(parts) / epsilon
        place_area(kept, m, np.zeros(LONGEST), below)
        place_area(dropped, m, below, whole)
        total.set_data(m, whole)
        dot.set_data([num_below], [whole[num_below - 1]])
        waiting, factor = (part[num_below - 1] for part in parts)
        verdict = "within" if waiting + factor <= epsilon * (1 + 1e-9) else "above"
        times = f"{num_below} times ⊥" if num_below > 1 else "one ⊥"
        number = compact(answer).replace("-", "−")
        return (
            f"ε = {epsilon:g}, c = {cutoff}: {times}, then the number n·âᵢ = {number}. "
            f"To the log-ratio the ⊥ give {about(waiting)} (at most ε/2), the number’s noise "
            f"gives 0, the dropped factor {about(factor)}: together "
            f"{about(waiting + factor)}, {verdict} ε = {epsilon:g}."
        )

    return update


def place_area(polygon, x, low, high):
    """Let a polygon fill the space between two curves."""
    polygon.set_xy(np.column_stack([np.append(x, x[::-1]), np.append(low, high[::-1])]))


@demo(
    num_queries=(nice(1, 1000), 1),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], 0.05),
    delta=([1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999], 0.99),
)
def theorem_5_and_delta(fig):
    """Failure at Theorem 5's alpha for one number (c = 1), as δ comes close to 1."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(20, 9e-4), ylim=(1e-7, 2))
    ax.set(xlabel="ln(1/δ): δ grows to the right, up to 0.999")
    ax.set_ylabel("probability of failure")
    printed = line(ax, "exact, at the printed α", EXACT)
    right = line(ax, "… at the right α", EXACT | {"linestyle": ":"})
    promised = ax.axhline(1, label="β", **THEOREM, animated=True)
    ax.axvline(1 / 8, color="0.5", linewidth=1.5)
    ax.text(0.12, 1.8, " 1/8", va="top", color="0.3")
    dot = line(ax, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 10})
    fig.legend(loc="outside upper center", ncols=3, frameon=False)
    spent = np.geomspace(9e-4, 20, 61)

    def update(*, num_queries, beta, delta):
        curves = failures_at_stated_alpha(num_queries=num_queries, beta=beta, delta=np.exp(-spent))
        printed.set_data(spent, curves[0])
        right.set_data(spent, curves[1])
        promised.set_ydata([beta] * 2)
        failed, corrected = failures_at_stated_alpha(
            num_queries=num_queries, beta=beta, delta=delta
        )
        dot.set_data([-np.log(delta)], [failed])
        covered = "at least 1/8" if -np.log(delta) >= 1 / 8 else "below 1/8"
        kept = "kept" if failed <= beta else "broken"
        return (
            f"c = 1, k = {compact(num_queries)}, δ = {compact(delta)}: ln(1/δ) = "
            f"{about(-np.log(delta))}, {covered}. At the printed α it fails with probability "
            f"{about(failed)}: β = {beta:g} is {kept}. At the larger of that α "
            f"and 4 ln(2/β)/(εn) it fails with probability {about(corrected)}."
        )

    return update
