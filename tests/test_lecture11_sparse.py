"""Lecture 11: the printed algorithm on recorded noise, its theorems, and the repaired one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace

from course_lib.exact.family import Variant, member
from course_lib.exact.lecture11_sparse import (
    find_then_answer_alpha,
    find_then_answer_alpha_exact,
    find_then_answer_failure,
)
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.exact.worst_stream import failure
from course_lib.lab.noise import GivenNoise
from course_lib.lecture11_sparse import (
    lecture11_alpha,
    lecture11_alpha_printed,
    lecture11_beta,
    repaired_alpha,
    sparse_as_printed,
    sparse_repaired,
)
from course_lib.numeric_sparse import numeric_sparse_alpha
from course_lib.support.answers import BELOW
from course_lib.toolbox import advanced_composition, exponential_mechanism_law
from tests.family import asking

BOTH = (sparse_as_printed, sparse_repaired)


def run(mechanism, values, noise, **parameters):
    rng = GivenNoise(noise)
    parameters = {"n": 10, "threshold": 0.0, "cutoff": 2, "epsilon": 1.0} | parameters
    return list(mechanism(None, asking(values), **parameters, rng=rng)), rng.scales


def test_the_printed_algorithm_by_hand():
    """ε = 1, n = 10, c = 2: T̂ = 0.5 + 0.2 once, σ = 0.4; 0.6 is ⊥, 0.9 is out as it is, …"""
    noise = [1.0, 0.5, -0.5, 1.0, -1.0, 0.25]
    values = [0.4, 0.8, 0.5, 0.9, 0.7, 1.0]
    answers, scales = run(sparse_as_printed, values, noise, threshold=0.5)
    assert answers == [BELOW, BELOW, pytest.approx(0.9), BELOW, pytest.approx(0.8)]
    assert scales == pytest.approx([0.2, *[0.4] * 5])


def test_the_repaired_algorithm_by_hand():
    """ε = 1, n = 10, c = 2: T̂ = 0.5 + 0.3 once, comparisons 1.2, numbers with fresh 0.6."""
    noise = [1.0, 0.25, 0.25, -1.0, 0.5, -1.0, 1.0]
    answers, scales = run(sparse_repaired, [0.4, 0.6, 0.5, 2.1, 9.0], noise, threshold=0.5)
    assert answers == [BELOW, pytest.approx(0.0), pytest.approx(-0.1)]
    assert scales == pytest.approx([0.3, 1.2, 1.2, 0.6, 1.2, 0.6])


def test_the_repaired_algorithm_for_delta_above_0_by_hand():
    """n = 7, T = 0.5: compared are 7 q and 3.5, and a number is divided by 7 again.

    Without noise 0.49 is below and 0.51 above. The scales are those of NumericSparse at ε and δ,
    whatever n is: σ1 = R (√512 + 1) / (√512 ε) and σ2 = R (√512 + 1) / 2ε, R = √(32 c ln(2/δ)).
    """
    noise = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -0.5]
    values = [0.49, 0.51, 0.49, 0.52, 9.0]
    answers, scales = run(
        sparse_repaired, values, noise, n=7, threshold=0.5, cutoff=2, epsilon=0.9, delta=1e-6
    )
    root = math.sqrt(64 * math.log(2e6)) * (math.sqrt(512) + 1)
    first, second = root / (math.sqrt(512) * 0.9), root / (2 * 0.9)
    assert scales == pytest.approx([first, 2 * first, 2 * first, second] * 2)
    numbers = 0.51 + second / 7, 0.52 - 0.5 * second / 7
    assert answers == [BELOW, pytest.approx(numbers[0]), BELOW, pytest.approx(numbers[1])]


@pytest.mark.parametrize("mechanism", BOTH)
def test_equality_is_above(mechanism):
    answers, _ = run(mechanism, [0.5], [0.0] * 3, threshold=0.5, cutoff=1)
    assert answers == [0.5]


@pytest.mark.parametrize("mechanism", BOTH)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_query_is_fetched_only_after_the_answer_before_it(mechanism, delta):
    asked, told = [], []

    def analyst():
        for value in itertools.cycle([-1e6, 1e6]):
            asked.append(len(told))
            yield lambda data, value=value: value

    rng = np.random.default_rng(0)
    for answer in mechanism(
        None, analyst(), n=5, threshold=0.0, cutoff=2, epsilon=1.0, delta=delta, rng=rng
    ):
        told.append(answer)
    assert asked == [0, 1, 2, 3] and [a is BELOW for a in told] == [True, False] * 2


def test_theorems_2_and_5_as_printed():
    logs, unit = math.log(1000) + math.log(2 / 0.05), 1 / (0.5 * 20_190)
    root = math.sqrt(128 * 5 * math.log(1e6))
    for bound in (lecture11_alpha, lecture11_alpha_printed):
        pure = bound(num_queries=1000, n=20_190, cutoff=5, beta=0.05, epsilon=0.5)
        assert math.isclose(pure, 20 * logs * unit)
        with_delta = bound(num_queries=1000, n=20_190, cutoff=5, beta=0.05, epsilon=0.5, delta=1e-6)
        assert math.isclose(with_delta, root * logs * unit)


def test_theorem_5_needs_c_ln_1_over_delta_of_an_eighth():
    """Reference figure: δ = 0.99, c = 1, k = 1 fails with 0.068 where 0.05 is promised."""

    def right_and_printed(delta):
        return [
            bound(num_queries=1, n=1, cutoff=1, beta=0.05, epsilon=1.0, delta=delta)
            for bound in (lecture11_alpha, lecture11_alpha_printed)
        ]

    row = member("lecture11_sparse", cutoff=1, epsilon=1.0, delta=0.99)
    right, printed = right_and_printed(0.99)
    assert math.isclose(failure(row, num_queries=1, alpha=printed), 0.068, abs_tol=5e-4)
    assert math.isclose(right, 4 * math.log(40))
    assert failure(row, num_queries=1, alpha=right) <= 0.05
    for delta, same in ((math.exp(-0.125), True), (math.exp(-0.124), False)):
        assert math.isclose(*right_and_printed(delta), rel_tol=1e-12) == same


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.99])
@pytest.mark.parametrize("cutoff", [1, 7])
def test_theorems_2_and_5_solved_for_beta(cutoff, delta):
    betas = np.array([1e-6, 0.05, 0.9])
    for n, epsilon in ((1, 1.0), (300, 0.2)):
        alphas = lecture11_alpha(
            num_queries=40, n=n, cutoff=cutoff, beta=betas, epsilon=epsilon, delta=delta
        )
        found = lecture11_beta(
            num_queries=40, n=n, cutoff=cutoff, alpha=alphas, epsilon=epsilon, delta=delta
        )
        np.testing.assert_allclose(found, betas, rtol=1e-9)
    assert lecture11_beta(num_queries=40, n=1, cutoff=cutoff, alpha=0, epsilon=1, delta=delta) == 1


def test_the_promised_beta_by_hand():
    """c = 2, ε = 0.5: σ = 8/n; 2k e^(-nα/16) = 20 e^(-5), and for k = 1, δ near 1, 2 e^(-nα/8)."""
    found = lecture11_beta(num_queries=10, n=40, cutoff=2, alpha=2.0, epsilon=0.5)
    assert math.isclose(found, 20 * math.exp(-5))
    found = lecture11_beta(num_queries=1, n=40, cutoff=1, alpha=2.0, epsilon=0.5, delta=0.999)
    assert math.isclose(found, 2 * math.exp(-10))


def test_accuracy_of_the_repaired_algorithm():
    pure = repaired_alpha(num_queries=1000, n=20_190, cutoff=5, beta=0.05, epsilon=0.5)
    with_delta, both = (
        repaired_alpha(num_queries=1000, n=20_190, cutoff=5, beta=0.05, epsilon=0.5, delta=delta)
        for delta in (1e-6, [0.0, 1e-6])
    )
    assert math.isclose(pure, 60 * (math.log(1000) + math.log(3 / 0.05)) / (0.5 * 20_190))
    of_counts = numeric_sparse_alpha(num_queries=1000, cutoff=5, beta=0.05, epsilon=0.5, delta=1e-6)
    assert math.isclose(with_delta, of_counts / 20_190)
    assert both.tolist() == [pure, with_delta]


@given(
    st.integers(1, 40),
    st.floats(0.01, 4),
    st.sampled_from([0.0, 1e-9, 1e-3]),
    st.integers(0, 10**9),
    st.floats(1e-6, 0.9),
)
def test_failure_never_exceeds_beta_at_the_stated_alpha(cutoff, epsilon, delta, more, beta):
    """On the worst stream of counts, n = 1: all else scales with 1/n."""
    k = cutoff + more
    for name, bound in (
        ("lecture11_sparse", lecture11_alpha),
        ("lecture11_repaired", repaired_alpha),
    ):
        alpha = bound(num_queries=k, n=1, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=delta)
        row = member(name, cutoff=cutoff, epsilon=epsilon, delta=delta)
        assert failure(row, num_queries=k, alpha=alpha) <= beta


PLACES = {"far below": -30, "low": -1, "near": 0, "high": 1, "far above": 30}  # in units of alpha
LARGE = ("near", "high", "far above")


def allowed_streams(k, cutoff):
    """All that Theorem 2 allows; "low" is just below T - alpha, "high" just above T + alpha."""
    for stream in itertools.product(PLACES, repeat=k):
        large = [i for i, place in enumerate(stream) if place in LARGE]
        if len(large) < cutoff or (len(large) == cutoff and large[-1] == k - 1):
            yield stream


def failure_by_definition_1(stream, cutoff, scales, alpha, *, also_low_numbers=False):
    """By quadrature over the threshold noise, T = 0; the numbers so far are counted on the way.

    With `also_low_numbers` a number for a value below T - alpha is a failure too.
    """
    b, sigma = scales
    edges = np.unique([*np.linspace(-40 * b, 40 * b, 81), *(alpha * x for x in (-2, -1, 1, 2))])
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    z, weights = (middle + half * nodes).ravel(), (half * weights).ravel()
    right = np.zeros((cutoff + 1, len(z)))  # by how many numbers are out
    right[0] = weights * np.exp(-np.abs(z) / b) / (2 * b)
    for i, place in enumerate(stream):
        value = alpha * PLACES[place]
        low = np.maximum(z - value, -alpha)  # the noise of a right number lies above this
        number = np.maximum(_cdf(alpha / sigma) - _cdf(low / sigma), 0.0)
        if also_low_numbers and place not in LARGE:
            number = 0.0
        below = 0.0 if place in ("high", "far above") else _cdf((z - value) / sigma)
        right[1:], right[0] = right[1:] * below + right[:-1] * number, right[0] * below
        if i < len(stream) - 1:
            right[cutoff] = 0.0  # it aborts before query k
    return 1 - right.sum()


def _cdf(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


@pytest.mark.parametrize("sigma", [0.2, 2.0, 6.0])
@pytest.mark.parametrize(("k", "cutoff"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)])
def test_no_stream_fails_more_often_than_low_values_and_then_c_high_ones(k, cutoff, sigma):
    """Whatever the scales: among all streams of extreme values that the theorem allows."""
    row, worst = Variant("row", 2.0, sigma, False, "same", cutoff), ["low"] * (k - cutoff)
    worst = (*worst, *["high"] * cutoff)
    for alpha in (1.0, 5.0):
        found = {s: failure_by_definition_1(s, cutoff, (2.0, sigma), alpha)
                 for s in allowed_streams(k, cutoff)}  # fmt: skip
        assert math.isclose(found[worst], failure(row, num_queries=k, alpha=alpha), rel_tol=1e-9)
        assert max(found.values()) <= found[worst] + 1e-12


def test_it_is_not_the_worst_if_numbers_for_low_values_are_failures_too():
    """Reference figures: c = k = 2, query noise a tenth of the threshold's, alpha = 1."""
    both, one = ("high", "high"), ("low", "high")
    for stream, strict, fails in ((both, False, 0.337), (one, False, 0.313), (one, True, 0.615)):
        found = failure_by_definition_1(
            stream, cutoff=2, scales=(2.0, 0.2), alpha=1.0, also_low_numbers=strict
        )
        assert math.isclose(found, fails, abs_tol=5e-4)


