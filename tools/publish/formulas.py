"""Formulas: from LaTeX to MathML, which every browser of today shows without a script."""

import functools

from latex2mathml.converter import convert


@functools.cache
def formula(latex, *, display=False):
    """The MathML of a formula."""
    return convert(latex.strip(), display="block" if display else "inline")
