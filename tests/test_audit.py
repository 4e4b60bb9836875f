"""The auditors: the exact one against closed forms, the sampled one against what it must find."""

import contextlib
import itertools
import math
from collections import defaultdict
from operator import itemgetter

import numpy as np
import pytest
from scipy.stats import beta, binom

from course_lib.exact.family import ROWS, member, privacy_loss, run_variant
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.lab import audit as auditing
from course_lib.lab.audit import NUMBER, Event, audit, exact_audit
from course_lib.support.answers import ABOVE, BELOW

CLAIMED = 0.7
RNG = np.random.default_rng


def mechanism(name):
    """A row at ε = 0.7, c = 1 as code that takes a stream of values for its data."""
    row = member(name, cutoff=1, epsilon=CLAIMED)
    queries = [itemgetter(i) for i in range(10)]
    return lambda data, rng: run_variant(row, data, queries[: len(data)], threshold=0.0, rng=rng)


def pair(low, high):
    return [0.0] * low + [1.0] * high, [1.0] * low + [0.0] * high


def test_exact_audit_finds_the_loss_of_lecture_11():
    """m ε / 2c if the released query stays; it may move too, for ε / 2c more."""
    for cutoff, m in ((1, 10), (3, 50)):
        row = member("lecture11_sparse", cutoff=cutoff, epsilon=1.0)
        assert exact_audit(row, num_queries=m).loss >= m / (2 * cutoff)
    worst = exact_audit(member("lecture11_sparse", cutoff=1, epsilon=1.0), num_queries=10)
    assert math.isclose(worst.loss, 11 / 2, rel_tol=1e-9)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("monotone", [False, True])
def test_what_exact_audit_reports_can_be_checked(name, monotone):
    cutoff = 1 if name == "above_threshold" else 2
    row = member(name, cutoff=cutoff, epsilon=CLAIMED)
    worst = exact_audit(row, num_queries=7, monotone=monotone)
    streams = worst.values, worst.neighbour, worst.transcript
    again = exact_loss(row, *streams, threshold=0.0, counts=worst.counts)
    assert again == worst.loss or math.isclose(again, worst.loss, rel_tol=1e-9)
    assert worst.loss <= privacy_loss(row, monotone=monotone) * (1 + 1e-9)
    assert worst.loss > 0.3 * CLAIMED


@pytest.mark.parametrize("name", ["lyu_su_li_monotone", "lecture11_sparse", "numeric_sparse"])
@pytest.mark.parametrize("monotone", [False, True])
def test_no_pair_or_number_of_its_kind_loses_more(name, monotone):
    """Each pair and number on its own; two ⊥, then two ⊤, each moving by -1, 0 or 1."""
    row, largest = member(name, cutoff=2, epsilon=1.0), 0.0
    for values in itertools.product((0.0, 1.0), repeat=2):
        for moves in itertools.product((-1.0, 0.0, 1.0), repeat=2):
            if monotone and set(moves) == {-1.0, 1.0}:
                continue
            for number in (-3.0, 0.0, 0.5, 1.0, 4.0):
                answer = number if row.released else ABOVE
                (
                    low,
                    high,
                ) = values
                up, down = np.add(values, moves)
                here, there = [low, low, high, high], [up, up, down, down]
                transcript = [BELOW, BELOW, answer, answer]
                if row.redrawn:
                    here, there = [low, high] * 2, [up, down] * 2
                    transcript = [BELOW, answer] * 2
                if {up, down} <= {0.0, 1.0}:
                    loss = exact_loss(row, here, there, transcript, threshold=0.0)
                    largest = max(largest, loss)
    found = exact_audit(row, num_queries=1 if row.redrawn else 2, monotone=monotone)
    assert math.isclose(found.loss, largest, rel_tol=1e-9)


