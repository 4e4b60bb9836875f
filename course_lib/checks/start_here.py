"""The exercises of notebook 00: a released count, randomised response, what a budget pays for."""

import math
from typing import NamedTuple

from scipy.stats import laplace

from course_lib.checks.engine import Function, Slip, number
from course_lib.checks.laws import Case, Law, not_cut
from course_lib.checks.solutions import start_here as solutions
from course_lib.lab.noise import generator


class Count(NamedTuple):
    count: int
    epsilon: float


KINDS = {
    "far too low": -4, "much too low": -1.2, "too low": 0,
    "too high": 1.2, "much too high": 4, "far too high": math.inf,
}  # fmt: skip


def run_release(function, given, rng):
    return number(function(given.count, epsilon=given.epsilon, rng=rng))


def kind(given, released):
    """The label of a released count: how far off it is, in units of the noise it should have."""
    noise = (released - given.count) * given.epsilon
    if noise == 0:
        return "exactly the count"
    found = (word for word, end in KINDS.items() if noise < end)
    return f"a number {next(found, 'that is none')}"


def _counts():
    """Large and small counts, ε on both sides of 1; a scale off by a quarter is seen in each."""
    ends = [-math.inf, *KINDS.values()]
    law = {
        f"a number {word}": laplace.cdf(high) - laplace.cdf(low)
        for word, low, high in zip(KINDS, ends, ends[1:], strict=False)
    }
    high = {word for word in law if "high" in word}
    far = {word for word in law if "much" in word or "far" in word}
    events = ("a number that is too high", high), ("a number much too high or too low", far)
    for count, epsilon in (1156, 0.25), (0, 2), (1, 0.8):
        words = f"a count of {count:,} and ε = {epsilon:g}"
        yield Case(Count(count, epsilon), words, law, events, 2_500)


def _cuts_nothing(function, given):
    rng = generator(0)
    released = (run_release(function, given, rng) for _ in range(2000))
    not_cut(((each - given.count) * given.epsilon for each in released), at_ends=True)
    return []


_LESS = "Then the number tells more about one row than ε allows."
_MORE = "That is private, but further from the count than it need be."
_NOISE, _RELEASED = "scale=1 / epsilon", "count + rng.laplace(scale=1 / epsilon)"
_POST = "That costs no privacy, but here the number itself is asked for, as the noise left it."
check_release = Law(
    solutions.my_release,
    _counts,
    [
        Slip("ε itself were the scale: a smaller ε must mean more noise.", {_NOISE: "scale=epsilon"}),
        Slip(f"the noise did not depend on ε. {_LESS[:-1]} where ε is below 1.", {_NOISE: ""}),
        Slip("there were no noise. Then one row is seen at once.", {" + rng.laplace(scale=1 / epsilon)": ""}),
        Slip("the noise were released alone. Nobody learns anything about the count.", {"count + ": ""}),
        Slip("the noise were Gaussian. No scale of it keeps ε without a δ: its tails are too thin.", {"laplace": "normal"}),
        Slip(
            "the noise were Gaussian, with the standard deviation that Laplace noise has. No scale "
            "of it keeps ε without a δ: its tails are too thin.",
            {"laplace(scale=1 /": "normal(scale=2**0.5 /"},
        ),
        Slip(f"the noise had twice its scale. {_MORE} By how much does one row change a count?", {_NOISE: "scale=2 / epsilon"}, 2),
        Slip(f"the noise had half its scale. {_LESS}", {_NOISE: "scale=0.5 / epsilon"}, 2),
        Slip(f"1/ε were the noise’s standard deviation, and not its scale. {_LESS}", {_NOISE: "scale=0.5**0.5 / epsilon"}, 2),
        Slip(f"1/ε were the noise’s variance, and not its scale. {_LESS[:-1]} where ε is small.", {_NOISE: "scale=(0.5 / epsilon)**0.5"}, 2),
        Slip("the scale went with 1/ε². Below ε = 1 that is more noise than is needed, above it is not private.", {_NOISE: "scale=1 / epsilon**2"}, 2),
        Slip(
            "the noise grew with the count. It has to hide one row, however many there are; and "
            "its size would tell how many.",
            {_NOISE: "scale=count / epsilon"}, 2,
        ),
        Slip("noise were only ever added. Who sees the number then knows that the count is not larger.", {"+ rng.laplace(scale=1 / epsilon)": "+ abs(rng.laplace(scale=1 / epsilon))"}),
        Slip("noise were only ever added. Who sees the number then knows that the count is not larger.", {"laplace": "exponential"}),
        Slip(f"the number were rounded. {_POST}", {_RELEASED: f"round({_RELEASED})"}),
        Slip(f"the number were rounded. {_POST}", {_RELEASED: f"round({_RELEASED}, 1)"}),
        Slip(f"the number were rounded. {_POST}", {_RELEASED: f"round({_RELEASED}, 2)"}),
        Slip(f"the number were cut to a whole one. {_POST}", {_RELEASED: f"int({_RELEASED})"}),
        Slip(f"numbers below 0 became 0. {_POST}", {_RELEASED: f"max(0, {_RELEASED})"}),
        Slip(f"the number were rounded, and 0 if it is below 0. {_POST}", {_RELEASED: f"max(0, round({_RELEASED}))"}),
        Slip(
            "numbers below 0 were drawn anew. How likely that is depends on the count, so the numbers "
            "that are released tell more about it than ε allows.",
            {f"    return {_RELEASED}": f"    released = -1\n    while released < 0:\n        released = {_RELEASED}\n    return released"},
        ),
        Slip("the sign of numbers below 0 were dropped. That costs no privacy, but takes the number away from the count.", {_RELEASED: f"abs({_RELEASED})"}),
    ],
    run=run_release,
    label=kind,
    also=_cuts_nothing,
    praise="in many runs, with different counts and ε, the noise is as wide as one row needs, and "
    "no wider. (At most one right answer in a million is refused.)",
)  # fmt: skip


