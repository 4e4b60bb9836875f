"""The book and the slides without a browser: states, formulas, what is written, bad input."""

import errno
import json
import re
import xml.etree.ElementTree as ElementTree
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.demos.words import written
from course_lib.support.contracts import ParameterError
from tests.small_book import folders_of, small
from tools.publish import book, build, cells, moving, slides, states, vector
from tools.publish.__main__ import told

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FIGURES = states.figures()
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
MATH = "{http://www.w3.org/1998/Math/MathML}"


@pytest.fixture(scope="module")
def one_run():
    return moving.states_of("one_run", [{"epsilon": 1.0}, {"epsilon": 0.3}])


@pytest.fixture
def folders(tmp_path):
    return folders_of(tmp_path)


def state(data, number):
    """The parameters of a stored state."""
    values = data["states"][number]
    pairs = zip(data["parameters"], values, strict=True)
    return {one["name"]: eval(one["codes"][i]) for one, i in pairs}  # 2**20 is no literal


def test_a_group_has_two_or_three_sliders_of_its_demo():
    for name, group in states.GROUPS.items():
        if name in FIGURES:
            assert 2 <= len(group) <= 3 and set(group) <= set(FIGURES[name].demo.values), name


@pytest.mark.parametrize("name", FIGURES)
def test_scenes_each_slider_alone_and_the_group_are_stored(name):
    described = FIGURES[name].demo
    found, together = states.stored(FIGURES[name], [described.start])
    assert len(found) <= 800 and len(states.unique(found)) == len(found)
    for place in [described.start, *map(described.scene, described.scenes)]:
        assert place in found
        for slider in described.values:
            stops = described.stops(slider, place)
            others = {k: v for k, v in place.items() if k != slider and not follows(described, k)}
            alone = {each[slider] for each in found if others.items() <= each.items()}
            assert {stops[0], stops[-1]} <= alone, (place, slider)
            assert len(alone) >= min(8, len(stops)), (place, slider)
        if "seed" in place:
            assert place | {"seed": place["seed"] + 1} in found
    seen = {tuple(each[slider] for slider in together) for each in found}
    if not any(follows(described, slider) for slider in together):
        sizes = [min(8, len(described.stops(slider, described.start))) for slider in together]
        assert len(seen) >= np.prod(sizes)


def follows(described, name):
    return callable(described.values.get(name))


