"""The mechanisms on one page of A4, from notebook 11, to print.  python tools/sheet.py"""

from pathlib import Path

import nbformat
from nbconvert.filters import markdown2html

ROOT = Path(__file__).resolve().parent.parent
SHEET = ROOT / "docs" / "mechanisms.html"
HEADING = "The mechanisms on one sheet"
STYLE = """
@page { size: A4 landscape; margin: 9mm }
body { font: 9pt/1.25 system-ui, sans-serif; margin: 1em; color: black; background: white }
h1 { font-size: 13pt; margin: 0 0 .3em } p { margin: .3em 0 }
table { border-collapse: collapse; width: 100% }
th, td { border: 1px solid #999; padding: .22em .4em; text-align: left; vertical-align: top }
tr { break-inside: avoid } code { font-size: 7.5pt; overflow-wrap: anywhere }
@media print { body { margin: 0 } }
"""


def sheet():
    """The page: the table that follows the heading, and what it says of its letters."""
    cells = nbformat.read(ROOT / "notebooks" / "11_reference.ipynb", as_version=4).cells
    place = next(i for i, cell in enumerate(cells) if cell.source.startswith(f"## {HEADING}"))
    letters = cells[place].source.partition("Scales are")
    body = markdown2html(cells[place + 1].source)
    note = markdown2html("".join(letters[1:]))
    head = f'<meta charset="utf-8">\n<title>{HEADING}</title>\n<style>{STYLE}</style>'
    return (
        f'<!doctype html>\n<html lang="en">\n{head}\n<h1>{HEADING}</h1>\n{note}\n{body}\n</html>\n'
    )


if __name__ == "__main__":
    SHEET.write_text(sheet(), encoding="utf8")
    print(SHEET.relative_to(ROOT))
