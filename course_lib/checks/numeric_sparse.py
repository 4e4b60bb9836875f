"""The exercises of notebook 02: Sparse with any split of ε, and where advanced composition pays."""

import itertools
from dataclasses import dataclass

from course_lib.checks.exercise import NotYet, at_least_one, exercise
from course_lib.checks.sparse_law import (
    independent,
    kept,
    no_query_noise,
    no_query_noise_kept,
    no_threshold_noise,
    one_draw,
    one_draw_a_run,
    one_draw_kept,
    restarted,
)
from course_lib.checks.sparse_task import Task, diagnosis, observe, refuted
from course_lib.checks.stream import Stream as AnyStream
from course_lib.checks.stream import check_marks, praise
from course_lib.numeric_sparse import sparse_scale


@dataclass(frozen=True)
class Stream(AnyStream):
    """A stream of values and the parameters it is run with."""

    values: tuple
    threshold: float
    cutoff: int
    share: float
    epsilon: float
    runs: int = 1

    @property
    def setting(self):
        return f"c = {self.cutoff}, share = {self.share:g}, ε = {self.epsilon:g}"

    @property
    def reach(self):
        return 300 * max(_scales(self))


def _scales(stream):
    """Of AboveThreshold with ε/c, of which the threshold has the share and the queries the rest."""
    epsilon = stream.epsilon / stream.cutoff
    return 1 / (stream.share * epsilon), 2 / ((1 - stream.share) * epsilon)


def _marks(stream, answers):
    check_marks(answers)
    return answers


_ONE_DRAW = (
    "you compare queries of equal value with the same noise. Draw new noise for each query; only "
    "the threshold’s noise is kept until the next ⊤."
)
_EACH_RUN = "Each of the c runs has only ε/c."
_EXCHANGED = "share and 1 − share are exchanged: the threshold has share·ε, the queries the rest."
_HALF = "This is the slides’ half for each; here share says how ε is split."
_WHOLE = "share·ε is for the threshold and the rest for the queries; neither has the whole ε."
_TWO = "The 2 is for a query that moves by 1 one way while the threshold moves by 1 the other way."

TASK = Task(
    streams=(
        Stream((100,) * 5, threshold=94, cutoff=2, share=0.2, epsilon=2, runs=5_000),
        Stream((-50,) * 6, threshold=-10, cutoff=3, share=0.7, epsilon=0.5, runs=5_000),
        Stream((15,) * 6, threshold=14, cutoff=4, share=0.45, epsilon=15, runs=5_000),
    ),
    others=(
        Stream((0,), threshold=0, cutoff=7, share=0.3, epsilon=1.1),
        Stream((0,), threshold=0, cutoff=2, share=0.6, epsilon=0.7),
    ),
    law=restarted,
    scales=_scales,
    written=("c/(share·ε)", "2c/((1 − share)·ε)"),
    parameters=lambda stream: {
        "c": stream.cutoff,
        "share": stream.share,
        "(1 − share)": 1 - stream.share,
        "ε": stream.epsilon,
    },
    marks=_marks,
    above="⊤",
    slips=(
        (kept, "you keep the noisy threshold after a ⊤. Draw a new one before you go on.", (0, 1)),
        (
            independent,
            "you draw a new threshold for each query. Draw one at the start and after each ⊤.",
            (0, 1),
        ),
        (one_draw, _ONE_DRAW, (0, 1)),
        (one_draw_a_run, _ONE_DRAW, (0, 1)),
        (one_draw_kept, f"{_ONE_DRAW} Then the threshold is drawn again.", (0, 1)),
        (no_threshold_noise, "there is no noise on the threshold.", (1,)),
        (no_query_noise, "there is no noise on the queries.", (0,)),
        (no_query_noise_kept, "there is no noise on the queries.", (0,)),
    ),
    known=tuple(
        lambda stream, one=one, two=two: (one(stream), two(stream))
        for one, two in itertools.product(
            (
                lambda s: 1,
                lambda s: 1 / s.cutoff,
                lambda s: s.share,
                lambda s: s.share / (1 - s.share),
                lambda s: 2 * s.share,
                lambda s: 2,
            ),
            (
                lambda s: 1,
                lambda s: 1 / 2,
                lambda s: 1 / s.cutoff,
                lambda s: 1 - s.share,
                lambda s: (1 - s.share) / 2,
                lambda s: (1 - s.share) / s.share,
                lambda s: 2 * (1 - s.share),
                lambda s: 2,
            ),
        )
    ),
    hints={
        ("threshold", "1/c"): _EACH_RUN,
        ("query", "1/c"): _EACH_RUN,
        ("query", "0.5/c"): _EACH_RUN,
        ("query", "0.5"): _TWO,
        ("threshold", "2"): "The 2 belongs to the queries.",
        ("threshold", "share"): _WHOLE,
        ("query", "(1 − share)"): _WHOLE,
        ("query", "0.5·(1 − share)"): _WHOLE,
        ("threshold", "share/(1 − share)"): _EXCHANGED,
        ("query", "(1 − share)/share"): _EXCHANGED,
        ("threshold", "2·share"): _HALF,
        ("query", "2·(1 − share)"): _HALF,
        ("threshold", "2·share/(1 − share)"): "This is the noise for the queries.",
        ("query", "0.5·(1 − share)/share"): "This is the noise for the threshold.",
    },
)


