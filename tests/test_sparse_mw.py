"""Sparse multiplicative weights against Roth's data structure as it is printed, in plain Python."""

import functools
import itertools
import math
import string
import tracemalloc
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.noise import GivenNoise
from course_lib.lecture11_sparse import repaired_alpha, sparse_as_printed, sparse_repaired
from course_lib.online_ic import MultiplicativeWeights, online_ic, share
from course_lib.sparse_mw import (
    SparseMultiplicativeWeights,
    StructureFull,
    smw_accuracy_bare,
    smw_alpha,
    smw_alpha_printed,
    smw_size,
    smw_updates,
)
from course_lib.support.contracts import ParameterError

RAISE, LOWER = 2.0, -1.0  # values above and below whatever the hypothesis says


class Printed:
    """Definition 3 and Algorithm 1: s variables, h, ind; all are normalised at every update."""

    def __init__(self, size, alpha):
        self.variables, self.h, self.eta = [1 / size] * size, {}, alpha / 2

    @property
    def ind(self):
        return len(self.h)  # from 0

    def variable(self, element):
        place = self.h.get(element, self.ind)
        return self.variables[place] if place < len(self.variables) else 0.0

    def evaluate(self, query):
        return math.fsum(weight * self.variable(x) for x, weight in query.items())

    def update(self, query, value):
        eta = -self.eta if value < self.evaluate(query) else self.eta
        for x, weight in query.items():
            if weight > 0:
                self.variables[self.h.setdefault(x, self.ind)] *= math.exp(eta * weight)
        total = math.fsum(self.variables)
        self.variables = [variable / total for variable in self.variables]


ELEMENTS = ["flu", "", "grüße", ("J", 45), 7, -1, 2**70, frozenset("ab"), None, 0.5, b"7", "7"]
weights = st.one_of(st.sampled_from([0.0, 1.0, 1]), st.floats(0, 1))


def queries(support, elements=tuple(ELEMENTS)):
    return st.dictionaries(st.sampled_from(elements), weights, min_size=1, max_size=support)


@given(st.data(), st.integers(1, 4), st.floats(0.5, 0.99))
@settings(max_examples=40)
def test_it_is_the_printed_structure_and_plain_weights_on_s_elements(data, support, alpha):
    """Elements of any kind; the next unassigned elements of a query are the next variables."""
    learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
    printed = Printed(learner.size, alpha)
    plain = MultiplicativeWeights(universe_size=learner.size, alpha=alpha)
    places = {}

    def mapped(query):
        new = iter(range(len(places), learner.size))
        row = np.zeros(learner.size)
        for x, weight in query.items():
            if weight > 0:
                row[places[x] if x in places else next(new)] = weight
        return row

    asked = data.draw(st.lists(queries(support), min_size=1, max_size=8))
    for query in asked:
        value = data.draw(st.sampled_from([RAISE, LOWER]))
        for other in asked:
            value_here = learner.evaluate(other)
            assert value_here == pytest.approx(printed.evaluate(other), rel=1e-12, abs=1e-15)
            assert value_here == pytest.approx(plain.evaluate(mapped(other)), rel=1e-12, abs=1e-15)
        learner.update(query, value)
        printed.update(query, value)
        plain.update(mapped(query), value)
        for x, weight in query.items():
            if weight > 0:
                places.setdefault(x, len(places))
        assert learner.assigned == printed.ind == len(places)
    for element in ELEMENTS:
        at_last = learner.evaluate({element: 1})
        assert at_last == pytest.approx(printed.variable(element), rel=1e-12)


def test_the_direction_comes_from_the_value():
    """m = 1, α = 0.5: s = 88. Equal counts as above, as the lecture has it."""
    size = smw_size(support=1, alpha=0.5)
    start = SparseMultiplicativeWeights(support=1, alpha=0.5).evaluate({"a": 1.0})
    assert start == pytest.approx(1 / size)
    for value, power in ((start - 1e-9, -0.25), (start + 1e-9, 0.25), (start, 0.25)):
        learner = SparseMultiplicativeWeights(support=1, alpha=0.5)
        learner.update({"a": 1.0}, value)
        weight = math.exp(power)
        assert learner.evaluate({"a": 1.0}) == pytest.approx(weight / (weight + size - 1))
        assert learner.evaluate({"b": 0.5}) == pytest.approx(0.5 / (weight + size - 1))


def test_unassigned_elements_count_one_variable_each_also_beyond_s():
    """Q(D) = Σ Q(x) D[h(x)] + Σ Q(x) D[ind]; the second sum may have more terms than variables."""
    learner = SparseMultiplicativeWeights(support=20, alpha=0.999)
    learner.update(dict.fromkeys(range(20), 0.5), RAISE)
    up = math.exp(0.999 / 4)
    total = 20 * up + learner.size - 20
    query = {0: 1.0, 5: 0.25, "new": 0.5, "newer": 0.125, 99: 0.0}
    assert learner.evaluate(query) == pytest.approx((1.25 * up + 0.625) / total, rel=1e-13)
    assert learner.evaluate({99: 0.0}) == 0
    assert type(learner.evaluate(query)) is float


