"""The attacker's game: how often the best rule is right, what ε allows, and what watching does."""

from dataclasses import replace

import numpy as np
from scipy.special import expit
from scipy.stats import binom, laplace

from course_lib.exact.family import member
from course_lib.support.contracts import (
    COUNT,
    POSITIVE,
    OneOf,
    ParameterError,
    checked_arrays,
    checked_numbers,
    shown,
)

# Each level and the row of the family that it runs; the first two are no rows.
LEVELS = {
    "randomised response": None,
    "Laplace": None,
    "Stoddard": "stoddard",
    "Lecture 11, as printed": "lecture11_sparse",
    "Lecture 11, repaired": "lecture11_repaired",
}
PRIVATE = ("randomised response", "Laplace", "Lecture 11, repaired")
STAGE = OneOf(LEVELS)
_NUMBERS = np.linspace(-120, 120, 24_001)  # released, on both sides of all values
_EPSILON = replace(POSITIVE, least=0.5, most=10.0)  # where these reach beyond all tails


@checked_arrays(repeats=COUNT)
def chance_at_most(*, epsilon, repeats=1):
    """What ε allows, of every rule that may pass: the chance to be right after `repeats` runs."""
    return expit(repeats * epsilon)


@checked_numbers(stage=STAGE)
def level_stream(stage, *, secret):
    """The values of a level's queries for the secret 0 or 1: they move by at most 1.

    Stoddard's are pairs; the secret says whether the higher comes first. Lecture 11 is asked four
    times for what the secret changes, and then for what is known.
    """
    if secret not in (0, 1):
        raise ParameterError(f"secret must be 0 or 1, got {shown(secret)}")
    if stage == "Stoddard":
        return [float(j + (place == secret)) for j in range(-2, 2) for place in (1, 0)]
    if LEVELS[stage]:
        return [1.0 - secret] * 4 + [0.0]
    return [float(secret)]


@checked_numbers(stage=STAGE, epsilon=_EPSILON)
def best_accuracy(stage, *, epsilon):
    """How often the best rule is right that never passes: ½ Σ max of the two probabilities.

    To 5 digits for Lecture 11, whose numbers are summed over a fine grid.
    """
    if stage == "randomised response":
        return float(expit(epsilon))
    if stage == "Laplace":
        return float(1 - np.exp(-epsilon / 2) / 2)
    laws = [np.concatenate(law) for law in transcript_laws(stage, epsilon=epsilon)]
    return float(np.maximum(*laws).sum() / 2)


@checked_numbers(stage=STAGE, epsilon=_EPSILON)
def best_after_passing(stage, *, spoken, epsilon):
    """How often the best rule is right that speaks in this share of the rounds alone.

    For Lecture 11: it speaks after the transcripts that tell most.
    """
    first, second = (np.concatenate(law) for law in transcript_laws(stage, epsilon=epsilon))
    weight, right = (first + second) / 2, np.maximum(first, second) / 2
    told = np.argsort(-right / np.maximum(weight, 1e-300), kind="stable")
    weight, right = np.cumsum(weight[told]), np.cumsum(right[told])
    return float(np.interp(spoken, weight, right) / spoken)


@checked_numbers(stage=STAGE, epsilon=_EPSILON)
def transcript_laws(stage, *, epsilon):
    """For the secrets 0 and 1 the probabilities of all transcripts, those of numbers on a grid."""
    streams = [level_stream(stage, secret=secret) for secret in (0, 1)]
    if not LEVELS.get(stage):
        raise ParameterError(f"stage must be a row of the family, got {shown(stage)}")
    row = member(LEVELS[stage], cutoff=1, epsilon=epsilon)
    if stage == "Stoddard":
        return _of_pairs(streams, row.threshold_scale)
    return [_of_numbers(row, stream) for stream in streams]


def _of_pairs(streams, scale):
    """Without query noise, and with whole values, the threshold rounded up decides all."""
    places = np.arange(-4.0, 5.0)  # beyond, all answers are alike
    laws = []
    for values in streams:
        law = {}
        for place, weight in zip(places, np.diff(_below(places[:-1], scale)), strict=True):
            seen = tuple(value >= place for value in values)
            law[seen] = law.get(seen, 0.0) + float(weight)
        laws.append(law)
    return [[np.array([law.get(seen, 0.0) for seen in {**laws[0], **laws[1]}])] for law in laws]


def _below(x, scale):
    """The chance that Laplace noise is below each x, with 0 before the first and 1 at the end."""
    tail = np.exp(-np.abs(x) / scale) / 2
    return np.array([0.0, *np.where(x < 0, tail, 1 - tail), 1.0])


def _of_numbers(row, values):
    """Of each number at each query, on the grid, and of silence: by the trapezoidal rule over z.

    While nothing was released, `left` is the density of z times the chance of that.
    """
    step = _NUMBERS[1] - _NUMBERS[0]
    left, laws = step * laplace.pdf(_NUMBERS, scale=row.threshold_scale), []
    for value in values:
        if row.released == "same":  # a number says that z is at most that
            density = step * laplace.pdf(_NUMBERS - value, scale=row.query_scale)
            laws.append((np.cumsum(left) - left / 2) * density)
        else:
            above = np.sum(left * laplace.sf(_NUMBERS - value, scale=row.query_scale))
            laws.append(above * step * laplace.pdf(_NUMBERS - value, scale=row.release_scale))
        left = left * laplace.cdf(_NUMBERS - value, scale=row.query_scale)
    return [*laws, left.sum(keepdims=True)]


@checked_numbers(rounds=replace(COUNT, most=10_000))
def convicted_by_watching(*, rounds, epsilon, confidence=0.95):
    """How likely a player convicts randomised response who stops as soon as she may.

    She looks after each of `rounds` announcements whether the one-sided interval lies above what ε
    allows. Each look is wrong with probability 1 - confidence at most; all looks together are not.
    """
    p = float(expit(epsilon))
    told = np.arange(1, rounds + 1)
    # so many right announcements convict: the lower end of the interval is above p
    least = np.array([_least_right(int(n), p, confidence) for n in told])
    alive, convicted = np.array([1.0]), 0.0
    for n, enough in zip(told, least, strict=True):
        alive = np.append(alive * (1 - p), 0.0) + np.append(0.0, alive * p)
        if enough <= n:
            convicted += alive[enough:].sum()
            alive[enough:] = 0.0
    return float(convicted)


def _least_right(n, p, confidence):
    """The smallest number of right announcements of n whose lower end is above p; n + 1: none."""
    return int(np.searchsorted(-binom.sf(np.arange(-1, n), n, p), -(1 - confidence), "right"))
