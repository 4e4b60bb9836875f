"""What the pictures of notebook 03 show, against the library, closed forms and quadrature."""

import mpmath
import numpy as np
import pytest

from course_lib.demos import lecture11_sparse as demos
from course_lib.demos.picture import layer
from course_lib.demos.words import probability
from course_lib.exact.family import member
from course_lib.exact.lecture11_sparse import find_then_answer_failure
from course_lib.exact.transcripts import exact_loss
from course_lib.exact.worst_stream import failure
from course_lib.lab.data import as_fractions, health_values, load_survey
from course_lib.lecture11_sparse import sparse_as_printed, sparse_repaired
from course_lib.support.answers import BELOW
from course_lib.toolbox import advanced_composition
from tests.pictures import check_captions, curve, near, value
from tests.test_exact_lecture11_sparse import failure_by_quadrature

FRACTIONS = health_values()[:16] / 20_190


def at(figure, scene):
    return figure(**figure.demo.scenes[scene])["numbers"]


def sigma(cutoff, delta):
    """The scale of the query noise in units of 1/(εn)."""
    return np.sqrt(32 * cutoff * np.log(1 / delta)) if delta else 2 * cutoff


def stated(num_queries, cutoff, beta, delta):
    """The α of Theorems 2 and 5, in units of 1/(εn), with the threshold's term."""
    printed = 2 * sigma(cutoff, delta) * np.log(2 * num_queries / beta)
    return np.maximum(printed, 4 * np.log(2 / beta))


def fails(p, alpha):
    """How often the mechanism of a picture's parameters fails, from the law of its row."""
    row = member("lecture11_sparse", cutoff=p["cutoff"], epsilon=p["epsilon"], delta=p["delta"])
    return failure(row, num_queries=p["num_queries"], alpha=alpha * p["n"])


def density_by_hand(m, value, answer, cutoff=1, epsilon=1.0):
    """Of m times ⊥ and then this number: 30 digits, without what D and D′ have in common."""
    with mpmath.workdps(30):
        scale = mpmath.mpf(2 * cutoff) / epsilon

        def joint(z):
            x = (z - value) / scale
            below = mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2
            return mpmath.exp(-abs(z) * epsilon / 2) * below**m

        corners = [-400, -60, *sorted({min(0, answer), min(value, answer)}), answer]
        return mpmath.quad(joint, sorted(set(corners)))


def test_each_silent_answer_loses_half_a_budget_and_the_proof_counts_one():
    for m in (1, 2, 3, 12):
        shown = demos.hole_in_the_proof(num_below=m)
        lost, counted = layer(shown, "lost"), layer(shown, "counted")
        oracle = mpmath.log(density_by_hand(m, 0, 0) / density_by_hand(m, 1, 0))
        assert np.isclose(float(oracle), m / 2, rtol=1e-12)
        assert np.isclose(shown["numbers"]["really lost"], float(oracle), rtol=1e-9)
        assert np.allclose(lost["x"], np.arange(m) / 2) and counted["x"] == [0, 0.5]
        assert np.allclose(np.array(lost["to_x"]) + 0.04, np.arange(1, m + 1) / 2)
        assert np.allclose(np.array(counted["to_x"]) + 0.04, [0.5, 1])
        assert layer(shown, "silent answers")["words"] == ["⊥"] * m
        assert (
            layer(shown, "the whole budget")["at"] == 1 == shown["numbers"]["counted by the proof"]
        )


def test_the_hole_is_told_where_it_opens():
    def silences(told, p):
        return told == ("One silence" if p["num_below"] == 1 else f"{p['num_below']} silences")

    check_captions(
        demos.hole_in_the_proof,
        {
            "(.*) and then a number can reveal (half a|a whole) budget, no more than .*": (
                lambda n, p, told, much: (
                    silences(told, p) and p["num_below"] == ["half a", "a whole"].index(much) + 1
                )
            ),
            "(.*) and then a number can reveal (.*) budgets, and the proof counts one[.]": (
                lambda n, p, told, much: (
                    silences(told, p) and near(much, p["num_below"] / 2) and p["num_below"] > 2
                )
            ),
        },
        also=[dict(num_below=2)],
    )


