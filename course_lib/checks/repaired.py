"""The first exercise of notebook 04: Lecture 11’s Sparse, repaired with any split of ε."""

import functools
import itertools
import numbers
import reprlib
from dataclasses import dataclass

from course_lib.checks import released_law
from course_lib.checks.exercise import NotYet, exercise
from course_lib.checks.sparse_law import (
    independent,
    kept,
    no_query_noise_kept,
    no_threshold_noise,
    one_draw_kept,
    restarted,
)
from course_lib.checks.sparse_task import Task, diagnosis, observe, refuted
from course_lib.checks.stream import FALSE_ALARM, praise
from course_lib.checks.stream import Stream as AnyStream
from course_lib.support.answers import ABOVE, BELOW


@dataclass(frozen=True)
class Stream(AnyStream):
    """A stream of values and the parameters it is run with."""

    values: tuple
    n: int
    threshold: float
    cutoff: int
    shares: tuple
    epsilon: float
    runs: int = 1

    @property
    def setting(self):
        return f"n = {self.n}, c = {self.cutoff}, shares = {self.shares}, ε = {self.epsilon:g}"

    @functools.cached_property
    def reach(self):
        """Beyond all noise, even if n is forgotten."""
        return 300 * self.n * max(_scales(self))


def _scales(stream):
    for_threshold, for_queries, for_numbers = (
        share * stream.epsilon * stream.n for share in stream.shares
    )
    return 1 / for_threshold, 2 * stream.cutoff / for_queries, stream.cutoff / for_numbers


def _marks(stream, answers):
    """ABOVE for a number; raises NotYet for what is neither BELOW nor a number near its value."""
    for value, answer in zip(stream.values, answers, strict=False):
        if answer is BELOW:
            continue
        if answer is ABOVE:
            raise NotYet(
                "you say ⊤ and no more. In its place comes the number: the query’s value with "
                "fresh noise, as a float."
            )
        if not isinstance(answer, numbers.Real) or isinstance(answer, bool):
            raise NotYet(f"every answer is BELOW or a float; you gave {reprlib.repr(answer)}.")
        if not abs(answer - value) < stream.reach / 2:
            clipped = " Values may lie outside [0, 1]: do not clip." if answer in (0, 1) else ""
            raise NotYet(
                f"you answer {answer:,.6g} where the query’s value is {value:,.6g}, which no noise "
                "explains. Each query, up to the halt, gets its own answer: ⊥, or its value with "
                f"fresh noise.{clipped}"
            )
    return [BELOW if answer is BELOW else ABOVE for answer in answers]


_SHARES = "shares are (for the threshold, for the comparisons, for the numbers)."
_SENSITIVITY = "One row of n moves a query by 1/n, so all noise is divided by n."
_THIRD = "This is for thirds; here shares says how ε is split."
_WHOLE = "This spends the whole ε here; each noise has its share of it."
_EACH = "c of them are paid for, each with a c-th of the share."
_TWO = "The 2 is for a query that moves one way while the threshold moves the other way."
_OWN = {"threshold": "s1", "query": "s2", "fresh": "s3"}
_HINTS = {
    ("threshold", "c"): "It is drawn once, and paid for once.",
    ("query", "0.5"): _TWO,
    ("query", "1/c"): _EACH,
    ("query", "0.5/c"): _EACH,
    ("fresh", "1/c"): _EACH,
    ("fresh", "2"): "The 2 belongs to the comparisons: a number does not meet the threshold.",
}
for _noise, _own in _OWN.items():
    _HINTS |= {(_noise, "n"): _SENSITIVITY, (_noise, f"3·{_own}"): _THIRD, (_noise, _own): _WHOLE}
    _HINTS |= {(_noise, f"{_own}/{other}"): _SHARES for other in _OWN.values()}


def _factors(place, *more):
    """What a usual slip multiplies the right scale of a noise by."""
    return (
        lambda s: 1,
        lambda s: s.n,
        lambda s: s.shares[place],
        lambda s: 3 * s.shares[place],
        *(lambda s, i=i: s.shares[place] / s.shares[i] for i in range(3) if i != place),
        *more,
    )


