"""The code of a mechanism as a notebook shows it."""

import ast
import inspect
import textwrap


def show_code(*functions):
    """Print the signature, docstring and body of each function, without its decorators."""
    print(*map(_undecorated, functions), sep="\n\n")


def _undecorated(function):
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source).body
    return "\n".join(source.splitlines()[definition.lineno - 1 :])
