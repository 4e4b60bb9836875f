"""The survey's attributes against its raw columns; scaled databases; generators by their laws."""

import collections
import functools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, ncx2

from course_lib.lab.data import health_queries, load_survey
from course_lib.lab.histograms import (
    ATTRIBUTES,
    NAMES,
    WORKLOADS,
    scaled,
    scaled_survey,
    survey_histogram,
    survey_marginals,
    uneven_histogram,
    workload,
)
from course_lib.linear_queries import Universe, counts, marginals
from course_lib.support.contracts import ParameterError

# The same cuts on the raw columns. Without coinsurance lncoins is ln 1 = 0, else at least ln 26.
RAW = {
    "visit": ("mdvis", lambda v: v > 0.5),
    "frequent": ("mdvis", lambda v: v > 4.5),
    "free": ("lncoins", lambda v: v < 1.5),
    "deductible": ("idp", lambda v: v == 1),
    "incentive": ("lpi", lambda v: v != 0),
    "limited": ("physlm", lambda v: v > 0.49999),
    "chronic": ("disea", lambda v: v > 9.99999),
}


@functools.cache
def raw_bits(name):
    """0 or 1 for every row of the survey, without the library's own cuts."""
    survey = load_survey()
    if name in RAW:
        column, holds = RAW[name]
        return [int(holds(value)) for value in survey[column].tolist()]
    ratings = zip(*(survey[r].tolist() for r in ("hlthg", "hlthf", "hlthp")), strict=True)
    if name == "unwell":
        return [int(fair + poor > 0) for _, fair, poor in ratings]
    return [int(rating == (0, 0, 0)) for rating in ratings]


def test_there_are_at_least_eight_attributes_each_with_its_reason():
    assert len(ATTRIBUTES) >= 8
    reasons = [attribute.reason for attribute in ATTRIBUTES.values()]
    assert len(set(reasons)) == len(reasons) and all(len(reason) > 20 for reason in reasons)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_is_yes_or_no_on_every_row_and_both_occur(name):
    survey = load_survey()
    column = ATTRIBUTES[name].holds(survey)
    assert column.shape == survey.shape and set(column.tolist()) == {False, True}
    assert column.tolist() == raw_bits(name)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_is_a_question_about_one_row_alone(name):
    survey = load_survey()[::997]
    together = ATTRIBUTES[name].holds(survey)
    alone = [bool(ATTRIBUTES[name].holds(row)) for row in survey]
    assert alone == together.tolist()


@pytest.mark.parametrize(
    "name, column, below, border",
    [
        ("visit", "mdvis", 0, 1),
        ("frequent", "mdvis", 4, 5),
        ("deductible", "idp", 0, 1),
        ("incentive", "lpi", 0, 1e-4),  # the smallest that four decimals can say
        ("limited", "physlm", 0.4999, 0.5),
        ("chronic", "disea", 9.9999, 10),
        ("unwell", "hlthf", 0, 1),
        ("unwell", "hlthp", 0, 1),
    ],
)
def test_the_border_itself_belongs_to_yes(name, column, below, border):
    """On rows that the survey need not have."""
    rows = np.zeros(2, dtype=load_survey().dtype)
    rows[column] = below, border
    assert ATTRIBUTES[name].holds(rows).tolist() == [False, True]


def test_counts_that_have_a_query_of_their_own_agree_with_it():
    survey, asked = load_survey(), {query.name: query for query in health_queries()}
    for name, same in (("frequent", "5 or more visits"), ("excellent", "excellent health")):
        assert sum(raw_bits(name)) == asked[same](survey)
    assert sum(raw_bits("visit")) == len(survey) - asked["no visit"](survey)


