"""The checks of notebook 08 accept every right answer, name what is wrong, and have their facts.

What concerns chance, in flips and roundings, is in test_checks_alp_noise.
"""

import inspect
import itertools
import math
import time

import numpy as np
import pytest

from course_lib.alp import alp_expected_error, alp_loss, alp_zero_error
from course_lib.checks import alp as checks
from course_lib.checks import alp_estimate, alp_scaling
from course_lib.checks.one_number import values
from course_lib.checks.solutions import alp as solutions
from tests.wrong_answers import alp as wrong_flips
from tests.wrong_answers import alp_best, alp_flip_form, alp_right, alp_rounding_step
from tests.wrong_answers import alp_estimate as wrong_estimates
from tests.wrong_answers import alp_rounding as wrong_roundings
from tests.wrong_answers import alp_scaling as wrong_scalings

# name: (check, right answers, wrong ones, what is said of a right one), for test_checks_functions
FUNCTIONS = {
    "flip": (
        checks.check_flip,
        alp_right.RIGHT_FLIP,
        wrong_flips.WRONG_FLIP | alp_flip_form.WRONG_FLIP_FORM,
        "Right: in 720 tables each bit flips on its own with probability 1/(e^cost + 1)",
    ),
    "round_at_random": (
        checks.check_rounding,
        alp_right.RIGHT_ROUNDING,
        wrong_roundings.WRONG_ROUNDING | alp_rounding_step.WRONG_STEP,
        "Right: in 5,000 runs, with two steps, each of 14 values goes to a neighbouring multiple",
    ),
    "estimate": (
        checks.check_estimate,
        alp_right.RIGHT_ESTIMATE,
        wrong_estimates.WRONG_ESTIMATE,
        "Right: for all 2,046 patterns of 1 to 10 bits you take the average of the maxima",
    ),
    "alp": (
        checks.check_alp_scaling,
        alp_right.RIGHT_SCALING,
        wrong_scalings.WRONG_SCALING,
        "Right: in 6 cases values and cap go in times ε/Δ and the estimates come back divided",
    ),
    "best_alpha": (
        checks.check_best_alpha,
        alp_right.RIGHT_BEST,
        alp_best.WRONG_BEST,
        "Right: for 6 loads your α makes the bound smallest: 2/√(1 − (1 − 2·load)²/2)",
    ),
}
# right answers that draw one number at a time, and answers that fit no slip, so that all are tried
SLOW = {
    "flip by choice": (checks.check_flip, alp_right.by_choice),
    "a flip that fits nothing": (checks.check_flip, wrong_flips.with_p(lambda c: 0.1 / c)),
    "rounding by choice": (checks.check_rounding, alp_right.by_choice_of_neighbour),
    "a rounding that fits nothing": (
        checks.check_rounding,
        wrong_roundings.going_up(lambda x, f: f**0.5),
    ),
    "an estimate that fits nothing": (checks.check_estimate, lambda bits: 0.1 * len(bits)),
    "a scaling that fits nothing": (
        checks.check_alp_scaling,
        lambda v, c, a, d, e, alp1: alp1(v, c, a) + 1,
    ),
    "an α that fits nothing": (checks.check_best_alpha, lambda load: 3.3 + load),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_verdict_is_quick(verdict, name):
    start = time.process_time()
    verdict(*SLOW[name])
    assert time.process_time() - start < 3


# name: (model, axes, cases), for test_checks_slips
TASKS = {
    "estimate": (alp_estimate.estimated, alp_estimate.AXES, alp_estimate.PATTERNS),
    "alp": (alp_scaling.scaled, alp_scaling.AXES, alp_scaling.ENTRIES),
    "best_alpha": (checks.best, checks.AXES, checks.LOADS),
}
ALONE = {"alp": 0}  # the axis that sets all the others


def test_an_inexact_search_is_told_from_each_slip():
    numbers = [
        np.array(list(values(checks.best, checks.LOADS, [choice]))) for choice, _ in checks.AXES[0]
    ]
    for one, other in itertools.combinations(numbers, 2):
        assert (np.abs(one - other) > 3 * checks.TOLERANCE * np.abs(one)).any()


def test_no_slip_is_near_enough_to_be_right():
    tolerances = np.array([1 - checks.TOLERANCE, 1, 1 + checks.TOLERANCE])
    for choice, _ in checks.AXES[0][1:]:
        slip = values(checks.best, checks.LOADS, [choice])
        assert any(
            not any(checks.good(alpha, **case) for alpha in number * tolerances)
            for case, number in zip(checks.LOADS, slip, strict=True)
        )


def test_how_close_to_the_best_alpha_is_close_enough():
    for case in checks.LOADS:
        best = checks.best(**case, choice=checks.AXES[0][0][0])
        assert all(checks.good(best + error, **case) for error in (-0.025, 0, 0.025))
        assert not any(checks.good(best + error, **case) for error in (-0.08, 0.08, -best))


def costs(factor, sensitivity, entries):
    """What a change of the sensitivity, in equal parts, costs if alp1 sees it times a factor."""
    return float(alp_loss(entries=entries, alpha=7.0, epsilon=factor * sensitivity))


@pytest.mark.parametrize("sensitivity", [1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.6, 2.0])
def test_what_scaling_by_the_histogram_s_factor_costs_a_change_that_is_spread(sensitivity, epsilon):
    histogram = math.expm1(epsilon) / sensitivity
    assert math.isclose(costs(histogram, sensitivity, 1), epsilon)
    for factor in (histogram, math.expm1(epsilon / sensitivity)):
        total = factor * sensitivity
        assert total > costs(factor, sensitivity, 10**6) > 0.998 * total > epsilon


def test_a_factor_costs_the_sensitivity_times_itself():
    epsilon, sensitivity, sentences = 0.5, 3.0, dict(alp_scaling.AXES[3])
    factors = {(1, -1): 1, (1, 0): 3, (0, -1): 2, (1, 1): 9, (-1, 1): 36, (0, 0): 6}
    for (e, d), budgets in factors.items():
        factor = epsilon**e * sensitivity**d
        cost = costs(factor, sensitivity, 10**6)
        assert budgets * epsilon > cost > 0.999 * budgets * epsilon
        if budgets > 1:
            assert f"Δ = 3 that is {budgets} times the budget" in sentences[e, d]


def highest(g, level, length):
    """E[first], E[average], E[last maximum] of the walk to `length`, simulated."""
    rng, walks = np.random.default_rng(5), 40_000
    steps = np.where(rng.random((walks, length)) < g, -1, 1) * np.where(
        np.arange(length) < level, 1, -1
    )
    walk = np.zeros((walks, length + 1), dtype=np.int16)
    np.cumsum(steps, axis=1, out=walk[:, 1:])
    tops = walk == walk.max(axis=1, keepdims=True)
    places = np.arange(length + 1)
    first, last = tops.argmax(axis=1), length - tops[:, ::-1].argmax(axis=1)
    all_of = [first, (tops * places).sum(axis=1) / tops.sum(axis=1), last]
    return [(each.mean() - level, 5 * each.std() / math.sqrt(walks)) for each in all_of]


def test_what_the_estimates_messages_say_of_the_bias():
    g = 1 / 6
    half = alp_estimate.spread(g) / 2
    for (mean, width), expected in zip(highest(g, 30, 60), (-half, 0, half), strict=True):
        assert abs(mean - expected) < width < 0.06
    exact, first = alp_estimate.zero_levels(g)
    (low, low_width), (mean, width), _ = highest(g, 0, 40)
    assert abs(low - first) < low_width < 0.06
    assert abs(mean - exact) < width < 0.06
    assert math.isclose(exact, alp_zero_error(alpha=4, epsilon=4))


def test_the_best_alpha_is_that_of_the_theorem():
    alphas = np.arange(1, 6, 0.001)
    for case in checks.LOADS:
        bounds = alp_expected_error(**case, alpha=alphas, epsilon=1)
        expected = alphas[np.argmin(bounds)]
        assert abs(checks.best(**case, choice=checks.AXES[0][0][0]) - expected) < 0.001


def test_solutions_have_the_stubs_parameters():
    signatures = {
        "flip": "(bits, cost, rng)",
        "round_at_random": "(values, step, rng)",
        "estimate": "(bits)",
        "alp": "(values, cap, alpha, sensitivity, epsilon, alp1)",
        "best_alpha": "(load)",
    }
    for name, expected in signatures.items():
        assert str(inspect.signature(getattr(solutions, name))) == expected
