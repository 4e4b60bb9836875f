"""The exercises of notebook 01: AboveThreshold for sensitivity Δ, the k that doubles α, a slip."""

from course_lib.above_threshold import above_threshold_alpha
from course_lib.checks.engine import Choice, Slip, Value
from course_lib.checks.laws import Law
from course_lib.checks.solutions import above_threshold as solutions
from course_lib.checks.streams import far_case, marks, run_stream, stream_case, waits
from course_lib.exact.family import Variant


def _row(sensitivity, epsilon):
    unit = sensitivity / epsilon
    return Variant(
        "AboveThreshold", threshold_scale=2 * unit, query_scale=4 * unit, redrawn=True,
        released=None, cutoff=1,
    )  # fmt: skip


def _streams():
    """Far values, then values 0, -6 and 3 times Δ/ε above the threshold.

    The last but one is for the width of the threshold's noise, hardest to see: a scale off by a
    quarter is seen with probability 0.99. Three settings tell every power of Δ and ε apart. Last a
    value that only the tails of both noises lift to the threshold: they may not be cut off.
    """
    for words, signs in ("all far below", "-----"), ("two far below, two far above", "--++-"):
        yield far_case(
            signs, _row(2, 0.5), reach=1000, words=f"values {words} the threshold",
            threshold=0.5, sensitivity=2, epsilon=0.5,
        )  # fmt: skip
    for values, threshold, sensitivity, epsilon, runs in (
        ([-10.25] * 6, -10.25, 3, 2, 4_000),
        ([1.5, 1.5, 1.5, 1.5, 1.5, 6, 1.5, 1.5], 4.5, 0.5, 1, 4_000),
        ([112] * 5, 100, 2, 0.5, 20_000),
        ([28], 100, 2, 0.5, 20_000),
    ):
        yield stream_case(
            values, _row(sensitivity, epsilon), runs=runs, threshold=threshold,
            sensitivity=sensitivity, epsilon=epsilon,
            words=f"Δ = {sensitivity:g}, ε = {epsilon:g}, T = {threshold:g} and values {values}",
        )  # fmt: skip


