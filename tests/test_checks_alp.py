"""What the exercises of notebook 08 say is so, and their cases show what they should."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from course_lib.alp import alp_expected_error
from course_lib.checks.alp import check_best_alpha, check_flip, check_rounding
from course_lib.checks.laws import FALSE_ALARM
from course_lib.checks.solutions import alp, threshold_alp
from course_lib.checks.threshold_alp import check_level, check_threshold
from course_lib.lab.confidence import clopper_pearson
from course_lib.threshold_alp import threshold_level

LAWS = {each.name: each for each in (check_flip, check_rounding, check_threshold)}


def refused(exercise, case, true):
    """For each event the exact probability that it alone has an answer refused."""
    level = FALSE_ALARM / sum(len(each.table[0]) for each in exercise.cases)
    seen = np.arange(case.runs + 1)
    low, high = clopper_pearson(seen, case.runs, confidence=1 - level)
    for claimed, rate in zip(case.table[1], true, strict=True):
        yield binom.pmf(seen, case.runs, rate)[(claimed < low) | (claimed > high)].sum()


@pytest.mark.parametrize("name", LAWS)
def test_the_law_is_one_and_a_right_answer_is_refused_once_in_a_million(name):
    exercise = LAWS[name]
    assert all(math.isclose(sum(case.law.values()), 1) for case in exercise.cases)
    refusals = (sum(refused(exercise, case, case.table[1])) for case in exercise.cases)
    assert sum(refusals) <= FALSE_ALARM == 1e-6


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_flips_a_quarter_more_or_less_often_are_seen(factor):
    case = check_flip.cases[0]
    chance = {label: 0.0 for label in case.law}
    p = factor / 4
    for label in chance:
        same = sum(a == b for a, b in zip(label.split(", "), "0110", strict=True))
        chance[label] = (1 - p) ** same * p ** (4 - same)
    true = (case.table[2] @ np.array(list(chance.values()))).clip(0, 1)
    assert max(refused(check_flip, case, true)) >= 0.99


def test_the_best_alpha_is_where_the_bound_is_lowest():
    for (load,) in check_best_alpha.cases:
        found = minimize_scalar(
            lambda alpha, load=load: alp_expected_error(load=load, alpha=alpha, epsilon=1),
            bounds=(0.5, 10), method="bounded", options={"xatol": 1e-9},
        )  # fmt: skip
        assert math.isclose(alp.best_alpha(load), found.x, rel_tol=1e-5)


def test_the_level_is_the_library_s_for_one_zero():
    assert math.isclose(
        threshold_alp.my_level(1000, 1, 0.5), threshold_level(dimension=1000, epsilon=0.5)
    )
    assert all(0 < 2 * zeros < dimension for dimension, zeros, _ in check_level.cases)
