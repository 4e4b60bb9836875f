"""What the pictures of notebook 01 show, against the library and by hand."""

import numpy as np
import pytest

from course_lib.above_threshold import above_threshold
from course_lib.demos import above_threshold as demos
from course_lib.demos.picture import layer
from course_lib.demos.words import compact
from course_lib.exact.above_threshold import above_threshold_loss, first_above_errors
from course_lib.exact.family import member
from course_lib.exact.transcripts import log_probability
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.data import health_values, load_survey
from course_lib.lab.noise import GivenNoise
from course_lib.support.answers import ABOVE, BELOW
from course_lib.toolbox import advanced_composition
from tests.pictures import check_captions, curve, near, scene

COUNTS = health_values()[:16]


def survey_run(**parameters):
    rng = np.random.default_rng(parameters.pop("seed"))
    return list(above_threshold(load_survey(), demos.STREAM, **parameters, rng=rng))


def fails(num_queries, alpha, epsilon):
    """The probability of failure on k − 1 values at −α and one at α, from the transcript's law."""
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    counts = [num_queries - 1, 1] if num_queries > 1 else [1]
    stream = [[-alpha, alpha][-len(counts) :], [BELOW, ABOVE][-len(counts) :]]
    return -np.expm1(log_probability(row, *stream, threshold=0, counts=counts))


def test_waiting_is_a_run_and_a_silent_alarm_uses_half_whatever_the_number_of_questions():
    answers = survey_run(epsilon=0.05, threshold=1800, seed=11)
    assert answers == [BELOW] * 14 + [ABOVE]
    for asked in range(1, 17):
        numbers = demos.waiting(num_queries=asked)["numbers"]
        rung = asked >= len(answers)
        assert numbers["⊤ at question"] == (len(answers) if rung else None)
        assert numbers["used by the alarm"] == (1.0 if rung else 0.5)
        # Laplace noise of scale 4/ε on a count costs ε/4
        assert numbers["used by counts"] == pytest.approx(asked * (1 / 80) / 0.05)


def test_waiting_tells_what_both_have_used():
    check_captions(
        demos.waiting,
        {
            r"After (one|\d+) questions? the silent alarm has used half its budget; published counts would have used (.*) budgets\.": (
                lambda n, p, asked, used: (
                    n["⊤ at question"] is None
                    and asked == ("one" if p["num_queries"] == 1 else str(p["num_queries"]))
                    and near(used, p["num_queries"] / 4)
                )
            ),
            r"The alarm rang at question (\d+), and its budget is used up; published counts would have used (.*) budgets\.": (
                lambda n, p, at, used: (
                    n["⊤ at question"] == int(at) <= p["num_queries"]
                    and near(used, p["num_queries"] / 4)
                )
            ),
        },
    )


@pytest.mark.parametrize("asked", [1, 14, 15, 16])
def test_waiting_draws_what_it_tells(asked):
    shown = demos.waiting(num_queries=asked)
    k, used = curve(shown, "publish each count")
    assert k.tolist() == [*range(1, asked + 1)] and np.allclose(used, k / 4)
    k, used = curve(shown, "wait for the alarm")
    assert used.tolist() == [1.0 if i == 15 else 0.5 for i in k] and len(k) == min(asked, 15)
    assert layer(shown, "rings")["x"] == [15] * (asked >= 15)
    assert layer(shown, "the whole budget")["at"] == 1


def test_the_meter_of_a_run_is_half_full_until_the_alarm_rings():
    for asked, filled in ((1, [0.49, 0.51]), (14, [0.49, 0.51]), (15, [0.49, 0.99])):
        shown = demos.one_run(num_queries=asked)
        assert layer(shown, "budget used")["to_x"] == pytest.approx(filled)
        words = "all" if asked == 15 else "half"
        assert layer(shown, "budget in words")["words"] == [f"budget used: {words}"]


