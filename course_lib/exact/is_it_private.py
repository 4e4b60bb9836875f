"""What Lecture 11's Sparse gives away, what its repair costs, and which δ refute its Theorem 4.

T = 0 and lengths are in units of 1/n, so n = 1 here. The attack asks m queries of value 0, on the
neighbour 1, and then one of value 0 on both: is the row in poor health, or not? c = 1 there.
"""

import functools
from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import expit, logit

from course_lib.exact.family import Variant, as_count, member
from course_lib.exact.integral import log_cdf, log_density
from course_lib.exact.transcripts import exact_loss
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.numeric_sparse import sparse_scale
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import (
    COUNT,
    POSITIVE,
    PROPER,
    ParameterError,
    check_single,
    checked_arrays,
    checked_numbers,
    shown,
    theorem,
)
from course_lib.support.products import one_thread_product

WITHIN_REACH = replace(POSITIVE, most=1e12)  # of the integral, for epsilon


@theorem(
    "The loss of m times ⊥, then a number of at most T",
    source="derived here",
    latex=r"\frac{m\,\varepsilon}{2c}\ \text{ or, if } \delta > 0,\ "
    r"\frac{m\,\varepsilon}{\sqrt{32\,c\ln(1/\delta)}}",
)
def printed_loss(*, num_below, cutoff, epsilon, delta=0.0):
    """The privacy loss of the printed algorithm, exactly: it has no limit."""
    return num_below / sparse_scale(cutoff, epsilon, delta)


@checked_arrays(cutoff=replace(COUNT, most=1000), epsilon=WITHIN_REACH)
def repaired_loss(*, num_below, cutoff, epsilon):
    """Exact loss of the repaired algorithm on its worst pair: m times ⊥, then c numbers."""
    check_single(cutoff=cutoff, epsilon=epsilon)
    row, numbers = member("lecture11_repaired", cutoff=cutoff, epsilon=epsilon), int(cutoff)
    here, there = [0.0, *[1.0] * numbers], [1.0, *[0.0] * numbers]
    counts = np.ones((*np.shape(num_below), 1 + numbers))
    counts[..., 0] = num_below
    return exact_loss(row, here, there, [BELOW, *[2.0] * numbers], threshold=0.0, counts=counts)


def half_noise(*, epsilon):
    """AboveThreshold with Lap(2/ε) on each query, where Lap(4/ε) is right: it loses up to 3ε/2."""
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    return replace(row, name="half the query noise", query_scale=row.query_scale / 2)


@checked_arrays
def late_loss(variant: Variant, *, num_below):
    """Exact loss of m times ⊥ and then ⊤: m values rise from 0 to 1, the last falls from 1 to 0."""
    found = _late_loss(variant, tuple(np.ravel(num_below).tolist()))
    return np.reshape(found, np.shape(num_below)).copy()[()]


@functools.lru_cache(maxsize=64)
def _late_loss(variant, num_below):
    counts = np.stack([num_below, np.ones_like(num_below)], axis=1)
    transcript = [BELOW, ABOVE]
    return exact_loss(variant, [0.0, 1.0], [1.0, 0.0], transcript, threshold=0.0, counts=counts)


@checked_numbers
def attack_probabilities(*, num_below, epsilon):
    """Numbers a, and Pr[m times ⊥, then a number of at most a] in one run, for both states.

    The number's own query is the same in both; both noises have the scale b. To about 1e-3.
    """
    b = 2 / epsilon
    edges = np.unique(
        np.concatenate(
            [np.linspace(-12 * b, 0, 1201), np.linspace(0, 1, 61), np.linspace(1, 14, 601)]
        )
    )
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    density = np.exp(log_density(middle, b))
    probabilities = []
    for low in (0.0, 1.0):
        step = density * np.exp(num_below * log_cdf((middle - low) / b)) * width
        so_far = np.cumsum(step) - step / 2  # of the threshold, up to the middle of the cell
        probabilities.append(np.cumsum(density * so_far * width))
    return edges[1:], np.array(probabilities)


@checked_arrays
def event_probabilities(*, num_below, epsilon):
    """Pr[m times ⊥, then a number of at most 0] in one run: row in poor health, and not.

    In poor health the m queries have the value 0. With the threshold at z ≤ 0, in units of the
    noise, a ⊥ has probability e^z/2 and the number (1 − e^z)/2; z has the density e^z/2. Not in
    poor health each ⊥ has e^(−ε/2) times that probability.
    """
    poor = 2 ** -(num_below + 2) / ((num_below + 1) * (num_below + 2))
    return np.array([poor, poor * np.exp(-num_below * epsilon / 2)])


