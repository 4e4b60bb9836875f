"""Notebook 11: whatever has a name or a number is in it, and its links lead where they say."""

import html
import inspect
import re
from pathlib import Path

import pytest

import course_lib
from tests.test_layout import SLIDES, is_a_mechanism, module_of
from tests.test_prose import (
    LINK,
    REFERENCE,
    TERMS,
    broken_links,
    cells,
    headings,
    plain,
    prose,
)  # fmt: skip
from tools import sheet

PACKAGE = Path(course_lib.__file__).parent
MARKDOWN = [cell.source for cell in prose(REFERENCE)]
# What the sources number, or set apart as a claim.
NUMBERED = {
    "Ligett": ["Algorithm 1", "Theorem 3.24", "Theorem 3.28", "Claim: Above", "Claim: numeric"],
    "Roth, Lecture 11": [
        "Algorithm 1", "Definition 1", *(f"Theorem {n}" for n in (2, 3, 4, 5)), "Footnote 1",
    ],
    "Dinitz": [
        "same query", "Setup", "marginal tables", "SmallDB", "ε-DP", "existence", "error",
        "how many rows", "Remarks",
    ],
    "Roth, Lecture 13": [
        "Theorem 1", "Definition 2", "Definition 3", "Algorithm 1", "Theorem 4", "Lemma 5",
        "Lemma 6", "Theorem 7",
    ],
    "Aumüller": [
        *(f"Algorithms? .*{n}" for n in range(2, 9)), "Equation 1",
        *(f"Lemma {n}" for n in ("4.12", "4.13", "4.14", "5.1", "5.2", "5.3", "5.4", "5.5")),
    ],
}  # fmt: skip


def part(heading):
    """What stands under a heading, up to the next of the same level or above."""
    text = "\n\n".join(MARKDOWN)
    level = re.search(rf"^(#+) {re.escape(heading)}", text, re.MULTILINE)
    assert level, f"no heading “{heading}”"
    rest = text[level.end() :]
    end = re.search(rf"^#{{1,{len(level[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def rows(heading):
    """The rows of the tables under a heading, as lists of cells."""
    lines = [line for line in part(heading).splitlines() if line.startswith("|")]
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if not line.startswith("|---")]


def functions():
    """The public functions and classes of the slides by name."""
    found = {}
    for slide in SLIDES:
        module = module_of(PACKAGE / f"{slide}.py")
        for name, value in vars(module).items():
            ours = getattr(value, "__module__", None) == module.__name__
            if ours and not name.startswith("_"):
                found[name] = value
    return found


def test_every_link_leads_to_a_notebook_and_a_heading_in_it():
    broken = broken_links("\n".join(MARKDOWN))
    assert not broken, "\n".join(broken)


def test_no_row_of_a_table_is_longer_than_its_head():
    """A stroke that is not escaped, as in |X|, would end a cell."""
    for text in MARKDOWN:
        lines = [line for line in text.splitlines() if line.startswith("|")]
        sizes = {len(re.split(r"(?<!\\)\|", line)) for line in lines}
        assert len(sizes) <= 1, text[:300]


def test_links_are_written_as_the_test_above_reads_them():
    text = "\n".join(MARKDOWN)
    assert len(LINK.findall(text)) == text.count(".ipynb") > 200


@pytest.mark.parametrize("name", [name for name in TERMS if name != REFERENCE])
def test_every_technical_word_is_in_the_glossary_with_the_place_that_defines_it(name):
    glossary = rows("Glossary")
    missing = []
    for term in TERMS[name]:
        found = [row for row in glossary if term.lower() in plain(row[0]).lower()]
        linked = {link for row in found for link in LINK.findall(row[2])}
        defined = section_of(name, term)
        if (name, defined.replace(" ", "-")) not in linked:
            missing.append(f"“{term}”: {name}, “{defined}”")
    assert not missing, "\n".join(missing)


def section_of(name, term):
    """The heading under which a word first occurs."""
    first = next(cell for cell in prose(name) if term.lower() in plain(cell.source).lower())
    place = cells(name).index(first)
    return [title for at, _, title in headings(name) if at <= place][-1]


def test_the_glossary_is_sorted_and_says_something_of_each_word():
    words = [re.search(r"\*\*(.*?)\*\*", row[0])[1] for row in rows("Glossary")[1:]]
    in_order = [re.sub(r"^\(.*?\)-|^ε-", "", word).lower() for word in words]
    assert in_order == sorted(in_order) and len(set(words)) == len(words)
    assert all(len(row[1].split()) >= 3 for row in rows("Glossary")[1:])


@pytest.mark.parametrize("source", NUMBERED)
def test_what_a_source_numbers_is_in_the_lecture_finder(source):
    titles = re.findall(r"^### (.*)$", part("Lecture finder"), re.MULTILINE)
    found = rows(next(title for title in titles if source in title))[1:]
    for label in NUMBERED[source]:
        held = [row for row in found if re.search(label, row[0])]
        assert held and all(LINK.search(row[2]) for row in held), label


def test_the_lecture_finder_names_the_functions_of_the_slides():
    named = set(re.findall(r"`(\w+)`", part("Lecture finder")))
    named -= {"course_lib"}
    assert named <= set(functions()), named - set(functions())
    theorems = {name for name, value in functions().items() if hasattr(value, "statement")}
    assert theorems <= named, theorems - named


def test_the_sheet_has_every_mechanism_of_the_slides():
    named = {name for row in rows(sheet.HEADING) for name in re.findall(r"`(\w+)`", row[1])}
    promised = {
        name
        for name, value in functions().items()
        if is_a_mechanism(value) and "Privacy:" in (inspect.getdoc(value) or "")
    }
    promised.remove("alp1_projection")  # a part of ALP
    assert promised <= named, promised - named
    assert named <= set(functions())


def test_the_printed_sheet_is_that_of_the_notebook():
    """After a change of the sheet: python tools/sheet.py"""
    page = sheet.sheet()
    assert sheet.SHEET.read_text(encoding="utf8") == page
    text = html.unescape(re.sub(r"<[^>]*>", "", page))
    for row in rows(sheet.HEADING):
        assert plain(row[0]).strip() in text
