"""What released numbers say of their noise: fresh and of the right scale, or the compared one."""

import functools
import itertools

import numpy as np
from scipy.integrate import cumulative_trapezoid

from course_lib.checks.exercise import GAUSSIAN, is_gaussian, misfit
from course_lib.checks.sparse_task import MOST_DRAWS, columns, on_scales, record
from course_lib.exact import log_probability
from course_lib.integral import log_cdf
from course_lib.variants import BELOW, Variant

_CUTS = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
EDGES = np.array([np.log(2 * p) if p <= 0.5 else -np.log(2 * (1 - p)) for p in _CUTS])
TABLES = 3  # for each stream


def errors(stream, answers):
    """Number less value: for the first query, for the later ones, and for the first two numbers."""
    value = stream.values[0]
    off = [[x - value for x in each if x is not BELOW] for each in answers]
    opening = [each[0] is not BELOW for each in answers]
    first = np.array([each[0] for each, at_once in zip(off, opening, strict=True) if at_once])
    rest = [each[at_once:] for each, at_once in zip(off, opening, strict=True)]
    pairs = np.array([each[:2] for each in off if len(each) > 1]).reshape(-1, 2)
    return first, np.array(list(itertools.chain(*rest))), pairs


def binned(off, scale):
    """How many errors lie between the edges, for Laplace noise of this scale."""
    return np.bincount(np.searchsorted(EDGES * scale, off), minlength=len(EDGES) + 1)


def fresh(stream, scale, right):
    """The probability of each bin of the right scale, for Laplace noise of another."""
    return np.diff(np.exp(log_cdf(EDGES * (right / scale))), prepend=0.0, append=1.0)


@functools.cache
def compared(stream, threshold_scale, query_scale, right):
    """The same for the first query if the number carries the noise that was compared."""
    row = Variant("compared", threshold_scale, query_scale, False, "same", 1)
    noise = np.linspace(-25, 25, 2001) * query_scale
    value = np.full((len(noise), 1), stream.values[0])
    logs = log_probability(row, value, [value[:, 0] + noise], threshold=stream.threshold)
    mass = cumulative_trapezoid(np.exp(logs - logs.max()), initial=0)
    at_edges = np.interp(EDGES * right, noise, mass / mass[-1])
    return np.diff(at_edges, prepend=0.0, append=1.0)


def refuted(task, collected, level):
    """What refutes fresh noise of the right scale, in words; None if nothing does."""
    level = level / (TABLES * len(task.streams))
    for stream, (first, later, pairs) in zip(task.streams, collected, strict=True):
        right = task.scales(stream)[2]
        law = fresh(stream, right, right)
        for which, off in (("the first query", first), ("a later query", later)):
            found = len(off) and misfit(binned(off, right), law, level=level)
            if found:
                seen = _seen(found, EDGES * right, len(off))
                return f"With {stream}, number − value, for {which}, is {seen}"
        equal = int((pairs[:, 0] * pairs[:, 1] > 0).sum())
        found = len(pairs) and misfit([equal, len(pairs) - equal], [0.5, 0.5], level=level)
        if found:
            return (
                f"With {stream}, the first two numbers of a run are off to the same side in "
                f"{equal / len(pairs):.1%} of {len(pairs):,} runs; it should be 50.0%."
            )
    return None


def _seen(found, edges, size):
    which, at_most, measured, exact = found
    shown = [f"{edge:.3g}".replace("-", "−") for edge in edges]
    if at_most or which == 0:
        event = f"at most {shown[which]}"
    elif which == len(edges):
        event = f"more than {shown[-1]}"
    else:
        event = f"between {shown[which - 1]} and {shown[which]}"
    return f"{event} in {measured:.1%} of {size:,} cases; it should be {exact:.1%}."


def diagnosis(task, mechanism, collected, words):
    """What is likely wrong with the noise of the numbers; `words` for each kind of slip."""
    off = np.concatenate([each for first, later, _ in collected for each in (first, later)])
    tiny = 1e-6 * task.right(2).min()
    if np.abs(off).max() < tiny:
        return words["none"]
    apart = np.concatenate([np.ptp(pairs, axis=1) for _, _, pairs in collected])
    if len(apart) and apart.max() < tiny:
        return words["one"]
    draws = [record(task, mechanism, stream) for stream in task.settings]
    if is_gaussian(draws, most=MOST_DRAWS):
        return GAUSSIAN
    right = [task.right(which) for which in range(3)]
    recorded = [scales for scales in columns(draws) if not np.allclose(scales, right[2])]
    for scales in recorded:
        if not _refutes(task, collected, fresh, scales):
            return _on_fresh(task, scales)
    for pair in [right[:2], *itertools.permutations(recorded, 2)]:
        if not _refutes(task, collected, compared, *pair):
            return words["compared"]
    for factor in task.known_fresh:
        scales = right[2] * [factor(stream) for stream in task.settings]
        if not _refutes(task, collected, fresh, scales):
            return f"your numbers come out as with this slip: {_on_fresh(task, scales)}"
    return words["other"]


def _on_fresh(task, scales):
    return on_scales(task, (None, None, scales), (2,))


def _refutes(task, collected, law, *scales):
    """Does some stream refute this law? That of compared noise is for the first query alone."""
    for stream, (first, later, _), *each in zip(task.streams, collected, *scales, strict=False):
        right = task.scales(stream)[2]
        seen = binned(first if law is compared else np.append(first, later), right)
        if not seen.sum() or misfit(seen, law(stream, *map(float, each), right), level=1e-6):
            return True
    return False
