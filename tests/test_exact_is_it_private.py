"""The laws of notebook 04 against quadrature, enumeration, closed forms and searches."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from course_lib.exact import is_it_private
from course_lib.exact.above_threshold import late_above_loss
from course_lib.exact.family import member, privacy_loss
from course_lib.exact.is_it_private import (
    DELTAS,
    SHARES,
    above_only,
    alpha_of_shares,
    attack_probabilities,
    chance_after,
    chance_allowed,
    delta_taken,
    event_probabilities,
    half_noise,
    happened_by,
    in_shares,
    late_loss,
    least_variance_share,
    log_delta_taken_at_least,
    printed_loss,
    refuted_range,
    repair_alphas,
    repaired_chance,
    repaired_loss,
)
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab.audit import exact_audit
from course_lib.support.answers import BELOW


@pytest.mark.parametrize(("cutoff", "delta"), [(1, 0.0), (3, 0.0), (2, 1e-6)])
def test_the_printed_loss_is_the_exact_one(cutoff, delta):
    lengths = np.array([1, 7, 1000])
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=0.4, delta=delta)
    exact = [
        exact_loss(row, [0, 0], [1, 0], [BELOW, -0.5], threshold=0, counts=[m, 1]) for m in lengths
    ]
    found = printed_loss(num_below=lengths, cutoff=cutoff, epsilon=0.4, delta=delta)
    np.testing.assert_allclose(found, exact, rtol=1e-9)
    assert printed_loss(num_below=10, cutoff=1, epsilon=1.0) == 5


@pytest.mark.parametrize(("cutoff", "epsilon"), [(1, 1.0), (10, 0.1), (3, 5.0)])
def test_the_repaired_loss_is_the_largest_that_the_auditor_finds(cutoff, epsilon):
    lengths = [1, 20, 1000]
    row = member("lecture11_repaired", cutoff=cutoff, epsilon=epsilon)
    found = repaired_loss(num_below=lengths, cutoff=cutoff, epsilon=epsilon)
    audited = [exact_audit(row, num_queries=m).loss for m in lengths]
    np.testing.assert_allclose(found, audited, rtol=1e-9)
    assert 0.99 * epsilon < found[-1] <= epsilon * (1 + 1e-9)


def test_half_the_query_noise_loses_up_to_three_halves():
    """Its scales are those of Lyu, Su and Li's row for monotone queries at c = 1."""
    row, same = half_noise(epsilon=0.4), member("lyu_su_li_monotone", cutoff=1, epsilon=0.4)
    assert (row.threshold_scale, row.query_scale) == (same.threshold_scale, same.query_scale)
    assert np.isclose(privacy_loss(row), 0.6)
    losses = late_loss(row, num_below=[1, 6, 1000])
    audits = [exact_audit(row, num_queries=m).loss for m in (1, 6, 1000)]
    np.testing.assert_allclose(losses, audits, rtol=1e-9)
    assert np.isclose(losses[-1], 0.6)
    right = late_loss(member("above_threshold", cutoff=1, epsilon=0.4), num_below=6)
    assert np.isclose(right, late_above_loss(num_queries=7, threshold=0, epsilon=0.4))


@pytest.mark.parametrize(("m", "epsilon"), [(1, 1.0), (4, 3.0), (12, 0.3)])
def test_attack_probabilities_are_integrals_of_the_exact_density(m, epsilon):
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon)
    cuts, probabilities = attack_probabilities(num_below=m, epsilon=epsilon)
    for state, low in enumerate((0.0, 1.0)):

        def density(a, low=low):
            numbers = [BELOW, a]
            return np.exp(log_probability(row, [low, 0.0], numbers, threshold=0.0, counts=[m, 1]))

        upto_0, _ = quad(density, -40 / epsilon, 0, limit=100)
        further, _ = quad(density, 0, 4, points=[1], limit=100)
        last, _ = quad(density, 4, 14, limit=100)
        got = [np.interp(cut, cuts, probabilities[state]) for cut in (0, 4, 14)]
        want = np.cumsum([upto_0, further, last])
        np.testing.assert_allclose(got, want, rtol=3e-3)
    assert cuts[0] < -23 / epsilon and cuts[-1] == 14


