"""What the pictures of notebook 02 show, against the library and by hand."""

import numpy as np
import pytest

from course_lib.demos import numeric_sparse as demos
from course_lib.demos.picture import layer
from course_lib.demos.words import probability
from course_lib.exact.family import Variant
from course_lib.exact.transcripts import log_probability
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.data import health_values, load_survey
from course_lib.numeric_sparse import (
    numeric_sparse,
    numeric_sparse_alpha,
    numeric_sparse_alpha_printed,
    sparse,
)
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError
from course_lib.toolbox import advanced_composition
from tests.pictures import check_captions, curve, near, value

COUNTS = health_values()
SPARSE = dict(threshold=1800, cutoff=3, epsilon=0.3)  # of the opening picture


def scales(cutoff, epsilon, delta=0.0):
    """σ₁ and σ₂ of the book: 9c/4ε and 9c/ε, or a unit over 4 and √8 units for δ > 0."""
    if delta == 0:
        return 9 * cutoff / (4 * epsilon), 9 * cutoff / epsilon
    unit = (np.sqrt(512) + 1) * np.sqrt(cutoff * np.log(2 / delta)) / epsilon
    return unit / 4, np.sqrt(8) * unit


def finds_wrongly(num_queries, alpha, *, cutoff, epsilon, delta=0.0):
    """That a ⊤ or ⊥ is wrong on c equal runs at T - α with T + α after each, by the transcript."""
    sigma, _ = scales(cutoff, epsilon, delta)
    row = Variant("by hand", sigma, 2 * sigma, True, None, cutoff)
    lows = [(num_queries - cutoff + j) // cutoff for j in range(cutoff)]
    stream = [run for low in lows for run in ((-alpha, low, BELOW), (alpha, 1, ABOVE)) if run[1]]
    values, counts, said = zip(*stream, strict=True)
    return -np.expm1(log_probability(row, values, said, threshold=0, counts=counts))


def numbers_err(alpha, *, cutoff, epsilon, delta=0.0):
    return 1 - (1 - np.exp(-alpha / scales(cutoff, epsilon, delta)[1])) ** cutoff


def fails(num_queries, alpha, **parameters):
    right = 1 - finds_wrongly(num_queries, alpha, **parameters)
    return 1 - right * (1 - numbers_err(alpha, **parameters))


def promised(num_queries, alpha, *, cutoff, epsilon, delta=0.0):
    """The union bounds of finding and of the numbers."""
    sigma1, sigma2 = scales(cutoff, epsilon, delta)
    finding = 4 * cutoff * num_queries * np.exp(-alpha / (4 * sigma1))
    return np.minimum(1, finding), np.minimum(1, 2 * cutoff * np.exp(-alpha / sigma2))


def check_measured(shown, trials, exact):
    """All measured rates are within 99.99% of the exact ones, and the last is among the numbers."""
    measured = layer(shown, "measured, 95%")
    for x, rate in zip(measured["x"], measured["y"], strict=True):
        low, high = clopper_pearson(round(trials * (rate or 0)), trials, confidence=0.9999)
        assert low <= exact(x) <= high, x
    last = [measured["low"][-1], measured["high"][-1]]
    assert shown["numbers"].get("measured", last) == last
    return measured


def survey_run(*, seed, num_queries=24, **parameters):
    rng = np.random.default_rng(seed)
    return list(numeric_sparse(load_survey(), demos.STREAM[:num_queries], **parameters, rng=rng))


def test_a_budget_for_rings_pays_half_of_a_third_to_wait_and_half_to_ring():
    """By hand, in sixths: the first answer after a ring pays one, and the ring itself another."""
    rng = np.random.default_rng(0)
    answers = list(sparse(load_survey(), demos.STREAM, **SPARSE, rng=rng))
    rung = [i for i, answer in enumerate(answers, 1) if answer is ABOVE]
    assert rung == [15, 16, 21] and len(answers) == 21
    sixths = [6] + [5] * 14 + [4, 2] + [1] * 4 + [0]
    for asked in range(1, 25):
        shown = demos.rings(num_queries=asked)
        heard = min(asked, 21)
        x, left = curve(shown, "pay for each ring")
        assert x.tolist() == list(range(heard + 1))
        assert np.allclose(6 * left, sixths[: heard + 1])
        assert shown["numbers"]["⊤ at questions"] == [i for i in rung if i <= asked]
        # Laplace noise of scale 4c/ε on a count costs ε/4c
        spent = np.arange(asked + 1) * (SPARSE["epsilon"] / 12) / SPARSE["epsilon"]
        assert np.allclose(curve(shown, "publish each count")[1], np.maximum(0, 1 - spent))
        assert layer(shown, "rings")["x"] == [i for i in rung if i <= asked]


def test_rings_tell_what_is_left():
    def so_many(word):
        return {"no": 0, "one": 1}.get(word.split()[0]) if word[0] in "no" else int(word.split()[0])

    check_captions(
        demos.rings,
        {
            r"After (.*) questions? and (.*) rings?, (.*) of the budget is left; published counts would leave (.*)\.": (
                lambda n, p, asked, rung, left, counts: (
                    so_many(asked) == p["num_queries"] == n["questions answered"]
                    and so_many(rung) == n["rings"] < 3
                    and left == f"{n['left for rings']:.0%}"
                    and counts == (f"{n['left for counts']:.0%}" if p["num_queries"] < 12 else "nothing")
                )
            ),
            r"Ring 3, at question (\d+), empties the budget; published counts emptied it at 12\.": (
                lambda n, p, at: (
                    n["⊤ at questions"][2] == int(at) <= p["num_queries"]
                    and n["left for rings"] == n["left for counts"] == 0
                )
            ),
        },
    )  # fmt: skip


@pytest.mark.parametrize(
    ("num_queries", "parts"),
    [
        (14, [4 / 9, 0, 0, 0, 0, 0]),
        (15, [1, 0, 0, 0, 0, 0]),
        (16, [1, 1, 0, 0, 0, 0]),
        (17, [1, 1, 4 / 9, 0, 0, 0]),
        (24, [1] * 6),
    ],
)
def test_the_meter_of_a_run_has_a_part_for_each_number(num_queries, parts):
    """A threshold pays 1/σ₁ = 4ε/9c, its ⊤ as much again, and the number 1/σ₂ = ε/9c."""
    finding, number = scales(6, 0.3)
    assert np.isclose(1 / finding, 4 / 9 * 0.3 / 6)
    assert np.isclose(2 / finding + 1 / number, 0.3 / 6)
    shown = demos.one_sparse_run(num_queries=num_queries)
    empty, full = (layer(shown, name) for name in ("budget", "budget used"))
    used = np.subtract(full["to_x"], full["x"]) / np.subtract(empty["to_x"], empty["x"])
    assert np.allclose(used, parts)
    assert layer(shown, "budget in words")["words"] == [f"budget used: {np.mean(parts):.0%}"]


@pytest.mark.parametrize("cutoff", [1, 4, 12])
@pytest.mark.parametrize("seed", range(3))
def test_one_run_shows_a_run_of_the_mechanism(cutoff, seed):
    """Its numbers are those of the slide's code, and each noisy count fits its noisy threshold."""
    given = dict(threshold=900, cutoff=cutoff, epsilon=0.3, seed=seed)
    shown, answers = demos.one_sparse_run(**given), survey_run(**given)
    above = [i for i, answer in enumerate(answers) if answer is not BELOW]
    numbers, places = curve(shown, "released")
    assert places.tolist() == above and numbers.tolist() == [answers[i] for i in above]
    words = layer(shown, "counts above")
    assert words["y"] == above and words["words"] == [f"{answers[i]:,.0f}" for i in above]
    assert layer(shown, "counts below")["words"] == ["⊥"] * (len(answers) - len(above))
    assert len(layer(shown, "not asked")["words"]) == 24 - len(answers)
    assert curve(shown, "count")[0].tolist() == COUNTS[: len(answers)].tolist()
    bars, rows = curve(shown, "noisy T")
    assert rows[::3].tolist() == [i - 0.5 for i in range(len(answers))]
    over = curve(shown, "noisy count")[0] >= bars[::3]
    assert np.flatnonzero(over).tolist() == above
    jumps = np.flatnonzero(np.diff(bars[::3])).tolist()
    assert jumps == [i for i in above if i < len(answers) - 1]


def test_noise_is_the_same_at_every_epsilon_but_for_its_scale():
    fine, coarse = (
        demos.one_sparse_run(epsilon=e, threshold=3000, cutoff=4)["numbers"] for e in (2.0, 1.0)
    )
    assert fine["queries with a number"] == coarse["queries with a number"] == [21, 22, 23, 24]
    for name, true in (
        ("noisy thresholds", 3000),
        ("noisy counts", COUNTS),
        ("numbers", COUNTS[20:]),
    ):
        noise = [np.array(numbers[name]) - true for numbers in (fine, coarse)]
        assert np.allclose(2 * noise[0], noise[1])


def test_time_asks_one_query_after_the_other():
    whole = survey_run(threshold=1800, cutoff=6, epsilon=0.3, seed=0)
    for k in (1, 15, 23):
        shown = demos.one_sparse_run(num_queries=k)
        assert shown["numbers"]["queries not asked"] == 0
        assert len(curve(shown, "count")[0]) == k
        assert shown["numbers"]["numbers"] == [a for a in whole[:k] if a is not BELOW]


def test_a_run_tells_who_got_a_number_and_who_should_have():
    def wrong(n, p):
        """How many queries are left, how many numbers too many, and how many too few."""
        asked = range(1, p["num_queries"] - n["queries not asked"] + 1)
        got, due = (
            set(n["queries with a number"]),
            {q for q in asked if COUNTS[q - 1] >= p["threshold"]},
        )
        assert n["queries not asked"] == 0 or len(got) == p["cutoff"] and max(asked) in got
        return n["queries not asked"], len(got - due), len(due - got)

    def left(words):
        return 1 if words == "one query is" else int(words.removesuffix(" queries are"))

    def counts(words):
        return 1 if words == "A count" else int(words.removesuffix(" counts"))

    def off(n):
        return abs(np.array(n["numbers"]) - COUNTS[np.array(n["queries with a number"]) - 1]).max()

    check_captions(
        demos.one_sparse_run,
        {
            r"Its number(s are| is) spent at query (.*); (.*) never .*": lambda n, p, be, q, rest: (
                wrong(n, p)[:2] == (left(rest), 0)
                and int(q) == n["queries with a number"][-1]
                and (be == " is") == (p["cutoff"] == 1)
            ),
            r"(.*) below T got a number, and (.*) never asked\.": lambda n, p, many, rest: (
                wrong(n, p)[:2] == (left(rest), counts(many)) and counts(many) > 0
            ),
            r"(.*) below T got a number: the noise .*": lambda n, p, many: (
                wrong(n, p) == (0, counts(many), 0) and counts(many) > 0
            ),
            r"(.*) of T or more got ⊥: the noise .*": lambda n, p, many: (
                wrong(n, p) == (0, 0, counts(many)) and counts(many) > 0
            ),
            r"(\d+) answers are wrong: noise lifted .*, and hid .*": lambda n, p, many: (
                wrong(n, p)[0] == 0 and min(wrong(n, p)[1:]) > 0 and int(many) == sum(wrong(n, p))
            ),
            r"Every answer is ⊥, and rightly: .*": lambda n, p: (
                n["queries with a number"] == n["queries that reach T"] == []
            ),
            r"Each count asked that .*; none is off by more than (.*) rows\.": lambda n, p, rows: (
                wrong(n, p) == (0, 0, 0)
                and near(rows, off(n))
                and off(n) == n["largest error of a number"]
            ),
        },
        also=[
            dict(epsilon=0.1, threshold=threshold, cutoff=cutoff, seed=seed)
            for threshold, cutoff in ((800, 12), (2100, 8), (2300, 5), (900, 1))
            for seed in range(8)
        ]
        + [dict(epsilon=0.1, threshold=4000, num_queries=22, seed=seed) for seed in (5, 6)],
    )


def test_what_lies_outside_the_picture_is_counted():
    """At seed 0 one noisy count is too low and so is a released number; the words show both."""
    shown = demos.one_sparse_run(epsilon=0.1, threshold=500, cutoff=12)
    low, high = shown["axes"][0]["x"]["limits"]
    for name, kind in (("noisy count", "noisy counts"), ("released", "numbers")):
        x, _ = curve(shown, name)
        assert np.count_nonzero((x < low) | (x > high)) == 1
        assert shown["numbers"][f"{kind} outside the picture"] == 1
    assert shown["numbers"]["noisy thresholds outside the picture"] == 0
    assert "−5,050" in layer(shown, "counts above")["words"]
    far = demos.one_sparse_run(epsilon=0.1, threshold=500, cutoff=12, seed=21)["numbers"]
    assert far["noisy thresholds outside the picture"] == 1 and min(far["noisy thresholds"]) < low


def test_figures_of_the_runs():
    run = {name: demos.one_sparse_run(**p) for name, p in demos.one_sparse_run.demo.scenes.items()}
    numbers = {name: shown["numbers"] for name, shown in run.items()}
    six, three = numbers["Six numbers for six groups"], numbers["Half as many numbers"]
    assert six["queries with a number"] == [15, 16, 21, 22, 23, 24]
    assert three["queries with a number"] == [15, 16, 21] and three["queries not asked"] == 3
    for name, scale in (("T", 45), ("a count", 90), ("a number", 180)):
        assert six[f"noise of {name}, scale"] == scale == 2 * three[f"noise of {name}, scale"]
    third = numbers["A third of the budget"]
    assert third["queries with a number"] == [15, 16, 20, 21, 22, 23]
    assert third["queries not asked"] == 1 and COUNTS[19] == 1401
    assert round(numbers["The opening question"]["largest error of a number"]) == 17


@pytest.mark.parametrize("cutoff", [1, 3, 6])
def test_the_library_in_the_readers_place_gives_the_same_run(cutoff):
    ours = demos.one_sparse_run(cutoff=cutoff, epsilon=0.2)
    assert demos.one_sparse_run(cutoff=cutoff, epsilon=0.2, mechanism=numeric_sparse) == ours


def test_a_run_of_another_kind_shows_what_is_known_of_it():
    shown = demos.one_sparse_run(mechanism=sparse, epsilon=10.0)
    assert layer(shown, "counts above")["words"] == ["⊤"] * 6
    assert np.isnan(curve(shown, "noisy count")[0]).all()
    assert np.isnan(curve(shown, "noisy T")[0]).all()
    assert shown["numbers"]["largest error of a number"] is None
    assert "none gets a number" in shown["sentence"]
    shown = demos.one_sparse_run(mechanism=lambda *_, **__: [BELOW] * 3)
    assert shown["sentence"].startswith("It halts after 3 queries, with numbers to spare; 21 ")
    assert demos.one_sparse_run(mechanism=lambda *_, **__: [])["numbers"]["queries not asked"] == 24


@pytest.mark.parametrize("epsilon", [0.1, 5.0, 20.0])
@pytest.mark.parametrize("delta", [1e-12, 0.1])
def test_scale_curves_spend_epsilon(epsilon, delta):
    """A run with noise σ costs 2/σ: composed, the full formula spends ε and the shortcut less."""
    shown = demos.scale_against_cutoff(epsilon=epsilon, delta=delta, curves="all")
    c, basic = curve(shown, "basic, 2c/ε")
    np.testing.assert_allclose(c * 2 / basic, epsilon)
    _, full = curve(shown, "advanced, full")
    spent = advanced_composition(runs=c, epsilon=2 / full, delta=delta)
    np.testing.assert_allclose(spent, epsilon, rtol=1e-6)
    sigma = np.sqrt(32 * c * np.log(1 / delta)) / epsilon
    spent = advanced_composition(runs=c, epsilon=2 / sigma, delta=delta)
    unproved = np.minimum(spent, c * 2 / sigma) > epsilon  # by neither composition theorem
    assert unproved.any() == (delta == 0.1 and epsilon == 20.0)
    _, shortcut = curve(shown, "advanced, √(32c ln(1/δ))/ε")
    np.testing.assert_array_equal(np.isnan(shortcut), unproved)
    np.testing.assert_allclose(shortcut[~unproved], sigma[~unproved])


def test_the_dots_stand_on_their_curves():
    shown = demos.scale_against_cutoff(cutoff=1, epsilon=3.0, curves="all")
    x, dots = curve(shown, "at c")
    names = "basic, 2c/ε", "advanced, √(32c ln(1/δ))/ε", "advanced, full"
    assert x.tolist() == [1, 1, 1]
    assert np.allclose(dots, [curve(shown, name)[1][0] for name in names])


def test_where_the_shortcut_pays_is_marked():
    """8 ln(1/δ), rounded up: 165.8 for 10⁻⁹ and 18.4 for 0.1, where ε = 20 is not proved."""
    for epsilon, delta, c, word in ((1.0, 1e-9, 166, "pays"), (20.0, 0.1, 19, "not proved")):
        shown = demos.scale_against_cutoff(epsilon=epsilon, delta=delta, curves="all")
        mark = layer(shown, "shortcut pays")
        assert (mark["at"], mark["word"]) == (c, f"c = {c}: shortcut {word}")
        assert shown["numbers"]["shortcut pays from c"] == c
        assert shown["numbers"]["shortcut proved where it pays"] == (word == "pays")
    assert demos.scale_against_cutoff(curves="all")["numbers"]["full formula pays from c"] == 44
    beyond = demos.scale_against_cutoff.demo.scene("An ε beyond the proof")
    limit = demos.scale_against_cutoff(**beyond)["numbers"]["shortcut proved up to ε"]
    assert round(limit, 2) == 8.34


def test_the_way_with_the_least_noise_is_named():
    def proved(n, p):
        c, total = p["cutoff"], p["epsilon"]
        each = total / np.sqrt(8 * c * np.log(1 / p["delta"]))
        return min(c * each, advanced_composition(runs=c, epsilon=each, delta=p["delta"])) <= total

    def shortcut(p):
        return np.sqrt(32 * p["cutoff"] * np.log(1 / p["delta"])) / p["epsilon"]

    def basic(p):
        return 2 * p["cutoff"] / p["epsilon"]

    check_captions(
        demos.scale_against_cutoff,
        {
            r"Your guess: a δ makes the noise smaller from c = (.*) on\.": lambda n, p, c: (
                near(c, p["guess"]) and p["curves"] != "all" and set(n) == {"σ, basic"}
            ),
            "For so few answers basic composition has the least noise; δ buys nothing.": (
                lambda n, p: basic(p) <= min(shortcut(p), n["σ, full formula"]) and proved(n, p)
            ),
            "Advanced composition pays here by its full formula, but not yet by the shortcut.": (
                lambda n, p: n["σ, full formula"] < basic(p) <= shortcut(p) and proved(n, p)
            ),
            r"Advanced composition pays: even by the shortcut the noise is (.*) smaller\.": (
                lambda n, p, factor: (
                    n["σ, full formula"] <= shortcut(p) < basic(p) == n["σ, basic"]
                    and proved(n, p)
                    and np.isclose(n["σ, shortcut"], shortcut(p))
                    and (
                        basic(p) / shortcut(p) < 1.05
                        if factor == "a little"
                        else near(factor.removesuffix(" times"), basic(p) / shortcut(p))
                    )
                )
            ),
            r"At this c the shortcut is proved only up to ε = (.*), so it is left out\.": (
                lambda n, p, limit: (
                    not proved(n, p)
                    and proved(n, p | {"epsilon": value(limit) * 0.99})
                    and not proved(n, p | {"epsilon": value(limit) * 1.01})
                )
            ),
        },
        also=[dict(delta=0.1, epsilon=20.0, cutoff=c, curves="all") for c in (1, 20, 100, 10_000)]
        + [dict(cutoff=c, curves="all") for c in (10, 100, 1000)],
    )


def test_nothing_of_advanced_composition_is_shown_before_the_reveal():
    hidden = demos.scale_against_cutoff(guess=40)
    for name in ("advanced, √(32c ln(1/δ))/ε", "advanced, full"):
        assert set(layer(hidden, name)["y"]) == {None}
    assert layer(hidden, "at c")["y"][1:] == [None, None]
    assert layer(hidden, "shortcut pays")["at"] is None and layer(hidden, "guess")["at"] == 40


FAILURES = [
    dict(cutoff=1, num_queries=1, epsilon=5.0, delta=1e-3),
    dict(cutoff=10, num_queries=1000, epsilon=1.0, delta=0.0),
    dict(cutoff=3, num_queries=20, epsilon=0.5, delta=1e-6),
    dict(cutoff=7, num_queries=10**12, epsilon=0.05, delta=1e-9),
]


def of_the_row(given):
    return {name: given[name] for name in ("cutoff", "epsilon", "delta")}


@pytest.mark.parametrize("given", FAILURES)
def test_failure_curves_are_theorem_and_law(given):
    shown, k = demos.sparse_failure_against_alpha(**given), given["num_queries"]
    alphas, exact = curve(shown, "exact")
    for alpha, failed in list(zip(alphas, exact, strict=True))[::10]:
        assert np.isclose(failed, fails(k, alpha, **of_the_row(given)), rtol=1e-6, atol=1e-13)
    of_finding, of_numbers = promised(k, alphas, **of_the_row(given))
    bound = np.maximum(of_finding, of_numbers)
    np.testing.assert_allclose(curve(shown, "Theorem 3.28")[1], bound, rtol=1e-9)
    assert (bound >= exact).all()
    _, printed = curve(shown, "printed (δ > 0)")
    if given["delta"]:
        np.testing.assert_allclose(printed, of_finding, rtol=1e-9)
    else:
        assert np.isnan(printed).all()  # there it is the theorem itself


@pytest.mark.parametrize("given", FAILURES)
def test_measured_failures_are_near_the_exact_ones(given):
    """Power: noise that is a fifth wider moves a rate of 0.5 by more than 2,000 runs overlook."""
    row, k = of_the_row(given), given["num_queries"]
    shown = demos.sparse_failure_against_alpha(**given, alpha=scales(**row)[1])
    measured = check_measured(shown, 2000, lambda alpha: fails(k, alpha, **row))
    half = measured["x"][0]
    assert fails(k, half / 1.2, **row) - fails(k, half, **row) > 0.055


def test_figures_of_the_theorem_and_of_the_truth():
    scene, at = demos.sparse_failure_against_alpha.demo.scene, demos.sparse_failure_against_alpha
    enough = at(**scene("The α that is enough"))["numbers"]
    assert round(enough["α promised for β = 0.05"], 1) == 1223.3
    assert round(enough["α that is enough"], 1) == 496.1
    assert np.isclose(fails(1000, enough["α that is enough"], cutoff=10, epsilon=1.0), 0.05)
    assert round(1e5 * at(**scene("The α of the theorem"))["numbers"]["exact"], 2) == 1.25
    twice = at(**scene("Twice the numbers, twice the α"))["numbers"]
    assert 2 < twice["α that is enough"] / enough["α that is enough"] < 2.3
    assert twice["exact"] > 0.05
    with_delta = at(**scene("With δ, the α printed"))["numbers"]
    given = dict(num_queries=100, cutoff=10, beta=0.05, epsilon=1.0, delta=1e-6)
    assert with_delta["α printed for β = 0.05"] == numeric_sparse_alpha_printed(**given)
    assert with_delta["α promised for β = 0.05"] == numeric_sparse_alpha(**given)
    assert round(with_delta["α that is enough"], -1) == 4250
    assert round(with_delta["as printed at most"], 3) == 0.05 and with_delta["exact"] > 0.17


def test_the_promise_the_printed_one_and_the_truth_are_told_apart():
    def truth(p):
        return fails(p["num_queries"], p["alpha"], **of_the_row(p))

    def bounds(p):
        return promised(p["num_queries"], p["alpha"], **of_the_row(p))

    check_captions(
        demos.sparse_failure_against_alpha,
        {
            r"The theorem promises nothing here; in truth a run fails with probability (.*)\.": (
                lambda n, p, real: (
                    max(bounds(p)) == n["promised at most"] == 1 and near(real, truth(p))
                )
            ),
            r"The theorem allows failure with probability (.*); .* (.*) times smaller\.": (
                lambda n, p, bound, factor: (
                    near(bound, max(bounds(p)))
                    and near(factor, n["promised at most"] / n["exact"])
                    and bounds(p)[0] >= n["exact"]
                )
            ),
            r"The theorem allows failure with probability (.*); the true one is below 10⁻³⁰⁰\.": (
                lambda n, p, bound: n["exact"] < 1e-300 and bound == probability(max(bounds(p)))
            ),
            r"A run fails with probability (.*), where .* printed promises (.*) or less\.": (
                lambda n, p, real, claim: (
                    p["delta"] > 0
                    and near(real, n["exact"])
                    and np.isclose(n["exact"], truth(p), rtol=1e-6, atol=1e-13)
                    and value(claim) >= bounds(p)[0] * 0.99
                    and bounds(p)[0] < n["exact"] <= bounds(p)[1]
                )
            ),
        },
        also=[
            dict(epsilon=5.0, alpha=1e6),
            dict(alpha=300.0),
            dict(cutoff=10, num_queries=10_000, delta=1e-6, alpha=4500.0),
            dict(epsilon=5.0, cutoff=10, num_queries=1000, delta=1e-3, alpha=50_000.0),
        ],
    )


@pytest.mark.parametrize(("cutoff", "k", "delta"), [(1, 5, 0.0), (3, 12, 0.0), (3, 20, 1e-6)])
def test_the_library_in_the_readers_place_gives_the_same_failures(cutoff, k, delta, monkeypatch):
    monkeypatch.setattr(demos, "TRIALS", 300)
    given = dict(cutoff=cutoff, num_queries=k, delta=delta, alpha=30.0, seed=3)
    ours = demos.sparse_failure_against_alpha(**given)
    assert demos.sparse_failure_against_alpha(**given, mechanism=numeric_sparse) == ours


def test_a_mistake_of_the_reader_shows_in_the_measured_layer(monkeypatch):
    monkeypatch.setattr(demos, "TRIALS", 300)

    def too_quiet(data, queries, *, epsilon, **others):
        return numeric_sparse(data, queries, epsilon=2 * epsilon, **others)

    ours, quiet, silent = (
        layer(
            demos.sparse_failure_against_alpha(cutoff=2, num_queries=6, mechanism=mechanism),
            "measured, 95%",
        )
        for mechanism in (None, too_quiet, lambda *_, **__: [])
    )
    assert quiet["high"][0] < ours["low"][0] and silent["y"] == [1] * 4


def test_with_a_mechanism_of_ones_own_the_stream_is_short():
    described = demos.sparse_failure_against_alpha.demo
    own = {"mechanism": numeric_sparse, "cutoff": 3}
    assert described.stops("num_queries", own) == [3, 4, 5, 7, 10, 15, 20]
    assert described.stops("cutoff", own) == [1, 2, 3, 5, 7, 10, 15, 20]
    assert described.choices["num_queries"][-1] == 10**12 and described.choices["cutoff"][-1] == 50


def test_a_stream_shorter_than_the_cutoff_is_refused():
    for figure in demos.sparse_failure_against_alpha, demos.stated_against_needed:
        with pytest.raises(ParameterError, match="num_queries must be from 5 to 10¹² .*, got 4"):
            figure(cutoff=5, num_queries=4)
        assert figure(cutoff=5, num_queries=5)["numbers"]["promised at most"] <= 1


def test_survey_curve_is_the_mechanism_at_work():
    """2,000 runs of the slide's code against the curve, at confidence 1 - 1e-6 for each alpha."""
    given = {"threshold": 1500, "cutoff": 3, "epsilon": 0.1}
    shown = demos.sparse_on_the_survey(**given, alpha=300)
    grid, exact = curve(shown, "exact")
    rng, worst = np.random.default_rng(0), []
    queries = [lambda _, v=v: v for v in COUNTS]
    for _ in range(2_000):
        errors = [0.0]
        answers = numeric_sparse(None, queries, **given, rng=rng)
        for count, answer in zip(COUNTS, answers, strict=False):
            if answer is BELOW:
                errors.append(count - 1500)
            else:
                errors.extend([abs(answer - count), 1500 - count])
        worst.append(max(errors))
    for alpha in (0, 300, 800, 1600):
        seen = np.count_nonzero(np.array(worst) > alpha)
        low, high = clopper_pearson(seen, 2_000, confidence=1 - 1e-6)
        assert low <= exact[np.searchsorted(grid, alpha)] <= high
    assert shown["numbers"]["exact"] == exact[grid == 300]
    bound = np.max(promised(24, grid, cutoff=3, epsilon=0.1), axis=0)
    np.testing.assert_allclose(curve(shown, "Theorem 3.28")[1], bound, rtol=1e-9)


def test_measured_wrong_answers_are_near_the_exact_ones():
    """Power: noise that is a tenth wider moves the rate at α = 100 by 0.06 or more."""
    shown = demos.sparse_on_the_survey(alpha=200)
    grid, exact = curve(shown, "exact")
    measured = check_measured(shown, 2000, lambda alpha: exact[grid == alpha][0])
    assert measured["x"][0] == 100 and len(measured["x"]) > 3
    wider = demos.sparse_on_the_survey(alpha=100, epsilon=1 / 1.1)["numbers"]["exact"]
    assert wider - exact[grid == 100] > 0.06


def test_survey_shows_counts_and_gap():
    shown = demos.sparse_on_the_survey(threshold=600, alpha=700)
    assert curve(shown, "count")[0].tolist() == COUNTS.tolist()
    gap = layer(shown, "T ± α")
    assert (gap["low"], gap["high"]) == (1, 1300)  # the axis is logarithmic
    assert layer(shown, "T")["at"] == 600
    assert shown["numbers"]["counts in the gap T ± α"] == sum(abs(COUNTS - 600) <= 700)


def test_survey_caption_says_when_the_theorem_applies():
    """The last count, 11,019, reaches T - α always: so it is a matter of how many do."""

    def reach(p):
        return sum(COUNTS >= p["threshold"] - p["alpha"])

    def bound(p):
        return max(promised(24, p["alpha"], cutoff=p["cutoff"], epsilon=p["epsilon"]))

    check_captions(
        demos.sparse_on_the_survey,
        {
            r"(\d+) counts reach T − α, but only (.*) may be given: the theorem does not apply\.": (
                lambda n, p, counts, most: (
                    int(counts) == reach(p) == n["counts that reach T − α"] > p["cutoff"]
                    and most == {1: "one number"}.get(p["cutoff"], f"{p['cutoff']} numbers")
                    and n["promised at most"] == "does not apply"
                    and np.isclose(n["bound of the proof"], bound(p))
                )
            ),
            r"The theorem promises nothing here; .* wrong with probability (.*)\.": (
                lambda n, p, real: (
                    reach(p) <= p["cutoff"]
                    and n["promised at most"] == bound(p) == 1
                    and near(real, n["exact"])
                )
            ),
            r"The theorem allows a wrong answer with probability (.*); the true one is (.*)\.": (
                lambda n, p, most, real: (
                    reach(p) <= p["cutoff"]
                    and 1e-12 < bound(p) < 1
                    and near(most, bound(p))
                    and (n["exact"] < 1e-12 if real == "below 10⁻¹²" else near(real, n["exact"]))
                )
            ),
            r"The theorem promises right answers, except with probability (.*)\.": (
                lambda n, p, most: (
                    reach(p) <= p["cutoff"]
                    and bound(p) < 1e-12
                    and near(most, bound(p))
                    and n["exact"] < 2e-12
                )
            ),
        },
        also=[dict(epsilon=10.0, alpha=alpha) for alpha in (100, 200, 225, 250, 275, 300)]
        + [dict(threshold=5000, cutoff=1)],
    )


def test_figures_on_the_survey():
    wrong = {t: demos.sparse_on_the_survey(threshold=t)["numbers"] for t in (1800, 5000, 1500)}
    assert round(wrong[1800]["exact"], 3) == 0.139 and round(wrong[5000]["exact"], 3) == 0.049
    assert wrong[1500]["counts that reach T − α"] == 8


@pytest.mark.parametrize("cutoff", [1, 10, 50])
def test_printed_bound_fails_exactly_where_its_ratio_is_below_one(cutoff):
    """The demo draws at ε = 0.1 and δ = 10⁻⁶; here ε = 0.7 and δ = 10⁻⁸ give the same."""
    shown = demos.stated_against_needed(cutoff=cutoff, num_queries=10**12)
    (k, ratio), (_, rate) = curve(shown, "printed / needed"), curve(shown, "printed")
    assert ((ratio < 1) == (rate > 0.05)).all() and (ratio < 1).any() and (ratio > 1).any()
    row = dict(cutoff=cutoff, epsilon=0.7, delta=1e-8)
    unit = 4 * scales(**row)[0]
    stated = unit * np.log(4 * cutoff * k / 0.05)
    corrected = np.maximum(stated, np.sqrt(8) * unit * np.log(2 * cutoff / 0.05))
    sizes, raised = curve(shown, "corrected / needed")[1], curve(shown, "corrected")[1]
    assert np.allclose(sizes / ratio, corrected / stated)
    for i in range(0, len(k), 5):
        assert np.isclose(rate[i], fails(int(k[i]), stated[i], **row), rtol=1e-6)
        assert np.isclose(fails(int(k[i]), stated[i] / ratio[i], **row), 0.05, rtol=1e-6)
        assert np.isclose(raised[i], fails(int(k[i]), corrected[i], **row), rtol=1e-6)
    assert (raised <= 0.05).all()
    assert layer(shown, "needed")["at"] == 1 and layer(shown, "β")["at"] == 0.05


def test_measured_failures_of_the_printed_bound():
    row = dict(cutoff=3, epsilon=1.0, delta=1e-6)

    def at_printed(k):
        return fails(int(k), 4 * scales(**row)[0] * np.log(4 * 3 * k / 0.2), **row)

    for num_queries, drawn in (7, [3, 7]), (10**6, [3, 300, 30_000, 10**6]):
        shown = demos.stated_against_needed(cutoff=3, num_queries=num_queries, beta=0.2)
        assert check_measured(shown, 2000, at_printed)["x"] == drawn
        assert curve(shown, "printed")[0][[0, -1]].tolist() == [3, num_queries]


def test_whether_the_printed_bound_is_kept_is_told():
    def rate(p):
        row = dict(cutoff=p["cutoff"], epsilon=1.0, delta=1e-6)
        stated = 4 * scales(**row)[0] * np.log(4 * p["cutoff"] * p["num_queries"] / p["beta"])
        return fails(p["num_queries"], stated, **row)

    def same(p):
        given = dict(cutoff=p["cutoff"], beta=p["beta"], epsilon=1.0, delta=1e-6)
        right = numeric_sparse_alpha(num_queries=p["num_queries"], **given)
        return right == numeric_sparse_alpha_printed(num_queries=p["num_queries"], **given)

    check_captions(
        demos.stated_against_needed,
        {
            r"The printed α is too small: runs fail with probability (.*), not (.*)\.": (
                lambda n, p, real, beta: (
                    float(beta) == p["beta"] == n["promised at most"]
                    and near(real, rate(p))
                    and rate(p) > 1.005 * p["beta"]
                    and n["printed α / needed α"] < 1
                )
            ),
            r"The printed α is a little too small: runs fail with probability just above (.*)\.": (
                lambda n, p, beta: float(beta) == p["beta"] < rate(p) < 1.015 * p["beta"]
            ),
            "The printed α is enough here, although its proof does not show it.": lambda n, p: (
                rate(p) <= p["beta"]
                and not same(p)
                and n["printed α / needed α"] >= 1
                and n["printed α / needed α"] < n["corrected α / needed α"]
            ),
            "For so many queries the printed α is the corrected one, .*": lambda n, p: (
                same(p)
                and n["printed fails with"] == n["corrected fails with"] <= p["beta"]
                and n["printed α / needed α"] == n["corrected α / needed α"] >= 1
            ),
        },
        also=[dict(cutoff=5, beta=0.2, num_queries=70), dict(cutoff=3, num_queries=1000)],
    )


@pytest.mark.parametrize(
    ("scene", "rate", "same"),
    [
        ("One query, one number", 0.212, 425),
        ("Ten numbers", 0.170, 28_619),
        ("Fifty numbers", 0.207, 0),
    ],
)
def test_figures_of_the_printed_bound(scene, rate, same):
    parameters = demos.stated_against_needed.demo.scene(scene)
    numbers = demos.stated_against_needed(**parameters)["numbers"]
    assert round(numbers["printed fails with"], 3) == rate
    assert not same or numbers["both the same from k"] == same
    given = dict(cutoff=parameters["cutoff"], beta=0.05, epsilon=1.0, delta=1e-6)
    first = numbers["both the same from k"]
    for k, larger in (first - 1, True), (first, False):
        right = numeric_sparse_alpha(num_queries=k, **given)
        assert (right > numeric_sparse_alpha_printed(num_queries=k, **given)) == larger
    mark = layer(demos.stated_against_needed(**parameters), "both equal")["at"]
    assert first - 1 < mark <= first


def test_numbers_curves_are_the_law_of_the_largest_of_c_errors():
    shown = demos.numbers_against_finding(cutoff=20, num_queries=10_000, epsilon=0.5, delta=1e-3)
    for name, delta in (("numbers, δ = 0", 0.0), ("numbers, δ > 0", 1e-3)):
        alpha, tail = curve(shown, name)
        exact = numbers_err(alpha, cutoff=20, epsilon=0.5, delta=delta)
        np.testing.assert_allclose(tail, exact, atol=1e-12)
        within = shown["numbers"][f"{name}, within"]
        assert np.isclose(numbers_err(within, cutoff=20, epsilon=0.5, delta=delta), 0.05)
    alpha, wrong = curve(shown, "⊤ and ⊥, δ = 0")
    for a, rate in list(zip(alpha, wrong, strict=True))[::6]:
        exact = finds_wrongly(10_000, a, cutoff=20, epsilon=0.5)
        assert np.isclose(rate, exact, rtol=1e-6, atol=1e-13)
    within = shown["numbers"]["⊤ and ⊥, δ = 0, within"]
    assert np.isclose(finds_wrongly(10_000, within, cutoff=20, epsilon=0.5), 0.05)
    assert layer(shown, "5%")["at"] == 0.05


@pytest.mark.parametrize(("cutoff", "trials"), [(1, 2000), (10, 2000), (1000, 400), (2000, 200)])
def test_measured_numbers_are_near_the_exact_ones(cutoff, trials):
    """Those with δ are the same runs, with the noise of another scale."""
    shown = demos.numbers_against_finding(cutoff=cutoff, seed=2)
    x = layer(shown, "measured, 95%")["x"]
    exact = {a: numbers_err(a, cutoff=cutoff, epsilon=1.0) for a in x[:4]}
    exact |= {a: numbers_err(a, cutoff=cutoff, epsilon=1.0, delta=1e-6) for a in x[4:]}
    measured = check_measured(shown, trials, exact.get)
    assert measured["y"][:4] == measured["y"][4:]
    assert np.allclose(list(exact.values()), 2 * [0.7, 0.3, 0.05, 0.01], rtol=0.2)


def test_which_part_has_the_larger_error_is_told():
    def within(p, delta):
        return -scales(p["cutoff"], p["epsilon"], delta)[1] * np.log(1 - 0.95 ** (1 / p["cutoff"]))

    def numbers_gain(p):
        return within(p, 0.0) / within(p, p["delta"])

    def finding(n, p):
        return n["⊤ and ⊥, δ = 0, within"] / within(p, 0.0)

    check_captions(
        demos.numbers_against_finding,
        {
            r"For so many numbers δ pays: it makes their largest error (.*) smaller\.": (
                lambda n, p, factor: (
                    1 < numbers_gain(p) < 1.05
                    if factor == "a little"
                    else near(factor.removesuffix(" times"), numbers_gain(p))
                    and numbers_gain(p) > 1
                )
            ),
            r"Finding needs an error (.*) times that of the numbers, which δ would make worse\.": (
                lambda n, p, factor: (
                    near(factor, finding(n, p)) and finding(n, p) > 1 > numbers_gain(p)
                )
            ),
            r"The numbers need an error (.*) times that of finding, .* them worse\.": (
                lambda n, p, factor: (
                    near(factor, 1 / finding(n, p)) and finding(n, p) <= 1 and numbers_gain(p) < 1
                )
            ),
        },
    )


def test_figures_of_numbers_and_finding():
    at, scene = demos.numbers_against_finding, demos.numbers_against_finding.demo.scene
    ten = at(**scene("Ten numbers"))["numbers"]
    assert round(ten["numbers, δ = 0, within"]) == 475
    assert round(ten["⊤ and ⊥, δ = 0, within"]) == 530
    longer = at(**scene("Ten numbers, a longer stream"))["numbers"]
    assert round(longer["⊤ and ⊥, δ = 0, within"], -1) == 1360
    before, pays = (at(**scene(name))["numbers"] for name in ("Just before δ pays", "δ pays"))
    for numbers, better in (before, False), (pays, True):
        assert (numbers["numbers, δ > 0, within"] < numbers["numbers, δ = 0, within"]) == better
