"""How a mechanism is judged: how often each outcome comes, against its exact probability."""

import contextlib
import functools
import itertools
import math
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import chi2_contingency
from tqdm import tqdm

from course_lib.checks.engine import STATE, Coding, NotYet, close, patience, shown
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.noise import RecordedNoise, generator, shared_states

FALSE_ALARM = 1e-6  # the probability that a right answer is refused, all cases together
SEEDS = 40  # runs of each case in which an answer and a slip get the same noise
SECONDS, FEWEST = 2.3, 300  # of CPU time, and of runs of a case all the same
FIT = 1e-3  # a name needs a better fit than a verdict: below this two samples differ


class _Noting(RecordedNoise):
    """A generator that notes if a scale was put in the place of loc."""

    moved = None

    def laplace(self, loc=0.0, scale=None, size=None):
        noise = super().laplace(loc, 1.0 if scale is None else scale, size)
        if np.any(loc) and not np.any(scale):
            by, left = shown(loc), "1" if scale is None else "0"
            given = by if scale is None else f"{by}, 0"
            self.moved = (
                f"rng.laplace({given}) moves the noise by {by} and has scale {left}, whatever ε "
                "is: its first number is loc. Write scale=… before it."
            )
        return noise


@dataclass(frozen=True, eq=False)
class Case:
    """What a mechanism is given, how often it is run, and what may come out.

    `law` maps each label that an outcome can have to its probability; `events` are pairs of words
    and a set of labels.
    """

    given: Any
    words: str
    law: dict = field(repr=False)
    events: tuple = ()
    runs: int = 1

    @functools.cached_property
    def table(self):
        """For each event its words, its probability, and which labels belong to it."""
        words = [str(label) for label in self.law] + [words for words, _ in self.events]
        holds = np.eye(len(self.law), dtype=bool).tolist()
        holds += [[label in labels for label in self.law] for _, labels in self.events]
        holds = np.array(holds)
        return words, (holds @ np.array(list(self.law.values()))).clip(0, 1), holds

    def counts(self, labels):
        """How often each event came."""
        return self.table[2] @ np.array([labels[label] for label in self.law])


