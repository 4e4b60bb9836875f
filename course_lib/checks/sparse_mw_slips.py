"""Notebook 07’s size and potential in pieces, each with the slips that are known.

Every axis has the right choice first; a sentence goes with each other one.
"""

import functools
import math

import numpy as np


def size(support, alpha, ratio, bottom, solve, rounding):
    """The smallest s with s/(ln s + 1) ≥ 4m/α², with the choices of SIZE_AXES."""
    return rounding(solve(ratio(support, alpha), lambda s: bottom(s, support)))


def _largest(needed, bottom):
    """The s from which on s/bottom(s) ≥ needed: iterated from far above."""
    return _rounds(needed, bottom, 200, start=1e12)


def _rounds(needed, bottom, rounds, start=None):
    s = needed if start is None else start
    for _ in range(rounds):
        s = max(1.0, needed * bottom(s))
    return s


def _product(needed, bottom):
    s = needed
    for _ in range(200):
        s = max(1.0, needed / bottom(s))
    return s


_RATIO = "The right side is 4m/α²."
_BOTTOM = "Below s stands ln s + 1, with the natural logarithm of s itself."
_INCREASING = "From s = 1 on s/(ln s + 1) increases, so search for the first s that is enough."


def _after(rounds):
    words = "1 round" if rounds == 1 else f"{rounds} rounds"
    return (
        functools.partial(_rounds, rounds=rounds),
        f"you have the result of {words} of s ← (4m/α²)(ln s + 1), from s = 4m/α². It is still on "
        "its way up and has not arrived. Go on until s no longer changes.",
    )


def _steps_of(width):
    return (
        lambda s: width * math.ceil(s / width),
        f"you go up in steps of {width:,}. The smallest whole number is asked for.",
    )


SIZE_AXES = [
    [
        (lambda m, a: 4 * m / a**2, ""),
        (lambda m, a: 4 * m / a, f"on the right you have 4m/α. {_RATIO}"),
        (lambda m, a: 4 * m / a**3, f"on the right you have 4m/α³. {_RATIO}"),
        (lambda m, a: 4 * m * a**2, f"on the right you have 4m·α². {_RATIO}"),
        (lambda m, a: 2 * m / a**2, f"on the right you have 2m/α². {_RATIO}"),
        (lambda m, a: m / a**2, f"on the right you have m/α². {_RATIO}"),
        (lambda m, a: 8 * m / a**2, f"on the right you have 8m/α². {_RATIO}"),
        (lambda m, a: 16 * m / a**2, "on the right you have 16m/α², as if α were halved. "
         f"{_RATIO}"),
        (lambda m, a: 4 / a**2, f"m is missing on the right. {_RATIO}"),
        (lambda m, a: 4 * m**2 / a**2, f"on the right you have 4m²/α². {_RATIO}"),
        (lambda m, a: 4 * m, f"α is missing on the right. {_RATIO}"),
    ],
    [
        (lambda s, m: math.log(s) + 1, ""),
        (lambda s, m: math.log(s), f"below s you have ln s; the + 1 is missing. {_BOTTOM}"),
        (lambda s, m: math.log2(s) + 1, f"the logarithm has base 2. {_BOTTOM}"),
        (lambda s, m: math.log10(s) + 1, f"the logarithm has base 10. {_BOTTOM}"),
        (lambda s, m: math.log2(s), f"below s you have log₂ s, without + 1. {_BOTTOM}"),
        (lambda s, m: math.log10(s), f"below s you have log₁₀ s, without + 1. {_BOTTOM}"),
        (lambda s, m: math.log(m) + 1, "below s you have ln m + 1, and then no equation is left to "
         f"solve. (Theorem 7 prints ln m too, where ln s belongs.) {_BOTTOM}"),
        (lambda s, m: math.log(s + 1), "below s you have ln(s + 1); the 1 stands outside. "
         f"{_BOTTOM}"),
        (lambda s, m: math.log(s) + 1 / math.e, "below s you have ln s + 1/e. The printed "
         f"proof has 1/e for a moment, and then takes 1. {_BOTTOM}"),
        (lambda s, m: 1, "this is 4m/α² itself: the logarithm is missing. Each of the 4 ln s/α² "
         f"updates may need m variables. {_BOTTOM}"),
    ],
    [
        (_largest, ""),
        *(_after(rounds) for rounds in range(1, 6)),
        (_product, "you multiply by ln s + 1 where the lecture divides: your s is the smallest "
         "with s·(ln s + 1) ≥ 4m/α²."),
        (lambda needed, bottom: 0.999, "your answer is 1, always. There s/(ln s + 1) = 1, and "
         "4m/α² is more. Either the search ends at once, its inequality turned round or the + 1 "
         "forgotten (ln 1 = 0), or a formula found the root of the equation that is below 1. "
         f"{_INCREASING}"),
    ],
    [
        (math.ceil, ""),
        (lambda s: s, "you return the root of the equation. A number of variables is whole: round "
         "up."),
        (math.floor, "this is one too small: you round down, or return the last s that was not "
         "enough."),
        (round, "you round to the nearest number. Below the root the inequality does not hold: "
         "round up."),
        (lambda s: math.ceil(s) + 1, "this is one too large: you step once more after the "
         "inequality holds."),
        (lambda s: math.floor(s) - 1, "this is two too small."),
        *map(_steps_of, (10, 100, 1000)),
        (lambda s: 2 ** math.ceil(math.log2(s)), "this is the first power of 2 that is enough. The "
         "smallest s lies between it and half of it: go on searching there."),
    ],
]  # fmt: skip


