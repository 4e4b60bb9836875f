"""What is to be seen, as plain data: layers on axes, a sentence, and the numbers behind it.

A picture is a function of its parameters alone. What it returns goes through JSON and back
unchanged and knows no artist and no widget; `drawing` turns it into Matplotlib's artists, `panel`
gives it sliders. Layers are drawn in the order in which they stand.
"""

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib.demos.words import code, compact
from course_lib.lab.confidence import clopper_pearson
from course_lib.support.contracts import ParameterError

# The colours of Okabe and Ito, one meaning each; line styles and markers differ too.
THEOREM = {"color": "vermilion", "linestyle": "--"}
EXACT = {"color": "blue", "linestyle": "-"}
MEASURED = {"color": "ink", "linestyle": "none", "marker": "o"}
THRESHOLD = {"color": "orange", "linestyle": [0, [8, 3]]}
VALUES = {"color": "sky", "linestyle": "-", "marker": "s"}
BASIC = {"color": "green", "linestyle": "-."}  # two ways of composing the Laplace mechanism
ADVANCED = {"color": "purple", "linestyle": [0, [1, 1]]}
NEIGHBOUR = {"color": "green", "linestyle": "-.", "marker": "^"}
RELEASED = {"color": "yellow", "linestyle": "none", "marker": "D", "markeredgecolor": "ink"}
HERE = {"color": "0.5", "linewidth": 1}
YOURS = {"color": "orange", "linestyle": ":", "linewidth": 3}  # what the reader guesses
INTERVAL = {"color": "ink", "linewidth": 1.5}
DOTS = {"linestyle": "none"}  # of a style, its markers alone
NO_USE = {"color": "0.9", "linewidth": 0}  # where an error of a fraction is above 1


def line(name, x, y, style, *, label=True, see=None):
    """A curve or dots; None and NaN are gaps. The label in the legend is the name.

    A layer with another label has it as `label`; one without (None) says in `see` which label, or
    which words on its axes, tell what it is.
    """
    return _layer("line", name, style, label, see, x=points(x), y=points(y))


def bars(name, start, end, style=INTERVAL, *, label=True, see=None):
    """Straight strokes, each from start to end, both given as (x, y)."""
    ends = [np.broadcast_arrays(*map(np.atleast_1d, (*start, *end)))]
    strokes = dict(zip(("x", "y", "to_x", "to_y"), map(points, ends[0]), strict=True))
    return _layer("bars", name, style, label, see, **strokes)


def intervals(name, x, y, low, high, style=MEASURED, *, label=True, see=None, across=False):
    """Dots with an interval each, upright, or `across` if it is x that was measured."""
    ends = {"low": points(low), "high": points(high), "across": across}
    return _layer("intervals", name, style, label, see, x=points(x), y=points(y), **ends)


def rates(x, seen, trials, *, name="measured, 95%", style=MEASURED, label=True, see=None):
    """Measured rates of an event with their 95% intervals; no dot where nothing was seen."""
    seen = np.asarray(seen)
    low, high = clopper_pearson(seen, trials)
    rate = np.where(seen, seen / trials, np.nan)
    return intervals(name, x, rate, low, high, style, label=label, see=see)


def upright(name, x, style=HERE, *, label=True, see=None, word=""):
    """A line over the whole height at x (None: nowhere), with a word at its upper end."""
    return _layer("upright", name, style, None if word else label, see, at=number(x), word=word)


def level(name, y, style=HERE, *, label=True, see=None, word=""):
    """A line over the whole width at y (None: nowhere), with a word at its right end."""
    return _layer("level", name, style, None if word else label, see, at=number(y), word=word)


def here(name, x):
    """Where the slider of this name stands on the axis: a thin line with its symbol."""
    return upright(f"here: {name}", x, word=name)


def band(name, low, high, style, *, flat=False, label=True, see=None):
    """A coloured strip over the whole height from low to high in x, or `flat`, in y."""
    ends = {"low": number(low), "high": number(high), "flat": flat}
    return _layer("band", name, style, label, see, **ends)


