"""Composition, exactly: what any number of mechanisms lose together at worst."""

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from course_lib.support.contracts import ParameterError, theorem


def _check_runs(*, runs):
    if np.any(np.asarray(runs) > 1e12):  # the sum has about 14 sqrt(runs) terms
        raise ParameterError(f"runs must be at most 10**12 here, got {runs!r}")


@theorem(
    "Exact composition",
    source="Kairouz, Oh & Viswanath 2015",
    latex=r"\delta(\varepsilon) = \sum_{y:\,(c-2y)\varepsilon_0 > \varepsilon} \binom cy"
    r"\frac{e^{(c-y)\varepsilon_0} - e^{\varepsilon + y\varepsilon_0}}{(1+e^{\varepsilon_0})^c}",
    also=_check_runs,
)
def exact_composition_delta(*, runs, epsilon, total):
    """The smallest delta at which any `runs` mechanisms of epsilon each are (total, delta)-private.

    It is that of randomised response, worse than which no epsilon-private mechanism composes. If y
    of the runs flip their bit, the loss is (runs - 2y) epsilon, and y is binomial.
    """
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
