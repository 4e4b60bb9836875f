"""Runs of OnlineIC on the survey, against the textbook in plain Python with the same noise."""

import itertools
import math

import numpy as np
import pytest

from course_lib.lab.histograms import NAMES, scaled, survey_histogram
from course_lib.lab.noise import GivenNoise
from course_lib.lab.online_ic import (
    KINDS,
    LONGEST,
    WORST,
    Run,
    random_queries,
    survey_chase,
    survey_run,
)
from course_lib.online_ic import MultiplicativeWeights, online_ic
from course_lib.support.contracts import ParameterError
from tests.test_exact_online_ic import textbook_chase

ALL = len(NAMES)
ANALYSTS = ["predicates", "marginals", "worst query"]


def most_updates(alpha):
    return math.floor(4 * ALL * math.log(2) / alpha**2)


def textbook_run(analyst, n, num_queries, alpha, epsilon, seed, cutoff=None):
    """OnlineIC with the repaired sparse vector: errors, gaps, which queries were updates, valid.

    The noise is drawn for the threshold, and then three numbers for each query, needed or not.
    """
    truth, rng = scaled(survey_histogram(*NAMES)[1], n=n) / n, np.random.default_rng([seed, 1])
    unit, c = 1 / (epsilon * n), most_updates(alpha) if cutoff is None else cutoff
    bar, noise = 2 * alpha + 3 * unit * rng.laplace(), rng.laplace(size=(num_queries, 3))
    hypothesis, made, found = np.full(len(truth), 1 / len(truth)), 0, []
    if analyst != "worst query":
        asked = random_queries(ALL, analyst, num_queries=num_queries, seed=seed)
    for i, (*of_query, of_number) in enumerate(noise):
        query = (truth > hypothesis).astype(float) if analyst == "worst query" else asked[i]
        gap, sign = float(query @ (truth - hypothesis)), 0
        for way, drawn in zip((1, -1), of_query, strict=True):
            if not sign and made < c and way * gap + 6 * c * unit * drawn >= bar:
                sign = way
        released = 3 * c * unit * of_number
        if sign:
            made += 1
            answer = query @ hypothesis + sign * (sign * gap + released)
            rate = -alpha / 2 if answer < query @ hypothesis else alpha / 2
            hypothesis = hypothesis * np.exp(rate * query)
            hypothesis /= hypothesis.sum()
        error = abs(released if sign else gap)
        found.append((error, abs(gap), sign != 0, abs(gap) >= alpha and error < alpha))
    return map(np.array, zip(*found, strict=True))


def run_of(analyst, n=10**7, num_queries=200, alpha=0.1, epsilon=1.0, seed=0, cutoff=None):
    return survey_run(
        ALL,
        analyst,
        n=n,
        num_queries=num_queries,
        cutoff=cutoff,
        alpha=alpha,
        epsilon=epsilon,
        seed=seed,
    )


RUNS = [
    ("conjunctions", 10**7, 1000, 0.1, 1.0, 0, None),
    ("conjunctions", 20_190, 150, 0.2, 1.0, 0, None),
    ("marginals", 10_000, 900, 0.5, 0.1, 0, None),  # spends all updates
    ("predicates", 10**6, 100, 0.03, 1.0, 5, None),
    ("worst query", 10**7, 200, 0.1, 1.0, 0, None),
    ("worst query", 10_000, 900, 0.5, 0.1, 3, None),  # spends all updates
    ("all marginals", 20_190, 255, 0.05, 1.0, 0, 50),
    ("all marginals", 20_190, 255, 0.05, 1.0, 0, 20),  # spends them
]


@pytest.mark.parametrize(
    ("analyst", "n", "num_queries", "alpha", "epsilon", "seed", "cutoff"), RUNS
)
def test_a_run_is_that_of_the_textbook(analyst, n, num_queries, alpha, epsilon, seed, cutoff):
    run = run_of(analyst, n, num_queries, alpha, epsilon, seed, cutoff)
    errors, gaps, updated, valid = textbook_run(
        analyst, n, num_queries, alpha, epsilon, seed, cutoff
    )
    np.testing.assert_allclose(run.errors, errors, atol=1e-9)
    np.testing.assert_allclose(run.gaps, gaps, atol=1e-9)
    assert run.updated.tolist() == updated.tolist() and 0 < sum(updated)
    assert run.invalid.tolist() == (updated & ~valid).tolist()
    assert run.cutoff == (cutoff or most_updates(alpha)) and len(updated) == num_queries
    if (alpha, cutoff) in ((0.5, None), (0.05, 20)):
        assert sum(updated) == run.cutoff