def test_exact_audit_of_rows_that_never_halt_grows_with_the_stream():
    row = member("chen", cutoff=1, epsilon=CLAIMED)
    losses = [exact_audit(row, num_queries=m).loss for m in (1, 4, 16, 64)]
    assert losses[0] < CLAIMED < losses[1] and losses[3] > 20
    assert exact_audit(member("stoddard", cutoff=1, epsilon=1.0), num_queries=1).loss == math.inf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "streams"),
    [
        ("lecture11_sparse", pair(6, 1)),
        ("lee_clifton", pair(4, 1)),
        ("stoddard", pair(1, 1)),
        ("chen", pair(3, 3)),
        ("lyu_su_li_monotone", pair(8, 1)),
    ],
)
def test_every_broken_row_is_convicted(name, streams):
    """The bound lies between the claim and the truth; benchmarks/audit.py takes the time."""
    found = audit(mechanism(name), *streams, trials=50_000, confidence=0.95, rng=RNG(3))
    assert CLAIMED < found.epsilon < privacy_loss(member(name, cutoff=1, epsilon=CLAIMED))


@pytest.mark.slow
def test_numbers_are_looked_at_and_not_the_pattern_alone():
    """On this pair the pattern alone shows a loss of 1.04 at most, whatever the sample size."""
    row = member("lecture11_sparse", cutoff=1, epsilon=CLAIMED)
    values, neighbour = pair(8, 1)
    numbers = np.linspace(-80, 80, 4001)
    seen = [
        np.trapezoid(np.exp(_density(row, stream, numbers)), numbers)
        for stream in (values, neighbour)
    ]
    assert math.isclose(math.log(seen[0] / seen[1]), 1.04, abs_tol=0.005)
    found = audit(mechanism("lecture11_sparse"), values, neighbour, trials=100_000, rng=RNG(0))
    assert found.epsilon > 1.04 and found.event.side == "≤"


def _density(row, stream, numbers):
    transcript = [*[BELOW] * (len(stream) - 1), numbers]
    return log_probability(row, stream, transcript, threshold=0.0)


@pytest.mark.parametrize("name", ["above_threshold", "numeric_sparse", "lecture11_repaired"])
def test_private_rows_are_not_accused(name):
    """Each of these is refuted wrongly with probability 0.001 at most."""
    for seed, streams in enumerate((pair(4, 1), pair(1, 2))):
        found = audit(mechanism(name), *streams, trials=10_000, confidence=0.999, rng=RNG(seed))
        assert found.epsilon <= CLAIMED


def test_a_mechanism_at_its_limit_is_accused_no_more_often_than_stated():
    """A bit that flips with probability 1 / (1 + e) loses exactly 1: of 400 audits at 0.8 at most
    a fifth may say more, up to chance of 1e-6. They are not idle either: most come close.
    """
    flips = 1 / (1 + math.e)

    def respond(bit, rng):
        return bit ^ (rng.random() < flips)

    found = [
        audit(respond, 1, 0, trials=400, confidence=0.8, rng=RNG(seed)).epsilon
        for seed in range(400)
    ]
    assert sum(e > 1.0 for e in found) <= binom.ppf(1 - 1e-6, 400, 0.2)
    assert np.median(found) > 0.6


def test_the_choice_of_the_event_does_not_use_the_half_that_judges():
    """Pure noise: if the same half chose and judged, the bound would often be above 0."""

    def coin(data, rng):
        return [rng.random(), int(rng.integers(4))]

    found = [
        audit(coin, 0, 1, trials=300, confidence=0.8, rng=RNG(seed)).epsilon for seed in range(100)
    ]
    assert sum(e > 0 for e in found) <= binom.ppf(1 - 1e-6, 100, 0.2)


def test_a_bound_below_0_says_no_more_than_0():
    """A coin that reads no data: the log of the smallest ratio is negative, ε is 0 or more."""

    def coin(data, rng):
        return bool(rng.random() < 0.5)

    assert [audit(coin, 0, 1, trials=60, rng=RNG(seed)).epsilon for seed in range(5)] == [0.0] * 5


def test_a_scalar_output_is_an_output():
    """Laplace noise that is half of what it should be: loss 2 at claimed ε = 1."""

    def noisy(data, rng):
        return data + rng.laplace(scale=0.5)

    found = audit(noisy, 0.0, 1.0, trials=20_000, rng=RNG(1))
    assert 1.5 < found.epsilon < 2.0 and found.event.patterns == frozenset([(NUMBER,)])


