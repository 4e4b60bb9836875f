"""The exercises of notebook 08: flips, rounding, the estimator, the budget, the best α, a table."""

import functools
import itertools
import math
from collections import Counter

import numpy as np
from scipy.stats import binom

from course_lib.checks.engine import Function, NotYet, Slip, array, close, number, plain_run, shown
from course_lib.checks.laws import Case, Law
from course_lib.checks.solutions import alp as solutions
from course_lib.lab.noise import generator


def run_on_array(function, given, rng):
    """What a function of an array and a parameter returns, if it leaves the array as it is."""
    values, parameter = given
    mine = values.copy()
    result = array(function(mine, parameter, rng))
    if not np.array_equal(mine, values):
        raise NotYet("your function changes what it was given. Leave it, and return a new one.")
    if result.shape != values.shape:
        raise NotYet(f"you return shape {result.shape} for an array of shape {values.shape}.")
    return tuple(result.ravel().tolist())


def in_words(given, outcome):
    """The label of an outcome: its numbers."""
    return ", ".join(f"{x + 0.0:.6g}" for x in outcome)


def product_case(given, words, chances, places, moved, *, runs):
    """A case whose entries are independent; `chances` has a dictionary for each, `places` words.

    The last key of a dictionary is what an entry becomes if it is `moved`, which is a word, too.
    """
    law, events = {}, {}
    for entries in itertools.product(*(each.items() for each in chances)):
        label = in_words(given, [x for x, _ in entries])
        law[label] = math.prod(chance for _, chance in entries)
        for place, (x, _) in zip(places, entries, strict=True):
            events.setdefault(f"{x:.6g} {place}", set()).add(label)
        ends = [[*each][-1] for each in chances]
        times = sum(x == end for (x, _), end in zip(entries, ends, strict=True))
        for least in range(1, times + 1):
            events.setdefault(f"{least} or more {moved}", set()).add(label)
    return Case(given, words, law, tuple(events.items()), runs)


def _tables():
    """Tables of three shapes and three costs; then large ones, with p near 1/2 and near 0."""
    for rows, cost, runs in (
        ([[0, 1], [1, 0]], math.log(3), 4_000),
        ([[1, 0, 1], [0, 1, 1]], 0.5, 20_000),
        ([[1], [0], [0]], 2.5, 6_000),
    ):
        bits = np.array(rows)
        p = 1 / (math.exp(cost) + 1)
        yield product_case(
            (bits, cost), f"bits {rows} and cost {cost:.3g}",
            [{bit: 1 - p, 1 - bit: p} for bit in bits.ravel().tolist()],
            [f"in row {i}, column {j}," for i, j in np.ndindex(bits.shape)], "bits flipped",
            runs=runs,
        )  # fmt: skip
    for cost in 0.1, 5:
        yield _large_table(cost)


def _large_table(cost):
    """A table whose flips are counted: their number spreads too far if p varies, or flips agree."""
    law, chances = Counter(), binom(400, 1 / (math.exp(cost) + 1)).pmf(range(401))
    for flips, chance in enumerate(chances.tolist()):
        law[_between(cost, flips)] += chance
    few, *_, many = law
    events = ((f"{few}, or {many},", {few, many}),)
    words = f"a table of 20 × 20 bits and cost {cost:g}"
    return Case((np.eye(20, dtype=int), cost), words, law, events, 1_000)


@functools.lru_cache(maxsize=1000)
def _between(cost, flips):
    """Between which of five quantiles the number of flips in a large table lies."""
    quantiles = binom(400, 1 / (math.exp(cost) + 1)).ppf([0.03, 0.15, 0.5, 0.85, 0.97])
    words = [f"more than {x:g}" for x in quantiles if x < flips][-1:]
    words += [f"at most {x:g}" for x in quantiles if x >= flips][:1]
    return f"{' and '.join(words)} flips"


def _flipped(given, outcome):
    bits, cost = given
    if bits.size < 400 or not set(outcome) <= {0, 1}:
        return in_words(given, outcome[:9])
    return _between(cost, np.count_nonzero(bits.ravel() != outcome))


