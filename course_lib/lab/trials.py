"""Many runs of a mechanism at once, for measuring what the theorems promise.

Dense streams are simulated as the slide says, with noise for every query. Streams given as runs of
equal queries need no more work than they have runs: given the noisy threshold, the number of ⊥
before the first ⊤ in a run is geometric.
"""

import numpy as np
from tqdm import tqdm

from course_lib.contracts import ParameterError, checked
from course_lib.integral import log_cdf
from course_lib.variants import variant

_CELLS = 2**16  # noise drawn at a time: half a megabyte, which stays in the processor's cache
_COLUMNS = 2**10


def laplace(rng, scale, out):
    """Fill an array with Lap(scale): exponentials with random signs, the fastest way NumPy has."""
    rng.standard_exponential(out=out)
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-out.size // 8)), np.uint8), count=out.size)
    out *= (1 - 2 * bits.view(np.int8)).reshape(out.shape)
    out *= scale
    return out


def first_above(values, noisy_thresholds, noise):
    """In each row of noise, the index of the first ABOVE; the stream's length where there is none.

    The noise is overwritten with the noisy values.
    """
    noise += values
    above = noise >= noisy_thresholds[:, None]
    first = above.argmax(axis=1)
    first[~above[np.arange(len(first)), first]] = len(values)
    return first


@checked
def above_threshold_trials(values, *, threshold, trials, epsilon, counts=None, rng):
    """The index of the first ABOVE in each of `trials` runs; the stream's length where none is.

    `counts` gives the length of the run of equal queries that each entry of `values` stands for.
    Equal generators give equal unit noise, so that two calls differ by their parameters alone.
    """
    row = variant("above_threshold", cutoff=1, epsilon=epsilon)
    values, trials = np.asarray(values, dtype=float), int(trials)
    if values.ndim != 1:
        raise ParameterError(f"values must be a list of numbers, got {values!r}")
    if counts is None:
        rows = _CELLS // min(len(values), _COLUMNS)
    else:
        rows, counts = _CELLS, np.asarray(counts)
        if counts.shape != values.shape:
            raise ParameterError(f"counts must have one entry per value, got {counts!r}")
        if counts.sum(dtype=float) > 2**62:
            raise ParameterError(f"counts must add up to at most 2^62, got {counts!r}")
        counts = counts.astype(np.int64)
    first, noise = np.empty(trials, dtype=np.int64), np.empty(_CELLS)
    for start in tqdm(range(0, trials, rows), delay=2, leave=False, desc="trials"):
        chunk = first[start : start + rows]
        noisy_thresholds = threshold + laplace(rng, row.threshold_scale, np.empty(len(chunk)))
        if counts is None:
            chunk[:] = _dense(values, noisy_thresholds, row.query_scale, noise, rng)
        else:
            chunk[:] = _in_runs(values, counts, noisy_thresholds, row.query_scale, rng)
    return first


def _dense(values, noisy_thresholds, scale, noise, rng):
    first = np.full(len(noisy_thresholds), len(values))
    running = np.arange(len(noisy_thresholds))
    for start in range(0, len(values), _COLUMNS):
        block = values[start : start + _COLUMNS]
        part = noise[: len(running) * len(block)].reshape(len(running), len(block))
        found = first_above(block, noisy_thresholds[running], laplace(rng, scale, part))
        halted = found < len(block)
        first[running[halted]] = start + found[halted]
        running = running[~halted]
        if not running.size:
            break
    return first


def _in_runs(values, counts, noisy_thresholds, scale, rng):
    # ⊥ to n queries has probability F^n = e^(-n·hazard): the first ⊤ comes where the hazards of
    # the queries so far add up to an exponential draw
    left = rng.standard_exponential(len(noisy_thresholds))
    first = np.full(len(noisy_thresholds), counts.sum())
    running = np.ones(len(noisy_thresholds), dtype=bool)
    start = 0
    for value, count in zip(values, counts, strict=True):
        hazard = -log_cdf((noisy_thresholds - value) / scale)
        halts = running & (left < count * hazard)
        within = (left[halts] / hazard[halts]).astype(np.int64)
        first[halts] = start + np.minimum(within, count - 1)  # rounding may reach count
        left = left - count * hazard
        running &= ~halts
        start += count
    return first
