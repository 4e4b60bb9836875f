"""All small databases, a bounded piece at a time: what SmallDB chooses from.

A database of m rows from a universe is a multiset: how many rows each element has, m in all. There
are C(|X| + m - 1, m) of them.
"""

import bisect
import math

import numpy as np
from scipy.special import betaln
from tqdm import tqdm

from course_lib.contracts import ParameterError

_NUMBERS = 2**16  # in one piece: half a megabyte, which stays in the processor's cache
_SPEED = 5e8  # products a second, for the expected time of what is refused
_UNITS = {"years": 3.156e7, "days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}


def log_multisets(universe_size, size):
    """ln |R|, the logarithm of the number of databases of `size` rows."""
    universe_size, size = np.asarray(universe_size, float), np.asarray(size, float)
    return -np.log(universe_size + size) - betaln(universe_size, size + 1)


def multisets(universe_size, size):
    """Each database of `size` rows once, as a column of counts; many columns at a time."""
    width = max(1, _NUMBERS // universe_size)
    if universe_size <= 2 * size + 2:
        yield from _compositions(universe_size, size, width)
        return
    # Few rows, many elements: the gaps between the rows, laid out along the universe, are shorter.
    for gaps in _compositions(size + 1, universe_size - 1, width):
        piece, columns = np.zeros((universe_size, gaps.shape[1])), np.arange(gaps.shape[1])
        for place in np.cumsum(gaps[:-1], axis=0).astype(int):
            piece[place, columns] += 1
        yield piece


def _compositions(parts, total, width):
    """Each way to write `total` as a sum of whole numbers, a column of `parts` of them."""
    pieces = [np.array([[float(total)]])]  # a column: the parts so far, then what is left
    while pieces:
        piece = pieces.pop()
        choices = piece[-1].astype(int) + 1  # the next part is 0, 1, … or all that is left
        if len(piece) == parts:
            yield piece
        elif choices.sum() > width and len(choices) > 1:
            pieces += np.array_split(piece, 2, axis=1)
        else:
            grown = np.repeat(np.vstack([piece, piece[-1:]]), choices, axis=1)
            first = np.cumsum(choices) - choices
            grown[-2] = np.arange(choices.sum()) - np.repeat(first, choices)
            grown[-1] -= grown[-2]
            pieces.append(grown)


def all_multisets(universe_size, size, *, num_queries, max_candidates):
    """The multisets, with a progress bar after two seconds; ParameterError if they are too many."""
    number = math.inf  # C(|X| + m - 1, m) itself is slow to compute where it is astronomical
    if log_multisets(universe_size, size) < math.log(max_candidates) + 1:
        number = math.comb(universe_size + size - 1, size)
    if number > max_candidates:
        raise ParameterError(_refusal(universe_size, size, num_queries, max_candidates))
    with tqdm(total=number, unit=" candidates", unit_scale=True, delay=2, leave=False) as bar:
        for piece in multisets(universe_size, size):
            yield piece
            bar.update(piece.shape[1])


def _refusal(universe_size, size, num_queries, max_candidates):
    """Why R is not enumerated, how long it would take, and what would fit."""
    log_number = float(log_multisets(universe_size, size))
    log_seconds = log_number + math.log(universe_size * num_queries / _SPEED)
    limit = math.log(max_candidates) + 1e-9
    sizes, elements = range(1, size), range(1, universe_size)  # smaller ones
    rows = bisect.bisect(sizes, limit, key=lambda m: log_multisets(universe_size, m))
    fewer = bisect.bisect(elements, limit, key=lambda x: log_multisets(x, size))
    fits = [f"alpha >= {_rounded_up(math.sqrt(math.log(num_queries) / rows))}"] if rows else []
    fits += [f"|X| <= {fewer:,}"] if fewer > 1 else []
    return (
        f"max_candidates must be at least |R| = {_about(log_number)} here, got {max_candidates:,}: "
        f"all databases of m = {size:,} rows from |X| = {universe_size:,} elements take about "
        f"{_duration(log_seconds)}; {' or '.join(fits) or 'no alpha and no |X|'} would fit"
    )


def _rounded_up(alpha):
    return math.ceil(1000 * alpha) / 1000


def _about(log_number):
    power = log_number / math.log(10)
    return f"{math.exp(log_number):,.0f}" if power < 15 else f"10^{power:.0f}"


def _duration(log_seconds):
    unit = next((u for u, s in _UNITS.items() if log_seconds > math.log(s)), "seconds")
    return f"{_about(max(0.0, log_seconds - math.log(_UNITS[unit])))} {unit}"