_P, _COINS = "1 / (math.exp(cost) + 1)", "rng.random(bits.shape) < 1 / (math.exp(cost) + 1)"
_TOO_OFTEN = "Then the bits say less than they may."
_TOO_RARE = "Then a bit costs more than it may."
_TOGETHER = "Then they flip together, and a table tells more than its bits do one by one."
check_flip = Law(
    solutions.flip,
    _tables,
    [
        Slip(f"p were e^(−cost). {_TOO_OFTEN}", {_P: "1 / math.exp(cost)"}, 2),
        Slip("a bit were kept with probability p, and flipped else.", {"(rng.random(bits.shape) <": "(rng.random(bits.shape) >"}, 3),
        Slip("a bit became a random bit with probability p. Half of those are what they were: it flips too seldom, and costs too much.",
             {f"bits ^ ({_COINS})": f"np.where({_COINS}, rng.integers(2, size=bits.shape), bits)"}, 3),
        Slip(f"the whole table had one coin. {_TOGETHER}", {"rng.random(bits.shape)": "rng.random()"}),
        Slip(f"each column had one coin. {_TOGETHER}", {"rng.random(bits.shape)": "rng.random(bits.shape[1])"}),
        Slip(f"each row had one coin. {_TOGETHER}", {"rng.random(bits.shape)": "rng.random((len(bits), 1))"}),
        Slip("only 1s were flipped. Then a 1 that comes out was surely one.", {f"bits ^ ({_COINS})": f"bits & ({_COINS.replace('<', '>=')})"}, 2),
        Slip("only 0s were flipped. Then a 0 that comes out was surely one.", {"bits ^": "bits |"}, 2),
        Slip("the coins came out, without the bits. They say nothing.", {"bits ^ (": "0 + ("}, 3),
        Slip("nothing were flipped. Then the bits are there for all to read.", {f" ^ ({_COINS})": " + 0"}),
        Slip(f"p were twice as large. {_TOO_OFTEN}", {_P: "2 / (math.exp(cost) + 1)"}, 2),
        Slip(f"p were half as large. {_TOO_RARE}", {_P: "0.5 / (math.exp(cost) + 1)"}, 2),
        Slip("cost were α. The cost of a bit is ln(1 + α).", {"math.exp(cost) + 1": "cost + 2"}, 3),
        Slip(f"half of cost were spent on each bit. {_TOO_OFTEN}", {"math.exp(cost)": "math.exp(cost / 2)"}, 2),
        Slip(f"p were 1/(e^cost + 2). {_TOO_RARE}", {"math.exp(cost) + 1": "math.exp(cost) + 2"}, 2),
        Slip("every bit were flipped. Where the brackets are missing p is above 1.", {_P: "1 / math.exp(cost) + 1"}, 2),
    ],
    run=run_on_array,
    label=_flipped,
    praise="in many tables each bit flips on its own, as often as it should. (At most one right "
    "answer in a million is refused.)",
)  # fmt: skip


def _roundings():
    """Floats, whole numbers, unsorted and repeated values, one alone; a step below 1 and above."""
    for values, step, runs in (
        ([3.0, 0.0, 5.0, 6.5], 2.5, 4_000),
        ([3, 1, 4, 1], 2.5, 4_000),
        ([2.0, 0.625, 2.0, 0.25], 0.75, 20_000),
        ([7], 4, 1_000),
        ([1.75, 0.5, 0.9], 1, 4_000),
    ):
        values = np.array(values)
        chances = []
        for value in (values / step).tolist():
            low, rest = math.floor(value), value % 1
            chances.append({low * step: 1 - rest} | ({(low + 1) * step: rest} if rest else {}))
        yield product_case(
            (values, step), f"values {shown(values)} and step {step:g}", chances,
            [f"for the {'number' if values.dtype.kind == 'f' else 'whole number'} {x:g} at place {i}"
             for i, x in enumerate(values.tolist())], "values in the upper place", runs=runs,
        )  # fmt: skip


