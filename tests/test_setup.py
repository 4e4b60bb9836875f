"""The lists of packages agree, and workbook.py gets from any state to a running JupyterLab."""

import errno
import hashlib
import importlib.metadata
import importlib.util
import itertools
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
import types
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from unittest import mock

import psutil
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
    assert {"pip": ["."]} in CONDA_LINES  # not -e, which leaves out what goes to share/


def test_an_installation_brings_the_script_the_data_and_the_settings_of_jupyterlab(tmp_path):
    """As `pip install .` and environment.yml make it, in a folder of its own."""
    ours = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, tmp_path / "source", ignore=ours)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--ignore-installed", f"--prefix={tmp_path / 'there'}", str(tmp_path / "source")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    settings = "share/jupyter/lab/settings/overrides.d/sparse-vector-workbook.json"
    assert (tmp_path / "there" / settings).read_bytes() == (ROOT / settings).read_bytes()
    (package,) = (tmp_path / "there").rglob("course_lib")
    for file in ("demos/panel.js", "demos/panel.css", "lab/survey.npz", "checks/__init__.py"):
        assert (package / file).read_bytes() == (ROOT / "course_lib" / file).read_bytes()


def test_the_tests_get_the_packages_of_the_test_extra():
    transitive = {r.name for r in pins("run")} - direct_names("run")
    assert (
        direct_names("test") | direct_names("publish") | {"jupyterlab"} == TEST.keys() - transitive
    )


@pytest.mark.parametrize("floors", [RUN, TEST, CONDA], ids=["project", "test extra", "conda"])
def test_every_pin_is_at_or_above_the_floor(floors):
    pinned = pins("run") + pins("test") + pins("publish")
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
    listed = pins("run") + pins("test") + pins("publish")
    chosen = [r for r in listed if not r.marker or r.marker.evaluate(machine)]
    assert all(re.fullmatch(r"==[\w.]+", str(r.specifier)) for r in chosen)
    assert len({r.name for r in chosen}) == len(chosen)


# The set-up, with toys in the place of the real packages


def toy_wheel(folder, name, version="1", more=None):
    """A wheel whose module, run with -m, prints its arguments and where course_lib is."""
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    module = "import json, os, sys\ndel sys.path[0]\n"  # kernels start in another folder
    module += "import course_lib\nprint(json.dumps([sys.argv[1:], sys.prefix, "
    module += "course_lib.__file__, dict(os.environ)]))\n"
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": f"version = '{version}'\n",
        f"{name}/__main__.py": module,
        f"{name}/__pycache__/compiled.cpython-311.pyc": "compiled",
        f"{name}-{version}.data/scripts/{name}-toy": "#!python\n",  # pip puts the path there
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{path},sha256=unread,{len(text)}\n" for path, text in files.items()]
    record = {f"{info}/RECORD": "".join(rows) + f"{info}/RECORD,,\n"}
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**files, **record, **(more or {})}.items():
            archive.writestr(path, text)
    return wheel


