"""Runs of ALP for the pictures, against the mechanism itself and against its exact laws."""

import itertools
import math

import numpy as np
import pytest

from course_lib.alp import alp1_estimator, alp1_projection, alp_projection
from course_lib.exact.alp import alp_error_among, alp_exact_error
from course_lib.lab.alp import (
    crowded_errors,
    crowded_intervals,
    crowded_values,
    embed,
    errors_alone,
    errors_by_alpha,
    look_ups,
    noisy_codes,
    small_release,
    table_size,
)
from course_lib.lab.confidence import clopper_pearson, student_interval
from course_lib.support.contracts import ParameterError
from course_lib.support.hashing import hashes_apart


def test_bits_are_flipped_at_the_rate_one_in_alpha_plus_two():
    """12,000 bits tell 1/4 from 1/3 and from 1/5 with certainty; the chance of a miss is 0.1%."""
    flips = [
        embed(
            np.array([23, 141, 500]), np.array([4.0, 16.0, 0.0]), dimension=1000, size=20, cap=20,
            alpha=2.0, epsilon=1.0, seed=seed,
        ).flipped
        for seed in range(60)
    ]  # fmt: skip
    low, high = clopper_pearson(np.sum(flips), np.size(flips), confidence=0.999)
    assert np.size(flips) == 12_000 and 0.2 < low < 1 / 4 < high < 1 / 3


@pytest.mark.parametrize("seed", range(8))
def test_what_happens_inside_is_what_was_released(seed):
    """The table without its flips has the bits of the codes, and the causes explain what is wrong.

    Entry 1 is beyond the cap, entry 2 is a zero; the same seed gives the mechanism's own release.
    """
    indices = np.array([23, 141, 500, 628, 77])
    values = np.array([4.0, 40.0, 0.0, 13.0, 0.5])
    inside = embed(
        indices, values, dimension=1000, size=9, cap=20.0, alpha=3.0, epsilon=1.2, seed=seed
    )
    held = values > 0
    release = alp_projection(
        indices[held], values[held], dimension=1000, sparsity=4, size=9, cap=20.0, alpha=3.0,
        epsilon=1.2, rng=np.random.default_rng(seed),
    )  # fmt: skip
    assert np.array_equal(inside.release.bits, release.bits) and release.sparsity == 4
    assert inside.release.estimate(628) == release.estimate(628)
    assert inside.exact == pytest.approx([1.6, 8, 0, 5.2, 0.2])
    assert inside.rounded.tolist()[1:3] == [8, 0]
    assert inside.rounded[0] in (1, 2) and inside.rounded[3] in (5, 6)
    cells = [(inside.places[i, b], b) for i in range(5) for b in range(8) if b < inside.rounded[i]]
    for place, b in itertools.product(range(9), range(8)):
        assert inside.number[place, b] == cells.count((place, b))
        bit = (place, b) in cells
        assert inside.release.table[place, b] == bit ^ inside.flipped[place, b]
    for i in range(5):
        flips, others = inside.wrong_bits(i)
        for b in range(8):
            cell = inside.places[i, b], b
            own = b < inside.rounded[i]
            wrong = inside.release.table[cell] != own
            assert flips[b] == (wrong and inside.flipped[cell])
            assert others[b] == (wrong and not inside.flipped[cell])
            assert not others[b] or (not own and cell in cells)


def test_what_is_inside_is_drawn_by_its_law():
    """Rounded up as often as the fraction says, in 600 embeddings; a miss has one chance in 1e4.

    0.6 and 0.2 are told from each other, and from a half.
    """
    indices, values = np.array([3, 8]), np.array([4.0, 13.0])
    inside = (
        embed(indices, values, dimension=10, size=5, cap=20.0, alpha=3.0, epsilon=1.2, seed=seed)
        for seed in range(600)
    )
    ups = [each.rounded > [1, 5] for each in inside]
    for rate, up in zip((0.6, 0.2), np.sum(ups, axis=0), strict=True):
        low, high = clopper_pearson(up, 600, confidence=0.9999)
        assert low < rate < high and high - low < 0.17


@pytest.mark.parametrize(
    ("value", "epsilon", "alpha", "levels"),
    [(10, 0.3, 0.3, 454), (7, 2.0, 3.0, 32), (0, 1.0, 8.0, 16), (20, 1.0, 2.0, 9)],
)
def test_look_ups_are_those_of_the_projection(value, epsilon, alpha, levels):
    """The last value is beyond the cap."""
    number = 250
    found = look_ups(value, number=number, levels=levels, alpha=alpha, epsilon=epsilon, seed=2)
    indices, hashes = np.arange(number), hashes_apart(levels, number)
    scaled, rng = np.full(number, value * epsilon), np.random.default_rng(2)
    bits = alp1_projection(indices, scaled, hashes, size=number, alpha=alpha, rng=rng)
    estimates = alp1_estimator(bits, hashes, indices, size=number, alpha=alpha)
    assert np.array_equal(found.estimates, estimates / epsilon)
    first = np.unpackbits(bits, axis=1, bitorder="little")[:, 0]
    assert found.walk.tolist() == [0, *itertools.accumulate(2 * int(bit) - 1 for bit in first)]
    exact, rng = min(value * epsilon / alpha, levels), np.random.default_rng(2)
    assert found.rounded == math.floor(exact) + (rng.random() < exact - math.floor(exact))


