"""Composition, exactly: what mechanisms lose together at worst, and how many a total allows."""

import bisect
import functools
from dataclasses import replace

import numpy as np
from scipy.optimize.elementwise import find_root
from scipy.special import expit
from scipy.stats import binom

from course_lib.support.contracts import COUNT, PROPER, checked_arrays, checked_numbers, theorem
from course_lib.toolbox import advanced_composition, basic_composition

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
def _kept_total(*given):
    def excess(total, runs, epsilon, delta):
        return _exact_delta(runs, epsilon, total) - delta

    given = runs, epsilon, delta = np.array(given)
    pure = delta == 0
    known = np.where(pure, 0.5, delta)  # any delta: not used where delta is 0
    basic = basic_composition(runs=runs, epsilon=epsilon)
    advanced = advanced_composition(runs=runs, epsilon=epsilon, delta=known)
    most = np.where(pure, basic, np.minimum(basic, advanced))
    found = find_root(excess, (0 * most, most), args=(*given,), tolerances=_TIGHT)
    # no change of sign where a total of 0 is enough, nor for delta = 0, where it takes the most
    ends = np.where(excess(0 * most, *given) <= 0, 0.0, most)
    return tuple(np.where(found.success, found.x, ends).tolist())


_TIGHT = {"xrtol": 1e-9}


@checked_numbers(delta=PROPER)
def affordable_runs(*, epsilon, total, delta):
    """How many runs of epsilon a total allows: by basic and by advanced composition, and exactly.

    Up to ten million.
    """
    rounded = total * (1 + 1e-12)  # 0.1 is not a tenth
    return (
        _last(lambda k: basic_composition(runs=k, epsilon=epsilon) <= rounded),
        _last(lambda k: advanced_composition(runs=k, epsilon=epsilon, delta=delta) <= rounded),
        _last(lambda k: exact_composition_delta(runs=k, epsilon=epsilon, total=total) <= delta),
    )


def _last(test):
    """The largest number up to ten million that passes a test that all smaller ones pass."""
    return bisect.bisect_left(range(1, 10**7 + 1), True, key=lambda k: not test(k))
