"""The book and the slides in a real Chromium, from files: what moves, what is found, what fits."""

import io
import os
import re
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

from course_lib.demos.above_threshold import explore, one_run
from course_lib.demos.drawing import Renderer
from tests.browser import opened, require
from tests.small_book import folders_of
from tools.publish import book, build, slides
from tools.publish.build import Folders

pytestmark = pytest.mark.usefixtures("nothing_left_of_it")
EVERY_STEP = bool(os.environ.get("EVERY_STEP"))  # many minutes; otherwise two small decks
DECKS = ["01_small", "02_next", *(path.stem for path in build.notebooks(Folders()) if EVERY_STEP)]
# Everything on the slides at every step: what is cut, and words that are too small.
MEASURE = """() => {
    const cut = [], small = [], script = 'msub, msup, msubsup, munder, mover, munderover, tspan';
    slides.forEach((slide, i) => steps[i].concat(0).forEach((_, at) => {
        show(i, at);
        const page = slide.getBoundingClientRect(), scale = page.width / 1280;
        for (const e of slide.querySelectorAll('.inside, .inside *')) {
            const box = e.getBoundingClientRect();
            if (!box.width || !e.checkVisibility({visibilityProperty: true})) continue;
            const beyond = box.left < page.left - 1 || box.top < page.top - 1
                || box.right > page.right + 1 || box.bottom > page.bottom + 1;
            const hidden = e.matches('.inside, pre, .wide')
                && (e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1);
            if ((beyond && !e.closest('.drawn')) || hidden)
                cut.push([i + 1, at, e.tagName, e.textContent.slice(0, 40)]);
            if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
            const svg = e.closest('.drawn'), box_ = svg?.viewBox.baseVal;
            const drawn = svg ? svg.getBoundingClientRect().width / box_.width / scale : 1;
            const size = parseFloat(getComputedStyle(e).fontSize) * drawn;
            if (size < (e.closest(script) ? 12 : 17.9))
                small.push([i + 1, at, size, e.textContent.slice(0, 30)]);
        }
    }));
    return [cut, small];
}"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small book and its slides."""
    require()
    folders = folders_of(tmp_path_factory.mktemp("book"))
    paths = build.notebooks(folders)
    place = book.write(folders, paths)
    return place, slides.write(folders, paths)


@pytest.fixture(scope="module")
def page(made):
    with opened(900, 1000) as page:
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        yield page


@pytest.fixture
def first(made, page):
    """The first page, with its demo alive."""
    page.goto((made[0] / "01_small.html").as_uri())
    page.wait_for_selector(".workbook-panel input")
    return page


def test_no_link_is_broken_and_nothing_is_asked_from_outside(made, page):
    place, anchors, links = made[0], {}, []
    pages = sorted(place.glob("*.html"))
    names = {"index", "01_small", "02_next", "glossary", "errata"}
    assert {path.stem for path in pages} == names
    for path in pages:
        page.goto(path.as_uri())
        page.wait_for_load_state()
        anchors[path.name] = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
        found = page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
        links += [(path.name, link) for link in found]
    assert len(links) > 30
    for source, link in links:
        file, _, anchor = link.partition("#")
        if link.startswith("https://"):
            continue
        assert not file or (place / file).exists(), (source, link)
        assert not anchor or unquote(anchor) in anchors[file or source], (source, link)
    assert all(url.startswith(("file:", "data:", "blob:")) for url in page.asked)
    assert not page.complaints


def sentence(page):
    return page.text_content(".sentence")


def shown_by_the_library(page):
    """What the library's panel shows at the line that the page's panel gives."""
    return eval(page.text_content(".more code"), {"explore": explore, "one_run": one_run})


def test_a_slider_moves_by_keyboard_and_says_what_the_library_computes(first):
    slider = first.get_by_role("slider", name="ε")
    slider.focus()
    seen = set()
    for key in ("Home", "ArrowRight", "ArrowRight", "End"):
        first.keyboard.press(key)
        library = shown_by_the_library(first)
        assert sentence(first) == library.sentence
        assert slider.get_attribute("aria-valuetext") == f"{library.values['epsilon']:g}"
        seen.add(first.inner_html(".drawn"))
    assert len(seen) == 4
    first.get_by_role("slider", name="k queries").press("Home")
    library = shown_by_the_library(first)
    assert (
        library.values["num_queries"] == 1
        and library.values["epsilon"] == one_run.demo.choices["epsilon"][-1]
    )  # both