@checked_arrays
def chance_after(*, run, num_below, epsilon):
    """Pr[poor health | the event came first in this run], both states equally likely before."""
    poor, not_poor = np.log1p(-event_probabilities(num_below=num_below, epsilon=epsilon))
    return expit(num_below * epsilon / 2 + (run - 1) * (poor - not_poor))


@checked_arrays
def happened_by(*, run, num_below, epsilon):
    """Pr[the event came in this run or before], a row for each state."""
    probabilities = event_probabilities(num_below=num_below, epsilon=epsilon)
    return -np.expm1(np.multiply.outer(np.log1p(-probabilities), run))


@checked_arrays
def chance_allowed(*, run, epsilon):
    """The largest chance of either state that so many runs of an ε-private algorithm allow."""
    return expit(run * epsilon)


@checked_arrays(epsilon=WITHIN_REACH)
def repaired_chance(*, num_below, epsilon):
    """The chance after the same answers of the repaired algorithm; the number tells nothing."""
    check_single(epsilon=epsilon)
    row = member("lecture11_repaired", cutoff=1, epsilon=epsilon)
    counts = np.stack([num_below, np.ones_like(num_below)], axis=-1)
    transcript = [BELOW, 5.0]
    return expit(exact_loss(row, [0.0, 0.0], [1.0, 0.0], transcript, threshold=0.0, counts=counts))


@checked_arrays
def in_shares(*, cutoff, shares, epsilon):
    """The repaired algorithm for any split of ε: for threshold, comparisons and numbers."""
    if np.shape(shares)[:1] != (3,):
        raise ParameterError(f"shares must be three numbers, got {shown(shares)}")
    for_threshold, for_queries, for_numbers = shares * epsilon
    return Variant(
        "in shares",
        threshold_scale=1 / for_threshold,
        query_scale=2 * cutoff / for_queries,
        redrawn=False,
        released="fresh",
        cutoff=as_count(cutoff),
        release_scale=cutoff / for_numbers,
    )


@checked_arrays
def above_only(*, cutoff, threshold_share, monotone=False, epsilon):
    """⊤ and ⊥ alone, with this share of ε for the threshold."""
    return Variant(
        "above only",
        threshold_scale=1 / (threshold_share * epsilon),
        query_scale=_moves(monotone) * cutoff / ((1 - threshold_share) * epsilon),
        redrawn=False,
        released=None,
        cutoff=as_count(cutoff),
    )


def _moves(monotone):
    """How far a value and the threshold move against each other."""
    return np.where(monotone, 1, 2)


@theorem(
    "The least variance of the two noises compared",
    source="Lyu, Su & Li 2017",
    latex=r"\varepsilon_1 : \varepsilon_2 = 1 : (2c)^{2/3},\ \text{ monotone } 1 : c^{2/3}",
)
def least_variance_share(*, cutoff, monotone=False):
    """The threshold's share ε₁/ε that Lyu, Su and Li take."""
    return 1 / (1 + (_moves(monotone) * cutoff) ** (2 / 3))


@checked_arrays
def repair_alphas(*, num_queries, cutoff, beta):
    """ε·n·α needed as printed, in thirds, in quarters, with ⊤ only, and with monotone queries too.

    A row for each, a column for each of num_queries. With ⊤ only the threshold has Lyu, Su and Li's
    share.
    """
    check_single(cutoff=cutoff, beta=beta)
    return _repair_alphas(tuple(np.ravel(num_queries).tolist()), cutoff, beta).copy()


@functools.lru_cache(maxsize=64)
def _repair_alphas(num_queries, cutoff, beta):
    thirds_and_quarters = np.array([[1 / 3, 1 / 3, 1 / 3], [1 / 4, 1 / 2, 1 / 4]]).T
    monotone = np.array([[False], [True]])
    share = least_variance_share(cutoff=cutoff, monotone=monotone)
    rows = (
        member("lecture11_sparse", cutoff=cutoff, epsilon=1.0),
        in_shares(cutoff=cutoff, shares=thirds_and_quarters[..., None], epsilon=1.0),
        above_only(cutoff=cutoff, threshold_share=share, monotone=monotone, epsilon=1.0),
    )
    return np.vstack([_least_alpha(row, np.array(num_queries), beta) for row in rows])


