"""Wrong reductions of one query to two, and what their messages say."""

import math

from course_lib.support.answers import BELOW


def asking(*gaps, answer=lambda guess, sign, number: guess + sign * number):
    """Asks about the gaps, pairs of a function of value and guess and the sign it goes with."""

    def my_answer(value, guess, sparse):
        for gap, sign in gaps:
            number = sparse(gap(value, guess))
            if number is not BELOW:
                return answer(guess, sign, number), True
        return guess, False

    return my_answer


UP, DOWN = (lambda v, g: v - g, 1), (lambda v, g: g - v, -1)


def answering(released=None, silent=None, updated=bool):
    """Asks as it should; what it answers is a function of value, guess, sign and number."""

    def my_answer(value, guess, sparse):
        for sign in (1, -1):
            number = sparse(sign * (value - guess))
            if number is not BELOW:
                right = guess + sign * number
                given = released(value, guess, sign, number) if released else right
                return given, updated(sign)
        return (silent(value, guess) if silent else guess), updated(0)

    return my_answer


def one_side_by_hand(value, guess, sparse):
    number = sparse(value - guess)
    if number == BELOW:
        return guess, False
    return guess + number, True


def the_larger(value, guess, sparse):
    if value > guess:
        number = sparse(value - guess)
        return (guess, False) if number is BELOW else (guess + number, True)
    number = sparse(guess - value)
    return (guess, False) if number is BELOW else (guess - number, True)


def calls_twice(value, guess, sparse):
    if sparse(value - guess) is not BELOW:
        return guess + sparse(value - guess), True
    if sparse(guess - value) is not BELOW:
        return guess - sparse(guess - value), True
    return guess, False


def larger_first(value, guess, sparse):
    sign = 1 if value > guess else -1
    for gap in (abs(value - guess), -abs(value - guess)):
        number = sparse(gap)
        if number is not BELOW:
            return guess + math.copysign(1, gap) * sign * number, True
    return guess, False


def only_if_larger(value, guess, sparse):
    for sign in (1, -1) if value > guess else (1,):
        number = sparse(sign * (value - guess))
        if number is not BELOW:
            return guess + sign * number, True
    return guess, False


def truthy(value, guess, sparse):
    number = sparse(value - guess)
    if number:
        return guess + number, True
    return guess, False


def positive(value, guess, sparse):
    for sign in (1, -1):
        number = sparse(sign * (value - guess))
        if number is not BELOW and number > 0:
            return guess + sign * number, True
    return guess, False


def yields(value, guess, sparse):
    yield guess, False


