"""The worst stream of the family: its runs, its failure, and what is remembered of both.

The failure is held against 30 digits, enumeration and closed forms.
"""

import functools
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace

from course_lib.exact import worst_stream
from course_lib.exact.family import ROWS, Variant, member
from course_lib.exact.transcripts import log_probability
from course_lib.exact.worst_stream import (
    alpha_exact,
    failure,
    failure_curve,
    in_units,
    needed_alpha,
    unit_row,
    worst_runs,
)
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError
from tests.family import ORACLE


def test_worst_stream_by_hand():
    """Seven queries, three of them high: the four low ones as two, one and one."""
    row = member("numeric_sparse", cutoff=3, epsilon=1.0)
    signs, counts = worst_runs(row, 7)
    assert signs.tolist() == [-1, 1, -1, 1, -1, 1] and counts.tolist() == [2, 1, 1, 1, 1, 1]
    signs, counts = worst_runs(row, 4)
    assert signs.tolist() == [-1, 1, 1, 1] and counts.tolist() == [1, 1, 1, 1]
    signs, counts = worst_runs(member("lecture11_sparse", cutoff=3, epsilon=1.0), 7)
    assert signs.tolist() == [-1, 1] and counts.tolist() == [4, 3]
    signs, counts = worst_runs(member("lecture11_sparse", cutoff=3, epsilon=1.0), 3)
    assert signs.tolist() == [1] and counts.tolist() == [3]
    signs, counts = worst_runs(member("sparse", cutoff=4, epsilon=1.0), 5)  # half, rounded up
    assert signs.tolist() == [-1, 1, -1, 1, 1] and counts.tolist() == [1] * 5


@pytest.mark.parametrize("name", ["above_threshold", "sparse", "lyu_su_li", "lee_clifton"])
@pytest.mark.parametrize("k", [3, 4, 8, 20])
def test_on_the_worst_stream_the_right_transcript_has_the_rest_of_the_probability(name, k):
    """For rows without numbers: one ⊥ for each low value and one ⊤ for each high one."""
    row = member(name, cutoff=1 if name == "above_threshold" else 3, epsilon=1.0)
    signs, counts = worst_runs(row, k)
    stream = np.repeat(signs, counts)
    assert len(stream) == k
    right = [ABOVE if sign > 0 else BELOW for sign in stream]
    success = math.exp(log_probability(row, 5 * stream, right, threshold=0.0))
    assert failure(row, num_queries=k, alpha=5.0) == pytest.approx(1 - success, rel=1e-9)


def test_a_stream_shorter_than_the_cutoff_is_refused():
    row = member("numeric_sparse", cutoff=3, epsilon=1.0)
    for call, words in (
        (lambda: worst_runs(row, 2), "the cutoff 3, got 2$"),
        (lambda: failure(row, num_queries=2, alpha=1.0), "the cutoff 3, got 2$"),
        (lambda: failure_curve(row, num_queries=2, alpha=1.0), "the cutoff"),
        (lambda: needed_alpha(row, num_queries=[3, 2], beta=0.1), "the cutoff"),
    ):
        with pytest.raises(ParameterError, match=f"num_queries must be at least {words}"):
            call()


def test_failure_and_curve_agree_with_30_digits_from_certain_to_1e_minus_15_and_below():
    got, want = [], []
    for case in ORACLE["failure"]:
        row = member("above_threshold", cutoff=1, epsilon=case["eps"])
        curve = failure_curve(row, num_queries=case["k"], alpha=case["alpha"])
        assert np.ndim(curve) == 0
        got.append([failure(row, num_queries=case["k"], alpha=case["alpha"]), curve])
        want.append(float(case["failure"]))
    assert min(want) < 1e-15 < 0.99 < max(want)
    np.testing.assert_allclose(np.transpose(got), [want, want], rtol=1e-9)


def test_worst_stream_with_two_answers_above_has_equal_runs():
    """Reference figure: Sparse with c = 2 at ε = 1, 18 low values, alpha = 40."""
    twice = member("sparse", cutoff=2, epsilon=1.0)
    assert math.isclose(failure(twice, num_queries=20, alpha=40.0), 0.08382, abs_tol=5e-6)
    apart = log_probability(
        twice, [40, -40, 40], [ABOVE, BELOW, ABOVE], threshold=0, counts=[1, 18, 1]
    )
    assert math.isclose(-math.expm1(apart), 0.08220, abs_tol=5e-6)


ALPHA = 5.0

LEVELS = {"low": -ALPHA, "nearly low": -ALPHA, "at T": 0.0, "nearly high": ALPHA, "high": ALPHA}


