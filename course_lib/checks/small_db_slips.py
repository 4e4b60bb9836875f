"""Notebook 05’s utility, size and sensitivity in pieces, each with the slips that are known.

Every axis has the right choice first; a sentence goes with each other one.
"""

import itertools
import math

import numpy as np


def utility(histogram, candidate, queries, weights, rows, combine, sign, scale):
    """−max |f(D) − f(D̂)| with the choices of UTILITY_AXES."""
    n, m = histogram.sum(), candidate.sum()
    queries = weights(queries)
    over, under = rows(n, m, len(histogram))
    error = combine(queries @ histogram / over, queries @ candidate / under)
    return scale(sign * error, n, m)


_OWN = "Divide each database’s counts by its own number of rows."
_EACH = "SmallDB is judged by every query, so the utility is minus the largest error."
_BARS = "the absolute value is missing: you take the largest"
_NOTES = "The notes write it without the bars too, in the proof."
_FIRST = "Take |f(D) − f(D̂)| of each query first, and the largest of them after."
_SQUARES = "The lecture’s error is the absolute value, not its square."
_ITSELF = "The exponential mechanism multiplies by ε/(2Δu) itself, with Δu = 1/n."

UTILITY_AXES = [
    [
        (lambda q: q, ""),
        (lambda q: np.eye(q.shape[1]), "you compare elements, not queries: the error is that of "
         "each f(D), the sum of q(x) times the element’s share."),
        (lambda q: q > 0, "you count every row with q(x) > 0 as 1; it counts with its weight "
         "q(x)."),
        (lambda q: q == 1, "you count only rows with q(x) = 1, as a conversion to whole numbers "
         "does; a row counts with its weight q(x)."),
        (lambda q: q >= 0.5, "you round q(x) to 0 or 1; a row counts with its weight q(x)."),
    ],
    [
        (lambda n, m, size: (n, m), ""),
        (lambda n, m, size: (1, 1), "you compare counts, not fractions: with n rows here and m "
         f"there, even a perfect small database is far off. {_OWN}"),
        (lambda n, m, size: (n, 1), f"D̂ enters with counts, D with fractions. {_OWN}"),
        (lambda n, m, size: (1, m), f"D enters with counts, D̂ with fractions. {_OWN}"),
        (lambda n, m, size: (n, n), f"you divide both by n, and D̂ has m rows. {_OWN}"),
        (lambda n, m, size: (m, m), f"you divide both by m, and D has n rows. {_OWN}"),
        (lambda n, m, size: (m, n), f"n and m are exchanged. {_OWN}"),
        (lambda n, m, size: (size, size), "you divide by the number of elements |X|, as a mean "
         f"over the histogram does. {_OWN}"),
    ],
    [
        (lambda f, g: np.abs(f - g).max(), ""),
        (lambda f, g: (f - g).max(), f"{_BARS} f(D) − f(D̂), so an answer that is too large counts "
         f"as no error. {_NOTES}"),
        (lambda f, g: (g - f).max(), f"{_BARS} f(D̂) − f(D), so an answer that is too small counts "
         f"as no error. {_NOTES}"),
        (lambda f, g: np.abs((f - g).max()), f"the absolute value comes too late. {_FIRST}"),
        (lambda f, g: np.abs((g - f).max()), f"the absolute value comes too late. {_FIRST}"),
        (lambda f, g: np.abs(f - g).mean(), f"you take the mean of the errors. {_EACH}"),
        (lambda f, g: np.abs(f - g).sum(), f"you add up the errors. {_EACH}"),
        (lambda f, g: np.abs(f - g).min(), "you take the smallest error, which is what the largest "
         f"of the negative errors is. {_EACH}"),
        (lambda f, g: np.median(np.abs(f - g)), f"you take the median of the errors. {_EACH}"),
        (lambda f, g: np.abs((f - g).mean()), f"errors of opposite sign cancel. {_FIRST}"),
        (lambda f, g: np.abs((f - g).sum()), f"errors of opposite sign cancel. {_FIRST}"),
        (lambda f, g: (f - g).mean(), f"errors of opposite sign cancel. {_FIRST}"),
        (lambda f, g: (f - g).sum(), f"errors of opposite sign cancel. {_FIRST}"),
        (lambda f, g: np.square(f - g).max(), f"you square the errors. {_SQUARES}"),
        (lambda f, g: np.square(f - g).mean(), f"this is the mean squared error. {_EACH}"),
        (lambda f, g: np.square(f - g).sum(), f"you add up squared errors. {_EACH}"),
        (lambda f, g: np.sqrt(np.square(f - g).sum()), "this is the Euclidean length of the vector "
         f"of errors. {_EACH}"),
        (lambda f, g: np.sqrt(np.square(f - g).mean()), "this is the root of the mean squared "
         f"error. {_EACH}"),
        (lambda f, g: np.abs(f - g)[0], f"this is the error of the first query alone. {_EACH}"),
        (lambda f, g: np.abs(f - g)[-1], f"this is the error of the last query alone. {_EACH}"),
        (lambda f, g: np.abs(f - g).argmax(), "this is the index of the worst query, as argmax "
         "gives it; the utility is minus its error."),
        (lambda f, g: np.ptp(f - g), "this is the largest difference minus the smallest. "
         f"{_FIRST}"),
        (lambda f, g: np.abs(f.max() - g.max()), "you compare the largest answers. Compare the "
         "answers to each query, and take the largest error after."),
    ],
    [
        (-1, ""),
        (1, "the minus is missing. The exponential mechanism prefers large utilities: with the "
         "error itself it would draw the worst databases most often."),
    ],
    [
        (lambda u, n, m: u, ""),
        (lambda u, n, m: n * u, "this is n times the utility. Then its sensitivity is 1, not 1/n. "
         f"{_ITSELF}"),
        (lambda u, n, m: n * u / 2, "this is n·u/2, the exponent for ε = 1, not the utility. "
         f"{_ITSELF}"),
        (lambda u, n, m: u / 2, "this is half the utility; then its sensitivity is 1/(2n). "
         f"{_ITSELF}"),
        (lambda u, n, m: 2 * u, "this is twice the utility; then its sensitivity is 2/n."),
        (lambda u, n, m: m * u, "this is m times the utility; then its sensitivity is m/n."),
        (lambda u, n, m: u / n, "this is the utility divided by n; the fractions have been "
         "divided already."),
        (lambda u, n, m: 1 + u, "this is 1 more than the utility. A constant changes no "
         "probability of the exponential mechanism, but the lecture’s u is at best 0."),
        (lambda u, n, m: np.exp(u), "this is e^u. The exponential mechanism takes the exponential "
         "itself."),
        (lambda u, n, m: np.exp(n * u / 2), "this is the weight of D̂ for ε = 1, e^(n·u/2). Return "
         "the utility u alone."),
    ],
]  # fmt: skip


