"""Bring the notebooks up to date: solutions, format, outputs.  python tools/refresh.py [01 …]

Solutions are copied from course_lib/checks/solutions/<stem>.py into the folded cells that name
them, as `my_rule` or, from another stem, as `attackers_game.my_rule`; the code is formatted, every
cell is run, and what differs from run to run is removed. Running it twice changes nothing the
second time.
"""

import ast
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
SOLUTIONS = ROOT / "course_lib" / "checks" / "solutions"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def solution(stem, name):
    """The source of the function or assignment called `name`, or `stem.name`, in the solutions."""
    *other, name = name.split(".")
    stem = other[0] if other else stem
    source = (SOLUTIONS / f"{stem}.py").read_text(encoding="utf8")
    for node in ast.parse(source).body:
        names = [node.name] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets]
        if name in names:
            lines = source.splitlines()
            first = node.lineno - 1
            while first and lines[first - 1].startswith("#"):  # its comment belongs to it
                first -= 1
            return "\n".join(lines[first : node.end_lineno])
    raise LookupError(f"{SOLUTIONS / stem}.py defines no {name}")


def fill_solutions(notebook, stem):
    """Write each solution into the cell whose metadata asks for it."""
    for cell in notebook.cells:
        if "solution" in cell.metadata:
            code = solution(stem, cell.metadata["solution"])
            cell.source = (
                f"<details><summary>Solution</summary>\n\n```python\n{code}\n```\n\n</details>"
            )


def normalise(notebook):
    """Drop what is stale in a stored notebook or differs between two runs."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02d}"
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)


def joined(outputs):
    """The outputs with what was printed in one piece, however it arrived."""
    whole = []
    for output in outputs:
        if whole and "name" in output and output.name == whole[-1].get("name"):
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def refresh(path):
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", path], check=True)
    notebook = nbformat.read(path, as_version=4)
    fill_solutions(notebook, path.stem.split("_", 1)[1])
    NotebookClient(notebook, kernel_name="python3", timeout=120).execute(cwd=str(NOTEBOOKS))
    normalise(notebook)
    nbformat.validate(notebook)
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if len(sys.argv) == 1 or path.name.startswith(tuple(sys.argv[1:])):
            refresh(path)
            print(path.name)
