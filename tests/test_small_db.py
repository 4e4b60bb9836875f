"""SmallDB: its law, failure, loss and bounds against an enumeration of R in plain Python.

The enumeration keeps errors as fractions of whole numbers and weighs them with 40 digits.
"""

import collections
import functools
import itertools
import math
import tracemalloc
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, ncx2

from course_lib import small_db as slide
from course_lib.exact.small_db import small_db_error_exact, small_db_failure, small_db_loss
from course_lib.linear_queries import Universe, all_predicates, marginals
from course_lib.small_db import (
    sample_beta,
    scored,
    small_db,
    small_db_error,
    small_db_error_printed,
    small_db_n,
    small_db_n_printed,
    small_db_size,
)
from course_lib.support import multisets
from course_lib.support.contracts import ParameterError

TWO, THREE = (marginals(Universe(tuple("abc"[:d]))) for d in (2, 3))
PAIR = np.array([[1, 0, 0, 0], [0, 0, 1, 0.5]])  # |Q| = 2
FEW = settings(max_examples=60)


@functools.cache
def exactly(weight):
    return Fraction(weight).limit_denominator(1000)  # 0.3 is 3/10


def answers(histogram, queries):
    """Each query's mean over the rows, exactly."""
    return [
        sum(count * exactly(q) for count, q in zip(histogram, row, strict=True)) / sum(histogram)
        for row in queries
    ]


def enumerated(histogram, queries, alpha, worst=max):
    """{candidate: its largest error}, from the definitions."""
    rows = tuple(map(tuple, np.asarray(queries).tolist()))
    return _enumerated(tuple(map(int, histogram)), rows, alpha, worst)


@functools.cache
def _enumerated(histogram, rows, alpha, worst):
    size = math.ceil(math.log(len(rows)) / alpha**2)
    truth, table = answers(histogram, rows), {}
    for chosen in itertools.combinations_with_replacement(range(len(rows[0])), size):
        numbers = collections.Counter(chosen)
        candidate = tuple(numbers[x] for x in range(len(rows[0])))
        errors = [abs(a - b) for a, b in zip(truth, answers(candidate, rows), strict=True)]
        table[candidate] = worst(errors)
    return table


@mpmath.workdps(40)
def law(table, rate):
    """{candidate: its probability} where an error of e has weight exp(-rate e)."""
    weights = {
        candidate: mpmath.exp(-mpmath.mpf(rate) * error.numerator / error.denominator)
        for candidate, error in table.items()
    }
    total = mpmath.fsum(weights.values())
    return {candidate: weight / total for candidate, weight in weights.items()}


@mpmath.workdps(40)
def beyond(table, chances, error):
    return mpmath.fsum(chances[each] for each in table if table[each] > error)


@mpmath.workdps(40)
def loss(one, other):
    return max(abs(mpmath.log(one[each] / other[each])) for each in one)


def mean(errors):
    return sum(errors) / len(errors)


ROWS, ALPHA, EPSILON, DRAWS = (6, 1, 0, 3), 0.55, 1.0, 2000  # m = 4, |R| = 35


@pytest.mark.parametrize("numbers", [2**16, 60])
def test_small_db_follows_the_exponential_mechanism(numbers, monkeypatch):
    """Chi-square over R at 0.1%, in one piece and in many; the seed is fixed.

    Power above 99.9% against each mistake: exp(ε n u) or exp(ε u / 2) for exp(ε n u / 2), the mean
    error for the largest, and a uniform choice.
    """
    monkeypatch.setattr(multisets, "_NUMBERS", numbers)
    n, table = sum(ROWS), enumerated(ROWS, TWO, ALPHA)
    right = law(table, EPSILON * n / 2)
    wrong = {
        "factor 2 missing": law(table, EPSILON * n),
        "sensitivity 1": law(table, EPSILON / 2),
        "mean": law(enumerated(ROWS, TWO, ALPHA, worst=mean), EPSILON * n / 2),
        "uniform": law(table, 0),
    }
    assert len(table) == 35
    expected = np.array([float(DRAWS * p) for p in right.values()])
    assert expected.min() > 3
    limit = chi2.isf(0.001, len(table) - 1)
    for name, other in wrong.items():
        shift = np.array([float(DRAWS * other[each]) for each in table]) - expected
        assert ncx2.sf(limit, len(table) - 1, np.sum(shift**2 / expected)) > 0.999, name
    rng = np.random.default_rng(2024)
    draws = (small_db(ROWS, TWO, alpha=ALPHA, epsilon=EPSILON, rng=rng) for _ in range(DRAWS))
    seen = collections.Counter(tuple(draw.tolist()) for draw in draws)
    assert seen.keys() <= table.keys()
    drawn = np.array([seen[each] for each in table])
    assert np.sum((drawn - expected) ** 2 / expected) < limit


