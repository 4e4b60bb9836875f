"""From a picture, plain data, to pixels: Matplotlib's artists, made once and moved."""

import struct
import textwrap
import zlib

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.ticker import MaxNLocator, NullLocator

from course_lib.demos.words import compact, written

NAMES = "ink vermilion blue orange sky green purple yellow".split()
# By name, on a light and on a dark page: those of Okabe and Ito, with orange and sky blue darker, and
# all lighter on a dark page, so that a line has a contrast of at least 3. Yellow has an edge of ink.
LIGHT = "#000000 #D55E00 #0072B2 #B97F00 #2E93CC #009E73 #CC79A7 #F0E442".split()
DARK = "#F2F2F2 #FF8A4C #3D9BDC #F2B134 #A5DAF7 #2BC29A #E3A3C9 #F0E442".split()
STYLE = {"font.size": 13, "axes.titlesize": 14, "legend.fontsize": 12, "lines.linewidth": 2.5}
STYLE |= {"axes.spines.top": False, "axes.spines.right": False, "lines.markersize": 7}
STYLE |= {"legend.columnspacing": 1.2, "legend.handletextpad": 0.6, "legend.frameon": False}
INK = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
PAPER = ("figure.facecolor", "axes.facecolor")
DOTS_PER_INCH = 200  # two dots for each of the
PIXELS_PER_INCH = 100  # pixels of a page, so that the picture is sharp on a projector
# One for all figures, because it remembers: to parse 10⁻³ takes longer than to draw it.
POWERS = FigureCanvasAgg(Figure()).get_renderer().mathtext_parser
TICKS = {"x": TICKDOWN, "y": TICKLEFT}
SYMLOG = {"within": "linthresh", "share": "linscale"}


