"""INSTRUCTORS.md says what is there: scenes, demos, answers to predictions, and minutes."""

import re

import nbformat
import pytest

from tests.class_environment import ROOT
from tests.pictures import figures

TEXT = (ROOT / "INSTRUCTORS.md").read_text(encoding="utf8")
TAUGHT = [
    path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if "_reference" not in path.name
]
OPTION = re.compile(r"<details><summary>([^<]*)</summary>\s*\*\*Right\b")
EXERCISE = re.compile(
    r"^## Exercise (\d+), (core|practice):.*?\*(\d+) minutes", re.MULTILINE | re.DOTALL
)


def section(path):
    """What is said of a notebook, by the words in bold or italics with which each part begins."""
    found = re.search(
        rf"^### {path.name[:2]} · [^\n]*\n(.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL
    )
    parts = re.split(r"^(?:\*\*(\d+)\.\*\*|\*([^*\n]+):\*)", found[1], flags=re.MULTILINE)
    return {
        a or b: " ".join(words.split()) for a, b, words in zip(*[iter(parts[1:])] * 3, strict=True)
    }


def markdown(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def explored(path):
    """The demos of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return set(
        re.findall(r"\bexplore\((\w+)", "\n".join(c.source for c in cells if c.cell_type == "code"))
    )


@pytest.mark.parametrize("path", TAUGHT, ids=lambda path: path.stem)
def test_the_scenes_to_press_are_there(path):
    said = section(path)
    for length in ("10", "45", "75"):
        shown = re.findall(r"`(\w+)`: (\*[^*]+\*(?: · \*[^*]+\*)*)", said[length])
        assert shown or length == "75"
        for name, scenes in shown:
            assert name in explored(path)
            assert set(re.findall(r"\*([^*]+)\*", scenes)) <= set(figures()[name].demo.scenes)


@pytest.mark.parametrize("path", TAUGHT, ids=lambda path: path.stem)
def test_of_every_demo_it_says_what_students_believe(path):
    assert set(re.findall(r"- `(\w+)`: ", section(path)["Not so"])) == explored(path)


@pytest.mark.parametrize("path", TAUGHT, ids=lambda path: path.stem)
def test_the_answers_to_predictions_are_those_of_the_notebook(path):
    assert section(path)["Answers"].split(" · ") == OPTION.findall(markdown(path))


@pytest.mark.parametrize("path", TAUGHT, ids=lambda path: path.stem)
def test_exercises_and_their_minutes_are_those_of_the_notebook(path):
    found = [
        f"{n} {kind}, {minutes} minutes" for n, kind, minutes in EXERCISE.findall(markdown(path))
    ]
    assert section(path)["Exercises"].split(" · ") == found


def test_its_links_lead_somewhere():
    headings = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
    anchors = {title.lower().replace(" ", "-") for title in headings}
    assert set(re.findall(r"\(#([^)]*)\)", TEXT)) <= anchors
