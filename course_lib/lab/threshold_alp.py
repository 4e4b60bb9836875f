"""Runs of Threshold-ALP, and of what it is compared with, for the pictures; see lab/alp.py."""

import functools
from dataclasses import replace

import numpy as np

from course_lib.alp import alp_projection
from course_lib.exact.alp import alp_error_bound
from course_lib.lab.alp import small_release
from course_lib.lab.profiles import CODES, profile_sample
from course_lib.support.contracts import (
    COUNT,
    NOT_NEGATIVE,
    NOT_NEGATIVES,
    WHOLE,
    OneOf,
    ParameterError,
    checked_numbers,
    shown,
)
from course_lib.threshold_alp import (
    ThresholdAlpRelease,
    threshold_alp_expected_error,
    threshold_alp_projection,
    threshold_error,
    threshold_level,
    threshold_release,
)

_MECHANISM = OneOf(["Threshold", "ALP", "Threshold-ALP"])
_FEW = replace(COUNT, most=2.0**20)


def _places(number, dimension, rng):
    """So many distinct places of a vector, in random order."""
    if not number <= dimension < 2**63:
        raise ParameterError(
            f"dimension must be from {number:,} to 2**63 - 1 here, got {shown(dimension)}"
        )
    return rng.choice(dimension, number, replace=False)


def small_threshold_release(
    indices, values, *, dimension, sparsity, size, alpha, epsilon1, epsilon2, rng
):
    """What threshold_alp_projection gives with the same numbers drawn; see small_release."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    kept = threshold_release(
        indices, values, dimension=dimension, level=level, epsilon=epsilon1, rng=rng
    )
    embedding = small_release(
        indices, values, dimension=dimension, sparsity=sparsity, size=size, cap=level, alpha=alpha,
        epsilon=epsilon2, rng=rng,
    )  # fmt: skip
    return ThresholdAlpRelease(kept, epsilon1, embedding)


@checked_numbers(values=NOT_NEGATIVES, repeats=_FEW)
def errors_of_three(values, *, repeats, dimension, size, cap, alpha, epsilon, seed):
    """The errors of `repeats` entries of each value after Threshold, ALP and Threshold-ALP.

    One release each, which costs epsilon. A value of 0 is looked up, but is not in the vector.
    """
    if np.ndim(values) != 1 or not np.any(values):
        raise ParameterError(f"values must be a list with some above 0, got {shown(values)}")
    rng, positive = np.random.default_rng(seed), values > 0
    places = _places(len(values) * repeats, dimension, rng).reshape(len(values), repeats)
    indices, entries = places[positive].ravel(), np.repeat(values[positive], repeats)
    level = threshold_level(dimension=dimension, epsilon=epsilon)
    kept = threshold_release(
        indices, entries, dimension=dimension, level=level, epsilon=epsilon, rng=rng
    )
    alp = small_release(
        indices, entries, dimension=dimension, sparsity=len(entries), size=size, cap=cap,
        alpha=alpha, epsilon=epsilon, rng=rng,
    )  # fmt: skip
    both = small_threshold_release(
        indices, entries, dimension=dimension, sparsity=len(entries), size=size, alpha=alpha,
        epsilon1=epsilon / 2, epsilon2=epsilon / 2, rng=rng,
    )  # fmt: skip
    found = kept.look_up(places), alp.estimate(places), both.estimate(places)
    return [np.abs(estimates - values[:, None]) for estimates in found]


def array_bytes(fields):
    """The bytes of the arrays among these fields."""
    return sum(field.nbytes for field in fields.values() if isinstance(field, np.ndarray))


@checked_numbers(sparsity=_FEW)
@functools.lru_cache(maxsize=64)
def released_bytes(*, dimension, sparsity, size, alpha, epsilon1, epsilon2):
    """The bytes of all arrays of a release by Threshold-ALP of k entries at twice the level."""
    rng = np.random.default_rng(0)
    places = _places(sparsity, dimension, rng)
    level = float(threshold_level(dimension=dimension, epsilon=epsilon1))
    release = threshold_alp_projection(
        places, np.full(sparsity, 2 * level), dimension=dimension, sparsity=sparsity, size=size,
        alpha=alpha, epsilon1=epsilon1, epsilon2=epsilon2, rng=rng,
    )  # fmt: skip
    return array_bytes(release.fields())


@checked_numbers(sparsity=_FEW)
def spread_values(*, dimension, sparsity, epsilon1):
    """Entries evenly up to twice the level of Threshold, where the two parts meet."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    return 2 * level * np.arange(1, sparsity + 1) / sparsity