def _least_alpha(row, num_queries, beta):
    """`alpha_exact` to 9 digits, in half the time.

    ln(-ln Pr[success]) is nearly a straight line in alpha, so few steps from a good guess are
    enough: the largest of k query noises, and the threshold's beside it.
    """
    with np.errstate(all="ignore"):
        largest = -np.log(-2 * np.expm1(np.log1p(-beta) / num_queries))
        guess = row.query_scale * largest - row.threshold_scale * np.log(beta)

        def excess(alpha):
            alpha = np.clip(np.nan_to_num(alpha), 0, 1e49)  # a step may go astray
            fails = failure(row, num_queries=num_queries, alpha=alpha)
            return np.log(np.log1p(-np.minimum(fails, 1 - 1e-15)) / np.log1p(-beta))

        (x, y), (p, q) = (guess, 0.9 * guess), (excess(guess), excess(0.9 * guess))
        z = y - q * (y - x) / (q - p)
        for _ in range(10):
            r = excess(z)
            through_all = x * q * r / ((p - q) * (p - r)) + y * p * r / ((q - p) * (q - r))
            through_all = through_all + z * p * q / ((r - p) * (r - q))
            there = np.abs(z / y - 1) < 1e-6  # where a further step would divide by 0
            x, y, z, p, q = y, z, np.where(there, z, through_all), q, r
            if np.max(np.abs(z / y - 1)) < 1e-5:
                return z
    return alpha_exact(row, num_queries=num_queries, beta=beta)


SHARES = expit(np.linspace(logit(0.002), logit(0.9), 42))


@checked_numbers
def alpha_of_shares(*, num_queries, cutoff, beta):
    """ε·n·α for ⊤ only: for SHARES as the threshold's, then for Lyu, Su and Li's, ½ and the best.

    One row for all queries, one for monotone ones; and the best share of each. Those of SHARES are
    within a two-thousandth, the last three exact.
    """
    alphas, best = _alpha_of_shares(num_queries, cutoff, beta)
    return alphas.copy(), best.copy()


@functools.lru_cache(maxsize=64)
def _alpha_of_shares(num_queries, cutoff, beta):
    """Only the ratio of the two noises matters, so both rows have points of one curve.

    It has `places`, and bends so little between them that a spline goes through the others.
    """
    scales = _moves([[False], [True]]) * float(cutoff)  # that the queries' noise has beside ε₂

    def ratio(part):
        return (1 - part) / (part * scales)

    def in_units(threshold_scale):
        row = Variant("in units", threshold_scale, 1.0, False, None, cutoff)
        return _least_alpha(row, num_queries, beta)

    split = least_variance_share(cutoff=cutoff, monotone=[[False], [True]])
    known = np.hstack([split, np.full((2, 1), 0.5)])
    ends = np.log([ratio(SHARES[-1])[0, 0], ratio(SHARES[0])[1, 0]])
    places = np.linspace(*ends, 22)
    found = in_units(np.concatenate([np.exp(places), ratio(known).ravel()]))
    _check_best_share(found.all())  # if an alpha of 0 is enough, every share is
    curve = CubicSpline(places, np.log(found[: len(places)]))
    alphas = np.exp(curve(np.log(ratio(SHARES)))) * scales / (1 - SHARES)
    best = _least_share(alphas)[:, None]
    exact = np.hstack([found[len(places) :].reshape(2, 2), in_units(ratio(best))])
    exact = exact * scales / (1 - np.hstack([known, best]))
    return np.hstack([alphas, exact]), best[:, 0]


def _check_best_share(inside):
    if not inside:
        raise ParameterError(
            f"num_queries, cutoff and beta must have their best share above {SHARES[0]:g}"
        )


def _least_share(errors):
    """Where each row of errors, over SHARES, is least: by a parabola about its lowest entry."""
    lowest = np.argmin(errors, axis=1)[:, None]
    _check_best_share(lowest.all())
    before, least, after = (np.take_along_axis(errors, lowest + i, axis=1) for i in (-1, 0, 1))
    step = (before - after) / (before - 2 * least + after) / 2
    places = logit(SHARES)
    return expit(places[lowest] + step * (places[1] - places[0]))[:, 0]


