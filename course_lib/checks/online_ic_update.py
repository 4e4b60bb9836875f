"""Notebook 06’s step of multiplicative weights, in pieces, each with the slips that are known.

Every axis has the right choice first; a sentence goes with each other one.
"""

import reprlib

import numpy as np
from scipy.special import softmax

from course_lib.checks.exercise import NotYet, exercise
from course_lib.checks.one_number import judge


def step(hypothesis, query, value, alpha, compare, eta, move, normalise):
    """The new hypothesis, with the choices of AXES."""
    guess = query @ hypothesis
    sign = compare(value, guess, query, alpha)
    exponent = sign * eta(alpha, abs(value - guess))
    return normalise(move(hypothesis, query, exponent, guess, value))


_BOTH = "Raise the elements of the query if value is above Q(Dᵗ), lower them if it is below."
_DECIDED = (
    "Whether there is an update was decided before, by the sparse vector: here the "
    "hypothesis moves whatever the gap is."
)
_ETA = "The step of the lecture is η = α/2, which makes the potential fall by α²/4."
_GAP = "In the lecture the gap decides the direction alone; the step is always η = α/2."
_SCALAR = (
    "the elements keep their proportions, so the hypothesis does not move. A factor that is the "
    "same for all of them, such as exp(±η·Q(Dᵗ)), is divided out again by the normalisation. The "
    "exponent of an element needs its own weight in the query, query[x]."
)
_OTHER = (
    "is that of another algorithm of the family, with a constant of its own. B(α) = 4 ln|X|/α² is "
    "proved here for exp(±η·q(x))."
)
_WEIGHT = "An element moves by its weight q(x) in the query, between 0 and 1."
_SUM = "The hypothesis is a distribution: divide by the sum, so that it adds up to 1."

