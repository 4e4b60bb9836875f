"""What the pictures of notebook 02 show, against the library: nbval does not look at pictures."""

import functools

import numpy as np
import pytest

from course_lib.demos import numeric_sparse as demos
from course_lib.demos import numeric_sparse_price as price
from course_lib.demos import numeric_sparse_survey as survey
from course_lib.demos.explore import Panel, about
from course_lib.exact.family import member
from course_lib.exact.transcripts import wrong_answer_probability
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.data import health_values, load_survey
from course_lib.numeric_sparse import (
    numeric_sparse,
    numeric_sparse_alpha,
    numeric_sparse_alpha_printed,
)
from course_lib.support.answers import BELOW
from course_lib.toolbox import advanced_composition
from tests.pictures import intervals, lines


@functools.cache
def panel_of(figure):
    return Panel(figure)


def explore(figure, **parameters):
    """The one panel of a figure, moved: making a panel takes longer than moving it."""
    panel = panel_of(figure)
    return panel.set(**panel.start | parameters)


@pytest.mark.parametrize("cutoff", [1, 4, 12])
@pytest.mark.parametrize("seed", range(3))
def test_one_run_shows_a_run_of_the_mechanism(cutoff, seed):
    """Its numbers are those of the slide's code, and each noisy count fits its noisy threshold."""
    at = {"threshold": 900, "cutoff": cutoff, "epsilon": 0.3}
    panel = explore(survey.one_sparse_run, **at, seed=seed)
    rng = np.random.default_rng(seed)
    answers = list(numeric_sparse(load_survey(), survey.STREAM, **at, rng=rng))
    above = [i for i, answer in enumerate(answers) if answer is not BELOW]
    numbers, places = lines(panel)["released"].get_data()
    assert list(places) == above and list(numbers) == [answers[i] for i in above]
    shown = [text.get_text() for text in panel.figure.axes[0].texts]
    assert [shown[i] for i in above] == [f"{answers[i]:,.0f}" for i in above]
    assert shown[len(answers) :] == ["not asked"] * (24 - len(answers))
    bar = lines(panel)["noisy T"].get_xdata()[::3]
    over = lines(panel)["noisy count"].get_xdata() >= bar
    assert np.flatnonzero(over).tolist() == above
    assert (np.flatnonzero(np.diff(bar)) == [i for i in above if i < len(answers) - 1]).all()


def test_one_run_sentence_says_where_it_halts():
    panel = explore(survey.one_sparse_run, cutoff=1, epsilon=10.0)
    assert "⊤ at query 15, then a halt with 9 unasked; error of the number" in panel.sentence
    panel.set(cutoff=2)
    assert "⊤ at queries 15 and 16, then a halt with 8 unasked; largest error" in panel.sentence
    assert "unasked" not in panel.set(cutoff=6).sentence


def test_one_run_tells_what_is_not_seen():
    """At seed 0 one noisy count is too low and so is a released number; the words show both."""
    panel = explore(survey.one_sparse_run, epsilon=0.1, threshold=500, cutoff=12)
    low, high = panel.figure.axes[0].get_xlim()
    for label, hidden in ("noisy count", 1), ("released", 1), ("noisy T", 0):
        x = np.array(lines(panel)[label].get_xdata())
        assert np.count_nonzero((x < low) | (x > high)) == hidden
    assert panel.sentence.endswith("picture: one noisy count and one released number.")
    assert "−5,050" in [text.get_text() for text in panel.figure.axes[0].texts]
    assert "utside" not in panel.reset().sentence


AT = [
    {"cutoff": 1, "num_queries": 1, "epsilon": 5.0, "delta": 1e-3},
    {"cutoff": 10, "num_queries": 1000, "epsilon": 1.0, "delta": 0.0},
    {"cutoff": 7, "num_queries": 10**12, "epsilon": 0.05, "delta": 1e-9},
]


