"""What the checks of notebook 01 rest on: the law of the first ⊤, the doubling, the tests."""

import math

import numpy as np
import pytest
from scipy.stats import multinomial

from course_lib.above_threshold import above_threshold, above_threshold_alpha
from course_lib.checks import above_threshold as checks
from course_lib.checks import above_threshold_law as laws
from course_lib.checks.exercise import formula, misfit
from course_lib.checks.solutions import above_threshold as solutions
from course_lib.exact.family import Variant, member
from course_lib.exact.transcripts import exact_loss, first_above_law
from course_lib.lab.trials import above_threshold_trials
from course_lib.support.answers import ABOVE, BELOW
from tests.power import refusals


def test_the_law_is_that_of_the_simulated_mechanism():
    # AboveThreshold for Δ is AboveThreshold at ε/Δ; both the integral and the engine are tested
    # elsewhere. False alarm below 1e-6 in each stream.
    for stream in laws.STREAMS:
        first = above_threshold_trials(
            stream.values,
            threshold=stream.threshold,
            trials=200_000,
            epsilon=stream.epsilon / stream.sensitivity,
            rng=np.random.default_rng(5),
        )
        unit = stream.sensitivity / stream.epsilon
        counts = np.bincount(first, minlength=len(stream.values) + 1)
        assert misfit(counts, laws._law(stream, 2 * unit, 4 * unit), level=1e-6) is None


def test_the_scales_asked_for_are_those_of_above_threshold_at_epsilon_over_delta():
    # counts as they would be expected in 10^9 runs: a reference off by 0.1% would refuse them
    counts = []
    for stream in laws.STREAMS:
        row = member("above_threshold", cutoff=1, epsilon=stream.epsilon / stream.sensitivity)
        law = first_above_law(row, stream.values, threshold=stream.threshold)
        counts.append(np.round(1e9 * law).astype(int))
    laws.check_law(None, counts)


def test_at_most_one_right_answer_in_a_million_is_refused():
    # the sum over all events of the exact binomial probability to fall outside, under the right law
    alarm = 0.0
    for stream in laws.STREAMS:
        unit = stream.sensitivity / stream.epsilon
        alarm += sum(_refusals(stream, laws._law(stream, 2 * unit, 4 * unit)))
    assert alarm <= laws.FALSE_ALARM == 1e-6


@pytest.mark.parametrize("factors", [(2.5, 4), (1.6, 4), (2, 5), (2, 3.2), (2.5, 5), (1.6, 3.2)])
def test_a_scale_off_by_a_quarter_is_seen_with_power_99_percent(factors):
    power = 0.0
    for stream in laws.STREAMS:
        unit = stream.sensitivity / stream.epsilon
        power = max(power, *_refusals(stream, laws._law(stream, *(f * unit for f in factors))))
    assert power >= 0.99


def _refusals(stream, true_law):
    unit = stream.sensitivity / stream.epsilon
    level = laws.FALSE_ALARM / len(laws.STREAMS)
    return refusals(laws._law(stream, 2 * unit, 4 * unit), true_law, runs=stream.runs, level=level)


def test_misfit_finds_the_event_furthest_off():
    assert misfit([250, 250, 500], [0.25, 0.25, 0.5], level=1e-6) is None
    assert misfit([500, 250, 250], [0.25, 0.25, 0.5], level=1e-6) == (0, False, 0.5, 0.25)
    assert misfit([100, 100, 800], [0.25, 0.25, 0.5], level=1e-6)[:2] == (2, False)
    assert misfit([100, 450, 450], [0.5, 0.25, 0.25], level=1e-6) == (0, False, 0.1, 0.5)
    assert misfit([250, 250, 250, 250], [0.4, 0.4, 0.1, 0.1], level=1e-6)[:2] == (1, True)
    assert misfit([1, 499, 500], [0, 0.5, 0.5], level=1e-6) == (0, False, 0.001, 0.0)
    assert misfit([155, 155, 345, 345], [0.2, 0.2, 0.3, 0.3], level=1e-6)[:2] == (1, True)
    not_ordered = {"level": 1e-6, "ordered": False}
    assert misfit([155, 155, 345, 345], [0.2, 0.2, 0.3, 0.3], **not_ordered) is None


def test_misfit_keeps_its_level_over_all_events_together():
    # every outcome of 30 draws from a law of three; each event at the full level would give 0.36
    law, draws, alarm = [0.3, 0.3, 0.4], 30, 0.0
    for first in range(draws + 1):
        for second in range(draws + 1 - first):
            counts = [first, second, draws - first - second]
            if misfit(counts, law, level=0.2):
                alarm += multinomial.pmf(counts, draws, law)
    assert 0.05 < alarm <= 0.2


