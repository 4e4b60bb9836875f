"""Seventy-two more wrong answers, written from the statements of six notebooks alone.

The lists beside this one were known when the slips were last sharpened, so that the rates they
give flatter the checks. Nothing has been adapted to these.
"""

import itertools
import math

import numpy as np
from scipy.integrate import quad

from course_lib.lab.confidence import clopper_pearson
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


# 00


def clipped(count, *, epsilon, rng):
    return max(0.0, count + rng.laplace(scale=1 / epsilon))


def half_an_epsilon(count, *, epsilon, rng):
    return count + rng.laplace(0, 2 / epsilon)


def one_sided(count, *, epsilon, rng):
    return count + rng.exponential(1 / epsilon)


def size_of_the_noise(count, *, epsilon, rng):
    return count + abs(rng.laplace(scale=1 / epsilon))


def relative(count, *, epsilon, rng):
    return count * (1 + rng.laplace(scale=1 / epsilon))


def mean_of_the_bits(yes, n, epsilon):
    p = 1 / (1 + math.exp(epsilon))
    return (yes / n - p) / (1 - 2 * p)


def only_honest(yes, n, epsilon):
    p = 1 / (1 + math.exp(epsilon))
    return yes / (1 - p)


def flipped_taken_off(yes, n, epsilon):
    p = 1 / (1 + math.exp(epsilon))
    return yes - p * yes + p * (n - yes)


def whole_people(yes, n, epsilon):
    p = 1 / (1 + math.exp(epsilon))
    return min(n, max(0, round((yes - n * p) / (1 - 2 * p))))


def one_side(budget, alpha, beta):
    return math.floor(budget * alpha / math.log(1 / (2 * beta)))


def shared_beta(budget, alpha, beta):
    k = 0
    while (k + 1) * math.log((k + 1) / beta) / alpha <= budget:
        k += 1
    return k


def nearest(budget, alpha, beta):
    return round(budget / (math.log(1 / beta) / alpha))


WRONG["start_here"] = {
    "my_release": {
        "no negative counts": clipped,
        "twice the noise": half_an_epsilon,
        "exponential noise": one_sided,
        "the size of the noise": size_of_the_noise,
        "noise in parts of the count": relative,
    },
    "my_count": {
        "a share": mean_of_the_bits,
        "nobody lies who has a 0": only_honest,
        "the reports flipped once more": flipped_taken_off,
        "rounded, and kept between 0 and n": whole_people,
    },
    "my_answers": {
        "only one side": one_side,
        "all counts together": shared_beta,
        "rounded to the nearest": nearest,
    },
}


# 03, my_log_ratio


def tail(x, scale):
    return math.exp(-x / scale) / 2 if x > 0 else 1 - math.exp(x / scale) / 2


def log_ratio(joint, number, here=0, there=1):
    def mass(value):
        return sum(
            quad(lambda z: joint(z, value), a, b)[0]
            for a, b in ((-math.inf, min(number, 0)), (min(number, 0), number))
        )

    return math.log(mass(here) / mass(there))


