"""The hash functions against big whole numbers in plain Python; how often they collide, exactly."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, chi2, ncx2

from course_lib.support import hashing
from course_lib.support.contracts import ParameterError
from course_lib.support.hashing import (
    check_embedding,
    check_hashes,
    draw_hashes,
    hash_places,
    hashes_apart,
    look_up,
    random_bits,
    set_bits,
)

LAST = 2**63 - 1
FAR_APART = [0, 1, 2, 3, 5, 1000, 2**31, 2**32 - 1, 2**53 + 1, 2**62, LAST - 2**40, LAST - 1, LAST]


def row_of(digit):
    """Which of a function's 64 numbers stands at a binary digit: bytes upwards, bits downwards."""
    return 8 * (digit // 8) + 7 - digit % 8


def plain_hash(index, function, size):
    digits = [digit for digit in range(64) if (2 * index + 1) >> digit & 1]
    return sum(int(function[row_of(digit)]) for digit in digits) % size


@pytest.mark.parametrize("size", [2, 3, 255, 256, 257, 1000, 65_537, 2**28 + 3, 2**33])
def test_all_indices_and_functions_at_once_are_one_after_the_other(size):
    hashes = draw_hashes(5, size, np.random.default_rng(size))
    hashes[:, 0] = size - 1  # the largest sums
    found = hash_places(np.array(FAR_APART), hashes, size)
    wanted = [[plain_hash(i, function, size) for function in hashes.T] for i in FAR_APART]
    assert found.tolist() == wanted
    assert hash_places(np.array(FAR_APART), hashes[:, 1:2], size)[:, 0].tolist() == [
        row[1] for row in wanted
    ]


@pytest.mark.parametrize("digits", range(1, 64))
def test_an_index_of_any_number_of_digits_has_its_hash_without_longer_ones_beside_it(digits):
    function = draw_hashes(1, 1001, np.random.default_rng(digits))
    for index in (2 ** (digits - 1), 2**digits - 1):
        found = hash_places(np.array([0, index]), function, 1001)
        assert found.tolist() == [[plain_hash(i, function[:, 0], 1001)] for i in (0, index)]


@pytest.mark.parametrize("size", [2, 3, 5, 6])
@pytest.mark.parametrize("digits", [(1, 2, 3), (1, 62, 63), (31, 32, 33)])
def test_of_all_functions_exactly_one_in_size_brings_two_indices_together(size, digits):
    """Indices that differ in three digits: all numbers there are tried, whatever the others are."""
    rng = np.random.default_rng(0)
    ones = itertools.product((0, 1), repeat=len(digits))
    common = sum(1 << digit for digit in range(1, 64, 3) if digit not in digits)
    indices = [
        (common + sum(one << digit for one, digit in zip(each, digits, strict=True))) // 2
        for each in ones
    ]
    assert max(indices) <= LAST and len(set(indices)) == 8
    functions = list(itertools.product(range(size), repeat=len(digits)))
    hashes = np.repeat(rng.integers(size, size=(64, 1)), len(functions), axis=1)
    hashes[[row_of(digit) for digit in digits]] = np.transpose(functions)
    places = hash_places(np.array(indices), hashes, size)
    for one, other in itertools.combinations(places, 2):
        assert np.sum(one == other) * size == len(functions)


@pytest.mark.parametrize("size", [3, 7, 10, 48, 100])
def test_drawn_functions_collide_once_in_size(size):
    """With confidence 1 - 1e-6 for all pairs; 2 / size, all that
    multiply-shift promises, would be seen but for one chance in 1e4.
    """
    functions = 20_000
    places = hash_places(
        np.array(FAR_APART), draw_hashes(functions, size, np.random.default_rng(size)), size
    )
    pairs = list(itertools.combinations(range(len(FAR_APART)), 2))
    level = 1e-6 / len(pairs)
    low, high = binom.ppf([level / 2, 1 - level / 2], functions, 1 / size)
    assert binom.cdf(high, functions, 2 / size) < 1e-4
    for one, other in pairs:
        assert low <= np.sum(places[one] == places[other]) <= high


@pytest.mark.parametrize("size", [3, 10, 256])
def test_the_numbers_of_a_function_are_uniform_below_size(size):
    """At level 1e-6; differences of 3 % would be seen but for one chance in 1e4."""
    hashes = draw_hashes(40_000, size, np.random.default_rng(1))
    assert hashes.shape == (64, 40_000) and hashes.dtype == np.uint8
    expected = hashes.size / size
    border = chi2.isf(1e-6, size - 1)
    assert ncx2.cdf(border, size - 1, hashes.size * 0.03**2) < 1e-4
    counts = np.bincount(hashes.ravel(), minlength=size)
    assert np.sum((counts - expected) ** 2) / expected < border


def test_functions_are_stored_in_as_few_bytes_as_their_numbers_need():
    sizes = {
        256: np.uint8,
        257: np.uint16,
        2**16: np.uint16,
        2**16 + 1: np.uint32,
        2**32: np.uint32,
        2**32 + 1: np.uint64,
    }
    for size, kind in sizes.items():
        assert draw_hashes(2, size, np.random.default_rng(0)).dtype == kind
        assert hashes_apart(2, size).dtype == kind


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint64, np.int64])
def test_64_rows_of_whole_numbers_are_hashes(kind):
    check_hashes(np.zeros((64, 3), kind))
    check_hashes(np.zeros((64, 0), kind))


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((64, 3)),
        np.zeros((64, 3), bool),
        np.zeros(64, int),
        np.zeros((64, 3, 1), int),
        np.zeros((63, 3), int),
        np.zeros((65, 3), int),
        np.zeros((64, 3), int).tolist(),
        None,
    ],
    ids=["floats", "bools", "one row", "three axes", "63 rows", "65 rows", "list", "nothing"],
)
def test_what_cannot_have_been_drawn_is_refused(wrong):
    with pytest.raises(ParameterError, match="hashes must be 64 rows of whole numbers, got "):
        check_hashes(wrong)


