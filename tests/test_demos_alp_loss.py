"""What the picture of notebook 08 on privacy shows, against outputs that are listed one by one."""

import itertools
import math

import numpy as np
import pytest

from course_lib.demos.alp import embedding_bits
from course_lib.demos.alp_loss import BUDGETS, privacy_spent
from course_lib.demos.alp_walk import walk_of_estimate
from course_lib.demos.explore import about, explore, sweep
from tests.test_demos_online_ic import check_room
from tests.test_exact_alp import loss_by_hand


def closed_form(entries, alpha, scale):
    whole = math.floor(scale / entries / alpha)
    return entries * math.log((1 + alpha) ** whole * (1 + scale / entries - alpha * whole))


def drawn(panel):
    (axes,) = panel.figure.axes
    return {line.get_label(): np.asarray(line.get_data()) for line in axes.get_lines()}


@pytest.mark.parametrize(
    ("entries", "alpha"), [(1, 3.0), (1, 0.5), (2, 3.0), (2, 0.7), (4, 8.0), (4, 0.5)]
)
def test_circles_are_the_largest_log_ratio_over_all_outputs(entries, alpha):
    x, y = drawn(explore(privacy_spent, entries=entries, alpha=alpha))["by enumeration"]
    assert list(x) == list(BUDGETS) and not np.isnan(y).any()
    expected = [loss_by_hand(entries, alpha, budget) for budget in x[::2]]
    np.testing.assert_allclose(y[::2], expected, rtol=1e-9)


@pytest.mark.parametrize("entries", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("alpha", [0.25, 1.0, 3.0, 8.0])
def test_the_curve_is_the_closed_form_and_goes_through_the_circles(entries, alpha):
    picture = drawn(explore(privacy_spent, entries=entries, alpha=alpha))
    x, y = picture["exact, closed form"]
    np.testing.assert_allclose(y, [closed_form(entries, alpha, budget) for budget in x], rtol=1e-9)
    assert (y <= x * (1 + 1e-12)).all() and x[-1] == 4
    x, y = picture["by enumeration"]
    bits = [entries * math.ceil(budget / entries / alpha) for budget in x]
    listed = np.array([b <= 12 and entries <= 4 for b in bits])
    assert (np.isnan(y) == ~listed).all()
    np.testing.assert_allclose(
        y[listed], [closed_form(entries, alpha, budget) for budget in x[listed]], rtol=1e-9
    )


def marks(panel):
    picture = drawn(panel)
    return [picture[name][:, 0] for name in ("the paper’s scale ε", "the histogram’s scale")]


@pytest.mark.parametrize(
    ("epsilon", "alpha", "scale"),
    [(1.0, 3.0, math.e - 1), (0.5, 8.0, math.exp(0.5) - 1), (2.0, 3.0, 3 + math.e**2 / 4 - 1)],
)
def test_the_histogram_s_scale_costs_all_of_epsilon_in_one_entry(epsilon, alpha, scale):
    panel = explore(privacy_spent, epsilon=epsilon, alpha=alpha, entries=1)
    paper, histogram = marks(panel)
    assert loss_by_hand(1, alpha, scale) == pytest.approx(epsilon, rel=1e-12)
    np.testing.assert_allclose(histogram, [epsilon, epsilon], rtol=1e-12)
    np.testing.assert_allclose(paper, [epsilon, loss_by_hand(1, alpha, epsilon)], rtol=1e-12)
    assert f"The histogram’s scale, {about(scale / epsilon)}·ε, costs" in panel.sentence
    assert panel.sentence.endswith(
        f"divides bounds on expected errors by {about(scale / epsilon)}."
    )


def test_in_several_entries_the_histogram_s_scale_costs_more_than_epsilon():
    panel = explore(privacy_spent)
    choices = privacy_spent.demo.choices
    for epsilon, alpha, entries in itertools.product(*choices.values()):
        sentence = panel._update(epsilon=epsilon, alpha=alpha, entries=entries)
        paper, histogram = marks(panel)
        assert paper[1] <= epsilon * (1 + 1e-12)
        assert histogram[1] < panel.figure.axes[0].get_ylim()[1]
        assert ("more than ε" in sentence) == (entries > 1)
        assert (histogram[1] > epsilon * (1 + 1e-9)) == (entries > 1)
        if entries > 1:
            beyond = float(sentence.split("% more than ε")[0].split(", ")[-1])
            assert beyond > 0
            assert beyond == pytest.approx(100 * (histogram[1] / epsilon - 1), rel=0.006)
        assert ("Too many outputs" in sentence) == (entries > 4)


def test_the_enumeration_sees_the_histogram_s_scale_break_the_promise():
    panel = explore(privacy_spent, epsilon=1, alpha=3, entries=2)
    _, histogram = marks(panel)
    assert histogram[1] == pytest.approx(loss_by_hand(2, 3.0, math.e - 1), rel=1e-12)
    assert f"here it costs {about(histogram[1])}, 24% more than ε" in panel.sentence


def test_what_the_text_quotes():
    sentence = explore(privacy_spent, epsilon=1, alpha=3, entries=1).sentence
    assert f"costs {about(math.log(2))} with the paper’s scale, 69.3% of the promise" in sentence
    assert "0.693" not in explore(privacy_spent).sentence  # to be predicted


def test_every_walk_stays_inside_the_axes():
    panel = explore(walk_of_estimate, step=23)
    for alpha, epsilon, value in itertools.product((2.0, 6.0), (0.3, 1.5), (0, 12, 30)):
        panel._update(**panel.start | {"alpha": alpha, "epsilon": epsilon, "value": value})
        for axes in panel.figure.axes:
            right, top = axes.get_xlim()[1], axes.get_ylim()[1]
            for line in axes.get_lines():
                x, y = line.get_data()
                assert np.nanmax(x, initial=0) <= max(1, right)
                assert np.nanmax(np.abs(y), initial=0) <= top
            for segment in axes.collections:
                assert max(end[1] for _, end in segment.get_segments()) <= top


@pytest.mark.parametrize("figure", [embedding_bits, walk_of_estimate, privacy_spent])
def test_all_fits_and_every_slider_changes_the_picture(figure, capsys):
    check_room(figure)
    sweep(explore(figure))