_ROUND = "np.floor(values / step + rng.random(values.shape))"
_JUMP = "Where the result jumps, a change however small is seen with certainty, and ALP leaks."
_UP = "it has to go up with the fraction of a step as its probability."
check_rounding = Law(
    solutions.round_at_random,
    _roundings,
    [
        Slip(f"values were always rounded down. {_JUMP}", {" + rng.random(values.shape)": ""}, 3),
        Slip(f"values were always rounded up. {_JUMP}", {_ROUND: "np.ceil(values / step)"}, 3),
        Slip(f"values were rounded to the nearest multiple. {_JUMP}", {_ROUND: "np.rint(values / step)"}, 3),
        Slip("the results were in steps. They are wanted in the units of the values.", {"step * ": ""}, 3),
        Slip("the step were 1 whatever it is.", {"step * ": "", "values / step": "values"}, 2),
        Slip("all values shared one random number. Each is rounded on its own.", {"rng.random(values.shape)": "rng.random()"}, 2),
        Slip(f"up and down had changed places: {_UP}",
             {_ROUND: "(np.floor(values / step) + (rng.random(values.shape) >= values / step % 1))"}, 1),
        Slip(f"a fair coin decided: {_UP} Else the mean is off.",
             {_ROUND: "(np.floor(values / step) + (rng.random(values.shape) < 0.5) * (values / step % 1 > 0))"}, 1),
        Slip("a fair coin decided even for multiples of step, which should stay.", {_ROUND: "(np.floor(values / step) + rng.integers(2, size=values.shape))"}),
        Slip("the fraction were what is left of the value itself, not of its steps.",
             {_ROUND: "(np.floor(values / step) + (rng.random(values.shape) < values % step))"}, 2),
        Slip("the fraction were that of the value itself, not of its steps.",
             {_ROUND: "(np.floor(values / step) + (rng.random(values.shape) < values % 1))"}, 2),
        Slip("the random number were added and then the nearest multiple taken: half a step too high on average.",
             {"np.floor(": "np.rint("}, 3),
        Slip("the results had the type of the values: of whole numbers the fraction of a result is cut off.",
             {f"return step * {_ROUND}": f"return (step * {_ROUND}).astype(values.dtype)"}),
        Slip("the values were sorted first. Each result belongs to the entry at its place.", {"values / step": "np.sort(values) / step"}),
        Slip("equal values were taken together, and sorted. Each entry has a result of its own.",
             {"values / step": "np.unique(values) / step", "values.shape": "np.unique(values).shape"}),
        Slip("the values themselves came back. A level is reached or not.", {"step * " + _ROUND: "values + 0"}),
    ],
    run=run_on_array,
    label=in_words,
    praise="floats and whole numbers, sorted or not, become neighbouring multiples, each on its "
    "own and right on average. (At most one right answer in a million is refused.)",
)  # fmt: skip


def _bits():
    """Every string of up to four bits, and longer ones; often with several maxima."""
    for size in range(1, 5):
        for bits in itertools.product((0, 1), repeat=size):
            yield (np.array(bits),)
    yield (np.array([0, 1, 0, 0, 1, 1]),)  # three maxima, and not in the middle
    yield (np.array([1, 0, 0, 1, 1, 0, 1]),)
    yield (np.array([0, 1, 0, 0, 0, 1, 1, 1]),)
    rng = generator(8)
    for size in (7, 9, 12, 15, 20):
        yield (rng.integers(2, size=size),)


_WALK, _TOPS = "np.append(0, np.cumsum(2 * bits - 1))", "np.flatnonzero(walk == walk.max())"
check_estimate = Function(
    solutions.estimate,
    _bits,
    [
        Slip("the walk began with the first bit: f(0) = 0 is missing, and every place is one too low.", {_WALK: "np.cumsum(2 * bits - 1)"}),
        Slip("f(0) = 0 were no candidate. An entry of 0 could then never be estimated as 0.", {_WALK: "np.cumsum(2 * bits - 1)", ".mean()": ".mean() + 1"}),
        Slip("the first maximum were taken alone. Of several the average counts.", {f"{_TOPS}.mean()": "walk.argmax()"}, 2),
        Slip("the last maximum were taken alone. Of several the average counts.", {".mean()": ".max()"}, 2),
        Slip("a 0 were no step down. Then the walk never falls, and the last 1 wins.", {"2 * bits - 1": "bits"}, 2),
        Slip("up and down had changed places.", {"2 * bits - 1": "1 - 2 * bits"}, 2),
        Slip("the 1s were counted. Flipped bits beyond the value count as well, then.", {f"{_TOPS}.mean()": "bits.sum()"}),
        Slip("the height of the summit were asked for. It is its place.", {f"{_TOPS}.mean()": "walk.max()"}, 2),
        Slip("the middle between the first and the last maximum were taken. It is the average of all.", {f"{_TOPS}.mean()": f"({_TOPS}.min() + {_TOPS}.max()) / 2"}, 2),
        Slip("the median of the maxima were taken. It is their average.", {f"{_TOPS}.mean()": f"np.median({_TOPS})"}, 2),
        Slip("the average were rounded. It need not be a whole number.", {".mean()": ".mean().round()"}, 2),
        Slip("the last place of the walk were its summit.", {f"{_TOPS}.mean()": "len(bits)"}),
    ],
    praise="for every string of up to four bits, and for longer ones, this is the summit.",
)  # fmt: skip