def test_gumbel_noise_makes_up_for_its_difference_times_2_over_epsilon_n(monkeypatch):
    """Errors of 0 and ½: noise that is ε n ½ / 2 ahead is a tie; 1% less or more decides."""

    class Given(np.random.Generator):
        def standard_exponential(self, size):
            assert size == 2
            return np.exp([0.0, -self.ahead])  # the Gumbel noise is -ln of it

    best, worse = [4.0, 0.0], [0.0, 4.0]
    candidates = np.array([best, worse]).T, np.array([0.0, 0.5])
    monkeypatch.setattr(slide, "scored", lambda *_: [candidates])
    rng = Given(np.random.PCG64(0))
    for factor, chosen in ((0.99, best), (1.01, worse)):
        rng.ahead = factor * 0.8 * 10 * 0.5 / 2
        found = small_db([6, 4], np.eye(2), alpha=0.5, epsilon=0.8, rng=rng)
        assert found.tolist() == chosen


def test_the_small_database_is_a_histogram_of_m_whole_rows():
    chosen = small_db([5, 0, 3, 1, 4, 4, 2, 1], THREE, alpha=0.5, epsilon=1.0, rng=generator())
    assert chosen.dtype.kind == "i" and chosen.sum() == 8 and chosen.min() >= 0


def test_without_noise_it_is_a_best_one():
    """ε = 10^6: every worse candidate has a chance below e^-5000."""
    rows = [5, 0, 3, 1, 4, 4, 2, 1]
    chosen = small_db(rows, THREE, alpha=0.75, epsilon=1e6, rng=generator())
    table = enumerated(rows, THREE, 0.75)
    assert table[tuple(chosen)] == min(table.values())


def test_one_element_leaves_no_choice():
    queries = [[0.3], [1.0]]
    assert small_db([9], queries, alpha=0.5, epsilon=1.0, rng=generator()).tolist() == [3]
    assert small_db_failure([9], queries, error=0.0, alpha=0.5, epsilon=1.0) == 0


def generator():
    return np.random.default_rng(7)


databases = [
    (ROWS, TWO, 0.55),
    ((1, 0, 0, 0), TWO, 0.8),
    ((3, 1, 4, 1), PAIR, 0.6),
    ((2, 7, 1, 8), [[0.3, 0.7, 0, 1], [1, 0.2, 0.1, 0], [0.5, 0.5, 0.25, 0]], 0.7),
    ((5, 0, 3, 1, 4, 4, 2, 1), THREE, 0.75),
]


@pytest.mark.parametrize("histogram, queries, alpha", databases)
def test_scores_are_the_largest_errors(histogram, queries, alpha):
    table = enumerated(histogram, queries, alpha)
    found = {}
    for candidates, errors in scored(histogram, queries, alpha):
        found |= dict(zip(map(tuple, candidates.T.astype(int).tolist()), errors, strict=True))
    assert found == pytest.approx({each: float(error) for each, error in table.items()}, abs=1e-14)


@pytest.mark.parametrize("histogram, queries, alpha", databases)
def test_failure_is_what_enumeration_gives_also_at_a_level_itself(histogram, queries, alpha):
    """Errors that are reached exactly do not exceed themselves; all levels, and between them."""
    table, n = enumerated(histogram, queries, alpha), sum(histogram)
    levels = sorted(set(table.values()))
    asked = sorted({*levels, *((a + b) / 2 for a, b in itertools.pairwise(levels)), Fraction(0)})
    epsilons = [0.01, 1.0, 20.0]
    exact = small_db_failure(
        histogram, queries, error=[[float(e)] for e in asked], alpha=alpha, epsilon=epsilons
    )
    assert exact.shape == (len(asked), 3)
    for place, epsilon in enumerate(epsilons):
        chances = law(table, epsilon * n / 2)
        expected = [float(beyond(table, chances, error)) for error in asked]
        assert exact[:, place] == pytest.approx(expected, rel=1e-10, abs=1e-300)
        assert expected[-1] == exact[-1, place] == 0


