"""The exercises of notebook 02: Sparse and NumericSparse with any split of ε, two numbers."""

import math

from course_lib.checks.engine import Slip, Value
from course_lib.checks.laws import Law
from course_lib.checks.solutions import numeric_sparse as solutions
from course_lib.checks.streams import (
    LESS,
    MORE,
    far_case,
    kinds,
    marks,
    run_stream,
    stream_case,
    stream_slips,
    waits,
    waits_and_rounds_nothing,
)
from course_lib.exact.family import Variant
from course_lib.numeric_sparse import sparse_scale

_SPLIT = "That is the book’s split; here share says how ε is divided."
_ROUNDS = "There are c rounds, and together they may spend no more than ε."
_BRACKETS = (
    "ε were multiplied where it should divide. Without brackets a / b * c is (a / b) * c, and a "
    "larger ε means more noise."
)
_PRAISE = (
    "in many runs, with different c, share and ε, each answer comes as often as it should. (At "
    "most one right answer in a million is refused.)"
)


def _sparse(cutoff, share, epsilon):
    unit = cutoff / epsilon
    return Variant("Sparse", unit / share, 2 * unit / (1 - share), True, None, cutoff)


def _numeric(cutoff, share, epsilon):
    unit = cutoff / epsilon
    threshold, query = 2 * unit / (1 - share), 4 * unit / (1 - share)
    return Variant("NumericSparse", threshold, query, True, "fresh", cutoff, unit / share)


def _streams(row, near):
    """Far values, with cutoff 2 and 1, then values near the threshold.

    Near ones are where a scale off by a quarter is seen with probability 0.99. Their settings tell
    every power of c, share, 1 - share and ε apart, and their values are not whole. The last value,
    with c = 1, is lifted to the threshold by the tails of both noises alone: they may not be cut off.
    """
    given = {"share": 0.3, "epsilon": 2.5}
    for words, signs, cutoff in (
        ("all far below the threshold", "-----", 2),
        ("far above at the second, fourth and fifth query", "-+-++-", 2),
        ("far above at the second and third query", "-++-", 1),
    ):
        yield far_case(
            signs, row(cutoff, **given), reach=2000, threshold=0.5, cutoff=cutoff, **given,
            words=f"c = {cutoff} and values {words}",
        )  # fmt: skip
    for values, threshold, cutoff, share, epsilon, runs in near:
        yield stream_case(
            values, row(cutoff, share, epsilon), runs=runs, threshold=threshold, cutoff=cutoff,
            share=share, epsilon=epsilon,
            words=f"c = {cutoff}, share = {share:g}, ε = {epsilon:g}, T = {threshold:g}, values {values}",
        )  # fmt: skip


