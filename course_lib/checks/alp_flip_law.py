"""Notebook 08’s randomised response: does each bit of a table have a coin of its own?"""

import itertools
import math

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom

from course_lib.checks.alp_arrays import LEVEL, inside
from course_lib.checks.exercise import NotYet, misfit
from course_lib.support.products import one_thread_product

COSTS = (0.5, 1.0, 2.0)
INFINITE = "This is not private at all: the loss is infinite."


def chance(cost):
    """The right p."""
    return 1 / (math.exp(cost) + 1)


def check_shared(flips):
    """Raise NotYet if bits have no coin, or share one, or if the number of flips is fixed."""
    _, _, rows, columns = flips.shape
    if flips.all() or not flips.any():
        return
    for axes, words in (((0, 1, 3), "row"), ((0, 1, 2), "column")):
        numbers = flips.sum(axis=axes)
        if not numbers.all():
            raise NotYet(f"no bit of {words} {np.argmin(numbers)} is ever flipped. {INFINITE}")
    groups = (
        ((2, 3), rows * columns, "all bits of the table"),
        ((3,), columns, "all bits of a row"),
        ((2,), rows, "all bits of a column"),
    )
    for axes, size, words in groups:
        if np.isin(flips.sum(axis=axes), (0, size)).all():
            raise NotYet(
                f"{words} share one coin: they flip together or not at all. Then two of them still "
                "tell whether they were equal, for certain, and the loss is infinite. Each bit "
                "needs a coin of its own: rng.random(bits.shape)."
            )
    numbers = flips.sum(axis=(2, 3))
    if (numbers == numbers[:, :1]).all() and 0 < numbers[0, 0] < rows * columns:
        raise NotYet(
            f"you always flip the same number of bits, {numbers[-1, 0]} of {rows * columns} at "
            f"cost = {COSTS[-1]:g}. Then a table that differs in one bit can never give the same "
            "result: the loss is infinite. Each bit needs a coin of its own."
        )


def check_alike(flips, rates):
    """Raise NotYet unless each row and each column has these rates of flips, one for each cost."""
    rows, columns = flips.sum(axis=(1, 3)), flips.sum(axis=(1, 2))
    for counts, words in ((rows, "row"), (columns, "column")):
        trials = flips.size // counts.size
        if not inside(counts, trials, rates[:, None]):
            off = np.abs(counts / trials - rates[:, None])
            setting, place = np.unravel_index(np.argmax(off), off.shape)
            raise NotYet(
                f"not all bits flip alike: at cost = {COSTS[setting]:g} in {words} {place} "
                f"{counts[setting, place] / trials:.1%} do, and of all bits "
                f"{flips[setting].mean():.1%}."
            )


def check_law(flips):
    """Raise NotYet unless each bit flips alike, and independently of the others."""
    check_alike(flips, np.array([chance(cost) for cost in COSTS]))
    _check_pairs(flips)
    _check_numbers(flips)


_DEPENDENT = "on average you flip the right share of the bits, but they do not flip independently: "
_OWN = "Each bit needs a coin of its own."


def _check_pairs(flips):
    """Raise NotYet if two bits, wherever they are, flip together too often or too rarely."""
    settings, tables, _, columns = flips.shape
    bits = flips.reshape(settings, tables, -1).astype(float)
    first, second = np.triu_indices(bits.shape[2], k=1)
    for cost, flipped in zip(COSTS, bits, strict=True):
        both = one_thread_product(flipped.T, flipped)[first, second]
        exact = binom(tables, chance(cost) ** 2)
        tail = LEVEL / len(both) / 2
        off = np.maximum(exact.ppf(tail) - both, both - exact.isf(tail))
        i = int(np.argmax(off))
        if off[i] > 0:
            (row, column), (other_row, other_column) = (
                divmod(int(place[i]), columns) for place in (first, second)
            )
            raise NotYet(
                f"{_DEPENDENT}at cost = {cost:g} the bits in row {row}, column {column} and in row "
                f"{other_row}, column {other_column} both flip in {both[i]:.0f} of {tables} "
                f"tables, and {exact.mean():.0f} are expected. {_OWN}"
            )


def _check_numbers(flips):
    """Raise NotYet unless the number of flips, of two bits or of a table, has its law."""
    in_table = flips.sum(axis=(2, 3))
    size = flips[0, 0].size
    groups = (
        (in_table, size, "a table"),
        (flips[..., ::2] + flips[..., 1::2].astype(int), 2, "two bits side by side"),
        (flips[..., ::2, :] + flips[..., 1::2, :].astype(int), 2, "two bits one below the other"),
    )
    for (numbers, most, words), i in itertools.product(groups, range(len(COSTS))):
        counts = np.bincount(numbers[i].ravel(), minlength=most + 1)
        if misfit(counts, binom.pmf(range(most + 1), most, chance(COSTS[i])), level=LEVEL):
            raise NotYet(
                f"{_DEPENDENT}the number of flips in {words} is not spread as it should be. {_OWN}"
            )
    ratio, doubtful = spread(in_table, size)
    if doubtful:
        raise NotYet(
            f"{_DEPENDENT}the variance of the number of flips in a table is {ratio:.2f} times what "
            f"it should be. {_OWN}"
        )


def spread(numbers, size):
    """The variance of the flips per table over the right one, and whether chance excludes that.

    By Chernoff’s bound, with the exact law, it does so with probability at most LEVEL.
    """
    t = np.concatenate([-np.geomspace(0.01, 3, 60), np.linspace(0.005, 0.45, 90)])
    total, bound = 0.0, np.zeros(len(t))
    for cost, found in zip(COSTS, numbers, strict=True):
        law = binom(size, chance(cost))
        squares = (np.arange(size + 1) - law.mean()) ** 2 / law.var()
        total += squares[found].sum()
        weights = law.pmf(range(size + 1))
        bound += len(found) * logsumexp(np.outer(t, squares), b=weights, axis=1)
    return total / numbers.size, bool((bound - t * total).min() < math.log(LEVEL / 2))