def _reports():
    """Few and many reports, as many as flips alone would give, and none; whole and other ε."""
    yield from [(12, 20, 1.0), (0, 10, 0.5), (10, 10, 0.5), (1, 1, 2), (5, 10, 1), (3, 10, 0.1)]
    yield from [(8_344, 20_190, 1), (700, 1_000, 5.0), (269, 1_000, 1.0), (250, 1_000, math.log(3))]
    rng = generator(1)
    for _ in range(8):
        n = int(rng.integers(2, 5_000))
        yield int(rng.integers(0, n)), n, float(rng.uniform(0.05, 4))


_CUT = "an estimate below 0 or above n were cut off. Then errors no longer cancel on average: it is biased."
_FLIP, _ESTIMATE = "1 / (1 + math.exp(epsilon))", "(yes - n * flip) / (1 - 2 * flip)"
check_count = Function(
    solutions.my_count,
    _reports,
    [
        Slip("a share were asked for: here it is how many people.", {_ESTIMATE: f"{_ESTIMATE} / n"}),
        Slip(_CUT, {_ESTIMATE: f"min(n, max(0, {_ESTIMATE}))"}),
        Slip(_CUT, {_ESTIMATE: f"max(0, {_ESTIMATE})"}),
        Slip("the reports were taken as they are. On average flips add to few ones and take from many.", {_ESTIMATE: "yes"}),
        Slip(
            "p were the probability to keep the bit. Then it estimates how many have a 0.",
            {"math.exp(epsilon)": "math.exp(-epsilon)"},
        ),
        Slip("only the zeros that became ones were taken off. What becomes of the ones?", {" / (1 - 2 * flip)": ""}, 2),
        Slip(
            "nothing were taken off for the zeros that became ones. With no ones at all it is "
            "well above 0.",
            {"(yes - n * flip)": "yes"}, 2,
        ),
        Slip(
            "flips only took ones away. They also make ones of zeros, so one more 1 among the n "
            "raises the reports by less than you divide by.",
            {"1 - 2 * flip": "1 - flip"}, 2,
        ),
        Slip("flips were taken off once, and not for each of the n people.", {"n * flip": "flip"}, 2),
        Slip("only the n p expected flips were divided: a bracket is missing.", {"(yes - n * flip)": "yes - n * flip"}, 2),
        Slip("yes were the number of true ones, and the reports were asked for. It is the other way round.", {_ESTIMATE: "yes * (1 - flip) + (n - yes) * flip"}),
        Slip("a bit were flipped with probability e^(−ε). That is p/(1 − p), and not p.", {_FLIP: "math.exp(-epsilon)"}),
        Slip("brackets were missing in p, which is then above 1: of 1 / 1 + x only the first 1 is divided.", {_FLIP: "1 / 1 + math.exp(epsilon)"}),
        Slip("p had ε where e^ε belongs.", {"math.exp(epsilon)": "epsilon"}),
        Slip("the estimate were rounded. No whole number is asked for, and rounding may bias it.", {_ESTIMATE: f"round({_ESTIMATE})"}),
        Slip("the estimate were cut to a whole number. That moves it towards 0 on average: it is biased.", {_ESTIMATE: f"int({_ESTIMATE})"}),
    ],
    praise="it is right on average, whatever the true number is. A single estimate may be below 0 "
    "or above n: cut off, it would be biased.",
)  # fmt: skip


