"""Wrong roundings at random, and what their messages say."""

import math

import numpy as np


def going_up(chance):
    """Up with another probability, a function of value and fraction."""
    return lambda v, r: np.floor(v) + (r.random(v.shape) < chance(v, v % 1))


def plus_uniform(rounding, low, high):
    return lambda v, r: rounding(v + r.uniform(low, high, size=v.shape))


def rounds_in_place(values, rng):
    values += rng.random(values.shape)
    return np.floor(values, out=values)


def in_pairs(values, rng):
    u = np.repeat(rng.random(len(values) // 2), 2)
    return np.floor(values + u)


JUMP = "Besides, it is not private: where the result jumps, a change however small"
UP = "Up goes with the fraction itself as its probability"
WRONG_ROUNDING = {
    "rint": (lambda v, r: np.rint(v), "you round to the nearest whole number, always", JUMP),
    "half up": (
        lambda v, r: np.floor(v + 0.5),
        "you round to the nearest whole number, halves up.",
        "0.5 becomes 1.00 on average, a bias of +0.50.",
    ),
    "half down": (lambda v, r: np.ceil(v - 0.5), "the nearest whole number, halves down.", JUMP),
    "floor": (
        lambda v, r: v.astype(int),
        "you always round down.",
        "0.9 becomes 0.00 on average, a bias of -0.90.",
    ),
    "ceil": (lambda v, r: [math.ceil(x) for x in v], "you always round up.", "a bias of +0.90."),
    "next": (lambda v, r: np.floor(v) + 1, "you always go up to the next whole number."),
    "rint after a draw": (lambda v, r: np.rint(v + 0 * r.random()), "you round to the nearest"),
    "as it is": (lambda v, r: v, "you return the values as they are."),
    "a fair coin": (
        lambda v, r: np.where(r.random(v.shape) < 0.5, np.floor(v), np.ceil(v)),
        "you toss a fair coin between the two neighbours.",
        UP,
        "0.1 becomes 0.",
    ),
    "a fair coin for all": (
        lambda v, r: np.floor(v) + r.integers(0, 2, size=v.shape),
        "you toss a fair coin, even for a whole number, which has to stay.",
    ),
    "exchanged": (
        lambda v, r: np.where(r.random(v.shape) < v % 1, np.floor(v), np.ceil(v)),
        "you go up with probability 1 − fraction: the probabilities are exchanged.",
        "on average, a bias of ",
    ),
    "exchanged, whole up": (
        going_up(lambda v, f: 1 - f),
        "you go up with probability 1 − fraction, so that a whole number goes up always",
        "0 becomes 1.00 on average, a bias of +1.00.",
    ),
    "the value": (going_up(lambda v, f: v), "you compare the random number with the value, not"),
    "whole numbers up": (
        going_up(lambda v, f: np.where(f == 0, 1, f)),
        "a whole number goes up by 1, always.",
    ),
    "whole numbers up at times": (
        going_up(lambda v, f: np.where(f == 0, 0.2, f)),
        "you make 1 of 0. A whole number has to stay where it is.",
        "on average, a bias of +0.2",
    ),
    "half the chance": (going_up(lambda v, f: f / 2), "you go up with half the probability"),
    "uniform −½ to ½": (
        going_up(lambda v, f: f + 0.5),
        "the random number that you compare with the fraction is from −1/2 to 1/2.",
    ),
    "uniform −1 to 1": (
        lambda v, r: np.floor(v) + (r.uniform(-1, 1, size=v.shape) < v % 1),
        "the random number that you compare with the fraction is from −1 to 1.",
    ),
    "square": (going_up(lambda v, f: f**2), "you go up with the square of the fraction"),
    "nearest of 0 to 1": (
        plus_uniform(np.rint, 0, 1),
        "you add a random number from 0 to 1 and then round to the nearest.",
        "a bias of +0.5",
    ),
    "down of −½ to ½": (
        plus_uniform(np.floor, -0.5, 0.5),
        "you add a random number from −1/2 to 1/2 and then round down.",
        "a bias of -0.5",
    ),
    "up of 0 to 1": (plus_uniform(np.ceil, 0, 1), "and then round up. That is 1 too much"),
    "nearest of −1 to 1": (
        plus_uniform(np.rint, -1, 1),
        "you add a random number from −1 to 1 before you round to the nearest. The mean is right",
    ),
    "down of −1 to 1": (plus_uniform(np.floor, -1, 1), "from −1 to 1 and then round down."),
    "down of 0 to 2": (plus_uniform(np.floor, 0, 2), "from 0 to 2 and then round down."),
    "root": (going_up(lambda v, f: np.sqrt(f)), "0.25 becomes 0.5", "a bias of +0.2"),
    "power 0.9": (going_up(lambda v, f: f**0.9), " becomes ", " on average"),
    "power 0.95": (
        going_up(lambda v, f: f**0.95),
        "the probabilities are not quite right.",
        UP,
        "in 5,000 runs, and all 14 values together have a bias of +0.",
        "more than chance explains.",
    ),
    "Poisson": (
        lambda v, r: r.poisson(v),
        "A whole number has to stay where it is.",
    ),
    "two away": (
        lambda v, r: np.floor(v) + np.where(v % 1, 2 * (r.random(v.shape) < v % 1 / 2), 0),
        "you make 2 of 0.1, and its neighbours are 0 and 1.",
    ),
    "far away, rarely": (
        lambda v, r: np.floor(v + r.random(v.shape)) + 7 * (r.random(v.shape) < 0.01 * (v % 1)),
        ", and its neighbours are ",
    ),
    "one number for all": (
        lambda v, r: np.floor(v + r.random()),
        "you draw one random number for all entries",
        "Draw rng.random(values.shape).",
    ),
    "two by two": (in_pairs, "they are not rounded independently"),
    "in place": (rounds_in_place, "the results are right, but your function changes values"),
    "global": (
        lambda v, r: np.floor(v + np.random.random(v.shape)),  # noqa: NPY002
        "a generator shared by the whole session",
        "rng.random(…).",
    ),
    "its own": (
        lambda v, r: np.floor(v + np.random.default_rng(1).random(v.shape)),
        "you draw nothing from rng",
    ),
    "a part": (lambda v, r: v + r.random(v.shape), "and the results have to be whole."),
    "shorter": (lambda v, r: np.rint(v)[1:], "returned an array of shape (13,), and rounded"),
    "one": (lambda v, r: 1, "returned one number, 1, and rounded values are asked for"),
    "nothing": (lambda v, r: None, "returned nothing. End it with return and rounded values."),
    "infinite": (lambda v, r: v / 0, "returned nan among rounded values."),
}