@functools.cache
def gauss(threshold_scale, query_scale):
    """Nodes and weights for an expectation over the threshold noise, and F there at each level."""
    x, w = np.polynomial.legendre.leggauss(40)
    edges = np.union1d(np.linspace(-60, 60, 61) * threshold_scale, [-ALPHA, ALPHA])
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    z = (middle + half * x).ravel()
    weights = (half * w).ravel() * laplace(scale=threshold_scale).pdf(z)
    return weights, {gap: laplace(scale=query_scale).cdf(z - gap) for gap in LEVELS.values()}


def success(row, stream):
    """Pr[accurate] by following every right answer to a stream of LEVELS, query by query.

    At the limit a low value is just below T - alpha, where ⊤ is wrong, a high one just above
    T + alpha, where ⊥ is wrong; at those in between either is right.
    """
    weights, cdf = gauss(row.threshold_scale, row.query_scale)
    within = 1 - math.exp(-ALPHA / row.release_scale) if row.released else 1.0

    def onwards(place, count, state):
        if place == len(stream):
            return state.sum()
        if count == row.cutoff:
            return 0.0  # halted before the end
        level, below = stream[place], cdf[LEVELS[stream[place]]]
        total = 0.0
        if level != "high":
            total += onwards(place + 1, count, state * below)
        if level != "low":
            above = within * (state * (1 - below))
            renewed = above.sum() * weights if row.redrawn else above
            total += onwards(place + 1, count + 1, renewed)
        return total

    return onwards(0, 0, weights)


def admissible(stream, cutoff):
    reach = [place for place, level in enumerate(stream) if level != "low"]
    return len(reach) < cutoff or (len(reach) == cutoff and reach[-1] == len(stream) - 1)


@pytest.mark.parametrize(
    ("name", "epsilon", "delta"),
    [
        ("above_threshold", 1.0, 0.0),
        ("sparse", 1.0, 0.0),
        ("sparse", 5.0, 0.0),
        ("sparse", 1.0, 1e-3),
        ("numeric_sparse", 1.0, 0.0),
        ("numeric_sparse", 5.0, 0.0),
        ("numeric_sparse", 1.0, 1e-3),
        ("lyu_su_li", 1.0, 0.0),
    ],
)
def test_no_stream_fails_more_often_than_the_worst(name, epsilon, delta):
    """All admissible streams of five levels up to k = 4, of the two extreme ones up to k = 8."""
    for k in range(1, 9):
        levels = LEVELS if k <= 4 else ("low", "high")
        for cutoff in range(1, 2 if name == "above_threshold" else k + 1):
            row = member(name, cutoff=cutoff, epsilon=epsilon, delta=delta)
            streams = itertools.product(levels, repeat=k)
            least = min(success(row, s) for s in streams if admissible(s, cutoff))
            want = failure(row, num_queries=k, alpha=ALPHA)
            assert math.isclose(1 - least, want, rel_tol=1e-9), (k, cutoff)


def test_with_more_than_half_of_the_values_high_sparse_fails_less_often():
    """Reference figure: c = k = 2, alpha = 5, ε = 1: two high values, or a low one and a high."""
    row = member("sparse", cutoff=2, epsilon=1.0)
    fails = [1 - success(row, stream) for stream in (("high", "high"), ("low", "high"))]
    np.testing.assert_allclose(fails, [0.5226, 0.5500], atol=5e-5)
    assert math.isclose(failure(row, num_queries=2, alpha=ALPHA), fails[1], rel_tol=1e-9)


def test_uneven_runs_differ_by_one():
    """Seven low values before three answers above: runs of 2, 2 and 3."""
    thrice = Variant("thrice", 2.0, 4.0, True, None, 3)
    single = member("above_threshold", cutoff=1, epsilon=1.0)
    fails = failure(single, num_queries=[3, 3, 4], alpha=12.0)
    want = 1 - np.prod(1 - fails)
    assert math.isclose(failure(thrice, num_queries=10, alpha=12.0), want, rel_tol=1e-9)


def test_even_and_uneven_runs_may_stand_in_one_curve():
    """At alpha = 0 and 10^12 queries success has probability 0 in doubles; 0 such runs are fine."""
    row, ks = member("sparse", cutoff=2, epsilon=1.0), [10**12, 10**12 + 1, 6, 7]
    for alpha in (0.0, 9.0):
        curve = failure(row, num_queries=ks, alpha=alpha)
        assert curve.tolist() == [failure(row, num_queries=k, alpha=alpha) for k in ks]


