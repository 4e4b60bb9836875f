"""The book: a page a notebook, contents, search, glossary, errata, and a PDF of each notebook."""

import json
import re
import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path

from tools.publish import build
from tools.publish.cells import anchor, prose, words_of

CHROMIUM = ["chromium", "chromium-browser", "google-chrome", "chrome", "msedge"]
QUIET = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
QUIET = [f"--{word}" for word in f"{QUIET} disable-component-update disable-sync".split()]
NO_PDF = "There is no Chromium or Chrome on the path, so the book has no PDFs."
REFERENCE = "11_reference"  # has the glossary, once it is there


def write(folders, paths, *, pdf=True):
    """Write the book of these notebooks; return its folder."""
    chapters = build.chapters(folders, paths, pages=True)
    new, place = folders.build / ".new-book", folders.build / "book"
    shutil.rmtree(new, ignore_errors=True)
    try:
        _pages(new, chapters)
        if pdf:
            _pdfs(new, chapters)
        _measure(new, chapters)
        build.move_in(new, place)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return place


def _pages(new, chapters):
    (new / "demos").mkdir(parents=True)
    shutil.copytree(build.HERE / "fonts", new / "fonts")
    own = [_text("read.css"), (build.ROOT / "course_lib/demos/panel.css").read_text("utf8")]
    _put(new / "book.css", "".join([*own, _text("book.css")]))
    _put(new / "book.js", build.script("book.js"))
    mains = {chapter.name: "\n".join(build.with_demos(chapter)) for chapter in chapters}
    for chapter in chapters:
        for name, packed in chapter.demos.items():
            known = f"{chapter.name[:2]}-{name}"
            _put(new / "demos" / f"{known}.js", f'workbook.keep("{known}","{packed}");\n')
    titles = {chapter.name: chapter.title for chapter in chapters}
    if REFERENCE not in mains:
        mains["glossary"], titles["glossary"] = _glossary(chapters), "Glossary"
    else:
        shutil.copy(build.ROOT / "docs" / "mechanisms.html", new)  # to which it links
    errata = prose((build.ROOT / "ERRATA.md").read_text("utf8"))
    mains["errata"], titles["errata"] = errata, "Errata"
    names = list(mains)
    for i, (name, main) in enumerate(mains.items()):
        around = [
            (names[j], word) for j, word in ((i - 1, "←"), (i + 1, "→")) if 0 <= j < len(names)
        ]
        links = [
            f'<a href="{other}.html">{word} {escape(titles[other])}</a>' for other, word in around
        ]
        if name[:2].isdigit():
            links.append(f'<a class="pdf" href="{name}.pdf">as PDF</a>')
        _page(new, name, titles[name], _linked(main, mains), titles, " ".join(links), mains)
    first = _contents(titles, mains, "", deep=True)
    start = f"<h1>The sparse vector workbook</h1>\n{ABOUT}\n{first}"
    _page(new, "index", "The sparse vector workbook", start, titles, "", mains)
    sections = [row for name, main in mains.items() for row in _sections(name, main)]
    _put(new / "search.js", f"workbook.index({json.dumps(sections, ensure_ascii=False)});\n")


ABOUT = """<p>Each mechanism is a short function that reads like its pseudocode, each theorem a
curve that you can move. Every picture with sliders moves on these pages; to run and change the
code, open the notebooks.</p>"""


def _measure(new, chapters):
    sizes = {
        path.relative_to(new): path.stat().st_size for path in new.rglob("*") if path.is_file()
    }
    shared = sum(size for path, size in sizes.items() if path.parts[0] == "fonts")
    for chapter in chapters:
        own = [new / f"{chapter.name}.html", *(new / "demos").glob(f"{chapter.name[:2]}-*")]
        page = shared + sum(path.stat().st_size for path in own)
        build.within(build.PAGE_BYTES, page, f"The page {chapter.name}")
    build.within(build.BOOK_BYTES, sum(sizes.values()), "The book")


def _text(name):
    return (build.HERE / name).read_text(encoding="utf8")


def _put(path, text):
    path.write_text(text, encoding="utf8")