def test_failure_takes_single_numbers_and_arrays_of_either():
    one = small_db_failure(ROWS, TWO, error=0.3, alpha=0.55, epsilon=1.0)
    assert np.ndim(one) == 0
    row = small_db_failure(ROWS, TWO, error=[0.3, 0.5], alpha=0.55, epsilon=1.0)
    column = small_db_failure(ROWS, TWO, error=0.3, alpha=0.55, epsilon=[1.0, 2.0, 3.0])
    both = small_db_failure(ROWS, TWO, error=[0.3, 0.5], alpha=0.55, epsilon=[1.0, 2.0])
    assert row.shape == (2,) and column.shape == (3,) and both.shape == (2,)
    assert row[0] == column[0] == both[0] == pytest.approx(one)
    single = small_db_failure(ROWS, TWO, error=0.5, alpha=0.55, epsilon=2.0)
    assert both[1] == pytest.approx(single)


@pytest.mark.parametrize("histogram, queries, alpha", databases)
@pytest.mark.parametrize("beta", [0.9, 0.31, 0.05, 1e-9, 1e-25])
def test_the_exact_error_is_the_smallest_level_exceeded_with_at_most_beta(
    histogram, queries, alpha, beta
):
    table = enumerated(histogram, queries, alpha)
    for epsilon in (0.2, 1.0, 50.0):
        chances = law(table, epsilon * sum(histogram) / 2)
        levels = sorted(set(table.values()))
        expected = next(e for e in levels if beyond(table, chances, e) <= beta)
        found = small_db_error_exact(histogram, queries, alpha=alpha, beta=beta, epsilon=epsilon)
        assert found == pytest.approx(float(expected), abs=1e-14)


@pytest.mark.parametrize("histogram, queries, alpha", databases)
@pytest.mark.parametrize("epsilon", [0.1, 3.0])
@pytest.mark.parametrize("numbers", [2**16, 12])
def test_the_loss_is_what_enumeration_gives_and_symmetric(
    histogram, queries, alpha, epsilon, numbers, monkeypatch
):
    """In one piece, and in pieces of at most three databases, the last not the one that counts."""
    monkeypatch.setattr(multisets, "_NUMBERS", numbers)
    others = [tuple(np.roll(histogram, 1)), (*histogram[:-1], histogram[-1] + 1)]
    for other in others:
        one, two = (
            law(enumerated(rows, queries, alpha), epsilon * sum(rows) / 2)
            for rows in (histogram, other)
        )
        found = small_db_loss(histogram, other, queries, alpha=alpha, epsilon=epsilon)
        back = small_db_loss(other, histogram, queries, alpha=alpha, epsilon=epsilon)
        assert type(found) is float
        assert found == pytest.approx(float(loss(one, two)), rel=1e-10, abs=1e-12)
        assert back == pytest.approx(found, abs=1e-12)
    assert small_db_loss(histogram, histogram, queries, alpha=alpha, epsilon=epsilon) < 1e-12


@st.composite
def pairs(draw, changes=1):
    """A database and one in which this many rows are replaced, added or removed; queries."""
    width = draw(st.integers(2, 5))
    rows = draw(st.lists(st.integers(0, width - 1), min_size=1, max_size=9))
    other = list(rows)
    for _ in range(changes):
        kind = draw(st.sampled_from(["replaced", "added", "removed"]))
        if kind != "added":
            other.pop(draw(st.integers(0, len(other) - 1)))
        if kind != "removed":
            other.append(draw(st.integers(0, width - 1)))
        assume(other)
    weights = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
    row = st.lists(weights, min_size=width, max_size=width)
    queries = np.array(draw(st.lists(row, min_size=2, max_size=6)))
    return np.bincount(rows, minlength=width), np.bincount(other, minlength=width), queries


epsilons, alphas = st.floats(0.01, 20), st.floats(0.45, 1.2)


@given(pairs(), alphas, epsilons)
@settings(max_examples=200)
def test_the_loss_never_exceeds_epsilon(pair, alpha, epsilon):
    assert small_db_loss(*pair, alpha=alpha, epsilon=epsilon) <= epsilon * (1 + 1e-9)


@given(pairs(changes=2), alphas, epsilons)
@FEW
def test_two_rows_lose_at_most_twice_epsilon(pair, alpha, epsilon):
    assert small_db_loss(*pair, alpha=alpha, epsilon=epsilon) <= 2 * epsilon * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_one_row_can_lose_nearly_epsilon_so_twice_the_exponent_would_be_seen(epsilon):
    """n rows are 00; one becomes 11. The best candidate's score falls by 1, all 11's gains 1.

    n = 200 rows are enough for the best candidate to hold nearly all of the probability, twice.
    """
    queries, alpha = [[1, 0, 0, 0], [0, 0, 0, 1]], 0.8  # m = 2
    first, second, third = ((200 - moved, 0, 0, moved) for moved in range(3))
    once, twice = (
        small_db_loss(first, other, queries, alpha=alpha, epsilon=epsilon)
        for other in (second, third)
    )
    assert 0.999 * epsilon < once <= epsilon + 1e-12
    assert 1.999 * epsilon < twice <= 2 * epsilon + 1e-12
    tables = [enumerated(rows, queries, alpha) for rows in (first, second)]
    doubled = loss(*(law(table, epsilon * 200) for table in tables))
    assert doubled > 1.999 * epsilon


