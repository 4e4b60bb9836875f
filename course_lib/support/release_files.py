"""A release in a file, and how to read one that anybody may have written."""

import dataclasses
import io
import math
import os
import stat
import zipfile

import numpy as np

from course_lib.support.contracts import ParameterError, check

_PIECE = 2**18  # bytes of a file that NumPy reads at once


class Release:
    """A frozen dataclass of numbers, words and arrays that can be kept in a file.

    A class of releases adds to check_announced which parameters, shapes and types fit together, and
    says in check_contents what the arrays must hold. Both raise ParameterError.
    """

    def fields(self):
        """What is stored, by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @classmethod
    def of_fields(cls, **fields):
        """The release that these fields belong to."""
        return cls(**fields)

    def check_announced(self):
        """Raise ParameterError unless the parts fit together, as in a file they may not."""
        for field in dataclasses.fields(self):
            if type(getattr(self, field.name)) is not field.type:
                raise ParameterError(f"{field.name} must be of type {field.type.__name__}")
        numbers = {name: x for name, x in self.fields().items() if isinstance(x, (int, float))}
        check(**numbers)

    def save(self, path):
        """Write the release to a file for `load`."""
        with open(path, "wb") as file:
            np.savez(file, allow_pickle=False, **self.fields())

    @classmethod
    def load(cls, path):
        """The release in a file that `save` wrote; for any other file ValueError.

        What the file announces is judged before its arrays get memory: its parameters, and the
        lengths that follow from them.
        """
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise ValueError("it is no regular file")  # to open a pipe may take for ever
            with _InPieces(path) as file, zipfile.ZipFile(file) as stored:
                return _release(cls, stored, os.fstat(file.fileno()).st_size)
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


def _release(kind, stored, length):
    infos = {info.filename.removesuffix(".npy"): info for info in stored.infolist()}
    if any(info.compress_type for info in infos.values()):
        raise ValueError("it is compressed, and may be of any length")
    if sum(info.file_size for info in infos.values()) > length:
        raise ValueError(f"it announces more than its {length} bytes")
    fields = {name: _announced(stored, info) for name, info in infos.items()}
    kind.of_fields(**fields).check_announced()
    arrays = [name for name, field in fields.items() if isinstance(field, np.ndarray)]
    release = kind.of_fields(**fields | {name: _read(stored, infos[name]) for name in arrays})
    release.check_announced()
    release.check_contents()
    return release


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
