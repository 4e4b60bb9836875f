"""The exact law of ALP's estimate, for every pattern of bits at once."""

import functools
import itertools

import numpy as np

from course_lib.alp import check_embedding
from course_lib.alp_bounds import (
    alp_levels,
    alp_scale,
    check_not_negative,
    threshold_level,
    threshold_parts,
)
from course_lib.support.contracts import ParameterError, check_positive, checked, shown
from course_lib.support.hashing import set_bits

_MOST_LEVELS = 40


@checked
def walk_law(ones):
    """The law of the average of the arguments that maximise the walk.

    ones[..., b] is the chance that bit b is 1, the bits being independent. Returns the averages,
    in increasing order, and their probabilities, along the last axis. The walk is followed step by
    step; all that counts of its past is how far below its maximum it is, at how many places it was
    there, and their sum.
    """
    if np.ndim(ones) == 0:
        raise ParameterError(f"ones must have a chance for each level, got {shown(ones)}")
    ones = np.asarray(ones, dtype=float)
    levels = ones.shape[-1]
    if not 1 <= levels <= _MOST_LEVELS:
        raise ParameterError(f"ones must have 1 to {_MOST_LEVELS} levels, got {levels}")
    chances = ones.reshape(-1, levels)
    states, law = np.array([[0, 1, 0]]), np.ones((1, len(chances)))
    for b in range(1, levels + 1):
        depth, count, total = states.T
        higher, equal = depth == 0, depth == 1
        up = np.stack(
            [
                np.maximum(depth - 1, 0),
                np.where(higher, 1, count + equal),
                np.where(higher, b, total + b * equal),
            ],
            axis=1,
        )
        down = states + [1, 0, 0]
        sunk = levels - b + 1  # what cannot reach its maximum again differs no more
        down[:, 0] = np.minimum(down[:, 0], sunk)
        chance = chances[:, b - 1]
        states, law = _merged(
            np.concatenate([up, down]), np.concatenate([law * chance, law * (1 - chance)])
        )
    averages, law = _merged((states[:, 2] / states[:, 1])[:, None], law)
    return averages[:, 0], law.T.reshape(ones.shape[:-1] + (len(averages),))


def _merged(rows, law):
    """The distinct rows, in order, each with the sum of its probabilities."""
    order = np.lexsort(rows.T[::-1])
    rows, law = rows[order], law[order]
    first = np.append(True, np.any(rows[1:] != rows[:-1], axis=1))
    return rows[first], np.add.reduceat(law, np.flatnonzero(first), axis=0)


@functools.lru_cache(maxsize=64)
def _level_laws(alpha, loads):
    """For each rounded value from 0 to the number of levels, the law of the estimate, in levels."""
    flip, levels = 1 / (alpha + 2), len(loads)
    rounded = np.arange(levels + 1)[:, None]
    reached = np.arange(levels) < rounded
    return walk_law(np.where(reached, 1 - flip, flip + np.array(loads) * (1 - 2 * flip)))


def _check_law(values, alpha):
    check_positive(alpha)
    check_not_negative(values)


@checked(also=_check_law)
def alp_law(values, *, load=0.0, cap, alpha, epsilon, neighbours="l1"):
    """The estimates that ALP can give, and for each of the values the probability of each.

    Exact if a level of the look-up collides with probability `load`: one number for all levels, or
    one for each.
    """
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    levels = alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    if levels > _MOST_LEVELS:
        raise ParameterError(
            f"cap must be at most {_MOST_LEVELS} levels here, got {levels:g}: "
            f"cap = {float(cap):g}, alpha = {float(alpha):g}, epsilon = {float(epsilon):g}"
        )
    levels = int(levels)
    if np.shape(load) not in ((), (levels,)):
        raise ParameterError(f"load must be one number or {levels}, got {np.size(load)}")
    averages, laws = _level_laws(float(alpha), tuple(np.broadcast_to(load, levels).tolist()))
    exact = np.minimum(np.asarray(values, dtype=float) * scale / alpha, levels)
    below = np.minimum(np.floor(exact).astype(int), levels - 1)
    share = (exact - below)[..., None]
    return averages * alpha / scale, (1 - share) * laws[below] + share * laws[below + 1]


def alp_exact_error(values, *, load=0.0, cap, alpha, epsilon, neighbours="l1"):
    """The expected error of entries of these values; exact as far as alp_law is."""
    estimates, law = alp_law(
        values, load=load, cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours
    )
    return np.sum(law * np.abs(estimates - np.asarray(values)[..., None]), axis=-1)


@checked
def threshold_alp_exact_error(values, *, dimension, load=0.0, alpha, epsilon1, epsilon2):
    """The expected error of entries of these values after Threshold-ALP; exact as alp_law is."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    lost, noise = threshold_parts(values, level, epsilon1)
    return noise + lost * alp_exact_error(
        values, load=load, cap=level, alpha=alpha, epsilon=epsilon2
    )


@checked(also=check_embedding, apart=["values"])
def embedding_law(indices, values, hashes, *, size, alpha):
    """The probability of each embedding that ALP1 can give: 2^(levels · size) of them.

    The bit of level 0, place 0 is the highest digit of an embedding's number.
    """
    indices, levels = np.asarray(indices), hashes.shape[1]
    if levels * size > 20:
        raise ParameterError(f"levels times size must be at most 20 bits, got {levels * size}")
    exact = np.minimum(np.asarray(values, dtype=float) / alpha, levels)
    law = np.zeros(2 ** (levels * size))
    for up in itertools.product((False, True), repeat=len(exact)):
        chance = np.prod(np.where(up, exact % 1, 1 - exact % 1))
        rounded = np.floor(exact) + up
        rows = [set_bits(indices[rounded > b], hashes[:, b : b + 1], size) for b in range(levels)]
        table = np.unpackbits(rows, axis=1, count=size, bitorder="little")
        ones = np.where(table, alpha + 1, 1).ravel() / (alpha + 2)
        law += chance * functools.reduce(np.multiply.outer, np.stack([1 - ones, ones], 1)).ravel()
    return law
