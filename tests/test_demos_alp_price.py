"""What the pictures of notebook 08 on space and on the largest error show."""

import itertools
import math

import numpy as np
import pytest

from course_lib.demos import alp_price as demos
from course_lib.demos.explore import explore, sweep
from course_lib.support.contracts import ParameterError
from course_lib.threshold_alp import threshold_alp_projection
from tests.pictures import curves
from tests.test_explore import panel_height, status_lines


def ends(figure):
    """Every slider at either end, alone, and some of the corners that they have together."""
    choices = {name: [values[0], values[-1]] for name, values in figure.demo.choices.items()}
    yield from ({name: end} for name, both in choices.items() for end in both)
    some = list(itertools.product(*choices.values()))[:: max(1, 2 ** len(choices) // 16 - 1)]
    yield from (dict(zip(choices, values, strict=True)) for values in some)


def check_room(figure):
    """The sentence has room everywhere, that of a refusal too, and the panel on a small screen."""
    panel = explore(figure)
    for at in ends(figure):
        try:
            sentence = panel._update(**panel.start | at)
        except ParameterError as refusal:
            sentence = str(refusal)
        assert status_lines(sentence) <= 3 and len(sentence) <= 240, sentence
    assert panel_height(figure) <= 599


@pytest.mark.parametrize("figure", [demos.space_against_dimension, demos.largest_error])
def test_sentence_and_panel_fit_everywhere_and_every_slider_moves(figure):
    check_room(figure)
    sweep(explore(figure))


SPACES = [
    {},
    {"dimension": 10**18, "sparsity": 1000, "ratio": 20.0, "share": 0.2},
    {"dimension": 100, "sparsity": 70, "ratio": 2.1, "alpha": 10.0, "cap": 1000},
]


@pytest.mark.parametrize("at", SPACES)
def test_space(at):
    panel = explore(demos.space_against_dimension, **at)
    at = panel.values
    drawn = curves(panel.figure.axes[0])
    k, size, share = at["sparsity"], round(at["ratio"] * at["sparsity"]), at["share"]
    digits = math.ceil(math.log2(size))
    for d, found in drawn["Threshold-ALP"].T:
        levels = math.ceil((1 - share) * math.log(d / 2) / share / at["alpha"])
        assert 8 * found == 128 * (k + 1) + levels * (size + 64 * digits)
    assert drawn["Threshold-ALP"][0][0] >= max(k, 100) and drawn["Threshold-ALP"][0][-1] == 1e18
    np.testing.assert_array_equal(drawn["dense: 8 d"][1], 8 * drawn["dense: 8 d"][0])
    capped = math.ceil(at["cap"] / at["alpha"]) * (size + 64 * digits) / 8
    assert list(drawn["ALP, cap β"][1]) == [capped] * 2
    assert list(drawn["Threshold"][1]) == [16 * (k + 1)] * 2
    assert list(drawn["the vector: 16 k"][1]) == [16 * k] * 2
    (d,), (real,) = drawn["a real Threshold-ALP"]
    levels = math.ceil((1 - share) * math.log(d / 2) / share / at["alpha"])
    table = levels * (math.ceil(size / 8) + 64 * (1 if size <= 256 else 2))
    kept = (real - table) / 16  # k entries at twice the level, and a zero or so
    assert d == at["dimension"] and kept.is_integer() and 0.97 * k - 3 <= kept <= k + 6
    assert f"m = {levels}: expected at most " in panel.sentence


def test_all_of_the_space_is_in_view_except_the_dense_one_for_large_d():
    panel, starts = explore(demos.space_against_dimension), demos.space_against_dimension.demo.start
    for at in ({}, *ends(demos.space_against_dimension)):
        if panel.set(**starts | at).sentence.startswith("sparsity must be"):
            continue
        low, high = panel.figure.axes[0].get_ylim()
        drawn = curves(panel.figure.axes[0])
        dense = drawn.pop("dense: 8 d")
        assert dense[1][dense[0] <= 10**6].max() < high / 10
        for label, (_, found) in drawn.items():
            assert label.startswith("_") or low < min(found) <= max(found) < high


def test_space_in_words():
    names = {496: "496 bytes", 999.9: "1 kB", 1e3: "1 kB", 2e9: "2 GB"}
    assert {number: demos.in_bytes(number) for number in names} == names
    panel = explore(demos.space_against_dimension, dimension=10**18)
    assert "Dense: 8 EB." in panel.sentence and "the true entries 480 bytes." in panel.sentence
    panel.set(dimension=100, sparsity=1000)
    assert panel.sentence == "sparsity must be at most dimension = 100, got 1,000"


def test_bound_and_dense_error_in_closed_form():
    panel = explore(demos.largest_error, share=0.3, alpha=5.0)
    for ax in panel.figure.axes:
        drawn = curves(ax)
        d, bound = drawn["Threshold-ALP: bound on the mean"]
        np.testing.assert_allclose(bound, (np.log(d / 2) + np.log(d) + 1) / 0.3 + 5 / 0.7)
        d, dense = drawn["dense Laplace: exact"]
        assert dense[0] == pytest.approx(sum(1 / i for i in range(1, 101)))
        assert dense[1] == pytest.approx(sum(1 / i for i in range(1, 1001)))
        assert dense[-1] == pytest.approx(18 * math.log(10) + 0.5772156649)
        assert d[0] == 100 and d[-1] == 1e18


def releases(panel):
    """The dimension of each single release, beside which its dot stands, and its largest error."""
    left, right = map(curves, panel.figure.axes)
    place, seen = left["Threshold-ALP: single releases"]
    assert "Threshold-ALP: single releases" not in right
    d = 10 ** np.round(np.log10(place))
    assert np.abs(np.log10(place / d)).max() < 0.2
    assert np.diff(np.log10(place)).min() > 0.1  # so that none hides another
    assert place[0] > panel.figure.axes[0].get_xlim()[0] * 1.1
    return d, seen


@pytest.mark.parametrize("sparsity", [20, 100])
def test_the_largest_error_of_a_release_is_over_every_single_entry(sparsity):
    panel = explore(demos.largest_error, sparsity=sparsity, seed=3)
    d, seen = releases(panel)
    assert {x: np.count_nonzero(d == x) for x in d} == demos.RELEASES
    rng, level = np.random.default_rng(3), 2 * math.log(100 / 2)
    values = 2 * level * np.arange(1, sparsity + 1) / sparsity
    signs = set()
    for shown in seen[d == 100]:
        places = rng.choice(100, sparsity, replace=False)
        at = {"dimension": 100, "sparsity": sparsity, "size": 4 * sparsity, "alpha": 3.0}
        release = threshold_alp_projection(
            places, values, **at, epsilon1=0.5, epsilon2=0.5, rng=rng
        )
        truth = dict(zip(places.tolist(), values, strict=True))
        errors = [release.estimate(i) - truth.get(i, 0) for i in range(100)]
        assert shown == pytest.approx(max(abs(error) for error in errors))
        signs.add(max(errors) > -min(errors))
    assert sparsity == 20 or False in signs  # an estimate that is too small counts as well


def test_releases_stay_below_the_bound_and_grow_with_log_d():
    for at in ({}, {"share": 0.3, "alpha": 1.0, "sparsity": 100}):
        panel = explore(demos.largest_error, **at)
        drawn = curves(panel.figure.axes[0])
        d, seen = releases(panel)
        bound = np.interp(
            np.log(d), np.log(demos.POWERS), drawn["Threshold-ALP: bound on the mean"][1]
        )
        means = [seen[d == x].mean() for x in demos.RELEASES]
        assert np.all(means < bound[np.searchsorted(d, list(demos.RELEASES))])
        assert means[0] < means[1] < means[2]


def test_sentences_of_the_largest_error():
    panel = explore(demos.largest_error)
    assert panel.sentence.startswith(
        "d = 1,000, ε₁ = 0.5ε, α = 3, k = 30, s = 120. Largest error·ε: dense Laplace 7.49, "
    )
    assert "Threshold-ALP at most 34.2, in 4 releases" in panel.sentence
    assert panel.sentence.endswith("(the embedding’s estimates end at 18).")  # 3 levels of α/ε₂ = 6
    far = panel.set(dimension=10**18).sentence
    assert "d = 10¹⁸" in far and "at most 172; at d = 10,000, bound 43.5, in 4 releases" in far
