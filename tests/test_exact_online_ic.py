"""Multiplicative weights on exact values, against the textbook in plain Python."""

import functools
import itertools
import math

import numpy as np
import pytest

from course_lib.exact.online_ic import chase, online_ic_useful_n, potential_left, worst_query
from course_lib.lab.histograms import NAMES, survey_histogram
from course_lib.online_ic import mw_updates, online_ic_alpha
from course_lib.support.contracts import ParameterError


@functools.cache
def shares(attributes):
    _, histogram = survey_histogram(*NAMES[:attributes])
    return [float(count / histogram.sum()) for count in histogram]


def value(query, law):
    return sum(q * p for q, p in zip(query, law, strict=True))


def moved(hypothesis, query, rate):
    """Multiply by exp(rate · query), then divide by the sum."""
    weights = [h * math.exp(rate * q) for h, q in zip(hypothesis, query, strict=True)]
    return [w / sum(weights) for w in weights]


def relative_entropy(truth, hypothesis):
    return sum(p * math.log(p / q) for p, q in zip(truth, hypothesis, strict=True) if p > 0)


def all_marginals(attributes):
    size = 2**attributes
    return [[float(x & s == s) for x in range(size)] for s in range(1, size)]


@functools.cache
def textbook_chase(analyst, attributes, alpha):
    """The hypotheses and queries of the same chase, in plain Python."""
    truth = shares(attributes)
    hypotheses, queries = [[1 / len(truth)] * len(truth)], []
    while True:
        now = hypotheses[-1]
        if analyst == "all queries":
            query = [float(p > q) for p, q in zip(truth, now, strict=True)]
        else:
            gaps = [abs(value(q, truth) - value(q, now)) for q in all_marginals(attributes)]
            query = all_marginals(attributes)[gaps.index(max(gaps))]
        gap = value(query, truth) - value(query, now)
        if abs(gap) < alpha:
            return hypotheses, queries
        queries.append(query)
        hypotheses.append(moved(now, query, math.copysign(alpha / 2, gap)))


ANALYSTS = ["marginals", "all queries"]
CHASES = [(a, d, x) for a in ANALYSTS for d in (3, 4) for x in (0.08, 0.2, 0.4)]


@pytest.mark.parametrize(("analyst", "attributes", "alpha"), CHASES)
def test_the_chase_is_that_of_the_textbook(analyst, attributes, alpha):
    truth = np.array(shares(attributes))
    rows = np.array(all_marginals(attributes)) if analyst == "marginals" else None
    found = chase(truth, rows, alpha=alpha)
    hypotheses, queries = textbook_chase(analyst, attributes, alpha)
    assert [query.tolist() for query in found.queries] == queries
    np.testing.assert_allclose(found.hypotheses, hypotheses, rtol=1e-12)
    entropies = [relative_entropy(truth, h) for h in hypotheses]
    np.testing.assert_allclose(found.potentials, entropies, rtol=1e-9)
    assert found.values == pytest.approx([value(query, truth) for query in queries])
    guesses = [value(q, h) for q, h in zip(queries, hypotheses, strict=False)]
    assert found.guesses == pytest.approx(guesses)


@pytest.mark.parametrize(("analyst", "attributes", "alpha"), CHASES)
def test_every_update_takes_alpha_squared_over_4_and_the_end_is_an_end(analyst, attributes, alpha):
    """Hoeffding's lemma even gives α²/2 − α²/32, since the query lies in [0, 1] and η = α/2."""
    truth = np.array(shares(attributes))
    rows = np.array(all_marginals(attributes))
    found = chase(truth, rows if analyst == "marginals" else None, alpha=alpha)
    entropies, end = found.potentials, found.hypotheses[-1]
    assert (-np.diff(entropies) >= 15 / 32 * alpha**2).all() and entropies[-1] >= 0
    assert len(found.queries) <= 8 / 15 * (4 * math.log(len(truth)) / alpha**2)
    left = np.arange(len(entropies))
    assert (entropies <= potential_left(left, start=entropies[0], alpha=alpha) + 1e-12).all()
    assert np.abs(rows @ (truth - end)).max() < alpha
    if analyst == "all queries":
        assert np.abs(truth - end).sum() / 2 < alpha


