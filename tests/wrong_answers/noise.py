"""Laplace noise of a given scale, made in several ways."""

import numpy as np
from scipy import stats


def plain(scale, rng):
    return rng.laplace(scale=scale)


def rescaled(scale, rng):
    return scale * rng.laplace()


def difference_of_exponentials(scale, rng):
    return rng.exponential(scale) - rng.exponential(scale)


def exponential_with_a_sign(scale, rng):
    return rng.choice([-1, 1]) * rng.exponential(scale)


def inverse_of_the_cdf(scale, rng):
    u = rng.random() - 0.5
    return -scale * np.sign(u) * np.log1p(-2 * abs(u))


def from_four_normals(scale, rng):
    a, b, c, d = rng.normal(size=4)
    return scale * (a * b - c * d)


def from_scipy(scale, rng):
    return stats.laplace.rvs(scale=scale, random_state=rng)


def from_a_child(scale, rng):
    return rng.spawn(1)[0].laplace(scale=scale)


def upper_tail(x):
    return 0.5 * np.exp(-x) if x > 0 else 1 - 0.5 * np.exp(x)
