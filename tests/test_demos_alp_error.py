"""What the pictures of notebook 08 on errors show, against enumeration, quadrature and noise."""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from course_lib.demos import alp_error as demos
from course_lib.demos.explore import about, explore, sweep
from course_lib.exact.alp import alp_error_among, alp_exact_error
from course_lib.exact.threshold_alp import threshold_alp_exact_error
from course_lib.lab.threshold_alp import errors_of_three
from tests.pictures import curves
from tests.test_demos_online_ic import corners
from tests.test_explore import panel_height, status_lines


def check_all_fits(figure):
    """At some of the corners; the picture changes with every slider."""
    panel = explore(figure)
    for at in list(corners(figure))[::5]:
        sentence = panel._update(**panel.start | at)
        assert status_lines(sentence) <= 3 and len(sentence) <= 240, sentence
    assert panel_height(figure) <= 599
    sweep(panel)


def test_curves_are_the_laws_of_four_releases():
    panel = explore(demos.error_per_entry, epsilon=0.7, alpha=4.0, cap=20, ratio=4)
    shown, entries = curves(panel.figure.axes[0]), np.repeat(np.arange(5.0, 56, 5), demos.REPEATS)
    grid = shown["ALP"][0]
    np.testing.assert_allclose(shown["Laplace, d numbers"][1], 1 / 0.7)
    level = math.log(10**6 / 2) / 0.7
    for i in (0, 15, 38, 60, 110):
        x = grid[i]
        density = functools.partial(laplace_density, rate=0.7)
        kept = quad(lambda v, d=density: abs(v) * d(v), level - x, 300, points=[0], limit=200)[0]
        lost = quad(density, -300, level - x, points=[0], limit=200)[0]
        assert shown["Threshold"][1][i] == pytest.approx(x * lost + kept, rel=1e-6, abs=1e-8)
        at = {"size": 4 * len(entries), "alpha": 4.0}
        alp = alp_error_among(np.array([x]), entries, cap=20, epsilon=0.7, **at)
        assert shown["ALP"][1][i] == pytest.approx(alp[0])
        level2, half = 2 * level, functools.partial(laplace_density, rate=0.35)
        kept = quad(lambda v, d=half: abs(v) * d(v), level2 - x, 600, points=[0], limit=200)[0]
        lost = quad(half, -600, level2 - x, points=[0], limit=200)[0]
        alp = alp_error_among(np.array([x]), entries, cap=level2, epsilon=0.35, **at)
        assert shown["Threshold-ALP"][1][i] == pytest.approx(kept + lost * alp[0], rel=1e-6)


def laplace_density(v, rate):
    return rate / 2 * math.exp(-rate * abs(v))


def test_with_much_room_the_curves_are_those_of_the_core():
    entries = np.repeat(demos.VALUES[1:], demos.REPEATS)
    at = {"cap": 40, "alpha": 3.0, "epsilon": 1.0}
    found = alp_error_among(demos.GRID, entries, size=10**12, **at)
    np.testing.assert_allclose(found, alp_exact_error(demos.GRID, **at), rtol=1e-6)
    shown = curves(explore(demos.error_per_entry, ratio=30).figure.axes[0])
    half = {"dimension": 10**6, "alpha": 3.0, "epsilon1": 0.5, "epsilon2": 0.5}
    free = threshold_alp_exact_error(demos.GRID, **half)
    full = threshold_alp_exact_error(demos.GRID, load=1 / 30, **half)
    between = shown["Threshold-ALP"][1]
    assert np.all(between[:30] > free[:30]) and np.all(between[:30] < full[:30])


def test_bounds_lie_above_and_follow_their_formulas():
    for at in ({}, {"ratio": 3}, {"cap": 10, "epsilon": 0.3}, {"alpha": 10.0, "dimension": 10**12}):
        panel = explore(demos.error_per_entry, **at)
        now, shown = panel.values, curves(panel.figure.axes[0])
        certain = (1 - 2 / now["ratio"]) * now["alpha"] / (now["alpha"] + 2)
        embedded = now["alpha"] / now["epsilon"] * (1 / certain**2 - 0.5)
        x, bound = shown["bounds"]
        np.testing.assert_allclose(bound, embedded + np.maximum(0, x - now["cap"]))
        second = [line for line in panel.figure.axes[0].get_lines() if line.get_linestyle() == "--"]
        both = second[-1].get_ydata()
        assert both[0] == pytest.approx(2 * embedded, rel=1e-3)
        assert np.all(shown["ALP"][1] <= bound) and np.all(shown["Threshold-ALP"][1] <= both + 1e-9)


def test_measured_means_agree_with_the_curves():
    """Of 288 intervals that hold 19 times in 20, fewer than 254 do with probability 10^-6."""
    panel, held = explore(demos.error_per_entry), 0
    for seed, ratio in itertools.product(range(4), (3, 10, 30)):
        at = {"ratio": ratio, "dimension": 10**7, "seed": seed}
        sentence = panel._update(**panel.start | at)
        held += int(sentence.split(" of the ALPs’ 24")[0].split()[-1])
    assert 254 <= held <= 286


@pytest.mark.parametrize("dimension", [10**4, 10**9])
def test_dots_are_the_means_of_the_releases(dimension):
    kept, alp, both = errors_of_three(
        np.arange(0, 60, 5), repeats=120, dimension=dimension, size=13_200, cap=30, alpha=3.0,
        epsilon=1.0, seed=4,
    )  # fmt: skip
    panel = explore(demos.error_per_entry, cap=30, dimension=dimension, seed=4)
    ax = panel.figure.axes[0]
    dots = [line for line in ax.get_lines() if line.get_marker() in "so^" and len(line.get_xdata())]
    for line, errors in zip(dots, (kept, alp, both), strict=True):
        assert list(line.get_xdata()) == list(range(0, 60, 5))
        mean = errors.mean(axis=1)
        np.testing.assert_allclose(line.get_ydata(), np.where(mean > 0, mean, np.nan))
    (_, low), (_, high) = ax.collections[1].get_segments()[3]
    assert high - low == pytest.approx(2 * 1.96 * alp[3].std(ddof=1) / math.sqrt(120))


def test_sentence_of_the_four_releases():
    panel = explore(demos.error_per_entry)
    shown = curves(panel.figure.axes[0])
    x, errors = shown["Threshold"]
    alp, both = shown["ALP"][1], shown["Threshold-ALP"][1]
    assert panel.sentence.startswith(
        f"ε = 1, α = 3, s/k = 10, d = 10⁶. Largest expected error: Laplace 1, Threshold "
        f"{about(errors.max())} (x = {x[errors.argmax()]:g}), ALP {about(alp[x <= 40].max())} "
        f"(bound 11.5) up to cap 40, Threshold-ALP {about(both.max())} (bound 23). "
    )
    assert panel.sentence.endswith(" of the ALPs’ 24 intervals hold (23 expected).")
    sentence = panel.set(ratio=3).sentence
    assert "(bound 73.5) up to" in sentence and "(bound 147; both say nothing)." in sentence
    sentence = panel.set(ratio=10, dimension=10**4).sentence
    assert "(bound 11.5) up to" in sentence and "(bound 23 says nothing)." in sentence
    assert "(bound 11.5 says nothing) up to cap 10" in panel.reset().set(cap=10, alpha=2.0).sentence


def test_all_fits_and_every_slider_changes_the_picture(capsys):
    check_all_fits(demos.error_per_entry)
