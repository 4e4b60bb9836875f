"""Answers to the mechanism exercises of notebooks 02 and 04: unusual right ones, and wrong ones."""

import numpy as np

from course_lib.variants import ABOVE, BELOW
from tests.wrong_answers.above_threshold import (
    difference_of_exponentials,
    exponential_with_a_sign,
    from_a_child,
    from_four_normals,
    from_scipy,
    inverse_of_the_cdf,
    rescaled,
    upper_tail,
)


def plain(scale, rng):
    return rng.laplace(scale=scale)


def split(threshold_scale=None, query_scale=None, *, noise=plain, redrawn="after ⊤", halt=0):
    """Sparse with scales from two functions of c, share and ε; it halts `halt` ⊤ late."""
    first = threshold_scale or (lambda c, share, epsilon: c / (share * epsilon))
    second = query_scale or (lambda c, share, epsilon: 2 * c / ((1 - share) * epsilon))

    def my_sparse(data, queries, *, threshold, cutoff, share, epsilon, rng):
        scales = [scale(cutoff, share, epsilon) for scale in (first, second)]
        noisy_threshold = threshold + noise(scales[0], rng)
        count = 0
        for query in queries:
            if redrawn == "always":
                noisy_threshold = threshold + noise(scales[0], rng)
            if query(data) + noise(scales[1], rng) < noisy_threshold:
                yield BELOW
                continue
            yield ABOVE
            count += 1
            if count == cutoff + halt:
                return
            if redrawn == "after ⊤":
                noisy_threshold = threshold + noise(scales[0], rng)

    return my_sparse
