"""Functions that a notebook asks for: right ones pass, and a wrong one is told its fault."""

import math

import pytest

from tests import (
    test_checks_alp,
    test_checks_online_ic,
    test_checks_small_db,
    test_checks_sparse_mw,
)

EXERCISES = {
    f"{module.__name__.removeprefix('tests.test_checks_')}: {name}": (
        getattr(module.solutions, name),
        *parts,
    )
    for module in (
        test_checks_alp,
        test_checks_online_ic,
        test_checks_small_db,
        test_checks_sparse_mw,
    )
    for name, parts in module.FUNCTIONS.items()
}


def versions(place):
    """Each version of each exercise, right or wrong."""
    pairs = [
        (exercise, version) for exercise, parts in EXERCISES.items() for version in parts[place]
    ]
    return pytest.mark.parametrize(("exercise", "version"), pairs, ids=lambda words: words)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_solution_is_right(verdict, exercise):
    solution, check, *_, praise = EXERCISES[exercise]
    assert verdict(check, solution).startswith(praise)


@versions(2)
def test_right_answers_in_unusual_styles_are_right(verdict, exercise, version):
    _, check, answers, _, praise = EXERCISES[exercise]
    assert verdict(check, answers[version]).startswith(praise)


@versions(3)
def test_a_wrong_answer_is_told_its_fault(verdict, exercise, version):
    _, check, _, answers, _ = EXERCISES[exercise]
    function, *messages = answers[version]
    text = verdict(check, function)
    assert text.startswith("Not yet: ")
    for message in messages:
        assert message in text


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_stub_is_not_written_yet(verdict, exercise):
    def stub(*arguments):
        raise NotImplementedError

    stub.__name__ = exercise.split(": ")[1]
    expected = f"Not written yet: fill in {stub.__name__}, then run this cell again."
    assert verdict(EXERCISES[exercise][1], stub) == expected


@pytest.mark.parametrize("exercise", EXERCISES)
@pytest.mark.parametrize("answer", [0.5, math.nan, "my_function", [1, 2]])
def test_what_is_no_function_gets_a_sentence(verdict, exercise, answer):
    text = verdict(EXERCISES[exercise][1], answer)
    assert text.startswith("Not yet: give the function itself, without brackets behind its name;")


@pytest.mark.parametrize("exercise", EXERCISES)
def test_wrong_parameters_and_empty_errors_get_a_sentence(verdict, exercise):
    def fails(*arguments):
        raise AssertionError

    check = EXERCISES[exercise][1]
    assert "your function stopped with TypeError: " in verdict(check, lambda: 1)
    assert "your function stopped with AssertionError." in verdict(check, fails)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_none_is_not_answered_yet(verdict, exercise):
    assert verdict(EXERCISES[exercise][1], None).startswith("Not answered yet: ")
