"""What the exercises of notebook 04 say is so, and their streams show what they should."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from course_lib.checks import is_it_private as checks
from course_lib.checks.engine import LONGEST
from course_lib.checks.solutions import is_it_private as solutions
from course_lib.exact.family import Variant, member, privacy_loss
from course_lib.exact.transcripts import exact_loss
from course_lib.support.answers import ABOVE, BELOW
from tests.power import law_refusals, other_law
from tests.unseen.is_it_private import numbers


@pytest.mark.parametrize("number", [1, 20, 1000])
def test_a_pair_that_convicts_is_right(number):
    values, neighbour = [0] * number + [1, 1], [1] * number + [0, 0]
    transcript = [BELOW] * number + [ABOVE, ABOVE]
    row = member("lee_clifton", cutoff=2, epsilon=1.0)
    loss = exact_loss(row, values, neighbour, transcript, threshold=0)
    text = checks.check_convicting_pair.verdict((values, neighbour, transcript))[1]
    assert text.startswith(f"✓ Right: the log-ratio is {loss:.4f}, more than the ε = 1")
    assert "(1 + 6c)ε/4 = 3.25 for c = 2" in text
    assert 1 < loss < privacy_loss(row) == 3.25


@pytest.mark.parametrize(
    "pair",
    [
        solutions.my_pair,
        tuple(map(tuple, solutions.my_pair)),
        (np.zeros(30), np.r_[np.ones(28), -1, -1], [BELOW] * 28 + [ABOVE] * 2),
        ([Fraction(1, 3)] * 30 + [5], [Fraction(4, 3)] * 30 + [4.0], [BELOW] * 30 + [ABOVE]),
        ([0] * 30 + [5], [1] * 30 + [4], [BELOW] * 30 + [ABOVE]),  # one ⊤ is enough: 1.75
    ],
)
def test_any_form_of_a_convicting_pair_is_right(pair):
    checks.check_convicting_pair.grade(pair)


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
def test_a_pair_that_does_not_convict_is_told_why(pair, message):
    right, words = checks.check_convicting_pair.verdict(pair)
    assert not right and message in words and len(words) <= LONGEST


def test_what_the_hints_say_of_the_loss_is_so():
    # ⊥ alone reach 1/4, and a second ⊤ can add 3/2: (1 + 6c)/4 at c = 1 and 2
    row = member("lee_clifton", cutoff=2, epsilon=1.0)
    below = exact_loss(row, [0], [1], [BELOW], threshold=0, counts=[10**6])
    one = exact_loss(row, [0, 1], [1, 0], [BELOW, ABOVE], threshold=0, counts=[10**6, 1])
    assert math.isclose(below, 0.25, abs_tol=1e-3)
    assert math.isclose(one, 1.75, abs_tol=1e-3)


def test_any_split_costs_epsilon():
    for case in checks.check_repaired.cases:
        n, epsilon, shares = (case.given.given[name] for name in ("n", "epsilon", "shares"))
        assert math.isclose(privacy_loss(case.given.row) / n, epsilon) and math.isclose(
            sum(shares), 1
        )


def test_a_released_number_may_be_rounded():
    checks.check_repaired.grade(numbers(lambda number: round(number, 2)))


def test_thirds_are_the_repaired_row():
    ours = checks._repaired(1, 3, (1 / 3,) * 3, 2)
    row = member("lecture11_repaired", cutoff=3, epsilon=2)
    for scale in ("threshold_scale", "query_scale", "release_scale"):
        assert math.isclose(getattr(ours, scale), getattr(row, scale))


@pytest.mark.parametrize("factor", [1.25, 0.8])
@pytest.mark.parametrize(
    "scales",
    [
        ("threshold_scale",),
        ("query_scale",),
        ("threshold_scale", "query_scale"),
        ("release_scale",),
    ],
)
def test_a_scale_off_by_a_quarter_is_seen_with_power_99_percent(factor, scales):
    exercise = checks.check_repaired
    near = [case for case in exercise.cases if case.runs > 20]
    found = (law_refusals(exercise, case, other_law(case, scales, factor)) for case in near)
    assert max(map(max, found)) >= 0.99


@pytest.mark.parametrize("rates", [(0.6, 0.2), (0.3, 0.3), (0.02, 0.01), (0.9, 0.001)])
def test_the_bound_is_too_large_in_at_most_5_percent(rates):
    runs, here, there = 60, *rates
    counts = range(runs + 1)
    too_large = sum(
        binom.pmf(i, runs, here) * binom.pmf(j, runs, there)
        for i in counts
        for j in counts
        if solutions.my_bound(i, j, runs) > math.log(here / there) + 1e-12
    )
    assert too_large <= 0.05


@pytest.mark.parametrize("redrawn", [True, False])
@pytest.mark.parametrize("number", [None, 3.0])
def test_the_loss_is_that_of_the_family(redrawn, number):
    row = Variant("", 2.5, 4.0, redrawn, "fresh" if number else None, 3, number)
    assert math.isclose(solutions.my_loss(2.5, 4.0, number, 3, redrawn), privacy_loss(row))
