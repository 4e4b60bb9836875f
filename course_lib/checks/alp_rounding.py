"""Notebook 08’s rounding at random: to a neighbouring whole number, right on average."""

import math

import numpy as np

from course_lib.checks.alp_arrays import (
    LEVEL,
    check_callable,
    check_kept,
    inside,
    returned,
)
from course_lib.checks.exercise import NotYet, check_randomness, exercise, misfit

# Four have the fraction 1/2, two of them below an even number; two are whole besides 0.
VALUES = np.array([0, 0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.5, 2.3, 3, 4.5, 5.5, 7.6, 20.2])
LOW, FRACTION = np.floor(VALUES), VALUES % 1
WHOLE, HALF = FRACTION == 0, FRACTION == 0.5
RUNS = 5000  # few enough for an answer that draws value by value
MOVES = np.arange(-2, 4)  # how far above the floor a result may be, to be compared with a slip’s

_JUMP = (
    "Besides, it is not private: where the result jumps, a change however small in an entry makes "
    "a whole level, which costs ln(1 + α)."
)
_FIXED = [
    (np.rint, f"you round to the nearest whole number, always the same way. {_JUMP}"),
    (lambda v: np.floor(v + 0.5), f"you round to the nearest whole number, halves up. {_JUMP}"),
    (lambda v: np.ceil(v - 0.5), f"you round to the nearest whole number, halves down. {_JUMP}"),
    (np.floor, f"you always round down. {_JUMP}"),
    (np.ceil, f"you always round up. {_JUMP}"),
    (lambda v: np.floor(v) + 1, f"you always go up to the next whole number. {_JUMP}"),
    (lambda v: v, "you return the values as they are. A level is reached or not: the results have "
     "to be whole."),
]  # fmt: skip


def up(chance):
    """The law of floor(v) + 1 with probability chance(v, its fraction), else floor(v)."""
    ups = chance(VALUES, FRACTION) * np.ones(len(VALUES))
    return np.stack([(MOVES == 0) * (1 - p) + (MOVES == 1) * p for p in np.clip(ups, 0, 1)])


def shifted(offset, low, high):
    """The law of a rounding of v + U, U uniform from low to high.

    What becomes n is from n + offset to n + offset + 1: 0 for floor, −1/2 for rint, −1 for ceil.
    """
    start = FRACTION[:, None] + low
    cell = MOVES + offset
    overlap = np.minimum(cell + 1, start + high - low) - np.maximum(cell, start)
    return overlap.clip(0) / (high - low)


RIGHT = up(lambda v, f: f)
_CHANCE = "Up goes with the fraction itself as its probability, then the mean is the value."
SLIPS = [
    (up(lambda v, f: np.where(f > 0, 0.5, 0)), "you toss a fair coin between the two neighbours. "
     f"{_CHANCE}"),
    (up(lambda v, f: 0.5), "you toss a fair coin, even for a whole number, which has to stay. "
     f"{_CHANCE}"),
    (up(lambda v, f: np.where(f > 0, 1 - f, 0)), "you go up with probability 1 − fraction: the "
     f"probabilities are exchanged. {_CHANCE}"),
    (up(lambda v, f: 1 - f), "you go up with probability 1 − fraction, so that a whole number goes "
     f"up always: the probabilities are exchanged. {_CHANCE}"),
    (up(lambda v, f: v), "you compare the random number with the value, not with its fraction: "
     f"from 1 on it always goes up. {_CHANCE}"),
    (up(lambda v, f: np.where(WHOLE, 1, f)), "a whole number goes up by 1, always. Its fraction is "
     "0: it has to stay where it is."),
    (up(lambda v, f: f / 2), "you go up with half the probability: your random number is from "
     f"0 to 2, or two coins must agree. {_CHANCE}"),
    (up(lambda v, f: f + 0.5), "the random number that you compare with the fraction is from −1/2 "
     "to 1/2. It has to be from 0 to 1."),
    (up(lambda v, f: (f + 1) / 2), "the random number that you compare with the fraction is from "
     "−1 to 1. It has to be from 0 to 1."),
    (up(lambda v, f: f * f), "you go up with the square of the fraction as probability. "
     f"{_CHANCE}"),
    (shifted(-0.5, 0, 1), "you add a random number from 0 to 1 and then round to the nearest. That "
     "is 1/2 too much on average: with 0 to 1, round down."),
    (shifted(0, -0.5, 0.5), "you add a random number from −1/2 to 1/2 and then round down. That is "
     "1/2 too little on average: with −1/2 to 1/2, round to the nearest."),
    (shifted(-1, 0, 1), "you add a random number from 0 to 1 and then round up. That is 1 too much "
     "on average: round down."),
    (shifted(-0.5, -1, 1), "you add a random number from −1 to 1 before you round to the nearest. "
     "The mean is right, but results are not neighbours, and whole numbers move: take −1/2 to "
     "1/2."),
    (shifted(0, -1, 1), "you add a random number from −1 to 1 and then round down. Add one from 0 "
     "to 1."),
    (shifted(0, 0, 2), "you add a random number from 0 to 2 and then round down. Add one from 0 to "
     "1."),
]  # fmt: skip


def _run(function, rng):
    given = VALUES.copy()
    return returned(function, given, rng, asked="rounded values"), given


