"""Lecture 11 measured, against the exact probability of failure and run by run."""

import numpy as np
import pytest

from course_lib.exact.family import member
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab import lecture11_sparse as lab
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.lecture11_sparse import lecture11_failures, of_counts
from course_lib.lab.trials import laplace
from course_lib.lecture11_sparse import sparse_as_printed
from course_lib.support.answers import BELOW
from course_lib.support.contracts import ParameterError


@pytest.mark.parametrize(
    ("k", "cutoff", "delta"),
    [(21, 1, 0.0), (1000, 5, 0.0), (10**12, 20, 0.0), (100, 5, 1e-3), (12, 3, 0.0), (30, 30, 0.9)],
)
def test_failures_are_near_the_exact_ones(k, cutoff, delta):
    """Three probes at 99.99%; power: of 20,000 a query's scale off by 5% moves that of 0.3."""
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=0.5, delta=delta)
    alphas = alpha_exact(row, num_queries=k, beta=[0.7, 0.3, 0.05]) / 2000
    chosen = dict(num_queries=k, n=2000, cutoff=cutoff, epsilon=0.5, delta=delta, trials=20_000)
    seen = lecture11_failures(None, alpha=alphas, **chosen, seed=1)
    low, high = clopper_pearson(seen, 20_000, confidence=0.9999)
    exact = failure(row, num_queries=k, alpha=alphas * 2000)
    assert np.allclose(exact, [0.7, 0.3, 0.05]) and ((low <= exact) & (exact <= high)).all()


def test_noise_is_the_same_at_every_epsilon_and_n_but_for_its_scale():
    chosen = dict(num_queries=500, cutoff=3, trials=1000, seed=2)
    alphas = np.array([0.01, 0.02, 0.03])
    first = lecture11_failures(None, n=1000, alpha=alphas, epsilon=1.0, **chosen)
    other = lecture11_failures(None, n=4000, alpha=alphas, epsilon=0.25, **chosen)
    assert first.tolist() == other.tolist() and first[0] > first[1] > first[2]


def test_noise_is_drawn_at_unit_scale(monkeypatch):
    scales = []

    def watched(rng, scale, out):
        scales.append(scale)
        return laplace(rng, scale, out)

    monkeypatch.setattr(lab, "laplace", watched)
    chosen = dict(num_queries=100, n=5, cutoff=2, alpha=[1.0], epsilon=1.0, trials=9)
    lecture11_failures(None, **chosen, seed=987)  # of no other test: runs are kept
    assert scales == [1.0, 1.0]


def test_a_mechanism_of_ones_own_runs_on_the_same_noise_and_on_n_rows():
    asked = []

    def watched(data, queries, *, n, **others):
        asked.append(n)
        return sparse_as_printed(data, queries, n=n, **others)

    chosen = dict(num_queries=20, n=700, cutoff=2, alpha=[0.04, 0.07], epsilon=0.3, trials=200)
    ours = lecture11_failures(None, **chosen, seed=5)
    assert lecture11_failures(watched, **chosen, seed=5).tolist() == ours.tolist()
    assert asked == [700] * 400 and 0 < ours[1] < ours[0] < 200
    with pytest.raises(ParameterError, match="num_queries must be at most 20"):
        lecture11_failures(watched, **chosen | {"num_queries": 21}, seed=5)


def test_a_mechanism_for_fractions_answers_counts():
    chosen = dict(cutoff=2, epsilon=0.1)
    queries = [lambda _, value=value: value for value in (30.0, 900.0, 10.0, 800.0)]
    counts = of_counts(sparse_as_printed, 1000)(
        None, queries, threshold=500, **chosen, rng=np.random.default_rng(0)
    )
    shares = [lambda _, value=value: value for value in (0.03, 0.9, 0.01, 0.8)]
    fractions = sparse_as_printed(
        None, shares, n=1000, threshold=0.5, **chosen, rng=np.random.default_rng(0)
    )
    for count, fraction in zip(counts, fractions, strict=True):
        assert count is fraction is BELOW or np.isclose(count, 1000 * fraction)
