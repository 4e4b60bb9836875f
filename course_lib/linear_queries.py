"""Linear queries on a finite universe (Dinitz): databases as histograms, queries as rows."""

import itertools
from collections.abc import Iterable, Sized
from dataclasses import dataclass

import numpy as np

from course_lib.support.contracts import (
    RANGES,
    ParameterError,
    check,
    checked_arrays,
    checked_numbers,
    shown,
    theorem,
)
from course_lib.support.products import one_thread_product
from course_lib.toolbox import advanced_per_run, laplace_alpha


@dataclass(frozen=True)
class Universe:
    """All rows that named binary attributes can make: 2^d elements, 00…0 first, 11…1 last."""

    names: tuple

    def __post_init__(self):
        names = tuple(self.names) if isinstance(self.names, Iterable) else ()
        words = bool(names) and all(isinstance(name, str) for name in names)
        if not words or isinstance(self.names, str) or len(set(names)) < len(names):
            raise ParameterError(
                f"names must be one or more different names, got {shown(self.names)}"
            )
        object.__setattr__(self, "names", names)

    def __len__(self):
        return 2 ** len(self.names)

    @property
    def rows(self):
        """Every element as a record of booleans: rows["name"] is a column."""
        rows = np.empty(len(self), dtype=[(name, bool) for name in self.names])
        for place, name in enumerate(reversed(self.names)):
            rows[name] = np.arange(len(self)) >> place & 1
        return rows

    @property
    def elements(self):
        """What each element is called: the bits of its attributes, as in “101”."""
        return [format(x, f"0{len(self.names)}b") for x in range(len(self))]

    def histogram(self, data):
        """How many rows of the data each element has; data["name"] is a column of 0 and 1."""
        columns = [np.asarray(data[name]) for name in self.names]
        if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
            raise ParameterError(f"data must have columns of equal length for {self.names}")
        check(bits=columns)
        index = sum(column.astype(int) << i for i, column in enumerate(reversed(columns)))
        return np.bincount(index, minlength=len(self))


@dataclass(frozen=True, eq=False)
class LinearQueries:
    """Queries with their names: row i holds q_i(x) in [0, 1] for every element x."""

    names: list
    rows: np.ndarray

    def __post_init__(self):
        RANGES["weights"].check("rows", self.rows)
        named = len(self.names) if isinstance(self.names, Sized) else None
        if np.ndim(self.rows) != 2 or named != len(self.rows):
            raise ParameterError(
                f"names must be one for each of the rows, got {shown(self.names)} and rows of "
                f"shape {np.shape(self.rows)}"
            )

    def __len__(self):
        return len(self.names)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows, dtype=dtype)


@checked_numbers
def predicates(universe: Universe, conditions):
    """Queries from name: condition, a function of the universe's rows to numbers in [0, 1]."""
    rows = np.array([condition(universe.rows) for condition in conditions.values()], dtype=float)
    return LinearQueries(list(conditions), rows)


@checked_numbers
def marginals(universe: Universe, *, order=None):
    """The k-way marginals, “all attributes in S” for 1 <= |S| <= order; all of them without one.

    S = ∅ asks for the share of all rows, which is 1: no mechanism is needed for it.
    """
    order = len(universe.names) if order is None else order
    if order not in range(1, len(universe.names) + 1):
        raise ParameterError(f"order must be from 1 to {len(universe.names)}, got {shown(order)}")
    columns, chosen = universe.rows, []
    for size in range(1, int(order) + 1):
        chosen += itertools.combinations(universe.names, size)
    rows = [np.logical_and.reduce([columns[name] for name in names]) for names in chosen]
    return LinearQueries([" and ".join(names) for names in chosen], np.array(rows, dtype=float))


