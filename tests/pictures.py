"""All pictures, where to look at them, and whether what they say is so.

`python -m tests.pictures` records on which parameters each layer depends, in tests/layers.json.
"""

import functools
import io
import json
import os
import re
import zlib
from itertools import combinations
from pathlib import Path

import numpy as np
from PIL import Image

from course_lib.demos.picture import layer
from course_lib.support.contracts import ParameterError
from tools.publish.states import figures

EVERY_STOP = bool(os.environ.get("EVERY_STOP"))  # hours; otherwise a sample
SAMPLE = 30


def scene(figure, name):
    """The numbers of a scene."""
    return figure(**figure.demo.scene(name))["numbers"]


def pixels(data):
    """What a file of a picture shows, from its bytes."""
    return np.asarray(Image.open(io.BytesIO(bytes(data))))


def states(figure):
    """The start, the scenes, both ends of each slider, and of all pairs of stops some or all."""
    described = figure.demo
    yield described.start
    for name in described.scenes:
        yield described.scene(name)
    for name, stops in described.choices.items():
        for value in (stops[0], stops[-1]):
            yield described.start | {name: value}
    if EVERY_STOP:
        yield from every_stop(described)
        return
    choices = described.choices | ({"seed": range(6)} if "seed" in described.start else {})
    pairs = list(combinations(choices, 2))
    rng = np.random.default_rng(zlib.crc32(described.name.encode()))
    for _ in range(SAMPLE):
        moved = pairs[rng.integers(len(pairs))] if pairs else list(choices)
        yield described.start | {
            name: choices[name][rng.integers(len(choices[name]))] for name in moved
        }


def every_stop(described):
    """The start with each slider, and with each two, at all stops, in ranges that follow others."""

    def stops(name, at):
        return range(6) if name == "seed" else described.stops(name, at)

    names = [name for name in described.start if name == "seed" or name in described.values]
    names.sort(key=lambda name: callable(described.values.get(name)))  # those that follow come last
    for i, name in enumerate(names):
        for value in stops(name, described.start):
            yield (at := described.complete({name: value}))
            for other in names[i + 1 :]:
                for second in stops(other, at):
                    yield described.complete({name: value, other: second})


def shown_at(figure, also=()):
    """Each state with its picture, and those given besides, without those that make no sense."""
    for state in (*states(figure), *(figure.demo.start | more for more in also)):
        try:
            yield state, figure(**state)
        except ParameterError as reason:
            assert "\n" not in str(reason)


def check_captions(figure, claims, *, also=()):
    """Wherever the sliders stand, one claim has the sentence's form, and it is true.

    `claims` maps the form of a sentence, a regular expression, to a function of the picture's
    numbers, its parameters and the groups of the expression. Each must occur, so `also` lists
    states where what is seldom said is said.
    """
    used = set()
    for state, shown in shown_at(figure, also):
        found = {form: re.fullmatch(form, shown["sentence"]) for form in claims}
        (form,) = [form for form, match in found.items() if match] or [shown["sentence"]]
        assert form in claims, f"{state}: no claim has the form of “{form}”"
        said = found[form].groups()
        assert claims[form](shown["numbers"], state, *said), f"{state}: “{shown['sentence']}”"
        used.add(form)
    assert used == set(claims), f"never said: {set(claims) - used}"


def dependencies(figure):
    """Of each layer the parameters on which it depends, found by moving one at a time."""
    described, found = figure.demo, {}
    choices = described.choices | ({"seed": [1, 2]} if "seed" in described.start else {})
    for place in (described.start, *map(described.scene, described.scenes)):
        at_rest = _layers(figure, place)
        for name, stops in choices.items():
            for value in {stops[0], stops[len(stops) // 2], stops[-1]}:
                moved = _layers(figure, place | {name: value})
                for each, shown in moved.items():
                    found.setdefault(each, set()).update(
                        [name] * (shown != at_rest.get(each, shown))
                    )
    return {each: sorted(names) for each, names in found.items()}


def _layers(figure, state):
    try:
        shown = figure(**state)
    except ParameterError:
        return {}
    return {each["name"]: each for frame in shown["axes"] for each in frame["layers"]}


def value(text):
    """The number that a sentence or a slider writes: 1,000; −5; 4.2·10⁻⁷; 12%."""
    text = text.strip().replace(",", "").replace("−", "-").replace("–", "-")
    share = 0.01 if text.endswith("%") else 1
    text = text.removesuffix("%")
    lowered = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    if match := re.fullmatch(r"(?:(.*)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        return share * float(match[1] or 1) * 10.0 ** int(match[2].translate(lowered))
    if match := re.fullmatch(r"2([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        return 2.0 ** int(match[1].translate(lowered))
    return share * float(text)


def near(text, number, digits=3):
    """Whether a text is the number to so many digits."""
    return np.isclose(value(text), number, rtol=0.51 * 10.0 ** (1 - digits), atol=0)


def curve(shown, name):
    """The points of a layer, as two arrays."""
    found = layer(shown, name)
    return np.array(found["x"], dtype=float), np.array(found["y"], dtype=float)


if __name__ == "__main__":
    written = functools.partial(json.dumps, ensure_ascii=False, sort_keys=True)
    rows = [
        f" {written(name)}: {written(dependencies(figure))}"
        for name, figure in sorted(figures().items())
    ]
    path = Path(__file__).parent / "layers.json"
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf8")
