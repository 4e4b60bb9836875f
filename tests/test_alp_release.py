"""What a release answers, what is in it, and what becomes of its file."""

import dataclasses
import io
import math
import os
import pickle
import re
import threading
import tracemalloc
import zipfile

import numpy as np
import pytest

from course_lib import alp as slide
from course_lib import threshold_alp as threshold_slide
from course_lib.alp import AlpRelease, alp_projection, alp_space
from course_lib.support import release_files
from course_lib.support.contracts import ParameterError
from course_lib.support.vectors import Kept
from course_lib.threshold_alp import ThresholdAlpRelease, threshold_alp_projection

DIMENSION = 10**12
INDICES = np.random.default_rng(7).choice(DIMENSION, size=20, replace=False)
VALUES = np.linspace(0, 300, 20)


def alp(*, dimension=DIMENSION, size=500, cap=40.0, alpha=3.0, epsilon=1.0, neighbours="l1"):
    return alp_projection(
        INDICES, VALUES, dimension=dimension, sparsity=20, size=size, cap=cap, alpha=alpha,
        epsilon=epsilon, neighbours=neighbours, rng=np.random.default_rng(1),
    )  # fmt: skip


def threshold_alp(indices=INDICES, values=VALUES, *, epsilon1=0.5, seed=1):
    return threshold_alp_projection(
        indices, values, dimension=DIMENSION, sparsity=20, size=500, alpha=3.0, epsilon1=epsilon1,
        epsilon2=0.5, rng=np.random.default_rng(seed),
    )  # fmt: skip


KINDS = {
    "ALP": alp,
    "histogram": lambda: alp(neighbours="histogram", alpha=1),
    "largest": lambda: alp(dimension=2**63, size=500.0, cap=np.float32(40), epsilon=np.float64(1)),
    "Threshold-ALP": threshold_alp,
    "nothing kept": lambda: threshold_alp([], [], seed=0),
}
ARRAYS = {"hashes", "bits", "kept_indices", "kept_values"}
EACH = pytest.mark.parametrize("kind", KINDS)


@EACH
def test_estimates_have_the_shape_of_the_question(kind):
    release = KINDS[kind]()
    each = [release.estimate(int(index)) for index in INDICES]
    assert all(type(estimate) is float for estimate in each)
    for shape in ((20,), (4, 5), (2, 1, 10)):
        found = release.estimate(INDICES.reshape(shape))
        assert found.shape == shape and found.ravel().tolist() == each
    assert release.estimate(INDICES.reshape(4, 5).tolist()).ravel().tolist() == each
    assert release.estimate(INDICES.astype(np.uint64)[::-1]).tolist() == each[::-1]
    assert type(release.estimate(np.int64(3))) is type(release.estimate(np.array(3))) is float
    assert release.estimate([]).shape == (0,) and release.estimate([[]]).shape == (1, 0)
    release.estimate(INDICES)[0] = 0  # an array of its own


@EACH
def test_what_is_no_index_is_refused(kind):
    release = KINDS[kind]()
    dimension = DIMENSION if kind != "largest" else 2**63
    release.estimate([0, dimension - 1])
    for wrong in (-1, dimension, [0, -1], 1.0, [0.5], "1", None, True, 2**64, math.nan):
        with pytest.raises(ParameterError, match="indices must be"):
            release.estimate(wrong)


def test_many_look_ups_are_read_in_pieces(monkeypatch):
    release, indices = alp(), np.arange(1000)
    whole = release.estimate(indices)
    for cells in (1, 13, 14, 1000):
        monkeypatch.setattr(slide, "_CELLS", cells)
        assert (release.estimate(indices) == whole).all()


