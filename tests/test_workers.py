"""How the tests are shared, and that their memory is watched."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import memory, workers

ROOT = Path(__file__).parent.parent


class Node:
    """A worker that is given tests and says nothing."""

    def __init__(self, name):
        self.gateway, self.given, self.shutting_down = SimpleNamespace(id=name), [], False

    def send_runtest_some(self, places):
        self.given += places

    def shutdown(self):
        self.shutting_down = True


def test_one_worker_takes_files_from_the_front_the_other_from_behind_each_in_one_piece():
    files = ["a.py", "b.ipynb", "c.py", "d.py"]
    tests = [f"{file}::{number}" for file in files for number in range(4)]
    option = SimpleNamespace(loadscopereorder=True, tx=["popen", "popen"])
    config = SimpleNamespace(option=option, getvalue=lambda name: getattr(option, name))
    scheduler = workers.FromBothEnds(config)
    nodes = [Node("first"), Node("second")]
    for node in nodes:
        scheduler.add_node(node)
        scheduler.add_node_collection(node, tests)
    scheduler.schedule()
    for number in range(4):  # the second worker is quick
        scheduler.mark_test_complete(nodes[1], 12 + number)
    scheduler.mark_test_complete(nodes[1], 8)
    scheduler.mark_test_complete(nodes[1], 9)
    assert nodes[0].given == [0, 1, 2, 3]
    assert nodes[1].given == [12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7]


def test_the_files_that_are_named_are_there_and_lie_at_both_ends():
    names = [*workers.FIRST, "test_noise.py", *workers.LAST]
    tests = [SimpleNamespace(path=Path("tests", name)) for name in names]
    assert sorted(reversed(tests), key=workers.place) == tests
    assert all((ROOT / test.path).exists() for test in tests) and len(set(names)) == len(names)


PROGRAMS = {
    "itself": "big = bytearray(b'1') * (250 * 10**6); time.sleep(3)",
    "a child": "subprocess.run([sys.executable, '-c', "
    "\"import time; big = bytearray(b'1') * (250 * 10**6); time.sleep(3)\"])",
}


@pytest.mark.slow
@pytest.mark.skipif(not memory.LINUX, reason="reads /proc")
@pytest.mark.parametrize(
    ("shared", "taken_by", "too_much"),
    [([], "itself", True), ([], "a child", False), (["--numprocesses=2"], "itself", True)],
)
def test_too_much_memory_fails_a_run_in_which_all_tests_pass(shared, taken_by, too_much, tmp_path):
    """With a limit of 250 MB for the process that runs tests."""
    folder = tmp_path / "tests"
    folder.mkdir()
    for name in ("__init__.py", "conftest.py", "memory.py", "workers.py"):
        text = (ROOT / "tests" / name).read_text()
        (folder / name).write_text(text.replace('"pytest": 800', '"pytest": 250'))
    tests = f"def test_small(): pass\ndef test_big(): {PROGRAMS[taken_by]}\n"
    (folder / "test_big.py").write_text(f"import subprocess, sys, time\n{tests}")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *shared, str(folder)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert run.returncode == too_much, run.stdout
    assert ("FAILED: pytest took too much memory" in lines) == too_much
    assert "2 passed" in lines[-1] and any("MB at most, allowed 250" in line for line in lines)