@given(pairs(), alphas, epsilons, epsilons, st.floats(0, 1))
@FEW
def test_failure_falls_as_epsilon_grows(pair, alpha, one, other, error):
    """A theorem: for λ < λ' the ratio of the laws' weights, exp((λ - λ') e), falls with e.

    So the laws of the error have a monotone likelihood ratio in λ = ε n / 2, and every chance
    Pr[error > t] falls as λ grows. The errors depend on proportions alone: so it is with n.
    """
    histogram, _, queries = pair
    more, less = small_db_failure(
        histogram, queries, error=error, alpha=alpha, epsilon=sorted((one, other))
    )
    assert less <= more * (1 + 1e-9)


@given(pairs(), alphas, epsilons, st.integers(2, 50), st.floats(0, 1))
@FEW
def test_k_copies_of_every_row_are_as_good_as_k_times_epsilon(pair, alpha, epsilon, k, error):
    histogram, _, queries = pair
    copies = small_db_failure(k * histogram, queries, error=error, alpha=alpha, epsilon=epsilon)
    once, more = small_db_failure(
        histogram, queries, error=error, alpha=alpha, epsilon=[epsilon, k * epsilon]
    )
    assert copies == pytest.approx(more, rel=1e-7, abs=1e-300)
    assert copies <= once * (1 + 1e-9)


@given(pairs(), st.floats(0.45, 1.2))
def test_some_candidate_is_within_alpha(pair, alpha):
    """Dinitz's existence lemma; and within √(ln(2|Q|) / 2m), where Hoeffding's bound reaches 1."""
    histogram, _, queries = pair
    size = math.ceil(math.log(len(queries)) / alpha**2)
    best = min(errors.min() for _, errors in scored(histogram, queries, alpha))
    assert best <= alpha
    assert best <= math.sqrt(math.log(2 * len(queries)) / (2 * size))


@pytest.mark.parametrize(
    "alpha, size, number", [(0.5, 8, 6435), (0.4, 13, 77520), (0.35, 16, 245157)]
)
def test_reference_sizes_of_the_seven_marginals(alpha, size, number):
    assert small_db_size(num_queries=7, alpha=alpha) == size
    seen = sum(errors.size for _, errors in scored([1] * 8, THREE, alpha))
    assert seen == math.comb(8 + size - 1, size) == number


def test_sizes_of_all_predicates():
    """⌈ln 127 / α²⌉, and 2^15 queries in a few megabytes: all answers at once would be 86."""
    queries = all_predicates(Universe(tuple("abc")))
    assert len(queries) == 127
    assert small_db_size(num_queries=127, alpha=[0.8, 0.6]).tolist() == [8, 14]
    many = np.random.default_rng(0).integers(0, 2, size=(2**15, 8))
    tracemalloc.start()
    number = sum(errors.size for _, errors in scored([1] * 8, many, 1.7))
    bytes_used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert number == math.comb(11, 4) and bytes_used < 40e6


def test_rounding_m_up_can_exceed_the_printed_logarithm():
    """Reference figure: |X| = 10^4, |Q| = 3, α = 0.5: 41.27 against the printed 40.47."""
    beta = 1 - 1e-9  # ln(1/β) is nearly 0, so α + ln|R| is left
    proved, printed = (
        bound(n=2, universe_size=10**4, num_queries=3, alpha=0.5, beta=beta, epsilon=1.0)
        for bound in (small_db_error, small_db_error_printed)
    )
    assert f"{proved - 0.5:.2f}" == "41.27"
    assert f"{printed - 0.5:.2f}" == "40.47"


@mpmath.workdps(40)
def log_r(universe_size, num_queries, alpha):
    size = mpmath.ceil(mpmath.log(num_queries) / mpmath.mpf(alpha) ** 2)
    return (
        mpmath.loggamma(universe_size + size)
        - mpmath.loggamma(size + 1)
        - mpmath.loggamma(universe_size)
    )