@pytest.mark.parametrize(
    "names", [("visit",), ("free", "visit"), ("visit", "chronic", "unwell"), tuple(ATTRIBUTES)]
)
def test_the_survey_as_a_histogram_counts_its_rows(names):
    universe, histogram = survey_histogram(*names)
    assert universe == Universe(names) and histogram.sum() == 20_190
    rows = collections.Counter(zip(*map(raw_bits, names), strict=True))
    words = ["".join(map(str, row)) for row in rows]
    table = dict(zip(universe.elements, histogram.tolist(), strict=True))
    assert {word: table[word] for word in words} == dict(zip(words, rows.values(), strict=True))
    single = counts(histogram, marginals(universe, order=1))
    assert single.tolist() == [sum(raw_bits(name)) for name in names]


def test_an_attribute_that_is_none_is_refused_with_the_list():
    with pytest.raises(ParameterError, match="names must be among visit, .*, got 'smokes'"):
        survey_histogram("visit", "smokes")
    with pytest.raises(ParameterError, match="names must be one or more different names"):
        survey_histogram("visit", "visit")
    with pytest.raises(ParameterError, match="names must be one or more different names"):
        survey_histogram()


histograms = st.lists(st.integers(0, 10**6), min_size=1, max_size=16).filter(any)


@given(histograms, st.integers(1, 10**15))
def test_a_scaled_database_has_n_rows_each_within_1_of_its_share(histogram, n):
    """And the largest remainders are rounded up: no element that is has a smaller one than one
    that is not."""
    rows = scaled(histogram, n=n)
    assert rows.dtype.kind == "i" and sum(rows.tolist()) == n
    shares = [Fraction(count * n, sum(histogram)) for count in histogram]
    lost = [share - row for share, row in zip(shares, rows.tolist(), strict=True)]
    assert all(abs(each) < 1 for each in lost)
    up = [1 + each for each in lost if each < 0]
    down = [each for each in lost if each >= 0]
    assert not up or not down or min(up) >= max(down)


@given(histograms, st.integers(1, 1000), st.integers(1, 10**6))
def test_proportions_decide_and_multiples_are_exact(histogram, k, n):
    histogram = np.array(histogram)
    assert scaled(histogram, n=k * histogram.sum()).tolist() == (k * histogram).tolist()
    assert scaled(k * histogram, n=histogram.sum()).tolist() == histogram.tolist()
    assert scaled(k * histogram, n=n).tolist() == scaled(histogram, n=n).tolist()


def test_of_equal_remainders_the_first_are_rounded_up():
    assert scaled([1, 1, 1, 1], n=2).tolist() == [1, 1, 0, 0]
    assert scaled([1, 4, 1], n=2).tolist() == [1, 1, 0]  # 1/3, 4/3, 1/3
    assert scaled([2, 1, 0], n=2.0).tolist() == [1, 1, 0]  # 4/3, 2/3


@pytest.mark.parametrize(
    "histogram, n, message",
    [
        ([0, 0], 5, "histogram must have at least one row"),
        ([0.5, 0.5], 5, "histogram must be a whole number"),
        ([1, -1], 5, "histogram must be a whole number"),
        ([1, 2], 0, "n must be a whole number, 1 or greater"),
        ([1, 2], 1.5, "n must be a whole number, 1 or greater"),
        ([1, 2], 2**63, r"n must be less than 2\*\*63 here, got 9223372036854775808"),
    ],
)
def test_what_cannot_be_scaled_is_refused(histogram, n, message):
    with pytest.raises(ParameterError, match=message):
        scaled(histogram, n=n)


def test_as_many_rows_as_64_bits_can_count_are_scaled():
    third = (2**63 - 1) // 3
    assert scaled([1, 2], n=2**63 - 1).tolist() == [third, 2 * third + 1]


def chi_square(seen, law):
    expected = seen.sum() * np.asarray(law)
    return np.sum((seen - expected) ** 2 / expected)


def power(law, other, n, level=0.001):
    """The chance that a chi-square test of `law` at this level refuses n rows of another law."""
    law, other = np.asarray(law), np.asarray(other)
    shift = n * np.sum((other - law) ** 2 / law)
    return ncx2.sf(chi2.isf(level, len(law) - 1), len(law) - 1, shift)


