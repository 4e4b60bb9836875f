"""The notebooks as a student meets them: JupyterLab, a keyboard, and what the page shows.

Every notebook runs from top to bottom and each demo moves; in notebook 01 every slider is driven to
its ends and what the page shows is compared with what the library computes for the printed call.
"""

import base64
import json
import re
import shutil
import time

import numpy as np
import pytest

from course_lib.demos.panel import Panel
from tests import memory
from tests.browser import ROOT, SAVE, Lab, free, notebook, painted, require
from tests.pictures import figures, pixels
from tests.test_prose import REFERENCE, TERMS

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
THOROUGH = "01_above_threshold.ipynb"
WIDGET = "application/vnd.jupyter.widget-view+json"
SMALLEST = 10.5 / 72  # of the words in a picture, in inches

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_left_of_it")]

BYTES = """async picture => {
    const bytes = new Uint8Array(await (await fetch(picture.src)).arrayBuffer());
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}"""
# Whether so many panels have their picture, from the first on the page to the last.
RESTORED = "n => document.querySelectorAll('.workbook-panel img[src]').length === n"
# Asked once a second: is every picture still the same? One just shown is drawn again, to fit.
SETTLED = """() => {
    const now = [...document.querySelectorAll('.workbook-panel img')].map(i => i.src).join();
    const same = now === window.before;
    window.before = now;
    return same;
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
# The page turns dark or light while the panel has no size.
TURN = """async (panel, light) => {
    panel.style.display = 'none';
    document.body.dataset.jpThemeLight = light;
    await Promise.resolve(); // whoever waits for the theme is told now
    panel.style.display = '';
}"""
# The words that a panel says from now on while it computes.
LISTEN = """panel => {
    window.heard = [];
    const words = panel.querySelector('.busy');
    const hear = new MutationObserver(() => heard.push(words.textContent));
    hear.observe(words, {childList: true, subtree: true});
}"""
# The next image is ready a second late; `late` says that it was.
DELAY = """() => {
    const kind = HTMLImageElement.prototype, honest = kind.decode;
    kind.decode = async function () {
        kind.decode = honest;
        await new Promise(later => setTimeout(later, 1000));
        await honest.call(this);
        setTimeout(() => (window.late = true));
    };
}"""
# A notebook that is opened from now on seems to hold no widgets.
HIDE = """() => {
    const kind = Object.getPrototypeOf(jupyterapp.shell.currentWidget.content.model);
    window.honest = kind.getMetadata;
    kind.getMetadata = function (key) {
        return key === 'widgets' ? undefined : honest.call(this, key);
    };
}"""
# Now it holds them again, and JupyterLab's widget manager reads it.
REVEAL = """async () => {
    const { content, context } = jupyterapp.shell.currentWidget;
    Object.getPrototypeOf(content.model).getMetadata = honest;
    const outputs = content.widgets.flatMap(cell => [...cell.outputArea?.widgets ?? []]);
    const shown = outputs.flatMap(output => [...output.children()]).find(part => part._manager);
    await (await shown._manager.promise).restoreWidgets(context.model);
}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    require()
    folder = tmp_path_factory.mktemp("workbook")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    with Lab(folder) as lab:
        yield lab


@pytest.fixture(scope="module")
def page(lab):
    with lab.page() as page:
        yield page


@pytest.fixture(autouse=True)
def freed(page):
    yield
    free(page)


class Opened:
    """A notebook beside the file browser, opened and run once for all the tests of it."""

    def __init__(self, lab, page):
        self.lab, self.page, self.name, self.has_run = lab, page, None, False

    def __call__(self, name):
        """Its panels, after it was run."""
        if not (self.name == name and self.has_run):
            self.stored(name)
            self.lab.run(self.page, name)
            self.has_run = True
        return panels(self.page)

    def stored(self, name):
        """Open it without running it, if it is not open."""
        if self.name != name or self.has_run:
            self.page.set_viewport_size({"width": 1280, "height": 720})
            self.open(f"notebooks/{name}", run=False, files=True)
            self.name = name

    def open(self, path, **options):
        """Open another page in its place."""
        self.name, self.has_run = None, False
        self.page.complaints.clear()
        self.lab.open(self.page, path, **options)


@pytest.fixture(scope="module")
def opened(lab, page):
    return Opened(lab, page)


@pytest.fixture(scope="module", params=NOTEBOOKS)
def name(request):
    """Each notebook in turn; what is tested of it is tested together."""
    return request.param


def panels(page):
    found = page.locator(".workbook-panel")
    return [Shown(page, found.nth(number)) for number in range(found.count())]


