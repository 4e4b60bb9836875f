"""Answers to the exercises of notebook 08: wrong ones, and right ones in unusual styles."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import optimize, stats

from course_lib.checks.solutions import alp as solutions

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def never_together(bits, cost, rng):
    flips = solutions.flip(bits, cost, rng) ^ bits
    return bits ^ (flips if flips.sum() < 2 else 0 * flips)


def of_rate(change):
    """Flips with a changed probability."""
    return lambda bits, cost, rng: (
        bits ^ (rng.random(bits.shape) < change(1 / (math.exp(cost) + 1), rng))
    )


def flips_in_place(bits, *given):
    bits[:] = solutions.flip(bits, *given)
    return bits


WRONG["flip"] = {
    "in place": flips_in_place,
    "never two together": never_together,
    "p a shade too large": lambda bits, cost, rng: (
        bits ^ (rng.random(bits.shape) < 1 / (np.exp(cost) + 1) + 0.011)
    ),
    "one row": lambda *given: solutions.flip(*given).ravel(),
    "p is random": of_rate(lambda p, rng: p + rng.uniform(-0.03, 0.03)),
    "p is at most 0.4": of_rate(lambda p, rng: min(0.4, p)),
    "p of two decimals": of_rate(lambda p, rng: round(p, 2)),
}


def bit_by_bit(bits, cost, rng):
    keep = math.exp(cost) / (math.exp(cost) + 1)
    return [[int(b) if rng.random() < keep else 1 - int(b) for b in row] for row in bits]


def from_scipy(bits, cost, rng):
    rate = np.where(bits == 1, math.exp(cost), 1) / (1 + math.exp(cost))
    return stats.bernoulli(rate).rvs(random_state=rng)


def by_columns(bits, cost, rng):
    coins = rng.binomial(1, 1 / (math.exp(cost) + 1), size=bits.T.shape).T
    return np.abs(bits.astype(float) - coins)


RIGHT["flip"] = {
    "bit by bit, lists": bit_by_bit,
    "frozen distribution": from_scipy,
    "by columns, floats": by_columns,
}


def into_zeros_like(values, step, rng):
    result = np.zeros_like(values)
    result[:] = solutions.round_at_random(values, step, rng)
    return result


def only_different_ones(values, step, rng):
    different, at = np.unique(values, return_inverse=True)
    return solutions.round_at_random(different, step, rng)[at]


WRONG["round_at_random"] = {
    "a power of the fraction": lambda values, step, rng: (
        step * (values // step + (rng.random(values.shape) < (values / step % 1) ** 0.95))
    ),
    "zeros_like": into_zeros_like,
    "equal ones together": only_different_ones,
    "one alone is a number": lambda values, step, rng: (
        solutions.round_at_random(values, step, rng) if len(values) > 1 else 0.0
    ),
}


RIGHT["round_at_random"] = {
    "up, and backwards": lambda values, step, rng: (
        step * np.ceil(values[::-1] / step - rng.random(values.shape))[::-1]
    ),
}


def accumulated(bits):
    walk = list(itertools.accumulate((1 if bit else -1 for bit in bits), initial=0))
    places = [n for n, height in enumerate(walk) if height == max(walk)]
    return Fraction(sum(places), len(places))


WRONG["estimate"] = {"int": lambda bits: int(solutions.estimate(bits))}
RIGHT["estimate"] = {
    "fraction": accumulated,
    "array of one": lambda bits: np.array([solutions.estimate(bits)]),
}


def apart(values, cap, alpha, sensitivity, epsilon, alp1):
    """Zeros and others in two calls: how many there are is private."""
    result = np.empty(len(values))
    for chosen in (values == 0, values != 0):
        result[chosen] = solutions.alp(values[chosen], cap, alpha, sensitivity, epsilon, alp1)
    return result


def scales_in_place(values, cap, alpha, sensitivity, epsilon, alp1):
    values *= epsilon / sensitivity
    return alp1(values, cap * epsilon / sensitivity, alpha) / (epsilon / sensitivity)


def in_a_loop(values, cap, alpha, sensitivity, epsilon, alp1):
    scale = epsilon / sensitivity
    scaled = np.array([float(x) * scale for x in values])
    return [float(y) / scale for y in alp1(alpha=alpha, cap=cap * scale, values=scaled)]


WRONG["alp"] = {
    "zeros apart": apart,
    "a cap that is enough": lambda values, cap, *given: solutions.alp(
        values, min(cap, values.max()), *given
    ),
    "at most 1": lambda values, cap, alpha, sensitivity, epsilon, alp1: solutions.alp(
        values, cap, alpha, max(sensitivity, epsilon), epsilon, alp1
    ),
    "whole values": lambda *given: solutions.alp(
        *given[:-1], lambda values, *rest: given[-1](values.astype(int), *rest)
    ),
    "in place": scales_in_place,
    "mean of two runs": lambda *given: (solutions.alp(*given) + solutions.alp(*given)) / 2,
}
RIGHT["alp"] = {"a loop, keywords": in_a_loop}


def bound(load, alpha):
    return -alpha / 2 + (alpha + 4 + 4 / alpha) / (1 - 2 * load) ** 2


def on_grid(alphas):
    return lambda load: min(alphas, key=lambda alpha: bound(load, alpha))


WRONG["best_alpha"] = {
    "squared load": lambda load: solutions.best_alpha(load**2),
    "coarse grid": on_grid(np.arange(0.25, 10, 0.25)),
    "grid up to 2.5": on_grid(np.linspace(0.1, 2.5, 1001)),
}
RIGHT["best_alpha"] = {
    "minimum": lambda load: optimize.minimize_scalar(lambda a: bound(load, a), bracket=(1, 3)).x,
}


def writes_zeros(levels, places, size):
    table = np.zeros((size, len(places[0])), dtype=int)
    for level, row in zip(levels, places, strict=True):
        for b, place in enumerate(row):
            table[place, b] = max(b < level, table[place, b] * (b % 2))
    return table


def every_pair(levels, places, size):
    table = np.zeros((size, len(places[0])), dtype=int)
    for level, row in zip(levels, places, strict=True):
        table[np.ix_(row[:level], np.arange(level))] = 1
    return table


WRONG["my_table"] = {
    "as many columns as levels": lambda levels, *given: solutions.my_table(levels, *given)[
        :, : max(levels)
    ],
    "as many places as used": lambda levels, places, size: solutions.my_table(levels, places, size)[
        : np.max(places) + 1
    ],
    "sorted levels": lambda levels, *given: solutions.my_table(sorted(levels), *given),
    "writes zeros in even columns": writes_zeros,
    "every pair": every_pair,
    "what it was given": lambda *given: given,
}


def by_sets(levels, places, size):
    columns = [
        {row[b] for row, level in zip(places, levels, strict=True) if level > b}
        for b in range(len(places[0]))
    ]
    return [[int(place in column) for column in columns] for place in range(size)]


RIGHT["my_table"] = {"sets, lists": by_sets}
