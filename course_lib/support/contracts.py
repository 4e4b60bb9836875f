"""What every function of the course checks on the call, and the statement a theorem carries."""

import functools
import inspect
import math
import reprlib
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass, replace

import numpy as np

MOST = 1e50


class ParameterError(ValueError):
    """A parameter outside its range; the message names the parameter, the value and the range."""


def shown(value):
    """A value in a message: not thousands of digits or entries, and a number as one writes it."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    try:
        return reprlib.repr(value)
    except ValueError:  # Python writes out no whole number of more than 4,300 digits
        return "a number of thousands of digits"


@dataclass(frozen=True)
class Range:
    """Numbers: a single one, or many; every entry must pass the test, which the words describe.

    Sizes end at `least`, apart from 0, and at `most`: beyond, the product of a few parameters is no
    float any more, and nobody needs them. `data` is what a mechanism takes many of.
    """

    words: str
    holds: Callable
    whole: bool = False
    least: float = 0.0
    most: float = MOST
    data: bool = False

    def check(self, name, value):
        if type(value) in (float, int) and abs(value) <= self.most and self.holds(float(value)):
            if value == 0 or abs(value) >= self.least:
                if not self.whole or value == int(value):
                    return  # the usual case, five times as fast as what follows
        try:
            if np.asarray(value).dtype.kind not in "biufO":  # digits in quotes are no number
                raise TypeError
            entries = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"{name} must be {self.words}, got {shown(value)}") from None
        if entries.size == 0:
            raise ParameterError(f"{name} must not be empty, got {value!r}")
        wrong = ~(np.isfinite(entries) & self.holds(entries))
        if self.whole:
            wrong |= entries != np.floor(entries)
        if wrong.any():
            raise ParameterError(f"{name} must be {self.words}, got {_first(value, wrong)}")
        sizes = np.abs(entries)
        wrong = (sizes > self.most) | (sizes > 0) & (sizes < self.least)
        if wrong.any():
            words = f"from {self.least:g} to" if self.least else "at most"
            raise ParameterError(
                f"{name} must be {words} {self.most:g} in size, got {entries[wrong].flat[0]:g}"
            )


def _first(value, wrong):
    """The first wrong entry as it was given: None is not NaN."""
    entry = np.asarray(value, dtype=object)[wrong].flat[0]
    return "None" if entry is None else f"{float(entry):g}"


@dataclass(frozen=True)
class Kind:
    """An object of one class."""

    words: str
    kind: type

    def check(self, name, value):
        if not isinstance(value, self.kind):
            raise ParameterError(f"{name} must be {self.words}, got {shown(value)}")


class OneOf(tuple):
    """One of some words."""

    def check(self, name, value):
        if not isinstance(value, str) or value not in self:
            raise ParameterError(
                f"{name} must be {' or '.join(map(repr, self))}, got {shown(value)}"
            )


class Stream:
    """Queries, one or more; how many, of what is no list, shows only when they are asked."""

    def check(self, name, value):
        if isinstance(value, Sized) and len(value) == 0:
            raise ParameterError(f"{name} must not be empty, got {value!r}")
        if not isinstance(value, (Iterable, Sized)):
            raise ParameterError(f"{name} must be a list or a stream, got {shown(value)}")


REAL = Range("a finite number", lambda x: True)
REALS = replace(REAL, data=True)
POSITIVE = Range("a finite number greater than 0", lambda x: x > 0, least=1e-50)
NOT_NEGATIVE = Range("a finite number, 0 or greater", lambda x: x >= 0, least=1e-50)
NOT_NEGATIVES = replace(NOT_NEGATIVE, least=0.0, data=True)
COUNT = Range("a whole number, 1 or greater", lambda x: x >= 1, whole=True)
TWO_OR_MORE = Range("a whole number, 2 or greater", lambda x: x >= 2, whole=True)
WHOLE = Range("a whole number, 0 or greater", lambda x: x >= 0, whole=True, data=True)
PROPER = Range("a number strictly between 0 and 1", lambda x: (x > 0) & (x < 1), least=1e-300)
SHARES = Range("from 0 to 1", lambda x: (x >= 0) & (x <= 1), data=True)

# One meaning per name throughout the course, so one range per name is enough; a function that
# allows more or less says so.
RANGES = {
    "epsilon": POSITIVE,
    "epsilon1": POSITIVE,
    "epsilon2": POSITIVE,
    "total": NOT_NEGATIVE,
    "delta": Range("a number with 0 <= delta < 1", lambda x: (x >= 0) & (x < 1), least=1e-300),
    "beta": replace(PROPER, least=1e-200),
    "confidence": PROPER,
    "prior": PROPER,
    "loss": REAL,
    "alpha": POSITIVE,
    "error": replace(NOT_NEGATIVE, least=0.0),
    "threshold": REAL,
    "noisy_threshold": REAL,
    "value": REAL,
    "answer": REAL,
    "cut": REAL,
    "values": REALS,
    "neighbour": REALS,
    "utilities": REALS,
    "histogram": WHOLE,
    "weights": SHARES,
    "ones": SHARES,
    "probabilities": SHARES,
    "bits": Range("0 or 1", lambda x: (x == 0) | (x == 1), data=True),
    "sensitivity": POSITIVE,
    "n": COUNT,
    "num_queries": COUNT,
    "num_candidates": COUNT,
    "num_below": COUNT,
    "cutoff": COUNT,
    "runs": COUNT,
    "trials": COUNT,
    "counts": replace(COUNT, data=True),
    "universe_size": replace(COUNT, most=1e100),  # its logarithm alone is used
    "support": COUNT,
    "max_candidates": COUNT,
    "successes": WHOLE,
    "dimension": Range(
        "a whole number from 1 to 2**63", lambda x: (x >= 1) & (x <= 2.0**63), whole=True
    ),
    "sparsity": COUNT,
    "size": COUNT,
    "entries": COUNT,
    "number": COUNT,
    "attributes": COUNT,
    "cap": POSITIVE,
    "level": NOT_NEGATIVE,
    "steps": NOT_NEGATIVE,
    "run": Range("a finite number, 1 or greater", lambda x: x >= 1),
    "threshold_share": replace(PROPER, least=1e-50),
    "shares": replace(PROPER, least=1e-50, data=True),
    "log_inverse": replace(POSITIVE, most=1e12),
    "places": Range("a whole number from 0 to 99", lambda x: (x >= 0) & (x <= 99), whole=True),
    "seed": replace(WHOLE, data=False),
    "load": Range("a number with 0 <= load < 1/2", lambda x: (x >= 0) & (x < 0.5)),
    "neighbours": OneOf(["l1", "histogram"]),
    "queries": Stream(),
    "rng": Kind("a numpy.random.Generator", np.random.Generator),
}


def check(**parameters):
    """Raise ParameterError unless each parameter is in the range that RANGES gives its name."""
    for name, value in parameters.items():
        RANGES[name].check(name, value)


def check_single(**parameters):
    """Raise ParameterError for a parameter that is an array where one point alone makes sense."""
    for name, value in parameters.items():
        if np.ndim(value):
            raise ParameterError(f"{name} must be a single number, got {shown(value)}")


def checked_numbers(function=None, *, also=None, **ranges):
    """Check the arguments on the call, of a generator too, and hand on Python's own numbers.

    Every argument whose name is in RANGES must be in its range, or in that of `ranges`; where this
    is None it is left to `also`, a further check that is called with the arguments it names. An
    argument with a class for annotation must be of it. Epsilon and the like must be single numbers;
    NumPy's become Python's, since small ones would wrap or lose digits when they are multiplied.
    """
    if function is None:
        return functools.partial(checked_numbers, also=also, **ranges)
    return _checked(function, also, ranges, _python_number, single=True)


def checked_arrays(function=None, **ranges):
    """Check the arguments as checked_numbers does, and hand on NumPy's floats, single or arrays.

    So the body is the formula as on paper, and each argument may be a list of points of a curve.
    """
    if function is None:
        return functools.partial(checked_arrays, **ranges)
    return _checked(function, None, ranges, _numpy_floats, single=False)


def _checked(function, also, ranges, convert, single):
    signature = inspect.signature(function)
    rules, optional = RANGES | ranges, set()
    for name, parameter in signature.parameters.items():
        kind = parameter.annotation
        if inspect.isclass(kind) and kind is not parameter.empty:
            rules[name] = Kind(f"a {kind.__name__}", kind)
        if parameter.default is None:
            optional.add(name)
    rules = {name: rules[name] for name in signature.parameters if rules.get(name)}
    also_takes = inspect.signature(also).parameters if also else ()

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        present = [
            name
            for name in rules
            if name in given and not (given[name] is None and name in optional)
        ]
        for name in present:
            rules[name].check(name, given[name])
        ranged = [name for name in present if isinstance(rules[name], Range)]
        if single:
            check_single(**{name: given[name] for name in ranged if not rules[name].data})
        for name in ranged:
            given[name] = convert(given[name], rules[name])
        if also:
            bound.apply_defaults()
            also(**{name: bound.arguments[name] for name in also_takes})
        return function(*bound.args, **bound.kwargs)

    return wrapper


def _python_number(value, rule):
    if np.ndim(value) == 0:
        return int(value) if rule.whole else float(value)
    array = np.asarray(value)
    if array.dtype.kind in "iuf" and array.dtype.itemsize < 8:
        return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    return array


def _numpy_floats(value, rule):
    return np.asarray(value, dtype=float)[()]


def finite(value):
    """The value of a query as a float; NaN and infinity are refused: NaN would pass as BELOW."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not abs(number) <= MOST:
        words = f"at most {MOST:g} in size" if math.isfinite(number) else "a finite number"
        raise ParameterError(f"a query must return {words}, got {shown(value)}")
    return number


@dataclass(frozen=True)
class Statement:
    """A theorem as its source prints it, for display in a notebook."""

    title: str
    source: str
    latex: str

    def __str__(self):
        return f"{self.title} ({self.source}): {self.latex}"

    def _repr_markdown_(self):
        return rf"**{self.title}** ({self.source}). $\displaystyle {self.latex}$"


def theorem(title, *, source, latex, **ranges):
    """Check and convert as checked_arrays does; attach the statement to what computes it."""

    def decorate(function):
        wrapper = checked_arrays(function, **ranges)
        wrapper.statement = Statement(title, source, latex)
        return wrapper

    return decorate
