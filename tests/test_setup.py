"""The lists of packages agree, and workbook.py gets from any state to a running JupyterLab."""

import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PYTHON_VERSIONS = ("3.11.0", "3.11.9", "3.12.4", "3.13.1", "3.14.0")
PLATFORMS = (("linux", "posix"), ("darwin", "posix"), ("win32", "nt"))

pytestmark = pytest.mark.slow


# The lists


def pins(name):
    lines = (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def direct_names(name):
    """The first paragraph of a list; the second holds what the first needs in turn."""
    first = (ROOT / "requirements" / f"{name}.txt").read_text().split("\n\n")[0]
    return {line.split("==")[0] for line in first.splitlines() if not line.startswith("#")}


def by_name(requirements):
    return {canonicalize_name(r.name): r for r in map(Requirement, requirements)}


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RUN = by_name(PROJECT["dependencies"])
TEST = by_name(PROJECT["optional-dependencies"]["test"])
CONDA_LINES = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
CONDA = by_name(
    line.replace("matplotlib-base", "matplotlib") for line in CONDA_LINES if isinstance(line, str)
)


def test_the_student_gets_the_packages_of_the_project_and_jupyterlab():
    assert direct_names("run") == {*RUN, "jupyterlab"}
    assert CONDA.keys() == {*RUN, "jupyterlab", "nbval", "python", "pip"}
    assert {"pip": ["-e ."]} in CONDA_LINES


def test_the_tests_get_the_packages_of_the_test_extra():
    transitive = {r.name for r in pins("run")} - direct_names("run")
    assert direct_names("test") | {"jupyterlab"} == TEST.keys() - transitive


@pytest.mark.parametrize("floors", [RUN, TEST, CONDA], ids=["project", "test extra", "conda"])
def test_every_pin_is_at_or_above_the_floor(floors):
    pinned = pins("run") + pins("test")
    for name in floors.keys() - {"python", "pip"}:
        (version,) = {spec.version for r in pinned if r.name == name for spec in r.specifier}
        assert floors[name].specifier.contains(version), f"{name} {version} is below its floor"


def test_the_lists_say_the_same_about_python():
    workbook = (ROOT / "workbook.py").read_text()
    assert "(3, 11) <= sys.version_info[:2] <= (3, 14)" in workbook
    assert PROJECT["requires-python"] == ">=3.11"
    assert str(CONDA["python"].specifier) == "<3.15,>=3.11"


@pytest.mark.parametrize("platform, os_name", PLATFORMS)
@pytest.mark.parametrize("python", PYTHON_VERSIONS)
def test_each_machine_gets_exactly_one_version_of_a_package(platform, os_name, python):
    machine = {
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "sys_platform": platform,
        "os_name": os_name,
    }
    chosen = [r for r in pins("run") + pins("test") if not r.marker or r.marker.evaluate(machine)]
    assert all(re.fullmatch(r"==[\w.]+", str(r.specifier)) for r in chosen)
    assert len({r.name for r in chosen}) == len(chosen)


# The set-up, with toys in the place of the real packages


def toy_wheel(folder, name, version="1"):
    """A wheel whose module, run with -m, prints its arguments and where course_lib is."""
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    module = "import json, os, sys\ndel sys.path[0]\n"  # kernels start in another folder
    module += "import course_lib\nprint(json.dumps([sys.argv[1:], sys.prefix, "
    module += "course_lib.__file__, dict(os.environ)]))\n"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}/__init__.py", f"version = '{version}'\n")
        archive.writestr(f"{name}/__main__.py", module)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


