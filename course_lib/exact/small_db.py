"""The exact law of SmallDB: its error and its privacy loss, over all of R."""

import numpy as np
from scipy.special import logsumexp

from course_lib.small_db import check_database, check_single, scored
from course_lib.support.contracts import ParameterError, checked
from course_lib.toolbox import exponential_mechanism_law


def _check_pair(histogram, neighbour, queries, alpha, epsilon):
    check_database(histogram, queries, alpha, epsilon)
    check_single(epsilon=epsilon)
    if np.shape(neighbour) != np.shape(histogram):
        raise ParameterError(f"neighbour must have a count per element, got {neighbour!r}")
    if np.any(np.less(neighbour, 0)) or np.any(np.mod(neighbour, 1)):
        raise ParameterError(f"neighbour must be whole numbers, 0 or greater, got {neighbour!r}")


def _check_level(histogram, queries, alpha, beta, epsilon):
    check_database(histogram, queries, alpha, epsilon)
    check_single(beta=beta, epsilon=epsilon)


@checked(also=check_database)
def small_db_failure(histogram, queries, *, error, alpha, epsilon):
    """The exact probability that some answer is off by more than error (1e-12 more is not more)."""
    rate = np.asarray(epsilon, dtype=float)[..., None] * np.sum(histogram) / 2
    everything = beyond = -np.inf
    for _, errors in scored(histogram, queries, alpha):
        worse = errors > np.asarray(error)[..., None] + 1e-12
        everything = np.logaddexp(everything, logsumexp(-rate * errors, axis=-1))
        beyond = np.logaddexp(beyond, logsumexp(np.where(worse, -rate * errors, -np.inf), axis=-1))
    return np.exp(beyond - everything)


@checked(also=_check_pair)
def small_db_loss(histogram, neighbour, queries, *, alpha, epsilon):
    """The exact loss on two databases: the largest |log-ratio| of a small database's chances.

    Exact up to rounding, which grows with the number of rows: about n epsilon 10^-16.
    """
    logs, others, least, most = -np.inf, -np.inf, np.inf, -np.inf
    both = (histogram, neighbour)
    for (_, errors), (_, other_errors) in zip(
        *(scored(each, queries, alpha) for each in both), strict=True
    ):
        weights = -float(epsilon) * np.sum(histogram) * errors / 2
        other_weights = -float(epsilon) * np.sum(neighbour) * other_errors / 2
        logs = np.logaddexp(logs, logsumexp(weights))
        others = np.logaddexp(others, logsumexp(other_weights))
        ratio = weights - other_weights
        least, most = min(least, ratio.min()), max(most, ratio.max())
    return float(max(most - (logs - others), (logs - others) - least))


@checked(also=_check_level)
def small_db_error_exact(histogram, queries, *, alpha, beta, epsilon):
    """The smallest error that is exceeded with probability at most beta; R is held in memory."""
    errors = np.sort(np.concatenate([errors for _, errors in scored(histogram, queries, alpha)]))
    return error_quantile(errors, n=np.sum(histogram), beta=beta, epsilon=epsilon)


def error_quantile(errors, *, n, beta, epsilon):
    """The same from the errors of all candidates in increasing order, for a database of n rows."""
    law = exponential_mechanism_law(-errors, sensitivity=1 / n, epsilon=epsilon)
    beyond = np.append(np.cumsum(law[:0:-1])[::-1], 0)  # the chance of what follows
    return errors[np.argmax(beyond <= beta)]
