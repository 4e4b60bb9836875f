"""The levels of SmallDB's error, samples and promises, against enumeration and plain Python."""

import itertools
import math
from collections import Counter

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from course_lib.exact.small_db import (
    MECHANISMS,
    ErrorLevels,
    Promises,
    are_all_predicates,
    changes,
    error_levels,
    existence_alpha,
    in_bins,
    sample_tails,
    small_db_alpha,
)
from course_lib.small_db import sample_beta, scored, small_db_error, small_db_size
from course_lib.support.contracts import ParameterError
from tests.test_linear_queries import laplace_error
from tests.test_small_db import THREE, TWO, answers, beyond, databases, enumerated, law

each_database = pytest.mark.parametrize("histogram, queries, alpha", databases)


@each_database
def test_levels_are_those_of_enumeration(histogram, queries, alpha):
    found = error_levels(histogram, queries, alpha=alpha)
    levels = sorted(Counter(enumerated(histogram, queries, alpha).values()).items())
    assert found.errors.tolist() == pytest.approx([float(e) for e, _ in levels], abs=1e-12)
    assert found.counts.tolist() == [number for _, number in levels]


@each_database
def test_many_rows_like_these_have_the_same_levels(histogram, queries, alpha):
    one, many = (
        error_levels(copies * np.array(histogram), queries, alpha=alpha) for copies in (1, 10**6)
    )
    assert one.errors.tolist() == many.errors.tolist()
    assert one.counts.tolist() == many.counts.tolist()


