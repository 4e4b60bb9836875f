"""The checks of notebook 07 accept every right answer, name what is wrong, and have their facts."""

import inspect
import math

import numpy as np
import pytest

from course_lib.checks import sparse_mw as checks
from course_lib.checks import sparse_mw_slips
from course_lib.checks.one_number import right
from course_lib.checks.solutions import sparse_mw as solutions
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_size
from tests.wrong_answers import sparse_mw, sparse_mw_potential, sparse_mw_right

# name: (check, right answers, wrong ones, what is said of a right one), for test_checks_functions
FUNCTIONS = {
    "my_size": (
        checks.check_smw_size,
        sparse_mw_right.RIGHT_SIZE,
        sparse_mw.WRONG_SIZE,
        "Right: for 6 choices of m and α your number is the smallest one.",
    ),
    "my_potential": (
        checks.check_potential,
        sparse_mw_right.RIGHT_POTENTIAL,
        sparse_mw_potential.WRONG_POTENTIAL,
        "Right: in 6 states your number is the relative entropy, with the rest 1 − ρ of D on the",
    ),
}
# name: (model, axes, cases), for test_checks_slips
TASKS = {
    "my_size": (sparse_mw_slips.size, sparse_mw_slips.SIZE_AXES, checks.SETTINGS),
    "my_potential": (sparse_mw_slips.potential, sparse_mw_slips.POTENTIAL_AXES, checks.STATES),
}


def test_the_size_is_that_of_the_theorem():
    found = right(sparse_mw_slips.size, checks.SETTINGS, sparse_mw_slips.SIZE_AXES)
    assert found.tolist() == [smw_size(**case) for case in checks.SETTINGS]
    for case in checks.SETTINGS:
        assert 0.01 < smw_size(**case) - sparse_mw.root(**case) < 0.99  # no rounding decides


@pytest.mark.parametrize(("support", "alpha"), [(1, 0.99), (2, 0.5), (100, 0.1), (100, 0.05)])
def test_the_solution_finds_the_size(support, alpha):
    expected = smw_size(support=support, alpha=alpha)
    assert solutions.my_size(support, alpha) == expected


def test_the_potential_is_the_relative_entropy_on_all_variables():
    found = right(sparse_mw_slips.potential, checks.STATES, sparse_mw_slips.POTENTIAL_AXES)
    oracle = sparse_mw_right.on_all_variables
    expected = [float(oracle(*case.values())) for case in checks.STATES]
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-15)
    for case in checks.STATES:
        assert sum(case["truth"].values()) == 1
        assert sum(case["weights"].values()) < 1
        assert len(case["weights"]) < case["size"]


@pytest.mark.parametrize("answer", [solutions.which_step_fails, "d", "(D)"])
def test_lemma_6_fails(verdict, answer):
    text = verdict(checks.check_lemma_6, answer)
    assert text.startswith("Right: Ψ leaves out the rest 1 − ρ that D has on elements never")
    assert "has 0.3988 on the hypothesis and 0.25 on D." in text
    assert "Ψ rises by 0.00268, while the potential with the rest falls by 0.00715" in text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a", "this is true. The sum is at least ρ ln ρ"),
        ("b", "this is true. At the start every variable has 1/s"),
        ("c", "this is true, with a slip: ind begins with 1"),
        ("e", "the theorem is true, and the bound is even better"),
        ("", 'answer with one of "a", "b", "c", "d", "e"; you gave \'\'.'),
    ],
)
def test_each_other_step_is_answered(verdict, answer, message):
    text = verdict(checks.check_lemma_6, answer)
    assert text.startswith("Not yet: ")
    assert message in text


def test_the_rise_is_that_of_the_algorithm():
    learner = SparseMultiplicativeWeights(support=20, alpha=0.1)
    names = [f"b{i}" for i in range(1, 20)]
    raised = dict.fromkeys(["a", *names], 1.0)
    truth = {"a": 0.5, "never asked": 0.5}
    for _ in range(163):
        assert 0.5 - learner.evaluate(raised) >= learner.alpha
        learner.update(raised, 0.5)
    lowered = {"a": 0.5} | dict.fromkeys(names, 1.0)
    before = {x: learner.evaluate({x: 1.0}) for x in raised}
    hypothesis = learner.evaluate(lowered)
    assert hypothesis - 0.25 >= learner.alpha
    learner.update(lowered, 0.25)
    after = {x: learner.evaluate({x: 1.0}) for x in raised}
    printed = 0.5 * math.log(after["a"] / before["a"])
    repaired, then = (
        solutions.my_potential(truth, weights, learner.size) for weights in (before, after)
    )
    expected = (hypothesis, 0.25, printed, repaired - then)
    assert np.allclose(checks.risen(), expected, rtol=1e-6)
    assert printed < 0 < learner.alpha**2 / 4 < repaired - then


def test_solutions_have_the_stubs_parameters():
    signatures = {"my_size": "(support, alpha)", "my_potential": "(truth, weights, size)"}
    for name, expected in signatures.items():
        assert str(inspect.signature(getattr(solutions, name))) == expected
