"""Answers to the first exercise of notebook 02 with wrong noise, and what their messages say."""

from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.noise import (
    difference_of_exponentials,
    plain,
    rescaled,
)


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


def one_draw(when):
    """One noise for all queries, drawn at the start, or again with each threshold."""

    def my_sparse(data, queries, *, threshold, cutoff, share, epsilon, rng):
        scales = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
        noisy_threshold, noise = (
            threshold + rng.laplace(scale=scales[0]),
            rng.laplace(scale=scales[1]),
        )
        for query in queries:
            above = query(data) + noise >= noisy_threshold
            yield ABOVE if above else BELOW
            cutoff -= above
            if not cutoff:
                return
            if above and when != "at the start, with one threshold":
                noisy_threshold = threshold + rng.laplace(scale=scales[0])
            if above and when == "for each run":
                noise = rng.laplace(scale=scales[1])

    return my_sparse


def remembers(data, queries, *, threshold, cutoff, share, epsilon, rng):
    """A noisy value, once drawn, serves every query of that value."""
    scale, noisy = 2 * cutoff / ((1 - share) * epsilon), {}

    def remembered(query):
        value = query(data)
        return lambda data: noisy.setdefault(value, value + rng.laplace(scale=scale))

    parameters = {"threshold": threshold, "cutoff": cutoff, "share": share, "epsilon": epsilon}
    without_noise = split(query_scale=lambda *_: 0)
    yield from without_noise(data, map(remembered, queries), rng=rng, **parameters)


def forgets_the_cutoff_of_later_runs(data, queries, *, threshold, cutoff, share, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=cutoff / (share * epsilon))
    for query in queries:
        noise = rng.laplace(scale=2 * cutoff / ((1 - share) * epsilon))
        above = query(data) + noise >= noisy_threshold
        yield ABOVE if above else BELOW
        if above:
            cutoff -= 1
            noisy_threshold = threshold + rng.laplace(scale=cutoff / (share * epsilon))
        if not cutoff:
            return


_THRESHOLD, _QUERY = "your threshold noise has scale", "our query noise has scale"
_RIGHT_QUERY = "it should be 2c/((1 − share)·ε)."
_SAME = "you compare queries of equal value with the same noise."
_AS_SLIP = "your answers come out as with this slip:"
# name: (the version, what its message says)
WRONG_NOISE = {
    "2 forgotten": (
        split(None, lambda c, s, e: c / ((1 - s) * e)),
        f"{_QUERY} c/((1 − share)·ε); {_RIGHT_QUERY} The 2 is for",
    ),
    "c forgotten for the queries": (
        split(None, lambda c, s, e: 2 / ((1 - s) * e)),
        f"{_QUERY} 2/((1 − share)·ε); {_RIGHT_QUERY} Each of the c runs has only ε/c.",
    ),
    "c forgotten for the threshold": (
        split(lambda c, s, e: 1 / (s * e)),
        f"{_THRESHOLD} 1/(share·ε); it should be c/(share·ε). Each of the c runs",
    ),
    "c forgotten": (
        split(lambda c, s, e: 1 / (s * e), lambda c, s, e: 2 / ((1 - s) * e)),
        f"Each of the c runs has only ε/c. Y{_QUERY} 2/((1 − share)·ε);",
    ),
    "share exchanged": (
        split(lambda c, s, e: c / ((1 - s) * e), lambda c, s, e: 2 * c / (s * e)),
        "share and 1 − share are exchanged:",
    ),
    "share ignored": (
        split(lambda c, s, e: 2 * c / e, lambda c, s, e: 4 * c / e),
        "This is the slides’ half for each;",
    ),
    "the whole ε to both": (
        split(lambda c, s, e: c / e, lambda c, s, e: 2 * c / e),
        f"{_THRESHOLD} c/ε; it should be c/(share·ε). share·ε is for the threshold",
    ),
    "noises exchanged": (
        split(lambda c, s, e: 2 * c / ((1 - s) * e), lambda c, s, e: c / (s * e)),
        "This is the noise for the queries.",
    ),
    "threshold twice": (split(lambda c, s, e: 2 * c / (s * e)), "The 2 belongs to the queries."),
    "inverted": (
        split(lambda c, s, e: s * e / c, lambda c, s, e: (1 - s) * e / (2 * c)),
        "A smaller ε must mean more noise.",
    ),
    "a quarter more": (
        split(None, lambda c, s, e: 2.5 * c / ((1 - s) * e)),
        f"{_QUERY} 2.5c/((1 − share)·ε);",
    ),
    "a fifth less": (split(lambda c, s, e: 0.8 * c / (s * e)), f"{_THRESHOLD} 0.8c/(share·ε);"),
    "no formula": (
        split(lambda c, s, e: c / (s * e) + 1),
        f"{_THRESHOLD} 6 with c = 2, share = 0.2, ε = 2;",
    ),
    "2 forgotten, rescaled": (
        split(None, lambda c, s, e: c / ((1 - s) * e), noise=rescaled),
        f"{_AS_SLIP} y{_QUERY} c/((1 − share)·ε);",
    ),
    "share exchanged, exponentials": (
        split(
            lambda c, s, e: c / ((1 - s) * e),
            lambda c, s, e: 2 * c / (s * e),
            noise=difference_of_exponentials,
        ),
        f"{_THRESHOLD} c/((1 − share)·ε);",
    ),
    "kept": (split(redrawn="never"), "you keep the noisy threshold after a ⊤."),
    "kept, rescaled": (
        split(redrawn="never", noise=rescaled),
        "you keep the noisy threshold after a ⊤.",
    ),
    "kept, and c forgotten": (
        split(lambda c, s, e: 1 / (s * e), redrawn="never"),
        "Draw a new one before you go on. Your threshold noise has scale 1/(share·ε);",
    ),
    "redrawn for each query": (split(redrawn="always"), "you draw a new threshold for each query."),
    "one draw": (one_draw("at the start"), _SAME),
    "one draw a run": (one_draw("for each run"), _SAME),
    "one draw of each": (one_draw("at the start, with one threshold"), _SAME),
    "noisy values remembered": (remembers, _SAME),
    "noise rounded": (
        split(noise=lambda scale, rng: round(rng.laplace(scale=scale))),
        "your answers are not distributed as they should be.",
    ),
    "no threshold noise": (split(lambda c, s, e: 0), "there is no noise on the threshold."),
    "no query noise": (split(None, lambda c, s, e: 0), "there is no noise on the queries."),
    "Gaussian": (split(noise=lambda scale, rng: rng.normal(scale=scale)), "your noise is Gaussian"),
    "only positive noise": (
        split(noise=lambda scale, rng: abs(rng.laplace(scale=scale))),
        "your answers are not distributed as they should be.",
    ),
    "thresholds with less and less noise": (
        forgets_the_cutoff_of_later_runs,
        "your answers are not distributed as they should be.",
    ),
}
