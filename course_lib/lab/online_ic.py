"""Runs of multiplicative weights and of OnlineIC on databases like the survey."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from course_lib.exact.online_ic import chase, worst_query
from course_lib.lab.histograms import scaled_survey, survey_marginals
from course_lib.linear_queries import marginals
from course_lib.online_ic import FRACTION, mw_updates
from course_lib.support.contracts import COUNT, OneOf, checked_numbers
from course_lib.support.products import one_thread_product

LONGEST = 1000  # queries of a run
WORST = "worst query"  # an analyst who knows the data and asks where the hypothesis is furthest off


@checked_numbers(analyst=OneOf(["marginals", "all queries"]), alpha=replace(FRACTION, least=0.01))
@functools.lru_cache(maxsize=64)
def survey_chase(attributes, analyst, *, alpha):
    """The chase of the survey's shares by one who asks for "marginals", or for "all queries"."""
    _, histogram, queries = survey_marginals(attributes)
    rows = queries.rows if analyst == "marginals" else None
    return chase(histogram / histogram.sum(), rows, alpha=alpha)


def _all_marginals(universe, rng):
    """Every marginal once, in the order of `marginals`, and then again."""
    rows = marginals(universe).rows
    return rows[np.arange(LONGEST) % len(rows)]


def _random_marginals(universe, rng):
    """Which rows of at most three attributes have all of them."""
    rows = marginals(universe, order=3).rows
    return rows[rng.integers(len(rows), size=LONGEST)]


def _random_conjunctions(universe, rng):
    """The same, where each attribute asked for may be negated."""
    bits = np.array([list(element) for element in universe.elements]) == "1"
    places = np.tile(np.arange(len(universe.names)), (LONGEST, 1))
    chosen = rng.permuted(places, axis=1)[:, :3]
    fits = bits.T[chosen] == rng.integers(2, size=(LONGEST, 3, 1))
    fits |= (np.arange(3) >= rng.integers(1, 4, size=(LONGEST, 1)))[..., None]
    return fits.all(axis=1).astype(float)


def _random_predicates(universe, rng):
    """Each element is in the query or not, with equal chances."""
    return rng.integers(2, size=(LONGEST, len(universe))).astype(float)


KINDS = {
    "all marginals": _all_marginals,
    "marginals": _random_marginals,
    "conjunctions": _random_conjunctions,
    "predicates": _random_predicates,
}


@checked_numbers(kind=OneOf(KINDS), num_queries=replace(COUNT, most=LONGEST))
def random_queries(attributes, kind, *, num_queries, seed):
    """The first of LONGEST queries of one of KINDS on the survey's first attributes."""
    return _random_queries(attributes, kind, seed)[:num_queries]


@functools.lru_cache(maxsize=16)
def _random_queries(attributes, kind, seed):
    return KINDS[kind](survey_marginals(attributes)[0], np.random.default_rng(seed))


@dataclass(frozen=True, eq=False)
class Run:
    """For each query the error of the answer, that of the hypothesis before it, and if it was
    updated; alpha, how many updates there can be, and the hypothesis after the last query."""

    errors: np.ndarray
    gaps: np.ndarray
    updated: np.ndarray
    alpha: float
    cutoff: int
    hypothesis: np.ndarray

    @property
    def invalid(self):
        """The updates for which the hypothesis was less than alpha off, or the answer was not."""
        return self.updated & ((self.gaps < self.alpha) | (self.errors >= self.alpha))


@functools.lru_cache(maxsize=64)
def _shares(attributes, n):
    return scaled_survey(attributes, n=n) / n


@functools.lru_cache(maxsize=64)
def _values(attributes, kind, *, n, num_queries, seed):
    asked = random_queries(attributes, kind, num_queries=num_queries, seed=seed)
    return one_thread_product(asked, _shares(attributes, n)).tolist()


@checked_numbers(
    analyst=OneOf([*KINDS, WORST]), num_queries=replace(COUNT, most=LONGEST), alpha=FRACTION
)
@functools.lru_cache(maxsize=1024)
def survey_run(attributes, analyst, *, n, num_queries, cutoff=None, alpha, epsilon, seed):
    """What online_ic does on n rows with the survey's proportions, in a small part of its time.

    The analyst asks one of KINDS, or is WORST. Whoever asks, and whatever alpha and cutoff are, the
    noise of scale 1 is the same: a number for the threshold, then for each query two for its
    comparisons and one for what a ⊤ releases.
    """
    truth = _shares(attributes, n)
    rng = np.random.default_rng([seed, 1])  # other numbers than those of the queries
    left = cutoff = cutoff or int(mw_updates(universe_size=len(truth), alpha=alpha))
    threshold = 2 * alpha + rng.laplace() * 3 / (epsilon * n)
    noise = rng.laplace(size=(num_queries, 3)) * cutoff * (6, 6, 3) / (epsilon * n)
    if analyst != WORST:
        asked = random_queries(attributes, analyst, num_queries=num_queries, seed=seed)
        values = _values(attributes, analyst, n=n, num_queries=num_queries, seed=seed)
    weights, total = np.ones(len(truth)), float(len(truth))  # the hypothesis is their ratio
    up, down = np.exp([[0, alpha / 2], [0, -alpha / 2]])  # by the query, 0 or 1, on an element
    gaps, updated, update = [], [], True
    for i, (first, second, released) in enumerate(noise.tolist()):
        if analyst != WORST:
            if not left:
                break
            query, value = asked[i], values[i]
        elif update:  # otherwise the worst query is still the same
            query = worst_query(truth, weights / total)
            value = float(truth.dot(query))
        inside = float(weights.dot(query))
        gap = value - inside / total
        above = gap + first >= threshold
        update = left > 0 and (above or second - gap >= threshold)
        if update:
            answer = gap + (released if above else -released)  # less the guess
            factors = down if answer < 0 else up
            weights *= factors[query.astype(int)]
            total += (factors[1] - 1) * inside
            left -= 1
        gaps.append(abs(gap))
        updated.append(update)
    if analyst != WORST:  # after the last update the hypothesis stays as it is
        i = len(gaps)
        rest = values[i:] - one_thread_product(asked[i:], weights) / total
        gaps, updated = gaps + abs(rest).tolist(), updated + [False] * len(rest)
    errors = np.where(updated, abs(noise[:, 2]), gaps)
    return Run(errors, np.array(gaps), np.array(updated), alpha, cutoff, weights / total)
