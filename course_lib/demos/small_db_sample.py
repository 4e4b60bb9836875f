"""The figure of notebook 05 on samples: a few random rows answer every marginal well."""

import functools

import numpy as np
from scipy.special import bdtr, bdtrc

from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, MeasuredRates, line
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.lecture11_sparse import NO_USE, USELESS
from course_lib.demos.numeric_sparse import probability
from course_lib.lab.histograms import survey_histogram
from course_lib.linear_queries import LinearQueries, all_predicates, fractions, marginals

# The first d of them make the universe.
NAMES = ("visit", "chronic", "unwell", "free", "frequent", "limited", "deductible", "incentive")
SAMPLES = 2_000
SCALED = np.array([0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.8])  # α√m, about the same for every m
GRID = np.geomspace(0.004, 1, 90)
ONE_QUERY = {"color": "0.45", "linestyle": ":"}
CAP = MEASURED | {"marker": "_", "markersize": 16, "markeredgewidth": 3}
NARROW = {"handlelength": 1.7, "columnspacing": 0.8, "fontsize": 11}  # a legend with many words
SAYS_NOTHING = "1 or more: says nothing"
# How many attributes each has; two queries on 64 elements are few for noise on every element.
WORKLOADS = {"2 of 64": 6, "3 marginals": 2, "7 marginals": 3, "15 marginals": 4, "127 subsets": 3}


@functools.cache
def survey(attributes):
    """Universe, histogram and all marginals of the survey's first attributes."""
    universe, histogram = survey_histogram(*NAMES[:attributes])
    return universe, histogram, marginals(universe)


def workload(queries):
    """Histogram and queries for the name of a set of queries on the survey's first attributes.

    A subset of the universe and its complement are off by the same, so 127 stand for all. “2 of 64”
    asks for the first two attributes, each by itself, in a universe of six.
    """
    universe, histogram, all_marginals = survey(WORKLOADS[queries])
    if queries == "2 of 64":
        return histogram, LinearQueries(all_marginals.names[:2], all_marginals.rows[:2])
    return histogram, all_predicates(universe) if "subsets" in queries else all_marginals


def lemma_alpha(size, attributes):
    """The α for which a sample of m rows is enough: m = ln|Q|/α²."""
    return np.sqrt(np.log(2**attributes - 1) / size)


def union_bound(num_queries, size, alpha):
    """Hoeffding for each of the queries, added up: no probability where it is above 1."""
    return 2 * num_queries * np.exp(-2 * size * np.square(alpha))


@functools.lru_cache(64)
def sample_errors(size, attributes, seed):
    """The largest error on all marginals of each of SAMPLES samples with replacement, sorted."""
    _, histogram, queries = survey(attributes)
    law, rng = histogram / histogram.sum(), np.random.default_rng(seed)
    samples = rng.multinomial(size, law, size=SAMPLES)
    errors = np.abs(fractions(samples, queries) - fractions(histogram, queries))
    return np.sort(errors.max(axis=1).round(12))


@functools.lru_cache(64)
def summed_tails(size, attributes):
    """The exact chance that a marginal is off by more than α, summed over all; α on a grid.

    The grid has √(ln|Q|/m), but nothing above 1: no fraction is off by more.
    """
    _, histogram, queries = survey(attributes)
    alpha = np.sort(np.append(GRID, min(lemma_alpha(size, attributes), 1.0)))
    p = fractions(histogram, queries)[:, None]
    low, high = np.ceil(size * (p - alpha)) - 1, np.floor(size * (p + alpha))
    below = np.where(low >= 0, bdtr(np.maximum(low, 0), size, p), 0)
    above = np.where(high < size, bdtrc(np.minimum(high, size), size, p), 0)
    return alpha, (below + above).sum(axis=0)


@demo(
    sample=(nice(5, 2000), 50),
    attributes=(range(2, len(NAMES) + 1), 3),
    seed=0,
    again="New samples",
    size=(7.2, 4.4),
)
def sample_is_enough(fig):
    """How often a sample of m rows of the survey is off by more than α on some marginal."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.004, 1.3), ylim=(1e-5, 1e3))
    ax.set(xlabel="error α", ylabel="probability: off by more than α")
    ax.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    ax.axhspan(1, 1e3, **NO_USE)
    ax.text(1.2, 480, SAYS_NOTHING, ha="right", va="center", color="0.3", fontsize=12)
    bound = line(ax, "union bound", THEOREM)
    single = line(ax, "Hoeffding, one query", ONE_QUERY)
    tails = line(ax, "sum of exact tails", EXACT)
    measured = MeasuredRates(ax)
    measured.intervals.set(zorder=2.5, linewidth=2)
    here = ax.axvline(1, ymax=5 / 8, color="0.6", linewidth=1, zorder=1.5, animated=True)
    cap = line(ax, None, CAP)  # the upper end of an interval without a dot
    point = line(ax, None, THEOREM | {"marker": "D"})
    fig.legend(loc="outside upper center", ncols=4, frameon=False, **NARROW)

    def update(*, sample, attributes, seed):
        number = 2**attributes - 1
        lemma = lemma_alpha(sample, attributes)
        grid, sums = summed_tails(sample, attributes)
        bound.set_data(grid, union_bound(number, sample, grid))
        single.set_data(grid, union_bound(1, sample, grid))
        tails.set_data(grid, np.maximum(sums, 1e-30))
        errors = sample_errors(sample, attributes, seed)
        probes = np.append(SCALED / sample**0.5, lemma)
        seen = SAMPLES - np.searchsorted(errors, probes, side="right")
        shown = (seen > 0) | (probes == lemma)
        low, high = measured.place(probes[shown], seen[shown], SAMPLES)
        cap.set_data([lemma], high[-1:] if not seen[-1] else [np.nan])
        here.set_xdata([lemma] * 2)
        point.set_data([lemma], [2 / number])
        half, most = np.quantile(errors, [0.5, 0.95], method="inverted_cdf")
        empty = np.sqrt(np.log(2 * number) / (2 * sample))
        exact = sums[np.searchsorted(grid, min(lemma, 1.0))]
        silent = f" Up to α = {about(empty)} it says nothing."
        return (
            f"At the existence lemma’s α = √(ln {number}/m) = {about(lemma)} exact tails sum to "
            f"{probability(exact, 1e-12)}, measured {about(low[-1])} to {about(high[-1])}; the "
            f"union bound is 2/{number} = {about(2 / number)}.{USELESS if lemma >= 1 else silent} "
            f"Half the samples are within {about(half)} on all {number} marginals, 95% within "
            f"{about(most)}."
        )

    return update
