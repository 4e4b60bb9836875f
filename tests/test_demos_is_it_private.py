"""What the pictures of notebook 04 show, against the library and closed forms."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import beta as beta_distribution

from course_lib.above_threshold import above_threshold
from course_lib.demos import is_it_private as demos
from course_lib.demos.picture import layer
from course_lib.exact.above_threshold import late_above_loss
from course_lib.exact.family import ROWS, member, privacy_loss
from course_lib.exact.is_it_private import DELTAS, above_only, in_shares, least_variance_share
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.exact.worst_stream import alpha_exact
from course_lib.lab.audit import exact_audit
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.is_it_private import first_announcements
from course_lib.lecture11_sparse import sparse_as_printed, sparse_repaired
from course_lib.support.answers import ABOVE, BELOW
from course_lib.toolbox import laplace_mechanism
from tests.pictures import check_captions, curve, near


def scene(figure, name):
    return figure(**figure.demo.scene(name))


def printed_loss(m, cutoff, epsilon):
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon)
    pair = [0.0, 0.0], [1.0, 0.0]
    return exact_loss(row, *pair, [BELOW, 0.0], threshold=0.0, counts=[m, 1])


def own_printed(data, queries, *, n, threshold, cutoff, epsilon, rng, noise=2):
    """The printed algorithm with c = 1, as a reader might write it."""
    noisy_threshold = threshold + rng.laplace(scale=noise / (epsilon * n))
    for query in queries:
        noisy = query(data) + rng.laplace(scale=noise / (epsilon * n))
        if noisy >= noisy_threshold:
            yield noisy
            return
        yield BELOW


def too_quiet(data, queries, **parameters):
    """The same with a third of the noise: one ⊥ and a number lose 1.5 at ε = 1."""
    return own_printed(data, queries, **parameters, noise=2 / 3)


def halved(data, queries, *, threshold, epsilon, rng):
    """AboveThreshold with Lap(2/ε) on the queries."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=2 / epsilon) >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


def beta_bounds(seen, trials):
    low = beta_distribution.ppf(0.025, seen, trials - seen + 1) if seen else 0.0
    return low, beta_distribution.ppf(0.975, seen + 1, trials - seen) if seen < trials else 1.0


def test_each_announcement_has_its_mark_and_its_share():
    shown = scene(demos.one_run_each, "A hundred announcements")
    poor, attackers = first_announcements(size=100, seed=0)
    places = {
        name: {int(x + 10 * y) for x, y in np.transpose(curve(shown, name))}
        for name in ("right", "wrong")
    }
    assert places == {"right": set(np.flatnonzero(poor)), "wrong": set(np.flatnonzero(~poor))}
    k, share = curve(shown, "share right")
    assert k.tolist() == list(range(1, 101)) and share[-1] == np.mean(poor) == share[99]
    assert np.isclose(share[9], np.mean(poor[:10]))
    shading = layer(shown, "95%")
    for i in (0, 9, 99):
        ends = shading["low"][i], shading["high"][i]
        assert np.allclose(ends, beta_bounds(np.count_nonzero(poor[: i + 1]), i + 1))
    assert np.isclose(layer(shown, "the promise allows")["at"], np.e / (1 + np.e))
    assert shown["numbers"]["attackers, with those who stay silent"] == attackers[-1]


def test_the_hook_says_how_many_are_right_and_when_that_is_hardly_luck():
    def counted(n, p, right, announced):
        poor, _ = first_announcements(size=100, seed=p["seed"])
        right, announced = int(right), int(announced)
        return announced == p["announced"] and right == n["right"] == sum(poor[:announced])

    def luck(n):
        return beta_bounds(n["right"], n["announcements"])[0] <= np.e / (1 + np.e)

    form = "(.*) of (.*) announcements are right, and the promise allows 73.1%: "
    check_captions(
        demos.one_run_each,
        {
            "The first announcement is (right|wrong); one alone says little.": (
                lambda n, p, word: p["announced"] == 1 and (word == "right") == n["right"]
            ),
            form + "that is hardly luck.": lambda n, p, *told: counted(n, p, *told) and not luck(n),
            form + "so few say little.": lambda n, p, *told: counted(n, p, *told) and luck(n),
        },
        also=[dict(seed=seed) for seed in range(9)],
    )


@pytest.mark.parametrize(("cutoff", "epsilon"), [(1, 1.0), (10, 0.1), (3, 5.0)])
def test_loss_curves_are_the_exact_losses(cutoff, epsilon):
    shown = demos.loss_against_below(cutoff=cutoff, epsilon=epsilon, num_below=50)
    m, loss = curve(shown, "printed, exact")
    for i in (0, 5, -1):
        assert np.isclose(loss[i], printed_loss(m[i], cutoff, epsilon), rtol=1e-9)
    assert curve(shown, "at m")[1] == shown["numbers"]["exact loss"]
    assert np.isclose(shown["numbers"]["exact loss"], printed_loss(50, cutoff, epsilon))
    assert layer(shown, "claimed")["at"] == epsilon
    repaired = curve(shown, "repaired, exact")[1]
    assert (repaired <= epsilon * (1 + 1e-9)).all() and repaired[-1] > 0.99 * epsilon
    row = member("lecture11_repaired", cutoff=cutoff, epsilon=epsilon)
    assert np.isclose(repaired[-1], exact_audit(row, num_queries=1000).loss, rtol=1e-9)
    after = exact_audit(row, num_queries=50).loss
    assert np.isclose(shown["numbers"]["repaired, exact"], after, rtol=1e-9)