def _budgets():
    """ε below Δ and above it, zeros, equal values, whole numbers, values above the cap, one."""
    for values, cap, alpha, sensitivity, epsilon in (
        ([4.0, 0.0, 2.5], 8.0, 3.0, 2.0, 0.5),
        ([1.0, 7.0, 1.0, 0.0], 5.0, 2.0, 0.5, 2.0),
        ([3, 0, 1, 9], 6, 4, 3, 1),
        ([0.5], 40.0, 4.0, 1.0, 1.5),
        ([0.0, 0.0, 0.25], 1.0, 1.0, 4.0, 0.25),
        ([2.0, 2.0], 3.0, 5.0, 1.0, 1.0),
    ):
        yield np.array(values), cap, alpha, sensitivity, epsilon


def _run_budget(function, case):
    def record(values):
        calls, mine = [], values.copy()

        def alp1(values, cap, alpha):
            given = np.atleast_1d(array(values))
            calls.append((np.minimum(given, cap).tolist(), number(cap), number(alpha)))
            found = np.minimum(given + 0.02 * alpha, cap)
            return found.reshape(np.shape(values))

        result = array(function(mine, *case[1:], alp1))
        if not np.array_equal(mine, values):
            raise NotYet("your function changes what it was given. Leave it, and return a new one.")
        return result.ravel(), calls, [len(given) for given, *_ in calls]

    result, calls, sizes = record(case[0])
    entries = sorted((x, cap, alpha) for given, cap, alpha in calls for x in given)
    asked = "depend on the values" if record(np.ones(len(case[0])))[2] != sizes else "do not"
    return {"estimates": result, "(value, cap, α) of alp1": entries, "sizes of its calls": asked}


def _tell_budget(case, mine, right):
    part = next(part for part in right if not close()(mine[part], right[part]))
    if part == "sizes of its calls":
        return "how many entries go into a call of alp1 depends on their values, which is private."
    names = ("values", "cap", "α", "Δ", "ε")
    given = ", ".join(f"{name} = {shown(x)}" for name, x in zip(names, case, strict=True))
    return (
        f"with {given} the {part} are {shown(mine[part], 4)}; it should be {shown(right[part], 4)}."
    )


_SPENDS = "alp1 spends up to as much as its inputs differ, so the budget is overdrawn, or not used."
check_alp_scaling = Function(
    solutions.alp,
    _budgets,
    [
        Slip(f"Δ were 1. {_SPENDS}", {"epsilon / sensitivity": "epsilon"}),
        Slip(f"Δ multiplied. {_SPENDS}", {"epsilon / sensitivity": "epsilon * sensitivity"}),
        Slip(f"ε/Δ were upside down. {_SPENDS}", {"epsilon / sensitivity": "sensitivity / epsilon"}),
        Slip(f"ε were 1. {_SPENDS}", {"epsilon / sensitivity": "1 / sensitivity"}),
        Slip("values could only shrink. Where ε is above Δ they may grow: else budget is left unused.",
             {"epsilon / sensitivity": "min(1, epsilon / sensitivity)"}),
        Slip("the estimates were not scaled back.", {") / scale": ")"}, 3),
        Slip("the estimates were scaled once more, not back.", {") / scale": ") * scale"}, 3),
        Slip("the cap were not scaled. In the new units it is not the largest value any more.", {"cap * scale": "cap"}, 2),
        Slip("the cap were scaled the other way.", {"cap * scale": "cap / scale"}, 2),
        Slip("α were scaled, too. It is the width of a level in alp1’s units, a free choice.", {", alpha)": ", alpha * scale)"}, 2),
        Slip("only values were not scaled.", {"values * scale": "values"}),
        Slip("values went in divided by the scale.", {"values * scale": "values / scale"}),
        Slip("nothing were scaled: alp1 spends Δ then.", {"values * scale": "values", "cap * scale": "cap", ") / scale": ")"}),
        Slip("the cap were the largest value there is. The number of levels would then tell of the data.", {"cap * scale": "max(values) * scale"}, 2),
        Slip("zeros stayed 0. Which entries are zero is private, and then everybody sees it.",
             {"alp1(values * scale, cap * scale, alpha) / scale": "np.where(values == 0, 0, alp1(values * scale, cap * scale, alpha) / scale)"}),
    ],
    run=_run_budget,
    tell=_tell_budget,
    praise="for ε below Δ and above it, alp1 gets values and a cap that spend exactly ε, and the "
    "estimates come back in the units of the values.",
)  # fmt: skip


