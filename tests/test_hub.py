"""A class on one machine: five accounts of JupyterHub, each with notebooks of its own.

The hub is started as tools/hub configures it, with its proxy, on this machine's loopback alone. It
takes root, because accounts are made for it and removed again.
"""

import os
import shutil
import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from tests import browser, memory
from tests.class_environment import ROOT, free_port, missing, programs, proxy, run

CAP = 1  # servers at once; of five students all but the last leave, which saves memory
STUDENTS = [f"workbook-test-{number}" for number in range(1, 7)]
SECRET = "on loopback alone"
NOTEBOOK = "01_above_threshold.ipynb"
SLIDER = ".workbook-panel input[type=range]"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hub():
    """The address of a running hub; its folder, processes and accounts go in the end."""
    if missing(root=True):
        pytest.skip(missing(root=True))
    folder = Path("/tmp") / f"workbook-hub-{os.getpid()}"
    notebooks = folder / "notebooks"
    notebooks.mkdir(parents=True)
    shutil.copy(ROOT / "notebooks" / "00_start_here.ipynb", notebooks)
    shutil.copy(ROOT / "notebooks" / NOTEBOOK, notebooks)
    folder.chmod(0o755)
    run("groupadd", "--force", "workbook")
    secret = run("openssl", "passwd", "-6", SECRET).strip()
    address = f"http://127.0.0.1:{free_port()}"
    options = {
        "JupyterHub.bind_url": address,
        "JupyterHub.hub_port": free_port(),
        "ConfigurableHTTPProxy.api_url": f"http://127.0.0.1:{free_port()}",
        "Spawner.args": "['--LabApp.expose_app_in_browser=True']",
    }
    command = [programs() / "jupyterhub", f"--config={ROOT}/tools/hub/jupyterhub_config.py"]
    command += [f"--{name}={value}" for name, value in options.items()]
    path = os.pathsep.join([str(programs()), str(proxy()), os.environ["PATH"]])
    variables = {"WORKBOOK": str(notebooks), "SERVERS": str(CAP), "PATH": path}
    log = folder / "hub.log"
    try:
        for name in STUDENTS:
            run("useradd", "--create-home", "--groups=workbook", f"--password={secret}", name)
        with log.open("w") as written:
            server = subprocess.Popen(
                command,
                cwd=folder,
                env=os.environ | variables,
                stdout=written,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_for(f"{address}/hub/api/", server, log)
            yield address
        finally:
            server.terminate()
            server.wait(60)
    finally:
        for name in STUDENTS:
            subprocess.run(["pkill", "--signal=KILL", f"--uid={name}"])
            subprocess.run(["userdel", "--remove", "--force", name], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder)


def wait_for(address, server, log):
    for _ in range(240):
        with suppress(OSError):
            urllib.request.urlopen(address).close()
            return
        assert server.poll() is None, log.read_text()
        time.sleep(0.25)
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def chromium():
    browser.require()
    with browser.chromium() as started:
        yield started


def log_in(page, hub, name, secret=SECRET):
    page.goto(f"{hub}/hub/login?next=%2Fhub%2Fspawn")
    page.fill("#username_input", name)
    page.fill("#password_input", secret)
    page.click("#login_submit")


def leave(page, hub, name):
    """Stop one's own server, as a student does, and wait until nothing of it runs."""
    page.goto(f"{hub}/hub/home")
    page.click("#stop")
    page.wait_for_selector("#stop", state="hidden")
    for _ in range(120):
        if not megabytes(name):
            return
        time.sleep(0.25)
    raise AssertionError(f"the server of {name} goes on")


def processor_seconds(name):
    """What all processes of an account have used so far."""
    found = subprocess.run(
        ["ps", f"--user={name}", "-o", "cputimes="], capture_output=True, text=True
    )
    return sum(map(int, found.stdout.split()))


def megabytes(name):
    found = subprocess.run(["ps", f"--user={name}", "-o", "pid="], capture_output=True, text=True)
    return sum(map(memory.megabytes, found.stdout.split()))


def test_a_wrong_password_lets_nobody_in(hub, chromium):
    page = chromium.new_page()
    log_in(page, hub, STUDENTS[0], "a guess")
    page.wait_for_selector(".login_error")
    page.close()


def test_five_students_run_a_notebook_and_move_a_slider_and_a_sixth_is_told_to_wait(hub, chromium):
    *five, sixth = STUDENTS
    used = {}
    for name in five:
        context = chromium.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        log_in(page, hub, name)
        page.wait_for_url(f"**/user/{name}/lab**", timeout=60_000)
        page.goto(f"{hub}/user/{name}/lab/tree/{NOTEBOOK}?reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_function(browser.IDLE, timeout=60_000)
        page.evaluate(browser.RUN_ALL, 180)
        assert page.evaluate(browser.FAILED) == ""
        slider, caption = (
            page.locator(SLIDER).first,
            page.locator(".workbook-panel .sentence").first,
        )
        before = caption.text_content()
        slider.press("End")
        page.wait_for_function(
            "before => document.querySelector('.workbook-panel .sentence').textContent !== before",
            arg=before,
        )
        page.evaluate(browser.SAVE)
        used[name] = megabytes(name), processor_seconds(name)
        page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")
        if name in five[:-CAP]:
            leave(page, hub, name)
        context.close()
    for name in five:
        assert (Path("/home") / name / "workbook" / NOTEBOOK).owner() == name
    for name, (taken, seconds) in used.items():
        print(f"{name}: {taken:.0f} MB, {seconds} s of CPU")
    page = chromium.new_page()
    log_in(page, hub, sixth)
    page.wait_for_selector("text=Active user limit exceeded")
    page.close()


def test_no_student_reads_the_notebooks_of_another(hub):
    mine, theirs = (Path("/home") / name / "workbook" / NOTEBOOK for name in STUDENTS[:2])
    read = ["runuser", f"--user={STUDENTS[0]}", "--", "cat"]
    assert subprocess.run([*read, mine], capture_output=True).returncode == 0
    assert subprocess.run([*read, theirs], capture_output=True).returncode != 0
