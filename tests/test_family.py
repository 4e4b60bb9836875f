"""The rows of the family against the published table, and what each gives against the integral."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.exact.family import ROWS, Variant, member, privacy_loss, run_variant
from course_lib.exact.transcripts import exact_loss
from course_lib.lab.audit import exact_audit
from course_lib.lab.noise import GivenNoise
from course_lib.lecture11_sparse import sparse_as_printed, sparse_repaired
from course_lib.numeric_sparse import numeric_sparse, sparse
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError
from tests.family import asking

PRIVATE = ["above_threshold", "sparse", "numeric_sparse", "lyu_su_li", "lecture11_repaired"]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("lyu_su_li", (4, 24, False, None, 3)),  # ε = 0.5, c = 3
        ("lyu_su_li_monotone", (4, 12, False, None, 3)),
        ("sparse", (12, 24, True, None, 3)),
        ("numeric_sparse", (13.5, 27, True, "fresh", 3, 54)),
        ("lecture11_sparse", (4, 12, False, "same", 3)),
        ("lecture11_repaired", (6, 36, False, "fresh", 3, 18)),
        ("lee_clifton", (8, 8 / 3, False, None, 3)),
        ("stoddard", (4, 0, False, None, None)),
        ("chen", (4, 4, False, None, None)),
    ],
)
def test_rows_are_those_of_the_table(name, row):
    made, wanted = member(name, cutoff=3, epsilon=0.5), Variant(name, *row)
    for field in ("threshold_scale", "query_scale", "release_scale"):
        assert getattr(made, field) == pytest.approx(getattr(wanted, field))
    assert (made.redrawn, made.released, made.cutoff) == (
        wanted.redrawn, wanted.released, wanted.cutoff
    )  # fmt: skip


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize(("cutoff", "epsilon"), [(1, 1.0), (4, 0.3)])
def test_private_rows_give_what_they_claim(name, cutoff, epsilon):
    cutoff = 1 if name == "above_threshold" else cutoff
    assert math.isclose(privacy_loss(member(name, cutoff=cutoff, epsilon=epsilon)), epsilon)
    assert ROWS[name].claims == ROWS[name].gives == "ε"


def test_broken_rows_give_what_the_table_says():
    for cutoff, loss in ((1, 1.75), (2, 3.25), (3, 4.75)):
        row = member("lee_clifton", cutoff=cutoff, epsilon=1.0)
        assert math.isclose(privacy_loss(row), loss)
    for name in ("lecture11_sparse", "stoddard", "chen"):
        assert privacy_loss(member(name, cutoff=2, epsilon=1.0)) == math.inf
    monotone = member("lyu_su_li_monotone", cutoff=5, epsilon=1.0)
    assert math.isclose(privacy_loss(monotone), 1.5)
    assert math.isclose(privacy_loss(monotone, monotone=True), 1.0)
    assert ROWS["lyu_su_li_monotone"].monotone


def test_without_query_noise_a_cutoff_does_not_help():
    silent = Variant("silent", 2.0, 0.0, False, None, 2)
    assert privacy_loss(silent) == exact_audit(silent, num_queries=1).loss == math.inf


scales = st.floats(0.5, 8)
halting = st.builds(
    Variant,
    st.just("any"),
    scales,
    scales,
    st.booleans(),
    st.sampled_from([None, "fresh"]),
    st.integers(1, 3),
    release_scale=scales,
)


@settings(max_examples=25)
@given(halting, st.booleans())
def test_the_closed_form_is_the_limit_of_long_streams(row, monotone):
    found = exact_audit(row, num_queries=10**9, monotone=monotone)
    closed = privacy_loss(row, monotone=monotone)
    assert found.loss <= closed * (1 + 1e-9)
    assert math.isclose(found.loss, closed, rel_tol=1e-3)
    moves = np.subtract(found.neighbour, found.values)
    assert np.abs(moves).max() <= 1 and not (monotone and {-1.0, 1.0} <= set(moves))


moves = st.tuples(st.floats(-9, 9), st.floats(0, 1), st.booleans(), st.sampled_from([-30, 0, 3.5]))


@given(halting, st.lists(moves, min_size=1, max_size=6), st.sampled_from([-1, 1, None]))
def test_no_pair_of_neighbours_loses_more_than_the_closed_form(row, stream, way):
    """Random streams, moves and transcripts; `way` None: each value moves either way."""
    values, sizes, above, numbers = (list(x) for x in zip(*stream, strict=True))
    signs = [way or (1 if i % 2 else -1) for i in range(len(sizes))]
    neighbour = [v + s * size for v, s, size in zip(values, signs, sizes, strict=True)]
    transcript = []
    for is_above, number in zip(above, numbers, strict=True):
        transcript.append((float(number) if row.released else ABOVE) if is_above else BELOW)
        if sum(answer is not BELOW for answer in transcript) == row.cutoff:
            break
    size = len(transcript)
    loss = exact_loss(row, values[:size], neighbour[:size], transcript, threshold=0.5)
    assert abs(loss) <= privacy_loss(row, monotone=way is not None) * (1 + 1e-9)


def test_epsilon_may_be_an_array_in_a_row_and_its_loss():
    for name in (*PRIVATE, "lee_clifton"):
        row = member(name, cutoff=1, epsilon=np.array([0.5, 2.0]))
        each = [privacy_loss(member(name, cutoff=1, epsilon=e)) for e in (0.5, 2.0)]
        np.testing.assert_allclose(privacy_loss(row), each)


@pytest.mark.parametrize(
    ("changes", "answers"),
    [
        ({}, [BELOW, ABOVE, BELOW, ABOVE]),
        ({"cutoff": 1}, [BELOW, ABOVE]),
        ({"cutoff": None}, [BELOW, ABOVE, BELOW, ABOVE, ABOVE]),
        ({"released": "same"}, [BELOW, 2.0, BELOW, 5.0]),
        ({"query_scale": 0.0}, [BELOW, BELOW, ABOVE, ABOVE]),
    ],
)
def test_any_row_by_hand(changes, answers):
    """T̂ = 2; noisy values 1, 2, 1, 5, 6 with noise ±1, and 0, 1, 2, 4, 5 without."""
    fields = {"name": "row", "threshold_scale": 2.0, "query_scale": 1.0, "redrawn": False}
    row = Variant(**fields | {"released": None, "cutoff": 2} | changes)
    rng = GivenNoise([1.0, 1.0, 1.0, -1.0, 1.0, 1.0])
    assert list(run_variant(row, None, asking([0, 1, 2, 4, 5]), threshold=0.0, rng=rng)) == answers


FIELDS = {"name": "row", "threshold_scale": 2.0, "query_scale": 4.0, "redrawn": True}
FIELDS |= {"released": "fresh", "cutoff": 3, "release_scale": 5.0}


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("threshold_scale", (0, -1, math.nan, math.inf, None, "2")),
        ("query_scale", (-1, math.nan, math.inf, None, "2")),
        ("released", ("new", 1, True)),
        ("cutoff", (0, 1.5, -1, math.inf, "1")),
        ("release_scale", (-1, math.nan, None, "2")),
    ],
)
def test_a_row_refuses_a_field_that_no_mechanism_has(field, values):
    Variant(**FIELDS)
    for value in values:
        with pytest.raises(ParameterError, match=f"^{field} must be .*, got {value!r}"):
            Variant(**FIELDS | {field: value})


def test_a_row_may_release_nothing_never_halt_and_leave_queries_without_noise():
    Variant(**FIELDS | {"released": None, "cutoff": None, "release_scale": None, "query_scale": 0})


@given(
    st.lists(st.integers(-400, 400).map(lambda i: i / 8), min_size=1, max_size=8),
    st.integers(1, 3),
    st.lists(st.floats(-4, 4), min_size=30, max_size=30),
    st.sampled_from([0.0, 1e-6]),
)
def test_slides_and_rows_say_the_same_on_the_same_noise(values, cutoff, noise, delta):
    """Lecture 11 has fractions of n = 4 rows: its numbers are a quarter of the row's."""
    for slide, name, size in (
        (sparse, "sparse", {}),
        (numeric_sparse, "numeric_sparse", {}),
        (sparse_as_printed, "lecture11_sparse", {"n": 4}),
        (sparse_repaired, "lecture11_repaired", {"n": 4}),
    ):
        over = size.get("n", 1)
        row = member(name, cutoff=cutoff, epsilon=0.7, delta=delta)
        by_row = run_variant(row, None, asking(values), threshold=3.0, rng=GivenNoise(noise))
        said = slide(
            None,
            asking([value / over for value in values]),
            **size,
            threshold=3.0 / over,
            cutoff=cutoff,
            epsilon=0.7,
            delta=delta,
            rng=GivenNoise(noise),
        )
        scaled = [answer if answer in (ABOVE, BELOW) else answer / over for answer in by_row]
        assert list(said) == [pytest.approx(a) if isinstance(a, float) else a for a in scaled]


