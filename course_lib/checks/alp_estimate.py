"""Notebook 08’s estimator: the average of all n at which the walk over the bits is highest."""

import itertools
import math

import numpy as np

from course_lib.checks.exercise import exercise
from course_lib.checks.one_number import judge


def estimated(bits, step, places, pick, rounding):
    """The estimate in levels, with the choices of AXES."""
    first, last, offset = places
    walk = [0, *itertools.accumulate(step(bit) for bit in bits.tolist())]
    possible = range(first, len(walk) + last)
    if not possible:
        raise ValueError
    top = max(walk[n] for n in possible)
    return rounding(pick([n + offset for n in possible if walk[n] == top], top, bits.tolist()))


def spread(g):
    """E[last − first maximum] in the middle of a long walk whose steps mislead with chance g.

    The walk falls off on both sides of the true level. Each side has a highest point, equally high
    with probability 1 − 2g, and then the maxima of both sides count.
    """
    return 4 * g + 6 * g**2 / (1 - 2 * g)


def zero_levels(g):
    """The expected estimate of a zero entry: right, and with the first maximum alone."""
    return 2 * g * (1 - g) / (1 - 2 * g) ** 2, g / (1 - 2 * g) ** 2


_G = 1 / 6  # α = 4, no collisions
_ALL, _FIRST = zero_levels(_G)
_BIAS = spread(_G) / 2
_TIES = "Where f is highest more than once, the paper takes the average of all those n."
_STEPS = "A bit 1 is a step up, a bit 0 a step down: 2·bit − 1."
_MIDDLE = f"by {_BIAS:.2f} levels on average at α = 4, in the middle of a long walk."


def _run_of_ones(bits):
    return next((n for n, bit in enumerate(bits) if not bit), len(bits))


def _last_one(bits):
    return max((n for n, bit in enumerate(bits, start=1) if bit), default=0)


AXES = [
    [
        (lambda b: 2 * b - 1, ""),
        (lambda b: b, f"your steps are 0 and 1, so f never falls and the end is always highest. "
         f"{_STEPS}"),
        (lambda b: 1 - 2 * b, f"your steps have the wrong sign: f is lowest where you look. "
         f"{_STEPS}"),
        (lambda b: b - 1, "your steps are −1 and 0, so f never rises and n = 0 is always highest. "
         f"{_STEPS}"),
    ],
    [
        ((0, 0, 0), ""),
        ((1, 0, 0), "n = 0 is left out. There f(0) = 0, and it is the right answer for an entry of "
         "0: as it is, none is ever estimated below one level, α/ε."),
        ((1, 0, -1), "you count places from 0: the first entry of np.cumsum is f(1), after one "
         "bit. Put f(0) = 0 before it."),
        ((0, 0, 1), "your n is one too large: f(0) = 0 belongs to n = 0."),
        ((0, 0, -1), "your n is one too small: f(0) = 0 belongs to n = 0, and f(1) has one bit."),
        ((0, -1, 0), "n = m is left out: n goes from 0 to m, and f(m) has all bits."),
    ],
    [
        (lambda tops, top, bits: sum(tops) / len(tops), ""),
        (lambda tops, top, bits: tops[0], "you take the first maximum alone, as np.argmax does: an "
         f"estimate too low {_MIDDLE} (An entry of 0 gains: g/(1−2g)² = {_FIRST:.3f} levels, and "
         f"not 2g(1−g)/(1−2g)² = {_ALL:.3f}.) {_TIES}"),
        (lambda tops, top, bits: tops[-1], "you take the last maximum alone: an estimate too high "
         f"{_MIDDLE} {_TIES}"),
        (lambda tops, top, bits: (tops[0] + tops[-1]) / 2, "you take the middle between the first "
         f"and the last maximum. With three or more they need not be evenly spaced. {_TIES}"),
        (lambda tops, top, bits: float(np.median(tops)), f"you take the median of the maxima. "
         f"{_TIES}"),
        (lambda tops, top, bits: top, "you return the largest f. Asked for is the n at which it is "
         "reached; f grows by 1 − 2g a level only."),
        (lambda tops, top, bits: sum(bits), "you return the number of ones. Flips far above the "
         f"value then count as well: of 25 levels an entry of 0 gets {25 * _G:.2f} on average at "
         f"α = 4, where the walk gives {_ALL:.3f}."),
        (lambda tops, top, bits: _run_of_ones(bits), "you count the ones before the first 0. One "
         "flip ends that: the walk can recover from it."),
        (lambda tops, top, bits: _last_one(bits), "you return the place of the last 1 (or the "
         "first maximum of steps 0 and 1). One flip far above the value is enough for that: the "
         f"walk has to climb back there. {_STEPS}"),
        (lambda tops, top, bits: len(bits), "your answer is m, whatever the bits are: your walk "
         "never falls, or the end is taken. (In an array of bytes 0 − 1 is 255, not −1: make the "
         f"bits whole numbers first.) {_STEPS}"),
        (lambda tops, top, bits: len(tops), "you return how many maxima there are, not where they "
         "are."),
        (lambda tops, top, bits: sum(tops), "you return the sum of the maximising n: divide by how "
         "many there are."),
    ],
    [
        (lambda n: n, ""),
        (math.floor, "you round the average down. It may lie between two levels."),
        (round, "you round the average to a whole number. It may lie between two levels."),
        (math.ceil, "you round the average up. It may lie between two levels."),
    ],
]  # fmt: skip

LONGEST = 10
PATTERNS = tuple(
    {"bits": np.array(bits)}
    for length in range(1, LONGEST + 1)
    for bits in itertools.product((0, 1), repeat=length)
)


def _in_words(case):
    return f"the bits {', '.join(map(str, case['bits'].tolist()))}"


def _witness(case, number, exact):
    walk = [0, *np.cumsum(2 * case["bits"] - 1).tolist()]
    tops = [str(n) for n, height in enumerate(walk) if height == max(walk)]
    heights = ", ".join(map(str, walk)).replace("-", "−")
    where = " and ".join(filter(None, [", ".join(tops[:-1]), tops[-1]]))
    return f"(f is {heights} for n = 0 to {len(walk) - 1}, highest at n = {where}.)"


@exercise
def check_estimate(function):
    """Judge `function(bits)`: the average of all n in 0..m where f(n) is largest."""
    judge(
        function,
        PATTERNS,
        model=estimated,
        axes=AXES,
        words=_in_words,
        remark="bits is an array of m bits; n goes from 0 to m, so that f has m + 1 values.",
        witness=_witness,
    )
    return (
        f"for all {len(PATTERNS):,} patterns of 1 to {LONGEST} bits you take the average of the "
        "maxima, n = 0 among them. Far from both ends of the walk the first and the last maximum "
        "are mirror images, so the average has no bias there. An entry of 0 is estimated at "
        f"2g(1−g)/(1−2g)² levels on average, {_ALL:.3f} at α = 4."
    )