def test_a_hypothesis_that_is_exactly_alpha_off_is_updated():
    """Uniform on two elements against (3/4, 1/4): the gap is 1/4, then less."""
    found = chase(np.array([0.75, 0.25]), alpha=0.25)
    assert [query.tolist() for query in found.queries] == [[1.0, 0.0]]
    assert (found.values, found.guesses) == ([0.75], [0.5])
    assert len(found.hypotheses) == len(found.potentials) == 2


def test_no_query_is_worse_than_the_worst():
    """Of all 0/1 queries on six elements, one by one; a weight between is no worse than either."""
    rng = np.random.default_rng(0)
    every = np.array(list(itertools.product([0.0, 1.0], repeat=6)))
    for _ in range(20):
        database, hypothesis = rng.dirichlet(np.ones(6), size=2)
        gaps = [abs(value(query, database) - value(query, hypothesis)) for query in every]
        worst = worst_query(database, hypothesis)
        assert value(worst, database) - value(worst, hypothesis) == pytest.approx(max(gaps))
        some = rng.permutation(len(every))[:9]
        of_some = worst_query(database, hypothesis, every[some])
        assert of_some.tolist() == every[some[np.argmax(np.array(gaps)[some])]].tolist()


def test_an_element_that_has_its_share_is_not_in_the_worst_query():
    worst = worst_query(np.array([0.5, 0.25, 0.25, 0.0]), np.full(4, 0.25))
    assert worst.tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(("size", "alpha"), [(2, 0.9), (256, 0.1), (2**40, 0.013)])
def test_after_b_updates_nothing_of_the_potential_is_left(size, alpha):
    most, start = mw_updates(universe_size=size, alpha=alpha), math.log(size)
    assert potential_left(0, start=start, alpha=alpha) == start
    assert potential_left(most / 2, start=start, alpha=alpha) == pytest.approx(start / 2)
    assert potential_left(most, start=start, alpha=alpha) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("delta", [0.0, 1e-12, 1e-6, 1e-3])
@pytest.mark.parametrize(("universe", "k", "epsilon"), [(256, 1000, 1.0), (2.0**60, 10**12, 0.05)])
def test_from_which_n_on_3_alpha_is_below_1(delta, universe, k, epsilon):
    first = online_ic_useful_n(
        universe_size=universe, num_queries=k, beta=0.05, epsilon=epsilon, delta=delta
    )
    assert type(first) is int
    useful, useless = (
        online_ic_alpha(
            n=n, universe_size=universe, num_queries=k, beta=0.05, epsilon=epsilon, delta=delta
        )
        for n in (first, first - 1)
    )
    assert 3 * useful < 1 <= 3 * useless


def test_useful_n_in_closed_form():
    """δ = 0: α³ = 48 ln|X|(ln 2k + ln(3/β))/(εn) is 1/27 where n is 27 times the rest."""
    for x, k, beta, epsilon in (256, 1000, 0.05, 1.0), (2, 1, 0.9, 0.1), (2**30, 10**6, 1e-6, 5.0):
        n = 27 * 48 * math.log(x) * (math.log(2 * k) + math.log(3 / beta)) / epsilon
        first = online_ic_useful_n(universe_size=x, num_queries=k, beta=beta, epsilon=epsilon)
        assert first == math.floor(n) + 1
    many = online_ic_useful_n(universe_size=[2, 256], num_queries=1000, beta=0.05, epsilon=1.0)
    assert many[1] == online_ic_useful_n(
        universe_size=256, num_queries=1000, beta=0.05, epsilon=1.0
    )


def test_useful_n_promises_nothing_where_no_budget_is_proved():
    for promise in (online_ic_useful_n, functools.partial(online_ic_alpha, n=400)):
        with pytest.raises(ParameterError, match="epsilon must be at most .* not proved"):
            promise(universe_size=256, num_queries=10, beta=0.05, epsilon=50.0, delta=0.7)
