"""Right answers to the exercises of notebook 05, written in ways of which there are many."""

import itertools
import math
from fractions import Fraction

import numpy as np

from course_lib.linear_queries import LinearQueries, Universe, fractions, marginals
from course_lib.small_db import small_db_size


def with_loops(histogram, candidate, queries):
    worst = 0
    for query in queries:
        real = sum(p * q for p, q in zip(histogram, query, strict=True)) / sum(histogram)
        small = sum(p * q for p, q in zip(candidate, query, strict=True)) / sum(candidate)
        if abs(real - small) > worst:
            worst = abs(real - small)
    return -worst


def row_by_row(histogram, candidate, queries):
    real, small = (np.repeat(np.arange(len(each)), each) for each in (histogram, candidate))
    return min(-abs(query[real].mean() - query[small].mean()) for query in queries)


def in_fractions(histogram, candidate, queries):
    n, m = int(sum(histogram)), int(sum(candidate))
    weights = [
        Fraction(int(p), n) - Fraction(int(c), m) for p, c in zip(histogram, candidate, strict=True)
    ]
    rows = [[Fraction(float(q)) for q in row] for row in queries]
    return -max(abs(sum(w * q for w, q in zip(weights, row, strict=True))) for row in rows)


def from_lists(histogram, candidate, queries):
    histogram, candidate, queries = (each.tolist() for each in (histogram, candidate, queries))
    return with_loops(histogram, candidate, queries)


def with_named_queries(histogram, candidate, queries):
    named = LinearQueries([str(i) for i in range(len(queries))], queries)
    return -np.abs(fractions(histogram, named) - fractions(candidate, named)).max()


def in_single_precision(histogram, candidate, queries):
    shares = (histogram / histogram.sum() - candidate / candidate.sum()).astype(np.float32)
    return -np.abs(queries.astype(np.float32) @ shares).max()


def talkative(histogram, candidate, queries):
    print("comparing", histogram, candidate)
    return with_loops(histogram, candidate, queries)


RIGHT_UTILITY = {
    "loops": with_loops,
    "row by row": row_by_row,
    "fractions": in_fractions,
    "lists": from_lists,
    "named queries": with_named_queries,
    "single precision": in_single_precision,
    "a print": talkative,
    "a norm": lambda d, c, q: -np.linalg.norm(q @ (d / d.sum() - c / c.sum()), ord=np.inf),
    "both signs": lambda d, c, q: (
        -max(np.max(sign * (q @ (d / d.sum() - c / c.sum()))) for sign in (1, -1))
    ),
    "the lowest and the highest": lambda d, c, q: min(
        np.min(q @ d / d.sum() - q @ c / c.sum()), np.min(q @ c / c.sum() - q @ d / d.sum())
    ),
    "sorted": lambda d, c, q: -sorted(abs(q @ d / sum(d) - q @ c / sum(c)))[-1],
    "an average": lambda d, c, q: (
        -np.abs([np.average(row, weights=d) - np.average(row, weights=c) for row in q]).max()
    ),
    "an array without axes": lambda d, c, q: np.array(with_loops(d, c, q)),
    "integers": lambda d, c, q: (
        -np.abs(c.sum() * (q @ d) - d.sum() * (q @ c)).max() / int(d.sum() * c.sum())
    ),
}


def by_listing(num_attributes, order, alpha):
    names = range(num_attributes)
    sets = [s for k in range(order + 1) for s in itertools.combinations(names, k) if s]
    return math.ceil(math.log(len(sets)) / alpha**2)


def by_bits(num_attributes, order, alpha):
    wanted = sum(1 <= x.bit_count() <= order for x in range(2**num_attributes))
    return int(np.ceil(np.log(wanted) / alpha / alpha))


def counting_up(num_attributes, order, alpha):
    queries, rows = 0, 0
    for size in range(1, order + 1):
        queries += math.comb(num_attributes, size)
    while math.exp(rows * alpha**2) < queries:
        rows += 1
    return rows


def of_the_library(num_attributes, order, alpha):
    queries = marginals(Universe(tuple(map(str, range(num_attributes)))), order=order)
    return small_db_size(num_queries=len(queries), alpha=alpha)


RIGHT_SIZE = {
    "listing the sets": by_listing,
    "bits": by_bits,
    "counting up": counting_up,
    "the library": of_the_library,
    "one more than rounded down": lambda d, k, a: (
        int(math.log(sum(math.comb(d, j) for j in range(1, k + 1))) / a**2) + 1
    ),
    "a float": lambda d, k, a: float(by_listing(d, k, a)),
    "minus the floor": lambda d, k, a: (
        -(-math.log(sum(math.comb(d, j) for j in range(k + 1)) - 1) // a**2)
    ),
    "another base": lambda d, k, a: math.ceil(
        math.log2(sum(math.comb(d, j + 1) for j in range(k))) * math.log(2) / a**2
    ),
}


def by_enumeration(query, n, change):
    most = 0
    for rows in itertools.combinations_with_replacement(query, n):
        mean = sum(rows) / n
        for new in query:
            if change == "add":
                most = max(most, abs((sum(rows) + new) / (n + 1) - mean))
            else:
                most = max(most, *(abs(new - old) / n for old in rows))
    return most


def all_pairs(query, n, change):
    moves = np.abs(np.subtract.outer(query, query))
    return moves.max() / {"replace": n, "add": n + 1}[change]


def sorted_copy(query, n, change):
    low, *_, high = sorted(query)
    return Fraction(high - low) / (n + ("add" in change))


RIGHT_SENSITIVITY = {
    "enumeration": by_enumeration,
    "all pairs": all_pairs,
    "sorted": sorted_copy,
    "a conditional": lambda q, n, change: (
        np.ptp(q) / n if change == "replace" else (max(q) - min(q)) / (n + 1)
    ),
    "from the other": lambda q, n, change: (
        np.ptp(q) / n * (1 if change == "replace" else n / (n + 1))
    ),
    "single precision": lambda q, n, change: np.float32(np.ptp(q)) / (n + (change == "add")),
}
