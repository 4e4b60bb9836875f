"""Sparse and NumericSparse: the slides' code on chosen noise, Theorems 3.26 and 3.28."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom

from course_lib.exact.composition import exact_composition_delta
from course_lib.exact.family import member, privacy_loss
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab.noise import GivenNoise
from course_lib.numeric_sparse import (
    numeric_sparse,
    numeric_sparse_alpha,
    numeric_sparse_alpha_printed,
    numeric_sparse_beta,
    numeric_sparse_beta_printed,
    numeric_sparse_printed_from,
    sparse,
    sparse_alpha,
)
from course_lib.support.answers import ABOVE, BELOW
from course_lib.toolbox import advanced_composition, advanced_shortcut_limit
from tests.family import asking

ROOT_512 = math.sqrt(512)


def run(mechanism, values, noise, **parameters):
    rng = GivenNoise(noise)
    parameters = {"threshold": 0.0, "cutoff": 2, "epsilon": 1.0} | parameters
    return list(mechanism(None, asking(values), **parameters, rng=rng)), rng.scales


def test_sparse_by_hand():
    """ε = 1, c = 2: σ = 4. T̂ = 10 + 4 = 14; 5 + 8 = 13 ⊥; 6 + 8 = 14 ⊤; T̂ = 6; 9 - 8 = 1 ⊥; …"""
    noise = [1.0, 1.0, 1.0, -1.0, -1.0, 0.0]
    answers, scales = run(sparse, [5, 6, 9, 6, 99], noise, threshold=10)
    assert answers == [BELOW, ABOVE, BELOW, ABOVE]
    assert scales == [4, 8, 8, 4, 8, 8]


def test_numeric_sparse_by_hand():
    """ε = 1, c = 2: σ(ε1) = 4.5, σ(ε2) = 18. T̂ = 4.5; 2.25 ⊥; 9 - 4 ≥ 4.5, released 9 + 9;
    T̂ = -4.5; 1 - 9 ⊥; 0 ≥ -4.5, released 0 - 18.
    """
    noise = [1.0, 0.25, -4 / 9, 0.5, -1.0, -1.0, 0.0, -1.0]
    answers, scales = run(numeric_sparse, [0, 9, 1, 0, 99], noise)
    assert answers == [BELOW, pytest.approx(18), BELOW, pytest.approx(-18)]
    assert all(type(answer) is not np.ndarray for answer in answers)
    assert scales == pytest.approx([4.5, 9, 9, 18, 4.5, 9, 9, 18])


@pytest.mark.parametrize("mechanism", [sparse, numeric_sparse])
def test_equality_is_above(mechanism):
    answers, _ = run(mechanism, [3.0], [0.0] * 3, threshold=3.0, cutoff=1)
    assert answers[0] is not BELOW


def test_scales_for_delta_above_0():
    delta, cutoff, epsilon = 1e-6, 3, 0.5
    _, scales = run(sparse, [-9], [0, 0], cutoff=cutoff, epsilon=epsilon, delta=delta)
    sigma = math.sqrt(32 * cutoff * math.log(1 / delta)) / epsilon
    assert scales == pytest.approx([sigma, 2 * sigma])
    noise = [0.0] * 4
    _, scales = run(numeric_sparse, [9], noise, cutoff=cutoff, epsilon=epsilon, delta=delta)
    root = math.sqrt(32 * cutoff * math.log(2 / delta))
    sigma1 = root / (epsilon * ROOT_512 / (ROOT_512 + 1))
    sigma2 = root / (2 * epsilon / (ROOT_512 + 1))
    assert scales[:3] == pytest.approx([sigma1, 2 * sigma1, sigma2])


def test_a_query_is_fetched_only_after_the_answer_before_it():
    for mechanism in (sparse, numeric_sparse):
        asked, told = [], []

        def analyst(asked=asked, told=told):
            for value in (-1e6, 1e6, -1e6, 1e6):
                asked.append(len(told))
                yield lambda data, value=value: value

        rng = np.random.default_rng(0)
        stream = mechanism(None, analyst(), threshold=0.0, cutoff=2, epsilon=1.0, rng=rng)
        for answer in stream:
            told.append(answer)
        assert asked == [0, 1, 2, 3] and [a is BELOW for a in told] == [True, False] * 2


def test_the_budget_of_numeric_sparse_adds_up():
    """By composition: c runs of AboveThreshold, 2/scale each, and c Laplace answers, 1/scale."""
    for cutoff, epsilon in ((1, 1.0), (7, 0.3)):
        row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon)
        assert math.isclose(cutoff * (2 / row.threshold_scale + 1 / row.release_scale), epsilon)
        row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=1e-6)
        finding, numbers = (
            advanced_composition(runs=cutoff, epsilon=per_run, delta=0.5e-6)
            for per_run in (2 / row.threshold_scale, 1 / row.release_scale)
        )
        assert finding + numbers <= epsilon
        shortcut = math.sqrt(8 * cutoff * math.log(2e6))
        total = shortcut * (2 / row.threshold_scale + 1 / row.release_scale)
        assert math.isclose(total, epsilon)


@pytest.mark.parametrize("cutoff", [1, 10, 100, 300])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (3.0, 0.1), (6.0, 0.1)])
def test_runs_and_numbers_together_stay_within_delta(cutoff, epsilon, delta):
    """Nothing composes worse than randomised response: c with the loss of a run, c of a number."""
    row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
    kept = np.arange(cutoff + 1)
    losses = np.multiply.outer([2 / row.threshold_scale, 1 / row.release_scale], 2 * kept - cutoff)
    likely = binom.pmf(kept, cutoff, 1 / (1 + np.exp(-losses[:, -1:] / cutoff)))
    loss, chance = np.add.outer(*losses), np.outer(*likely)
    assert np.sum(chance * np.maximum(0, -np.expm1(epsilon - loss))) <= delta
    assert math.isclose(chance.sum(), 1) and math.isclose(np.sum(chance * np.exp(-loss)), 1)


def test_theorem_3_26_as_printed():
    logs, root = math.log(1000) + math.log(20 / 0.05), math.sqrt(512 * 10 * math.log(1e6))
    pure = sparse_alpha(num_queries=1000, cutoff=10, beta=0.05, epsilon=0.5)
    assert math.isclose(pure, 80 * logs / 0.5)
    with_delta = sparse_alpha(num_queries=1000, cutoff=10, beta=0.05, epsilon=0.5, delta=1e-6)
    assert math.isclose(with_delta, logs * root / 0.5)


def test_theorem_3_28_as_printed_and_corrected():
    logs = math.log(1000) + math.log(40 / 0.05)
    unit = (ROOT_512 + 1) * math.sqrt(10 * math.log(2e6)) / 0.5
    needed = unit * math.sqrt(8) * math.log(20 / 0.05)
    for bound, want in (
        (numeric_sparse_alpha, needed),
        (numeric_sparse_alpha_printed, unit * logs),
    ):
        pure = bound(num_queries=1000, cutoff=10, beta=0.05, epsilon=0.5)
        assert math.isclose(pure, 90 * logs / 0.5)
        with_delta = bound(num_queries=1000, cutoff=10, beta=0.05, epsilon=0.5, delta=1e-6)
        assert math.isclose(with_delta, want)


def test_bounds_take_arrays_also_of_mixed_delta():
    cutoffs, sizes, deltas = (2, 30), (10, 10**6), (0.0, 1e-3)
    for function in (sparse_alpha, numeric_sparse_alpha, numeric_sparse_alpha_printed):
        mixed = function(
            num_queries=sizes, cutoff=[[2], [30]], beta=0.05, epsilon=[1.0, 1.0], delta=deltas
        )
        each = [
            [function(num_queries=k, cutoff=c, beta=0.05, epsilon=1.0, delta=delta)
             for k, delta in zip(sizes, deltas, strict=True)]
            for c in cutoffs
        ]  # fmt: skip
        assert mixed.shape == (2, 2)
        np.testing.assert_allclose(mixed, each, rtol=1e-9)


@pytest.mark.parametrize(
    ("cutoff", "k", "fails"),
    [(1, 1, 0.212), (10, 100, 0.170), (10, 1000, 0.079), (50, 1000, 0.207)],
)
def test_the_printed_bound_fails_for_short_streams(cutoff, k, fails):
    """Reference figure: from the released numbers alone, whatever epsilon and delta; β = 0.05."""
    for epsilon, delta in ((1.0, 1e-6), (0.1, 1e-3)):
        row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
        printed, corrected = (
            bound(num_queries=k, cutoff=cutoff, beta=0.05, epsilon=epsilon, delta=delta)
            for bound in (numeric_sparse_alpha_printed, numeric_sparse_alpha)
        )
        numbers = 1 - (1 - math.exp(-printed / row.release_scale)) ** cutoff
        assert math.isclose(numbers, fails, abs_tol=5e-4)
        assert failure(row, num_queries=k, alpha=printed) >= numbers > 0.05
        assert failure(row, num_queries=k, alpha=corrected) <= 0.05


@pytest.mark.parametrize("cutoff", [1, 10, 50])
def test_the_printed_bound_suffices_from_some_length_on(cutoff):
    """Reference figure: from k = ½ (2c/β)^1.83."""
    border = 0.5 * (2 * cutoff / 0.05) ** (math.sqrt(8) - 1)
    for k, equal in ((math.ceil(border), True), (math.floor(border), False)):
        printed, corrected = (
            bound(num_queries=k, cutoff=cutoff, beta=0.05, epsilon=1.0, delta=1e-6)
            for bound in (numeric_sparse_alpha_printed, numeric_sparse_alpha)
        )
        assert (printed == corrected) == equal


budgets = st.tuples(st.integers(1, 40), st.floats(0.01, 4), st.sampled_from([0.0, 1e-9, 1e-3]))


@given(budgets, st.integers(0, 10**9), st.floats(1e-6, 0.9))
def test_failure_never_exceeds_beta_at_the_stated_alpha(budget, more, beta):
    """On the worst stream, and the alpha really needed is never above the stated one."""
    cutoff, epsilon, delta = budget
    k = cutoff + more
    for name, bound in (("sparse", sparse_alpha), ("numeric_sparse", numeric_sparse_alpha)):
        alpha = bound(num_queries=k, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=delta)
        row = member(name, cutoff=cutoff, epsilon=epsilon, delta=delta)
        assert failure(row, num_queries=k, alpha=alpha) <= beta
        assert alpha_exact(row, num_queries=k, beta=beta) <= alpha


@given(budgets, st.floats(1e-6, 0.9))
def test_the_corrected_bound_is_reached_by_the_numbers(budget, beta):
    """Where its second term decides, half of beta is nearly used: c numbers, union bound."""
    cutoff, epsilon, _ = budget
    row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=1e-9)
    printed, corrected = (
        bound(num_queries=cutoff, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=1e-9)
        for bound in (numeric_sparse_alpha_printed, numeric_sparse_alpha)
    )
    if corrected > printed:
        assert math.isclose(cutoff * math.exp(-corrected / row.release_scale), beta / 2)


def test_the_last_answer_above_must_be_the_last_query():
    """Both of c = 2 early: it halts before query k except with a probability that is tiny."""
    for mechanism in (sparse, numeric_sparse):
        rng = np.random.default_rng(0)
        values = [1e6, 1e6, *[-1e6] * 8]
        answers = list(mechanism(None, asking(values), threshold=0, cutoff=2, epsilon=1.0, rng=rng))
        assert len(answers) == 2


@pytest.mark.parametrize("mechanism", [sparse, numeric_sparse])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cutoff": 0}, "cutoff must be a whole number, 1 or greater, got 0"),
        ({"cutoff": 1.5}, "cutoff must be a whole number, 1 or greater, got 1.5"),
        ({"cutoff": [1, 2]}, r"cutoff must be a single number, got \[1, 2\]"),
        ({"delta": 1.0}, "delta must be a number with 0 <= delta < 1, got 1"),
        ({"delta": -0.1}, "delta must be .* got -0.1"),
        ({"threshold": math.nan}, "threshold must be a finite number, got nan"),
        ({"epsilon": 0}, "epsilon must be .* got 0"),
        ({"queries": []}, "queries must not be empty"),
        ({"epsilon": 30.0, "delta": 0.1, "cutoff": 100}, "epsilon must be .* not proved.* 30$"),
    ],
)
def test_bad_input_is_refused_on_the_call(mechanism, changes, message):
    accepted = {"queries": asking([1]), "threshold": 0.0, "cutoff": 2, "epsilon": 1.0}
    with pytest.raises(ValueError, match=message):
        mechanism(None, **accepted | changes, rng=np.random.default_rng())


@pytest.mark.parametrize("mechanism", [sparse, numeric_sparse])
def test_a_query_without_a_finite_value_is_not_answered(mechanism):
    rng = np.random.default_rng(0)
    stream = mechanism(None, asking([1e6, math.nan]), threshold=0, cutoff=2, epsilon=9.0, rng=rng)
    assert next(stream) is not BELOW
    with pytest.raises(ValueError, match="a query must return a finite number, got nan"):
        next(stream)


def start_sparse(mechanism, *, cutoff, epsilon):
    rng = np.random.default_rng()
    mechanism(None, asking([1]), threshold=0.0, cutoff=cutoff, epsilon=epsilon, delta=0.1, rng=rng)


def test_no_guarantee_is_stated_where_no_composition_theorem_proves_it():
    """Reference figure: 8.344 for δ = 0.1, c = 100. NumericSparse has c steps with the σ of δ/2."""
    start_sparse(sparse, cutoff=100, epsilon=float(advanced_shortcut_limit(runs=100, delta=0.1)))
    with pytest.raises(ValueError, match="epsilon must be at most 8.3440. for cutoff = 100"):
        start_sparse(sparse, cutoff=100, epsilon=8.35)

    def excess(epsilon):
        step = epsilon / math.sqrt(800 * math.log(20))
        return advanced_composition(runs=100, epsilon=step, delta=0.1) - epsilon

    limit = brentq(excess, 1, 100)
    assert 11.5 < limit < 12
    start_sparse(numeric_sparse, cutoff=100, epsilon=limit * 0.9999)
    with pytest.raises(ValueError, match=f"epsilon must be at most {limit:.6g}"):
        start_sparse(numeric_sparse, cutoff=100, epsilon=limit * 1.0001)
    with pytest.raises(ValueError, match="epsilon must be at most"):
        sparse_alpha(num_queries=9, cutoff=100, beta=0.1, epsilon=[1.0, 9.0], delta=0.1)
    with pytest.raises(ValueError, match="epsilon must be at most"):
        numeric_sparse_alpha(num_queries=9, cutoff=100, beta=0.1, epsilon=15.0, delta=0.1)


@pytest.mark.parametrize("cutoff", [1, 30, 100, 10**4])
@pytest.mark.parametrize("delta", [1e-9, 0.1])
def test_a_run_and_its_number_are_one_step_of_theorem_3_20(cutoff, delta):
    """Its loss, 1/σ1 + 2/(2σ1) + 1/σ2, is the shortcut's at δ/2: c steps are (ε, δ/2)-private."""
    epsilon = 4.0
    row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
    step = privacy_loss(replace(row, cutoff=1))
    assert step == pytest.approx(epsilon / math.sqrt(8 * cutoff * math.log(2 / delta)), rel=1e-12)
    assert exact_composition_delta(runs=cutoff, epsilon=step, total=epsilon) <= delta / 2


