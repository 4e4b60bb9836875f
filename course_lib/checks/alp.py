"""The exercises of notebook 08: flips, rounding, the estimator, the budget, the best α."""

import functools
import math

from scipy.optimize import minimize_scalar

from course_lib.alp import alp_expected_error
from course_lib.checks.alp_estimate import check_estimate
from course_lib.checks.alp_flip import check_flip
from course_lib.checks.alp_rounding import check_rounding
from course_lib.checks.alp_scaling import check_alp_scaling
from course_lib.checks.exercise import NotYet, exercise
from course_lib.checks.one_number import ask, judge, values

__all__ = [
    "check_alp_scaling",
    "check_best_alpha",
    "check_estimate",
    "check_flip",
    "check_rounding",
]


def rooted(part):
    """2/√(1 − part): the minimum of −part·α + α + 4 + 4/α."""
    return 2 / math.sqrt(1 - part)


@functools.cache
def lowest(bound, load, start):
    """The α that minimises a bound which has no closed form for it."""
    found = minimize_scalar(
        lambda above: bound(start + math.exp(above), load), bounds=(-8, 8), method="bounded",
        options={"xatol": 1e-9},
    )  # fmt: skip
    return start + math.exp(found.x)


def _without_factor(alpha, load):
    certainty = 1 - 2 * load - 2 / (alpha + 2)
    return alpha * (1 / certainty**2 - 0.5)


def _other_p(alpha, load):
    certainty = (1 - 2 * load) * (alpha - 1) / (alpha + 1)
    return alpha * (1 / certainty**2 - 0.5)


def _bound(load):
    return float(alp_expected_error(load=load, alpha=rooted((1 - 2 * load) ** 2 / 2), epsilon=1))


_BOUND = (
    "The bound is (α/ε)·(½ + 4g(1−g)/(1−2g)²), where 1 − 2g = (1 − 2·load)·α/(α + 2); so "
    "4g(1−g)/(1−2g)² is 1/(1−2g)² − 1."
)
AXES = [
    [
        (lambda load: rooted((1 - 2 * load) ** 2 / 2), ""),
        (lambda load: rooted(0.5), "this is 2√2 whatever the load is. It is the best α without "
         "collisions; with them a bit misleads more often, for every α, and the best α changes. "
         f"{_BOUND}"),
        (lambda load: 4.0, "this is 4 whatever the load is, the best α for the paper’s Equation 1: "
         f"α·(½ + 8(α+1)/α²) = α/2 + 8 + 8/α. Our bound has 4 + 4/α at its end. {_BOUND}"),
        (lambda load: 2.0, "this is 2 whatever the load is. It comes out if rounding counts as a "
         "whole level in place of a half, or if the term of the walk is 2g(1−g)/(1−2g)², that of "
         f"an entry of 0. {_BOUND}"),
        (lambda load: rooted((1 - 2 * load) ** 2), "the ½ for rounding is missing, or you minimise "
         "the error of an entry of 0, which rounding leaves alone. Both are lowest at "
         "2/√(1 − (1 − 2·load)²), and fall for ever if load = 0: wide levels cost nothing but "
         f"rounding. {_BOUND}"),
        (lambda load: rooted(3 * (1 - 2 * load) ** 2 / 4), "rounding counts as a quarter of a "
         f"level. The mean distance 2f(1−f) is up to ½. {_BOUND}"),
        (lambda load: rooted(2 * (1 - 2 * load) ** 2 / 3), "rounding counts as a third of a "
         "level, its average over all fractions f. The bound is for the worst value, f = ½: "
         f"2f(1−f) = ½. {_BOUND}"),
        (lambda load: lowest(_without_factor, load, 4 * load / (1 - 2 * load)), "your g is "
         "p + load. A collision sets a bit that is flipped with probability p after that, so that "
         "it misleads with probability 1 − p, and not 1: g = p + load·(1 − 2p). "
         f"{_BOUND}"),
        (lambda load: lowest(_other_p, load, 1.0), "your p is 1/(α + 1), and it is 1/(α + 2). "
         f"{_BOUND}"),
        (lambda load: rooted((1 - load) ** 2 / 2), "you have 1 − load where 1 − 2·load belongs. "
         f"{_BOUND}"),
        (_bound, "you return the bound at the best α, for ε = 1. Asked for is the α itself."),
        (lambda load: rooted((1 - 2 * load) ** 2 / 2) / 2, "this is half of the best α: the "
         "derivative is zero where 4/α² = 1 − (1 − 2·load)²/2."),
        (lambda load: rooted((1 - 2 * load) ** 2 / 2) ** 2, "this is α². Take the root."),
        (lambda load: 2 / (1 - (1 - 2 * load) ** 2 / 2), "the root is missing: the derivative is "
         "zero where 4/α² = 1 − (1 − 2·load)²/2."),
        (lambda load: rooted((1 - 2 * load) / 2), "1 − 2·load is not squared. "
         f"{_BOUND}"),
        (lambda load: rooted(-((1 - 2 * load) ** 2) / 2), "a sign is wrong: the derivative is zero "
         "where 4/α² = 1 − (1 − 2·load)²/2."),
        (lambda load: rooted(0.5) * (1 - 2 * load), "you have 2√2·(1 − 2·load). The load does not "
         f"scale α: 1 − 2·load divides one part of the bound, the walk’s. {_BOUND}"),
        (lambda load: rooted(0.5) / (1 - 2 * load), "you have 2√2/(1 − 2·load). The load does not "
         f"scale α: 1 − 2·load divides one part of the bound, the walk’s. {_BOUND}"),
    ]
]  # fmt: skip
LOADS = tuple({"load": load} for load in (0.1, 0.0, 0.02, 0.2, 0.3, 0.4))
TOLERANCE = 0.005  # for a slip that is found by a search, in steps of 0.02
EXCESS = 1e-4  # of the bound, over the smallest: a search in steps of 0.05 is good enough
_EDGE = 8  # where there is no minimum, a search ends at the edge of where it looks


