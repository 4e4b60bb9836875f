"""Samples, draws and noise on the histogram, against enumeration in plain Python and other runs."""

import functools
import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from course_lib.lab import small_db as small_db_lab
from course_lib.lab.confidence import clopper_pearson, quantile_interval
from course_lib.lab.data import load_survey
from course_lib.lab.histograms import (
    ATTRIBUTES,
    NAMES,
    WORKLOADS,
    scaled,
    survey_histogram,
    workload,
)
from course_lib.lab.small_db import (
    DRAWS,
    RATES,
    SAMPLES,
    at_rates,
    histogram_errors,
    invented_rows,
    stretches,
    survey_draw,
    survey_sample_errors,
    workload_histogram_errors,
    workload_levels,
)
from course_lib.linear_queries import Universe, marginals
from course_lib.small_db import small_db
from course_lib.support.contracts import ParameterError


def subsets(attributes):
    """The sets of places that the marginals ask for, in the library's order."""
    return [
        s for k in range(1, attributes + 1) for s in itertools.combinations(range(attributes), k)
    ]


@functools.cache
def survey_counts(attributes):
    """How many rows of the survey have each row of bits, counted one by one."""
    columns = [ATTRIBUTES[name].holds(load_survey()) for name in NAMES[:attributes]]
    return Counter(zip(*(column.astype(int).tolist() for column in columns), strict=True))


def answers(database, attributes):
    """All marginals of a database (a Counter of rows of bits), as exact fractions."""
    n = sum(database.values())
    return [
        Fraction(sum(c for row, c in database.items() if all(row[i] for i in s)), n)
        for s in subsets(attributes)
    ]


def real_database(n, attributes):
    """The library's scaled survey, as a Counter and as a histogram."""
    universe = list(itertools.product((0, 1), repeat=attributes))
    counts = scaled([survey_counts(attributes)[row] for row in universe], n=n)
    return Counter(dict(zip(universe, counts.tolist(), strict=True))), counts


@functools.cache
def exact_sample_errors(size):
    """Every sample of the first two attributes: the largest error and the chance of each."""
    real = survey_counts(2)
    truth, universe = answers(real, 2), sorted(real)
    law = [real[row] / sum(real.values()) for row in universe]
    found = []
    for counts in itertools.product(range(size + 1), repeat=4):
        if sum(counts) == size:
            given = answers(Counter(dict(zip(universe, counts, strict=True))), 2)
            error = max(abs(a - b) for a, b in zip(given, truth, strict=True))
            found.append((float(error), multinomial.pmf(counts, size, law)))
    errors, chances = np.array(found).T
    assert np.isclose(chances.sum(), 1)
    return errors, chances


def sample_errors(histogram, queries, *, size, trials, rng):
    """The largest error of each of so many samples with replacement, increasing."""
    samples = rng.multinomial(size, histogram / np.sum(histogram), size=trials)
    errors = samples @ queries.rows.T / size - queries.rows @ histogram / np.sum(histogram)
    return np.sort(np.abs(errors).max(axis=1).round(12))


@pytest.mark.parametrize("size", [5, 10])
def test_samples_have_the_errors_of_all_samples_in_proportion(size):
    """16,000 samples; a right rate is excluded with probability 1e-4 at most.

    A rate of 0.3 that is off by 0.025 would be excluded with probability above 0.99.
    """
    errors, chances = exact_sample_errors(size)
    universe, histogram = survey_histogram(*NAMES[:2])
    found = sample_errors(
        histogram, marginals(universe), size=size, trials=16_000, rng=np.random.default_rng(0)
    )
    assert found.shape == (16_000,) and (np.diff(found) >= 0).all()
    for level in sorted(set(errors.round(12)))[:-1]:
        beyond = np.count_nonzero(found > level + 1e-9)
        low, high = clopper_pearson(beyond, 16_000, confidence=1 - 1e-4)
        assert low <= chances[errors > level + 1e-9].sum() <= high


def test_samples_of_the_survey_are_those_of_their_seed():
    universe, histogram = survey_histogram(*NAMES[:3])
    for size, seed in ((5, 0), (70, 0), (70, 1)):
        rng = np.random.default_rng(seed)
        again = sample_errors(histogram, marginals(universe), size=size, trials=SAMPLES, rng=rng)
        assert again.tolist() == survey_sample_errors(3, size=size, seed=seed).tolist()
    assert len(set(again.tolist())) > 50 and SAMPLES == 2_000


@pytest.mark.parametrize("attributes, n, alpha", [(3, 70, 0.5), (2, 20, 0.8), (3, 20_190, 0.45)])
def test_a_draw_on_the_survey_is_small_db_s_with_its_errors(attributes, n, alpha):
    real, counts = real_database(n, attributes)
    queries = marginals(Universe(NAMES[:attributes]))
    for epsilon, seed in itertools.product((0.05, 1.0), (0, 5)):
        rng = np.random.default_rng(seed)
        small = small_db(counts, queries, alpha=alpha, epsilon=epsilon, rng=rng)
        found, errors = survey_draw(attributes, n=n, alpha=alpha, epsilon=epsilon, seed=seed)
        assert found.tolist() == small.tolist()
        drawn = Counter(dict(zip(real, small.tolist(), strict=True)))
        pairs = zip(answers(real, attributes), answers(drawn, attributes), strict=True)
        assert errors.tolist() == pytest.approx([float(abs(a - b)) for a, b in pairs], abs=1e-12)


