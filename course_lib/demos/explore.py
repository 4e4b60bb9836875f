"""From sliders to a picture: `explore(figure, epsilon=0.3)` is one line in a notebook.

A figure is a function that draws on an empty matplotlib Figure and returns `update`, which moves
the artists to new parameters and returns a sentence with the numbers. Artists that move are made
with `animated=True`: they are drawn above all others, on a background that is drawn again only when
something else has changed (a limit, a title), so an `update` sets limits only when they differ.
"""

import base64
import html
import math
from types import SimpleNamespace

import ipywidgets as widgets
import matplotlib
import numpy as np
from traitlets import Unicode

from course_lib.demos.drawing import PIXELS_PER_INCH, STYLE, Drawing, card, png
from course_lib.support.contracts import ParameterError

# Screen readers announce a status; its three lines are kept free, so that nothing jumps.
STATUS = '<div role="status" style="font-size: 15px; line-height: 20px">{}</div>'
# Room for two lines beside the buttons, or one in the middle.
LINE = '<div style="display: grid; align-content: center; min-height: 28px; line-height: 14px">\
<code style="user-select: all; font-size: 12px">{}</code></div>'
NAMES = {"epsilon": "ε", "delta": "δ", "alpha": "α", "beta": "β"}
NAMES |= {"num_queries": "k queries", "threshold": "threshold T", "cutoff": "cutoff c"}
NAMES |= {"n": "rows n", "num_below": "m times ⊥", "answer": "number n·âᵢ"}
NAMES |= {"cut": "cut on n·a", "lattice": "lattice 2⁻ʲ, j"}
NAMES |= {"sample": "sample m", "attributes": "attributes d", "universe_size": "universe |X|"}
NAMES |= {"queries": "queries Q"}
NAMES |= {"updates": "updates t", "mass": "D(a)", "weight": "weight of a"}
NAMES |= {"support": "support m", "asked": "queries t"}
NAMES |= {"dimension": "dimension d", "sparsity": "sparsity k", "ratio": "size s/k"}
NAMES |= {"cap": "cap β", "value": "value x", "step": "step n", "entries": "entries moved"}
NAMES |= {"given": "entries/k", "share": "ε₁ of ε"}


def demo(*, seed=None, again="New noise", size=(7.2, 4.0), **parameters):
    """Describe a figure: `name=(values in increasing order, start)` is a slider.

    With a `seed` there is a button, labelled `again`, that adds one to it; `size` is in inches.
    """
    choices = {name: np.asarray(values).tolist() for name, (values, _) in parameters.items()}
    start = {name: type(choices[name][0])(value) for name, (_, value) in parameters.items()}
    start |= {} if seed is None else {"seed": seed}

    def decorate(figure):
        figure.demo = SimpleNamespace(choices=choices, start=start, again=again, size=size)
        return figure

    return decorate


def nice(low, high):
    """Round numbers from low to high, seven in each power of ten; whole numbers if low is one."""
    if not 0 < low < high < math.inf:
        raise ParameterError(f"nice needs 0 < low < high, got low = {low!r} and high = {high!r}")
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    rounds = [float(f"{digits}e{k}") for k in decades for digits in (1, 1.5, 2, 3, 4, 5, 7)]
    inside = [x for x in rounds if low < x < high]
    if isinstance(low, int):
        inside = [int(x) for x in inside if x.is_integer()]
    return [low, *inside, high]


def compact(value):
    """A value as a slider shows it: 0.05, 1,000, 3·10⁻⁵, 10¹²."""
    if isinstance(value, (str, bool)):
        return {True: "yes", False: "no"}.get(value, value)
    if value == 0 or 1e-3 <= abs(value) < 1e6 or math.isinf(value):
        return f"{value:,.12g}"
    digits, power = f"{value:.11e}".split("e")
    digits = f"{float(digits):.12g}·".removeprefix("1·")
    return digits + "10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def code(value):
    """A value as Python reads it; a long power of ten in few characters."""
    text = repr(value)
    return f"10**{len(text) - 1}" if len(text) > 7 and text.strip("0") == "1" else text


def about(value):
    """A number to three digits, as a sentence has it: 84.8, 1,700, 4.17·10⁻⁷."""
    return compact(float(f"{value:.3g}")) if value else "0"


def explore(figure, **parameters):
    """A panel with the figure's sliders; parameters that are not given stay at their start."""
    return Panel(figure, **parameters)


def sweep(*panels):
    """Drive every slider to both ends, the others at their start: the picture must change."""
    for panel in panels:
        ends = {k: [s.options[0][1], s.options[-1][1]] for k, s in panel.sliders.items()}
        if "seed" in panel.start:
            ends["seed"] = [panel.start["seed"], panel.start["seed"] + 1]
        for name, values in ends.items():
            pictures = {panel.set(**panel.start | {name: value}).png for value in values}
            if len(pictures) == 1:
                raise AssertionError(f"{panel.name}: {name} changes nothing in the picture")
        panel.reset()
        moves = (f"{name} {compact(a)} to {compact(b)}" for name, (a, b) in ends.items())
        print(f"{panel.name}: {', '.join(moves)}")


