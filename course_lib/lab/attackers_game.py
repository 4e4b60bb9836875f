"""The attacker's game: a secret, what a mechanism says of it, and an announcement or a pass."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from course_lib.exact.attackers_game import LEVELS, STAGE, chance_at_most, level_stream
from course_lib.exact.family import member
from course_lib.lab.confidence import clopper_pearson
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import COUNT, ParameterError, checked_numbers, shown

MOST_ROUNDS = 100_000
ROUNDS = 10_000  # that a written rule plays


@checked_numbers(
    stage=STAGE, rounds=replace(COUNT, most=MOST_ROUNDS), repeats=replace(COUNT, most=20)
)
def dealt(stage, *, rounds, repeats=1, epsilon, seed):
    """The secrets of all rounds, fair coins, and what the mechanism says in each: a tuple.

    It runs `repeats` times on the same secret; the answers of all runs stand one after the other.
    """
    secrets, answers = _dealt(stage, rounds, repeats, epsilon, seed)
    return list(secrets), list(answers)


@functools.lru_cache(maxsize=4)
def _dealt(stage, rounds, repeats, epsilon, seed):
    rng = np.random.default_rng(seed)
    secrets = rng.integers(2, size=rounds).astype(bool)
    streams = np.array([level_stream(stage, secret=secret) for secret in (0, 1)])
    values = streams[secrets.astype(int)]
    runs = [_run(stage, values, epsilon, rng) for _ in range(repeats)]
    return tuple(secrets.tolist()), tuple(sum(parts, ()) for parts in zip(*runs, strict=True))


def _run(stage, values, epsilon, rng):
    """What each round of one run says."""
    if stage == "randomised response":
        flipped = rng.random(len(values)) < 1 / (1 + np.exp(epsilon))
        return [(bool(bit),) for bit in (values[:, 0] == 1) ^ flipped]
    if stage == "Laplace":
        noisy = values[:, 0] + rng.laplace(scale=1 / epsilon, size=len(values))
        return [(number,) for number in noisy.tolist()]
    row = member(LEVELS[stage], cutoff=1, epsilon=epsilon)
    threshold = rng.laplace(scale=row.threshold_scale, size=(len(values), 1))
    noisy = values + row.query_scale * rng.laplace(size=values.shape)
    above, said = noisy >= threshold, noisy
    if row.released == "fresh":
        said = values + rng.laplace(scale=row.release_scale, size=values.shape)
    rounds = zip(above, said, strict=True)  # one list at a time: all of them would take 30 MB
    return [_transcript(row, tops.tolist(), numbers.tolist()) for tops, numbers in rounds]


def _transcript(row, above, numbers):
    answers = []
    for top, number in zip(above, numbers, strict=True):
        answers.append((number if row.released else ABOVE) if top else BELOW)
        if top and row.cutoff:
            break
    return tuple(answers)


@dataclass(frozen=True)
class Game:
    """A game as it stands: nothing in it changes, and `say` gives the game after one round more.

    `said` holds True or False for each announcement, None for each pass. The rounds are
    fixed before the first; only if `open_end`, which proves nothing, may a player `stop` earlier.
    """

    stage: str
    rounds: int = 50
    repeats: int = 1
    epsilon: float = 1.0
    seed: int = 0
    open_end: bool = False
    said: tuple = ()
    stopped: bool = False

    def __post_init__(self):
        self._deal()  # refuses what does not fit
        if not isinstance(self.said, list | tuple) or len(self.said) > self.rounds:
            words = f"a list of one announcement a round, of {self.rounds} at most"
            raise ParameterError(f"said must be {words}, got {shown(self.said)}")
        for each in self.said:
            if each is not None and not isinstance(each, bool | np.bool_):
                raise ParameterError(f"said must be True, False or None, got {shown(each)}")
        said = tuple(None if each is None else bool(each) for each in self.said)
        object.__setattr__(self, "said", said)

    def _deal(self):
        given = {"repeats": self.repeats, "epsilon": self.epsilon, "seed": self.seed}
        return dealt(self.stage, rounds=self.rounds, **given)

    @property
    def over(self):
        return self.stopped or len(self.said) == self.rounds

    @property
    def answers(self):
        """What the mechanism says in this round; None after the last."""
        return None if self.over else self._deal()[1][len(self.said)]

    def say(self, announced):
        """The game after an announcement of the secret, True or False, or a pass, None."""
        if self.over:
            raise ParameterError(f"rounds must be {self.rounds}, as fixed before the first")
        return replace(self, said=(*self.said, announced))

    def stop(self):
        """The game, ended early."""
        if not self.open_end:
            raise ParameterError("open_end must be True for a player who stops when she likes")
        return replace(self, stopped=True)

    @property
    def announced(self):
        """How many announcements were made, passes left out."""
        return sum(each is not None for each in self.said)

    @property
    def right(self):
        """How many of them named the secret."""
        return sum(a == b for a, b in zip(self._deal()[0], self.said, strict=False))

    def scores(self, places):
        """How many announcements, and how many right ones, there were after so many rounds."""
        spoke = np.array([each is not None for each in self.said])
        right = np.array([a == b for a, b in zip(self._deal()[0], self.said, strict=False)])
        at = np.array(places) - 1
        return [np.cumsum(each)[at].tolist() for each in (spoke, right)]

    @property
    def line(self):
        """What ε allows, however the player plays."""
        return float(chance_at_most(epsilon=self.epsilon, repeats=self.repeats))

    @property
    def interval(self):
        """The 95% interval of being right when speaking; from 0 to 1 before the first."""
        if not self.announced:
            return 0.0, 1.0
        return tuple(float(end) for end in clopper_pearson(self.right, self.announced))

    @property
    def convicted(self):
        """Whether the interval lies above the line; only a fixed number of rounds proves it."""
        return self.over and not self.stopped and self.interval[0] > self.line


def played(rule, stage, *, rounds=ROUNDS, repeats=1, epsilon=1.0, seed=0):
    """The game after a rule has played it: a function of the answers to True, False or None."""
    game = Game(stage, rounds=rounds, repeats=repeats, epsilon=epsilon, seed=seed)
    return replace(game, said=[rule(answers) for answers in game._deal()[1]])


def _first(heard):
    """Guess from the first answer."""
    return heard[0] > 0.5


def _pairs(heard):
    """Stoddard's pairs: the secret shows where the two of a pair differ."""
    for one, other in zip(heard[::2], heard[1::2], strict=False):
        if one is not other:
            return one is not BELOW
    return None


def _patient(heard):
    """Two or more ⊥ and then a small number; everything else is passed over."""
    last = heard[-1]
    return True if len(heard) > 2 and isinstance(last, float) and last <= 0.5 else None


def _waited(heard):
    """Always guess: a ⊥, or a small number at once, speaks for the secret 1."""
    return heard[0] is BELOW or heard[0] < 0.5


RULES = {
    "randomised response": (_first, _first),
    "Laplace": (
        _first,
        lambda heard: True if heard[0] > 1 else False if heard[0] < 0 else None,
    ),
    "Stoddard": (lambda heard: bool(_pairs(heard)), _pairs),
    "Lecture 11, as printed": (_waited, _patient),
    "Lecture 11, repaired": (_waited, _patient),
}
