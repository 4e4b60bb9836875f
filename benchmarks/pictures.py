"""What a move costs in the kernel: computing a picture, drawing it, packing it.

For every demo and slider, CPU milliseconds of moves to values not visited before, from the start;
medians, and the slowest of each column at the end.  python benchmarks/pictures.py [demo …]
"""

import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.demos.drawing import Renderer, png  # noqa: E402
from course_lib.support.contracts import ParameterError  # noqa: E402
from tests.memory import free  # noqa: E402
from tests.pictures import figures  # noqa: E402

MOVES = 7


def timed(function, *args, **kwargs):
    start = time.process_time()
    result = function(*args, **kwargs)
    return 1000 * (time.process_time() - start), result


def places(stops, start):
    """Some stops other than the start, spread over the slider."""
    others = [stop for stop in stops if stop != start]
    step = max(1, len(others) // MOVES)
    return others[::step][:MOVES]


def moves(figure, name, renderer):
    """Milliseconds of each move of one slider: compute, draw, pack."""
    stops = range(1, MOVES + 1) if name == "seed" else figure.demo.choices[name]
    reveal = figure.demo.scenes.get("Reveal", {})  # before it, little is drawn
    for value in places(stops, figure.demo.start[name]):
        try:  # the others at or near their start
            computed, shown = timed(figure, **reveal | {name: value})
        except ParameterError:
            continue
        drawn, pixels = timed(renderer.draw, shown)
        packed, _ = timed(png, pixels)
        yield computed, drawn, packed


def main(names):
    rows = []
    for demo, figure in figures().items():
        if names and demo not in names:
            continue
        free()  # nothing is remembered from other demos
        renderer = Renderer()
        renderer.draw(figure())
        for name in figure.demo.start:
            taken = list(zip(*moves(figure, name, renderer), strict=True))
            if taken:
                rows.append((demo, name, *map(statistics.median, taken), max(taken[0])))
    print(f"{'demo':32}{'slider':16}{'compute':>9}{'draw':>9}{'pack':>9}{'slowest':>9}")
    for demo, name, *columns in rows:
        print(f"{demo:32}{name:16}" + "".join(f"{x:9.1f}" for x in columns))
    for column, what in enumerate(("compute", "draw", "pack"), 2):
        worst = max(rows, key=lambda row: row[column])
        print(f"slowest to {what}: {worst[0]}, {worst[1]}: {worst[column]:.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
