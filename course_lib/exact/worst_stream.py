"""How often a mechanism of the family fails on the worst stream that its theorem allows."""

from dataclasses import replace

import numpy as np
from scipy.optimize.elementwise import find_root

from course_lib.exact.integral import complement, log_within
from course_lib.support.contracts import ParameterError, checked


@checked
def failure(variant, *, num_queries, alpha):
    """Exact probability of not being alpha-accurate on the worst stream the theorem allows.

    That stream has `cutoff` values at T + alpha, equal runs at T - alpha before each, the last at
    query `num_queries`; rows that release no numbers have at most half of them, rounded up, high.
    It is a limit: the theorem's low values lie strictly below T - alpha, and only a value above
    T + alpha must get its ⊤. Where numbers are released, one that is off by more than alpha is a
    failure too. Notebook 01 proves that no stream is worse for AboveThreshold, notebook 02 for
    Sparse and NumericSparse, notebook 03 for Lecture 11; there, with fresh numbers, their noise is
    to be within alpha in place of the query's. With one threshold for all and no numbers, h high
    values succeed with probability E[G^(k - h) H^h], which is log-convex in h and the same for h
    and k - h.
    """
    return _failure(variant, num_queries, alpha)


def _failure(variant, num_queries, alpha):
    high = _cutoff(variant)
    if np.less(num_queries, high).any():
        raise ParameterError(f"num_queries must be at least the cutoff {high}, got {num_queries!r}")
    queries = np.asarray(num_queries, dtype=float)
    if variant.released is None:
        high = np.minimum(high, np.ceil(queries / 2))
    low, high, alpha = np.broadcast_arrays(queries - high, high, np.asarray(alpha, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant.redrawn:
            shorter, longer = low // high, low % high  # low values in a run; runs with one more
            log_success = (high - longer) * _log_success(variant, shorter, 1, alpha)
            if longer.any():
                more = longer * _log_success(variant, shorter + 1, 1, alpha)
                log_success = log_success + np.where(longer == 0, 0.0, more)
        else:
            log_success = _log_success(variant, low, high, alpha)
        if variant.released == "fresh":
            log_success = log_success + high * log_within(alpha, variant.release_scale)
    return (0.0 - np.expm1(log_success))[()]


def _cutoff(variant):
    if variant.cutoff is None:
        raise ParameterError(f"{variant.name} has no cutoff, and so no worst stream of this kind")
    return variant.cutoff


def _log_success(variant, low, high, alpha):
    """ln Pr[⊥ to `low` values at T - alpha and ⊤ to `high` at T + alpha] with one threshold."""
    gaps = np.stack([-alpha, alpha], axis=-1)
    counts = np.stack([low, np.full_like(low, high)], axis=-1)
    within = alpha if variant.released == "same" else None
    fails = complement(variant, gaps, counts, np.array([True, False]), within)
    return np.log1p(-np.minimum(fails, 1.0))


@checked
def alpha_exact(variant, *, num_queries, beta):
    """The smallest alpha whose failure probability on the worst stream is at most beta."""
    scales = [getattr(variant, scale) for scale in _SCALES]
    scales = [0.0 if scale is None else scale for scale in scales]

    def excess(alpha, num_queries, beta, cutoff, *scales):
        row = replace(variant, cutoff=cutoff, **dict(zip(_SCALES, scales, strict=True)))
        return np.log(_failure(row, num_queries, alpha) / beta)

    given = (np.asarray(x, dtype=float) for x in (num_queries, beta, _cutoff(variant), *scales))
    num_queries, beta, cutoff, *scales = np.broadcast_arrays(*given)
    # a union bound over every draw of noise, each at most alpha / 2
    enough = 2 * np.max(scales, axis=0) * np.log((num_queries + 2 * cutoff) / beta)
    bracket = np.zeros_like(enough), enough
    given = num_queries, beta, cutoff, *scales
    root = find_root(excess, bracket, args=given, tolerances=_TIGHT)
    # status -1: no change of sign, for even alpha = 0 fails with probability at most beta
    return np.where(root.status == -1, 0.0, root.x)[()]


_SCALES = ("threshold_scale", "query_scale", "release_scale")


_TIGHT = {"xrtol": 1e-13}