@pytest.mark.parametrize("size", [1, 16, 10**9])
@pytest.mark.parametrize("num_queries, alpha", [(1, 0.3), (255, 0.01), (10**12, 1)])
@mpmath.workdps(40)
def test_a_sample_is_off_with_hoeffding_s_probability_for_each_query(num_queries, size, alpha):
    bound = 2 * num_queries * mpmath.exp(-2 * size * mpmath.mpf(alpha) ** 2)
    found = sample_beta(num_queries=num_queries, size=size, alpha=alpha)
    assert found == pytest.approx(float(bound), rel=1e-9, abs=1e-300)


def test_with_the_lemma_s_rows_the_bound_on_samples_is_at_most_2_over_q():
    for num_queries, alpha in ((7, 0.4), (255, 0.1), (3, 1.0)):
        size = small_db_size(num_queries=num_queries, alpha=alpha)
        enough = sample_beta(num_queries=num_queries, size=size, alpha=alpha)
        few = sample_beta(num_queries=num_queries, size=size - 1, alpha=alpha)
        assert enough <= 2 / num_queries < few
    many = sample_beta(num_queries=[[7], [255]], size=[16, 100], alpha=0.2)
    assert many.shape == (2, 2)
    assert many[1, 0] == sample_beta(num_queries=255, size=16, alpha=0.2)


def error_promised(bound, n, x, q, alpha, beta, epsilon):
    return bound(n=n, universe_size=x, num_queries=q, alpha=alpha, beta=beta, epsilon=epsilon)


def rows_needed(bound, x, q, alpha, beta, epsilon):
    return bound(universe_size=x, num_queries=q, alpha=alpha, beta=beta, epsilon=epsilon)


PARAMETERS = [
    (8, 7, 0.5, 0.05, 1.0),
    (2, 2, 0.01, 1e-9, 0.1),
    (10**4, 3, 0.5, 0.9, 2.5),
    (2**60, 2**20, 0.1, 1e-3, 0.3),
    (1, 5, 0.7, 0.5, 1.0),
]


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("n", [1, 1000, 10**12])
def test_the_lemma(parameters, n):
    x, q, alpha, beta, epsilon = map(mpmath.mpf, parameters)
    wanted = alpha + 2 / (epsilon * n) * (
        mpmath.log(x) * mpmath.log(q) / alpha**2 + mpmath.log(1 / beta)
    )
    printed = error_promised(small_db_error_printed, n, *parameters)
    assert printed == pytest.approx(float(wanted), rel=1e-12)
    wanted = alpha + 2 / (epsilon * n) * (log_r(x, q, alpha) + mpmath.log(1 / beta))
    proved = error_promised(small_db_error, n, *parameters)
    assert proved == pytest.approx(float(wanted), rel=1e-9)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_the_theorem(parameters):
    x, q, alpha, beta, epsilon = map(mpmath.mpf, parameters)
    logs, log_beta = mpmath.log(x) * mpmath.log(q), mpmath.log(1 / beta)
    scan = 6 * (logs + 4 * alpha**2 * log_beta) / (epsilon * alpha**3)
    printed = rows_needed(small_db_n_printed, *parameters)
    assert printed == pytest.approx(float(scan), rel=1e-12)
    derived = (16 * logs + 4 * alpha**2 * log_beta) / (epsilon * alpha**3)
    rounded = 4 * (log_r(x, q, alpha / 2) + log_beta) / (epsilon * alpha)
    proved = rows_needed(small_db_n, *parameters)
    assert proved == pytest.approx(float(max(derived, rounded)), rel=1e-9)


@given(
    st.integers(1, 2**60),
    st.integers(2, 10**9),
    st.floats(0.001, 3),
    st.floats(1e-9, 0.99),
    st.floats(0.01, 10),
)
def test_the_theorems_rows_make_the_lemma_promise_alpha(x, q, alpha, beta, epsilon):
    """For SmallDB run with α/2, also where m is 1 or 2 and rounding makes ln|R| the larger."""

    def larger_promise(n):
        bounds = small_db_error, small_db_error_printed
        return max(error_promised(bound, n, x, q, alpha / 2, beta, epsilon) for bound in bounds)

    needed = rows_needed(small_db_n, x, q, alpha, beta, epsilon)
    assert larger_promise(max(1, math.ceil(needed))) <= alpha * (1 + 1e-12)
    if needed > 100:  # one of the two needs nearly so many
        assert larger_promise(math.floor(0.98 * needed)) > alpha


def test_the_derived_rows_alone_are_too_few_where_rounding_matters():
    """|X| = 10^4, |Q| = 3, α = 1, so α/2 = 0.5: the reference figure's case, 41.27 over 40.47."""
    derived = math.ceil(16 * math.log(10**4) * math.log(3) - 4 * math.log(0.9))
    assert rows_needed(small_db_n, x=10**4, q=3, alpha=1, beta=0.9, epsilon=1.0) > derived + 1
    promised = error_promised(
        small_db_error, n=derived, x=10**4, q=3, alpha=0.5, beta=0.9, epsilon=1.0
    )
    assert promised > 1


