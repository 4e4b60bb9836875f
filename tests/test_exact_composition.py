"""The exact total of many runs, to nine digits, whatever the sizes."""

import numpy as np
import pytest

from course_lib.exact.composition import exact_composition_delta, exact_composition_epsilon


@pytest.mark.parametrize("epsilon", [1e-4, 0.01, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-60, 1e-12, 1e-3, 0.1, 0.7])
def test_a_little_more_than_the_exact_total_takes_less_than_delta_and_a_little_less_more(
    epsilon, delta
):
    runs = np.array([1, 2, 7, 100, 10**4, 10**7])
    total = exact_composition_epsilon(runs=runs, epsilon=epsilon, delta=delta)
    more, less = (
        exact_composition_delta(runs=runs, epsilon=epsilon, total=total * (1 + step))
        for step in (1e-9, -1e-9)
    )
    assert (more <= delta).all() and ((less > delta) | (total == 0)).all()
    assert (total > 0).any() or delta == 0.7


def test_a_single_run_by_hand():
    """One flip with probability 1/(1 + e^ε): δ = (e^ε − e^total)/(1 + e^ε)."""
    for epsilon, delta in (0.5, 0.01), (3.0, 0.4), (40.0, 1e-9), (1e5, 0.5):
        total = exact_composition_epsilon(runs=1, epsilon=epsilon, delta=delta)
        assert total == pytest.approx(epsilon + np.log(1 - delta * (1 + np.exp(-epsilon))))
    assert exact_composition_epsilon(runs=1, epsilon=0.5, delta=0.3) == 0
