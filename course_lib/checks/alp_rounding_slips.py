"""Notebook 08’s rounding at random: the known wrong ways, each as the code that does it.

A rounding is a function of x, in steps, and of u, uniform from 0 to 1. A frame says what is done
with `step` before and after it: multiplied (1), divided (−1), or nothing (0).
"""

import functools
import itertools

import numpy as np

from course_lib.checks.alp_arrays import inside

STEPS = (2.5, 0.5)
# In steps; exact in binary, as are step times these. Four have the fraction 1/2, two of them below
# an even number; two are whole besides 0.
UNITS = np.array([0, 0.125, 0.25, 0.5, 0.75, 0.875, 1, 1.5, 2.25, 3, 4.5, 5.5, 7.625, 20.25])
_PARTS = 4096  # of the interval from 0 to 1 in which u is


def up(chance):
    """floor(x) + 1 with probability chance(x, its fraction), else floor(x)."""
    return lambda x, u: np.floor(x) + (u < chance(x, x % 1))


def shifted(rounding, low, high):
    """A rounding of x plus a random number from low to high."""
    return lambda x, u: rounding(x + low + (high - low) * u)


RIGHT_FRAME = (-1, 1)
RIGHT_ROUNDING = shifted(np.floor, 0, 1)
_JUMP = (
    "With that ALP would not be private: where the result jumps, a change however small in an "
    "entry makes a whole level, which costs ln(1 + α)."
)
_CHANCE = "Up goes with the fraction of a step as its probability, then the mean is the value."
FIXED = [
    (np.rint, f"you round to the nearest, always the same way. {_JUMP}"),
    (lambda x: np.floor(x + 0.5), f"you round to the nearest, halves up. {_JUMP}"),
    (lambda x: np.ceil(x - 0.5), f"you round to the nearest, halves down. {_JUMP}"),
    (np.floor, f"you always round down. {_JUMP}"),
    (np.ceil, f"you always round up. {_JUMP}"),
    (lambda x: np.floor(x) + 1, f"you always go up to the next multiple. {_JUMP}"),
]
ROUNDINGS = [
    (up(lambda x, f: np.where(f > 0, 0.5, 0)), "you toss a fair coin between the two neighbours. "
     f"{_CHANCE}"),
    (up(lambda x, f: 0.5), "you toss a fair coin, even for a multiple of step, which has to stay. "
     f"{_CHANCE}"),
    (up(lambda x, f: np.where(f > 0, 1 - f, 0)), "you go up with probability 1 − fraction: the "
     f"probabilities are exchanged. {_CHANCE}"),
    (up(lambda x, f: 1 - f), "you go up with probability 1 − fraction, so that a multiple of step "
     f"goes up always: the probabilities are exchanged. {_CHANCE}"),
    (up(lambda x, f: x), "you compare the random number with the value in steps, not with its "
     f"fraction: from one step on it always goes up. {_CHANCE}"),
    (up(lambda x, f: np.where(f == 0, 1, f)), "a multiple of step goes up, always. Its fraction is "
     "0: it has to stay where it is."),
    (up(lambda x, f: f / 2), "you go up with half the probability: your random number is from "
     f"0 to 2, or two coins must agree. {_CHANCE}"),
    (up(lambda x, f: f + 0.5), "the random number that you compare with the fraction is from −1/2 "
     "to 1/2. It has to be from 0 to 1."),
    (up(lambda x, f: (f + 1) / 2), "the random number that you compare with the fraction is from "
     "−1 to 1. It has to be from 0 to 1."),
    (up(lambda x, f: f * f), "you go up with the square of the fraction as probability. "
     f"{_CHANCE}"),
    (shifted(np.rint, 0, 1), "you add a random number from 0 to 1 step and then round to the "
     "nearest. That is half a step too much on average: with 0 to 1, round down."),
    (shifted(np.floor, -0.5, 0.5), "you add a random number from −1/2 to 1/2 step and then round "
     "down. That is half a step too little on average: with −1/2 to 1/2, round to the nearest."),
    (shifted(np.ceil, 0, 1), "you add a random number from 0 to 1 step and then round up. That is "
     "a step too much on average: round down."),
    (shifted(np.rint, -1, 1), "you add a random number from −1 to 1 step before you round to the "
     "nearest. The mean is right, but results are not neighbours, and multiples of step move: take "
     "−1/2 to 1/2."),
    (shifted(np.floor, -1, 1), "you add a random number from −1 to 1 step and then round down. Add "
     "one from 0 to 1."),
    (shifted(np.floor, 0, 2), "you add a random number from 0 to 2 steps and then round down. Add "
     "one from 0 to 1."),
]  # fmt: skip

_RECIPE = "Divide by step, round at random to a whole number, multiply by step."
FRAMES = [
    ((0, 0), f"step plays no part, you round to whole numbers. {_RECIPE}"),
    ((-1, 0), "your results are numbers of steps. Multiply them by step at the end."),
    ((-1, -1), "you divide by step once more at the end. A number of steps times step is the "
     "result: multiply."),
    ((0, 1), "you round the values to whole numbers and multiply these by step: you do not divide "
     f"by step before. {_RECIPE}"),
    ((0, -1), f"you round the values to whole numbers and divide these by step. {_RECIPE}"),
    ((1, -1), "step is the wrong way round: you multiply before you round and divide after, and "
     f"get multiples of 1/step. {_RECIPE}"),
    ((1, 0), f"you multiply the values by step before you round, and leave it at that. {_RECIPE}"),
    ((1, 1), f"you multiply by step before you round, and after. {_RECIPE}"),
]  # fmt: skip

