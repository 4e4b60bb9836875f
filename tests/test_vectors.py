"""Vectors in a huge dimension; Threshold's zeros and entries against the dense textbook version."""

import collections
import itertools
import math
import tracemalloc

import numpy as np
import pytest
from scipy.stats import binom, chi2, ks_2samp, kstest, ncx2

from course_lib import threshold_alp
from course_lib.support.contracts import ParameterError
from course_lib.support.vectors import Kept, check_vector, pieces, positions, surviving_zeros
from course_lib.threshold_alp import threshold_level, threshold_release

HUGE = 2**63


def misfit(counts, law):
    """Pearson's statistic; what cannot occur must not have occurred."""
    counts, expected = np.asarray(counts), np.sum(counts) * np.asarray(law)
    assert not counts[expected == 0].any()
    likely = expected > 0
    return np.sum((counts[likely] - expected[likely]) ** 2 / expected[likely])


def subset_law(chances):
    """For each set of places: the chance that just these survive."""
    sets = itertools.product((False, True), repeat=len(chances))
    return {each: math.prod(np.where(each, chances, np.subtract(1, chances))) for each in sets}


@pytest.mark.parametrize("taken", [[], [4], [3, 0], [0, 1, 2, 3]])
def test_every_set_of_zeros_survives_as_often_as_if_all_were_visited(taken):
    """At level 1e-6. Seen but for one chance in 1e4: places drawn with replacement."""
    rng, dimension, chance, runs = np.random.default_rng(0), 5, 0.4, 3000
    law = subset_law([0 if i in taken else chance for i in range(dimension)])
    found = collections.Counter()
    for _ in range(runs):
        survivors = surviving_zeros(np.array(taken, dtype=np.int64), dimension, chance, rng)
        found[tuple(i in survivors for i in range(dimension))] += 1
    border = chi2.isf(1e-6, 2 ** (dimension - len(taken)) - 1)
    assert misfit([found[each] for each in law], list(law.values())) < border


def test_that_test_would_see_places_drawn_with_replacement():
    wrong, zeros, chance, runs = collections.Counter(), 3, 0.4, 3000
    for number in range(zeros + 1):
        for places in itertools.product(range(zeros), repeat=number):
            weight = binom.pmf(number, zeros, chance) / zeros**number
            wrong[tuple(i in places for i in range(zeros))] += weight
    law = subset_law([chance] * zeros)
    shift = runs * sum((wrong[each] - law[each]) ** 2 / law[each] for each in law)
    assert ncx2.cdf(chi2.isf(1e-6, 7), 7, shift) < 1e-4