def test_the_meter_shows_what_the_printed_proof_counts():
    """Half of ε for the threshold with the first answer, and ε/2c for each number."""
    for asked, numbers in {1: 0, 7: 0, 8: 1, 15: 2, 16: 3}.items():
        shown = demos.one_lecture11_run(num_queries=asked)
        assert shown["numbers"]["numbers released"] == numbers
        filled = [0.01 + 0.48, 0.51 + 0.48 * numbers / 3]
        assert layer(shown, "budget used")["to_x"] == pytest.approx(filled)
        (words,) = layer(shown, "budget in words")["words"]
        assert near(words.rpartition(" ")[2], 0.5 + numbers / 6, 2)
        assert "says the proof" in words


@pytest.mark.parametrize(("n", "cutoff", "threshold"), [(50_000, 2, 0.04), (20_190, 8, 0.07)])
def test_one_run_shows_a_run_of_the_mechanism(n, cutoff, threshold):
    chosen = dict(epsilon=0.02, n=n, cutoff=cutoff, threshold=threshold)
    rng = np.random.default_rng(4)
    answers = list(sparse_as_printed(load_survey(), as_fractions(demos.STREAM), **chosen, rng=rng))
    shown = demos.one_lecture11_run(**chosen, seed=4)
    numbers = [answer for answer in answers if answer is not BELOW]
    assert layer(shown, "fractions above")["words"] == [f"{number:.4f}" for number in numbers]
    assert layer(shown, "fractions below")["words"] == ["⊥"] * (len(answers) - len(numbers))
    assert len(layer(shown, "not asked")["words"]) == 16 - len(answers)
    assert curve(shown, "fraction")[0].tolist() == FRACTIONS[: len(answers)].tolist()
    noisy, bar = curve(shown, "noisy fraction")[0], layer(shown, "noisy T, one draw")["at"]
    assert ((noisy >= bar) == [answer is not BELOW for answer in answers]).all()
    assert np.allclose(noisy[noisy >= bar], numbers)  # the very numbers that were compared
    told = shown["numbers"]
    assert told["noisy T"] == bar and told["numbers"] == numbers
    assert told["halts"] == (len(numbers) == cutoff) and told["answers"] == len(answers)
    errors = abs(np.array(numbers) - FRACTIONS[np.array(told["their queries"]) - 1])
    assert told["largest error of a number"] == errors.max()


def test_noise_of_a_run_has_the_scales_that_are_told():
    draws = [demos.one_lecture11_run(seed=seed, threshold=0.15)["numbers"] for seed in range(200)]
    shifts = [abs(each["noisy T"] - 0.15) for each in draws]
    noise = np.concatenate([abs(each["noisy fractions"] - FRACTIONS) for each in draws])
    for sizes, name in (shifts, "noise of T, scale"), (noise, "noise of a fraction, scale"):
        error = 4 * draws[0][name] / np.sqrt(len(sizes))  # |Lap(b)| has mean and deviation b
        assert abs(np.mean(sizes) - draws[0][name]) < error
    assert np.isclose(draws[0]["noise of a fraction, scale"], 2 * 3 / (0.05 * 20_190))


def test_what_a_run_draws_outside_is_counted():
    told = demos.one_lecture11_run(n=1000, epsilon=0.01)["numbers"]
    noisy = np.array(told["noisy fractions"])
    assert told["noisy fractions outside the picture"] == sum((noisy < -0.04) | (noisy > 0.2)) > 0
    assert told["noisy T outside the picture"] == 1 and told["noisy T"] < -0.04
    assert demos.one_lecture11_run()["numbers"]["noisy fractions outside the picture"] == 0