def find_then_answer_by_enumeration(values, cutoff, alpha, each):
    """Pr[some value above T is not chosen in c rounds, or an answer is off], T = 0, n = 1."""

    def all_found(left, rounds):
        if not any(value > 0 for value in left):
            return 1.0
        if rounds == 0:
            return 0.0
        law = exponential_mechanism_law(left, epsilon=each)
        return sum(p * all_found(left[:i] + left[i + 1 :], rounds - 1) for i, p in enumerate(law))

    within = 2 * laplace.cdf(alpha, scale=1 / each) - 1
    return 1 - all_found(list(values), cutoff) * within**cutoff


@pytest.mark.parametrize(("k", "cutoff"), [(1, 1), (4, 1), (4, 2), (5, 3), (3, 3)])
def test_finding_and_answering_by_enumeration_of_all_choices(k, cutoff):
    """c rounds on c values at T + alpha among k, each of the 2c steps with epsilon / 2c."""
    for alpha in (0.2, 1.5):
        values = [10 * alpha] * cutoff + [-10 * alpha] * (k - cutoff)
        want = find_then_answer_by_enumeration(values, cutoff, 10 * alpha, 0.7 / (2 * cutoff))
        found = find_then_answer_failure(
            num_queries=k, n=10, cutoff=cutoff, alpha=alpha, epsilon=0.7
        )
        assert math.isclose(found, want, rel_tol=1e-12)


