"""What ALP and Threshold-ALP publish, how it is read, and how it is kept in a file."""

import dataclasses
import functools
import math
from dataclasses import dataclass

import numpy as np

from course_lib.alp_bounds import alp_levels, alp_scale, threshold_level
from course_lib.contracts import ParameterError, check
from course_lib.hashing import look_up, pieces
from course_lib.vectors import Kept, check_dimension, positions

_MOST_BITS = 2**33
_CELLS = 2**17  # of the bits that estimate reads at once


def alp1_estimator(bits, hashes, indices, *, size, alpha):
    """The value of each index: where the walk over its bits is highest, on average."""
    steps = 2 * look_up(bits, indices, hashes, size).astype(np.int32) - 1
    walk = np.zeros((len(indices), hashes.shape[1] + 1), dtype=np.int32)
    np.cumsum(steps, axis=1, out=walk[:, 1:])
    highest = walk == walk.max(axis=1, keepdims=True)
    return alpha * (highest @ np.arange(walk.shape[1])) / highest.sum(axis=1)


def check_sizes(sparsity, size, cap, alpha, epsilon, neighbours="l1"):
    """Against public parameters alone: a complaint about the entries would tell of them."""
    size, least = int(size), 2 * int(sparsity)
    cap, alpha, epsilon = float(cap), float(alpha), float(epsilon)
    if not size > least:
        raise ParameterError(f"size must be greater than 2 * sparsity = {least}, got {size}")
    levels = alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    bits = levels * (size + 512)  # 64 numbers of a byte, at least, are the hash function
    if bits > _MOST_BITS:
        raise ParameterError(
            f"levels times (size + 512) must be at most {_MOST_BITS:,} bits, got {bits:,.0f}: "
            f"size = {size}, cap = {cap:g}, alpha = {alpha:g}, epsilon = {epsilon:g}"
        )


@dataclass(frozen=True, eq=False)
class AlpRelease:
    """What ALP publishes: parameters, hash functions and noisy bits. Nothing else is in it.

    `bits` has a row for each level, packed, eight places to a byte; `table` unpacks them.
    """

    dimension: int
    sparsity: int
    size: int
    cap: float
    alpha: float
    epsilon: float
    neighbours: str
    hashes: np.ndarray
    bits: np.ndarray

    @property
    def table(self):
        """The bits as the paper draws them: a row for each place, a column for each level."""
        return np.unpackbits(self.bits, axis=1, count=self.size, bitorder="little").T

    def estimate(self, index_or_indices):
        """Algorithm 5: the estimated value of one index, or of each of many.

        Time for an index: O(cap epsilon) bits, each at a place that takes a sum over the digits of
        the index to find, so O(cap epsilon log d). Lemma 4.14 has O(cap epsilon).
        """
        flat = positions(index_or_indices, self.dimension).ravel()
        parts = [
            alp1_estimator(self.bits, self.hashes, piece, size=self.size, alpha=self.alpha)
            for piece in pieces(flat, 1 + _CELLS // len(self.bits))
        ]
        estimates = np.concatenate(parts) / self._scale
        shape = np.shape(index_or_indices)
        return estimates.reshape(shape) if shape else float(estimates[0])

    @functools.cached_property
    def _scale(self):
        return alp_scale(alpha=self.alpha, epsilon=self.epsilon, neighbours=self.neighbours)

    def fields(self):
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def save(self, path):
        """Write the release to a file for load_release."""
        _save(path, self.fields())

    def check(self):
        """Raise ParameterError unless the parts fit together, as in a file they may not."""
        for field in dataclasses.fields(self):
            if type(getattr(self, field.name)) is not field.type:
                raise ParameterError(f"{field.name} must be of type {field.type.__name__}")
        names = ("dimension", "sparsity", "size", "cap", "alpha", "epsilon")
        check(**{name: getattr(self, name) for name in names})
        check_dimension(self.dimension)
        check_sizes(self.sparsity, self.size, self.cap, self.alpha, self.epsilon, self.neighbours)
        levels = alp_levels(
            cap=self.cap, alpha=self.alpha, epsilon=self.epsilon, neighbours=self.neighbours
        )
        if self.bits.shape != (levels, -(-self.size // 8)) or self.bits.dtype != np.uint8:
            raise ParameterError(f"bits must fill {levels:g} levels, got {self.bits.shape}")
        if self.hashes.shape != (64, levels) or self.hashes.dtype.kind != "u":
            raise ParameterError(f"hashes must be 64 by {levels:g}, got {self.hashes.shape}")
        if self.hashes.max() >= self.size:
            raise ParameterError(f"hashes must be below size = {self.size}")


@dataclass(frozen=True, eq=False)
class ThresholdAlpRelease:
    """What Threshold-ALP publishes: the entries that Threshold kept, and an embedding."""

    kept: Kept
    epsilon1: float
    embedding: AlpRelease

    @property
    def bits(self):
        return self.embedding.bits

    def estimate(self, index_or_indices):
        """Algorithm 8: the value kept, where there is one, else the embedding's estimate.

        Time for an index: O(log^2 d), as for AlpRelease with a cap of ln(d/2) / epsilon1, and a
        binary search among the entries kept. Lemma 5.5 has O(log d).
        """
        estimates = self.embedding.estimate(index_or_indices)
        values = self.kept.look_up(positions(index_or_indices), otherwise=estimates)
        return values if np.ndim(values) else float(values)

    def fields(self):
        kept = {"kept_indices": self.kept.indices, "kept_values": self.kept.values}
        return self.embedding.fields() | kept | {"epsilon1": self.epsilon1}

    def save(self, path):
        """Write the release to a file for load_release."""
        _save(path, self.fields())


def _save(path, fields):
    with open(path, "wb") as file:
        np.savez(file, allow_pickle=False, **fields)


def load_release(path):
    """The release in a file that `save` wrote; for any other file ValueError."""
    with open(path, "rb") as file:
        try:
            with np.load(file, allow_pickle=False) as stored:
                if any(info.compress_type for info in stored.zip.infolist()):
                    raise ValueError("it is compressed, and may be of any length")
                if stored.zip.testzip():  # NumPy alone may stop before the checksum
                    raise ValueError("its checksum is wrong")
                return _release({name: stored[name] for name in stored.files})
        except Exception as error:  # whatever may be wrong in a file that anybody wrote
            raise ParameterError(
                f"path must be a file that a release has saved, got {str(path)!r}: {error}"
            ) from error


def _release(fields):
    extra = {name: fields.pop(name, None) for name in ("epsilon1", "kept_indices", "kept_values")}
    whole = {name: array.item() if array.ndim == 0 else array for name, array in fields.items()}
    release = AlpRelease(**whole)
    release.check()
    if all(array is None for array in extra.values()):
        return release
    epsilon1 = extra["epsilon1"].item()
    check(epsilon1=epsilon1)
    level = threshold_level(dimension=release.dimension, epsilon=epsilon1)
    if not math.isclose(level, release.cap):
        raise ParameterError(f"cap must be the level of Threshold, {level:g}, got {release.cap:g}")
    kept = Kept(extra["kept_indices"], extra["kept_values"])
    kept.check(release.dimension, release.cap)
    return ThresholdAlpRelease(kept, epsilon1, release)