def area(name, x, low, high, style, *, label=True, see=None):
    """The space between two curves over x, filled."""
    ends = {"low": points(low), "high": points(high)}
    return _layer("area", name, style, label, see, x=points(x), **ends)


def text(name, x, y, words, *, within="data", **style):
    """Words at a place in the data, `within="axes"` from 0 to 1, or "x": x of the data, y not.

    Style: color, size, bold, ha, va, rotation, box (paper behind the words). With lists for x, y and
    words, many of one style.
    """
    x, y, words = (value if isinstance(value, list) else [value] for value in (x, y, words))
    style = {"color": "0.3", "size": 11, "ha": "left", "va": "center"} | style
    return _layer("text", name, style, None, None, x=x, y=y, words=words, within=within)


def _layer(kind, name, style, label, see, **data):
    label = name if label is True else label
    return {"kind": kind, "name": name, "label": label, "see": see, "style": style} | data


def axes(*layers, x, y, box, title=""):
    """Layers and the frame around them; box is (left, bottom, width, height) in the picture.

    A layer may be None, for nothing.
    """
    layers = [layer for layer in layers if layer is not None]
    return {"box": list(box), "x": x, "y": y, "title": title, "layers": layers}


def linear(label, low, high, *, ticks=None, names=None, **style):
    """An axis from low to high; ticks are its places, `names` what stands there.

    Style: size (of the names), rotation, bare (no tick marks), whole (whole numbers only), only (no
    ticks between those given), lineless (no line under the ticks), away (how far off the label is,
    in lengths of the other axis).
    """
    return _axis("linear", label, low, high, ticks, names, style)


def log(label, low, high, *, ticks=None, names=None, **style):
    """A logarithmic axis; see linear."""
    return _axis("log", label, low, high, ticks, names, style)


def symlog(label, low, high, *, within, share=1.0, ticks=None, names=None, **style):
    """An axis that is linear from −within to within, as long as `share` decades, and then log."""
    style = style | {"within": within, "share": share}
    return _axis("symlog", label, low, high, ticks, names, style)


def _axis(scale, label, low, high, ticks, names, style):
    ticks = None if ticks is None else points(ticks)
    names = None if names is None else [str(name) for name in names]
    axis = {"scale": scale, "label": label, "limits": [number(low), number(high)]}
    return axis | {"ticks": ticks, "names": names} | style


def picture(*frames, sentence, named, numbers=None, size=(7.2, 4.0), legend=4):
    """The whole picture: axes, the conclusion in a sentence, at most six named numbers, all others.

    `legend` is the number of its columns, or a dictionary with columns and size; None: no legend.
    """
    if isinstance(legend, int):
        legend = {"columns": legend}
    named = {name: plain(value) for name, value in named.items()}
    numbers = {name: plain(value) for name, value in (numbers or {}).items()}
    return {
        "size": list(size),
        "axes": list(frames),
        "legend": legend,
        "sentence": sentence,
        "named": list(named),
        "numbers": named | numbers,
    }


def number(value):
    """A single number as plain data; None for NaN and infinity."""
    value = None if value is None else float(value)
    return value if value is not None and math.isfinite(value) else None


def points(values):
    """Numbers as a plain list, with None for NaN and infinity."""
    if isinstance(values, range):
        values = list(values)
    values = np.atleast_1d(np.asarray(values, dtype=float))
    found = values.tolist()
    return found if np.isfinite(values).all() else [number(value) for value in found]


