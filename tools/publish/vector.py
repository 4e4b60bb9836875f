"""A picture as SVG, in parts that are stored once: the paper, the axes of each frame, each layer.

The artists are those that draw the picture in a notebook, so it looks the same. Colours stand for
a light and a dark page at once; words are text, in DejaVu Sans.
"""

import io
import json
import re

import matplotlib
from matplotlib.backends.backend_svg import RendererSVG

from course_lib.demos.drawing import DARK, LIGHT, Renderer, _skeleton

DOTS = 72  # an inch is 72 units of an SVG
# Stands in names within a part for whatever makes them different from those of another picture.
OWN = "¦"
TURNED = {light.lower(): dark.lower() for light, dark in zip(LIGHT, DARK, strict=True)}
TURNED["#ffffff"] = "#111111"
MANY = 200
# Two or more dots that share a shape, and two or more straight strokes that share a look without
# any opacity, as Matplotlib writes them.
DOTTED = re.compile(
    r'<defs><path id="(?P<name>\w+)" d="(?P<shape>[^"]*)"[^>]*/></defs>'
    r'<g(?P<clip>[^>]*)>(?P<uses>(?:<use xlink:href="#(?P=name)"[^>]*/>){2,})</g>'
    r'(?!.*#(?P=name)")',
    re.DOTALL,
)
ENDS = re.compile(r'd="(M [-\d.]+ [-\d.]+ \nL [-\d.]+ [-\d.]+ \n)"')
STROKES = re.compile(
    rf'<path {ENDS.pattern}(?P<looks>[^>]*style="fill: none;(?:(?!opacity)[^">])*")/>'
    rf"(?:<path {ENDS.pattern}(?P=looks)/>)+"
)
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "workbook"}


class Drawer:
    """Turns pictures into lists of parts; `parts` holds each different one once."""

    def __init__(self):
        self.parts, self._numbers, self._made = [], {}, {}
        self._renderer, self._skeleton = Renderer(DOTS), None

    def draw(self, picture):
        """The numbers of the parts of a picture, from the paper to the uppermost layer."""
        renderer, frames = self._renderer, picture["axes"]
        skeleton = json.dumps(_skeleton(picture))
        with renderer.style(), matplotlib.rc_context(SETTINGS):
            if skeleton != self._skeleton:
                renderer._build(picture)
                self._skeleton = skeleton
                self._axes = [None] * len(frames)
            for i, (frame, scales) in enumerate(zip(frames, renderer.scales, strict=True)):
                if self._axes[i] != [frame["x"], frame["y"]]:
                    self._axes[i] = [frame["x"], frame["y"]]
                    for name in "xy":
                        scales[name].place(frame[name])
            found = [self._part([skeleton], [renderer.figure])]
            for i, scales in enumerate(renderer.scales):
                artists = [artist for name in "xy" for artist in scales[name].artists]
                found.append(self._part([skeleton, i, self._axes[i]], artists))
            for i, (frame, made) in enumerate(zip(frames, renderer.layers, strict=True)):
                for j, (layer, artists) in enumerate(zip(frame["layers"], made, strict=True)):
                    found.append(self._part([skeleton, i, j, self._axes[i], layer], artists))
        return found

    def _part(self, key, what):
        """The number of a part, which is drawn unless it was before."""
        key = json.dumps(key)
        if key not in self._made:
            if not isinstance(what, list):
                what.place(json.loads(key)[-1])
                what = what.artists
            text = self._svg(what)
            if text not in self._numbers:
                self._numbers[text] = len(self.parts)
                self.parts.append(text)
            self._made[key] = self._numbers[text]
        return self._made[key]

    def _svg(self, artists):
        width, height = self._renderer.figure.get_size_inches() * DOTS
        file = io.StringIO()
        svg = RendererSVG(width, height, file, image_dpi=DOTS)
        before = len(file.getvalue())
        for artist in artists:
            artist.draw(svg)
        svg.finalize()
        return compact(file.getvalue()[before:])