@given(st.floats(0.5, 200), st.integers(1, 10**4), st.floats(1e-9, 0.9))
def test_a_refusal_does_not_deny_what_composition_proves(epsilon, cutoff, delta):
    """A step is a run of Sparse, or a run of NumericSparse and its number."""
    for name, log in (("sparse", -math.log(delta)), ("numeric_sparse", math.log(2 / delta))):
        step = epsilon / math.sqrt(8 * cutoff * log)
        totals = [cutoff * step]
        if step < 600:
            totals.append(advanced_composition(runs=cutoff, epsilon=step, delta=delta))
        if min(totals) < epsilon * (1 - 1e-9):
            member(name, cutoff=cutoff, epsilon=epsilon, delta=delta)
        elif min(totals) > epsilon * (1 + 1e-9):
            with pytest.raises(ValueError, match="not proved here"):
                member(name, cutoff=cutoff, epsilon=epsilon, delta=delta)


@pytest.mark.parametrize(
    ("mechanism", "few"), [(sparse, 18), (numeric_sparse, 23)], ids=["sparse", "numeric_sparse"]
)
def test_basic_composition_covers_every_epsilon_of_a_few_runs(mechanism, few):
    """c runs of ε/√(8c ln(1/δ)) add up to at most ε for c <= 8 ln 10 = 18.4, or 8 ln 20 = 23.97."""
    start_sparse(mechanism, cutoff=few, epsilon=1e3)
    with pytest.raises(ValueError, match=f"for cutoff = {few + 1} and delta = 0.1: .* not proved"):
        start_sparse(mechanism, cutoff=few + 1, epsilon=1e3)


