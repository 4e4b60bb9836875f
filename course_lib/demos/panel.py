"""From sliders to a picture: `explore(figure, epsilon=0.3)` is one line in a notebook.

A panel is one widget. Its script shows what the traits hold and asks for positions of the sliders;
Python answers with the picture, its sentence and its numbers, which are traits too, so that they
are still there when a saved notebook is opened again.
"""

import base64
import contextlib
import gc
import io
import re
import sys
from pathlib import Path

import anywidget
from traitlets import Bytes, Dict, List, Unicode

from course_lib.demos.drawing import DOTS_PER_INCH, PIXELS_PER_INCH, Renderer, captioned, card, png
from course_lib.demos.picture import nearest
from course_lib.demos.words import NAMES, code, compact, written
from course_lib.support.contracts import ParameterError

_HERE = Path(__file__).parent
_SHOWN = {}  # by the cell that made them: the run of the cell, and its panels


class Panel(anywidget.AnyWidget):
    """Sliders, buttons, a picture and its caption: alive in a notebook, a picture on a page."""

    # As texts: of a file that may change anywidget would tell every panel, and so keep them all.
    _esm = (_HERE / "panel.js").read_text(encoding="utf8")
    _css = (_HERE / "panel.css").read_text(encoding="utf8")
    title = Unicode().tag(sync=True)
    controls = List().tag(sync=True)
    buttons = Dict().tag(sync=True)
    shown = Dict().tag(sync=True)
    image = Bytes().tag(sync=True)
    wanted = Dict().tag(sync=True)  # by the script: where the sliders should go
    view = Dict().tag(sync=True)  # by the script: how large the picture is, and on what page

    def __init__(self, figure, **parameters):
        self.demo, self._figure = described(figure), figure
        try:
            self.start = self.demo.start | self.demo.accepted(parameters)
        except ParameterError as refused:
            raise CannotExplore(refused) from None
        self._given = {name: self.start.pop(name) for name in self.demo.given if name in self.start}
        self._renderer, self._drawn = Renderer(), None
        self._scenes = {name: self.demo.scene(name) for name in self.demo.scenes}
        self.values = self._within(self.start)
        super().__init__(title=figure.__doc__ or self.demo.name)
        again = self.demo.again if "seed" in self.values else ""
        self.buttons = {
            "scenes": list(self.demo.scenes),
            "again": again,
            "time": self.demo.time or "",
        }
        self._redraw()
        self.observe(self._on_wanted, "wanted")
        self.observe(self._on_view, "view")
        self.on_msg(self._on_press)
        _close_earlier(self)

    @property
    def sentence(self):
        return self.shown["sentence"]

    @property
    def numbers(self):
        """Everything that the picture computed."""
        return self.picture["numbers"] if self.picture else {}

    @property
    def call(self):
        """The line that shows this picture again."""
        moved = {name: v for name, v in self.values.items() if v != self.demo.start[name]}
        given = [f"{name}={code(value)}" for name, value in (moved | self._given).items()]
        return f"explore({', '.join([self.demo.name, *given])})"

    @property
    def png(self):
        """The picture with its caption, as it is stored in a notebook."""
        stored = self._renderer if self._renderer.looks_stored else Renderer()
        pixels = captioned(self.picture, stored) if self.picture else self._pixels()
        return png(pixels, level=6)

    def set(self, **parameters):
        """Move to the given values, draw once, and return the panel."""
        self.values = self._within(self.values | self.demo.accepted(parameters))
        self._redraw()
        return self

    def reset(self):
        """Move back to where the panel started."""
        return self.set(**self.start)

    def scene(self, name):
        """Move to a scene, all sliders that it does not name to where the demo starts."""
        return self.set(**self.demo.start | self.demo.scenes[name])

    def renew(self):
        """Draw new noise."""
        return self.set(seed=self.values["seed"] + 1)

    def close(self):
        """Also free what is drawn upon: the notebook's list of outputs keeps the panel itself."""
        self._renderer = Renderer()
        super().close()

    def _within(self, values):
        """The values, moved into ranges that follow other parameters."""
        values = dict(values)
        for name, stops in self.demo.values.items():
            if callable(stops):
                stops = self.demo.stops(name, values | self._given)
                values[name] = nearest(values[name], stops)
        return values

    def _redraw(self):
        if self.values == self._drawn:
            return
        with self._telling():
            try:
                self.picture = self._figure(**self.values, **self._given)
                reason = ""
            except ParameterError as refused:
                self.picture, reason = None, str(refused)
            except Exception as bug:
                self.picture, reason = None, f"{type(bug).__name__}: {bug}"
                self._show(reason)
                raise
            self._show(reason)

    @contextlib.contextmanager
    def _telling(self):
        """Tell the script that a move is computed: only what a cell prints is seen, not a move."""
        if self._drawn is None:  # the cell still runs
            yield
            return
        self.send("computing")
        try:
            with contextlib.redirect_stderr(_Progress(self.send)):
                yield
        finally:  # also when the reader interrupts it
            self.send("computed")

    def _show(self, reason):
        self._drawn = dict(self.values)
        numbers = [[name, written(value)] for name, value in self.numbers.items()]
        named = self.picture["named"] if self.picture else []
        scene = next((name for name, at in self._scenes.items() if at == self.values), "")
        controls = [self._control(name) for name in self.demo.values]
        with self.hold_sync():
            if controls != self.controls:
                self.controls = controls
            self.image = png(self._pixels(reason))
            self.shown = {
                "sentence": reason or self.picture["sentence"],
                "named": [pair for pair in numbers if pair[0] in named],
                "numbers": numbers,
                "line": self.call,
                "scene": scene,
                "at": {control["name"]: control["at"] for control in controls},
                "size": self.picture["size"] if self.picture else [7.2, 4.0],
                "answers": self.wanted.get("move", 0),
            }

    def _pixels(self, reason=""):
        if self.picture:
            return self._renderer.draw(self.picture)
        return card("", (7.2, 4.0))

    def _control(self, name):
        stops = self._stops(name)
        kind = "choice" if isinstance(stops[0], str) else "slider"
        label = NAMES.get(name, name)
        at = stops.index(self.values[name])
        return {
            "name": name,
            "label": label,
            "kind": kind,
            "stops": list(map(compact, stops)),
            "at": at,
        }

    def _stops(self, name):
        """The stops of a slider, and where it stands or started, if that is between two of them."""
        stops = self.demo.stops(name, self.values | self._given)
        if isinstance(stops[0], str):
            return stops
        between = {self.start[name], self.values[name]}.difference(stops)
        between = {x for x in between if x == self.values[name] or stops[0] < x < stops[-1]}
        return sorted([*stops, *between]) if between else stops

    def _on_wanted(self, change):
        positions = change["new"]["at"]
        stops = {name: self._stops(name) for name in positions}
        values = {
            name: stops[name][min(at, len(stops[name]) - 1)] for name, at in positions.items()
        }
        self.values = self._within(self.values | values)
        self._redraw()
        if self.shown["answers"] != change["new"]["move"]:  # nothing had to be drawn
            self.shown = self.shown | {"answers": change["new"]["move"]}

    def _on_view(self, change):
        view = change["new"]
        dots = (view["width"] + 0.1) / self.shown["size"][0]  # rounded down to whole dots
        dots = min(max(dots, 40), 400)
        if (dots, view["dark"]) != (self._renderer.dots_per_inch, self._renderer.dark):
            self._renderer = Renderer(dots, dark=view["dark"])
            self.image = png(self._pixels())

    def _on_press(self, _, message, __):
        if message == "alive?":
            self.send("alive")
        elif message == "again":
            self.renew()
        elif message == "reset":
            self.reset()
        elif message in self.demo.scenes:
            self.scene(message)

    def __repr__(self):
        told = "; ".join(f"{name}: {text}" for name, text in self.shown["numbers"])
        return f"{self.call}: {self.sentence}" + (f"\n{told}" if told else "")

    def _repr_mimebundle_(self, **options):
        width, height = (round(PIXELS_PER_INCH * inches) for inches in self.shown["size"])
        image = self.png
        if not self.view:  # what shows it will say how large; until then it is only kept
            self._renderer = Renderer()
            gc.collect()  # a figure is made of circles, which would stay for long
        height = round(int.from_bytes(image[20:24], "big") * PIXELS_PER_INCH / DOTS_PER_INCH)
        data, metadata = super()._repr_mimebundle_(**options)
        data = data | {"text/plain": repr(self), "image/png": base64.b64encode(image).decode()}
        alt = repr(self).partition(": ")[2]
        return data, metadata | {"image/png": {"width": width, "height": height, "alt": alt}}