def whole(parts, numbers, size, *, own, label=""):
    """The SVG of one picture, as it stands in a page."""
    width, height = (round(DOTS * inches, 2) for inches in size)
    inside = "".join(f"<g>{parts[number]}</g>" for number in numbers).replace(OWN, own)
    named = f'role="img" aria-label="{label}"' if label else 'aria-hidden="true"'
    return f'<svg class="drawn" viewBox="0 0 {width:g} {height:g}" {named}>{inside}</svg>'


def compact(svg):
    """The same drawing, shorter; names in it begin with OWN, and colours are for two pages."""
    start = svg.index("</defs>") + 7 if svg.lstrip().startswith("<metadata") else 0
    svg = svg[start:].rpartition("</svg>")[0]
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r">\s+<", "><", svg).strip()
    svg = DOTTED.sub(_dots, svg)
    svg = STROKES.sub(_strokes, svg)
    svg = re.sub(r' d="([^"]*)"', lambda found: f' d="{relative(found[1])}"', svg)
    svg = re.sub(r'id="(\w+)"', rf'id="{OWN}\1"', svg)
    svg = svg.replace("url(#", f"url(#{OWN}").replace('xlink:href="#', f'href="#{OWN}')
    svg = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", svg)
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    svg = re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", svg)
    svg = re.sub(r'style="([^"]*)"', lambda found: f'style="{_style(found[1])}"', svg)
    svg = svg.replace(' style=""', "")
    svg = re.sub(r"<text[^>]*>\s*</text>", "", svg)
    while "<g></g>" in svg:
        svg = svg.replace("<g></g>", "")
    return svg


def relative(path):
    """A path with every point counted from the one before, in hundredths of a unit."""
    said, here, begun = [], (0, 0), (0, 0)
    for command, numbers in re.findall(r"([MLCQz])([^MLCQz]*)", path):
        values = [round(100 * float(number)) for number in numbers.split()]
        ends = list(zip(values[::2], values[1::2], strict=True))
        said.append(command.lower())
        for x, y in ends:
            said += [_short(x - here[0]), _short(y - here[1])]
        here = ends[-1] if ends else begun
        begun = here if command == "M" else begun
    joined = " ".join(said)
    joined = re.sub(r" ?([a-z]) ?", r"\1", joined)
    return joined.replace(" -", "-")


def _short(hundredths):
    text = f"{hundredths / 100:.2f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _tenth(text):
    """A dot or a stroke stands well enough to a tenth of a unit, of which a picture is 518 wide."""
    return f"{float(text):.1f}"


def _dots(found):
    """Many dots of one look as one path with a marker on each of its points."""
    name, shape, clip, uses = found.group("name", "shape", "clip", "uses")
    looks = set(re.findall(r'style="([^"]*)"', uses))
    if len(looks) > 1:
        return found[0]
    dots = [(_tenth(x), _tenth(y)) for x, y in re.findall(r'x="(\S+)" y="(\S+)"', uses)]
    if len(dots) > MANY:  # nobody sees which is uppermost, and sorted they take half
        dots.sort(key=lambda dot: (float(dot[1]), float(dot[0])))
    path = " L ".join(f"{x} {y}" for x, y in dots)
    name = f"{name}s"  # elsewhere in the picture, such as in the legend, one dot has the name
    return (
        f'<defs><marker id="{name}" overflow="visible" markerUnits="userSpaceOnUse">'
        f'<path d="{shape}" style="{next(iter(looks), "")}"/></marker></defs>'
        f'<path{clip} style="fill: none; marker: url(#{name})" d="M {path}"/>'
    )


def _strokes(found):
    """Strokes of one look as one path."""
    path = re.sub(r"\d+\.\d+", lambda number: _tenth(number[0]), " ".join(ENDS.findall(found[0])))
    return f'<path d="{path}"{found["looks"]}/>'


def _style(style):
    style = re.sub(r"#[0-9a-f]{6}", lambda found: _two_pages(found[0]), style)
    return re.sub(r"([:;]) ", r"\1", style)


def _two_pages(colour):
    dark = TURNED.get(colour)
    if dark is None and colour[1:3] == colour[3:5] == colour[5:]:
        dark = "#" + f"{255 - int(colour[1:3], 16):02x}" * 3
    return f"light-dark({colour},{dark})" if dark else colour