def test_an_epsilon_is_refused_for_the_cutoff_that_needs_it():
    """For c = 1 every ε is proved, although advanced composition stops earlier than for 100."""
    with pytest.raises(ValueError, match="epsilon must be at most 8.3440"):
        sparse_alpha(num_queries=9, cutoff=[1, 100], beta=0.1, epsilon=9.0, delta=0.1)


@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-3])
@pytest.mark.parametrize(("k", "cutoff"), [(1, 1), (1000, 10), (10**12, 7)])
def test_theorem_3_28_solved_for_beta(k, cutoff, delta):
    for alpha_of, beta_of in (
        (numeric_sparse_alpha, numeric_sparse_beta),
        (numeric_sparse_alpha_printed, numeric_sparse_beta_printed),
    ):
        for beta in (1e-9, 0.05, 0.9):
            alpha = alpha_of(num_queries=k, cutoff=cutoff, beta=beta, epsilon=0.3, delta=delta)
            found = beta_of(num_queries=k, cutoff=cutoff, alpha=alpha, epsilon=0.3, delta=delta)
            assert found == pytest.approx(beta, rel=1e-9)
        small = [0.0, alpha / 100]
        found = beta_of(num_queries=k, cutoff=cutoff, alpha=small, epsilon=0.3, delta=delta)
        assert found.tolist() == [1, 1]


