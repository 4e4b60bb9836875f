"""Answers to the first exercise of notebook 02 that are wrong whatever their noise."""

import numpy as np

from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.sparse import split


def answering(change):
    """A version whose answers are changed by a function of their list."""

    def my_sparse(data, queries, *, cutoff, **parameters):
        return change(list(split()(data, queries, cutoff=cutoff, **parameters)), cutoff)

    return my_sparse


def reversed_comparison(data, queries, *, threshold, cutoff, share, epsilon, rng):
    opposite = [lambda data, query=query: -query(data) for query in queries]
    parameters = {"cutoff": cutoff, "share": share, "epsilon": epsilon, "rng": rng}
    yield from split()(data, opposite, threshold=-threshold, **parameters)


def without_the_threshold(data, queries, *, threshold, cutoff, share, epsilon, rng):
    parameters = {"cutoff": cutoff, "share": share, "epsilon": epsilon, "rng": rng}
    yield from split()(data, queries, threshold=0, **parameters)


def goes_on_with_below(data, queries, *, cutoff, **parameters):
    answers = list(split()(data, queries, cutoff=cutoff, **parameters))
    yield from answers
    yield from [BELOW] * (len(queries) - len(answers))


def counts_queries(data, queries, *, cutoff, **parameters):
    yield from split()(data, queries[:cutoff], cutoff=cutoff, **parameters)


def reads_ahead(data, queries, **parameters):
    values = [query(data) for query in queries]
    yield from split()(None, [lambda data, value=value: value for value in values], **parameters)


def own_generator(data, queries, *, rng, **parameters):
    yield from split()(data, queries, rng=np.random.default_rng(), **parameters)


def own_seed(data, queries, *, rng, **parameters):
    yield from split()(data, queries, rng=np.random.default_rng(1), **parameters)


def without_share(data, queries, *, threshold, cutoff, epsilon, rng):
    yield from ()


def a_slip_of_the_pen(data, queries, *, threshold, cutoff, share, epsilon, rng):
    yield ABOVE if queries[0](data) > tresh else BELOW  # noqa: F821


# name: (the version, what its message says)
WRONG_FORM = {
    "halts at the first ⊤": (
        answering(
            lambda answers, c: answers[: answers.index(ABOVE) + 1] if ABOVE in answers else answers
        ),
        "you halt too early, after 1 of 2; the cutoff says when",
    ),
    "never halts": (split(halt=10**6), "you go on after the last ⊤."),
    "halts one late": (split(halt=1), "you halt one ⊤ late."),
    "goes on with ⊥": (goes_on_with_below, "you go on after the last ⊤."),
    "counts queries": (
        counts_queries,
        "you answered [⊥, ⊥]. Each gets ⊥; only the cutoff halts it.",
    ),
    "only ⊤": (
        answering(lambda answers, c: [ABOVE] * answers.count(ABOVE)),
        "you answered []. Each gets ⊥;",
    ),
    "one answer more": (
        answering(lambda answers, c: answers + [BELOW] * (answers.count(ABOVE) < c)),
        "Each gets ⊥; nothing more is said.",
    ),
    "last first": (
        answering(lambda answers, c: answers[::-1]),
        "your answers are not those that the values call for.",
    ),
    "reversed": (reversed_comparison, "Is your comparison the right way round,"),
    "threshold forgotten": (without_the_threshold, "do you compare the query’s value with"),
    "booleans": (
        answering(lambda answers, c: [answer is ABOVE for answer in answers]),
        "every answer is ABOVE or BELOW; you gave False.",
    ),
    "one number": (answering(lambda answers, c: len(answers)), "your function returned 5."),
    "reads ahead": (reads_ahead, "you read the next query before the answer to this one"),
    "own generator": (own_generator, "use no generator of your own"),
    "own seed": (own_seed, "you draw nothing from rng:"),
    "NumPy’s global generator": (
        split(noise=lambda scale, rng: np.random.laplace(scale=scale)),  # noqa: NPY002
        "a generator shared by the whole session",
    ),
    "a slip of the pen": (
        a_slip_of_the_pen,
        "stopped with NameError: name 'tresh' is not defined.",
    ),
    "share missing": (without_share, "unexpected keyword argument 'share'."),
}