AXES = [
    [
        (lambda v, g, q, a: np.sign(v - g), ""),
        (lambda v, g, q, a: np.sign(g - v), "the sign is wrong: the hypothesis moves away from the "
         f"truth. {_BOTH}"),
        (lambda v, g, q, a: 1, f"you always raise the elements of the query. {_BOTH}"),
        (lambda v, g, q, a: -1, f"you always lower the elements of the query. {_BOTH}"),
        (lambda v, g, q, a: np.sign(v - q.mean()), "you compare value with the mean of the query’s "
         "weights, which is Q on the uniform hypothesis. Compare it with Q(Dᵗ), on the hypothesis "
         "as it is now: query @ hypothesis."),
        (lambda v, g, q, a: np.sign(v - q.sum()), "you compare value with the sum of the query’s "
         "weights. Q(Dᵗ) weighs each with the hypothesis: query @ hypothesis."),
        (lambda v, g, q, a: np.sign(v - 0.5), f"you compare value with 1/2. {_BOTH}"),
        (lambda v, g, q, a: np.sign(v - q), "you compare value with the weight of each element, so "
         f"some go up and some down. Compare it with Q(Dᵗ), once. {_BOTH}"),
        (lambda v, g, q, a: np.sign(v - g - a), f"you compare value with Q(Dᵗ) + α. {_BOTH}"),
        (lambda v, g, q, a: np.sign(v - g - 2 * a), "you compare value with Q(Dᵗ) + 2α. "
         f"{_BOTH}"),
        (lambda v, g, q, a: np.sign(v - g) * (abs(v - g) >= a), "the hypothesis stays where it is "
         f"if the gap is below α. {_DECIDED}"),
        (lambda v, g, q, a: np.sign(v - g) * (abs(v - g) >= 2 * a), "the hypothesis stays where it "
         f"is if the gap is below 2α. {_DECIDED}"),
    ],
    [
        (lambda a, gap: a / 2, ""),
        (lambda a, gap: a, f"your step is η = α. {_ETA}"),
        (lambda a, gap: a / 4, f"your step is η = α/4. {_ETA}"),
        (lambda a, gap: 2 * a, f"your step is η = 2α. {_ETA}"),
        (lambda a, gap: 1, f"your step is 1 whatever α is. {_ETA}"),
        (lambda a, gap: 0.5, f"your step is 1/2 whatever α is. {_ETA}"),
        (lambda a, gap: a * a / 4, f"your step is α²/4. {_ETA}"),
        (lambda a, gap: gap, f"your step is the gap |value − Q(Dᵗ)|. {_GAP}"),
        (lambda a, gap: gap / 2, "your step is half the gap |value − Q(Dᵗ)|, as in the algorithm "
         f"MWEM. {_GAP}"),
        (lambda a, gap: a / 2 * gap, "your step is α/2 times the gap |value − Q(Dᵗ)|. "
         f"{_GAP}"),
        (lambda a, gap: a * gap, f"your step is α times the gap |value − Q(Dᵗ)|. {_GAP}"),
    ],
    [
        (lambda h, q, e, g, v: h * np.exp(e * q), ""),
        (lambda h, q, e, g, v: h * np.exp(e), _SCALAR),
        (lambda h, q, e, g, v: h * np.exp(e * g), _SCALAR),
        (lambda h, q, e, g, v: h * np.exp(e * v), _SCALAR),
        (lambda h, q, e, g, v: h * np.exp(e * abs(v - g)), _SCALAR),
        (lambda h, q, e, g, v: h * np.exp(e * (v - g)), _SCALAR),
        (lambda h, q, e, g, v: h * (1 + e * q), f"a factor 1 ± η·q(x) {_OTHER}"),
        (lambda h, q, e, g, v: h * (1 + e) ** q, f"a factor (1 ± η)^q(x) {_OTHER}"),
        (lambda h, q, e, g, v: h * 2 ** (e * q), "a factor 2^(±η·q(x)) makes the step "
         "ln 2 times as long. The lecture has exp(±η·q(x))."),
        (lambda h, q, e, g, v: h + e * q, "you add ±η·q(x) to the weights; then one can become "
         "negative. Multiply by exp(±η·q(x))."),
        (lambda h, q, e, g, v: np.maximum(h + e * q, 0), "you add ±η·q(x) to the weights, and cut "
         "them off at 0; where D has a share, a weight of 0 makes the relative entropy infinite. "
         "Multiply by exp(±η·q(x))."),
        (lambda h, q, e, g, v: h * np.exp(e * (q > 0)), "you move all elements with q(x) > 0 by "
         f"the whole step. {_WEIGHT}"),
        (lambda h, q, e, g, v: h * np.exp(e * (q > 0.5)), "you round q(x) to 0 or 1: elements with "
         f"q(x) above 1/2 move by the whole step, others not at all. {_WEIGHT}"),
        (lambda h, q, e, g, v: h * np.exp(e * (q >= 0.5)), "you round q(x) to 0 or 1: elements "
         f"with q(x) of 1/2 or more move by the whole step, others not at all. {_WEIGHT}"),
        (lambda h, q, e, g, v: h * np.exp(e * q * (q > 0.5)), "only elements with q(x) above 1/2 "
         f"move. {_WEIGHT}"),
        (lambda h, q, e, g, v: h * np.exp(e * (q == 1)), f"only elements with q(x) = 1 move. "
         f"{_WEIGHT}"),
        (lambda h, q, e, g, v: h * np.exp(e * q * h), "the exponent has the element’s probability "
         "in it as well. It is ±η·q(x), and the probability is multiplied by the exponential."),
        (lambda h, q, e, g, v: h * np.exp(e * h), "the exponent has the element’s probability "
         "where its weight in the query belongs: ±η·q(x)."),
        (lambda h, q, e, g, v: np.exp(e * q), "you forget the hypothesis: each step begins with "
         "the uniform one again. Multiply the hypothesis you are given."),
    ],
    [
        (lambda w: w / w.sum(), ""),
        (lambda w: w, f"you do not normalise. {_SUM}"),
        (lambda w: w / w.max(), f"you divide by the largest weight. {_SUM}"),
        (lambda w: w / np.sqrt(np.square(w).sum()), "you divide by the Euclidean length. "
         f"{_SUM}"),
        (lambda w: w / len(w), f"you divide by the number of elements. {_SUM}"),
        (softmax, "you put the new weights into a softmax, which takes the exponential of what is "
         f"no logarithm. {_SUM}"),
        (np.log, "you return logarithms. Normalise the weights themselves, and return "
         "probabilities."),
        (lambda w: np.log(w / w.sum()), "you return the logarithms of the probabilities. Return "
         "the probabilities."),
        (lambda w: w.clip(0, 1), "you cut the weights off at 1 in place of dividing by their sum. "
         f"{_SUM}"),
    ],
]  # fmt: skip