# Of the value, the step and u, where the step comes in at another place.
OTHERS = [
    (lambda v, s, u: s * (np.floor(v / s) + (u < v % s)), "you go up with the rest, values % step, "
     "as probability. It is from 0 to step: divide it by step."),
    (lambda v, s, u: s * (np.floor(v / s) + (u < v % 1)), "you go up with the fraction of the "
     "value, values % 1, as probability. It has to be that of value/step."),
    (lambda v, s, u: s * (np.floor(v / s) + (s * u < v / s % 1)), "you compare the fraction of a "
     "step with a random number from 0 to step. It has to be from 0 to 1."),
    (lambda v, s, u: s * np.floor(v / s) + (u < v / s % 1), "you go up by 1, not by step."),
    (lambda v, s, u: s * np.floor((v + u) / s), "you add a random number from 0 to 1 to the values "
     "and then round down to a multiple of step. It has to be from 0 to step."),
    (lambda v, s, u: s * np.floor(v / s + s * u), "you divide the values by step and then add a "
     "random number from 0 to step. In steps it is from 0 to 1."),
    (lambda v, s, u: np.floor(v + s * u), "you add a random number from 0 to step, and then round "
     f"down to a whole number, not to a multiple of step. {_RECIPE}"),
    (lambda v, s, u: np.floor(v) + s * (u < v % 1), "you round down to a whole number and go up by "
     f"step from there. {_RECIPE}"),
]  # fmt: skip

_NOTHING = (
    "you add random numbers to the values and round nothing. The results have to be multiples of "
    "step."
)
# From where to where the results are spread evenly, as functions of value and step.
UNROUNDED = [
    (lambda v, s: (s * np.floor(v / s), s), "you round down first and then add a random part of "
     "step, so that the results are no multiples of step. Add it before you round down."),
    (lambda v, s: (s * np.floor(v / s), 1), "you round down first and then add a random number "
     "from 0 to 1, so that the results are no multiples of step. Add one from 0 to step before you "
     "round down."),
    (lambda v, s: (v, s), _NOTHING),
    (lambda v, s: (v - s / 2, s), _NOTHING),
    (lambda v, s: (v, 1), _NOTHING),
    (lambda v, s: (v - 0.5, 1), _NOTHING),
]  # fmt: skip


def _times(x, step, power):
    return {-1: x / step, 0: x, 1: x * step}[power]


def framed(rounding, frame):
    """The rounding of values, with what is done with step before and after."""
    before, after = frame
    return lambda v, s, u: _times(rounding(_times(v, s, before), u), s, after)


def fixed_slip(results):
    """The sentence of the known rule that gives these results, one row for each step; else ""."""
    frames = [(RIGHT_FRAME, ""), *FRAMES]
    for (frame, where), (rule, words) in itertools.product(frames, FIXED):
        rounding = framed(lambda x, u, rule=rule: rule(x), frame)
        expected = [rounding(step * UNITS, step, None) for step in STEPS]
        if np.allclose(results, expected, rtol=0, atol=1e-9):
            return _besides(where, words)
    return ""


def _besides(where, words):
    return f"{where} Besides, {words}" if where else words


@functools.cache
def singles():
    """Each slip on its own, as a function of value, step and u, with its sentence."""
    in_steps = [(framed(rounding, RIGHT_FRAME), words) for rounding, words in ROUNDINGS]
    return in_steps + [(framed(RIGHT_ROUNDING, frame), words) for frame, words in FRAMES] + OTHERS


def slip(results):
    """The sentence of the slip, or of the two, that explains these results; "" if none does."""
    fits = [(_distance(results, rule), words) for rule, words in singles()]
    near = min(fits)
    if near[0] < np.inf:
        return near[1]
    for (frame, where), (rounding, words) in itertools.product(FRAMES, ROUNDINGS):
        if _distance(results, framed(rounding, frame)) < np.inf:
            return _besides(where, words)
    return next((words for spread, words in UNROUNDED if _is_spread(results, spread)), "")


def law(rule, step):
    """For each value, what the rule may give and how likely that is."""
    u = (np.arange(_PARTS) + 0.5) / _PARTS
    for value in step * UNITS:
        outcomes = np.broadcast_to(rule(value, step, u), u.shape)
        places, counts = np.unique(outcomes.round(6), return_counts=True)
        yield places, counts / _PARTS


def _distance(results, rule):
    """The largest difference between a rate and that of a rule; infinite if chance excludes it."""
    largest = 0.0
    for step, found in zip(STEPS, results, strict=True):
        for column, (places, exact) in zip(found.T.round(6), law(rule, step), strict=True):
            seen = (column[:, None] == places).sum(axis=0)
            if seen.sum() < len(column) or not inside(seen, len(column), exact):
                return np.inf
            largest = max(largest, np.abs(seen / len(column) - exact).max())
    return largest


def _is_spread(results, spread):
    """Are the results of each value spread evenly over an interval, by its eighths?"""
    for step, found in zip(STEPS, results, strict=True):
        for value, column in zip(step * UNITS, found.T, strict=True):
            low, width = spread(value, step)
            seen = np.array([(np.floor(8 * (column - low) / width) == i).sum() for i in range(8)])
            if seen.sum() < len(column) or not inside(seen, len(column), 1 / 8):
                return False
    return True