def best(load, choice):
    return choice(load)


def _in_words(case):
    return "load = {load:g}".format(**case)


def _near(number, known):
    if math.isnan(known):  # no minimum
        return math.isnan(number) or number > _EDGE
    return math.isclose(number, known, rel_tol=TOLERANCE)


def good(number, load):
    """Is the bound with this α the smallest, or nearly so?"""
    least = _bound(load)
    return number > 0 and float(alp_expected_error(load=load, alpha=number, epsilon=1)) <= least * (
        1 + EXCESS
    )


def _known(numbers):
    """0 if these are right for all loads, else the number of the slip near them, or None."""
    if all(good(number, **case) for number, case in zip(numbers, LOADS, strict=True)):
        return 0
    for i, (choice, _) in enumerate(AXES[0][1:], start=1):
        if all(map(_near, numbers, values(best, LOADS, [choice]))):
            return i
    return None


def _witness(case, number, exact):
    if number <= 0:
        return "α is positive."
    have, least = (
        float(alp_expected_error(**case, alpha=alpha, epsilon=1)) for alpha in (number, exact)
    )
    return f"The bound, times ε, is {have:.4f} with your α and {least:.4f} with the best."


@exercise
def check_best_alpha(function):
    """Judge `function(load)`: the α for which the bound on an entry’s error is smallest."""
    numbers, *_ = ask(function, LOADS, _in_words)
    known = _known(numbers)
    if known is None:
        judge(
            function,
            LOADS,
            model=best,
            axes=[AXES[0][:1]],
            words=_in_words,
            remark="(load is k/s, from 0 to below 1/2, not s/k.)",
            witness=_witness,
        )
    elif known > 0:
        case, number, exact = LOADS[0], numbers[0], best(**LOADS[0], choice=AXES[0][0][0])
        raise NotYet(
            f"{AXES[0][known][1]}\nFor {_in_words(case)} you return {number:.6g}, and it is "
            f"{exact:.6g}. {_witness(case, number, exact)}"
        )
    return (
        f"for {len(LOADS)} loads your α makes the bound smallest: 2/√(1 − (1 − 2·load)²/2), from "
        f"2√2 = 2.83 without collisions, where it is {_bound(0.0):.2f}/ε, down to 2 as s falls "
        f"towards 2k. At load 0.1 the best is {rooted(0.32):.3f}, with {_bound(0.1):.2f}/ε. It is "
        "flat there: with α = 4 the bound is "
        f"{float(alp_expected_error(load=0.1, alpha=4, epsilon=1)):.2f}/ε."
    )
