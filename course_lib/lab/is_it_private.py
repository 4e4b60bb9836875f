"""Runs that show, or do not show, what is lost: Lecture 11's Sparse, and the last bits of a count.

Noise is drawn at unit scale for a seed and kept, so that what changes is the parameters' doing.
T = 0 and lengths are in units of 1/n, as in exact.is_it_private.
"""

import functools
from dataclasses import replace

import numpy as np

from course_lib.exact.family import ROWS, member, privacy_loss
from course_lib.exact.is_it_private import WITHIN_REACH
from course_lib.lab.audit import exact_audit
from course_lib.lab.confidence import log_ratio_interval
from course_lib.lab.trials import laplace
from course_lib.support.contracts import COUNT, ParameterError, checked_numbers, shown

_MOST_DRAWS = 2**27


def _check_draws(trials, each):
    if trials * each > _MOST_DRAWS:
        raise ParameterError(
            f"trials must need at most {_MOST_DRAWS:,} draws of noise, got {shown(trials)}"
        )


@checked_numbers
def measured_losses(*, num_below, trials, cutoff, epsilon, seed):
    """The log-ratio of the rates of “m times ⊥, then a number of at most 0”, and its interval.

    For m = 1, …, num_below. It is infinite where one of them was never seen. All intervals hold at
    once with 95%.
    """
    _check_draws(trials, num_below + 2)
    losses = _measured_losses(num_below, trials, cutoff, epsilon, seed)
    return tuple(array.copy() for array in losses)


@functools.lru_cache(maxsize=128)
def _measured_losses(num_below, trials, cutoff, epsilon, seed):
    threshold, largest, last = _low_numbers(num_below, trials, seed)
    query_scale, threshold_scale = 2 * cutoff / epsilon, 2 / epsilon
    shown = threshold_scale * threshold <= query_scale * last
    seen = np.array(
        [
            [
                np.count_nonzero(shown & (query_scale * m + move < threshold_scale * threshold))
                for m in largest
            ]
            for move in (0.0, 1.0)
        ]
    )
    ratio = np.full(num_below, np.inf)
    both = seen.all(axis=0)
    ratio[both] = np.log(np.divide(*seen[:, both]))
    # of 2 · num_below rates each has its share of the doubt
    return ratio, *log_ratio_interval(*seen, trials, confidence=1 - 0.05 / (2 * num_below))


@functools.lru_cache(maxsize=1)
def _low_numbers(num_below, trials, seed):
    """Lap(1) for the threshold, for the largest of each number of queries, and for one more.

    Only where threshold and last are negative: other runs end in no number of at most 0.
    """
    rng = np.random.default_rng(seed)
    threshold, last = laplace(rng, 1.0, np.empty((2, trials)))
    kept = (threshold < 0) & (last < 0)
    noise = laplace(rng, 1.0, np.empty((np.count_nonzero(kept), num_below)))
    return threshold[kept], np.maximum.accumulate(noise, axis=1).T, last[kept]


@checked_numbers
def announcements(*, num_below, cut, trials, epsilon, seed):
    """How often the attacker speaks in these runs: in poor health (value 0), and not (1).

    She does if m times ⊥ come and then a number of at most `cut`; c = 1.
    """
    _check_draws(trials, num_below + 2)
    counts = []
    for value in (0, 1):
        threshold, largest, last = _unit_noise(num_below, trials, value, seed)
        below = largest + value * epsilon / 2 < threshold
        counts.append(np.count_nonzero(below & (threshold <= last) & (2 / epsilon * last <= cut)))
    return counts


@functools.lru_cache(maxsize=4)
def _unit_noise(num_below, trials, state, seed):
    """Lap(1) for the threshold, for the largest of m queries, and for one more, a row a run.

    Kept are the runs whose threshold is the largest: with equal scales (c = 1) no others get ⊥
    to m queries of value 0 or more. What a run gets does not depend on m. Each of the two states
    of the row has noise of its own: the intervals need independent runs.
    """
    rng = np.random.default_rng([seed, state])
    threshold, last = laplace(rng, 1.0, np.empty((2, trials)))
    largest = np.full(trials, -np.inf)
    for _ in range(num_below):
        largest = np.maximum(largest, laplace(rng, 1.0, np.empty(len(largest))))
        kept = largest < threshold
        threshold, largest, last = threshold[kept], largest[kept], last[kept]
    return threshold, largest, last


@checked_numbers(
    num_below=replace(COUNT, most=10_000), cutoff=replace(COUNT, most=100), epsilon=WITHIN_REACH
)
def published_losses(*, num_below, cutoff, epsilon, monotone=False):
    """For each of ROWS: the largest loss that the exact auditor finds, and the supremum."""
    return _published_losses(num_below, cutoff, epsilon, bool(monotone)).copy()


@functools.lru_cache(maxsize=64)
def _published_losses(num_below, cutoff, epsilon, monotone):
    losses = []
    for name in ROWS:
        row = member(name, cutoff=1 if name == "above_threshold" else cutoff, epsilon=epsilon)
        found = exact_audit(row, num_queries=num_below, monotone=monotone)
        losses.append((found.loss, privacy_loss(row, monotone=monotone)))
    return np.array(losses, dtype=float)


@checked_numbers
def noisy_counts(*, trials, epsilon, seed):
    """Outputs of the Laplace mechanism, as NumPy draws its noise, for the counts 0 and 1."""
    _check_draws(trials, 2)
    rng = np.random.default_rng(seed)
    return np.array([[0.0], [1.0]]) + rng.laplace(scale=1 / epsilon, size=(2, trials))


@checked_numbers
def on_lattice(values, *, places):
    """The values rounded to multiples of 2^-places; exact: a power of two only moves the point."""
    return np.ldexp(np.rint(np.ldexp(np.asarray(values, dtype=float), places)), -places)


@checked_numbers
def multiples(values, *, places):
    """How many of the values, along the last axis, are multiples of 2^-places."""
    return np.count_nonzero(on_lattice(values, places=places) == values, axis=-1)
