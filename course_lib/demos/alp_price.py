"""The figures of notebook 08 on the price: space, and the largest error of all entries."""

import numpy as np

from course_lib.alp import alp_levels, alp_space
from course_lib.demos.alp_style import ALP, LAPLACE, THRESHOLD_ALP, THRESHOLDED
from course_lib.demos.drawing import MEASURED, THEOREM, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import alp_largest_estimate
from course_lib.exact.threshold_alp import laplace_largest_error, threshold_largest_error
from course_lib.lab.threshold_alp import largest_errors, released_bytes, spread_values
from course_lib.support.contracts import ParameterError
from course_lib.threshold_alp import (
    threshold_alp_maximum_error,
    threshold_alp_space,
    threshold_level,
)

HUGE = 10**18
MARK = {"color": "0.5", "linewidth": 1, "zorder": 1}
PLAIN = {"color": "0.35", "linestyle": ":"}
SHARES = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
DIMENSIONS = np.geomspace(100, HUGE, 200).round()
POWERS = 10.0 ** np.array([2, 3, 4, 6, 12, 18])
RELEASES = {100: 4, 1000: 4, 10_000: 4}  # how many are read throughout, by dimension
# where their dots stand, beside each other, since equal ones would hide each other
BESIDE = np.concatenate([d * 1.28 ** (np.arange(n) - (n - 1) / 2) for d, n in RELEASES.items()])


def table_size(sparsity, ratio):
    return max(2 * sparsity + 1, round(ratio * sparsity))


