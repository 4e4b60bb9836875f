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


def size_shared(rng):
    """All numbers of a run have noise of one size."""
    yield rng.laplace()
    size = rng.exponential()
    while True:
        yield rng.laplace(), size * sign(rng)


def sign_shared(rng):
    yield rng.laplace()
    side = sign(rng)
    while True:
        yield rng.laplace(), side * rng.exponential()


def one_of_two(rng):
    """Each number has one of two noises."""
    yield rng.laplace()
    two = rng.laplace(size=2)
    while True:
        yield rng.laplace(), rng.choice(two)


def spread_shared(rng):
    """Laplace noise as a normal of random variance, which is drawn once."""
    yield rng.laplace()
    spread = np.sqrt(2 * rng.exponential())
    while True:
        yield rng.laplace(), spread * rng.normal()


def as_it_is(noise, rng):
    return noise


def size_alone(noise, rng):
    return abs(noise) * sign(rng)


def sign_alone(noise, rng):
    return np.sign(noise) * rng.exponential()


def shifted(by, number=as_it_is):
    """A number has the noise with which the query `by` places later is compared, in some form."""

    def noises(rng):
        yield rng.laplace()
        pool = list(rng.laplace(size=abs(by) + 1))
        while True:
            pool.append(rng.laplace())
            here = -1 - max(by, 0)
            yield pool[here], number(pool[here + by], rng)

    return noises


def of_the_threshold(number=as_it_is):
    """All numbers have the noise of the first threshold, in some form."""

    def noises(rng):
        noise = rng.laplace()
        yield noise
        while True:
            yield rng.laplace(), number(noise, rng)

    return noises


FORMS = {"": as_it_is, ", its size": size_alone, ", its sign": sign_alone}
NOISES = {
    "noise of one size": size_shared,
    "noise of one sign": sign_shared,
    "noise of one spread": spread_shared,
    "one of two noises": one_of_two,
    "noise of the next comparison but one": shifted(2),
    "noise of the last comparison but one": shifted(-2),
    **{f"compared noise, rescaled{words}": shifted(0, form) for words, form in FORMS.items()},
    **{f"noise of the next comparison{words}": shifted(1, form) for words, form in FORMS.items()},
    **{f"noise of the last comparison{words}": shifted(-1, form) for words, form in FORMS.items()},
    **{f"noise of the threshold{words}": of_the_threshold(form) for words, form in FORMS.items()},
}
