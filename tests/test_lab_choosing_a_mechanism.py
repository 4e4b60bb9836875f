"""The runs of notebook 10, against exact laws of sums of noise and other ways to count."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, kstest

from course_lib.lab import choosing_a_mechanism as lab
from course_lib.lab.histograms import survey_histogram, survey_marginals
from course_lib.lab.online_ic import survey_run
from course_lib.lab.profiles import profile_sample
from course_lib.linear_queries import Universe, marginals
from course_lib.support.contracts import ParameterError


def test_the_guess_is_a_half_to_the_power_of_the_size():
    names = ("visit", "chronic", "unwell", "free", "frequent", "limited", "deductible", "incentive")
    universe, histogram = survey_histogram(*names)
    elements = [dict(zip(names, map(int, e), strict=True)) for e in universe.elements]
    queries = [s for size in range(1, 9) for s in itertools.combinations(names, size)]
    for found, chosen in zip(lab.guess_errors(), queries, strict=True):
        rows = sum(c for e, c in zip(elements, histogram, strict=True) if all(e[a] for a in chosen))
        assert found == pytest.approx(abs(0.5 ** len(chosen) - rows / 20_190))
    assert round(lab.guess_errors().max(), 3) == 0.408


def sum_of_noise(terms, scale, rng, size=40_000):
    """|Gamma − Gamma'|: a sum of Laplace noises, drawn in another way."""
    return np.abs(rng.gamma(terms, scale, size) - rng.gamma(terms, scale, size))


def test_the_first_marginal_adds_up_half_of_the_noise():
    reference = np.sort(sum_of_noise(128, 2, np.random.default_rng(1)))
    first = lab.errors_so_far()[0]
    assert kstest(first, lambda x: np.searchsorted(reference, x) / len(reference)).pvalue > 1e-3
    assert (np.diff(lab.errors_so_far(), axis=1) >= 0).all()


def test_each_marginal_so_far_adds_up_its_own_noise():
    rows = survey_marginals(8)[2].rows
    noise = 2 * np.random.default_rng(0).laplace(size=(256, lab.RUNS))  # the same once more
    largest = np.sort(np.maximum.accumulate(np.abs(rows @ noise)))
    assert lab.errors_so_far()[[0, 7, 35, 254]] == pytest.approx(largest[[0, 7, 35, 254]])


@pytest.mark.parametrize("attributes", [3, 8])
def test_all_marginals_up_to_an_order_by_products(attributes, monkeypatch):
    lab.errors_by_order.__wrapped__.cache_clear()
    drawn = []

    class Recorded:
        def __init__(self, seed):
            self.rng = np.random.Generator(np.random.PCG64(seed))

        def laplace(self, size):
            drawn.append(self.rng.laplace(size=size))
            return drawn[-1].copy()

    monkeypatch.setattr(lab.np.random, "default_rng", Recorded)
    found = lab.errors_by_order(attributes)
    lab.errors_by_order.__wrapped__.cache_clear()
    queries = marginals(Universe([f"a{i}" for i in range(attributes)]))
    sizes = np.array([name.count(" and ") + 1 for name in queries.names])
    errors = np.abs(queries.rows @ (2 * np.hstack(drawn)))
    for order in range(1, attributes + 1):
        assert found[order - 1] == pytest.approx(np.sort(errors[sizes <= order].max(axis=0)))
        assert lab.marginals_up_to(attributes)[order - 1] == np.sum(sizes <= order)
    assert len(lab.marginals_up_to(attributes)) == len(found) == attributes
    assert found.shape[1] == errors.shape[1] == lab.RUNS


@pytest.mark.parametrize("attributes, runs", [(10, 2048), (14, 128), (17, lab.LARGE_RUNS)])
def test_a_larger_table_is_run_less_often(attributes, runs):
    assert lab.errors_by_order(attributes).shape == (attributes, runs)


def test_what_is_too_large_is_refused():
    with pytest.raises(ParameterError, match="attributes must be at most 18 in size, got 19"):
        lab.errors_by_order(19)
    with pytest.raises(ParameterError, match="universe_size must be at most 1024 in size"):
        lab.predicate_errors(1025)


