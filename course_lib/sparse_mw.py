"""Sparse multiplicative weights (Roth, Lecture 13): sparse queries on a universe without end."""

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import lambertw

from course_lib.online_ic import FRACTION, printed_alpha, repaired_alpha_for
from course_lib.support.contracts import (
    PROPER,
    RANGES,
    ParameterError,
    checked_numbers,
    finite,
    shown,
    theorem,
)

SOURCE = "Roth, Lecture 13"
_PRECISE = 96  # binary digits of the total weight, at least
_STEP = 2.0**-60  # steps are whole numbers of these, so that a million of them leave no rounding


class StructureFull(Exception):
    """FAILURE: the data structure has no variable left for another element."""


class SparseMultiplicativeWeights:
    """Multiplicative weights on `size` variables, given to elements when an update needs them.

    A query is a mapping from element, of any hashable kind, to weight, with at most `support`
    positive weights. Variables without an element all weigh 1 and are kept nowhere: memory is in
    the elements seen, and time in the elements of the query.
    """

    @checked_numbers(alpha=FRACTION)
    def __init__(self, *, support, alpha):
        self.support, self.alpha = support, alpha
        self.size = smw_size(support=support, alpha=alpha)
        self.max_updates = int(smw_updates(support=support, alpha=alpha))
        self._steps = {}  # element: sum of ± its weights; its variable weighs exp(alpha/2 · sum)
        self._rate = alpha / 2 * _STEP
        self._bits = 2 * _PRECISE
        self._total = self.size << self._bits  # of all variables; they are not normalised

    @property
    def assigned(self):
        """How many variables have an element."""
        return len(self._steps)

    def evaluate(self, query):
        """The value of the query on the hypothesis."""
        self._check(query)
        log_total = math.log(self._total) - self._bits * math.log(2)
        left = self.assigned < self.size  # a variable for elements that have none of their own
        return math.fsum(
            float(weight) * math.exp(self._rate * self._steps.get(element, 0) - log_total)
            for element, weight in query.items()
            if left or element in self._steps
        )

    def update(self, query, value):
        """Move the hypothesis towards the databases on which the query has this value."""
        sign = -1 if finite(value) < self.evaluate(query) else 1
        moved = {
            x: sign * round(float(weight) / _STEP) for x, weight in query.items() if weight > 0
        }
        new = sum(element not in self._steps for element in moved)
        if self.assigned + new > self.size:
            raise StructureFull(
                f"FAILURE: {self.assigned:,} of {self.size:,} variables are assigned, and {new:,} "
                f"more cannot be; a fresh structure has room for at least {self.max_updates:,} "
                "updates of any kind, and no sequence of valid updates is longer"
            )
        for element, steps in moved.items():
            before = self._steps.get(element, 0)
            self._steps[element] = before + steps
            self._total += self._units(before + steps) - self._units(before)
        while self._total.bit_length() < _PRECISE:  # all are assigned, and all have become light
            self._bits *= 2
            self._total = sum(self._units(steps) for steps in self._steps.values())

    def _units(self, steps):
        """exp(rate · steps) in units of 2^-bits: whole numbers, whose sums leave no rounding."""
        power = self._rate * steps / math.log(2)
        whole = math.floor(power)
        digits, shift = int(2.0 ** (power - whole + 52)), whole + self._bits - 52
        return digits << shift if shift >= 0 else digits >> -shift

    def _check(self, query):
        if not isinstance(query, Mapping):
            raise ParameterError(f"query must map elements to weights, got {shown(query)}")
        RANGES["weights"].check("query", list(query.values()))
        support = sum(weight > 0 for weight in query.values())
        if support > self.support:
            raise ParameterError(
                f"query must have at most support = {self.support} elements, got {support}"
            )


@theorem(
    "The size of the data structure",
    source=SOURCE,
    latex=r"s = \min\left\{s :\ \frac{s}{\ln s + 1} \ge \frac{4m}{\alpha^2}\right\}",
)
def smw_size(*, support, alpha):
    """How many variables there are for queries with at most `support` elements."""
    size = _size(support, alpha)
    return size if np.ndim(size) else int(size)


def _size(support, alpha):
    ratio = np.maximum(4 * support / alpha**2, 1)
    # With y = ln s + 1 the equation s = ratio · y is e^(y - 1) = ratio · y.
    logs = np.fmax(-lambertw(-1 / (math.e * ratio), -1).real, 1)  # NaN where the ratio is 1
    return np.ceil(ratio * logs)


@theorem(
    "Theorem 4",
    source=SOURCE,
    latex=r"B(\alpha) = \frac{4\ln s}{\alpha^2}",
)
def smw_updates(*, support, alpha):
    """How many updates sparse multiplicative weights can need at most."""
    return _updates(support, alpha)


def _updates(support, alpha):
    return 4 * np.log(_size(support, alpha)) / alpha**2


@theorem(
    "Theorem 7, with its constants, from Theorem 5 of Lecture 11",
    source=SOURCE + "; derived here",
    latex=r"\alpha^2 = \frac{\sqrt{512\ln s\,\ln\frac1\delta}\,(\ln 2k + \ln\frac2\beta)}"
    r"{\varepsilon n}\ \text{ or, if } \delta = 0,\ "
    r"\alpha^3 = \frac{16\ln s\,(\ln 2k + \ln\frac2\beta)}{\varepsilon n};"
    r"\quad \text{answers within } 3\alpha",
)
def smw_alpha_printed(*, n, support, num_queries, beta, epsilon, delta=0.0):
    """The learner's alpha with Lecture 11's sparse vector as printed, which is not private.

    For 2k queries; the answers are within 3 alpha, which is the accuracy that Theorem 7 speaks of.
    Theorem 5 is proved where c ln(1/delta) >= 1/8, so this is no bound for delta next to 1.
    """
    logs = np.log(2) + np.log(num_queries) + np.log(2 / beta)
    return printed_alpha(_updates, n, support, logs, epsilon, delta)


@theorem(
    "Theorem 7, for the repaired sparse vector",
    source=SOURCE + "; derived here",
    latex=r"\alpha = \frac{12B(\alpha)(\ln 2k + \ln\frac3\beta)}{\varepsilon n};"
    r"\ \text{ if } \delta > 0,\text{ that of the event behind Theorem 3.28, corrected, with }"
    r" c = B(\alpha) \text{ and } 2k,\text{ over } n;\quad \text{answers within } 3\alpha",
)
def smw_alpha(*, n, support, num_queries, beta, epsilon, delta=0.0):
    """The learner's alpha: answers are within 3 alpha except with probability beta."""
    return repaired_alpha_for(_updates, n, support, num_queries, beta, epsilon, delta)


@theorem(
    "Theorem 7, with the constant 1",
    source=SOURCE,
    latex=r"\alpha = \frac{(\ln m)^{1/4}\,(\ln\frac4\delta\,\ln\frac k\beta)^{1/2}}"
    r"{(\varepsilon n)^{1/2}}",
    delta=PROPER,
)
def smw_accuracy_bare(*, n, support, num_queries, beta, epsilon, delta):
    """What stands in Theorem 7's O(·): ln m where it comes out as ln s, and no constant."""
    logs = np.log(4 / delta) * np.log(num_queries / beta)
    return np.log(support) ** 0.25 * np.sqrt(logs / (epsilon * n))
