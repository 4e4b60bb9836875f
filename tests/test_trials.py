"""The trial engine against the slide's code (same noise) and the exact law (own noise)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest
from scipy.stats import laplace as laplace_law

from course_lib.above_threshold import above_threshold, above_threshold_failure
from course_lib.exact import first_above_law
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.trials import above_threshold_trials, first_above, laplace
from course_lib.variants import ABOVE, variant
from tests.test_above_threshold import GivenNoise, asking

eighths = st.integers(-40, 40).map(lambda i: i / 8)  # so that values and noise often meet exactly


@given(
    st.lists(eighths, min_size=1, max_size=6),
    eighths,
    st.lists(st.lists(eighths, min_size=7, max_size=7), min_size=1, max_size=4),
)
def test_slide_code_and_engine_give_identical_transcripts_from_identical_noise(
    values, threshold, noise
):
    noise = np.array(noise)[:, : len(values) + 1]
    noisy_thresholds = threshold + 2 * noise[:, 0]
    engine = first_above(np.array(values), noisy_thresholds, 4 * noise[:, 1:])
    for row, found in zip(noise, engine, strict=True):
        answers = list(
            above_threshold(
                None, asking(values), threshold=threshold, epsilon=1.0, rng=GivenNoise(row)
            )
        )
        assert found == (len(answers) - 1 if answers[-1] is ABOVE else len(values))


def test_noise_is_laplace():
    """Kolmogorov–Smirnov at level 1e-6; 100,000 draws see a scale off by 3% nearly always."""
    noise = laplace(np.random.default_rng(5), 3.0, np.empty((100, 1000)))
    assert noise.shape == (100, 1000)
    assert kstest(noise.ravel(), laplace_law(scale=3.0).cdf).pvalue > 1e-6
    assert abs(np.corrcoef(noise[:, ::2].ravel(), noise[:, 1::2].ravel())[0, 1]) < 0.03


@pytest.mark.parametrize("in_runs", [False, True])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_first_above_has_the_exact_law(in_runs, epsilon):
    """Chi-square at level 1e-6, 200,000 trials: a scale off by 10% is refused with 0.99 or more."""
    values, counts = [-4.0, -1.0, 3.0, -2.0], [1, 3, 1, 2]
    stream = np.repeat(values, counts)
    law = first_above_law(
        variant("above_threshold", cutoff=1, epsilon=epsilon), stream, threshold=0.5
    )
    first = above_threshold_trials(
        values if in_runs else stream,
        counts=counts if in_runs else None,
        threshold=0.5,
        trials=200_000,
        epsilon=epsilon,
        rng=np.random.default_rng(3),
    )
    seen = np.bincount(first, minlength=len(stream) + 1)
    assert chisquare(seen, law * 200_000).pvalue > 1e-6


@pytest.mark.parametrize("k", [2, 1000, 10**12])
def test_failures_in_runs_agree_with_the_exact_probability(k):
    """50,000 trials at a failure probability near 0.3, interval of confidence 1 - 1e-6."""
    alpha = 4 * math.log(k) + 3
    first = above_threshold_trials(
        [-alpha, alpha],
        counts=[k - 1, 1],
        threshold=0.0,
        trials=50_000,
        epsilon=1.0,
        rng=np.random.default_rng(k),
    )
    low, high = clopper_pearson(np.count_nonzero(first != k - 1), 50_000, confidence=1 - 1e-6)
    assert low < above_threshold_failure(num_queries=k, alpha=alpha, epsilon=1.0) < high


def test_streams_longer_than_a_block_are_searched_to_the_end():
    values = np.full(5000, -1e6)
    values[[3000, 4000]] = 1e6
    first = above_threshold_trials(
        values, threshold=0.0, trials=3, epsilon=1.0, rng=np.random.default_rng(0)
    )
    assert first.tolist() == [3000] * 3


def test_nothing_above_gives_the_length():
    for counts, length in ((None, 2), ([10**12, 5], 10**12 + 5), ([2**61, 2**61], 2**62)):
        first = above_threshold_trials(
            [-1e9, -1e9],
            counts=counts,
            threshold=0.0,
            trials=4,
            epsilon=1.0,
            rng=np.random.default_rng(0),
        )
        assert first.tolist() == [length] * 4


def test_equal_generators_give_equal_unit_noise():
    """Scaling values by 2 and epsilon by 1/2 changes nothing, trial by trial."""
    values = np.array([-3.0, -1.0, 2.0])
    at = {"threshold": 0.0, "trials": 1000}
    one = above_threshold_trials(values, epsilon=1.0, rng=np.random.default_rng(9), **at)
    two = above_threshold_trials(2 * values, epsilon=0.5, rng=np.random.default_rng(9), **at)
    assert (one == two).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": []}, "values must not be empty"),
        ({"values": [[1.0]]}, "values must be a list of numbers"),
        ({"counts": [2**63]}, r"counts must add up to at most 2\^62"),
        ({"trials": 0}, "trials must be a whole number, 1 or greater, got 0"),
        ({"counts": [1, 1]}, "counts must have one entry per value"),
        ({"counts": [0]}, "counts must be a whole number, 1 or greater, got 0"),
        ({"epsilon": -2}, "epsilon must be .* got -2"),
        ({"rng": None}, "rng must be a numpy.random.Generator"),
    ],
)
def test_bad_input_is_named(changes, message):
    arguments = {"values": [1.0], "threshold": 0.0, "trials": 2, "epsilon": 1.0}
    arguments |= {"rng": np.random.default_rng()} | changes
    with pytest.raises(ValueError, match=message):
        above_threshold_trials(arguments.pop("values"), **arguments)
