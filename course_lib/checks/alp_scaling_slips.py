"""Notebook 08’s reduction to ALP1: the known slips with ε and Δ, and what each of them does."""

import math

from course_lib.alp import alp_expected_error
from course_lib.checks.exercise import monomial

IN, OUT, AS_IT_IS = (1, -1), (-1, 1), (0, 0)  # the powers of ε and of Δ
_EPSILON, _DELTA = 0.5, 3.0  # for the numbers in the sentences
_HERE = f"at ε = {_EPSILON:g} and Δ = {_DELTA:g}"
_PRIVATE = "(Privacy is not touched.)"
_WRONG_IN = {
    (1, 0): "Δ is forgotten",
    (0, -1): "ε is forgotten",
    (1, 1): "Δ multiplies and should divide",
    (-1, 1): "this is upside down",
    (-1, -1): "ε divides and should multiply",
    (-1, 0): "this is upside down, without Δ",
    (0, 1): "Δ multiplies and should divide, and ε is forgotten",
    (2, -1): "ε comes in twice",
    (1, -2): "Δ comes in twice",
}
_WRONG_OUT = {
    (-1, 0): "Δ is forgotten",
    (0, 1): "ε is forgotten",
    (-1, -1): "Δ divides and should multiply",
    (1, -1): "you scale once more, and not back",
    (1, 1): "ε multiplies and should divide",
    (-2, 1): "ε comes in twice",
    (-1, 2): "Δ comes in twice",
}


def _name(powers):
    return monomial(1, dict(zip("εΔ", powers, strict=True)))


def _factor(powers, right=AS_IT_IS, epsilon=_EPSILON):
    """The powers as a number, over the right ones."""
    return epsilon ** (powers[0] - right[0]) * _DELTA ** (powers[1] - right[1])


def _cost(powers):
    """What the release costs if the values go in times these powers."""
    cost = (powers[0], powers[1] + 1)  # alp1 spends as much as its inputs differ
    epsilon = 2.0 if powers[0] > 1 else _EPSILON
    times = _factor(cost, right=(1, 0), epsilon=epsilon)
    more = f"that is {times:.3g} times the budget"
    used = more if times > 1 else f"{1 - times:.0%} of the budget is unused"
    return (
        f"alp1 spends up to as much as its inputs differ, so the release costs {_name(cost)}: at "
        f"ε = {epsilon:g} and Δ = {_DELTA:g} {used}."
    )


def _both(powers):
    """Values and cap times the wrong factor, and back by the same."""
    return (powers, powers, AS_IT_IS, (-powers[0], -powers[1])), (
        f"values and cap go in times {_name(powers)}, not ε/Δ: {_WRONG_IN[powers]}. {_cost(powers)}"
    )


def _values(powers):
    return powers, (
        f"the values go in times {_name(powers)}, not ε/Δ: {_WRONG_IN[powers]}. {_cost(powers)} "
        "And what comes back is on another scale."
    )


def _levels(powers):
    """What a wrong factor of the cap does."""
    ratio = _factor(powers, right=IN)
    if ratio < 1:
        return f"Then {_HERE} a value above {ratio:.3g}·cap is cut off. {_PRIVATE}"
    return (
        f"Then {_HERE} there are {ratio:.3g} times as many levels as can be reached, and space and "
        f"time are wasted. {_PRIVATE}"
    )


def _cap(powers):
    return powers, (
        f"cap goes in times {_name(powers)}, not ε/Δ as the values: {_WRONG_IN[powers]}. "
        f"{_levels(powers)}"
    )


def _error(alpha):
    return float(alp_expected_error(alpha=alpha, epsilon=_EPSILON / _DELTA))


def _alpha(powers):
    other = 3 * _factor(powers)
    return powers, (
        f"you scale α too, by {_name(powers)}. This is still ε-private, because alp1 spends no "
        "more than its inputs differ whatever α is, but it is ALP with another α: "
        f"{_HERE}, α = 3 becomes {other:g} and the bound on the error {_error(other):.2f}, not "
        f"{_error(3):.2f}."
    )


