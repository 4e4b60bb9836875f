"""Answers to the exercises of notebook 09, written without sight of its checks."""

import math
from collections import ChainMap
from fractions import Fraction

import numpy as np
from scipy import optimize, stats

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def kept(noisy, level):
    return {i: x for i, x in enumerate(noisy) if x >= level}


def with_noise(noise):
    """Threshold with noise(rng, epsilon, how many)."""
    return lambda values, level, epsilon, rng: kept(
        values + noise(rng, epsilon, len(values)), level
    )


def after(result):
    """The answer result(noisy, values, level), with the noise as it should be."""
    return lambda values, level, epsilon, rng: result(
        values + rng.laplace(scale=1 / epsilon, size=len(values)), values, level
    )


def positive_only(values, level, epsilon, rng):
    noisy = {i: x + rng.laplace(scale=1 / epsilon) for i, x in enumerate(values) if x > 0}
    return {i: x for i, x in noisy.items() if x >= level}


def noisy_level(values, level, epsilon, rng):
    noisy = values + rng.laplace(scale=1 / epsilon, size=len(values))
    return kept(noisy, level + rng.laplace(scale=1 / epsilon))


def whole_numbers(values, level, epsilon, rng):
    noisy = np.zeros(len(values), dtype=int)
    noisy[:] = values + rng.laplace(scale=1 / epsilon, size=len(values))
    return kept(noisy, level)


def in_place(values, level, epsilon, rng):
    for i in range(len(values)):
        values[i] += rng.laplace(scale=1 / epsilon)
    return kept(values, level)


WRONG["my_threshold"] = {
    "scale in the place of loc": with_noise(
        lambda rng, epsilon, d: rng.laplace(1 / epsilon, size=d)
    ),
    "scale d/epsilon": with_noise(lambda rng, epsilon, d: rng.laplace(scale=d / epsilon, size=d)),
    "one-sided noise": with_noise(lambda rng, epsilon, d: rng.exponential(1 / epsilon, size=d)),
    "own generator": with_noise(
        lambda rng, epsilon, d: np.random.default_rng(7).laplace(scale=1 / epsilon, size=d)
    ),
    "positive entries only": positive_only,
    "what is beyond the level": after(
        lambda noisy, values, level: {i: x - level for i, x in kept(noisy, level).items()}
    ),
    "counted from 1": after(
        lambda noisy, values, level: {i + 1: x for i, x in kept(noisy, level).items()}
    ),
    "keys and values swapped": after(
        lambda noisy, values, level: {x: i for i, x in kept(noisy, level).items()}
    ),
    "the numbers alone": after(lambda noisy, values, level: noisy[noisy >= level]),
    "zeros kept too": after(
        lambda noisy, values, level: dict(enumerate(np.where(noisy >= level, noisy, 0)))
    ),
    "noise on the level": noisy_level,
    "array of whole numbers": whole_numbers,
    "in place": in_place,
}


def by_tails(values, level, epsilon, rng):
    """Whether an entry is kept first, then how large it is."""
    result, noise = {}, stats.laplace(scale=1 / epsilon)
    for i in reversed(range(len(values))):
        tail = noise.sf(level - values[i])
        if rng.random() < tail:
            result[i] = values[i] + noise.isf(tail * (1 - rng.random()))
    return result


def by_where(values, level, epsilon, rng):
    noisy = np.asarray(values) - rng.laplace(0, 1 / epsilon, len(values))
    places = np.flatnonzero(noisy >= level)
    return dict(zip(places, noisy[places], strict=True))


RIGHT["my_threshold"] = {
    "by tails, backwards": by_tails,
    "numpy keys": by_where,
    "scipy": with_noise(
        lambda rng, epsilon, d: stats.laplace(scale=1 / epsilon).rvs(size=d, random_state=rng)
    ),
    "two exponentials": with_noise(
        lambda rng, epsilon, d: np.subtract(*rng.exponential(1 / epsilon, size=(2, d)))
    ),
    "sign and size": with_noise(
        lambda rng, epsilon, d: rng.choice([-1, 1], d) * rng.exponential(size=d) / epsilon
    ),
}


def each(look):
    """The answer look(index, kept, estimate) for each index."""
    return lambda indices, kept, estimate: np.array([look(i, kept, estimate) for i in indices])


