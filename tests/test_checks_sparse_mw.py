"""What the exercises of notebook 07 say is so, and the solutions are the library's structure."""

import math

import numpy as np
from scipy.special import rel_entr

from course_lib.checks.solutions import sparse_mw as solutions
from course_lib.checks.sparse_mw import check_lazy_update, check_potential, check_smw_size
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_size


def test_the_size_is_that_of_the_theorem_and_no_rounding_decides():
    for support, alpha in [*check_smw_size.cases, (100, 0.1), (100, 0.05)]:
        size = solutions.my_size(support, alpha)
        assert size == smw_size(support=support, alpha=alpha)
        for near, sign in (size, 1), (size - 1, -1):
            over = near / (math.log(near) + 1) - 4 * support / alpha**2
            assert sign * over > 1e-6


def test_the_potential_is_the_relative_entropy_on_all_variables():
    for truth, weights, size in check_potential.cases:
        free = size - len(weights)
        hypothesis = [*weights.values()] + [(1 - sum(weights.values())) / free] * free
        rest = (1 - sum(truth.get(x, 0) for x in weights)) / free
        shares = [truth.get(x, 0) for x in weights] + [rest] * free
        assert math.isclose(sum(shares), 1) and math.isclose(sum(hypothesis), 1)
        expected = rel_entr(shares, hypothesis).sum()
        assert math.isclose(solutions.my_potential(truth, weights, size), expected, abs_tol=1e-12)


def test_the_step_is_that_of_the_structure():
    learner, weights = SparseMultiplicativeWeights(support=3, alpha=0.3), {}
    for query, value in (
        ({"a": 1.0, "b": 0.5}, 0.9), ({"b": 1.0, "c": 0.0}, 0.8), ({"a": 1, "b": 1, "c": 1}, 0.001),
    ):  # fmt: skip
        learner.update(query, value)
        weights = solutions.my_lazy_update(weights, query, value, learner.size, 0.3)
        total = sum(weights.values()) + learner.size - len(weights)
        for element in "abcd":
            share = weights.get(element, 1) / total
            assert math.isclose(learner.evaluate({element: 1.0}), share, rel_tol=1e-9)
        assert len(weights) == learner.assigned


def test_no_rounding_decides_on_which_side_a_value_is():
    for weights, query, value, size, _ in check_lazy_update.cases:
        total = sum(weights.values()) + size - len(weights)
        guess = sum(q * weights.get(x, 1) for x, q in query.items()) / total
        assert abs(value - guess) > 1e-3


def test_a_valid_update_can_raise_the_printed_potential():
    """α = 0.1, m = 20 and half of D never asked about, as the reason for d says."""
    learner = SparseMultiplicativeWeights(support=20, alpha=0.1)
    names = [f"b{i}" for i in range(1, 20)]
    raised = dict.fromkeys(["a", *names], 1.0)
    for _ in range(163):
        assert 0.5 - learner.evaluate(raised) >= learner.alpha
        learner.update(raised, 0.5)
    lowered = {"a": 0.5} | dict.fromkeys(names, 1.0)
    states = []
    for _ in range(2):
        states.append({x: learner.evaluate({x: 1.0}) for x in raised})
        if len(states) == 1:
            assert learner.evaluate(lowered) - 0.25 >= learner.alpha
            learner.update(lowered, 0.25)
    before, after = states
    truth = {"a": 0.5, "never asked": 0.5}
    potentials = [solutions.my_potential(truth, each, learner.size) for each in states]
    assert 0.5 * math.log(after["a"] / before["a"]) < 0  # Ψ rises by this
    assert np.subtract(*potentials) > learner.alpha**2 / 4
