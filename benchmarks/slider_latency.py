"""From a key press on a slider to the new picture on the screen, in a real browser.

Every demo and slider at 1280 × 720, each move to a value not visited before; beside them, in the
same notebook, a bare label and a panel whose picture is redrawn with unchanged numbers. The ratios
count. Run it on a quiet machine:  python benchmarks/slider_latency.py [demo …]
"""

import json
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import Lab  # noqa: E402
from tests.pictures import figures  # noqa: E402

MOVES = 9
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


def notebook(cells):
    made = [
        {"cell_type": "code", "id": f"c{i}", "source": source, "metadata": {}, "outputs": []}
        | {"execution_count": None}
        for i, source in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    metadata = {"kernelspec": kernel}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def moves(page, cell, handle):
    """Milliseconds of some moves of a slider, from its first stop on, without the first two."""
    handle.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(500)
    found = []
    for _ in range(MOVES):
        page.evaluate(MEASURE, cell)
        page.keyboard.press("ArrowRight")
        found.append(page.evaluate("arrived"))
        page.wait_for_timeout(60)
    return [taken for taken in found[2:] if taken is not None]


def main(names):
    chosen = {name: figure for name, figure in figures().items() if not names or name in names}
    cells = [LABEL, UNCHANGED]
    cells += [f"from {f.__module__} import explore, {n}\nexplore({n})" for n, f in chosen.items()]
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "latency.ipynb").write_text(notebook(cells))
        with Lab(folder) as lab, lab.page() as page:
            lab.open(page, "latency.ipynb", files=True, seconds=600)
            for cell, demo in enumerate(["label", "unchanged", *chosen]):
                area = page.locator(".jp-Cell").nth(cell)
                area.scroll_into_view_if_needed()
                page.wait_for_timeout(1000)
                handles = area.locator(".noUi-handle, input[type=range]")
                for number in range(handles.count() if cell > 1 else 1):
                    handle = handles.nth(number)
                    label = handle.get_attribute("aria-label") or ""
                    if taken := moves(page, cell, handle):
                        table[demo, label] = statistics.median(taken)
                        print(f"{demo:32}{label:16}{table[demo, label]:8.0f} ms", flush=True)
    demos = {demo: t for demo, t in table.items() if demo[0] in chosen}
    middle = statistics.median(demos.values())
    for peer, target in TARGETS.items():
        (taken,) = [t for (demo, _), t in table.items() if demo == peer]
        print(f"median over demos / {peer}: {middle / taken:.2f}, at most {target}")
    worst = max(demos, key=demos.get)
    print(f"slowest: {worst[0]}, {worst[1]}: {demos[worst]:.0f} ms, at most {SLOWEST}")


if __name__ == "__main__":
    main(sys.argv[1:])
