"""Set up and open the workbook.

  python3 workbook.py               open JupyterLab on the first notebook
  python3 workbook.py 01            ... on the notebook whose name starts with 01
  python3 workbook.py check         tell whether this machine is fit
  python3 workbook.py test          run all tests; arguments after it go to pytest
  python3 workbook.py test --quick  test the library alone

On Windows write `py` for `python3`. The first start makes an environment of its own in .venv.
"""
# Standard library only, and no syntax newer than Python 3.6: an old Python must get as far as
# being told that it is too old.

import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, run

ROOT = Path(os.path.abspath(__file__)).parent
VENV = ROOT / ".venv"
STAMP = VENV / "workbook.json"  # written last: what it names is completely installed
NO_NEWS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
NO_VENV = """This Python cannot make environments (venv or ensurepip is missing): install them \
(Debian and Ubuntu: sudo apt install python3-venv) or take Python from python.org."""
NO_NETWORK = "The package index cannot be reached: connect to the network and start again."
NO_ROOM = "Less than 1.5 GB of disk space are free: make room and start again."
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
    pip = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore", "PIP_USER": "0"}
    return {**kept, **pip, "JUPYTER_PREFER_ENV_PATH": "1"}


def problem_of(*command):
    """Run a command that only talks when something is wrong; its last line if it fails."""
    done = run(command, env=environment(), stdout=PIPE, stderr=STDOUT)
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


def state(lists):
    """What the stamp should say for these lists of requirements, and what it says (or None)."""
    files = {name: (ROOT / "requirements" / f"{name}.txt").read_bytes() for name in lists}
    wanted = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    wanted["packages"] = sorted(path.name for path in site_packages().glob("*.dist-info"))
    try:
        found = json.loads(STAMP.read_text())
        broken = problem_of(executable(VENV), "-I", "-c", "import course_lib, pip")
    except (OSError, ValueError):
        return wanted, None
    return wanted, None if broken else found


def set_up(*lists):
    """Bring .venv to the pinned versions, from whatever state an earlier start left it in."""
    wanted, found = state(lists)
    if found and wanted.items() <= found.items():
        return
    if not found:
        say("Making an environment in .venv; this happens once and takes a minute or two.")
        problem = make_venv(VENV)
        if problem:
            sys.exit(problem)
    STAMP.unlink(missing_ok=True)
    install([ROOT / "requirements" / f"{name}.txt" for name in lists])
    # Relative, so that the folder can be moved; and so nothing of ours has to be built.
    (site_packages() / "workbook.pth").write_text(os.path.relpath(ROOT, site_packages()) + "\n")
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(NO_NEWS))
    STAMP.write_text(json.dumps(state(lists)[0]))


def install(files):
    """Let pip install the lists, on a line of progress instead of its hundreds."""
    say("Fetching the packages.")
    command = [executable(VENV), "-m", "pip", "install", "--only-binary", ":all:", "--no-compile"]
    command += [part for file in files for part in ("-r", str(file))]
    pip = Popen(command, env=environment(), stdout=PIPE, stderr=STDOUT)
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
    if pip.wait() and re.search("Retrying|connection|timed out", "".join(output), re.I):
        sys.exit(NO_NETWORK)
    if pip.returncode:
        errors = [line for line in output if line.startswith("ERROR")] or output
        sys.exit(f"pip could not install the packages: {''.join(errors[-1:]).strip()}")


def hand_over(arguments):
    """Become the environment's Python, so that Ctrl-C and the exit status are its own."""
    command = [executable(VENV), *arguments]
    os.chdir(str(ROOT))
    if os.name != "nt":
        os.execve(command[0], command, environment())
    child = Popen(command, env=environment())
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
    sys.exit(f"There is no '{start}'; there are test, check and the notebooks {', '.join(names)}.")


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
    if found and wanted.items() <= found.items():
        yield None, "the packages are installed"
        return
    space = shutil.disk_usage(str(ROOT)).free / 1e9
    yield space < 1.5 and NO_ROOM, f"{space:.0f} GB of disk space are free"
    # In small what the first start does, in the same place.
    with tempfile.TemporaryDirectory(prefix=".check-", dir=str(ROOT)) as scratch:
        problem = make_venv(Path(scratch))
        yield problem, f"an environment can be made in {ROOT}"
        if not problem:
            pin = re.search("^[a-z].*", (ROOT / "requirements/run.txt").read_text(), re.M).group()
            fetch = ["pip", "download", "--only-binary", ":all:", "--no-deps", "--retries", "1"]
            problem = problem_of(executable(Path(scratch)), "-m", *fetch, "-d", scratch, pin)
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
    if command == "check":
        return check()
    if python_problem():
        return python_problem()
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if os.environ.get(name, str(VENV)) != str(VENV):
            say(f"Not using the active environment {os.environ[name]}: the workbook has its own.")
    if command == "test":
        set_up("run", "test")
        quick = ["tests", "-m", "not slow"] if "--quick" in arguments else []
        hand_over(["-m", "pytest", *quick, *(a for a in arguments if a != "--quick")])
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
