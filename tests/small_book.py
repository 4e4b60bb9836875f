"""Two small notebooks, of which the tests make a book and slides."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.publish.build import Folders

FOLDED = "<details><summary>{}</summary>\n\n{}\n\n</details>"
LONG = "\n".join(f"total_{i} = {i}  # {'long ' * 14}" for i in range(60))
TABLE = "| n | square |\n|---|---|\n" + "\n".join(f"| {i} | {i * i} |" for i in range(40))


def small(last="1 + 1"):
    """A notebook with what a book has to show; the last cell is given."""
    cells = [
        (new_markdown_cell("# A small notebook\n\nSee [two folds](#Two-folds)."), "slide"),
        (
            new_code_cell(
                "from course_lib.demos.above_threshold import explore, one_run\n\n"
                "explore(one_run, epsilon=1.0)"
            ),
            "-",
        ),
        (
            new_markdown_cell(
                "## Two folds\n\nThe **zeugma rule** says $\\alpha \\le \\ln k$. Which?\n\n"
                + FOLDED.format("this", "**Right.** Because.")
                + "\n"
                + FOLDED.format("that", "**No.** It is not.")
            ),
            "subslide",
        ),
        (new_markdown_cell("Nobody sees this."), "skip"),
        (
            new_markdown_cell(
                "## What is next\n\nGo on to [the next](02_next.ipynb#What-is-long).\n\n"
                "$$\\frac{1}{2} = \\sum_{i=1}^{\\infty} 3^{-i}$$"
            ),
            "slide",
        ),
        (new_code_cell(last), "fragment"),
        (new_markdown_cell("### The end"), "subslide"),
    ]
    return made(cells)


def long():
    """A notebook with code and a table that are longer than a slide."""
    cells = [
        (new_markdown_cell("# The next notebook\n\nBack to [the first](01_small.ipynb)."), "slide"),
        (new_markdown_cell(TABLE), "-"),
        (new_markdown_cell("## What is long"), "slide"),
        (new_code_cell(LONG), "-"),
        (new_markdown_cell(TABLE), "-"),
        (
            new_code_cell("from course_lib.sparse_mw import smw_alpha\n\nsmw_alpha.statement"),
            "slide",
        ),
        (
            new_markdown_cell(FOLDED.format("Much", "\n\n".join(["A paragraph of it. " * 12] * 9))),
            "-",
        ),
    ]
    return made(cells)


def made(cells):
    notebook = new_notebook(cells=[cell for cell, _ in cells])
    for cell, slide in cells:
        cell.metadata["slideshow"] = {"slide_type": slide}
    return notebook


def folders_of(path):
    """A folder with the two notebooks."""
    folders = Folders(path / "notebooks", path / "build")
    folders.notebooks.mkdir()
    nbformat.write(small(), folders.notebooks / "01_small.ipynb")
    nbformat.write(long(), folders.notebooks / "02_next.ipynb")
    return folders
