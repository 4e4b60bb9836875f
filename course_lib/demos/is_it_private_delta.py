"""The figure of notebook 04 on Theorem 4: for which δ one kind of stream refutes it."""

import functools

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from course_lib.demos.drawing import EXACT, THEOREM, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.integral import log_cdf, log_density
from course_lib.support.products import one_thread_product

DELTAS = np.concatenate([np.logspace(-60, -30, 6), np.logspace(-24, -3, 22)])
LONGEST = 200  # queries in the stream
TERMS = 60  # that are added up; the others have less than 1e-5 of the sum
CLOSED = {"color": "0.4", "linestyle": ":"}


@functools.lru_cache(256)
def mass_beyond(delta, epsilon):
    """∫ (p − e^ε p′)₊ da for ⊥ j times and then the number a, for each j below LONGEST.

    c = 1; equal queries of value 0, on the neighbour 1/n, T = 0, noise as in Theorem 4. What they
    add up to is the least δ with which ε can hold for this pair of streams. A ⊥ and the number lose
    at most 1/b each, so nothing passes ε unless j + 1 > ε·b. To about 1e-4.
    """
    first = int(np.sqrt(32 * np.log(1 / delta)))
    b = np.sqrt(32 * np.log(1 / delta)) / epsilon
    j = np.arange(first, min(first + TERMS, LONGEST))
    away = 2 * b * np.linspace(0, 1, 601) ** 2.5
    edges = np.concatenate([-away[:0:-1], np.linspace(0, 1, 41), 1 + away[1:]])
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    threshold = np.exp(log_density(middle, 2 / epsilon)) * width
    densities = []
    for value in (0.0, 1.0):
        step = threshold * np.exp(j[:, None] * log_cdf((middle - value) / b))
        so_far = np.cumsum(step, axis=1) - step / 2  # the threshold lies below the number
        densities.append(np.exp(log_density(middle - value, b)) * so_far)
    mass = np.zeros(LONGEST)
    beyond = np.maximum(densities[0] - np.exp(epsilon) * densities[1], 0)
    mass[j] = one_thread_product(beyond, width)
    return mass


def log_mass_at_least(log_inverse, epsilon, num_queries):
    """ln of a lower bound on the same sum in closed form; `log_inverse` is ln(1/δ), however large.

    Of the transcripts “N − 1 times ⊥, then a number” only those with a number of at most 0 are
    counted. There each answer has the ratio e^(ε/s), s = √(32 ln(1/δ)), and all N together have
    the probability (s/4)·2^−N / ((s/2 + N − 1)(s/2 + N)).
    """
    s = np.sqrt(32 * log_inverse)
    answers = np.arange(np.floor(s) + 1, num_queries + 1)
    if not len(answers):
        return -np.inf
    log_rate = (
        np.log(s / 4) - answers * np.log(2) - np.log((s / 2 + answers - 1) * (s / 2 + answers))
    )
    return logsumexp(log_rate + np.log(-np.expm1(epsilon - epsilon * answers / s)))


@functools.lru_cache(64)
def refuted_range(num_queries, epsilon):
    """The least and the largest δ at which this stream refutes Theorem 4; None if at none shown.

    Where an end of DELTAS is reached, it is that end.
    """

    def excess(log_delta):
        mass = mass_beyond(10.0**log_delta, epsilon)[:num_queries].sum()
        return np.log10(mass or 1e-300) - log_delta

    grid = np.log10(DELTAS)
    refuted = np.flatnonzero([excess(x) > 0 for x in grid])
    if not len(refuted):
        return None
    ends = []
    for inside, outside in ((refuted[0], refuted[0] - 1), (refuted[-1], refuted[-1] + 1)):
        if not 0 <= outside < len(grid):
            ends.append(DELTAS[inside])
        else:
            ends.append(10.0 ** brentq(excess, grid[inside], grid[outside], xtol=1e-5))
    return tuple(ends)


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    num_queries=(nice(10, LONGEST), LONGEST),
    delta=(DELTAS, 1e-15),
)
def theorem_4(fig):
    """The δ that one kind of stream takes against the δ that Theorem 4 promises."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(1e-62, 1e-1), ylim=(1e-62, 1e-1))
    ax.set(xlabel="δ promised", ylabel="δ taken by this stream")
    ax.plot(DELTAS, DELTAS, label="Theorem 4", **THEOREM)
    ax.text(1e-58, 3e-10, "above: refuted", fontsize=12)
    exact = line(ax, "exact", EXACT)
    closed = line(ax, "at least, closed form", CLOSED)
    here = line(ax, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 10})
    fig.legend(loc="outside upper center", ncols=3, frameon=False)

    def update(*, epsilon, num_queries, delta):
        taken = [mass_beyond(d, epsilon)[:num_queries].sum() or np.nan for d in DELTAS]
        exact.set_data(DELTAS, taken)
        least = [log_mass_at_least(-np.log(d), epsilon, num_queries) for d in DELTAS]
        closed.set_data(DELTAS, np.where(np.isfinite(least), np.exp(least), np.nan))
        mass = mass_beyond(delta, epsilon)[:num_queries].sum()
        here.set_data([delta], [mass or np.nan])
        if np.isnan(taken).all():
            such = "No transcript this short passes e^ε, at any δ shown."
        elif ends := refuted_range(num_queries, epsilon):
            low, high = (about(end) for end in ends)
            where = f"for δ from {low}" if ends[0] > DELTAS[0] else "at every δ shown up"
            such = f"Such streams refute Theorem 4 {where} to {high}."
        else:
            such = "Such streams refute Theorem 4 at no δ shown."
        verdict = "more than promised: refuted" if mass > delta else "which refutes nothing"
        return (
            f"c = 1, ε = {epsilon:g}, {num_queries} equal queries: at δ = {compact(delta)} the "
            f"stream takes δ = {about(mass)}, {verdict}. {such}"
        )

    return update