def test_no_stream_is_harder_to_find_than_c_high_values():
    """All streams of five values, at most c = 2 of them at T - alpha or above (T = 0)."""
    alpha, each, cutoff = 3.0, 0.5, 2
    worst = find_then_answer_by_enumeration([alpha] * 2 + [-alpha] * 3, cutoff, alpha, each)
    for stream in itertools.combinations_with_replacement([-30.0, -alpha, 0.0, alpha, 30.0], 5):
        if sum(value > -alpha for value in stream) <= cutoff:
            assert find_then_answer_by_enumeration(stream, cutoff, alpha, each) <= worst + 1e-12


@given(
    st.integers(1, 30),
    st.integers(0, 10**9),
    st.floats(1e-6, 0.9),
    st.sampled_from([0.0, 1e-9, 0.1]),
)
def test_the_alpha_of_finding_and_answering_is_enough(cutoff, more, beta, delta):
    k = cutoff + more
    bound, exact = (
        f(num_queries=k, n=7, cutoff=cutoff, beta=beta, epsilon=0.3, delta=delta)
        for f in (find_then_answer_alpha, find_then_answer_alpha_exact)
    )
    assert exact <= bound * (1 + 1e-12)  # equal at c = k = 1
    fails, fails_exactly = find_then_answer_failure(
        num_queries=k, n=7, cutoff=cutoff, alpha=[bound, exact], epsilon=0.3, delta=delta
    )
    assert fails <= beta * (1 + 1e-12)
    assert math.isclose(fails_exactly, beta, rel_tol=1e-9)


