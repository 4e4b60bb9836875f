"""Answers to the first exercise of notebook 04 with wrong noise, and what their messages say."""

from course_lib.support.answers import BELOW
from tests.wrong_answers.noise import (
    from_four_normals,
    plain,
    rescaled,
)


def first(c, shares, unit):
    return 1 / (shares[0] * unit)


def second(c, shares, unit):
    return 2 * c / (shares[1] * unit)


def third(c, shares, unit):
    return c / (shares[2] * unit)


def repaired(
    threshold_scale=first,
    query_scale=second,
    fresh_scale=third,
    *,
    noise=plain,
    fresh_noise=None,
    redrawn="never",
    release=lambda value, compared, noisy_threshold, fresh: value + fresh,
    halt=0,
):
    """The repaired Lecture 11 with scales from functions of c, shares and ε·n.

    What is released may depend on the compared value and the threshold, too; it halts `halt`
    numbers late.
    """

    def my_repaired(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
        each = (threshold_scale, query_scale, fresh_scale)
        one, two, three = (scale(cutoff, shares, epsilon * n) for scale in each)
        noisy_threshold = threshold + noise(one, rng)
        count = 0
        for query in queries:
            if redrawn == "always":
                noisy_threshold = threshold + noise(one, rng)
            compared = query(data) + noise(two, rng)
            if compared < noisy_threshold:
                yield BELOW
                continue
            yield release(
                query(data), compared, noisy_threshold, (fresh_noise or noise)(three, rng)
            )
            count += 1
            if count == cutoff + halt:
                return
            if redrawn == "after a number":
                noisy_threshold = threshold + noise(one, rng)

    return my_repaired


def one_draw(*, of):
    """One noise for all comparisons, or for all numbers."""

    def my_repaired(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
        one, two, three = (f(cutoff, shares, epsilon * n) for f in (first, second, third))
        noisy_threshold = threshold + rng.laplace(scale=one)
        compared, fresh = rng.laplace(scale=two), rng.laplace(scale=three)
        for query in queries:
            if of == "numbers":
                compared = rng.laplace(scale=two)
            else:
                fresh = rng.laplace(scale=three)
            above = query(data) + compared >= noisy_threshold
            yield query(data) + fresh if above else BELOW
            cutoff -= above
            if not cutoff:
                return

    return my_repaired


def answering(change):
    """A version whose answers are changed one by one, or all together by a function of the list."""

    def my_repaired(data, queries, *, cutoff, **parameters):
        return change(list(repaired()(data, queries, cutoff=cutoff, **parameters)), cutoff)

    return my_repaired


def each_number(change):
    return answering(lambda answers, c: [BELOW if a is BELOW else change(a) for a in answers])


def share(place, factor):
    """A scale with this share."""
    return lambda c, shares, unit: factor(c) / (shares[place] * unit)


_FLAW = "you release the noise you compared with: Lecture 11’s flaw."
_SHARES = "shares are (for the threshold, for the comparisons, for the numbers)."
# name: (the version, what its message says)
WRONG_NOISE = {
    "as Lecture 11": (repaired(release=lambda value, compared, t, fresh: compared), _FLAW),
    "as Lecture 11, rescaled": (
        repaired(release=lambda value, compared, t, fresh: compared, noise=rescaled),
        _FLAW,
    ),
    "as Lecture 11, 2 forgotten": (
        repaired(
            query_scale=share(1, lambda c: c), release=lambda value, compared, t, fresh: compared
        ),
        _FLAW,
    ),
    "value released": (
        repaired(release=lambda value, compared, t, fresh: value),
        "you release the value itself.",
    ),
    "value released, rescaled": (
        repaired(release=lambda value, compared, t, fresh: value, noise=rescaled),
        "you release the value itself.",
    ),
    "both noises": (
        repaired(release=lambda value, compared, t, fresh: compared + fresh),
        "your numbers are not distributed as they should be:",
    ),
    "positive numbers": (
        repaired(release=lambda value, compared, t, fresh: value + abs(fresh)),
        "your numbers are not distributed as they should be:",
    ),
    "never below the threshold": (
        repaired(release=lambda value, compared, t, fresh: max(value + fresh, t)),
        "your numbers are not distributed as they should be:",
    ),
    "redrawn after a number": (
        repaired(redrawn="after a number"),
        "you draw a new threshold after each number.",
    ),
    "redrawn, rescaled": (
        repaired(redrawn="after a number", noise=rescaled),
        "you draw a new threshold after each number.",
    ),
    "redrawn for each query": (
        repaired(redrawn="always"),
        "you draw a new threshold for each query.",
    ),
    "2 forgotten": (
        repaired(query_scale=share(1, lambda c: c)),
        "your query noise has scale c/(s2·ε·n); it should be 2c/(s2·ε·n). The 2 is for",
    ),
    "c forgotten for the queries": (
        repaired(query_scale=share(1, lambda c: 2)),
        "your query noise has scale 2/(s2·ε·n); it should be 2c/(s2·ε·n). c of them are paid for",
    ),
    "c forgotten for the numbers": (
        repaired(fresh_scale=share(2, lambda c: 1)),
        "your fresh noise has scale 1/(s3·ε·n); it should be c/(s3·ε·n). c of them are paid for",
    ),
    "c forgotten for the numbers, rescaled": (
        repaired(fresh_scale=share(2, lambda c: 1), noise=rescaled),
        "your numbers come out as with this slip: your fresh noise has scale 1/(s3·ε·n);",
    ),
    "c for the threshold": (
        repaired(threshold_scale=share(0, lambda c: c)),
        "your threshold noise has scale c/(s1·ε·n); it should be 1/(s1·ε·n). It is drawn once,",
    ),
    "2 for the numbers": (
        repaired(fresh_scale=share(2, lambda c: 2 * c)),
        "your fresh noise has scale 2c/(s3·ε·n); it should be c/(s3·ε·n). The 2 belongs to",
    ),
    "n forgotten": (
        lambda data, queries, *, n, **parameters: repaired()(data, queries, n=1, **parameters),
        "your threshold noise has scale 1/(s1·ε); it should be 1/(s1·ε·n). One row of n moves",
    ),
    "thirds": (
        lambda data, queries, *, shares, **parameters: repaired()(
            data, queries, shares=(1 / 3,) * 3, **parameters
        ),
        "your threshold noise has scale 3/(ε·n); it should be 1/(s1·ε·n). This is for thirds;",
    ),
    "the whole ε for each": (
        lambda data, queries, *, shares, **parameters: repaired()(
            data, queries, shares=(1, 1, 1), **parameters
        ),
        "This spends the whole ε here;",
    ),
    "shares of queries and numbers exchanged": (
        lambda data, queries, *, shares, **parameters: repaired()(
            data, queries, shares=(shares[0], shares[2], shares[1]), **parameters
        ),
        f"your query noise has scale 2c/(s3·ε·n); it should be 2c/(s2·ε·n). {_SHARES}",
    ),
    "shares turned, rescaled": (
        lambda data, queries, *, shares, **parameters: repaired(noise=rescaled)(
            data, queries, shares=(shares[1], shares[2], shares[0]), **parameters
        ),
        "your answers come out as with this slip: your threshold noise has scale 1/(s2·ε·n);",
    ),
    "a quarter more": (
        repaired(fresh_scale=share(2, lambda c: 1.25 * c)),
        "your fresh noise has scale 1.25c/(s3·ε·n);",
    ),
    "one draw for all comparisons": (
        one_draw(of="comparisons"),
        "you compare queries of equal value with the same noise.",
    ),
    "one draw for all numbers": (
        one_draw(of="numbers"),
        "the numbers of a run share one noise.",
    ),
    "no threshold noise": (
        repaired(threshold_scale=lambda *_: 0),
        "there is no noise on the threshold.",
    ),
    "no query noise": (
        repaired(query_scale=lambda *_: 0),
        "there is no noise on the comparisons.",
    ),
    "Gaussian": (
        repaired(noise=lambda scale, rng: rng.normal(scale=scale)),
        "your noise is Gaussian",
    ),
    "Gaussian numbers": (
        repaired(fresh_noise=lambda scale, rng: rng.normal(scale=scale)),
        "your noise is Gaussian",
    ),
    "narrow numbers, from four normals": (
        repaired(fresh_scale=share(2, lambda c: 0.7 * c), noise=from_four_normals),
        "your numbers are not distributed as they should be:",
    ),
    "rounded": (
        each_number(lambda number: round(number, 1)),
        "your numbers are not distributed as they should be:",
    ),
}
