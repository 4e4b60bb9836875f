"""NumericSparse measured: the errors of its numbers, and which noise each query of a run met."""

import functools
from dataclasses import replace

import numpy as np

from course_lib.exact.family import member
from course_lib.exact.worst_stream import unit_row
from course_lib.lab.trials import measured_errors
from course_lib.support.answers import BELOW
from course_lib.support.contracts import COUNT, checked_numbers


@checked_numbers(cutoff=replace(COUNT, most=1e6))
def number_errors(*, cutoff, trials, seed):
    """Of each run the largest error of its c numbers, in units of their noise."""
    return np.array(_number_errors(cutoff, trials, seed))


@functools.lru_cache(maxsize=32)
def _number_errors(cutoff, trials, seed):
    row = unit_row(member("numeric_sparse", cutoff=cutoff, epsilon=1.0))
    far = np.full(cutoff, 1e4)  # above T = 0, so that each query gets its number
    return measured_errors(row, far, threshold=0.0, trials=trials, seed=seed) / row.release_scale


def noise_by_query(noise, transcript, *, cutoff):
    """For each query of a run the threshold noise that it met and its own, from all in order."""
    noise = iter(noise)
    threshold, met, own, count = next(noise), [], [], 0
    for answer in transcript:
        met.append(threshold)
        own.append(next(noise))
        if answer is not BELOW:
            next(noise)  # that of the released number
            count += 1
            threshold = next(noise) if count < cutoff else None
    return np.array(met), np.array(own)