def test_one_run_shows_a_run_of_the_mechanism():
    shown = demos.one_run(epsilon=0.02, threshold=900, seed=4)
    answers = survey_run(epsilon=0.02, threshold=900, seed=4)
    assert answers[-1] is ABOVE and shown["numbers"]["⊤ at query"] == len(answers)
    assert layer(shown, "counts above")["words"] == ["⊤"]
    assert layer(shown, "counts below")["words"] == ["⊥"] * (len(answers) - 1)
    assert len(layer(shown, "not asked")["words"]) == 16 - len(answers)
    assert curve(shown, "count")[0].tolist() == COUNTS[: len(answers)].tolist()


def test_noisy_counts_and_threshold_are_those_that_decided():
    for seed in range(20):
        numbers = demos.one_run(epsilon=0.01, seed=seed)["numbers"]
        above = np.array(numbers["noisy counts"]) >= numbers["noisy T"]
        ends = numbers["⊤ at query"]
        assert np.flatnonzero(above).tolist() == ([] if ends is None else [ends - 1])


def test_the_numbers_beside_a_run_are_its_scales_and_its_count():
    numbers = demos.one_run(epsilon=0.02)["numbers"]
    assert (numbers["noise of T, scale"], numbers["noise of a count, scale"]) == (100, 200)
    assert numbers["its count"] == COUNTS[numbers["⊤ at query"] - 1]


def test_noise_is_the_same_at_every_epsilon_but_for_its_scale():
    fine, coarse = (demos.one_run(epsilon=e, threshold=3000)["numbers"] for e in (1.0, 0.5))
    assert np.isclose(coarse["noisy T"] - 3000, 2 * (fine["noisy T"] - 3000))
    moved = [np.array(n["noisy counts"]) - COUNTS for n in (fine, coarse)]
    assert np.allclose(moved[1], 2 * moved[0])


def test_the_rows_of_the_notebook_s_table_are_scenes():
    for name, epsilon, rings in (
        ("Enough privacy budget", 0.05, 15),
        ("Two fifths of it", 0.02, 8),
        ("A fifth of it", 0.01, 4),
    ):
        assert demos.one_run.demo.scene(name)["epsilon"] == epsilon
        assert scene(demos.one_run, name)["⊤ at query"] == rings


def test_a_run_says_where_the_alarm_came_and_where_it_should():
    first = {t: next((i + 1 for i, v in enumerate(COUNTS) if v >= t), None) for t in range(0, 3001)}

    def rung(numbers):
        return numbers["⊤ at query"], COUNTS[numbers["⊤ at query"] - 1]

    check_captions(
        demos.one_run,
        {
            r"The ⊤ comes at query (\d+), the first count that reaches T\.": lambda n, p, q: (
                n["⊤ at query"] == int(q) == first[p["threshold"]]
            ),
            r"The ⊤ comes at query (\d+), by mistake: its count is (.*) below T\.": (
                lambda n, p, q, short: (
                    n["⊤ at query"] == int(q) and near(short, p["threshold"] - rung(n)[1], 9)
                )
            ),
            r"The ⊤ comes at query (\d+); query (\d+) reaches T too, and was missed\.": (
                lambda n, p, q, early: (
                    n["⊤ at query"] == int(q) > int(early) == first[p["threshold"]]
                    and rung(n)[1] >= p["threshold"]
                )
            ),
            r"Every answer is ⊥, and rightly: no count asked reaches T\.": lambda n, p: (
                n["⊤ at query"] is None and max(COUNTS[: p["num_queries"]]) < p["threshold"]
            ),
            r"Every answer is ⊥, although query (\d+) reaches T: the noise hid it\.": (
                lambda n, p, q: (
                    n["⊤ at query"] is None
                    and int(q) == first[p["threshold"]] <= p["num_queries"] == n["answers"]
                )
            ),
        },
        also=[dict(threshold=2350, epsilon=0.01, seed=seed) for seed in range(9)],
    )


