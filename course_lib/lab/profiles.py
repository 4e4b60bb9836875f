"""Real data for ALP: how many rows of the survey have each profile, a sparse vector."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from course_lib.lab.data import coinsurance, load_survey
from course_lib.support.contracts import COUNT, WHOLE, ParameterError, checked_numbers, shown

_COINSURANCE = np.array([0, 25, 50, 95, 100])  # per cent, the plans of the experiment

_ENTRIES, _ZEROS = 2000, 1000  # looked up in a release


@dataclass(frozen=True)
class Code:
    """A whole number from 0 to size - 1 for each row; size - 1 stands for all that is larger.

    The size comes from the questionnaire, the calendar and round numbers, never from the rows: the
    dimension of the vector is public.
    """

    number: Callable
    size: int
    reason: str


CODES = {
    "health": Code(
        lambda row: row["hlthg"] + 2 * row["hlthf"] + 3 * row["hlthp"],
        4,
        "excellent, good, fair or poor: the four answers",
    ),
    "plan": Code(
        lambda row: np.searchsorted(_COINSURANCE, coinsurance(row)),
        5,
        "the five rates of coinsurance",
    ),
    "deductible": Code(lambda row: row["idp"], 2, "an individual deductible or none"),
    "limited": Code(lambda row: row["physlm"] >= 0.5, 2, "a physical limitation or none"),
    "chronic": Code(
        lambda row: np.rint(row["disea"]), 100, "the index of chronic diseases: two digits"
    ),
    "visits": Code(lambda row: row["mdvis"], 367, "one visit a day at most, in a leap year"),
    "payment": Code(
        lambda row: np.rint(np.exp(row["lpi"])), 10_000, "the incentive in dollars: four digits"
    ),
}


def survey_profiles(*names):
    """The profiles of these codes that rows have, how many rows have each, and the dimension.

    One row more or less changes one entry by one: the neighbours of a histogram.
    """
    for name in names:
        if not isinstance(name, str) or name not in CODES:
            raise ParameterError(f"names must be among {', '.join(CODES)}, got {shown(name)}")
    if len({*names}) < len(names):
        raise ParameterError(f"names must be distinct, got {', '.join(names)}")
    survey = load_survey()
    numbers, dimension = np.zeros(len(survey), dtype=np.int64), 1
    for name in names:
        code = CODES[name]
        own = np.minimum(code.number(survey).astype(np.int64), code.size - 1)
        numbers, dimension = numbers * code.size + own, dimension * code.size
    indices, counts = np.unique(numbers, return_counts=True)
    return indices, counts, dimension


@checked_numbers(codes=replace(COUNT, most=len(CODES)))
@functools.lru_cache(maxsize=4)
def profile_sample(codes):
    """The vector of the first codes, and what of it is looked up: 2,000 entries and 1,000 zeros.

    Fewer entries if there are fewer. The same ones always.
    """
    indices, counts, dimension = survey_profiles(*list(CODES)[:codes])
    rng = np.random.default_rng(0)
    some = np.sort(rng.permutation(len(indices))[:_ENTRIES])
    zeros = np.setdiff1d(rng.integers(dimension, size=2 * _ZEROS), indices)
    zeros = rng.permutation(zeros)[:_ZEROS]
    return (indices, counts, dimension), (indices[some], counts[some]), zeros


@checked_numbers(counts=WHOLE)
def scattered(counts):
    """The counts, a little to the left or right, so that fewer dots hide each other."""
    shift = np.random.default_rng(0).uniform(-1, 1, np.size(counts))
    return np.where(counts > 0, counts * np.exp(0.12 * shift), 0.3 * shift)