@pytest.mark.parametrize("elements, alpha", [(1, 0.5), (2, 0.6), (3, 0.4), (4, 0.4), (7, 0.6)])
@pytest.mark.parametrize("kind", ["weights", "counting", "all predicates", "all but one"])
def test_levels_from_two_halves_are_those_of_all_candidates(elements, alpha, kind):
    rng = np.random.default_rng(elements)
    queries = rng.random((5, elements))
    if kind == "counting":
        queries = queries.round()
    elif kind != "weights" and elements > 2:
        every = np.array(list(itertools.product((0, 1), repeat=elements)))
        queries = every[1 : len(every) // 2]
        if kind == "all but one":
            queries[0] = queries[1]
    histogram = rng.integers(1, 9, size=elements)
    candidates = [errors for _, errors in scored(histogram, queries, alpha)]
    errors, counts = np.unique(np.concatenate(candidates).round(11), return_counts=True)
    found = error_levels(histogram, queries, alpha=alpha)
    np.testing.assert_allclose(found.errors, errors, atol=2e-11)
    assert found.counts.tolist() == counts.tolist()


def test_levels_of_pairs_of_rows_from_a_large_universe():
    """Either half of the universe alone has 32,896 databases of 0, 1 or 2 rows, and more pairs."""
    rng = np.random.default_rng(4)
    queries, histogram = rng.integers(2, size=(5, 512)), rng.integers(9, size=512)
    found = error_levels(histogram, queries, alpha=0.9)
    assert small_db_size(num_queries=5, alpha=0.9) == 2
    truth = queries @ histogram / histogram.sum()
    first, second = np.triu_indices(512)
    worst = np.abs((queries[:, first] + queries[:, second]) / 2 - truth[:, None]).max(axis=0)
    errors, counts = np.unique(worst.round(12), return_counts=True)
    np.testing.assert_allclose(found.errors, errors, atol=2e-12)
    assert found.counts.tolist() == counts.tolist()


def test_too_many_candidates_have_no_levels():
    with pytest.raises(ParameterError, match="max_candidates must be at least"):
        error_levels([1] * 256, np.eye(256), alpha=0.5)


def test_all_predicates_are_recognised_whichever_of_a_pair_is_there():
    every = np.array(list(itertools.product((0, 1), repeat=4)))
    half = every[1:8]
    assert are_all_predicates(half) and are_all_predicates(half[::-1])
    assert are_all_predicates(np.where([[True]] * 3 + [[False]] * 4, half, 1 - half))
    assert not are_all_predicates(half[1:]) and not are_all_predicates(every[:7])
    assert not are_all_predicates(half / 2) and not are_all_predicates([*half[:-1], 1 - half[0]])


@each_database
def test_the_law_of_the_levels_and_the_best_are_those_of_enumeration(histogram, queries, alpha):
    """In each level all candidates are equally likely, so any of a tie may be among the best."""
    table = enumerated(histogram, queries, alpha)
    levels = error_levels(histogram, queries, alpha=alpha)
    n, epsilon = np.array([1, 17, 400]), 0.7
    found = levels.law(n=n, epsilon=epsilon)
    assert found.shape == (3, len(levels.errors))
    for place, rows in enumerate(n.tolist()):
        chances = law(table, epsilon * rows / 2)
        each = [
            float(mpmath.fsum(chances[x] for x in table if table[x] == error))
            for error in sorted(set(table.values()))
        ]
        assert found[place] == pytest.approx(each, rel=1e-9, abs=1e-300)
        ordered = sorted(map(float, chances.values()), reverse=True)
        for number in {1, 2, 5, len(table) // 2, len(table)}:
            best = levels.best_probability(n=rows, num_candidates=number, epsilon=epsilon)
            assert best == pytest.approx(math.fsum(ordered[:number]), rel=1e-9)
    best = levels.best_probability(n=n, num_candidates=2, epsilon=epsilon)
    assert best.shape == (3,)
    assert best[1] == levels.best_probability(n=17, num_candidates=2, epsilon=epsilon)


@each_database
@pytest.mark.parametrize("beta", [0.9, 0.05, 1e-25])
def test_the_error_is_the_smallest_level_exceeded_with_at_most_beta(
    histogram, queries, alpha, beta
):
    table = enumerated(histogram, queries, alpha)
    n = [1, 17, 400]
    found = error_levels(histogram, queries, alpha=alpha).error(n=n, beta=beta, epsilon=0.7)
    for rows, error in zip(n, found, strict=True):
        chances = law(table, 0.7 * rows / 2)
        levels = sorted(set(table.values()))
        expected = next(e for e in levels if beyond(table, chances, e) <= beta)
        assert error == pytest.approx(float(expected), abs=1e-12)


def test_the_error_takes_many_betas_and_epsilons():
    levels = error_levels([6, 1, 0, 3], TWO, alpha=0.55)
    betas, epsilons = [0.5, 0.05, 1e-9], [[0.2], [5.0]]
    found = levels.error(n=10, beta=betas, epsilon=epsilons)
    assert found.shape == (2, 3) and len(set(found.ravel())) > 3
    for i, j in itertools.product(range(2), range(3)):
        assert found[i, j] == levels.error(n=10, beta=betas[j], epsilon=epsilons[i][0])


def test_levels_that_are_close_have_a_law_however_many_rows_there_are():
    """2^-50 apart, with 2 * 10^16 rows: weights 1 and e^-x, x = 10^16 / 2^50."""
    levels = ErrorLevels(np.array([0.5, 0.5 + 2.0**-50]), np.array([1, 1]))
    _, second = levels.law(n=2 * 10**16, epsilon=1.0)
    assert second == pytest.approx(1 / (1 + math.exp(1e16 / 2**50)), rel=1e-9)


def test_an_error_exceeded_with_exactly_beta_is_enough():
    """Two candidates, a chance of one half each to the last bit."""
    levels = ErrorLevels(np.array([0.1, 0.2]), np.array([1, 1]))
    assert levels.error(n=1, beta=0.5, epsilon=1e-50) == 0.1


def test_the_error_counts_a_tie_as_a_whole():
    """Two of four candidates share the middle error; rate 0 is nearly uniform."""
    levels = ErrorLevels(np.array([0.1, 0.2, 0.3]), np.array([1, 2, 1]))
    for beta, error in ((0.76, 0.1), (0.74, 0.2), (0.26, 0.2), (0.24, 0.3)):
        assert levels.error(n=1, beta=beta, epsilon=1e-9) == error


@each_database
def test_rows_are_enough_where_enumeration_first_says_so(histogram, queries, alpha):
    table = enumerated(histogram, queries, alpha)
    found = error_levels(histogram, queries, alpha=alpha)
    levels = sorted(set(table.values()))
    asked = {levels[0], levels[len(levels) // 3], levels[-2], levels[-1]}
    for error, beta, epsilon in itertools.product(asked, (0.05, 1e-3), (1.0, 0.05)):
        enough = found.rows_enough(error=float(error), beta=beta, epsilon=epsilon)
        few, many = (
            beyond(table, law(table, epsilon * n / 2), error) for n in (enough - 1, enough)
        )
        assert many <= beta and (few > beta or enough == 1) and type(enough) is int
    assert found.rows_enough(error=float(levels[-1]), beta=1e-9, epsilon=1e-3) == 1


def test_rows_are_enough_if_exactly_beta_is_beyond():
    """(0.1: 1, 0.2: 1) at n = 2: 1/(1 + e^(0.1 ε)), and a smaller error is refused."""
    levels, epsilon = ErrorLevels(np.array([0.1, 0.2]), np.array([1, 1])), 4.0
    (_, beyond_first) = levels.law(n=2, epsilon=epsilon)
    assert beyond_first == pytest.approx(1 / (1 + math.exp(0.4)))
    assert levels.rows_enough(error=0.1, beta=beyond_first, epsilon=epsilon) == 2
    with pytest.raises(ParameterError, match="error must be 0.1 or greater here, got 0.09"):
        levels.rows_enough(error=0.09, beta=0.05, epsilon=1.0)


LEVELS = [
    (error_levels(histogram, queries, alpha=alpha), epsilon)
    for (histogram, queries, alpha), epsilon in itertools.product(databases, (0.2, 3.0))
]


@pytest.mark.parametrize("levels, epsilon", LEVELS)
@pytest.mark.parametrize("error", [0.05, 1.0, 4.0, 30.0])
def test_who_is_ahead_from_where_on_by_comparing_every_n(levels, epsilon, error):
    n = np.arange(1, math.ceil(error / levels.errors[levels.errors > 0][0]) + 200)
    own = levels.error(n=n, beta=0.05, epsilon=epsilon)
    ahead = error / n < own
    first = levels.first_beaten(error=error, beta=0.05, epsilon=epsilon)
    always = levels.always_beaten(error=error, beta=0.05, epsilon=epsilon)
    assert first == (n[ahead][0] if ahead.any() else math.inf)
    if levels.errors[0] == 0:
        assert always == math.inf
    else:
        assert always == (n[~ahead][-1] + 1 if not ahead.all() else 1)


def test_the_cases_of_who_is_ahead_have_all_kinds():
    """No error at all in the end, with noise ahead before and never; and more than one change."""
    found = [
        (
            levels.errors[0] == 0,
            levels.first_beaten(error=error, beta=0.05, epsilon=epsilon),
            levels.always_beaten(error=error, beta=0.05, epsilon=epsilon),
        )
        for (levels, epsilon), error in itertools.product(LEVELS, (0.05, 1.0, 4.0, 30.0))
    ]
    kinds = {(perfect, first == math.inf, first < always) for perfect, first, always in found}
    assert {(True, True, False), (True, False, True), (False, False, True)} <= kinds
    assert (False, False, False) in kinds and 1 in {first for _, first, _ in found}


def test_noise_that_is_exactly_as_good_is_not_ahead():
    levels = ErrorLevels(np.array([0.125]), np.array([1]))
    assert levels.first_beaten(error=1.0, beta=0.05, epsilon=1.0) == 9
    assert levels.always_beaten(error=1.0, beta=0.05, epsilon=1.0) == 9


def test_noise_may_be_ahead_with_a_single_row_though_not_of_the_best():
    """On one row both errors are nearly equally likely, so the (1 - β)-error is 1."""
    levels = ErrorLevels(np.array([0.1, 1.0]), np.array([1, 1]))
    assert levels.first_beaten(error=0.15, beta=0.05, epsilon=0.1) == 1
    assert levels.always_beaten(error=0.15, beta=0.05, epsilon=0.1) == 1


@pytest.mark.parametrize(
    "method", [ErrorLevels.rows_enough, ErrorLevels.first_beaten, ErrorLevels.always_beaten]
)
def test_searches_take_single_numbers(method):
    levels = ErrorLevels(np.array([0.1, 0.2]), np.array([1, 1]))
    with pytest.raises(ParameterError, match="beta must be a single number"):
        method(levels, error=0.5, beta=[0.1, 0.2], epsilon=1.0)
    with pytest.raises(ParameterError, match="error must be a finite number, 0 or greater"):
        method(levels, error=-0.5, beta=0.1, epsilon=1.0)


@pytest.mark.parametrize("size", [1, 5, 40, 2000])
@pytest.mark.parametrize(
    "histogram, queries",
    [((6, 1, 0, 3), TWO), ((5, 0, 3, 1, 4, 4, 2, 1), THREE), ((4, 0), np.eye(2))],
)
def test_tails_of_samples_are_binomial(histogram, queries, size):
    """Also where no row, or every row, has what is asked for."""
    alpha, rows = np.geomspace(0.0031, 1.1, 23), np.arange(size + 1)
    found = sample_tails(histogram, queries, size=size, alpha=alpha)
    shares = [float(p) for p in answers(histogram, np.asarray(queries).tolist())]
    for i in range(len(alpha)):
        total = sum(binom.pmf(rows, size, p)[abs(rows / size - p) > alpha[i]].sum() for p in shares)
        assert np.isclose(found[i], total, rtol=1e-9, atol=1e-13)
        one = sample_tails(histogram, queries, size=size, alpha=alpha[i])
        assert np.ndim(one) == 0 and one == found[i]
    assert (found <= sample_beta(num_queries=len(queries), size=size, alpha=alpha)).all()


def test_a_sample_that_is_off_by_exactly_alpha_is_not_off_by_more():
    """Halves: 0, 1 or 2 of 2 rows, with chances 1/4, 1/2 and 1/4."""
    for alpha, chance in ((0.0, 1.0), (0.25, 1.0), (0.5, 0.0), (0.7, 0.0)):
        assert sample_tails([1, 1], np.eye(2), size=2, alpha=alpha) == pytest.approx(chance)


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"queries": [[0.5, 1], [1, 0]]}, "queries must be counting queries here"),
        ({"queries": [[0, 1, 1], [1, 0, 1]]}, "histogram must have one count per element"),
        ({"size": [5, 6]}, "size must be a single number"),
        ({"size": 10**9 + 1}, r"size must be at most 1e\+09 in size"),
        ({"histogram": [[1, 2], [1, 2]]}, "histogram must be one database"),
        ({"histogram": [0, 0]}, "histogram must have at least one row"),
        ({"alpha": -1}, "alpha must be"),
    ],
)
def test_what_has_no_tails_is_refused(changed, message):
    given = {"histogram": [3, 1], "queries": np.eye(2), "size": 5, "alpha": 0.1}
    with pytest.raises(ParameterError, match=message):
        sample_tails(**given | changed)
    sample_tails(**given | {"size": 10**9})


