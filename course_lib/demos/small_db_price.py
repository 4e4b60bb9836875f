"""The figures of notebook 05 on the exact error: against lemma and theorem, and Laplace noise."""

import functools

import numpy as np
from scipy.special import softmax
from scipy.stats import binom

from course_lib.contracts import ParameterError
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
from course_lib.demos.lecture11_sparse import NO_USE
from course_lib.demos.numeric_sparse import probability
from course_lib.demos.small_db_laplace import BETAS, DELTAS, laplace_rows
from course_lib.demos.small_db_sample import survey
from course_lib.linear_queries import all_predicates
from course_lib.small_db import (
    scored,
    small_db_error,
    small_db_error_printed,
    small_db_n,
    small_db_n_printed,
    small_db_size,
)

ROWS = np.unique(np.geomspace(5, 1e5, 300).round())
WIDE = np.unique(np.geomspace(3, 3e5, 300).round())
ENDS, DOTS = np.array([3.0, 3e5]), np.geomspace(10, 1e5, 9)
DRAWS = 20_000
WORKLOADS = {"3 marginals": 2, "7 marginals": 3, "15 marginals": 4, "127 predicates": 3}
PRINTED = THEOREM | {"linestyle": ":", "linewidth": 1.5}
POINT = {"linestyle": "none", "markersize": 11, "markeredgecolor": "white"}
# carets with their tips on the line at α, one below it and one above
ASKED = POINT | {"color": THEOREM["color"], "marker": 6}
SCANNED = POINT | {"color": MEASURED["color"], "marker": 7}


def workload(queries):
    """Histogram and queries for the name of a set of queries on the survey's first attributes."""
    universe, histogram, all_marginals = survey(WORKLOADS[queries])
    return histogram, all_predicates(universe) if "predicates" in queries else all_marginals


@functools.lru_cache(128)
def error_levels(queries, alpha):
    """Every largest error that a database in R can have, increasing, and how many have it.

    Only the survey's proportions matter: a database of n rows has them, and n enters in the law.
    """
    errors = np.concatenate([errors for _, errors in scored(*workload(queries), alpha)])
    return np.unique(errors.round(12), return_counts=True)


def level_law(levels, counts, *, n, epsilon):
    """The probability of each level under SmallDB; with many n, a row for each."""
    rate = epsilon * np.asarray(n, float)[..., None] / 2
    return softmax(np.log(counts) - rate * (levels - levels[0]), axis=-1)


def exact_error(levels, counts, *, n, beta, epsilon):
    """The (1−β)-error: the smallest level that is exceeded with probability at most beta."""
    law = level_law(levels, counts, n=n, epsilon=epsilon)
    beyond = np.cumsum(law[..., ::-1], axis=-1)[..., ::-1] - law
    return levels[np.argmax(beyond <= beta, axis=-1)]