def small(alpha=0.999):
    """s = 15, the smallest there is for α < 1."""
    return SparseMultiplicativeWeights(support=1, alpha=alpha)


def test_when_every_variable_is_assigned_other_elements_weigh_nothing():
    learner, printed = small(), Printed(15, 0.999)
    for element in range(15):
        assert learner.evaluate({"other": 1.0}) == pytest.approx(printed.variable("other")) != 0
        for each in (learner, printed):
            each.update({element: 1.0}, RAISE if element % 3 else LOWER)
    assert learner.assigned == learner.size == 15
    assert learner.evaluate({"other": 1.0}) == 0
    shares = [learner.evaluate({element: 1.0}) for element in range(15)]
    assert shares == pytest.approx(printed.variables, rel=1e-13)
    assert math.fsum(shares) == pytest.approx(1, abs=1e-13)
    learner.update({3: 0.7}, LOWER)
    printed.update({3: 0.7}, LOWER)
    assert learner.evaluate({3: 1.0}) == pytest.approx(printed.variables[3], rel=1e-13)


def test_failure_says_what_was_exceeded_and_changes_nothing():
    learner = SparseMultiplicativeWeights(support=2, alpha=0.99)
    size = learner.size
    for element in range(size - 1):
        learner.update({element: 0.3}, RAISE)
    before = [learner.evaluate({element: 1.0}) for element in range(size)]
    words = rf"^FAILURE: {size - 1} of {size} variables are assigned, and 2 more cannot be; "
    words += f"a fresh structure has room for at least {learner.max_updates} updates of any kind"
    with pytest.raises(StructureFull, match=words):
        learner.update({"x": 1.0, "y": 1.0}, RAISE)
    assert learner.assigned == size - 1
    assert [learner.evaluate({element: 1.0}) for element in range(size)] == before
    learner.update({"x": 1.0, 0: 1.0}, RAISE)
    assert learner.assigned == size
    with pytest.raises(StructureFull, match=f"{size} of {size} .* 1 more"):
        learner.update({0: 1.0, "y": 1.0}, RAISE)
    learner.update({0: 1.0, "y": 0.0}, RAISE)  # nothing new


@pytest.mark.parametrize(
    "query, message",
    [
        ({"a": 1, "b": 0.5, "c": 1e-9}, "query must have at most support = 2 elements, got 3"),
        ({"a": 2}, "query must be from 0 to 1, got 2"),
        ({"a": -0.1}, "query must be from 0 to 1, got -0.1"),
        ({"a": math.nan}, "query must be from 0 to 1, got nan"),
        ({"a": "1"}, "query must be from 0 to 1"),
        ({}, "query must not be empty"),
    ],
)
def test_a_query_that_is_none_is_refused_and_costs_nothing(query, message):
    learner = SparseMultiplicativeWeights(support=2, alpha=0.5)
    for work in (learner.evaluate, functools.partial(learner.update, value=1.0)):
        with pytest.raises(ParameterError, match=message):
            work(query)
    rng = GivenNoise(itertools.repeat(0.0))
    with pytest.raises(ParameterError, match=message):
        next(online_ic({"a": 9}, [query], learner, n=9, epsilon=1.0, rng=rng))
    assert learner.assigned == 0 and rng.scales == []


def test_zero_weights_are_neither_counted_nor_assigned():
    learner = SparseMultiplicativeWeights(support=2, alpha=0.5)
    learner.update({"a": 1.0, "b": 0.0, "c": 0.5, "d": 0}, RAISE)
    assert learner.assigned == 2
    assert learner.evaluate({"a": 0.0}) == 0


@pytest.mark.parametrize("alpha", [0, 1, [0.1], 1.5])
def test_a_learner_needs_one_alpha_between_0_and_1(alpha):
    with pytest.raises(ParameterError, match="alpha must be a (finite |single )?number"):
        SparseMultiplicativeWeights(support=2, alpha=alpha)
    for support in (0, 1.5, -1):
        with pytest.raises(ParameterError, match="support must be a whole number"):
            SparseMultiplicativeWeights(support=support, alpha=0.5)


@mpmath.workdps(40)
def from_sums(sums, size, alpha):
    """{element: its variable} where the signed weights of its updates add up to this, exactly."""
    eta = mpmath.mpf(alpha) / 2
    powers = {x: mpmath.exp(eta * total.numerator / total.denominator) for x, total in sums.items()}
    all_of_it = sum(powers.values()) + (size - len(sums))
    return {x: float(power / all_of_it) for x, power in powers.items()}, float(1 / all_of_it)


def test_all_assigned_and_all_lowered():
    """The total falls to e^-500, past every fixed number of digits; the shares stay exact."""
    learner, sums = small(), dict.fromkeys(range(15), Fraction(0))
    for turn, element in itertools.product(range(1000), range(15)):
        weight = 1.0 if (turn + element) % 100 else 0.25
        learner.update({element: weight}, LOWER)
        sums[element] -= Fraction(weight)
        if turn in (0, 1, 20, 200, 300, 999) and element == 14:
            exact, _ = from_sums(sums, 15, 0.999)
            for x in range(15):
                assert learner.evaluate({x: 1.0}) == pytest.approx(exact[x], rel=1e-11)


