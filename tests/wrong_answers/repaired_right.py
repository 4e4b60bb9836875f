"""Right answers to the first exercise of notebook 04, in unusual styles."""

import numpy as np

from course_lib.support.answers import BELOW
from tests.wrong_answers.noise import (
    difference_of_exponentials,
    from_four_normals,
    inverse_of_the_cdf,
    rescaled,
)
from tests.wrong_answers.repaired import first, repaired, second, third


def list_of_answers(*args, **parameters):
    return list(repaired()(*args, **parameters))


def noise_in_advance(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    values = np.array([query(data) for query in queries])
    one, two, three = (f(cutoff, shares, epsilon * n) for f in (first, second, third))
    numbers = values + rng.laplace(0, three, len(values))
    above = values + rng.laplace(0, two, len(values)) >= rng.laplace(threshold, one)
    answers = [number if yes else BELOW for number, yes in zip(numbers, above, strict=True)]
    if above.sum() < cutoff:
        return answers
    return answers[: np.flatnonzero(above)[cutoff - 1] + 1]


def strict(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    one, two, three = (f(cutoff, shares, epsilon * n) for f in (first, second, third))
    noisy_threshold = rng.laplace(threshold, one)
    for query in queries:
        value = query(data)
        above = rng.laplace(value, two) > noisy_threshold
        yield np.float64(rng.laplace(value, three)) if above else BELOW
        cutoff -= above
        if not cutoff:
            break


def counts_of_rows(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    """On n times the queries, which have sensitivity 1, and back."""
    one, two, three = (f(cutoff, shares, epsilon) for f in (first, second, third))
    noisy_threshold = n * threshold + rng.laplace(scale=one)
    left = cutoff
    for query in queries:
        value = n * query(data)
        if value + rng.laplace(scale=two) >= noisy_threshold:
            yield float(value + rng.laplace(scale=three)) / n
            left -= 1
            if left == 0:
                return
        else:
            yield BELOW


def single_precision(*args, **parameters):
    for answer in repaired()(*args, **parameters):
        yield answer if answer is BELOW else np.float32(answer)


RIGHT = {
    "noise rescaled": repaired(noise=rescaled),
    "difference of exponentials": repaired(noise=difference_of_exponentials),
    "inverse of the cdf": repaired(noise=inverse_of_the_cdf),
    "from four normals": repaired(noise=from_four_normals),
    "counts of rows": counts_of_rows,
    "single precision": single_precision,
    "noise in advance": noise_in_advance,
    "list of answers": list_of_answers,
    "strict": strict,
}
