"""Notebook 08’s rounding at random: to a neighbouring multiple of step, right on average."""

import math

import numpy as np

from course_lib.checks.alp_arrays import (
    LEVEL,
    check_callable,
    check_kept,
    inside,
    returned,
)
from course_lib.checks.alp_rounding_slips import STEPS, UNITS, fixed_slip, slip
from course_lib.checks.exercise import NotYet, check_randomness, exercise, misfit

LOW, FRACTION = np.floor(UNITS), UNITS % 1
WHOLE, HALF = FRACTION == 0, FRACTION == 0.5
RUNS = 2500  # with each step; few enough for an answer that draws value by value
_VALUES = np.outer(STEPS, UNITS)
_WIDTHS = np.array(STEPS)[:, None, None]
_EXACT = 1e-6  # of a step: what is nearer than this to a multiple is that multiple


def _run(function, step, rng):
    given = step * UNITS
    return returned(function, given, step, rng, asked="rounded values"), given


def _run_all(function, runs, rng):
    """The results, for each step and run, and whether the values were left as they are."""
    all_runs = [[_run(function, step, rng) for _ in range(runs)] for step in STEPS]
    results = np.array([[found for found, _ in each] for each in all_runs])
    kept = all(
        np.array_equal(given, step * UNITS)
        for step, each in zip(STEPS, all_runs, strict=True)
        for _, given in each
    )
    return results, kept


def _mean(results):
    """What the results are on average where that is furthest from the value, in steps."""
    means = results.mean(axis=1)
    bias = means - _VALUES
    in_steps = np.abs(bias) / np.array(STEPS)[:, None]
    error = results.std(axis=1) / math.sqrt(results.shape[1])
    in_steps[(in_steps < 0.05) | (np.abs(bias) < 5 * error)] = 0
    if not in_steps.any():
        return ""
    at = np.unravel_index(np.argmax(in_steps), bias.shape)
    return (
        f"{_VALUES[at]:g} becomes {means[at]:.2f} on average with step = {STEPS[at[0]]:g}, a bias "
        f"of {bias[at]:+.2f}."
    )


def _lines(*sentences):
    return "\n".join(filter(None, sentences))


def _check_fixed(results):
    """Raise NotYet for a known rule that leaves nothing to chance."""
    if (results != results[:, :1]).any():
        return
    if np.array_equal(results[:, 0], _VALUES):
        raise NotYet(
            "you return the values as they are. A level is reached or not: the results have to be "
            "multiples of step."
        )
    words = fixed_slip(results[:, 0])
    if words:
        raise NotYet(_lines(words, _mean(results)))


def _check_each(results):
    """Raise NotYet unless each value goes up with the fraction of a step as probability."""
    numbers = results / _WIDTHS
    whole = np.rint(numbers)
    moves = whole - LOW
    multiples = np.abs(numbers - whole).max() < _EXACT
    if multiples and np.isin(moves, (0, 1)).all() and _chances(moves):
        return
    words = slip(results)
    if words:
        raise NotYet(_lines(words, _mean(results)))
    _check_multiples(results, numbers)
    _check_neighbours(results, moves)
    raise NotYet(_mean(results) or _small_bias(moves))


def _chances(moves):
    """Do all values go up with their fractions, with each step and with all steps together?"""
    ups, runs = moves.sum(axis=1), moves.shape[1]
    return (
        inside(ups, runs, FRACTION)
        and inside(ups.sum(axis=0), runs * len(moves), FRACTION)
        and abs(lean(moves)) < 1
    )


def lean(moves):
    """How far all the values together go up too often; 1 is more than chance explains.

    By Hoeffding’s inequality it is below −1 or above 1 with probability at most LEVEL.
    """
    draws = np.count_nonzero(np.broadcast_to(~WHOLE, moves.shape))
    return (moves - FRACTION).sum() / math.sqrt(draws * math.log(2 / LEVEL) / 2)


def _small_bias(moves):
    bias = (moves - FRACTION).mean(axis=(0, 1))
    i = int(np.argmax(np.abs(bias)))
    why = ": that is further off than chance explains."
    if abs(lean(moves)) >= 1:
        why = (
            f", and all {len(UNITS)} values together have a bias of {bias.sum():+.3f}: more than "
            "chance explains."
        )
    return (
        "the probabilities are not quite right. Up goes with the fraction of a step as its "
        f"probability.\n{UNITS[i]:g} steps become {UNITS[i] + bias[i]:.3f} on average in "
        f"{len(STEPS) * RUNS:,} runs{why}"
    )


def _example(results, wrong):
    """The first wrong result: in words, and the place of its step and of its value."""
    step, run, value = (int(each[0]) for each in np.nonzero(wrong))
    made = f"with step = {STEPS[step]:g} you make {results[step, run, value]:g} of"
    return f"{made} {_VALUES[step, value]:g}", step, value


def _check_multiples(results, numbers):
    off = np.abs(numbers - np.rint(numbers)) >= _EXACT
    if off.any():
        words, *_ = _example(results, off)
        raise NotYet(
            _lines(f"{words}, and the results have to be multiples of step.", _mean(results))
        )


def _check_neighbours(results, moves):
    moved = (moves != 0) & WHOLE
    if moved.any():
        words, *_ = _example(results, moved)
        raise NotYet(
            _lines(f"{words}. A multiple of step has to stay where it is.", _mean(results))
        )
    far = (moves != 0) & (moves != 1)
    if far.any():
        words, step, value = _example(results, far)
        below, above = (STEPS[step] * (LOW[value] + more) for more in (0, 1))
        raise NotYet(
            _lines(f"{words}, and its neighbours are {below:g} and {above:g}.", _mean(results))
        )


def total_law():
    """The law of how many values go up, if each does so on its own."""
    law = np.ones(1)
    for p in FRACTION:
        law = np.convolve(law, [1 - p, p])
    return law


def _check_together(ups):
    """Raise NotYet unless the values are rounded independently."""
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
    """Judge `function(values, step, rng)`: unbiased rounding to a neighbouring multiple of step.

    A right answer fails with probability at most 2.5e-7: five tests, each of level LEVEL.
    """
    check_callable(function)
    _check_fixed(_run_all(function, 20, np.random.default_rng(1))[0])
    check_randomness(lambda rng: _run(function, STEPS[0], rng)[0].tolist(), example="rng.random(…)")
    results, kept = _run_all(function, RUNS, np.random.default_rng(0))
    _check_each(results)
    _check_together(np.rint(results / _WIDTHS).reshape(-1, len(UNITS)) - LOW)
    check_kept(True, kept, "values", "the results are right")
    return (
        f"in {len(STEPS) * RUNS:,} runs, with two steps, each of {len(UNITS)} values goes to a "
        "neighbouring multiple, up with the fraction of a step as probability, and multiples stay. "
        "The mean is the value, so rounding adds no bias; the mean distance 2f(1 − f) is at most "
        "half a step, the ½ in the bound, where a step is a level, α/ε. And the law of the result "
        "changes by no more than the value does, in steps, which the proof of privacy needs."
    )
