"""The figure of notebook 08 on collisions: what a small table costs."""

import numpy as np

from course_lib.alp import alp_expected_error, alp_levels, alp_zero_error
from course_lib.demos.alp_price import MARK, table_size
from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, bars, line, place_bars
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import alp_error_among, alp_largest_estimate, collision_probabilities
from course_lib.lab.alp import crowded_errors, crowded_values
from course_lib.lab.confidence import student_interval
from course_lib.support.contracts import ParameterError

MOST_LEVELS = 20
RATIOS = [2.05, 2.1, 2.2, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0, 100.0]
SMOOTH = 2 * np.geomspace(1.01, 55, 100)
MEASURED_AT = [2.2, 40.0]  # and where the slider is
ZEROS = 300  # looked up in each release
RELEASES = 6
FEWEST = 5  # entries at half the cap in each release: the mean of fewer says little


def width(half):
    """Half an interval, with three decimals at most: a sentence has no room for more."""
    return f"{half:.3f}".rstrip("0") if 0.001 <= half < 0.1 else about(half)


def idle_words(idle):
    """Whether the bounds, of a zero and then of β/2, are above the largest possible error.

    That of β/2 is if that of a zero is: the bound is larger, and the largest error smaller.
    """
    if len(idle) == 2 and idle[1]:
        return " (both say nothing)" if idle[0] else " (says nothing)"
    return ""


@demo(
    ratio=([2.05, 2.1, 2.2, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0], 10.0),
    given=([0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0], 1.0),
    sparsity=([10, 20, 30, 50, 100, 200, 300], 100),
    alpha=(nice(1.5, 20.0), 3.0),
    epsilon=(nice(0.1, 2.0), 1.0),
    cap=(nice(2, 60), 30),
    seed=0,
    size=(7.2, 4.1),
)
def collisions_against_size(fig):
    """Expected error against s/k: what is promised, what collisions cost, what is possible."""
    panes = fig.subplots(1, 2, sharey=True)
    for ax, title in zip(panes, ("an entry of 0", "an entry of β/2"), strict=True):
        ax.set(xscale="log", yscale="log", xlim=(1.85, 115), ylim=(0.2, 2000), title=title)
        ax.set_xlabel("size s/k")
        ax.axvspan(1, 2, color="0.85", linewidth=0)  # refused: s must be greater than 2k
        ax.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
        ax.set_xticks([], minor=True)
    panes[0].set_ylabel("expected error, times ε")
    curves = []
    for ax in panes:
        bound = line(ax, "bound, k entries", THEOREM)
        exact = line(ax, "exact", EXACT)
        most = line(ax, "largest possible", {"color": "0.35", "linestyle": ":"})
        intervals, dots = bars(ax), line(ax, "measured, 95%", MEASURED)
        mark = ax.axvline(10, **MARK, animated=True)
        curves.append((bound, exact, most, intervals, dots, mark))
    shown = [curves[0][i] for i in (0, 1, 4, 2)]
    fig.legend(handles=shown, loc="outside upper center", ncols=4, frameon=False, fontsize=11)

    def update(*, ratio, given, sparsity, alpha, epsilon, cap, seed):
        levels = int(alp_levels(cap=cap, alpha=alpha, epsilon=epsilon))
        if levels > MOST_LEVELS:
            raise ParameterError(
                f"cap · epsilon / alpha must be at most {MOST_LEVELS} levels in this picture, got "
                f"{levels}: cap = {cap:g}, epsilon = {epsilon:g}, alpha = {alpha:g}"
            )

        def measured(number, size):
            errors = crowded_errors(
                number,
                zeros=ZEROS,
                releases=RELEASES,
                sparsity=sparsity,
                size=size,
                cap=cap,
                alpha=alpha,
                epsilon=epsilon,
                seed=seed,
            )
            return student_interval(epsilon * errors)

        number = max(1, round(given * sparsity))
        here = table_size(sparsity, ratio)
        sizes = sorted({here, *(table_size(sparsity, r) for r in RATIOS)})
        theorems = alp_zero_error, alp_expected_error
        values = crowded_values(number, cap=cap)
        exact = [
            epsilon * alp_error_among(x, others, size=sizes, cap=cap, alpha=alpha, epsilon=epsilon)
            for x, others in ((0.0, values), (cap / 2, values[:-1]))
        ]
        seen = sorted({here, *(table_size(sparsity, r) for r in MEASURED_AT)})
        means, halves = zip(*(measured(number, s) for s in seen), strict=True)
        top = alp_largest_estimate(cap=cap, alpha=alpha, epsilon=epsilon)
        ends = epsilon * top, epsilon * max(top - cap / 2, cap / 2)
        words, idle, most_entries = [], [], max(number, sparsity)
        for i, (bound, curve, most, intervals, dots, mark) in enumerate(curves):
            bound.set_data(SMOOTH, theorems[i](load=1 / SMOOTH, alpha=alpha, epsilon=1.0))
            curve.set_data(np.array(sizes) / sparsity, exact[i])
            most.set_data([2, 115], [ends[i]] * 2)
            x, y, half = np.array(seen) / sparsity, np.array(means)[:, i], np.array(halves)[:, i]
            real = exact[i][np.searchsorted(sizes, seen)]
            vague = (half < 1e-9) & (np.abs(y - real) > 1e-9)  # all look-ups miss what is rare
            vague |= i == 1 and np.sum(values < cap) < FEWEST
            y = np.where(vague, np.nan, y)
            dots.set_data(x, y)
            place_bars(intervals, (x, np.maximum(y - half, 1e-3)), (x, y + half))
            mark.set_xdata([here / sparsity] * 2)
            promised = "no bound"
            if 2 * most_entries < here:  # the theorem holds for these, whatever was promised
                least = theorems[i](load=most_entries / here, alpha=alpha, epsilon=1.0)
                beyond = "for all " * (i == 0 and number > sparsity)
                idle.append(least > ends[i])
                promised = f"bound {beyond}{about(least)}{idle_words(idle)}"
            now, told = seen.index(here), "too few to measure"
            if not vague[now]:
                told = f"measured {about(y[now])} ± {width(half[now])}"
            words.append(f"{promised}, exact {about(real[now])}, {told}")
        hit = collision_probabilities(values, size=here, cap=cap, alpha=alpha, epsilon=epsilon)[0]
        others, load = f" ({number:,} given)", ""
        if number == sparsity:
            others, load = "", f"; k/s = {about(100 * sparsity / here)}%"
        return (
            f"k = {sparsity}{others}, s/k = {about(here / sparsity)}, α = {alpha:g}, "
            f"ε = {epsilon:g}, β = {cap:g}: m = {levels}. "
            f"First bit of a zero hit: {about(100 * hit)}%"
            f"{load}. Error·ε of 0: {words[0]}; of β/2: {words[1]}."
        )

    return update