def enough_rows(levels, counts, *, alpha, beta, epsilon):
    """The smallest n from which on the (1−β)-error is at most alpha: more rows never harm it."""

    def fails(n):
        law = level_law(levels, counts, n=n, epsilon=epsilon)
        return law[levels > alpha + 1e-12].sum() > beta

    low, high = 0, 1
    while fails(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(middle) else (low, middle)
    return high


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    alpha=([0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0], 0.8),
    beta=(BETAS, 0.05),
    n=(nice(10, 10**5), 50),
    attributes=([2, 3], 3),
    size=(7.2, 4.3),
)
def error_against_rows(fig):
    """The largest error of SmallDB run with α/2, against the rows: exact, lemma and theorem."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(5, 1e5), ylim=(0, 1.5), yticks=np.arange(0, 1.6, 0.25))
    ax.set(
        xlabel="rows |D| = n, in the survey’s proportions, not rounded",
        ylabel="(1−β)-error, and its bounds",
    )
    ax.axhspan(1, 1.5, **NO_USE)
    ax.text(9e4, 1.25, "above 1: says nothing", va="center", ha="right", color="0.3")
    exact = line(ax, "exact", EXACT | {"drawstyle": "steps-post"})
    lemma = line(ax, "lemma", THEOREM)
    printed = line(ax, "lemma, printed", PRINTED)
    target = ax.axhline(0, color="0.5", linewidth=1, animated=True)
    name = ax.text(9e4, 0, "α", color="0.3", va="bottom", ha="right", animated=True)
    asked = line(ax, "theorem’s |D|", ASKED)
    scanned = line(ax, "scan’s |D|", SCANNED)
    here = line(ax, None, EXACT | {"marker": "o", "markersize": 9})
    fig.legend(loc="outside upper center", ncols=5, frameon=False, fontsize=11)

    def update(*, epsilon, alpha, beta, n, attributes):
        at = {"universe_size": 2**attributes, "num_queries": 2**attributes - 1}
        at |= {"beta": beta, "epsilon": epsilon}
        levels = error_levels(f"{at['num_queries']} marginals", alpha / 2)
        rows = np.union1d(ROWS, n)
        errors = exact_error(*levels, n=rows, beta=beta, epsilon=epsilon)
        exact.set_data(rows, errors)
        lemma.set_data(rows, small_db_error(n=rows, alpha=alpha / 2, **at))
        printed.set_data(rows, small_db_error_printed(n=rows, alpha=alpha / 2, **at))
        theorem, scan = (
            int(np.ceil(f(alpha=alpha, **at))) for f in (small_db_n, small_db_n_printed)
        )
        asked.set_data([theorem], [alpha])
        scanned.set_data([scan], [alpha])
        target.set_ydata([alpha] * 2)
        name.set_y(alpha)
        error = errors[rows == n][0]
        here.set_data([n], [error])
        bound, promise = (
            f(n=scan, alpha=alpha / 2, **at) for f in (small_db_error_printed, small_db_error)
        )
        worse = levels[0] > alpha + 1e-12
        chance = level_law(*levels, n=scan, epsilon=epsilon)[worse].sum()
        short = f" ({about(bound - alpha)} too much)" if bound > alpha else " ≤ α"
        fails = (
            f"exceeded with probability {probability(chance)}" if any(worse) else "never exceeded"
        )
        enough = enough_rows(*levels, alpha=alpha, beta=beta, epsilon=epsilon)
        since = f"from |D| = {enough:,} on" if enough > 1 else "at every |D|"
        return (
            f"ε = {epsilon:g}, β = {beta:g}, d = {attributes}; SmallDB with α/2 = "
            f"{alpha / 2:g}. For error α the theorem asks for |D| = {theorem:,}, the scan’s 6 for "
            f"{scan:,}: there the printed lemma gives {about(bound)}{short}, with ln|R| "
            f"{about(promise)}; α is {fails}. The exact (1−β)-error is {about(error)} at "
            f"n = {compact(n)}, and at most α {since}."
        )

    return update


@functools.cache
def unit_histogram_errors(queries):
    """The largest error in rows when each element's count gets noise Lap(1): DRAWS runs, sorted."""
    _, rows = workload(queries)
    noise = np.random.default_rng(0).laplace(size=(DRAWS, np.shape(rows)[1]))
    return np.sort(np.abs(noise @ np.asarray(rows).T).max(axis=1))


def histogram_rows(queries, *, beta, epsilon):
    """The (1−β)-error, times n, with noise on the histogram; and its 95% interval.

    A row that is replaced changes two counts by 1, so the noise is Lap(2/ε).
    """
    low, high = binom.ppf([0.025, 0.975], DRAWS, 1 - beta)
    ranks = np.ceil([(1 - beta) * DRAWS, low, high + 1]).astype(int)
    return 2 / epsilon * unit_histogram_errors(queries)[ranks - 1]


def better_from(error, least, other):
    """The n from which on other / n stays below SmallDB's error, which never falls below least."""
    n = int(other / least)  # beyond, other / n is smaller than any error; here it may be so too
    while n > 0 and error(n) > other / n:
        n = int(other / error(n))
    return n + 1


