"""Sparse with sensitivity 1/n (Roth, Lecture 11): as printed, not private, and repaired.

At the end: what it competes with where all queries are known in advance.
"""

import numpy as np
from scipy.optimize.elementwise import find_root

from course_lib.contracts import ParameterError, checked, finite, shown, theorem
from course_lib.numeric_sparse import numeric_error, numeric_sparse
from course_lib.toolbox import advanced_per_run
from course_lib.variants import BELOW, check_numeric_budget, sparse_scale


@checked
def sparse_as_printed(data, queries, *, n, threshold, cutoff, epsilon, delta=0.0, rng):
    """NOT PRIVATE, whatever epsilon: each number released carries the noise it was compared with.

    The lecture's Algorithm 1 as it is printed: the noisy value of each query above the noisy
    threshold, as a float, and BELOW for the others, until cutoff numbers are out.
    Privacy: none. Theorem 3 claims epsilon; m times BELOW and then a number can lose
    m epsilon / (2 cutoff), unbounded. For delta > 0 Theorem 4 claims (epsilon, delta): for each
    epsilon and cutoff every small enough delta refutes it.
    Accuracy: (alpha, beta) with alpha of lecture11_alpha, if at most cutoff values reach
    threshold - alpha and, if cutoff do, the last of them is the last query (Theorems 2 and 5).
    Notebook: 03_lecture11_sparse; refuted in 04_is_it_private.
    """
    noisy_threshold = threshold + rng.laplace(scale=2 / (epsilon * n))
    scale = sparse_scale(cutoff, epsilon, delta) / n
    count = 0
    for query in queries:
        noise = rng.laplace(scale=scale)
        noisy = finite(query(data)) + noise
        if noisy >= noisy_threshold:
            yield noisy
            count += 1
        else:
            yield BELOW
        if count >= cutoff:
            return


@checked(also=check_numeric_budget)
def sparse_repaired(data, queries, *, n, threshold, cutoff, epsilon, delta=0.0, rng):
    """Lecture 11's Sparse made private: a third of epsilon each for threshold, queries, numbers.

    Privacy: (epsilon, delta)-differentially private for queries of sensitivity 1/n (a row of n is
    replaced). For delta > 0 advanced composition needs a new threshold after each number, so it is
    NumericSparse on n times the queries.
    Accuracy: (alpha, beta) with alpha of repaired_alpha, under the condition of sparse_as_printed.
    Notebook: proved in 04_is_it_private.
    """
    if delta > 0:
        scaled = (lambda data, query=query: n * finite(query(data)) for query in queries)
        at = {"threshold": n * threshold, "cutoff": cutoff, "epsilon": epsilon, "delta": delta}
        for answer in numeric_sparse(data, scaled, **at, rng=rng):
            yield answer if answer is BELOW else answer / n
        return
    noisy_threshold = threshold + rng.laplace(scale=3 / (epsilon * n))
    count = 0
    for query in queries:
        value = finite(query(data))
        noise = rng.laplace(scale=6 * cutoff / (epsilon * n))
        if value + noise >= noisy_threshold:
            yield value + rng.laplace(scale=3 * cutoff / (epsilon * n))
            count += 1
        else:
            yield BELOW
        if count >= cutoff:
            return


@theorem(
    "Theorems 2 and 5, as printed",
    source="Roth, Lecture 11",
    latex=r"\alpha = \frac{4c\,(\ln k + \ln(2/\beta))}{\varepsilon n}"
    r"\ \text{ or, if } \delta > 0,\ "
    r"\frac{\sqrt{128\,c\ln(1/\delta)}\,(\ln k + \ln(2/\beta))}{\varepsilon n}",
)
def lecture11_alpha_printed(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """The alpha of both theorems; Theorem 2's proof gives Theorem 5 where it is lecture11_alpha.

    That is so if c ln(1/delta) >= 1/8, whatever k is; with k = 1, only then.
    """
    logs = np.log(num_queries) + np.log(np.divide(2, beta))
    return 2 * sparse_scale(cutoff, epsilon, delta) / n * logs


@theorem(
    "Theorems 2 and 5, for every δ",
    source="Roth, Lecture 11; completed here",
    latex=r"\alpha = \max\left(2\sigma(\ln k + \ln(2/\beta)),\ "
    r"\frac{4\ln(2/\beta)}{\varepsilon n}\right)",
)
def lecture11_alpha(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """The error bound of the algorithm as printed: the theorems' where c ln(1/delta) >= 1/8.

    Below that the threshold has the wider noise, and its term may be the larger one.
    """
    printed = lecture11_alpha_printed(
        num_queries=num_queries, n=n, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=delta
    )
    return np.maximum(
        printed, 4 * np.log(np.divide(2, beta)) / np.multiply(epsilon, n, dtype=float)
    )


@theorem(
    "Accuracy of the repaired algorithm",
    source="derived here",
    latex=r"\alpha = \frac{12c\,(\ln k + \ln(3/\beta))}{\varepsilon n};\ "
    r"\text{if } \delta > 0,\text{ that of Theorem 3.28, corrected, divided by } n",
    also=check_numeric_budget,
)
def repaired_alpha(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """The error bound alpha that sparse_repaired keeps except with probability beta."""
    return repaired_error(num_queries, n, cutoff, beta, epsilon, delta)


def repaired_error(num_queries, n, cutoff, beta, epsilon, delta):
    """The same for any real cutoff, as 06_online_ic needs it."""
    logs = np.log(num_queries) + np.log(np.divide(3, beta))
    pure = np.multiply(12, cutoff) * logs / epsilon
    advanced = numeric_error(num_queries, cutoff, beta, epsilon, delta)
    return np.where(np.equal(delta, 0), pure, advanced)[()] / n


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
