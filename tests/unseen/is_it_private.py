"""Answers to the exercises of notebook 04, written without sight of its checks."""

import functools
import math
from fractions import Fraction

import numpy as np
from scipy import stats

from course_lib.lab.confidence import clopper_pearson
from course_lib.support.answers import ABOVE, BELOW

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


# my_repaired


def number(value, noise, level, fresh):
    return value + fresh()


def repaired(
    of_threshold=lambda s, c, e, n: 1 / (s[0] * e * n),
    of_query=lambda s, c, e, n: 2 * c / (s[1] * e * n),
    of_number=lambda s, c, e, n: c / (s[2] * e * n),
    redrawn=False,
    last=0,
    told=number,
):
    """The solution with other scales, functions of shares, c, ε and n, or other answers."""

    def my_repaired(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
        def draw(scale):
            return rng.laplace(scale=scale(shares, cutoff, epsilon, n))

        level, count = threshold + draw(of_threshold), 0
        for query in queries:
            value, noise = query(data), draw(of_query)
            if value + noise < level:
                yield BELOW
                continue
            yield told(value, noise, level, functools.partial(draw, of_number))
            count += 1
            if count >= cutoff + last:
                return
            if redrawn:
                level = threshold + draw(of_threshold)

    return my_repaired


def one_noise_for_all_numbers(data, queries, *, cutoff, shares, epsilon, n, rng, **rest):
    extra = rng.laplace(scale=cutoff / (shares[2] * epsilon * n))
    known = dict(rest, cutoff=cutoff, shares=shares, epsilon=epsilon, n=n, rng=rng)
    return repaired(told=lambda value, noise, level, fresh: value + extra)(data, queries, **known)


WRONG["my_repaired"] = {
    "one noise for all numbers": one_noise_for_all_numbers,
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


def as_list(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    def noise(scale):
        return scale * (rng.exponential() - rng.exponential()) / (epsilon * n)

    fresh = [noise(cutoff / shares[2]) for _ in range(cutoff)]
    level, answers = threshold + noise(1 / shares[0]), []
    for query in queries:
        value = query(data)
        above = value + noise(2 * cutoff / shares[1]) >= level
        answers.append(value + fresh.pop() if above else BELOW)
        if not fresh:
            break
    return answers


RIGHT["my_repaired"] = {
    "in units of 1/n, both noises at once": in_units,
    "a list, two exponentials, numbers' noise first": as_list,
    "0-d arrays": repaired(told=lambda value, noise, level, fresh: np.array(value + fresh())),
    "shares divided by their sum": lambda data, queries, *, shares, **rest: repaired()(
        data, queries, shares=tuple(share / sum(shares) for share in shares), **rest
    ),
}


# my_pair


def pair(below, above=2, values=(0, 1), neighbour=(1, 0)):
    return tuple(
        [low] * below + [high] * above for low, high in (values, neighbour, (BELOW, ABOVE))
    )


WRONG["my_pair"] = {
    "only ⊥": pair(40, above=0),
    "one ⊥ and one ⊤, all rise": pair(1, above=1, neighbour=(1, 2)),
    "equal streams": pair(20, neighbour=(0, 1)),
    "values that differ by 2": pair(20, values=(0, 2), neighbour=(2, 0)),
    "three ⊤": pair(20, above=3),
    "⊥ after the second ⊤": tuple(part[::-1] for part in pair(20)),
    "a transcript that is too short": (*pair(20)[:2], [BELOW, ABOVE, ABOVE]),
    "the pair without a transcript": pair(20)[:2],
    "a number in the transcript": (*pair(20)[:2], [BELOW] * 20 + [1.0, 1.0]),
}
RIGHT["my_pair"] = {
    "arrays": tuple(np.array(part) for part in pair(30)),
    "a list of tuples": [tuple(part) for part in pair(10)],
    "⊤ in between": ([0] * 9 + [1, 0, 1], [1] * 9 + [0, 1, 0], [BELOW] * 9 + [ABOVE, BELOW, ABOVE]),
    "moved by a half": tuple(
        part if part[0] is BELOW else [x - 0.5 for x in part] for part in pair(25)
    ),
}


# my_bound


def log_or_zero(top, bottom):
    return max(0.0, math.log(top / bottom)) if top > 0 and bottom > 0 else 0.0


def bound(here, there, of=log_or_zero, **more):
    """From one end of the interval for D and one of that for D′."""

    def my_bound(hits, neighbour_hits, runs):
        ends = clopper_pearson(hits, runs, **more)[here]
        return of(ends, clopper_pearson(neighbour_hits, runs, **more)[there])

    return my_bound


LOW, HIGH = 0, 1

WRONG["my_bound"] = {
    "no hits, no answer": bound(LOW, HIGH, of=lambda a, b: max(0.0, math.log(a / b))),
    "intervals of 90 %": bound(LOW, HIGH, confidence=0.9),
    "trials of both together": lambda hits, neighbour_hits, runs: bound(LOW, HIGH)(
        hits, neighbour_hits, 2 * runs
    ),
    "rounded": lambda hits, neighbour_hits, runs: round(
        bound(LOW, HIGH)(hits, neighbour_hits, runs), 1
    ),
}


def by_quantiles(hits, neighbour_hits, runs):
    if hits == 0 or neighbour_hits == runs:
        return 0
    low = stats.beta.ppf(0.025, hits, runs - hits + 1)
    high = stats.beta.ppf(0.975, neighbour_hits + 1, runs - neighbour_hits)
    return np.clip(np.log(low) - np.log(high), 0, None)


RIGHT["my_bound"] = {
    "quantiles of the beta law": by_quantiles,
    "the larger end first": bound(LOW, HIGH, of=lambda a, b: math.log(max(a, b) / b)),
    "0-d array": bound(LOW, HIGH, of=lambda a, b: np.array(log_or_zero(a, b))),
    "scipy's own interval": lambda hits, neighbour_hits, runs: log_or_zero(
        stats.binomtest(int(hits), int(runs)).proportion_ci().low,
        stats.binomtest(int(neighbour_hits), int(runs)).proportion_ci().high,
    ),
}


# my_loss


def loss(thresholds=lambda c, r: c if r else 1, query=2, number=1, total=sum):
    """The solution with other weights; `query` and `number` are multiples of c."""

    def my_loss(threshold_scale, query_scale, number_scale, cutoff, redrawn):
        terms = [thresholds(cutoff, redrawn) / threshold_scale, query * cutoff / query_scale]
        if number_scale is not None:
            terms.append(number * cutoff / number_scale)
        return total(terms)

    return my_loss


def named(short):
    """With the names of the stub, for they may be given."""
    return lambda threshold_scale, query_scale, number_scale, cutoff, redrawn: short(
        threshold_scale, query_scale, number_scale, cutoff, redrawn
    )


WRONG["my_loss"] = {
    "rounded": loss(total=lambda terms: round(sum(terms), 1)),
    "None divides": named(lambda t, q, a, c, r: (c if r else 1) / t + 2 * c / q + c / a),
    "without numbers nothing is returned": named(lambda t, q, a, c, r: a and loss()(t, q, a, c, r)),
    "scales for their inverses": named(
        lambda t, q, a, c, r: (c if r else 1) * t + 2 * c * q + c * (a or 0)
    ),
}


def in_fractions(threshold_scale, query_scale, number_scale, cutoff, redrawn):
    t, q = (Fraction(float(scale)) for scale in (threshold_scale, query_scale))
    a = 0 if number_scale is None else 1 / Fraction(float(number_scale))
    return Fraction(int(cutoff) ** bool(redrawn)) / t + int(cutoff) * (2 / q + a)


RIGHT["my_loss"] = {
    "Fraction": in_fractions,
    "None as an infinite scale": named(
        lambda t, q, a, c, r: max(1, c * r) / t + c / (q / 2) + c / (a or math.inf)
    ),
    "scalar product, 0-d array": named(
        lambda t, q, a, c, r: np.array(
            np.dot([c if r else 1, 2 * c, c], np.reciprocal([t, q, a or np.inf], dtype=float))
        )
    ),
    "one run after the other": named(
        lambda t, q, a, c, r: sum(
            (r or i == 0) / t + 2 / q + (0 if a is None else 1 / a) for i in range(c)
        )
    ),
}
