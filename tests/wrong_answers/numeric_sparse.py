"""Answers to the exercises of notebook 02 that an earlier check has met."""

import numpy as np

from course_lib.checks.solutions.numeric_sparse import my_numeric_sparse, my_sparse
from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.dependent import NOISES, dependent


class Altered:
    """A generator whose Laplace noise is changed by a function of it and its scale."""

    def __init__(self, rng, change):
        self.rng, self.change = rng, change

    def laplace(self, scale):
        return self.change(self.rng.laplace(scale=scale), scale)


def noise(change, solution=my_sparse):
    return lambda *args, rng, **given: solution(*args, rng=Altered(rng, change), **given)


def answering(change, solution=my_sparse):
    """A version whose answers are changed by a function of their list and of c."""
    return lambda *args, cutoff, **given: change(
        list(solution(*args, cutoff=cutoff, **given)), cutoff
    )


def scales(threshold_factor, query_factor):
    """Sparse with scales off by these factors."""

    def answer(data, queries, *, threshold, cutoff, share, epsilon, rng):
        first = threshold_factor * cutoff / (share * epsilon)
        second = query_factor * 2 * cutoff / ((1 - share) * epsilon)
        noisy_threshold = threshold + rng.laplace(scale=first)
        for query in queries:
            above = query(data) + rng.laplace(scale=second) >= noisy_threshold
            yield ABOVE if above else BELOW
            cutoff -= above
            if not cutoff:
                return
            if above:
                noisy_threshold = threshold + rng.laplace(scale=first)

    return answer


def remembers(data, queries, **given):
    """A number, once given for a value, is given again."""
    values, known = [], {}
    asked = (values.append(query(data)) or query for query in queries)
    for answer in my_numeric_sparse(data, asked, **given):
        yield answer if answer is BELOW else known.setdefault(values[-1], answer)


def more_and_more(data, queries, *, rng, **given):
    """A number after the first has some noise more."""
    numbers = 0
    for answer in my_numeric_sparse(data, queries, rng=rng, **given):
        numbers += answer is not BELOW
        yield answer + rng.laplace(scale=2) if answer is not BELOW and numbers > 1 else answer


def reads_ahead(data, queries, **given):
    values = [query(data) for query in queries]
    yield from my_sparse(None, [lambda data, value=value: value for value in values], **given)


def own_seed(*args, rng, **given):
    yield from my_sparse(*args, rng=np.random.default_rng(1), **given)


def of_numeric(cutoff, share, epsilon):
    finding = (1 - share) * epsilon
    return 2 * cutoff / finding, 4 * cutoff / finding, cutoff / (share * epsilon)


WRONG = {
    "my_sparse": {
        "query noise a quarter too wide": scales(1, 1.25),
        "threshold noise a fifth too narrow": scales(0.8, 1),
        "noise rounded": noise(lambda drawn, scale: round(drawn)),
        "noise above 0": noise(lambda drawn, scale: abs(drawn)),
        "noise cut off": noise(lambda drawn, scale: max(-scale, min(drawn, scale))),
        "goes on with ⊥": answering(lambda answers, c: (answers + [BELOW] * 4)[:6]),
        "one answer more": answering(lambda answers, c: answers + [BELOW] * (ABOVE not in answers)),
        "last first": answering(lambda answers, c: answers[::-1]),
        "booleans": answering(lambda answers, c: [answer is ABOVE for answer in answers]),
        "len(high) > 3": answering(
            lambda answers, c: answers if answers.count(ABOVE) <= 3 else answers[:-1]
        ),
        "reads ahead": reads_ahead,
        "own seed": own_seed,
    },
    "my_numeric_sparse": {
        "numbers remembered": remembers,
        "later numbers with more noise": more_and_more,
        "noise of one decimal": noise(lambda drawn, scale: round(drawn, 1), my_numeric_sparse),
        "⊤ and number": answering(
            lambda answers, c: [each if each is BELOW else (ABOVE, each) for each in answers],
            my_numeric_sparse,
        ),
        "no number": answering(
            lambda answers, c: [each if each is BELOW else float("nan") for each in answers],
            my_numeric_sparse,
        ),
        **{words: dependent(noises, of_numeric, redrawn=True) for words, noises in NOISES.items()},
    },
}
