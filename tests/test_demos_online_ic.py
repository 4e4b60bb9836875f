"""What the pictures of notebook 06 show, against the textbook in plain Python and closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from course_lib.demos import online_ic as demos
from course_lib.demos.picture import layer
from course_lib.exact.family import member
from course_lib.exact.transcripts import exact_loss
from course_lib.lab.online_ic import random_queries
from course_lib.support.answers import BELOW
from tests.pictures import check_captions, curve, near, states
from tests.test_exact_online_ic import CHASES, relative_entropy, shares, textbook_chase, value
from tests.test_lab_online_ic import ANALYSTS, most_updates, textbook_run

NAMES = ("visit", "chronic", "unwell", "free")


def textbook_learning(num_queries):
    """Conjunctions of four attributes answered at α = 0.05, with noise too small to matter."""
    truth, hypothesis, paid = np.array(shares(4)), np.full(16, 1 / 16), [0]
    for query in random_queries(4, "conjunctions", num_queries=num_queries, seed=0):
        gap = query @ (truth - hypothesis)
        if abs(gap) >= 0.1:
            hypothesis = hypothesis * np.exp(np.sign(gap) * 0.025 * query)
            hypothesis /= hypothesis.sum()
        paid.append(paid[-1] + (abs(gap) >= 0.1))
    return hypothesis, paid


@pytest.mark.parametrize("num_queries", [1, 25, 100, 1000])
def test_the_guess_learns_from_what_is_paid_for(num_queries):
    """Without noise the hypothesis is that of the textbook, up to the few queries at the threshold."""
    shown, (hypothesis, paid) = (
        demos.learning_from_answers(num_queries=num_queries),
        textbook_learning(num_queries),
    )
    numbers, truth = shown["numbers"], shares(4)
    np.testing.assert_allclose(curve(shown, "the truth")[0], truth)
    np.testing.assert_allclose(curve(shown, "the guess")[0], hypothesis, atol=0.01)
    asked, cost = curve(shown, "pay to correct the guess")
    assert list(asked) == list(range(num_queries + 1)) and set(np.diff(cost)) <= {0, 1}
    assert np.abs(cost - paid).max() <= 3 and cost[-1] == numbers["answers paid for"]
    assert numbers["answers paid for"] + numbers["free answers"] == num_queries
    assert [*map(list, curve(shown, "pay for each"))] == [[0, num_queries]] * 2
    assert [*map(list, curve(shown, "so far"))] == [[num_queries], [cost[-1]]]
    strokes = layer(shown, "missing")
    assert strokes["x"] == list(curve(shown, "the guess")[0]) and strokes["to_x"] == truth
    apart = sum(abs(t - g) for t, g in zip(truth, curve(shown, "the guess")[0], strict=True)) / 2
    assert numbers["guess and truth differ by"] == pytest.approx(apart)


def test_what_was_free_is_told():
    def after(n, p, asked, free, paid):
        count = {"one answer": 1}.get(paid) or int(paid.split()[0])
        right = near(asked, p["num_queries"], 9) and near(free, n["free answers"], 9)
        return right and count == n["answers paid for"] and p["num_queries"] > 1

    check_captions(
        demos.learning_from_answers,
        {
            "The guess begins with equal shares, and the first answer had to be paid for, "
            "because the guess was far off.": lambda n, p: (
                p["num_queries"] == n["answers paid for"] == 1
            ),
            "After (.*) questions (.*) answers were free; (.*) had to be paid for.": after,
        },
    )
    hundred, thousand = (demos.learning_from_answers(num_queries=k)["numbers"] for k in (100, 1000))
    assert (hundred["answers paid for"], thousand["answers paid for"]) == (43, 100)
    assert thousand["guess and truth differ by"] < 0.3 * 0.404


def chase_of(state):
    return textbook_chase(state["analyst"], state["attributes"], state["alpha"])


def in_words(query, attributes, analyst):
    """The marginal that a query of the textbook is, by the bits that all its elements have."""
    if analyst == "all queries":
        return "the elements that are too light"
    least = query.index(1.0)
    return (
        "“"
        + " and ".join(NAMES[i] for i in range(attributes) if least >> attributes - 1 - i & 1)
        + "”"
    )


@pytest.mark.parametrize(("analyst", "attributes", "alpha"), CHASES)
def test_the_chase_is_that_of_the_textbook(analyst, attributes, alpha):
    place = {"analyst": analyst, "attributes": attributes, "alpha": alpha}
    hypotheses, queries = chase_of(place)
    assert demos.chasing.demo.stops("updates", place) == list(range(len(queries) + 1))
    truth = shares(attributes)
    entropies = [relative_entropy(truth, h) for h in hypotheses]
    for t in {0, 1, len(queries) // 2, len(queries)}:
        shown = demos.chasing(**place, updates=t)
        np.testing.assert_allclose(curve(shown, "true")[0], truth)
        np.testing.assert_allclose(curve(shown, "hypothesis")[0], hypotheses[t])
        query = queries[t - 1] if t else [0.0] * len(truth)
        assert layer(shown, "in the query")["y"] == [x for x, q in enumerate(query) if q]
        so_far, to_come = curve(shown, "relative entropy"), curve(shown, "to come")
        np.testing.assert_allclose(so_far, [range(t + 1), entropies[: t + 1]], rtol=1e-9)
        np.testing.assert_allclose(to_come, [range(t, len(entropies)), entropies[t:]], rtol=1e-9)
        assert [*map(list, curve(shown, "now"))] == [[t], [so_far[1][-1]]]
        numbers = shown["numbers"]
        assert numbers["relative entropy"] == pytest.approx(entropies[t], rel=1e-9)
        assert numbers["updates in all"] == len(queries)
        if t:
            assert numbers["fell by"] == pytest.approx(entropies[t - 1] - entropies[t], rel=1e-6)
            assert numbers["true value"] == pytest.approx(value(query, truth))
            before = numbers["value on the hypothesis before"]
            assert before == pytest.approx(value(query, hypotheses[t - 1]))
            assert numbers["query"] == in_words(query, attributes, analyst)


@pytest.mark.parametrize(("attributes", "alpha"), [(3, 0.4), (4, 0.2), (4, 0.08)])
def test_promised_lines_fall_by_alpha_squared_over_4_to_0(attributes, alpha):
    shown = demos.chasing(attributes=attributes, alpha=alpha)
    start = relative_entropy(shares(attributes), [2.0**-attributes] * 2**attributes)
    times, entropies = curve(shown, "to come")
    for label, top in ("ln|X| − tα²/4", attributes * math.log(2)), ("its start − tα²/4", start):
        x, y = curve(shown, label)
        np.testing.assert_allclose(y, top - x * alpha**2 / 4, atol=1e-12)
        assert x[0] == 0 and np.isclose(x[-1], 4 * top / alpha**2) and y[-1] < 1e-8
        assert (np.interp(times, x, y) >= entropies - 1e-12).all()
    most = 4 * attributes * math.log(2) / alpha**2
    assert (
        np.isclose(layer(shown, "B(α)")["at"], most) and most < shown["axes"][1]["x"]["limits"][1]
    )
    assert layer(shown, "allowed")["words"] == [f"B(α) = {math.floor(most):,}"]
    assert shown["numbers"]["promised, α²/4"] == pytest.approx(alpha**2 / 4)
    assert shown["numbers"]["ln|X|"] == pytest.approx(attributes * math.log(2))


def test_the_elements_are_named_by_their_bits():
    frame = demos.chasing()["axes"][0]
    assert frame["y"]["names"][5] == "0101"
    assert frame["y"]["label"] == "bits: visit, chronic, unwell, free"
    assert max(shares(4)) < frame["x"]["limits"][1]


def test_what_an_update_does_and_how_the_chase_ends_is_told():
    def kind_of(p):
        return "marginal" if p["analyst"] == "marginals" else "query"

    def ends(n, p, updates, kind, allowed):
        count = {"one update": 1}.get(updates) or int(updates.split()[0])
        most = math.floor(4 * p["attributes"] * math.log(2) / p["alpha"] ** 2)
        over = p["updates"] == count == len(chase_of(p)[1])
        return over and kind == kind_of(p) and near(allowed, most, 9)

    def moves(n, p, t, way, query, guess, true):
        hypotheses, queries = chase_of(p)
        asked, t = queries[int(t) - 1], int(t)
        truth, before = value(asked, shares(p["attributes"])), value(asked, hypotheses[t - 1])
        assert query == in_words(asked, p["attributes"], p["analyst"])
        right_way = way == ("raises" if truth > before else "lowers")
        return t == p["updates"] and right_way and near(guess, before) and near(true, truth)

    def begins(n, p, kind, off):
        query = chase_of(p)[1][0]
        gap = abs(value(query, shares(p["attributes"])) - sum(query) / len(query))
        return p["updates"] == 0 and kind == kind_of(p) and near(off, gap)

    check_captions(
        demos.chasing,
        {
            "After (.*) no (marginal|query) is off by α or more; "
            "the theorem would have allowed (.*).": ends,
            "Update (.*) (raises|lowers) (.*): the hypothesis said (.*), the truth is (.*).": moves,
            "The hypothesis is uniform, and the worst (marginal|query) is off by (.*).": begins,
        },
        also=[dict(analyst="all queries", updates=t) for t in range(13)],
    )


def test_half_of_alpha_takes_four_times_as_many_updates():
    nine = [demos.chasing(updates=t)["numbers"] for t in range(1, 10)]
    assert {n["query"] for n in nine} == {"“unwell”"} and nine[0]["updates in all"] == 9
    finer = demos.chasing(**demos.chasing.demo.scenes["Half of α"])["numbers"]
    assert finer["updates in all"] == 39 and finer["relative entropy"] > 0.07


def needed(state):
    """The alpha of Theorem 1 for the repaired sparse vector, 2k queries, δ = 0, β = 0.05."""
    logs = math.log(2 * state["num_queries"]) + math.log(3 / 0.05)
    return (48 * math.log(256) * logs / (state["epsilon"] * state["n"])) ** (1 / 3)


RUNS = [
    {"num_queries": 1000},
    {"n": 20_190, "alpha": 0.2, "num_queries": 200},
    {"n": 10_000, "alpha": 0.5, "epsilon": 0.1, "queries": "marginals", "num_queries": 1000},
    {"n": 10**6, "alpha": 0.03, "queries": "predicates", "num_queries": 150, "seed": 5},
    {"alpha": 0.2, "queries": "marginals", "num_queries": 20},
    {"alpha": 0.5, "n": 10**8, "epsilon": 10.0, "num_queries": 50},
    {"cutoff": "50", "num_queries": 200},  # with an α that is large enough
    demos.answers_and_updates.demo.scenes["At most 50 updates"],
    {"n": 20_190, "queries": "all marginals", "num_queries": 255, "alpha": 0.05, "cutoff": "10"},
]


@pytest.mark.parametrize("place", RUNS)
def test_a_run_is_that_of_the_textbook(place):
    state = demos.answers_and_updates.demo.complete(place)
    shown, alpha, k = demos.answers_and_updates(**place), state["alpha"], state["num_queries"]
    cutoff = None if state["cutoff"] == "⌊B(α)⌋" else int(state["cutoff"])
    run = {name: state[name] for name in ("n", "num_queries", "alpha", "epsilon", "seed")}
    errors, gaps, updated, valid = textbook_run(state["queries"], **run, cutoff=cutoff)
    asked = np.arange(1, k + 1)
    for label, these in ("from the hypothesis", ~updated), ("update (line: hypothesis)", updated):
        x, y = curve(shown, label)
        assert list(x) == list(asked[these])
        np.testing.assert_allclose(y, errors[these], atol=1e-9)
    stems = layer(shown, "saved")
    np.testing.assert_allclose(stems["y"], errors[updated], atol=1e-9)
    np.testing.assert_allclose(stems["to_y"], gaps[updated], atol=1e-9)
    assert stems["x"] == stems["to_x"] == asked[updated].tolist()
    assert (layer(shown, "3α")["at"], layer(shown, "2α")["at"]) == (3 * alpha, 2 * alpha)
    frame = shown["axes"][0]
    assert max(3 * alpha, *errors, *gaps) < frame["y"]["limits"][1]
    assert k < frame["x"]["limits"][1] <= 3 * k
    numbers = shown["numbers"]
    assert numbers["updates"] == sum(updated)
    assert numbers["cutoff c"] == (cutoff or most_updates(alpha))
    assert numbers["largest error"] == pytest.approx(max(errors))
    assert numbers["answers off by more than 3α"] == sum(errors > 3 * alpha)
    assert numbers["updates that are not valid"] == sum(updated & ~valid)
    assert numbers["updates in the first quarter"] == sum(updated[asked <= k / 4])
    spent = asked[updated][-1] if sum(updated) == (cutoff or most_updates(alpha)) else None
    assert numbers["all updates spent at query"] == spent
    assert numbers["α needed for β = 0.05"] == pytest.approx(needed(state))


@pytest.mark.parametrize("place", RUNS)
def test_the_meter_shows_a_third_each_for_threshold_comparisons_and_numbers(place):
    shown = demos.answers_and_updates(**place)
    numbers, filled = shown["numbers"], layer(shown, "budget used")
    part = numbers["updates"] / numbers["cutoff c"]
    lengths = np.subtract(filled["to_x"], filled["x"]) / (0.96 / 3)
    np.testing.assert_allclose(lengths, [1, part, part], atol=1e-9)
    assert numbers["share of the budget"] == pytest.approx((1 + part + part) / 3)
    (words,) = layer(shown, "budget in words")["words"]
    assert words == f"budget used: {numbers['share of the budget']:.0%}"


@pytest.mark.parametrize(("updates", "cutoff"), [(0, 1), (1, 1), (1, 4), (2, 4), (4, 4)])
def test_so_many_updates_lose_no_more_than_the_meter_says(updates, cutoff):
    """Exactly, for many ⊥ and some numbers of the repaired sparse vector, in units of 1/n."""
    row = member("lecture11_repaired", cutoff=cutoff, epsilon=1.0)
    transcript, counts = [BELOW] + [5.0] * updates, [10_000] + [1] * updates
    here, there = [0.0] + [1.0] * updates, [1.0] + [0.0] * updates
    loss = exact_loss(row, here, there, transcript, threshold=0.0, counts=counts)
    share = (1 + 2 * updates / cutoff) / 3
    assert 0.95 * share < loss <= share + 1e-9


def test_all_updates_can_be_spent():
    for place in (RUNS[2], RUNS[-1]):
        numbers = demos.answers_and_updates(**place)["numbers"]
        assert numbers["all updates spent at query"] < place["num_queries"]
        assert numbers["updates"] == numbers["cutoff c"]


def test_no_guarantee_is_written_where_there_is_none():
    """It stands above all that is shown, so that no line runs through it."""
    for place in RUNS:
        state, shown = (
            demos.answers_and_updates.demo.complete(place),
            demos.answers_and_updates(**place),
        )
        promised = state["cutoff"] == "⌊B(α)⌋" and state["alpha"] >= needed(state)
        assert layer(shown, "no guarantee")["words"] == ([] if promised else ["no guarantee"])
        told = 3 * state["alpha"] if promised else None
        assert shown["numbers"]["promised at most"] == told


def test_what_is_promised_of_a_run_is_told():
    def is_promised(p):
        return p["cutoff"] == "⌊B(α)⌋" and p["alpha"] >= needed(p)

    def other(n, p, c, worst):
        return p["cutoff"] == c and near(worst, n["largest error"])

    check_captions(
        demos.answers_and_updates,
        {
            "Errors of at most 3α = (.*) are promised; the worst answer is off by (.*).": (
                lambda n, p, most, worst: (
                    is_promised(p)
                    and near(most, 3 * p["alpha"]) and 3 * p["alpha"] < 1
                    and near(worst, n["largest error"])
                )
            ),
            "The promise, 3α = (.*), says nothing of a share; the worst answer is off by (.*).": (
                lambda n, p, most, worst: (
                    is_promised(p)
                    and near(most, 3 * p["alpha"]) and 3 * p["alpha"] >= 1
                    and near(worst, n["largest error"])
                )
            ),
            "No guarantee: the theorem needs α ≥ (.*). The worst answer is off by (.*).": (
                lambda n, p, alpha, worst: (
                    not is_promised(p) and p["cutoff"] == "⌊B(α)⌋"
                    and near(alpha, needed(p))
                    and near(worst, n["largest error"])
                )
            ),
            "With c = (.*) nothing is promised, and yet no answer is off by more than (.*).": (
                lambda n, p, c, worst: (
                    other(n, p, c, worst) and n["answers off by more than 3α"] == 0
                )
            ),
            "With c = (.*) nothing is promised, and the worst answer is off by (.*).": (
                lambda n, p, c, worst: (
                    other(n, p, c, worst) and n["answers off by more than 3α"] > 0
                )
            ),
        },
        also=[dict(cutoff="10", n=20_190, num_queries=k) for k in (20, 1000)],
    )  # fmt: skip


def test_a_thousand_queries_in_scenes():
    scenes = demos.answers_and_updates.demo.scenes
    long = demos.answers_and_updates(**scenes["A thousand queries"])["numbers"]
    assert 100 > long["updates"] > long["updates in the first quarter"] > 0.6 * long["updates"]
    assert long["largest error"] < 0.21
    few = demos.answers_and_updates(**scenes["The survey’s own rows"])["numbers"]
    assert few["updates that are not valid"] > 0.8 * few["updates"] > 400


def test_a_smaller_cutoff_than_the_theorem_s_is_better_on_the_survey():
    """All 255 marginals at ε = 1; 0.408 is how far off the uniform hypothesis is."""
    scenes = demos.answers_and_updates.demo.scenes
    worst = [
        demos.answers_and_updates(**scenes[name])["numbers"]["largest error"]
        for name in ("All marginals of the survey", "The same, α = 0.3", "At most 50 updates")
    ]
    truth = np.array(shares(8))
    off = [abs(truth[np.arange(256) & s == s].sum() - 2.0 ** -s.bit_count()) for s in range(1, 256)]
    assert worst[0] > 1 and worst[1] == pytest.approx(max(off), abs=1e-9) and worst[2] < 0.15


@pytest.mark.parametrize("x", [0.06, 0.0909, 0.091, 0.3, 0.92, 1.0, 4.7, 650.0])
def test_the_axis_ends_a_little_above_what_it_shows(x):
    assert 1.1 * x <= demos.nice_top(x) < 1.7 * x


def textbook_counts(state, alpha):
    run = {name: state[name] for name in ("n", "num_queries", "epsilon", "seed")}
    for analyst in ANALYSTS:
        _, _, updated, valid = textbook_run(analyst, **run, alpha=alpha)
        yield sum(updated), sum(updated & ~valid)


@pytest.mark.parametrize(
    "place",
    [
        {},
        {"n": 20_190, "num_queries": 150},
        {"n": 10**8, "epsilon": 10.0, "num_queries": 100, "alpha": 0.02},
        {"n": 10_000, "epsilon": 0.1, "alpha": 0.5, "seed": 3},
    ],
)
def test_counts_are_those_of_the_textbook(place):
    state = demos.updates_against_bound.demo.complete(place)
    for alpha in {state["alpha"], 0.05, 0.3}:
        shown = demos.updates_against_bound(**state | {"alpha": alpha})
        first = list(demos.ALPHAS).index(alpha)
        counts = list(textbook_counts(state, alpha))
        for analyst, (updates, invalid) in zip(ANALYSTS, counts, strict=True):
            x, y = curve(shown, analyst)
            assert y[list(x).index(alpha)] == updates == shown["numbers"][analyst]
            assert list(x) == list(demos.ALPHAS[first if analyst == "worst query" else 0 :])
            assert shown["numbers"][f"{analyst}, not valid"] == invalid
        assert shown["numbers"]["not valid"] == sum(invalid for _, invalid in counts)
        assert layer(shown, "here: α")["at"] == alpha
        assert layer(shown, "all k")["at"] == state["num_queries"]


def test_the_bound_is_drawn_and_grey_is_where_alpha_is_too_small():
    for n, k in (10_000, 20), (10**6, 200), (10**8, 500):
        shown = demos.updates_against_bound(alpha=0.1, n=n, num_queries=k)
        alphas, bound = curve(shown, "B(α)")
        np.testing.assert_allclose(bound, 4 * math.log(256) / np.square(alphas))
        assert list(alphas) == list(demos.ALPHAS)
        least = needed({"n": n, "num_queries": k, "epsilon": 1.0})
        assert layer(shown, "no guarantee")["high"] == pytest.approx(least)
        assert shown["numbers"]["α needed for β = 0.05"] == pytest.approx(least)
        assert shown["numbers"]["allowed, ⌊B(α)⌋"] == 2218


def test_how_many_updates_are_forced_is_told():
    def made(n):
        return [n[analyst] for analyst in ANALYSTS]

    def most(n, said):
        return max(made(n)) == {"one update": 1}.get(said, 0) or int(said.split()[0]) == max(
            made(n)
        )

    check_captions(
        demos.updates_against_bound,
        {
            "The noise makes updates of its own: (.*) of the (.*) are not valid.": (
                lambda n, p, invalid, all_of_them: (
                    0 < n["not valid"] == int(invalid) and sum(made(n)) == int(all_of_them)
                )
            ),
            "At this α nothing is promised, but every update is valid, "
            "and none of the three forces more than (.*).": lambda n, p, said: (
                p["alpha"] < needed(p) and n["not valid"] == 0 and most(n, said)
            ),
            "At this α none of the three forces an update; the theorem allows (.*).": (
                lambda n, p, allowed: (
                    p["alpha"] >= needed(p) and max(made(n)) == 0
                    and near(allowed, most_updates(p["alpha"]), 9)
                )
            ),
            "The theorem allows (.*) updates; none of the three forces more than (.*).": (
                lambda n, p, allowed, said: (
                    p["alpha"] >= needed(p) and n["not valid"] == 0 and most(n, said)
                    and near(allowed, most_updates(p["alpha"]), 9)
                )
            ),
        },
        also=[dict(alpha=0.05), dict(alpha=0.05, n=4 * 10**7), dict(alpha=0.1, n=2 * 10**6)],
    )  # fmt: skip


def test_the_worst_of_three_analysts_forces_62_updates():
    scenes = demos.updates_against_bound.demo.scenes
    some, many = (
        demos.updates_against_bound(**scenes[x])["numbers"] for x in ("α = 0.1", "500 queries")
    )
    assert [some[analyst] for analyst in ANALYSTS] == [3, 17, 62] and many["worst query"] == 62


def printed(n, universe, k, beta, epsilon):
    logs = math.log(k) + math.log(2 / beta)
    return (16 * math.log(universe) * logs / (epsilon * n)) ** (1 / 3)


def repaired(n, universe, k, beta, epsilon):
    logs = math.log(2 * k) + math.log(3 / beta)
    return (48 * math.log(universe) * logs / (epsilon * n)) ** (1 / 3)


def with_delta(n, universe, k, beta, epsilon, delta):
    """The root of α = (√512 + 1)√(c ln(2/δ))·max(…)/(εn), c = B(α)."""

    def excess(log_alpha):
        alpha = math.exp(log_alpha)
        c = max(4 * math.log(universe) / alpha**2, 1)
        logs = max(math.log(2 * k) + math.log(4 * c / beta), math.sqrt(8) * math.log(2 * c / beta))
        root = math.sqrt(c * math.log(2 / delta))
        return log_alpha - math.log((math.sqrt(512) + 1) * root * logs / (epsilon * n))

    return math.exp(brentq(excess, -40, 40))


def laplace_rows(k, beta, epsilon):
    """All of k noises of Lap(1/ε) are within this with probability 1 − β."""
    return brentq(lambda x: k * math.log1p(-math.exp(-x)) - math.log1p(-beta), 1e-9, 100) / epsilon


def advanced(k, epsilon, delta):
    """The ε of one run of k, from the formula of advanced composition."""

    def excess(e):
        return e * (math.sqrt(2 * k * math.log(1 / delta)) + k * math.expm1(e)) - epsilon

    return brentq(excess, 1e-12, epsilon, xtol=1e-18)


PLACES = [
    {"universe_size": 2**30, "num_queries": 10**6, "n": 10**6},
    {"n": 10**6},
    {"universe_size": 2**60, "num_queries": 10**12, "n": 10**12},
    {"universe_size": 2**2, "num_queries": 10, "epsilon": 5.0, "n": 1000, "delta": 1e-3},
    {"universe_size": 2**20, "num_queries": 10**6, "epsilon": 0.05, "beta": 0.5, "n": 20_190},
    {"universe_size": 2**30, "num_queries": 10**9, "beta": 0.001, "delta": 1e-12, "n": 10**7},
]


@pytest.mark.parametrize("place", PLACES)
def test_promises_against_closed_forms(place):
    place = place | {"curves": "all"}
    state, shown = demos.alpha_against_rows.demo.complete(place), demos.alpha_against_rows(**place)
    universe, k, n = 2.0 ** math.log2(state["universe_size"]), state["num_queries"], state["n"]
    beta, epsilon, delta = state["beta"], state["epsilon"], state["delta"]
    numbers, known = shown["numbers"], (universe, k, beta, epsilon)
    for label, f in (
        ("Theorem 1, printed", printed),
        ("repaired, δ = 0", repaired),
        ("repaired, δ > 0", lambda *known: with_delta(*known, delta)),
    ):
        assert numbers[label] == pytest.approx(3 * f(n, *known), rel=1e-7)
        for rows, error in list(zip(*curve(shown, label), strict=True))[::6]:
            if f(rows, *known) < math.sqrt(4 * math.log(universe)):  # there B(α) is at least 1
                assert np.isclose(error, 3 * f(rows, *known), rtol=1e-7)
    basic, better = (laplace_rows(k, beta, e) for e in (epsilon / k, advanced(k, epsilon, delta)))
    logs = math.log(2 * k / beta)
    t = math.sqrt(logs / (universe + logs))  # Pr[S > x] <= e^(-tx) / (1 - t²)^|X|, Markov
    noisy = 2 / epsilon * (logs - universe * math.log1p(-t * t)) / t
    for label, rows, exactly in (
        ("Laplace, basic", basic, 1e-4),
        ("Laplace, advanced", better, 1e-4),
        ("histogram, fixed queries", noisy, 1e-9),
    ):
        np.testing.assert_allclose(np.prod(curve(shown, label), axis=0), rows, rtol=exactly)
        assert numbers[label] == pytest.approx(rows / n, rel=exactly)
    assert layer(shown, "here: n")["x"] == layer(shown, "here: n")["to_x"] == [n]
    # 3α < 1 from where α = 1/3 is more than enough
    least = numbers["rows from which on 3α < 1"]
    assert repaired(least, *known) < 1 / 3 <= repaired(least - 1, *known) * (1 + 1e-9)
    least = numbers["the same with δ"]
    assert (
        with_delta(least, *known, delta)
        < 1 / 3
        <= with_delta(least - 1, *known, delta) * (1 + 1e-9)
    )


def test_what_the_scenes_promise():
    """Figures that notebook 06 tells."""
    scenes = demos.alpha_against_rows.demo.scenes
    _, survey, hundred, million, huge = (
        demos.alpha_against_rows(**place)["numbers"] for place in scenes.values()
    )
    assert (round(survey["repaired, δ = 0"], 2), round(survey["Theorem 1, printed"], 2)) == (
        1.61,
        1.08,
    )
    assert f"{survey['rows from which on 3α < 1']:.3g}" == "8.4e+04"
    assert round(survey["repaired, δ = 0"] / hundred["repaired, δ = 0"], 1) == 4.6
    assert hundred["repaired, δ = 0"] == pytest.approx(survey["repaired, δ = 0"] / 100 ** (1 / 3))
    assert million["Laplace, basic"] < 0.0099 < million["repaired, δ > 0"] < 0.347
    assert (
        round(huge["repaired, δ > 0"], 3) == 0.184 and round(huge["Laplace, advanced"], 3) == 0.408
    )


def test_before_the_reveal_nothing_of_onlineic_is_shown():
    ours = ("Theorem 1, printed", "repaired, δ = 0", "repaired, δ > 0")
    for state in {}, {"n": 10**6, "guess": 84_000}, {"universe_size": 2**40}:
        shown = demos.alpha_against_rows(**state)
        for name in ours:
            assert np.isnan(curve(shown, name)[1]).all()
        assert set(shown["numbers"]) == {
            "Laplace, basic", "Laplace, advanced", "histogram, fixed queries",
        }  # fmt: skip
        guess = demos.alpha_against_rows.demo.complete(state)["guess"]
        drawn = layer(shown, "your guess")
        assert drawn["x"] == drawn["to_x"] == [guess]


def test_the_smallest_promise_is_named():
    def parts(n):
        ours = min(n["repaired, δ = 0"], n["repaired, δ > 0"])
        return ours, min(n["Laplace, basic"], n["Laplace, advanced"]), n["histogram, fixed queries"]

    def others(n, which, least):
        best = dict(zip(("every answer", "the histogram"), parts(n)[1:], strict=True))
        return min(best, key=best.get) == which and near(least, best[which]) and best[which] < 1

    def guessed(n, p, rows):
        return p["curves"] == "noise alone" and near(rows, p["guess"], 9)

    check_captions(
        demos.alpha_against_rows,
        {
            "Your guess: from (.*) rows on OnlineIC promises an error below 1.": guessed,
            "With so few rows none of these promises says anything of a share.": lambda n, p: (
                min(parts(n)) >= 1
            ),
            "OnlineIC promises an error of (.*), "
            "noise on the answers or the histogram one of (.*) at best.": (
                lambda n, p, ours, least: (
                    near(ours, parts(n)[0]) and near(least, min(parts(n)[1:]))
                    and parts(n)[0] < min(1, *parts(n)[1:])
                )
            ),
            "Noise on (.*) promises an error of (.*), OnlineIC one of (.*).": (
                lambda n, p, which, least, ours: (
                    others(n, which, least) and near(ours, parts(n)[0]) and parts(n)[0] < 1
                    and parts(n)[0] >= min(parts(n)[1:])
                )
            ),
            "Noise on (.*) promises an error of (.*); "
            "what OnlineIC promises says nothing of a share.": (
                lambda n, p, which, least: others(n, which, least) and parts(n)[0] >= 1
            ),
        },
        also=[
            *(state | {"curves": "all"} for state in states(demos.alpha_against_rows)),
            dict(universe_size=2**30, num_queries=10**6, n=1000, curves="all"),
        ],
    )  # fmt: skip


def test_noise_on_the_histogram_is_said_to_be_for_queries_fixed_in_advance():
    assert "for queries fixed in advance only" in demos.alpha_against_rows.__doc__
    assert "histogram, fixed queries" in demos.alpha_against_rows()["named"]
