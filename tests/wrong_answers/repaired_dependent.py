"""Repaired versions whose numbers each have the right law, but whose noise is not fresh."""

import numpy as np

from course_lib.support.answers import BELOW
from tests.wrong_answers.repaired import first, repaired, second, third


def dependent(noises):
    """A version with noise from `noises(rng)`, in units of the scales.

    That yields the noise of the threshold, then for each query that of the comparison and that of
    the number.
    """

    def my_repaired(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
        one, two, three = (f(cutoff, shares, epsilon * n) for f in (first, second, third))
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

    return my_repaired


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


def by_turns(rng):
    """A noise and its opposite, query after query."""
    yield rng.laplace()
    noise = rng.laplace()
    while True:
        yield rng.laplace(), noise
        yield rng.laplace(), -noise


def spread_shared(rng):
    """Laplace noise as a normal of random variance, which is drawn once."""
    yield rng.laplace()
    spread = np.sqrt(2 * rng.exponential())
    while True:
        yield rng.laplace(), spread * rng.normal()


def as_it_is(noise, rng):
    return noise


def opposite(noise, rng):
    return -noise


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


def of_the_threshold(number):
    """All numbers have the noise of the threshold, in some form."""

    def noises(rng):
        noise = rng.laplace()
        yield noise
        while True:
            yield rng.laplace(), number(noise, rng)

    return noises


def less_and_less(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    """The scale of a number is made with the cutoff that is left."""
    one, two, three = (f(cutoff, shares, epsilon * n) for f in (first, second, third))
    noisy_threshold, left = threshold + rng.laplace(scale=one), cutoff
    for query in queries:
        above = query(data) + rng.laplace(scale=two) >= noisy_threshold
        yield query(data) + rng.laplace(scale=three * left / cutoff) if above else BELOW
        left -= above
        if not left:
            return


def remembers(data, queries, **parameters):
    """A number, once given for a value, is given again."""
    values, known = [], {}
    asked = (values.append(query(data)) or query for query in queries)
    for answer in repaired()(data, asked, **parameters):
        yield answer if answer is BELOW else known.setdefault(values[-1], answer)


_ONE = "the numbers of a run share one noise."
_EQUAL = "two numbers of a run sometimes have exactly the same error,"
_PAIR = "the errors of two numbers of a run do not differ as independent ones do."
_NEXT = "a number’s error has to do with the answer after it,"
_LATER = "your numbers are right for the first query, but later their errors have to do with"
_OTHER = "your numbers are not distributed as they should be:"
_FLAW = "you release the noise you compared with: Lecture 11’s flaw."
# name: (the version, what its message says)
WRONG_DEPENDENT = {
    "numbers remembered": (remembers, _ONE),
    "noise of one size": (dependent(size_shared), _EQUAL),
    "noise of one sign": (dependent(sign_shared), _PAIR),
    "noise of one spread": (dependent(spread_shared), _PAIR),
    "one of two noises": (dependent(one_of_two), _EQUAL),
    "noise and its opposite": (dependent(by_turns), _EQUAL),
    "less and less noise": (less_and_less, _LATER),
    "compared noise, rescaled": (dependent(shifted(0)), _FLAW),
    "compared noise, opposite": (dependent(shifted(0, opposite)), _OTHER),
    "compared noise, its size": (dependent(shifted(0, size_alone)), _OTHER),
    "compared noise, its sign": (dependent(shifted(0, sign_alone)), _OTHER),
    "noise of the next comparison": (dependent(shifted(1)), _NEXT),
    "noise of the next comparison, opposite": (dependent(shifted(1, opposite)), _NEXT),
    "noise of the next comparison, its size": (dependent(shifted(1, size_alone)), _NEXT),
    "noise of the next comparison, its sign": (dependent(shifted(1, sign_alone)), _NEXT),
    "noise of the next comparison but one": (dependent(shifted(2)), _PAIR),
    "noise of the last comparison": (dependent(shifted(-1)), _LATER),
    "noise of the last comparison, its size": (dependent(shifted(-1, size_alone)), _LATER),
    "noise of the last comparison, its sign": (dependent(shifted(-1, sign_alone)), _LATER),
    "noise of the last comparison but one": (dependent(shifted(-2)), _LATER),
    "noise of the threshold": (dependent(of_the_threshold(as_it_is)), _ONE),
    "noise of the threshold, its size": (dependent(of_the_threshold(size_alone)), _OTHER),
    "noise of the threshold, its sign": (dependent(of_the_threshold(sign_alone)), _OTHER),
}
