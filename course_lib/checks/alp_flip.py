"""Notebook 08’s randomised response: every bit of a table flipped, so that a bit costs `cost`."""

import math

import numpy as np

from course_lib.checks.alp_arrays import (
    check_callable,
    check_kept,
    inside,
    returned,
)
from course_lib.checks.alp_flip_law import (
    COSTS,
    INFINITE,
    chance,
    check_alike,
    check_law,
    check_shared,
)
from course_lib.checks.exercise import NotYet, check_randomness, exercise

TABLES, SHAPE = 240, (12, 10)  # of each cost; few enough for an answer that draws bit by bit
_ASKED = "0s and 1s"


def spent(zero, one):
    """What a bit costs if zeros and ones are flipped with these probabilities."""
    return max(abs(math.log((1 - one) / zero)), abs(math.log((1 - zero) / one)))


def _price(p, cost=2.0):
    """What a wrong p, up to 1/2, does to privacy and to what is left of a bit, at this cost."""
    p, fair = p(cost), chance(cost)
    words = f"At cost = {cost:g} a bit then costs ln((1 − p)/p) = {spent(p, p):.3f}. "
    if p < fair:
        return words + "That is too little noise: not private enough."
    return words + (
        "That is too much noise: 1 − 2p, what a bit still tells, falls from "
        f"{1 - 2 * fair:.2f} to {1 - 2 * p:.2f}."
    )


def _both(p, words, at=2.0):
    """A slip that flips zeros and ones alike."""
    return lambda cost: (min(p(cost), 1),) * 2, f"{words} {_price(p, at)}"


_RIGHT = "(1 − p)/p has to be e^cost, so p is 1/(e^cost + 1)."
_LOG = "you take a logarithm where the exponential belongs: if ln(1 + α) is cost, 1 + α is e^cost."
_BLIND = "What comes out does not depend on bits."