@pytest.mark.parametrize("name", FIGURES)
def test_of_every_demo_what_is_stored_is_what_the_library_computes(name, monkeypatch):
    """The scenes, and some of the states between."""
    figure, described = FIGURES[name], FIGURES[name].demo
    found, together = states.stored(figure, [described.start])
    places = [described.start, *map(described.scene, described.scenes)]
    few = states.unique([*places, *found[:: len(found) // 3]])
    monkeypatch.setattr(moving, "stored", lambda *_: (few, together))
    data = moving.unpacked(moving.packed(moving.states_of(name, [{}])))
    words = data["words"]
    for number, wanted in enumerate(few):
        assert state(data, number) == wanted
        sentence, *about = data["shown"][number]
        try:
            shown = figure(**wanted)
        except ParameterError as reason:
            assert words[sentence] == str(reason) and not about
            continue
        size, names, first = words[about[0]]
        assert words[sentence] == shown["sentence"] and size == shown["size"]
        numbers = {name: words[text] for name, text in zip(names, about[1], strict=True)}
        assert numbers == {name: written(value) for name, value in shown["numbers"].items()}
        assert [names[i] for i in first] == shown["named"]


def test_the_notebooks_openings_and_the_scenes_are_found(one_run):
    starts = [state(one_run, number)["epsilon"] for number in one_run["starts"]]
    assert starts == [1.0, 0.3]
    described = FIGURES["one_run"].demo
    for name, number in one_run["scenes"].items():
        assert state(one_run, number) == described.scene(name)


def test_each_part_is_stored_once_and_survives_packing(one_run):
    assert len(set(one_run["parts"])) == len(one_run["parts"])
    used = {part for shown in one_run["shown"] for part in shown[3]}
    assert used == set(range(len(one_run["parts"])))
    text = moving.packed(one_run)
    assert moving.unpacked(text) == one_run
    assert len(text) < 100_000


def test_a_path_keeps_its_points_to_a_hundredth():
    rng = np.random.default_rng(0)
    points = (500 * rng.random((300, 2))).round(6)
    path = "\n".join(f"{'ML'[i > 0]} {x} {y}" for i, (x, y) in enumerate(points)) + "\nz"
    short = vector.relative(path)
    steps = NUMBER.findall(short)
    walked = np.cumsum(np.array(steps, float).reshape(-1, 2), axis=0)
    assert np.abs(walked - points).max() < 0.0051
    assert len(short) < 0.75 * len(path)


def test_colours_stand_for_both_pages_and_no_grey_is_lost():
    parts = "".join(moving.states_of("waiting", [{}])["parts"])
    assert set(re.findall(r"#\w{6}(?![\w,)])", parts)) == set()
    assert (
        "light-dark(#0072b2,#3d9bdc)" in parts
    )  # blue, as the notebook's picture has it in the dark


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_formula_of_a_notebook_becomes_mathml(path):
    notebook = nbformat.read(path, as_version=4)
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            sources.append(output.get("data", {}).get("text/markdown", ""))
    for source in sources:
        html = cells.prose(source)
        made = re.findall(r"<math.*?</math>", html, re.DOTALL)
        bare = re.sub(r"```.*?```|`[^`]*`", "", source, flags=re.DOTALL)
        whole = re.findall(r'<span class="parted">.*?</span>|<math.*?</math>', html, re.DOTALL)
        assert len(whole) == len(re.findall(r"\$\$.+?\$\$|\$[^$]+\$", bare, re.DOTALL)), source
        for math in made:
            tree = ElementTree.fromstring(math)
            tags = {node.tag.removeprefix(MATH) for node in tree.iter()}
            assert "merror" not in tags and len(tags) > 1, math
            assert not re.search(r"[\\$&]", "".join(tree.itertext())), math


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of the whole book, without its code, and with all links that are written."""
    place = tmp_path_factory.mktemp("pages") / "book"
    chapters = []
    for path in NOTEBOOKS:
        found = cells.pieces(nbformat.read(path, as_version=4))
        chapters.append(build.Chapter(path.stem, [piece for piece in found if piece.source]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(book, "_linked", lambda main, _: main)
        book._pages(place, chapters)
    return {path.name: path.read_text("utf8") for path in place.iterdir() if path.is_file()}


def test_every_link_of_the_book_leads_somewhere(pages):
    anchors = {page: map(unescape, re.findall(r' id="([^"]*)"', pages[page])) for page in pages}
    anchors = {page: set(found) for page, found in anchors.items()}
    for page, text in pages.items():
        for link in map(unescape, re.findall(r'<a [^>]*href="([^"]*)"', text)):
            file, _, at = link.partition("#")
            if not link.startswith("https://") and not file.endswith(".pdf"):
                assert (file or page) in pages, (page, link)
                assert not at or unquote(at) in anchors[file or page], (page, link)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_deck_links_to_nothing_beside_it(path):
    for piece in cells.pieces(nbformat.read(path, as_version=4), pages=False):
        for link in re.findall(r'<a [^>]*href="([^"]*)"', piece.html):
            assert link.startswith(("https://", "#")), link


def test_nobody_is_told_to_run_what_cannot_be_run(pages):
    assert not [page for page, text in pages.items() if "Run All Cells" in text]


def test_a_functions_name_stands_apart_from_its_argument():
    assert '<mi>ln</mi><mspace width="0.167em"/><mi>k</mi>' in cells.formula(r"\ln k")
    assert "mspace" not in cells.formula(r"\ln(k)")


def test_a_line_of_a_statement_ends_at_words_and_wide_spaces_alone():
    statement = (
        r"$\displaystyle x^{a\text{ b }} = \left(1 \text{ c } 2\right)\ \text{ if } k < 2,\quad y$"
    )
    html = cells.prose(statement)
    words = re.sub("<math.*?</math>", "_", html, flags=re.DOTALL)
    assert re.sub("<.*?>", "", words).strip() == "_ if _\N{EM SPACE}_"
    assert html.count('displaystyle="true"') == 3
    assert cells.prose(r"$1 \text{ c } 2$").count("<math") == 1


def test_the_panel_of_a_readers_function_stays_a_picture():
    assert cells.called("explore(one_run, epsilon=2**3): So.") == ("one_run", {"epsilon": 8})
    assert cells.called("explore(one_run, mechanism=mine): So.") is None
    assert cells.called("[1, 2]") is None


def test_slides_part_a_demo_from_its_text_and_leave_out_what_is_skipped(folders):
    notebook = small()
    notebook.cells[1].outputs = [
        new_output("execute_result", {"text/plain": "explore(waiting): So."})
    ]
    demos = {"waiting": moving.packed(moving.states_of("waiting", [{}]))}
    chapter = build.Chapter("01_small", list(cells.pieces(notebook, pages=False)), demos)
    found = [(one.kind, "".join(one.blocks)) for one in slides.grouped(chapter)]
    assert [kind for kind, _ in found] == ["first", "live", "", "", ""]
    assert "Nobody sees this" not in str(found)
    assert "one has used half" not in found[0][1] and found[2][1].startswith('<h2 id="Two-folds"')


@pytest.mark.parametrize("start", ["7", "x", "012"])
def test_an_unknown_notebook_is_named_with_those_there_are(folders, start):
    with pytest.raises(build.Problem, match="01_small, 02_next") as error:
        build.notebooks(folders, start)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            new_code_cell("1 / 0  # by mistake"),
            "cell 2, which begins with “1 / 0  # by mistake”, fails (ZeroDivisionError",
        ),
        (new_code_cell("import os\nos._exit(1)"), "“import os”, fails (its kernel died)"),
        (new_markdown_cell("So $x^$ grows."), "the formula x^ cannot be read"),
    ],
    ids=["raises", "dies", "formula"],
)
def test_a_notebook_that_fails_is_told_in_a_sentence_and_the_old_book_stays(folders, cell, said):
    (folders.build / "book").mkdir(parents=True)
    (folders.build / "book" / "index.html").write_text("old")
    notebook = new_notebook(cells=[new_code_cell(""), cell])
    nbformat.write(notebook, folders.notebooks / "01_small.ipynb")
    with pytest.raises(build.Problem) as error:
        book.write(folders, build.notebooks(folders, "01"))
    assert told(error.value).startswith("01_small.ipynb: ") and said in told(error.value)
    assert "\n" not in told(error.value)
    assert left(folders) == ["book"]


def left(folders):
    """What is in the folder of what is built, but the cache."""
    there = sorted(path.name for path in folders.build.iterdir() if path.name != "cache")
    assert (folders.build / "book" / "index.html").read_text() == "old"
    return there


def test_a_file_that_is_no_notebook_is_told_in_a_sentence(folders):
    (folders.notebooks / "01_small.ipynb").write_text("{not json")
    with pytest.raises(build.Problem, match="01_small.ipynb cannot be read"):
        build.chapters(folders, build.notebooks(folders, "01"), pages=True)


def test_on_a_full_disk_the_old_book_stays(folders, monkeypatch):
    (folders.build / "book").mkdir(parents=True)
    (folders.build / "book" / "index.html").write_text("old")
    monkeypatch.setattr(build, "chapters", lambda *_, **__: [])

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(book, "_put", full)
    with pytest.raises(OSError) as error:
        book.write(folders, [])
    assert told(error.value).startswith("The disk is full")
    assert left(folders) == ["book"]


def test_where_the_new_book_cannot_be_moved_the_old_one_comes_back(folders):
    (folders.build / "book").mkdir(parents=True)
    (folders.build / "book" / "index.html").write_text("old")
    with pytest.raises(OSError):
        build.move_in(folders.build / "missing", folders.build / "book")
    assert left(folders) == ["book"]


def test_a_demo_that_is_too_large_is_stored_with_fewer_states_and_named(monkeypatch, capsys):
    monkeypatch.setattr(moving, "states_of", lambda *given: {"states": [*range(given[-1])]})
    build._few_states("small", moving.packed_states("small", [], 10**6))
    assert capsys.readouterr().out == ""
    fits = len(moving.packed({"states": [*range(400)], "most": 400}))
    build._few_states("large", moving.packed_states("large", [], fits))
    assert capsys.readouterr().out.startswith("Of the demo large, 400 states are stored")


def test_what_is_too_large_for_a_phone_is_refused():
    build.within(800_000, 800_000, "The page x")
    with pytest.raises(build.Problem, match="The page x takes 0.9 MB, more than 0.8 MB"):
        build.within(800_000, 900_000, "The page x")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Folders that keep what was made once."""
    return folders_of(tmp_path_factory.mktemp("kept"))


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("DEMO_STATES", "The demo one_run has \\d+ states, more than 10"),
        ("DEMO_BYTES", "The demo one_run takes"),
        ("PAGE_BYTES", "The page 01_small takes"),
        ("BOOK_BYTES", "The book takes"),
    ],
)
def test_a_book_beyond_a_limit_is_refused_and_not_written(kept, monkeypatch, limit, said):
    monkeypatch.setattr(build, limit, 10)
    with pytest.raises(build.Problem, match=said):
        book.write(kept, build.notebooks(kept, "01"), pdf=False)
    assert [path.name for path in kept.build.iterdir()] == ["cache"]


def test_many_dots_are_one_path_and_stand_to_a_tenth():
    rng = np.random.default_rng(0)
    x, y = 400 * rng.random((2, 50)).round(3)
    style = "fill: #0072b2; stroke: #0072b2"
    use = f'<use xlink:href="#m" x="{{}}" y="{{}}" style="{style}"/>'
    uses = [use.format(*dot) for dot in np.transpose([x, y])]
    group = f'<g clip-path="url(#p)">{"".join(uses)}</g>'
    short = vector.compact(f'<defs><path id="m" d="M 0 1 \nz\n" style=""/></defs>{group}</svg>')
    assert short.count("marker:url(#¦ms)") == 1 and 'id="¦ms"' in short and "<use" not in short
    (path,) = re.findall(r'd="([^"z]*)"/>$', short)
    walked = np.cumsum(np.array(NUMBER.findall(path), float).reshape(-1, 2), axis=0)
    assert np.abs(walked - np.transpose([x, y])).max() < 0.0501


def test_dots_of_two_looks_stay_apart():
    uses = [f'<use xlink:href="#m" x="1" y="2" style="fill: #{i}00000"/>' for i in (1, 2)]
    text = f'<defs><path id="m" d="M 0 1 \nz\n"/></defs><g>{"".join(uses)}</g></svg>'
    assert vector.compact(text).count("<use") == 2


def test_strokes_are_one_path_unless_they_shine_through():
    path = '<path d="M {0}.04 2.04 \nL {0}.04 9.96 \n" style="fill: none; stroke: #8c8c8c{1}"/>'
    two = [path.format(at, "") for at in (1, 5)]
    assert vector.compact("".join(two) + "</svg>").count("<path") == 1
    assert 'd="m1 2l0 8m4-8l0 8"' in vector.compact("".join(two) + "</svg>")
    clear = [path.format(at, "; stroke-opacity: 0.5") for at in (1, 5)]
    assert vector.compact("".join(clear) + "</svg>").count("<path") == 2


def test_what_did_not_change_is_not_made_again(tmp_path):
    made = []

    def make(value):
        made.append(value)
        return [value]

    for value in (1, 1, 2, 1):
        assert build.remembered(tmp_path, ["states", "x", value], lambda v=value: make(v)) == [
            value
        ]
    assert made == [1, 2]
    (kept,) = [p for p in (tmp_path / "cache").iterdir() if json.loads(p.read_text()) == [2]]
    kept.write_text("cut off")
    assert build.remembered(tmp_path, ["states", "x", 2], lambda: make(3)) == [3]
