"""Notebook 08’s randomised response: every bit of a table flipped with probability 1/(α + 2)."""

import math

import numpy as np

from course_lib.checks.alp_arrays import (
    check_callable,
    check_kept,
    inside,
    returned,
)
from course_lib.checks.alp_flip_law import ALPHAS, INFINITE, chance, check_law, check_shared
from course_lib.checks.exercise import NotYet, check_randomness, exercise

TABLES, SHAPE = 240, (12, 10)  # of each α; few enough for an answer that draws bit by bit
_ASKED = "0s and 1s"


def loss(p, alpha):
    """What ALP1 with this p costs at most: the supremum over all ways to spread a change of 1."""
    return ((1 - p) / p - 1) / alpha


def _price(p, alpha=3.0):
    """What a wrong p, below 1/2, does to privacy and to the error, at this α."""
    p, fair = p(alpha), chance(alpha)
    words = (
        f"At α = {alpha:g} a level then costs ln((1 − p)/p) = {math.log((1 - p) / p):.3f}; "
        f"it may cost ln(1 + α) = {math.log(1 + alpha):.3f}. "
    )
    if p < fair:
        return words + (
            "That is too little noise: spread over many entries, a change of 1 costs up to "
            f"((1 − p)/p − 1)/α = {loss(p, alpha):.2f}, and ALP1 promises 1."
        )
    before, after = (4 * q * (1 - q) / (1 - 2 * q) ** 2 for q in (fair, p))
    return words + (
        "That is more noise than privacy asks for: the bound on the walk’s error rises from "
        f"{before:.2f} to {after:.2f} levels."
    )


def _both(p, words):
    """A slip that flips zeros and ones alike."""
    return lambda alpha: (p(alpha), p(alpha)), words


_DROWNED = "Half of all bits flipped leaves nothing of the data."

# (chance that a 0 is flipped, that a 1 is flipped) as a function of α, and the sentence
SLIPS = [
    _both(lambda a: 1 / (a + 1), "you flip as if p were 1/(α + 1), and it is 1/(α + 2). "
          f"{_price(lambda a: 1 / (a + 1))} At α = 1 that is 1/2, and nothing is left."),
    _both(lambda a: 1 / (math.exp(a) + 1), "you flip as if p were 1/(e^α + 1), the randomised "
          f"response that spends α on a level. {_price(lambda a: 1 / (math.exp(a) + 1))}"),
    _both(lambda a: (a + 1) / (a + 2), "you keep a bit with probability 1/(α + 2) and flip it "
          "otherwise. It is the other way round. As it is, most bits say the opposite, and the "
          "walk goes down where it should go up."),
    _both(lambda a: 1 / (2 * a + 4), "you flip with probability p/2, as if with probability p you "
          "put a random bit in place of the bit: half the time that is the bit itself. "
          f"{_price(lambda a: 1 / (2 * a + 4))}"),
    (lambda a: (0, chance(a)), "you flip ones only. Then a 1 that comes out was a 1, for certain. "
     f"{INFINITE}"),
    (lambda a: (chance(a), 0), "you flip zeros only. Then a 0 that comes out was a 0, for certain. "
     f"{INFINITE}"),
    (lambda a: (0, 1 - chance(a)), "zeros never change, as if bits and coins were multiplied. Then "
     f"a 1 that comes out was a 1, for certain. {INFINITE}"),
    (lambda a: (chance(a), 1 - chance(a)), "you return the coins, not the flipped bits: what comes "
     "out does not depend on bits. Where the coin says so, return 1 − bit, else the bit."),
    (lambda a: (1 - chance(a), chance(a)), "what comes out does not depend on bits: these are the "
     "coins, 1 for “keep”. Where the coin says “flip”, return 1 − bit, else the bit."),
    (lambda a: (0, 0), "no bit is ever flipped: the table comes out as it is. "
     f"{INFINITE}"),
    (lambda a: (1, 1), f"every bit is flipped, always: that can be undone. {INFINITE}"),
    _both(lambda a: 1 / 2, f"you flip every bit with probability 1/2, whatever α is. {_DROWNED}"),
    _both(lambda a: 1 / 3, "you flip with probability 1/3 whatever α is: that is 1/(α + 2) for "
          f"α = 1, or 1/(ε + 2) for ε = 1. {_price(lambda a: 1 / 3)}"),
    _both(lambda a: 1 / 4, "you flip with probability 1/4 whatever α is. "
          f"{_price(lambda a: 1 / 4)}"),
    _both(lambda a: 1 / 6, "you flip with probability 1/6 whatever α is: that is 1/(α + 2) for "
          f"α = 4. {_price(lambda a: 1 / 6)}"),
    _both(lambda a: 2 / (a + 2), "you flip with probability 2/(α + 2), twice too often. "
          f"{_price(lambda a: 2 / (a + 2))}"),
    _both(lambda a: min(1, 1 / a), "you flip as if p were 1/α, and it is 1/(α + 2). "
          f"{_price(lambda a: 1 / a)}"),
    _both(lambda a: math.exp(-a), "you flip as if p were e^(−α), and it is 1/(α + 2). "
          f"{_price(lambda a: math.exp(-a))}"),
    _both(lambda a: a / (a + 2), "you flip as if p were α/(α + 2): that is 1 − 2p, what a bit "
          "still tells. A bit is flipped with p = 1/(α + 2)."),
    _both(lambda a: 1 / (a + 3), "you flip as if p were 1/(α + 3). "
          f"{_price(lambda a: 1 / (a + 3))}"),
]  # fmt: skip


