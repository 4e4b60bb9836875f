"""What AboveThreshold really does: exact failure, alpha, wrong answers and privacy loss."""

from dataclasses import replace

import numpy as np

from course_lib.exact.family import member
from course_lib.exact.transcripts import as_stream, exact_loss, first_above_law
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import (
    NOT_NEGATIVE,
    REALS,
    ParameterError,
    checked_arrays,
    checked_numbers,
)

_NOISE = replace(REALS, most=1e60)  # as much as the smallest epsilon asks for


@checked_arrays(alpha=NOT_NEGATIVE)
def above_threshold_failure(*, num_queries, alpha, epsilon):
    """Exact failure probability on the worst stream: k - 1 values T - alpha, then T + alpha.

    It is a limit: the low values lie just below, the last just above. Notebook 01 proves it.
    """
    return failure(_row(epsilon), num_queries=num_queries, alpha=alpha)


@checked_arrays
def above_threshold_alpha_exact(*, num_queries, beta, epsilon):
    """The smallest alpha whose exact failure probability on the worst stream is at most beta."""
    return alpha_exact(_row(epsilon), num_queries=num_queries, beta=beta)


@checked_arrays
def above_threshold_loss(values, neighbour, *, threshold, epsilon):
    """Exact ln of the ratio of Pr[⊥, …, ⊥, ⊤] on two streams of values: its privacy loss."""
    transcript = [BELOW] * (len(as_stream(values)) - 1) + [ABOVE]
    return exact_loss(_row(epsilon), values, neighbour, transcript, threshold=threshold)


@checked_arrays
def late_above_loss(*, num_queries, threshold, epsilon):
    """The same for k - 1 times ⊥ and then ⊤ on (0, …, 0, 1) against (1, …, 1, 0), for any k."""
    row = _row(epsilon)
    counts = np.stack([np.maximum(num_queries - 1, 1), np.ones_like(num_queries)], axis=-1)
    late = exact_loss(row, [0, 1], [1, 0], [BELOW, ABOVE], threshold=threshold, counts=counts)
    alone = exact_loss(row, [1], [0], [ABOVE], threshold=threshold)
    return np.where(num_queries == 1, alone, late)[()]


@checked_arrays
def first_above_errors(values, *, threshold):
    """For the first ⊤ at each query, and for none, by how much the worst answer given is off."""
    gaps = as_stream(values) - threshold
    none = np.zeros_like(gaps[..., :1])
    missed = np.maximum.accumulate(np.concatenate([none, gaps], axis=-1), axis=-1)  # by a ⊥ before
    return np.maximum(missed, np.concatenate([-gaps, none], axis=-1))  # by the ⊤ itself


@checked_arrays(alpha=NOT_NEGATIVE)
def above_threshold_wrong_probability(values, *, threshold, alpha, epsilon):
    """Exact probability that some answer to this stream is off by more than alpha.

    To halt early is not counted as wrong. As wrong_answer_probability, but with full relative
    precision; it is 0 where no answer can be wrong. alpha may be an array.
    """
    law = first_above_law(_row(epsilon), values, threshold=threshold)
    wrong = first_above_errors(values, threshold=threshold) > alpha[..., None]
    return np.where(wrong, law, 0.0).sum(axis=-1)[()]


@checked_arrays(noise=_NOISE)
def coupled_noise(values, neighbour, noise):
    """The noise with which a neighbour gets the same ⊥, …, ⊥, ⊤, as the proof of privacy moves it.

    The last axis of noise has the threshold's and then each query's. With g the largest noisy value
    before the last, the threshold moves by g(D') - g(D), and the last query's noise by that and
    f_k(D) - f_k(D'): both comparisons come out as before.
    """
    here, there = as_stream(values), as_stream(neighbour, "neighbour")
    if here.shape != there.shape or np.shape(noise)[-1:] != (len(here) + 1,):
        raise ParameterError(
            "noise must have a number for the threshold and for each of values and neighbour, "
            f"got shapes {np.shape(noise)}, {here.shape} and {there.shape}"
        )
    moved, before = np.array(noise), noise[..., 1:-1]
    if len(here) > 1:
        moved[..., 0] += (there[:-1] + before).max(axis=-1) - (here[:-1] + before).max(axis=-1)
    moved[..., -1] += moved[..., 0] - noise[..., 0] + here[-1] - there[-1]
    return moved


@checked_numbers(noise=_NOISE, moved=_NOISE)
def coupling_price(noise, moved, *, epsilon):
    """By how much ln of the density falls from noise to moved: at the threshold, at the last query.

    It is at most the distance over the scale: 1 over 2/epsilon, and 2 over 4/epsilon.
    """
    row = _row(epsilon)
    farther = np.abs(moved) - np.abs(noise)
    return farther[..., [0, -1]] / [row.threshold_scale, row.query_scale]


def _row(epsilon):
    return member("above_threshold", cutoff=1, epsilon=epsilon)
