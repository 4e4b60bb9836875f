"""The health survey and its counts: what is known of them, and their sensitivity by brute force."""

import math
import re

import numpy as np
import pytest

from course_lib.lab.data import as_fractions, health_queries, health_values, load_survey


@pytest.fixture(scope="module")
def survey():
    return load_survey()


def value(name, data):
    (query,) = (query for query in health_queries() if query.name == name)
    return query(data)


def test_the_survey_has_20190_person_years_with_2_86_visits_on_average(survey):
    assert len(survey) == 20_190
    assert round(survey["mdvis"].mean(), 2) == 2.86


def test_the_coinsurance_takes_the_five_rates_of_the_experiment(survey):
    assert np.unique(np.exp(survey["lncoins"]) - 1).round(1).tolist() == [0, 25, 50, 95, 100]


def test_nobody_rates_the_own_health_twice(survey):
    ratings = survey["hlthg"] + survey["hlthf"] + survey["hlthp"]
    assert set(ratings.tolist()) == {0, 1}


def test_fmde_is_not_what_its_source_says_in_3779_rows(survey):
    assert np.count_nonzero(survey["fmde"][survey["idp"] == 1]) == 3_779


def test_the_survey_cannot_be_changed(survey):
    with pytest.raises(ValueError, match="read-only"):
        survey["mdvis"] = 0


def test_a_row_counts_0_or_1_and_a_count_is_the_sum_over_rows(survey):
    asked = [name for name in survey.dtype.names if name not in ("lpi", "fmde")]
    rows, copies = np.unique(survey[asked], return_counts=True)
    for query in health_queries():
        alone = np.array([query(rows[i : i + 1]) for i in range(len(rows))])
        assert set(alone.tolist()) == {0.0, 1.0}
        assert alone @ copies == query(survey)


def test_one_row_more_or_less_moves_no_count_by_more_than_1(survey):
    values = np.array([query(survey) for query in health_queries()])
    for row in np.random.default_rng(0).choice(len(survey), 60, replace=False):
        for neighbour in np.delete(survey, row), np.append(survey, survey[row]):
            moved = np.array([query(neighbour) for query in health_queries()]) - values
            assert np.abs(moved).max() <= 1
            assert abs(moved.sum()) == np.abs(moved).sum()  # all counts move the same way


def test_the_counts_have_different_names_and_sizes_from_tens_to_ten_thousand(survey):
    queries = health_queries()
    values = [query(survey) for query in queries]
    assert len({query.name for query in queries}) == len(queries) == 24
    assert min(values) == 90 and max(values) == 11_019


def test_the_values_are_those_of_the_queries_and_cannot_be_changed(survey):
    values = health_values()
    assert values.tolist() == [query(survey) for query in health_queries()]
    assert values[[0, 3, 7, 14]].tolist() == [90, 1156, 1560, 2387]
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 0


def says(part, row):
    """Whether one part of a query's name is true of a row, in plain Python."""
    number = next(map(int, re.findall(r"\d+", part)), None)
    rate = round(math.exp(row["lncoins"]) - 1)
    health = [name for name in ("hlthg", "hlthf", "hlthp") if row[name] == 1] or ["excellent"]
    match re.sub(r"\d+", "N", part):
        case "N or more visits":
            return row["mdvis"] in range(number, 256)
        case "no visit":
            return row["mdvis"] == 0
        case "poor health":
            return health == ["hlthp"]
        case "fair health":
            return health == ["hlthf"]
        case "poor or fair health":
            return health in (["hlthp"], ["hlthf"])
        case "excellent health":
            return health == ["excellent"]
        case "limitation":
            return row["physlm"] == 1
        case "disease index from N":
            return not row["disea"] < number
        case "no coinsurance":
            return rate == 0
        case "coinsurance":
            return rate != 0
        case "coinsurance N%":
            return rate == number
        case "deductible":
            return row["idp"] == 1


def test_every_query_counts_what_its_name_says(survey):
    """On 3,000 rows that nobody has, at the borders and beside them."""
    rng, rows = np.random.default_rng(0), np.zeros(3000, survey.dtype)
    borders = {
        "mdvis": [0, 1, *(n + more for n in (5, 10, 15, 20, 30) for more in (-1, 0, 1)), 255],
        "lncoins": np.log1p([0, 1, 24, 25, 26, 49, 50, 51, 95, 100]),
        "idp": [0, 1],
        "physlm": [0, 0.5, 1],
        "disea": [0, *(n + more for n in (20, 25, 30) for more in (-0.5, 0, 0.5, 1)), 50],
    }
    for name, values in borders.items():
        rows[name] = rng.choice(values, len(rows))
    health = rng.integers(4, size=len(rows))
    for number, name in enumerate(("hlthg", "hlthf", "hlthp"), start=1):
        rows[name] = health == number
    plain = [dict(zip(rows.dtype.names, row, strict=True)) for row in rows.tolist()]
    for query in health_queries():
        parts = query.name.split(", ")
        wanted = [all(says(part, row) for part in parts) for row in plain]
        assert query.includes(rows).tolist() == wanted and {*wanted} == {True, False}, query.name


def test_counts_that_split_a_group_add_up_to_it(survey):
    with_coinsurance = value("coinsurance, 10 or more visits", survey)
    without = value("no coinsurance, 10 or more visits", survey)
    assert with_coinsurance + without == value("10 or more visits", survey)


def test_the_four_ratings_of_health_add_up_to_everyone(survey):
    rated = value("poor health", survey) + value("fair health", survey)
    rated += survey["hlthg"].sum()
    assert rated + value("excellent health", survey) == len(survey)


@pytest.mark.parametrize(
    "larger, smaller, gap",
    [
        ("disease index from 20, limitation", "deductible, 5 or more visits", 1),
        ("disease index from 25", "fair health, no coinsurance", 2),
        ("coinsurance 25%", "5 or more visits", 26),
    ],
)
def test_some_counts_are_close_to_each_other(survey, larger, smaller, gap):
    assert value(larger, survey) - value(smaller, survey) == gap


def test_counts_as_fractions_of_the_rows(survey):
    first, last = as_fractions([health_queries()[0], health_queries()[-2]])
    assert first(survey) == np.mean(survey["mdvis"] >= 30)
    assert last(survey[:10]) == np.mean(survey["mdvis"][:10] == 0)
