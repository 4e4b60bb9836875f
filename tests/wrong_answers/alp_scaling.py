"""Wrong reductions to ALP1, and what their messages say."""

import numpy as np


def powers(values_by, cap_by, alpha_by, back_by):
    """Everything times these powers of epsilon and of the sensitivity."""

    def alp(values, cap, alpha, sensitivity, epsilon, alp1):
        value, most, width, back = (
            epsilon**e * sensitivity**d for e, d in (values_by, cap_by, alpha_by, back_by)
        )
        return back * alp1(values * value, cap * most, alpha * width)

    return alp


def with_factor(factor):
    """The right way, with another factor for ε/Δ."""
    return lambda v, c, a, d, e, alp1: alp1(v * factor(e, d), c * factor(e, d), a) / factor(e, d)


def right(values, cap, alpha, sensitivity, epsilon, alp1):
    return with_factor(lambda e, d: e / d)(values, cap, alpha, sensitivity, epsilon, alp1)


def twice(*given):
    return sum(right(*given) for _ in range(2)) / 2


def scales_in_place(values, cap, alpha, sensitivity, epsilon, alp1):
    values *= epsilon / sensitivity
    return alp1(values, cap * epsilon / sensitivity, alpha) * sensitivity / epsilon


def not_zero(values, *given):
    estimates = np.zeros(len(values))
    some = np.flatnonzero(values)
    estimates[some] = right(values[some], *given)
    return estimates


def apart(chosen):
    """Each entry is asked about once, some in a call of their own."""

    def alp(values, cap, *given):
        estimates = np.empty(len(values))
        for part in (chosen(values, cap), ~chosen(values, cap)):
            estimates[part] = right(values[part], cap, *given)
        return estimates

    return alp


def capped(cap_of):
    """The cap is a function of what is given and of the values."""
    return lambda v, c, *given: right(v, cap_of(c, v), *given)


def equal_ones_once(values, *given):
    different, places = np.unique(values, return_inverse=True)
    return right(different, *given)[places]


