"""Answers to the exercises of notebook 03, written without sight of its checks."""

import math

import numpy as np
from scipy import integrate, special, stats

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


# my_log_ratio


def ratio(
    threshold=lambda c, e: 2 / e,
    query=lambda c, e: 2 * c / e,
    shift=1,
    start=lambda number: -np.inf,
    end=lambda number: number,
    power=lambda f, m: f**m,
    of_noise=lambda law, x: law.cdf(x),
    log=math.log,
):
    """The solution with other scales, limits, powers or logarithm."""

    def my_log_ratio(m, number, cutoff, epsilon):
        level = stats.laplace(scale=threshold(cutoff, epsilon))
        noise = stats.laplace(scale=query(cutoff, epsilon))

        def integral(moved):
            return integrate.quad(
                lambda z: level.pdf(z) * power(of_noise(noise, z - moved), m),
                start(number),
                end(number),
            )[0]

        return log(integral(0) / integral(shift))

    return my_log_ratio


solution = ratio()


def at_one_threshold(m, number, cutoff, epsilon):
    noise = stats.laplace(scale=2 * cutoff / epsilon)
    return m * (noise.logcdf(number) - noise.logcdf(number - 1))


def step_by_step(m, number, cutoff, epsilon):
    return m * ratio(power=lambda f, m: f)(1, number, cutoff, epsilon)


def difference(m, number, cutoff, epsilon):
    level, noise = stats.laplace(scale=2 / epsilon), stats.laplace(scale=2 * cutoff / epsilon)

    def integrand(z):
        return level.pdf(z) * (noise.cdf(z) ** m / noise.cdf(z - 1) ** m)

    return math.log(integrate.quad(integrand, -50 / epsilon, number)[0])


def never_converges(m, number, cutoff, epsilon):
    level, noise = stats.laplace(scale=2 / epsilon), stats.laplace(scale=2 * cutoff / epsilon)
    here = there = 0.0
    step, z = 0.01, number
    while z > -np.inf:
        here += step * level.pdf(z) * noise.cdf(z) ** m
        there += step * level.pdf(z) * noise.cdf(z - 1) ** m
        z -= step
    return math.log(here / there)


WRONG["my_log_ratio"] = {
    "thresholds from 0 on": ratio(start=lambda number: 0),
    "threshold noise of 1/ε": ratio(threshold=lambda c, e: 1 / e),
    "query noise of 4c/ε": ratio(query=lambda c, e: 4 * c / e),
    "epsilon for scale": ratio(lambda c, e: e / 2, lambda c, e: e / (2 * c)),
    "moved by 2": ratio(shift=2),
    "m times, not to the power m": step_by_step,
    "density of the noise": ratio(of_noise=lambda law, x: law.pdf(x)),
    "one threshold only": at_one_threshold,
    "ratio inside the integral": difference,
    "the bound of the theorem": lambda m, number, cutoff, epsilon: min(
        epsilon, solution(m, number, cutoff, epsilon)
    ),
    "rounded": lambda m, number, cutoff, epsilon: round(solution(m, number, cutoff, epsilon), 1),
    "never ends: sums down to −∞": never_converges,
}


def log_values(z, m, cutoff, epsilon):
    """ln p(z) and the ln F(z)^m on D and on D′, without constants that cancel."""
    query = 2 * cutoff / epsilon
    here, there = (m * stats.laplace.logcdf(x, scale=query) for x in (z, z - 1))
    return -abs(z) * epsilon / 2, here, there


def nodes_in_logs(m, number, cutoff, epsilon):
    nodes, weights = special.roots_legendre(60)
    steps = np.geomspace(1e-4, 200 / epsilon + 50, 120) * (1 + 1 / (m + 1))
    ends = {float(number), *(number - steps), *(x for x in (0.0, 1.0) if x < number)}
    ends = np.array(sorted(ends))
    half = np.diff(ends)[:, None] / 2
    z = ends[:-1, None] + half * (nodes + 1)
    level, here, there = log_values(z, m, cutoff, epsilon)
    level = level + np.log(half * weights)
    return special.logsumexp(level + here) - special.logsumexp(level + there)


def in_pieces(m, number, cutoff, epsilon):
    if number <= 0:
        return m * epsilon / (2 * cutoff)
    ends = [-100 / epsilon, -10 / epsilon, 0, *([1] if number > 1 else []), number]

    def integral(which):
        def integrand(z):
            logs = log_values(z, m, cutoff, epsilon)
            return math.exp(logs[0] + logs[which])

        pairs = zip(ends, ends[1:], strict=False)
        return sum(integrate.quad(integrand, a, b, epsabs=0)[0] for a, b in pairs)

    return np.array(math.log(integral(1)) - math.log(integral(2)))


def by_quantiles(m, number, cutoff, epsilon):
    level, noise = stats.laplace(scale=2 / epsilon), stats.laplace(scale=2 * cutoff / epsilon)
    marks = [level.cdf(x) for x in (0, 1) if x < number] or None

    def integral(values):
        return integrate.quad(
            lambda u: noise.cdf(level.ppf(u) - values) ** m,
            *(0, level.cdf(number)),
            points=marks,
            epsabs=0,
            limit=200,
        )[0]

    return math.log(integral(0)) - math.log(integral(1))


def with_the_numbers_density(m, number, cutoff, epsilon):
    density = stats.laplace.logpdf(number, scale=2 * cutoff / epsilon)
    return (density + nodes_in_logs(m, number, cutoff, epsilon)) - density


RIGHT["my_log_ratio"] = {
    "Gauss's nodes, in logarithms": nodes_in_logs,
    "in pieces, 0-d array": in_pieces,
    "over the quantiles of the threshold": by_quantiles,
    "with the density of the number": with_the_numbers_density,
}


# which_step and breaks_at

WRONG["which_step"] = {letter: letter for letter in ("a", "c", "d", "e", "f")}
RIGHT["which_step"] = {"small": "b", "upper case": "B"}

WRONG["breaks_at"] = {
    "not more, as much": 60,
    "more than ε": 7,
    "the 2 forgotten": 31,
    "cutoff forgotten": 21,
    "more than ten": 121,
    "one too far": 62,
}
RIGHT["breaks_at"] = {"int": 61, "float": 61.0, "np.int64": np.int64(61)}
