"""Answers to the exercises of notebook 01 that an earlier check has met."""

from course_lib.checks.solutions.above_threshold import my_above_threshold
from course_lib.support.answers import ABOVE, BELOW


def scales(threshold_factor, query_factor, draw="laplace"):
    """AboveThreshold with these times Δ/ε as scales."""

    def answer(data, queries, *, threshold, sensitivity, epsilon, rng):
        unit = sensitivity / epsilon
        noisy_threshold = threshold + rng.laplace(scale=threshold_factor * unit)
        for query in queries:
            noise = getattr(rng, draw)(scale=query_factor * unit)
            if query(data) + noise >= noisy_threshold:
                yield ABOVE
                return
            yield BELOW

    return answer


def reads_one_query_ahead(data, queries, *, rng, **given):
    queries = iter(queries)
    ahead = [next(queries)]

    def delayed():
        for query in queries:
            ahead.append(query)
            yield ahead.pop(0)
        yield ahead.pop()

    yield from my_above_threshold(data, delayed(), rng=rng, **given)


def one_answer_after_the_first_above(data, queries, **given):
    yield from my_above_threshold(data, queries, **given)
    yield BELOW


def some_index_if_none_is_found(data, queries, **given):
    answers = list(my_above_threshold(data, queries, **given))
    return answers if ABOVE in answers else [*answers[:1], ABOVE]


WRONG = {
    "my_above_threshold": {
        "scales a quarter too wide": scales(2.5, 5),
        "query noise a fifth too narrow": scales(2, 3.2),
        "threshold noise a quarter too wide": scales(2.5, 4),
        "threshold noise a fifth too narrow": scales(1.6, 4),
        "queries with Gaussian noise": scales(2, 4, draw="normal"),
        "queries with noise above 0": scales(2, 4, draw="exponential"),
        "reads one query ahead": reads_one_query_ahead,
        "one answer after the first ⊤": one_answer_after_the_first_above,
        "some index": some_index_if_none_is_found,
    },
}
