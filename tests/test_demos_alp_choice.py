"""What the pictures of notebook 08 on choices show, against closed forms and enumeration."""

import math

import numpy as np
import pytest

from course_lib.alp import alp_loss
from course_lib.demos import alp_choice as choice
from course_lib.demos.explore import about, explore
from course_lib.lab.alp import errors_alone, errors_by_alpha
from tests.pictures import curves
from tests.test_demos_alp_error import check_all_fits
from tests.test_exact_alp import enumerated_error


@pytest.mark.parametrize(("ratio", "best"), [(30, 2.662), (5, 2.209), (3, 2.0580)])
def test_the_mark_is_the_least_bound(ratio, best):
    certain = 1 - 2 / ratio
    assert best == pytest.approx(2 / math.sqrt(1 - certain**2 / 2), rel=1e-3)
    panel = explore(choice.choice_of_alpha, value="spread", ratio=ratio, epsilon=0.5)
    shown = curves(panel.figure.axes[0])
    (alpha,), (least,) = shown["least bound"]
    assert alpha == pytest.approx(best, rel=1e-3)
    x, bound = shown["bound with collisions"]
    np.testing.assert_allclose(bound, x / 0.5 * (((x + 2) / x / certain) ** 2 - 0.5))
    assert least == pytest.approx(bound.min(), rel=1e-3) and least <= bound.min()
    assert f": the bound is least at α = {about(alpha)}: {about(least)}, Eq" in panel.sentence


def test_equation_1_and_the_bound_of_a_zero():
    panel = explore(choice.choice_of_alpha, value="spread", epsilon=0.5)
    x, printed = curves(panel.figure.axes[0])["Equation 1, no collisions"]
    np.testing.assert_allclose(printed, (x / 2 + 8 + 8 / x) / 0.5)
    assert ", Equation 1 is least at α = 4: 24. The average error" in panel.sentence
    shown = curves(panel.set(value="zero", ratio=10).figure.axes[0])
    x, printed = shown["Equation 1, no collisions"]
    np.testing.assert_allclose(printed, (8 + 8 / x) / 0.5)
    x, bound = shown["bound with collisions"]
    np.testing.assert_allclose(bound, x / 0.5 * (((x + 2) / x / 0.8) ** 2 - 1) / 2)
    assert shown["least bound"][0] == pytest.approx(2 / math.sqrt(1 - 0.8**2), rel=1e-3)
    assert np.isnan(shown["expected, worst of “spread”"][1]).all()
    assert "Equation 1 falls to 16.5 at α = 30." in panel.sentence


def test_without_scaling_alpha_is_epsilon_or_what_the_histogram_allows():
    panel = explore(choice.choice_of_alpha)
    for neighbours, epsilon, same in (("l1", 0.7, 0.7), ("histogram", 0.7, math.exp(0.7) - 1)):
        panel.set(neighbours=neighbours, epsilon=epsilon)
        marks = [line for line in panel.figure.axes[0].get_lines() if line.get_linestyle() == ":"]
        np.testing.assert_allclose(marks[0].get_xdata(), same)
        x, bound = curves(panel.figure.axes[0])["bound with collisions"]
        here = math.exp(np.interp(math.log(same), np.log(x), np.log(bound)))
        said = float(panel.sentence.removesuffix(".").split("bound ")[-1])
        assert f"Unscaled: α = {about(same)}, bound " in panel.sentence
        assert said == pytest.approx(here, rel=0.005)


def test_the_histogram_divides_every_error_by_its_scale():
    l1, wide = (
        curves(explore(choice.choice_of_alpha, neighbours=name, value="spread").figure.axes[0])
        for name in ("l1", "histogram")
    )
    names = "bound with collisions", "expected, average or zero", "expected, worst of “spread”"
    for name in names:
        x, errors = wide[name]
        large = x >= math.e - 1
        np.testing.assert_allclose(l1[name][1][large] / errors[large], math.e - 1)
        assert np.all(l1[name][1] > errors)


def histogram_scales(epsilon):
    """Where a change of 1 in one entry costs ε, for each α tried: by bisection on the loss."""
    low, high = np.full((2, len(choice.TRIED)), [[0.0], [100.0]])
    for _ in range(60):
        middle = (low + high) / 2
        costs = alp_loss(alpha=choice.TRIED, epsilon=middle) > epsilon
        low, high = np.where(costs, low, middle), np.where(costs, middle, high)
    return low


