"""What the pictures of notebook 08 on collisions, space and the largest error show."""

import itertools
import math

import numpy as np
import pytest

from course_lib.alp import threshold_alp_projection
from course_lib.contracts import ParameterError
from course_lib.demos import alp_collisions as collisions
from course_lib.demos import alp_price as demos
from course_lib.demos.explore import about, explore, sweep
from tests.test_demos_online_ic import corners
from tests.test_explore import panel_height, status_lines

FIGURES = [
    collisions.collisions_against_size,
    demos.space_against_dimension,
    demos.largest_error,
]


def lines(axes):
    return {line.get_label(): np.asarray(line.get_data()) for line in axes.get_lines()}


def check_room(figure):
    """The sentence has room everywhere, that of a refusal too, and the panel on a small screen."""
    panel = explore(figure)
    for at in corners(figure):
        try:
            sentence = panel._update(**panel.start | at)
        except ParameterError as refusal:
            sentence = str(refusal)
        assert status_lines(sentence) <= 3 and len(sentence) <= 240, sentence
    assert panel_height(figure) <= 599


@pytest.mark.parametrize("figure", FIGURES)
def test_sentence_and_panel_fit_everywhere_and_every_slider_moves(figure):
    check_room(figure)
    sweep(explore(figure))


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
    panel = explore(collisions.collisions_against_size, **at)
    levels, number = math.ceil(cap * epsilon / alpha), round(given * sparsity)
    assert f"m = {levels}." in panel.sentence
    tenth = max(1, number // 10)
    vector = [cap] * (number - tenth) + [cap / 2] * tenth
    size = round(ratio * sparsity)
    at = {"size": size, "levels": levels, "alpha": alpha, "epsilon": epsilon}
    for ax, value, others in zip(
        panel.figure.axes, (0, cap / 2), (vector, vector[:-1]), strict=True
    ):
        x, y = lines(ax)["exact"]
        (shown,) = y[x == size / sparsity]
        assert shown == pytest.approx(enumerated(value, others, **at), rel=1e-9)
        assert f"exact {about(shown)}, measured" in panel.sentence
        least = [value * epsilon, alpha * levels - value * epsilon]
        assert lines(ax)["levels end"][1] == pytest.approx([max(least)] * 2)
    hit = 1 - math.prod(1 - min(1, other * epsilon / alpha) / size for other in vector)
    assert f"First bit of a zero hit: {about(100 * hit)}%" in panel.sentence


@pytest.mark.parametrize(
    ("size", "number", "alpha", "cap"),
    [(220, 100, 3.0, 30), (1000, 100, 3.0, 25), (300, 150, 2, 30)],
)
def test_real_releases_agree_with_the_exact_errors(size, number, alpha, cap):
    """40 pictures: a bias of a fifth in either mean would be more than 5 standard errors."""
    scaled, levels = cap / alpha, math.ceil(cap / alpha)
    exact = np.array(collisions.exact_errors(scaled, levels, alpha, number, (size,)))[:, 0]
    seen = [collisions.measured_errors(100, size, number, alpha, 1.0, cap, s) for s in range(40)]
    means, halves = np.array(seen).transpose(1, 0, 2)
    error = means.std(axis=0, ddof=1) / np.sqrt(40)
    assert np.all(5 * error < 0.2 * exact)
    assert np.all(np.abs(means.mean(axis=0) - exact) < 4 * error)
    covered = np.count_nonzero(np.abs(means - exact) <= halves)
    assert covered >= 66  # of 80; 76 expected, below 66 with probability 10⁻⁴


def test_bounds_hold_for_k_entries_and_grow_without_end_towards_2():
    figure = collisions.collisions_against_size
    panel, starts = explore(figure), figure.demo.start
    for at in corners(figure):
        if panel.set(**starts | at).sentence.startswith("cap · epsilon / alpha must be"):
            continue
        for ax, factor in zip(panel.figure.axes, (0.5, 1), strict=True):
            drawn = lines(ax)
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
            assert drawn["exact"][1].max() < drawn["levels end"][1][0] * (1 + 1e-12)


def test_more_entries_than_k_break_the_promise():
    panel = explore(collisions.collisions_against_size, given=5.0)
    drawn = lines(panel.figure.axes[0])
    here = np.searchsorted(drawn["exact"][0], 10)
    bound = np.interp(10, *drawn["bound, k entries"])
    assert drawn["exact"][1][here] > 2 * bound
    assert "k = 100 (500 given)" in panel.sentence and panel.sentence.count("no bound") == 2
    assert panel.set(given=1.0).sentence.count("no bound") == 0 and "given" not in panel.sentence


def test_too_many_levels_are_refused():
    panel = explore(collisions.collisions_against_size, cap=60, epsilon=2.0)
    assert panel.sentence == (
        "cap · epsilon / alpha must be at most 20 levels in this picture, got 40: "
        "cap = 60, epsilon = 2, alpha = 3"
    )


SPACES = [
    {},
    {"dimension": 10**18, "sparsity": 1000, "ratio": 20.0, "share": 0.2},
    {"dimension": 100, "sparsity": 70, "ratio": 2.1, "alpha": 10.0, "cap": 1000},
]


@pytest.mark.parametrize("at", SPACES)
def test_space(at):
    panel = explore(demos.space_against_dimension, **at)
    at = panel.values
    drawn = lines(panel.figure.axes[0])
    k, size, share = at["sparsity"], round(at["ratio"] * at["sparsity"]), at["share"]
    digits = math.ceil(math.log2(size))
    for d, bits in drawn["Threshold-ALP"].T:
        levels = math.ceil((1 - share) * math.log(d / 2) / share / at["alpha"])
        assert bits == 128 * (k + 1) + levels * (size + 64 * digits)
    assert drawn["Threshold-ALP"][0][0] >= max(k, 100) and drawn["Threshold-ALP"][0][-1] == 1e18
    np.testing.assert_array_equal(drawn["dense: 64 d"][1], 64 * drawn["dense: 64 d"][0])
    capped = math.ceil(at["cap"] / at["alpha"]) * (size + 64 * digits)
    assert list(drawn["ALP, cap β"][1]) == [capped] * 2
    assert list(drawn["Threshold"][1]) == [128 * (k + 1)] * 2
    assert list(drawn["the vector: 128 k"][1]) == [128 * k] * 2
    (d,), (real,) = drawn["a real Threshold-ALP"]
    levels = math.ceil((1 - share) * math.log(d / 2) / share / at["alpha"])
    table = levels * (8 * math.ceil(size / 8) + 64 * (8 if size <= 256 else 16))
    kept = (real - table) / 128  # k entries at twice the level, and a zero or so
    assert d == at["dimension"] and kept.is_integer() and 0.97 * k - 3 <= kept <= k + 6
    assert f"m = {levels}: at most " in panel.sentence


def test_space_in_words():
    names = {1: "0.125 bytes", 8: "1 bytes", 7999: "1 kB", 8e3: "1 kB", 8e9: "1 GB"}
    assert {bits: demos.kilobytes(bits) for bits in list(names)[2:]} == dict(
        list(names.items())[2:]
    )
    panel = explore(demos.space_against_dimension, dimension=10**18)
    assert "Dense: 8 EB." in panel.sentence and "the true entries 480 bytes." in panel.sentence
    panel.set(dimension=100, sparsity=1000)
    assert panel.sentence == "sparsity must be at most dimension = 100, got 1,000"


def test_bound_and_dense_error_in_closed_form():
    panel = explore(demos.largest_error, share=0.3, alpha=5.0)
    for ax in panel.figure.axes:
        drawn = lines(ax)
        d, bound = drawn["Threshold-ALP: bound on the mean"]
        np.testing.assert_allclose(bound, (np.log(d / 2) + np.log(d) + 1) / 0.3 + 5 / 0.7)
        d, dense = drawn["dense Laplace: exact"]
        assert dense[0] == pytest.approx(sum(1 / i for i in range(1, 11)))
        assert dense[2] == pytest.approx(sum(1 / i for i in range(1, 1001)))
        assert dense[-1] == pytest.approx(18 * math.log(10) + 0.5772156649)
        assert d[0] == 10 and d[-1] == 1e18


@pytest.mark.parametrize(("dimension", "sparsity", "share"), [(10, 30, 0.5), (300, 20, 0.7)])
def test_threshold_s_largest_error_is_that_of_the_textbook(dimension, sparsity, share):
    """Noise on all d entries, 20,000 times: an error of 0.06 would be 4 standard errors."""
    rng = np.random.default_rng(8)
    number = min(dimension, sparsity)
    vector = np.zeros(dimension)
    vector[:number] = 2 * math.log(dimension / 2) / share * np.arange(1, number + 1) / number
    noisy = vector + rng.laplace(size=(20_000, dimension))
    kept = np.where(noisy >= math.log(dimension / 2), noisy, 0)
    largest = np.abs(kept - vector).max(axis=1)
    error = largest.std() / np.sqrt(len(largest))
    assert error < 0.015
    exact = demos.threshold_largest(dimension, sparsity, share)
    assert exact == pytest.approx(largest.mean(), abs=4 * error)


def test_the_largest_error_of_a_release_is_over_every_single_entry():
    panel = explore(demos.largest_error, dimension=100, sparsity=20, seed=4)
    d, seen = lines(panel.figure.axes[0])["Threshold-ALP: single releases"]
    assert {x: np.count_nonzero(d == x) for x in d} == demos.RELEASES
    rng, level = np.random.default_rng(4), 2 * math.log(50)
    values = 2 * level * np.arange(1, 21) / 20
    for shown in seen[d == 100]:
        places = rng.choice(100, 20, replace=False)
        at = {"dimension": 100, "sparsity": 20, "size": 80, "alpha": 3.0}
        release = threshold_alp_projection(
            places, values, **at, epsilon1=0.5, epsilon2=0.5, rng=rng
        )
        truth = dict(zip(places.tolist(), values, strict=True))
        errors = [abs(release.estimate(i) - truth.get(i, 0)) for i in range(100)]
        assert shown == pytest.approx(max(errors))


def test_releases_stay_below_the_bound_and_grow_with_log_d():
    for at in ({}, {"share": 0.3}, {"alpha": 10.0}, {"sparsity": 300}):
        drawn = lines(explore(demos.largest_error, **at).figure.axes[1])
        d, seen = drawn["Threshold-ALP: single releases"]
        bound = np.interp(
            np.log(d), np.log(demos.POWERS), drawn["Threshold-ALP: bound on the mean"][1]
        )
        means = [seen[d == x].mean() for x in demos.RELEASES]
        assert np.all(means < bound[np.searchsorted(d, list(demos.RELEASES))])
        assert means[0] < means[1] < means[3]


def test_sentences_of_the_largest_error():
    panel = explore(demos.largest_error)
    assert panel.sentence.startswith(
        "d = 1,000, ε₁ = 0.5ε, α = 3, k = 100, s = 400. Largest error·ε: dense Laplace 7.49, "
    )
    assert "Threshold-ALP at most 34.2, in 5 releases" in panel.sentence
    assert panel.sentence.endswith("(levels end at 18).")  # 3 levels of α/ε₂ = 6
    far = panel.set(dimension=10**18).sentence
    assert "d = 10¹⁸" in far and "at most 172; at d = 10,000, bound 43.5, in 3 releases" in far