class Counting:
    """An element that counts how often any of its kind is looked up."""

    looked_up = 0

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        Counting.looked_up += 1
        return hash(self.name)

    def __eq__(self, other):
        return self.name == other.name


def test_an_update_and_an_evaluation_look_up_the_elements_of_the_query_alone():
    """As often after 5,000 elements as after 5."""
    learner = SparseMultiplicativeWeights(support=5, alpha=0.1)
    looked_up = []
    for number in range(1000):
        query = {Counting((number, place)): 1.0 for place in range(5)}
        Counting.looked_up = 0
        learner.update(query, LOWER)
        learner.evaluate(query)
        looked_up.append(Counting.looked_up)
    assert learner.assigned == 5000
    assert set(looked_up) == {looked_up[0]} and looked_up[0] <= 10 * 5


def test_memory_is_in_the_elements_seen():
    """s = 2,518,253 variables as floats would be 20 MB."""
    tracemalloc.start()
    learner = SparseMultiplicativeWeights(support=100, alpha=0.05)
    learner.update({f"term {i}": 1.0 for i in range(100)}, RAISE)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert learner.size == 2_518_253 and used < 200_000


@mpmath.workdps(40)
def enough(size, support, alpha):
    return size >= 4 * support / mpmath.mpf(alpha) ** 2 * (mpmath.log(size) + 1)


def smallest_size(support, alpha):
    """By bisection: s/(ln s + 1) grows for s ≥ 1."""
    low, high = 0, 1
    while not enough(high, support, alpha):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle, support, alpha) else (middle, high)
    return high


REFERENCE = [(10, 0.1, 47_035), (100, 0.1, 570_146), (100, 0.05, 2_518_253)]


def test_an_alpha_of_2_or_hardly_more_takes_one_variable():
    """Then 4m / α² is at most 1, and s / (ln s + 1) is 1 for s = 1."""
    alphas = 2 + np.append(0, np.geomspace(1e-15, 1e-6, 200))
    assert (smw_size(support=1, alpha=alphas) == 1).all()


@pytest.mark.parametrize("support, alpha, size", REFERENCE)
def test_reference_sizes(support, alpha, size):
    assert smw_size(support=support, alpha=alpha) == smallest_size(support, alpha) == size
    learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
    assert learner.size == size and type(learner.size) is int
    assert (learner.support, learner.alpha, learner.assigned) == (support, alpha, 0)
    assert learner.max_updates == math.floor(4 * math.log(size) / alpha**2)
    assert type(learner.max_updates) is int


@given(st.integers(1, 10**5), st.one_of(st.floats(0.001, 1), st.floats(0.9, 5)))
@settings(max_examples=100)
def test_the_size_is_the_smallest_whole_number_that_holds(support, alpha):
    """Up to s = 10^13; where 4m/α² is 1 or less, s = 1 holds. No α < 2 leaves s = 1."""
    size = smw_size(support=support, alpha=alpha)
    assert size == smallest_size(support, alpha)
    assert smw_updates(support=support, alpha=alpha) == pytest.approx(
        4 * math.log(size) / alpha**2, rel=1e-12
    )


def test_small_sizes_one_by_one():
    """From s = 1 up; α around 1, around 2, where 4m/α² is 1, and beyond."""
    alphas = np.append(np.linspace(0.9, 2.1, 200), [0.999, 1.0, 2.0, np.nextafter(2, 1), 3, 100])
    for support in (1, 2, 3):
        found = smw_size(support=support, alpha=alphas)
        expected = [
            next(s for s in itertools.count(1) if enough(s, support, alpha)) for alpha in alphas
        ]
        assert found.tolist() == expected
    assert smw_size(support=1, alpha=2.0) == 1 and smw_updates(support=1, alpha=2.0) == 0


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.3, 0.7, 0.9, 0.99, 0.999999])
def test_no_valid_sequence_can_fail(alpha):
    """s ≥ 4m(ln s + 1)/α² = mB + 4m/α² > m(B + 1): one update too many still finds room."""
    for support in [*range(1, 30), 100, 1000, 10**4]:
        size = smallest_size(support, alpha)
        bound = 4 * math.log(size) / alpha**2
        learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
        assert learner.max_updates == math.floor(bound)
        assert support * (learner.max_updates + 1) < size


@pytest.mark.parametrize("alpha", [0.3, 0.7, 0.95])
@pytest.mark.parametrize("support", [1, 3, 10])
def test_inside_online_ic_failure_cannot_occur_whatever_the_noise(support, alpha):
    """The noise says ⊤ to every query, and every query brings m new elements; c = ⌊B⌋, m⌊B⌋ < s."""
    learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
    bound = math.floor(4 * math.log(smallest_size(support, alpha)) / alpha**2)
    queries = ({(turn, i): 1.0 for i in range(support)} for turn in range(bound + 20))
    rng = GivenNoise(itertools.chain([0.0], itertools.repeat(1e9)))
    stream = online_ic({"flu": 1000}, queries, learner, n=1000, epsilon=1.0, rng=rng)
    assert [cost for _, cost in stream] == [True] * bound + [False] * 20
    assert learner.assigned == support * bound < smallest_size(support, alpha)
    further = 0
    with pytest.raises(StructureFull):  # direct updates, past the cutoff
        for further in itertools.count(1):
            learner.update({(further, i, "direct"): 1.0 for i in range(support)}, RAISE)
    assert further > 1


