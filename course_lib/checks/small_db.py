"""The exercises of notebook 05: SmallDB and its parts, correlated answers, what is promised."""

import itertools
from typing import NamedTuple

import numpy as np

from course_lib.checks.engine import Choice, Function, Slip, array, shown
from course_lib.checks.laws import Case, Law
from course_lib.checks.solutions import small_db as solutions
from course_lib.lab.noise import generator
from course_lib.toolbox import exponential_mechanism_law


def _pairs():
    """Errors of both signs, of one query, none at all; whole numbers; random ones."""
    for histogram, candidate, queries in (
        ([6, 3, 1], [1, 1, 2], [[0, 1, 0], [0, 1, 1]]),
        ([1, 5, 0, 2], [2, 0, 1, 0], [[0, 0.3, 1, 0], [0.2, 1, 0, 0.9], [0, 0, 0.7, 1]]),
        ([1, 4], [2, 1], [[0.2, 1]]),
        ([2, 5, 1], [2, 0, 0], [[0.1, 0.9, 0.4], [1, 0.2, 0]]),
        ([4, 2, 0, 2], [2, 1, 0, 1], [[1, 1, 0, 0], [0, 0.6, 1, 1], [0, 0, 0, 1]]),
        ([7], [2], [[0.5], [1]]),
        ([3, 1], [0, 2], [[0.1, 0.9], [0, 1]]),
    ):
        yield np.array(histogram), np.array(candidate), np.array(queries)
    rng = generator(3)
    for n, size, elements in (900, 12, 8), (40, 5, 6), (5, 9, 3):
        real, small = (rng.multinomial(rows, np.ones(elements) / elements) for rows in (n, size))
        yield real, small, rng.random((4, elements)).round(2)


_WORST, _COMPARED = "-np.max(np.abs(real - small))", "np.max(np.abs(real - small))"
_REAL, _SMALL = "histogram / np.sum(histogram)", "candidate / np.sum(candidate)"
check_utility = Function(
    solutions.my_utility,
    _pairs,
    [
        Slip("the error itself were the utility. The mechanism would prefer the worst.", {_WORST: _COMPARED}, 3),
        Slip("counts were compared. D and D̂ have different numbers of rows.", {_REAL: "histogram", _SMALL: "candidate"}, 2),
        Slip("D̂ had as many rows as D.", {_SMALL: "candidate / np.sum(histogram)"}, 2),
        Slip("D had as many rows as D̂.", {_REAL: "histogram / np.sum(candidate)"}, 2),
        Slip("answers that are too large did not count.", {"np.abs(real - small)": "real - small"}, 3),
        Slip("answers that are too small did not count.", {"np.abs(real - small)": "small - real"}, 3),
        Slip("the mean error counted. SmallDB promises something of the worst.", {"np.max": "np.mean"}, 3),
        Slip("errors were added up. SmallDB promises something of the worst.", {"np.max": "np.sum"}, 3),
        Slip("the smallest error counted. SmallDB promises something of the worst.", {"np.max": "np.min"}, 3),
        Slip("errors were squared and added up. SmallDB promises something of the worst.", {_WORST: "-np.linalg.norm(real - small)"}, 3),
        Slip("errors were squared. SmallDB’s promise, and its sensitivity, are for the error.", {"np.abs(real - small)": "(real - small) ** 2"}, 3),
        Slip("only the largest answers of the two were compared, whichever queries they belong to.", {_COMPARED: "abs(np.max(real) - np.max(small))"}, 3),
        Slip("the error were counted in rows of D. The sensitivity would be 1 then, and not 1/n.", {_WORST: f"{_WORST} * np.sum(histogram)"}, 2),
        Slip("the elements’ shares were compared, and not the answers to the queries.", {f"queries @ {_REAL}": _REAL, f"queries @ {_SMALL}": _SMALL}, 1),
    ],
    praise="replacing one of the n rows of D moves it by at most 1/n: the sensitivity that SmallDB "
    "gives to the exponential mechanism.",
)  # fmt: skip


