"""Wrong probabilities for the flips of a table of bits, and what their messages say."""

import math

import numpy as np


def with_p(p):
    """Flips each bit with another probability, a function of cost."""
    return lambda bits, cost, rng: bits ^ (rng.random(bits.shape) < p(cost))


def fair(cost):
    return 1 / (math.exp(cost) + 1)


def random_bit(bits, cost, rng):
    chosen = rng.random(bits.shape) < fair(cost)
    return np.where(chosen, rng.integers(2, size=bits.shape), bits)


def only(bit):
    return lambda bits, cost, rng: np.where(
        (bits == bit) & (rng.random(bits.shape) < fair(cost)), 1 - bits, bits
    )


def coins(bits, cost, rng):
    return rng.random(bits.shape) < fair(cost)


AT_2 = "Of 28,800 bits at cost = 2 you flip"
RIGHT_P = "(1 − p)/p has to be e^cost, so p is 1/(e^cost + 1)."
WRONG_FLIP = {
    "cost + 2": (
        with_p(lambda c: 1 / (c + 2)),
        "you flip as if p were 1/(cost + 2): that is ALP1’s 1/(α + 2) with cost in place of α. "
        "But cost is ln(1 + α), so α is e^cost − 1. At cost = 2 a bit then costs ln((1 − p)/p) = "
        "1.099. That is too much noise: 1 − 2p, what a bit still tells, falls from 0.76 to 0.50.",
        AT_2,
        "1/(e^cost + 1) is 11.9%.",
    ),
    "e^cost + 2": (
        with_p(lambda c: 1 / (np.exp(c) + 2)),
        "1/(e^cost + 2): that is ALP1’s 1/(α + 2) with e^cost in place of α. But e^cost is 1 + α.",
        "ln((1 − p)/p) = 2.127. That is too little noise: not private enough.",
    ),
    "ln(1 + cost) + 2": (
        with_p(lambda c: 1 / (np.log1p(c) + 2)),
        "1/(ln(1 + cost) + 2): you take a logarithm where the exponential belongs",
    ),
    "ln(1 + cost) + 1": (
        with_p(lambda c: 1 / (np.log(c + 1) + 1)),
        "1/(ln(1 + cost) + 1): you take a logarithm where the exponential belongs",
    ),
    "ln(cost) + 1": (
        with_p(lambda c: 1 / (np.log(c) + 1)),
        "1/(ln(cost) + 1): you take a logarithm where the exponential belongs",
    ),
    "e^−cost": (
        with_p(lambda c: math.exp(-c)),
        "you flip as if p were e^(−cost): then 1/p is e^cost.",
        RIGHT_P,
        "a bit then costs ln((1 − p)/p) = 1.855. That is too much noise",
    ),
    "e^−cost/2": (with_p(lambda c: 1 / (2 * np.exp(c))), "p were e^(−cost)/2", "too little noise"),
    "e^cost − 1": (with_p(lambda c: 1 / np.expm1(c)), "p were 1/(e^cost − 1). A sign is wrong"),
    "1 − e^−cost": (
        with_p(lambda c: 1 - np.exp(-c)),
        "you flip as if p were 1 − e^(−cost), which grows with cost",
        "At cost = 0.5 a bit then costs ln((1 − p)/p) = 0.433.",
    ),
    "cost + 1": (with_p(lambda c: 1 / (c + 1)), "1/(cost + 1). That is for a likelihood of cost"),
    "1/cost": (with_p(lambda c: 1 / c), f"you flip as if p were 1/cost. {RIGHT_P}"),
    "e^(cost/2)": (
        with_p(lambda c: fair(c / 2)),
        "p were 1/(e^(cost/2) + 1). Half of cost would be for a change of two bits",
        "ln((1 − p)/p) = 1.000. That is too much noise",
    ),
    "e^(2 cost)": (
        with_p(lambda c: fair(2 * c)),
        "p were 1/(e^(2·cost) + 1): a bit costs twice as much as it may.",
        "= 4.000. That is too little noise: not private enough.",
    ),
    "keeps": (
        with_p(lambda c: 1 - fair(c)),
        "you keep a bit with probability 1/(e^cost + 1) and flip it otherwise.",
        "A bit costs the same, but p has to be below 1/2",
    ),
    "a random bit": (
        random_bit,
        "you flip with probability p/2, as if with probability p you put a random bit",
        "ln((1 − p)/p) = 2.759. That is too little noise",
    ),
    "2p": (with_p(lambda c: 2 * fair(c)), "you flip with probability 2p, twice too often."),
    "1 − 2p": (
        with_p(lambda c: 1 - 2 * fair(c)),
        "p were (e^cost − 1)/(e^cost + 1): that is 1 − 2p",
        "At cost = 0.5 a bit then costs ln((1 − p)/p) = 1.126. That is too little noise",
    ),
    "only ones": (only(1), "you flip ones only. Then a 1 that comes out was a 1", "is infinite."),
    "only zeros": (only(0), "you flip zeros only. Then a 0 that comes out was a 0", "is infinite."),
    "times the coins": (lambda b, c, r: b * coins(b, c, r), "zeros never change, as if bits"),
    "or kept": (lambda b, c, r: b | ~coins(b, c, r), "ones never change, as if bits and coins"),
    "the coins": (coins, "you return the coins, not the flipped bits", AT_2),
    "the other coins": (lambda b, c, r: ~coins(b, c, r), "you return the coins, 1 for “keep”"),
    "none": (lambda b, c, r: b * (coins(b, c, r) >= 0), "no bit is ever flipped"),
    "all": (lambda b, c, r: 1 - b * (coins(b, c, r) >= 0), "every bit is flipped, always"),
    "one half": (with_p(lambda c: 0.5), "with probability 1/2, whatever cost is.", "nothing is"),
    "one third": (
        with_p(lambda c: 1 / 3),
        "you flip about 33.",
        "whatever cost is. A bit then always costs about ln((1 − p)/p) = 0.",
        "too little noise where cost is smaller, and too much where it is larger.",
    ),
    "at cost 1": (with_p(lambda c: fair(1)), "you flip about 2", "whatever cost is."),
    "0.05": (with_p(lambda c: 0.05), "you flip about ", "of the bits whatever cost is. A bit"),
    "0.8": (with_p(lambda c: 0.8), "of the bits whatever cost is. p has to be below 1/2"),
    "a little more": (
        with_p(lambda c: fair(c) + 0.04),
        "Not yet: of 28,800 bits at cost = ",
        "A bit then costs about ",
        ": too much noise.",
    ),
    "a shade more": (
        with_p(lambda c: fair(c) + 0.011),
        "Not yet: of 28,800 bits at cost = ",
        ": too much noise.",
    ),
    "zeros more, ones less": (
        lambda b, c, r: b ^ (r.random(b.shape) < fair(c) + np.where(b == 0, 0.03, -0.03)),
        "Not yet: of 28,800 bits at cost = ",
        ": too little noise, not private enough.",
    ),
    "a little less": (
        with_p(lambda c: fair(1.3 * c)),
        "Not yet: of 28,800 bits at cost = ",
        "A bit then costs about ",
        ": too little noise, not private enough.",
    ),
    "opposite": (
        with_p(lambda c: 1 - fair(1.5 * c)),
        "Not yet: of 28,800 bits at cost = ",
        "What comes out then speaks for the opposite of the bit.",
    ),
    "ones seldom": (
        lambda b, c, r: np.where((b == 1) | (r.random(b.shape) < 0.3 + c / 20), b, 1 - b),
        "Not yet: of 28,800 bits at cost = ",
        "An output then tells the bit almost for certain: that is far too little noise.",
    ),
}
