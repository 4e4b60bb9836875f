"""What the pictures of notebook 10 show, against closed forms, fresh noise and stored figures."""

import math

import numpy as np
import pytest

from course_lib.demos import choosing_a_mechanism as demos
from course_lib.demos.picture import layer
from course_lib.demos.words import compact
from course_lib.exact.composition import exact_composition_delta
from course_lib.exact.family import member
from course_lib.exact.worst_stream import needed_alpha
from course_lib.lab.histograms import scaled_survey, survey_marginals
from course_lib.linear_queries import fractions
from course_lib.online_ic import MultiplicativeWeights, online_ic
from course_lib.small_db import small_db
from tests.pictures import check_captions, curve, near

N = 20_190


def scene(figure, name):
    return figure(**figure.demo.scene(name))["numbers"]


def median_of_largest(k, scale):
    """The x with (1 − e^(−x/scale))^k = ½."""
    return -scale * math.log(1 - 0.5 ** (1 / k))


@pytest.mark.parametrize("k", [1, 8, 36, 255])
@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_noise_on_each_answer_is_the_closed_form(k, epsilon):
    shown = demos.thinning(asked=k, epsilon=epsilon)
    x, y = curve(shown, "noise on each answer")
    assert x[-1] == k and y == pytest.approx([median_of_largest(j, j / (epsilon * N)) for j in x])


@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_by_exact_composition_the_delta_is_spent_and_no_more(epsilon):
    shown = demos.thinning(asked=255, epsilon=epsilon)
    for k, error in zip(*curve(shown, "the same, exact composition"), strict=True):
        share = median_of_largest(k, 1 / (error * N))
        kept, broken = (
            exact_composition_delta(runs=k, epsilon=share * factor, total=epsilon)
            for factor in (1 - 1e-6, 1 + 1e-6)
        )
        assert kept < 1e-6 < broken


def test_the_order_turns_between_the_shares_and_the_pairs():
    """Fresh noise on 256 counts, each marginal summed with masks: the table at 8, 36 and 255."""
    rng, masks = np.random.default_rng(5), np.arange(256)
    names = survey_marginals(8)[2].names
    sets = sorted((bin(s).count("1"), s) for s in range(1, 256))
    assert [size for size, _ in sets] == [name.count(" and ") + 1 for name in names]
    noise = rng.laplace(scale=2, size=(400, 256))
    errors = np.abs([noise[:, masks & s == s].sum(axis=1) for _, s in sets]) / N
    for name, k in ("Eight shares", 8), ("All pairs too", 36), ("Every combination", 255):
        found = scene(demos.thinning, name)
        largest = np.sort(errors[:k].max(axis=0))
        low, high = largest[[160, 239]]  # ±4 standard deviations about the median
        assert low < found["noise on the table"] < high
        first = found["noise on each answer"] < found["noise on the table"]
        assert first == (k == 8)
    assert 0.015 < found["the same, exact composition"] < 0.0255  # basic ≤ … ≤ advanced composition


def test_what_is_said_of_the_hook():
    def better(n, p, *said):
        answers = min(n["noise on each answer"], n["the same, exact composition"])
        return said[-1] == "hardly" or near(said[-1], n["noise on the table"] / answers)

    def worse(n, p, *said):
        answers = min(n["noise on each answer"], n["the same, exact composition"])
        return said[-1] == "hardly" or near(said[-1], answers / n["noise on the table"])

    k = r"With (one|\d+) questions?"
    check_captions(
        demos.thinning,
        {
            k
            + r", noise on each answer is (\S+)(?: times)? better than noise on the table\.": better,
            k + r", noise on the table is (\S+)(?: times)? better than on each answer\.": worse,
        },
    )


def test_small_db_is_what_the_mechanism_itself_gives():
    """Its exact median, beside 60 draws of the mechanism at ε = 0.01."""
    histogram, queries = survey_marginals(3)[1:]
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        small = small_db(histogram, queries, alpha=0.5, epsilon=0.01, rng=rng)
        found.append(np.abs(fractions(small, queries) - fractions(histogram, queries)).max())
    exact = demos.small_db_where_it_runs(epsilon=0.01, alpha=0.5)["numbers"]["SmallDB"]
    assert np.sort(found)[15] <= exact <= np.sort(found)[45]


