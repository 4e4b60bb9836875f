"""Intervals for rates, quantiles and means against their definition and by full enumeration."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from course_lib.lab.confidence import (
    clopper_pearson,
    log_odds_interval,
    log_ratio_interval,
    normal_interval,
    quantile_interval,
    student_interval,
)
from course_lib.support.contracts import ParameterError


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


def chance_within(low, high, trials, share):
    """That from low to high of the trials succeed, in plain Python."""
    return sum(
        math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(low, high + 1)
    )


@pytest.mark.parametrize("trials, beta", [(30, 0.5), (60, 0.1), (300, 0.05)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_two_values_enclose_the_quantile_with_the_stated_probability(trials, beta, confidence):
    """With the numbers 1, 2, … for values an end is its rank; neither end may be one further in.

    The quantile lies from the low value to the high one if at least so many values, and less than
    so many, are below it.
    """
    values = np.arange(1, trials + 1)
    found, low, high = quantile_interval(values, beta=beta, confidence=confidence).astype(int)
    assert found == math.ceil((1 - beta) * trials)
    tail = (1 - confidence) / 2
    assert chance_within(low, high - 1, trials, 1 - beta) >= confidence
    assert chance_within(0, low - 1, trials, 1 - beta) <= tail
    assert chance_within(0, low, trials, 1 - beta) > tail
    assert chance_within(high, trials, trials, 1 - beta) <= tail
    assert chance_within(high - 1, trials, trials, 1 - beta) > tail


def test_too_few_values_leave_an_end_open():
    assert quantile_interval([3.0, 5.0], beta=0.5).tolist() == [3.0, -np.inf, np.inf]
    assert quantile_interval([3.0] * 20, beta=0.01).tolist() == [3.0, 3.0, np.inf]
    assert quantile_interval([3.0] * 20, beta=0.99).tolist() == [3.0, -np.inf, 3.0]


def test_rows_of_values_have_a_quantile_each_with_95_per_cent_unless_said():
    values = np.sort(np.random.default_rng(0).random((3, 400)))
    found = quantile_interval(values, beta=0.1)
    assert found.shape == (3, 3)
    for i in range(3):
        one = quantile_interval(values[i], beta=0.1, confidence=0.95)
        assert found[:, i].tolist() == one.tolist()


@pytest.mark.parametrize("values", [3.0, [2.0, 1.0], [[1.0, 2.0], [2.0, 1.0]]])
def test_values_must_be_in_order(values):
    with pytest.raises(ValueError, match="values must be in increasing order"):
        quantile_interval(values, beta=0.1)


def test_the_interval_of_a_log_ratio_has_the_far_ends_of_both():
    (a, b), (c, d) = (clopper_pearson(n, 50, confidence=0.9) for n in (20, 7))
    got = log_ratio_interval(20, 7, 50, confidence=0.9)
    assert got == pytest.approx((np.log(a / d), np.log(b / c)))
    low, high = log_ratio_interval([0, 5], [5, 0], 50)
    assert low[0] == -np.inf and high[1] == np.inf and np.isfinite([low[1], high[0]]).all()


def test_a_log_ratio_is_covered_but_for_twice_the_doubt():
    """Every pair of counts out of 30, for rates 0.3 and 0.6: exactly as often as both are held."""
    counts = np.arange(31)
    low, high = log_ratio_interval(counts[:, None], counts[None, :], 30, confidence=0.95)
    held = (low <= np.log(0.5)) & (np.log(0.5) <= high)
    law = np.outer(binom.pmf(counts, 30, 0.3), binom.pmf(counts, 30, 0.6))
    assert law[held].sum() >= 0.9


def test_intervals_of_means_by_hand():
    """Of 1, 2, 3, 6 the standard error is sqrt(14/3/4); Student's t with 3 degrees has 3.1824."""
    mean, half = normal_interval([[1, 2, 3, 6], [5, 5, 5, 5]])
    assert mean.tolist() == [3, 5] and half == pytest.approx([1.96 * (14 / 12) ** 0.5, 0])
    assert normal_interval([1, 2, 3, 6]) == (3, half[0])
    mean, half = student_interval([1, 2, 3, 6])
    assert mean == 3 and half == pytest.approx(3.182446 * (14 / 12) ** 0.5)


def test_student_s_interval_of_six_samples_holds_95_times_in_100():
    """10,000 times, within 4 standard errors; the normal one holds 89 times."""
    samples = np.random.default_rng(0).normal(loc=2, scale=3, size=(10_000, 6))
    for interval, rate in ((student_interval, 0.95), (normal_interval, 0.8927)):
        mean, half = interval(samples)
        assert (
            abs(np.mean(np.abs(mean - 2) <= half) - rate) < 4 * (rate * (1 - rate) / 10_000) ** 0.5
        )


@pytest.mark.parametrize("samples", [[3.0], [[1.0], [2.0]], 5.0])
def test_one_sample_has_no_interval(samples):
    for interval in (normal_interval, student_interval):
        with pytest.raises(ParameterError, match="samples must be two or more"):
            interval(samples)
