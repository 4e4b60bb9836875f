"""Wrong roundings at random, and what their messages say."""

import math

import numpy as np


def framed(rounding, before=lambda v, s: v / s, after=lambda v, s: v * s):
    """A rounding to whole numbers, with something done before and after: right by default."""
    return lambda v, s, r: after(rounding(before(v, s), r), s)


def down(x, rng):
    """The right rounding, to whole numbers."""
    return np.floor(x + rng.random(x.shape))


def going_up(chance):
    """Up with another probability, a function of value and fraction, in steps."""
    return framed(lambda x, r: np.floor(x) + (r.random(x.shape) < chance(x, x % 1)))


def plus_uniform(rounding, low, high):
    return framed(lambda x, r: rounding(x + r.uniform(low, high, size=x.shape)))


def fixed(rounding):
    return framed(lambda x, r: rounding(x))


def rounds_in_place(values, step, rng):
    values /= step
    values += rng.random(values.shape)
    np.floor(values, out=values)
    values *= step
    return values


def in_pairs(x, rng):
    return np.floor(x + np.repeat(rng.random(len(x) // 2), 2))


JUMP = "With that ALP would not be private: where the result jumps, a change however"
UP = "Up goes with the fraction of a step as its probability"
WRONG_ROUNDING = {
    "rint": (fixed(np.rint), "Not yet: you round to the nearest, always the same way.", JUMP),
    "half up": (
        fixed(lambda x: np.floor(x + 0.5)),
        "Not yet: you round to the nearest, halves up.",
        "1.25 becomes 2.50 on average with step = 2.5, a bias of +1.25.",
    ),
    "half down": (
        fixed(lambda x: np.ceil(x - 0.5)),
        "you round to the nearest, halves down.",
        JUMP,
    ),
    "floor": (
        lambda v, s, r: v // s * s,
        "Not yet: you always round down.",
        "2.1875 becomes 0.00 on average with step = 2.5, a bias of -2.19.",
    ),
    "ceil": (
        lambda v, s, r: [s * math.ceil(x / s) for x in v],
        "Not yet: you always round up.",
        "a bias of +2.19.",
    ),
    "next": (fixed(lambda x: np.floor(x) + 1), "you always go up to the next multiple."),
    "rint after a draw": (
        framed(lambda x, r: np.rint(x + 0 * r.random())),
        "you round to the nearest",
    ),
    "as it is": (
        lambda v, s, r: v,
        "you return the values as they are.",
        "to be multiples of step.",
    ),
    "a fair coin": (
        framed(lambda x, r: np.where(r.random(x.shape) < 0.5, np.floor(x), np.ceil(x))),
        "you toss a fair coin between the two neighbours.",
        UP,
        " becomes ",
    ),
    "a fair coin for all": (
        framed(lambda x, r: np.floor(x) + r.integers(0, 2, size=x.shape)),
        "you toss a fair coin, even for a multiple of step, which has to stay.",
    ),
    "exchanged": (
        framed(lambda x, r: np.where(r.random(x.shape) < x % 1, np.floor(x), np.ceil(x))),
        "you go up with probability 1 − fraction: the probabilities are exchanged.",
        " on average with step = ",
    ),
    "exchanged, multiples up": (
        going_up(lambda x, f: 1 - f),
        "you go up with probability 1 − fraction, so that a multiple of step goes up always",
        "0 becomes 2.50 on average with step = 2.5, a bias of +2.50.",
    ),
    "the value": (
        going_up(lambda x, f: x),
        "you compare the random number with the value in steps",
    ),
    "multiples up": (
        going_up(lambda x, f: np.where(f == 0, 1, f)),
        "a multiple of step goes up, always.",
    ),
    "multiples up at times": (
        going_up(lambda x, f: np.where(f == 0, 0.2, f)),
        "Not yet: with step = 2.5 you make ",
        "A multiple of step has to stay where it is.",
        ", a bias of +",
    ),
    "half the chance": (going_up(lambda x, f: f / 2), "you go up with half the probability"),
    "uniform −½ to ½": (
        going_up(lambda x, f: f + 0.5),
        "the random number that you compare with the fraction is from −1/2 to 1/2.",
    ),
    "uniform −1 to 1": (
        framed(lambda x, r: np.floor(x) + (r.uniform(-1, 1, size=x.shape) < x % 1)),
        "the random number that you compare with the fraction is from −1 to 1.",
    ),
    "square": (going_up(lambda x, f: f**2), "you go up with the square of the fraction"),
    "nearest of 0 to 1": (
        plus_uniform(np.rint, 0, 1),
        "you add a random number from 0 to 1 step and then round to the nearest.",
        "a bias of +",
    ),
    "down of −½ to ½": (
        plus_uniform(np.floor, -0.5, 0.5),
        "you add a random number from −1/2 to 1/2 step and then round down.",
        "a bias of -",
    ),
    "up of 0 to 1": (plus_uniform(np.ceil, 0, 1), "and then round up. That is a step too much"),
    "nearest of −1 to 1": (
        plus_uniform(np.rint, -1, 1),
        "you add a random number from −1 to 1 step before you round to the nearest. The mean is",
    ),
    "down of −1 to 1": (plus_uniform(np.floor, -1, 1), "from −1 to 1 step and then round"),
    "down of 0 to 2": (plus_uniform(np.floor, 0, 2), "from 0 to 2 steps and then round"),
    "root": (
        going_up(lambda x, f: np.sqrt(f)),
        " becomes ",
        " on average with step = ",
        "a bias of +",
    ),
    "power 0.9": (going_up(lambda x, f: f**0.9), " becomes ", " on average"),
    "power 0.95": (
        going_up(lambda x, f: f**0.95),
        "the probabilities are not quite right.",
        UP,
        " steps become ",
        " in 5,000 runs, and all 14 values together have a bias of +0.",
        "more than chance explains.",
    ),
    "quarters more, the rest less": (
        going_up(lambda x, f: f + 0.03 * (f == 0.25) - 0.03 * (f > 0.6)),
        "the probabilities are not quite right.",
        " steps become ",
        " on average in 5,000 runs: that is further off than chance explains.",
    ),
    "Poisson": (
        framed(lambda x, r: r.poisson(x)),
        "A multiple of step has to stay where it is.",
    ),
    "two away": (
        framed(lambda x, r: np.floor(x) + 2 * (r.random(x.shape) < x % 1 / 2)),
        "with step = 2.5 you make ",
        ", and its neighbours are ",
    ),
    "far away, rarely": (
        framed(lambda x, r: down(x, r) + 7 * (r.random(x.shape) < 0.01 * (x % 1))),
        ", and its neighbours are ",
    ),
    "a fair coin, and far away": (
        framed(
            lambda x, r: (
                np.floor(x)
                + (x % 1 > 0) * (r.integers(0, 2, x.size) + 7 * (r.random(x.size) < 0.001))
            )
        ),
        ", and its neighbours are ",
    ),
    "one number for all": (
        framed(lambda x, r: np.floor(x + r.random())),
        "you draw one random number for all entries",
        "Draw rng.random(values.shape).",
    ),
    "two by two": (framed(in_pairs), "they are not rounded independently"),
    "in place": (rounds_in_place, "the results are right, but your function changes values"),
    "global": (
        lambda v, s, r: s * np.floor(v / s + np.random.random(v.shape)),  # noqa: NPY002
        "a generator shared by the whole session",
        "rng.random(…).",
    ),
    "its own": (
        lambda v, s, r: s * np.floor(v / s + np.random.default_rng(1).random(v.shape)),
        "you draw nothing from rng",
    ),
    "shorter": (lambda v, s, r: np.rint(v)[1:], "returned an array of shape (13,), and rounded"),
    "one": (lambda v, s, r: 1, "returned one number, 1, and rounded values are asked for"),
    "nothing": (lambda v, s, r: None, "returned nothing. End it with return and rounded values."),
    "infinite": (lambda v, s, r: v / 0, "returned nan among rounded values."),
}