def test_the_rows_as_transcribed_fall_short_of_the_lemma():
    few = math.ceil(rows_needed(small_db_n_printed, x=8, q=7, alpha=0.5, beta=0.05, epsilon=1.0))
    promised = error_promised(
        small_db_error_printed, n=few, x=8, q=7, alpha=0.25, beta=0.05, epsilon=1.0
    )
    assert promised > 0.5


@given(
    st.integers(2, 2**300),
    st.integers(6, 10**6),
    st.floats(0.01, 0.99),
    st.floats(1e-9, 0.99),
    st.floats(1, 1000),
)
def test_for_six_queries_rounding_does_not_harm_the_notes_lemma(x, q, alpha, beta, more):
    """Where it promises less than 1: the best candidate is within √(ln(2|Q|)/(2m))."""

    def promise(bound, n):
        return error_promised(bound, n, float(x), q, alpha, beta, 1.0)

    n = math.ceil(more * (promise(small_db_error_printed, 1) - alpha) / (1 - alpha))
    best = math.sqrt(math.log(2 * q) / (2 * small_db_size(num_queries=q, alpha=alpha)))
    printed, proved = promise(small_db_error_printed, n), promise(small_db_error, n)
    assert proved - alpha + best <= printed + 1e-9


def chance_on_equal_rows(n, universe_size, size, weight, error):
    """Of an error above it if all n rows are x, q(x) = 0 and q = weight on all other elements."""
    total = worse = mpmath.mpf(0)
    for others in range(size + 1):
        number = math.comb(universe_size - 2 + others, others)
        chance = number * mpmath.exp(-mpmath.mpf(n) * weight * others / (2 * size))
        total += chance
        worse += chance if weight * others > error * size else 0
    return worse / total


@pytest.mark.parametrize("n, alpha, error", [(5, 0.4, 0.5), (20, 0.5, 0.3), (12, 0.35, 0.45)])
def test_on_equal_rows_the_law_is_a_short_sum(n, alpha, error):
    queries = np.outer([1, 0.5], [0, 0.6, 0.6, 0.6, 0.6])
    found = small_db_failure([n, 0, 0, 0, 0], queries, error=error, alpha=alpha, epsilon=1)
    size = small_db_size(num_queries=2, alpha=alpha)
    assert found == pytest.approx(float(chance_on_equal_rows(n, 5, size, 0.6, error)), rel=1e-12)


def test_the_rows_as_transcribed_can_be_too_few():
    """The 6 and the last line of its proof fail, and the corrected theorem does not."""
    logs, log_beta = math.log(2**40) * math.log(2), math.log(20)
    last = (16 * logs + 4 * log_beta) / 0.1**2
    bounds = small_db_n_printed, small_db_n
    printed, proved = (
        rows_needed(bound, x=2**40, q=2, alpha=0.1, beta=0.05, epsilon=1.0) for bound in bounds
    )
    rows = [math.ceil(n) for n in (printed, last, proved)]
    assert rows == [116_028, 31_948, 307_610]
    six, line, right = (chance_on_equal_rows(n, 2**40, 278, 0.105, 0.1) for n in rows)
    assert six == pytest.approx(0.957, abs=5e-4) and line > 0.999 and right < 1e-300


def test_no_constant_below_8_is_enough():
    logs = 500 * math.log(2) * math.log(2)
    rows = math.ceil((7.5 * logs + 24 * 0.1**2 * math.log(20)) / 0.1**3)
    assert chance_on_equal_rows(rows, 2**500, 278, 0.103, 0.1) > 0.99


@pytest.mark.parametrize("histogram, queries, alpha", databases)
@pytest.mark.parametrize("beta", [0.5, 0.05])
def test_the_exact_failure_keeps_the_lemma(histogram, queries, alpha, beta):
    """At the lemma's error, and at OPT + 2 (ln|R| + ln(1/β)) / (εn): Corollary 3.12 itself."""
    table, shape = enumerated(histogram, queries, alpha), np.shape(queries)
    for copies, epsilon in itertools.product((1, 10, 1000), (0.3, 5.0)):
        n = copies * sum(histogram)
        bound = error_promised(small_db_error, n, shape[1], shape[0], alpha, beta, epsilon)
        opt = float(min(table.values()))
        for error in (bound, bound - alpha + opt):
            chance = small_db_failure(
                copies * np.array(histogram), queries, error=error, alpha=alpha, epsilon=epsilon
            )
            assert chance <= beta
        assert bound >= bound - alpha + opt


