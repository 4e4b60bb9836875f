"""All small databases: each once, in bounded memory; or a refusal that says what would fit."""

import collections
import io
import itertools
import math
import re
import tracemalloc

import mpmath
import numpy as np
import pytest
import tqdm.std
from hypothesis import given
from hypothesis import strategies as st

from course_lib.exact import small_db as exact_law
from course_lib.exact.small_db import small_db_loss
from course_lib.linear_queries import Universe, marginals
from course_lib.small_db import small_db, small_db_size
from course_lib.support import multisets as module
from course_lib.support.contracts import ParameterError
from course_lib.support.multisets import all_multisets, log_multisets, multisets

# universe_size, size; those with universe_size > 2 size + 2 are made from the gaps between rows
SIZES = [(1, 1), (1, 9), (2, 1), (2, 30), (3, 5), (4, 1), (5, 1), (5, 6), (8, 3), (9, 3), (10, 4)]
SIZES += [(11, 4), (30, 2), (200, 1), (4, 12)]


def in_another_order(universe_size, size):
    """Every multiset as a sorted list of its rows, counted: how many rows each element has."""
    for rows in itertools.combinations_with_replacement(range(universe_size), size):
        numbers = collections.Counter(rows)
        yield tuple(numbers[x] for x in range(universe_size))


