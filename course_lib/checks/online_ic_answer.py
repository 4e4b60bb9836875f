"""Notebook 06’s reduction: one query of OnlineIC becomes two of the sparse vector."""

import math
import reprlib

from course_lib.checks.exercise import NotYet, exercise
from course_lib.checks.online_ic_scripted import CASES, run_case, same

_COST = "OnlineIC may read the data only through sparse: nothing else is paid for."


def _check_asked(runs):
    """Raise NotYet unless both gaps are asked, and nothing else, once each."""
    if not any(run.sparse.asked for run in runs):
        if all(same(run.answer, run.case.value) for run in runs):
            raise NotYet(f"you answer Q(D) itself, without noise. {_COST}")
        raise NotYet(
            "you never call sparse, so the hypothesis is never found wrong and never improves."
        )
    _check_gaps(runs)
    for run in runs:
        if len(set(run.sparse.sides)) < len(run.sparse.sides):
            raise NotYet(
                "you ask the same gap twice. Each call of sparse is a query of its own, with noise "
                "of its own, and a number released a second time is paid for a second time: call "
                "it once, and keep what it returns."
            )
    _check_sides([run for run in runs if not run.case.side])


_OTHER_QUERIES = {
    "Q(D)": lambda v, g: v,
    "Q(Dᵗ)": lambda v, g: g,
    "Q(D) + Q(Dᵗ)": lambda v, g: v + g,
    "the square of the gap": lambda v, g: (v - g) ** 2,
    "half the gap": lambda v, g: (v - g) / 2,
    "−Q(D)": lambda v, g: -v,
    "−Q(D) − Q(Dᵗ)": lambda v, g: -v - g,
    "the quotient Q(D)/Q(Dᵗ)": lambda v, g: v / g,
}


def _check_gaps(runs):
    others = [
        (run.case, asked)
        for run in runs
        for asked, side in zip(run.sparse.asked, run.sparse.sides, strict=True)
        if not side
    ]
    if not others:
        return
    case, asked = others[0]
    what = f"{asked:.4g}"
    for name, of in _OTHER_QUERIES.items():
        if all(same(each, of(case.value, case.guess)) for case, each in others):
            what = name
    raise NotYet(
        f"you ask sparse about {what} (Q(D) = {case.value:g}, Q(Dᵗ) = {case.guess:g}). What it "
        "compares with 2α is how far the hypothesis is off: Q(D) − Q(Dᵗ), and Q(Dᵗ) − Q(D)."
    )


def _check_sides(silent):
    """Where sparse says ⊥ to all, both gaps must have been asked."""
    asked = [tuple(run.sparse.sides) for run in silent]
    if all(len(sides) == 2 for sides in asked):
        if len(set(asked)) > 1:
            raise NotYet(
                "which gap you ask about first depends on the data, and so tells of them. Ask "
                f"in the same order always. {_COST}"
            )
        return
    signs = [1 if run.case.gap > 0 else -1 for run in silent]
    if all(len(sides) == 1 for sides in asked):
        (only,) = zip(*asked, strict=True)
        if set(only) == {1}:
            raise NotYet(
                "one side is forgotten: you ask about Q(D) − Q(Dᵗ) alone. Where the hypothesis "
                "answers too much, this is negative and never reaches 2α: it is never corrected."
            )
        if set(only) == {-1}:
            raise NotYet(
                "one side is forgotten: you ask about Q(Dᵗ) − Q(D) alone. Where the hypothesis "
                "answers too little, this is negative and never reaches 2α: it is never corrected."
            )
        if list(only) == signs:
            raise NotYet(
                "you ask about |Q(D) − Q(Dᵗ)| alone, by abs, max or a comparison. Its sensitivity "
                "is 1/n too, but the number that comes back has no sign: whether to add it or "
                f"to subtract it would have to be read from the data, for nothing. {_COST}"
            )
    raise NotYet(
        "sparse says ⊥ to all it is asked, and you have not asked about both gaps. ⊥ to one says "
        "nothing of the other: the hypothesis may be off in either direction."
    )