@pytest.mark.parametrize("trials", [40_000, 400_000])
def test_measured_losses_hold_the_exact_ones(trials):
    """All at once with 95%; at 400,000 runs the interval of m = 3 is narrower than 1."""
    measured = layer(demos.loss_against_below(trials=trials, seed=3), "measured, 95%")
    m, low, high = (np.array(measured[name]) for name in ("x", "low", "high"))
    assert (low <= m / 2).all() and (m / 2 <= high).all() and (len(m) >= 6) == (trials > 40_000)
    if trials > 40_000:
        assert high[2] - low[2] < 1


def test_figures_of_sampling():
    """400,000 runs show the loss at c = 1 and not at c = 10, where it passes ε from m = 21 on."""
    found = scene(demos.loss_against_below, "Beyond it, and 400,000 runs")["numbers"]
    assert round(found["runs show at least"], 2) == 1.18 and found["they show it at m"] == 4
    none = scene(demos.loss_against_below, "Ten numbers, 400,000 runs")["numbers"]
    assert none["runs show at least"] == 0 and none["they show it at m"] is None
    assert (found["claim passed from m"], none["claim passed from m"]) == (3, 21)
    assert found["each ⊥ loses"] == 0.5


def test_the_loss_and_what_runs_show_of_it_are_told():
    def lower(numbers):
        return max(low for low in numbers["their lower ends"] if low != "−∞")

    form = "(One ⊥|.* times ⊥) and then a number lose (.*), "

    def lost(p, times, loss):
        word = {1: "One ⊥"}.get(p["num_below"], f"{p['num_below']:,} times ⊥")
        return times == word and near(loss, p["num_below"] * p["epsilon"] / (2 * p["cutoff"]))

    check_captions(
        demos.loss_against_below,
        {
            form + "within the claim; .*": lambda n, p, *told: (
                lost(p, *told) and p["num_below"] <= 2 * p["cutoff"]
            ),
            form + "more than is claimed; the runs alone refute the claim too.": (
                lambda n, p, *told: (
                    lost(p, *told)
                    and p["num_below"] > 2 * p["cutoff"]
                    and n["runs show at least"] == lower(n) > p["epsilon"]
                )
            ),
            form + "more than is claimed; but the runs alone cannot show it.": (
                lambda n, p, *told: (
                    lost(p, *told)
                    and p["num_below"] > 2 * p["cutoff"]
                    and lower(n) <= p["epsilon"]
                    and n["runs show at least"] == max(0, lower(n))
                )
            ),
        },
    )


def test_the_library_in_the_readers_place_gives_the_same_pictures():
    for figure, mechanism, place in (
        (demos.loss_against_below, sparse_as_printed, dict(trials=1000, epsilon=3.0, cutoff=2)),
        (demos.attack, sparse_as_printed, dict(trials=1000, num_below=2, cut=4, seed=1)),
        (demos.sampled_audit, above_threshold, dict(trials=1000, num_below=3)),
        (demos.last_bits, laplace_mechanism, dict(epsilon=0.3)),
    ):
        own, ours = figure(**place, mechanism=mechanism), figure(**place)
        if figure is demos.sampled_audit:  # it opens without the curve of half the noise
            assert own["sentence"] == ours["sentence"]
            assert own["numbers"].items() >= ours["numbers"].items()
        else:
            assert own["axes"] == ours["axes"]


def test_a_mistake_of_the_reader_shows_in_the_measured_layers():
    shown = demos.loss_against_below(trials=10_000, mechanism=too_quiet)
    assert near(shown["sentence"].removesuffix(".").split()[-1],
                shown["numbers"]["runs show at least"])  # fmt: skip
    assert 1 < shown["numbers"]["runs show at least"]
    assert shown["numbers"]["runs show at least"] < 1.5 * shown["numbers"]["they show it at m"]
    shown = demos.attack(trials=10_000, mechanism=too_quiet)
    low, high = shown["numbers"]["right, measured"]
    assert expit(1.0) < low < expit(1.5) < high and "more than ε allows" in shown["sentence"]


def test_the_repaired_algorithm_in_the_readers_place_is_not_accused():
    shown = demos.loss_against_below(trials=1000, mechanism=sparse_repaired)
    assert shown["numbers"]["runs show at least"] < 1
    assert shown["sentence"].startswith("Your runs do not refute the claim;")
    shown = demos.attack(trials=1000, num_below=4, cut=10, mechanism=sparse_repaired)
    assert shown["numbers"]["right, measured"][0] < shown["numbers"]["repaired, exact"]
    assert shown["sentence"].startswith("Your runs do not show")


def test_a_mechanism_of_ones_own_is_not_run_for_minutes():
    for figure in (demos.loss_against_below, demos.attack):
        stops = [figure.demo.stops("trials", {"mechanism": m})[-1] for m in (None, own_printed)]
        assert stops == [400_000, 40_000]
    noise = demos.sampled_audit.demo.stops("query_noise", {"mechanism": halved})
    assert noise == ["yours"]


