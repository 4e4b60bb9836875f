"""The exercises of notebook 07: the size of the structure, its potential, a step, the proof."""

from collections.abc import Mapping

from course_lib.checks.engine import Choice, Function, NotYet, Slip, brief, number, plain_run
from course_lib.checks.solutions import sparse_mw as solutions


def _settings():
    """Small enough for an answer that counts up one by one."""
    return [(2, 0.9), (3, 0.25), (1, 0.1), (10, 0.5), (40, 0.3), (1, 0.99), (7, 0.75), (10, 0.1)]


_LOG, _BOTTOM = "size / (math.log(size) + 1)", "(math.log(size) + 1)"
_ROUND = (
    "the logarithm were that of 4m/α². It is the logarithm of s itself, which is larger: s stands "
    "on both sides."
)
check_smw_size = Function(
    solutions.my_size,
    _settings,
    [
        Slip("s were one less. There the inequality does not hold yet.", {"return large": "return large - 1"}, 3),
        Slip("s were one more. The smallest s is asked for.", {"return large": "return large + 1"}, 3),
        Slip("only powers of 2 were tried. The smallest whole s is asked for.", {"while large - too_small > 1": "while False"}, 2),
        Slip("the 1 beside ln s were not there. Then fewer variables come out than the proof uses.",
             {_BOTTOM: "(math.log(size) or math.inf)"}),
        Slip("s were divided by ln s alone, and 1 added after that: mind the brackets.",
             {_LOG: "size / (math.log(size) or math.inf) + 1"}),
        Slip("the logarithm had base 2. The lecture’s is the natural one.", {"math.log(size)": "math.log2(size)"}, 3),
        Slip("the logarithm had base 10. The lecture’s is the natural one.", {"math.log(size)": "math.log10(size)"}, 3),
        Slip("α were not squared. Half of α needs four times as many updates.", {"alpha**2": "alpha"}),
        Slip("m were multiplied by 1/α², without the 4 of B(α).", {"4 * support": "support"}),
        Slip("m were not there. More elements in a query need more variables.", {"4 * support": "4"}),
        Slip(_ROUND, {_BOTTOM: "(math.log(4 * support / alpha**2) + 1)"}),
        Slip("it stopped at 4m/α², and forgot what stands below s.", {_LOG: "size"}),
        Slip("the logarithm were that of m. It is the logarithm of s, which stands on both sides.",
             {"math.log(size)": "math.log(support)"}),
    ],
    praise="for eight choices of m and α yours is the smallest s. There is no |X| in it, and it is "
    "little more than linear in m.",
)  # fmt: skip


def _states():
    """Shares are sums of powers of 1/2, so that no rounding decides whether a rest is 0."""
    return [
        ({"flu": 0.5, "cough": 0.25, "rash": 0.25}, {"flu": 0.3, "cough": 0.2}, 12),
        ({"a": 0.25, "z": 0.75}, {"a": 0.125, "b": 0.125}, 8),
        ({"a": 0.25, "b": 0.125, "y": 0.5, "z": 0.125}, {"a": 0.4, "b": 0.05}, 5),
        ({"a": 0.5, "b": 0.0, "z": 0.5}, {"a": 0.45, "b": 0.2}, 20),
        ({"a": 0.5, "b": 0.25, "c": 0.25}, {"a": 0.35, "b": 0.15, "c": 0.1}, 9),
        ({"y": 0.625, "z": 0.375}, {"a": 0.1, "b": 0.05}, 16),
        ({"a": 1}, {"a": 0.5}, 2),
        ({"b": 1, "a": 0}, {"a": 0.75}, 2),
        ({"a": 0.5, "b": 0.5}, {}, 4),
    ]


_REST = "    pairs += [(rest / unassigned, left / unassigned)] * unassigned\n"
_ALONE = (
    "elements without a variable stood alone, each against one free variable. The rest of D is "
    "spread evenly over all of them."
)
check_potential = Function(
    solutions.my_potential,
    _states,
    [
        Slip("the rest of D were left out. That is the printed Ψ, for which Lemma 6 fails.", {_REST: ""}),
        Slip(_ALONE, {_REST: "    pairs += [(share, left / unassigned) for x, share in truth.items() if x not in weights]\n"}),
        Slip("the rest of D and of the hypothesis were counted for one free variable alone. There are more.",
             {" * unassigned\n": "\n"}),
        Slip("a free variable still weighed 1/s. Normalising has changed it: the free ones share what the others leave.",
             {"left / unassigned)": "1 / size)"}, 2),
        Slip("the two distributions had changed places. D stands before the logarithm, and above.",
             {"share * math.log(share / weight)": "weight * math.log(weight / share)"}, 3),
        Slip("the sign were turned: a relative entropy is never negative.", {"share / weight)": "weight / share)"}, 3),
        Slip("the logarithms were not weighed with D.", {"share * math.log": "math.log"}, 3),
        Slip("the logarithms were weighed with the hypothesis, not with D.", {"share * math.log": "weight * math.log"}, 3),
        Slip("the logarithm had base 2. Then ln s and α²/4 do not fit it.", {"math.log": "math.log2"}, 3),
        Slip("the rest of D were all of D. What the assigned elements have does not count twice.",
             {"rest = 1 - sum(truth.get(element, 0) for element in weights)": "rest = 1"}),
        Slip("the free variables had all of the hypothesis. The assigned ones have a part of it.",
             {"left = 1 - sum(weights.values())": "left = 1"}, 2),
    ],
    praise="in nine states yours is the relative entropy with the rest of D on the free variables. "
    "It starts at ln s or less, and every valid update lowers it by at least α²/4.",
)  # fmt: skip

