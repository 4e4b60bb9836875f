"""NumericSparse measured: its failures, the errors of its numbers, which noise each query met."""

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from course_lib.exact.family import Variant
from course_lib.exact.worst_stream import in_units, unit_row
from course_lib.lab.trials import laplace
from course_lib.support.answers import BELOW
from course_lib.support.contracts import (
    COUNT,
    NOT_NEGATIVE,
    REALS,
    ParameterError,
    check_single,
    checked_arrays,
    checked_numbers,
    shown,
)

_MOST = 2**22  # numbers of each kind that are held in memory


@checked_numbers(cutoff=replace(COUNT, most=1e6))
def number_errors(*, cutoff, trials, seed):
    """Of each run the largest error of its c numbers, in units of their noise."""
    check_room(trials, cutoff)
    return np.array(_number_errors(cutoff, trials, seed))


@functools.lru_cache(maxsize=32)
def _number_errors(cutoff, trials, seed):
    noise = laplace(np.random.default_rng(seed), 1.0, np.empty((trials, cutoff)))
    return abs(noise).max(axis=1)


def check_room(trials, cutoff):
    if trials * cutoff > _MOST:
        raise ParameterError(
            f"trials must be at most {int(_MOST / cutoff):,} for cutoff = {cutoff}, "
            f"got {shown(trials)}"
        )


@checked_arrays(alpha=NOT_NEGATIVE)
def numeric_failures(variant: Variant, *, num_queries, alpha, trials, seed):
    """How many of `trials` runs of NumericSparse fail on the worst stream, as trials.failures says.

    The noise of a run fixes the smallest alpha that is enough for it: that is found once and for
    all alpha, so it takes far less time. num_queries and alpha may be arrays.
    """
    check_single(trials=trials, seed=seed)
    if not variant.redrawn or variant.released != "fresh":
        raise ParameterError(f"variant must be NumericSparse, got {variant.name}")
    if np.any(num_queries < variant.cutoff):
        raise ParameterError(
            f"num_queries must be at least the cutoff {variant.cutoff}, got {shown(num_queries)}"
        )
    check_room(trials, variant.cutoff)
    row = unit_row(variant)
    queries, ratios = np.broadcast_arrays(num_queries, in_units(variant, alpha))
    pairs = zip(queries.ravel().tolist(), ratios.ravel().tolist(), strict=True)
    enough = [(_enough(row, k, int(trials), int(seed)), ratio) for k, ratio in pairs]
    found = [np.count_nonzero(alphas > ratio) for alphas, ratio in enough]
    return np.reshape(found, ratios.shape)[()]


@functools.lru_cache(maxsize=16)
def _enough(row, num_queries, trials, seed):
    """Of each run the smallest alpha, in units of the threshold's noise, at which it succeeds."""
    bars, clock, for_the_others = _without_low_values(row, trials, seed)
    shorter, longer = divmod(num_queries - row.cutoff, row.cutoff)
    low_values = shorter + (np.arange(row.cutoff) < longer)  # in each run of them
    if not low_values.any():
        return for_the_others
    # the largest of n times Lap(1) lies where ln of its distribution is -clock / n
    with np.errstate(divide="ignore"):  # of none, the largest noise is -∞
        largest = _inverse(-clock / low_values)
    return np.maximum((row.query_scale * largest - bars).max(axis=1), for_the_others)


@functools.lru_cache(maxsize=2)
def _without_low_values(row, trials, seed):
    """The thresholds' noise, a clock for the low values, and the alpha that all else needs."""
    bars, own, of_numbers, clock = _unit_noise(trials, row.cutoff, seed)
    for_high, for_number = bars - row.query_scale * own, row.release_scale * of_numbers
    return bars, clock, np.maximum(for_high, for_number).max(axis=1)


def _unit_noise(trials, cutoff, seed):
    """For each number of each run Lap(1) of threshold and query, the number's error, a clock."""
    rng, shape = np.random.default_rng(seed), (trials, cutoff)
    bars, own = (laplace(rng, 1.0, np.empty(shape)) for _ in range(2))
    return bars, own, rng.standard_exponential(shape), rng.standard_exponential(shape)


def _inverse(log_chance):
    """The x with ln Pr[Lap(1) <= x] as given; of the two parts the one that is not x is 0."""
    with np.errstate(divide="ignore"):
        above_0 = -np.log(-2 * np.expm1(log_chance))
    return np.minimum(log_chance + np.log(2), 0) + np.maximum(above_0, 0)


@checked_numbers
def noise_by_query(noise, transcript, *, cutoff):
    """For each query of a run the threshold noise that it met and its own, from all in order.

    NaN, if a run drew more or fewer numbers than NumericSparse does.
    """
    if not isinstance(transcript, Sequence) or not isinstance(noise, Sequence):
        raise ParameterError(
            f"noise and transcript must be lists, got {shown(noise)} and {shown(transcript)}"
        )
    if noise:
        REALS.check("noise", noise)
    above = [answer is not BELOW for answer in transcript]
    if len(noise) != 1 + len(above) + 2 * sum(above) - (sum(above) >= cutoff):
        return np.full((2, len(above)), np.nan)
    noise = iter(noise)
    threshold, met, own, count = next(noise), [], [], 0
    for is_above in above:
        met.append(threshold)
        own.append(next(noise))
        if is_above:
            next(noise)  # that of the released number
            count += 1
            threshold = next(noise) if count < cutoff else None
    return np.array([met, own])
