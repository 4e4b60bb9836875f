"""What the pictures of notebook 06 on runs show, against the textbook in plain Python."""

import functools
import itertools
import math

import numpy as np
import pytest

from course_lib.demos import online_ic as demos
from course_lib.demos.explore import about, explore
from course_lib.demos.small_db_sample import NAMES
from course_lib.lab.histograms import scaled, survey_histogram
from tests.pictures import lines
from tests.test_explore import panel_height, status_lines

ALL = len(NAMES)


one_panel = functools.cache(explore)  # making one takes longer than moving it


def panel_at(figure, **where):
    """The figure's panel, moved to where its sliders have these values."""
    panel = one_panel(figure)
    return panel.set(**panel.start | where)


def segments(panel, axes=0):
    """The ends of the bars, as an array of (bar, end, coordinate)."""
    return np.array(panel.figure.axes[axes].collections[0].get_segments())


@functools.cache
def shares(attributes):
    _, histogram = survey_histogram(*NAMES[:attributes])
    return [float(count / histogram.sum()) for count in histogram]


def value(query, law):
    return sum(q * p for q, p in zip(query, law, strict=True))


def moved(hypothesis, query, rate):
    """Multiply by exp(rate · query), then divide by the sum."""
    weights = [h * math.exp(rate * q) for h, q in zip(hypothesis, query, strict=True)]
    return [w / sum(weights) for w in weights]


def relative_entropy(truth, hypothesis):
    return sum(p * math.log(p / q) for p, q in zip(truth, hypothesis, strict=True) if p > 0)


def all_marginals(attributes):
    size = 2**attributes
    return [[float(x & s == s) for x in range(size)] for s in range(1, size)]


@functools.cache
def chase(analyst, attributes, alpha):
    """The hypotheses and queries of the same chase, in plain Python."""
    truth = shares(attributes)
    hypotheses, queries = [[1 / len(truth)] * len(truth)], []
    while True:
        now = hypotheses[-1]
        if analyst == "all queries":
            query = [float(p > q) for p, q in zip(truth, now, strict=True)]
        else:
            gaps = [abs(value(q, truth) - value(q, now)) for q in all_marginals(attributes)]
            query = all_marginals(attributes)[gaps.index(max(gaps))]
        gap = value(query, truth) - value(query, now)
        if abs(gap) < alpha:
            return hypotheses, queries
        queries.append(query)
        hypotheses.append(moved(now, query, math.copysign(alpha / 2, gap)))


CHASES = [(a, d, x) for a in demos.ANALYSTS for d in (3, 4) for x in (0.08, 0.2, 0.4)]


@pytest.mark.parametrize(("analyst", "attributes", "alpha"), CHASES)
def test_the_chase_is_that_of_the_textbook(analyst, attributes, alpha):
    at = {"analyst": analyst, "attributes": attributes, "alpha": alpha}
    hypotheses, queries = chase(**at)
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


@pytest.mark.parametrize(("analyst", "attributes", "alpha"), CHASES)
def test_every_update_takes_alpha_squared_over_4_and_the_end_is_an_end(analyst, attributes, alpha):
    """Hoeffding's lemma even gives α²/2 − α²/32, since the query lies in [0, 1] and η = α/2."""
    hypotheses, queries = chase(analyst, attributes, alpha)
    truth = shares(attributes)
    entropies = [relative_entropy(truth, h) for h in hypotheses]
    assert (-np.diff(entropies) >= 15 / 32 * alpha**2).all() and entropies[-1] >= 0
    assert len(queries) <= 8 / 15 * (4 * math.log(len(truth)) / alpha**2)
    left = [abs(value(q, truth) - value(q, hypotheses[-1])) for q in all_marginals(attributes)]
    assert max(left) < alpha
    if analyst == "all queries":
        assert np.abs(np.subtract(truth, hypotheses[-1])).sum() / 2 < alpha


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


def cutoff(alpha):
    return math.floor(4 * ALL * math.log(2) / alpha**2)


def online_ic(truth, ask, alpha, unit, noise):
    """OnlineIC with the repaired sparse vector: (error, gap, updated, valid) for each query.

    ask(i, hypothesis) is the query, noise(what, i) noise of scale 1, unit = 1/(εn).
    """
    hypothesis, made, c = np.full(len(truth), 1 / len(truth)), 0, cutoff(alpha)
    bar, i = 2 * alpha + 3 * unit * noise("bar", 0), 0
    while (query := ask(i, hypothesis)) is not None:
        gap, found = float(query @ (truth - hypothesis)), None
        for sign in (1, -1):
            if made < c and sign * gap + 6 * c * unit * noise(sign, i) >= bar:
                found = 3 * c * unit * noise("number", i)
                break
        if found is None:
            yield abs(gap), abs(gap), False, True
        else:
            made += 1
            answer = query @ hypothesis + sign * (sign * gap + found)
            rate = -alpha / 2 if answer < query @ hypothesis else alpha / 2
            hypothesis = np.array(hypothesis * np.exp(rate * query))
            hypothesis /= hypothesis.sum()
            yield abs(found), abs(gap), True, abs(gap) >= alpha and abs(found) < alpha
        i += 1


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
    queries = demos.KINDS[at["queries"]](np.random.default_rng(at["seed"]), 1000)[:k]
    rng = np.random.default_rng([at["seed"], 1])
    truth = scaled(survey_histogram(*NAMES)[1], n=n) / n
    ask = [*queries, None]
    unit = 1 / (at["epsilon"] * n)
    found = online_ic(truth, lambda i, _: ask[i], alpha, unit, lambda *_: rng.laplace())
    errors, gaps, updated, _ = map(np.array, zip(*found, strict=True))
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


@pytest.mark.parametrize("kind", list(demos.KINDS))
def test_a_longer_run_begins_with_the_shorter_one(kind):
    at = 10**5, 0.1, 1.0, 4
    short, long = (demos.one_run(kind, k, *at)[:3] for k in (30, 200))
    for few, many in zip(short, long, strict=True):
        assert list(few) == list(many[:30])


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


def test_with_a_guarantee_errors_stay_within_3_alpha():
    """Promised except with probability 0.05; in fact far rarer, and none of 20 runs fails."""
    for seed in range(10):
        for alpha in (0.07, 0.2):
            errors, _, updated, most = demos.one_run("conjunctions", 300, 10**7, alpha, 1.0, seed)
            assert max(errors) <= 3 * alpha and sum(updated) <= 8 / 15 * most
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