def test_the_first_look_up_is_rounded_as_it_was_drawn():
    for seed in range(20):  # 14/3 levels
        found = look_ups(7, number=9, levels=20, alpha=3.0, epsilon=2.0, seed=seed)
        assert found.rounded == 4 + (np.random.default_rng(seed).random() < 2 / 3)


def test_levels_go_far_beyond_the_value_and_look_ups_are_fewer_then():
    """200 levels, and 1,210 beyond: 150,000 bits are those of 106 look-ups."""
    assert len(errors_alone(100, alpha=0.2, epsilon=0.4, seed=0)) == 106
    assert len(errors_alone(100, alpha=8.0, epsilon=0.4, seed=0)) == 500


@pytest.mark.parametrize(
    ("value", "epsilon", "alpha", "expected"),
    [
        (0, 0.2, 0.2, 60),  # 2 (1 + ε) / ε²
        (0, 0.3, 3.0, 80 / 9),  # (2 + 2/α) / ε
        (7, 3.0, 3.0, alp_exact_error([7.0], cap=27, alpha=3.0, epsilon=3.0)[0]),
        (5, 1.0, 4.0, alp_exact_error([5.0], cap=100, alpha=4.0, epsilon=1.0)[0]),
    ],
)
def test_the_errors_of_look_ups_that_do_not_collide(value, epsilon, alpha, expected):
    """Of 40 seeds: the standard error is below 3%, and the end of the walk costs less than that."""
    draws = [errors_alone(value, alpha=alpha, epsilon=epsilon, seed=seed) for seed in range(40)]
    errors = np.concatenate(draws)
    standard = errors.std() / math.sqrt(len(errors))
    assert standard < 0.03 * expected
    assert abs(errors.mean() - expected) < 4 * standard


def test_errors_by_alpha_agree_with_the_exact_ones():
    """12 seeds of 120 entries, three of each value: an error of 20% would be 4 standard errors."""
    values, alphas = np.repeat(np.arange(40.0), 3), (2.5, 7.0)
    for zeros in (True, False):
        runs = [
            errors_by_alpha(tuple(values), zeros=zeros, size=600, cap=40, alphas=alphas, seed=seed)
            for seed in range(12)
        ]
        assert runs[0].shape == (2, 120)
        for alpha, errors in zip(alphas, np.transpose(runs, (1, 0, 2)), strict=True):
            looked_up = [0.0] if zeros else values
            exact = alp_error_among(looked_up, values, size=600, cap=40, alpha=alpha, epsilon=1.0)
            standard = errors.std() / math.sqrt(errors.size)
            assert abs(errors.mean() - exact.mean()) < 4 * standard < 0.2 * exact.mean()