def count(word):
    return 1 if word == "one" else int(word)


def judged(numbers, p):
    """How many numbers should be ⊥, and ⊥ numbers; large values never asked for; numbers."""
    large = FRACTIONS[: p["num_queries"]] >= p["threshold"]
    above = np.array(numbers["noisy fractions"]) >= numbers["noisy T"]
    asked = large[: len(above)]
    return sum(above & ~asked), sum(asked & ~above), sum(large) - sum(asked), sum(above)


def furthest(numbers):
    """The largest error of the numbers that were released."""
    true = [FRACTIONS[query - 1] for query in numbers["their queries"]]
    return np.abs(np.subtract(numbers["numbers"], true)).max()


def test_a_run_says_what_it_did_wrong():
    check_captions(
        demos.one_lecture11_run,
        {
            r"It is right: the (one|\d+) fractions? .* a number, off by at most (.*); all .*": (
                lambda n, p, x, off: (
                    judged(n, p) == (0, 0, 0, count(x)) and count(x) > 0 and near(off, furthest(n))
                )
            ),
            r"Every answer is ⊥, and rightly: .*": lambda n, p: judged(n, p) == (0, 0, 0, 0),
            r"It has no number left and halts: (\d+) more .*": lambda n, p, x: (
                judged(n, p) == (0, 0, count(x), p["cutoff"]) and count(x) > 0
            ),
            r"It misses (one|\d+) fractions? .*": lambda n, p, x: (
                judged(n, p)[:2] == (0, count(x)) and count(x) > 0
            ),
            r"It releases (one|\d+) numbers? by mistake.*": lambda n, p, x: (
                judged(n, p)[:2] == (count(x), 0) and count(x) > 0
            ),
            r"The noise misleads it: (one|\d+) numbers? .* (\d+) ⊥ .*": lambda n, p, x, y: (
                judged(n, p)[:2] == (count(x), count(y)) and count(x) * count(y) > 0
            ),
        },
        also=[dict(n=3000, cutoff=8, seed=seed) for seed in range(9)],
    )


@pytest.mark.parametrize(("cutoff", "delta"), [(1, 0.0), (5, 0.0), (2, 1e-3)])
def test_failure_curves_are_theorem_and_integral(cutoff, delta):
    shown = demos.lecture11_failure_against_alpha(
        epsilon=0.5, n=2000, num_queries=100, cutoff=cutoff, delta=delta
    )
    alphas, exact = curve(shown, "exact")
    for i in (25, 35, 42):
        oracle = failure_by_quadrature(100, cutoff, sigma(cutoff, delta), alphas[i] * 0.5 * 2000)
        assert np.isclose(exact[i], oracle, rtol=1e-6, atol=1e-9)
    alphas, promised = curve(shown, "Theorem 2 or 5")
    bound = 200 * np.exp(-alphas * 1000 / (2 * sigma(cutoff, delta)))
    np.testing.assert_allclose(promised, np.minimum(1, bound), rtol=1e-9)
    assert shown["numbers"]["theorem"] == (5 if delta else 2)


@pytest.mark.parametrize("where", [{}, {"cutoff": 1, "delta": 1e-3}, {"num_queries": 7}])
def test_measured_intervals_hold_the_exact_value(where):
    """Eight seeds, five intervals each at 95%: fewer than 33 of 40 has probability below 0.001."""
    held = 0
    for seed in range(8):
        shown = demos.lecture11_failure_against_alpha(**where, seed=seed)
        measured = layer(shown, "measured, 95%")
        truth = fails(
            demos.lecture11_failure_against_alpha.demo.start | where, np.array(measured["x"])
        )
        held += np.count_nonzero((measured["low"] <= truth) & (truth <= measured["high"]))
        assert len(truth) == 5 and measured["x"][-1] == 0.005
        assert shown["numbers"]["measured"] == [measured["low"][-1], measured["high"][-1]]
    assert held >= 33  # fmt: skip


