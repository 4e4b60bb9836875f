"""A notebook shows a function from its signature on, at the left margin."""

import functools
import inspect

import pytest

from course_lib.support.code import show_code


def loud(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def times(*_, **__):
    return loud


@loud
@times(
    3,
    why="a decorator of several lines",
)
def halve(x):
    """Half of it.

    Notebook: none.
    """
    return x / 2


class Learner:
    @times(2)
    def update(self, query):
        """Move."""
        if query:  # a comment
            return 1
        return 0

    def evaluate(self, query): return query  # fmt: skip


HALVE = '''\
def halve(x):
    """Half of it.

    Notebook: none.
    """
    return x / 2
'''
UPDATE = '''\
def update(self, query):
    """Move."""
    if query:  # a comment
        return 1
    return 0
'''
EVALUATE = "def evaluate(self, query): return query  # fmt: skip\n"


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        ([halve], HALVE),
        ([Learner.update], UPDATE),
        ([Learner.evaluate], EVALUATE),
        ([Learner.evaluate, halve, Learner.update], f"{EVALUATE}\n{HALVE}\n{UPDATE}"),
    ],
)
def test_decorators_and_indentation_are_left_out(capsys, functions, expected):
    show_code(*functions)
    assert capsys.readouterr().out == expected


def test_a_docstring_can_be_left_out_and_nothing_else(capsys):
    show_code(halve, Learner.update, Learner.evaluate, docstring=False)
    bare = "def halve(x):\n    return x / 2\n"
    update = UPDATE.replace('    """Move."""\n', "")
    assert capsys.readouterr().out == f"{bare}\n{update}\n{EVALUATE}"


def test_a_plain_function_is_shown_as_it_is_written(capsys):
    show_code(show_code)
    assert capsys.readouterr().out == inspect.getsource(show_code)


def test_what_has_no_source_is_refused():
    with pytest.raises(TypeError, match="builtin"):
        show_code(len)
