"""Sparse with numbers whose noise has the right law, each on its own, but is not fresh."""

import numpy as np

from course_lib.support.answers import BELOW


def dependent(noises, scales, *, redrawn):
    """A mechanism with noise from `noises(rng)`, in units of the three scales.

    That yields the noise of the threshold, then for each query that of the comparison and that of
    the number.
    """

    def mechanism(data, queries, *, threshold, cutoff, rng, **given):
        one, two, three = scales(cutoff, **given)
        source = noises(rng)
        noisy_threshold = threshold + one * next(source)
        count = 0
        for query in queries:
            compared, fresh = next(source)
            above = query(data) + two * compared >= noisy_threshold
            yield query(data) + three * fresh if above else BELOW
            count += above
            if count == cutoff:
                return
            if above and redrawn:
                noisy_threshold = threshold + rng.laplace(scale=one)

    return mechanism


def sign(rng):
    return rng.choice([-1, 1])


def spread_shared(rng):
    """Laplace noise as a normal of random variance, which is drawn once."""
    yield rng.laplace()
    spread = np.sqrt(2 * rng.exponential())
    while True:
        yield rng.laplace(), spread * rng.normal()


def shifted(by, *, size_alone=False):
    """A number has the noise, or its size, with which the query `by` places later is compared."""

    def noises(rng):
        yield rng.laplace()
        pool = list(rng.laplace(size=abs(by) + 1))
        while True:
            pool.append(rng.laplace())
            here = -1 - max(by, 0)
            noise = pool[here + by]
            yield pool[here], abs(noise) * sign(rng) if size_alone else noise

    return noises


NOISES = {
    "noise of one spread": spread_shared,
    "noise of the next comparison but one": shifted(2),
    "noise of the last comparison but one": shifted(-2),
    "the size of the compared noise": shifted(0, size_alone=True),
    "the size of the next comparison's noise": shifted(1, size_alone=True),
    "the size of the last comparison's noise": shifted(-1, size_alone=True),
}
