"""The code of a mechanism as a notebook shows it."""

import ast
import inspect
import textwrap


def show_code(*functions, docstring=True):
    """Print the signature, docstring and body of each function, without its decorators.

    A docstring that would tell the answer to a question is left out by `docstring=False`.
    """
    print(*(_undecorated(function, docstring) for function in functions), sep="\n\n")


def _undecorated(function, docstring):
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source).body
    lines, first = source.splitlines(), definition.lineno - 1
    if not docstring and ast.get_docstring(definition) is not None:
        told = definition.body[0]
        del lines[told.lineno - 1 : told.end_lineno]
    return "\n".join(lines[first:])
