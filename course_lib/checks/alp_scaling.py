"""Notebook 08’s reduction: ALP with budget ε from ALP1, which has budget 1."""

import math

import numpy as np

from course_lib.alp_bounds import alp_expected_error
from course_lib.checks.alp_arrays import as_numbers
from course_lib.checks.exercise import NotYet, exercise
from course_lib.checks.one_number import judge


def scripted(values, cap, alpha):
    """An ALP1 without chance: it depends on all that it is given, and of 0 it makes more."""
    kept = np.minimum(np.asarray(values, dtype=float), cap)
    return kept * kept / (kept + alpha + 1) + alpha / 10 + cap / 50


def scaled(values, cap, alpha, epsilon, x, together, zeros, source, *powers):
    """One estimate; values, cap, alpha and what comes back times ε to these powers.

    `together` has all powers, or the factor in place of ε where the powers are right; `zeros` is
    what an entry of 0 comes back as, if alp1 has no part in it; `source` is where the cap is from.
    """
    if zeros is not None and values[x] == 0:
        return zeros
    cap = source(cap, values)
    if callable(together):
        epsilon, together = together(epsilon), (1, 1, 0, -1)
    values_by, cap_by, alpha_by, back_by = (epsilon**k for k in together or powers)
    return back_by * scripted(values[x] * values_by, cap * cap_by, alpha * alpha_by)


def _error(alpha, epsilon):
    return float(alp_expected_error(alpha=alpha, epsilon=epsilon))


_SPENDS = "alp1 spends 1 on a change of 1, so"
_LOSS = (
    f"{_SPENDS} the release costs 1 whatever ε is: at ε = 0.5 it is not ε-private, and at ε = 2 "
    "half the budget is unused."
)
_INVERSE = f"{_SPENDS} the release costs 1/ε: 2 at ε = 0.5, four times the budget."
_FROM_VALUES = (
    "your cap is taken from the values: the number of levels then tells how large the largest is, "
    "without noise. A neighbour whose largest is a little more may need one level more, and the "
    "loss is infinite. Use the given cap: it is chosen without looking at the values."
)
AXES = [
    [
        (None, ""),
        ((0, 0, 0, 0), f"nothing is scaled: this is alp1 itself. {_LOSS} Multiply values and cap "
         "by ε, and divide what comes back."),
        ((0, 0, 0, -1), f"values and cap go in as they are, and only the estimates are divided. "
         f"{_LOSS} And the estimates are 1/ε times too large."),
        ((-1, -1, 0, 1), f"ε is the wrong way round: you divide first and multiply after. "
         f"{_INVERSE} Multiply values and cap by ε, and divide what comes back."),
        ((-1, 0, 0, 1), f"ε is the wrong way round: you divide first and multiply after. "
         f"{_INVERSE} Besides, cap is not scaled: it is on the scale of the values."),
        ((0, 0, -1, 0), "you scale α, and neither values nor cap. ALP1 costs 1 whatever α is: "
         "α sets how wide a level is, not the budget. Multiply values and cap by ε."),
        ((0, 0, 1, 0), "you scale α, and neither values nor cap. ALP1 costs 1 whatever α is: "
         "α sets how wide a level is, not the budget. Multiply values and cap by ε."),
        (math.expm1, "you scale by e^ε − 1. That is for a change in one entry; alp1’s neighbours "
         f"may spread it over many, and that costs up to e^ε − 1 > ε, {math.expm1(2):.2f} at "
         "ε = 2. Multiply values and cap by ε, and divide what comes back."),
    ],
    [
        (None, ""),
        (0.0, "you leave out the zeros: they come back as exactly 0, and alp1 may make more of "
         "them. Which entries are zero is private. A neighbour with a little in such a place may "
         "come back with more than 0 there, which yours never does: the loss is infinite. Give "
         "alp1 all entries, and return what it estimates for each."),
    ],
    [
        (lambda cap, values: cap, ""),
        (lambda cap, values: min(cap, values.max()), f"{_FROM_VALUES} (That it is never above the "
         "given cap does not help.)"),
        (lambda cap, values: values.max(), _FROM_VALUES),
    ],
    [
        (1, ""),
        (0, f"the values are not scaled. {_LOSS} And what comes back is 1/ε times too large."),
        (-1, f"you divide the values by ε. {_INVERSE} Multiply them."),
        (2, f"you multiply the values by ε². {_SPENDS} the release costs ε²: at ε = 2 that is "
         "twice the budget."),
    ],
    [
        (1, ""),
        (0, "cap is not scaled with the values. At ε = 2 a value above cap/2 is cut off; at "
         "ε = 0.5 half of the levels are never reached, and space and time are wasted. (Privacy is "
         "not touched.) Multiply cap by ε as well."),
        (-1, "you divide cap by ε, and the values are multiplied. At ε = 2 a value above cap/4 is "
         "cut off. (Privacy is not touched.) Multiply cap by ε as well."),
        (2, "you multiply cap by ε²: it is scaled once, as the values are. At ε = 0.5 a value "
         "above cap/2 is cut off. (Privacy is not touched.)"),
    ],
    [
        (0, ""),
        (1, "you scale α too. This is still ε-private, because ALP1 costs 1 whatever α is, but it "
         "is ALP with another α: at ε = 0.5, α = 3 becomes 1.5 and the bound on the error "
         f"{_error(1.5, 0.5):.2f}, not {_error(3, 0.5):.2f}."),
        (-1, "you divide α by ε. This is still ε-private, because ALP1 costs 1 whatever α is, but "
         "it is ALP with another α: at ε = 0.5, α = 3 becomes 6 and the bound on the error "
         f"{_error(6, 0.5):.2f}, not {_error(3, 0.5):.2f}."),
    ],
    [
        (-1, ""),
        (0, "you do not divide what comes back by ε. The estimates are of ε·x: at ε = 0.5 each is "
         "half of what it should be. (Privacy is not touched.)"),
        (1, "you multiply what comes back by ε. The estimates are of ε·x: divide by ε. (Privacy is "
         "not touched.)"),
        (-2, "you divide what comes back by ε². Once is enough. (Privacy is not touched.)"),
    ],
]  # fmt: skip


