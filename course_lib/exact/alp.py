"""The exact law of ALP's estimate, for every pattern of bits at once, and what follows from it."""

import functools
import itertools

import numpy as np

from course_lib.alp import (
    alp_equation1,
    alp_expected_error,
    alp_levels,
    alp_scale,
    alp_zero_error,
)
from course_lib.support.contracts import (
    NOT_NEGATIVES,
    POSITIVE,
    ParameterError,
    check_single,
    checked_arrays,
    checked_numbers,
    shown,
)
from course_lib.support.hashing import check_embedding, hashes_apart, set_bits
from course_lib.support.products import one_thread_product
from course_lib.support.vectors import as_numbers

_MOST_LEVELS = 40
DIGITS = 5  # a number below 32 in binary; as a row of ones it takes 31 bits
_MOST_BITS, MOST_ENTRIES = 12, 4  # of which all outputs are visited


@checked_arrays
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
    averages, steps, end = _walk_states(levels)
    law = np.ones((1, len(chances)))
    for chance, (order, first) in zip(chances.T, steps, strict=True):
        law = np.concatenate([law * chance, law * (1 - chance)])
        law = np.add.reduceat(law[order], first, axis=0)
    order, first = end
    law = np.add.reduceat(law[order], first, axis=0)
    return averages.copy(), law.T.reshape(ones.shape[:-1] + (len(averages),))


@functools.lru_cache(maxsize=_MOST_LEVELS)
def _walk_states(levels):
    """The averages that a walk can have, and how its states merge, after each step and at the end.

    After a step those that went up stand before those that went down; put in order, equal states
    begin at the places `first`. At the end, states of equal average merge.
    """
    states, steps = np.array([[0, 1, 0]]), []
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
        states, merge = _merged(np.concatenate([up, down]))
        steps.append(merge)
    averages, end = _merged((states[:, 2] / states[:, 1])[:, None])
    return averages[:, 0], steps, end


def _merged(rows):
    """The distinct rows, in order, and for this the order of all, and where equal ones begin."""
    order = np.lexsort(rows.T[::-1])
    rows = rows[order]
    first = np.flatnonzero(np.append(True, np.any(rows[1:] != rows[:-1], axis=1)))
    return rows[first], (order, first)


@functools.lru_cache(maxsize=64)
def _level_laws(alpha, loads, rounded):
    """For each row of loads, and each rounded value, the law of the estimate, in levels."""
    flip, levels = 1 / (alpha + 2), len(loads[0])
    reached = np.arange(levels) < np.array(rounded)[:, None]
    missed = flip + np.array(loads)[:, None] * (1 - 2 * flip)
    return walk_law(np.where(reached, 1 - flip, missed))


def _laws(values, loads, alpha, scale):
    """The estimates, and for each row of loads and each of the values the law of its estimate."""
    levels = len(loads[0])
    exact = np.minimum(values * scale / alpha, levels)
    below = np.floor(exact).astype(int)
    rounded = np.unique([below, below + 1])
    averages, laws = _level_laws(
        float(alpha), tuple(map(tuple, loads.tolist())), tuple(rounded.tolist())
    )
    place, share = np.searchsorted(rounded, below), (exact - below)[..., None]
    law = (1 - share) * laws[:, place] + share * laws[:, place + 1]
    return averages * alpha / scale, law


def _few_levels(cap, alpha, epsilon, neighbours="l1"):
    check_single(cap=cap, alpha=alpha, epsilon=epsilon)
    levels = alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    if levels > _MOST_LEVELS:
        raise ParameterError(
            f"cap must be at most {_MOST_LEVELS} levels here, got {levels:g}: "
            f"cap = {cap:g}, alpha = {alpha:g}, epsilon = {epsilon:g}"
        )
    return int(levels)


def _check_code(value):
    if not (value >= 0 and value < 2**DIGITS and value % 1 == 0):
        raise ParameterError(f"value must be a whole number from 0 to 31, got {shown(value)}")


@checked_numbers(also=_check_code)
def code_errors(probabilities, *, value):
    """The expected error of a number read from a row of ones, and from its binary digits.

    The row is read by its walk. For each of the probabilities with which every bit is flipped.
    """
    flips, row = np.asarray(probabilities)[..., None], np.arange(2**DIGITS - 1) < value
    averages, law = walk_law(np.where(row, 1 - flips, flips))
    wrong = np.arange(2**DIGITS)  # binary, the digits that are flipped
    number = np.bitwise_count(wrong)
    chances = flips**number * (1 - flips) ** (DIGITS - number)
    of_binary = np.abs((wrong ^ int(value)) - value)
    of_row = one_thread_product(law, np.abs(averages - value))
    return of_row, one_thread_product(chances, of_binary)


@checked_arrays(values=NOT_NEGATIVES)
def alp_law(values, *, load=0.0, cap, alpha, epsilon, neighbours="l1"):
    """The estimates that ALP can give, and for each of the values the probability of each.

    Exact if a level of the look-up collides with probability `load`: one number for all levels, or
    one for each.
    """
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    levels = _few_levels(cap, alpha, epsilon, neighbours)
    if np.shape(load) not in ((), (levels,)):
        raise ParameterError(f"load must be one number or {levels}, got {np.size(load)}")
    estimates, law = _laws(values, np.broadcast_to(load, (1, levels)), alpha, scale)
    return estimates, law[0]


@checked_arrays(values=NOT_NEGATIVES)
def alp_exact_error(values, *, load=0.0, cap, alpha, epsilon, neighbours="l1"):
    """The expected error of entries of these values; exact as far as alp_law is."""
    estimates, law = alp_law(
        values, load=load, cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours
    )
    return np.sum(law * np.abs(estimates - values[..., None]), axis=-1)