@given(st.integers(2, 10**12), st.integers(1, 10**6))
def test_alphas_of_a_number_of_rows(num_queries, size):
    """The lemma's alpha needs no more rows, and a smaller one more; there the bound is 2/|Q|.

    The union bound is 1 at the other, which is the smaller from four queries on.
    """
    alpha = small_db_alpha(num_queries=num_queries, size=size)
    assert small_db_size(num_queries=num_queries, alpha=alpha * (1 + 1e-12)) == size
    assert small_db_size(num_queries=num_queries, alpha=alpha * (1 - 1e-9)) == size + 1
    bound = sample_beta(num_queries=num_queries, size=size, alpha=alpha)
    assert bound == pytest.approx(2 / num_queries, rel=1e-9)
    other = existence_alpha(num_queries=num_queries, size=size)
    bound = sample_beta(num_queries=num_queries, size=size, alpha=other)
    assert bound == pytest.approx(1, rel=1e-9)


def lemma_at_best_alpha(num_queries, n, universe_size, beta, epsilon):
    """On a grid, and just above each alpha for which up to 2,000 rows are enough."""
    borders = np.sqrt(math.log(num_queries) / np.arange(1, 2000)) * (1 + 1e-12)
    return small_db_error(
        n=n,
        universe_size=universe_size,
        num_queries=num_queries,
        alpha=np.append(np.geomspace(1e-12, 2, 6_000), borders[borders < 2]),
        beta=beta,
        epsilon=epsilon,
    ).min()