def _back(powers):
    return powers, (
        f"what comes back is multiplied by {_name(powers)}, not by Δ/ε: {_WRONG_OUT[powers]}. "
        f"Then {_HERE} the estimates are {_factor(powers, right=OUT):.3g} times as large as they "
        f"should be. {_PRIVATE}"
    )


_SCALE = "Multiply values and cap by ε/Δ, and divide what comes back."
_ALPHA_ALONE = (
    "you scale α, and neither values nor cap. alp1 spends as much as its inputs differ, whatever α "
    "is: α sets how wide a level is, not the budget. Multiply values and cap by ε/Δ."
)
_ONE_ENTRY = "That is for a change in one entry. Here it may be spread over many, and costs up to"
_FROM_VALUES = (
    "your cap is taken from the values: the number of levels then tells how large the largest is, "
    "without noise. A neighbour whose largest is a little more may need one level more, and the "
    "loss is infinite. Use the given cap: it is chosen without looking at the values."
)
_SCALES = [IN, OUT, (1, 0), (-1, 0), (0, 1), (0, -1)]
AXES = [
    [
        (None, ""),
        ((AS_IT_IS,) * 4, f"nothing is scaled: this is alp1 itself. {_cost(AS_IT_IS)} {_SCALE}"),
        ((AS_IT_IS, AS_IT_IS, AS_IT_IS, OUT), "values and cap go in as they are, and only the "
         f"estimates are scaled. {_cost(AS_IT_IS)} And the estimates are Δ/ε times too large."),
        *(_both(powers) for powers in _WRONG_IN),
        ((OUT, AS_IT_IS, AS_IT_IS, IN), "ε/Δ is upside down: you divide first and multiply after. "
         f"{_cost(OUT)} Besides, cap is not scaled: it is on the scale of the values."),
        (((1, 0), (1, 0), AS_IT_IS, OUT), "Δ is forgotten on the way in, and counted on the way "
         f"back. {_cost((1, 0))} And the estimates are Δ times too large."),
        *(((AS_IT_IS, AS_IT_IS, powers, AS_IT_IS), _ALPHA_ALONE) for powers in _SCALES),
        (lambda e, d: math.expm1(e) / d, f"you scale by (e^ε − 1)/Δ. {_ONE_ENTRY} e^ε − 1 > ε, "
         f"{math.expm1(2):.2f} at ε = 2. {_SCALE}"),
        (lambda e, d: math.expm1(e / d), f"you scale by e^(ε/Δ) − 1. {_ONE_ENTRY} Δ·(e^(ε/Δ) − 1) "
         f"> ε, {3 * math.expm1(2 / 3):.2f} at ε = 2 and Δ = 3. {_SCALE}"),
        (lambda e, d: math.expm1(e), f"you scale by e^ε − 1, and Δ is forgotten. {_ONE_ENTRY} "
         f"Δ·(e^ε − 1), {3 * math.expm1(2):.2f} at ε = 2 and Δ = 3. {_SCALE}"),
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
        (IN, ""),
        (AS_IT_IS, f"the values are not scaled. {_cost(AS_IT_IS)} And what comes back is Δ/ε times "
         "too large."),
        *map(_values, _WRONG_IN),
    ],
    [
        (IN, ""),
        (AS_IT_IS, f"cap is not scaled with the values. {_levels(AS_IT_IS)} Multiply cap by ε/Δ as "
         "well."),
        *map(_cap, _WRONG_IN),
    ],
    [(AS_IT_IS, ""), *map(_alpha, _SCALES)],
    [
        (OUT, ""),
        (AS_IT_IS, "you do not scale back what comes from alp1. The estimates are of values·ε/Δ: "
         f"multiply them by Δ/ε. {_PRIVATE}"),
        *map(_back, _WRONG_OUT),
    ],
]  # fmt: skip