def test_what_the_sizes_are_not_defined_for():
    for function in (smw_size, smw_updates):
        with pytest.raises(
            ParameterError, match="alpha must be a finite number greater than 0, got 0"
        ):
            function(support=1, alpha=0)
        with pytest.raises(ParameterError, match="support must be"):
            function(support=0.5, alpha=0.1)
    table = smw_size(support=[[10], [100]], alpha=[0.1, 0.05])
    assert table[0, 0] == 47_035 and table[1].tolist() == [570_146, 2_518_253]


class Potentials:
    """Both potentials of a run against a database {element: share}, for a fixed last structure.

    Printed: Σ over assigned x of D[x] ln(D[x]/D_t[x]). Repaired: the rest of the mass, 1 - ρ, is on
    the variables that stay unassigned to the end, and spread evenly there.
    """

    def __init__(self, database, assigned, size):
        self.known = {x: database.get(x, 0.0) for x in assigned}
        self.rest = 1 - math.fsum(self.known.values())
        self.left = size - len(self.known)

    def at(self, shares, unassigned):
        printed = math.fsum(d * math.log(d / shares[x]) for x, d in self.known.items() if d > 0)
        if self.rest <= 1e-15:
            return printed, printed
        return printed, printed + self.rest * math.log(self.rest / self.left / unassigned)


def recorded(learner, database, steps, elements):
    """The hypothesis before each update and after the last: shares of the elements, and of none."""

    def state():
        return {x: learner.evaluate({x: 1.0}) for x in elements}, learner.evaluate({"nobody": 1.0})

    states = [state()]
    for query, value in steps:
        truth = share(database, query, 1)
        gap = abs(truth - learner.evaluate(query))
        assert gap >= learner.alpha and abs(truth - value) < learner.alpha, "a valid update"
        learner.update(query, value)
        states.append(state())
    potentials = Potentials(database, elements, learner.size)
    return np.array([potentials.at(*each) for each in states])


A, BS = "a", tuple(f"b{i}" for i in range(1, 20))
BOTH, ONLY = dict.fromkeys((A, *BS), 1.0), dict.fromkeys(BS, 1.0)


class TwoKinds:
    """The printed structure with 20 assigned elements, of which 19 are always alike: a, b, rest."""

    def __init__(self, size, alpha):
        self.size, self.eta = size, alpha / 2
        self.a = self.b = self.rest = 1 / size

    def value(self, on_a, on_b):
        return on_a * self.a + 19 * on_b * self.b

    def update(self, on_a, on_b, truth):
        eta = -self.eta if truth < self.value(on_a, on_b) else self.eta
        self.a *= math.exp(eta * on_a)
        self.b *= math.exp(eta * on_b)
        total = self.a + 19 * self.b + (self.size - 20) * self.rest
        self.a, self.b, self.rest = self.a / total, self.b / total, self.rest / total

    def potentials(self, on_a):
        """On a database with this share on a, none on the b and the rest elsewhere."""
        printed = on_a * math.log(on_a / self.a)
        even = (1 - on_a) / (self.size - 20)
        return printed, printed + (1 - on_a) * math.log(even / self.rest)


def test_lemma_6_is_false():
    """Reference figures: 222 valid updates, 47 lower Ψ by less than α²/4, the least by 0.00124.

    α = 0.1, m = 20, D[a] = 0.25. The repaired potential falls by 0.0048 or more each time.
    """
    size = smallest_size(20, 0.1)
    textbook, potentials, steps = TwoKinds(size, 0.1), [], []
    while True:
        potentials.append(textbook.potentials(0.25))
        if abs(textbook.value(1, 1) - 0.25) >= 0.1:
            steps.append((1, 1, 0.25))
        elif textbook.value(0, 1) >= 0.1:
            steps.append((0, 1, 0.0))
        else:
            break
        textbook.update(*steps[-1])
    drops = -np.diff(potentials, axis=0)
    assert len(steps) == 222
    assert (drops[:, 0] < 0.0025).sum() == 47
    assert f"{drops[:, 0].min():.5f}" == "0.00124"
    assert f"{drops[:, 1].min():.5f}" == "0.00485"
    database = {A: 0.25, "elsewhere": 0.75}
    asked = [((BOTH if on_a else ONLY), truth) for on_a, _, truth in steps]
    learner = SparseMultiplicativeWeights(support=20, alpha=0.1)
    found = recorded(learner, database, asked, (A, *BS))
    assert -np.diff(found, axis=0) == pytest.approx(drops, abs=1e-12)
    assert found == pytest.approx(np.array(potentials), abs=1e-11)