def test_where_small_db_is_ahead_of_noise_on_each_answer():
    year, hundredth = (
        scene(demos.small_db_where_it_runs, name)
        for name in ("The year’s budget", "A hundredth of it")
    )
    assert year["SmallDB"] == year["the best of its databases"] > year["noise on each answer"]
    assert (
        hundredth["noise on the table"] < hundredth["SmallDB"] < hundredth["noise on each answer"]
    )
    assert hundredth["noise on each answer"] == pytest.approx(median_of_largest(7, 7 / (0.01 * N)))
    # the noisy counts as they come, at every ε: seven sums over eight counts, drawn anew
    noise, masks = 2 * np.random.default_rng(3).laplace(size=(20_000, 8)), np.arange(8)
    sums = [noise[:, masks & s == s].sum(axis=1) for s in range(1, 8)]
    largest = np.sort(np.abs(sums).max(axis=0)) / N
    for found, epsilon in (year, 1.0), (hundredth, 0.01):
        low, high = largest[[9_200, 10_800]] / epsilon
        assert low < found["noise on the table"] < high
    x, middle = curve(demos.small_db_where_it_runs(), "noise on the table, 95%")
    assert np.multiply(x, middle) == pytest.approx(year["noise on the table"])


def test_curves_end_at_the_numbers_that_are_told():
    for figure, ends in (
        (demos.bigger_universe, {
            "noise on each answer, exact composition": "answers there",
            "SmallDB: bound, not run": "SmallDB’s bound there",
            "OnlineIC: bound, not run": "OnlineIC’s bound there",
        }),
        (demos.thinning, {
            "noise on the table, 95%": "noise on the table",
            "the same, exact composition": "the same, exact composition",
        }),
        (demos.online_ic_by_cutoff, {"OnlineIC, nothing promised, 95%": "OnlineIC"}),
    ):  # fmt: skip
        for name in figure.demo.scenes:
            told = {"curves": "all"} if "curves" in figure.demo.start else {}
            shown = figure(**figure.demo.scene(name) | told)
            for each, number in ends.items():
                assert np.isclose(curve(shown, each)[1][-1], shown["numbers"][number])
    shown = demos.small_db_where_it_runs(epsilon=5.0)  # where the curves end
    for name, number in ("SmallDB, exact", "SmallDB"), ("noise on each answer",) * 2:
        assert np.isclose(curve(shown, name)[1][-1], shown["numbers"][number])


def test_the_order_is_told():
    names = {
        "SmallDB": "SmallDB",
        "noise on each answer": "noise on each answer",
        "noise on the table": "noise on the table",
        "the guess": "a guess",
    }

    def ordered(n, p, *said):
        values = [n[names[name]] for name in said[1:]]
        return near(said[0], p["epsilon"]) and values == sorted(values)

    four = r"At ε = (\S+), best first: ([\w ]+), ([\w ]+), ([\w ]+), ([\w ]+)\."
    check_captions(demos.small_db_where_it_runs, {four: ordered})


def test_online_ic_is_what_the_mechanism_itself_gives():
    """Runs of the slide, not of the fast one in lab, enclose the median that is shown."""
    histogram, queries = scaled_survey(8, n=N), survey_marginals(8)[2].rows
    true, found = queries @ histogram / N, []
    for seed in range(15):
        learner = MultiplicativeWeights(universe_size=256, alpha=0.04)
        answers = online_ic(
            histogram, queries, learner, n=N, cutoff=50, epsilon=1.0,
            rng=np.random.default_rng(seed),
        )  # fmt: skip
        found.append(np.abs([answer for answer, _ in answers] - true).max())
    shown = demos.online_ic_by_cutoff()["numbers"]
    assert np.sort(found)[2] <= shown["OnlineIC"] <= np.sort(found)[12]
    assert shown["promised by the theorem"] > 1
    assert shown["noise on each answer"] == pytest.approx(median_of_largest(255, 255 / N))
    assert shown["as its theorem sets it"] == pytest.approx(shown["a guess"])