class _Progress(io.TextIOBase):
    """In the place of stderr: of a progress bar it tells the percentage, the rest it writes."""

    def __init__(self, tell):
        self._tell, self._stderr = tell, sys.stderr

    def write(self, text):
        if not text.startswith("\r"):
            return self._stderr.write(text)
        for percentage in re.findall(r"\d+%", text)[:1]:
            self._tell(percentage)


class CannotExplore(ParameterError):
    """What was asked for cannot be explored; a notebook shows the message alone."""

    def _render_traceback_(self):
        return [f"explore: {self}"]


def described(figure):
    """The description of a demo, with which `@demo` provides it."""
    if not hasattr(figure, "demo"):
        name = getattr(figure, "__name__", repr(figure))
        raise CannotExplore(
            f"{name} is not a demo. Explore one of course_lib.demos, such as one_run of "
            "course_lib.demos.above_threshold; to try a mechanism of yours in it, write "
            "explore(one_run, mechanism=…)."
        )
    return figure.demo


def _close_earlier(panel):
    """Close the panels that an earlier run of this cell left, and so free their memory."""
    with contextlib.suppress(Exception):  # outside a kernel there is no cell
        from IPython import get_ipython

        parent = get_ipython().kernel.get_parent()
        cell, run = parent["metadata"]["cellId"], parent["header"]["msg_id"]
        earlier, panels = _SHOWN.get(cell, (run, []))
        if earlier != run:
            for old in panels:
                old.close()
            panels = []
            gc.collect()
        _SHOWN[cell] = run, [*panels, panel]
