"""Sparse with sensitivity 1/n (Roth, Lecture 11): as printed, not private, and repaired.

What it competes with where all queries are known in advance is in exact/lecture11_sparse.py.
"""

import numpy as np

from course_lib.numeric_sparse import (
    check_numeric_budget,
    numeric_error,
    numeric_sparse,
    sparse_scale,
)
from course_lib.support.answers import BELOW
from course_lib.support.contracts import NOT_NEGATIVE, checked_numbers, finite, theorem


@checked_numbers
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


@checked_numbers(also=check_numeric_budget)
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
        level = n * threshold
        answers = numeric_sparse(
            data, scaled, threshold=level, cutoff=cutoff, epsilon=epsilon, delta=delta, rng=rng
        )
        for answer in answers:
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
    logs = np.log(num_queries) + np.log(2 / beta)
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
    return np.maximum(printed, 4 * np.log(2 / beta) / (epsilon * n))


@theorem(
    "Accuracy of the repaired algorithm",
    source="derived here",
    latex=r"\alpha = \frac{12c\,(\ln k + \ln(3/\beta))}{\varepsilon n};\ "
    r"\text{if } \delta > 0,\text{ that of Theorem 3.28, corrected, divided by } n",
)
def repaired_alpha(*, num_queries, n, cutoff, beta, epsilon, delta=0.0):
    """The error bound alpha that sparse_repaired keeps except with probability beta."""
    check_numeric_budget(cutoff, epsilon, delta)
    return repaired_error(num_queries, n, cutoff, beta, epsilon, delta)


def repaired_error(num_queries, n, cutoff, beta, epsilon, delta):
    """The same for any real cutoff, as 06_online_ic needs it."""
    logs = np.log(num_queries) + np.log(3 / beta)
    pure = 12 * cutoff * logs / epsilon
    advanced = numeric_error(num_queries, cutoff, beta, epsilon, delta)
    return np.where(delta == 0, pure, advanced) / n


@theorem(
    "Theorems 2 and 5, for every δ, solved for β",
    source="Roth, Lecture 11; completed here",
    latex=r"\beta = \min\left(1,\ \max\left(2k\,e^{-\alpha/(2\sigma)},\ "
    r"2\,e^{-\varepsilon n\alpha/4}\right)\right)",
    alpha=NOT_NEGATIVE,
)
def lecture11_beta(*, num_queries, n, cutoff, alpha, epsilon, delta=0.0):
    """The failure probability that the theorems promise at error alpha."""
    of_queries = 2 * num_queries * np.exp(-n * alpha / (2 * sparse_scale(cutoff, epsilon, delta)))
    of_threshold = 2 * np.exp(-epsilon * n * alpha / 4)
    return np.minimum(1, np.maximum(of_queries, of_threshold))
