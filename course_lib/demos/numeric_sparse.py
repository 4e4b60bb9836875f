"""The figures of notebook 02 on failure; those on the survey and the price have their own files.

On the worst stream a failure depends on alpha / σ1 alone, σ1 the scale of the threshold noise, and
on the ratio of the scales, which is one number for δ = 0 and one for every δ > 0: so what costs
time is kept for rows with σ1 = 1.
"""

import functools

import numpy as np

from course_lib.demos.drawing import EXACT, THEOREM, MeasuredRates, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.family import Variant, member
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab.trials import run_trials
from course_lib.numeric_sparse import numeric_sparse_alpha, numeric_sparse_alpha_printed
from course_lib.support.contracts import ParameterError

BETA = 0.05
TRIALS = 2_000
PRINTED = THEOREM | {"linestyle": ":", "marker": "x"}


def probability(value, least=1e-300):
    """A probability as a sentence has it; what is too small for the arithmetic is below `least`."""
    return about(value) if value >= least else f"below {compact(least)}"


def promise(bound):
    return f"promises at most {about(max(bound, 1e-300))}" if bound < 1 else "promises nothing"


@functools.cache
def unit_row(cutoff, pure):
    """NumericSparse with σ1 = 1, for δ = 0 if pure, else for any δ > 0."""
    row = member("numeric_sparse", cutoff=cutoff, epsilon=0.1, delta=0.0 if pure else 1e-6)
    ratio = row.release_scale / row.threshold_scale
    return Variant("numeric_sparse", 1.0, 2.0, True, "fresh", cutoff, ratio)


def promised_beta(row, num_queries, alpha, *, printed=False):
    """Theorem 3.28 solved for beta: corrected, or as printed, which forgets the second term."""
    finding = 4 * row.cutoff * num_queries * np.exp(-alpha / (4 * row.threshold_scale))
    numbers = 2 * row.cutoff * np.exp(-alpha / row.release_scale)
    return np.minimum(1, finding if printed else np.maximum(finding, numbers))


@functools.lru_cache(64)
def failure_curve(cutoff, pure, num_queries):
    """Exact failure probabilities over alpha / σ1."""
    row = unit_row(cutoff, pure)
    enough = max(4 * np.log(4e9 * cutoff * num_queries), row.release_scale * np.log(2e9 * cutoff))
    ratios = np.append(0.01, np.geomspace(enough / 50, enough, 60))
    return ratios, failure(row, num_queries=num_queries, alpha=ratios)


@functools.lru_cache(256)
def needed_alpha(cutoff, pure, num_queries, beta):
    """The alpha / σ1 that is really needed."""
    return alpha_exact(unit_row(cutoff, pure), num_queries=num_queries, beta=beta)


def worst_stream(cutoff, num_queries):
    """Runs of equal queries, -1 or 1, and their lengths: equal runs of -1 before each of c 1s."""
    low, more = divmod(num_queries - cutoff, cutoff)
    counts = np.array([n for run in range(cutoff) for n in (low + (run < more), 1)])
    return np.tile([-1.0, 1.0], cutoff)[counts > 0], counts[counts > 0]


@functools.lru_cache(512)
def failures(cutoff, pure, num_queries, ratio, seed):
    """How many of TRIALS runs on the worst stream fail at alpha = ratio · σ1."""
    signs, counts = worst_stream(cutoff, num_queries)
    runs = run_trials(
        unit_row(cutoff, pure),
        ratio * signs,
        counts=counts,
        threshold=0.0,
        trials=TRIALS,
        rng=np.random.default_rng(seed),
    )
    right = runs.above == np.cumsum(counts)[signs > 0] - 1
    right &= abs(runs.numbers - ratio) <= ratio
    return TRIALS - np.count_nonzero(right.all(axis=1))


