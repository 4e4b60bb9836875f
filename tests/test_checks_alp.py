"""What the exercises of notebook 08 say is so, and their cases show what they should."""

import math

import pytest
from scipy.optimize import minimize_scalar

from course_lib.alp import alp_expected_error
from course_lib.checks.alp import check_best_alpha, check_flip
from course_lib.checks.solutions import alp, threshold_alp
from course_lib.checks.threshold_alp import check_level
from course_lib.threshold_alp import threshold_level
from tests.power import law_refusals


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_flips_a_quarter_more_or_less_often_are_seen(factor):
    case = check_flip.cases[0]
    chance = {label: 0.0 for label in case.law}
    p = factor / 4
    for label in chance:
        same = sum(a == b for a, b in zip(label.split(", "), "0110", strict=True))
        chance[label] = (1 - p) ** same * p ** (4 - same)
    assert max(law_refusals(check_flip, case, chance)) >= 0.99


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
