"""The checks of notebook 08 accept every right answer, name what is wrong, and have their facts."""

import inspect
import itertools
import math
import runpy
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from course_lib.alp import alp_expected_error, alp_loss, alp_zero_error
from course_lib.checks import alp as checks
from course_lib.checks import alp_estimate, alp_flip, alp_flip_law, alp_rounding, alp_scaling
from course_lib.checks.alp_arrays import LEVEL
from course_lib.checks.one_number import values
from tests.wrong_answers import alp as wrong_flips
from tests.wrong_answers import alp_best, alp_right
from tests.wrong_answers import alp_estimate as wrong_estimates
from tests.wrong_answers import alp_rounding as wrong_roundings

SOLUTIONS = runpy.run_path(str(Path(__file__).parents[1] / "notebooks" / "solutions" / "alp.py"))
# name: (check, right answers, wrong ones, what is said of a right one), for test_checks_functions
FUNCTIONS = {
    "flip": (
        checks.check_flip,
        alp_right.RIGHT_FLIP,
        wrong_flips.WRONG_FLIP,
        "Right: in 720 tables each bit flips on its own with probability 1/(α + 2)",
    ),
    "round_at_random": (
        checks.check_rounding,
        alp_right.RIGHT_ROUNDING,
        wrong_roundings.WRONG_ROUNDING,
        "Right: in 5,000 runs each of 14 values goes to a neighbour, up with its fraction",
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
        wrong_estimates.WRONG_SCALING,
        "Right: in 5 cases values and cap go in times ε and the estimates come back divided",
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
    "a flip that fits nothing": (checks.check_flip, wrong_flips.with_p(lambda a: 0.05)),
    "rounding by choice": (checks.check_rounding, alp_right.by_choice_of_neighbour),
    "a rounding that fits nothing": (
        checks.check_rounding,
        wrong_roundings.going_up(lambda v, f: f**0.5),
    ),
    "an estimate that fits nothing": (checks.check_estimate, lambda bits: 0.1 * len(bits)),
    "a scaling that fits nothing": (
        checks.check_alp_scaling,
        lambda v, c, a, e, alp1: alp1(v, c, a) + 1,
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


def test_flips_tell_each_slip_from_the_others():
    # some 14,400 zeros and ones for each α: a rate is off by 0.025 with probability below 5e-8
    rates = [np.array([(alp_flip.chance(a),) * 2 for a in alp_flip.ALPHAS])]
    rates += [np.array([of(alpha) for alpha in alp_flip.ALPHAS]) for of, _ in alp_flip.SLIPS]
    for one, other in itertools.combinations(rates, 2):
        assert np.abs(one - other).max() > 0.06


def test_roundings_tell_each_slip_from_the_others():
    # 5,000 runs: a rate is off by 0.05 with probability below 5e-8
    laws = [alp_rounding.RIGHT, *(law for law, _ in alp_rounding.SLIPS)]
    for law in laws:
        assert np.allclose(law.sum(axis=1), 1)
    for one, other in itertools.combinations(laws, 2):
        assert np.abs(one - other).max() > 0.1


def test_the_spread_of_the_flips_is_judged_at_its_level():
    """Chernoff’s bound is no larger than LEVEL where it says so, and not idle."""
    rng, tables = np.random.default_rng(3), alp_flip.TABLES
    p = np.array([[alp_flip.chance(alpha)] for alpha in alp_flip.ALPHAS])
    ratios = np.array(
        [alp_flip_law.spread(rng.binomial(120, p, size=(3, tables)), 120) for _ in range(300)]
    )
    deviation = math.sqrt(2 / (3 * tables))  # of a chi-square that is divided by its mean
    assert not ratios[:, 1].any()
    assert abs(ratios[:, 0].mean() - 1) < 5 * deviation / math.sqrt(300)
    assert abs(ratios[:, 0].std() / deviation - 1) < 0.2
    for factor, off in ((0.65, True), (0.85, False), (1.2, False), (1.5, True)):
        wide = 120 * p + math.sqrt(factor) * np.sqrt(120 * p * (1 - p)) * chi_square_like(tables)
        assert alp_flip_law.spread(np.rint(wide).astype(int), 120)[1] == off


def chi_square_like(tables):
    """Numbers of mean 0 and variance 1: the quantiles of the normal law."""
    found = norm.ppf((np.arange(tables) + 0.5) / tables)
    return found / found.std()


def test_the_lean_of_a_right_rounding_is_far_from_1():
    rng = np.random.default_rng(4)
    results = np.floor(alp_rounding.VALUES + rng.random((100, alp_rounding.RUNS, 14)))
    leans = [alp_rounding.lean(each) for each in results]
    fraction = alp_rounding.FRACTION
    spread = math.sqrt((fraction * (1 - fraction)).sum() * 2 / 11 / math.log(2 / LEVEL))
    assert np.max(np.abs(leans)) < 0.6
    assert abs(np.std(leans) / spread - 1) < 0.3


@pytest.mark.parametrize("seed", range(5))
def test_right_answers_are_right_whatever_is_drawn(verdict, seed):
    def shift(answer):
        def shifted(*arguments):
            rng = np.random.default_rng([seed, arguments[-1].integers(2**60)])
            return answer(*arguments[:-1], rng)

        return shifted

    for name in ("flip", "round_at_random"):
        check, *_, praise = FUNCTIONS[name]
        assert verdict(check, shift(SOLUTIONS[name])).startswith(praise)


def test_the_loss_of_a_wrong_p_is_that_of_a_change_spread_over_many_entries():
    # the likelihood of one entry's output is linear between levels, h(1)/h(0) = (1 − p)/p
    alpha, p = 3.0, 1 / (math.e**3 + 1)
    ratio, losses = (1 - p) / p, []
    for entries in (1, 10, 1000, 100_000):
        step = 1 / (alpha * entries)
        losses.append(entries * math.log((1 - step) + step * ratio))
    assert losses == sorted(losses)
    assert losses[-1] < alp_flip.loss(p, alpha) < losses[-1] + 0.01
    assert round(alp_flip.loss(p, alpha), 2) == 6.36
    for right_alpha in alp_flip.ALPHAS:
        assert math.isclose(alp_flip.loss(alp_flip.chance(right_alpha), right_alpha), 1)


def test_what_scaling_by_the_histogram_s_factor_costs_a_change_that_is_spread():
    for epsilon in (0.2, 0.5, 1.6, 2.0):
        factor = math.expm1(epsilon)
        one, *_, spread = (
            float(alp_loss(entries=n, alpha=7.0, epsilon=factor)) for n in (1, 10, 10**6)
        )
        assert math.isclose(one, epsilon)
        assert factor > spread > 0.999 * factor > epsilon


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
        "flip": "(bits, alpha, rng)",
        "round_at_random": "(values, rng)",
        "estimate": "(bits)",
        "alp": "(values, cap, alpha, epsilon, alp1)",
        "best_alpha": "(load)",
    }
    for name, expected in signatures.items():
        assert str(inspect.signature(SOLUTIONS[name])) == expected
