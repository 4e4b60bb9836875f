"""Many runs of a mechanism at once, for measuring what the theorems promise.

Dense streams are simulated as the slides say, with noise for every query. Streams given as runs of
equal queries need no more work than they have runs and answers above: given the noisy threshold,
the number of ⊥ before the next ⊤ in a run is geometric.
"""

import functools
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from course_lib.exact.family import Variant, member
from course_lib.exact.integral import log_cdf
from course_lib.exact.worst_stream import in_units, unit_row, worst_runs
from course_lib.support.contracts import (
    NOT_NEGATIVE,
    ParameterError,
    check_single,
    checked_arrays,
    checked_numbers,
    shown,
)

_CELLS = 2**17  # noise drawn at a time: a megabyte, which stays in the processor's cache
_COLUMNS = 2**10
_MOST_ANSWERS = 2**30  # that are held in memory


@dataclass
class Transcripts:
    """What many runs answered: a row a run, a column for each ABOVE that it may give.

    `above` holds the places of the ABOVE in the stream, in order, and the stream's length where no
    more came; `numbers` what was released there (NaN where nothing was), None for rows that release
    nothing.
    """

    above: np.ndarray
    numbers: np.ndarray | None

    def __setitem__(self, rows, other):
        self.above[rows] = other.above
        if self.numbers is not None:
            self.numbers[rows] = other.numbers

    def largest_errors(self, values, *, threshold):
        """Of each run on these values, by how much its worst answer is off; 0 if none is."""
        values, length = np.asarray(values), len(values)
        below = np.arange(length) < self.above[:, -1:]  # what comes after was not answered
        errors = np.zeros(len(self.above))
        for answer in range(self.above.shape[1]):
            run = np.flatnonzero(self.above[:, answer] < length)
            place = self.above[run, answer]
            below[run, place] = False
            off = threshold - values[place]
            if self.numbers is not None:
                off = np.maximum(off, abs(self.numbers[run, answer] - values[place]))
            errors[run] = np.maximum(errors[run], off)
        return np.maximum(errors, np.where(below, values - threshold, 0).max(axis=1))


def no_answers(variant, trials, length):
    """The Transcripts of runs that have not answered yet."""
    shape = trials, length if variant.cutoff is None else min(variant.cutoff, length)
    return Transcripts(np.full(shape, length), np.full(shape, np.nan) if variant.released else None)


def laplace(rng, scale, out):
    """Fill an array with Lap(scale): exponentials with random signs, the fastest way NumPy has."""
    rng.standard_exponential(out=out)
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-out.size // 8)), np.uint8), count=out.size)
    out *= (1 - 2 * bits.view(np.int8)).reshape(out.shape)
    out *= scale
    return out


