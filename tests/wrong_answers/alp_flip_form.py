"""Flips of a table of bits that are not independent, or wrong in form, and their messages."""

import math

import numpy as np

from tests.wrong_answers.alp import coins, fair


def fixed_number(bits, cost, rng):
    flat = bits.flatten()
    places = rng.choice(flat.size, size=round(flat.size * fair(cost)), replace=False)
    flat[places] ^= 1
    return flat.reshape(bits.shape)


def in_place(bits, cost, rng):
    flips = rng.random(bits.shape) < fair(cost)
    bits[flips] = 1 - bits[flips]
    return bits


def forgets_the_last_column(bits, cost, rng):
    flipped = bits.copy()
    flipped[:, :-1] ^= rng.random((len(bits), bits.shape[1] - 1)) < fair(cost)
    return flipped


def more_in_the_first_row(bits, cost, rng):
    p = np.full((len(bits), 1), fair(cost))
    p[0] += 0.1
    return bits ^ (rng.random(bits.shape) < p)


def in_blocks(bits, cost, rng):
    coins = rng.random((bits.shape[0] // 4, bits.shape[1])) < fair(cost)
    return bits ^ np.repeat(coins, 4, axis=0)


def never_together(bits, cost, rng):
    """Two bits side by side never flip both."""
    u = rng.random((bits.shape[0], bits.shape[1] // 2))
    p = fair(cost)
    return bits ^ np.stack([u < p, u > 1 - p], axis=2).reshape(bits.shape)


def halves(second, axis=0):
    """Half of the table has coins, the other half has what is made of them."""

    def flip(bits, cost, rng):
        u = rng.random(np.array_split(bits, 2, axis=axis)[0].shape)
        return bits ^ (np.concatenate([u, second(u)], axis=axis) < fair(cost))

    return flip


def restless(bits, cost, rng):
    """p itself is random, for a table: right on average, and hardly seen in two bits."""
    return bits ^ (rng.random(bits.shape) < fair(cost) + rng.choice([-0.03, 0.03]))


def global_generator(bits, cost, rng):
    return bits ^ (np.random.random(bits.shape) < fair(cost))  # noqa: NPY002


def own_generator(bits, cost, rng):
    return bits ^ (np.random.default_rng(0).random(bits.shape) < fair(cost))


def fresh_generator(bits, cost, rng):
    return bits ^ (np.random.default_rng().random(bits.shape) < fair(cost))


MOVED = "what comes out at a place depends on bits at other places."
WRONG_FLIP_FORM = {
    "one coin": (
        lambda b, c, r: b ^ (r.random() < fair(c)),
        "all bits of the table share one coin",
        "the loss is infinite.",
    ),
    "a coin a row": (
        lambda b, c, r: b ^ (r.random((len(b), 1)) < fair(c)),
        "all bits of a row share one coin",
    ),
    "one coin in a loop over rows": (
        lambda b, c, r: [1 - row if r.random() < fair(c) else row for row in b],
        "all bits of a row share one coin",
    ),
    "a coin a column": (
        lambda b, c, r: b ^ (r.random(b.shape[1]) < fair(c)),
        "all bits of a column share one coin",
    ),
    "rows reversed": (lambda b, c, r: (b ^ coins(b, c, r))[::-1], MOVED),
    "shifted": (lambda b, c, r: np.roll(b ^ coins(b, c, r), 1, axis=1), MOVED),
    "shuffled": (lambda b, c, r: r.permuted(b ^ coins(b, c, r), axis=1), MOVED),
    "a fixed number": (
        fixed_number,
        "you always flip the same number of bits, 14 of 120 at cost = 2.",
    ),
    "blocks": (in_blocks, "they do not flip independently"),
    "halves repeated": (
        halves(lambda u: u),
        "they do not flip independently: at cost = 0.5 the bits in row ",
        " of 240 tables, and 34 are expected. Each bit needs a coin of its own.",
    ),
    "columns repeated": (
        halves(lambda u: u, axis=1),
        "they do not flip independently: at cost = 0.5",
    ),
    "mirrored": (
        halves(lambda u: u[::-1]),
        "they do not flip independently: at cost = 0.5 the bits",
    ),
    "antithetic": (halves(lambda u: 1 - u), "they do not flip independently", "both flip in 0 of"),
    "turned": (
        halves(lambda u: u[::-1, ::-1]),
        "they do not flip independently: at cost = 0.5 the",
    ),
    "p is random": (
        restless,
        "they do not flip independently: the variance of the number of flips in a table is 1.",
    ),
    "never together": (never_together, "they do not flip independently"),
    "one column less": (forgets_the_last_column, "no bit of column 9 is ever flipped."),
    "one row more": (more_in_the_first_row, "not all bits flip alike: at cost = ", "in row 0"),
    "in place": (in_place, "the flips are right, but your function changes bits, which whoever"),
    "global": (global_generator, "a generator shared by the whole session", "rng.random(…)."),
    "its own": (own_generator, "you draw nothing from rng"),
    "fresh": (fresh_generator, "two runs with equal generators gave different answers"),
    "unchanged": (lambda b, c, r: b, "you draw nothing from rng"),
    "probabilities": (
        lambda b, c, r: np.where(b == 1, 1 - fair(c), fair(c)),
        "and a bit is 0 or 1. Draw the bits: return no probabilities",
    ),
    "added": (lambda b, c, r: b + coins(b, c, r), "returned 2, and a bit is 0 or 1. Adding or"),
    "subtracted": (lambda b, c, r: b - coins(b, c, r), "returned -1, and a bit is 0 or 1. Adding"),
    "tilde": (lambda b, c, r: np.where(coins(b, c, r), ~b, b), "~b is −1 − b, not 1 − b."),
    "flat": (lambda b, c, r: (b ^ coins(b, c, r)).ravel(), "returned an array of shape (120,)"),
    "one number": (
        lambda b, c, r: fair(c),
        "your function returned one number, 0.268941",
        "0s and 1s are asked",
    ),
    "nothing": (lambda b, c, r: None, "returned nothing. End it with return and 0s and 1s."),
    "yields": (
        lambda b, c, r: (row for row in b),
        "your function returned a generator. Do not yield",
    ),
    "words": (lambda b, c, r: "01", "your function returned '01', and 0s and 1s are asked for."),
    "NaN": (lambda b, c, r: b * math.nan, "your function returned nan among 0s and 1s."),
}