def size(num_attributes, order, alpha, count, logarithm, power, rounding):
    """⌈ln|Q|/α²⌉ with the choices of SIZE_AXES."""
    queries = count(num_attributes, order)
    return rounding(logarithm(queries, num_attributes) / power(alpha))


def _subsets(d, sizes):
    return sum(math.comb(d, j) for j in sizes)


_AT_MOST = "There is one query for each set of 1 to k attributes."

SIZE_AXES = [
    [
        (lambda d, k: _subsets(d, range(1, k + 1)), ""),
        (lambda d, k: _subsets(d, range(k + 1)), "you count one query more, the empty set. It asks "
         "for the share of all rows, which is 1: no mechanism is needed for it."),
        (lambda d, k: math.comb(d, k), f"you count the sets of exactly k attributes. {_AT_MOST}"),
        (lambda d, k: d**k, "you count d^k queries. That is how |Q| grows, as the notes say, not "
         f"|Q| itself. {_AT_MOST}"),
        (lambda d, k: 2**d, "you count 2^d queries whatever the order: that is |X|, or all "
         f"marginals and the empty set. {_AT_MOST}"),
        (lambda d, k: 2**d - 1, f"you count all marginals, as if k were d. {_AT_MOST}"),
        (lambda d, k: _subsets(d, range(1, k)), "your sum stops at k − 1, as range(1, k) does. "
         f"{_AT_MOST}"),
        (lambda d, k: _subsets(d, range(k)), "your sum goes from 0 to k − 1, as range(k) does. "
         f"{_AT_MOST}"),
        (lambda d, k: math.perm(d, k), "you count the attributes in each order: S is a set. "
         f"{_AT_MOST}"),
        (lambda d, k: 2**k, f"you count the subsets of k attributes, not of d. {_AT_MOST}"),
        (lambda d, k: 2**k - 1, f"you count the subsets of k attributes, not of d. {_AT_MOST}"),
        (lambda d, k: d, f"you count the attributes. {_AT_MOST}"),
    ],
    [
        (lambda q, d: np.log(q), ""),
        (lambda q, d: q, "you have |Q| where ln|Q| belongs. The logarithm is what the union bound "
         "leaves of |Q|, and the reason why SmallDB can answer so many queries."),
        (lambda q, d: d, "you have d where ln|Q| belongs."),
        (lambda q, d: np.log2(q), "the logarithm has base 2; ours are natural."),
        (lambda q, d: np.log10(q), "the logarithm has base 10; ours are natural."),
        (lambda q, d: np.log(2 * q) / 2, "this is ln(2|Q|)/(2α²). So many rows, never "
         "more than SmallDB’s, are already enough for a good small database to exist; but the "
         "lecture’s SmallDB takes ln|Q|/α²."),
        (lambda q, d: np.log(2 * q), "you have ln(2|Q|). The 2 of the union bound needs no rows of "
         "its own: 2|Q|·e^(−2 ln|Q|) = 2/|Q| is below 1 from |Q| = 3 on."),
        (lambda q, d: d * np.log(2) * np.log(q), "this is ln|X|·ln|Q|/α², the notes’ bound on "
         "ln|R|. The number of rows has no |X| in it."),
    ],
    [
        (lambda alpha: alpha**2, ""),
        (lambda alpha: alpha, "you divide by α, not by α²."),
        (lambda alpha: 2 * alpha**2, "you divide by 2α². Then the union bound may be "
         "2|Q|·e^(−ln|Q|) = 2, which is no promise: the lecture has α²."),
        (lambda alpha: alpha**2 / 4, "this is the size for α/2, with which the theorem runs "
         "SmallDB. Here SmallDB is run with α."),
        (lambda alpha: alpha**3, "you divide by α³, which is in the theorem’s |D|."),
        (lambda alpha: alpha**-2, "you multiply by α²: the more exact, the more rows are needed."),
        (lambda alpha: 1, "α is missing."),
    ],
    [
        (np.ceil, ""),
        (np.floor, "you round down, and the lecture’s proof needs at least ln|Q|/α² rows."),
        (np.round, "you round to the nearest number, and the lecture’s proof needs at least "
         "ln|Q|/α² rows: round up."),
        (lambda m: m, "a number of rows is whole: round up."),
        (lambda m: np.ceil(m) + 1, "this is one row more than is needed."),
    ],
]  # fmt: skip


