"""The worst stream written out, and what is remembered of it for rows of any epsilon."""

import math
from dataclasses import replace

import numpy as np
import pytest

from course_lib.exact import worst_stream
from course_lib.exact.family import ROWS, member
from course_lib.exact.transcripts import log_probability
from course_lib.exact.worst_stream import (
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
@pytest.mark.parametrize("k", [3, 4, 8])
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
    for call in (
        lambda: worst_runs(row, 2),
        lambda: failure_curve(row, num_queries=2, alpha=1.0),
        lambda: needed_alpha(row, num_queries=[3, 2], beta=0.1),
    ):
        with pytest.raises(ParameterError, match="num_queries must be at least the cutoff"):
            call()


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


def test_the_curve_agrees_with_30_digits():
    for case in ORACLE["failure"]:
        row = member("above_threshold", cutoff=1, epsilon=case["eps"])
        got = failure_curve(row, num_queries=case["k"], alpha=case["alpha"])
        assert got == pytest.approx(float(case["failure"]), rel=1e-9) and np.ndim(got) == 0


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
