"""Sparse multiplicative weights on made-up codes, against the lecture's arrays and by counting."""

import re

import numpy as np
import pytest

from course_lib.lab import sparse_mw as lab
from course_lib.online_ic import share
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_size
from course_lib.support.contracts import ParameterError
from tests.test_exact_sparse_mw import Textbook


def test_codes_are_distinct_and_their_shares_fall_as_one_over_rank():
    data = lab.clinic()
    assert len(data) == lab.CODES and sum(data.values()) == pytest.approx(1)
    np.testing.assert_allclose(
        list(data.values())[0] / np.array(list(data.values())), range(1, 301)
    )
    assert all(re.fullmatch(r"[A-T]\d\d(\.\d{1,3})?", name) for name in data)


def test_queries_have_m_codes_and_of_some_nobody_has_them():
    data, queries = lab.clinic(), lab.random_queries(num_queries=1000, support=7, seed=0)
    names = [name for query in queries for name in query]
    assert all(set(query.values()) == {1.0} for query in queries) and len(queries) == 1000
    assert {len(query) for query in queries} <= {6, 7}  # two that nobody has may be the same
    unknown = [name for name in names if name not in data]
    assert all(re.fullmatch(r"U\d\d\.\d{4}", name) for name in unknown)
    assert {len({name[i] for name in unknown}) for i in (1, 2, 4, 5, 6, 7)} == {10}
    assert len(unknown) / len(names) == pytest.approx(0.2, abs=0.02)  # 4 standard errors
    few = lab.random_queries(num_queries=3, support=7, seed=0)
    assert few == queries[:3] and few != lab.random_queries(num_queries=3, support=7, seed=1)


def test_codes_are_drawn_by_popularity():
    """One code a query: the i-th with probability 0.8 times its share; within 4 deviations."""
    data = lab.clinic()
    asked = [
        name
        for seed in range(5)
        for query in lab.random_queries(num_queries=1000, support=1, seed=seed)
        for name in query
    ]
    for name in list(data)[:5]:
        chance = 0.8 * data[name]
        off = asked.count(name) - 5000 * chance
        assert abs(off) < 4 * np.sqrt(5000 * chance * (1 - chance))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_queries": 1001}, "num_queries must be at most 1000 in size, got 1001"),
        ({"support": 301}, "support must be at most 300 in size, got 301"),
        ({"support": 0}, "support must be a whole number, 1 or greater, got 0"),
    ],
)
def test_there_are_no_more_queries_and_codes(changes, message):
    with pytest.raises(ParameterError, match=message):
        lab.random_queries(**{"num_queries": 1, "support": 300, "seed": 0} | changes)


def test_a_query_may_have_all_codes():
    (query,) = lab.random_queries(num_queries=1, support=300, seed=0)
    assert len(query) == 300


def textbook_filling(asked, support, alpha, seed):
    """The lecture's structure; after each query, variables used and if it was updated; the last."""
    book, data = Textbook(smw_size(support=support, alpha=alpha), alpha), lab.clinic()
    used, updates = [], []
    for query in lab.random_queries(num_queries=asked, support=support, seed=seed):
        guess, value = book.value(query), sum(data.get(x, 0) for x in query)
        if abs(guess - value) >= alpha:
            book.update(query, 1 if value > guess else -1)
        updates.append(abs(guess - value) >= alpha)
        used.append(len(book.places))
    return book, used, updates, (value, guess)


@pytest.mark.parametrize(
    ("asked", "alpha", "support"), [(150, 0.1, 10), (400, 0.2, 3), (1, 0.1, 20)]
)
def test_the_structure_is_filled_as_the_lecture_s(asked, alpha, support):
    book, used, updates, last = textbook_filling(asked, support, alpha, 3)
    found = lab.filling(num_queries=asked, support=support, alpha=alpha, seed=3)
    assert list(found.weights) == list(book.places) and found.size == len(book.weights)
    assert found.assigned == used and found.updates.tolist() == np.cumsum(updates).tolist()
    assert (found.value, found.guess) == pytest.approx(last, rel=1e-9)
    assert found.updated == updates[-1]
    for element, place in book.places.items():
        assert found.weights[element] == pytest.approx(book.weights[place], rel=1e-9)
    assert found.free == pytest.approx(book.weights[-1], rel=1e-9)


def test_a_weight_falls_where_the_structure_holds_too_much():
    """All rows have “ache”; “rash” rises with it, until it is asked about alone."""
    queries = [{"ache": 1.0, "rash": 1.0}] * 60 + [{"rash": 1.0}] * 3
    found = lab._filled({"ache": 1.0}, queries, 2, 0.3)
    book = Textbook(smw_size(support=2, alpha=0.3), 0.3)
    for query in queries:
        guess, value = book.value(query), float("ache" in query)
        if abs(guess - value) >= 0.3:
            book.update(query, 1 if value > guess else -1)
    for element, place in book.places.items():
        assert found.weights[element] == pytest.approx(book.weights[place], rel=1e-9)
    assert found.weights["rash"] < found.weights["ache"]
    assert found.free == pytest.approx(book.weights[-1], rel=1e-9)