def histogram_error(num_queries, n, universe_size, beta, epsilon):
    """Markov's inequality for exp(t S) with the core's t, which no t beats by more than 3%."""
    logs = math.log(2 * num_queries / beta)
    grid = 1 / (1 + np.geomspace(1e-6, 1e9, 99))
    grid = np.append(math.sqrt(logs / (universe_size + logs)), grid)
    bounds = 2 * (logs - universe_size * np.log1p(-grid * grid)) / (grid * epsilon * n)
    assert bounds[0] < 1.03 * bounds.min()
    return bounds[0]


def test_what_noise_promises():
    promises = Promises(universe_size=2.0**20, beta=0.02, epsilon=0.5, delta=1e-9)
    num_queries = [2, 60, 10**6]
    found = promises.noise(num_queries=num_queries)
    for place, k in enumerate(num_queries):
        basic, advanced = laplace_error(k, 1, 0.02, 0.5, 1e-9)
        histogram = histogram_error(k, 1, 2**20, 0.02, 0.5)
        assert found[:, place] == pytest.approx([basic, advanced, histogram], rel=1e-9)
    assert promises.noise(num_queries=60).tolist() == found[:, 1].tolist()


@pytest.mark.parametrize("epsilon, beta", [(1.0, 0.05), (0.1, 0.5)])
def test_small_db_promises_the_lemma_at_its_best_alpha(epsilon, beta):
    promises = Promises(universe_size=2**20, beta=beta, epsilon=epsilon, delta=1e-6)
    for num_queries, n in ((5, 10**4), (10**6, 10**6), (10**12, 10**10)):
        best = lemma_at_best_alpha(num_queries, n, 2**20, beta, epsilon)
        found = promises.small_db(n=n, num_queries=num_queries)
        assert found == pytest.approx(best, rel=1e-3)
        rows = promises.small_db_n(num_queries=num_queries, error=[best, found])
        assert rows[0] == pytest.approx(n, rel=5e-3) and rows[1] == pytest.approx(n)


