"""Thirty-six more wrong answers, written from the statements of 02, 05 and 07 alone.

The lists beside this one were known when the slips were last sharpened, so that the rates they
give flatter the checks. Nothing has been adapted to these.
"""

import itertools
import math

import numpy as np

from course_lib.support.answers import ABOVE, BELOW

WRONG = {}  # stem → exercise → {the mistake in a few words: the answer}


# 02, my_sparse


def shares_swapped(data, queries, *, threshold, cutoff, share, epsilon, rng):
    noisy = threshold + rng.laplace(scale=cutoff / ((1 - share) * epsilon))
    rings = 0
    for query in queries:
        if query(data) + rng.laplace(scale=2 * cutoff / (share * epsilon)) >= noisy:
            yield ABOVE
            rings += 1
            if rings == cutoff:
                return
            noisy = threshold + rng.laplace(scale=cutoff / ((1 - share) * epsilon))
        else:
            yield BELOW


def one_threshold_pays_for_all(data, queries, *, threshold, cutoff, share, epsilon, rng):
    for_threshold = 1 / (share * epsilon)
    for_query = 2 * cutoff / ((1 - share) * epsilon)
    noisy = threshold + rng.laplace(0, for_threshold)
    rings = 0
    for query in queries:
        if query(data) + rng.laplace(0, for_query) >= noisy:
            yield ABOVE
            rings += 1
            noisy = threshold + rng.laplace(0, for_threshold)
            if rings == cutoff:
                break
        else:
            yield BELOW


def a_ring_too_many(data, queries, *, threshold, cutoff, share, epsilon, rng):
    b, d = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
    noisy, rings = threshold + rng.laplace(scale=b), 0
    for query in queries:
        if rings > cutoff:
            return
        if query(data) + rng.laplace(scale=d) >= noisy:
            yield ABOVE
            rings += 1
            noisy = threshold + rng.laplace(scale=b)
        else:
            yield BELOW


def noise_of_a_run(data, queries, *, threshold, cutoff, share, epsilon, rng):
    b, d = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
    noisy, noise, rings = threshold + rng.laplace(scale=b), rng.laplace(scale=d), 0
    for query in queries:
        if query(data) + noise >= noisy:
            yield ABOVE
            rings += 1
            if rings == cutoff:
                return
            noisy, noise = threshold + rng.laplace(scale=b), rng.laplace(scale=d)
        else:
            yield BELOW


def threshold_grows(data, queries, *, threshold, cutoff, share, epsilon, rng):
    b, d = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
    threshold += rng.laplace(scale=b)
    rings = 0
    for query in queries:
        if query(data) + rng.laplace(scale=d) >= threshold:
            yield ABOVE
            rings += 1
            if rings == cutoff:
                return
            threshold += rng.laplace(scale=b)
        else:
            yield BELOW


def no_below_at_the_end(data, queries, *, threshold, cutoff, share, epsilon, rng):
    answers = []
    for _ in range(cutoff):
        noisy = threshold + rng.laplace(scale=cutoff / (share * epsilon))
        for query in queries:
            if query(data) + rng.laplace(scale=2 * cutoff / ((1 - share) * epsilon)) >= noisy:
                answers.append(ABOVE)
                break
            answers.append(BELOW)
    return answers


# 02, my_numeric_sparse


def noise_of_the_comparison(data, queries, *, threshold, cutoff, share, epsilon, rng):
    rest = (1 - share) * epsilon
    noisy, rings = threshold + rng.laplace(scale=2 * cutoff / rest), 0
    for query in queries:
        value = query(data) + rng.laplace(scale=4 * cutoff / rest)
        if value < noisy:
            yield BELOW
            continue
        yield value + rng.laplace(scale=cutoff / (share * epsilon))
        rings += 1
        if rings == cutoff:
            return
        noisy = threshold + rng.laplace(scale=2 * cutoff / rest)


