"""What the pictures of notebook 06 on runs show, against the textbook in plain Python."""

import functools
import itertools
import math

import numpy as np
import pytest

from course_lib.demos import online_ic as demos
from course_lib.demos.explore import about, explore
from tests.pictures import lines
from tests.test_exact_online_ic import CHASES, relative_entropy, shares, textbook_chase, value
from tests.test_explore import panel_height, status_lines
from tests.test_lab_online_ic import ALL, cutoff, textbook_run

one_panel = functools.cache(explore)  # making one takes longer than moving it


def panel_at(figure, **where):
    """The figure's panel, moved to where its sliders have these values."""
    panel = one_panel(figure)
    return panel.set(**panel.start | where)


def segments(panel, axes=0):
    """The ends of the bars, as an array of (bar, end, coordinate)."""
    return np.array(panel.figure.axes[axes].collections[0].get_segments())


@pytest.mark.parametrize(("analyst", "attributes", "alpha"), CHASES)
def test_the_chase_is_that_of_the_textbook(analyst, attributes, alpha):
    at = {"analyst": analyst, "attributes": attributes, "alpha": alpha}
    hypotheses, queries = textbook_chase(**at)
    truth, panel = shares(attributes), panel_at(demos.chasing, **at)
    entropies = [relative_entropy(truth, h) for h in hypotheses]
    for updates in {0, 1, len(queries) // 2, len(queries), 60}:
        panel.set(updates=updates)
        t = min(updates, len(queries))
        np.testing.assert_allclose(lines(panel, 0)["true"].get_xdata(), truth)
        np.testing.assert_allclose(lines(panel, 0)["hypothesis"].get_xdata(), hypotheses[t])
        query = queries[t - 1] if t else [0.0] * len(truth)
        shown = segments(panel)[:, 0, 1] if any(query) else []
        assert list(shown) == [x for x, q in enumerate(query) if q]
        curve = lines(panel, 1)["relative entropy"].get_data()
        np.testing.assert_allclose(curve, [range(t + 1), entropies[: t + 1]], rtol=1e-9)
        assert f"Relative entropy {about(entropies[t])} " in panel.sentence
        if t:
            drop, guess = entropies[t - 1] - entropies[t], value(query, hypotheses[t - 1])
            assert f", down by {about(drop)}; promised: α²/4 = " in panel.sentence
            assert f"true {about(value(query, truth))}, before {about(guess)}." in panel.sentence
            way = "raised" if value(query, truth) > guess else "lowered"
            assert f"update {t} {way} " in panel.sentence
    most = math.floor(4 * math.log(len(truth)) / alpha**2)
    ends = "After 1 update no" if len(queries) == 1 else f"After {len(queries)} updates no"
    kind = "query" if analyst == "all queries" else "marginal"
    assert panel.sentence.endswith(f"{ends} {kind} is α off; B(α) = {most:,}.")


@pytest.mark.parametrize(("attributes", "alpha"), [(3, 0.4), (4, 0.2), (4, 0.08)])
def test_promised_lines_fall_by_alpha_squared_over_4_to_0(attributes, alpha):
    panel = panel_at(demos.chasing, attributes=attributes, alpha=alpha, updates=60)
    start = relative_entropy(shares(attributes), [2.0**-attributes] * 2**attributes)
    times, entropies = lines(panel, 1)["relative entropy"].get_data()
    for label, top in ("ln|X| − tα²/4", attributes * math.log(2)), ("its start − tα²/4", start):
        x, y = lines(panel, 1)[label].get_data()
        np.testing.assert_allclose(y, top - x * alpha**2 / 4, atol=1e-12)
        assert x[0] == 0 and np.isclose(x[-1], 4 * top / alpha**2) and y[-1] < 1e-8
        assert (np.interp(times, x, y) >= entropies - 1e-12).all()
    assert 4 * attributes * math.log(2) / alpha**2 < panel.figure.axes[1].get_xlim()[1]


def test_chasing_says_what_a_marginal_is_called_and_what_an_axis_shows():
    panel = panel_at(demos.chasing)
    assert "update 1 lowered “unwell”, true 0.0922, before 0.5." in panel.sentence
    left = panel.figure.axes[0]
    assert [label.get_text() for label in left.get_yticklabels()][5] == "0101"
    assert left.get_ylabel() == "bits: visit, chronic, unwell, free"
    assert max(shares(4)) < left.get_xlim()[1]
    panel.set(updates=0)
    assert "the hypothesis is uniform; no update yet. Relative entropy 0.498" in panel.sentence
    panel.set(analyst="all queries", updates=1)
    few = sum(p > 1 / 16 for p in shares(4))
    assert f"raised the {few} elements that are too light" in panel.sentence


RUNS = [  # the third spends all updates
    {"num_queries": 1000},
    {"n": 20_190, "alpha": 0.2, "num_queries": 200},
    {
        "n": 10_000,
        "alpha": 0.5,
        "epsilon": 0.1,
        "queries": "marginals",
        "num_queries": 700,
    },  # spends all updates
    {"n": 10**6, "alpha": 0.03, "queries": "predicates", "num_queries": 150, "seed": 5},
    {"alpha": 0.2, "queries": "marginals", "num_queries": 20},
    {"alpha": 0.5, "n": 10**8, "epsilon": 10.0, "num_queries": 50},
]


@pytest.mark.parametrize("where", RUNS)
def test_a_run_is_that_of_the_textbook(where):
    panel = panel_at(demos.answers_and_updates, **where)
    at = panel.values
    n, alpha, k = at["n"], at["alpha"], at["num_queries"]
    unit, kind = 1 / (at["epsilon"] * n), at["queries"]
    run = {name: at[name] for name in ("n", "num_queries", "alpha", "epsilon", "seed")}
    errors, gaps, updated, _ = textbook_run(kind, **run)
    shown, numbers = lines(panel), np.arange(1, k + 1)
    for label, these in ("from the hypothesis", ~updated), ("update (line: hypothesis)", updated):
        x, y = shown[label].get_data()
        assert list(x) == list(numbers[these])
        np.testing.assert_allclose(y, errors[these], atol=1e-9)
    if updated.any():
        stems = segments(panel)
        np.testing.assert_allclose(stems[:, 0, 1], errors[updated], atol=1e-9)
        np.testing.assert_allclose(stems[:, 1, 1], gaps[updated], atol=1e-9)
    assert shown["3α"].get_ydata()[0] == 3 * alpha and shown["2α"].get_ydata()[0] == 2 * alpha
    top = panel.figure.axes[0].get_ylim()[1]
    assert max(3 * alpha, *errors, *gaps) < top and k < panel.figure.axes[0].get_xlim()[1] <= 3 * k
    many = "1 update" if sum(updated) == 1 else f"{sum(updated):,} updates"
    spent = sum(updated) == cutoff(alpha)
    assert f" {many} of at most B(α) = {cutoff(alpha):,}{' (' if spent else '.'}" in panel.sentence
    assert f"The largest error is {about(max(errors))}" in panel.sentence
    beyond = np.count_nonzero(errors > 3 * alpha)
    assert (f", {beyond:,} above 3α = {3 * alpha:g}." in panel.sentence) == (beyond > 0)
    needed = (48 * ALL * math.log(2) * (math.log(2 * k) + math.log(60)) * unit) ** (1 / 3)
    word = panel.figure.axes[0].texts[0]
    assert word.get_text() == "no guarantee"
    assert word.get_visible() == ("No guarantee" in panel.sentence) == bool(alpha < needed)
    assert f"α ≥ {about(needed)}" in panel.sentence
    empty = 3 * (needed if alpha < needed else alpha) >= 1
    assert ("says nothing of a fraction" in panel.sentence) == empty


def test_most_updates_come_early():
    panel = panel_at(demos.answers_and_updates, num_queries=1000)
    x = lines(panel)["update (line: hypothesis)"].get_xdata()
    assert (
        np.count_nonzero(x <= 250) > 0.6 * len(x) and panel.figure.axes[0].get_xscale() == "linear"
    )


def test_what_goes_wrong_without_a_guarantee():
    panel = panel_at(demos.answers_and_updates, n=20_190, num_queries=1000)
    assert "No guarantee: β = 0.05 needs α ≥ 0.536, where 3α says nothing" in panel.sentence
    assert "above 3α = 0.3." in panel.sentence
    panel.set(alpha=0.3, epsilon=0.1)
    assert "246 updates of at most B(α) = 246 (all spent at query " in panel.sentence
    spent = max(lines(panel)["update (line: hypothesis)"].get_xdata())
    assert f"(all spent at query {spent:,})" in panel.sentence and spent < 1000


def test_with_a_guarantee_no_error_is_said_to_be_above_3_alpha():
    for alpha in (0.07, 0.2):
        sentence = panel_at(demos.answers_and_updates, num_queries=300, alpha=alpha).sentence
        assert f"so 3α = {3 * alpha:g} is promised, except" in sentence and "above" not in sentence


def corners(figure):
    """Every slider at either end or where it starts, and the rest of each slider on its own."""
    choices, start = figure.demo.choices, figure.demo.start
    yield from ({name: value} for name, values in choices.items() for value in values)
    ends = [{values[0], start[name], values[-1]} for name, values in choices.items()]
    some = list(itertools.product(*(sorted(values) for values in ends)))
    yield from (dict(zip(choices, values, strict=True)) for values in some[:: len(some) // 80 + 1])


def check_room(figure):
    """The sentence has room everywhere, and the panel on a small screen."""
    panel = explore(figure)
    for at in corners(figure):
        sentence = panel._update(**panel.start | at)
        assert status_lines(sentence) <= 3 and len(sentence) <= 256, sentence
    assert panel_height(figure) <= 599


@pytest.mark.parametrize("figure", [demos.chasing, demos.answers_and_updates])
def test_sentence_and_panel_fit_everywhere(figure):
    check_room(figure)
