"""Answers to exercise 1 of notebook 01 with wrong noise, each with what its message says."""

import operator

from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.noise import (
    difference_of_exponentials,
    from_four_normals,
    plain,
    rescaled,
)


def mechanism(threshold_noise, query_noise, *, above=operator.ge, redrawn=False):
    """AboveThreshold with noise from two functions of Δ, ε and rng."""

    def my_above_threshold(data, queries, *, threshold, sensitivity, epsilon, rng):
        noisy_threshold = None
        for query in queries:
            if redrawn or noisy_threshold is None:
                noisy_threshold = threshold + threshold_noise(sensitivity, epsilon, rng)
            if above(query(data) + query_noise(sensitivity, epsilon, rng), noisy_threshold):
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


def made_by(laplace, threshold_factor=2, query_factor=4, **changes):
    """With noise of any scale from `laplace(scale, rng)`."""
    return mechanism(
        lambda sensitivity, epsilon, rng: laplace(threshold_factor * sensitivity / epsilon, rng),
        lambda sensitivity, epsilon, rng: laplace(query_factor * sensitivity / epsilon, rng),
        **changes,
    )


def answering(change):
    """The right one, with its list of answers changed."""
    return lambda *args, **parameters: change(list(times(2, 4)(*args, **parameters)))


def redrawn_after_below(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 * sensitivity / epsilon) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW
        noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)


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


# name: (the version, what its message says)
WRONG_NOISE = {
    "query noise 2Δ/ε": (times(2, 2), "your query noise has scale 2Δ/ε; it should be 4Δ/ε."),
    "threshold noise Δ/ε": (times(1, 4), "your threshold noise has scale Δ/ε; it should be 2Δ/ε."),
    "half of both": (
        times(1, 2),
        "your threshold noise has scale Δ/ε; it should be 2Δ/ε. "
        "Your query noise has scale 2Δ/ε; it should be 4Δ/ε.",
    ),
    "a quarter more": (times(2, 5), "your query noise has scale 5Δ/ε;"),
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
    "redrawn": (made_by(plain, redrawn=True), "Not yet: you draw a new threshold for each query."),
    "redrawn after ⊥": (redrawn_after_below, "Not yet: you draw a new threshold for each query."),
    "redrawn and rescaled": (
        made_by(rescaled, redrawn=True),
        "you draw a new threshold for each query.",
    ),
    "one draw for all": (one_draw, "you compare queries of equal value with the same noise."),
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
}
