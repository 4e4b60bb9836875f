"""SmallDB: release a synthetic database that answers all of Q at once (Dinitz)."""

from dataclasses import replace

import numpy as np

from course_lib.linear_queries import check_rows, fractions
from course_lib.support.contracts import (
    NOT_NEGATIVE,
    RANGES,
    TWO_OR_MORE,
    ParameterError,
    checked_numbers,
    theorem,
)
from course_lib.support.multisets import all_multisets, log_multisets
from course_lib.support.products import one_thread_product

SOURCE = "Dinitz"


# One query needs no more than Laplace noise.
QUERIES = replace(TWO_OR_MORE, words=TWO_OR_MORE.words + ", as ln 1 = 0 rows say nothing")


def check_database(histogram, queries):
    """What the mechanism and its exact laws take: one database, rows of queries."""
    RANGES["weights"].check("queries", queries)
    if np.ndim(queries) != 2:
        raise ParameterError(f"queries must be rows of an array, got shape {np.shape(queries)}")
    if np.ndim(histogram) != 1:
        raise ParameterError(f"histogram must be one database, got shape {np.shape(histogram)}")
    check_rows(histogram)


@checked_numbers(also=check_database)
def small_db(histogram, queries, *, alpha, epsilon, max_candidates=10**8, rng):
    """A small database, as a histogram, that answers every query almost like the real one.

    The exponential mechanism over R, all databases of small_db_size rows; the utility is minus the
    largest error. With Gumbel noise on every score, the best is exactly what it would choose.
    Privacy: epsilon-differentially private if a row is replaced, added or removed (not the last).
    Accuracy: within small_db_error on all queries except with probability beta (lemma).
    Notebook: 05_small_db.
    """
    sensitivity, best = 1 / np.sum(histogram), -np.inf
    for candidates, errors in scored(histogram, queries, alpha, max_candidates):
        utilities = -errors
        gumbel = -np.log(rng.standard_exponential(len(utilities)))
        noisy = epsilon * utilities / (2 * sensitivity) + gumbel
        if noisy.max() > best:
            best, chosen = noisy.max(), candidates[:, noisy.argmax()]
    return chosen.astype(int)


def scored(histogram, queries, alpha, max_candidates=10**8):
    """R in pieces: candidates as columns of counts, and max |f(D) - f(candidate)| for each."""
    rows, values = np.asarray(queries, dtype=float), fractions(histogram, queries)
    size = small_db_size(num_queries=len(rows), alpha=alpha)
    limits = {"num_queries": len(rows), "max_candidates": max_candidates}
    for candidates in all_multisets(rows.shape[1], size, **limits):
        errors = one_thread_product(rows, candidates)
        errors /= size
        errors -= values[:, None]
        yield candidates, np.abs(errors, out=errors).max(axis=0)


@theorem(
    "How many rows are enough",
    source=SOURCE + ", rounded up",
    latex=r"m = \left\lceil \frac{\ln|Q|}{\alpha^2} \right\rceil",
    num_queries=QUERIES,
)
def small_db_size(*, num_queries, alpha):
    """How many rows the small database has: enough for some sample to be within alpha on Q."""
    size = np.ceil(np.log(num_queries) / alpha**2)
    return size if np.ndim(size) else int(size)


@theorem(
    "Existence lemma, before m is put in",
    source=SOURCE,
    latex=r"\Pr\left[\max_{f\in Q}|f(D)-f(\hat D)| > \alpha\right] \le 2|Q|e^{-2m\alpha^2}"
    r"\ \text{ for } m \text{ random rows of } D",
    alpha=NOT_NEGATIVE,
)
def sample_beta(*, num_queries, size, alpha):
    """Hoeffding's bound for a sample being off, summed over Q: no probability where it is above 1.

    Where it is below 1 some sample is within alpha on all of Q; with m = ln|Q|/alpha^2 it is 2/|Q|.
    """
    return 2 * num_queries * np.exp(-2 * size * alpha**2)


@theorem(
    "Lemma, as in the notes",
    source=SOURCE,
    latex=r"\max_{f\in Q}|f(D)-f(\hat D)| \le \alpha + \frac{2}{\varepsilon|D|}"
    r"\left(\frac{\ln|X|\,\ln|Q|}{\alpha^2} + \ln\frac1\beta\right)",
    num_queries=QUERIES,
)
def small_db_error_printed(*, n, universe_size, num_queries, alpha, beta, epsilon):
    """The lemma with ln |X| ln |Q| / alpha^2 for ln |R|; rounding m up can make it too small."""
    log_r = np.log(universe_size) * np.log(num_queries) / alpha**2
    return alpha + 2 * (log_r - np.log(beta)) / (epsilon * n)


@theorem(
    "Lemma",
    source=SOURCE + ", with |R| itself",
    latex=r"\max_{f\in Q}|f(D)-f(\hat D)| \le \alpha + \frac{2}{\varepsilon|D|}"
    r"\left(\ln|R| + \ln\frac1\beta\right),\quad |R| = \binom{|X|+m-1}{m}",
    num_queries=QUERIES,
)
def small_db_error(*, n, universe_size, num_queries, alpha, beta, epsilon):
    """The largest error of SmallDB run with alpha, except with probability beta."""
    log_r = log_multisets(universe_size, small_db_size(num_queries=num_queries, alpha=alpha))
    return alpha + 2 * (log_r - np.log(beta)) / (epsilon * n)


@theorem(
    "Theorem, as transcribed",
    source=SOURCE,
    latex=r"|D| \ge \frac{6\left(\ln|X|\,\ln|Q| + 4\alpha^2\ln\frac1\beta\right)}"
    r"{\varepsilon\alpha^3}",
    num_queries=QUERIES,
)
def small_db_n_printed(*, universe_size, num_queries, alpha, beta, epsilon):
    """The theorem's |D| with the 6, which can be too few: the derivation gives 16, no bracket."""
    logs = np.log(universe_size) * np.log(num_queries) - 4 * alpha**2 * np.log(beta)
    return 6 * logs / (epsilon * alpha**3)


@theorem(
    "Theorem, for SmallDB run with α/2",
    source=SOURCE + ", corrected",
    latex=r"|D| \ge \frac{16\ln|X|\,\ln|Q| + 4\alpha^2\ln\frac1\beta}{\varepsilon\alpha^3}"
    r"\ \text{ and }\ |D| \ge \frac{4\,(\ln|R| + \ln\frac1\beta)}{\varepsilon\alpha}",
    num_queries=QUERIES,
)
def small_db_n(*, universe_size, num_queries, alpha, beta, epsilon):
    """With so many rows SmallDB run with alpha / 2 is within alpha, except with probability beta.

    The first condition implies the second unless rounding m up makes ln |R| the larger.
    """
    half = alpha / 2
    printed = np.log(universe_size) * np.log(num_queries) / half**2
    log_r = log_multisets(universe_size, small_db_size(num_queries=num_queries, alpha=half))
    return 2 * (np.maximum(printed, log_r) - np.log(beta)) / (epsilon * half)
