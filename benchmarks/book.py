"""What a move takes in the book: from a slider's event until the new picture is laid out.

Opens each page in Chromium at 1280 × 720 and makes every move there is: each slider and choice
through all its stops, then each scene. A move's milliseconds are those of the panel's script, which
runs in the event, and of the styles and the layout of the whole page, which are forced right after
it; the frame before has been painted, and painting is not counted. Prints for each demo the median
and the worst, with its slider, then the worst of all: at most 16 ms is wanted.

python benchmarks/book.py [folder of a book]   without one, of the small book of the tests
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
MOVES = """async figure => {
    figure.scrollIntoView();
    while (!figure.querySelector('.workbook-panel .side')) await new Promise(requestAnimationFrame);
    const taken = [], painted = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const move = async (name, press) => {
        await painted();
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
    for (const choice of figure.querySelectorAll('.choice'))
        for (const input of choice.querySelectorAll('input'))
            if (!input.checked) await move(choice.textContent, () => input.click());
    for (const scene of figure.querySelectorAll('.scenes button'))
        await move(scene.textContent, () => scene.click());
    return taken;
}"""


def main(place):
    worst = []
    print(f"{'page':6}{'demo':36}{'median':>8}{'worst':>8}")
    with opened(1280, 720) as page:
        for path in sorted(place.glob("[0-9][0-9]_*.html")):
            page.goto(path.as_uri())
            for figure in page.query_selector_all("figure.demo"):
                taken = figure.evaluate(MOVES)
                name, slowest = max(taken, key=lambda move: move[1])
                middle = statistics.median(time for _, time in taken)
                demo = figure.get_attribute("data-demo")[3:]
                print(f"{path.name[:2]:6}{demo:36}{middle:8.1f}{slowest:8.1f}  {name}", flush=True)
                worst.append((slowest, demo, name))
    slowest, demo, name = max(worst)
    print(f"slowest: {demo}, {name}: {slowest:.1f} ms, at most {SLOWEST}")


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            folders = folders_of(Path(folder))
            main(book.write(folders, build.notebooks(folders), pdf=False))
