"""Every exercise: its solution is right, its slips are named, and other answers judged rightly."""

import importlib
import time

import pytest

from course_lib.checks.engine import LONGEST, Coding, Exercise, NotYet

STEMS = (
    "start_here",
    "above_threshold",
    "numeric_sparse",
    "is_it_private",
    "online_ic",
    "sparse_mw",
    "alp",
    "threshold_alp",
    "lecture11_sparse",
    "small_db",
)
EXERCISES = {
    f"{stem}.{exercise.name}": exercise
    for stem in STEMS
    for exercise in vars(importlib.import_module(f"course_lib.checks.{stem}")).values()
    if isinstance(exercise, Exercise)
}
TO_WRITE = {name: each for name, each in EXERCISES.items() if isinstance(each, Coding)}
SLIPS = [
    pytest.param(exercise, slip, function, id=f"{name}-{slip.sentence[:40]}")
    for name, exercise in TO_WRITE.items()
    for slip, function in exercise.wrong
]


def answers(room, kind):
    """The answers of a kind, WRONG or RIGHT, in tests/<room>, each with its exercise."""
    return [
        pytest.param(EXERCISES[f"{stem}.{name}"], answer, id=f"{stem}.{name}-{words}")
        for stem in STEMS
        for name, given in getattr(importlib.import_module(f"tests.{room}.{stem}"), kind).items()
        for words, answer in given.items()
    ]


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_an_empty_exercise_is_no_answer(exercise, capsys):
    stub = {}
    exec(exercise.stub_source(), stub)
    exercise(stub[exercise.name])
    assert capsys.readouterr().out.startswith(("Not answered yet", "Not written yet"))
    with pytest.raises(NotYet):
        exercise.grade(stub[exercise.name])


@pytest.mark.parametrize("exercise", TO_WRITE.values(), ids=TO_WRITE)
def test_the_solution_is_right_in_three_seconds(exercise):
    start = time.process_time()
    exercise.grade(exercise.solution)
    assert time.process_time() - start < 3


@pytest.mark.parametrize("exercise, slip, function", SLIPS)
def test_a_slip_is_named_as_itself(exercise, slip, function):
    right, words = exercise.verdict(function)
    assert not right and slip.sentence in words and len(words) <= LONGEST


@pytest.mark.parametrize("exercise, answer", answers("unseen", "RIGHT"))
def test_a_right_answer_in_an_unusual_style_is_accepted(exercise, answer):
    exercise.grade(answer)


@pytest.mark.parametrize(
    "exercise, answer", answers("unseen", "WRONG") + answers("wrong_answers", "WRONG")
)
def test_a_mistake_nobody_listed_is_refused(exercise, answer, monkeypatch):
    monkeypatch.setattr("course_lib.checks.engine.PATIENCE", 0.5)
    right, words = exercise.verdict(answer)
    assert not right and len(words) <= LONGEST
