"""Runs that show, or do not show, what is lost: Lecture 11's Sparse, and the last bits of a count.

Noise is drawn at unit scale for a seed and kept, so that what changes is the parameters' doing; of
the runs of a seed the first `trials` are looked at. A mechanism of the reader's own gets the same
noise, draw by draw. T = 0 and lengths are in units of 1/n, as in exact.is_it_private.
"""

import functools
import itertools
from collections import defaultdict
from dataclasses import replace
from operator import itemgetter

import numpy as np
from tqdm import tqdm

from course_lib.exact.family import ROWS, Variant, member, privacy_loss
from course_lib.exact.is_it_private import WITHIN_REACH
from course_lib.lab.audit import audit, exact_audit, judge
from course_lib.lab.confidence import log_ratio_interval
from course_lib.lab.noise import GivenNoise
from course_lib.lab.own_mechanism import own
from course_lib.lab.trials import laplace
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import (
    COUNT,
    TWO_OR_MORE,
    ParameterError,
    checked_numbers,
    shown,
)

RUNS, AUDIT_RUNS = 400_000, 100_000  # of a seed
MEASURABLE = 8  # times ⊥, and then a number: more are too rare to be seen
MOST_BELOW = 12  # that an attacker waits for
AUDITED_BELOW = 9
_ATTACKERS = 100_000  # at a time
_QUERIES = [itemgetter(i) for i in range(1 + MOST_BELOW)]
_MOST_DRAWS = 2**27


def _answering(mechanism, seed, **parameters):
    """A function of a stream and of unit noise that starts a run of the mechanism.

    What a run draws beyond the noise given is new.
    """
    mechanism = own(mechanism, **parameters)
    more, left = np.random.default_rng(seed), iter(())
    # one generator for all runs, so that what a run draws by other methods differs from the last
    rng = GivenNoise(lambda scale: scale * next(left))

    def run(values, units):
        nonlocal left
        left = itertools.chain(units, iter(more.laplace, None))
        rng.draws.clear()
        return iter(mechanism(values, _QUERIES[: len(values)], rng=rng))

    return run


def _comes(run, num_below, cut):
    """Whether m times ⊥ come and then a number of at most `cut`; None if the ⊥ do not come."""
    for _ in range(num_below):
        if next(run, None) is not BELOW:
            return None
    number = next(run, None)
    return isinstance(number, float) and number <= cut


def _bar(runs):
    return tqdm(runs, delay=2, leave=False, desc="your mechanism")


@checked_numbers(num_below=replace(COUNT, most=MEASURABLE), trials=replace(COUNT, most=RUNS))
def measured_losses(*, num_below, trials, cutoff, epsilon, seed, mechanism=None):
    """The log-ratio of the rates of “m times ⊥, then a number of at most 0”, and its interval.

    For m = 1, …, num_below. It is infinite where one of them was never seen. All intervals hold at
    once with 95%. A `mechanism` takes the place of sparse_as_printed, and its parameters.
    """
    losses = _measured_losses(mechanism, num_below, trials, cutoff, epsilon, seed)
    return tuple(array.copy() for array in losses)


@functools.lru_cache(maxsize=128)
def _measured_losses(mechanism, num_below, trials, cutoff, epsilon, seed):
    seen = (_own_low_events if mechanism else _low_events)(
        mechanism, num_below, trials, cutoff, epsilon, seed
    )
    ratio = np.full(num_below, np.inf)
    both = seen.all(axis=0)
    ratio[both] = np.log(np.divide(*seen[:, both]))
    # of 2 · num_below rates each has its share of the doubt
    return ratio, *log_ratio_interval(*seen, trials, confidence=1 - 0.05 / (2 * num_below))


def _low_events(_, num_below, trials, cutoff, epsilon, seed):
    """How often each m gives the event: a row for the values 0, one for the values 1."""
    threshold, last, kept, largest = _low_numbers(seed)
    kept = kept[: np.searchsorted(kept, trials)]
    query_scale, bars = 2 * cutoff / epsilon, 2 / epsilon * threshold[kept]
    shown = np.flatnonzero(bars <= query_scale * last[kept])
    seen = np.zeros((2, num_below), dtype=int)
    for value in (0, 1):
        run = shown
        for m in range(num_below):
            run = run[query_scale * largest[m, run] + value < bars[run]]
            seen[value, m] = len(run)
    return seen


@functools.lru_cache(maxsize=1)
def _low_numbers(seed):
    """Lap(1) for the threshold and for the last query, and then, where both are negative, for the
    largest of each number of queries before it; other runs end in no number of at most 0.
    """
    threshold, last, kept, noise = _low_noise(seed)
    return threshold, last, kept, np.maximum.accumulate(noise.T.copy(), axis=0)


def _low_noise(seed):
    rng = np.random.default_rng(seed)
    threshold, last = laplace(rng, 1.0, np.empty((2, RUNS)))
    kept = np.flatnonzero((threshold < 0) & (last < 0))
    return threshold, last, kept, laplace(rng, 1.0, np.empty((len(kept), MEASURABLE)))


