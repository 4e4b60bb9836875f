"""Answers to the exercises of notebook 00 that come near to being right."""

import math

from course_lib.checks.solutions.start_here import my_answers, my_count


def scaled(factor):
    """A count with Laplace noise of so many times the scale it needs."""

    def answer(count, *, epsilon, rng):
        return count + rng.laplace(scale=factor / epsilon)

    return answer


def cut_noise(count, *, epsilon, rng):
    return count + min(4, max(-4, rng.laplace(scale=1 / epsilon) * epsilon)) / epsilon


WRONG = {
    "my_release": {
        "a quarter too wide": scaled(1.25),
        "a fifth too narrow": scaled(0.8),
        "noise cut off at four times its scale": cut_noise,
        "0 where the count is 0": lambda count, **given: count and scaled(1)(count, **given),
    },
    "my_count": {
        "never above n": lambda yes, n, epsilon: min(n, my_count(yes, n, epsilon)),
        "never below 0": lambda yes, n, epsilon: max(0, my_count(yes, n, epsilon)),
        "whole-number division": lambda yes, n, epsilon: my_count(yes, n, epsilon) // 1,
    },
    "my_answers": {
        "at most a hundred": lambda budget, alpha, beta: min(100, my_answers(budget, alpha, beta)),
        "one where a little is missing": lambda budget, alpha, beta: math.floor(
            budget * alpha / math.log(1 / beta) + 0.01
        ),
    },
}
