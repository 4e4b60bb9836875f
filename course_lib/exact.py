"""Exact probabilities for the whole sparse-vector family, from one integral.

Given the threshold noise z, the answers are independent, so with gaps d = value - threshold

    Pr[transcript] = ∫ p(z) · ∏ F(z - d)^count over the ⊥ · ∏ S(z - d) over the ⊤ dz,

p the density of the threshold noise, F and S = 1 - F of the query noise: one factor such as this
for each draw of the threshold. A released number adds a density; with the same noise, z <= a - T.
"""

import numpy as np

from course_lib.contracts import ParameterError, checked
from course_lib.integral import complement, first_above, log_density, log_integral
from course_lib.variants import ABOVE, BELOW


@checked
def log_probability(variant, values, transcript, *, threshold, counts=None):
    """ln Pr[transcript], or its log density where numbers are released.

    The last axis of `values` holds the runs of the stream, `counts` their lengths (1 if not given)
    and `transcript` one answer per run: BELOW, ABOVE or a released number, the last two only for
    runs of length 1. Leading axes, also of `threshold`, are points of a curve.
    """
    values, threshold = np.asarray(values, dtype=float), np.asarray(threshold, dtype=float)
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
    return first_above(variant, np.asarray(values, dtype=float) - threshold)


@checked
def failure(variant, *, num_queries, alpha):
    """Exact probability of not being alpha-accurate on the worst stream the theorem allows.

    That stream has `cutoff` values at T + alpha, equal runs at T - alpha before each, the last at
    query `num_queries`. (It is a limit: the theorem's low values lie strictly below T - alpha.)
    """
    high = variant.cutoff
    if high is None:
        raise ParameterError(f"{variant.name} has no cutoff, and so no worst stream of this kind")
    low = np.asarray(num_queries, dtype=float) - high
    if (low < 0).any():
        raise ParameterError(f"num_queries must be at least the cutoff {high}, got {num_queries!r}")
    low, alpha = np.broadcast_arrays(low, np.asarray(alpha, dtype=float))
    if not variant.redrawn:
        return _failure_of_segment(variant, low, high, alpha)[()]
    shorter, longer = low // high, low % high  # so many low values; so many runs with one more
    with np.errstate(divide="ignore"):
        log_success = (high - longer) * np.log1p(-_failure_of_segment(variant, shorter, 1, alpha))
        if longer.any():
            log_success += longer * np.log1p(-_failure_of_segment(variant, shorter + 1, 1, alpha))
    return (0.0 - np.expm1(log_success))[()]


def _failure_of_segment(variant, low, high, alpha):
    """1 - Pr[⊥ to `low` values at T - alpha and ⊤ to `high` at T + alpha] with one threshold."""
    gaps = np.stack([-alpha, alpha], axis=-1)
    counts = np.stack([low, np.full_like(low, high)], axis=-1)
    return np.minimum(complement(variant, gaps, counts, np.array([True, False])), 1.0)


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
    if counts.shape[-1] != len(transcript):
        raise ParameterError(
            f"transcript must have one entry per run: {counts.shape[-1]} runs, "
            f"got {len(transcript)}"
        )
    numbers = [answer for answer in transcript if _is_number(answer)]
    if numbers:
        if not np.isfinite(np.array(numbers, dtype=float)).all():
            raise ParameterError(f"transcript must hold finite numbers, got {numbers!r}")
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
