"""The notebooks as a student meets them: JupyterLab, a keyboard, and what the page shows.

Every notebook runs from top to bottom and each demo moves; in notebook 01 every slider is driven to
its ends and what the page shows is compared with what the library computes for the printed call.
"""

import base64
import importlib
import io
import json
import os
import pkgutil
import shutil
import time

import numpy as np
import pytest
from PIL import Image

import course_lib.demos
from course_lib.demos.explore import compact, explore
from tests.browser import ROOT, Lab, missing, painted

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
THOROUGH = [name for name in NOTEBOOKS if name.startswith("01")]
WIDGET = "application/vnd.jupyter.widget-view+json"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_left_of_it")]

BYTES = """async picture => {
    const bytes = new Uint8Array(await (await fetch(picture.src)).arrayBuffer());
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}"""
# The heights a panel has from now on, frame by frame.
WATCH = """panel => {
    window.heights = new Set();
    const look = () => {
        heights.add(panel.getBoundingClientRect().height);
        window.watch = requestAnimationFrame(look);
    };
    look();
}"""
HEIGHTS = "() => (cancelAnimationFrame(watch), [...heights])"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    reason = missing()
    if reason and os.environ.get("CI"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("workbook")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    with Lab(folder) as lab:
        yield lab


@pytest.fixture(scope="module")
def page(lab):
    with lab.page() as page:
        yield page


@pytest.fixture(scope="module")
def opened(lab, page):
    """A notebook that was run, opened once for all the tests of it."""
    current = []

    def open_once(name):
        if current != [name]:
            lab.open(page, f"notebooks/{name}")
            current[:] = [name]
        return panels(page)

    return open_once


def figures():
    modules = pkgutil.iter_modules(course_lib.demos.__path__, "course_lib.demos.")
    return {
        k: v
        for m in modules
        for k, v in vars(importlib.import_module(m.name)).items()
        if hasattr(v, "demo")
    }


def panels(page):
    pictures = page.locator(".jp-OutputArea-output:has(img.widget-image)")
    return [Shown(page, pictures.nth(number)) for number in range(pictures.count())]


class Shown:
    """A panel on the page."""

    def __init__(self, page, area):
        self.page, self.area = page, area
        self.sliders = area.locator(".noUi-handle")
        self.picture = area.locator("img.widget-image")

    @property
    def sentence(self):
        return self.area.get_by_role("status").inner_text().replace("\xa0", " ")

    @property
    def call(self):
        return self.area.locator("code").inner_text()

    @property
    def pixels(self):
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(self.picture.evaluate(BYTES)))))

    @property
    def readouts(self):
        return self.area.locator(".widget-readout").all_inner_texts()

    def library(self):
        """The same panel computed here, from the line that the page prints."""
        return eval(self.call, figures() | {"explore": explore})

    def press(self, slider, key):
        """Press a key on a slider and wait for the picture, if the key moves it."""
        handle = self.sliders.nth(slider)
        handle.focus()
        before, shown = self.readouts[slider], self.call
        self.page.keyboard.press(key)
        if self.readouts[slider] != before:
            self.wait(lambda: self.call != shown)

    def hold(self, slider, *, seconds):
        """Hold the arrow keys as a keyboard repeats them, turning back before the slider's ends."""
        self.sliders.nth(slider).focus()
        for press in range(round(30 * seconds)):
            key = ["ArrowRight", "ArrowLeft"][press // 5 % 2]
            self.page.keyboard.down(key)
            self.page.wait_for_timeout(33)
        self.page.keyboard.up(key)

    def wait(self, condition, seconds=10):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"the page still shows {self.call}: {self.sentence}"
            self.page.wait_for_timeout(20)

    def fits_a_projector(self):
        """No more than a projector's 720 lines, less the menu and the toolbar; nothing cut off."""
        assert self.area.bounding_box()["height"] <= 660
        assert self.area.evaluate("e => e.scrollWidth <= e.clientWidth")
        status = self.area.get_by_role("status")
        assert status.evaluate("e => e.scrollHeight <= e.closest('.widget-html').clientHeight")
        assert self.picture.get_attribute("title")

    def agrees(self):
        """Picture, sentence and slider positions are those of the printed call."""
        library = self.library()
        assert self.sentence == library.sentence
        assert self.readouts == [compact(library.values[name]) for name in library.sliders]
        assert np.array_equal(self.pixels, np.asarray(Image.open(io.BytesIO(library.png))))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_runs_to_the_end_and_each_demo_moves(name, lab, page, opened):
    shown = opened(name)
    assert len(shown) == len(stored_panels(lab.folder / "notebooks" / name))
    for panel in shown:
        panel.fits_a_projector()
        before = panel.sentence, panel.picture.get_attribute("src")
        panel.press(0, "ArrowRight")
        panel.press(0, "ArrowLeft")
        panel.press(0, "ArrowLeft")
        assert (panel.sentence, panel.picture.get_attribute("src")) != before
        assert panel.sentence == panel.library().sentence
        panel.area.get_by_role("button", name="Reset").click()
        panel.wait(lambda panel=panel, before=before: panel.sentence == before[0])
    assert not page.complaints
    assert not lab.errors()


@pytest.mark.parametrize("name", THOROUGH)
def test_every_slider_to_its_ends_agrees_with_the_library(name, opened):
    for panel in opened(name):
        start = panel.call
        for slider in range(panel.sliders.count()):
            for key in ("ArrowRight", "ArrowLeft", "Home", "End"):
                panel.press(slider, key)
            panel.agrees()
            panel.press(slider, "Home")
            panel.agrees()
            panel.area.get_by_role("button", name="Reset").click()
            panel.wait(lambda panel=panel, start=start: panel.call == start)
        panel.agrees()


@pytest.mark.parametrize("name", THOROUGH)
def test_new_noise_and_reset(name, opened):
    seeded = [panel for panel in opened(name) if "seed" in panel.library().values]
    assert seeded
    for panel in seeded:
        start, picture = panel.call, panel.pixels
        panel.area.get_by_role("button").nth(1).click()
        panel.wait(lambda panel=panel, start=start: panel.call != start)
        assert not np.array_equal(panel.pixels, picture)
        panel.agrees()
        panel.area.get_by_role("button", name="Reset").click()
        panel.wait(lambda panel=panel, start=start: panel.call == start)
        assert np.array_equal(panel.pixels, picture)


@pytest.mark.parametrize("name", THOROUGH)
def test_held_key_ends_on_the_last_value_without_blank_frames_or_jumps(name, page, opened):
    panel = opened(name)[0]
    panel.picture.scroll_into_view_if_needed()
    panel.area.evaluate(WATCH)
    with painted(page, panel.picture) as frames:
        panel.hold(0, seconds=2)
        page.wait_for_timeout(300)
    first = next(iter(panel.library().sliders))
    panel.wait(lambda: compact(panel.library().values[first]) == panel.readouts[0], seconds=3)
    panel.agrees()
    assert len(frames) > 10
    assert all((frame < 128).any() for frame in frames), "a frame without a picture"
    assert len(page.evaluate(HEIGHTS)) == 1
    panel.area.get_by_role("button", name="Reset").click()


def test_combination_that_makes_no_sense_shows_its_reason(lab, page):
    demos = "from course_lib.demos.above_threshold import failure_against_alpha"
    call = "explore(failure_against_alpha, epsilon=-1)"
    notebook = small_notebook(demos, "from course_lib.demos.explore import explore", call)
    (lab.folder / "reason.ipynb").write_text(notebook)
    lab.open(page, "reason.ipynb")
    (panel,) = panels(page)
    assert panel.sentence == "epsilon must be from 0.05 to 5 in this picture, got -1"
    assert panel.picture.bounding_box()["height"] == 400
    assert (panel.pixels < 128).any() and (panel.pixels[:, :10] == 255).all()
    panel.press(0, "ArrowRight")
    assert "must be" not in panel.sentence
    assert not lab.errors()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_opened_without_running_shows_its_pictures(name, lab, page):
    stored = stored_panels(lab.folder / "notebooks" / name)
    assert not any(WIDGET in o["data"] for o in stored), "stored outputs still point to widgets"
    lab.open(page, f"notebooks/{name}", run=False)
    pictures = page.locator(".jp-RenderedImage img")
    assert pictures.count() == len(stored)
    for number, output in enumerate(stored):
        size = output["metadata"]["image/png"]
        shown = pictures.nth(number).evaluate(
            "i => [i.complete && i.naturalWidth > 0, i.width, i.height]"
        )
        assert shown == [True, size["width"], size["height"]]


def stored_panels(path):
    """The outputs of the notebook as it is in the repository that came from a panel."""
    outputs = [o for c in json.loads(path.read_text())["cells"] for o in c.get("outputs", [])]
    texts = ["".join(o.get("data", {}).get("text/plain", "")) for o in outputs]
    return [o for o, text in zip(outputs, texts, strict=True) if text.startswith("explore(")]


def small_notebook(*lines):
    cell = {"cell_type": "code", "id": "only", "source": "\n".join(lines), "metadata": {}}
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    cells = [cell | {"outputs": [], "execution_count": None}]
    metadata = {"kernelspec": kernel}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
