"""Runs of OnlineIC on the survey, against the textbook in plain Python with the same noise."""

import itertools
import math

import numpy as np
import pytest

from course_lib.lab.histograms import NAMES, scaled, survey_histogram
from course_lib.lab.online_ic import (
    KINDS,
    LONGEST,
    WORST,
    Run,
    random_queries,
    survey_chase,
    survey_run,
    update_counts,
)
from course_lib.support.contracts import ParameterError
from tests.test_exact_online_ic import textbook_chase

ALL = len(NAMES)
ANALYSTS = ["predicates", "marginals", "worst query"]


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


def textbook_run(kind, n, num_queries, alpha, epsilon, seed):
    """Errors, gaps, and which queries were updates and valid ones; noise in order of drawing."""
    ask = [*random_queries(ALL, kind, num_queries=num_queries, seed=seed), None]
    truth, rng = scaled(survey_histogram(*NAMES)[1], n=n) / n, np.random.default_rng([seed, 1])
    unit = 1 / (epsilon * n)
    found = online_ic(truth, lambda i, _: ask[i], alpha, unit, lambda *_: rng.laplace())
    return map(np.array, zip(*found, strict=True))


def textbook_counts(n, num_queries, alpha, epsilon, seed):
    """Updates and invalid updates of each analyst; noise for each query, needed or not."""
    truth = scaled(survey_histogram(*NAMES)[1], n=n) / n
    rng = np.random.default_rng([seed, 1])
    bar, units = rng.laplace(), rng.laplace(size=(num_queries, 3))
    place = {1: 0, -1: 1, "number": 2}
    streams = {
        kind: random_queries(ALL, kind, num_queries=num_queries, seed=seed) for kind in ANALYSTS[:2]
    }

    def noise(what, i):
        return bar if what == "bar" else units[i, place[what]]

    for analyst in ANALYSTS:

        def ask(i, hypothesis, analyst=analyst):
            if i == num_queries:
                return None
            if analyst == "worst query":
                return (truth > hypothesis).astype(float)
            return streams[analyst][i]

        found = list(online_ic(truth, ask, alpha, 1 / (epsilon * n), noise))
        updates = sum(updated for _, _, updated, _ in found)
        yield updates, updates - sum(updated and valid for _, _, updated, valid in found)


def run_of(kind, n=10**7, num_queries=200, alpha=0.1, epsilon=1.0, seed=0):
    return survey_run(
        ALL, kind, n=n, num_queries=num_queries, alpha=alpha, epsilon=epsilon, seed=seed
    )


def counts_of(analyst, n, num_queries, alpha, epsilon, seed):
    return update_counts(
        ALL, analyst, n=n, num_queries=num_queries, alpha=alpha, epsilon=epsilon, seed=seed
    )


@pytest.mark.parametrize(
    ("kind", "n", "num_queries", "alpha", "epsilon", "seed"),
    [
        ("conjunctions", 10**7, 1000, 0.1, 1.0, 0),
        ("conjunctions", 20_190, 150, 0.2, 1.0, 0),
        ("marginals", 10_000, 200, 0.5, 0.1, 0),  # spends all updates
        ("predicates", 10**6, 100, 0.03, 1.0, 5),
    ],
)
def test_a_run_is_that_of_the_textbook(kind, n, num_queries, alpha, epsilon, seed):
    run = run_of(kind, n, num_queries, alpha, epsilon, seed)
    errors, gaps, updated, valid = textbook_run(kind, n, num_queries, alpha, epsilon, seed)
    np.testing.assert_allclose(run.errors, errors, atol=1e-9)
    np.testing.assert_allclose(run.gaps, gaps, atol=1e-9)
    assert run.updated.tolist() == updated.tolist() and 0 < sum(updated)
    assert run.invalid.tolist() == (updated & ~valid).tolist()
    assert run.max_updates == cutoff(alpha) and len(updated) == num_queries