def test_failure_with_the_error_of_numbers_agrees_with_30_digits():
    got, want = [], []
    for case in ORACLE["numbers"]:
        row = Variant(
            "same", case["threshold_scale"], case["query_scale"], False, "same", case["high"]
        )
        k = case["low"] + case["high"]
        got.append(failure(row, num_queries=k, alpha=case["alpha"]))
        want.append(float(case["failure"]))
    assert min(want) < 1e-24 < 0.99 < max(want)
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_fresh_numbers_fail_on_their_own():
    """The c numbers are independent of all else: success multiplies."""
    for redrawn in (True, False):
        silent = Variant("silent", 2.0, 4.0, redrawn, None, 3)
        loud = Variant("loud", 2.0, 4.0, redrawn, "fresh", 3, release_scale=5.0)
        alpha = np.array([0.5, 12.0, 90.0])
        without = failure(silent, num_queries=20, alpha=alpha)
        want = 1 - (1 - without) * (1 - np.exp(-alpha / 5.0)) ** 3
        np.testing.assert_allclose(failure(loud, num_queries=20, alpha=alpha), want, rtol=1e-7)
    tiny = failure(loud, num_queries=20, alpha=300.0)
    assert math.isclose(tiny, 3 * math.exp(-60), rel_tol=1e-3)


def test_a_number_cannot_be_within_0():
    for released in ("same", "fresh"):
        row = Variant("row", 2.0, 4.0, False, released, 2, release_scale=1.0)
        assert failure(row, num_queries=5, alpha=0.0) == 1.0


@given(
    st.sampled_from(["sparse", "numeric_sparse", "lecture11_sparse", "lyu_su_li"]),
    st.integers(1, 6),
    st.integers(0, 10**9),
    st.floats(1e-9, 0.9),
)
def test_alpha_exact_inverts_failure(name, cutoff, more, beta):
    row, k = member(name, cutoff=cutoff, epsilon=0.3), cutoff + more
    alpha = alpha_exact(row, num_queries=k, beta=beta)
    if alpha > 0:
        assert math.isclose(failure(row, num_queries=k, alpha=alpha), beta, rel_tol=1e-7)
    else:
        assert failure(row, num_queries=k, alpha=0.0) <= beta


def test_numbers_that_are_not_released_need_no_alpha():
    """For δ > 0 the noise of the numbers is so wide that it would decide."""
    numeric = member("numeric_sparse", cutoff=4, epsilon=1.0, delta=1e-6)
    alone = alpha_exact(replace(numeric, released=None), num_queries=50, beta=0.1)
    without = replace(numeric, released=None, release_scale=None)
    assert math.isclose(alone, alpha_exact(without, num_queries=50, beta=0.1), rel_tol=1e-10)
    assert 0 < alone < alpha_exact(numeric, num_queries=50, beta=0.1) / 2


def test_alpha_exact_takes_arrays_of_epsilon_queries_and_beta():
    epsilons = np.array([0.5, 2.0])
    row = member("numeric_sparse", cutoff=2, epsilon=epsilons)
    got = alpha_exact(row, num_queries=[[10], [1000]], beta=[[[0.1]], [[0.01]]])
    assert got.shape == (2, 2, 2)
    one = member("numeric_sparse", cutoff=2, epsilon=2.0)
    assert math.isclose(got[1, 0, 1], alpha_exact(one, num_queries=10, beta=0.01), rel_tol=1e-10)
    cutoffs = np.array([1, 2, 5])
    got = alpha_exact(member("sparse", cutoff=cutoffs, epsilon=1.0), num_queries=9, beta=0.1)
    each = (member("sparse", cutoff=c, epsilon=1.0) for c in (1, 2, 5))
    want = [alpha_exact(row, num_queries=9, beta=0.1) for row in each]
    np.testing.assert_allclose(got, want, rtol=1e-10)


def test_without_a_cutoff_there_is_no_worst_stream():
    with pytest.raises(ValueError, match="endless has no cutoff"):
        failure(Variant("endless", 2.0, 4.0, False, None, None), num_queries=3, alpha=1.0)
    with pytest.raises(ValueError, match="chen has no cutoff"):
        alpha_exact(member("chen", cutoff=1, epsilon=1.0), num_queries=3, beta=0.1)


def test_failure_without_query_noise_in_closed_form():
    """It fails if the threshold noise leaves (-alpha, alpha]."""
    silent = Variant("silent", 2.0, 0.0, False, None, 1)
    alpha = np.array([0.5, 5.0, 60.0])
    np.testing.assert_allclose(
        failure(silent, num_queries=9, alpha=alpha), np.exp(-alpha / 2), rtol=1e-9
    )


