"""What the exercises of notebook 01 say is so, and their streams show what they should."""

import numpy as np
import pytest

from course_lib.above_threshold import above_threshold_alpha
from course_lib.checks.above_threshold import check_above_threshold, check_doubling
from course_lib.exact.family import Variant
from course_lib.exact.transcripts import exact_loss, first_above_law
from course_lib.lab.trials import above_threshold_trials
from course_lib.support.answers import ABOVE, BELOW
from tests.power import law_refusals

NEAR = [case for case in check_above_threshold.cases if case.runs > 20]


def firsts(case, threshold_factor=2, query_factor=4):
    """The law of a case, with other scales, by another integral."""
    given = case.given.given
    unit = given["sensitivity"] / given["epsilon"]
    row = Variant("", threshold_factor * unit, query_factor * unit, True, None, 1)
    law = first_above_law(row, case.given.values, threshold=given["threshold"])
    labels = [" ".join("⊥" * i + "⊤") for i in range(len(law) - 1)] + [
        " ".join("⊥" * (len(law) - 1))
    ]
    return dict(zip(labels, law, strict=True))


def test_the_law_is_that_of_the_simulated_mechanism():
    for case in NEAR:
        assert firsts(case) == pytest.approx(case.law, abs=1e-9)
        given = case.given.given
        first = above_threshold_trials(
            case.given.values, threshold=given["threshold"], trials=200_000,
            epsilon=given["epsilon"] / given["sensitivity"], rng=np.random.default_rng(5),
        )  # fmt: skip
        none = np.mean(first == len(case.given.values))
        exact = case.law[" ".join("⊥" * len(case.given.values))]
        assert abs(none - exact) < 5 * np.sqrt(exact / 200_000)


@pytest.mark.parametrize("factors", [(2.5, 4), (1.6, 4), (2, 5), (2, 3.2), (2.5, 5), (1.6, 3.2)])
def test_a_scale_off_by_a_quarter_is_seen_with_power_99_percent(factors):
    found = (law_refusals(check_above_threshold, case, firsts(case, *factors)) for case in NEAR)
    assert max(map(max, found)) >= 0.99


def test_alpha_doubles_there():
    doubled, alpha = (
        above_threshold_alpha(num_queries=k, beta=0.05, epsilon=1)
        for k in (check_doubling.solution, 1000)
    )
    assert np.isclose(doubled, 2 * alpha) and check_doubling.solution / 1000 == 40_000


SLIP = Variant("Lap(1/ε) and Lap(2/ε)", 1.0, 2.0, True, None, 1)


def test_what_is_said_of_the_four_tests_is_so():
    """(b) is passed, (c) finds 1.5 ε, and the pair on which all values move up finds only ε."""
    alpha = above_threshold_alpha(num_queries=20, beta=0.05, epsilon=1)
    succeeds = first_above_law(SLIP, [-alpha] * 19 + [alpha], threshold=0)[19]
    assert 1 - succeeds < 0.05
    answers, counts = [BELOW, ABOVE], [99, 1]
    loss = exact_loss(SLIP, [0, 0], [1, 0], answers, threshold=0, counts=counts)
    assert np.isclose(loss, 1.5, atol=1e-3)
    loss = exact_loss(SLIP, [0, 0], [1, 1], answers, threshold=0, counts=counts)
    assert abs(loss) <= 1 + 1e-9