def test_errors_of_online_ic_are_drawn_up_to_the_slider():
    name = "OnlineIC, nothing promised, 95%"
    (c, error), (before, same) = (
        curve(demos.online_ic_by_cutoff(cutoff=most), name) for most in (255, 10)
    )
    assert before.tolist() == [1, 2, 5, 10] == c[:4].tolist() and len(c) == 12
    assert same.tolist() == error[:4].tolist()


def test_it_is_told_whether_online_ic_is_behind():
    def said(n, p, cutoff, error, word):
        behind = n["OnlineIC"] >= n["noise on each answer"]
        return near(error, n["OnlineIC"]) and int(cutoff) == p["cutoff"] and behind

    form = r"With (\d+) updates? OnlineIC is typically off by (.*): (behind) noise on each answer\."
    check_captions(demos.online_ic_by_cutoff, {form: said})


def test_the_bound_of_small_db_is_the_lemma_at_its_best_alpha():
    numbers = demos.bigger_universe(attributes=40, n=10**8, curves="all")["numbers"]
    log_x, log_q = 40 * math.log(2), math.log(10**6)
    alpha = np.geomspace(1e-4, 1, 4000)
    lemma = alpha + 2 * (log_x * log_q / alpha**2 + math.log(2)) / 10**8  # ln|R| is a little less
    assert 0.5 * lemma.min() < numbers["SmallDB’s bound there"] < 1.02 * lemma.min()


def test_a_bigger_universe_moves_the_crossing():
    guessed, eighteen, ours, forty = (
        scene(demos.bigger_universe, n) for n in demos.bigger_universe.demo.scenes
    )
    assert guessed.items() < eighteen.items() and "the table is ahead from" not in guessed
    assert ours["the table is ahead from"] == 17 and ours["marginals at the right end"] == 255
    # OnlineIC without δ, which promises less here: α³ = 48 ln|X| (ln 2k + ln(3/β))/(εn)
    cubed = 48 * math.log(256) * (math.log(510) + math.log(3 / 0.5)) / N
    assert ours["OnlineIC’s bound there"] == pytest.approx(3 * cubed ** (1 / 3))
    assert 987 < eighteen["the table is ahead from"] < 4047
    assert eighteen["marginals at the right end"] == 2**18 - 1
    assert forty["marginals at the right end"] == 10**6
    assert forty["the table is ahead from"] is None and not forty["the table was run"]
    # one share of 18 attributes adds up 2¹⁷ noises of variance 8: nearly Gaussian
    first = eighteen["table, by order"][0]
    assert 0.6745 < first / (math.sqrt(2**17 * 8) / N) < 2.5  # the largest of 18 dependent ones
    assert eighteen["marginals, by order"][:4] == [18, 171, 987, 4047]


def test_nothing_but_the_answers_is_drawn_before_the_reveal():
    ways = demos.bigger_universe.demo.choices["curves"]
    hidden, told = (demos.bigger_universe(guess=20, curves=curves) for curves in ways)
    answers = "noise on each answer, exact composition"
    assert curve(hidden, answers)[1].tolist() == curve(told, answers)[1].tolist()
    assert layer(hidden, "noise on the table, 95%")["y"] == []
    for name in "noise on the table", "SmallDB", "OnlineIC":
        assert set(layer(hidden, f"{name}: bound, not run")["y"]) == {None}
    assert layer(hidden, "guess")["at"] == layer(told, "guess")["at"] == 20


def test_bounds_that_were_not_run_say_so():
    for name in demos.bigger_universe.demo.scenes:
        shown = demos.bigger_universe(**demos.bigger_universe.demo.scene(name))
        for frame in shown["axes"]:
            for each in frame["layers"]:
                if "bound" in each["name"]:
                    assert each["name"].endswith("bound, not run")
                    assert each["style"]["linestyle"] == "--"
    assert layer(demos.columns(), "dense noise: bound, not run")


