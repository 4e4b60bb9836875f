"""ALP's bits and estimates against enumeration and closed forms; what it refuses, and what not."""

import collections
import io
import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2, ncx2
from tqdm import tqdm

from course_lib import alp as module
from course_lib.alp import (
    AlpRelease,
    alp1_estimator,
    alp1_projection,
    alp_projection,
    check_sizes,
)
from course_lib.lab.noise import RecordedNoise
from course_lib.support.contracts import ParameterError
from course_lib.threshold_alp import threshold_alp_projection, threshold_release
from tests.test_multisets import clock, left_behind


def identity(levels):
    """Functions that give an index its own place, so that nothing collides."""
    hashes = np.zeros((64, levels), dtype=np.uint64)
    for digit in range(1, 31):  # of 2i + 1
        hashes[8 * (digit // 8) + 7 - digit % 8] = 2 ** (digit - 1)
    return hashes


def table(bits, size):
    """A row for each place: its bits, level by level."""
    return np.unpackbits(bits, axis=1, count=size, bitorder="little").T


def plain_estimate(pattern):
    """The average of the arguments that maximise f(n), the ones minus the zeros among n bits."""
    f = [0]
    for bit in pattern:
        f.append(f[-1] + (1 if bit else -1))
    maximisers = [n for n, value in enumerate(f) if value == max(f)]
    return sum(maximisers) / len(maximisers)


def test_threshold_asks_for_noise_of_scale_1_over_epsilon_and_for_the_chance_of_a_zero():
    """Lap(1/ε) reaches the level τ with probability e^(-τε) / 2, and is τ + Exp(1/ε) if it does."""
    rng, chances = RecordedNoise(0), set()
    draw = rng.binomial

    def binomial(trials, chance, size=None):
        chances.add(chance)
        return draw(trials, chance, size)

    rng.binomial = binomial
    found = threshold_release([4, 9], [3.0, 50.0], dimension=1000, level=2.5, epsilon=0.8, rng=rng)
    (chance,) = chances
    assert math.isclose(chance, math.exp(-2) / 2, rel_tol=1e-14)
    assert [law for law, _, _ in rng.draws[:3]] == ["laplace", "laplace", "binomial"]
    assert rng.scales[:2] == [1.25, 1.25]
    assert {scale for law, scale, _ in rng.draws if law == "exponential"} == {1.25}
    assert found.values[found.indices == 9] == 50 + rng.numbers[1] and found.values.min() >= 2.5


@pytest.mark.parametrize("levels", [1, 2, 5, 12])
@pytest.mark.parametrize("alpha", [1, 2.5])
def test_the_estimator_on_every_pattern_of_bits(levels, alpha):
    patterns = list(itertools.product((0, 1), repeat=levels))
    bits = np.packbits(np.transpose(patterns), axis=1, bitorder="little")
    found = alp1_estimator(
        bits, identity(levels), np.arange(len(patterns)), size=len(patterns), alpha=alpha
    )
    assert found == pytest.approx([alpha * plain_estimate(pattern) for pattern in patterns])


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_the_estimator_on_longer_patterns(pattern):
    bits = np.packbits(np.transpose([pattern, pattern]), axis=1, bitorder="little")
    found = alp1_estimator(bits, identity(len(pattern)), np.array([1]), size=2, alpha=1)
    assert found == pytest.approx([plain_estimate(pattern)])


def estimate_law(values, levels, alpha, load):
    """The law of the estimate of entry `values`, in levels, from all roundings and patterns.

    A level that the entry does not reach collides with probability `load` with one that is set.
    """
    flip = 1 / (alpha + 2)
    below = math.floor(values)
    law = collections.Counter()
    for rounded, share in ((below, below + 1 - values), (below + 1, values - below)):
        for pattern in itertools.product((0, 1), repeat=levels):
            chance = share
            for b, bit in enumerate(pattern):
                set_before = 1 if b < rounded else load
                one = set_before * (1 - flip) + (1 - set_before) * flip
                chance *= one if bit else 1 - one
            law[plain_estimate(pattern)] += chance
    return law


@pytest.mark.parametrize(("value", "neighbours"), [(0.0, "l1"), (1.3, "l1"), (1.3, "histogram")])
def test_the_mechanism_follows_the_enumerated_law(value, neighbours):
    """At level 1e-6, with collisions: another entry, beyond the cap, is in all four levels.

    Two indices meet with probability 1/size in each. A law without collisions, or for the other
    neighbours, would be seen but for one chance in 100.
    """
    alpha, epsilon, size, levels, runs = 2.0, 1.5, 3, 4, 800
    scales = {"l1": epsilon, "histogram": 2 + math.exp(epsilon) / 3 - 1}
    scale = scales.pop(neighbours)
    cap = (levels - 0.1) * alpha / scale
    rng, found = np.random.default_rng(0), collections.Counter()
    for _ in range(runs):
        release = alp_projection(
            [2**63 - 1, 12], [1e3, value], dimension=2**63, sparsity=1, size=size, cap=cap,
            alpha=alpha, epsilon=epsilon, neighbours=neighbours, rng=rng,
        )  # fmt: skip
        found[round(release.estimate(12) * scale / alpha, 9)] += 1
    law = estimate_law(value * scale / alpha, levels, alpha, 1 / size)
    assert found.keys() <= law.keys()
    statistic = sum((found[x] - runs * p) ** 2 / (runs * p) for x, p in law.items())
    border = chi2.isf(1e-6, len(law) - 1)
    assert statistic < border
    wrong = [estimate_law(value * scale / alpha, levels, alpha, 0)]
    if value:
        wrong += [estimate_law(value * scales.popitem()[1] / alpha, levels, alpha, 1 / size)]
    for other in wrong:
        shift = runs * sum((other[x] - law[x]) ** 2 / law[x] for x in law)
        assert ncx2.cdf(border, len(law) - 1, shift) < 0.01


def test_values_are_rounded_to_a_neighbour_without_bias():
    """Flips are too rare to occur; confidence 1 - 1e-6 each, a bias of 0.02 would be seen."""
    alpha, levels, number = 1e12, 4, 20_000
    shares = np.array([0.0, 0.25, 0.5, 1.0, 1.75, 2.999, 3.5, 4.0, 4.5, 70.0])
    values = np.repeat(shares, number)
    size = len(values)
    bits = alp1_projection(
        np.arange(size), values * alpha, identity(levels), size=size, alpha=alpha,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    codes = table(bits, size)
    assert (np.diff(codes.astype(int), axis=1) <= 0).all()  # unary: ones, then zeros
    for share, rounded in zip(shares, codes.sum(axis=1).reshape(-1, number), strict=True):
        share = min(share, levels)
        below = math.floor(share)
        assert set(rounded) <= {below, math.ceil(share)}
        low, high = binom.ppf([5e-7, 1 - 5e-7], number, share - below)
        assert low <= np.sum(rounded > below) <= high and high - low < 2 * 0.02 * number


def test_alp1_refuses_what_it_cannot_divide_by():
    indices, values, good = np.array([1]), np.array([1.0]), np.random.default_rng(0)
    for size, alpha, rng in ((4, 0, good), (4, math.nan, good), (0, 1.0, good), (4, 1.0, None)):
        with pytest.raises(ParameterError, match="must be"):
            alp1_projection(indices, values, identity(2), size=size, alpha=alpha, rng=rng)


def noisy_table(alpha, size, levels, seed=1):
    """The bits of a vector with every second entry set at every level."""
    indices = np.arange(1, size, 2)
    return alp1_projection(
        indices, np.full(len(indices), levels * alpha), identity(levels), size=size, alpha=alpha,
        rng=np.random.default_rng(seed),
    )  # fmt: skip


@pytest.mark.parametrize("alpha", [0.5, 3, 10])
def test_zeros_and_ones_are_flipped_alike(alpha):
    """Confidence 1 - 1e-6; 1/(alpha+1) or 1/(alpha+3) would be seen but for one chance in 1000."""
    size, levels = 2**15, 8
    bits = table(noisy_table(alpha, size, levels), size)
    number = size // 2 * levels
    low, high = binom.ppf([5e-7, 1 - 5e-7], number, 1 / (alpha + 2))
    assert low <= np.sum(bits[::2] == 1) <= high
    assert low <= np.sum(bits[1::2] == 0) <= high
    assert binom.cdf(high, number, 1 / (alpha + 1)) < 1e-3
    assert binom.sf(low - 1, number, 1 / (alpha + 3)) < 1e-3


def test_flips_are_independent_of_each_other():
    """All patterns of a byte, and of a place at two levels: at level 1e-6 each.

    A correlation of 0.03 between neighbouring flips would be seen but for one chance in 1e4.
    """
    alpha, size, levels = 2.0, 2**16, 8
    bits = noisy_table(alpha, size, levels)
    flips = bits ^ 0b10101010
    along = [[byte >> k & 1 for k in range(8)] for byte in range(256)]
    chances = np.prod(np.where(along, 1 / 4, 3 / 4), axis=1)
    counts = np.bincount(flips.ravel(), minlength=256)
    assert np.sum((counts - flips.size * chances) ** 2 / (flips.size * chances)) < chi2.isf(
        1e-6, 255
    )
    flipped = table(flips, size).astype(float)
    for one, other in ((flipped[:, 1:], flipped[:, :-1]), (flipped[1:], flipped[:-1])):
        number = one.size
        bound = 4.9 / math.sqrt(number)
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < bound
        assert 0.03 - bound > 3.8 / math.sqrt(number)


def test_threshold_alp_spends_one_epsilon_on_each_part():
    """Noise of mean 1/epsilon1 on what is kept, within 4.9 standard errors: epsilon2 is double."""
    rng, number = np.random.default_rng(3), 1000
    release = threshold_alp_projection(
        np.arange(number), np.full(number, 1e4), dimension=10**6, sparsity=number, size=5000,
        alpha=3.0, epsilon1=0.25, epsilon2=0.5, rng=rng,
    )  # fmt: skip
    noise = np.abs(release.estimate(np.arange(number)) - 1e4)
    assert abs(noise.mean() - 4) < 4.9 * 4 / math.sqrt(number) < 1
    level = math.log(10**6 / 2) / 0.25
    embedding = release.embedding
    assert (release.epsilon1, embedding.epsilon, embedding.neighbours) == (0.25, 0.5, "l1")
    assert embedding.cap == pytest.approx(level)
    assert len(embedding.bits) == math.ceil(level * 0.5 / 3)


CALL = {"dimension": 100, "sparsity": 3, "size": 7, "alpha": 2.0}
MECHANISMS = {
    alp_projection: CALL | {"cap": 10.0, "epsilon": 1.0},
    threshold_release: {"dimension": 100, "level": 2.0, "epsilon": 1.0},
    threshold_alp_projection: CALL | {"epsilon1": 0.5, "epsilon2": 0.5},
}
EACH = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.__name__)


def call(mechanism, indices=(1, 2), values=(3.0, 4.0), **changes):
    usual = MECHANISMS[mechanism] | {"rng": np.random.default_rng(0)}
    return mechanism(indices, values, **usual | changes)


@EACH
@pytest.mark.parametrize(
    ("indices", "values", "words"),
    [
        ([1, 1], [1, 2], "indices must be distinct"),
        ([1, 100], [1, 2], "indices must be from 0 to dimension - 1 = 99, got 100"),
        ([-1, 2], [1, 2], "indices must be from 0"),
        ([1.0, 2.0], [1, 2], "indices must be whole numbers"),
        ([1, 2], [1, math.nan], "values must be finite numbers, 0 or greater"),
        ([1, 2], [1, -0.5], "values must be finite numbers, 0 or greater"),
        ([1, 2], [1], "values must have one number"),
    ],
)
def test_what_is_no_vector_is_refused(mechanism, indices, values, words):
    with pytest.raises(ValueError, match=words):
        call(mechanism, indices, values)


@EACH
def test_parameters_out_of_range_are_refused(mechanism):
    wrong = {
        "dimension": [0, -1, 1.5, math.nan, 2**63 + 1, 2**64, [100], "100"],
        "sparsity": [0, -1, 1.5, [3]],
        "size": [0, 6, 7.5, [7], math.nan, math.inf],
        "alpha": [0, -1, math.nan, math.inf, [2.0]],
        "cap": [0, -1, math.nan, math.inf, [10.0]],
        "level": [-1, math.nan, math.inf, [2.0]],
        "neighbours": ["l2", None],
        "rng": [None, 0],
    } | dict.fromkeys(["epsilon", "epsilon1", "epsilon2"], [0, -1, math.nan, math.inf, [1.0], None])
    for name in MECHANISMS[mechanism].keys() | {"rng"}:
        for value in wrong[name]:
            with pytest.raises(ParameterError):
                call(mechanism, **{name: value})
    if mechanism is alp_projection:
        for value in wrong["neighbours"]:
            with pytest.raises(ParameterError, match="neighbours must be 'l1' or 'histogram'"):
                call(mechanism, neighbours=value)


def test_size_is_held_against_sparsity_and_bits_against_memory():
    check_sizes(3, 7, 10.0, 2.0, 1.0)
    with pytest.raises(ParameterError, match=r"size must be greater than 2 \* sparsity = 8, got 8"):
        check_sizes(4, 8, 10.0, 2.0, 1.0)
    with pytest.raises(ParameterError, match=r"2 \* sparsity = 200, got 100"):
        call(alp_projection, sparsity=np.int8(100), size=np.int8(100))
    check_sizes(3, 2**30 - 512, 8.0, 1.0, 1.0)
    with pytest.raises(ParameterError, match="at most 8,589,934,592 bits, got 8,589,934,600"):
        check_sizes(3, 2**30 - 511, 8.0, 1.0, 1.0)


def test_the_levels_of_threshold_alp_are_counted_with_both_epsilons():
    """They are epsilon2 ln(d/2) / (alpha epsilon1) many: 196, 2, and 19,561, too many."""

    def build(size, epsilon1, epsilon2):
        return call(
            threshold_alp_projection, size=size, alpha=0.2, epsilon1=epsilon1, epsilon2=epsilon2
        )

    assert len(build(7, 0.1, 1.0).bits) == math.ceil(math.log(50) / 0.02)
    build(2**19, 1.0, 0.1)
    with pytest.raises(ParameterError, match="levels times"):
        build(2**19, 1e-3, 1.0)


def test_threshold_alp_needs_a_level_above_zero():
    call(threshold_alp_projection, dimension=3)
    for dimension in (1, 2):
        with pytest.raises(ParameterError, match=r"dimension must be .* greater than 2.*, got"):
            call(threshold_alp_projection, [], [], dimension=dimension)


@EACH
@pytest.mark.filterwarnings("error")
def test_no_data_is_refused_or_warned_of(mechanism):
    """More entries than sparsity or size, values of any height, none at all: a word would leak."""
    for indices, values in (
        ([], []),
        (np.empty(0, dtype=np.int64), np.empty(0)),
        ([5], [0]),
        (np.arange(100), np.full(100, 5)),
        ([0, 99], [1e308, 5e-324]),
        ((1, 2), (True, 3)),
        (np.array([1], np.uint8), np.array([3], np.uint8)),
    ):
        call(mechanism, indices, values)
        call(mechanism, indices, values, alpha=1e-2) if "alpha" in MECHANISMS[mechanism] else None
    if mechanism is alp_projection:
        call(mechanism, [1], [1e308], epsilon=50.0)


def test_a_cap_too_small_to_multiply_still_has_a_level():
    release = call(alp_projection, cap=1e-50, epsilon=1e-50)
    assert release.bits.shape == (1, 1) and release.estimate([1, 5]).shape == (2,)


def test_numbers_of_any_kind_mean_what_they_say(tmp_path):
    """A cap of 0.3 in 32 bits is more than three levels of 0.1, as it is in the file."""
    kinds = [np.float32(0.3), Fraction(3, 10), Decimal("0.31"), 3, np.float16(0.3)]
    for cap in kinds:
        release = call(alp_projection, cap=cap, alpha=0.1)
        assert len(release.bits) == math.ceil(float(cap) / 0.1)
        assert [type(x) for x in (release.cap, release.alpha, release.epsilon)] == [float] * 3
        release.save(tmp_path / "release")
        assert AlpRelease.load(tmp_path / "release").cap == float(cap)
    for cap in (np.float16(6e4), Fraction(60_000), Decimal(60_000)):
        with pytest.raises(ParameterError, match="levels times .* cap = 6"):
            call(alp_projection, cap=cap, size=2**24)
    for kind in (Fraction, Decimal, np.float32):
        call(threshold_release, level=kind(2), epsilon=kind(1))
        with pytest.raises(ParameterError, match="level must keep"):
            call(threshold_release, dimension=2**60, level=kind(2), epsilon=kind(1))
        call(threshold_alp_projection, epsilon1=kind(1), epsilon2=kind(1), alpha=kind(2))


def test_the_same_generator_gives_the_same_release():
    for mechanism in (alp_projection, threshold_alp_projection):
        one, same, other = (
            call(mechanism, rng=np.random.default_rng(seed), size=1000) for seed in (1, 1, 2)
        )
        assert (one.bits == same.bits).all() and not (one.bits == other.bits).all()


def build_40_levels(rng):
    alp_projection([0], [3.0], dimension=9, sparsity=1, size=3, cap=40, alpha=1, epsilon=1, rng=rng)


@pytest.fixture
def screen(monkeypatch):
    """What the progress bar of a build writes."""
    written = io.StringIO()

    def bar(levels, **options):
        return tqdm(levels, **options, file=written, mininterval=0)

    monkeypatch.setattr(module, "tqdm", bar)
    return written


def watched(screen, seen, stop=math.inf):
    """A generator that notes at each level what the screen shows, and where somebody stops it."""

    class Watched(np.random.Generator):
        def random(self, *args, **kwargs):
            seen.append(screen.getvalue())
            if len(seen) > stop:
                raise KeyboardInterrupt
            return super().random(*args, **kwargs)

    return Watched(np.random.PCG64(0))


def test_a_long_build_shows_a_bar_after_two_seconds_and_not_before(screen, monkeypatch):
    clock(monkeypatch, 0.25)
    seen = []
    build_40_levels(watched(screen, seen))
    first = next(place for place, text in enumerate(seen) if text)
    assert 7 <= first <= 10  # two seconds in steps of a quarter, after the start and the rounding
    assert "/40 [" in seen[-1] and " levels/s]" in seen[-1]
    assert screen.getvalue().endswith(" \r")  # wiped at the end


def test_a_short_build_shows_no_bar(screen, monkeypatch):
    clock(monkeypatch, 0.0)
    build_40_levels(np.random.default_rng(0))
    assert not screen.getvalue()


def test_an_interrupt_of_a_build_leaves_no_bar_though_the_traceback_is_kept(screen, monkeypatch):
    clock(monkeypatch, 3)
    with pytest.raises(KeyboardInterrupt) as kept:
        build_40_levels(watched(screen, [], stop=20))
    assert kept.tb and "levels" in screen.getvalue()
    assert screen.getvalue().endswith(" \r") and not left_behind()
