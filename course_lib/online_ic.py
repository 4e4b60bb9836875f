"""OnlineIC and multiplicative weights (Roth, Lectures 12 and 13): answers from a hypothesis.

A database update algorithm, the `learner`, has `.evaluate(query)`, `.update(query, value)`,
`.alpha` and `.max_updates`, the B(alpha) of the lectures rounded down: there are no more updates in
which hypothesis and truth are alpha or more apart, and value and truth less than alpha.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.optimize.elementwise import find_root
from scipy.special import softmax

from course_lib.lecture11_sparse import repaired_error, sparse_repaired
from course_lib.numeric_sparse import check_numeric_budget, sparse_scale
from course_lib.support.answers import BELOW
from course_lib.support.contracts import (
    PROPER,
    RANGES,
    TWO_OR_MORE,
    ParameterError,
    checked_numbers,
    finite,
    shown,
    theorem,
)
from course_lib.support.products import one_thread_product

SOURCE = "Roth, Lecture 13"
FRACTION = replace(PROPER, least=1e-50)  # an alpha that says something of a fraction


def _check_sparse(data, learner, n, cutoff, epsilon, delta, sparse, rng):
    """Let the sparse vector check what it is given; it does nothing before its first query."""
    for part in ("evaluate", "update", "alpha", "max_updates"):
        if not hasattr(learner, part):
            raise ParameterError(f"learner must have {part}, got {shown(learner)}")
    RANGES["alpha"].check("learner.alpha", learner.alpha)
    if not isinstance(data, Mapping):
        RANGES["histogram"].check("data", data)
        # n is public: a row is replaced, none comes or goes
        if np.ndim(data) != 1 or np.sum(data, dtype=float) != n:
            raise ParameterError(f"n must be the number of rows of one histogram, got {shown(n)}")
    level, cutoff = 2 * learner.alpha, cutoff or learner.max_updates
    sparse(
        None, iter(()), n=n, threshold=level, cutoff=cutoff, epsilon=epsilon, delta=delta, rng=rng
    )


@checked_numbers(also=_check_sparse)
def online_ic(
    data, queries, learner, *, n, cutoff=None, epsilon, delta=0.0, sparse=sparse_repaired, rng
):
    """Answer linear queries one at a time: yields the answer, and whether it cost an update.

    Privacy: (epsilon, delta)-differentially private when a row of n is replaced, with any cutoff,
    if `sparse` is. With sparse_as_printed and delta = 0 it is not, at any epsilon: m queries and an
    update can lose m epsilon / (2 cutoff).
    Accuracy: every answer within 3 alpha except with probability beta, if the cutoff is the
    learner's max_updates, as it is unless one is given, and its alpha is at least online_ic_alpha
    or, for sparse queries, smw_alpha (Theorem 1, for the repaired sparse).
    Notebook: 06_online_ic.
    """

    def gap(query, guess, sign):
        return lambda data: sign * (share(data, query, n) - guess)

    threshold, cutoff = 2 * learner.alpha, cutoff or learner.max_updates
    ask = one_at_a_time(
        sparse, data, n=n, threshold=threshold, cutoff=cutoff, epsilon=epsilon, delta=delta, rng=rng
    )
    for query in queries:
        guess = learner.evaluate(query)
        for sign in (1, -1):
            number = ask(gap(query, guess, sign))
            if number is not BELOW:
                break
        if number is BELOW:
            yield guess, False
        else:
            answer = guess + sign * number
            learner.update(query, answer)
            yield answer, True


def one_at_a_time(mechanism, data, **parameters):
    """A function that asks a stream mechanism one query: its answer, BELOW after its last one."""
    waiting = []  # the query that it is asked, until it takes it

    def stream():
        while True:
            yield waiting.pop()

    answers = mechanism(data, stream(), **parameters)

    def ask(query):
        waiting[:] = [query]
        return next(answers, BELOW)

    return ask


def share(data, query, n):
    """The value of a linear query on n rows: arrays over the universe, or two mappings."""
    if isinstance(query, Mapping) != isinstance(data, Mapping):
        raise ParameterError(
            f"data must be {'a mapping' if isinstance(query, Mapping) else 'an array'}, as queries "
            f"are, got a {type(data).__name__}"
        )
    if isinstance(query, Mapping):
        parts = (float(weight) * float(data.get(x, 0)) for x, weight in query.items())
        return math.fsum(parts) / n
    return float(one_thread_product(query, data)) / n


class MultiplicativeWeights:
    """A hypothesis over the whole universe; an update multiplies it by exp(±alpha/2 · query)."""

    @checked_numbers(universe_size=replace(TWO_OR_MORE, most=2.0**30), alpha=FRACTION)  # 8 GB
    def __init__(self, *, universe_size, alpha):
        self.alpha = alpha
        self.max_updates = int(mw_updates(universe_size=universe_size, alpha=alpha))
        self._exponents = np.zeros(universe_size)  # logarithms, so that no weight becomes 0
        self.hypothesis = softmax(self._exponents)

    def evaluate(self, query):
        """The value of the query, an array over the universe, on the hypothesis."""
        RANGES["weights"].check("query", query)
        if np.shape(query) != self.hypothesis.shape:
            raise ParameterError(
                f"query must have one weight for each of {len(self.hypothesis)} elements, "
                f"got shape {np.shape(query)}"
            )
        return float(one_thread_product(query, self.hypothesis))

    def update(self, query, value):
        """Move the hypothesis towards the databases on which the query has this value."""
        sign = -1 if finite(value) < self.evaluate(query) else 1
        self._exponents += sign * self.alpha / 2 * np.asarray(query)
        self.hypothesis = softmax(self._exponents)


@theorem(
    "Multiplicative weights is a B(α)-DUA",
    source=SOURCE,
    latex=r"B(\alpha) = \frac{4\ln|X|}{\alpha^2}",
    universe_size=replace(TWO_OR_MORE, most=RANGES["universe_size"].most),
)
def mw_updates(*, universe_size, alpha):
    """How many updates multiplicative weights can need at most."""
    return _updates(universe_size, alpha)


@theorem(
    "Theorem 1, as printed, for multiplicative weights",
    source=SOURCE,
    latex=r"\alpha = \frac{4B(\alpha)\,(\ln|\mathcal C| + \ln\frac2\beta)}{\varepsilon n}"
    r"\ \text{ with }\ B(\alpha) = \frac{4\ln|X|}{\alpha^2}:\quad "
    r"\alpha^3 = \frac{16\ln|X|\,(\ln|\mathcal C| + \ln\frac2\beta)}{\varepsilon n}"
    r";\quad \text{we put } k \text{ for } |\mathcal C|",
)
def online_ic_alpha_printed(*, n, universe_size, num_queries, beta, epsilon, delta=0.0):
    """Theorem 1's alpha, with the number k of queries for its |C|; OnlineIC asks 2k of them.

    Theorem 1 has no delta; for delta > 0 the alpha is put together from Theorem 5 of Lecture 11,
    which is proved where c ln(1/delta) >= 1/8: not for delta next to 1.
    """
    logs = np.log(num_queries) + np.log(2 / beta)
    return printed_alpha(_updates, n, universe_size, logs, epsilon, delta)


@theorem(
    "Theorem 1, for the repaired sparse vector and 2k queries",
    source=SOURCE + "; derived here",
    latex=r"\alpha = \frac{12B(\alpha)\,(\ln 2k + \ln\frac3\beta)}{\varepsilon n}"
    r"\ \text{ with }\ B(\alpha) = \frac{4\ln|X|}{\alpha^2}:\quad "
    r"\alpha^3 = \frac{48\ln|X|\,(\ln 2k + \ln\frac3\beta)}{\varepsilon n};\quad "
    r"\text{if } \delta > 0,\text{ that of the event behind Theorem 3.28, corrected, with }"
    r" c = B(\alpha) \text{ and } 2k,\text{ over } n",
)
def online_ic_alpha(*, n, universe_size, num_queries, beta, epsilon, delta=0.0):
    """The alpha with which OnlineIC answers within 3 alpha except with probability beta."""
    return repaired_alpha_for(_updates, n, universe_size, num_queries, beta, epsilon, delta)


def _updates(universe_size, alpha):
    return 4 * np.log(universe_size) / alpha**2


def printed_alpha(updates, n, size, logs, epsilon, delta):
    """Where alpha is what Lecture 11's theorems ask for with the cutoff updates(size, alpha)."""

    def needed(alpha, n, size, logs, epsilon, delta):
        cutoff = np.maximum(updates(size, alpha), 1)
        return 2 * sparse_scale(cutoff, epsilon, delta) * logs / n

    return _smallest_alpha(needed, n, size, logs, epsilon, delta)


def repaired_alpha_for(updates, n, size, num_queries, beta, epsilon, delta):
    """Where alpha is what the repaired sparse vector asks for, with that cutoff."""

    def needed(alpha, n, size, num_queries, beta, epsilon, delta):
        cutoff = np.maximum(updates(size, alpha), 1)
        return repaired_error(2 * num_queries, n, cutoff, beta, epsilon, delta)

    alpha = _smallest_alpha(needed, n, size, num_queries, beta, epsilon, delta)
    cutoff = np.maximum(np.floor(updates(size, alpha)), 1)
    check_numeric_budget(cutoff, epsilon, delta)
    return alpha


def _smallest_alpha(needed, *arguments):
    """The smallest alpha that is needed(alpha, …) or more, where that falls as alpha grows."""

    def excess(log_alpha, *rest):
        return log_alpha - np.log(needed(np.exp(log_alpha), *rest))

    found = find_root(excess, (-50.0, 50.0), args=arguments)
    enough = np.maximum(*found.bracket)  # next to x, unless the excess at x is 0
    return np.exp(np.where(found.f_x >= 0, found.x, enough))[()]
