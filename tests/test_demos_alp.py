"""What the pictures of notebook 08 show: by hand, by enumeration, by closed forms."""

import collections
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from course_lib.alp import alp_loss
from course_lib.demos import alp as demos
from course_lib.demos.picture import layer
from course_lib.exact.alp import alp_error_among, alp_exact_error
from course_lib.lab.alp import errors_alone, errors_by_alpha, noisy_codes
from course_lib.support.contracts import ParameterError
from tests.pictures import check_captions, curve, near, scene
from tests.pictures import value as read_value
from tests.test_exact_alp import enumerated_error, loss_by_hand

VECTOR = {23: 4, 141: 16, 314: 9, 500: 0, 628: 13, 901: 7}
HELD = [i for i in VECTOR if VECTOR[i]]


def cells(shown, name):
    return {(int(x), int(y)) for x, y in zip(*curve(shown, name), strict=True)}


def highest(walk):
    return [n for n, height in enumerate(walk) if height == max(walk)]


def walk_over(bits):
    return [0, *itertools.accumulate(1 if bit else -1 for bit in bits)]


def place(index, function, size):
    """The sum of the numbers at the binary ones of 2i + 1, the highest digit of a byte first."""
    digits = reversed(f"{2 * index + 1:064b}")
    order = [8 * (t // 8) + 7 - t % 8 for t in range(64)]
    return sum(int(function[order[t]]) for t, digit in enumerate(digits) if digit == "1") % size


class ByHand:
    """ALP-projection and one look-up with sets of cells (level from 1, place)."""

    def __init__(self, *, epsilon, alpha, ratio, index, seed):
        rng, self.size, self.index = np.random.default_rng(seed), round(5 * ratio), int(index)
        self.levels, self.held = math.ceil(20 * epsilon / alpha), VECTOR[self.index]
        self.functions = rng.integers(self.size, size=(64, self.levels), dtype=np.uint8)
        self.code = dict.fromkeys(VECTOR, 0)
        for i, draw in zip(HELD, rng.random(len(HELD)), strict=True):
            exact = VECTOR[i] * epsilon / alpha
            self.code[i] = math.floor(exact) + (draw < exact - math.floor(exact))
        setters = [c for i in HELD for c in self.cells_of(i)[: self.code[i]]]
        self.set_by = collections.Counter(setters)
        self.flipped = {
            (b, a)
            for b in range(1, self.levels + 1)
            for a, draw in enumerate(rng.random(self.size))
            if draw < 1 / (alpha + 2)
        }
        self.ones = self.set_by.keys() ^ self.flipped
        self.read, own, unit = self.cells_of(self.index), self.code[self.index], alpha / epsilon
        self.wrong = {c for c in self.read if (c in self.ones) != (c[0] <= own)}
        self.flips, self.collisions = self.wrong & self.flipped, self.wrong - self.flipped
        self.estimate = unit * np.mean(highest(walk_over(c in self.ones for c in self.read)))
        self.meant = unit * own

    def cells_of(self, index):
        return [(b + 1, place(index, self.functions[:, b], self.size)) for b in range(self.levels)]


@pytest.mark.parametrize(("noise", "count", "seed"), [(0, 20, 3), (25, 7, 1), (45, 31, 8)])
def test_two_codes_are_drawn_bit_for_bit(noise, count, seed):
    shown = demos.code_and_noise(noise=noise, count=count, seed=seed)
    run = noisy_codes(count, probability=noise / 100, seed=seed)
    ones, flips = set(), set()
    for place in range(31):
        ones |= {(place + 1, 3)} if (place < count) != run.row_flipped[place] else set()
        flips |= {(place + 1, 3)} if run.row_flipped[place] else set()
    for place, digit in enumerate(f"{count:05b}"):
        ones |= {(4 + 6 * place, 2)} if (digit == "1") != run.binary_flipped[place] else set()
        flips |= {(4 + 6 * place, 2)} if run.binary_flipped[place] else set()
    assert cells(shown, "bit 1") == ones and cells(shown, "flipped") == flips
    everything = {(x, 3) for x in range(1, 32)} | {(4 + 6 * x, 2) for x in range(5)}
    assert cells(shown, "bit 0") == everything - ones
    assert curve(shown, "the count")[0].tolist() == [count] * 2
    assert curve(shown, "the row reads")[0] == run.row_read == shown["numbers"]["the row reads"]
    assert curve(shown, "binary reads")[0] == run.binary_read == shown["numbers"]["binary reads"]
    assert shown["numbers"]["flipped in the row"] == run.row_flipped.sum()
    assert shown["numbers"]["flipped in binary"] == run.binary_flipped.sum()


def test_the_errors_of_both_codes_up_to_the_noise():
    shown = demos.code_and_noise(noise=25)
    share, row = curve(shown, "row of ones")
    assert share.tolist() == [i / 100 for i in range(26)]
    assert row[25] == pytest.approx(alp_exact_error(40.0, cap=62, alpha=2.0, epsilon=1.0) / 2)
    chances = [(0.25 ** bin(i).count("1") * 0.75 ** (5 - bin(i).count("1"))) for i in range(32)]
    binary = curve(shown, "binary")[1]
    assert binary[25] == pytest.approx(sum(c * abs((20 ^ i) - 20) for i, c in enumerate(chances)))
    assert curve(shown, "now")[1].tolist() == [row[25], binary[25]]
    told = shown["numbers"]
    assert [told["expected error, row"], told["expected error, binary"]] == [row[25], binary[25]]


def test_what_both_codes_read_is_told():
    check_captions(
        demos.code_and_noise,
        {
            r"Nothing is flipped: both codes read (\d+)\.": lambda n, p, count: (
                p["noise"] == 0 and int(count) == n["the row reads"] == n["binary reads"]
            ),
            r"With (\d+) of 100 bits flipped the row of ones reads (.*), binary (\d+); the count is (\d+)\.": (
                lambda n, p, noise, row, binary, count: (
                    int(noise) == p["noise"] > 0
                    and near(row, n["the row reads"])
                    and int(binary) == n["binary reads"]
                    and int(count) == p["count"]
                )
            ),
        },
    )


def test_scenes_of_the_codes():
    tenth, quarter, most = (
        scene(demos.code_and_noise, name)
        for name in ("One bit in ten", "One bit in four", "Nearly all is noise")
    )
    assert (tenth["the row reads"], tenth["binary reads"]) == (21, 4)
    assert (quarter["the row reads"], quarter["flipped in the row"]) == (21, 7)
    errors = [(n["expected error, row"], n["expected error, binary"]) for n in (quarter, most)]
    assert [round(x, 1) for pair in errors for x in pair] == [2.1, 5.8, 8.0, 8.2]


PLACES = [(1.0, 2.0, 3.0, 314, 925), (1.5, 2.0, 4.0, 500, 1), (0.5, 6.0, 2.2, 901, 0)]
PLACES += [(1.2, 2.5, 2.4, 23, 7), (1.5, 3.0, 2.2, 500, 5)]


@pytest.mark.parametrize("state", PLACES)
def test_the_embedding_is_that_of_the_paper_s_algorithm(state):
    state = dict(zip(("epsilon", "alpha", "ratio", "index", "seed"), state, strict=True))
    state["index"] = str(state["index"])
    hand, shown = ByHand(**state), demos.embedding_bits(**state)
    mine = set(hand.read[: hand.code[hand.index]])
    alone = {c for c, n in hand.set_by.items() if n == 1}
    assert cells(shown, "its own bit") == mine & alone
    assert cells(shown, "another’s") == alone - mine
    assert cells(shown, "of several") == hand.set_by.keys() - alone
    assert cells(shown, "read") == cells(shown, "read from it") == set(hand.read)
    assert cells(shown, "1, released") == hand.ones
    assert cells(shown, "flipped") == hand.flipped
    assert cells(shown, "wrong by a flip") == hand.flips
    assert cells(shown, "… by a collision") == hand.collisions <= hand.set_by.keys() - mine
    for name in ("places of z", "places released"):
        assert len(cells(shown, name)) == hand.levels * hand.size
    assert shown["numbers"] == {
        "the entry holds": hand.held,
        "estimate": pytest.approx(hand.estimate),
        "bits read": hand.levels,
        "wrong by flips": len(hand.flips),
        "wrong by collisions": len(hand.collisions),
        "ones in its code": hand.code[hand.index],
        "places of a level": hand.size,
        "probability of a flip": 1 / (state["alpha"] + 2),
    }


@pytest.mark.parametrize("index", VECTOR)
def test_unary_codes_have_a_row_for_each_index_and_a_bar_at_the_exact_value(index):
    shown = demos.embedding_bits(index=str(index), seed=1)
    hand = ByHand(epsilon=1.0, alpha=2.0, ratio=3.0, index=index, seed=1)
    rows = dict(zip(VECTOR, np.array(layer(shown, "codes")["y"]) + 0.65, strict=True))
    assert layer(shown, "codes")["words"] == [f"index {i}: x = {x}" for i, x in VECTOR.items()]
    assert len(curve(shown, "levels")[0]) == 10 * len(VECTOR)
    own, other = curve(shown, "its code"), curve(shown, "other codes")
    assert own[0].tolist() == list(range(1, 1 + hand.code[index])) and {*own[1]} <= {rows[index]}
    for i in VECTOR:
        assert sum(other[1] == rows[i]) == (hand.code[i] if i != index else 0)
    np.testing.assert_allclose(curve(shown, "xε/α")[0] - 0.5, [x / 2 for x in VECTOR.values()])
    assert curve(shown, "looked up")[1].tolist() == [rows[index]]


def test_an_index_without_a_row_is_refused():
    words = "index must be one of 23, 141, 314, 500, 628, 901 in this picture, got 300"
    with pytest.raises(ParameterError, match=words):
        demos.embedding_bits(index="300")


def test_every_embedding_fits_the_axes():
    choices = demos.embedding_bits.demo.choices
    for epsilon, alpha, ratio in itertools.product(
        *map(choices.get, ("epsilon", "alpha", "ratio"))
    ):
        assert 10 < round(5 * ratio) <= demos.MOST_PLACES
        assert math.ceil(20 * epsilon / alpha) <= demos.MOST_LEVELS
    assert max(VECTOR.values()) <= 20


def test_what_misled_a_look_up_is_told():
    def by(hand, who):
        words = {0: [], 1: ["a flip"]}.get(len(hand.flips), ["flips"])
        words = words + {0: [], 1: ["a collision"]}.get(len(hand.collisions), ["collisions"])
        return who.lower() == " and ".join(words)

    def told(state, held, estimate):
        hand = ByHand(**state)
        return hand.held == int(held) and (near(estimate, hand.estimate) or hand.estimate == 0)

    def same(one, other):
        return math.isclose(one, other, abs_tol=1e-9)

    numbers = r": the entry holds (\d+), the estimate is (.*)\."
    check_captions(
        demos.embedding_bits,
        {
            rf"(.*) (mislead|misleads) the look-up{numbers}": lambda n, p, who, verb, *said: (
                by(hand := ByHand(**p), who)
                and verb.endswith("s") == (len(hand.wrong) == 1)
                and not same(hand.estimate, hand.meant)
                and not same(hand.estimate, hand.held)
                and told(p, *said)
            ),
            rf"(.*) (make bits|makes a bit) wrong without moving the estimate{numbers}": (
                lambda n, p, who, verb, *said: (
                    by(hand := ByHand(**p), who)
                    and verb.endswith("a bit") == (len(hand.wrong) == 1)
                    and same(hand.estimate, hand.meant)
                    and told(p, *said)
                )
            ),
            r"(.*) makes? good, by luck, what rounding did: the estimate is right, (.*)\.": (
                lambda n, p, who, held: (
                    by(hand := ByHand(**p), who)
                    and same(hand.estimate, hand.held)
                    and not same(hand.meant, hand.held)
                    and hand.held == int(held)
                )
            ),
            r"All bits read are right, and so is the estimate: (.*)\.": lambda n, p, held: (
                not (hand := ByHand(**p)).wrong
                and same(hand.estimate, hand.held)
                and hand.held == int(held)
            ),
            r"All bits read are right; the entry holds (\d+), the estimate is (.*), because .*": (
                lambda n, p, *said: (
                    not (hand := ByHand(**p)).wrong
                    and not same(hand.estimate, hand.held)
                    and told(p, *said)
                )
            ),
        },
        also=[
            dict(index="141", alpha=6.0, epsilon=1.5, seed=0),
            dict(ratio=2.2, seed=110),
            *(dict(index=str(i), seed=seed, alpha=4.0) for i in VECTOR for seed in range(4)),
        ],
    )


def test_scenes_of_the_embedding():
    both, larger, coarse = (
        scene(demos.embedding_bits, name)
        for name in ("Misled in both ways", "A larger table", "Few and coarse levels")
    )
    assert (both["wrong by flips"], both["wrong by collisions"], both["estimate"]) == (2, 1, 12)
    assert (larger["wrong by flips"], larger["wrong by collisions"]) == (2, 0)
    assert larger["estimate"] == 10
    assert (coarse["bits read"], coarse["wrong by flips"], coarse["wrong by collisions"]) == (
        4,
        0,
        0,
    )
    assert coarse["estimate"] == 6 and coarse["the entry holds"] == 9


def law_by_hand(value, levels, alpha, epsilon):
    """Every pattern of bits and its probability: the law of the estimate, in levels."""
    flip, exact = 1 / (alpha + 2), value * epsilon / alpha
    law = collections.Counter()
    for code in (math.floor(exact), math.floor(exact) + 1):
        share = 1 - abs(exact - code)
        for bits in itertools.product((0, 1), repeat=levels if share else 0):
            right = sum(bit == (b < code) for b, bit in enumerate(bits))
            top = highest(walk_over(bits))
            law[Fraction(sum(top), len(top))] += (
                share * (1 - flip) ** right * flip ** (levels - right)
            )
    return law


@pytest.mark.parametrize(
    ("value", "epsilon", "alpha"), [(7, 1.0, 3.0), (0, 0.5, 2.0), (30, 0.7, 2.5)]
)
def test_the_law_is_that_of_all_patterns_of_bits(value, epsilon, alpha):
    shown = demos.walk_of_estimate(value=value, epsilon=epsilon, alpha=alpha)
    levels = math.ceil(30 * epsilon / alpha)
    law = law_by_hand(value, levels, alpha, epsilon)
    weights = [0.0] * (levels + 1)
    for average, chance in law.items():
        weights[math.floor(average + Fraction(1, 2))] += chance
    bars = layer(shown, "exact law")
    assert bars["x"] == bars["to_x"] == list(range(levels + 1)) and not any(bars["y"])
    np.testing.assert_allclose(bars["to_y"], weights, atol=1e-12)
    error = sum(c * abs(float(average) * alpha / epsilon - value) for average, c in law.items())
    bound = (alpha / 2 + 4 + 4 / alpha if value else 2 + 2 / alpha) / epsilon
    numbers = shown["numbers"]
    assert numbers["expected error, exact"] == pytest.approx(error)
    assert numbers["promised at most"] == pytest.approx(bound) and error <= bound
    assert numbers["bits in all"] == levels


def bits_by_hand(value, epsilon, alpha, seed):
    """The rounded values and the bits of all look-ups: rounding is drawn first, then each level."""
    rng = np.random.default_rng(seed)
    exact = value * epsilon / alpha
    code = [math.floor(exact) + (draw < exact % 1) for draw in rng.random(2000)]
    flips = [rng.random(2000) < 1 / (alpha + 2) for _ in range(math.ceil(30 * epsilon / alpha))]
    return code, [[(b < y) != flip[i] for b, flip in enumerate(flips)] for i, y in enumerate(code)]


@pytest.mark.parametrize(
    ("value", "epsilon", "alpha", "seed"), [(12, 1.0, 2.0, 3), (25, 1.5, 2.0, 0), (5, 0.3, 6.0, 1)]
)
def test_the_walk_step_by_step(value, epsilon, alpha, seed):
    code, bits = bits_by_hand(value, epsilon, alpha, seed)
    walk, levels = walk_over(bits[0]), len(bits[0])
    state = dict(value=value, epsilon=epsilon, alpha=alpha, seed=seed)
    assert demos.walk_of_estimate.demo.stops("step", state) == list(range(levels + 1))
    for step in range(levels + 1):
        shown, so_far = demos.walk_of_estimate(**state, step=step), walk[: step + 1]
        assert curve(shown, "walk f(n)")[0].tolist() == list(range(step + 1))
        assert curve(shown, "walk f(n)")[1].tolist() == so_far
        assert curve(shown, "highest")[0].tolist() == shown["numbers"]["highest at n"]
        assert shown["numbers"]["highest at n"] == highest(so_far)
        for name in ("estimate so far", "estimate in the law"):
            assert layer(shown, name)["at"] == np.mean(highest(so_far))
        for name in ("true x", "true x in the law"):
            assert layer(shown, name)["at"] == pytest.approx(value * epsilon / alpha)
        name = "estimate so far" if step < levels else "estimate"
        estimate = np.mean(highest(so_far)) * alpha / epsilon
        assert shown["numbers"][name] == pytest.approx(estimate)
    assert curve(shown, "without flips")[1].tolist() == walk_over(
        b < code[0] for b in range(levels)
    )
    with pytest.raises(ParameterError, match=f"step must be from 0 to {levels} in this picture"):
        demos.walk_of_estimate(**state, step=levels + 1)


@pytest.mark.parametrize(("value", "epsilon", "alpha"), [(12, 1.0, 2.0), (0, 0.5, 3.0)])
def test_measured_rates_are_those_of_2000_look_ups_by_hand(value, epsilon, alpha):
    _, bits = bits_by_hand(value, epsilon, alpha, 3)
    tops = [highest(walk_over(row)) for row in bits]
    averages = [Fraction(sum(top), len(top)) for top in tops]
    seen = collections.Counter(math.floor(average + Fraction(1, 2)) for average in averages)
    shown = demos.walk_of_estimate(value=value, epsilon=epsilon, alpha=alpha)
    expected = [seen[n] / 2000 or math.nan for n in range(len(bits[0]) + 1)]
    np.testing.assert_allclose(curve(shown, "measured, 95%")[1], expected)
    errors = [abs(float(average) * alpha / epsilon - value) for average in averages]
    mean, margin = np.mean(errors), 1.96 * np.std(errors, ddof=1) / math.sqrt(2000)
    assert shown["numbers"]["mean error of 2,000 look-ups"] == pytest.approx(mean)
    assert shown["numbers"]["mean error, measured"] == pytest.approx([mean - margin, mean + margin])


def test_the_exact_law_lies_in_the_intervals():
    """Of 160 intervals at 95% some eight may miss; at a flip rate of 0.23 or 0.27 about 30 do."""
    missed = total = 0
    for value, seed in itertools.product((0, 7, 12, 20, 30), (0, 1)):
        shown = demos.walk_of_estimate(value=value, seed=seed)
        exact, measured = layer(shown, "exact law")["to_y"], layer(shown, "measured, 95%")
        for y, low, high in zip(exact, measured["low"], measured["high"], strict=True):
            total += 1
            missed += not low <= y <= high
    assert total == 160 and missed <= 16


def test_every_walk_stays_inside_the_axes():
    for alpha, epsilon, value in itertools.product((2.0, 6.0), (0.3, 1.5), (0, 12, 30)):
        levels = math.ceil(30 * epsilon / alpha)
        shown = demos.walk_of_estimate(alpha=alpha, epsilon=epsilon, value=value, step=levels)
        above, below = shown["axes"]
        for name in ("walk f(n)", "without flips"):
            assert max(map(abs, curve(shown, name)[1])) <= above["y"]["limits"][1]
        assert max(layer(shown, "measured, 95%")["high"]) <= below["y"]["limits"][1]
        assert max(layer(shown, "exact law")["to_y"]) <= below["y"]["limits"][1]
        assert levels < above["x"]["limits"][1] == below["x"]["limits"][1]


def test_where_the_walk_is_highest_is_told():
    def so_far(state):
        code, flips = bits_of_first(**state)
        walk = walk_over((b < code) != flip for b, flip in enumerate(flips))
        top = highest(walk[: state["step"] + 1])
        return top, np.mean(top) * state["alpha"] / state["epsilon"], len(flips)

    def bits_of_first(value, epsilon, alpha, seed, **_):
        rng, exact = np.random.default_rng(seed), value * epsilon / alpha
        code = math.floor(exact) + (rng.random(2000)[0] < exact % 1)
        levels = math.ceil(30 * epsilon / alpha)
        return code, [rng.random(2000)[0] < 1 / (alpha + 2) for _ in range(levels)]

    def says(state, text):
        return near(text, estimate) if (estimate := so_far(state)[1]) else text == "0"

    def all_read(state):
        return state["step"] == so_far(state)[2]

    check_captions(
        demos.walk_of_estimate,
        {
            "No bit is read yet; the walk will climb with every 1 and fall with every 0.": (
                lambda n, p: p["step"] == 0
            ),
            r"So far the walk is highest at several places; .* is their average, (.*)\.": (
                lambda n, p, e: len(so_far(p)[0]) > 1 and says(p, e) and not all_read(p)
            ),
            r"The walk is highest where it stands; a 1 .* moves the estimate on from (.*)\.": (
                lambda n, p, e: so_far(p)[0] == [p["step"]] and says(p, e) and not all_read(p)
            ),
            r"The walk is past its summit; the estimate stays (.*) unless it climbs back\.": (
                lambda n, p, e: (
                    len(so_far(p)[0]) == 1
                    and so_far(p)[0][0] < p["step"]
                    and says(p, e)
                    and not all_read(p)
                )
            ),
            r"All bits are read: the estimate is (.*), and the entry holds (.*)\.": (
                lambda n, p, e, held: (
                    all_read(p) and says(p, e) and int(held) == p["value"] != so_far(p)[1]
                )
            ),
            r"All bits are read, and the estimate is right: (.*)\.": lambda n, p, held: (
                all_read(p) and int(held) == p["value"] and np.isclose(so_far(p)[1], p["value"])
            ),
        },
        also=[
            *(dict(step=step, seed=seed) for step in (0, 1, 3, 15) for seed in range(3)),
            *(dict(value=0, step=15, seed=seed) for seed in range(4)),
        ],
    )


def test_scenes_of_the_walk():
    whole, zero, few, many = (
        scene(demos.walk_of_estimate, name)
        for name in ("The whole walk", "A zero", "Few levels", "Many levels")
    )
    assert whole["estimate"] == 18 and round(whole["expected error, exact"], 2) == 3.38
    assert round(zero["expected error, exact"], 2) == 2.79
    assert (few["bits in all"], many["bits in all"]) == (5, 23)


def closed_form(entries, alpha, scale):
    whole = math.floor(scale / entries / alpha)
    return entries * math.log((1 + alpha) ** whole * (1 + scale / entries - alpha * whole))


@pytest.mark.parametrize(
    ("entries", "alpha"), [(1, 3.0), (1, 0.5), (2, 3.0), (2, 0.7), (4, 8.0), (4, 0.5)]
)
def test_circles_are_the_largest_log_ratio_over_all_outputs(entries, alpha):
    x, y = curve(demos.privacy_spent(entries=entries, alpha=alpha), "by enumeration")
    assert x.tolist() == [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4] and not np.isnan(y).any()
    expected = [loss_by_hand(entries, alpha, budget) for budget in x[::2]]
    np.testing.assert_allclose(y[::2], expected, rtol=1e-9)


@pytest.mark.parametrize("entries", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("alpha", [0.25, 1.0, 3.0, 8.0])
def test_the_curve_is_the_closed_form_and_goes_through_the_circles(entries, alpha):
    shown = demos.privacy_spent(entries=entries, alpha=alpha)
    x, y = curve(shown, "exact, closed form")
    np.testing.assert_allclose(y, [closed_form(entries, alpha, budget) for budget in x], rtol=1e-9)
    assert (y <= x * (1 + 1e-12)).all() and x[-1] == 4
    assert [v.tolist() for v in curve(shown, "promised (Lemma 4.12)")] == [[0, 4], [0, 4]]
    x, y = curve(shown, "by enumeration")
    bits = [entries * math.ceil(budget / entries / alpha) for budget in x]
    enumerated = np.array([b <= 12 and entries <= 4 for b in bits])
    assert (np.isnan(y) == ~enumerated).all()
    np.testing.assert_allclose(
        y[enumerated], [closed_form(entries, alpha, budget) for budget in x[enumerated]], rtol=1e-9
    )


@pytest.mark.parametrize(
    ("epsilon", "alpha", "scale"),
    [(1.0, 3.0, math.e - 1), (0.5, 8.0, math.exp(0.5) - 1), (2.0, 3.0, 3 + math.e**2 / 4 - 1)],
)
def test_the_histogram_s_scale_costs_all_of_epsilon_in_one_entry(epsilon, alpha, scale):
    shown = demos.privacy_spent(epsilon=epsilon, alpha=alpha, entries=1)
    assert loss_by_hand(1, alpha, scale) == pytest.approx(epsilon, rel=1e-12)
    spent = loss_by_hand(1, alpha, epsilon)
    np.testing.assert_allclose(curve(shown, "the histogram’s scale"), [[epsilon], [epsilon]])
    np.testing.assert_allclose(curve(shown, "the paper’s scale ε"), [[epsilon], [spent]])
    stem = layer(shown, "from scale to scale")
    assert stem["x"] == stem["to_x"] == [epsilon]
    assert (stem["y"], stem["to_y"]) == (pytest.approx([spent]), pytest.approx([epsilon]))
    numbers = shown["numbers"]
    assert numbers["histogram’s scale"] == pytest.approx(scale)
    assert numbers["histogram’s scale / ε"] == pytest.approx(scale / epsilon)
    assert numbers["share of ε"] == pytest.approx(spent / epsilon)
    assert numbers["exact"] == pytest.approx(spent) and numbers["promised at most"] == epsilon


def test_in_several_entries_the_histogram_s_scale_costs_more_than_epsilon():
    """So the enumeration says at ε = 1 in two halves, and the closed form everywhere."""
    by_hand = loss_by_hand(2, 3.0, math.e - 1)
    assert demos.privacy_spent()["numbers"]["exact, histogram’s scale"] == pytest.approx(by_hand)
    choices = demos.privacy_spent.demo.choices
    for epsilon, alpha, entries in itertools.product(*choices.values()):
        if (round(1e3 * epsilon) + round(4 * alpha) + entries) % 5:
            continue
        shown = demos.privacy_spent(epsilon=epsilon, alpha=alpha, entries=entries)
        (paper,), (wide,) = (
            curve(shown, name)[1] for name in ("the paper’s scale ε", "the histogram’s scale")
        )
        assert paper <= epsilon * (1 + 1e-12)
        assert wide < shown["axes"][0]["y"]["limits"][1]
        assert (wide > epsilon * (1 + 1e-9)) == (entries > 1)
        assert wide == pytest.approx(
            closed_form(entries, alpha, shown["numbers"]["histogram’s scale"])
        )


def test_what_a_change_of_1_costs_is_told():
    def costs(state, share):
        return near(
            share,
            closed_form(state["entries"], state["alpha"], state["epsilon"]) / state["epsilon"],
        )

    check_captions(
        demos.privacy_spent,
        {
            r"A change of 1 in one entry costs (.*) of ε; the .* scale spends all of it\.": (
                lambda n, p, share: (
                    p["entries"] == 1
                    and costs(p, share)
                    and np.isclose(n["share of ε, histogram’s scale"], 1, rtol=1e-9)
                )
            ),
            r"A change of 1 in (\d+) equal parts costs (.*) of ε; the .* costs more than ε\.": (
                lambda n, p, parts, share: (
                    p["entries"] == int(parts) > 1
                    and costs(p, share)
                    and n["share of ε, histogram’s scale"] > 1 + 1e-9
                )
            ),
        },
    )  # fmt: skip


def test_scenes_of_what_is_spent():
    assert scene(demos.privacy_spent, "In one entry")["exact"] == pytest.approx(math.log(2))
    spread = scene(demos.privacy_spent, "Spread over 16 entries")["exact"]
    assert spread == pytest.approx(16 * math.log1p(1 / 16)) and round(spread, 2) == 0.97
    start = demos.privacy_spent()["numbers"]  # does not tell what is to be predicted
    assert "0.693" not in f"{start}" and start["exact"] == pytest.approx(2 * math.log(1.5))


def histogram_scales(alphas, epsilon):
    """Where a change of 1 in one entry costs ε, for each α: by bisection on the loss."""
    low, high = np.full((2, len(alphas)), [[0.0], [100.0]])
    for _ in range(60):
        middle = (low + high) / 2
        costs = alp_loss(alpha=alphas, epsilon=middle) > epsilon
        low, high = np.where(costs, low, middle), np.where(costs, middle, high)
    return low


def bound_by_hand(alphas, scale, *, ratio, zero):
    walk = ((alphas + 2) / alphas / (1 - 2 / ratio)) ** 2
    return alphas / scale * ((walk - 1) / 2 if zero else walk - 0.5)


@pytest.mark.parametrize(("ratio", "best"), [(30, 2.662), (5, 2.209), (3, 2.0580)])
def test_the_mark_is_the_least_bound(ratio, best):
    certain = 1 - 2 / ratio
    assert best == pytest.approx(2 / math.sqrt(1 - certain**2 / 2), rel=1e-3)
    shown = demos.choice_of_alpha(value="spread", ratio=ratio, epsilon=0.5)
    (alpha,), (least,) = curve(shown, "least bound")
    assert alpha == pytest.approx(best, rel=1e-3)
    x, bound = curve(shown, "bound with collisions")
    np.testing.assert_allclose(bound, bound_by_hand(x, 0.5, ratio=ratio, zero=False))
    assert least == pytest.approx(bound.min(), rel=1e-3) and least <= bound.min()
    assert shown["numbers"]["bound is least at α"] == alpha
    assert shown["numbers"]["least bound"] == least


def test_equation_1_and_the_bound_of_a_zero():
    shown = demos.choice_of_alpha(value="spread", epsilon=0.5)
    x, printed = curve(shown, "Equation 1, no collisions")
    np.testing.assert_allclose(printed, (x / 2 + 8 + 8 / x) / 0.5)
    numbers = shown["numbers"]
    assert numbers["Equation 1 is least at α"] == pytest.approx(4, rel=1e-3)
    assert numbers["least of Equation 1"] == pytest.approx(24)
    shown = demos.choice_of_alpha(value="zero", epsilon=0.5, ratio=10)
    x, printed = curve(shown, "Equation 1, no collisions")
    np.testing.assert_allclose(printed, (8 + 8 / x) / 0.5)
    x, bound = curve(shown, "bound with collisions")
    np.testing.assert_allclose(bound, bound_by_hand(x, 0.5, ratio=10, zero=True))
    assert curve(shown, "least bound")[0] == pytest.approx(2 / math.sqrt(1 - 0.8**2), rel=1e-3)
    assert np.isnan(curve(shown, "expected, worst of “spread”")[1]).all()
    assert shown["numbers"]["least of Equation 1"] == pytest.approx((8 + 8 / 30) / 0.5)


@pytest.mark.parametrize(
    ("neighbours", "epsilon", "same"), [("l1", 0.7, 0.7), ("histogram", 0.7, math.exp(0.7) - 1)]
)
def test_without_scaling_alpha_is_epsilon_or_what_the_histogram_allows(neighbours, epsilon, same):
    shown = demos.choice_of_alpha(neighbours=neighbours, epsilon=epsilon)
    assert layer(shown, "α without scaling")["at"] == pytest.approx(same)
    assert layer(shown, "at that α")["x"] == pytest.approx([same])
    assert shown["numbers"]["α without scaling"] == pytest.approx(same)
    bound = bound_by_hand(same, same, ratio=30, zero=True)
    assert shown["numbers"]["bound without scaling"] == pytest.approx(bound)


def test_the_histogram_divides_every_error_by_its_scale():
    l1, wide = (
        demos.choice_of_alpha(neighbours=name, value="spread") for name in ("l1", "histogram")
    )
    names = "bound with collisions", "expected, average or zero", "expected, worst of “spread”"
    for name in names:
        (x, errors), smaller = curve(l1, name), curve(wide, name)[1]
        np.testing.assert_allclose(errors / smaller, histogram_scales(x, 1.0), rtol=1e-9)
        assert np.all(errors > smaller)


@pytest.mark.parametrize(
    ("value", "neighbours", "scale"),
    [("zero", "l1", 0.5), ("spread", "l1", 0.5), ("spread", "histogram", math.expm1(0.5))],
)
def test_the_expected_error_against_alpha_is_measured_and_enumerated(value, neighbours, scale):
    """Means of 12 seeds; a standard error is at most 5%, so that 20% would be seen."""
    shown = demos.choice_of_alpha(ratio=5, value=value, neighbours=neighbours, epsilon=0.5)
    alphas, exact = curve(shown, "expected, average or zero")
    tried, measured = curve(shown, "measured, 95%")
    entries = 40 * (np.arange(180) // 3 + 0.5) / 60
    errors = np.array(
        [
            errors_by_alpha(
                tuple(entries), zeros=value == "zero", size=900, cap=40, alphas=tuple(tried), seed=s
            )
            for s in range(12)
        ]
    )
    errors = errors / (scale if neighbours == "l1" else histogram_scales(tried, 0.5)[:, None])
    np.testing.assert_allclose(measured, errors[0].mean(axis=1))
    assert shown["numbers"]["measured"] == pytest.approx(measured)
    margin = 1.96 * errors[0].std(axis=1, ddof=1) / math.sqrt(180)
    np.testing.assert_allclose(layer(shown, "measured, 95%")["high"], measured + margin)
    means = errors.mean(axis=2)
    standard = errors.std(axis=2).mean(axis=0) / math.sqrt(errors[:, 0].size)
    both = [i for i, alpha in enumerate(tried) if alpha in alphas]
    assert len(both) == 5
    for i in both:
        expected = exact[list(alphas).index(tried[i])]
        assert abs(means[:, i].mean() - expected) < 4 * standard[i]
        assert standard[i] < 0.05 * expected
    reach = [np.clip(entries / 12 - b, 0, 1) for b in range(4)]
    loads = [1 - np.prod(1 - chances / 900) for chances in reach]
    points = [0.0] if value == "zero" else sorted(set(entries.tolist()))
    found = [enumerated_error(x, loads, 12.0, 1.0) for x in points]
    assert exact[list(alphas).index(12)] == pytest.approx(np.mean(found) / scale)
    if value == "spread":
        worst = curve(shown, "expected, worst of “spread”")[1][list(alphas).index(12)]
        assert worst == pytest.approx(max(found) / scale)


def test_the_best_alpha_is_told():
    def best(state):
        alphas = np.geomspace(0.3, 30, 20_001)
        scale = state["epsilon"]
        if state["neighbours"] == "histogram":
            scale = histogram_scales(alphas, scale)
        zero = state["value"] == "zero"
        return alphas[bound_by_hand(alphas, scale, ratio=state["ratio"], zero=zero).argmin()]

    ends = (
        "the bound is least at α = (.*): a smaller α means more flips, a larger one coarser levels."
    )
    check_captions(
        demos.choice_of_alpha,
        {
            "For a zero the bound is least at α = (.*); your guess for entries of all sizes is (.*).": (
                lambda n, p, alpha, guess: (
                    p["value"] == "zero"
                    and np.isclose(read_value(alpha), best(p), rtol=0.006)
                    and near(guess, p["guess"])
                )
            ),
            f"For entries of all sizes {ends}": lambda n, p, alpha: (
                p["value"] == "spread" and np.isclose(read_value(alpha), best(p), rtol=0.006)
            ),
        },
    )


def test_scenes_of_the_best_alpha():
    figure = demos.choice_of_alpha
    start = figure()
    assert layer(start, "guess")["at"] == figure.demo.start["guess"] == 20
    for name in ("Reveal", "A smaller ε", "A larger ε"):
        assert round(scene(figure, name)["bound is least at α"], 2) == 2.66
    average = scene(figure, "Reveal")
    assert (average["error is least at α"], round(average["least error"], 2)) == (2.5, 3.68)
    histogram = scene(figure, "… and the histogram’s scale")["bound is least at α"]
    assert round(histogram, 2) == 3.48 == round(math.expm1(1.5), 2)


@pytest.mark.parametrize("alpha", [0.5, 3.0, 8.0])
def test_errors_of_a_zero_with_and_without_scaling(alpha):
    shown = demos.with_or_without_scaling(alpha=alpha)
    x, unscaled = curve(shown, "no scaling, x = 0")
    np.testing.assert_allclose(unscaled, 2 * (1 + x) / x**2)
    scaled = curve(shown, "scaled by ε, x = 0")[1]
    np.testing.assert_allclose(scaled, (2 + 2 / alpha) / x)
    step = np.maximum(alpha, np.exp(x) - 1)
    wide = curve(shown, "by e^ε − 1, α ≥ that, x = 0")[1]
    np.testing.assert_allclose(wide, (2 + 2 / step) / np.expm1(x))
    response = step > alpha  # randomised response on the unary code
    np.testing.assert_allclose(wide[response], 1 / (2 * np.sinh(x[response] / 2) ** 2))
    np.testing.assert_allclose(curve(shown, "Equation 1, no scaling")[1], (8 * x + 8) / x**2)
    promise = (alpha / 2 + 8 + 8 / alpha) / x
    np.testing.assert_allclose(curve(shown, "Equation 1, scaled")[1], promise)
    assert np.all((unscaled < scaled) == (x > alpha))


@pytest.mark.parametrize("alpha", [0.5, 3.0, 8.0])
def test_marks_are_where_the_curves_cross(alpha):
    shown = demos.with_or_without_scaling(alpha=alpha)
    (zero, promise), (at_zero, at_promise) = curve(shown, "crossings")
    assert zero == alpha and at_zero == pytest.approx((2 + 2 / alpha) / alpha)
    assert 8 * (promise + 1) / promise**2 == pytest.approx(at_promise)
    assert (alpha / 2 + 8 + 8 / alpha) / promise == pytest.approx(at_promise)
    assert shown["numbers"]["Equation 1 is the same at ε"] == promise
    if alpha <= 5:  # as far as the slider reaches
        same = demos.with_or_without_scaling(alpha=alpha, epsilon=alpha)["numbers"]
        assert same["no scaling, exact at 0"] == pytest.approx(at_zero)
        assert same["scaled by ε, exact at 0"] == pytest.approx(at_zero)


def test_dots_and_numbers_with_and_without_scaling():
    shown = demos.with_or_without_scaling(epsilon=0.5, value=2, seed=3)
    numbers, ways = shown["numbers"], [(0.5, 0.5), (0.5, 3.0), (math.expm1(0.5), 3.0)]
    names = "no scaling, x = 0", "scaled by ε, x = 0", "by e^ε − 1, α ≥ that, x = 0"
    told = "no scaling", "scaled by ε", "by e^ε − 1"
    for i, (name, (scale, alpha)) in enumerate(zip(names, ways, strict=True)):
        dots = layer(shown, f"measured, {name}")
        errors = errors_alone(2, alpha=alpha, epsilon=scale, seed=3)
        mean, margin = errors.mean(), 1.96 * errors.std(ddof=1) / math.sqrt(len(errors))
        assert dots["y"] == pytest.approx([mean]) and numbers["means measured"][i] == mean
        interval = [mean - margin, mean + margin]
        assert numbers[f"{told[i]}, measured at 2"] == pytest.approx(interval)
        assert [dots["low"][0], dots["high"][0]] == pytest.approx(interval)
        assert round(dots["x"][0], 2) == (0.47, 0.5, 0.53)[i]
        assert dots["style"]["markerfacecolor"] == layer(shown, name)["style"]["color"]
    exact = [numbers[f"{name}, exact at 0"] for name in told]
    assert exact == pytest.approx([12, (2 + 2 / 3) / 0.5, (2 + 2 / 3) / math.expm1(0.5)])
    assert numbers["Equation 1, no scaling"] == pytest.approx(48)
    assert numbers["Equation 1, scaled"] == pytest.approx((1.5 + 8 + 8 / 3) / 0.5)


def test_whether_scaling_pays_is_told():
    def factor(state):
        return (1 + 1 / state["epsilon"]) / (1 + 1 / state["alpha"])

    check_captions(
        demos.with_or_without_scaling,
        {
            r"Below ε = α scaling pays: without it the error of a zero is (.*) times as large\.": (
                lambda n, p, times: p["epsilon"] < p["alpha"] and near(times, factor(p))
            ),
            r"At ε = α it is all the same: not to scale is ALP with α = ε\.": (
                lambda n, p: p["epsilon"] == p["alpha"] and np.isclose(factor(p), 1)
            ),
            r"Beyond ε = α scaling by ε costs: .* is (.*) times as large as without\.": (
                lambda n, p, times: p["epsilon"] > p["alpha"] and near(times, 1 / factor(p))
            ),
        },
        also=[dict(epsilon=2.0), dict(epsilon=4.0)],  # α = 3; Equation 1 is the same at 1.92
    )
    meet = scene(demos.with_or_without_scaling, "A small ε")["Equation 1 is the same at ε"]
    assert round(meet, 2) == 1.92


def error_among(value, others, *, size, levels, alpha, epsilon):
    """Expected error, times epsilon, over all roundings of the value and all patterns of bits."""
    reach = [[min(1, max(0, x * epsilon / alpha - b)) for x in others] for b in range(levels)]
    loads = [1 - math.prod(1 - chance / size for chance in each) for each in reach]
    return epsilon * enumerated_error(value, loads, alpha, epsilon)


@pytest.mark.parametrize(
    ("ratio", "given", "sparsity", "alpha", "epsilon", "cap"),
    [(2.5, 1.0, 10, 3.0, 1.0, 20), (4.0, 3.0, 20, 2.0, 0.5, 30), (10.0, 0.1, 10, 5.0, 1.5, 10)],
)
def test_exact_errors_are_those_of_all_patterns_of_bits(
    ratio, given, sparsity, alpha, epsilon, cap
):
    shown = demos.collisions_against_size(
        ratio=ratio, given=given, sparsity=sparsity, alpha=alpha, epsilon=epsilon, cap=cap
    )
    numbers = shown["numbers"]
    levels, number = math.ceil(cap * epsilon / alpha), round(given * sparsity)
    tenth, size = max(1, number // 10), round(ratio * sparsity)
    assert (numbers["levels m"], numbers["entries given"]) == (levels, number)
    vector = [cap] * (number - tenth) + [cap / 2] * tenth
    setting = {"size": size, "levels": levels, "alpha": alpha, "epsilon": epsilon}
    for kind, value, others in (("0", 0, vector), ("β/2", cap / 2, vector[:-1])):
        x, y = curve(shown, f"exact, {kind}")
        (error,) = y[x == size / sparsity]
        assert error == pytest.approx(error_among(value, others, **setting), rel=1e-9)
        told = kind.replace("0", "zero")
        assert numbers[f"{told}, exact"] == error
        least = [value * epsilon, alpha * levels - value * epsilon]
        assert curve(shown, f"largest, {kind}")[1] == pytest.approx([max(least)] * 2)
        assert numbers[f"{told}, largest possible"] == pytest.approx(max(least))
        assert layer(shown, f"here: {kind}")["at"] == size / sparsity
    flips = error_among(0, [], **setting)
    assert numbers["zero, exact, by flips alone"] == pytest.approx(flips)
    hit = 1 - math.prod(1 - min(1, other * epsilon / alpha) / size for other in vector)
    assert numbers["first bit of a zero is hit"] == pytest.approx(hit)
    assert numbers["k/s"] == sparsity / size


@pytest.mark.parametrize(
    ("sparsity", "given", "enough"), [(10, 0.1, False), (30, 1.5, False), (10, 5.0, True)]
)
def test_what_few_entries_cannot_tell_is_not_shown(sparsity, given, enough):
    """1 and 4 entries at half the cap in each release are too few, 5 are enough."""
    shown = demos.collisions_against_size(sparsity=sparsity, given=given)
    zero, half = (np.isfinite(curve(shown, f"measured, {kind}")[1]) for kind in ("0", "β/2"))
    assert zero.all() and half.all() == half.any() == enough
    assert None not in shown["numbers"]["zero, measured"]
    assert (None not in shown["numbers"]["β/2, measured"]) == enough


def test_measured_errors_of_a_crowd_hold_the_exact_ones():
    """Of 60 intervals at 95%, of 6 releases each, 9 or more miss with probability 0.3%."""
    missed = 0
    for seed, ratio in itertools.product(range(10), (2.5, 10.0, 30.0)):
        shown = demos.collisions_against_size(seed=seed, ratio=ratio)["numbers"]
        for kind in ("zero", "β/2"):
            low, high = shown[f"{kind}, measured"]
            missed += not low <= shown[f"{kind}, exact"] <= high
    assert missed < 9


def zero_bound(load, alpha):
    g = 1 / (alpha + 2) + load * alpha / (alpha + 2)
    return alpha * 2 * g * (1 - g) / (1 - 2 * g) ** 2


@pytest.mark.parametrize("more", [{}, {"alpha": 1.5}, {"alpha": 20.0}, {"given": 0.1}, {"cap": 2}])
def test_bounds_hold_for_k_entries_and_grow_without_end_towards_2(more):
    shown = demos.collisions_against_size(**more)
    alpha = more.get("alpha", 3.0)
    for kind in ("0", "β/2"):
        ratio, bound = curve(shown, f"bound, {kind}")
        zero = zero_bound(1 / ratio, alpha)
        np.testing.assert_allclose(bound, zero if kind == "0" else alpha / 2 + 2 * zero, rtol=1e-9)
        assert bound[0] > 1000 and np.all(np.diff(bound) < 0)
        x, exact = curve(shown, f"exact, {kind}")
        assert np.all(exact <= np.exp(np.interp(np.log(x), np.log(ratio), np.log(bound))))
        assert exact.max() < curve(shown, f"largest, {kind}")[1][0] * (1 + 1e-12)


@pytest.mark.parametrize(
    ("ratio", "given", "sparsity"), [(10.0, 3.0, 100), (7.0, 3.0, 10), (4.0, 1.5, 30)]
)
def test_more_entries_than_k_have_the_bound_of_their_own_number(ratio, given, sparsity):
    numbers = demos.collisions_against_size(ratio=ratio, given=given, sparsity=sparsity)["numbers"]
    zero, half = zero_bound(given / ratio, 3.0), 1.5 + 2 * zero_bound(given / ratio, 3.0)
    assert numbers["zero, exact"] < numbers["zero, promised at most"] == pytest.approx(zero)
    assert numbers["β/2, exact"] < numbers["β/2, promised at most"] == pytest.approx(half)


def test_half_the_table_is_the_end_of_the_bound():
    for given, ratio in ((5.0, 10.0), (1.5, 3.0), (2.0, 2.05)):
        numbers = demos.collisions_against_size(given=given, ratio=ratio)["numbers"]
        assert numbers["zero, promised at most"] is numbers["β/2, promised at most"] is None
    for given, ratio in ((5.0, 15.0), (1.5, 4.0), (0.5, 2.05), (1.0, 2.05)):
        numbers = demos.collisions_against_size(given=given, ratio=ratio)["numbers"]
        load = max(given, 1) / ratio
        assert numbers["zero, promised at most"] == pytest.approx(zero_bound(load, 3.0))


def test_what_collisions_cost_is_told():
    def factor(n):
        return n["zero, exact"] / n["zero, exact, by flips alone"]

    def bound(n, p):
        load = max(n["entries given"], p["sparsity"]) / n["size s"]
        return zero_bound(load, p["alpha"]) if load < 0.5 else None

    ends = {
        r"with so many entries nothing is promised\.": lambda n, p: bound(n, p) is None,
        r"the bound is beyond all that is possible\.": lambda n, p: (
            bound(n, p) is not None and bound(n, p) > p["alpha"] * n["levels m"]
        ),
        r"the bound is ([\d.,·⁰¹²³⁴⁵⁶⁷⁸⁹]+) times the error\.": lambda n, p, times: (
            bound(n, p) <= p["alpha"] * n["levels m"]
            and near(times, bound(n, p) / n["zero, exact"])
        ),
    }
    lead = (
        "Collisions (?:make the error of a zero (.*) times that of flips alone|hardly change .*); "
    )
    claims = {
        lead + end: lambda n, p, times, *said, true=true: (
            (near(times, factor(n)) if times else factor(n) < 1.005) and true(n, p, *said)
        )
        for end, true in ends.items()
    }
    rare = dict(given=0.1, ratio=100.0, alpha=1.5, cap=2)
    check_captions(demos.collisions_against_size, claims, also=[dict(given=5.0), rare])
    sentence = demos.collisions_against_size(**rare)["sentence"]
    assert sentence.startswith("Collisions hardly change the error of a zero; ")


def test_scenes_of_collisions():
    start, small, more, both = (
        demos.collisions_against_size(**demos.collisions_against_size.demo.scene(name))["numbers"]
        for name in demos.collisions_against_size.demo.scenes
    )
    assert round(start["zero, exact"], 2) == 3.94 and start["entries given"] == 100
    assert round(small["first bit of a zero is hit"], 3) == 0.387
    assert round(small["zero, promised at most"], -2) == 7000 and round(small["zero, exact"]) == 11
    assert round(more["zero, exact"], 2) == 7.45 and round(both["zero, exact"], 1) == 22.5
    # of 1,000 and 205 places, with another function: no bound, and beyond it
    for numbers, size in ((more, 1000), (both, 205)):
        others = np.repeat([30, 15], [270, 30])
        among = alp_error_among(0.0, others, size=size, cap=30, alpha=3.0, epsilon=1.0)
        assert numbers["zero, exact"] == pytest.approx(among)
    assert more["zero, exact"] > zero_bound(0.1, 3.0) and both["zero, promised at most"] is None


def test_levels_are_at_most_20():
    stops = demos.collisions_against_size.demo.stops
    for alpha, epsilon in itertools.product((1.5, 3.0, 20.0), (0.1, 1.0, 2.0)):
        caps = stops("cap", {"alpha": alpha, "epsilon": epsilon})
        assert math.ceil(caps[-1] * epsilon / alpha) <= 20
        assert caps[-1] == 60 or math.ceil(1.5 * caps[-1] * epsilon / alpha) > 20
    with pytest.raises(ParameterError, match="cap must be from 2 to 30 in this picture, got 60"):
        demos.collisions_against_size(cap=60, epsilon=2.0)