class Undrawn(Panel):
    """A panel that is computed, and drawn only once its size on the page is known."""

    undrawn = True

    def _pixels(self, reason=""):
        return np.zeros((1, 1, 4), np.uint8) if self.undrawn else super()._pixels(reason)


class Shown:
    """A panel on the page."""

    def __init__(self, page, area):
        self.page, self.area = page, area
        self.sliders = area.locator("input[type=range]")
        self.picture = area.locator("img")

    @property
    def sentence(self):
        return self.area.get_by_role("status").inner_text()

    @property
    def call(self):
        return self.area.locator("code").text_content()

    @property
    def pixels(self):
        return pixels(base64.b64decode(self.picture.evaluate(BYTES)))

    @property
    def readouts(self):
        return self.sliders.evaluate_all("all => all.map(e => e.getAttribute('aria-valuetext'))")

    @property
    def numbers(self):
        return self.area.locator(".named").inner_text().split()

    def computed(self):
        """The picture that the library computes for the line that the page prints."""
        return eval(self.call, figures() | {"explore": lambda figure, **given: figure(**given)})

    def library(self, *, drawn=False):
        """The same panel computed here, from the line that the page prints."""
        panel = eval(self.call, figures() | {"explore": Undrawn})
        panel.close()  # it keeps what it shows
        if drawn:
            panel.undrawn = False
            ratio = self.page.evaluate("devicePixelRatio")
            width = round(self.picture.bounding_box()["width"] * ratio)
            panel.view = {"width": width, "dark": False}
        return panel

    def press(self, slider, key):
        """Press a key on a slider and wait for the picture, if the key moves it."""
        self.sliders.nth(slider).focus()
        before, shown = self.readouts[slider], self.call
        self.page.keyboard.press(key)
        if self.readouts[slider] != before:
            self.wait(lambda: self.call != shown)

    def click(self, name):
        self.area.get_by_role("button", name=name, exact=True).click()

    def reset(self):
        """Through the menu, which is then closed again."""
        self.area.locator("summary").click()
        self.click("Reset")
        self.area.locator("summary").click()

    def hold(self, slider, *, seconds):
        """Hold the arrow keys as a keyboard repeats them, turning back before the slider's ends."""
        self.sliders.nth(slider).focus()
        for press in range(round(30 * seconds)):
            key = ["ArrowRight", "ArrowLeft"][press // 5 % 2]
            self.page.keyboard.down(key)
            self.page.wait_for_timeout(33)
        self.page.keyboard.up(key)

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"the page still shows {self.call}: {self.sentence}"
            self.page.wait_for_timeout(20)

    def fits_the_screen(self, smallest):
        """Whole with its caption, nothing cut off, the words of the picture large enough."""
        box, picture = self.area.bounding_box(), self.picture.bounding_box()
        assert box["height"] <= 560, (self.call, box)
        assert self.area.evaluate("e => e.scrollWidth <= e.clientWidth"), self.call
        inches = self.computed()["size"][0]
        assert picture["width"] / inches * SMALLEST >= smallest - 0.1, (self.call, picture)

    def tree(self):
        """What a screen reader is told: of each part its role, its name, whether it is chosen."""
        session = self.page.context.new_cdp_session(self.page)
        self.area.evaluate("panel => window.told = panel")
        panel = session.send("Runtime.evaluate", {"expression": "told"})["result"]["objectId"]
        nodes = session.send("Accessibility.queryAXTree", {"objectId": panel})["nodes"]
        session.detach()
        for node in nodes:
            if not node["ignored"]:
                state = {each["name"]: each["value"].get("value") for each in node["properties"]}
                chosen = "true" in (state.get("checked"), state.get("pressed"))
                yield node["role"]["value"], node["name"]["value"], chosen

    def can_be_read_aloud(self):
        """Each control has a name, and a value in words; of others at most three are in sight.

        Chromium's tree has a slider's position alone; what is said is its aria-valuetext.
        """
        library, tree = self.library(), list(self.tree())

        def told(kind):
            return [(name, chosen) for role, name, chosen in tree if role == kind]

        sliders, choices = (
            [control for control in library.controls if control["kind"] == kind]
            for kind in ("slider", "choice")
        )
        assert [name for name, _ in told("slider")] == [each["label"] for each in sliders]
        assert self.readouts == [each["stops"][each["at"]] for each in sliders]
        assert [name for name, _ in told("group")][:-1] == [
            "scenes",
            *(each["label"] for each in choices),
        ]
        assert told("radio") == [
            (word, place == each["at"])
            for each in choices
            for place, word in enumerate(each["stops"])
        ]
        others = [library.buttons["again"], library.buttons["time"] and "▶ Play"]
        others = [(name, False) for name in others if name]
        scenes = [(name, name == library.shown["scene"]) for name in library.demo.scenes]
        assert told("button") == scenes + others and told("DisclosureTriangle") == [("More", False)]
        ((alternative, _),) = told("image")
        assert alternative.startswith(library.sentence)
        assert all(": ".join(pair) in alternative for pair in library.shown["numbers"])

    def agrees(self):
        """Picture, sentence and slider positions are those of the printed call."""
        library = self.library(drawn=True)
        assert self.sentence == library.sentence
        stops = {c["name"]: c["stops"][c["at"]] for c in library.controls if c["kind"] == "slider"}
        assert self.readouts == list(stops.values())
        self.wait(lambda: np.array_equal(self.pixels, pixels(library.image)))


def test_opened_without_running_shows_its_pictures(name, lab, page, opened):
    stored = stored_panels(lab.folder / "notebooks" / name, ("explore(", "play("))
    assert not any(WIDGET in o["data"] for o in stored), "stored outputs still point to widgets"
    opened.stored(name)
    pictures = page.locator(".jp-RenderedImage img")
    assert pictures.count() == len(stored)
    for number, output in enumerate(stored):
        size = output["metadata"]["image/png"]
        shown = pictures.nth(number).evaluate(
            "i => [i.complete && i.naturalWidth > 0, i.width, i.height]"
        )
        assert shown == [True, size["width"], size["height"]]


def test_runs_to_the_end_and_each_demo_moves_whole_on_the_screen(name, lab, page, opened):
    shown = opened(name)
    if name.removesuffix(".ipynb") in set(TERMS) - {REFERENCE}:  # which has no demo
        the_first_screen_has_the_whole_hook_and_something_to_do(page, shown[0])
    assert len(shown) == len(stored_panels(lab.folder / "notebooks" / name))
    for panel in shown:
        panel.fits_the_screen(smallest=12)
        panel.can_be_read_aloud()
        before = panel.sentence, panel.picture.get_attribute("src")
        panel.press(0, "ArrowRight")
        panel.press(0, "ArrowLeft")
        panel.press(0, "ArrowLeft")
        panel.wait(lambda p=panel, b=before: (p.sentence, p.picture.get_attribute("src")) != b)
        assert panel.sentence == panel.computed()["sentence"]
        panel.reset()
        panel.wait(lambda panel=panel, before=before: panel.sentence == before[0])
    assert not page.complaints
    assert not lab.errors()
    if memory.LINUX:
        assert lab.kernel_megabytes() <= 300


def the_first_screen_has_the_whole_hook_and_something_to_do(page, panel):
    """At 1280 × 720, beside the file browser: the picture and the button that plays it."""
    page.locator(".jp-Notebook .jp-Cell").first.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    for part in (panel.picture, panel.area.get_by_role("button", name="▶ Play")):
        box = part.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 690, box  # the status bar is below


def test_every_slider_to_its_ends_agrees_with_the_library(opened):
    for panel in opened(THOROUGH):
        start = panel.call
        for slider in range(panel.sliders.count()):
            for key in ("ArrowRight", "ArrowLeft", "PageUp", "Home", "End"):
                panel.press(slider, key)
            panel.agrees()
            panel.press(slider, "Home")
            panel.agrees()
            panel.reset()
            panel.wait(lambda panel=panel, start=start: panel.call == start)
        panel.agrees()
        free(panel.page)


def test_scenes_new_noise_and_reset(opened):
    for panel in opened(THOROUGH):
        start, library = panel.call, panel.library()
        for scene in library.demo.scenes:
            panel.click(scene)
            panel.wait(lambda p=panel, s=scene, c=library: p.call == c.scene(s).call)
            assert panel.sentence == library.sentence
        panel.reset()
        panel.wait(lambda panel=panel, start=start: panel.call == start)
        if "seed" in library.values:
            panel.click(library.demo.again)
            panel.wait(lambda panel=panel, start=start: panel.call != start)
            panel.agrees()
            panel.reset()
            panel.wait(lambda panel=panel, start=start: panel.call == start)
        panel.agrees()


def test_held_key_ends_on_the_last_value_without_blank_frames_or_jumps(page, opened):
    panel = opened(THOROUGH)[1]
    panel.press(0, "Home")
    panel.agrees()
    panel.picture.scroll_into_view_if_needed()
    panel.area.evaluate(WATCH)
    with painted(page, panel.picture) as frames:
        panel.hold(0, seconds=2)
        page.wait_for_timeout(300)
    panel.wait(
        lambda: (
            panel.library().controls[0]["stops"][panel.library().shown["at"]["epsilon"]]
            == panel.readouts[0]
        ),
        seconds=3,
    )
    panel.agrees()
    assert len(frames) > 10
    assert all((frame < 128).any() for frame in frames), "a frame without a picture"
    assert len(page.evaluate(HEIGHTS)) == 1
    panel.reset()


def test_a_run_plays_to_its_end_and_stops(opened):
    panel = opened(THOROUGH)[1]
    panel.sliders.nth(2).focus()
    panel.press(2, "Home")
    for _ in range(12):
        panel.press(2, "ArrowRight")
    panel.click("▶ Play")
    panel.wait(
        lambda: (
            panel.readouts[2] == "16" and panel.area.get_by_role("button", name="▶ Play").count()
        )
    )
    panel.agrees()
    panel.reset()


def test_the_link_at_the_end_leads_back_to_the_hook(page, opened):
    opened(THOROUGH)
    page.locator("a", has_text="back to the alarm").click()
    page.wait_for_timeout(1_000)
    top = page.locator("h1").first.bounding_box()["y"]
    assert 80 <= top <= 200, top


def test_all_numbers_are_one_press_away(opened):
    panel = opened(THOROUGH)[1]
    table = panel.area.locator("table")
    assert not table.is_visible()
    panel.area.locator("summary").click()
    panel.wait(table.is_visible)
    rows = [row.split("\t") for row in table.inner_text().splitlines()]
    assert rows == panel.library().shown["numbers"]
    panel.area.locator("summary").click()
    panel.wait(table.is_hidden)


def test_on_a_projector_the_words_are_large_and_in_a_narrow_window_nothing_is_lost(page, opened):
    shown = opened(THOROUGH)
    for width, height, smallest in ((1920, 1080, 18), (640, 720, 0), (400, 800, 0)):
        page.set_viewport_size({"width": width, "height": height})
        if width == 1920:
            page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
        page.wait_for_timeout(600)
        for panel in shown:
            inches = panel.computed()["size"][0]
            box = panel.picture.bounding_box()
            assert box["width"] / inches * SMALLEST >= smallest, (panel.call, width, box)
            assert panel.area.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), (
                panel.call,
                width,
            )
            panel.agrees()
    page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
    page.set_viewport_size({"width": 1280, "height": 720})