@pytest.mark.parametrize(("epsilon", "num_queries"), [(0.5, 3), (2.0, 1000), (1.0, 10**9)])
def test_failure_curves_are_theorem_and_law(epsilon, num_queries):
    shown = demos.failure_against_alpha(epsilon=epsilon, num_queries=num_queries)
    alphas, exact = curve(shown, "exact")
    for alpha, failed in list(zip(alphas, exact, strict=True))[::12]:
        assert np.isclose(failed, fails(num_queries, alpha, epsilon), rtol=1e-9)
    alphas, promised = curve(shown, "Theorem 3.24")
    bound = np.minimum(1, 2 * num_queries * np.exp(-epsilon * alphas / 8))
    np.testing.assert_allclose(promised, bound, rtol=1e-12)


@pytest.mark.parametrize("num_queries", [1, 7, 20, 21, 1000, 10**12])
def test_measured_failures_are_near_the_exact_ones(num_queries):
    # five probes at 99.99%: a scale wrong by 10% is seen at k = 1,000
    shown = demos.failure_against_alpha(num_queries=num_queries, alpha=20)
    measured = layer(shown, "measured, 95%")
    for x, rate in zip(measured["x"], measured["y"], strict=True):
        low, high = clopper_pearson(round(rate * 5000), 5000, confidence=0.9999)
        assert low <= fails(num_queries, x, 1.0) <= high


def test_figures_of_the_theorem_and_of_the_truth():
    numbers = demos.failure_against_alpha(
        **demos.failure_against_alpha.demo.scenes["The α of the theorem"]
    )["numbers"]
    assert round(numbers["α promised for β = 0.05"], 3) == 84.773
    assert round(numbers["α that is enough"], 4) == 37.7185
    assert np.isclose(numbers["exact"], fails(1000, 84.8, 1.0), rtol=1e-9)


def test_the_promise_and_the_truth_are_told_apart():
    check_captions(
        demos.failure_against_alpha,
        {
            r"The theorem promises nothing here; in truth a run fails with probability (.*)\.": (
                lambda n, p, real: (
                    n["promised at most"] == 1
                    and near(real, fails(p["num_queries"], p["alpha"], p["epsilon"]))
                )
            ),
            r"The theorem allows failure with probability (.*); the true one is (.*) times smaller\.": (
                lambda n, p, bound, factor: (
                    near(bound, 2 * p["num_queries"] * np.exp(-p["epsilon"] * p["alpha"] / 8))
                    and near(factor, n["promised at most"] / n["exact"])
                    and n["exact"] < n["promised at most"]
                )
            ),
            r"The theorem allows failure with probability (.*); the true one is below 10⁻³⁰⁰\.": (
                lambda n, p, bound: n["exact"] < 1e-300 and near(bound, n["promised at most"])
            ),
        },
    )


def test_the_library_in_the_readers_place_gives_the_same_picture():
    ours = demos.failure_against_alpha(num_queries=15, seed=3)
    assert demos.failure_against_alpha(num_queries=15, seed=3, mechanism=above_threshold) == ours
    assert demos.one_run(mechanism=above_threshold) == demos.one_run()


def test_a_mistake_of_the_reader_shows_in_the_measured_layer():
    def too_quiet(data, queries, *, threshold, epsilon, rng):
        return above_threshold(data, queries, threshold=threshold, epsilon=2 * epsilon, rng=rng)

    ours = layer(demos.failure_against_alpha(num_queries=15), "measured, 95%")
    theirs = layer(
        demos.failure_against_alpha(num_queries=15, mechanism=too_quiet), "measured, 95%"
    )
    assert theirs["high"][2] < ours["low"][2]
    silent = layer(
        demos.failure_against_alpha(num_queries=2, mechanism=lambda *_, **__: []), "measured, 95%"
    )
    assert silent["y"] == [1] * 5


def test_with_a_mechanism_of_ones_own_the_stream_is_short():
    stops = demos.failure_against_alpha.demo.stops("num_queries", {"mechanism": above_threshold})
    assert (
        max(stops) == 20 and max(demos.failure_against_alpha.demo.choices["num_queries"]) == 10**12
    )


