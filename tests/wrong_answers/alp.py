"""Answers to the exercises of notebook 08 that an earlier check has met, or that are like them."""

import math

import numpy as np

from course_lib.checks.solutions import alp as solutions


def fixed_number(bits, cost, rng):
    """As many flips as are expected, at random places: not independent."""
    flipped = bits.copy().ravel()
    number = round(bits.size / (math.exp(cost) + 1))
    places = rng.permutation(bits.size)[:number]
    flipped[places] ^= 1
    return flipped.reshape(bits.shape)


def forgets_the_last_column(bits, cost, rng):
    flipped = solutions.flip(bits, cost, rng)
    flipped[:, -1] = bits[:, -1]
    return flipped


def never_together(bits, cost, rng):
    flips = solutions.flip(bits, cost, rng) ^ bits
    return bits ^ (flips if flips.sum() < 2 else 0 * flips)


def into_the_type_of(make):
    """Right, but written into an array that is made like the values."""

    def round_at_random(values, step, rng):
        result = make(values)
        result[:] = solutions.round_at_random(values, step, rng)
        return result

    return round_at_random


def only_different_ones(values, step, rng):
    different, at = np.unique(values, return_inverse=True)
    return solutions.round_at_random(different, step, rng)[at]


def apart(values, cap, alpha, sensitivity, epsilon, alp1):
    """Zeros and others in two calls: how many there are is private."""
    result = np.empty(len(values))
    for chosen in (values == 0, values != 0):
        result[chosen] = solutions.alp(values[chosen], cap, alpha, sensitivity, epsilon, alp1)
    return result


def equal_ones_once(values, *given):
    different, at = np.unique(values, return_inverse=True)
    return solutions.alp(different, *given)[at]


WRONG = {
    "flip": {
        "a fixed number": fixed_number,
        "forgets the last column": forgets_the_last_column,
        "never two together": never_together,
        "p a shade too large": lambda bits, cost, rng: (
            bits ^ (rng.random(bits.shape) < 1 / (np.exp(cost) + 1) + 0.011)
        ),
    },
    "round_at_random": {
        "a power of the fraction": lambda values, step, rng: (
            step * (values // step + (rng.random(values.shape) < (values / step % 1) ** 0.95))
        ),
        "zeros_like": into_the_type_of(np.zeros_like),
        "empty_like": into_the_type_of(np.empty_like),
        "copy": into_the_type_of(np.copy),
        "equal ones together": only_different_ones,
        "one alone is a number": lambda values, step, rng: (
            solutions.round_at_random(values, step, rng) if len(values) > 1 else 0.0
        ),
    },
    "estimate": {
        "rounded": lambda bits: round(solutions.estimate(bits)),
        "before the first 0": lambda bits: np.append(bits, 0).argmin(),
    },
    "alp": {
        "zeros apart": apart,
        "equal ones once": equal_ones_once,
        "a cap that is enough": lambda values, cap, *given: solutions.alp(
            values, min(cap, values.max()), *given
        ),
        "at most 1": lambda values, cap, alpha, sensitivity, epsilon, alp1: solutions.alp(
            values, cap, alpha, max(sensitivity, epsilon), epsilon, alp1
        ),
    },
    "my_table": {
        "of numbers": lambda levels, places, size: [levels, places, size],
    },
}