def _page(new, name, title, main, titles, around, mains):
    contents = _contents(titles, mains, name)
    filled = build.page("page.html", title=title, main=main, around=around, contents=contents)
    _put(new / f"{name}.html", filled)


def _contents(titles, mains, here, *, deep=False):
    """The pages; below the present one, or below all, the sections."""
    items = []
    for name, title in titles.items():
        number = f"{name[:2]} · " if name[:2].isdigit() else ""
        now = ' aria-current="page"' if name == here else ""
        inside = ""
        if deep or name == here:
            found = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', mains[name])
            links = [f'<li><a href="{name}.html#{at}">{words}</a></li>' for at, words in found]
            inside = f"<ul>{''.join(links)}</ul>" if links else ""
        items.append(f'<li><a href="{name}.html"{now}>{number}{escape(title)}</a>{inside}</li>')
    return f'<ol class="contents">{"".join(items)}</ol>'


def _linked(main, mains):
    """Links to notebooks that are not in this book lead nowhere: only their words stay."""
    return re.sub(
        r'<a href="(\d\d_\w+)\.html[^"]*">(.*?)</a>',
        lambda found: found[0] if found[1] in mains else found[2],
        main,
    )


def _sections(name, main):
    """Of each section the page, the anchor, the title and the words."""
    main = re.sub(r"<svg.*?</svg>|<annotation.*?</annotation>", " ", main, flags=re.DOTALL)
    parts = re.split(r'<h[123] id="([^"]*)">(.*?)</h[123]>', main)
    for at, title, html in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        html = re.sub(r"<(?:/?(?:p|li|td|th|tr|div|pre|summary|dt|dd|h4)\b[^>]*)>", r" \g<0>", html)
        yield [name, at, words_of(title), " ".join(words_of(html).split())]


def _glossary(chapters):
    """The sentences in which the notebooks set a term in bold where they first use it."""
    found = {}
    for chapter in chapters:
        heading = ""
        for piece in chapter.pieces:
            heading = piece.heading or heading
            text = re.sub(r"<[^>]*>|^[>|#-].*$|\$\$.*?\$\$", "", piece.source, flags=re.M | re.S)
            for sentence in re.findall(r"[^.!?\n][^.!?\n]*\*\*[^.!?\n]+\*\*[^.!?\n]*[.!?]", text):
                for term in re.findall(r"(?<!^)\*\*([a-zε(][^*.:?]*)\*\*", sentence.strip()):
                    if len(term.split()) <= 4 and not term[-1].isdigit():
                        found.setdefault(term, (sentence.strip(), chapter.name, heading))
    items = []
    for term, (sentence, name, heading) in sorted(found.items(), key=lambda row: row[0].lower()):
        there = f"{name}.html#{escape(anchor(heading))}"
        link = f'<a href="{there}">{name[:2]} · {escape(heading)}</a>'
        said = prose(sentence).strip().removeprefix("<p>").removesuffix("</p>")
        items.append(f'<dt id="{escape(anchor(term))}">{escape(term)}</dt><dd>{said} {link}</dd>')
    return f'<h1 id="Glossary">Glossary</h1>\n<dl class="glossary">{"".join(items)}</dl>'


def _pdfs(new, chapters):
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not chromium:
        build.say(NO_PDF)
    for chapter in chapters:
        page, target = new / f"{chapter.name}.html", new / f"{chapter.name}.pdf"
        if chromium:
            build.say(f"PDF of {chapter.name}", passing=True)
            _print(chromium, page, target)
        if not target.exists():
            _put(page, re.sub(r'<a class="pdf".*?</a>', "", page.read_text("utf8")))


def _print(chromium, page, target):
    with tempfile.TemporaryDirectory() as profile:
        own = [f"--user-data-dir={profile}", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
        command = [chromium, *QUIET, *own, Path(page).as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=180)
        except subprocess.TimeoutExpired:
            done = None
    if done is None or done.returncode or not target.exists():
        build.say(f"Chromium makes no PDF of {page.stem}, so the book has none.")
        target.unlink(missing_ok=True)
