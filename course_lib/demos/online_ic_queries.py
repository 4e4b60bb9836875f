"""Random queries on the survey's attributes, for notebook 06."""

import functools

import numpy as np

from course_lib.demos.small_db_sample import NAMES, survey
from course_lib.linear_queries import marginals

LONGEST = 1000  # queries of a run


def random_marginals(rng, num_queries):
    """Which rows of at most three attributes have all of them."""
    rows = marginals(survey(len(NAMES))[0], order=3).rows
    return rows[rng.integers(len(rows), size=num_queries)]


def random_conjunctions(rng, num_queries):
    """The same, where each attribute asked for may be negated."""
    bits = np.array([list(element) for element in survey(len(NAMES))[0].elements]) == "1"
    places = rng.permuted(np.tile(np.arange(len(NAMES)), (num_queries, 1)), axis=1)[:, :3]
    fits = bits.T[places] == rng.integers(2, size=(num_queries, 3, 1))
    fits |= (np.arange(3) >= rng.integers(1, 4, size=(num_queries, 1)))[..., None]
    return fits.all(axis=1).astype(float)


def random_predicates(rng, num_queries):
    """Each element is in the query or not, with equal chances."""
    return rng.integers(2, size=(num_queries, 2 ** len(NAMES))).astype(float)


KINDS = {"marginals": random_marginals, "conjunctions": random_conjunctions}
KINDS |= {"predicates": random_predicates}


@functools.lru_cache(16)
def stream(kind, seed):
    """Queries of this kind, as many as a picture asks for: a shorter run asks the first of them."""
    return KINDS[kind](np.random.default_rng(seed), LONGEST)


def noise_generator(seed):
    """Other random numbers than those of the stream."""
    return np.random.default_rng([seed, 1])
