"""What the picture of notebook 08 on collisions shows, against all patterns of bits."""

import itertools
import math

import numpy as np
import pytest

from course_lib.demos import alp_collisions as demos
from course_lib.demos.explore import about, explore, sweep
from tests.pictures import curves
from tests.test_demos_alp_price import check_room, ends

FIGURE = demos.collisions_against_size


def test_sentence_and_panel_fit_everywhere_and_every_slider_moves():
    check_room(FIGURE)
    sweep(explore(FIGURE))


def walk_error(bits, truth):
    """Of one walk: how far the average of the arguments that maximise it is from the truth."""
    walk = [0, *itertools.accumulate(2 * bit - 1 for bit in bits)]
    best = [n for n, height in enumerate(walk) if height == max(walk)]
    return abs(sum(best) / len(best) - truth)


def enumerated(value, others, *, size, levels, alpha, epsilon):
    """Expected error, times epsilon, over all roundings of the value and all patterns of bits."""
    flip, total, scaled = 1 / (alpha + 2), 0, value * epsilon / alpha
    for rounded in (math.floor(scaled), math.floor(scaled) + 1):
        weight = 1 - abs(scaled - rounded)
        ones = []
        for b in range(levels):
            reach = [min(1, max(0, other * epsilon / alpha - b)) for other in others]
            clear = math.prod(1 - chance / size for chance in reach)
            on = 1 if rounded > b else 1 - clear
            ones.append(flip + on * (1 - 2 * flip))
        for bits in itertools.product((0, 1), repeat=levels):
            chance = math.prod(p if bit else 1 - p for p, bit in zip(ones, bits, strict=True))
            total += weight * chance * walk_error(bits, scaled)
    return alpha * total


