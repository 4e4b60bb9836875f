"""Hash functions that collide with probability exactly 1/size, and the bits that they point to.

A function is 64 random numbers below `size`; the hash of an index i is the sum, modulo size, of
those that stand at the binary ones of 2i + 1. If i and j differ, some digit is 1 in one of them
alone, so the difference of their sums has a term of its own that is uniform: it is 0 modulo size
with probability 1/size. (Carter and Wegman's class H3, with sums for exclusive ors, so that the
size need not be a power of two.) A hash takes time in the digits, O(log d), and 64 numbers to keep.
"""

import numpy as np

from course_lib.support.contracts import ParameterError, shown
from course_lib.support.products import one_thread_product
from course_lib.support.vectors import as_numbers, pieces, positions

MOST_BITS = 2**33
_BITS, _INDICES, _LEVELS = 2**20, 2**12, 2**14  # handled at once; memory and speed alone


def draw_hashes(functions, size, rng):
    """Random hash functions to the places 0 to size - 1, one in each column."""
    return rng.integers(size, size=(64, functions), dtype=np.min_scalar_type(size - 1))


def hashes_apart(functions, size):
    """Hash functions that send index i to place i modulo size, so that no two of these collide."""
    digits = [8 * byte + bit for byte in range(8) for bit in reversed(range(8))]  # of 2i + 1
    function = np.array([2**digit // 2 % size for digit in digits], np.min_scalar_type(size - 1))
    return np.tile(function[:, None], functions)


def check_hashes(hashes):
    """Refuse what draw_hashes cannot have drawn."""
    kind = getattr(hashes, "dtype", np.dtype(object)).kind
    if kind not in "iu" or hashes.ndim != 2 or len(hashes) != 64:
        raise ParameterError(f"hashes must be 64 rows of whole numbers, got {shown(hashes)}")


def check_embedding(indices, values, hashes, size):
    """Refuse what ALP1 cannot embed."""
    check_hashes(hashes)
    if not np.all(as_numbers(values) >= 0):  # infinite ones are capped: to refuse them would tell
        raise ParameterError(f"values must be 0 or greater, got {shown(values)}")
    if positions(indices).shape != np.shape(values) or np.ndim(values) != 1:
        raise ParameterError(f"values must be one for each of indices, got {shown(values)}")
    if size > MOST_BITS:
        raise ParameterError(f"size must be at most {MOST_BITS:,} here, got {shown(size)}")


def hash_places(indices, hashes, size):
    """The place that each function gives each index: a row for each index."""
    odd = (2 * indices.astype(np.uint64) + 1).astype("<u8")
    used = -(-int(odd.max(initial=1)).bit_length() // 8)  # bytes; the others are 0
    digits = np.unpackbits(odd[:, None].view(np.uint8)[:, :used], axis=1).astype(float)
    blocks = (hashes[: 8 * used, b : b + _LEVELS] for b in range(0, hashes.shape[1], _LEVELS))
    sums = [one_thread_product(digits, block) for block in blocks]  # exact
    return np.concatenate(sums, axis=1).astype(np.int64) % size


def set_bits(indices, function, size):
    """One level of the embedding, packed: which places some index of these is hashed to."""
    row = np.zeros(-(-size // 8), dtype=np.uint8)
    for piece in pieces(indices, _INDICES):
        places = hash_places(piece, function, size)
        np.bitwise_or.at(row, places >> 3, (1 << (places & 7)).astype(np.uint8))
    return row


def random_bits(size, chance, rng):
    """Bits that are 1 with this chance, packed; in pieces, as a number drawn takes 64 bits."""
    lengths = [min(_BITS, size - start) for start in range(0, size, _BITS)]
    drawn = [np.packbits(rng.random(n) < chance, bitorder="little") for n in lengths]
    return np.concatenate(drawn)


def look_up(bits, indices, hashes, size):
    """The bit of each level that each index is hashed to: a row for each index."""
    places = hash_places(indices, hashes, size)
    return bits[np.arange(len(bits)), places >> 3] >> (places & 7) & 1
