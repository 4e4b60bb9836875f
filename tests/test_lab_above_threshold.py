"""Measured losses of AboveThreshold against the exact ones."""

import numpy as np
import pytest

from course_lib.above_threshold import above_threshold
from course_lib.exact.above_threshold import coupled_noise, late_above_loss
from course_lib.exact.family import member
from course_lib.exact.transcripts import exact_loss, first_above_law
from course_lib.lab import above_threshold as lab
from course_lib.lab.above_threshold import (
    coupled_runs,
    is_late,
    late_noise,
    measured_late_losses,
    sampled_noise,
)
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.noise import GivenNoise
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError


def test_measured_losses_hold_the_exact_loss():
    """Ten seeds, intervals at 95% or better: over 4 misses in 40 have probability below 0.05."""
    missed = 0
    for seed in range(10):
        k, loss, low, high = measured_late_losses(threshold=0, trials=5_000, epsilon=1.0, seed=seed)
        assert k.tolist() == [2, 4, 8, 16][: len(k)] and len(k) >= 2
        assert ((low < loss) & (loss < high)).all()
        exact = late_above_loss(num_queries=k, threshold=0, epsilon=1.0)
        missed += np.count_nonzero((exact < low) | (exact > high))
    assert missed <= 4


def frequencies(monkeypatch, *seen):
    """Let the runs on (0, …, 0, 1) and (1, …, 1, 0), in turn, end in ⊤ at the last so often."""
    left = iter(seen)

    def trials(values, *, counts, trials, **others):
        assert values in ([0.0, 1.0], [1.0, 0.0]) and counts[1] == 1
        return np.where(np.arange(trials) < next(left), counts[0], 0)

    monkeypatch.setattr(lab, "above_threshold_trials", trials)


def test_loss_and_interval_from_given_frequencies(monkeypatch):
    frequencies(monkeypatch, 300, 200, 20, 20, 19, 500, 500, 19)
    k, loss, low, high = measured_late_losses(threshold=0, trials=1_000, epsilon=2.0, seed=0)
    assert k.tolist() == [2, 4]  # at 8 and at 16 one of the two was seen too rarely
    assert loss == pytest.approx([np.log(1.5), 0.0])
    (a, b), (c, d) = (clopper_pearson(n, 1_000, confidence=0.975) for n in (300, 200))
    assert low[0] == pytest.approx(np.log(a / d)) and high[0] == pytest.approx(np.log(b / c))


def test_an_interval_wider_than_2_epsilon_says_nothing(monkeypatch):
    (a, b), (c, d) = (clopper_pearson(n, 1_000, confidence=0.975) for n in (300, 200))
    width = np.log(b / c) - np.log(a / d)
    for epsilon, shown in ((width / 2 * 1.001, 4), (width / 2 * 0.999, 0)):
        frequencies(monkeypatch, *[300, 200] * 4)
        found = measured_late_losses(threshold=0, trials=1_000, epsilon=epsilon, seed=0)
        assert found.shape == (4, shown)
        assert found[0].tolist() == [2, 4, 8, 16][:shown]


def test_sampled_noise_has_scale_2_over_epsilon_and_then_4_over_epsilon():
    noise = sampled_noise(3, trials=5, epsilon=0.5, seed=2)
    units = np.random.default_rng(2).laplace(size=(5, 4))
    assert noise == pytest.approx(units * [4, 8, 8, 8])


def test_the_proof_holds_on_every_sampled_noise():
    """100,000 noises: the events agree one by one, and come as often as the law of the ⊤ says."""
    values, there = [0.0, 0, 0, 1], [1.0, 1, 1, 0]
    here, moved, price = coupled_runs(
        values, there, threshold=0, trials=100_000, epsilon=1.0, seed=3
    )
    assert (here == moved).all() and (price.sum(axis=1) <= 1 + 1e-9).all()
    law = first_above_law(member("above_threshold", cutoff=1, epsilon=1.0), values, threshold=0)
    low, high = clopper_pearson(here.sum(), 100_000, confidence=0.9999)
    assert low <= law[3] <= high
    assert price.max(axis=0) == pytest.approx([0.5, 0.5])


def test_a_neighbour_that_is_no_stream_is_called_by_its_name():
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    for call in (
        lambda neighbour: exact_loss(row, [0, 1], neighbour, [BELOW, ABOVE], threshold=0),
        lambda neighbour: coupled_noise([0, 1], neighbour, [0.0, 1.0, 2.0]),
        lambda neighbour: coupled_runs(
            [0, 1], neighbour, threshold=0, trials=9, epsilon=1.0, seed=0
        ),
    ):
        call([1, 0])
        with pytest.raises(ParameterError, match="neighbour must be a list of numbers, got 0.5"):
            call(0.5)


@pytest.mark.parametrize("seed", range(5))
def test_late_noise_is_the_first_that_makes_the_mechanism_ring_at_the_last_query(seed):
    values = [0.0] * 9 + [8.0]
    queries = [lambda _, value=value: value for value in values]
    found = late_noise(values, threshold=8.0, epsilon=1.5, seed=seed)
    for noise in sampled_noise(10, trials=10_000, epsilon=1.5, seed=seed):
        given = GivenNoise(noise / np.array([2 / 1.5] + [4 / 1.5] * 10))
        answers = list(above_threshold(None, queries, threshold=8.0, epsilon=1.5, rng=given))
        late = answers == [BELOW] * 9 + [ABOVE]
        assert is_late(values, noise, threshold=8.0) == late
        if late:
            break
    assert found.tolist() == noise.tolist()


def test_a_noisy_value_equal_to_the_noisy_threshold_is_above():
    noise = np.array([[0.25, -0.5, 0.5], [0.25, -0.25, 0.5], [0.25, -0.5, 0.0]])
    assert is_late([0.5, 0.25], noise, threshold=0.5).tolist() == [True, True, False]
    assert is_late([0.5, 0.25], noise + [0, 0.75, 0], threshold=0.5).tolist() == [False] * 3


def test_a_stream_on_which_it_hardly_ever_rings_last_is_refused():
    with pytest.raises(ParameterError, match="likelier than one in 10,000"):
        late_noise([90.0, 0.0], threshold=0.0, epsilon=1.0, seed=0)
