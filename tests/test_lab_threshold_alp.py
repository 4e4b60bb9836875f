"""Runs of Threshold-ALP for the pictures, against the mechanisms and the textbook's dense ones."""

import math

import numpy as np
import pytest

from course_lib.exact.alp import alp_error_among, alp_error_bound
from course_lib.lab.profiles import CODES, profile_sample, survey_profiles
from course_lib.lab.threshold_alp import (
    array_bytes,
    errors_of_three,
    largest_errors,
    released_bytes,
    small_threshold_release,
    spread_values,
    survey_estimates,
    survey_promise,
)
from course_lib.support.contracts import ParameterError
from course_lib.threshold_alp import (
    threshold_alp_expected_error,
    threshold_alp_projection,
    threshold_error,
)

VALUES = np.arange(0, 60, 5)


def dense_errors(values, level, epsilon, trials, rng):
    """Threshold as the textbook has it, on every entry, many times."""
    noisy = values + rng.laplace(scale=1 / epsilon, size=(trials, len(values)))
    return np.abs(np.where(noisy >= level, noisy, 0) - values)


@pytest.mark.parametrize("dimension", [10**4, 10**9])
def test_the_errors_of_three_are_those_of_their_mechanisms(dimension):
    """Each mean within 4 standard errors; ALP's table is so large that little collides."""
    kept, alp, both = errors_of_three(
        VALUES, repeats=120, dimension=dimension, size=10**6, cap=30, alpha=3.0, epsilon=1.0, seed=4
    )
    assert kept.shape == alp.shape == both.shape == (12, 120)
    level = math.log(dimension / 2)
    textbook = dense_errors(VALUES, level, 1.0, 4000, np.random.default_rng(5))
    difference = kept.mean(axis=1) - textbook.mean(axis=0)
    spread = np.sqrt(kept.var(axis=1) / 120 + textbook.var(axis=0) / 4000)
    assert np.all(abs(difference) <= 4 * spread + 0.02)
    others = np.repeat(VALUES[1:], 120)
    exact = alp_error_among(VALUES, others, size=10**6, cap=30, alpha=3.0, epsilon=1.0)
    assert np.all(abs(alp.mean(axis=1) - exact) <= 4 * alp.std(axis=1) / math.sqrt(120) + 0.02)
    noisy = VALUES + np.random.default_rng(6).laplace(scale=2, size=(4000, 12))
    embedded = alp_error_among(VALUES, others, size=10**6, cap=2 * level, alpha=3.0, epsilon=0.5)
    wanted = np.where(noisy >= 2 * level, np.abs(noisy - VALUES), embedded)
    difference = both.mean(axis=1) - wanted.mean(axis=0)
    spread = np.sqrt(both.var(axis=1) / 120 + wanted.var(axis=0) / 4000)
    assert np.all(abs(difference) <= 4 * spread + 0.02)


def test_zeros_of_the_three_are_in_no_vector():
    """With a level of 43 no entry of 0 is kept, and two at a place would be refused."""
    kept, alp, _ = errors_of_three(
        np.array([0, 0, 7]), repeats=5, dimension=2**62, size=11, cap=9, alpha=3.0, epsilon=1.0,
        seed=0,
    )  # fmt: skip
    assert not kept[:2].any() and (kept[2] == 7).all() and alp.shape == (3, 5)
    with pytest.raises(ParameterError, match=r"2 \* sparsity = 10, got 10"):  # half a unit counts
        errors_of_three(
            np.array([0, 0.5]), repeats=5, dimension=100, size=10, cap=9, alpha=3.0, epsilon=1.0,
            seed=0,
        )  # fmt: skip


@pytest.mark.parametrize(("sparsity", "size"), [(30, 120), (70, 147), (1000, 4000)])
def test_the_bytes_of_a_release_are_those_of_its_parts(sparsity, size):
    """Packed bits, 64 numbers of a byte or two a level; 16 bytes for k entries and a zero or so."""
    found = released_bytes(
        dimension=10**6, sparsity=sparsity, size=size, alpha=3.0, epsilon1=0.4, epsilon2=0.6
    )
    levels = math.ceil(0.6 * math.log(10**6 / 2) / 0.4 / 3)
    kept = (found - levels * (math.ceil(size / 8) + 64 * (1 if size <= 256 else 2))) / 16
    assert kept.is_integer() and 0.97 * sparsity - 3 <= kept <= sparsity + 6
    assert array_bytes({"a": 3, "b": np.zeros(5), "c": np.zeros(3, np.uint8)}) == 43


def test_values_are_spread_to_twice_the_level():
    values = spread_values(dimension=1000, sparsity=4, epsilon1=0.5)
    assert values == pytest.approx(4 * math.log(500) * np.array([0.25, 0.5, 0.75, 1]))