@pytest.mark.parametrize("threshold", [850, 1000, 1800])
def test_survey_curve_is_the_law_of_where_the_alarm_comes(threshold):
    shown = demos.failure_on_the_survey(threshold=threshold, alpha=100)
    row = member("above_threshold", cutoff=1, epsilon=0.05)
    errors = first_above_errors(COUNTS, threshold=threshold)
    law = [
        np.exp(log_probability(row, COUNTS[: q + 1], [BELOW] * q + [ABOVE], threshold=threshold))
        for q in range(16)
    ]
    wrong = sum(p for p, error in zip([*law, 1 - sum(law)], errors, strict=True) if error > 100)
    assert np.isclose(shown["numbers"]["exact"], wrong, rtol=1e-6)
    low, high = shown["numbers"]["measured"]
    assert low <= wrong <= high
    _, promised = curve(shown, "Theorem 3.24")
    grid = np.linspace(0, 2000, 200)
    assert np.allclose(promised, np.minimum(1, 32 * np.exp(-0.05 * grid / 8)))


def test_survey_caption_counts_the_gap():
    check_captions(
        demos.failure_on_the_survey,
        {
            r"(\d+) of 16 counts lie within α of T, where either answer is right; (.*)\.": (
                lambda n, p, inside, often: (
                    int(inside) == sum(abs(COUNTS - p["threshold"]) <= p["alpha"])
                    and often
                    == (
                        "none can be wrong"
                        if n["exact"] == 0
                        else f"a wrong answer has probability {often.rsplit(' ', 1)[1]}"
                    )
                    and (n["exact"] < 1e-300 or near(often.rsplit(" ", 1)[1], n["exact"]))
                )
            )
        },
    )


def test_alpha_curves_are_what_each_way_needs():
    shown = demos.alpha_against_queries(epsilon=0.5, beta=0.1, curves="all")
    k, exact = curve(shown, "exact")
    for length, alpha in list(zip(k, exact, strict=True))[1::6]:
        assert np.isclose(fails(int(length), alpha, 0.5), 0.1, rtol=1e-8)
    # that one of k Laplace variables exceeds α in size: 1 − (1 − e^(−ε₀α))^k = β
    laplace = -np.log(-np.expm1(np.log1p(-0.1) / k))
    assert np.allclose(curve(shown, "Laplace, basic")[1], laplace * k / 0.5)
    per_answer = laplace / curve(shown, "Laplace, advanced")[1]
    assert np.allclose(advanced_composition(runs=k, epsilon=per_answer, delta=1e-6), 0.5, rtol=1e-6)
    assert np.allclose(curve(shown, "Theorem 3.24")[1], 8 * np.log(2 * k / 0.1) / 0.5)


def test_what_an_answer_may_cost_adds_up_to_epsilon():
    numbers = demos.alpha_against_queries(num_queries=100, curves="all")["numbers"]
    spent = advanced_composition(runs=100, epsilon=numbers["ε of an answer, advanced"], delta=1e-6)
    assert np.isclose(spent, 1) and numbers["ε of an answer, basic"] == 0.01


def test_the_dots_stand_on_their_curves():
    shown = demos.alpha_against_queries(num_queries=10**4, curves="all")
    for name, y in zip(
        ("Laplace, basic", "Laplace, advanced", "Theorem 3.24", "exact"),
        curve(shown, "at k")[1],
        strict=True,
    ):
        x, alphas = curve(shown, name)
        assert np.isclose(alphas[x == 1e4], y) and shown["numbers"][name] == y


