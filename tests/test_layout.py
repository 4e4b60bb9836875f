"""The shape of the package: who may import whom, what every mechanism says of itself."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib import (
    above_threshold,
    alp,
    lecture11_sparse,
    numeric_sparse,
    online_ic,
    small_db,
    toolbox,
)

PACKAGE = Path(__file__).resolve().parent.parent / "course_lib"
LAYERS = {"support": 0, "slides": 1, "exact": 2, "lab": 3, "demos": 4, "checks": 4}
CORE_MAY_IMPORT = {"numpy", "scipy", "tqdm", "course_lib"}
FILES = sorted(PACKAGE.rglob("*.py"))


def layer(path):
    folder = path.relative_to(PACKAGE).parts[0]
    return folder if folder in LAYERS else "slides"


def imported(path):
    """The modules that a file imports, by their full names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path):
    """support ← slides ← exact ← lab ← demos, checks; demos and checks do not know each other."""
    for name in imported(path):
        if name.startswith("course_lib."):
            other = name.split(".")[1]
            other = other if other in LAYERS else "slides"
            assert LAYERS[other] < LAYERS[layer(path)] or other == layer(path), name


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if layer(path) in ("support", "slides", "exact")],
    ids=lambda p: p.stem,
)
def test_the_core_needs_numpy_scipy_and_a_progress_bar_alone(path):
    for name in imported(path):
        top = name.split(".")[0]
        assert top in CORE_MAY_IMPORT or top in sys.stdlib_module_names, name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_package_files_are_empty(path):
    text = path.read_text(encoding="utf8")
    assert path.name != "__init__.py" or not text


@pytest.mark.parametrize("words", [["check"], ["format", "--check"]], ids=lambda words: words[0])
def test_ruff_has_nothing_to_say(words):
    run = subprocess.run(
        [sys.executable, "-m", "ruff", *words, "--quiet", "--no-cache", str(PACKAGE.parent)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize(
    "mechanism",
    [
        above_threshold.above_threshold,
        numeric_sparse.sparse,
        numeric_sparse.numeric_sparse,
        lecture11_sparse.sparse_as_printed,
        lecture11_sparse.sparse_repaired,
        small_db.small_db,
        online_ic.online_ic,
        alp.alp_projection,
        alp.threshold_release,
        alp.threshold_alp_projection,
        toolbox.laplace_mechanism,
        toolbox.exponential_mechanism,
        toolbox.report_noisy_max,
        toolbox.randomised_response,
    ],
)
def test_a_mechanism_states_privacy_accuracy_and_notebook(mechanism):
    text = inspect.getdoc(mechanism)
    for word in ("Privacy:", "Accuracy:", "Notebook:"):
        assert re.search(rf"^{word} ", text, re.MULTILINE), word
