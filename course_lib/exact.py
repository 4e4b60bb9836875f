"""Exact probabilities for the whole sparse-vector family, from one integral.

Given the threshold noise z, the answers are independent, so with gaps d = value - threshold

    Pr[transcript] = ∫ p(z) · ∏ F(z - d)^count over the ⊥ · ∏ S(z - d) over the ⊤ dz,

p the density of the threshold noise, F and S = 1 - F of the query noise: one factor such as this
for each draw of the threshold. A released number adds a density; with the same noise, z <= a - T.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize.elementwise import find_root

from course_lib.contracts import ParameterError, checked, shown
from course_lib.integral import complement, first_above, log_density, log_integral
from course_lib.variants import ABOVE, BELOW


@checked
def log_probability(variant, values, transcript, *, threshold, counts=None):
    """ln Pr[transcript], or its log density where numbers are released.

    The last axis of `values` holds the runs of the stream, `counts` their lengths (1 if not given)
    and `transcript` one answer per run: BELOW, ABOVE or a released number, the last two only for
    runs of length 1. Leading axes, also of `threshold`, are points of a curve.
    """
    values, threshold = as_stream(values), np.asarray(threshold, dtype=float)
    counts = np.ones_like(values) if counts is None else np.asarray(counts, dtype=float)
    gaps, counts = np.broadcast_arrays(values - threshold[..., None], counts)
    _check_transcript(variant, counts, transcript)
    log_total = 0.0
    for segment in _segments(variant, transcript):
        compared, ceiling = [], np.inf
        for run in segment:
            answer = transcript[run]
            same = variant.released == "same"
            if _is_number(answer):
                scale = variant.query_scale if same else variant.release_scale
                log_total = log_total + log_density(answer - values[..., run], scale)
            if _is_number(answer) and same:
                ceiling = np.minimum(ceiling, answer - threshold)
            else:
                compared.append(run)
        below = np.array([transcript[run] is BELOW for run in compared], dtype=bool)
        log_total = log_total + log_integral(
            variant, *_merged(gaps[..., compared], counts[..., compared], below), ceiling
        )
    return log_total[()]


@checked
def exact_loss(variant, values, neighbour, transcript, *, threshold, counts=None):
    """ln(Pr[transcript on values] / Pr[transcript on neighbour]); 0 where both are impossible."""
    here, there = (
        log_probability(variant, stream, transcript, threshold=threshold, counts=counts)
        for stream in (values, neighbour)
    )
    with np.errstate(invalid="ignore"):
        return np.where(here == there, 0.0, here - there)[()]


@checked
def first_above_law(variant, values, *, threshold):
    """Exact probability that the first ABOVE is at query i, for each i, and, last, that none is."""
    return first_above(variant, as_stream(values) - threshold)


def as_stream(values):
    """The values as an array whose last axis is the stream."""
    if np.ndim(values) == 0:
        raise ParameterError(f"values must be a list of numbers, got {shown(values)}")
    return np.asarray(values, dtype=float)


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
            log_success = log_success + high * _log_within(alpha, variant.release_scale)
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


def _log_within(alpha, scale):
    """ln Pr[|Lap(scale)| <= alpha]."""
    return np.log1p(-np.exp(-alpha / scale))


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


@checked
def wrong_answer(variant, values, *, threshold, alpha):
    """Exact probability that some answer to this stream is off by more than alpha.

    For rows that redraw the threshold, so that each ABOVE begins anew; alpha may be an array. To
    halt before the end of the stream is not counted as wrong here. Within 1e-12.
    """
    if not variant.redrawn or variant.released == "same":
        raise ParameterError(f"{variant.name} must redraw its threshold and its noise")
    if np.ndim(threshold):
        raise ParameterError(f"threshold must be a single number, got {shown(threshold)}")
    values, alpha = as_stream(values), np.asarray(alpha, dtype=float)[..., None]
    size = len(values)
    law = np.zeros((size, size + 1))  # of the place of the next ⊤ for a start at each place
    for start in range(size):
        law[start, start:] = first_above_law(variant, values[start:], threshold=threshold)
    missed = np.cumsum(values > threshold + alpha, axis=-1)
    missed = np.concatenate([np.zeros_like(missed[..., :1]), missed], axis=-1)
    right = missed[..., :-1, None] == missed[..., None, :]  # each ⊥ from start to the next ⊤
    right[..., :-1] &= (values >= threshold - alpha)[..., None, :]
    if variant.released == "fresh":
        with np.errstate(divide="ignore"):
            law = law * np.ones((*alpha.shape, 1))
            law[..., :-1] *= np.exp(_log_within(alpha, variant.release_scale))[..., None]
    step = law * right
    # of success from each place on, with ever more ABOVE left; at the end there is nothing to fear
    success = np.ones((*alpha.shape[:-1], size + 1))
    for _ in range(min(variant.cutoff, size)):
        onwards = np.concatenate([success[..., 1:], np.ones_like(success[..., :1])], axis=-1)
        success[..., :-1] = (step * onwards[..., None, :]).sum(axis=-1)
    return 1 - success[..., 0]


def _merged(gaps, counts, below):
    """The runs with those of equal gaps and answers put together, at every point of the curve."""
    if not len(below):
        return gaps, counts, below
    columns = np.concatenate([gaps.reshape(-1, len(below)), below[None, :]])
    _, first, group = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    total = np.zeros((*counts.shape[:-1], len(first)))
    np.add.at(total, (..., group.ravel()), counts)
    return gaps[..., first], total, below[first]


def _is_number(answer):
    return answer is not ABOVE and answer is not BELOW


def _check_transcript(variant, counts, transcript):
    if not isinstance(transcript, Sequence):
        raise ParameterError(f"transcript must be a list of answers, got {shown(transcript)}")
    if counts.shape[-1] != len(transcript):
        raise ParameterError(
            f"transcript must have one entry per run: {counts.shape[-1]} runs, "
            f"got {len(transcript)}"
        )
    numbers = [answer for answer in transcript if _is_number(answer)]
    if numbers:
        if not all(np.asarray(x).dtype.kind in "biuf" and np.isfinite(x).all() for x in numbers):
            raise ParameterError(f"transcript must hold finite numbers, got {shown(numbers)}")
        if variant.released is None:
            raise ParameterError(f"{variant.name} releases no numbers, got {numbers[0]!r}")
    above = [run for run, answer in enumerate(transcript) if answer is not BELOW]
    if (counts[..., above] != 1).any():
        raise ParameterError("counts must be 1 where the transcript is not BELOW")
    halt = above[variant.cutoff - 1 : variant.cutoff] if variant.cutoff else []
    if halt and halt[0] + 1 < len(transcript):
        raise ParameterError(f"transcript goes on after {variant.cutoff} above, where it halts")


def _segments(variant, transcript):
    """The runs that share one draw of the threshold."""
    ends = [run + 1 for run, answer in enumerate(transcript) if answer is not BELOW]
    edges = sorted({0, len(transcript), *(ends if variant.redrawn else [])})
    return [range(*pair) for pair in zip(edges[:-1], edges[1:], strict=True)]
