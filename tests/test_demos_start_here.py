"""What the pictures of notebook 00 show, against closed forms and SciPy; its table of notebooks."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import laplace

from course_lib.demos import start_here as demos
from course_lib.demos.picture import layer
from course_lib.exact.composition import exact_composition_delta
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.data import health_values
from course_lib.lab.toolbox import counts_around, neighbouring_counts
from course_lib.support.contracts import ParameterError
from course_lib.toolbox import exponential_mechanism_law
from tests.pictures import check_captions, curve, near, value

GROUPS = np.array([870, 869, 860, 858, 785, 705])
ASKED = health_values()[[0, 2, 3, 4, 7, 11, 14, 20, 22, 23]]


def test_what_two_counts_tell_together_is_told():
    def so(n, p, gap, fit=None):
        seen = n["first count"] - n["second count"]
        rows, first, second = counts_around(p["known"])
        told = n["rows that fit"] == rows and (fit is None or value(fit) == rows)
        exact = seen == first - second == value(gap)
        return told and (exact if p["published"] == "exact" else abs(seen - value(gap)) <= 0.05)

    check_captions(
        demos.two_counts,
        {
            "The counts differ by (.*): of the (.*) rows that fit, (.*) are in poor health[.]": (
                lambda n, p, gap, fit, poor: so(n, p, gap, fit) and gap == poor and value(fit) > 1
            ),
            "One row fits, and the two counts differ by 1: that person is in poor health[.]": (
                lambda n, p: so(n, p, "1", "1")
            ),
            "The noisy counts differ by (.*): of (one|.*) rows? they tell next to nothing[.]": (
                lambda n, p, gap, fit: so(n, p, gap, fit.replace("one", "1"))
            ),
        },
    )


def test_both_noisy_counts_together_cost_an_epsilon_of_one():
    # a noise of scale 2 each; over 4,000 pictures the mean of |noise| has standard error 0.022
    noise = []
    for seed in range(2000):
        told = demos.two_counts(known=4, published="noisy", seed=seed)["numbers"]
        noise += [told["first count"] - 302, told["second count"] - 301]
    assert abs(np.mean(np.abs(noise)) - 2) < 3 * 2 / math.sqrt(4000)
    assert told["95% are within"] == pytest.approx(2 * math.log(20))


@pytest.mark.parametrize(("epsilon", "prior"), [(1.0, 0.5), (0.3, 0.9), (5.0, 0.05)])
def test_the_bar_from_prior_to_posterior_is_bayes_rule_on_the_densities(epsilon, prior):
    for released in (295.5, 301.25, 301.5, 302.0, 305.5):
        shown = demos.how_sure(epsilon=epsilon, prior=prior, released=released, shown="all")
        here, there = (laplace.pdf(released, loc, 1 / epsilon) for loc in (302, 301))
        share = prior * here / (prior * here + (1 - prior) * there)
        bar = layer(shown, "posterior")
        assert (bar["x"], bar["to_x"]) == ([prior], pytest.approx([share]))
        assert shown["numbers"]["privacy loss"] == pytest.approx(math.log(here / there))
        for name, rows in ("counted", 302), ("not counted", 301):
            x, y = curve(shown, name)
            assert rows in x and y == pytest.approx(laplace.pdf(x, loc=rows, scale=1 / epsilon))


def test_no_count_moves_the_bar_beyond_what_epsilon_allows():
    for prior in (0.05, 0.5, 0.9):
        odds = prior / (1 - prior) * math.e ** np.array([-1, 1])
        for released in np.arange(295.5, 308, 0.5):
            shown = demos.how_sure(prior=prior, released=float(released), shown="all")
            allowed = layer(shown, "ε allows")
            assert [allowed["low"], allowed["high"]] == pytest.approx((odds / (1 + odds)).tolist())
            told = shown["numbers"]["posterior"]
            assert allowed["low"] - 1e-12 <= told <= allowed["high"] + 1e-12


def test_what_a_count_teaches_is_told_and_before_the_reveal_the_guess():
    def at(p):
        loss = p["epsilon"] * (abs(p["released"] - 301) - abs(p["released"] - 302))
        odds = p["prior"] / (1 - p["prior"]) * np.exp([loss, p["epsilon"], -p["epsilon"]])
        return [loss, *odds / (1 + odds)]

    def moved(p, way, before, after):
        loss, share, _, _ = at(p)
        rises = {"raises": loss > 0, "lowers": loss < 0}[way]
        return rises and near(before, p["prior"]) and near(after, share)

    check_captions(
        demos.how_sure,
        {
            "Your guess: the most telling count raises a chance of (.*) to (.*)[.]": (
                lambda n, p, before, after: (
                    p["shown"] != "all"
                    and (value(before), value(after)) == (p["prior"], p["guess"])
                )
            ),
            "This count lies just between the two: her chance stays at (.*)[.]": (
                lambda n, p, stays: abs(at(p)[0]) < 1e-9 and near(stays, p["prior"])
            ),
            "This count (raises|lowers) her chance from (.*) to (.*), and no count (?:raises|lowers) it further[.]": (
                lambda n, p, way, before, after: (
                    moved(p, way, before, after) and abs(abs(at(p)[0]) - p["epsilon"]) < 1e-9
                )
            ),
            "This count (raises|lowers) her chance from (.*) to (.*); others (?:raise|lower) it to (.*)[.]": (
                lambda n, p, way, before, after, end: (
                    moved(p, way, before, after)
                    and abs(at(p)[0]) < p["epsilon"]
                    and near(end, at(p)[2 if way == "raises" else 3])
                )
            ),
        },
        also=[dict(shown="all", released=r, prior=p) for r in (301.25, 301.5, 301.75) for p in (0.1, 0.5)],
    )  # fmt: skip


def test_the_probabilities_that_epsilon_allows_are_told_from_low_to_high():
    numbers = demos.how_sure(epsilon=1.0, prior=0.5, shown="all")["numbers"]
    assert np.allclose(numbers["ε allows"], [1 / (1 + math.e), math.e / (1 + math.e)])


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
def test_the_densities_are_those_of_the_laplace_mechanism(epsilon):
    shown = demos.neighbours(epsilon=epsilon)
    for name, rows in zip(("with the row", "without it"), neighbouring_counts(0)[2], strict=True):
        x, y = curve(shown, name)
        assert rows in x and y == pytest.approx(laplace.pdf(x, loc=rows, scale=1 / epsilon))


def test_the_log_ratio_is_that_of_the_densities_and_reaches_epsilon():
    shown = demos.neighbours(epsilon=0.7, seed=3)
    with_row, without = neighbouring_counts(3)[2]
    x, y = curve(shown, "exact log-ratio")
    ratio = laplace.logpdf(x, with_row, 1 / 0.7) - laplace.logpdf(x, without, 1 / 0.7)
    assert y == pytest.approx(ratio)
    assert sorted({*layer(shown, "±ε")["y"]} - {None}) == pytest.approx([-0.7, 0.7])
    told = shown["numbers"]
    assert (told["rows counted"], told["without the row"]) == (with_row, without)
    assert (told["query"], told["row"]) == neighbouring_counts(3)[:2]


def test_the_measured_densities_agree_with_the_exact_ones():
    # 40 bins of each, together at 99.9%; power: a noise scale wrong by 5% moves the middle ones out
    shown = demos.neighbours(runs=100_000)
    for name, rows in zip(
        ("measured", "measured without it"), neighbouring_counts(0)[2], strict=True
    ):
        middles, density = curve(shown, name)
        hits = np.nan_to_num(density * 100_000 * 0.5).round().astype(int)
        low, high = clopper_pearson(hits, 100_000, confidence=1 - 0.001 / 80)
        rate = laplace.cdf(middles + 0.25, rows, 1) - laplace.cdf(middles - 0.25, rows, 1)
        assert ((low <= rate) & (rate <= high)).all()


def test_the_measured_log_ratios_hold_those_of_the_bins():
    # all intervals of a picture hold at once at 95%: of 12 pictures 4 or more miss with 0.002
    missed = 0
    for seed in range(12):
        shown = demos.neighbours(seed=seed)
        measured, rows = layer(shown, "measured log-ratio"), neighbouring_counts(seed)[2]
        x = np.array(measured["x"])
        with_row, without = (
            laplace.cdf(x + 0.25, each, 1) - laplace.cdf(x - 0.25, each, 1) for each in rows
        )
        exact = np.log(with_row / without)
        missed += ((measured["low"] > exact) | (exact > measured["high"])).any()
        assert len(x) == shown["numbers"]["intervals"] > 20
    assert missed <= 3


def test_the_promise_is_compared_with_the_runs():
    def beyond(p, most):
        """How many intervals of a ratio lie beyond -most or most, from the dots above."""
        shown = demos.neighbours(**p)
        first, second = (
            np.nan_to_num(curve(shown, name)[1] * p["runs"] * 0.5).round().astype(int)
            for name in ("measured", "measured without it")
        )
        drawn = first + second >= 10
        low, high = clopper_pearson(
            first[drawn], (first + second)[drawn], confidence=1 - 0.05 / len(first)
        )
        odds = math.exp(most) / (1 + math.exp(most))
        return np.count_nonzero((low > odds) | (high < 1 - odds))

    def likely(p, told):
        return near(told, math.exp(p["epsilon"]))

    promise = "No count is more than (.*) times as likely in one case as in the other"
    check_captions(
        demos.neighbours,
        {
            promise + ", and the runs agree[.]": lambda n, p, e: (
                likely(p, e) and beyond(p, p["epsilon"]) == n["that contradict"] == 0 < beyond(p, 0)
            ),
            promise + "; so few runs show no difference[.]": lambda n, p, e: (
                likely(p, e) and beyond(p, 0) == n["intervals without 0"] == 0
            ),
            promise + "; by chance (one|.*) intervals? says? otherwise[.]": lambda n, p, e, many: (
                likely(p, e)
                and beyond(p, p["epsilon"]) == n["that contradict"] == int(many.replace("one", "1"))
            ),
        },
        also=[dict(epsilon=0.2, runs=100_000, seed=seed) for seed in range(60)],
    )


def test_noise_is_the_same_at_every_epsilon_but_for_its_scale():
    fine, coarse = (demos.laplace_noise(epsilon=e, seed=3) for e in (1.0, 0.5))
    truth, places = curve(fine, "true")
    assert truth.tolist() == ASKED.tolist() and places.tolist() == list(range(9, -1, -1))
    moved = [curve(shown, "released")[0] - truth for shown in (fine, coarse)]
    assert moved[1] == pytest.approx(2 * moved[0])


def test_the_bar_of_a_count_reaches_ln_20_over_epsilon_to_each_side():
    bars = layer(demos.laplace_noise(epsilon=0.1), "95% of answers")
    ends = np.array([bars["x"], bars["to_x"]]) - ASKED
    assert ends == pytest.approx(np.outer([-1, 1], np.full(10, 10 * math.log(20))))


def test_answers_below_the_picture_stand_at_its_edge():
    shown = demos.laplace_noise(epsilon=0.001)
    released = np.array(shown["numbers"]["released counts"])
    off = released < 10
    assert off.sum() == shown["numbers"]["below 10"] > 0
    assert np.isnan(curve(shown, "released")[0]).tolist() == off.tolist()
    assert np.isnan(curve(shown, "below 10")[0]).tolist() == (~off).tolist()


def test_what_the_noise_leaves_of_the_counts_is_told():
    def share(p):
        return math.log(20) / p["epsilon"] / ASKED

    check_captions(
        demos.laplace_noise,
        {
            "Even the smallest count is known to within (.*), in 95% of runs[.]": (
                lambda n, p, part: near(part, share(p).max()) and share(p).max() < 1
            ),
            "The noise drowns (.*) of the 10 counts; the largest is .* within (.*)[.]": (
                lambda n, p, lost, part: (
                    int(lost) == sum(share(p) >= 1) > 0 and near(part, share(p).min())
                )
            ),
        },
    )
    told = demos.laplace_noise(**demos.laplace_noise.demo.scenes["The smallest is lost"])["numbers"]
    assert told["95% are within"] > 90 and round(100 * told["of the largest count"], 1) == 1.4
    noise = abs(told["released counts"] - ASKED)
    assert told["within it here"] == sum(noise <= 50 * math.log(20))


def test_the_curves_of_composition_are_the_theorems_the_exact_total_and_the_budget():
    shown = demos.composition(epsilon=0.1, budget=3.0, delta=1e-3)
    runs, exact = curve(shown, "exact")
    advanced = 0.1 * np.sqrt(2 * runs * np.log(1e3)) + 0.1 * runs * np.expm1(0.1)
    for name, total in ("basic composition", 0.1 * runs), ("advanced composition", advanced):
        x, y = curve(shown, name)
        assert x.tolist() == runs.tolist() and y == pytest.approx(total)
    assert curve(shown, "budget")[1].tolist() == [3, 3]
    few = (runs > 10) & (runs < 100)
    spent = exact_composition_delta(runs=runs[few], total=exact[few], epsilon=0.1)
    assert few.any() and spent == pytest.approx(np.full(few.sum(), 1e-3))


def test_figures_of_composition_are_the_points_on_the_budget_line():
    paid = {"Many cheap answers": [100, 337, 562], "Twenty answers, or not": [20, 13, 26]}
    for scene, last in paid.items():
        shown = demos.composition(**demos.composition.demo.scenes[scene])
        assert layer(shown, "paid")["x"] == last
        assert [shown["numbers"][name] for name in shown["named"]] == last
    assert layer(demos.composition(epsilon=1.0), "paid")["x"] == [1, None, 1]


def test_exact_composition_pays_for_most_answers():
    for name in demos.composition.demo.scenes:
        told = demos.composition(**demos.composition.demo.scene(name))["numbers"]
        assert told["exactly"] >= max(told["basic composition"], told["advanced composition"])
    assert told["exactly"] > told["basic composition"]


def test_the_theorem_that_pays_for_more_is_named():
    def pays(p, basic, advanced):
        """Whether so many answers are within the budget, and one more is not."""
        slack = p["budget"] * (1 + 1e-9)

        def spent(k):
            each, logs = p["epsilon"], math.log(1 / p["delta"])
            return [k * each, each * (math.sqrt(2 * k * logs) + k * math.expm1(each))]

        last = [1 if k == "one" else int(k.replace(",", "")) for k in (basic, advanced)]
        return all(spent(k)[i] <= slack < spent(k + 1)[i] for i, k in enumerate(last)) and last

    def compared(p, basic, advanced, sign):
        last = pays(p, basic, advanced)
        return last and np.sign(last[0] - last[1]) == sign

    check_captions(
        demos.composition,
        {
            "Here basic .* pays for (.*) answers?, advanced composition for (.*)[.]": (
                lambda n, p, basic, advanced: compared(p, basic, advanced, 1)
            ),
            "Here the square root pays: .* for (.*) answers?, basic composition for (.*)[.]": (
                lambda n, p, advanced, basic: compared(p, basic, advanced, -1)
            ),
            "Here both theorems pay for (.*) answers?[.]": lambda n, p, k: compared(p, k, k, 0),
            "By both theorems a single answer costs more than the budget[.]": (
                lambda n, p: compared(p, "0", "0", 0)
            ),
        },
        also=[dict(epsilon=0.02, budget=0.1, delta=0.1), dict(epsilon=0.5, budget=0.3)],
    )


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_the_measured_choices_follow_the_exponential_law(epsilon):
    # 6 candidates, together at 99.9%; power: Gumbel noise of half the scale
    shown = demos.private_choice(epsilon=epsilon)
    law = np.exp(epsilon * (GROUPS - 870) / 2)
    law /= law.sum()
    measured, exact = layer(shown, "measured"), layer(shown, "exponential mechanism: exact")
    hits = np.round(np.array(measured["x"]) * demos.CHOICES).astype(int)
    low, high = clopper_pearson(hits, demos.CHOICES, confidence=1 - 0.001 / 6)
    assert ((low <= law) & (law <= high)).all()
    assert exact["x"] == exact["to_x"] == pytest.approx(law) == shown["numbers"]["law"]
    assert shown["numbers"]["largest chosen, exact"] == pytest.approx(law[0])
    ends = [list(each) for each in zip(*clopper_pearson(hits, demos.CHOICES), strict=True)]
    assert [list(each) for each in zip(measured["low"], measured["high"], strict=True)] == ends
    assert shown["numbers"]["measured"] == ends[0]


def test_noisy_max_confuses_two_groups_as_a_difference_of_laplace_variables_does():
    # at epsilon = 3 only the first two groups matter: Pr[X - Y > g] = e^(-g/b) (1/2 + g/4b)
    shown = demos.private_choice(epsilon=3.0)
    hits = round(layer(shown, "noisy max: measured")["x"][1] * demos.CHOICES)
    low, high = clopper_pearson(hits, demos.CHOICES, confidence=0.999)
    assert low <= math.exp(-1.5) * (0.5 + 1.5 / 4) <= high


def test_the_line_of_the_utility_theorem_lies_below_the_groups_within_the_shortfall():
    # (2 / 0.1) (ln 6 + ln 20) = 95.7, and only the group of 705 is further below 870
    shown = demos.private_choice(epsilon=0.1)
    assert layer(shown, "below: at most 5%")["at"] == 0.5
    assert round(shown["numbers"]["shortfall, 95%"], 1) == 95.7
    law = exponential_mechanism_law(GROUPS, epsilon=0.1)
    assert shown["numbers"]["beyond the shortfall, exact"] == pytest.approx(law[5])
    shown = demos.private_choice(epsilon=0.01)
    assert (
        layer(shown, "below: at most 5%")["at"] is None
        and shown["numbers"]["beyond the shortfall, exact"] is None
    )


def test_how_often_the_largest_group_is_chosen_is_told():
    def is_so(p, told, *, decides, out):
        law = exponential_mechanism_law(GROUPS, epsilon=p["epsilon"])
        far = 870 - GROUPS >= 2 / p["epsilon"] * math.log(6 / 0.05)
        return near(told, law[0]) and (law[0] >= 0.9) == decides and far.any() == out

    check_captions(
        demos.private_choice,
        {
            "ε is so large that one row decides: .* probability (.*)[.]": (
                lambda n, p, told: is_so(p, told, decides=True, out=True)
            ),
            "Groups that are much smaller are out, but .* probability (.*)[.]": (
                lambda n, p, told: is_so(p, told, decides=False, out=True)
            ),
            "The theorem rules out no group here: .* probability (.*)[.]": (
                lambda n, p, told: is_so(p, told, decides=False, out=False)
            ),
        },
    )
    chosen = [
        demos.private_choice(**each)["numbers"]["law"]
        for each in demos.private_choice.demo.scenes.values()
    ]
    assert chosen[2][0] < 0.9 < chosen[3][0] and chosen[1][4] < 1e-3


def test_an_impossible_value_is_refused_by_name():
    with pytest.raises(ParameterError, match="epsilon"):
        demos.composition(epsilon="much")
    with pytest.raises(ParameterError, match="epsilon must be from 0.01 to 1 in this picture"):
        demos.composition(epsilon=-1.0)


def test_the_table_of_notebooks_links_to_those_that_are_there():
    folder = Path(__file__).resolve().parent.parent / "notebooks"
    text = (folder / "00_start_here.ipynb").read_text(encoding="utf8")
    linked = set(re.findall(r"\]\((\d\d_\w+\.ipynb)\)", text))
    there = {path.name for path in folder.glob("*.ipynb")} - {"00_start_here.ipynb"}
    assert linked == there