check_lemma_6 = Choice(
    "which_step_fails",
    {
        "a": "this is true. The sum is at least ρ ln ρ, where ρ is the share of D on the assigned "
        "elements, and so at least −1/e.",
        "b": "this is true. At the start every variable has 1/s, and the sum of D[x] ln(s·D[x]) is "
        "at most ln s.",
        "c": "this is true, but for a slip: ind begins with 1. With the repaired potential there "
        "are at most 4 ln s/α² updates, and m times that is below s.",
        "d": "an update that lowers weights raises all others when normalised, and of that gain Ψ "
        "counts only the share ρ. With α = 0.1, m = 20 and half of D never asked about, a valid "
        "update can raise Ψ; the repaired potential falls by more than α²/4.",
        "e": "the theorem is true, and the repaired potential even proves a better bound. It is "
        "the proof that has a gap.",
    },
    right="d",
)


def _steps():
    """Empty and full structures, elements old and new, weights 0 and 1, both directions."""
    return [
        ({}, {"a": 1.0, "b": 0.5}, 0.9, 10, 0.2),
        ({"a": 1.5}, {"a": 1.0, "b": 0.5}, 0.1, 10, 0.2),
        ({"a": 1.5, "b": 0.75}, {"b": 1.0, "c": 0.5, "d": 0.0}, 0.9, 8, 0.4),
        ({"a": 1.5, "b": 0.75}, {"b": 0.25, "c": 1, "a": 0}, 0.02, 8, 0.4),
        ({"a": 3.0, "b": 2.0}, {"a": 1, "b": 1}, 0.9, 2, 0.5),
        ({"a": 3.0, "b": 2.0}, {"a": 1, "b": 1}, 0.3, 4, 0.5),
        ({"a": 2.0}, {"c": 1.0, "d": 1.0}, 0.3, 6, 0.3),
        ({"a": 2.0}, {"c": 1.0, "d": 1.0}, 0.26, 6, 0.3),
        ({"a": 2.0, "b": 0.5, "c": 0.25}, {"a": 0.5, "e": 0.75}, 0.21, 7, 0.6),
        ({"a": 2.0, "b": 0.5, "c": 0.25}, {"a": 0.5, "e": 0.75}, 0.27, 7, 0.6),
        ({"a": 0.25}, {"a": 1.0, "z": 1.0}, 0.2, 5, 0.1),
        ({"a": 0.25}, {"a": 0.5}, 0.3, 5, 0.1),
        ({"a": 0.25}, {}, 0.5, 5, 0.1),
    ]


def _mapping(result):
    if not isinstance(result, Mapping):
        raise NotYet(f"your function returned {brief(result)}, and a dictionary is asked for.")
    return {element: number(weight, "a weight is") for element, weight in result.items()}


_TOTAL = "sum(weights.values()) + size - len(weights)"
_GUESS, _MOVED = "sum(q * weights.get(x, 1)", "{x: weights.get(x, 1) * math.exp(step * q)"
_SIGN, _FOR = "(-1 if value < guess else 1)", " for x, q in query.items() if q > 0}"
check_lazy_update = Function(
    solutions.my_lazy_update,
    _steps,
    [
        Slip("the free variables were not counted. Each weighs 1, though it is kept nowhere.", {_TOTAL: "sum(weights.values()) or 1"}),
        Slip("free and assigned variables were s and more. The assigned ones are among the s.", {_TOTAL: "sum(weights.values()) + size"}),
        Slip("all variables together always weighed s. That is so at the start only.", {_TOTAL: "size"}),
        Slip("the guess were not divided by the total. The weights are not normalised, and a guess is a share.", {" / total": ""}),
        Slip("an element without a variable counted as 0 in the guess. It has the value of a free one.",
             {_GUESS: "sum(q * weights.get(x, 0)"}),
        Slip("a new element began with 0. It gets a free variable, as it is.", {_MOVED: "{x: weights.get(x, 0) * math.exp(step * q)"}, 2),
        Slip("a new element began with 1/s. The weights are not normalised.", {_MOVED: "{x: weights.get(x, 1 / size) * math.exp(step * q)"}, 2),
        Slip("new elements got no variable. Then nothing is ever learned of them.", {_FOR: " for x, q in query.items() if q > 0 and x in weights}"}, 2),
        Slip("elements of weight 0 got a variable. They do not move, and variables are few.", {_FOR: " for x, q in query.items()}"}, 3),
        Slip("the elements that are not in the query were forgotten.", {"return weights | moved": "return moved"}, 3),
        Slip("the weights were normalised. Then the free ones, which are kept nowhere, would have to change, too.",
             {"return weights | moved": "new = weights | moved\n    total = sum(new.values()) + size - len(new)\n    return {x: w / total for x, w in new.items()}"}, 3),
        Slip("the weights moved away from the value: if the hypothesis says too much, they should become smaller.", {_SIGN: "(1 if value < guess else -1)"}),
        Slip("the weights always grew. If the hypothesis says too much, they should shrink.", {_SIGN: "1"}),
        Slip("the weights always shrank. If the hypothesis says too little, they should grow.", {_SIGN: "(-1)"}),
        Slip("the step were α. The proof has η = α/2, as in notebook 06.", {"alpha / 2": "alpha"}),
        Slip("every element moved by the whole step. One with a small weight in the query should move little.", {"math.exp(step * q)": "math.exp(step)"}, 2),
        Slip("the step were added. Weights are multiplied.", {"* math.exp(step * q)": "+ step * q"}, 2),
    ],
    run=plain_run(_mapping),
    praise="in 13 structures, empty and full, yours are the weights of sparse multiplicative "
    "weights, and only the elements that moved have a variable.",
)  # fmt: skip
