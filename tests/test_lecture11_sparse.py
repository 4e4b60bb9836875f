"""Lecture 11: the printed algorithm on recorded noise, its theorems, and the repaired one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.exact import exact_loss, failure
from course_lib.lecture11_sparse import (
    lecture11_alpha,
    lecture11_alpha_printed,
    repaired_alpha,
    sparse_as_printed,
    sparse_repaired,
)
from course_lib.numeric_sparse import numeric_sparse_alpha
from course_lib.variants import BELOW, variant
from tests.family import GivenNoise, asking

BOTH = (sparse_as_printed, sparse_repaired)


def run(mechanism, values, noise, **parameters):
    rng = GivenNoise(noise)
    parameters = {"n": 10, "threshold": 0.0, "cutoff": 2, "epsilon": 1.0} | parameters
    return list(mechanism(None, asking(values), **parameters, rng=rng)), rng.scales


def test_the_printed_algorithm_by_hand():
    """ε = 1, n = 10, c = 2: T̂ = 0.5 + 0.2 once, σ = 0.4; 0.6 is ⊥, 0.9 is out as it is, …"""
    noise = [1.0, 0.5, -0.5, 1.0, -1.0, 0.25]
    values = [0.4, 0.8, 0.5, 0.9, 0.7, 1.0]
    answers, scales = run(sparse_as_printed, values, noise, threshold=0.5)
    assert answers == [BELOW, BELOW, pytest.approx(0.9), BELOW, pytest.approx(0.8)]
    assert scales == pytest.approx([0.2, *[0.4] * 5])


def test_the_repaired_algorithm_by_hand():
    """ε = 1, n = 10, c = 2: T̂ = 0.5 + 0.3 once, comparisons 1.2, numbers with fresh 0.6."""
    noise = [1.0, 0.25, 0.25, -1.0, 0.5, -1.0, 1.0]
    answers, scales = run(sparse_repaired, [0.4, 0.6, 0.5, 2.1, 9.0], noise, threshold=0.5)
    assert answers == [BELOW, pytest.approx(0.0), pytest.approx(-0.1)]
    assert scales == pytest.approx([0.3, 1.2, 1.2, 0.6, 1.2, 0.6])


@pytest.mark.parametrize("mechanism", BOTH)
def test_equality_is_above(mechanism):
    answers, _ = run(mechanism, [0.5], [0.0] * 3, threshold=0.5, cutoff=1)
    assert answers == [0.5]


@pytest.mark.parametrize("mechanism", BOTH)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_query_is_fetched_only_after_the_answer_before_it(mechanism, delta):
    asked, told = [], []

    def analyst():
        for value in itertools.cycle([-1e6, 1e6]):
            asked.append(len(told))
            yield lambda data, value=value: value

    at = {"n": 5, "threshold": 0.0, "cutoff": 2, "epsilon": 1.0, "delta": delta}
    for answer in mechanism(None, analyst(), **at, rng=np.random.default_rng(0)):
        told.append(answer)
    assert asked == [0, 1, 2, 3] and [a is BELOW for a in told] == [True, False] * 2


def test_theorems_2_and_5_as_printed():
    at = {"num_queries": 1000, "n": 20_190, "cutoff": 5, "beta": 0.05, "epsilon": 0.5}
    logs, unit = math.log(1000) + math.log(2 / 0.05), 1 / (0.5 * 20_190)
    root = math.sqrt(128 * 5 * math.log(1e6))
    for function in (lecture11_alpha, lecture11_alpha_printed):
        assert math.isclose(function(**at), 20 * logs * unit)
        assert math.isclose(function(**at, delta=1e-6), root * logs * unit)


def test_theorem_5_needs_c_ln_1_over_delta_of_an_eighth():
    """Reference figure: δ = 0.99, c = 1, k = 1 fails with 0.068 where 0.05 is promised."""
    at = {"cutoff": 1, "epsilon": 1.0, "delta": 0.99}
    row = variant("lecture11_sparse", **at)
    printed = lecture11_alpha_printed(num_queries=1, n=1, beta=0.05, **at)
    assert math.isclose(failure(row, num_queries=1, alpha=printed), 0.068, abs_tol=5e-4)
    right = lecture11_alpha(num_queries=1, n=1, beta=0.05, **at)
    assert math.isclose(right, 4 * math.log(40))
    assert failure(row, num_queries=1, alpha=right) <= 0.05
    for delta, same in ((math.exp(-0.125), True), (math.exp(-0.124), False)):
        both = (f(num_queries=1, n=1, cutoff=1, beta=0.05, epsilon=1.0, delta=delta)
                for f in (lecture11_alpha, lecture11_alpha_printed))  # fmt: skip
        assert math.isclose(*both, rel_tol=1e-12) == same


def test_accuracy_of_the_repaired_algorithm():
    at = {"num_queries": 1000, "n": 20_190, "cutoff": 5, "beta": 0.05, "epsilon": 0.5}
    logs = math.log(1000) + math.log(3 / 0.05)
    assert math.isclose(repaired_alpha(**at), 60 * logs / (0.5 * 20_190))
    per_row = {k: v for k, v in at.items() if k != "n"}
    want = numeric_sparse_alpha(**per_row, delta=1e-6) / 20_190
    assert math.isclose(repaired_alpha(**at, delta=1e-6), want)
    assert repaired_alpha(**at, delta=[0.0, 1e-6]).tolist() == [
        repaired_alpha(**at), repaired_alpha(**at, delta=1e-6)
    ]  # fmt: skip


@given(
    st.integers(1, 40),
    st.floats(0.01, 4),
    st.sampled_from([0.0, 1e-9, 1e-3]),
    st.integers(0, 10**9),
    st.floats(1e-6, 0.9),
)
def test_failure_never_exceeds_beta_at_the_stated_alpha(cutoff, epsilon, delta, more, beta):
    """On the worst stream of counts, n = 1: all else scales with 1/n."""
    budget, k = {"cutoff": cutoff, "epsilon": epsilon, "delta": delta}, cutoff + more
    for name, bound in (
        ("lecture11_sparse", lecture11_alpha),
        ("lecture11_repaired", repaired_alpha),
    ):
        alpha = bound(num_queries=k, n=1, beta=beta, **budget)
        assert failure(variant(name, **budget), num_queries=k, alpha=alpha) <= beta


@pytest.mark.parametrize(("cutoff", "m", "loss"), [(1, 10, 5.0), (3, 50, 8.3333), (1, 8, 4.0)])
def test_theorem_3_is_false(cutoff, m, loss):
    """m times ⊥, then the number 0, loses m ε / 2c as printed, and at most ε when repaired."""
    pair, transcript = ([0, 0], [1, 0]), [BELOW, 0.0]
    for name, want in (("lecture11_sparse", m / (2 * cutoff)), ("lecture11_repaired", None)):
        row = variant(name, cutoff=cutoff, epsilon=1.0)
        found = exact_loss(row, *pair, transcript, threshold=0, counts=[m, 1])
        if want is None:
            assert found <= 1
        else:
            assert math.isclose(found, want, rel_tol=1e-9)
            assert math.isclose(found, loss, abs_tol=5e-5)


def test_the_loss_for_delta_above_0_is_unbounded_too():
    """Reference figure: m ε / √(32 c ln(1/δ))."""
    row = variant("lecture11_sparse", cutoff=2, epsilon=1.0, delta=1e-6)
    found = exact_loss(row, [0, 0], [1, 0], [BELOW, 0.0], threshold=0, counts=[1000, 1])
    assert math.isclose(found, 1000 / math.sqrt(64 * math.log(1e6)), rel_tol=1e-9)


def test_the_docstring_says_first_that_it_is_not_private():
    assert sparse_as_printed.__doc__.startswith("NOT PRIVATE")


@pytest.mark.parametrize("mechanism", BOTH)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 0}, "n must be a whole number, 1 or greater, got 0"),
        ({"n": -5}, "n must be a whole number, 1 or greater, got -5"),
        ({"n": 2.5}, "n must be a whole number, 1 or greater, got 2.5"),
        ({"cutoff": 0}, "cutoff must be a whole number, 1 or greater, got 0"),
        ({"cutoff": 1.5}, "cutoff must be .* got 1.5"),
        ({"delta": 1}, "delta must be a number with 0 <= delta < 1, got 1"),
        ({"threshold": math.nan}, "threshold must be a finite number, got nan"),
        ({"queries": []}, "queries must not be empty"),
    ],
)
def test_bad_input_is_refused_on_the_call(mechanism, changes, message):
    arguments = {"queries": asking([1]), "n": 9, "threshold": 0.0, "cutoff": 2, "epsilon": 1.0}
    arguments |= changes
    queries = arguments.pop("queries")
    with pytest.raises(ValueError, match=message):
        mechanism(None, queries, **arguments, rng=np.random.default_rng())


def test_what_no_composition_theorem_proves_is_refused():
    at = {"n": 9, "threshold": 0.0, "cutoff": 100, "epsilon": 20.0, "delta": 0.1}
    with pytest.raises(ValueError, match="epsilon must be at most .* not proved.* got 20.0"):
        sparse_repaired(None, asking([1]), **at, rng=np.random.default_rng())


@pytest.mark.parametrize("mechanism", BOTH)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_query_without_a_finite_value_is_not_answered(mechanism, delta):
    at = {"n": 9, "threshold": 0.0, "cutoff": 2, "epsilon": 9.0, "delta": delta}
    stream = mechanism(None, asking([1e6, math.nan]), **at, rng=np.random.default_rng(0))
    assert isinstance(next(stream), float)
    with pytest.raises(ValueError, match="a query must return a finite number, got nan"):
        next(stream)
