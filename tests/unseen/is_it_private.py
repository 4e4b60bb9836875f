"""Answers to the exercises of notebook 04: wrong ones, and right ones in unusual styles."""

import math

import numpy as np
from scipy import stats

from course_lib.checks.solutions.is_it_private import my_bound, my_loss, my_repaired
from course_lib.lab.confidence import clopper_pearson
from course_lib.support.answers import ABOVE, BELOW
from tests.unseen.dependent import NEARLY, NOISES, changed, dependent
from tests.unseen.numeric_sparse import cut

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def of_repaired(cutoff, n, shares, epsilon):
    first, second, third = (1 / (share * epsilon * n) for share in shares)
    return first, 2 * cutoff * second, cutoff * third


def scaled(*factors):
    """The repair with its three scales off by these factors."""

    def answer(*args, shares, **given):
        shares = [share / factor for share, factor in zip(shares, factors, strict=True)]
        return my_repaired(*args, shares=shares, **given)

    return answer


def numbers(change):
    """Each number changed by a function of it."""

    def answer(*args, **given):
        for each in my_repaired(*args, **given):
            yield each if each is BELOW else change(each)

    return answer


def for_one(*args, cutoff, epsilon, **given):
    return my_repaired(*args, cutoff=cutoff, epsilon=epsilon * (1 + (cutoff == 1)), **given)


WRONG["my_repaired"] = {
    "threshold noise a quarter too wide": scaled(1.25, 1, 1),
    "comparisons a fifth too narrow": scaled(1, 0.8, 1),
    "for c = 1 twice ε": for_one,
    "all noise cut at 4 scales": cut(my_repaired, 4),
    "reads ahead": lambda data, queries, **given: my_repaired(data, list(queries), **given),
    "clipped": numbers(lambda number: min(max(number, 0.0), 1.0)),
    **{words: dependent(noises, of_repaired, redrawn=False) for words, noises in NOISES.items()},
    **{words: changed(each, my_repaired, of_repaired) for words, each in NEARLY.items()},
}


def in_units(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    first, *others = (1 / (share * epsilon) for share in shares)
    level, left = n * threshold - rng.laplace(scale=first), cutoff
    law = stats.laplace(scale=cutoff * np.array(others))
    for query in queries:
        compared, fresh = law.rvs(random_state=rng)
        if n * query(data) + 2 * compared <= level:
            yield BELOW
        else:
            left -= 1
            yield (n * query(data) + fresh) / n
        if not left:
            break


RIGHT["my_repaired"] = {
    "in units of 1/n, both noises at once, frozen distribution": in_units,
    "arrays of one": numbers(lambda number: np.array([number])),
}


WRONG["my_pair"] = {"⊥ alone move": ([0, 0, 0, 0, 1], [1] * 5, [BELOW] * 4 + [ABOVE])}
RIGHT["my_pair"] = {
    "⊤ in between": ([0] * 9 + [1, 0, 1], [1] * 9 + [0, 1, 0], [BELOW] * 9 + [ABOVE, BELOW, ABOVE])
}


def bound(hits, neighbour_hits, runs):
    low, _ = clopper_pearson(hits, runs)
    _, high = clopper_pearson(neighbour_hits, runs)
    return max(0.0, math.log(low / high))


def by_quantiles(hits, neighbour_hits, runs):
    if hits == 0 or neighbour_hits == runs:
        return 0
    low = stats.beta.ppf(0.025, hits, runs - hits + 1)
    high = stats.beta.ppf(0.975, neighbour_hits + 1, runs - neighbour_hits)
    return np.clip(np.log(low) - np.log(high), 0, None)


WRONG["my_bound"] = {
    "no hits, no answer": bound,
    "trials of both together": lambda hits, there, runs: my_bound(hits, there, 2 * runs),
}
RIGHT["my_bound"] = {"quantiles of the beta law": by_quantiles}


def scalar_product(threshold_scale, query_scale, number_scale, cutoff, redrawn):
    scales = [threshold_scale, query_scale, number_scale or np.inf]
    return np.array(
        [cutoff if redrawn else 1, 2 * cutoff, cutoff] @ np.reciprocal(scales, dtype=float)
    )


WRONG["my_loss"] = {
    "without numbers nothing is returned": lambda one, two, number_scale, *given: (
        number_scale and my_loss(one, two, number_scale, *given)
    ),
}
RIGHT["my_loss"] = {"scalar product, 0-d array": scalar_product}
