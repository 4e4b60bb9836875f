"""The check of notebook 04's second exercise knows a pair that convicts, and helps to one."""

import math

import numpy as np
import pytest

from course_lib.checks import is_it_private as checks
from course_lib.checks.solutions import is_it_private as solutions
from course_lib.exact.family import member, privacy_loss
from course_lib.exact.transcripts import exact_loss
from course_lib.support.answers import ABOVE, BELOW


@pytest.mark.parametrize("number", [1, 20, 1000])
def test_a_pair_that_convicts_is_right(verdict, number):
    values, neighbour = [0] * number + [1, 1], [1] * number + [0, 0]
    transcript = [BELOW] * number + [ABOVE, ABOVE]
    row = member("lee_clifton", cutoff=2, epsilon=1.0)
    loss = exact_loss(row, values, neighbour, transcript, threshold=0)
    text = verdict(checks.check_convicting_pair, (values, neighbour, transcript))
    assert text.startswith(f"Right: the log-ratio is {loss:.4f}, more than the ε = 1")
    assert "(1 + 6c)ε/4 = 3.25 for c = 2" in text
    assert 1 < loss < privacy_loss(row) == 3.25


@pytest.mark.parametrize(
    "pair",
    [
        solutions.my_pair,
        tuple(map(tuple, solutions.my_pair)),
        (np.zeros(30), np.r_[np.ones(28), -1, -1], [BELOW] * 28 + [ABOVE] * 2),
        ([0] * 30 + [5], [1] * 30 + [4], [BELOW] * 30 + [ABOVE]),  # one ⊤ is enough: 1.75
    ],
)
def test_any_form_of_a_convicting_pair_is_right(verdict, pair):
    assert verdict(checks.check_convicting_pair, pair).startswith("Right: the log-ratio is")


T, B = ABOVE, BELOW


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (([0, 1], [1, 3], [B, T]), "value 2 moves from 1 to 3, by 2, and may move by 1 at most."),
        (([0, 1], [1], [B, T]), "the three lists have 2, 1 and 2 entries;"),
        (([], [], []), "the three lists have 0, 0 and 0 entries;"),
        (([0] * 3, [1] * 3, [T] * 3), "at most two ⊤; your transcript has 3."),
        (([0] * 3, [1] * 3, [T, T, B]), "halts at the second ⊤, answer 2; your transcript goes"),
        (([0, 0], [1, 1], ["⊥", "⊤"]), "a transcript holds ABOVE and BELOW alone; yours has '⊥'."),
        (([0, 0], [1, 1], [B, 0.5]), "a transcript holds ABOVE and BELOW alone; yours has 0.5."),
        (("01", "11", [B, T]), "the answer is three lists, (values, neighbour, transcript)"),
        (([0, "one"], [1, 1], [B, T]), "the answer is three lists, (values, neighbour, trans"),
        (([0, 0], [1, 1]), "the answer is three lists, (values, neighbour, transcript)"),
        (7, "the answer is three lists, (values, neighbour, transcript)"),
        (([[0, 1]], [[0, 1]], [T]), "the answer is three lists, (values, neighbour, transcript)"),
        (([10**400], [10**400], [T]), "the answer is three lists, (values, neighbour, transcript)"),
        (([0, math.nan], [1, 1], [B, T]), "every value must be a finite number."),
        (([0, 1e308], [1, 1e308], [B, T]), "keep the values between −1,000,000 and 1,000,000:"),
        (([-1e308, 0], [1e308, 0], [B, T]), "keep the values between −1,000,000 and 1,000,000:"),
        (([1] * 9 + [0] * 2, [0] * 9 + [1] * 2, [B] * 9 + [T] * 2), "exchange values and"),
        (([0] * 3, [0] * 3, [B, T, T]), "is 0.0000, and more than 1 is needed. The two streams"),
        (([0] * 9, [1] * 9, [B] * 9), "⊥ alone costs at most ε/4"),
        (([0] * 5, [1] * 5, [B] * 3 + [T] * 2), "Value 4 should go down."),
        (([1] * 5, [0] * 5, [B] * 3 + [T] * 2), "Value 1 should go up."),
        (([0, 5, 5], [1, 5, 5], [B, T, T]), "The values answered ⊤ do not move."),
        (([0, 6, 6], [0, 5, 5], [B, T, T]), "No value answered ⊥ moves."),
        (([0, 6], [1, 5], [B, T]), "There may be a second ⊤"),
        (([0, 1, 1], [0.5, 0.5, 0.5], [B, T, T]), "Let each value move by 1"),
        (([-1e6, 1e6], [1 - 1e6, 1e6 - 1], [B, T]), "There may be a second ⊤"),
        (([-9, 9, 9], [-8, 8, 8], [B, T, T]), "All moves are as they should be. More ⊥ push"),
    ],
)  # fmt: skip
def test_a_pair_that_does_not_convict_is_told_why(verdict, pair, message):
    text = verdict(checks.check_convicting_pair, pair)
    assert text.startswith("Not yet: ")
    assert message in text


def test_what_the_hints_say_of_the_loss_is_so():
    # ⊥ alone reach 1/4, and a second ⊤ can add 3/2: (1 + 6c)/4 at c = 1 and 2
    row = member("lee_clifton", cutoff=2, epsilon=1.0)
    below = exact_loss(row, [0], [1], [BELOW], threshold=0, counts=[10**6])
    one = exact_loss(row, [0, 1], [1, 0], [BELOW, ABOVE], threshold=0, counts=[10**6, 1])
    assert math.isclose(below, 0.25, abs_tol=1e-3)
    assert math.isclose(one, 1.75, abs_tol=1e-3)


def test_none_is_not_answered_yet(verdict):
    expected = "Not answered yet: put your answer in place of None, then run this cell again."
    assert verdict(checks.check_convicting_pair, None) == expected
