"""Runs of multiplicative weights and of OnlineIC on databases like the survey."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from course_lib.exact.online_ic import chase, worst_query
from course_lib.lab.histograms import scaled_survey, survey_marginals
from course_lib.lab.noise import GivenNoise
from course_lib.linear_queries import fractions, marginals
from course_lib.online_ic import MultiplicativeWeights, online_ic
from course_lib.support.contracts import COUNT, ParameterError, checked_numbers, shown

LONGEST = 1000  # queries of a run
WORST = "worst query"  # an analyst who knows the data and asks where the hypothesis is furthest off


@functools.lru_cache(maxsize=64)
def survey_chase(attributes, analyst, *, alpha):
    """The chase of the survey's shares by one who asks for "marginals", or for "all queries"."""
    _, histogram, queries = survey_marginals(attributes)
    rows = queries.rows if analyst == "marginals" else None
    return chase(histogram / histogram.sum(), rows, alpha=alpha)


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
    "marginals": _random_marginals,
    "conjunctions": _random_conjunctions,
    "predicates": _random_predicates,
}


@checked_numbers(num_queries=replace(COUNT, most=LONGEST))
def random_queries(attributes, kind, *, num_queries, seed):
    """The first of LONGEST random queries of one of KINDS on the survey's first attributes."""
    if kind not in KINDS:
        raise ParameterError(f"kind must be among {', '.join(KINDS)}, got {shown(kind)}")
    return _random_queries(attributes, kind, seed)[:num_queries]


@functools.lru_cache(maxsize=16)
def _random_queries(attributes, kind, seed):
    return KINDS[kind](survey_marginals(attributes)[0], np.random.default_rng(seed))


def _noise_generator(seed):
    """Other random numbers than those of the queries."""
    return np.random.default_rng([seed, 1])


@dataclass(frozen=True, eq=False)
class Run:
    """For each query the error of the answer, that of the hypothesis before it, and if it was
    updated; alpha, and how many updates there can be."""

    errors: np.ndarray
    gaps: np.ndarray
    updated: np.ndarray
    alpha: float
    max_updates: int

    @property
    def invalid(self):
        """The updates for which the hypothesis was less than alpha off, or the answer was not."""
        return self.updated & ((self.gaps < self.alpha) | (self.errors >= self.alpha))


def _run(data, analyst, *, n, alpha, epsilon, rng):
    """A run of OnlineIC with multiplicative weights; analyst(learner) makes the queries."""
    learner = MultiplicativeWeights(universe_size=len(data), alpha=alpha)
    asked, guesses = [], []

    def watched():
        for query in analyst(learner):
            asked.append(query)
            guesses.append(query @ learner.hypothesis)
            yield query

    found = online_ic(data, watched(), learner, n=n, epsilon=epsilon, rng=rng)
    answers, updated = np.array(list(found)).T
    values = fractions(data, asked)
    errors, gaps = np.abs(answers - values), np.abs(guesses - values)
    return Run(errors, gaps, updated == 1, alpha, learner.max_updates)


@functools.lru_cache(maxsize=64)
def survey_run(attributes, kind, *, n, num_queries, alpha, epsilon, seed):
    """A run of OnlineIC on n rows with the survey's proportions; random queries of a kind."""
    asked = random_queries(attributes, kind, num_queries=num_queries, seed=seed)
    data, rng = scaled_survey(attributes, n=n), _noise_generator(seed)
    return _run(data, lambda learner: asked, n=n, alpha=alpha, epsilon=epsilon, rng=rng)


@functools.lru_cache(maxsize=1024)
def update_counts(attributes, analyst, *, n, num_queries, alpha, epsilon, seed):
    """How many updates such a run has, and how many of them are invalid; the analyst may be WORST.

    Whoever asks, and whatever alpha is, the noise of scale 1 is the same: a number for the
    threshold, then for each query two for its comparisons and one for what a ⊤ releases.
    """
    data, rng = scaled_survey(attributes, n=n), _noise_generator(seed)
    threshold, noise = rng.laplace(), rng.laplace(size=(num_queries, 3)).tolist()
    unit, left = 3 / (epsilon * n), {1: iter([threshold])}  # by scale, in units of the threshold's
    asked = None
    if analyst != WORST:
        asked = random_queries(attributes, analyst, num_queries=num_queries, seed=seed)

    def ask(learner):
        cutoff, truth = learner.max_updates, data / n
        for i, (first, second, released) in enumerate(noise):
            left[2 * cutoff], left[cutoff] = iter([first, second]), iter([released])
            yield worst_query(truth, learner.hypothesis) if asked is None else asked[i]

    given = GivenNoise(lambda scale: scale * next(left[round(scale / unit)]))
    run = _run(data, ask, n=n, alpha=alpha, epsilon=epsilon, rng=given)
    return int(run.updated.sum()), int(run.invalid.sum())
