"""One mutation per topic, so that tests/mutations.py cannot rot; the rest run on demand."""

import ast
import multiprocessing
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import pytest

if sys.platform != "linux":
    pytest.skip("tests/mutations.py is for Linux", allow_module_level=True)

from tests import mutations
from tests.mutations import ROOT, TESTS, changes, in_forks, measure, mutants, survives

pytestmark = pytest.mark.slow


def alone(function, *args):
    """Called in a fresh process: a fork of one with threads, as pytest's is here, may hang."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *args).result()


def forked(function, job, patience=600):
    ((_, result),) = in_forks(function, [job], patience=patience)
    return result


def noticed(mutant, *, seconds=600):
    """Whether some test of its file fails, without a choice among them."""
    return not alone(forked, survives, (mutant, None, seconds))


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("toolbox.py", "2 becomes 3 in “noisy = "),
        ("above_threshold.py", "4 becomes 5 in “noise = rng.laplace(scale=4 / epsilon)”"),
        ("numeric_sparse.py", "2 becomes 3 in “noise = rng.laplace(scale=2 * scale)”"),
        ("lecture11_sparse.py", "6 becomes 7 in “noise = rng.laplace(scale=6 * cutoff"),
        ("lecture11_sparse.py", "answer / n becomes answer * n"),
        ("small_db.py", "2 becomes 3 in “noisy = epsilon * utilities / (2 * sensitivity)"),
        ("alp.py", "2 becomes 3 in “levels, flip_rate = "),
        ("online_ic.py", "2 becomes 3 in “threshold, cutoff = 2 * learner.alpha"),
        ("lab/audit.py", "max(0.0, float(bound)) becomes float(bound)"),
    ],
)
def test_a_mistake_is_noticed(file, change):
    (mutant,) = [m for m in mutants(file) if m.change.startswith(change)]
    assert noticed(mutant)


@pytest.fixture
def unchanged():
    mutant = next(mutants("lab/confidence.py"))
    return replace(mutant, source=(ROOT / "course_lib" / mutant.file).read_text(encoding="utf8"))


def test_an_unchanged_file_is_not_accused(unchanged):
    assert not noticed(unchanged)


@pytest.mark.parametrize("folly", ["while True: pass", "bytearray(2**36)"])
def test_what_takes_too_long_or_too_much_is_noticed(unchanged, folly):
    assert noticed(replace(unchanged, source=unchanged.source + folly), seconds=5)


def test_what_waits_for_ever_is_ended():
    assert alone(forked, time.sleep, 1e6, 0.5) is None


def with_a_thread():
    threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
    with pytest.raises(RuntimeError, match="a process with threads"):
        forked(abs, 1)
    return "refused"


def test_a_process_with_threads_is_not_forked():
    assert alone(with_a_thread) == "refused"


def test_each_operator_and_number_is_changed_and_an_extreme_is_either_of_its_two():
    tree = ast.parse("x = max(-a, b ** 2) + np.minimum(c // 3, d % e)\nx -= y * 0.0 <= z / w < 1")
    assert [words for *_, words in changes(tree)] == [
        "max(-a, b ** 2) + np.minimum(c // 3, d % e) becomes "
        "max(-a, b ** 2) - np.minimum(c // 3, d % e)",
        "max(-a, b ** 2) becomes -a",
        "max(-a, b ** 2) becomes b ** 2",
        "-a becomes +a",
        "b ** 2 becomes b * 2",
        "2 becomes 3",
        "np.minimum(c // 3, d % e) becomes c // 3",
        "np.minimum(c // 3, d % e) becomes d % e",
        "c // 3 becomes c / 3",
        "3 becomes 4",
        "d % e becomes d // e",
        "x -= y * 0.0 <= z / w < 1 becomes x += y * 0.0 <= z / w < 1",
        "y * 0.0 <= z / w < 1 becomes y * 0.0 < z / w < 1",
        "y * 0.0 becomes y / 0.0",
        "0.0 becomes 1.0",
        "z / w becomes z * w",
        "1 becomes 2",
    ]


def test_the_functions_that_a_test_enters_are_known():
    """Three bad numbers are refused before the function that is tested is entered."""
    table = alone(forked, measure, "test_confidence.py")
    found = mutants("lab/confidence.py")
    (entered,) = {m.function for m in found if m.change.startswith("successes == trials")}
    without = {
        name.partition("[")[2]
        for name, test in table.items()
        if "impossible" in name and f"lab/confidence.py:{entered}" not in test["enters"]
    }
    assert without == {"-1]", "2.5]", "nan]"} and all(test["passed"] for test in table.values())


def test_every_file_of_core_and_lab_is_mutated():
    package = ROOT / "course_lib"
    rooms = [package, *(package / room for room in ("support", "exact", "lab"))]
    files = {file.relative_to(package).as_posix() for room in rooms for file in room.glob("*.py")}
    without = {"__init__.py", "support/__init__.py", "exact/__init__.py", "lab/__init__.py"}
    assert files - without - {"support/answers.py"} == TESTS.keys()  # ⊤ and ⊥ alone


@pytest.mark.parametrize("exempt", ["EXEMPT", "EXEMPT_OPERATORS"])
def test_every_exemption_is_still_needed(monkeypatch, exempt):
    reasons = getattr(mutations, exempt)
    monkeypatch.setattr(mutations, exempt, {})
    found = [mutant.change for file in TESTS for mutant in mutants(file)]
    assert [words for words in reasons if not any(words in change for change in found)] == []