def test_the_formula_of_finding_and_answering():
    pure = find_then_answer_alpha(num_queries=1000, n=20_190, cutoff=5, beta=0.05, epsilon=0.5)
    assert math.isclose(pure, 10 * (math.log(1000) + math.log(5 / 0.05)) / (0.5 * 20_190))
    tiny = find_then_answer_alpha(
        num_queries=1000, n=20_190, cutoff=5, beta=0.05, epsilon=0.5, delta=[0.0, 1e-12]
    )
    assert tiny.tolist() == pytest.approx([pure] * 2)  # ten steps: basic composition is better
    with_delta = find_then_answer_alpha(
        num_queries=1000, n=20_190, cutoff=50, beta=0.05, epsilon=0.5, delta=1e-3
    )
    each = (math.log(1000) + math.log(50 / 0.05)) / (20_190 * with_delta)
    assert math.isclose(advanced_composition(runs=100, epsilon=each, delta=1e-3), 0.5, rel_tol=1e-9)
    several = find_then_answer_alpha_exact(
        num_queries=[[9], [99]], n=20_190, cutoff=5, beta=[0.01, 0.2], epsilon=0.5
    )
    each = [[find_then_answer_alpha_exact(num_queries=k, n=20_190, cutoff=5, beta=b, epsilon=0.5)
             for b in (0.01, 0.2)] for k in (9, 99)]  # fmt: skip
    np.testing.assert_allclose(several, each, rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_queries": 4}, "num_queries must be at least the cutoff 5, got 4"),
        ({"cutoff": [1, 2]}, r"cutoff must be a single number up to .* got \[1.0, 2.0\]"),
        (
            {"cutoff": 10**8, "num_queries": 10**9},
            r"cutoff must be .* up to 10\*\*7, got 100000000",
        ),
    ],
)
def test_what_cannot_be_found_is_refused(changes, message):
    arguments = {"num_queries": 10, "n": 1, "cutoff": 5, "epsilon": 1.0} | changes
    for function in (find_then_answer_alpha, find_then_answer_alpha_exact):
        with pytest.raises(ValueError, match=message):
            function(beta=0.1, **arguments)
    with pytest.raises(ValueError, match=message):
        find_then_answer_failure(alpha=0.1, **arguments)