@demo(
    dimension=([10**i for i in range(2, 19)], 10**6),
    sparsity=(nice(10, 1000), 30),
    ratio=([2.1, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0], 4.0),
    alpha=(nice(1.0, 10.0), 3.0),
    share=(SHARES, 0.5),
    cap=(nice(3, 1000), 50),
    size=(7.2, 4.1),
)
def space_against_dimension(fig):
    """Bytes of a release against the dimension: dense, Threshold, ALP, Threshold-ALP, at ε = 1."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(80, 2e18), ylim=(3e1, 1e8))
    ax.set(xlabel="dimension d", ylabel="bytes")
    ax.set_xticks([10.0**i for i in range(2, 19, 2)])
    ax.set_xticks([], minor=True)
    dense = line(ax, "dense: 8 d", LAPLACE)
    embedded = line(ax, "Threshold-ALP", THRESHOLD_ALP)
    capped = line(ax, "ALP, cap β", ALP)
    kept = line(ax, "Threshold", THRESHOLDED)
    true = line(ax, "the vector: 16 k", PLAIN)
    mark = ax.axvline(1e6, **MARK, animated=True)
    real = line(ax, "a real Threshold-ALP", MEASURED)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)

    def update(*, dimension, sparsity, ratio, alpha, share, cap):
        if sparsity > dimension:
            raise ParameterError(
                f"sparsity must be at most dimension = {dimension:,}, got {sparsity:,}"
            )
        size = table_size(sparsity, ratio)
        at = {"sparsity": sparsity, "size": size, "alpha": alpha}
        at |= {"epsilon1": share, "epsilon2": 1 - share}
        x = DIMENSIONS[sparsity <= DIMENSIONS]
        fixed = alp_space(size=size, cap=cap, alpha=alpha, epsilon=1.0) / 8
        threshold, true_entries = 16 * (sparsity + 1), 16 * sparsity
        dense.set_data(x, 8 * x)
        embedded.set_data(x, threshold_alp_space(dimension=x, **at) / 8)
        for curve, number in ((capped, fixed), (kept, threshold), (true, true_entries)):
            curve.set_data([x[0], HUGE], [number] * 2)
        mark.set_xdata([dimension] * 2)
        found = released_bytes(dimension=dimension, **at)
        real.set_data([dimension], [found])
        bound = threshold_alp_space(dimension=dimension, **at) / 8
        level = threshold_level(dimension=dimension, epsilon=share)
        levels = alp_levels(cap=level, alpha=alpha, epsilon=1 - share)
        return (
            f"d = {compact(dimension)}, k = {sparsity:,}, s = {size:,}. Dense: "
            f"{in_bytes(8 * dimension)}. Threshold-ALP, m = {levels:.0f}: expected at most "
            f"{in_bytes(bound)}; one real release {in_bytes(found)} (hashes in whole bytes). "
            f"ALP, β = {cap:,}: {in_bytes(fixed)}. Threshold: {in_bytes(threshold)}; "
            f"the true entries {in_bytes(true_entries)}."
        )

    return update


def in_bytes(size):
    """A number of bytes in words."""
    unit = "bytes"
    for larger in ("kB", "MB", "GB", "TB", "PB", "EB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{about(size)} {unit}"


@demo(
    dimension=([10**i for i in range(2, 19)], 1000),
    share=(SHARES[1:-1], 0.5),
    alpha=(nice(1.0, 10.0), 3.0),
    sparsity=(nice(10, 100), 30),
    seed=0,
    size=(7.2, 4.1),
)
def largest_error(fig):
    """The expected largest error of all d entries: it grows with the logarithm of d."""
    panes = fig.subplots(1, 2)
    for ax, end, top in zip(panes, (4, 18), (80, 300), strict=True):
        ax.set(xscale="log", xlim=(50, 2 * 10**end), ylim=(0, top), xlabel="dimension d")
        ax.set_xticks(10.0 ** np.arange(2, end + 1, 1 if end == 4 else 4))
        ax.set_xticks([], minor=True)
    panes[0].set_title("with releases, d to 10⁴")
    panes[1].set_title("without, d to 10¹⁸")
    panes[0].set_ylabel("largest error, times ε")
    curves = []
    for ax in panes:
        bound = line(ax, "Threshold-ALP: bound on the mean", THEOREM)
        kept = line(ax, "Threshold: exact", THRESHOLDED)
        dense = line(ax, "dense Laplace: exact", LAPLACE)
        curves.append((bound, kept, dense, ax.axvline(1000, **MARK, animated=True)))
    dots = line(panes[0], "Threshold-ALP: single releases", MEASURED | {"markersize": 5})
    shown = [curves[0][0], dots, *curves[0][1:3]]
    fig.legend(handles=shown, loc="outside upper center", ncols=2, frameon=False, fontsize=11)

    def update(*, dimension, share, alpha, sparsity, seed):
        size = 4 * sparsity
        at = {"alpha": alpha, "epsilon1": share, "epsilon2": 1 - share}

        def threshold_alone(dimension):
            values = spread_values(dimension=dimension, sparsity=sparsity, epsilon1=share)
            return threshold_largest_error(values, dimension=dimension, epsilon=1.0)

        lines = [
            threshold_alp_maximum_error(dimension=POWERS, **at),
            [threshold_alone(int(d)) for d in POWERS],
            laplace_largest_error(dimension=POWERS, epsilon=1.0),
        ]
        seen = {
            d: largest_errors(
                releases=number, dimension=d, sparsity=sparsity, size=size, seed=seed, **at
            )
            for d, number in RELEASES.items()
        }
        dots.set_data(BESIDE, np.concatenate([*seen.values()]))
        for artists in curves:
            for curve, y in zip(artists, lines, strict=False):
                curve.set_data(POWERS, y)
            artists[-1].set_xdata([dimension] * 2)
        near = max(d for d in RELEASES if d <= dimension)
        bound = threshold_alp_maximum_error(dimension=near, **at)
        there = "" if near == dimension else f"; at d = {near:,}, bound {about(bound)}"
        level = threshold_level(dimension=near, epsilon=share)
        top = alp_largest_estimate(cap=level, alpha=alpha, epsilon=1 - share)
        dense_error = laplace_largest_error(dimension=dimension, epsilon=1.0)
        low, high = about(min(seen[near])), about(max(seen[near]))
        span = f"{low} to {high}" if low != high else f"{low} each"
        return (
            f"d = {compact(dimension)}, ε₁ = {share:g}ε, α = {alpha:g}, k = {sparsity}, s = "
            f"{size:,}. Largest error·ε: dense Laplace {about(dense_error)}, Threshold "
            f"{about(threshold_alone(dimension))}, Threshold-ALP at most "
            f"{about(threshold_alp_maximum_error(dimension=dimension, **at))}{there}, in "
            f"{RELEASES[near]} releases {span} (the embedding’s estimates end at "
            f"{about(top)})."
        )

    return update
