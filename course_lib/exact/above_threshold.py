"""What AboveThreshold really does: exact failure, exact alpha and exact privacy loss."""

import numpy as np

from course_lib.exact.family import member
from course_lib.exact.transcripts import as_stream, exact_loss
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import checked


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
    return member("above_threshold", cutoff=1, epsilon=np.asarray(epsilon, dtype=float))