_ONE_DRAW = "you compare queries of equal value with the same noise. Draw new noise for each query."
TASK = Task(
    streams=(
        Stream((0.9,) * 5, 40, 0.3, cutoff=2, shares=(0.06, 0.7, 0.24), epsilon=1, runs=6_000),
        Stream((0.2,) * 6, 25, 0.8, cutoff=3, shares=(0.4, 0.15, 0.45), epsilon=2, runs=5_000),
        Stream((0.6,) * 5, 60, 0.4, cutoff=2, shares=(0.3, 0.5, 0.2), epsilon=0.8, runs=5_000),
    ),
    others=(
        Stream((0,), 7, 0, cutoff=5, shares=(0.25, 0.35, 0.4), epsilon=1.3),
        Stream((0,), 11, 0, cutoff=3, shares=(0.1, 0.2, 0.7), epsilon=0.9),
        Stream((0,), 13, 0, cutoff=7, shares=(0.45, 0.12, 0.43), epsilon=1.7),
        Stream((0,), 30, 0, cutoff=2, shares=(0.33, 0.48, 0.19), epsilon=0.6),
    ),
    law=kept,
    scales=_scales,
    written=("1/(s1·ε·n)", "2c/(s2·ε·n)", "c/(s3·ε·n)"),
    parameters=lambda stream: {
        "c": stream.cutoff,
        **dict(zip(_OWN.values(), stream.shares, strict=True)),
        "ε": stream.epsilon,
        "n": stream.n,
    },
    marks=_marks,
    above="number",
    slips=(
        (
            restarted,
            "you draw a new threshold after each number. Here one draw serves all: c draws would "
            "cost c times the threshold’s share.",
            (0, 1),
        ),
        (
            independent,
            "you draw a new threshold for each query. Draw it once, before the first.",
            (0, 1),
        ),
        (one_draw_kept, _ONE_DRAW, (0, 1)),
        (no_threshold_noise, "there is no noise on the threshold.", (1,)),
        (no_query_noise_kept, "there is no noise on the comparisons.", (0,)),
    ),
    known=tuple(
        lambda stream, one=one, two=two: (one(stream), two(stream))
        for one, two in itertools.product(
            _factors(0, lambda s: s.cutoff),
            _factors(1, lambda s: 1 / 2, lambda s: 1 / s.cutoff, lambda s: 1 / (2 * s.cutoff)),
        )
    ),
    known_fresh=_factors(2, lambda s: 2, lambda s: 1 / s.cutoff, lambda s: 1 / 2)[1:],
    hints=_HINTS,
    names=tuple(_OWN),
    level=FALSE_ALARM / 2,
)
_RELEASE = {
    "none": "you release the value itself. A number needs noise of its own, Lap(c/(s3·ε·n)).",
    "compared": "you release the noise you compared with: Lecture 11’s flaw. Such a number says "
    "that the noisy threshold lies below it. Draw fresh noise, Lap(c/(s3·ε·n)), for the number.",
    "one": "the numbers of a run share one noise. Draw fresh noise for each.",
    "equal": "two numbers of a run sometimes have exactly the same error, which gives away the "
    "difference of their values. Draw fresh noise for each, all of it.",
    "pair": "the errors of two numbers of a run do not differ as independent ones do. Draw fresh "
    "noise for each, all of it, and use it for nothing else.",
    "next": "a number’s error has to do with the answer after it, as if its noise served the next "
    "comparison too. Then the number says how that comparison went. Use each draw once.",
    "later": "your numbers are right for the first query, but later their errors have to do with "
    "what was answered before. Each needs noise Lap(c/(s3·ε·n)), drawn after the comparison and "
    "used once.",
    "other": "your numbers are not distributed as they should be: the value with noise "
    "Lap(c/(s3·ε·n)), drawn afresh for each.",
}


@exercise
def check_repaired(mechanism):
    """Judge `mechanism(data, queries, *, n, threshold, cutoff, shares, epsilon, rng)`."""
    counts, answers, remarks = observe(TASK, mechanism)
    collected = [released_law.collect(*each) for each in zip(TASK.streams, answers, strict=True)]
    faults, seen = [], refuted(TASK, counts, kept, TASK.right(0), TASK.right(1))
    if seen:
        faults += [diagnosis(TASK, mechanism, counts), seen]
    found = released_law.refuted(TASK, collected, FALSE_ALARM - TASK.level)
    if found:
        kind, seen = found
        words = released_law.diagnosis(TASK, mechanism, collected, kind, _RELEASE)
        faults += [f"And {words}" if faults and words not in faults else words, seen]
    if faults:
        raise NotYet("\n".join(dict.fromkeys(faults)))
    result = "⊥ and your numbers come as often as they should"
    return praise(TASK.streams, "n, c, shares and ε", result, remarks)