def test_estimates_are_levels_of_the_table_scaled_back():
    release = alp(alpha=1.0, epsilon=0.5, neighbours="histogram")
    scale = math.exp(0.5) - 1
    levels = math.ceil(40 * scale)
    assert release.table.shape == (500, levels)
    assert set(np.unique(release.table)) == {0, 1}
    assert (np.packbits(release.table.T, axis=1, bitorder="little") == release.bits).all()
    halves = release.estimate(np.arange(500)) * scale * np.lcm.reduce(np.arange(1, levels + 2))
    assert halves == pytest.approx(np.round(halves), rel=1e-9)
    assert alp(alpha=1.0, cap=40.0).estimate(np.arange(3000)).max() <= 40


def test_threshold_alp_reads_what_is_kept_and_else_the_embedding():
    release = threshold_alp()
    level = math.log(DIMENSION / 2) / 0.5
    assert release.embedding.cap == pytest.approx(level) and release.embedding.epsilon == 0.5
    kept = dict(zip(release.kept.indices.tolist(), release.kept.values, strict=True))
    assert min(kept.values()) >= level and set(INDICES[VALUES > level + 40]) <= set(kept)
    others = np.setdiff1d(np.append(INDICES, np.arange(100)), release.kept.indices)
    assert len(others) > 100
    assert (release.estimate(others) == release.embedding.estimate(others)).all()
    assert release.estimate(release.kept.indices).tolist() == list(kept.values())
    assert release.bits is release.embedding.bits


