"""The law of a transcript: loss to 30 digits, runs and arrays, enumeration, bad streams."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.exact.family import Variant, member
from course_lib.exact.transcripts import (
    exact_loss,
    first_above_law,
    log_probability,
    wrong_answer_probability,
)
from course_lib.support.answers import ABOVE, BELOW
from tests.family import ORACLE, row


def test_loss_agrees_with_30_digits_for_every_length_up_to_a_trillion():
    for case in ORACLE["loss"]:
        row = member("above_threshold", cutoff=1, epsilon=case["eps"])
        if case["k"] == 1:
            got = exact_loss(row, [1.0], [0.0], [ABOVE], threshold=0)
        else:
            counts = [case["k"] - 1, 1]
            got = exact_loss(row, [0, 1], [1, 0], [BELOW, ABOVE], threshold=0, counts=counts)
        assert math.isclose(got, float(case["value"]), rel_tol=1e-9)


def test_lecture_11_as_printed_loses_m_epsilon_over_2c():
    for c, m in ((1, 10), (3, 50)):
        printed = row(2.0, 2.0 * c, released="same")
        got = exact_loss(printed, [0, 0], [1, 0], [BELOW, 0.0], threshold=0, counts=[m, 1])
        assert math.isclose(got, m / (2 * c), rel_tol=1e-9)


def test_a_long_stream_of_few_different_values_is_quick():
    """20,000 queries in full, equal to their runs: only different values cost anything."""
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    stream, transcript = [0, 3] * 10_000 + [1], [BELOW] * 20_000 + [ABOVE]
    apart = log_probability(row, stream, transcript, threshold=20)
    runs = log_probability(
        row, [0, 3, 1], [BELOW, BELOW, ABOVE], threshold=20, counts=[10_000, 10_000, 1]
    )
    assert math.isclose(apart, runs, rel_tol=1e-12)


def wrong_by_enumeration(row, values, threshold, alpha):
    """Every transcript of ⊥ and ⊤ with its probability; a number is within alpha on its own."""
    silent, wrong = (
        Variant("silent", row.threshold_scale, row.query_scale, True, None, row.cutoff),
        0.0,
    )
    within = 1.0 if row.released is None else 1 - math.exp(-alpha / row.release_scale)
    for size in range(1, len(values) + 1):
        for answers in itertools.product([BELOW, ABOVE], repeat=size):
            above = answers.count(ABOVE)
            halted = above == row.cutoff and answers[-1] is ABOVE
            if above > row.cutoff or not (halted or (size == len(values) and above < row.cutoff)):
                continue
            fine = all(
                value >= threshold - alpha if answer is ABOVE else value <= threshold + alpha
                for answer, value in zip(answers, values, strict=False)
            )
            pr = math.exp(log_probability(silent, values[:size], answers, threshold=threshold))
            wrong += pr * (1 - fine * within**above)
    return wrong


@pytest.mark.parametrize("released", [None, "fresh"])
@pytest.mark.parametrize("cutoff", [1, 2, 3, 9])
def test_wrong_answers_on_a_stream_agree_with_enumeration(cutoff, released):
    """At alpha = 0.5 two values lie on the borders of the gap, where both answers are right."""
    row = Variant("row", 1.0, 2.0, True, released, cutoff, release_scale=3.0)
    values, alphas = [-3.0, 1.0, 2.5, 0.0, 4.0], [0.0, 0.5, 1.0, 2.6, 30.0]
    got = wrong_answer_probability(row, values, threshold=0.5, alpha=alphas)
    want = [wrong_by_enumeration(row, values, 0.5, alpha) for alpha in alphas]
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-13)
    assert math.isclose(
        wrong_answer_probability(row, values, threshold=0.5, alpha=0.5), want[1], rel_tol=1e-9
    )


def test_wrong_answers_need_a_threshold_that_is_redrawn():
    for name in ("lyu_su_li", "lecture11_sparse"):
        with pytest.raises(ValueError, match=f"{name} must redraw"):
            wrong_answer_probability(
                member(name, cutoff=1, epsilon=1.0), [1.0], threshold=0.0, alpha=1.0
            )


def test_numbers_may_be_an_array_of_them():
    row = member("lecture11_sparse", cutoff=1, epsilon=1.0)
    numbers = np.array([-2.0, 0.0, 3.5])
    together, *apart = (
        log_probability(row, [0.0, 1.0], [BELOW, number], threshold=0.5, counts=[8, 1])
        for number in (numbers, *numbers.tolist())
    )
    np.testing.assert_allclose(together, apart, rtol=1e-12)


gaps = st.floats(-60, 60)


@given(st.lists(gaps, min_size=1, max_size=6), gaps)
def test_a_run_is_as_many_equal_queries(values, threshold):
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    spelled = [value for value in values for _ in range(3)]
    together = log_probability(
        row, values, [BELOW] * len(values), threshold=threshold, counts=[3] * len(values)
    )
    apart = log_probability(row, spelled, [BELOW] * len(spelled), threshold=threshold)
    assert math.isclose(together, apart, rel_tol=1e-9)


@given(st.lists(gaps, min_size=1, max_size=8), st.sampled_from([1e-3, 0.1, 1.0, 50.0]))
def test_first_above_law_lists_the_transcripts(values, epsilon):
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    law = first_above_law(row, values, threshold=1.5)
    transcripts = [[BELOW] * i + [ABOVE] for i in range(len(values))] + [[BELOW] * len(values)]
    want = [math.exp(log_probability(row, values[: len(t)], t, threshold=1.5)) for t in transcripts]
    np.testing.assert_allclose(law, want, rtol=1e-9, atol=1e-15)


def test_run_lengths_may_differ_along_a_curve():
    row, transcript = member("above_threshold", cutoff=1, epsilon=1.0), [BELOW, BELOW, ABOVE]
    counts = np.array([[1, 2, 1], [10, 20, 1], [10**6, 1, 1]])
    curve = log_probability(row, [0, 0, 1], transcript, threshold=2.0, counts=counts)
    points = [log_probability(row, [0, 0, 1], transcript, threshold=2.0, counts=c) for c in counts]
    np.testing.assert_allclose(curve, points, rtol=1e-12)


def test_impossible_on_both_streams_is_no_loss():
    silent = row(2.0, 0.0)
    assert exact_loss(silent, [1, 0], [2, 0], [BELOW, ABOVE], threshold=0) == 0
    assert exact_loss(silent, [0, 1], [1, 0], [BELOW, ABOVE], threshold=0) == math.inf


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": []}, "values must not be empty"),
        ({"values": [0.0, math.nan]}, "values must be a finite number, got nan"),
        ({"threshold": math.inf}, "threshold must be a finite number, got inf"),
        ({"values": [0.0]}, "one entry per run: 1 runs, got 2"),
        ({"counts": [0, 1]}, "counts must be a whole number, 1 or greater, got 0"),
        ({"counts": [1, 2]}, "counts must be 1 where the transcript is not BELOW"),
        ({"transcript": [ABOVE, BELOW]}, "goes on after 1 above"),
        ({"transcript": [BELOW, 3.5]}, "releases no numbers, got 3.5"),
        ({"transcript": [BELOW, math.nan]}, "transcript must hold finite numbers"),
        ({"transcript": [BELOW, "yes"]}, "transcript must hold finite numbers, got .'yes'."),
    ],
)
def test_bad_streams_are_named(changes, message):
    arguments = {"values": [0.0, 1.0], "transcript": [BELOW, ABOVE], "threshold": 0.0} | changes
    with pytest.raises(ValueError, match=message):
        log_probability(
            member("above_threshold", cutoff=1, epsilon=1.0),
            arguments.pop("values"),
            arguments.pop("transcript"),
            **arguments,
        )