def test_the_printed_potential_can_rise():
    """Reference figures: after 163 raises ½a + Σb says 0.3988, true 0.25; Ψ rises by 0.00268."""
    textbook = TwoKinds(smallest_size(20, 0.1), 0.1)
    raises = 0
    while textbook.value(1, 1) <= 0.5 - 0.1 and raises < 163:
        textbook.update(1, 1, 0.5)
        raises += 1
    assert raises == 163
    assert f"{textbook.value(0.5, 1):.4f}" == "0.3988"
    before = textbook.potentials(0.5)
    textbook.update(0.5, 1, 0.25)
    rise, fall = np.subtract(textbook.potentials(0.5), before)
    assert (f"{rise:.5f}", f"{-fall:.5f}") == ("0.00268", "0.00715")
    learner = SparseMultiplicativeWeights(support=20, alpha=0.1)
    steps = [(BOTH, 0.5)] * 163 + [(BOTH | {A: 0.5}, 0.25)]
    found = recorded(learner, {A: 0.5, "elsewhere": 0.5}, steps, (A, *BS))
    assert found[-1] - found[-2] == pytest.approx([rise, fall], abs=1e-12)


@st.composite
def databases(draw):
    """Shares of up to eight elements, that add up to 1."""
    counts = draw(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9), min_size=1))
    total = sum(counts.values())
    return {x: count / total for x, count in counts.items()}


@given(databases(), st.data(), st.integers(1, 4), st.sampled_from([0.15, 0.3, 0.6]))
@settings(max_examples=40)
def test_every_valid_update_lowers_the_repaired_potential(database, data, support, alpha):
    """By α²/4 and, by Hoeffding's lemma, 15α²/32. It starts at ln s or less, and is never negative.

    Lemma 5, which is true, for the printed one: -1/e or more, and ln s or less at the start.
    """
    learner = SparseMultiplicativeWeights(support=support, alpha=alpha)
    pool = data.draw(st.lists(queries(support, tuple("abcdefghij")), min_size=1, max_size=5))
    pool += [{x: 1.0} for x in database]
    pool += [dict.fromkeys(sorted(database, key=database.get)[-support:], 1.0)]
    steps = []
    for _ in range(15):
        gaps = [share(database, query, 1) - learner.evaluate(query) for query in pool]
        valid = [q for q, gap in zip(pool, gaps, strict=True) if abs(gap) >= alpha]
        if not valid:
            break
        query = data.draw(st.sampled_from(valid))
        off = data.draw(st.sampled_from([0, 1 - 1e-9, 1e-9 - 1, 0.5]))
        steps.append((query, share(database, query, 1) + off * alpha))
        learner.update(*steps[-1])
    elements = sorted({x for query, _ in steps for x, weight in query.items() if weight > 0})
    assert learner.assigned == len(elements)
    again = SparseMultiplicativeWeights(support=support, alpha=alpha)
    printed, repaired = recorded(again, database, steps, elements).T
    assert np.all(-np.diff(repaired) >= 15 * alpha**2 / 32 - 1e-12)
    assert np.all(repaired >= -1e-12) and repaired[0] <= math.log(learner.size) + 1e-12
    assert np.all(printed >= -1 / math.e) and printed[0] <= math.log(learner.size) + 1e-12
    assert len(steps) <= learner.max_updates


def most_off(learner, database, elements, sign):
    """The elements that are most underestimated (sign 1) or overestimated (-1), at most m."""
    gaps = {x: sign * (database.get(x, 0.0) - learner.evaluate({x: 1.0})) for x in elements}
    chosen = sorted((x for x in gaps if gaps[x] > 0), key=gaps.get)[-learner.support :]
    return dict.fromkeys(chosen, 1.0) or {elements[0]: 1.0}


POOL = list(string.ascii_lowercase)
SHARES = {
    "one": {"q": 1.0},
    "half elsewhere": {"a": 0.25, "b": 0.25, "far away": 0.5},
    "even": dict.fromkeys(POOL[:5], 0.2),
    "uneven": {x: 1 / (1 + i) / sum(1 / np.arange(1, 27)) for i, x in enumerate(POOL)},
}


@pytest.mark.parametrize("off", [0, 1 - 1e-9, 1e-9 - 1])
@pytest.mark.parametrize("analyst", ["largest gap", "repeats", "puts up, pulls down", "decoys"])
@pytest.mark.parametrize("database", SHARES)
def test_no_sequence_of_valid_updates_is_longer_than_b(database, analyst, off):
    """α = 0.2, m = 5: B = 846. Hoeffding's argument leaves 8/15 of it; FAILURE never comes."""
    truth, learner = SHARES[database], SparseMultiplicativeWeights(support=5, alpha=0.2)
    updates, fresh, query = 0, itertools.count(), None

    def valid(query):
        return abs(share(truth, query, 1) - learner.evaluate(query)) >= 0.2

    for turn in range(learner.max_updates + 1):
        if analyst == "decoys":  # each query brings elements nobody has
            query = most_off(learner, truth, POOL, 1)
            names = [x for x in query if truth.get(x, 0) > 0][:1]
            query = dict.fromkeys([*names, *(("decoy", next(fresh)) for _ in range(4))], 1.0)
        elif analyst != "repeats" or query is None or not valid(query):
            sign = -1 if analyst == "puts up, pulls down" and turn % 2 else 1
            query = most_off(learner, truth, POOL, sign)
        if not valid(query):
            query = most_off(learner, truth, POOL, 1)
        if not valid(query):
            break
        learner.update(query, share(truth, query, 1) + off * 0.2)
        updates += 1
    assert 0 < updates <= 8 / 15 * 4 * math.log(learner.size) / 0.2**2
    assert updates <= learner.max_updates


