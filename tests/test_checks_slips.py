"""The cases of a check tell every slip from the right number; what is no number gets a sentence."""

import itertools
import math
import time

import numpy as np
import pytest

from course_lib.checks.one_number import right, same, values
from tests import test_checks_alp, test_checks_small_db, test_checks_sparse_mw

MODULES = (test_checks_alp, test_checks_small_db, test_checks_sparse_mw)
TASKS = {
    f"{module.__name__.removeprefix('tests.test_checks_')}: {name}": (
        *task,
        getattr(module, "ALONE", {}).get(name),
        module.FUNCTIONS[name][0],
    )
    for module in MODULES
    for name, task in module.TASKS.items()
}
EACH = pytest.mark.parametrize("task", TASKS)
ONE_NUMBER = [task for task in TASKS if task != "alp: alp"]  # that one asks for an array


@EACH
def test_the_cases_tell_each_slip_from_the_right_number_and_from_each_other(task):
    model, axes, cases, *_ = TASKS[task]
    found = [right(model, cases, axes)]
    for i, axis in enumerate(axes):
        for choice, sentence in axis[1:]:
            assert sentence
            choices = [axes[j][0][0] if j != i else choice for j in range(len(axes))]
            found.append(np.array(list(values(model, cases, choices))))
    for one, other in itertools.combinations(found, 2):
        assert not same(one, other).all()


@EACH
def test_two_slips_do_not_make_a_right_number(task):
    model, axes, cases, alone, _ = TASKS[task]
    exact = right(model, cases, axes)
    for i, j in itertools.combinations(range(len(axes)), 2):
        for one, other in itertools.product(axes[i][1:], axes[j][1:]):
            choices = [axis[0][0] for axis in axes]
            choices[i], choices[j] = one[0], other[0]
            pairs = zip(values(model, cases, choices), exact, strict=True)
            assert alone in (i, j) or not all(same(*pair) for pair in pairs)


@pytest.mark.parametrize("task", ONE_NUMBER)
@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "your function returned nothing. End it with return and the number."),
        ("0.5", "your function returned '0.5', and a number is asked for."),
        (math.nan, "your function returned nan, and a finite number is asked for."),
        (-math.inf, "your function returned -inf, and a finite number is asked for."),
        (True, "your function returned True, and a number is asked for."),
        (np.True_, "and a number is asked for."),
        (1 + 2j, "your function returned (1+2j), and a number is asked for."),
        (np.complex128(1), "and a number is asked for."),
        pytest.param(10**400, "and a number is asked for.", id="10**400"),
        ({}, "your function returned {}, and a number is asked for."),
        ([], "your function returned an array or a list with 0 entries, and one number is"),
        ([1, [2]], "your function returned [1, [2]], and a number is asked for."),
        (np.zeros((2, 3)), "your function returned an array or a list with 6 entries"),
    ],
)
def test_what_is_no_number_gets_a_sentence(verdict, task, result, message):
    text = verdict(TASKS[task][-1], lambda *arguments: result)
    assert text.startswith("Not yet: for ")
    assert message in text


@EACH
def test_a_verdict_is_quick(verdict, task):
    start = time.process_time()
    verdict(TASKS[task][-1], lambda *arguments: 0.123456)  # no slip gives this, all are tried
    assert time.process_time() - start < 3