def test_the_crossing_is_told():
    def ahead(n, p, size, since, how):
        kept = near(since, n["the table is ahead from"])
        return kept and kinds_and_how(n, p, size, how)

    def never(n, p, size, how):
        none = n["the table is ahead from"] is None and n["answers there"] <= n["table there"]
        return none and kinds_and_how(n, p, size, how)

    def kinds_and_how(n, p, size, how):
        run = n["the table was run"] == (how == "runs") == (p["attributes"] <= 18)
        return run and size == compact(2 ** p["attributes"])

    def guessed(n, p, size, since):
        return near(size, 2 ** p["attributes"]) and near(since, p["guess"])

    kinds = r"With (\S+) kinds of rows noise on "
    check_captions(
        demos.bigger_universe,
        {
            kinds
            + r"the table is ahead from about (\S+) marginals on, by our (runs|bounds)\.": ahead,
            kinds + r"each answer stays ahead of noise on the table, by our (runs|bounds)\.": never,
            r"Your guess: with (\S+) kinds of rows noise on the table is ahead from (\S+) marginals on\.": guessed,
        },
        also=[
            dict(attributes=attributes, n=n, curves="all")
            for attributes in (8, 14, 24, 60)
            for n in (2000, 10**8)
        ],
    )


def test_what_an_alarm_needs_and_promises():
    shown = demos.an_alarm()["numbers"]
    assert shown["the alarm needs"] == pytest.approx(37.7185, abs=1e-3)  # by quadrature
    assert shown["the alarm promises"] == pytest.approx(84.7730, abs=1e-3)
    assert shown["a guess"] == N / 2
    # exact composition of 1,000 answers lies between √k and advanced composition’s 1,699.6
    assert 1000**0.5 * math.log(1000 / 0.05) < shown["noise on each answer"] < 1699.6
    rng = np.random.default_rng(3)
    for size, alarm_first in (64, False), (256, True):
        rows = rng.integers(2, size=(1000, size)).astype(float)
        largest = np.sort(np.abs(rows @ rng.laplace(size=(size, 1000))).max(axis=0))
        found = demos.an_alarm(universe_size=size)["numbers"]
        # intervals of both at once; the two are drawn apart
        low, high = largest[[920, 975]]
        table = found["table, 95%"]
        assert low <= table[1] and table[0] <= high
        assert (found["the alarm needs"] < table[0]) == alarm_first


@pytest.mark.parametrize("cutoff", [1, 3])
def test_curves_of_the_alarm_are_its_theorem_and_its_law(cutoff):
    shown = demos.an_alarm(cutoff=cutoff, epsilon=0.5)
    k, promised = curve(shown, "Theorem 3.26")
    exact = curve(shown, "the alarm, exact")[1]
    assert np.allclose(promised, 8 * cutoff * (np.log(k) + np.log(2 * cutoff / 0.05)) / 0.5)
    if cutoff == 1:
        row = member("sparse", cutoff=1, epsilon=0.5)
        assert np.allclose(exact, needed_alpha(row, num_queries=k, beta=0.05), rtol=1e-3)
    assert (exact < promised).all()


def composed_delta(runs, epsilon, total):
    """Σ max(0, P − e^total Q) over how many of the runs of randomised response flip."""
    keep, found = 1 / (1 + math.exp(-epsilon)), 0.0
    for y in range(runs + 1):
        ways = math.comb(runs, y)
        p, q = keep ** (runs - y) * (1 - keep) ** y, keep**y * (1 - keep) ** (runs - y)
        found += ways * max(0.0, p - math.exp(total) * q)
    return found


@pytest.mark.parametrize("cutoff", [10, 50, 100])
def test_alarms_share_the_budget_with_the_same_delta_as_answers(cutoff):
    low, high = 1 / cutoff, 1.0
    for _ in range(60):
        share = (low + high) / 2
        low, high = (share, high) if composed_delta(cutoff, share, 1.0) <= 1e-6 else (low, share)
    row = member("sparse", cutoff=cutoff, epsilon=cutoff * low)
    needed = needed_alpha(row, num_queries=1000, beta=0.05)
    shown = demos.an_alarm(cutoff=cutoff)["numbers"]
    assert shown["the alarm needs"] == pytest.approx(needed, rel=1e-4)
    assert (shown["the alarm needs"] < shown["noise on each answer"]) == (cutoff < 70)


