"""The engine of the exercises: what it reads, what it says, and what it does not let pass."""

import asyncio
import builtins
import itertools
import math
import sys
import time
import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import expon

from course_lib.checks import engine
from course_lib.checks.engine import Choice, Function, NotYet, Slip, Value, array, number
from course_lib.support.answers import BELOW


def double(x):
    return 2 * x


def check(**changes):
    cases = [(1.0,), (2.5,), (-3.0,), (0.0,), (7.0,)]
    slip = Slip("x were squared. The double of 3 is not 9.", {"2 * x": "x * x"}, hint=2)
    made = {"solution": double, "cases": lambda: cases, "slips": [slip], "praise": "so it is."}
    return Function(**made | changes)


def test_what_behaves_like_the_solution_is_right_and_like_a_slip_has_its_sentence(capsys):
    check()(lambda x: x + x)
    check()(lambda x: abs(x) ** 2)
    right, wrong = capsys.readouterr().out.splitlines()
    assert right == "✓ Right: so it is."
    assert wrong.startswith("✗ Not yet: it behaves as if x were squared.")
    assert wrong.endswith("Next: hint 2.")


def test_a_slip_that_fits_on_most_cases_is_not_named():
    right, words = check().verdict(lambda x: x * x if x < 5 else 0.0)
    assert (right, words) == (False, "✗ Not yet: double(1) gives 1; it should be 2. Next: hint 1.")


def test_a_case_can_be_told_in_its_own_words():
    words = check(tell=lambda case, mine, right: f"{mine:g} for {case[0]:g}.").verdict(abs)[1]
    assert words == "✗ Not yet: 1 for 1. Next: hint 1."


def test_two_sentences_that_fit_are_not_given():
    slips = [Slip("one.", {"2 * x": "x * x"}), Slip("two.", {"2 * x": "x ** 2"})]
    assert "behaves" not in check(slips=slips).verdict(lambda x: x * x)[1]


@pytest.mark.parametrize("piece", ["x", "3 * x"])
def test_a_change_has_to_match_once(piece):
    with pytest.raises(LookupError, match="times"):
        Slip("no.", {piece: "y"}).applied(double)


@pytest.mark.parametrize(
    "answer, words",
    [
        (lambda x: 6 * x, "in each of 5 cases you return 3 times what it should be."),
        (lambda x: -2 * x, "in each of 5 cases you return minus what it should be."),
        (lambda x: 2 * x + 1, "in each of 5 cases you return 1 more."),
        (lambda x: None, "your function returned None."),
        (lambda x: [x, x], "your function returned [1.0, 1.0], and one number is asked for."),
        (lambda x: 1 / 0, "stopped with ZeroDivisionError: division by zero."),
        (lambda x: lambda: x, "your function returned <function"),
        (lambda: 0, "the call of double stopped with TypeError"),
        (lambda x: 2 * x + 1e-5 * x**2, "double(1) gives 2.00001; it should be 2."),
    ],
)
def test_other_mistakes_are_told_in_words(answer, words):
    assert words in check().verdict(answer)[1]


def test_not_written_yet_is_what_the_answer_itself_raises():
    def unwritten(x):
        raise NotImplementedError

    assert "Not written yet" in check().verdict(unwritten)[1]
    words = check().verdict(lambda x: asyncio.AbstractEventLoop().time())[1]
    assert "stopped with NotImplementedError" in words


def test_a_warning_of_a_slip_is_not_shown():
    slip = Slip("it were a logarithm.", {"2 * x": "np.log(0 * x)"})
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        check(slips=[slip]).verdict(abs)
    assert not shown


def test_an_exception_comes_with_its_line():
    def answer(x):
        return x / (x - x)

    assert "your line “return x / (x - x)” stopped with" in check().verdict(answer)[1]
    words = check().verdict(lambda x: a_name_that_is_nowhere_defined)[1]  # noqa: F821
    assert "NameError: name 'a_name_that_is_nowhere_defined' is not defined. Next" in words


def test_an_object_that_shows_its_address_is_no_state():
    for answer in (lambda x: enumerate([x]), lambda x: [map(abs, [x])], lambda x: expon(scale=x)):
        words = check().verdict(answer)[1]
        assert "and one number is asked for." in words and "0x" not in words


@pytest.mark.parametrize("read", [number, array])
def test_a_yield_without_end_is_read_in_part(monkeypatch, read):
    monkeypatch.setattr(engine, "PATIENCE", 0.3)
    words = check(run=engine.plain_run(read)).verdict(lambda x: itertools.repeat(1.0))[1]
    assert "1" in words and "does not seem to end" not in words


def test_what_outlives_a_call_and_what_is_changed_is_seen():
    calls = []
    kept = check().verdict(lambda x: calls.append(x) or 2 * x + (len(calls) > 7))
    assert "Something outlives a call" in kept[1]

    def in_place(x):
        x *= 2
        return x

    changed = Function(
        double, lambda: [(np.ones(2),)], praise="", run=engine.plain_run(array)
    ).verdict(in_place)
    assert "changes what it was given" in changed[1]


