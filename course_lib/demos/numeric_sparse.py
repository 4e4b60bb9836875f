"""The figures of notebook 02 on failure; those on the survey and the price have their own files."""

import numpy as np

from course_lib.demos.drawing import EXACT, THEOREM, MeasuredRates, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.family import member
from course_lib.exact.worst_stream import failure, failure_curve, needed_alpha
from course_lib.lab.trials import failures
from course_lib.numeric_sparse import (
    numeric_sparse_alpha,
    numeric_sparse_alpha_printed,
    numeric_sparse_beta,
    numeric_sparse_beta_printed,
    numeric_sparse_printed_from,
)
from course_lib.support.contracts import ParameterError

BETA = 0.05
TRIALS = 2_000
EPSILON, DELTA = 0.1, 1e-6  # of stated_against_needed, where any would do
PRINTED = THEOREM | {"linestyle": ":", "marker": "x"}


def probability(value, least=1e-300):
    """A probability as a sentence has it; what is too small for the arithmetic is below `least`."""
    return about(value) if value >= least else f"below {compact(least)}"


def promise(bound):
    return f"promises at most {about(max(bound, 1e-300))}" if bound < 1 else "promises nothing"


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
        at = {"num_queries": num_queries, "cutoff": cutoff, "epsilon": epsilon, "delta": delta}
        row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
        most = numeric_sparse_alpha(**at, beta=1e-9)
        alphas = np.append(0.01 * row.threshold_scale, np.geomspace(most / 50, most, 60))
        curve = failure_curve(row, num_queries=num_queries, alpha=alphas)
        exact.set_data(alphas, curve)
        promised.set_data(alphas, numeric_sparse_beta(**at, alpha=alphas))
        wrong = numeric_sparse_beta_printed(**at, alpha=alphas)
        printed.set_data(alphas, wrong if delta > 0 else np.nan * wrong)
        probes = np.interp(-np.log([0.5, 0.05, 0.01]), -np.log(curve), alphas)
        probes = np.append(probes, alpha)
        failed = failures(row, num_queries=num_queries, alpha=probes, trials=TRIALS, seed=seed)
        low, high = measured.place(probes, failed, TRIALS)
        here.set_xdata([alpha] * 2)
        bound = numeric_sparse_beta(**at, alpha=alpha)
        said = promise(bound)
        over = numeric_sparse_beta_printed(**at, alpha=alpha)
        said += f" (printed: {probability(over)})" if over < bound else ""
        real = failure(row, num_queries=num_queries, alpha=alpha)
        stated = numeric_sparse_alpha(**at, beta=BETA)
        short = numeric_sparse_alpha_printed(**at, beta=BETA)
        asks = f"α = {about(stated)}" + (f" (printed: {about(short)})" if short < stated else "")
        enough = needed_alpha(row, num_queries=num_queries, beta=BETA)
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


def stated_alphas(num_queries, *, cutoff, beta):
    """What Theorem 3.28 states as printed and corrected; over α needed, the same for any δ > 0."""
    return [
        theorem(num_queries=num_queries, cutoff=cutoff, beta=beta, epsilon=EPSILON, delta=DELTA)
        for theorem in (numeric_sparse_alpha_printed, numeric_sparse_alpha)
    ]


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
        row = member("numeric_sparse", cutoff=cutoff, epsilon=EPSILON, delta=DELTA)
        k = lengths(cutoff)
        needed = needed_alpha(row, num_queries=k, beta=beta)
        stated = stated_alphas(k, cutoff=cutoff, beta=beta)
        for artists, alpha in zip((printed, corrected), stated, strict=True):
            artists[0].set_data(k, alpha / needed)
            artists[1].set_data(k, failure_curve(row, num_queries=k, alpha=alpha))
        probes = np.array([num_queries, cutoff, 100 * cutoff, 10**4 * cutoff])
        alpha = stated_alphas(probes, cutoff=cutoff, beta=beta)[0]
        failed = failures(row, num_queries=probes, alpha=alpha, trials=TRIALS, seed=seed)
        low, high = measured.place(probes, failed, TRIALS)
        promise.set_ydata([beta] * 2)
        for here in heres:
            here.set_xdata([num_queries] * 2)
        enough_from = numeric_sparse_printed_from(cutoff=cutoff, beta=beta)
        cross.set_xdata([enough_from] * 2)
        stated = stated_alphas(num_queries, cutoff=cutoff, beta=beta)
        wrong, right_one = failure(row, num_queries=num_queries, alpha=stated)
        verdict = "broken" if wrong > beta else "kept"
        factor = stated[0] / needed_alpha(row, num_queries=num_queries, beta=beta)
        return (
            f"c = {cutoff}, k = {compact(num_queries)}, any ε and δ > 0: the printed α is "
            f"{about(factor)} times what is needed and fails with probability {about(wrong)}, "
            f"measured {about(low[0])} to {about(high[0])}; promised {beta:g}: {verdict}. The "
            f"corrected one fails with {about(right_one)}. From k = "
            f"{np.ceil(enough_from):,.0f} on both are the same."
        )

    return update
