"""What the pictures of notebook 08 on errors show, against enumeration, quadrature and noise."""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from course_lib.demos import alp_error as demos
from course_lib.demos.explore import about, explore, sweep
from course_lib.exact.alp import alp_exact_error, threshold_alp_exact_error
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


def enumerated_error(value, loads, alpha, scale):
    """The expected error from all patterns of the bits that a look-up reads, one after another."""
    levels, flip = len(loads), 1 / (alpha + 2)
    exact = min(value * scale / alpha, levels)
    total = 0
    for rounded, share in ((math.floor(exact), 1 - exact % 1), (math.ceil(exact), exact % 1)):
        set_before = [1.0 if b < rounded else load for b, load in enumerate(loads)]
        ones = [s * (1 - flip) + (1 - s) * flip for s in set_before]
        for bits in itertools.product((0, 1), repeat=levels):
            walk = [0, *itertools.accumulate(2 * bit - 1 for bit in bits)]
            highest = [n for n, f in enumerate(walk) if f == max(walk)]
            estimate = alpha * sum(highest) / len(highest) / scale
            chance = math.prod(p if bit else 1 - p for p, bit in zip(ones, bits, strict=True))
            total += share * chance * abs(estimate - value)
    return total


def dense_errors(values, level, epsilon, trials, rng):
    """Threshold as the textbook has it, on every entry, many times."""
    noisy = values + rng.laplace(scale=1 / epsilon, size=(trials, len(values)))
    return np.abs(np.where(noisy >= level, noisy, 0) - values)


@pytest.mark.parametrize("size", [40, 10**9])
def test_the_expected_error_is_that_of_all_patterns_of_bits(size):
    entries = np.array([3.0] * 10 + [11.0] * 5 + [30.0] * 3)
    at = {"size": size, "cap": 20, "alpha": 2.5, "epsilon": 0.8}
    values = np.array([0.0, 1, 3, 6.25, 19, 26])
    levels, scale = 7, 0.8
    reach = [
        sum(min(max(x * scale / 2.5 - b, 0), 1) for x in entries.tolist()) for b in range(levels)
    ]
    loads = [1 - (1 - 1 / size) ** number for number in reach]
    assert loads[0] > loads[-1]
    expected = [enumerated_error(x, loads, 2.5, scale) for x in values.tolist()]
    np.testing.assert_allclose(demos.expected_error(values, entries, **at), expected, rtol=1e-9)


def own_simulation(values, look, *, size, levels, alpha, scale, runs, rng):
    """ALP from scratch, hash values wholly random: the mean estimates of the values in `look`."""
    flip, entries = 1 / (alpha + 2), np.append(values, look)
    sums = np.zeros(len(look))
    for _ in range(runs):
        exact = np.minimum(entries * scale / alpha, levels)
        rounded = np.floor(exact + rng.random(len(exact)))
        walks = np.zeros((len(look), levels + 1), int)
        for b in range(levels):
            places = rng.integers(size, size=len(entries))
            table = np.zeros(size, bool)
            table[places[rounded > b]] = True
            table ^= rng.random(size) < flip
            walks[:, b + 1] = walks[:, b] + 2 * table[places[-len(look) :]] - 1
        top = walks == walks.max(axis=1, keepdims=True)
        averages = (top * np.arange(levels + 1)).sum(axis=1) / top.sum(axis=1)
        sums += np.abs(averages * alpha / scale - look)
    return sums / runs


def test_chances_of_collision_are_those_of_a_simulation():
    """100 runs of 300 look-ups of each value: an error of 7% would be seen 19 times in 20."""
    entries, look = np.repeat([5.0, 15.0, 40.0], 300), np.repeat([0.0, 12.0], 300)
    size, rng = 3 * 1500, np.random.default_rng(1)
    at = {"levels": 8, "alpha": 3.0, "scale": 1.0, "runs": 100, "rng": rng}
    means = own_simulation(entries, look, size=size, **at).reshape(2, 300)
    at = {"size": size, "cap": 24, "alpha": 3.0, "epsilon": 1.0}
    expected = demos.expected_error(np.array([0.0, 12.0]), np.append(entries, look), **at)
    errors = means.std(axis=1, ddof=1) / np.sqrt(300)
    assert np.all(abs(means.mean(axis=1) - expected) < 3.3 * errors)
    assert np.all(3.3 * errors < 0.045 * expected)
    no_collision = alp_exact_error([0.0, 12.0], cap=24, alpha=3.0, epsilon=1.0)
    assert np.all(expected > 1.07 * no_collision)  # so that leaving collisions out would be seen


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
        alp = demos.expected_error(np.array([x]), entries, cap=20, epsilon=0.7, **at)
        assert shown["ALP"][1][i] == pytest.approx(alp[0])
        level2, half = 2 * level, functools.partial(laplace_density, rate=0.35)
        kept = quad(lambda v, d=half: abs(v) * d(v), level2 - x, 600, points=[0], limit=200)[0]
        lost = quad(half, -600, level2 - x, points=[0], limit=200)[0]
        alp = demos.expected_error(np.array([x]), entries, cap=level2, epsilon=0.35, **at)
        assert shown["Threshold-ALP"][1][i] == pytest.approx(kept + lost * alp[0], rel=1e-6)


def laplace_density(v, rate):
    return rate / 2 * math.exp(-rate * abs(v))


def test_with_much_room_the_curves_are_those_of_the_core():
    entries = np.repeat(demos.VALUES[1:], demos.REPEATS)
    at = {"cap": 40, "alpha": 3.0, "epsilon": 1.0}
    found = demos.expected_error(demos.GRID, entries, size=10**12, **at)
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
def test_measured_errors_are_those_of_the_releases(dimension):
    kept, alp, both = demos.measured_errors(dimension, 10, 30, 3.0, 1.0, 4)
    assert kept.shape == alp.shape == both.shape == (12, demos.REPEATS)
    panel = explore(demos.error_per_entry, cap=30, dimension=dimension, seed=4)
    ax = panel.figure.axes[0]
    dots = [line for line in ax.get_lines() if line.get_marker() in "so^" and len(line.get_xdata())]
    for line, errors in zip(dots, (kept, alp, both), strict=True):
        assert list(line.get_xdata()) == list(range(0, 60, 5))
        mean = errors.mean(axis=1)
        np.testing.assert_allclose(line.get_ydata(), np.where(mean > 0, mean, np.nan))
    (_, low), (_, high) = ax.collections[1].get_segments()[3]
    assert high - low == pytest.approx(2 * 1.96 * alp[3].std(ddof=1) / math.sqrt(demos.REPEATS))
    level = math.log(dimension / 2)
    textbook = dense_errors(demos.VALUES, level, 1.0, 4000, np.random.default_rng(5))
    difference = kept.mean(axis=1) - textbook.mean(axis=0)
    spread = np.sqrt(kept.var(axis=1) / demos.REPEATS + textbook.var(axis=0) / 4000)
    assert np.all(abs(difference) <= 4 * spread + 0.02)


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