def _case(hypothesis, query, value, alpha):
    return {
        "hypothesis": np.array(hypothesis),
        "query": np.array(query, dtype=float),
        "value": value,
        "alpha": alpha,
    }


# In none is value = Q(Dᵗ), where either direction is right. A noisy value may be outside 0 to 1.
STEPS = (
    _case([0.25, 0.25, 0.25, 0.25], [1, 0, 0, 1], 0.8, 0.2),
    _case([0.5, 0.3, 0.2], [1, 0, 0.4], 0.3, 0.3),
    _case([0.1, 0.6, 0.1, 0.2], [0.9, 0.2, 0, 0.6], 0.4, 0.5),
    _case([0.05, 0.15, 0.8], [0, 0.5, 1], 0.7, 0.9),
    _case([0.7, 0.3], [0.25, 0.75], -0.06, 0.1),
    _case([0.02, 0.08, 0.3, 0.35, 0.25], [1, 1, 0, 0.3, 0], 1.08, 0.15),
    _case([0.4, 0.4, 0.2], [0, 1, 0.6], 0.71, 0.12),
    _case([0.6, 0.3, 0.1], [0.1, 0.2, 0], 0.35, 0.4),
    _case([0.03, 0.97], [0.2, 1], 1.02, 0.3),
)
ENTRIES = tuple(case | {"x": x} for case in STEPS for x in range(len(case["query"])))


def entry(hypothesis, query, value, alpha, x, *choices):
    """One probability of the new hypothesis: the checks compare number by number."""
    return step(hypothesis, query, value, alpha, *choices)[x]


def new_hypothesis(case):
    """The right one."""
    parts = [case[name] for name in ("hypothesis", "query", "value", "alpha")]
    return step(*parts, *(axis[0][0] for axis in AXES))


def _entry_of(function):
    def entry_of(hypothesis, query, value, alpha, x):
        result = function(hypothesis, query, value, alpha)
        if result is None:
            raise NotYet("nothing. End it with return and the new hypothesis.")
        try:
            numbers = np.asarray(result)
        except ValueError:  # rows of different lengths
            numbers = np.array(None)
        if numbers.dtype.kind not in "fiu" and not _all_numbers(numbers):
            raise NotYet(f"{reprlib.repr(result)}, and an array of probabilities is asked for.")
        if numbers.shape != query.shape:
            shape = "one number" if not numbers.ndim else f"an array of shape {numbers.shape}"
            raise NotYet(f"{shape}, and {len(query)} probabilities are asked for, one an element.")
        return float(numbers[x])

    return entry_of


def _all_numbers(numbers):
    """Fractions, decimals and such come as objects."""
    plain = (bool, str, bytes, complex)
    return numbers.dtype.kind == "O" and all(
        hasattr(each, "__float__") and not isinstance(each, plain) for each in numbers.ravel()
    )


def _in_words(case):
    hypothesis, query = case["hypothesis"].tolist(), case["query"].tolist()
    weights = ", ".join(f"{q:g}" for q in query)
    return f"Dᵗ = {hypothesis}, q = [{weights}], value {case['value']:g} and α = {case['alpha']:g}"


def _witness(case, number, exact):
    whole = ", ".join(f"{p:.4f}" for p in new_hypothesis(case))
    return f"(That is entry {case['x']}; the new hypothesis is [{whole}].)"


@exercise
def check_update(function):
    """Judge `function(hypothesis, query, value, alpha)`: one step of multiplicative weights."""
    judge(
        _entry_of(function) if callable(function) else function,
        ENTRIES,
        model=entry,
        axes=AXES,
        words=_in_words,
        remark="hypothesis and query are arrays with one number for each element.",
        witness=_witness,
    )
    return (
        f"in {len(STEPS)} cases your hypothesis moves by exp(±(α/2)·q(x)) towards the value, and "
        "adds up to 1. If the old answer was off by α or more and value by less than α, the "
        "relative entropy to the truth falls by at least α²/4."
    )
