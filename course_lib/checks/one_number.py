"""A function that returns one number, judged by cases: is it right, and which slip gives the same?

A slip is named only if it gives the same number in every case: it describes what the function does,
however it is written.
"""

import copy
import itertools
import math
import reprlib

import numpy as np

from course_lib.checks.exercise import NotYet


def ask(function, cases, words):
    """What the function returns for each case, and why not where it is NaN; what it changed.

    A case has the arguments by name, in their order; `words(case)` says which it is.
    """
    if not callable(function):
        raise NotYet(
            "give the function itself, without brackets behind its name; "
            f"you gave {reprlib.repr(function)}."
        )
    numbers, stops, changed = [], [], set()
    for case in cases:
        given = copy.deepcopy(case)
        try:
            with np.errstate(all="ignore"):
                numbers.append(_number(function(*given.values())))
        except NotImplementedError:
            raise
        except NotYet as fault:
            numbers.append(math.nan)
            stops.append(f"for {words(case)} your function returned {fault}")
        except Exception as error:
            numbers.append(math.nan)
            stops.append(f"for {words(case)} your function stopped with {_said(error)}")
        changed |= {name for name in case if not np.array_equal(case[name], given[name])}
    return np.array(numbers), stops, changed


def _said(error):
    said = f"{type(error).__name__}: {error}".rstrip(":. ") + "."
    if "Cannot cast ufunc" in said:
        said += " An array of whole numbers cannot be divided in place: write p / p.sum(), not /=."
    return said


def _number(result):
    if result is None:
        raise NotYet("nothing. End it with return and the number.")
    try:
        if np.ndim(result):
            entries = "1 entry" if np.size(result) == 1 else f"{np.size(result)} entries"
            raise NotYet(f"an array or a list with {entries}, and one number is asked for.")
        if isinstance(result, (str, bytes, bool, np.bool_)) or np.iscomplexobj(result):
            raise TypeError
        number = float(result)
    except (TypeError, ValueError, OverflowError):
        raise NotYet(f"{reprlib.repr(result)}, and a number is asked for.") from None
    if not math.isfinite(number):
        raise NotYet(f"{number:g}, and a finite number is asked for.")
    return number


def values(model, cases, choices):
    """What a model gives for each case with these choices; NaN where it has no value."""
    return (_value(model, case, choices) for case in cases)


def _value(model, case, choices):
    try:
        with np.errstate(all="ignore"):
            value = float(model(*case.values(), *choices))
    except (ZeroDivisionError, ValueError, OverflowError):
        value = math.nan
    return value if math.isfinite(value) else math.nan


def same(one, other):
    """Equal but for rounding, or both without a value."""
    return np.isclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True)


def right(model, cases, axes):
    """The right numbers: every axis has its right choice first."""
    return np.array(list(values(model, cases, [axis[0][0] for axis in axes])))


def slips(numbers, cases, model, axes, *, most):
    """The sentences of the fewest slips, at most `most`, that give these numbers; [] if none do.

    An axis is a list of (choice, sentence), the right one first.
    """
    if np.isnan(numbers).all():
        return []
    places = range(len(axes))
    for size in range(1, most + 1):
        for slipped in itertools.combinations(places, size):
            options = [axes[i][1:] if i in slipped else axes[i][:1] for i in places]
            for picked in itertools.product(*options):
                given = values(model, cases, [choice for choice, _ in picked])
                if all(same(*pair) for pair in zip(numbers, given, strict=True)):
                    return [picked[i][1] for i in slipped]
    return []


def likeness(numbers, exact):
    """How numbers that no slip explains resemble the right ones; "" if they do not."""
    for digits in range(1, 6):
        if same(numbers, np.round(exact, digits)).all():
            decimals = "1 decimal" if digits == 1 else f"{digits} decimals"
            return f"this is right to {decimals} only: you round, or your search is coarse."
    where = exact != 0
    if where.any() and same(numbers[~where], 0).all():
        factor = numbers[where][0] / exact[where][0]
        if factor and same(numbers, factor * exact).all():
            return f"your numbers are {factor:.4g} times what they should be, in every case."
    return ""


def judge(function, cases, *, model, axes, words, most=2, remark="", witness=None):
    """Raise NotYet unless the function gives the model’s numbers and leaves its arguments alone.

    At most `most` slips are named together.
    `remark` follows an error about shapes, `witness(case, number, exact)` a wrong number.
    """
    numbers, stops, changed = ask(function, cases, words)
    exact = right(model, cases, axes)
    wrong = ~same(numbers, exact)
    if not wrong.any():
        check_unchanged(changed)
        return
    shown = [i for i in np.flatnonzero(wrong) if np.isfinite(numbers[i])]
    seen = ""
    if shown:
        i = shown[0]
        seen = f"for {words(cases[i])} you return {numbers[i]:.6g}, and it is {exact[i]:.6g}."
        seen += f" {witness(cases[i], numbers[i], exact[i])}" if witness else ""
    different = set(numbers[np.isfinite(numbers)])
    if len(different) == 1:  # a constant has many explanations, 0 most of all
        most = min(most, 2 * any(different))
    named = slips(numbers, cases, model, axes, most=most)
    if named:
        raise NotYet(_lines(" Besides, ".join(named), seen))
    if stops:
        helps = any(name in stops[0] for name in ("ValueError", "IndexError", "AttributeError"))
        raise NotYet(f"{stops[0]} {remark * helps}".strip())
    raise NotYet(_lines(likeness(numbers, exact), seen))


def _lines(first, seen):
    return f"{first}\n{seen[:1].upper()}{seen[1:]}".strip() if first else seen


def check_unchanged(changed):
    if changed:
        names = " and ".join(sorted(changed))
        raise NotYet(
            f"the numbers are right, but your function changes {names}, which whoever calls it "
            "still needs. Work on a copy."
        )