class Law(Coding):
    """A mechanism. `run(function, given, rng)` gives an outcome, `label(given, outcome)` its kind.

    `also(function, given)` raises what else is wrong with it, and returns remarks.
    """

    def __init__(self, solution, cases, slips, *, run, label, praise, also=None, hint=1):
        super().__init__(solution, cases, slips, run=run, praise=praise, hint=hint)
        self.label, self.also = label, also or (lambda function, given: [])

    def judge(self, answer):
        with patience() as limited:
            until = time.process_time() + SECONDS
            got = [limited(self.observed, answer, *trial) for trial in self._trials()]
            fault = next((each for each in got if isinstance(each, NotYet)), None)
            fault = fault or self._of_randomness(answer, got, limited)
            if fault:
                self._name(answer, got, limited)
                raise fault
            samples = {}
            for case in self.cases:
                samples[case] = self._sample(answer, case, limited, until=until)
                if words := self._refuted(case, samples[case]):
                    break
            if words:
                self._name(answer, got, limited)
                for case_left in self.cases[len(samples) :]:
                    samples[case_left] = self._sample(answer, case_left, limited, until=until)
                if all(labels.total() == each.runs for each, labels in samples.items()):
                    until = time.process_time() + SECONDS
                    with contextlib.suppress(TimeoutError):  # then it stays without a name
                        self.name_it(
                            lambda function: self._alike(samples, function, limited, until)
                        )
                raise NotYet(f"with {case.words} {words}")
            return " ".join([self.praise, *limited(self.also, answer, self.cases[0].given)])

    def _trials(self):
        for case in self.cases:
            for seed in range(SEEDS):
                yield case.given, generator(seed)

    def _name(self, answer, got, limited):
        """Raise what is seen in the draws themselves, or of slips with equal noise."""
        for case in self.cases:
            rng = _Noting(0)
            limited(self.observed, answer, case.given, rng)
            if rng.moved:
                raise NotYet(rng.moved)
        self.name_it(lambda function: self._equal(got, function))

    def _equal(self, got, function):
        """Whether a slip's outcomes are those that were got, with equal noise."""
        its = (self.observed(function, *trial) for trial in self._trials())
        return all(map(same_outcome, got, its))

    def _of_randomness(self, answer, got, limited):
        """NotYet if not all chance comes from rng, or if something outlives a call."""
        before = shared_states()
        again = [limited(self.observed, answer, *trial) for trial in self._trials()]
        if shared_states() != before:
            return NotYet(
                "you draw from a generator that the whole session shares (np.random… or random…). "
                "Draw from rng, so that results can be repeated."
            )
        if not all(map(same_outcome, got, again)):
            return NotYet(
                f"two runs with equal generators gave different answers. {STATE} "
                "Or it has a generator of its own: draw from rng alone."
            )
        starts = range(0, len(got), SEEDS)
        spread = [i for i, c in zip(starts, self.cases, strict=True) if max(c.law.values()) < 0.6]
        if spread and all(
            same_outcome(got[i], each) for i in spread for each in got[i : i + SEEDS]
        ):
            return NotYet(
                f"with {SEEDS} different generators the answer was always the same. Draw noise from "
                "rng, anew in every call."
            )
        return None

    def _refuted(self, case, labels):
        """Words for the event that is furthest off; None if the law may hold."""
        for label in labels.keys() - case.law.keys():
            should = f"; it should be {next(iter(case.law))}" if len(case.law) == 1 else ""
            return f"it answered {label}{should}."
        words, exact, _ = case.table
        counts, runs = case.counts(labels), labels.total()
        level = FALSE_ALARM / sum(len(each.table[0]) for each in self.cases)
        low, high = clopper_pearson(counts, runs, confidence=1 - level)
        outside = (exact < low) | (exact > high)
        if not outside.any():
            return None
        rate, spread = counts / runs, np.sqrt(exact * (1 - exact)) + 1e-9  # the impossible first
        worst = np.argmax(outside * np.abs(rate - exact) / spread)
        return (
            f"{words[worst]} came in {rate[worst]:.1%} of {runs:,} runs; it should be "
            f"{exact[worst]:.1%}."
        )

    def _sample(self, function, case, limited, *, seed=1, runs=None, until=math.inf):
        """How often each label came; an exception is a label, too."""
        rng, labels = generator([seed, len(case.words)]), Counter()
        for _ in tqdm(range(runs or case.runs), delay=2, leave=False, desc="runs"):
            outcome = limited(self.observed, function, case.given, rng)
            broken = isinstance(outcome, NotYet)
            labels[str(outcome) if broken else self.label(case.given, outcome)] += 1
            if time.process_time() > until and labels.total() >= FEWEST:
                break  # a slow answer is run less often; that does not depend on what it says
        return labels

    def _alike(self, samples, function, limited, until):
        """Whether a slip's samples fit the answer's: of a few runs, then of as many."""
        if time.process_time() > until:
            raise TimeoutError
        return all(
            _fit(mine, self._sample(function, case, limited, seed=2, runs=-(-case.runs // share)))
            for share in (20, 1)
            for case, mine in samples.items()
        )


def same_outcome(one, other):
    """Whether two outcomes of runs are equal, numbers up to rounding."""
    return close(1e-9)(*(str(each) if isinstance(each, NotYet) else each for each in (one, other)))


def _fit(one, other):
    """A chi-square test of two samples; labels seen rarely are put together."""
    usual = [label for label, times in (one + other).items() if times >= 40]
    table = [[each[label] for label in usual] for each in (one, other)]
    rest = [each.total() - sum(row) for each, row in zip((one, other), table, strict=True)]
    if sum(rest):
        table = [[*row, few] for row, few in zip(table, rest, strict=True)]
    return len(table[0]) == 1 or chi2_contingency(table).pvalue >= FIT


def not_cut(noises, *, at_ends=False):
    """Raise NotYet if of 2,000 noises, in units of their scale, some are the same: cut or rounded.

    Of Laplace noise so many are so near each other with probability below 1e-12. `at_ends` leaves
    rounding alone, which nobody can tell from that of the number where values are whole.
    """
    until, got = time.process_time() + 0.4, []
    for noise in itertools.islice(noises, 2000):
        got.append(noise)
        if time.process_time() > until:
            break
    same = np.diff(np.sort(got)) < 1e-10
    if same[:3].all() or same[-3:].all() or (same.sum() >= 3 and not at_ends):
        how = "cut off at some size" if at_ends else "rounded, or cut off at some size"
        raise NotYet(
            f"of {len(got):,} noises several are the same: they are {how}. Then some numbers come "
            "with one database and never with its neighbour, whatever ε is. Add the noise as it is "
            "drawn."
        )