class Renderer:
    """Draws one picture after another, touching only the layers that changed.

    Backgrounds are kept: title and legend; the same with the axes that did not move last; the same
    with all axes. Upon this the layers are drawn.
    """

    def __init__(self, dots_per_inch=DOTS_PER_INCH, *, dark=False):
        self.dots_per_inch, self.dark, self.picture = dots_per_inch, dark, None
        self.colours = dict(zip(NAMES, DARK if dark else LIGHT, strict=True))
        self.colours["paper"] = "#111111" if dark else "white"

    @property
    def looks_stored(self):
        """Whether it draws as a notebook stores pictures."""
        return self.dots_per_inch == DOTS_PER_INCH and not self.dark

    def draw(self, picture):
        """The pixels of a picture: an array of height, width and RGBA."""
        with self.style():
            self._draw(picture)
        return np.asarray(self.canvas.buffer_rgba())

    def _draw(self, picture):
        if self.picture is None or _skeleton(picture) != _skeleton(self.picture):
            self._build(picture)
        frames = picture["axes"]
        before = self.picture["axes"] if self.picture else [None] * len(frames)
        moved = [
            [name for name in "xy" if old is None or old[name] != frame[name]]
            for frame, old in zip(frames, before, strict=True)
        ]
        if any(moved):
            self._move_axes(frames, moved)
        for frame, old, names, made in zip(frames, before, moved, self.layers, strict=True):
            for i, layer in enumerate(frame["layers"]):
                # what is cut to the axes, or spans them, follows their limits
                if names or old["layers"][i] != layer:
                    made[i].place(layer)
        self.picture = picture
        layers = [each for made in self.layers for layer in made for each in layer.artists]
        self._draw_upon(self.framed, layers)

    def style(self):
        """Matplotlib's settings while it draws or measures."""
        ink, paper = (self.colours[name] for name in ("ink", "paper"))
        style = STYLE | dict.fromkeys(INK, ink) | dict.fromkeys(PAPER, paper)
        if self.dots_per_inch < DOTS_PER_INCH:
            # letters moved to whole dots would be wider where dots are few, and leave the picture
            style["text.hinting"] = "none"
        return matplotlib.rc_context(style)

    def looks(self, style):
        """A style of a picture in Matplotlib's words: colours by name, lists as tuples."""
        looks = {}
        for name, value in style.items():
            if name == "linestyle" and isinstance(value, list):
                value = (value[0], tuple(value[1]))
            if isinstance(value, str) and "color" in name:
                value = self.colours.get(value, value)
                if self.dark and value[:2] == "0.":  # a grey
                    value = f"{1 - float(value):.2f}"
            elif "color" in name:  # with its opacity
                value = (self.colours[value[0]], value[1])
            looks[name] = value
        return looks

    def _build(self, picture):
        self.picture = self.bare = self.moving = None
        self.figure = Figure(picture["size"], dpi=self.dots_per_inch)
        self.canvas = FigureCanvasAgg(self.figure)
        self.canvas.get_renderer().mathtext_parser = POWERS
        self.axes, self.scales, self.layers = [], [], []
        for frame in picture["axes"]:
            ax = self.figure.add_axes(frame["box"], title=frame["title"])
            ax.set_autoscale_on(False)
            self.axes.append(ax)
            self.scales.append({name: Axis(ax, name, frame[name]) for name in "xy"})
            made = [KINDS[each["kind"]](ax, self.looks(each["style"])) for each in frame["layers"]]
            self.layers.append(made)
        if picture["legend"]:
            self._add_legend(picture)

    def _add_legend(self, picture):
        handles = {}
        for made, frame in zip(self.layers, picture["axes"], strict=True):
            for artists, layer in zip(made, frame["layers"], strict=True):
                if layer["label"]:
                    handles.setdefault(layer["label"], artists.handle)
        given = picture["legend"]
        self.figure.legend(
            handles.values(),
            handles.keys(),
            loc="upper center",
            ncols=given["columns"],
            fontsize=given.get("size"),
        )

    def _move_axes(self, frames, moved):
        for frame, scales, names in zip(frames, self.scales, moved, strict=True):
            for name in names:
                scales[name].place(frame[name])
        if self.bare is None:
            self.canvas.draw()  # all but axes and layers, which are animated
            self.bare = self._copy()
        # within a frame y is drawn after x, so that it goes with it
        moving = [set("xy") if "x" in names else set(names) for names in moved]
        if moving != self.moving:
            resting = [set("xy") - names for names in moving]
            self._draw_upon(self.bare, self._axes_of(resting))
            self.still, self.moving = self._copy(), moving
        self._draw_upon(self.still, self._axes_of(moving))
        self.framed = self._copy()

    def _axes_of(self, names):
        """The artists of these axes of each frame."""
        return [
            artist
            for scales, some in zip(self.scales, names, strict=True)
            for name in sorted(some)
            for artist in scales[name].artists
        ]

    def _draw_upon(self, background, artists):
        self.canvas.restore_region(background)
        for artist in artists:
            artist.draw(self.canvas.renderer)

    def _copy(self):
        return self.canvas.copy_from_bbox(self.figure.bbox)


def _skeleton(picture):
    """What cannot be moved: another one needs another figure."""
    frames = [
        (
            frame["box"],
            frame["title"],
            [_fixed(frame[name]) for name in "xy"],
            [[layer[k] for k in ("kind", "name", "label", "style")] for layer in frame["layers"]],
        )
        for frame in picture["axes"]
    ]
    return picture["size"], picture["legend"], frames


def _fixed(axis):
    """What cannot be moved of an axis: all but its limits, its label, places and names of ticks."""
    return axis | {name: axis[name] is None for name in ("limits", "label", "ticks", "names")}


