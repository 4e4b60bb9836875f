"""What the first ⊤ of exercise 1 says about the noise: its exact law, and the law of each slip."""

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from course_lib.checks.exercise import (
    GAUSSIAN,
    NotYet,
    formula,
    is_gaussian,
    misfit,
    recorded_scales,
)
from course_lib.checks.stream import FALSE_ALARM
from course_lib.checks.stream import Stream as AnyStream
from course_lib.exact.family import Variant
from course_lib.exact.transcripts import log_probability
from course_lib.lab.noise import RecordedNoise
from course_lib.support.answers import ABOVE, BELOW


@dataclass(frozen=True)
class Stream(AnyStream):
    """A stream of values and the parameters it is run with."""

    values: tuple
    threshold: float
    sensitivity: float
    epsilon: float
    runs: int = 1

    def __str__(self):
        values = ", ".join(f"{v:g}" for v in self.values)
        return (
            f"Δ = {self.sensitivity:g}, ε = {self.epsilon:g}, "
            f"threshold {self.threshold:g} and values ({values})"
        )


# Values 3, 0 and -6 times Δ/ε above the threshold. The first is for the width of the threshold's
# noise, hardest to see; a scale off by a quarter is seen with probability 0.99. Three settings tell
# every power of Δ and ε apart.
STREAMS = (
    Stream((112,) * 5, threshold=100, sensitivity=2, epsilon=0.5, runs=20_000),
    Stream((-10,) * 6, threshold=-10, sensitivity=3, epsilon=2, runs=4_000),
    Stream((1, 1, 1, 1, 1, 6, 1, 1), threshold=4, sensitivity=0.5, epsilon=1, runs=4_000),
)
_DELTA = np.array([stream.sensitivity for stream in STREAMS])
_EPSILON = np.array([stream.epsilon for stream in STREAMS])
_UNIT = _DELTA / _EPSILON

FAR = 1000  # at least 250 times Δ/ε: the noise does not reach so far
LOW = [Stream((5000 - FAR,) * 5, 5000, s.sensitivity, s.epsilon) for s in STREAMS]
HIGH = Stream((4000, 4000, 6000, 6000, 4000), threshold=5000, sensitivity=2, epsilon=0.5)


def count(mechanism, stream, seed):
    """How often the first ⊤ came at each query, and how often not at all."""
    size, rng = len(stream.values), np.random.default_rng(seed)
    counts = np.zeros(size + 1, dtype=int)
    for _ in tqdm(range(stream.runs), delay=2, leave=False, desc="runs"):
        answers = stream.run(mechanism, rng)
        first = answers.index(ABOVE) if ABOVE in answers else size
        if answers != [BELOW] * first + [ABOVE] * (first < size):
            raise NotYet(f"with {stream} you answered {answers}: ⊥ until the first ⊤, then halt.")
        counts[first] += 1
    return counts


@functools.cache
def _law(stream, threshold_scale, query_scale):
    """Pr[the first ⊤ is at query i], and of none, with these scales."""
    row = Variant("with these scales", threshold_scale, query_scale, True, None, 1)
    values = np.array(stream.values, dtype=float)
    ends = [
        math.exp(
            log_probability(row, values[: i + 1], [BELOW] * i + [ABOVE], threshold=stream.threshold)
        )
        for i in range(len(values))
    ]
    return np.array([*ends, 1 - sum(ends)])


def _law_redrawn(stream, threshold_scale, query_scale):
    """The same if the threshold is drawn anew for each query: the answers are independent."""
    each = [_law(_only(stream, value), threshold_scale, query_scale)[0] for value in stream.values]
    none_before = np.cumprod([1, *(1 - p for p in each)])
    return np.array([*(none_before[:-1] * each), none_before[-1]])


def _law_one_draw(stream, threshold_scale, query_scale):
    """The same if one draw serves for all queries: only a new maximum can be ⊤."""
    largest = np.maximum.accumulate(stream.values)
    by = [_law(_only(stream, value), threshold_scale, query_scale)[0] for value in largest]
    return np.diff([0, *by, 1])


def _only(stream, value):
    return Stream((value,), stream.threshold, stream.sensitivity, stream.epsilon)


def _first_misfit(counts, law, threshold_scales, query_scales):
    """The first stream whose counts refute the law with these scales, and what refutes it."""
    for seen, stream, *scales in zip(counts, STREAMS, threshold_scales, query_scales, strict=True):
        found = misfit(seen, law(stream, *scales), level=FALSE_ALARM / len(STREAMS))
        if found:
            return stream, found
    return None


