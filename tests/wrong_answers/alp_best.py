"""Wrong choices of α, and what their messages say."""

import math

import numpy as np
from scipy.optimize import minimize_scalar


def found(bound, low=1e-3, high=1e4):
    """The α that minimises a function of alpha and load, by search."""
    return lambda load: minimize_scalar(
        lambda alpha: bound(alpha, load), bounds=(low, high), method="bounded",
        options={"xatol": 1e-9},
    ).x  # fmt: skip


def walk(alpha, load):
    return (alpha + 2) ** 2 / (alpha * (1 - 2 * load)) ** 2 - 1


def g_bound(g, half=0.5, factor=4):
    """The bound with another g, a function of p and load."""

    def bound(alpha, load):
        chance = g(1 / (alpha + 2), load)
        if chance >= 0.5:
            return math.inf
        return alpha * (half + factor * chance * (1 - chance) / (1 - 2 * chance) ** 2)

    return bound


def on_a_grid(bound, step=0.01):
    return lambda load: min(np.arange(step, 30, step), key=lambda alpha: bound(alpha, load))


def mixed(p, load):
    return p + load * (1 - 2 * p)


def other_p(alpha, load):
    if alpha <= 1:
        return math.inf
    return alpha * (((alpha + 1) / (alpha - 1) / (1 - 2 * load)) ** 2 - 0.5)


BOUND = "The bound is (α/ε)·(½ + 4g(1−g)/(1−2g)²)"
WRONG_BEST = {
    "2√2": (
        lambda load: 2 * math.sqrt(2),
        "this is 2√2 whatever the load is.",
        BOUND,
        "For load = 0.1 you return 2.82843, and it is 2.42536. The bound, times ε, is 11.4649 with "
        "your α and 11.4039 with the best.",
    ),
    "2.83": (lambda load: 2.83, "this is 2√2 whatever the load is."),
    "4": (lambda load: 4, "this is 4 whatever the load is, the best α for the paper’s Equation 1"),
    "4 by search": (found(lambda a, load: a * (0.5 + 8 * (a + 1) / a**2)), "Equation 1"),
    "2": (lambda load: 2, "this is 2 whatever the load is."),
    "rounding counts 1": (on_a_grid(g_bound(mixed, half=1)), "this is 2 whatever the load is."),
    "a zero’s walk": (found(g_bound(mixed, factor=2)), "this is 2 whatever the load is."),
    "no rounding": (
        lambda load: 2 / math.sqrt(1 - (1 - 2 * load) ** 2),
        "the ½ for rounding is missing, or you minimise the error of an entry of 0",
    ),
    "no rounding, by search": (found(walk_bound := lambda a, load: a * walk(a, load)), "the ½ for"),
    "no rounding, on a grid": (on_a_grid(walk_bound), "the ½ for rounding is missing"),
    "a zero, on a grid": (on_a_grid(g_bound(mixed, half=0, factor=2)), "an entry of 0, which"),
    "a quarter": (found(g_bound(mixed, half=0.25)), "rounding counts as a quarter of a level."),
    "a third": (found(g_bound(mixed, half=1 / 3)), "rounding counts as a third of a level"),
    "p + load": (
        on_a_grid(g_bound(lambda p, load: p + load)),
        "your g is p + load.",
        "g = p + load·(1 − 2p).",
    ),
    "p + load, by search": (
        lambda load: found(g_bound(lambda p, load: p + load), low=4 * load / (1 - 2 * load) + 0.01,
                           high=100)(load),
        "your g is p + load.",
    ),
    "a coarse grid": (
        on_a_grid(g_bound(mixed), step=0.25),
        "for load = 0.1 you return 2.5, and it is 2.42536. The bound, times ε, is 11.4062",
    ),
    "other p": (on_a_grid(other_p), "your p is 1/(α + 1), and it is 1/(α + 2)."),
    "1 − load": (lambda load: 2 / math.sqrt(1 - (1 - load) ** 2 / 2), "you have 1 − load where"),
    "the bound": (
        lambda load: min(g_bound(mixed)(a, load) for a in np.arange(1, 5, 0.01)),
        "you return the bound at the best α, for ε = 1.",
    ),
    "half": (lambda load: 1 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2), "this is half of the best"),
    "α²": (lambda load: 4 / (1 - (1 - 2 * load) ** 2 / 2), "this is α². Take the root."),
    "no root": (lambda load: 2 / (1 - (1 - 2 * load) ** 2 / 2), "the root is missing"),
    "no square": (lambda load: 2 / math.sqrt(1 - (1 - 2 * load) / 2), "1 − 2·load is not squared."),
    "sign": (lambda load: 2 / math.sqrt(1 + (1 - 2 * load) ** 2 / 2), "a sign is wrong"),
    "2√2 times": (lambda load: 8**0.5 * (1 - 2 * load), "you have 2√2·(1 − 2·load)."),
    "2√2 over": (lambda load: 8**0.5 / (1 - 2 * load), "you have 2√2/(1 − 2·load)."),
    "s/k": (
        lambda load: 2 / math.sqrt(1 - (1 - 2 / (load or 1e-9)) ** 2 / 2),
        "ValueError",
        "(load is k/s, from 0 to below 1/2, not s/k.)",
    ),
    "the edge": (lambda load: 100.0, "for load = 0.1 you return 100, and it is 2.42536."),
    "negative": (lambda load: -2.5 + load, "you return -2.4, and it is 2.42536. α is positive."),
    "a pair": (lambda load: (2, 3), "your function returned an array or a list with 2 entries"),
    "words": (lambda load: "2", "your function returned '2', and a number is asked for."),
}  # fmt: skip