# (chance that a 0 is flipped, that a 1 is flipped) as a function of cost, and the sentence
SLIPS = [
    _both(lambda c: 1 / (c + 2), "you flip as if p were 1/(cost + 2): that is ALP1’s 1/(α + 2) "
          "with cost in place of α. But cost is ln(1 + α), so α is e^cost − 1."),
    _both(lambda c: 1 / (math.exp(c) + 2), "you flip as if p were 1/(e^cost + 2): that is ALP1’s "
          "1/(α + 2) with e^cost in place of α. But e^cost is 1 + α."),
    _both(lambda c: 1 / (math.log1p(c) + 2), f"you flip as if p were 1/(ln(1 + cost) + 2): {_LOG}"),
    _both(lambda c: 1 / (math.log1p(c) + 1), f"you flip as if p were 1/(ln(1 + cost) + 1): {_LOG}"),
    (lambda c: (min(1 / (math.log(c) + 1), 1),) * 2, "you flip as if p were 1/(ln(cost) + 1): "
     f"{_LOG} As it is, most bits say the opposite of what they should."),
    _both(lambda c: math.exp(-c), "you flip as if p were e^(−cost): then 1/p is e^cost. But what "
          f"tells two bits apart is (1 − p)/p. {_RIGHT} (Below cost = ln 2 yours is above 1/2.)"),
    _both(lambda c: math.exp(-c) / 2, f"you flip as if p were e^(−cost)/2, or 1/(2·e^cost). "
          f"{_RIGHT}"),
    _both(lambda c: 1 / math.expm1(c), f"you flip as if p were 1/(e^cost − 1). A sign is wrong: "
          f"{_RIGHT}"),
    _both(lambda c: -math.expm1(-c), f"you flip as if p were 1 − e^(−cost), which grows with cost: "
          f"from cost = ln 2 on most bits say the opposite. {_RIGHT}", at=0.5),
    _both(lambda c: 1 / (c + 1), "you flip as if p were 1/(cost + 1). That is for a likelihood of "
          f"cost times as much; it is e^cost times as much. {_RIGHT}"),
    _both(lambda c: 1 / c, f"you flip as if p were 1/cost. {_RIGHT}"),
    _both(lambda c: 1 / (math.exp(c / 2) + 1), "you flip as if p were 1/(e^(cost/2) + 1). Half of "
          "cost would be for a change of two bits, as when a person moves from one place to "
          f"another; here one bit changes. {_RIGHT}"),
    _both(lambda c: 1 / (math.exp(2 * c) + 1), "you flip as if p were 1/(e^(2·cost) + 1): a bit "
          f"costs twice as much as it may. {_RIGHT}"),
    (lambda c: (1 - chance(c),) * 2, "you keep a bit with probability 1/(e^cost + 1) and flip it "
     "otherwise. It is the other way round. A bit costs the same, but p has to be below 1/2: as it "
     "is, most bits say the opposite."),
    _both(lambda c: chance(c) / 2, "you flip with probability p/2, as if with probability p you "
          "put a random bit in place of the bit: half the time that is the bit itself."),
    _both(lambda c: 2 * chance(c), "you flip with probability 2p, twice too often. (With a random "
          "bit in place of the bit, 2p would be right: half the time it is the bit itself.)"),
    _both(lambda c: math.tanh(c / 2), "you flip as if p were (e^cost − 1)/(e^cost + 1): that is "
          f"1 − 2p, what a bit still tells. {_RIGHT}", at=0.5),
    (lambda c: (0, chance(c)), "you flip ones only. Then a 1 that comes out was a 1, for certain. "
     f"{INFINITE}"),
    (lambda c: (chance(c), 0), "you flip zeros only. Then a 0 that comes out was a 0, for certain. "
     f"{INFINITE}"),
    (lambda c: (0, 1 - chance(c)), "zeros never change, as if bits and coins were multiplied. Then "
     f"a 1 that comes out was a 1, for certain. {INFINITE}"),
    (lambda c: (1 - chance(c), 0), "ones never change, as if bits and coins were joined by “or”. "
     f"Then a 0 that comes out was a 0, for certain. {INFINITE}"),
    (lambda c: (chance(c), 1 - chance(c)), f"you return the coins, not the flipped bits. {_BLIND} "
     "Where the coin says so, return 1 − bit, else the bit."),
    (lambda c: (1 - chance(c), chance(c)), "you return the coins, 1 for “keep”, not the flipped "
     f"bits. {_BLIND} Where the coin says “flip”, return 1 − bit, else the bit."),
    (lambda c: (0, 0), f"no bit is ever flipped: the table comes out as it is. {INFINITE}"),
    (lambda c: (1, 1), f"every bit is flipped, always: that can be undone. {INFINITE}"),
    (lambda c: (1 / 2, 1 / 2), "you flip every bit with probability 1/2, whatever cost is. A bit "
     "then costs 0, and nothing is left of the data."),
]  # fmt: skip


def _tables():
    """The same bits for everyone, one table after the other."""
    return np.random.default_rng(8).integers(0, 2, size=(TABLES, *SHAPE))


def _run(function, bits, cost, rng):
    given = bits.copy()
    found = returned(function, given, cost, rng, asked=_ASKED)
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


def _fits(seen, trials, expected):
    """Do zeros and ones hold their intervals, each of them and both together?"""
    together = expected @ trials / trials.sum()
    return inside(seen, trials, expected) and inside(seen.sum(axis=1), trials.sum(), together)


