"""How often a mechanism of the family fails on the worst stream that its theorem allows."""

import functools
from dataclasses import replace

import numpy as np
from scipy.optimize.elementwise import find_root

from course_lib.exact.family import Variant
from course_lib.exact.integral import complement, log_within
from course_lib.support.contracts import NOT_NEGATIVE, ParameterError, checked_arrays, shown


@checked_arrays(alpha=NOT_NEGATIVE)
def failure(variant: Variant, *, num_queries, alpha):
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
    high = _high_values(variant, num_queries)
    low, high, alpha = np.broadcast_arrays(num_queries - high, high, alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant.redrawn:
            shorter, longer = low // high, low % high  # low values in a run; runs with one more
            if longer.any():
                both = np.broadcast_arrays([shorter, shorter + 1], alpha)
                each, more = _log_success(variant, both[0], 1, both[1])
                log_success = (high - longer) * each + np.where(longer == 0, 0.0, longer * more)
            else:
                log_success = high * _log_success(variant, shorter, 1, alpha)
        else:
            log_success = _log_success(variant, low, high, alpha)
        if variant.released == "fresh":
            log_success = log_success + high * log_within(alpha, variant.release_scale)
    return (0.0 - np.expm1(log_success))[()]


def _high_values(variant, num_queries):
    """How many values of the worst stream lie at T + alpha."""
    high = _cutoff(variant)
    if np.less(num_queries, high).any():
        raise ParameterError(
            f"num_queries must be at least the cutoff {shown(high)}, got {shown(num_queries)}"
        )
    if variant.released is None:
        high = np.minimum(high, np.ceil(num_queries / 2))
    return high


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


@checked_arrays
def alpha_exact(variant: Variant, *, num_queries, beta):
    """The smallest alpha whose failure probability on the worst stream is at most beta."""
    scales = [getattr(variant, scale) for scale in _SCALES]
    scales = [0.0 if scale is None else scale for scale in scales]

    def excess(alpha, num_queries, beta, cutoff, *scales):
        row = replace(variant, cutoff=cutoff, **dict(zip(_SCALES, scales, strict=True)))
        return np.log(_failure(row, num_queries, alpha) / beta)

    given = (np.asarray(x, dtype=float) for x in (num_queries, beta, _cutoff(variant), *scales))
    num_queries, beta, cutoff, *scales = np.broadcast_arrays(*given)
    # union bounds: of thresholds and queries each at most alpha / 2, of fresh numbers alpha
    answers, numbers = 2 * np.max(scales[:2], axis=0), scales[2] * (variant.released == "fresh")
    enough = answers * np.log(2 * (num_queries + cutoff) / beta)
    enough = np.maximum(enough, numbers * np.log(2 * cutoff / beta))
    # the numbers alone are within less than this too seldom
    least = -0.99 * numbers * np.log(-np.expm1(np.log1p(-beta) / cutoff))
    given = num_queries, beta, cutoff, *scales
    root = find_root(excess, (least, enough), args=given, tolerances=_TIGHT)
    # status -1: no change of sign, for even alpha = 0 fails with probability at most beta
    return np.where(root.status == -1, 0.0, root.x)[()]


_SCALES = ("threshold_scale", "query_scale", "release_scale")
_TIGHT = {"xrtol": 1e-13}


def worst_runs(variant, num_queries):
    """The worst stream as runs of -1, for T - alpha, and of 1, for T + alpha, and their lengths.

    A row that redraws its threshold has equal runs of -1 before each 1, others all -1 first.
    """
    high = int(_high_values(variant, num_queries))
    draws = high if variant.redrawn else 1
    shorter, longer = divmod(num_queries - high, draws)
    counts = [n for run in range(draws) for n in (shorter + (run < longer), high // draws)]
    there = np.array(counts) > 0
    return np.tile([-1.0, 1.0], draws)[there], np.array(counts)[there]


def unit_row(variant):
    """The row with its noise in units of the threshold's; only the cutoff and ratios are left.

    On the worst stream it fails at alpha / threshold_scale as the row itself does at alpha. Ratios
    have 12 digits, so that rows that differ by epsilon alone have the same unit row.
    """
    scales = {name: getattr(variant, name) for name in _SCALES}
    if any(np.ndim(scale) for scale in scales.values() if scale is not None):
        raise ParameterError(f"variant must have single numbers for scales, got {shown(variant)}")
    ratios = {
        name: None if scale is None else float(in_units(variant, scale))
        for name, scale in scales.items()
    }
    return replace(variant, **ratios)


def in_units(variant, alpha):
    """alpha over the scale of the threshold's noise, to 12 digits, as in unit_row."""
    mantissa, exponent = np.frexp(np.divide(alpha, variant.threshold_scale))
    return np.ldexp(np.round(mantissa, 12), exponent)


@checked_arrays(alpha=NOT_NEGATIVE)
def failure_curve(variant: Variant, *, num_queries, alpha):
    """`failure` to 10 digits, remembered: the same row at another epsilon takes no time."""
    row = unit_row(variant)
    queries, ratios = np.broadcast_arrays(num_queries, in_units(variant, alpha))
    found = _kept_failure(row, tuple(queries.ravel().tolist()), tuple(ratios.ravel().tolist()))
    return np.reshape(found, ratios.shape)[()]


@functools.lru_cache(maxsize=64)
def _kept_failure(row, num_queries, alpha):
    return tuple(failure(row, num_queries=num_queries, alpha=alpha))


@checked_arrays
def needed_alpha(variant: Variant, *, num_queries, beta):
    """`alpha_exact` to 10 digits, remembered likewise."""
    row = unit_row(variant)
    queries, betas = np.broadcast_arrays(num_queries, beta)
    found = _kept_alpha(row, tuple(queries.ravel().tolist()), tuple(betas.ravel().tolist()))
    return np.multiply(variant.threshold_scale, np.reshape(found, betas.shape))[()]


@functools.lru_cache(maxsize=64)
def _kept_alpha(row, num_queries, beta):
    return tuple(alpha_exact(row, num_queries=num_queries, beta=beta))
