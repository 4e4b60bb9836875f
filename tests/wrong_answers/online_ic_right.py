"""Right answers to the exercises of notebook 06, written in ways of which there are many."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
from scipy.special import logsumexp, softmax

from course_lib.online_ic import MultiplicativeWeights
from course_lib.support.answers import BELOW


def with_loops(hypothesis, query, value, alpha):
    guess = sum(p * q for p, q in zip(hypothesis, query, strict=True))
    new = []
    for p, q in zip(hypothesis, query, strict=True):
        new.append(p * math.exp(-alpha / 2 * q) if value < guess else p * math.exp(alpha / 2 * q))
    total = sum(new)
    return [p / total for p in new]


def in_logarithms(hypothesis, query, value, alpha):
    logs = np.log(hypothesis) + np.sign(value - query @ hypothesis) * alpha / 2 * query
    return np.exp(logs - logsumexp(logs))


def of_the_library(hypothesis, query, value, alpha):
    learner = MultiplicativeWeights(universe_size=len(hypothesis), alpha=alpha)
    learner._exponents = np.log(hypothesis)
    learner.hypothesis = hypothesis
    learner.update(query, value)
    return learner.hypothesis


def on_a_copy(hypothesis, query, value, alpha):
    new = np.array(hypothesis)
    for x in np.flatnonzero(query):
        new[x] *= np.exp((1 if value >= hypothesis.dot(query) else -1) * query[x] * alpha / 2)
    new /= new.sum()
    return new


def the_others(hypothesis, query, value, alpha):
    """Moves the complement the other way: after normalising the same."""
    sign = np.sign((hypothesis * query).sum() - value)
    weights = hypothesis * np.exp(sign * alpha / 2 * (1 - query))
    return weights / np.sum(weights)


def exactly(hypothesis, query, value, alpha):
    pairs = list(zip(hypothesis, query, strict=True))
    guess = sum(Fraction(p) * Fraction(q) for p, q in pairs)
    sign = -1 if Fraction(value) < guess else 1
    new = [Fraction(p * math.exp(sign * alpha / 2 * q)) for p, q in pairs]
    return [each / sum(new) for each in new]


def talkative(hypothesis, query, value, alpha):
    print("updating", hypothesis)
    return tuple(with_loops(hypothesis, query, value, alpha))


RIGHT_UPDATE = {
    "loops": with_loops,
    "logarithms": in_logarithms,
    "the library": of_the_library,
    "a copy": on_a_copy,
    "the others": the_others,
    "fractions": exactly,
    "decimals": lambda *given: [Decimal(p) for p in with_loops(*given)],
    "a print": talkative,
    "equality lowers": lambda h, q, v, a: softmax(np.log(h) + (1 if v > q @ h else -1) * a / 2 * q),
    "single precision": lambda *given: np.float32(with_loops(*given)),
}


def second_first(value, guess, sparse):
    number = sparse(guess - value)
    if number is not BELOW:
        return guess - number, True
    number = sparse(value - guess)
    if number is not BELOW:
        return guess + number, True
    return guess, False


def both_at_once(value, guess, sparse):
    up, down = sparse(value - guess), sparse(guess - value)
    if up != BELOW:
        return guess + up, 1
    if down != BELOW:
        return guess - down, 1
    return guess, 0


def by_sum(value, guess, sparse):
    numbers = [sign * n for sign in (1, -1) if (n := sparse(sign * (value - guess))) is not BELOW]
    return [guess + sum(numbers[:1]), np.bool_(len(numbers))]


def by_type(value, guess, sparse):
    for gap in (value - guess, guess - value):
        number = sparse(np.float32(gap))
        if isinstance(number, float):
            sign = round(gap / (value - guess))
            return np.array(guess + sign * number), True
    return Fraction(guess), False


def clipped(value, guess, sparse):
    answer, updated = second_first(value, guess, sparse)
    return min(max(answer, 0), 1), updated


RIGHT_ANSWER = {
    "second first": second_first,
    "both at once": both_at_once,
    "a sum": by_sum,
    "by type": by_type,
    "clipped": clipped,
    "an array": lambda v, g, sparse: np.array(second_first(v, g, sparse)),
}
