"""The trial engine against the slides' code (same noise) and the exact law (own noise)."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest
from scipy.stats import laplace as laplace_law

from course_lib.exact.above_threshold import above_threshold_failure
from course_lib.exact.family import ROWS, Variant, member, run_variant
from course_lib.exact.integral import log_cdf
from course_lib.exact.transcripts import (
    first_above_law,
    log_probability,
    wrong_answer_probability,
)
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab import trials
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.noise import GivenNoise
from course_lib.lab.trials import (
    Transcripts,
    above_threshold_trials,
    failures,
    fill_above,
    laplace,
    measured_errors,
    run_trials,
)
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError
from tests.family import asking

eighths = st.integers(-40, 40).map(lambda i: i / 8)  # so that values and noise often meet exactly


@given(
    st.lists(eighths, min_size=1, max_size=8),
    eighths,
    st.lists(st.lists(eighths, min_size=12, max_size=12), min_size=1, max_size=4),
    st.sampled_from([1, 2, 3, None]),
    st.booleans(),
    st.integers(1, 8),
)
def test_slide_code_and_engine_give_identical_transcripts_from_identical_noise(
    values, threshold, noise, cutoff, redrawn, split
):
    """The engine in one block or two; redrawn thresholds and numbers with the noise compared."""
    noise, cutoff = np.array(noise), cutoff or 1 if redrawn else cutoff
    row = Variant("row", 2.0, 4.0, redrawn, "same", cutoff)
    width = len(values) if cutoff is None else min(cutoff, len(values))
    thresholds = threshold + 2 * noise[:, :4]
    thresholds = thresholds[:, :cutoff] if redrawn else thresholds[:, :1]
    noisy, count = values + 4 * noise[:, 4 : 4 + len(values)], np.zeros(len(noise), dtype=int)
    shape = len(noise), width
    engine = Transcripts(np.full(shape, len(values)), np.full(shape, np.nan))
    running = np.arange(len(noise))
    for start, stop in ((0, split), (split, len(values))):
        part = np.ascontiguousarray(noisy[running, start:stop])
        fill_above(row, engine, count, running, start, part, thresholds)
        running = running[count[running] < width]
    for line, above, numbers in zip(noise, engine.above, engine.numbers, strict=True):
        by_slide = []
        draws = _in_order(line)
        for answer in run_variant(row, None, asking(values), threshold=threshold, rng=draws):
            by_slide.append(answer)
        places = [i for i, answer in enumerate(by_slide) if answer is not BELOW]
        assert above.tolist() == places + [len(values)] * (width - len(places))
        assert numbers[: len(places)].tolist() == [by_slide[i] for i in places]
        assert np.isnan(numbers[len(places) :]).all()


def _in_order(line):
    """The noise of one run in the order in which the slides' code asks for it."""
    thresholds, queries = iter(line[:4]), iter(line[4:])
    return GivenNoise(lambda scale: scale * next(thresholds if scale == 2.0 else queries))


FAMILY_VALUES, FAMILY_COUNTS = np.array([-2.0, 1.0, -3.0, 0.0, 2.0]), np.array([1, 2, 1, 1, 1])


def law_of_places(row, stream, threshold):
    """The exact probability of each set of places of the ABOVE."""
    bare, law = replace(row, released=None), {}
    for answers in itertools.product([BELOW, ABOVE], repeat=len(stream)):
        places = tuple(i for i, answer in enumerate(answers) if answer is ABOVE)
        if row.cutoff is not None and len(places) > row.cutoff:
            continue
        end = places[-1] + 1 if len(places) == row.cutoff else len(stream)
        law[places] = math.exp(
            log_probability(bare, stream[:end], answers[:end], threshold=threshold)
        )
    return law


ENDLESS = {"stoddard", "chen"}


