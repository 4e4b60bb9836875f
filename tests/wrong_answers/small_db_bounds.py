"""Wrong answers to the exercises of notebook 05 on size and sensitivity, and their messages."""

import math

import numpy as np


def sized(count=None, log=math.log, power=lambda a: a**2, rounding=math.ceil):
    count = count or (lambda d, k: sum(math.comb(d, j) for j in range(1, k + 1)))
    return lambda d, k, a: rounding(log(count(d, k)) / power(a))


def up_to(first, last):
    return lambda d, k: sum(math.comb(d, j) for j in range(first, k + last))


WRONG_SIZE = {
    "|Q|": (sized(log=lambda q: q), "Not yet: you have |Q| where ln|Q| belongs."),
    "exactly k": (sized(math.comb), "you count the sets of exactly k attributes."),
    "d^k": (sized(lambda d, k: d**k), "you count d^k queries."),
    "2^d": (sized(lambda d, k: 2**d), "that is |X|, or all marginals and the empty set."),
    "2^d − 1": (sized(lambda d, k: 2**d - 1), "you count all marginals, as if k were d."),
    "empty set": (sized(up_to(0, 1)), "you count one query more, the empty set."),
    "range(1, k)": (sized(up_to(1, 0)), "your sum stops at k − 1, as range(1, k) does."),
    "range(k)": (sized(up_to(0, 0)), "your sum goes from 0 to k − 1, as range(k) does."),
    "ordered": (sized(math.perm), "you count the attributes in each order: S is a set."),
    "2^k": (sized(lambda d, k: 2**k), "you count the subsets of k attributes, not of d."),
    "2^k − 1": (sized(lambda d, k: 2**k - 1), "you count the subsets of k attributes, not of d."),
    "d": (sized(lambda d, k: d), "you count the attributes."),
    "log2": (sized(log=math.log2), "the logarithm has base 2; ours are natural."),
    "log10": (sized(log=math.log10), "the logarithm has base 10; ours are natural."),
    "existence": (
        sized(log=lambda q: math.log(2 * q) / 2),
        "are already enough for a good small database to exist; but the lecture’s SmallDB takes",
    ),
    "ln 2|Q|": (sized(log=lambda q: math.log(2 * q)), "you have ln(2|Q|)."),
    "ln|X| ln|Q|": (
        lambda d, k, a: math.ceil(math.log(2**d) * math.log(up_to(1, 1)(d, k)) / a**2),
        "this is ln|X|·ln|Q|/α², the notes’ bound on ln|R|.",
    ),
    "α": (sized(power=lambda a: a), "you divide by α, not by α²."),
    "2α²": (sized(power=lambda a: 2 * a * a), "you divide by 2α²."),
    "α/2": (sized(power=lambda a: (a / 2) ** 2), "with which the theorem runs SmallDB."),
    "α³": (sized(power=lambda a: a**3), "you divide by α³, which is in the theorem’s |D|."),
    "times α²": (sized(power=lambda a: 1 / a**2), "you multiply by α²"),
    "no α": (sized(power=lambda a: 1), "α is missing."),
    "floor": (sized(rounding=int), "you round down, and the lecture’s proof needs at least"),
    "round": (sized(rounding=round), "you round to the nearest number"),
    "not whole": (sized(rounding=float), "a number of rows is whole: round up."),
    "one more": (sized(rounding=lambda m: math.ceil(m) + 1), "this is one row more than is needed"),
    "d^k, not whole": (
        sized(lambda d, k: d**k, rounding=float),
        "not |Q| itself. There is one query for each set of 1 to k attributes. Besides, a number",
    ),
    "log2, floor": (sized(log=math.log2, rounding=int), "ours are natural. Besides, you round"),
    "exactly k, log2, floor": (
        sized(math.comb, math.log2, rounding=int),
        "Not yet: for d = 3, order = 2 and α = 0.4 you return 9, and it is 12.",
    ),
    "ln d": (sized(lambda d, k: d, power=lambda a: 1), "attributes.", "Besides, α is missing."),
    "d for ln|Q|": (lambda d, k, a: math.ceil(d / a**2), "you have d where ln|Q| belongs."),
    "d alone": (lambda d, k, a: d, "d where ln|Q| belongs. Besides, α is missing."),
    "k alone": (lambda d, k, a: k, "Not yet: for d = 3, order = 2 and α = 0.4 you return 2, and"),
    "d·k": (lambda d, k, a: d * k, "Not yet: for d = 3, order = 2 and α = 0.4 you return 6, and"),
    "1": (lambda d, k, a: 1, "Not yet: for d = 3, order = 2 and α = 0.4 you return 1, and it is"),
    "0": (lambda d, k, a: 0, "Not yet: for d = 3, order = 2 and α = 0.4 you return 0, and it is"),
    "stops": (lambda d, k, a: math.log(d - 3), "for d = 3, order = 2 and α = 0.4 your function st"),
}  # fmt: skip


def moved(top, replaced, added):
    """top(q) over a function of n for each kind of change."""
    return lambda q, n, change: top(q) / (replaced if change == "replace" else added)(n)


def same(n):
    return n


def more(n):
    return n + 1


def less(n):
    return n - 1


def one(n):
    return 1


