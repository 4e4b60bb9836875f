"""Answers to the exercises of notebook 07, written without sight of its checks."""

import bisect
import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy import optimize, special, stats

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def searched(
    left=lambda s: s / (math.log(s) + 1), right=lambda m, alpha: 4 * m / alpha**2, first=1
):
    """The smallest s from `first` on with left(s) >= right(support, alpha)."""

    def my_size(support, alpha):
        needed = right(support, alpha)
        return bisect.bisect_left(range(2**60), needed, lo=first, key=left)

    return my_size


def then(change):
    """The answer change(s, ratio), with s as it should be."""
    right = searched()
    return lambda support, alpha: change(right(support, alpha), 4 * support / alpha**2)


def equality(support, alpha):
    ratio = 4 * support / alpha**2
    return optimize.brentq(lambda s: s / (math.log(s) + 1) - ratio, 1, 1e15)


def ends_never_meet(support, alpha):
    low, high = 1, 2**60
    while low < high:
        middle = (low + high) // 2
        if middle / (math.log(middle) + 1) >= 4 * support / alpha**2:
            high = middle
        else:
            low = middle
    return low


WRONG["my_size"] = {
    "ln(s + 1)": searched(lambda s: s / math.log(s + 1)),
    "all squared": searched(right=lambda m, alpha: 4 * (m / alpha) ** 2),
    "times alpha": searched(right=lambda m, alpha: 4 * m / alpha * alpha),
    "whole division": searched(right=lambda m, alpha: 4 * m // alpha**2),
    "steps of ten": then(lambda s, ratio: math.ceil(s / 10) * 10),
    "counts to ten thousand": then(lambda s, ratio: s if s < 10_000 else None),
    "not rounded": equality,
    "never ends: the ends never meet": ends_never_meet,
}


def counted(support, alpha):
    enough = (s for s in itertools.count(1) if s * alpha**2 >= 4 * support * (math.log(s) + 1))
    return next(enough)


def from_below(support, alpha):
    size, ratio = 1, 4 * support / alpha**2
    while size < ratio * (1 + math.log(size)):
        size = math.ceil(ratio * (1 + math.log(size)))
    return np.array([size])


def lambert(support, alpha):
    ratio = 4 * support / alpha**2
    return np.ceil(-ratio * special.lambertw(-1 / (math.e * ratio), -1).real)


def recursion(support, alpha, low=0, high=2**50):
    if high - low == 1:
        return Fraction(high)
    middle = (low + high) // 2
    if middle >= 4 * support / alpha**2 * math.log(math.e * middle):
        return recursion(support, alpha, low, middle)
    return recursion(support, alpha, middle, high)


RIGHT["my_size"] = {
    "counted": counted,
    "from below": from_below,
    "Lambert's function": lambert,
    "recursion": recursion,
    "float": then(lambda s, ratio: float(s)),
}


def potential(term=lambda p, w: p * math.log(p / w), rest=None):
    """The sum of terms; rest(rho, left, unassigned, size) is what the other variables have."""

    def even(share, left, unassigned, size):
        return unassigned * term(share / unassigned, left / unassigned) if share > 0 else 0

    def my_potential(truth, weights, size):
        shares = [(truth.get(x, 0), weight) for x, weight in weights.items()]
        others = 1 - sum(p for p, _ in shares), 1 - sum(weights.values())
        total = sum(term(p, w) for p, w in shares if p > 0)
        return total + (rest or even)(*others, size - len(weights), size)

    return my_potential


def divergence(share, left):
    return share * math.log(share / left) if share > 0 else 0


def every_element_known(truth, weights, size):
    return potential()({x: truth[x] for x in weights}, weights, size)


def no_zeros(truth, weights, size):
    rest, left = 1 - sum(truth.get(x, 0) for x in weights), 1 - sum(weights.values())
    shares = [(truth.get(x, 0), weight) for x, weight in weights.items()]
    return sum(p * math.log(p / w) for p, w in [*shares, (rest, left)])


def renormalised(truth, weights, size):
    rho = sum(truth.get(x, 0) for x in weights) or 1
    return sum(divergence(truth.get(x, 0) / rho, w) for x, w in weights.items())


def over_the_truth(truth, weights, size):
    return sum(divergence(p, weights.get(x, 1 / size)) for x, p in truth.items())


def in_place(truth, weights, size):
    left, unassigned = 1 - sum(weights.values()), size - len(weights)
    rest = 1 - sum(truth.get(x, 0) for x in weights)
    for i in range(unassigned):
        truth["free", i], weights["free", i] = rest / unassigned, left / unassigned
    return sum(divergence(truth.get(x, 0), w) for x, w in weights.items())


WRONG["my_potential"] = {
    "rest on one variable": potential(rest=lambda p, left, free, size: divergence(p, left / free)),
    "rest on all variables": potential(
        rest=lambda p, left, free, size: free * divergence(p / size, left / free)
    ),
    "others weigh 1": potential(rest=lambda p, left, free, size: free * divergence(p / free, 1)),
    "precedence": potential(lambda p, w: p * math.log(p) / w),
    "absolute values": potential(lambda p, w: abs(p * math.log(p / w))),
    "positive terms": potential(lambda p, w: max(0, p * math.log(p / w))),
    "entropy": potential(lambda p, w: -p * math.log(p)),
    "element missing": every_element_known,
    "logarithm of 0": no_zeros,
    "share made 1": renormalised,
    "over the truth": over_the_truth,
    "in place": in_place,
}


def arrays(truth, weights, size):
    p = np.array([truth.get(x, 0) for x in weights] + [0.0] * (size - len(weights)))
    w = np.array([*weights.values()] + [0.0] * (size - len(weights)))
    p[len(weights) :], w[len(weights) :] = (
        max(0, 1 - v.sum()) / (size - len(weights)) for v in (p, w)
    )
    return p, w


RIGHT["my_potential"] = {
    "rest together": potential(rest=lambda p, left, free, size: divergence(p, left)),
    "difference of logarithms": potential(lambda p, w: p * math.log(p) - p * math.log(w)),
    "rel_entr": lambda truth, weights, size: special.rel_entr(*arrays(truth, weights, size)).sum(),
    "scipy.stats": lambda truth, weights, size: np.array(
        stats.entropy(*arrays(truth, weights, size))
    ),
    "array of one": potential(lambda p, w: -p * np.log([w / p])),
}

WRONG["which_step_fails"] = {letter: letter for letter in "abce"} | {"a sentence": "Lemma 5"}
RIGHT["which_step_fails"] = {"upper case": "D", "spaces": " d "}


def lazy(
    *,
    total=lambda weights, size: sum(weights.values()) + size - len(weights),
    missing=1,
    factor=lambda sign, alpha, q: math.exp(sign * alpha / 2 * q),
    moved=lambda q: q > 0,
    copy=dict,
    start=1,
):
    """The update, in which one thing can be another."""

    def my_lazy_update(weights, query, value, size, alpha):
        parts = [q * weights.get(x, missing) for x, q in query.items()]
        sign = -1 if value < sum(parts) / total(weights, size) else 1
        new = copy(weights)
        for x, q in query.items():
            if moved(q):
                new[x] = weights.get(x, start) * factor(sign, alpha, q)
        return new

    return my_lazy_update


def after(change):
    """The answer change(new, weights, query, size)."""

    def my_lazy_update(weights, query, value, size, alpha):
        return change(lazy()(weights, query, value, size, alpha), weights, query, size)

    return my_lazy_update


def by_the_gap(weights, query, value, size, alpha):
    guess = sum(q * weights.get(x, 1) for x, q in query.items()) / (
        sum(weights.values()) + size - len(weights)
    )
    moved = {x: q for x, q in query.items() if q > 0}
    return weights | {
        x: weights.get(x, 1) * math.exp(alpha / 2 * (value - guess) * q) for x, q in moved.items()
    }


WRONG["my_lazy_update"] = {
    "first order": lazy(factor=lambda sign, alpha, q: 1 + sign * alpha / 2 * q),
    "whole weights only": lazy(moved=lambda q: q == 1),
    "in place": lazy(copy=lambda weights: weights),
    "starts anew": after(
        lambda new, old, query, size: {x: w / old.get(x, 1) for x, w in new.items()}
    ),
    "pairs": after(lambda new, old, query, size: list(new.items())),
    "rate times gap": by_the_gap,
}


def with_fractions(weights, query, value, size, alpha):
    have = {x: Fraction(float(weight)) for x, weight in weights.items()}
    part = sum(Fraction(float(q)) * have.get(x, 1) for x, q in query.items())
    low = Fraction(float(value)) * (sum(have.values()) + (size - len(have))) < part
    step = math.exp(-alpha / 2) if low else math.exp(alpha / 2)
    return {
        x: float(have.get(x, 1)) * step ** query.get(x, 0)
        for x in sorted({*weights, *(x for x in query if query[x] > 0)}, key=repr)
    }


def all_variables(weights, query, value, size, alpha):
    names = [*weights, *(x for x in query if x not in weights and query[x] > 0)]
    w, q = (np.array([d.get(x, e) for x in names], float) for d, e in ((weights, 1), (query, 0)))
    guess = w @ q / (w.sum() + size - len(names))
    return dict(zip(names, w * np.exp(np.where(value < guess, -1, 1) * alpha / 2 * q), strict=True))


RIGHT["my_lazy_update"] = {
    "fractions": with_fractions,
    "arrays": all_variables,
    "Counter": lazy(copy=Counter),
    "other order": after(lambda new, old, query, size: dict(reversed(new.items()))),
}
