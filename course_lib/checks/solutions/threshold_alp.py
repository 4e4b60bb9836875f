"""Solutions to the exercises of notebook 09; tools/refresh.py copies them into folded cells."""

import math

import numpy as np


# Noise on every entry, zeros too: only then is what is kept post-processing.
def my_threshold(values, level, epsilon, rng):
    noisy = values + rng.laplace(scale=1 / epsilon, size=len(values))
    return {i: x for i, x in enumerate(noisy) if x >= level}


def my_look_up(indices, kept, estimate):
    return np.array([kept[i] if i in kept else estimate(i) for i in indices])


# A zero reaches the level t with probability exp(−εt)/2; of d zeros that is d·exp(−εt)/2.
def my_level(dimension, zeros, epsilon):
    return math.log(dimension / (2 * zeros)) / epsilon
