"""Answers to the exercises of notebook 06: wrong ones, and right ones in unusual styles."""

import math

import numpy as np
from scipy import optimize

from course_lib.checks.solutions import online_ic as solutions
from course_lib.support.answers import BELOW

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def only_large_weights(hypothesis, query, value, alpha):
    return solutions.my_update(hypothesis, query * (query > 0.5), value, alpha)


def in_place(hypothesis, *given):
    hypothesis[:] = solutions.my_update(hypothesis, *given)
    return hypothesis


WRONG["my_update"] = {
    "only large weights": only_large_weights,
    "in place": in_place,
    "a matrix": lambda *given: solutions.my_update(*given)[None],
    "four decimals": lambda *given: solutions.my_update(*given).round(4),
}


def mirrored(hypothesis, query, value, alpha):
    """A step down by q is a step up by 1 - q."""
    up = query if value >= np.dot(hypothesis, query) else 1 - np.asarray(query)
    weights = np.multiply(hypothesis, np.power(math.exp(alpha / 2), up))
    return (weights / np.dot(weights, np.ones(len(weights)))).tolist()


RIGHT["my_update"] = {"mirrored, a list": mirrored}


def asked(
    *signs, said=lambda guess, sign, number: guess + sign * number, quiet=lambda guess: guess
):
    """Ask about the gaps of these signs, one after another."""

    def my_answer(value, guess, sparse):
        for sign in signs:
            number = sparse(sign * (value - guess))
            if number is not BELOW:
                return said(guess, sign, number), True
        return quiet(guess), False

    return my_answer


def the_same_twice(value, guess, sparse):
    for sign in (1, -1):
        number = sparse(value - guess)
        if number is not BELOW:
            return guess + sign * number, True
    return guess, False


def equal_ones_are_not_asked(value, guess, sparse):
    return (guess, False) if value == guess else solutions.my_answer(value, guess, sparse)


def larger_first(value, guess, sparse):
    return asked(*((1, -1) if value > guess else (-1, 1)))(value, guess, sparse)


WRONG["my_answer"] = {
    "the larger first": larger_first,
    "the size of the number": asked(1, -1, said=lambda guess, sign, x: guess + sign * abs(x)),
    "nothing for a small gap": asked(1, -1, quiet=lambda guess: BELOW),
    "the same twice": the_same_twice,
    "equal ones are not asked": equal_ones_are_not_asked,
    "a function": lambda value, guess, sparse: (sparse(lambda data: value - guess), True),
    "three": lambda *given: (*solutions.my_answer(*given), 0),
}
RIGHT["my_answer"] = {
    "a list, arrays": lambda *given: list(map(np.array, solutions.my_answer(*given))),
    "minus first, 0 and 1": lambda *given: tuple(map(float, asked(-1, 1)(*given))),
}

RIGHT["after_the_last_update"] = {"upper case": "D"}
RIGHT["why_not_theorem_2"] = {"spaces": " b "}


def loop(*, order=lambda gap: (1, -1), asks_on=False, least=-1):
    """The whole loop, which asks the gaps in an order of its own, or none below the least."""

    def my_online_ic(data, queries, learner, *, alpha, cutoff, epsilon, start):
        sparse, left = start(threshold=2 * alpha, cutoff=cutoff, epsilon=epsilon), cutoff
        for query in queries:
            answer = guess = learner.evaluate(query)
            gap = query @ data - guess
            for sign in order(gap) if left and abs(gap) > least else ():
                number = sparse(sign * gap)
                if number is not BELOW:
                    answer, left = guess + sign * number, left - 1
                    learner.update(query, answer)
                    if not asks_on:
                        break
            yield answer

    return my_online_ic


def reads_all_first(data, queries, learner, **given):
    yield from solutions.my_online_ic(data, list(queries), learner, **given)


def twice_the_cutoff(*given, start, **named):
    def twice(cutoff, **others):
        return start(cutoff=2 * cutoff, **others)

    return solutions.my_online_ic(*given, start=twice, **named)


WRONG["my_online_ic"] = {
    "twice the cutoff": twice_the_cutoff,
    "asks on after a number": loop(asks_on=True),
    "the larger gap first": loop(order=lambda gap: (1, -1) if gap > 0 else (-1, 1)),
    "nothing asked for a gap of 0": loop(least=0),
    "nothing asked for a gap of nearly 0": loop(least=0.01),
    "reads all queries first": reads_all_first,
    "pairs": lambda *given, **named: [
        (answer, True) for answer in solutions.my_online_ic(*given, **named)
    ],
    "nothing": lambda *given, **named: 0.5,
}


RIGHT["my_online_ic"] = {
    "a list of arrays": lambda *given, **named: [
        np.array([answer]) for answer in solutions.my_online_ic(*given, **named)
    ],
    "minus first": loop(order=lambda gap: (-1, 1)),
}


def by_a_root(n, universe_size, num_queries, beta, epsilon):
    logs = math.log(2 * num_queries) + math.log(3 / beta)
    cube = 48 * math.log(universe_size) * logs / (epsilon * n)
    return optimize.brentq(lambda x: x - cube / x / x, 1e-9, 1e9, xtol=1e-14)


WRONG["my_alpha"] = {"rounded": lambda *given: round(solutions.my_alpha(*given), 2)}
RIGHT["my_alpha"] = {"a root": by_a_root}
