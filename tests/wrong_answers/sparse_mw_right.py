"""Right answers to the exercises of notebook 07, written in ways of which there are many."""

import itertools
import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr, xlogy
from scipy.stats import entropy

from course_lib.sparse_mw import smw_size
from tests.wrong_answers.sparse_mw import iterated, root


def counting_up(support, alpha):
    s = 1
    while s / (math.log(s) + 1) < 4 * support / alpha**2:
        s += 1
    return s


def with_an_array(support, alpha):
    s = np.arange(1, 10**5)
    return s[s / (np.log(s) + 1) >= 4 * support / alpha**2][0]


def with_brentq(support, alpha):
    needed = 4 * support / alpha**2
    return math.ceil(brentq(lambda s: s - needed * (math.log(s) + 1), needed, 100 * needed))


def until_it_stays(support, alpha):
    old, new = 0, 4 * support / alpha**2
    while abs(new - old) > 1e-9:
        old, new = new, 4 * support / alpha**2 * (math.log(new) + 1)
    return int(new) + 1


def from_two(support, alpha):
    s = 2
    while not s > 4 * support / alpha / alpha * (1 + np.log(s)):
        s = s + 1
    return float(s)


RIGHT_SIZE = {
    "counting up": counting_up,
    "an array": with_an_array,
    "brentq": with_brentq,
    "until it stays": until_it_stays,
    "50 rounds": iterated(50),
    "from two, strictly, a float": from_two,
    "Lambert’s W": lambda m, a: math.ceil(root(m, a)),
    "next": lambda m, a: next(
        s for s in itertools.count(1) if s * a**2 >= 4 * m * (math.log(s) + 1)
    ),
    "the library": lambda m, a: smw_size(support=m, alpha=a),
}


def on_all_variables(truth, weights, size):
    unassigned = size - len(weights)
    rest = sum(share for x, share in truth.items() if x not in weights)
    left = (1 - sum(weights.values())) / unassigned
    real = [truth.get(x, 0) for x in weights] + [rest / unassigned] * unassigned
    return entropy(real, [*weights.values(), *[left] * unassigned])


def with_rel_entr(truth, weights, size):
    real = np.array([truth.get(x, 0) for x in weights])
    now = np.array(list(weights.values()))
    return rel_entr(real, now).sum() + rel_entr(1 - real.sum(), 1 - now.sum())


def by_difference(truth, weights, size):
    total, rho = 0, 0
    for x in truth:
        if x in weights and truth[x] > 0:
            rho += truth[x]
            total += truth[x] * (math.log(truth[x]) - math.log(weights[x]))
    if rho < 1:
        total -= (1 - rho) * math.log((1 - sum(weights.values())) / (1 - rho))
    return total


def with_xlogy(truth, weights, size):
    pairs = [(truth.get(x, 0), w) for x, w in weights.items()]
    rest, left = 1 - sum(d for d, _ in pairs), 1 - sum(w for _, w in pairs)
    return sum(xlogy(d, d) - xlogy(d, w) for d, w in [*pairs, (rest, left)])


def talkative(truth, weights, size):
    print(truth, weights)
    return np.array(with_xlogy(truth, weights, size))


RIGHT_POTENTIAL = {
    "all variables": on_all_variables,
    "rel_entr": with_rel_entr,
    "by difference": by_difference,
    "xlogy": with_xlogy,
    "a print": talkative,
    "single precision": lambda *state: np.float32(with_xlogy(*state)),
}
