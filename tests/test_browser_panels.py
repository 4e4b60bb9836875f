"""Panels on a page: large words, a narrow window, both themes, keys alone, a bug, no motion.

And the table of the attacker's game, by keys.
"""

import pytest

from course_lib.demos.picture import explore
from course_lib.lab.attackers_game import dealt
from tests.browser import Lab, notebook, require
from tests.pictures import figures
from tests.test_browser import SMALLEST, panels
from tests.test_pictures import contrast, toy

NAMES = ["one_run", "table_of_variants", "exact_comparison", "structure_filling"]
FIGURES = {"toy": toy} | {name: figures()[name] for name in NAMES}
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_left_of_it")]

THEME = "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})"
PRESENT = "jupyterapp.commands.execute('application:toggle-presentation-mode')"
FILES = "jupyterapp.commands.execute('application:toggle-left-area')"
DOT_FOR_DOT = """() => [...document.querySelectorAll('.workbook-panel img')].every(
    i => i.naturalWidth === Math.max(Math.round(i.getBoundingClientRect().width), 288))"""
FOCUSED = """() => [document.activeElement.getAttribute('aria-label')
    ?? (document.activeElement.labels?.[0] ?? document.activeElement).textContent][0]"""
# Of what has words of its own: the size, the colour, and the colour of what is behind.
WORDS = """panel => [...panel.querySelectorAll('*')].filter(e => e.checkVisibility()
        && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => {
    const looks = getComputedStyle(e);
    let behind = e;
    while (behind && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)')
        behind = behind.parentElement;
    const paper = behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)';
    const edge = looks.borderTopWidth === '0px' ? looks.color : looks.borderTopColor;
    return [e.textContent, parseFloat(looks.fontSize), looks.color, edge, paper];
})"""
# Whether all that can be seen or used stands inside the panel.
INSIDE = """panel => {
    const {left, right} = panel.getBoundingClientRect();
    return [...panel.querySelectorAll('img, p, dt, dd, input[type=range], button, summary, label')]
        .filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect())
        .every(box => box.left >= left - 1 && box.right <= right + 1);
}"""
# The times at which a slider moves by itself.
STEPS = """slider => {
    window.steps = [];
    new MutationObserver(() => steps.push(performance.now())).observe(slider, {attributes: true});
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    require()
    folder = tmp_path_factory.mktemp("panels")
    cells = ["from course_lib.demos.picture import explore"]
    cells += [f"from {f.__module__} import {name}\nexplore({name})" for name, f in FIGURES.items()]
    cells += ["from course_lib.demos.game_table import play\nplay(rounds=3)"]
    (folder / "all.ipynb").write_text(notebook(cells))
    with Lab(folder) as lab, lab.page() as page:
        lab.open(page, "all.ipynb", files=True)
        page.wait_for_function(DOT_FOR_DOT, timeout=60_000)
        yield page


@pytest.fixture
def shown(page):
    """The panels by the name of the demo."""
    return dict(zip(FIGURES, panels(page), strict=True))


@pytest.fixture
def window(page):
    """Change the size of the window for one test; without the file browser."""

    def resize(width, height):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(DOT_FOR_DOT, timeout=60_000)

    page.evaluate(FILES)
    yield resize
    page.evaluate(FILES)
    resize(1280, 720)


def test_nothing_plays_by_itself(shown):
    assert [panel.call for panel in shown.values()] == [f"explore({name})" for name in FIGURES]


@pytest.mark.parametrize("height", [180, 720])
def test_in_a_window_of_320_pixels_nothing_is_lost(shown, window, height):
    """As at 400 percent on a screen of 1280 × 720, where it lies and where it stands."""
    window(320, height)
    for name, panel in shown.items():
        assert panel.area.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), name
        assert panel.area.evaluate(INSIDE), name
        assert panel.picture.bounding_box()["width"] >= 0.95 * panel.area.bounding_box()["width"]
    shown["one_run"].press(0, "Home")
    shown["one_run"].agrees()
    shown["one_run"].reset()


def test_in_presentation_mode_the_words_are_large_and_the_width_is_used(page, shown, window):
    page.evaluate(PRESENT)
    try:
        window(1920, 1080)
        for name, panel in shown.items():
            area, picture = panel.area.bounding_box(), panel.picture.bounding_box()
            side = panel.area.locator(".side").bounding_box()
            inches = FIGURES[name]()["size"][0]
            assert picture["width"] / inches * SMALLEST >= 18, (name, picture)
            assert picture["width"] + side["width"] >= 0.9 * area["width"], name
            assert all(size >= 18 for _, size, *_ in panel.area.evaluate(WORDS)), name
        window(1280, 720)
        for panel in shown.values():
            assert all(size >= 18 for _, size, *_ in panel.area.evaluate(WORDS))
    finally:
        page.evaluate(PRESENT)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_pictures_words_and_edges_stand_out_on_the_page(theme, page, shown):
    page.evaluate(THEME, theme)
    dark = theme.endswith("Dark")
    for panel in shown.values():
        panel.wait(lambda panel=panel: (panel.pixels[0, 0, 0] < 60) == dark)
    for name in ("toy", "one_run"):
        for word, _, colour, edge, paper in shown[name].area.evaluate(WORDS):
            assert contrast(as_tuple(colour), as_tuple(paper)) >= 4.5, (word, colour, paper)
            assert contrast(as_tuple(edge), as_tuple(paper)) >= 3 or edge == paper, (word, edge)


def as_tuple(colour):
    """Of rgb(0, 0, 0) as a browser writes it, and of a colour that is nearly opaque."""
    return tuple(float(part) / 255 for part in colour.partition("(")[2].strip(")").split(",")[:3])


def test_the_keyboard_alone_operates_everything(page, shown):
    panel, library = shown["toy"], explore(toy)
    panel.area.get_by_role("button", name="Few").focus()
    order = ["Few", "Many", "ε", "top", "rows n", "round", "New noise", "More"]

    def reach(name):
        for _ in range(20):
            if page.evaluate(FOCUSED) == name:
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{name} was not reached")

    def then(key, **moved):
        page.keyboard.press(key)
        panel.wait(lambda: panel.call == library.set(**moved).call)

    for key, names in (("Tab", order), ("Shift+Tab", order[::-1])):
        for name in names:
            assert page.evaluate(FOCUSED) == name
            if name != names[-1]:
                page.keyboard.press(key)
    reach("Many")
    then("Enter", n=9)
    reach("ε")
    stops = library.demo.choices["epsilon"]
    then("End", epsilon=stops[-1])
    then("ArrowLeft", epsilon=stops[-2])
    then("ArrowDown", epsilon=stops[-3])
    then("Home", epsilon=stops[0])
    then("ArrowUp", epsilon=stops[1])
    page.keyboard.press("PageUp")
    panel.wait(lambda: stops.index(float(panel.readouts[0])) >= 2)
    page.keyboard.press("PageDown")
    panel.wait(lambda: float(panel.readouts[0]) == stops[1])
    reach("round")
    then("ArrowRight", kind="square")
    reach("New noise")
    then(" ", seed=1)
    reach("More")
    page.keyboard.press("Enter")
    panel.wait(panel.area.locator("table").is_visible)
    reach("Reset")
    library.reset()
    then("Enter")
    reach("explore(toy)")  # the line can be read, and copied, without the button
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    assert page.evaluate(FOCUSED) == "More"
    page.keyboard.press("Enter")
    assert not panel.area.get_by_role("button", name="Reset").is_visible()


def test_the_shortcuts_of_jupyterlab_take_no_key_away(page, shown):
    """In a panel d d deletes no cell, a and b insert none, x cuts none, Enter edits none."""
    panel = shown["toy"]
    controls = panel.area.locator("button:visible, input, summary").all()
    before = page.locator(".jp-Cell").count()
    for control in controls:
        control.focus()
        for key in "ddabxm":
            page.keyboard.press(key)
        assert control.evaluate("e => e === document.activeElement")
    assert page.locator(".jp-CodeCell").count() == before


def test_tab_and_enter_alone_play_the_attackers_game(page):
    game = page.locator(".workbook-game")
    told = game.locator("p")

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    game.get_by_role("button", name="The secret is 1").focus()
    press("Enter")
    game.get_by_text("Round 2 of 3").wait_for()
    press("Tab", "Enter")
    game.get_by_text("Round 3 of 3").wait_for()
    press("Tab", "Enter")  # pass, and the button with the focus is disabled
    game.get_by_text("The game is over after 3 rounds.").wait_for()
    secrets, _ = dealt("randomised response", rounds=3, epsilon=1.0, seed=0)
    assert f"Right in {secrets[0] + (not secrets[1])} of 2" in told.nth(1).inner_text()
    press("Tab", "Enter")
    game.get_by_text("Round 1 of 3").wait_for()
    assert page.evaluate(FOCUSED) == "New game"
    press("Tab", "Enter")
    game.get_by_text("allowed are 0.993").wait_for()
    press("Enter")
    game.get_by_text("allowed are 0.731").wait_for()


def test_a_bug_in_a_move_is_shown_in_the_panel(shown):
    panel = shown["toy"]
    panel.press(2, "ArrowRight")
    panel.sliders.nth(2).press("ArrowRight")
    panel.wait(lambda: panel.sentence == "ZeroDivisionError: a bug in the picture")
    panel.sliders.nth(2).press("ArrowLeft")
    panel.wait(lambda: panel.sentence == toy(n=6)["sentence"])
    panel.reset()


def test_where_motion_is_unwelcome_a_run_plays_at_half_the_pace(page, shown):
    panel = shown["one_run"]
    panel.press(2, "Home")
    panel.agrees()
    panel.sliders.nth(2).evaluate(STEPS)
    page.emulate_media(reduced_motion="reduce")
    try:
        panel.click("▶ Play")
        page.wait_for_function("steps.length > 3 && steps.at(-1) - steps[0] > 1400")
        assert int(panel.readouts[2]) <= 4
        panel.click("⏸ Pause")
    finally:
        page.emulate_media(reduced_motion="no-preference")
        panel.reset()
