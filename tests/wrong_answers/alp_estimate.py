"""Wrong estimates, and what their messages say."""

import math

import numpy as np


def walk_of(bits):
    return np.append(0, np.cumsum(2 * bits - 1))


def tops(walk):
    return np.flatnonzero(walk == walk.max())


def steps(step):
    return lambda bits: tops(np.append(0, np.cumsum(step(bits)))).mean()


def pick(choose):
    return lambda bits: choose(tops(walk_of(bits)))


def changes_bits(bits):
    bits[bits == 0] = -1
    return tops(np.append(0, np.cumsum(bits))).mean()


def before_first_zero(bits):
    return int(np.append(bits, 0).argmin())


def bytes_wrap(bits):
    return tops(np.append(0, np.cumsum(2 * bits.astype(np.uint8) - 1))).mean()


WRONG_ESTIMATE = {
    "first": (
        lambda b: int(np.argmax(walk_of(b))),
        "you take the first maximum alone, as np.argmax does: an estimate too low by 0.46 levels "
        "on average at α = 4",
        "g/(1−2g)² = 0.375 levels, and not 2g(1−g)/(1−2g)² = 0.625",
        "For the bits 0, 1 you return 0, and it is 1. (f is 0, −1, 0 for n = 0 to 2, highest at "
        "n = 0 and 2.)",
    ),
    "last": (
        pick(max),
        "you take the last maximum alone: an estimate too high by 0.46 levels",
        "For the bits 0, 1 you return 2, and it is 1.",
    ),
    "no zero": (
        lambda b: tops(np.cumsum(2 * b - 1)).mean() + 1,
        "n = 0 is left out. There f(0) = 0",
        "For the bits 0 you return 1, and it is 0. (f is 0, −1 for n = 0 to 1, highest at n = 0.)",
    ),
    "from 0": (
        lambda b: tops(np.cumsum(2 * b - 1)).mean(),
        "you count places from 0: the first entry of np.cumsum is f(1), after one bit.",
        "For the bits 1 you return 0, and it is 1.",
    ),
    "first from 0": (
        lambda b: np.cumsum(2 * b - 1).argmax(),
        "you count places from 0",
        "Besides, you take the first maximum alone",
    ),
    "one more": (lambda b: tops(walk_of(b)).mean() + 1, "your n is one too large"),
    "one less": (lambda b: tops(walk_of(b)).mean() - 1, "your n is one too small"),
    "no m": (lambda b: tops(walk_of(b)[:-1]).mean(), "n = m is left out: n goes from 0 to m"),
    "0 and 1": (steps(lambda b: b), "your steps are 0 and 1, so f never falls", "2·bit − 1."),
    "0 and 1, first": (
        lambda b: int(np.argmax(np.append(0, np.cumsum(b)))),
        "you return the place of the last 1 (or the first maximum of steps 0 and 1).",
        "A bit 1 is a step up, a bit 0 a step down",
    ),
    "−1 and 0": (steps(lambda b: b - 1), "your steps are −1 and 0, so f never rises"),
    "signs": (steps(lambda b: 1 - 2 * b), "your steps have the wrong sign"),
    "ones": (
        lambda b: b.sum(),
        "you return the number of ones.",
        "of 25 levels an entry of 0 gets 4.17 on average at α = 4, where the walk gives 0.625.",
    ),
    "before the first 0": (before_first_zero, "you count the ones before the first 0."),
    "the last 1": (
        lambda bits: max((n for n, bit in enumerate(bits, start=1) if bit), default=0),
        "you return the place of the last 1 (or the first",
    ),
    "midpoint": (
        pick(lambda t: (t[0] + t[-1]) / 2),
        "you take the middle between the first and the last maximum.",
        "highest at n = 0, 4 and 6.)",
    ),
    "median": (pick(np.median), "you take the median of the maxima.", "n = 0, 4 and 6.)"),
    "largest f": (lambda b: walk_of(b).max(), "you return the largest f."),
    "how many": (pick(len), "you return how many maxima there are"),
    "sum": (pick(np.sum), "you return the sum of the maximising n"),
    "down": (pick(lambda t: int(t.mean())), "you round the average down."),
    "round": (pick(lambda t: round(float(t.mean()))), "you round the average to a whole number."),
    "up": (pick(lambda t: math.ceil(t.mean())), "you round the average up."),
    "all": (pick(lambda t: t), "returned an array or a list with 1 entry, and one number is"),
    "bytes": (bytes_wrap, "your answer is m, whatever the bits are", "For the bits 0 you return 1"),
    "0 and 1, last": (lambda b: max(tops(np.append(0, np.cumsum(b)))), "your answer is m"),
    "unclear": (lambda b: 0.1 * len(b), "for the bits 0 you return 0.1, and it is 0."),
    "in place": (changes_bits, "the numbers are right, but your function changes bits"),
    "too few": (lambda b: walk_of(b)[len(b) + 1], "IndexError", "so that f has m + 1 values."),
}
