"""Seventy-two more wrong answers, written from the statements of six notebooks alone.

The lists beside this one were known when the slips were last sharpened, and keep only what behaves
like none of them. To these nothing has been adapted, so that they tell how often a mistake that
nobody listed gets a sentence of its own.
"""

import itertools
import math

import numpy as np
from scipy.integrate import quad

from course_lib.lab.confidence import clopper_pearson
from course_lib.support.answers import ABOVE, BELOW

WRONG = {}  # stem → exercise → {the mistake in a few words: the answer}


def run(scales, *, number=None, more=0, shared=False, redrawn=True, grows=False):
    """A Sparse with these scales. `number(value, compared, noise, T)` is said in place of ⊤."""

    def mechanism(data, queries, *, threshold, cutoff, epsilon, rng, **given):
        for_threshold, for_query, for_number = scales(cutoff, epsilon, **given)
        noisy, rings = threshold + rng.laplace(scale=for_threshold), 0
        noise = rng.laplace(scale=for_query)
        for query in queries:
            value = query(data)
            if not shared:
                noise = rng.laplace(scale=for_query)
            if value + noise < noisy:
                yield BELOW
                continue
            if number is None:
                yield ABOVE
            else:
                yield number(value, value + noise, rng.laplace(scale=for_number), threshold)
            rings += 1
            if rings == cutoff + more:
                return
            if redrawn:
                start = noisy if grows else threshold
                noisy, noise = (
                    start + rng.laplace(scale=for_threshold),
                    rng.laplace(scale=for_query),
                )

    return mechanism


def fresh(value, compared, noise, threshold):
    return value + noise


# 02


def split(c, epsilon, share):
    return c / (share * epsilon), 2 * c / ((1 - share) * epsilon), None


def three(c, epsilon, share):
    rest = (1 - share) * epsilon
    return 2 * c / rest, 4 * c / rest, c / (share * epsilon)


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


def ring_and_number(*args, **given):
    for answer in run(three, number=fresh)(*args, **given):
        if answer is not BELOW:
            yield ABOVE
        yield answer


WRONG["numeric_sparse"] = {
    "my_sparse": {
        "the two shares are swapped": run(lambda c, e, share: split(c, e, 1 - share)),
        "thresholds not divided by c": run(
            lambda c, e, share: (1 / (share * e), *split(c, e, share)[1:])
        ),
        "stops one ring too late": run(split, more=1),
        "one noise for all queries of a run": run(split, shared=True),
        "new noise on the noisy threshold": run(split, grows=True),
        "starts from the first query again": no_below_at_the_end,
    },
    "my_numeric_sparse": {
        "the number has the noise of the comparison too": run(
            three, number=lambda value, compared, noise, threshold: compared + noise
        ),
        "numbers not divided by c": run(
            lambda c, e, share: (*three(c, e, share)[:2], 1 / (share * e)), number=fresh
        ),
        "all of the rest to each half": run(
            lambda c, e, share: (c / (e - share * e), 2 * c / (e - share * e), c / (share * e)),
            number=fresh,
        ),
        "a ring and then a number": ring_and_number,
        "never a value below the threshold": run(
            three, number=lambda value, compared, noise, threshold: max(threshold, value) + noise
        ),
        "twice the noise on numbers": run(
            lambda c, e, share: (*three(c, e, share)[:2], 2 * c / (share * e)), number=fresh
        ),
    },
}


# 05


def histograms_of(elements, size):
    rows = itertools.combinations_with_replacement(range(elements), size)
    return [np.bincount(row, minlength=elements) for row in rows]


def chosen(pool=histograms_of, *, counts=False, sensitivity_of=None, returned=None):
    """SmallDB with another list, other answers, another sensitivity, or another result."""

    def my_small_db(histogram, queries, *, size, epsilon, rng):
        small, n = pool(len(histogram), size), sum(histogram)
        by = (1, 1) if counts else (n, size)
        worst = [np.abs(queries @ histogram / by[0] - queries @ h / by[1]).max() for h in small]
        rate = 1 if counts else size if sensitivity_of == "size" else n
        if returned == "noisy best":
            noise = rng.laplace(scale=2 / (n * epsilon), size=len(small))
            return small[np.argmin(np.array(worst) + noise)]
        weights = np.exp(-epsilon * rate * np.array(worst) / 2)
        best = small[rng.choice(len(small), p=weights / weights.sum())]
        return np.repeat(np.arange(len(best)), best) if returned == "rows" else best

    return my_small_db