def numbers_share_nothing(data, queries, *, threshold, cutoff, share, epsilon, rng):
    rest = (1 - share) * epsilon
    noisy, rings = threshold + rng.laplace(scale=2 * cutoff / rest), 0
    for query in queries:
        if query(data) + rng.laplace(scale=4 * cutoff / rest) >= noisy:
            yield query(data) + rng.laplace(scale=1 / (share * epsilon))
            rings += 1
            if rings == cutoff:
                return
            noisy = threshold + rng.laplace(scale=2 * cutoff / rest)
        else:
            yield BELOW


def finding_not_halved(data, queries, *, threshold, cutoff, share, epsilon, rng):
    rest = (1 - share) * epsilon
    noisy, rings = threshold + rng.laplace(scale=cutoff / rest), 0
    for query in queries:
        if query(data) + rng.laplace(scale=2 * cutoff / rest) >= noisy:
            yield query(data) + rng.laplace(scale=cutoff / (share * epsilon))
            rings += 1
            if rings == cutoff:
                return
            noisy = threshold + rng.laplace(scale=cutoff / rest)
        else:
            yield BELOW


def ring_and_number(data, queries, *, threshold, cutoff, share, epsilon, rng):
    rest = (1 - share) * epsilon
    noisy, rings = threshold + rng.laplace(scale=2 * cutoff / rest), 0
    for query in queries:
        if query(data) + rng.laplace(scale=4 * cutoff / rest) >= noisy:
            yield ABOVE
            yield query(data) + rng.laplace(scale=cutoff / (share * epsilon))
            rings += 1
            if rings == cutoff:
                return
            noisy = threshold + rng.laplace(scale=2 * cutoff / rest)
        else:
            yield BELOW


def excess_released(data, queries, *, threshold, cutoff, share, epsilon, rng):
    rest = (1 - share) * epsilon
    noisy, rings = threshold + rng.laplace(scale=2 * cutoff / rest), 0
    for query in queries:
        if query(data) + rng.laplace(scale=4 * cutoff / rest) >= noisy:
            yield max(threshold, query(data)) + rng.laplace(scale=cutoff / (share * epsilon))
            rings += 1
            if rings == cutoff:
                return
            noisy = threshold + rng.laplace(scale=2 * cutoff / rest)
        else:
            yield BELOW


def numbers_paid_twice(data, queries, *, threshold, cutoff, share, epsilon, rng):
    rest = (1 - share) * epsilon
    noisy, rings = threshold + rng.laplace(scale=2 * cutoff / rest), 0
    for query in queries:
        if query(data) + rng.laplace(scale=4 * cutoff / rest) >= noisy:
            yield query(data) + rng.laplace(scale=2 * cutoff / (share * epsilon))
            rings += 1
            if rings == cutoff:
                return
            noisy = threshold + rng.laplace(scale=2 * cutoff / rest)
        else:
            yield BELOW


WRONG["numeric_sparse"] = {
    "my_sparse": {
        "the two shares are swapped": shares_swapped,
        "thresholds not divided by c": one_threshold_pays_for_all,
        "stops one ring too late": a_ring_too_many,
        "one noise for all queries of a run": noise_of_a_run,
        "new noise on the noisy threshold": threshold_grows,
        "starts from the first query again": no_below_at_the_end,
    },
    "my_numeric_sparse": {
        "the number has the noise of the comparison too": noise_of_the_comparison,
        "numbers not divided by c": numbers_share_nothing,
        "all of the rest to each half": finding_not_halved,
        "a ring and then a number": ring_and_number,
        "never a value below the threshold": excess_released,
        "twice the noise on numbers": numbers_paid_twice,
    },
}


# 05


def histograms_of(elements, size):
    rows = itertools.combinations_with_replacement(range(elements), size)
    return [np.bincount(row, minlength=elements) for row in rows]