def test_figures_of_the_theorem_and_of_the_truth():
    figure = demos.lecture11_failure_against_alpha
    told = at(figure, "The α of the theorem")
    assert round(told["α promised for β = 0.05"], 4) == 0.0105
    assert round(told["α promised for β = 0.05"] / told["α that is enough"], 1) == 2.3
    assert 3e6 < 1 / told["exact"] < 3.1e6
    assert np.isclose(told["exact"], failure_by_quadrature(1000, 5, 10, 0.0105 * 20_190), rtol=1e-3)
    enough = told["α that is enough"] * 20_190
    assert np.isclose(failure_by_quadrature(1000, 5, 10, enough), 0.05, rtol=1e-7)
    assert abs(at(figure, "The α that is enough")["exact"] - 0.05) < 1e-4
    few = at(figure, "Too few rows")
    assert round(few["α promised for β = 0.05"], 2) == 4.24
    assert round(few["α that is enough"], 2) == 1.85


def test_promise_and_truth_are_told_apart():
    def asked(p):
        return stated(p["num_queries"], p["cutoff"], 0.05, p["delta"]) / (p["epsilon"] * p["n"])

    def bound(p):
        scaled = p["alpha"] * p["epsilon"] * p["n"]
        queries = 2 * p["num_queries"] * np.exp(-scaled / (2 * sigma(p["cutoff"], p["delta"])))
        return max(queries, 2 * np.exp(-scaled / 4))

    def enough(n, p, told):
        alpha = n["α that is enough"]
        return near(told, alpha) and np.isclose(fails(p, alpha), 0.05) and alpha

    check_captions(
        demos.lecture11_failure_against_alpha,
        {
            "The theorem promises nothing here; .* fails with probability (.*)[.]": (
                lambda n, p, real: bound(p) >= 1 > asked(p) and near(real, fails(p, p["alpha"]))
            ),
            "The theorem allows .* probability (.*); the true one is (.*) times smaller[.]": (
                lambda n, p, most, factor: (
                    near(most, bound(p)) and near(factor, bound(p) / fails(p, p["alpha"]))
                )
            ),
            "The theorem allows .* probability (.*); the true one is below 10⁻³⁰⁰[.]": (
                lambda n, p, most: fails(p, p["alpha"]) < 1e-300 and most == probability(bound(p))
            ),
            "The theorem asks for α = (.*), and that says nothing .*; (.*) is enough[.]": (
                lambda n, p, most, told: near(most, asked(p)) and asked(p) >= 1 > enough(n, p, told)
            ),
            "Even the α that is enough, (.*), says nothing: .*": (
                lambda n, p, told: enough(n, p, told) >= 1
            ),
        },
        also=[dict(n=1000, epsilon=e) for e in (0.1, 0.2)] + [dict(n=10**7, alpha=0.001)],
    )


def test_the_library_in_the_readers_place_gives_the_same_picture():
    for where in dict(num_queries=7), dict(num_queries=5, cutoff=2, delta=1e-3, n=5000):
        ours = demos.lecture11_failure_against_alpha(**where, seed=3)
        theirs = demos.lecture11_failure_against_alpha(**where, seed=3, mechanism=sparse_as_printed)
        assert theirs == ours
    for cutoff in (1, 3):
        ours = demos.one_lecture11_run(cutoff=cutoff)
        assert demos.one_lecture11_run(cutoff=cutoff, mechanism=sparse_as_printed) == ours


def test_a_mistake_of_the_reader_shows_in_the_measured_layer():
    def forgets_n(data, queries, *, n, **others):
        return sparse_as_printed(data, queries, n=2 * n, **others)

    figure = demos.lecture11_failure_against_alpha
    ours, theirs, silent = (
        layer(figure(num_queries=5, mechanism=each), "measured, 95%")
        for each in (None, forgets_n, lambda *_, **__: [])
    )
    assert theirs["high"][2] < ours["low"][2] and silent["y"] == [1] * 5


