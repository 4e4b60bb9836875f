"""What the pictures of notebook 07 show, against explicit arrays, counting and formulas."""

import itertools
import math
import random

import numpy as np
import pytest
from scipy.optimize import brentq

from course_lib.demos import sparse_mw as demos
from course_lib.demos.picture import layer
from course_lib.demos.words import raised
from course_lib.exact.sparse_mw import potential_run
from course_lib.lab.sparse_mw import clinic, searches
from course_lib.online_ic import MultiplicativeWeights, online_ic_alpha
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_alpha, smw_size
from course_lib.support.contracts import ParameterError
from tests.pictures import check_captions, curve, near
from tests.test_exact_sparse_mw import textbook_potentials
from tests.test_lab_sparse_mw import textbook_filling, textbook_searching


def test_the_small_table_is_the_lecture_s_structure():
    for asked in (1, 5, 100, 1000):
        book, used, updates, strings = textbook_searching(asked)
        shown = demos.small_table(asked=asked)
        heights, free = book.weights[: min(7, used[-1])], book.weights[-1]
        weights, rows = curve(shown, "has a row")
        np.testing.assert_allclose(weights, heights / free, rtol=1e-9)
        assert rows.tolist() == list(range(len(heights)))
        assert layer(shown, "above the others")["to_x"] == weights.tolist()
        assert [*map(list, curve(shown, "has none"))] == [[1], [7]]
        names = shown["axes"][0]["y"]["names"]
        for name, string in zip(names[:7], book.places, strict=False):
            assert string.startswith(name.removesuffix(" …")) and len(name) <= 17
            assert name == string or name.endswith(" …")
        assert names[7] == "any other string" and set(names[len(heights) : 7]) <= {""}
        assert curve(shown, "rows of the table")[1].tolist() == used
        assert curve(shown, "strings named")[1].tolist() == strings
        assert curve(shown, "so far")[1].tolist() == [strings[-1], used[-1]]
        told = shown["numbers"]
        assert told["changes of the table"] == sum(updates)
        rest = book.weights[used[-1] :].sum()
        assert told["share of all without a row"] == pytest.approx(rest, rel=1e-9)


def test_figures_of_the_small_table():
    """A thousand questions name a thousand strings that nobody typed; most of them get no row."""
    told = demos.small_table(asked=1000)["numbers"]
    assert (told["strings named"], told["rows of the table"]) == (1014, 120)
    assert told["strings named"] == 1000 + len(searches())


def test_what_has_a_row_is_told():
    check_captions(
        demos.small_table,
        {
            r"After (.*) questions? about (.*) strings the table has (.*) rows; "
            "all other strings share one weight.": lambda n, p, asked, strings, rows: (
                asked == ("one" if p["asked"] == 1 else f"{p['asked']:,}")
                and near(strings, n["strings named"], 9)
                and near(rows, n["rows of the table"], 9)
            ),
        },
    )


@pytest.mark.parametrize(
    ("asked", "alpha", "support"), [(150, 0.1, 10), (400, 0.2, 3), (1, 0.1, 20)]
)
def test_the_structure_is_the_lecture_s(asked, alpha, support):
    size, data = smw_size(support=support, alpha=alpha), clinic()
    book, used, updates, (value, guess) = textbook_filling(asked, support, alpha, 3)
    shown = demos.structure_filling(asked=asked, alpha=alpha, support=support, seed=3)
    names = layer(shown, "variables")["words"]
    slots, weights = curve(shown, "assigned variable")
    for x, weight in zip(slots, weights, strict=True):
        assert weight == pytest.approx(book.weights[book.places[names[int(x)]]], rel=1e-9)
    assert len(slots) == min(13, used[-1])
    stems = layer(shown, "above 1/s")
    assert stems["x"] == list(slots) and stems["to_y"] == list(weights)
    np.testing.assert_allclose(stems["y"], 1 / size)
    free, height = curve(shown, "unassigned")
    np.testing.assert_allclose(height, book.weights[-1], rtol=1e-9)
    numbers = [int(names[int(x)].replace(",", "")) for x in free]
    assert numbers[:2] == [used[-1] + 1, used[-1] + 2] and numbers[-1] == size
    assert names[int(layer(shown, "ind")["x"][0])] == f"{used[-1] + 1:,}"
    for x, part in zip(*curve(shown, "its code’s share of D"), strict=True):
        name = names[int(x)]
        assert part == data.get(name, 0) or math.isnan(part) and name[0] == "U"
    assert [*map(list, curve(shown, "assigned so far"))] == [list(range(1, asked + 1)), used]
    np.testing.assert_allclose(curve(shown, "m × updates")[1], support * np.cumsum(updates))
    assert layer(shown, "s")["at"] == size and layer(shown, "s")["word"] == f"s = {size:,}"
    told = shown["numbers"]
    assert (told["variables, s"], told["variables assigned"]) == (size, used[-1])
    assert told["updates"] == sum(updates) and told["ind"] == used[-1] + 1
    assert told["share of the variables assigned"] == pytest.approx(used[-1] / size)
    rest = book.weights[used[-1] :].sum()
    found = [told[f"last query on {what}"] for what in ("D", "the hypothesis")]
    assert [told["weight of the others"], *found] == pytest.approx([rest, value, guess], rel=1e-9)
    way = "raised" if value > guess else "lowered"
    assert told["last query"] == (way if updates[-1] else "no update")