def potential(truth, weights, size, term, rest, logarithm, sign, zeros):
    """The repaired potential with the choices of POTENTIAL_AXES."""
    shares = [truth.get(element, 0) for element in weights]
    zeros(truth, weights, shares)
    total = sum(
        term(share, weights[x], logarithm) for x, share in zip(weights, shares, strict=True)
    )
    others = [share for element, share in truth.items() if element not in weights]
    left = 1 - sum(weights.values())
    return sign * (total + rest(1 - sum(shares), left, size, len(weights), others, logarithm))


def _times(share, ratio, logarithm):
    """share · ln(ratio), where 0 · ln is 0."""
    return share * logarithm(ratio) if share else 0.0


def _refuses(test):
    """No value where the test is true."""

    def zeros(truth, weights, shares):
        if test(truth, weights, shares):
            raise ValueError

    return zeros


_SPREAD = (
    "The rest 1 − ρ is spread evenly over the u variables that stay unassigned: (1 − ρ)/u against "
    "the weight w of each, u times."
)
_SUMMAND = "The sum is over D[x]·ln(D[x]/Dᵗ[x])."
_NAUGHT = "0 · ln 0 counts as 0: leave out what has no share of D."

POTENTIAL_AXES = [
    [
        (lambda d, w, log: _times(d, d / w, log), ""),
        (lambda d, w, log: _times(d, 1 / w, log), "in the logarithm of the assigned elements D[x] "
         f"is missing. {_SUMMAND}"),
        (lambda d, w, log: _times(d, d, log), "in the logarithm of the assigned elements the "
         f"hypothesis is missing. {_SUMMAND}"),
        (lambda d, w, log: _times(w, d / w, log) if d else 0.0, "you weigh the logarithms with "
         f"the hypothesis. They are weighed with D: {_SUMMAND[0].lower()}{_SUMMAND[1:]}"),
        (lambda d, w, log: _times(w, w / d, log), "D and the hypothesis are exchanged for the "
         f"assigned elements; the relative entropy is not symmetric. {_SUMMAND}"),
        (lambda d, w, log: log(d / w) if d else 0.0, "the logarithms of the assigned elements are "
         f"not weighed with D[x]. {_SUMMAND}"),
        (lambda d, w, log: 0.0, "the assigned elements are missing: you return the term of the "
         f"rest alone. {_SUMMAND}"),
    ],
    [
        (lambda r, left, s, k, others, log: _times(r, r / left, log), ""),
        (lambda r, left, s, k, others, log: 0.0, "this is the potential as printed, which leaves "
         f"the rest of D out; Lemma 6 is false for it. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, r * (s - k) / left, log), "the rest 1 − ρ is "
         f"compared with the weight of one variable. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, r / left, log) / (s - k), "you count one of "
         f"the u variables. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, r / left, log) * (s - k), "you count the "
         f"whole rest u times. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, r, log), "in the term of the rest the "
         f"hypothesis is missing. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, 1 / left, log), "in the logarithm of the "
         f"rest you have 1, not 1 − ρ. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, r * (s - k) / (s * left), log), "you spread "
         f"the rest over all s variables, and some are assigned. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, r * s / (s - k), log), "you take 1/s for the "
         "weight of a variable without an element. That is its weight at the start; later it is "
         f"what the assigned ones leave, divided by u. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(r, r * s, log), "the rest is compared with 1/s, "
         f"the weight of one variable at the start. {_SPREAD}"),
        (lambda r, left, s, k, others, log: -_times(r, r / left, log), "the term of the rest has "
         f"the wrong sign. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(1 - r, (1 - r) / left, log), "in the term of "
         f"the rest you have ρ in place of 1 − ρ. {_SPREAD}"),
        (lambda r, left, s, k, others, log: _times(left, left / r, log), "in the term of the rest "
         f"D and the hypothesis are exchanged. {_SPREAD}"),
        (lambda r, left, s, k, others, log: sum(_times(d, d * (s - k) / left, log) for d in others),
         "you give each unassigned element of D a variable of its own. There may be more such "
         f"elements than variables, and the sum must not depend on them one by one. {_SPREAD}"),
        (lambda r, left, s, k, others, log: sum(_times(d, d / left, log) for d in others),
         "you compare each unassigned element of D with the whole rest of the hypothesis. "
         f"{_SPREAD}"),
    ],
    [
        (np.log, ""),
        (np.log2, "the logarithm has base 2; with α²/4 it is natural."),
        (np.log10, "the logarithm has base 10; with α²/4 it is natural."),
    ],
    [
        (1, ""),
        (-1, "the sign is wrong: ln(D[x]/Dᵗ[x]) has D on top, and the potential is never "
         "negative."),
    ],
    [
        (lambda truth, weights, shares: None, ""),
        (_refuses(lambda truth, weights, shares: 0 in shares), "elements on which D has nothing "
         f"give no number. {_NAUGHT}"),
        (_refuses(lambda truth, weights, shares: weights.keys() - truth.keys()), "an element of "
         "weights that is not in truth gives no number. D has nothing on it: truth.get(x, 0)."),
        (_refuses(lambda truth, weights, shares: any(truth.get(x) == 0 for x in weights)),
         f"an element with share 0 gives no number. {_NAUGHT}"),
        (_refuses(lambda truth, weights, shares: sum(shares) == 1), "where nothing of D is left "
         f"over, ρ = 1, there is no number. {_NAUGHT}"),
        (_refuses(lambda truth, weights, shares: sum(shares) == 1 or 0 in shares),
         f"where D[x] or 1 − ρ is 0 there is no number. {_NAUGHT}"),
        (_refuses(lambda truth, weights, shares: truth.keys() - weights.keys()), "an element of "
         "truth that is not in weights gives no number. It has no variable of its own: it belongs "
         "to the rest."),
    ],
]  # fmt: skip