class Panel:
    """Sliders, buttons, a picture and a sentence: alive in a notebook, a picture on a page."""

    def __init__(self, figure, **parameters):
        self.name = figure.__name__
        self._demo = figure.demo
        self.start = self._demo.start | self._accepted(parameters)
        self._seed = self.start.get("seed")
        self._drawing = Drawing(self._demo.size)
        self.figure = self._drawing.figure
        self._drawn = None
        self._held = False
        with matplotlib.rc_context(STYLE):
            self._update = figure(self.figure)
            # Margins fit the figure as it starts and then stay, so that the axes never jump.
            self._update(**self._demo.start)
            self._drawing.fit_margins()
        self.sliders = {name: self._slider(name) for name in self._demo.choices}
        width, height = (f"{PIXELS_PER_INCH * inches:g}" for inches in self._demo.size)
        self._picture = Picture(width=width, height=height, tooltip=figure.__doc__ or self.name)
        self._status = widgets.HTML(layout={"width": f"{width}px", "height": "60px"})
        box = {"height": "28px", "overflow": "auto", "margin": "2px 12px"}
        self._line = widgets.HTML(layout={"flex": "1 1 0"} | box)
        self.buttons = [_button("Reset", self.reset)]
        if self._seed is not None:
            self.buttons.append(_button(self._demo.again, self.renew))
        grid = {"flex_flow": "row wrap", "width": f"{width}px"}
        sliders = widgets.Box([*self.sliders.values()], layout=grid)
        below = widgets.HBox([*self.buttons, self._line], layout={"width": f"{width}px"})
        self.widget = widgets.VBox([sliders, self._picture, self._status, below])
        self._redraw()

    @property
    def values(self):
        values = {name: slider.value for name, slider in self.sliders.items()}
        return values if self._seed is None else values | {"seed": self._seed}

    @property
    def png(self):
        """The picture as it is now."""
        return png(self._pixels, level=6)

    @property
    def call(self):
        """The line that shows this picture again."""
        moved = [f"{k}={code(v)}" for k, v in self.values.items() if v != self._demo.start[k]]
        return f"explore({', '.join([self.name, *moved])})"

    def set(self, **parameters):
        """Move to the given values, draw once, and return the panel."""
        accepted = self._accepted(parameters)
        self._held = True
        self._seed = accepted.pop("seed", self._seed)
        for name, value in accepted.items():
            slider, options = self.sliders[name], self._options(name, value)
            if list(slider.options) != options:  # with or without a value between two steps
                slider.options = options
            slider.value = value
        self._held = False
        self._redraw()
        return self

    def reset(self):
        """Move back to where the panel started."""
        return self.set(**self.start)

    def renew(self):
        """Draw new noise."""
        return self.set(seed=self._seed + 1)

    def _redraw(self, _change=None):
        values = self.values
        if self._held or values == self._drawn:
            return
        with matplotlib.rc_context(STYLE):
            try:
                self._check_range(values)
                self.sentence = self._update(**values)
                self._pixels = self._drawing.pixels()
            except ParameterError as reason:
                self.sentence = str(reason)
                self._pixels = card(self.sentence, self._demo.size)
        self._drawn = values
        self._picture.value = png(self._pixels)
        unbroken = html.escape(self.sentence).replace(" = ", "&nbsp;=&nbsp;")
        self._status.value = STATUS.format(unbroken)
        self._line.value = LINE.format(html.escape(self.call))

    def _check_range(self, values):
        """A picture is made for what its sliders reach; beyond, it would say something untrue."""
        for name, choices in self._demo.choices.items():
            low, high = choices[0], choices[-1]
            if not isinstance(low, str) and not low <= values[name] <= high:
                raise ParameterError(
                    f"{name} must be from {compact(low)} to {compact(high)} in this picture, "
                    f"got {compact(values[name])}"
                )
        if values.get("seed", 0) < 0:
            raise ParameterError(f"seed must be 0 or greater, got {values['seed']}")

    def _slider(self, name):
        slider = widgets.SelectionSlider(
            options=self._options(name, self.start[name]), value=self.start[name]
        )
        slider.description = NAMES.get(name, name)
        slider.style.description_width, slider.layout.width = "95px", "355px"
        slider.observe(self._redraw, "value")
        return slider

    def _options(self, name, value):
        choices = self._demo.choices[name]
        between = {self.start[name], value}.difference(choices)
        choices = sorted([*choices, *between]) if between else choices
        return [(compact(choice), choice) for choice in choices]

    def _accepted(self, parameters):
        """The parameters in the types of the demo's own values."""
        accepted = {}
        for name, value in parameters.items():
            try:
                accepted[name] = type(self._demo.start[name])(value)
                fits = accepted[name] == value
                fits &= not isinstance(value, str) or value in self._demo.choices[name]
            except (KeyError, TypeError, ValueError, OverflowError):
                fits = False
            if not fits:
                starts = ", ".join(f"{k}={v!r}" for k, v in self._demo.start.items())
                raise ParameterError(f"{self.name} takes {starts}; {name}={value!r} does not fit")
        return accepted

    def __repr__(self):
        return f"{self.call}: {self.sentence}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        width, height = (round(PIXELS_PER_INCH * inches) for inches in self._demo.size)
        data = self.widget._repr_mimebundle_() | {"text/plain": repr(self)}
        data["image/png"] = base64.b64encode(self.png).decode()
        return data, {"image/png": {"width": width, "height": height, "alt": self.sentence}}


class Picture(widgets.Image):
    """An image with its tooltip as text alternative; the page wants a description beside it."""

    description = Unicode().tag(sync=True)


def _button(text, action):
    button = widgets.Button(description=text, layout={"width": "auto"})
    button.on_click(lambda _: action())
    return button