@pytest.mark.parametrize(
    ("name", "in_runs"),
    [(name, False) for name in ROWS] + [(name, True) for name in ROWS if name not in ENDLESS],
)
def test_places_of_the_answers_above_have_the_exact_law(name, in_runs):
    """Chi-square at level 1e-6, 200,000 trials: a scale off by 10% is refused with 0.95 or more."""
    row = member(name, cutoff=1 if name == "above_threshold" else 2, epsilon=1.5)
    stream, counts = np.repeat(FAMILY_VALUES, FAMILY_COUNTS), None
    law = law_of_places(row, stream, 0.5)
    assert math.isclose(sum(law.values()), 1, rel_tol=1e-9)
    values = stream
    if in_runs:
        values, counts = FAMILY_VALUES, FAMILY_COUNTS
    rng = np.random.default_rng(1)
    above = run_trials(row, values, threshold=0.5, trials=200_000, counts=counts, rng=rng).above
    code = (above * 7 ** np.arange(above.shape[1])).sum(axis=1)
    wanted = {}
    for places, probability in law.items():
        padded = [*places, *[len(stream)] * (above.shape[1] - len(places))]
        wanted[sum(p * 7**i for i, p in enumerate(padded))] = probability
    seen = np.array([np.count_nonzero(code == each) for each in wanted])
    expected = 200_000 * np.array(list(wanted.values()))
    assert seen.sum() == 200_000 and (seen[expected < 1e-6] == 0).all()
    rare = expected < 5
    first = np.flatnonzero(~rare)[0]
    for counts in (seen, expected):  # what is too rare to be judged alone joins another
        counts[first] += counts[rare].sum()
    assert chisquare(seen[~rare], expected[~rare]).pvalue > 1e-6


def test_a_row_that_never_halts_takes_no_runs():
    row = member("chen", cutoff=1, epsilon=1.0)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="counts must be None for chen, which never halts"):
        run_trials(row, [1.0], threshold=0.0, trials=3, counts=[10**9], rng=rng)


@pytest.mark.parametrize("counts", [None, [1, 1, 1]])
def test_fresh_numbers_are_the_value_and_laplace_noise(counts):
    """Kolmogorov–Smirnov at level 1e-6; 80,000 numbers see a scale off by 8% nearly always."""
    row = member("numeric_sparse", cutoff=2, epsilon=1.0)
    values = [-3.0, 500.0, 700.0]
    rng = np.random.default_rng(2)
    runs = run_trials(row, values, threshold=0.0, trials=40_000, counts=counts, rng=rng)
    shown = runs.above < 3
    errors = runs.numbers[shown] - np.array([*values, 0])[runs.above[shown]]
    assert np.isnan(runs.numbers[~shown]).all() and len(errors) > 60_000
    assert kstest(errors, laplace_law(scale=row.release_scale).cdf).pvalue > 1e-6


@pytest.mark.parametrize("value", [-9.0, 0.5, 9.0])
@pytest.mark.parametrize("counts", [None, [1]])
def test_numbers_with_the_noise_compared_have_the_exact_density(value, counts):
    """20 bins of equal numbers, chi-square at 1e-6; power 0.99 for a query scale off by 10%."""
    row = member("lecture11_sparse", cutoff=1, epsilon=1.0)
    rng = np.random.default_rng(4)
    runs = run_trials(row, [value], threshold=0.0, trials=100_000, counts=counts, rng=rng)
    numbers = np.sort(runs.numbers[runs.above == 0])
    edges = np.quantile(numbers, np.linspace(0, 1, 21))[1:-1]
    grid = np.linspace(-80, 100, 36_001)
    density = np.exp(log_probability(row, [value], [grid], threshold=0.0))
    cdf = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)]) * (grid[1] - grid[0])
    law = np.diff(np.concatenate([[0], np.interp(edges, grid, cdf), [cdf[-1]]]))
    seen = np.histogram(numbers, np.concatenate([[-np.inf], edges, [np.inf]]))[0]
    none = 100_000 - len(numbers)
    expected = 100_000 * np.append(law, 1 - law.sum())
    assert chisquare(np.append(seen, none), expected).pvalue > 1e-6


