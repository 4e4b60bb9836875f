"""The notebooks as stored: complete, in step with the solutions, short cells, true pictures.

That every cell still gives its stored output is checked by nbval, which compares texts; the
pictures are compared here.
"""

import ast
import base64
import io
import re
from pathlib import Path

import matplotlib.image
import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter

from tests.test_prose import REFERENCE
from tools import refresh

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)]


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def is_import(statement):
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def parts(cell):
    """A cell's imports, and its other lines."""
    lines, statements = cell.source.splitlines(), ast.parse(cell.source).body
    end = max((each.end_lineno for each in statements if is_import(each)), default=0)
    return lines[:end], "\n".join(lines[end:]).strip("\n").splitlines()


def imports(cell):
    """Of each import statement of a cell: the names that it makes known."""
    statements = filter(is_import, ast.parse(cell.source).body)
    return [{name.asname or name.name.split(".")[0] for name in each.names} for each in statements]


def calls(cell):
    """Each function that a cell calls by name, and its first argument if that is a name."""
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, next((arg.id for arg in node.args[:1] if hasattr(arg, "id")), None)


def demands(cell):
    """What a cell with a demo or a check imports, whatever is known: one set for each statement."""
    for function, argument in calls(cell):
        if function == "explore":
            yield {function, argument}
        elif function.startswith("check_"):
            yield {function}


def exercises(path):
    """Each cell with a stub and a check, and the name of its solution."""
    cells = read(path).cells
    for place, cell in enumerate(cells):
        if cell.cell_type == "code" and any(name.startswith("check_") for name, _ in calls(cell)):
            names = (other.metadata.get("solution") for other in cells[place + 1 :])
            yield cell, next(filter(None, names))


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
    cells = read(path).cells
    for cell in cells:
        assert "slide_type" in cell.metadata["slideshow"]
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
        if cell.cell_type == "code" and not (hidden and cell is cells[-1]):  # it checks the numbers
            above, code = parts(cell)
            assert len(above) <= 6 and 1 <= len(code) <= 12, cell.source
            assert all(map(is_import, ast.parse("\n".join(above)).body)), cell.source
        if cell.cell_type == "markdown" and "solution" not in cell.metadata:
            prose = [line for line in cell.source.splitlines() if not line.startswith("|")]
            words = re.sub(r"<[^>]*>", " ", " ".join(prose)).split()
            assert len(words) <= 110, cell.source


def test_a_demo_and_a_check_are_imported_where_they_stand(path):
    for cell in code_cells(path):
        for names in demands(cell):
            assert any(names <= made_known for made_known in imports(cell)), cell.source


def test_nothing_is_imported_without_need(path):
    """A name is imported where it is first used, or by a cell that works alone."""
    solutions = {cell.id: name for cell, name in exercises(path)}
    known = set()
    for cell in code_cells(path):
        here = set().union(*imports(cell))
        alone = set().union(*demands(cell))
        text = "\n".join(parts(cell)[1])
        if cell.id in solutions:
            code = refresh.solution(path.stem.split("_", 1)[1], solutions[cell.id])
            text, alone = f"{text}\n{code}", here
        assert here <= {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        assert not (here & known) - alone, cell.source
        known |= here


def test_an_exercise_needs_no_other_cell(path, capsys):
    for cell, name in exercises(path):
        known = {}
        exec(cell.source, known)
        assert capsys.readouterr().out.startswith("Not ")
        exec(refresh.solution(path.stem.split("_", 1)[1], name), known)
        exec(cell.source.splitlines()[-1], known)
        assert capsys.readouterr().out.removeprefix("✓ ").startswith("Right: ")


def test_no_tag_asks_the_reader_to_run_things_by_hand(path):
    assert "pip install" not in path.read_text(encoding="utf8")


@pytest.mark.usefixtures("nothing_left_of_it")
def test_stored_pictures_are_what_the_demos_draw(path):
    """From a cell's own imports, under the pinned versions; processors differ in a few pixels."""
    pictures = 0
    for cell in code_cells(path):
        for output in cell.outputs:
            stored = output.get("data", {}).get("image/png")
            call = re.match(r"(explore\(.*?\)): ", output.get("data", {}).get("text/plain", ""))
            if stored and call:
                known = {}
                exec("\n".join(parts(cell)[0]), known)
                panel = eval(call[1], known)
                old, new = (_pixels(png) for png in (base64.b64decode(stored), panel.png))
                assert old.shape == new.shape and np.mean(np.abs(old - new) > 0.1) < 0.001
                assert output.metadata["image/png"]["alt"] == repr(panel).partition(": ")[2]
                panel.close()
                pictures += 1
    assert pictures >= 4 or path.stem == REFERENCE


def test_a_page_made_of_it_has_one_picture_for_each_panel_with_its_text(path):
    """By the template of nbconvert that hands the text alternative on; “lab” leaves it out."""
    page, _ = HTMLExporter(template_name="classic").from_filename(path)
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    drawn = [o for o in outputs if "image/png" in o.get("data", {})]
    assert all(o.data.keys() == {"image/png", "text/plain"} for o in drawn)
    told = [o.metadata["image/png"]["alt"] for o in drawn]
    shown = BeautifulSoup(page, "html.parser").select(".output_subarea img, .output_png img")
    assert [picture["alt"] for picture in shown] == told
    assert all(text in o.data["text/plain"] for text, o in zip(told, drawn, strict=True))


def _pixels(png):
    return matplotlib.image.imread(io.BytesIO(png), format="png")[..., :3]
