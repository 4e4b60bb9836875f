"""Notebook 08’s flips and roundings: what the checks know of chance, and of what a bit costs."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from course_lib.checks import alp_flip, alp_flip_law, alp_rounding, alp_rounding_slips
from course_lib.checks.alp_arrays import LEVEL
from course_lib.checks.solutions import alp as solutions
from tests.test_checks_alp import FUNCTIONS


def rates_of(zeros_and_ones):
    """The chance of a flip for zeros, for ones and for both, of which there are as many."""
    zero, one = np.array([zeros_and_ones(cost) for cost in alp_flip.COSTS]).T
    return np.array([zero, one, (zero + one) / 2])


def test_flips_tell_each_slip_from_the_others():
    # an interval reaches 6 standard deviations; a table has some 60 zeros and 60 ones
    trials = alp_flip.TABLES * np.array([[60], [60], [120]])
    rates = [rates_of(lambda cost: (alp_flip.chance(cost),) * 2)]
    rates += [rates_of(slip) for slip, _ in alp_flip.SLIPS]
    deviations = [np.sqrt(rate * (1 - rate) / trials) for rate in rates]
    for (one, wide), (other, broad) in itertools.combinations(
        zip(rates, deviations, strict=True), 2
    ):
        assert (np.abs(one - other) > 6 * (wide + broad) + 1e-9).any()


def likelihoods(bits, zero, one):
    """The chance of each output of a row of bits, if a 0 and a 1 flip at these rates."""
    chances = [(1 - zero, zero) if bit == 0 else (one, 1 - one) for bit in bits]
    outputs = itertools.product((0, 1), repeat=len(bits))
    return np.array(
        [
            math.prod(law[out] for law, out in zip(chances, output, strict=True))
            for output in outputs
        ]
    )


@pytest.mark.parametrize(("zero", "one"), [(0.1, 0.1), (0.3, 0.2), (0.05, 0.4), (0.7, 0.7)])
def test_a_bit_costs_the_largest_ratio_of_two_likelihoods(zero, one):
    before, after = (likelihoods((bit, 1, 0), zero, one) for bit in (0, 1))
    assert math.isclose(np.abs(np.log(after / before)).max(), alp_flip.spent(zero, one))


def test_with_the_right_probability_a_bit_costs_exactly_the_cost():
    for cost in alp_flip.COSTS:
        p = alp_flip.chance(cost)
        assert p < 1 / 2
        assert math.isclose(alp_flip.spent(p, p), cost)
    for alpha in (0.5, 1.0, 3.0):
        assert math.isclose(alp_flip.chance(math.log(1 + alpha)), 1 / (alpha + 2))


def test_the_spread_of_the_flips_is_judged_at_its_level():
    """Chernoff’s bound is no larger than LEVEL where it says so, and not idle."""
    rng, tables = np.random.default_rng(3), alp_flip.TABLES
    p = np.array([[alp_flip.chance(cost)] for cost in alp_flip.COSTS])
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


def laws(rule):
    """For each step and value, the chance of each result."""
    return [
        dict(zip(places.tolist(), chances.tolist(), strict=True))
        for step in alp_rounding_slips.STEPS
        for places, chances in alp_rounding_slips.law(rule, step)
    ]


def gap(one, other):
    """The largest difference between two chances of a result."""
    return max(
        abs(a.get(place, 0) - b.get(place, 0))
        for a, b in zip(one, other, strict=True)
        for place in a.keys() | b.keys()
    )


RIGHT = laws(
    alp_rounding_slips.framed(alp_rounding_slips.RIGHT_ROUNDING, alp_rounding_slips.RIGHT_FRAME)
)


def test_the_right_law_goes_up_with_the_fraction():
    places = itertools.product(alp_rounding_slips.STEPS, alp_rounding_slips.UNITS)
    for (step, units), law in zip(places, RIGHT, strict=True):
        low, fraction = math.floor(units), units % 1
        exact = {step * low: 1 - fraction} | ({step * (low + 1): fraction} if fraction else {})
        assert law == exact


def test_roundings_tell_each_slip_from_the_others():
    # 2,500 runs with each step: a rate is off by 0.06 with probability below 5e-8
    known = [RIGHT, *(laws(rule) for rule, _ in alp_rounding_slips.singles())]
    for one, other in itertools.combinations(known, 2):
        assert gap(one, other) > 0.2


def test_two_slips_do_not_make_a_right_rounding():
    pairs = itertools.product(alp_rounding_slips.ROUNDINGS, alp_rounding_slips.FRAMES)
    for (rounding, _), (frame, _) in pairs:
        assert gap(laws(alp_rounding_slips.framed(rounding, frame)), RIGHT) > 0.2


def test_the_lean_of_a_right_rounding_is_far_from_1():
    rng = np.random.default_rng(4)
    units, low = alp_rounding_slips.UNITS, alp_rounding.LOW
    moves = np.floor(units + rng.random((100, 2, alp_rounding.RUNS, 14))) - low
    leans = [alp_rounding.lean(each) for each in moves]
    fraction = alp_rounding.FRACTION
    spread = math.sqrt((fraction * (1 - fraction)).sum() * 2 / 11 / math.log(2 / LEVEL))
    assert np.max(np.abs(leans)) < 0.6
    assert abs(np.std(leans) / spread - 1) < 0.3


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_what_chance_explains_is_called_no_bias(verdict, scale):
    noisy = verdict(alp_rounding.check_rounding, lambda v, s, r: v + scale * r.normal(size=v.shape))
    assert "have to be multiples of step." in noisy
    assert "bias" not in noisy


@pytest.mark.parametrize("seed", range(5))
def test_right_answers_are_right_whatever_is_drawn(verdict, seed):
    def shift(answer):
        def shifted(*arguments):
            rng = np.random.default_rng([seed, arguments[-1].integers(2**60)])
            return answer(*arguments[:-1], rng)

        return shifted

    for name in ("flip", "round_at_random"):
        check, *_, praise = FUNCTIONS[name]
        assert verdict(check, shift(getattr(solutions, name))).startswith(praise)
