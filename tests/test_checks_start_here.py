"""The exercises of notebook 00: what the released counts show, and what is said of them."""

import numpy as np
import pytest
from scipy.stats import binom, laplace

from course_lib.checks.laws import FALSE_ALARM
from course_lib.checks.solutions.start_here import my_answers, my_count
from course_lib.checks.start_here import KINDS, check_count, check_release
from course_lib.lab.confidence import clopper_pearson

CASES = check_release.cases
LEVEL = FALSE_ALARM / sum(len(case.table[0]) for case in CASES)


def refused(case, factor):
    """For each event the exact probability that it alone has refused noise of another scale."""
    law = np.diff(laplace.cdf([-np.inf, *KINDS.values()], scale=factor))
    seen = np.arange(case.runs + 1)
    low, high = clopper_pearson(seen, case.runs, confidence=1 - LEVEL)
    for claimed, rate in zip(case.table[1], (case.table[2] @ law).clip(0, 1), strict=True):
        yield binom.pmf(seen, case.runs, rate)[(claimed < low) | (claimed > high)].sum()


def test_at_most_one_right_answer_in_a_million_is_refused():
    assert sum(sum(refused(case, 1)) for case in CASES) <= FALSE_ALARM == 1e-6


@pytest.mark.parametrize("factor", [1.25, 0.8])
def test_a_scale_off_by_a_quarter_is_seen_in_every_case_with_power_99_percent(factor):
    assert all(max(refused(case, factor)) >= 0.99 for case in CASES)


def test_the_estimate_is_right_on_average_and_is_not_once_it_is_cut():
    n, ones, epsilon = 5, 1, 0.5
    flip = 1 / (1 + np.exp(epsilon))
    kept, made = binom.pmf(range(2), ones, 1 - flip), binom.pmf(range(5), n - ones, flip)
    law = np.convolve(kept, made)
    estimates = np.array([my_count(yes, n, epsilon) for yes in range(n + 1)])
    assert np.isclose(law @ estimates, ones) and estimates[0] < 0 and estimates[-1] > n
    assert abs(law @ estimates.clip(0, n) - ones) > 0.1


def test_the_cases_have_estimates_on_both_sides_of_0_and_n():
    estimates = [(my_count(*case), case[1]) for case in check_count.cases]
    assert any(each < 0 for each, _ in estimates) and any(each > n for each, n in estimates)


def test_what_is_praised_of_the_budget_is_so():
    assert my_answers(2, 3000, 0.01) == pytest.approx(2 * my_answers(1, 3000, 0.01), abs=1)
    assert my_answers(1, 6000, 0.01) == my_answers(2, 3000, 0.01)
    assert my_answers(1, 3000, 0.01) == pytest.approx(2 * my_answers(1, 3000, 1e-4), abs=1)
