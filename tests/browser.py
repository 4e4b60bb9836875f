"""A real JupyterLab in a real Chromium, for the tests of the pages and for the benchmark."""

import base64
import contextlib
import io
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from tests import memory

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
QUIET = ["gpu", "quic", "background-networking", "component-update", "sync"]
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # A notebook stays as it was stored, also after it was run.
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
    # Cells outside the window stay on the page, where a test can find them.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}

IDLE = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
SAVE = "jupyterapp.commands.execute('docmanager:save')"
RUN_ALL = """async seconds => {
    const late = new Promise((_, fail) => setTimeout(fail, 1000 * seconds, Error('still running')));
    await Promise.race([late, jupyterapp.commands.execute('notebook:run-all-cells')]);
}"""

FAILED = """() => jupyterapp.shell.currentWidget.content.model.toJSON().cells
    .flatMap(cell => cell.outputs ?? []).filter(output => output.output_type === 'error')
    .map(error => `${error.ename}: ${error.evalue}`).join('\\n')"""


def missing():
    """Why there can be no browser here, or None."""
    if CHROMIUM is None:
        return "no Chromium on the path"
    try:
        import jupyterlab  # noqa: F401
        import playwright  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed"
    return None


def require():
    """Skip what needs a browser where there can be none; in CI there must be one."""
    import pytest

    reason = missing()
    if reason:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


class Lab:
    """JupyterLab over a folder, with settings, kernels and logs of its own; or Notebook 7.

    `with Lab(folder) as lab, lab.page() as page:` opens it; `lab.log` is what the server wrote.
    """

    def __init__(self, folder, *, app="jupyterlab"):
        self.folder, self.app = Path(folder), app

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(prefix="lab")
        home = Path(self.home.name)
        for name, setting in SETTINGS.items():
            file = home / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(setting))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.token = secrets.token_hex(16)
        self.address = f"http://127.0.0.1:{port}"
        own = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_RUNTIME_DIR": "run",
            "IPYTHONDIR": "ipython",
        }
        own |= {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces"}
        paths = [str(ROOT), os.environ.get("PYTHONPATH")]
        environment = os.environ | {name: str(home / folder) for name, folder in own.items()}
        environment |= {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        command = [
            sys.executable,
            "-m",
            self.app,
            "--no-browser",
            "--ip=127.0.0.1",
            f"--port={port}",
        ]
        command += [f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.folder}"]
        shown = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}[self.app]
        command += [f"--{shown}.expose_app_in_browser=True", "--ServerApp.port_retries=0"]
        command += ["--allow-root"] if hasattr(os, "getuid") and os.getuid() == 0 else []
        self.file = home / "server.log"
        self.server = subprocess.Popen(
            command, env=environment, stdout=self.file.open("w"), stderr=subprocess.STDOUT
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait(self):
        for _ in range(240):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.address}/api/status?token={self.token}").close()
                return
            if self.server.poll() is not None:
                break
            time.sleep(0.25)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log}")

    def __exit__(self, *_):
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.home.cleanup()

    @property
    def log(self):
        return self.file.read_text(errors="replace")

    def errors(self):
        """Lines of the server's and the kernels' log that report an error."""
        return [
            line
            for line in self.log.splitlines()
            if re.match(r"\[[EC] |Traceback|\w*Error\b", line)
        ]

    def kernel_megabytes(self):
        """The memory of the kernels."""
        children = memory.descendants(str(self.server.pid))[1:]
        return sum(map(memory.megabytes, children))

    def page(self, width=1280, height=720):
        return opened(width, height)

    def open(self, page, notebook, *, run=True, files=False, seconds=180):
        """Open a notebook and run all its cells to the end; `files`: beside the file browser."""
        # A kernel that still talks to a page that is gone would fill the log with its complaints.
        page.evaluate("window.jupyterapp?.serviceManager.sessions.shutdownAll()")
        page.goto("about:blank")
        free(page)
        place = "lab/tree" if self.app == "jupyterlab" else "notebooks"
        page.goto(f"{self.address}/{place}/{notebook}?reset&token={self.token}")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        if not files and self.app == "jupyterlab":
            page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
        # To run before the kernel is there would ask which kernel to use.
        page.wait_for_function(IDLE, timeout=60_000)
        if run:
            self.run(page, notebook, seconds)

    def run(self, page, notebook, seconds=180):
        """Run all cells of the notebook that is open."""
        page.evaluate(RUN_ALL, seconds)
        failed = page.evaluate(FAILED)
        if failed:
            raise AssertionError(f"{notebook}: a cell failed\n{failed}")


def free(page):
    """Chromium keeps what the page held before, up to a gigabyte, until it is told not to."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.detach()


@contextlib.contextmanager
def chromium():
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Chromium refuses its sandbox as root, as in most containers.
        arguments = [f"--disable-{what}" for what in QUIET] + ["--no-first-run", "--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(width, height):
    """A page of Chromium; `complaints` is what went wrong on it."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.complaints = []
        page.on("console", lambda m: m.type == "error" and page.complaints.append(m.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        yield page


@contextlib.contextmanager
def painted(page, element):
    """The frames that the browser paints meanwhile, each cut to an element, in shades of grey.

    A script on the page cannot know: to it an image is empty while the next one is loading, though
    the old one stays on the screen.
    """
    import numpy as np
    from PIL import Image

    box = element.bounding_box()
    corners = [box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]]
    session, frames = page.context.new_cdp_session(page), []

    def take(frame):
        session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})
        picture = Image.open(io.BytesIO(base64.b64decode(frame["data"])))
        frames.append(np.asarray(picture.convert("L").crop(corners)))

    session.on("Page.screencastFrame", take)
    session.send("Page.startScreencast", {"format": "png"})
    yield frames
    session.send("Page.stopScreencast")
    session.detach()


def notebook(cells):
    """A notebook of code cells that have not run."""
    made = [
        {"cell_type": "code", "id": f"c{i}", "source": source, "metadata": {}, "outputs": []}
        | {"execution_count": None}
        for i, source in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    metadata = {"kernelspec": kernel}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