def test_attack_is_right_as_often_as_the_loss_says():
    """At cuts of at most 0 the posterior is that of the loss m·ε/2; beyond, by quadrature."""
    shown = demos.attack(num_below=6, epsilon=0.7, cut=-2)
    cuts, right = curve(shown, "printed, exact")
    np.testing.assert_allclose(right[cuts <= 0], 1 / (1 + np.exp(-6 * 0.7 / 2)), rtol=1e-9)
    assert np.isclose(layer(shown, "ε allows")["at"], 1 / (1 + np.exp(-0.7)))
    row = member("lecture11_sparse", cutoff=1, epsilon=0.7)

    def density(a, low):
        return np.exp(log_probability(row, [low, 0.0], [BELOW, a], threshold=0.0, counts=[6, 1]))

    speaks = [
        sum(quad(density, *ends, args=(low,))[0] for ends in ((-60, -10), (-10, 0), (0, 1), (1, 5)))
        for low in (0.0, 1.0)
    ]
    assert np.isclose(np.interp(5, cuts, right), speaks[0] / sum(speaks), rtol=1e-3)
    assert np.isclose(np.interp(5, *curve(shown, "speaks, exact")), np.mean(speaks), rtol=3e-3)
    repaired = member("lecture11_repaired", cutoff=1, epsilon=0.7)
    loss = exact_loss(repaired, [0, 0], [1, 0], [BELOW, 9.0], threshold=0, counts=[6, 1])
    assert np.isclose(layer(shown, "repaired, exact")["at"], expit(loss))


@pytest.mark.parametrize(("num_below", "cut", "epsilon"), [(1, 0, 1.0), (4, 3, 1.0), (3, 1, 3.0)])
def test_measured_announcements_are_near_the_exact_ones(num_below, cut, epsilon):
    # six intervals at 99.99%; at m = 1 a rate of speaking that is off by a twentieth is seen
    shown = demos.attack(num_below=num_below, cut=cut, epsilon=epsilon)
    spoke = shown["numbers"]["she spoke, in poor health and not"]
    for counts, name in (
        ((spoke[0], sum(spoke)), "printed, exact"),
        ((sum(spoke), 800_000), "speaks, exact"),
    ):
        low, high = clopper_pearson(*counts, confidence=0.9999)
        assert low <= np.interp(cut, *curve(shown, name)) <= high
    for name, drawn in (("measured, 95%", spoke[0] / sum(spoke)),
                        ("speaks, measured", sum(spoke) / 800_000)):  # fmt: skip
        assert layer(shown, name)["y"] == [drawn] and layer(shown, name)["x"] == [cut]


def test_figures_of_the_attack():
    numbers = scene(demos.attack, "Four times ⊥")["numbers"]
    p = 2**-6 / 30  # 2^−(m+2) / ((m+1)(m+2))
    assert np.isclose(numbers["one run in"], 2 / (p + np.exp(-2) * p), rtol=1e-3)
    assert round(numbers["right, exact"], 3) == 0.881 and round(numbers["ε allows"], 3) == 0.731
    numbers = scene(demos.attack, "She speaks more often")["numbers"]
    assert round(numbers["right, exact"], 2) == 0.79 and round(numbers["one run in"]) == 96


def test_an_attack_never_seen_has_no_dot():
    shown = demos.attack(num_below=4, cut=-5)
    assert shown["numbers"]["she spoke, in poor health and not"] == [0, 0]
    measured = layer(shown, "measured, 95%")
    assert (measured["y"], measured["low"], measured["high"]) == ([None], [0.0], [1.0])


def test_whether_the_attack_says_more_than_allowed_is_told():
    def right(n, sure):
        return (
            n["right, exact"] > 0.9994 if sure == "above 0.999" else near(sure, n["right, exact"])
        )

    check_captions(
        demos.attack,
        {
            r"If she speaks, she is right with probability (.*); no ε-priv.* more than (.*)\.": (
                lambda n, p, sure, allowed: (
                    right(n, sure)
                    and near(allowed, expit(p["epsilon"]))
                    and n["right, exact"] > expit(p["epsilon"])
                )
            ),
            r"If she speaks, she is right with probability (.*), within the (.*) that .*": (
                lambda n, p, sure, allowed: (
                    right(n, sure)
                    and near(allowed, expit(p["epsilon"]))
                    and n["right, exact"] <= expit(p["epsilon"]) * (1 + 1e-9)
                )
            ),
        },
        also=[dict(num_below=2, cut=-1), dict(num_below=12, epsilon=3.0)],
    )


def first_event(p):
    """The odds of poor health after the event's first coming in run N, and the budget's."""
    m, epsilon, run = p["num_below"], p["epsilon"], p["run"]
    poor = 2.0 ** -(m + 2) / ((m + 1) * (m + 2))
    not_poor = poor * np.exp(-m * epsilon / 2)
    odds = m * epsilon / 2 + (run - 1) * (np.log1p(-poor) - np.log1p(-not_poor))
    return odds, run * epsilon, poor, not_poor


def test_repeated_attack_shows_these_laws():
    shown = demos.repeated_attack(num_below=4, run=1, curves="all")
    runs, chance = curve(shown, "exact")
    allowed = curve(shown, "the budget allows")[1]
    laws = [first_event({"num_below": 4, "epsilon": 1.0, "run": run}) for run in runs]
    np.testing.assert_allclose(chance, [expit(odds) for odds, *_ in laws], rtol=1e-9)
    np.testing.assert_allclose(allowed, expit(runs))
    assert (chance > allowed).tolist() == [run == 1 for run in runs]
    for label, p in zip(("in poor health", "not"), laws[0][2:], strict=True):
        np.testing.assert_allclose(curve(shown, label)[1], 1 - (1 - p) ** runs, rtol=1e-6)
    assert layer(shown, "as before")["at"] == 0.5 == shown["numbers"]["right, of all who wait"]