def test_of_a_mechanism_that_draws_in_another_way_the_answers_are_shown():
    shown = demos.one_lecture11_run(mechanism=sparse_repaired)
    rng = np.random.default_rng(3)
    chosen = dict(n=20_190, threshold=0.07, cutoff=3, epsilon=0.05)
    answers = sparse_repaired(load_survey(), as_fractions(demos.STREAM), **chosen, rng=rng)
    assert shown["numbers"]["numbers"] == [each for each in answers if each is not BELOW]
    assert shown["numbers"]["noisy T"] is None and layer(shown, "noisy T, one draw")["at"] is None
    stops = demos.lecture11_failure_against_alpha.demo.stops
    assert stops("num_queries", {"cutoff": 5, "mechanism": sparse_repaired}) == [5, 7, 10, 15, 20]
    assert stops("num_queries", {"cutoff": 5, "mechanism": None})[-1] == 10**12


@pytest.mark.parametrize(("cutoff", "delta"), [(3, 0.0), (3, 1e-9), (50, 1e-3)])
def test_price_lines_are_what_each_analyst_needs(cutoff, delta):
    chosen = dict(epsilon=0.5, cutoff=cutoff, delta=delta)
    figure = demos.price_of_not_knowing
    shown = figure(**chosen, num_queries=10**6, n=10**5, beta=0.1)
    names = ["Sparse: Theorem 2 or 5", "Sparse: exact", "all known: exponential, Laplace"]
    names.append("c known: Laplace")
    against_n = [curve(shown, name)[1] for name in names]
    factors = [curve(shown, f"{name}, factor")[1] for name in names]
    rows, k = curve(shown, names[0])[0], curve(shown, f"{names[0]}, factor")[0]
    # c answers within α: (1 − e^(−ε₀α))^c = 1 − β, with ε₀ of basic or advanced composition
    base = against_n[3][0] * rows[0]
    each = -np.log(1 - 0.9 ** (1 / cutoff)) / base
    spent = advanced_composition(runs=cutoff, epsilon=each, delta=delta) if delta else np.inf
    assert np.isclose(min(cutoff * each, spent), 0.5)
    np.testing.assert_allclose(against_n[0], stated(1e6, cutoff, 0.1, delta) / (0.5 * rows))
    np.testing.assert_allclose(factors[0] * base * 0.5, stated(k, cutoff, 0.1, delta))
    p = chosen | {"num_queries": k, "n": 1}
    np.testing.assert_allclose(fails(p, factors[1] * base), 0.1)
    failed = find_then_answer_failure(num_queries=k, n=1, alpha=factors[2] * base, **chosen)
    np.testing.assert_allclose(failed, 0.1)
    assert (factors[3] == 1).all() and shown["axes"][1]["y"]["limits"][1] > factors[0].max()
    told = [against_n[i][0] * rows[0] / 1e5 for i in range(4)]  # the slope is −1
    names = ("α of the theorem", "α that is enough", "all known", "c known")
    np.testing.assert_allclose([shown["numbers"][name] for name in names], told)
    at_k = [factor[k == 1e6][0] for factor in factors]
    for name, factor in zip(
        ("factor of the theorem", "factor of Sparse", "factor, all known"), at_k, strict=False
    ):
        assert np.isclose(shown["numbers"][name], factor)


def test_figures_of_the_price():
    few, many = (at(demos.price_of_not_knowing, f"A {k} queries") for k in ("thousand", "trillion"))
    assert [round(each["factor of Sparse"], 1) for each in (few, many)] == [4.0, 13.1]
    assert [round(each["factor of the theorem"], 2) for each in (few, many)] == [9.25, 27.33]
    assert few["α that is enough"] < few["all known"] < 1.2 * few["α that is enough"]


