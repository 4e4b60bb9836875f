"""Sparse multiplicative weights on made-up codes, and its look-ups counted in any universe."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from course_lib.online_ic import FRACTION
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_size
from course_lib.support.contracts import COUNT, ParameterError, checked_numbers, shown

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
    rng, names = np.random.default_rng(seed), list(clinic())
    keys = -np.log(list(clinic().values())) - rng.gumbel(size=(LONGEST, CODES))
    first = np.argpartition(keys, support - 1, axis=1)[:, :support]  # in any order
    order = np.take_along_axis(keys, first, axis=1).argsort(axis=1)
    chosen = np.take_along_axis(first, order, axis=1)
    numbers = rng.integers(10**6, size=chosen.shape)
    nobody = rng.random(chosen.shape) < NOBODY
    return [
        {
            f"U{n // 10**4:02}.{n % 10**4:04}" if new else names[place]: 1.0
            for place, n, new in zip(*row, strict=True)
        }
        for row in zip(chosen.tolist(), numbers.tolist(), nobody.tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Filling:
    """A structure of `size` variables after some queries: the weights of those with an element, in
    the order of h, and that of every other; after each query how many are assigned and how many
    updates there were; of the last query its value on the database, that on the hypothesis before,
    and if it was updated."""

    size: int
    weights: dict
    free: float
    assigned: list
    updates: np.ndarray
    value: float
    guess: float
    updated: bool


@checked_numbers(alpha=FRACTION)
@functools.lru_cache(maxsize=32)
def filling(*, num_queries, support, alpha, seed):
    """What SparseMultiplicativeWeights holds if it is asked the first queries with exact values.

    There is an update where value and hypothesis differ by alpha; nothing is normalised before the
    end, so a query costs a few steps for each of its elements.
    """
    queries = random_queries(num_queries=num_queries, support=support, seed=seed)
    return _filled(clinic(), queries, support, alpha)


def _filled(data, queries, support, alpha):
    size, weights, assigned, updates = smw_size(support=support, alpha=alpha), {}, [], []
    total = size  # of all variables: one without an element weighs 1
    for query in queries:
        value = sum([data.get(x, 0.0) for x in query])
        inside = sum([weights.get(x, 1.0) for x in query])
        guess = inside / total
        valid = abs(value - guess) >= alpha
        if valid:
            factor = math.exp(math.copysign(alpha / 2, value - guess))
            weights |= {x: factor * weights.get(x, 1.0) for x in query}
            total += (factor - 1) * inside
        assigned.append(len(weights))
        updates.append(valid)
    shares = {x: weight / total for x, weight in weights.items()}
    return Filling(size, shares, 1 / total, assigned, np.cumsum(updates), value, guess, valid)


TERMS = ("fever", "rash", "back pain", "flu shot", "measles", "hay fever", "sore throat")
TERMS += ("migraine", "asthma", "sunburn", "dizzy", "tick bite", "sprain", "earache")
WORDS = ("why", "blue", "my", "cat", "monday", "itchy", "left", "since", "again", "moon", "soup")


@functools.cache
def searches():
    """Made-up searches, and the fraction of the rows with each: 1/rank."""
    parts = 1 / np.arange(1, len(TERMS) + 1)
    return dict(zip(TERMS, (parts / parts.sum()).tolist(), strict=True))


@functools.cache
def _search_queries():
    """LONGEST queries: each names two searches, drawn by popularity, and one that nobody typed."""
    rng, law = np.random.default_rng(0), list(searches().values())
    queries = []
    for _ in range(LONGEST):
        typed = rng.choice(TERMS, 2, replace=False, p=law).tolist()
        words = rng.choice(WORDS, rng.integers(2, 9), replace=False).tolist()
        queries.append(dict.fromkeys([*typed, " ".join([*words, str(rng.integers(1000))])], 1.0))
    return queries


@checked_numbers(num_queries=replace(COUNT, most=LONGEST))
@functools.lru_cache(maxsize=64)
def searching(*, num_queries):
    """The structure after the first queries about searches, α = 0.2, and how many strings each
    query and those before it have named."""
    queries = _search_queries()[:num_queries]
    named, seen = [], set()
    for query in queries:
        seen |= query.keys()
        named.append(len(seen))
    return _filled(searches(), queries, support=3, alpha=0.2), named


class Element(str):
    """A name that counts how often it is looked up."""

    looked_up = 0

    def __hash__(self):
        Element.looked_up += 1
        return str.__hash__(self)


def element(i, *, number, digits):
    """The i-th of so many names, evenly spread over those of so many binary digits.

    Without digits, a string of any length.
    """
    if digits is None:
        return Element(f"{i} " + "x" * (37 * i % 500))
    return Element(f"{i * 2**digits // number:0{digits}b}")


@checked_numbers(support=replace(COUNT, most=10_000), alpha=FRACTION)
def look_ups(universes, *, support, alpha):
    """In each universe, all strings of so many binary digits, or of any (None), for a query of m
    elements: look-ups for its value, look-ups for an update, elements that this adds to the memory.

    They follow each other on one learner, after an update with m other elements: a sweep over all
    that are in memory would be counted.
    """
    known = universes if isinstance(universes, Sequence) else [universes]
    for digits in known:
        if digits is not None and digits not in range(support.bit_length(), 4097):
            raise ParameterError(
                "universes must be None or whole numbers of binary digits, enough for the support "
                f"and at most 4,096, got {shown(digits)}"
            )
    return _look_ups(tuple(known), support, alpha)


@functools.lru_cache(maxsize=64)
def _look_ups(universes, support, alpha):
    learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
    learner.update({Element(f"other {i}"): 1.0 for i in range(support)}, 1.0)
    counted = []
    for digits in universes:
        names = (element(i, number=support, digits=digits) for i in range(support))
        query, before = dict.fromkeys(names, 1.0), learner.assigned
        start = Element.looked_up
        learner.evaluate(query)
        between = Element.looked_up
        learner.update(query, 1.0)
        counted.append((between - start, Element.looked_up - between, learner.assigned - before))
    return counted