@pytest.mark.parametrize("length", [10, 1000])
def test_no_message_is_longer_than_300_characters(length):
    words = check(run=engine.plain_run(array)).verdict(lambda x: np.arange(length) + x)[1]
    assert len(words) <= engine.LONGEST and words.endswith(" Next: hint 1.")


def test_a_number_that_is_no_array_is_shown():
    words = check(run=engine.plain_run(array)).verdict(lambda x: np.array(3))[1]
    assert "double(1) gives 3; it should be 2." in words


def test_a_number_is_read_in_every_form():
    forms = (0.5, Fraction(1, 2), np.array(0.5), np.array([0.5]), [[0.5]], iter([0.5]))
    assert [number(form) for form in forms] == [0.5] * len(forms)
    assert array(iter([1, 2])).tolist() == [1, 2]
    with pytest.raises(NotYet, match="result object"):
        number(minimize_scalar(lambda x: x * x))


@pytest.mark.parametrize(
    "one, other, same",
    [
        (1.0, 1 + 1e-8, True),
        (1.0, 1.1, False),
        (math.inf, math.inf, True),
        (math.nan, math.nan, True),
        (0.0, math.nan, False),
        ((1.0, BELOW), (BELOW, 1.0), False),
        ((BELOW, 1), (BELOW, 1.0), True),
        (np.ones(2), [1, 1], True),
        (np.ones(2), np.ones(3), False),
        ({"a": 1.0}, {"a": "1.0"}, False),
    ],
)
def test_observations_are_compared_up_to_rounding(one, other, same):
    assert engine.close()(one, other) == engine.close()(other, one) == same


def for_ever(x):
    while True:
        try:
            math.sqrt(x)
        except Exception:
            pass


def for_ever_whatever_comes(x):
    while True:
        try:
            math.sqrt(x)
        except:  # noqa: E722 (as a student might)
            pass


@pytest.mark.parametrize("answer", [for_ever, for_ever_whatever_comes])
def test_an_endless_loop_ends(monkeypatch, answer):
    monkeypatch.setattr(engine, "PATIENCE", 0.3)
    assert "does not seem to end" in check().verdict(answer)[1]
    time.sleep(0.5)  # nothing is raised later on


def test_a_bare_except_around_a_function_swallows_at_most_one_stop(monkeypatch):
    monkeypatch.setattr(engine, "PATIENCE", 0.3)
    swallowed, before = [], sys.gettrace()

    def for_ever(x):
        until = time.process_time() + 3
        while time.process_time() < until:
            try:
                sum(i * i for i in range(10_000))
            except:  # noqa: E722
                swallowed.append(x)
                continue

    assert "does not seem to end" in check().verdict(for_ever)[1]
    assert len(swallowed) <= 1 and sys.gettrace() is before


def test_a_slow_answer_ends(monkeypatch):
    monkeypatch.setattr(engine, "BUDGET", 0.5)

    def slow(x):
        start = time.process_time()
        while time.process_time() < start + 0.2:
            pass
        return 2 * x

    start = time.process_time()
    assert "or is very slow" in check().verdict(slow)[1]
    assert time.process_time() < start + 1.5


def test_prints_are_not_shown(capsys):
    check()(lambda x: print("here") or print("there", file=sys.stderr) or 2 * x)
    assert capsys.readouterr() == ("✓ Right: so it is.\n", "")


def test_values_and_choices():
    value = Value(
        "k", 59, praise="yes.", slips={60: "one too many."}, otherwise=lambda k: f"{k:g}."
    )
    assert value.verdict(np.int64(59)) == (True, "✓ Right: yes.")
    assert value.verdict(60)[1] == "✗ Not yet: one too many. Next: hint 1."
    assert value.verdict(61)[1] == "✗ Not yet: 61. Next: hint 1."
    assert value.verdict(math.inf)[1].startswith("✗ Not yet: your answer is inf, and a finite")
    assert value.verdict(None)[1].startswith("Not answered yet")
    choice = Choice("letter", {"a": "no.", "b": "because."}, right="b")
    assert choice.verdict(" (B)") == (True, "✓ Right: because.")
    assert choice.verdict("a")[1].startswith("✗ Not yet: no.")
    assert 'answer with one of "a", "b"; you gave 3.' in choice.verdict(3)[1]


def test_a_grader_gets_an_exception_with_the_verdict():
    check().grade(double)
    with pytest.raises(NotYet, match="✗ Not yet: it behaves as if x were squared"):
        check().grade(lambda x: x * x)


def test_a_stub_is_restored(capsys):
    check().stub()
    assert capsys.readouterr().out == "def double(x):\n    raise NotImplementedError\n"


def test_in_a_notebook_a_stub_comes_with_its_check_in_a_cell_of_its_own(monkeypatch):
    check_double, cells = check(), []
    shell = SimpleNamespace(user_ns={"check_double": check_double}, set_next_input=cells.append)
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    check_double.stub()
    head = "def double(x):\n    raise NotImplementedError"
    assert cells == [f"{head}\n\n\ncheck_double(double)"]  # the answer above stays
