"""Notebook 08’s functions of an array: what they return, and the test of a rate."""

import reprlib

import numpy as np

from course_lib.checks.exercise import NotYet
from course_lib.lab.confidence import clopper_pearson

LEVEL = 5e-8  # the chance that a right answer fails one of the tests, of which there are at most 17


def check_callable(function):
    if not callable(function):
        raise NotYet(
            "give the function itself, without brackets behind its name; "
            f"you gave {reprlib.repr(function)}."
        )


def returned(function, *given, asked):
    """What the function returns, as an array of numbers of the first argument’s shape."""
    try:
        with np.errstate(all="ignore"):
            result = function(*given)
    except (NotImplementedError, NotYet):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}".rstrip(":. ") + "."
        raise NotYet(f"your function stopped with {said}") from None
    try:
        return as_numbers(result, np.shape(given[0]), asked)
    except NotYet as fault:
        raise NotYet(f"your function returned {fault}") from None


def as_numbers(result, shape, asked):
    """The result as an array of finite numbers; NotYet says what it is if it is none."""
    if result is None:
        raise NotYet(f"nothing. End it with return and {asked}.")
    if hasattr(result, "__next__"):
        raise NotYet(f"a generator. Do not yield: return {asked} all at once.")
    try:
        numbers = np.asarray(result)
        if numbers.dtype.kind not in "biufO" or isinstance(result, (str, bytes)):
            raise TypeError
        numbers = numbers.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise NotYet(f"{reprlib.repr(result)}, and {asked} are asked for.") from None
    if numbers.shape != shape:
        what = f"an array of shape {numbers.shape}" if numbers.ndim else f"one number, {numbers:g}"
        raise NotYet(f"{what}, and {asked} are asked for, in the shape {shape} of what is given.")
    if not np.isfinite(numbers).all():
        raise NotYet(f"{numbers[~np.isfinite(numbers)][0]:g} among {asked}.")
    return numbers


def inside(seen, trials, exact):
    """Does each rate hold its exact binomial interval? All do, except with probability LEVEL."""
    seen, trials, exact = np.broadcast_arrays(seen, trials, np.clip(exact, 0, 1))
    low, high = clopper_pearson(seen, trials, confidence=1 - LEVEL / seen.size)
    return bool(((low <= exact) & (exact <= high)).all())


def check_kept(before, after, name, what):
    """Raise NotYet if the function changed what it was given."""
    if not np.array_equal(before, after):
        raise NotYet(
            f"{what}, but your function changes {name}, which whoever calls it still needs. Work "
            "on a copy."
        )