TERMS = {"flu": 700, "cold": 200, "": 60, ("J", 45): 30, 7: 10}  # n = 1000


@pytest.mark.parametrize("sparse", [sparse_repaired, sparse_as_printed])
def test_online_ic_drives_it_as_the_textbook_would(sparse):
    """Without noise: two gaps against 2α; on ⊤ the truth is the answer, and the value updates."""
    asked = np.random.default_rng(4)
    pool = [*TERMS, "measles", "gout", 8]
    stream = []
    for _ in range(80):
        chosen = asked.choice(len(pool), size=asked.integers(1, 4), replace=False)
        stream.append({pool[i]: float(w) for i, w in zip(chosen, asked.random(3), strict=False)})
    learner = SparseMultiplicativeWeights(support=3, alpha=0.1)
    printed, expected = Printed(smallest_size(3, 0.1), 0.1), []
    for query in stream:
        truth = math.fsum(w * TERMS.get(x, 0) for x, w in query.items()) / 1000
        guess = printed.evaluate(query)
        cost = abs(truth - guess) >= 0.2
        expected.append((truth if cost else guess, cost))
        if cost:
            printed.update(query, truth)
    rng = GivenNoise(itertools.repeat(0.0))
    found = list(online_ic(TERMS, stream, learner, n=1000, epsilon=1.0, sparse=sparse, rng=rng))
    assert [cost for _, cost in found] == [cost for _, cost in expected]
    assert [a for a, _ in found] == pytest.approx([a for a, _ in expected], abs=1e-12)
    assert 5 < sum(cost for _, cost in found) < 75
    assert learner.assigned == printed.ind


def test_each_gap_moves_by_at_most_1_over_n_and_the_answers_tell_the_hypothesis():
    neighbour, values = TERMS | {"flu": 699, "gout": 1}, []

    def watched(data, queries, **parameters):
        def noted():
            for query in queries:
                values.append(query(TERMS) - query(neighbour))
                yield query

        return sparse_repaired(data, noted(), **parameters)

    stream = [{"flu": 1.0}, {"gout": 1.0, "cold": 0.5}, {"gout": 0.5}, {"flu": 1.0, "gout": 1.0}]
    learner, again = (SparseMultiplicativeWeights(support=3, alpha=0.3) for _ in range(2))
    rng = np.random.default_rng(0)
    answers = online_ic(TERMS, stream * 5, learner, n=1000, epsilon=1e5, sparse=watched, rng=rng)
    for query, (answer, cost) in zip(stream * 5, answers, strict=True):
        if cost:
            again.update(query, answer)
    assert max(map(abs, values)) == pytest.approx(1 / 1000)
    assert again.assigned == learner.assigned > 0
    for query in stream:
        assert again.evaluate(query) == learner.evaluate(query)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_answers_are_within_3_alpha_except_with_probability_beta(delta):
    """The analyst asks for the largest gap. At most 2 failures in 60 runs: below 0.2 with 99.9%."""
    n, beta, asked, runs = 10**7, 0.2, 40, 60
    alpha = float(smw_alpha(n=n, support=2, num_queries=asked, beta=beta, epsilon=1.0, delta=delta))
    assert 4 * alpha < 0.9
    data, failures, rng = {"flu": n}, 0, np.random.default_rng(12)
    for _ in range(runs):
        learner = SparseMultiplicativeWeights(support=2, alpha=alpha)
        stream = ({"flu": 1.0, ("new", i): 1.0} if i % 3 else {"gout": 1.0} for i in range(asked))
        answers = online_ic(data, stream, learner, n=n, epsilon=1.0, delta=delta, rng=rng)
        truth = [1.0 if i % 3 else 0.0 for i in range(asked)]
        errors = [abs(a - t) for (a, _), t in zip(answers, truth, strict=True)]
        failures += max(errors) > 3 * alpha
        assert learner.assigned > 0
    assert clopper_pearson(failures, runs, confidence=0.998)[1] <= beta


def updates_of(support, alpha):
    return 4 * math.log(smallest_size(support, alpha)) / alpha**2


def scale_of_lecture11(cutoff, delta):
    """σ n ε of Lecture 11, as printed."""
    return 2 * cutoff if delta == 0 else math.sqrt(32 * cutoff * math.log(1 / delta))


