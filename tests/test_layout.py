"""The shape of the package: who may import whom, what every mechanism says of itself."""

import ast
import importlib
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
    threshold_alp,
    toolbox,
)
from tests.pictures import figures
from tools.house import files, notebook_of, room_of, used

ROOT = Path(__file__).resolve().parent.parent
IMPORTS = ast.Import | ast.ImportFrom
PACKAGE = ROOT / "course_lib"
FILES = sorted(PACKAGE.rglob("*.py"))
SLIDES = {
    "toolbox", "above_threshold", "numeric_sparse", "lecture11_sparse", "linear_queries",
    "small_db", "online_ic", "sparse_mw", "alp", "threshold_alp",
}  # fmt: skip
CORE = ("support", "slides", "exact", "lab")
MAY_IMPORT = {
    "support": ("support",),
    "slides": ("support", "slides"),
    "exact": ("support", "slides", "exact"),
    "lab": CORE,
    "demos": (*CORE, "demos"),
    "checks": (*CORE, "checks"),
}
CORE_MAY_IMPORT = {"numpy", "scipy", "tqdm", "course_lib"}
SHARED_DEMOS = {"attackers_game", "drawing", "game_table", "panel", "picture", "stream", "words"}

# names of parameters that a module, a room or a function of the core has too
SAME_NAME = {
    "confidence": "lab/confidence.py computes intervals at a confidence",
    "counts": "how often queries repeat; linear_queries.counts answers counting queries",
    "data": "lab/data.py holds the data that a mechanism is given",
    "sparse": "the sparse vector that OnlineIC runs; Sparse is one of them",
    "support": "the lecture's word for the m of an m-sparse query",
    "trials": "lab/trials.py runs that many trials",
    "noise": "lab/noise.py gives it, or records it",
}
NAMED_BUT_NOT_OURS = {"mechanism/multiqueries.py"}


def room(path):
    folder = path.relative_to(PACKAGE).parts[0]
    return folder if folder in MAY_IMPORT else "slides"


def in_rooms(*rooms):
    return pytest.mark.parametrize(
        "path",
        [path for path in FILES if room(path) in rooms],
        ids=lambda path: path.relative_to(PACKAGE).as_posix(),
    )


def test_the_ground_floor_holds_the_slides_and_nothing_else():
    ground_floor = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert ground_floor == SLIDES
    folders = {path.relative_to(PACKAGE).parts[0] for path in FILES if path.parent != PACKAGE}
    assert folders | {"slides"} == set(MAY_IMPORT)


@in_rooms(*MAY_IMPORT)
def test_imports_go_one_way(path):
    """support ← slides ← exact ← lab ← demos, checks; demos and checks do not know each other."""
    for name in used(path):
        assert not name.startswith("."), f"imports are absolute: {name}"
        assert name.split(".")[0] not in ("notebooks", "tools", "tests", "benchmarks"), name
        assert room_of(name) in (None, *MAY_IMPORT[room(path)]), name


@pytest.mark.parametrize("path", files("notebooks"), ids=lambda path: path.stem)
def test_a_notebook_takes_demos_and_checks_of_its_own(path):
    for name in used(path):
        top, *parts = name.split(".")
        assert top not in ("notebooks", "tools", "tests", "benchmarks"), name
        if top == "course_lib" and parts[0] in ("demos", "checks") and parts[1] not in SHARED_DEMOS:
            assert notebook_of(PACKAGE / parts[0] / f"{parts[1]}.py") == notebook_of(path), name


@in_rooms(*CORE)
def test_the_core_needs_numpy_scipy_and_a_progress_bar_alone(path):
    for name in used(path):
        top = name.split(".")[0]
        assert top in CORE_MAY_IMPORT or top in sys.stdlib_module_names, name


def module_of(path):
    return importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))


def is_a_mechanism(value):
    """It draws noise, or it learns: a function that takes an rng, a class with an update."""
    if inspect.isclass(value):
        return hasattr(value, "update")
    return inspect.isfunction(value) and "rng" in inspect.signature(value).parameters


MECHANISMS = {
    f"{module.__name__}.{name}"
    for module in (module_of(path) for path in FILES if room(path) in CORE)
    for name, value in vars(module).items()
    if room_of(getattr(value, "__module__", None) or "") in ("support", "slides", "exact")
    and is_a_mechanism(value)
}


