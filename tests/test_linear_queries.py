"""Universes, marginals and predicates, answered as a loop over the rows would; sensitivity."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from course_lib.lab.confidence import clopper_pearson
from course_lib.linear_queries import (
    LinearQueries,
    Universe,
    all_predicates,
    answers_alpha,
    counts,
    fraction_sensitivity,
    fractions,
    histogram_alpha,
    marginals,
    predicates,
)
from course_lib.support.contracts import ParameterError

NAMES = ("a", "b", "c", "d", "e")


def bits(d):
    """The elements in order: 0…0 first, the last attribute changes fastest."""
    return list(itertools.product((0, 1), repeat=d))


def as_data(rows, names):
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_universe_has_all_rows_in_the_order_of_their_bits(d):
    universe = Universe(NAMES[:d])
    assert len(universe) == 2**d == len(universe.rows)
    assert [tuple(map(int, row)) for row in universe.rows.tolist()] == bits(d)
    assert universe.elements == ["".join(map(str, row)) for row in bits(d)]
    assert universe.rows.dtype.names == NAMES[:d] == universe.names


def test_a_universe_takes_names_in_a_list_and_is_equal_by_them():
    assert Universe(["a", "b"]) == Universe(("a", "b")) != Universe(("b", "a"))


@pytest.mark.parametrize("names", [(), [], "abc", ("a", "a"), ("a", "b", "a")])
def test_names_must_differ_and_there_must_be_some(names):
    with pytest.raises(ParameterError, match="names must be one or more different names"):
        Universe(names)


tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=1, max_size=12)
)


@given(tables)
def test_a_histogram_counts_the_rows_of_each_element(rows):
    universe = Universe(NAMES[: len(rows[0])])
    histogram = universe.histogram(as_data(rows, universe.names))
    assert histogram.tolist() == [rows.count(row) for row in bits(len(rows[0]))]


def test_a_histogram_written_out_as_rows_gives_itself():
    universe, histogram = Universe(NAMES[:3]), np.array([2, 0, 1, 5, 0, 0, 3, 1])
    assert universe.histogram(np.repeat(universe.rows, histogram)).tolist() == histogram.tolist()
    assert universe.histogram(universe.rows).tolist() == [1] * 8


@pytest.mark.parametrize("value", [2, -1, 0.5, math.nan, "1"])
def test_data_outside_the_universe_are_refused(value):
    with pytest.raises(ParameterError, match="bits must be 0 or 1"):
        Universe(("a", "b")).histogram({"a": [0, 1], "b": [1, value]})


def test_no_rows_and_no_such_column_are_refused():
    with pytest.raises(ParameterError, match="bits must not be empty"):
        Universe(("a",)).histogram({"a": []})
    with pytest.raises(KeyError, match="b"):
        Universe(("a", "b")).histogram({"a": [1]})


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_a_marginal_is_the_product_of_its_bits(d):
    universe = Universe(NAMES[:d])
    for order in range(1, d + 1):
        queries = marginals(universe, order=order)
        assert len(queries) == sum(math.comb(d, size) for size in range(1, order + 1))
        assert len(set(queries.names)) == len(queries) == len(queries.rows)
        for name, weights in zip(queries.names, queries.rows, strict=True):
            places = [NAMES.index(attribute) for attribute in name.split(" and ")]
            assert places == sorted(set(places)) and len(places) <= order
            assert weights.tolist() == [math.prod(row[i] for i in places) for row in bits(d)]


def test_without_an_order_all_marginals_but_the_empty_one():
    queries = marginals(Universe(NAMES[:4]))
    assert len(queries) == 2**4 - 1
    assert queries.names[0] == "a" and queries.names[-1] == "a and b and c and d"
    assert np.asarray(queries).tolist() == marginals(Universe(NAMES[:4]), order=4).rows.tolist()
    assert len(marginals(Universe(NAMES[:4]), order=2.0)) == 10


@pytest.mark.parametrize("order", [0, 4, -1, 1.5, "2", math.nan])
def test_an_order_beyond_the_attributes_is_refused(order):
    with pytest.raises(ParameterError, match="order must be from 1 to 3, got"):
        marginals(Universe(NAMES[:3]), order=order)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_all_predicates_are_different_not_constant_and_no_negations(d):
    universe = Universe(NAMES[:d])
    queries = all_predicates(universe)
    truths = [tuple(row) for row in queries.rows.tolist()]
    assert set(itertools.chain.from_iterable(truths)) == {0.0, 1.0}
    kinds = {frozenset([row, tuple(1 - x for x in row)]) for row in truths}
    assert len(kinds) == len(truths) == 2 ** (2**d - 1) - 1
    assert all(len(set(row)) == 2 for row in truths)  # neither always nor never
    assert all(row[0] == 0 for row in truths)  # nor for 00…0
    for name, row in zip(queries.names, truths, strict=True):
        holds = ["".join(map(str, x)) for x, true in zip(bits(d), row, strict=True) if true]
        assert name == " or ".join(holds)


def test_one_query_alone_has_one_answer():
    assert counts([3, 4], [0.5, 1.0]) == 5.5
    assert fractions([3, 4], [0.5, 1.0]) == 5.5 / 7
    assert fractions([[3, 5], [4, 4]], [0.0, 1.0]).tolist() == [5 / 8, 4 / 8]


@pytest.mark.parametrize("names", ["ab", (), 7, None, ("a", "a"), ("a", 3), [["a"]]], ids=repr)
def test_attributes_have_different_words_for_names(names):
    with pytest.raises(ParameterError, match="names must be one or more different names, got"):
        Universe(names)


def test_all_predicates_stop_at_16_elements():
    assert len(all_predicates(Universe(NAMES[:4]))) == 32767
    with pytest.raises(ParameterError, match="universe must have at most 16 elements here, got 32"):
        all_predicates(Universe(NAMES))


def test_predicates_come_from_conditions_on_the_rows():
    asked = {
        "a without b": lambda row: row["a"] & ~row["b"],
        "half of c": lambda row: row["c"] / 2,
        "an even number": lambda row: (row["a"] + row["b"].astype(int) + row["c"]) % 2 == 0,
    }
    queries = predicates(Universe(NAMES[:3]), asked)
    assert queries.names == list(asked)
    expected = [[a * (1 - b), c / 2, 1 - (a + b + c) % 2] for a, b, c in bits(3)]
    assert queries.rows.T.tolist() == expected


@pytest.mark.parametrize(
    "conditions, message",
    [
        ({}, "rows must not be empty"),
        ({"two": lambda row: row["a"] + 1.0}, "rows must be from 0 to 1, got 2"),
        ({"always": lambda row: True}, "names must be one for each of the rows"),
    ],
)
def test_a_condition_gives_a_weight_for_each_element(conditions, message):
    with pytest.raises(ParameterError, match=message):
        predicates(Universe(("a",)), conditions)


@pytest.mark.parametrize("weight", [-0.01, 1.01, math.nan, math.inf, "1"])
def test_weights_are_from_0_to_1(weight):
    LinearQueries(["q"], [[0, 1, 0.5]])
    with pytest.raises(ParameterError, match="rows must be from 0 to 1"):
        LinearQueries(["q"], [[0, 1, weight]])
    for answered in (counts, fractions):
        with pytest.raises(ParameterError, match="queries must be from 0 to 1"):
            answered([1, 1, 1], [[0, 1, weight]])


@pytest.mark.parametrize("names, rows", [(["q"], [0, 1]), (["q", "r"], [[0, 1]]), (["q"], [[[0]]])])
def test_every_query_has_one_name_and_one_row(names, rows):
    with pytest.raises(ParameterError, match="names must be one for each of the rows, got "):
        LinearQueries(names, rows)


weights = st.lists(st.floats(0, 1), min_size=8, max_size=8)
databases = st.lists(st.integers(0, 7), min_size=1, max_size=10)


@given(st.lists(weights, min_size=1, max_size=5), databases)
def test_a_count_is_a_sum_and_a_fraction_a_mean_over_the_rows(rows, database):
    queries = LinearQueries([str(i) for i in range(len(rows))], np.array(rows))
    histogram = [database.count(x) for x in range(8)]
    summed = [math.fsum(row[x] for x in database) for row in rows]
    for asked in (queries, np.array(rows), rows):
        assert counts(histogram, asked) == pytest.approx(summed, abs=1e-12)
        means = [total / len(database) for total in summed]
        assert fractions(histogram, asked) == pytest.approx(means, abs=1e-12)


def test_many_databases_are_answered_at_once():
    queries = marginals(Universe(NAMES[:2]))
    many = np.array([[[1, 2, 3, 4], [0, 0, 0, 9]], [[5, 0, 0, 0], [1, 1, 1, 1]]])
    for answered in (counts, fractions):
        table = answered(many, queries)
        assert table.shape == (2, 2, 3)
        for i, j in itertools.product(range(2), repeat=2):
            assert table[i, j].tolist() == answered(many[i, j], queries).tolist()


def neighbours(rows, universe_size):
    """Replaced, added and removed rows, each with its kind."""
    for place in range(len(rows)):
        rest = rows[:place] + rows[place + 1 :]
        yield "removed", rest
        for x in range(universe_size):
            yield "replaced", (*rest, x)
    for x in range(universe_size):
        yield "added", (*rows, x)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_sensitivity_over_all_neighbours_of_all_tiny_databases(n):
    """A count: 1, all three kinds. A fraction of n rows: 1/n replaced or removed, 1/(n+1) added."""
    queries = marginals(Universe(NAMES[:2]))
    counted, meant = {}, {}
    for rows in itertools.combinations_with_replacement(range(4), n):
        before = np.bincount(rows, minlength=4)
        for kind, other in neighbours(rows, 4):
            after = np.bincount(np.array(other, dtype=int), minlength=4)
            moved = np.abs(counts(after, queries) - counts(before, queries)).max()
            counted[kind] = max(counted.get(kind, 0), moved)
            if other:
                moved = np.abs(fractions(after, queries) - fractions(before, queries)).max()
                meant[kind] = max(meant.get(kind, 0), moved)
    assert counted == {"replaced": 1, "added": 1, "removed": 1}
    assert math.isclose(meant["replaced"], fraction_sensitivity(n=n))
    assert math.isclose(meant["added"], 1 / (n + 1))
    if n > 1:
        assert math.isclose(meant["removed"], 1 / n)


def test_the_sensitivity_is_1_over_n_for_arrays_of_n():
    assert fraction_sensitivity(n=[1, 4, 100]).tolist() == [1, 0.25, 0.01]
    with pytest.raises(ParameterError, match="n must be a whole number"):
        fraction_sensitivity(n=0)


@pytest.mark.parametrize("answered", [counts, fractions])
@pytest.mark.parametrize(
    "histogram, message",
    [
        ([1, 2, 3], "histogram must have one count per element.* shapes .3,. and .3, 4."),
        (7, "histogram must have one count per element"),
        ([1, -1, 0, 0], "histogram must be a whole number, 0 or greater, got -1"),
        ([0.25] * 4, "histogram must be a whole number, 0 or greater, got 0.25"),
        ([1, 2, 3, math.nan], "histogram must be a whole number, 0 or greater, got nan"),
        ([], "histogram must not be empty"),
    ],
)
def test_a_histogram_that_is_none_is_refused(answered, histogram, message):
    with pytest.raises(ParameterError, match=message):
        answered(histogram, marginals(Universe(NAMES[:2])))


def test_a_single_number_is_no_query_and_no_queries_are_none():
    with pytest.raises(ParameterError, match="queries must be a list or a stream, got 0.5"):
        counts([1, 2], 0.5)
    with pytest.raises(ParameterError, match="queries must not be empty"):
        counts([1, 2], [])


def test_a_database_without_rows_has_counts_but_no_fractions():
    queries = marginals(Universe(NAMES[:2]))
    assert counts([0] * 4, queries).tolist() == [0, 0, 0]
    for histogram in ([0] * 4, [[1, 0, 0, 0], [0] * 4]):
        with pytest.raises(ParameterError, match="histogram must have at least one row"):
            fractions(histogram, queries)


def laplace_error(num_queries, n, beta, epsilon, delta):
    """Basic and advanced composition, in plain Python; Theorem 3.20 solved by bisection."""
    low, high = 0.0, epsilon
    for _ in range(200):
        each = (low + high) / 2
        total = each * math.sqrt(2 * num_queries * math.log(1 / delta))
        total += num_queries * each * math.expm1(each)
        low, high = (each, high) if total <= epsilon else (low, each)
    worst = -math.log(-math.expm1(math.log1p(-beta) / num_queries))
    return worst * num_queries / epsilon / n, worst / low / n


@pytest.mark.parametrize("num_queries, n", [(2, 1), (127, 1000), (10**9, 10**6)])
@pytest.mark.parametrize("beta, epsilon, delta", [(0.05, 1.0, 1e-6), (0.9, 0.1, 1e-12)])
def test_noise_on_the_answers_with_basic_and_advanced_composition(
    num_queries, n, beta, epsilon, delta
):
    found = [
        answers_alpha(n=n, num_queries=num_queries, beta=beta, epsilon=epsilon, delta=d)
        for d in (0.0, delta)
    ]
    assert found == pytest.approx(laplace_error(num_queries, n, beta, epsilon, delta), rel=1e-9)
    basic = answers_alpha(n=n, num_queries=num_queries, beta=beta, epsilon=epsilon)
    assert basic == found[0]


def test_noise_on_the_answers_takes_arrays():
    many = answers_alpha(
        n=[10, 20], num_queries=[[3], [4]], beta=0.1, epsilon=0.5, delta=[1e-6, 1e-3]
    )
    assert many.shape == (2, 2)
    assert many[1, 0] == answers_alpha(n=10, num_queries=4, beta=0.1, epsilon=0.5, delta=1e-6)
    with pytest.raises(ParameterError, match="delta must be a number strictly between 0 and 1"):
        answers_alpha(n=10, num_queries=4, beta=0.1, epsilon=0.5, delta=[0.0, 1e-6])


@pytest.mark.parametrize("number", [3, 127])
def test_answers_exceed_their_alpha_with_probability_beta(number):
    """100,000 runs; the number beyond leaves its central 99.9% interval once in a thousand."""
    alpha = answers_alpha(n=1, num_queries=number, beta=0.05, epsilon=2.0)
    noise = np.random.default_rng(3).laplace(scale=number / 2.0, size=(100_000, number))
    beyond = np.count_nonzero(np.abs(noise).max(axis=1) > alpha)
    low, high = binom.ppf([0.0005, 0.9995], 100_000, 0.05)
    assert low <= beyond <= high


@pytest.mark.parametrize(
    "universe_size, num_queries, beta", [(8, 7, 0.05), (1, 1, 0.5), (256, 10**6, 1e-6)]
)
def test_noise_on_the_histogram_is_bounded_by_markov(universe_size, num_queries, beta):
    """At any t in (0, 1) exp(t S) bounds the tail; the formula's t is within 4% of the best."""
    found = histogram_alpha(
        n=1, universe_size=universe_size, num_queries=num_queries, beta=beta, epsilon=2
    )
    t = np.linspace(0, 1, 100_002)[1:-1]
    logs = math.log(2 * num_queries / beta)
    bounds = (logs - universe_size * np.log(1 - t * t)) / t
    assert bounds.min() <= found <= 1.04 * bounds.min()
    chosen = math.sqrt(logs / (universe_size + logs))
    assert math.isclose(found, (logs - universe_size * math.log(1 - chosen**2)) / chosen)


