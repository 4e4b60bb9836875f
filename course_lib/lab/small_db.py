"""Runs beside SmallDB's laws: random samples, draws on the survey, and noise on the histogram."""

import functools
from dataclasses import replace

import numpy as np

from course_lib.exact.small_db import are_all_predicates, error_levels
from course_lib.lab.histograms import (
    WORKLOADS,
    scaled,
    scaled_survey,
    survey_marginals,
    workload,
)
from course_lib.linear_queries import fractions
from course_lib.small_db import check_database, small_db
from course_lib.support.contracts import (
    COUNT,
    POSITIVE,
    RANGES,
    REALS,
    TWO_OR_MORE,
    OneOf,
    ParameterError,
    checked_arrays,
    checked_numbers,
    shown,
)
from course_lib.support.products import one_thread_product

SAMPLES = 2_000  # of a picture
DRAWS = 6_000  # of noise on the histogram
TRIES = 100  # of a search for few rows
RATES = np.geomspace(0.3, 3e4, 40)  # ε·n, on which alone the error of that noise depends
_MOST_NUMBERS = 2**28  # that are held in memory
_POSITIVES = replace(POSITIVE, data=True)
_TOGETHER = 1_000  # draws of noise, which stay in the processor's cache


@checked_numbers(size=replace(COUNT, most=2.0**62))
@functools.lru_cache(maxsize=64)
def survey_sample_errors(attributes, *, size, seed):
    """The largest error of each of SAMPLES samples, on all marginals of the first attributes.

    `size` rows of the survey are drawn with replacement. The errors are in increasing order.
    """
    _, histogram, _ = survey_marginals(attributes)
    law = histogram / np.sum(histogram)
    samples = np.random.default_rng(seed).multinomial(size, law, size=SAMPLES)
    errors = every_marginal(samples.T) / size
    errors -= every_marginal(histogram[:, None]) / np.sum(histogram)
    return np.sort(np.abs(errors, out=errors).max(axis=0).round(12))


def every_marginal(counts):
    """The rows that have all attributes of S, for each set S, of histograms that are columns.

    For one attribute after the other, those with and without it are added up where S has it not.
    """
    found = np.array(counts, dtype=float, order="C")
    for attribute in range(len(counts).bit_length() - 1):
        halves = found.reshape(2**attribute, 2, -1)  # without it and with it
        halves[:, 0] += halves[:, 1]
    return found


@checked_numbers(attributes=TWO_OR_MORE)
@functools.lru_cache(maxsize=64)
def survey_draw(attributes, *, n, alpha, epsilon, seed):
    """What SmallDB releases of n rows like the survey's, and its errors on all marginals."""
    histogram, queries = scaled_survey(attributes, n=n), survey_marginals(attributes)[2]
    rng = np.random.default_rng(seed)
    small = small_db(histogram, queries, alpha=alpha, epsilon=epsilon, rng=rng)
    return small, np.abs(fractions(small, queries) - fractions(histogram, queries)).round(12)


@checked_numbers(size=replace(COUNT, most=100))
@functools.lru_cache(maxsize=8)
def invented_rows(attributes, *, size, seed):
    """So few rows that answer all marginals of the survey well, found by search: nothing private.

    From TRIES samples, one row after the other is exchanged for the element that makes the largest
    error smallest, as long as that helps. The best are ordered so that each of the first few is the
    one that helps most.
    """
    _, histogram, queries = survey_marginals(attributes)
    rows, rng = np.asarray(queries, dtype=float), np.random.default_rng(seed)
    values, share = fractions(histogram, queries), histogram / np.sum(histogram)
    found = [
        _exchanged(rows, values, rng.choice(len(share), size=size, p=share)) for _ in range(TRIES)
    ]
    return _ordered(rows, values, list(min(found, key=lambda each: each[0])[1]))


def _errors_with_one_more(rows, values, chosen):
    """The largest error of these elements and one more, for each element that this may be."""
    answers = (rows[:, chosen].sum(axis=1)[:, None] + rows) / (len(chosen) + 1)
    return np.abs(answers - values[:, None]).max(axis=0)


