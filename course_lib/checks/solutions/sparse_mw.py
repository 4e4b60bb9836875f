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


def my_potential(truth, weights, size):
    unassigned = size - len(weights)
    rest = 1 - sum(truth.get(element, 0) for element in weights)
    left = 1 - sum(weights.values())
    pairs = [(truth.get(element, 0), weight) for element, weight in weights.items()]
    pairs += [(rest / unassigned, left / unassigned)] * unassigned
    return sum(share * math.log(share / weight) for share, weight in pairs if share > 0)


# Ψ leaves out the share of D on elements never assigned.
which_step_fails = "d"
