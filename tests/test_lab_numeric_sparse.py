"""NumericSparse measured: its failures and numbers against their laws, its noise by hand."""

import numpy as np
import pytest
from scipy.stats import kstest

from course_lib.exact.family import member
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.numeric_sparse import (
    _inverse,
    _unit_noise,
    noise_by_query,
    number_errors,
    numeric_failures,
)
from course_lib.lab.trials import failures
from course_lib.support.answers import BELOW
from course_lib.support.contracts import ParameterError


@pytest.mark.parametrize("cutoff", [1, 3, 40])
def test_the_largest_of_c_errors_has_its_law(cutoff):
    """(1 - e^-x)^c; Kolmogorov-Smirnov at 99.9%. Power: for c - 1 or c + 1 numbers at c = 3, and
    for a scale off by 10%, the laws differ by 0.04 and more, and 20,000 runs see 0.014.
    """
    errors = number_errors(cutoff=cutoff, trials=20_000, seed=5)
    assert errors.shape == (20_000,)
    assert kstest(errors, lambda x: (1 - np.exp(-x)) ** cutoff).pvalue > 0.001


def test_errors_are_remembered_and_cannot_be_changed():
    first = number_errors(cutoff=2, trials=50, seed=1)
    again = first.copy()
    first[:] = 0
    assert number_errors(cutoff=2, trials=50, seed=1).tolist() == again.tolist()
    assert number_errors(cutoff=2, trials=50, seed=2).tolist() != again.tolist()


def test_more_numbers_than_fit_are_refused():
    assert len(number_errors(cutoff=10**6, trials=1, seed=0)) == 1
    with pytest.raises(ValueError, match=r"cutoff must be at most 1e\+06 in size"):
        number_errors(cutoff=10**6 + 1, trials=2, seed=0)
    assert len(number_errors(cutoff=2**11, trials=2**11, seed=0)) == 2**11
    for trials in (2**11 + 1, 10**40):
        with pytest.raises(ParameterError, match="trials must be at most 2,048 for cutoff = 2048"):
            number_errors(cutoff=2**11, trials=trials, seed=0)


@pytest.mark.parametrize(
    ("cutoff", "num_queries", "delta"),
    [(1, 1, 0.0), (1, 30, 0.0), (3, 3, 0.0), (3, 4, 0.0), (3, 8, 0.0), (4, 10**12, 0.0)]
    + [(2, 2, 1e-6), (2, 10**9, 1e-6), (20, 1003, 1e-6)],
)
def test_runs_fail_on_the_worst_stream_with_the_exact_probability(cutoff, num_queries, delta):
    """20,000 runs, three rates at 99.9% each; power: noise that is a tenth wider moves the rate of
    0.3 by 0.03 or more, three times the reach of the interval.
    """
    row = member("numeric_sparse", cutoff=cutoff, epsilon=0.7, delta=delta)
    rates = np.array([0.9, 0.3, 0.02])
    alpha = alpha_exact(row, num_queries=num_queries, beta=rates)
    seen = numeric_failures(row, num_queries=num_queries, alpha=alpha, trials=20_000, seed=8)
    low, high = clopper_pearson(seen, 20_000, confidence=0.999)
    assert ((low <= rates) & (rates <= high)).all()
    assert failure(row, num_queries=num_queries, alpha=0.9 * alpha[1]) > 0.33


def test_runs_fail_as_those_of_the_engine_do():
    """Two intervals of 99.9%, from 40,000 runs each, have a rate in common at every alpha."""
    row = member("numeric_sparse", cutoff=2, epsilon=1.0)
    alpha = np.array([10.0, 40.0, 80.0])
    ours, theirs = (
        clopper_pearson(
            count(row, num_queries=7, alpha=alpha, trials=40_000, seed=3), 40_000, confidence=0.999
        )
        for count in (numeric_failures, failures)
    )
    assert (np.maximum(ours[0], theirs[0]) <= np.minimum(ours[1], theirs[1])).all()


