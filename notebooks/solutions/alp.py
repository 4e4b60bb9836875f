"""Solutions to the exercises of notebook 08; refresh.py copies them into its folded cells."""

import math

import numpy as np


# A coin for each bit of the table; ^ turns the bit where the coin says so.
def flip(bits, alpha, rng):
    return bits ^ (rng.random(bits.shape) < 1 / (alpha + 2))


# floor(v + U) is floor(v) + 1 exactly if U is at least 1 − fraction.
def round_at_random(values, rng):
    return np.floor(values + rng.random(values.shape))


def estimate(bits):
    walk = np.append(0, np.cumsum(2 * bits - 1))
    return np.flatnonzero(walk == walk.max()).mean()


# What neighbours differ by shrinks to ε, and alp1 spends no more than that; α is a free choice.
def alp(values, cap, alpha, epsilon, alp1):
    return alp1(values * epsilon, cap * epsilon, alpha) / epsilon


# The bound times ε is −α/2 + (α + 4 + 4/α)/(1 − 2·load)²; here its derivative is 0.
def best_alpha(load):
    return 2 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2)
