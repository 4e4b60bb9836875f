"""The exercises of notebook 09: Threshold on a whole vector, the look-up, the level."""

import itertools
import math
from collections.abc import Mapping

import numpy as np

from course_lib.checks.engine import Function, NotYet, Slip, array, brief, number, shown
from course_lib.checks.laws import Case, Law, not_cut
from course_lib.checks.solutions import threshold_alp as solutions
from course_lib.lab.noise import generator

_NEAR = 0.7  # times 1/ε: a number kept is less than this above the level, or more


def _above(distance):
    """The probability that Lap(1) reaches a distance."""
    return math.exp(-distance) / 2 if distance > 0 else 1 - math.exp(distance) / 2


def _vectors():
    """Values that are no whole numbers, zeros, equal ones, one alone; levels of every height."""
    for values, level, epsilon, runs in (
        ([0.0, 0.0, 2.5], 1.25, 1.0, 4_000),
        ([0.75, 0.0, 0.0], 0.4, 2.0, 4_000),
        ([3, 0, 7], 5, 0.25, 4_000),
        ([1.5], -0.5, 0.5, 1_000),
        ([1000.0, 0.0, 1000.0], 500.0, 1.0, 40),
    ):
        chances = []
        for value in values:
            kept, far = (_above((level - value) * epsilon + more) for more in (0, _NEAR))
            chances.append({"no": 1 - kept, "just above": kept - far, "well above": far})
        law, events = {}, {}
        for entries in itertools.product(*(each.items() for each in chances)):
            if (chance := math.prod(p for _, p in entries)) > 1e-15:
                label = ", ".join(kind for kind, _ in entries)
                law[label] = chance
                for i, (kind, _) in enumerate(entries):
                    events.setdefault(f"“{kind}” for entry {i}", set()).add(label)
                    if kind != "no":
                        events.setdefault(f"a number for entry {i}", set()).add(label)
        words = f"values {shown(values)}, level {level:g} and ε = {epsilon:g}"
        given = (np.array(values), level, epsilon)
        yield Case(given, words, law, tuple(events.items()), runs)


def _run_vector(function, given, rng):
    values, level, epsilon = given
    mine = values.copy()
    result = function(mine, level, epsilon, rng)
    if not np.array_equal(mine, values):
        raise NotYet("your function changes what it was given. Leave it, and return a new one.")
    if not isinstance(result, Mapping):
        raise NotYet(f"your function returned {brief(result)}, and a dictionary is asked for.")
    if not set(result) <= set(range(len(values))):
        raise NotYet(f"the keys are {brief(list(result))}; they should be indices of entries.")
    return {int(i): number(x, "a number kept is") for i, x in sorted(result.items())}


def _kinds(given, outcome):
    values, level, epsilon = given
    return ", ".join(
        "no" if i not in outcome
        else "below the level" if outcome[i] < level
        else ("just above", "well above")[(outcome[i] - level) * epsilon >= _NEAR]
        for i in range(len(values))
    )  # fmt: skip


def _rounds_nothing(function, given):
    not_cut(_noises(function))
    return []


def _noises(function):
    """The noise of entries far above the level."""
    rng = generator(0)
    for values in 2000 + rng.random((20, 100)):
        kept = _run_vector(function, (values, 0.0, 1.0), rng)
        yield from (x - values[i] for i, x in kept.items())


_NOISE = "rng.laplace(scale=1 / epsilon, size=len(values))"
_LEAKS = "Then what is kept costs more than ε."
_ZEROS = "zeros got no noise, or were never kept. Who sees a number then knows that it is no zero."
check_threshold = Law(
    solutions.my_threshold,
    _vectors,
    [
        Slip(_ZEROS, {_NOISE: f"{_NOISE} * (values != 0)"}),
        Slip(_ZEROS, {"if x >= level": "if x >= level and values[i] != 0"}),
        Slip("the level were compared with the entries before the noise. Then it is certain which of them reach it.", {"if x >= level": "if values[i] >= level"}, 2),
        Slip("the entries themselves came out, without their noise.", {"{i: x for": "{i: values[i] for"}, 2),
        Slip("a number kept had noise of its own. That reads the data twice, and costs 2ε.", {"{i: x for": "{i: values[i] + rng.laplace(scale=1 / epsilon) for"}, 2),
        Slip(f"there were no noise. {_LEAKS}", {f" + {_NOISE}": " + 0.0"}),
        Slip(f"all entries had one noise. {_LEAKS}", {", size=len(values)": ""}),
        Slip("the scale were ε: a smaller ε must mean more noise.", {"scale=1 / epsilon": "scale=epsilon"}),
        Slip("the noise had twice its scale. That is private, but wider than it need be.", {"scale=1 /": "scale=2 /"}),
        Slip(f"the noise had half its scale. {_LEAKS}", {"scale=1 /": "scale=0.5 /"}),
        Slip("the size of a number were compared. Entries are not negative, and zeros are kept twice as often then.", {"x >= level": "abs(x) >= level"}, 2),
        Slip("what is below the level were kept.", {"x >= level": "x < level"}, 2),
        Slip("every entry were kept. The others would fill the release.", {" if x >= level": ""}, 2),
        Slip("the noise were Gaussian. The proof needs the tails of rng.laplace.", {"rng.laplace": "rng.normal"}),
        Slip("the noise only added. Then what comes out below an entry’s value tells that it is not that.", {_NOISE: f"np.abs({_NOISE})"}),
    ],
    run=_run_vector,
    label=_kinds,
    also=_rounds_nothing,
    praise="on vectors with zeros each entry is kept as often as it should, with its noise. (At "
    "most one right answer in a million is refused.)",
)  # fmt: skip