def test_one_row_is_the_least_that_a_small_database_has():
    """α = √(ln 9) and more: from there on SmallDB's promise is that of m = 1, ln|R| = ln 8."""
    promises = Promises(universe_size=8, beta=0.05, epsilon=2.0, delta=0.0)
    alpha, added = math.sqrt(math.log(9)), math.log(8) + math.log(20)
    assert promises.small_db(n=1, num_queries=9) == pytest.approx(alpha + added)
    assert promises.small_db_n(num_queries=9, error=alpha + 2 * added) == pytest.approx(0.5)
    assert promises.small_db_n(num_queries=9, error=0.0) == math.inf


def test_up_to_where_small_db_promises_less_than_noise():
    promises = Promises(universe_size=2**20, beta=0.05, epsilon=1.0, delta=1e-6)
    for num_queries, error in ((100, 3e3), (10**6, 1e5), (10**9, 1e7)):
        ahead = promises.small_db_ahead(num_queries=num_queries, error=error)
        for n in (0.999 * ahead, 1.001 * ahead):
            small = lemma_at_best_alpha(num_queries, round(n), 2**20, 0.05, 1.0)
            assert abs(small - error / n) < 1e-3 * small or (small < error / n) == (n < ahead)
        for n, less in ((0.98 * ahead, True), (1.02 * ahead, False)):
            found = promises.small_db(n=round(n), num_queries=num_queries)
            assert (found < error / n) == less
    assert promises.small_db_ahead(num_queries=100, error=1.0) == 0