def test_a_row_that_redraws_has_a_new_threshold_after_each_above():
    row = Variant("row", 2.0, 1.0, True, "fresh", 3, release_scale=10.0)
    noise = [0.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.25, -9.0]  # T̂ 0; 1 out with 5; T̂ 4; 3 ⊥, 4 out …
    rng = GivenNoise(noise)
    stream = run_variant(row, None, asking([1, 3, 4]), threshold=0.0, rng=rng)
    assert list(stream) == [6.0, BELOW, 6.5]
    assert rng.scales == [2, 1, 10, 2, 1, 1, 10, 2]


def test_rows_without_delta_refuse_it_and_those_with_it_take_it():
    for name in ROWS:
        if name in ("sparse", "numeric_sparse", "lecture11_sparse", "lecture11_repaired"):
            assert member(name, cutoff=1, epsilon=1.0, delta=1e-6).query_scale > 4
        else:
            with pytest.raises(ValueError, match=f"delta must be 0 for {name}, got 1e-06"):
                member(name, cutoff=1, epsilon=1.0, delta=1e-6)


def test_rows_refuse_what_no_composition_theorem_proves():
    for name in ("sparse", "numeric_sparse", "lecture11_repaired"):
        member(name, cutoff=1, epsilon=15.0, delta=0.1)
        with pytest.raises(ValueError, match="epsilon must be at most .* not proved"):
            member(name, cutoff=100, epsilon=15.0, delta=0.1)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("no_such", {}, "name must be 'above_threshold' or .*got 'no_such'"),
        ("above_threshold", {"cutoff": 2}, "cutoff must be 1"),
        ("above_threshold", {"delta": 0.1}, "delta must be 0 for above_threshold, got 0.1"),
        ("above_threshold", {"epsilon": 0.0}, "epsilon must be .* greater than 0, got 0"),
        ("above_threshold", {"cutoff": 0}, "cutoff must be a whole number, 1 or greater, got 0"),
    ],
)
def test_bad_rows_are_named(name, changes, message):
    with pytest.raises(ValueError, match=message):
        member(name, **{"cutoff": 1, "epsilon": 1.0} | changes)