def test_runs_of_equal_noise_differ_by_their_parameters_alone():
    fine, coarse = (member("numeric_sparse", cutoff=3, epsilon=e) for e in (1.0, 0.25))
    alpha = np.array([[30.0], [60.0]])
    table = numeric_failures(fine, num_queries=[5, 100], alpha=alpha, trials=500, seed=2)
    assert (
        table.shape == (2, 2) and (table[0] > table[1]).all() and (table[:, 0] < table[:, 1]).all()
    )
    again = numeric_failures(coarse, num_queries=[5, 100], alpha=4 * alpha, trials=500, seed=2)
    assert again.tolist() == table.tolist()
    one = numeric_failures(fine, num_queries=100, alpha=60.0, trials=500, seed=2)
    assert one == table[1, 1] and np.ndim(one) == 0
    other = numeric_failures(fine, num_queries=[5, 100], alpha=alpha, trials=500, seed=3)
    assert other.tolist() != table.tolist()


@pytest.mark.parametrize(("seed", "number_decides"), [(4, False), (5, True)])
def test_at_its_own_alpha_a_run_succeeds(seed, number_decides):
    """One run, one number, no low value: T̂ - ν₁ or the number's noise decides."""
    row = member("numeric_sparse", cutoff=1, epsilon=9 / 4)  # threshold 1, queries 2, numbers 4
    (bar,), (own,), (number,), _ = (noise[0] for noise in _unit_noise(1, 1, seed))
    assert (4 * number > bar - 2 * own) == number_decides
    enough = max(bar - 2 * own, 4 * number)
    failed = [
        numeric_failures(row, num_queries=1, alpha=alpha, trials=1, seed=seed)
        for alpha in (0.0, enough * (1 - 1e-9), enough * (1 + 1e-9))
    ]
    assert failed == [1, 1, 0]


def test_the_inverse_of_the_distribution_function():
    probabilities = np.array([1e-300, 1e-9, 0.3, 0.5, 0.7, 1 - 1e-9])
    x = _inverse(np.log(probabilities))
    half = probabilities < 0.5
    np.testing.assert_allclose(np.exp(x[half]) / 2, probabilities[half], rtol=1e-12)
    np.testing.assert_allclose(1 - np.exp(-x[~half]) / 2, probabilities[~half], rtol=1e-12)
    assert _inverse(np.array([-np.inf])) == -np.inf and abs(x[3]) < 1e-15


def test_what_is_no_numeric_sparse_and_too_short_a_stream_are_refused():
    for name in ("sparse", "lecture11_repaired", "lecture11_sparse"):
        row = member(name, cutoff=2, epsilon=1.0)
        with pytest.raises(ParameterError, match=f"variant must be NumericSparse, got {name}"):
            numeric_failures(row, num_queries=3, alpha=1.0, trials=5, seed=0)
    row = member("numeric_sparse", cutoff=4, epsilon=1.0)
    with pytest.raises(ParameterError, match="num_queries must be at least the cutoff 4, got"):
        numeric_failures(row, num_queries=[4, 3], alpha=1.0, trials=5, seed=0)
    with pytest.raises(ParameterError, match="trials must be a single number"):
        numeric_failures(row, num_queries=4, alpha=1.0, trials=[5, 6], seed=0)
    with pytest.raises(ParameterError, match="trials must be at most 1,048,576"):
        numeric_failures(row, num_queries=4, alpha=1.0, trials=2**20 + 1, seed=0)


def test_noise_of_each_query_by_hand():
    """T̂, ⊥, ⊤ and its number, T̂ again, ⊥, ⊤ and its number; after the second it halts."""
    noise = [1.0, 2.0, 3.0, 9.9, 4.0, 5.0, 6.0, 9.9]
    met, own = noise_by_query(noise, [BELOW, 7.0, BELOW, 8.0], cutoff=2)
    assert met.tolist() == [1.0, 1.0, 4.0, 4.0] and own.tolist() == [2.0, 3.0, 5.0, 6.0]
    met, own = noise_by_query([*noise, 7.0], [BELOW, 7.0, BELOW, 8.0], cutoff=3)
    assert met.tolist() == [1.0, 1.0, 4.0, 4.0] and own.tolist() == [2.0, 3.0, 5.0, 6.0]


def test_noise_drawn_in_another_way_is_not_told_apart():
    answers = [BELOW, 7.0, BELOW, 8.0]
    for noise in ([], [1.0] * 7, [1.0] * 9):
        found = noise_by_query(noise, answers, cutoff=2)
        assert found.shape == (2, 4) and np.isnan(found).all()
    assert noise_by_query([], [], cutoff=2).shape == (2, 0)
