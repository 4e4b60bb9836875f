"""Wrong estimates and wrong reductions to ALP1, and what their messages say."""

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
        "your steps are 0 and 1",
        "Besides, you take the first maximum alone",
    ),
    "−1 and 0": (steps(lambda b: b - 1), "your steps are −1 and 0, so f never rises"),
    "signs": (steps(lambda b: 1 - 2 * b), "your steps have the wrong sign"),
    "ones": (
        lambda b: b.sum(),
        "you return the number of ones.",
        "of 25 levels an entry of 0 gets 4.17 on average at α = 4, where the walk gives 0.625.",
    ),
    "before the first 0": (before_first_zero, "you count the ones before the first 0."),
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


def powers(values_by, cap_by, alpha_by, back_by):
    """Everything times epsilon to these powers."""
    return lambda v, c, a, e, alp1: (
        e**back_by * alp1(v * e**values_by, c * e**cap_by, a * e**alpha_by)
    )


def twice(values, cap, alpha, epsilon, alp1):
    return sum(alp1(values * epsilon, cap * epsilon, alpha) for _ in range(2)) / (2 * epsilon)


def scales_in_place(values, cap, alpha, epsilon, alp1):
    values *= epsilon
    return alp1(values, cap * epsilon, alpha) / epsilon


def not_zero(values, cap, alpha, epsilon, alp1):
    estimates = np.zeros(len(values))
    some = np.flatnonzero(values)
    estimates[some] = alp1(values[some] * epsilon, cap * epsilon, alpha) / epsilon
    return estimates


def capped(cap_of):
    """The cap is a function of what is given and of the values."""
    return lambda v, c, a, e, alp1: alp1(v * e, cap_of(c, v) * e, a) / e


def equal_ones_once(values, cap, alpha, epsilon, alp1):
    different, places = np.unique(values, return_inverse=True)
    return alp1(different * epsilon, cap * epsilon, alpha)[places] / epsilon


ZEROS = "you leave out the zeros: they come back as exactly 0"
FROM_VALUES = "your cap is taken from the values: the number of levels then tells how large the"
WRONG_SCALING = {
    "zeros stay": (
        lambda v, c, a, e, alp1: np.where(v == 0, 0, alp1(v * e, c * e, a) / e),
        ZEROS,
        "Which entries are zero is private.",
    ),
    "not the zeros": (not_zero, ZEROS, "the loss is infinite. Give alp1 all entries"),
    "not the zeros, one by one": (
        lambda v, c, a, e, alp1: [alp1(x * e, c * e, a) / e if x else 0 for x in v],
        ZEROS,
    ),
    "not the zeros, not back": (
        lambda v, c, a, e, alp1: not_zero(v, c, a, e, alp1) * e,
        ZEROS,
        "Besides, you do not divide what comes back by ε.",
    ),
    "a cap that is enough": (capped(lambda c, v: min(c, v.max())), FROM_VALUES, "never above"),
    "a cap of the values": (capped(lambda c, v: v.max()), FROM_VALUES, "Use the given cap"),
    "equal ones once": (
        equal_ones_once,
        "the numbers are right, but you do not ask alp1 about each entry",
        "which entries are equal is private.",
    ),
    "cap as it is": (
        powers(1, 0, 0, -1),
        "cap is not scaled with the values. At ε = 2 a value above cap/2 is cut off",
        "(That is entry 0, with an alp1 that leaves nothing to chance.)",
    ),
    "values as they are": (
        powers(0, 1, 0, -1),
        "the values are not scaled. alp1 spends 1 on a change of 1, so the release costs 1 "
        "whatever ε is: at ε = 0.5 it is not ε-private, and at ε = 2 half the budget is unused.",
    ),
    "nothing": (powers(0, 0, 0, 0), "nothing is scaled: this is alp1 itself.", "not ε-private"),
    "back alone": (powers(0, 0, 0, -1), "values and cap go in as they are", "1/ε times too large"),
    "not back": (powers(1, 1, 0, 0), "you do not divide what comes back by ε.", "is half of what"),
    "back times ε": (powers(1, 1, 0, 1), "you multiply what comes back by ε."),
    "back twice": (powers(1, 1, 0, -2), "you divide what comes back by ε². Once is enough."),
    "the wrong way": (
        powers(-1, -1, 0, 1),
        "ε is the wrong way round: you divide first and multiply after.",
        "the release costs 1/ε: 2 at ε = 0.5, four times the budget.",
    ),
    "the wrong way, cap as it is": (powers(-1, 0, 0, 1), "the wrong way round", "cap is not"),
    "values divided": (powers(-1, 1, 0, -1), "you divide the values by ε.", "costs 1/ε"),
    "values twice": (powers(2, 1, 0, -1), "you multiply the values by ε²."),
    "cap divided": (powers(1, -1, 0, -1), "you divide cap by ε, and the values are multiplied."),
    "cap twice": (powers(1, 2, 0, -1), "you multiply cap by ε²"),
    "α too": (
        powers(1, 1, 1, -1),
        "you scale α too. This is still ε-private",
        "α = 3 becomes 1.5 and the bound on the error 14.83, not 13.67.",
    ),
    "α divided": (
        powers(1, 1, -1, -1),
        "you divide α by ε. This is still ε-private",
        "α = 3 becomes 6 and the bound on the error 15.33, not 13.67.",
    ),
    "α alone": (powers(0, 0, -1, 0), "you scale α, and neither values nor cap."),
    "α alone, times": (powers(0, 0, 1, 0), "you scale α, and neither values nor cap."),
    "e^ε − 1": (
        lambda v, c, a, e, alp1: alp1(v * np.expm1(e), c * np.expm1(e), a) / np.expm1(e),
        "you scale by e^ε − 1. That is for a change in one entry; alp1’s neighbours may spread it",
        "that costs up to e^ε − 1 > ε, 6.39 at ε = 2.",
    ),
    "two": (
        powers(1, 0, 0, 0),
        "cap is not scaled with the values.",
        "Besides, you do not divide what comes back by ε.",
    ),
    "twice": (twice, "you ask alp1 about the same entries more than once.", "2 calls cost 2ε."),
    "never": (lambda v, c, a, e, alp1: np.minimum(v, c), "you never call alp1."),
    "in place": (scales_in_place, "the numbers are right, but your function changes values"),
    "no α": (
        lambda v, c, a, e, alp1: alp1(v * e, c * e) / e,
        "your function stopped with TypeError",
        "TypeError: alp1() missing 1 required positional argument: 'alpha'",
    ),
    "one number": (
        lambda v, c, a, e, alp1: alp1(v * e, c * e, a).mean() / e,
        "and estimates are asked for, in the shape (4,) of what is given.",
    ),
    "nothing returned": (lambda *given: None, "returned nothing. End it with return and estimates"),
}
