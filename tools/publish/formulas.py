"""Formulas: from LaTeX to MathML, which every browser of today shows without a script."""

import functools
import re
from html import escape

from latex2mathml.converter import convert

# As LaTeX sets it: no space around a slash, a thin one between a function and its argument.
SLASH = "<mo>&#x0002F;</mo>", '<mo lspace="0" rspace="0">/</mo>'
# A wide space, or words with what stands around them, where a line may end.
BREAK = re.compile(r"(?<![_^])(?:\\q?quad|(?:\\ )*\\text\{(?P<words>[^{}$]*)\}(?:\\ )*) *")
NAME = re.compile(
    r"(<m([io])[^>]*>(?:ln|log|exp|max|min|Pr)</m\2>)(?=<m(?:[in]|sub|sup|frac|row|sqrt)\b)"
)
THIN = '<mspace width="0.167em"/>'


def parted(latex):
    """The MathML of a formula as wide as a line: its words are words, and lines may end there."""
    found, begun = [], 0
    for place in BREAK.finditer(latex):
        before = latex[begun : place.start()]
        if before.count("{") == before.count("}") and before.count(r"\left") == before.count(
            r"\right"
        ):
            found += [_displayed(before), escape(place["words"] or "\N{EM SPACE}")]
            begun = place.end()
    return f'<span class="parted">{"".join(found)}{_displayed(latex[begun:])}</span>'


def _displayed(latex):
    return formula(rf"\displaystyle {latex}") if latex.strip() else ""


@functools.cache
def formula(latex, *, display=False):
    """The MathML of a formula."""
    latex = latex.strip().replace("{aligned}", "{align*}")  # which the converter knows
    try:
        made = convert(latex, display="block" if display else "inline")
    except Exception:  # the converter's errors have nothing in common
        raise ValueError(f"the formula {latex} cannot be read") from None
    return NAME.sub(rf"\1{THIN}", made.replace(*SLASH))
