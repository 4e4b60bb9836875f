"""Databases as histograms: from the survey, from generators, and scaled to any number of rows."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from course_lib.lab.data import coinsurance, excellent, load_survey, rated
from course_lib.linear_queries import (
    LinearQueries,
    Universe,
    all_predicates,
    check_rows,
    marginals,
)
from course_lib.support.contracts import COUNT, OneOf, ParameterError, checked_numbers, shown


@dataclass(frozen=True)
class Attribute:
    """A yes-or-no question about a row of the survey, and why the cut is where it is.

    The cuts come from the questionnaire and from round numbers, never from the rows: a cut at the
    data's median would be an answer that costs privacy.
    """

    holds: Callable
    reason: str


ATTRIBUTES = {
    "visit": Attribute(
        lambda row: row["mdvis"] >= 1,
        "saw a doctor at all: the first thing the experiment asks of a plan",
    ),
    "frequent": Attribute(
        lambda row: row["mdvis"] >= 5,
        "five or more visits in the year: a round number for heavy use",
    ),
    "free": Attribute(
        lambda row: coinsurance(row) == 0,
        "a plan without coinsurance: the arm that all others are compared with",
    ),
    "deductible": Attribute(
        lambda row: row["idp"] == 1,
        "a plan with an individual deductible: recorded as 0 or 1",
    ),
    "incentive": Attribute(
        lambda row: row["lpi"] > 0,
        "paid for taking part: ln(max(1, payment)) is 0 for payments up to 1",
    ),
    "limited": Attribute(
        lambda row: row["physlm"] >= 0.5,
        "a physical limitation: recorded as 0 or 1, imputed fractions go to the nearer",
    ),
    "chronic": Attribute(
        lambda row: row["disea"] >= 10,
        "an index of chronic diseases of 10 or more: a round number",
    ),
    "excellent": Attribute(
        excellent,
        "rates the own health as excellent: the best of the four answers",
    ),
    "unwell": Attribute(
        lambda row: rated(row, "hlthf", "hlthp"),
        "rates the own health as fair or poor: the two worst of the four answers",
    ),
}

# The pictures take the first d of these.
NAMES = ["visit", "chronic", "unwell", "free", "frequent", "limited", "deductible", "incentive"]
# How many attributes each has; two queries on 64 elements are few for noise on every element.
WORKLOADS = {"2 of 64": 6, "3 marginals": 2, "7 marginals": 3, "15 marginals": 4, "127 subsets": 3}


def survey_histogram(*names):
    """The universe of these attributes and how many rows of the survey each element has."""
    for name in names:
        if not isinstance(name, str) or name not in ATTRIBUTES:
            raise ParameterError(f"names must be among {', '.join(ATTRIBUTES)}, got {shown(name)}")
    universe = Universe(names)
    survey = load_survey()
    return universe, universe.histogram({name: ATTRIBUTES[name].holds(survey) for name in names})


@checked_numbers(attributes=replace(COUNT, most=len(NAMES)))
@functools.lru_cache(maxsize=8)
def survey_marginals(attributes):
    """Universe, histogram and all marginals of the survey's first attributes, those of NAMES."""
    universe, histogram = survey_histogram(*NAMES[:attributes])
    return universe, histogram, marginals(universe)


@checked_numbers(name=OneOf(WORKLOADS))
def workload(name):
    """Histogram and queries for a name of WORKLOADS, on the survey's first attributes.

    A subset of the universe and its complement are off by the same, so 127 stand for all. “2 of 64”
    asks for the first two attributes, each by itself, in a universe of six.
    """
    universe, histogram, queries = survey_marginals(WORKLOADS[name])
    if name == "2 of 64":
        return histogram, LinearQueries(queries.names[:2], queries.rows[:2])
    return histogram, all_predicates(universe) if "subsets" in name else queries


def _check_drawn(n):
    if n >= 2**63:
        raise ParameterError(f"n must be less than 2**63 here, got {shown(n)}")


@checked_numbers
def scaled(histogram, *, n):
    """A database of n whole rows with these proportions: the largest remainders are rounded up."""
    if np.ndim(histogram) != 1:
        raise ParameterError(f"histogram must be one database, got {shown(histogram)}")
    check_rows(histogram)
    _check_drawn(n)
    shares = np.array([int(count) for count in histogram], dtype=object)  # exact, however many
    rows, remainders = shares * n // shares.sum(), shares * n % shares.sum()
    missing = n - rows.sum()
    rows[np.argsort(-remainders, kind="stable")[:missing]] += 1
    return rows.astype(int)


def scaled_survey(attributes, *, n):
    """The histogram of a database of n rows with the proportions of survey_marginals."""
    return scaled(survey_marginals(attributes)[1], n=n)


@checked_numbers
def uneven_histogram(universe: Universe, *, n, rng):
    """n random rows from a law in which the element of rank r has weight 1/r, in random order."""
    _check_drawn(n)
    ranks = 1 + rng.permutation(len(universe))
    law = 1 / ranks
    return rng.multinomial(n, law / law.sum())
