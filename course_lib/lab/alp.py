"""Runs of ALP for the pictures: what happens inside one, and the errors of many look-ups.

Everything is drawn from a seed, so that it can be kept while a slider moves to and fro.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from course_lib.alp import AlpRelease, alp1_estimator, alp_projection
from course_lib.support.hashing import draw_hashes, hash_places, hashes_apart


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


def embed(indices, values, *, dimension, size, cap, alpha, epsilon, seed):
    """ALP on a vector, and what happened inside. A value of 0 is looked up, but not embedded."""
    entries = values > 0
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


class LookUps(NamedTuple):
    """Look-ups of one value, each with its own bits."""

    rounded: int  # the value of the first, in levels
    walk: np.ndarray  # of the first, f(0) to f(m)
    estimates: np.ndarray  # of all


@functools.lru_cache(maxsize=64)
def look_ups(value, *, number, levels, alpha, epsilon, seed):
    """ALP on many entries of this value that do not collide."""
    rng, exact = np.random.default_rng(seed), min(value * epsilon / alpha, levels)
    rounded = np.floor(exact) + (rng.random(number) < exact % 1)
    flips = rng.random((levels, number)) < 1 / (alpha + 2)
    # The bits of alp1_projection, all levels at once: entry i has place i to itself.
    table = (rounded > np.arange(levels)[:, None]) ^ flips
    bits, hashes = np.packbits(table, axis=1, bitorder="little"), hashes_apart(levels, number)
    estimates = alp1_estimator(bits, hashes, np.arange(number), size=number, alpha=alpha) / epsilon
    walk = np.append(0, np.cumsum(np.where(table[:, 0], 1, -1)))
    return LookUps(int(rounded[0]), walk, estimates)


def errors_alone(value, *, alpha, epsilon, seed):
    """The errors of many entries of one value that do not collide, far below the cap."""
    reach = 10 * ((alpha + 2) / alpha) ** 2  # few walks go further: r^reach is about exp(-5)
    levels = math.ceil(value * epsilon / alpha + reach)
    number = min(500, 150_000 // levels)  # 250 at alpha = 0.3, 122 at alpha = 0.2, value = 10
    run = look_ups(value, number=number, levels=levels, alpha=alpha, epsilon=epsilon, seed=seed)
    return np.abs(run.estimates - value)


@functools.lru_cache(maxsize=32)
def errors_by_alpha(values, *, zeros, size, cap, alphas, seed):
    """The errors of these entries, or of as many zeros, in one release for each alpha.

    At epsilon = 1. Another scale embeds the same numbers, if entries and cap are given after
    scaling, so that it divides the errors.
    """
    rng, number, dimension = np.random.default_rng(seed), len(values), 10**9
    places = rng.choice(dimension, size=2 * number, replace=False)
    inside, outside = places[:number], places[number:]
    errors = []
    for alpha in alphas:
        release = alp_projection(
            inside, values, dimension=dimension, sparsity=number, size=size, cap=cap, alpha=alpha,
            epsilon=1.0, rng=rng,
        )  # fmt: skip
        errors.append(
            release.estimate(outside) if zeros else np.abs(release.estimate(inside) - values)
        )
    return np.array(errors)


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
        release = alp_projection(
            places[:number], values, dimension=dimension, sparsity=sparsity, size=size, cap=cap,
            alpha=alpha, epsilon=epsilon, rng=rng,
        )  # fmt: skip
        estimates = release.estimate(places[number - tenth :])
        means.append([estimates[tenth:].mean(), np.abs(estimates[:tenth] - cap / 2).mean()])
    return np.transpose(means)
