"""Runs of the baselines beside the course's mechanisms: noise on a histogram, and OnlineIC."""

import functools
from dataclasses import replace
from math import comb

import numpy as np

from course_lib.lab.histograms import survey_marginals
from course_lib.lab.online_ic import survey_run
from course_lib.lab.profiles import profile_sample
from course_lib.lab.small_db import every_marginal
from course_lib.lab.threshold_alp import survey_estimates
from course_lib.linear_queries import fractions
from course_lib.online_ic import FRACTION
from course_lib.support.contracts import COUNT, OneOf, checked_numbers
from course_lib.support.products import one_thread_product

RUNS, LARGE_RUNS = 4_001, 41  # of noise on a small and on the largest histogram
NUMBERS = 2**21  # between them, about so many noises
PREDICATE_RUNS, LARGE_PREDICATE_RUNS = 2_001, 401  # up to 256 elements, and of more
ONLINE_RUNS = 11
MOST_ATTRIBUTES = 18  # of a histogram that is noised here
CLASSES = {"1 to 4": (1, 4), "5 to 19": (5, 19), "20 or more": (20, np.inf), "all": (1, np.inf)}
ENTRIES, TABLE = 10_000, 40_000  # what ALP is promised: k, and its table's s
CAP = 100  # ALP's β: no profile is said to have more rows
ALPHA = 3.0  # of ALP
_ATTRIBUTES = replace(COUNT, most=MOST_ATTRIBUTES)
_TOGETHER = 2**16  # noises, which stay in the processor's cache
_RELEASES = OneOf(["guess", "dense noise", "ALP", "Threshold", "Threshold-ALP"])


def guess_errors(attributes=8):
    """How far ½ to the power of |S| is from each marginal of the survey: no data are looked at."""
    _, histogram, queries = survey_marginals(attributes)
    return np.abs(queries.rows.mean(axis=1) - fractions(histogram, queries))


@functools.lru_cache(maxsize=1)
def errors_so_far():
    """With noise Lap(2) on 256 counts: the largest error of a count of the first 1, 2, … marginals.

    The noisy counts are taken as they are, so no data are needed. A row for each number of
    marginals, RUNS sorted errors in it.
    """
    smallest = survey_marginals(8)[2].rows.argmax(axis=1)  # has the attributes of S and no others
    noise = 2 * np.random.default_rng(0).laplace(size=(256, RUNS))
    errors = np.abs(every_marginal(noise)[smallest])
    return np.sort(np.maximum.accumulate(errors, axis=0), axis=1)


@checked_numbers(attributes=_ATTRIBUTES)
@functools.lru_cache(maxsize=16)
def errors_by_order(attributes):
    """The same for all marginals of at most 1, 2, … of so many attributes, a row for each order.

    From RUNS of few attributes to LARGE_RUNS of many.
    """
    size = 2**attributes
    order = sum(np.arange(size) >> bit & 1 for bit in range(attributes))
    by_order = np.argsort(order, kind="stable")
    first = np.searchsorted(order[by_order], np.arange(1, attributes + 1))
    runs, together = max(LARGE_RUNS, min(RUNS, NUMBERS // size)), max(1, _TOGETHER // size)
    rng, largest = np.random.default_rng(attributes), np.empty((attributes, runs))
    for start in range(0, runs, together):
        noise = 2 * rng.laplace(size=(size, min(together, runs - start)))
        errors = np.abs(every_marginal(noise))[by_order]
        largest[:, start : start + together] = np.maximum.reduceat(errors, first)
    return np.sort(np.maximum.accumulate(largest), axis=1)


@checked_numbers(attributes=_ATTRIBUTES)
def marginals_up_to(attributes):
    """How many marginals of at most 1, 2, … attributes there are."""
    return np.cumsum([comb(attributes, order) for order in range(1, attributes + 1)])


@checked_numbers(universe_size=replace(COUNT, most=1024))
@functools.lru_cache(maxsize=16)
def predicate_errors(universe_size):
    """With noise Lap(1) on each count: the largest error of 10, 100 and 1,000 random predicates.

    A row that comes or goes moves one count by 1. PREDICATE_RUNS sorted errors for each number,
    LARGE_PREDICATE_RUNS with more than 256 elements.
    """
    runs = PREDICATE_RUNS if universe_size <= 256 else LARGE_PREDICATE_RUNS
    rng = np.random.default_rng(universe_size)
    rows = rng.integers(2, size=(1000, universe_size)).astype(float)
    noise = rng.laplace(size=(universe_size, runs))
    errors = np.abs(one_thread_product(rows, noise))
    return np.sort([errors[:size].max(axis=0) for size in (10, 100, 1000)], axis=1)


@checked_numbers(alpha=FRACTION)
@functools.lru_cache(maxsize=256)
def online_ic_errors(*, cutoff=None, alpha):
    """The largest error of OnlineIC on the survey's 255 marginals at ε = 1, ONLINE_RUNS times.

    Sorted. A cutoff of None is that of the theorem.
    """
    n, asked = int(survey_marginals(8)[1].sum()), {"num_queries": 255, "epsilon": 1.0}
    runs = (
        survey_run(8, "all marginals", n=n, cutoff=cutoff, alpha=alpha, seed=seed, **asked)
        for seed in range(ONLINE_RUNS)
    )
    return np.sort([run.errors.max() for run in runs])


@checked_numbers(mechanism=_RELEASES, kind=OneOf(CLASSES))
def column_errors(mechanism, *, codes, kind, epsilon, seed):
    """The errors of the counts of a kind in CLASSES on the survey's profiles, and the bytes.

    “guess” says 0 everywhere, “dense noise” has a float for each of d counts: too many to store,
    so what is measured is noise on the counts that are looked up, which has the same law.
    """
    (_, _, dimension), (_, counts), _ = profile_sample(codes)
    low, high = CLASSES[kind]
    chosen = (counts >= low) & (counts <= high)
    if mechanism == "guess":
        return counts[chosen].astype(float), 0
    if mechanism == "dense noise":
        noise = np.random.default_rng([seed, 1]).laplace(scale=1 / epsilon, size=len(counts))
        return np.abs(noise[chosen]), 8 * dimension
    found, _, size = survey_estimates(
        mechanism, codes=codes, sparsity=ENTRIES, size=TABLE, cap=CAP, alpha=ALPHA,
        epsilon=epsilon, neighbours="l1", seed=seed,
    )  # fmt: skip
    return np.abs(found - counts)[chosen], size