@exercise
def check_sparse_split(mechanism):
    """Judge `mechanism(data, queries, *, threshold, cutoff, share, epsilon, rng)`."""
    counts, _, remarks = observe(TASK, mechanism)
    seen = refuted(TASK, counts, restarted, TASK.right(0), TASK.right(1))
    if seen:
        raise NotYet(f"{diagnosis(TASK, mechanism, counts)}\n{seen}")
    result = "answers come as often as they should"
    return praise(TASK.streams, "c, share and ε", result, remarks)


@exercise
def check_pays_from(answer):
    """Judge the smallest c at which advanced composition, δ = 10⁻⁶, gives Sparse the smaller σ."""
    c = at_least_one(answer, "c is a cutoff")
    basic, advanced = (float(sparse_scale(c, 1.0, delta)) for delta in (0.0, _DELTA))
    sigmas = f"at c = {c:,.6g} σ is {basic:,.2f}/ε by basic and {advanced:,.2f}/ε by advanced"
    if c == 111:
        return (
            "√(32c ln(1/δ)) < 2c when c > 8 ln(1/δ) = 110.52, whatever ε. "
            f"{sigmas.capitalize()} composition."
        )
    near = _NEAR.get(round(c))
    if c != round(c):
        near = "a cutoff is a whole number: take the first at which the one σ is below the other."
    if near:
        raise NotYet(f"{near}\nNow {sigmas} composition.")
    side = "already smaller, and so it was before" if advanced < basic else "not yet smaller"
    raise NotYet(f"{sigmas} composition: the second is {side}. Solve √(32c ln(1/δ)) = 2c for c.")


_DELTA = 1e-6
_NEAR = {
    110: "this is 8 ln(1/δ) = 110.52 rounded down, where advanced composition still costs more.",
    13: "this is ln(1/δ). √32 is 2√8, so an 8 stays with the logarithm.",
    14: "this is where c exceeds ln(1/δ). √32 is 2√8, so an 8 stays with the logarithm.",
    11: "this is √(8 ln(1/δ)). Divide √(32c ln(1/δ)) < 2c by 2√c and square: c has no root.",
    48: "this has the logarithm to base 10; ours are natural.",
    49: "this has the logarithm to base 10; ours are natural.",
    116: "this has ln(2/δ), which NumericSparse has because it uses δ/2; Sparse has the whole δ.",
    117: "this has ln(2/δ), which NumericSparse has because it uses δ/2; Sparse has the whole δ.",
    100: "this is for NumericSparse: its ε1 depends on δ, and its logarithm is ln(2/δ).",
    101: "this is for NumericSparse: its ε1 depends on δ, and its logarithm is ln(2/δ).",
    443: "this is where √(32c ln(1/δ)) = c; by basic composition σ is 2c/ε.",
    442: "this is where √(32c ln(1/δ)) = c; by basic composition σ is 2c/ε.",
    800: "this is for the numbers of NumericSparse, which have ε2 and ln(2/δ).",
    28: "this is where √(2c ln(1/δ)) = c, as Theorem 3.20 has it for small ε. σ of Sparse is made "
    "with Corollary 3.21, which is twice as careful.",
}