def needed_printed(alpha, n, support, num_queries, beta, epsilon, delta):
    cutoff = max(updates_of(support, alpha), 1)
    logs = math.log(2 * num_queries) + math.log(2 / beta)
    return 2 * scale_of_lecture11(cutoff, delta) * logs / (epsilon * n)


def needed(alpha, n, support, num_queries, beta, epsilon, delta):
    cutoff = max(updates_of(support, alpha), 1)
    if delta == 0:
        return 12 * cutoff * (math.log(2 * num_queries) + math.log(3 / beta)) / (epsilon * n)
    logs = max(
        math.log(2 * num_queries) + math.log(4 * cutoff / beta),
        math.sqrt(8) * math.log(2 * cutoff / beta),
    )
    return (math.sqrt(512) + 1) * math.sqrt(cutoff * math.log(2 / delta)) * logs / (epsilon * n)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize(
    "bound, right_side", [(smw_alpha, needed), (smw_alpha_printed, needed_printed)]
)
@pytest.mark.parametrize(
    "n, support, k, beta, epsilon",
    [
        (10**6, 1, 1000, 0.05, 1.0),
        (10**9, 100, 1, 0.9, 0.1),
        (10**12, 10, 10**9, 1e-6, 3.0),
        (20_190, 3, 50, 0.2, 1.0),
        (300, 1, 10, 0.1, 0.5),
        (1, 1, 10, 0.1, 0.5),
    ],
)
def test_theorem_7_is_the_smallest_alpha_that_suffices(
    bound, right_side, n, support, k, beta, epsilon, delta
):
    alpha = float(
        bound(n=n, support=support, num_queries=k, beta=beta, epsilon=epsilon, delta=delta)
    )
    more, less = alpha * (1 + 1e-9), alpha * 0.999
    assert more >= right_side(more, n, support, k, beta, epsilon, delta)
    assert less < right_side(less, n, support, k, beta, epsilon, delta)


def test_alpha_is_on_the_right_side_where_s_jumps():
    """s is a whole number, so the right side jumps; just below a jump no α suffices.

    B as the learner itself has it: the α of a jump is rounded.
    """
    rows = np.unique(np.geomspace(150, 3000, 300).astype(int))
    logs = math.log(20) + math.log(30)
    alphas = smw_alpha(n=rows, support=1, num_queries=10, beta=0.1, epsilon=1.0)
    short = 1 - 12 * np.maximum(smw_updates(support=1, alpha=alphas), 1) * logs / rows / alphas
    assert short.min() >= -1e-9 and short.max() > 0.01  # some lie at a jump
    for n, alpha in zip(rows.tolist(), alphas.tolist(), strict=True):
        if alpha < 1:
            cutoff = SparseMultiplicativeWeights(support=1, alpha=alpha).max_updates
            enough = repaired_alpha(n=n, num_queries=20, cutoff=cutoff, beta=0.1, epsilon=1.0)
            assert enough <= alpha


def test_the_reference_figure_of_theorem_7():
    """m = 1, k = 1000, n = 10^6, δ = 1e-6, ε = 1, β = 0.05: 0.0542, and the closed form."""
    alpha = smw_alpha_printed(
        n=10**6, support=1, num_queries=1000, beta=0.05, epsilon=1.0, delta=1e-6
    )
    assert f"{alpha:.4f}" == "0.0542" and f"{3 * alpha:.3f}" == "0.163"  # answers within 3α
    logs = math.log(2000) + math.log(40)
    square = math.sqrt(512 * math.log(smallest_size(1, alpha)) * math.log(1e6)) * logs / 1e6
    assert alpha**2 == pytest.approx(square, rel=1e-6)
    pure = smw_alpha_printed(n=10**6, support=1, num_queries=1000, beta=0.05, epsilon=1.0)
    cube = 16 * math.log(smallest_size(1, float(pure))) * logs / 1e6
    assert pure**3 == pytest.approx(cube, rel=1e-4)


@pytest.mark.parametrize(
    ("n", "support", "k", "beta", "epsilon", "delta"),
    [
        (10**6, 1000, 10**3, 0.05, 1.0, 1e-6),
        (10**9, 2, 1, 0.9, 0.05, 0.5),
        (10, 30, 7, 1e-9, 3, 1e-12),
    ],
)
@mpmath.workdps(30)
def test_what_stands_in_theorem_7(n, support, k, beta, epsilon, delta):
    """(log m)^¼ (log(4/δ) log(k/β))^½ / (εn)^½, as it is printed."""
    logs = mpmath.log(4 / mpmath.mpf(delta)) * mpmath.log(k / mpmath.mpf(beta))
    printed = mpmath.root(mpmath.log(support), 4) * mpmath.sqrt(logs / (mpmath.mpf(epsilon) * n))

    def found(support, delta):
        return smw_accuracy_bare(
            n=n, support=support, num_queries=k, beta=beta, epsilon=epsilon, delta=delta
        )

    assert found(support, delta) == pytest.approx(float(printed), rel=1e-13)
    both = found([1, support], delta)
    assert both == pytest.approx([0.0, float(printed)], rel=1e-13)  # ln 1 is 0
    with pytest.raises(ParameterError, match="delta must be a number strictly between"):
        found(support, delta=0)