def counts_compared(histogram, queries, *, size, epsilon, rng):
    small = histograms_of(len(histogram), size)
    worst = [np.abs(queries @ histogram - queries @ h).max() for h in small]
    weights = np.exp(-epsilon * np.array(worst) / 2)
    return small[rng.choice(len(small), p=weights / weights.sum())]


def sensitivity_of_the_small(histogram, queries, *, size, epsilon, rng):
    small, n = histograms_of(len(histogram), size), sum(histogram)
    worst = [np.abs(queries @ histogram / n - queries @ h / size).max() for h in small]
    weights = np.exp(-epsilon * size * np.array(worst) / 2)
    return small[rng.choice(len(small), p=weights / weights.sum())]


def every_order_of_rows(histogram, queries, *, size, epsilon, rng):
    rows = itertools.product(range(len(histogram)), repeat=size)
    small = [np.bincount(row, minlength=len(histogram)) for row in rows]
    n = sum(histogram)
    worst = [np.abs(queries @ histogram / n - queries @ h / size).max() for h in small]
    weights = np.exp(-epsilon * n * np.array(worst) / 2)
    return small[rng.choice(len(small), p=weights / weights.sum())]


def rows_returned(histogram, queries, *, size, epsilon, rng):
    rows = list(itertools.combinations_with_replacement(range(len(histogram)), size))
    n = sum(histogram)
    worst = [
        np.abs(
            queries @ histogram / n - queries @ np.bincount(row, minlength=len(histogram)) / size
        ).max()
        for row in rows
    ]
    weights = np.exp(-epsilon * n * np.array(worst) / 2)
    return np.array(rows[rng.choice(len(rows), p=weights / weights.sum())])


def noisy_best(histogram, queries, *, size, epsilon, rng):
    small, n = histograms_of(len(histogram), size), sum(histogram)
    worst = [np.abs(queries @ histogram / n - queries @ h / size).max() for h in small]
    return small[np.argmin(np.array(worst) + rng.laplace(scale=2 / (n * epsilon), size=len(small)))]


def largest_answer(histogram, candidate, queries):
    answers = queries @ histogram / histogram.sum()
    return -abs(answers.max() - (queries @ candidate / candidate.sum()).max())


def divided_by_queries(histogram, candidate, queries):
    return -np.max(np.abs(queries @ histogram - queries @ candidate)) / len(queries)


def error_without_size(histogram, candidate, queries):
    a, b = queries @ histogram / sum(histogram), queries @ candidate / sum(candidate)
    return -max(a - b)


def rows_for_order(num_attributes, order, alpha):
    return math.ceil(math.log(math.comb(num_attributes, order)) / alpha**2)


def rows_for_values(num_attributes, order, alpha):
    count = sum(math.comb(num_attributes, j) * 2**j for j in range(1, order + 1))
    return math.ceil(math.log(count) / alpha**2)


def range_of_replace(query, n, change):
    spread = max(query) - min(query)
    return spread / n if change == "replace" else spread / (n - 1)


def one_over(query, n, change):
    return 1 / n if change == "replace" else 1 / (n + 1)


WRONG["small_db"] = {
    "my_small_db": {
        "sums in place of shares": counts_compared,
        "sensitivity from the small database": sensitivity_of_the_small,
        "every order of the rows counts": every_order_of_rows,
        "the rows are returned": rows_returned,
        "noise on the errors, and the best": noisy_best,
    },
    "my_utility": {
        "the largest answers are compared": largest_answer,
        "divided by the number of queries": divided_by_queries,
        "only answers that are too small": error_without_size,
    },
    "my_size": {
        "only the marginals of exactly k": rows_for_order,
        "every value of every attribute": rows_for_values,
    },
    "my_sensitivity": {
        "n - 1 rows after one is added": range_of_replace,
        "every query reaches 0 and 1": one_over,
    },
}


# 07


