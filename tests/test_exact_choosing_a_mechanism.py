"""The promises of notebook 10 against the formulas on paper, and the exact share of a budget."""

import itertools
import math

import numpy as np
import pytest

from course_lib.exact.choosing_a_mechanism import (
    ALARM,
    COLUMNS,
    DASHBOARD,
    ahead_from,
    alarm_promises,
    column_bytes,
    dashboard_promises,
)
from course_lib.exact.composition import exact_composition_delta, exact_per_run
from course_lib.support.contracts import ParameterError


def delta_of(runs, epsilon, total):
    """Σ max(0, P − e^total Q) over all strings of kept and flipped bits."""
    keep, found = 1 / (1 + math.exp(-epsilon)), 0.0
    for bits in itertools.product((keep, 1 - keep), repeat=runs):
        p = math.prod(bits)
        q = math.prod(1 - bit for bit in bits)
        found += max(0.0, p - math.exp(total) * q)
    return found


@pytest.mark.parametrize("runs", [1, 2, 3, 8, 11])
@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-6), (0.1, 0.01), (4.0, 0.2)])
def test_the_exact_share_is_the_largest_that_keeps_the_total(runs, epsilon, delta):
    share = exact_per_run(runs=runs, epsilon=epsilon, delta=delta)
    assert share >= epsilon / runs * (1 - 1e-9)
    assert delta_of(runs, share * (1 - 1e-8), epsilon) <= delta * (1 + 1e-6)
    assert delta_of(runs, share * (1 + 1e-6), epsilon) > delta


def test_the_exact_share_takes_many_points_at_once():
    runs = np.array([[1, 255], [36, 987]])
    found = exact_per_run(runs=runs, epsilon=1.0, delta=1e-6)
    assert found.shape == (2, 2)
    assert found[1, 0] == exact_per_run(runs=36, epsilon=1.0, delta=1e-6)


@pytest.mark.parametrize("delta", [0.5, 1e-6, 1e-12, 1e-100, 1e-290])
@pytest.mark.parametrize("epsilon", [700.0, 5.0, 0.1, 1e-3, 1e-6])
def test_the_share_of_many_runs_is_the_largest_to_nine_digits(epsilon, delta):
    """By the sum over all flips, also where the difference of two tails would lose digits."""
    runs = np.array([1, 40, 3_000, 1_000_000])
    share = exact_per_run(runs=runs, epsilon=epsilon, delta=delta)
    less, more = (
        exact_composition_delta(runs=runs, epsilon=share * factor, total=epsilon)
        for factor in (1 - 1e-9, 1 + 1e-9)
    )
    assert (less <= delta).all() and (more > delta).all()


def log_comb(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def advanced_share(runs, epsilon, delta):
    """The root of ε₀(√(2k ln 1/δ) + k(e^ε₀ − 1)) = ε, by bisection."""
    low, high = 0.0, epsilon
    for _ in range(100):
        share = (low + high) / 2
        spent = share * (math.sqrt(2 * runs * math.log(1 / delta)) + runs * math.expm1(share))
        low, high = (share, high) if spent <= epsilon else (low, share)
    return low


def test_what_is_promised_for_shares():
    """Laplace by basic composition, no union bound; the histogram is well above what it needs."""
    n, size, k = 10**5, 64, 4
    found = dict(
        zip(
            DASHBOARD,
            dashboard_promises(
                n=n, universe_size=size, num_queries=k, beta=0.05, epsilon=0.5, delta=1e-6
            ),
            strict=True,
        )
    )
    answers = -math.log(1 - 0.95 ** (1 / k)) * k / (0.5 * n)
    assert found["noise on each answer"] == pytest.approx(answers)
    assert found["a guess"] == 0.5
    many = dashboard_promises(
        n=n, universe_size=size, num_queries=10_000, beta=0.05, epsilon=0.5, delta=1e-6
    )
    advanced = -math.log(1 - 0.95**1e-4) / (advanced_share(10_000, 0.5, 1e-6) * n)
    assert many[0] == pytest.approx(advanced)
    rng = np.random.default_rng(0)
    noise = np.abs(rng.laplace(scale=2 / 0.5, size=(20_000, size)).sum(axis=1)) / n
    assert np.mean(noise > found["noise on the table"]) < 0.05 / k
    # SmallDB: the best of many sizes m, the lemma with |R| counted
    lemma = min(
        math.sqrt(math.log(k) / m) + 2 * (log_comb(size + m - 1, m) - math.log(0.05)) / (0.5 * n)
        for m in range(1, 100_000)
    )
    assert found["SmallDB"] == pytest.approx(lemma, rel=1e-3)
    # OnlineIC at δ = 0: α³ = 48 ln|X| (ln 2k + ln(3/β))/(εn), and three times that
    cubed = 48 * math.log(size) * (math.log(2 * k) + math.log(3 / 0.05)) / (0.5 * n)
    assert 0.2 * 3 * cubed ** (1 / 3) < found["OnlineIC"] <= 3 * cubed ** (1 / 3) * (1 + 1e-9)


def test_what_is_promised_for_an_alarm():
    given = {"n": 10**4, "universe_size": 256, "num_queries": 1000, "beta": 0.05}
    alarm, answers, table, guess = alarm_promises(**given, cutoff=1, epsilon=1.0, delta=1e-6)
    assert alarm == pytest.approx(84.7730, abs=1e-4) and guess == 5000
    assert len(ALARM) == 4
    assert answers == pytest.approx(-math.log(1 - 0.95**0.001) / advanced_share(1000, 1.0, 1e-6))
    many = alarm_promises(**given, cutoff=[1, 50, 1000], epsilon=1.0, delta=1e-6)
    assert (
        many.shape == (4, 3) and (np.diff(many[0]) > 0).all() and (many[1:, 0] == many[1:, 2]).all()
    )
    noise = np.abs(np.random.default_rng(0).laplace(size=(20_000, 256)).sum(axis=1))
    assert np.mean(noise > table) < 0.05 / 1000 < 0.01 < np.mean(noise > table / 2)


def test_what_the_columns_take():
    sizes = column_bytes(dimension=[1e6, 1e12], support=100, cap=50, alpha=3.0, epsilon=1.0)
    dense, alp, threshold, guess = sizes
    assert dense.tolist() == [8e6, 8e12] and (threshold == 16 * 101).all() and (guess == 0).all()
    # ⌈50/3⌉ = 17 levels of 400 bits, and for each a hash function: 64 numbers of 9 bits
    assert alp == pytest.approx(17 * (400 + 64 * 9) / 8)
    assert len(COLUMNS) == len(sizes)


@pytest.mark.parametrize("crossing", [3, 37, 900])
@pytest.mark.parametrize("power", [0.2, 1.0, 3.0])
def test_a_power_of_the_number_is_above_1_from_its_crossing_on(crossing, power):
    many = np.geomspace(2, 1000, 12)
    assert ahead_from(many, (many / crossing) ** power) == crossing


def test_a_ratio_is_above_1_from_the_first_on_from_its_first_crossing_or_never():
    assert ahead_from([2, 5], [1.5, 3]) == 2
    assert ahead_from([1, 4, 9, 16], [0.5, 2, 0.5, 2]) == 2  # half-way from 1 to 4, by logs
    assert ahead_from([2, 5], [1.5, 0.5]) == 2
    assert ahead_from([2, 5], [0.5, 1]) is None and ahead_from([2, 5], [1, 0.5]) is None
    with pytest.raises(ParameterError, match="ratio must be one for each of many"):
        ahead_from([2, 5], [0.5])