@pytest.mark.parametrize("at", AT)
def test_failure_curves_are_theorem_and_exact_value(at):
    panel = explore(demos.sparse_failure_against_alpha, **at, alpha=500.0)
    k, ask = at["num_queries"], {name: at[name] for name in ("cutoff", "epsilon", "delta")}
    alpha, exact = lines(panel)["exact"].get_data()
    row = member("numeric_sparse", **ask)
    np.testing.assert_allclose(exact, failure(row, num_queries=k, alpha=alpha), rtol=1e-8)
    for label, theorem in (
        ("Theorem 3.28", numeric_sparse_alpha),
        ("printed (δ > 0)", numeric_sparse_alpha_printed),
    ):
        beta = lines(panel)[label].get_ydata()
        if at["delta"] == 0 and theorem is numeric_sparse_alpha_printed:
            assert np.isnan(beta).all()  # there it is the theorem itself
            continue
        inside = (beta > 0) & (beta < 1)
        back = theorem(num_queries=k, beta=beta[inside], **ask)
        np.testing.assert_allclose(back, alpha[inside], rtol=1e-9)
    assert (lines(panel)["Theorem 3.28"].get_ydata() >= exact).all()


def test_failure_sentence_has_the_numbers_of_the_library():
    at = {"cutoff": 10, "epsilon": 0.5, "delta": 1e-6}
    panel = explore(demos.sparse_failure_against_alpha, **at, num_queries=100, alpha=7000.0)
    row, ask = member("numeric_sparse", **at), {"num_queries": 100, "beta": 0.05}
    for number in (
        failure(row, num_queries=100, alpha=7000.0),
        alpha_exact(row, **ask),
        numeric_sparse_alpha(**ask, **at),
        numeric_sparse_alpha_printed(**ask, **at),
    ):
        assert about(number) in panel.sentence
    panel.set(epsilon=5.0, delta=0.0, alpha=1e6)
    assert "promises at most 10⁻³⁰⁰; it fails with probability below 10⁻³⁰⁰" in panel.sentence
    panel.set(epsilon=5.0, cutoff=10, num_queries=1000, delta=1e-3, alpha=50_000.0)
    assert "(printed: below 10⁻³⁰⁰)" in panel.sentence  # and its own bound is not that small


@pytest.mark.parametrize(("cutoff", "k"), [(1, 1), (3, 4), (10, 1000)])
def test_measured_intervals_hold_the_exact_value(cutoff, k):
    """Five panels, four intervals each at 95%: fewer than 14 of 20 has probability below 3e-4."""
    held, at = 0, {"cutoff": cutoff, "delta": 1e-6 if cutoff == 3 else 0.0}
    panel = explore(demos.sparse_failure_against_alpha, **at, num_queries=k)
    row = member("numeric_sparse", epsilon=1.0, **at)
    for seed in range(5):
        alpha, low, high = intervals(panel.set(seed=seed))
        exact = failure(row, num_queries=k, alpha=alpha)
        held += np.count_nonzero((low <= exact + 1e-9) & (exact <= high))
    assert held >= 14


def test_a_stream_shorter_than_the_cutoff_is_refused():
    for figure in demos.sparse_failure_against_alpha, demos.stated_against_needed:
        panel = explore(figure, cutoff=5, num_queries=4)
        assert panel.sentence.startswith("k = 4 is less than c = 5: the worst stream")


def test_survey_curve_is_the_mechanism_at_work():
    """2,000 runs of the slide's code against the curve, at confidence 1 - 1e-6 for each alpha."""
    at = {"threshold": 1500, "cutoff": 3, "epsilon": 0.1}
    panel = explore(survey.sparse_on_the_survey, **at)
    grid, exact = lines(panel)["exact"].get_data()
    values, rng, worst = health_values(), np.random.default_rng(0), []
    queries = [lambda _, v=v: v for v in values]
    for _ in range(2_000):
        errors = [0.0]
        for value, answer in zip(
            values, numeric_sparse(None, queries, **at, rng=rng), strict=False
        ):
            if answer is BELOW:
                errors.append(value - 1500)
            else:
                errors.extend([abs(answer - value), 1500 - value])
        worst.append(max(errors))
    for alpha in (0, 300, 800, 1600):
        seen = np.count_nonzero(np.array(worst) > alpha)
        low, high = clopper_pearson(seen, 2_000, confidence=1 - 1e-6)
        assert low <= exact[np.searchsorted(grid, alpha)] <= high