def test_gaps_and_neighbours_of_ind():
    assert demos.places(0, 99) == [*range(1, 11), None, 99]
    assert demos.places(9, 99) == [*range(1, 12), None, 99]
    assert demos.places(12, 99) == [*range(1, 15), None, 99]
    assert demos.places(13, 99) == [*range(1, 16), None, 99]
    assert demos.places(14, 99) == [*range(1, 11), None, 12, 13, 14, 15, 16, None, 99]
    most = max(len(demos.places(i, 99)) for i in range(90))
    assert most - 0.5 < demos.structure_filling()["axes"][0]["x"]["limits"][1]


def test_how_much_is_in_use_is_told():
    def in_use(n, p, many, size):
        _, used, *_ = textbook_filling(p["asked"], p["support"], p["alpha"], p["seed"])
        many = 1 if many == "One" else int(many.replace(",", ""))
        return many == used[-1] and near(size, smw_size(support=p["support"], alpha=p["alpha"]), 9)

    others = "the others are equal and kept as one number"
    check_captions(
        demos.structure_filling,
        {
            f"(One) of (.*) variables has a code; {others}.": in_use,
            f"(\\d.*) of (.*) variables have codes; {others}.": in_use,
            "No query was off by α yet: all (.*) variables are equal, and none has a code.": (
                lambda n, p, size: in_use(n, p, "0", size) and n["updates"] == 0
            ),
        },
        also=[dict(asked=1, alpha=0.2, support=1), dict(asked=1000, support=1)],
    )


def test_before_the_first_update_a_dot_stands_on_the_axis():
    shown = demos.structure_filling(asked=1, alpha=0.2, support=1)
    assert curve(shown, "assigned so far")[1].tolist() == [0]
    used = shown["axes"][1]["y"]
    assert used["scale"] == "symlog" and used["limits"][0] < 0
    assert shown["numbers"]["last query"] == "no update" and shown["numbers"]["ind"] == 1
    assert (shown["numbers"]["variables, s"], shown["numbers"]["weight of the others"]) == (764, 1)


def test_a_fiftieth_of_the_variables_is_enough():
    """Figures that notebook 07 tells, in its scenes."""
    scenes = demos.structure_filling.demo.scenes
    _, half, whole, one = (demos.structure_filling(**place)["numbers"] for place in scenes.values())
    assert whole["variables, s"] == 47_035 and whole["variables assigned"] == 845
    assert (half["updates"], whole["updates"]) == (294, 316) and one["variables assigned"] == 1
    assert round(whole["weight of the others"], 2) == 0.63


POSITIONS = [(0.25, 0.0, 0.1, 20), (0.5, 0.5, 0.1, 20), (0.9, 0.4, 0.2, 5), (0.3, 0.0, 0.15, 2)]


