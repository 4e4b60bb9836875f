"""Exact laws against enumerations in plain Python: of the estimate, and of all that is released."""

import collections
import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, ncx2

from course_lib.alp import (
    alp1_projection,
    alp_expected_error,
    alp_loss,
    alp_projection,
    alp_scale,
)
from course_lib.exact.alp import (
    alp_error_among,
    alp_error_bound,
    alp_exact_error,
    alp_largest_estimate,
    alp_law,
    code_errors,
    collision_probabilities,
    embedding_law,
    enumerated_loss,
    equation1_crossing,
    equation1_error,
    least_bound,
    nearest_level,
    three_scalings,
    walk_law,
)
from course_lib.exact.threshold_alp import threshold_alp_exact_error
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
    with pytest.raises(ParameterError, match="ones must be from 0 to 1, got 2"):
        walk_law([2, -1])


@pytest.mark.parametrize("cap, levels", [(40.5, "41"), (1999.5, "2000"), (1e50, "1e.50")])
@pytest.mark.parametrize(
    "law",
    [
        lambda cap: alp_law(1.0, cap=cap, alpha=1.0, epsilon=1.0),
        lambda cap: alp_exact_error(1.0, cap=cap, alpha=1.0, epsilon=1.0),
        lambda cap: threshold_alp_exact_error(  # of which the level is the cap
            1.0, dimension=6, alpha=1.0, epsilon1=math.log(3) / cap, epsilon2=1.0
        ),
    ],
)
def test_more_levels_are_refused_before_anything_is_laid_out_for_them(law, cap, levels):
    """The laws of 2,000 levels would be 4 million numbers for the patterns alone."""
    tracemalloc.start()
    with pytest.raises(ParameterError, match=f"cap must be at most 40 levels here, got {levels}: "):
        law(cap)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**6


@pytest.mark.parametrize("neighbours", ["l1", "histogram"])
@pytest.mark.parametrize("load", [0.0, 0.2, "falling"])
def test_the_estimate_has_the_law_of_all_roundings_and_patterns(neighbours, load):
    alpha, cap = 2.0, 9.0
    scale = {"l1": 1.5, "histogram": 2 + math.exp(1.5) / 3 - 1}[neighbours]
    levels, flip = math.ceil(cap * scale / alpha), 1 / 4
    values = np.array([0.0, 0.5, 3 * alpha / scale, 7.7, cap, 100.0, 1e50])
    loads = np.linspace(0.4, 0.1, levels) if load == "falling" else np.full(levels, load)
    load = loads if load == "falling" else load

    def of(law, values):
        return law(values, load=load, cap=cap, alpha=alpha, epsilon=1.5, neighbours=neighbours)

    estimates, laws = of(alp_law, values)
    errors = of(alp_exact_error, values)
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
    assert of(alp_exact_error, 0.5) == pytest.approx(errors[1])
    accepted = {"values": 1.0, "load": load, "cap": cap, "alpha": alpha, "epsilon": 1.5}
    accepted |= {"neighbours": neighbours}
    for wrong in ({"values": -0.1}, {"alpha": 0}, {"load": 0.5}, {"load": [0.1] * 3}, {"cap": 0}):
        with pytest.raises(ParameterError):
            alp_law(**accepted | wrong)


def test_errors_are_as_small_as_the_exact_law_says():
    """Within 4.9 standard errors, the load being at most k/s = 1/200."""
    rng = np.random.default_rng(2)
    for neighbours in ("l1", "histogram"):
        indices = rng.choice(10**15, size=500, replace=False)
        values = np.repeat([0.0, 10.0, 20.0, 33.0, 40.0], 100)
        release = alp_projection(
            indices, values, dimension=10**15, sparsity=500, size=100_000, cap=40, alpha=4,
            epsilon=1.0, neighbours=neighbours, rng=rng,
        )  # fmt: skip
        errors = np.abs(release.estimate(indices) - values).reshape(5, -1)
        spread = 4.9 * errors.std(axis=1, ddof=1) / 10
        exact = alp_exact_error(values[::100], cap=40, alpha=4, epsilon=1.0, neighbours=neighbours)
        assert (np.abs(errors.mean(axis=1) - exact) < spread + 0.1).all()


def test_without_a_word_on_load_nothing_collides():
    values = np.array([0.0, 4.0])
    for computed in (
        lambda **load: alp_law(values, cap=9.0, alpha=2.0, epsilon=1.5, **load)[1],
        lambda **load: alp_exact_error(values, cap=9.0, alpha=2.0, epsilon=1.5, **load),
        lambda **load: threshold_alp_exact_error(
            values, dimension=1000, alpha=2.0, epsilon1=1.0, epsilon2=1.0, **load
        ),
    ):
        assert np.array_equal(computed(), computed(load=0))