IN, OUT, AS_IT_IS = (1, -1), (-1, 1), (0, 0)
ZEROS = "you leave out the zeros: they come back as exactly 0"
FROM_VALUES = "your cap is taken from the values: the number of levels then tells how large the"
SPENDS = "alp1 spends up to as much as its inputs differ, so the release costs"
HERE = "at ε = 0.5 and Δ = 3"
CALLS_TELL = "how many entries go into a call of alp1 depends on their values"
LARGEST = "Not yet: for values [0, 0, 0.5, 0.25], cap = 40, α = 4, Δ = 2 and ε = 1 you return 0.5"
WRONG_SCALING = {
    "zeros apart": (apart(lambda v, c: v == 0), CALLS_TELL),
    "large ones apart": (apart(lambda v, c: v > c / 2), CALLS_TELL),
    "cut at the largest": (lambda v, *given: np.minimum(right(v, *given), v.max()), LARGEST),
    "zeros stay": (
        lambda v, *given: np.where(v == 0, 0, right(v, *given)),
        ZEROS,
        "Which entries are zero is private.",
    ),
    "not the zeros": (not_zero, ZEROS, "the loss is infinite. Give alp1 all entries"),
    "not the zeros, one by one": (
        lambda v, *given: [right(x, *given) if x else 0 for x in v],
        ZEROS,
    ),
    "not the zeros, not back": (
        lambda v, c, a, d, e, alp1: not_zero(v, c, a, d, e, alp1) * e / d,
        ZEROS,
        "Besides, you do not scale back what comes from alp1.",
    ),
    "a cap that is enough": (capped(lambda c, v: min(c, v.max())), FROM_VALUES, "never above"),
    "a cap of the values": (capped(lambda c, v: v.max()), FROM_VALUES, "Use the given cap"),
    "equal ones once": (
        equal_ones_once,
        "the numbers are right, but you do not ask alp1 about each entry",
        "which entries are equal is private.",
    ),
    "Δ forgotten": (
        with_factor(lambda e, d: e),
        f"values and cap go in times ε, not ε/Δ: Δ is forgotten. {SPENDS} εΔ: {HERE} that is 3 "
        "times the budget.",
        "(That is entry 0, with an alp1 that leaves nothing to chance.)",
    ),
    "Δ multiplied": (
        with_factor(lambda e, d: e * d),
        f"times εΔ, not ε/Δ: Δ multiplies and should divide. {SPENDS} εΔ²: {HERE} that is 9 times",
    ),
    "ε forgotten": (
        with_factor(lambda e, d: 1 / d),
        f"times 1/Δ, not ε/Δ: ε is forgotten. {SPENDS} 1: {HERE} that is 2 times the budget.",
    ),
    "ε forgotten, Δ multiplied": (
        with_factor(lambda e, d: d),
        "times Δ, not ε/Δ: Δ multiplies and should divide, and ε is forgotten.",
    ),
    "the wrong way": (
        with_factor(lambda e, d: d / e),
        f"values and cap go in times Δ/ε, not ε/Δ: this is upside down. {SPENDS} Δ²/ε: {HERE} that "
        "is 36 times the budget.",
    ),
    "the wrong way, Δ forgotten": (
        with_factor(lambda e, d: 1 / e),
        f"times 1/ε, not ε/Δ: this is upside down, without Δ. {SPENDS} Δ/ε: {HERE} that is 12",
    ),
    "ε the wrong way": (
        with_factor(lambda e, d: 1 / (e * d)),
        f"times 1/(εΔ), not ε/Δ: ε divides and should multiply. {SPENDS} 1/ε: {HERE} that is 4",
    ),
    "ε twice": (
        with_factor(lambda e, d: e * e / d),
        f"times ε²/Δ, not ε/Δ: ε comes in twice. {SPENDS} ε²: at ε = 2 and Δ = 3 that is 2 times",
    ),
    "Δ twice": (
        with_factor(lambda e, d: e / d**2),
        f"times ε/Δ², not ε/Δ: Δ comes in twice. {SPENDS} ε/Δ: {HERE} 67% of the budget is unused.",
    ),
    "the wrong way, cap as it is": (
        powers(OUT, AS_IT_IS, AS_IT_IS, IN),
        "ε/Δ is upside down: you divide first and multiply after.",
        "Besides, cap is not scaled",
    ),
    "Δ forgotten on the way in": (
        powers((1, 0), (1, 0), AS_IT_IS, OUT),
        "Δ is forgotten on the way in, and counted on the way back.",
        "And the estimates are Δ times too large.",
    ),
    "nothing": (
        lambda v, c, a, d, e, alp1: alp1(v, c, a),
        f"nothing is scaled: this is alp1 itself. {SPENDS} Δ: {HERE} that is 6 times the budget.",
    ),
    "back alone": (
        powers(AS_IT_IS, AS_IT_IS, AS_IT_IS, OUT),
        "values and cap go in as they are, and only the estimates are scaled.",
        "the estimates are Δ/ε times too large",
    ),
    "values as they are": (
        powers(AS_IT_IS, IN, AS_IT_IS, OUT),
        f"the values are not scaled. {SPENDS} Δ: {HERE} that is 6 times the budget. And what comes",
    ),
    "Δ at the cap alone": (
        powers((1, 0), IN, AS_IT_IS, OUT),
        f"the values go in times ε, not ε/Δ: Δ is forgotten. {SPENDS} εΔ: {HERE} that is 3 times",
        "And what comes back is on another scale.",
    ),
    "ε at the cap alone": (
        powers((0, -1), IN, AS_IT_IS, OUT),
        f"the values go in times 1/Δ, not ε/Δ: ε is forgotten. {SPENDS} 1: {HERE} that is 2 times",
    ),
    "values times Δ": (powers((1, 1), IN, AS_IT_IS, OUT), "the values go in times εΔ, not ε/Δ"),
    "values divided": (powers(OUT, IN, AS_IT_IS, OUT), "the values go in times Δ/ε, not ε/Δ"),
    "values by ε": (powers((-1, -1), IN, AS_IT_IS, OUT), "the values go in times 1/(εΔ), not ε/Δ"),
    "values twice": (powers((2, -1), IN, AS_IT_IS, OUT), "the values go in times ε²/Δ, not ε/Δ"),
    "values by Δ²": (powers((1, -2), IN, AS_IT_IS, OUT), "the values go in times ε/Δ², not ε/Δ"),
    "cap as it is": (
        powers(IN, AS_IT_IS, AS_IT_IS, OUT),
        f"cap is not scaled with the values. Then {HERE} there are 6 times as many levels as can "
        "be reached, and space and time are wasted. (Privacy is not touched.)",
    ),
    "Δ at the values alone": (
        powers(IN, (1, 0), AS_IT_IS, OUT),
        f"cap goes in times ε, not ε/Δ as the values: Δ is forgotten. Then {HERE} there are 3",
    ),
    "ε at the values alone": (
        powers(IN, (0, -1), AS_IT_IS, OUT),
        f"cap goes in times 1/Δ, not ε/Δ as the values: ε is forgotten. Then {HERE} there are 2",
    ),
    "cap times Δ": (powers(IN, (1, 1), AS_IT_IS, OUT), "cap goes in times εΔ, not ε/Δ as"),
    "cap divided": (powers(IN, OUT, AS_IT_IS, OUT), "cap goes in times Δ/ε, not ε/Δ as the"),
    "cap twice": (
        powers(IN, (2, -1), AS_IT_IS, OUT),
        "cap goes in times ε²/Δ",
        "a value above 0.5·cap is cut off.",
    ),
    "cap by Δ²": (powers(IN, (1, -2), AS_IT_IS, OUT), "times ε/Δ²", "above 0.333·cap is cut off."),
    "not back": (
        powers(IN, IN, AS_IT_IS, AS_IT_IS),
        "you do not scale back what comes from alp1. The estimates are of values·ε/Δ",
    ),
    "back without Δ": (
        powers(IN, IN, AS_IT_IS, (-1, 0)),
        f"what comes back is multiplied by 1/ε, not by Δ/ε: Δ is forgotten. Then {HERE} the "
        "estimates are 0.333 times as large as they should be. (Privacy is not touched.)",
    ),
    "back without ε": (
        powers(IN, IN, AS_IT_IS, (0, 1)),
        "what comes back is multiplied by Δ, not by Δ/ε: ε is forgotten.",
        "the estimates are 0.5 times as large",
    ),
    "back over Δ": (
        powers(IN, IN, AS_IT_IS, (-1, -1)),
        "multiplied by 1/(εΔ), not by Δ/ε: Δ divides and should multiply.",
    ),
    "back times ε/Δ": (powers(IN, IN, AS_IT_IS, IN), "you scale once more, and not back."),
    "back times ε": (powers(IN, IN, AS_IT_IS, (1, 1)), "εΔ, not by Δ/ε: ε multiplies and should"),
    "back twice": (powers(IN, IN, AS_IT_IS, (-2, 1)), "Δ/ε², not by Δ/ε: ε comes in twice."),
    "back by Δ²": (powers(IN, IN, AS_IT_IS, (-1, 2)), "Δ²/ε, not by Δ/ε: Δ comes in twice."),
    "α too": (
        powers(IN, IN, IN, OUT),
        "you scale α too, by ε/Δ. This is still ε-private",
        f"{HERE}, α = 3 becomes 0.5 and the bound on the error 73.50, not 41.00.",
    ),
    "α divided": (powers(IN, IN, OUT, OUT), "you scale α too, by Δ/ε.", "18 and the bound on the"),
    "α by ε": (powers(IN, IN, (1, 0), OUT), "you scale α too, by ε.", "1.5 and the bound on the"),
    "α by 1/ε": (powers(IN, IN, (-1, 0), OUT), "you scale α too, by 1/ε.", "6 and the bound on"),
    "α by Δ": (powers(IN, IN, (0, 1), OUT), "you scale α too, by Δ.", "9 and the bound on the"),
    "α by 1/Δ": (powers(IN, IN, (0, -1), OUT), "you scale α too, by 1/Δ.", "1 and the bound on"),
    "α alone": (powers(AS_IT_IS, AS_IT_IS, OUT, AS_IT_IS), "you scale α, and neither values nor"),
    "α alone, by ε": (powers(AS_IT_IS, AS_IT_IS, (1, 0), AS_IT_IS), "you scale α, and neither"),
    "e^ε − 1 over Δ": (
        with_factor(lambda e, d: np.expm1(e) / d),
        "you scale by (e^ε − 1)/Δ. That is for a change in one entry. Here it may be spread over",
        "and costs up to e^ε − 1 > ε, 6.39 at ε = 2.",
    ),
    "e^(ε/Δ) − 1": (
        with_factor(lambda e, d: np.expm1(e / d)),
        "you scale by e^(ε/Δ) − 1. That is for a change in one entry.",
        "up to Δ·(e^(ε/Δ) − 1) > ε, 2.84 at ε = 2 and Δ = 3.",
    ),
    "e^ε − 1": (
        with_factor(lambda e, d: np.expm1(e)),
        "you scale by e^ε − 1, and Δ is forgotten.",
        "up to Δ·(e^ε − 1), 19.17 at ε = 2 and Δ = 3.",
    ),
    "two": (
        powers(IN, AS_IT_IS, AS_IT_IS, AS_IT_IS),
        "cap is not scaled with the values.",
        "Besides, you do not scale back what comes from alp1.",
    ),
    "twice": (twice, "you ask alp1 about the same entries more than once.", "2 calls cost 2ε."),
    "never": (lambda v, c, *given: np.minimum(v, c), "you never call alp1."),
    "in place": (scales_in_place, "the numbers are right, but your function changes values"),
    "no α": (
        lambda v, c, a, d, e, alp1: alp1(v * e / d, c * e / d) * d / e,
        "your function stopped with TypeError",
        "TypeError: alp1() missing 1 required positional argument: 'alpha'",
    ),
    "one number": (
        lambda *given: right(*given).mean(),
        "and estimates are asked for, in the shape (4,) of what is given.",
    ),
    "nothing returned": (lambda *given: None, "returned nothing. End it with return and estimates"),
}
