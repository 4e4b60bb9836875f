"""What released numbers say of their noise: fresh and of the right scale, or the compared one."""

import functools
import itertools

import numpy as np
from scipy.integrate import cumulative_trapezoid

from course_lib.checks.exercise import GAUSSIAN, is_gaussian, misfit
from course_lib.checks.sparse_task import MOST_DRAWS, columns, on_scales, record
from course_lib.exact.family import Variant
from course_lib.exact.integral import log_cdf
from course_lib.exact.transcripts import log_probability
from course_lib.support.answers import BELOW

_CUTS = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
EDGES = np.array([np.log(2 * p) if p <= 0.5 else -np.log(2 * (1 - p)) for p in _CUTS])
PAIR_EDGES = np.union1d(EDGES, [-0.02, 0.02])  # two equal errors fall between these
_ORDINALS = ("first", "second", "third")


def collect(stream, answers):
    """The errors, number less value, in tables {kind: {words: errors}}.

    Given where the numbers stand, errors of fresh noise are independent and all of one law. The
    first query shows noise that was compared there, be it the query’s or the threshold’s; what is
    answered before and after a number shows noise that was compared there; the difference of two
    numbers shows what their noises share.
    """
    size, value = len(stream.values), stream.values[0]
    off = np.full((len(answers), size + 2), np.nan)  # before and after all answers there is none
    for row, each in zip(off, answers, strict=True):
        row[1 : len(each) + 1] = [np.inf if answer is BELOW else answer - value for answer in each]
    before, off, after = off[:, :-2], off[:, 1:-1], off[:, 2:]
    number = np.isfinite(off)
    of = "number − value, "
    tables = {
        "first": {f"{of}for the first query,": off[number & np.isnan(before)]},
        "later": {
            f"{of}right after a ⊥,": off[number & np.isinf(before)],
            f"{of}right after another number,": off[number & np.isfinite(before)],
        },
        "next": {
            f"{of}right before a ⊥,": off[number & np.isinf(after)],
            f"{of}right before another number,": off[number & np.isfinite(after)],
            f"{of}of the last answer,": off[number & np.isnan(after)],
        },
        "pair": {},
    }
    which = number * number.cumsum(axis=1)
    for i, j in itertools.combinations(range(stream.cutoff), 2):
        rows = (which == j + 1).any(axis=1)
        one, two = (off[rows][which[rows] == each + 1] for each in (i, j))
        words = f"the error of the {_ORDINALS[i]} number less that of the {_ORDINALS[j]}"
        tables["pair"][words] = one - two
    return tables


def binned(off, edges):
    """How many errors lie between the edges."""
    return np.bincount(np.searchsorted(edges, off), minlength=len(edges) + 1)


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


def compared_rescaled(stream, threshold_scale, query_scale, right):
    """The same if that noise is brought to the right scale before it is released."""
    return compared(stream, threshold_scale, query_scale, query_scale)


def difference():
    """The probability of each bin of the right scale, for the difference of two errors."""
    tail = (2 + np.abs(PAIR_EDGES)) * np.exp(-np.abs(PAIR_EDGES)) / 4
    return np.diff(np.where(PAIR_EDGES < 0, tail, 1 - tail), prepend=0.0, append=1.0)


def refuted(task, collected, level):
    """The kind of table that refutes fresh noise of the right scale, and why; or None."""
    level = level / sum(len(tables) for kinds in collected for tables in kinds.values())
    for kind in collected[0]:
        for stream, kinds in zip(task.streams, collected, strict=True):
            right = task.scales(stream)[2]
            edges, law = EDGES * right, fresh(stream, right, right)
            if kind == "pair":
                edges, law = PAIR_EDGES * right, difference()
            for words, off in kinds[kind].items():
                found = len(off) and misfit(binned(off, edges), law, level=level)
                if found:
                    return kind, f"With {stream}, {words} is {_seen(found, edges, len(off))}"
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


def diagnosis(task, mechanism, collected, kind, words):
    """What is likely wrong with the noise of the numbers; `words` for each kind of slip."""
    tiny = 1e-6 * task.right(2).min()
    first, later, apart = (
        np.concatenate([_errors(kinds, kind) for kinds in collected])
        for kind in ("first", "later", "pair")
    )
    if np.abs(np.append(first, later)).max() < tiny:
        return words["none"]
    equal = np.abs(apart) < tiny
    if len(equal) and equal.all():
        return words["one"]
    if kind == "pair" and equal.mean() > 0.01:
        return words["equal"]
    if kind in ("next", "pair") or (kind == "later" and len(first)):
        return words[kind]
    draws = [record(task, mechanism, stream) for stream in task.settings]
    if is_gaussian(draws, most=MOST_DRAWS):
        return GAUSSIAN
    right = [task.right(which) for which in range(3)]
    recorded = [scales for scales in columns(draws) if not np.allclose(scales, right[2])]
    for scales in recorded:
        if not _refutes(task, collected, fresh, scales):
            return _on_fresh(task, scales)
    for pair in [right[:2], *itertools.permutations(recorded, 2)]:
        for law in (compared, compared_rescaled):
            if not _refutes(task, collected, law, *pair):
                return words["compared"]
    for factor in task.known_fresh:
        scales = right[2] * [factor(stream) for stream in task.settings]
        if not _refutes(task, collected, fresh, scales):
            return f"your numbers come out as with this slip: {_on_fresh(task, scales)}"
    return words["other"]


def _errors(kinds, *names):
    return np.concatenate([off for name in names for off in kinds[name].values()])


def _on_fresh(task, scales):
    return on_scales(task, (None, None, scales), (2,))


def _refutes(task, collected, law, *scales):
    """Does some stream refute this law? That of compared noise is for the first query alone."""
    names = ("first", "later") if law is fresh else ("first",)
    for stream, kinds, *each in zip(task.streams, collected, *scales, strict=False):
        right = task.scales(stream)[2]
        seen = binned(_errors(kinds, *names), EDGES * right)
        if not seen.sum() or misfit(seen, law(stream, *map(float, each), right), level=1e-6):
            return True
    return False