def test_on_a_dark_page_the_pictures_are_dark(page, opened):
    panel = opened(THOROUGH)[1]
    for theme, paper in (("JupyterLab Dark", (0, 60)), ("JupyterLab Light", (255, 255))):
        page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}})")
        panel.wait(lambda paper=paper: paper[0] <= panel.pixels[0, 0, 0] <= paper[1])


def test_a_page_that_turns_dark_while_it_has_no_size_has_dark_pictures(page, opened):
    """As for a moment when JupyterLab changes its theme, too short for the panel to notice."""
    panel = opened(THOROUGH)[1]
    panel.agrees()
    for light, paper in (("false", (0, 60)), ("true", (255, 255))):
        panel.area.evaluate(TURN, light)
        panel.wait(lambda paper=paper: paper[0] <= panel.pixels[0, 0, 0] <= paper[1])


def test_an_image_that_is_ready_late_does_not_replace_a_later_one(page, opened):
    shown = opened(THOROUGH)
    for panel in shown:
        panel.agrees()  # so that the next image is this one's
    page.evaluate(DELAY)
    panel.press(0, "ArrowLeft")
    panel.press(0, "ArrowLeft")
    page.wait_for_function("window.late")
    panel.agrees()
    panel.reset()


def test_combination_that_makes_no_sense_shows_its_reason(lab, page, opened):
    demos = "from course_lib.demos.above_threshold import explore, failure_against_alpha"
    lines = [demos, "explore(failure_against_alpha, epsilon=-1)"]
    (lab.folder / "reason.ipynb").write_text(notebook(lines))
    opened.open("reason.ipynb")
    (panel,) = panels(page)
    assert panel.sentence == "epsilon must be from 0.05 to 5 in this picture, got −1"
    panel.press(0, "ArrowRight")
    assert "must be" not in panel.sentence
    assert not lab.errors()


