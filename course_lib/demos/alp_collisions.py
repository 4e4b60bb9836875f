"""The figure of notebook 08 on collisions: what a small table costs."""

import functools

import numpy as np
from scipy.stats import t as student

from course_lib.alp import alp_expected_error, alp_levels, alp_projection, alp_zero_error
from course_lib.demos.alp_price import HUGE, MARK, table_size
from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, bars, line, place_bars
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import walk_law
from course_lib.support.contracts import ParameterError

MOST_LEVELS = 20
RATIOS = [2.05, 2.1, 2.2, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0, 100.0]
SMOOTH = 2 * np.geomspace(1.01, 55, 100)
MEASURED_AT = [2.2, 40.0]  # and where the slider is
ZEROS = 300  # looked up in each release
RELEASES = 6
FEWEST = 5  # entries at half the cap in each release: the mean of fewer says little


def mean_interval(samples):
    """The mean of independent samples, and half the length of its 95% interval (Student's t)."""
    spread = np.std(samples, axis=0, ddof=1) / np.sqrt(len(samples))
    return np.mean(samples, axis=0), student.ppf(0.975, len(samples) - 1) * spread


def split(number):
    """How many of the entries are at the cap, and how many at half of it: a tenth, at least 1."""
    half = max(1, number // 10)
    return number - half, half


def misled(scaled, levels, number, sizes):
    """For each size, the chances that the bits of a zero are 1; then of an entry at half the cap.

    `scaled` is the cap in steps of alpha. An entry reaches a level by its random rounding, and with
    fully random hash functions each of the others sets a given bit with probability 1/size. The
    entry at half the cap comes twice: rounded down and rounded up.
    """
    at = np.arange(levels)
    full, half = (np.clip(top - at, 0, 1) for top in (scaled, scaled / 2))
    top, tenth = split(number)
    shape = np.asarray(sizes)[:, None]
    clear = (1 - full / shape) ** top * (1 - half / shape) ** (tenth - 1)
    zero = 1 - clear * (1 - half / shape)
    reached = np.array([at < np.floor(scaled / 2), at < np.floor(scaled / 2) + 1])
    return zero, np.where(reached[:, None], 1, 1 - clear)


@functools.lru_cache(512)
def exact_errors(scaled, levels, alpha, number, sizes):
    """Expected errors, times epsilon, of a zero and of an entry at half the cap, for each size."""
    flip = 1 / (alpha + 2)
    zero, (down, up) = misled(scaled, levels, number, sizes)
    set_chances = np.stack([zero, down, up])
    averages, law = walk_law(flip + set_chances * (1 - 2 * flip))
    of_zero = law[0] @ averages
    share = scaled / 2 % 1
    of_half = ((1 - share) * law[1] + share * law[2]) @ np.abs(averages - scaled / 2)
    return alpha * of_zero, alpha * of_half


@functools.lru_cache(512)
def measured_errors(sparsity, size, number, alpha, epsilon, cap, seed):
    """Mean errors, times epsilon, in real releases: of zeros, of entries at half the cap."""
    rng = np.random.default_rng(seed)
    values = np.repeat([cap, cap / 2], split(number))
    tenth, rows = split(number)[1], []
    for _ in range(RELEASES):
        places = rng.choice(HUGE, number + ZEROS, replace=False)
        release = alp_projection(
            places[:number],
            values,
            dimension=HUGE,
            sparsity=sparsity,
            size=size,
            cap=cap,
            alpha=alpha,
            epsilon=epsilon,
            rng=rng,
        )
        estimates = release.estimate(places[number - tenth :])
        of_half = np.abs(estimates[:tenth] - cap / 2).mean()
        rows.append([estimates[tenth:].mean(), of_half])
    mean, half = mean_interval(np.array(rows))
    return epsilon * mean, epsilon * half


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
        number = max(1, round(given * sparsity))
        here = table_size(sparsity, ratio)
        sizes = sorted({here, *(table_size(sparsity, r) for r in RATIOS)})
        theorems = alp_zero_error, alp_expected_error
        scaled = cap * epsilon / alpha
        exact = exact_errors(scaled, levels, alpha, number, tuple(sizes))
        seen = sorted({here, *(table_size(sparsity, r) for r in MEASURED_AT)})
        parameters = (number, alpha, epsilon, cap, seed)
        means, halves = zip(*(measured_errors(sparsity, s, *parameters) for s in seen), strict=True)
        ends = alpha * levels, alpha * max(levels - scaled / 2, scaled / 2)
        words, idle, most_entries = [], [], max(number, sparsity)
        for i, (bound, curve, most, intervals, dots, mark) in enumerate(curves):
            bound.set_data(SMOOTH, theorems[i](load=1 / SMOOTH, alpha=alpha, epsilon=1.0))
            curve.set_data(np.array(sizes) / sparsity, exact[i])
            most.set_data([2, 115], [ends[i]] * 2)
            x, y, half = np.array(seen) / sparsity, np.array(means)[:, i], np.array(halves)[:, i]
            real = exact[i][np.searchsorted(sizes, seen)]
            vague = (half < 1e-9) & (np.abs(y - real) > 1e-9)  # all look-ups miss what is rare
            vague |= i == 1 and split(number)[1] < FEWEST
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
        hit = misled(scaled, levels, number, [here])[0][0, 0]
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
