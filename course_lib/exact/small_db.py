"""The exact law of SmallDB over all of R; samples, exactly; and its promise at the best alpha."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import bdtr, bdtrc, logsumexp, softmax

from course_lib.linear_queries import answers_alpha, fractions, histogram_alpha
from course_lib.small_db import QUERIES, check_database, scored, small_db_size
from course_lib.support.contracts import (
    COUNT,
    NOT_NEGATIVE,
    NOT_NEGATIVES,
    SHARES,
    WHOLE,
    ParameterError,
    check_single,
    checked_arrays,
    checked_numbers,
    shown,
)
from course_lib.support.multisets import log_multisets, multisets
from course_lib.support.products import one_thread_product
from course_lib.toolbox import advanced_composition, advanced_pays_from, laplace_alpha

# Rows of the small database, so close to each other that the best of all m is hardly better.
_SIZES = np.unique(np.geomspace(1, 1e24, 800).round())
_ROOTS = np.sqrt(_SIZES)
_TOGETHER = 2**14  # errors, which stay in the processor's cache


@checked_arrays
def small_db_failure(histogram, queries, *, error, alpha, epsilon):
    """The exact probability that some answer is off by more than error (1e-12 more is not more)."""
    check_database(histogram, queries)
    check_single(alpha=alpha)
    rate = epsilon[..., None] * np.sum(histogram) / 2
    everything = beyond = -np.inf
    for _, errors in scored(histogram, queries, alpha):
        worse = errors > error[..., None] + 1e-12
        everything = np.logaddexp(everything, logsumexp(-rate * errors, axis=-1))
        beyond = np.logaddexp(beyond, logsumexp(np.where(worse, -rate * errors, -np.inf), axis=-1))
    return np.exp(beyond - everything)


@checked_numbers(neighbour=WHOLE)
def small_db_loss(histogram, neighbour, queries, *, alpha, epsilon):
    """The exact loss on two databases: the largest |log-ratio| of a small database's chances.

    Exact up to rounding, which grows with the number of rows: about n epsilon 10^-16.
    """
    check_database(histogram, queries)
    if np.shape(neighbour) != np.shape(histogram):
        raise ParameterError(f"neighbour must have a count per element, got {shown(neighbour)}")
    logs, others, least, most = -np.inf, -np.inf, np.inf, -np.inf
    both = (histogram, neighbour)
    for (_, errors), (_, other_errors) in zip(
        *(scored(each, queries, alpha) for each in both), strict=True
    ):
        weights = -epsilon * np.sum(histogram) * errors / 2
        other_weights = -epsilon * np.sum(neighbour) * other_errors / 2
        logs = np.logaddexp(logs, logsumexp(weights))
        others = np.logaddexp(others, logsumexp(other_weights))
        ratio = weights - other_weights
        least, most = min(least, ratio.min()), max(most, ratio.max())
    return float(max(most - (logs - others), (logs - others) - least))


@checked_numbers
def small_db_error_exact(histogram, queries, *, alpha, beta, epsilon):
    """The smallest error that is exceeded with probability at most beta; R is held in memory."""
    check_database(histogram, queries)
    errors = np.concatenate([errors for _, errors in scored(histogram, queries, alpha)])
    levels = ErrorLevels(*np.unique(errors, return_counts=True))
    return levels.error(n=np.sum(histogram), beta=beta, epsilon=epsilon)


@dataclass(frozen=True, eq=False)
class ErrorLevels:
    """Every largest error that a database in R can have, increasing, and how many have it.

    Only the proportions of the real database matter to them: its n rows enter in the law.
    """

    errors: np.ndarray
    counts: np.ndarray

    @checked_arrays
    def law(self, *, n, epsilon):
        """The probability of each level under SmallDB; with many n, a row for each."""
        rate = (epsilon * n)[..., None] / 2
        return softmax(np.log(self.counts) - rate * (self.errors - self.errors[0]), axis=-1)

    @checked_arrays
    def best_probability(self, *, n, num_candidates, epsilon):
        """The probability that SmallDB chooses one of so many best databases of R."""
        taken = np.clip(num_candidates - (np.cumsum(self.counts) - self.counts), 0, self.counts)
        return np.sum(self.law(n=n, epsilon=epsilon) * taken / self.counts, axis=-1)

    @checked_arrays
    def error(self, *, n, beta, epsilon):
        """The (1 - beta)-error: the smallest level that is exceeded with probability <= beta."""
        law = self.law(n=n, epsilon=epsilon)
        beyond = np.cumsum(law[..., :0:-1], axis=-1)  # of the last level but one first
        return self.errors[np.sum(beyond > beta[..., None], axis=-1)]

    @checked_numbers
    def rows_enough(self, *, error, beta, epsilon):
        """The smallest n from which on the (1 - beta)-error is at most this: more never harm."""
        worse = self.errors > error + 1e-12
        if worse[0]:
            least = f"{self.errors[0]:g}"
            raise ParameterError(f"error must be {least} or greater here, got {shown(error)}")

        def exceeded(n):
            return self.law(n=n, epsilon=epsilon)[worse].sum() > beta

        low, high = 0, 1
        while exceeded(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if exceeded(middle) else (low, middle)
        return high

    @checked_numbers
    def first_beaten(self, *, error, beta, epsilon):
        """The first n at which error / n, as some noise has it, is below SmallDB's own."""
        n = 1
        while (own := self.error(n=n, beta=beta, epsilon=epsilon)) <= error / n:
            if own == 0:
                return math.inf  # for every larger n it is 0 too
            n = int(error / own) + 1
        return n

    @checked_numbers
    def always_beaten(self, *, error, beta, epsilon):
        """The n from which on error / n stays below SmallDB's own, which falls to errors[0]."""
        if self.errors[0] == 0:
            return math.inf
        n = int(error / self.errors[0])  # beyond, error / n is below every level; here it may be
        while n > 0 and (own := self.error(n=n, beta=beta, epsilon=epsilon)) > error / n:
            n = int(error / own)
        return n + 1


