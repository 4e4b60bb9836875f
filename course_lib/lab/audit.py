"""Is it as private as it claims? Exactly, for a row of the family; by sampling, for any code.

An audit can convict but never acquit: what it finds is a lower bound on the privacy loss, and that
a mechanism keeps its claim takes a proof (for the family that behind `family.privacy_loss`).
"""

import math
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from tqdm import tqdm

from course_lib.exact.family import Variant
from course_lib.exact.transcripts import log_probability
from course_lib.lab.confidence import log_ratio_interval
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import TWO_OR_MORE, checked_numbers


@dataclass(frozen=True)
class Worst:
    """Two neighbouring streams, as runs, and a transcript: the largest loss among those tried."""

    loss: float
    values: list
    neighbour: list
    counts: list
    transcript: list


@checked_numbers
def exact_audit(variant: Variant, *, num_queries, monotone=False):
    """The largest privacy loss of a row over the known worst streams, around the threshold 0.

    `num_queries` times ⊥, then as many ⊤ as the row allows (or as many as the ⊥ if it never halts);
    the values of the ⊥, and those of the ⊤, move from 0 to 1, from 1 to 0 or not at all, and if
    `monotone` not against each other. A row that redraws its threshold does this for each ⊤. As
    `num_queries` grows, the loss found tends to `family.privacy_loss` (notebook 04 proves it).
    """
    segments = variant.cutoff if variant.redrawn else 1
    one = replace(variant, cutoff=1) if variant.redrawn else variant
    above = one.cutoff or num_queries
    counts = [num_queries, *[1] * above]
    ends = 0.0, 1.0
    streams = [[[low, *[high] * above] for high in ends] for low in ends]
    answers = (0.0, 1.0) if variant.released else (ABOVE,)  # numbers beyond tell no more
    transcripts = [[BELOW, *[answer] * above] for answer in answers]
    # an axis for the transcript, one for the ⊥ and one for the ⊤
    logs = np.array(
        [log_probability(one, streams, t, threshold=0.0, counts=counts) for t in transcripts]
    )
    # and now one for each on the neighbour too, which comes second
    here, there = logs[:, :, None, :, None], logs[:, None, :, None, :]
    with np.errstate(invalid="ignore"):
        losses = np.where(here == there, 0.0, here - there)
    if monotone:
        moves = np.subtract.outer(ends, ends)
        losses[:, np.multiply.outer(moves, moves) < 0] = -np.inf
    answer, low, low_there, high, high_there = np.unravel_index(np.argmax(losses), losses.shape)
    found = streams[low][high], streams[low_there][high_there], counts, transcripts[answer]
    return Worst(segments * float(losses.max()), *(part * segments for part in found))


class _Number:
    """What stands for a float in a pattern; no word that a mechanism says can be equal to it."""

    def __repr__(self):
        return "number"


NUMBER = _Number()


@dataclass(frozen=True)
class Event:
    """A set of outputs: some patterns, or one of them with a number on one side of a cut.

    A pattern is an output with NUMBER in place of each float.
    """

    patterns: frozenset
    place: int = 0  # of the number that is cut, among those of the pattern
    side: str = ""  # "≤" or "≥"; "": no number is looked at
    cut: float = math.nan

    def count(self, sample):
        """How many outputs of a sample lie in the event."""
        if not self.side:
            return sum(len(sample[pattern]) for pattern in self.patterns)
        (pattern,) = self.patterns
        numbers = _numbers(sample, pattern)[:, self.place]
        return np.count_nonzero(numbers <= self.cut if self.side == "≤" else numbers >= self.cut)

    def __str__(self):
        shown = sorted(" ".join(map(str, pattern)) for pattern in self.patterns)
        more = ["one more" if len(shown) == 3 else f"{len(shown) - 2} more"] * (len(shown) > 2)
        words = " or ".join([*shown[:2], *more])
        return words + (f", number {self.place + 1} {self.side} {self.cut:.3g}" * bool(self.side))


@dataclass(frozen=True)
class Audit:
    """A lower bound on epsilon (with δ = 0), the event that shows it, and its two rates."""

    epsilon: float
    event: Event
    rate: float
    lower_rate: float

    def __str__(self):
        return (
            f"ε ≥ {self.epsilon:.3f}, from “{self.event}”: "
            f"{self.rate:.5f} against {self.lower_rate:.5f}"
        )