def shares(d):
    _, histogram = survey_histogram(*NAMES[:d])
    return [float(count / histogram.sum()) for count in histogram]


def asked_sets(d):
    """The elements that each marginal counts, the smallest sets first; of six only the first 2."""
    sets = subsets(d)[:2] if d == 6 else subsets(d)
    return [[x for x in range(2**d) if all(x >> (d - 1 - i) & 1 for i in s)] for s in sets]


def enumerated(d, size, *, predicates=False):
    """The largest error of each database of `size` rows, in plain Python: error, how many."""
    truth, asked = shares(d), asked_sets(d)
    found = Counter()
    for rows in itertools.combinations_with_replacement(range(2**d), size):
        gaps = [rows.count(x) / size - truth[x] for x in range(2**d)]
        if predicates:  # the worst predicate takes all elements of which there are too many
            worst = sum(abs(gap) for gap in gaps) / 2
        else:
            worst = max(abs(sum(gaps[x] for x in elements)) for elements in asked)
        found[round(worst, 12)] += 1
    return sorted(found.items())


@pytest.mark.parametrize(
    ("queries", "d", "size"),
    [("2 of 64", 6, 2), ("3 marginals", 2, 4), ("7 marginals", 3, 6), ("127 subsets", 3, 5)],
)
def test_levels_of_a_workload_are_those_of_enumeration_in_another_order(queries, d, size):
    levels = workload_levels(queries, alpha=1.0 if size == 5 else 0.6)
    oracle = enumerated(d, size, predicates=size == 5)
    assert levels.counts.sum() == math.comb(2**d + size - 1, size)
    one_by_one = [error for error, number in oracle for _ in range(number)]
    np.testing.assert_allclose(np.repeat(levels.errors, levels.counts), one_by_one, atol=3e-12)


def test_levels_of_whole_rows():
    """Three rows of the survey's proportions, no two of which are equal; m = ⌈ln 3⌉ = 2."""
    real, _ = real_database(3, 2)
    truth = answers(real, 2)
    errors = [
        max(abs(a - b) for a, b in zip(answers(Counter(rows), 2), truth, strict=True))
        for rows in itertools.combinations_with_replacement(real, 2)
    ]
    levels = workload_levels("3 marginals", n=3, alpha=1.0)
    found = np.repeat(levels.errors, levels.counts).tolist()
    assert found == pytest.approx(sorted(map(float, errors)), abs=1e-12)


def fresh_histogram_errors(queries, n, epsilon, runs, seed):
    """The largest error when the counts get noise and negative ones become 0, in plain NumPy."""
    d = {"2": 6, "3": 2, "7": 3, "15": 4, "127": 3}[queries.split()[0]]
    share = np.array(shares(d))
    counts = n * share + np.random.default_rng(seed).laplace(scale=2 / epsilon, size=(runs, 2**d))
    counts[counts < 0] = 0
    total = counts.sum(axis=1)[:, None]
    found = np.where(total > 0, counts / np.maximum(total, 1e-300), 1 / 2**d) - share
    if queries == "127 subsets":  # every subset of the eight elements
        sets = np.array(list(itertools.product((0, 1), repeat=8)))
    else:
        sets = np.array([[x in elements for x in range(2**d)] for elements in asked_sets(d)])
    return np.abs(found @ sets.T).max(axis=1)


@pytest.mark.parametrize("queries", WORKLOADS)
@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_noise_on_the_histogram_by_other_runs(queries, beta):
    """At four rates each: the 95% interval meets the 99.9% one of 4,000 new runs."""
    errors = workload_histogram_errors(queries)
    assert errors.shape == (40, 6_000) == (len(RATES), DRAWS) and (np.diff(errors) >= 0).all()
    assert (RATES[0], RATES[-1]) == pytest.approx((0.3, 30_000))
    _, low, high = quantile_interval(errors, beta=beta)
    least, most = binom.ppf([0.0005, 0.9995], 4_000, 1 - beta).astype(int)
    for i in (0, 8, 18, 30):
        fresh = np.sort(fresh_histogram_errors(queries, RATES[i] / 0.5, 0.5, 4_000, i))
        assert low[i] <= fresh[most] + 1e-9 and fresh[least - 1] <= high[i] + 1e-9


def test_the_noise_on_the_histogram_is_the_same_at_each_rate():
    """Two elements, far out: the first's share moves by half of the noises' difference, over εn."""
    rng = np.random.default_rng(2)
    errors = histogram_errors([500, 500], np.eye(2), trials=50, rng=rng)
    first, second = 2 * np.random.default_rng(2).laplace(size=(50, 2)).T
    moved = np.sort(np.abs(first - second) / 2)
    for i in (-4, -1):
        np.testing.assert_allclose(errors[i] * RATES[i], moved, rtol=1e-2)