def sensitivity(query, n, change, tops, bottoms):
    """(max q − min q)/n or (max q − min q)/(n + 1), with the choices of SENSITIVITY_AXES."""
    place = CHANGES.index(change)
    return tops[place](query) / bottoms[place](n)


CHANGES = ("replace", "add")
_TOP = "What counts is max q − min q: all rows of D may have the one, the new row the other."
_WRONG_TOPS = [
    (lambda q: 1, "1, the most for any linear query; this one may have less"),
    (np.max, "max q, as if min q were 0"),
    (lambda q: 1 - np.min(q), "1 − min q, as if max q were 1"),
    (np.sum, "the sum of all q(x)"),
    (np.mean, "the mean of q"),
    (lambda q: np.abs(q - np.mean(q)).max(), "max |q − mean of q|, as if D had every element once"),
    (np.min, "min q"),
    (lambda q: 2 * np.ptp(q), "2(max q − min q)"),
]


def _tops():
    yield (np.ptp, np.ptp), ""
    for top, words in _WRONG_TOPS:
        yield (top, top), f"on top you have {words}. {_TOP}"
    for top, words in _WRONG_TOPS:
        yield (top, np.ptp), f"for “replace” you have on top {words}. {_TOP}"
        yield (np.ptp, top), f"for “add” you have on top {words}. {_TOP}"


_BOTTOMS = {
    "n": lambda n: n,
    "n + 1": lambda n: n + 1,
    "n − 1": lambda n: n - 1,
    "1": lambda n: 1,
    "n²": lambda n: n * n,
    "n(n + 1)": lambda n: n * (n + 1),
}
_REPLACED = "A row replaced leaves n rows: the mean moves by (q(y) − q(x))/n."
_ADDED = "A row added makes n + 1 rows: the mean moves by (q(x) − f(D))/(n + 1)."


def _bottoms():
    for replaced, added in sorted(
        itertools.product(_BOTTOMS, repeat=2), key=lambda pair: pair != ("n", "n + 1")
    ):
        yield (_BOTTOMS[replaced], _BOTTOMS[added]), _about_rows(replaced, added)


def _about_rows(replaced, added):
    if (replaced, added) == ("n + 1", "n"):
        return "the two are exchanged. After “replace” there are still n rows, after “add” n + 1."
    if (replaced, added) == ("1", "1"):
        return f"you do not divide by the rows: this is how far a count moves. {_REPLACED} {_ADDED}"
    faults = []
    if replaced != "n":
        faults.append(f"for “replace” you divide by {replaced}. {_REPLACED}")
    if added != "n + 1":
        faults.append(f"for “add” you divide by {added}. {_ADDED}")
    return " And ".join(faults)


SENSITIVITY_AXES = [list(_tops()), list(_bottoms())]
