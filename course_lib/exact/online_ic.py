"""Multiplicative weights on exact values; from how many rows on Theorem 1 promises something."""

from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr

from course_lib.lecture11_sparse import repaired_error
from course_lib.numeric_sparse import check_numeric_budget
from course_lib.online_ic import MultiplicativeWeights, mw_updates
from course_lib.support.contracts import NOT_NEGATIVE, checked_arrays
from course_lib.support.products import one_thread_product


def worst_query(database, hypothesis, queries=None):
    """The row of queries on which the two differ most, or of all queries if none are given.

    No query has a larger gap than the set of the elements with too small a share.
    """
    if queries is None:
        return (database > hypothesis).astype(float)
    return queries[np.argmax(np.abs(one_thread_product(queries, database - hypothesis)))]


@dataclass(frozen=True, eq=False)
class Chase:
    """Hypotheses, one more than updates, and their potentials; the query of each update, its value
    on the database, which the learner was given, and its value on the hypothesis before."""

    hypotheses: np.ndarray
    potentials: np.ndarray
    queries: list
    values: list
    guesses: list


def chase(database, queries=None, *, alpha):
    """Updates with the worst query each time, of these or of all, until it is less than alpha off.

    The values are exact, so the potential argument applies as it stands. The potential is the
    relative entropy of the database, an array of shares, to the hypothesis.
    """
    learner = MultiplicativeWeights(universe_size=len(database), alpha=alpha)
    hypotheses, asked, values, guesses = [learner.hypothesis], [], [], []
    while True:
        query = worst_query(database, learner.hypothesis, queries)
        value, guess = float(one_thread_product(query, database)), learner.evaluate(query)
        if abs(value - guess) < alpha:
            break
        learner.update(query, value)
        hypotheses.append(learner.hypothesis)
        asked.append(query)
        values.append(value)
        guesses.append(guess)
    potentials = rel_entr(database, np.array(hypotheses)).sum(axis=1)
    return Chase(np.array(hypotheses), potentials, asked, values, guesses)


@checked_arrays(updates=NOT_NEGATIVE, start=NOT_NEGATIVE)
def potential_left(updates, *, start, alpha):
    """The most that a potential can be after so many valid updates: each takes alpha²/4 or more."""
    return start - updates * alpha**2 / 4


@checked_arrays
def online_ic_useful_n(*, universe_size, num_queries, beta, epsilon, delta=0.0):
    """The smallest n at which 3 alpha is below 1: there alpha = 1/3 is more than is needed."""
    cutoff = mw_updates(universe_size=universe_size, alpha=1 / 3)
    check_numeric_budget(np.floor(cutoff), epsilon, delta)
    n = np.floor(3 * repaired_error(2 * num_queries, 1, cutoff, beta, epsilon, delta)) + 1
    return n if np.ndim(n) else int(n)