def check_law(mechanism, counts):
    """Raise NotYet, with the likely slip, if the counts refute the law that they should follow."""
    refuted = _first_misfit(counts, _law, 2 * _UNIT, 4 * _UNIT)
    if not refuted:
        return
    stream, (query, by, measured, exact) = refuted
    event = f"the first ⊤ comes {'by' if by else 'at'} query {query + 1}"
    if query == len(stream.values):
        event = "no ⊤ comes"
    seen = f"{event} in {measured:.1%} of {stream.runs:,} runs; it should be {exact:.1%}."
    raise NotYet(f"{_diagnosis(mechanism, counts)}\nWith {stream}, {seen}")


def _diagnosis(mechanism, counts):
    """The slip that accounts for the counts, first of those that the recorded noise suggests."""
    draws = [_draws(mechanism, stream) for stream in LOW]
    if is_gaussian(draws, most=2 * len(LOW[0].values) + 1):
        return GAUSSIAN
    for law, *scales, words in _recorded_slips(draws):
        if not _first_misfit(counts, law, *scales):
            return words
    for law, *scales, words in _known_slips():
        if not _first_misfit(counts, law, *scales):
            return f"your answers come out as they would with this slip: {words}"
    return "your answers are not distributed as they should be."


def _draws(mechanism, stream):
    rng = RecordedNoise(0)
    stream.run(mechanism, rng)
    return rng.draws


def _recorded_slips(draws):
    """The slips that the number of draws for five ⊥ suggests, with the scales recorded."""
    scales = recorded_scales(draws)
    queries = len(LOW[0].values)
    if len(scales) == queries + 1:
        yield _law, scales[0], scales[1], _on_scales(scales[0], scales[1])
        yield _law, scales[-1], scales[0], _on_scales(scales[-1], scales[0])
    if len(scales) in (2 * queries, 2 * queries + 1):
        yield _law_redrawn, scales[0], scales[1], _REDRAWN
    if len(scales) == 2:
        yield _law_one_draw, scales[0], scales[1], _ONE_DRAW
    if len(scales) == queries:
        yield _law_redrawn, scales[0], _NONE, _NO_THRESHOLD_NOISE
    if len(scales) == 1:
        yield _law, scales[0], _NONE, _NO_QUERY_NOISE


def _known_slips():
    """The usual slips, for noise made in a way that the records do not show."""
    yield _law_redrawn, 2 * _UNIT, 4 * _UNIT, _REDRAWN
    yield _law_one_draw, 2 * _UNIT, 4 * _UNIT, _ONE_DRAW
    yield _law_redrawn, 4 * _UNIT, _NONE, _NO_THRESHOLD_NOISE
    yield _law, 2 * _UNIT, _NONE, _NO_QUERY_NOISE
    for threshold, query in itertools.product((1, 2, 4, 8), repeat=2):
        for unit in (_UNIT, 1 / _EPSILON):
            yield _law, threshold * unit, query * unit, _on_scales(threshold * unit, query * unit)


_GIVEN = f"Δ = {_DELTA[0]:g}, ε = {_EPSILON[0]:g}"
_NONE = np.zeros(len(STREAMS))
_REDRAWN = "you draw a new threshold for each query. Draw it once, before the first query."
_ONE_DRAW = (
    "you compare queries of equal value with the same noise. Draw new noise for each query; "
    "only the threshold's noise is drawn once."
)
_NO_THRESHOLD_NOISE = "there is no noise on the threshold. It gets Lap(2Δ/ε), once."
_NO_QUERY_NOISE = "there is no noise on the queries. Each gets Lap(4Δ/ε) of its own."


def _on_scales(threshold_scales, query_scales):
    """What is wrong with these scales, one number for each stream."""
    if np.allclose([threshold_scales, query_scales], [4 * _UNIT, 2 * _UNIT]):
        return (
            "threshold noise and query noise are exchanged. The threshold gets Lap(2Δ/ε), each "
            "query Lap(4Δ/ε)."
        )
    if np.allclose([threshold_scales, query_scales], [2 / _EPSILON, 4 / _EPSILON]):
        return (
            "your noise does not grow with Δ. The scales 2/ε and 4/ε are for Δ = 1: multiply "
            "both by Δ."
        )
    words, inverted = [], False
    for noise, factor, scales in (("threshold", 2, threshold_scales), ("query", 4, query_scales)):
        if not np.allclose(scales, factor * _UNIT):
            written = formula(scales, {"Δ": _DELTA, "ε": _EPSILON})
            inverted |= written is not None and "ε" in written.split("/")[0]
            scale = written or f"{scales[0]:.4g} with {_GIVEN}"
            your = "Your" if words else "your"
            words.append(f"{your} {noise} noise has scale {scale}; it should be {factor}Δ/ε.")
    if inverted:
        words.append("A smaller ε must mean more noise.")
    return " ".join(words)