_TO_THRESHOLD, _TO_QUERY = "cutoff / (share * epsilon)", "2 * cutoff / ((1 - share) * epsilon)"
check_sparse_split = Law(
    solutions.my_sparse,
    lambda: _streams(
        _sparse,
        (
            ([100.5] * 5, 94.5, 2, 0.2, 2, 5_000),
            ([-50] * 6, -10, 3, 0.7, 0.5, 5_000),
            ([15.75] * 6, 14.5, 4, 0.45, 15, 5_000),
            ([-55.5], 4.5, 1, 0.7, 0.5, 20_000),
        ),
    ),
    [
        Slip(
            "share went to the queries and the rest to the threshold.",
            {_TO_THRESHOLD: "cutoff / ((1 - share) * epsilon)", _TO_QUERY: "2 * cutoff / (share * epsilon)"},
        ),
        Slip(
            "a query only had to pay for a shift of 1. It may move one way while the threshold "
            f"moves the other. {LESS}",
            {_TO_QUERY: _TO_QUERY[4:]},
        ),
        Slip(f"each round had the whole ε. {_ROUNDS}", {_TO_THRESHOLD: "1 / (share * epsilon)", _TO_QUERY: "2 / ((1 - share) * epsilon)"}),
        Slip(f"each threshold had all of share·ε. {_ROUNDS}", {_TO_THRESHOLD: "1 / (share * epsilon)"}),
        Slip(f"c did not matter for the queries’ noise. {_ROUNDS}", {_TO_QUERY: "2 / ((1 - share) * epsilon)"}),
        Slip(f"share were one half. {_SPLIT}", {_TO_THRESHOLD: "2 * cutoff / epsilon", _TO_QUERY: "4 * cutoff / epsilon"}),
        Slip(
            f"threshold and queries each had the whole ε. They pay together. {LESS}",
            {_TO_THRESHOLD: "cutoff / epsilon", _TO_QUERY: "2 * cutoff / epsilon"},
        ),
        Slip(f"the threshold had to pay for a shift of 2, too. {MORE}", {_TO_THRESHOLD: "2 * cutoff / (share * epsilon)"}),
        Slip(
            "the threshold paid for a shift of 2 and the queries for a shift of 1. Which of the "
            "two may move against the other?",
            {_TO_THRESHOLD: "2 * cutoff / (share * epsilon)", _TO_QUERY: _TO_QUERY[4:]},
        ),
        Slip(
            "the threshold had the queries’ noise and the queries the threshold’s.",
            {_TO_THRESHOLD: _TO_QUERY, _TO_QUERY: _TO_THRESHOLD},
        ),
        Slip(
            "a larger ε meant more noise. It is a budget: to spend more is to add less.",
            {_TO_THRESHOLD: "share * epsilon / cutoff", _TO_QUERY: "(1 - share) * epsilon / (2 * cutoff)"},
        ),
        Slip(_BRACKETS, {_TO_THRESHOLD: "cutoff / share * epsilon"}),
        Slip(_BRACKETS, {_TO_QUERY: "2 * cutoff / (1 - share) * epsilon"}),
        Slip(_BRACKETS, {_TO_THRESHOLD: "cutoff / share * epsilon", _TO_QUERY: "2 * cutoff / (1 - share) * epsilon"}),
        Slip(
            "1 − share·ε stood where 1 − share, times ε, is meant. Set brackets.",
            {_TO_QUERY: "2 * cutoff / abs(1 - share * epsilon)"},
        ),
        *stream_slips("rng.laplace(scale=threshold_scale)", "rng.laplace(scale=query_scale)", redrawn=True),
        Slip(
            "one noisy threshold served all ⊤, and were paid for once. That is private, but "
            "another algorithm: here each ⊤ ends a round, and the next has its own threshold.",
            {_TO_THRESHOLD: "1 / (share * epsilon)", "return\n        noisy_threshold = threshold + rng.laplace(scale=threshold_scale)": "return"},
        ),
        Slip("⊤ and ⊥ had changed places.", {"yield BELOW": "yield ABOVE", "        yield ABOVE": "        yield BELOW"}),
    ],
    run=run_stream,
    label=marks,
    also=waits,
    praise=_PRAISE,
)  # fmt: skip

_FINDING = "2 * cutoff / for_finding, 4 * cutoff / for_finding"
_NUMBER = "cutoff / (share * epsilon)"
check_numeric_sparse = Law(
    solutions.my_numeric_sparse,
    lambda: _streams(
        _numeric,
        (
            ([100.5] * 5, 94.5, 2, 0.2, 2, 5_000),
            ([-50.25] * 4, -10.5, 3, 0.7, 1, 5_000),
            ([15.75] * 5, 14.5, 2, 0.45, 12, 12_000),
            ([4.25] * 3, 2.5, 1, 0.3, 2, 5_000),
            ([-10.36], 2.5, 1, 0.3, 2, 20_000),
        ),
    ),
    [
        Slip(
            "share went to finding the queries and the rest to the numbers.",
            {"(1 - share) * epsilon": "share * epsilon", _NUMBER: "cutoff / ((1 - share) * epsilon)"},
        ),
        Slip(
            "finding the queries had the whole ε, and the numbers came on top. All of it is paid "
            f"from one ε. {LESS}",
            {"(1 - share) * epsilon": "epsilon"},
        ),
        Slip(
            "threshold and queries each had all of what is for finding. They pay together, half "
            f"and half. {LESS}",
            {_FINDING: "cutoff / for_finding, 2 * cutoff / for_finding"},
        ),
        Slip(
            "a query only had to pay for a shift of 1. It may move one way while the threshold "
            f"moves the other. {LESS}",
            {_FINDING: "2 * cutoff / for_finding, 2 * cutoff / for_finding"},
        ),
        Slip(f"c did not matter for the noise that finds the queries. {_ROUNDS}", {_FINDING: "2 / for_finding, 4 / for_finding"}),
        Slip(f"each number had all of share·ε. {_ROUNDS}", {_NUMBER: "1 / (share * epsilon)"}),
        Slip(f"c did not matter at all. {_ROUNDS}", {_FINDING: "2 / for_finding, 4 / for_finding", _NUMBER: "1 / (share * epsilon)"}),
        Slip(f"a number had the whole ε, not its share. {LESS}", {_NUMBER: "cutoff / epsilon"}),
        Slip(f"a number had to pay for a shift of 2. It meets no threshold. {MORE}", {_NUMBER: "2 * cutoff / (share * epsilon)"}),
        Slip(
            "the threshold had the queries’ noise and the queries the threshold’s.",
            {"threshold_scale, query_scale =": "query_scale, threshold_scale ="},
        ),
        Slip(
            "threshold and queries were split as in exercise 1, and the numbers came on top. Here "
            f"share is for the numbers. {LESS}",
            {_FINDING: "cutoff / (share * epsilon), 2 * cutoff / for_finding"},
        ),
        Slip(_BRACKETS, {_NUMBER: "cutoff / share * epsilon"}),
        Slip(_BRACKETS, {_FINDING: "2 * cutoff / (1 - share) * epsilon, 4 * cutoff / (1 - share) * epsilon"}),
        Slip(_BRACKETS, {_FINDING: "2 * cutoff / (1 - share) * epsilon, 4 * cutoff / (1 - share) * epsilon", _NUMBER: "cutoff / share * epsilon"}),
        *stream_slips(
            "rng.laplace(scale=threshold_scale)", "rng.laplace(scale=query_scale)",
            f"rng.laplace(scale={_NUMBER})", redrawn=True,
        ),
    ],
    run=run_stream,
    label=kinds,
    also=waits_and_rounds_nothing,
    praise=_PRAISE,
)  # fmt: skip


