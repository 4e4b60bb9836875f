"""Every exercise: its solution is right, its slips are named, and other answers judged rightly."""

import importlib
import inspect
import math
import re
import time
from pathlib import Path

import nbformat
import numpy as np
import pytest

from course_lib.checks.engine import LONGEST, Coding, Exercise, NotYet
from course_lib.checks.laws import FALSE_ALARM, Law, not_cut
from tests.power import law_refusals
from tests.unseen import again

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
    "choosing_a_mechanism",
    "attackers_game",
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


NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("0*.ipynb"))


def answers(kind):
    """The answers of a kind, WRONG or RIGHT, in tests/unseen, each with its exercise."""
    return [
        pytest.param(EXERCISES[f"{stem}.{name}"], answer, id=f"{stem}.{name}-{words}")
        for stem in STEMS
        for name, given in getattr(importlib.import_module(f"tests.unseen.{stem}"), kind).items()
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


@pytest.mark.parametrize("exercise, answer", answers("RIGHT"))
def test_a_right_answer_in_an_unusual_style_is_accepted(exercise, answer):
    exercise.grade(answer)


@pytest.mark.parametrize("exercise, answer", answers("WRONG"))
def test_a_mistake_nobody_listed_is_refused(exercise, answer, monkeypatch):
    monkeypatch.setattr("course_lib.checks.engine.PATIENCE", 0.5)
    right, words = exercise.verdict(answer)
    assert not right and len(words) <= LONGEST


def test_of_mistakes_nobody_listed_two_in_three_get_their_own_sentence():
    verdicts = [
        EXERCISES[f"{stem}.{name}"].verdict(answer)
        for stem, exercises in again.WRONG.items()
        for name, given in exercises.items()
        for answer in given.values()
    ]
    assert not any(right for right, _ in verdicts)
    named = ["it behaves as if" in words for _, words in verdicts]
    shown = ["should" in words or "your line" in words for _, words in verdicts]
    assert np.mean(named) >= 0.65
    assert np.mean(np.logical_or(named, shown)) >= 0.85  # that, or the first case that differs


LAWS = {name: exercise for name, exercise in TO_WRITE.items() if isinstance(exercise, Law)}


@pytest.mark.parametrize("exercise", LAWS.values(), ids=LAWS)
def test_a_law_is_one_and_a_right_answer_is_refused_once_in_a_million(exercise):
    assert all(math.isclose(sum(case.law.values()), 1) for case in exercise.cases)
    alarm = sum(sum(law_refusals(exercise, case, case.law)) for case in exercise.cases)
    assert alarm <= FALSE_ALARM == 1e-6


def test_noise_as_it_is_drawn_is_not_taken_for_cut_or_rounded():
    """Three of 2,000 draws so near each other: the law of small numbers, with ∫ density² = 1/4."""
    near = math.comb(2000, 2) * 2e-10 / 4
    assert near**3 / 6 < 1e-12
    noise = np.random.default_rng(2).laplace(size=2000)
    for whole in (False, True):
        not_cut(noise, at_ends=whole)
        with pytest.raises(NotYet, match="cut off"):
            not_cut(noise.clip(-5, 5), at_ends=whole)
    not_cut(noise.round(4), at_ends=True)  # of whole values this is a number rounded afterwards
    with pytest.raises(NotYet, match="rounded"):
        not_cut(noise.round(4))


class Misplaced:
    """A generator whose draw number `place` from 0 has its scale in the place of loc."""

    def __init__(self, rng, place):
        self.rng, self.place = rng, place

    def laplace(self, scale, size=None):
        self.place -= 1
        given = (scale,) if self.place == -1 else (0.0, scale)
        return self.rng.laplace(*given, size=size)


LAPLACE = {
    name: exercise
    for name, exercise in LAWS.items()
    if "laplace" in inspect.getsource(exercise.solution)
}


@pytest.mark.parametrize("exercise", LAPLACE.values(), ids=LAPLACE)
@pytest.mark.parametrize("place", [0, 1])
def test_one_scale_in_the_place_of_loc_is_named_whatever_else_is_right(exercise, place):
    if place and exercise.name in ("my_release", "my_threshold"):
        return  # they draw once

    def answer(*args, **given):
        if "rng" not in given:
            *args, given["rng"] = args
        given["rng"] = Misplaced(given["rng"], place)
        return exercise.solution(*args, **given)

    right, words = exercise.verdict(answer)
    assert not right and "its first number is loc. Write scale=…" in words


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_three_exercises_one_to_write_one_core_and_the_hints_they_name(path):
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    blocks = re.split(r"^## ", text, flags=re.MULTILINE)
    blocks = [block for block in blocks if block.startswith("Exercise ")]
    assert len(blocks) >= 3 and sum(bool(re.match(r".*\bcore\b", each)) for each in blocks) == 1
    judged = []
    for block in blocks:
        module, name = re.search(r"from (course_lib\.checks\.\w+) import (\w+)", block).groups()
        exercise = getattr(importlib.import_module(module), name)
        judged.append(exercise)
        slips = exercise.slips if isinstance(exercise, Coding) else []
        named = {exercise.hint, *(slip.hint for slip in slips)}
        assert block.count("<summary>Hint") >= max(named), block
        (solution,) = re.findall(r"Solution</summary>\s*```python\n(.*?)```", block, re.DOTALL)
        written = [line for line in solution.strip().splitlines() if not line.startswith("#")]
        assert len(written) <= 15, block
        assert re.search(r"\d+ min", block)
    assert any(isinstance(exercise, Coding) for exercise in judged)