def test_the_price_is_named_where_there_is_one():
    def both(n, asked, enough):
        return near(asked, n["α of the theorem"]) and near(enough, n["α that is enough"])

    check_captions(
        demos.price_of_not_knowing,
        {
            "Not to know which (.*) large .* error (.*) times as large; .* says (.*) times[.]": (
                lambda n, p, which, real, promised: (
                    which == ("query is" if p["cutoff"] == 1 else f"{p['cutoff']} queries are")
                    and near(real, n["α that is enough"] / n["c known"])
                    and near(promised, n["α of the theorem"] / n["c known"])
                    and n["c known"] < n["α that is enough"] < n["α of the theorem"] < 1
                )
            ),
            "The theorem asks for α = (.*), and that says nothing .*; (.*) is enough[.]": (
                lambda n, p, asked, enough: (
                    both(n, asked, enough) and n["α of the theorem"] >= 1 > n["α that is enough"]
                )
            ),
            "Even the α that is enough, (.*), says nothing: .*": lambda n, p, enough: (
                near(enough, n["α that is enough"]) and n["α that is enough"] >= 1
            ),
        },
        also=[dict(n=1000, epsilon=e) for e in (0.05, 0.1, 0.15, 0.2)],
    )


@pytest.mark.parametrize(("k", "beta", "delta"), [(1, 0.05, 0.99), (30, 0.2, 0.9)])
def test_failures_at_the_alphas_of_theorem_5(k, beta, delta):
    """One number: σ and α in closed form, then quadrature."""
    shown = demos.theorem_5_and_delta(num_queries=k, beta=beta, delta=delta)
    spent, printed = curve(shown, "exact, at the printed α")
    _, right = curve(shown, "… at the right α")
    assert spent[0] == -np.log(delta) and (spent[1:] > spent[0]).all()  # up to δ
    for i in (0, len(spent) // 2, -1):
        scale = np.sqrt(32 * spent[i])
        alpha = 2 * scale * np.log(2 * k / beta)
        enough = max(alpha, 4 * np.log(2 / beta))
        assert np.isclose(printed[i], failure_by_quadrature(k, 1, scale, alpha), rtol=1e-5)
        assert np.isclose(right[i], failure_by_quadrature(k, 1, scale, enough), rtol=1e-5)
    assert (right <= beta).all() and np.allclose(printed[spent >= 1 / 8], right[spent >= 1 / 8])
    assert layer(shown, "β")["at"] == beta and curve(shown, "at δ")[1] == printed[0]
    assert layer(shown, "1/8")["at"] == 1 / 8


def test_figures_of_theorem_5():
    edge, near_1 = (
        at(demos.theorem_5_and_delta, name) for name in ("Where the proof ends", "A δ close to 1")
    )
    assert round(near_1["exact, at the printed α"], 3) == 0.068
    assert near_1["exact, at the right α"] < 0.001
    assert abs(edge["ln(1/δ)"] - 1 / 8) < 2e-4 and edge["exact, at the printed α"] < 0.05 / 20
    many = at(demos.theorem_5_and_delta, "Closer, with a hundred queries")
    scale = np.sqrt(32 * np.log(1 / 0.999))
    oracle = failure_by_quadrature(100, 1, scale, 2 * scale * np.log(200 / 0.05))
    assert np.isclose(many["exact, at the printed α"], oracle) and round(oracle, 3) == 0.285


def test_the_two_alphas_at_a_delta_close_to_1_are_those_of_the_theorem():
    numbers = demos.theorem_5_and_delta(num_queries=100, delta=0.999)["numbers"]
    printed = np.sqrt(128 * np.log(1 / 0.999)) * (np.log(100) + np.log(2 / 0.05))
    assert np.isclose(numbers["printed α, in 1/(εn)"], printed)
    assert numbers["right α, in 1/(εn)"] > printed


def test_theorem_5_is_said_to_hold_where_it_does():
    def is_so(n, p, *, covered, kept):
        """Whether the queries' term is the larger one, and whether β is kept."""
        logs, scale = np.log(2 / p["beta"]), np.sqrt(32 * np.log(1 / p["delta"]))
        larger = scale * (np.log(p["num_queries"]) + logs) >= 2 * logs
        same = n["printed α, in 1/(εn)"] == n["right α, in 1/(εn)"]
        return larger == same == covered and (n["exact, at the printed α"] <= p["beta"]) == kept

    check_captions(
        demos.theorem_5_and_delta,
        {
            "At the printed α .* probability (.*), and at most β = (.*) was promised[.]": (
                lambda n, p, real, beta: (
                    near(real, n["exact, at the printed α"])
                    and near(beta, p["beta"], 9)
                    and is_so(n, p, covered=False, kept=False)
                )
            ),
            "The proof of Theorem 2 still holds at δ = (.*), and .* keeps its promise[.]": (
                lambda n, p, delta: (
                    near(delta, p["delta"], 4) and is_so(n, p, covered=True, kept=True)
                )
            ),
            "The proof does not hold at this δ; .* keeps its promise all the same[.]": (
                lambda n, p: is_so(n, p, covered=False, kept=True)
            ),
        },
    )


@pytest.mark.parametrize("moved", [0, 1])
def test_densities_of_the_threshold_are_its_law_given_the_answers(moved):
    """Lap(2/ε) times m powers of the distribution function of Lap(2c/ε), and a mass of 1."""
    shown = demos.dropped_factor(epsilon=0.7, cutoff=2, num_below=6, answer=1.5)
    z, density = curve(shown, ("on D", "on D′")[moved])
    x = (z - moved) * 0.7 / 4
    below = np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)
    shape = np.exp(-0.7 * abs(z) / 2) * below**6
    np.testing.assert_allclose(density / density.max(), shape / shape.max(), rtol=1e-9)
    assert np.isclose(np.trapezoid(density, z), 1, atol=2e-3)
    cut = layer(shown, "cut")
    assert (cut["low"], cut["high"]) == (z[0], 1.5)