def test_the_noise_of_a_workload_is_that_of_seed_0():
    rng = np.random.default_rng(0)
    again = histogram_errors(*workload("3 marginals"), trials=DRAWS, rng=rng)
    assert again.tolist() == workload_histogram_errors("3 marginals").tolist()


def test_counts_that_are_all_negative_become_equal():
    """Two elements at a rate of 0.3: with shares ½ and ½ the error is 0.2, as it is else never."""
    errors = histogram_errors([7, 3], np.eye(2), trials=4_000, rng=np.random.default_rng(0))
    noisy = 2 * np.random.default_rng(0).laplace(size=(4_000, 2)) / RATES[0] + [0.7, 0.3]
    both = np.count_nonzero((noisy <= 0).all(axis=1))
    assert np.count_nonzero(np.isclose(errors[0], 0.2, rtol=1e-9)) == both > 500


def test_far_out_the_error_of_the_histogram_is_proportional_to_one_over_n():
    """So what follows the last rate is known; within 3% from one to the next, with equal noise."""
    for queries in WORKLOADS:
        for curve in quantile_interval(workload_histogram_errors(queries), beta=0.05):
            np.testing.assert_allclose(np.diff(np.log(curve * RATES)[-4:]), 0, atol=0.03)
            np.testing.assert_allclose(at_rates(curve, RATES), curve)
            assert np.isclose(at_rates(curve, 10 * RATES[-1]), curve[-1] / 10)
            between = at_rates(curve, np.sqrt(RATES[3] * RATES[4]))
            assert np.isclose(between, np.sqrt(curve[3] * curve[4]))


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"trials": 2**26 + 1}, "trials must be at most 67,108,864 here, got 67108865"),
        ({"histogram": [0, 0]}, "histogram must have at least one row"),
        ({"histogram": [[1, 2]]}, "histogram must be one database"),
        ({"rng": 0}, "rng must be a numpy.random.Generator"),
    ],
)
def test_what_cannot_be_run_is_refused(changed, message):
    given = {"histogram": [3, 1], "queries": np.eye(2), "trials": 5, "rng": np.random.default_rng()}
    with pytest.raises(ParameterError, match=message):
        histogram_errors(**given | changed)


def test_a_sample_has_2_to_the_62_rows_at_most():
    with pytest.raises(ParameterError, match=r"size must be at most 4.61169e\+18 in size"):
        survey_sample_errors(2, size=2**62 + 2**10, seed=0)
    assert survey_sample_errors(2, size=2**62, seed=0)[-1] < 1e-8


def test_stretches_are_where_something_holds():
    places = np.array([3, 5, 8, 9, 12])
    for holds, found in (
        ([1, 1, 0, 0, 1], [[3, 5], [12, 12]]),
        ([0, 1, 1, 1, 0], [[5, 9]]),
        ([1] * 5, [[3, 12]]),
        ([0] * 5, []),
    ):
        assert stretches(places, np.array(holds, dtype=bool)) == found


@pytest.mark.parametrize(
    ("attributes", "size", "tries", "seed"),
    [
        (3, 8, 100, 3),
        (4, 5, 100, 3),
        *((4, size, 1, seed) for size in (1, 14) for seed in range(6)),
    ],
)
def test_no_exchange_makes_invented_rows_better_and_each_helps_most(
    attributes, size, tries, seed, monkeypatch
):
    """All exchanges of one row are tried; each row in turn against all that come after it."""
    monkeypatch.setattr(small_db_lab, "TRIES", tries)
    real = survey_counts(attributes)
    true = answers(real, attributes)
    universe = list(itertools.product((0, 1), repeat=attributes))

    def error(rows):
        given = answers(Counter(rows), attributes)
        return max(abs(a - b) for a, b in zip(true, given, strict=True))

    chosen = [universe[element] for element in invented_rows(attributes, size=size, seed=seed)]
    assert len(chosen) == size
    for place, row in itertools.product(range(size), universe):
        assert error(chosen) <= error([*chosen[:place], row, *chosen[place + 1 :]]) + 1e-12
    for place in range(size):
        first, later = chosen[:place], chosen[place:]
        least = min(error([*first, row]) for row in later)
        assert error(chosen[: place + 1]) <= least + 1e-12


def test_invented_rows_are_about_as_good_as_the_best_of_all():
    """Of three attributes all databases of eight rows are tried."""
    real, universe = survey_counts(3), list(itertools.product((0, 1), repeat=3))
    true = answers(real, 3)
    best = min(
        max(abs(a - b) for a, b in zip(true, answers(Counter(rows), 3), strict=True))
        for rows in itertools.combinations_with_replacement(universe, 8)
    )
    chosen = Counter(universe[element] for element in invented_rows(3, size=8, seed=0))
    found = max(abs(a - b) for a, b in zip(true, answers(chosen, 3), strict=True))
    assert math.isclose(found, best, rel_tol=1e-9)