def test_what_theorem_7_prints_of_delta_and_k_is_weaker_than_what_is_derived():
    """(ln 1/δ)^¼ ≤ (ln 4/δ)^½ for every δ; ln(4k/β) ≤ 3 ln(k/β) from k = 2 on."""
    for delta in np.concatenate([np.geomspace(1e-300, 0.1, 50), np.linspace(0.1, 0.999999, 50)]):
        assert math.log(1 / delta) ** 0.25 < math.log(4 / delta) ** 0.5
    for k, beta in itertools.product((2, 3, 10, 10**9), (1e-12, 0.05, 0.5, 1 - 1e-12)):
        assert math.log(4 * k / beta) <= 3 * math.log(k / beta) * (1 + 1e-12)
    assert math.log(4 / 0.999) > 1000 * math.log(1 / 0.999)  # and not for k = 1


def test_from_theorem_5_comes_no_bound_for_delta_next_to_1():
    """A query that is 3α off is ⊥ if T̂ − T exceeds its noise by α: here four times as often as β.

    For X ~ Lap(t) and Y ~ Lap(s), Pr[X − Y > α] = (t²e^(−α/t) − s²e^(−α/s)) / (2(t² − s²)).
    """
    n, delta, beta = 100, 1 - 1e-8, 0.05
    alpha = smw_alpha_printed(n=n, support=1, num_queries=1, beta=beta, epsilon=1.0, delta=delta)
    product = updates_of(1, alpha) * -math.log(delta)  # c ln(1/δ)
    assert product < 1 / 8 and "c ln(1/delta) >= 1/8" in smw_alpha_printed.__doc__
    t, s = 2 / n, math.sqrt(32 * product) / n
    tails = t**2 * math.exp(-alpha / t) - s**2 * math.exp(-alpha / s)
    assert tails / (2 * (t**2 - s**2)) > 4 * beta


def test_theorem_7_takes_arrays_and_refuses_what_is_not_covered():
    for bound in (smw_alpha, smw_alpha_printed):
        table, one = (
            bound(n=10**6, support=m, num_queries=10, beta=0.1, epsilon=epsilon, delta=1e-6)
            for m, epsilon in (([1, 10], [[1.0], [0.5]]), (10, 0.5))
        )
        assert table.shape == (2, 2)
        assert np.ndim(one) == 0 and one == pytest.approx(table[1, 1], rel=1e-9)
    with pytest.raises(ParameterError, match="epsilon must be at most .* not proved"):
        smw_alpha(n=10**6, support=1, num_queries=10, beta=0.1, epsilon=20.0, delta=0.1)


def test_a_hundred_thousand_updates_are_within_1e_9_of_the_textbook():
    """Up and down at random, s = 15, every variable assigned; benchmarks/online.py does 10^6."""
    learner, rng = small(), np.random.default_rng(8)
    elements, steps = rng.integers(0, 15, size=10**5), rng.random(10**5)
    signs = rng.choice([-1, 1], size=10**5)
    variables, factors = np.full(15, 1 / 15), np.exp(0.999 / 2 * signs * steps)
    moves = zip(elements.tolist(), steps.tolist(), signs.tolist(), factors.tolist(), strict=True)
    for number, (element, step, sign, factor) in enumerate(moves):
        learner.update({element: step}, RAISE if sign > 0 else LOWER)
        variables[element] *= factor
        variables /= variables.sum()
        if number % 10_000 == 9_999:
            found = [learner.evaluate({x: 1.0}) for x in range(15)]
            assert np.abs(found - variables).max() < 1e-9
            assert found == pytest.approx(variables, rel=1e-9)


@pytest.mark.parametrize("value, sign", [(RAISE, 1), (LOWER, -1)])
def test_drifts_of_thousands_leave_no_rounding(value, sign):
    """One element takes 0.9, one 0.3 and 0.6, ten thousand times: to e^±4500.

    Sums of floats would be 5e-10 off by then, and more than 1e-9 after fifteen thousand.
    """
    learner, turns = small(), 10_000
    for query in [{"one": 0.9}, {"other": 0.3}, {"other": 0.6}] * turns:
        learner.update(query, value)
    one, other = (sign * turns * Fraction(w) for w in (0.9, Fraction(0.3) + Fraction(0.6)))
    exact, rest = from_sums({"one": one, "other": other}, 15, 0.999)
    for x, share_of_x in exact.items():
        assert learner.evaluate({x: 1.0}) == pytest.approx(share_of_x, rel=1e-10, abs=1e-300)
    assert learner.evaluate({"none": 1.0}) == pytest.approx(rest, rel=1e-10, abs=1e-300)


def test_what_goes_up_comes_down():
    learner = small()
    for query, value in [({"a": 0.7}, RAISE)] * 3000 + [({"a": 0.7}, LOWER)] * 3000:
        learner.update(query, value)
    assert learner.evaluate({"a": 1.0}) == pytest.approx(1 / 15, rel=1e-14)
