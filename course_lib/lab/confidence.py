"""Intervals for what is measured."""

import numpy as np
from scipy.stats import beta as beta_distribution
from scipy.stats import binom
from scipy.stats import t as student

from course_lib.support.contracts import REALS, WHOLE, ParameterError, checked_arrays, shown


@checked_arrays
def clopper_pearson(successes, trials, *, confidence=0.95):
    """The interval of rates that `successes` out of `trials` does not exclude, as (low, high).

    It covers the true rate with at least the stated probability, whatever the rate.
    """
    if np.any(successes > trials):
        raise ParameterError(
            f"successes must be at most trials = {shown(trials)}, got {shown(successes)}"
        )
    tail = (1 - confidence) / 2
    low = np.where(
        successes == 0,
        0.0,
        beta_distribution.ppf(tail, np.maximum(successes, 1), trials - successes + 1),
    )
    high = np.where(
        successes == trials,
        1.0,
        beta_distribution.isf(tail, successes + 1, np.maximum(trials - successes, 1)),
    )
    return low[()], high[()]


@checked_arrays
def log_odds_interval(successes, trials, *, confidence=0.95):
    """The interval for ln(rate / (1 - rate)), as (low, high); infinite where all or none succeed.

    Of all answers of two mechanisms in one bin, those of the first are the successes, and the odds
    are the ratio of the two rates.
    """
    low, high = clopper_pearson(successes, trials, confidence=confidence)
    with np.errstate(divide="ignore"):
        return np.log(low) - np.log1p(-low), np.log(high) - np.log1p(-high)


@checked_arrays
def quantile_interval(values, *, beta, confidence=0.95):
    """The (1 - beta)-quantile of sorted values (along the last axis), and low and high for it.

    How many values lie below their law's quantile is binomial, so two of them enclose it with at
    least the stated probability, whatever the law; too few leave an end at infinity.
    """
    if np.ndim(values) == 0 or np.any(np.diff(values) < 0):
        raise ParameterError(f"values must be in increasing order, got {shown(values)}")
    trials = values.shape[-1]
    low, high = binom.ppf([(1 - confidence) / 2, (1 + confidence) / 2], trials, 1 - beta)
    ranks = np.ceil([(1 - beta) * trials, low, high + 1]).astype(int)
    end = np.full((*values.shape[:-1], 1), np.inf)
    return np.moveaxis(np.concatenate([-end, values, end], axis=-1)[..., ranks], -1, 0)


@checked_arrays(successes_there=WHOLE)
def log_ratio_interval(successes, successes_there, trials, *, confidence=0.95):
    """The interval of ln of the ratio of two rates that the counts do not exclude, as (low, high).

    Each rate has the stated confidence; both hold at once but for twice the doubt.
    """
    low, high = clopper_pearson(successes, trials, confidence=confidence)
    low_there, high_there = clopper_pearson(successes_there, trials, confidence=confidence)
    with np.errstate(divide="ignore"):
        return np.log(low / high_there), np.log(high / low_there)


@checked_arrays(samples=REALS)
def normal_interval(samples):
    """The mean of many samples along the last axis, and half of its 95% interval (normal law)."""
    margin = 1.96 * _standard_error(samples)
    return np.mean(samples, axis=-1), margin


@checked_arrays(samples=REALS)
def student_interval(samples):
    """The mean of few samples along the last axis, and half of its 95% interval (Student's t)."""
    error = _standard_error(samples)
    return np.mean(samples, axis=-1), student.ppf(0.975, samples.shape[-1] - 1) * error


def _standard_error(samples):
    if np.shape(samples)[-1:] < (2,):
        raise ParameterError(f"samples must be two or more, got {shown(samples)}")
    return np.std(samples, axis=-1, ddof=1) / np.sqrt(np.shape(samples)[-1])
