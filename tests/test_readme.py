"""README: its moving pictures are current and small, and what it names is there."""

import re

import numpy as np
import pytest
from PIL import Image

from tests.test_prose import broken_links
from tools import moving

README = (moving.ROOT / "README.md").read_text(encoding="utf8")


@pytest.mark.parametrize("theme", moving.PICTURES)
def test_the_moving_picture_is_current(theme):
    """After a change of the demo or of how it is drawn: python tools/moving.py"""
    with Image.open(moving.PICTURES[theme]) as stored:
        assert stored.n_frames == len(moving.SEEN)
        for place in (3, len(moving.SEEN) - 1):
            stored.seek(place)
            old = np.asarray(stored.convert("RGB"), dtype=int)
            new = np.asarray(moving.frame(moving.SEEN[place], theme), dtype=int)
            assert old.shape == new.shape  # processors differ in a few pixels
            assert np.mean(np.abs(old - new) > 25) < 0.001


@pytest.mark.parametrize("path", moving.PICTURES.values(), ids=moving.PICTURES)
def test_a_moving_picture_is_small_and_shown(path):
    assert path.stat().st_size < 400_000
    assert path.relative_to(moving.ROOT).as_posix() in README


def test_its_last_frame_is_the_ring():
    told = moving.one_run(num_queries=moving.SEEN[-1])["numbers"]
    assert told["⊤ at query"] == moving.SEEN[-1]
    assert moving.one_run(num_queries=moving.SEEN[-2])["numbers"]["⊤ at query"] is None


def test_every_file_that_is_linked_is_there_and_every_notebook_is_named():
    linked = re.findall(r"\]\(([\w./]+)(?:#[^)]*)?\)|(?:src|srcset)=\"([^\"]+)\"", README)
    files = {a or b for a, b in linked}
    assert files and all((moving.ROOT / file).exists() for file in files), files
    contents = README.partition("## Contents")[2].partition("\n## ")[0]
    for path in (moving.ROOT / "notebooks").glob("*.ipynb"):
        assert path.stem in contents, path.stem


@pytest.mark.parametrize("path", [*moving.ROOT.glob("*.md")], ids=lambda path: path.stem)
def test_a_link_to_a_notebook_leads_to_a_heading_in_it(path):
    broken = broken_links(path.read_text(encoding="utf8"))
    assert not broken, "\n".join(broken)