def log_rare(m, s):
    """ln Pr[m times ⊥, then a number at most T] for values at T; s = n ε σ, closed form."""
    return math.log(s) - (m + 1) * math.log(2) - math.log((s + 2 * m) * (s + 2 * m + 2))


@pytest.mark.parametrize(("cutoff", "delta"), [(1, 0.0), (3, 0.0), (1, 1e-15), (2, 0.01)])
def test_how_rare_a_low_number_after_m_below_is(cutoff, delta):
    """Against the integral over the number, whatever epsilon; on the neighbour e^(-m ε/s) of it."""
    s = math.sqrt(32 * cutoff * math.log(1 / delta)) if delta else 2 * cutoff
    for epsilon, m in ((0.3, 2), (2.0, 9)):
        row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
        for values, more in (([0, 0], 0.0), ([1, 0], m * epsilon / s)):

            def density(a, values=values, row=row, m=m):
                return math.exp(
                    log_probability(row, values, [BELOW, a], threshold=0, counts=[m, 1])
                )

            mass = quad(density, -60 / epsilon, 0, epsabs=0)[0]
            assert math.isclose(math.log(mass), log_rare(m, s) - more, rel_tol=1e-7)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_theorem_4_is_false_for_every_small_delta_tried(epsilon):
    """One pair of streams and one event: Pr_D - e^ε Pr_D′ exceeds δ, by ever more as δ falls."""
    excess = []
    for power in (20, 24, 50, 100, 300, 10_000):
        log_inverse = power * math.log(10)
        s = math.sqrt(32 * log_inverse)
        m = math.ceil(s) + 1
        excess.append(log_rare(m, s) + math.log(-math.expm1(epsilon * (1 - m / s))) + log_inverse)
    assert excess[0] > 0 and excess == sorted(excess)