def integral_up_to_0(row, m, low):
    """Pr[m times ⊥ to values `low`, then a number of at most 0 to a value 0], by quadrature."""

    def density(a):
        return np.exp(log_probability(row, [low, 0.0], [BELOW, a], threshold=0.0, counts=[m, 1]))

    return quad(density, -60 * row.query_scale, 0, points=[-row.query_scale], epsabs=0)[0]


@pytest.mark.parametrize(("m", "epsilon"), [(1, 1.0), (4, 1.0), (7, 0.4)])
def test_event_probabilities_are_integrals_of_the_exact_density(m, epsilon):
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon)
    integrals = [integral_up_to_0(row, m, low) for low in (0.0, 1.0)]
    found = event_probabilities(num_below=m, epsilon=epsilon)
    np.testing.assert_allclose(found, integrals, rtol=1e-7)


@pytest.mark.parametrize(("m", "epsilon"), [(1, 1.0), (2, 1.5)])
def test_waiting_for_the_event_is_right_as_often_as_the_prior(m, epsilon):
    """Bayes by enumeration of the first 20,000 runs: the law of the first event in either state."""
    runs, law = np.arange(1, 20_001), []
    for probability in event_probabilities(num_below=m, epsilon=epsilon):
        none_before = np.cumprod(np.full(len(runs), 1 - probability)) / (1 - probability)
        law.append(none_before * probability)
    law = np.array(law)
    chance = chance_after(run=runs, num_below=m, epsilon=epsilon)
    came = happened_by(run=runs, num_below=m, epsilon=epsilon)
    np.testing.assert_allclose(chance, law[0] / law.sum(axis=0))
    np.testing.assert_allclose(came, law.cumsum(axis=1), rtol=1e-9)
    np.testing.assert_allclose(law.sum(axis=1), 1, atol=1e-9)
    assert np.isclose(np.average(chance, weights=law.mean(axis=0)), 0.5)


def test_what_a_budget_allows_and_what_the_repaired_algorithm_gives():
    """Odds of e^(rε) to 1; and those of the two states, by Bayes, at any number in the end."""
    np.testing.assert_allclose(
        chance_allowed(run=[1, 3], epsilon=0.7), np.exp([0.7, 2.1]) / (1 + np.exp([0.7, 2.1]))
    )
    row = member("lecture11_repaired", cutoff=1, epsilon=0.7)
    for m in (1, 6):
        here, there = (
            np.exp(log_probability(row, [low, 0.0], [BELOW, -3.0], threshold=0.0, counts=[m, 1]))
            for low in (0.0, 1.0)
        )
        assert np.isclose(repaired_chance(num_below=m, epsilon=0.7), here / (here + there))


@pytest.mark.parametrize("cutoff", [1, 4])
def test_every_split_spends_epsilon(cutoff):
    for shares in ((1 / 3, 1 / 3, 1 / 3), (1 / 4, 1 / 2, 1 / 4), (0.2, 0.7, 0.1)):
        row = in_shares(cutoff=cutoff, shares=shares, epsilon=0.6)
        assert np.isclose(privacy_loss(row), 0.6)
    for monotone in (False, True):
        for share in (0.1, least_variance_share(cutoff=cutoff, monotone=monotone)):
            row = above_only(cutoff=cutoff, threshold_share=share, monotone=monotone, epsilon=0.6)
            assert np.isclose(privacy_loss(row, monotone=monotone), 0.6)


def test_thirds_and_halves_are_rows_of_the_table():
    def scales(row):
        return row.threshold_scale, row.query_scale, row.release_scale or 0.0

    thirds = in_shares(cutoff=4, shares=[1 / 3] * 3, epsilon=0.6)
    repaired = member("lecture11_repaired", cutoff=4, epsilon=0.6)
    np.testing.assert_allclose(scales(thirds), scales(repaired))
    assert (thirds.released, thirds.redrawn, thirds.cutoff) == ("fresh", False, 4)
    for name, monotone in (("lyu_su_li", False), ("lyu_su_li_monotone", True)):
        halves = above_only(cutoff=4, threshold_share=0.5, monotone=monotone, epsilon=0.6)
        np.testing.assert_allclose(scales(halves), scales(member(name, cutoff=4, epsilon=0.6)))
        assert (halves.released, halves.redrawn, halves.cutoff) == (None, False, 4)