@pytest.mark.parametrize(
    ("value", "neighbours", "scale"),
    [("zero", "l1", 0.5), ("spread", "l1", 0.5), ("spread", "histogram", math.expm1(0.5))],
)
def test_the_expected_error_against_alpha_is_measured_and_enumerated(value, neighbours, scale):
    """Means of 12 seeds; a standard error is at most 5%, so that 20% would be seen."""
    at = {"value": value, "neighbours": neighbours, "epsilon": 0.5}
    panel = explore(choice.choice_of_alpha, ratio=5, **at)
    shown = curves(panel.figure.axes[0])
    alphas, exact = shown["expected, average or zero"]
    at = {"size": 900, "cap": 40, "alphas": tuple(choice.TRIED)}
    errors = np.array(
        [
            errors_by_alpha(tuple(choice.ENTRIES), zeros=value == "zero", seed=seed, **at)
            for seed in range(12)
        ]
    )
    errors = errors / (scale if neighbours == "l1" else histogram_scales(0.5)[:, None])
    np.testing.assert_allclose(shown["measured, 95%"][1], errors[0].mean(axis=1))
    means = errors.mean(axis=2)
    standard = errors.std(axis=2).mean(axis=0) / math.sqrt(errors[:, 0].size)
    both = [i for i, alpha in enumerate(choice.TRIED) if alpha in alphas]
    assert len(both) == 5
    for i in both:
        expected = exact[list(alphas).index(choice.TRIED[i])]
        assert abs(means[:, i].mean() - expected) < 4 * standard[i]
        assert standard[i] < 0.05 * expected
    entries = 40 * (np.arange(180) // 3 + 0.5) / 60
    reach = [np.clip(entries / 12 - b, 0, 1) for b in range(4)]
    loads = [1 - np.prod(1 - chances / 900) for chances in reach]
    points = [0.0] if value == "zero" else sorted(set(entries.tolist()))
    found = [enumerated_error(x, loads, 12.0, 1.0) for x in points]
    assert exact[list(alphas).index(12)] == pytest.approx(np.mean(found) / scale)
    if value == "spread":
        worst = shown["expected, worst of “spread”"][1][list(alphas).index(12)]
        assert worst == pytest.approx(max(found) / scale)


def test_errors_of_a_zero_with_and_without_scaling():
    panel = explore(choice.with_or_without_scaling)
    for alpha in (0.5, 3.0, 8.0):
        shown = curves(panel.set(alpha=alpha).figure.axes[0])
        x, unscaled = shown["no scaling, x = 0"]
        np.testing.assert_allclose(unscaled, 2 * (1 + x) / x**2)
        np.testing.assert_allclose(shown["scaled by ε, x = 0"][1], (2 + 2 / alpha) / x)
        step = np.maximum(alpha, np.exp(x) - 1)
        wide = shown["by e^ε − 1, α ≥ that, x = 0"][1]
        np.testing.assert_allclose(wide, (2 + 2 / step) / np.expm1(x))
        response = step > alpha  # randomised response on the unary code
        np.testing.assert_allclose(wide[response], 1 / (2 * np.sinh(x[response] / 2) ** 2))
        np.testing.assert_allclose(shown["Equation 1, no scaling"][1], (8 * x + 8) / x**2)
        promise = (alpha / 2 + 8 + 8 / alpha) / x
        np.testing.assert_allclose(shown["Equation 1, scaled"][1], promise)
        assert np.all((unscaled < shown["scaled by ε, x = 0"][1]) == (x > alpha))


@pytest.mark.parametrize("alpha", [0.5, 3.0, 8.0])
def test_marks_are_where_the_curves_cross(alpha):
    panel = explore(choice.with_or_without_scaling, alpha=alpha)
    marks = [line for line in panel.figure.axes[0].get_lines() if line.get_marker() == "D"]
    (zero, promise), (at_zero, at_promise) = marks[0].get_data()
    assert zero == alpha and at_zero == pytest.approx((2 + 2 / alpha) / alpha)
    assert 8 * (promise + 1) / promise**2 == pytest.approx(at_promise)
    assert (alpha / 2 + 8 + 8 / alpha) / promise == pytest.approx(at_promise)
    assert panel.sentence.endswith(f"unscaled is smaller beyond ε = {about(promise)}.")
    same = panel.set(epsilon=alpha).sentence  # if a slider reaches that far
    assert alpha > 5 or f"Exact at 0: {about(at_zero)}, {about(at_zero)}, " in same


def test_dots_and_sentence_with_and_without_scaling():
    panel = explore(choice.with_or_without_scaling, epsilon=0.5, value=2, seed=3)
    wide = math.expm1(0.5)
    ways = [(0.5, 0.5), (0.5, 3.0), (wide, 3.0)]
    means = [errors_alone(2, alpha=alpha, epsilon=e, seed=3).mean() for e, alpha in ways]
    drawn = panel.figure.axes[0].get_lines()
    dots = [line for line in drawn if line.get_marker() == "o" and len(line.get_xdata())]
    np.testing.assert_allclose([line.get_ydata()[0] for line in dots], means)
    assert [round(line.get_xdata()[0], 2) for line in dots] == [0.47, 0.5, 0.53]
    colours = [line.get_color() for line in drawn if line.get_label().endswith("x = 0")]
    assert [line.get_markerfacecolor() for line in dots] == colours and len({*colours}) == 3
    assert f"Measured at x = 2: {about(means[0])} ± " in panel.sentence
    said = "Exact at 0: 12, 5.33, 4.11. Equation 1: 48 unscaled, 24.3 scaled; unscaled is smaller "
    assert said in panel.sentence


@pytest.mark.parametrize("figure", [choice.choice_of_alpha, choice.with_or_without_scaling])
def test_all_fits_and_every_slider_changes_the_picture(figure, capsys):
    check_all_fits(figure)
