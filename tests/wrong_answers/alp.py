"""Wrong flips of a table of bits, and what their messages say."""

import math

import numpy as np


def with_p(p):
    """Flips each bit with another probability, a function of alpha."""
    return lambda bits, alpha, rng: bits ^ (rng.random(bits.shape) < p(alpha))


def fair(alpha):
    return 1 / (alpha + 2)


def fixed_number(bits, alpha, rng):
    flat = bits.flatten()
    places = rng.choice(flat.size, size=round(flat.size * fair(alpha)), replace=False)
    flat[places] ^= 1
    return flat.reshape(bits.shape)


def in_place(bits, alpha, rng):
    flips = rng.random(bits.shape) < fair(alpha)
    bits[flips] = 1 - bits[flips]
    return bits


def forgets_the_last_column(bits, alpha, rng):
    flipped = bits.copy()
    flipped[:, :-1] ^= rng.random((len(bits), bits.shape[1] - 1)) < fair(alpha)
    return flipped


def more_in_the_first_row(bits, alpha, rng):
    p = np.full((len(bits), 1), fair(alpha))
    p[0] += 0.1
    return bits ^ (rng.random(bits.shape) < p)


def in_blocks(bits, alpha, rng):
    coins = rng.random((bits.shape[0] // 4, bits.shape[1])) < fair(alpha)
    return bits ^ np.repeat(coins, 4, axis=0)


def never_together(bits, alpha, rng):
    """Two bits side by side never flip both."""
    u = rng.random((bits.shape[0], bits.shape[1] // 2))
    p = fair(alpha)
    return bits ^ np.stack([u < p, u > 1 - p], axis=2).reshape(bits.shape)


def halves(second, axis=0):
    """Half of the table has coins, the other half has what is made of them."""

    def flip(bits, alpha, rng):
        u = rng.random(np.array_split(bits, 2, axis=axis)[0].shape)
        return bits ^ (np.concatenate([u, second(u)], axis=axis) < fair(alpha))

    return flip


def restless(bits, alpha, rng):
    """p itself is random, for a table: right on average, and hardly seen in two bits."""
    return bits ^ (rng.random(bits.shape) < fair(alpha) + rng.choice([-0.03, 0.03]))


def global_generator(bits, alpha, rng):
    return bits ^ (np.random.random(bits.shape) < fair(alpha))  # noqa: NPY002


def own_generator(bits, alpha, rng):
    return bits ^ (np.random.default_rng(0).random(bits.shape) < fair(alpha))


def fresh_generator(bits, alpha, rng):
    return bits ^ (np.random.default_rng().random(bits.shape) < fair(alpha))


def random_bit(bits, alpha, rng):
    chosen = rng.random(bits.shape) < fair(alpha)
    return np.where(chosen, rng.integers(2, size=bits.shape), bits)


def only(bit):
    return lambda bits, alpha, rng: np.where(
        (bits == bit) & (rng.random(bits.shape) < fair(alpha)), 1 - bits, bits
    )


def coins(bits, alpha, rng):
    return rng.random(bits.shape) < fair(alpha)


AT_3 = "Of 28,800 bits at α = 3 you flip"
WRONG_FLIP = {
    "α + 1": (
        with_p(lambda a: 1 / (a + 1)),
        "you flip as if p were 1/(α + 1), and it is 1/(α + 2). At α = 3 a level then costs "
        "ln((1 − p)/p) = 1.099; it may cost ln(1 + α) = 1.386. That is more noise than privacy "
        "asks for: the bound on the walk’s error rises from 1.78 to 3.00 levels.",
        "At α = 1 that is 1/2",
        AT_3,
        "1/(α + 2) is 20.0%.",
    ),
    "e^α + 1": (
        with_p(lambda a: 1 / (math.exp(a) + 1)),
        "you flip as if p were 1/(e^α + 1), the randomised response that spends α on a level. "
        "At α = 3 a level then costs ln((1 − p)/p) = 3.000; it may cost ln(1 + α) = 1.386. "
        "That is too little noise: spread over many entries, a change of 1 costs up to "
        "((1 − p)/p − 1)/α = 6.36",
    ),
    "keeps": (
        with_p(lambda a: 1 - fair(a)),
        "you keep a bit with probability 1/(α + 2) and flip it otherwise.",
    ),
    "a random bit": (
        random_bit,
        "you flip with probability p/2, as if with probability p you put a random bit",
        "ln((1 − p)/p) = 2.197",
        "= 2.67, and ALP1 promises 1.",
    ),
    "only ones": (only(1), "you flip ones only. Then a 1 that comes out was a 1", "is infinite."),
    "only zeros": (only(0), "you flip zeros only. Then a 0 that comes out was a 0", "is infinite."),
    "times the coins": (lambda b, a, r: b * coins(b, a, r), "zeros never change, as if bits"),
    "the coins": (coins, "you return the coins, not the flipped bits", AT_3),
    "the other coins": (lambda b, a, r: ~coins(b, a, r), "these are the coins, 1 for “keep”."),
    "none": (lambda b, a, r: b * (coins(b, a, r) >= 0), "no bit is ever flipped"),
    "all": (lambda b, a, r: 1 - b * (coins(b, a, r) >= 0), "every bit is flipped, always"),
    "one half": (with_p(lambda a: 0.5), "with probability 1/2, whatever α is.", "leaves nothing"),
    "one third": (with_p(lambda a: 1 / 3), "1/3 whatever α is", "or 1/(ε + 2) for ε = 1."),
    "one quarter": (with_p(lambda a: 1 / 4), "you flip with probability 1/4 whatever α is."),
    "one sixth": (with_p(lambda a: 1 / 6), "that is 1/(α + 2) for α = 4.", "too little noise"),
    "2p": (with_p(lambda a: 2 / (a + 2)), "you flip with probability 2/(α + 2), twice too often."),
    "1/α": (with_p(lambda a: 1 / a), "you flip as if p were 1/α, and it is 1/(α + 2)."),
    "e^−α": (with_p(lambda a: math.exp(-a)), "you flip as if p were e^(−α), and it is 1/(α + 2)."),
    "1 − 2p": (with_p(lambda a: a / (a + 2)), "you flip as if p were α/(α + 2): that is 1 − 2p"),
    "α + 3": (with_p(lambda a: 1 / (a + 3)), "you flip as if p were 1/(α + 3)."),
    "0.05": (
        with_p(lambda a: 0.05),
        "Not yet: of 28,800 bits at α = 0.5 you flip ",
        "1/(α + 2) is 40.0%.",
    ),
    "α + 2.2": (with_p(lambda a: 1 / (a + 2.2)), "bits at α = 0.5 you flip 3", "is 40.0%."),
    "one coin": (
        lambda b, a, r: b ^ (r.random() < fair(a)),
        "all bits of the table share one coin",
        "the loss is infinite.",
    ),
    "a coin a row": (
        lambda b, a, r: b ^ (r.random((len(b), 1)) < fair(a)),
        "all bits of a row share one coin",
    ),
    "one coin in a loop over rows": (
        lambda b, a, r: [1 - row if r.random() < fair(a) else row for row in b],
        "all bits of a row share one coin",
    ),
    "a coin a column": (
        lambda b, a, r: b ^ (r.random(b.shape[1]) < fair(a)),
        "all bits of a column share one coin",
    ),
    "a fixed number": (
        fixed_number,
        "you always flip the same number of bits, 24 of 120 at α = 3.",
    ),
    "blocks": (in_blocks, "they do not flip independently"),
    "halves repeated": (
        halves(lambda u: u),
        "they do not flip independently: at α = 0.5 the bits in row ",
        " of 240 tables, and 38 are expected. Each bit needs a coin of its own.",
    ),
    "columns repeated": (halves(lambda u: u, axis=1), "they do not flip independently: at α = 0.5"),
    "mirrored": (halves(lambda u: u[::-1]), "they do not flip independently: at α = 0.5 the bits"),
    "antithetic": (halves(lambda u: 1 - u), "they do not flip independently", "both flip in 0 of"),
    "turned": (halves(lambda u: u[::-1, ::-1]), "they do not flip independently: at α = 0.5 the"),
    "p is random": (
        restless,
        "they do not flip independently: the variance of the number of flips in a table is 1.",
    ),
    "never together": (never_together, "they do not flip independently"),
    "one column less": (forgets_the_last_column, "no bit of column 9 is ever flipped."),
    "one row more": (more_in_the_first_row, "not all bits flip alike: at α = ", "in row 0"),
    "in place": (in_place, "the flips are right, but your function changes bits, which whoever"),
    "global": (global_generator, "a generator shared by the whole session", "rng.random(…)."),
    "its own": (own_generator, "you draw nothing from rng"),
    "fresh": (fresh_generator, "two runs with equal generators gave different answers"),
    "unchanged": (lambda b, a, r: b, "you draw nothing from rng"),
    "probabilities": (
        lambda b, a, r: np.where(b == 1, 1 - fair(a), fair(a)),
        "and a bit is 0 or 1. Draw the bits: return no probabilities",
    ),
    "added": (lambda b, a, r: b + coins(b, a, r), "returned 2, and a bit is 0 or 1. Adding or"),
    "subtracted": (lambda b, a, r: b - coins(b, a, r), "returned -1, and a bit is 0 or 1. Adding"),
    "tilde": (lambda b, a, r: np.where(coins(b, a, r), ~b, b), "~b is −1 − b, not 1 − b."),
    "flat": (lambda b, a, r: (b ^ coins(b, a, r)).ravel(), "returned an array of shape (120,)"),
    "one number": (
        lambda b, a, r: fair(a),
        "your function returned one number, 0.333333",
        "0s and 1s are asked",
    ),
    "nothing": (lambda b, a, r: None, "returned nothing. End it with return and 0s and 1s."),
    "yields": (
        lambda b, a, r: (row for row in b),
        "your function returned a generator. Do not yield",
    ),
    "words": (lambda b, a, r: "01", "your function returned '01', and 0s and 1s are asked for."),
    "NaN": (lambda b, a, r: b * math.nan, "your function returned nan among 0s and 1s."),
}
