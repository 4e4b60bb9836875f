"""The checks of notebook 06 accept every right answer, name what is wrong, and have their facts."""

import inspect
import itertools
import math
import time

import numpy as np
import pytest

from course_lib.checks import online_ic as checks
from course_lib.checks import online_ic_scripted, online_ic_update
from course_lib.checks.one_number import right, same, values
from course_lib.checks.solutions import online_ic as solutions
from course_lib.online_ic import MultiplicativeWeights, online_ic
from course_lib.support.answers import BELOW
from tests.wrong_answers import online_ic as wrong_updates
from tests.wrong_answers import online_ic_answer, online_ic_right

# name: (check, right answers, wrong ones, what is said of a right one), for test_checks_functions
FUNCTIONS = {
    "my_update": (
        checks.check_update,
        online_ic_right.RIGHT_UPDATE,
        wrong_updates.WRONG_UPDATE,
        "Right: in 9 cases your hypothesis moves by exp(±(α/2)·q(x)) towards the value",
    ),
    "my_answer": (
        checks.check_answer,
        online_ic_right.RIGHT_ANSWER,
        online_ic_answer.WRONG_ANSWER,
        "Right: in 13 cases you ask about both gaps, answer from the hypothesis if both are below",
    ),
}
EACH = pytest.mark.parametrize("name", FUNCTIONS)


@EACH
@pytest.mark.parametrize("result", [None, "0.5", True, 1 + 2j, {}, [], [1, [2]], np.zeros((2, 3))])
def test_what_is_no_result_gets_a_sentence(verdict, name, result):
    text = verdict(FUNCTIONS[name][0], lambda *arguments: result)
    assert text.startswith("Not yet: for ")
    assert "your function returned " in text


def test_a_verdict_is_quick(verdict):
    start = time.process_time()
    # no slip gives this, all are tried
    text = verdict(checks.check_update, lambda h, q, v, a: np.linspace(0, 0.3, len(h)))
    assert "(That is entry 0;" in text
    assert time.process_time() - start < 3


def test_the_cases_tell_each_slip_from_the_right_step_and_from_each_other():
    axes, found = online_ic_update.AXES, {}
    given = (online_ic_update.entry, online_ic_update.ENTRIES)
    found["right"] = [right(*given, axes)]
    for i, axis in enumerate(axes):
        for choice, sentence in axis[1:]:
            choices = [axes[j][0][0] if j != i else choice for j in range(len(axes))]
            found.setdefault(sentence, []).append(np.array(list(values(*given, choices))))
    assert "" not in found
    for one, other in itertools.combinations(found.values(), 2):
        for pair in itertools.product(one, other):
            assert not same(*pair).all()


def test_two_slips_do_not_make_a_right_step():
    axes, given = online_ic_update.AXES, (online_ic_update.entry, online_ic_update.ENTRIES)
    exact = right(*given, axes)
    for i, j in itertools.combinations(range(len(axes)), 2):
        for one, other in itertools.product(axes[i][1:], axes[j][1:]):
            choices = [axis[0][0] for axis in axes]
            choices[i], choices[j] = one[0], other[0]
            assert not same(list(values(*given, choices)), exact).all()


def test_the_right_step_is_that_of_the_learner():
    for case in online_ic_update.STEPS:
        expected = online_ic_right.of_the_library(*case.values())
        assert np.allclose(online_ic_update.new_hypothesis(case), expected, rtol=1e-12)
        assert not math.isclose(case["value"], case["query"] @ case["hypothesis"])
        assert math.isclose(case["hypothesis"].sum(), 1)


def test_the_solution_raises_where_the_value_is_that_of_the_hypothesis():
    """“If v < Q(Dᵗ) … else”: a tie goes up, as in the lecture’s algorithm."""
    uniform, query = np.full(4, 0.25), np.array([1.0, 1.0, 0.0, 0.0])
    raised = uniform * np.exp(0.1 * query)
    found = solutions.my_update(uniform, query, 0.5, 0.2)
    assert np.allclose(found, raised / raised.sum(), rtol=1e-12)


def test_the_right_answer_is_that_of_online_ic():
    class Learner:
        alpha, max_updates = 0.1, 1

        def evaluate(self, query):
            return case.guess

        def update(self, query, value):
            pass

    def sparse(data, gaps, **given):
        scripted = online_ic_scripted.ScriptedSparse(case)
        return (scripted(gap(data)) for gap in gaps)

    for case in online_ic_scripted.CASES:
        inside = round(10_000 * case.value)
        data = np.array([inside, 10_000 - inside])
        given = {"n": 10_000, "epsilon": 1.0, "sparse": sparse, "rng": np.random.default_rng(0)}
        ((answer, updated),) = online_ic(data, [np.array([1, 0])], Learner(), **given)
        assert math.isclose(answer, case.expected[0])
        assert updated == case.expected[1]