def test_uneven_databases_have_weights_1_over_rank():
    """n = 10^5 rows over 8 elements, largest first: far enough apart to know the ranks.

    Chi-square at 0.1%; power above 99.9% against equal weights and against 1/(rank + 1).
    """
    n, ranks = 10**5, np.arange(1, 9)
    right = 1 / ranks / sum(1 / ranks)
    for other in (np.full(8, 1 / 8), 1 / (1 + ranks) / sum(1 / (1 + ranks))):
        assert power(right, other, n) > 0.999
    rng = np.random.default_rng(2024)
    rows = uneven_histogram(Universe(("a", "b", "c")), n=n, rng=rng)
    assert rows.sum() == n
    assert chi_square(np.sort(rows)[::-1], right) < chi2.isf(0.001, 7)


def test_which_element_is_the_most_frequent_is_uniform():
    """800 databases over 4 elements; power above 99.9% against an order that is always the same."""
    universe, rng = Universe(("a", "b")), np.random.default_rng(2024)
    first = [int(np.argmax(uneven_histogram(universe, n=10**4, rng=rng))) for _ in range(800)]
    assert power([0.25] * 4, [1, 0, 0, 0], 800) > 0.999
    assert chi_square(np.bincount(first, minlength=4), [0.25] * 4) < chi2.isf(0.001, 3)


def test_random_rows_need_a_number_and_a_generator():
    universe = Universe(("a", "b"))
    with pytest.raises(ParameterError, match="n must be a whole number, 1 or greater, got 0"):
        uneven_histogram(universe, n=0, rng=np.random.default_rng(0))
    with pytest.raises(ParameterError, match="rng must be a numpy.random.Generator"):
        uneven_histogram(universe, n=5, rng=None)


@pytest.mark.parametrize("attributes", [1, 3, 8])
def test_the_survey_s_first_attributes_with_all_marginals(attributes):
    names = "visit chronic unwell free frequent limited deductible incentive"
    assert " ".join(NAMES) == names and set(NAMES) < set(ATTRIBUTES)
    universe, histogram, queries = survey_marginals(attributes)
    assert universe.names == tuple(NAMES[:attributes])
    assert histogram.tolist() == survey_histogram(*NAMES[:attributes])[1].tolist()
    assert queries.names == marginals(universe).names and len(queries) == 2**attributes - 1
    assert scaled_survey(attributes, n=77).tolist() == scaled(histogram, n=77).tolist()


@pytest.mark.parametrize("attributes", [0, 9, 1.5, "3", [], None])
def test_there_are_marginals_for_one_to_eight_attributes(attributes):
    with pytest.raises(
        ParameterError, match="attributes must (be a whole|be at most 8|not be empty)"
    ):
        survey_marginals(attributes)


@pytest.mark.parametrize(
    "name, elements, number",
    [
        ("2 of 64", 64, 2),
        ("3 marginals", 4, 3),
        ("7 marginals", 8, 7),
        ("15 marginals", 16, 15),
        ("127 subsets", 8, 127),
    ],
)
def test_a_workload_has_as_many_queries_and_elements_as_its_name_says(name, elements, number):
    histogram, queries = workload(name)
    assert histogram.shape == (elements,) and histogram.sum() == 20_190
    assert np.shape(queries) == (number, elements) and len(np.unique(queries, axis=0)) == number
    assert name in WORKLOADS and len(WORKLOADS) == 5


def test_two_of_64_ask_for_visit_and_chronic():
    histogram, queries = workload("2 of 64")
    assert counts(histogram, queries).tolist() == [
        sum(raw_bits("visit")),
        sum(raw_bits("chronic")),
    ]
    for name in ("8 marginals", [], None):
        with pytest.raises(ParameterError, match="name must be '2 of 64' or '3 marginals'"):
            workload(name)