def test_survey_sentence_says_when_the_theorem_does_not_apply():
    panel = explore(survey.sparse_on_the_survey, threshold=1500)
    assert "does not apply: 8 counts reach T − α" in panel.sentence
    assert "promises nothing" in panel.set(threshold=1800).sentence
    assert "promises at most" in panel.set(epsilon=5.0).sentence
    # 4,065 and 4,039 are queries 21 and 22, and 6,308 is query 23
    assert survey.condition(6000, 1, 500) == "does not apply: 2 counts reach T − α"
    assert survey.condition(11_000, 1, 500) == ""
    assert "Wrong with probability below 10⁻¹²" in panel.set(epsilon=10.0, alpha=1000).sentence


def test_survey_number_off_the_grid_is_exact():
    panel = explore(survey.sparse_on_the_survey, alpha=110)
    row = member("numeric_sparse", cutoff=6, epsilon=1.0)
    exact = wrong_answer_probability(row, health_values(), threshold=1800, alpha=110)
    assert f"Wrong with probability {about(exact)}," in panel.sentence


@pytest.mark.parametrize("epsilon", [0.1, 5.0, 20.0])
@pytest.mark.parametrize("delta", [1e-12, 0.1])
def test_scale_curves_spend_epsilon(epsilon, delta):
    """A run with noise σ costs 2/σ: composed, the full formula spends ε and the shortcut less."""
    panel = explore(price.scale_against_cutoff, epsilon=epsilon, delta=delta)
    basic, shortcut, full, *_ = lines(panel).values()
    c = basic.get_xdata()
    np.testing.assert_allclose(c * 2 / basic.get_ydata(), epsilon)
    spent = advanced_composition(runs=c, epsilon=2 / full.get_ydata(), delta=delta)
    np.testing.assert_allclose(spent, epsilon, rtol=1e-6)
    sigma = np.sqrt(32 * c * np.log(1 / delta)) / epsilon
    spent = advanced_composition(runs=c, epsilon=2 / sigma, delta=delta)
    unproved = np.minimum(spent, c * 2 / sigma) > epsilon  # by neither composition theorem
    assert unproved.any() == (delta == 0.1 and epsilon == 20.0)
    np.testing.assert_array_equal(np.isnan(shortcut.get_ydata()), unproved)
    shown = ~np.isnan(shortcut.get_ydata())
    np.testing.assert_allclose(shortcut.get_ydata()[shown], sigma[shown])


def test_scale_sentence_says_where_the_shortcut_is_proved():
    panel = explore(price.scale_against_cutoff, delta=0.1, cutoff=1, epsilon=20.0)
    assert "σ is 0.1 by basic composition, 0.429 by the shortcut (proved here for every ε)" in (
        panel.sentence
    )
    panel.set(cutoff=100, epsilon=7.0)
    assert "by the shortcut (proved here up to ε = 8.34)" in panel.sentence
    panel.set(epsilon=20.0)
    assert "not given by the shortcut (proved here only up to ε = 8.34)" in panel.sentence
    assert "would pay from c = 19, but is not proved there" in panel.sentence


