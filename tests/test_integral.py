"""The family's integral against 30-digit arithmetic (tests/oracles), an identity, closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace

from course_lib.exact.family import Variant
from course_lib.exact.integral import next_above
from course_lib.exact.transcripts import first_above_law, log_probability
from course_lib.support.answers import ABOVE, BELOW
from tests.family import ORACLE, row

ANSWERS = {"ABOVE": ABOVE, "BELOW": BELOW}


def from_oracle(case, released=None):
    variant_row = row(
        case["threshold_scale"],
        case["query_scale"],
        redrawn=case.get("redrawn", False),
        released=released,
        release_scale=case.get("release_scale", 0.0),
    )
    transcript = [ANSWERS.get(answer, answer) for answer in case["transcript"]]
    return log_probability(
        variant_row, case["values"], transcript, threshold=case["threshold"], counts=case["counts"]
    )


@pytest.mark.parametrize(
    ("table", "released"),
    [
        ("log_probability", None),
        ("released_same", "same"),
        ("released_fresh", "fresh"),
        ("no_query_noise", None),
    ],
)
def test_log_probabilities_agree_with_30_digits(table, released):
    got = [from_oracle(case, released) for case in ORACLE[table]]
    want = [float(case["value"]) for case in ORACLE[table]]
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=0)


def test_first_above_law_without_query_noise():
    """The threshold noise falls between the largest value so far and the next larger one."""
    silent = Variant("silent", 2.0, 0.0, False, None, None)
    law = first_above_law(silent, [1.0, 0.5, 3.0], threshold=1.0)
    cdf = laplace(scale=2.0).cdf
    np.testing.assert_allclose(law, [cdf(0), 0, cdf(2) - cdf(0), 1 - cdf(2)], atol=1e-15)


@pytest.mark.parametrize("query_scale", [0.0, 0.3, 4.0])
def test_the_next_above_from_each_place_is_the_first_of_the_rest(query_scale):
    variant, stream = row(2.0, query_scale), np.array([-9.0, 1.0, 0.5, 3.0, -40.0, 2.0])
    laws = next_above(variant, stream)
    for start, law in enumerate(laws):
        rest = first_above_law(variant, stream[start:], threshold=0.0)
        np.testing.assert_allclose(law, np.append(np.zeros(start), rest), rtol=0, atol=1e-14)
    np.testing.assert_allclose(laws.sum(axis=1), 1, rtol=1e-14)


gaps = st.floats(-60, 60)


@given(
    st.lists(st.tuples(gaps, st.integers(1, 10**12)), min_size=1, max_size=4),
    gaps,
    st.sampled_from([0.01, 0.3, 1.0, 2.0, 30.0]),
)
def test_last_answer_is_above_or_below(runs, last, ratio):
    """Pr[⊥…⊥] = Pr[⊥…⊥⊥] + Pr[⊥…⊥⊤], whatever the stream."""
    values, counts = zip(*runs, strict=True)
    variant = row(2.0, 2.0 * ratio)
    head, *tails = (
        log_probability(variant, [*values, *more], [BELOW] * len(values) + answers, threshold=0.0,
                        counts=[*counts, *[1] * len(more)])
        for more, answers in (([], []), ([last], [BELOW]), ([last], [ABOVE]))
    )  # fmt: skip
    assert math.isclose(np.logaddexp(*tails), head, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("low", [-3.0, -0.5, 0.0, 0.5, 3.0])
@pytest.mark.parametrize("width", [0.01, 0.5, 1.0, 6.0])
def test_without_query_noise_the_threshold_lies_between_two_values(low, width):
    got = log_probability(row(2.0, 0.0), [low, low + width], [BELOW, ABOVE], threshold=0.0)
    between = laplace(scale=2.0).cdf(low + width) - laplace(scale=2.0).cdf(low)
    assert math.isclose(got, math.log(between), rel_tol=1e-9)


@pytest.mark.parametrize(("distance", "refused"), [(2e12, False), (2.1e12, True)])
@pytest.mark.parametrize("query_scale", [0.0, 4.0])
def test_a_value_is_within_10_to_the_12_of_the_smaller_noise_scale(distance, refused, query_scale):
    arguments = row(2.0, query_scale), [-distance, distance], [BELOW, BELOW]
    if refused:
        with pytest.raises(ValueError, match=r"values must be within 10\*\*12 noise scales"):
            log_probability(*arguments, threshold=0.0)
    else:
        assert log_probability(*arguments, threshold=0.0) < -1e11