def test_an_update_is_invalid_if_the_gap_is_below_alpha_or_the_answer_alpha_off():
    cases = list(itertools.product([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [True, False]))
    errors, gaps, updated = map(np.array, zip(*cases, strict=True))
    invalid = Run(errors, gaps, updated, alpha=0.2, max_updates=9).invalid
    valid = [(0.1, 0.2, True), (0.1, 0.3, True)]
    assert [case for case, bad in zip(cases, invalid, strict=True) if not bad and case[2]] == valid
    assert not invalid[~updated].any()


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_longer_run_begins_with_the_shorter_one(kind):
    short, long = (run_of(kind, num_queries=k) for k in (30, 200))
    for part in ("errors", "gaps", "updated"):
        assert getattr(short, part).tolist() == getattr(long, part)[:30].tolist()


def test_with_a_guarantee_errors_stay_within_3_alpha():
    """Promised except with probability 0.05; in fact far rarer, and none of 20 runs fails."""
    for seed, alpha in itertools.product(range(10), (0.07, 0.2)):
        run = run_of("conjunctions", num_queries=300, alpha=alpha, seed=seed)
        assert max(run.errors) <= 3 * alpha and sum(run.updated) <= 8 / 15 * run.max_updates


@pytest.mark.parametrize(
    ("n", "num_queries", "alpha", "epsilon", "seed"),
    [
        (10**7, 200, 0.1, 1.0, 0),
        (20_190, 100, 0.3, 1.0, 0),
        (10**8, 60, 0.02, 10.0, 0),
        (10_000, 200, 0.5, 0.1, 3),  # all updates are spent
    ],
)
def test_counts_are_those_of_the_textbook(n, num_queries, alpha, epsilon, seed):
    found = [counts_of(analyst, n, num_queries, alpha, epsilon, seed) for analyst in ANALYSTS]
    assert found == list(textbook_counts(n, num_queries, alpha, epsilon, seed))
    assert WORST == ANALYSTS[-1]
    assert any(updates for updates, _ in found)


def test_noise_alone_makes_three_queries_in_four_an_update():
    """Two comparisons, each above with probability 1/2 when the noise is all there is."""
    for analyst in ANALYSTS:
        updates, invalid = counts_of(
            analyst, n=10_000, num_queries=500, alpha=0.02, epsilon=0.1, seed=0
        )
        assert abs(updates - 375) < 4 * math.sqrt(500 * 3 / 16) and invalid > 0.9 * updates


def test_with_hardly_any_noise_no_update_is_invalid_and_few_are_needed():
    """8/15 of B(α), by Hoeffding's lemma."""
    for seed, alpha, analyst in itertools.product(range(2), (0.05, 0.2), ANALYSTS):
        updates, invalid = counts_of(
            analyst, n=10**8, num_queries=300, alpha=alpha, epsilon=10.0, seed=seed
        )
        assert invalid == 0 and updates <= 8 / 15 * 4 * math.log(256) / alpha**2


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


def test_predicates_take_each_element_with_equal_chances():
    found = random_queries(ALL, "predicates", num_queries=LONGEST, seed=1)
    assert set(np.unique(found)) == {0, 1} and found.shape == (LONGEST, 2**ALL)
    assert abs(found.mean() - 0.5) < 5 / math.sqrt(4 * found.size)
    few = random_queries(ALL, "predicates", num_queries=7, seed=1)
    assert few.tolist() == found[:7].tolist()


@pytest.mark.parametrize(
    ("attributes", "kind", "num_queries", "message"),
    [
        (8, "odd", 5, "kind must be among marginals, conjunctions, predicates, got 'odd'"),
        (8, "marginals", 1001, "num_queries must be at most 1000 in size, got 1001"),
        (8, "marginals", 0, "num_queries must be a whole number, 1 or greater, got 0"),
        (9, "marginals", 5, "attributes must be 1 to 8, got 9"),
    ],
)
def test_there_are_no_other_queries(attributes, kind, num_queries, message):
    with pytest.raises(ParameterError, match=message):
        random_queries(attributes, kind, num_queries=num_queries, seed=0)
