"""The exercises of notebook 01: AboveThreshold for sensitivity Δ, the k that doubles α, a slip."""

import math
from operator import itemgetter

import numpy as np

from course_lib.above_threshold import above_threshold, above_threshold_alpha
from course_lib.checks.above_threshold_law import (
    FAR,
    HIGH,
    LOW,
    STREAMS,
    Stream,
    check_law,
    count,
)
from course_lib.checks.exercise import (
    NotYet,
    at_least_one,
    check_randomness,
    choose,
    exercise,
)
from course_lib.checks.stream import check_marks, check_waits, on_equality, praise
from course_lib.exact.family import Variant
from course_lib.exact.transcripts import exact_loss
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.noise import RecordedNoise
from course_lib.support.answers import ABOVE, BELOW


@exercise
def check_above_threshold(mechanism):
    """Judge `mechanism(data, queries, *, threshold, sensitivity, epsilon, rng)`."""
    _check_answers(mechanism)
    remarks = check_waits(mechanism, LOW[0]) + _on_equality(mechanism)
    check_randomness(lambda rng: STREAMS[2].run(mechanism, rng))
    counts = [count(mechanism, stream, seed) for seed, stream in enumerate(STREAMS)]
    check_law(mechanism, counts)
    return praise(STREAMS, "Δ and ε", "first ⊤ comes where it should", remarks)


def _check_answers(mechanism):
    """Raise NotYet unless the answers have the right form where the noise plays no part."""
    low, high = (stream.run(mechanism, np.random.default_rng(0)) for stream in (LOW[0], HIGH))
    check_marks(low + high)
    size = len(LOW[0].values)
    if low[:1] == high[:1] == [ABOVE]:
        raise NotYet(
            f"you answer ⊤ to a value {FAR} below the threshold. ⊤ is for the first query whose "
            "noisy value is at least the noisy threshold. Is your comparison the right way round, "
            "and do you compare the query's value as it is?"
        )
    if ABOVE in low or len(low) > size:
        raise NotYet(
            f"{size} queries were far below the threshold, and you answered {low}. "
            "Each gets ⊥, and at the end of the stream nothing more is said."
        )
    if len(low) < size:
        raise NotYet(
            f"{size} queries were far below the threshold, and you answered {low}. "
            "Each gets ⊥; only ⊤ halts the mechanism."
        )
    if high[:3] != [BELOW, BELOW, ABOVE]:
        raise NotYet(
            f"two queries were {FAR} below the threshold and one {FAR} above it, and you "
            f"answered {high[:3]}. It should be [⊥, ⊥, ⊤]."
        )
    if len(high) > 3:
        raise NotYet("you go on after the first ⊤. The mechanism halts there.")


def _on_equality(mechanism):
    """A remark if the mechanism compares with >."""

    def attempt(value, rng):
        return Stream((value,), threshold=100, sensitivity=2, epsilon=0.5).run(mechanism, rng)

    return on_equality(attempt, threshold=100)


@exercise
def check_doubling(answer):
    """Judge the k at which Theorem 3.24's α is twice what it is at k = 1000, both with β = 0.05."""
    k = at_least_one(answer, "k is a number of queries")
    times = _alpha(k) / _alpha(1000)
    if math.isclose(k, 40_000_000, rel_tol=0.01):
        return (
            "α is 8/ε times ln(2k/β), so it doubles when 2k/β is squared: k = 2 · 1000² / 0.05 = "
            f"40,000,000. For twice the error, {40_000_000 / 1000:,.0f} times as many queries."
        )
    for wrong, reason in _DOUBLING.items():
        if math.isclose(k, wrong, rel_tol=0.01):
            raise NotYet(f"{reason} At k = {wrong:,} α is {times:.3f} times what it is at 1000.")
    raise NotYet(
        f"at k = {k:,.0f} α is {times:.3f} times what it is at k = 1000. Write α as 8/ε times one "
        "logarithm, and see what must happen inside it."
    )


_DOUBLING = {
    2_000: "twice as many queries only add 8 ln 2 / ε to α.",
    1_000_000: "1000² doubles ln k, but α also has ln(2/β), which must be doubled too.",
    40: "this is the k that doubles α from k = 1; start at k = 1000.",
    40_000: "this adds ln(2/β) to the logarithm; it must grow by as much as it is, ln(2000/β).",
    20_000_000: "ln(2/β) has a 2 in it: you have k²/β.",
    1_600_000_000: "this is the square of 2k/β at k = 1000, so 2k/β at the new k, not k itself.",
}


def _alpha(k):
    return above_threshold_alpha(num_queries=float(round(k)), beta=0.05, epsilon=1.0)


