"""What the checks of notebook 02 rest on: the laws of the answers, and where c pays."""

import math
from dataclasses import replace

import numpy as np
import pytest

from course_lib.checks import numeric_sparse as checks
from course_lib.checks import sparse_law as laws
from course_lib.checks import sparse_task
from course_lib.checks.solutions import numeric_sparse as solutions
from course_lib.checks.stream import FALSE_ALARM
from course_lib.exact.family import Variant, member
from course_lib.exact.transcripts import log_probability
from course_lib.numeric_sparse import numeric_split, sparse, sparse_scale
from course_lib.support.answers import ABOVE, BELOW
from course_lib.toolbox import advanced_per_run
from tests.power import transcript_refusals
from tests.wrong_answers.sparse import one_draw, remembers, split

TASK = checks.TASK


def test_half_of_the_budget_each_is_the_slides_sparse():
    for stream in TASK.settings:
        row = member("sparse", cutoff=stream.cutoff, epsilon=stream.epsilon)
        half = TASK.scales(replace(stream, share=0.5))
        assert np.allclose(half, [row.threshold_scale, row.query_scale])


def test_each_run_of_any_split_costs_epsilon_over_c():
    # the threshold moves by 1, and a query by 2 against it
    for stream in TASK.settings:
        threshold_scale, query_scale = TASK.scales(stream)
        spent = stream.cutoff * (1 / threshold_scale + 2 / query_scale)
        assert math.isclose(spent, stream.epsilon)


def test_the_laws_are_those_of_the_integral():
    for stream in TASK.streams:
        scales = TASK.scales(stream)
        for law, redrawn in ((laws.restarted, True), (laws.kept, False)):
            row = Variant("oracle", *scales, redrawn, None, stream.cutoff)
            probabilities = law(stream, *scales)
            answers = laws.transcripts(len(stream.values), stream.cutoff)
            for found, transcript in zip(probabilities, answers, strict=True):
                values = stream.values[: len(transcript)]
                exact = log_probability(row, values, transcript, threshold=stream.threshold)
                assert math.isclose(found, math.exp(exact), rel_tol=1e-9)
            assert math.isclose(probabilities.sum(), 1)


@pytest.mark.parametrize(
    ("law", "version"),
    [
        (laws.restarted, split()),
        (laws.kept, split(redrawn="never")),
        (laws.independent, split(redrawn="always")),
        (laws.one_draw, one_draw("at the start")),
        (laws.one_draw, remembers),
        (laws.one_draw_a_run, one_draw("for each run")),
        (laws.one_draw_kept, one_draw("at the start, with one threshold")),
        (laws.no_threshold_noise, split(lambda c, s, e: 0)),
        (laws.no_query_noise, split(None, lambda c, s, e: 0)),
        (laws.no_query_noise_kept, split(None, lambda c, s, e: 0, redrawn="never")),
    ],
)
def test_each_law_is_that_of_the_simulated_slip(law, version):
    # false alarm below 1e-6; that the laws differ from each other by far more, the next test
    stream = replace(TASK.streams[0], runs=4000)
    task = replace(TASK, streams=(stream,))
    counts, _ = sparse_task._count(task, version, stream, seed=9)
    scales = ([scale] for scale in TASK.scales(stream))
    assert math.isclose(law(stream, *TASK.scales(stream)).sum(), 1)
    assert sparse_task.refuted(task, [counts], law, *scales) is None


def test_the_law_of_a_slip_is_refused_where_the_right_one_is_expected():
    for law, _, _ in TASK.slips:
        counts = [
            np.round(stream.runs * law(stream, *TASK.scales(stream))).astype(int)
            for stream in TASK.streams
        ]
        assert sparse_task.refuted(TASK, counts, TASK.law, TASK.right(0), TASK.right(1))


def test_the_scales_asked_for_are_right_to_a_thousandth():
    # counts as they would be expected in 10^9 runs of Sparse, whose half is share = 0.5
    streams = [replace(stream, share=0.5, runs=10**9) for stream in TASK.streams]
    task = replace(TASK, streams=tuple(streams), others=())
    counts = []
    for stream in streams:
        row = member("sparse", cutoff=stream.cutoff, epsilon=stream.epsilon)
        law = laws.restarted(stream, float(row.threshold_scale), float(row.query_scale))
        counts.append(np.round(1e9 * law).astype(int))
    assert sparse_task.refuted(task, counts, task.law, task.right(0), task.right(1)) is None
    off = 1.002 * task.right(1)
    assert sparse_task.refuted(task, counts, task.law, task.right(0), off)


