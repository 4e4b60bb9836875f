"""Answers to the exercises of notebook 02: wrong ones, and right ones in unusual styles."""

import numpy as np

from course_lib.checks.solutions.numeric_sparse import my_numeric_sparse, my_sparse
from course_lib.support.answers import ABOVE, BELOW
from tests.unseen.dependent import NEARLY, NOISES, changed, dependent

WRONG = {}  # exercise → {the mistake in a few words: the answer}
RIGHT = {}  # exercise → {the style in a few words: the answer}


class Rounding:
    """A generator whose Laplace noise has so many decimals."""

    def __init__(self, rng, decimals):
        self.rng, self.decimals = rng, decimals

    def laplace(self, scale):
        return round(self.rng.laplace(scale=scale), self.decimals)


def rounded(solution, decimals):
    return lambda *args, rng, **given: solution(*args, rng=Rounding(rng, decimals), **given)


class Cut:
    """A generator whose Laplace noise is cut off at so many scales."""

    def __init__(self, rng, reach):
        self.rng, self.reach = rng, reach

    def laplace(self, scale):
        return scale * np.clip(self.rng.laplace(), -self.reach, self.reach)


def cut(solution, reach):
    return lambda *args, rng, **given: solution(*args, rng=Cut(rng, reach), **given)


def for_one(solution, change):
    """With cutoff 1 another share and another ε."""

    def answer(*args, cutoff, share, epsilon, **given):
        if cutoff == 1:
            share, epsilon = change(share, epsilon)
        return solution(*args, cutoff=cutoff, share=share, epsilon=epsilon, **given)

    return answer


def answering(change, solution=my_sparse):
    """A version whose answers are changed by a function of their list."""
    return lambda *args, **given: change(list(solution(*args, **given)))


def each(change):
    """Each number changed by a function of it."""
    return answering(
        lambda answers: [x if x is BELOW else change(x) for x in answers], my_numeric_sparse
    )


def reads_ahead(data, queries, **given):
    yield from my_sparse(data, list(queries), **given)


def count_kept():
    count = 0

    def answer(data, queries, *, cutoff, **given):
        nonlocal count
        for each in my_sparse(data, queries, cutoff=cutoff, **given):
            yield each
            count += each is ABOVE
            if count >= cutoff:
                return

    return answer


WRONG["my_sparse"] = {
    "noise rounded": rounded(my_sparse, 0),
    "booleans": answering(lambda answers: [answer is ABOVE for answer in answers]),
    "len(high) > 3": answering(
        lambda answers: answers if answers.count(ABOVE) <= 3 else answers[:-1]
    ),
    "reads ahead": reads_ahead,
    "count kept between calls": count_kept(),
    "noise cut at 3 scales": cut(my_sparse, 3),
    "noise cut at 4 scales": cut(my_sparse, 4),
    "for c = 1 twice ε": for_one(my_sparse, lambda share, epsilon: (share, 2 * epsilon)),
    "for c = 1 share is one half": for_one(my_sparse, lambda share, epsilon: (0.5, epsilon)),
}


def as_list(data, queries, *, threshold, cutoff, share, epsilon, rng):
    levels = list(threshold + rng.laplace(scale=cutoff / (share * epsilon), size=cutoff))
    answers = []
    for query in queries:
        noise = rng.laplace(scale=2 * cutoff / (epsilon - share * epsilon))
        above = query(data) + noise > levels[-1]
        answers.append(ABOVE if above else BELOW)
        if above and levels.pop() is not None and not levels:
            break
    return answers


RIGHT["my_sparse"] = {"a list, thresholds drawn in advance": as_list}


def more_and_more(data, queries, *, rng, **given):
    """A number after the first has some noise more."""
    numbers = 0
    for answer in my_numeric_sparse(data, queries, rng=rng, **given):
        numbers += answer is not BELOW
        yield answer + rng.laplace(scale=2) if answer is not BELOW and numbers > 1 else answer


def of_numeric(cutoff, share, epsilon):
    finding = (1 - share) * epsilon
    return 2 * cutoff / finding, 4 * cutoff / finding, cutoff / (share * epsilon)


WRONG["my_numeric_sparse"] = {
    "later numbers with more noise": more_and_more,
    "noise of one decimal": rounded(my_numeric_sparse, 1),
    "⊤ and number": each(lambda number: (ABOVE, number)),
    "no number": each(lambda number: float("nan")),
    **{words: dependent(noises, of_numeric, redrawn=True) for words, noises in NOISES.items()},
    **{words: changed(each, my_numeric_sparse, of_numeric) for words, each in NEARLY.items()},
    "for c = 1 twice ε": for_one(my_numeric_sparse, lambda share, epsilon: (share, 2 * epsilon)),
    "all noise cut at 4 scales": cut(my_numeric_sparse, 4),
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


RIGHT["my_numeric_sparse"] = {
    "numbers' noise first, 0-d arrays": numbers_first,
    "arrays of one": each(lambda number: np.array([number])),
}

WRONG["pays_from"] = {"the whole number below": 110, "one too far": 112}
RIGHT["pays_from"] = {"float": 111.0}

WRONG["printed_fails_up_to"] = {
    "the first that holds": 60,
    "not a whole number": 20 ** np.sqrt(8) / 80,
}
RIGHT["printed_fails_up_to"] = {"np.int64": np.int64(59)}