def _own_low_events(mechanism, num_below, trials, cutoff, epsilon, seed):
    threshold, last, kept, drawn = _low_noise(seed)
    noise = laplace(np.random.default_rng([seed, 1]), 1.0, np.empty((trials, MEASURABLE)))
    kept = kept[: np.searchsorted(kept, trials)]
    noise[kept] = drawn[: len(kept)]
    run = _answering(mechanism, [seed, 2], n=1, threshold=0.0, cutoff=cutoff, epsilon=epsilon)
    seen = np.zeros((2, num_below), dtype=int)
    for i in _bar(range(trials)):
        for value in (0, 1):
            for m in range(1, num_below + 1):
                units = threshold[i], *noise[i, :m].tolist(), last[i]
                came = _comes(run([float(value)] * m + [0.0], units), m, 0)
                if came is None:  # nor does it after more of these queries
                    break
                seen[value, m - 1] += came
    return seen


@checked_numbers(num_below=replace(COUNT, most=MOST_BELOW), trials=replace(COUNT, most=RUNS))
def announcements(*, num_below, cut, trials, epsilon, seed, mechanism=None):
    """How often the attacker speaks in these runs: in poor health (value 0), and not (1).

    She does if m times ⊥ come and then a number of at most `cut`; c = 1. A `mechanism` takes the
    place of sparse_as_printed, and its parameters.
    """
    if mechanism:
        return list(_own_announcements(mechanism, num_below, cut, trials, epsilon, seed))
    counts = []
    for value in (0, 1):
        threshold, last, *steps = _announcing(seed, value)
        run, largest = steps[num_below - 1]
        run = run[: np.searchsorted(run, trials)]
        below = largest[: len(run)] + value * epsilon / 2 < threshold[run]
        counts.append(int(np.count_nonzero(below & (2 / epsilon * last[run] <= cut))))
    return counts


@checked_numbers(size=replace(COUNT, most=1000))
def first_announcements(*, size, seed):
    """Attackers with one run and one row each, at ε = c = 1: the first who announce “poor health”.

    She announces after four times ⊥ and a number of at most 0. Beforehand her row is in poor health
    with probability ½. Returned are whether it is, and the how-manieth attacker each of them is.
    """
    return tuple(array.copy() for array in _first_announcements(size, seed))


@functools.lru_cache(maxsize=8)
def _first_announcements(size, seed):
    rng, poor, places = np.random.default_rng(seed), [], []
    for before in itertools.count(step=_ATTACKERS):
        state = rng.random(_ATTACKERS) < 0.5
        threshold, last, *noise = laplace(rng, 2.0, np.empty((6, _ATTACKERS)))
        below = np.max(noise, axis=0) + ~state < threshold
        speaks = np.flatnonzero(below & (threshold <= last) & (last <= 0))
        poor.extend(state[speaks])
        places.extend(before + 1 + speaks)
        if len(poor) >= size:
            return np.array(poor[:size]), np.array(places[:size])


@functools.lru_cache(maxsize=2)
def _announcing(seed, state):
    """Lap(1) for threshold and last query of all runs, and what each query before it leaves.

    A step leaves the runs that go on, and their largest noise so far: with equal scales (c = 1)
    only those whose threshold is larger than this get ⊥ from values of 0 or more, and only those
    whose last noise is larger still end in a number.
    """
    threshold, last, steps = _announcing_noise(seed, state)
    left = [(goes_on.astype(np.int32), largest) for *_, goes_on, largest in steps]
    return threshold, last, *left


def _announcing_noise(seed, state):
    """The same, and before that of each step the runs that draw, and their noise.

    Each of the two states of the row has noise of its own: the intervals need independent runs.
    """
    rng = np.random.default_rng([seed, state])
    threshold, last = laplace(rng, 1.0, np.empty((2, RUNS)))
    return threshold, last, _announcing_steps(rng, threshold, last)


def _announcing_steps(rng, threshold, last):
    run = np.flatnonzero(threshold <= last)
    bars, largest = threshold[run], np.full(len(run), -np.inf)
    for _ in range(MOST_BELOW):
        noise = laplace(rng, 1.0, np.empty(len(run)))
        largest = np.maximum(largest, noise)
        below = np.flatnonzero(largest < bars)
        bars, largest = bars[below], largest[below]
        yield run, noise, run[below], largest
        run = run[below]


@functools.lru_cache(maxsize=32)
def _own_announcements(mechanism, num_below, cut, trials, epsilon, seed):
    run = _answering(mechanism, [seed, 3], n=1, threshold=0.0, cutoff=1, epsilon=epsilon)
    counts = np.zeros(2, dtype=int)
    for value in (0, 1):
        threshold, last, steps = _announcing_noise(seed, value)
        rng = np.random.default_rng([seed, value, 1])
        noise = laplace(rng, 1.0, np.empty((trials, MOST_BELOW)))
        for step, (drawing, drawn, *_) in enumerate(steps):
            some = drawing[: np.searchsorted(drawing, trials)]
            noise[some, step] = drawn[: len(some)]
        values = [float(value)] * num_below + [0.0]
        for i in _bar(range(trials)):
            units = threshold[i], *noise[i, :num_below].tolist(), last[i]
            counts[value] += bool(_comes(run(values, units), num_below, cut))
    return tuple(counts.tolist())