class Axis:
    """An axis of Matplotlib; its small ticks are one line, drawn in a tenth of the time."""

    def __init__(self, ax, name, given):
        self.ax, self.name, self.axis = ax, name, getattr(ax, f"{name}axis")
        options = {theirs: given[ours] for ours, theirs in SYMLOG.items() if ours in given}
        getattr(ax, f"set_{name}scale")(given["scale"], **options)
        if given["scale"] == "linear":
            self.axis.set_major_formatter(lambda value, _: compact(round(value, 12)))
        if given.get("whole"):
            self.axis.set_major_locator(MaxNLocator(6, integer=True))
        self.between = NullLocator() if given.get("only") else self.axis.get_minor_locator()
        self.axis.set_minor_locator(NullLocator())
        through = getattr(ax, f"get_{name}axis_transform")(which="tick1")
        looks = {
            "marker": TICKS[name],
            "linestyle": "none",
            "color": matplotlib.rcParams["text.color"],
        }
        looks |= {"markersize": 2, "markeredgewidth": 0.6, "clip_on": False, "transform": through}
        (self.small,) = ax.plot([], [], **looks)
        self.artists = [self.axis, self.small]
        for artist in self.artists:
            artist.set_animated(True)
        if "away" in given:
            across = (0.5, -given["away"])
            self.axis.set_label_coords(*(across if name == "x" else across[::-1]))
        if given.get("lineless"):
            ax.spines[{"x": "bottom", "y": "left"}[name]].set_visible(False)
        looks = {"labelsize": given.get("size"), "labelrotation": given.get("rotation")}
        looks |= {"length": 0 if given.get("bare") else None}
        ax.tick_params(axis=name, **{k: v for k, v in looks.items() if v is not None})

    def place(self, given):
        if given["ticks"] is not None:
            self.axis.set_ticks(given["ticks"], given["names"])  # may widen the limits
        getattr(self.ax, f"set_{self.name}lim")(given["limits"])
        self.axis.set_label_text(given["label"])
        low, high = sorted(given["limits"])
        places = np.array([x for x in self.between() if low <= x <= high])
        self.small.set_data(*[(places, 0 * places), (0 * places, places)][self.name == "y"])


def _floats(values):
    return np.array(values, dtype=float)  # None becomes NaN, a gap


class Line:
    """The artists of a layer: those to draw, in order, and the one that stands in the legend."""

    def __init__(self, ax, looks):
        self.ax = ax
        self.artists = self.make(looks)
        self.handle = self.artists[-1]

    def make(self, looks):
        return self.ax.plot([], [], **looks, animated=True)

    def place(self, layer):
        self.artists[0].set_data(_floats(layer["x"]), _floats(layer["y"]))


class Bars(Line):
    def make(self, looks):
        return [self.ax.vlines([], [], [], **looks, animated=True)]

    def place(self, layer):
        ends = [_floats(layer[name]) for name in ("x", "y", "to_x", "to_y")]
        self.artists[0].set_segments(np.stack(ends, axis=1).reshape(-1, 2, 2))


class Intervals(Line):
    def make(self, looks):
        strokes = self.ax.vlines([], [], [], color=looks["color"], linewidth=1.5, animated=True)
        return [strokes, *super().make(looks)]

    def place(self, layer):
        x, y, low, high = (_floats(layer[name]) for name in ("x", "y", "low", "high"))
        strokes, dots = self.artists
        across = layer["across"]
        axis, limits = ("x", self.ax.get_xlim()) if across else ("y", self.ax.get_ylim())
        if getattr(self.ax, f"get_{axis}scale")() == "log":
            low = np.maximum(low, min(limits) / 10)  # 0 is nowhere on a logarithmic axis
        ends = [(low, y, high, y), (x, low, x, high)][not across]
        strokes.set_segments(np.stack(ends, axis=1).reshape(-1, 2, 2))
        dots.set_data(x, y)


class Across(Line):
    """A line through the whole height or width, with a word at its end."""

    upright = True

    def make(self, looks):
        draw = self.ax.axvline if self.upright else self.ax.axhline
        through = self.ax.get_xaxis_transform() if self.upright else self.ax.get_yaxis_transform()
        self.word = self.ax.text(0, 0, "", transform=through, size=11, animated=True)
        if self.upright:
            self.word.set(va="top", ha="left", y=1)
        else:
            self.word.set(va="bottom", ha="right", x=1)
        self.stroke = draw(0, **looks, animated=True)
        return [self.word, self.stroke]

    def place(self, layer):
        at, word = layer["at"], f" {layer['word']} "
        for artist in self.artists:
            artist.set_visible(at is not None)
        if at is not None:
            move = self.stroke.set_xdata if self.upright else self.stroke.set_ydata
            move([at, at])
            self.word.set(text=word, **{"x" if self.upright else "y": at})