@pytest.mark.parametrize("universe_size, size", SIZES)
@pytest.mark.parametrize("numbers", [1, 12, 16, 100, 2**16])
def test_each_database_comes_once_in_pieces_of_bounded_width(
    universe_size, size, numbers, monkeypatch
):
    monkeypatch.setattr(module, "_NUMBERS", numbers)
    found = []
    for piece in multisets(universe_size, size):
        assert piece.shape[0] == universe_size
        assert 1 <= piece.shape[1] <= max(1, numbers // universe_size)
        found += map(tuple, piece.T.tolist())
    assert len(found) == math.comb(universe_size + size - 1, size)
    assert sorted(found) == sorted(in_another_order(universe_size, size))


@pytest.mark.parametrize("size", [-1, 0.5, math.nan, math.inf, None, 10**9])
def test_databases_of_a_size_that_none_has_are_refused_and_of_no_rows_there_is_one(size):
    with pytest.raises(ParameterError, match="size must be"):
        multisets(3, size)
    assert np.hstack(list(multisets(3, 0))).T.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("universe_size, size", [(8, 8), (8, 13), (8, 16), (16, 8), (60, 3)])
def test_there_are_as_many_as_the_binomial_coefficient(universe_size, size):
    """Different from each other by a checksum of base size + 1, which tells every two apart."""
    base = (size + 1.0) ** np.arange(universe_size)[::-1]
    pieces = list(multisets(universe_size, size)) if universe_size < 60 else []
    if pieces:
        codes = np.concatenate([base @ piece for piece in pieces])
        assert len(np.unique(codes)) == len(codes)
    number = sum(piece.shape[1] for piece in pieces or multisets(universe_size, size))
    assert number == math.comb(universe_size + size - 1, size)


def peak(universe_size, size):
    """Bytes in use at once while the databases pass by."""
    tracemalloc.start()
    number = sum(piece.shape[1] for piece in multisets(universe_size, size))
    bytes_used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert number == math.comb(universe_size + size - 1, size)
    return bytes_used


def test_memory_does_not_grow_with_the_number_of_databases():
    """|R| = 11,440, 116,280 and 1,184,040; a piece has at most 2^16 numbers of 8 bytes."""
    used = [peak(8, size) for size in (9, 14, 21)]
    assert used[1] < 8e6 and used[2] < 1.5 * used[1]


@pytest.mark.parametrize("universe_size, size", [(2, 10**6), (3000, 1), (300, 2)])
def test_memory_is_bounded_for_one_long_row_of_choices(universe_size, size):
    """All in one piece: 16 MB, 72 MB, 108 MB."""
    assert peak(universe_size, size) < 8e6


@pytest.mark.parametrize("num_queries, width", [(1, 8192), (127, 258), (2**15, 64)])
def test_many_queries_make_narrow_pieces(num_queries, width):
    """At most 2^18 products or 64 columns, where |X| = 8 alone would allow 2^13 columns."""
    stream = all_multisets(8, 21, num_queries=num_queries, max_candidates=10**8)
    widest = max(piece.shape[1] for piece in itertools.islice(stream, 50))
    stream.close()
    assert width / 4 < widest <= width


def exact_log(universe_size, size):
    """ln C(|X| + m - 1, m) with 60 digits."""
    with mpmath.workdps(60):
        top = mpmath.mpf(universe_size) + size
        return mpmath.loggamma(top) - mpmath.loggamma(size + 1) - mpmath.loggamma(universe_size)


@pytest.mark.parametrize("universe_size", [1, 2, 8, 1000, 2**20, 2**60])
@pytest.mark.parametrize("size", [1, 2, 16, 1000, 10**6])
def test_the_logarithm_of_their_number(universe_size, size):
    expected = float(exact_log(universe_size, size))
    assert log_multisets(universe_size, size) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if universe_size * size < 10**6:
        by_integers = math.log(math.comb(universe_size + size - 1, size))
        assert expected == pytest.approx(by_integers, rel=1e-12, abs=1e-12)


def test_the_logarithm_takes_arrays():
    table = log_multisets([8, 16], [[8], [13]])
    assert np.exp(table) == pytest.approx(np.array([[6435, 490314], [77520, 37442160]]))


def accepted(universe_size, size, max_candidates):
    stream = all_multisets(universe_size, size, num_queries=7, max_candidates=max_candidates)
    try:
        next(stream)
    except ParameterError:
        return False
    stream.close()
    return True


def test_exactly_max_candidates_are_accepted_and_one_more_is_not():
    for universe_size, size in ((8, 8), (40, 2), (3, 30)):
        number = math.comb(universe_size + size - 1, size)
        assert accepted(universe_size, size, number)
        assert not accepted(universe_size, size, number - 1)


def refusal(universe_size, num_queries, alpha, max_candidates):
    size = small_db_size(num_queries=num_queries, alpha=alpha)
    with pytest.raises(ParameterError) as caught:
        next(
            all_multisets(
                universe_size, size, num_queries=num_queries, max_candidates=max_candidates
            )
        )
    return size, str(caught.value)


@pytest.mark.parametrize(
    "universe_size, num_queries, alpha, max_candidates",
    [
        (8, 7, 0.1, 10**8),
        (8, 7, 0.1, 1e8),
        (16, 15, 0.3, 10**8),
        (16, 32767, 0.9, 10**5),
        (8, 7, 0.5, 6434),
        (2**10, 3, 0.5, 10**8),
        (2**30, 1023, 0.01, 10**10),
        (2**60, 59, 0.7, 10**11),
        (10**10, 3, 1.5, 3 * 10**9),
        (4, 3, 1e-10, 10**8),
        (8, 7, 0.5, 8),
        (8, 7, 0.5, 9),
    ],
)
def test_what_is_said_to_fit_fits_and_the_next_does_not(
    universe_size, num_queries, alpha, max_candidates
):
    size, text = refusal(universe_size, num_queries, alpha, max_candidates)
    assert f"m = {size:,} rows from |X| = {universe_size:,} elements" in text
    assert f"got {int(max_candidates):,}:" in text
    fits = dict(re.findall(r"(alpha|\|X\|) [<>]= ([\d,.e-]*\d)", text))

    def number(universe_size, alpha):
        size = math.ceil(math.log(num_queries) / alpha**2)
        return math.comb(universe_size + size - 1, size)

    if "alpha" in fits:
        least = float(fits["alpha"])
        assert number(universe_size, least) <= max_candidates
        next_digit = 10.0 ** (math.floor(math.log10(least)) - 2)
        assert number(universe_size, least - next_digit) > max_candidates
    else:  # even one row is too much, or no alpha below 1 is enough
        assert universe_size > max_candidates or number(universe_size, 0.999) > max_candidates
    if "|X|" in fits:
        most = int(fits["|X|"].replace(",", ""))
        assert number(most, alpha) <= max_candidates < number(most + 1, alpha)
    else:
        assert size + 1 > max_candidates  # even two elements are too many


@given(st.integers(2, 300), st.integers(2, 10**4), st.floats(0.05, 2), st.integers(1, 10**9))
def test_a_refusal_names_alpha_and_universe_exactly(universe_size, num_queries, alpha, limit):
    size = math.ceil(math.log(num_queries) / alpha**2)
    if math.comb(universe_size + size - 1, size) > limit:
        test_what_is_said_to_fit_fits_and_the_next_does_not(
            universe_size, num_queries, alpha, limit
        )


def test_where_nothing_fits_the_refusal_says_so():
    _, text = refusal(8, 7, 0.5, 7)
    assert text.endswith("1 second; no alpha and no |X| would fit")


@pytest.mark.parametrize(
    "universe_size, size, words",
    [
        (8, 195, "2,451,249,117,240"),
        (16, 40, f"{math.comb(55, 15):,}"),
        (2**60, 6, "10¹⁰⁶"),  # 10^(6 · 18.06 - 2.86)
        (2, 10**18, "10¹⁸"),
    ],
)
def test_the_refusal_gives_their_number(universe_size, size, words):
    with pytest.raises(ParameterError, match=re.escape(f"at least |R| = {words} here, got 100:")):
        next(all_multisets(universe_size, size, num_queries=7, max_candidates=100))


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0.001, "1 second"),
        (59, "59 seconds"),
        (60.6, "1 minute"),
        (3540, "59 minutes"),
        (3600.5, "1 hour"),
        (84_600, "24 hours"),
        (86_400.5, "1 day"),
        (364 * 86_400, "364 days"),
        (366 * 86_400, "1 year"),
        (1000 * 365.25 * 86_400, "1,000 years"),
    ],
)
def test_the_expected_time_is_that_of_all_candidates(seconds, words, monkeypatch):
    """|R| = 6,435 candidates."""
    monkeypatch.setattr(module, "_nanoseconds", lambda *sizes: 1e9 * seconds / 6435)
    _, text = refusal(8, 7, 0.5, 100)
    assert f" elements take about {words}; alpha" in text


