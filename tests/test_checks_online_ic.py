"""What the exercises of notebook 06 say is so, and the solutions are the library's mechanism."""

import itertools
import math

import numpy as np

from course_lib.checks.online_ic import check_alpha, check_answer, check_update
from course_lib.checks.solutions import online_ic as solutions
from course_lib.lecture11_sparse import sparse_repaired
from course_lib.online_ic import (
    MultiplicativeWeights,
    one_at_a_time,
    online_ic,
    online_ic_alpha,
)
from course_lib.support.answers import BELOW


def test_the_step_is_that_of_the_learner():
    for hypothesis, query, value, alpha in check_update.cases:
        learner = MultiplicativeWeights(universe_size=len(hypothesis), alpha=alpha)
        learner._exponents, learner.hypothesis = np.log(hypothesis), hypothesis
        learner.update(query, value)
        assert np.allclose(learner.hypothesis, solutions.my_update(hypothesis, query, value, alpha))


def test_the_loop_is_online_ic():
    rng, n = np.random.default_rng(2), 40_000
    queries, data = rng.integers(0, 2, (60, 8)), rng.multinomial(n, rng.dirichlet(np.ones(8)))
    given = {"epsilon": 30.0, "cutoff": 20}

    def learner():
        return MultiplicativeWeights(universe_size=8, alpha=0.02)

    def start(**started):
        noise = np.random.default_rng(3)
        ask = one_at_a_time(sparse_repaired, None, n=n, rng=noise, **started)
        return lambda gap: ask(lambda data: gap)

    noise = np.random.default_rng(3)
    theirs = [each for each, _ in online_ic(data, queries, learner(), n=n, rng=noise, **given)]
    ours = solutions.my_online_ic(data / n, queries, learner(), alpha=0.02, start=start, **given)
    assert np.allclose(list(ours), theirs) and len(set(theirs)) > 20


def test_alpha_is_that_of_theorem_1():
    for case in check_alpha.cases:
        names = ("n", "universe_size", "num_queries", "beta", "epsilon")
        exact = online_ic_alpha(**dict(zip(names, case, strict=True)))
        if exact < 1:  # beyond, the library counts at least one update
            assert math.isclose(solutions.my_alpha(*case), exact)
    assert max(solutions.my_alpha(*case) for case in check_alpha.cases) > 1


def test_either_gap_may_be_released_whichever_is_larger():
    kinds = {
        (value > guess, plus is BELOW, minus is BELOW)
        for value, guess, plus, minus in check_answer.cases
        if value != guess
    }
    assert kinds >= set(itertools.product((True, False), (True, False), (True, False))) - {
        (False, False, False)
    }


def test_a_gap_of_one_and_a_half_alpha_comes_back_for_ever():
    learner = MultiplicativeWeights(universe_size=2, alpha=0.1)
    n = 10**9  # noise far below 0.05
    queries = itertools.repeat(np.array([1, 0]), learner.max_updates + 1)
    data, rng = np.array([0.65 * n, 0.35 * n]), np.random.default_rng(0)
    assert set(online_ic(data, queries, learner, n=n, epsilon=1.0, rng=rng)) == {(0.5, False)}


def test_the_worst_queries_end_within_alpha_before_the_updates_do():
    # the truth is one of 3 elements; the queries are all 0/1 ones, the worst is always taken
    queries = [np.array(q) for q in itertools.product((0, 1), repeat=3)]
    truth, learner = np.array([1.0, 0, 0]), MultiplicativeWeights(universe_size=3, alpha=0.3)
    for updates in range(learner.max_updates + 1):  # noqa: B007
        gaps = [abs(q @ truth - learner.evaluate(q)) for q in queries]
        if max(gaps) < learner.alpha:
            break
        worst = queries[int(np.argmax(gaps))]
        learner.update(worst, worst @ truth)
    assert 0 < updates <= learner.max_updates
    assert 0 < abs(truth - learner.hypothesis).sum() / 2 < learner.alpha  # close, not equal
