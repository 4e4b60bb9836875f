"""Answers to the exercises of notebook 06, written without sight of its checks."""

import math

import numpy as np
from scipy import optimize, special

from course_lib.support.answers import ABOVE, BELOW

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def side(hypothesis, query, value):
    return -1 if value < query @ hypothesis else 1


def stepped(new):
    """The answer new(hypothesis, query, sign, alpha), divided by its sum."""

    def my_update(hypothesis, query, value, alpha):
        weights = new(hypothesis, query, side(hypothesis, query, value), alpha)
        return weights / np.sum(weights)

    return my_update


def in_place(hypothesis, query, value, alpha):
    hypothesis *= np.exp(side(hypothesis, query, value) * alpha / 2 * query)
    hypothesis /= hypothesis.sum()
    return hypothesis


def kept_between_calls():
    kept = []

    def my_update(hypothesis, query, value, alpha):
        before = kept[-1] if kept and len(kept[-1]) == len(query) else hypothesis
        weights = before * np.exp(side(before, query, value) * alpha / 2 * query)
        kept.append(weights / weights.sum())
        return kept[-1]

    return my_update


WRONG["my_update"] = {
    "divided by the query": stepped(
        lambda d, q, sign, alpha: d * np.exp(sign * alpha / (2 * q + 1))
    ),
    "factor times query": stepped(lambda d, q, sign, alpha: d * q * np.exp(sign * alpha / 2)),
    "power of two": stepped(lambda d, q, sign, alpha: d * 2 ** (sign * alpha / 2 * q)),
    "softmax of shares": stepped(lambda d, q, sign, alpha: np.exp(d + sign * alpha / 2 * q)),
    "in place": in_place,
    "kept between calls": kept_between_calls(),
}


def in_a_loop(hypothesis, query, value, alpha):
    guess = sum(float(q) * float(d) for q, d in zip(query, hypothesis, strict=True))
    rate = math.copysign(alpha / 2, -1 if value < guess else 1)
    new = [float(d) * math.exp(rate * float(q)) for q, d in zip(query, hypothesis, strict=True)]
    return [weight / math.fsum(new) for weight in new]


def mirrored(hypothesis, query, value, alpha):
    """A step down by q is a step up by 1 - q."""
    up = query if value >= np.dot(hypothesis, query) else 1 - np.asarray(query)
    weights = np.multiply(hypothesis, np.power(math.exp(alpha / 2), up))
    return weights / np.dot(weights, np.ones(len(weights)))


RIGHT["my_update"] = {
    "lists": in_a_loop,
    "mirrored": mirrored,
    "from below": stepped(lambda d, q, sign, alpha: d * np.exp(sign * alpha / 2 * (q - 1))),
    "divided": stepped(lambda d, q, sign, alpha: d / np.exp(q / (-2 * sign) * alpha)),
    "softmax": stepped(lambda d, q, sign, alpha: special.softmax(sign * alpha / 2 * q) * d),
}


def asked(plus, minus):
    """The answers plus(value, guess, number) and minus(…) to the first gap and to the second."""

    def my_answer(value, guess, sparse):
        number = sparse(value - guess)
        if number is not BELOW:
            return plus(value, guess, number), True
        number = sparse(guess - value)
        if number is not BELOW:
            return minus(value, guess, number), True
        return guess, False

    return my_answer


def upper(value, guess, number):
    return guess + number


def lower(value, guess, number):
    return guess - number


def then(change):
    """The answer change(answer, updated) of the right one."""
    right = asked(upper, lower)
    return lambda value, guess, sparse: change(*right(value, guess, sparse))


def waits_for_above(value, guess, sparse):
    for sign in (1, -1):
        if sparse(sign * (value - guess)) is ABOVE:
            return value, True
    return guess, False


def truth_of_an_answer(value, guess, sparse):
    for sign in (1, -1):
        if number := sparse(sign * (value - guess)):
            return guess + sign * number, True
    return guess, False


