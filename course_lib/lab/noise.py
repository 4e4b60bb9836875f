"""Noise to look at and noise to choose: one generator records, the other gives what it is told."""

import functools
import random
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from course_lib.support.contracts import WHOLE, ParameterError, checked_numbers, shown

_SCALE_AT = dict.fromkeys(("laplace", "normal", "gumbel", "logistic"), ("loc", "scale"))
_SCALE_AT |= dict.fromkeys(("exponential", "rayleigh"), ("scale",))


@checked_numbers(seed=WHOLE)
def generator(seed):
    """A generator of its own for each seed, for a run that has to be repeatable."""
    return np.random.default_rng(seed)


def shared_states():
    """The states of the generators that a whole session shares: equal if nobody has drawn."""
    numpys = np.random.get_state()  # noqa: NPY002 (to see whether it is used)
    return random.getstate(), numpys[1].tobytes(), numpys[2:]


class Draw(NamedTuple):
    """A number drawn, by which method of the generator, and with which scale (1 if it has none)."""

    law: str
    scale: float
    number: float


def _recorded(draw):
    """A method of a generator that also keeps what it draws."""
    law = draw.__name__

    @functools.wraps(draw)
    def method(self, *args, **kwargs):
        numbers = draw(self, *args, **kwargs)
        scale = (dict(zip(_SCALE_AT.get(law, ()), args, strict=False)) | kwargs).get("scale", 1.0)
        if isinstance(numbers, float):  # the usual case, much faster than what follows
            self.draws.append(Draw(law, float(scale), numbers))
            return numbers
        scales = np.broadcast_to(scale, np.shape(numbers)).ravel().astype(float).tolist()
        self.draws += map(Draw, [law] * len(scales), scales, np.ravel(numbers).tolist())
        return numbers

    return method


class RecordedNoise(np.random.Generator):
    """A generator that draws what default_rng(seed) draws, and keeps it as `draws`, in order."""

    def __init__(self, seed):
        is_child = isinstance(seed, np.random.BitGenerator)  # that spawn hands on
        super().__init__(seed if is_child else generator(seed).bit_generator)
        self.draws = []

    @property
    def scales(self):
        """The scale of each draw, in order."""
        return [draw.scale for draw in self.draws]

    @property
    def numbers(self):
        """The numbers drawn, in order."""
        return [draw.number for draw in self.draws]


for _law in dir(np.random.Generator):
    if not _law.startswith("_") and _law not in ("bit_generator", "spawn"):
        setattr(RecordedNoise, _law, _recorded(getattr(np.random.Generator, _law)))


class GivenNoise(RecordedNoise):
    """A generator whose Laplace noise is given in advance; that too is recorded.

    `noise` is a number for each draw, in units of its scale; or a function from the scale to the
    noise itself.
    """

    def __init__(self, noise):
        super().__init__(0)
        self._noise = noise if callable(noise) else _in_units(noise)

    @_recorded
    def laplace(self, loc=0.0, scale=1.0, size=None):
        if size is None and isinstance(loc, float) and isinstance(scale, float):
            return loc + float(self._noise(float(scale)))
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        scales = np.broadcast_to(scale, shape)
        noise = [self._noise(each) for each in scales.ravel().tolist()]
        numbers = loc + np.array(noise, dtype=float).reshape(scales.shape)
        return numbers if numbers.ndim else float(numbers)

    def spawn(self, n_children):
        return [self] * n_children  # there is one sequence of noise, whoever asks for it


def _in_units(noise):
    if not isinstance(noise, Iterable):
        raise ParameterError(f"noise must be a list or a function, got {shown(noise)}")
    units = iter(noise)

    def given(scale):
        for unit in units:
            return scale * unit
        raise ParameterError("noise must have a number for each draw, got too few")

    return given
