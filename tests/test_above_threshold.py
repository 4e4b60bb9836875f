"""AboveThreshold: the slide's code on chosen noise, the exact law of its answers, Theorem 3.24."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from course_lib.above_threshold import above_threshold, above_threshold_alpha, above_threshold_beta
from course_lib.exact.above_threshold import above_threshold_alpha_exact
from course_lib.exact.family import member
from course_lib.exact.transcripts import first_above_law
from course_lib.lab.noise import GivenNoise
from course_lib.support.answers import ABOVE, BELOW
from tests.family import asking


def run(values, *, threshold=0.0, epsilon=1.0, rng):
    return list(
        above_threshold(None, asking(values), threshold=threshold, epsilon=epsilon, rng=rng)
    )


def test_noise_is_2_over_epsilon_once_and_4_over_epsilon_for_each_query():
    rng = GivenNoise([0.0] * 4)
    run([-1, -1, -1], epsilon=0.5, rng=rng)
    assert rng.scales == [4.0, 8.0, 8.0, 8.0]


def test_transcript_by_hand():
    """T̂ = 10 + 2·1 = 12; noisy values 5 + 4 = 9, 10 - 4 = 6, 8 + 4 = 12: ⊥, ⊥, ⊤."""
    rng = GivenNoise([1.0, 1.0, -1.0, 1.0, 9.0])
    assert run([5, 10, 8, 99], threshold=10, rng=rng) == [BELOW, BELOW, ABOVE]


def test_equality_is_above():
    assert run([3.0], threshold=3.0, rng=GivenNoise([0.0, 0.0])) == [ABOVE]


def test_a_query_is_fetched_only_after_the_answer_before_it():
    told, asked = [], []

    def analyst():
        for value in itertools.count():
            asked.append((value, list(told)))
            yield lambda data, value=value: float(value)

    noiseless = GivenNoise(itertools.repeat(0.0))
    for answer in above_threshold(None, analyst(), threshold=2.0, epsilon=1.0, rng=noiseless):
        told.append(answer)
    assert told == [BELOW, BELOW, ABOVE]
    assert asked == [(0, []), (1, [BELOW]), (2, [BELOW, BELOW])]


def test_measured_answers_have_the_exact_law():
    """20,000 runs of the slide's code, chi-square at level 1e-6.

    At this sample size a noise scale that is off by 20% is refused with probability above 0.99.
    """
    values, runs, rng = [-6.0, 2.0, -1.0, 5.0], 20_000, np.random.default_rng(11)
    law = first_above_law(member("above_threshold", cutoff=1, epsilon=0.7), values, threshold=1.0)
    answers = [run(values, threshold=1.0, epsilon=0.7, rng=rng) for _ in range(runs)]
    first = [len(a) - 1 if a[-1] is ABOVE else len(values) for a in answers]
    seen = np.bincount(first, minlength=len(values) + 1)
    assert chisquare(seen, runs * law).pvalue > 1e-6


def test_theorem_3_24_as_printed():
    assert math.isclose(above_threshold_alpha(num_queries=10, beta=0.05, epsilon=1), 47.9317164)
    assert above_threshold_alpha(num_queries=1, beta=0.5, epsilon=2.0) == 4 * math.log(4)


@given(st.integers(1, 10**12), st.floats(1e-6, 0.99), st.floats(1e-3, 50))
def test_beta_inverts_alpha(k, beta, epsilon):
    alpha = above_threshold_alpha(num_queries=k, beta=beta, epsilon=epsilon)
    back = above_threshold_beta(num_queries=k, alpha=alpha, epsilon=epsilon)
    assert math.isclose(back, beta, rel_tol=1e-9)


def test_beta_is_never_above_one():
    assert above_threshold_beta(num_queries=10, alpha=0.0, epsilon=1.0) == 1.0


def test_statements_name_theorem_and_source():
    statement = above_threshold_alpha.statement
    assert statement.title == "Theorem 3.24" and "Ligett" in statement.source
    assert r"\frac{8" in statement._repr_markdown_()


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, "one", None])
def test_bad_epsilon_is_refused_on_the_call(epsilon):
    with pytest.raises(ValueError, match="epsilon must be a finite number greater than 0"):
        above_threshold(
            None, asking([1]), threshold=0, epsilon=epsilon, rng=np.random.default_rng()
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threshold": math.nan}, "threshold must be a finite number, got nan"),
        ({"rng": 7}, "rng must be a numpy.random.Generator, got 7"),
        ({"queries": []}, "queries must not be empty"),
    ],
)
def test_other_bad_input_is_refused_on_the_call(changes, message):
    arguments = {"queries": asking([1]), "threshold": 0.0, "rng": np.random.default_rng()} | changes
    queries = arguments.pop("queries")
    with pytest.raises(ValueError, match=message):
        above_threshold(None, queries, epsilon=1.0, **arguments)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_query_without_a_finite_value_is_not_answered(value):
    stream = above_threshold(
        None, asking([-99, value]), threshold=0, epsilon=9.0, rng=np.random.default_rng(0)
    )
    assert next(stream) is BELOW
    with pytest.raises(ValueError, match=f"a query must return a finite number, got {value}"):
        next(stream)


@pytest.mark.parametrize("function", [above_threshold_alpha, above_threshold_alpha_exact])
@pytest.mark.parametrize(
    ("name", "value"), [("num_queries", 0), ("num_queries", 1.5), ("beta", 0), ("beta", 1)]
)
def test_bad_parameters_of_the_theorem_are_named(function, name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
        function(**{"num_queries": 10, "beta": 0.1, "epsilon": 1.0} | {name: value})
