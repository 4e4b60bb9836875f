"""Solutions to the exercises of notebook 05; tools/refresh.py copies them into its folded cells."""

import itertools
import math

import numpy as np


# The databases have different numbers of rows, so shares are compared; minus, so that 0 is perfect.
def my_utility(histogram, candidate, queries):
    real = queries @ histogram / np.sum(histogram)
    small = queries @ candidate / np.sum(candidate)
    return -np.max(np.abs(real - small))


# The lemma is proved for ln|Q|/α² rows or more; so round up, because rows are whole.
def my_size(num_attributes, order, alpha):
    num_queries = sum(math.comb(num_attributes, size) for size in range(1, order + 1))
    return math.ceil(math.log(num_queries) / alpha**2)


# Replacing x by y moves the mean by (q(y) − q(x))/n, adding x moves it by (q(x) − f(D))/(n + 1).
def my_sensitivity(query, n, change):
    rows = n if change == "replace" else n + 1
    return (np.max(query) - np.min(query)) / rows


# The only random choice is that of D̂; whatever is wrong with it shows in all its answers.
why_correlated = "d"

# The theorem’s proof uses the lemma with α/2; with α, the lemma has α and something more.
what_is_promised = "c"


# One row moves the largest error by at most 1/n; so ε·u/(2Δu) is −ε·n·error/2.
def my_small_db(histogram, queries, *, size, epsilon, rng):
    n, elements = np.sum(histogram), len(histogram)
    rows = itertools.combinations_with_replacement(range(elements), size)
    candidates = np.array([np.bincount(each, minlength=elements) for each in rows])
    real, small = queries @ histogram / n, candidates @ queries.T / size
    errors = np.max(np.abs(real - small), axis=1)
    scores = -epsilon * n * errors / 2
    weights = np.exp(scores - np.max(scores))
    return candidates[rng.choice(len(candidates), p=weights / np.sum(weights))]