def test_the_share_of_lyu_su_and_li_is_the_least_variance():
    for cutoff, moves in ((1, 2), (5, 2), (5, 1)):
        share = least_variance_share(cutoff=cutoff, monotone=moves == 1)
        around = share + np.array([-1e-3, 0, 1e-3])
        variance = 1 / around**2 + (moves * cutoff / (1 - around)) ** 2
        assert variance.argmin() == 1


@pytest.mark.parametrize("cutoff", [1, 7])
def test_repair_alphas_are_those_of_each_row(cutoff):
    silent = [
        above_only(
            cutoff=cutoff,
            threshold_share=least_variance_share(cutoff=cutoff, monotone=monotone),
            monotone=monotone,
            epsilon=1.0,
        )
        for monotone in (False, True)
    ]
    rows = [
        member("lecture11_sparse", cutoff=cutoff, epsilon=1.0),
        member("lecture11_repaired", cutoff=cutoff, epsilon=1.0),
        in_shares(cutoff=cutoff, shares=(1 / 4, 1 / 2, 1 / 4), epsilon=1.0),
        *silent,
    ]
    found = repair_alphas(num_queries=[20, 1000], cutoff=cutoff, beta=0.1)
    wanted = [alpha_exact(row, num_queries=[20, 1000], beta=0.1) for row in rows]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    found[:] = 0  # what is given away is not what is kept
    assert repair_alphas(num_queries=[20, 1000], cutoff=cutoff, beta=0.1).all()


@pytest.fixture
def looks(monkeypatch):
    """Every look at a failure; nothing is left to alpha_exact."""
    found = []

    def counted(row, **point):
        found.append(row)
        return failure(row, **point)

    monkeypatch.setattr(is_it_private, "failure", counted)
    monkeypatch.setattr(is_it_private, "alpha_exact", None)
    return found


PLACES = [(k, *rest) for k in (20, 1000, 10**9) for rest in ((1, 0.3), (5, 0.05), (20, 0.01))]


@pytest.mark.parametrize(
    ("num_queries", "cutoff", "beta"),
    [
        *PLACES,
        (2, 1, 0.7),  # an alpha below 1
        (10**15, 20, 0.9),  # at first every run fails, to the last digit
    ],
)
def test_five_looks_find_the_alphas_of_a_row(looks, num_queries, cutoff, beta):
    is_it_private._repair_alphas.__wrapped__((num_queries,), cutoff, beta)
    assert len(looks) <= 3 * 5


@pytest.mark.parametrize(("num_queries", "cutoff", "beta"), PLACES)
def test_five_looks_find_the_alphas_of_all_shares_or_of_the_best(looks, num_queries, cutoff, beta):
    is_it_private._alpha_of_shares.__wrapped__(num_queries, cutoff, beta)
    assert len(looks) <= 2 * 5


@pytest.mark.parametrize(
    ("num_queries", "cutoff", "beta"), [(10_000, 2, 0.05), (100, 2, 0.001), (100, 100, 0.001)]
)
def test_alphas_over_shares_are_exact_or_within_a_two_thousandth(num_queries, cutoff, beta):
    """Where a spline through 22 exact values is furthest off, at both ends of the sliders, too."""
    alphas, best = alpha_of_shares(num_queries=num_queries, cutoff=cutoff, beta=beta)
    assert alphas.shape == (2, len(SHARES) + 3)
    for monotone in (False, True):
        split = least_variance_share(cutoff=cutoff, monotone=monotone)
        others = (split, 0.5, best[int(monotone)])
        for place, share in zip(
            (0, 9, 27, 41, -3, -2, -1), (*SHARES[[0, 9, 27, 41]], *others), strict=True
        ):
            row = above_only(cutoff=cutoff, threshold_share=share, monotone=monotone, epsilon=1.0)
            needed = alpha_exact(row, num_queries=num_queries, beta=beta)
            exact = place < 0 or (place, monotone) in ((0, True), (41, False))  # ends of the curve
            rtol = 1e-9 if exact else 5e-4
            assert np.isclose(alphas[int(monotone), place], needed, rtol=rtol)
    alphas[:], best[:] = 0, 0
    again = alpha_of_shares(num_queries=num_queries, cutoff=cutoff, beta=beta)
    assert again[0].all() and again[1].all()


