"""Lecture 11's mechanism measured: how many runs fail on the worst stream of its theorems."""

import functools

import numpy as np

from course_lib.exact.family import member
from course_lib.exact.integral import log_cdf
from course_lib.lab.numeric_sparse import check_room
from course_lib.lab.own_mechanism import MOST_QUERIES, own_failures
from course_lib.lab.trials import laplace
from course_lib.support.contracts import NOT_NEGATIVES, ParameterError, checked_numbers, shown


@checked_numbers(alpha=NOT_NEGATIVES)
def lecture11_failures(
    mechanism, *, num_queries, n, cutoff, alpha, epsilon, delta=0.0, trials, seed
):
    """How many of `trials` runs fail at each alpha; a mechanism of None is the lecture's own.

    One of the reader's is asked at most 20 queries. Up to there it gets the lecture's noise, draw
    by draw; beyond, the low values of a run share a clock, as in lab.trials.
    """
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
    counts = np.ravel(alpha) * n
    if mechanism is None and num_queries > MOST_QUERIES:
        check_room(trials, cutoff)
        if num_queries < cutoff:
            raise ParameterError(
                f"num_queries must be at least the cutoff {cutoff}, got {shown(num_queries)}"
            )
        return np.array([_failures(row, num_queries, each, trials, seed) for each in counts])
    run = functools.partial(
        of_counts(mechanism, n), threshold=0.0, cutoff=cutoff, epsilon=epsilon, delta=delta
    )
    return own_failures(
        mechanism and run, row, num_queries=num_queries, alpha=counts, trials=trials, seed=seed
    )


def of_counts(mechanism, n):
    """A mechanism for fractions of n rows as one for counts: all is n times as large."""

    def counting(data, queries, *, threshold, **parameters):
        fractions = (lambda data, query=query: query(data) / n for query in queries)
        for answer in mechanism(data, fractions, n=n, threshold=threshold / n, **parameters):
            yield n * answer if isinstance(answer, float) else answer

    return counting


def _failures(row, num_queries, alpha, trials, seed):
    shift, clock, lowest, highest = _unit_runs(trials, row.cutoff, seed)
    shift, lowest, highest = (
        row.threshold_scale * shift,
        row.query_scale * lowest,
        row.query_scale * highest,
    )
    hazard = -log_cdf((shift + alpha) / row.query_scale)  # of a number for a low value
    early = clock < (num_queries - row.cutoff) * hazard
    return np.count_nonzero(
        early | (lowest < np.maximum(shift - alpha, -alpha)) | (highest > alpha)
    )


@functools.lru_cache(maxsize=4)
def _unit_runs(trials, cutoff, seed):
    """Of each run: the threshold's noise, a clock, the extremes of the high values' noise."""
    rng = np.random.default_rng(seed)
    shift, clock = laplace(rng, 1.0, np.empty(trials)), rng.standard_exponential(trials)
    noise = laplace(rng, 1.0, np.empty((cutoff, trials)))
    return shift, clock, noise.min(axis=0), noise.max(axis=0)