def _exchanged(rows, values, chosen):
    """The largest error, and the elements, when no exchange of one for another helps any more."""
    chosen, least, since = list(chosen), np.inf, 0
    while since < len(chosen):
        others = chosen[1:]
        errors = _errors_with_one_more(rows, values, others)
        since = 0 if errors.min() < least - 1e-12 else since + 1
        kept = chosen[0] if since else int(errors.argmin())
        least = errors.min()  # at most what it was: the first may come back
        chosen = [*others, kept]
    return least, chosen


def _ordered(rows, values, left):
    """The same elements, each the one that helps most after those before it."""
    ordered = []
    while left:
        errors = _errors_with_one_more(rows, values, ordered)
        ordered.append(min(left, key=lambda element: (errors[element], element)))
        left.remove(ordered[-1])
    return ordered


@checked_numbers(name=OneOf(WORKLOADS))
@functools.lru_cache(maxsize=64)
def workload_levels(name, *, n=None, alpha):
    """The ErrorLevels of a workload; n: with whole rows, so many, in the survey's proportions."""
    histogram, queries = workload(name)
    return error_levels(histogram if n is None else scaled(histogram, n=n), queries, alpha=alpha)


@checked_numbers
def histogram_errors(histogram, queries, *, trials, rng):
    """The largest error with noise on the histogram, `trials` times at each of RATES, increasing.

    A row that is replaced changes two counts by 1, so the noise is Lap(2/ε), the same at each rate.
    What follows costs no privacy: negative counts are set to 0 and all divided by their sum, or are
    equal if all are 0.
    """
    check_database(histogram, queries)
    most = _MOST_NUMBERS // (len(histogram) + len(queries))
    if trials > most:
        raise ParameterError(f"trials must be at most {most:,} here, got {shown(trials)}")
    share, rows = histogram / np.sum(histogram), np.asarray(queries, dtype=float)
    noise = 2 * rng.laplace(size=(trials, len(share)))
    errors = np.empty((len(RATES), trials))
    for start in range(0, trials, _TOGETHER):
        part = slice(start, start + _TOGETHER)
        errors[:, part] = _noisy_errors(share[:, None], rows, noise[part].T.copy())
    return np.sort(errors)


def _noisy_errors(truth, rows, noise):
    """The largest error at each of RATES, where each column of noise is added to the counts."""
    total_variation, errors = are_all_predicates(rows), np.empty((len(RATES), noise.shape[1]))
    off, counts = rows - one_thread_product(rows, truth), np.empty_like(noise)
    for i, rate in enumerate(RATES):
        np.maximum(np.add(rate * truth, noise, out=counts), 0, out=counts)  # counts, times ε
        total = counts.sum(axis=0)
        counts[:, total == 0], total[total == 0] = 1, len(truth)
        if total_variation:
            errors[i] = np.abs(counts / total - truth).sum(axis=0) / 2
        else:
            errors[i] = np.abs(one_thread_product(off, counts)).max(axis=0) / total
    return errors


@checked_numbers(name=OneOf(WORKLOADS))
@functools.lru_cache(maxsize=8)
def workload_histogram_errors(name):
    """The same of a workload, with DRAWS draws of noise."""
    return histogram_errors(*workload(name), trials=DRAWS, rng=np.random.default_rng(0))


@checked_arrays(errors=_POSITIVES, rates=_POSITIVES)
def at_rates(errors, rates):
    """Errors at other ε·n than RATES: straight in logarithms, beyond its end as 1/(ε·n)."""
    if np.shape(errors) != np.shape(RATES):
        raise ParameterError(f"errors must be one at each of RATES, got {shown(errors)}")
    inside = np.exp(np.interp(np.log(rates), np.log(RATES), np.log(errors)))
    return inside * np.minimum(1, RATES[-1] / rates)


@checked_arrays(places=REALS, holds=RANGES["bits"])
def stretches(places, holds):
    """From where to where something holds of increasing places: the ends of each stretch."""
    if np.ndim(places) != 1 or np.shape(places) != np.shape(holds):
        raise ParameterError(f"holds must be a list, one for each of places, got {shown(holds)}")
    steps = np.diff(np.concatenate([[0], holds, [0]]).astype(int))
    ends = places[np.flatnonzero(steps > 0)], places[np.flatnonzero(steps < 0) - 1]
    return np.transpose(ends).tolist()