def _at_cutoff(c):
    if not 1 <= c < math.inf or c != round(c):
        return "c is a cutoff, a whole number from 1 on."
    basic, advanced = (float(sparse_scale(c, 1.0, delta)) for delta in (0.0, 1e-6))
    side = "already smaller, and so it was before" if advanced < basic else "not yet smaller"
    return f"at c = {c:,.0f} σ is {basic:,.2f}/ε with δ = 0 and {advanced:,.2f}/ε with δ = 10⁻⁶: {side}."


_LN = math.log(1e6)
check_pays_from = Value(
    "pays_from",
    solutions.pays_from,
    praise="√(32c ln(1/δ)) < 2c when c > 8 ln(1/δ) = 110.52, whatever ε. At c = 111 σ is 222.00/ε "
    "by basic and 221.52/ε by advanced composition.",
    slips={
        110: "at c = 110 σ with δ is still larger, 220.52/ε against 220.00/ε.",
        8 * _LN: "a cutoff is a whole number: take the first at which the one σ is below the other.",
        **dict.fromkeys((13, 14, _LN), "this is ln(1/δ). √32 is 2√8: what becomes of the 8?"),
        **dict.fromkeys((11, 10, math.sqrt(8 * _LN)), "this is √(8 ln(1/δ)). Divide by √c, then square both sides."),
        **dict.fromkeys((48, 49, 159, 160), "this has a logarithm to base 10 or 2; ours are natural."),
        **dict.fromkeys((116, 117), "this has ln(2/δ), as NumericSparse has, which splits δ. Sparse has the whole δ."),
        **dict.fromkeys((442, 443), "this is where √(32c ln(1/δ)) is c; with δ = 0 σ is 2c/ε."),
        **dict.fromkeys((221, 222), "this is where √(16c ln(1/δ)) is c. Square the 2 of 2c as well."),
        **dict.fromkeys((27, 28), "this is where √(2c ln(1/δ)) is c. Take σ as it is stated, with 32."),
    },
    otherwise=_at_cutoff,
)  # fmt: skip


def _at_length(k):
    if not 1 <= k < math.inf or k != round(k):
        return "k counts queries: a whole number from 1 on."
    misses = (4 * k / 0.05) ** -(1 / math.sqrt(8))
    return (
        f"at k = {k:,.0f} the number misses by more than α with probability {misses:.4f}, which is "
        f"{'more' if misses > 0.05 else 'not more'} than β = 0.05."
    )


_FAILS = 0.05 * 20 ** math.sqrt(8) / 4
check_printed_fails_up_to = Value(
    "printed_fails_up_to",
    solutions.printed_fails_up_to,
    praise="a number misses by more than α with probability (4k/β)^(−1/√8): 0.0502 at k = 59 and "
    "0.0499 at k = 60. For so short a stream the printed α forgets that the numbers have √8 times "
    "the noise. More queries only make α larger.",
    slips={
        60: "at k = 60 the probability is 0.0499, no longer more than β.",
        58: "at k = 59 the probability is 0.0502, still more than β.",
        _FAILS: "k counts queries: take the last whole number at which it still fails.",
        **dict.fromkeys((8, 9), "this looks at one side. A number misses if it is too high or too low."),
        **dict.fromkeys((424, 425), "this is from where the proof’s β/2 for the numbers suffices. Ask for β itself."),
        **dict.fromkeys((119, 120), "this has ln(2c/β) in α; the theorem prints 4c."),
        **dict.fromkeys((4783, 4784), "this is 4k/β at the k that is asked for, not k itself."),
    },
    otherwise=_at_length,
)  # fmt: skip
