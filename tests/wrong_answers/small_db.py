"""Answers to the exercises of notebook 05 that an earlier check has met, or that come near."""

import itertools
import math

import numpy as np

from course_lib.checks.solutions.small_db import my_small_db


def errors(histogram, candidate, queries):
    return queries @ histogram / np.sum(histogram) - queries @ candidate / np.sum(candidate)


def rounded_weights(histogram, candidate, queries):
    return -np.abs(errors(histogram, candidate, np.round(queries))).max()


def privacy_off_by(factor):
    """SmallDB with so many times ε."""

    def answer(histogram, queries, *, epsilon, **given):
        return my_small_db(histogram, queries, epsilon=factor * epsilon, **given)

    return answer


def noisy_scores(histogram, queries, *, size, epsilon, rng):
    """The best after Laplace noise on each score: private, but not the exponential mechanism."""
    some = range(len(histogram))
    rows = itertools.combinations_with_replacement(some, size)
    small = [np.bincount(each, minlength=len(some)) for each in rows]
    away = np.array([np.abs(errors(histogram, each, queries)).max() for each in small])
    noise = rng.laplace(size=len(small))
    return small[np.argmax(noise - epsilon * np.sum(histogram) / 2 * away)]


WRONG = {
    "my_utility": {
        "signed sum": lambda d, c, q: -np.sum(errors(d, c, q)),
        "last query": lambda d, c, q: -abs(errors(d, c, q)[-1]),
        "index of the worst": lambda d, c, q: -float(np.argmax(np.abs(errors(d, c, q)))),
        "rounded weights": rounded_weights,
        "rounded": lambda d, c, q: -round(np.abs(errors(d, c, q)).max(), 2),
        "total variation": lambda d, c, q: -np.abs(d / d.sum() - c / c.sum()).sum() / 2,
    },
    "my_size": {
        "attributes for queries": lambda d, k, a: math.ceil(math.log(d) / a**2),
        "half of α": lambda d, k, a: math.ceil(4 * math.log(2**d - 1) / a**2),
        "order alone": lambda d, k, a: k,
    },
    "my_sensitivity": {
        "2/n": lambda q, n, change: 2 / n,
        "too little for one row": lambda q, n, change: (
            np.ptp(q) / (n + (change == "add")) * (n > 1)
        ),
        "neighbours in the list": lambda q, n, change: (
            np.abs(np.diff(q)).max() / (n + (change == "add"))
        ),
    },
    "my_small_db": {
        "ε off by a quarter": privacy_off_by(1.25),
        "ε off by a fifth": privacy_off_by(0.8),
        "Laplace noise on the scores": noisy_scores,
    },
}
