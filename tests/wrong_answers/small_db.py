"""Wrong answers to the first exercise of notebook 05, and what their messages say."""

import numpy as np


def shares(histogram, candidate, queries):
    return queries @ histogram / histogram.sum(), queries @ candidate / candidate.sum()


def errors(histogram, candidate, queries):
    real, small = shares(histogram, candidate, queries)
    return np.abs(real - small)


def combined(combine, divide=lambda n, m: (n, m)):
    """Minus a combination of f(D) − f(D̂), each count divided by something."""

    def my_utility(histogram, candidate, queries):
        over, under = divide(histogram.sum(), candidate.sum())
        return -combine(queries @ histogram / over - queries @ candidate / under)

    return my_utility


def largest(difference):
    return np.abs(difference).max()


def scores(change):
    """A function of the utility, n and m."""
    return lambda d, c, q: change(-errors(d, c, q).max(), d.sum(), c.sum())


def with_weights(change):
    return lambda d, c, q: -errors(d, c, change(q)).max()


def divides_in_place(histogram, candidate, queries):
    histogram /= histogram.sum()
    return -np.abs(queries @ histogram - queries @ candidate / candidate.sum()).max()


def empties_the_candidate(histogram, candidate, queries):
    result = -errors(histogram, candidate, queries).max()
    candidate[:] = 0
    return result


def scales_queries(histogram, candidate, queries):
    result = -errors(histogram, candidate, queries).max()
    queries *= 0.5
    return result


def a_slip_of_the_pen(histogram, candidate, queries):
    return -np.abs(queries @ histgram).max()  # noqa: F821


