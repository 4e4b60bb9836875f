"""How numbers and parameters are written: 1,000; 4.2·10⁻⁷; −5; 2³⁰; one way for all pictures."""

import functools
import math
import numbers

NAMES = {"epsilon": "ε", "delta": "δ", "alpha": "α", "beta": "β"}
NAMES |= {"num_queries": "k queries", "threshold": "threshold T", "cutoff": "cutoff c"}
NAMES |= {"n": "rows n", "num_below": "m times ⊥", "answer": "number n·âᵢ"}
NAMES |= {"cut": "cut on n·a", "lattice": "lattice 2⁻ʲ, j", "run": "run N"}
NAMES |= {"trials": "runs", "query_noise": "query noise", "monotone": "monotone queries"}
NAMES |= {"sample": "sample m", "attributes": "attributes d", "universe_size": "universe |X|"}
NAMES |= {"queries": "queries Q"}
NAMES |= {"updates": "updates t", "mass": "D(a)", "weight": "weight of a"}
NAMES |= {"support": "support m", "asked": "queries t"}
NAMES |= {"dimension": "dimension d", "sparsity": "sparsity k", "ratio": "size s/k"}
NAMES |= {"cap": "cap β", "value": "value x", "step": "step n", "entries": "entries moved"}
NAMES |= {"announced": "announcements"}
NAMES |= {"known": "facts known", "released": "released count"}
NAMES |= {"given": "entries/k", "share": "ε₁ of ε", "guess": "your guess"}

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def compact(value):
    """A value as a slider or an axis shows it: 0.05, 1,000, −2.5, 3·10⁻⁵, 10¹², 2³⁰."""
    if isinstance(value, (str, bool)):
        return {True: "yes", False: "no"}.get(value, value)
    if isinstance(value, int) and value >= 10**6 and value & (value - 1) == 0:
        return "2" + raised(value.bit_length() - 1)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.12g}".replace("-", "−")
    digits, power = f"{value:.11e}".split("e")
    digits = f"{float(digits):.12g}·".removeprefix("1·").replace("-", "−")
    return digits + "10" + raised(int(power))


def raised(power):
    """An exponent."""
    return str(power).translate(_RAISED)


def about(value):
    """A number to three digits, as a sentence has it: 84.8, 1,700, 4.17·10⁻⁷."""
    return compact(float(f"{value:.3g}")) if value else "0"


def probability(value, least=1e-300):
    """A probability to three digits; what is too small for the arithmetic is below `least`."""
    return about(value) if value >= least else f"below {compact(least)}"


def promised_and_true(bound, real):
    """A bound on a probability beside the probability itself."""
    if bound >= 1:
        return (
            "The theorem promises nothing here; in truth a run fails with probability "
            f"{probability(real)}."
        )
    smaller = f"{about(bound / real)} times smaller" if real >= 1e-300 else "below 10⁻³⁰⁰"
    return f"The theorem allows failure with probability {probability(bound)}; the true one is {smaller}."


def signed(value, places):
    """A number with so many decimal places, a true minus sign, and none before zero."""
    return f"{value:z,.{places}f}".replace("-", "−")


def percent(share):
    """A share to three digits, in percent: 3.34%."""
    return f"{about(100 * share)}%"


def listed(words):
    """Words as a sentence lists them: one, two and three."""
    return " and ".join([*[", ".join(words[:-1])] * (len(words) > 1), words[-1]])


def times(number, word):
    """So many of something: one query, 3 queries, 1,000 rows."""
    plural = word[:-1] + "ies" if word[-1] == "y" else word + "s"
    return f"one {word}" if number == 1 else f"{compact(number)} {plural}"


def written(value):
    """What a picture tells of a number: a word as it is, an interval, two floats, as “low to high”."""
    if value is None:
        return "–"
    if isinstance(value, numbers.Number) and not isinstance(value, bool):
        whole = isinstance(value, int) and abs(value) < 10**15
        return compact(value) if whole else about(value)
    if isinstance(value, list):
        interval = len(value) == 2 and all(isinstance(end, float) for end in value)
        return (" to " if interval else ", ").join(map(written, value)) or "none"
    return compact(value)


def code(value):
    """A value as Python reads it; a long power of ten or of two in few characters."""
    if isinstance(value, functools.partial):
        given = "".join(f", {name}={code(each)}" for name, each in value.keywords.items())
        return f"partial({code(value.func)}{given})"
    if callable(value):
        return value.__name__
    if isinstance(value, int) and value >= 10**6 and value & (value - 1) == 0:
        return f"2**{value.bit_length() - 1}"
    text = repr(value)
    return f"10**{len(text) - 1}" if len(text) > 7 and text.strip("0") == "1" else text
