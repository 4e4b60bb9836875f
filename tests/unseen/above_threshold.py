"""Answers to the exercises of notebook 01: wrong ones, and right ones in unusual styles."""

import functools
import itertools

import numpy as np
from scipy import stats

from course_lib.checks.solutions.above_threshold import my_above_threshold
from course_lib.support.answers import ABOVE, BELOW

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def cut(reach):
    """Noise cut off at so many scales."""

    def answer(data, queries, *, threshold, sensitivity, epsilon, rng):
        unit = sensitivity / epsilon
        level = threshold + 2 * unit * np.clip(rng.laplace(), -reach, reach)
        for query in queries:
            if query(data) + 4 * unit * np.clip(rng.laplace(), -reach, reach) >= level:
                yield ABOVE
                return
            yield BELOW

    return answer


def scales(threshold_factor, draw="laplace"):
    """AboveThreshold with another scale of the threshold or another noise of the queries."""

    def answer(data, queries, *, threshold, sensitivity, epsilon, rng):
        unit = sensitivity / epsilon
        level = threshold + rng.laplace(scale=threshold_factor * unit)
        for query in queries:
            if query(data) + getattr(rng, draw)(scale=4 * unit) >= level:
                yield ABOVE
                return
            yield BELOW

    return answer


def threshold_kept():
    kept = {}

    def answer(data, queries, *, threshold, sensitivity, epsilon, rng):
        level = threshold + 2 * sensitivity / epsilon * kept.setdefault("noise", rng.laplace())
        for query in queries:
            if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= level:
                yield ABOVE
                return
            yield BELOW

    return answer


def never_above(data, queries, *, threshold, rng, **given):
    for query in queries:
        while query(data) < threshold:
            pass
        yield ABOVE


def reads_one_query_ahead(data, queries, **given):
    queries = iter(queries)
    ahead = [next(queries)]

    def delayed():
        for query in queries:
            ahead.append(query)
            yield ahead.pop(0)
        yield ahead.pop()

    yield from my_above_threshold(data, delayed(), **given)


def one_answer_more(data, queries, **given):
    answers = list(my_above_threshold(data, queries, **given))
    return answers + [BELOW] * (ABOVE not in answers)


def above_at_the_end(data, queries, **given):
    *answers, _ = my_above_threshold(data, queries, **given)
    return [*answers, ABOVE]


WRONG["my_above_threshold"] = {
    "threshold noise a quarter too wide": scales(2.5),
    "noise cut at 3 scales": cut(3),
    "noise cut at 4 scales": cut(4),
    "queries with Gaussian noise": scales(2, "normal"),
    "threshold's noise kept between calls": threshold_kept(),
    "never ends: waits for a value to rise": never_above,
    "reads one query ahead": reads_one_query_ahead,
    "one answer more if there is no ⊤": one_answer_more,
    "⊤ at the end if none was found": above_at_the_end,
}


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
    "a class, units of Δ, frozen distribution": Halting,
    "noise drawn in blocks": in_blocks,
}

WRONG["doubled_at"] = {"the 2 forgotten": 20_000_000, "the 2 squared": 80_000_000}
RIGHT["doubled_at"] = {"from α": np.exp(2 * np.log(2 * 1000 / 0.05)) * 0.05 / 2}

WRONG["which_test"] = {"b": "b", "a letter too many": "ac"}
RIGHT["which_test"] = {"upper case": "C"}