@pytest.mark.parametrize("kind", [float, np.float32, np.array, lambda x: [x, "number"]])
def test_numbers_of_any_kind_are_numbers(kind):
    """A single-precision number, an array without axes, a number beside the word for it."""

    def noisy(data, rng):
        return kind(data + rng.laplace(scale=0.5))

    assert audit(noisy, 0.0, 1.0, trials=4000, rng=RNG(1)).epsilon > 1.2


def test_infinite_outputs_are_numbers_too():
    """What is infinite on one database alone is found out, without a warning."""

    def reckless(data, rng):
        return np.inf if rng.random() < data else rng.random()

    assert audit(reckless, 0.5, 0.0, trials=2000, rng=RNG(1)).epsilon > 4


def test_events_count_and_describe_themselves():
    sample = {(BELOW, NUMBER): [[1.0], [2.0], [3.0]], (ABOVE,): [[], []]}
    both = Event(frozenset(sample))
    cut = Event(frozenset([(BELOW, NUMBER)]), 0, "≤", 2.0)
    at_least = Event(frozenset([(BELOW, NUMBER)]), 0, "≥", 3.0)
    assert (both.count(sample), cut.count(sample), at_least.count(sample)) == (5, 2, 1)
    assert str(cut) == "⊥ number, number 1 ≤ 2"
    assert str(both) == "⊤ or ⊥ number"
    assert str(Event(frozenset([("a",), ("b",), ("c",)]))) == "a or b or one more"
    assert str(Event(frozenset([("a",), ("b",), ("c",), ("d",)]))) == "a or b or 2 more"


def test_of_some_words_those_are_chosen_whose_counts_prove_most():
    """23 against 2 prove more than 25 against 3, the two words that are likelier together."""
    here, there = {"a": 2, "b": 15, "c": 23}, {"a": 1, "b": 37, "c": 2}
    samples = [
        [defaultdict(list, {(word,): [[]] * n for word, n in counts.items()}) for _ in range(2)]
        for counts in (here, there)
    ]
    found = auditing.judge(*samples, 40, 0.95)
    assert found.event.patterns == {("c",)}
    assert (found.rate, found.lower_rate) == (23 / 40, 2 / 40)
    low, high = beta.ppf(0.025, 23, 18), beta.ppf(0.975, 3, 38)
    assert math.isclose(found.epsilon, math.log(low / high), rel_tol=1e-9)


def test_as_many_runs_as_are_announced_are_made(monkeypatch):
    """The bar is told how many runs there will be, two halves on each of two databases."""

    class Bar(contextlib.nullcontext):
        def __init__(self, *, total, **_):
            self.left = total
            super().__init__(self)

        def update(self):
            self.left -= 1

    bars = []
    monkeypatch.setattr(auditing, "tqdm", lambda **given: bars.append(Bar(**given)) or bars[0])
    for trials in (2, 7):
        bars.clear()
        audit(lambda rows, rng: rows, 0.0, 1.0, trials=trials, rng=RNG())
        assert [bar.left for bar in bars] == [0]


def test_a_thousand_million_runs_are_not_too_many():
    class Ran(Exception):
        pass

    def stops(rows, rng):
        raise Ran

    with pytest.raises(Ran):
        audit(stops, 0.0, 1.0, trials=10**9, rng=RNG())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trials": 0}, "trials must be a whole number, 2 or greater, got 0"),
        ({"trials": 1}, "trials must be a whole number, 2 or greater, got 1"),
        ({"trials": 10**9 + 1}, r"trials must be at most 1e\+09 in size, got 1e\+09"),
        ({"confidence": 1.0}, "confidence must be .* got 1"),
        ({"rng": 5}, "rng must be a numpy.random.Generator, got 5"),
    ],
)
def test_bad_input_is_named(changes, message):
    arguments = {"trials": 10, "confidence": 0.9, "rng": RNG()} | changes
    with pytest.raises(ValueError, match=message):
        audit(mechanism("sparse"), *pair(1, 1), **arguments)
    with pytest.raises(ValueError, match="num_queries must be a whole number, 1 or greater, got 0"):
        exact_audit(member("sparse", cutoff=1, epsilon=1.0), num_queries=0)