@pytest.mark.parametrize("cutoff", [1, 10, 50])
def test_printed_bound_fails_exactly_where_its_ratio_is_below_one(cutoff):
    panel = explore(demos.stated_against_needed, cutoff=cutoff)
    (k, ratio), (_, rate) = (lines(panel, axes)["printed"].get_data() for axes in (0, 1))
    assert ((ratio < 1) == (rate > 0.05)).all() and (ratio < 1).any() and (ratio > 1).any()
    at = {"cutoff": cutoff, "epsilon": 0.7, "delta": 1e-8}
    alpha = numeric_sparse_alpha_printed(num_queries=k, beta=0.05, **at)
    row = member("numeric_sparse", **at)
    np.testing.assert_allclose(rate, failure(row, num_queries=k, alpha=alpha), rtol=1e-7)
    np.testing.assert_allclose(failure(row, num_queries=k, alpha=alpha / ratio), 0.05, rtol=1e-7)
    corrected = lines(panel, 1)["corrected"].get_ydata()
    alpha = numeric_sparse_alpha(num_queries=k, beta=0.05, **at)
    np.testing.assert_allclose(corrected, failure(row, num_queries=k, alpha=alpha), rtol=1e-7)
    assert (corrected <= 0.05).all()


@pytest.mark.parametrize(
    ("cutoff", "k", "rate"), [(1, 1, "0.212"), (10, 100, "0.17"), (50, 1000, "0.207")]
)
def test_printed_bound_is_said_to_be_broken(cutoff, k, rate):
    panel = explore(demos.stated_against_needed, cutoff=cutoff, num_queries=k)
    assert f"fails with probability {rate}," in panel.sentence and "broken" in panel.sentence
    assert "kept" in panel.set(num_queries=10**6).sentence
    same = int(panel.sentence.split("From k = ")[1].split(" on")[0].replace(",", ""))
    at = {"cutoff": cutoff, "beta": 0.05, "epsilon": 1.0, "delta": 1e-6}
    for k, larger in (same - 1, True), (same, False):
        right = numeric_sparse_alpha(num_queries=k, **at)
        assert (right > numeric_sparse_alpha_printed(num_queries=k, **at)) == larger


def test_numbers_curves_are_the_law_of_the_largest_of_c_errors():
    panel = explore(price.numbers_against_finding, cutoff=20, epsilon=0.5, delta=1e-3)
    shown = lines(panel)
    for label, delta in (("numbers, δ = 0", 0.0), ("numbers, δ > 0", 1e-3)):
        row = member("numeric_sparse", cutoff=20, epsilon=0.5, delta=delta)
        alpha, tail = shown[label].get_data()
        np.testing.assert_allclose(tail, 1 - (1 - np.exp(-alpha / row.release_scale)) ** 20)
    alpha, fails = shown["⊤ and ⊥, δ = 0"].get_data()
    row = member("sparse", cutoff=20, epsilon=0.5 * 8 / 9)
    exact = failure(row, num_queries=10_000, alpha=alpha)
    np.testing.assert_allclose(fails, exact, rtol=1e-8)


def test_measured_numbers_hold_the_exact_tail():
    """Eight panels, four intervals each at 95%: fewer than 25 of 32 has probability below 3e-4."""
    held, scale, panel = 0, 90.0, explore(price.numbers_against_finding)  # σ is 9c/ε
    for seed in range(8):
        x, low, high = (part[:4] for part in intervals(panel.set(seed=seed)))
        exact = 1 - (1 - np.exp(-x / scale)) ** 10
        held += np.count_nonzero((low <= exact) & (exact <= high))
    assert held >= 25


def test_numbers_sentence_has_the_errors_passed_in_one_run_of_twenty():
    panel = explore(price.numbers_against_finding, epsilon=0.5, delta=1e-3)
    for delta in (0.0, 1e-3):
        row = member("numeric_sparse", cutoff=10, epsilon=0.5, delta=delta)
        assert about(-row.release_scale * np.log(1 - 0.95**0.1)) in panel.sentence
    row = member("sparse", cutoff=10, epsilon=0.5 * 8 / 9)
    needed = alpha_exact(row, num_queries=10_000, beta=0.05)
    assert f"right within {about(needed)}." in panel.sentence
    assert "larger" in panel.set(cutoff=500, delta=1e-6).sentence
    assert "smaller" in panel.set(cutoff=2000).sentence
    assert "except in 5% of runs, the error of the number" in panel.set(cutoff=1).sentence
