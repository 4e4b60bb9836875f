"""Runs of ALP for the pictures: what happens inside one, and the errors of many look-ups.

Everything is drawn from a seed, so that it can be kept while a slider moves to and fro.
"""

import functools
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from course_lib.alp import AlpRelease, alp1_estimator, alp_levels, alp_projection, check_sizes
from course_lib.exact.alp import DIGITS
from course_lib.lab.confidence import student_interval
from course_lib.support.contracts import (
    COUNT,
    NOT_NEGATIVE,
    NOT_NEGATIVES,
    POSITIVE,
    SHARES,
    WHOLE,
    ParameterError,
    checked_numbers,
    shown,
)
from course_lib.support.hashing import draw_hashes, hash_places, hashes_apart
from course_lib.support.vectors import check_vector

_CELLS = 2**24  # bits of an embedding, each of which has room as a number
_FEW = replace(COUNT, most=2.0**20)  # entries, or look-ups
_SIZES = replace(COUNT, data=True)
_ALPHAS = replace(POSITIVE, data=True)
_CODED = replace(WHOLE, most=2**DIGITS - 1, data=False)


def _check_cells(number, levels, name, value):
    if number * levels > _CELLS:
        raise ParameterError(
            f"{name} must make at most {_CELLS:,} bits here, on {levels:g} levels, "
            f"got {shown(value)}"
        )


def small_release(indices, values, *, dimension, sparsity, size, cap, alpha, epsilon, rng):
    """What alp_projection gives with the same numbers drawn: all levels at once, so faster.

    For tables of which every bit has room as a number.
    """
    check_sizes(sparsity, size, cap, alpha, epsilon)
    levels = int(alp_levels(cap=cap, alpha=alpha, epsilon=epsilon))
    _check_cells(size, levels, "size", size)
    hashes = draw_hashes(levels, size, rng)
    exact = np.minimum(values * epsilon / alpha, levels)
    rounded = np.floor(exact) + (rng.random(len(exact)) < exact % 1)
    rows, columns = np.nonzero(np.arange(levels) < rounded[:, None])
    table = np.zeros((levels, size), dtype=bool)
    table[columns, hash_places(indices, hashes, size)[rows, columns]] = True
    table ^= rng.random((levels, size)) < 1 / (alpha + 2)
    bits = np.packbits(table, axis=1, bitorder="little")
    return AlpRelease(dimension, sparsity, size, cap, alpha, epsilon, "l1", hashes, bits)


class Embedding(NamedTuple):
    """A release and what it does not tell. Tables have a row for each place."""

    release: AlpRelease
    exact: np.ndarray  # of each index, in levels
    rounded: np.ndarray
    places: np.ndarray  # a row for each index, a column for each level
    number: np.ndarray  # how many entries set each bit of z
    flipped: np.ndarray

    def wrong_bits(self, entry):
        """Which of the bits that the look-up of an entry reads are wrong: by a flip, by another."""
        place, column = self.places[entry], np.arange(self.number.shape[1])
        wrong = self.release.table[place, column] != (column < self.rounded[entry])
        flip = self.flipped[place, column]
        return wrong & flip, wrong & ~flip


@checked_numbers(values=NOT_NEGATIVES)
def embed(indices, values, *, dimension, size, cap, alpha, epsilon, seed):
    """ALP on a vector, and what happened inside. A value of 0 is looked up, but not embedded."""
    check_vector(indices, values, dimension)
    indices, entries = np.asarray(indices), np.greater(values, 0)
    if not entries.any():
        raise ParameterError(f"values must have one that is positive, got {shown(values)}")
    check_sizes(np.sum(entries), size, cap, alpha, epsilon)
    _check_cells(size, alp_levels(cap=cap, alpha=alpha, epsilon=epsilon), "size", size)
    release = alp_projection(
        indices[entries], values[entries], dimension=dimension, sparsity=np.sum(entries), size=size,
        cap=cap, alpha=alpha, epsilon=epsilon, rng=np.random.default_rng(seed),
    )  # fmt: skip
    levels = len(release.bits)
    rng = np.random.default_rng(seed)  # the same numbers once more: hash functions, then rounding
    hashes = draw_hashes(levels, size, rng)
    exact = np.minimum(values * epsilon / alpha, levels)
    rounded = np.floor(exact)
    rounded[entries] += rng.random(np.sum(entries)) < exact[entries] % 1
    places = hash_places(indices, hashes, size)
    rows, columns = np.nonzero(np.arange(levels) < rounded[:, None])
    number = np.zeros((size, levels), dtype=int)
    np.add.at(number, (places[rows, columns], columns), 1)
    return Embedding(release, exact, rounded, places, number, release.table != (number > 0))