def test_areas_of_the_proof_add_up_to_the_exact_loss():
    shown = demos.dropped_factor(epsilon=2.0, cutoff=1, answer=1.0, num_below=20, curves="all")
    row = member("lecture11_sparse", cutoff=1, epsilon=2.0)
    m, total = curve(shown, "exact")
    for i in (0, 4, 19):
        ends = [0.0, 0.0], [1.0, 0.0]
        whole = exact_loss(row, *ends, [BELOW, 1.0], threshold=0.0, counts=[m[i], 1])
        below = exact_loss(row, [0.0], [1.0], [BELOW], threshold=0.0, counts=[m[i]])
        assert np.isclose(total[i], whole / 2)
        assert np.isclose(layer(shown, "the ⊥")["high"][i], below / 2)
    kept, dropped = (layer(shown, name) for name in ("the ⊥", "dropped factor"))
    assert dropped["low"] == kept["high"] and dropped["high"] == total.tolist()
    assert kept["low"] == [0] * 20 and layer(shown, "Theorem 3")["at"] == 1
    told = shown["numbers"]
    parts = [told[f"of the {part}"] for part in ("⊥", "number’s noise", "dropped factor")]
    assert np.isclose(sum(parts), told["log-ratio"]) and np.isclose(
        told["log-ratio"], 2 * total[-1]
    )
    assert curve(shown, "at m")[1] == total[-1]


def test_the_picture_of_the_proof_shows_no_more_than_was_answered():
    for m in (1, 7):
        shown = demos.dropped_factor(num_below=m, curves="all")
        assert curve(shown, "exact")[0].tolist() == list(range(1, m + 1))
        assert len(layer(shown, "dropped factor")["x"]) == m