def test_theorem_3_28_solved_for_beta_by_hand():
    """c = 2, ε = 1: σ(ε1) = 4.5 and σ(ε2) = 18; for δ = 10^-3, k = 1 the numbers count."""
    found = numeric_sparse_beta(num_queries=5, cutoff=2, alpha=180.0, epsilon=1.0)
    assert found == pytest.approx(40 * math.exp(-10), rel=1e-12)
    assert numeric_sparse_beta_printed(num_queries=5, cutoff=2, alpha=180.0, epsilon=1.0) == found
    sigma1, sigma2 = (
        (ROOT_512 + 1) * root * math.sqrt(2 * math.log(2000))
        for root in (math.sqrt(32) / ROOT_512, math.sqrt(32) / 2)
    )
    numbers, finding = 4 * math.exp(-4000 / sigma2), 8 * math.exp(-1000 / sigma1)
    assert numbers > finding
    for beta_of, beta in ((numeric_sparse_beta, numbers), (numeric_sparse_beta_printed, finding)):
        found = beta_of(num_queries=1, cutoff=2, alpha=4000.0, epsilon=1.0, delta=1e-3)
        assert found == pytest.approx(beta, rel=1e-12)


@pytest.mark.parametrize("cutoff", [1, 10, 50])
@pytest.mark.parametrize("beta", [0.001, 0.2])
def test_the_printed_theorem_is_the_corrected_one_from_some_k_on(cutoff, beta):
    first = math.ceil(numeric_sparse_printed_from(cutoff=cutoff, beta=beta))
    for k, larger in (first - 1, True), (first, False):
        right, printed = (
            alpha(num_queries=k, cutoff=cutoff, beta=beta, epsilon=1.0, delta=1e-6)
            for alpha in (numeric_sparse_alpha, numeric_sparse_alpha_printed)
        )
        assert (right > printed) == larger
    assert numeric_sparse_printed_from(cutoff=1e50, beta=1e-200) == math.inf


@pytest.mark.filterwarnings("error")
def test_where_delta_is_0_no_logarithm_of_it_is_taken():
    assert sparse_alpha(num_queries=1, cutoff=1, beta=2 / math.e, epsilon=8.0) == pytest.approx(1)
    pure, mixed = sparse_alpha(num_queries=9, cutoff=2, beta=0.1, epsilon=1.0, delta=[0.0, 1e-6])
    assert pure == sparse_alpha(num_queries=9, cutoff=2, beta=0.1, epsilon=1.0) != mixed