def test_a_slow_move_says_that_it_computes_and_a_quick_one_says_nothing(lab, page, opened):
    lines = [
        "from time import sleep",
        "from tqdm import tqdm",
        "from course_lib.above_threshold import above_threshold",
        "from course_lib.demos.above_threshold import explore, one_run",
        "def mine(data, queries, *, epsilon, **named):",
        "    for _ in tqdm(range(10), leave=False):",
        "        sleep(0.15 if epsilon < 0.05 else 0)",
        "    return above_threshold(data, queries, epsilon=epsilon, **named)",
        "explore(one_run, mechanism=mine)",
    ]
    (lab.folder / "slow.ipynb").write_text(notebook(["\n".join(lines)]))
    opened.open("slow.ipynb")
    (panel,) = panels(page)
    busy = panel.area.locator(".busy")
    panel.area.evaluate(WATCH)
    panel.area.evaluate(LISTEN)
    for _ in range(2):
        panel.press(0, "ArrowRight")
    page.wait_for_timeout(700)
    assert page.evaluate("heard") == []
    panel.press(0, "Home")
    said = page.evaluate("heard")
    assert said[0] == "Computing …" and re.fullmatch(r"Computing … [3-9]0%", said[1]), said
    panel.wait(lambda: not busy.text_content(), seconds=1)
    assert busy.locator("[aria-live=polite]").count() == 1
    assert len(page.evaluate(HEIGHTS)) == 1