def check_long_enough(num_queries, cutoff):
    if num_queries < cutoff:
        raise ParameterError(
            f"k = {num_queries} is less than c = {cutoff}: the worst stream has c values above T, "
            "so k must be at least c"
        )


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    cutoff=([1, 2, 3, 5, 7, 10, 15, 20, 30, 50], 10),
    num_queries=(nice(1, 10**12), 1000),
    delta=([0.0, 1e-12, 1e-9, 1e-6, 1e-3], 0.0),
    alpha=(nice(1.0, 10.0**6), 500.0),
    seed=0,
    size=(7.2, 4.4),
)
def sparse_failure_against_alpha(fig):
    """NumericSparse on its worst stream: the probability of failure promised, exact, measured."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(1, 1e6), ylim=(1e-7, 3))
    ax.set(xlabel="error α", ylabel="probability of failure")
    promised = line(ax, "Theorem 3.28", THEOREM)
    printed = line(ax, "printed (δ > 0)", PRINTED | {"markevery": 4})
    exact = line(ax, "exact", EXACT)
    measured = MeasuredRates(ax)
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, cutoff, num_queries, delta, alpha, seed):
        check_long_enough(num_queries, cutoff)
        at = {"cutoff": cutoff, "epsilon": epsilon, "delta": delta}
        row, pure = member("numeric_sparse", **at), delta == 0
        scale = row.threshold_scale
        ratios, curve = failure_curve(cutoff, pure, num_queries)
        exact.set_data(ratios * scale, curve)
        promised.set_data(ratios * scale, promised_beta(row, num_queries, ratios * scale))
        wrong = promised_beta(row, num_queries, ratios * scale, printed=True)
        printed.set_data(ratios * scale, np.nan * wrong if pure else wrong)
        probes = np.interp(-np.log([0.5, 0.05, 0.01]), -np.log(curve), ratios)
        probes = np.append(probes, alpha / scale)
        failed = np.array([failures(cutoff, pure, num_queries, p, seed) for p in probes])
        low, high = measured.place(probes * scale, failed, TRIALS)
        here.set_xdata([alpha] * 2)
        bound = promised_beta(row, num_queries, alpha)
        said = promise(bound)
        over = promised_beta(row, num_queries, alpha, printed=True)
        said += f" (printed: {probability(over)})" if over < bound else ""
        real = failure(row, num_queries=num_queries, alpha=alpha)
        ask = {"num_queries": num_queries, "beta": BETA, **at}
        stated, short = numeric_sparse_alpha(**ask), numeric_sparse_alpha_printed(**ask)
        asks = f"α = {about(stated)}" + (f" (printed: {about(short)})" if short < stated else "")
        enough = needed_alpha(cutoff, pure, num_queries, BETA) * scale
        return (
            f"k = {compact(num_queries)}, c = {cutoff}, ε = {epsilon:g}, δ = {compact(delta)}, "
            f"α = {compact(alpha)}: Theorem 3.28 {said}; it fails with probability "
            f"{probability(real)}, "
            f"measured {about(low[-1])} to {about(high[-1])}. For β = {BETA} it asks for {asks}; "
            f"{about(enough)} is enough."
        )

    return update


def lengths(cutoff):
    """The k on the axis: multiples of c, from c itself on, where nothing lies below T."""
    return cutoff * np.unique(np.geomspace(1, 1e12 / cutoff, 21).round())


def stated_ratios(cutoff, num_queries, beta):
    """α / σ1 that Theorem 3.28 states for δ > 0: as printed, and corrected."""
    row = unit_row(cutoff, False)
    printed = 4 * np.log(4 * cutoff * np.asarray(num_queries, dtype=float) / beta)
    return printed, np.maximum(printed, row.release_scale * np.log(2 * cutoff / beta))


def suffices_from(cutoff, beta):
    """The k from which the printed bound is proved: ½(2c/β)^(√8 − 1)."""
    return (2 * cutoff / beta) ** (np.sqrt(8) - 1) / 2


@functools.lru_cache(64)
def stated_curves(cutoff, beta):
    """For every k on the axis: both stated α over the α needed, and how often both fail."""
    k, row = lengths(cutoff), unit_row(cutoff, False)
    stated = np.array(stated_ratios(cutoff, k, beta))
    needed = alpha_exact(row, num_queries=k, beta=beta)
    return stated / needed, failure(row, num_queries=k, alpha=stated)


@demo(
    cutoff=([1, 2, 3, 5, 7, 10, 15, 20, 30, 50], 10),
    num_queries=(nice(1, 10**12), 100),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2], 0.05),
    seed=0,
    size=(7.2, 4.4),
)
def stated_against_needed(fig):
    """Theorem 3.28 for δ > 0, as printed and corrected, against what is needed, for k queries."""
    left, right = fig.subplots(1, 2)
    for ax in left, right:
        ax.set(xscale="log", xlim=(0.7, 2e12), xlabel="number of queries k")
        ax.set_xticks(10.0 ** np.arange(0, 13, 4))
    left.set(ylim=(0, 4), ylabel="α stated / α needed", title="below 1: too small")
    left.axhline(1, **EXACT)
    right.set(yscale="log", ylim=(1e-6, 1), ylabel="failure probability", title="at the stated α")
    promise = right.axhline(1, color="0.5", linewidth=1.5, label="β", animated=True)
    printed, corrected = (
        [line(ax, name, style) for ax in (left, right)]
        for name, style in (("printed", PRINTED), ("corrected", THEOREM))
    )
    measured = MeasuredRates(right)
    heres = [ax.axvline(1, color="0.5", linewidth=1, animated=True) for ax in (left, right)]
    cross = left.axvline(1, color="0.5", linewidth=1.5, linestyle=":", animated=True)
    handles = [promise, printed[0], corrected[0], measured.dots]
    fig.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)

    def update(*, cutoff, num_queries, beta, seed):
        check_long_enough(num_queries, cutoff)
        k = lengths(cutoff)
        for artists, *rows in zip((printed, corrected), *stated_curves(cutoff, beta), strict=True):
            for artist, y in zip(artists, rows, strict=True):
                artist.set_data(k, y)
        probes = np.array([num_queries, cutoff, 100 * cutoff, 10**4 * cutoff])
        ratios = stated_ratios(cutoff, probes, beta)[0]
        pairs = zip(probes.tolist(), ratios.tolist(), strict=True)
        failed = np.array([failures(cutoff, False, n, ratio, seed) for n, ratio in pairs])
        low, high = measured.place(probes, failed, TRIALS)
        promise.set_ydata([beta] * 2)
        for here in heres:
            here.set_xdata([num_queries] * 2)
        enough_from = suffices_from(cutoff, beta)
        cross.set_xdata([enough_from] * 2)
        row = unit_row(cutoff, False)
        stated = np.array(stated_ratios(cutoff, num_queries, beta))
        wrong, right_one = failure(row, num_queries=num_queries, alpha=stated)
        verdict = "broken" if wrong > beta else "kept"
        factor = stated[0] / needed_alpha(cutoff, False, num_queries, beta)
        return (
            f"c = {cutoff}, k = {compact(num_queries)}, any ε and δ > 0: the printed α is "
            f"{about(factor)} times what is needed and fails with probability {about(wrong)}, "
            f"measured {about(low[0])} to {about(high[0])}; promised {beta:g}: {verdict}. The "
            f"corrected one fails with {about(right_one)}. From k = "
            f"{np.ceil(enough_from):,.0f} on both are the same."
        )

    return update
