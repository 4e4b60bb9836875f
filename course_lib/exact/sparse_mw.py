"""The potentials of sparse multiplicative weights: Lemma 6's, which can rise, and the repaired."""

import functools
import math
from dataclasses import replace

import numpy as np

from course_lib.sparse_mw import smw_size
from course_lib.support.contracts import PROPER, SHARES, checked_numbers

_ALPHA = replace(PROPER, least=0.01)  # with a smaller one there may be a million updates


@checked_numbers(mass=PROPER, alpha=_ALPHA)
def has_valid_update(*, mass, support, alpha):
    """Whether potential_run makes any update, whatever its weight: a + Σb must be alpha off."""
    return mass - support / smw_size(support=support, alpha=alpha) >= alpha


@checked_numbers(mass=PROPER, weight=replace(SHARES, data=False), alpha=_ALPHA)
@functools.lru_cache(maxsize=8)
def potential_run(*, mass, weight, support, alpha):
    """Lemma 6's potential and the repaired one before and after each valid update, and what it was.

    D(a) = mass, all else is outside. Asked is a + Σb as long as that is a valid update, weight·a +
    Σb when only that is; the b are always asked together, so one number stands for all of them.
    An update is its sign and the value of its query on the hypothesis.
    """
    size, others = smw_size(support=support, alpha=alpha), support - 1
    rest = size - support  # variables that stay unassigned to the end: they weigh 1
    on_a = on_b = 0.0  # logarithms of the weights of a, and of each b, in units of alpha/2
    potentials, updates = [], []
    while True:
        weight_a, weight_b = math.exp(alpha / 2 * on_a), math.exp(alpha / 2 * on_b)
        total = weight_a + others * weight_b + rest
        printed = mass * math.log(mass * total / weight_a)
        left = (1 - mass) * math.log((1 - mass) / rest * total)
        potentials.append((printed, printed + left))
        for sign, of_a in ((1, 1.0), (-1, weight)):  # a's weight in the query
            guess = of_a * weight_a / total + others * weight_b / total
            if sign * (of_a * mass - guess) >= alpha:
                break
        else:
            return np.array(potentials), updates
        updates.append((sign, guess))
        on_a += sign * of_a
        on_b += sign