def total_is_size(weights, query, value, size, alpha):
    guess = sum(q * weights.get(x, 1) for x, q in query.items()) / size
    step = alpha / 2 if value > guess else -alpha / 2
    new = dict(weights)
    for x, q in query.items():
        if q:
            new[x] = weights.get(x, 1) * math.exp(step * q)
    return new


def ones_forgotten(weights, query, value, size, alpha):
    total = sum(weights.values())
    guess = sum(q * weights.get(x, 1) for x, q in query.items()) / total if total else 0
    step = alpha / 2 if value > guess else -alpha / 2
    return weights | {x: weights.get(x, 1) * math.exp(step * q) for x, q in query.items() if q > 0}


def only_known(weights, query, value, size, alpha):
    total = sum(weights.values()) + size - len(weights)
    guess = sum(q * weights.get(x, 1) for x, q in query.items()) / total
    step = alpha / 2 if value > guess else -alpha / 2
    return {x: w * math.exp(step * query.get(x, 0)) for x, w in weights.items()}


def wrong_direction(weights, query, value, size, alpha):
    total = sum(weights.values()) + size - len(weights)
    guess = sum(q * weights.get(x, 1) for x, q in query.items()) / total
    step = alpha / 2 if value < guess else -alpha / 2
    return weights | {x: weights.get(x, 1) * math.exp(step * q) for x, q in query.items() if q > 0}


def by_the_error(weights, query, value, size, alpha):
    total = sum(weights.values()) + size - len(weights)
    guess = sum(q * weights.get(x, 1) for x, q in query.items()) / total
    return weights | {
        x: weights.get(x, 1) * math.exp(alpha / 2 * (value - guess) * q)
        for x, q in query.items()
        if q > 0
    }


def base_two(support, alpha):
    s = 1
    while s / (math.log2(s) + 1) < 4 * support / alpha**2:
        s += 1
    return s


def doubled_only(support, alpha):
    s = 1
    while s / (math.log(s) + 1) < 4 * support / alpha**2:
        s *= 2
    return s


def alpha_once(support, alpha):
    s = 1
    while s / (math.log(s) + 1) < 4 * support / alpha:
        s += 1
    return s


def rest_left_out(truth, weights, size):
    return sum(truth[x] * math.log(truth[x] / w) for x, w in weights.items() if truth.get(x, 0) > 0)


def rest_as_one(truth, weights, size):
    known = sum(
        truth[x] * math.log(truth[x] / w) for x, w in weights.items() if truth.get(x, 0) > 0
    )
    left, guessed = 1 - sum(truth.get(x, 0) for x in weights), 1 - sum(weights.values())
    return known + (left * math.log(left * (size - len(weights)) / guessed) if left > 0 else 0)


def rest_on_size(truth, weights, size):
    known = sum(
        truth[x] * math.log(truth[x] / w) for x, w in weights.items() if truth.get(x, 0) > 0
    )
    left = 1 - sum(truth.get(x, 0) for x in weights)
    return known + (left * math.log(left * size) if left > 0 else 0)


def other_way_round(truth, weights, size):
    known = sum(w * math.log(w / truth[x]) for x, w in weights.items() if truth.get(x, 0) > 0)
    left, guessed = 1 - sum(truth.get(x, 0) for x in weights), 1 - sum(weights.values())
    return known + (guessed * math.log(guessed / left) if left > 0 else 0)


WRONG["sparse_mw"] = {
    "my_lazy_update": {
        "all variables weigh s together": total_is_size,
        "the variables without an element forgotten": ones_forgotten,
        "no new element": only_known,
        "the wrong direction": wrong_direction,
        "a step by the size of the error": by_the_error,
    },
    "my_size": {
        "the binary logarithm": base_two,
        "only powers of two": doubled_only,
        "alpha not squared": alpha_once,
    },
    "my_potential": {
        "the rest of D left out": rest_left_out,
        "the rest times the number of variables": rest_as_one,
        "the rest against 1/s": rest_on_size,
        "the relative entropy the other way round": other_way_round,
    },
}