def test_the_structure_is_filled_as_the_learner_s():
    """SparseMultiplicativeWeights itself, with the same queries and values."""
    learner, data = SparseMultiplicativeWeights(support=10, alpha=0.1), lab.clinic()
    for query in lab.random_queries(num_queries=1000, support=10, seed=0):
        guess, value = learner.evaluate(query), share(data, query, 1)
        if abs(guess - value) >= 0.1:
            learner.update(query, value)
    found = lab.filling(num_queries=1000, support=10, alpha=0.1, seed=0)
    assert len(found.weights) == learner.assigned and found.size == learner.size
    weights = [learner.evaluate({element: 1.0}) for element in found.weights]
    np.testing.assert_allclose(list(found.weights.values()), weights, rtol=1e-11)
    assert found.free == pytest.approx(learner.evaluate({"": 1.0}), rel=1e-11)


def textbook_searching(asked):
    """The lecture's structure on searches; after each query rows used, if updated, strings."""
    book, data = Textbook(smw_size(support=3, alpha=0.2), 0.2), lab.searches()
    used, updates, strings, seen = [], [], [], set()
    for query in lab._search_queries()[:asked]:
        guess, value = book.value(query), sum(data.get(x, 0) for x in query)
        if abs(guess - value) >= 0.2:
            book.update(query, 1 if value > guess else -1)
        updates.append(abs(guess - value) >= 0.2)
        used.append(len(book.places))
        seen.update(query)
        strings.append(len(seen))
    return book, used, updates, strings


def test_each_search_query_names_two_searches_and_a_string_that_nobody_typed():
    data, queries = lab.searches(), lab._search_queries()
    parts = np.array(list(data.values()))
    assert parts.sum() == pytest.approx(1) and len(queries) == lab.LONGEST
    np.testing.assert_allclose(parts[0] / parts, range(1, len(data) + 1))
    assert {len(query) for query in queries} == {3}
    unknown = [x for query in queries for x in query if x not in data]
    assert len(set(unknown)) == 1000 and {len(x.split()) for x in unknown} == set(range(3, 10))
    # the commonest is among the two drawn, without replacement, with probability 0.532
    law = parts / parts.sum()
    chance = law[0] + sum(law[1:] * law[0] / (1 - law[1:]))
    found = sum("fever" in query for query in queries)
    assert abs(found - 1000 * chance) < 4 * np.sqrt(1000 * chance * (1 - chance))


def test_searching_fills_the_table_as_the_lecture_s():
    book, used, updates, strings = textbook_searching(300)
    found, named = lab.searching(num_queries=300)
    assert list(found.weights) == list(book.places) and named == strings
    assert found.assigned == used and found.updates.tolist() == np.cumsum(updates).tolist()
    weights = [book.weights[place] for place in book.places.values()]
    np.testing.assert_allclose(list(found.weights.values()), weights, rtol=1e-9)
    assert found.free == pytest.approx(book.weights[-1], rel=1e-9)


DIGITS = [10, 20, 40, 60, None]


def test_looking_up_is_counted_by_the_names_themselves():
    """As often on a learner that has seen many others: a sweep over them would be noticed."""
    learner = SparseMultiplicativeWeights(support=20, alpha=0.1)
    for j in range(10):
        learner.update({lab.Element(f"other {20 * j + i}"): 1.0 for i in range(20)}, 1.0)
    query = {lab.element(i, number=20, digits=40): 1.0 for i in range(20)}
    before = lab.Element.looked_up
    learner.evaluate(query)
    between = lab.Element.looked_up
    learner.update(query, 1.0)
    looked_up = between - before, lab.Element.looked_up - between
    assert looked_up[0] == 20 and looked_up[1] <= 6 * 20
    assert lab.look_ups(tuple(DIGITS), support=20, alpha=0.1) == [(*looked_up, 20)] * len(DIGITS)


@pytest.mark.parametrize("digits", DIGITS)
def test_names_are_distinct_and_lie_in_their_universe(digits):
    names = {str(lab.element(i, number=1000, digits=digits)) for i in range(1000)}
    assert len(names) == 1000
    if digits is None:
        assert max(map(len, names)) > 300
    else:
        assert {len(name) for name in names} == {digits}
        places = sorted(int(name, 2) / 2**digits for name in names)
        np.testing.assert_allclose(places, np.arange(1000) / 1000, atol=2.0**-digits)