@pytest.mark.parametrize(
    ("num_queries", "cutoff", "beta"), [(1000, 5, 0.05), (10**9, 5, 0.05), (100, 1, 0.5)]
)
@pytest.mark.parametrize("monotone", [False, True])
def test_the_best_share_is_where_a_search_finds_it(num_queries, cutoff, beta, monotone):
    def needed(share):
        row = above_only(cutoff=cutoff, threshold_share=share, monotone=monotone, epsilon=1.0)
        return alpha_exact(row, num_queries=num_queries, beta=beta)

    found = minimize_scalar(needed, bounds=(0.01, 0.8), method="bounded", options={"xatol": 1e-5})
    alphas, best = alpha_of_shares(num_queries=num_queries, cutoff=cutoff, beta=beta)
    assert np.isclose(best[int(monotone)], found.x, rtol=0.01)
    assert np.isclose(alphas[int(monotone), -1], found.fun, rtol=1e-5)


def test_shares_reach_from_a_500th_to_nine_tenths():
    assert np.isclose(SHARES[0], 0.002) and np.isclose(SHARES[-1], 0.9) and len(SHARES) == 42
    odds = SHARES / (1 - SHARES)
    np.testing.assert_allclose(odds[1:] / odds[:-1], odds[1] / odds[0])


@pytest.mark.parametrize(
    ("delta", "epsilon", "m"), [(1e-15, 1.0, 33), (1e-6, 3.0, 21), (1e-60, 1.0, 66)]
)
def test_the_delta_taken_is_a_sum_of_integrals_of_the_exact_densities(delta, epsilon, m):
    """To 3e-4: the first two transcripts beyond e^ε, m and m + 1 times ⊥ and then a number."""
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon, delta=delta)

    def excess(a, num_below):
        here, there = (
            log_probability(row, [v, v], [BELOW, a], threshold=0.0, counts=[num_below, 1])
            for v in (0.0, 1.0)
        )
        return max(np.exp(here) - np.exp(epsilon + there), 0) / delta

    b = row.query_scale
    places = [-4 * b, -b, -b / 5, 0, 1, b / 5, b, 9 * b]
    pieces = [
        quad(excess, *ends, args=(num_below,), epsrel=1e-4)[0]
        for num_below in (m, m + 1)
        for ends in zip(places, places[1:], strict=False)
    ]
    before, after = (delta_taken(num_queries=k, epsilon=epsilon, delta=delta) for k in (m, m + 2))
    assert before == 0 and np.isclose(after / delta, sum(pieces), rtol=3e-4, atol=0)


def test_short_streams_take_no_delta_and_long_ones_no_more():
    """j times ⊥ and a number lose at most (j + 1)·ε/√(32 ln(1/δ)): 33.2 of them for 10⁻¹⁵."""
    taken = [delta_taken(num_queries=k, epsilon=1.0, delta=1e-15) for k in (1, 33, 34, 200, 10**9)]
    assert taken[:2] == [0, 0] < taken[2:3] and 0 < taken[2] < taken[3]
    assert np.isclose(taken[3], taken[4], rtol=1e-5)
    assert 9.8e-14 < taken[3] < 9.95e-14


@pytest.mark.parametrize(("delta", "epsilon"), [(1e-15, 1.0), (1e-6, 3.0)])
def test_the_lower_bound_is_the_part_with_low_numbers(delta, epsilon):
    """The last query moves too: N answers, each with the ratio e^(ε/s), by quadrature."""
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon, delta=delta)
    s = np.sqrt(32 * np.log(1 / delta))
    total = 0.0
    for answers in range(int(s) + 1, int(s) + 11):
        probability = integral_up_to_0(row, answers - 1, 0.0)
        total += probability * (1 - np.exp(epsilon - answers * epsilon / s))
    got, none = (
        log_delta_taken_at_least(num_queries=k, epsilon=epsilon, log_inverse=np.log(1 / delta))
        for k in (int(s) + 10, int(s))
    )
    assert np.isclose(got, np.log(total), rtol=1e-7) and none == -np.inf
    assert np.exp(got) < delta_taken(num_queries=200, epsilon=epsilon, delta=delta)


def test_deltas_are_powers_of_ten_each_of_them_from_1e_24_on():
    np.testing.assert_allclose(DELTAS, [10.0**p for p in (*range(-60, -24, 6), *range(-24, -2))])


