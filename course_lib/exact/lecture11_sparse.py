"""What Lecture 11 competes with where all queries are known in advance: find them, then answer."""

import numpy as np
from scipy.optimize.elementwise import find_root

from course_lib.support.contracts import ParameterError, checked, shown, theorem
from course_lib.toolbox import advanced_per_run


def _each_step(cutoff, epsilon, delta):
    """The epsilon of each of 2c steps: the better of basic and advanced composition."""
    basic, pure = np.divide(epsilon, 2 * cutoff), np.equal(delta, 0)
    known = np.where(pure, 0.5, delta)  # any delta: not used where delta is 0
    advanced = advanced_per_run(runs=2 * cutoff, epsilon=epsilon, delta=known)
    return np.where(pure, basic, np.maximum(basic, advanced))


def _check_cutoff(*, num_queries, cutoff):
    if np.ndim(cutoff) or cutoff > 10**7:  # each of the choices is looked at
        raise ParameterError(f"cutoff must be a single number up to 10**7, got {shown(cutoff)}")
    if np.any(np.less(num_queries, cutoff)):
        raise ParameterError(f"num_queries must be at least the cutoff {cutoff}, got {num_queries}")


@theorem(
    "Exponential mechanism, then Laplace: on the worst stream",
    source="derived here",
    latex=r"\Pr[\text{failure}] = 1 - (1 - x)^c\prod_{j=1}^{c}\frac{j}{j + (k - c)\,x},\quad "
    r"x = e^{-\varepsilon_0 n\alpha}",
    also=_check_cutoff,
)
def find_then_answer_failure(*, num_queries, n, cutoff, alpha, epsilon, delta=0.0):
    """How often finding the c largest of k known queries, then answering them, is off by alpha.

    c times the exponential mechanism chooses among the queries that are left, with their values
    as utilities; then c Laplace answers. Each of these 2c steps has epsilon_0. At worst c values
    are T + alpha and all others T - alpha. While j large ones are left, a choice takes one of them
    with probability j / (j + (k - c) x), and an answer is within alpha with probability 1 - x.
    """
    each = _each_step(cutoff, epsilon, delta)
    return _find_then_answer_failure(each * n * np.asarray(alpha, dtype=float), num_queries, cutoff)


def _find_then_answer_failure(product, num_queries, cutoff):
    """The same over epsilon_0 n alpha, on which alone it depends."""
    x = np.exp(-product)
    left = np.arange(1, cutoff + 1)
    wrong = np.multiply(np.subtract(num_queries, cutoff), x)[..., None]
    with np.errstate(divide="ignore"):
        log_success = cutoff * np.log1p(-x) - np.log1p(wrong / left).sum(axis=-1)
    return -np.expm1(log_success)


@theorem(
    "Exponential mechanism, then Laplace",
    source="derived here",
    latex=r"\alpha = \frac{\ln k + \ln(c/\beta)}{\varepsilon_0 n} = "
    r"\frac{2c\,(\ln k + \ln(c/\beta))}{\varepsilon n}\ \text{ if } \delta = 0",
    also=_check_cutoff,
)
def find_then_answer_alpha(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """A bound on its error: each choice fails with at most (k - c) x, each answer with x.

    Together that is at most c k x, and x is chosen to make this beta.
    """
    logs = np.log(num_queries) + np.log(np.divide(cutoff, beta))
    return logs / (_each_step(cutoff, epsilon, delta) * n)


@checked(also=_check_cutoff)
def find_then_answer_alpha_exact(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """The smallest alpha at which find_then_answer_failure is at most beta."""
    each = _each_step(cutoff, epsilon, delta)
    at = {"num_queries": num_queries, "beta": beta, "cutoff": cutoff, "epsilon": epsilon}
    enough = each * n * find_then_answer_alpha(n=n, delta=delta, **at)

    def excess(product, num_queries, beta):
        return _find_then_answer_failure(product, num_queries, cutoff) - beta

    given = np.broadcast_arrays(enough, np.asarray(num_queries, dtype=float), beta)
    return find_root(excess, (0 * given[0], 2 * given[0]), args=given[1:]).x[()] / (each * n)
