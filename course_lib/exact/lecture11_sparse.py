"""Lecture 11 beyond its slide: what it competes with, and what its proofs leave out.

Who knows the large queries answers them; who knows all queries finds them first, then answers.
"""

import numpy as np
from scipy.optimize.elementwise import find_root

from course_lib.exact.family import member
from course_lib.exact.integral import log_cdf, log_density
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.exact.worst_stream import failure
from course_lib.lecture11_sparse import lecture11_alpha, lecture11_alpha_printed
from course_lib.support.answers import BELOW
from course_lib.support.contracts import (
    NOT_NEGATIVE,
    ParameterError,
    check_single,
    checked_arrays,
    shown,
    theorem,
)
from course_lib.toolbox import advanced_per_run, laplace_alpha


def _each_step(steps, epsilon, delta):
    """The epsilon of each of so many steps: the better of basic and advanced composition."""
    basic, pure = epsilon / steps, np.equal(delta, 0)
    if pure.all():
        return basic
    known = np.where(pure, 0.5, delta)  # any delta: not used where delta is 0
    advanced = advanced_per_run(runs=steps, epsilon=epsilon, delta=known)
    return np.where(pure, basic, np.maximum(basic, advanced))


@checked_arrays
def known_alpha(*, n, cutoff, beta, epsilon, delta=0.0):
    """The error of c Laplace answers to queries known in advance, all within it.

    For delta > 0 under basic or advanced composition, whichever is better.
    """
    each = _each_step(cutoff, epsilon, delta)
    return laplace_alpha(num_queries=cutoff, beta=beta, epsilon=each) / n


def _check_cutoff(num_queries, cutoff):
    if np.ndim(cutoff) or cutoff > 10**7:  # each of the choices is looked at
        raise ParameterError(f"cutoff must be a single number up to 10**7, got {shown(cutoff)}")
    if np.any(num_queries < cutoff):
        raise ParameterError(
            f"num_queries must be at least the cutoff {shown(cutoff)}, got {shown(num_queries)}"
        )


@theorem(
    "Exponential mechanism, then Laplace: on the worst stream",
    source="derived here",
    latex=r"\Pr[\text{failure}] = 1 - (1 - x)^c\prod_{j=1}^{c}\frac{j}{j + (k - c)\,x},\quad "
    r"x = e^{-\varepsilon_0 n\alpha}",
    alpha=NOT_NEGATIVE,
)
def find_then_answer_failure(*, num_queries, n, cutoff, alpha, epsilon, delta=0.0):
    """How often finding the c largest of k known queries, then answering them, is off by alpha.

    c times the exponential mechanism chooses among the queries that are left, with their values
    as utilities; then c Laplace answers. Each of these 2c steps has epsilon_0. At worst c values
    are T + alpha and all others T - alpha. While j large ones are left, a choice takes one of them
    with probability j / (j + (k - c) x), and an answer is within alpha with probability 1 - x.
    """
    _check_cutoff(num_queries, cutoff)
    each = _each_step(2 * cutoff, epsilon, delta)
    return _find_then_answer_failure(each * n * alpha, num_queries, cutoff)


def _find_then_answer_failure(product, num_queries, cutoff):
    """The same over epsilon_0 n alpha, on which alone it depends."""
    x = np.exp(-product)
    left = np.arange(1, cutoff + 1)
    wrong = ((num_queries - cutoff) * x)[..., None]
    with np.errstate(divide="ignore"):
        log_success = cutoff * np.log1p(-x) - np.log1p(wrong / left).sum(axis=-1)
    return -np.expm1(log_success)


@theorem(
    "Exponential mechanism, then Laplace",
    source="derived here",
    latex=r"\alpha = \frac{\ln k + \ln(c/\beta)}{\varepsilon_0 n} = "
    r"\frac{2c\,(\ln k + \ln(c/\beta))}{\varepsilon n}\ \text{ if } \delta = 0",
)
def find_then_answer_alpha(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """A bound on its error: each choice fails with at most (k - c) x, each answer with x.

    Together that is at most c k x, and x is chosen to make this beta.
    """
    _check_cutoff(num_queries, cutoff)
    logs = np.log(num_queries) + np.log(cutoff / beta)
    return logs / (_each_step(2 * cutoff, epsilon, delta) * n)


@checked_arrays
def find_then_answer_alpha_exact(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """The smallest alpha at which find_then_answer_failure is at most beta."""
    _check_cutoff(num_queries, cutoff)
    each = _each_step(2 * cutoff, epsilon, delta)
    enough = np.log(num_queries) + np.log(cutoff / beta)  # find_then_answer_alpha, times each · n

    def excess(product, num_queries, beta):
        return _find_then_answer_failure(product, num_queries, cutoff) - beta

    return find_root(excess, (0 * enough, 2 * enough), args=(num_queries, beta)).x[()] / (each * n)


def _printed_row(cutoff, epsilon):
    """The printed algorithm at n = 1, where a step of 1 must not be too many noise scales."""
    if np.any(epsilon > 1e12):
        raise ParameterError(f"epsilon must be at most 10**12 here, got {shown(epsilon)}")
    return member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon)


@checked_arrays
def parts_of_the_loss(*, num_below, cutoff, answer, epsilon):
    """The log-ratio of m times ⊥, and of the factor that Theorem 3 drops: T̂ <= answer, given those.

    n = 1, T = 0; m queries, of value 0 here and 1 on the neighbour, are answered ⊥, then one of
    value 0 on both with the number `answer`. The chain rule gives
    Pr[⊥^m] · Pr[ν = answer - value] · Pr[T̂ <= answer | ⊥^m]: the first is an integral over all
    thresholds; in the density of the whole transcript that integral ends at `answer`. The second
    is the same on both.
    """
    row = _printed_row(cutoff, epsilon)
    counts = np.stack([num_below, np.ones_like(num_below)], axis=-1)
    below = exact_loss(row, [0.0], [1.0], [BELOW], threshold=0.0, counts=counts[..., :1])
    whole = exact_loss(row, [0.0, 0.0], [1.0, 0.0], [BELOW, answer], threshold=0.0, counts=counts)
    return below, whole - below


@checked_arrays
def threshold_density(noisy_threshold, *, num_below, value, cutoff, epsilon):
    """The density of T̂ at n = 1, T = 0, given ⊥ to `num_below` queries of this value."""
    check_single(num_below=num_below, value=value)
    row = _printed_row(cutoff, epsilon)
    log_all = log_probability(row, [value], [BELOW], threshold=0.0, counts=[num_below])
    log_below = num_below * log_cdf((noisy_threshold - value) / row.query_scale)
    return np.exp(log_density(noisy_threshold, row.threshold_scale) + log_below - log_all)


@checked_arrays
def failures_at_stated_alpha(*, num_queries, beta, delta):
    """Exact failure at c = 1 and Theorem 5's alpha, as printed and as it holds for every delta."""
    row = member("lecture11_sparse", cutoff=1, epsilon=1.0, delta=delta)
    printed, stated = (
        alpha(num_queries=num_queries, n=1, cutoff=1, beta=beta, epsilon=1.0, delta=delta)
        for alpha in (lecture11_alpha_printed, lecture11_alpha)
    )
    return tuple(failure(row, num_queries=num_queries, alpha=alpha) for alpha in (printed, stated))