def test_bounds_take_arrays():
    ns, xs, qs, epsilons = [100, 10**6], [8, 16], [7, 15], [1.0, 0.1]
    places = list(itertools.product(range(2), repeat=2))
    for bound in (small_db_error, small_db_error_printed):
        table = error_promised(bound, ns, xs, qs, 0.5, 0.05, [[e] for e in epsilons])
        assert table.shape == (2, 2)
        for i, j in places:
            single = error_promised(bound, ns[j], xs[j], qs[j], 0.5, 0.05, epsilons[i])
            assert table[i, j] == pytest.approx(single)
    for bound in (small_db_n, small_db_n_printed):
        table = rows_needed(bound, xs, qs, 0.5, 0.05, [[e] for e in epsilons])
        assert table.shape == (2, 2)
        for i, j in places:
            single = rows_needed(bound, xs[j], qs[j], 0.5, 0.05, epsilons[i])
            assert table[i, j] == pytest.approx(single)
    sizes = small_db_size(num_queries=[[7], [127]], alpha=[0.5, 0.6])
    assert sizes.tolist() == [[8, 6], [20, 14]]
    assert type(small_db_size(num_queries=7, alpha=0.5)) is int


GOOD = {"histogram": ROWS, "queries": TWO, "alpha": 0.55, "epsilon": 1.0}
MORE = {
    small_db: {"rng": generator()},
    small_db_failure: {"error": 0.3},
    small_db_loss: {"neighbour": ROWS},
    small_db_error_exact: {"beta": 0.05},
}


@pytest.mark.parametrize("function", MORE, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "changes, message",
    [
        ({"alpha": 0}, "alpha must be a finite number greater than 0, got 0"),
        ({"alpha": -1}, "alpha must be .* got -1"),
        ({"alpha": [0.5, 0.6]}, r"alpha must be a single number, got \[0.5, 0.6\]"),
        ({"alpha": math.nan}, "alpha must be .* got nan"),
        ({"epsilon": 0}, "epsilon must be .* got 0"),
        (
            {"queries": [[0, 1, 1, 0]]},
            "num_queries must be .*, 2 or greater, as ln 1 = 0 rows say nothing",
        ),
        ({"queries": [0, 1, 1, 0]}, r"queries must be rows of an array, got shape \(4,\)"),
        ({"queries": [[0, 1], [1, 0]]}, "histogram must have one count per element"),
        ({"queries": [[0, 1, 0, 2], [1] * 4]}, "queries must be from 0 to 1, got 2"),
        ({"queries": [[0, 1, 0, math.nan], [1] * 4]}, "queries must be from 0 to 1, got nan"),
        ({"queries": []}, "queries must not be empty"),
        ({"histogram": (0.6, 0.1, 0, 0.3)}, "histogram must be a whole number.* got 0.6"),
        ({"histogram": (6, 1, 0, math.nan)}, "histogram must be a whole number.* got nan"),
        ({"histogram": (6, 1, -1, 3)}, "histogram must be a whole number.* got -1"),
        ({"histogram": (ROWS, ROWS)}, r"histogram must be one database, got shape \(2, 4\)"),
    ],
)
def test_bad_input_is_refused(function, changes, message):
    function(**GOOD | MORE[function])
    with pytest.raises(ParameterError, match=message):
        function(**GOOD | MORE[function] | changes)


@pytest.mark.parametrize("function", MORE, ids=lambda f: f.__name__)
def test_a_database_without_rows_is_refused(function):
    with pytest.raises(ParameterError, match="histogram must have at least one row"):
        function(**GOOD | MORE[function] | {"histogram": [0] * 4})


@pytest.mark.parametrize(
    "function, changes, message",
    [
        (small_db, {"epsilon": [1.0, 2.0]}, "epsilon must be a single number"),
        (small_db, {"rng": None}, "rng must be a numpy.random.Generator"),
        (small_db, {"max_candidates": 34}, "max_candidates must be at least .R. = 35 here, got 34"),
        (small_db, {"max_candidates": 0}, "max_candidates must be a whole number, 1 or greater"),
        (small_db_failure, {"error": -0.1}, "error must be a finite number, 0 or greater"),
        (small_db_failure, {"error": math.nan}, "error must be .* got nan"),
        (small_db_loss, {"epsilon": [1.0, 2.0]}, "epsilon must be a single number"),
        (small_db_loss, {"neighbour": (6, 1, 0)}, "neighbour must have a count per element"),
        (small_db_loss, {"neighbour": (6, 1, 0, -3)}, "neighbour must be a whole number, 0 or"),
        (small_db_loss, {"neighbour": (6, 1, 0.5, 3)}, "neighbour must be a whole number, 0 or"),
        (small_db_loss, {"neighbour": (6, 1, math.nan, 3)}, "neighbour must be .* got nan"),
        (small_db_error_exact, {"epsilon": [1.0, 2.0]}, "epsilon must be a single number"),
        (small_db_error_exact, {"beta": [0.1, 0.2]}, "beta must be a single number"),
        (small_db_error_exact, {"beta": 0}, "beta must be .* got 0"),
    ],
)
def test_what_only_one_of_them_takes_is_checked_too(function, changes, message):
    with pytest.raises(ParameterError, match=message):
        function(**GOOD | MORE[function] | changes)