def plain(value):
    """Whatever a picture computed, as JSON has it: infinity is the word ∞, NaN is None."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else compact(value)
    return value


def layer(shown, name):
    """The layer of a picture that has this name."""
    (found,) = [x for frame in shown["axes"] for x in frame["layers"] if x["name"] == name]
    return found


@dataclass(frozen=True)
class Demo:
    """The parameters of a picture, where they start and which values their sliders have.

    `scenes` are places worth seeing: a name, and where the parameters go that leave their start.
    `time` is the parameter that plays, if there is time in the picture; `again` names the button
    that adds one to the seed.
    """

    name: str
    values: dict[str, list | Callable]
    start: dict
    given: tuple
    scenes: dict
    time: str | None
    again: str

    def stops(self, name, parameters):
        """The values of a slider while the other parameters are as given."""
        values = self.values[name]
        if callable(values):
            values = values(**{other: parameters.get(other) for other in _takes(values)})
        return list(values)

    @property
    def choices(self):
        """The values of every slider at the start."""
        return {name: self.stops(name, self.start) for name in self.values}

    def scene(self, name):
        """All parameters of a scene."""
        return self.complete(self.scenes[name])

    def accepted(self, parameters):
        """The parameters in the types of the start."""
        accepted = {}
        for name, value in parameters.items():
            if name in self.given:
                accepted[name] = value
                continue
            try:
                accepted[name] = type(self.start[name])(value)
                fits = accepted[name] == value
            except (KeyError, TypeError, ValueError, OverflowError):
                fits = False
            if not fits:
                starts = ", ".join(f"{k}={code(v)}" for k, v in self.start.items())
                raise ParameterError(f"{self.name} takes {starts}; {name}={value!r} does not fit")
        return accepted

    def complete(self, parameters):
        """All parameters, those not given at their start; what the sliders do not reach is refused.

        A picture is made for what its sliders reach; beyond, it would say something untrue. Where
        a start is beyond a range that follows other parameters, the range's end takes its place.
        """
        complete = self.start | self.accepted(parameters)
        for name in self.values:
            stops = self.stops(name, complete)
            if name not in parameters and callable(self.values[name]):
                complete[name] = nearest(complete[name], stops)
            value = complete[name]
            if isinstance(value, str):
                wrong, words = value not in stops, f"one of {', '.join(stops)}"
            else:
                wrong = not stops[0] <= value <= stops[-1]
                words = f"from {compact(stops[0])} to {compact(stops[-1])}"
            if wrong:
                got = f"in this picture, got {compact(value)}"
                raise ParameterError(f"{name} must be {words} {got}")
        if complete.get("seed", 0) < 0:
            raise ParameterError(f"seed must be 0 or greater, got {complete['seed']}")
        return complete


def nearest(value, stops):
    """The value, or what takes its place where a slider does not reach it."""
    if isinstance(value, str):
        return value if value in stops else stops[0]
    return min(max(value, stops[0]), stops[-1])


def _takes(function):
    return inspect.signature(function).parameters


def demo(*, seed=None, again="New noise", scenes, time=None, **parameters):
    """Describe a picture: `name=(values, start)` is a slider, or a choice if the values are words.

    The values may be a function of other parameters that gives them. `scenes` has two to five
    names of at most six words, each with its parameters: what the picture says there is what the
    scene shows. With a `seed` there is a button, labelled `again`, that adds one to it; `time` names
    the parameter that plays. A parameter of the picture that is not described is given from
    outside, such as the reader's own `mechanism`.
    """

    def decorate(function):
        values = {name: given for name, (given, _) in parameters.items()}
        start = {name: begin for name, (_, begin) in parameters.items()}
        for name in values:
            if not callable(values[name]):
                values[name] = np.asarray(values[name]).tolist()
                start[name] = type(values[name][0])(start[name])
        start |= {} if seed is None else {"seed": seed}
        given = tuple(name for name in _takes(function) if name not in start)
        name = function.__name__
        described = Demo(name, values, start, given, scenes, time, again)

        @functools.wraps(function)
        def shown(**chosen):
            return function(**described.complete(chosen))

        shown.demo = described
        return shown

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


def explore(figure, **parameters):
    """A panel with the figure's sliders; parameters that are not given stay at their start."""
    from course_lib.demos.panel import Panel  # only here, because a picture needs no widget

    return Panel(figure, **parameters)