def test_who_is_better_at_a_thousand_questions_is_told():
    def said(n, p, needs, counts, table, who):
        first = n["noise on the table"] < n["the alarm needs"]
        numbers = near(needs, n["the alarm needs"]) and near(table, n["noise on the table"])
        return numbers and counts == compact(p["universe_size"]) and first == (who == "table")

    form = (
        r"For 1,000 questions the alarm needs (\S+) rows, noise on (\S+) counts (\S+): "
        r"the (table|alarm) is better\."
    )
    check_captions(demos.an_alarm, {form: said})


def test_which_release_is_best_by_the_size_of_the_counts():
    rare, between, common = (
        demos.columns(kind=kind)["numbers"] for kind in ("1 to 4", "5 to 19", "20 or more")
    )
    # a guess of 0 is off by the count itself
    assert rare["best without dense noise"] == "guess" and 1 < rare["guess"] < 4
    assert between["best without dense noise"] == "ALP" and 5 <= between["guess"] <= 19
    assert min(common["Threshold"], common["ALP"], common["Threshold-ALP"]) < common["guess"] / 4
    assert between["bytes, dense noise"] == 8 * 4 * 5 * 2 * 2 * 100 * 367 * 10**4
    assert (
        max(between[f"bytes, {name}"] for name in ("Threshold", "ALP", "Threshold-ALP")) < 200_000
    )


def test_the_best_release_is_told():
    def said(n, p, fits, which, who, error):
        names = ("guess", "Threshold", "ALP", "Threshold-ALP")
        best = min(names, key=n.get)
        dense = n["bytes, dense noise"] <= 10**9
        return (
            dense == (fits == "fits; without it,")
            and who == {"guess": "the guess of 0"}.get(best, best)
            and near(error, n[best])
            and which
            == ("all counts of the support" if p["kind"] == "all" else f"counts of {p['kind']}")
        )

    form = r"Dense noise (fits; without it,|does not fit;) for (.*), (\S+|the guess of 0) is best, off by (\S+) on average\."
    check_captions(demos.columns, {form: said})


MAPS = {
    "who_wins_the_dashboard": demos.DASHBOARD,
    "who_wins_the_alarm": demos.ALARM,
    "who_wins_the_columns": demos.COLUMNS,
}


@pytest.mark.parametrize("name", MAPS)
def test_a_map_tells_who_wins(name):
    figure, names = getattr(demos, name), MAPS[name]

    def said(n, p, winners, rest=""):
        found = {i for row in n["winners"] for i in row} - {-1}
        seen = {names[i] for i in found}
        told = set(winners.replace(" and ", ", ").split(", "))
        others = set((rest or "").replace(" and ", ", ").split(", ")) - {""}
        return told == seen and others == set(names) - seen

    check_captions(figure, {r"Wins somewhere: ([^;]*?)(?:; nowhere: (.*))?\.": said})


def test_corners_of_the_maps():
    """With few questions noise on each answer, with many of few kinds of rows the histogram."""
    rows = demos.who_wins_the_dashboard(n=10**6)["numbers"]["winners"]
    assert demos.DASHBOARD[rows[-1][0]] == "noise on each answer"
    assert demos.DASHBOARD[rows[0][-1]] == "noise on the table"
    assert demos.DASHBOARD[rows[-1][-1]] == "SmallDB"
    alarms = demos.who_wins_the_alarm(universe_size=2**20, n=10**6)["numbers"]["winners"]
    assert demos.ALARM[alarms[0][-1]] == "the alarm"
    columns = demos.who_wins_the_columns()["numbers"]["winners"]
    assert demos.COLUMNS[columns[0][0]] == "dense noise" and columns[0][-1] == -1
    assert demos.COLUMNS[columns[-1][0]] == "ALP" and demos.COLUMNS[columns[-1][-1]] == "a guess"