@checked_numbers
def error_levels(histogram, queries, *, alpha):
    """The ErrorLevels of R for these proportions; errors are one if they agree to 12 digits."""
    check_database(histogram, queries)
    next(scored(histogram, queries, alpha))  # what has too many candidates is refused
    rows = np.asarray(queries, dtype=float)
    size = small_db_size(num_queries=len(rows), alpha=alpha)
    shares = histogram / np.sum(histogram)
    errors = np.concatenate([part.ravel() for part in _errors_by_halves(shares, rows, size)])
    return ErrorLevels(*np.unique(errors.round(12), return_counts=True))


def _errors_by_halves(shares, rows, size):
    """The largest error of each database of `size` rows, by how many are of the first elements.

    What a query is off by is a sum over the elements. So it is computed once for all choices in
    either half of the universe, and is for a pair of choices the sum of two numbers.
    """
    if len(shares) == 1:
        yield np.zeros(1)  # all rows are alike, in either database
        return
    half = len(shares) // 2
    parts, total_variation = (slice(half), slice(half, None)), are_all_predicates(rows)
    for first in range(size + 1):
        chosen = _choices(half, first), _choices(len(shares) - half, size - first)
        gaps = [c / size - shares[part, None] for c, part in zip(chosen, parts, strict=True)]
        if total_variation:
            left, right = (np.abs(gap).sum(axis=0) / 2 for gap in gaps)
            yield left[:, None] + right
            continue
        left, right = (
            one_thread_product(rows[:, part], gap) for gap, part in zip(gaps, parts, strict=True)
        )
        width = max(1, _TOGETHER // right.shape[1])
        for start in range(0, left.shape[1], width):
            yield _largest_of_pairs(left[:, start : start + width], right)


def _largest_of_pairs(left, right):
    """The largest |a + b| over the rows, for each column a of left and b of right."""
    errors = np.zeros((left.shape[1], right.shape[1]))
    off = np.empty_like(errors)
    for a, b in zip(left, right, strict=True):
        np.abs(np.add(a[:, None], b, out=off), out=off)
        np.maximum(errors, off, out=errors)
    return errors


def _choices(elements, size):
    """All databases of so many rows, as columns."""
    return np.hstack(list(multisets(elements, size)))


def are_all_predicates(queries):
    """Whether these are all predicates, one of each and its negation, as all_predicates has them.

    The worst of them holds where a database has too much: what it is off by is half of what all
    elements are off by together, the total variation.
    """
    rows = np.asarray(queries, dtype=float)
    most = 2 ** rows.shape[1] - 1
    if len(rows) != most // 2 or not np.isin(rows, (0, 1)).all():
        return False
    bits = np.sum(rows * 2.0 ** np.arange(rows.shape[1]), axis=1)
    return np.array_equal(np.unique(np.minimum(bits, most - bits)), np.arange(1, len(rows) + 1))


@checked_arrays(errors=SHARES, weights=NOT_NEGATIVES, bins=replace(COUNT, most=1e6))
def in_bins(errors, weights, *, bins):
    """The weight in each of so many equal bins of errors from 0 to 1; a bin has its left edge."""
    if np.ndim(errors) != 1 or np.shape(errors) != np.shape(weights):
        raise ParameterError(f"weights must be one for each of errors, got {shown(weights)}")
    places = np.minimum(np.floor(errors * bins + 1e-9), bins - 1).astype(int)
    return np.bincount(places, weights, minlength=int(bins))


@checked_arrays(size=replace(COUNT, most=1e9), alpha=NOT_NEGATIVE)
def sample_tails(histogram, queries, *, size, alpha):
    """The probability that `size` random rows are off by more than alpha, summed over the queries.

    They are drawn with replacement: how many of them a query counts is binomial.
    """
    check_database(histogram, queries)
    check_single(size=size)
    if not np.isin(queries, (0, 1)).all():
        raise ParameterError("queries must be counting queries here, with weights 0 and 1 alone")
    values, number = np.unique(fractions(histogram, queries), return_counts=True)
    size, p = int(size), values.reshape(-1, *[1] * alpha.ndim)
    low, high = np.ceil(size * (p - alpha)) - 1, np.floor(size * (p + alpha))
    tails = np.zeros(low.shape)
    for tail, place, can_be in ((bdtr, low, low >= 0), (bdtrc, high, high < size)):
        tails[can_be] += tail(place[can_be], size, np.broadcast_to(p, low.shape)[can_be])
    return sum(times * tail for times, tail in zip(number, tails, strict=True))[()]


@checked_arrays
def small_db_alpha(*, num_queries, size):
    """The smallest alpha for which small_db_size has no more rows than these."""
    return np.sqrt(np.log(num_queries) / size)


@checked_arrays
def existence_alpha(*, num_queries, size):
    """Some database of so many rows is within it on all of Q: there sample_beta is 1."""
    return np.sqrt(np.log(2 * num_queries) / (2 * size))


MECHANISMS = ("answers, basic", "answers, advanced", "histogram", "SmallDB")


class Promises:
    """Within what noise and SmallDB answer num_queries queries, except with probability beta.

    SmallDB's promise is the accuracy lemma at its best alpha: the least of small_db_alpha and what
    the lemma adds to it over the rows m of the small database.
    """

    @checked_numbers
    def __init__(self, *, universe_size, beta, epsilon, delta):
        self.universe_size, self.beta = universe_size, beta
        self.epsilon, self.delta = epsilon, delta
        self._added = 2 * (log_multisets(universe_size, _SIZES) - np.log(beta)) / epsilon  # times n

    @checked_arrays
    def noise(self, *, num_queries):
        """Of noise, times n: on the answers, basic and advanced; on the histogram."""
        answers = [
            answers_alpha(
                n=1, num_queries=num_queries, beta=self.beta, epsilon=self.epsilon, delta=delta
            )
            for delta in (0.0, self.delta)
        ]
        return np.array([*answers, self._histogram(num_queries)])

    @checked_arrays(num_queries=QUERIES)
    def small_db(self, *, n, num_queries):
        """Of SmallDB run with the alpha that is best for n rows."""
        return (_alphas(num_queries) + self._added / n[..., None]).min(axis=-1)

    @checked_arrays(num_queries=QUERIES)
    def small_db_n(self, *, num_queries, error):
        """The n from which on SmallDB promises this error; infinite if no number is enough."""
        left = error[..., None] - _alphas(num_queries)
        with np.errstate(divide="ignore"):  # no n is enough for an error below alpha
            return (self._added / np.maximum(left, 0)).min(axis=-1)

    @checked_arrays(num_queries=QUERIES)
    def small_db_ahead(self, *, num_queries, error):
        """The n up to which SmallDB promises less than error / n, as noise has it; 0 if never."""
        ahead = (error[..., None] - self._added) / _alphas(num_queries)
        return np.maximum(ahead.max(axis=-1), 0)

    def least(self, *, n, num_queries):
        """What each of MECHANISMS promises for n rows, a row each."""
        noise = self.noise(num_queries=num_queries) / n
        return np.array([*noise, self.small_db(n=n, num_queries=num_queries)])

    def leads(self, *, n, most):
        """Who of MECHANISMS promises least for n rows, and from how many queries on, up to most."""

        def ahead(num_queries):
            error = n * self.small_db(n=n, num_queries=num_queries)
            histogram = self._histogram(num_queries)
            return (error < histogram) & self._below_answers(error, num_queries)

        places = np.unique([2, *self._turns(most), *changes(ahead, 2, most)])
        best = self.least(n=n, num_queries=places).argmin(axis=0)
        return [
            (MECHANISMS[i], int(k))
            for i, before, k in zip(best, [-1, *best], places, strict=False)
            if i != before
        ]

    def regions(self, num_queries):
        """Where each of MECHANISMS promises least, and where no promise is below 1: a map.

        By their names: numbers of queries, among these or where two kinds of noise are equal, and
        from which to which n.
        """
        turn, meet = self._turns(num_queries[-1])
        queries = np.union1d(num_queries, [turn, meet])
        least = self.noise(num_queries=queries).min(axis=0)
        start = np.minimum(least, self.small_db_n(num_queries=queries, error=1.0))
        end = np.maximum(start, self.small_db_ahead(num_queries=queries, error=least))
        everywhere, no_end = np.full(len(queries), True), np.full(len(queries), np.inf)
        found = {
            "nothing below 1": (everywhere, np.zeros(len(queries)), start),
            "SmallDB": (everywhere, start, end),
            "answers, basic": (queries <= min(turn, meet), end, no_end),
            "answers, advanced": ((queries >= turn) & (queries <= meet), end, no_end),
            "histogram": (queries >= meet, end, no_end),
        }
        return {
            name: (queries[where], low[where], high[where])
            for name, (where, low, high) in found.items()
        }

    def _turns(self, most):
        """From how many queries on advanced composition beats basic, and the histogram both."""
        turn = advanced_pays_from(epsilon=self.epsilon, delta=self.delta) if self.delta else most

        def histogram_best(num_queries):
            return self._below_answers(self._histogram(num_queries), num_queries)

        return min(max(2, turn), most), next(changes(histogram_best, 2, most), most)

    def _histogram(self, num_queries):
        return histogram_alpha(
            n=1,
            universe_size=self.universe_size,
            num_queries=num_queries,
            beta=self.beta,
            epsilon=self.epsilon,
        )

    def _below_answers(self, error, num_queries):
        """Whether an error, times n, is below that of noise on the answers, however composed.

        The answers would have it with this epsilon for each, and it is enough to see that all
        together are then too much.
        """
        each = laplace_alpha(num_queries=num_queries, beta=self.beta, epsilon=1.0) / error
        below = each * num_queries > self.epsilon
        if self.delta:
            total = advanced_composition(runs=num_queries, epsilon=each, delta=self.delta)
            below &= total > self.epsilon
        return below


def _alphas(num_queries):
    """For each m the smallest alpha that takes no more rows: small_db_alpha."""
    return np.sqrt(np.log(num_queries))[..., None] / _ROOTS


def changes(winner, low, high):
    """Every whole number from low + 1 to high at which winner differs from the number before.

    `winner` is a function of an array; between 150 numbers at a time it may change only once.
    """
    places = np.unique(np.geomspace(low, high, 150).round())
    for i in np.flatnonzero(np.diff(winner(places))):
        before, at = places[i : i + 2]
        if at - before == 1:
            yield int(at)
        else:
            yield from changes(winner, before, at)
