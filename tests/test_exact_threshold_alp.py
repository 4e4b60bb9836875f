"""The errors of Threshold-ALP and Threshold against integrals and dense runs of the textbook's."""

import math

import numpy as np
import pytest
from scipy.stats import laplace

from course_lib.exact.alp import alp_exact_error
from course_lib.exact.threshold_alp import (
    laplace_largest_error,
    threshold_alp_exact_error,
    threshold_largest_error,
)
from course_lib.support.contracts import ParameterError
from course_lib.threshold_alp import threshold_level


@pytest.mark.parametrize("value", [0.0, 5.0, 30.0])
def test_threshold_alp_errs_as_its_two_parts_do(value):
    """The noise, integrated numerically, where it lifts the value to the level; else ALP."""
    dimension, alpha, epsilon1, epsilon2 = 10**6, 3.0, 0.5, 0.7
    level = math.log(dimension / 2) / epsilon1
    noise = np.linspace(level - value, level - value + 100, 200_001)
    density = laplace.pdf(noise, scale=1 / epsilon1)
    kept = np.trapezoid(np.abs(noise) * density, noise)
    lost = laplace.cdf(level - value, scale=1 / epsilon1)
    embedded = alp_exact_error(value, load=0.1, cap=level, alpha=alpha, epsilon=epsilon2)
    found = threshold_alp_exact_error(
        value, dimension=dimension, load=0.1, alpha=alpha, epsilon1=epsilon1, epsilon2=epsilon2
    )
    assert found == pytest.approx(kept + lost * embedded, rel=1e-6)
    assert threshold_level(dimension=dimension, epsilon=epsilon1) == pytest.approx(level)


@pytest.mark.parametrize(
    ("dimension", "sparsity", "epsilon1"), [(100, 100, 0.5), (300, 20, 0.7), (300, 1, 0.5)]
)
def test_threshold_s_largest_error_is_that_of_the_textbook(dimension, sparsity, epsilon1):
    """Noise on all d entries, 20,000 times: an error of 0.08 would be 4 standard errors."""
    rng = np.random.default_rng(8)
    vector = np.zeros(dimension)
    values = 2 * math.log(dimension / 2) / epsilon1 * np.arange(1, sparsity + 1) / sparsity
    vector[:sparsity] = values
    noisy = vector + rng.laplace(size=(20_000, dimension))
    kept = np.where(noisy >= math.log(dimension / 2), noisy, 0)
    largest = np.abs(kept - vector).max(axis=1)
    error = largest.std() / np.sqrt(len(largest))
    assert error < 0.02
    exact = threshold_largest_error(values, dimension=dimension, epsilon=1.0)
    assert exact == pytest.approx(largest.mean(), abs=4 * error)


@pytest.mark.parametrize("value", [0.0, 2.0, 3.9, 9.0])
def test_of_one_entry_the_largest_error_is_its_own_or_that_of_some_zero(value):
    """By numerical integration over u, the entry and each zero one after the other."""
    dimension, level = 50, math.log(25)
    u = np.linspace(0, level + 40, 40_001)
    within = laplace.cdf(u) - laplace.cdf(np.maximum(level - value, -u))
    entry = np.maximum(0, within) + (value <= u) * laplace.cdf(level - value)
    zero = 1 - np.minimum(laplace.sf(u), laplace.sf(level))
    wanted = np.trapezoid(1 - entry * zero ** (dimension - 1), u)
    found = threshold_largest_error([value], dimension=dimension, epsilon=1.0)
    assert found == pytest.approx(wanted, abs=0.02)  # 400 points, and some of the chances jump
    half = threshold_largest_error([2 * value], dimension=dimension, epsilon=0.5)
    assert half == pytest.approx(2 * found, rel=1e-12)


def test_a_vector_has_no_more_entries_than_its_dimension():
    threshold_largest_error([1.0, 2.0, 3.0], dimension=3, epsilon=1.0)
    for wrong in (np.ones(4), [1.0, -1.0]):
        with pytest.raises(ParameterError, match="dimension must be|values must be"):
            threshold_largest_error(wrong, dimension=3, epsilon=1.0)
    with pytest.raises(ParameterError, match="dimension must be one number"):
        threshold_largest_error([1.0], dimension=[3, 4], epsilon=1.0)


def test_the_largest_of_d_laplace_errors_is_a_harmonic_number():
    for dimension in (1, 2, 100, 1000):
        harmonic = sum(1 / i for i in range(1, dimension + 1))
        for epsilon in (1.0, 0.25):
            found = laplace_largest_error(dimension=dimension, epsilon=epsilon)
            assert found == pytest.approx(harmonic / epsilon)
    far = laplace_largest_error(dimension=10**18, epsilon=1.0)
    assert far == pytest.approx(18 * math.log(10) + 0.5772156649)
