"""Right answers to exercise 1 of notebook 01, in unusual styles."""

import operator

import numpy as np

from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.above_threshold import answering, made_by, times
from tests.wrong_answers.noise import (
    difference_of_exponentials,
    exponential_with_a_sign,
    from_a_child,
    from_four_normals,
    from_scipy,
    inverse_of_the_cdf,
    plain,
    rescaled,
    upper_tail,
)


def noise_in_advance(data, queries, *, threshold, sensitivity, epsilon, rng):
    noise = rng.laplace(0, 4 * sensitivity / epsilon, len(queries))
    noisy_threshold = rng.laplace(threshold, 2 * sensitivity / epsilon)
    for query, extra in zip(queries, noise, strict=True):
        yield ABOVE if query(data) + extra >= noisy_threshold else BELOW
        if query(data) + extra >= noisy_threshold:
            return


def one_array_of_scales(data, queries, *, threshold, sensitivity, epsilon, rng):
    values = np.array([query(data) for query in queries])
    scales = sensitivity / epsilon * np.array([2] + [4] * len(values))
    first, *rest = rng.laplace(scale=scales)
    above = values + rest >= threshold + first
    if not above.any():
        return [BELOW] * len(values)
    return [BELOW] * int(above.argmax()) + [ABOVE]


class by_probabilities:
    """An iterator of its own kind, which draws the answer and not the noise."""

    def __init__(self, data, queries, *, threshold, sensitivity, epsilon, rng):
        self.data, self.queries, self.rng = data, iter(queries), rng
        self.scale = 4 * sensitivity / epsilon
        self.threshold = threshold + rng.laplace(scale=self.scale / 2)
        self.halted = False

    def __iter__(self):
        return self

    def __next__(self):
        if self.halted:
            raise StopIteration
        value = next(self.queries)(self.data)
        self.halted = self.rng.random() < upper_tail((self.threshold - value) / self.scale)
        return ABOVE if self.halted else BELOW


def talkative(*args, **parameters):
    for answer in times(2, 4)(*args, **parameters):
        print("the answer is", answer)
        yield answer


RIGHT = {
    "noise rescaled": made_by(rescaled),
    "difference of exponentials": made_by(difference_of_exponentials),
    "exponential with a sign": made_by(exponential_with_a_sign),
    "inverse of the cdf": made_by(inverse_of_the_cdf),
    "from four normals": made_by(from_four_normals),
    "scipy": made_by(from_scipy),
    "from a child of the generator": made_by(from_a_child),
    "by probabilities": by_probabilities,
    "talkative": talkative,
    "noise in advance": noise_in_advance,
    "one array of scales": one_array_of_scales,
    "list of answers": answering(list),
    "strict": made_by(plain, above=operator.gt),
}
