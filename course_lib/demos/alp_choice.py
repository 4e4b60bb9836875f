"""The figures of notebook 08 on choices: which α, and to scale or not to scale."""

import functools

import numpy as np

from course_lib.alp import (
    alp1_estimator,
    alp_equation1,
    alp_expected_error,
    alp_projection,
    alp_scale,
    alp_zero_error,
)
from course_lib.demos.alp_error import BOUND, RATIOS, MeasuredMeans, above, expected_error
from course_lib.demos.alp_style import ALP, HISTOGRAM
from course_lib.demos.alp_walk import apart
from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, line
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore

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


@functools.lru_cache(16)
def exact_errors(ratio):
    """For each of FEW α the expected error of a zero and of the entries, average and worst."""
    at = {"size": ratio * len(ENTRIES), "cap": CAP, "epsilon": 1.0}
    points = np.append(0.0, SPREAD)
    errors = np.array([expected_error(points, ENTRIES, alpha=a, **at) for a in FEW.tolist()])
    return errors[:, 0], errors[:, 1:].mean(axis=1), errors[:, 1:].max(axis=1)


@functools.lru_cache(64)
def measured_choice(ratio, zero, seed):
    """The errors of entries, or of as many zeros, in one release for each α that is tried.

    At ε = 1. Another scale embeds the same numbers, since entries and cap are given after scaling,
    so that it divides the errors.
    """
    rng = np.random.default_rng(seed)
    places = rng.choice(10**9, size=2 * len(ENTRIES), replace=False)
    inside, outside = places[: len(ENTRIES)], places[len(ENTRIES) :]
    sizes = {"dimension": 10**9, "sparsity": len(ENTRIES), "size": ratio * len(ENTRIES)}
    errors = []
    for alpha in TRIED.tolist():
        at = {"cap": CAP, "alpha": alpha, "epsilon": 1.0, "rng": rng}
        release = alp_projection(inside, ENTRIES, **sizes, **at)
        errors.append(
            release.estimate(outside) if zero else np.abs(release.estimate(inside) - ENTRIES)
        )
    return np.array(errors)


def lowest(bound, shown):
    """Where on the axis of α a bound is least, and how small it is there; shown at ALPHAS."""
    best = ALPHAS[np.argmin(shown)]
    near = np.clip(best * np.geomspace(0.97, 1.03, 301), ALPHAS[0], ALPHAS[-1])
    values = bound(near)
    return near[np.argmin(values)], np.min(values)


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
            return bounded(load=load, alpha=alpha, epsilon=1.0) / scale(alpha)

        def printed(alpha):
            return alpha * ((0 if zero else 0.5) + alp_equation1(alpha=alpha)) / scale(alpha)

        promised, first = bound(ALPHAS), printed(ALPHAS)
        promise.set_data(ALPHAS, promised)
        paper.set_data(ALPHAS, first)
        at_zero, average, largest = (errors / scale(FEW) for errors in exact_errors(ratio))
        shown = at_zero if zero else average
        exact.set_data(FEW, shown)
        worst.set_data(FEW, np.full(len(FEW), np.nan) if zero else largest)
        dots.place(TRIED, (measured_choice(ratio, zero, seed).T / scale(TRIED)).T)
        alpha, least = lowest(bound, promised)
        best.set_data([alpha], [least])
        same = epsilon if neighbours == "l1" else np.expm1(epsilon)
        plain.set_xdata([same] * 2)
        word.set_x(same)
        which = "a zero" if zero else f"x up to the cap, {CAP} scaled"
        return (
            f"ε = {epsilon:g}, s/k = {ratio}, {neighbours}, {which}: the bound "
            f"{told_least(alpha, least)}, Equation 1 {told_least(*lowest(printed, first))}. The "
            f"{'' if zero else 'average '}error, from α = {FEW[0]:g} on, "
            f"{told_least(FEW[shown.argmin()], shown.min())}. Unscaled: α = "
            f"{about(same)}, bound {about(bound(same))}."
        )

    return update


def told_least(alpha, least):
    if alpha > 0.999 * ALPHAS[-1]:
        return f"falls to {about(least)} at α = {ALPHAS[-1]:g}"
    return f"is least at α = {about(alpha)}: {about(least)}"


@functools.lru_cache(256)
def measured_scaling(value, scale, alpha, seed):
    """Errors of one value, many times in one vector without collisions, and far below the cap."""
    reach = 10 * ((alpha + 2) / alpha) ** 2  # few walks go further: r^reach is about exp(-5)
    levels = int(np.ceil(value * scale / alpha + reach))
    number = min(500, 150_000 // levels)  # look-ups; 250 at α = 0.3, 122 at α = 0.2, x = 10
    rng, exact = np.random.default_rng(seed), value * scale / alpha
    rounded = np.floor(exact) + (rng.random(number) < exact % 1)
    flips = rng.random((levels, number)) < 1 / (alpha + 2)
    # The bits of alp1_projection, all levels at once: entry i has place i to itself.
    bits = np.packbits((rounded > np.arange(levels)[:, None]) ^ flips, axis=1, bitorder="little")
    hashes, at = apart(levels, number), {"size": number, "alpha": alpha}
    return np.abs(alp1_estimator(bits, hashes, np.arange(number), **at) / scale - value)


def steps(epsilon, alpha):
    """Scale and α of the three: not scaled, scaled by ε, and by e^ε − 1 with an α that allows it.

    Not to scale, and to flip with p = 1/(ε + 2), is ALP with α = ε.
    """
    wide = np.expm1(epsilon)
    return (epsilon, epsilon), (epsilon, alpha), (wide, np.maximum(alpha, wide))


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
        promise = alpha * (0.5 + alp_equation1(alpha=alpha))
        scaled.set_data(BUDGETS, promise / BUDGETS)
        for curve, parts in zip(curves, steps(BUDGETS, alpha), strict=True):
            curve.set_data(BUDGETS, zero_error(*parts))
        meet = 16 * alpha / (alpha**2 + 16)  # where 8(ε+1)/ε² is what Equation 1 gives with scaling
        both = np.array([alpha, meet])
        cross.set_data(both, [zero_error(alpha, alpha), promise / meet])
        mark.set_xdata([epsilon] * 2)
        found = []
        for i, parts in enumerate(steps(epsilon, alpha)):
            errors = measured_scaling(value, *map(float, parts), seed)
            # side by side, so that none hides another
            low, high = dots[i].place([epsilon * (0.94, 1, 1.06)[i]], errors[None])
            found.append(f"{about(errors.mean())} ± {(high - low)[0] / 2:.2g}")
        zeros = [about(zero_error(*parts)) for parts in steps(epsilon, alpha)]
        return (
            f"ε = {epsilon:g}, α = {alpha:g}. Measured at x = {value}: {found[0]} unscaled, "
            f"{found[1]} scaled, {found[2]} by e^ε − 1. Exact at 0: {zeros[0]}, "
            f"{zeros[1]}, {zeros[2]}. Equation 1: {about(alp_equation1(alpha=epsilon))} unscaled, "
            f"{about(promise / epsilon)} scaled; unscaled is smaller beyond ε = {about(meet)}."
        )

    return update