def monotone_above_threshold(data, queries, *, threshold, epsilon, rng):
    """A published slip: said to be epsilon-private if one row moves all queries the same way."""
    scale = 1 / epsilon
    noisy_threshold = threshold + rng.laplace(scale=scale)
    for query in queries:
        if query(data) + rng.laplace(scale=2 * scale) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def finds_a_large_value(mechanism, *, epsilon):
    """(a) Values 0, 0, 0, 1000/ε against the threshold 500/ε: does it halt at the last?"""
    answers = _answers(mechanism, [0, 0, 0, 1000 / epsilon], 500 / epsilon, epsilon, seed=1)
    return answers == [BELOW, BELOW, BELOW, ABOVE], f"it answers {answers}"


def keeps_theorem_3_24(mechanism, *, epsilon):
    """(b) The worst stream at Theorem 3.24's α, k = 20, β = 0.05: does it fail in β of the runs?"""
    alpha = above_threshold_alpha(num_queries=20, beta=0.05, epsilon=epsilon)
    values, right = [-alpha] * 19 + [alpha], [BELOW] * 19 + [ABOVE]
    failures = sum(_answers(mechanism, values, 0, epsilon, seed) != right for seed in range(500))
    _, high = clopper_pearson(failures, 500)
    return bool(high <= 0.05), f"{failures} failures in 500 runs, a rate of at most {high:.3f}"


def loses_no_more_than_claimed(mechanism, *, epsilon):
    """(c) ⊥ to 99 queries, then ⊤: its exact privacy loss from (0, …, 0, 0) to (1, …, 1, 0)."""
    row = Variant("as recorded", *_scales(mechanism, epsilon), True, None, 1)
    loss = exact_loss(row, [0, 0], [1, 0], [BELOW, ABOVE], threshold=0, counts=[99, 1])
    return bool(loss <= epsilon * (1 + 1e-9)), f"the loss is {loss / epsilon:.2f} ε"


def has_wide_noise(mechanism, *, epsilon):
    """(d) Is every noise at least Lap(1/ε), as the Laplace mechanism has it for one query?"""
    scales = _scales(mechanism, epsilon)
    words = " and ".join(f"{scale * epsilon:g}/ε" for scale in scales)
    return min(scales) >= 1 / epsilon, f"the scales are {words}"


_TESTS = (finds_a_large_value, keeps_theorem_3_24, loses_no_more_than_claimed, has_wide_noise)
_REASONS = {
    "a": "(a) asks whether the mechanism is of use. A mechanism without any noise passes it too.",
    "b": "(b) asks about accuracy. The slip has too little noise, which makes it more accurate.",
    "c": "too little noise shows in the privacy loss alone. The threshold costs ε, the ⊤ another "
    "ε/2 if every query moves up or stays, another ε if one may move the other way: 1.5 ε for "
    "monotone queries, 2 ε in general. (If all 100 move up by 1 the loss is 1 ε, and the slip is "
    "not seen: choose the streams as the proof suggests.)",
    "d": "(d) looks at one noise at a time. Each is wide enough for one query alone, but the noise "
    "of the threshold and that of the ⊤ are paid for together.",
}


@exercise
def check_which_test(answer):
    """Judge which of the tests (a) to (d) catches `monotone_above_threshold`."""
    lines = {letter: _outcome(test) for letter, test in zip("abcd", _TESTS, strict=True)}
    reasons = {letter: f"{_REASONS[letter]}\n{line}" for letter, line in lines.items()}
    reasons["c"] = "\n".join([_REASONS["c"], *lines.values()])
    return choose(answer, reasons, right="c")


def _outcome(test):
    """One line on how the slip and AboveThreshold fare in a test."""
    words = []
    for name, mechanism in (
        ("the slip", monotone_above_threshold),
        ("AboveThreshold", above_threshold),
    ):
        passed, seen = test(mechanism, epsilon=1.0)
        words.append(f"{name} {'passes' if passed else 'FAILS'} ({seen})")
    return f"{test.__doc__.split()[0]} {', '.join(words)}."


def _answers(mechanism, values, threshold, epsilon, seed):
    queries = [itemgetter(i) for i in range(len(values))]
    rng = np.random.default_rng(seed)
    return list(mechanism(values, queries, threshold=threshold, epsilon=epsilon, rng=rng))


def _scales(mechanism, epsilon):
    """The scales of the threshold's and the first query's noise, as recorded."""
    rng = RecordedNoise(0)
    list(mechanism([0], [itemgetter(0)], threshold=0, epsilon=epsilon, rng=rng))
    return rng.scales
