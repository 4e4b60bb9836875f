"""Answers to the exercises of notebook 07 that an earlier check has met, or that are like them."""

import math

import numpy as np

from course_lib.checks.solutions import sparse_mw as solutions


def iterated(rounds):
    """s ← (4m/α²)(ln s + 1), a few times."""

    def my_size(support, alpha):
        size = ratio = 4 * support / alpha**2
        for _ in range(rounds):
            size = ratio * (math.log(size) + 1)
        return math.ceil(size)

    return my_size


def steps_of(width):
    def my_size(support, alpha):
        return width * math.ceil(solutions.my_size(support, alpha) / width)

    return my_size


def parts(truth, weights):
    return 1 - sum(truth.get(x, 0) for x in weights), 1 - sum(weights.values())


def with_numpys_logs(truth, weights, size):
    pairs = [(truth.get(x, 0), weight) for x, weight in weights.items()]
    pairs = np.array([*pairs, parts(truth, weights)])
    with np.errstate(all="ignore"):
        return np.sum(pairs[:, 0] * np.log(pairs[:, 0] / pairs[:, 1]))


def empties(truth, weights, size):
    result = solutions.my_potential(truth, weights, size)
    weights.clear()
    return result


def keeps_order(weights, query, value, size, alpha):
    """Right but for a structure that is full, of which it makes one variable more."""
    return solutions.my_lazy_update(weights, query, value, max(size, len(weights) + 1), alpha)


WRONG = {
    "my_size": {
        "two rounds": iterated(2),
        "five rounds": iterated(5),
        "steps of two": steps_of(2),
        "steps of a hundred": steps_of(100),
        "the library's bound on updates": lambda m, a: (
            math.ceil(4 * math.log(m) / a**2) if m else 0
        ),
        "a float near it": lambda m, a: solutions.my_size(m, a) - 0.4,
    },
    "my_potential": {
        "logarithms of 0": with_numpys_logs,
        "empties what it is given": empties,
        "only where D is larger": lambda t, w, s: max(0, solutions.my_potential(t, w, s) - 0.01),
    },
    "my_lazy_update": {
        "one more than is full": keeps_order,
        "an array": lambda weights, *given: np.array(list(weights.values())),
        "whole weights": lambda *given: {
            x: round(weight) for x, weight in solutions.my_lazy_update(*given).items()
        },
    },
}