def test_noise_on_a_table_of_four():
    """The largest of ten predicates is at most the sum of |noise|, and at least any cell asked."""
    found = lab.predicate_errors(4)
    assert found.shape == (3, lab.PREDICATE_RUNS) and (np.diff(found, axis=1) >= 0).all()
    assert (np.diff(found, axis=0) >= 0).all()
    # a thousand random predicates on four elements are all sixteen: the largest is exact
    rng = np.random.default_rng(2)
    noise = rng.laplace(size=(100_000, 4))
    exact = np.sort(np.maximum(np.maximum(noise, 0).sum(1), np.maximum(-noise, 0).sum(1)))
    below = np.searchsorted(found[2], np.quantile(exact, 0.5))
    assert 1e-3 < binom.cdf(below, lab.PREDICATE_RUNS, 0.5) < 1 - 1e-3


def test_online_ic_as_its_theorem_sets_it_never_updates():
    assert lab.online_ic_errors(cutoff=None, alpha=0.514) == pytest.approx(lab.guess_errors().max())
    given = {"n": 20_190, "num_queries": 255, "cutoff": 50, "alpha": 0.05, "epsilon": 1.0}
    found = lab.online_ic_errors(cutoff=50, alpha=0.05)
    runs = [survey_run(8, "all marginals", **given, seed=seed) for seed in range(len(found))]
    assert found.tolist() == sorted(max(run.errors) for run in runs)


def test_the_largest_of_the_first_ten_hundred_and_thousand_predicates():
    rng = np.random.default_rng(64)  # the same numbers once more
    rows, noise = rng.integers(2, size=(1000, 64)), rng.laplace(size=(64, lab.PREDICATE_RUNS))
    so_far = np.maximum.accumulate(np.abs(rows @ noise))
    for found, number in zip(lab.predicate_errors(64), (10, 100, 1000), strict=True):
        assert found == pytest.approx(np.sort(so_far[number - 1]))


def test_the_errors_of_columns_by_the_size_of_the_count():
    counts = profile_sample(6)[0][1], profile_sample(6)[1][1]
    given = {"codes": 6, "epsilon": 1.0, "seed": 0}
    ends = {"1 to 4": (1, 4), "5 to 19": (5, 19), "20 or more": (20, 709), "all": (1, 709)}
    assert ends.keys() == lab.CLASSES.keys() and max(counts[1]) <= 709
    for kind, (low, high) in ends.items():
        errors, size = lab.column_errors("guess", kind=kind, **given)
        assert size == 0 and sorted(errors) == sorted(c for c in counts[1] if low <= c <= high)
    errors, size = lab.column_errors("dense noise", kind="all", **given)
    assert size == 8 * 4 * 5 * 2 * 2 * 100 * 367
    assert kstest(errors, "expon").pvalue > 1e-3
    doubled = lab.column_errors("dense noise", kind="all", **given | {"epsilon": 2.0})[0]
    assert kstest(2 * doubled, "expon").pvalue > 1e-3
    # Threshold drops what is below t = ln(d/2): an error is the count itself there, else noise
    kept, size = lab.column_errors("Threshold", kind="5 to 19", **given)
    small = np.array([c for c in counts[1] if 5 <= c <= 19])
    level = math.log(size and 2_936_000 / 2)
    chance = 0.5 * np.exp(np.minimum(small - level, 0))
    chance = np.where(small > level, 1 - 0.5 * np.exp(level - small), chance)
    lost = int(np.sum(kept == small))
    assert abs(lost - np.sum(1 - chance)) < 5 * math.sqrt(np.sum(chance * (1 - chance)))
    # far above t nothing is dropped
    large = np.array([c for c in counts[1] if c >= 20])
    errors = lab.column_errors("Threshold", kind="20 or more", **given)[0][large > 30]
    assert kstest(errors, "expon").pvalue > 1e-3


def test_dense_noise_has_scale_1_over_epsilon():
    _, (_, counts), _ = profile_sample(1)
    errors, _ = lab.column_errors("dense noise", codes=1, kind="all", epsilon=0.5, seed=0)
    noise = 2 * np.random.default_rng([0, 1]).laplace(size=len(counts))
    assert errors == pytest.approx(abs(noise))


@pytest.mark.parametrize("epsilon, levels", [(1.0, 34), (2.0, 67)])
def test_alp_has_a_bit_for_each_place_and_level(epsilon, levels):
    """⌈100 ε / 3⌉ levels, for each 40,000 bits and 64 numbers of 16 bits for its hash function."""
    _, size = lab.column_errors("ALP", codes=5, kind="all", epsilon=epsilon, seed=0)
    assert size == levels * (40_000 / 8 + 64 * 2)