def test_figures_of_the_repeated_attack():
    names = "The first run", "Our attacker’s run", "Reveal", "Ten thousand runs"
    chances = [scene(demos.repeated_attack, name)["numbers"] for name in names]
    shown = [round(numbers["chance of poor health"], 3) for numbers in chances]
    assert shown == [0.881, 0.849, 0.5, 0.076]
    assert round(chances[0]["the budget allows"], 3) == 0.731
    assert np.isclose(chances[0]["one run in, poor health"], 1920)
    assert round(chances[0]["one run in, if not"]) == 14_187
    later = demos.repeated_attack(run=4440, curves="all")["numbers"]["chance of poor health"]
    assert chances[2]["chance of poor health"] < 0.5 < later


def test_the_share_that_is_right_is_told():
    for announced in (1, 20, 100):
        numbers = demos.one_run_each(announced=announced)["numbers"]
        assert numbers["share right"] == numbers["right"] / announced


def test_the_chance_is_not_shown_before_it_is_guessed():
    shown = demos.repeated_attack(guess=40)
    assert np.isnan(curve(shown, "exact")[1]).all() and layer(shown, "guess")["at"] == 40
    assert "chance of poor health" not in shown["numbers"] and "0.84" not in shown["sentence"]


def test_what_the_run_says_is_told():
    form = r"If it first comes in run (.*), poor health has the chance (.*), "

    def chance(p, run, told):
        odds = first_event(p)[0]
        sure = odds > 7.6 if told == "above 0.999" else near(told, expit(odds))
        return sure and near(run, p["run"], 9)

    check_captions(
        demos.repeated_attack,
        {
            "Your guess: from run (.*) on “poor health” is more likely wrong than right.": (
                lambda n, p, run: p["curves"] != "all" and near(run, p["guess"], 9)
            ),
            form + "more than a budget of (.*)·ε allows.": lambda n, p, *told: (
                chance(p, *told[:2]) and near(told[2], p["run"], 9)
                and first_event(p)[0] > first_event(p)[1]
            ),
            form + "no more than a budget of (.*)·ε allows.": lambda n, p, *told: (
                chance(p, *told[:2]) and near(told[2], p["run"], 9)
                and 0 <= first_event(p)[0] <= first_event(p)[1]
            ),
            "If it first comes only in run (.*), “poor health” is more likely wrong .*": (
                lambda n, p, run: near(run, p["run"], 9) and first_event(p)[0] < 0
            ),
        },
        also=[
            dict(curves="all", **more)
            for more in (dict(run=1, num_below=2), dict(epsilon=3.0), dict(run=20_000, num_below=6))
        ],
    )  # fmt: skip


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_audit_curves_are_exact_losses(epsilon):
    assert np.isnan(curve(demos.sampled_audit(), "query noise 2/ε, exact")[1]).all()
    shown = demos.sampled_audit(epsilon=epsilon, query_noise="2/ε")
    m, right = curve(shown, "query noise 4/ε, exact")
    wanted = late_above_loss(num_queries=m + 1, threshold=0, epsilon=epsilon)
    np.testing.assert_allclose(right, wanted / epsilon, rtol=1e-9)
    m, halves = curve(shown, "query noise 2/ε, exact")
    # with c = 1 its noise is that of Lyu, Su and Li's Algorithm 1 for monotone queries
    row = member("lyu_su_li_monotone", cutoff=1, epsilon=epsilon)
    pair = [0.0, 1.0], [1.0, 0.0], [BELOW, ABOVE]
    for i in (0, 5, -1):
        loss = exact_loss(row, *pair, threshold=0.0, counts=[m[i], 1])
        assert np.isclose(halves[i], loss / epsilon, rtol=1e-9)
    assert halves[-1] > 1.499 and shown["numbers"]["at most, query noise 2/ε"] == 1.5 * epsilon
    assert np.isclose(shown["numbers"]["exact, query noise 2/ε"], halves[5] * epsilon)


def test_half_the_query_noise_is_convicted():
    """Near 1.5, and above ε with every one of ten seeds; the right noise with none (95% each)."""
    picture = demos.sampled_audit(query_noise="2/ε", epsilon=2.0)
    for name, number in (("audit: at least, 95%", "found at least, 95%"),
                         ("seen in its runs", "seen in its runs")):  # fmt: skip
        assert curve(picture, name) == (6, picture["numbers"][number] / 2)
    shown = scene(demos.sampled_audit, "Half the query noise")["numbers"]
    assert 1.3 < shown["found at least, 95%"] < shown["exact, query noise 2/ε"] < 1.5
    assert abs(shown["seen in its runs"] - 1.5) < 0.05 and shown["event"] == "⊥ ⊥ ⊥ ⊥ ⊥ ⊥ ⊤"
    for seed in range(1, 11):
        found = [
            demos.sampled_audit(query_noise=noise, seed=seed)["numbers"]["found at least, 95%"]
            for noise in ("4/ε", "2/ε")
        ]
        assert found[0] < 1 < found[1] < 1.5
    few = scene(demos.sampled_audit, "The same, too few runs")["numbers"]
    assert few["found at least, 95%"] < 1


def test_a_slip_of_the_reader_is_convicted():
    """On the noise of the row that describes it: the same bound, and the same dot."""
    shown = demos.sampled_audit(mechanism=halved, trials=40_000)
    described = demos.sampled_audit(query_noise="2/ε", trials=40_000)
    assert shown == described and "it convicts" in shown["sentence"]
    assert shown["numbers"]["found at least, 95%"] > 1.1


