"""What the pictures of notebook 01 show, against the library: nbval does not look at pictures."""

import numpy as np
import pytest

from course_lib.above_threshold import above_threshold, above_threshold_alpha, above_threshold_beta
from course_lib.demos import above_threshold as demos
from course_lib.demos import above_threshold_price as price
from course_lib.demos.explore import about, explore
from course_lib.exact.above_threshold import (
    above_threshold_alpha_exact,
    above_threshold_failure,
    above_threshold_loss,
    first_above_errors,
)
from course_lib.lab.data import health_values, load_survey
from course_lib.support.answers import ABOVE
from course_lib.toolbox import advanced_composition, laplace_alpha
from tests.pictures import intervals, lines


def test_one_run_shows_a_run_of_the_mechanism():
    panel = explore(demos.one_run, epsilon=0.02, threshold=900, seed=4)
    answers = list(
        above_threshold(
            load_survey(),
            demos.STREAM,
            threshold=900,
            epsilon=0.02,
            rng=np.random.default_rng(4),
        )
    )
    shown = [text.get_text() for text in panel.figure.axes[0].texts]
    assert shown[: len(answers)] == [str(answer) for answer in answers]
    assert set(shown[len(answers) :]) <= {"not asked"}
    noisy, bar = lines(panel)["noisy count"].get_xdata(), lines(panel)["noisy T"].get_xdata()[0]
    assert ((noisy >= bar) == [answer is ABOVE for answer in answers]).all()


def test_one_run_grows_query_by_query():
    panel = explore(demos.one_run, threshold=3000)
    for k in (1, 5, 16):
        panel.set(num_queries=k)
        assert len(lines(panel)["count"].get_xdata()) == k


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
@pytest.mark.parametrize("k", [1, 1000, 10**12])
def test_failure_curves_are_theorem_and_exact_value(epsilon, k):
    panel = explore(demos.failure_against_alpha, epsilon=epsilon, num_queries=k, alpha=50.0)
    alpha, exact = lines(panel)["exact"].get_data()
    at = {"num_queries": k, "epsilon": epsilon}
    np.testing.assert_allclose(exact, above_threshold_failure(alpha=alpha, **at), rtol=1e-9)
    promised = lines(panel)["Theorem 3.24"].get_ydata()
    np.testing.assert_allclose(promised, above_threshold_beta(alpha=alpha, **at), rtol=1e-9)
    assert (promised >= exact).all()


def test_measured_intervals_hold_the_exact_value():
    """Eight panels, five intervals each at 95%: fewer than 33 of 40 has probability below 0.001."""
    held = 0
    for seed in range(8):
        panel = explore(demos.failure_against_alpha, seed=seed)
        alpha, low, high = intervals(panel)
        exact = above_threshold_failure(num_queries=1000, alpha=alpha, epsilon=1.0)
        held += np.count_nonzero((low <= exact) & (exact <= high))
        assert len(alpha) == 5
    assert held >= 33


def test_failure_sentence_has_the_numbers_of_the_library():
    panel = explore(demos.failure_against_alpha, epsilon=0.5, num_queries=10, alpha=100.0)
    at = {"num_queries": 10, "epsilon": 0.5}
    for number in (
        above_threshold_beta(alpha=100.0, **at),
        above_threshold_failure(alpha=100.0, **at),
    ):
        assert about(number) in panel.sentence
    for number in (
        above_threshold_alpha(beta=0.05, **at),
        above_threshold_alpha_exact(beta=0.05, **at),
    ):
        assert about(number) in panel.sentence


def test_survey_curve_is_the_mechanism_at_work():
    """20,000 runs of the slide's code against the curve, at confidence 1 - 1e-6 for each alpha."""
    panel = explore(demos.failure_on_the_survey, threshold=1000, epsilon=0.02)
    grid, exact = lines(panel)["exact"].get_data()
    values = health_values()[:16]
    errors, rng, runs = first_above_errors(values, threshold=1000), np.random.default_rng(0), 20_000
    values = [lambda data, v=v: v for v in values]
    outcomes = []
    for _ in range(runs):
        answers = list(above_threshold(None, values, threshold=1000, epsilon=0.02, rng=rng))
        outcomes.append(len(answers) - 1 if answers[-1] is ABOVE else len(values))
    for alpha in (0, 100, 300, 600):
        seen = np.mean(errors[outcomes] > alpha)
        rate = exact[np.searchsorted(grid, alpha)]
        assert abs(seen - rate) < 4.9 * np.sqrt(rate * (1 - rate) / runs)


def test_a_probability_too_small_for_the_arithmetic_is_not_called_zero():
    """2k e^(−εα/8) is 10^−259, then 10^−1345; where all counts are within α none can be wrong."""
    panel = explore(demos.failure_against_alpha, num_queries=10**12, alpha=5000.0)
    assert "fails with probability below 10⁻³⁰⁰" in panel.sentence
    assert "promises at most 10⁻³⁰⁰;" in panel.set(epsilon=5.0).sentence
    survey = explore(demos.failure_on_the_survey, threshold=0, alpha=2000, epsilon=1.0)
    assert "Wrong answers: below 10⁻³⁰⁰, measured 0" in survey.sentence
    assert "exactly 0," in survey.set(threshold=1800).sentence


def test_survey_sentence_says_when_the_theorem_does_not_apply():
    panel = explore(demos.failure_on_the_survey, threshold=1000, alpha=200)
    assert panel.sentence.endswith("3.24 does not apply, because query 4 reaches T − α.")
    assert "reaches T − α; its proof still bounds them by" in panel.set(epsilon=1.0).sentence
    panel.set(epsilon=0.05)
    panel.set(threshold=3000, alpha=500)
    assert "promises nothing" in panel.sentence
    assert "promises at most" in panel.set(epsilon=1.0).sentence


def test_alpha_curves_are_theorem_exact_and_laplace():
    panel = explore(price.alpha_against_queries, epsilon=0.5, beta=0.1)
    shown, k = lines(panel), price.QUERIES
    at = {"num_queries": k, "beta": 0.1}
    exact = above_threshold_alpha_exact(**at, epsilon=0.5)
    np.testing.assert_allclose(shown["exact"].get_ydata(), exact, rtol=1e-9)
    basic = laplace_alpha(**at, epsilon=0.5 / k)
    np.testing.assert_allclose(shown["Laplace, basic"].get_ydata(), basic, rtol=1e-9)
    advanced = shown["Laplace, advanced"].get_ydata()
    per_run = laplace_alpha(**at, epsilon=1.0) / advanced  # the epsilon that each answer gets
    total = advanced_composition(runs=k, epsilon=per_run, delta=1e-6)
    np.testing.assert_allclose(total, 0.5, rtol=1e-6)


def test_loss_curve_is_the_exact_loss_and_stays_below_epsilon():
    panel = explore(price.loss_against_answers, epsilon=2.0, threshold=3)
    k, share = lines(panel)["exact"].get_data()
    assert (share <= 1 + 1e-9).all()
    for length, value in list(zip(k, share, strict=True))[:6]:
        m = int(length) - 1
        loss = above_threshold_loss([0] * m + [1], [1] * m + [0], threshold=3, epsilon=2.0)
        assert np.isclose(value, loss / 2.0, rtol=1e-9)
