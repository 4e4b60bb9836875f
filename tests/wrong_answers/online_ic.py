"""Wrong steps of multiplicative weights, and what their messages say."""

import math

import numpy as np
from scipy.special import softmax


def direction(value, query, hypothesis):
    return 1 if value > query @ hypothesis else -1


def normalised(weights):
    return weights / weights.sum()


def stepping(eta):
    """The right step but for its size, a function of alpha and the gap."""

    def my_update(h, q, v, a):
        return normalised(h * np.exp(direction(v, q, h) * eta(a, abs(v - q @ h)) * q))

    return my_update


def towards(sign):
    """The right step but for its direction, a function of value, hypothesis, query and alpha."""
    return lambda h, q, v, a: normalised(h * np.exp(sign(v, h, q, a) * a / 2 * q))


def moving(factor):
    """The hypothesis times a function of ±alpha/2 and the query, normalised."""
    return lambda h, q, v, a: normalised(h * factor(direction(v, q, h) * a / 2, q))


def ending(last):
    """The right weights, with another last step."""
    return lambda h, q, v, a: last(h * np.exp(direction(v, q, h) * a / 2 * q))


def the_published_slip(hypothesis, query, value, alpha):
    guess = np.dot(query, hypothesis)
    if value < guess:
        r = guess
    else:
        r = 1 - guess
    update = np.exp(-r * alpha / 2)
    hypothesis = hypothesis * update
    return hypothesis / np.sum(hypothesis)


def in_place(hypothesis, query, value, alpha):
    sign = direction(value, query, hypothesis)
    hypothesis *= np.exp(sign * alpha / 2 * query)
    hypothesis /= hypothesis.sum()
    return hypothesis


def scales_the_query(hypothesis, query, value, alpha):
    sign = direction(value, query, hypothesis)
    query *= sign * alpha / 2
    return normalised(hypothesis * np.exp(query))


def clipped(hypothesis, query, value, alpha):
    new = hypothesis + direction(value, query, hypothesis) * alpha / 2 * query
    return normalised(np.maximum(new, 0))


def threshold(hypothesis, query, value, alpha):
    gap = value - query @ hypothesis
    if abs(gap) < 2 * alpha:
        return hypothesis
    return normalised(hypothesis * np.exp(np.sign(gap) * alpha / 2 * query))


def only_the_query(hypothesis, query, value, alpha):
    new = hypothesis.copy()
    for x in range(len(query)):
        if query[x] > 0.5:
            new[x] *= math.exp(direction(value, query, hypothesis) * alpha / 2 * query[x])
    return new / new.sum()


def matrix(hypothesis, query, value, alpha):
    return hypothesis.reshape(1, -1)


def a_slip_of_the_pen(hypothesis, query, value, alpha):
    return hypothesis * np.exp(alpha / 2 * qeury)  # noqa: F821