@checked_numbers(neighbour=None, trials=replace(TWO_OR_MORE, most=1e9))
def audit(mechanism, data, neighbour, *, trials, confidence=0.95, rng, progress=True):
    """A lower bound on the epsilon of `mechanism(data, rng)`, code that nobody has described to us.

    It is run `trials` times on each of two neighbouring databases, a number fixed beforehand. Half
    of the outputs choose an event; on the other half its two probabilities get Clopper-Pearson
    bounds, and their log-ratio is the bound on epsilon. It exceeds the true epsilon (for δ = 0)
    with probability at most 1 - confidence, whatever was chosen; it may lie far below.
    An output is a float, a word, or a stream of them such as ABOVE and BELOW. Past two seconds a
    bar shows the progress, unless `progress` is False.
    """
    half = trials // 2
    with tqdm(total=4 * half, delay=2, leave=False, desc="audit", disable=not progress) as bar:
        samples = [
            [_sample(mechanism, rows, half, rng, bar) for _ in range(2)]
            for rows in (data, neighbour)
        ]
    return judge(*samples, half, confidence)


def judge(samples, samples_there, size, confidence):
    """The Audit of outputs on two databases: two samples of this size each, one of which chooses.

    A sample is a dictionary: for each pattern of output, the numbers that came in it.
    """
    (chooses, bounds), (chooses_there, bounds_there) = samples, samples_there
    score, event = _choose(chooses, chooses_there, size, confidence)
    score_there, event_there = _choose(chooses_there, chooses, size, confidence)
    if score_there > score:
        event, bounds, bounds_there = event_there, bounds_there, bounds
    seen, seen_there = event.count(bounds), event.count(bounds_there)
    bound, _ = log_ratio_interval(seen, seen_there, size, confidence=confidence)
    return Audit(max(0.0, float(bound)), event, seen / size, seen_there / size)


def _sample(mechanism, rows, size, rng, bar):
    """For each pattern of output, the numbers that came in it, one tuple an output."""
    sample = defaultdict(list)
    for _ in range(size):
        output = mechanism(rows, rng)
        if isinstance(output, np.ndarray):
            output = output.tolist()
        if isinstance(output, str) or not hasattr(output, "__iter__"):
            output = (output,)
        output = [float(x) if isinstance(x, np.floating) else x for x in output]
        pattern = tuple(NUMBER if isinstance(x, float) else x for x in output)
        sample[pattern].append([x for x in output if isinstance(x, float)])
        bar.update()
    return sample


def _choose(here, there, size, confidence):
    """The best event found, by the bound that the choosing half itself would give."""
    patterns = dict.fromkeys([*here, *there])  # each once, in an order that is the same every time
    patterns = sorted(patterns, key=lambda p: (len(there[p]) + 1) / (len(here[p]) + 1))
    counts = (np.cumsum([len(sample[p]) for p in patterns]) for sample in (here, there))
    scores, _ = log_ratio_interval(*counts, size, confidence=confidence)
    best = int(np.argmax(scores))
    found = [(scores[best], Event(frozenset(patterns[: best + 1])))]
    for pattern in (p for p in patterns if NUMBER in p):
        numbers = [_numbers(sample, pattern) for sample in (here, there)]
        for place in range(pattern.count(NUMBER)):
            columns = [array[:, place] for array in numbers]
            parts = np.linspace(0, 1, 33)[1:-1]
            cuts = np.quantile(np.concatenate(columns), parts, method="inverted_cdf")
            at_most = [np.searchsorted(np.sort(c), cuts, side="right") for c in columns]
            at_least = [len(c) - np.searchsorted(np.sort(c), cuts) for c in columns]
            for side, counts in (("≤", at_most), ("≥", at_least)):
                scores, _ = log_ratio_interval(*counts, size, confidence=confidence)
                best = int(np.argmax(scores))
                cut = float(cuts[best])
                found.append((scores[best], Event(frozenset([pattern]), place, side, cut)))
    return max(found, key=lambda scored: scored[0])


def _numbers(sample, pattern):
    shape = len(sample[pattern]), pattern.count(NUMBER)
    return np.array(sample[pattern], dtype=float).reshape(shape)
