"""Wrong sizes of the sparse structure, and what their messages say."""

import math

from scipy.special import lambertw


def counting(enough, first=1):
    """The first s that is enough, by counting up."""

    def my_size(support, alpha):
        s = first
        while not enough(s, support, alpha):
            s += 1
        return s

    return my_size


def right_of(ratio):
    """With another right side, a function of m and alpha."""
    return counting(lambda s, m, a: s / (math.log(s) + 1) >= ratio(m, a))


def below(bottom, first=1):
    """With something else below s, a function of s and m."""
    return counting(lambda s, m, a: s >= 4 * m / a**2 * bottom(s, m), first)


def size(support, alpha):
    ratio = 4 * support / alpha**2
    return math.ceil(-ratio * lambertw(-1 / (math.e * ratio), -1).real)


def root(support, alpha):
    ratio = 4 * support / alpha**2
    return -ratio * lambertw(-1 / (math.e * ratio), -1).real


def wrong_branch(support, alpha):
    ratio = 4 * support / alpha**2
    return math.ceil(-ratio * lambertw(-1 / (math.e * ratio)).real)


def iterated(rounds):
    def my_size(support, alpha):
        s = 4 * support / alpha**2
        for _ in range(rounds):
            s = 4 * support / alpha**2 * (math.log(s) + 1)
        return math.ceil(s)

    return my_size


def doubling(support, alpha):
    s = 1
    while s / (math.log(s) + 1) < 4 * support / alpha**2:
        s *= 2
    return s


def steps_of(width):
    def my_size(support, alpha):
        s = width
        while s / (math.log(s) + 1) < 4 * support / alpha**2:
            s += width
        return s

    return my_size


def turned_round(support, alpha):
    s = 1
    while s / (math.log(s) + 1) > 4 * support / alpha**2:
        s += 1
    return s


LN_S = "Below s stands ln s + 1, with the natural logarithm of s itself."
WRONG_SIZE = {
    "ln m": (below(lambda s, m: math.log(m) + 1), "below s you have ln m + 1", "Theorem 7"),
    "base 2": (below(lambda s, m: math.log2(s) + 1), "the logarithm has base 2.", LN_S),
    "base 10": (below(lambda s, m: math.log10(s) + 1), "the logarithm has base 10."),
    "no + 1": (below(lambda s, m: math.log(s), 2), "the + 1 is missing.", LN_S),
    "no + 1, base 2": (below(lambda s, m: math.log2(s), 2), "you have log₂ s, without + 1."),
    "no + 1, base 10": (below(lambda s, m: math.log10(s), 2), "you have log₁₀ s, without + 1."),
    "no + 1, from 1": (below(lambda s, m: math.log(s)), "your answer is 1, always."),
    "1 inside": (below(lambda s, m: math.log(s + 1)), "below s you have ln(s + 1); the 1 stands"),
    "1/e": (below(lambda s, m: math.log(s) + 1 / math.e), "below s you have ln s + 1/e."),
    "no logarithm": (
        lambda m, a: math.ceil(4 * m / a**2),
        "this is 4m/α² itself: the logarithm is missing.",
    ),
    "4m/α": (right_of(lambda m, a: 4 * m / a), "on the right you have 4m/α. The right side is"),
    "4m/α³": (lambda m, a: size(m, a**1.5), "on the right you have 4m/α³."),
    "4mα²": (right_of(lambda m, a: 4 * m * a**2), "on the right you have 4m·α²."),
    "2m/α²": (right_of(lambda m, a: 2 * m / a**2), "on the right you have 2m/α²."),
    "m/α²": (right_of(lambda m, a: m / a**2), "on the right you have m/α²."),
    "8m/α²": (lambda m, a: size(2 * m, a), "on the right you have 8m/α²."),
    "16m/α²": (lambda m, a: size(m, a / 2), "on the right you have 16m/α², as if α were halved."),
    "4/α²": (lambda m, a: size(1, a), "m is missing on the right."),
    "4m²/α²": (lambda m, a: size(m * m, a), "on the right you have 4m²/α²."),
    "4m": (lambda m, a: size(m, 1), "α is missing on the right."),
    "real": (root, "you return the root of the equation. A number of variables is whole: round"),
    "down": (lambda m, a: math.floor(root(m, a)), "this is one too small: you round down"),
    "nearest": (lambda m, a: round(root(m, a)), "you round to the nearest number."),
    "one more": (lambda m, a: size(m, a) + 1, "this is one too large", "s = 49 already"),
    "two less": (lambda m, a: size(m, a) - 2, "this is two too small."),
    "1 round": (
        iterated(1),
        "you have the result of 1 round of s ← (4m/α²)(ln s + 1), from s = 4m/α².",
    ),
    "2 rounds": (iterated(2), "you have the result of 2 rounds of", "has not arrived."),
    "4 rounds": (iterated(4), "you have the result of 4 rounds of"),
    "doubling": (doubling, "this is the first power of 2 that is enough."),
    "steps of 10": (steps_of(10), "you go up in steps of 10."),
    "steps of 1,000": (steps_of(1000), "you go up in steps of 1,000."),
    "turned round": (turned_round, "your answer is 1, always. There s/(ln s + 1) = 1"),
    "wrong branch": (wrong_branch, "or a formula found the root of the equation that is below 1."),
    "multiplied": (
        counting(lambda s, m, a: s * (math.log(s) + 1) >= 4 * m / a**2),
        "you multiply by ln s + 1 where the lecture divides",
    ),
    "two slips": (
        below(lambda s, m: math.log2(s) / 2 + 0.5),
        "on the right you have 2m/α².",
        "Besides, the logarithm has base 2.",
    ),
    "from 0": (
        counting(lambda s, m, a: s / (math.log(s) + 1) >= 4 * m / a**2, 0),
        "stopped with ValueError: ",
        "(ln 0 does not exist; the smallest s that can be tried is 1.)",
    ),
    "too large": (
        lambda m, a: 3 * size(m, a) + 5,
        "The inequality holds for s = 49 already, and the smallest s is asked for.",
    ),
    "too small": (
        lambda m, a: size(m, a) // 3 + 1,
        "There s/(ln s + 1) = 4.43492, below 4m/α² = 9.87654.",
    ),
    "negative": (lambda m, a: -size(m, a) - 3, "There is at least one variable."),
    "twice": (lambda m, a: 2 * size(m, a), "your numbers are 2 times what they should be"),
}
