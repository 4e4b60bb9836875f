"""What ALP and Threshold-ALP publish, how it is read, and how it is kept in a file."""

import dataclasses
import functools
import io
import math
import os
import stat
import zipfile
from dataclasses import dataclass

import numpy as np

from course_lib.alp_bounds import alp_levels, alp_scale, threshold_level
from course_lib.support.contracts import ParameterError, check
from course_lib.support.hashing import look_up, pieces
from course_lib.support.vectors import Kept, check_dimension, positions

MOST_BITS = 2**33
_CELLS = 2**17  # of the bits that estimate reads at once
_PIECE = 2**18  # bytes of a file that NumPy reads at once
_MOST_KEPT = 2**26


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
    if bits > MOST_BITS:
        raise ParameterError(
            f"levels times (size + 512) must be at most {MOST_BITS:,} bits, got {bits:,.0f}: "
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
    """The release in a file that `save` wrote; for any other file ValueError.

    What the file announces is judged before its arrays get memory: its parameters, the lengths that
    follow from them, and at most 2**26 entries that Threshold kept.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ValueError("it is no regular file")  # to open a pipe may take for ever
        with _InPieces(path) as file, zipfile.ZipFile(file) as stored:
            return _release(stored, os.fstat(file.fileno()).st_size)
    except (FileNotFoundError, PermissionError):
        raise
    except Exception as error:  # whatever may be wrong in a file that anybody wrote
        raise ParameterError(
            f"path must be a file that a release has saved, got {str(path)!r}: {error}"
        ) from error


class _InPieces(io.FileIO):
    """A file of which nobody reads much at once, because its table of contents may be long."""

    def read(self, size=-1):
        data = super().read(size if 0 <= size <= _PIECE else _PIECE + 1)
        if len(data) > _PIECE:
            raise ValueError(f"more than {_PIECE} bytes describe what is in it")
        return data


def _announced(stored, info):
    """The number or word that is stored; of an array shape and type alone, without memory."""
    with stored.open(info) as member:
        if np.lib.format.read_magic(member) != (1, 0):
            raise ValueError(f"{info.filename} is of a version that save does not write")
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
        length = member.tell() + math.prod(shape) * dtype.itemsize
    if length != info.file_size:
        raise ValueError(f"{info.filename} announces {length} bytes and has {info.file_size}")
    if dtype.itemsize > 64:
        raise ValueError(f"{info.filename} holds neither numbers nor a short word")
    return np.broadcast_to(np.zeros((), dtype), shape) if shape else _read(stored, info).item()


def _read(stored, info):
    with stored.open(info) as member:  # to its end, where its checksum is compared
        return np.lib.format.read_array(member, allow_pickle=False)


def _release(stored, length):
    infos = {info.filename.removesuffix(".npy"): info for info in stored.infolist()}
    if any(info.compress_type for info in infos.values()):
        raise ValueError("it is compressed, and may be of any length")
    if sum(info.file_size for info in infos.values()) > length:
        raise ValueError(f"it announces more than its {length} bytes")
    fields = {name: _announced(stored, info) for name, info in infos.items()}
    extra = {name: fields.pop(name, None) for name in ("epsilon1", "kept_indices", "kept_values")}
    announced = AlpRelease(**fields)
    announced.check()
    arrays = {name: _read(stored, infos[name]) for name in ("hashes", "bits")}
    release = dataclasses.replace(announced, **arrays)
    release.check()
    if all(part is None for part in extra.values()):
        return release
    epsilon1, *entries = extra.values()
    if type(epsilon1) is not float:
        raise ParameterError("epsilon1 must be of type float")
    check(epsilon1=epsilon1)
    level = threshold_level(dimension=release.dimension, epsilon=epsilon1)
    if not math.isclose(level, release.cap):
        raise ParameterError(f"cap must be the level of Threshold, {level:g}, got {release.cap:g}")
    if max(array.nbytes for array in entries) > 8 * _MOST_KEPT:
        raise ParameterError(f"entries must be at most {_MOST_KEPT:,}")
    kept = Kept(*(_read(stored, infos[name]) for name in ("kept_indices", "kept_values")))
    kept.check(release.dimension, release.cap)
    return ThresholdAlpRelease(kept, epsilon1, release)