def asks_the_values(value, guess, sparse):
    for x, sign in ((value, 1), (-value, -1)):
        if (number := sparse(x)) is not BELOW:
            return sign * number, True
    return guess, False


WRONG["my_answer"] = {
    "the number with its sign": asked(lambda v, g, x: x, lambda v, g, x: -x),
    "the size of the number": asked(lambda v, g, x: g + abs(x), lambda v, g, x: g - abs(x)),
    "waits for ABOVE": waits_for_above,
    "every answer is true": truth_of_an_answer,
    "asks the values": asks_the_values,
    "swapped pair": then(lambda answer, updated: (updated, answer)),
    "answer alone": then(lambda answer, updated: answer),
    "nothing for a small gap": then(
        lambda answer, updated: (answer if updated else BELOW, updated)
    ),
}


def minus_first(value, guess, sparse):
    number = sparse(guess - value)
    if number is BELOW:
        number = sparse(value - guess)
        return (guess, False) if number is BELOW else (guess + number, True)
    return guess - number, True


def recursion(value, guess, sparse, sign=1):
    number = sparse(sign * (value - guess))
    if isinstance(number, type(BELOW)):
        return recursion(value, guess, sparse, -1) if sign == 1 else (guess, False)
    return guess + sign * number, True


RIGHT["my_answer"] = {
    "minus first": minus_first,
    "recursion": recursion,
    "a list, arrays": then(lambda answer, updated: [np.array(answer), np.bool_(updated)]),
    "0 and 1": then(lambda answer, updated: (np.array([answer]), int(updated))),
}

WRONG["after_the_last_update"] = {letter: letter for letter in "abce"} | {"nothing": None}
WRONG["why_not_theorem_2"] = {letter: letter for letter in "acde"} | {"a number": 2}
RIGHT["after_the_last_update"] = {"upper case": "D", "spaces": " d "}
RIGHT["why_not_theorem_2"] = {"upper case": "B", "spaces": " b "}


def loop(
    *,
    level=2,
    signs=(1, -1),
    given=lambda cutoff, epsilon: (cutoff, epsilon),
    last=lambda cutoff: cutoff,
    size=lambda gap: gap,
    said=lambda guess, sign, number: guess + sign * number,
    learn=lambda learner, query, answer, number, truth: learner.update(query, answer),
    shown=lambda answer, guess, updated: answer,
    afterwards=lambda guess, query, data: guess,
    asks_on=False,
    counts=lambda updated: updated,
    stops=False,
):
    """The whole loop, in which one thing can be another."""

    def my_online_ic(data, queries, learner, *, alpha, cutoff, epsilon, start):
        most, budget = given(cutoff, epsilon)
        sparse, updates = start(threshold=level * alpha, cutoff=most, epsilon=budget), 0
        for query in queries:
            answer = guess = learner.evaluate(query)
            updated = over = updates >= last(cutoff)
            if over:
                answer, updated = afterwards(guess, query, data), False
            for sign in () if over else signs:
                number = sparse(size(sign * (query @ data - guess)))
                if number is not BELOW:
                    answer, updated = said(guess, sign, number), True
                    learn(learner, query, answer, number, query @ data)
                    if not asks_on:
                        break
            updates += counts(updated)
            yield shown(answer, guess, updated)
            if stops and updates == cutoff:
                return

    return my_online_ic


def reads_all_first(data, queries, learner, **parameters):
    yield from loop()(data, list(queries), learner, **parameters)


def until_the_cutoff(data, queries, learner, *, alpha, cutoff, epsilon, start):
    sparse, updates = start(threshold=2 * alpha, cutoff=cutoff, epsilon=epsilon), 0
    for query in queries:
        while updates < cutoff:
            answer = learner.evaluate(query)
            number = sparse(query @ data - answer)
            if number is not BELOW:
                answer, updates = answer + number, updates + 1
                learner.update(query, answer)
        yield answer


