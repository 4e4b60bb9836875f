"""The checks of notebook 05 accept every right answer, name what is wrong, and have their facts."""

import inspect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from course_lib.checks import small_db as checks
from course_lib.checks import small_db_slips
from course_lib.checks.one_number import right
from course_lib.checks.solutions import small_db as solutions
from course_lib.linear_queries import Universe, marginals
from course_lib.small_db import small_db_size
from tests.wrong_answers import small_db, small_db_bounds, small_db_right

# name: (check, right answers, wrong ones, what is said of a right one), for test_checks_functions
FUNCTIONS = {
    "my_utility": (
        checks.check_utility,
        small_db_right.RIGHT_UTILITY,
        small_db.WRONG_UTILITY,
        "Right: for 6 pairs of databases your number is minus the largest error",
    ),
    "my_size": (
        checks.check_size,
        small_db_right.RIGHT_SIZE,
        small_db_bounds.WRONG_SIZE,
        "Right: for 6 choices of d, order and α your number is ⌈ln|Q|/α²⌉.",
    ),
    "my_sensitivity": (
        checks.check_sensitivity,
        small_db_right.RIGHT_SENSITIVITY,
        small_db_bounds.WRONG_SENSITIVITY,
        "Right: (max q − min q)/n for a row replaced, (max q − min q)/(n + 1) for a row added",
    ),
}
# name: (model, axes, cases), for test_checks_slips
TASKS = {
    "my_utility": (small_db_slips.utility, small_db_slips.UTILITY_AXES, checks.PAIRS),
    "my_size": (small_db_slips.size, small_db_slips.SIZE_AXES, checks.SETTINGS),
    "my_sensitivity": (
        small_db_slips.sensitivity,
        small_db_slips.SENSITIVITY_AXES,
        checks.QUESTIONS,
    ),
}


def test_the_utility_is_that_of_exact_fractions():
    oracle = small_db_right.in_fractions
    expected = [float(oracle(*case.values())) for case in checks.PAIRS]
    found = right(small_db_slips.utility, checks.PAIRS, small_db_slips.UTILITY_AXES)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_the_size_is_that_of_the_marginals():
    found = right(small_db_slips.size, checks.SETTINGS, small_db_slips.SIZE_AXES)
    for case, rows in zip(checks.SETTINGS, found, strict=True):
        universe = Universe(tuple(map(str, range(case["num_attributes"]))))
        queries = marginals(universe, order=case["order"])
        assert rows == small_db_size(num_queries=len(queries), alpha=case["alpha"])
        exact = math.log(len(queries)) / case["alpha"] ** 2
        assert 0.01 < rows - exact < 0.99  # no rounding of the computer decides


def test_so_many_rows_are_enough_for_a_small_database_to_exist():
    for queries, alpha in itertools.product(range(2, 300), (0.05, 0.1, 0.35, 0.9)):
        fewer = math.ceil(math.log(2 * queries) / (2 * alpha**2))
        assert fewer <= small_db_size(num_queries=queries, alpha=alpha)
        assert 2 * queries * math.exp(-2 * fewer * alpha**2) < 1 + 1e-12


def mean(rows):
    return Fraction(sum(rows), len(rows))


@pytest.mark.parametrize("tenths", [(2, 9, 5), (0, 7, 3, 1), (10, 2), (0, 10, 10, 0), (6, 6)])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_sensitivities_are_those_of_all_databases(tenths, n):
    replaced = added = 0
    for rows in itertools.product(tenths, repeat=n):
        for new in tenths:
            added = max(added, abs(mean((*rows, new)) - mean(rows)))
            replaced = max(replaced, abs(mean((*rows[1:], new)) - mean(rows)))
    spread = max(tenths) - min(tenths)
    assert replaced == Fraction(spread, n)
    assert added == Fraction(spread, n + 1)
    query = np.array(tenths) / 10
    for change, exact in (("replace", replaced), ("add", added)):
        assert math.isclose(solutions.my_sensitivity(query, n, change), exact / 10)


def test_solutions_have_the_stubs_parameters():
    signatures = {
        "my_utility": "(histogram, candidate, queries)",
        "my_size": "(num_attributes, order, alpha)",
        "my_sensitivity": "(query, n, change)",
    }
    for name, expected in signatures.items():
        assert str(inspect.signature(getattr(solutions, name))) == expected
