"""The figures of notebook 08 on choices: which α, and to scale or not to scale."""

import numpy as np

from course_lib.alp import alp_equation1, alp_expected_error, alp_scale, alp_zero_error
from course_lib.demos.alp_error import BOUND, RATIOS, MeasuredMeans, above
from course_lib.demos.alp_style import ALP, HISTOGRAM
from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, line
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import (
    alp_error_among,
    equation1_crossing,
    equation1_error,
    least_bound,
    three_scalings,
)
from course_lib.lab.alp import errors_alone, errors_by_alpha

CAP = 40  # after scaling: 20 levels at α = 2, where the expected error begins
SPREAD = CAP * (np.arange(60) + 0.5) / 60  # entries from 0 to the cap, after scaling
REPEATS = 3  # entries of each of these values
ENTRIES = np.repeat(SPREAD, REPEATS)
ALPHAS = np.geomspace(0.3, 30, 161)
FEW = np.array([2, 2.5, 3, 3.5, 4, 5, 7, 9, 12, 16, 24, 30])
TRIED = np.array([0.6, 1.2, 2.5, 4.0, 7.0, 12.0, 24.0])  # measured
PAPER = BOUND | {"linestyle": (0, (1, 2))}
WORST = EXACT | {"linestyle": (0, (5, 1, 1, 1)), "linewidth": 1.5}
MARK = {"color": "0.2", "linestyle": "none", "marker": "D", "markersize": 9}
UNSCALED = {"color": "0.35", "linestyle": (0, (3, 1, 1, 1, 1, 1))}
BUDGETS = np.geomspace(0.05, 10, 81)


