"""The theorems on ALP: printed figures, closed forms, and that exact laws never go beyond them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import laplace

from course_lib import alp, threshold_alp
from course_lib.alp import (
    alp_equation1,
    alp_expected_error,
    alp_levels,
    alp_loss,
    alp_scale,
    alp_space,
    alp_tail,
    alp_zero_error,
)
from course_lib.exact.alp import alp_exact_error, alp_law
from course_lib.exact.threshold_alp import threshold_alp_exact_error
from course_lib.support.contracts import ParameterError
from course_lib.threshold_alp import (
    threshold_alp_expected_error,
    threshold_alp_maximum_error,
    threshold_alp_projection,
    threshold_alp_space,
    threshold_error,
    threshold_level,
)

ALPHAS = [0.5, 1, 2 * math.sqrt(2), 4, 10]
LOADS = [0.0, 0.01, 0.2, 0.4]


def misleading(alpha, load):
    """g: the bit is flipped, or it is not but another entry has set it, and the two do not meet."""
    flip = 1 / (alpha + 2)
    return flip * (1 - load) + load * (1 - flip)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("load", LOADS)
def test_the_errors_are_as_printed(alpha, load):
    g = misleading(alpha, load)
    walk = 4 * g * (1 - g) / (1 - 2 * g) ** 2
    expected = alp_expected_error(load=load, alpha=alpha, epsilon=0.7)
    assert expected == pytest.approx(alpha / 0.7 * (0.5 + walk))
    zero = alp_zero_error(load=load, alpha=alpha, epsilon=0.7)
    assert zero == pytest.approx(alpha / 0.7 * walk / 2)
    for steps in (0, 1, 2.5, 10, 30):
        r = math.sqrt(4 * g * (1 - g))
        wanted = min(1, 2 * r**steps)
        assert alp_tail(steps, load=load, alpha=alpha) == pytest.approx(wanted)
    if load == 0:
        assert expected == pytest.approx((alpha / 2 + 4 + 4 / alpha) / 0.7)
        assert alp_equation1(alpha=alpha) == pytest.approx(2 * walk)
        assert alp_equation1(alpha=alpha) == pytest.approx(8 * (alpha + 1) / alpha**2)
        plain = [alp_expected_error(alpha=alpha, epsilon=0.7), alp_tail(3, alpha=alpha)]
        assert plain == [expected, alp_tail(3, load=0, alpha=alpha)]
        assert alp_zero_error(alpha=alpha, epsilon=0.7) == zero


def test_the_best_alpha():
    best = minimize_scalar(lambda a: alp_expected_error(alpha=a, epsilon=1.0), (1, 2, 9), tol=1e-9)
    assert best.x == pytest.approx(2 * math.sqrt(2), rel=1e-4)
    assert best.fun == pytest.approx(4 + 2 * math.sqrt(2)) == pytest.approx(6.83, abs=0.005)
    for load in (0.01, 0.1, 0.25):
        best = minimize_scalar(
            lambda a, load=load: alp_expected_error(load=load, alpha=a, epsilon=2.0), (1, 2, 9)
        )
        assert best.x == pytest.approx(2 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2), rel=1e-3)


def test_the_figures_of_the_histogram_scale():
    """Errors divided by 1.72 at equal alpha; against the best alpha by 2.79 and 3.16."""
    assert alp_loss(alpha=4, epsilon=1.0) == pytest.approx(math.log(2), abs=1e-12)
    assert alp_loss(alpha=4, epsilon=1.0) == pytest.approx(0.6931, abs=5e-5)
    for epsilon in (0.5, 1.0, 2.0, 3.0):
        for alpha in (math.expm1(epsilon), 30):
            scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours="histogram")
            assert scale == pytest.approx(math.exp(epsilon) - 1)
    assert alp_scale(alpha=1.0, epsilon=1.0, neighbours="histogram") == pytest.approx(math.e / 2)
    assert alp_scale(alpha=4, epsilon=1.0, neighbours="histogram") == pytest.approx(1.72, abs=0.005)
    for epsilon, gain in ((2.0, 2.79), (3.0, 3.16)):
        alpha = scale = math.expm1(epsilon)
        ours = alp_expected_error(alpha=alpha, epsilon=scale)
        assert (4 + 2 * math.sqrt(2)) / epsilon / ours == pytest.approx(gain, abs=0.005)


@given(st.floats(0.01, 20), st.floats(0.01, 10))
def test_the_histogram_scale_costs_epsilon(alpha, epsilon):
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours="histogram")
    assert alp_loss(alpha=alpha, epsilon=scale) == pytest.approx(epsilon)
    assert alp_scale(alpha=alpha, epsilon=epsilon) == epsilon


@given(st.floats(0, 1), st.floats(0.8, 10), st.floats(0.3, 2), st.floats(0, 0.45))
@settings(max_examples=40)
def test_no_entry_errs_by_more_than_the_bound(share, alpha, epsilon, load):
    cap = 19.5 * alpha / epsilon
    for value, bound in ((share * cap, alp_expected_error), (0.0, alp_zero_error)):
        exact = alp_exact_error(value, load=load, cap=cap, alpha=alpha, epsilon=epsilon)
        assert exact <= bound(load=load, alpha=alpha, epsilon=epsilon)


def test_the_error_of_a_zero_is_reached_with_many_levels():
    for alpha, load in ((4.0, 0.0), (10.0, 0.0), (10.0, 0.05)):
        caps = [levels * alpha / 2 - 1e-6 for levels in (10, 20, 40)]
        exact = [alp_exact_error(0.0, load=load, cap=cap, alpha=alpha, epsilon=2.0) for cap in caps]
        bound = alp_zero_error(load=load, alpha=alpha, epsilon=2.0)
        assert exact == sorted(exact) and exact[-1] < bound
        assert exact[-1] == pytest.approx(bound, rel=2e-3)


@pytest.mark.parametrize("alpha", [3, 3.5, 4])
def test_entries_in_the_middle_err_by_about_4_6(alpha):
    """Between 4.1 and 5.0 on average over values in the middle."""
    cap = 30 * alpha - 1e-6
    values = np.linspace(10, 20, 200, endpoint=False) * alpha
    mean = alp_exact_error(values, cap=cap, alpha=alpha, epsilon=1.0).mean()
    assert 4.1 < mean < 5.0 and mean == pytest.approx(4.6, abs=0.25)


@pytest.mark.parametrize("load", [0.0, 0.1])
@pytest.mark.parametrize("alpha", [3.0, 8.0])
def test_the_tail_is_a_bound_on_the_exact_law(alpha, load):
    """For every rounded value; of a miss between levels too, since a summit misses by more."""
    rounded = np.arange(21)
    estimates, laws = alp_law(
        rounded * alpha, load=load, cap=20 * alpha - 1e-6, alpha=alpha, epsilon=1.0
    )
    misses = np.abs(estimates / alpha - rounded[:, None])
    for steps in (1, 3.5, 5, 8, 12, 20):
        exact = np.sum(laws * (misses >= steps - 1e-9), axis=1)
        assert (exact <= alp_tail(math.ceil(steps), load=load, alpha=alpha)).all()


@pytest.mark.parametrize("alpha", [1, 3, 8])
@pytest.mark.parametrize(("sparsity", "size"), [(0, 1), (1, 10), (9, 20)])
def test_the_tail_is_that_of_the_paper(alpha, sparsity, size):
    """2(4pq)^(tau epsilon / 2 alpha - 1/2) with p = 1/(gamma + 2), in its own letters."""
    gamma = Fraction(alpha * (size - 2 * sparsity), size + alpha * sparsity)
    p = 1 / (gamma + 2)
    for epsilon, tau in ((0.5, 40.0), (1.0, 8.0), (2.0, 100.0)):
        printed = 2 * float(4 * p * (1 - p)) ** (tau * epsilon / (2 * alpha) - 1 / 2)
        ours = alp_tail(tau * epsilon / alpha - 1, load=sparsity / size, alpha=alpha)
        assert ours == pytest.approx(min(1, printed))


@pytest.mark.parametrize("load", [0.0, 0.3])
@pytest.mark.parametrize("alpha", [0.5, 4.0])
def test_an_error_of_tau_is_no_likelier_than_the_tail(alpha, load):
    """For values between the levels as well; epsilon is 2."""
    values = np.linspace(0, 15 * alpha, 151) / 2
    estimates, laws = alp_law(values, load=load, cap=15 * alpha / 2, alpha=alpha, epsilon=2.0)
    misses = np.abs(estimates - values[:, None])
    for tau in np.linspace(alpha / 2, 7 * alpha, 40):
        exact = np.sum(laws * (misses >= tau), axis=1)
        assert (exact <= alp_tail(tau * 2 / alpha - 1, load=load, alpha=alpha)).all()


@pytest.mark.parametrize("g", [Fraction(1, 10), Fraction(1, 3), Fraction(9, 20)])
def test_an_endless_walk_is_back_at_its_start_as_rarely_as_the_proof_says(g):
    """At 0 or above at step j or later: what the walk is at step j decides, and r^j bounds it."""
    rho = g / (1 - g)
    for j in (1, 2, 5, 12):
        chances = {2 * n - j: math.comb(j, n) * g**n * (1 - g) ** (j - n) for n in range(j + 1)}
        later = sum(p * (rho**-height if height < 0 else 1) for height, p in chances.items())
        assert later == sum(p * ((h >= 0) + (h > 0)) for h, p in chances.items())
        assert later**2 <= (4 * g * (1 - g)) ** j


def test_the_level_is_reached_by_one_zero_in_d():
    for dimension in (3, 1000, 10**18, 2**63):
        level = threshold_level(dimension=dimension, epsilon=0.3)
        assert laplace.sf(level, scale=1 / 0.3) == pytest.approx(1 / dimension)
    for wrong in (2, [1000, 2], 1, 2**63 + 2048):  # the next float
        with pytest.raises(ParameterError, match="dimension must be .* greater than 2, where"):
            threshold_level(dimension=wrong, epsilon=1.0)


@pytest.mark.parametrize("load", [0.0, 0.2])
def test_bounds_are_right_for_any_alpha(load):
    """Against fractions: a difference from 1 would lose all digits where alpha is large."""
    for alpha in (Fraction(2, 10**50), Fraction(3), Fraction(10**12), Fraction(10**49)):
        flip = 1 / (alpha + 2)
        g = flip + Fraction(load) * (1 - 2 * flip)
        zero = alpha * 2 * g * (1 - g) / (1 - 2 * g) ** 2
        ratio, both = math.sqrt(4 * g * (1 - g)), alpha / 2 + 2 * zero
        printed, alpha = float(8 * (alpha + 1) / alpha**2), float(alpha)
        found = alp_zero_error(load=load, alpha=alpha, epsilon=1)
        assert found == pytest.approx(float(zero), rel=1e-12)
        found = alp_expected_error(load=load, alpha=alpha, epsilon=1)
        assert found == pytest.approx(float(both), rel=1e-12)
        found = alp_tail(3, load=load, alpha=alpha)
        assert found == pytest.approx(min(1, 2 * ratio**3), rel=1e-9)
        assert alp_equation1(alpha=alpha) == pytest.approx(printed, rel=1e-12)


def test_values_of_any_number_type_are_taken():
    for values in ([3, 20], np.array([3, 20], np.uint64), np.array([3, 20], np.int8)):
        found = threshold_error(values, level=13, epsilon=1)
        assert np.allclose(found, threshold_error(np.array([3.0, 20.0]), level=13.0, epsilon=1.0))
        whole, real = (
            threshold_alp_expected_error(each, dimension=1000, alpha=3, epsilon1=1, epsilon2=1)
            for each in (values, np.array([3.0, 20.0]))
        )
        assert np.allclose(whole, real)


@pytest.mark.parametrize("level", [0.0, 2.0, 26.0])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_error_of_threshold_is_its_integral(level, epsilon):
    values = np.array([0.0, 1.0, 2.0, 7.5, 26.0, 60.0])
    found = threshold_error(values, level=level, epsilon=epsilon)
    for value, error in zip(values, found, strict=True):
        marks = sorted({0.0, level - value})
        pieces = [-60 / epsilon - value, *marks, 60 / epsilon + level]

        def integrand(noise, value=value):
            kept = value + noise >= level
            density = laplace.pdf(noise, scale=1 / epsilon)
            return density * (abs(noise) if kept else value)

        wanted = sum(
            quad(integrand, low, high, epsabs=1e-12, limit=200)[0]
            for low, high in zip(pieces[:-1], pieces[1:], strict=True)
        )
        assert error == pytest.approx(wanted, rel=1e-7)
    assert threshold_error(7.5, level=level, epsilon=epsilon) == pytest.approx(found[3])


def test_threshold_alp_errs_as_computed_and_never_beyond_its_bound():
    def errors(of, values, load=0.0):
        return of(values, dimension=10**6, load=load, alpha=3, epsilon1=0.5, epsilon2=0.5)

    values = np.array([0.0, 5.0, 20.0, 50.0])
    exact = errors(threshold_alp_exact_error, values)
    assert exact == pytest.approx([4.00, 4.83, 5.35, 2.00], abs=0.005)
    bounds = threshold_alp_expected_error(
        values, dimension=10**6, alpha=3, epsilon1=0.5, epsilon2=0.5
    )
    assert bounds == pytest.approx([13.7, 13.7, 13.5, 2.0], abs=0.05)
    assert threshold_error(values, level=math.log(5e5), epsilon=1.0) == pytest.approx(
        [1.4e-5, 5.0006, 1.006, 1.0], abs=5e-4
    )
    values = np.linspace(0, 60, 61)
    for load in (0.0, 0.2):
        exact = errors(threshold_alp_exact_error, values, load)
        assert (exact <= errors(threshold_alp_expected_error, values, load)).all()
    with pytest.raises(ParameterError, match="values must be .* 0 or greater, got -1"):
        errors(threshold_alp_expected_error, [3.0, -1.0])
    with pytest.raises(ParameterError, match="values must be .* 0 or greater"):
        threshold_error(-0.5, level=1.0, epsilon=1.0)


def test_the_bound_of_threshold_alp_counts_what_is_above_the_level():
    """An entry well above is lost with probability exp(-(x - t) epsilon1) / 2."""
    level = 2 * math.log(5e5)
    g = misleading(3, 0.1)
    embedded = 12 * (0.5 + 4 * g * (1 - g) / (1 - 2 * g) ** 2)
    for above in (0.0, 1.0, 5.0):
        tail = math.exp(-above / 2) / 2
        noise = 2 - tail * (above + 2)
        found = threshold_alp_expected_error(
            level + above, dimension=10**6, load=0.1, alpha=3, epsilon1=0.5, epsilon2=0.25
        )
        assert found == pytest.approx((above + embedded) * tail + noise)


def test_the_largest_error_stays_below_its_bound_on_average():
    """Entries at, around and far above the level, the worst there are; 4.9 standard errors."""
    bound = threshold_alp_maximum_error(dimension=3000, alpha=4.0, epsilon1=0.5, epsilon2=0.8)
    assert bound == pytest.approx((2 * math.log(3000) - math.log(2) + 1) / 0.5 + 5)
    level = threshold_level(dimension=3000, epsilon=0.5)
    values = np.concatenate([np.full(50, level), np.full(20, level + 3), [0.1, 5, 100, 1000]])
    vector = np.zeros(3000)
    vector[: len(values)] = values
    rng, worst = np.random.default_rng(0), []
    for _ in range(40):
        release = threshold_alp_projection(
            np.arange(len(values)), values, dimension=3000, sparsity=80, size=200, alpha=4.0,
            epsilon1=0.5, epsilon2=0.8, rng=rng,
        )  # fmt: skip
        worst.append(np.abs(release.estimate(np.arange(3000)) - vector).max())
    assert np.mean(worst) + 4.9 * np.std(worst, ddof=1) / math.sqrt(40) < bound


def test_space_is_what_a_release_needs():
    """The bits; 64 numbers of a hash function a level; an index and a value for what is kept."""
    assert alp_space(size=1000, cap=100, alpha=4, epsilon=1.0) == 25 * (1000 + 64 * 10)
    assert alp_space(size=1024, cap=100, alpha=4, epsilon=1.0) == 25 * (1024 + 64 * 10)
    assert alp_space(size=1025, cap=10, alpha=4, epsilon=1, neighbours="histogram") == 5 * (
        1025 + 64 * 11
    )
    promised = threshold_alp_space(
        dimension=10**6, sparsity=30, size=100, alpha=3, epsilon1=0.5, epsilon2=0.25
    )
    levels = math.ceil(0.25 * math.log(5e5) / (3 * 0.5))
    assert promised == 128 * 31 + levels * (100 + 64 * 7)
    rng, kept = np.random.default_rng(0), []
    for _ in range(60):
        release = threshold_alp_projection(
            np.arange(30), np.full(30, 1e4), dimension=10**6, sparsity=30, size=100, alpha=3,
            epsilon1=0.5, epsilon2=0.25, rng=rng,
        )  # fmt: skip
        kept.append(128 * len(release.kept.indices))
        assert release.bits.shape == (levels, 13) and release.embedding.hashes.size == 64 * levels
    low, high = np.mean(kept) + np.array([-1, 1]) * 4.9 * np.std(kept, ddof=1) / math.sqrt(60)
    assert low < 128 * 31 < high


def test_bounds_take_arrays_and_refuse_what_they_cannot_say():
    alphas = np.array(ALPHAS)
    assert alp_expected_error(load=0.1, alpha=alphas, epsilon=1.0).shape == (5,)
    assert alp_zero_error(alpha=4, epsilon=[0.5, 1]).tolist() == pytest.approx([10 / 2, 2.5])
    assert alp_loss(entries=[1, 2], alpha=4, epsilon=1.0).shape == (2,)
    assert alp_tail([1, 2, 3], alpha=4).shape == (3,)
    assert alp_equation1(alpha=[1, 2]).tolist() == [16, 6]
    for call in (
        lambda alpha: alp_equation1(alpha=alpha),
        lambda alpha: alp_expected_error(alpha=alpha, epsilon=1.0),
        lambda alpha: alp_zero_error(alpha=alpha, epsilon=1.0),
        lambda alpha: alp_tail(1, alpha=alpha),
        lambda alpha: alp_loss(alpha=alpha, epsilon=1.0),
        lambda alpha: alp_scale(alpha=alpha, epsilon=1.0),
        lambda alpha: alp_space(size=9, cap=1, alpha=alpha, epsilon=1.0),
    ):
        for alpha in (0, -1, math.nan, [1, 0]):
            with pytest.raises(ParameterError, match="alpha must be"):
                call(alpha)
    with pytest.raises(ParameterError, match="neighbours must be 'l1' or 'histogram', got 'l2'"):
        alp_scale(alpha=1, epsilon=1, neighbours="l2")
    with pytest.raises(ParameterError, match="load"):
        alp_tail(1, load=0.5, alpha=4)


def test_every_theorem_shows_its_statement():
    named = {**vars(alp), **vars(threshold_alp)}.values()
    theorems = {each for each in named if hasattr(each, "statement")}
    assert len(theorems) == 11
    assert all(each.statement.latex and each.statement.source for each in theorems)


def test_levels_hold_the_cap():
    assert alp_levels(cap=100, alpha=4, epsilon=1.0) == 25
    assert alp_levels(cap=101, alpha=4, epsilon=1.0) == 26
    assert alp_levels(cap=10, alpha=4, epsilon=1.0, neighbours="histogram") == 5  # 17.2 / 4
    assert alp_levels(cap=1e-50, alpha=4, epsilon=1e-50) == 1
