"""What the best rule reaches and ε allows, against closed forms, other integrals and simulation."""

import itertools
import math

import numpy as np
import pytest

from course_lib.exact import attackers_game as exact
from course_lib.exact.family import member
from course_lib.exact.transcripts import log_probability
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_line_and_the_two_closed_forms(epsilon):
    line = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert exact.chance_at_most(epsilon=epsilon) == pytest.approx(line)
    assert exact.best_accuracy("randomised response", epsilon=epsilon) == pytest.approx(line)
    # of Laplace noise: the guess “above ½” is right unless the noise is ½ or more off
    assert exact.best_accuracy("Laplace", epsilon=epsilon) == pytest.approx(
        1 - 0.5 * math.exp(-epsilon / 2)
    )
    assert exact.chance_at_most(epsilon=epsilon, repeats=3) == pytest.approx(
        1 / (1 + math.exp(-3 * epsilon))
    )


def test_the_figures_of_the_levels_at_epsilon_one():
    assert exact.chance_at_most(epsilon=1.0) == pytest.approx(0.731, abs=5e-4)
    assert exact.best_accuracy("Laplace", epsilon=1.0) == pytest.approx(0.697, abs=5e-4)
    printed = "Lecture 11, as printed"
    assert exact.best_accuracy(printed, epsilon=1.0) == pytest.approx(0.60, abs=5e-3)
    assert exact.best_after_passing(printed, spoken=0.01, epsilon=1.0) == pytest.approx(
        0.84, abs=5e-3
    )
    assert exact.convicted_by_watching(rounds=200, epsilon=1.0) == pytest.approx(0.23, abs=0.01)


@pytest.mark.parametrize("stage", ["Lecture 11, as printed", "Lecture 11, repaired"])
def test_the_law_of_numbers_is_that_of_the_transcripts(stage):
    row = member(exact.LEVELS[stage], cutoff=1, epsilon=1.0)
    step = exact._NUMBERS[1] - exact._NUMBERS[0]
    for secret, law in enumerate(exact.transcript_laws(stage, epsilon=1.0)):
        assert sum(part.sum() for part in law) == pytest.approx(1, abs=1e-4)
        values = exact.level_stream(stage, secret=secret)
        for place, at in itertools.product((0, 2, 4), (11_500, 12_000, 12_150, 12_700)):
            transcript = [BELOW] * place + [float(exact._NUMBERS[at])]
            density = log_probability(row, values[: place + 1], transcript, threshold=0.0)
            assert law[place][at] / step == pytest.approx(math.exp(density), rel=2e-4)
        silent = log_probability(row, values, [BELOW] * 5, threshold=0.0)
        assert law[-1][0] == pytest.approx(math.exp(silent), rel=2e-4)


def test_stoddard_by_listing_all_transcripts():
    row = member("stoddard", cutoff=1, epsilon=1.0)
    streams = [exact.level_stream("Stoddard", secret=secret) for secret in (0, 1)]
    total = 0.0
    for answers in itertools.product((BELOW, ABOVE), repeat=8):
        both = [log_probability(row, s, list(answers), threshold=0.0) for s in streams]
        total += math.exp(max(both)) / 2
    assert exact.best_accuracy("Stoddard", epsilon=1.0) == pytest.approx(total, rel=1e-9)


def test_neighbouring_streams_differ_by_at_most_one():
    for stage in exact.LEVELS:
        here, there = (np.array(exact.level_stream(stage, secret=s)) for s in (0, 1))
        assert np.abs(here - there).max() == 1


def test_the_streams_as_they_are_described():
    rising, falling = [-2.0, -1, -1, 0, 0, 1, 1, 2], [-1.0, -2, 0, -1, 1, 0, 2, 1]
    assert exact.level_stream("Stoddard", secret=0) == rising
    assert exact.level_stream("Stoddard", secret=1) == falling
    for stage in ("Lecture 11, as printed", "Lecture 11, repaired"):
        assert exact.level_stream(stage, secret=0) == [1.0, 1, 1, 1, 0]
        assert exact.level_stream(stage, secret=1) == [0.0] * 5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("epsilon", [1.0, 10.0])
@pytest.mark.parametrize("stage", ["Lecture 11, as printed", "Lecture 11, repaired"])
def test_who_speaks_in_every_round_is_right_as_often_as_who_never_passes(stage, epsilon):
    found = exact.best_after_passing(stage, spoken=1.0, epsilon=epsilon)
    assert found == pytest.approx(exact.best_accuracy(stage, epsilon=epsilon), rel=3e-4)


def test_watching_convicts_after_ten_right_and_then_after_fifteen_of_sixteen():
    """p^10 < 0.05 < p^9, and one mistake is too many before the sixteenth announcement."""
    p = 1 / (1 + math.exp(-1.0))
    for rounds, chance in [(9, 0), (10, p**10), (15, p**10), (16, p**10 + 10 * p**15 * (1 - p))]:
        assert exact.convicted_by_watching(rounds=rounds, epsilon=1.0) == pytest.approx(chance)


def test_watching_by_enumeration():
    """Every string of ten announcements, with the Clopper–Pearson condition written out."""
    p, rounds = 1 / (1 + math.exp(-1.0)), 12

    def convicts(k, n):
        return sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1)) <= 0.05

    found = 0.0
    for string in itertools.product((0, 1), repeat=rounds):
        sums = np.cumsum(string)
        if any(convicts(int(k), n + 1) for n, k in enumerate(sums)):
            found += p ** sums[-1] * (1 - p) ** (rounds - sums[-1])
    assert found > 0.02
    assert exact.convicted_by_watching(rounds=rounds, epsilon=1.0) == pytest.approx(found)


def test_strange_levels_are_refused():
    with pytest.raises(ParameterError, match="stage must be 'randomised response' or"):
        exact.level_stream("Gauss", secret=0)
    with pytest.raises(ParameterError, match="secret must be 0 or 1, got 2"):
        exact.level_stream("Laplace", secret=2)
    with pytest.raises(ParameterError, match="epsilon must be from 0.5 to 10 in size, got 10.1"):
        exact.best_accuracy("Laplace", epsilon=10.1)
    with pytest.raises(ParameterError, match="stage must be a row of the family"):
        exact.transcript_laws("Laplace", epsilon=1.0)
