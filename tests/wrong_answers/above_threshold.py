"""Answers to exercise 1 of notebook 01: right ones in unusual styles, and each known wrong one."""

import random

import numpy as np
from scipy import stats

from course_lib.variants import ABOVE, BELOW


def mechanism(threshold_noise, query_noise):
    """AboveThreshold with noise from two functions of Δ, ε and rng."""

    def my_above_threshold(data, queries, *, threshold, sensitivity, epsilon, rng):
        noisy_threshold = threshold + threshold_noise(sensitivity, epsilon, rng)
        for query in queries:
            if query(data) + query_noise(sensitivity, epsilon, rng) >= noisy_threshold:
                yield ABOVE
                return
            yield BELOW

    return my_above_threshold


def with_scales(threshold_scale, query_scale):
    return mechanism(
        lambda sensitivity, epsilon, rng: rng.laplace(scale=threshold_scale(sensitivity, epsilon)),
        lambda sensitivity, epsilon, rng: rng.laplace(scale=query_scale(sensitivity, epsilon)),
    )


def times(threshold_factor, query_factor):
    return with_scales(lambda d, e: threshold_factor * d / e, lambda d, e: query_factor * d / e)


def made_by(laplace, threshold_factor=2, query_factor=4):
    """With noise of any scale from `laplace(scale, rng)`."""
    return mechanism(
        lambda sensitivity, epsilon, rng: laplace(threshold_factor * sensitivity / epsilon, rng),
        lambda sensitivity, epsilon, rng: laplace(query_factor * sensitivity / epsilon, rng),
    )


def rescaled(scale, rng):
    return scale * rng.laplace()


def difference_of_exponentials(scale, rng):
    return rng.exponential(scale) - rng.exponential(scale)


def inverse_of_the_cdf(scale, rng):
    u = rng.random() - 0.5
    return -scale * np.sign(u) * np.log1p(-2 * abs(u))


def from_four_normals(scale, rng):
    a, b, c, d = rng.normal(size=4)
    return scale * (a * b - c * d)


def exponential_with_a_sign(scale, rng):
    return rng.choice([-1, 1]) * rng.exponential(scale)


def from_scipy(scale, rng):
    return stats.laplace.rvs(scale=scale, random_state=rng)


def from_a_child(scale, rng):
    return rng.spawn(1)[0].laplace(scale=scale)


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


def list_of_answers(data, queries, *, threshold, sensitivity, epsilon, rng):
    answers = []
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            return answers + [ABOVE]
        answers.append(BELOW)
    return answers


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


def upper_tail(x):
    return 0.5 * np.exp(-x) if x > 0 else 1 - 0.5 * np.exp(x)


def talkative(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    print("noisy threshold", noisy_threshold)
    for query in queries:
        answer = query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold
        yield ABOVE if answer else BELOW
        if answer:
            break


def strict(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) > noisy_threshold:
            yield ABOVE
            return
        yield BELOW


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
    "list of answers": list_of_answers,
    "strict": strict,
}


def redrawn(data, queries, *, threshold, sensitivity, epsilon, rng):
    for query in queries:
        noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def redrawn_after_below(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW
        noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)


def redrawn_and_rescaled(data, queries, *, threshold, sensitivity, epsilon, rng):
    unit = sensitivity / epsilon
    for query in queries:
        if query(data) + 4 * unit * rng.laplace() >= threshold + 2 * unit * rng.laplace():
            yield ABOVE
            return
        yield BELOW