def test_noise_on_the_histogram_holds_for_the_sum_of_all_counts():
    """|Lap + … + Lap|, 8 terms: seen beyond alpha at most beta of the time, 95% confidence."""
    alpha = histogram_alpha(n=1, universe_size=8, num_queries=1, beta=0.05, epsilon=2)
    sums = np.random.default_rng(0).laplace(size=(100_000, 8)).sum(axis=1)
    _, high = clopper_pearson(int((np.abs(sums) > alpha).sum()), 100_000)
    assert high < 0.05
    halved = {"n": 2, "universe_size": 8, "num_queries": 1, "beta": 0.05, "epsilon": 2}
    assert math.isclose(histogram_alpha(**halved), alpha / 2)
    assert math.isclose(histogram_alpha(**halved | {"n": 1, "epsilon": 4}), alpha / 2)


@pytest.mark.parametrize("beta", [1e-6, 0.05, 0.7])
def test_noise_on_the_histogram_stays_better_than_on_the_answers_once_it_is(beta):
    """A query's share of the bound falls with |Q|, and of the exact error of the answers it rises.

    The answers have noise Lap(k/ε): all k are within t k/ε with probability (1 - exp(-t))^k.
    """
    k = np.unique(np.geomspace(1, 1e9, 400).round())
    answers = -np.log(-np.expm1(np.log1p(-beta) / k))
    for elements in (1, 8, 64, 256, 2**30):
        bound = histogram_alpha(n=1, universe_size=elements, num_queries=k, beta=beta, epsilon=1)
        assert (np.diff(bound / k) < 0).all() and (np.diff(answers) > 0).all()
        better = bound < k * answers
        assert better[-1] and (np.diff(better.astype(int)) >= 0).all()


@pytest.mark.parametrize(
    "data", [{"a": [1], "b": [0, 1, 1]}, {"a": 1, "b": 0}, {"a": [[1]], "b": [[0]]}]
)
def test_columns_of_unequal_length_are_refused(data):
    with pytest.raises(ParameterError, match="columns of equal length"):
        Universe(("a", "b")).histogram(data)
