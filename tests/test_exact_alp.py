"""Exact laws against enumerations in plain Python: of the estimate, and of all that is released."""

import collections
import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, laplace, ncx2

from course_lib.alp import (
    alp1_projection,
    alp_loss,
    alp_projection,
    alp_scale,
    threshold_level,
)
from course_lib.exact.alp import (
    alp_exact_error,
    alp_law,
    embedding_law,
    threshold_alp_exact_error,
    walk_law,
)
from course_lib.support.contracts import ParameterError


def average_maximiser(pattern):
    f = [0, *itertools.accumulate(1 if bit else -1 for bit in pattern)]
    maximisers = [n for n, value in enumerate(f) if value == max(f)]
    return sum(maximisers) / len(maximisers)


def plain_walk_law(ones):
    law = collections.Counter()
    for pattern in itertools.product((0, 1), repeat=len(ones)):
        chances = (one if bit else 1 - one for one, bit in zip(ones, pattern, strict=True))
        law[average_maximiser(pattern)] += math.prod(chances)
    return law


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
@settings(max_examples=30)
def test_the_walk_has_the_law_of_all_patterns(ones):
    averages, law = walk_law(ones)
    plain = plain_walk_law(ones)
    assert averages == pytest.approx(sorted(plain))
    assert law == pytest.approx([plain[x] for x in sorted(plain)], abs=1e-12)


def test_the_walk_of_twelve_bits_and_of_many_at_once():
    ones = np.random.default_rng(0).random((2, 2, 12))
    averages, law = walk_law(ones)
    assert law.shape == (2, 2, len(averages)) and (np.diff(averages) > 0).all()
    plain = plain_walk_law(ones[1, 0])
    assert averages == pytest.approx(sorted(plain))
    assert law[1, 0] == pytest.approx([plain[x] for x in averages], rel=1e-9)


def test_forty_levels_are_the_most():
    averages, law = walk_law(np.full(40, 0.5))
    assert law.sum() == pytest.approx(1) and averages[[0, -1]].tolist() == [0, 40]
    estimates, law = alp_law(1.0, cap=40.0, alpha=1.0, epsilon=1.0)
    assert law.sum() == pytest.approx(1) and estimates[[0, -1]].tolist() == [0, 40]
    with pytest.raises(ParameterError, match="1 to 40 levels, got 41"):
        walk_law(np.full(41, 0.5))
    for nothing in (0.5, []):
        with pytest.raises(ParameterError, match="ones must"):
            walk_law(nothing)
    with pytest.raises(ParameterError, match="ones must be chances from 0 to 1, got 2"):
        walk_law([2, -1])