@pytest.mark.parametrize("name", ["sparse", "numeric_sparse", "lecture11_sparse", "lyu_su_li"])
@pytest.mark.parametrize("k", [50, 10**12])
def test_failures_of_the_family_in_runs_agree_with_the_exact_probability(name, k):
    """20,000 trials at a failure probability near 0.3, interval of confidence 1 - 1e-6."""
    row = member(name, cutoff=3, epsilon=1.0)
    alpha = row.query_scale * (math.log(k) + 0.5)
    low, extra = divmod(k - 3, 3)
    values, counts = [], []
    for high in range(3):
        values += [-alpha, alpha]
        counts += [low + (high < extra), 1]
    rng = np.random.default_rng(k % 1000)
    runs = run_trials(row, values, threshold=0.0, trials=20_000, counts=counts, rng=rng)
    right = (runs.above == np.cumsum(np.add(counts[::2], 1)) - 1).all(axis=1)
    if row.released:
        with np.errstate(invalid="ignore"):
            right &= (np.abs(runs.numbers - alpha) <= alpha).all(axis=1)
    failed = 20_000 - np.count_nonzero(right)
    low, high = clopper_pearson(failed, 20_000, confidence=1 - 1e-6)
    assert low < failure(row, num_queries=k, alpha=alpha) < high and 200 < failed < 19_000


def test_noise_is_laplace():
    """Kolmogorov–Smirnov at level 1e-6; 100,000 draws see a scale off by 8% nearly always."""
    noise = laplace(np.random.default_rng(5), 3.0, np.empty((100, 1000)))
    assert noise.shape == (100, 1000)
    assert kstest(noise.ravel(), laplace_law(scale=3.0).cdf).pvalue > 1e-6
    assert abs(np.corrcoef(noise[:, ::2].ravel(), noise[:, 1::2].ravel())[0, 1]) < 0.03


def test_noise_is_the_scale_times_an_exponential_with_a_sign():
    noise = laplace(np.random.default_rng(5), 3.0, np.empty((4, 9)))
    assert (np.abs(noise) == 3 * np.random.default_rng(5).standard_exponential((4, 9))).all()


@pytest.mark.parametrize("counts", [None, [1, 1, 1]])
def test_each_noise_has_the_scale_of_its_row(monkeypatch, counts):
    asked = []

    def zeros(rng, scale, out):
        asked.append(scale)
        out[:] = 0
        return out

    monkeypatch.setattr("course_lib.lab.trials.laplace", zeros)
    row = member("numeric_sparse", cutoff=2, epsilon=0.7)
    values, rng = [-900.0, 5.0, 900.0], np.random.default_rng(0)
    found = run_trials(row, values, threshold=0.0, trials=3, counts=counts, rng=rng)
    queries = [row.query_scale] * (counts is None)  # in runs the law of a run takes their place
    assert asked == [row.threshold_scale, *queries, row.release_scale]
    assert found.numbers[:, -1].tolist() == [900.0] * 3


def test_in_runs_the_law_of_a_run_has_the_scale_of_the_queries(monkeypatch):
    """A clock of 1, σ = 2, the noisy threshold 24: F = 1 - e^-12 / 2, ⊤ after ⌊1 / -ln F⌋ times ⊥.

    Beyond the threshold the noise is exponential, so the number is 24 + σ · 1.
    """

    class Clock(np.random.Generator):
        def standard_exponential(self, size):
            return np.ones(size)

    monkeypatch.setattr(
        "course_lib.lab.trials.laplace", lambda rng, scale, out: np.full_like(out, 4.0)
    )
    row = member("lecture11_sparse", cutoff=1, epsilon=1.0)
    assert row.query_scale == 2.0
    rng = Clock(np.random.PCG64(0))
    found = run_trials(row, [0.0], threshold=20.0, trials=1, counts=[10**7], rng=rng)
    assert found.above.tolist() == [[int(1 / -math.log1p(-math.exp(-12) / 2))]]
    assert found.numbers == pytest.approx(np.array([[26.0]]), rel=1e-12)