def test_promises_take_arrays():
    promises = Promises(universe_size=2**30, beta=0.05, epsilon=1.0, delta=1e-6)
    k = [[10], [10**6]]
    small = promises.small_db(n=[10**5, 10**8], num_queries=k)
    rows = promises.small_db_n(num_queries=k, error=[0.1, 0.3])
    ahead = promises.small_db_ahead(num_queries=k, error=[1e4, 1e6])
    assert small.shape == rows.shape == ahead.shape == (2, 2)
    assert small[1, 0] == promises.small_db(n=10**5, num_queries=10**6)
    assert rows[1, 0] == promises.small_db_n(num_queries=10**6, error=0.1)
    assert ahead[1, 0] == promises.small_db_ahead(num_queries=10**6, error=1e4)
    with pytest.raises(ParameterError, match="num_queries must be a whole number, 2 or greater"):
        promises.small_db(n=10, num_queries=1)
    with pytest.raises(ParameterError, match="beta must be a single number"):
        Promises(universe_size=8, beta=[0.1, 0.2], epsilon=1.0, delta=0.0)


@given(st.lists(st.integers(3, 10**12), max_size=3, unique=True), st.integers(0, 2))
def test_changes_are_found_to_the_last_digit(places, kind):
    """Far enough from each other, for two changes between two looks are none."""
    places = sorted(places)
    kept = [p for i, p in enumerate(places) if i == 0 or p > 2 * places[i - 1]]

    def winner(numbers):
        passed = np.searchsorted(kept, numbers, side="right") + kind
        return passed % 2 == 0 if kind else passed

    assert list(changes(winner, 2, 10**12)) == kept


def test_changes_at_both_ends_and_next_to_each_other():
    assert list(changes(lambda k: np.asarray(k), 2, 5)) == [3, 4, 5]
    assert list(changes(lambda k: k >= 1000, 2, 1000)) == [1000]
    assert list(changes(lambda k: k >= 2, 2, 1000)) == []


@pytest.mark.parametrize(
    "universe_size, n, beta, delta, second",
    [
        (2**15, 10**6, 0.2, 1e-6, None),
        (2**30, 10**6, 0.2, 1e-3, None),
        (2**20, 10**6, 0.2, 0.0, None),
        (2, 10, 0.5, 0.0, ("SmallDB", 3)),
        (2, 10**6, 1e-6, 0.0, ("histogram", 3)),
        (2**20, 10**6, 0.2, 0.5, None),  # advanced composition pays for two queries already
        (2**20, 10**6, 0.2, 0.9, None),  # and even for one
    ],
)
def test_who_leads_and_from_where_on(universe_size, n, beta, delta, second):
    """Just before and from each change on, for two queries and for the most."""
    promises = Promises(universe_size=universe_size, beta=beta, epsilon=0.05, delta=delta)
    leads = promises.leads(n=n, most=10**12)
    assert leads[0][1] == 2 and len(leads) > 1 and second in (None, leads[1])
    assert leads[0][0] == MECHANISMS[int(delta >= 0.5)]
    ends = [k for _, k in leads[1:]] + [10**12]
    for (name, first), end in zip(leads, ends, strict=True):
        for k in (first, end - 1):
            basic, advanced = laplace_error(k, n, beta, 0.05, delta or 0.5)
            found = [
                basic,
                advanced if delta else math.inf,
                histogram_error(k, n, universe_size, beta, 0.05),
            ]
            found.append(promises.small_db(n=n, num_queries=k))
            assert name == MECHANISMS[int(np.argmin(found))]


