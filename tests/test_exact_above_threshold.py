"""AboveThreshold exactly: failure, alpha and loss against 30 digits, closed forms and theorems."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace

from course_lib.above_threshold import above_threshold_alpha, above_threshold_beta
from course_lib.exact.above_threshold import (
    above_threshold_alpha_exact,
    above_threshold_failure,
    above_threshold_loss,
    above_threshold_wrong_probability,
    coupled_noise,
    coupling_price,
    first_above_errors,
    late_above_loss,
)
from course_lib.exact.family import member
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError
from tests.family import ORACLE


@given(st.integers(1, 10**12), st.floats(1e-50, 300), st.floats(0.01, 20))
def test_failure_never_exceeds_the_promise(k, alpha, epsilon):
    fails = above_threshold_failure(num_queries=k, alpha=alpha, epsilon=epsilon)
    promised = above_threshold_beta(num_queries=k, alpha=alpha, epsilon=epsilon)
    assert fails <= promised * (1 + 1e-12)


def test_failure_of_a_single_query_in_closed_form():
    """k = 1 fails if Lap(4/ε) - Lap(2/ε) < -α: (b² e^(-α/b) - a² e^(-α/a)) / (2(b² - a²))."""
    alpha = np.linspace(0, 80, 17)
    want = (16 * np.exp(-alpha / 4) - 4 * np.exp(-alpha / 2)) / 24
    got = above_threshold_failure(num_queries=1, alpha=alpha, epsilon=1.0)
    np.testing.assert_allclose(got, want, rtol=1e-10)


def test_reference_figures():
    stated = above_threshold_alpha(num_queries=1000, beta=0.05, epsilon=1)
    assert math.isclose(stated, 84.7730, abs_tol=1e-4)
    fails = above_threshold_failure(num_queries=1000, alpha=stated, epsilon=1)
    assert math.isclose(fails, 4.1667e-7, rel_tol=1e-4)
    for k, loss in ((2, 0.395815334), (10, 0.989259968), (100, 1.0)):
        pair = [0] * (k - 1) + [1], [1] * (k - 1) + [0]
        assert math.isclose(
            above_threshold_loss(*pair, threshold=0, epsilon=1), loss, abs_tol=5e-10
        )


def test_exact_alpha_agrees_with_30_digits_and_scales_with_epsilon():
    for case in ORACLE["alpha_exact"]:
        k, beta = case["k"], case["beta"]
        for epsilon in (1.0, 0.2):
            got = above_threshold_alpha_exact(num_queries=k, beta=beta, epsilon=epsilon)
            assert math.isclose(got, float(case["alpha"]) / epsilon, rel_tol=1e-9)


def test_exact_alpha_is_zero_where_even_zero_fails_rarely_enough():
    """With one query, alpha = 0 fails with probability 1/2."""
    assert above_threshold_alpha_exact(num_queries=1, beta=0.6, epsilon=1) == 0
    assert above_threshold_alpha_exact(num_queries=1, beta=0.4, epsilon=1) > 0


def test_exact_alpha_takes_arrays():
    got = above_threshold_alpha_exact(num_queries=[[1], [10]], beta=[0.05, 0.1, 0.6], epsilon=2.0)
    assert got.shape == (2, 3)
    one = above_threshold_alpha_exact(num_queries=10, beta=0.1, epsilon=2.0)
    assert math.isclose(got[1, 1], one, rel_tol=1e-12)


moves = st.lists(st.tuples(st.floats(-20, 20), st.floats(-1, 1)), min_size=1, max_size=6)


@given(moves, st.sampled_from([0.01, 0.5, 1.0, 4.0, 20.0]))
def test_loss_never_exceeds_epsilon_on_neighbours(stream, epsilon):
    values, move = (np.array(x) for x in zip(*stream, strict=True))
    loss = above_threshold_loss(values, values + move, threshold=0.0, epsilon=epsilon)
    assert abs(loss) <= epsilon * (1 + 1e-9)


def test_negative_alpha_is_refused():
    with pytest.raises(ValueError, match="alpha must be a finite number, 0 or greater, got -1"):
        above_threshold_failure(num_queries=10, alpha=-1, epsilon=1.0)


def test_the_loss_of_a_late_above_is_that_of_its_two_streams():
    lengths = np.array([1, 2, 3, 7, 40])
    found = late_above_loss(num_queries=lengths, threshold=3, epsilon=2.0)
    for k, loss in zip(lengths, found, strict=True):
        streams = [0] * (k - 1) + [1], [1] * (k - 1) + [0]
        exact = above_threshold_loss(*streams, threshold=3, epsilon=2.0)
        assert loss == pytest.approx(exact, rel=1e-9)
    assert late_above_loss(num_queries=1, threshold=3, epsilon=2.0) == found[0]


def test_the_loss_of_a_late_above_agrees_with_30_digits_up_to_a_trillion():
    for case in ORACLE["loss"]:
        loss = late_above_loss(num_queries=case["k"], threshold=0, epsilon=case["eps"])
        assert loss == pytest.approx(float(case["value"]), rel=1e-9)


def test_largest_error_of_each_outcome_by_hand():
    """Values 3, 9, 5 and T = 6: a first ⊤ at 3 is off by 3; after ⊥ on 9, by 3 whatever follows."""
    assert first_above_errors([3.0, 9.0, 5.0], threshold=6.0).tolist() == [3.0, 0.0, 3.0, 3.0]
    two = first_above_errors([[3.0, 9.0], [9.0, 3.0]], threshold=6.0)
    assert two.tolist() == [[3.0, 0.0, 3.0], [0.0, 3.0, 3.0]]


def test_wrong_answers_are_those_of_a_walk_through_the_outcomes():
    values, threshold, epsilon = [3.0, 9.0, 5.0, 14.0], 6.0, 0.7
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    alphas = [0.0, 1.0, 2.9, 3.0, 3.1, 8.0]
    found = above_threshold_wrong_probability(
        values, threshold=threshold, alpha=alphas, epsilon=epsilon
    )
    assert found[-1] == 0  # no answer can be off by more than 8
    for alpha, probability in zip(alphas, found, strict=True):
        wrong = 0.0
        for first in range(5):
            below, above = values[:first], values[first : first + 1]
            off = any(v > threshold + alpha for v in below)
            if off or any(v < threshold - alpha for v in above):
                answers = [BELOW] * first + [ABOVE] * len(above)
                stream = values[: len(answers)]
                wrong += math.exp(log_probability(row, stream, answers, threshold=threshold))
        assert probability == pytest.approx(wrong, rel=1e-9)


def test_wrong_answers_have_full_precision_where_they_are_rare():
    """One value at T + 100: wrong is ⊥, whose probability is (4e^(-g/4) - e^(-g/2)) / 6, ε = 1."""
    found = above_threshold_wrong_probability([100.0], threshold=0.0, alpha=3.0, epsilon=1.0)
    assert found == pytest.approx((4 * math.exp(-25) - math.exp(-50)) / 6, rel=1e-9)
    assert np.ndim(found) == 0


def late(values, noise, threshold):
    """Whether each run says ⊥, …, ⊥, ⊤, from the first noisy value that reaches the threshold."""
    reaches = values + noise[:, 1:] >= threshold + noise[:, :1]
    return (reaches.argmax(axis=1) == len(values) - 1) & reaches[:, -1]


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("num_queries", [1, 2, 5, 40])
def test_the_moved_noise_gives_a_neighbour_the_same_answers_at_a_density_within_e_to_the_epsilon(
    num_queries, epsilon
):
    """On 100,000 noises: the events are the same, and SciPy's densities differ by at most e^ε."""
    rng = np.random.default_rng(num_queries)
    scales = np.array([2 / epsilon] + [4 / epsilon] * num_queries)
    noise = rng.laplace(scale=scales, size=(100_000, num_queries + 1))
    values = rng.integers(-2, 3, num_queries) / epsilon
    values[-1] += 6 / epsilon
    there = values + rng.uniform(-1, 1, num_queries)
    moved = coupled_noise(values, there, noise)
    happens = late(values, noise, 3 / epsilon)
    assert 100 < happens.sum() < 99_900
    assert (happens == late(there, moved, 3 / epsilon)).all()
    assert np.array_equal(moved[:, 1:-1], noise[:, 1:-1])  # only T̂ and the last ν move
    densities = [laplace.logpdf(each, scale=scales).sum(axis=1) for each in (noise, moved)]
    assert (densities[0] - densities[1] <= epsilon * (1 + 1e-9)).all()
    price = coupling_price(noise, moved, epsilon=epsilon)
    np.testing.assert_allclose(price.sum(axis=1), densities[0] - densities[1], atol=1e-9)
    assert (np.abs(price) <= epsilon / 2 * (1 + 1e-9)).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_waiting_alone_loses_less_than_half_of_epsilon_and_comes_close_to_it(epsilon):
    """All answers ⊥, whatever their number: the half of the budget that pays for the threshold."""
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    for counts in (1, 30, 10**6):
        for pair in (([0.0], [1.0]), ([1.0], [0.0])):
            loss = exact_loss(row, *pair, [BELOW], threshold=0.0, counts=[counts])
            assert abs(loss) <= epsilon / 2 * (1 + 1e-12)
    assert abs(loss) > 0.499 * epsilon


def test_the_pair_of_the_proof_uses_up_both_shifts():
    values, there = [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]
    noise = np.array([0.5, -3.0, 2.0, 7.0])
    assert coupled_noise(values, there, noise).tolist() == [1.5, -3.0, 2.0, 9.0]
    assert coupling_price(noise, [1.5, -3.0, 2.0, 9.0], epsilon=1.0).tolist() == [0.5, 0.5]
    assert coupled_noise([1.0], [0.0], [0.5, 7.0]).tolist() == [
        0.5,
        8.0,
    ]  # no value before the last


def test_noise_has_a_number_for_the_threshold_and_each_query():
    for values, there, noise in (([0, 1], [1, 0], [1, 2]), ([0, 1], [1], [1, 2, 3]), ([0], [1], 2)):
        with pytest.raises(ParameterError, match="noise must have"):
            coupled_noise(values, there, noise)
