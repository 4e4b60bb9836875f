"""Handouts: what students get, what runs, and what nbgrader makes of right and wrong answers."""

import ast
import filecmp
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from tests.class_environment import ROOT, missing, programs, run
from tools.publish import handout
from tools.publish.build import Problem

NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
WITH_EXERCISES = [path for path in NOTEBOOKS if list(handout.exercises(handout.read(path)))]
MODEL = ROOT / "notebooks" / "01_above_threshold.ipynb"
# One wrong answer for each exercise of the model: what stands there, and what is put in its place.
WRONG = [
    ("scale=4 *", "scale=2 *"),
    ("1000**2", "1000**3"),
    ('which_test = "c"', 'which_test = "a"'),
]
SCORES = """from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    for done in book.assignment_submissions("01_above_threshold"):
        print(done.student.id, *(g.score for n in done.notebooks for g in n.grades))"""
pytestmark = pytest.mark.slow


def code(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def text(notebook):
    return "\n".join(cell.source for cell in notebook.cells)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """All editions of the model."""
    folder = tmp_path_factory.mktemp("handout") / "there"
    handout.write([MODEL], folder)
    return folder


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda path: path.stem)
def test_a_student_sees_no_solution_and_no_answer_and_runs_the_same_code(path):
    notebook, theirs = handout.read(path), handout.student(handout.read(path))
    for _, solution, minutes in handout.exercises(notebook):
        assert solution not in text(theirs)
        assert minutes
    assert not re.search(r"\*\*(Right|No|Not quite)[.]\*\*", text(theirs))
    assert "## The numbers of this notebook, checked" not in text(theirs)
    assert text(theirs).count("<summary>Hint") == text(notebook).count("<summary>Hint")
    # nbval runs the notebook's own cells, of which these are all but the last, so they run too
    assert code(theirs) == code(notebook)[: len(code(theirs))]


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda path: path.stem)
def test_every_solution_takes_the_place_of_its_stub(path):
    notebook = handout.read(path)
    solutions = [solution for _, solution, _ in handout.exercises(notebook)]
    filled = code(handout.solved(notebook))
    for solution in solutions:
        assert sum(solution in cell for cell in filled) == 1
    assert not any("raise NotImplementedError" in cell for cell in filled)


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda path: path.stem)
def test_every_exercise_is_graded_by_its_minutes(path):
    minutes = [minutes for *_, minutes in handout.exercises(handout.read(path))]
    made = handout.assignment(handout.read(path))
    cells = [cell for cell in made.cells if "nbgrader" in cell.metadata]
    fills = [cell for cell in cells if cell.metadata.nbgrader.solution]
    grades = [cell for cell in cells if cell.metadata.nbgrader.grade]
    assert [cell.metadata.nbgrader.points for cell in grades] == minutes
    assert len({cell.metadata.nbgrader.grade_id for cell in cells}) == len(cells)
    for fill, grade in zip(fills, grades, strict=True):
        ast.parse(fill.source)
        assert fill.source.count("### BEGIN SOLUTION") == 1
        assert re.fullmatch(r"check_\w+\.grade\(\w+\)", grade.source)


def test_the_solutions_are_right_and_the_student_edition_is_that_of_the_notebook(written):
    done = nbformat.read(written / "solutions" / MODEL.name, as_version=4)
    verdicts = [
        "".join(output.get("text", "") for output in cell.outputs)
        for cell in done.cells
        if cell.cell_type == "code" and "check_" in cell.source
    ]
    assert len(verdicts) == 3
    assert all(verdict.startswith("✓") for verdict in verdicts)


def test_a_handout_written_twice_is_the_same(written, tmp_path):
    handout.write([MODEL], tmp_path / "again")
    files = [file.relative_to(written) for file in written.rglob("*.ipynb")]
    assert len(files) == 3
    assert filecmp.cmpfiles(written, tmp_path / "again", files, shallow=False)[0] == files


def handed_out(*arguments):
    command = [sys.executable, "-m", "tools.publish", "handout", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_an_unknown_notebook_is_told_in_one_sentence():
    done = handed_out("77")
    assert done.returncode == 1
    assert done.stderr.startswith("There is no notebook '77'; ")
    assert done.stderr.count("\n") == 1


def test_a_folder_that_exists_is_left_as_it_is(tmp_path):
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(Problem, match="exists: remove it"):
        handout.write([MODEL], tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_of_a_notebook_that_fails_nothing_is_written(tmp_path):
    path = tmp_path / "12_broken.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("no_such_name")])
    nbformat.write(notebook, path)
    with pytest.raises(Problem, match="12_broken.ipynb: cell 1.*NameError"):
        handout.write([path], tmp_path / "there")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_nbgrader_gives_full_marks_to_the_solutions_and_none_to_blanks_and_mistakes(
    written, tmp_path
):
    if missing():
        pytest.skip(missing())
    shutil.copytree(written / "assignment", tmp_path, dirs_exist_ok=True)
    there = {"cwd": tmp_path, "env": {"PATH": f"{programs()}:/usr/bin:/bin", "HOME": str(tmp_path)}}
    name = MODEL.stem
    run("nbgrader", "generate_assignment", name, "--create", **there)
    source = tmp_path / "source" / name / MODEL.name
    mistaken = source.read_text(encoding="utf8")
    for right, wrong in WRONG:
        right, wrong = (part.replace('"', '\\"') for part in (right, wrong))
        assert mistaken.count(right) == 1
        mistaken = mistaken.replace(right, wrong)
    blank = (tmp_path / "release" / name / MODEL.name).read_text(encoding="utf8")
    answers = {"right": source.read_text(encoding="utf8"), "blank": blank, "wrong": mistaken}
    for student, answer in answers.items():
        place = tmp_path / "submitted" / student / name / MODEL.name
        place.parent.mkdir(parents=True)
        place.write_text(answer, encoding="utf8")
    run("nbgrader", "autograde", name, **there)
    scores = dict(
        line.split(maxsplit=1)
        for line in run("python", "-W", "ignore", "-c", SCORES, **there).splitlines()
    )
    assert scores == {"right": "12.0 8.0 8.0", "blank": "0.0 0.0 0.0", "wrong": "0.0 0.0 0.0"}
