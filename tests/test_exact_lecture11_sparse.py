"""Lecture 11 beyond its slide: known queries, the dropped factor, Theorem 5's alpha."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from course_lib.exact.lecture11_sparse import (
    failures_at_stated_alpha,
    known_alpha,
    parts_of_the_loss,
    threshold_density,
)
from course_lib.toolbox import advanced_composition


def failure_by_quadrature(k, c, sigma, alpha):
    """On k - c values at -alpha and c at alpha, T = 0, with Lap(2) on the threshold."""

    def success(z):
        below = laplace.cdf(z + alpha, scale=sigma) ** (k - c)
        low = max(z - alpha, -alpha)  # the noise of a number lies between this and alpha
        number = laplace.cdf(alpha, scale=sigma) - laplace.cdf(low, scale=sigma)
        return laplace.pdf(z, scale=2) * below * max(number, 0.0) ** c

    kinks = [-alpha, 0, alpha]
    return 1 - quad(success, -80, 2 * alpha, points=kinks, limit=500, epsabs=1e-13)[0]


def test_known_alpha_by_closed_form():
    """All of c answers within alpha: (1 - e^(-alpha / scale))^c = 1 - beta."""
    alpha = known_alpha(n=10, cutoff=5, beta=0.05, epsilon=2.0)
    assert np.isclose((1 - np.exp(-10 * alpha * 2 / 5)) ** 5, 0.95)
    many = known_alpha(n=1, cutoff=100, beta=0.05, epsilon=1.0, delta=1e-3)
    each = -np.log(1 - 0.95 ** (1 / 100)) / many  # the epsilon of each answer
    assert np.isclose(advanced_composition(runs=100, epsilon=each, delta=1e-3), 1.0)
    few = known_alpha(n=1, cutoff=2, beta=0.05, epsilon=1.0, delta=[0.0, 1e-6])
    assert few[0] == few[1]  # basic composition is the better one


@pytest.mark.parametrize(("epsilon", "cutoff"), [(0.1, 1), (1.0, 3), (3.0, 5)])
@pytest.mark.parametrize("answer", [-2.0, 0.0])
def test_a_low_number_after_m_below_costs_m_epsilon_over_2c(epsilon, cutoff, answer):
    m = np.arange(1, 21)
    below, dropped = parts_of_the_loss(num_below=m, cutoff=cutoff, answer=answer, epsilon=epsilon)
    np.testing.assert_allclose(below + dropped, m * epsilon / (2 * cutoff), rtol=1e-9)
    assert (below <= epsilon / 2 + 1e-12).all()


@pytest.mark.parametrize("answer", [0.0, 1.5, 6.0])
def test_the_dropped_factor_is_the_ratio_of_the_masses_below_the_number(answer):
    """Six times ⊥ at ε = 0.7 and c = 2: the threshold has Lap(2/0.7), a query Lap(4/0.7)."""
    wholes, masses, z = [], [], np.linspace(-20, 60, 41)
    for value in (0.0, 1.0):

        def at(z, value=value):
            return laplace.pdf(z, scale=2 / 0.7) * laplace.cdf(z - value, scale=4 / 0.7) ** 6

        wholes.append(quad(at, -150, 250, points=[0, 1, 20], limit=500)[0])
        masses.append(quad(at, -150, answer, points=[0.0, 1.0][: int(answer) + 1])[0])
        density = threshold_density(z, num_below=6, value=value, cutoff=2, epsilon=0.7)
        np.testing.assert_allclose(density, [at(x) / wholes[-1] for x in z], rtol=1e-6)
    below, dropped = parts_of_the_loss(num_below=6, cutoff=2, answer=answer, epsilon=0.7)
    assert np.isclose(below, np.log(wholes[0] / wholes[1]), rtol=1e-6)
    given_below = np.divide(masses, wholes)
    assert np.isclose(dropped, np.log(given_below[0] / given_below[1]), rtol=1e-6)


@pytest.mark.parametrize(("k", "beta"), [(1, 0.05), (30, 0.2)])
def test_failures_at_the_stated_alpha_by_quadrature(k, beta):
    """Below c ln(1/δ) = 1/8 the printed alpha is too small for k = 1, and 4 ln(2/β) is enough."""
    deltas = np.array([0.1, 0.99, 0.999])
    sigma = np.sqrt(32 * np.log(1 / deltas))
    stated = 2 * sigma * np.log(2 * k / beta)
    enough = np.maximum(stated, 4 * np.log(2 / beta))
    printed, corrected = failures_at_stated_alpha(num_queries=k, beta=beta, delta=deltas)
    for got, alpha in ((printed, stated), (corrected, enough)):
        truth = [failure_by_quadrature(k, 1, *at) for at in zip(sigma, alpha, strict=True)]
        np.testing.assert_allclose(got, truth, rtol=1e-6)
    assert (corrected <= beta).all() and (printed[1:] > beta).all() == (k == 1)


def test_one_below_by_closed_form_up_to_the_largest_epsilon():
    """The difference of two Lap(b) exceeds 1 with probability (2b + 1) e^(-1/b) / 4b; b = 2/ε."""
    for epsilon in (1.0, 30.0, 1e12):
        below, _ = parts_of_the_loss(num_below=1, cutoff=1, answer=0.0, epsilon=epsilon)
        assert np.isclose(below, epsilon / 2 - np.log1p(epsilon / 4), rtol=1e-9)
    with pytest.raises(ValueError, match=r"epsilon must be at most 10\*\*12 here, got 1100"):
        parts_of_the_loss(num_below=1, cutoff=1, answer=0.0, epsilon=1.1e12)
