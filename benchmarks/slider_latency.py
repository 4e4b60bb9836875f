"""From a key press on a slider to the new picture on the screen, in a real browser.

Four ways take turns in one notebook: the panel of `explore`, the same picture redrawn with
unchanged numbers, `interactive_output` with `plt.show()`, and a bare label. The ratios count.
Run it with `python benchmarks/slider_latency.py`, on a quiet machine.
"""

import json
import random
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import Lab  # noqa: E402

MODULE, FIGURE, SLIDER = "course_lib.demos.above_threshold", "failure_against_alpha", "epsilon"
MOVES, WARM_UP = 25, 3
KEYS = {}  # by way, where its slider is going
WAYS = ["explore", "unchanged numbers", "interactive_output", "label"]
TARGETS = {
    "interactive_output": 0.5,
    "unchanged numbers": 1.3,
}  # explore takes at most this times it

CELLS = [
    """
import ipywidgets as widgets
import matplotlib
import matplotlib.pyplot as plt
from course_lib.demos.drawing import STYLE, png
from course_lib.demos.explore import explore
from MODULE import FIGURE as figure
%matplotlib inline
""",
    "panel = explore(figure)\npanel",
    """
still = explore(figure)
knob = widgets.SelectionSlider(options=panel.sliders["SLIDER"].options, value=panel.start["SLIDER"])

def redraw(change):
    with matplotlib.rc_context(STYLE):
        pixels = still._drawing.pixels()
    pixels[0, 0, 0] = knob.index  # one dot differs, or nothing would be sent
    still._picture.value = png(pixels)
    still._status.value = f"{still.sentence} <!-- {knob.index} -->"
    still._line.value = f"{still.call} <!-- {knob.index} -->"

knob.observe(redraw, "value")
display(knob, still.widget)
""",
    """
other = explore(figure)

def fresh(**values):
    with matplotlib.rc_context(STYLE):
        update = figure(plt.figure(figsize=figure.demo.size))
        sentence = update(**values)
        plt.show()
    print(sentence)

sliders = other.sliders | {k: widgets.fixed(v) for k, v in other.start.items() if k == "seed"}
for slider in other.sliders.values():
    slider.unobserve_all("value")
display(other.sliders["SLIDER"], widgets.interactive_output(fresh, sliders))
""",
    """
label, turn = widgets.Label("0"), widgets.SelectionSlider(options=range(100), value=50)
turn.observe(lambda change: setattr(label, "value", f"value {turn.value}"), "value")
display(turn, label)
""",
]

# From the key press to the frame after the new picture was decoded; for the label, its new text.
MEASURE = """async ({cell, way}) => {
    const area = document.querySelectorAll('.jp-Cell')[cell].querySelector('.jp-OutputArea');
    const current = () => way === 'label'
        ? area.querySelector('.widget-label:not([style*="none"])').textContent
        : [...area.querySelectorAll('img')].at(-1)?.src;
    const before = current();
    let pressed;
    addEventListener('keydown', () => pressed = performance.now(), {capture: true, once: true});
    window.arrived = new Promise((resolve, reject) => {
        setTimeout(reject, 20000, Error(`nothing came from ${way}`));
        const observer = new MutationObserver(async () => {
            const now = current();
            if (!now || now === before) return;
            observer.disconnect();
            if (way !== 'label') await [...area.querySelectorAll('img')].at(-1).decode();
            requestAnimationFrame(() => resolve(performance.now() - pressed));
        });
        const all = {subtree: true, childList: true, attributes: true, characterData: true};
        observer.observe(area, all);
    });
}"""


def handle(page, cell):
    """The handle in a cell's output of the slider that is moved."""
    sliders = page.locator(".jp-Cell").nth(cell).locator(".widget-slider")
    named = (
        sliders.filter(has=page.locator(".widget-label", has_text="ε"))
        if cell in (1, 3)
        else sliders
    )
    return named.locator(".noUi-handle").first


def click(page, button):
    """Click a button of the panel, and let the picture come."""
    page.locator(".jp-Cell").nth(1).locator(".widget-button").nth(button).click()
    page.wait_for_timeout(400)


def move(page, way):
    """One step on, or back from the end; milliseconds until it is on the screen."""
    cell = 1 + WAYS.index(way)
    knob = handle(page, cell)
    now, low, high = (float(knob.get_attribute(f"aria-value{k}")) for k in ("now", "min", "max"))
    if now in (low, high) or way not in KEYS:
        KEYS[way] = "ArrowRight" if now == low else "ArrowLeft"
    knob.focus()
    page.evaluate(MEASURE, {"cell": cell, "way": way})
    page.keyboard.press(KEYS[way])
    milliseconds = page.evaluate("window.arrived")
    page.wait_for_timeout(200)  # kernel and page come to rest
    return milliseconds


def hold(page, seconds=2.0, repeats_per_second=30):
    """Hold arrow keys on the panel's slider, turning back before its ends.

    Returns the milliseconds from the release to the last picture.
    """
    click(page, button=0)
    handle(page, 1).focus()
    page.evaluate("""() => {
        const picture = document.querySelectorAll('.jp-Cell')[1].querySelector('img');
        picture.addEventListener('load', () => window.loaded = performance.now());
        addEventListener('keyup', () => window.released = performance.now(), {capture: true});
    }""")
    for press in range(round(seconds * repeats_per_second)):
        key = ["ArrowLeft", "ArrowRight"][press // 4 % 2]
        page.keyboard.down(key)
        page.wait_for_timeout(1000 / repeats_per_second)
    page.keyboard.up(key)
    page.wait_for_timeout(1500)
    return page.evaluate("Math.max(0, window.loaded - window.released)")


def notebook():
    names = {"MODULE": MODULE, "FIGURE": FIGURE, "SLIDER": SLIDER}
    cells = []
    for number, source in enumerate(CELLS):
        for name, value in names.items():
            source = source.replace(name, value)
        cell = {
            "cell_type": "code",
            "id": f"cell{number}",
            "source": source.strip(),
            "metadata": {},
        }
        cells.append(cell | {"outputs": [], "execution_count": None})
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    metadata = {"kernelspec": kernel}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def measure():
    """Milliseconds of every move, by way; and of the last picture after holding a key."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "latency.ipynb").write_text(notebook())
        with Lab(folder) as lab, lab.page(width=1280, height=720) as page:
            lab.open(page, "latency.ipynb")
            times, order = {way: [] for way in WAYS}, random.Random(0)
            for _ in range(WARM_UP + MOVES):
                # New noise and a walk over the slider: a figure that remembers gains little.
                click(page, button=-1)
                for way in order.sample(WAYS, len(WAYS)):
                    times[way].append(move(page, way))
            return {way: taken[WARM_UP:] for way, taken in times.items()}, hold(page)


def main():
    times, last = measure()
    print(f"{FIGURE}: slider event to picture, {MOVES} moves each, milliseconds")
    print(f"{'way':20}{'quartile':>10}{'median':>10}{'quartile':>10}")
    for way, taken in times.items():
        low, middle, high = statistics.quantiles(taken, n=4)
        print(f"{way:20}{low:10.0f}{middle:10.0f}{high:10.0f}")
    medians = {way: statistics.median(taken) for way, taken in times.items()}
    held = True
    for way, target in TARGETS.items():
        ratio = medians["explore"] / medians[way]
        held &= ratio <= target
        print(f"explore / {way}: {ratio:.2f}, target at most {target}")
    held &= last <= medians["explore"]
    print(f"after two seconds of a held key, the last picture came {last:.0f} ms after release,")
    print(f"target at most one latency, {medians['explore']:.0f} ms")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