def test_the_cheaper_way_is_named():
    def best(n):
        return min(n["Laplace, basic"], n["Laplace, advanced"])

    check_captions(
        demos.alpha_against_queries,
        {
            "Your guess: AboveThreshold needs .* from k = (.*) on.": lambda n, p, k: (
                near(k, p["guess"])
                and p["curves"] != "all"
                and not {"exact", "Theorem 3.24"} & set(n)
            ),
            "For so few queries .*": lambda n, p: best(n) <= n["exact"],
            "AboveThreshold needs a smaller error .*": lambda n, p: (
                n["exact"] < best(n) <= n["Theorem 3.24"]
            ),
            "To answer every query would need an error (.*) times what .*": lambda n, p, factor: (
                near(factor, best(n) / n["Theorem 3.24"]) and best(n) > n["Theorem 3.24"]
            ),
        },
        also=[dict(curves="all", num_queries=k) for k in (1, 3, 4, 7, 100)],
    )


def test_nothing_of_above_threshold_is_shown_before_the_reveal():
    hidden = demos.alpha_against_queries(guess=4)
    for name in ("exact", "Theorem 3.24"):
        assert layer(hidden, name)["y"] == [None] * 25
    assert layer(hidden, "at k")["y"][2:] == [None, None]
    assert layer(hidden, "guess")["at"] == 4


def test_loss_curve_is_the_exact_loss_and_stays_below_epsilon():
    shown = demos.loss_against_answers(epsilon=2.0, threshold=3, num_queries=10**6)
    k, share = curve(shown, "exact")
    assert (share <= 1 + 1e-9).all()
    for length, value in list(zip(k, share, strict=True))[:6]:
        m = int(length) - 1
        loss = above_threshold_loss([0] * m + [1], [1] * m + [0], threshold=3, epsilon=2.0)
        assert np.isclose(value, loss / 2.0, rtol=1e-9)


def test_measured_losses_hold_the_exact_ones():
    # four intervals at 95% each, one seed: all four miss with probability below 10⁻⁵
    shown = demos.loss_against_answers(epsilon=1.0, num_queries=10**6)
    measured, (k, exact) = layer(shown, "measured, 95%"), curve(shown, "exact")
    held = [
        low <= exact[k == x][0] <= high
        for x, low, high in zip(measured["x"], measured["low"], measured["high"], strict=True)
    ]
    assert sum(held) >= len(held) - 1 >= 1


def test_losses_are_drawn_up_to_the_slider():
    whole, shown = (demos.loss_against_answers(num_queries=k) for k in (10**6, 7))
    assert curve(shown, "exact")[0].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert np.allclose(curve(shown, "exact")[1], curve(whole, "exact")[1][:7])
    assert layer(shown, "measured, 95%")["x"] == [2, 4]
    assert layer(demos.loss_against_answers(), "measured, 95%")["x"] == []


def test_how_much_of_epsilon_is_lost_is_told():
    check_captions(
        demos.loss_against_answers,
        {
            r"(A ⊤ at once loses|A ⊥ and then a ⊤ lose|.* times ⊥ and then a ⊤ lose) (.*) of ε; however many ⊥ come, it is never more than ε\.": (
                lambda n, p, before, lost: (
                    n["exact loss"] <= p["epsilon"] * (1 + 1e-12)
                    and before.split()[0]
                    == ("A" if p["num_queries"] < 3 else compact(p["num_queries"] - 1))
                    and (
                        n["share of ε"] >= 0.99995
                        if lost == "all but a ten-thousandth"
                        else abs(float(lost[:-1]) / 100 - n["share of ε"]) < 5.1e-5
                    )
                )
            )
        },
    )


def says(values, noise, threshold):
    """The answers to a stream with given noise, by the mechanism itself."""
    given = iter(noise)
    queries = [lambda _, value=value: value for value in values]
    rng = GivenNoise(lambda scale: next(given))
    answers = above_threshold(None, queries, threshold=threshold, epsilon=1.0, rng=rng)
    return "".join(map(str, answers))


