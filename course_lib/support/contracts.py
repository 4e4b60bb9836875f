"""What every function of the course checks on the call, and the statement a theorem carries."""

import functools
import inspect
import math
import reprlib
from collections.abc import Sized
from dataclasses import dataclass

import numpy as np

# One meaning per name throughout the course, so one range per name is enough.
# name: (test that every entry must pass, words for the message)
_REAL = (np.isfinite, "a finite number")
_POSITIVE = (lambda x: np.isfinite(x) & (x > 0), "a finite number greater than 0")
_NOT_NEGATIVE = (lambda x: np.isfinite(x) & (x >= 0), "a finite number, 0 or greater")
_COUNT = (lambda x: np.isfinite(x) & (x >= 1) & (x == np.floor(x)), "a whole number, 1 or greater")
_WHOLE = (lambda x: np.isfinite(x) & (x >= 0) & (x == np.floor(x)), "a whole number, 0 or greater")
_DIMENSION = (
    lambda x: (x >= 1) & (x <= 2.0**63) & (x == np.floor(x)),
    "a whole number from 1 to 2**63",
)
_BETWEEN_0_AND_1 = (lambda x: (x > 0) & (x < 1), "a number strictly between 0 and 1")
RANGES = {
    "epsilon": _POSITIVE,
    "epsilon1": _POSITIVE,
    "epsilon2": _POSITIVE,
    "total": _NOT_NEGATIVE,
    "delta": (lambda x: (x >= 0) & (x < 1), "a number with 0 <= delta < 1"),
    "beta": _BETWEEN_0_AND_1,
    "confidence": _BETWEEN_0_AND_1,
    "alpha": _NOT_NEGATIVE,
    "error": _NOT_NEGATIVE,
    "threshold": _REAL,
    "noisy_threshold": _REAL,
    "value": _REAL,
    "answer": _REAL,
    "cut": _REAL,
    "values": _REAL,
    "neighbour": _REAL,
    "utilities": _REAL,
    "histogram": _WHOLE,
    "weights": (lambda x: (x >= 0) & (x <= 1), "from 0 to 1"),
    "ones": (lambda x: (x >= 0) & (x <= 1), "chances from 0 to 1"),
    "probabilities": (lambda x: (x >= 0) & (x <= 1), "from 0 to 1"),
    "bits": (lambda x: (x == 0) | (x == 1), "0 or 1"),
    "sensitivity": _POSITIVE,
    "n": _COUNT,
    "num_queries": _COUNT,
    "num_candidates": _COUNT,
    "num_below": _COUNT,
    "cutoff": _COUNT,
    "runs": _COUNT,
    "trials": _COUNT,
    "counts": _COUNT,
    "universe_size": _COUNT,
    "support": _COUNT,
    "max_candidates": _COUNT,
    "successes": _WHOLE,
    "dimension": _DIMENSION,
    "sparsity": _COUNT,
    "size": _COUNT,
    "entries": _COUNT,
    "cap": _POSITIVE,
    "level": _NOT_NEGATIVE,
    "steps": _NOT_NEGATIVE,
    "run": (lambda x: np.isfinite(x) & (x >= 1), "a finite number, 1 or greater"),
    "threshold_share": _BETWEEN_0_AND_1,
    "shares": _BETWEEN_0_AND_1,
    "log_inverse": (lambda x: (x > 0) & (x <= 1e12), "a number above 0, up to 10**12"),
    "places": (lambda x: (x >= 0) & (x <= 99) & (x == np.floor(x)), "a whole number from 0 to 99"),
    "seed": _WHOLE,
    "load": (lambda x: (x >= 0) & (x < 0.5), "a number with 0 <= load < 1/2"),
}

# Beyond these sizes the product of a few parameters is no float any more, and nobody needs them.
MOST = 1e50
LOGARITHM_ALONE = {"universe_size": 1e100}  # a larger number does no harm
LEAST = {"beta": 1e-200, "delta": 1e-300} | dict.fromkeys(
    ["epsilon", "epsilon1", "epsilon2", "sensitivity", "alpha", "cap", "level", "steps"]
    + ["threshold_share", "shares", "log_inverse"],
    1e-50,
)
KINDS = {}  # name of a parameter: the class that its value must have

_SINGLE = {
    "max_candidates",
    "alpha",
    "epsilon",
    "delta",
    "threshold",
    "sensitivity",
    "trials",
    "cutoff",
    "n",
    "dimension",
    "sparsity",
    "size",
    "cap",
    "level",
    "epsilon1",
    "epsilon2",
}


class ParameterError(ValueError):
    """A parameter outside its range; the message names the parameter, the value and the range."""


def kind_of(name):
    """Say that a parameter of this name, wherever it occurs, is an object of the class below."""

    def register(kind):
        KINDS[name] = kind
        return kind

    return register


