"""A mechanism of one's own in the place of ours: on the same noise ours gives the same answers."""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.above_threshold import above_threshold
from course_lib.checks.solutions.above_threshold import my_above_threshold
from course_lib.checks.solutions.numeric_sparse import my_sparse
from course_lib.exact.family import Variant, member
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.noise import GivenNoise
from course_lib.lab.own_mechanism import (
    MOST_QUERIES,
    _is_right,
    _row_failures,
    _run_failures,
    own,
    own_failures,
    recorded_run,
    runs_in_step,
    shortest,
)
from course_lib.lecture11_sparse import sparse_as_printed, sparse_repaired
from course_lib.numeric_sparse import numeric_sparse, sparse
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError
from tests.family import asking

# name of the row, cutoff, delta, and the slide with all but threshold, epsilon and noise
SLIDES = [
    ("above_threshold", 1, 0.0, above_threshold, {}),
    ("sparse", 1, 0.0, sparse, {"cutoff": 1}),
    ("sparse", 2, 0.0, sparse, {"cutoff": 2}),
    ("sparse", 3, 1e-6, sparse, {"cutoff": 3, "delta": 1e-6}),
    ("numeric_sparse", 1, 0.0, numeric_sparse, {"cutoff": 1}),
    ("numeric_sparse", 3, 0.0, numeric_sparse, {"cutoff": 3}),
    ("numeric_sparse", 3, 1e-6, numeric_sparse, {"cutoff": 3, "delta": 1e-6}),
    ("lecture11_sparse", 2, 0.0, sparse_as_printed, {"n": 1, "cutoff": 2}),
    ("lecture11_sparse", 2, 1e-6, sparse_as_printed, {"n": 1, "cutoff": 2, "delta": 1e-6}),
    ("lecture11_repaired", 2, 0.0, sparse_repaired, {"n": 1, "cutoff": 2}),
    ("lecture11_repaired", 2, 1e-6, sparse_repaired, {"n": 1, "cutoff": 2, "delta": 1e-6}),
]
each_slide = pytest.mark.parametrize(
    ("name", "cutoff", "delta", "slide", "parameters"),
    SLIDES,
    ids=[f"{name}-{cutoff}-{delta}" for name, cutoff, delta, *_ in SLIDES],
)
eighths = st.integers(-24, 24).map(lambda i: i / 8)  # so that values and noise often meet exactly


@each_slide
@given(
    values=st.lists(eighths, min_size=1, max_size=6),
    threshold=eighths,
    noise=st.lists(st.lists(eighths, min_size=19, max_size=19), min_size=1, max_size=5),
)
def test_runs_in_step_answer_as_the_slides_draw_by_draw(
    name, cutoff, delta, slide, parameters, values, threshold, noise
):
    row = member(name, cutoff=cutoff, epsilon=1.0, delta=delta)
    runs = runs_in_step(row, values, np.array(noise), threshold=threshold)
    assert (runs.numbers is None) == (row.released is None)
    for run, units in enumerate(noise):
        rng = GivenNoise(units)
        answers = list(
            slide(None, asking(values), threshold=threshold, epsilon=1.0, **parameters, rng=rng)
        )
        places = [place for place, answer in enumerate(answers) if answer is not BELOW]
        more = min(cutoff, len(values)) - len(places)
        assert runs.above[run].tolist() == places + [len(values)] * more
        if row.released:
            released = [answers[place] for place in places]
            np.testing.assert_array_equal(runs.numbers[run], released + [np.nan] * more)


def test_a_row_that_never_halts_answers_every_query():
    row = member("chen", cutoff=1, epsilon=1.0)  # threshold and queries have noise of scale 2
    runs = runs_in_step(row, [1.0, -5.0, 2.0], np.array([[0.5, 0.0, 0.0, 9.0]]), threshold=0.0)
    assert runs.above.tolist() == [[0, 2, 3]]


def from_slide(slide, **parameters):
    return own(slide, threshold=0.0, **parameters)


@each_slide
@pytest.mark.parametrize("num_queries", [3, 9, MOST_QUERIES])
def test_the_slide_fails_in_the_same_runs_as_its_row(
    name, cutoff, delta, slide, parameters, num_queries
):
    row = member(name, cutoff=cutoff, epsilon=1.0, delta=delta)
    alpha = alpha_exact(row, num_queries=num_queries, beta=np.array([0.8, 0.3]))
    run = from_slide(slide, epsilon=1.0, **parameters)
    ours, theirs = (
        own_failures(each, row, num_queries=num_queries, alpha=alpha, trials=60, seed=4)
        for each in (None, run)
    )
    assert ours.tolist() == theirs.tolist() and 0 < ours[1] < ours[0] < 60


