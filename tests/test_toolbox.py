"""The toolbox against closed forms, enumeration and mpmath.

Measured rates must lie in a 99.9% Clopper-Pearson interval around the oracle's value; the seeds are
fixed. Each such test states the mistake it would see, with a power above 99%.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest

from course_lib.exact.composition import (
    affordable_runs,
    exact_composition_delta,
    exact_composition_epsilon,
)
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.noise import GivenNoise
from course_lib.support.contracts import ParameterError
from course_lib.toolbox import (
    advanced_composition,
    advanced_pays_from,
    advanced_per_run,
    advanced_shortcut,
    advanced_shortcut_limit,
    basic_composition,
    exponential_mechanism,
    exponential_mechanism_law,
    exponential_mechanism_shortfall,
    laplace_alpha,
    laplace_beta,
    laplace_mechanism,
    posterior,
    randomised_response,
    report_noisy_max,
    shortcut_is_proved,
    shortcut_pays_from,
)
from tests.family import asking


def rng():
    return np.random.default_rng(2024)


def assert_rate(hits, trials, rate):
    low, high = clopper_pearson(hits, trials, confidence=0.999)
    assert low <= rate <= high


def total(runs, epsilon, delta):
    """The full formula, in mpmath."""
    runs, epsilon, delta = mpmath.mpf(runs), mpmath.mpf(epsilon), mpmath.mpf(delta)
    return mpmath.sqrt(2 * runs * mpmath.log(1 / delta)) * epsilon + runs * epsilon * mpmath.expm1(
        epsilon
    )


@pytest.mark.parametrize("prior", [1e-6, 0.2, 0.5, 0.9])
def test_the_posterior_is_the_share_of_one_database_in_what_is_seen(prior):
    # of the runs that end in an output, those on D are a share of p π / (p π + p' (1 - π))
    for here, there in (0.3, 0.1), (0.02, 0.6), (0.4, 0.4):
        with mpmath.workdps(30):
            seen = [mpmath.mpf(prior) * here, (1 - mpmath.mpf(prior)) * there]
            share = float(seen[0] / sum(seen))
        assert posterior(prior=prior, loss=math.log(here / there)) == pytest.approx(share)


def test_an_epsilon_of_one_raises_a_half_to_e_of_one_plus_e():
    ends = posterior(prior=0.5, loss=np.array([-1.0, 1.0]))
    assert ends == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e)])


def test_laplace_noise_has_scale_sensitivity_over_epsilon():
    # the median of |Lap(b)| is b ln 2; power: scales wrong by 15% or more
    generator, scale = rng(), 3 / 0.5
    noise = [
        laplace_mechanism(None, lambda _: 7.0, sensitivity=3, epsilon=0.5, rng=generator) - 7
        for _ in range(4000)
    ]
    assert_rate(np.sum(np.abs(noise) < scale * math.log(2)), 4000, 0.5)
    assert_rate(np.sum(np.array(noise) < 0), 4000, 0.5)


def test_the_scale_that_is_asked_for_is_exact():
    noise = GivenNoise([2.0])
    answer = laplace_mechanism(None, lambda _: 7.0, sensitivity=3, epsilon=0.4, rng=noise)
    assert noise.scales == pytest.approx([7.5], rel=1e-15)
    assert answer == pytest.approx(7 + 2 * 7.5)


def test_laplace_mechanism_asks_the_query_of_the_data():
    answer = laplace_mechanism([1, 2, 3], sum, epsilon=1e9, rng=rng())
    assert answer == pytest.approx(6, abs=1e-6)


@pytest.mark.parametrize("num_queries", [1, 7, 10**6, 10**12])
@pytest.mark.parametrize("beta", [1e-9, 0.05, 0.9])
def test_k_laplace_answers_are_all_within_alpha_except_with_probability_beta(num_queries, beta):
    with mpmath.workdps(50):
        alpha = -mpmath.log(1 - (1 - mpmath.mpf(beta)) ** (mpmath.mpf(1) / num_queries)) / 2
    assert laplace_alpha(num_queries=num_queries, beta=beta, epsilon=2) == pytest.approx(
        float(alpha), rel=1e-13
    )


def test_sensitivity_is_1_unless_said():
    def answers(**said):
        return (
            laplace_mechanism(None, lambda data: 0, epsilon=1.0, rng=rng(), **said),
            exponential_mechanism_law([0, 1], epsilon=1.0, **said).tolist(),
            exponential_mechanism([0, 1] * 9, epsilon=1.0, rng=rng(), **said),
            exponential_mechanism_shortfall(num_candidates=9, beta=0.1, epsilon=1.0, **said),
        )

    assert answers() == answers(sensitivity=1.0)


def test_one_laplace_answer_is_within_ln_20_over_epsilon_with_95_per_cent():
    assert laplace_alpha(num_queries=1, beta=0.05, epsilon=0.1) == pytest.approx(10 * math.log(20))


def test_the_exponential_law_is_proportional_to_exp_of_half_epsilon_u():
    utilities, weights = [3, 1, -2.5], []
    for u in utilities:
        weights.append(math.exp(0.7 * u / (2 * 1.5)))
    law = exponential_mechanism_law(utilities, sensitivity=1.5, epsilon=0.7)
    assert law == pytest.approx(np.array(weights) / sum(weights), rel=1e-14)


def test_the_exponential_law_loses_at_most_epsilon_when_each_utility_moves_by_one():
    utilities, epsilon = np.array([3.0, 1.0, 0.0, 2.0]), 0.8
    law = exponential_mechanism_law(utilities, epsilon=epsilon)
    moves = np.array(list(itertools.product((-1, 0, 1), repeat=4)))
    neighbours = exponential_mechanism_law(utilities + moves, epsilon=epsilon)
    losses = np.abs(np.log(law / neighbours))
    assert losses.max() <= epsilon
    assert losses.max() > epsilon / 2


def test_the_exponential_law_ignores_a_common_shift_however_large():
    law = exponential_mechanism_law([0, 1, 2], epsilon=1)
    assert exponential_mechanism_law([1e6, 1e6 + 1, 1e6 + 2], epsilon=1) == pytest.approx(law)
    # exact: 0.3e15 is known to an eighth, differences of whole numbers are known
    law = exponential_mechanism_law([0, 1, 2], epsilon=0.3)
    far = exponential_mechanism_law([1e15, 1e15 + 1, 1e15 + 2], epsilon=0.3)
    assert far == pytest.approx(law, rel=1e-12)


def test_the_exponential_mechanism_follows_its_law():
    # power: exp(epsilon u) in place of exp(epsilon u / 2), a shift of 0.16 in the first rate
    generator, utilities = rng(), [2, 0, 1]
    chosen = [exponential_mechanism(utilities, epsilon=1, rng=generator) for _ in range(3000)]
    weights = [math.e, 1, math.exp(0.5)]
    for index in range(3):
        assert_rate(chosen.count(index), 3000, weights[index] / sum(weights))


@pytest.mark.parametrize("num_candidates", [100, 10**5])
@pytest.mark.parametrize("beta", [0.5, 0.01])
def test_the_shortfall_holds_with_probability_beta_and_no_smaller_one_would(num_candidates, beta):
    # the worst case has one best candidate and all others exactly at the shortfall
    size = {"sensitivity": 2.0, "epsilon": 0.3}
    shortfall = exponential_mechanism_shortfall(num_candidates=num_candidates, beta=beta, **size)
    utilities = np.full(num_candidates, -shortfall)
    utilities[0] = 0
    failure = exponential_mechanism_law(utilities, **size)[1:].sum()
    # weight (|R| - 1) e^-(ln|R| + ln 1/beta) against weight 1
    weight = (num_candidates - 1) / num_candidates * beta
    assert failure == pytest.approx(weight / (1 + weight), rel=1e-9)
    assert failure <= beta


def test_noisy_max_of_two_errs_as_a_difference_of_two_laplace_variables():
    # Pr[X - Y > g] = e^(-g/b) (1/2 + g/4b) with b = 2/epsilon; power: b = 1/epsilon gives 0.135
    generator = rng()
    queries = [lambda _: 4.0, lambda _: 0.0]
    chosen = [report_noisy_max(None, queries, epsilon=0.5, rng=generator) for _ in range(2000)]
    assert_rate(sum(chosen), 2000, math.exp(-1) * 0.75)


def test_noisy_max_compares_values_with_noise_of_scale_2_over_epsilon():
    """At ε = 0.4 the scale is 5: 3 + 5 · 1 beats 7.9, which stays as it is, and 9 - 5 · 0.4 = 7."""
    noise = GivenNoise([0.0, 1.0, -0.4])
    assert report_noisy_max(None, asking([7.9, 3.0, 9.0]), epsilon=0.4, rng=noise) == 1
    assert noise.scales == pytest.approx([5.0] * 3, rel=1e-15)


def test_noisy_max_reads_the_data_and_takes_a_generator_of_queries():
    queries = (lambda data, i=i: float(data[i]) for i in range(3))
    assert report_noisy_max([1, 5, 2], queries, epsilon=1e9, rng=rng()) == 1


def test_noisy_max_refuses_a_generator_without_queries():
    with pytest.raises(ParameterError, match="queries"):
        report_noisy_max(None, iter(()), epsilon=1, rng=rng())


def test_randomised_response_keeps_a_bit_e_to_epsilon_times_as_often_as_it_flips_it():
    # power: an epsilon off by 5%, 0.259 against 0.269, which is 14 standard deviations
    for bit in (0, 1):
        answers = randomised_response(np.full(400_000, bit), epsilon=1, rng=rng())
        assert_rate(np.sum(answers != bit), 400_000, 1 / (1 + math.e))


def test_randomised_response_flips_each_bit_on_its_own():
    # both of two neighbours are flipped with the square of the probability
    flipped = randomised_response(np.zeros((20_000, 2)), epsilon=1, rng=rng())
    assert_rate(np.sum(flipped.all(axis=1)), 20_000, (1 / (1 + math.e)) ** 2)


def test_basic_composition_adds():
    assert basic_composition(runs=[1, 3], epsilon=0.5).tolist() == [0.5, 1.5]


@pytest.mark.parametrize("runs", [1, 30, 10**12])
@pytest.mark.parametrize("delta", [1e-300, 1e-6, 0.5])
def test_advanced_composition_is_the_full_formula(runs, delta):
    spent = advanced_composition(runs=runs, epsilon=0.3, delta=delta)
    assert spent == pytest.approx(float(total(runs, 0.3, delta)), rel=1e-13)


def test_theorem_3_20_proves_the_shortcut_up_to_8_344_for_100_runs_and_delta_a_tenth():
    with mpmath.workdps(30):
        log = mpmath.log(10)
        limit = mpmath.sqrt(800 * log) * mpmath.log(1 + mpmath.sqrt(log / 50))
    assert f"{float(limit):.3f}" == "8.344"
    assert advanced_shortcut_limit(runs=100, delta=0.1) == pytest.approx(float(limit), rel=1e-14)


@pytest.mark.parametrize("runs", [1, 10, 10**12])
@pytest.mark.parametrize("delta", [1e-100, 1e-6, 0.9])
def test_at_its_limit_the_shortcut_spends_exactly_the_total(runs, delta):
    limit = advanced_shortcut_limit(runs=runs, delta=delta)
    per_run = advanced_shortcut(runs=runs, epsilon=limit, delta=delta)
    assert float(total(runs, per_run, delta)) == pytest.approx(limit, rel=1e-12)


def test_where_no_theorem_proves_the_shortcut_it_is_refused_and_the_message_gives_the_limit():
    advanced_shortcut(runs=100, epsilon=8.34, delta=0.1)
    with pytest.raises(ParameterError, match=r"epsilon must be at most 8\.3440\d .* not proved"):
        advanced_shortcut(runs=100, epsilon=8.35, delta=0.1)
    # 8 ln 10 = 18.4: for one run any total is proved, so the limit is that of 100 runs
    with pytest.raises(ParameterError, match=r"epsilon must be at most 8\.3440\d"):
        advanced_shortcut(runs=[1, 100], epsilon=[[1.0], [9.0]], delta=0.1)


@pytest.mark.parametrize("runs, proved", [(18, True), (19, False)])
def test_basic_composition_proves_every_total_up_to_8_logs_of_runs(runs, proved):
    """8 ln 10 = 18.42, and c runs of ε/√(8c ln 10) add up to ε √(c / 18.42)."""
    assert shortcut_is_proved(runs=runs, epsilon=1e6, delta=0.1) == proved
    if proved:
        each = advanced_shortcut(runs=runs, epsilon=1e6, delta=0.1)
        assert basic_composition(runs=runs, epsilon=each) <= 1e6


@pytest.mark.parametrize("runs", [1, 18, 19, 100, 10**4])
@pytest.mark.parametrize("delta", [1e-6, 0.1, 0.9])
def test_where_the_shortcut_is_proved_exact_composition_agrees(runs, delta):
    totals = np.logspace(-2, 3, 41)
    totals = totals[shortcut_is_proved(runs=runs, epsilon=totals, delta=delta)]
    each = advanced_shortcut(runs=runs, epsilon=totals, delta=delta)
    assert (exact_composition_delta(runs=runs, epsilon=each, total=totals) <= delta).all()


def beyond(runs, epsilon, total):
    """The sum over the numbers of flipped bits, term by term, in 50 digits."""
    with mpmath.workdps(50):
        epsilon, total = mpmath.mpf(epsilon), mpmath.mpf(total)
        flip = 1 / (1 + mpmath.exp(epsilon))
        flips = int(mpmath.ceil((runs - total / epsilon) / 2)) - 1
        term = mpmath.binomial(runs, flips) * flip**flips * (1 - flip) ** (runs - flips)
        found = mpmath.mpf(0)
        while flips >= 0 and (flips > runs * flip or term > 1e-30 * found):
            found += term * (1 - mpmath.exp(total - (runs - 2 * flips) * epsilon))
            term *= flips * (1 - flip) / (flip * (runs - flips + 1))
            flips -= 1
        return float(found)


@pytest.mark.parametrize("runs", [1, 2, 5, 8])
@pytest.mark.parametrize("total", [0.0, 0.9, 2.5])
def test_exact_composition_is_the_sum_over_all_outputs_of_randomised_response(runs, total):
    keep = math.exp(0.6) / (1 + math.exp(0.6))
    excess = 0
    for flips in itertools.product((0, 1), repeat=runs):
        on_ones = math.prod(1 - keep if flip else keep for flip in flips)
        on_zeros = math.prod(keep if flip else 1 - keep for flip in flips)
        excess += max(0, on_ones - math.exp(total) * on_zeros)
    delta = exact_composition_delta(runs=runs, epsilon=0.6, total=total)
    assert delta == pytest.approx(excess, abs=1e-14)


@pytest.mark.parametrize(
    "runs, epsilon, total, size",
    [
        (100, 0.1, 1, 1e-1),
        (1_000, 0.05, 8, 1e-6),
        (10**4, 1.0, 5_500, 1e-23),  # e^5500 is no float
        (10**6, 0.001, 5, 1e-6),
        (10**6, 0.001, 11.8, 1e-30),
        (10**6, 1e-5, 0.11, 1e-30),  # next to the total, losses of 2e-5 apart
        (30, 1e-8, 0, 1e-7),
        (10**4, 1.0, 0, 1),  # nearly all of the mass is far from the losses next to the total
        (10**4, 0.01, 17, 1e-62),  # and here all that counts is far from the mass
    ],
)
def test_exact_composition_has_ten_digits_down_to_1e_62(runs, epsilon, total, size):
    delta = exact_composition_delta(runs=runs, epsilon=epsilon, total=total)
    assert size / 10 < delta < size * 10
    assert delta == pytest.approx(beyond(runs, epsilon, total), rel=1e-10)


@pytest.mark.parametrize(
    "runs, total, delta", [(100, 30, 0.1316), (50, 40, 0.3533), (20, 60, 0.3894), (18, 50, 0)]
)
def test_the_shortcut_fails_where_no_theorem_proves_it(runs, total, delta):
    """Reference figures at δ = 0.1, of which the shortcut promises to take no more."""
    each = total / math.sqrt(8 * runs * math.log(10))
    taken = exact_composition_delta(runs=runs, epsilon=each, total=total)
    assert round(float(taken), 4) == delta
    assert shortcut_is_proved(runs=runs, epsilon=total, delta=0.1) == (delta <= 0.1)


def test_for_delta_near_1_the_shortcut_fails_below_a_total_of_1_too():
    each = 0.99 / math.sqrt(800 * -math.log(0.998))
    assert beyond(100, each, 0.99) > 0.9998
    assert not shortcut_is_proved(runs=100, epsilon=0.99, delta=0.998)


def test_exact_composition_takes_arrays_and_extremes():
    table = exact_composition_delta(runs=[1, 4], epsilon=0.5, total=[[0.2], [0.7], [9.0]])
    for (row, column), delta in np.ndenumerate(table):
        one = exact_composition_delta(runs=(1, 4)[column], epsilon=0.5, total=(0.2, 0.7, 9)[row])
        assert np.ndim(one) == 0 and one == delta
    assert (table[2] == 0).all()
    for epsilon, total, delta in ((1, 1e50, 0), (1e-50, 1, 0), (1e50, 1e49, 1)):
        assert exact_composition_delta(runs=5, epsilon=epsilon, total=total) == delta
    with pytest.raises(ParameterError, match=r"runs must be at most 1e\+12 in size"):
        exact_composition_delta(runs=[1, 10**12 + 1], epsilon=1, total=1)


@pytest.mark.parametrize("runs", [1, 17, 10**12])
@pytest.mark.parametrize("epsilon", [1e-3, 1, 1e6])
@pytest.mark.parametrize("delta", [1e-300, 1e-6, 0.999])
def test_the_epsilon_of_a_run_spends_the_total_exactly(runs, epsilon, delta):
    with mpmath.workdps(40):
        guess = advanced_per_run(runs=runs, epsilon=epsilon, delta=delta)
        per_run = mpmath.findroot(lambda e: total(runs, e, delta) - epsilon, guess)
    assert guess == pytest.approx(float(per_run), rel=1e-12)


def test_the_epsilon_of_a_run_is_never_below_the_shortcut_within_its_range():
    runs = 10.0 ** np.arange(13)
    budget = {"epsilon": 2, "delta": 1e-6}
    assert (advanced_per_run(runs=runs, **budget) >= advanced_shortcut(runs=runs, **budget)).all()


@pytest.mark.parametrize(
    "function",
    [advanced_composition, advanced_shortcut, advanced_per_run],
    ids=lambda f: f.__name__,
)
def test_advanced_composition_needs_a_delta_above_0(function):
    with pytest.raises(ParameterError, match="delta must be a number strictly between 0 and 1"):
        function(runs=2, epsilon=1, delta=0)


@pytest.mark.parametrize(
    "name, call",
    [
        ("epsilon", lambda: laplace_mechanism([], len, epsilon=0, rng=rng())),
        ("sensitivity", lambda: laplace_mechanism([], len, sensitivity=-1, epsilon=1, rng=rng())),
        ("rng", lambda: laplace_mechanism([], len, epsilon=1, rng=np.random)),
        ("query", lambda: laplace_mechanism([], lambda _: math.nan, epsilon=1, rng=rng())),
        ("num_queries", lambda: laplace_alpha(num_queries=0, beta=0.1, epsilon=1)),
        ("beta", lambda: laplace_alpha(num_queries=1, beta=1, epsilon=1)),
        ("utilities", lambda: exponential_mechanism([], epsilon=1, rng=rng())),
        ("utilities", lambda: exponential_mechanism_law([0, math.inf], epsilon=1)),
        ("queries", lambda: report_noisy_max([], [], epsilon=1, rng=rng())),
        ("bits", lambda: randomised_response([0, 2], epsilon=1, rng=rng())),
        ("runs", lambda: basic_composition(runs=1.5, epsilon=1)),
        ("delta", lambda: advanced_composition(runs=1, epsilon=1, delta=1)),
        ("total", lambda: exact_composition_delta(runs=2, epsilon=1, total=-1)),
        ("runs", lambda: advanced_per_run(runs=0, epsilon=1, delta=0.1)),
    ],
)
def test_bad_input_is_refused_by_name(name, call):
    with pytest.raises(ParameterError, match=name):
        call()


@pytest.mark.parametrize(
    "function",
    [
        laplace_alpha,
        exponential_mechanism_shortfall,
        basic_composition,
        advanced_composition,
        advanced_shortcut,
        advanced_shortcut_limit,
        exact_composition_delta,
    ],
    ids=lambda f: f.__name__,
)
def test_a_theorem_carries_its_statement_and_its_source(function):
    assert function.statement.latex and function.statement.source


@pytest.mark.parametrize("k", [1, 3, 1000])
def test_one_of_k_laplace_answers_is_off_with_the_probability_of_the_largest(k):
    """The inverse of laplace_alpha, and 1 - (1 - e^(-εα))^k in mpmath."""
    for beta in (1e-12, 0.05, 0.999):
        alpha = laplace_alpha(num_queries=k, beta=beta, epsilon=0.3)
        assert laplace_beta(num_queries=k, alpha=alpha, epsilon=0.3) == pytest.approx(beta)
    with mpmath.workdps(40):
        exact = [float(1 - (1 - mpmath.exp(-0.3 * mpmath.mpf(a))) ** k) for a in (1, 50, 200)]
    found = laplace_beta(num_queries=k, alpha=[1, 50, 200], epsilon=0.3)
    assert found == pytest.approx(exact, rel=1e-12)
    assert laplace_beta(num_queries=k, alpha=[0.0, 1e40], epsilon=1).tolist() == [1, 0]


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1, 0.9])
def test_the_shortcut_pays_where_it_gives_a_run_more_than_basic_composition(delta):
    c = int(shortcut_pays_from(delta=delta))
    gives = [1 / math.sqrt(8 * n * math.log(1 / delta)) for n in (c - 1, c) if n]
    assert gives[-1] > 1 / c and (c == 1 or gives[0] <= 1 / (c - 1))


@pytest.mark.parametrize("delta", [1e-300, 1e-12, 1e-6, 0.1, 0.9])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 20.0, 1e4])
def test_theorem_3_20_pays_where_runs_of_a_share_each_spend_less_than_all(epsilon, delta):
    c = int(advanced_pays_from(epsilon=epsilon, delta=delta))
    spent = [total(n, epsilon / n, delta) for n in (c - 1, c) if n]
    assert spent[-1] < epsilon and (c == 1 or spent[0] >= epsilon)


def test_where_theorem_3_20_pays_takes_arrays():
    found = advanced_pays_from(epsilon=[1.0, 5.0], delta=[[1e-6], [0.1]])
    assert found.shape == (2, 2) and found[1, 0] == advanced_pays_from(epsilon=1.0, delta=0.1)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1])
def test_the_exact_total_is_below_both_theorems_and_gives_delta(epsilon, delta):
    runs = np.array([1, 3, 30, 100, 10**5])
    exact = exact_composition_epsilon(runs=runs, epsilon=epsilon, delta=delta)
    assert (exact <= basic_composition(runs=runs, epsilon=epsilon)).all()
    assert (exact <= advanced_composition(runs=runs, epsilon=epsilon, delta=delta)).all()
    for number, spent in zip(runs, exact, strict=True):
        if spent > 0:
            assert beyond(int(number), epsilon, spent) == pytest.approx(delta, rel=1e-3)
        else:
            assert beyond(int(number), epsilon, 0) <= delta
    assert (exact[:2] > 0).all() == (delta < 0.1 or epsilon > 0.1)
    least = exact_composition_epsilon(runs=runs[:4], epsilon=epsilon, delta=1e-300)
    assert (least <= basic_composition(runs=runs[:4], epsilon=epsilon)).all()


def test_the_exact_total_at_the_ends_and_for_arrays():
    assert exact_composition_epsilon(runs=7, epsilon=0.5, delta=0.0) == 3.5  # none below is enough
    # one run of randomised response flips with 1/(1 + e): a total of 0 takes (e - 1)/(e + 1)
    assert exact_composition_epsilon(runs=1, epsilon=1, delta=0.47) == 0
    one = exact_composition_epsilon(runs=1, epsilon=1, delta=0.1)
    assert one == pytest.approx(math.log(math.e - 0.1 * (1 + math.e)), rel=1e-8)
    table = exact_composition_epsilon(runs=[1, 7], epsilon=1, delta=[[0.1], [0.0], [1e-6]])
    assert table.shape == (3, 2) and table[0, 0] == one and table[1].tolist() == [1, 7]


@pytest.mark.parametrize(
    ("epsilon", "budget", "delta"), [(0.1, 1.0, 1e-6), (0.1, 0.3, 0.1), (0.02, 1.0, 1e-3)]
)
def test_the_budget_runs_out_where_a_walk_from_one_run_on_says(epsilon, budget, delta):
    within = (
        lambda k: k * epsilon <= budget + 1e-9,
        lambda k: total(k, epsilon, delta) <= budget,
        lambda k: beyond(k, epsilon, budget) <= delta,
    )
    walks = [itertools.takewhile(test, itertools.count(1)) for test in within]
    last = affordable_runs(epsilon=epsilon, total=budget, delta=delta)
    assert list(last) == [max(walk, default=0) for walk in walks]


@pytest.mark.parametrize("runs", [3, 40])
def test_a_budget_may_be_spent_to_the_last(runs):
    delta = exact_composition_delta(runs=runs, epsilon=0.1, total=0.25)
    assert beyond(runs - 1, 0.1, 0.25) < delta < beyond(runs + 1, 0.1, 0.25)
    assert affordable_runs(epsilon=0.1, total=0.25, delta=delta)[2] == runs


def test_a_budget_may_allow_no_run_or_all_that_are_looked_at():
    assert affordable_runs(epsilon=1.0, total=0.5, delta=1e-9) == (0, 0, 0)
    assert affordable_runs(epsilon=1e-9, total=1.0, delta=0.5) == (10**7, 10**7, 10**7)
    with pytest.raises(ParameterError, match="epsilon must be a single number"):
        affordable_runs(epsilon=[1.0, 2.0], total=1.0, delta=0.1)