def enumerated_error(value, loads, alpha, scale):
    """The expected error from all patterns of the bits that a look-up reads, one after another."""
    levels, flip = len(loads), 1 / (alpha + 2)
    exact = min(value * scale / alpha, levels)
    total = 0
    for rounded, share in ((math.floor(exact), 1 - exact % 1), (math.ceil(exact), exact % 1)):
        set_before = [1.0 if b < rounded else load for b, load in enumerate(loads)]
        ones = [s * (1 - flip) + (1 - s) * flip for s in set_before]
        for bits in itertools.product((0, 1), repeat=levels):
            walk = [0, *itertools.accumulate(2 * bit - 1 for bit in bits)]
            highest = [n for n, f in enumerate(walk) if f == max(walk)]
            estimate = alpha * sum(highest) / len(highest) / scale
            chance = math.prod(p if bit else 1 - p for p, bit in zip(ones, bits, strict=True))
            total += share * chance * abs(estimate - value)
    return total


@pytest.mark.parametrize("size", [40, 10**9])
def test_the_expected_error_is_that_of_all_patterns_of_bits(size):
    entries = np.array([3.0] * 10 + [11.0] * 5 + [30.0] * 3)
    values = np.array([0.0, 1, 3, 6.25, 19, 26])
    reach = [[min(max(x * 0.8 / 2.5 - b, 0), 1) for x in entries] for b in range(7)]
    loads = [1 - math.prod(1 - chance / size for chance in each) for each in reach]
    assert loads[0] > loads[-1]
    met = collision_probabilities(entries, size=size, cap=20, alpha=2.5, epsilon=0.8)
    np.testing.assert_allclose(met, loads, rtol=1e-6)
    expected = [enumerated_error(x, loads, 2.5, 0.8) for x in values.tolist()]
    found = alp_error_among(values, entries, size=size, cap=20, alpha=2.5, epsilon=0.8)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def own_simulation(values, look, *, size, levels, alpha, scale, runs, rng):
    """ALP from scratch, hash values wholly random: the mean estimates of the values in `look`."""
    flip, entries = 1 / (alpha + 2), np.append(values, look)
    sums = np.zeros(len(look))
    for _ in range(runs):
        exact = np.minimum(entries * scale / alpha, levels)
        rounded = np.floor(exact + rng.random(len(exact)))
        walks = np.zeros((len(look), levels + 1), int)
        for b in range(levels):
            places = rng.integers(size, size=len(entries))
            table = np.zeros(size, bool)
            table[places[rounded > b]] = True
            table ^= rng.random(size) < flip
            walks[:, b + 1] = walks[:, b] + 2 * table[places[-len(look) :]] - 1
        top = walks == walks.max(axis=1, keepdims=True)
        averages = (top * np.arange(levels + 1)).sum(axis=1) / top.sum(axis=1)
        sums += np.abs(averages * alpha / scale - look)
    return sums / runs


def test_chances_of_collision_are_those_of_a_simulation():
    """100 runs of 300 look-ups of each value: an error of 7% would be seen 19 times in 20."""
    entries, look = np.repeat([5.0, 15.0, 40.0], 300), np.repeat([0.0, 12.0], 300)
    size, rng = 3 * 1500, np.random.default_rng(1)
    means = own_simulation(
        entries, look, size=size, levels=8, alpha=3.0, scale=1.0, runs=100, rng=rng
    ).reshape(2, 300)
    everyone = np.append(entries, look)
    expected = alp_error_among([0.0, 12.0], everyone, size=size, cap=24, alpha=3.0, epsilon=1.0)
    errors = means.std(axis=1, ddof=1) / np.sqrt(300)
    assert np.all(abs(means.mean(axis=1) - expected) < 3.3 * errors)
    assert np.all(3.3 * errors < 0.045 * expected)
    no_collision = alp_exact_error([0.0, 12.0], cap=24, alpha=3.0, epsilon=1.0)
    assert np.all(expected > 1.07 * no_collision)  # so that leaving collisions out would be seen


def probability(bits, exact, alpha):
    """Of these bits of one entry that no other entry meets, when its value is `exact` levels."""
    flip = 1 / (alpha + 2)

    def of_code(code):
        return math.prod(flip if bit != (b < code) else 1 - flip for b, bit in enumerate(bits))

    below = math.floor(exact)
    return (1 - (exact - below)) * of_code(below) + (exact - below) * of_code(below + 1)


def loss_by_hand(entries, alpha, scale):
    """The largest log-ratio over all outputs: a change of 1, from 0, in equal parts."""
    exact = scale / entries / alpha
    patterns = list(itertools.product((0, 1), repeat=math.ceil(exact)))
    one = [(probability(bits, 0, alpha), probability(bits, exact, alpha)) for bits in patterns]
    return max(
        abs(math.log(math.prod(q for _, q in output) / math.prod(p for p, _ in output)))
        for output in itertools.product(one, repeat=entries)
    )


