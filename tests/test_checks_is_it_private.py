"""The checks of notebook 04 accept every right answer, and name what is wrong with a wrong one."""

import inspect
import math
import runpy
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import laplace

from course_lib.checks import is_it_private as checks
from course_lib.checks import released_law, repaired, sparse_law, sparse_task
from course_lib.exact import exact_loss
from course_lib.lecture11_sparse import sparse_as_printed, sparse_repaired
from course_lib.variants import ABOVE, BELOW, privacy_loss, variant
from tests.power import refusals, transcript_refusals
from tests.wrong_answers import repaired as answers
from tests.wrong_answers.repaired import RIGHT, WRONG_FORM, WRONG_NOISE
from tests.wrong_answers.sparse import REMARKS, marked

SOLUTION = runpy.run_path(
    str(Path(__file__).parents[1] / "notebooks" / "solutions" / "is_it_private.py")
)
PRAISE = (
    "Right: in 16,000 runs on 3 streams, with different n, c, shares and ε, your ⊥ and your "
    "numbers come as often as they should. (At most one right answer in 1,000,000 is refused.)"
)
TASK, WRONG = repaired.TASK, WRONG_NOISE | WRONG_FORM
QUICK = {
    "as Lecture 11",
    "redrawn after a number",
    "2 forgotten",
    "n forgotten",
    "one draw for all numbers",
}


def test_the_solution_is_right_within_three_seconds(verdict):
    start = time.process_time()
    assert verdict(checks.check_repaired, SOLUTION["my_repaired"]) == PRAISE
    assert time.process_time() - start < 3


@pytest.mark.parametrize("name", marked(RIGHT, quick={"counts of rows", "noise in advance"}))
def test_right_answers_in_unusual_styles_are_right(verdict, name):
    text = verdict(checks.check_repaired, RIGHT[name])
    remark = text.removeprefix(PRAISE)
    assert remark != text
    if name in REMARKS:
        assert remark.startswith(f" A remark: {REMARKS[name]}")
    else:
        assert remark == ""


@pytest.mark.parametrize("name", [*marked(WRONG_NOISE, quick=QUICK), *WRONG_FORM])
def test_each_known_wrong_answer_is_named(verdict, name):
    version, message = WRONG[name]
    text = verdict(checks.check_repaired, version)
    assert text.startswith("Not yet: ")
    assert message in text
    assert "Traceback" not in text


def test_there_is_a_message_for_each_kind_of_slip():
    assert len({message for _, message in WRONG.values()}) > 30


def test_a_style_that_nobody_foresaw_gets_a_verdict_on_its_behaviour(verdict):
    def never_the_first(data, queries, **parameters):
        yield BELOW
        yield from answers.repaired()(data, queries[1:], **parameters)

    text = verdict(checks.check_repaired, never_the_first)
    assert text.startswith("Not yet: your answers are not distributed as they should be. With")
    assert "And " not in text
    assert "the first number comes at query 2 in 86.9% of 6,000 runs; it should be 3.5%." in text


def test_numbers_for_later_queries_alone_are_judged_too(verdict):
    def never_the_first_and_positive(data, queries, **parameters):
        yield BELOW
        positive = WRONG["positive numbers"][0]
        yield from positive(data, queries[1:], **parameters)

    text = verdict(checks.check_repaired, never_the_first_and_positive)
    assert "And your numbers are not distributed as they should be" in text
    assert "number − value, for a later query, is at most 0 in 0.0%" in text


def test_two_faults_are_both_named(verdict):
    text = verdict(checks.check_repaired, WRONG["as Lecture 11, 2 forgotten"][0])
    assert "your query noise has scale c/(s2·ε·n);" in text
    assert "And you release the noise you compared with: Lecture 11’s flaw." in text


