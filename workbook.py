"""Set up and open the workbook.

  python3 workbook.py               open JupyterLab on the first notebook
  python3 workbook.py 01            ... on the notebook whose name starts with 01
  python3 workbook.py check         tell whether this machine is fit
  python3 workbook.py test          run all tests; arguments after it go to pytest
  python3 workbook.py test --quick  test the library alone
  python3 workbook.py book          write the book, for any browser, to build/book
  python3 workbook.py slides 01     write a lecture's slides to build/slides
  python3 workbook.py handout 01    write editions for students and graders to build/handout

On Windows write `py` for `python3`. The first start makes an environment of its own in .venv.
"""
# Standard library only, and no syntax newer than Python 3.6: an old Python must get as far as
# being told that it is too old.

import ast
import csv
import hashlib
import importlib.util
import itertools
import json
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, run

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None
    import msvcrt

# Not realpath alone: on Windows that turns the letter of a network drive into its long name.
ROOT = Path((os.path.realpath if os.path.islink(__file__) else os.path.abspath)(__file__)).parent
VENV = ROOT / ".venv"
STAMP = VENV / "workbook.json"  # written last: what it names is completely installed
PIP = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore", "PIP_USER": "0"}
# What pip may be told from outside: where packages come from, not where they go.
SOURCES = """index-url extra-index-url no-index find-links proxy cert client-cert trusted-host
timeout default-timeout retries keyring-provider cache-dir no-cache-dir use-feature""".split()
# For the environment's Python, because pip brings what reads a pin: print those not installed.
COMPARE = """import sys
from importlib.metadata import distributions
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name as plain
there = {plain(found.name): found.version for found in distributions() if found.name}
for line in (line.strip() for file in sys.argv[1:] for line in open(file, encoding="utf-8")):
    pin = Requirement(line) if line[:1].isalnum() else None
    if pin and (not pin.marker or pin.marker.evaluate()):
        version = there.get(plain(pin.name))
        if not version or not pin.specifier.contains(version, prereleases=True):
            print(line)
"""
SETTINGS = Path("share", "jupyter", "lab", "settings", "overrides.d")
NO_VENV = """This Python cannot make environments (venv or ensurepip is missing): install them \
(Debian and Ubuntu: sudo apt install python3-venv) or take Python from python.org."""
NO_NETWORK = "The package index cannot be reached: connect to the network and start again."
NO_ROOM = "Less than 1.5 GB of disk space are free: make room and start again."
NO_PROJECT = f"There are no lists of packages in {ROOT}: workbook.py must stay in its folder."
NO_PORT = "Ports 8888 to 8937 are all taken: close another JupyterLab and start again."


def say(text):
    print(text, flush=True)


def python_problem():
    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        have = ".".join(map(str, sys.version_info[:3]))
        return f"This is Python {have}; the workbook needs Python 3.11 to 3.14."


def executable(venv):
    return str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def environment():
    """The caller's variables, without those that let another Python or kernel in."""
    strangers = "VIRTUAL_ENV CONDA_PREFIX PYTHONHOME PYTHONPATH JUPYTER_PATH".split()
    strangers.append("PYTHONDONTWRITEBYTECODE")  # nothing is compiled ahead, so let it be once
    kept = {name: value for name, value in os.environ.items() if name not in strangers}
    return {**kept, **PIP, "JUPYTER_PREFER_ENV_PATH": "1"}


