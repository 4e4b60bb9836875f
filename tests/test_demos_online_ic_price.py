"""What the pictures of notebook 06 on prices show, against the textbook and closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from course_lib.demos import online_ic_price as price
from course_lib.demos.explore import about, compact
from course_lib.demos.online_ic import nice_top
from tests.pictures import lines
from tests.test_demos_online_ic import check_room, panel_at
from tests.test_lab_online_ic import ALL, ANALYSTS, cutoff, textbook_counts


@pytest.mark.parametrize(
    "where",
    [
        {},
        {"n": 20_190, "num_queries": 150},
        {"n": 10**8, "epsilon": 10.0, "num_queries": 100, "alpha": 0.02},
        {"n": 10_000, "epsilon": 0.1, "alpha": 0.5, "seed": 3},  # all updates are spent
    ],
)
def test_counts_are_those_of_the_textbook(where):
    panel = panel_at(price.updates_against_bound, **where)
    at = panel.values
    run = {name: at[name] for name in ("n", "num_queries", "epsilon", "seed")}
    for alpha in {at["alpha"], 0.05, 0.3}:
        panel.set(alpha=alpha)
        place = list(price.ALPHAS).index(alpha)
        counts = list(textbook_counts(**run, alpha=alpha))
        for analyst, (updates, _) in zip(ANALYSTS, counts, strict=True):
            x, y = lines(panel)[analyst].get_data()
            assert y[list(x).index(alpha)] == updates <= cutoff(alpha)
            assert list(x) == list(price.ALPHAS[place if analyst == "worst query" else 0 :])
            assert f"{analyst} {updates:,}" in panel.sentence
        made, invalid = np.sum(counts, axis=0)
        told = f" {invalid:,} of the {made:,} are invalid" if invalid else " None is invalid"
        assert told in panel.sentence and f"B(α) = {cutoff(alpha):,}." in panel.sentence


def test_the_bound_is_drawn():
    panel = panel_at(price.updates_against_bound)
    alphas, bound = lines(panel)["B(α)"].get_data()
    np.testing.assert_allclose(bound, 4 * math.log(256) / np.square(alphas))
    assert list(alphas) == list(price.ALPHAS)


def test_grey_is_where_alpha_is_too_small_for_the_guarantee():
    panel = panel_at(price.updates_against_bound, alpha=0.1)
    for n, k in (10_000, 20), (10**6, 200), (10**8, 500):
        panel.set(n=n, num_queries=k)
        logs = math.log(2 * k) + math.log(60)
        needed = (48 * ALL * math.log(2) * logs / n) ** (1 / 3)
        (grey,) = panel.figure.axes[0].patches
        assert np.isclose(grey.get_x() + grey.get_width(), needed)
        side = "at least" if needed <= 0.1 else "below"
        assert f"α is {side} the {about(needed)} that the guarantee needs" in panel.sentence
        assert lines(panel)["all k"].get_ydata()[0] == k


@pytest.mark.parametrize("x", [0.06, 0.0909, 0.091, 0.3, 0.92, 1.0, 4.7, 650.0])
def test_the_axis_ends_a_little_above_what_it_shows(x):
    assert 1.1 * x <= nice_top(x) < 1.7 * x


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
    {},
    {"universe_size": "2^8", "num_queries": 1000},
    {"universe_size": "2^60", "num_queries": 10**12, "n": 10**12},
    {"universe_size": "2^2", "num_queries": 10, "epsilon": 5.0, "n": 1000, "delta": 1e-3},
    {"universe_size": "2^20", "num_queries": 10**6, "epsilon": 0.05, "beta": 0.5, "n": 20_190},
    {"universe_size": "2^30", "num_queries": 10**9, "beta": 0.001, "delta": 1e-12, "n": 10**7},
]


@pytest.mark.parametrize("where", PLACES)
def test_promises_against_closed_forms(where):
    panel = panel_at(price.alpha_against_rows, **where)
    at, shown = panel.values, lines(panel)
    universe, delta, n = 2.0 ** int(at["universe_size"][2:]), at["delta"], at["n"]
    k, beta, epsilon = at["num_queries"], at["beta"], at["epsilon"]
    known = universe, k, beta, epsilon
    numbers = [repaired(n, *known), with_delta(n, *known, delta), printed(n, *known)]
    for label, f in (
        ("Theorem 1, printed", printed),
        ("repaired, δ = 0", repaired),
        ("repaired, δ > 0", lambda *known: with_delta(*known, delta)),
    ):
        for rows, error in list(zip(*shown[label].get_data(), strict=True))[::6]:
            if f(rows, *known) < math.sqrt(4 * math.log(universe)):  # there B(α) is at least 1
                assert np.isclose(error, 3 * f(rows, *known), rtol=1e-7)
    basic, better = (laplace_rows(k, beta, e) for e in (epsilon / k, advanced(k, epsilon, delta)))
    logs = math.log(2 * k / beta)
    t = math.sqrt(logs / (universe + logs))  # Pr[S > x] <= e^(-tx) / (1 - t²)^|X|, Markov
    noisy = 2 / epsilon * (logs - universe * math.log1p(-t * t)) / t
    rows = np.prod(shown["histogram, fixed queries"].get_data(), axis=0)
    np.testing.assert_allclose(rows, noisy, rtol=1e-9)
    for label, rows in ("Laplace, basic", basic), ("Laplace, advanced", better):
        np.testing.assert_allclose(np.prod(shown[label].get_data(), axis=0), rows, rtol=1e-4)
    pure, approximate, old = (about(3 * x) for x in numbers)
    assert f"At n = {compact(n)} it is {pure} ({approximate}; printed {old})" in panel.sentence
    assert f"Laplace {about(basic / n)} (advanced {about(better / n)})" in panel.sentence
    found = {"OnlineIC": 3 * min(numbers[:2]), "Laplace": min(basic, better) / n}
    found |= {"histogram": noisy / n}
    best = min(found, key=found.get)
    end = f"Smallest: {best}." if found[best] < 1 else "All say nothing."
    assert panel.sentence.endswith(f", histogram {about(noisy / n)}. {end}")


def test_at_the_survey_s_own_rows_nothing_is_promised():
    at = {"universe_size": "2^8", "num_queries": 1000, "n": 20_190}
    panel = panel_at(price.alpha_against_rows, **at)
    assert "3α is below 1 from n ≈ 84,000 on (δ = 10⁻⁶: 96,900)." in panel.sentence
    assert "At n = 20,190 it is 1.61 (2.01; printed 1.08)" in panel.sentence
    panel.set(universe_size="2^30", num_queries=10**12, n=1000)
    assert panel.sentence.endswith("All say nothing.")
    panel.set(universe_size="2^60", num_queries=10**12, n=10**7)
    assert panel.sentence.endswith("Smallest: OnlineIC.")


@pytest.mark.parametrize("figure", [price.updates_against_bound, price.alpha_against_rows])
def test_sentence_and_panel_fit_everywhere(figure):
    check_room(figure)


def test_noise_on_the_histogram_is_said_to_be_for_queries_fixed_in_advance():
    assert "for queries fixed in advance only" in price.alpha_against_rows.__doc__
