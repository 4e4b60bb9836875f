"""The notebooks as stored: complete, in step with the solutions, short cells, true pictures.

That every cell still gives its stored output is checked by nbval, which compares texts; the
pictures are compared here.
"""

import base64
import importlib
import io
import re
from pathlib import Path

import matplotlib.image
import nbformat
import numpy as np
import pytest

from course_lib.demos.explore import explore
from tools import refresh

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)]


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def test_every_cell_has_run_in_order_without_an_error(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [o for cell in cells for o in cell.outputs if o.output_type == "error"]


def test_what_is_stored_is_normal(path):
    """Solutions are those of course_lib/checks/solutions, and nothing stale or random is kept."""
    before = read(path)
    after = read(path)
    refresh.fill_solutions(after, path.stem.split("_", 1)[1])
    refresh.normalise(after)
    assert before == after


def test_no_output_is_excused_from_comparison(path):
    assert not [cell for cell in read(path).cells if cell.metadata.get("tags")]


def test_cells_are_short_and_placed_on_slides(path):
    for cell in read(path).cells:
        assert "slide_type" in cell.metadata["slideshow"]
        imports = cell.source.startswith(("import", "from"))
        if cell.cell_type == "code" and not imports:
            assert len(cell.source.splitlines()) <= 12, cell.source
        if cell.cell_type == "markdown" and "solution" not in cell.metadata:
            prose = [line for line in cell.source.splitlines() if not line.startswith("|")]
            words = re.sub(r"<[^>]*>", " ", " ".join(prose)).split()
            assert len(words) <= 110, cell.source


def test_no_tag_asks_the_reader_to_run_things_by_hand(path):
    assert "pip install" not in path.read_text(encoding="utf8")


def test_last_cell_drives_every_demo(path):
    *cells, last = code_cells(path)
    shown = [
        o.data["text/plain"] for c in cells for o in c.outputs if "image/png" in o.get("data", {})
    ]
    names = {re.match(r"explore\((\w+)", text)[1] for text in shown}
    assert last.source.startswith("sweep(") and last.metadata["jupyter"]["source_hidden"]
    driven = [line.split(":")[0] for line in last.outputs[0].text.splitlines()]
    assert sorted(driven) == sorted(names)


@pytest.mark.usefixtures("nothing_left_of_it")
def test_stored_pictures_are_what_the_demos_draw(path):
    """Under the pinned versions; a few pixels may differ between processors."""
    stem = path.stem.split("_", 1)[1]
    demos = {}
    for file in (ROOT / "course_lib" / "demos").glob(f"{stem}*.py"):
        demos |= vars(importlib.import_module(f"course_lib.demos.{file.stem}"))
    pictures = 0
    for cell in code_cells(path):
        for output in cell.outputs:
            stored = output.get("data", {}).get("image/png")
            call = re.match(r"(explore\([^\n]*?\)): ", output.get("data", {}).get("text/plain", ""))
            if stored and call:
                panel = eval(call[1], demos | {"explore": explore})
                old, new = (_pixels(png) for png in (base64.b64decode(stored), panel.png))
                assert old.shape == new.shape and np.mean(np.abs(old - new) > 0.1) < 0.001
                assert output.metadata["image/png"]["alt"] == panel.sentence
                pictures += 1
    assert pictures >= 4


def _pixels(png):
    return matplotlib.image.imread(io.BytesIO(png), format="png")[..., :3]
