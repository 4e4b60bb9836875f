"""Write handouts: a student edition, a solutions edition, and an assignment for nbgrader.

  student/             the notebooks without solutions, and without answers to predictions
  solutions/           the same with the solutions filled in, run to the end
  assignment/source/   the student edition with exercises that nbgrader grades by itself

The exercises are found by their solution cells, which stand right below the stub. What is written
depends on the notebooks alone, so that writing it twice gives the same files.
"""

import ast
import functools
import re
import tempfile
from pathlib import Path

import nbformat

from tools.publish.build import Problem, ran, say
from tools.refresh import normalise

FOLDED = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>\s*", re.DOTALL)
MINUTES = re.compile(r"\*(\d+) minutes\.\*")
CHECKED = "## The numbers of this notebook, checked"


def write(notebooks, folder):
    """Write all three editions of the notebooks into a folder that does not exist yet."""
    if folder.exists():
        raise Problem(f"{folder} exists: remove it, or move it away, and start again.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".handout-") as aside:
        aside = Path(aside) / folder.name
        for path in notebooks:
            say(f"{path.name}: student, solutions, assignment", passing=True)
            save(student(read(path)), aside / "student" / path.name)
            done = ran(path, solved(read(path)))
            normalise(done)
            save(done, aside / "solutions" / path.name)
            place = aside / "assignment" / "source" / path.stem / path.name
            save(assignment(read(path)), place)
        aside.replace(folder)
    return folder


def read(path):
    return nbformat.read(path, as_version=4)


def save(notebook, path):
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:03d}"
    nbformat.validate(notebook)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def exercises(notebook):
    """Of each exercise: the cell with its stub, its solution, and its minutes."""
    minutes = 0
    for cell, below in zip(notebook.cells, notebook.cells[1:], strict=False):
        if cell.cell_type == "markdown":
            minutes = int((MINUTES.findall(cell.source) or [minutes])[-1])
        if "solution" in below.metadata:
            yield cell, re.search(r"```python\n(.*?)\n```", below.source, re.DOTALL)[1], minutes


def student(notebook):
    """Without solutions, answers, and the last section, whose numbers would tell them."""
    kept, in_recall, in_last = [], False, False
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.match("#+ ", cell.source):
            in_recall, in_last = (
                cell.source.startswith("## Recall"),
                cell.source.startswith(CHECKED),
            )
        if in_last or "solution" in cell.metadata:
            continue
        if cell.cell_type == "markdown":
            asked = functools.partial(question, in_recall=in_recall)
            cell.source = FOLDED.sub(asked, cell.source).strip()
        kept.append(cell)
    notebook.cells = kept
    return notebook


def question(found, in_recall):
    """What a student sees of a part that unfolds: a hint as it is, of an answer what is asked."""
    is_answer = in_recall or found[2].lstrip().startswith("**")
    return f"- {found[1]}\n" if is_answer else found[0]


def solved(notebook):
    """With each solution in the place of its stub, and nothing folded that repeats it."""
    for cell, solution, _ in exercises(notebook):
        before, _, after = parts(cell.source, solution)
        cell.source = f"{before}{solution}{after}"
    notebook.cells = [cell for cell in notebook.cells if "solution" not in cell.metadata]
    return notebook


def assignment(notebook):
    """The student edition, its exercises in the cells and with the metadata of nbgrader."""
    found = {id(cell): (solution, minutes) for cell, solution, minutes in exercises(notebook)}
    cells = []
    for cell in student(notebook).cells:
        cells += graded(cell, *found[id(cell)]) if id(cell) in found else [cell]
    notebook.cells = cells
    return notebook


def graded(cell, solution, points):
    """A cell to fill in, one that tells the verdict, and one that grades."""
    before, stub, after = parts(cell.source, solution)
    check, answer = re.search(r"(check_\w+)\((\w+)\)", after).groups()
    fill = nbformat.v4.new_code_cell(f"{before}{marked(stub, solution)}")
    tell = nbformat.v4.new_code_cell(f"{check}({answer})")
    grade = nbformat.v4.new_code_cell(f"{check}.grade({answer})")
    fill.metadata.nbgrader = described(answer, solution=True, grade=False, locked=False)
    described_grade = described(check, solution=False, grade=True, locked=True)
    grade.metadata.nbgrader = described_grade | {"points": points}
    return fill, tell, grade


def described(name, **roles):
    return {"schema_version": 3, "grade_id": name, "task": False, **roles}


def parts(source, solution):
    """What stands before the stub in its cell, the stub, and what comes after it."""
    name = named(last(solution))
    node = next(node for node in ast.parse(source).body if named(node) == name)
    lines = source.splitlines(keepends=True)
    first, end = node.lineno - 1, node.end_lineno
    return (
        "".join(lines[:first]),
        "".join(lines[first:end]).rstrip("\n"),
        "\n" + "".join(lines[end:]),
    )


def last(source):
    return ast.parse(source).body[-1]


def named(node):
    """What a function or an assignment gives a name to."""
    return getattr(node, "name", None) or getattr(getattr(node, "targets", [None])[0], "id", None)


def marked(stub, solution):
    """The stub with the solution between the marks at which nbgrader cuts it out."""
    node = last(solution)
    if isinstance(node, ast.Assign):
        return f"{stub}\n### BEGIN SOLUTION\n{solution}\n### END SOLUTION"
    head = stub[: stub.rindex("raise NotImplementedError")].rstrip(" ")
    body = [inner for inner in node.body if not is_docstring(inner)]
    lines = solution.splitlines()
    first = body[0].lineno - 1
    while lines[first - 1].lstrip().startswith("#") and first > node.lineno:
        first -= 1
    code = "\n".join(lines[first : node.end_lineno])
    return f"{head}    ### BEGIN SOLUTION\n{code}\n    ### END SOLUTION"


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