def test_a_release_holds_what_is_published_and_nothing_else():
    names = ["dimension", "sparsity", "size", "cap", "alpha", "epsilon", "neighbours"]
    names += ["hashes", "bits"]
    release, more = alp(), threshold_alp()
    assert list(vars(release)) == [field.name for field in dataclasses.fields(AlpRelease)] == names
    assert list(vars(more)) == ["kept", "epsilon1", "embedding"]
    assert list(vars(more.embedding)) == names
    assert more.kept._fields == ("indices", "values") and type(more.kept) is Kept
    assert list(release.fields()) == names
    assert list(more.fields()) == [*names, "kept_indices", "kept_values", "epsilon1"]
    public = [release.dimension, release.sparsity, release.size, release.cap, release.alpha]
    assert [*public, release.epsilon, release.neighbours] == [DIMENSION, 20, 500, 40, 3, 1, "l1"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.cap = 3
    shuffled = np.random.default_rng(3).permutation(20)
    other = threshold_alp(INDICES[shuffled], VALUES[shuffled], epsilon1=50.0)
    assert (np.diff(other.kept.indices) > 0).all() and (np.diff(more.kept.indices) > 0).all()


def test_the_bits_fill_the_space_that_the_lemma_counts():
    """Each number of a hash function fits in log2(size) bits; the bits are packed."""
    for size in (41, 64, 500, 1024):
        release = alp(size=size)
        levels = math.ceil(40 / 3)
        counted = alp_space(size=size, cap=40.0, alpha=3.0, epsilon=1.0)
        digits = math.ceil(math.log2(size))
        assert release.hashes.size * digits + size * levels == counted
        assert 2 ** (digits - 2) < release.hashes.max() < 2**digits
        assert release.bits.nbytes == math.ceil(size / 8) * levels


def test_2_to_the_28_bits_stay_under_64_megabytes():
    """Two levels are built, and each takes as much as any other.

    In tables of fewer than 1,136 places the hash functions take too much for that.
    """
    for size in (1136, 2**12, 2**21):
        release = alp_projection(
            INDICES, VALUES, dimension=DIMENSION, sparsity=20, size=size, cap=2.0, alpha=1.0,
            epsilon=1.0, rng=np.random.default_rng(0),
        )  # fmt: skip
        assert release.bits.shape[0] == 2
        held = sum(array.nbytes for array in (release.bits, release.hashes))
        assert held * (2**28 / size) / 2 < 64e6


def test_to_build_a_long_level_takes_little_more_than_the_level():
    size = 2**26
    tracemalloc.start()
    release = alp_projection(
        INDICES, VALUES, dimension=DIMENSION, sparsity=20, size=size, cap=1.0, alpha=1.0,
        epsilon=1.0, rng=np.random.default_rng(0),
    )  # fmt: skip
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert release.bits.nbytes == 2**23 and peak < 6 * 2**23


@EACH
def test_a_saved_release_answers_the_same(kind, tmp_path):
    release = KINDS[kind]()
    path = tmp_path / "release of any name"
    release.save(path)
    loaded = type(release).load(str(path))
    asked = np.append(INDICES, np.arange(200))
    assert type(loaded) is type(release)
    arrays = [name for name, value in loaded.fields().items() if isinstance(value, np.ndarray)]
    assert arrays == [name for name in loaded.fields() if name in ARRAYS]
    assert (loaded.estimate(asked) == release.estimate(asked)).all()
    assert (loaded.bits == release.bits).all()
    assert all(np.array_equal(loaded.fields()[name], v) for name, v in release.fields().items())
    loaded.save(path)
    assert (type(release).load(path).estimate(asked) == release.estimate(asked)).all()


def refused(path, kinds=(AlpRelease, ThresholdAlpRelease)):
    for kind in kinds:
        with pytest.raises(ValueError, match="path must be a file that a release has saved, got '"):
            kind.load(path)


def test_a_release_is_not_taken_for_one_of_the_other_kind(tmp_path):
    alp().save(tmp_path / "release")
    refused(tmp_path / "release", [ThresholdAlpRelease])
    threshold_alp().save(tmp_path / "release")
    refused(tmp_path / "release", [AlpRelease])


def test_what_no_release_wrote_is_refused(tmp_path):
    path = tmp_path / "release"
    buffer = io.BytesIO()
    np.save(buffer, np.arange(5))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("bits", "no array")
    for content in (b"", b"some text\n", buffer.getvalue(), archive.getvalue(), pickle.dumps([1])):
        path.write_bytes(content)
        refused(path)
    for foreign in ({}, {"bits": np.zeros(3)}, alp().fields() | {"more": 1}):
        with open(path, "wb") as file:
            np.savez(file, **foreign)
        refused(path)
    with pytest.raises(FileNotFoundError):
        AlpRelease.load(tmp_path / "nothing")


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("the file was unpickled",)


def test_nothing_is_unpickled(tmp_path):
    path = tmp_path / "release"
    for name in ("bits", "cap", "neighbours"):
        with open(path, "wb") as file:
            np.savez(file, **alp().fields() | {name: np.array([Bomb()], dtype=object)})
        refused(path)
    path.write_bytes(pickle.dumps(Bomb()))
    refused(path)


@pytest.mark.parametrize("kind", ["ALP", "Threshold-ALP"])
def test_a_damaged_file_is_refused(kind, tmp_path):
    """Cut off anywhere, or a byte changed: but for bytes that mean nothing, such as the time."""
    release, path = KINDS[kind](), tmp_path / "release"
    release.save(path)
    content = path.read_bytes()
    for length in np.linspace(0, len(content) - 1, 40).astype(int):
        path.write_bytes(content[:length])
        refused(path)
    rng, harmless = np.random.default_rng(0), 0
    for place in np.unique(rng.integers(len(content), size=250)):
        changed = bytearray(content)
        changed[place] ^= rng.integers(1, 256)
        path.write_bytes(changed)
        try:
            loaded = type(release).load(path)
        except ValueError:
            continue
        harmless += 1
        assert all(np.array_equal(loaded.fields()[name], v) for name, v in release.fields().items())
    assert harmless < 60


def compressed(path):
    """A thousandth of its length would be enough to fill the memory."""
    with open(path, "wb") as file:
        np.savez_compressed(file, **alp().fields(), more=np.zeros(2**24, np.uint8))


def too_many_bits(path):
    dataclasses.replace(alp(), bits=np.zeros((2**17, 63), np.uint8)).save(path)


def a_long_stranger(path):
    with open(path, "wb") as file:
        np.savez(file, **alp().fields(), more=np.zeros(2**23, np.uint8))


def one_long_word(path):
    with open(path, "wb") as file:
        np.savez(file, **alp().fields() | {"neighbours": np.array("1" * 2**20)})


def many_kept(path):
    fields = threshold_alp().fields()
    more = np.arange(2**20).view("V64")
    with open(path, "wb") as file:
        np.savez(file, **fields | {"kept_indices": more, "kept_values": more})


def a_long_table_of_contents(path):
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(2**13):
            archive.writestr(f"{number}.npy", b"")


def bytes_that_are_not_there(path):
    """Parameters and lengths agree on 2**23 bytes of bits, and the table of contents too."""
    release = dataclasses.replace(
        alp(cap=1.0, alpha=1.0, size=256), size=2**26, bits=np.zeros((1, 2**23), np.uint8)
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in release.fields().items():
            buffer, array = io.BytesIO(), np.asanyarray(value)
            np.lib.format.write_array_header_1_0(
                buffer, np.lib.format.header_data_from_array_1_0(array)
            )
            whole = len(buffer.getvalue()) + array.nbytes
            archive.writestr(f"{name}.npy", buffer.getvalue() + array.tobytes()[:100])
            archive.filelist[-1].file_size = archive.filelist[-1].compress_size = whole


@pytest.mark.parametrize(
    "write, reason",
    [
        (compressed, "it is compressed"),
        (too_many_bits, "bits must fill 14 levels"),
        (a_long_stranger, "unexpected keyword argument 'more'"),
        (one_long_word, "neighbours.npy holds neither"),
        (many_kept, "entries must be at most"),
        (a_long_table_of_contents, "262144 bytes describe"),
        (bytes_that_are_not_there, "it announces more than its"),
    ],
)
def test_a_file_is_judged_before_it_is_read(write, reason, tmp_path, monkeypatch):
    monkeypatch.setattr(threshold_slide, "_MOST_KEPT", 2**16)
    kind = ThresholdAlpRelease if write is many_kept else AlpRelease
    write(tmp_path / "release")
    tracemalloc.start()
    with pytest.raises(ValueError, match=re.escape(f"{tmp_path / 'release'}': ")) as error:
        kind.load(tmp_path / "release")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reason in str(error.value) and peak < 2**21


def test_no_more_than_a_piece_is_read_at_once(tmp_path):
    path, most = tmp_path / "file", 2**18
    path.write_bytes(bytes(most))
    with release_files._InPieces(path) as file:
        assert file.read() == bytes(most)  # to its end, as with a number below 0
    path.write_bytes(bytes(most + 1))
    with release_files._InPieces(path) as file:
        assert file.read(most) == bytes(most)
        assert file.read(0) == b"" and file.read() == b"\0"
        for size in (-1, most + 1):
            file.seek(0)
            with pytest.raises(ValueError, match="more than 262144 bytes describe"):
                file.read(size)


def test_as_many_entries_as_allowed_are_read_and_no_more(tmp_path, monkeypatch):
    (digits,) = re.findall(
        r"at most 2\*\*(\d+) entries", ThresholdAlpRelease.check_announced.__doc__
    )
    assert threshold_slide._MOST_KEPT == 2 ** int(digits)
    monkeypatch.setattr(threshold_slide, "_MOST_KEPT", 8)
    fields, path = threshold_alp().fields(), tmp_path / "release"
    for entries in (8, 9):
        kept = {"kept_indices": np.arange(entries), "kept_values": np.full(entries, 100.0)}
        with open(path, "wb") as file:
            np.savez(file, **fields | kept)
        if entries == 8:
            assert ThresholdAlpRelease.load(path).kept.indices.tolist() == list(range(8))
    with pytest.raises(ValueError, match="entries must be at most 8$"):
        ThresholdAlpRelease.load(path)


@pytest.mark.parametrize(
    "length, reason", [(64, "neighbours must be of type str"), (65, "holds neither numbers nor")]
)
def test_a_word_of_64_bytes_is_read_and_none_that_is_longer(length, reason, tmp_path):
    with open(tmp_path / "release", "wb") as file:
        np.savez(file, **alp().fields() | {"neighbours": np.array(b"1" * length)})
    with pytest.raises(ValueError, match=reason):
        AlpRelease.load(tmp_path / "release")


def test_to_load_a_long_level_takes_little_more_than_the_level(tmp_path):
    alp(size=2**26, cap=1.0, alpha=1.0).save(tmp_path / "release")
    tracemalloc.start()
    release = AlpRelease.load(tmp_path / "release")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert release.bits.nbytes == 2**23 and peak < 1.2 * 2**23


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # opened to be read, it waits for a writer
    reader = threading.Thread(target=refused, args=[tmp_path / "pipe"], daemon=True)
    reader.start()
    reader.join(10)
    assert not reader.is_alive()
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(ValueError, match=f"'{path}': it is no regular file"):
            AlpRelease.load(path)


def test_a_file_that_says_less_than_it_holds_is_refused(tmp_path):
    """Half of the hash functions' bytes, read as shorter numbers, would pass for others."""
    path = tmp_path / "release"
    alp(cap=100.0, alpha=1.0).save(path)
    content = path.read_bytes()
    assert content.count(b"'<u2'") == 1
    path.write_bytes(content.replace(b"'<u2'", b"'|u1'"))
    refused(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 40},
        {"size": 500.0},
        {"sparsity": 20.0},
        {"alpha": np.array([3.0])},
        {"alpha": 3},
        {"neighbours": np.array(["l1"])},
        {"size": 505},
        {"sparsity": 0},
        {"dimension": 2**63 + 1},
        {"cap": np.array([40.0, 40.0])},
        {"cap": 43.0},
        {"alpha": 0.0},
        {"epsilon": math.nan},
        {"neighbours": "l2"},
        {"bits": np.zeros((14, 62), np.uint8)},
        {"bits": np.zeros((13, 63), np.uint8)},
        {"bits": np.zeros((14, 63), np.int8)},
        {"hashes": np.zeros((64, 13), np.uint16)},
        {"hashes": np.zeros((63, 14), np.uint16)},
        {"hashes": np.zeros((64, 14), np.int16)},
        {"hashes": np.full((64, 14), 500, np.uint16)},
    ],
    ids=lambda changes: ", ".join(changes),
)
def test_parts_that_do_not_fit_together_are_refused(changes, tmp_path):
    path = tmp_path / "release"
    fields = alp().fields()
    with open(path, "wb") as file:
        np.savez(file, **fields | {"hashes": np.full((64, 14), 499, np.uint16)})
    assert type(AlpRelease.load(path)) is AlpRelease
    with open(path, "wb") as file:
        np.savez(file, **fields | changes)
    refused(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon1": None},
        {"epsilon1": -0.5},
        {"epsilon1": 50.0},
        {"kept_indices": np.array([5, 6], np.uint64)},
        {"kept_values": np.array([60, 70 + 1j])},
        {"epsilon1": np.array([0.5, 0.5])},
        {"kept_indices": None},
        {"kept_values": None},
        {"kept_indices": np.array([5, 3])},
        {"kept_indices": np.array([5, DIMENSION])},
        {"kept_indices": np.array([5.0, 6.0])},
        {"kept_values": np.array([60.0, 10.0])},
        {"kept_values": np.array([60.0, math.inf])},
        {"kept_values": np.array([60.0])},
    ],
    ids=lambda changes: ", ".join(changes),
)
def test_kept_entries_that_threshold_cannot_have_kept_are_refused(changes, tmp_path):
    path = tmp_path / "release"
    kept = {"kept_indices": np.array([5, 6]), "kept_values": np.array([60.0, 70.0])}
    fields = threshold_alp().fields() | kept
    for more in ({}, changes):
        with open(path, "wb") as file:
            np.savez(file, **{k: v for k, v in (fields | more).items() if v is not None})
        if more:
            refused(path)
        else:
            assert type(ThresholdAlpRelease.load(path)) is ThresholdAlpRelease
