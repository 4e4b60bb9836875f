"""Answers to the exercises of notebook 03: wrong ones, and right ones in unusual styles."""

import math

import numpy as np
from scipy import integrate, stats

from course_lib.checks.solutions.lecture11_sparse import my_log_ratio

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def in_pieces(lowest):
    """The integrals over thresholds from `lowest` times 1/ε on, in logarithms."""

    def answer(m, number, cutoff, epsilon):
        if number <= 0:
            return m * epsilon / (2 * cutoff)
        marks = (lowest / epsilon, lowest / 10 / epsilon, 0, 1)
        ends = sorted({*(x for x in marks if x < number), number})

        def integral(value):
            def integrand(z):
                below = stats.laplace.logcdf(z - value, scale=2 * cutoff / epsilon)
                return math.exp(m * below - abs(z) * epsilon / 2)

            pairs = zip(ends, ends[1:], strict=False)
            return sum(integrate.quad(integrand, a, b, epsabs=0)[0] for a, b in pairs)

        return np.array(math.log(integral(0)) - math.log(integral(1)))

    return answer


WRONG["my_log_ratio"] = {
    "as the theorem has it": lambda m, number, cutoff, epsilon: min(
        epsilon, my_log_ratio(m, number, cutoff, epsilon)
    ),
    "right for numbers of at most 1": lambda m, number, cutoff, epsilon: my_log_ratio(
        m, min(number, 1), cutoff, epsilon
    ),
    "thresholds from 0 on": in_pieces(0),
}


def by_quantiles(m, number, cutoff, epsilon):
    level, noise = stats.laplace(scale=2 / epsilon), stats.laplace(scale=2 * cutoff / epsilon)
    marks = [level.cdf(x) for x in (0, 1) if x < number] or None

    def integral(value):
        return integrate.quad(
            lambda u: noise.cdf(level.ppf(u) - value) ** m,
            *(0, level.cdf(number)),
            points=marks,
            epsabs=0,
            limit=200,
        )[0]

    return math.log(integral(0)) - math.log(integral(1))


RIGHT["my_log_ratio"] = {
    "in pieces, 0-d array": in_pieces(-100),
    "over the quantiles of the threshold": by_quantiles,
}

RIGHT["which_step"] = {"upper case": "B"}

WRONG["breaks_at"] = {"not more, as much": 60, "one too far": 62}
RIGHT["breaks_at"] = {"float": 61.0}