@pytest.mark.parametrize(("cutoff", "m", "loss"), [(1, 10, 5.0), (3, 50, 8.3333), (1, 8, 4.0)])
def test_theorem_3_is_false(cutoff, m, loss):
    """m times ⊥, then the number 0, loses m ε / 2c as printed, and at most ε when repaired."""
    pair, transcript = ([0, 0], [1, 0]), [BELOW, 0.0]
    for name, want in (("lecture11_sparse", m / (2 * cutoff)), ("lecture11_repaired", None)):
        row = member(name, cutoff=cutoff, epsilon=1.0)
        found = exact_loss(row, *pair, transcript, threshold=0, counts=[m, 1])
        if want is None:
            assert found <= 1
        else:
            assert math.isclose(found, want, rel_tol=1e-9)
            assert math.isclose(found, loss, abs_tol=5e-5)


def test_the_loss_for_delta_above_0_is_unbounded_too():
    """Reference figure: m ε / √(32 c ln(1/δ))."""
    row = member("lecture11_sparse", cutoff=2, epsilon=1.0, delta=1e-6)
    found = exact_loss(row, [0, 0], [1, 0], [BELOW, 0.0], threshold=0, counts=[1000, 1])
    assert math.isclose(found, 1000 / math.sqrt(64 * math.log(1e6)), rel_tol=1e-9)


def test_the_docstring_says_first_that_it_is_not_private():
    assert sparse_as_printed.__doc__.startswith("NOT PRIVATE")


@pytest.mark.parametrize("mechanism", BOTH)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 0}, "n must be a whole number, 1 or greater, got 0"),
        ({"n": -5}, "n must be a whole number, 1 or greater, got -5"),
        ({"n": 2.5}, "n must be a whole number, 1 or greater, got 2.5"),
        ({"cutoff": 0}, "cutoff must be a whole number, 1 or greater, got 0"),
        ({"cutoff": 1.5}, "cutoff must be .* got 1.5"),
        ({"delta": 1}, "delta must be a number with 0 <= delta < 1, got 1"),
        ({"threshold": math.nan}, "threshold must be a finite number, got nan"),
        ({"queries": []}, "queries must not be empty"),
    ],
)
def test_bad_input_is_refused_on_the_call(mechanism, changes, message):
    arguments = {"queries": asking([1]), "n": 9, "threshold": 0.0, "cutoff": 2, "epsilon": 1.0}
    arguments |= changes
    queries = arguments.pop("queries")
    with pytest.raises(ValueError, match=message):
        mechanism(None, queries, **arguments, rng=np.random.default_rng())


def test_what_no_composition_theorem_proves_is_refused():
    with pytest.raises(ValueError, match="epsilon must be at most .* not proved.* got 20$"):
        run(sparse_repaired, [1], [], n=9, threshold=0.0, cutoff=100, epsilon=20.0, delta=0.1)


@pytest.mark.parametrize("mechanism", BOTH)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_query_without_a_finite_value_is_not_answered(mechanism, delta):
    queries, rng = asking([1e6, math.nan]), np.random.default_rng(0)
    stream = mechanism(
        None, queries, n=9, threshold=0.0, cutoff=2, epsilon=9.0, delta=delta, rng=rng
    )
    assert isinstance(next(stream), float)
    with pytest.raises(ValueError, match="a query must return a finite number, got nan"):
        next(stream)


def test_finding_and_answering_takes_up_to_10_to_the_7_choices():
    found = find_then_answer_alpha(num_queries=10**8, n=10, cutoff=10**7, beta=0.1, epsilon=1.0)
    assert math.isclose(found, 2e7 * (math.log(1e8) + math.log(1e8)) / 10)
    with pytest.raises(ValueError, match="cutoff must be .* got 10000001"):
        find_then_answer_alpha(num_queries=10**8, n=10, cutoff=10**7 + 1, beta=0.1, epsilon=1.0)
