"""Answers to the exercises of notebook 09: wrong ones, and right ones in unusual styles."""

import math
from collections import ChainMap

import numpy as np
from scipy import stats

from course_lib.checks.solutions import threshold_alp as solutions

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def of_noise(change=lambda noise: noise, result=lambda noisy: noisy):
    """Threshold whose noise, or whose array of noisy values, is changed."""

    def my_threshold(values, level, epsilon, rng):
        noisy = result(values + change(rng.laplace(scale=1 / epsilon, size=len(values))))
        return {i: x for i, x in enumerate(noisy) if x >= level}

    return my_threshold


def cut(values, level, epsilon, rng):
    return of_noise(lambda noise: noise.clip(-4 / epsilon, 4 / epsilon))(
        values, level, epsilon, rng
    )


def in_place(values, level, epsilon, rng):
    for i in range(len(values)):
        values[i] += rng.laplace(scale=1 / epsilon)
    return {i: x for i, x in enumerate(values) if x >= level}


WRONG["my_threshold"] = {
    "the scale a quarter too wide": of_noise(lambda noise: 1.25 * noise),
    "noise of two decimals": of_noise(lambda noise: noise.round(2)),
    "noise of four decimals": of_noise(lambda noise: noise.round(4)),
    "noise cut at four scales": cut,
    "array of whole numbers": of_noise(result=lambda noisy: noisy.astype(int)),
    "counted from 1": lambda *given: {i + 1: x for i, x in solutions.my_threshold(*given).items()},
    "the numbers alone": lambda *given: [*solutions.my_threshold(*given).values()],
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
    "numbers of four decimals": of_noise(result=lambda noisy: noisy.round(4)),
}


def truncated(indices, kept, estimate):
    result = np.zeros_like(indices)
    result[:] = solutions.my_look_up(indices, kept, estimate)
    return result


def written_back(indices, kept, estimate):
    for i in indices:
        if i not in kept:
            kept[i] = estimate(i)
    return np.array([kept[i] for i in indices])


WRONG["my_look_up"] = {
    "positive numbers only": lambda indices, kept, estimate: [
        kept[i] if kept.get(i, -1) > 0 else estimate(i) for i in indices
    ],
    "array of whole numbers": truncated,
    "written to kept": written_back,
}


def each_once(indices, kept, estimate):
    new = {int(i): None for i in indices if i not in kept}
    known = ChainMap(kept, {i: estimate(i) for i in new})
    return [known[i] for i in indices]


RIGHT["my_look_up"] = {
    "each index once, a list": each_once,
    "an iterator": lambda *given: iter(solutions.my_look_up(*given)),
}


WRONG["my_level"] = {
    "whole division": lambda dimension, zeros, epsilon: (
        math.log(dimension // (2 * zeros)) / epsilon
    ),
    "a part too low": lambda *given: 0.999 * solutions.my_level(*given),
}
RIGHT["my_level"] = {
    "mirrored quantile, a list": lambda dimension, zeros, epsilon: [
        -stats.laplace(0, 1 / epsilon).ppf(zeros / dimension)
    ],
}
