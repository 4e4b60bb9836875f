"""A stream to judge a mechanism by, and what its answers to one show whatever their law."""

import functools
import itertools
import reprlib
from collections.abc import Sized
from dataclasses import fields
from operator import itemgetter

import numpy as np

from course_lib.checks.exercise import NotYet, run
from course_lib.lab.noise import GivenNoise
from course_lib.support.answers import ABOVE, BELOW

FALSE_ALARM = 1e-6  # the probability that a right answer is refused, all streams together


class Stream:
    """Base of dataclasses: values, how often to run, and in further fields what else is given.

    A subclass has a `setting`, which says in words what is given besides the threshold.
    """

    def __str__(self):
        value, size = self.values[0], len(self.values)
        return f"{self.setting}, threshold {self.threshold:g} and {size} times the value {value:g}"

    @functools.cached_property
    def given(self):
        names = (field.name for field in fields(self))
        return {name: getattr(self, name) for name in names if name not in ("values", "runs")}

    def run(self, mechanism, rng):
        """The answers of a mechanism; the data are the values, query i looks up the i-th."""
        size = len(self.values)
        queries = [itemgetter(i) for i in range(size)]
        return run(mechanism, self.values, queries, longest=size, rng=rng, **self.given)


def praise(streams, given, result, remarks):
    """What is said of a right answer: with what different parameters it was run, and what came."""
    runs = sum(stream.runs for stream in streams)
    words = (
        f"in {runs:,} runs on {len(streams)} streams, with different {given}, your {result}. "
        f"(At most one right answer in {1 / FALSE_ALARM:,.0f} is refused.)"
    )
    return "\n".join([words, *remarks])


def check_marks(answers):
    """Raise NotYet unless every answer is ABOVE or BELOW."""
    for answer in answers:
        if answer is not ABOVE and answer is not BELOW:
            raise NotYet(f"every answer is ABOVE or BELOW; you gave {reprlib.repr(answer)}.")


def check_waits(mechanism, stream):
    """Raise NotYet if a query is asked for before the answer to the one before was taken.

    A list, or a function that needs one, is accepted with a remark.
    """
    asked = []
    queries = (asked.append(i) or itemgetter(i) for i in range(len(stream.values)))
    try:
        answers = mechanism(stream.values, queries, rng=np.random.default_rng(0), **stream.given)
        if not isinstance(answers, Sized):
            for taken, _ in enumerate(answers, start=1):
                if len(asked) > taken:
                    raise NotYet(
                        "you read the next query before the answer to this one was taken. The "
                        "analyst may choose it after seeing the answer: yield inside the loop over "
                        "queries."
                    )
            return []
    except NotYet:
        raise
    except Exception:  # it has run on a list, so what it cannot take is a stream
        pass
    return [
        "A remark: your function needs the whole stream before it answers. With yield, an analyst "
        "could choose each query after seeing the answer to the one before."
    ]


def on_equality(attempt, threshold):
    """A remark if the value T is answered ⊥ without noise; in law that makes no difference.

    `attempt(value, rng)` gives the answers to a stream of one value.
    """
    rng = GivenNoise(itertools.repeat(0.0))
    answers = [attempt(threshold + step, rng) for step in (-1e-6, 0, 1e-6)]
    if any(draw.law != "laplace" for draw in rng.draws) or answers != [[BELOW], [BELOW], [ABOVE]]:
        return []
    return [
        "A remark: you compare with >, the slide with >=. Noise with a density makes the two sides "
        "equal with probability 0, so nothing depends on it here."
    ]
