"""Solutions to the exercises of notebook 08; tools/refresh.py copies them into its folded cells."""

import math

import numpy as np


# (1 − p)/p = e^cost; a coin for each bit of the table, and ^ turns the bit where it says so.
def flip(bits, cost, rng):
    return bits ^ (rng.random(bits.shape) < 1 / (math.exp(cost) + 1))


# In steps; floor(v + U) is floor(v) + 1 exactly if U is at least 1 − fraction.
def round_at_random(values, step, rng):
    return step * np.floor(values / step + rng.random(values.shape))


def estimate(bits):
    walk = np.append(0, np.cumsum(2 * bits - 1))
    return np.flatnonzero(walk == walk.max()).mean()


# A change of Δ shrinks to ε, and alp1 spends no more than that; α is a free choice.
def alp(values, cap, alpha, sensitivity, epsilon, alp1):
    scale = epsilon / sensitivity
    return alp1(values * scale, cap * scale, alpha) / scale


# The bound times ε is −α/2 + (α + 4 + 4/α)/(1 − 2·load)²; here its derivative is 0.
def best_alpha(load):
    return 2 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2)


# An entry with b levels sets one place in each of the first b columns.
def my_table(levels, places, size):
    table = np.zeros((size, np.shape(places)[1]), dtype=int)
    for level, row in zip(levels, places, strict=True):
        table[row[:level], range(level)] = 1
    return table
