"""Sparse vectors in a dimension too large to visit: their entries, and zeros drawn by their law."""

from typing import NamedTuple

import numpy as np

from course_lib.support.contracts import ParameterError, shown


def positions(indices, dimension=2**63):
    """Indices as whole numbers from 0 to dimension - 1, or ParameterError."""
    try:
        array = np.asarray(indices)
    except ValueError:  # rows of unequal length
        raise ParameterError(f"indices must be whole numbers, got {shown(indices)}") from None
    if array.dtype.kind not in "iu" and array.size:
        raise ParameterError(f"indices must be whole numbers below 2**63, got {shown(indices)}")
    outside = (array < 0) | (array >= dimension)
    if outside.any():
        raise ParameterError(
            f"indices must be from 0 to dimension - 1 = {dimension - 1}, got {array[outside][0]}"
        )
    return array.astype(np.int64)


def read_in_pieces(read, indices, dimension, length):
    """What `read` gives for each index, some read at once: a float, or an array of their shape."""
    flat, shape = positions(indices, dimension).ravel(), np.shape(indices)
    found = np.concatenate([read(piece) for piece in pieces(flat, length)])
    return found.reshape(shape) if shape else float(found[0])


def pieces(array, length):
    """The array in pieces of this length, the last as short as need be."""
    return [array[i : i + length] for i in range(0, max(1, len(array)), length)]


def check_dimension(dimension):
    if int(dimension) > 2**63:  # as a float it may look equal
        raise ParameterError(f"dimension must be a whole number from 1 to 2**63, got {dimension!r}")


def check_vector(indices, values, dimension):
    """Refuse what is no vector. How many entries it has, and how large, is private: any will do."""
    check_dimension(dimension)
    places = positions(indices, int(dimension))
    entries = as_numbers(values)
    if places.ndim != 1 or places.shape != np.shape(values):
        raise ParameterError(
            f"values must have one number for each of {places.shape} indices, "
            f"got shape {np.shape(values)}"
        )
    if len(np.unique(places)) < len(places):
        raise ParameterError(f"indices must be distinct, got {shown(indices)}")
    if not (np.isfinite(entries) & (entries >= 0)).all():
        raise ParameterError("values must be finite numbers, 0 or greater")


def as_numbers(values, name="values"):
    """Values as an array of floats, or ParameterError."""
    try:
        if np.asarray(values).dtype.kind not in "biufO":
            raise TypeError
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{name} must be finite numbers, got {shown(values)}") from None


class Kept(NamedTuple):
    """Entries of a vector, in the order of their indices."""

    indices: np.ndarray
    values: np.ndarray

    @classmethod
    def sorted(cls, indices, values):
        """Any other order could tell which entries were there before the noise."""
        order = np.argsort(indices)
        return cls(indices[order], values[order])

    def look_up(self, indices, otherwise=0.0):
        """The values at these indices, or `otherwise` where there is none."""
        if not len(self.indices):
            return np.full(np.shape(indices), otherwise)
        at = np.minimum(np.searchsorted(self.indices, indices), len(self.indices) - 1)
        return np.where(self.indices[at] == indices, self.values[at], otherwise)

    def check(self, dimension, level):
        """Raise ParameterError unless these can be the entries that Threshold kept."""
        if (self.indices.dtype, self.values.dtype) != (np.int64, np.float64):
            raise ParameterError("entries must be of types int64 and float64")
        check_vector(self.indices, self.values, dimension)
        if len(self.indices) and (np.any(np.diff(self.indices) < 1) or min(self.values) < level):
            raise ParameterError(f"entries must be in order and at least {level:g}")


def surviving_zeros(taken, dimension, chance, rng):
    """Which zeros of the vector survive, if each does with this chance, as if all were visited.

    Their number is binomial and their set uniform. The zero of rank r is at index r plus the number
    of taken places up to it.
    """
    zeros = dimension - len(taken)
    # In parts: NumPy draws from fewer than 2^63, and to take many it lists the whole range.
    length = 2**62 if chance < 1 / 25 else 2**20
    ranks = [np.empty(0, dtype=np.int64)]
    for start in range(0, zeros, length):
        part = min(length, zeros - start)
        number = binomial(part, chance, rng)
        ranks.append(start + rng.choice(part, number, replace=False, shuffle=False))
    ranks = np.concatenate(ranks)
    before = np.sort(taken) - np.arange(len(taken))  # zeros in front of each taken place
    return ranks + np.searchsorted(before, ranks, side="right")


def binomial(trials, chance, rng):
    """A binomial number; in parts, since NumPy's law is off beyond 2^53 trials."""
    parts, rest = divmod(trials, 2**52)
    return rng.binomial(2**52, chance, size=parts).sum() + rng.binomial(rest, chance)