SCALAR = "the elements keep their proportions, so the hypothesis does not move."
WRONG_UPDATE = {
    "scalar, the gap": (
        lambda h, q, v, a: normalised(h * np.exp(a / 2 * (v - q @ h))),
        SCALAR,
        "The exponent of an element needs its own weight in the query, query[x].",
    ),
    "scalar, Q(D)": (lambda h, q, v, a: normalised(h * np.exp(-a / 2 * (q @ h))), SCALAR),
    "scalar, published": (the_published_slip, SCALAR),
    "scalar, not normalised": (lambda h, q, v, a: h * np.exp(a / 2 * (v - q @ h)), SCALAR),
    "nothing": (lambda h, q, v, a: h, SCALAR),
    "wrong sign": (
        towards(lambda v, h, q, a: np.sign(q @ h - v)),
        "the sign is wrong: the hypothesis moves away from the truth.",
    ),
    "always up": (towards(lambda v, h, q, a: 1), "you always raise the elements of the query."),
    "always down": (towards(lambda v, h, q, a: -1), "you always lower the elements of the query."),
    "the mean": (
        towards(lambda v, h, q, a: np.sign(v - q.mean())),
        "you compare value with the mean of the query’s weights, which is Q on the uniform",
    ),
    "the sum": (
        towards(lambda v, h, q, a: np.sign(v - sum(q))),
        "you compare value with the sum of the query’s weights.",
    ),
    "one half": (towards(lambda v, h, q, a: 1 if v > 0.5 else -1), "you compare value with 1/2."),
    "each weight": (
        towards(lambda v, h, q, a: np.where(v > q, 1, -1)),
        "you compare value with the weight of each element, so some go up and some down.",
    ),
    "beyond alpha": (
        towards(lambda v, h, q, a: 1 if v > q @ h + a else -1),
        "you compare value with Q(Dᵗ) + α.",
    ),
    "beyond two alpha": (
        towards(lambda v, h, q, a: 1 if v - q @ h > 2 * a else -1),
        "you compare value with Q(Dᵗ) + 2α.",
    ),
    "small gaps stay": (
        towards(lambda v, h, q, a: np.sign(v - q @ h) * (abs(v - q @ h) >= a)),
        "the hypothesis stays where it is if the gap is below α.",
    ),
    "gaps below 2 alpha stay": (threshold, "if the gap is below 2α. Whether there is an update"),
    "alpha": (stepping(lambda a, gap: a), "your step is η = α. The step of the lecture is η = α/2"),
    "a quarter": (stepping(lambda a, gap: a / 4), "your step is η = α/4."),
    "two alpha": (stepping(lambda a, gap: 2 * a), "your step is η = 2α."),
    "one": (stepping(lambda a, gap: 1), "your step is 1 whatever α is."),
    "half": (stepping(lambda a, gap: 0.5), "your step is 1/2 whatever α is."),
    "the drop": (stepping(lambda a, gap: a**2 / 4), "your step is α²/4."),
    "the gap": (stepping(lambda a, gap: gap), "your step is the gap |value − Q(Dᵗ)|."),
    "MWEM": (
        lambda h, q, v, a: normalised(h * np.exp(q * (v - q @ h) / 2)),
        "your step is half the gap |value − Q(Dᵗ)|, as in the algorithm MWEM.",
    ),
    "alpha times the gap": (
        stepping(lambda a, gap: a / 2 * gap),
        "your step is α/2 times the gap |value − Q(Dᵗ)|. In the lecture the gap decides",
    ),
    "a times the gap": (stepping(lambda a, gap: a * gap), "your step is α times the gap"),
    "linear": (
        moving(lambda e, q: 1 + e * q),
        "a factor 1 ± η·q(x) is that of another algorithm of the family",
    ),
    "powers": (
        moving(lambda e, q: (1 + e) ** q),
        "a factor (1 ± η)^q(x) is that of another algorithm",
    ),
    "base 2": (moving(lambda e, q: 2 ** (e * q)), "a factor 2^(±η·q(x)) makes the step ln 2 times"),
    "additive": (
        lambda h, q, v, a: normalised(h + direction(v, q, h) * a / 2 * q),
        "you add ±η·q(x) to the weights; then one can become negative.",
    ),
    "additive, clipped": (clipped, "you add ±η·q(x) to the weights, and cut them off at 0;"),
    "additive, not normalised": (
        lambda h, q, v, a: h + direction(v, q, h) * a / 2 * q,
        "you add ±η·q(x) to the weights",
        "Besides, you do not normalise.",
    ),
    "membership": (moving(lambda e, q: np.exp(e * (q > 0))), "you move all elements with q(x) > 0"),
    "rounded": (moving(lambda e, q: np.exp(e * (q > 0.5))), "elements with q(x) above 1/2 move by"),
    "rounded up": (
        moving(lambda e, q: np.exp(e * (q >= 0.5))),
        "elements with q(x) of 1/2 or more",
    ),
    "only large weights": (only_the_query, "only elements with q(x) above 1/2 move."),
    "integers": (
        moving(lambda e, q: np.exp(e * q.astype(int))),
        "only elements with q(x) = 1 move",
    ),
    "probability in the exponent": (
        lambda h, q, v, a: normalised(h * np.exp(direction(v, q, h) * a / 2 * q * h)),
        "the exponent has the element’s probability in it as well.",
    ),
    "probability for weight": (
        lambda h, q, v, a: normalised(h * np.exp(direction(v, q, h) * a / 2 * h)),
        "the exponent has the element’s probability where its weight in the query belongs",
    ),
    "forgetful": (
        lambda h, q, v, a: softmax(direction(v, q, h) * a / 2 * q),
        "you forget the hypothesis: each step begins with the uniform one again.",
    ),
    "not normalised": (ending(lambda w: w), "you do not normalise. The hypothesis is a distri"),
    "by the largest": (ending(lambda w: w / w.max()), "you divide by the largest weight."),
    "by the length": (ending(lambda w: w / np.linalg.norm(w)), "you divide by the Euclidean len"),
    "a mean": (ending(lambda w: w / len(w)), "you divide by the number of elements."),
    "softmax of weights": (ending(softmax), "you put the new weights into a softmax"),
    "logarithms": (ending(np.log), "you return logarithms."),
    "log probabilities": (
        ending(lambda w: np.log(w) - np.log(w.sum())),
        "you return the logarithms of the probabilities.",
    ),
    "cut off": (ending(lambda w: np.clip(w, 0, 1)), "you cut the weights off at 1"),
    "two slips": (
        lambda h, q, v, a: h * np.exp(-direction(v, q, h) * a / 2 * q),
        "the sign is wrong",
        "Besides, you do not normalise.",
    ),
    "rounds": (ending(lambda w: np.round(normalised(w), 3)), "this is right to 3 decimals only"),
    "in place": (in_place, "the numbers are right, but your function changes hypothesis"),
    "scales the query": (
        scales_the_query,
        "the numbers are right, but your function changes query",
    ),
    "a matrix": (matrix, "returned an array of shape (1, 4), and 4 probabilities are asked for"),
    "the value": (lambda h, q, v, a: q @ h, "returned one number, and 4 probabilities are asked"),
    "too short": (lambda h, q, v, a: h[:-1], "returned an array of shape (3,), and 4 probabilit"),
    "ragged": (lambda h, q, v, a: [1, [2]], "and an array of probabilities is asked for."),
    "words": (lambda h, q, v, a: ["a"] * len(h), "and an array of probabilities is asked for."),
    "truths": (lambda h, q, v, a: h > 0, "and an array of probabilities is asked for."),
    "a pair": (lambda h, q, v, a: (h, v), "and an array of probabilities is asked for."),
    "nan": (lambda h, q, v, a: h * math.nan, "returned nan, and a finite number is asked for."),
    "overflow": (lambda h, q, v, a: h / 0.0, "returned inf, and a finite number is asked for."),
    "a slip of the pen": (a_slip_of_the_pen, "NameError: name 'qeury' is not defined."),
    "a product of matrices": (
        lambda h, q, v, a: h @ np.array([q, q]),
        "hypothesis and query are arrays with one number for each element.",
    ),
    "something else": (
        lambda h, q, v, a: np.sort(h),
        "you return 0.25, and it is 0.26249. (That is entry 0; the new hypothesis is [0.2625,",
    ),
}