def _check_rates(flips, bits):
    """Raise NotYet unless zeros and ones are flipped with probability 1/(e^cost + 1)."""
    ones = (flips & (bits == 1)).sum(axis=(1, 2, 3))
    seen = np.stack([flips.sum(axis=(1, 2, 3)) - ones, ones], axis=1)
    trials = np.array([(bits == 0).sum(), (bits == 1).sum()])
    exact = np.array([chance(cost) for cost in COSTS])
    if _fits(seen, trials, np.stack([exact, exact], axis=1)):
        return
    rates = seen / trials
    fits = []
    for of, words in SLIPS:
        expected = np.array([of(cost) for cost in COSTS])
        if _fits(seen, trials, expected):
            fits.append((np.abs(rates - expected).max(), words))
    named = min(fits)[1] if fits else _constant(seen, trials)
    if not named:
        check_alike(flips, flips.mean(axis=(1, 2, 3)))
    i = -1 if named else int(np.argmax(np.abs(rates - exact[:, None]).sum(axis=1)))
    shown = (
        f"of {bits.size:,} bits at cost = {COSTS[i]:g} you flip {rates[i, 0]:.1%} of the zeros and "
        f"{rates[i, 1]:.1%} of the ones; 1/(e^cost + 1) is {exact[i]:.1%}."
    )
    raise NotYet(f"{named}\nO{shown[1:]}" if named else f"{shown} {_measured(*rates[i], COSTS[i])}")


def _check_equal_bits(function, rate):
    """Raise NotYet if the rate, much too large here, is right for tables of equal bits."""
    rng, cost, tables = np.random.default_rng(1), COSTS[-1], 100
    equal = np.repeat([np.zeros(SHAPE, int), np.ones(SHAPE, int)], tables, axis=0)
    flips = np.array([_run(function, bits, cost, rng)[0] for bits in equal]) != equal
    seen = flips.reshape(2, -1).sum(axis=1)
    if rate > chance(cost) + 0.1 and inside(seen, tables * equal[0].size, chance(cost)):
        raise NotYet(
            "if all bits are equal you flip the right share of them, but not in a table of "
            "different bits: what comes out at a place depends on bits at other places. Flip each "
            "bit, and leave it where it is."
        )


def _constant(seen, trials):
    """The sentence for one probability whatever the cost is; "" if it is not one."""
    p = seen.sum() / (len(seen) * trials.sum())
    if not inside(seen, trials, p):
        return ""
    words = f"you flip about {p:.1%} of the bits whatever cost is. "
    if p > 1 / 2:
        return words + "p has to be below 1/2: as it is, most bits say the opposite."
    return words + (
        f"A bit then always costs about ln((1 − p)/p) = {spent(p, p):.2f}: that is too little "
        "noise where cost is smaller, and too much where it is larger."
    )


def _measured(zero, one, cost):
    """What a bit costs by the measured rates."""
    if zero + one > 1:
        return "What comes out then speaks for the opposite of the bit."
    if not zero * one:
        return "An output then tells the bit almost for certain: that is far too little noise."
    costs = spent(zero, one)
    verdict = "too little noise, not private enough" if costs > cost else "too much noise"
    return f"A bit then costs about {costs:.2f}, not {cost:g}: {verdict}."


@exercise
def check_flip(function):
    """Judge `function(bits, cost, rng)`: each bit of a table flipped so that it costs `cost`.

    A right answer fails with probability at most 8.5e-7: 17 tests, each of level LEVEL.
    """
    check_callable(function)
    tables = _tables()
    check_randomness(
        lambda rng: _run(function, tables[0], 1.0, rng)[0].tolist(), example="rng.random(…)"
    )
    rng, results, kept = np.random.default_rng(0), [], True
    for cost in COSTS:
        runs = [_run(function, table, cost, rng) for table in tables]
        results.append([found for found, _ in runs])
        kept = kept and np.array_equal([given for _, given in runs], tables)
    flips = np.array(results) != tables
    check_shared(flips)
    try:
        _check_rates(flips, tables)
    except NotYet:
        _check_equal_bits(function, flips[-1].mean())
        raise
    check_law(flips)
    check_kept(True, kept, "bits", "the flips are right")
    return (
        f"in {TABLES * len(COSTS)} tables each bit flips on its own with probability "
        "1/(e^cost + 1), whether it is 0 or 1. So (1 − p)/p = e^cost: a change of one bit makes an "
        "output at most that much more likely, and some output exactly. With cost = ln(1 + α), "
        "what a level may cost, it is ALP1’s p = 1/(α + 2)."
    )
