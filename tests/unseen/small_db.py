"""Answers to the exercises of notebook 05: wrong ones, and right ones in unusual styles."""

import itertools
import math

import numpy as np
from scipy import special, stats

from course_lib.checks.solutions import small_db as solutions

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def of_gaps(answer):
    """The answer answer(gaps), with one gap for each query."""
    return lambda histogram, candidate, queries: answer(
        queries @ histogram / np.sum(histogram) - queries @ candidate / np.sum(candidate)
    )


WRONG["my_utility"] = {
    "absolute value after the maximum": of_gaps(lambda gaps: -abs(np.max(gaps))),
    "last query": of_gaps(lambda gaps: -abs(gaps[-1])),
    "rounded": of_gaps(lambda gaps: -np.abs(gaps).max().round(2)),
}
RIGHT["my_utility"] = {
    "array of one": of_gaps(lambda gaps: -np.abs(gaps).max(keepdims=True)),
}


WRONG["my_size"] = {
    "one order too many": lambda d, order, alpha: solutions.my_size(d, order + 1, alpha)
}
RIGHT["my_size"] = {
    "scipy, a float": lambda d, order, alpha: np.ceil(
        np.log(special.comb(d, np.arange(1, order + 1)).sum()) / alpha**2
    )
}


def over_databases(query, n, change):
    best = 0.0
    for x, y in itertools.product(query, repeat=2):
        other = [x] * (n - 1) + ([y] if change == "replace" else [x, y])
        best = max(best, abs(math.fsum(other) / len(other) - x))
    return best


def spread(formula):
    return lambda query, n, change: formula(np.ptp(query), n, change == "add")


WRONG["my_sensitivity"] = {
    "n - 1": spread(lambda width, n, add: width / max(n - add, 1)),
    "twice for a replacement": spread(lambda width, n, add: width * (2 - add) / (n + add)),
    "too little for one row": spread(lambda width, n, add: width * (n > 1) / (n + add)),
    "neighbours in the list": lambda query, n, change: (
        np.abs(np.diff(query)).max() / (n + (change == "add"))
    ),
}
RIGHT["my_sensitivity"] = {"over databases": over_databases}

RIGHT["why_correlated"] = {"upper case": "D"}
RIGHT["what_is_promised"] = {"spaces": " c "}


def all_histograms(elements, size):
    if elements == 1:
        return [(size,)]
    return [(i, *h) for i in range(size + 1) for h in all_histograms(elements - 1, size - i)]


def chosen_by(choose, some=lambda candidates, histogram: candidates):
    """The answer choose(candidates, scores, rng), from `some` of the candidates."""

    def my_small_db(histogram, queries, *, size, epsilon, rng):
        candidates = np.array(some(all_histograms(len(histogram), size), histogram))
        gaps = queries @ histogram / np.sum(histogram) - candidates @ queries.T / size
        return choose(candidates, -epsilon * np.sum(histogram) / 2 * np.abs(gaps).max(axis=1), rng)

    return my_small_db


def draw(candidates, scores, rng):
    return candidates[rng.choice(len(candidates), p=special.softmax(scores))]


def of_seen(candidates, histogram):
    return [c for c in candidates if not np.array(c)[np.equal(histogram, 0)].any()]


WRONG["my_small_db"] = {
    "Laplace noise on the scores": chosen_by(
        lambda c, u, rng: c[np.argmax(u + rng.laplace(size=len(u)))]
    ),
    "elements of the data only": chosen_by(draw, of_seen),
    "no row twice": chosen_by(draw, lambda c, histogram: [each for each in c if max(each) <= 1]),
}


def from_table(candidates, scores, rng):
    values = np.arange(len(scores)), special.softmax(scores)
    return candidates[stats.rv_discrete(values=values).rvs(random_state=rng)].astype(float)


RIGHT["my_small_db"] = {
    "Gumbel": chosen_by(lambda c, u, rng: c[np.argmax(u + rng.gumbel(size=len(u)))]),
    "frozen distribution, floats": chosen_by(from_table),
}
