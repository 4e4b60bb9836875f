"""Answers to the exercises of notebook 05, written without sight of its checks."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import special, stats

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def gaps(histogram, candidate, queries):
    return queries @ histogram / np.sum(histogram) - queries @ candidate / np.sum(candidate)


def of_gaps(answer):
    return lambda histogram, candidate, queries: answer(gaps(histogram, candidate, queries))


def of_answers(small):
    """The candidate's answers are small(queries, candidate, histogram)."""
    return lambda histogram, candidate, queries: (
        -np.max(
            np.abs(queries @ histogram / np.sum(histogram) - small(queries, candidate, histogram))
        )
    )


def counts(histogram, candidate, queries):
    return -np.max(np.abs(queries @ histogram - queries @ candidate))


def subtracts_in_place(histogram, candidate, queries):
    n = np.sum(histogram)
    candidate *= n // np.sum(candidate)
    histogram -= candidate
    return -np.max(np.abs(queries @ histogram)) / n


def whole_numbers(histogram, candidate, queries):
    errors = np.zeros_like(histogram, shape=len(queries))
    errors[:] = np.abs(gaps(histogram, candidate, queries))
    return -errors.max()


WRONG["my_utility"] = {
    "absolute value after the maximum": of_gaps(lambda gap: -abs(np.max(gap))),
    "candidate not divided": of_answers(lambda q, c, h: q @ c),
    "whole division": of_answers(lambda q, c, h: q @ c // np.sum(c)),
    "first query only": of_gaps(lambda gap: -abs(gap[0])),
    "one minus the error": of_gaps(lambda gap: 1 - np.max(np.abs(gap))),
    "an error for each query": of_gaps(lambda gap: -np.abs(gap)),
    "subtracts in place": subtracts_in_place,
    "errors in an array of whole numbers": whole_numbers,
}


def with_fractions(histogram, candidate, queries):
    def mean(query, counts):
        parts = [Fraction(float(q)) * int(c) for q, c in zip(query, counts, strict=True)]
        return sum(parts) / sum(int(c) for c in counts)

    return -max(abs(mean(q, histogram) - mean(q, candidate)) for q in queries)


RIGHT["my_utility"] = {
    "fractions and loops": with_fractions,
    "norm": of_gaps(lambda gap: -np.linalg.norm(gap, ord=np.inf)),
    "smaller of two minima": of_gaps(lambda gap: np.array(min(min(gap), min(-gap)))),
    "array of one": of_gaps(lambda gap: -np.abs(gap).max(keepdims=True)),
}


def count(d, order):
    return sum(math.comb(d, j) for j in range(1, order + 1))


def rows_for(number):
    return lambda num_attributes, order, alpha: math.ceil(
        math.log(number(num_attributes, order)) / alpha**2
    )


def rows(formula):
    return lambda num_attributes, order, alpha: formula(count(num_attributes, order), alpha)


WRONG["my_size"] = {
    "logarithm rounded": rows(lambda k, alpha: math.ceil(math.log(k)) / alpha**2),
    "all squared": rows(lambda k, alpha: math.ceil((math.log(k) / alpha) ** 2)),
    "times alpha": rows(lambda k, alpha: math.ceil(math.log(k) / alpha * alpha)),
    "half of alpha": rows(lambda k, alpha: math.ceil(math.log(k) / (alpha / 2) ** 2)),
    "ordered sets": rows_for(lambda d, k: sum(math.perm(d, j) for j in range(1, k + 1))),
    "one order too many": rows_for(lambda d, k: count(d, k + 1)),
}


def pascal(d, order):
    row = [1] + [0] * order
    for _ in range(d):
        row = [1] + [a + b for a, b in itertools.pairwise(row)]
    return sum(row) - 1


RIGHT["my_size"] = {
    "float": rows(lambda k, alpha: np.ceil(np.log(k) / alpha**2)),
    "fraction, minus the floor": rows(lambda k, alpha: -Fraction(-math.log(k) * alpha**-2 // 1)),
    "array of one": rows(lambda k, alpha: np.ceil([np.log(k) / alpha / alpha]).astype(int)),
    "Pascal's triangle": rows_for(pascal),
    "scipy": rows_for(lambda d, k: special.comb(d, np.arange(1, k + 1)).sum()),
}


def moved(formula):
    return lambda query, n, change: formula(query, n + (change == "add"))


def spread(formula):
    return lambda query, n, change: formula(np.max(query) - np.min(query), n, change == "add")


WRONG["my_sensitivity"] = {
    "n - 1": spread(lambda width, n, add: width / (n - add)),
    "twice for a replacement": spread(
        lambda width, n, add: width / (n + 1) if add else 2 * width / n
    ),
    "precedence": moved(lambda q, rows: np.max(q) - np.min(q) / rows),
    "standard deviation": moved(lambda q, rows: np.std(q) / rows),
    "whole division": moved(lambda q, rows: np.ptp(q) // rows),
}


def over_databases(query, n, change):
    best = 0.0
    for x, y in itertools.product(query, repeat=2):
        other = [x] * (n - 1) + ([y] if change == "replace" else [x, y])
        best = max(best, abs(math.fsum(other) / len(other) - x))
    return best


RIGHT["my_sensitivity"] = {
    "pairs": moved(lambda q, rows: np.abs(np.subtract.outer(q, q)).max() / rows),
    "fraction": moved(
        lambda q, rows: Fraction(float(max(q))) / rows - Fraction(float(min(q))) / rows
    ),
    "array of one": moved(lambda q, rows: np.diff(np.sort(q)[[0, -1]]) / rows),
    "over databases": over_databases,
}

WRONG["why_correlated"] = {letter: letter for letter in "abce"} | {"nothing": ""}
WRONG["what_is_promised"] = {letter: letter for letter in "abde"} | {"two letters": "ac"}
RIGHT["why_correlated"] = {"upper case": "D", "spaces": " d "}
RIGHT["what_is_promised"] = {"upper case": "C", "spaces": " c "}


def all_histograms(universe, size):
    rows = itertools.combinations_with_replacement(range(universe), size)
    return [np.bincount(row, minlength=universe) for row in rows]


def scored(histogram, queries, candidates, epsilon, error=np.max):
    utilities = [-error(np.abs(gaps(histogram, c, queries))) for c in candidates]
    return np.array(utilities) * epsilon * np.sum(histogram) / 2


def draw(candidates, scores, rng):
    return candidates[rng.choice(len(candidates), p=special.softmax(scores))]


def among(choose, error=np.max):
    """The answer that draws from choose(histogram, size) only."""

    def my_small_db(histogram, queries, *, size, epsilon, rng):
        candidates = choose(histogram, size)
        return draw(candidates, scored(histogram, queries, candidates, epsilon, error), rng)

    return my_small_db


def everything(histogram, size):
    return all_histograms(len(histogram), size)


def at_rate(change):
    """The answer that multiplies the scores by change(histogram, size)."""

    def my_small_db(histogram, queries, *, size, epsilon, rng):
        candidates = everything(histogram, size)
        scores = scored(histogram, queries, candidates, epsilon)
        return draw(candidates, scores * change(histogram, size), rng)

    return my_small_db


def chosen_by(choose):
    """The answer choose(candidates, scores, rng), with the scores as they should be."""

    def my_small_db(histogram, queries, *, size, epsilon, rng):
        candidates = everything(histogram, size)
        return choose(candidates, scored(histogram, queries, candidates, epsilon), rng)

    return my_small_db


def one_coin_each(candidates, scores, rng):
    chances = zip(candidates, special.softmax(scores), strict=True)
    return next((c for c, p in chances if rng.random() < p), candidates[-1])


def waits(histogram, queries, *, size, epsilon, rng):
    found = set()
    while len(found) < math.comb(len(histogram) + size, size):
        row = rng.integers(len(histogram), size=size)
        found.add(tuple(np.bincount(row, minlength=len(histogram))))
    candidates = np.array(list(found))
    return draw(candidates, scored(histogram, queries, candidates, epsilon), rng)


def of_seen(histogram, size):
    return [c for c in everything(histogram, size) if not c[np.equal(histogram, 0)].any()]


WRONG["my_small_db"] = {
    "n is the universe": at_rate(lambda h, m: len(h) / np.sum(h)),
    "Laplace noise": chosen_by(lambda c, u, rng: c[np.argmax(u + rng.laplace(size=len(u)))]),
    "one coin after the other": chosen_by(one_coin_each),
    "own generator": chosen_by(lambda c, u, rng: draw(c, u, np.random.default_rng(1))),
    "returns rows": chosen_by(lambda c, u, rng: np.repeat(np.arange(len(c[0])), draw(c, u, rng))),
    "no row twice": among(lambda h, m: [c for c in everything(h, m) if max(c) <= 1]),
    "elements of the data only": among(of_seen),
    "up to m rows": among(lambda h, m: sum((everything(h, j + 1) for j in range(m)), [])),
    "never ends: waits for more than there are": waits,
}


def rejected(candidates, scores, rng):
    while True:
        i = rng.integers(len(candidates))
        if rng.random() < math.exp(scores[i] - max(scores)):
            return candidates[i]


def from_table(candidates, scores, rng):
    values = np.arange(len(scores)), special.softmax(scores)
    return candidates[stats.rv_discrete(values=values).rvs(random_state=rng)]


def recursion(parts, total):
    if parts == 1:
        return [(total,)]
    return [(i, *rest) for i in range(total + 1) for rest in recursion(parts - 1, total - i)]


RIGHT["my_small_db"] = {
    "Gumbel": chosen_by(lambda c, u, rng: c[np.argmax(u + rng.gumbel(size=len(u)))]),
    "clocks": chosen_by(lambda c, u, rng: c[np.argmin(np.log(rng.exponential(size=len(u))) - u)]),
    "rejection": chosen_by(rejected),
    "scipy": chosen_by(from_table),
    "recursion, floats": among(lambda h, m: np.array(recursion(len(h), m), dtype=float)),
    "a list": chosen_by(lambda c, u, rng: draw(c, u, rng).tolist()),
}
