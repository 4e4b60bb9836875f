"""Formulas: from LaTeX to MathML, which every browser of today shows without a script."""

import functools
import re

from latex2mathml.converter import convert

# As LaTeX sets it: no space around a slash, a thin one between a function and its argument.
SLASH = "<mo>&#x0002F;</mo>", '<mo lspace="0" rspace="0">/</mo>'
NAME = re.compile(
    r"(<m([io])[^>]*>(?:ln|log|exp|max|min|Pr)</m\2>)(?=<m(?:[in]|sub|sup|frac|row|sqrt)\b)"
)
THIN = '<mspace width="0.167em"/>'


@functools.cache
def formula(latex, *, display=False):
    """The MathML of a formula."""
    latex = latex.strip().replace("{aligned}", "{align*}")  # which the converter knows
    made = convert(latex, display="block" if display else "inline")
    return NAME.sub(rf"\1{THIN}", made.replace(*SLASH))
