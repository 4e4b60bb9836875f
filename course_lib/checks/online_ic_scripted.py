"""One query of OnlineIC with a scripted sparse vector, to judge notebook 06’s reduction by."""

import math
import numbers
import reprlib
from dataclasses import dataclass

import numpy as np

from course_lib.checks.exercise import NotYet
from course_lib.support.answers import BELOW


@dataclass
class Case:
    """One query, and a sparse vector that says what is written here.

    `side` is 1 if a number is released for Q(D) − Q(Dᵗ), −1 if for Q(Dᵗ) − Q(D), 0 if for neither.
    """

    value: float
    guess: float
    side: int = 0
    number: float = math.nan

    @property
    def expected(self):
        return (self.guess + self.side * self.number if self.side else self.guess), bool(self.side)

    @property
    def gap(self):
        return self.value - self.guess

    def __str__(self):
        said = "⊥ both times"
        if self.side:
            gap = ("Q(D) − Q(Dᵗ)", "Q(Dᵗ) − Q(D)")[self.side < 0]
            said = f"{self.number:g} for {gap}"
        return f"Q(D) = {self.value:g}, Q(Dᵗ) = {self.guess:g} and a sparse vector that says {said}"


# The noise may make either gap the larger one, and a released number negative; gaps of all sizes.
CASES = (
    Case(0.62, 0.35),
    Case(0.2, 0.45),
    Case(0.62, 0.3, 1, 0.34),
    Case(0.15, 0.5, -1, 0.31),
    Case(0.7, 0.41, -1, 0.23),
    Case(0.22, 0.47, 1, 0.27),
    Case(0.9, 0.55, 1, -0.04),
    Case(0.05, 0.4, -1, -0.03),
    Case(0.4004, 0.4),
    Case(0.3, 0.3005, 1, 0.22),
    Case(0.95, 0.1),
    Case(0.04, 0.92, -1, 0.81),
    Case(0.97, 0.2, 1, 0.74),
)


class ScriptedSparse:
    """The sparse vector of a case; keeps what it is asked, and for which side."""

    def __init__(self, case):
        self.case, self.asked, self.sides = case, [], []

    def __call__(self, gap):
        gap = _plain(gap)
        if isinstance(gap, bool) or not isinstance(gap, numbers.Real):
            raise NotYet(
                f"sparse takes one number, the value of the query that you ask; you gave "
                f"{reprlib.repr(gap)}."
            )
        self.asked.append(float(gap))
        self.sides.append(next((s for s in (1, -1) if same(gap, s * self.case.gap)), 0))
        again = self.sides.count(self.sides[-1]) - 1  # each number has noise of its own
        if self.case.side and self.sides[-1] in (0, self.case.side):
            return self.case.number + 0.0137 * again
        return BELOW


@dataclass
class Run:
    """What a student’s function did in a case."""

    case: Case
    sparse: ScriptedSparse
    answer: float
    updated: bool


def _plain(number):
    """Without NumPy’s wrapping, where there is one."""
    is_numpys = isinstance(number, (np.ndarray, np.generic)) and not number.ndim
    return number.item() if is_numpys else number


def same(one, other):
    """Equal up to rounding."""
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)


def run_case(function, case):
    """Raise NotYet unless the function returns a number, and whether there was an update."""
    sparse = ScriptedSparse(case)
    try:
        result = function(case.value, case.guess, sparse)
    except (NotImplementedError, NotYet):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}".rstrip(":. ") + "."
        if "Answer" in said:
            said += (
                " ⊥ is no number: see whether what sparse returns `is BELOW` before you compute "
                "with it."
            )
        raise NotYet(f"for {case} your function stopped with {said}") from None
    return Run(case, sparse, *_pair(result, case))


def _pair(result, case):
    returned = f"for {case} your function returned"
    if result is None:
        raise NotYet(f"{returned} nothing. End it with return answer, updated.")
    if hasattr(result, "__next__"):
        raise NotYet("your function yields. For one query, return the pair (answer, updated).")
    if not isinstance(result, (tuple, list, np.ndarray)) or len(result) != 2:
        raise NotYet(f"{returned} {reprlib.repr(result)}, not the pair (answer, updated).")
    answer, updated = map(_plain, result)
    if isinstance(answer, bool) and isinstance(updated, numbers.Real):
        raise NotYet(f"{returned} {reprlib.repr(result)}; the answer comes first.")
    if answer is BELOW:
        raise NotYet(
            f"{returned} ⊥ for an answer. The analyst gets a number to each query: if both are "
            "below, the hypothesis is near enough, and answers."
        )
    if not isinstance(answer, numbers.Real) or not math.isfinite(answer):
        raise NotYet(f"{returned} {reprlib.repr(answer)} for an answer, and a number is asked for.")
    if not isinstance(updated, numbers.Real) or updated not in (0, 1):
        raise NotYet(
            f"{returned} {reprlib.repr(updated)} for updated, and True or False is asked for."
        )
    return float(answer), bool(updated)