@pytest.mark.parametrize("function", MORE, ids=lambda f: f.__name__)
def test_a_hundred_million_candidates_are_the_limit_unless_said(function):
    """|X| = 4 and m = ⌈ln 3 / 0.01²⌉ = 10,987."""
    number = math.comb(10_990, 3)
    with pytest.raises(ParameterError, match=f"= {number:,} here, got 100,000,000: "):
        function(**GOOD | MORE[function] | {"alpha": 0.01})


def test_as_many_candidates_as_allowed_are_accepted():
    assert small_db(**GOOD, max_candidates=35, rng=generator()).sum() == 4


SIZE = {"num_queries": 7, "alpha": 0.5}
NEEDED = SIZE | {"universe_size": 8, "beta": 0.05, "epsilon": 1.0}


@pytest.mark.parametrize(
    "bound, accepted",
    [
        (small_db_size, SIZE),
        (small_db_error, NEEDED | {"n": 100}),
        (small_db_error_printed, NEEDED | {"n": 100}),
        (small_db_n, NEEDED),
        (small_db_n_printed, NEEDED),
    ],
)
def test_bounds_refuse_one_query_and_alpha_0(bound, accepted):
    bound(**accepted)
    bound(**accepted | {"num_queries": 2})
    for changes, message in (
        ({"num_queries": 1}, "num_queries must be a whole number, 2 or greater"),
        ({"num_queries": [7, 1]}, "num_queries must be a whole number, 2 or greater"),
        ({"alpha": 0}, "alpha must be a finite number greater than 0, got 0"),
        ({"alpha": [0.5, 0.0]}, "alpha must be a finite number greater than 0"),
        ({"alpha": math.nan}, "alpha must be .* got nan"),
        *(({name: 0}, f"{name} must be ") for name in accepted if name not in SIZE),
    ):
        with pytest.raises(ParameterError, match=message):
            bound(**accepted | changes)
    assert bound.statement.latex and "Dinitz" in bound.statement.source


def test_numbers_of_small_integer_types_do_not_wrap():
    floats, ints = (
        error_promised(small_db_error, n=n, x=8, q=7, alpha=0.5, beta=0.05, epsilon=epsilon)
        for n, epsilon in ((2.0**31 - 1, 4.0), (np.int32(2**31 - 1), np.int32(4)))
    )
    assert ints == floats
    pair = np.array([3, 1], np.uint8), np.array([2, 2], np.uint8)
    loss = small_db_loss(*pair, np.eye(2), alpha=0.5, epsilon=np.uint8(1))
    assert loss == small_db_loss([3, 1], [2, 2], np.eye(2), alpha=0.5, epsilon=1.0)


def test_levels_a_billionth_apart_are_different():
    """10^9 rows: with 5 rows of 10 in the first element the error is 0 or 10^-9."""
    for first, fails in ((5 * 10**8, 0.0), (5 * 10**8 + 1, 1.0)):
        histogram = [first, 10**9 - first]
        assert small_db_size(num_queries=2, alpha=0.6) == 2
        found = small_db_failure(histogram, np.eye(2), error=5e-10, alpha=0.6, epsilon=10**9)
        assert found == pytest.approx(fails, abs=1e-9)


@pytest.mark.parametrize(
    "function",
    [
        functools.partial(small_db, rng=np.random.default_rng()),
        functools.partial(small_db_failure, error=0.1),
    ],
)
def test_a_refusal_of_epsilon_does_not_tell_how_many_rows_there_are(function):
    said = set()
    for histogram in ([9, 1], [900, 1], [10**12, 1]):
        with pytest.raises(ParameterError, match="epsilon must be") as refusal:
            function(histogram, np.eye(2), alpha=0.5, epsilon=1e51)
        said.add(str(refusal.value))
    assert len(said) == 1
