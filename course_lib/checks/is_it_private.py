"""The exercises of notebook 04: the repair with any split, a pair that convicts, two bounds."""

import reprlib
from numbers import Real

import numpy as np

from course_lib.checks.engine import Exercise, Function, NotYet, Slip
from course_lib.checks.laws import Law
from course_lib.checks.solutions import is_it_private as solutions
from course_lib.checks.streams import (
    LESS,
    MORE,
    far_case,
    kinds,
    run_stream,
    stream_case,
    stream_slips,
    waits_and_rounds_nothing,
)
from course_lib.exact.family import Variant, member, privacy_loss
from course_lib.exact.transcripts import exact_loss
from course_lib.lab.noise import generator
from course_lib.support.answers import ABOVE, BELOW


def _repaired(n, cutoff, shares, epsilon):
    units = [1 / (share * epsilon * n) for share in shares]
    scales = units[0], 2 * cutoff * units[1]
    return Variant("repaired", *scales, False, "fresh", cutoff, cutoff * units[2])


def _streams():
    """Far values, with cutoff 2 and 1, then values near the threshold, which are no whole numbers.

    With the second and third of these a scale off by a quarter is seen with probability 0.99. Their
    settings tell every power of n, c, ε and of each share apart. In the last two c is 1, and in the
    last of all the tails alone lift a value to the threshold: no noise may be cut off.
    """
    given = {"n": 20, "shares": (0.2, 0.3, 0.5), "epsilon": 2}
    for words, signs, cutoff in (
        ("all far below the threshold", "-----", 2),
        ("far above at the second, fourth and fifth query", "-+-++-", 2),
        ("far above at the second and third query", "-++-", 1),
    ):
        yield far_case(
            signs, _repaired(cutoff=cutoff, **given), reach=2000, threshold=0.5, cutoff=cutoff,
            **given, words=f"c = {cutoff} and values {words}",
        )  # fmt: skip
    for value, size, n, threshold, cutoff, shares, epsilon, runs in (
        (1.2, 5, 25, 1.8, 3, (0.4, 0.15, 0.45), 2, 5_000),
        (0.9, 4, 40, 0.3, 2, (0.06, 0.7, 0.24), 1, 8_000),
        (0.6, 5, 60, 0.4, 2, (0.3, 0.5, 0.2), 0.8, 8_000),
        (0.45, 3, 20, 0.4, 1, (0.35, 0.45, 0.2), 2, 5_000),
        (-0.725, 1, 20, 0.4, 1, (0.5, 0.2, 0.3), 2, 20_000),
    ):
        yield stream_case(
            [value] * size, _repaired(n, cutoff, shares, epsilon), runs=runs, n=n,
            threshold=threshold, cutoff=cutoff, shares=shares, epsilon=epsilon,
            words=f"n = {n}, c = {cutoff}, shares {shares}, ε = {epsilon:g}, T = {threshold:g}, {size} values {value:g}",
        )  # fmt: skip