@pytest.mark.parametrize(("sparsity", "epsilon1"), [(20, 0.5), (100, 0.7)])
def test_the_largest_error_is_over_every_single_entry(sparsity, epsilon1):
    found = largest_errors(
        releases=4, dimension=100, sparsity=sparsity, size=4 * sparsity, alpha=3.0,
        epsilon1=epsilon1, epsilon2=1 - epsilon1, seed=3,
    )  # fmt: skip
    rng = np.random.default_rng(3)
    values = 2 * math.log(50) / epsilon1 * np.arange(1, sparsity + 1) / sparsity
    signs = set()
    for shown in found:
        places = rng.choice(100, sparsity, replace=False)
        release = threshold_alp_projection(
            places, values, dimension=100, sparsity=sparsity, size=4 * sparsity, alpha=3.0,
            epsilon1=epsilon1, epsilon2=1 - epsilon1, rng=rng,
        )  # fmt: skip
        truth = dict(zip(places.tolist(), values, strict=True))
        errors = [release.estimate(i) - truth.get(i, 0) for i in range(100)]
        assert shown == pytest.approx(max(abs(error) for error in errors))
        signs.add(max(errors) > -min(errors))
    assert len(found) == 4 and (sparsity == 20 or False in signs)  # too small counts as well


def test_a_small_release_is_that_of_the_mechanism():
    indices, values = np.array([5, 2**40, 77]), np.array([3.0, 200.0, 40.0])
    small, release = (
        make(
            indices, values, dimension=2**41, sparsity=4, size=11, alpha=3.0, epsilon1=0.4,
            epsilon2=0.6, rng=np.random.default_rng(5),
        )
        for make in (small_threshold_release, threshold_alp_projection)
    )  # fmt: skip
    one, other = small.fields(), release.fields()
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)


def survey_release(mechanism, *, codes, neighbours="l1", seed=0):
    return survey_estimates(
        mechanism, codes=codes, sparsity=10_000, size=40_000, cap=50, alpha=3.0, epsilon=1.0,
        neighbours=neighbours, seed=seed,
    )  # fmt: skip


def test_threshold_s_error_on_the_survey_is_the_one_expected():
    """Of 517 entries, over 200 releases: within 4 standard errors."""
    _, (_, counts), _ = profile_sample(5)
    seen = [
        np.abs(survey_release("Threshold", codes=5, seed=seed)[0] - counts).mean()
        for seed in range(200)
    ]
    expected = threshold_error(counts, level=math.log(4000), epsilon=1.0).mean()
    told = survey_promise(
        "Threshold",
        counts,
        dimension=8000,
        load=0.9,
        cap=1,
        alpha=9.0,
        epsilon=1.0,
        neighbours="l1",
    )
    assert told.mean() == expected
    error = np.std(seen) / np.sqrt(200)
    assert error < 0.01 * expected
    assert np.mean(seen) == pytest.approx(expected, abs=4 * error)


@pytest.mark.parametrize("codes", [5, 6, 7])
def test_alp_keeps_its_promises_on_the_survey(codes):
    (_, _, dimension), (_, counts), zeros = profile_sample(codes)
    for mechanism, bound in (
        ("ALP", lambda x: alp_error_bound(x, load=0.25, cap=50, alpha=3.0, epsilon=1.0)),
        (
            "Threshold-ALP",
            lambda x: threshold_alp_expected_error(
                x, dimension=dimension, load=0.25, alpha=3.0, epsilon1=0.5, epsilon2=0.5
            ),
        ),
    ):
        found, empty, _ = survey_release(mechanism, codes=codes)
        told = survey_promise(
            mechanism, counts, dimension=dimension, load=0.25, cap=50, alpha=3.0, epsilon=1.0,
            neighbours="l1",
        )  # fmt: skip
        assert np.array_equal(told, bound(counts))
        assert np.abs(found - counts).mean() < bound(counts).mean()
        assert empty.mean() < bound([0.0])[0] and len(zeros) == 1000


def test_the_survey_s_releases_and_their_bytes():
    """17 levels of 40,000 bits with hash functions in two bytes; and what Threshold kept."""
    _, (places, counts), zeros = profile_sample(7)
    indices, _, dimension = survey_profiles(*CODES)
    found, empty, size = survey_release("ALP", codes=7)
    assert size == 17 * 5000 + 17 * 64 * 2 and found.shape == places.shape
    assert empty.shape == zeros.shape
    wide = survey_release("ALP", codes=7, neighbours="histogram")
    assert wide[2] == math.ceil(50 * (math.e - 1) / 3) * (5000 + 128)
    both = survey_release("Threshold-ALP", codes=7)
    levels = math.ceil(math.log(dimension / 2) / 3)
    kept = (both[2] - levels * (5000 + 128)) / 16
    level = 2 * math.log(dimension / 2)
    assert kept.is_integer() and abs(kept - np.sum(survey_profiles(*CODES)[1] > level)) < 40
    alone = survey_release("Threshold", codes=7)
    assert alone[2] % 16 == 0 and alone[0][alone[0] > 0].min() >= level / 2
    assert both[0].max() >= level  # some are kept
