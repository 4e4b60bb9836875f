"""Answers to the exercises of notebook 01, written without sight of its checks."""

import functools
import itertools
from fractions import Fraction

import numpy as np
from scipy import stats

from course_lib.support.answers import ABOVE, BELOW

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


# my_above_threshold


def scales(of_threshold, of_query, above=lambda value, level: value >= level):
    """The solution with these scales, functions of Δ and ε, and this comparison."""

    def my_above_threshold(data, queries, *, threshold, sensitivity, epsilon, rng):
        level = threshold + rng.laplace(scale=of_threshold(sensitivity, epsilon))
        for query in queries:
            noise = rng.laplace(scale=of_query(sensitivity, epsilon))
            if above(query(data) + noise, level):
                yield ABOVE
                return
            yield BELOW

    return my_above_threshold


def two(d, e):
    return 2 * d / e


def four(d, e):
    return 4 * d / e


def scale_for_loc(data, queries, *, threshold, sensitivity, epsilon, rng):
    level = threshold + rng.laplace(2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(4 * sensitivity / epsilon) >= level:
            yield ABOVE
            return
        yield BELOW


def threshold_redrawn(data, queries, *, threshold, sensitivity, epsilon, rng):
    for query in queries:
        level = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= level:
            yield ABOVE
            return
        yield BELOW


def above_returned(data, queries, *, threshold, sensitivity, epsilon, rng):
    level = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= level:
            return ABOVE
        yield BELOW


def below_before_the_test(data, queries, *, threshold, sensitivity, epsilon, rng):
    level = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        yield BELOW
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= level:
            yield ABOVE
            return


def above_at_the_end(data, queries, **rest):
    answers = list(scales(two, four)(data, queries, **rest))
    return [*answers[:-1], ABOVE] if answers else []


def threshold_kept():
    kept = {}

    def my_above_threshold(data, queries, *, threshold, sensitivity, epsilon, rng):
        if "noise" not in kept:
            kept["noise"] = rng.laplace()
        level = threshold + 2 * sensitivity / epsilon * kept["noise"]
        for query in queries:
            if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= level:
                yield ABOVE
                return
            yield BELOW

    return my_above_threshold


def never_above(data, queries, *, threshold, sensitivity, epsilon, rng):
    level = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        noise = rng.laplace(scale=4 * sensitivity / epsilon)
        while query(data) + noise < level:
            pass
        yield ABOVE
        return


WRONG["my_above_threshold"] = {
    "sensitivity only in the query": scales(lambda d, e: 2 / e, four),
    "sensitivity only in the threshold": scales(two, lambda d, e: 4 / e),
    "divided by the sensitivity": scales(lambda d, e: 2 / (d * e), lambda d, e: 4 / (d * e)),
    "epsilon above": scales(lambda d, e: 2 * d * e, lambda d, e: 4 * d * e),
    "threshold without noise": scales(lambda d, e: 0, four),
    "rounds before comparing": scales(two, four, above=lambda value, level: int(value) >= level),
    "scale in the place of loc": scale_for_loc,
    "threshold redrawn for each query": threshold_redrawn,
    "⊤ returned, not yielded": above_returned,
    "⊥ before the test": below_before_the_test,
    "⊤ at the end if none was found": above_at_the_end,
    "threshold's noise kept between calls": threshold_kept(),
    "never ends: waits for a value to rise": never_above,
}


def as_list(data, queries, *, threshold, sensitivity, epsilon, rng):
    answers = []
    level = threshold - rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        found = query(data) - level > rng.laplace(scale=4 * sensitivity / epsilon)
        answers.append((BELOW, ABOVE)[int(found)])
        if found:
            break
    return answers


class Halting:
    """An iterator; everything is divided by Δ first."""

    def __init__(self, data, queries, *, threshold, sensitivity, epsilon, rng):
        self.values = (query(data) / sensitivity for query in queries)
        self.noise = functools.partial(stats.laplace(scale=2 / epsilon).rvs, random_state=rng)
        self.level, self.open = threshold / sensitivity + self.noise(), True

    def __iter__(self):
        return self

    def __next__(self):
        if not self.open:
            raise StopIteration
        self.open = next(self.values) + 2 * self.noise() < self.level
        return BELOW if self.open else ABOVE


def exponentials(data, queries, *, threshold, sensitivity, epsilon, rng):
    def noise(scale):
        return float(np.subtract(*rng.exponential(scale, size=2)))

    level = threshold + noise(2 * sensitivity / epsilon)
    answer, stream = BELOW, iter(queries)
    while answer is BELOW and (query := next(stream, None)) is not None:
        high = query(data) + noise(4 * sensitivity / epsilon) >= level
        answer = ABOVE if high else BELOW
        yield answer


def in_blocks(data, queries, *, threshold, sensitivity, epsilon, rng):
    scale = 2 * sensitivity / epsilon
    noises = (2 * x for _ in itertools.count() for x in rng.laplace(scale=scale, size=16))
    level = threshold + rng.laplace(scale=scale)
    for query, noise in zip(queries, noises, strict=False):
        if query(data) + noise < level:
            yield BELOW
        else:
            yield ABOVE
            break


RIGHT["my_above_threshold"] = {
    "a list, strictly above, noise subtracted": as_list,
    "a class, units of Δ, frozen distribution": Halting,
    "two exponentials, an iterator": exponentials,
    "noise drawn in blocks": in_blocks,
}


# doubled_at and which_test

WRONG["doubled_at"] = {
    "k doubled": 2000,
    "k squared": 1_000_000,
    "β forgotten": 2_000_000,
    "the 2 forgotten": 20_000_000,
    "the 2 squared": 80_000_000,
    "k not squared": 2 * 1000 / 0.05,
    "2k/β, not k": (2 * 1000 / 0.05) ** 2,
}
RIGHT["doubled_at"] = {
    "int": 40_000_000,
    "Fraction": Fraction(2 * 1000**2, 1) / Fraction(5, 100),
    "from α": np.exp(2 * np.log(2 * 1000 / 0.05)) * 0.05 / 2,
}

WRONG["which_test"] = {letter: letter for letter in ("a", "b", "d", "e", "ac")}
RIGHT["which_test"] = {"small": "c", "upper case": "C"}
