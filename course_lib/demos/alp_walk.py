"""The figure of notebook 08 on one look-up: the walk over its bits, and the law of its estimate."""

import numpy as np

from course_lib.alp import alp_expected_error, alp_levels, alp_zero_error
from course_lib.demos.drawing import EXACT, VALUES, MeasuredRates, bars, line, place_bars
from course_lib.demos.explore import about, demo
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import alp_exact_error, alp_law, nearest_level
from course_lib.lab.alp import look_ups

CAP, LOOK_UPS = 30, 2000
STEPS = 23  # the levels at the largest epsilon and the smallest alpha
TRUE = {"color": "0.45", "linestyle": ":"}
ESTIMATE = {"color": "black", "linestyle": "-", "linewidth": 2}
NO_FLIPS = {"color": "0.7", "linestyle": "-", "linewidth": 1.5}
MAXIMA = {"linestyle": "none", "marker": "o", "markersize": 12, "color": "none"}
MAXIMA |= {"markeredgecolor": "black", "markeredgewidth": 2}


@demo(
    value=(range(CAP + 1), 12),
    step=(range(STEPS + 1), 6),
    epsilon=([0.3, 0.4, 0.5, 0.7, 1.0, 1.2, 1.5], 1.0),
    alpha=([2.0, 2.5, 3.0, 4.0, 5.0, 6.0], 2.0),
    seed=3,
    size=(7.2, 4.4),
)
def walk_of_estimate(fig):
    """The walk over the bits of one look-up, bit by bit, and the law of the estimate."""
    ax, law = fig.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
    ax.set(ylabel="walk f(n)", xlim=(-0.7, STEPS + 0.7), ylim=(-12, 12))
    law.set(xlabel="level n = value·ε/α; the law counts the nearest level", ylabel="probability")
    law.set_ylim(0, 0.85)  # the largest probability is 0.78
    for axes in (ax, law):
        axes.yaxis.set_label_coords(-0.085, 0.5)  # left of the widest tick labels
    ax.axhline(0, color="0.85", linewidth=1)
    no_flips = line(ax, "without flips", NO_FLIPS)
    walk = line(ax, "walk f(n)", VALUES | {"markersize": 5})
    maxima = line(ax, "highest", MAXIMA)
    weights = bars(law, label="exact law", color=EXACT["color"], linewidth=9)
    measured = MeasuredRates(law)
    measured.dots.set_markersize(4)
    estimates = [line(axes, "estimate so far", ESTIMATE) for axes in (ax, law)]
    truths = [line(axes, "true x", TRUE) for axes in (ax, law)]
    handles = [walk, no_flips, maxima, estimates[0], truths[0], weights, measured.dots]
    fig.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False, fontsize=11)

    def update(*, value, step, epsilon, alpha, seed):
        unit, levels = alpha / epsilon, int(alp_levels(cap=CAP, alpha=alpha, epsilon=epsilon))
        run = look_ups(
            value, number=LOOK_UPS, levels=levels, alpha=alpha, epsilon=epsilon, seed=seed
        )
        shown = min(step, levels)
        n = np.arange(levels + 1)
        without = run.rounded - np.abs(n - run.rounded)
        high = 12 if np.abs([run.walk, without]).max() < 12 else 24  # in small and large values
        if ax.get_ylim()[1] != high:
            ax.set_ylim(-high, high)
        walk.set_data(n[: shown + 1], run.walk[: shown + 1])
        no_flips.set_data(n, without)
        top = np.flatnonzero(run.walk[: shown + 1] == run.walk[: shown + 1].max())
        maxima.set_data(top, run.walk[top])
        possible, chances = alp_law(value, cap=CAP, alpha=alpha, epsilon=epsilon)
        nearest = nearest_level(possible, alpha=alpha, epsilon=epsilon)
        weight = np.bincount(nearest, chances, levels + 1)
        place_bars(weights, (n, np.zeros(levels + 1)), (n, weight))
        nearest = nearest_level(run.estimates, alpha=alpha, epsilon=epsilon)
        measured.place(n, np.bincount(nearest, minlength=levels + 1), LOOK_UPS)
        for truth, estimate in zip(truths, estimates, strict=True):
            truth.set_data([value / unit] * 2, truth.axes.get_ylim())
            estimate.set_data([top.mean()] * 2, estimate.axes.get_ylim())
        error = alp_exact_error(value, cap=CAP, alpha=alpha, epsilon=epsilon)
        bound = (alp_expected_error if value else alp_zero_error)(alpha=alpha, epsilon=epsilon)
        mean = np.abs(run.estimates - value).mean()
        return (
            f"x = {value}, ε = {epsilon:g}, α = {alpha:g}, no collisions. {so_far(step, levels)} f "
            f"is highest at n = {places(top)}: the estimate{'' if step >= levels else ' so far'} "
            f"is {about(top.mean() * unit)}. Expected error: exactly {about(error)}, bound "
            f"{about(bound)}; mean of {LOOK_UPS:,} look-ups {about(mean)}."
        )

    return update


def so_far(step, levels):
    """How many of the bits have been read, as a sentence begins."""
    if step > levels:
        return f"After all m = {levels} bits (there is no bit {step})"
    return f"After {step} of m = {levels} bits"


def places(top):
    """Where the walk is highest, in words."""
    if len(top) > 4:
        return f"{top[0]} to {top[-1]}, {len(top)} times"
    return " and ".join(", ".join(map(str, top)).rsplit(", ", 1))