class NoisyCodes(NamedTuple):
    """A number written in two ways, some of whose bits are flipped, and what is read then."""

    row: np.ndarray  # the ones first, as many as the number
    row_flipped: np.ndarray
    row_read: float
    binary: np.ndarray  # the highest digit first
    binary_flipped: np.ndarray
    binary_read: int


@checked_numbers(value=_CODED, probability=replace(SHARES, data=False))
def noisy_codes(value, *, probability, seed):
    """A whole number below 32 as a row of ones and in binary, with the same noise for any rate."""
    rng, length = np.random.default_rng(seed), 2**DIGITS - 1
    row_flipped = rng.random(length) < probability
    binary_flipped = rng.random(DIGITS) < probability
    row, weights = np.arange(length) < value, 2 ** np.arange(DIGITS)[::-1]
    binary = value & weights > 0
    bits = np.packbits((row ^ row_flipped)[:, None], axis=1, bitorder="little")
    read = alp1_estimator(bits, hashes_apart(length, 1), np.array([0]), size=1, alpha=1.0)
    return NoisyCodes(
        row, row_flipped, float(read[0]),
        binary, binary_flipped, int(weights[binary ^ binary_flipped].sum()),
    )  # fmt: skip


class LookUps(NamedTuple):
    """Look-ups of one value, each with its own bits."""

    rounded: int  # the value of the first, in levels
    walk: np.ndarray  # of the first, f(0) to f(m)
    estimates: np.ndarray  # of all


@checked_numbers(value=NOT_NEGATIVE, levels=COUNT)
@functools.lru_cache(maxsize=64)
def look_ups(value, *, number, levels, alpha, epsilon, seed):
    """ALP on many entries of this value that do not collide."""
    _check_cells(number, levels, "number", number)
    rng, exact = np.random.default_rng(seed), min(value * epsilon / alpha, levels)
    rounded = np.floor(exact) + (rng.random(number) < exact % 1)
    flips = rng.random((levels, number)) < 1 / (alpha + 2)
    # The bits of alp1_projection, all levels at once: entry i has place i to itself.
    table = (rounded > np.arange(levels)[:, None]) ^ flips
    bits, hashes = np.packbits(table, axis=1, bitorder="little"), hashes_apart(levels, number)
    estimates = alp1_estimator(bits, hashes, np.arange(number), size=number, alpha=alpha) / epsilon
    walk = np.append(0, np.cumsum(np.where(table[:, 0], 1, -1)))
    return LookUps(int(rounded[0]), walk, estimates)


