"""Measured losses of AboveThreshold against the exact ones."""

import numpy as np
import pytest

from course_lib.exact.above_threshold import late_above_loss
from course_lib.lab import above_threshold as lab
from course_lib.lab.above_threshold import measured_late_losses
from course_lib.lab.confidence import clopper_pearson


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
