"""Answers to the exercises of notebook 07: wrong ones, and right ones in unusual styles."""

import itertools
import math
from collections import Counter

import numpy as np
from scipy import special, stats

from course_lib.checks.solutions import sparse_mw as solutions

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def five_rounds(support, alpha):
    size = ratio = 4 * support / alpha**2
    for _ in range(5):
        size = ratio * (math.log(size) + 1)
    return math.ceil(size)


def ends_never_meet(support, alpha):
    low, high = 1, 2**60
    while low < high:
        middle = (low + high) // 2
        if middle / (math.log(middle) + 1) >= 4 * support / alpha**2:
            high = middle
        else:
            low = middle
    return low


WRONG["my_size"] = {"five rounds": five_rounds, "never ends: the ends never meet": ends_never_meet}


def counted(support, alpha):
    enough = (s for s in itertools.count(1) if s * alpha**2 >= 4 * support * (math.log(s) + 1))
    return next(enough)


RIGHT["my_size"] = {"counted": counted}


def both(truth, weights, size):
    """The shares and the weights of all variables."""
    free = size - len(weights)
    p, w = [truth.get(x, 0) for x in weights], [*weights.values()]
    p, w = (np.array([*v, *[max(0, 1 - math.fsum(v)) / free] * free]) for v in (p, w))
    return p, w


def with_numpys_logs(truth, weights, size):
    p, w = both(truth, weights, size)
    with np.errstate(all="ignore"):
        return np.sum(p * np.log(p / w))


def positive_terms(truth, weights, size):
    p, w = both(truth, weights, size)
    return special.rel_entr(p, w).clip(0).sum()


def every_element_known(truth, weights, size):
    return solutions.my_potential({x: truth[x] for x in weights}, weights, size)


def empties(truth, weights, size):
    result = solutions.my_potential(truth, weights, size)
    weights.clear()
    return result


def adds_zeros(truth, weights, size):
    for element in weights:
        truth.setdefault(element, 0)
    return solutions.my_potential(truth, weights, size)


WRONG["my_potential"] = {
    "adds zeros to what it is given": adds_zeros,
    "empties what it is given": empties,
    "positive terms": positive_terms,
    "element missing": every_element_known,
    "logarithms of 0": with_numpys_logs,
}
RIGHT["my_potential"] = {
    "SciPy's entropy, 0-d array": lambda *given: np.array(stats.entropy(*both(*given))),
}

RIGHT["which_step_fails"] = {"upper case": "D"}


def one_more_than_is_full(weights, query, value, size, alpha):
    return solutions.my_lazy_update(weights, query, value, max(size, len(weights) + 1), alpha)


def whole_weights_only(weights, query, value, size, alpha):
    new = solutions.my_lazy_update(weights, query, value, size, alpha)
    return weights | {x: new[x] for x, q in query.items() if q == 1}


WRONG["my_lazy_update"] = {
    "one more than is full": one_more_than_is_full,
    "whole weights only": whole_weights_only,
    "pairs": lambda *given: list(solutions.my_lazy_update(*given).items()),
}


def all_variables(weights, query, value, size, alpha):
    names = [*weights, *(x for x in query if x not in weights and query[x] > 0)]
    w, q = (np.array([d.get(x, e) for x in names], float) for d, e in ((weights, 1), (query, 0)))
    guess = w @ q / (w.sum() + size - len(names))
    return dict(zip(names, w * np.exp(np.where(value < guess, -1, 1) * alpha / 2 * q), strict=True))


RIGHT["my_lazy_update"] = {
    "arrays": all_variables,
    "Counter": lambda *given: Counter(solutions.my_lazy_update(*given)),
    "other order": lambda *given: dict(reversed(solutions.my_lazy_update(*given).items())),
}
