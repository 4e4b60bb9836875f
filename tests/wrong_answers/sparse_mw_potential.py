"""Wrong potentials of sparse multiplicative weights, and what their messages say."""

import math

import numpy as np


def parts(truth, weights, size):
    pairs = [(truth.get(x, 0), weight) for x, weight in weights.items()]
    rest = 1 - sum(share for share, _ in pairs)
    left = 1 - sum(weights.values())
    return pairs, rest, left, size - len(weights)


def ln(share, ratio):
    return share * math.log(ratio) if share > 0 else 0.0


def with_rest(rest_term):
    """The assigned elements as they should be, and another term for the rest."""

    def my_potential(truth, weights, size):
        pairs, rest, left, unassigned = parts(truth, weights, size)
        return sum(ln(d, d / w) for d, w in pairs) + rest_term(rest, left, unassigned, size)

    return my_potential


def with_terms(term):
    """The rest as it should be, and another summand for an assigned element."""

    def my_potential(truth, weights, size):
        pairs, rest, left, unassigned = parts(truth, weights, size)
        return sum(term(d, w) for d, w in pairs) + ln(rest, rest / left)

    return my_potential


repaired = with_rest(lambda rest, left, u, s: ln(rest, rest / left))


def each_its_own(truth, weights, size):
    pairs, rest, left, unassigned = parts(truth, weights, size)
    others = [share for x, share in truth.items() if x not in weights]
    total = sum(ln(d, d / w) for d, w in pairs)
    return total + sum(ln(d, d / (left / unassigned)) for d in others)


def each_against_the_rest(truth, weights, size):
    pairs, rest, left, unassigned = parts(truth, weights, size)
    others = [share for x, share in truth.items() if x not in weights]
    return sum(ln(d, d / w) for d, w in pairs) + sum(ln(d, d / left) for d in others)


def with_logs_of_zero(truth, weights, size):
    pairs, rest, left, unassigned = parts(truth, weights, size)
    return sum(d * math.log(d / w) for d, w in pairs) + ln(rest, rest / left)


def with_numpys_logs(truth, weights, size):
    pairs, rest, left, unassigned = parts(truth, weights, size)
    pairs = np.array([*pairs, (rest, left)])
    return np.sum(pairs[:, 0] * np.log(pairs[:, 0] / pairs[:, 1]))


def with_key_errors(truth, weights, size):
    rest = 1 - sum(truth[x] for x in weights)
    left = 1 - sum(weights.values())
    return sum(ln(truth[x], truth[x] / w) for x, w in weights.items()) + ln(rest, rest / left)


def over_the_truth(truth, weights, size):
    rest = 1 - sum(truth[x] for x in truth if x in weights)
    left = 1 - sum(weights.values())
    return sum(ln(d, d / weights[x]) for x, d in truth.items()) + ln(rest, rest / left)


def log_of_no_rest(truth, weights, size):
    pairs, rest, left, unassigned = parts(truth, weights, size)
    return sum(ln(d, d / w) for d, w in pairs) + rest * math.log(rest / left)


def reversed_entropy(truth, weights, size):
    pairs, rest, left, unassigned = parts(truth, weights, size)
    return sum(ln(w, w / d) for d, w in [*pairs, (rest, left)])


def empties(truth, weights, size):
    result = repaired(truth, weights, size)
    truth.clear()
    return result


WRONG_POTENTIAL = {
    "as printed": (
        with_rest(lambda rest, left, u, s: 0.0),
        "this is the potential as printed, which leaves the rest of D out; Lemma 6 is false",
    ),
    "not spread": (
        with_rest(lambda rest, left, u, s: ln(rest, rest / (left / u))),
        "the rest 1 − ρ is compared with the weight of one variable.",
    ),
    "once": (
        with_rest(lambda rest, left, u, s: ln(rest / u, rest / left)),
        "you count one of the u variables.",
    ),
    "u times": (
        with_rest(lambda rest, left, u, s: u * ln(rest, rest / left)),
        "you count the whole rest u times.",
    ),
    "no hypothesis": (
        with_rest(lambda rest, left, u, s: ln(rest, rest)),
        "in the term of the rest the hypothesis is missing.",
    ),
    "1 on top": (
        with_rest(lambda rest, left, u, s: ln(rest, 1 / left)),
        "in the logarithm of the rest you have 1, not 1 − ρ.",
    ),
    "over s": (
        with_rest(lambda rest, left, u, s: ln(rest, (rest / s) / (left / u))),
        "you spread the rest over all s variables, and some are assigned.",
    ),
    "1/s": (
        with_rest(lambda rest, left, u, s: ln(rest, (rest / u) / (1 / s))),
        "you take 1/s for the weight of a variable without an element.",
    ),
    "1/s, not spread": (
        with_rest(lambda rest, left, u, s: ln(rest, rest * s)),
        "the rest is compared with 1/s, the weight of one variable at the start.",
    ),
    "minus": (
        with_rest(lambda rest, left, u, s: -ln(rest, rest / left)),
        "the term of the rest has the wrong sign.",
    ),
    "ρ": (
        with_rest(lambda rest, left, u, s: ln(1 - rest, (1 - rest) / left)),
        "in the term of the rest you have ρ in place of 1 − ρ.",
    ),
    "each its own": (each_its_own, "you give each unassigned element of D a variable of its own."),
    "each against the rest": (
        each_against_the_rest,
        "you compare each unassigned element of D with the whole rest of the hypothesis.",
    ),
    "cross entropy": (with_terms(lambda d, w: ln(d, 1 / w)), "elements D[x] is missing."),
    "entropy": (with_terms(lambda d, w: ln(d, d)), "elements the hypothesis is missing."),
    "weighed with w": (
        with_terms(lambda d, w: w * math.log(d / w) if d else 0),
        "you weigh the logarithms with the hypothesis. They are weighed with D: the sum",
    ),
    "not weighed": (
        with_terms(lambda d, w: math.log(d / w) if d else 0),
        "the logarithms of the assigned elements are not weighed with D[x].",
    ),
    "the rest alone": (with_terms(lambda d, w: 0), "the assigned elements are missing"),
    "reversed": (
        reversed_entropy,
        "D and the hypothesis are exchanged for the assigned elements",
        "Besides, in the term of the rest D and the hypothesis are exchanged.",
    ),
    "base 2": (lambda *state: repaired(*state) / math.log(2), "the logarithm has base 2;"),
    "base 10": (lambda *state: repaired(*state) / math.log(10), "the logarithm has base 10;"),
    "sign": (lambda *state: -repaired(*state), "the sign is wrong: ln(D[x]/Dᵗ[x]) has D on top"),
    "log of 0": (with_logs_of_zero, "elements on which D has nothing give no number. 0 · ln 0"),
    "NumPy’s log of 0": (with_numpys_logs, "where D[x] or 1 − ρ is 0 there is no number. 0 · ln"),
    "KeyError": (
        with_key_errors,
        "an element of weights that is not in truth gives no number.",
        "truth.get(x, 0).",
    ),
    "KeyError of weights": (
        over_the_truth,
        "an element of truth that is not in weights gives no number.",
    ),
    "no rest": (log_of_no_rest, "where nothing of D is left over, ρ = 1, there is no number."),
    "empties truth": (empties, "the numbers are right, but your function changes truth"),
    "twice": (lambda *state: 2 * repaired(*state), "your numbers are 2 times what they should be"),
    "something else": (lambda truth, weights, size: size, "you return 12, and it is 0.137912."),
}