class Toy:
    """A copy of workbook.py with small lists of packages, and a way to start it."""

    def __init__(self, folder):
        self.folder = folder
        self.venv = folder / ".venv"

    def require(self, name, wheel):
        line = f"{wheel.name.split('-')[0]} @ {wheel.as_uri()}\n"
        (self.folder / "requirements" / f"{name}.txt").write_text(line)

    def start(self, *arguments, before="", cwd=None, **variables):
        """Start workbook.py as a student does, or after a statement that spoils the Python."""
        command = [sys.executable, str(self.folder / "workbook.py"), *arguments]
        if before:
            program = f"import sys, runpy; sys.argv = {command[1:]!r}; {before}\n"
            program += "runpy.run_path(sys.argv[0], run_name='__main__')"
            command[1:] = ["-c", program]
        return subprocess.run(
            command, cwd=cwd, env=plain(**variables), capture_output=True, text=True, timeout=100
        )

    def opened(self, *arguments, **options):
        """Start it and return what the toy JupyterLab saw."""
        done = self.start(*arguments, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return Seen(done.stdout)

    def site(self):
        return next(self.venv.glob("lib/python*/site-packages"), self.venv / "Lib/site-packages")

    def forbid_pip(self):
        (self.site() / "pip" / "__main__.py").write_text("raise SystemExit('pip was started')")


def load(folder):
    spec = importlib.util.spec_from_file_location("workbook", folder / "workbook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Seen:
    def __init__(self, output):
        *said, last = output.splitlines()
        self.said = "\n".join(said)
        self.arguments, self.prefix, self.course_lib, self.environment = json.loads(last)


def plain(**variables):
    """The environment without what a machine may say about pip, displays and other Pythons."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON", "JUPYTER"))}
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "DISPLAY", "WAYLAND_DISPLAY"):
        kept.pop(name, None)
    return {**kept, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", **variables}


def one_sentence(done):
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    (sentence,) = done.stderr.splitlines()
    return sentence


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    return {
        "lab": toy_wheel(folder, "jupyterlab"),
        "new lab": toy_wheel(folder, "jupyterlab", "2"),
        "pytest": toy_wheel(folder, "pytest"),
    }


@pytest.fixture
def fresh(tmp_path, wheels):
    folder = tmp_path / "a work book"
    for name in ("requirements", "notebooks", "course_lib"):
        (folder / name).mkdir(parents=True)
    (folder / "course_lib" / "__init__.py").touch()
    for name in ("00_start_here", "01_toolbox", "02_above_threshold"):
        (folder / "notebooks" / f"{name}.ipynb").touch()
    shutil.copy(ROOT / "workbook.py", folder)
    toy = Toy(folder)
    toy.require("run", wheels["lab"])
    toy.require("test", wheels["pytest"])
    return toy


@pytest.fixture(scope="module")
def first_start(tmp_path_factory, wheels):
    """One real first start, which the other tests copy."""
    toy = fresh.__wrapped__(tmp_path_factory.mktemp("first"), wheels)
    return toy, toy.opened()


@pytest.fixture
def ready(first_start, tmp_path):
    """A workbook that was set up elsewhere and then moved here."""
    shutil.copytree(first_start[0].folder, tmp_path / "moved book", symlinks=True)
    return Toy(tmp_path / "moved book")


def test_first_start_makes_an_environment_and_opens_the_first_notebook(first_start):
    toy, seen = first_start
    assert "Making an environment" in seen.said and "Installing 1 packages" in seen.said
    assert Path(seen.prefix) == toy.venv
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in seen.arguments
    assert f"--ServerApp.root_dir={toy.folder}" in seen.arguments
    assert "--ip=127.0.0.1" in seen.arguments
    assert not any("token" in argument for argument in seen.arguments)
    assert not (toy.site() / "pytest").exists(), "a student does not download the test tools"
    settings = json.loads((toy.venv / "share/jupyter/lab/settings/overrides.json").read_text())
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_second_start_installs_nothing_from_any_directory_after_a_move(ready, tmp_path):
    ready.forbid_pip()
    seen = ready.opened("01", "--port=9999", cwd=tmp_path)
    assert seen.said.splitlines()[0].startswith("Opening notebooks/01_toolbox.ipynb")
    assert seen.arguments[-1] == "--port=9999"
    assert Path(seen.course_lib).parent == ready.folder / "course_lib"
    assert Path(seen.prefix) == ready.venv


def test_a_single_digit_names_a_notebook_too(ready):
    assert "--LabApp.default_url=/lab/tree/notebooks/02_above_threshold.ipynb" in (
        ready.opened("2").arguments
    )


def test_changed_pins_are_noticed_without_a_new_environment(ready, wheels):
    (ready.venv / "kept").touch()
    ready.require("run", wheels["new lab"])
    ready.opened()
    assert "'2'" in (ready.site() / "jupyterlab" / "__init__.py").read_text()
    assert (ready.venv / "kept").exists()


def test_a_package_that_was_removed_comes_back(ready):
    shutil.rmtree(ready.site() / "jupyterlab")
    shutil.rmtree(ready.site() / "jupyterlab-1.dist-info")
    ready.opened()


def test_test_adds_its_tools_once_and_passes_arguments_on(ready):
    assert ready.opened("test", "-x", "tests/test_exact.py").arguments == [
        "-x",
        "tests/test_exact.py",
    ]
    ready.forbid_pip()
    assert ready.opened("test").arguments == []
    assert ready.opened("test", "-v", "--quick").arguments == ["tests", "-m", "not slow", "-v"]
    ready.opened()


def no_stamp(toy):
    (toy.venv / "workbook.json").unlink()


def half_a_stamp(toy):
    (toy.venv / "workbook.json").write_text('{"run": ')


def python_of_a_removed_installation(toy):
    (toy.venv / "bin" / "python").unlink()
    (toy.venv / "bin" / "python").symlink_to("/nowhere/python3")


def no_pip(toy):
    shutil.rmtree(toy.site() / "pip")


@pytest.mark.skipif(os.name == "nt", reason="the layout of .venv differs")
@pytest.mark.parametrize(
    "spoil", [no_stamp, half_a_stamp, python_of_a_removed_installation, no_pip]
)
def test_a_spoilt_environment_is_not_taken_for_a_complete_one(ready, spoil):
    workbook = load(ready.folder)
    assert workbook.state(["run"])[1]
    spoil(ready)
    assert workbook.state(["run"])[1] is None


def test_half_a_package_of_an_interrupted_install_is_made_whole(ready):
    no_stamp(ready)
    (ready.site() / "jupyterlab" / "__main__.py").unlink()  # pip itself would not miss it
    assert "Making an environment" in ready.opened().said


@pytest.mark.skipif(os.name == "nt", reason="kills a process group")
def test_a_start_after_one_was_killed_completes_the_set_up(fresh):
    killed = subprocess.Popen(
        [sys.executable, fresh.folder / "workbook.py"],
        env=plain(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not any(fresh.venv.glob("lib/*/site-packages/pip/_vendor")):
        assert killed.poll() is None
        time.sleep(0.01)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not (fresh.venv / "workbook.json").exists()
    fresh.opened()


def test_another_active_environment_is_named_and_left_alone(ready, tmp_path):
    stranger = str(tmp_path / "stranger")
    foreign = {"PYTHONPATH": stranger, "JUPYTER_PATH": stranger}
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        seen = ready.opened(**{name: stranger}, **foreign)
        assert f"Not using the active environment {stranger}" in seen.said
        assert not {name, "PYTHONPATH", "JUPYTER_PATH"} & seen.environment.keys()
    assert "Not using" not in ready.opened(VIRTUAL_ENV=str(ready.venv)).said


@pytest.mark.skipif(os.name == "nt", reason="there is no root")
@pytest.mark.parametrize("user, allowed", [(0, True), (1000, False)])
def test_jupyterlab_is_told_to_allow_root_only_for_root(ready, user, allowed):
    seen = ready.opened(before=f"import os; os.geteuid = lambda: {user}")
    assert ("--allow-root" in seen.arguments) == ("You are root" in seen.said) == allowed


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="others always have a display")
@pytest.mark.parametrize("display, browser", [("", False), (":0", True)])
def test_no_browser_is_opened_without_a_display(ready, display, browser):
    seen = ready.opened(DISPLAY=display)
    assert ("--no-browser" not in seen.arguments) == browser
    assert ("open the address below" not in seen.said) == browser


@pytest.mark.parametrize("version", ["(3, 10, 13)", "(3, 15, 0)", "(4, 0, 0)"])
def test_an_unfit_python_is_told_which_one_is_needed(fresh, version):
    done = fresh.start(before=f"sys.version_info = {version}")
    assert "the workbook needs Python 3.11 to 3.14." in one_sentence(done)
    assert ".".join(version[1:-1].split(", ")) in one_sentence(done)
    done = fresh.start("check", before=f"sys.version_info = {version}")
    assert done.returncode == 1 and done.stdout.startswith("FAIL  This is Python")


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_how_to_get_it(fresh, module):
    spoil = f"sys.modules[{module!r}] = None"
    assert "sudo apt install python3-venv" in one_sentence(fresh.start(before=spoil))
    done = fresh.start("check", before=spoil)
    assert done.returncode == 1 and "FAIL  This Python cannot make" in done.stdout


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_without_a_network_one_sentence_says_so(ready):
    (ready.folder / "requirements" / "run.txt").write_text("jupyterlab==2\n")
    index = f"http://127.0.0.1:{closed_port()}/simple"
    offline = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": index, "PIP_RETRIES": "1"}
    assert "connect to the network" in one_sentence(ready.start(**offline))
    done = ready.start("check", **offline)
    assert done.returncode == 1 and "FAIL  The package index cannot be reached" in done.stdout


def test_another_failure_of_pip_is_passed_on(ready):
    (ready.folder / "requirements" / "run.txt").write_text("jupyterlab==7\n")
    assert "No matching distribution found for jupyterlab==7" in one_sentence(ready.start())
    assert load(ready.folder).state(["run"])[1] is None, "pip may have stopped half-way"


@pytest.mark.skipif(os.name == "nt", reason="needs a file system that refuses")
def test_a_folder_that_cannot_be_written_to_is_one_sentence(fresh):
    fresh.venv.touch()
    assert "No environment can be made" in one_sentence(fresh.start())


@pytest.mark.parametrize("word", ["17", "chekc", "--port"])
def test_an_unknown_command_is_told_what_there_is(fresh, word):
    sentence = one_sentence(fresh.start(word))
    for known in (word, "test", "check", "00_start_here", "02_above_threshold"):
        assert known in sentence
    assert not fresh.venv.exists()


def test_check_finds_a_fit_machine_fit_and_leaves_nothing_behind(fresh):
    before = sorted(fresh.folder.iterdir())
    done = fresh.start("check")
    assert done.returncode == 0 and "FAIL" not in done.stdout
    assert done.stdout.count("OK ") == 5 and "note  Chromium" in done.stdout
    assert sorted(fresh.folder.iterdir()) == before


def test_check_needs_no_network_once_all_is_installed(ready):
    ready.forbid_pip()
    done = ready.start("check")
    assert done.returncode == 0 and "OK    the packages are installed" in done.stdout


# The real JupyterLab, from the environment of the tests


def fetch(address, seconds):
    """The page at an address, which JupyterLab prints a moment before it listens there."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=seconds) as page:
                return page.read()
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


@pytest.fixture
def workbook():
    return load(ROOT)


@pytest.mark.skipif(os.name == "nt", reason="kills a process group")
def test_jupyterlab_prints_an_address_that_answers_though_port_8888_is_taken(
    workbook, tmp_path, monkeypatch
):
    monkeypatch.delenv("DISPLAY", raising=False)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if other.connect_ex(("127.0.0.1", 8888)):
            other = socket.create_server(("127.0.0.1", 8888))
        lab = subprocess.Popen(
            [sys.executable, *workbook.lab_arguments("notebooks/00_start_here.ipynb")],
            env=workbook.environment(),
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            found = (
                re.search(r"http://127\.0\.0\.1:(\d+)/lab/tree\S+", line) for line in lab.stderr
            )
            address = next(filter(None, found))
            assert address[1] != "8888"
            assert "notebooks/00_start_here.ipynb?token=" in address[0]
            assert b"JupyterLab" in fetch(address[0], seconds=60)
        finally:
            os.killpg(lab.pid, signal.SIGKILL)
            lab.wait()
            other.close()


def test_a_kernel_of_the_same_name_elsewhere_is_not_used(workbook, tmp_path, monkeypatch):
    stray = tmp_path / "kernels" / "python3"
    stray.mkdir(parents=True)
    (stray / "kernel.json").write_text(
        json.dumps({"argv": ["/stray/python"], "display_name": "stray", "language": "python"})
    )
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    program = "from jupyter_client.kernelspec import get_kernel_spec as g; print(g('python3').argv)"
    done = subprocess.run(
        [sys.executable, "-c", program], env=workbook.environment(), capture_output=True, text=True
    )
    assert "ipykernel_launcher" in done.stdout and "stray" not in done.stdout, done.stderr