def _mean(results):
    """What the results are on average where that is furthest from the value."""
    means = results.mean(axis=0)
    i = int(np.argmax(np.abs(means - VALUES)))
    bias = means[i] - VALUES[i]
    if abs(bias) < 0.05:
        return ""
    return f"{VALUES[i]:g} becomes {means[i]:.2f} on average, a bias of {bias:+.2f}."


def _lines(*sentences):
    return "\n".join(filter(None, sentences))


def _check_fixed(results):
    """Raise NotYet for a known rule that leaves nothing to chance."""
    if (results != results[0]).any():
        return
    for rule, words in _FIXED:
        if np.array_equal(results[0], rule(VALUES)):
            raise NotYet(_lines(words, _mean(results)))


def _check_each(results):
    """Raise NotYet unless each value goes up with its fraction as probability."""
    part = results[results != np.rint(results)]
    if part.size:
        raise NotYet(f"your function returned {part[0]:g}, and the results have to be whole.")
    moves = results - LOW
    seen = (moves[:, :, None] == MOVES).sum(axis=0)
    possible = ((moves == 0) | (moves == 1) & ~WHOLE).all()
    if possible and inside(seen, len(results), RIGHT) and abs(lean(results)) < 1:
        return
    fits = []
    for law, words in SLIPS:
        # what cannot be must not have been
        if not seen[law == 0].any() and inside(seen, len(results), law):
            fits.append((np.abs(seen / len(results) - law).max(), words))
    if fits:
        raise NotYet(_lines(min(fits)[1], _mean(results)))
    _check_neighbours(results, moves)
    raise NotYet(_mean(results) or _small_bias(results))


def lean(results):
    """How far all the values together go up too often; 1 is more than chance explains.

    By Hoeffding’s inequality it is below −1 or above 1 with probability at most LEVEL.
    """
    draws = len(results) * np.count_nonzero(~WHOLE)
    return (results - VALUES).sum() / math.sqrt(draws * math.log(2 / LEVEL) / 2)


def _small_bias(results):
    bias = results.mean(axis=0) - VALUES
    i = int(np.argmax(np.abs(bias)))
    words = (
        f"{VALUES[i]:g} becomes {VALUES[i] + bias[i]:.3f} on average in {len(results):,} runs, and "
        f"all {len(VALUES)} values together have a bias of {bias.sum():+.3f}: more than chance "
        "explains."
    )
    return f"the probabilities are not quite right. {_CHANCE}\n{words}"


def _check_neighbours(results, moves):
    moved = moves.any(axis=0) & WHOLE
    if moved.any():
        i = int(np.argmax(moved))
        other = results[moves[:, i] != 0, i][0]
        raise NotYet(
            _lines(
                f"you make {other:g} of {VALUES[i]:g}. A whole number has to stay where it is.",
                _mean(results),
            )
        )
    far = ((moves != 0) & (moves != 1)).any(axis=0)
    if far.any():
        i = int(np.argmax(far))
        other = next(m for m in results[:, i] if m - LOW[i] not in (0, 1))
        raise NotYet(
            _lines(
                f"you make {other:g} of {VALUES[i]:g}, and its neighbours are {LOW[i]:g} and "
                f"{LOW[i] + 1:g}.",
                _mean(results),
            )
        )


def total_law():
    """The law of how many values go up, if each does so on its own."""
    law = np.ones(1)
    for p in FRACTION:
        law = np.convolve(law, [1 - p, p])
    return law


def _check_together(results):
    """Raise NotYet unless the values are rounded independently."""
    ups = results - LOW
    halves = ups[:, HALF]
    if (halves == halves[:, :1]).all():
        raise NotYet(
            "you draw one random number for all entries: those with the same fraction go up "
            "together or not at all. Neighbours may differ by a little in many entries; these then "
            "jump all at once, and the loss has no limit. Draw rng.random(values.shape)."
        )
    for chosen, law in ((ups, total_law()), (halves, np.array([1, 4, 6, 4, 1]) / 16)):
        counts = np.bincount(chosen.sum(axis=1).astype(int), minlength=len(law))
        if misfit(counts, law, level=LEVEL):
            raise NotYet(
                "each value is right on average, but they are not rounded independently: how many "
                "go up together is not spread as it should be. Draw a random number for each."
            )


@exercise
def check_rounding(function):
    """Judge `function(values, rng)`: unbiased rounding to a neighbouring whole number.

    A right answer fails with probability at most 2e-7: four tests, each of level LEVEL.
    """
    check_callable(function)
    few = [_run(function, np.random.default_rng(seed))[0] for seed in range(20)]
    _check_fixed(np.array(few))
    check_randomness(lambda rng: _run(function, rng)[0].tolist(), example="rng.random(…)")
    rng = np.random.default_rng(0)
    runs = [_run(function, rng) for _ in range(RUNS)]
    results = np.array([found for found, _ in runs])
    _check_each(results)
    _check_together(results)
    for _, given in runs:
        check_kept(VALUES, given, "values", "the results are right")
    return (
        f"in {RUNS:,} runs each of {len(VALUES)} values goes to a neighbour, up with its fraction "
        "as probability, and whole numbers stay. The mean is the value, so rounding adds no bias; "
        "the mean distance 2f(1 − f) is at most 1/2, the ½ in the bound. And the law of the result "
        "changes by no more than the value does, which the proof of privacy needs."
    )