DELTAS = np.concatenate([np.logspace(-60, -30, 6), np.logspace(-24, -3, 22)])
_CLOSED_TERMS = 1000  # the others have less than 2^-1000 of the sum


@checked_numbers(epsilon=replace(POSITIVE, most=100.0), delta=replace(PROPER, most=0.1))
def delta_taken(*, num_queries, epsilon, delta):
    """The least δ with which ε can hold for one pair of streams, where Theorem 4 promises `delta`.

    c = 1; equal queries of value 0, on the neighbour 1, noise as in Theorem 4. It is the sum of
    ∫ (p − e^ε p′)₊ da over the transcripts ⊥ j times and then the number a. To about 3e-4 for
    ε up to 5 and δ up to 10⁻³; to some hundredths at ε = 100.
    """
    first, masses = _masses_beyond(epsilon, delta)
    return masses[: max(num_queries - first, 0)].sum()


@functools.lru_cache(maxsize=256)
def _masses_beyond(epsilon, delta):
    """The first j at which a transcript passes e^ε, and the integrals from there on.

    A ⊥ and the number lose at most 1/b each, so nothing passes ε unless j + 1 > ε·b. Beyond 16/ε
    below 0 and 36/ε above 1 there is less than 1e-9 of the density.
    """
    root = np.sqrt(np.log(1 / delta))
    first, b = int(np.sqrt(32) * root), np.sqrt(32) * root / epsilon
    terms = int(30 + 60 / root)  # the others have about 1e-4 of the sum, or less
    away = np.linspace(0, 1, 301) ** 2 / epsilon
    edges = np.unique(np.concatenate([-16 * away, np.linspace(0, 1, 41), 1 + 36 * away]))
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    threshold = np.exp(log_density(middle, 2 / epsilon)) * width
    densities = []
    for value in (0.0, 1.0):
        below = log_cdf((middle - value) / b)
        step = np.empty((len(middle), terms))  # a column for each j
        step[:, 0], step[:, 1:] = threshold * np.exp(first * below), np.exp(below)[:, None]
        np.cumprod(step, axis=1, out=step)
        so_far = np.cumsum(step, axis=0)
        so_far -= np.divide(step, 2, out=step)  # the threshold lies below the number
        so_far *= np.exp(log_density(middle - value, b) + value * epsilon)[:, None]
        densities.append(so_far)
    beyond = np.subtract(*densities, out=densities[0])
    return first, one_thread_product(width, np.maximum(beyond, 0, out=beyond))


@checked_numbers
def log_delta_taken_at_least(*, num_queries, epsilon, log_inverse):
    """ln of a lower bound on delta_taken in closed form; `log_inverse` is ln(1/δ), however large.

    Of the transcripts “N − 1 times ⊥, then a number” only those with a number of at most 0 are
    counted. There each answer has the ratio e^(ε/s), s = √(32 ln(1/δ)), and all N together have
    the probability (s/4)·2^−N / ((s/2 + N − 1)(s/2 + N)).
    """
    s = np.sqrt(32 * log_inverse)
    first = np.floor(s) + 1
    answers = np.arange(first, min(num_queries + 1, first + _CLOSED_TERMS))
    if not len(answers):
        return -np.inf
    rates = (s / 2 + (answers - 1)) * (s / 2 + answers)
    log_probability = np.log(s / 4) - answers * np.log(2) - np.log(rates)
    with np.errstate(divide="ignore"):  # an answer that only just passes ε counts for nothing
        beyond = np.log(-np.expm1(epsilon - epsilon * answers / s))
    return np.logaddexp.reduce(log_probability + beyond)


@checked_numbers
def refuted_range(*, num_queries, epsilon):
    """The least and the largest δ at which this stream refutes Theorem 4; None if at no DELTAS.

    Where the least of DELTAS is refuted too, it is that; the largest never is.
    """

    def taken(delta):
        return delta_taken(num_queries=num_queries, epsilon=epsilon, delta=delta)

    def excess(log_delta):
        return np.log10(taken(10.0**log_delta) or 1e-300) - log_delta

    refuted = np.array([taken(delta) > delta for delta in DELTAS])
    if not refuted.any():
        return None
    borders = np.log10([DELTAS[:-1], DELTAS[1:]])[:, refuted[:-1] != refuted[1:]]
    ends = [10.0 ** brentq(excess, *border, xtol=1e-4) for border in borders.T]
    return (DELTAS[0], *ends) if refuted[0] else tuple(ends)