def every_order(elements, size):
    rows = itertools.product(range(elements), repeat=size)
    return [np.bincount(row, minlength=elements) for row in rows]


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
        "sums in place of shares": chosen(counts=True),
        "sensitivity from the small database": chosen(sensitivity_of="size"),
        "every order of the rows counts": chosen(every_order),
        "the rows are returned": chosen(returned="rows"),
        "noise on the errors, and the best": chosen(returned="noisy best"),
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


def lazy(*, total=None, step=None, new=True, direction=1):
    """A lazy step with another total, another step, without new elements, or the other way."""

    def my_lazy_update(weights, query, value, size, alpha):
        every = sum(weights.values()) + size - len(weights)
        every = total(weights, size) if total else every
        guess = sum(q * weights.get(x, 1) for x, q in query.items()) / every if every else 0
        way = direction if value > guess else -direction
        way = step(value - guess) if step else way
        return weights | {
            x: weights.get(x, 1) * math.exp(way * alpha / 2 * q)
            for x, q in query.items()
            if q > 0 and (new or x in weights)
        }

    return my_lazy_update


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
        "all variables weigh s together": lazy(total=lambda weights, size: size),
        "the variables without an element forgotten": lazy(
            total=lambda weights, size: sum(weights.values())
        ),
        "no new element": lazy(new=False),
        "the wrong direction": lazy(direction=-1),
        "a step by the size of the error": lazy(step=lambda gap: gap),
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


def silence(m, x, scale):
    return (1 - tail(x, scale)) ** m


def log_ratio(*, scales=None, silence=silence, number_noise=None, up_to=None, of=math.log):
    """The log-ratio with other scales, other ⊥, a number that moves, another end or another log."""

    def my_log_ratio(m, number, cutoff, epsilon):
        t, q = scales(cutoff, epsilon) if scales else (2 / epsilon, 2 * cutoff / epsilon)
        end = up_to or number

        def mass(v):
            def joint(z):
                own = number_noise(number - v, q) if number_noise else 1
                return math.exp(-abs(z) / t) * silence(m, z - v, q) * own

            return sum(
                quad(joint, *ends)[0] for ends in ((-math.inf, min(end, 0)), (min(end, 0), end))
            )

        return of(mass(0) / mass(1))

    return my_log_ratio


WRONG["lecture11_sparse"] = {
    "my_log_ratio": {
        "upside down": log_ratio(of=lambda ratio: math.log(1 / ratio)),
        "the number left out": log_ratio(up_to=500),
        "the chance of a ring in place of none": log_ratio(
            silence=lambda m, x, scale: tail(x, scale) ** m
        ),
        "queries without c": log_ratio(scales=lambda c, e: (2 / e, 2 / e)),
        "the last value moves, too": log_ratio(number_noise=lambda x, q: math.exp(-abs(x) / q)),
        "the threshold has the queries' scale": log_ratio(
            scales=lambda c, e: (2 * c / e, 2 * c / e)
        ),
        "a bottom too many": log_ratio(silence=lambda m, x, scale: silence(m + 1, x, scale)),
        "the threshold without noise": lambda m, number, c, e: m * e / (2 * c),
        "what the proof says": lambda m, number, c, e: min(m * e / (2 * c), e / 2),
        "the logarithm to base 10": log_ratio(of=math.log10),
        "the queries' noise twice as wide": log_ratio(scales=lambda c, e: (2 / e, 4 * c / e)),
        "one bottom": log_ratio(silence=lambda m, x, scale: silence(1, x, scale)),
    },
}


# 04


def parts(c, epsilon, n, shares):
    first, second, third = (1 / (share * epsilon * n) for share in shares)
    return first, 2 * c * second, c * third


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
        "a new threshold after each number": run(parts, number=fresh),
        "fractions forgotten": run(
            lambda c, e, n, shares: parts(c, e, 1, shares), number=fresh, redrawn=False
        ),
        "the threshold pays c times": run(
            lambda c, e, n, shares: parts(c, e, n, (shares[0] / c, *shares[1:])),
            number=fresh,
            redrawn=False,
        ),
        "the number it was compared with": run(
            parts, number=lambda value, compared, noise, threshold: compared, redrawn=False
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