def stub(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    raise NotImplementedError


def stub_that_yields(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    raise NotImplementedError
    yield


@pytest.mark.parametrize("version", [stub, stub_that_yields])
def test_a_stub_is_not_written_yet(verdict, version):
    assert verdict(checks.check_repaired, version).startswith("Not written yet: fill in stub")


def test_a_verdict_is_the_same_each_time(verdict):
    wrong = WRONG["a quarter more"][0]
    first, second = (verdict(checks.check_repaired, wrong) for _ in range(2))
    assert first == second
    assert "cases; it should be" in first


def with_thirds(stream):
    return replace(stream, shares=(1 / 3, 1 / 3, 1 / 3))


def test_thirds_are_the_repaired_row():
    for stream in TASK.settings:
        row = variant("lecture11_repaired", cutoff=stream.cutoff, epsilon=stream.epsilon)
        scales = np.array([row.threshold_scale, row.query_scale, row.release_scale]) / stream.n
        assert np.allclose(repaired._scales(with_thirds(stream)), scales)


def test_any_split_costs_epsilon():
    # in units of 1/n: the threshold moves by 1, c queries by 2 against it, c numbers by 1
    for stream in TASK.settings:
        assert math.isclose(sum(stream.shares), 1)
        scales = np.array(repaired._scales(stream)) * stream.n
        spent = (np.array([1, 2 * stream.cutoff, stream.cutoff]) / scales).sum()
        assert math.isclose(spent, stream.epsilon)


def judged(mechanism, stream):
    """What refutes the transcripts and the numbers of a mechanism on one stream."""
    task = replace(TASK, streams=(stream,), others=())
    counts, given, _ = sparse_task.observe(task, mechanism)
    collected = [released_law.errors(stream, given[0])]
    transcripts = sparse_task.refuted(task, counts, task.law, task.right(0), task.right(1))
    return transcripts, released_law.refuted(task, collected, 5e-7)


def without_shares(mechanism):
    def my_repaired(data, queries, *, shares, **parameters):
        return mechanism(data, queries, **parameters)

    return my_repaired


def test_the_librarys_repaired_mechanism_passes_with_thirds():
    assert judged(without_shares(sparse_repaired), with_thirds(TASK.streams[1])) == (None, None)


def test_the_printed_mechanism_does_not_pass():
    transcripts, numbers = judged(without_shares(sparse_as_printed), with_thirds(TASK.streams[1]))
    assert transcripts
    assert numbers


def test_the_law_of_compared_noise_is_that_of_the_simulation():
    # false alarm below 1e-6; fresh noise of the same scale is refused by the same numbers
    stream = replace(TASK.streams[1], runs=4000)
    threshold, query, right = TASK.scales(stream)
    _, given = sparse_task._count(TASK, WRONG["as Lecture 11"][0], stream, seed=3)
    first, _, _ = released_law.errors(stream, given)
    seen = released_law.binned(first, right)
    law = released_law.compared(stream, threshold, query, right)
    assert released_law.misfit(seen, law, level=1e-6) is None
    assert released_law.misfit(seen, released_law.fresh(stream, query, right), level=1e-6)


def test_the_bins_of_fresh_noise_are_those_of_laplace():
    edges = released_law.EDGES
    for scale in (0.5, 1.0, 3.0):
        expected = np.diff(laplace.cdf(edges, scale=scale), prepend=0, append=1)
        assert np.allclose(released_law.fresh(None, scale, 1.0), expected)
    assert released_law.binned([-100, 0.001, 100], 1.0).tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]


def test_errors_are_sorted_by_query():
    stream = replace(TASK.streams[0], values=(1.0,) * 3)
    given = [[1.5, BELOW, 3.0], [BELOW, BELOW, BELOW], [BELOW, 0.0, 2.0], [BELOW, BELOW, 1.25]]
    first, later, pairs = released_law.errors(stream, given)
    assert first.tolist() == [0.5]
    assert later.tolist() == [2.0, -1.0, 1.0, 0.25]
    assert pairs.tolist() == [[0.5, 2.0], [-1.0, 1.0]]


def number_of_errors(stream):
    """How many numbers are expected for the first query and for the later ones."""
    given = sparse_law.transcripts(len(stream.values), stream.cutoff)
    law = TASK.law(stream, *TASK.scales(stream)[:2])
    first = sum(p for p, each in zip(law, given, strict=True) if each[0] is ABOVE)
    all_of_them = sum(p * each.count(ABOVE) for p, each in zip(law, given, strict=True))
    return [int(stream.runs * part) for part in (first, all_of_them - first)]


def number_refusals(stream, factor=1.0):
    right = TASK.scales(stream)[2]
    laws = (released_law.fresh(stream, scale, right) for scale in (right, factor * right))
    law, wrong = laws
    level = (1e-6 - TASK.level) / (released_law.TABLES * len(TASK.streams))
    for size in number_of_errors(stream):
        yield from refusals(law, wrong, runs=size, level=level)


def test_at_most_one_right_answer_in_a_million_is_refused():
    # the numbers' tables hold their level whatever the number of numbers; here at the expected one
    transcripts = sum(sum(transcript_refusals(TASK, stream)) for stream in TASK.streams)
    numbers = sum(sum(number_refusals(stream)) for stream in TASK.streams)
    assert transcripts <= TASK.level
    assert numbers <= (sparse_task.FALSE_ALARM - TASK.level) * 2 / 3
    assert sparse_task.FALSE_ALARM == 1e-6


@pytest.mark.parametrize(
    "factors", [(1.25, 1), (0.8, 1), (1, 1.25), (1, 0.8), (1.25, 1.25), (0.8, 0.8)]
)
def test_a_scale_off_by_a_quarter_is_seen_with_power_99_percent(factors):
    power = max(max(transcript_refusals(TASK, stream, factors)) for stream in TASK.streams)
    assert power >= 0.99


@pytest.mark.parametrize("factor", [1.25, 0.8])
def test_fresh_noise_off_by_a_quarter_is_seen_with_power_99_percent(factor):
    power = max(max(number_refusals(stream, factor)) for stream in TASK.streams)
    assert power >= 0.99


@pytest.mark.parametrize("number", [1, 20, 1000])
def test_a_pair_that_convicts_is_right(verdict, number):
    values, neighbour = [0] * number + [1, 1], [1] * number + [0, 0]
    transcript = [BELOW] * number + [ABOVE, ABOVE]
    row = variant("lee_clifton", cutoff=2, epsilon=1.0)
    loss = exact_loss(row, values, neighbour, transcript, threshold=0)
    text = verdict(checks.check_convicting_pair, (values, neighbour, transcript))
    assert text.startswith(f"Right: the log-ratio is {loss:.4f}, more than the ε = 1")
    assert "(1 + 6c)ε/4 = 3.25 for c = 2" in text
    assert 1 < loss < privacy_loss(row) == 3.25


@pytest.mark.parametrize(
    "pair",
    [
        SOLUTION["my_pair"],
        tuple(map(tuple, SOLUTION["my_pair"])),
        (np.zeros(30), np.r_[np.ones(28), -1, -1], [BELOW] * 28 + [ABOVE] * 2),
        ([0] * 30 + [5], [1] * 30 + [4], [BELOW] * 30 + [ABOVE]),  # one ⊤ is enough: 1.75
    ],
)
def test_any_form_of_a_convicting_pair_is_right(verdict, pair):
    assert verdict(checks.check_convicting_pair, pair).startswith("Right: the log-ratio is")


T, B = ABOVE, BELOW


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (([0, 1], [1, 3], [B, T]), "value 2 moves from 1 to 3, by 2, and may move by 1 at most."),
        (([0, 1], [1], [B, T]), "the three lists have 2, 1 and 2 entries;"),
        (([], [], []), "the three lists have 0, 0 and 0 entries;"),
        (([0] * 3, [1] * 3, [T] * 3), "at most two ⊤; your transcript has 3."),
        (([0] * 3, [1] * 3, [T, T, B]), "halts at the second ⊤, answer 2; your transcript goes"),
        (([0, 0], [1, 1], ["⊥", "⊤"]), "a transcript holds ABOVE and BELOW alone; yours has '⊥'."),
        (([0, 0], [1, 1], [B, 0.5]), "a transcript holds ABOVE and BELOW alone; yours has 0.5."),
        (([0, "one"], [1, 1], [B, T]), "the answer is three lists, (values, neighbour, trans"),
        (([0, 0], [1, 1]), "the answer is three lists, (values, neighbour, transcript)"),
        (7, "the answer is three lists, (values, neighbour, transcript)"),
        (([0, math.nan], [1, 1], [B, T]), "every value must be a finite number."),
        (([1] * 9 + [0] * 2, [0] * 9 + [1] * 2, [B] * 9 + [T] * 2), "exchange values and"),
        (([0] * 3, [0] * 3, [B, T, T]), "is 0.0000, and more than 1 is needed. The two streams"),
        (([0] * 9, [1] * 9, [B] * 9), "⊥ alone costs at most ε/4"),
        (([0] * 5, [1] * 5, [B] * 3 + [T] * 2), "Value 4 should go down."),
        (([1] * 5, [0] * 5, [B] * 3 + [T] * 2), "Value 1 should go up."),
        (([0, 5, 5], [1, 5, 5], [B, T, T]), "The values answered ⊤ do not move."),
        (([0, 6, 6], [0, 5, 5], [B, T, T]), "No value answered ⊥ moves."),
        (([0, 6], [1, 5], [B, T]), "There may be a second ⊤"),
        (([0, 1, 1], [0.5, 0.5, 0.5], [B, T, T]), "Let each value move by 1"),
        (([-9, 9, 9], [-8, 8, 8], [B, T, T]), "All moves are as they should be. More ⊥ push"),
    ],
)  # fmt: skip
def test_a_pair_that_does_not_convict_is_told_why(verdict, pair, message):
    text = verdict(checks.check_convicting_pair, pair)
    assert text.startswith("Not yet: ")
    assert message in text


def test_what_the_hints_say_of_the_loss_is_so():
    # ⊥ alone reach 1/4, and a second ⊤ can add 3/2: (1 + 6c)/4 at c = 1 and 2
    row = variant("lee_clifton", cutoff=2, epsilon=1.0)
    below = exact_loss(row, [0], [1], [BELOW], threshold=0, counts=[10**6])
    one = exact_loss(row, [0, 1], [1, 0], [BELOW, ABOVE], threshold=0, counts=[10**6, 1])
    assert math.isclose(below, 0.25, abs_tol=1e-3)
    assert math.isclose(one, 1.75, abs_tol=1e-3)


def test_none_is_not_answered_yet(verdict):
    expected = "Not answered yet: put your answer in place of None, then run this cell again."
    assert verdict(checks.check_convicting_pair, None) == expected


def test_the_solution_has_the_signature_that_the_exercise_states():
    expected = ["data", "queries", "n", "threshold", "cutoff", "shares", "epsilon", "rng"]
    for version in (SOLUTION["my_repaired"], answers.repaired()):
        assert list(inspect.signature(version).parameters) == expected