def ratio_upside_down(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 2 * cutoff / epsilon
    return log_ratio(
        lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** m, number, here=1, there=0
    )


def integral_of_all(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 2 * cutoff / epsilon
    return log_ratio(lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** m, 60 * t)


def above_in_place_of_below(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 2 * cutoff / epsilon
    return log_ratio(lambda z, v: math.exp(-abs(z) / t) * tail(z - v, q) ** m, number)


def scales_without_c(m, number, cutoff, epsilon):
    t = q = 2 / epsilon
    return log_ratio(lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** m, number)


def last_moves_too(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 2 * cutoff / epsilon
    return log_ratio(
        lambda z, v: (
            math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** m * math.exp(-abs(number - v) / q)
        ),
        number,
    )


def threshold_c_times(m, number, cutoff, epsilon):
    t = q = 2 * cutoff / epsilon
    return log_ratio(lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** m, number)


def a_bottom_more(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 2 * cutoff / epsilon
    return log_ratio(lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** (m + 1), number)


def threshold_fixed(m, number, cutoff, epsilon):
    q = 2 * cutoff / epsilon
    return m * math.log((1 - tail(0, q)) / (1 - tail(-1, q)))


def as_the_proof(m, number, cutoff, epsilon):
    return min(m * epsilon / (2 * cutoff), epsilon / 2)


def base_ten(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 2 * cutoff / epsilon
    return log_ratio(
        lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** m, number
    ) / math.log(10)


def noise_of_the_query_twice(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 4 * cutoff / epsilon
    return log_ratio(lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)) ** m, number)


def no_m(m, number, cutoff, epsilon):
    t, q = 2 / epsilon, 2 * cutoff / epsilon
    return log_ratio(lambda z, v: math.exp(-abs(z) / t) * (1 - tail(z - v, q)), number)


WRONG["lecture11_sparse"] = {
    "my_log_ratio": {
        "upside down": ratio_upside_down,
        "the number left out": integral_of_all,
        "the chance of a ring in place of none": above_in_place_of_below,
        "queries without c": scales_without_c,
        "the last value moves, too": last_moves_too,
        "the threshold has the queries' scale": threshold_c_times,
        "a bottom too many": a_bottom_more,
        "the threshold without noise": threshold_fixed,
        "what the proof says": as_the_proof,
        "the logarithm to base 10": base_ten,
        "the queries' noise twice as wide": noise_of_the_query_twice,
        "one bottom": no_m,
    },
}


# 04


def repaired(scales, *, again=False, number=lambda value, compared, noise: value + noise):
    def my_repaired(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
        b1, b2, b3 = scales(*(share * epsilon for share in shares), cutoff, n)
        noisy, rings = threshold + rng.laplace(scale=b1), 0
        for query in queries:
            compared = query(data) + rng.laplace(scale=b2)
            if compared >= noisy:
                yield number(query(data), compared, rng.laplace(scale=b3))
                rings += 1
                if rings == cutoff:
                    return
                if again:
                    noisy = threshold + rng.laplace(scale=b1)
            else:
                yield BELOW

    return my_repaired


def right_scales(e1, e2, e3, c, n):
    return 1 / (e1 * n), 2 * c / (e2 * n), c / (e3 * n)


def first_end(hits, neighbour_hits, runs):
    low, _ = clopper_pearson(hits, runs)
    other, _ = clopper_pearson(neighbour_hits, runs)
    return max(0, math.log(low / other)) if low > 0 and other > 0 else 0


def largest_of_both(hits, neighbour_hits, runs):
    low, high = clopper_pearson(hits, runs)
    other_low, other_high = clopper_pearson(neighbour_hits, runs)
    if min(low, other_low) == 0:
        return 0
    return max(0, math.log(low / other_high), math.log(other_low / high))


def difference_of_rates(hits, neighbour_hits, runs):
    low, _ = clopper_pearson(hits, runs)
    _, high = clopper_pearson(neighbour_hits, runs)
    return max(0, low - high)


def only_rings(threshold_scale, query_scale, number_scale, cutoff, redrawn):
    loss = (cutoff if redrawn else 1) / threshold_scale + cutoff / query_scale
    return loss + (cutoff / number_scale if number_scale else 0)


def twice_the_threshold(threshold_scale, query_scale, number_scale, cutoff, redrawn):
    loss = (2 * cutoff if redrawn else 2) / threshold_scale + 2 * cutoff / query_scale
    return loss + (cutoff / number_scale if number_scale else 0)


WRONG["is_it_private"] = {
    "my_repaired": {
        "a new threshold after each number": repaired(right_scales, again=True),
        "fractions forgotten": repaired(lambda *given: right_scales(*given[:4], 1)),
        "the threshold pays c times": repaired(
            lambda e1, e2, e3, c, n: (c / (e1 * n), 2 * c / (e2 * n), c / (e3 * n))
        ),
        "how far it is above the threshold": repaired(
            right_scales, number=lambda value, compared, noise: compared
        ),
    },
    "my_pair": {
        "only bottoms": ([0] * 20, [1] * 20, [BELOW] * 20),
        "rings rise": ([0] * 20 + [0] * 2, [1] * 20 + [1] * 2, [BELOW] * 20 + [ABOVE] * 2),
        "a ring too many": ([0] * 20 + [1] * 3, [1] * 20 + [0] * 3, [BELOW] * 20 + [ABOVE] * 3),
    },
    "my_bound": {
        "two lower ends": first_end,
        "either direction": largest_of_both,
        "the difference of the rates": difference_of_rates,
    },
    "my_loss": {
        "a query pays for a shift of 1": only_rings,
        "the threshold pays for a shift of 2": twice_the_threshold,
    },
}