class Level(Across):
    upright = False


class Band(Line):
    def make(self, looks):
        # both stand ready, because a style does not say which way it lies
        spans = [span(0, 1, **looks, animated=True) for span in (self.ax.axvspan, self.ax.axhspan)]
        return spans

    def place(self, layer):
        low, high, flat = layer["low"], layer["high"], layer["flat"]
        shown = low is not None and high is not None
        for span, lies in zip(self.artists, (False, True), strict=True):
            span.set_visible(shown and lies == flat)
        if shown and flat:
            self.artists[1].set(y=low, height=high - low)
        elif shown:
            self.artists[0].set(x=low, width=high - low)


class Area(Line):
    def make(self, looks):
        return self.ax.fill([0], [0], **{"linewidth": 0} | looks, animated=True)

    def place(self, layer):
        x, low, high = (_floats(layer[name]) for name in ("x", "low", "high"))
        self.artists[0].set_xy(np.stack([np.append(x, x[::-1]), np.append(low, high[::-1])], 1))


class Text(Line):
    def make(self, looks):
        self.looks = looks | {"weight": "bold" if looks.pop("bold", False) else "normal"}
        if self.looks.pop("box", False):
            paper = {"facecolor": self.ax.get_facecolor(), "edgecolor": "none", "alpha": 0.75}
            self.looks["bbox"] = paper | {"pad": 1.5}
        return [None]  # as many as there are words; none stands in the legend

    def place(self, layer):
        within = {"data": self.ax.transData, "axes": self.ax.transAxes}
        within["x"] = self.ax.get_xaxis_transform()
        self.artists = [artist for artist in self.artists if artist]
        for _ in range(len(layer["words"]) - len(self.artists)):
            self.artists.append(self.ax.text(0, 0, "", **self.looks, animated=True))
        for artist in self.artists:
            artist.set_visible(False)
        places = zip(layer["x"], layer["y"], layer["words"], strict=True)
        for artist, (x, y, word) in zip(self.artists, places, strict=False):
            artist.set(x=x, y=y, text=word, transform=within[layer["within"]], visible=True)


KINDS = {
    "line": Line,
    "bars": Bars,
    "intervals": Intervals,
    "upright": Across,
    "level": Level,
    "band": Band,
    "area": Area,
    "text": Text,
}


def drawn(picture):
    """A picture with its caption, as an image that a notebook shows."""
    from IPython.display import Image

    return Image(
        png(captioned(picture), level=6), width=round(PIXELS_PER_INCH * picture["size"][0])
    )


def captioned(picture, renderer=None):
    """The pixels of a picture with its sentence and its named numbers below."""
    pixels = (renderer or Renderer()).draw(picture)
    named = [f"{name}: {written(picture['numbers'][name])}" for name in picture["named"]]
    lines = [*textwrap.wrap(picture["sentence"], 76), *textwrap.wrap("   ".join(named), 84)]
    words = card("\n".join(lines), (picture["size"][0], 0.12 + 0.23 * len(lines)))
    return np.concatenate([pixels, words])


def card(words, size):
    """A white picture with nothing but a text on it."""
    figure = Figure(size, dpi=DOTS_PER_INCH, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    figure.text(0.02, 0.5, words, va="center", size=12, linespacing=1.3)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def png(pixels, level=1):
    """The pixels as a PNG; without filters it takes a fifth of Pillow's time at the same size."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # a row begins with its filter, 0: none
    for colour in range(3):
        rows[:, 1 + colour :: 3] = pixels[..., colour]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of red, green, blue
    file = b"\x89PNG\r\n\x1a\n"
    for kind, chunk in (b"IHDR", header), (b"IDAT", zlib.compress(rows, level)), (b"IEND", b""):
        file += struct.pack(">I", len(chunk)) + kind + chunk
        file += struct.pack(">I", zlib.crc32(kind + chunk))
    return file
