"""Notebook 08’s reduction: ALP with budget ε, where a person changes up to Δ, from ALP1."""

import numpy as np

from course_lib.checks.alp_arrays import as_numbers
from course_lib.checks.alp_scaling_slips import AXES
from course_lib.checks.exercise import NotYet, exercise
from course_lib.checks.one_number import judge


def scripted(values, cap, alpha):
    """An ALP1 without chance: it depends on all that it is given, and of 0 it makes more."""
    kept = np.minimum(np.asarray(values, dtype=float), cap)
    return kept * kept / (kept + alpha + 1) + alpha / 10 + cap / 50


def scaled(values, cap, alpha, sensitivity, epsilon, x, together, zeros, source, *powers):
    """One estimate; values, cap, alpha and what comes back times these powers of ε and of Δ.

    `together` has all powers, or the factor in place of ε/Δ where the powers are right; `zeros` is
    what an entry of 0 comes back as, if alp1 has no part in it; `source` is where the cap is from.
    """
    if zeros is not None and values[x] == 0:
        return zeros
    cap = source(cap, values)
    if callable(together):
        factor = together(epsilon, sensitivity)
        factors = (factor, factor, 1, 1 / factor)
    else:
        factors = (epsilon**e * sensitivity**d for e, d in together or powers)
    values_by, cap_by, alpha_by, back_by = factors
    return back_by * scripted(values[x] * values_by, cap * cap_by, alpha * alpha_by)


def _case(values, cap, alpha, sensitivity, epsilon):
    return {
        "values": np.array(values),
        "cap": cap,
        "alpha": alpha,
        "sensitivity": sensitivity,
        "epsilon": epsilon,
    }


CALLS = (
    _case([0.0, 3.0, 12.5, 40.0], 20.0, 3.0, 2.0, 0.5),
    _case([1.0, 7.0, 11.0, 30.0, 18.0], 16.0, 4.0, 3.0, 2.0),
    _case([2.5, 9.0, 60.0], 50.0, 2.5, 0.5, 0.2),
    _case([5.0, 26.0, 21.0], 24.0, 1.0, 5.0, 1.6),
    _case([0.0, 6.0, 2.0, 0.0, 9.5, 6.0], 30.0, 3.5, 1.25, 0.8),  # all below cap, and some equal
    _case([0.0, 0.0, 0.5, 0.25], 40.0, 4.0, 2.0, 1.0),  # estimated at more than the largest
)
ENTRIES = tuple(case | {"x": x} for case in CALLS for x in range(len(case["values"])))


class _Watched:
    """The student’s function, given a scripted alp1; gives one entry, keeps what it asks.

    `calls` has how often it asks about an entry, and `lengths`, for each number of values, the
    lengths of what it asks about.
    """

    def __init__(self, function):
        self.function, self.calls, self.lengths = function, [], {}

    def __call__(self, values, cap, alpha, sensitivity, epsilon, x):
        asked, size = [], len(values)

        def alp1(values, cap, alpha):
            asked.append(np.size(values))
            return scripted(values, cap, alpha)

        alp1.__qualname__ = "alp1"  # for the message of a call that does not fit
        result = self.function(values, cap, alpha, sensitivity, epsilon, alp1)
        estimates = as_numbers(result, (size,), "estimates")
        self.calls.append(sum(asked) / size)
        self.lengths.setdefault(size, set()).add(tuple(asked))
        return estimates[x]


def _in_words(case):
    values = ", ".join(f"{value:g}" for value in case["values"])
    return (
        "values [{}], cap = {cap:g}, α = {alpha:g}, Δ = {sensitivity:g} and ε = {epsilon:g}"
    ).format(values, **case)


def _witness(case, number, exact):
    return f"(That is entry {case['x']}, with an alp1 that leaves nothing to chance.)"


@exercise
def check_alp_scaling(function):
    """Judge `function(values, cap, alpha, sensitivity, epsilon, alp1)`: estimates for ε."""
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
    if any(len(lengths) > 1 for lengths in watched.lengths.values()):
        raise NotYet(
            "the numbers are right, but how many entries go into a call of alp1 depends on their "
            "values. Entries of one call collide with each other and not with those of another, "
            "which tells in which call they were. Give alp1 all entries at once."
        )
    return (
        f"in {len(CALLS)} cases values and cap go in times ε/Δ and the estimates come back divided "
        "by that; α stays. What a person may change is then at most ε for alp1, which spends at "
        "most as much as its inputs differ. The error grows with Δ: the bound is "
        "(α/2 + 4 + 4/α)·Δ/ε."
    )