def look(index, kept, estimate):
    return kept[index] if index in kept else estimate(index)


def truncated(indices, kept, estimate):
    result = np.zeros_like(indices)
    for place, i in enumerate(indices):
        result[place] = look(i, kept, estimate)
    return result


def written_back(indices, kept, estimate):
    for i in indices:
        if i not in kept:
            kept[i] = estimate(i)
    return np.array([kept[i] for i in indices])


def remembered():
    known = {}

    def my_look_up(indices, kept, estimate):
        known.update(kept)
        known.update({i: estimate(i) for i in indices if i not in known})
        return np.array([known[i] for i in indices])

    return my_look_up


WRONG["my_look_up"] = {
    "positive numbers only": each(
        lambda i, kept, estimate: kept[i] if kept.get(i, -1) > 0 else estimate(i)
    ),
    "taken out": each(lambda i, kept, estimate: kept.pop(i) if i in kept else estimate(i)),
    "kept left out": lambda indices, kept, estimate: np.array(
        [estimate(i) for i in indices if i not in kept]
    ),
    "array of a generator": lambda indices, kept, estimate: np.array(
        look(i, kept, estimate) for i in indices
    ),
    "a dictionary": lambda indices, kept, estimate: {i: look(i, kept, estimate) for i in indices},
    "array of whole numbers": truncated,
    "written to kept": written_back,
    "remembered between calls": remembered(),
}


class Missing(dict):
    def __missing__(self, index):
        return self.estimate(index)


def with_missing(indices, kept, estimate):
    known = Missing(kept)
    known.estimate = estimate
    return np.fromiter((known[i] for i in indices), dtype=float)


def with_errors(indices, kept, estimate):
    result = np.empty((len(indices),))
    for place, i in enumerate(indices):
        try:
            result[place] = kept[i]
        except KeyError:
            result[place] = estimate(i)
    return result


def each_once(indices, kept, estimate):
    new = {int(i): None for i in indices if i not in kept}
    known = ChainMap(kept, {i: estimate(i) for i in new})
    return np.array([known[i] for i in indices])


RIGHT["my_look_up"] = {
    "missing": with_missing,
    "errors": with_errors,
    "each index once": each_once,
    "a list": lambda indices, kept, estimate: [look(int(i), kept, estimate) for i in indices],
}


def leveled(formula):
    return lambda dimension, zeros, epsilon: formula(dimension, zeros, epsilon)


WRONG["my_level"] = {
    "logarithm of d only": leveled(lambda d, z, epsilon: math.log(d) / (2 * z) / epsilon),
    "quotient of logarithms": leveled(
        lambda d, z, epsilon: math.log(d) / math.log(2 * z + 1) / epsilon
    ),
    "whole division": leveled(lambda d, z, epsilon: math.log(d // (2 * z)) / epsilon),
    "rounded up": leveled(lambda d, z, epsilon: math.ceil(math.log(d / (2 * z)) / epsilon)),
    "epsilon in the logarithm": leveled(lambda d, z, epsilon: math.log(d / (2 * z) / epsilon)),
    "none with probability 1/2": leveled(
        lambda d, z, epsilon: stats.laplace.isf(1 - 0.5 ** (z / d), scale=1 / epsilon)
    ),
    "normal noise": leveled(lambda d, z, epsilon: stats.norm.isf(z / d, scale=1 / epsilon)),
}
RIGHT["my_level"] = {
    "tail": leveled(lambda d, z, epsilon: stats.laplace.isf(z / d, scale=1 / epsilon)),
    "mirrored quantile": leveled(lambda d, z, epsilon: [-stats.laplace(0, 1 / epsilon).ppf(z / d)]),
    "root": leveled(
        lambda d, z, epsilon: (
            optimize.brentq(lambda t: d * math.exp(-t) / 2 - z, 0, 100, xtol=1e-13) / epsilon
        )
    ),
    "sum of logarithms": leveled(
        lambda d, z, epsilon: np.array(-np.log(2) - np.log(z) + np.log(d)) / epsilon
    ),
    "fraction": leveled(lambda d, z, epsilon: Fraction(math.log(d / z / 2) / epsilon)),
}
