"""Answers to the exercises of notebook 02, written without sight of its checks."""

import numpy as np
from scipy import stats

from course_lib.support.answers import ABOVE, BELOW

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


def stream(of_threshold, of_query, of_number=None, redrawn="above", last=0, answer=None):
    """The solution with these scales, functions of c, share and ε, and other places to stumble.

    The threshold is `redrawn` after each "above", "each" query or "never", or "added" to
    the one before; it halts `last` ⊤ late. A number is answer(value, noise, level, draw).
    """

    def mechanism(data, queries, *, threshold, cutoff, share, epsilon, rng):
        def draw(scale):
            return rng.laplace(scale=scale(cutoff, share, epsilon))

        level, count = threshold + draw(of_threshold), 0
        for query in queries:
            value, noise = query(data), draw(of_query)
            above = value + noise >= level
            if not above:
                yield BELOW
            elif answer is not None:
                yield answer(value, noise, level, lambda: draw(of_number))
            else:
                yield ABOVE if of_number is None else value + draw(of_number)
            count += above
            if count >= cutoff + last:
                return
            if redrawn == "added" and above:
                level += draw(of_threshold)
            elif redrawn == "each" or redrawn == "above" and above:
                level = threshold + draw(of_threshold)

    return mechanism


# my_sparse


def t(c, s, e):
    return c / (s * e)


def q(c, s, e):
    return 2 * c / ((1 - s) * e)


def count_kept():
    count = 0

    def my_sparse(data, queries, *, threshold, cutoff, share, epsilon, rng):
        nonlocal count
        level = threshold + rng.laplace(scale=cutoff / (share * epsilon))
        for query in queries:
            if query(data) + rng.laplace(scale=2 * cutoff / ((1 - share) * epsilon)) < level:
                yield BELOW
                continue
            yield ABOVE
            count += 1
            if count >= cutoff:
                return
            level = threshold + rng.laplace(scale=cutoff / (share * epsilon))

    return my_sparse


def never_enough(data, queries, *, threshold, cutoff, share, epsilon, rng):
    count, queries = 0, list(queries)
    while count < cutoff:
        level = threshold + rng.laplace(scale=cutoff / (share * epsilon))
        answers = [ABOVE if query(data) >= level else BELOW for query in queries]
    return answers


WRONG["my_sparse"] = {
    "threshold redrawn for each query": stream(t, q, redrawn="each"),
    "a number for ⊤": stream(t, q, answer=lambda value, noise, level, draw: value + noise),
    "count kept between calls": count_kept(),
    "never ends: nothing is counted": never_enough,
}


def as_list(data, queries, *, threshold, cutoff, share, epsilon, rng):
    levels = list(threshold + rng.laplace(scale=cutoff / (share * epsilon), size=cutoff))
    noise, answers = stats.laplace(scale=2 * cutoff / (epsilon - share * epsilon)), []
    for query in queries:
        above = query(data) + noise.rvs(random_state=rng) > levels[-1]
        answers.append(ABOVE if above else BELOW)
        if above and levels.pop() is not None and not levels:
            break
    return answers


def run_by_run(data, queries, *, threshold, cutoff, share, epsilon, rng):
    queries, per_run = iter(queries), epsilon / cutoff
    for _ in range(cutoff):
        gap = rng.exponential(1 / (share * per_run)) - rng.exponential(1 / (share * per_run))
        for query in queries:
            if query(data) - threshold + rng.laplace() * 2 / per_run / (1 - share) >= gap:
                yield ABOVE
                break
            yield BELOW


def lazy(data, queries, *, threshold, cutoff, share, epsilon, rng):
    level, left = None, cutoff
    for query in queries:
        noisy = rng.laplace(query(data), cutoff / ((1 - share) * epsilon / 2))
        if level is None:
            level = rng.laplace(threshold, cutoff / share / epsilon)
        answer, level = (BELOW, level) if noisy < level else (ABOVE, None)
        yield answer
        left -= answer is ABOVE
        if not left:
            break


RIGHT["my_sparse"] = {
    "a list, thresholds drawn in advance": as_list,
    "run by run, two exponentials": run_by_run,
    "a threshold drawn when it is needed": lazy,
}


# my_numeric_sparse


def t2(c, s, e):
    return 2 * c / ((1 - s) * e)


def q2(c, s, e):
    return 4 * c / ((1 - s) * e)


WRONG["my_numeric_sparse"] = {
    "the noisy threshold": stream(t2, q2, t, answer=lambda value, noise, level, draw: level),
    "at least the threshold": stream(
        t2, q2, t, answer=lambda value, noise, level, draw: max(value + draw(), level)
    ),
    "rounded": stream(t2, q2, t, answer=lambda value, noise, level, draw: round(value + draw())),
    "threshold redrawn for each query": stream(t2, q2, t, redrawn="each"),
}


def numbers_first(data, queries, *, threshold, cutoff, share, epsilon, rng):
    fresh = iter(rng.laplace(scale=cutoff / (share * epsilon), size=cutoff))
    scale, queries = 2 * cutoff / (epsilon - share * epsilon), iter(queries)
    for extra in fresh:
        level = rng.laplace(threshold, scale)
        for query in queries:
            if rng.laplace(query(data), 2 * scale) > level:
                yield np.array(query(data) + extra)
                break
            yield BELOW


def on_top_of_sparse(data, queries, *, share, epsilon, cutoff, **rest):
    asked = []
    noted = (asked.append(query) or query for query in queries)
    sparse = stream(lambda c, s, e: 2 * c / e, lambda c, s, e: 4 * c / e)
    find = dict(rest, cutoff=cutoff, share=0.5, epsilon=(1 - share) * epsilon)
    law = stats.laplace(scale=cutoff / share / epsilon)
    for answer in sparse(data, noted, **find):
        value = asked[-1](data)
        yield answer if answer is BELOW else value - law.rvs(random_state=rest["rng"])


RIGHT["my_numeric_sparse"] = {
    "numbers' noise first, 0-d arrays": numbers_first,
    "on top of Sparse, frozen distribution": on_top_of_sparse,
    "a list": lambda data, queries, **rest: list(stream(t2, q2, t)(data, queries, **rest)),
}


# pays_from and printed_fails_up_to

WRONG["pays_from"] = {
    "the whole number below": 110,
    "one too far": 112,
    "logarithm to base 10": 49,
    "logarithm to base 2": 160,
    "not squared": 222,
    "at the crossing": 8 * np.log(1e6),
}
RIGHT["pays_from"] = {"int": 111, "float": 111.0, "np.int64": np.int64(111)}

WRONG["printed_fails_up_to"] = {
    "the first that holds": 60,
    "not a whole number": 20 ** np.sqrt(8) / 80,
    "80k, not k": 4784,
    "2c/β in the bound": 119,
    "√8 forgotten": 0,
}
RIGHT["printed_fails_up_to"] = {"int": 59, "float": 59.0, "np.int64": np.int64(59)}
