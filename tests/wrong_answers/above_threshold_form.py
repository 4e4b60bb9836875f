"""Answers to exercise 1 of notebook 01 that are wrong whatever their noise."""

import operator
import random

import numpy as np

from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.above_threshold import answering, made_by, times
from tests.wrong_answers.noise import plain


def given(**changed):
    """The right one, called with other parameters."""

    def my_above_threshold(data, queries, **parameters):
        other = {name: change() for name, change in changed.items()}
        yield from times(2, 4)(data, queries, **parameters | other)

    return my_above_threshold


def reads_ahead(data, queries, **parameters):
    yield from times(2, 4)(data, list(queries), **parameters)


def never_halts(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        noise = rng.laplace(scale=4 * sensitivity / epsilon)
        yield ABOVE if query(data) + noise >= noisy_threshold else BELOW


def halts_at_below(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) < noisy_threshold:
            yield BELOW
            return
        yield ABOVE


def released_number(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        noisy = query(data) + rng.laplace(scale=4 * sensitivity / epsilon)
        if noisy >= noisy_threshold:
            yield float(noisy)
            return
        yield BELOW


def not_finished(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        yield ABOVE if query(data) + nose >= noisy_threshold else BELOW  # noqa: F821


def without_sensitivity(data, queries, *, threshold, epsilon, rng):
    yield from ()


def returns_nothing(data, queries, *, threshold, sensitivity, epsilon, rng):
    pass


# name: (the version, what its message says)
WRONG_FORM = {
    "goes on after ⊤": (never_halts, "you go on after the first ⊤."),
    "first below": (
        made_by(plain, above=operator.le),
        "you answer ⊤ to a value 1000 below the threshold.",
    ),
    "halts at ⊥": (halts_at_below, "you answered [⊥]. Each gets ⊥; only ⊤ halts the mechanism."),
    "one answer more": (
        answering(lambda answers: answers + [BELOW] * (ABOVE not in answers)),
        "at the end of the stream nothing more is said.",
    ),
    "some index": (
        answering(lambda answers: answers if ABOVE in answers else [BELOW, ABOVE]),
        "at the end of the stream nothing more is said.",
    ),
    "first index": (
        answering(lambda answers: answers if ABOVE in answers else [ABOVE]),
        "you answered [⊤]. Each gets ⊥, and at the end of the stream nothing more is said.",
    ),
    "only ⊤ is said": (
        answering(lambda answers: answers[-1:] if ABOVE in answers else []),
        "you answered []. Each gets ⊥;",
    ),
    "threshold forgotten": (
        given(threshold=lambda: 0),
        "you answer ⊤ to a value 1000 below the threshold.",
    ),
    "a number": (released_number, "every answer is ABOVE or BELOW; you gave 59"),
    "booleans": (
        answering(lambda answers: [answer is ABOVE for answer in answers]),
        "every answer is ABOVE or BELOW; you gave False.",
    ),
    "index": (
        answering(lambda answers: answers.index(ABOVE) if ABOVE in answers else -1),
        "your function returned -1. It should yield one answer",
    ),
    "reads ahead": (reads_ahead, "you read the next query before the answer to this one"),
    "own generator": (given(rng=np.random.default_rng), "use no generator of your own"),
    "own seed": (given(rng=lambda: np.random.default_rng(1)), "you draw nothing from rng:"),
    "NumPy's global generator": (
        made_by(lambda scale, rng: np.random.laplace(scale=scale)),  # noqa: NPY002
        "a generator shared by the whole session (np.random… or random…). Draw from rng, so that "
        "results can be repeated: rng.laplace(scale=…).",
    ),
    "Python's global generator": (
        made_by(lambda scale, rng: random.expovariate(1 / scale) - random.expovariate(1 / scale)),
        "a generator shared by the whole session",
    ),
    "a slip of the pen": (not_finished, "stopped with NameError: name 'nose' is not defined."),
    "sensitivity missing": (without_sensitivity, "unexpected keyword argument 'sensitivity'."),
    "nothing returned": (returns_nothing, "your function returned None."),
}