@demo(
    epsilon=(nice(0.3, 1.5), 1.0),
    ratio=(RATIOS, 30),
    value=(["spread", "zero"], "zero"),
    neighbours=(["l1", "histogram"], "l1"),
    seed=0,
    size=(7.2, 4.3),
)
def choice_of_alpha(fig):
    """The error of ALP against α: promised, exact and measured, with the least bound marked."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.28, 32), ylim=(0.35, 400))
    ax.set(xlabel="α", ylabel="expected error of an entry")
    for axis, ticks in ((ax.xaxis, [0.3, 0.5, 1, 2, 3, 5, 10, 20, 30]), (ax.yaxis, [1, 10, 100])):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_ticks([], minor=True)
    paper = line(ax, "Equation 1, no collisions", PAPER)
    promise = line(ax, "bound with collisions", THEOREM)
    worst = line(ax, "expected, worst of “spread”", WORST)
    exact = line(ax, "expected, average or zero", EXACT)
    dots = MeasuredMeans(ax, "measured, 95%")
    best = line(ax, "least bound", MARK)
    plain = ax.axvline(1, color="0.6", linewidth=1, linestyle=":", animated=True)
    word = above(ax, "no scaling")
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)

    def update(*, epsilon, ratio, value, neighbours, seed):
        zero, load = value == "zero", 1 / ratio
        bounded = alp_zero_error if zero else alp_expected_error

        def scale(alpha):
            return alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)

        def bound(alpha):
            return bounded(load=load, alpha=alpha, epsilon=scale(alpha))

        def printed(alpha):
            return equation1_error(zero=zero, alpha=alpha, epsilon=scale(alpha))

        promise.set_data(ALPHAS, bound(ALPHAS))
        paper.set_data(ALPHAS, printed(ALPHAS))
        size, points = ratio * len(ENTRIES), [0.0] if zero else SPREAD
        errors = [
            alp_error_among(points, ENTRIES, size=size, cap=CAP, alpha=alpha, epsilon=1.0)
            for alpha in FEW.tolist()
        ]
        shown, largest = np.mean(errors, axis=1) / scale(FEW), np.max(errors, axis=1) / scale(FEW)
        exact.set_data(FEW, shown)
        worst.set_data(FEW, np.full(len(FEW), np.nan) if zero else largest)
        measured = errors_by_alpha(
            tuple(ENTRIES), zeros=zero, size=size, cap=CAP, alphas=tuple(TRIED), seed=seed
        )
        dots.place(TRIED, (measured.T / scale(TRIED)).T)
        (alpha, least), first = least_bound(bound, ALPHAS), least_bound(printed, ALPHAS)
        best.set_data([alpha], [least])
        same = epsilon if neighbours == "l1" else np.expm1(epsilon)
        plain.set_xdata([same] * 2)
        word.set_x(same)
        which = "a zero" if zero else f"x up to the cap, {CAP} scaled"
        return (
            f"ε = {epsilon:g}, s/k = {ratio}, {neighbours}, {which}: the bound "
            f"{told_least(alpha, least)}, Equation 1 {told_least(*first)}. The "
            f"{'' if zero else 'average '}error, from α = {FEW[0]:g} on, "
            f"{told_least(FEW[shown.argmin()], shown.min())}. Unscaled: α = "
            f"{about(same)}, bound {about(bound(same))}."
        )

    return update


def told_least(alpha, least):
    if alpha > 0.999 * ALPHAS[-1]:
        return f"falls to {about(least)} at α = {ALPHAS[-1]:g}"
    return f"is least at α = {about(alpha)}: {about(least)}"


@demo(
    epsilon=(nice(0.2, 5.0), 0.3),
    alpha=([0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0], 3.0),
    value=([0, 1, 2, 3, 5, 7, 10, 20, 50, 100], 0),
    seed=0,
    size=(7.2, 4.3),
)
def with_or_without_scaling(fig):
    """The error against ε if values are scaled by ε, by e^ε − 1, or not at all, p = 1/(ε+2)."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.045, 11), ylim=(0.01, 5000))
    ax.set(xlabel="ε", ylabel="expected error of an entry")
    ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    unscaled = line(ax, "Equation 1, no scaling", BOUND)
    scaled = line(ax, "Equation 1, scaled", PAPER)
    names = {"no scaling, x = 0": UNSCALED, "scaled by ε, x = 0": ALP}
    names |= {"by e^ε − 1, α ≥ that, x = 0": HISTOGRAM}
    curves = [line(ax, name, style) for name, style in names.items()]
    mark = ax.axvline(1, color="0.6", linewidth=1, linestyle=":", animated=True)
    cross = line(ax, None, MARK | {"markersize": 7})
    dots = [MeasuredMeans(ax, None) for _ in curves]  # filled with the colour of the curve
    for shown, curve in zip(dots, curves, strict=True):
        shown.dots.set(markerfacecolor=curve.get_color(), markersize=7.5)
    line(ax, "measured at value x, 95%", MEASURED | {"markerfacecolor": "white"})
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)

    def zero_error(scale, alpha):
        return alp_zero_error(alpha=alpha, epsilon=scale)

    def update(*, epsilon, alpha, value, seed):
        unscaled.set_data(BUDGETS, alp_equation1(alpha=BUDGETS))
        scaled.set_data(BUDGETS, equation1_error(alpha=alpha, epsilon=BUDGETS))
        for curve, ways in zip(curves, three_scalings(alpha=alpha, epsilon=BUDGETS), strict=True):
            curve.set_data(BUDGETS, zero_error(*ways))
        meet = equation1_crossing(alpha=alpha)
        crossings = zero_error(alpha, alpha), equation1_error(alpha=alpha, epsilon=meet)
        cross.set_data([alpha, meet], crossings)
        mark.set_xdata([epsilon] * 2)
        found, three = [], three_scalings(alpha=alpha, epsilon=epsilon)
        for i, (scale, width) in enumerate(three):
            errors = errors_alone(value, alpha=float(width), epsilon=float(scale), seed=seed)
            # side by side, so that none hides another
            low, high = dots[i].place([epsilon * (0.94, 1, 1.06)[i]], errors[None])
            found.append(f"{about(errors.mean())} ± {(high - low)[0] / 2:.2g}")
        zeros = [about(zero_error(*ways)) for ways in three]
        promise = equation1_error(alpha=alpha, epsilon=epsilon)
        return (
            f"ε = {epsilon:g}, α = {alpha:g}. Measured at x = {value}: {found[0]} unscaled, "
            f"{found[1]} scaled, {found[2]} by e^ε − 1. Exact at 0: {zeros[0]}, "
            f"{zeros[1]}, {zeros[2]}. Equation 1: {about(alp_equation1(alpha=epsilon))} unscaled, "
            f"{about(promise)} scaled; unscaled is smaller beyond ε = {about(meet)}."
        )

    return update
