"""Answers to the exercises of notebook 06 that an earlier check has met, or that are like them."""

import math

import numpy as np

from course_lib.checks.solutions import online_ic as solutions
from course_lib.support.answers import BELOW


def normalised(weights):
    return weights / weights.sum()


def moving(factor):
    """The hypothesis times a function of ±alpha/2 and the query, normalised."""
    return lambda h, q, v, a: normalised(h * factor((1 if v > q @ h else -1) * a / 2, q))


def the_published_slip(hypothesis, query, value, alpha):
    guess = np.dot(query, hypothesis)
    r = guess if value < guess else 1 - guess
    return normalised(hypothesis * np.exp(-r * alpha / 2))


def in_place(hypothesis, query, value, alpha):
    query *= alpha / 2
    return solutions.my_update(hypothesis, query, value, 2)


def asking(*gaps):
    """Ask about these gaps, each a function of value and guess with a sign, one after another."""

    def my_answer(value, guess, sparse):
        for gap, sign in gaps:
            number = sparse(gap(value, guess))
            if number is not BELOW:
                return guess + sign * number, True
        return guess, False

    return my_answer


def larger_first(value, guess, sparse):
    sign = 1 if value > guess else -1
    for gap in (abs(value - guess), -abs(value - guess)):
        number = sparse(gap)
        if number is not BELOW:
            return guess + math.copysign(1, gap) * sign * number, True
    return guess, False


def equal_ones_are_not_asked(value, guess, sparse):
    return (guess, False) if value == guess else solutions.my_answer(value, guess, sparse)


def stops_on_an_equal_pair(value, guess, sparse):
    def scaled(gap):
        return sparse(round(gap / (value - guess)) * (value - guess))

    return solutions.my_answer(value, guess, scaled)


def larger_gap_first(data, queries, learner, *, alpha, cutoff, epsilon, start):
    sparse, left = start(threshold=2 * alpha, cutoff=cutoff, epsilon=epsilon), cutoff
    for query in queries:
        guess, value = learner.evaluate(query), query @ data
        answer, updated = larger_first(value, guess, sparse) if left else (guess, False)
        if updated:
            left -= 1
            learner.update(query, answer)
        yield answer


def precomputed(data, queries, learner, **given):
    """All queries are read first, and the stream is not adaptive any more."""
    queries = list(queries)
    yield from solutions.my_online_ic(data, queries, learner, **given)


WRONG = {
    "my_update": {
        "seen in published code": the_published_slip,
        "changes the query": in_place,
        "powers": moving(lambda e, q: (1 + e) ** q),
        "base 2": moving(lambda e, q: 2 ** (e * q)),
        "only large weights": moving(lambda e, q: np.exp(e * q * (q > 0.5))),
        "whole weights": moving(lambda e, q: np.exp(e * q.astype(int))),
        "four decimals": lambda *given: solutions.my_update(*given).round(4),
        "logarithms": lambda *given: np.log(solutions.my_update(*given)),
        "a matrix": lambda h, q, v, a: np.array([h]),
        "no array": lambda h, q, v, a: np.array(v),
    },
    "my_answer": {
        "the larger first": larger_first,
        "equal ones are not asked": equal_ones_are_not_asked,
        "stops on an equal pair": stops_on_an_equal_pair,
        "a square": asking((lambda v, g: (v - g) ** 2, 1)),
        "the same twice": asking((lambda v, g: v - g, 1), (lambda v, g: v - g, -1)),
        "a function": asking((lambda v, g: lambda data: v - g, 1)),
        "never asks": lambda v, g, sparse: (g, False),
        "three": lambda v, g, sparse: (g, False, 0),
        "a word": lambda v, g, sparse: (g, "no"),
    },
    "my_online_ic": {
        "the larger gap first": larger_gap_first,
        "all queries first": precomputed,
        "nothing": lambda *given, **named: 0.5,
    },
}
