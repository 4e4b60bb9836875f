"""Sparse multiplicative weights on made-up codes, and its look-ups counted in any universe."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from course_lib.online_ic import share
from course_lib.sparse_mw import SparseMultiplicativeWeights
from course_lib.support.contracts import COUNT, checked_numbers

CODES, LONGEST = 300, 1000  # codes that somebody has, and queries of a run
NOBODY = 0.2  # of the codes in a query, those that nobody has


@functools.cache
def clinic():
    """Made-up codes in the manner of ICD-10, and the fraction of the rows with each: 1/rank."""
    rng = np.random.default_rng(7)
    names = dict.fromkeys(_code(rng) for _ in range(2 * CODES))
    ranks = np.arange(1, CODES + 1)
    return dict(zip(names, (1 / ranks / np.sum(1 / ranks)).tolist(), strict=False))


def _code(rng):
    """A letter, two digits and up to three more."""
    digits = "".join(map(str, rng.integers(10, size=rng.integers(4))))
    stem = f"{'ABCDEFGHIJKLMNOPQRST'[rng.integers(20)]}{rng.integers(100):02}"
    return f"{stem}.{digits}" if digits else stem


@checked_numbers(num_queries=replace(COUNT, most=LONGEST), support=replace(COUNT, most=CODES))
def random_queries(*, num_queries, support, seed):
    """The first of LONGEST queries: which fraction of the rows has one of m codes?

    The codes are drawn by popularity.
    """
    return _random_queries(support, seed)[:num_queries]


@functools.lru_cache(maxsize=16)
def _random_queries(support, seed):
    rng, names = np.random.default_rng(seed), np.array(list(clinic()))
    keys = np.log(list(clinic().values())) + rng.gumbel(size=(LONGEST, CODES))
    chosen = names[np.argsort(-keys, axis=1)[:, :support]]
    numbers = rng.integers(10**6, size=chosen.shape)
    nobody = rng.random(chosen.shape) < NOBODY
    return [
        {
            f"U{n // 10**4:02}.{n % 10**4:04}" if new else str(name): 1.0
            for name, n, new in zip(*row, strict=True)
        }
        for row in zip(chosen, numbers, nobody, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Filling:
    """A structure after some queries: its elements in the order of h, and after each query how many
    are assigned and how many updates there were; of the last query its value on the database, that
    on the hypothesis before, and if it was updated."""

    learner: SparseMultiplicativeWeights
    elements: list
    assigned: list
    updates: np.ndarray
    value: float
    guess: float
    updated: bool


@functools.lru_cache(maxsize=32)
def filling(*, num_queries, support, alpha, seed):
    """Ask the first queries with exact values: an update where value and hypothesis differ by α."""
    learner, data = SparseMultiplicativeWeights(support=support, alpha=alpha), clinic()
    elements, assigned, updates = {}, [], []
    for query in random_queries(num_queries=num_queries, support=support, seed=seed):
        guess, value = learner.evaluate(query), share(data, query, 1)
        valid = abs(value - guess) >= alpha
        if valid:
            learner.update(query, value)
            elements |= dict.fromkeys(query)
        assigned.append(learner.assigned)
        updates.append(valid)
    return Filling(learner, list(elements), assigned, np.cumsum(updates), value, guess, valid)


class Element(str):
    """A name that counts how often it is looked up."""

    looked_up = 0

    def __hash__(self):
        Element.looked_up += 1
        return super().__hash__()


def element(i, *, number, digits):
    """The i-th of so many names, evenly spread over those of so many binary digits.

    Without digits, a string of any length.
    """
    if digits is None:
        return Element(f"{i} " + "x" * (37 * i % 500))
    return Element(f"{i * 2**digits // number:0{digits}b}")


@functools.lru_cache(maxsize=256)
def look_ups(*, digits, support, alpha):
    """Look-ups for the value of a query, look-ups for an update, elements in memory after it.

    Before, an update with m other elements: a sweep over all that are in memory would be counted.
    """
    learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
    names = [element(i, number=2 * support, digits=digits) for i in range(2 * support)]
    learner.update(dict.fromkeys(names[:support], 1.0), 1.0)
    query = dict.fromkeys(names[support:], 1.0)
    start = Element.looked_up
    learner.evaluate(query)
    between = Element.looked_up
    learner.update(query, 1.0)
    return between - start, Element.looked_up - between, learner.assigned