def test_the_verdict_of_the_audit_is_told():
    def bound(n, p):
        """From the two rates of the half that judges, as Clopper and Pearson have it."""
        half = p["trials"] // 2
        seen, there = (round(rate * half) for rate in n["its two rates"])
        low = beta_distribution.ppf(0.025, seen, half - seen + 1) if seen else 0.0
        high = beta_distribution.isf(0.025, there + 1, half - there)
        return max(0.0, np.log(low / high)) if low else 0.0

    def found(n, p, least):
        return np.isclose(n["found at least, 95%"], bound(n, p)) and (
            n["found at least, 95%"] == 0 == float(least) or near(least, bound(n, p))
        )

    check_captions(
        demos.sampled_audit,
        {
            "The audit finds a loss of at least (.*), more than the (.*) that is claimed: .*": (
                lambda n, p, least, claim: (
                    found(n, p, least) and near(claim, p["epsilon"]) and bound(n, p) > p["epsilon"]
                )
            ),
            "The audit finds a loss of at least (.*), within the claim: .*": (
                lambda n, p, least: found(n, p, least) and bound(n, p) <= p["epsilon"]
            ),
        },
    )


def verdicts(shown):
    """The words beside each row of the table."""
    found = {}
    for name in ("convicted", "others"):
        words = layer(shown, name)
        found |= dict(zip(words["y"], words["words"], strict=True))
    return dict(zip(ROWS, (found[i] for i in range(len(ROWS))), strict=True))


def test_table_shows_each_verdict():
    shown = demos.table_of_variants(cutoff=2, num_below=100)
    words = verdicts(shown)
    assert words["sparse"] == "cleared: 1 ε" and words["stoddard"] == "convicted: ∞"
    assert words["lee_clifton"] == "convicted: 3.25 ε"
    assert words["lyu_su_li_monotone"] == "no such claim: 1.5 ε"
    x, y = curve(shown, "infinite")
    assert x.tolist() == [demos.EDGE] and list(ROWS)[int(y[0])] == "stoddard"
    assert {list(ROWS)[int(row)] for row in curve(shown, "beyond it")[1]} == {
        "lyu_su_li_monotone", "lecture11_sparse", "lee_clifton", "chen",
    }  # fmt: skip
    single = verdicts(scene(demos.table_of_variants, "A single ⊥"))
    assert single["lecture11_sparse"] == "not yet convicted: 1 ε"


@pytest.mark.parametrize("monotone", [False, True])
def test_dots_of_the_table_are_the_exact_audits(monotone):
    shown = demos.table_of_variants(
        cutoff=3, num_below=20, epsilon=0.5, monotone="yes" if monotone else "no"
    )
    dots = {}
    for name in ("within the claim", "beyond it", "infinite"):
        dots |= dict(zip(*reversed(curve(shown, name)), strict=True))
    for place, name in enumerate(ROWS):
        row = member(name, cutoff=1 if name == "above_threshold" else 3, epsilon=0.5)
        loss = exact_audit(row, num_queries=20, monotone=monotone).loss / 0.5
        assert np.isclose(dots[place], min(loss, demos.EDGE))
        told = shown["numbers"][demos.citation(name)]
        assert told == "∞" if np.isinf(loss) else np.isclose(told, loss)
        verdict = verdicts(shown)[name].split(":")[0]
        if privacy_loss(row, monotone=monotone) <= 0.5 * (1 + 1e-9):
            assert verdict == "cleared" and loss <= 1 + 1e-9
        elif name != "lyu_su_li_monotone":
            assert verdict == ("convicted" if loss > 1 + 1e-9 else "not yet convicted")


def test_figures_of_the_table():
    losses = scene(demos.table_of_variants, "Three times ⊤")["numbers"]
    assert np.isclose(losses["Lee & Clifton"], 4.75)
    monotone = scene(demos.table_of_variants, "Monotone, one ⊤")
    assert verdicts(monotone)["lee_clifton"].startswith("cleared")
    assert verdicts(monotone)["lyu_su_li_monotone"].startswith("cleared")
    several = demos.table_of_variants(cutoff=2, num_below=100, monotone="yes")
    assert verdicts(several)["lee_clifton"].startswith("convicted")


def test_who_loses_more_than_claimed_is_told():
    def rows(p):
        for name in ROWS:
            cutoff = 1 if name == "above_threshold" else p["cutoff"]
            row = member(name, cutoff=cutoff, epsilon=p["epsilon"])
            limit = privacy_loss(row, monotone=p["monotone"] == "yes") / p["epsilon"]
            yield name, demos.citation(name), limit > 1 + 1e-9

    def guilty(n, p):
        monotone = p["monotone"] == "yes"
        broken = [c for name, c, bad in rows(p) if bad and (monotone or not ROWS[name].monotone)]
        now = [c for c in broken if n[c] == "∞" or n[c] > 1 + 1e-9]
        return now, len(broken) - len(now)

    def words(names):
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    check_captions(
        demos.table_of_variants,
        {
            "(.*) loses? more than claimed; longer streams will convict (.*) variants? more.": (
                lambda n, p, names, later: (
                    names == words(guilty(n, p)[0])
                    and {"one": "1"}.get(later, later) == str(guilty(n, p)[1])
                    and guilty(n, p)[1] == n["not yet convicted"] > 0
                )
            ),
            r"(.*) lose more than claimed; (\d) variants provably do not.": (
                lambda n, p, names, proved: (
                    (words(guilty(n, p)[0]), 0) == (names, guilty(n, p)[1])
                    and int(proved) == sum(not bad for *_, bad in rows(p))
                )
            ),
        },
    )


