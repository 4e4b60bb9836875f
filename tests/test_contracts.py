"""What is in range and what is not, at the borders; what the decorators keep and add."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from course_lib.linear_queries import Universe
from course_lib.support.contracts import (
    NOT_NEGATIVE,
    NOT_NEGATIVES,
    RANGES,
    TWO_OR_MORE,
    ParameterError,
    Range,
    check,
    checked_arrays,
    checked_numbers,
    finite,
    shown,
    theorem,
)

TINY = 5e-324
BELOW, ABOVE = np.nextafter(1e-50, 0), np.nextafter(1e50, math.inf)
POSITIVE = ([1e-50, 1e50], [0, BELOW, -1, ABOVE, math.nan, math.inf])
ZERO_OR_MORE = ([0, 1e-50, 1e50], [-TINY, BELOW, ABOVE, math.nan, math.inf])
REAL = ([-1e50, 0, TINY, 1e50], [-ABOVE, ABOVE, math.nan, math.inf, -math.inf])
COUNT = ([1, 10**12, 2.0, 1e50], [0, -1, 1.5, ABOVE, 10**400, math.nan, math.inf])
BORDERS = {
    "epsilon": POSITIVE,
    "sensitivity": POSITIVE,
    "delta": ([0, 1e-300, np.nextafter(1, 0)], [1, -TINY, 9e-301, math.nan]),
    "beta": ([1e-200, 0.5, np.nextafter(1, 0)], [0, 1, -0.1, 9e-201, math.nan, math.inf]),
    "confidence": ([1e-300, 0.5, np.nextafter(1, 0)], [0, 1, -0.1, 9e-301, math.nan, math.inf]),
    "prior": ([1e-300, 0.5, np.nextafter(1, 0)], [0, 1, -0.1, 9e-301, math.nan, math.inf]),
    "loss": REAL,
    "alpha": POSITIVE,
    "error": ([0, TINY, 1e50], [-TINY, ABOVE, math.nan, math.inf]),
    "threshold": REAL,
    "noisy_threshold": REAL,
    "value": REAL,
    "answer": REAL,
    "cut": REAL,
    "run": ([1, 1.5, 1e50], [0, np.nextafter(1, 0), ABOVE, math.nan, math.inf]),
    "threshold_share": ([1e-50, 0.5, np.nextafter(1, 0)], [0, 1, BELOW, -0.1, math.nan, math.inf]),
    "shares": ([1e-50, 0.5, np.nextafter(1, 0)], [0, 1, BELOW, -0.1, math.nan, math.inf]),
    "log_inverse": ([1e-50, 1e12], [0, BELOW, -1, np.nextafter(1e12, 1e13), math.nan, math.inf]),
    "places": ([0, 2.0, 99], [-1, 0.5, 100, math.nan, math.inf]),
    "seed": ([0, 1, 2.0, 10**12], [-1, 0.5, math.nan, math.inf]),
    "values": REAL,
    "neighbour": REAL,
    "utilities": REAL,
    "successes": ([0, 1, 10**12], [-1, 0.5, math.nan, math.inf]),
    "histogram": ([0, 1, 10**12, 2.0], [-1, 0.5, math.nan, math.inf]),
    "weights": ([0, TINY, 0.5, 1], [-TINY, np.nextafter(1, 2), math.nan, math.inf]),
    "ones": ([0, TINY, 0.5, 1], [-TINY, np.nextafter(1, 2), math.nan, math.inf]),
    "probabilities": ([0, TINY, 0.5, 1], [-TINY, np.nextafter(1, 2), math.nan, math.inf]),
    "universe_size": ([1, 2**200, 1e100], [0, -1, 1.5, 1.1e100, math.nan, math.inf]),
    "bits": ([0, 1, True, False], [-1, 2, 0.5, math.nan]),
    "epsilon1": POSITIVE,
    "epsilon2": POSITIVE,
    "total": ZERO_OR_MORE,
    "cap": POSITIVE,
    "level": ZERO_OR_MORE,
    "steps": ZERO_OR_MORE,
    "load": ([0, TINY, np.nextafter(0.5, 0)], [-TINY, 0.5, math.nan, math.inf]),
    "dimension": ([1, 2.0, 2**63], [0, -1, 1.5, 2**63 + 2048, math.nan, math.inf]),
} | dict.fromkeys(
    ["n", "num_queries", "num_candidates", "num_below", "cutoff", "runs", "trials", "counts"]
    + ["max_candidates", "support", "sparsity", "size", "entries", "number", "attributes"],
    COUNT,
)


def test_every_range_has_its_borders_here():
    assert BORDERS.keys() == {name for name, rule in RANGES.items() if isinstance(rule, Range)}


@pytest.mark.parametrize("name", BORDERS)
def test_borders_belong_where_the_words_say(name):
    inside, outside = BORDERS[name]
    for value in inside:
        check(**{name: value})
    check(**{name: inside})
    for value in outside:
        for given in (value, [inside[0], value]):
            with pytest.raises(ParameterError, match=f"{name} must be .*, got "):
                check(**{name: given})


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        (NOT_NEGATIVES, [0, TINY, 1e50], [-TINY, ABOVE, math.nan, math.inf]),
        (TWO_OR_MORE, [2, 3.0, 1e50], [1, 2.5, -2, ABOVE, math.nan, math.inf]),
    ],
    ids=["0 or greater", "2 or greater"],
)
def test_borders_of_ranges_that_some_functions_ask_for(rule, inside, outside):
    for value in [*inside, inside]:
        rule.check("x", value)
    for value in outside:
        with pytest.raises(ParameterError, match="x must be .*, got "):
            rule.check("x", value)


def test_the_message_names_parameter_value_and_range():
    with pytest.raises(
        ValueError, match=r"^beta must be a number strictly between 0 and 1, got 2$"
    ):
        check(epsilon=1.0, beta=[0.1, 2.0])


@pytest.mark.parametrize("value", ["ten", "3", b"3", ["1", "2"], [[1], [2, 3]], object()])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ParameterError, match="alpha must be a finite number"):
        check(alpha=value)


def test_nothing_at_all_is_refused():
    with pytest.raises(ParameterError, match=r"values must not be empty, got \[\]"):
        check(values=[])


def test_a_generator_is_checked_before_its_first_step():
    @checked_numbers
    def stream(queries, *, epsilon, rng):
        yield epsilon

    rng = np.random.default_rng()
    assert list(stream([1], epsilon=2.0, rng=rng)) == [2.0]
    for changes in ({"epsilon": 0}, {"rng": 3}):
        with pytest.raises(ParameterError):
            stream([1], **{"epsilon": 1.0, "rng": rng} | changes)
    with pytest.raises(ParameterError, match="queries must not be empty"):
        stream([], epsilon=1.0, rng=rng)


def test_a_mechanism_takes_single_numbers():
    @checked_numbers
    def noisy(*, threshold, epsilon, rng):
        return threshold

    rng = np.random.default_rng()
    for name in ("threshold", "epsilon"):
        with pytest.raises(ParameterError, match=f"{name} must be a single number"):
            noisy(**{"threshold": 0.0, "epsilon": 1.0, "rng": rng} | {name: np.ones(2)})


def test_a_further_check_gets_the_arguments_it_names_on_the_call():
    def refuse_two(*, epsilon, delta):
        if epsilon + delta == 2:
            raise ParameterError("epsilon and delta must not add up to 2")

    @checked_numbers(also=refuse_two)
    def stream(*, epsilon, delta=0.5, rng):
        yield epsilon

    rng = np.random.default_rng()
    assert list(stream(epsilon=2.0, rng=rng)) == [2.0]
    for epsilon, more in ((1.5, {}), (1.75, {"delta": 0.25})):
        with pytest.raises(ParameterError, match="add up to 2"):
            stream(epsilon=epsilon, rng=rng, **more)
    with pytest.raises(ParameterError, match="delta must be"):
        stream(epsilon=1.5, delta=2.0, rng=rng)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_number_too_large_for_a_float_is_refused(value):
    with pytest.raises(ParameterError, match="n must be a whole number"):
        check(n=value)


def test_a_message_shows_the_first_wrong_number_as_it_was_given():
    for value, seen in ((None, "None"), ([0.5, None, math.nan], "None"), ([1, math.nan], "nan")):
        with pytest.raises(ParameterError, match=f"values must be a finite number, got {seen}$"):
            check(values=value)


def test_none_stands_only_for_what_is_optional():
    @checked_arrays
    def f(*, counts=None, epsilon=1.0):
        return counts

    assert f() is f(counts=None) is None
    with pytest.raises(ParameterError, match="epsilon"):
        f(epsilon=None)


def test_a_theorem_keeps_its_name_and_shows_its_statement():
    @theorem("Theorem 9", source="Somebody", latex=r"\alpha = 1")
    def bound(*, beta):
        """A bound."""
        return beta

    assert (bound.__name__, bound.__doc__, bound(beta=0.5)) == ("bound", "A bound.", 0.5)
    assert str(bound.statement) == r"Theorem 9 (Somebody): \alpha = 1"
    assert (
        bound.statement._repr_markdown_() == r"**Theorem 9** (Somebody). $\displaystyle \alpha = 1$"
    )
    with pytest.raises(ParameterError):
        bound(beta=1)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, None, "many", "3", b"1", [1, 2], 10**400, Fraction(10**400, 3)]
)
def test_a_query_must_return_a_finite_number(value):
    with pytest.raises(ParameterError, match="a query must return a finite number, got "):
        finite(value)


def test_a_query_must_return_no_more_than_can_be_scaled():
    assert finite(-1e50) == -1e50
    with pytest.raises(ParameterError, match=r"must return at most 1e\+50 in size, got -1e\+51"):
        finite(-1e51)


def test_a_message_shows_a_number_as_one_writes_it():
    shown_as = {2.0: "2", -3.0: "-3", 2.5: "2.5", np.float64(7): "7", 1e16: "1e+16", 8: "8"}
    assert {value: shown(value) for value in shown_as} == shown_as and shown("2.0") == "'2.0'"


def test_a_message_shows_no_thousands_of_digits():
    assert len(shown(10**400)) < 50 and shown(10**5000) == "a number of thousands of digits"


def test_a_parameter_of_a_kind_must_be_of_it():
    @checked_arrays
    def twice(universe: Universe, *, n=2):
        return n * len(universe)

    universe = Universe(("a", "b"))
    assert twice(universe) == 8
    for other in (None, 3, ("a", "b")):
        with pytest.raises(ParameterError, match="universe must be a Universe, got"):
            twice(other)


def test_a_function_may_allow_more_or_leave_it_to_its_own_check():
    @checked_arrays(alpha=NOT_NEGATIVE)
    def zero_too(*, alpha):
        return alpha

    @checked_numbers(alpha=None, also=lambda alpha: seen.append(alpha))
    def anything(*, alpha):
        return alpha

    seen = []
    assert zero_too(alpha=0) == 0 and anything(alpha="a") == "a" and seen == ["a"]
    with pytest.raises(ParameterError, match="alpha must be a finite number, 0 or greater, got -1"):
        zero_too(alpha=-1)


def test_words_and_streams_are_checked_by_name_as_well():
    for value in ("l2", None, 3, ["l1"]):
        with pytest.raises(ParameterError, match="neighbours must be 'l1' or 'histogram', got"):
            check(neighbours=value)
    for value in (7, None, math.nan):
        with pytest.raises(
            ParameterError, match=f"queries must be a list or a stream, got {value}"
        ):
            check(queries=value)
    check(neighbours="l1", queries=iter(()))


def test_finite_is_a_float():
    assert finite(np.int64(3)) == 3.0 and type(finite(np.int64(3))) is float


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.uint32])
@pytest.mark.parametrize("decorate", [checked_numbers, checked_arrays])
def test_small_whole_numbers_do_not_wrap(decorate, kind):
    @decorate
    def product(*, n, counts):
        return 1000 * n * counts**5

    for counts in (kind(100), np.array([100], kind)):
        assert product(n=kind(100), counts=counts) == 10**15
    assert product(n=2, counts=3.0) == 2000 * 243


@pytest.mark.parametrize("kind", [int, np.int64, np.uint64])
def test_a_mechanism_gets_whole_numbers_with_all_their_digits(kind):
    """Floats hold every second whole number there: this one would become 2^53."""

    @checked_numbers
    def twice(*, n):
        assert type(n) is int
        return 2 * n

    assert twice(n=kind(2**53 + 1)) == 2**54 + 2 and twice(n=3.0) == 6


@pytest.mark.parametrize("kind", [np.float16, np.float32, Fraction, Decimal])
@pytest.mark.parametrize("decorate", [checked_numbers, checked_arrays])
def test_other_kinds_of_numbers_keep_their_digits(decorate, kind):
    @decorate
    def product(*, epsilon, values):
        return epsilon * 1e6 + values

    for values in (kind(0.25), np.array([0.25], np.float16)):
        found = product(epsilon=kind(0.5), values=values)
        assert found == 500_000.25 and np.asarray(found).dtype == np.float64


@pytest.mark.parametrize("value", [[1, 2], (1.0, 2.0), [Fraction(1), 2], np.array([1, 2])])
def test_a_mechanism_gets_many_numbers_as_an_array(value):
    @checked_numbers
    def twice(values):
        return values + values

    assert twice(value).tolist() == [2, 4]


def test_a_formula_gets_floats_of_numpy_single_or_many():
    @checked_arrays
    def inverse(*, num_queries, beta=0.5):
        return 1 / num_queries / beta

    assert type(inverse(num_queries=4)) is np.float64 and inverse(num_queries=4) == 0.5
    np.testing.assert_array_equal(
        inverse(num_queries=[[1], [2]], beta=(0.5, 0.25)), [[2, 4], [1, 2]]
    )


@pytest.mark.parametrize(
    "value", ["3", b"3", 3 + 1j, np.timedelta64(3, "D"), [np.datetime64("now")]]
)
def test_what_is_no_real_number_is_refused(value):
    with pytest.raises(ParameterError, match="values must be a finite number, got"):
        check(values=value)


def test_bounds_take_whole_numbers_beyond_64_bits():
    @checked_arrays
    def logarithm(*, universe_size):
        return np.log(universe_size)

    assert logarithm(universe_size=2**70) == pytest.approx(70 * math.log(2))
    assert logarithm(universe_size=2**62) == pytest.approx(62 * math.log(2))
