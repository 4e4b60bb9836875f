"""Answers to the first exercise of notebook 04 that are wrong whatever their noise."""

import numpy as np

from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.repaired import answering, each_number, first, repaired, second, third


def up_to_the_first(answers, cutoff):
    above = [i for i, answer in enumerate(answers) if answer is not BELOW]
    return answers[: above[0] + 1] if above else answers


def reversed_comparison(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    one, two, three = (f(cutoff, shares, epsilon * n) for f in (first, second, third))
    noisy_threshold = threshold + rng.laplace(scale=one)
    for query in queries:
        above = query(data) + rng.laplace(scale=two) <= noisy_threshold
        yield query(data) + rng.laplace(scale=three) if above else BELOW
        cutoff -= above
        if not cutoff:
            return


def own_generator(data, queries, *, rng, **parameters):
    yield from repaired()(data, queries, rng=np.random.default_rng(), **parameters)


def reads_ahead(data, queries, **parameters):
    values = [query(data) for query in queries]
    yield from repaired()(None, [lambda data, value=value: value for value in values], **parameters)


def without_n(data, queries, *, threshold, cutoff, shares, epsilon, rng):
    yield from ()


# name: (the version, what its message says)
WRONG_FORM = {
    "⊤ alone": (each_number(lambda number: ABOVE), "you say ⊤ and no more."),
    "⊤ and number": (
        each_number(lambda number: (ABOVE, number)),
        "every answer is BELOW or a float; you gave (⊤, ",
    ),
    "None for ⊥": (
        answering(lambda answers, c: [None if a is BELOW else a for a in answers]),
        "every answer is BELOW or a float; you gave None.",
    ),
    "true for a number": (
        each_number(lambda number: True),
        "every answer is BELOW or a float; you gave True.",
    ),
    "NaN": (
        each_number(lambda number: float("nan")),
        "you answer nan where the query’s value is 55,000, which no noise explains.",
    ),
    "clipped": (
        each_number(lambda number: min(max(number, 0.0), 1.0)),
        "its value with fresh noise. Values may lie outside [0, 1]: do not clip.",
    ),
    "the noise alone": (
        repaired(release=lambda value, compared, t, fresh: fresh),
        "which no noise explains. Each query, up to the halt, gets its own answer:",
    ),
    "the threshold": (
        repaired(release=lambda value, compared, noisy_threshold, fresh: noisy_threshold),
        "which no noise explains.",
    ),
    "halts at the first number": (answering(up_to_the_first), "you halt too early, after 1 of 2;"),
    "halts one late": (repaired(halt=1), "you halt one number late."),
    "never halts": (repaired(halt=10**6), "you go on after the last number."),
    "⊥ left out": (
        answering(lambda answers, c: [a for a in answers if a is not BELOW]),
        "you answer 55,000.2 where the query’s value is 45,000, which no noise explains.",
    ),
    "reversed": (reversed_comparison, "Is your comparison the right way round,"),
    "reads ahead": (reads_ahead, "you read the next query before the answer to this one"),
    "own generator": (own_generator, "use no generator of your own"),
    "n missing": (without_n, "unexpected keyword argument 'n'."),
    "nothing returned": (lambda *args, **parameters: None, "your function returned None."),
}