@checked_numbers
def all_predicates(universe: Universe):
    """All 2^(|X| - 1) - 1 predicates that hold for some elements but not for the first, 00…0.

    A predicate that holds for 00…0 is the negation of one of these, and 1 minus its answer.
    """
    if len(universe) > 16:
        raise ParameterError(f"universe must have at most 16 elements here, got {len(universe)}")
    bits = np.arange(1, 2 ** (len(universe) - 1))
    rows = bits[:, None] >> np.arange(len(universe))[::-1] & 1
    elements = np.array(universe.elements)
    names = [" or ".join(elements[row == 1]) for row in rows]
    return LinearQueries(names, rows.astype(float))


def _check_shapes(histogram, queries):
    RANGES["weights"].check("queries", queries)
    width = np.shape(queries)[-1:]
    if np.shape(histogram)[-1:] != width or not width:
        raise ParameterError(
            f"histogram must have one count per element, as queries have one weight each: "
            f"got shapes {np.shape(histogram)} and {np.shape(queries)}"
        )


def check_rows(histogram):
    """Refuse a database without rows: no share can be taken of it."""
    if not np.all(np.sum(histogram, axis=-1) > 0):
        raise ParameterError("histogram must have at least one row, got none")


@checked_arrays
def counts(histogram, queries):
    """The sum of q(x) over the rows, for each query. A row more, less or other changes it by <= 1.

    With databases along the first axes of `histogram`, a row of counts for each.
    """
    _check_shapes(histogram, queries)
    return one_thread_product(histogram, np.asarray(queries, dtype=float).T)


@checked_arrays
def fractions(histogram, queries):
    """The mean of q(x) over the n rows, for each query. Replacing a row changes it by <= 1/n."""
    check_rows(histogram)
    return counts(histogram, queries) / histogram.sum(axis=-1, keepdims=np.ndim(queries) > 1)


@theorem(
    "Sensitivity of a normalised linear query",
    source="Dinitz",
    latex=r"\Delta f_q \le \frac{1}{|D|}\ \text{ (one row is replaced; unnormalised: } 1)",
)
def fraction_sensitivity(*, n):
    """How far one row of n, replaced, moves a fraction at most; a count moves by at most 1."""
    return 1 / n


@theorem(
    "Noise on the answers",
    source="derived here",
    latex=r"\alpha = -\frac{1}{\varepsilon_0 n}\ln\left(1 - (1-\beta)^{1/k}\right),\quad"
    r"\varepsilon_0 = \frac{\varepsilon}{k}\ \text{ or, if } \delta > 0,\ "
    r"\varepsilon = \varepsilon_0\big(\sqrt{2k\ln(1/\delta)} + k(e^{\varepsilon_0}-1)\big)",
)
def answers_alpha(*, n, num_queries, beta, epsilon, delta=0.0):
    """With Laplace noise on each answer all are within it, except with probability beta, exactly.

    The answers share epsilon by basic composition or, for delta > 0, by Theorem 3.20.
    """
    per_answer = epsilon / num_queries
    if np.any(delta):
        per_answer = advanced_per_run(runs=num_queries, epsilon=epsilon, delta=delta)
    return laplace_alpha(num_queries=num_queries, beta=beta, epsilon=per_answer) / n


@theorem(
    "Noise on the histogram",
    source="derived here",
    latex=r"\alpha = \frac{2}{\varepsilon n}\sqrt{\frac{|X|+L}{L}}"
    r"\left(L + |X|\ln\frac{|X|+L}{|X|}\right),\quad L = \ln\frac{2k}{\beta}",
)
def histogram_alpha(*, n, universe_size, num_queries, beta, epsilon):
    """With noise Lap(2/epsilon) on counts all answers are within it, except with probability beta.

    A row that is replaced moves two counts by 1. The noisy counts are taken as they are, negative
    ones too, and divided by n, which is public. Markov's inequality for exp(t S), S the noise of a
    query in units of 2/epsilon, E exp(t S) <= (1 - t^2)^-|X|, at t^2 = L / (|X| + L).
    """
    logs = np.log(2) + np.log(num_queries) - np.log(beta)
    inner = logs + universe_size * np.log1p(logs / universe_size)
    return 2 * np.sqrt((universe_size + logs) / logs) * inner / (epsilon * n)