@pytest.mark.parametrize("cutoff", [1, 7])
def test_price_curves_are_theorems_and_exact_values(cutoff):
    shown = demos.price_of_repair(cutoff=cutoff, epsilon=0.5, n=1000, beta=0.1, num_queries=300)
    k, printed = curve(shown, "Theorem 2")
    np.testing.assert_allclose(printed, 4 * cutoff * np.log(2 * k / 0.1) / (0.5 * 1000))
    promised = curve(shown, "thirds, promised")[1]
    np.testing.assert_allclose(promised, 12 * cutoff * np.log(3 * k / 0.1) / (0.5 * 1000))
    rows = {
        "printed, exact": member("lecture11_sparse", cutoff=cutoff, epsilon=0.5),
        "thirds, exact": member("lecture11_repaired", cutoff=cutoff, epsilon=0.5),
        "quarters, exact": in_shares(cutoff=cutoff, shares=(1 / 4, 1 / 2, 1 / 4), epsilon=0.5),
    }
    for name, monotone in (("⊤ only", False), ("⊤ only, monotone", True)):
        share = 1 / (1 + ((1 if monotone else 2) * cutoff) ** (2 / 3))
        rows[name] = above_only(
            cutoff=cutoff, threshold_share=share, monotone=monotone, epsilon=0.5
        )
    for name, row in rows.items():
        exact = alpha_exact(row, num_queries=[*k, 300], beta=0.1) / 1000
        np.testing.assert_allclose(curve(shown, name)[1], exact[:-1], rtol=1e-8)
        assert np.isclose(shown["numbers"][name], exact[-1], rtol=1e-8)
    ordered = [curve(shown, name)[1] for name in ("⊤ only, monotone", "⊤ only", "thirds, exact")]
    assert (np.diff(ordered, axis=0) > 0).all()


def test_figures_of_the_price():
    for name, figures in (("Five numbers", [3.0, 2.0, 1.24, 0.69]),
                          ("One number", [2.8, 2.0, 1.58, 1.0])):  # fmt: skip
        numbers = scene(demos.price_of_repair, name)["numbers"]
        ways = "thirds", "quarters", "⊤ only", "⊤ only, monotone"
        factors = [numbers[f"times that, {way}"] for way in ways]
        assert np.allclose(factors, figures, atol=0.012)
    assert 0.9999 < factors[-1] < 1
    numbers = scene(demos.price_of_repair, "Five numbers")["numbers"]
    assert round(numbers["promised, thirds over Theorem 2"], 1) == 3.1
    assert numbers["above 1"] == 0
    assert demos.price_of_repair(n=100, cutoff=1)["numbers"]["above 1"] == 1


def test_what_the_printed_algorithm_needs_is_on_its_curve():
    numbers = demos.price_of_repair(num_queries=300)["numbers"]
    assert numbers["printed needs"] == numbers["printed, exact"]
    assert numbers["Theorem 2 promises"] == numbers["Theorem 2"] > numbers["printed needs"]


def test_the_price_is_told():
    check_captions(
        demos.price_of_repair,
        {
            "The repair in thirds needs (.*) times the α of .*; ⊤ only, (.*) times.": (
                lambda n, p, thirds, silent: (
                    near(thirds, n["thirds, exact"] / n["printed, exact"])
                    and near(silent, n["⊤ only"] / n["printed, exact"])
                    and n["thirds, exact"] <= 1
                )
            ),
            "The repair in thirds needs an α above 1 here, .*": lambda n, p: n["thirds, exact"] > 1,
        },
    )


@pytest.mark.parametrize(("figure", "name", "places"), [
    (demos.price_of_repair, "thirds, promised", [{}, {"n": 10**6}, {"n": 100, "epsilon": 0.05}]),
    (demos.alpha_against_share, "best", [{}, {"cutoff": 100, "num_queries": 10**9}, {"beta": 0.5}]),
])  # fmt: skip
def test_axes_end_at_round_numbers_and_hold_the_curves(figure, name, places):
    for place in places:
        shown = figure(**place)
        top = shown["axes"][0]["y"]["limits"][1]
        assert max(layer(shown, name)["y"]) <= top
        digits = top / 10.0 ** np.floor(np.log10(top) + 1e-9)
        assert min(abs(digits - round_one) for round_one in (1, 2, 5)) < 1e-6


def test_share_curves_are_exact_alphas():
    shown = demos.alpha_against_share(cutoff=2, num_queries=10_000)
    numbers = shown["numbers"]
    for i, label in enumerate(("⊤ only", "⊤ only, monotone")):

        def needed(share, monotone=bool(i)):
            row = above_only(cutoff=2, threshold_share=share, monotone=monotone, epsilon=1.0)
            assert privacy_loss(row, monotone=monotone) <= 1 + 1e-9
            return alpha_exact(row, num_queries=10_000, beta=0.05)

        shares, errors = curve(shown, label)
        for place in (9, 20, 35):
            assert np.isclose(errors[place], needed(shares[place]), rtol=5e-4)
        theirs = least_variance_share(cutoff=2, monotone=bool(i))
        best = curve(shown, "best")[0][i]
        for name, share in (("halves", 0.5), ("their split", theirs), ("best", best)):
            assert np.isclose(numbers[f"ε·n·α, {name}"][i], needed(share), rtol=1e-8)
        assert curve(shown, "Lyu, Su & Li’s split")[0][i] == theirs
        for name, told in (("Lyu, Su & Li’s split", "their split"), ("best", "best")):
            assert curve(shown, name)[1][i] == numbers[f"ε·n·α, {told}"][i]
        around = [needed(share) for share in (best * 0.9, best, best * 1.1)]
        assert min(around) == around[1]


