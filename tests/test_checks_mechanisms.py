"""The checks of the mechanism exercises accept every right answer, and name what is wrong."""

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from course_lib.checks import above_threshold, numeric_sparse, repaired
from course_lib.checks.solutions.above_threshold import my_above_threshold
from course_lib.checks.solutions.is_it_private import my_repaired
from course_lib.checks.solutions.numeric_sparse import my_sparse
from tests.power import transcript_refusals
from tests.wrong_answers import above_threshold as above_threshold_answers
from tests.wrong_answers import (
    above_threshold_form,
    above_threshold_right,
    repaired_form,
    repaired_right,
    sparse_form,
    sparse_right,
)
from tests.wrong_answers import repaired as repaired_answers
from tests.wrong_answers import sparse as sparse_answers
from tests.wrong_answers.repaired_dependent import WRONG_DEPENDENT

REMARKS = sparse_right.REMARKS | {"one array of scales": "your function needs the whole stream"}


@dataclass(frozen=True)
class Exercise:
    """A check, what it says of the solution, and other answers to it."""

    check: Callable
    solution: Callable
    parameters: list
    result: str
    right: dict
    wrong: dict

    @property
    def praise(self):
        alarm = "(At most one right answer in 1,000,000 is refused.)"
        return f"Right: in {self.result}. {alarm}"


EXERCISES = {
    "above_threshold": Exercise(
        check=above_threshold.check_above_threshold,
        solution=my_above_threshold,
        parameters=["threshold", "sensitivity", "epsilon"],
        result="28,000 runs on 3 streams, with different Δ and ε, your first ⊤ comes where "
        "it should",
        right=above_threshold_right.RIGHT,
        wrong=above_threshold_answers.WRONG_NOISE | above_threshold_form.WRONG_FORM,
    ),
    "split": Exercise(
        check=numeric_sparse.check_sparse_split,
        solution=my_sparse,
        parameters=["threshold", "cutoff", "share", "epsilon"],
        result="15,000 runs on 3 streams, with different c, share and ε, your answers come "
        "as often as they should",
        right=sparse_right.RIGHT,
        wrong=sparse_answers.WRONG_NOISE | sparse_form.WRONG_FORM,
    ),
    "repaired": Exercise(
        check=repaired.check_repaired,
        solution=my_repaired,
        parameters=["n", "threshold", "cutoff", "shares", "epsilon"],
        result="16,000 runs on 3 streams, with different n, c, shares and ε, your ⊥ and your "
        "numbers come as often as they should",
        right=repaired_right.RIGHT,
        wrong=repaired_answers.WRONG_NOISE | WRONG_DEPENDENT | repaired_form.WRONG_FORM,
    ),
}
EACH = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)


def versions(which):
    """Each version of each exercise, right or wrong."""
    return pytest.mark.parametrize(
        ("exercise", "name"),
        [
            pytest.param(exercise, name, id=f"{key}: {name}")
            for key, exercise in EXERCISES.items()
            for name in getattr(exercise, which)
        ],
    )


@EACH
def test_the_solution_is_right_within_three_seconds(verdict, exercise):
    start = time.process_time()
    assert verdict(exercise.check, exercise.solution) == exercise.praise
    assert time.process_time() - start < 3


@versions("right")
def test_right_answers_in_unusual_styles_are_right(verdict, exercise, name):
    text = verdict(exercise.check, exercise.right[name])
    remark = text.removeprefix(exercise.praise)
    assert remark != text
    if name in REMARKS:
        assert remark.startswith(f" A remark: {REMARKS[name]}")
    else:
        assert remark == ""


@versions("wrong")
def test_each_known_wrong_answer_is_named(verdict, exercise, name):
    version, message = exercise.wrong[name]
    text = verdict(exercise.check, version)
    assert text.startswith("Not yet: ")
    assert message in text
    assert "Traceback" not in text


@EACH
def test_there_is_a_message_for_each_kind_of_slip(exercise):
    assert len({message for _, message in exercise.wrong.values()}) > 25


def stub(data, queries, **parameters):
    raise NotImplementedError


def stub_that_yields(data, queries, **parameters):
    raise NotImplementedError
    yield


@EACH
@pytest.mark.parametrize("version", [stub, stub_that_yields])
def test_a_stub_is_not_written_yet(verdict, exercise, version):
    assert verdict(exercise.check, version).startswith("Not written yet: fill in stub")


@EACH
def test_a_verdict_is_the_same_each_time(verdict, exercise):
    first, second = (verdict(exercise.check, exercise.wrong["a quarter more"][0]) for _ in range(2))
    assert first == second
    assert "; it should be" in first


@EACH
def test_the_solution_has_the_signature_that_the_exercise_states(exercise):
    expected = ["data", "queries", *exercise.parameters, "rng"]
    assert list(inspect.signature(exercise.solution).parameters) == expected


@pytest.mark.parametrize("task", [numeric_sparse.TASK, repaired.TASK], ids=["split", "repaired"])
@pytest.mark.parametrize(
    "factors", [(1.25, 1), (0.8, 1), (1, 1.25), (1, 0.8), (1.25, 1.25), (0.8, 0.8)]
)
def test_a_scale_off_by_a_quarter_is_seen_with_power_99_percent(task, factors):
    power = max(max(transcript_refusals(task, stream, factors)) for stream in task.streams)
    assert power >= 0.99
