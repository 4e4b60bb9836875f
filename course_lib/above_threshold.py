"""AboveThreshold (Ligett, Algorithm 1): is any query of a stream above the threshold?"""

import numpy as np

from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import NOT_NEGATIVE, checked_numbers, finite, theorem


@checked_numbers
def above_threshold(data, queries, *, threshold, epsilon, rng):
    """Answer BELOW to each query until one is about as large as the threshold, then ABOVE and halt.

    Privacy: (epsilon, 0)-differentially private for queries of sensitivity 1, however many, each
    chosen after the answer to the one before.
    Accuracy: (alpha, beta) with alpha = 8 (ln k + ln(2/beta)) / epsilon, if the first k - 1 values
    are below threshold - alpha (Theorem 3.24, Ligett).
    Notebook: 01_above_threshold.
    """
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    for query in queries:
        noise = rng.laplace(scale=4 / epsilon)
        if finite(query(data)) + noise >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


@theorem(
    "Theorem 3.24",
    source="Ligett, Sparse Vector",
    latex=r"\alpha = \frac{8\,(\ln k + \ln(2/\beta))}{\varepsilon}",
)
def above_threshold_alpha(*, num_queries, beta, epsilon):
    """The error bound alpha that AboveThreshold keeps except with probability beta."""
    return 8 * (np.log(num_queries) + np.log(2 / beta)) / epsilon


@theorem(
    "Theorem 3.24, solved for β",
    source="Ligett, Sparse Vector",
    latex=r"\beta = \min(1,\; 2k\,e^{-\varepsilon\alpha/8})",
    alpha=NOT_NEGATIVE,
)
def above_threshold_beta(*, num_queries, alpha, epsilon):
    """The failure probability that the theorem promises at error alpha."""
    return np.minimum(1, 2 * num_queries * np.exp(-epsilon * alpha / 8))