def _tables():
    """The same bits for everyone, one table after the other."""
    return np.random.default_rng(8).integers(0, 2, size=(TABLES, *SHAPE))


def _run(function, bits, alpha, rng):
    given = bits.copy()
    found = returned(function, given, alpha, rng, asked=_ASKED)
    strange = found[(found != 0) & (found != 1)]
    if strange.size:
        raise NotYet(f"your function returned {strange[0]:g}, and a bit is 0 or 1.{_why(strange)}")
    return found, given


def _why(strange):
    """What numbers that are no bits come from."""
    if ((strange > 0) & (strange < 1)).any():
        return " Draw the bits: return no probabilities and no random numbers."
    if (strange == -2).any():
        return " (For whole numbers ~b is −1 − b, not 1 − b.)"
    if set(strange) <= {-1, 2}:
        return " Adding or subtracting a coin is not flipping: that is 1 − b, or b ^ 1."
    return ""


def _check_rates(flips, bits):
    """Raise NotYet unless zeros and ones are flipped with probability 1/(α + 2)."""
    ones = (flips & (bits == 1)).sum(axis=(1, 2, 3))
    seen = np.stack([flips.sum(axis=(1, 2, 3)) - ones, ones], axis=1)
    trials = np.array([(bits == 0).sum(), (bits == 1).sum()])
    exact = np.array([chance(alpha) for alpha in ALPHAS])
    if inside(seen, trials, exact[:, None]) and inside(seen.sum(axis=1), trials.sum(), exact):
        return
    rates = seen / trials
    fits = []
    for of, words in SLIPS:
        expected = np.array([of(alpha) for alpha in ALPHAS])
        if inside(seen, trials, expected):
            fits.append((np.abs(rates - expected).max(), words))
    i = -1 if fits else int(np.argmax(np.abs(rates - exact[:, None]).sum(axis=1)))
    shown = (
        f"of {bits.size:,} bits at α = {ALPHAS[i]:g} you flip {rates[i, 0]:.1%} of the zeros and "
        f"{rates[i, 1]:.1%} of the ones; 1/(α + 2) is {exact[i]:.1%}."
    )
    raise NotYet(f"{min(fits)[1]}\nO{shown[1:]}" if fits else shown)


@exercise
def check_flip(function):
    """Judge `function(bits, alpha, rng)`: each bit of a table flipped with probability 1/(α + 2).

    A right answer fails with probability at most 8.5e-7: 17 tests, each of level LEVEL.
    """
    check_callable(function)
    tables = _tables()
    check_randomness(
        lambda rng: _run(function, tables[0], 1.0, rng)[0].tolist(), example="rng.random(…)"
    )
    results, kept = [], True
    for alpha in ALPHAS:
        rng = np.random.default_rng(0)
        runs = [_run(function, table, alpha, rng) for table in tables]
        results.append([found for found, _ in runs])
        kept = kept and np.array_equal([given for _, given in runs], tables)
    flips = np.array(results) != tables
    check_shared(flips)
    _check_rates(flips, tables)
    check_law(flips)
    check_kept(True, kept, "bits", "the flips are right")
    return (
        f"in {TABLES * len(ALPHAS)} tables each bit flips on its own with probability 1/(α + 2), "
        "whether it is 0 or 1. So (1 − p)/p = 1 + α: a value rounded at random to a multiple of α "
        "makes an output at most 1 + u times as likely when it grows by u ≤ α, and 1 + u ≤ e^u."
    )