@pytest.mark.parametrize(
    ("num_queries", "cutoff", "beta"), [(10**9, 100, 0.5), (100, 1, 0.001), (100, 1, 0.5)]
)
def test_best_share_of_the_picture_lies_inside_it(num_queries, cutoff, beta):
    shown = demos.alpha_against_share(num_queries=num_queries, cutoff=cutoff, beta=beta)
    share, error = curve(shown, "best")
    assert np.all(share > 0.002) and np.all(share < 0.7)
    assert shown["axes"][0]["y"]["limits"][1] > max(error)


def test_figures_of_the_split():
    numbers = scene(demos.alpha_against_share, "Five times ⊤")["numbers"]
    assert round(numbers["theirs over halves"], 2) == 0.62
    assert round(numbers["best over halves"], 2) == 0.6
    assert round(numbers["Lyu, Su & Li’s share"], 2) == 0.18
    assert round(numbers["best share"], 2) == 0.11
    assert round(numbers["best share, monotone"], 2) == 0.16
    billion = scene(demos.alpha_against_share, "A billion queries")["numbers"]
    assert billion["best share"] < numbers["best share"]


def test_what_the_best_split_gains_is_told():
    check_captions(
        demos.alpha_against_share,
        {
            "Lyu, Su and Li’s split needs (.*) of the error of halves; the best share "
            r"needs (.*)\.": lambda n, p, theirs, best: (
                near(theirs, n["ε·n·α, their split"][0] / n["ε·n·α, halves"][0])
                and near(best, n["ε·n·α, best"][0] / n["ε·n·α, halves"][0])
                and n["best share"] < 1 / (1 + (2 * p["cutoff"]) ** (2 / 3))
                and n["ε·n·α, best"][0] <= n["ε·n·α, their split"][0]
            )
        },
    )


@pytest.mark.parametrize(("num_queries", "epsilon"), [(200, 1.0), (40, 1.0), (50, 5.0)])
def test_theorem_4_is_refuted_in_the_range_shown(num_queries, epsilon):
    shown = demos.theorem_4(num_queries=num_queries, epsilon=epsilon)
    delta, taken = curve(shown, "exact")
    low, high = (shown["numbers"][f"refuted {end} δ"] for end in ("from", "up to"))
    assert ((np.nan_to_num(taken) > delta) == ((low <= delta) & (delta <= high))).all()
    assert curve(shown, "Theorem 4")[1].tolist() == delta.tolist() == DELTAS.tolist()
    s = np.sqrt(32 * np.log(1 / delta))
    least = np.nan_to_num(curve(shown, "at least, closed form")[1])
    for i in (5, 20):
        answers = np.arange(np.floor(s[i]) + 1, num_queries + 1)
        rates = s[i] / 4 * 2.0**-answers / ((s[i] / 2 + answers - 1) * (s[i] / 2 + answers))
        assert np.isclose(least[i], rates @ (1 - np.exp(epsilon - epsilon * answers / s[i])))
    assert (least <= np.nan_to_num(taken)).all()


def test_figures_of_theorem_4():
    taken = [
        scene(demos.theorem_4, name)["numbers"]["δ taken, exact"]
        for name in ("Refuted", "Not refuted", "A tiny δ")
    ]
    assert np.allclose(taken, [9.9e-14, 1.1e-9, 2.6e-24], rtol=0.012, atol=0)
    for epsilon, end in ((0.1, 1.98e-14), (1.0, 1.76e-12), (5.0, 2.83e-10)):
        numbers = demos.theorem_4(num_queries=200, epsilon=epsilon)["numbers"]
        assert numbers["refuted from δ"] == 1e-60
        assert np.isclose(numbers["refuted up to δ"], end, rtol=3e-3, atol=0)


def test_the_dot_of_theorem_4_is_what_is_taken_at_this_delta():
    for place in (dict(num_queries=200), dict(num_queries=200, delta=1e-6)):
        shown = demos.theorem_4(**place)
        x, exact = curve(shown, "exact")
        ((at,), (taken,)) = curve(shown, "at δ")
        assert at == place.get("delta", 1e-15)
        near_by = np.interp(np.log(at), np.log(x), np.log(exact))
        assert abs(np.log(taken) - near_by) < 0.5


def test_short_streams_refute_nothing():
    """j times ⊥ and a number lose at most (j + 1)·ε/√(32 ln(1/δ)): below ε for 10 queries."""
    shown = demos.theorem_4(num_queries=10)
    assert 10 / np.sqrt(32 * np.log(1 / DELTAS[-1])) < 1
    assert np.isnan(curve(shown, "exact")[1]).all() and shown["numbers"]["δ taken, exact"] == 0
    assert demos.theorem_4(num_queries=20)["numbers"]["refuted from δ"] is None


