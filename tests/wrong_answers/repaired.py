"""Answers to the first exercise of notebook 04: right ones in unusual styles, and wrong ones."""

import numpy as np

from course_lib.variants import ABOVE, BELOW
from tests.wrong_answers.above_threshold import (
    difference_of_exponentials,
    from_four_normals,
    inverse_of_the_cdf,
    rescaled,
)
from tests.wrong_answers.sparse import plain


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


def up_to_the_first(answers, cutoff):
    above = [i for i, answer in enumerate(answers) if answer is not BELOW]
    return answers[: above[0] + 1] if above else answers


def reversed_comparison(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    one, two, three = (f(cutoff, shares, epsilon * n) for f in (first, second, third))
    noisy_threshold = threshold + rng.laplace(scale=one)
    for query in queries:
        above = query(data) + rng.laplace(scale=two) <= noisy_threshold
        yield query(data) + rng.laplace(scale=three) if above else BELOW
        cutoff -= above
        if not cutoff:
            return


def own_generator(data, queries, *, rng, **parameters):
    yield from repaired()(data, queries, rng=np.random.default_rng(), **parameters)


def reads_ahead(data, queries, **parameters):
    values = [query(data) for query in queries]
    yield from repaired()(None, [lambda data, value=value: value for value in values], **parameters)


def without_n(data, queries, *, threshold, cutoff, shares, epsilon, rng):
    yield from ()


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
WRONG_FORM = {
    "⊤ alone": (each_number(lambda number: ABOVE), "you say ⊤ and no more."),
    "⊤ and number": (
        each_number(lambda number: (ABOVE, number)),
        "every answer is BELOW or a float; you gave (⊤, ",
    ),
    "None for ⊥": (
        answering(lambda answers, c: [None if a is BELOW else a for a in answers]),
        "every answer is BELOW or a float; you gave None.",
    ),
    "true for a number": (
        each_number(lambda number: True),
        "every answer is BELOW or a float; you gave True.",
    ),
    "NaN": (
        each_number(lambda number: float("nan")),
        "you answer nan where the query’s value is 55,000, which no noise explains.",
    ),
    "clipped": (
        each_number(lambda number: min(max(number, 0.0), 1.0)),
        "its value with fresh noise. Values may lie outside [0, 1]: do not clip.",
    ),
    "the noise alone": (
        repaired(release=lambda value, compared, t, fresh: fresh),
        "which no noise explains. Each query, up to the halt, gets its own answer:",
    ),
    "the threshold": (
        repaired(release=lambda value, compared, noisy_threshold, fresh: noisy_threshold),
        "which no noise explains.",
    ),
    "halts at the first number": (answering(up_to_the_first), "you halt too early, after 1 of 2;"),
    "halts one late": (repaired(halt=1), "you halt one number late."),
    "never halts": (repaired(halt=10**6), "you go on after the last number."),
    "⊥ left out": (
        answering(lambda answers, c: [a for a in answers if a is not BELOW]),
        "you answer 55,000.2 where the query’s value is 45,000, which no noise explains.",
    ),
    "reversed": (reversed_comparison, "Is your comparison the right way round,"),
    "reads ahead": (reads_ahead, "you read the next query before the answer to this one"),
    "own generator": (own_generator, "use no generator of your own"),
    "n missing": (without_n, "unexpected keyword argument 'n'."),
    "nothing returned": (lambda *args, **parameters: None, "your function returned None."),
}