@pytest.mark.parametrize(
    ("analyst", "n", "num_queries", "alpha", "epsilon", "seed", "cutoff"), RUNS
)
def test_a_run_is_that_of_the_mechanism(analyst, n, num_queries, alpha, epsilon, seed, cutoff):
    """online_ic itself, with multiplicative weights and the same noise."""
    rng, data = np.random.default_rng([seed, 1]), scaled(survey_histogram(*NAMES)[1], n=n)
    learner = MultiplicativeWeights(universe_size=256, alpha=alpha)
    threshold, noise = rng.laplace(), rng.laplace(size=(num_queries, 3))
    c = cutoff or learner.max_updates
    left, guesses, values = {1: iter([threshold])}, [], []  # by scale, in units of the threshold's

    def watched():
        for i, (first, second, released) in enumerate(noise):
            left[2 * c], left[c] = iter([first, second]), iter([released])
            if analyst == WORST:
                query = (data / n > learner.hypothesis).astype(float)
            else:
                query = random_queries(ALL, analyst, num_queries=num_queries, seed=seed)[i]
            guesses.append(query @ learner.hypothesis)
            values.append(query @ data / n)
            yield query

    given = GivenNoise(lambda scale: scale * next(left[round(scale * epsilon * n / 3)]))
    found = online_ic(data, watched(), learner, n=n, cutoff=cutoff, epsilon=epsilon, rng=given)
    answers, updated = np.array(list(found)).T
    run = run_of(analyst, n, num_queries, alpha, epsilon, seed, cutoff)
    assert run.updated.tolist() == (updated == 1).tolist()
    np.testing.assert_allclose(run.errors, abs(answers - values), atol=1e-9)
    np.testing.assert_allclose(run.gaps, abs(np.subtract(guesses, values)), atol=1e-9)
    np.testing.assert_allclose(run.hypothesis, learner.hypothesis, atol=1e-9)


def test_a_single_update_comes_where_the_noise_of_the_threshold_lets_it_come():
    """With c = 1 that noise is half as large as a query's; 30 runs, few of them alike."""
    places = []
    for seed in range(30):
        run = run_of("marginals", 1000, 60, 0.2, 0.05, seed, 1)
        _, _, updated, _ = textbook_run("marginals", 1000, 60, 0.2, 0.05, seed, 1)
        assert run.updated.tolist() == updated.tolist()
        places.append(updated.argmax())
    assert len(set(places)) > 10


def test_on_the_survey_fewer_updates_than_the_theorem_wants_give_better_answers():
    """All 255 marginals, ε = 1, in ten runs: the figures that notebook 06 tells of one of them."""

    def worst(alpha, cutoff):
        runs = (
            run_of("all marginals", 20_190, 255, alpha, 1.0, seed, cutoff) for seed in range(10)
        )
        return [max(run.errors) for run in runs]

    truth = survey_histogram(*NAMES)[1] / 20_190
    rows = random_queries(ALL, "all marginals", num_queries=255, seed=0)
    uniform = np.abs(rows @ (truth - 1 / 256)).max()
    assert round(uniform, 3) == 0.408
    assert min(worst(0.1, None)) > 1 and np.allclose(worst(0.4, None), uniform)
    assert max(worst(0.05, 50)) < 0.16 < min(min(worst(a, None)) for a in (0.05, 0.1, 0.2, 0.3))


