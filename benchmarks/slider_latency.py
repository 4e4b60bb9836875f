"""From a key press on a slider to the new picture on the screen, in a real browser.

Every demo and slider at 1280 × 720, each move to a value not visited before; before each demo, in
the same notebook, a bare label and a panel whose picture is redrawn with unchanged numbers. The
ratios count. Run it on a quiet machine:  python benchmarks/slider_latency.py [demo …]
"""

import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import Lab, notebook  # noqa: E402
from tests.pictures import figures  # noqa: E402

MOVES = 7
TARGETS = {"label": 1.8, "unchanged": 1.2}  # the median over demos takes at most this times theirs
SLOWEST = 150  # milliseconds, the median of any slider

LABEL = """
import ipywidgets as widgets
label, turn = widgets.Label("0"), widgets.IntSlider(50, 0, 100)
turn.observe(lambda change: setattr(label, "value", f"value {turn.value}"), "value")
display(turn, label)
"""
UNCHANGED = """
from course_lib.demos.above_threshold import failure_against_alpha
from course_lib.demos.panel import Panel
first = failure_against_alpha()

class Unchanged(Panel):
    def __init__(self, figure):
        super().__init__(figure)
        self._figure = lambda **values: first

    def _pixels(self, reason=""):
        pixels = super()._pixels(reason).copy()
        pixels[0, 0, 0] = self.wanted.get("move", 0) % 256  # one dot differs, so that it is sent
        return pixels

Unchanged(failure_against_alpha)
"""
# From the key press to the frame after the new picture was decoded; for the label, its new text.
MEASURE = """async cell => {
    const area = document.querySelectorAll('.jp-Cell')[cell].querySelector('.jp-OutputArea');
    const current = () => area.querySelector('.workbook-panel img')?.src
        ?? [...area.querySelectorAll('.widget-label')].at(-1).textContent;
    const before = current();
    let pressed;
    addEventListener('keydown', () => pressed = performance.now(), {capture: true, once: true});
    window.arrived = new Promise((resolve) => {
        setTimeout(resolve, 5000, null);
        const observer = new MutationObserver(async () => {
            if (current() === before) return;
            observer.disconnect();
            await area.querySelector('.workbook-panel img')?.decode();
            requestAnimationFrame(() => resolve(performance.now() - pressed));
        });
        const all = {subtree: true, childList: true, attributes: true, characterData: true};
        observer.observe(area, all);
    });
}"""


# While keys are held: when the picture changed last. It is at rest after half a second.
DRAG = """cell => {
    const area = document.querySelectorAll('.jp-Cell')[cell];
    const picture = area.querySelector('.workbook-panel img');
    let pressed = 0, changed = 0;
    addEventListener('keydown', () => pressed = performance.now(), {capture: true});
    new MutationObserver(() => changed = performance.now()).observe(picture, {attributes: true});
    window.rest = () => performance.now() - Math.max(pressed, changed) > 500 && changed - pressed;
}"""


def moves(page, cell, handle):
    """Milliseconds of some moves of a slider, from its first stop on, or back from there."""
    handle.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(300)
    found = []
    while len(found) < MOVES and handle.evaluate("e => e.value !== e.max || !e.max"):
        page.evaluate(MEASURE, cell)
        page.keyboard.press("ArrowRight")
        found.append(page.evaluate("arrived"))
    return [taken for taken in found if taken is not None]


def drag(page, cell, handle):
    """Milliseconds from the last of many key presses to the last picture."""
    handle.focus()
    page.evaluate(DRAG, cell)
    for press in range(60):
        page.keyboard.down(["ArrowLeft", "ArrowRight"][press // 6 % 2])
        page.wait_for_timeout(33)
    page.keyboard.up("ArrowRight")
    return page.wait_for_function("rest()", polling=50).json_value()


def main(names):
    chosen = {name: figure for name, figure in figures().items() if not names or name in names}
    cells = [LABEL, UNCHANGED]
    for name, figure in chosen.items():
        shown = figure.demo.scenes.get("Reveal", {})  # before it, most sliders move nothing
        line = f"from {figure.__module__} import explore, {name}\nexplore({name}, **{shown})"
        cells.append(line)
    peers, demos = {peer: [] for peer in TARGETS}, {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "latency.ipynb").write_text(notebook(cells))
        with Lab(folder) as lab, lab.page() as page:
            lab.open(page, "latency.ipynb", files=True, seconds=600)

            def sliders(cell):
                area = page.locator(".jp-Cell").nth(cell)
                area.scroll_into_view_if_needed()
                page.wait_for_timeout(300)
                return area.locator(".noUi-handle, input[type=range]").all()

            for cell, demo in enumerate(chosen, len(peers)):
                for place, taken in enumerate(peers.values()):
                    taken += moves(page, place, sliders(place)[0])
                for handle in sliders(cell):
                    label = handle.get_attribute("aria-label")
                    if taken := moves(page, cell, handle):
                        demos[demo, label] = statistics.median(taken)
                        print(f"{demo:32}{label:16}{demos[demo, label]:8.0f} ms", flush=True)
            last = drag(page, 2, sliders(2)[0])
    middle = statistics.median(demos.values())
    for peer, taken in peers.items():
        ratio = middle / statistics.median(taken)
        words = f"median over demos {middle:.0f} ms, {peer} {statistics.median(taken):.0f} ms"
        print(f"{words}: {ratio:.2f} times, at most {TARGETS[peer]}")
    worst = max(demos, key=demos.get)
    print(f"slowest: {worst[0]}, {worst[1]}: {demos[worst]:.0f} ms, at most {SLOWEST}")
    print(f"from the last of 60 presses in two seconds to the last picture: {last:.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
