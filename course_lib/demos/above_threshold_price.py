"""The figures of notebook 01 on the price: the error that k queries and the loss that ⊥ bring."""

import numpy as np

from course_lib.above_threshold import above_threshold_alpha
from course_lib.demos.above_threshold import TRIALS
from course_lib.demos.drawing import (
    ADVANCED,
    BASIC,
    EXACT,
    MEASURED,
    THEOREM,
    bars,
    line,
    place_bars,
)
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.above_threshold import late_above_loss
from course_lib.exact.family import member
from course_lib.exact.worst_stream import needed_alpha
from course_lib.lab.above_threshold import measured_late_losses
from course_lib.toolbox import advanced_per_run, laplace_alpha

QUERIES = np.unique(np.logspace(0, 12, 25).round())


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    num_queries=(nice(1, 10**12), 1000),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], 0.05),
    delta=([1e-12, 1e-9, 1e-6, 1e-3], 1e-6),
)
def alpha_against_queries(fig):
    """The error alpha needed for k queries: AboveThreshold against answering them all."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.7, 2e12), ylim=(1, 1e9))
    ax.set(xlabel="number of queries k", ylabel="error α needed")
    ax.set_xticks(10.0 ** np.arange(0, 13, 2))
    basic = line(ax, "Laplace, basic", BASIC)
    advanced = line(ax, "Laplace, advanced", ADVANCED)
    promised = line(ax, "Theorem 3.24", THEOREM)
    exact = line(ax, "exact", EXACT)
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    dots = ax.scatter([1] * 4, [1] * 4, s=60, c="k", zorder=5, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, num_queries, beta, delta):
        all_k = {"num_queries": QUERIES, "beta": beta}
        runs = advanced_per_run(runs=QUERIES, epsilon=epsilon, delta=delta)
        basic.set_data(QUERIES, laplace_alpha(**all_k, epsilon=epsilon / QUERIES))
        advanced.set_data(QUERIES, laplace_alpha(**all_k, epsilon=runs))
        promised.set_data(QUERIES, above_threshold_alpha(**all_k, epsilon=epsilon))
        row = member("above_threshold", cutoff=1, epsilon=epsilon)
        needed = needed_alpha(row, num_queries=QUERIES, beta=beta)
        exact.set_data(QUERIES, np.where(needed > 0, needed, np.nan))  # the axis is logarithmic
        here.set_xdata([num_queries] * 2)
        one = {"num_queries": num_queries, "beta": beta}
        per_run = advanced_per_run(runs=num_queries, epsilon=epsilon, delta=delta)
        stated = above_threshold_alpha(**one, epsilon=epsilon)
        enough = needed_alpha(row, num_queries=num_queries, beta=beta)
        each, all_of = (laplace_alpha(**one, epsilon=e) for e in (epsilon / num_queries, per_run))
        dots.set_offsets([(num_queries, alpha) for alpha in (each, all_of, stated, enough)])
        return (
            f"k = {compact(num_queries)}, ε = {epsilon:g}, β = {beta:g}: AboveThreshold asks for "
            f"α = {about(stated)} by the theorem and {about(enough)} in truth; answering every "
            f"query by the Laplace mechanism, {about(each)} (basic) or {about(all_of)} (advanced, "
            f"δ = {compact(delta)})."
        )

    return update


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    num_queries=(nice(1, 10**6), 10),
    threshold=(range(-10, 11), 0),
    seed=0,
)
def loss_against_answers(fig):
    """The exact privacy loss of ⊥, …, ⊥, ⊤ on two neighbouring streams, as a share of ε."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(0.8, 1.6e6), ylim=(0, 1.3))
    ax.set(xlabel="number of queries k (k − 1 times ⊥, then ⊤)", ylabel="privacy loss / ε")
    ax.axhline(1, label="promised", **THEOREM)
    exact = line(ax, "exact", EXACT)
    intervals = bars(ax)
    measured = line(ax, "measured, 95%", MEASURED)
    here = line(ax, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 10})
    fig.legend(loc="outside upper center", ncols=4, frameon=False)
    lengths = (*range(1, 13), 15, 20, 30, 50, 100, 200, 300, 500, 1_000, 10_000, 1_000_000)

    def update(*, epsilon, num_queries, threshold, seed):
        *curve, loss = late_above_loss(
            num_queries=(*lengths, num_queries), threshold=threshold, epsilon=epsilon
        )
        exact.set_data(lengths, np.divide(curve, epsilon))
        here.set_data([num_queries], [loss / epsilon])
        probes, ratio, low, high = measured_late_losses(
            threshold=threshold, trials=TRIALS, epsilon=epsilon, seed=seed
        )
        measured.set_data(probes, ratio / epsilon)
        place_bars(intervals, (probes, low / epsilon), (probes, high / epsilon))
        share = (
            f"{loss:.6f}, {loss / epsilon:.2%} of ε,"
            if loss < 0.99999 * epsilon
            else "just below ε"
        )
        return (
            f"ε = {epsilon:g}, T = {threshold}: {compact(num_queries - 1)} times ⊥ and then ⊤ has "
            f"a privacy loss of {share} on (0, …, 0, 1) against (1, …, 1, 0); the theorem "
            f"allows {epsilon:g}."
        )

    return update
