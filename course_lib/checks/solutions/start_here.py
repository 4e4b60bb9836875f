"""Solutions to the exercises of notebook 00; tools/refresh.py copies them into its folded cells."""

import math


def my_release(count, *, epsilon, rng):
    return count + rng.laplace(scale=1 / epsilon)


# On average yes is flip · (n − ones) + (1 − flip) · ones; solve for ones.
def my_count(yes, n, epsilon):
    flip = 1 / (1 + math.exp(epsilon))
    return (yes - n * flip) / (1 - 2 * flip)


# Noise Lap(1/ε₀) is beyond alpha with probability e^(−ε₀ alpha): ln(1/beta)/alpha is a count’s price.
def my_answers(budget, alpha, beta):
    price = math.log(1 / beta) / alpha
    return math.floor(budget / price)
