"""The figures of notebook 00: what they draw is what their sentences and the toolbox say."""

import functools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import laplace

from course_lib.demos import start_here
from course_lib.demos.explore import explore, sweep
from course_lib.exact.composition import exact_composition_delta
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.toolbox import neighbouring_counts
from course_lib.support.contracts import ParameterError
from course_lib.toolbox import exponential_mechanism_law

FIGURES = [
    start_here.neighbours,
    start_here.laplace_noise,
    start_here.composition,
    start_here.private_choice,
]


@functools.cache
def started(figure):
    return explore(figure)


def show(figure, **parameters):
    """The figure at these parameters, the others at their start; one panel serves all tests."""
    panel = started(figure)
    return panel.set(**panel.start | parameters)


def drawn(panel, label, axes=0):
    """The line with this label, as (x, y)."""
    lines = panel.figure.axes[axes].lines
    (line,) = (line for line in lines if line.get_label() == label)
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.__name__)
def test_every_slider_changes_the_picture(figure, capsys):
    sweep(show(figure))
    assert figure.__name__ in capsys.readouterr().out


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
def test_the_densities_are_those_of_the_laplace_mechanism(epsilon):
    panel = show(start_here.neighbours, epsilon=epsilon)
    for label, count in zip(("with the row", "without it"), neighbouring_counts(0)[2], strict=True):
        x, y = drawn(panel, label)
        assert y == pytest.approx(laplace.pdf(x, loc=count, scale=1 / epsilon))


def test_the_log_ratio_is_that_of_the_densities_and_reaches_epsilon():
    panel = show(start_here.neighbours, epsilon=0.7)
    count, without = neighbouring_counts(0)[2]
    line = panel.figure.axes[1].lines[1]
    ratio = laplace.logpdf(line.get_xdata(), count, 1 / 0.7)
    ratio -= laplace.logpdf(line.get_xdata(), without, 1 / 0.7)
    assert line.get_ydata() == pytest.approx(ratio)
    assert np.nanmax(drawn(panel, "±ε", axes=1)[1]) == pytest.approx(ratio.max())


def test_the_measured_densities_agree_with_the_exact_ones():
    # 40 bins, together at 99.9%; power: a noise scale wrong by 5% moves the middle bins out
    panel = show(start_here.neighbours, runs=100_000)
    count = neighbouring_counts(0)[2][0]
    middles, density = drawn(panel, "measured")
    hits = np.nan_to_num(density * 100_000 * 0.5).round().astype(int)
    low, high = clopper_pearson(hits, 100_000, confidence=1 - 0.001 / 40)
    edges = [laplace.cdf(middles + side, count, 1) for side in (-0.25, 0.25)]
    rate = edges[1] - edges[0]
    assert ((low <= rate) & (rate <= high)).all()


def test_noise_is_the_same_at_every_epsilon_but_for_its_scale():
    panel = show(start_here.laplace_noise, epsilon=1.0, seed=3)
    truth = drawn(panel, "true")[0]
    noise = drawn(panel, "released")[0] - truth
    coarser = drawn(panel.set(epsilon=0.5), "released")[0] - truth
    assert coarser == pytest.approx(2 * noise)


def test_the_bar_of_a_count_reaches_ln_20_over_epsilon_to_each_side():
    panel = show(start_here.laplace_noise, epsilon=0.1)
    bars = panel.figure.axes[0].collections[0].get_segments()
    truth = drawn(panel, "true")[0]
    ends = np.array([bar[:, 0] for bar in bars]).T - truth
    assert ends == pytest.approx(np.outer([-1, 1], np.full(10, 10 * math.log(20))))


def test_the_curves_of_composition_are_the_theorems_the_exact_total_and_the_budget():
    panel = show(start_here.composition, epsilon=0.1, budget=3.0, delta=1e-3)
    runs, exact = drawn(panel, "exact")
    total = {
        "basic composition": 0.1 * runs,
        "advanced composition": 0.1 * np.sqrt(2 * runs * np.log(1e3)) + 0.1 * runs * np.expm1(0.1),
        "budget": [3, 3],
    }
    for label, expected in total.items():
        assert drawn(panel, label)[1] == pytest.approx(expected)
        assert label == "budget" or drawn(panel, label)[0] == pytest.approx(runs)
    few = (runs > 10) & (runs < 100)
    spent = exact_composition_delta(runs=runs[few], total=exact[few], epsilon=0.1)
    assert few.any() and spent == pytest.approx(np.full(few.sum(), 1e-3))


def test_the_sentence_on_composition_gives_the_points_on_the_budget_line():
    panel = show(start_here.composition, epsilon=0.01)
    ends = panel.figure.axes[0].lines[-1]
    assert list(ends.get_xdata()) == [100, 337, 562]
    for number in (100, 337, 562):
        assert f"{number} by" in panel.sentence


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_the_measured_choices_follow_the_exponential_law(epsilon):
    # 6 candidates, together at 99.9%; power: Gumbel noise of half the scale
    panel = show(start_here.private_choice, epsilon=epsilon)
    shares, _ = drawn(panel, "measured")
    law = exponential_mechanism_law([870, 869, 860, 858, 785, 705], epsilon=epsilon)
    hits = (shares * start_here.CHOICES).round().astype(int)
    low, high = clopper_pearson(hits, start_here.CHOICES, confidence=1 - 0.001 / 6)
    assert ((low <= law) & (law <= high)).all()
    exact = panel.figure.axes[0].collections[0].get_segments()
    assert [bar[0, 0] for bar in exact] == pytest.approx(law)


def test_noisy_max_confuses_two_groups_as_a_difference_of_laplace_variables_does():
    # at epsilon = 3 only the first two groups matter: Pr[X - Y > g] = e^(-g/b) (1/2 + g/4b)
    panel = show(start_here.private_choice, epsilon=3.0)
    shares, _ = drawn(panel, "noisy max: measured")
    hits = round(shares[1] * start_here.CHOICES)
    low, high = clopper_pearson(hits, start_here.CHOICES, confidence=0.999)
    assert low <= math.exp(-1.5) * (0.5 + 1.5 / 4) <= high


def test_the_line_of_the_utility_theorem_lies_below_the_groups_within_the_shortfall():
    panel = show(start_here.private_choice, epsilon=0.1)
    # (2 / 0.1) (ln 6 + ln 20) = 95.7, and only the group of 705 is further below 870
    assert drawn(panel, "below: at most 5%")[1].tolist() == [0.5, 0.5]
    assert "95.7" in panel.sentence


def test_where_the_utility_theorem_says_nothing_the_sentence_says_so_and_no_line_is_drawn():
    panel = show(start_here.private_choice, epsilon=0.01)
    assert np.isnan(drawn(panel, "below: at most 5%")[1]).all()
    assert "says nothing" in panel.sentence


def test_an_impossible_value_is_refused_by_name():
    with pytest.raises(ParameterError, match="epsilon"):
        explore(start_here.composition, epsilon="much")
    panel = explore(start_here.composition, epsilon=-1.0)
    assert "epsilon must be" in panel.sentence


def test_the_table_of_notebooks_links_to_those_that_are_there():
    folder = Path(__file__).resolve().parent.parent / "notebooks"
    text = (folder / "00_start_here.ipynb").read_text(encoding="utf8")
    linked = set(re.findall(r"\]\((\d\d_\w+\.ipynb)\)", text))
    there = {path.name for path in folder.glob("*.ipynb")} - {"00_start_here.ipynb"}
    assert linked == there