def test_regions_are_between_the_bounds():
    promises = Promises(universe_size=2**30, beta=0.05, epsilon=1.0, delta=1e-6)
    regions = promises.regions(np.unique(np.geomspace(2, 1e12, 30).round()))
    k, least, start = regions["nothing below 1"]
    assert (least == 0).all() and len(k) == 32
    for number, n in zip(k, start, strict=True):
        few, many = (
            promises.least(n=rows, num_queries=number).min() for rows in (np.floor(n), np.ceil(n))
        )
        assert few >= 1 >= many  # the smallest promise
    _, low, high = regions["SmallDB"]
    assert low.tolist() == start.tolist() and (high >= low).all()
    for number, n in zip(k[high == low], high[high == low], strict=True):
        *noise, small = promises.least(n=np.ceil(n), num_queries=number)
        assert min(noise) < small
    assert (high == low).any() and (high > low).any()
    for number, n in zip(k[high > low], high[high > low], strict=True):
        for rows, ahead in ((np.floor(n), True), (np.ceil(n) + 1, False)):
            *noise, small = promises.least(n=rows, num_queries=number)
            assert (small < min(noise)) == ahead
    turn, meet = regions["answers, advanced"][0][[0, -1]]
    assert regions["answers, basic"][0][-1] == turn and regions["histogram"][0][0] == meet
    for before, place, rows in ((0, turn, (0, 1)), (1, meet, (0, 1, 2))):
        noise = promises.noise(num_queries=[place - 1, place])[list(rows)]
        assert noise.argmin(axis=0).tolist() == [before, before + 1]


def test_regions_meet_beyond_the_last_number_but_one():
    """Where two kinds of noise are equal does not depend on the numbers that are looked at."""
    promises = Promises(universe_size=2**30, beta=0.05, epsilon=1.0, delta=1e-6)
    few, many = (
        promises.regions(numbers) for numbers in ([2, 1e12], np.geomspace(2, 1e12, 30).round())
    )
    for place, name in ((-1, "answers, basic"), (-1, "answers, advanced"), (0, "histogram")):
        assert few[name][0][place] == many[name][0][place]


def test_a_small_histogram_is_best_before_advanced_composition_pays():
    promises = Promises(universe_size=2, beta=0.05, epsilon=1.0, delta=1e-6)
    regions = promises.regions(np.arange(2, 60))
    meet = regions["histogram"][0][0]
    assert regions["answers, basic"][0].tolist() == list(range(2, int(meet) + 1))
    assert not len(regions["answers, advanced"][0])
    basic, _, histogram = promises.noise(num_queries=[meet - 1, meet])
    assert (histogram < basic).tolist() == [False, True]


@pytest.mark.parametrize("delta, first", [(1e-6, "answers, basic"), (0.9, "answers, advanced")])
def test_a_map_ends_with_its_last_number(delta, first):
    """Also where advanced composition pays beyond it, or for a single query already."""
    promises = Promises(universe_size=2**30, beta=0.05, epsilon=1.0, delta=delta)
    regions = promises.regions(np.array([2, 3, 5]))
    assert regions["nothing below 1"][0].tolist() == regions[first][0].tolist() == [2, 3, 5]


def test_a_bin_has_its_left_edge():
    errors, weights = [0, 0.1, 0.25, 0.3, 0.5 - 1e-12, 1.0], [1, 2, 4, 8, 16, 32]
    assert in_bins(errors, weights, bins=4).tolist() == [3, 12, 16, 32]
