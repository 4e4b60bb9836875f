"""AboveThreshold (Ligett, Algorithm 1): is any query of a stream above the threshold?"""

import numpy as np

from course_lib.contracts import checked, finite, theorem
from course_lib.exact import alpha_exact, as_stream, exact_loss, failure
from course_lib.variants import ABOVE, BELOW, variant


@checked
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
    num_queries, beta = np.asarray(num_queries, dtype=float), np.asarray(beta, dtype=float)
    return 8 * (np.log(num_queries) + np.log(2 / beta)) / epsilon


@theorem(
    "Theorem 3.24, solved for β",
    source="Ligett, Sparse Vector",
    latex=r"\beta = \min(1,\; 2k\,e^{-\varepsilon\alpha/8})",
)
def above_threshold_beta(*, num_queries, alpha, epsilon):
    """The failure probability that the theorem promises at error alpha."""
    num_queries, alpha = np.asarray(num_queries, dtype=float), np.asarray(alpha, dtype=float)
    return np.minimum(1.0, 2 * num_queries * np.exp(-alpha * epsilon / 8))


@checked
def above_threshold_failure(*, num_queries, alpha, epsilon):
    """Exact failure probability on the worst stream: k - 1 values T - alpha, then T + alpha.

    It is a limit: the low values lie just below, the last just above. Notebook 01 proves it.
    """
    return failure(_row(epsilon), num_queries=num_queries, alpha=alpha)


@checked
def above_threshold_alpha_exact(*, num_queries, beta, epsilon):
    """The smallest alpha whose exact failure probability on the worst stream is at most beta."""
    return alpha_exact(_row(epsilon), num_queries=num_queries, beta=beta)


@checked
def above_threshold_loss(values, neighbour, *, threshold, epsilon):
    """Exact ln of the ratio of Pr[⊥, …, ⊥, ⊤] on two streams of values: its privacy loss."""
    transcript = [BELOW] * (len(as_stream(values)) - 1) + [ABOVE]
    return exact_loss(_row(epsilon), values, neighbour, transcript, threshold=threshold)


def _row(epsilon):
    return variant("above_threshold", cutoff=1, epsilon=np.asarray(epsilon, dtype=float))