@pytest.mark.parametrize(
    ("ratio", "given", "sparsity", "alpha", "epsilon", "cap"),
    [(2.5, 1.0, 10, 3.0, 1.0, 20), (4.0, 3.0, 20, 2.0, 0.5, 30), (10.0, 0.1, 10, 5.0, 1.5, 10)],
)
def test_exact_errors_are_those_of_all_patterns_of_bits(
    ratio, given, sparsity, alpha, epsilon, cap
):
    at = {"ratio": ratio, "given": given, "sparsity": sparsity}
    at |= {"alpha": alpha, "epsilon": epsilon, "cap": cap}
    panel = explore(FIGURE, **at)
    levels, number = math.ceil(cap * epsilon / alpha), round(given * sparsity)
    assert f"m = {levels}." in panel.sentence
    tenth = max(1, number // 10)
    vector = [cap] * (number - tenth) + [cap / 2] * tenth
    size = round(ratio * sparsity)
    at = {"size": size, "levels": levels, "alpha": alpha, "epsilon": epsilon}
    for ax, value, others in zip(
        panel.figure.axes, (0, cap / 2), (vector, vector[:-1]), strict=True
    ):
        x, y = curves(ax)["exact"]
        (shown,) = y[x == size / sparsity]
        assert shown == pytest.approx(enumerated(value, others, **at), rel=1e-9)
        assert f"exact {about(shown)}, " in panel.sentence
        least = [value * epsilon, alpha * levels - value * epsilon]
        assert curves(ax)["largest possible"][1] == pytest.approx([max(least)] * 2)
    hit = 1 - math.prod(1 - min(1, other * epsilon / alpha) / size for other in vector)
    assert f"First bit of a zero hit: {about(100 * hit)}%" in panel.sentence


def told(panel):
    """What the sentence says was measured of a zero and of an entry at half the cap."""
    return [
        words.rstrip(".").split(", ")[-1] for words in panel.sentence.split("Error·ε")[1].split(";")
    ]


def dots(panel):
    return [np.isfinite(curves(ax)["measured, 95%"][1]) for ax in panel.figure.axes]


@pytest.mark.parametrize(
    ("sparsity", "given", "enough"), [(10, 0.1, 0), (30, 1.5, 0), (10, 5.0, 1)]
)
def test_what_few_entries_cannot_tell_is_not_shown(sparsity, given, enough):
    """1 and 4 entries at half the cap in each release are too few, 5 are enough."""
    panel = explore(FIGURE, sparsity=sparsity, given=given)
    zero, half = dots(panel)
    assert zero.all() and half.all() == half.any() == enough
    assert told(panel)[0].startswith("measured ")
    assert told(panel)[1].startswith("measured " if enough else "too few to measure")


def test_a_mean_without_spread_is_shown_only_where_it_is_exact():
    panel = explore(FIGURE, epsilon=0.1)  # 1 level: the estimate is 0 or β, and β/2 is off by 15
    assert told(panel)[1] == "measured 1.5 ± 0" and dots(panel)[1].all()
    seeds = 40
    for seed in range(seeds):  # 60 look-ups; a flip, with probability 1/22, is what is rare
        panel.set(epsilon=0.1, alpha=20.0, cap=2, seed=seed)
        assert "± 0" not in told(panel)[1].replace("± 0.", "")
        if told(panel)[1] == "too few to measure":
            return
    raise AssertionError(f"each of {seeds} pictures has a flip")


def test_bounds_hold_for_k_entries_and_grow_without_end_towards_2(monkeypatch):
    monkeypatch.setattr(demos, "crowded_errors", lambda *_, **__: np.ones((2, 6)))
    panel, starts = explore(FIGURE), FIGURE.demo.start
    for at in ends(FIGURE):
        if panel.set(**starts | at).sentence.startswith("cap · epsilon / alpha must be"):
            continue
        for ax, factor in zip(panel.figure.axes, (0.5, 1), strict=True):
            drawn = curves(ax)
            ratio, bound = drawn["bound, k entries"]
            alpha = panel.values["alpha"]
            g = 1 / (alpha + 2) + alpha / (alpha + 2) / ratio
            rounding = 0.5 if factor == 1 else 0
            closed = alpha * (rounding + factor * 4 * g * (1 - g) / (1 - 2 * g) ** 2)
            np.testing.assert_allclose(bound, closed, rtol=1e-9)
            assert bound[0] > 1000 and np.all(np.diff(bound) < 0)
            if panel.values["given"] <= 1:
                x, exact = drawn["exact"]
                assert np.all(exact <= np.exp(np.interp(np.log(x), np.log(ratio), np.log(bound))))
            assert drawn["exact"][1].max() < drawn["largest possible"][1][0] * (1 + 1e-12)


def zero_bound(load, alpha):
    g = 1 / (alpha + 2) + load * alpha / (alpha + 2)
    return alpha * 2 * g * (1 - g) / (1 - 2 * g) ** 2


@pytest.mark.parametrize(
    ("ratio", "given", "sparsity"), [(10.0, 3.0, 100), (7.0, 3.0, 10), (4.0, 1.5, 30)]
)
def test_more_entries_than_k_have_the_bound_of_their_own_number(ratio, given, sparsity):
    panel = explore(FIGURE, ratio=ratio, given=given, sparsity=sparsity)
    zero, load = zero_bound(given / ratio, 3.0), given / ratio
    assert load < 0.5
    of_zero, of_half = panel.sentence.split("Error·ε of 0: ")[1].split("; of β/2: ")
    assert of_zero.startswith(f"bound for all {about(zero)}, exact ")
    assert of_half.startswith(f"bound {about(1.5 + 2 * zero)}")
    for ax, bound in zip(panel.figure.axes, (zero, 1.5 + 2 * zero), strict=True):
        x, exact = curves(ax)["exact"]
        assert exact[np.argmin(np.abs(x - ratio))] < bound


def test_half_the_table_is_the_end_of_the_bound():
    panel = explore(FIGURE)
    for given, ratio in ((5.0, 10.0), (1.5, 3.0), (2.0, 2.05)):
        assert panel.set(given=given, ratio=ratio).sentence.count("no bound") == 2
    for given, ratio in ((5.0, 15.0), (1.5, 4.0), (0.5, 2.05), (1.0, 2.05)):
        sentence = panel.set(given=given, ratio=ratio).sentence
        assert "no bound" not in sentence and ("bound for all" in sentence) == (given > 1)


def test_the_sentence_says_which_bounds_are_above_the_largest_possible_error():
    panel = explore(FIGURE)
    seen = set()
    for ratio, alpha, cap in itertools.product((2.05, 3.0, 10.0), (1.5, 3.0, 20.0), (5, 30)):
        panel.set(ratio=ratio, alpha=alpha, cap=cap)
        largest = [curves(ax)["largest possible"][1][0] for ax in panel.figure.axes]
        zero = zero_bound(1 / ratio, alpha)
        idle = zero > largest[0], alpha / 2 + 2 * zero > largest[1]
        words = {(0, 0): "", (0, 1): " (says nothing)", (1, 1): " (both say nothing)"}[idle]
        assert f"; of β/2: bound {about(alpha / 2 + 2 * zero)}{words}, exact " in panel.sentence
        assert panel.sentence.count("nothing") + panel.sentence.count("useless") == bool(words)
        seen.add(idle)
    assert len(seen) == 3


def test_more_entries_than_k_break_the_promise():
    panel = explore(FIGURE, given=5.0)
    drawn = curves(panel.figure.axes[0])
    here = np.searchsorted(drawn["exact"][0], 10)
    bound = np.interp(10, *drawn["bound, k entries"])
    assert drawn["exact"][1][here] > 2 * bound
    assert "k = 100 (500 given)" in panel.sentence and panel.sentence.count("no bound") == 2
    assert panel.set(given=1.0).sentence.count("no bound") == 0 and "given" not in panel.sentence


def test_too_many_levels_are_refused():
    panel = explore(FIGURE, cap=60, epsilon=2.0)
    assert panel.sentence == (
        "cap · epsilon / alpha must be at most 20 levels in this picture, got 40: "
        "cap = 60, epsilon = 2, alpha = 3"
    )