def _settings():
    yield from [(3, 2, 0.4), (10, 3, 0.05), (5, 5, 0.1), (12, 2, 0.03), (7, 2, 0.07), (8, 6, 0.9)]
    yield from [(4, 3, 1), (9, 2, 0.25), (6, 4, 0.01)]


_SETS, _ROWS = "range(1, order + 1)", "math.ceil(math.log(num_queries) / alpha**2)"
_ALL = "sum(math.comb(num_attributes, size) for size in range(1, order + 1))"
check_size = Function(
    solutions.my_size,
    _settings,
    [
        Slip("only sets of exactly `order` attributes had a query. Smaller ones do, too.", {_ALL: "math.comb(num_attributes, order)"}),
        Slip("S = ∅ had a query, too. Its answer is 1 on every database.", {_SETS: "range(order + 1)"}),
        Slip("sets of `order` attributes had no query: a range ends before its end.", {_SETS: "range(1, order)"}),
        Slip("all sets of attributes had a query, whatever the order is.", {_ALL: "2**num_attributes"}),
        Slip("all sets of attributes but S = ∅ had a query, whatever the order is.", {_ALL: "2**num_attributes - 1"}),
        Slip("attributes could come in any order, and several times: sets are asked for.", {_ALL: "num_attributes**order"}),
        Slip("rows were rounded down. Then the lemma does not say that some sample is good enough.", {"math.ceil": "math.floor"}, 3),
        Slip("rows were rounded to the nearest. Rounded down, the lemma does not hold.", {"math.ceil": "round"}, 3),
        Slip("a part of a row were possible.", {_ROWS: _ROWS[9:]}, 3),
        Slip("α were not squared. Half the error takes four times the rows.", {"alpha**2": "alpha"}, 2),
        Slip("the logarithm were to base 2.", {"math.log(": "math.log2("}, 2),
        Slip("the logarithm were to base 10.", {"math.log(": "math.log10("}, 2),
        Slip("rows went with the number of queries, and not with its logarithm.", {"math.log(num_queries)": "num_queries"}, 2),
        Slip("there were twice as many queries. SmallDB’s m has |Q| itself.", {"math.log(num_queries)": "math.log(2 * num_queries)"}, 2),
        Slip("half the rows were enough. The lemma is proved for SmallDB’s m.", {"alpha**2": "alpha**2 / 2"}, 2),
        Slip("one row more were needed.", {_ROWS: f"{_ROWS} + 1"}, 3),
    ],
    praise="the logarithm shows: of 10 attributes, 175 marginals of order 3 take 2,066 rows at "
    "α = 0.05, and all 1,023 take 2,773.",
)  # fmt: skip


def _questions():
    """The largest and the smallest q(x) stand next to each other, far apart, first, last."""
    for change in ("replace", "add"):
        for query, n in (
            ([0.2, 0.9, 0.5], 3), ([0.1, 0.5, 0.9, 0.4], 4), ([1.0, 0.25], 2), ([0, 1, 1, 0], 5),
            ([0.6, 0.6], 2), ([0.3, 0.5], 1), ([0.8, 0.5, 0.5, 0.3], 7), ([0, 0, 1], 1),
            ([0.4, 0.1, 0.2, 0.35], 6),
        ):  # fmt: skip
            yield np.array(query), n, change


