"""The main figure of notebook 08: what the error of an entry is, for four ways to release it."""

import numpy as np

from course_lib.alp import alp_expected_error
from course_lib.demos.alp_style import ALP, LAPLACE, THRESHOLD_ALP, THRESHOLDED
from course_lib.demos.drawing import MEASURED, THEOREM, bars, line, place_bars
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import alp_error_among, alp_largest_estimate, collision_probabilities
from course_lib.exact.threshold_alp import threshold_alp_exact_error
from course_lib.lab.confidence import normal_interval
from course_lib.lab.threshold_alp import errors_of_three
from course_lib.threshold_alp import (
    threshold_alp_expected_error,
    threshold_error,
    threshold_level,
)

TOP = 55  # the largest value
VALUES = np.arange(0, TOP + 1, 5)  # measured
GRID = np.linspace(0, TOP, 2 * TOP + 1)
REPEATS = 120  # entries of each of VALUES; those of 0 are looked up, but are not in the vector
RATIOS = [3, 4, 5, 7, 10, 15, 20, 30]
BOUND = THEOREM | {"linewidth": 1.5}


class MeasuredMeans:
    """Means of errors, as dots with their 95% intervals: the mean ± 1.96 standard errors.

    Entries of one release are independent except for collisions, which the intervals leave out.
    """

    def __init__(self, ax, label, marker="o"):
        self.intervals = bars(ax)
        self.dots = line(ax, label, MEASURED | {"marker": marker, "markersize": 5.5})

    def place(self, x, errors):
        """Show the mean of each row of errors at its x, and give the intervals' ends."""
        means, margin = normal_interval(errors)
        self.dots.set_data(x, np.where(means > 0, means, np.nan))
        place_bars(self.intervals, (x, np.maximum(means - margin, 1e-9)), (x, means + margin))
        return means - margin, means + margin


def above(ax, text):
    """A word that update will move, above the axes, where no curve crosses it."""
    at = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom", "animated": True}
    return ax.text(1, 1, text, color="0.35", fontsize=11, **at)


@demo(
    epsilon=(nice(0.3, 1.5), 1.0),
    alpha=([2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0], 3.0),
    cap=([10, 15, 20, 25, 30, 35, 40], 40),
    ratio=(RATIOS, 10),
    dimension=([10**j for j in (4, 5, 6, 7, 8, 9, 10, 12)], 10**6),
    seed=0,
    size=(7.2, 4.1),
)
def error_per_entry(fig):
    """The expected error of an entry against its value, for four releases that cost the same ε."""
    ax = fig.subplots()
    ax.set(yscale="log", xlim=(-1, TOP + 1), ylim=(0.5, 100))
    ax.set(xlabel="value x of the entry", ylabel="expected error")
    ticks = [0.5, 1, 2, 5, 10, 20, 50, 100]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    end = ax.axvline(1, color="0.6", linewidth=1, linestyle=":", animated=True)
    names = {"Laplace, d numbers": LAPLACE, "Threshold": THRESHOLDED}
    names |= {"ALP": ALP, "Threshold-ALP": THRESHOLD_ALP}
    laplace, threshold, alp, both = (line(ax, name, style) for name, style in names.items())
    bounds = [line(ax, "bounds", BOUND), line(ax, None, BOUND)]
    words = [
        ax.text(1, 1, name, color="#A04400", fontsize=10.5, va="bottom", animated=True)
        for name in ("ALP’s", "Threshold-ALP’s")
    ]
    word = above(ax, "cap")
    dots = [MeasuredMeans(ax, None, marker) for marker in "so^"]
    for shown, curve in zip(dots, (threshold, alp, both), strict=True):
        shown.dots.set_markerfacecolor(curve.get_color())
    line(ax, "measured, 95%", MEASURED | {"markerfacecolor": "white"})
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)
    entries = np.repeat(VALUES[1:], REPEATS)

    def update(*, epsilon, alpha, cap, ratio, dimension, seed):
        size, load, half = ratio * len(entries), 1 / ratio, epsilon / 2
        level = threshold_level(dimension=dimension, epsilon=half)
        met = collision_probabilities(entries, size=size, cap=level, alpha=alpha, epsilon=half)
        single = threshold_level(dimension=dimension, epsilon=epsilon)
        curves = {
            laplace: np.full(len(GRID), 1 / epsilon),
            threshold: threshold_error(GRID, level=single, epsilon=epsilon),
            alp: alp_error_among(GRID, entries, size=size, cap=cap, alpha=alpha, epsilon=epsilon),
            both: threshold_alp_exact_error(
                GRID, dimension=dimension, load=met, alpha=alpha, epsilon1=half, epsilon2=half
            ),
        }
        for curve, errors in curves.items():
            curve.set_data(GRID, errors)
        promises = [
            alp_expected_error(load=load, alpha=alpha, epsilon=epsilon) + np.maximum(0, GRID - cap),
            threshold_alp_expected_error(
                GRID, dimension=dimension, load=load, alpha=alpha, epsilon1=half, epsilon2=half
            ),
        ]
        for curve, name, promise in zip(bounds, words, promises, strict=True):
            curve.set_data(GRID, promise)
            name.set_position((0, promise[0]))
            name.set_visible(promise[0] < 85)
        end.set_xdata([cap] * 2)
        word.set_x(cap)
        measured = errors_of_three(
            VALUES,
            repeats=REPEATS,
            dimension=dimension,
            size=size,
            cap=cap,
            alpha=alpha,
            epsilon=epsilon,
            seed=seed,
        )
        hold = 0
        for artist, errors, curve in zip(dots, measured, (threshold, alp, both), strict=True):
            low, high = artist.place(VALUES, errors)
            exact = np.interp(VALUES, GRID, curves[curve])
            hold += np.count_nonzero((low <= exact) & (exact <= high)) * (curve is not threshold)
        largest = [
            alp_largest_estimate(cap=top, alpha=alpha, epsilon=part)
            for top, part in ((cap, epsilon), (level, half))
        ]
        told = promises[0][0], promises[1].max()
        empty = silent(told, largest)
        worst = GRID[curves[threshold].argmax()]
        return (
            f"ε = {epsilon:g}, α = {alpha:g}, s/k = {ratio}, d = {compact(dimension)}. Largest "
            f"expected error: Laplace {about(1 / epsilon)}, Threshold "
            f"{about(curves[threshold].max())} (x = {worst:g}), ALP "
            f"{about(curves[alp][GRID <= cap].max())} (bound {about(told[0])}{empty[0]}) up to cap "
            f"{cap}, Threshold-ALP {about(curves[both].max())} (bound {about(told[1])}{empty[1]}). "
            f"{hold} of the ALPs’ 24 intervals hold (23 expected)."
        )

    return update


def silent(bounds, largest):
    """What to add to each bound: one that the largest estimate does not exceed says nothing."""
    empty = [bound >= top for bound, top in zip(bounds, largest, strict=True)]
    if all(empty):
        return "", "; both say nothing"
    return [" says nothing" if it else "" for it in empty]