def test_sparse_of_the_library_passes_with_share_one_half():
    def half(data, queries, *, threshold, cutoff, share, epsilon, rng):
        return sparse(data, queries, threshold=threshold, cutoff=cutoff, epsilon=epsilon, rng=rng)

    stream = replace(TASK.streams[0], share=0.5)
    task = replace(TASK, streams=(stream,), others=())
    counts, _, remarks = sparse_task.observe(task, half)
    assert remarks == []
    assert sparse_task.refuted(task, counts, task.law, task.right(0), task.right(1)) is None


def test_at_most_one_right_answer_in_a_million_is_refused():
    alarm = sum(sum(transcript_refusals(TASK, stream)) for stream in TASK.streams)
    assert alarm <= FALSE_ALARM == 1e-6


def test_transcripts_are_all_that_can_be_answered():
    expected = ["⊤⊤", "⊤⊥⊤", "⊤⊥⊥", "⊥⊤⊤", "⊥⊤⊥", "⊥⊥⊤", "⊥⊥⊥"]
    assert ["".join(map(str, each)) for each in laws.transcripts(3, 2)] == expected
    assert laws.transcripts(2, 1) == [(ABOVE,), (BELOW, ABOVE), (BELOW, BELOW)]


def test_advanced_composition_pays_from_111_on():
    sigma = [sparse_scale(np.arange(1, 2000), 1.0, delta) for delta in (0.0, 1e-6)]
    assert np.argmax(sigma[1] < sigma[0]) + 1 == 111 == solutions.pays_from


def test_the_near_misses_are_what_they_are_called():
    cutoffs = np.arange(1, 2000)
    log = math.log(1e6)
    basic, advanced = numeric_split(1.0, 0.0), numeric_split(1.0, 1e-6)
    first = [
        1 + np.argmax(sparse_scale(cutoffs, here, 5e-7) < sparse_scale(cutoffs, there, 0.0))
        for here, there in zip(advanced, basic, strict=True)
    ]
    assert first == [100, 800]
    per_run = advanced_per_run(runs=cutoffs, epsilon=0.01, delta=1e-6)
    assert 1 + np.argmax(per_run > 0.01 / cutoffs) == 28
    roots = [log, 32 * log, 8 * math.log(2e6), math.sqrt(8 * log), 8 * log]
    assert list(map(math.ceil, roots)) == [14, 443, 117, 11, 111]


@pytest.mark.parametrize("answer", [solutions.pays_from, 111, 111.0, np.int64(111)])
def test_111_is_right(verdict, answer):
    text = verdict(checks.check_pays_from, answer)
    assert text.startswith("Right: √(32c ln(1/δ)) < 2c when c > 8 ln(1/δ) = 110.52, whatever ε.")
    assert "At c = 111 σ is 222.00/ε by basic and 221.52/ε by advanced composition." in text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (110, "where advanced composition still costs more. Now at c = 110 σ is 220.00/ε by basic"),
        (110.52, "a cutoff is a whole number:"),
        (8 * math.log(1e6), "a cutoff is a whole number:"),
        (14, "an 8 stays with the logarithm."),
        (13, "this is ln(1/δ)."),
        (11, "this is √(8 ln(1/δ))."),
        (49, "the logarithm to base 10"),
        (48, "the logarithm to base 10"),
        (117, "this has ln(2/δ)"),
        (100, "this is for NumericSparse"),
        (101, "this is for NumericSparse"),
        (800, "this is for the numbers of NumericSparse"),
        (443, "this is where √(32c ln(1/δ)) = c;"),
        (28, "as Theorem 3.20 has it for small ε."),
        (50, "at c = 50 σ is 100.00/ε by basic and 148.68/ε by advanced composition: the second is "
         "not yet smaller."),
        (112, "the second is already smaller, and so it was before."),
        (0, "1 or more; you gave 0."),
        (math.inf, "1 or more; you gave inf."),
        ("many", "1 or more; you gave 'many'."),
    ],
)  # fmt: skip
def test_other_cutoffs_have_their_reasons(verdict, answer, message):
    text = verdict(checks.check_pays_from, answer)
    assert text.startswith("Not yet: ")
    assert message in text


def test_none_is_not_answered_yet(verdict):
    expected = "Not answered yet: put your answer in place of None, then run this cell again."
    assert verdict(checks.check_pays_from, None) == expected