def worse_from(error, other):
    """The first n at which other / n is below SmallDB's error."""
    n = 1
    while error(n) <= other / n:
        n = int(other / error(n)) + 1
    return n


@demo(
    queries=(list(WORKLOADS), "7 marginals"),
    alpha=([0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], 0.6),
    epsilon=(nice(0.1, 5.0), 1.0),
    beta=(BETAS, 0.05),
    delta=(DELTAS, 1e-6),
    size=(7.2, 4.3),
)
def exact_comparison(fig):
    """The exact error of SmallDB and of Laplace noise, on answers and on the histogram."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(3, 3e5), ylim=(2e-3, 3))
    ax.set(xlabel="rows n, in the survey’s proportions, not rounded", ylabel="(1−β)-error")
    ax.axhspan(1, 3, **NO_USE)
    small = line(ax, "SmallDB", EXACT | {"drawstyle": "steps-post"})
    basic = line(ax, "Laplace, basic", BASIC)
    advanced = line(ax, "advanced", ADVANCED)
    intervals = bars(ax)
    noisy = line(ax, "noise on histogram", MEASURED | {"markersize": 5})
    stops = [Stop(ax, ":", "right"), Stop(ax, "-", "left")]
    fig.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=11)

    def update(*, queries, alpha, epsilon, beta, delta):
        number = len(workload(queries)[1])
        if queries in ("15 marginals", "127 predicates") and alpha < 0.6:
            raise ParameterError(
                f"alpha must be at least 0.6 for {queries} in this picture, got {alpha:g}: "
                "below, R has too many databases for a slider"
            )
        levels, counts = error_levels(queries, alpha)
        laplace = laplace_rows(number, beta=beta, epsilon=epsilon, delta=delta)
        other, low, high = histogram_rows(queries, beta=beta, epsilon=epsilon)

        @functools.cache
        def error(n):
            return exact_error(levels, counts, n=n, beta=beta, epsilon=epsilon)

        small.set_data(WIDE, exact_error(levels, counts, n=WIDE, beta=beta, epsilon=epsilon))
        for curve, rows in zip((basic, advanced), laplace, strict=True):
            curve.set_data(ENDS, rows / ENDS)
        noisy.set_data(DOTS, other / DOTS)
        place_bars(intervals, (DOTS, low / DOTS), (DOTS, high / DOTS))
        answers = better_from(error, levels[0], min(laplace))
        histogram = better_from(error, levels[0], high)
        for stop, n in zip(stops, (histogram, answers), strict=True):
            stop.place(n)
        best = worse_from(error, low) - 1
        kind = "basic" if laplace[0] <= laplace[1] else "advanced"
        size = small_db_size(num_queries=number, alpha=alpha)
        return (
            f"{queries}, α = {alpha:g}, ε = {epsilon:g}, β = {beta:g}, δ = {compact(delta)}: "
            f"SmallDB (m = {size}, |R| = {counts.sum():,}) is best up to n = {best:,}, with error "
            f"{about(error(best))}. Noise on the histogram, {about(other)}/n (95%: {about(low)} to "
            f"{about(high)}), is better from n = {histogram:,} on, Laplace answers ({kind}), "
            f"{about(min(laplace))}/n, from n = {answers:,} on: SmallDB cannot go below "
            f"{about(levels[0])}, the best in R."
        )

    return update


class Stop:
    """An upright line with its n at the foot, on one side."""

    def __init__(self, ax, style, side):
        self.line = ax.axvline(1, color="0.4", linewidth=1.2, linestyle=style, animated=True)
        place = {"va": "bottom", "ha": side, "fontsize": 11, "color": "0.3"}
        self.word = ax.text(1, 2.2e-3, "", **place, animated=True)

    def place(self, n):
        self.line.set_xdata([n] * 2)
        self.word.set(x=n, text=f" {n:,} ")