def test_whether_theorem_4_is_refuted_is_told():
    form = "At δ = (.*) this stream of (.*) queries "

    def place(p, delta, queries):
        return near(delta, p["delta"]) and int(queries) == p["num_queries"]

    check_captions(
        demos.theorem_4,
        {
            form + "takes δ = (.*), more than Theorem 4 promises, and refutes it.": (
                lambda n, p, delta, queries, taken: (
                    place(p, delta, queries)
                    and near(taken, n["δ taken, exact"])
                    and n["δ taken, exact"] > p["delta"]
                )
            ),
            form + "takes only δ = (.*), which refutes nothing.": (
                lambda n, p, delta, queries, taken: (
                    place(p, delta, queries)
                    and near(taken, n["δ taken, exact"])
                    and 0 < n["δ taken, exact"] <= p["delta"]
                )
            ),
            form + "is too short for any answers to pass e.ε, and refutes nothing.": (
                lambda n, p, delta, queries: (
                    place(p, delta, queries)
                    and p["num_queries"] <= np.sqrt(32 * np.log(1 / p["delta"]))
                )
            ),
        },
    )


def test_last_bits_shows_the_shares_of_both_counts():
    shown = demos.last_bits(epsilon=2.0, seed=3)
    noise = np.random.default_rng(3).laplace(scale=0.5, size=(2, 20_000))
    for count in (0, 1):
        j, share = curve(shown, f"true count {count}")
        scaled = (count + noise[count]) * 2.0 ** j[4]
        assert share[4] == np.mean(scaled == np.floor(scaled))
        ends = layer(shown, f"true count {count}, 95%")
        low, high = clopper_pearson(round(share[12] * 20_000), 20_000, confidence=1 - 0.05 / 74)
        assert np.allclose([ends["y"][12], ends["to_y"][12]], [low, high])
    rounded = demos.last_bits(epsilon=2.0, lattice=53, seed=3)
    assert (curve(rounded, "true count 0")[1][-10:] == 1).all()
    assert layer(rounded, "lattice")["at"] == 53 == layer(shown, "53")["at"]


@pytest.mark.parametrize(("lattice", "apart"), [(40, False), (47, False), (50, True), (70, True)])
def test_last_bits_says_whether_the_counts_differ(lattice, apart):
    """Differences sit below the lattice, and all of them are in the picture."""
    shown = demos.last_bits(lattice=lattice)
    ends = [layer(shown, f"true count {count}, 95%") for count in (0, 1)]
    low, high = np.max([e["y"] for e in ends], axis=0), np.min([e["to_y"] for e in ends], axis=0)
    differ = np.array(ends[0]["x"])[low > high]
    assert (len(differ) > 0) == apart
    assert differ.tolist() == shown["numbers"]["those j"]
    assert len(differ) == shown["numbers"]["j that tell the counts apart"]
    assert (differ < lattice).all() and ends[0]["x"][0] < 40


def test_figures_of_the_last_bits():
    numbers = scene(demos.last_bits, "As computed")["numbers"]
    assert round(numbers["off 2⁻⁵³, count 0"], 2) == 0.28 and numbers["off 2⁻⁵³, count 1"] == 0
    low = beta_distribution.ppf(0.025, 5504, 20_000 - 5504 + 1)
    high = beta_distribution.isf(0.025, 1, 20_000)
    assert 20_000 * numbers["off 2⁻⁵³, count 0"] == 5504
    assert np.isclose(numbers["loss at least, 95%"], np.log(low / high))
    numbers = scene(demos.last_bits, "Rounded to multiples of 2⁻⁵³")["numbers"]
    assert np.round(numbers["off 2⁻⁵², both counts"], 2).tolist() == [0.25, 0.13]
    assert numbers["loss at least, 95%"] == 0


def test_a_coarser_release_of_the_reader_is_measured_too():
    def rounded(data, query, *, epsilon, rng):
        return float(np.round(laplace_mechanism(data, query, epsilon=epsilon, rng=rng)))

    shown = demos.last_bits(mechanism=rounded)
    assert curve(shown, "true count 0")[1].tolist() == [1.0] * 37
    assert shown["numbers"]["those j"] == []

    def in_fours(data, query, *, epsilon, rng):  # so that the count 1 leaves the lattice too
        return laplace_mechanism(data, query, epsilon=epsilon, rng=rng) / 4

    shown = demos.last_bits(mechanism=in_fours)
    assert shown["numbers"]["off 2⁻⁵³, count 1"] > 0 and "still differ" in shown["sentence"]


def test_what_the_last_bits_tell_is_told():
    check_captions(
        demos.last_bits,
        {
            "(.*%) of the outputs are no multiple of 2⁻⁵³ if the count is 0, none if it is 1: .*": (
                lambda n, p, share: (
                    near(share, n["off 2⁻⁵³, count 0"])
                    and n["off 2⁻⁵³, count 0"] > 0 == n["off 2⁻⁵³, count 1"]
                    and p["lattice"] > 53
                )
            ),
            "The two counts still differ in their shares of multiples of 2⁻ʲ, at (.*).": (
                lambda n, p, where: (
                    where in ("one j", f"{len(n['those j'])} of the 37 j")
                    and (where == "one j") == (len(n["those j"]) == 1)
                    and len(n["those j"]) > 0 == n["off 2⁻⁵³, count 0"]
                    and p["lattice"] <= 53
                )
            ),
            "In the last bits of 20,000 outputs the two counts cannot .*": lambda n, p: (
                n["those j"] == [] and n["off 2⁻⁵³, count 0"] == 0
            ),
        },
    )
