"""What a move takes in the book: from a slider's event until the new picture is laid out.

Opens each page in Chromium at 1280 × 720 and makes every move there is from a demo's opening: each
slider and choice through all its stops, then each scene; all five times. A move's milliseconds are
those of the panel's script, which runs in the event, and of the styles and the layout of the whole
page, which are forced right after it; the frame before was painted, and painting is not counted.
Prints for each demo the median of its moves and the worst, each move as the median of its five
times, then the worst of all: at most 16 ms is wanted. Run it on a quiet machine:
python benchmarks/book.py [folder of a book]   without one, with the small book of the tests
"""

import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import opened  # noqa: E402
from tests.small_book import folders_of  # noqa: E402
from tools.publish import book, build  # noqa: E402

SLOWEST = 16  # milliseconds of any move
ROUNDS = 5
# Of a demo, one round: the name and the milliseconds of each move.
MOVES = """async figure => {
    const frame = () => new Promise(requestAnimationFrame), taken = [];
    figure.scrollIntoView();
    while (!figure.querySelector('.workbook-panel .side')) await frame();
    figure.model.send('reset');
    const move = async (name, press) => {
        await frame();
        await new Promise(painted => setTimeout(painted));
        const before = performance.now();
        press();
        document.body.getBoundingClientRect();
        taken.push([name, performance.now() - before]);
    };
    for (const slider of figure.querySelectorAll('input[type=range]'))
        for (let at = 0; at <= slider.max; at++)
            if (at !== Number(slider.value)) await move(slider.ariaLabel, () => {
                slider.value = at;
                slider.dispatchEvent(new Event('input'));
            });
    for (const one of figure.querySelectorAll('.choice input'))
        if (!one.checked) await move(one.parentElement.textContent, () => one.click());
    for (const scene of figure.querySelectorAll('.scenes button'))
        await move(scene.textContent, () => scene.click());
    return taken;
}"""


def moves(figure):
    """The milliseconds and the name of each move of a demo."""
    rounds = [figure.evaluate(MOVES) for _ in range(ROUNDS)]
    for same in zip(*rounds, strict=True):
        yield statistics.median(taken for _, taken in same), same[0][0]


def main(place):
    slowest = []
    print(f"{'page':6}{'demo':32}{'median':>8}{'worst':>8}  of")
    with opened(1280, 720) as page:
        for path in sorted(place.glob("[0-9][0-9]_*.html")):
            page.goto(path.as_uri())
            for figure in page.query_selector_all("figure.demo"):
                number, demo = figure.get_attribute("data-demo").split("-")
                found = list(moves(figure))
                middle, (worst, name) = statistics.median(taken for taken, _ in found), max(found)
                print(f"{number:6}{demo:32}{middle:8.1f}{worst:8.1f}  {name}", flush=True)
                slowest.append((worst, demo, name))
    worst, demo, name = max(slowest)
    print(f"slowest: {demo}, {name}: {worst:.1f} ms, at most {SLOWEST}")


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            folders = folders_of(Path(folder))
            main(book.write(folders, build.notebooks(folders), pdf=False))
