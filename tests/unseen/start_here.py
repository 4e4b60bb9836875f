"""Answers to the exercises of notebook 00: wrong ones, and right ones in unusual styles."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import stats

from course_lib.checks.solutions.start_here import my_answers, my_count

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def never_zero(count, *, epsilon, rng):
    noise = rng.laplace(scale=1 / epsilon)
    while noise != 0:
        noise = rng.laplace(scale=1 / epsilon)
    return count + noise


def cut_noise(reach):
    return lambda count, *, epsilon, rng: (
        count + min(reach, max(-reach, rng.laplace(scale=1 / epsilon) * epsilon)) / epsilon
    )


WRONG["my_release"] = {
    "a fifth too narrow": lambda count, epsilon, rng: count + rng.laplace(scale=0.8 / epsilon),
    "noise cut off at four times its scale": cut_noise(4),
    "noise cut off at five times its scale": cut_noise(5),
    "0 where the count is 0": lambda count, epsilon, rng: (
        count and count + rng.laplace(scale=1 / epsilon)
    ),
    "a generator of its own, always the same": lambda count, epsilon, rng: (
        count + np.random.default_rng(0).laplace(scale=1 / epsilon)
    ),
    "gives the noise away": lambda count, epsilon, rng: (count, rng.laplace(scale=1 / epsilon)),
    "never ends: waits for noise 0": never_zero,
}
RIGHT["my_release"] = {
    "standard noise, divided": lambda count, epsilon, rng: count - rng.laplace() / epsilon,
    "four decimals": lambda count, epsilon, rng: round(count + rng.laplace(0, 1 / epsilon), 4),
    "count as loc, array of one": lambda count, epsilon, rng: rng.laplace(
        count, 1 / epsilon, size=1
    ),
    "frozen distribution": lambda count, epsilon, rng: stats.laplace(count, 1 / epsilon).rvs(
        random_state=rng
    ),
}


def in_fractions(yes, n, epsilon):
    flip = Fraction(1 / (1 + math.exp(epsilon)))
    return (Fraction(int(yes)) - int(n) * flip) / (1 - 2 * flip)


WRONG["my_count"] = {"never above n": lambda yes, n, epsilon: min(n, my_count(yes, n, epsilon))}
RIGHT["my_count"] = {
    "Fraction": in_fractions,
    "multiplied out, 0-d array": lambda yes, n, epsilon: np.array(
        (yes * (math.exp(epsilon) + 1) - n) / math.expm1(epsilon)
    ),
}


def by_counting(budget, alpha, beta):
    price = -math.log(beta) / alpha
    return next(k for k in itertools.count() if (k + 1) * price > budget)


WRONG["my_answers"] = {
    "at most a hundred": lambda budget, alpha, beta: min(100, my_answers(budget, alpha, beta)),
    "one where a little is missing": lambda budget, alpha, beta: math.floor(
        budget * alpha / math.log(1 / beta) + 0.01
    ),
}
RIGHT["my_answers"] = {
    "floor division, a float": lambda budget, alpha, beta: budget * alpha // -math.log(beta),
    "counts": by_counting,
}