def test_run_saved_shut_down_and_opened_again_every_picture_is_there(name, lab, page, opened):
    shown = opened(name)
    page.wait_for_function(SETTLED, polling=1_000)
    before = [(panel.sentence, panel.numbers, panel.pixels) for panel in shown]
    path = lab.folder / "notebooks" / name
    committed = path.read_bytes()
    page.evaluate(SAVE)
    saved = path.read_bytes()
    try:
        assert len(saved) <= 2.5 * len(committed)
        opened.open(f"notebooks/{name}", run=False, files=True)
        page.wait_for_function(RESTORED, arg=len(before), timeout=60_000)
        after = panels(page)
        for panel, (sentence, numbers, picture) in zip(after, before, strict=True):
            assert (panel.sentence, panel.numbers) == (sentence, numbers)
            panel.wait(lambda panel=panel, picture=picture: np.array_equal(panel.pixels, picture))
        assert "Error displaying widget" not in page.inner_text("body")
        for panel in after[:1]:
            note = panel.area.get_by_text("Run the cell above to move the sliders.")
            panel.wait(note.is_visible)
    finally:
        path.write_bytes(committed)


def test_a_panel_that_jupyterlab_no_longer_waits_for_is_shown_when_it_comes(lab, page, opened):
    """Its widget manager looks two seconds for a model; here the notebook is read afterwards."""
    demos = "from course_lib.demos.above_threshold import explore, failure_against_alpha, one_run"
    cells = [demos, "explore(one_run)", "explore(failure_against_alpha)"]
    (lab.folder / "late.ipynb").write_text(notebook(cells))
    (lab.folder / "other.ipynb").write_text(notebook([]))
    opened.open("late.ipynb")
    before = [(panel.sentence, panel.call) for panel in panels(page)]
    page.evaluate(SAVE)
    opened.open("other.ipynb", run=False)
    page.evaluate(HIDE)
    page.evaluate("jupyterapp.commands.execute('docmanager:open', {path: 'late.ipynb'})")
    lost = page.get_by_text("Error displaying widget: model not found")
    lost.nth(1).wait_for()
    assert not panels(page)
    page.evaluate(REVEAL)
    page.wait_for_function(RESTORED, arg=2, timeout=10_000)
    assert [(panel.sentence, panel.call) for panel in panels(page)] == before
    assert not lost.count()


def test_in_notebook_7_a_panel_lives_and_is_there_again_after_saving(tmp_path, page, opened):
    demos = "from course_lib.demos.above_threshold import explore, one_run"
    (tmp_path / "one.ipynb").write_text(notebook([demos, "explore(one_run)"]))
    with Lab(tmp_path, app="notebook") as server:
        opened.name = None
        server.open(page, "one.ipynb")
        page.wait_for_selector(".workbook-panel img[src]")
        (panel,) = panels(page)
        panel.press(0, "Home")
        panel.agrees()
        page.evaluate(SAVE)
        before = panel.sentence, panel.call
        server.open(page, "one.ipynb", run=False)
        page.wait_for_selector(".workbook-panel img[src]")
        assert (panel.sentence, panel.call) == before


def stored_panels(path, lines="explore("):
    """The outputs of the notebook as it is in the repository that came from a panel, or a game."""
    outputs = [o for c in json.loads(path.read_text())["cells"] for o in c.get("outputs", [])]
    texts = ["".join(o.get("data", {}).get("text/plain", "")) for o in outputs]
    return [o for o, text in zip(outputs, texts, strict=True) if text.startswith(lines)]