@each_slide
@pytest.mark.parametrize("num_queries", [3, 8, MOST_QUERIES, MOST_QUERIES + 1, 10**9])
def test_rows_fail_with_the_exact_probability(name, cutoff, delta, slide, parameters, num_queries):
    """10,000 runs, two rates at 99.99% each; power: an alpha off by a fifth moves the rate of 0.3
    by 0.04 or more, twice the reach of the interval.
    """
    row = member(name, cutoff=cutoff, epsilon=0.5, delta=delta)
    rates = np.array([0.3, 0.02])
    alpha = alpha_exact(row, num_queries=num_queries, beta=rates)
    seen = own_failures(None, row, num_queries=num_queries, alpha=alpha, trials=10_000, seed=1)
    low, high = clopper_pearson(seen, 10_000, confidence=0.9999)
    assert ((low <= rates) & (rates <= high)).all()
    assert failure(row, num_queries=num_queries, alpha=0.8 * alpha[0]) > 0.34


def laplace_of_ones_own(data, queries, *, cutoff, epsilon, rng):
    """NumericSparse at T = 0 with the noise as a difference of exponentials."""

    def noise(scale):
        return scale * (rng.exponential() - rng.exponential())

    scale, count = 9 * cutoff / (4 * epsilon), 0
    bar = noise(scale)
    for query in queries:
        if query(data) + noise(2 * scale) < bar:
            yield BELOW
            continue
        yield query(data) + noise(4 * scale)
        count, bar = count + 1, noise(scale)
        if count == cutoff:
            return


def test_noise_drawn_by_another_method_is_new_in_each_run():
    """2,000 runs at a rate of 0.3, 99.9%: were the noise of all runs the same, all would fail or
    none.
    """
    row = member("numeric_sparse", cutoff=2, epsilon=1.0)
    alpha = alpha_exact(row, num_queries=6, beta=0.3)

    def run(_, queries, rng):
        return laplace_of_ones_own(None, queries, cutoff=2, epsilon=1.0, rng=rng)

    (seen,) = own_failures(run, row, num_queries=6, alpha=[alpha], trials=2_000, seed=0)
    low, high = clopper_pearson(seen, 2_000, confidence=0.999)
    assert low <= 0.3 <= high


def test_who_draws_more_than_ours_gets_more_noise():
    """Twenty numbers a query, of which the last counts: new ones, or all runs would fail alike."""
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    drawn = []

    def run(_, queries, rng):
        for query in queries:
            noise = [rng.laplace(scale=1.0) for _ in range(20)]
            drawn.append(noise[-1])
            yield ABOVE if query(None) + noise[-1] >= 0 else BELOW

    own_failures(run, row, num_queries=3, alpha=[1.0], trials=50, seed=0)
    assert len(set(drawn)) == len(drawn) > 50


def test_equal_seeds_give_equal_noise_and_others_other():
    row = member("numeric_sparse", cutoff=2, epsilon=1.0)
    first, again, other = (
        own_failures(None, row, num_queries=9, alpha=[20.0, 60.0], trials=400, seed=seed).tolist()
        for seed in (3, 3, 4)
    )
    assert first == again != other


def test_a_mechanism_of_ones_own_is_asked_few_queries():
    row = member("numeric_sparse", cutoff=2, epsilon=1.0)
    with pytest.raises(
        ParameterError, match="num_queries must be at most 20 with a mechanism of your own, got 21"
    ):
        own_failures(
            from_slide(numeric_sparse, cutoff=2, epsilon=1.0),
            row,
            num_queries=21,
            alpha=[1.0],
            trials=5,
            seed=0,
        )
    assert shortest([1, 20, 21, 100], numeric_sparse) == [1, 20]
    assert shortest([1, 20, 21, 100], None) == [1, 20, 21, 100]


HIGH = np.array([False, True])


@pytest.mark.parametrize(
    ("answers", "right"),
    [
        ([BELOW, ABOVE], True),
        ([BELOW, BELOW], False),
        ([ABOVE, ABOVE], False),
        ([BELOW, 3.0], False),
        ([BELOW, True], False),
        (["⊥", "⊤"], False),
        ([False, ABOVE], False),
        ([None, ABOVE], False),
        ([BELOW], False),
        ([], False),
        ([BELOW, ABOVE, BELOW], False),
        ([BELOW, ABOVE, None], False),
        (itertools.chain([BELOW, ABOVE], itertools.repeat(BELOW)), False),
    ],
)
def test_above_and_below_are_right_where_they_belong(answers, right):
    assert _is_right(answers, HIGH, None, 3.0) is right


