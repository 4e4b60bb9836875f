"""How the figures look and are drawn: one style, a background that is kept, a fast PNG."""

import struct
import zlib

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from course_lib.lab.confidence import clopper_pearson

# The colours of Okabe and Ito, one meaning each; line styles and markers differ too.
THEOREM = {"color": "#D55E00", "linestyle": "--"}
EXACT = {"color": "#0072B2", "linestyle": "-"}
MEASURED = {"color": "#000000", "linestyle": "none", "marker": "o"}
THRESHOLD = {"color": "#E69F00", "linestyle": (0, (8, 3))}
VALUES = {"color": "#56B4E9", "linestyle": "-", "marker": "s"}
BASIC = {"color": "#009E73", "linestyle": "-."}  # two ways of composing the Laplace mechanism
ADVANCED = {"color": "#CC79A7", "linestyle": (0, (1, 1))}
NEIGHBOUR = {"color": "#009E73", "linestyle": "-.", "marker": "^"}

STYLE = {"font.size": 13, "axes.titlesize": 14, "legend.fontsize": 12, "lines.linewidth": 2.5}
STYLE |= {"axes.spines.top": False, "axes.spines.right": False, "lines.markersize": 7}
STYLE |= {"legend.columnspacing": 1.2, "legend.handletextpad": 0.6}
STYLE |= {"legend.loc": "upper right"}  # the default, "best", would follow the moving artists
DOTS_PER_INCH = 200  # two dots for each of the
PIXELS_PER_INCH = 100  # pixels of a page, so that the picture is sharp on a projector


def line(ax, label, style):
    """A line that `update` will move, with nothing in it yet."""
    return ax.plot([], [], label=label, **style, animated=True)[0]


def bars(ax, **style):
    """Bars that `update` will place with place_bars."""
    return ax.vlines([], [], [], **{"color": "black", "linewidth": 1.5} | style, animated=True)


def place_bars(artist, start, end):
    """Let each bar go from start to end, both given as (x, y)."""
    artist.set_segments(np.stack(np.broadcast_arrays(start, end)).transpose(2, 0, 1))


class MeasuredRates:
    """Rates of an event, as dots with their 95% intervals."""

    def __init__(self, ax):
        self.intervals = bars(ax)
        self.dots = line(ax, "measured, 95%", MEASURED)

    def place(self, x, seen, trials):
        """Show seen / trials at each x, no dot where nothing was seen; give the intervals' ends."""
        low, high = clopper_pearson(seen, trials)
        self.dots.set_data(x, np.where(seen, seen / trials, np.nan))
        place_bars(self.intervals, (x, np.maximum(low, 1e-12)), (x, high))
        return low, high


class Drawing:
    """A figure that keeps its background while only animated artists change."""

    def __init__(self, size):
        self.figure = Figure(size, dpi=DOTS_PER_INCH, facecolor="white", layout="constrained")
        self.canvas = FigureCanvasAgg(self.figure)

    def fit_margins(self):
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")
        self.figure.stale = True

    def pixels(self):
        # Animated artists do not make a figure stale; all else does, an artist that is added too.
        if self.figure.stale:
            self.canvas.draw()
            self.background = self.canvas.copy_from_bbox(self.figure.bbox)
            self.moving = sorted(self.figure.findobj(Artist.get_animated), key=Artist.get_zorder)
        self.canvas.restore_region(self.background)
        for artist in self.moving:
            artist.draw(self.canvas.renderer)
        return np.asarray(self.canvas.buffer_rgba())


def card(text, size):
    """A white picture with nothing but a text on it."""
    drawing = Drawing(size)
    drawing.figure.text(0.1, 0.5, text, wrap=True, va="center")
    return drawing.pixels()


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