def _case(values, cap, alpha, epsilon):
    return {"values": np.array(values), "cap": cap, "alpha": alpha, "epsilon": epsilon}


CALLS = (
    _case([0.0, 3.0, 12.5, 40.0], 20.0, 3.0, 0.5),
    _case([1.0, 7.0, 11.0, 30.0, 18.0], 16.0, 4.0, 2.0),
    _case([2.5, 9.0, 60.0], 50.0, 2.5, 0.2),
    _case([5.0, 26.0, 21.0], 24.0, 1.0, 1.6),
    _case([0.0, 6.0, 2.0, 0.0, 9.5, 6.0], 30.0, 3.5, 0.8),  # all below cap, and some are equal
)
ENTRIES = tuple(case | {"x": x} for case in CALLS for x in range(len(case["values"])))


class _Watched:
    """The student’s function, given a scripted alp1; gives one entry, keeps how often it asks."""

    def __init__(self, function):
        self.function, self.calls = function, []

    def __call__(self, values, cap, alpha, epsilon, x):
        asked, size = [], len(values)

        def alp1(values, cap, alpha):
            asked.append(np.size(values))
            return scripted(values, cap, alpha)

        alp1.__qualname__ = "alp1"  # for the message of a call that does not fit
        result = self.function(values, cap, alpha, epsilon, alp1)
        estimates = as_numbers(result, (size,), "estimates")
        self.calls.append(sum(asked) / size)
        return estimates[x]


def _in_words(case):
    values = ", ".join(f"{value:g}" for value in case["values"])
    return "values [{}], cap = {cap:g}, α = {alpha:g} and ε = {epsilon:g}".format(values, **case)


def _witness(case, number, exact):
    return f"(That is entry {case['x']}, with an alp1 that leaves nothing to chance.)"


@exercise
def check_alp_scaling(function):
    """Judge `function(values, cap, alpha, epsilon, alp1)`: estimates with the budget ε."""
    watched = _Watched(function) if callable(function) else function
    try:
        judge(
            watched,
            ENTRIES,
            model=scaled,
            axes=AXES,
            words=_in_words,
            remark="alp1 takes an array of values, cap and α, and returns an array of estimates.",
            witness=_witness,
        )
    except NotYet:
        if callable(function) and watched.calls and not any(watched.calls):
            raise NotYet(
                "you never call alp1. It adds the noise: what is returned without it is either the "
                "data themselves or no estimate."
            ) from None
        raise
    if max(watched.calls) > 1:
        raise NotYet(
            "the numbers are right, but you ask alp1 about the same entries more than once. Each "
            f"call has noise of its own, and is paid for: {max(watched.calls):g} calls cost "
            f"{max(watched.calls):g}ε. Call it once, and keep what it returns."
        )
    if min(watched.calls) < 1:
        raise NotYet(
            "the numbers are right, but you do not ask alp1 about each entry: some that are equal "
            "share one estimate. These then always come back equal, and others do not: which "
            "entries are equal is private. Give alp1 all entries."
        )
    return (
        f"in {len(CALLS)} cases values and cap go in times ε and the estimates come back divided "
        "by ε; α stays. Neighbours are then at most ε apart for alp1, which spends at most as "
        "much as they differ: ε in all. Its error is divided by ε as well: the bound is "
        "(α/2 + 4 + 4/α)/ε."
    )