@pytest.mark.parametrize("moved", demos.MOVED)
@pytest.mark.parametrize("seed", [35, *range(12)])
def test_the_proof_in_the_picture_is_a_run_of_the_mechanism_on_two_neighbours(moved, seed):
    for num_queries in (2, 12, 24):
        shown = demos.coupling(moved=moved, num_queries=num_queries, seed=seed, epsilon=2.0)
        numbers = shown["numbers"]
        here, there = ([0.0] * (num_queries - 1) + [6.0], [1.0] * (num_queries - 1) + [5.0])
        assert curve(shown, "D: values")[1].tolist() == here
        assert curve(shown, "D′: values")[1].tolist() == there
        wanted = "⊥" * (num_queries - 1) + "⊤"
        assert says(here, numbers["noise on D"], 6.0) == wanted
        got = says(there, numbers["noise on D′"], 6.0)
        assert got == numbers["answers on D′"] and (got == wanted) == numbers["same answers"]
        differ = np.array(numbers["noise on D′"]) - numbers["noise on D"]
        places = {"nothing": [], "T̂": [0], "T̂ and νₖ": [0, num_queries]}[moved]
        expected = np.zeros(num_queries + 1)
        expected[places] = [1, 2][: len(places)]
        assert np.allclose(differ, expected)
        if moved != "nothing":
            assert got[: num_queries - 1] == wanted[:-1]  # all ⊥ stay
        if moved == "T̂ and νₖ":
            assert got == wanted


@pytest.mark.parametrize("moved", demos.MOVED)
def test_the_proof_draws_the_noise_that_it_tells(moved):
    shown = demos.coupling(moved=moved, num_queries=12, epsilon=2.0)
    numbers = shown["numbers"]
    for name in ("D", "D′"):
        values, noise = curve(shown, f"{name}: values")[1], np.array(numbers[f"noise on {name}"])
        assert np.allclose(curve(shown, f"{name}: noisy values")[1], values + noise[1:])
        assert np.isclose(layer(shown, f"{name}: T̂")["at"], 6 + noise[0])
    assert "".join(layer(shown, "D′: answers")["words"]) == numbers["answers on D′"]
    moves = np.subtract(numbers["noise on D′"], numbers["noise on D"])[[0, -1]]
    assert np.allclose([numbers["T̂ moves by"], numbers["νₖ moves by"]], moves)


def test_the_meters_of_the_proof_stand_still_as_k_grows():
    for moved, halves in zip(demos.MOVED, (0, 1, 2), strict=True):
        seen = set()
        for num_queries in range(2, 25):
            shown = demos.coupling(moved=moved, num_queries=num_queries)
            seen.add(tuple(layer(shown, "budget used")["to_x"]))
            assert shown["numbers"]["price at most"] == halves * 2.0 / 2
            assert shown["numbers"]["price with this noise"] <= halves * 2.0 / 2 + 1e-9
        assert len(seen) == 1
        (filled,) = seen
        assert [round(x - i / 2, 2) for i, x in enumerate(filled)] == [
            0.49 if i < halves else 0.01 for i in range(2)
        ]


def test_the_proof_says_whether_the_answers_are_the_same():
    prices = ("nothing", "ε/2", "ε/2 + ε/2, however many queries there are")
    check_captions(
        demos.coupling,
        {
            r"D′ gives the same answers as D, for (nothing|ε/2|ε/2 \+ ε/2, however many queries there are)(; this noise is lucky)?\.": (
                lambda n, p, price, lucky: (
                    n["same answers"]
                    and price == prices[demos.MOVED.index(p["moved"])]
                    and bool(lucky) == (p["moved"] != "T̂ and νₖ")
                )
            ),
            r"All (\d+) ⊥ stay, but the last answer is ⊥ as well: its ⊤ is lost\.": (
                lambda n, p, stay: (
                    n["answers on D′"] == "⊥" * p["num_queries"]
                    and int(stay) == p["num_queries"] - 1
                )
            ),
            r"D′ rings already at query (\d+): the same noise does not give the same answers\.": (
                lambda n, p, at: (
                    p["moved"] == "nothing"
                    and n["answers on D′"] == "⊥" * (int(at) - 1) + "⊤"
                    and int(at) < p["num_queries"]
                )
            ),
        },
    )
