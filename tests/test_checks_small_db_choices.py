"""The questions of notebook 05 have a reason for each answer, with numbers that are so."""

import itertools
import math

import numpy as np
import pytest

from course_lib.checks import small_db_choices as checks
from course_lib.checks.solutions import small_db as solutions


@pytest.mark.parametrize("answer", [solutions.why_correlated, "d", "(D)"])
def test_one_database_is_the_reason_for_correlation(verdict, answer):
    text = verdict(checks.check_correlation, answer)
    assert text.startswith("Right: the only random choice is that of D̂")
    assert "the exact correlation 0.46." in text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a", "SmallDB adds no noise to an answer"),
        ("b", "this is about the real answers, not about the errors."),
        ("c", "the union bound is a step of the proof, not of the mechanism."),
        ("e", "independent answers, each rounded by itself, stay independent."),
        ("f", 'answer with one of "a", "b", "c", "d", "e"; you gave \'f\'.'),
        (math.nan, "you gave nan."),
    ],
)
def test_each_other_reason_for_correlation_is_answered(verdict, answer, message):
    text = verdict(checks.check_correlation, answer)
    assert text.startswith("Not yet: ")
    assert message in text


def test_the_correlation_is_that_of_all_small_databases():
    # 12 rows, three of each element; m = ⌈ln 3/0.16⌉ = 7, ε = 1, sensitivity 1/12
    weight, first, second = [], [], []
    for small in itertools.combinations_with_replacement(range(4), 7):
        a, b = (np.array(small) >> 1 & 1), (np.array(small) & 1)
        answers = [a.mean(), b.mean(), (a & b).mean()]
        weight.append(math.exp(-6 * np.abs(np.subtract(answers, [0.5, 0.5, 0.25])).max()))
        first.append(answers[0])
        second.append(answers[2])
        assert answers[2] <= answers[0]
    covariance = np.cov(first, second, aweights=weight, ddof=0)
    expected = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    assert math.isclose(checks.correlation(), expected, rel_tol=1e-9)


@pytest.mark.parametrize("answer", [solutions.what_is_promised, "c", " C. "])
def test_the_lemma_is_what_is_promised(verdict, answer):
    text = verdict(checks.check_alpha_half, answer)
    assert text.startswith("Right: the lemma for α has α and something more, for any n")
    assert "asks for 1,042 rows. There the lemma promises 0.427 if SmallDB is run with 0.4" in text
    assert "is 0.027." in text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a", "it is about SmallDB run with α/2, not with α."),
        ("b", "every small database can be drawn, the worst too"),
        ("d", "α/2 is what the best small database may miss if SmallDB is run with α/2."),
        ("e", "the theorem says nothing of this run, but the lemma does"),
        ("", 'answer with one of "a", "b", "c", "d", "e"; you gave \'\'.'),
    ],
)
def test_each_other_promise_is_answered(verdict, answer, message):
    text = verdict(checks.check_alpha_half, answer)
    assert text.startswith("Not yet: ")
    assert message in text