@pytest.mark.parametrize("released", ["fresh", "same"])
@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (3.0, True),
        (np.float64(5.5), True),
        (0.0, True),
        (6.0, True),
        (6.0 + 1e-9, False),
        (-1e-9, False),
        (float("nan"), False),
        (ABOVE, False),
        (BELOW, False),
        (3, False),
        (True, False),
        ("3.0", False),
        (None, False),
        ([3.0], False),
    ],
)
def test_a_number_is_right_within_alpha_of_its_value(released, answer, right):
    """The value is alpha = 3, so 0 and 6 are the borders."""
    assert bool(_is_right([BELOW, answer], HIGH, released, 3.0)) is right
    assert not _is_right([answer, 3.0], HIGH, released, 3.0) or answer is BELOW


@pytest.mark.parametrize(("unit", "failed"), [(1.0, 0), (-1.0, 0), (1.01, 1), (-1.01, 1)])
def test_a_number_on_the_border_is_right_in_a_row_too(unit, failed):
    """T̂ = 0, the value α = 4 without noise, and Lap(4) for its number."""
    row = member("numeric_sparse", cutoff=1, epsilon=9 / 4)
    noise, run = np.array([[0.0, 0.0, unit]]), from_slide(numeric_sparse, cutoff=1, epsilon=9 / 4)
    assert _row_failures(row, noise, np.array([1.0]), 4.0) == failed
    assert _run_failures(run, row, noise, np.array([1.0]), 4.0) == failed


def test_one_run_gives_its_answers_and_its_noise():
    queries = asking([1.0, 9.0, 2.0])
    answers, draws = recorded_run(
        numeric_sparse, None, queries, seed=6, threshold=5.0, cutoff=1, epsilon=90.0
    )
    rng = np.random.default_rng(6)
    scales = [0.025, 0.05, 0.05, 0.1]  # T̂, two queries, a number
    assert draws == [rng.laplace(scale=scale) for scale in scales]
    assert answers == [BELOW, 9.0 + draws[-1]]


@pytest.mark.parametrize(
    ("name", "slide", "parameters"),
    [
        ("above_threshold", above_threshold, {}),
        ("numeric_sparse", numeric_sparse, {"cutoff": 2, "delta": 1e-3}),
        ("lecture11_sparse", sparse_as_printed, {"n": 2, "cutoff": 2}),
    ],
)
def test_a_mechanism_of_ours_may_be_given_by_its_name(name, slide, parameters):
    queries, given = asking([1.0, 9.0, 2.0, 8.0]), dict(threshold=5.0, epsilon=2.0, **parameters)
    by_name, by_hand = (
        recorded_run(mechanism, None, queries, seed=6, **given) for mechanism in (name, slide)
    )
    assert by_name == by_hand and by_name[1]


def test_more_answers_than_queries_are_refused_however_many():
    def endless(data, queries, *, rng):
        return itertools.repeat(BELOW)

    with pytest.raises(ParameterError, match="each of its queries one answer, got more than 2"):
        recorded_run(endless, None, asking([1.0, 2.0]), seed=0)

    def exact(data, queries, *, rng):
        return [BELOW for _ in queries]

    assert recorded_run(exact, None, asking([1.0, 2.0]), seed=0) == ([BELOW, BELOW], [])


def test_the_worst_stream_of_a_row_without_numbers_may_hold_fewer_high_values():
    """Sparse at c = 3 and k = 3: two high values, so a third ⊤ must not come."""
    row = Variant("sparse", 1e-6, 2e-6, True, None, 3)
    streams = []

    def run(_, queries, rng):
        streams.append([query(None) for query in queries])
        return [ABOVE] * 3

    assert own_failures(run, row, num_queries=3, alpha=[1.0], trials=2, seed=0) == [2]
    assert streams == [[-1.0, 1.0, 1.0]] * 2
    assert own_failures(None, row, num_queries=3, alpha=[1.0], trials=50, seed=0) == [0]


def test_an_answer_to_an_exercise_is_given_the_sensitivity_of_a_count_and_nothing_else():
    queries, given = asking([1.0, 9.0, 2.0]), dict(threshold=5.0, epsilon=2.0)
    ours = recorded_run(above_threshold, None, queries, seed=6, **given)
    assert recorded_run(my_above_threshold, None, queries, seed=6, **given) == ours
    halved = functools.partial(my_above_threshold, sensitivity=0.5)
    assert recorded_run(halved, None, queries, seed=6, **given)[1] == [x / 2 for x in ours[1]]
    with pytest.raises(ParameterError, match=r"no share here; .* partial\(my_sparse, share=…\)"):
        own(my_sparse, threshold=0.0, cutoff=1, epsilon=1.0)
    assert own(functools.partial(my_sparse, share=0.5), threshold=0.0, cutoff=1, epsilon=1.0)


@pytest.mark.parametrize("mechanism", [3, "sparse", min])
def test_what_is_no_function_of_parameters_by_name_is_refused(mechanism):
    with pytest.raises(ParameterError, match="mechanism must be a function"):
        own(mechanism, threshold=0.0)