_SHARES = "(share * epsilon * n for share in shares)"
_THRESHOLD, _QUERY, _NUMBER = "scale=1 / for_threshold", "scale=2 * cutoff / for_queries", "scale=cutoff / for_numbers"  # fmt: skip
_PARTS = "for_threshold, for_queries, for_numbers ="
_ROUNDED = (
    "numbers were rounded. That costs no privacy, but values are shares, and the noise is less."
)
_C = "c of them are to be paid for from one share."
check_repaired = Law(
    solutions.my_repaired,
    _streams,
    [
        Slip(
            "n did not matter. One row of n moves a query by 1/n only, so far less noise is enough.",
            {_SHARES: "(share * epsilon for share in shares)"},
        ),
        Slip("the noise grew with n. One row of n moves a query by 1/n.", {_SHARES: "(share * epsilon / n for share in shares)"}),
        Slip(
            "brackets were missing: a / b * c is (a / b) * c, and a larger ε means more noise.",
            {_SHARES: "(share / epsilon / n for share in shares)"},
        ),
        Slip("ε were split in thirds. Here shares says how it is split.", {_SHARES: "(epsilon * n / 3 for share in shares)"}),
        Slip(f"each noise had the whole ε. They pay together. {LESS}", {_SHARES: "(epsilon * n for share in shares)"}),
        Slip(
            "a comparison only had to pay for a shift of 1/n. The query may move one way while the "
            f"threshold moves the other. {LESS}",
            {_QUERY: "scale=cutoff / for_queries"},
        ),
        Slip(f"each comparison had its whole share. {_C}", {_QUERY: "scale=2 / for_queries"}),
        Slip(f"each number had its whole share. {_C}", {_NUMBER: "scale=1 / for_numbers"}),
        Slip(f"c did not matter. {_C}", {_QUERY: "scale=2 / for_queries", _NUMBER: "scale=1 / for_numbers"}),
        Slip(f"the threshold were paid for c times. It is drawn once. {MORE}", {_THRESHOLD: "scale=cutoff / for_threshold"}),
        Slip(f"the threshold had to pay for a shift of 2/n. {MORE}", {_THRESHOLD: "scale=2 / for_threshold"}),
        Slip(f"a number had to pay for a shift of 2/n. It meets no threshold. {MORE}", {_NUMBER: "scale=2 * cutoff / for_numbers"}),
        Slip("the shares of comparisons and numbers had changed places.", {_PARTS: "for_threshold, for_numbers, for_queries ="}),
        Slip("the shares of threshold and comparisons had changed places.", {_PARTS: "for_queries, for_threshold, for_numbers ="}),
        Slip("the shares of threshold and numbers had changed places.", {_PARTS: "for_numbers, for_queries, for_threshold ="}),
        Slip(
            "a new threshold were drawn after each number. Here one draw serves all: c of them "
            "would cost c times the threshold’s share.",
            {"            return\n": f"            return\n        noisy_threshold = threshold + rng.laplace({_THRESHOLD})\n"},
        ),
        Slip(_ROUNDED, {f"value + rng.laplace({_NUMBER})": f"round(value + rng.laplace({_NUMBER}))"}),
        Slip(_ROUNDED, {f"value + rng.laplace({_NUMBER})": f"round(value + rng.laplace({_NUMBER}), 1)"}),
        *stream_slips(f"rng.laplace({_THRESHOLD})", f"rng.laplace({_QUERY})", f"rng.laplace({_NUMBER})", redrawn=False),
    ],
    run=run_stream,
    label=kinds,
    also=waits_and_rounds_nothing,
    praise="in many runs, with different n, c, shares and ε, each ⊥ and each number comes as often "
    "as it should. (At most one right answer in a million is refused.)",
)  # fmt: skip

_ROW = member("lee_clifton", cutoff=2, epsilon=1.0)
_LARGEST = 1_000_000


class Pair(Exercise):
    """(values, neighbour, transcript): does Lee & Clifton’s row, c = 2, T = 0, lose more than 1?"""

    def judge(self, answer):
        values, neighbour, transcript = _three_lists(answer)
        _check_transcript(transcript)
        moves = neighbour - values
        far = np.flatnonzero(np.abs(moves) > 1 + 1e-9)
        if len(far):
            i = far[0]
            raise NotYet(
                f"the streams are not neighbours: value {i + 1} moves from {values[i]:g} to "
                f"{neighbour[i]:g}, by {abs(moves[i]):g}, and may move by 1 at most."
            )
        loss = float(exact_loss(_ROW, values, neighbour, transcript, threshold=0))
        if loss > 1 + 1e-9:
            return (
                f"the log-ratio is {loss:.4f}, more than the ε = 1 that is claimed: the row is "
                "convicted. Longer streams come as near as you like to (1 + 6c)ε/4 = "
                f"{privacy_loss(_ROW):g} for c = 2, and none beyond it."
            )
        hint = _hint(loss, moves, transcript)
        raise NotYet(f"the log-ratio is {loss:.4f}, and more than 1 is needed. {hint}", 2)


check_convicting_pair = Pair("my_pair")


def _real(x):
    """A Fraction as a float; what is no number as it is."""
    return float(x) if isinstance(x, Real) else x