def test_before_the_reveal_only_what_the_proof_counts_is_drawn():
    shown = demos.dropped_factor(guess=9)
    nothing, kept = layer(shown, "dropped factor"), layer(shown, "the ⊥")
    assert nothing["low"] == nothing["high"] == kept["high"]
    assert layer(shown, "exact")["y"] == [None] * 20 and layer(shown, "at m")["y"] == [None]
    assert layer(shown, "guess")["at"] == 9
    assert not {"log-ratio", "of the dropped factor"} & set(shown["numbers"])
    told = at(demos.dropped_factor, "Reveal")
    assert np.isclose(told["log-ratio"], 20 / 10)


def test_figures_of_the_proof():
    """After m times ⊥ and the number 0 the log-ratio is m·ε/2c; eleven pass ε if c is 5."""
    for scene, loss in {"One ⊥": 0.5, "One number allowed": 5, "Reveal": 2}.items():
        assert np.isclose(at(demos.dropped_factor, scene)["log-ratio"], loss)
    told = at(demos.dropped_factor, "And a large number")["log-ratio"]
    oracle = mpmath.log(density_by_hand(10, 0, 8) / density_by_hand(10, 1, 8))
    assert np.isclose(told, float(oracle)) and round(told, 3) == 0.566
    assert round(at(demos.dropped_factor, "One number allowed")["of the ⊥"], 4) == 0.4999
    m, share = curve(demos.dropped_factor(curves="all"), "exact")
    assert m[share > 1 + 1e-9][0] == 11


def test_what_is_lost_is_compared_with_epsilon():
    def right(n, p, times, answer):
        """The log-ratio over ε, if the sentence speaks of this output."""
        share = n["log-ratio"] / p["epsilon"]
        if p["answer"] <= 0:
            assert np.isclose(share, p["num_below"] / (2 * p["cutoff"]))
        assert times == ("One" if p["num_below"] == 1 else f"{p['num_below']} times")
        assert near(answer, p["answer"], 9) and n["allowed by Theorem 3"] == p["epsilon"]
        return share

    start = "(.*) ⊥ and then the number (.*) lose "
    check_captions(
        demos.dropped_factor,
        {
            "Your guess: after (.*) ⊥ the number (.*) loses more than ε for the first time[.]": (
                lambda n, p, times, answer: (
                    p["curves"] == demos.PROVED
                    and times == ("one" if p["guess"] == 1 else f"{p['guess']} times")
                    and near(answer, p["answer"], 9)
                )
            ),
            start + "(.*) times ε: the factor that the proof drops is too much[.]": (
                lambda n, p, *said: near(said[2], right(n, p, *said[:2])) and value(said[2]) >= 1
            ),
            start + "exactly ε, all that Theorem 3 allows[.]": (
                lambda n, p, *said: np.isclose(right(n, p, *said), 1)
            ),
            start + "(.*) of ε, no more than Theorem 3 allows[.]": (
                lambda n, p, *said: near(said[2], right(n, p, *said[:2])) and value(said[2]) <= 1
            ),
        },
        also=[
            dict(curves="all", **where)
            for where in (
                dict(num_below=2, cutoff=1),
                dict(num_below=10),
                dict(num_below=19, answer=2.0),
                *(dict(epsilon=e, cutoff=c) for e in (0.1, 3.0) for c in (1, 3, 5)),
            )
        ],
    )


def test_the_axis_of_the_proof_shows_the_mass_and_rarely_changes():
    """Limits in steps: of 25 positions only those that cross a step draw a new background."""
    seen = set()
    for epsilon in (0.1, 0.3, 1.0, 2.0, 3.0):
        for cutoff in range(1, 6):
            shown = demos.dropped_factor(epsilon=epsilon, cutoff=cutoff, num_below=20)
            low, high = shown["axes"][0]["x"]["limits"]
            seen.add((low, high))
            assert low <= -5 / epsilon * 0.99 and high >= (6 + 8 * cutoff) / epsilon
    assert len(seen) == 4