def pip_environment(python):
    """For pip: what its variables and files say about sources, and nothing else of them."""
    command = [python, "-m", "pip", "config", "list"]
    loud = {"PIP_QUIET": "0", "PIP_VERBOSE": "0", "PIP_LOG": os.devnull}
    here = {"_PIP_RUNNING_IN_SUBPROCESS": "1"}  # not in another Python that is asked for
    done = run(command, env={**environment(), **loud, **here}, capture_output=True)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        sys.exit(f"pip cannot read its configuration: {reason}")
    listed = done.stdout.decode(errors="replace")
    listed = re.findall(r"(?m)^(global|install|:env:)\.([\w-]+)=(.*?)\r?$", listed)
    listed.sort(key=lambda row: row[0] == ":env:")  # the last word is that of the variables
    told = {name: ast.literal_eval(value) for _, name, value in listed if name in SOURCES}
    told = {"PIP_" + name.upper().replace("-", "_"): value for name, value in told.items()}
    kept = {name: value for name, value in environment().items() if not name.startswith("PIP_")}
    return {**kept, **PIP, **told, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INPUT": "1"}


def problem_of(*command, env=None):
    """Run a command that only talks when something is wrong; its last line if it fails."""
    done = run(command, env=env or environment(), stdout=PIPE, stderr=STDOUT)
    lines = done.stdout.decode(errors="replace").split("\n")
    return done.returncode and next(filter(None, reversed(lines)), "it does not say why.")


def site_packages():
    return next(VENV.glob("lib/python*/site-packages"), VENV / "Lib" / "site-packages")


def make_venv(folder):
    """Make an environment; return what went wrong, if anything."""
    if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        return NO_VENV
    # From the base Python: one inside .venv would delete itself, another environment may vanish.
    problem = problem_of(sys._base_executable, "-m", "venv", "--clear", str(folder))
    return problem and f"No environment can be made in {folder}: {problem}"


def venv_problem():
    """What the user has put in the place of .venv is not ours to delete."""
    link = VENV.is_symlink() and any(VENV.glob("*"))
    if link or os.path.lexists(str(VENV)) and not VENV.is_dir():
        kind = "link" if VENV.is_symlink() else "file"
        return f"{VENV} is a {kind}, where a folder must be made: rename it and start again."


def plain(name):
    return re.sub("[-_.]+", "-", name).lower()


def is_whole(info):
    """Whether each file of a package has the size that pip wrote down when it installed it."""
    try:
        with open(str(info / "RECORD"), encoding="utf-8", newline="") as record:
            sizes = {row[0]: row[2] for row in csv.reader(record)}
        # Compiled files are Python's to rewrite; some that pip makes have no size.
        sizes = {name: sizes[name] for name in sizes if sizes[name] and name[-4:] != ".pyc"}
        path = os.path.join(str(info.parent), "")
        return bool(sizes) and all(os.stat(path + n).st_size == int(sizes[n]) for n in sizes)
    except (OSError, ValueError, IndexError, csv.Error):
        return False


def state(lists):
    """What the stamp should say for these lists of requirements, and what it says (or None)."""
    files = {name: (ROOT / "requirements" / f"{name}.txt").read_bytes() for name in lists}
    wanted = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    infos = sorted(site_packages().glob("*.dist-info"))
    wanted["installed"] = [info.name for info in infos]
    ours = b"\n".join([b"pip", *files.values()]).decode()
    ours = {plain(name) for name in re.findall(r"(?m)^\w[\w.-]*", ours)}
    ours = [info for info in infos if plain(info.name.split("-")[0]) in ours]
    # In the stamp too, because a package may come with a wrong list of its files.
    wanted["damaged"] = [info.name for info in ours if not is_whole(info)]
    try:
        found = dict(json.loads(STAMP.read_text()))
        broken = problem_of(executable(VENV), "-I", "-c", "import course_lib, pip")
    except (OSError, ValueError, TypeError):
        return wanted, None
    broken = broken or any(name.startswith("pip-") for name in wanted["damaged"])
    return wanted, None if broken else found


def is_complete(wanted, found):
    return bool(found) and wanted.items() <= found.items()


def wait_for(file):
    """Lock a file; the lock ends with the last process that has the file open."""
    file.seek(2**30)  # on Windows the byte there is locked, so that the others can be read
    for attempt in itertools.count():
        try:
            if fcntl:
                return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except (BlockingIOError, PermissionError):
            if attempt == 0:
                say("Another start is setting up the workbook: waiting for it.")
            time.sleep(0.2)
        except OSError:
            return  # a file system without locks


def set_up(*lists):
    """Bring .venv to the pinned versions, from whatever state an earlier start left it in."""
    if is_complete(*state(lists)):
        return
    # Itself, because it is there; to be written, because NFS locks nothing else.
    with open(str(ROOT / "workbook.py"), "r+b", buffering=0) as locked:
        wait_for(locked)
        wanted, found = state(lists)
        if is_complete(wanted, found):
            return
        if found:
            for name in sorted({*wanted["damaged"]} - {*found.get("damaged", ())}):
                say(f"Repairing {name.split('-')[0]}, of which files are missing or changed.")
                shutil.rmtree(str(site_packages() / name))  # so that pip sees that it is missing
        else:
            if venv_problem():
                sys.exit(venv_problem())
            say("Making an environment in .venv; this happens once and takes a minute or two.")
            problem = make_venv(VENV)
            if problem:
                sys.exit(problem)
        STAMP.unlink(missing_ok=True)
        files = [str(ROOT / "requirements" / f"{name}.txt") for name in lists]
        install(files, locked)
        # Relative, so that the folder can be moved; and so nothing of ours has to be built.
        (site_packages() / "workbook.pth").write_text(os.path.relpath(ROOT, site_packages()) + "\n")
        (VENV / SETTINGS).mkdir(parents=True, exist_ok=True)
        for file in (ROOT / SETTINGS).glob("*.json"):
            shutil.copy(str(file), str(VENV / SETTINGS))
        # Lists that were installed before, for another command, still are.
        STAMP.write_text(json.dumps({**(found or {}), **state(lists)[0]}))


def install(files, locked):
    """Let pip install the lists, on a line of progress instead of its hundreds."""
    say("Fetching the packages.")
    python = executable(VENV)
    command = [python, "-m", "pip", "install", "--only-binary", ":all:", "--no-compile"]
    command += [part for file in files for part in ("-r", file)]
    # pip keeps the lock too, so that nobody comes between if it outlives this process.
    pip = Popen(command, env=pip_environment(python), stdin=locked, stdout=PIPE, stderr=STDOUT)
    output, count = [], 0
    for line in (raw.decode(errors="replace") for raw in pip.stdout):
        output.append(line)
        if line.startswith(("Collecting ", "Processing ")):
            count += 1
            if sys.stdout.isatty():
                print(f"\r{count:5}  {line.split()[1]:<50.50}", end="", flush=True)
        elif line.startswith("WARNING: Retrying"):
            say("The package index does not answer; trying again.")
        elif line.startswith("Installing collected"):
            say(f"\rInstalling {line.count(',') + 1} packages.".ljust(60))
    if pip.wait() < 0:
        sys.exit(f"pip was killed (signal {-pip.returncode}); the next start puts it right.")
    if pip.returncode and re.search("Retrying|connection|timed out", "".join(output), re.I):
        sys.exit(NO_NETWORK)
    if pip.returncode:
        errors = [line for line in output if line.startswith("ERROR")] or output
        sys.exit(f"pip could not install the packages: {''.join(errors[-1:]).strip()}")
    compare = run([python, "-I", "-c", COMPARE, *files], stdout=PIPE, stderr=STDOUT)
    missing = compare.stdout.decode(errors="replace").splitlines()
    if missing:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        sys.exit(f"pip reports success, but {missing[0]}{more} are not in .venv: start again.")


def with_home(variables):
    """The variables, with folders for Jupyter where the home folder is of no use."""
    home = os.path.expanduser("~")
    try:
        tempfile.TemporaryFile(dir=home).close()
        return variables
    except OSError:
        say(f"The home folder {home} cannot be written to: Jupyter keeps its files in .venv/home.")
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
    (VENV / "home").mkdir(exist_ok=True)
    return {**dict.fromkeys(names, str(VENV / "home")), **variables}


def hand_over(arguments):
    """Become the environment's Python, so that Ctrl-C and the exit status are its own."""
    command = [executable(VENV), *arguments]
    os.chdir(str(ROOT))
    variables = with_home(environment())
    if os.name != "nt":
        os.execve(command[0], command, variables)
    child = Popen(command, env=variables)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(child.wait())


def lab_arguments(notebook):
    arguments = ["-m", "jupyterlab", "--ip=127.0.0.1", "--log-level=WARN"]
    arguments += [f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{notebook}"]
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not display:
        say("There is no display here: open the address below in a browser.")
        arguments.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        say("You are root, which JupyterLab is told to allow; an ordinary account is safer.")
        arguments.append("--allow-root")
    return arguments


def find_notebook(start):
    """The notebook whose name starts so; 1 stands for 01."""
    names = sorted(path.name for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    for name in names:
        if name.startswith(start.zfill(2)):
            return f"notebooks/{name}"
    known = f"test, check, book, slides, handout and the notebooks {', '.join(names)}"
    sys.exit(f"There is no '{start}'; there are {known}.")


def free_port():
    with socket.socket() as probe:
        for port in range(8888, 8938):  # those that JupyterLab tries
            try:
                return probe.bind(("127.0.0.1", port)) or port
            except OSError:
                pass


def checks():
    """For each thing the workbook needs: what is wrong, or nothing, and what is right."""
    yield python_problem(), f"Python {sys.version.split()[0]}"
    if python_problem():
        return
    port = free_port()
    yield not port and NO_PORT, f"port {port} is free for JupyterLab"
    wanted, found = state(["run"])
    if is_complete(wanted, found):
        yield None, "the packages are installed"
        return
    if STAMP.exists() and (not found or wanted["damaged"]):
        names = ", ".join(name.split("-")[0] for name in wanted["damaged"]) or "Python"
        yield f"Files of {names} in .venv are missing or changed: a start repairs this.", ""
    space = shutil.disk_usage(str(ROOT)).free / 1e9
    yield space < 1.5 and NO_ROOM, f"{space:.0f} GB of disk space are free"
    # In small what the first start does, in the same place.
    with tempfile.TemporaryDirectory(prefix=".check-", dir=str(ROOT)) as scratch:
        problem = not found and venv_problem() or make_venv(Path(scratch))
        yield problem, f"an environment can be made in {ROOT}"
        if not problem:
            pin = re.search("^[a-z].*", (ROOT / "requirements/run.txt").read_text(), re.M).group()
            fetch = ["pip", "download", "--only-binary", ":all:", "--no-deps", "--retries", "1"]
            python = executable(Path(scratch))
            fetch = [python, "-m", *fetch, "-d", scratch, pin]
            problem = problem_of(*fetch, env=pip_environment(python))
            yield problem and NO_NETWORK, "the package index answers"


def check():
    fit = True
    for problem, good in checks():
        say(f"FAIL  {problem}" if problem else f"OK    {good}")
        fit = fit and not problem
    say(f"note  Chromium, for the browser tests only: {shutil.which('chromium') or 'not found'}")
    return int(not fit)


def main(command="00", *arguments):
    if command in ("-h", "--help", "help"):
        return say(__doc__.strip())
    if not (ROOT / "requirements" / "run.txt").exists():
        return NO_PROJECT
    if command == "check":
        return check()
    if python_problem():
        return python_problem()
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if os.environ.get(name, str(VENV)) != str(VENV):
            say(f"Not using the active environment {os.environ[name]}: the workbook has its own.")
    if command == "test":
        set_up("run", "publish", "test")
        quick = ["tests", "-m", "not slow"] if "--quick" in arguments else []
        shared = ["--numprocesses", "2"]  # by two processes; tests/workers.py says how
        hand_over(["-m", "pytest", *shared, *quick, *(a for a in arguments if a != "--quick")])
    if command in ("book", "slides", "handout"):
        set_up("run", "publish")
        hand_over(["-m", "tools.publish", command, *arguments])
    notebook = find_notebook(command)
    set_up("run")
    say(f"Opening {notebook}; Ctrl-C twice here ends JupyterLab.")
    hand_over([*lab_arguments(notebook), *arguments])


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next start puts it right.")
    except OSError as error:
        sys.exit(f"{error}: the workbook needs a folder it may write to, with space left.")