LATE = "the absolute value comes too late."
CANCEL = "errors of opposite sign cancel."
WRONG_UTILITY = {
    "no minus": (lambda d, c, q: errors(d, c, q).max(), "Not yet: the minus is missing."),
    "counts": (combined(largest, lambda n, m: (1, 1)), "you compare counts, not fractions"),
    "D̂ in counts": (combined(largest, lambda n, m: (n, 1)), "D̂ enters with counts, D with"),
    "D in counts": (combined(largest, lambda n, m: (1, m)), "D enters with counts, D̂ with"),
    "both by n": (combined(largest, lambda n, m: (n, n)), "you divide both by n, and D̂ has m"),
    "both by m": (combined(largest, lambda n, m: (m, m)), "you divide both by m, and D has n"),
    "exchanged": (combined(largest, lambda n, m: (m, n)), "n and m are exchanged."),
    "mean over the histogram": (
        lambda d, c, q: -max(abs((d * row).mean() - (c * row).mean()) for row in q),
        "you divide by the number of elements |X|",
    ),
    "mean": (combined(lambda e: np.abs(e).mean()), "you take the mean of the errors."),
    "sum": (combined(lambda e: np.abs(e).sum()), "you add up the errors."),
    "max of negatives": (lambda d, c, q: (-errors(d, c, q)).max(), "you take the smallest error"),
    "median": (combined(lambda e: np.median(np.abs(e))), "you take the median of the errors."),
    "no bars": (combined(np.max), "you take the largest f(D) − f(D̂), so an answer that is too la"),
    "no bars, other way": (
        combined(lambda e: (-e).max()),
        "you take the largest f(D̂) − f(D), so an answer that is too small counts as no error.",
    ),
    "min without bars": (lambda d, c, q: np.subtract(*shares(d, c, q)).min(), "bars too, in the"),
    "bars late": (combined(lambda e: abs(max(e))), LATE),
    "bars late, other way": (combined(lambda e: abs(min(e))), LATE),
    "mean of differences": (combined(lambda e: abs(e.mean())), CANCEL),
    "sum of differences": (combined(lambda e: abs(e.sum())), CANCEL),
    "signed mean": (combined(np.mean), CANCEL),
    "signed sum": (combined(np.sum), CANCEL),
    "squares": (combined(lambda e: (e**2).max()), "you square the errors."),
    "mean of squares": (combined(lambda e: (e**2).mean()), "this is the mean squared error."),
    "sum of squares": (combined(lambda e: e @ e), "you add up squared errors."),
    "length": (combined(np.linalg.norm), "this is the Euclidean length"),
    "root of the mean": (combined(lambda e: np.sqrt((e**2).mean())), "this is the root of the"),
    "first query": (combined(lambda e: abs(e[0])), "this is the error of the first query alone."),
    "last query": (combined(lambda e: abs(e[-1])), "this is the error of the last query alone."),
    "index": (lambda d, c, q: -np.argmax(errors(d, c, q)), "this is the index of the worst query"),
    "index, no minus": (lambda d, c, q: errors(d, c, q).argmax(), "Besides, the minus is missing."),
    "spread": (combined(np.ptp), "this is the largest difference minus the smallest."),
    "max first": (
        lambda d, c, q: -abs(np.subtract(*(f.max() for f in shares(d, c, q)))),
        "you compare the largest answers.",
    ),
    "elements": (
        lambda d, c, q: -np.abs(d / d.sum() - c / c.sum()).max(),
        "you compare elements, not queries",
    ),
    "total variation": (
        lambda d, c, q: -np.abs(d / d.sum() - c / c.sum()).sum() / 2,
        "you compare elements, not queries",
    ),
    "weights above 0": (with_weights(lambda q: q > 0), "you count every row with q(x) > 0 as 1"),
    "whole weights": (with_weights(lambda q: q.astype(int)), "you count only rows with q(x) = 1"),
    "rounded weights": (with_weights(np.round), "you round q(x) to 0 or 1"),
    "score": (scores(lambda u, n, m: n * u), "Then its sensitivity is 1, not 1/n."),
    "score from counts": (
        lambda d, c, q: -np.abs(q @ d - q @ c * d.sum() / c.sum()).max(),
        "this is n times the utility.",
    ),
    "exponent": (scores(lambda u, n, m: n * u / 2), "the exponent for ε = 1, not the utility"),
    "half": (scores(lambda u, n, m: u / 2), "this is half the utility"),
    "twice": (scores(lambda u, n, m: 2 * u), "this is twice the utility"),
    "by m": (scores(lambda u, n, m: m * u), "this is m times the utility"),
    "divided by n": (scores(lambda u, n, m: u / n), "this is the utility divided by n"),
    "accuracy": (scores(lambda u, n, m: 1 + u), "this is 1 more than the utility. A constant"),
    "exponential": (scores(lambda u, n, m: np.exp(u)), "this is e^u."),
    "weight": (scores(lambda u, n, m: np.exp(n * u / 2)), "this is the weight of D̂ for ε = 1"),
    "three times": (scores(lambda u, n, m: 3 * u), "your numbers are 3 times what they should"),
    "rounded": (scores(lambda u, n, m: round(u, 3)), "right to 3 decimals only: you round"),
    "mean, no minus": (
        lambda d, c, q: errors(d, c, q).mean(),
        "you take the mean of the errors. SmallDB is judged by every query, so the utility is "
        "minus the largest error. Besides, the minus is missing.",
    ),
    "counts, no bars": (
        lambda d, c, q: -(q @ d - q @ c).max(),
        "Besides, the absolute value is missing",
    ),
    "all errors": (
        lambda d, c, q: -errors(d, c, q),
        "your function returned an array or a list with 2 entries, and one number is asked for.",
    ),
    "a list": (lambda d, c, q: [-errors(d, c, q).max()], "an array or a list with 1 entry, and"),
    "0": (lambda d, c, q: 0, "Not yet: for D = [6, 3, 1], D̂ = [1, 1, 2] and the queries [0, 1"),
    "1": (lambda d, c, q: 1, "[0, 1, 1] you return 1, and it is -0.35."),
    "−1": (lambda d, c, q: -1, "Not yet: for D = [6, 3, 1]"),
    "n": (lambda d, c, q: d.sum(), "Not yet: for D = [6, 3, 1]"),
    "transposed": (lambda d, c, q: -np.abs(d @ q).max(), "queries is an array with a row for each"),
    "LinearQueries alone": (lambda d, c, q: q.names, "has no attribute 'names'. queries is an arr"),
    "in place": (divides_in_place, "cannot be divided in place: write p / p.sum(), not /=."),
    "candidate emptied": (empties_the_candidate, "but your function changes candidate, which"),
    "queries scaled": (scales_queries, "but your function changes queries, which"),
    "a slip of the pen": (a_slip_of_the_pen, "stopped with NameError: name 'histgram' is not de"),
}  # fmt: skip