@pytest.mark.parametrize(
    ("entries", "alpha", "epsilon"),
    [(1, 3.0, 1.0), (1, 0.5, 4.0), (1, 0.5, 6.0), (2, 0.7, 2.5), (4, 8.0, 3.0), (4, 0.5, 4.5)],
)
def test_the_enumerated_loss_is_that_of_all_outputs(entries, alpha, epsilon):
    found = enumerated_loss(entries=entries, alpha=alpha, epsilon=epsilon)
    assert found == pytest.approx(loss_by_hand(entries, alpha, epsilon), rel=1e-9)


def test_no_more_than_12_bits_of_4_entries_are_enumerated():
    for entries, epsilon in ((1, 6.1), (3, 6.1), (4, 6.1), (5, 0.5)):
        assert math.isnan(enumerated_loss(entries=entries, alpha=0.5, epsilon=epsilon))
    for entries, epsilon in ((1, 6.0), (3, 6.0), (4, 6.0)):  # 12 bits
        assert enumerated_loss(entries=entries, alpha=0.5, epsilon=epsilon) > 0


def test_errors_among_others_for_each_size_and_value():
    """A row for each size; a single size, and a single value, have no axis."""
    others, values = [8.0, 3.0, 3.0], [[0.0, 5.0], [9.0, 20.0]]

    def error(values, others, size):
        return alp_error_among(values, others, size=size, cap=9, alpha=2.0, epsilon=1.5)

    found = error(values, others, [1, 4, 50])
    assert found.shape == (3, 2, 2)
    for row, size in zip(found, (1, 4, 50), strict=True):
        assert np.allclose(error(values, others, size), row, rtol=1e-12)
    for size in (4, 50):
        loads = [
            1 - math.prod(1 - min(max(x * 0.75 - b, 0), 1) / size for x in others) for b in range(7)
        ]
        one = error(5.0, others, size)
        assert np.ndim(one) == 0
        assert one == pytest.approx(enumerated_error(5.0, loads, 2.0, 1.5), rel=1e-9)
    only = collision_probabilities([8.0], size=1, cap=9, alpha=2.0, epsilon=1.5)
    assert only.tolist() == [1] * 6 + [0]  # 6 levels of 7, and all meet at the only place
    alone = alp_exact_error(values, cap=9, alpha=2.0, epsilon=1.5)
    assert np.allclose(error(values, [], 4), alone, rtol=1e-12)
    with pytest.raises(ParameterError, match="others must be 0 or greater"):
        error(1.0, [3.0, -1.0], 4)
    with pytest.raises(ParameterError, match="cap must be at most 40 levels here, got 41"):
        collision_probabilities([1.0], size=4, cap=41, alpha=1.0, epsilon=1.0)


@pytest.mark.parametrize("neighbours", ["l1", "histogram"])
def test_the_largest_estimate_is_the_last_that_the_law_has(neighbours):
    estimates, _ = alp_law(3.0, cap=11.0, alpha=2.5, epsilon=0.8, neighbours=neighbours)
    largest = alp_largest_estimate(cap=11.0, alpha=2.5, epsilon=0.8, neighbours=neighbours)
    assert largest == pytest.approx(estimates.max(), rel=1e-12)
    assert 11 <= largest < 11 + 2.5 / 0.8


def test_the_bound_of_an_entry_of_any_size():
    """(α/ε)(½ + 4g(1-g)/(1-2g)²) up to the cap, more beyond, half of the walk's part at 0."""
    alpha, epsilon, cap, load = 3.0, 1.0, 20.0, 0.25
    g = 1 / 5 + load * 3 / 5
    walk = 4 * g * (1 - g) / (1 - 2 * g) ** 2
    for neighbours, unit in (("l1", 3.0), ("histogram", 3 / (math.e - 1))):
        found = alp_error_bound(
            [0, 1, 20, 27], load=load, cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours
        )
        middle = unit * (0.5 + walk)
        assert found == pytest.approx([unit * walk / 2, middle, middle, middle + 7])
    plain = alp_error_bound([1.0], cap=cap, alpha=alpha, epsilon=epsilon)
    assert plain == pytest.approx([(1.5 + 4 + 4 / 3)])


