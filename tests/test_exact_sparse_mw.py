"""The two potentials of sparse multiplicative weights, against the lecture's arrays."""

import itertools
import math

import numpy as np
import pytest

from course_lib.exact.sparse_mw import has_valid_update, potential_run
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_size


class Textbook:
    """The lecture's structure: s numbers that are normalised after every update, h and ind."""

    def __init__(self, size, alpha):
        self.weights, self.places, self.alpha = np.full(size, 1 / size), {}, alpha

    def place(self, element):
        """h(x), or ind - 1 in an array that begins with 0: the next variable."""
        return self.places.get(element, len(self.places))

    def value(self, query):
        return sum(weight * self.weights[self.place(x)] for x, weight in query.items())

    def update(self, query, sign):
        for x, weight in query.items():
            if weight > 0:
                i = self.places.setdefault(x, len(self.places))
                self.weights[i] *= math.exp(sign * self.alpha / 2 * weight)
        self.weights /= self.weights.sum()


def textbook_potentials(mass, weight, alpha, support):
    """The analyst of the counterexample on explicit arrays: potentials, and what was updated."""
    book = Textbook(smw_size(support=support, alpha=alpha), alpha)
    others = {f"b{i}": 1.0 for i in range(1, support)}
    asked = [({"a": 1.0} | others, mass), ({"a": weight} | others, weight * mass)]
    target = np.zeros(len(book.weights))
    target[0] = mass  # of "a", which is assigned first
    target[support:] = (1 - mass) / len(target[support:])  # on what is never assigned

    def potentials():
        printed = mass * np.log(mass / book.weights[0])
        rest = target[support:]
        return printed, printed + (rest * np.log(rest / book.weights[support:])).sum()

    found, updates = [potentials()], []
    while True:
        for query, truth in asked:
            guess = book.value(query)
            if abs(guess - truth) >= alpha:
                book.update(query, 1 if truth > guess else -1)
                updates.append((1 if truth > guess else -1, guess))
                found.append(potentials())
                break
        else:
            break
    return np.array(found), updates


@pytest.mark.parametrize(
    "position",
    [(0.25, 0.0, 0.1, 20), (0.5, 0.5, 0.1, 20), (0.9, 0.4, 0.2, 5), (0.3, 0.0, 0.15, 2)],
)
def test_both_potentials_are_those_of_the_lecture_s_arrays(position):
    mass, weight, alpha, support = position
    found, made = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
    potentials, updates = textbook_potentials(*position)
    np.testing.assert_allclose(found, potentials, atol=1e-9)
    assert [sign for sign, _ in made] == [sign for sign, _ in updates]
    np.testing.assert_allclose([x for _, x in made], [x for _, x in updates], atol=1e-9)


def test_potentials_are_those_of_the_course_s_own_learner():
    mass, weight, alpha, support = 0.6, 0.3, 0.1, 7
    potentials, updates = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
    learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
    others = {f"b{i}": 1.0 for i in range(1, support)}
    for (printed, _), (sign, guess) in zip(potentials, updates, strict=False):
        on_a = learner.evaluate({"a": 1.0})
        assert printed == pytest.approx(mass * math.log(mass / on_a), abs=1e-9)
        query, truth = (
            ({"a": 1.0} | others, mass) if sign > 0 else ({"a": weight} | others, weight * mass)
        )
        assert learner.evaluate(query) == pytest.approx(guess, abs=1e-12)
        assert sign * (truth - guess) >= alpha
        learner.update(query, truth)


def test_the_counterexample_of_lemma_6():
    """spec: 222 valid updates, of which 47 lower the printed potential by less than α²/4."""
    potentials, updates = potential_run(mass=0.25, weight=0.0, support=20, alpha=0.1)
    printed, repaired = -np.diff(potentials, axis=0).T
    assert len(updates) == 222 and np.count_nonzero(printed < 0.0025) == 47
    assert round(printed.min(), 5) == 0.00124 and round(repaired.min(), 5) == 0.00485


def test_the_repaired_potential_always_falls_enough_and_the_printed_one_when_it_is_raised():
    masses, weights = (0.1, 0.25, 0.5, 0.7, 0.9), (0.0, 0.3, 0.5, 1.0)
    short = 0
    for mass, weight, alpha, support in itertools.product(
        masses, weights, (0.05, 0.1, 0.2), (2, 20, 100)
    ):
        potentials, updates = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
        assert len(potentials) == len(updates) + 1
        assert has_valid_update(mass=mass, support=support, alpha=alpha) == (len(updates) > 0)
        if updates:
            drops = -np.diff(potentials, axis=0) / (alpha**2 / 4)
            signs = np.array([sign for sign, _ in updates])
            assert drops[:, 1].min() >= 1 and drops[signs > 0, 0].min() >= 1
            short += np.count_nonzero(drops[:, 0] < 1)
    assert short > 1000


def test_a_query_that_is_exactly_alpha_off_is_a_valid_update():
    """m = 2, α = 0.5: s is 202, and a + b weighs 2/202 at the start, a half less than D(a)."""
    mass = 0.5 + 2 / 202
    assert mass - 2 / 202 == 0.5
    _, updates = potential_run(mass=mass, weight=1.0, support=2, alpha=0.5)
    assert updates == [(1, 2 / 202)]


def test_no_valid_update_no_run():
    """a has no more than α, and the b weigh less than α at the start."""
    potentials, updates = potential_run(mass=0.1, weight=0.0, support=20, alpha=0.1)
    assert len(potentials) == 1 and updates == []


def test_an_update_is_valid_if_it_is_off_by_exactly_alpha():
    """One of 88 variables, and so 1/88 off the mass, which makes one half to the last bit."""
    mass = 0.5 + 1 / 88
    assert mass - 1 / 88 == 0.5
    for each, valid in ((mass, True), (np.nextafter(mass, 0), False)):
        assert has_valid_update(mass=each, support=1, alpha=0.5) == valid
        _, updates = potential_run(mass=each, weight=0.0, support=1, alpha=0.5)
        assert bool(updates) == valid