def _three_lists(answer):
    try:
        values, neighbour, transcript = answer
        transcript = list(transcript)
        values, neighbour = (np.array(list(map(_real, each))) for each in (values, neighbour))
        if any(each.ndim != 1 or each.dtype.kind not in "biuf" for each in (values, neighbour)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise NotYet(
            "the answer is three lists, (values, neighbour, transcript): numbers, numbers, and "
            f"ABOVE or BELOW. You gave {reprlib.repr(answer)}."
        ) from None
    if not np.isfinite([*values, *neighbour]).all():
        raise NotYet("every value must be a finite number.")
    if np.abs([*values, *neighbour]).max(initial=0) > _LARGEST:
        raise NotYet(f"keep the values between −{_LARGEST:,} and {_LARGEST:,}: small ones suffice.")
    if not len(values) == len(neighbour) == len(transcript) > 0:
        raise NotYet(
            f"the three lists have {len(values)}, {len(neighbour)} and {len(transcript)} entries; "
            "they need equally many, one for each query."
        )
    return values.astype(float), neighbour.astype(float), transcript


def _check_transcript(transcript):
    for answer in transcript:
        if answer is not ABOVE and answer is not BELOW:
            raise NotYet(
                f"a transcript holds ABOVE and BELOW alone; yours has {reprlib.repr(answer)}."
            )
    above = [i for i, answer in enumerate(transcript) if answer is ABOVE]
    if len(above) > _ROW.cutoff:
        raise NotYet(f"with cutoff 2 there are at most two ⊤; your transcript has {len(above)}.")
    if len(above) == _ROW.cutoff and above[-1] + 1 < len(transcript):
        raise NotYet(
            f"the mechanism halts at the second ⊤, answer {above[-1] + 1}; your transcript goes on."
        )


def _hint(loss, moves, transcript):
    """How to come nearer, for a pair that does not convict."""
    above = np.array([answer is ABOVE for answer in transcript])
    if loss < -1 - 1e-9:
        return "It is below −1: exchange values and neighbour."
    if not moves.any():
        return "The two streams are equal."
    if not above.any():
        return "⊥ alone costs at most ε/4, what the threshold pays; the ⊤ cost the rest."
    wrong = np.flatnonzero(np.where(above, moves > 0, moves < 0))
    if len(wrong):
        way = "down" if above[wrong[0]] else "up"
        return (
            "The transcript must be less likely on the neighbour: there the values answered ⊥ go "
            f"up and those answered ⊤ go down. Value {wrong[0] + 1} should go {way}."
        )
    if not moves[above].any():
        return "The values answered ⊤ do not move. Let them go down."
    if not moves[~above].any():
        return "No value answered ⊥ moves. Let some go up, so that the threshold has to pay too."
    if above.sum() < _ROW.cutoff:
        return "There may be a second ⊤, which costs as much again."
    if np.abs(moves).min() < 1:
        return "Let each value move by 1, the most that is allowed."
    return (
        "All moves are as they should be. More ⊥ push the noisy threshold up, and a ⊤ costs most "
        "where it is least likely."
    )


def _counts():
    """Hits in as many runs on each side: none, all, more here or there, and some at random."""
    yield from [(60, 20, 100), (20, 60, 100), (0, 0, 50), (0, 7, 50), (50, 0, 50), (50, 50, 50)]
    yield from [(7, 0, 50), (1, 0, 1), (0, 1, 1), (30, 29, 40), (900, 3, 1000), (3, 900, 1000)]
    rng = generator(4)
    for runs in (10, 333, 2_000, 50_000):
        yield from ((*map(int, rng.integers(0, runs + 1, 2)), runs) for _ in range(4))


_LOW, _HIGH = (
    "low, _ = clopper_pearson(hits, runs)",
    "_, high = clopper_pearson(neighbour_hits, runs)",
)
_RETURN = "max(0.0, math.log(low / high)) if low > 0 else 0.0"
_GUARDED = {_RETURN: "max(0.0, math.log(low / high)) if low > 0 and high > 0 else 0.0"}
_CHANCE = "Then chance alone makes the bound too large, far more often than in 5 % of cases."
check_bound = Function(
    solutions.my_bound,
    _counts,
    [
        Slip(
            f"the two rates were known exactly. {_CHANCE}",
            {_LOW: "low = hits / runs", _HIGH: "high = neighbour_hits / runs"} | _GUARDED,
        ),
        Slip(
            "the ends of the intervals were exchanged. That is the most that ε could be by these "
            "counts, and a lower bound is asked for.",
            {_LOW: "_, low = clopper_pearson(hits, runs)", _HIGH: "high, _ = clopper_pearson(neighbour_hits, runs)"} | _GUARDED,
        ),
        Slip(
            "both ends were the lower ones. If the neighbour’s rate is larger than its lower end, "
            "the bound is too large.",
            {_HIGH: "high, _ = clopper_pearson(neighbour_hits, runs)"} | _GUARDED,
        ),
        Slip(
            "both ends were the upper ones. If the rate on D is smaller than its upper end, the "
            "bound is too large.",
            {_LOW: "_, low = clopper_pearson(hits, runs)"},
        ),
        Slip("the neighbour’s rate were known exactly. It has its interval, too.", {_HIGH: "high = neighbour_hits / runs"}),
        Slip("D and D′ had changed places.", {"(hits, runs)": "(neighbour_hits, runs)", "(neighbour_hits, runs)": "(hits, runs)"}),
        Slip("the ratio were the bound. ε bounds its logarithm.", {"math.log(low / high)": "low / high"}),
        Slip("the logarithm were to base 2 or 10. e^ε bounds the ratio.", {"math.log(": "math.log2("}),
        Slip("the logarithm were to base 2 or 10. e^ε bounds the ratio.", {"math.log(": "math.log10("}),
        Slip("ε could be negative. Where the event is rarer on D, the counts say ε ≥ 0 and no more.", {"max(0.0, math.log(low / high))": "math.log(low / high)"}),
        Slip(
            "a ratio below 1 counted, too. Equal counts would then prove an ε above 0.",
            {"max(0.0, math.log(low / high))": "abs(math.log(low / high))"},
        ),
        Slip(
            "the difference of the rates were bounded. ε bounds the logarithm of their ratio.",
            {_RETURN: "max(0.0, low - high)"},
        ),
    ],
    praise="each interval misses with probability at most 5 %, on the side that matters at most "
    "2.5 %, so the bound is too large with probability at most 5 %.",
)  # fmt: skip


def _scales():
    """Rows with and without numbers, redrawn and not, c = 1 among them, whole scales and others."""
    for cutoff in (1, 2, 5):
        for redrawn in (False, True):
            for number in (None, 3, 7.5):
                yield 2.5, 4.0, number, cutoff, redrawn
                yield 5, 3, number, cutoff, redrawn
                yield 0.25, 16.0, number, cutoff, redrawn


_TWO = "A query may move one way while the threshold moves the other."
check_loss = Function(
    solutions.my_loss,
    _scales,
    [
        Slip(f"a comparison paid for a shift of 1. {_TWO}", {"2 * cutoff / query": "cutoff / query"}),
        Slip("the threshold were paid for once, drawn anew or not. Each draw costs.", {"cutoff if redrawn else 1": "1"}),
        Slip("the threshold were paid for c times, drawn anew or not. One draw costs once.", {"cutoff if redrawn else 1": "cutoff"}),
        Slip("redrawn meant kept, and kept redrawn.", {"if redrawn": "if not redrawn"}),
        Slip("c were 1 whatever it is. Each ⊤ costs.", {"thresholds = cutoff if": "cutoff = 1\n    thresholds = cutoff if"}),
        Slip("only one ⊤ were compared. Each of c costs.", {"2 * cutoff / query": "2 / query"}),
        Slip("only one number were released. Each of c costs.", {"loss + cutoff / number": "loss + 1 / number"}),
        Slip("a number paid for a shift of 2. It meets no threshold, so 1 is enough.", {"loss + cutoff / number": "loss + 2 * cutoff / number"}),
        Slip("numbers were free. They have noise of their own, which has to be paid for.", {"loss if number_scale is None else loss + cutoff / number_scale": "loss"}),
        Slip("the threshold paid for a shift of 2. It moves by 1.", {"thresholds / threshold_scale": "2 * thresholds / threshold_scale"}),
        Slip("the threshold paid for a shift of 2 and a comparison for 1. Which moves against which?", {"thresholds / threshold_scale + 2 *": "2 * thresholds / threshold_scale +"}),
        Slip("only the largest of the parts counted. They are paid for together.", {"thresholds / threshold_scale + 2 * cutoff / query_scale": "max(thresholds / threshold_scale, 2 * cutoff / query_scale)", "loss + cutoff / number_scale": "max(loss, cutoff / number_scale)"}),
        Slip("all queries moved the same way. Here they may move either way.", {"thresholds / threshold_scale + 2 * cutoff / query_scale": "max(thresholds / threshold_scale, cutoff / query_scale) + cutoff / query_scale"}),
    ],
    praise="this is the loss that long streams approach, and none exceeds: one part for the "
    "thresholds, one for the ⊤, one for the numbers.",
)  # fmt: skip
