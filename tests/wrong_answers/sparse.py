"""Answers to the mechanism exercises of notebooks 02 and 04: unusual right ones, and wrong ones."""

import numpy as np

from course_lib.variants import ABOVE, BELOW
from tests.wrong_answers.above_threshold import (
    difference_of_exponentials,
    from_four_normals,
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


def runs_of_above_threshold(data, queries, *, threshold, cutoff, share, epsilon, rng):
    queries = iter(queries)
    for _ in range(cutoff):
        yield from one_run(data, queries, threshold, share, epsilon / cutoff, rng)


def one_run(data, queries, threshold, share, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=1 / (share * epsilon))
    for query in queries:
        if query(data) + rng.laplace(scale=2 / ((1 - share) * epsilon)) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def list_of_answers(*args, **parameters):
    return list(split()(*args, **parameters))


def noise_in_advance(data, queries, *, threshold, cutoff, share, epsilon, rng):
    thresholds = list(rng.laplace(threshold, cutoff / (share * epsilon), cutoff))
    noises = rng.laplace(0, 2 * cutoff / ((1 - share) * epsilon), len(queries))
    for query, noise in zip(queries, noises, strict=True):
        above = bool(query(data) + noise >= thresholds[0])
        yield ABOVE if above else BELOW
        if above and not thresholds[1:]:
            return
        thresholds = thresholds[above:]


class Machine:
    """An iterator of its own kind, which draws the answer and not the noise."""

    def __init__(self, data, queries, *, threshold, cutoff, share, epsilon, rng):
        self.data, self.queries, self.rng, self.left = data, iter(queries), rng, cutoff
        self.scales = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
        self.threshold = threshold
        self.restart()

    def restart(self):
        self.noisy = self.threshold + self.rng.laplace(scale=self.scales[0])

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        value = next(self.queries)(self.data)
        if self.rng.random() >= upper_tail((self.noisy - value) / self.scales[1]):
            return BELOW
        self.left -= 1
        self.restart()
        return ABOVE


def strict(data, queries, *, threshold, cutoff, share, epsilon, rng):
    scales = cutoff / (share * epsilon), 2 * cutoff / ((1 - share) * epsilon)
    noisy_threshold = rng.laplace(threshold, scales[0])
    for query in queries:
        above = rng.laplace(query(data), scales[1]) > noisy_threshold
        yield ABOVE if above else BELOW
        if above:
            cutoff, noisy_threshold = cutoff - 1, rng.laplace(threshold, scales[0])
        if not cutoff:
            break


def talkative(*args, **parameters):
    for answer in split()(*args, **parameters):
        print("the answer is", answer)
        yield answer


def keeps_spare_noise(data, queries, *, threshold, cutoff, share, epsilon, rng):
    spare = rng.laplace(size=1000)
    draw = iter(spare)
    yield from split(noise=lambda scale, rng: scale * next(draw))(
        data, queries, threshold=threshold, cutoff=cutoff, share=share, epsilon=epsilon, rng=rng
    )


RIGHT = {
    "noise rescaled": split(noise=rescaled),
    "difference of exponentials": split(noise=difference_of_exponentials),
    "inverse of the cdf": split(noise=inverse_of_the_cdf),
    "from four normals": split(noise=from_four_normals),
    "runs of AboveThreshold": runs_of_above_threshold,
    "spare noise": keeps_spare_noise,
    "by probabilities": Machine,
    "talkative": talkative,
    "noise in advance": noise_in_advance,
    "list of answers": list_of_answers,
    "strict": strict,
}
REMARKS = {
    "noise in advance": "your function needs the whole stream",
    "list of answers": "your function needs the whole stream",
    "strict": "you compare with >, the slide with >=.",
}


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


def answering(change):
    """A version whose answers are changed by a function of their list."""

    def my_sparse(data, queries, *, cutoff, **parameters):
        return change(list(split()(data, queries, cutoff=cutoff, **parameters)), cutoff)

    return my_sparse


def reversed_comparison(data, queries, *, threshold, cutoff, share, epsilon, rng):
    opposite = [lambda data, query=query: -query(data) for query in queries]
    parameters = {"cutoff": cutoff, "share": share, "epsilon": epsilon, "rng": rng}
    yield from split()(data, opposite, threshold=-threshold, **parameters)


def without_the_threshold(data, queries, *, threshold, cutoff, share, epsilon, rng):
    parameters = {"cutoff": cutoff, "share": share, "epsilon": epsilon, "rng": rng}
    yield from split()(data, queries, threshold=0, **parameters)


def goes_on_with_below(data, queries, *, cutoff, **parameters):
    answers = list(split()(data, queries, cutoff=cutoff, **parameters))
    yield from answers
    yield from [BELOW] * (len(queries) - len(answers))


def counts_queries(data, queries, *, cutoff, **parameters):
    yield from split()(data, queries[:cutoff], cutoff=cutoff, **parameters)


def reads_ahead(data, queries, **parameters):
    values = [query(data) for query in queries]
    yield from split()(None, [lambda data, value=value: value for value in values], **parameters)


def own_generator(data, queries, *, rng, **parameters):
    yield from split()(data, queries, rng=np.random.default_rng(), **parameters)


def own_seed(data, queries, *, rng, **parameters):
    yield from split()(data, queries, rng=np.random.default_rng(1), **parameters)


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


def without_share(data, queries, *, threshold, cutoff, epsilon, rng):
    yield from ()


def a_slip_of_the_pen(data, queries, *, threshold, cutoff, share, epsilon, rng):
    yield ABOVE if queries[0](data) > tresh else BELOW  # noqa: F821


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
WRONG_FORM = {
    "halts at the first ⊤": (
        answering(
            lambda answers, c: answers[: answers.index(ABOVE) + 1] if ABOVE in answers else answers
        ),
        "you halt too early, after 1 of 2; the cutoff says when",
    ),
    "never halts": (split(halt=10**6), "you go on after the last ⊤."),
    "halts one late": (split(halt=1), "you halt one ⊤ late."),
    "goes on with ⊥": (goes_on_with_below, "you go on after the last ⊤."),
    "counts queries": (
        counts_queries,
        "you answered [⊥, ⊥]. Each gets ⊥; only the cutoff halts it.",
    ),
    "only ⊤": (
        answering(lambda answers, c: [ABOVE] * answers.count(ABOVE)),
        "you answered []. Each gets ⊥;",
    ),
    "one answer more": (
        answering(lambda answers, c: answers + [BELOW] * (answers.count(ABOVE) < c)),
        "Each gets ⊥; nothing more is said.",
    ),
    "last first": (
        answering(lambda answers, c: answers[::-1]),
        "your answers are not those that the values call for.",
    ),
    "reversed": (reversed_comparison, "Is your comparison the right way round,"),
    "threshold forgotten": (without_the_threshold, "do you compare the query’s value with"),
    "booleans": (
        answering(lambda answers, c: [answer is ABOVE for answer in answers]),
        "every answer is ABOVE or BELOW; you gave False.",
    ),
    "one number": (answering(lambda answers, c: len(answers)), "your function returned 5."),
    "reads ahead": (reads_ahead, "you read the next query before the answer to this one"),
    "own generator": (own_generator, "use no generator of your own"),
    "own seed": (own_seed, "you draw nothing from rng:"),
    "NumPy’s global generator": (
        split(noise=lambda scale, rng: np.random.laplace(scale=scale)),  # noqa: NPY002
        "a generator shared by the whole session",
    ),
    "a slip of the pen": (
        a_slip_of_the_pen,
        "stopped with NameError: name 'tresh' is not defined.",
    ),
    "share missing": (without_share, "unexpected keyword argument 'share'."),
}
