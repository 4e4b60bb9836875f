"""What a teacher installs beside the workbook: JupyterHub with its proxy, and nbgrader.

It is installed once on a machine, in a folder that other accounts may read, because the hub starts
servers in their names; the workbook is put there anew for each run of the tests.
"""

import functools
import hashlib
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = [ROOT / "requirements" / "run.txt", ROOT / "requirements" / "class.txt"]
PYTHON = "/usr/bin/python3"  # other accounts cannot start a Python in the home of root
PROXY = "configurable-http-proxy@5.3.0"


def missing(*, root=False):
    """Why there can be none here, or None; `root`: also accounts and a proxy are needed."""
    if not sys.platform.startswith("linux"):
        return "a class is tested on Linux"
    if subprocess.run([PYTHON, "-c", "import ensurepip, venv"], capture_output=True).returncode:
        return f"{PYTHON} cannot make environments"
    if root and os.geteuid() != 0:
        return "only root can make accounts"
    programs = [name for name in ("npm", "useradd") if root and not shutil.which(name)]
    return f"no {programs[0]} on the path" if programs else None


@functools.cache
def programs():
    """The folder with the programs of an environment that holds the workbook as it is now."""
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in LISTS)).hexdigest()[:12]
    folder = Path("/var/tmp") / f"workbook-class-{wanted}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        run(PYTHON, "-m", "venv", folder)
        run(folder / "bin/pip", "install", "--quiet", *(f"--requirement={file}" for file in LISTS))
        (folder / "complete").touch()
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "*.egg-info", "tests")
    )
    run(folder / "bin/pip", "install", "--quiet", "--no-deps", "--force-reinstall", source)
    return folder / "bin"


@functools.cache
def proxy():
    """The folder with the program of JupyterHub's proxy."""
    folder = programs().parent / "proxy"
    if not (folder / "node_modules/.bin/configurable-http-proxy").exists():
        run("npm", "install", "--no-fund", "--no-audit", f"--prefix={folder}", PROXY)
    return folder / "node_modules/.bin"


def run(*command, **options):
    done = subprocess.run(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    assert not done.returncode, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