@pytest.mark.parametrize("taken", [[], [0], [HUGE - 1], [0, HUGE // 2, HUGE - 1]])
def test_in_the_largest_dimension_nothing_is_as_long_as_the_dimension(taken):
    rng, chance = np.random.default_rng(1), 1000 / HUGE
    tracemalloc.start()
    survivors = surviving_zeros(np.array(taken, dtype=np.int64), HUGE, chance, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**18
    low, high = binom.ppf([5e-7, 1 - 5e-7], HUGE, chance)
    assert low <= len(survivors) <= high
    assert len(np.unique(survivors)) == len(survivors) and survivors.min() >= 0
    assert not np.isin(survivors, taken).any()
    assert kstest(survivors / HUGE, "uniform").pvalue > 1e-6


def test_the_largest_rank_is_the_last_index():
    class Last(np.random.Generator):
        def choice(self, part, number, replace, shuffle):
            self.asked = [*getattr(self, "asked", []), part]
            return np.full(len(self.asked) - 1, part - 1)

    for taken, last in (([], HUGE - 1), ([HUGE - 1], HUGE - 2), ([5, HUGE - 2], HUGE - 1)):
        rng = Last(np.random.PCG64(0))
        found = surviving_zeros(np.array(taken, dtype=np.int64), HUGE, 1e-18, rng)
        assert found.tolist() == [last] and sum(rng.asked) == HUGE - len(taken)


def test_in_the_largest_dimension_the_number_of_survivors_is_binomial():
    """Confidence 1 - 1e-6 each; NumPy's own law for so many trials, 0.7 % off, would be seen."""
    rng, runs, mean = np.random.default_rng(5), 6000, 400
    none = np.empty(0, dtype=np.int64)
    numbers = [len(surviving_zeros(none, HUGE, mean / HUGE, rng)) for _ in range(runs)]
    error = math.sqrt(mean / runs)  # binomial or Poisson: the same with a chance so small
    assert abs(np.mean(numbers) - mean) < 4.9 * error < 0.007 * mean - 4.9 * error
    low, high = chi2.ppf([5e-7, 1 - 5e-7], runs - 1) / (runs - 1)
    assert low < np.var(numbers, ddof=1) / mean < high


def test_a_share_of_the_zeros_does_not_take_memory_for_all():
    for chance in (0.03, 0.05, 0.3):
        tracemalloc.start()
        survivors = surviving_zeros(np.arange(10), 2**23, chance, np.random.default_rng(6))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        low, high = binom.ppf([5e-7, 1 - 5e-7], 2**23 - 10, chance)
        assert low <= len(survivors) <= high and survivors.max() < 2**23
        assert peak < 2**24 + 6 * survivors.nbytes


def test_half_of_two_million_zeros_survive():
    survivors = surviving_zeros(np.arange(0, 1000), 2_000_000, 0.5, np.random.default_rng(3))
    low, high = binom.ppf([5e-7, 1 - 5e-7], 1_999_000, 0.5)
    assert low <= len(survivors) <= high and survivors.min() >= 1000


def test_no_zero_survives_on_the_place_of_an_entry():
    taken = np.random.default_rng(0).permutation(np.arange(0, 20_000, 2))
    survivors = surviving_zeros(taken, 20_000, 0.5, np.random.default_rng(1))
    assert (survivors % 2 == 1).all() and len(np.unique(survivors)) == len(survivors)
    low, high = binom.ppf([5e-7, 1 - 5e-7], 10_000, 0.5)
    assert low <= len(survivors) <= high
    assert len(surviving_zeros(np.arange(5), 5, 0.5, np.random.default_rng(2))) == 0


VECTOR, LEVEL, EPSILON = [2.0, 0.0, 0.0, 0.7], 0.8, 1.5


def textbook(runs, rng, level=LEVEL, epsilon=EPSILON):
    """Algorithm 6 on the dense vector, once in each row; what is not kept is NaN."""
    noisy = VECTOR + rng.laplace(scale=1 / epsilon, size=(runs, len(VECTOR)))
    return np.where(noisy >= level, noisy, np.nan)


def ours(runs, rng):
    """The entry of value 0 at place 2 is given, the one at place 1 is not."""
    dense = np.full((runs, len(VECTOR)), np.nan)
    for row in dense:
        kept = threshold_release(
            [3, 0, 2], [0.7, 2.0, 0.0], dimension=4, level=LEVEL, epsilon=EPSILON, rng=rng
        )
        row[kept.indices] = kept.values
    return dense


def differences(one, other):
    """Two-sample tests: of the sets that are kept, and of the values kept at each place."""
    numbers = [
        np.bincount(~np.isnan(each) @ [1, 2, 4, 8], minlength=16) / len(each)
        for each in (one, other)
    ]
    scale = 1 / len(one) + 1 / len(other)
    pooled = (len(one) * numbers[0] + len(other) * numbers[1]) / (len(one) + len(other))
    likely = pooled > 0
    statistic = np.sum((numbers[0] - numbers[1])[likely] ** 2 / pooled[likely]) / scale
    yield chi2.sf(statistic, 15)
    for a, b in zip(one.T, other.T, strict=True):
        yield ks_2samp(a[~np.isnan(a)], b[~np.isnan(b)]).pvalue


def test_threshold_is_the_textbook_version():
    """At level 1e-6 / 5 each. The same number of runs sees a level or an epsilon 30 % off."""
    rng, runs = np.random.default_rng(2), 3000
    sample = textbook(20_000, rng)
    assert min(differences(ours(runs, rng), sample)) > 1e-6 / 5
    for level, epsilon in (
        (1.3 * LEVEL, EPSILON),
        (LEVEL, EPSILON / 1.3),
        (LEVEL, 1.3 * EPSILON),
    ):
        seen = [min(differences(textbook(runs, rng, level, epsilon), sample)) for _ in range(4)]
        assert max(seen) < 1e-6 / 5


def test_zeros_that_survive_are_worth_the_level_and_an_exponential():
    """At level 1e-6; a scale 15 % too large or too small would be seen."""
    kept = threshold_release(
        [], [], dimension=20_000, level=0.8, epsilon=1.5, rng=np.random.default_rng(6)
    )
    above = 1.5 * (kept.values - 0.8)
    assert kstest(above, "expon").pvalue > 1e-6
    assert kstest(1.15 * above, "expon").pvalue < 1e-6 > kstest(above / 1.15, "expon").pvalue


def test_entries_that_are_kept_have_laplace_noise():
    """At level 1e-6; a scale 5 % too large or too small would be seen."""
    number, epsilon = 100_000, 0.5
    kept = threshold_release(
        np.arange(number), np.full(number, 1e6), dimension=number, level=10.0, epsilon=epsilon,
        rng=np.random.default_rng(8),
    )  # fmt: skip
    noise = epsilon * (kept.values - 1e6)
    assert len(noise) == number and kstest(noise, "laplace").pvalue > 1e-6
    for factor in (0.95, 1.05):
        assert kstest(factor * noise, "laplace").pvalue < 1e-6


def test_an_epsilon_whose_noise_is_not_finite_is_refused():
    rng = np.random.default_rng(0)
    kept = threshold_release([3], [1.0], dimension=100, level=1.0, epsilon=1e-50, rng=rng)
    assert np.isfinite(kept.values).all()
    with pytest.raises(ParameterError, match="epsilon must be from 1e-50 .* got 1e-51"):
        threshold_release([3], [1.0], dimension=100, level=1.0, epsilon=1e-51, rng=rng)


def test_kept_entries_stand_in_the_order_of_their_indices_whatever_was_given():
    rng = np.random.default_rng(3)
    indices = rng.permutation(10**12 - 1 - np.arange(50))
    kept = threshold_release(
        indices, np.full(50, 100.0), dimension=10**12, level=10, epsilon=2.0, rng=rng
    )
    assert isinstance(kept, Kept) and set(indices) <= set(kept.indices)
    assert (np.diff(kept.indices) > 0).all()
    values = np.arange(1.0, 51)
    assert Kept.sorted(indices, values).look_up(indices).tolist() == values.tolist()


def test_looking_up_gives_what_is_kept_or_what_else_there_is():
    kept = Kept(np.array([3, 8]), np.array([5.0, 7.0]))
    assert kept.look_up([[0, 3], [8, 9]]).tolist() == [[0, 5], [7, 0]]
    assert kept.look_up(np.array([3, 4]), otherwise=np.array([1.0, 2.0])).tolist() == [5, 2]
    nothing = Kept(np.empty(0, np.int64), np.empty(0))
    found = nothing.look_up([1, 2], otherwise=np.array([1.0, 2.0]))
    assert found.tolist() == [1, 2] and nothing.look_up([4]).tolist() == [0]
    found[0] = 5  # an array of its own


def test_at_the_level_of_the_paper_one_zero_survives_in_any_dimension():
    """Poisson(1) to within 1e-6 in the largest; confidence 1 - 1e-6, 1.5 zeros would be seen."""
    rng, runs = np.random.default_rng(5), 1000
    level = threshold_level(dimension=HUGE, epsilon=0.5)
    numbers = [
        len(threshold_release([], [], dimension=HUGE, level=level, epsilon=0.5, rng=rng).indices)
        for _ in range(runs)
    ]
    low, high = 1 + np.array([-4.9, 4.9]) / math.sqrt(runs)
    assert low < np.mean(numbers) < high < 1.5 - 4 * math.sqrt(1.5 / runs)


def test_a_level_that_would_keep_more_than_memory_holds_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="level must keep at most 67,108,864 zeros"):
        threshold_release([], [], dimension=HUGE, level=0, epsilon=1, rng=rng)
    most = 2**27  # half of the zeros reach 0
    threshold_alp._check_threshold([], [], most, 0, 1.0)
    with pytest.raises(ParameterError, match="level"):
        threshold_alp._check_threshold([], [], most + 1, 0, 1.0)


def test_an_empty_array_is_one_empty_piece():
    """So the results for the pieces can always be joined."""
    assert [piece.tolist() for piece in pieces(np.arange(0), 3)] == [[]]
    assert [piece.tolist() for piece in pieces(np.arange(7), 3)] == [[0, 1, 2], [3, 4, 5], [6]]


def test_positions_are_whole_numbers_below_the_dimension():
    for good in ([], 5, [0, HUGE - 1], np.array([3], np.uint8), np.array([[1], [2]], np.uint64)):
        found = positions(good)
        assert found.dtype == np.int64 and found.tolist() == np.asarray(good).tolist()
    wrong = [
        [0.5],
        [1.0],
        [-1],
        [HUGE],
        [2**64],
        ["1"],
        [True],
        [None],
        np.array([HUGE], np.uint64),
    ]
    for bad in wrong:
        with pytest.raises(ParameterError, match="indices must be"):
            positions(bad)
    positions([9], 10)
    with pytest.raises(ParameterError, match="from 0 to dimension - 1 = 9, got 10"):
        positions([3, 10], 10)


def test_what_is_no_vector_is_refused():
    check_vector([], [], 1)
    check_vector([2, 0], [0, 1e300], 3)
    check_vector([HUGE - 1], [1], HUGE)
    for indices, values, dimension, words in (
        ([1, 1], [1, 2], 3, "indices must be distinct"),
        ([1, 2], [1], 3, "values must have one number"),
        ([[1, 2]], [[1, 2]], 3, "values must have one number"),
        (1, 2, 3, "values must have one number"),
        ([1], [-1e-9], 3, "values must be finite numbers, 0 or greater"),
        ([1], [math.nan], 3, "values must be finite numbers"),
        ([1], [math.inf], 3, "values must be finite numbers"),
        ([1], ["2"], 3, "values must be finite numbers"),
        ([1], [1 + 2j], 3, "values must be finite numbers"),
        ([1], np.array([5], "m8[D]"), 3, "values must be finite numbers"),
        ([1], np.array([5], "M8[D]"), 3, "values must be finite numbers"),
        ([3], [1], 3, "indices must be from 0 to dimension - 1 = 2"),
        ([], [], HUGE + 1, "dimension must be a whole number from 1 to 2"),
    ):
        with pytest.raises(ParameterError, match=words):
            check_vector(indices, values, dimension)


def test_kept_entries_from_a_file_are_checked():
    Kept(np.array([1, 2]), np.array([4.0, 5.0])).check(3, 4.0)
    Kept(np.array([], np.int64), np.array([])).check(3, 4.0)
    for indices, values in (([2, 1], [5.0, 5.0]), ([1, 2], [5, 3.9]), ([1, 3], [5.0, 5.0])):
        with pytest.raises(ParameterError, match="entries must be in order|from 0 to dimension"):
            Kept(np.array(indices), np.array(values)).check(3, 4.0)
    for kinds in ((np.uint64, float), (np.int64, complex), (np.int64, np.float32)):
        with pytest.raises(ParameterError, match="entries must be of types int64 and float64"):
            Kept(np.array([1, 2], kinds[0]), np.array([5, 6], kinds[1])).check(3, 4.0)