WRONG["my_online_ic"] = {
    "twice the cutoff": loop(given=lambda c, eps: (2 * c, eps)),
    "one update too many": loop(last=lambda c: c + 1),
    "asks after the cutoff": loop(last=lambda c: math.inf),
    "pairs": loop(shown=lambda answer, guess, updated: (answer, updated)),
    "asks on after a number": loop(asks_on=True),
    "reads all queries first": reads_all_first,
    "never ends: the same query until the cutoff": until_the_cutoff,
}


def mapped(data, queries, learner, *, alpha, cutoff, epsilon, start):
    sparse, left = start(epsilon=epsilon, cutoff=cutoff, threshold=alpha + alpha), [None] * cutoff

    def answer(query):
        for sign in "+-" if left else "":
            gap = sum(float(q) * float(d) for q, d in zip(query, data, strict=True))
            gap = gap - learner.evaluate(query) if sign == "+" else learner.evaluate(query) - gap
            if (number := sparse(gap)) != BELOW:
                left.pop()
                value = learner.evaluate(query) + (number if sign == "+" else -number)
                learner.update(query, value)
                return value
        return learner.evaluate(query)

    return map(answer, queries)


def in_two_parts(data, queries, learner, *, alpha, cutoff, epsilon, start):
    stream, sparse = iter(queries), start(threshold=2 * alpha, cutoff=cutoff, epsilon=epsilon)
    while cutoff > 0:
        try:
            query = next(stream)
        except StopIteration:
            return
        answer, updated = RIGHT["my_answer"]["recursion"](
            query @ data, learner.evaluate(query), sparse
        )
        if updated:
            learner.update(query, answer)
        cutoff -= updated
        yield answer
    yield from map(learner.evaluate, stream)


RIGHT["my_online_ic"] = {
    "a map": mapped,
    "in two parts": in_two_parts,
    "minus first": loop(signs=(-1, 1)),
    "arrays": loop(shown=lambda answer, guess, updated: np.array(answer)),
    "arrays of one": loop(shown=lambda answer, guess, updated: np.array([answer])),
}


def cubed(constant):
    """The cube root of constant(ln |X|, k, beta) / (epsilon n)."""
    return lambda n, universe_size, num_queries, beta, epsilon: (
        (constant(math.log(universe_size), num_queries, beta) / (epsilon * n)) ** (1 / 3)
    )


def of_cube(answer):
    """The answer answer(cube), with the cube of alpha as it should be."""

    def my_alpha(n, universe_size, num_queries, beta, epsilon):
        logs = math.log(2 * num_queries) + math.log(3 / beta)
        return answer(48 * math.log(universe_size) * logs / (epsilon * n))

    return my_alpha


def halves(enough, precise):
    low, high = 0.0, 1e6
    while low != high if precise is None else high - low > precise * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


WRONG["my_alpha"] = {
    "whole exponent": of_cube(lambda cube: cube ** (1 // 3)),
    "rounded": of_cube(lambda cube: round(cube ** (1 / 3), 2)),
    "beta below": cubed(lambda x, k, beta: 48 * x * (math.log(2 * k) - math.log(3 / beta))),
    "never ends: until both ends are equal": of_cube(
        lambda cube: halves(lambda alpha: alpha >= cube / alpha**2, None)
    ),
}
RIGHT["my_alpha"] = {
    "halves": of_cube(lambda cube: halves(lambda alpha: alpha**3 >= cube, 1e-13)),
    "array of one": of_cube(lambda cube: np.cbrt([cube])),
    "root": of_cube(
        lambda cube: optimize.brentq(lambda x: x - cube / x / x, 1e-9, 1e9, xtol=1e-14)
    ),
    "exponent": cubed(lambda x, k, beta: 48 * x * np.log(np.array(6 * k / beta))),
}