def _look_ups():
    """Kept numbers that are 0 or negative, repeated and unsorted indices, none and all kept."""
    return [
        (np.array([3, 0, 5]), {0: 7.5, 3: 4.25}),
        ([2, 7, 2, 1], {2: 0.0, 1: -1.5}),
        ([4, 1], {}),
        ([1, 4], {4: 6, 1: 2, 9: 3.5}),
        ([8], {8: 0}),
        (np.array([6]), {5: 1.0}),
        ([5, 5, 0], {0: 12.5}),
    ]


def _run_look_up(function, case):
    indices, kept = case
    asked, mine = [], dict(kept)

    def estimate(index):
        asked.append(int(number(index, "you ask estimate for")))
        return 0.5 + 1.25 * asked[-1]

    result = array(function(indices, mine, estimate))
    if mine != kept:
        raise NotYet("your function changes what it was given. Leave it, and return a new one.")
    return {"result": result, "asked": sorted(set(asked))}


def _tell_look_up(case, mine, right):
    given = f"with indices {shown(case[0])} and {shown(case[1])} kept"
    if np.array_equal(mine["result"], right["result"]):
        return f"{given} the embedding is asked for {mine['asked']}; it should be {right['asked']}."
    return f"{given} you return {shown(mine['result'])}; it should be {shown(right['result'])}."


_BOTH = "kept[i] if i in kept else estimate(i)"
check_look_up = Function(
    solutions.my_look_up,
    _look_ups,
    [
        Slip("the embedding were asked for every index. A look-up that finds a number kept needs no bit of it.", {_BOTH: "kept.get(i, estimate(i))"}, 2),
        Slip("a kept 0 were taken for nothing. Ask whether the index is there.", {_BOTH: "kept.get(i) or estimate(i)"}, 2),
        Slip("what Threshold did not keep were 0. Small entries are what the embedding is for.", {_BOTH: "kept.get(i, 0)"}),
        Slip("only the embedding were asked. It ends at its cap, and large entries are lost.", {_BOTH: "estimate(i)"}),
        Slip("both were added. They are two estimates of one entry.", {_BOTH: "kept.get(i, 0) + estimate(i)"}),
        Slip("the larger of the two were taken.", {_BOTH: "max(kept.get(i, -math.inf), estimate(i))"}),
        Slip("the average of the two were taken.", {_BOTH: "(kept[i] + estimate(i)) / 2 if i in kept else estimate(i)"}),
        Slip("the two had changed places: a number that was kept comes first.", {_BOTH: "estimate(i) if i in kept else 0"}),
        Slip("the indices were sorted. Each result belongs to the index at its place.", {"for i in indices": "for i in sorted(indices)"}),
        Slip("an index asked twice were answered once.", {"for i in indices": "for i in dict.fromkeys(indices)"}),
        Slip("the place in the list were looked up, not the index that stands there.", {"for i in indices": "for i in range(len(indices))"}),
        Slip("all that was kept came out. Only the indices asked for are wanted.", {f"[{_BOTH} for i in indices]": "list(kept.values())"}),
    ],
    run=_run_look_up,
    tell=_tell_look_up,
    praise="a kept number, also 0, is found without the embedding, and the others are estimated.",
)  # fmt: skip


def _levels():
    """Few zeros and many, parts of one, a level near 0 and a high one; ε below 1 and above."""
    yield 1000, 1, 1.0
    yield 10**6, 10, 0.5
    yield 64, 31, 2
    yield 10**9, 0.5, 0.1
    rng = generator(9)
    for _ in range(6):
        dimension = int(10 ** rng.uniform(1, 9))
        yield dimension, float(dimension * rng.uniform(0.001, 0.45)), float(rng.uniform(0.1, 4))


_D = "dimension / (2 * zeros)"
check_level = Function(
    solutions.my_level,
    _levels,
    [
        Slip("noise were never negative. Half of the zeros get a negative one, and reach no level above 0.", {_D: "dimension / zeros"}, 2),
        Slip("one zero were to reach the level, whatever `zeros` is.", {_D: "dimension / 2"}),
        Slip("2 · zeros multiplied: mind the brackets.", {_D: "dimension / 2 * zeros"}),
        Slip("twice as many zeros were there: the 2 is on the wrong side.", {_D: "2 * dimension / zeros"}, 2),
        Slip("ε multiplied. A larger ε means less noise, and a lower level.", {" / epsilon": " * epsilon"}),
        Slip("ε were not there. A larger ε means less noise, and a lower level.", {" / epsilon": ""}),
        Slip("the fraction were upside down: the level comes out below 0.", {_D: "2 * zeros / dimension"}, 2),
        Slip("the logarithm had base 2. The tail of the noise falls with e.", {"math.log(": "math.log2("}, 2),
        Slip("the logarithm had base 10. The tail of the noise falls with e.", {"math.log(": "math.log10("}, 2),
        Slip("there were no logarithm. The tail of the noise falls exponentially.", {f"math.log({_D})": f"({_D})"}, 2),
        Slip("the noise had scale 2/ε.", {"return math": "return 2 * math"}),
    ],
    praise="for ten settings, on average exactly that many of the zeros reach your level. Ten "
    "times the dimension raise it by only 2.3/ε.",
)  # fmt: skip
