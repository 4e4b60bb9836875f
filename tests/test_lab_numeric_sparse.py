"""NumericSparse measured: its numbers against the law of the largest, its noise by hand."""

import numpy as np
import pytest
from scipy.stats import kstest

from course_lib.lab.numeric_sparse import noise_by_query, number_errors
from course_lib.support.answers import BELOW


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


def test_noise_of_each_query_by_hand():
    """T̂, ⊥, ⊤ and its number, T̂ again, ⊥, ⊤ and its number; after the second it halts."""
    noise = [1.0, 2.0, 3.0, 9.9, 4.0, 5.0, 6.0, 9.9]
    met, own = noise_by_query(noise, [BELOW, 7.0, BELOW, 8.0], cutoff=2)
    assert met.tolist() == [1.0, 1.0, 4.0, 4.0] and own.tolist() == [2.0, 3.0, 5.0, 6.0]
