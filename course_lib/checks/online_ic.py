"""The exercises of notebook 06: a step of multiplicative weights, one query, the argument."""

from course_lib.checks.exercise import choose, exercise
from course_lib.checks.online_ic_answer import check_answer
from course_lib.checks.online_ic_update import check_update
from course_lib.online_ic import mw_updates

__all__ = ["check_after_budget", "check_answer", "check_theorem_2", "check_update"]


@exercise
def check_after_budget(answer):
    """Judge what OnlineIC does after the c-th update, and why."""
    reasons = {
        "a": "Sparse has to stop: each further answer of its own would read the data. OnlineIC has "
        "more to say, because it has the hypothesis, which needs no data.",
        "b": "a second sparse vector is a second mechanism on the same data: by composition its ε "
        "comes on top. What comes after the last update has to be free.",
        "c": "the hypothesis need not be D. If the noise was small, no query is α or more apart on "
        "the two; that makes them close, not equal.",
        "d": "the hypothesis was made from released numbers alone, so its answers are "
        "post-processing. And suppose the noise stayed within α: then all c updates were valid, "
        "and a query on which hypothesis and truth are α or more apart would make one valid update "
        "more than B(α) allows. So every further answer is within α, not only 3α. Where the noise "
        "was larger, which has probability at most β, nothing is promised.",
        "e": "noise of any size added to Q(D) reads the data once more, for every query, and each "
        "such answer costs. The sparse vector was taken to avoid it.",
    }
    return choose(answer, reasons, right="d")


def small_budget():
    """How many updates there are with two elements and α = 0.1."""
    return int(mw_updates(universe_size=2, alpha=0.1))


@exercise
def check_theorem_2(answer):
    """Judge why Lecture 11’s Theorem 2 says nothing of OnlineIC’s stream as it stands."""
    often = small_budget()
    example = (
        f"with two elements and α = 0.1 there are at most {often} updates, and the gap 0.15, which "
        f"noise below 0.05 in all never lifts to 2α = 0.2, can be asked {often + 1} times"
    )
    reasons = {
        "a": "Sparse is made for adaptive queries: each may depend on all answers before. What "
        "Theorem 2 asks of the stream is something else.",
        "b": f"gaps from α to 3α may come back for ever: ⊥ is allowed for them, and then the "
        f"hypothesis stays; for example, {example}. Theorem 2 allows no more than c values "
        "at T − α = α or above. The repair looks at the noise alone: if it stays within α, every "
        "number is a valid update and every ⊥ has a gap of at most 3α, so there are at most B(α) "
        "updates. (As printed Theorem 2 also lacks a condition: if c values reach T − α, the last "
        "of them must be query k.)",
        "c": "Q(D) − Q(Dᵗ) moves by at most 1/n when one row of D is replaced, as Q(D) does: given "
        "the answers so far, Dᵗ is fixed. The sensitivity is what Theorem 2 asks for.",
        "d": "that costs ln 2k in place of ln k, no more: the theorem can be stated for 2k "
        "queries. Its condition would still not hold.",
        "e": "Theorem 2 is about every threshold T. OnlineIC takes T = 2α so that a number means a "
        "gap of at least T − α = α, which makes the update valid, and ⊥ means at most T + α = 3α.",
    }
    return choose(answer, reasons, right="b")