_THRESHOLD, _QUERY = "scale=2 * sensitivity / epsilon", "scale=4 * sensitivity / epsilon"
_LESS = "Then a ⊤ tells more about one row than ε allows."
_MORE = "That is private, but wider than it need be, so answers go wrong more often."
check_above_threshold = Law(
    solutions.my_above_threshold,
    _streams,
    [
        Slip(
            "brackets were missing: a / b / 2 is half of a / b, and to divide by half of ε doubles. "
            f"{_LESS}",
            {_THRESHOLD: "scale=sensitivity / epsilon / 2", _QUERY: "scale=2 * sensitivity / epsilon / 2"},
        ),
        Slip(f"Δ were 1 whatever it is. {_LESS}", {_THRESHOLD: "scale=2 / epsilon", _QUERY: "scale=4 / epsilon"}),
        Slip(
            "the threshold had the queries’ scale and the queries the threshold’s. Which of the "
            "two has to pay for a shift of 2?",
            {_THRESHOLD: _QUERY, _QUERY: _THRESHOLD},
        ),
        Slip(f"the queries had the threshold’s scale, too. {_LESS}", {_QUERY: _THRESHOLD}),
        Slip(f"the threshold had the queries’ scale, too. {_MORE}", {_THRESHOLD: _QUERY}),
        Slip(f"all noise had half its scale. {_LESS}", {_THRESHOLD: "scale=sensitivity / epsilon", _QUERY: _THRESHOLD}),
        Slip(f"all noise had twice its scale. {_MORE}", {_THRESHOLD: _QUERY, _QUERY: "scale=8 * sensitivity / epsilon"}),
        Slip(f"the threshold’s noise had half its scale. {_LESS}", {_THRESHOLD: "scale=sensitivity / epsilon"}),
        Slip(f"the queries’ noise had twice its scale. {_MORE}", {_QUERY: "scale=8 * sensitivity / epsilon"}),
        Slip(
            "ε and Δ had changed places in the scale: a smaller ε must mean more noise.",
            {_THRESHOLD: "scale=2 * epsilon / sensitivity", _QUERY: "scale=4 * epsilon / sensitivity"},
        ),
        Slip(
            "the threshold got new noise for each query. All ⊥ are free because they share one "
            "noisy threshold.",
            {"        noise =": "        noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)\n        noise ="},
        ),
        Slip(
            "all queries shared one noise. Then two answers together tell what each of them hides.",
            {"    for query": "    noise = rng.laplace(scale=4 * sensitivity / epsilon)\n    for query", "        noise = rng.laplace(scale=4 * sensitivity / epsilon)\n": ""},
        ),
        Slip(f"the threshold had no noise. {_LESS}", {f" + rng.laplace({_THRESHOLD})": ""}),
        Slip(f"the queries had no noise. {_LESS}", {" + noise": ""}),
        Slip("the comparison were the other way round.", {">= noisy": "< noisy"}),
        Slip("⊤ and ⊥ had changed places.", {"yield ABOVE": "yield BELOW", "        yield BELOW": "        yield ABOVE"}),
        Slip(
            "it went on after the first ⊤. Each further ⊤ costs, and nothing pays for it.",
            {"            return\n": "            continue\n"},
        ),
        Slip(
            "it halted at the first ⊥, too. A ⊥ is free: only ⊤ ends the run.",
            {"        yield BELOW": "        yield BELOW\n        return"},
        ),
        Slip(
            "only ⊤ were answered. Every query up to the halt gets an answer.",
            {"        yield BELOW": "        continue"},
        ),
        Slip("the noise were Gaussian. The proof needs the tails of rng.laplace.",
             {f"laplace({_THRESHOLD}": f"normal({_THRESHOLD}", f"laplace({_QUERY}": f"normal({_QUERY}"}),
        Slip(
            "values were cut to whole numbers. The noise is for the value as it is.",
            {"query(data) +": "int(query(data)) +"},
        ),
    ],
    run=run_stream,
    label=marks,
    also=waits,
    praise="in many runs, with different Δ and ε, each answer comes as often as it should. (At "
    "most one right answer in a million is refused.)",
)  # fmt: skip


def _alpha(k):
    return above_threshold_alpha(num_queries=max(1.0, k), beta=0.05, epsilon=1.0)


check_doubling = Value(
    "doubled_at",
    solutions.doubled_at,
    tolerance=0.01,
    praise="α is 8/ε times ln(2k/β), so it doubles when 2k/β is squared: k = 2 · 1000² / 0.05 = "
    "40,000,000. For twice the error, 40,000 times as many queries.",
    slips={
        2_000: "twice as many queries only add 8 ln 2 / ε to α.",
        1_000_000: "1000² doubles ln k, but α also has ln(2/β), which must be doubled too.",
        40: "this is the k that doubles α from k = 1; start at k = 1000.",
        40_000: "this adds ln(2/β) to the logarithm, which must grow by as much as all of it is.",
        20_000_000: "ln(2/β) has a 2 in it, and you have k²/β.",
        1_600_000_000: "this is 2k/β at the k that is asked for, not k itself.",
    },
    otherwise=lambda k: (
        f"at k = {k:,.0f} α is {_alpha(k) / _alpha(1000):.3f} times what it is at k = 1000."
    ),
)

check_which_test = Choice(
    "which_test",
    {
        "a": "(a) asks whether the mechanism is of use. Both pass it, and so would a mechanism "
        "without any noise.",
        "b": "(b) asks about accuracy. The slip has too little noise, which makes it more accurate, "
        "so it passes.",
        "c": "too little noise shows in the privacy loss alone. Here it is 1.5 ε: the threshold "
        "costs ε and the ⊤ another ε/2. Had all 100 values moved up, it would be ε, and nothing "
        "would be seen: choose the streams as the proof suggests.",
        "d": "(d) looks at one noise at a time, and each is wide enough for one query alone. But "
        "the noise of the threshold and that of the ⊤ are paid for together.",
    },
    right="c",
)