def test_an_astronomical_time_is_a_power_of_ten():
    """10^43.4 candidates of 0.3 ns for each of 7 · 2^20 products, 10 ns for each of 2^20 counts."""
    text = refusal(2**20, 7, 0.5, 100)[1]
    number = float(exact_log(2**20, 8)) / math.log(10)
    years = number + math.log10((0.3 * 7 + 10) * 2**20 / 1e9 / (365.25 * 86_400))
    raised = str(round(years)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    assert f"about 10{raised} years" in text


THREE = marginals(Universe(("a", "b", "c")))
ROWS = [5, 0, 3, 1, 4, 4, 2, 1]


class Stopped(np.random.Generator):
    """A generator at which somebody presses stop, in the third piece."""

    pieces = 0

    def standard_exponential(self, *args, **kwargs):
        self.pieces += 1
        if self.pieces == 3:
            raise KeyboardInterrupt
        return super().standard_exponential(*args, **kwargs)


@pytest.fixture
def screen(monkeypatch):
    """What the progress bar writes, in a small enumeration of many pieces."""
    written = io.StringIO()

    def bar(**options):
        return tqdm.tqdm(**options, file=written, mininterval=0)

    monkeypatch.setattr(module, "tqdm", bar)
    monkeypatch.setattr(module, "_NUMBERS", 800)
    return written


def clock(monkeypatch, step):
    """Every look at the clock takes `step` seconds."""
    ticks = itertools.count()
    monkeypatch.setattr(tqdm.std, "time", lambda: step * next(ticks))


def test_the_bar_appears_after_two_seconds_and_not_before(screen, monkeypatch):
    clock(monkeypatch, 0.25)
    databases = all_multisets(8, 8, num_queries=7, max_candidates=10**4)
    seen = [screen.getvalue() for _ in databases]
    first = next(place for place, text in enumerate(seen) if text)
    assert 7 <= first <= 8  # two seconds in steps of a quarter; the first is the start
    assert re.search(r"k/6.4\dk .*k? candidates/s\]", seen[-1])
    assert screen.getvalue().endswith(" \r")  # wiped at the end


def test_a_short_enumeration_shows_no_bar(screen, monkeypatch):
    clock(monkeypatch, 0.0)
    small_db(ROWS, THREE, alpha=0.5, epsilon=1.0, rng=np.random.default_rng(0))
    assert not screen.getvalue()


def left_behind():
    return [bar for bar in getattr(tqdm.tqdm, "_instances", ()) if not bar.disable]


def test_an_enumeration_that_is_given_up_leaves_no_bar(screen, monkeypatch):
    clock(monkeypatch, 3)
    stream = all_multisets(8, 8, num_queries=7, max_candidates=10**4)
    for _ in range(3):
        next(stream)
    assert "candidates" in screen.getvalue() and left_behind()
    stream.close()
    assert screen.getvalue().endswith(" \r") and not left_behind()


def test_an_interrupt_leaves_no_bar_though_the_traceback_is_kept(screen, monkeypatch):
    """A notebook keeps the last traceback, and with it the frames' variables."""
    clock(monkeypatch, 3)
    with pytest.raises(KeyboardInterrupt) as kept:
        small_db(ROWS, THREE, alpha=0.5, epsilon=1.0, rng=Stopped(np.random.PCG64(0)))
    assert kept.tb and "candidates" in screen.getvalue()
    assert screen.getvalue().endswith(" \r") and not left_behind()


def test_an_interrupt_of_the_exact_loss_leaves_no_bar(screen, monkeypatch):
    clock(monkeypatch, 3)
    calls = itertools.count()

    def stopped(weights):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return 0.0

    monkeypatch.setattr(exact_law, "logsumexp", stopped)
    with pytest.raises(KeyboardInterrupt) as kept:
        small_db_loss(ROWS, ROWS[::-1], THREE, alpha=0.5, epsilon=1.0)
    assert kept.tb and "candidates" in screen.getvalue() and not left_behind()


def test_after_an_interrupt_the_next_run_is_whole(screen):
    with pytest.raises(KeyboardInterrupt):
        small_db(ROWS, THREE, alpha=0.5, epsilon=1.0, rng=Stopped(np.random.PCG64(0)))
    chosen = small_db(ROWS, THREE, alpha=0.5, epsilon=1.0, rng=np.random.default_rng(0))
    assert chosen.sum() == 8


def test_a_piece_holds_whole_columns_and_no_more_products_than_fit():
    first = next(multisets(3, 20_000, num_queries=7))
    assert first.shape[1] * 3 * 7 <= 2**18
    assert (first.sum(axis=0) == 20_000).all()


def test_a_candidate_takes_time_in_proportion_to_its_products_if_they_are_many():
    one, two = (module._nanoseconds(64, number) for number in (10**6, 2 * 10**6))
    assert two / one == pytest.approx(2, rel=1e-3)


@pytest.mark.parametrize(
    ("alpha", "rounded"),
    [(0.123401, 0.124), (0.0511, 0.0511), (0.0511001, 0.0512), (0.99201, 0.993)],
)
def test_an_alpha_that_fits_is_rounded_up_to_three_digits(alpha, rounded):
    assert module._rounded_up(alpha) == pytest.approx(rounded, rel=1e-12)