_N, _SPREAD = 'n if change == "replace" else n + 1', "np.max(query) - np.min(query)"
check_sensitivity = Function(
    solutions.my_sensitivity,
    _questions,
    [
        Slip("q reached both 0 and 1. This q may not.", {_SPREAD: "1"}, 3),
        Slip("the other row had q = 0. This q may be above 0 everywhere.", {_SPREAD: "np.max(query)"}, 3),
        Slip("q reached both 0 and 1, and n rows were left whatever the change.", {_SPREAD: "1", _N: "n"}, 3),
        Slip("n rows were there after a row was added, too.", {_N: "n"}),
        Slip("a replaced row were one more.", {_N: "n + 1"}),
        Slip("replaced and added had changed places.", {"==": "!="}),
        Slip("one row less were there after a row was added.", {"n + 1": "n - 1 or 0.5"}),
        Slip("sums were asked for. The mean over all rows moves by less.", {") / rows": ")"}),
        Slip("only elements next to each other in the list could be exchanged.", {_SPREAD: "np.max(np.abs(np.diff(query)))"}, 3),
        Slip("only the first and the last element could be exchanged.", {_SPREAD: "abs(query[0] - query[-1])"}, 3),
        Slip("the added row came to a database that already has its mean.", {_SPREAD: "np.max(query) - (np.min if change == 'replace' else np.mean)(query)"}, 2),
        Slip("the sign of a change counted. A sensitivity is a size.", {_SPREAD: "np.min(query) - np.max(query)"}),
    ],
    praise="neither is more than 1/n, which the lecture gives for all linear queries together.",
)  # fmt: skip


class Database(NamedTuple):
    histogram: np.ndarray
    queries: np.ndarray
    size: int
    epsilon: float


def run_small_db(function, given, rng):
    real, queries = given.histogram.copy(), given.queries.copy()
    return array(function(real, queries, size=given.size, epsilon=given.epsilon, rng=rng))


def small_database(given, outcome):
    """The label of a run."""
    return shown(np.ravel(outcome).tolist(), 3)


def _databases():
    """Sizes from 1 on, n above and below the size, elements that nobody has; ε around 1.

    In the last, Laplace noise on the scores chooses the best in 55.7 % of all runs, and not in 51.4 %.
    """
    for histogram, queries, size, epsilon, runs in (
        ([3, 1, 4], [[1, 0, 0], [0.2, 1, 0.6]], 2, 2, 800),
        ([0, 15, 5], [[1, 0, 0.3], [0, 1, 0.5], [0.4, 0.4, 0.9]], 3, 0.5, 800),
        ([2, 1], [[1, 0.25]], 4, 3, 800),
        ([1, 2, 5, 2], [[1, 0, 0, 1], [0, 0.5, 1, 0]], 1, 0.8, 800),
        ([4, 0, 0, 0, 0, 0, 0, 0], [[1, 0, 0, 0, 0, 0, 0, 0]], 1, 1, 7_000),
    ):
        given = Database(np.array(histogram), np.array(queries), size, epsilon)
        law, errors = _law(given)
        events = tuple(
            (f"an error of at most {level:.3g}", {each for each in law if errors[each] <= level})
            for level in sorted(set(errors.values()))[:-1]
        )
        words = f"D = {histogram}, size = {size} and ε = {epsilon:g}"
        yield Case(given, words, law, events, runs)


def _law(given):
    """The probability of each small database, and its error."""
    elements, n = len(given.histogram), given.histogram.sum()
    small = [
        each
        for each in itertools.product(range(given.size + 1), repeat=elements)
        if sum(each) == given.size
    ]
    answers = given.queries @ np.array(small).T / given.size
    away = np.abs(answers.T - given.queries @ given.histogram / n).max(axis=1)
    law = exponential_mechanism_law(-away, sensitivity=1 / n, epsilon=given.epsilon)
    labels = [shown(list(each)) for each in small]
    return (
        dict(zip(labels, law.tolist(), strict=True)),
        dict(zip(labels, away.round(9).tolist(), strict=True)),
    )