def one_draw(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    noise = rng.laplace(scale=4 * sensitivity / epsilon)
    for query in queries:
        if query(data) + noise >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def wide_noise_in_advance(data, queries, *, threshold, sensitivity, epsilon, rng):
    noise = rng.laplace(0, 7 * sensitivity / epsilon, len(queries))
    noisy_threshold = rng.laplace(threshold, 2 * sensitivity / epsilon)
    for query, extra in zip(queries, noise, strict=True):
        if query(data) + extra >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def never_halts(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        noise = rng.laplace(scale=4 * sensitivity / epsilon)
        yield ABOVE if query(data) + noise >= noisy_threshold else BELOW


def first_below(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) <= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def halts_at_below(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) < noisy_threshold:
            yield BELOW
            return
        yield ABOVE


def one_more_at_the_end(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW
    yield BELOW


def random_index_if_none(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for index, query in enumerate(queries):
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            return [BELOW] * index + [ABOVE]
    return [BELOW] * int(rng.integers(len(queries))) + [ABOVE]


def first_index_if_none(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for index, query in enumerate(queries):
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            return [BELOW] * index + [ABOVE]
    return [ABOVE]


def only_above_is_said(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            yield ABOVE
            return


def threshold_forgotten(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def released_number(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        noisy = query(data) + rng.laplace(scale=4 * sensitivity / epsilon)
        if noisy >= noisy_threshold:
            yield float(noisy)
            return
        yield BELOW


def booleans(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        above = query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold
        yield bool(above)
        if above:
            return


def index_of_the_first(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for index, query in enumerate(queries):
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            return index
    return -1


def reads_ahead(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for value in [query(data) for query in queries]:
        if value + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def own_generator(data, queries, *, threshold, sensitivity, epsilon, rng):
    rng = np.random.default_rng()
    yield from times(2, 4)(
        data, queries, threshold=threshold, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    )


def own_seed(data, queries, *, threshold, sensitivity, epsilon, rng):
    rng = np.random.default_rng(1)
    yield from times(2, 4)(
        data, queries, threshold=threshold, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    )


def not_finished(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        yield ABOVE if query(data) + nose >= noisy_threshold else BELOW  # noqa: F821


def without_sensitivity(data, queries, *, threshold, epsilon, rng):
    yield from ()


def returns_nothing(data, queries, *, threshold, sensitivity, epsilon, rng):
    pass


# name: (the version, what its message says)
WRONG = {
    "query noise 2Δ/ε": (times(2, 2), "your query noise has scale 2Δ/ε; it should be 4Δ/ε."),
    "threshold noise Δ/ε": (times(1, 4), "your threshold noise has scale Δ/ε; it should be 2Δ/ε."),
    "half of both": (
        times(1, 2),
        "your threshold noise has scale Δ/ε; it should be 2Δ/ε. "
        "Your query noise has scale 2Δ/ε; it should be 4Δ/ε.",
    ),
    "query noise 5Δ/ε": (times(2, 5), "your query noise has scale 5Δ/ε;"),
    "query noise 3.2Δ/ε": (times(2, 3.2), "your query noise has scale 3.2Δ/ε;"),
    "threshold noise 2.5Δ/ε": (times(2.5, 4), "your threshold noise has scale 2.5Δ/ε;"),
    "threshold noise 1.6Δ/ε": (times(1.6, 4), "your threshold noise has scale 1.6Δ/ε;"),
    "exchanged": (times(4, 2), "threshold noise and query noise are exchanged."),
    "no Δ": (with_scales(lambda d, e: 2 / e, lambda d, e: 4 / e), "does not grow with Δ."),
    "Δ on the queries only": (
        with_scales(lambda d, e: 2 / e, lambda d, e: 4 * d / e),
        "your threshold noise has scale 2/ε; it should be 2Δ/ε.",
    ),
    "Δ squared": (
        with_scales(lambda d, e: 2 * d * d / e, lambda d, e: 4 * d * d / e),
        "Your query noise has scale 4Δ²/ε;",
    ),
    "inverted": (
        with_scales(lambda d, e: e / (2 * d), lambda d, e: e / (4 * d)),
        "Your query noise has scale 0.25ε/Δ; it should be 4Δ/ε. A smaller ε must mean more noise.",
    ),
    "tiny noise": (
        with_scales(lambda d, e: 0.001, lambda d, e: 0.001),
        "your threshold noise has scale 0.001; it should be 2Δ/ε.",
    ),
    "no formula": (
        with_scales(lambda d, e: 2 * d / e, lambda d, e: 4 * d / e + 1),
        "your query noise has scale 17 with Δ = 2, ε = 0.5; it should be 4Δ/ε. With Δ",
    ),
    "wide noise in advance": (wide_noise_in_advance, "Not yet: your query noise has scale 7Δ/ε;"),
    "wrong scale, rescaled": (
        made_by(rescaled, 2, 2),
        "as they would with this slip: your query noise has scale 2Δ/ε;",
    ),
    "exchanged, rescaled": (
        made_by(rescaled, 4, 2),
        "as they would with this slip: threshold noise and query noise are exchanged.",
    ),
    "wrong scale, exponentials": (
        made_by(difference_of_exponentials, 1, 4),
        "as they would with this slip: your threshold noise has scale Δ/ε;",
    ),
    "no noise on the threshold": (
        mechanism(lambda d, e, rng: 0, lambda d, e, rng: rng.laplace(scale=4 * d / e)),
        "there is no noise on the threshold.",
    ),
    "no noise on the queries": (
        mechanism(lambda d, e, rng: rng.laplace(scale=2 * d / e), lambda d, e, rng: 0),
        "there is no noise on the queries.",
    ),
    "redrawn": (redrawn, "Not yet: you draw a new threshold for each query."),
    "redrawn after ⊥": (redrawn_after_below, "Not yet: you draw a new threshold for each query."),
    "redrawn and rescaled": (redrawn_and_rescaled, "you draw a new threshold for each query."),
    "one draw for all": (one_draw, "the same noise, one draw for all."),
    "Gaussian": (made_by(lambda scale, rng: rng.normal(scale=scale)), "your noise is Gaussian"),
    "Gaussian queries": (
        mechanism(
            lambda d, e, rng: rng.laplace(scale=2 * d / e),
            lambda d, e, rng: rng.normal(scale=4 * d / e),
        ),
        "your noise is Gaussian",
    ),
    "only positive noise": (
        made_by(lambda scale, rng: abs(rng.laplace(scale=scale))),
        "your answers are not distributed as they should be.",
    ),
    "narrow, from four normals": (
        made_by(from_four_normals, 2, 3),
        "your answers are not distributed as they should be.",
    ),
    "goes on after ⊤": (never_halts, "you go on after the first ⊤."),
    "first below": (first_below, "you answer ⊤ to a value 1000 below the threshold."),
    "halts at ⊥": (halts_at_below, "you answered [⊥]. Each gets ⊥; only ⊤ halts the mechanism."),
    "one answer more": (one_more_at_the_end, "at the end of the stream nothing more is said."),
    "random index": (random_index_if_none, "at the end of the stream nothing more is said."),
    "first index": (
        first_index_if_none,
        "you answered [⊤]. Each gets ⊥, and at the end of the stream nothing more is said.",
    ),
    "only ⊤ is said": (only_above_is_said, "you answered []. Each gets ⊥;"),
    "threshold forgotten": (
        threshold_forgotten,
        "you answer ⊤ to a value 1000 below the threshold.",
    ),
    "a number": (released_number, "every answer is ABOVE or BELOW; you gave 59"),
    "booleans": (booleans, "every answer is ABOVE or BELOW; you gave False."),
    "index": (index_of_the_first, "your function returned -1. It should yield one answer"),
    "reads ahead": (reads_ahead, "you read the next query before the answer to this one"),
    "own generator": (own_generator, "use no generator of your own"),
    "own seed": (own_seed, "you draw nothing from rng:"),
    "NumPy's global generator": (
        made_by(lambda scale, rng: np.random.laplace(scale=scale)),  # noqa: NPY002
        "a generator shared by the whole session",
    ),
    "Python's global generator": (
        made_by(lambda scale, rng: random.expovariate(1 / scale) - random.expovariate(1 / scale)),
        "a generator shared by the whole session",
    ),
    "a slip of the pen": (not_finished, "stopped with NameError: name 'nose' is not defined."),
    "sensitivity missing": (without_sensitivity, "unexpected keyword argument 'sensitivity'."),
    "nothing returned": (returns_nothing, "your function returned None."),
}
