"""The exercises of notebook 10: the rule against simulated noise, and the numbers that are told."""

import math

import numpy as np
import pytest

from course_lib.checks import choosing_a_mechanism as checks


@pytest.mark.parametrize(
    "k, size, n, epsilon", [(4, 16, 50, 1.0), (30, 64, 400, 0.5), (9, 8, 20, 0.1)]
)
def test_the_rule_is_the_smallest_measured_standard_deviation(k, size, n, epsilon):
    rng = np.random.default_rng(0)
    answers = rng.laplace(scale=k / (epsilon * n), size=200_000).std()
    half = rng.laplace(scale=2 / (epsilon * n), size=(200_000, size // 2)).sum(axis=1).std()
    off = {"answers": answers, "histogram": half, "guess": 0.5}
    smallest, second = sorted(off.values())[:2]
    assert second > 1.03 * smallest  # so simulation decides
    assert checks.check_choice.solution(k, size, n, epsilon) == min(off, key=off.get)


def test_no_case_is_on_a_border():
    for k, size, n, epsilon in checks.check_choice.cases:
        off = sorted([math.sqrt(2) * k / (epsilon * n), 2 * math.sqrt(size) / (epsilon * n), 0.5])
        assert off[1] > 1.001 * off[0]
    found = [checks.check_choice.solution(*case) for case in checks.check_choice.cases]
    assert {found.count(name) >= 5 for name in checks.NAMES} == {True}


def test_the_border_of_the_praise():
    assert 22**2 < 2 * 256 < 23**2


def test_the_number_of_shares_by_simulation():
    """The median of the largest of k noises of scale k/(εn), in 100,001 runs each."""
    rng = np.random.default_rng(1)
    for k, enough in (15, True), (16, False):
        largest = np.sort(np.abs(rng.laplace(scale=k / 20_190, size=(100_001, k))).max(axis=1))
        low, high = largest[[49_000, 51_000]]  # six standard deviations
        assert high < 0.0024 if enough else low > 0.0024
        assert low < checks._typical(k) < high
    assert "0.00250" in checks.check_shares.slips[16] and f"{checks._typical(16):.5f}" == "0.00250"


def test_what_other_readings_give():
    limit = 0.0024 * 20_190
    readings = {
        14: lambda k: k * math.log(2 * k),
        69: lambda k: k * math.log(2),
        48: lambda k: k,
        9: lambda k: -k * math.log(1 - 0.95 ** (1 / k)),
        15: lambda k: -k * math.log(1 - 0.5 ** (1 / k)),
    }
    for number, error in readings.items():
        assert error(number) <= limit < error(number + 1)
    assert set(checks.check_shares.slips) == (set(readings) | {16}) - {15}
