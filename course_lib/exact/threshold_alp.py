"""The exact errors of Threshold-ALP, and the largest errors of what it is compared with."""

import numpy as np
from scipy.special import digamma

from course_lib.exact.alp import alp_exact_error
from course_lib.support.contracts import NOT_NEGATIVES, ParameterError, checked_arrays, shown
from course_lib.threshold_alp import threshold_level, threshold_parts


@checked_arrays(values=NOT_NEGATIVES)
def threshold_alp_exact_error(values, *, dimension, load=0.0, alpha, epsilon1, epsilon2):
    """The expected error of entries of these values after Threshold-ALP; exact as alp_law is."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    lost, noise = threshold_parts(values, level, epsilon1)
    return noise + lost * alp_exact_error(
        values, load=load, cap=level, alpha=alpha, epsilon=epsilon2
    )


@checked_arrays(values=NOT_NEGATIVES)
def threshold_largest_error(values, *, dimension, epsilon):
    """The expected largest error of all entries after Threshold, at its level; these are positive.

    It is the integral of the probability that some error exceeds u, the entries being independent.
    """
    if np.ndim(dimension) or np.size(values) > dimension:
        raise ParameterError(
            f"dimension must be one number, at least that of the values, got {shown(dimension)}"
        )
    level = threshold_level(dimension=dimension, epsilon=1.0)
    values = np.reshape(values, (-1, 1)) * epsilon
    u = np.linspace(0, level + np.log(len(values)) + 20, 400)  # beyond: less than e⁻²⁰
    above = np.exp(-u) / 2  # the chance of noise beyond u
    lost, _ = threshold_parts(values, level, 1.0)
    kept = np.maximum(0, 1 - above - np.maximum(above, lost))
    entries = np.prod(np.where(values <= u, lost, 0) + kept, axis=0)
    tail = np.minimum(above, np.exp(-level) / 2)  # of a zero: it must be kept as well
    zeros = np.exp((dimension - len(values)) * np.log1p(-tail))
    return np.trapezoid(1 - entries * zeros, u) / epsilon


@checked_arrays
def laplace_largest_error(*, dimension, epsilon):
    """The expected largest error of d entries with Laplace noise: (1 + 1/2 + … + 1/d) / epsilon."""
    return (digamma(dimension + 1) + np.euler_gamma) / epsilon
