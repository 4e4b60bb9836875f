"""The toolbox measured: two telling counts, noise on neighbouring counts, many private choices."""

import functools
from dataclasses import replace

import numpy as np

from course_lib.lab.confidence import log_odds_interval
from course_lib.lab.data import coinsurance, health_queries, load_survey, rated
from course_lib.support.contracts import (
    COUNT,
    POSITIVE,
    WHOLE,
    ParameterError,
    checked_numbers,
    shown,
)

MOST_RUNS = 100_000  # of which released_histograms shows the first
_MOST = 2**24  # numbers that are held in memory
# What somebody may know of a row: each of these leaves fewer that fit, and all four a single one.
FACTS = {
    "pays 95% of the bill": lambda row: coinsurance(row) == 95,
    "has a limitation": lambda row: row["physlm"] == 1,
    "10 or more visits": lambda row: row["mdvis"] >= 10,
    "19 visits": lambda row: row["mdvis"] == 19,
}


@checked_numbers(known=replace(COUNT, most=len(FACTS)))
@functools.lru_cache(maxsize=len(FACTS))
def counts_around(known):
    """What fits the first `known` facts, and two counts: poor health, and that of all that do not.

    Three numbers of rows; what the two counts differ by is the poor health of those that fit.
    """
    rows = load_survey()
    fits = np.all([fact(rows) for fact in list(FACTS.values())[:known]], axis=0)
    poor = rated(rows, "hlthp")
    return tuple(int(np.count_nonzero(chosen)) for chosen in (fits, poor, poor & ~fits))


@checked_numbers
@functools.lru_cache(maxsize=64)
def neighbouring_counts(seed):
    """A random query of the survey, one of the rows it counts, its values with and without that."""
    rng, survey = np.random.default_rng(seed), load_survey()
    query = rng.choice(health_queries())
    row = rng.choice(np.flatnonzero(query.includes(survey)))
    return query.name, int(row), (int(query(survey)), int(query(np.delete(survey, row))))


@checked_numbers(
    counts=replace(WHOLE, most=1e15),
    width=POSITIVE,
    reach=POSITIVE,
    runs=replace(COUNT, most=MOST_RUNS),
)
def released_histograms(counts, *, width, reach, runs, epsilon, seed):
    """How many of the first `runs` noisy values of each of two counts fall into each bin.

    The bins have this width and go from -reach to reach around the first count.
    """
    if np.shape(counts) != (2,):
        raise ParameterError(f"counts must be two numbers, got {shown(counts)}")
    bins = round(2 * reach / width)
    if bins > MOST_RUNS:
        raise ParameterError(f"width must make at most {MOST_RUNS:,} bins, got {shown(width)}")
    noise = _two_noises(seed)[:, :runs] / epsilon
    found = (noise + np.subtract(counts, counts[0])[:, None] + reach) // width
    return [np.bincount(x[(x >= 0) & (x < bins)].astype(int), minlength=bins) for x in found]


@checked_numbers(first=WHOLE, second=WHOLE)
def measured_log_ratios(first, second):
    """Of two histograms the log-ratio in each bin, and its interval, which all hold at once at 95%.

    NaN in bins with fewer than ten entries in both together; ends beyond -9 and 9 are cut.
    """
    if np.ndim(first) != 1 or np.shape(first) != np.shape(second):
        raise ParameterError(f"second must have a bin for each of first, got {shown(second)}")
    found, enough = np.full((3, len(first)), np.nan), first + second >= 10
    first, both = first[enough], (first + second)[enough]
    with np.errstate(divide="ignore"):
        found[0, enough] = np.log(first) - np.log(both - first)
    ends = log_odds_interval(first, both, confidence=1 - 0.05 / len(enough))
    found[1:, enough] = np.clip(ends, -9, 9)
    return found


@functools.lru_cache(maxsize=4)
def _two_noises(seed):
    return np.random.default_rng([seed, 1]).laplace(size=(2, MOST_RUNS))


@checked_numbers(size=replace(COUNT, most=_MOST))
def unit_noise(size, *, seed):
    """Laplace noise of scale 1: divided by epsilon it is that of a count, the same for each."""
    return np.random.default_rng(seed).laplace(size=size)


@checked_numbers
def choices(utilities, *, trials, epsilon, seed):
    """How often each index is chosen by the exponential mechanism, and by noisy max.

    The first is noisy max too, with Gumbel in place of Laplace noise of the same scale 2 / epsilon.
    """
    if np.ndim(utilities) != 1:
        raise ParameterError(f"utilities must be a list of numbers, got {shown(utilities)}")
    if trials * len(utilities) > _MOST:
        raise ParameterError(f"trials must need at most {_MOST:,} draws, got {shown(trials)}")
    return [
        np.bincount(np.argmax(utilities + 2 / epsilon * noise, axis=1), minlength=len(utilities))
        for noise in _noise_of_choices(trials, len(utilities), seed)
    ]


@functools.lru_cache(maxsize=4)
def _noise_of_choices(trials, size, seed):
    rng = np.random.default_rng(seed)
    return [draw(size=(trials, size)) for draw in (rng.gumbel, rng.laplace)]
