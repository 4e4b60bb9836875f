"""Sparse with numbers whose noise is not fresh, though of the right law, or not quite of it."""

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


def changed(change, mechanism, scales):
    """A mechanism with the noise of its numbers, in units of its scale, changed by a function."""

    def answer(data, queries, *, threshold, rng, **given):
        values, scale = [], scales(**given)[2]
        asked = (values.append(query(data)) or query for query in queries)
        for each in mechanism(data, asked, threshold=threshold, rng=rng, **given):
            noise = 0 if each is BELOW else (each - values[-1]) / scale
            yield each if each is BELOW else values[-1] + scale * change(noise)

    return answer


NEARLY = {
    "noise cut at 1.5 scales": lambda noise: min(1.5, max(-1.5, noise)),
    "noise cut at 4 scales": lambda noise: min(4, max(-4, noise)),
    "noise of four decimals": lambda noise: round(noise, 4),
    "noise of four values": lambda noise: np.copysign(0.5 if abs(noise) < 1.2 else 2, noise),
}


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
