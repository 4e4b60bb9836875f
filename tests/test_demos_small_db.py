"""What the pictures of notebook 05 show, against closed forms and enumeration in plain Python."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from course_lib.demos import small_db as demos
from course_lib.demos import small_db_sample as sampling
from course_lib.demos.explore import about, explore
from course_lib.exact.small_db import sample_tails, small_db_error_exact
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.histograms import NAMES, survey_marginals
from course_lib.lab.small_db import SAMPLES, survey_sample_errors
from course_lib.linear_queries import Universe, marginals
from course_lib.small_db import small_db
from tests.pictures import lines
from tests.test_lab_small_db import answers, exact_sample_errors, real_database, subsets


def segments(panel, axes, place):
    """The ends of bars, as an array of (bar, end, coordinate)."""
    found = [c for c in panel.figure.axes[axes].collections if hasattr(c, "get_segments")]
    return np.array(found[place].get_segments())


def largest_error(database, other, attributes):
    pairs = zip(answers(database, attributes), answers(other, attributes), strict=True)
    return max(abs(a - b) for a, b in pairs)


def test_bounds_are_hoeffding_s_and_meet_the_lemma():
    panel = explore(sampling.sample_is_enough, sample=300, attributes=4)
    alpha, union = lines(panel)["union bound"].get_data()
    np.testing.assert_allclose(union, [30 * math.exp(-600 * a * a) for a in alpha])
    single = lines(panel)["Hoeffding, one query"].get_ydata()
    np.testing.assert_allclose(single, [2 * math.exp(-600 * a * a) for a in alpha])
    (x,), (y,) = panel.figure.axes[0].get_lines()[-1].get_data()
    assert np.isclose(x, math.sqrt(math.log(15) / 300)) and np.isclose(y, 2 / 15)
    assert np.isclose(np.interp(x, alpha, union), y)
    assert f" Up to α = {about(math.sqrt(math.log(30) / 600))} it says nothing." in panel.sentence


@pytest.mark.parametrize(("sample", "attributes"), [(5, 2), (40, 3), (2000, 3)])
def test_exact_tails_are_below_the_bound(sample, attributes):
    panel = explore(sampling.sample_is_enough, sample=sample, attributes=attributes)
    alpha, tails = lines(panel)["sum of exact tails"].get_data()
    _, histogram, queries = survey_marginals(attributes)
    exact = sample_tails(histogram, queries, size=sample, alpha=alpha)
    assert tails.tolist() == np.maximum(exact, 1e-30).tolist()
    assert (tails <= np.maximum(lines(panel)["union bound"].get_ydata(), 1e-30)).all()


@pytest.mark.parametrize("sample", [5, 10])
def test_measured_rates_are_those_of_the_samples(sample):
    """And half and 95% of them are within what is told, as it is for all samples that exist."""
    panel = explore(sampling.sample_is_enough, sample=sample, attributes=2, seed=7)
    measured = survey_sample_errors(2, size=sample, seed=7)
    dots = lines(panel)["measured, 95%"].get_data()
    for alpha, rate in zip(*dots, strict=True):
        assert np.isclose(np.nan_to_num(rate), (measured > alpha).mean())
    assert math.sqrt(math.log(3) / sample) in dots[0] and len(dots[0]) >= 6
    half, most = np.quantile(measured, [0.5, 0.95])
    assert f"Half the samples are within {about(half)} on all 3 marginals" in panel.sentence
    assert f"95% within {about(most)}." in panel.sentence
    errors, chances = exact_sample_errors(sample)
    assert chances[errors <= half + 1e-9].sum() > 0.45 and chances[errors < half].sum() < 0.55
    assert chances[errors <= most + 1e-9].sum() > 0.93 and chances[errors < most].sum() < 0.97


def test_measured_intervals_are_those_of_the_dots():
    panel = explore(sampling.sample_is_enough, sample=70, attributes=8)
    alpha, rates = lines(panel)["measured, 95%"].get_data()
    bars = segments(panel, 0, 0)
    low, high = clopper_pearson(np.nan_to_num(rates) * SAMPLES, SAMPLES)
    np.testing.assert_allclose(bars[:, 0, 0], alpha)
    np.testing.assert_allclose(bars[:, :, 1], np.array([np.maximum(low, 1e-12), high]).T)
    assert f"measured {about(low[-1])} to {about(high[-1])}" in panel.sentence
    assert np.isnan(rates[-1]) and np.isclose(alpha[-1], math.sqrt(math.log(255) / 70))
    (cap,) = [line for line in panel.figure.axes[0].get_lines() if line.get_marker() == "_"]
    np.testing.assert_allclose(cap.get_xydata(), [[alpha[-1], high[-1]]])
    panel.set(sample=50, attributes=3)  # where some samples are off by more
    assert np.isnan(cap.get_ydata()).all() and "measured 0 to" not in panel.sentence


def test_sample_sentence_at_the_ends():
    panel = explore(sampling.sample_is_enough, sample=2000, attributes=2)
    assert "At the existence lemma’s α = √(ln 3/m) = 0.0234 exact tails" in panel.sentence
    assert "the union bound is 2/3 = 0.667." in panel.sentence
    assert "α ≥ 1" not in panel.sentence
    far = panel.set(sample=5, attributes=8).sentence
    assert "sum to below 10⁻¹², measured 0 to 0.00184; the" in far
    assert "2/255 = 0.00784. α ≥ 1 says nothing of a fraction. Half" in far
    assert "Up to" not in far


def enumerated(n, alpha, attributes):
    """All databases of m rows, by itertools: the exact largest error of each."""
    real, _ = real_database(n, attributes)
    m = math.ceil(math.log(2**attributes - 1) / alpha**2)
    universe = itertools.product((0, 1), repeat=attributes)
    chosen = itertools.combinations_with_replacement(universe, m)
    return m, [largest_error(real, Counter(rows), attributes) for rows in chosen]


@pytest.mark.parametrize(
    ("epsilon", "n", "alpha", "attributes"),
    [(1.0, 100, 0.5, 2), (0.3, 20, 0.35, 2), (5.0, 20_190, 0.8, 3), (2.0, 40, 0.7, 3)],
)
def test_law_by_enumeration(epsilon, n, alpha, attributes):
    at = {"epsilon": epsilon, "n": n, "alpha": alpha, "attributes": attributes}
    panel = explore(demos.law_over_small_databases, **at)
    m, errors = enumerated(n, alpha, attributes)
    weights = [math.exp(-epsilon * n * float(e - min(errors)) / 2) for e in errors]
    share, law = np.zeros(40), np.zeros(40)
    for error, weight in zip(errors, weights, strict=True):
        share[min(math.floor(40 * error), 39)] += 1 / len(errors)
        law[min(math.floor(40 * error), 39)] += weight / sum(weights)
    shown = [patch.get_data().values for patch in panel.figure.axes[0].patches]
    np.testing.assert_allclose(shown[0], np.maximum(share, 1e-12), rtol=1e-9)
    np.testing.assert_allclose(shown[1], np.maximum(law, 1e-12), rtol=1e-9, atol=1e-14)
    assert np.isclose(lines(panel)["best"].get_xdata()[0], float(min(errors)))
    assert f"R has {len(errors):,} databases of m = {m} rows: the best " in panel.sentence
    few = len(errors) // 100
    chance = math.fsum(sorted(weights)[::-1][: max(few, 1)]) / math.fsum(weights)
    told = f"best {few} (1%) have" if few > 1 else "best one has"
    said = "above 0.999" if chance >= 0.9995 else about(chance)
    assert f"the {told} probability {said}." in panel.sentence
    assert f"The best is off by {about(float(min(errors)))}, " in panel.sentence
    bound = alpha + 2 * (math.log(len(errors)) + math.log(20)) / (epsilon * n)
    assert np.isclose(lines(panel)["accuracy lemma"].get_xdata()[0], bound)
    assert f"the accuracy lemma promises {about(bound)}" in panel.sentence
    assert ("says nothing" in panel.sentence) == (bound >= 1)


def test_the_dot_is_what_small_db_draws():
    panel, (real, counts) = explore(demos.law_over_small_databases, n=70), real_database(70, 3)
    queries, elements = marginals(Universe(NAMES[:3])), list(real)
    for epsilon, alpha, seed in itertools.product((0.05, 1.0), (0.4, 0.5), (0, 5)):
        panel.set(epsilon=epsilon, alpha=alpha, seed=seed)
        rng = np.random.default_rng(seed)
        small = small_db(counts, queries, alpha=alpha, epsilon=epsilon, rng=rng)
        drawn = Counter(dict(zip(elements, small.tolist(), strict=True)))
        error = largest_error(real, drawn, 3)
        (x,), (y,) = lines(panel)["this draw"].get_data()
        assert np.isclose(x, float(error))
        assert f"this draw by {about(float(error))}." in panel.sentence
        assert y == panel.figure.axes[0].patches[1].get_data().values[math.floor(40 * error)]


def test_law_sentence_has_the_numbers_of_the_library():
    panel = explore(demos.law_over_small_databases)
    queries = marginals(Universe(NAMES[:3]))
    assert "R has 6,435 databases of m = 8 rows: the best 64 (1%) have" in panel.sentence
    for epsilon, n, alpha in (0.05, 100, 0.5), (1.0, 20, 0.4), (1.0, 300, 0.6):
        panel.set(epsilon=epsilon, n=n, alpha=alpha)
        counts, at = real_database(n, 3)[1], {"alpha": alpha, "epsilon": epsilon}
        enough = small_db_error_exact(counts, queries, beta=0.05, **at)
        assert panel.sentence.endswith(f"exactly it is {about(enough)}.")


def test_law_at_the_ends():
    panel = explore(demos.law_over_small_databases, n=20_190)
    assert "the best 64 (1%) have probability above 0.999." in panel.sentence
    (x,), (y,) = lines(panel)["this draw"].get_data()
    assert np.isclose(x, lines(panel)["best"].get_xdata()[0]) and y > 0.999
    assert panel.figure.axes[0].texts[0].get_ha() == "right"  # α, with the lemma just right of it
    panel.set(alpha=1.0, n=20)
    assert "R has 36 databases of m = 2 rows: the best one has" in panel.sentence
    assert "lemma promises 1.66, which says nothing of a fraction;" in panel.sentence


def test_more_rows_are_like_a_larger_epsilon():
    """Of the database only the proportions and ε·n matter."""
    panel, shown = explore(demos.law_over_small_databases), []
    for epsilon, n in (1.0, 20_190), (2.0, 10_095):
        panel.set(epsilon=epsilon / 100, n=n)
        shown.append(panel.figure.axes[0].patches[1].get_data().values.copy())
    np.testing.assert_allclose(*shown, rtol=0.03)


@pytest.mark.parametrize(
    "where",
    [
        {"alpha": 0.5},
        {"epsilon": 0.05, "seed": 3},
        {"attributes": 2, "n": 50},
        {"alpha": 1.0, "n": 20},
    ],
)
def test_both_databases_and_their_answers(where):
    panel = explore(demos.small_beside_real, **where)
    at = panel.start
    d, (real, counts) = at["attributes"], real_database(at["n"], at["attributes"])
    queries = marginals(Universe(NAMES[:d]))
    chosen = {"alpha": at["alpha"], "epsilon": at["epsilon"]}
    small = small_db(counts, queries, **chosen, rng=np.random.default_rng(at["seed"]))
    drawn = Counter(dict(zip(itertools.product((0, 1), repeat=d), small.tolist(), strict=True)))
    true, given = (np.array([float(a) for a in answers(x, d)]) for x in (real, drawn))
    left, right = panel.figure.axes
    np.testing.assert_allclose(left.lines[0].get_xdata(), counts / at["n"])
    np.testing.assert_allclose(left.lines[1].get_xdata(), small / small.sum())
    np.testing.assert_allclose(lines(panel, 1)["real"].get_xdata(), true)
    np.testing.assert_allclose(lines(panel, 1)["small"].get_xdata(), given)
    np.testing.assert_allclose(segments(panel, 1, 1)[:, :, 0], np.array([true, given]).T)
    worst = int(lines(panel, 1)["largest error"].get_ydata()[0])
    error = float(largest_error(real, drawn, d))
    assert np.isclose(abs(true - given)[worst], error)
    assert f"error is {about(error)}, on “{queries.names[worst]}”" in panel.sentence
    shown = [label.get_text().replace("\n", " ") for label in right.get_yticklabels()]
    assert shown == queries.names
    bits = ["".join(map(str, row)) for row in itertools.product((0, 1), repeat=d)]
    assert [label.get_text() for label in left.get_yticklabels()] == bits
    assert left.get_ylabel() == "bits: " + ", ".join(NAMES[:d])
    log_r = math.log(math.comb(2**d + small.sum() - 1, small.sum()))
    bound = at["alpha"] + 2 * (log_r + math.log(20)) / (at["epsilon"] * at["n"])
    band = np.clip([true - bound, true + bound], 0, 1).T
    np.testing.assert_allclose(segments(panel, 1, 0)[:, :, 0], band)
    assert f"the accuracy lemma promises {about(bound)}" in panel.sentence
    assert ("says nothing" in panel.sentence) == (bound >= 1)


def test_answers_of_the_small_database_are_consistent():
    """More attributes, fewer rows; and P(A and B) >= P(A) + P(B) - 1, whatever the privacy."""
    panel, sets = explore(demos.small_beside_real, epsilon=0.05, n=20, alpha=0.5), subsets(3)
    for seed in range(10):
        found = lines(panel.set(seed=seed), 1)["small"].get_xdata()
        answer = dict(zip(sets, found, strict=True))
        for s, t in itertools.product(sets, repeat=2):
            both = tuple(sorted({*s, *t}))
            assert answer[both] <= min(answer[s], answer[t])
            assert answer[both] >= answer[s] + answer[t] - 1 - 1e-12
        assert f"“visit and chronic” ({about(answer[0, 1])}) is never above" in panel.sentence
        assert panel.sentence.endswith(f"“visit” ({about(answer[0,])}).")