_HALF = "(1 - 2 * load) ** 2 / 2"
check_best_alpha = Function(
    solutions.best_alpha,
    lambda: [(load,) for load in (0.1, 0.0, 0.02, 0.2, 0.3, 0.4, 0.45)],
    [
        Slip("there were no collisions. With them a bit misleads more often, and the best α changes.", {_HALF: "1 / 2"}, 3),
        Slip("the bound were the paper’s Equation 1, whose best α is 4. Ours has another constant.", {f"2 / math.sqrt(1 - {_HALF})": "4"}),
        Slip("the load counted once, not twice. A collision turns a right step into a wrong one: that moves the walk by 2.", {"1 - 2 * load": "1 - load"}),
        Slip("the square were missing.", {" ** 2 / 2": " / 2"}),
        Slip("the root were missing. Where the derivative is 0 stands α².", {f"math.sqrt(1 - {_HALF})": f"(1 - {_HALF})"}, 2),
        Slip("α² were asked for.", {f"2 / math.sqrt(1 - {_HALF})": f"4 / (1 - {_HALF})"}, 2),
        Slip("α were half as large.", {"return 2 /": "return 1 /"}, 2),
        Slip("the sign under the root were the other one.", {"1 - (1": "1 + (1"}, 2),
        Slip("the load scaled the α of no collisions. It divides one part of the bound alone.", {f"2 / math.sqrt(1 - {_HALF})": "2 * math.sqrt(2) * (1 - 2 * load)"}),
        Slip("the load scaled the α of no collisions. It divides one part of the bound alone.", {f"2 / math.sqrt(1 - {_HALF})": "2 * math.sqrt(2) / (1 - 2 * load)"}),
        Slip("α were 2 whatever the load is. Only near the largest loads does it come so low.", {f"2 / math.sqrt(1 - {_HALF})": "2"}),
        Slip("rounding counted as a third of a level, its average. The bound is for the worst value.", {_HALF: "(1 - 2 * load) ** 2 * 2 / 3"}),
    ],
    same=close(0.02, 0.01),
    praise="for seven loads this α makes the bound smallest: 2.83 without collisions, down to 2 as "
    "s falls towards 2k. It is flat there: near it nothing is lost.",
)  # fmt: skip


def _entries():
    """No level, all levels, equal entries, collisions, one place, one level."""
    yield [2, 0, 3], np.array([[0, 1, 2], [1, 1, 1], [3, 1, 0]]), 4
    yield np.array([1, 2]), np.array([[2, 0], [2, 1]]), 3
    yield [0, 0], np.array([[1, 0], [0, 1]]), 2
    yield [2, 0], np.array([[0, 0], [0, 1]]), 2  # the second leaves the bit of the first
    yield [4], np.array([[0, 0, 0, 0]]), 1
    yield [1, 1, 1], np.array([[3], [0], [3]]), 5
    rng = generator(8)
    for count, m, size in ((3, 4, 6), (5, 3, 4)):
        yield rng.integers(0, m + 1, size=count), rng.integers(size, size=(count, m)), size


_SET = "table[row[:level], range(level)] = 1"
check_table = Function(
    solutions.my_table,
    _entries,
    [
        Slip("places and levels had changed places: a row of the table is a place.", {"return table": "return table.T"}),
        Slip("every level of an entry were set, whatever its value.", {_SET: "table[row, range(len(row))] = 1"}),
        Slip("only the highest level were set. The code is unary: all levels up to it.", {_SET: "table[row[max(level - 1, 0)], max(level - 1, 0)] = level > 0"}),
        Slip("one level too many were set.", {_SET: "table[row[: level + 1], range(len(row[: level + 1]))] = 1"}, 2),
        Slip("one level too few were set.", {_SET: "level = max(level - 1, 0)\n        table[row[:level], range(level)] = 1"}, 2),
        Slip("collisions were counted. A bit that is set twice is 1.", {"] = 1": "] += 1"}, 3),
        Slip("a collision turned the bit off again. A bit that is set twice is 1.", {"] = 1": "] ^= 1"}, 3),
        Slip("an entry had one place for all its levels. Each level has a hash of its own.", {"row[:level],": "row[0],"}),
        Slip("an entry without a level there wrote 0 over the bit of another.", {_SET: "table[row, range(len(row))] = np.arange(len(row)) < level"}, 3),
        Slip("the highest columns were set, not the first.", {"range(level)]": "range(len(row) - level, len(row))]"}, 2),
        Slip("the places that are not hit were 1.", {"return table": "return 1 - table"}),
        Slip("later entries wiped out earlier ones.", {"        table[": "        table[:] = 0\n        table["}, 3),
    ],
    run=plain_run(array),
    praise="with collisions, empty entries and full ones yours is ALP’s table before the noise.",
)  # fmt: skip