def taken(path):
    """What a demo or a check takes that lab or exact should do, or that another notebook owns."""
    found = set()
    for name in used(path):
        parts = name.split(".")
        if parts[0] == "random" or parts[:2] == ["numpy", "random"]:
            found.add(".".join(parts[: parts.index("random") + 1]))
        elif parts[0] == "scipy" and (room(path) == "demos" or parts[-1] == "rvs"):
            found.add("scipy")
        elif name in MECHANISMS:
            found.add(name.removeprefix("course_lib."))
        elif parts[:2] == ["course_lib", "demos"] and parts[2] not in SHARED_DEMOS:
            if notebook_of(PACKAGE / "demos" / f"{parts[2]}.py") != notebook_of(path):
                found.add(".".join(parts[1:4]))
    return sorted(found)


TAKEN = {
    path.relative_to(PACKAGE).as_posix(): taken(path)
    for path in FILES
    if room(path) in ("demos", "checks")
}


@pytest.mark.parametrize("file", TAKEN)
def test_a_demo_draws_and_a_check_judges(file):
    """No SciPy in a demo, no numpy.random, no mechanism but through lab, no other's demos."""
    assert not TAKEN[file]


@in_rooms("demos")
def test_a_demo_belongs_to_one_notebook_or_serves_all(path):
    if path.stem != "__init__":
        assert (notebook_of(path) is None) == (path.stem in SHARED_DEMOS)


TREES = {path: ast.parse(path.read_text(encoding="utf8")) for path in FILES if room(path) in CORE}
FUNCTIONS = {
    node.name for tree in TREES.values() for node in tree.body if isinstance(node, ast.FunctionDef)
}


def parameters(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = node.args
            yield from (each.arg for each in given.posonlyargs + given.args + given.kwonlyargs)


def test_a_parameter_is_called_like_no_module_and_no_function():
    modules = {path.stem for path in TREES} | set(CORE)
    names = {name for tree in TREES.values() for name in parameters(tree)}
    assert names & (modules | FUNCTIONS) == set(SAME_NAME)
    assert not names & modules & FUNCTIONS


def test_the_pages_name_files_and_functions_that_exist():
    known = FUNCTIONS | {path.stem for path in files("notebooks")} | set(figures())
    known |= {"check_captions"}
    missing = set()
    for page in ("README.md", "CONTRIBUTING.md", "ERRATA.md"):
        text = (ROOT / page).read_text(encoding="utf8")
        for name in re.findall(r"`(\w[\w/.]*)`", text):
            if name.startswith("build/"):  # what commands write
                there = True
            elif "/" in name or name.endswith(".py"):
                there = (ROOT / name).exists() or (PACKAGE / name).exists()
            else:
                there = name in known or not re.fullmatch(r"[a-z0-9]+_\w+", name)
            if not there:
                missing.add(name)
    assert missing == NAMED_BUT_NOT_OURS


def test_package_files_are_empty():
    assert not any(path.read_text(encoding="utf8") for path in PACKAGE.rglob("__init__.py"))


def keeps_everything(function):
    """Whether the results of a function of parameters are kept without a limit."""
    takes = ast.unparse(function.args)
    kept = [ast.unparse(each) for each in function.decorator_list if "cache" in ast.unparse(each)]
    return takes not in ("", "self") and not all(
        re.search("maxsize=(?!None)", each) for each in kept
    )


def test_what_is_kept_for_parameters_has_a_limit():
    """A slider has many stops, and a session many sliders."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.FunctionDef):
                assert not keeps_everything(node), f"{path.name}: {node.name}"


def blocks(path, length):
    """All runs of so many lines of code of a file; imports, comments and blank lines are none."""
    text = path.read_text(encoding="utf8")
    tree = ast.parse(text if path.suffix == ".py" else "")
    parts = [node for node in ast.walk(tree) if isinstance(node, IMPORTS)]
    left_out = {i for node in parts for i in range(node.lineno, node.end_lineno + 1)}
    lines = [(i, line.strip()) for i, line in enumerate(text.splitlines(), 1) if i not in left_out]
    lines = [(i, line) for i, line in lines if re.search(r"\w", line.partition("#")[0])]
    for some in zip(*(lines[i:] for i in range(length)), strict=False):
        yield f"{path.relative_to(ROOT)}:{some[0][0]}", tuple(line for _, line in some)


def test_no_block_of_six_lines_stands_twice_to_the_letter():
    places = {}
    kinds = {".py", ".js", ".css", ".html"}
    for folder in ("course_lib", "tests", "tools", "benchmarks"):
        for path in (path for path in (ROOT / folder).rglob("*") if path.suffix in kinds):
            for place, lines in blocks(path, 6):
                places.setdefault(lines, []).append(place)
    assert [found for found in places.values() if len(found) > 1] == []


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
        threshold_alp.threshold_release,
        threshold_alp.threshold_alp_projection,
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
