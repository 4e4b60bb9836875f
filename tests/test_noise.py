"""Recorded noise against NumPy's own generator, given noise against what was given."""

import itertools
import random

import numpy as np
import pytest

from course_lib.lab.noise import Draw, GivenNoise, RecordedNoise, generator, shared_states
from course_lib.support.contracts import ParameterError

LAWS = [
    ("laplace", (1, 2), {}, [2.0]),
    ("laplace", (0.5,), {"scale": [3, 4]}, [3.0, 4.0]),
    ("laplace", (), {"size": (2, 2)}, [1.0] * 4),
    ("laplace", (0, [[2.0], [7.0]], (2, 2)), {}, [2.0, 2.0, 7.0, 7.0]),
    ("normal", (9.0, 2.5), {}, [2.5]),
    ("gumbel", (9.0, 3), {"size": 2}, [3.0] * 2),
    ("logistic", (9.0, 0.1), {}, [0.1]),
    ("exponential", (5,), {}, [5.0]),
    ("exponential", (), {"scale": 6.0}, [6.0]),
    ("rayleigh", (0.25,), {}, [0.25]),
    ("random", (3,), {}, [1.0] * 3),
    ("gamma", (2.0,), {"scale": 8.0}, [8.0]),
    ("binomial", (9, 0.5), {}, [1.0]),
    ("laplace", (), {"size": 0}, []),
]


def test_recorded_noise_draws_what_a_generator_draws_and_keeps_law_scale_and_number():
    plain, rng, expected = np.random.default_rng(3), RecordedNoise(3), []
    for law, args, kwargs, scales in LAWS:
        numbers, found = (getattr(each, law)(*args, **kwargs) for each in (plain, rng))
        assert type(found) is type(numbers) and np.array_equal(found, numbers)
        expected += zip([law] * len(scales), scales, np.ravel(numbers), strict=True)
    assert rng.draws == expected
    assert rng.scales == [scale for _, scale, _ in expected]
    assert rng.numbers == [number for _, _, number in expected]
    assert {type(x) for draw in rng.draws for x in draw} == {
        str,
        float,
        int,
    }  # NumPy's are unpacked


def test_whatever_is_drawn_is_recorded():
    """What a method draws through another is there too, first."""
    rng, letters = RecordedNoise(0), ["a", "b"]
    chosen, word = rng.choice(["c", "d"]), rng.bytes(3)
    rng.shuffle(letters)
    kept = {draw.law: draw.number for draw in rng.draws}
    assert [kept[law] for law in ("choice", "bytes", "shuffle")] == [chosen, word, None]
    assert rng.draws[-1] == Draw("shuffle", 1.0, None)


def test_two_generators_keep_their_draws_apart():
    one, other = RecordedNoise(0), RecordedNoise(0)
    one.random()
    assert len(one.draws) == 1 and other.draws == []


def test_children_are_those_of_a_plain_generator_and_keep_their_own_draws():
    rng, plain = RecordedNoise(4), np.random.default_rng(4)
    for child, other in zip(rng.spawn(2), plain.spawn(2), strict=True):
        assert child.laplace(scale=3) == other.laplace(scale=3)
        assert child.scales == [3] and rng.draws == []


def test_children_of_given_noise_take_it_in_turn():
    rng = GivenNoise([1.0, 2.0, 3.0])
    assert [child.laplace() for child in [*rng.spawn(2), rng]] == [1.0, 2.0, 3.0]
    assert rng.numbers == [1.0, 2.0, 3.0]


def test_given_noise_is_in_units_of_the_scale():
    rng = GivenNoise(iter([1.0, -0.5, 0.25, 3, 0.0, -1.0]))
    assert rng.laplace(scale=4.0) == 4.0 and type(rng.laplace(10, 4)) is float
    assert rng.laplace([0.0, 100.0], [8.0, 2.0]).tolist() == [2.0, 106.0]
    assert rng.laplace(5.0, size=(2, 1)).tolist() == [[5.0], [4.0]]
    assert rng.scales == [4.0, 4.0, 8.0, 2.0, 1.0, 1.0]
    assert rng.numbers == [4.0, 8.0, 2.0, 106.0, 5.0, 4.0]
    assert rng.laplace(size=0).shape == (0,)
    with pytest.raises(ParameterError, match="noise must have a number for each draw, got too few"):
        rng.laplace()


def test_given_noise_by_its_scale_is_taken_as_it_is():
    rng = GivenNoise(lambda scale: 0.0 if scale == 1 else scale + 0.5)
    assert rng.laplace(7.0, 1) == 7.0
    assert rng.laplace(scale=[1.0, 2.0]).tolist() == [0.0, 2.5]
    assert rng.draws == [("laplace", 1, 7), ("laplace", 1, 0), ("laplace", 2, 2.5)]


def test_all_but_laplace_noise_is_drawn():
    """As from default_rng(0), to which the noise given makes no difference."""
    rng, plain = GivenNoise(itertools.repeat(0.0)), np.random.default_rng(0)
    rng.laplace(size=5)
    assert rng.exponential(2.0) == plain.exponential(2.0)
    assert rng.draws[5:] == [("exponential", 2.0, rng.numbers[5])]


def test_a_generator_is_that_of_its_seed():
    assert generator([3, 1]).random() == np.random.default_rng([3, 1]).random()
    assert generator(3).random() != generator(4).random()


def test_what_is_no_seed_and_no_noise_is_refused():
    for seed in (None, -1, 0.5, "3"):
        with pytest.raises(ParameterError, match="seed must be a whole number, 0 or greater, got"):
            RecordedNoise(seed)
    for given in (None, 1):
        with pytest.raises(
            ParameterError, match=f"noise must be a list or a function, got {given}"
        ):
            GivenNoise(given)


@pytest.mark.parametrize(
    "draw",
    [random.random, np.random.random, lambda: np.random.seed(1), lambda: np.random.normal()],  # noqa: NPY002
    ids=["random", "numpy", "seed", "normal"],
)
def test_whoever_draws_from_a_generator_of_the_session_is_seen(draw):
    """Most draws move a place alone, a second normal number not even that."""
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(0)  # noqa: NPY002
        np.random.normal()  # noqa: NPY002
        untouched = shared_states()
        assert shared_states() == untouched
        draw()
        assert shared_states() != untouched
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