COST = "OnlineIC may read the data only through sparse"
WRONG_ANSWER = {
    "one side": (
        asking(UP),
        "one side is forgotten: you ask about Q(D) − Q(Dᵗ) alone. Where the hypothesis answers too "
        "much, this is negative",
    ),
    "one side, by hand": (one_side_by_hand, "one side is forgotten: you ask about Q(D) − Q(Dᵗ)"),
    "the other side": (asking(DOWN), "one side is forgotten: you ask about Q(Dᵗ) − Q(D) alone."),
    "absolute value": (
        asking((lambda v, g: abs(v - g), 1)),
        "you ask about |Q(D) − Q(Dᵗ)| alone",
        "the number that comes back has no sign",
    ),
    "the larger": (the_larger, "you ask about |Q(D) − Q(Dᵗ)| alone, by abs, max or a comparison."),
    "the larger first": (larger_first, "which gap you ask about first depends on the data", COST),
    "only if larger": (only_if_larger, "you have not asked about both gaps."),
    "the smaller": (asking((lambda v, g: -abs(v - g), 1)), "you have not asked about both gaps."),
    "never asks": (lambda v, g, sparse: (g, False), "you never call sparse"),
    "the truth": (lambda v, g, sparse: (v, True), "you answer Q(D) itself, without noise.", COST),
    "Q(D)": (asking((lambda v, g: v, 1)), "you ask sparse about Q(D) (Q(D) = 0.62, Q(Dᵗ) = 0.35)"),
    "Q(Dᵗ)": (asking((lambda v, g: g, 1)), "you ask sparse about Q(Dᵗ) ("),
    "a sum": (asking((lambda v, g: v + g, 1)), "you ask sparse about Q(D) + Q(Dᵗ) ("),
    "a square": (asking((lambda v, g: (v - g) ** 2, 1)), "sparse about the square of the gap ("),
    "another number": (asking((lambda v, g: v - g - 0.2, 1)), "you ask sparse about 0.07 ("),
    "the same twice": (asking(UP, UP), "you ask the same gap twice."),
    "calls twice": (calls_twice, "you ask the same gap twice.", "call it once, and keep what it"),
    "a function": (
        asking((lambda v, g: lambda data: v - g, 1)),
        "sparse takes one number, the value of the query that you ask; you gave <function",
    ),
    "adds both": (
        answering(lambda v, g, sign, number: g + number),
        "you add the number of the second query too.",
    ),
    "subtracts both": (
        answering(lambda v, g, sign, number: g - number),
        "you subtract the number of Q(D) − Q(Dᵗ) too.",
    ),
    "wrong sign": (
        answering(lambda v, g, sign, number: g - sign * number),
        "the sign of the number is wrong",
        "you return (-0.04, True), and it is (0.64, True).",
    ),
    "sign from the data": (
        answering(lambda v, g, sign, number: g + math.copysign(1, v - g) * number),
        "whether you add the number or subtract it you read from the data.",
        COST,
    ),
    "absolute number": (
        answering(lambda v, g, sign, number: g + sign * abs(number)),
        "you take the number’s absolute value.",
    ),
    "the number": (
        answering(lambda v, g, sign, number: number),
        "you answer with the released number. It is a gap",
    ),
    "the signed number": (
        answering(lambda v, g, sign, number: sign * number),
        "you answer with the released number. It is a gap",
    ),
    "the truth if released": (
        answering(lambda v, g, sign, number: v),
        "where a number is released you answer Q(D), without noise.",
        COST,
    ),
    "the truth plus": (answering(lambda v, g, sign, number: v + number), "add the number to Q(D)"),
    "the truth plus or minus": (
        answering(lambda v, g, sign, number: v + sign * number),
        "you put the number to Q(D), not to Q(Dᵗ).",
    ),
    "the guess": (
        answering(lambda v, g, sign, number: g),
        "where a number is released you still answer Q(Dᵗ)",
    ),
    "the truth if below": (
        answering(silent=lambda v, g: v),
        "where both are below you answer Q(D) itself, without noise.",
        COST,
    ),
    "zero if below": (answering(silent=lambda v, g: 0), "where both are below you answer 0."),
    "the gap if below": (
        answering(silent=lambda v, g: v - g),
        "you answer the gap, without noise.",
    ),
    "two slips": (
        answering(lambda v, g, sign, number: number, lambda v, g: 0),
        "you answer with the released number.",
        "Besides, where both are below you answer 0.",
    ),
    "something else": (
        answering(lambda v, g, sign, number: g / 2),
        "Not yet: for Q(D) = 0.62, Q(Dᵗ) = 0.3 and a sparse vector that says 0.34 for Q(D) − Q(Dᵗ) "
        "you return (0.15, True), and it is (0.64, True).",
    ),
    "no negative numbers": (positive, "you return (0.55, False), and it is (0.51, True)."),
    "always updated": (answering(updated=lambda sign: True), "updated is always True."),
    "never updated": (answering(updated=lambda sign: False), "updated is always False."),
    "other way round": (answering(updated=lambda sign: not sign), "updated is the wrong way round"),
    "first only": (answering(updated=lambda sign: sign == 1), "updated is False for Q(Dᵗ) − Q(D)"),
    "second only": (answering(updated=lambda s: s == -1), "updated is False for Q(D) − Q(Dᵗ)"),
    "BELOW": (answering(silent=lambda v, g: BELOW), "your function returned ⊥ for an answer."),
    "BELOW is true": (truthy, "stopped with TypeError", "⊥ is no number: see whether what sparse"),
    "nothing": (lambda v, g, sparse: None, "your function returned nothing. End it with return"),
    "one number": (lambda v, g, sparse: g, "returned 0.35, not the pair (answer, updated)."),
    "three": (lambda v, g, sparse: (g, 0, 0), "returned (0.35, 0, 0), not the pair"),
    "a yield": (yields, "your function yields. For one query, return the pair"),
    "exchanged": (
        lambda v, g, sparse: (False, g),
        "returned (False, 0.35); the answer comes first",
    ),
    "words": (
        lambda v, g, sparse: ("0.3", False),
        "'0.3' for an answer, and a number is asked for",
    ),
    "nan": (lambda v, g, sparse: (math.nan, False), "nan for an answer, and a number is asked for"),
    "a word": (lambda v, g, sparse: (g, "no"), "'no' for updated, and True or False is asked for."),
    "a gap": (lambda v, g, sparse: (g, v - g), "for updated, and True or False is asked for."),
}
