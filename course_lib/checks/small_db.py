"""The exercises of notebook 05: SmallDB’s utility and size, the sensitivity of a fraction."""

import math

import numpy as np

from course_lib.checks.exercise import exercise
from course_lib.checks.one_number import judge
from course_lib.checks.small_db_choices import check_alpha_half, check_correlation
from course_lib.checks.small_db_slips import (
    CHANGES,
    SENSITIVITY_AXES,
    SIZE_AXES,
    UTILITY_AXES,
    sensitivity,
    size,
    utility,
)
from course_lib.linear_queries import Universe, marginals
from course_lib.small_db import small_db_size

__all__ = [
    "check_alpha_half",
    "check_correlation",
    "check_sensitivity",
    "check_size",
    "check_utility",
]


def _pair(histogram, candidate, queries):
    return {
        "histogram": np.array(histogram),
        "candidate": np.array(candidate),
        "queries": np.array(queries, dtype=float),
    }


PAIRS = (
    _pair([6, 3, 1], [1, 1, 2], [[0, 1, 0], [0, 1, 1]]),
    _pair([1, 5, 0, 2], [2, 0, 1, 0], [[0, 0.3, 1, 0], [0.2, 1, 0, 0.9], [0, 0, 0.7, 1]]),
    _pair([0, 9, 2, 1], [3, 1, 0, 3], [[0.75, 0, 0.4, 1], [1, 0, 0, 0.25]]),
    _pair([1, 4], [2, 1], [[0.2, 1]]),
    _pair([4, 2, 0, 2], [2, 1, 0, 1], [[1, 1, 0, 0], [0, 0.6, 1, 1], [0, 0, 0, 1]]),
    _pair(
        [130, 41, 77, 8, 260, 115, 190, 179],
        [2, 0, 1, 0, 5, 1, 3, 1],
        marginals(Universe(("a", "b", "c"))),
    ),
)


def _pair_in_words(case):
    rows, small, queries = (each.tolist() for each in case.values())
    if len(rows) < 6:
        queries = ", ".join("[" + ", ".join(f"{q:g}" for q in row) + "]" for row in queries)
        noun = "query" if len(case["queries"]) == 1 else "queries"
        return f"D = {rows}, D̂ = {small} and the {noun} {queries}"
    return (
        f"a database of {sum(rows):,} rows over {len(rows)} elements, a small one of {sum(small)} "
        f"and {len(queries)} queries"
    )


@exercise
def check_utility(function):
    """Judge `function(histogram, candidate, queries)`: −max over Q of |f(D) − f(D̂)|."""
    remark = "queries is an array with a row for each query and a column for each element."
    judge(
        function,
        PAIRS,
        model=utility,
        axes=UTILITY_AXES,
        words=_pair_in_words,
        most=3,
        remark=remark,
    )
    return (
        f"for {len(PAIRS)} pairs of databases your number is minus the largest error, as "
        "fractions. Replacing one of the n rows of D moves it by at most 1/n: the sensitivity that "
        "SmallDB gives to the exponential mechanism."
    )


SETTINGS = tuple(
    {"num_attributes": d, "order": k, "alpha": alpha}
    for d, k, alpha in (
        (3, 2, 0.4),
        (10, 3, 0.05),
        (5, 5, 0.1),
        (12, 2, 0.03),
        (7, 1, 0.07),
        (8, 6, 0.9),
    )
)


def _setting_in_words(case):
    return "d = {num_attributes}, order = {order} and α = {alpha:g}".format(**case)


@exercise
def check_size(function):
    """Judge `function(num_attributes, order, alpha)`: ⌈ln|Q|/α²⌉ for all k-way marginals."""
    judge(function, SETTINGS, model=size, axes=SIZE_AXES, words=_setting_in_words)
    few, all_of_them = (sum(math.comb(10, j) for j in range(1, k + 1)) for k in (3, 10))
    rows = [small_db_size(num_queries=count, alpha=0.05) for count in (few, all_of_them)]
    return (
        f"for {len(SETTINGS)} choices of d, order and α your number is ⌈ln|Q|/α²⌉. The logarithm "
        f"shows: of 10 attributes, {few} marginals of order 3 take {rows[0]:,} rows at α = 0.05, "
        f"and all {all_of_them:,} take {rows[1]:,}."
    )


# Few rows and few elements, so that an answer may go through all databases.
QUESTIONS = tuple(
    {"query": np.array(query), "n": n, "change": change}
    for change in CHANGES
    for query, n in (
        ([0.2, 0.9, 0.5], 3),
        ([0.0, 0.7, 0.3, 0.1], 4),
        ([1.0, 0.25], 2),
        ([0.0, 1.0, 1.0, 0.0], 5),
        ([0.6, 0.6], 2),
        ([0.3, 0.5], 1),
    )
)


def _question_in_words(case):
    return f'q = {case["query"].tolist()}, n = {case["n"]} and change = "{case["change"]}"'


def _witness(case, number, exact):
    """Two databases that are further apart than the number says, or that none are so far."""
    if number < 0:
        return "A sensitivity is the size of a change, never negative."
    if number > exact:
        return "No row moves the fraction so far."
    low, high = min(case["query"]), max(case["query"])
    what = "adding" if case["change"] == "add" else "replacing one by"
    return (
        f"If q is {low:g} in all rows of D, {what} a row with q = {high:g} moves the mean from "
        f"{low:g} to {low + exact:.4g}."
    )


@exercise
def check_sensitivity(function):
    """Judge `function(query, n, change)`: how far one row moves the fraction of a linear query."""
    judge(
        function,
        QUESTIONS,
        model=sensitivity,
        axes=SENSITIVITY_AXES,
        words=_question_in_words,
        witness=_witness,
    )
    return (
        "(max q − min q)/n for a row replaced, (max q − min q)/(n + 1) for a row added, "
        f"in {len(QUESTIONS)} cases. Neither is more than 1/n, which the lecture gives for all "
        "linear queries together."
    )
