"""Clopper–Pearson intervals against their definition and by full enumeration."""

import numpy as np
import pytest
from scipy.stats import binom

from course_lib.lab.confidence import clopper_pearson


def test_ends_leave_exactly_half_the_error_in_each_tail():
    low, high = clopper_pearson(7, 50, confidence=0.9)
    assert np.isclose(binom.sf(6, 50, low), 0.05) and np.isclose(binom.cdf(7, 50, high), 0.05)


def test_confidence_is_95_per_cent_unless_said():
    assert clopper_pearson(7, 50) == clopper_pearson(7, 50, confidence=0.95)


def test_none_and_all_reach_the_ends():
    assert clopper_pearson(0, 10, confidence=0.95) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert clopper_pearson(10, 10, confidence=0.95) == (pytest.approx(0.025**0.1), 1.0)


@pytest.mark.parametrize("confidence", [0.8, 0.99])
def test_coverage_is_at_least_what_is_stated_for_every_rate(confidence):
    low, high = clopper_pearson(np.arange(31), np.full(31, 30), confidence=confidence)
    for rate in np.linspace(0.001, 0.999, 333):
        covered = binom.pmf(np.arange(31), 30, rate)[(low <= rate) & (rate <= high)].sum()
        assert covered >= confidence - 1e-12


@pytest.mark.parametrize("successes", [-1, 11, 2.5, float("nan")])
def test_impossible_counts_are_named(successes):
    with pytest.raises(ValueError, match=f"successes must be .*{successes}"):
        clopper_pearson(successes, 10)