def _budgets():
    """Budgets for no count, for one, and for many; no quotient is so near a whole number that
    rounding decides."""
    yield from [(1, 30, 0.05), (1.0, 2.5, 0.05), (0.5, 10, 0.05), (2, 100, 0.01), (1, 100, 0.45)]
    yield from [(1, 3.2, 0.05), (3, 1, 0.1), (1, 4, 0.4), (0.1, 46, 0.01), (10, 7, 0.2)]
    rng = generator(2)
    for _ in range(8):
        yield float(rng.uniform(0.2, 5)), float(rng.uniform(5, 200)), float(rng.uniform(0.001, 0.3))


_WHOLE = "math.floor(budget / price)"
_BASE = "the logarithm were to base 10 or 2. The tail of Laplace noise falls with e."
check_answers = Function(
    solutions.my_answers,
    _budgets,
    [
        Slip("one count more could be released than the budget pays for.", {_WHOLE: "math.ceil(budget / price)"}),
        Slip("it rounded to the nearest. A count for which the budget is short cannot be released.", {_WHOLE: "round(budget / price)"}),
        Slip("a part of a count could be released. A whole number is asked for.", {_WHOLE: "budget / price"}),
        Slip(
            "the noise could miss by alpha on each side with probability beta: beta is for both "
            "sides together.",
            {"1 / beta": "1 / (2 * beta)"}, 2,
        ),
        Slip("only half of beta were left for a miss of a count. beta is for each, both sides together.", {"1 / beta": "2 / beta"}, 2),
        Slip(_BASE, {"math.log(": "math.log10("}, 2),
        Slip(_BASE, {"math.log(": "math.log2("}, 2),
        Slip("beta had no part in it: noise of scale alpha misses by more than alpha quite often.", {"math.log(1 / beta)": "1"}, 2),
        Slip("the probability of a miss fell with 1 over alpha. The tail of Laplace noise falls faster.", {"math.log(1 / beta)": "1 / beta"}, 2),
        Slip(
            "all counts together might miss with probability beta. Here each has a beta of its own.",
            {"    price = math.log(1 / beta) / alpha\n    return math.floor(budget / price)":
             "    k = 1\n    while k * math.log(k / beta) / alpha <= budget:\n        k += 1\n    return k - 1"},
        ),
        Slip("a count cost more the larger alpha is. A larger alpha allows more noise.", {") / alpha": ") * alpha"}),
        Slip("a logarithm had the wrong sign: no number of answers is below 0.", {"1 / beta": "beta"}, 2),
        Slip("1 − beta were the probability of a miss.", {"1 / beta": "1 / (1 - beta)"}, 2),
        Slip("a count cost twice as much. One row changes it by 1 alone.", {"/ alpha\n": "/ alpha * 2\n"}),
        Slip("a count cost half as much.", {"/ alpha\n": "/ alpha / 2\n"}),
        Slip("the price of one count were asked for. How often is it in the budget?", {_WHOLE: "price"}),
        Slip("one count could always be released. A small budget pays for none.", {_WHOLE: "max(1, math.floor(budget / price))"}),
        Slip("one count were always left over.", {_WHOLE: "math.floor(budget / price) - 1"}),
    ],
    praise="twice the budget, or twice the error, pays for twice as many counts; a tenth of beta "
    "costs only a logarithm.",
)  # fmt: skip
