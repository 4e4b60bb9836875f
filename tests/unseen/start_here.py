"""Answers to the exercises of notebook 00, written without sight of its checks."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import stats

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


# my_release


def kept_noise():
    drawn = []

    def my_release(count, *, epsilon, rng):
        if not drawn:
            drawn.append(rng.laplace(scale=1 / epsilon))
        return count + drawn[0]

    return my_release


def noise_printed(count, *, epsilon, rng):
    count += rng.laplace(scale=1 / epsilon)


def never_zero(count, *, epsilon, rng):
    noise = rng.laplace(scale=1 / epsilon)
    while noise != 0:
        noise = rng.laplace(scale=1 / epsilon)
    return count + noise


WRONG["my_release"] = {
    "scale in the place of loc": lambda count, *, epsilon, rng: count + rng.laplace(1 / epsilon),
    "whole-number division": lambda count, *, epsilon, rng: count + rng.laplace(0, 1 // epsilon),
    "noise cut to a whole number": lambda count, *, epsilon, rng: (
        count + float(int(rng.laplace(scale=1 / epsilon)))
    ),
    "average of ten releases": lambda count, *, epsilon, rng: (
        count + rng.laplace(scale=1 / epsilon, size=10).mean()
    ),
    "a generator of its own, always the same": lambda count, *, epsilon, rng: (
        count + np.random.default_rng(0).laplace(scale=1 / epsilon)
    ),
    "gives the noise away": lambda count, *, epsilon, rng: (count, rng.laplace(scale=1 / epsilon)),
    "noise drawn once and kept": kept_noise(),
    "nothing returned": noise_printed,
    "never ends: waits for noise 0": never_zero,
}


def by_inversion(count, *, epsilon, rng):
    uniform = rng.random() - 0.5
    return count - math.copysign(1, uniform) * math.log1p(-2 * abs(uniform)) / epsilon


RIGHT["my_release"] = {
    "standard noise, divided": lambda count, *, epsilon, rng: count - rng.laplace() / epsilon,
    "two exponentials": lambda count, *, epsilon, rng: (
        count + float(np.subtract(*rng.exponential(1 / epsilon, size=2)))
    ),
    "frozen distribution": lambda count, *, epsilon, rng: stats.laplace(
        loc=count, scale=1 / epsilon
    ).rvs(random_state=rng),
    "count as loc, one-element array": lambda count, *, epsilon, rng: rng.laplace(
        count, 1 / epsilon, size=1
    ),
    "0-d array": lambda count, *, epsilon, rng: np.array(count + rng.laplace(0, 1 / epsilon)),
    "inverse of the cdf": by_inversion,
}


# my_count


def flipped(epsilon):
    return 1 / (1 + math.exp(epsilon))


def estimate(probability):
    def my_count(yes, n, epsilon):
        p = probability(epsilon)
        return (yes - n * p) / (1 - 2 * p)

    return my_count


WRONG["my_count"] = {
    "powers of 2": estimate(lambda e: 1 / (1 + 2**e)),
}


def in_fractions(yes, n, epsilon):
    flip = Fraction(flipped(epsilon))
    return (Fraction(int(yes)) - int(n) * flip) / (1 - 2 * flip)


RIGHT["my_count"] = {
    "by shares": lambda yes, n, epsilon: n * (yes / n - flipped(epsilon)) / math.tanh(epsilon / 2),
    "two equations": lambda yes, n, epsilon: np.linalg.solve(
        [[1 - flipped(epsilon), flipped(epsilon)], [1, 1]], [yes, n]
    )[0],
    "multiplied out": lambda yes, n, epsilon: (
        (yes * (math.exp(epsilon) + 1) - n) / math.expm1(epsilon)
    ),
    "Fraction": in_fractions,
    "0-d array": lambda yes, n, epsilon: np.array(estimate(flipped)(yes, n, epsilon)),
}


# my_answers


def never_paid(budget, alpha, beta):
    answers, spent = 0, 0
    while spent <= budget:
        answers += 1
    return answers


WRONG["my_answers"] = {
    "logarithm to base 2": lambda budget, alpha, beta: int(budget * alpha / -math.log2(beta)),
    "sign of the logarithm": lambda budget, alpha, beta: int(budget * alpha / math.log(beta)),
    "alpha forgotten": lambda budget, alpha, beta: int(budget / math.log(1 / beta)),
    "rounded too early": lambda budget, alpha, beta: int(budget * int(alpha / math.log(1 / beta))),
    "standard deviation for scale": lambda budget, alpha, beta: int(
        budget * alpha / (math.sqrt(2) * math.log(1 / beta))
    ),
    "Chebyshev": lambda budget, alpha, beta: int(budget * alpha * math.sqrt(beta / 2)),
    "never ends: nothing is spent": never_paid,
}


def by_counting(budget, alpha, beta):
    price = -math.log(beta) / alpha
    return next(k for k in itertools.count() if (k + 1) * price > budget)


RIGHT["my_answers"] = {
    "floor division, a float": lambda budget, alpha, beta: budget * alpha // -math.log(beta),
    "cut by int": lambda budget, alpha, beta: int(-budget * alpha / math.log(beta)),
    "counts": by_counting,
    "quantile of the noise": lambda budget, alpha, beta: np.int64(
        budget * alpha / stats.laplace.isf(beta / 2)
    ),
}
