"""The exercises of notebook 00: what the released counts show, and what is said of them."""

import numpy as np
import pytest
from scipy.stats import binom, laplace

from course_lib.checks.solutions.start_here import my_answers, my_count
from course_lib.checks.start_here import KINDS, check_count, check_release
from tests.power import law_refusals


@pytest.mark.parametrize("factor", [1.25, 0.8])
def test_a_scale_off_by_a_quarter_is_seen_in_every_case_with_power_99_percent(factor):
    law = np.diff(laplace.cdf([-np.inf, *KINDS.values()], scale=factor))
    for case in check_release.cases:
        other = dict(zip(case.law, law, strict=True))
        assert max(law_refusals(check_release, case, other)) >= 0.99


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
