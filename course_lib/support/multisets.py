"""All small databases, a bounded piece at a time: what SmallDB chooses from.

A database of m rows from a universe is a multiset: how many rows each element has, m in all. There
are C(|X| + m - 1, m) of them.
"""

import bisect
import math
from dataclasses import replace

import numpy as np
from scipy.special import betaln
from tqdm import tqdm

from course_lib.support.contracts import COUNT, WHOLE, ParameterError, checked_numbers
from course_lib.support.products import PRODUCTS

_NUMBERS = 2**16  # in one piece: half a megabyte, which stays in the processor's cache
_HELD = 2**24  # elements, or rows, of a database that memory holds
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNITS = {"years": 3.156e7, "days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}


def log_multisets(universe_size, size):
    """ln |R|, the logarithm of the number of databases of `size` rows."""
    universe_size, size = np.asarray(universe_size, float), np.asarray(size, float)
    return -np.log(universe_size + size) - betaln(universe_size, size + 1)


@checked_numbers(
    universe_size=replace(COUNT, most=_HELD), size=replace(WHOLE, most=_HELD, data=False)
)
def multisets(universe_size, size, *, num_queries=1):
    """Each database of `size` rows once, as a column of counts; many columns at a time."""
    width = max(64, PRODUCTS // (universe_size * num_queries))
    width = max(1, min(_NUMBERS // universe_size, width))
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
    # Columns hold the parts so far, then what is left; the next part is to be `least` or more.
    pieces = [(np.array([[float(total)]]), 0)]
    while pieces:
        piece, least = pieces.pop()
        choices = piece[-1].astype(int) + 1 - least  # the next part can be all that is left
        half = len(choices) // 2
        if len(piece) == parts:
            yield piece
        elif half and choices.sum() > width:
            pieces += [(piece[:, :half], 0), (piece[:, half:], 0)]
        else:
            if choices.sum() > width:
                pieces.append((piece, least + width))
                choices = np.array([width])
            grown = np.repeat(np.vstack([piece, piece[-1]]), choices, axis=1)
            first = np.cumsum(choices) - choices
            grown[-2] = least + np.arange(choices.sum()) - np.repeat(first, choices)
            grown[-1] -= grown[-2]
            pieces.append((grown, 0))


def all_multisets(universe_size, size, *, num_queries, max_candidates):
    """The multisets, with a progress bar after two seconds; ParameterError if they are too many."""
    number = _number(universe_size, size, max_candidates)
    if number > max_candidates:
        raise ParameterError(_refusal(universe_size, size, num_queries, max_candidates))
    with tqdm(total=number, unit=" candidates", unit_scale=True, delay=2, leave=False) as bar:
        for piece in multisets(universe_size, size, num_queries=num_queries):
            yield piece
            bar.update(piece.shape[1])


def _number(universe_size, size, limit):
    """|R|, or infinity far above the limit: it is slow to compute where it is astronomical."""
    if log_multisets(universe_size, size) > math.log(limit) + 1:
        return math.inf
    return math.comb(universe_size + size - 1, size)


def _refusal(universe_size, size, num_queries, max_candidates):
    """Why R is not enumerated, how long it would take, and what would fit."""
    log_number = float(log_multisets(universe_size, size))
    number = _number(universe_size, size, 1e15)
    number = f"{number:,}" if number < math.inf else _about(log_number)
    log_seconds = log_number + math.log(_nanoseconds(universe_size, num_queries) / 1e9)
    limit = int(max_candidates)
    enough = limit + 1  # |R| is at least |X|, and greater than m
    sizes, elements = range(1, min(size, enough)), range(1, min(universe_size, enough))
    rows = bisect.bisect(sizes, limit, key=lambda m: _number(universe_size, m, limit))
    fewer = bisect.bisect(elements, limit, key=lambda x: _number(x, size, limit))
    alpha = math.sqrt(math.log(num_queries) / rows) if rows else math.inf
    fits = [f"alpha >= {_rounded_up(alpha):g}"] if alpha < 0.999 else []  # of use for fractions
    fits += [f"|X| <= {fewer:,}"] if fewer > 1 else []
    return (
        f"max_candidates must be at least |R| = {number} here, got {limit:,}: "
        f"all databases of m = {size:,} rows from |X| = {universe_size:,} elements take about "
        f"{_duration(log_seconds)}; {' or '.join(fits) or 'no alpha and no |X|'} would fit"
    )


def _nanoseconds(universe_size, num_queries):
    """What a candidate takes, up to a factor of three or so: benchmarks/small_db.py measures it."""
    return 20 + universe_size * (10 + 0.3 * num_queries)


def _rounded_up(alpha):
    digit = 10.0 ** (math.floor(math.log10(alpha)) - 2)
    return math.ceil(alpha / digit) * digit


def _about(log_number):
    power = log_number / math.log(10)
    if power < 15:
        return f"{math.exp(log_number):,.0f}"
    return "10" + f"{power:.0f}".translate(_RAISED)


def _duration(log_seconds):
    unit = next((u for u, s in _UNITS.items() if log_seconds > math.log(s)), "seconds")
    number = _about(max(0.0, log_seconds - math.log(_UNITS[unit])))
    return f"{number} {unit if number != '1' else unit[:-1]}"