@checked_numbers(releases=replace(COUNT, most=1000), dimension=_FEW)
@functools.lru_cache(maxsize=64)
def largest_errors(*, releases, dimension, sparsity, size, alpha, epsilon1, epsilon2, seed):
    """The largest error of each of some releases of spread_values, all d entries looked up."""
    rng = np.random.default_rng(seed)
    values = spread_values(dimension=dimension, sparsity=sparsity, epsilon1=epsilon1)
    everywhere, largest = np.arange(dimension), []
    for _ in range(releases):
        vector = np.zeros(dimension)
        places = _places(sparsity, dimension, rng)
        vector[places] = values
        release = small_threshold_release(
            places, values, dimension=dimension, sparsity=sparsity, size=size, alpha=alpha,
            epsilon1=epsilon1, epsilon2=epsilon2, rng=rng,
        )  # fmt: skip
        largest.append(np.abs(release.estimate(everywhere) - vector).max())
    return largest


@checked_numbers(mechanism=_MECHANISM, codes=replace(COUNT, most=len(CODES)))
@functools.lru_cache(maxsize=16)
def survey_estimates(mechanism, *, codes, sparsity, size, cap, alpha, epsilon, neighbours, seed):
    """Estimates for the entries and zeros of profile_sample, and the bytes of the release.

    Of ALP, of Threshold, or else of Threshold-ALP, half of epsilon for either part.
    """
    (indices, counts, dimension), (places, _), zeros = profile_sample(codes)
    rng = np.random.default_rng(seed)
    if mechanism == "Threshold":
        level = threshold_level(dimension=dimension, epsilon=epsilon)
        kept = threshold_release(
            indices, counts, dimension=dimension, level=level, epsilon=epsilon, rng=rng
        )
        return kept.look_up(places), kept.look_up(zeros), array_bytes(kept._asdict())
    if mechanism == "ALP":
        release = alp_projection(
            indices, counts, dimension=dimension, sparsity=sparsity, size=size, cap=cap,
            alpha=alpha, epsilon=epsilon, neighbours=neighbours, rng=rng,
        )  # fmt: skip
    else:
        release = threshold_alp_projection(
            indices, counts, dimension=dimension, sparsity=sparsity, size=size, alpha=alpha,
            epsilon1=epsilon / 2, epsilon2=epsilon / 2, rng=rng,
        )  # fmt: skip
    return release.estimate(places), release.estimate(zeros), array_bytes(release.fields())


@checked_numbers(mechanism=_MECHANISM, counts=WHOLE, load=NOT_NEGATIVE)
def survey_promise(mechanism, counts, *, dimension, load, cap, alpha, epsilon, neighbours):
    """The expected error of each count by survey_estimates: exact for Threshold, else a bound."""
    half = epsilon / 2
    if mechanism == "Threshold":
        level = threshold_level(dimension=dimension, epsilon=epsilon)
        return threshold_error(counts, level=level, epsilon=epsilon)
    if mechanism == "ALP":
        return alp_error_bound(
            counts, load=load, cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours
        )
    return threshold_alp_expected_error(
        counts, dimension=dimension, load=load, alpha=alpha, epsilon1=half, epsilon2=half
    )