_LESS = "Then D̂ tells more about one row than ε allows."
_RATE, _ROW = "-epsilon * n *", "itertools.combinations_with_replacement(range(elements), size)"
_ERROR = "np.max(np.abs(real - small), axis=1)"
_CHOSEN = "candidates[rng.choice(len(candidates), p=weights / np.sum(weights))]"
check_small_db = Law(
    solutions.my_small_db,
    _databases,
    [
        Slip(
            "a small database were there once for each order of its rows, and so were chosen more "
            "often. R has each once.",
            {_ROW: "itertools.product(range(elements), repeat=size)"}, 2,
        ),
        Slip("the sensitivity were 1. For fractions it is smaller, so the choice is closer to chance than it need be.", {_RATE: "-epsilon *"}, 3),
        Slip("D had as many rows as D̂. Whose rows does the sensitivity depend on?", {_RATE: "-epsilon * size *"}, 3),
        Slip("the sensitivity were n. It is smaller the more rows D has.", {_RATE: "-epsilon / n *"}, 3),
        Slip(f"ε were twice as large: the exponential mechanism has a 2. {_LESS}", {"errors / 2": "errors"}, 3),
        Slip("ε were half as large: farther from the best than it need be.", {"errors / 2": "errors / 4"}, 3),
        Slip("the worst were preferred: utility is minus the error.", {_RATE: "epsilon * n *"}, 3),
        Slip(f"the best were always chosen. {_LESS}", {_CHOSEN: "candidates[np.argmax(weights)]"}, 3),
        Slip("all small databases were equally likely. Nobody learns anything about D.", {", p=weights / np.sum(weights)": ""}, 3),
        Slip("the mean error counted, and not the largest.", {"np.max(np.abs": "np.mean(np.abs"}),
        Slip("errors were added up, and not the largest taken.", {"np.max(np.abs": "np.sum(np.abs"}),
        Slip("answers that are too large did not count.", {_ERROR: "np.max(real - small, axis=1)"}),
        Slip("answers that are too small did not count.", {_ERROR: "np.max(small - real, axis=1)"}),
        Slip("counts were compared. D and D̂ have different numbers of rows.", {"histogram / n": "histogram", "queries.T / size": "queries.T"}),
        Slip("D̂ had as many rows as D.", {"queries.T / size": "queries.T / n"}),
        Slip("shares were to be returned, and not a histogram of whole rows.", {_CHOSEN: f"{_CHOSEN} / size"}),
        Slip("weights were the scores themselves, and not e to them.", {"np.exp(scores - np.max(scores))": "scores"}, 3),
    ],
    run=run_small_db,
    label=small_database,
    praise="in many runs each small database comes as often as the exponential mechanism has it. "
    "(At most one right answer in a million is refused.)",
)  # fmt: skip

check_correlation = Choice(
    "why_correlated",
    {
        "a": "SmallDB adds no noise to an answer: D̂’s answers are computed exactly. Where is its "
        "randomness?",
        "b": "this is about the real answers, not about the errors. SmallDB’s answers are correlated "
        "even where a and b are independent in the data: with three rows each of 00, 01, 10 and 11, "
        "α = 0.4 and ε = 1, those to “a” and “a and b” have correlation 0.46.",
        "c": "the union bound is a step of the proof, not of the mechanism. It holds for events that "
        "depend on each other and for events that do not, and makes neither.",
        "d": "the only random choice is that of D̂, and every answer is computed from it. So the "
        "answers agree with each other: “a and b” never gets more than “a”, which independent noise "
        "does not assure.",
        "e": "answers are multiples of 1/m, but this is no reason: independent answers, each rounded "
        "by itself, stay independent.",
    },
    right="d",
)
check_alpha_half = Choice(
    "what_is_promised",
    {
        "a": "the theorem is proved with the lemma for α/2: it is about SmallDB run with α/2, not "
        "with α.",
        "b": "every small database can be drawn, the worst too, so no error below the largest "
        "possible one is sure. The bounds hold with probability 1 − β.",
        "c": "the lemma for α has α and something more, for any n: the first α is what the best small "
        "database may miss, the rest what the exponential mechanism may lose. A run with α/2 leaves "
        "room for the rest.",
        "d": "α/2 is what the best small database may miss if SmallDB is run with α/2. Run with α, "
        "its best small database has fewer rows, and the lecture lets it miss α.",
        "e": "the theorem says nothing of this run, but the lemma does: it holds for every n and "
        "every α > 0.",
    },
    right="c",
)
