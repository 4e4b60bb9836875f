"""What the exercises of notebook 02 say is so, and their streams show what they should."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import laplace

from course_lib.checks import numeric_sparse as checks
from course_lib.checks.streams import NOISE
from course_lib.exact.family import member, privacy_loss
from course_lib.numeric_sparse import (
    numeric_sparse_alpha_printed,
    numeric_split,
    sparse_scale,
)
from tests.power import law_refusals, other_law

LAWS = [checks.check_sparse_split, checks.check_numeric_sparse]
EACH = pytest.mark.parametrize("exercise", LAWS, ids=["my_sparse", "my_numeric_sparse"])


@EACH
def test_any_split_costs_epsilon(exercise):
    for case in exercise.cases:
        assert math.isclose(privacy_loss(case.given.row), case.given.given["epsilon"])


def test_the_books_split_is_sparse_and_numeric_sparse():
    for cutoff, epsilon in ((1, 0.5), (4, 3)):
        row = replace(checks._sparse(cutoff, 0.5, epsilon), name="sparse")
        assert row == member("sparse", cutoff=cutoff, epsilon=epsilon)
        row = replace(checks._numeric(cutoff, 1 / 9, epsilon), name="numeric_sparse")
        book = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon)
        for scale in ("threshold_scale", "query_scale", "release_scale"):
            assert math.isclose(getattr(row, scale), getattr(book, scale))


SCALES = ("threshold_scale",), ("query_scale",), ("threshold_scale", "query_scale")


@EACH
@pytest.mark.parametrize("factor", [1.25, 0.8])
@pytest.mark.parametrize("scales", [*SCALES, ("release_scale",)])
def test_a_scale_off_by_a_quarter_is_seen_with_power_99_percent(exercise, factor, scales):
    if scales == ("release_scale",) and exercise is checks.check_sparse_split:
        return
    near = [case for case in exercise.cases if case.runs > 20]
    found = (law_refusals(exercise, case, other_law(case, scales, factor)) for case in near)
    assert max(map(max, found)) >= 0.99


def test_the_kinds_of_a_number_are_those_of_laplace_noise():
    case = checks.check_numeric_sparse.cases[-1]
    edges = [-math.inf, *NOISE.values()]
    assert np.allclose(np.diff(laplace.cdf(edges)), [0.1506, 0.3494, 0.3494, 0.1506], atol=1e-4)
    for kind, chance in zip(NOISE, np.diff(laplace.cdf(edges)), strict=True):
        first = sum(p for label, p in case.law.items() if label.startswith(f"({kind})"))
        assert math.isclose(first, chance * (1 - _below_first(case)), rel_tol=1e-9)


def _below_first(case):
    return sum(p for label, p in case.law.items() if label.startswith("⊥"))


def test_advanced_composition_pays_from_111_on():
    sigma = [sparse_scale(np.arange(1, 2000), 1.0, delta) for delta in (0.0, 1e-6)]
    assert np.argmax(sigma[1] < sigma[0]) + 1 == 111 == checks.check_pays_from.solution
    roots = [math.log(1e6), 32 * math.log(1e6), 8 * math.log(2e6), 16 * math.log(1e6)]
    assert list(map(math.ceil, roots)) == [14, 443, 117, 222]
    assert [math.ceil(8 * 6), math.ceil(8 * math.log2(1e6))] == [48, 160]


def test_a_number_misses_the_printed_alpha_up_to_59_queries():
    """With the scales of the algorithm, whatever ε and δ; what the messages say of k = 58 to 60."""
    k = np.arange(1, 200)
    for epsilon, delta in ((1.0, 1e-6), (0.3, 1e-9)):
        alpha = numeric_sparse_alpha_printed(
            num_queries=k, cutoff=1, beta=0.05, epsilon=epsilon, delta=delta
        )
        scale = sparse_scale(1, numeric_split(epsilon, delta)[1], delta / 2)
        misses = np.exp(-alpha / scale)
        assert (misses > 0.05).sum() == np.argmin(misses > 0.05) == 59
        assert np.round(misses[[58, 59]], 4).tolist() == [0.0502, 0.0499]
    assert checks.check_printed_fails_up_to.solution == 59
    one_side, of_the_proof = 10 ** math.sqrt(8) / 80, 40 ** math.sqrt(8) / 80
    assert int(one_side) == 8 and int(of_the_proof) == 424