def test_a_formula_is_read_off_its_values():
    delta, epsilon = np.array([2, 3, 0.5]), np.array([0.5, 2, 1])
    parameters = {"Δ": delta, "ε": epsilon}
    assert formula(2 * delta / epsilon, parameters) == "2Δ/ε"
    assert formula(delta / epsilon, parameters) == "Δ/ε"
    assert formula(1 / epsilon, parameters) == "1/ε"
    assert formula(1 / (delta * epsilon**2), parameters) == "1/(Δε²)"
    assert formula([3, 3, 3], parameters) == "3"
    assert formula(2 * delta / epsilon, {"D": delta, "eps": epsilon}) == "2D/eps"
    assert formula(0.5 * delta**2 / epsilon, {"Delta": delta, "ε": epsilon}) == "0.5·Delta²/ε"
    assert formula(1 / (delta * epsilon), {"Delta": delta, "ε": epsilon}) == "1/(Delta·ε)"
    assert formula(delta + 1, parameters) is None


def test_the_doubling_is_the_theorems():
    once, twice = (
        above_threshold_alpha(num_queries=k, beta=0.05, epsilon=1.0)
        for k in (1000, solutions.doubled_at)
    )
    assert math.isclose(twice, 2 * once)


@pytest.mark.parametrize("answer", [solutions.doubled_at, 40_000_000, 4e7, 39_700_000])
def test_doubling_is_right_within_a_hundredth(verdict, answer):
    assert verdict(checks.check_doubling, answer).startswith("Right: α is 8/ε times ln(2k/β)")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (2000, "only add 8 ln 2 / ε to α. At k = 2,000 α is 1.065 times"),
        (10**6, "α also has ln(2/β), which must be doubled too. At k = 1,000,000 α is 1.652 times"),
        (40, "doubles α from k = 1; start at k = 1000."),
        (40_000, "this adds ln(2/β) to the logarithm"),
        (2e7, "ln(2/β) has a 2 in it: you have k²/β."),
        (1.6e9, "the square of 2k/β at k = 1000"),
        (5000, "at k = 5,000 α is 1.152 times what it is at k = 1000."),
        (39_000_000, "at k = 39,000,000 α is 1.998 times"),
        (0, "1 or more; you gave 0."),
        (math.inf, "1 or more; you gave inf."),
        ("many", "1 or more; you gave 'many'."),
    ],
)
def test_doubling_says_what_is_wrong(verdict, answer, message):
    text = verdict(checks.check_doubling, answer)
    assert text.startswith("Not yet: ")
    assert message in text


@pytest.mark.parametrize("check", [checks.check_doubling, checks.check_which_test])
def test_none_is_not_answered_yet(verdict, check):
    expected = "Not answered yet: put your answer in place of None, then run this cell again."
    assert verdict(check, None) == expected


@pytest.mark.parametrize("answer", [solutions.which_test, " C "])
def test_the_privacy_loss_catches_the_slip(verdict, answer):
    text = verdict(checks.check_which_test, answer)
    assert text.startswith("Right: ")
    assert (
        "(c) the slip FAILS (the loss is 1.50 ε), AboveThreshold passes (the loss is 0.75" in text
    )
    assert text.count("the slip passes") == 3
    assert text.count("AboveThreshold passes") == 4


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a", "(a) the slip passes (it answers [⊥, ⊥, ⊥, ⊤]), AboveThreshold passes"),
        ("b", "(b) the slip passes (0 failures in 500 runs"),
        ("d", "(d) the slip passes (the scales are 1/ε and 2/ε), AboveThreshold passes"),
        ("e", 'answer with one of "a", "b", "c", "d"; you gave \'e\'.'),
        (["c"], 'answer with one of "a", "b", "c", "d"; you gave [\'c\'].'),
    ],
)
def test_each_other_test_has_its_reason(verdict, answer, message):
    text = verdict(checks.check_which_test, answer)
    assert text.startswith("Not yet: ")
    assert message in text


def test_only_the_loss_tells_the_slip_from_above_threshold_at_any_epsilon():
    for epsilon in (0.3, 1.0, 4.0):
        for test in checks._TESTS:
            slip, right = (
                test(mechanism, epsilon=epsilon)[0]
                for mechanism in (checks.monotone_above_threshold, above_threshold)
            )
            assert right
            assert slip == (test is not checks.loses_no_more_than_claimed)


def test_a_mechanism_without_noise_finds_a_large_value():
    def exact_comparison(data, queries, *, threshold, epsilon, rng):
        for query in queries:
            above = query(data) >= threshold
            yield ABOVE if above else BELOW
            if above:
                return

    assert checks.finds_a_large_value(exact_comparison, epsilon=1.0)[0]


@pytest.mark.parametrize(
    ("values", "neighbour", "loss"),
    [
        ((0, 0), (1, 0), 1.5),  # the first 99 move up, the last stays: monotone
        ((0, 1), (1, 0), 2.0),  # the last moves down: not monotone
        ((0, 0), (1, 1), 1.0),  # all move up: monotone, and the claim is not refuted
        ((0, 1), (0, 0), 0.5),  # only the last moves
    ],
)
def test_what_the_slip_loses(values, neighbour, loss):
    # by the proof: 1/s for the threshold, (shift of the ⊤ against the threshold)/(2s) for the ⊤
    slip = Variant("slip", 1.0, 2.0, True, None, 1)
    found = exact_loss(slip, values, neighbour, [BELOW, ABOVE], threshold=0, counts=(99, 1))
    assert math.isclose(found, loss, rel_tol=1e-6)