@checked_numbers(value=NOT_NEGATIVE)
def errors_alone(value, *, alpha, epsilon, seed):
    """The errors of many entries of one value that do not collide, far below the cap."""
    reach = 10 * ((alpha + 2) / alpha) ** 2  # few walks go further: r^reach is about exp(-5)
    levels = math.ceil(value * epsilon / alpha + reach)
    _check_cells(500, levels, "alpha", alpha)
    number = min(500, 150_000 // levels)  # 250 at alpha = 0.3, 122 at alpha = 0.2, value = 10
    run = look_ups(value, number=number, levels=levels, alpha=alpha, epsilon=epsilon, seed=seed)
    return np.abs(run.estimates - value)


@checked_numbers(values=NOT_NEGATIVES, alphas=_ALPHAS)
def errors_by_alpha(values, *, zeros, size, cap, alphas, seed):
    """The errors of these entries, or of as many zeros, in one release for each alpha.

    At epsilon = 1. Another scale embeds the same numbers, if entries and cap are given after
    scaling, so that it divides the errors.
    """
    if np.ndim(values) != 1 or np.ndim(alphas) != 1:
        raise ParameterError(f"values and alphas must be lists, got {shown(values)}")
    return _errors_by_alpha(
        tuple(values.tolist()), bool(zeros), size, cap, tuple(alphas.tolist()), seed
    ).copy()


@functools.lru_cache(maxsize=32)
def _errors_by_alpha(values, zeros, size, cap, alphas, seed):
    rng, number, dimension = np.random.default_rng(seed), len(values), 10**9
    values = np.array(values)
    places = rng.choice(dimension, size=2 * number, replace=False)
    inside, outside = places[:number], places[number:]
    errors = []
    for alpha in alphas:
        release = small_release(
            inside, values, dimension=dimension, sparsity=number, size=size, cap=cap, alpha=alpha,
            epsilon=1.0, rng=rng,
        )  # fmt: skip
        errors.append(
            release.estimate(outside) if zeros else np.abs(release.estimate(inside) - values)
        )
    return np.array(errors)


@checked_numbers(ratio=NOT_NEGATIVE)
def table_size(sparsity, ratio):
    """The size of a table of this many places an entry; the smallest has more than two."""
    return max(2 * sparsity + 1, round(ratio * sparsity))


@checked_numbers(number=_FEW)
def crowded_values(number, *, cap):
    """A vector for which collisions count: all at the cap but a tenth, at least one, at half."""
    half = max(1, number // 10)
    return np.repeat([cap, cap / 2], [number - half, half])


@functools.lru_cache(maxsize=64)
def crowded_errors(number, *, zeros, releases, sparsity, size, cap, alpha, epsilon, seed):
    """Mean errors in releases of crowded_values: of zeros, and of the entries at half the cap.

    A column for each release. More entries than `sparsity` may be given.
    """
    rng, values = np.random.default_rng(seed), crowded_values(number, cap=cap)
    tenth, means = np.count_nonzero(values < cap), []
    dimension = 10**18  # any will do
    for _ in range(releases):
        places = rng.choice(dimension, number + zeros, replace=False)
        release = small_release(
            places[:number], values, dimension=dimension, sparsity=sparsity, size=size, cap=cap,
            alpha=alpha, epsilon=epsilon, rng=rng,
        )  # fmt: skip
        estimates = release.estimate(places[number - tenth :])
        means.append([estimates[tenth:].mean(), np.abs(estimates[:tenth] - cap / 2).mean()])
    return np.transpose(means)


@checked_numbers(expected=NOT_NEGATIVES, number=_FEW, sizes=_SIZES)
def crowded_intervals(expected, *, number, sparsity, sizes, cap, alpha, epsilon, seed):
    """The means of crowded_errors, times epsilon, and half of their 95% intervals.

    A row for zeros, one for entries at half the cap; a column for each of the sizes. NaN where a
    mean says little: of fewer than 5 entries a release, and where all look-ups agree, but not with
    the `expected` error, because they missed what is rare.
    """
    if np.ndim(sizes) != 1 or np.shape(expected) != (2, len(sizes)):
        raise ParameterError(f"sizes must be as many as columns of expected, got {shown(sizes)}")
    found = [
        crowded_errors(
            number, zeros=300, releases=6, sparsity=sparsity, size=size, cap=cap, alpha=alpha,
            epsilon=epsilon, seed=seed,
        )
        for size in sizes.tolist()
    ]  # fmt: skip
    mean, margin = np.moveaxis([student_interval(epsilon * errors) for errors in found], 0, -1)
    vague = (margin < 1e-9) & (np.abs(mean - expected) > 1e-9)
    vague[1] |= np.count_nonzero(crowded_values(number, cap=cap) < cap) < 5
    return np.where(vague, np.nan, mean), np.where(vague, np.nan, margin)
