"""Exact probabilities for the whole sparse-vector family, from one integral.

Given the threshold noise z, the answers are independent, so with gaps d = value - threshold

    Pr[transcript] = ∫ p(z) · ∏ F(z - d)^count over the ⊥ · ∏ S(z - d) over the ⊤ dz,

p the density of the threshold noise, F and S = 1 - F of the query noise: one factor such as this
for each draw of the threshold. A released number adds a density; with the same noise, z <= a - T.
"""

import functools
from collections.abc import Sequence

import numpy as np

from course_lib.exact.family import Variant
from course_lib.exact.integral import (
    first_above,
    log_density,
    log_integral,
    log_within,
    next_above,
)
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import NOT_NEGATIVE, ParameterError, checked_arrays, shown


@checked_arrays
def log_probability(variant: Variant, values, transcript, *, threshold, counts=None):
    """ln Pr[transcript], or its log density where numbers are released.

    The last axis of `values` holds the runs of the stream, `counts` their lengths (1 if not given)
    and `transcript` one answer per run: BELOW, ABOVE or a released number, the last two only for
    runs of length 1. Leading axes, also of `threshold`, are points of a curve.
    """
    gaps = as_stream(values) - threshold[..., None]
    gaps, counts = np.broadcast_arrays(gaps, 1.0 if counts is None else counts)
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


@checked_arrays
def exact_loss(variant: Variant, values, neighbour, transcript, *, threshold, counts=None):
    """ln(Pr[transcript on values] / Pr[transcript on neighbour]); 0 where both are impossible."""
    as_stream(neighbour, "neighbour")
    here, there = (
        log_probability(variant, stream, transcript, threshold=threshold, counts=counts)
        for stream in (values, neighbour)
    )
    with np.errstate(invalid="ignore"):
        return np.where(here == there, 0.0, here - there)[()]


@checked_arrays
def first_above_law(variant: Variant, values, *, threshold):
    """Exact probability that the first ABOVE is at query i, for each i, and, last, that none is."""
    return first_above(variant, as_stream(values) - threshold)


def as_stream(values, name="values"):
    """The values, whose last axis is the stream, or ParameterError."""
    if np.ndim(values) == 0:
        raise ParameterError(f"{name} must be a list of numbers, got {shown(values)}")
    return values


@checked_arrays(alpha=NOT_NEGATIVE)
def wrong_answer_probability(variant: Variant, values, *, threshold, alpha):
    """Exact probability that some answer to this stream is off by more than alpha.

    For rows that redraw the threshold, so that each ABOVE begins anew; alpha may be an array. To
    halt before the end of the stream is not counted as wrong here. Within 1e-12.
    """
    if not variant.redrawn or variant.released == "same":
        raise ParameterError(f"{variant.name} must redraw its threshold and its noise")
    if np.ndim(threshold):
        raise ParameterError(f"threshold must be a single number, got {shown(threshold)}")
    size, alpha = len(as_stream(values)), alpha[..., None]
    law = _next_above(variant, tuple(values.tolist()), float(threshold))
    missed = np.cumsum(values > threshold + alpha, axis=-1)
    missed = np.concatenate([np.zeros_like(missed[..., :1]), missed], axis=-1)
    right = missed[..., :-1, None] == missed[..., None, :]  # each ⊥ from start to the next ⊤
    right[..., :-1] &= (values >= threshold - alpha)[..., None, :]
    if variant.released == "fresh":
        with np.errstate(divide="ignore"):
            law = law * np.ones((*alpha.shape, 1))
            law[..., :-1] *= np.exp(log_within(alpha, variant.release_scale))[..., None]
    step = law * right
    # of success from each place on, with ever more ABOVE left; at the end there is nothing to fear
    success = np.ones((*alpha.shape[:-1], size + 1))
    for _ in range(min(variant.cutoff, size)):
        onwards = np.concatenate([success[..., 1:], np.ones_like(success[..., :1])], axis=-1)
        success[..., :-1] = (step * onwards[..., None, :]).sum(axis=-1)
    return 1 - success[..., 0]


@functools.lru_cache(maxsize=4)
def _next_above(variant, values, threshold):
    """The law of the place of the next ⊤, for a start at each place."""
    return next_above(variant, np.array(values) - threshold)


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
        raise ParameterError(
            f"counts must be 1 where the transcript is not BELOW, got {shown(counts)}"
        )
    halt = above[int(variant.cutoff) - 1 :] if variant.cutoff else []
    if halt and halt[0] + 1 < len(transcript):
        raise ParameterError(f"transcript goes on after {variant.cutoff} above, where it halts")


def _segments(variant, transcript):
    """The runs that share one draw of the threshold."""
    ends = [run + 1 for run, answer in enumerate(transcript) if answer is not BELOW]
    edges = sorted({0, len(transcript), *(ends if variant.redrawn else [])})
    return [range(*pair) for pair in zip(edges[:-1], edges[1:], strict=True)]
