"""The exercises of notebook 07: the size of the structure, the repaired potential, the proof."""

import functools
import math

from course_lib.checks.exercise import choose, exercise
from course_lib.checks.one_number import judge
from course_lib.checks.sparse_mw_slips import (
    POTENTIAL_AXES,
    SIZE_AXES,
    potential,
    size,
)
from course_lib.sparse_mw import smw_size

__all__ = ["check_lemma_6", "check_potential", "check_smw_size"]

# Small enough for an answer that counts up one by one.
SETTINGS = tuple(
    {"support": m, "alpha": alpha}
    for m, alpha in ((2, 0.9), (3, 0.25), (1, 0.1), (10, 0.5), (40, 0.3), (10, 0.1))
)


def _setting_in_words(case):
    return "m = {support} and α = {alpha:g}".format(**case)


def _size_witness(case, number, exact):
    """What the inequality says of the number."""
    needed = 4 * case["support"] / case["alpha"] ** 2
    if number != math.floor(number):
        return "A number of variables is whole."
    if number < 1:
        return "There is at least one variable."
    if number < exact:
        have = number / (math.log(number) + 1)
        return f"There s/(ln s + 1) = {have:.6g}, below 4m/α² = {needed:.6g}."
    return f"The inequality holds for s = {exact:.6g} already, and the smallest s is asked for."


@exercise
def check_smw_size(function):
    """Judge `function(support, alpha)`: the smallest s with s/(ln s + 1) ≥ 4m/α²."""
    judge(
        function,
        SETTINGS,
        model=size,
        axes=SIZE_AXES,
        words=_setting_in_words,
        remark="(ln 0 does not exist; the smallest s that can be tried is 1.)",
        witness=_size_witness,
    )
    sizes = [smw_size(support=m, alpha=0.1) for m in (10, 100)]
    return (
        f"for {len(SETTINGS)} choices of m and α your number is the smallest one. There is no |X| "
        f"in it, and it is little more than linear in m: at α = 0.1 there are {sizes[0]:,} "
        f"variables for m = 10 and {sizes[1]:,} for m = 100."
    )


def _state(truth, weights, size):
    return {"truth": truth, "weights": weights, "size": size}


# Shares are sums of powers of 1/2, so that no rounding decides whether a rest is 0.
STATES = (
    _state({"flu": 0.5, "cough": 0.25, "rash": 0.25}, {"flu": 0.3, "cough": 0.2}, 12),
    _state({"a": 0.25, "z": 0.75}, {"a": 0.125, "b": 0.125}, 8),
    _state({"a": 0.25, "b": 0.125, "y": 0.5, "z": 0.125}, {"a": 0.4, "b": 0.05}, 5),
    _state({"a": 0.5, "b": 0.0, "z": 0.5}, {"a": 0.45, "b": 0.2}, 20),
    _state({"a": 0.5, "b": 0.25, "c": 0.25}, {"a": 0.35, "b": 0.15, "c": 0.1}, 9),
    _state({"y": 0.625, "z": 0.375}, {"a": 0.1, "b": 0.05}, 16),
)


def _state_in_words(case):
    return "truth = {truth}, weights = {weights} and size = {size}".format(**case)


@exercise
def check_potential(function):
    """Judge `function(truth, weights, size)`: the potential that takes in the rest of the mass."""
    judge(
        function,
        STATES,
        model=potential,
        axes=POTENTIAL_AXES,
        words=_state_in_words,
        remark="(0 · ln 0 counts as 0: leave out what has no share of D.)",
    )
    return (
        f"in {len(STATES)} states your number is the relative entropy, with the rest 1 − ρ of D on "
        "the variables that stay unassigned. How many there are does not matter: u divides the "
        "rest of D and the rest of the hypothesis alike. It is never negative and at most ln s at "
        "the start, and every valid update lowers it by at least α²/4."
    )


@functools.cache
def risen():
    """By how much a valid update lowers the printed potential and the repaired one.

    α = 0.1, m = 20, half of D on `a`, the other half never asked about: after 163 updates that
    raise {a, b₁, …, b₁₉} the query ½a + b₁ + … + b₁₉ lowers an answer that is too large. Returns
    (hypothesis, truth, drop of the printed potential, drop of the repaired one).
    """
    eta, others = 0.05, smw_size(support=20, alpha=0.1) - 20
    raised = math.exp(163 * eta)
    each = raised / (20 * raised + others)
    shrunk = each * math.exp(-eta / 2) + 19 * each * math.exp(-eta) + 1 - 20 * each
    printed = 0.5 * (-eta / 2 - math.log(shrunk))
    return 19.5 * each, 0.25, printed, printed - 0.5 * math.log(shrunk)


@exercise
def check_lemma_6(answer):
    """Judge which step of the printed proof of Theorem 4 fails."""
    hypothesis, truth, printed, repaired = risen()
    reasons = {
        "a": "this is true. The sum is at least ρ ln ρ, where ρ is the share of D on the assigned "
        "elements, and so at least −1/e. (“Must always be non-negative”, a little later, "
        "is a slip, and the printed bound has + 1/e because it is not.)",
        "b": "this is true. At the start every variable has 1/s, and the sum of D[x] ln(s·D[x]) is "
        "at most the sum of D[x] ln s.",
        "c": "this is true, with a slip: ind begins with 1, so it is at most 1 + m·T. With the "
        "repaired potential T is at most 4 ln s/α², and m·T is below s.",
        "d": "Ψ leaves out the rest 1 − ρ that D has on elements never assigned. Normalising after "
        "an update that lowers weights raises all others, and of that gain Ψ counts ρ only: "
        "−ρ ln Z − ηQ(D), where the whole is −ln Z − ηQ(D). "
        f"Example: α = 0.1, m = 20 and half of D on a. After 163 updates with {{a, b1, …, b19}} "
        f"the query ½a + b1 + … + b19 has {hypothesis:.4f} on the hypothesis and {truth:g} on D. "
        f"The update lowers its answer, as it should; Ψ rises by {-printed:.5f}, while the "
        f"potential with the rest falls by {repaired:.5f}, more than α²/4 = 0.0025.",
        "e": "the theorem is true, and the bound is even better than the one that the printed "
        "proof ends with, 4(ln s + 1)/α². It is the proof that has a gap.",
    }
    return choose(answer, reasons, right="d")
