"""The sparse-vector family as rows of data: what is noised, how much, and what is released."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from course_lib.numeric_sparse import (
    check_numeric_budget,
    check_sparse_budget,
    numeric_split,
    sparse_scale,
)
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    OneOf,
    ParameterError,
    checked_arrays,
    checked_numbers,
    finite,
    shown,
)

_SCALE = replace(POSITIVE, least=1e-250, most=1e250)  # of any cutoff and epsilon that are allowed
_SCALE_OR_0 = replace(NOT_NEGATIVE, least=1e-250, most=1e250)
_FIELDS = {
    "threshold_scale": _SCALE,
    "query_scale": _SCALE_OR_0,
    "released": OneOf(["fresh", "same"]),
    "cutoff": COUNT,
    "release_scale": _SCALE_OR_0,
}


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

    def __post_init__(self):
        optional = ["released", "cutoff"] + ["release_scale"] * (self.released != "fresh")
        for name, rule in _FIELDS.items():
            if getattr(self, name) is not None or name not in optional:
                rule.check(name, getattr(self, name))


@checked_numbers
def run_variant(variant: Variant, data, queries, *, threshold, rng):
    """The answers of any row to a stream, one at a time: all slides of the family in one."""
    noisy_threshold = threshold + rng.laplace(scale=variant.threshold_scale)
    count = 0
    for query in queries:
        value = finite(query(data))
        noisy = value + rng.laplace(scale=variant.query_scale)
        if noisy < noisy_threshold:
            yield BELOW
            continue
        if variant.released == "same":
            yield noisy
        elif variant.released == "fresh":
            yield value + rng.laplace(scale=variant.release_scale)
        else:
            yield ABOVE
        count += 1
        if count == variant.cutoff:
            return
        if variant.redrawn:
            noisy_threshold = threshold + rng.laplace(scale=variant.threshold_scale)


@checked_arrays
def privacy_loss(variant: Variant, *, monotone=False):
    """The supremum of a row's privacy loss over neighbouring streams; inf: not private at all.

    On the neighbour the values move by at most 1 each, and if `monotone` all up or all down. The
    threshold pays for the ⊥, once per draw; a ⊤ pays for its own move against the threshold's.
    Notebook 04 proves it; streams that reach it in the limit are in lab.audit.
    """
    if variant.cutoff is None or variant.released == "same" or np.all(variant.query_scale == 0):
        return math.inf
    cutoff, for_query = variant.cutoff, variant.cutoff / variant.query_scale
    for_threshold = (cutoff if variant.redrawn else 1) / variant.threshold_scale
    for_number = cutoff / variant.release_scale if variant.released else 0.0
    if not monotone:
        return for_threshold + 2 * for_query + for_number
    return np.maximum(for_threshold + np.maximum(for_query, for_number), for_query + for_number)


@dataclass(frozen=True)
class Row:
    """A published mechanism: what it claims, and what it really gives, in words.

    `make` takes cutoff, epsilon and delta and gives the fields of the Variant after its name.
    """

    source: str
    make: Callable
    claims: str
    gives: str
    monotone: bool = False  # the claim is for queries that all move the same way


def _above_threshold(cutoff, epsilon, delta):
    if cutoff != 1:
        raise ParameterError(
            "cutoff must be 1 for above_threshold, which halts at the first ABOVE, "
            f"got {shown(cutoff)}"
        )
    return 2 / epsilon, 4 / epsilon, True, None, 1


def _sparse(cutoff, epsilon, delta):
    check_sparse_budget(cutoff, epsilon, delta)
    scale = sparse_scale(cutoff, epsilon, delta)
    return scale, 2 * scale, True, None, cutoff


def _numeric_sparse(cutoff, epsilon, delta):
    check_numeric_budget(cutoff, epsilon, delta)
    for_queries, for_numbers = (
        sparse_scale(cutoff, part, delta / 2) for part in numeric_split(epsilon, delta)
    )
    return for_queries, 2 * for_queries, True, "fresh", cutoff, for_numbers


def _lyu_su_li(cutoff, epsilon, delta):
    return 2 / epsilon, 4 * cutoff / epsilon, False, None, cutoff


def _monotone(cutoff, epsilon, delta):
    return 2 / epsilon, 2 * cutoff / epsilon, False, None, cutoff


def _lecture11(cutoff, epsilon, delta):
    return 2 / epsilon, sparse_scale(cutoff, epsilon, delta), False, "same", cutoff


def _repaired(cutoff, epsilon, delta):
    if np.any(delta):
        return _numeric_sparse(cutoff, epsilon, delta)
    return 3 / epsilon, 6 * cutoff / epsilon, False, "fresh", cutoff, 3 * cutoff / epsilon


def _lee_clifton(cutoff, epsilon, delta):
    return 4 / epsilon, 4 / (3 * epsilon), False, None, cutoff


def _stoddard(cutoff, epsilon, delta):
    return 2 / epsilon, 0.0, False, None, None


def _chen(cutoff, epsilon, delta):
    return 2 / epsilon, 2 / epsilon, False, None, None


_BOOK, _LYU = "Dwork & Roth 2014, Algorithm", "Lyu, Su & Li 2017, Algorithm 1"
_NEVER = "not private at any ε"
ROWS = {
    "above_threshold": Row(f"{_BOOK} 1", _above_threshold, "ε", "ε"),
    "sparse": Row(f"{_BOOK} 2", _sparse, "ε", "ε"),
    "numeric_sparse": Row(f"{_BOOK} 3", _numeric_sparse, "ε", "ε"),
    "lyu_su_li": Row(_LYU, _lyu_su_li, "ε", "ε"),
    "lyu_su_li_monotone": Row(
        f"{_LYU}, monotone", _monotone, "ε, monotone queries", "ε; 3ε/2 if not monotone", True
    ),
    "lecture11_sparse": Row("Roth, Lecture 11", _lecture11, "ε", _NEVER),
    "lecture11_repaired": Row("Lecture 11, repaired here", _repaired, "ε", "ε"),
    "lee_clifton": Row("Lee & Clifton 2014", _lee_clifton, "ε", "(1 + 6c)ε/4"),
    "stoddard": Row("Stoddard et al. 2014", _stoddard, "ε", _NEVER),
    "chen": Row("Chen et al. 2015", _chen, "ε", _NEVER),
}
_WITH_DELTA = {"sparse", "numeric_sparse", "lecture11_sparse", "lecture11_repaired"}


@checked_arrays(name=OneOf(ROWS))
def member(name, *, cutoff, epsilon, delta=0.0):
    """The row called `name` at these parameters; ROWS lists the names.

    The rows stoddard and chen have no cutoff: theirs is None whatever is asked for.
    """
    if np.any(delta) and name not in _WITH_DELTA:
        raise ParameterError(f"delta must be 0 for {name}, got {shown(delta)}")
    return Variant(name, *ROWS[name].make(as_count(cutoff), epsilon, delta))


def as_count(cutoff):
    """A single cutoff as a whole number: it is compared with counts, and taken for a length."""
    return cutoff if np.ndim(cutoff) else int(cutoff)
