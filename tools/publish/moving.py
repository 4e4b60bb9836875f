"""The stored states of a demo: everything that a panel without a kernel shows, each part once."""

import base64
import json
import zlib

from course_lib.demos.words import NAMES, code, compact, written
from course_lib.support.contracts import ParameterError
from tools.publish.states import figures, followed, stored
from tools.publish.vector import Drawer


class Words:
    """Gives each different text or list a number."""

    def __init__(self):
        self.all, self._numbers = [], {}

    def number(self, value):
        key = json.dumps(value)
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self.all.append(value)
        return self._numbers[key]


def packed_states(name, starts, limit):
    """The states of a demo as a text of at most so many characters; to fit, they may be fewer."""
    for most in (800, 600, 400, 200):
        text = packed(states_of(name, starts, most) | {"most": most})
        if len(text) <= limit:
            break
    return text


def states_of(name, starts, most=800):
    """All of a demo that the page needs, as plain data; `starts` is where notebooks open it."""
    figure = figures()[name]
    described, drawer, words = figure.demo, Drawer(), Words()
    states, together = stored(figure, [described.complete(start) for start in starts], most)
    parameters = list(described.start)
    values = {each: _ordered(described, each, states) for each in parameters}
    shown = [_shown(figure, state, drawer, words) for state in states]
    places = [described.complete(start) for start in starts]
    return {
        "name": name,
        "title": figure.__doc__ or name,
        "again": described.again if "seed" in parameters else "",
        "time": described.time or "",
        "together": [NAMES.get(each, each) for each in together],
        "parameters": [_parameter(described, each, values[each]) for each in parameters],
        "states": [[values[each].index(state[each]) for each in parameters] for state in states],
        "starts": [states.index(place) for place in places],
        "scenes": {scene: states.index(described.scene(scene)) for scene in described.scenes},
        "shown": shown,
        "words": words.all,
        "parts": drawer.parts,
    }


def _ordered(described, name, states):
    """The values of a parameter in the states, as its slider has them."""
    found = {state[name] for state in states}
    words = described.choices.get(name, [0])
    return [word for word in words if word in found] if isinstance(words[0], str) else sorted(found)


def _parameter(described, name, values):
    slider = name in described.values
    return {
        "name": name,
        "label": NAMES.get(name, name),
        "kind": "choice" if isinstance(values[0], str) else "slider" if slider else "noise",
        "values": list(map(compact, values)),
        "codes": list(map(code, values)),
        "usual": code(described.start[name]),
        "follows": [other for other in followed(described, name) if other in described.start],
    }


def _shown(figure, state, drawer, words):
    """Of a state: sentence, size, names of its numbers, how many come first, numbers, parts."""
    try:
        picture = figure(**state)
    except ParameterError as reason:
        return [words.number(str(reason))]
    numbers = {name: written(value) for name, value in picture["numbers"].items()}
    texts = [words.number(text) for text in numbers.values()]
    about = [picture["size"], list(numbers), [list(numbers).index(x) for x in picture["named"]]]
    return [words.number(picture["sentence"]), words.number(about), texts, drawer.draw(picture)]


def packed(states):
    """Plain data as a short text."""
    plain = json.dumps(states, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(plain, 9)).decode()


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))
