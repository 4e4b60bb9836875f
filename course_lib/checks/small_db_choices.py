"""Questions of notebook 05: why SmallDB’s answers are correlated, what the lecture proves."""

import functools
import math

import numpy as np

from course_lib.checks.exercise import choose, exercise
from course_lib.exact.small_db import small_db_error_exact
from course_lib.lab.histograms import scaled, survey_histogram
from course_lib.linear_queries import Universe, marginals
from course_lib.small_db import scored, small_db_error, small_db_n
from course_lib.toolbox import exponential_mechanism_law


@functools.cache
def correlation():
    """Of SmallDB’s answers to “a” and to “a and b”, where a and b are independent in the data."""
    queries, real = marginals(Universe(("a", "b"))), np.array([3, 3, 3, 3])
    ((candidates, errors),) = scored(real, queries, 0.4)
    law = exponential_mechanism_law(-errors, sensitivity=1 / real.sum(), epsilon=1.0)
    answers = queries.rows[[0, 2]] @ candidates / candidates[:, 0].sum()
    away = answers - (answers @ law)[:, None]
    both, one, other = (float(law @ each) for each in (away[0] * away[1], *np.square(away)))
    return both / math.sqrt(one * other)


@exercise
def check_correlation(answer):
    """Judge why the answers of SmallDB are correlated."""
    found = f"{correlation():.2f}"
    example = "with 12 rows, three for each of 00, 01, 10 and 11, α = 0.4 and ε = 1"
    reasons = {
        "a": "SmallDB adds no noise to an answer: D̂’s answers are computed exactly. Where is "
        "its randomness?",
        "b": "this is about the real answers, not about the errors. Laplace noise, drawn for each "
        "query, is independent however the data are; and SmallDB’s answers are correlated even "
        f"where a and b are independent in the data: {example}, those to “a” and to “a and b” have "
        f"the exact correlation {found}.",
        "c": "the union bound is a step of the proof, not of the mechanism. It holds for events "
        "that depend on each other and for events that do not, and makes neither.",
        "d": "the only random choice is that of D̂, and every answer is computed from it. So the "
        "answers agree with each other: “a and b” never gets more than “a”, which independent "
        f"noise does not assure. For example, {example}, the answers to these two have the exact "
        f"correlation {found}.",
        "e": "answers are multiples of 1/m, but this is no reason: independent answers, each "
        "rounded by itself, stay independent.",
    }
    return choose(answer, reasons, right="d")


@functools.cache
def exact_error(n):
    """Of SmallDB run with α = 0.4, β = 0.05 and ε = 1, on the survey scaled to n rows."""
    universe, survey = survey_histogram("visit", "chronic", "unwell")
    real = scaled(survey, n=n)
    setting = {"alpha": 0.4, "beta": 0.05, "epsilon": 1.0}
    return float(small_db_error_exact(real, marginals(universe), **setting))


@exercise
def check_alpha_half(answer):
    """Judge what the lecture proves of SmallDB run with α, where n is what it asks for α."""
    setting = {"universe_size": 8, "num_queries": 7, "beta": 0.05, "epsilon": 1.0}
    n = math.ceil(small_db_n(alpha=0.4, **setting))
    whole, half = (float(small_db_error(n=n, alpha=alpha, **setting)) for alpha in (0.4, 0.2))
    numbers = (
        f"With |X| = 8, |Q| = 7, α = 0.4, β = 0.05 and ε = 1 the theorem asks for {n:,} rows. "
        f"There the lemma promises {whole:.3f} if SmallDB is run with 0.4, {half:.3f} with 0.2"
    )
    reasons = {
        "a": "the theorem is proved with the lemma for α/2: it is about SmallDB run with α/2, "
        f"not with α. {numbers}.",
        "b": "every small database can be drawn, the worst too, so no error below the largest "
        "possible one is sure. The bounds hold with probability 1 − β.",
        "c": "the lemma for α has α and something more, for any n: the first α is what the best "
        "small database may miss, the rest what the exponential mechanism may lose. A run with "
        f"α/2 leaves room for the rest. {numbers}. On the survey’s proportions the exact "
        f"error of the first run, exceeded with probability at most β, is {exact_error(n):.3f}.",
        "d": "α/2 is what the best small database may miss if SmallDB is run with α/2. Run with α, "
        "its best small database has fewer rows, and the lecture lets it miss α.",
        "e": "the theorem says nothing of this run, but the lemma does: it holds for every n and "
        "every α > 0.",
    }
    return choose(answer, reasons, right="c")