def test_bits_are_set_where_they_are_looked_up_and_nowhere_else():
    size, levels = 1001, 6
    rng = np.random.default_rng(3)
    hashes = draw_hashes(levels, size, rng)
    indices = np.array(FAR_APART)
    bits = np.array([set_bits(indices[b:], hashes[:, b : b + 1], size) for b in range(levels)])
    rows = np.unpackbits(bits, axis=1, bitorder="little")
    for b, row in enumerate(rows):
        wanted = {plain_hash(i, hashes[:, b], size) for i in FAR_APART[b:]}
        assert set(np.flatnonzero(row)) == wanted
    others = rng.integers(LAST, size=50)
    for index, read in zip(others, look_up(bits, others, hashes, size), strict=True):
        assert read.tolist() == [
            rows[b][plain_hash(int(index), hashes[:, b], size)] for b in range(levels)
        ]
    assert look_up(bits, indices[levels:], hashes, size).all()
    assert not set_bits(indices[:0], hashes[:, :1], size).any()


def test_work_in_pieces_is_that_in_one_piece(monkeypatch):
    """Of indices, of functions, of random bits: each piece counts, and none counts twice."""
    size, indices = 1001, np.array(FAR_APART)
    functions = draw_hashes(6, size, np.random.default_rng(4))

    def found():
        return (
            set_bits(indices, functions[:, :1], size).tolist(),
            hash_places(indices, functions, size).tolist(),
            random_bits(size, 0.3, np.random.default_rng(5)).tolist(),
        )

    whole = found()
    monkeypatch.setattr(hashing, "_INDICES", 3)
    monkeypatch.setattr(hashing, "_LEVELS", 4)
    monkeypatch.setattr(hashing, "_BITS", 16)
    assert found() == whole


@pytest.mark.parametrize("size", [7, 2**20, 2**21 + 9])
def test_every_random_bit_has_its_chance(size):
    """In each quarter, with confidence 1 - 1e-6; what pads the last byte is 0."""
    bits = np.unpackbits(random_bits(size, 0.3, np.random.default_rng(6)), bitorder="little")
    assert len(bits) == 8 * math.ceil(size / 8) and not bits[size:].any()
    for part in np.array_split(bits[:size], 4):
        low, high = binom.ppf([5e-7, 1 - 5e-7], len(part), 0.3)
        assert low <= part.sum() <= high


def test_what_is_embedded_is_0_or_greater():
    hashes = np.zeros((64, 1), np.uint8)
    check_embedding([0, 1, 2], [0.0, 5e-324, math.inf], hashes, 8)
    for wrong in (-5e-324, -1.0, math.nan):
        with pytest.raises(ParameterError, match="values must be 0 or greater, got "):
            check_embedding([0, 1], [1.0, wrong], hashes, 8)


def test_a_level_of_the_embedding_has_2_to_the_33_places_at_most():
    vector = [0], [1.0], np.zeros((64, 1), np.uint8)
    check_embedding(*vector, 2**33)
    with pytest.raises(ParameterError, match="size must be at most 8,589,934,592 here"):
        check_embedding(*vector, 2**33 + 1)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 2000])
def test_indices_that_are_kept_apart(size):
    hashes = hashes_apart(4, size)
    check_hashes(hashes)
    places = hash_places(np.arange(3 * size), hashes, size)
    assert (places == np.arange(3 * size)[:, None] % size).all()