@pytest.mark.parametrize(
    ("size", "number", "alpha", "cap"),
    [(220, 100, 3.0, 30), (1000, 100, 3.0, 25), (300, 150, 2, 30)],
)
def test_real_releases_agree_with_the_exact_errors(size, number, alpha, cap):
    """40 times 6 releases: a bias of a fifth in either mean would be 5 standard errors."""
    values = [cap] * (number - number // 10) + [cap / 2] * (number // 10)
    assert crowded_values(number, cap=cap).tolist() == values
    exact = np.array(
        [
            alp_error_among(value, others, size=size, cap=cap, alpha=alpha, epsilon=1.0)
            for value, others in ((0.0, values), (cap / 2, values[:-1]))
        ]
    )
    seen = [
        crowded_errors(
            number, zeros=300, releases=6, sparsity=100, size=size, cap=cap, alpha=alpha,
            epsilon=1.0, seed=seed,
        )
        for seed in range(40)
    ]  # fmt: skip
    means, halves = np.array([student_interval(each) for each in seen]).transpose(1, 0, 2)
    error = means.std(axis=0, ddof=1) / np.sqrt(40)
    assert np.all(5 * error < 0.2 * exact)
    assert np.all(np.abs(means.mean(axis=0) - exact) < 4 * error)
    covered = np.count_nonzero(np.abs(means - exact) <= halves)
    assert covered >= 66  # of 80; 76 expected, below 66 with probability 10⁻⁴


@pytest.mark.parametrize(("number", "halves"), [(1, 1), (9, 1), (19, 1), (20, 2), (105, 10)])
def test_a_tenth_of_a_crowd_at_least_one_is_at_half_the_cap(number, halves):
    values = crowded_values(number, cap=30)
    assert values.tolist() == [30] * (number - halves) + [15] * halves


@pytest.mark.parametrize(
    ("number", "size", "cap", "alpha", "epsilon"),
    [(5, 11, 30.0, 3.0, 1.0), (40, 1001, 7.5, 0.6, 0.3), (0, 9, 20.0, 20.0, 2.0)],
)
def test_a_small_release_is_that_of_the_mechanism(number, size, cap, alpha, epsilon):
    rng = np.random.default_rng(4)
    indices = rng.choice(2**62, number, replace=False)
    values = rng.uniform(0, 2 * cap, number)
    small, release = (
        make(
            indices, values, dimension=2**62, sparsity=(size - 1) // 2, size=size, cap=cap,
            alpha=alpha, epsilon=epsilon, rng=np.random.default_rng(5),
        )
        for make in (small_release, alp_projection)
    )  # fmt: skip
    assert np.array_equal(small.bits, release.bits) and np.array_equal(small.hashes, release.hashes)
    small.check_announced()
    looked_up = np.append(indices, [0, 2**61])
    assert np.array_equal(small.estimate(looked_up), release.estimate(looked_up))
    with pytest.raises(ParameterError, match=r"greater than 2 \* sparsity = 4, got 4"):
        small_release(
            indices, values, dimension=2**62, sparsity=2, size=4, cap=cap, alpha=alpha,
            epsilon=epsilon, rng=rng,
        )  # fmt: skip


def test_a_table_has_more_than_two_places_for_each_entry():
    for sparsity, ratio in itertools.product((1, 10, 300), (2.0, 2.05, 2.5, 100.0)):
        size = table_size(sparsity, ratio)
        assert size > 2 * sparsity and abs(size - ratio * sparsity) <= 1


def crowded(number, sizes, exact, **more):
    setting = {"cap": 30, "alpha": 3.0, "epsilon": 1.0, "seed": 0} | more
    return crowded_intervals(exact, number=number, sparsity=number, sizes=sizes, **setting)


def test_intervals_of_a_crowd_are_those_of_its_releases():
    mean, margin = crowded(60, [150, 600], np.zeros((2, 2)), epsilon=0.5)
    for j, size in enumerate((150, 600)):
        errors = crowded_errors(
            60, zeros=300, releases=6, sparsity=60, size=size, cap=30, alpha=3.0, epsilon=0.5,
            seed=0,
        )  # fmt: skip
        for i in range(2):
            assert mean[i, j] == pytest.approx(0.5 * np.mean(errors[i]))
            standard = 0.5 * np.std(errors[i], ddof=1) / math.sqrt(6)
            assert margin[i, j] == pytest.approx(2.570582 * standard)  # Student, 5 degrees


@pytest.mark.parametrize(("number", "enough"), [(1, False), (49, False), (50, True)])
def test_what_few_entries_cannot_tell_is_not_told(number, enough):
    """4 entries at half the cap in each release are too few, 5 are enough; zeros are many."""
    for found in crowded(number, [3 * number], np.ones((2, 1))):
        assert np.isfinite(found[0]).all() and np.isfinite(found[1]).all() == enough


def test_a_mean_without_spread_is_told_only_where_it_is_exact():
    # of one level: the estimate is 0 or β, and β/2 is off by 15
    right, wrong = (
        crowded(60, [600], exact, epsilon=0.1) for exact in ([[9], [1.5]], [[9], [1.4]])
    )
    assert right[0][1] == pytest.approx(1.5) and right[1][1] == pytest.approx(0)
    assert np.isnan(wrong[0][1]) and np.isnan(wrong[1][1]) and np.isfinite(wrong[0][0])


def test_two_codes_and_what_is_read_of_them():
    """The readings by hand; bits flip at the rate asked for, and stay flipped at a higher one."""
    flipped = np.zeros(36)
    for seed in range(400):
        before = None
        for probability in (0.0, 0.1, 0.3):
            run = noisy_codes(20, probability=probability, seed=seed)
            assert run.row.tolist() == [True] * 20 + [False] * 11
            assert run.binary.tolist() == [True, False, True, False, False]
            walk = [0, *itertools.accumulate(1 if b else -1 for b in run.row ^ run.row_flipped)]
            assert run.row_read == np.mean([n for n, f in enumerate(walk) if f == max(walk)])
            digits = "".join("01"[int(b)] for b in run.binary ^ run.binary_flipped)
            assert run.binary_read == int(digits, 2)
            now = np.append(run.row_flipped, run.binary_flipped)
            assert before is None and not now.any() or np.all(now >= before)
            before = now
        flipped += before
    most = noisy_codes(31, probability=0.0, seed=0)
    assert most.row.all() and most.binary.all() and most.row_read == most.binary_read == 31
    with pytest.raises(ParameterError, match="value must be at most 31 in size, got 32"):
        noisy_codes(32, probability=0.0, seed=0)
    # 120 of 400 each; of 36 counts one beyond 4.5 standard deviations has probability 3e-4
    assert np.all(np.abs(flipped - 120) < 4.5 * math.sqrt(400 * 0.3 * 0.7))