def test_either_gap_may_be_released_whichever_is_larger():
    kinds = {(case.gap > 0, case.side) for case in online_ic_scripted.CASES}
    assert kinds == set(itertools.product((True, False), (0, 1, -1)))
    assert any(case.number < 0 for case in online_ic_scripted.CASES)


@pytest.mark.parametrize("answer", [solutions.after_the_last_update, "d", "(D)"])
def test_the_hypothesis_answers_after_the_last_update(verdict, answer):
    text = verdict(checks.check_after_budget, answer)
    assert text.startswith("Right: the hypothesis was made from released numbers alone")
    assert "every further answer is within α, not only 3α." in text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a", "Sparse has to stop"),
        ("b", "by composition its ε comes on top."),
        ("c", "that makes them close, not equal."),
        ("e", "reads the data once more, for every query, and each such answer costs."),
        ("f", 'answer with one of "a", "b", "c", "d", "e"; you gave \'f\'.'),
    ],
)
def test_each_other_end_is_answered(verdict, answer, message):
    text = verdict(checks.check_after_budget, answer)
    assert text.startswith("Not yet: ")
    assert message in text


@pytest.mark.parametrize("answer", [solutions.why_not_theorem_2, "b", " B. "])
def test_middling_gaps_are_why_theorem_2_does_not_apply(verdict, answer):
    text = verdict(checks.check_theorem_2, answer)
    assert text.startswith("Right: gaps from α to 3α may come back for ever")
    assert "at most 277 updates" in text
    assert "can be asked 278 times" in text
    assert "if c values reach T − α, the last of them must be query k" in text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a", "Sparse is made for adaptive queries"),
        ("c", "moves by at most 1/n when one row of D is replaced"),
        ("d", "that costs ln 2k in place of ln k, no more"),
        ("e", "Theorem 2 is about every threshold T."),
        (2, 'answer with one of "a", "b", "c", "d", "e"; you gave 2.'),
    ],
)
def test_each_other_reason_against_theorem_2_is_answered(verdict, answer, message):
    text = verdict(checks.check_theorem_2, answer)
    assert text.startswith("Not yet: ")
    assert message in text


def test_a_middling_gap_comes_back_for_ever():
    # two elements, 0.65 of the rows have the first: the gap is 0.15, between α and 2α
    learner = MultiplicativeWeights(universe_size=2, alpha=0.1)
    assert learner.max_updates == checks.small_budget() == math.floor(4 * math.log(2) / 0.1**2)
    n = 10**9  # noise far below 0.05
    queries = itertools.repeat(np.array([1, 0]), checks.small_budget() + 1)
    data, rng = np.array([0.65 * n, 0.35 * n]), np.random.default_rng(0)
    answers = list(online_ic(data, queries, learner, n=n, epsilon=1.0, rng=rng))
    assert answers == [(0.5, False)] * 278
    assert 0.65 - 0.5 > learner.alpha


def test_the_worst_queries_end_within_alpha_before_the_updates_do():
    # the truth is one of 3 elements; the queries are all 0/1 ones, the worst is always taken
    queries = [np.array(q) for q in itertools.product((0, 1), repeat=3)]
    truth = np.array([1.0, 0, 0])
    learner = MultiplicativeWeights(universe_size=3, alpha=0.3)
    updates = 0
    while True:
        gaps = [abs(q @ truth - learner.evaluate(q)) for q in queries]
        if max(gaps) < learner.alpha:
            break
        worst = queries[int(np.argmax(gaps))]
        learner.update(worst, worst @ truth)
        updates += 1
    assert 0 < updates <= learner.max_updates
    apart = abs(truth - learner.hypothesis).sum() / 2  # the largest gap of any query
    assert 0 < apart < learner.alpha  # close, not equal


def test_solutions_have_the_stubs_parameters():
    signatures = {
        "my_update": "(hypothesis, query, value, alpha)",
        "my_answer": "(value, guess, sparse)",
    }
    for name, expected in signatures.items():
        assert str(inspect.signature(getattr(solutions, name))) == expected


def test_a_scripted_sparse_releases_for_its_side_alone():
    for case in online_ic_scripted.CASES:
        sparse = online_ic_scripted.ScriptedSparse(case)
        said = [sparse(case.gap), sparse(-case.gap)]
        expected = [case.number if case.side == side else BELOW for side in (1, -1)]
        assert said == expected
        assert sparse.sides == [1, -1]
