"""Solutions to the exercises of notebook 07; tools/refresh.py copies them into its folded cells."""

import math


# s/(ln s + 1) grows with s from s = 1 on: double until s is enough, then halve the interval.
def my_size(support, alpha):
    def enough(size):
        return size / (math.log(size) + 1) >= 4 * support / alpha**2

    too_small, large = 0, 1
    while not enough(large):
        too_small, large = large, 2 * large
    while large - too_small > 1:
        middle = (too_small + large) // 2
        too_small, large = (too_small, middle) if enough(middle) else (middle, large)
    return large


# Relative entropy place by place: the free variables are equal, and share what D has elsewhere.
def my_potential(truth, weights, size):
    unassigned = size - len(weights)
    rest = 1 - sum(truth.get(element, 0) for element in weights)
    left = 1 - sum(weights.values())
    pairs = [(truth.get(element, 0), weight) for element, weight in weights.items()]
    pairs += [(rest / unassigned, left / unassigned)] * unassigned
    return sum(share * math.log(share / weight) for share, weight in pairs if share > 0)


# Lowering moves weight to all other variables, and of that gain Ψ counts only the share ρ.
# The bounds a and b hold for every ρ; the repaired potential proves c and the theorem.
which_step_fails = "d"


# The variables without an element weigh 1 each: they count, and need not be stored.
def my_lazy_update(weights, query, value, size, alpha):
    total = sum(weights.values()) + size - len(weights)
    guess = sum(q * weights.get(x, 1) for x, q in query.items()) / total
    step = (-1 if value < guess else 1) * alpha / 2
    moved = {x: weights.get(x, 1) * math.exp(step * q) for x, q in query.items() if q > 0}
    return weights | moved