def test_an_update_is_invalid_if_the_gap_is_below_alpha_or_the_answer_alpha_off():
    cases = list(itertools.product([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [True, False]))
    errors, gaps, updated = map(np.array, zip(*cases, strict=True))
    invalid = Run(errors, gaps, updated, alpha=0.2, cutoff=9, hypothesis=np.ones(1)).invalid
    valid = [(0.1, 0.2, True), (0.1, 0.3, True)]
    assert [case for case, bad in zip(cases, invalid, strict=True) if not bad and case[2]] == valid
    assert not invalid[~updated].any()


@pytest.mark.parametrize("kind", [*KINDS, WORST])
def test_a_longer_run_begins_with_the_shorter_one(kind):
    short, long = (run_of(kind, num_queries=k) for k in (30, 200))
    for part in ("errors", "gaps", "updated"):
        np.testing.assert_allclose(getattr(short, part), getattr(long, part)[:30], atol=1e-12)


def test_with_a_guarantee_errors_stay_within_3_alpha():
    """Promised except with probability 0.05; in fact far rarer, and none of 20 runs fails."""
    for seed, alpha in itertools.product(range(10), (0.07, 0.2)):
        run = run_of("conjunctions", num_queries=300, alpha=alpha, seed=seed)
        assert max(run.errors) <= 3 * alpha and sum(run.updated) <= 8 / 15 * run.cutoff


def test_noise_alone_makes_three_queries_in_four_an_update():
    """Two comparisons, each above with probability 1/2 when the noise is all there is."""
    for analyst in ANALYSTS:
        run = run_of(analyst, n=10_000, num_queries=500, alpha=0.02, epsilon=0.1)
        updates, invalid = run.updated.sum(), run.invalid.sum()
        assert abs(updates - 375) < 4 * math.sqrt(500 * 3 / 16) and invalid > 0.9 * updates


def test_with_hardly_any_noise_no_update_is_invalid_and_few_are_needed():
    """8/15 of B(α), by Hoeffding's lemma."""
    for seed, alpha, analyst in itertools.product(range(2), (0.05, 0.2), ANALYSTS):
        run = run_of(analyst, n=10**8, num_queries=300, alpha=alpha, epsilon=10.0, seed=seed)
        assert run.invalid.sum() == 0 and run.updated.sum() <= 8 / 15 * 4 * math.log(256) / alpha**2


@pytest.mark.parametrize("analyst", ["marginals", "all queries"])
def test_the_survey_s_chase_is_that_of_its_shares(analyst):
    hypotheses, queries = textbook_chase(analyst, 3, 0.2)
    found = survey_chase(3, analyst, alpha=0.2)
    assert [query.tolist() for query in found.queries] == queries != []
    np.testing.assert_allclose(found.hypotheses, hypotheses, rtol=1e-12)


@pytest.mark.parametrize(("kind", "value_of"), [("marginals", {1}), ("conjunctions", {0, 1})])
def test_kinds_of_queries_are_subcubes_of_one_to_three_fixed_bits(kind, value_of):
    bits = np.arange(2**ALL)[:, None] >> np.arange(ALL)[::-1] & 1
    seen, fixed_bits = set(), []
    for query in np.concatenate(
        [random_queries(ALL, kind, num_queries=LONGEST, seed=seed) for seed in (0, 1)]
    ):
        inside = bits[query == 1]
        fixed = (inside == inside[0]).all(axis=0)
        assert 1 <= fixed.sum() <= 3 and len(inside) == query.sum() == 2 ** (ALL - fixed.sum())
        assert set(inside[0][fixed]) <= value_of
        fixed_bits.append(fixed.sum())
        seen.add(query.tobytes())
    law = [8 / 92, 28 / 92, 56 / 92] if kind == "marginals" else [1 / 3] * 3
    found = np.bincount(fixed_bits, minlength=4)[1:] / 2000
    assert np.abs(found - law).max() < 4 * math.sqrt(1 / 4 / 2000)
    assert len(seen) > (450 if 0 in value_of else 90)  # of 576, or 92


def test_all_marginals_are_those_of_the_universe_over_and_over():
    """That of the attributes in a set has the rows with all of them."""
    found = random_queries(ALL, "all marginals", num_queries=LONGEST, seed=0).astype(int)
    bits = np.arange(2**ALL)
    sets = [[int(x & s == s) for x in bits] for s in range(1, 2**ALL)]
    assert sorted(found[:255].tolist()) == sorted(sets)
    assert found[255:510].tolist() == found[:255].tolist()


def test_predicates_take_each_element_with_equal_chances():
    found = random_queries(ALL, "predicates", num_queries=LONGEST, seed=1)
    assert set(np.unique(found)) == {0, 1} and found.shape == (LONGEST, 2**ALL)
    assert abs(found.mean() - 0.5) < 5 / math.sqrt(4 * found.size)
    few = random_queries(ALL, "predicates", num_queries=7, seed=1)
    assert few.tolist() == found[:7].tolist()


@pytest.mark.parametrize(
    ("attributes", "kind", "num_queries", "message"),
    [
        (
            8,
            "odd",
            5,
            "kind must be 'all marginals' or 'marginals' or .*, got 'odd'",
        ),
        (8, "marginals", 1001, "num_queries must be at most 1000 in size, got 1001"),
        (8, "marginals", 0, "num_queries must be a whole number, 1 or greater, got 0"),
        (9, "marginals", 5, "attributes must be at most 8 in size, got 9"),
    ],
)
def test_there_are_no_other_queries(attributes, kind, num_queries, message):
    with pytest.raises(ParameterError, match=message):
        random_queries(attributes, kind, num_queries=num_queries, seed=0)