class Toy:
    """A copy of workbook.py with small lists of packages, and a way to start it."""

    def __init__(self, folder):
        self.folder = folder
        self.venv = folder / ".venv"

    def require(self, name, wheel):
        line = f"{wheel.name.split('-')[0]} @ {wheel.as_uri()}\n"
        (self.folder / "requirements" / f"{name}.txt").write_text(line)

    def start(self, *arguments, before="", cwd=None, script=None, **variables):
        """Start workbook.py as a student does, or after a statement that spoils the Python."""
        command = [sys.executable, str(script or self.folder / "workbook.py"), *arguments]
        if before:
            program = f"import sys, runpy; sys.argv = {command[1:]!r}; {before}\n"
            program += "runpy.run_path(sys.argv[0], run_name='__main__')"
            command[1:] = ["-c", program]
        return subprocess.run(
            command, cwd=cwd, env=plain(**variables), capture_output=True, text=True, timeout=100
        )

    def begin(self, **variables):
        """Start it and do not wait."""
        command = [sys.executable, str(self.folder / "workbook.py")]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(
            command, env=plain(**variables), start_new_session=os.name != "nt", **pipes
        )

    def opened(self, *arguments, **options):
        """Start it and return what the toy JupyterLab saw."""
        done = self.start(*arguments, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return Seen(done.stdout)

    def site(self):
        return next(self.venv.glob("lib/python*/site-packages"), self.venv / "Lib/site-packages")

    def forbid_pip(self, program="raise SystemExit('pip was started')"):
        """Another program in the place of pip, of the same size."""
        main = self.site() / "pip" / "__main__.py"
        main.write_text(program.ljust(main.stat().st_size))

    def version(self):
        return re.search(r"'(.*)'", (self.site() / "jupyterlab" / "__init__.py").read_text())[1]


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
    shutil.copytree(ROOT / "share", folder / "share")
    toy = Toy(folder)
    toy.require("run", wheels["lab"])
    toy.require("test", wheels["pytest"])
    (folder / "requirements" / "publish.txt").touch()
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
    (file,) = (toy.venv / "share/jupyter/lab/settings/overrides.d").glob("*.json")
    settings = json.loads(file.read_text())
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert settings["@jupyter-widgets/jupyterlab-manager:plugin"]["saveState"] is True


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
    assert ready.version() == "2"
    assert (ready.venv / "kept").exists()


def test_a_package_that_was_removed_comes_back(ready):
    shutil.rmtree(ready.site() / "jupyterlab")
    shutil.rmtree(ready.site() / "jupyterlab-1.dist-info")
    ready.opened()


def test_test_adds_its_tools_once_and_passes_arguments_on(ready):
    shared = ["--numprocesses", "2"]
    one = ["-x", "tests/test_transcripts.py"]
    assert ready.opened("test", *one).arguments == [*shared, *one]
    ready.forbid_pip()
    assert ready.opened("test").arguments == shared
    quick = [*shared, "tests", "-m", "not slow", "-v"]
    assert ready.opened("test", "-v", "--quick").arguments == quick
    ready.opened()


def no_stamp(toy):
    (toy.venv / "workbook.json").unlink()


def half_a_stamp(toy):
    (toy.venv / "workbook.json").write_text('{"run": ')


def no_dictionary(toy):
    (toy.venv / "workbook.json").write_text("1")


def python_of_a_removed_installation(toy):
    (toy.venv / "bin" / "python").unlink()
    (toy.venv / "bin" / "python").symlink_to("/nowhere/python3")


def no_pip(toy):
    shutil.rmtree(toy.site() / "pip")


def half_a_pip(toy):
    (toy.site() / "pip" / "_vendor" / "rich" / "table.py").write_text("")


@pytest.mark.skipif(os.name == "nt", reason="the layout of .venv differs")
@pytest.mark.parametrize(
    "spoil",
    [no_stamp, half_a_stamp, no_dictionary, python_of_a_removed_installation, no_pip, half_a_pip],
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
    killed = fresh.begin()
    wait_for(lambda: any(fresh.venv.glob("lib/*/site-packages/pip/_vendor")), killed)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not (fresh.venv / "workbook.json").exists()
    fresh.opened()


def wait_for(condition, process):
    """Until a condition holds, while a process is at work on it."""
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


# Damage


def its_folder(toy):
    shutil.rmtree(toy.site() / "jupyterlab")


def one_file(toy):
    (toy.site() / "jupyterlab" / "__main__.py").unlink()


def what_is_in_a_file(toy):
    (toy.site() / "jupyterlab" / "__init__.py").write_text("")


def a_script(toy):
    (toy.venv / "bin" / "jupyterlab-toy").unlink()


def list_of_files(toy):
    (toy.site() / "jupyterlab-1.dist-info" / "RECORD").unlink()


def what_is_in_that_list(toy):
    (toy.site() / "jupyterlab-1.dist-info" / "RECORD").write_text("")


@pytest.mark.skipif(os.name == "nt", reason="the layout of .venv differs")
@pytest.mark.parametrize("lose", [its_folder, what_is_in_a_file, list_of_files])
def test_a_package_that_lost_something_is_made_whole(ready, lose):
    (ready.venv / "kept").touch()
    whole = {path: path.read_bytes() for path in (ready.site() / "jupyterlab").rglob("*.py")}
    lose(ready)
    assert "Repairing jupyterlab" in ready.opened().said
    assert whole == {path: path.read_bytes() for path in whole}
    assert (ready.venv / "kept").exists()
    ready.forbid_pip()
    assert "Repairing" not in ready.opened().said


@pytest.mark.skipif(os.name == "nt", reason="the layout of .venv differs")
@pytest.mark.parametrize(
    "lose", [its_folder, one_file, what_is_in_a_file, a_script, list_of_files, what_is_in_that_list]
)
def test_check_notices_what_a_package_lost(ready, lose):
    lose(ready)
    problems = [problem for problem, _ in itertools.islice(load(ready.folder).checks(), 3)]
    assert problems[2].startswith("Files of jupyterlab in .venv are missing or changed")


def test_check_fails_while_an_environment_is_damaged(ready):
    its_folder(ready)
    done = ready.start("check")
    assert done.returncode == 1 and "FAIL  Files of jupyterlab in .venv" in done.stdout
    assert done.stdout.count("FAIL") == 1 and "OK    the package index answers" in done.stdout


def test_what_python_compiles_and_what_others_installed_is_no_damage(ready, wheels):
    compiled = ready.site() / "jupyterlab" / "__pycache__" / "compiled.cpython-311.pyc"
    compiled.write_text("compiled again")
    for path in ready.site().rglob("*.pyc"):
        if path != compiled:
            path.unlink()
    assert load(ready.folder).state(["run"])[0]["damaged"] == []
    stranger = ready.site() / "stranger-1.dist-info"
    stranger.mkdir()
    (stranger / "RECORD").write_text("stranger/edited.py,sha256=unread,7\n")
    assert load(ready.folder).state(["run"])[0]["damaged"] == []


def test_a_wheel_with_a_wrong_list_of_its_files_is_installed_once(ready, tmp_path):
    wrong = "jupyterlab/__init__.py,sha256=unread,1\n"
    more = {"jupyterlab-3.dist-info/RECORD": wrong}
    ready.require("run", toy_wheel(tmp_path, "jupyterlab", "3", more))
    ready.opened()
    ready.forbid_pip()
    ready.opened()


def test_the_real_packages_are_whole(monkeypatch):
    workbook = load(ROOT)
    monkeypatch.setattr(workbook, "VENV", Path(sys.prefix))
    wanted, _ = workbook.state(["run", "publish", "test"])
    assert len(wanted["installed"]) > 50 and wanted["damaged"] == []


# What pip is told


@pytest.mark.parametrize("name", ["TARGET", "PREFIX", "ROOT", "DRY_RUN"])
def test_no_variable_leads_pip_elsewhere(ready, wheels, tmp_path, name):
    ready.require("run", wheels["new lab"])
    elsewhere = tmp_path / "elsewhere"
    ready.opened(**{f"PIP_{name}": "1" if name == "DRY_RUN" else str(elsewhere)})
    assert ready.version() == "2" and not elsewhere.exists()


@pytest.mark.parametrize(
    "section, keys", [("global", ["target", "python"]), ("install", ["prefix", "root", "user"])]
)
def test_a_configuration_file_says_where_packages_come_from_and_not_where_they_go(
    ready, wheels, tmp_path, section, keys
):
    (ready.folder / "requirements" / "run.txt").write_text("JupyterLab==2\n")
    lines = [f"[{section}]", *(f"{key} = {tmp_path / 'elsewhere'}" for key in keys)]
    lines += ["dry-run = true", "quiet = 3", "find-links =", "    nowhere"]
    lines += [f"    {wheels['new lab'].parent}"]
    (tmp_path / "pip.conf").write_text("\n".join(lines))
    ready.opened(PIP_CONFIG_FILE=str(tmp_path / "pip.conf"))
    assert ready.version() == "2" and not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(os.name == "nt", reason="the layout of .venv differs")
def test_pip_is_told_the_sources_and_variables_have_the_last_word(ready, tmp_path, monkeypatch):
    file = tmp_path / "pip.conf"
    file.write_text(
        f"[global]\nindex-url = https://u:p@one/\nproxy = one\ncert = one\n"
        f"log = {tmp_path / 'log'}\n"
        "[install]\nproxy = two\ncert = two\nno-deps = 1\n[download]\ncert = four\n"
    )
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    variables = {"CERT": "three", "DEFAULT_TIMEOUT": "9", "CONFIG_FILE": file, "REPORT": "r"}
    for name, value in variables.items():
        monkeypatch.setenv(f"PIP_{name}", str(value))
    workbook = load(ready.folder)
    told = workbook.pip_environment(workbook.executable(workbook.VENV))
    told = {name[4:]: value for name, value in told.items() if name.startswith("PIP_")}
    assert not (tmp_path / "log").exists()
    own = {"DISABLE_PIP_VERSION_CHECK": "1", "ROOT_USER_ACTION": "ignore", "USER": "0"}
    own |= {"NO_INPUT": "1", "CONFIG_FILE": os.devnull}
    sources = {"INDEX_URL": "https://u:p@one/", "PROXY": "two", "CERT": "three"}
    machine = {"FIND_LINKS", "EXTRA_INDEX_URL"}  # its own files may name more
    assert {n: v for n, v in told.items() if n not in machine} == {
        **own, **sources, "DEFAULT_TIMEOUT": "9",
    }  # fmt: skip


def test_a_configuration_that_pip_cannot_read_is_one_sentence(ready, wheels, tmp_path):
    ready.require("run", wheels["new lab"])
    (tmp_path / "pip.conf").write_text("no section\n")
    sentence = one_sentence(ready.start(PIP_CONFIG_FILE=str(tmp_path / "pip.conf")))
    assert sentence.startswith("pip cannot read its configuration: ")


def test_an_empty_environment_that_an_earlier_version_stamped_is_filled(ready):
    shutil.rmtree(ready.site() / "jupyterlab")
    shutil.rmtree(ready.site() / "jupyterlab-1.dist-info")
    run = (ready.folder / "requirements" / "run.txt").read_bytes()
    packages = sorted(path.name for path in ready.site().glob("*.dist-info"))
    stamp = {"run": hashlib.sha256(run).hexdigest(), "packages": packages}
    (ready.venv / "workbook.json").write_text(json.dumps(stamp))
    ready.opened()


def test_the_stamp_waits_until_the_versions_are_those_of_the_pins(ready):
    (ready.folder / "requirements" / "run.txt").write_text("jupyterlab==2\npytest==1\n")
    ready.forbid_pip("")  # it does nothing, and says that all went well
    sentence = one_sentence(ready.start())
    assert "jupyterlab==2 and 1 more are not in .venv" in sentence
    assert not (ready.venv / "workbook.json").exists(), "the next start makes .venv anew"


def test_pins_are_compared_by_plain_name_version_and_marker(tmp_path):
    numpy = importlib.metadata.version("numpy")
    fulfilled = [
        f"NumPy=={numpy}",
        f"numpy=={numpy} ; python_full_version >= '3.11'",
        "numpy==0.1 ; python_full_version < '3.9.10'",
        "nowhere==1 ; sys_platform == 'amiga'",
        f"Jupyter_Core=={importlib.metadata.version('jupyter-core')}",
        "numpy @ file:///numpy.whl",
    ]
    missing = ["numpy==0.1", "nowhere==1", f"numpy=={numpy}.1 ; python_full_version >= '3.9.10'"]
    for name, lines in (("first", fulfilled), ("second", ["# words", "", *missing])):
        (tmp_path / name).write_text("\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-I", "-c", load(ROOT).COMPARE, tmp_path / "first", tmp_path / "second"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == missing and not done.stderr


# Several at once


@pytest.fixture
def silent_index():
    """A package index that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield (
            server,
            {
                "PIP_NO_INDEX": "0",
                "PIP_INDEX_URL": f"http://127.0.0.1:{server.getsockname()[1]}/simple",
                "PIP_DEFAULT_TIMEOUT": "100",
            },
        )


def test_of_two_starts_at_once_the_second_waits(fresh):
    first = fresh.begin()
    wait_for(lambda: any(fresh.venv.glob("**/site-packages/pip/_vendor")), first)
    second = fresh.begin()
    outputs = [process.communicate(timeout=100) for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], outputs
    assert "waiting" not in outputs[0][0] and "Installing 1 packages" in outputs[0][0]
    assert "Another start is setting up the workbook" in outputs[1][0]
    assert "Fetching" not in outputs[1][0]
    assert Path(Seen(outputs[1][0]).prefix) == fresh.venv


def test_windows_locks_a_byte_that_nobody_reads(tmp_path, capsys):
    workbook, places = load(ROOT), []

    def locking(descriptor, mode, length):
        places.append((os.lseek(descriptor, 0, os.SEEK_CUR), mode, length))
        if len(places) < 3:
            raise PermissionError

    workbook.fcntl, workbook.msvcrt = None, types.SimpleNamespace(locking=locking, LK_NBLCK=2)
    shutil.copy(ROOT / "workbook.py", tmp_path)
    with open(tmp_path / "workbook.py", "r+b", buffering=0) as file:
        workbook.wait_for(file)
    assert places == 3 * [(2**30, 2, 1)]
    assert capsys.readouterr().out.count("waiting for it") == 1
    assert (tmp_path / "workbook.py").read_bytes() == (ROOT / "workbook.py").read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="replaces what there is not")
def test_a_file_system_without_locks_stops_nobody(monkeypatch, capsys):
    workbook = load(ROOT)
    refusal = OSError(errno.ENOLCK, "No locks available")
    monkeypatch.setattr(workbook.fcntl, "flock", mock.Mock(side_effect=refusal))
    with open(ROOT / "workbook.py", "rb") as file:
        workbook.wait_for(file)
    assert not capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="a pip without its parent keeps no lock there")
def test_a_start_waits_for_the_pip_of_one_that_was_killed(ready, silent_index):
    server, variables = silent_index
    (ready.folder / "requirements" / "run.txt").write_text("jupyterlab==2\n")
    killed = ready.begin(**variables)
    with server.accept()[0]:
        (pip,) = psutil.Process(killed.pid).children()
        killed.kill()
        ready.require("run", toy_wheel(ready.folder, "jupyterlab", "2"))
        second = ready.begin()
        assert "waiting for it" in second.stdout.readline()
        time.sleep(1)
        assert second.poll() is None and pip.is_running()
        pip.kill()
    killed.communicate()
    output, errors = second.communicate(timeout=100)
    assert second.returncode == 0 and ready.version() == "2", output + errors


@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
def test_a_killed_pip_is_one_sentence_and_the_next_start_puts_it_right(ready, tmp_path):
    bulk = {f"bulk/{number}.py": "" for number in range(2000)}
    ready.require("run", toy_wheel(tmp_path, "jupyterlab", "2", bulk))
    started = ready.begin()
    wait_for((ready.site() / "bulk").exists, started)
    (pip,) = psutil.Process(started.pid).children()
    pip.kill()
    _, errors = started.communicate(timeout=100)
    assert started.returncode == 1
    assert errors == "pip was killed (signal 9); the next start puts it right.\n"
    assert len(list((ready.site() / "bulk").iterdir())) < 2000
    ready.opened()
    assert len(list((ready.site() / "bulk").iterdir())) == 2000


# Other machines


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


def a_file(venv):
    venv.write_text("mine")


def a_link_to_nothing(venv):
    venv.symlink_to("nothing")


def a_link_to_a_folder_in_use(venv):
    a_file(venv.parent / "requirements" / "mine")
    venv.symlink_to("requirements")


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("put", [a_file, a_link_to_nothing, a_link_to_a_folder_in_use])
def test_what_lies_in_the_place_of_the_environment_is_left_there(fresh, put):
    put(fresh.venv)
    before = sorted(fresh.folder.rglob("*"))
    done = fresh.start()
    assert "rename it and start again" in one_sentence(done) and not done.stdout
    done = fresh.start("check")
    assert done.returncode == 1 and "rename it and start again" in done.stdout
    assert sorted(fresh.folder.rglob("*")) == before


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_the_environment_may_lie_behind_a_link(ready, tmp_path):
    ready.forbid_pip()
    ready.venv.rename(tmp_path / "large disk")
    ready.venv.symlink_to(tmp_path / "large disk")
    assert Path(ready.opened().course_lib).parent == ready.folder / "course_lib"
    assert load(ready.folder).venv_problem(), "to make it anew would empty the folder"
    shutil.rmtree(tmp_path / "large disk")
    (tmp_path / "large disk").mkdir()
    assert not load(ready.folder).venv_problem()


@pytest.mark.skipif(os.name == "nt", reason="needs a file system that refuses")
def test_a_folder_that_cannot_be_written_to_is_one_sentence(fresh):
    spoil = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"  # binds root too
    assert "No environment can be made" in one_sentence(fresh.start(before=spoil))


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_to_workbook_py_opens_the_workbook_it_leads_to(ready, tmp_path):
    (tmp_path / "desktop").mkdir()
    link = tmp_path / "desktop" / "open workbook"
    link.symlink_to("../moved book/workbook.py")
    seen = ready.opened("1", script=link, cwd=tmp_path)
    assert f"--ServerApp.root_dir={ready.folder}" in seen.arguments
    assert Path(seen.prefix) == ready.venv
    assert [path.name for path in link.parent.iterdir()] == [link.name]


def test_for_what_does_not_exist_all_commands_and_notebooks_are_named():
    workbook = load(ROOT)
    commands = {*re.findall(r"workbook\.py ([a-z]+)", workbook.__doc__)}
    with pytest.raises(SystemExit) as told:
        workbook.find_notebook("77")
    assert len(commands) == 5 and str(told.value).startswith("There is no '77'; there are ")
    for word in (*commands, "00_start_here.ipynb", "11_reference.ipynb"):
        assert word in str(told.value)


@pytest.mark.parametrize("command", [[], ["check"], ["test"]])
def test_workbook_py_alone_is_sent_back_to_its_folder(fresh, tmp_path, command):
    copy = shutil.copy(ROOT / "workbook.py", tmp_path)
    assert "workbook.py must stay in its folder" in one_sentence(fresh.start(*command, script=copy))


@pytest.mark.skipif(os.name == "nt", reason="Jupyter asks for other folders there")
@pytest.mark.parametrize("home", ["workbook.py", "no such folder"])
def test_jupyter_is_given_folders_where_the_home_is_of_no_use(ready, home):
    home = str(ready.folder / home)
    seen = ready.opened(HOME=home, IPYTHONDIR="mine")
    assert f"The home folder {home} cannot be written to" in seen.said
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR"):
        assert Path(seen.environment[name]) == ready.venv / "home"
    assert seen.environment["IPYTHONDIR"] == "mine" and seen.environment["HOME"] == home
    seen = ready.opened(HOME=str(ready.folder))
    assert "home folder" not in seen.said and "JUPYTER_DATA_DIR" not in seen.environment


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


def address_of_jupyterlab(workbook, variables):
    """Start it, find the address that it prints, see that it answers there, and end it."""
    lab = subprocess.Popen(
        [sys.executable, *workbook.lab_arguments("notebooks/00_start_here.ipynb")],
        env=variables, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        found = (re.search(r"http://127\.0\.0\.1:(\d+)/lab/tree\S+", line) for line in lab.stderr)
        address = next(filter(None, found))
        assert b"JupyterLab" in fetch(address[0], seconds=60)
        return address
    finally:
        os.killpg(lab.pid, signal.SIGKILL)
        lab.wait()


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
        try:
            address = address_of_jupyterlab(workbook, workbook.environment())
        finally:
            other.close()
    assert address[1] != "8888" and "notebooks/00_start_here.ipynb?token=" in address[0]


@pytest.mark.skipif(os.name == "nt", reason="kills a process group")
def test_jupyterlab_and_a_kernel_start_though_the_home_is_of_no_use(
    workbook, tmp_path, monkeypatch
):
    (tmp_path / "file").touch()  # not even root can make a folder in it
    for name in [name for name in os.environ if name.startswith(("JUPYTER_", "IPYTHON", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(workbook, "VENV", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    variables = workbook.with_home(workbook.environment())
    address_of_jupyterlab(workbook, variables)
    program = "from jupyter_client.manager import start_new_kernel as start\n"
    program += (
        "_, client = start()\nreply = client.execute_interactive('import matplotlib.pyplot')\n"
    )
    program += "print(reply['content']['status'])\nclient.shutdown()"
    done = subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=100
    )
    assert done.stdout.split()[-1:] == ["ok"], done.stderr


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


def test_the_ports_are_the_fifty_that_jupyterlab_tries(workbook, monkeypatch):
    """All are taken: each from 8888 on is asked for once, in order, and none is given."""
    asked = []

    class Taken(socket.socket):
        def bind(self, address):
            asked.append(address)
            raise OSError

    monkeypatch.setattr(workbook.socket, "socket", Taken)
    assert workbook.free_port() is None
    assert asked == [("127.0.0.1", 8888 + tried) for tried in range(50)]