def test_of_endless_queries_the_closed_form_takes_little_more_than_of_many():
    """The transcripts of N answers have 2^-N of the probability."""
    many, endless = (
        log_delta_taken_at_least(num_queries=k, epsilon=1.0, log_inverse=30.0)
        for k in (200, 10**50)
    )
    assert many <= endless == pytest.approx(many, rel=1e-12)


@pytest.mark.parametrize(("epsilon", "end"), [(0.1, 1.98e-14), (1.0, 1.76e-12), (5.0, 2.83e-10)])
def test_theorem_4_is_refuted_up_to_these_deltas(epsilon, end):
    """From a quadrature with ten times the points: 1.9775, 1.7556 and 2.8333."""
    low, high = refuted_range(num_queries=200, epsilon=epsilon)
    assert low == DELTAS[0] == 1e-60 and np.isclose(high, end, rtol=3e-3, atol=0)
    for power in (60, 300, 10_000):
        taken = log_delta_taken_at_least(
            num_queries=3000, epsilon=epsilon, log_inverse=power * np.log(10)
        )
        assert taken > -power * np.log(10)


@pytest.mark.parametrize(("num_queries", "epsilon"), [(40, 1.0), (50, 5.0)])
def test_the_range_refuted_ends_where_more_is_taken_than_promised(num_queries, epsilon):
    ends = refuted_range(num_queries=num_queries, epsilon=epsilon)
    assert DELTAS[0] < ends[0] < ends[1] < DELTAS[-1]
    near = np.outer(ends, [0.999, 1.001]).ravel()
    taken = [delta_taken(num_queries=num_queries, epsilon=epsilon, delta=d) for d in near]
    assert (taken > near).tolist() == [False, True, True, False]
    assert refuted_range(num_queries=20, epsilon=1.0) is None


def test_the_range_refuted_begins_where_all_answers_together_may_lose_epsilon():
    """65 answers lose 65 ε/√(32 ln(1/δ)) at most; the least of DELTAS but one is refuted."""
    low, _ = refuted_range(num_queries=65, epsilon=1.0)
    assert np.isclose(low, np.exp(-(65**2) / 32), rtol=1e-3, atol=0) and 1e-60 < low < 1e-54


def test_the_largest_delta_is_never_refuted():
    """The larger epsilon, the more is; 100 is the most."""
    ends = [refuted_range(num_queries=10**6, epsilon=epsilon)[1] for epsilon in (1, 10, 100)]
    assert ends == sorted(ends) and ends[-1] < DELTAS[-1] / 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: repaired_loss(num_below=1, cutoff=1001, epsilon=1),
            "cutoff must be .* 1000 in size",
        ),
        (lambda: repaired_loss(num_below=1, cutoff=1, epsilon=2e12), "epsilon must be .* 1e.12"),
        (lambda: repaired_chance(num_below=1, epsilon=2e12), "epsilon must be .* 1e.12 in size"),
        (lambda: attack_probabilities(num_below=[1, 2], epsilon=1), "num_below must be a single"),
        (lambda: in_shares(cutoff=1, shares=[0.5, 0.5], epsilon=1), "shares must be three numbers"),
        (
            lambda: delta_taken(num_queries=9, epsilon=101, delta=0.1),
            "epsilon must be .* 100 in size",
        ),
        (
            lambda: delta_taken(num_queries=9, epsilon=1, delta=0),
            "delta must be .* strictly between",
        ),
        (
            lambda: delta_taken(num_queries=9, epsilon=1, delta=0.101),
            "delta must be .* to 0.1 in size",
        ),
        (
            lambda: alpha_of_shares(num_queries=10**12, cutoff=10**9, beta=0.05),
            "best share above 0.002$",
        ),
        (
            lambda: alpha_of_shares(num_queries=1, cutoff=1, beta=0.9),
            "best share above 0.002$",
        ),
    ],
)
def test_what_is_out_of_reach_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_largest_that_is_in_reach():
    assert np.isclose(repaired_loss(num_below=10**6, cutoff=1000, epsilon=1.0), 1, rtol=1e-3)
    assert repaired_loss(num_below=1, cutoff=1, epsilon=1e12) > 0.1e12
    assert repaired_chance(num_below=1, epsilon=1e12) == 1
    assert 0 < delta_taken(num_queries=9, epsilon=100, delta=0.1) < 1
