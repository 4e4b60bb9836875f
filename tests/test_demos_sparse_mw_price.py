"""What the pictures of notebook 07 on prices show, against counting and formulas written again."""

import math
import random

import numpy as np
import pytest
from scipy.optimize import brentq

from course_lib.demos import sparse_mw_price as price
from course_lib.demos.explore import about, explore, sweep
from course_lib.lab.sparse_mw import look_ups
from course_lib.online_ic import MultiplicativeWeights, online_ic_alpha
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_alpha, smw_size
from course_lib.support.contracts import ParameterError
from tests.pictures import curves
from tests.test_demos_online_ic import check_room


class Counting(dict):
    """The learner's own table, with every element that is read or written."""

    touched = ()

    def get(self, element, default=None):
        self.touched += (element,)
        return super().get(element, default)

    def __setitem__(self, element, value):
        self.touched += (element,)
        super().__setitem__(element, value)


@pytest.mark.parametrize("support", [1, 10, 50])
def test_a_query_touches_its_own_elements_however_many_others_there_are(support):
    rng, learner = random.Random(1), SparseMultiplicativeWeights(support=support, alpha=0.2)
    learner._steps = table = Counting()
    for bits in (10, 30, 60):
        for _ in range(5):
            learner.update({rng.randrange(2**bits): 1.0 for _ in range(support)}, 0.7)
        query = {f"{bits} {i}": 0.5 for i in range(support)}
        table.touched = ()
        learner.evaluate(query)
        assert sorted(table.touched) == sorted(query)
        learner.update(query, 0.7)
        assert set(table.touched) == set(query) and len(table.touched) <= 4 * support


def test_plain_multiplicative_weights_changes_every_number():
    learner = MultiplicativeWeights(universe_size=2**10, alpha=0.1)
    before = learner.hypothesis
    learner.update(np.eye(2**10)[3], 1.0)
    assert np.sum(learner.hypothesis != before) == 2**10


@pytest.mark.parametrize(("support", "alpha", "size"), [(10, 0.1, 47_035), (100, 0.05, 2_518_253)])
def test_cost_per_query_is_flat_for_smw_and_the_universe_for_plain_mw(support, alpha, size):
    panel = explore(price.cost_per_query, support=support, alpha=alpha, universe_size="2^60")
    touched, kept = (curves(axes) for axes in panel.figure.axes)
    np.testing.assert_allclose(np.log2(touched["plain MW: |X|"][1]), touched["plain MW: |X|"][0])
    dotted = next(x for x in panel.figure.axes[0].get_lines() if x.get_linestyle() == ":")
    assert list(dotted.get_xdata()) == [30, 60] and list(dotted.get_ydata()) == [2**30, 2**60]
    assert set(touched["SMW: a value"][1]) == {support}
    _, more, _ = look_ups(digits=60, support=support, alpha=alpha)
    assert set(touched["a value and an update"][1]) == {support + more}
    assert set(kept["after two updates"][1]) == {2 * support}
    assert set(touched["SMW as printed: s"][1]) == {size}
    assert touched["SMW: a value"][0].tolist() == price.PLACES
    assert panel.sentence.startswith(
        "|X| = 2^60: plain MW touches 1.15·10¹⁸ numbers, 8 EB. "
        f"SMW, m = {support}, α = {alpha:g}: {support} look-ups for a value, {more} more "
    )
    most = support * math.floor(4 * math.log(size) / alpha**2)
    told, swept = (f"{x:,}" if x < 10**6 else about(x) for x in (most, size))
    assert most < size and panel.sentence.endswith(f"at most m·⌊B(α)⌋ = {told}.")
    assert f"sweeping all s, as printed, {swept}. In memory: {2 * support} after" in panel.sentence


def test_cost_at_the_ends_of_the_sliders_in_words():
    panel = explore(price.cost_per_query, support=1, universe_size="2^10")
    assert "touches 1,024 numbers, 8 kB. SMW, m = 1, α = 0.1: 1 look-up for" in panel.sentence
    assert "In memory: 2 after two updates" in panel.sentence
    assert "8 GB. SMW" in panel.set(universe_size="2^30").sentence
    told = panel.set(universe_size=price.ANY).sentence
    assert told.startswith("Strings of any length: plain MW has no such array. SMW, ")


def theorem_7(panel):
    """The heights of the line called Theorem 7, if it is shown: where its name is."""
    (name,) = [text for text in panel.figure.axes[0].texts if "Theorem 7" in text.get_text()]
    (line,) = [x for x in panel.figure.axes[0].get_lines() if x.get_color() == name.get_color()]
    heights = np.asarray(line.get_ydata())
    shown = np.isfinite(heights)
    assert name.get_visible() == shown.all() == shown.any()
    assert not name.get_visible() or list(heights) == [name.xy[1]] * 2
    return list(heights[shown])


def test_no_mark_runs_through_words():
    panel = explore(price.cost_per_query)
    for universe, bits in zip(price.UNIVERSES, price.PLACES, strict=True):
        panel.set(universe_size=universe)
        for axes in panel.figure.axes:
            (mark,) = [x for x in axes.get_lines() if x.get_transform() != axes.transData]
            (words,) = axes.texts
            box = words.get_window_extent().transformed(axes.transAxes.inverted())
            x, y = mark.get_data()
            assert set(x) == {bits} and (y[0], y[-1]) == (0, 1)
            assert len(y) == 2 and bits <= 30 or y[1] < box.y0 and box.y1 < y[3]


