"""Composition, exactly: what mechanisms lose together at worst, and how many a total allows."""

import bisect
import functools
import math
from dataclasses import replace

import numpy as np
from scipy.special import betainc, expit
from scipy.stats import binom

from course_lib.support.contracts import COUNT, PROPER, checked_arrays, checked_numbers, theorem
from course_lib.toolbox import advanced_composition, basic_composition

_MOST = 10**7  # runs that affordable_runs looks at
_RUNS = replace(COUNT, most=1e12)  # the sum has about 14 sqrt(runs) terms


@theorem(
    "Exact composition",
    source="Kairouz, Oh & Viswanath 2015",
    latex=r"\delta(\varepsilon) = \sum_{y:\,(c-2y)\varepsilon_0 > \varepsilon} \binom cy"
    r"\frac{e^{(c-y)\varepsilon_0} - e^{\varepsilon + y\varepsilon_0}}{(1+e^{\varepsilon_0})^c}",
    runs=_RUNS,
)
def exact_composition_delta(*, runs, epsilon, total):
    """The smallest delta at which any `runs` mechanisms of epsilon each are (total, delta)-private.

    It is that of randomised response, worse than which no epsilon-private mechanism composes. If y
    of the runs flip their bit, the loss is (runs - 2y) epsilon, and y is binomial.
    """
    return _exact_delta(runs, epsilon, total)


def _exact_delta(runs, epsilon, total):
    shape = np.broadcast_shapes(*map(np.shape, (runs, epsilon, total)))
    runs, epsilon, total = (np.broadcast_to(x, shape).ravel() for x in (runs, epsilon, total))
    flip, reach = expit(-epsilon), 7 * np.sqrt(runs)  # from the mean; beyond, less than 1e-40
    with np.errstate(over="ignore"):  # an infinite loss is beyond every total
        most = np.ceil((runs - np.minimum(total / epsilon, runs)) / 2) - 1  # loss above the total
        first = np.maximum(np.floor(np.minimum(most, runs * flip) - reach), 0)
        after = np.minimum(most, np.ceil(runs * flip + reach)) + 1
        flips = np.concatenate([np.arange(*ends) for ends in zip(first, after, strict=True)])
        of = np.repeat(np.arange(len(runs)), (after - first).astype(int))
        beyond = -np.expm1(total[of] - (runs[of] - 2 * flips) * epsilon[of])
    terms = binom.pmf(flips, runs[of], flip[of]) * beyond
    sums = np.bincount(of, terms, minlength=len(runs)).astype(float)
    return np.minimum(sums, 1).reshape(shape)[()]


@checked_arrays(runs=_RUNS)
def exact_composition_epsilon(*, runs, epsilon, delta):
    """The smallest total at which any `runs` mechanisms of epsilon each are (total, delta)-private.

    There exact_composition_delta is delta; it is 0 where even that of total 0 is no more.
    """
    given = np.broadcast_arrays(runs, epsilon, delta)
    found = _kept_total(*(tuple(x.ravel().tolist()) for x in given))
    return np.reshape(found, given[0].shape)[()]


@functools.lru_cache(maxsize=16)
def _kept_total(runs, epsilon, delta):
    return tuple(map(_total, runs, epsilon, delta))


def _total(runs, epsilon, delta):
    if delta == 0:
        return runs * epsilon
    # beyond this reach from the mean, by Hoeffding, there is less than 1e-20 delta
    mean, reach = runs * expit(-epsilon), math.sqrt(runs * (46 - math.log(delta)) / 2)
    most = math.ceil(runs / 2) - 1  # a loss above 0
    flips = np.arange(max(0, math.floor(mean - reach)), min(most, math.ceil(mean + reach)) + 1)
    terms = binom.pmf(flips, runs, expit(-epsilon))
    # with `a` the sum of the terms so far, and e^b that of each over e^loss, a - e^(total + b) is
    # the delta of every total between the last loss so far and the next
    loss, a = (runs - 2 * flips) * epsilon, np.cumsum(terms)
    with np.errstate(divide="ignore", invalid="ignore"):
        b = np.logaddexp.accumulate(np.log(terms) - loss)
        enough = np.log(a - delta) - b
    after = np.maximum(loss - 2 * epsilon, 0)
    reached = np.flatnonzero(enough > after)  # where delta is spent before the next loss
    return min(enough[reached[0]], loss[reached[0]]) if len(reached) else 0.0


@checked_arrays(runs=replace(COUNT, most=1e7), delta=PROPER)
def exact_per_run(*, runs, epsilon, delta):
    """The largest epsilon for each of `runs` runs that keeps the total, exactly, to nine digits."""
    given = np.broadcast_arrays(runs, epsilon, delta)
    found = _kept_per_run(*(tuple(x.ravel().tolist()) for x in given))
    return np.reshape(found, given[0].shape)[()]


@functools.lru_cache(maxsize=64)
def _kept_per_run(runs, epsilon, delta):
    runs, epsilon, delta = (np.array(x) for x in (runs, epsilon, delta))
    low = high = epsilon / runs  # basic composition always keeps it
    while (kept := _quick_delta(runs, high, epsilon) <= delta).any():
        low, high = np.where(kept, high, low), np.where(kept, 2 * high, high)
    for _ in range(32):
        middle = (low + high) / 2
        kept = _quick_delta(runs, middle, epsilon) <= delta
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    return tuple(low.tolist())


def _quick_delta(runs, epsilon, total):
    """What _exact_delta sums up, to nine digits, in a hundredth of its time if runs are many.

    A binomial's tail less e^total times that of its mirror image: the sum itself only where the
    two are so close that their difference would lose digits, or the image has too few itself.
    """
    most = np.ceil((runs - total / epsilon) / 2) - 1  # of the runs that flip, for more than total
    found, some = np.zeros(len(runs)), most >= 0
    ends = (runs - most)[some], most[some] + 1
    tail, mirrored = (betainc(*ends, expit(sign * epsilon[some])) for sign in (1, -1))
    found[some] = tail - np.exp(np.minimum(total[some], 700)) * mirrored  # beyond, the sum
    some[some] = (tail > 1e-305) & ((found[some] < 1e-3 * tail) | (mirrored < 1e-290))
    if some.any():
        found[some] = _exact_delta(runs[some], epsilon[some], total[some])
    return found


@checked_numbers(delta=PROPER)
def affordable_runs(*, epsilon, total, delta):
    """How many runs of epsilon a total allows: by basic and by advanced composition, and exactly.

    Up to ten million.
    """
    rounded = total * (1 + 1e-12)  # 0.1 is not a tenth
    basic = _last(lambda k: basic_composition(runs=k, epsilon=epsilon) <= rounded)
    advanced = _last(
        lambda k: advanced_composition(runs=k, epsilon=epsilon, delta=delta) <= rounded
    )
    return basic, advanced, _last(lambda k: _exact_delta(k, epsilon, total) <= delta)


def _last(test):
    """The largest number up to ten million that passes a test that all smaller ones pass."""
    low, high = 0, 1
    while high <= _MOST and test(high):
        low, high = high, 2 * high
    above = range(low + 1, min(high, _MOST + 1))
    return low + bisect.bisect_left(above, True, key=lambda k: not test(k))
