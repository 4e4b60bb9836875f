"""The slides of a lecture: one file with everything in it, from the cells' slideshow metadata."""

import base64
import re
import shutil
from html import escape

from tools.publish import build, moving

STARTS = ("slide", "subslide")
LEFT_OUT = ("skip", "notes")


def write(folders, paths):
    """Write the slides of these notebooks; return their files."""
    chapters = build.chapters(folders, paths, pages=False)
    place, new = folders.build / "slides", folders.build / ".new-slides"
    shutil.rmtree(new, ignore_errors=True)
    try:
        new.mkdir(parents=True)
        for chapter in chapters:
            (new / f"{chapter.name}.html").write_text(deck(chapter), encoding="utf8")
        place.mkdir(exist_ok=True)
        for made in new.iterdir():
            made.replace(place / made.name)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [place / f"{chapter.name}.html" for chapter in chapters]


def deck(chapter):
    """All slides of a notebook as one page."""
    packed = "".join(
        f'workbook.keep("{chapter.name[:2]}-{name}","{text}");\n'
        for name, text in chapter.demos.items()
    )
    script = build.script() + packed + (build.HERE / "slides.js").read_text("utf8")
    return build.page(
        "slides.html",
        title=chapter.title,
        style=_style(),
        slides="\n".join(slide.html() for slide in grouped(chapter)),
        script=script,
    )


def _style():
    parts = [build.HERE / "read.css", build.ROOT / "course_lib/demos/panel.css"]
    style = "".join(path.read_text("utf8") for path in (*parts, build.HERE / "slides.css"))
    return re.sub(r"url\((fonts/[^)]+)\)", lambda found: f"url({_inside(found[1])})", style)


def _inside(font):
    text = base64.b64encode((build.HERE / font).read_bytes()).decode()
    return f"data:font/woff2;base64,{text}"


def grouped(chapter):
    """The slides; a demo has one of its own, with what a speaker can say of its scenes."""
    minutes = dict(re.findall(r"^\| \[.*?\]\(#(\S+)\) \| (\d+) \|$", _sources(chapter), re.M))
    states = {name: moving.unpacked(packed) for name, packed in chapter.demos.items()}
    slides = []
    for piece, html in zip(chapter.pieces, build.with_demos(chapter), strict=True):
        if piece.slide == "notes" and slides:
            slides[-1].notes.append(html)
        if piece.slide in LEFT_OUT:
            continue
        if piece.demos:
            html = re.sub(r'<details class="fold">.*?</details>', "", html, flags=re.DOTALL)
            slides.append(
                _Slide("live", [html], [_scenes(states[name]) for name, _ in piece.demos])
            )
            continue
        if not slides or piece.slide in STARTS or slides[-1].kind == "live":
            slides.append(_Slide("" if slides else "first"))
        if piece.slide == "fragment" and slides[-1].blocks:
            html = f'<div class="fragment">{html}</div>'
        slides[-1].blocks.append(html)
        slides[-1].notes += [
            _minutes(at, minutes) for at in re.findall(r'<h[12] id="([^"]*)"', html)
        ]
    return slides


class _Slide:
    def __init__(self, kind, blocks=(), notes=()):
        self.kind, self.blocks, self.notes = kind, list(blocks), list(notes)

    def html(self):
        inside = "\n".join(self.blocks)
        tall = re.search(r'viewBox="0 0 518.4 (\S+)"', inside) if self.kind == "live" else None
        kind = f"{self.kind} tall" if tall and float(tall[1]) > 4.45 * 72 else self.kind
        notes = f'<aside class="notes" hidden>{"".join(self.notes)}</aside>'
        return f'<section class="slide {kind}"><div class="inside">{inside}</div>{notes}</section>'


def _sources(chapter):
    return "\n".join(piece.source for piece in chapter.pieces)


def _minutes(at, minutes):
    return f"<p>{minutes[at]} minutes</p>" if at in minutes else ""


def _scenes(states):
    """What each scene shows, and which sliders move together."""
    said = {
        scene: states["words"][states["shown"][at][0]] for scene, at in states["scenes"].items()
    }
    items = "".join(
        f"<li><b>{escape(scene)}</b>: {escape(text)}</li>" for scene, text in said.items()
    )
    together = " and ".join(states["together"])
    last = f"<p>Stored in all combinations: {together}.</p>"
    return f"<p>{escape(states['title'])}</p><ul>{items}</ul>{last}"