@pytest.mark.parametrize("in_runs", [False, True])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_first_above_has_the_exact_law(in_runs, epsilon):
    """Chi-square at level 1e-6, 200,000 trials: a scale off by 10% is refused with 0.99 or more."""
    values, counts = [-4.0, -1.0, 3.0, -2.0], [1, 3, 1, 2]
    stream = np.repeat(values, counts)
    law = first_above_law(
        member("above_threshold", cutoff=1, epsilon=epsilon), stream, threshold=0.5
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
    one, two = (
        above_threshold_trials(
            factor * values,
            threshold=0.0,
            trials=1000,
            epsilon=1 / factor,
            rng=np.random.default_rng(9),
        )
        for factor in (1, 2)
    )
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
    accepted = {"values": [1.0], "threshold": 0.0, "trials": 2, "epsilon": 1.0}
    accepted |= {"rng": np.random.default_rng()}
    with pytest.raises(ValueError, match=message):
        above_threshold_trials(**accepted | changes)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 15])
def test_noise_has_either_sign_at_each_place(size):
    """Of 40 draws all have the same sign with probability 2^-39."""
    rng = np.random.default_rng(0)
    draws = np.array([laplace(rng, 1.0, np.empty(size)) for _ in range(40)])
    assert (draws.min(axis=0) < 0).all() and (draws.max(axis=0) > 0).all()


@pytest.mark.parametrize("counts", [None, [1, 1, 1]])
def test_there_are_no_more_columns_than_the_cutoff_or_the_stream_allows(counts):
    rng = np.random.default_rng(0)
    for cutoff, columns in ((2, 2), (3, 3), (5, 3)):
        row = member("sparse", cutoff=cutoff, epsilon=1.0)
        found = run_trials(row, [9.0] * 3, threshold=0.0, trials=4, counts=counts, rng=rng)
        assert found.above.shape == (4, columns)


def test_what_comes_before_the_end_of_a_run_is_in_it_in_spite_of_rounding():
    """The clock runs out just before the hazards of n queries have added up, and yet, rounded, the
    quotient of the two is n; the last of the n queries is ⊤.
    """

    class JustBefore:
        """No noise on the threshold, and this clock."""

        bytes = bytes

        def standard_exponential(self, size=None, out=None):
            if out is None:
                return np.full(size, clock)
            out[:] = 0

    hazard = -float(log_cdf(0.0))
    assert hazard == pytest.approx(math.log(2))
    number = next(n for n in range(1, 1000) if math.nextafter(n * hazard, 0) / hazard >= n)
    clock = math.nextafter(number * hazard, 0)
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    result = trials._in_runs(row, [0.0], np.array([number]), 0.0, 1, JustBefore())
    assert result.above.tolist() == [[number - 1]]


def test_a_dense_stream_may_be_longer_than_the_noise_drawn_at_a_time():
    values = np.full(trials._CELLS + 1, -1e6)
    values[-1] = 1e6
    rng = np.random.default_rng(0)
    first = above_threshold_trials(values, threshold=0.0, trials=2, epsilon=1.0, rng=rng)
    assert first.tolist() == [trials._CELLS] * 2


def test_as_many_answers_as_are_held_in_memory_are_given(monkeypatch):
    row, rng = member("sparse", cutoff=5, epsilon=1.0), np.random.default_rng(0)
    with pytest.raises(ParameterError, match="trials must be at most 536,870,912 here, got "):
        run_trials(row, [0.0, 0.0], threshold=0.0, trials=2**29 + 1, rng=rng)
    monkeypatch.setattr(trials, "_MOST_ANSWERS", 7)
    assert run_trials(row, [0.0, 0.0], threshold=0.0, trials=3, rng=rng).above.shape == (3, 2)
    with pytest.raises(ParameterError, match="trials must be at most 3 here, got 4"):
        run_trials(row, [0.0, 0.0], threshold=0.0, trials=4, rng=rng)
    monkeypatch.setattr(trials, "_MOST_ANSWERS", 6)
    assert run_trials(row, [0.0, 0.0], threshold=0.0, trials=3, rng=rng).above.shape == (3, 2)


