"""The survey's profiles, counted again from the raw columns in plain Python."""

import collections
import math

import numpy as np
import pytest

from course_lib.lab import profiles
from course_lib.lab.data import load_survey
from course_lib.lab.profiles import CODES, profile_sample, scattered, survey_profiles
from course_lib.support.contracts import ParameterError

NAMES = list(CODES)
SIZES = dict(
    health=4, plan=5, deductible=2, limited=2, chronic=100, visits=367, payment=10_000
)  # public: from the questionnaire and the calendar, not from the rows


def raw_code(name, row):
    """The code of one row: lncoins is ln(coinsurance + 1), lpi the logarithm of the payment."""
    if name == "health":
        return [0, 1, 2, 3][int(row["hlthg"] + 2 * row["hlthf"] + 3 * row["hlthp"])]
    if name == "plan":
        return [0, 25, 50, 95, 100].index(round(math.exp(row["lncoins"]) - 1))
    if name == "deductible":
        return 1 if row["idp"] == 1 else 0
    if name == "limited":
        return 1 if row["physlm"] >= 0.5 else 0
    if name == "chronic":
        return round(row["disea"])
    if name == "visits":
        return int(row["mdvis"])
    return round(math.exp(row["lpi"]))


def rows():
    survey = load_survey()
    for row in survey:
        yield {name: float(row[name]) for name in survey.dtype.names}


@pytest.fixture(scope="module")
def codes():
    return [[raw_code(name, row) for name in NAMES] for row in rows()]


def test_every_code_stays_below_its_public_size(codes):
    assert {name: code.size for name, code in CODES.items()} == SIZES
    for name, column in zip(NAMES, zip(*codes, strict=True), strict=True):
        assert 0 <= min(column) and max(column) < SIZES[name]
        assert CODES[name].reason


@pytest.mark.parametrize(
    ("number", "dimension", "entries", "largest"),
    [(5, 8000, 517, 709), (6, 2_936_000, 3433, 170), (7, 29_360_000_000, 8374, 105)],
)
def test_profiles_are_counted(codes, number, dimension, entries, largest):
    names = NAMES[:number]
    indices, counts, found = survey_profiles(*names)
    plain = collections.Counter()
    for row in codes:
        index = 0
        for name, code in zip(names, row, strict=False):
            index = index * SIZES[name] + code
        plain[index] += 1
    assert dict(zip(indices.tolist(), counts.tolist(), strict=True)) == plain
    assert (found, len(indices), counts.max()) == (dimension, entries, largest)
    assert counts.sum() == len(codes) and indices.dtype.kind == "i"
    assert (np.diff(indices) > 0).all() and indices.max() < dimension


def test_the_order_of_names_is_the_order_of_digits(codes):
    indices, counts, dimension = survey_profiles("visits", "deductible")
    at = NAMES.index("visits"), NAMES.index("deductible")
    plain = collections.Counter(2 * row[at[0]] + row[at[1]] for row in codes)
    assert dict(zip(indices.tolist(), counts.tolist(), strict=True)) == plain
    assert dimension == 734


def test_codes_at_their_borders():
    """Half a limitation counts; a half of a disease is rounded, and a payment to a dollar."""
    limited = CODES["limited"].number({"physlm": np.array([0.0, 0.4999, 0.5, 0.6, 1.0])})
    assert limited.tolist() == [False, False, True, True, True]
    assert CODES["chronic"].number({"disea": np.array([10.4, 10.6])}).tolist() == [10, 11]
    assert CODES["payment"].number({"lpi": np.log([450.4, 450.6])}).tolist() == [450, 451]


def test_the_answers_on_health_are_the_codes_0_to_3():
    good, fair, poor = np.eye(4, dtype=np.uint8)[1:]  # of four rows, the first in excellent health
    found = CODES["health"].number({"hlthg": good, "hlthf": fair, "hlthp": poor})
    assert found.tolist() == [0, 1, 2, 3]


def test_the_last_code_stands_for_all_that_is_larger(monkeypatch):
    survey = np.zeros(3, load_survey().dtype)
    survey["disea"], survey["lpi"] = [98, 99, 150], np.log([9998, 9999, 20_000])
    monkeypatch.setattr(profiles, "load_survey", lambda: survey)
    for name, last in (("chronic", 99), ("payment", 9999)):
        indices, counts, _ = survey_profiles(name)
        assert (indices.tolist(), counts.tolist()) == ([last - 1, last], [1, 2])


def test_an_unknown_or_repeated_name_is_refused():
    with pytest.raises(ParameterError, match="names must be distinct, got plan, plan"):
        survey_profiles("plan", "plan")
    with pytest.raises(ParameterError, match="names must be among health, plan, .*, got 'age'"):
        survey_profiles("plan", "age")


@pytest.mark.parametrize(("codes", "looked_up"), [(5, 517), (6, 2000), (7, 2000)])
def test_some_entries_and_zeros_are_looked_up(codes, looked_up):
    (indices, counts, dimension), (places, found), zeros = profile_sample(codes)
    truth = dict(zip(indices.tolist(), counts.tolist(), strict=True))
    assert dimension == math.prod([*SIZES.values()][:codes])
    assert [truth[i] for i in places.tolist()] == found.tolist() and len(places) == looked_up
    assert (np.diff(places) > 0).all()
    assert len({*zeros.tolist()}) == len(zeros) == 1000 and not truth.keys() & {*zeros.tolist()}
    assert 0 <= zeros.min() and zeros.max() < dimension
    assert abs(found.mean() - counts.mean()) < 4 * counts.std() / math.sqrt(len(found))
    assert abs(zeros.mean() / dimension - 0.5) < 4 / math.sqrt(12 * 1000)


def test_dots_are_scattered_beside_their_counts():
    counts = np.repeat([0, 1, 50], 400)
    shown = scattered(counts).reshape(3, 400)
    for place, low, high in zip(shown, (-0.3, 0.8869, 44.34), (0.3, 1.1275, 56.38), strict=True):
        assert low <= place.min() < low + 0.02 * (high - low)
        assert high - 0.02 * (high - low) < place.max() <= high