def test_curves_are_their_points():
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    alphas, ks = np.linspace(0, 100, 45), np.array([[1], [10], [10**12]])
    curve = failure(row, num_queries=ks, alpha=alphas)
    points = [[failure(row, num_queries=k, alpha=a) for a in alphas] for k in ks[:, 0]]
    assert curve.shape == (3, 45)
    np.testing.assert_allclose(curve, points, rtol=1e-10)


def test_epsilon_may_be_an_array():
    epsilons = np.array([0.1, 1.0, 5.0])
    together = failure(
        member("above_threshold", cutoff=1, epsilon=epsilons), num_queries=10, alpha=7.0
    )
    apart = [
        failure(member("above_threshold", cutoff=1, epsilon=e), num_queries=10, alpha=7.0)
        for e in epsilons
    ]
    np.testing.assert_allclose(together, apart, rtol=1e-10)


@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("stoddard", "chen")])
def test_rows_that_differ_by_epsilon_alone_have_one_unit_row(name):
    cutoff = 1 if name == "above_threshold" else 7
    rows = [member(name, cutoff=cutoff, epsilon=epsilon) for epsilon in (0.07, 0.3, 1.0, 4.9)]
    (unit,) = {unit_row(row) for row in rows}
    assert unit.threshold_scale == 1 and unit.cutoff == cutoff and unit.name == name
    for row in rows:
        ratio = row.query_scale / row.threshold_scale
        assert unit.query_scale == pytest.approx(ratio, rel=1e-11)
        if row.release_scale is None:
            assert unit.release_scale is None
        else:
            ratio = row.release_scale / row.threshold_scale
            assert unit.release_scale == pytest.approx(ratio, rel=1e-11)


def test_12_digits_are_kept_and_0_stays_0():
    row = replace(member("sparse", cutoff=2, epsilon=1.0), threshold_scale=3.0)
    alpha = np.array([0.0, 3e-40, 1.0, 7e30])
    np.testing.assert_allclose(in_units(row, alpha), alpha / 3, rtol=2e-12, atol=0)
    third = float(in_units(row, 1.0))
    assert third == in_units(row, 1.0 + 2e-16) != in_units(row, 1.0 + 1e-11)


def test_a_row_of_arrays_has_no_unit():
    row = member("sparse", cutoff=2, epsilon=np.array([1.0, 2.0]))
    with pytest.raises(ParameterError, match="variant must have single numbers for scales"):
        unit_row(row)


@pytest.mark.parametrize("name", ["numeric_sparse", "lecture11_sparse", "lecture11_repaired"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_curve_and_needed_alpha_are_those_of_the_row_itself(name, delta):
    row = member(name, cutoff=3, epsilon=0.3, delta=delta)
    k = np.array([3, 40, 10**6])
    alpha = np.array([[2.0], [100.0], [900.0]])
    curve = failure_curve(row, num_queries=k, alpha=alpha)
    assert curve.shape == (3, 3)
    np.testing.assert_allclose(curve, failure(row, num_queries=k, alpha=alpha), rtol=1e-9)
    needed = needed_alpha(row, num_queries=k, beta=[0.05, 0.01, 1e-6])
    rates = failure(row, num_queries=k, alpha=needed)
    np.testing.assert_allclose(rates, [0.05, 0.01, 1e-6], rtol=1e-8)
    assert np.ndim(needed_alpha(row, num_queries=5, beta=0.1)) == 0


def test_another_epsilon_takes_no_time_and_what_is_remembered_is_little():
    alpha = np.geomspace(1, 1000, 7)
    for kept, ask in (
        (
            worst_stream._kept_failure,
            lambda e: failure_curve(
                member("numeric_sparse", cutoff=3, epsilon=e, delta=1e-6),
                num_queries=50,
                alpha=alpha / e,
            ),
        ),
        (
            worst_stream._kept_alpha,
            lambda e: needed_alpha(
                member("numeric_sparse", cutoff=3, epsilon=e, delta=1e-6), num_queries=50, beta=0.1
            ),
        ),
    ):
        kept.cache_clear()
        for epsilon in (1.0, 0.1, 0.3, 3.0):
            ask(epsilon)
        assert kept.cache_info().misses == 1 and kept.cache_info().hits == 3
        assert kept.cache_info().maxsize <= 100


def test_what_is_remembered_cannot_be_changed_from_outside():
    row = member("sparse", cutoff=2, epsilon=1.0)
    first = failure_curve(row, num_queries=9, alpha=[1.0, 2.0])
    again = first.copy()
    first[:] = 0
    assert failure_curve(row, num_queries=9, alpha=[1.0, 2.0]).tolist() == again.tolist()
