"""From a notebook's cells to HTML: prose, formulas, code, outputs, and the places of demos."""

import re
from dataclasses import dataclass, field
from html import escape, unescape

from nbconvert.filters.ansi import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools.publish.formulas import formula, parted
from tools.publish.states import figures

CODE = HtmlFormatter(nowrap=True)
# In the place of a demo until its states are known.
PLACE = "<!-- demo {} -->"


class Prose(IPythonRenderer):
    """Markdown as JupyterLab reads it, with MathML, its anchors, and links to pages of the book."""

    def __init__(self, pages=True):
        super().__init__(escape=False, exclude_anchor_links=True)
        self.pages = pages

    def inline_math(self, body):
        displayed = body.strip().removeprefix(r"\displaystyle")
        return formula(body) if displayed == body.strip() else parted(displayed)

    def block_math(self, body):
        return f'<span class="formula">{formula(body, display=True)}</span>'

    def latex_environment(self, name, body):
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")

    def block_html(self, html):
        """Here JupyterLab reads no Markdown, but formulas."""
        return re.sub(r"\$([^$]+)\$", lambda found: formula(unescape(found[1])), html) + "\n"

    def heading(self, text, level, **attrs):
        return f'<h{level} id="{escape(anchor(text))}">{text}</h{level}>\n'

    def link(self, text, url, title=None):
        known = r"(?:notebooks/)?(\w+)\.ipynb(#.*)?|\.\./docs/(\w+\.html)"
        found = re.fullmatch(known, unescape(url))
        if found and not self.pages:
            return f"<em>{text}</em>"
        if found:
            url = found[3] or f"{found[1]}.html{found[2] or ''}"
        return f'<a href="{escape(unescape(url))}">{text}</a>'

    def block_code(self, code, info=None):
        return coloured(code) if (info or "").startswith("python") else plain(code)


def anchor(heading):
    """The name by which links reach a heading, as in JupyterLab."""
    return words_of(heading).strip().replace(" ", "-")


def words_of(html):
    """The words of a piece of HTML; a formula as its letters."""
    return unescape(re.sub(r"<[^>]*>", "", html))


def prose(text, *, pages=True):
    """Markdown as HTML; where nothing can be run, nobody is told to."""
    told = r"(?:\*\*Run ▸ Run All Cells\*\*, then|“Run All Cells” ends here:) (\w)"
    text = re.sub(told, lambda found: found[1].upper(), text)
    html = MarkdownWithMath(renderer=Prose(pages)).render(text)
    # what a table needs to stay inside a narrow window
    html = html.replace("<table>", '<div class="wide" tabindex="0"><table>')
    return html.replace("</table>", "</table></div>")


def coloured(code):
    inside = highlight(code.strip("\n"), PythonLexer(), CODE)
    return f'<pre class="code" tabindex="0">{inside}</pre>\n'


def plain(text, *, kind="output"):
    return f'<pre class="{kind}" tabindex="0">{escape(text.rstrip())}</pre>\n'


def folded(summary, html):
    return f'<details class="fold"><summary>{summary}</summary>\n{html}</details>\n'


@dataclass
class Piece:
    """A cell as HTML: what it says, and the demos in it, each a name and its parameters."""

    html: str
    slide: str
    heading: str = ""
    demos: list = field(default_factory=list)
    source: str = ""


def pieces(notebook, *, pages=True):
    """The cells of a notebook that has run."""
    for cell in notebook.cells:
        slide = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        if cell.cell_type == "markdown":
            html = prose(cell.source, pages=pages)
            heading = re.match(r"<h(\d)[^>]*>(.*?)</h\1>", html)
            yield Piece(html, slide, words_of(heading[2]) if heading else "", [], cell.source)
        elif cell.cell_type == "code":
            yield _code(cell, slide)


def _code(cell, slide):
    demos, shown = [], ""
    for output in cell.outputs:
        call = called(output.get("data", {}).get("text/plain", ""))
        if call:
            shown += PLACE.format(len(demos))
            demos.append(call)
        else:
            shown += _output(output, is_code="show_code(" in cell.source)
    code = coloured(cell.source) if cell.source.strip() else ""
    if demos:  # the picture first; the line that makes it is plumbing
        return Piece(shown + folded("Code of this picture", code), slide, demos=demos)
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        code = folded("Code", code)
    elif "show_code(" in cell.source:
        code = ""  # what it prints is the code to read
    return Piece(code + shown, slide)


def called(text):
    """The demo and the parameters of a panel, from its text; nothing if it is none of the course.

    A panel with the reader's own function stays a picture.
    """
    line = re.match(r"explore\(.*\)(?=: )", text)
    if line:
        try:
            name = eval(line[0], {"explore": _named, **figures()})  # as the notebook just said it
        except NameError:
            return None
        return name
    return None


def _named(figure, **parameters):
    return figure.demo.name, parameters


def _output(output, *, is_code):
    if output.output_type == "stream":
        return coloured(output.text) if is_code else plain(strip_ansi(output.text))
    data = output.get("data", {})
    if "text/markdown" in data:
        return f'<div class="statement">{prose(data["text/markdown"])}</div>'
    if "image/svg+xml" in data:
        return data["image/svg+xml"]
    if "image/png" in data:
        alt = output.metadata.get("image/png", {}).get("alt", "")
        source = f"data:image/png;base64,{data['image/png'].strip()}"
        return f'<img class="stored" src="{source}" alt="{escape(alt)}">'
    if "text/html" in data:
        return data["text/html"]
    return plain(data.get("text/plain", ""))
