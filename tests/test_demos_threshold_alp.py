"""What the pictures of notebook 09 show, by quadrature and in plain Python."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from course_lib.alp import alp_projection
from course_lib.demos import threshold_alp as demos
from course_lib.demos.picture import layer
from course_lib.exact.alp import alp_error_among
from course_lib.exact.threshold_alp import threshold_alp_exact_error, threshold_largest_error
from course_lib.lab.data import load_survey
from course_lib.lab.profiles import CODES, profile_sample, survey_profiles
from course_lib.lab.threshold_alp import errors_of_three, largest_errors
from course_lib.support.contracts import ParameterError
from course_lib.threshold_alp import threshold_alp_projection, threshold_release
from tests.pictures import check_captions, curve, near, scene, shown_at

ENTRIES = np.repeat(np.arange(5.0, 56, 5), 120)


def noise_parts(value, level, rate):
    """By quadrature: that noise does not lift the value to the level, and E|noise| if it does."""

    def density(v):
        return rate / 2 * math.exp(-rate * abs(v))

    gap, far = level - value, 300 / rate
    kept = quad(lambda v: abs(v) * density(v), gap, far, points=[0], limit=200)[0]
    return quad(density, -far, gap, points=[0], limit=200)[0], kept


def test_the_file_grows_by_what_is_kept_and_by_levels():
    for codes, columns in ((1, 4), (4, 80), (6, 2_936_000), (7, 29_360_000_000)):
        shown = demos.small_file(questions=codes)
        told = shown["numbers"]
        assert told["columns"] == columns == math.prod(c.size for c in [*CODES.values()][:codes])
        asked, dense = curve(shown, "a number for each column")
        assert asked.tolist() == list(range(1, codes + 1))
        assert dense[-1] == told["a number for each, bytes"] == 8 * columns
        files = curve(shown, "the file")[1]
        assert files[-1] == told["file, bytes"] and np.all(files < 1e5)
        # each level has a bit for each of 40,000 places, and 64 numbers of two bytes
        levels = math.ceil(2 * math.log(columns / 2) / 2 / 3)
        kept = (files[-1] - levels * (5000 + 128)) / 16
        indices, counts, *_ = vector(codes)
        assert kept.is_integer() and told["columns that have a row"] == len(indices)
        assert abs(kept - np.sum(counts > 2 * math.log(columns / 2))) < 40
        _, (_, truth), _ = profile_sample(codes)
        estimates = curve(shown, "looked up")[1]
        assert told["mean error of those looked up"] == np.abs(estimates - truth).mean()


def test_the_small_file_is_told():
    def true(n, p, columns, dense, size):
        assert int(columns.replace(",", "")) == n["columns"]
        return size_told(dense, 8 * n["columns"]) and size_told(size, n["file, bytes"])

    ends = r" (.*) columns: a number for each takes (.*), the file (.*)\."
    check_captions(
        demos.small_file,
        {
            "One question gives" + ends: lambda n, p, *said: (
                p["questions"] == 1 and true(n, p, *said)
            ),
            "(.) questions give" + ends: lambda n, p, asked, *said: (
                p["questions"] == int(asked) and true(n, p, *said)
            ),
        },
    )


def test_curves_are_the_laws_of_four_releases():
    shown = demos.error_per_entry(epsilon=0.7, alpha=4.0, cap=20, ratio=4)
    size, level = 4 * len(ENTRIES), math.log(10**6 / 2) / 0.7
    np.testing.assert_allclose(curve(shown, "Laplace, d numbers")[1], 1 / 0.7)
    grid = curve(shown, "ALP")[0]
    alone = alp_error_among(grid, ENTRIES, size=size, cap=20, alpha=4.0, epsilon=0.7)
    np.testing.assert_allclose(curve(shown, "ALP")[1], alone)
    for i in (0, 15, 38, 60, 110):
        x = grid[i]
        lost, kept = noise_parts(x, level, 0.7)
        assert curve(shown, "Threshold")[1][i] == pytest.approx(x * lost + kept, rel=1e-6, abs=1e-8)
        lost, kept = noise_parts(x, 2 * level, 0.35)
        alp = alp_error_among(x, ENTRIES, size=size, cap=2 * level, alpha=4.0, epsilon=0.35)
        assert curve(shown, "Threshold-ALP")[1][i] == pytest.approx(kept + lost * alp, rel=1e-6)
    assert shown["numbers"]["level of Threshold"] == pytest.approx(level)
    assert shown["numbers"]["level of Threshold-ALP"] == pytest.approx(2 * level)


def test_collisions_lie_between_none_and_the_load():
    grid, between = curve(demos.error_per_entry(ratio=30), "Threshold-ALP")
    free, full = (
        threshold_alp_exact_error(
            grid, dimension=10**6, load=load, alpha=3.0, epsilon1=0.5, epsilon2=0.5
        )
        for load in (0, 1 / 30)
    )
    assert np.all(between[:30] > free[:30]) and np.all(between[:30] < full[:30])


@pytest.mark.parametrize(
    "more", [{}, {"ratio": 3}, {"cap": 10, "epsilon": 0.3}, {"alpha": 10.0, "dimension": 10**12}]
)
def test_bounds_lie_above_and_follow_their_formulas(more):
    shown, now = demos.error_per_entry(**more), demos.error_per_entry.demo.start | more
    certain = (1 - 2 / now["ratio"]) * now["alpha"] / (now["alpha"] + 2)
    embedded = now["alpha"] / now["epsilon"] * (1 / certain**2 - 0.5)
    x, bound = curve(shown, "bound, ALP’s")
    np.testing.assert_allclose(bound, embedded + np.maximum(0, x - now["cap"]))
    both = curve(shown, "bound, Threshold-ALP’s")[1]
    level = 2 * math.log(now["dimension"] / 2) / now["epsilon"]
    for i in (0, 40, 100):
        lost, kept = noise_parts(x[i], level, now["epsilon"] / 2)
        promised = (max(0, x[i] - level) + 2 * embedded) * lost + kept
        assert both[i] == pytest.approx(promised, rel=1e-6)
    assert np.all(curve(shown, "ALP")[1] <= bound)
    assert np.all(curve(shown, "Threshold-ALP")[1] <= both + 1e-9)
    assert shown["numbers"]["ALP, promised at most"] == pytest.approx(embedded)
    assert shown["numbers"]["Threshold-ALP, promised at most"] == max(both)
    words, names = layer(shown, "whose bound"), ["ALP’s", "Threshold-ALP’s"]
    inside = [name for name, y in zip(names, (bound, both), strict=True) if y[0] < 85]
    assert words["words"] == inside
    assert words["y"] == [curve(shown, f"bound, {name}")[1][0] for name in inside]
    assert layer(shown, "end of ALP")["at"] == layer(shown, "at the cap")["x"][0] == now["cap"]


def test_measured_means_agree_with_the_curves():
    """Of 288 intervals that hold 19 times in 20, fewer than 254 do with probability 10^-6."""
    held = 0
    for seed, ratio in itertools.product(range(4), (3, 10, 30)):
        shown = demos.error_per_entry(ratio=ratio, dimension=10**7, seed=seed)
        count = 0
        for name in ("ALP", "Threshold-ALP"):
            exact, dots = curve(shown, name)[1][::10], layer(shown, f"measured, {name}")
            for low, y, high in zip(dots["low"], exact, dots["high"], strict=True):
                count += low <= y <= high
        assert shown["numbers"]["intervals of the ALPs that hold, of 24"] == count
        held += count
    assert 254 <= held <= 286


@pytest.mark.parametrize("dimension", [10**4, 10**9])
def test_dots_are_the_means_of_the_releases(dimension):
    found = errors_of_three(
        np.arange(0, 60, 5), repeats=120, dimension=dimension, size=13_200, cap=30, alpha=3.0,
        epsilon=1.0, seed=4,
    )  # fmt: skip
    shown = demos.error_per_entry(cap=30, dimension=dimension, seed=4)
    for name, errors in zip(("Threshold", "ALP", "Threshold-ALP"), found, strict=True):
        x, y = curve(shown, f"measured, {name}")
        mean, dots = errors.mean(axis=1), layer(shown, f"measured, {name}")
        assert x.tolist() == list(range(0, 60, 5))
        np.testing.assert_allclose(y, np.where(mean > 0, mean, np.nan))
        width = 2 * 1.96 * errors.std(axis=1, ddof=1) / math.sqrt(120)
        np.testing.assert_allclose(np.subtract(dots["high"], dots["low"]), width, atol=1e-12)
        assert dots["style"]["markerfacecolor"] == layer(shown, name)["style"]["color"]


def test_the_worst_entries_are_told():
    def told(n, p, threshold, both):
        shown = demos.error_per_entry(**p)
        worst = [curve(shown, name)[1].max() for name in ("Threshold", "Threshold-ALP")]
        assert [n["Threshold, worst"], n["Threshold-ALP, worst"]] == worst
        x, alp = curve(shown, "ALP")
        assert n["ALP, worst up to its cap"] == alp[x <= p["cap"]].max()
        assert n["Threshold is worst at x"] == x[curve(shown, "Threshold")[1].argmax()]
        assert n["Laplace, worst"] == 1 / p["epsilon"]
        return near(threshold, worst[0]) and near(both, worst[1])

    lead = "Threshold’s worst entry is off by (.*) on average, Threshold-ALP’s by (.*): its table "
    check_captions(
        demos.error_per_entry,
        {
            lead + r"has what Threshold drops\.": lambda n, p, *said: (
                told(n, p, *said) and n["Threshold, worst"] > n["Threshold-ALP, worst"]
            ),
            lead + r"is not worth it here\.": lambda n, p, *said: (
                told(n, p, *said) and n["Threshold, worst"] <= n["Threshold-ALP, worst"]
            ),
        },
    )


def test_scenes_of_the_four_releases():
    start, far, small = (
        scene(demos.error_per_entry, name)
        for name in ("A million entries", "A million million entries", "A small table")
    )
    assert round(start["Threshold, worst"], 1) == 10.6 and start["Threshold is worst at x"] == 11.5
    assert round(far["Threshold, worst"], 1) == 23.6
    worst = [round(n["Threshold-ALP, worst"], 2) for n in (start, far)]
    assert worst == [6.34, 7.7] and round(start["level of Threshold-ALP"], 1) == 26.2
    # the embedding ends at 14 levels of 3, and at 5 levels of 6: in a small table both bounds idle
    assert start["largest estimate of ALP"] == 42
    assert start["largest estimate of Threshold-ALP’s table"] == 30
    assert start["ALP, promised at most"] < start["Threshold-ALP, promised at most"] < 30
    assert small["ALP, promised at most"] == pytest.approx(73.5) and 73.5 > 42


def harmonic(d):
    """1 + 1/2 + … + 1/d."""
    if d <= 10**4:
        return sum(1 / i for i in range(1, d + 1))
    return math.log(d) + 0.5772156649015329 + 1 / (2 * d)


def test_bound_and_dense_error_in_closed_form():
    shown = demos.largest_error(share=0.3, alpha=5.0, dimension=10**6)
    for end in (4, 18):
        d, bound = curve(shown, f"bound, {end}")
        assert d[0] == 100 and d[-1] == 1e18
        np.testing.assert_allclose(bound, (np.log(d / 2) + np.log(d) + 1) / 0.3 + 5 / 0.7)
        dense = curve(shown, f"dense, {end}")[1]
        np.testing.assert_allclose(dense, [harmonic(int(x)) for x in d], rtol=1e-8)
        for x, y in list(zip(*curve(shown, f"Threshold, {end}"), strict=True))[::2]:
            values = 2 * math.log(x / 2) / 0.3 * np.arange(1, 31) / 30
            exact = threshold_largest_error(values, dimension=int(x), epsilon=1.0)
            assert y == pytest.approx(exact)
        d, alone = curve(shown, f"Threshold, {end}")
        assert np.allclose(np.diff(alone) / np.diff(np.log(d)), 1, atol=0.16)  # like ln d
    numbers = shown["numbers"]
    assert numbers["dense Laplace, exact"] == pytest.approx(harmonic(10**6), rel=1e-8)
    promised = (math.log(5e5) + math.log(1e6) + 1) / 0.3 + 5 / 0.7
    assert numbers["Threshold-ALP, promised at most"] == pytest.approx(promised)
    at_10_000 = (math.log(5e3) + math.log(1e4) + 1) / 0.3 + 5 / 0.7
    assert numbers["promised at d = 10,000"] == pytest.approx(at_10_000)
    assert layer(shown, "d, 4")["at"] is None and layer(shown, "d, 18")["at"] == 1e6


@pytest.mark.parametrize("more", [{}, {"share": 0.3, "alpha": 1.0, "sparsity": 100, "seed": 3}])
def test_releases_stay_below_the_bound_and_grow_with_log_d(more):
    shown, now = demos.largest_error(**more), demos.largest_error.demo.start | more
    place, seen = curve(shown, "single releases")
    assert np.diff(np.log10(place)).min() > 0.1  # so that none hides another
    assert place[0] > shown["axes"][0]["x"]["limits"][0] * 1.1
    d = 10 ** np.round(np.log10(place))
    assert (
        np.abs(np.log10(place / d)).max() < 0.2 and [*d] == np.repeat([100, 1000, 1e4], 4).tolist()
    )
    bound = dict(zip(*curve(shown, "bound, 4"), strict=True))
    means = []
    for x in (100, 1000, 10_000):
        errors = largest_errors(
            releases=4, dimension=x, sparsity=now["sparsity"], size=4 * now["sparsity"],
            alpha=now["alpha"], epsilon1=now["share"], epsilon2=1 - now["share"], seed=now["seed"],
        )  # fmt: skip
        assert seen[d == x].tolist() == errors
        means.append(np.mean(errors))
        assert means[-1] < bound[x]
    assert means[0] < means[1] < means[2]


def test_the_largest_error_is_told():
    def all_above(n, p, most, dense):
        releases = n["releases"][[100, 1000, 10_000].index(p["dimension"])]
        assert n[f"four releases at d = {p['dimension']:,}"] == [min(releases), max(releases)]
        assert near(dense, harmonic(p["dimension"])) and near(most, max(releases))
        return all(error > harmonic(p["dimension"]) for error in releases)

    lead = "Four releases err by up to (.*) somewhere, "
    check_captions(
        demos.largest_error,
        {
            rf"{lead}noise on every entry by (.*) on average: the gain is space alone\.": all_above,
            rf"{lead}about as much as noise on every entry, with (.*) on average\.": (
                lambda n, p, *said: not all_above(n, p, *said)
            ),
            "So many entries cannot all be read in a moment; the bound grows with ln d, .*": (
                lambda n, p: p["dimension"] > 10_000 and "four releases at d = 10,000" in n
            ),
        },
        also=[
            dict(dimension=100, share=0.7, alpha=1.0, sparsity=100, seed=seed) for seed in (8, 9)
        ],
    )


def test_scenes_of_the_largest_error():
    half, less, more, far = (
        scene(demos.largest_error, name) for name in demos.largest_error.demo.scenes
    )
    name = "four releases at d = 1,000"
    assert half[name] == pytest.approx([18, 18])  # 3 levels of α/ε₂ = 6
    assert half["the table’s estimates end at"] == pytest.approx(18)
    assert [round(x, 1) for x in less[name]] == [21.4, 31.9]
    assert [round(x) for x in more[name]] == [10, 11]
    assert round(half["dense Laplace, exact"], 2) == 7.49
    assert round(half["Threshold-ALP, promised at most"], 1) == 34.2
    assert round(far["Threshold-ALP, promised at most"]) == 172


SPACES = [
    {"sparsity": 30},
    {"dimension": 10**18, "sparsity": 1000, "ratio": 20.0, "share": 0.2},
    {"dimension": 100, "sparsity": 70, "ratio": 2.1, "alpha": 10.0, "cap": 1000},
]


@pytest.mark.parametrize("more", SPACES)
def test_space(more):
    shown = demos.space_against_dimension(**more, curves="all")
    now, numbers = demos.space_against_dimension.demo.start | more, shown["numbers"]
    k, size, share = now["sparsity"], round(now["ratio"] * now["sparsity"]), now["share"]
    column = size + 64 * math.ceil(math.log2(size))

    def levels(d):
        return math.ceil((1 - share) * math.log(d / 2) / share / now["alpha"])

    x, found = curve(shown, "Threshold-ALP")
    assert [8 * y for y in found] == [128 * (k + 1) + levels(d) * column for d in x]
    assert x[0] >= max(k, 100) and x[-1] == 1e18
    np.testing.assert_array_equal(curve(shown, "dense: 8 d")[1], 8 * x)
    capped = math.ceil(now["cap"] / now["alpha"]) * column / 8
    flat = {"ALP, cap β": capped, "Threshold": 16 * (k + 1), "the vector: 16 k": 16 * k}
    for name, y in flat.items():
        assert curve(shown, name)[1].tolist() == [y, y] and curve(shown, name)[0][-1] == 1e18
    (d,), (real,) = curve(shown, "a real Threshold-ALP")
    assert d == now["dimension"] == layer(shown, "here: d")["at"]
    table = levels(d) * (math.ceil(size / 8) + 64 * (1 if size <= 256 else 2))
    kept = (real - table) / 16  # k entries at twice the level, and a zero or so
    assert kept.is_integer() and 0.97 * k - 3 <= kept <= k + 6
    bound = (128 * (k + 1) + levels(d) * column) / 8
    assert numbers == {
        "dense, bytes": 8 * now["dimension"],
        "Threshold-ALP, expected at most": bound,
        "Threshold-ALP, one real release": real,
        "ALP": capped,
        "Threshold": 16 * (k + 1),
        "the vector itself": 16 * k,
        "size s": size,
        "levels of Threshold-ALP": levels(d),
        "levels of ALP": math.ceil(now["cap"] / now["alpha"]),
    }


def test_all_of_the_space_is_in_view_except_the_dense_one_for_large_d():
    for _, shown in shown_at(demos.space_against_dimension):
        low, high = shown["axes"][0]["y"]["limits"]
        d, dense = curve(shown, "dense: 8 d")
        assert dense[d <= 10**6].max() < high / 10
        for name in ("Threshold-ALP", "ALP, cap β", "Threshold", "the vector: 16 k"):
            found = curve(shown, name)[1]
            assert np.isnan(found).all() or low < min(found) <= max(found) < high


def test_before_the_reveal_only_noise_on_all_and_the_guess_are_there():
    start, revealed = (
        demos.space_against_dimension(**demos.space_against_dimension.demo.scene(name))
        for name in ("Draw your guess", "Reveal")
    )
    hidden = (
        "Threshold-ALP",
        "ALP, cap β",
        "Threshold",
        "the vector: 16 k",
        "a real Threshold-ALP",
    )
    for name in hidden:
        assert (
            np.isnan(curve(start, name)[1]).all() and not np.isnan(curve(revealed, name)[1]).any()
        )
    assert layer(start, "guess")["at"] == layer(revealed, "guess")["at"] == 10**7
    assert start["named"] == ["dense, bytes", "your guess"]


def test_from_where_on_threshold_alp_is_smaller():
    """16 bytes for each entry kept, 8 for a column: a little beyond twice the entries."""

    def smaller(d):
        n = demos.space_against_dimension(dimension=d, curves="all")["numbers"]
        return n["Threshold-ALP, expected at most"] < n["dense, bytes"]

    assert [smaller(d) for d in (1000, 2200, 2250, 10**4)] == [False, False, True, True]


def test_no_more_entries_than_dimensions():
    stops = demos.space_against_dimension.demo.stops
    assert stops("sparsity", {"dimension": 100})[-1] == 100
    assert stops("sparsity", {"dimension": 1000})[-1] == 1000
    with pytest.raises(ParameterError, match="sparsity must be from 10 to 100 .*, got 1,000"):
        demos.space_against_dimension(dimension=100, sparsity=1000)


UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18}


def size_told(text, size):
    number, unit = text.split(" ")
    return near(number, size / UNITS[unit]) and 0.9995 <= size / UNITS[unit] < 999.5


def test_the_space_is_told():
    names = {496: "496 bytes", 999.9: "1 kB", 1e3: "1 kB", 2e9: "2 GB"}
    assert {number: demos.in_bytes(number) for number in names} == names

    def told(n, p, dense, bound):
        return size_told(dense, 8 * p["dimension"]) and size_told(
            bound, n["Threshold-ALP, expected at most"]
        )

    lead = "Noise on every entry takes (.*), Threshold-ALP at most (.*) on average"
    check_captions(
        demos.space_against_dimension,
        {
            "Your guess: Threshold-ALP takes less space than noise on every entry from d = (.*) on.": (
                lambda n, p, guess: p["curves"] == "noise on all" and near(guess, p["guess"])
            ),
            rf"{lead}, because d enters only by ln d\.": lambda n, p, *said: (
                told(n, p, *said) and n["Threshold-ALP, expected at most"] < n["dense, bytes"]
            ),
            rf"{lead}: so small a vector needs no table\.": lambda n, p, *said: (
                told(n, p, *said) and n["Threshold-ALP, expected at most"] >= n["dense, bytes"]
            ),
        },
    )


def test_scenes_of_the_space():
    start, many, far = (
        scene(demos.space_against_dimension, name)
        for name in ("Thirty entries", "Reveal", "Huge d")
    )
    assert start["ALP"] > start["Threshold"]  # and with 1,000 entries the other way round
    assert (round(many["ALP"], -2), round(many["Threshold"], -3)) == (10_100, 16_000)
    assert (start["dense, bytes"], far["dense, bytes"]) == (8 * 10**6, 8 * 10**12)
    assert (start["levels of Threshold-ALP"], far["levels of Threshold-ALP"]) == (5, 9)


def read(embedding, index, scale):
    """One look-up as the paper has it: a bit of each level, the walk, its highest places."""
    walk = [0]
    for b, row in enumerate(embedding.table.T):
        digits = [i for i in range(64) if (2 * index + 1) >> i & 1]
        # NumPy unpacks a byte from its highest digit
        place = sum(int(embedding.hashes[8 * (i // 8) + 7 - i % 8, b]) for i in digits)
        walk.append(walk[-1] + 2 * int(row[place % embedding.size]) - 1)
    best = [n for n, height in enumerate(walk) if height == max(walk)]
    return embedding.alpha / scale * sum(best) / len(best)


def vector(codes):
    indices, counts, dimension = survey_profiles(*list(CODES)[:codes])
    return indices, counts, dimension, dict(zip(indices.tolist(), counts.tolist(), strict=True))


@pytest.mark.parametrize(
    ("codes", "neighbours", "epsilon", "scale"),
    [
        (5, "l1", 1.0, 1.0),
        (7, "histogram", 1.0, math.e - 1),
        (6, "histogram", 2.0, 3 + math.e**2 / 4 - 1),
    ],
)
def test_estimates_of_alp(codes, neighbours, epsilon, scale):
    shown = demos.profiles_of_the_survey(
        codes=codes, neighbours=neighbours, epsilon=epsilon, seed=3
    )
    indices, counts, dimension, truth = vector(codes)
    release = alp_projection(
        indices, counts, dimension=dimension, sparsity=10_000, size=40_000, cap=50, alpha=3.0,
        epsilon=epsilon, neighbours=neighbours, rng=np.random.default_rng(3),
    )  # fmt: skip
    _, (places, looked_up), zeros = profile_sample(codes)
    found = curve(shown, "dots: profiles that occur")[1]
    empty = curve(shown, "dots: zeros")[1]
    for j in (0, 100, 400):
        assert found[j] == pytest.approx(read(release, int(places[j]), scale))
        assert empty[j] == pytest.approx(read(release, int(zeros[j]), scale))
    assert [truth[i] for i in places.tolist()] == looked_up.tolist()
    assert not any(i in truth for i in zeros.tolist()) and max(zeros) < dimension
    error = np.mean([abs(release.estimate(i) - truth[i]) for i in places[:600].tolist()])
    assert np.abs(found - looked_up)[:600].mean() == pytest.approx(error)
    levels, numbers = math.ceil(50 * scale / 3), shown["numbers"]
    assert numbers["levels m"] == levels and numbers["bytes"] == levels * (5000 + 128)
    assert numbers["error of an entry, mean"] == pytest.approx(np.abs(found - looked_up).mean())
    assert numbers["error of a zero, mean"] == pytest.approx(empty.mean())
    assert numbers["entries and zeros looked up"] == [len(places), len(zeros)]
    assert numbers["bytes, noise on all"] == 8 * dimension == 8 * numbers["dimension d"]
    assert numbers["profiles that occur"] == len(indices)
    assert layer(shown, "cap or level")["at"] == 50


@pytest.mark.parametrize("mechanism", ["Threshold", "Threshold-ALP"])
def test_estimates_with_a_level(mechanism):
    shown = demos.profiles_of_the_survey(mechanism=mechanism, codes=7, seed=5)
    indices, counts, dimension, _ = vector(7)
    rng, level = np.random.default_rng(5), math.log(dimension / 2)
    if mechanism == "Threshold":
        kept = threshold_release(
            indices, counts, dimension=dimension, level=level, epsilon=1.0, rng=rng
        )
    else:
        release = threshold_alp_projection(
            indices, counts, dimension=dimension, sparsity=10_000, size=40_000, alpha=3.0,
            epsilon1=0.5, epsilon2=0.5, rng=rng,
        )  # fmt: skip
        kept, level = release.kept, 2 * level
    stored = dict(zip(kept.indices.tolist(), kept.values, strict=True))
    _, (places, looked_up), _ = profile_sample(7)
    found = curve(shown, "dots: profiles that occur")[1]
    for place, value in zip(places[:300].tolist(), found, strict=False):
        other = read(release.embedding, place, 0.5) if mechanism == "Threshold-ALP" else 0
        assert value == pytest.approx(stored.get(place, other))
    assert np.max(looked_up) > level and np.max(found) > level  # some are kept
    assert layer(shown, "cap or level")["at"] == pytest.approx(level)
    assert shown["numbers"]["cap or level"] == pytest.approx(level)
    levels = math.ceil(level / 2 / 3) if mechanism == "Threshold-ALP" else None
    assert shown["numbers"]["levels m"] == levels


def test_dots_stand_beside_their_true_count():
    for codes in (5, 6, 7):
        shown = demos.profiles_of_the_survey(codes=codes)
        _, (_, counts), _ = profile_sample(codes)
        assert np.abs(np.log(curve(shown, "dots: profiles that occur")[0] / counts)).max() <= 0.12
        assert np.abs(curve(shown, "dots: zeros")[0]).max() <= 0.3
        whole = vector(codes)[1]
        assert len(counts) == min(2000, len(whole))
        assert abs(counts.mean() - whole.mean()) < 4 * whole.std() / np.sqrt(len(counts))


def test_what_is_promised():
    g = 1 / 5 + 0.25 * 3 / 5
    walk, beyond = 4 * g * (1 - g) / (1 - 2 * g) ** 2, np.mean(np.maximum(0, vector(5)[1] - 20))
    entry, zero = "error of an entry, promised at most", "error of a zero, promised at most"
    for neighbours, scale in (("l1", 1), ("histogram", math.e - 1)):
        numbers = demos.profiles_of_the_survey(codes=5, cap=20, neighbours=neighbours)["numbers"]
        assert numbers[entry] == pytest.approx(3 * (0.5 + walk) / scale + beyond)
        assert numbers[zero] == pytest.approx(3 * walk / 2 / scale)
    numbers = demos.profiles_of_the_survey(codes=5, mechanism="Threshold-ALP")["numbers"]
    level, kept = 2 * math.log(4000), 1 / 8000
    noise = (level + 2) / 2 * math.exp(-level / 2)
    assert numbers[zero] == pytest.approx(6 * (0.5 + walk) * (1 - kept) + noise)
    numbers = demos.profiles_of_the_survey(codes=5, mechanism="Threshold")["numbers"]
    parts = [(x, *noise_parts(x, level / 2, 1.0)) for x in vector(5)[1].tolist()]
    expected = np.mean([x * lost + noise for x, lost, noise in parts])
    assert numbers["error of an entry, expected"] == pytest.approx(expected, rel=1e-6)


def test_public_parameters_were_chosen_before_counting():
    entries = [len(vector(codes)[0]) for codes in (5, 6, 7)]
    assert len(load_survey()) == 20_190 > demos.SPARSITY > max(entries)
    assert demos.SIZE > 2 * demos.SPARSITY
    assert demos.profiles_of_the_survey()["numbers"]["k and s, promised"] == [10_000, 40_000]


def test_what_a_mechanism_does_not_have_cannot_be_set():
    stops = demos.profiles_of_the_survey.demo.stops
    sizes = {
        mechanism: [len(stops(x, {"mechanism": mechanism})) for x in ("neighbours", "alpha", "cap")]
        for mechanism in ("ALP", "Threshold-ALP", "Threshold")
    }
    assert sizes == {"ALP": [2, 6, 6], "Threshold-ALP": [1, 6, 1], "Threshold": [1, 1, 1]}
    for name, value in (("neighbours", "histogram"), ("alpha", 5.0), ("cap", 10)):
        with pytest.raises(ParameterError, match=name):
            demos.profiles_of_the_survey(mechanism="Threshold", **{name: value})


def test_what_a_mechanism_does_on_the_survey_is_told():
    def off(n, p, mechanism, error):
        return p["mechanism"] == mechanism and near(error, n["error of an entry, mean"])

    def lost(p, share):
        shown = demos.profiles_of_the_survey(**p)
        found, counts = (
            curve(shown, "dots: profiles that occur")[1],
            profile_sample(p["codes"])[1][1],
        )
        small = counts < shown["numbers"]["cap or level"]
        return near(share, np.mean(found == 0)) and np.mean(found[small] == 0) > 0.5

    lead = "(ALP|Threshold-ALP) is off by (.*) rows on average where a profile occurs"
    check_captions(
        demos.profiles_of_the_survey,
        {
            rf"{lead}, and takes (.*) instead of (.*)\.": lambda n, p, who, error, size, dense: (
                off(n, p, who, error)
                and size_told(size, n["bytes"])
                and size_told(dense, n["bytes, noise on all"])
                and n["bytes"] < n["bytes, noise on all"]
            ),
            rf"{lead}; noise on every count would take less space\.": lambda n, p, *said: (
                off(n, p, *said) and n["bytes"] >= n["bytes, noise on all"]
            ),
            r"Threshold answers 0 for (.*) of the profiles that occur: most small .* lost\.": (
                lambda n, p, share: p["mechanism"] == "Threshold" and lost(p, share)
            ),
        },
        also=[
            dict(mechanism="Threshold", codes=codes, epsilon=epsilon, seed=seed)
            for codes in (5, 6, 7)
            for epsilon in (0.2, 2.0)
            for seed in range(3)
        ],
    )


def test_scenes_of_the_survey():
    six, seven, threshold = (
        scene(demos.profiles_of_the_survey, name)
        for name in ("Six codes, ALP", "A seventh code", "Threshold")
    )
    mean = "error of an entry, mean"
    assert round(six[mean], 2) == 4.3 and round(seven[mean], 2) == 3.61
    assert round(threshold[mean], 2) == 2.51
    assert six["bytes"] == seven["bytes"] == 17 * (5000 + 64 * 2) == 87_176
    assert seven["dimension d"] == 10_000 * six["dimension d"]
