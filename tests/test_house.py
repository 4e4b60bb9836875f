"""The picture of the house: current, complete, well-formed, and what it says of imports is true."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from tools import house

SAMPLE = """
import numpy as np
import scipy.stats
from course_lib import toolbox as box
from course_lib.lab.audit import audit

def late():
    from course_lib.support import answers
    return np.random.default_rng(0), scipy.stats.norm, box.laplace_alpha, audit(), answers.ABOVE
"""
DOORS = house.doors()
PICTURE = house.picture()
SVG = "{http://www.w3.org/2000/svg}"
TEXTS = [
    (text, "".join(text.itertext())) for text in ElementTree.fromstring(PICTURE).iter(f"{SVG}text")
]


def test_the_picture_is_current():
    """After a change of files, imports or docstrings: python tools/house.py"""
    assert house.PICTURE.read_text(encoding="utf8") == PICTURE


def test_names_are_followed_to_where_they_come_from(tmp_path):
    file = tmp_path / "sample.py"
    file.write_text(SAMPLE, encoding="utf8")
    assert house.used(file) == {
        "numpy", "numpy.random", "numpy.random.default_rng", "scipy.stats", "scipy.stats.norm",
        "course_lib.toolbox", "course_lib.toolbox.laplace_alpha", "course_lib.lab.audit.audit",
        "course_lib.support.answers", "course_lib.support.answers.ABOVE",
    }  # fmt: skip


@pytest.mark.parametrize("room", house.ROOMS)
def test_arrows_are_the_imports_that_the_files_spell_out(room):
    text = "\n".join(house.source(path) for path in house.files(room))
    spelt = re.findall(r"^ *(?:from|import) course_lib(?:\.(\w+)| import)", text, re.MULTILINE)
    reached = {name if name in house.ROOMS else "slides" for name in spelt} - {room}
    assert set(DOORS[room]) == reached
    said = [words for _, words in TEXTS if words.startswith("imports ")]
    assert not reached or "imports " + ", ".join(DOORS[room]) in said


@pytest.mark.parametrize("room", house.ROOMS)
def test_every_file_of_a_room_is_on_its_shelf(room):
    shelf = list(house.shelf(room))
    assert sum(1 + len(others) for *_, others in shelf) == len(house.files(room))
    shown = [text for _, text in TEXTS]
    for _, name, sentence, _ in shelf:
        assert name in shown and any(line and sentence.startswith(line) for line in shown)


def test_files_are_found_by_the_number_of_their_notebook():
    package = house.ROOT / "course_lib"
    for file in ("above_threshold", "exact/above_threshold", "demos/above_threshold_price"):
        assert house.notebook_of(package / f"{file}.py") == "01"
    assert house.notebook_of(package / "linear_queries.py") == "05"  # SmallDB's: no stem says it
    assert house.notebook_of(package / "exact" / "family.py") is None


def test_no_text_leaves_its_box():
    """Measured in DejaVu, the widest of the fonts that the picture asks for."""
    for text, words in TEXTS:
        if text.get("class") in ("file", "purpose"):
            family = "DejaVu Sans Mono" if text.get("class") == "file" else "DejaVu Sans"
            font = FontProperties(family=family, size=13)
            width, _, _ = text_to_path.get_text_width_height_descent(words, font, ismath=False)
            assert float(text.get("x")) + width < house.WIDTH - 12, words