@checked_numbers(
    num_below=replace(COUNT, most=AUDITED_BELOW), trials=replace(TWO_OR_MORE, most=AUDIT_RUNS)
)
def audited(variant: Variant, *, num_below, trials, epsilon, seed, mechanism=None):
    """The sampled Audit of a row that halts at its first ⊤, on m values 0 and one 1.

    On the neighbour the m values are 1 and the last is 0. A `mechanism` takes the row's place, and
    the parameters of above_threshold.
    """
    half = trials // 2
    noise = [_audit_noise(seed, draw)[:, :half] for draw in range(num_below + 2)]
    streams = [0.0] * num_below + [1.0], [1.0] * num_below + [0.0]
    if mechanism is None:
        samples = [
            _first_above(variant, streams[i // 2], [draw[i] for draw in noise]) for i in range(4)
        ]
        return judge(samples[:2], samples[2:], half, 0.95)
    run = _answering(mechanism, [seed, 1], threshold=0.0, epsilon=epsilon)
    units = (each.tolist() for sample in np.stack(noise, axis=-1) for each in sample)

    def own(values, _):
        return itertools.islice(run(values, next(units)), len(values) + 1)

    return audit(own, *streams, trials=2 * half, rng=np.random.default_rng(0))


@functools.lru_cache(maxsize=AUDITED_BELOW + 2)
def _audit_noise(seed, draw):
    """Lap(1) for one draw in all runs, a row for each of four samples: two on each stream."""
    rng = np.random.default_rng([seed, draw])
    return laplace(rng, 1.0, np.empty((4, AUDIT_RUNS // 2)))


def _first_above(variant, values, noise):
    """How often each pattern of answers comes, as the auditor has it: those seen first, first."""
    threshold, *noise = noise
    bars, place = variant.threshold_scale * threshold, np.full(len(threshold), len(values))
    for i in reversed(range(len(values))):
        place[values[i] + variant.query_scale * noise[i] >= bars] = i
    counts = np.bincount(place)
    sample = defaultdict(list)
    for below in sorted(np.flatnonzero(counts).tolist(), key=lambda i: np.argmax(place == i)):
        sample[(BELOW,) * below + (ABOVE,) * (below < len(values))] = range(counts[below])
    return sample


@checked_numbers(
    num_below=replace(COUNT, most=10_000), cutoff=replace(COUNT, most=100), epsilon=WITHIN_REACH
)
def published_losses(*, num_below, cutoff, epsilon, monotone=False):
    """For each of ROWS: the largest loss that the exact auditor finds, and the supremum."""
    return _published_losses(num_below, cutoff, epsilon, bool(monotone)).copy()


@functools.lru_cache(maxsize=64)
def _published_losses(num_below, cutoff, epsilon, monotone):
    losses = []
    for name in ROWS:
        row = member(name, cutoff=1 if name == "above_threshold" else cutoff, epsilon=epsilon)
        found = exact_audit(row, num_queries=num_below, monotone=monotone)
        losses.append((found.loss, privacy_loss(row, monotone=monotone)))
    return np.array(losses, dtype=float)


@checked_numbers
def noisy_counts(*, trials, epsilon, seed, mechanism=None):
    """Outputs of the Laplace mechanism, as NumPy draws its noise, for the counts 0 and 1.

    A `mechanism` takes the place of laplace_mechanism, and its parameters.
    """
    if 2 * trials > _MOST_DRAWS:
        raise ParameterError(
            f"trials must need at most {_MOST_DRAWS:,} draws of noise, got {shown(trials)}"
        )
    if mechanism:
        return _own_counts(mechanism, trials, epsilon, seed).copy()
    rng = np.random.default_rng(seed)
    return np.array([[0.0], [1.0]]) + rng.laplace(scale=1 / epsilon, size=(2, trials))


@functools.lru_cache(maxsize=4)
def _own_counts(mechanism, trials, epsilon, seed):
    rng = np.random.default_rng(seed)
    outputs = [
        mechanism(count, float, epsilon=epsilon, rng=rng)
        for count in (0, 1)
        for _ in _bar(range(trials))
    ]
    return np.array(outputs, dtype=float).reshape(2, trials)


@checked_numbers
def on_lattice(values, *, places):
    """The values rounded to multiples of 2^-places; exact: a power of two only moves the point."""
    return np.ldexp(np.rint(np.ldexp(np.asarray(values, dtype=float), places)), -places)


@checked_numbers
def multiples(values, *, places):
    """How many of the values, along the last axis, are multiples of 2^-places."""
    scaled = np.ldexp(np.asarray(values, dtype=float), places)
    return np.count_nonzero(np.rint(scaled) == scaled, axis=-1)