@pytest.mark.parametrize(
    ("name", "cutoff", "delta", "k"),
    [
        ("above_threshold", 1, 0.0, 1),
        ("above_threshold", 1, 0.0, 1000),
        ("sparse", 3, 0.0, 4),  # half of the values are high, not three
        ("numeric_sparse", 3, 1e-6, 4),
        ("numeric_sparse", 10, 0.0, 10**12),
        ("lyu_su_li", 3, 0.0, 100),
        ("lecture11_sparse", 5, 0.0, 1000),
        ("lecture11_sparse", 2, 1e-3, 2),
        ("lecture11_repaired", 2, 0.0, 50),
    ],
)
def test_failures_have_the_exact_rate(name, cutoff, delta, k):
    """20,000 runs at a rate of 0.3, 99.9% each; power: noise that is a quarter wider moves the rate
    by 0.03 or more, three times the reach of the interval.
    """
    row = member(name, cutoff=cutoff, epsilon=1.0, delta=delta)
    alpha = alpha_exact(row, num_queries=k, beta=0.3)
    seen = failures(row, num_queries=k, alpha=alpha, trials=20_000, seed=11)
    low, high = clopper_pearson(seen, 20_000, confidence=0.999)
    assert low <= 0.3 <= high
    assert failure(row, num_queries=k, alpha=0.8 * alpha) > 0.33


def test_as_many_queries_fail_as_a_whole_number_holds():
    """2^62, and not the next float: every run fails, for all noise is below so many others."""
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    point = {"alpha": 3.0, "trials": 50, "seed": 0}
    assert failures(row, num_queries=2**62, **point) == 50
    with pytest.raises(ParameterError, match=r"num_queries must be at most 2\^62, got"):
        failures(row, num_queries=[5, 2**62 + 2**10], **point)


def test_failures_of_many_points_are_those_of_each_and_of_any_epsilon():
    row, other = (member("sparse", cutoff=3, epsilon=epsilon) for epsilon in (1.0, 0.3))
    k, alpha = np.array([5, 100]), np.array([[20.0], [60.0]])
    table = failures(row, num_queries=k, alpha=alpha, trials=500, seed=2)
    for (i, j), seen in np.ndenumerate(table):
        found = failures(row, num_queries=int(k[j]), alpha=float(alpha[i, 0]), trials=500, seed=2)
        assert found == seen
    again = failures(other, num_queries=k, alpha=alpha / 0.3, trials=500, seed=2)
    assert again.tolist() == table.tolist()
    assert failures(row, num_queries=k, alpha=alpha, trials=500, seed=3).tolist() != table.tolist()


def test_largest_errors_by_hand():
    """Values 4, 9, 16 and T = 6, two numbers at most; what comes after the second is not said."""
    nan, values = np.nan, [4.0, 9.0, 16.0]
    above = np.array([[3, 3], [1, 3], [0, 1], [0, 2], [1, 2], [2, 3]])
    numbers = np.array([[nan, nan], [9.5, nan], [4.0, 8.0], [4.0, 16.0], [13.0, 16.0], [15.5, nan]])
    errors = Transcripts(above, numbers).largest_errors(values, threshold=6.0)
    assert errors.tolist() == [10.0, 10.0, 2.0, 3.0, 4.0, 3.0]
    errors = Transcripts(above, None).largest_errors(values, threshold=6.0)
    assert errors.tolist() == [10.0, 10.0, 2.0, 3.0, 0.0, 3.0]


@pytest.mark.parametrize("name", ["above_threshold", "sparse", "numeric_sparse"])
def test_measured_errors_pass_alpha_with_the_exact_probability(name):
    """20,000 runs, four alphas at 99.9% each; power: a scale off by 10% moves a rate by 0.02."""
    row = member(name, cutoff=1 if name == "above_threshold" else 2, epsilon=1.0)
    values = [-3.0, 2.0, -20.0, 30.0]
    errors = measured_errors(row, values, threshold=1.0, trials=20_000, seed=6)
    alphas = np.array([0.5, 3.0, 15.0, 25.0])
    exact = wrong_answer_probability(row, values, threshold=1.0, alpha=alphas)
    seen = np.count_nonzero(errors[:, None] > alphas, axis=0)
    low, high = clopper_pearson(seen, 20_000, confidence=0.999)
    assert ((low <= exact) & (exact <= high)).all() and exact[0] > exact[-1]
