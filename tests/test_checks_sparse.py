"""The checks of both sparse vector exercises accept right answers, and name what is wrong."""

import inspect
import runpy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from course_lib.checks import numeric_sparse, repaired
from course_lib.checks.sparse_task import Task
from tests.power import transcript_refusals
from tests.wrong_answers import repaired as repaired_answers
from tests.wrong_answers import sparse as sparse_answers
from tests.wrong_answers.repaired_dependent import WRONG_DEPENDENT

SOLUTIONS = Path(__file__).parents[1] / "notebooks" / "solutions"


@dataclass(frozen=True)
class Exercise:
    """A check, its task, and answers to it."""

    check: Callable
    task: Task
    solution: Callable
    parameters: list
    praise: str
    right: dict
    wrong: dict


SPLIT = Exercise(
    check=numeric_sparse.check_sparse_split,
    task=numeric_sparse.TASK,
    solution=runpy.run_path(str(SOLUTIONS / "numeric_sparse.py"))["my_sparse"],
    parameters=["threshold", "cutoff", "share", "epsilon"],
    praise="Right: in 15,000 runs on 3 streams, with different c, share and ε, your answers come "
    "as often as they should. (At most one right answer in 1,000,000 is refused.)",
    right=sparse_answers.RIGHT,
    wrong=sparse_answers.WRONG_NOISE | sparse_answers.WRONG_FORM,
)
REPAIRED = Exercise(
    check=repaired.check_repaired,
    task=repaired.TASK,
    solution=runpy.run_path(str(SOLUTIONS / "is_it_private.py"))["my_repaired"],
    parameters=["n", "threshold", "cutoff", "shares", "epsilon"],
    praise="Right: in 16,000 runs on 3 streams, with different n, c, shares and ε, your ⊥ and your "
    "numbers come as often as they should. (At most one right answer in 1,000,000 is refused.)",
    right=repaired_answers.RIGHT,
    wrong=repaired_answers.WRONG_NOISE | WRONG_DEPENDENT | repaired_answers.WRONG_FORM,
)
EXERCISES = {"split": SPLIT, "repaired": REPAIRED}
BOTH = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)


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


@BOTH
def test_the_solution_is_right_within_three_seconds(verdict, exercise):
    start = time.process_time()
    assert verdict(exercise.check, exercise.solution) == exercise.praise
    assert time.process_time() - start < 3


@versions("right")
def test_right_answers_in_unusual_styles_are_right(verdict, exercise, name):
    text = verdict(exercise.check, exercise.right[name])
    remark = text.removeprefix(exercise.praise)
    assert remark != text
    if name in sparse_answers.REMARKS:
        assert remark.startswith(f" A remark: {sparse_answers.REMARKS[name]}")
    else:
        assert remark == ""


@versions("wrong")
def test_each_known_wrong_answer_is_named(verdict, exercise, name):
    version, message = exercise.wrong[name]
    text = verdict(exercise.check, version)
    assert text.startswith("Not yet: ")
    assert message in text
    assert "Traceback" not in text


@BOTH
def test_there_is_a_message_for_each_kind_of_slip(exercise):
    assert len({message for _, message in exercise.wrong.values()}) > 30


def stub(data, queries, **parameters):
    raise NotImplementedError


def stub_that_yields(data, queries, **parameters):
    raise NotImplementedError
    yield


@BOTH
@pytest.mark.parametrize("version", [stub, stub_that_yields])
def test_a_stub_is_not_written_yet(verdict, exercise, version):
    assert verdict(exercise.check, version).startswith("Not written yet: fill in stub")


@BOTH
def test_a_verdict_is_the_same_each_time(verdict, exercise):
    first, second = (verdict(exercise.check, exercise.wrong["a quarter more"][0]) for _ in range(2))
    assert first == second
    assert "; it should be" in first


@BOTH
def test_the_solution_has_the_signature_that_the_exercise_states(exercise):
    expected = ["data", "queries", *exercise.parameters, "rng"]
    assert list(inspect.signature(exercise.solution).parameters) == expected


@BOTH
@pytest.mark.parametrize(
    "factors", [(1.25, 1), (0.8, 1), (1, 1.25), (1, 0.8), (1.25, 1.25), (0.8, 0.8)]
)
def test_a_scale_off_by_a_quarter_is_seen_with_power_99_percent(exercise, factors):
    task = exercise.task
    power = max(max(transcript_refusals(task, stream, factors)) for stream in task.streams)
    assert power >= 0.99