@checked_numbers
def run_trials(variant: Variant, values, *, threshold, trials, counts=None, rng):
    """The Transcripts of `trials` runs of any row of the family on one stream.

    `counts` gives the length of the run of equal queries that each entry of `values` stands for.
    On dense streams equal generators give equal unit noise for equal cutoffs, so that two calls
    differ by their parameters alone (beyond a thousand queries, as far as the runs halt together).
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 1:
        raise ParameterError(f"values must be a list of numbers, got {values!r}")
    if counts is None:
        rows, length = _CELLS // min(len(values), _COLUMNS), len(values)
    else:
        counts = np.asarray(counts)
        if counts.shape != values.shape:
            raise ParameterError(f"counts must have one entry per value, got {counts!r}")
        if counts.sum(dtype=float) > 2**62:
            raise ParameterError(f"counts must add up to at most 2^62, got {counts!r}")
        if variant.cutoff is None:
            raise ParameterError(f"counts must be None for {variant.name}, which never halts")
        counts = counts.astype(np.int64)
        length = counts.sum()
        rows = -(-_CELLS // min(variant.cutoff, length))
    width = length if variant.cutoff is None else min(variant.cutoff, length)
    if trials * width > _MOST_ANSWERS:
        raise ParameterError(
            f"trials must be at most {_MOST_ANSWERS // width:,} here, got {shown(trials)}"
        )
    result, room = no_answers(variant, trials, length), np.empty(_CELLS)
    for start in tqdm(range(0, trials, rows), delay=2, leave=False, desc="trials"):
        chunk = slice(start, min(start + rows, trials))
        size = chunk.stop - chunk.start
        if counts is None:
            result[chunk] = _dense(variant, values, threshold, size, rng, room)
        else:
            result[chunk] = _in_runs(variant, values, counts, threshold, size, rng)
    if variant.released == "fresh":
        seen = result.above < length
        place = result.above[seen]
        if counts is not None:
            place = np.searchsorted(counts.cumsum(), place, side="right")
        noise = laplace(rng, variant.release_scale, np.empty(len(place)))
        result.numbers[seen] = values[place] + noise
    return result


@checked_numbers
def above_threshold_trials(values, *, threshold, trials, epsilon, counts=None, rng):
    """The index of AboveThreshold's ABOVE in each run; the stream's length where there is none."""
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    stream = {"threshold": threshold, "counts": counts}
    return run_trials(row, values, **stream, trials=trials, rng=rng).above[:, 0]


def _thresholds(variant, threshold, result, rng):
    """A noisy threshold for every ABOVE that a run may give, or one for them all."""
    drawn = result.above if variant.redrawn else result.above[:, :1]
    return threshold + laplace(rng, variant.threshold_scale, np.empty(drawn.shape))


def _dense(variant, values, threshold, trials, rng, room):
    result = no_answers(variant, trials, len(values))
    noisy_thresholds = _thresholds(variant, threshold, result, rng)
    count, running = np.zeros(trials, dtype=np.int64), np.arange(trials)
    for start in range(0, len(values), _COLUMNS):
        block = values[start : start + _COLUMNS]
        noisy = room[: len(running) * len(block)].reshape(len(running), len(block))
        laplace(rng, variant.query_scale, noisy)
        noisy += block
        fill_above(variant, result, count, running, start, noisy, noisy_thresholds)
        running = running[count[running] < result.above.shape[1]]
        if not running.size:
            break
    return result


def fill_above(variant, result, count, running, start, noisy, noisy_thresholds):
    """Go on with the runs `running` through a block of the stream, whose noisy values are given.

    `start` is the block's place in the stream, `count` how many ABOVE each run has had.
    """
    lowest = noisy_thresholds.min(axis=1)[running]
    place = np.flatnonzero(noisy >= lowest[:, None])  # of all that is above some threshold
    while place.size:
        # Take them all for ⊤: that is right in each run until the first that is not.
        row, number = place // noisy.shape[1], np.arange(len(place))
        first = np.maximum.accumulate(number * np.append(True, row[1:] != row[:-1]))
        run, value = running[row], noisy.ravel()[place]
        answered = count[run] + number - first
        keep = answered < result.above.shape[1]
        below = value < noisy_thresholds[run, answered * keep if variant.redrawn else 0]
        below &= keep
        wrong_before = np.cumsum(below) - below
        left = wrong_before > wrong_before[first]
        keep &= ~left & ~below
        given = run[keep], answered[keep]
        result.above[given] = start + place[keep] % noisy.shape[1]
        if variant.released == "same":
            result.numbers[given] = value[keep]
        count[given[0]] = given[1] + 1
        place = place[left]


def _in_runs(variant, values, counts, threshold, trials, rng):
    # ⊥ to n queries has probability F^n = e^(-n·hazard): the next ⊤ comes where the hazards of
    # the queries since the last add up to an exponential draw
    result = no_answers(variant, trials, counts.sum())
    noisy_thresholds = _thresholds(variant, threshold, result, rng)
    width = result.above.shape[1]
    clock, count, start = rng.standard_exponential(trials), np.zeros(trials, dtype=np.int64), 0
    for value, length in zip(values, counts, strict=True):
        run = np.flatnonzero(count < width)
        left = np.full(len(run), length)
        while run.size:
            at = noisy_thresholds[run, count[run] if variant.redrawn else 0]
            with np.errstate(divide="ignore"):
                hazard = -log_cdf((at - value) / variant.query_scale)
                above = clock[run] < left * hazard
                within = (clock[run] / hazard)[above].astype(np.int64)
            clock[run[~above]] -= (left * hazard)[~above]
            run, left, at = run[above], left[above], at[above]
            within = np.minimum(within, left - 1)  # rounding may reach left
            given = run, count[run]
            result.above[given] = start + length - left + within
            if variant.released == "same":
                result.numbers[given] = value + _tail(rng, at - value, variant.query_scale)
            clock[run] = rng.standard_exponential(len(run))
            count[run] += 1
            left = left - within - 1
            go_on = (left > 0) & (count[run] < width)
            run, left = run[go_on], left[go_on]
        start += length
    return result


def _tail(rng, low, scale):
    """Lap(scale) given that it is at least `low`."""
    log_tail = log_cdf(-low / scale) - rng.standard_exponential(len(low))
    below_0 = np.log(2) + np.log1p(-np.exp(log_tail))
    return scale * np.where(log_tail < -np.log(2), -log_tail - np.log(2), below_0)


@checked_arrays(alpha=NOT_NEGATIVE)
def failures(variant: Variant, *, num_queries, alpha, trials, seed):
    """How many of `trials` runs fail on the worst stream, each with the probability `failure`.

    num_queries and alpha may be arrays. At each of them the noise is that of the seed, at the
    row's scales, so that two calls differ by their parameters alone.
    """
    check_single(trials=trials, seed=seed)
    if np.any(num_queries > 2**62):
        raise ParameterError(f"num_queries must be at most 2^62, got {shown(num_queries)}")
    row = unit_row(variant)
    queries, ratios = np.broadcast_arrays(num_queries, in_units(variant, alpha))
    pairs = zip(queries.ravel().tolist(), ratios.ravel().tolist(), strict=True)
    found = [_failures(row, int(k), ratio, int(trials), int(seed)) for k, ratio in pairs]
    return np.reshape(found, ratios.shape)[()]


@functools.lru_cache(maxsize=512)
def _failures(row, num_queries, alpha, trials, seed):
    signs, counts = worst_runs(row, num_queries)
    runs = run_trials(
        row,
        alpha * signs,
        counts=counts,
        threshold=0.0,
        trials=trials,
        rng=np.random.default_rng(seed),
    )
    ends = np.cumsum(counts)
    high = zip(ends[signs > 0], counts[signs > 0], strict=True)
    places = np.concatenate([np.arange(end - count, end) for end, count in high])
    more = np.full(runs.above.shape[1] - len(places), num_queries)  # ⊤ that should not come
    wrong = runs.above != np.append(places, more)
    if runs.numbers is not None:
        wrong |= abs(runs.numbers - alpha) > alpha
    return np.count_nonzero(wrong.any(axis=1))


@checked_numbers
def measured_errors(variant: Variant, values, *, threshold, trials, seed):
    """Of each of `trials` runs on these values, by how much its worst answer is off."""
    rng = np.random.default_rng(seed)
    runs = run_trials(variant, values, threshold=threshold, trials=trials, rng=rng)
    return runs.largest_errors(values, threshold=threshold)