def test_scenes_noise_play_and_reset_stay_among_what_is_stored(first):
    for name in one_run.demo.scenes:
        first.get_by_role("button", name=name).click()
        assert shown_by_the_library(first).values == one_run.demo.scene(name)
        before = first.inner_html(".drawn")
        first.get_by_role("button", name="New noise").click()
        library = shown_by_the_library(first)
        assert library.values == one_run.demo.scene(name) | {"seed": library.values["seed"]}
        assert first.inner_html(".drawn") != before and sentence(first) == library.sentence
    first.get_by_role("slider", name="k queries").press("Home")
    first.get_by_role("button", name="Play").click()
    first.wait_for_function("document.querySelectorAll('.value')[2].textContent === '3'")
    first.get_by_role("button", name="Pause").click()
    first.get_by_text("More", exact=True).click()
    first.get_by_role("button", name="Reset").click()
    assert shown_by_the_library(first).values == one_run.demo.start | {"epsilon": 1.0}
    assert "ε and k queries move together" in first.text_content(".together")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_picture_is_the_notebooks(first, dark):
    """In blocks of ten pixels each scene's is nearer to it than to that of any other scene.

    Not dot for dot: letters that are hinted for an image are a little wider than those of a page.
    """
    first.emulate_media(color_scheme="dark" if dark else "light")
    wide = ".workbook-panel .picture { width: 720px !important; }"
    wide += "header, .workbook-panel .side { display: none !important; }"
    first.add_style_tag(content=wide)
    seen = {}
    for name in one_run.demo.scenes:
        first.evaluate("name => document.querySelector('figure.mounted').model.send(name)", name)
        image = Image.open(io.BytesIO(first.locator(".picture svg").screenshot()))
        assert image.width == 720 and abs(image.height - 500) <= 1
        seen[name] = grey(image)
    renderer = Renderer(100, dark=dark)
    for name in seen:
        wanted = grey(Image.fromarray(renderer.draw(one_run(**one_run.demo.scene(name)))))
        assert name == min(seen, key=lambda other: np.abs(seen[other] - wanted).mean())
    first.emulate_media(color_scheme="light")


def grey(image):
    small = image.convert("L").resize((72, 50), Image.Resampling.BOX)
    return np.asarray(small, dtype=float)


def test_search_finds_words_and_letters_wherever_they_stand(first):
    box = first.get_by_role("searchbox")
    box.fill("ZEUGMA")
    result = first.locator(".results a").first
    result.wait_for()
    assert "Two folds" in result.text_content()
    box.fill("paragraph of it")
    first.wait_for_function("document.querySelector('.results a')?.textContent.includes('long')")
    first.keyboard.press("Enter")
    first.wait_for_url("**/02_next.html#What-is-long")
    first.go_back()


def test_a_screen_reader_finds_headings_sliders_pictures_and_formulas(first):
    tree = first.locator("body").aria_snapshot()
    for words in (
        'heading "A small notebook" [level=1]',
        'heading "Two folds" [level=2]',
        'slider "ε"',
        'group "scenes"',
        "navigation",
        "searchbox",
        "main",
    ):
        assert words in tree, words
    assert f'img "{sentence(first)[:40]}' in tree
    assert first.locator("math").count() == 2


@pytest.mark.parametrize("name", ["index", "01_small", "02_next", "errata"])
def test_a_phone_shows_every_page_in_its_width(made, page, name):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto((made[0] / f"{name}.html").as_uri())
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 900, "height": 1000})


def test_without_a_script_a_wide_window_has_the_contents(made, page):
    context = page.context.browser.new_context(
        java_script_enabled=False, viewport={"width": 1280, "height": 720}
    )
    bare = context.new_page()
    bare.goto((made[0] / "01_small.html").as_uri())
    bare.click("nav summary", timeout=3000)
    assert bare.locator("nav a").first.is_visible()
    context.close()


