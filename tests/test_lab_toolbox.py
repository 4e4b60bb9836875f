"""The toolbox measured, against densities, exact laws and closed forms."""

import math

import numpy as np
import pytest
from scipy.stats import laplace

from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.data import health_queries, load_survey
from course_lib.lab.toolbox import (
    FACTS,
    MOST_RUNS,
    choices,
    counts_around,
    measured_log_ratios,
    neighbouring_counts,
    released_histograms,
    unit_noise,
)
from course_lib.support.contracts import ParameterError
from course_lib.toolbox import exponential_mechanism_law


def test_four_facts_leave_one_row_and_two_counts_tell_its_health():
    poor, facts = 0, [0, 0, 0, 0]
    for row in load_survey():  # row by row, without the functions that demos and queries use
        is_poor = row["hlthp"] == 1
        known = [abs(row["lncoins"] - math.log(96)) < 1e-3, row["physlm"] == 1, row["mdvis"] >= 10]
        known.append(row["mdvis"] == 19)
        fits = [all(known[:k]) for k in (1, 2, 3, 4)]
        poor += is_poor
        facts = [np.add(f, (fit, fit and is_poor)) for f, fit in zip(facts, fits, strict=True)]
    expected = [(fit, poor, poor - of_them) for fit, of_them in facts]
    assert [counts_around(k) for k in range(1, len(FACTS) + 1)] == expected
    assert expected[-1] == (1, 302, 301)
    with pytest.raises(ParameterError, match="known must be at most 4 in size, got 5"):
        counts_around(5)


def test_the_second_database_lacks_one_row_that_the_query_counts():
    survey, names = load_survey(), set()
    for seed in range(20):
        name, row, (count, without) = neighbouring_counts(seed)
        (query,) = (query for query in health_queries() if query.name == name)
        assert query.includes(survey[row : row + 1])[0]
        assert (count, without) == (query(survey), query(survey) - 1)
        names.add(name)
    assert len(names) > 5


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
@pytest.mark.parametrize("runs", [1_000, MOST_RUNS])
def test_bins_hold_what_the_laplace_law_gives_them(runs, epsilon):
    """24 bins for each count, together at 99.9%; power: a scale off by 5% moves the middle ones."""
    found = released_histograms((50, 49), width=0.5, reach=6, runs=runs, epsilon=epsilon, seed=3)
    edges = 50 + np.arange(-6, 6.1, 0.5)
    for histogram, count in zip(found, (50, 49), strict=True):
        low, high = clopper_pearson(histogram, runs, confidence=1 - 0.001 / 48)
        rate = np.diff(laplace.cdf(edges, count, 1 / epsilon))
        assert ((low <= rate) & (rate <= high)).all()


def test_log_ratios_of_bins_have_intervals_that_hold_at_once():
    first, second = np.array([0, 9, 30, 0, 7]), np.array([40, 0, 10, 20, 3])
    ratio, low, high = measured_log_ratios(first, second)
    assert ratio.tolist()[0] == -math.inf and np.isnan([ratio[1], low[1], high[1]]).all()
    assert ratio[2] == pytest.approx(math.log(3)) and ratio[4] == pytest.approx(math.log(7 / 3))
    ends = [np.array(x) for x in clopper_pearson(30, 40, confidence=0.99)]  # five bins
    assert [low[2], high[2]] == pytest.approx([math.log(x / (1 - x)) for x in ends])
    assert low[0] == low[3] == -9 and high[0] < high[3] < 0
    _, other_low, other_high = measured_log_ratios(second, first)
    assert other_high[0] == other_high[3] == 9 and other_low[0] == pytest.approx(-high[0])


def test_noise_of_two_counts_is_not_the_same():
    first, second = released_histograms((5, 5), width=1, reach=4, runs=100, epsilon=1.0, seed=0)
    assert first.tolist() != second.tolist()


def test_unit_noise_is_laplace_and_the_seed_decides():
    noise = unit_noise(9, seed=4)
    assert noise.tolist() == np.random.default_rng(4).laplace(size=9).tolist()
    assert unit_noise(3, seed=4).tolist() == noise[:3].tolist() != unit_noise(3, seed=5).tolist()


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_choices_of_the_exponential_mechanism_follow_its_law(epsilon):
    """Four candidates, together at 99.9%; power: Gumbel noise of half the scale."""
    utilities = np.array([870.0, 869, 860, 705])
    times, _ = choices(utilities, trials=5_000, epsilon=epsilon, seed=0)
    law = exponential_mechanism_law(utilities, epsilon=epsilon)
    low, high = clopper_pearson(times, 5_000, confidence=1 - 0.001 / 4)
    assert times.sum() == 5_000 and ((low <= law) & (law <= high)).all()


@pytest.mark.parametrize("gap", [0.0, 1.0, 3.0])
def test_noisy_max_confuses_two_candidates_as_a_difference_of_laplace_variables_does(gap):
    """Pr[X - Y > g] = e^(-g/b) (1/2 + g/4b), b = 2/ε; power: b wrong by 10% at g = 3."""
    _, times = choices(np.array([gap, 0.0]), trials=20_000, epsilon=1.5, seed=1)
    low, high = clopper_pearson(times[1], 20_000, confidence=0.999)
    b = 2 / 1.5
    assert low <= math.exp(-gap / b) * (0.5 + gap / (4 * b)) <= high