def shown(value):
    """A value in a message: not thousands of digits or entries."""
    try:
        return reprlib.repr(value)
    except ValueError:  # Python writes out no whole number of more than 4,300 digits
        return "a number of thousands of digits"


def check(**parameters):
    """Raise ParameterError unless each parameter lies in the range that RANGES gives its name."""
    for name, value in parameters.items():
        inside, words = RANGES[name]
        least, most = LEAST.get(name, 0), LOGARITHM_ALONE.get(name, MOST)
        if type(value) in (float, int) and abs(value) <= most and inside(float(value)):
            if value == 0 or abs(value) >= least:
                continue  # the usual case, five times as fast as what follows
        try:
            if np.asarray(value).dtype.kind not in "biufO":  # digits in quotes are no number
                raise TypeError
            entries = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"{name} must be {words}, got {shown(value)}") from None
        if entries.size == 0:
            raise ParameterError(f"{name} must not be empty, got {value!r}")
        wrong = ~inside(entries)
        if wrong.any():
            raise ParameterError(f"{name} must be {words}, got {entries[wrong].flat[0]:g}")
        wrong = (np.abs(entries) > most) | (entries != 0) & (np.abs(entries) < least)
        if wrong.any():
            size = f"from {least:g} to {most:g}" if least else f"at most {most:g}"
            raise ParameterError(f"{name} must be {size} in size, got {entries[wrong].flat[0]:g}")


def check_positive(alpha):
    """Raise ParameterError for alpha = 0, which some statements allow and others divide by."""
    if np.any(np.asarray(alpha, dtype=float) <= 0):
        raise ParameterError(f"alpha must be greater than 0 here, got {shown(alpha)}")


def check_generator(rng):
    if not isinstance(rng, np.random.Generator):
        raise ParameterError(f"rng must be a numpy.random.Generator, got {shown(rng)}")


def check_kinds(**parameters):
    """Raise ParameterError unless each parameter is of the class that KINDS gives its name."""
    for name, value in parameters.items():
        if not isinstance(value, KINDS[name]):
            raise ParameterError(f"{name} must be a {KINDS[name].__name__}, got {shown(value)}")


def checked(function=None, *, also=None, apart=()):
    """Check the arguments when the function is called: for a generator too, before its first step.

    Every argument whose name is in RANGES must be in its range, `rng` must be a NumPy generator,
    and a stream of queries that is known to be empty is refused. What draws noise takes single
    numbers for epsilon and the like; what computes a bound takes arrays. `also` is a further check,
    called with the arguments that it names; it alone checks those that are set `apart`.
    """
    if function is None:
        return functools.partial(checked, also=also, apart=apart)
    signature = inspect.signature(function)
    ranged = [name for name in signature.parameters if name in RANGES and name not in apart]
    optional = [name for name in ranged if signature.parameters[name].default is None]
    of_a_kind = [name for name in signature.parameters if name in KINDS]
    also_takes = inspect.signature(also).parameters if also else ()

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        arguments = bound.arguments
        check_kinds(**{name: arguments[name] for name in of_a_kind})
        given = {name: arguments[name] for name in ranged if name in arguments}
        check(**{k: v for k, v in given.items() if v is not None or k not in optional})
        if "rng" in arguments:
            for name in _SINGLE & given.keys():
                if np.ndim(given[name]):
                    raise ParameterError(f"{name} must be a single number, got {given[name]!r}")
            check_generator(arguments["rng"])
        queries = arguments.get("queries")
        if isinstance(queries, Sized) and len(queries) == 0:
            raise ParameterError(f"queries must not be empty, got {queries!r}")
        if also:
            bound.apply_defaults()
            also(**{name: bound.arguments[name] for name in also_takes})
        bound.arguments.update({name: _wide(value) for name, value in given.items()})
        return function(*bound.args, **bound.kwargs)

    return wrapper


_WIDE = {"i": np.int64, "u": np.int64, "f": np.float64}


def _wide(value):
    """NumPy's small numbers wrap or lose digits silently when they are multiplied; wide do not.

    Beyond 64 bits NumPy takes no logarithm of a whole number; of the float it does. Nor does it of
    a fraction or a decimal.
    """
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value) if value < 2**63 else float(value)
    if np.ndim(value) == 0:
        return float(value)
    if isinstance(value, np.ndarray) and value.dtype.itemsize < 8 and value.dtype.kind in _WIDE:
        return value.astype(_WIDE[value.dtype.kind])
    return value


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


def theorem(title, *, source, latex, also=None):
    """Check the arguments and attach the statement to the function that computes it."""

    def decorate(function):
        wrapper = checked(function, also=also)
        wrapper.statement = Statement(title, source, latex)
        return wrapper

    return decorate