def size_of(support, alpha):
    """s by search, from its definition."""
    ratio, low, high = 4 * support / alpha**2, 1, 2
    while high < ratio * (math.log(high) + 1):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if middle >= ratio * (math.log(middle) + 1) else (middle, high)
    return high


@pytest.mark.parametrize(
    ("support", "k", "n", "epsilon"),
    [(10, 1000, 10**6, 1.0), (10**6, 10, 10**9, 5.0), (1, 10**9, 10**7, 0.3)],
)
def test_promises_without_delta_are_the_cube_roots_of_the_lecture(support, k, n, epsilon):
    at = {"support": support, "num_queries": k, "n": n, "epsilon": epsilon}
    panel = explore(price.sparse_or_plain, **at, universe_size="2^60")
    ours, printed = (c * math.log(2 * k * x / 0.05) for c, x in ((48, 3), (16, 2)))
    shown = curves(panel.figure.axes[0])
    bits, grows = shown["plain MW"]
    logs = bits * math.log(2)
    np.testing.assert_allclose(grows, 3 * np.cbrt(ours * logs / (epsilon * n)), rtol=1e-9)
    as_printed = 3 * np.cbrt(printed * logs / (epsilon * n))
    np.testing.assert_allclose(shown["dotted: as printed"][1], as_printed, rtol=1e-9)

    def excess(alpha, constant):
        return alpha**3 - constant * math.log(size_of(support, alpha)) / (epsilon * n)

    alpha = brentq(excess, 1e-4, 1, args=(ours,))
    np.testing.assert_allclose(shown["SMW"][1], 3 * alpha, rtol=1e-4)
    (crossing,), (height,) = next(
        line.get_data() for line in panel.figure.axes[0].get_lines() if line.get_marker() == "D"
    )
    assert crossing == pytest.approx(math.log2(size_of(support, alpha)), abs=1e-3)
    assert np.interp(crossing, bits, grows) == pytest.approx(height, rel=1e-3)
    assert np.all((grows < height) == (bits < crossing))
    printed_alpha = brentq(excess, 1e-4, 1, args=(printed,))
    assert (
        f"beyond |X| = s = 2^{crossing:.1f}. As printed: {about(3 * printed_alpha)}."
        in panel.sentence
    )
    assert not theorem_7(panel)
    assert f"plain MW {about(grows[bits == 60][0])} at |X| = 2^60" in panel.sentence


@pytest.mark.parametrize("delta", [1e-12, 1e-3])
def test_promises_with_delta(delta):
    at = {"num_queries": 500, "n": 10**7, "epsilon": 0.5, "delta": delta}
    panel = explore(price.sparse_or_plain, support=30, **at)
    shown, beta = curves(panel.figure.axes[0]), {"beta": 0.05}
    flat = smw_alpha(support=30, **at, **beta)
    np.testing.assert_allclose(shown["SMW"][1], 3 * flat)
    bits, grows = shown["plain MW"]
    every = [online_ic_alpha(universe_size=2.0**b, **at, **beta) for b in bits[::7]]
    np.testing.assert_allclose(grows[::7], 3 * np.array(every))
    size = smw_size(support=30, alpha=flat)
    assert online_ic_alpha(universe_size=size, **at, **beta) == pytest.approx(flat, rel=1e-6)
    bare = (math.log(30)) ** 0.25 * (math.log(4 / delta) * math.log(500 / 0.05) / 5e6) ** 0.5
    np.testing.assert_allclose(theorem_7(panel), [bare] * 2)
    assert panel.sentence.endswith(f"Theorem 7, constant 1: {about(bare)}.")


def test_theorem_7_s_value_from_the_lecture_s_constants():
    """m = 1, k = 1000, n = 10^6, δ = 1e-6, ε = 1, β = 0.05: α = 0.0542; with ln m it would be 0."""
    panel = explore(price.sparse_or_plain, support=1, delta=1e-6)
    assert f"As printed: {about(3 * 0.0542)}" in panel.sentence
    assert panel.sentence.endswith("Theorem 7, constant 1: 0.") and not theorem_7(panel)


def test_what_exceeds_1_is_said_to_say_nothing():
    panel = explore(price.sparse_or_plain, n=10**5, support=10)
    assert "at |X| = 2^10 (both say nothing)." in panel.sentence
    assert (
        "at |X| = 2^5 (SMW says nothing)."
        in panel.set(universe_size="2^5", support=100, n=150_000).sentence
    )
    assert "at every |X| shown" in panel.set(epsilon=0.05, support=1, num_queries=10**9).sentence
    panel.set(**panel.start | {"n": 10**6, "universe_size": "2^200"})
    told = "3α = 0.525 on any universe, plain MW 1.28 at |X| = 2^200 (says nothing)."
    assert told in panel.sentence


def test_values_beyond_the_sliders_are_refused():
    assert "support must be from 1 to" in explore(price.cost_per_query, support=501).sentence
    with pytest.raises(ParameterError):
        explore(price.sparse_or_plain, universe_size="2^7")


def test_all_fits_and_every_slider_changes_the_picture(capsys):
    for figure in (price.cost_per_query, price.sparse_or_plain):
        panel, choices = explore(figure), figure.demo.choices
        for end in (0, -1):
            values = {name: values[end] for name, values in choices.items()}
            panel.set(**values)
            for axes in panel.figure.axes:
                low, high = axes.get_ylim()
                inside = [x for x in axes.get_lines() if x.get_transform() == axes.transData]
                drawn = np.concatenate([np.atleast_1d(x.get_ydata()) for x in inside])
                drawn = drawn[np.isfinite(drawn) & (drawn > 0)]
                assert low <= drawn.min() and drawn.max() <= high
        check_room(figure)
        sweep(panel)
