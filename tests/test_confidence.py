"""Clopper–Pearson intervals against their definition and by full enumeration."""

import numpy as np
import pytest
from scipy.stats import binom

from course_lib.lab.confidence import clopper_pearson, log_odds_interval


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


def test_the_interval_of_log_odds_leaves_its_tails_outside():
    odds = np.exp(log_odds_interval(30, 100, confidence=0.99))
    rates = odds / (1 + odds)
    assert np.isclose(binom.sf(29, 100, rates[0]), 0.005)
    assert np.isclose(binom.cdf(30, 100, rates[1]), 0.005)


def test_log_odds_of_none_and_all_are_infinite_on_one_side():
    low, high = log_odds_interval([0, 20], 20)
    rates = clopper_pearson([0, 20], 20)
    assert low[0] == -np.inf and high[0] == pytest.approx(np.log(rates[1][0] / (1 - rates[1][0])))
    assert high[1] == np.inf and low[1] == pytest.approx(np.log(rates[0][1] / (1 - rates[0][1])))
