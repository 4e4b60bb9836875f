"""What the checks of all notebooks share: a verdict in words, the test of a law.

Behaviour decides. Noise recorded through the given generator serves only to name a fault that the
behaviour has shown.
"""

import contextlib
import functools
import io
import itertools
import math
import random
import reprlib
import textwrap

import numpy as np

from course_lib.lab.confidence import clopper_pearson


class NotYet(Exception):
    """What is wrong with an answer, in a sentence for the student."""


def exercise(judge):
    """Make a check of `judge`, which returns why an answer is right or raises NotYet."""

    @functools.wraps(judge)
    def check(answer):
        if answer is None:
            verdict = (
                "Not answered yet: put your answer in place of None, then run this cell again."
            )
        else:
            try:
                # a student's own print would appear once for each of thousands of runs
                with contextlib.redirect_stdout(io.StringIO()):
                    verdict = f"Right: {judge(answer)}"
            except NotImplementedError:
                name = getattr(answer, "__name__", "it")
                verdict = f"Not written yet: fill in {name}, then run this cell again."
            except NotYet as fault:
                verdict = f"Not yet: {fault}"
        print(*(textwrap.fill(line, 100) for line in verdict.splitlines()), sep="\n")

    return check


def choose(answer, reasons, *, right):
    """The reason for the right letter; a wrong one raises NotYet with its own."""
    letter = answer.strip(" ().").lower() if isinstance(answer, str) else ""
    if letter not in reasons:
        letters = ", ".join(f'"{each}"' for each in reasons)
        raise NotYet(f"answer with one of {letters}; you gave {reprlib.repr(answer)}.")
    if letter != right:
        raise NotYet(reasons[letter])
    return reasons[right]


def at_least_one(answer, what):
    """The answer as a finite number, 1 or more; NotYet says `what` it is if it is not."""
    try:
        number = float(answer)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 1 <= number < math.inf:
        raise NotYet(f"{what}, 1 or more; you gave {reprlib.repr(answer)}.")
    return number


def run(mechanism, data, queries, *, longest, **parameters):
    """What a student's mechanism answers, as a list of at most `longest` and one more."""
    try:
        result = mechanism(data, queries, **parameters)
        if not hasattr(result, "__iter__"):
            raise NotYet(
                f"your function returned {reprlib.repr(result)}. "
                "It should yield one answer for each query, or return them in a list."
            )
        return list(itertools.islice(result, longest + 1))
    except (NotImplementedError, NotYet):
        raise
    except Exception as error:
        raise NotYet(f"your function stopped with {type(error).__name__}: {error}.") from None


def check_randomness(attempt, example="rng.laplace(scale=…)"):
    """Raise NotYet unless `attempt(rng)` takes all its randomness from rng, as in the example."""
    before = _global_states()
    first, again = ([attempt(np.random.default_rng(seed)) for seed in range(20)] for _ in "ab")
    if _global_states() != before:
        raise NotYet(
            "you draw from a generator shared by the whole session (np.random… or random…). "
            f"Draw from rng, so that results can be repeated: {example}."
        )
    if first != again:
        raise NotYet(
            "two runs with equal generators gave different answers, so results cannot be repeated. "
            "Draw all noise from rng, and use no generator of your own."
        )
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    attempt(rng)
    if rng.bit_generator.state == state and all(answers == first[0] for answers in first):
        raise NotYet(
            "you draw nothing from rng: your answers are the same whatever generator is given. "
            "All noise must come from it."
        )


def _global_states():
    numpys = np.random.get_state()  # noqa: NPY002 (to see whether it is used)
    return random.getstate(), numpys[1].tobytes(), numpys[2:]


def misfit(counts, law, *, level, ordered=True):
    """Judge how often each outcome came against its probability.

    The events looked at are each outcome and, if they are ordered, each "at most this outcome"; all
    of them hold their exact binomial intervals except with probability `level` at most. Returns
    None if they do, else the event furthest off: (outcome, is it "at most", measured, exact).
    """
    counts, law = np.asarray(counts), np.asarray(law)
    seen, exact = counts, law
    if ordered:
        seen, exact = (np.append(each, each.cumsum()[:-1]) for each in (counts, law))
    exact = exact.clip(0, 1)
    low, high = clopper_pearson(seen, counts.sum(), confidence=1 - level / len(seen))
    outside = (exact < low) | (exact > high)
    if not outside.any():
        return None
    rate = seen / counts.sum()
    spread = np.sqrt(exact * (1 - exact)) + 1e-9  # an impossible event that occurred comes first
    worst = np.argmax(outside * np.abs(rate - exact) / spread)
    outcome = worst % len(counts)
    return int(outcome), bool(worst >= len(counts)), float(rate[worst]), float(exact[worst])


def formula(numbers, parameters):
    """Numbers, one per setting, as factor · powers of the parameters, such as "2Δ/ε"; else None."""
    powers = _powers(len(parameters))
    logs = np.log(np.array([np.asarray(p, dtype=float) for p in parameters.values()]))
    factors = np.log(np.asarray(numbers, dtype=float)) - powers @ logs
    (fits,) = np.nonzero(np.ptp(factors, axis=1) < 1e-9)
    if not len(fits):
        return None
    simplest = min(fits, key=lambda i: np.abs(powers[i]).sum())
    factor = float(np.exp(factors[simplest, 0]))
    return monomial(factor, dict(zip(parameters, powers[simplest].tolist(), strict=True)))


@functools.cache
def _powers(size):
    return np.array(list(itertools.product((0, 1, -1, 2, -2), repeat=size)))


def monomial(factor, powers):
    """A factor and powers of parameters, by name, as text such as "2Δ/ε"."""
    dot = "·" * (max(map(len, powers)) > 1)
    over = [name + "²" * (k == 2) for name, k in powers.items() if k > 0]
    under = [name + "²" * (k == -2) for name, k in powers.items() if k < 0]
    number = "" if over and math.isclose(factor, 1) else f"{factor:.4g}"
    if number and over and len(over[0].rstrip("²")) > 1:
        number += dot
    below = dot.join(under) if len(under) < 2 else f"({dot.join(under)})"
    return number + dot.join(over) + ("/" + below if under else "")


def is_gaussian(draws, *, most):
    """Is a normal draw the noise itself? (Laplace noise can be made from several of them.)"""
    names = {draw.law for each in draws for draw in each}
    normal = names & {"normal", "standard_normal"}
    few = all(len(each) <= most for each in draws)
    return bool(normal) and names <= normal | {"laplace"} and few


def recorded_scales(draws):
    """The scales recorded, one row for each draw and in it a number for each setting.

    None at all if the settings differ in the number of draws, or if a scale is not above 0.
    """
    scales = [[draw.scale for draw in each] for each in draws]
    if len(set(map(len, scales))) > 1 or any(scale <= 0 for each in scales for scale in each):
        return []
    return np.array(scales).T


GAUSSIAN = "your noise is Gaussian (rng.normal). The mechanism needs Laplace noise: rng.laplace."
