"""The exercises of notebook 05: the law that judges, its power, and what is said of the answers."""

import math

import numpy as np
import pytest

from course_lib.checks import small_db as checks
from course_lib.linear_queries import Universe, marginals
from course_lib.small_db import scored, small_db_size
from course_lib.toolbox import exponential_mechanism_law
from tests.power import law_refusals

CASES = checks.check_small_db.cases


@pytest.mark.parametrize("factor", [1.25, 0.8])
def test_an_epsilon_off_by_a_quarter_is_seen_with_power_99_percent(factor):
    found = []
    for case in CASES:
        law, _ = checks._law(case.given._replace(epsilon=factor * case.given.epsilon))
        found += list(law_refusals(checks.check_small_db, case, law))
    assert max(found) >= 0.99


def test_the_law_is_that_of_the_slide():
    given = CASES[0].given
    alpha = math.sqrt(math.log(len(given.queries)) / given.size) * 1.001
    ((candidates, away),) = scored(given.histogram, given.queries, alpha)
    n = given.histogram.sum()
    law = exponential_mechanism_law(-away, sensitivity=1 / n, epsilon=given.epsilon)
    labels = [checks.small_database(given, each) for each in candidates.T]
    assert CASES[0].law == pytest.approx(dict(zip(labels, law, strict=True)))


def test_the_correlation_is_as_said():
    queries, real = marginals(Universe(("a", "b"))), np.array([3, 3, 3, 3])
    ((candidates, away),) = scored(real, queries, 0.4)
    law = exponential_mechanism_law(-away, sensitivity=1 / real.sum(), epsilon=1.0)
    one, both = queries.rows[[0, 2]] @ candidates / candidates[:, 0].sum()
    spread = np.cov([one, both], aweights=law)
    found = spread[0, 1] / math.sqrt(spread[0, 0] * spread[1, 1])
    assert f"correlation {found:.2f}." in checks.check_correlation.reasons["b"]
    assert (both <= one).all()


def test_the_sizes_are_as_said():
    for order, count in (3, 175), (10, 1023):
        assert sum(math.comb(10, j) for j in range(1, order + 1)) == count
        rows = small_db_size(num_queries=count, alpha=0.05)
        assert f"{rows:,}" in checks.check_size.praise