@pytest.mark.parametrize("width", [1280, 1920])
def test_a_wide_window_has_the_sliders_beside_the_picture(first, width):
    first.set_viewport_size({"width": width, "height": width * 9 // 16})
    picture, side = (first.locator(f".{name}").first.bounding_box() for name in ("picture", "side"))
    assert side["x"] >= picture["x"] + picture["width"] and side["y"] < picture["y"] + 20
    assert first.locator("nav a").first.is_visible() and first.locator("nav summary").is_hidden()
    first.set_viewport_size({"width": 900, "height": 1000})


def test_without_a_script_the_picture_and_its_caption_are_there(made):
    text = (made[0] / "01_small.html").read_text(encoding="utf8")
    figure = re.search(r'<figure class="demo".*?</figure>', text, re.DOTALL)[0]
    shown = one_run(epsilon=1.0)
    assert figure.count("<svg") == 1 and f"<p>{shown['sentence']}</p>" in figure
    assert shown["axes"][0]["x"]["label"] in figure


def test_each_notebook_is_there_on_paper(made):
    for name in ("01_small", "02_next"):
        assert (made[0] / f"{name}.pdf").read_bytes()[:5] == b"%PDF-"


def test_paper_shows_what_is_folded_and_nothing_to_press(first):
    first.emulate_media(media="print")
    seen = "e => e.checkVisibility()"
    for pressed in ("header", "nav", ".workbook-panel .side", ".fold"):
        assert not first.locator(pressed).first.evaluate(seen), pressed
    assert first.get_by_text("Because.").evaluate(seen)
    assert first.locator(".sentence").first.evaluate(seen)
    first.emulate_media(media="screen")


@pytest.fixture(scope="module", params=DECKS)
def deck(request, made, page):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.asked.clear()
    page.complaints.clear()
    whole = [place for place in made[1] if place.stem == request.param]
    place = whole or slides.write(Folders(), build.notebooks(Folders(), request.param))
    page.goto(place[0].as_uri())
    page.wait_for_selector("body[data-ready]", state="attached")
    return page


def test_nothing_on_a_slide_is_cut_or_small_at_any_step(deck):
    cut, small = deck.evaluate(MEASURE)
    assert not cut and not small
    assert len(deck.asked) == 1 + sum(u.startswith(("data:", "blob:")) for u in deck.asked[1:])
    assert not deck.complaints


PAPER = """() => {
    dispatchEvent(new Event('beforeprint'));
    const copies = [...document.querySelectorAll('.printed')];
    const all = (copy, what) => [...copy.querySelectorAll(what)];
    const clip = e => document.querySelector(e.getAttribute('clip-path').slice(4, -1));
    const whole = copy => all(copy, '[clip-path]').every(e => copy.contains(clip(e)))
        && all(copy, '.choice').every(e => e.querySelector(':checked'));
    const seen = e => e.checkVisibility({contentVisibilityAuto: true});
    const broken = copies.filter(copy => !whole(copy)).length;
    const answers = copies.map(copy => all(copy, 'details p').filter(seen).length);
    dispatchEvent(new Event('afterprint'));
    return [broken, answers];
}"""


def test_on_paper_each_step_is_a_page_with_a_whole_picture_and_one_answer(deck):
    deck.emulate_media(media="print")
    broken, answers = deck.evaluate(PAPER)
    deck.emulate_media(media="screen")
    assert len(answers) >= deck.evaluate("slides.length") and not broken
    if "small notebook" in deck.title():
        assert [count for count in answers if count] == [1, 1]


def test_a_long_code_and_a_long_table_go_on_without_loss(deck):
    insides = "slides.map(slide => slide.querySelector('.inside').textContent)"
    text = "\n".join(deck.evaluate(insides))
    if "total_0" in text:
        assert re.findall(r"total_(\d+) =", text) == [str(i) for i in range(60)]
        cells = deck.locator(".slide td").all_text_contents()
        assert cells == 2 * [str(number) for i in range(40) for number in (i, i * i)]


def test_keys_step_through_scenes_and_folds_and_back(deck):
    if "small notebook" not in deck.title():
        return
    deck.evaluate("show(0)")
    places, sentences = [], []
    for _ in range(12):
        places.append(deck.evaluate("[here, step]"))
        sentences.append(deck.text_content(".slide.now .sentence") if places[-1][0] == 1 else "")
        opened = deck.evaluate("slides[here].querySelectorAll('details[open]:not(.more)').length")
        if places[-1][0] == 2:
            assert opened == (places[-1][1] > 0)  # the question first, then one fold at a time
        deck.keyboard.press("ArrowRight")
    scenes = [one_run(**one_run.demo.scene(name))["sentence"] for name in one_run.demo.scenes]
    assert [s for s in sentences if s] == [one_run(epsilon=1.0)["sentence"], *scenes]
    demo = [[1, i] for i in range(len(scenes) + 1)]
    assert places[: len(demo) + 4] == [[0, 0], *demo, [2, 0], [2, 1], [2, 2]]
    deck.keyboard.press("Home")
    deck.keyboard.press("PageDown")
    slider = deck.locator(".slide.now input[type=range]").first
    slider.focus()
    deck.keyboard.press("ArrowRight")
    assert deck.evaluate("here") == 1, "the key moves the slider, not the slide"
    deck.keyboard.press("o")
    assert deck.evaluate("document.body.className") == "deck overview"
    deck.keyboard.press("Escape")
    assert deck.evaluate("here") == 1 and deck.evaluate("document.body.className") == "deck"
    deck.keyboard.press("PageUp")
    assert deck.evaluate("here") == 0
