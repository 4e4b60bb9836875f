"""The sparse-vector family as rows of data: what is noised, how much, and what is released."""

from dataclasses import dataclass
from enum import Enum

from course_lib.contracts import ParameterError, checked


class Answer(Enum):
    """What the mechanism says of one query."""

    ABOVE = "⊤"
    BELOW = "⊥"

    def __repr__(self):
        return self.value

    __str__ = __repr__


ABOVE, BELOW = Answer.ABOVE, Answer.BELOW


@dataclass(frozen=True)
class Variant:
    """One mechanism of the family, for queries of sensitivity 1.

    The threshold gets Lap(threshold_scale), each query Lap(query_scale) (0: no noise). After the
    `cutoff`-th ABOVE the mechanism halts (None: never). `released` says what comes with an ABOVE:
    None, "fresh" (value + Lap(release_scale), new noise) or "same" (the noisy value compared).
    """

    name: str
    threshold_scale: float
    query_scale: float
    redrawn: bool
    released: str | None
    cutoff: int | None
    release_scale: float | None = None


def _above_threshold(cutoff, epsilon, delta):
    if cutoff != 1 or delta != 0:
        raise ParameterError(
            f"above_threshold halts at the first ABOVE and is (epsilon, 0)-private: "
            f"cutoff must be 1 and delta 0, got {cutoff!r} and {delta!r}"
        )
    return Variant("above_threshold", 2 / epsilon, 4 / epsilon, True, None, 1)


ROWS = {"above_threshold": _above_threshold}


@checked
def variant(name, *, cutoff, epsilon, delta=0.0):
    """The row called `name` at these parameters; ROWS lists the names."""
    if name not in ROWS:
        raise ParameterError(f"name must be one of {', '.join(ROWS)}, got {name!r}")
    return ROWS[name](cutoff, epsilon, delta)
