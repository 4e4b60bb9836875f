"""Noise on the histogram and no negative counts, for notebook 05: its largest error, simulated."""

import functools

import numpy as np
from scipy.stats import binom

from course_lib.demos.small_db_sample import workload
from course_lib.linear_queries import fractions
from course_lib.support.products import one_thread_product

DRAWS = 6_000
GRID = np.geomspace(0.3, 3e4, 40)  # ε·n, on which alone everything depends


@functools.cache
def unit_errors(queries):
    """The largest error at each ε·n of GRID in DRAWS runs, sorted; the same noise at each.

    A row that is replaced changes two counts by 1, so the noise is Lap(2/ε). What follows costs no
    privacy: negative counts are set to 0 and all divided by their sum, or are equal if all are 0.
    """
    histogram, rows = workload(queries)
    share, values = histogram / histogram.sum(), fractions(histogram, rows)
    noise = 2 * np.random.default_rng(0).laplace(size=(DRAWS, len(share)))
    errors, counts = np.empty((len(GRID), DRAWS)), np.empty_like(noise)
    for i in range(len(GRID)):
        np.divide(noise, GRID[i], out=counts)
        counts += share
        np.maximum(counts, 0, out=counts)
        counts[counts.sum(axis=1) == 0] = 1
        counts /= counts.sum(axis=1, keepdims=True)
        if len(rows) == 127:  # the worst subset has all elements of which there are too many
            errors[i] = np.abs(counts - share).sum(axis=1) / 2
        else:
            errors[i] = np.abs(one_thread_product(counts, np.transpose(rows)) - values).max(axis=1)
    return np.sort(errors)


def histogram_quantiles(queries, beta):
    """The (1−β)-error at each ε·n of GRID, and the ends of its 95% interval (order statistics)."""
    low, high = binom.ppf([0.025, 0.975], DRAWS, 1 - beta)
    ranks = np.ceil([(1 - beta) * DRAWS, low, high + 1]).astype(int)
    return unit_errors(queries)[:, ranks - 1].T


def between(errors, rates):
    """Errors at other ε·n than those of GRID: straight in logarithms, beyond its end as 1/(ε·n)."""
    inside = np.exp(np.interp(np.log(rates), np.log(GRID), np.log(errors)))
    return inside * np.minimum(1, GRID[-1] / rates)