@checked_arrays(values=NOT_NEGATIVES)
def collision_probabilities(values, *, size, cap, alpha, epsilon):
    """For each level the probability that a look-up meets the bit of an entry of these values.

    Exact if hash functions are wholly random. Of an array of sizes there is a row for each.
    """
    levels = _few_levels(cap, alpha, epsilon)
    values, counts = np.unique(values, return_counts=True)
    exact = values * epsilon / alpha
    reach = np.clip(exact[:, None] - np.arange(levels), 0, 1)  # by random rounding
    size = size[..., None, None]
    with np.errstate(divide="ignore"):  # who has the only place is always met
        missed = np.log1p(-reach / size)
    return -np.expm1(np.sum(counts[:, None] * missed, axis=-2))


@checked_arrays(values=NOT_NEGATIVES)
def alp_error_among(values, others, *, size, cap, alpha, epsilon):
    """The expected error of an entry of each of these values, in a vector with these others.

    As exact as collision_probabilities. Of an array of sizes there is a row for each.
    """
    if not np.all(as_numbers(others, "others") >= 0):
        raise ParameterError(f"others must be 0 or greater, got {shown(others)}")
    loads = np.zeros((np.size(size), _few_levels(cap, alpha, epsilon)))
    if np.size(others):
        loads[:] = collision_probabilities(others, size=size, cap=cap, alpha=alpha, epsilon=epsilon)
    estimates, law = _laws(values, loads, alpha, epsilon)
    errors = np.sum(law * np.abs(estimates - values[..., None]), axis=-1)
    return errors.reshape(np.shape(size) + np.shape(values))[()]


@checked_arrays
def alp_largest_estimate(*, cap, alpha, epsilon, neighbours="l1"):
    """What ALP says if the walk is highest at its end: all estimates lie between 0 and this."""
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    return alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours) * alpha / scale


@checked_arrays(values=NOT_NEGATIVES)
def alp_error_bound(values, *, load=0.0, cap, alpha, epsilon, neighbours="l1"):
    """What the theorems promise of entries of these values: zeros, others, and beyond the cap."""
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    beyond = np.maximum(0, values - cap)
    positive = alp_expected_error(load=load, alpha=alpha, epsilon=scale) + beyond
    return np.where(values > 0, positive, alp_zero_error(load=load, alpha=alpha, epsilon=scale))


@checked_arrays
def equation1_error(*, zero=False, alpha, epsilon):
    """What Equation 1 promises of an entry up to the cap, or of a zero, which is never rounded."""
    return alpha * ((0 if zero else 0.5) + alp_equation1(alpha=alpha)) / epsilon


@checked_arrays
def equation1_crossing(*, alpha):
    """The epsilon beyond which Equation 1 promises less error without scaling than with this alpha.

    Without scaling alpha is epsilon, and whole counts are not rounded.
    """
    return 16 * alpha / (alpha**2 + 16)


@checked_arrays
def three_scalings(*, alpha, epsilon):
    """Scale and alpha if values are not scaled, scaled by epsilon, and by e^epsilon - 1.

    Not to scale, and to flip with p = 1/(epsilon + 2), is ALP with alpha = epsilon. The third takes
    an alpha that allows its scale.
    """
    with np.errstate(over="ignore"):  # beyond 700 it is no float any more, but infinite
        wide = np.expm1(epsilon)
    return (epsilon, epsilon), (epsilon, alpha), (wide, np.maximum(alpha, wide))


@checked_arrays(alphas=POSITIVE)
def least_bound(bound, alphas):
    """Where on this axis of alpha a bound is least, and how small it is there.

    The best of the axis, and then 3 per cent to its left and right.
    """
    if np.ndim(alphas) != 1:
        raise ParameterError(f"alphas must be a list of numbers, got {shown(alphas)}")
    best = alphas[np.argmin(bound(alphas))]
    near = np.clip(best * np.geomspace(0.97, 1.03, 301), alphas[0], alphas[-1])
    values = bound(near)
    return near[np.argmin(values)], np.min(values)


@checked_arrays(estimates=NOT_NEGATIVES)
def nearest_level(estimates, *, alpha, epsilon):
    """The level that each estimate is nearest to; half a level counts up."""
    levels = np.floor(estimates * epsilon / alpha + 0.5 + 1e-9)
    if np.any(levels > 2**53):
        raise ParameterError(f"estimates must lie on at most 2^53 levels, got {shown(estimates)}")
    return levels.astype(int)


@checked_numbers(values=None)
def embedding_law(indices, values, hashes, *, size, alpha):
    """The probability of each embedding that ALP1 can give: 2^(levels · size) of them.

    The bit of level 0, place 0 is the highest digit of an embedding's number.
    """
    check_embedding(indices, values, hashes, size)
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


@checked_numbers
@functools.lru_cache(maxsize=128)
def enumerated_loss(*, entries, alpha, epsilon):
    """The largest log-ratio over all outputs, when each entry goes from 0 to 1/entries.

    There are as many levels as that needs; nan where the outputs are too many.
    """
    levels = int(np.ceil(epsilon / entries / alpha))
    if entries > MOST_ENTRIES or entries * levels > _MOST_BITS:
        return np.nan
    hashes, indices = hashes_apart(levels, entries), np.arange(entries)
    before = embedding_law([], [], hashes, size=entries, alpha=alpha)  # zeros are not in the vector
    after = embedding_law(
        indices, np.full(entries, epsilon / entries), hashes, size=entries, alpha=alpha
    )
    return np.abs(np.log(after / before)).max()