@pytest.mark.parametrize("position", POSITIONS)
def test_both_potentials_are_those_of_the_lecture_s_arrays(position):
    potentials, updates = textbook_potentials(*position)
    mass, weight, alpha, support = position
    drops = (potentials[:-1] - potentials[1:]) / (alpha**2 / 4)
    for t in {1, len(drops) // 2, len(drops)}:
        shown = demos.two_potentials(
            mass=mass, weight=weight, alpha=alpha, support=support, updates=t
        )
        for i, name in enumerate(("Ψ as printed", "repaired")):
            steps, heights = curve(shown, name)
            np.testing.assert_allclose(heights, potentials[: t + 1, i], atol=1e-9)
            assert steps.tolist() == list(range(t + 1))
            steps, heights = curve(shown, f"drops, {name}")
            np.testing.assert_allclose(heights, drops[:t, i], atol=1e-6)
            assert steps.tolist() == list(range(1, t + 1))
        short = 1 + np.flatnonzero(drops[:t, 0] < 1)
        lowers = np.array([sign < 0 for sign, _ in updates[:t]])
        x, y = curve(shown, "falls short")
        assert x.tolist() == short.tolist()
        np.testing.assert_allclose(y, drops[short - 1, 0], atol=1e-6)
        told, (sign, guess) = shown["numbers"], updates[t - 1]
        assert told["valid updates"] == len(drops) == layer(shown, "last update")["at"]
        assert told["too small, as printed"] == len(short) and told["too small, repaired"] == 0
        assert told["rises, as printed"] == sum(drops[:t, 0] < 0)
        least = [told["least drop, as printed"], told["least drop, repaired"]]
        last = [told["its drop, as printed"], told["its drop, repaired"]]
        assert least == pytest.approx(drops[:t].min(axis=0) * alpha**2 / 4, abs=1e-9)
        assert last == pytest.approx(drops[t - 1] * alpha**2 / 4, abs=1e-9)
        assert told["updates that lower the hypothesis"] == sum(lowers)
        assert told["too small and lowering"] == sum(lowers[short - 1])
        assert told["promised drop, α²/4"] == pytest.approx(alpha**2 / 4)
        assert told["its value on the hypothesis"] == pytest.approx(guess, abs=1e-9)
        assert told["its true value"] == pytest.approx(mass if sign > 0 else weight * mass)
        second = f"{weight:g}·a + Σb" if weight else "Σb"
        assert told["last update"] == ("raises a + Σb" if sign > 0 else f"lowers {second}")


def test_the_sliders_reach_every_run_to_its_end_and_no_further():
    described = demos.two_potentials.demo
    lengths = [222, 313, *(len(textbook_potentials(*place)[1]) for place in POSITIONS[2:])]
    for (mass, weight, alpha, support), made in zip(POSITIONS, lengths, strict=True):
        place = {"mass": mass, "weight": weight, "alpha": alpha, "support": support}
        stops = described.stops("updates", place)
        assert stops[0] == 1 and stops[-1] == made and len(stops) <= 102
        assert stops == sorted(set(stops))
    assert described.stops("mass", {"alpha": 0.1, "support": 20})[0] == 0.15
    assert described.stops("mass", {"alpha": 0.05, "support": 20})[0] == 0.1
    with pytest.raises(ParameterError, match="mass must be from 0.25 to 0.9"):
        demos.two_potentials(mass=0.15, alpha=0.2)


@pytest.mark.parametrize(
    ("mass", "alpha", "support"), [(0.25, 0.1, 20), (0.9, 0.05, 100), (0.3, 0.2, 2)]
)
def test_a_larger_weight_than_the_slider_has_changes_nothing(mass, alpha, support):
    """Only the last of its weights asks no second query; of larger ones the run is the same."""
    place = {"mass": mass, "alpha": alpha, "support": support}
    stops = demos.two_potentials.demo.stops("weight", place)
    runs = [potential_run(weight=weight, **place) for weight in (*stops, 1.0)]
    lowers = [any(sign < 0 for sign, _ in updates) for _, updates in runs]
    assert lowers == [True] * (len(stops) - 1) + [False] * 2
    np.testing.assert_array_equal(runs[-1][0], runs[-2][0])


def test_every_run_fits_the_axes():
    for mass, weight, alpha, support in itertools.product(
        demos.MASSES, [*demos.WEIGHTS, 1.0], (0.05, 0.1, 0.2), (2, 20, 100)
    ):
        potentials, updates = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
        assert len(updates) < 2500 and 0 < potentials.min() and potentials.max() < 15
        drops = -np.diff(potentials, axis=0) / (alpha**2 / 4)
        assert ((-8 < drops) & (drops < 45)).all()


def test_the_counterexamples_of_lemma_6():
    """spec: 222 valid updates, of which 47 lower the printed potential by less than α²/4."""
    shown = [demos.two_potentials(**place) for place in demos.two_potentials.demo.scenes.values()]
    short, early, first, again, raising = (each["numbers"] for each in shown)
    assert short["valid updates"] == 222 and short["too small, as printed"] == 47
    assert short["too small and lowering"] == short["updates that lower the hypothesis"] == 47
    assert round(short["least drop, as printed"], 5) == 0.00124
    assert round(short["least drop, repaired"], 5) == 0.00485
    assert early["too small, as printed"] == 0
    assert min(curve(shown[0], "falls short")[0]) == 137
    assert first["rises, as printed"] == 1 and first["last update"] == "lowers 0.5·a + Σb"
    found = first["its drop, as printed"], first["its drop, repaired"]
    assert [round(drop, 5) for drop in found] == [-0.00268, 0.00715]
    assert round(first["its value on the hypothesis"], 3) == 0.399
    assert (again["valid updates"], again["rises, as printed"]) == (313, 78)
    assert round(again["least drop, as printed"], 5) == -0.00379
    assert raising["updates that lower the hypothesis"] == raising["too small, as printed"] == 0


def test_it_opens_where_drops_fall_short_and_does_not_say_which():
    shown = demos.two_potentials()
    assert len(layer(shown, "falls short")["x"]) > 0
    told = [shown["sentence"], *shown["named"]]
    assert not any("hypothesis" in words for words in told)


def test_whether_the_potentials_fall_enough_is_told():
    def counted(said):
        return 1 if said.startswith("One") else int(said.split()[0].replace(",", ""))

    def repaired_falls(n):
        return (
            n["least drop, repaired"] > n["promised drop, α²/4"] and n["too small, repaired"] == 0
        )

    check_captions(
        demos.two_potentials,
        {
            "(One update raises|.* updates raise) the printed potential; "
            "the repaired one falls by α²/4 or more each time.": lambda n, p, said: (
                counted(said) == n["rises, as printed"] > 0 and repaired_falls(n)
                and n["least drop, as printed"] < 0
            ),
            "(One update lowers|.* updates lower) the printed potential by less than α²/4; "
            "the repaired one always falls by more.": lambda n, p, said: (
                counted(said) == n["too small, as printed"] > 0 and repaired_falls(n)
                and 0 <= n["least drop, as printed"] < n["promised drop, α²/4"]
            ),
            "(So far|To the end) each update lowers both potentials by α²/4 or more.": (
                lambda n, p, until: (
                    n["least drop, as printed"] >= n["promised drop, α²/4"] and repaired_falls(n)
                    and (until == "To the end") == (p["updates"] == n["valid updates"])
                )
            ),
        },
        also=[
            *demos.two_potentials.demo.scenes.values(),
            *(dict(mass=0.5, weight=0.5, updates=t) for t in (100, 164, 166, 300)),
            *(dict(updates=t) for t in (1, 136, 137, 139, 221)),
        ],
    )  # fmt: skip


class Counting(dict):
    """The learner's own table, with every element that is read or written."""

    touched = ()

    def get(self, element, default=None):
        self.touched += (element,)
        return super().get(element, default)

    def __setitem__(self, element, value):
        self.touched += (element,)
        super().__setitem__(element, value)


@pytest.mark.parametrize("support", [1, 10, 50])
def test_a_query_touches_its_own_elements_however_many_others_there_are(support):
    rng, learner = random.Random(1), SparseMultiplicativeWeights(support=support, alpha=0.2)
    learner._steps = table = Counting()
    for bits in (10, 30, 60):
        for _ in range(5):
            learner.update({rng.randrange(2**bits): 1.0 for _ in range(support)}, 0.7)
        query = {f"{bits} {i}": 0.5 for i in range(support)}
        table.touched = ()
        learner.evaluate(query)
        assert sorted(table.touched) == sorted(query)
        learner.update(query, 0.7)
        assert set(table.touched) == set(query) and len(table.touched) <= 4 * support


def test_plain_multiplicative_weights_changes_every_number():
    learner = MultiplicativeWeights(universe_size=2**10, alpha=0.1)
    before = learner.hypothesis
    learner.update(np.eye(2**10)[3], 1.0)
    assert np.sum(learner.hypothesis != before) == 2**10


@pytest.mark.parametrize(("support", "alpha", "size"), [(10, 0.1, 47_035), (100, 0.05, 2_518_253)])
def test_cost_per_query_is_flat_for_smw_and_the_universe_for_plain_mw(support, alpha, size):
    shown = demos.cost_per_query(support=support, alpha=alpha, universe_size="2⁶⁰")
    for title in ("touched by one query", "kept in memory"):
        for part, ends in ("plain", [10, 30]), ("would be", [30, 60]):
            x, y = curve(shown, f"{title}: {part}")
            assert x.tolist() == ends and np.log2(y).tolist() == ends
    x, reads = curve(shown, "SMW: a value")
    assert x.tolist() == [10, 20, 30, 40, 50, 60] and set(reads) == {support}  # up to the slider
    at_all = demos.cost_per_query(support=support, alpha=alpha, universe_size="any string")
    for name in "SMW: a value", "a value and an update", "after two updates":
        (x, numbers), (_, before) = curve(at_all, name), curve(shown, name)
        assert x.tolist() == [10, 20, 30, 40, 50, 60, 70] and set(numbers) == set(before)
    (both,) = set(curve(shown, "a value and an update")[1])
    assert 2 * support < both <= 7 * support
    assert set(curve(shown, "after two updates")[1]) == {2 * support}
    assert (
        set(curve(shown, "SMW as printed: s")[1]) == set(curve(shown, "s variables")[1]) == {size}
    )
    told = shown["numbers"]
    assert (told["plain MW"], told["bytes of plain MW"]) == (2**60, 2**63)
    assert (told["SMW, a value"], told["SMW, an update"]) == (support, both - support)
    assert (told["SMW as printed, s"], told["in memory after two updates"]) == (size, 2 * support)
    most = support * math.floor(4 * math.log(size) / alpha**2)
    assert told["in memory at most"] == most < size


def test_the_mark_stands_at_the_universe_and_not_in_the_words():
    bits = dict(
        zip(demos.cost_per_query.demo.choices["universe_size"], range(10, 71, 10), strict=True)
    )
    for universe, place in bits.items():
        shown = demos.cost_per_query(universe_size=universe)
        for title in ("touched by one query", "kept in memory"):
            mark = layer(shown, f"{title}: here")
            assert set(mark["x"] + mark["to_x"]) == {place}
            assert (mark["y"][0], mark["to_y"][-1]) == (0.7, 1e19)
            gaps = list(zip(mark["to_y"][:-1], mark["y"][1:], strict=True))
            words = layer(shown, f"{title}: words")["y"][0]
            assert len(gaps) == (place > 30) and all(low < words < high for low, high in gaps)


def test_what_a_query_costs_is_told():
    def looks_up(p, m):
        return m == ("one element" if p["support"] == 1 else f"{p['support']} elements")

    def size(p):
        return size_of(p["support"], p["alpha"])

    places = dict(
        zip(demos.cost_per_query.demo.choices["universe_size"], range(10, 71, 10), strict=True)
    )
    smw = "SMW looks up the (.*) of the query."
    check_captions(
        demos.cost_per_query,
        {
            f"Plain MW has no array for all strings; {smw}": lambda n, p, m: (
                p["universe_size"] == "any string" and looks_up(p, m)
            ),
            f"Plain MW would need more than 8 (.)B of memory; {smw}": lambda n, p, unit, m: (
                n["bytes of plain MW"] == 8 * 2 ** (10 + 10 * "kMGTPE".index(unit))
                and 30 < places[p["universe_size"]] < 70 and looks_up(p, m)
            ),
            "As printed, SMW sweeps more variables than |X| has elements; lazy ".replace("|", r"\|")
            + smw: lambda n, p, m: (
                size(p) > 2 ** places[p["universe_size"]] and looks_up(p, m)
                and places[p["universe_size"]] <= 30
            ),
            f"Plain MW touches all (.*) elements of X; {smw}": lambda n, p, many, m: (
                near(many, 2 ** places[p["universe_size"]]) and looks_up(p, m)
                and size(p) <= 2 ** places[p["universe_size"]] <= 2**30
            ),
        },
    )  # fmt: skip


def size_of(support, alpha):
    """s by search, from its definition."""
    ratio, low, high = 4 * support / alpha**2, 1, 2
    while high < ratio * (math.log(high) + 1):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if middle >= ratio * (math.log(middle) + 1) else (middle, high)
    return high


@pytest.mark.parametrize(
    ("support", "k", "n", "epsilon"),
    [(10, 1000, 10**6, 1.0), (10**6, 10, 10**9, 5.0), (1, 10**9, 10**7, 0.3)],
)
def test_promises_without_delta_are_the_cube_roots_of_the_lecture(support, k, n, epsilon):
    shown = demos.sparse_or_plain(
        support=support, num_queries=k, n=n, epsilon=epsilon, universe_size=2**60, curves="all"
    )
    ours, printed = (c * math.log(2 * k * x / 0.05) for c, x in ((48, 3), (16, 2)))
    bits, grows = curve(shown, "plain MW")
    logs = bits * math.log(2)
    np.testing.assert_allclose(grows, 3 * np.cbrt(ours * logs / (epsilon * n)), rtol=1e-9)
    as_printed = 3 * np.cbrt(printed * logs / (epsilon * n))
    np.testing.assert_allclose(curve(shown, "dotted: as printed")[1], as_printed, rtol=1e-9)

    def excess(alpha, constant):
        return alpha**3 - constant * math.log(size_of(support, alpha)) / (epsilon * n)

    alpha, printed_alpha = (brentq(excess, 1e-4, 1, args=(c,)) for c in (ours, printed))
    np.testing.assert_allclose(curve(shown, "SMW")[1], 3 * alpha, rtol=1e-4)
    np.testing.assert_allclose(curve(shown, "SMW as printed")[1], 3 * printed_alpha, rtol=1e-4)
    (crossing,), (height,) = curve(shown, "|X| = s")
    assert crossing == pytest.approx(math.log2(size_of(support, alpha)), abs=1e-3)
    assert np.interp(crossing, bits, grows) == pytest.approx(height, rel=1e-3)
    assert np.all((grows < height) == (bits < crossing))
    told = shown["numbers"]
    assert told["log₂ s, where both are equal"] == crossing == pytest.approx(math.log2(told["s"]))
    at_60 = bits == 60
    assert told["plain MW"] == pytest.approx(float(grows[at_60][0]))
    assert told["plain MW as printed, 2k queries"] == pytest.approx(float(as_printed[at_60][0]))
    assert [told["SMW"], told["SMW as printed"]] == pytest.approx(
        [3 * alpha, 3 * printed_alpha], rel=1e-4
    )
    assert layer(shown, "Theorem 7, constant 1")["at"] is None is told["Theorem 7, constant 1"]
    mark = layer(shown, "here: |X|")
    assert [mark["x"], mark["to_x"], mark["to_y"]] == [[60], [60], [told["plain MW"]]]
    assert curve(shown, "plain MW here")[1].tolist() == [told["plain MW"]]


@pytest.mark.parametrize("delta", [1e-12, 1e-3])
def test_promises_with_delta(delta):
    place = {"num_queries": 500, "n": 10**7, "epsilon": 0.5, "delta": delta}
    shown = demos.sparse_or_plain(support=30, **place, curves="all")
    flat = smw_alpha(support=30, **place, beta=0.05)
    np.testing.assert_allclose(curve(shown, "SMW")[1], 3 * flat)
    bits, grows = curve(shown, "plain MW")
    every = [online_ic_alpha(universe_size=2.0**b, **place, beta=0.05) for b in bits[::7]]
    np.testing.assert_allclose(grows[::7], 3 * np.array(every))
    size = smw_size(support=30, alpha=flat)
    assert online_ic_alpha(universe_size=size, **place, beta=0.05) == pytest.approx(flat, rel=1e-6)
    bare = (math.log(30)) ** 0.25 * (math.log(4 / delta) * math.log(500 / 0.05) / 5e6) ** 0.5
    line = layer(shown, "Theorem 7, constant 1")
    assert line["at"] == pytest.approx(bare) and line["word"] == "Theorem 7, constant 1"
    assert shown["numbers"]["Theorem 7, constant 1"] == pytest.approx(bare)


def test_theorem_7_s_value_from_the_lecture_s_constants():
    """m = 1, k = 1000, n = 10^6, δ = 1e-6, ε = 1, β = 0.05: α = 0.0542; with ln m it would be 0."""
    shown = demos.sparse_or_plain(support=1, delta=1e-6, curves="all")
    assert round(shown["numbers"]["SMW as printed"] / 3, 4) == 0.0542
    assert shown["numbers"]["Theorem 7, constant 1"] == 0
    assert layer(shown, "Theorem 7, constant 1")["at"] is None  # the axis is logarithmic


def test_a_guess_is_drawn_and_the_sparse_promise_hidden_until_the_reveal():
    hidden = demos.sparse_or_plain(guess=2**14, delta=1e-6)
    for name in ("SMW", "SMW as printed", "|X| = s"):
        assert set(layer(hidden, name)["y"]) == {None}
    assert layer(hidden, "Theorem 7, constant 1")["at"] is None
    assert set(hidden["numbers"]) == {"plain MW", "plain MW as printed, 2k queries"}
    assert layer(hidden, "your guess")["x"] == [14]
    shown = demos.sparse_or_plain(guess=2**14, delta=1e-6, curves="all")
    assert {"SMW", "s"} <= set(shown["numbers"]) and layer(shown, "your guess")["x"] == [14]


def test_figures_of_sparse_or_plain():
    """Those that notebook 07 tells."""
    scenes = demos.sparse_or_plain.demo.scenes
    _, ten, more, enormous, _ = (
        demos.sparse_or_plain(**place)["numbers"] for place in scenes.values()
    )
    assert (round(ten["SMW"], 3), round(ten["plain MW"], 3)) == (0.525, 0.857)
    assert round(ten["log₂ s, where both are equal"], 1) == 13.7
    assert round(more["log₂ s, where both are equal"], 1) == 20.5
    assert enormous["SMW"] == ten["SMW"] and enormous["plain MW"] > 1


def test_the_smaller_promise_is_named():
    def said(text, number):
        return near(text, number) and number < 1

    check_captions(
        demos.sparse_or_plain,
        {
            r"Your guess: from \|X\| = 2(.*) on SMW promises a smaller error than plain MW.": (
                lambda n, p, power: power == raised(round(math.log2(p["guess"]))) and "SMW" not in n
            ),
            "Neither promise says anything here: no share can be off by more than 1.": (
                lambda n, p: min(n["SMW"], n["plain MW"]) >= 1
            ),
            "SMW promises an error of (.*) on any universe; here plain MW promises (.*).": (
                lambda n, p, ours, other: (
                    said(ours, n["SMW"]) and said(other, n["plain MW"])
                    and p["universe_size"] > n["s"]
                )
            ),
            "SMW promises an error of (.*) on any universe; "
            "here what plain MW promises says nothing.": lambda n, p, ours: (
                said(ours, n["SMW"]) and n["plain MW"] >= 1 and p["universe_size"] > n["s"]
            ),
            "On this universe plain MW promises the smaller error, (.*); SMW promises (.*).": (
                lambda n, p, ours, other: (
                    said(ours, n["plain MW"]) and said(other, n["SMW"])
                    and p["universe_size"] < n["s"]
                )
            ),
            "On this universe plain MW promises the smaller error, (.*); "
            "what SMW promises says nothing.": lambda n, p, ours: (
                said(ours, n["plain MW"]) and n["SMW"] >= 1 and p["universe_size"] < n["s"]
            ),
        },
        also=[
            dict(curves="all") | place
            for place in (
                dict(universe_size=2**5, support=100, n=150_000),
                dict(epsilon=0.05, support=1),
                dict(support=1000),
            )
        ],
    )  # fmt: skip


def test_all_that_is_drawn_is_inside_the_axes():
    for figure in (demos.cost_per_query, demos.sparse_or_plain):
        for end in (0, -1):
            place = {name: stops[end] for name, stops in figure.demo.choices.items()}
            place |= {"curves": "all"} if "curves" in place else {}
            for frame in figure(**place)["axes"]:
                low, high = frame["y"]["limits"]
                heights = [
                    y for each in frame["layers"] if each["kind"] == "line" for y in each["y"]
                ]
                assert low <= min(heights) and max(heights) <= high


def test_values_beyond_the_sliders_are_refused():
    with pytest.raises(ParameterError, match="support must be from 1 to 500"):
        demos.cost_per_query(support=501)
    with pytest.raises(ParameterError, match="universe_size must be one of 2¹⁰, "):
        demos.cost_per_query(universe_size="2⁷")