def sorts_in_place(query, n, change):
    query.sort()
    return (query[-1] - query[0]) / (n + (change == "add"))


ADDED = "A row added makes n + 1 rows: the mean moves by (q(x) − f(D))/(n + 1)."
REPLACED = "A row replaced leaves n rows: the mean moves by (q(y) − q(x))/n."
WRONG_SENSITIVITY = {
    "1/n": (
        moved(one, same, same),
        "Not yet: on top you have 1, the most for any linear query; this one may have less.",
        f"Besides, for “add” you divide by n. {ADDED}",
    ),
    "1/n and 1/(n + 1)": (moved(one, same, more), "Not yet: on top you have 1, the most for any"),
    "1/(n + 1)": (moved(one, more, more), f"for “replace” you divide by n + 1. {REPLACED}"),
    "range/n": (moved(np.ptp, same, same), f"Not yet: for “add” you divide by n. {ADDED}"),
    "range/(n + 1)": (moved(np.ptp, more, more), "Not yet: for “replace” you divide by n + 1."),
    "exchanged": (moved(np.ptp, more, same), "Not yet: the two are exchanged."),
    "max q": (moved(np.max, same, more), "max q, as if min q were 0.", "all rows of D may"),
    "max q, n": (moved(max, same, same), "on top you have max q", f"you divide by n. {ADDED}"),
    "max q added": (
        lambda q, n, change: np.ptp(q) / n if change == "replace" else q.max() / (n + 1),
        "Not yet: for “add” you have on top max q",
    ),
    "1 added": (
        lambda q, n, change: np.ptp(q) / n if change == "replace" else 1 / n,
        "Not yet: for “add” you have on top 1",
        f"Besides, for “add” you divide by n. {ADDED}",
    ),
    "1 replaced": (
        lambda q, n, change: 1 / n if change == "replace" else np.ptp(q) / (n + 1),
        "Not yet: for “replace” you have on top 1",
    ),
    "1 − min q": (moved(lambda q: 1 - min(q), same, more), "1 − min q, as if max q were 1."),
    "min q": (moved(np.min, same, more), "on top you have min q."),
    "sum": (moved(np.sum, same, more), "on top you have the sum of all q(x)."),
    "mean": (moved(np.mean, same, more), "on top you have the mean of q."),
    "from the mean": (
        moved(lambda q: abs(q - q.mean()).max(), same, more),
        "as if D had every element once.",
    ),
    "2/n": (moved(lambda q: 2 * np.ptp(q), same, same), "on top you have 2(max q − min q)."),
    "count": (moved(np.ptp, one, one), "Not yet: you do not divide by the rows: this is how far"),
    "1": (moved(one, one, one), "on top you have 1", "this is how far a count moves."),
    "n − 1": (moved(np.ptp, same, less), f"for “add” you divide by n − 1. {ADDED}"),
    "n − 1 for both": (
        moved(np.ptp, less, less),
        f"for “replace” you divide by n − 1. {REPLACED} And for “add” you divide by n − 1. {ADDED}",
    ),
    "n − 1 replaced": (moved(np.ptp, less, more), "Not yet: for “replace” you divide by n − 1."),
    "n²": (moved(np.ptp, same, lambda n: n * n), "you divide by n²."),
    "n(n + 1)": (
        lambda q, n, change: np.ptp(q) / n - (np.ptp(q) / (n + 1)) * (change == "add"),
        "you divide by n(n + 1).",
    ),
    "half of it": (
        moved(lambda q: np.ptp(q) / 2, same, more),
        "your numbers are 0.5 times what they should be",
        "If q is 0.2 in all rows of D, replacing one by a row with q = 0.9 moves the mean from 0.2 "
        "to 0.4333.",
    ),
    "negative": (
        moved(lambda q: -np.ptp(q), same, more),
        "your numbers are -1 times what they should be, in every case.",
        "never negative.",
    ),
    "too much": (moved(lambda q: 5 + q[0], same, more), "No row moves the fraction so far."),
    "too little for one row": (
        lambda q, n, change: np.ptp(q) / (n + (change == "add")) * (n > 1),
        "If q is 0.3 in all rows of D, replacing one by a row with q = 0.5 moves the mean from",
    ),
    "added alone is odd": (
        lambda q, n, change: np.ptp(q) / n if change == "replace" else 0.01,
        'n = 3 and change = "add" you return 0.01, and it is 0.175.',
        "If q is 0.2 in all rows of D, adding a row with q = 0.9 moves the mean from 0.2 to 0.375.",
    ),
    "rounded": (
        lambda q, n, change: round(np.ptp(q) / (n + (change == "add")), 2),
        "this is right to 2 decimals only: you round, or your search is coarse.",
    ),
    "both at once": (
        lambda q, n, change: (np.ptp(q) / n, np.ptp(q) / (n + 1)),
        "your function returned an array or a list with 2 entries",
    ),
    "added is missing": (
        lambda q, n, change: {"replace": np.ptp(q) / n}[change],
        "and change = \"add\" your function stopped with KeyError: 'add'.",
    ),
    "nothing when added": (
        lambda q, n, change: np.ptp(q) / n if change == "replace" else None,
        "your function returned nothing. End it with return and the number.",
    ),
    "sorted in place": (sorts_in_place, "but your function changes query, which"),
}  # fmt: skip
