"""Answers to the exercises of notebook 08, written without sight of its checks."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import optimize, stats

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def at_rate(rate):
    return lambda bits, cost, rng: bits ^ (rng.random(bits.shape) < rate(cost))


def with_coins(result, shape=lambda bits: bits.shape):
    """The answer result(bits, coins), where a coin is true with the right probability."""

    def flip(bits, cost, rng):
        return result(bits, rng.random(shape(bits)) < 1 / (math.exp(cost) + 1))

    return flip


def in_place(bits, cost, rng):
    bits ^= rng.random(bits.shape) < 1 / (math.exp(cost) + 1)
    return bits


def own_generator(bits, cost, rng):
    return bits ^ (np.random.default_rng(0).random(bits.shape) < 1 / (math.exp(cost) + 1))


WRONG["flip"] = {
    "kept for flipped": at_rate(lambda cost: 1 - 1 / (math.exp(cost) + 1)),
    "1/(1 + cost)": at_rate(lambda cost: 1 / (1 + cost)),
    "base 2": at_rate(lambda cost: 1 / (2**cost + 1)),
    "e^(cost + 1)": at_rate(lambda cost: 1 / math.exp(cost + 1)),
    "added": with_coins(lambda bits, coins: bits + coins),
    "subtracted": with_coins(lambda bits, coins: bits - coins.astype(int)),
    "all bits inverted": with_coins(lambda bits, coins: np.where(coins, ~bits, bits)),
    "one row": with_coins(lambda bits, coins: (bits ^ coins).ravel()),
    "in place": in_place,
    "own generator": own_generator,
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
    "scipy": from_scipy,
    "by columns, floats": by_columns,
    "unlike": with_coins(lambda bits, coins: (bits.astype(bool) != coins).astype(np.uint8)),
}


def rounded(result, shape=lambda values: values.shape):
    """The answer result(values, step, U)."""
    return lambda values, step, rng: result(values, step, rng.random(shape(values)))


def fixed_draws(values, step, rng):
    return step * np.floor(values / step + np.random.default_rng(0).random(values.shape))


def array_of_whole_numbers(values, step, rng):
    result = np.zeros(values.shape, dtype=int)
    result[:] = step * np.floor(values / step + rng.random(values.shape))
    return result


def rounds_in_place(values, step, rng):
    values[:] = step * np.floor(values / step + rng.random(values.shape))
    return values


WRONG["round_at_random"] = {
    "a fair coin": rounded(
        lambda v, step, u: step * np.where(u < 0.5, v // step, np.ceil(v / step))
    ),
    "draw in units": rounded(lambda v, step, u: step * np.floor((v + u) / step)),
    "draw after rounding": rounded(lambda v, step, u: step * (np.floor(v / step) + u)),
    "ceil with the draw added": rounded(lambda v, step, u: step * np.ceil(v / step + u)),
    "whole steps": rounded(lambda v, step, u: math.ceil(step) * np.floor(v / math.ceil(step) + u)),
    "up by one": rounded(lambda v, step, u: step * (v // step) + (u < v / step % 1)),
    "two steps wide": rounded(lambda v, step, u: step * np.floor(v / step + 2 * u - 0.5)),
    "own generator": fixed_draws,
    "array of whole numbers": array_of_whole_numbers,
    "in place": rounds_in_place,
}


def one_by_one(values, step, rng):
    result = []
    for value in values:
        whole = math.floor(value / step)
        up = min(1.0, max(0.0, value / step - whole))
        result.append(rng.choice([whole * step, (whole + 1) * step], p=[1 - up, up]))
    return result


def with_binomial(values, step, rng):
    fraction, whole = np.modf(np.asarray(values) / step)
    return (whole + rng.binomial(1, fraction)) * step


RIGHT["round_at_random"] = {
    "one by one, a list": one_by_one,
    "binomial": with_binomial,
    "ceil": rounded(lambda v, step, u: step * np.ceil(v / step - u)),
    "whole and rest": rounded(lambda v, c, u: (np.floor(v / c) + (u < v / c % 1)) * c),
    "backwards": rounded(lambda v, step, u: (np.floor(v[::-1] / step + u) * step)[::-1]),
}


def walked(result, first=(0,), steps=lambda bits: 2 * np.asarray(bits, dtype=int) - 1):
    """The answer result(walk, places of its maxima)."""

    def estimate(bits):
        walk = np.append(first, np.cumsum(steps(bits))).astype(int)
        return result(walk, np.flatnonzero(walk == walk.max()))

    return estimate


def bits_in_place(bits):
    bits[bits == 0] = -1
    walk = np.append(0, np.cumsum(bits))
    return np.flatnonzero(walk == walk.max()).mean()


def until_it_falls(bits):
    return float(next((i for i, bit in enumerate(bits) if not bit), len(bits)))


def mean(walk, places):
    return places.mean()


WRONG["estimate"] = {
    "counted from 1": walked(lambda walk, places: places.mean() + 1),
    "f(0) = 1": walked(mean, first=(1,)),
    "no sums": walked(lambda walk, places: np.mean(np.flatnonzero(np.diff(walk) > 0) + 1)),
    "int": walked(lambda walk, places: int(places.mean())),
    "a share of m": walked(lambda walk, places: places.mean() / (len(walk) - 1)),
    "all maxima": walked(lambda walk, places: places),
    "until it falls": until_it_falls,
    "in place": bits_in_place,
}


def recursion(bits, height=0, n=0):
    """The maximum and the places of it, from n on."""
    if n == len(bits):
        return height, [n]
    top, places = recursion(bits, height + (1 if bits[n] else -1), n + 1)
    return (top, places) if top > height else (height, [n] + places * (top == height))


def accumulated(bits):
    walk = list(itertools.accumulate((1 if bit else -1 for bit in bits), initial=0))
    places = [n for n, height in enumerate(walk) if height == max(walk)]
    return Fraction(sum(places), len(places))


RIGHT["estimate"] = {
    "recursion": lambda bits: sum(places := recursion(list(bits))[1]) / len(places),
    "fraction": accumulated,
    "array of one": walked(lambda walk, places: places.mean(keepdims=True)),
    "weights": walked(lambda walk, p: np.average(np.arange(len(walk)), weights=walk == walk[p[0]])),
}


def scaled(run):
    """The answer run(values, cap, alpha, scale, alp1)."""
    return lambda values, cap, alpha, sensitivity, epsilon, alp1: run(
        values, cap, alpha, epsilon / sensitivity, alp1
    )


def with_scale(scale):
    return lambda values, cap, alpha, sensitivity, epsilon, alp1: (
        alp1(values * scale(sensitivity, epsilon), cap * scale(sensitivity, epsilon), alpha)
        / scale(sensitivity, epsilon)
    )


def scales_in_place(values, cap, alpha, sensitivity, epsilon, alp1):
    values *= epsilon / sensitivity
    return alp1(values, cap * epsilon / sensitivity, alpha) / (epsilon / sensitivity)


WRONG["alp"] = {
    "half of epsilon": with_scale(lambda sensitivity, epsilon: epsilon / sensitivity / 2),
    "whole division": with_scale(lambda sensitivity, epsilon: epsilon // sensitivity or 1),
    "cap and alpha swapped": scaled(lambda v, cap, alpha, c, alp1: alp1(v * c, alpha, cap * c) / c),
    "whole values": scaled(
        lambda v, cap, alpha, c, alp1: alp1((v * c).astype(int), cap * c, alpha) / c
    ),
    "mean of two runs": scaled(
        lambda v, cap, alpha, c, alp1: (
            (alp1(v * c, cap * c, alpha) + alp1(v * c, cap * c, alpha)) / (2 * c)
        )
    ),
    "in place": scales_in_place,
}
RIGHT["alp"] = {
    "divided": scaled(
        lambda v, cap, alpha, c, alp1: alp1(v / (1 / c), cap / (1 / c), alpha) * (1 / c)
    ),
    "a loop": scaled(
        lambda v, cap, alpha, c, alp1: [
            float(y) / c for y in alp1(np.array([float(x) * c for x in v]), cap * c, alpha)
        ]
    ),
    "keywords": scaled(
        lambda v, cap, alpha, c, alp1: alp1(alpha=alpha, cap=cap * c, values=np.multiply(v, c)) / c
    ),
    "divide": scaled(lambda v, cap, alpha, c, alp1: np.divide(alp1(c * v, c * cap, alpha), c)),
}


def bound(load, alpha):
    return -alpha / 2 + (alpha + 4 + 4 / alpha) / (1 - 2 * load) ** 2


def on_grid(alphas):
    return lambda load: min(alphas, key=lambda alpha: bound(load, alpha))


WRONG["best_alpha"] = {
    "no half": lambda load: 2 / math.sqrt(1 - (1 - 2 * load) ** 2 + 1e-12),
    "squared load": lambda load: 2 / math.sqrt(1 - (1 - 2 * load**2) / 2),
    "half inside": lambda load: 2 / math.sqrt(1 - ((1 - 2 * load) / 2) ** 2),
    "2 in the root": lambda load: math.sqrt(2 / (1 - (1 - 2 * load) ** 2 / 2)),
    "times": lambda load: 2 * math.sqrt(1 - (1 - 2 * load) ** 2 / 2),
    "the error there": lambda load: bound(load, 2 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2)),
    "whole alphas": on_grid(range(1, 20)),
    "coarse grid": on_grid(np.arange(0.25, 10, 0.25)),
    "grid up to 2.5": on_grid(np.linspace(0.1, 2.5, 1001)),
}


def slope(alpha, load):
    return -1 / 2 + (1 - 4 / alpha**2) / (1 - 2 * load) ** 2


RIGHT["best_alpha"] = {
    "root of the slope": lambda load: optimize.brentq(slope, 1, 4, args=(load,)),
    "minimum": lambda load: optimize.minimize_scalar(lambda a: bound(load, a), bracket=(1, 3)).x,
    "c over a": lambda load: np.sqrt([4 / (1 - 2 * load) ** 2 / (1 / (1 - 2 * load) ** 2 - 1 / 2)]),
    "fractions": lambda load: (
        (Fraction(4) / (1 - (1 - 2 * Fraction(float(load))) ** 2 / 2)) ** Fraction(1, 2)
    ),
}


def filled(fill, make=lambda places, size: np.zeros((size, len(places[0])), dtype=int)):
    """The table that fill(table, level, row) has written to, entry by entry."""

    def my_table(levels, places, size):
        table = make(places, size)
        for level, row in zip(levels, places, strict=True):
            fill(table, int(level), np.asarray(row))
        return table

    return my_table


def good(table, level, row):
    table[row[:level], np.arange(level)] = 1


def write(where, how=lambda old: 1):
    """Writes how(old) at the pairs where(level, row) of place and column."""

    def fill(table, level, row):
        for place, column in where(level, row):
            if 0 <= column < len(row):
                table[place][column] = how(table[place][column])

    return filled(fill)


def pairs(level, row):
    return [(row[b], b) for b in range(level)]


def whole_block(table, level, row):
    table[np.ix_(row[:level], np.arange(level))] = 1


def whole_rows(table, level, row):
    table[row[:level]] = 1


def one_list_for_all(places, size):
    return [[0] * len(places[0])] * size


def fills_lists(table, level, row):
    for b in range(level):
        table[row[b]][b] = 1


def counts_down(levels, places, size):
    table = np.zeros((size, len(places[0])), dtype=int)
    for i in range(len(levels)):
        while levels[i] > 0:
            levels[i] -= 1
            table[places[i][levels[i]], levels[i]] = 1
    return table


def never_counts(levels, places, size):
    table = np.zeros((size, len(places[0])), dtype=int)
    for i, level in enumerate(levels):
        while level > 0:
            table[places[i][level - 1], level - 1] = 1
    return table


def fewer_columns(levels, places, size):
    return filled(good)(levels, places, size)[:, : max(levels)]


def fewer_places(levels, places, size):
    return filled(good)(levels, places, size)[: np.max(places) + 1]


WRONG["my_table"] = {
    "as many columns as levels": fewer_columns,
    "as many places as used": fewer_places,
    "sorted levels": lambda levels, places, size: filled(good)(sorted(levels), places, size),
    "one column to the right": write(lambda n, row: [(row[b], b + 1) for b in range(n)]),
    "place of the next level": write(lambda n, row: [(row[b + 1 - len(row)], b) for b in range(n)]),
    "columns from the right": write(lambda n, row: [(row[b], len(row) - 1 - b) for b in range(n)]),
    "every pair": filled(whole_block),
    "whole rows": filled(whole_rows),
    "one list for all places": filled(fills_lists, one_list_for_all),
    "in place": counts_down,
    "never ends: does not count down": never_counts,
}


def masked(levels, places, size):
    places, columns = np.asarray(places), np.arange(len(places[0]))
    ones = columns < np.asarray(levels)[:, None]
    return ((places == np.arange(size)[:, None, None]) & ones).any(axis=1).astype(float)


def by_sets(levels, places, size):
    columns = [
        {row[b] for row, level in zip(places, levels, strict=True) if level > b}
        for b in range(len(places[0]))
    ]
    return [[int(place in column) for column in columns] for place in range(size)]


RIGHT["my_table"] = {
    "masked, floats": masked,
    "sets, lists": by_sets,
    "lists": filled(fills_lists, lambda places, size: [[0] * len(places[0]) for _ in range(size)]),
    "the larger": write(pairs, lambda old: max(1, old)),
}
