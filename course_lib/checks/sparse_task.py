"""How both sparse vector exercises are judged: the form of answers, their law, the likely slip."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from tqdm import tqdm

from course_lib.checks.exercise import (
    GAUSSIAN,
    NotYet,
    check_randomness,
    formula,
    is_gaussian,
    misfit,
    recorded_scales,
)
from course_lib.checks.sparse_law import transcripts
from course_lib.checks.stream import FALSE_ALARM, check_waits, on_equality
from course_lib.lab.noise import RecordedNoise
from course_lib.support.answers import ABOVE, BELOW

MOST_DRAWS = 12  # of a mechanism that draws its noise, where it is recorded
VIEWS = 3  # ways to look at the transcripts of a stream


@dataclass(frozen=True)
class Task:
    """An exercise: a mechanism with noise on the threshold and on each query, and a cutoff.

    Streams have a `cutoff`, a `setting` in words and a `reach` beyond all noise. Far streams,
    where noise plays no part, show whether each value gets its own answer; the law of the answers
    to equal values shows the noise.
    """

    streams: tuple
    others: tuple  # further settings, at which noise is recorded so that its formula can be read
    law: Callable
    scales: Callable  # of a stream: the right scales, threshold and query first
    written: tuple  # the same in words
    parameters: Callable  # of a stream: what a formula may contain
    marks: Callable  # of a stream and its answers: ABOVE or BELOW for each
    above: str  # what is answered in place of ABOVE
    slips: tuple  # (law, words, which noises it has) for each other law that a slip leads to
    known: tuple  # functions of a stream: by how much a usual slip has the two scales wrong
    hints: dict  # (noise, wrong scale over right scale): a sentence
    known_fresh: tuple = ()  # as `known`, one function each, for the noise of released numbers
    names: tuple = ("threshold", "query")
    level: float = FALSE_ALARM  # the part of it that the transcripts have

    @property
    def settings(self):
        return self.streams + self.others

    def right(self, which):
        """The right scales of one noise, one number for each setting."""
        return np.array([self.scales(stream)[which] for stream in self.settings])

    def far(self, stream, signs):
        """The stream with values far above (1) or below (-1) a threshold far above 0."""
        step = stream.reach
        values = tuple(step * (10 + sign) for sign in signs)
        return replace(stream, values=values, threshold=10 * step)


def check_form(task, mechanism):
    """Raise NotYet unless the answers are right where the noise plays no part."""
    rng, size = np.random.default_rng(0), 5
    for stream in task.streams:
        cutoff = stream.cutoff
        signs = [-1, -1, 1, -1] + [1] * (cutoff + 1) + [-1]
        want = [BELOW, BELOW, ABOVE, BELOW] + [ABOVE] * (cutoff - 1)
        far = [task.far(stream, each) for each in ([-1] * size, signs)]
        low, high = (task.marks(each, each.run(mechanism, rng)) for each in far)
        if low[:1] == high[:1] == [ABOVE]:
            raise NotYet(
                "the first value is far below the threshold, and you do not answer ⊥. "
                "Is your comparison the right way round, and do you compare the query’s value with "
                "the noisy threshold?"
            )
        if low != [BELOW] * size:
            end = "only the cutoff halts it" if len(low) < size else "nothing more is said"
            raise NotYet(
                f"{size} values were far below the threshold, and you answered "
                f"{_shown(task, low)}. Each gets ⊥; {end}."
            )
        if high != want:
            raise NotYet(
                f"{_where_it_differs(task, high, want)}\nWith cutoff = {cutoff}, values "
                f"{' '.join({-1: 'low', 1: 'high'}[sign] for sign in signs)} should be answered "
                f"{_shown(task, want)}; you answered {_shown(task, high)}."
            )


def _where_it_differs(task, got, want):
    above, cutoff = got.count(ABOVE), want.count(ABOVE)
    if got == [ABOVE] * cutoff:
        return "you leave out the ⊥. Every query up to the halt gets an answer."
    if got == want[: len(got)] and got[-1:] == [ABOVE]:
        return f"you halt too early, after {above} of {cutoff}; the cutoff says when to halt."
    if got == want[: len(got)]:
        return f"you halt after {len(got)} answers, at a ⊥."
    if got[: len(want)] == want:
        if above == cutoff + 1 and got[-1] is ABOVE:
            return f"you halt one {task.above} late."
        return f"you go on after the last {task.above}."
    return "your answers are not those that the values call for."


def _shown(task, marks):
    return f"[{', '.join(task.above if mark is ABOVE else str(mark) for mark in marks)}]"


def observe(task, mechanism):
    """For each stream how often each transcript came, and the answers; remarks on the code.

    Raises NotYet where the answers are wrong whatever the noise.
    """
    check_form(task, mechanism)
    first = task.streams[0]
    remarks = check_waits(mechanism, task.far(first, (-1,) * 5))
    remarks += on_equality(lambda value, rng: _alone(task, mechanism, value, rng), first.threshold)
    check_randomness(lambda rng: first.run(mechanism, rng))
    seen = [_count(task, mechanism, stream, seed) for seed, stream in enumerate(task.streams)]
    counts, answers = zip(*seen, strict=True)
    return counts, answers, remarks


def _alone(task, mechanism, value, rng):
    stream = replace(task.streams[0], values=(value,))
    return task.marks(stream, stream.run(mechanism, rng))


def _count(task, mechanism, stream, seed):
    index = {each: i for i, each in enumerate(transcripts(len(stream.values), stream.cutoff))}
    counts, all_answers = np.zeros(len(index), dtype=int), []
    rng = np.random.default_rng(seed)
    for _ in tqdm(range(stream.runs), delay=2, leave=False, desc="runs"):
        answers = stream.run(mechanism, rng)
        marks = tuple(task.marks(stream, answers))
        if marks not in index:
            raise NotYet(
                f"with {stream} you answered {_shown(task, marks)}. Every query gets an answer "
                "until the cutoff is reached, and none after it."
            )
        counts[index[marks]] += 1
        all_answers.append(answers)
    return counts, all_answers


def views(stream, above="⊤"):
    """The VIEWS: the outcome of each transcript, words for "at" and "at most" it, and for itself.

    Without the first words outcomes have no order.
    """
    answers = transcripts(len(stream.values), stream.cutoff)
    size, none = len(stream.values), f"no {above} comes"
    first = [each.index(ABOVE) if ABOVE in each else size for each in answers]
    place = [f"the first {above} comes {{}} query {i + 1}" for i in range(size)]
    yield np.array(first), ("at", "by"), [*place, none]
    times = ("once", "twice", *(f"{i} times" for i in range(3, stream.cutoff + 1)))
    number = [f"a {above} comes {{}}{each}" for each in times]
    yield np.array([each.count(ABOVE) for each in answers]), ("", "at most "), [none, *number]
    shown = (" ".join(above if x is ABOVE else str(x) for x in each) for each in answers)
    yield np.arange(len(answers)), (), [f"the answers are {each}" for each in shown]


def refuted(task, counts, law, threshold_scales, query_scales):
    """What refutes this law on the first stream that does, in words; None if nothing does."""
    level = task.level / (VIEWS * len(task.streams))
    for stream, seen, *scales in zip(
        task.streams, counts, threshold_scales, query_scales, strict=False
    ):
        exact = law(stream, *map(float, scales))
        for outcome, by, words in views(stream, task.above):
            tables = (np.bincount(outcome, weights=each) for each in (seen.astype(float), exact))
            found = misfit(*tables, level=level, ordered=bool(by))
            if found:
                which, at_most, measured, probability = found
                event = words[which].format(by[at_most] if by else "")
                return (
                    f"With {stream}, {event} in {measured:.1%} of {stream.runs:,} runs; it should "
                    f"be {probability:.1%}."
                )
    return None


def diagnosis(task, mechanism, counts):
    """The slip that accounts for the counts, first of those that the recorded noise suggests."""
    draws = [record(task, mechanism, stream) for stream in task.settings]
    if is_gaussian(draws, most=MOST_DRAWS):
        return GAUSSIAN
    right = np.array([task.right(0), task.right(1)])
    recorded = [pair for pair in _pairs(columns(draws)) if not np.allclose(pair, right)]
    tries = [(task.law, pair, "", (0, 1)) for pair in recorded]
    tries += [(law, right, words, noisy) for law, words, noisy in task.slips]
    tries += [(law, pair, words, noisy) for law, words, noisy in task.slips for pair in recorded]
    for law, pair, words, noisy in tries:
        if not refuted(task, counts, law, *pair):
            return " ".join(filter(None, [words, on_scales(task, pair, noisy, begun=bool(words))]))
    for factors in task.known:
        pair = right * np.array([factors(stream) for stream in task.settings], dtype=float).T
        if not refuted(task, counts, task.law, *pair):
            return f"your answers come out as with this slip: {on_scales(task, pair)}"
    return "your answers are not distributed as they should be."


def record(task, mechanism, stream):
    rng = RecordedNoise(0)
    task.far(stream, (-1, -1, 1, -1)).run(mechanism, rng)
    return rng.draws


def columns(draws):
    """The different scales recorded, each one number for each setting, in order of appearance."""
    found = []
    for column in recorded_scales(draws):
        if not any(np.allclose(column, other) for other in found):
            found.append(column)
    return found[:4]


def _pairs(scales):
    return [*itertools.permutations(scales, 2), *((scale, scale) for scale in scales)]


def on_scales(task, scales, which=(0, 1), *, begun=False):
    """What is wrong with these scales, one number for each setting."""
    given = [task.parameters(stream) for stream in task.settings]
    parameters = {name: np.array([each[name] for each in given]) for name in given[0]}
    words = []
    for noise in which:
        wrong, right = scales[noise], task.right(noise)
        if np.allclose(wrong, right):
            continue
        scale = formula(wrong, parameters) or f"{wrong[0]:.4g} with {task.settings[0].setting}"
        your, name = "Your" if words or begun else "your", task.names[noise]
        words.append(f"{your} {name} noise has scale {scale}; it should be {task.written[noise]}.")
        ratio = formula(wrong / right, parameters) or ""
        hint = task.hints.get((task.names[noise], ratio))
        if "ε²" in ratio.split("/")[0]:
            hint = "A smaller ε must mean more noise."
        if hint and hint not in words:
            words.append(hint)
    return " ".join(words)