@pytest.mark.parametrize("alpha", [0.5, 3.0, 8.0])
def test_equation_1_as_the_paper_has_it_and_where_it_is_less_without_scaling(alpha):
    assert equation1_error(alpha=alpha, epsilon=0.5) == pytest.approx(
        (alpha / 2 + 8 + 8 / alpha) / 0.5
    )
    assert equation1_error(zero=True, alpha=alpha, epsilon=0.5) == pytest.approx(
        (8 + 8 / alpha) / 0.5
    )
    meet = equation1_crossing(alpha=alpha)
    without = (8 * meet + 8) / meet**2  # p = 1/(ε + 2), and nothing is rounded
    assert without == pytest.approx(equation1_error(alpha=alpha, epsilon=meet))
    for epsilon, less in ((0.99 * meet, False), (1.01 * meet, True)):
        promise = equation1_error(alpha=alpha, epsilon=epsilon)
        assert ((8 * epsilon + 8) / epsilon**2 < promise) == less
    assert alpha != 3 or meet == pytest.approx(1.92)


@pytest.mark.parametrize(("alpha", "epsilon"), [(3.0, 0.3), (0.5, 2.0), (8.0, 2.0)])
def test_three_ways_to_scale_cost_no_more_than_epsilon(alpha, epsilon):
    """Not to scale makes a step of 1 a level; e^ε - 1 costs one entry all of ε."""
    plain, scaled, wide = three_scalings(alpha=alpha, epsilon=epsilon)
    assert plain == (epsilon, epsilon) and scaled == (epsilon, alpha)
    assert wide[0] == pytest.approx(math.exp(epsilon) - 1) and wide[1] >= max(alpha, wide[0])
    assert alp_loss(alpha=wide[1], epsilon=wide[0]) == pytest.approx(epsilon)
    wider = three_scalings(alpha=alpha, epsilon=np.array([epsilon, 3.0]))[2]
    assert wider[0].shape == wider[1].shape == (2,)


@pytest.mark.parametrize(("load", "best"), [(0.0, 2 * math.sqrt(2)), (1 / 30, 2.662), (0.2, 2.209)])
def test_the_least_bound_is_found_between_the_points_of_the_axis(load, best):
    axis = np.geomspace(0.3, 30, 161)
    alpha, least = least_bound(lambda a: alp_expected_error(load=load, alpha=a, epsilon=1.0), axis)
    assert alpha == pytest.approx(2 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2), rel=2e-4)
    assert alpha == pytest.approx(best, rel=5e-4)
    assert least == alp_expected_error(load=load, alpha=alpha, epsilon=1.0)
    assert least <= alp_expected_error(load=load, alpha=axis, epsilon=1.0).min()


def test_the_least_bound_stays_on_the_axis():
    axis = np.array([1.0, 2.0, 3.0])
    assert least_bound(lambda a: 1 / a, axis) == (3.0, 1 / 3)
    assert least_bound(lambda a: a, axis) == (1.0, 1.0)
    near = least_bound(lambda a: np.abs(a - 2.0599), axis)[0]
    assert near == pytest.approx(2.0599, rel=1e-4)
    assert least_bound(lambda a: np.abs(a - 2.2), axis)[0] == pytest.approx(2.06)
    assert least_bound(lambda a: np.abs(a - 1.8), axis)[0] == pytest.approx(1.94)


def test_estimates_are_counted_at_the_nearest_level():
    found = nearest_level([0.0, 1.2, 1.25, 3.7, 3.8, 6.25], alpha=2.0, epsilon=0.8)
    assert found.tolist() == [0, 0, 1, 1, 2, 3]
    halves = [1.5 - 1e-12, 1.5 - 1e-6]  # the first is half a level, but for rounding
    assert nearest_level(halves, alpha=1.0, epsilon=1.0).tolist() == [2, 1]


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


@pytest.mark.parametrize("value", [0, 1, 20, 31])
def test_errors_of_two_codes_under_flips(value):
    """Binary over all patterns of digits; the row by the law of alp, where 1/(α + 2) is flipped."""
    flips = np.array([0.05, 0.2, 0.4])
    row, binary = code_errors([0.0, *flips, 0.5], value=value)
    assert row[0] == binary[0] == 0
    for i, p in enumerate(flips, 1):
        alpha = 1 / p - 2
        exact = alp_exact_error(value * alpha, cap=31 * alpha, alpha=alpha, epsilon=1.0) / alpha
        assert row[i] == pytest.approx(exact)
        by_hand = 0
        for pattern in itertools.product((0, 1), repeat=5):
            read = int(
                "".join(str(int(x) ^ y) for x, y in zip(f"{value:05b}", pattern, strict=True)), 2
            )
            by_hand += p ** sum(pattern) * (1 - p) ** (5 - sum(pattern)) * abs(read - value)
        assert binary[i] == pytest.approx(by_hand)
    assert binary[-1] == pytest.approx(np.abs(np.arange(32) - value).mean())


def test_a_code_has_whole_numbers_below_32():
    for wrong in (-1, 32, 2.5):
        with pytest.raises(ParameterError, match="value must be a whole number from 0 to 31"):
            code_errors([0.1], value=wrong)