_RELEASED = [
    (
        lambda c: c.guess + c.number,
        "you add the number of the second query too. It is Q(Dᵗ) − Q(D) with noise, so Q(D) is "
        "about Q(Dᵗ) minus that number.",
    ),
    (
        lambda c: c.guess - c.number,
        "you subtract the number of Q(D) − Q(Dᵗ) too. Q(D) is about Q(Dᵗ) plus that number.",
    ),
    (
        lambda c: c.guess - c.side * c.number,
        "the sign of the number is wrong: Q(D) is about Q(Dᵗ) plus the number for Q(D) − Q(Dᵗ), "
        "and minus the number for Q(Dᵗ) − Q(D).",
    ),
    (
        lambda c: c.guess + math.copysign(1, c.gap) * c.number,
        "whether you add the number or subtract it you read from the data. It depends on which of "
        f"the two gaps it was released for. {_COST}",
    ),
    (
        lambda c: c.guess + c.side * abs(c.number),
        "you take the number’s absolute value. Its noise may make it negative; it stays as it is.",
    ),
    (
        lambda c: c.number,
        "you answer with the released number. It is a gap: the answer is Q(Dᵗ) plus or minus it.",
    ),
    (
        lambda c: c.side * c.number,
        "you answer with the released number. It is a gap: the answer is Q(Dᵗ) plus or minus it.",
    ),
    (lambda c: c.value, f"where a number is released you answer Q(D), without noise. {_COST}"),
    (lambda c: c.value + c.number, f"you add the number to Q(D), not to Q(Dᵗ). {_COST}"),
    (lambda c: c.value + c.side * c.number, f"you put the number to Q(D), not to Q(Dᵗ). {_COST}"),
    (
        lambda c: c.guess,
        "where a number is released you still answer Q(Dᵗ), which has just been found wrong.",
    ),
]
_SILENT = [
    (lambda c: c.value, f"where both are below you answer Q(D) itself, without noise. {_COST}"),
    (
        lambda c: 0.0,
        "where both are below you answer 0. The hypothesis is near enough: answer Q(Dᵗ).",
    ),
    (
        lambda c: c.gap,
        "where both are below you answer the gap, without noise. The hypothesis answers, and "
        f"nothing else. {_COST}",
    ),
]
_FLAGS = [
    (lambda c: True, "updated is always True. Where both are below, the hypothesis stays."),
    (lambda c: False, "updated is always False. A released number is an update, and uses one up."),
    (lambda c: not c.side, "updated is the wrong way round: a released number is an update."),
    (lambda c: c.side == 1, "updated is False for Q(Dᵗ) − Q(D): that number is an update too."),
    (lambda c: c.side == -1, "updated is False for Q(D) − Q(Dᵗ): that number is an update too."),
]


def _check_results(runs):
    wrong = [run for run in runs if not same(run.answer, run.case.expected[0])]
    if wrong:
        faults = [
            _named([r for r in runs if bool(r.case.side) == released], formulas)
            for released, formulas in ((True, _RELEASED), (False, _SILENT))
        ]
        raise NotYet(_shown(" Besides, ".join(filter(None, faults)), wrong[0]))
    wrong = [run for run in runs if run.updated != run.case.expected[1]]
    if wrong:
        fits = [words for of, words in _FLAGS if all(run.updated == of(run.case) for run in runs)]
        raise NotYet(_shown("".join(fits[:1]), wrong[0]))


def _named(runs, formulas):
    """The sentence of the first formula that gives all answers of these runs; "" if none does."""
    if all(same(run.answer, run.case.expected[0]) for run in runs):
        return ""
    fits = (words for of, words in formulas if all(same(r.answer, of(r.case)) for r in runs))
    return next(fits, "")


def _shown(fault, run):
    answer, updated = run.case.expected
    seen = (
        f"{run.case} you return ({run.answer:.4g}, {run.updated}), and it is "
        f"({answer:.4g}, {updated})."
    )
    return f"{fault}\nFor {seen}" if fault else f"for {seen}"


@exercise
def check_answer(function):
    """Judge `function(value, guess, sparse)`: OnlineIC’s answer to one query, and if it updates."""
    if not callable(function):
        raise NotYet(
            "give the function itself, without brackets behind its name; "
            f"you gave {reprlib.repr(function)}."
        )
    runs = [run_case(function, case) for case in CASES]
    _check_asked(runs)
    _check_results(runs)
    return (
        f"in {len(CASES)} cases you ask about both gaps, answer from the hypothesis if both are "
        "below, and otherwise put the released number to Q(Dᵗ) with the sign of its gap. The data "
        "are read through sparse alone, so the answers are as private as sparse is."
    )