@pytest.mark.parametrize("cap, levels", [(40.5, "41"), (1999.5, "2000"), (1e50, "1e.50")])
@pytest.mark.parametrize(
    "law",
    [
        lambda cap, **at: alp_law(1.0, cap=cap, **at),
        lambda cap, **at: alp_exact_error(1.0, cap=cap, **at),
        lambda cap, alpha, epsilon: threshold_alp_exact_error(  # of which the level is the cap
            1.0, dimension=6, alpha=alpha, epsilon1=math.log(3) / cap, epsilon2=epsilon
        ),
    ],
)
def test_more_levels_are_refused_before_anything_is_laid_out_for_them(law, cap, levels):
    """The laws of 2,000 levels would be 4 million numbers for the patterns alone."""
    tracemalloc.start()
    with pytest.raises(ParameterError, match=f"cap must be at most 40 levels here, got {levels}: "):
        law(cap, alpha=1.0, epsilon=1.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**6


@pytest.mark.parametrize("neighbours", ["l1", "histogram"])
@pytest.mark.parametrize("load", [0.0, 0.2, "falling"])
def test_the_estimate_has_the_law_of_all_roundings_and_patterns(neighbours, load):
    alpha, epsilon, cap = 2.0, 1.5, 9.0
    scale = {"l1": 1.5, "histogram": 2 + math.exp(1.5) / 3 - 1}[neighbours]
    levels, flip = math.ceil(cap * scale / alpha), 1 / 4
    values = np.array([0.0, 0.5, 3 * alpha / scale, 7.7, cap, 100.0])
    loads = np.linspace(0.4, 0.1, levels) if load == "falling" else np.full(levels, load)
    at = {"cap": cap, "alpha": alpha, "epsilon": epsilon, "neighbours": neighbours}
    at["load"] = loads if load == "falling" else load
    estimates, laws = alp_law(values, **at)
    errors = alp_exact_error(values, **at)
    for value, law, error in zip(values, laws, errors, strict=True):
        y = min(value * scale / alpha, levels)
        below = math.floor(y + 1e-12)
        plain = collections.Counter()
        for rounded, share in ((below, 1 - (y - below)), (below + 1, y - below)):
            missed = flip * (1 - loads) + (1 - flip) * loads  # set by another entry, perhaps
            ones = [1 - flip] * min(rounded, levels) + missed[rounded:].tolist()
            for estimate, chance in plain_walk_law(ones).items():
                plain[estimate * alpha / scale] += share * chance
        assert estimates == pytest.approx(sorted(plain))
        assert law == pytest.approx([plain[x] for x in sorted(plain)], abs=1e-9)
        wanted = sum(chance * abs(x - value) for x, chance in plain.items())
        assert error == pytest.approx(wanted, rel=1e-8)
    assert alp_exact_error(0.5, **at) == pytest.approx(errors[1])
    for wrong in ({"values": -0.1}, {"alpha": 0}, {"load": 0.5}, {"load": [0.1] * 3}, {"cap": 0}):
        with pytest.raises(ParameterError):
            alp_law(**{"values": 1.0} | at | wrong)


@pytest.mark.parametrize("value", [0.0, 5.0, 30.0])
def test_threshold_alp_errs_as_its_two_parts_do(value):
    """The noise, integrated numerically, where it lifts the value to the level; else ALP."""
    dimension, alpha, epsilon1, epsilon2 = 10**6, 3.0, 0.5, 0.7
    level = math.log(dimension / 2) / epsilon1
    noise = np.linspace(level - value, level - value + 100, 200_001)
    density = laplace.pdf(noise, scale=1 / epsilon1)
    kept = np.trapezoid(np.abs(noise) * density, noise)
    lost = laplace.cdf(level - value, scale=1 / epsilon1)
    embedded = alp_exact_error(value, load=0.1, cap=level, alpha=alpha, epsilon=epsilon2)
    found = threshold_alp_exact_error(
        value, dimension=dimension, load=0.1, alpha=alpha, epsilon1=epsilon1, epsilon2=epsilon2
    )
    assert found == pytest.approx(kept + lost * embedded, rel=1e-6)
    assert threshold_level(dimension=dimension, epsilon=epsilon1) == pytest.approx(level)


def test_errors_are_as_small_as_the_exact_law_says():
    """Within 4.9 standard errors, the load being at most k/s = 1/200."""
    rng, at = np.random.default_rng(2), {"cap": 40, "alpha": 4, "epsilon": 1.0}
    for neighbours in ("l1", "histogram"):
        indices = rng.choice(10**15, size=500, replace=False)
        values = np.repeat([0.0, 10.0, 20.0, 33.0, 40.0], 100)
        release = alp_projection(
            indices, values, dimension=10**15, sparsity=500, size=100_000, rng=rng,
            neighbours=neighbours, **at,
        )  # fmt: skip
        errors = np.abs(release.estimate(indices) - values).reshape(5, -1)
        spread = 4.9 * errors.std(axis=1, ddof=1) / 10
        exact = alp_exact_error(values[::100], neighbours=neighbours, **at)
        assert (np.abs(errors.mean(axis=1) - exact) < spread + 0.1).all()


def test_without_a_word_on_load_nothing_collides():
    at, values = {"cap": 9.0, "alpha": 2.0, "epsilon": 1.5}, np.array([0.0, 4.0])
    assert np.array_equal(alp_law(values, **at)[1], alp_law(values, load=0, **at)[1])
    assert np.array_equal(alp_exact_error(values, **at), alp_exact_error(values, load=0, **at))
    at = {"dimension": 1000, "alpha": 2.0, "epsilon1": 1.0, "epsilon2": 1.0}
    found = threshold_alp_exact_error(values, **at)
    assert np.array_equal(found, threshold_alp_exact_error(values, load=0, **at))


INDICES = [0, 1, 2, 4]  # 2i + 1 is 1, 11, 101, 1001: each has a digit of its own


def hashes_to(places, size):
    """Functions that give each index of INDICES, at each level, the place wanted."""
    places = np.asarray(places)
    hashes = np.zeros((64, places.shape[1]), dtype=np.int64)
    hashes[7] = places[0]
    for row, place in zip((6, 5, 4), places[1:], strict=False):
        hashes[row] = (place - places[0]) % size
    return hashes


def output_law(values, places, size, alpha):
    """Of each output the probability: a sum over the roundings, each cell flipped or not."""
    levels = len(places[0])
    flip = 1 / (alpha + 2)
    exact = [min(value / alpha, levels) for value in values]
    outputs = list(itertools.product((0, 1), repeat=levels * size))
    law = [0.0] * len(outputs)
    for ups in itertools.product((0, 1), repeat=len(values)):
        share, cells = 1.0, [0] * (levels * size)
        for y, up, place in zip(exact, ups, places, strict=True):
            below = math.floor(y)
            share *= y - below if up else 1 - (y - below)
            for b in range(min(below + up, levels)):
                cells[b * size + place[b]] = 1
        if share:
            for number, output in enumerate(outputs):
                flips = sum(bit != cell for bit, cell in zip(output, cells, strict=True))
                law[number] += share * flip**flips * (1 - flip) ** (len(cells) - flips)
    return np.array(law)


def loss(values, others, places, size, alpha):
    laws = [output_law(each, places, size, alpha) for each in (values, others)]
    return np.abs(np.log(laws[0] / laws[1])).max()


@st.composite
def embeddings(draw):
    """Values, places, size and alpha such that all outputs can be visited."""
    number = draw(st.integers(1, 3))
    size, levels = draw(st.sampled_from([(1, 4), (2, 1), (2, 2), (3, 1), (3, 2)]))
    place = st.lists(st.integers(0, size - 1), min_size=levels, max_size=levels)
    places = draw(st.lists(place, min_size=number, max_size=number))
    alpha = draw(st.sampled_from([0.3, 1.0, 2.0, 4.0]))
    values = draw(st.lists(st.floats(0, 1.2 * levels * alpha), min_size=number, max_size=number))
    return np.array(values), places, size, alpha


@given(embeddings())
@settings(max_examples=30)
def test_embeddings_have_the_law_of_all_roundings_and_flips(embedding):
    values, places, size, alpha = embedding
    found = embedding_law(
        INDICES[: len(values)], values, hashes_to(places, size), size=size, alpha=alpha
    )
    assert found == pytest.approx(output_law(*embedding), rel=1e-9)
    assert found.sum() == pytest.approx(1)


def test_the_mechanism_draws_from_that_law():
    """At level 1e-6, two entries that meet at one of two levels.

    Flips with probability 1/(alpha + 1) would be seen but for one chance in 1e4.
    """
    rng, runs, size, alpha = np.random.default_rng(0), 4000, 2, 3.0
    values, places = np.array([2.0, 4.0]), [[0, 1], [0, 0]]
    hashes, found = hashes_to(places, size), np.zeros(16)
    for _ in range(runs):
        bits = alp1_projection(
            np.array(INDICES[:2]), values, hashes, size=size, alpha=alpha, rng=rng
        )
        low, high = (bits & 1).ravel(), (bits >> 1).ravel()
        found[8 * low[0] + 4 * high[0] + 2 * low[1] + high[1]] += 1
    law = output_law(values, places, size, alpha)
    border = chi2.isf(1e-6, 15)
    assert np.sum((found - runs * law) ** 2 / (runs * law)) < border
    wrong = output_law(values * (alpha - 1) / alpha, places, size, alpha - 1)
    assert ncx2.cdf(border, 15, runs * np.sum((wrong - law) ** 2 / law)) < 1e-4


def test_embeddings_of_more_than_twenty_bits_are_not_enumerated():
    law = embedding_law([], [], np.zeros((64, 4), np.uint8), size=5, alpha=1.0)
    assert len(law) == 2**20 and law[0] == pytest.approx((2 / 3) ** 20)
    with pytest.raises(ParameterError, match="at most 20 bits, got 21"):
        embedding_law([], [], np.zeros((64, 3), np.uint8), size=7, alpha=1.0)


@given(embeddings(), st.data(), st.floats(0.05, 3))
@settings(max_examples=100)
def test_neighbours_never_cost_more_than_epsilon(embedding, data, epsilon):
    """A change of 1 in all, up here and down there; entries are scaled by epsilon."""
    values, places, size, alpha = embedding
    parts = data.draw(
        st.lists(st.floats(-1, 1), min_size=len(values), max_size=len(values)).filter(any)
    )
    others = values + epsilon * np.array(parts) / np.abs(parts).sum()
    assume(others.min() >= 0)
    assert loss(values, others, places, size, alpha) <= epsilon + 1e-9


@given(embeddings(), st.sampled_from([1, -1]), st.floats(0.05, 3), st.sampled_from([0, 1, 2]))
@settings(max_examples=100)
def test_one_entry_never_costs_more_than_the_closed_form(embedding, sign, epsilon, which):
    """With scaled changes of epsilon, and of the scale for histograms: then at most epsilon."""
    values, places, size, alpha = embedding
    which %= len(values)
    wide = alp_scale(alpha=alpha, epsilon=epsilon, neighbours="histogram")
    for change, most in ((epsilon, alp_loss(alpha=alpha, epsilon=epsilon)), (wide, epsilon)):
        others = values.copy()
        others[which] += sign * change
        if others.min() >= 0:
            assert loss(values, others, places, size, alpha) <= most + 1e-9
    assert wide >= epsilon >= alp_loss(alpha=alpha, epsilon=epsilon)


@pytest.mark.parametrize("start", [0, 1, 2])
@pytest.mark.parametrize(("alpha", "epsilon"), [(4, 1), (1, 1), (1, 1.5), (0.5, 1.3), (3, 2)])
def test_the_closed_form_is_reached_from_a_multiple_of_alpha(start, alpha, epsilon):
    """With as many levels as the value has after the change, and no collision."""
    for neighbours, wanted in (
        ("l1", math.log((1 + alpha) ** (epsilon // alpha) * (1 + epsilon % alpha))),
        ("histogram", epsilon),
    ):
        change = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
        levels = start + math.ceil(change / alpha - 1e-9)
        found = loss([start * alpha], [start * alpha + change], [[0] * levels], 1, alpha)
        assert found == pytest.approx(wanted)
        if neighbours == "l1":
            assert alp_loss(alpha=alpha, epsilon=epsilon) == pytest.approx(wanted)


def test_spread_over_many_entries_a_change_costs_all_of_epsilon():
    alpha, epsilon = 2.0, 1.0
    for entries in (1, 2, 3, 4, 5):
        places = [[i] for i in range(entries)]
        found = loss([0.0] * entries, [epsilon / entries] * entries, places, entries, alpha)
        assert found == pytest.approx(entries * math.log1p(epsilon / entries))
        assert found == pytest.approx(alp_loss(entries=entries, alpha=alpha, epsilon=epsilon))
    losses = alp_loss(entries=10 ** np.arange(7), alpha=alpha, epsilon=epsilon)
    assert (np.diff(losses) > 0).all() and losses[-1] == pytest.approx(epsilon, abs=1e-6)
    wide = alp_loss(entries=2, alpha=0.5, epsilon=3.0)
    assert wide == pytest.approx(2 * 3 * math.log(1.5))


def test_replacing_a_person_costs_more():
    """At epsilon = 1, alpha = 3: one entry of a histogram up by 1, another down by 1."""
    scale = alp_scale(alpha=3, epsilon=1.0, neighbours="histogram")
    assert scale == pytest.approx(math.e - 1)
    found = loss([scale, 0.0], [0.0, scale], [[0], [1]], 2, 3)
    assert found == pytest.approx(1 - math.log(1 - scale / 4))
    assert found == pytest.approx(1.56, abs=0.005)
