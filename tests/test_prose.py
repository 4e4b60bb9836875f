"""How the notebooks are told: short sentences, a hook, predictions one commits to, a way through.

Formulas, tables and code are not counted; what unfolds is counted apart from the cell around it.
"""

import ast
import re
from pathlib import Path

import nbformat

from tests.pictures import figures, value

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
MINUTES = 75
CHECKED = "The numbers of this notebook, checked"
FIRST = "00_start_here"  # it has nothing to recall
REFERENCE = "11_reference"  # to look things up; it teaches nothing, so it is exempt from
EXEMPT = {  # hook, objectives, predictions, recall, the timed way through and the core exercise
    "test_the_hook_has_few_words_and_no_greek_letter_before_a_demo_that_plays",
    "test_a_prediction_is_followed_by_its_options_each_with_its_reason",
    "test_no_output_before_its_options_shows_the_answer_to_a_prediction",
    "test_three_questions_recall_what_came_before",
    "test_each_objective_comes_back_at_the_end_with_what_tests_it",
    "test_the_main_line_is_timed_and_every_section_of_it_is_in_the_table",
    "test_one_exercise_is_the_core_and_comes_before_the_summary",
    "test_ten_minutes_are_enough_for_a_path_by_links",
    "test_one_prediction_is_drawn_on_the_axes_and_then_revealed",
    "test_the_first_notebook_gives_the_minutes_of_each",
}
# Words that a notebook introduces, bold where they first occur; others wait to be told.
TERMS = {
    "00_start_here": [
        "differencing attack", "scene", "promised", "exact", "measured", "unit of privacy", "query",
        "sensitivity 1", "neighbours", "mechanism", "ε-differentially private", "privacy loss",
        "log-ratio", "Laplace mechanism", "(ε, δ)-differentially private", "prior", "posterior",
        "odds", "curator", "randomised response", "unbiased", "standard error", "privacy budget",
        "basic composition", "advanced composition", "noisy max", "exponential mechanism",
        "attacker’s game", "mass beyond",
    ],
    REFERENCE: [],
    "01_above_threshold": [
        "privacy budget", "sensitivity 1", "generator", "adaptive", "accurate within α",
        "union bound", "hardest stream", "composition", "coupling", "window", "noisy max", "gap",
        "monotone", "tight",
    ],
    "02_numeric_sparse": [
        "ring", "cutoff", "sensitivity 1", "fresh noise", "round", "shortcut", "full formula",
        "accurate within α", "hardest stream", "corrected theorem", "randomised response",
        "privacy loss", "martingale",
    ],
    "06_online_ic": [
        "hypothesis", "update", "linear query", "universe", "marginal", "gap",
        "database update algorithm", "learner", "valid", "B(α)-DUA", "multiplicative weights",
        "relative entropy", "useful", "efficiency preserving",
    ],
    "07_sparse_mw": [
        "weight", "hypothesis", "valid", "B(α)-DUA", "m-sparse", "variables", "FAILURE",
        "lazy normalisation", "SMW", "potential", "relative entropy", "(α, β)-accurate",
        "invariants",
    ],
    "08_alp": [
        "unary code", "privacy loss", "profile", "k-sparse", "levels", "cap", "hash function",
        "collision", "embedding", "walk", "summit", "mirror walk",
    ],
    "09_threshold_alp": [
        "post-processing", "composition", "profile", "survives", "no memory", "Chernoff’s bound",
    ],
    "03_lecture11_sparse": [
        "sensitivity 1/n", "(α, β)-accurate", "hardest stream", "log-ratio",
    ],
    "04_is_it_private": [
        "odds", "transcript", "auditor", "black box", "Clopper–Pearson interval", "geometric",
        "monotone", "fresh noise", "tight", "cut on the number", "mass beyond", "lattice",
    ],
    "05_small_db": [
        "universe", "histogram", "linear query", "counting query", "marginal", "candidate",
        "utility", "clean", "consistent", "Hoeffding’s inequality", "accuracy lemma", "(1−β)-error",
        "k-way", "predicate", "Gumbel", "shatters", "VC dimension", "fat-shattering dimension",
    ],
    "10_choosing_a_mechanism": [
        "baseline", "noise on the table", "histogram", "typical error", "marginal",
        "exact composition", "bound, not run", "support", "dense noise",
    ],
}  # fmt: skip
FORBIDDEN = {
    r"\bwhoever\b": "say who",
    r"\bbut with (prob|β|\d)": "except with probability",
    r"[,;:] for (it|they|there|this|these|he|she|we|you|no|nothing|both|its|then)\b": "because",
    r"^For (it|they|there|he|she|we|you|nobody|nothing) ": "because",
}
LABELS = "Theorem|Theorems|Lemma|Algorithm|Exercise|exercise|Chapter|Notebook|notebook|Step|Hint"
NUMBER = r"(?<![\w.⁻])[−-]?\d[\d,]*(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?%?"
LINK = re.compile(r"\]\((?:[\w.-]+/)*(\w+)\.ipynb(?:#([^\s]+?))?\)(?=[\]*,;:|\s.)]|$)")
FOLDED = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>", re.DOTALL)


def pytest_generate_tests(metafunc):
    assert set(globals()) >= EXEMPT
    exempt = metafunc.function.__name__ in EXEMPT
    metafunc.parametrize("name", [name for name in TERMS if name != REFERENCE or not exempt])


def cells(name):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells


def prose(name):
    """Every Markdown cell that is not copied from the solutions."""
    return [c for c in cells(name) if c.cell_type == "markdown" and "solution" not in c.metadata]


def unfolded(text):
    """A cell's own text, and what each part of it unfolds into."""
    return [FOLDED.sub("", text), *(" ".join(part) for part in FOLDED.findall(text))]


def plain(text, keep_headings=False):
    """The words alone: no code, formula, table, pseudocode, tag or mark; links by their words."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "\n\n", text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`|\$[^$]*\$|\([\d, ]*…[\d, …]*\)", "§", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    skipped = ("|", ">") if keep_headings else ("|", ">", "#")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(skipped)]
    text = re.sub(r"<[^>]*>|&\w+;", " ", "\n".join(lines))
    return re.sub(r"\*+|^#+ |^(\d+\.) (?=\S)", "", text, flags=re.MULTILINE)


def words(text):
    return [word for word in text.split() if re.search(r"\w", word)]


def sentences(text):
    """Paragraphs and items of a list end a sentence; within them a full stop before a capital."""
    for part in re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.)\s|^\s*(?:-|\d+\.)\s", text):
        part = " ".join(part.split())
        ends = re.split(r"(?<=[.!?])[”’)]*\s+(?=[“(]?[A-ZΑ-Ω⊤⊥§])", part)
        yield from filter(words, ends)


def numbers(text):
    """The numbers of a text; those of theorems are names, and 4/ε is a formula."""
    text = re.sub(rf"\b(?:{LABELS})\s+\d[\d.]*(?:\s+and\s+\d[\d.]*)?", "", text)
    text = re.sub(r"\d+/[α-ω]", "", text)
    return [found.rstrip(",") for found in re.findall(NUMBER, text)]


def texts(name):
    for cell in prose(name):
        for text in unfolded(cell.source):
            yield plain(text)


def headings(name):
    """The headings in order, and the place of their cell."""
    for place, cell in enumerate(cells(name)):
        if cell.cell_type == "markdown":
            for level, title in re.findall(r"^(#+) (.*)$", cell.source, re.MULTILINE):
                yield place, len(level), title.replace("*", "").replace("`", "").strip()


def anchors(name):
    """Where a link within the notebook may point, as JupyterLab names headings."""
    return {title.replace(" ", "-"): place for place, _, title in headings(name)}


def linked(text):
    return re.findall(r"\]\(#([^)\s]+)\)", text)


def broken_links(text):
    """What a text links in other notebooks, from wherever, and does not find there."""
    broken, links = [], LINK.findall(text)
    assert len(links) == len(re.findall(r"\]\([^()\s]*\.ipynb", text))
    for name, anchor in links:
        if not (NOTEBOOKS / f"{name}.ipynb").exists():
            broken.append(f"no notebook {name}")
        elif anchor and anchor not in anchors(name):
            broken.append(f"no heading “{anchor.replace('-', ' ')}” in {name}")
    return broken


def place_of(name, start):
    found = [place for place, _, title in headings(name) if title.startswith(start)]
    assert found, f"no heading “{start}”"
    return found[0]


def section(name, start):
    """The Markdown of the section with this heading, up to the next heading."""
    first = place_of(name, start)
    after = min((p for p, _, _ in headings(name) if p > first), default=len(cells(name)))
    return "\n\n".join(c.source for c in cells(name)[first:after] if c.cell_type == "markdown")


def is_demo(cell):
    return cell.cell_type == "code" and "explore(" in cell.source


def test_no_sentence_has_more_than_thirty_words(name):
    long = [s for text in texts(name) for s in sentences(text) if len(words(s)) > 30]
    assert not long


def test_no_sentence_has_more_than_three_numbers(name):
    many = [s for text in texts(name) for s in sentences(text) if len(numbers(s)) > 3]
    assert not many


def test_no_bracket_has_more_than_eight_words(name):
    long = [
        bracket
        for text in texts(name)
        for bracket in re.findall(r"\(([^()]*)\)", text)
        if len(words(bracket)) > 8
    ]
    assert not long


def test_no_cell_and_nothing_that_unfolds_has_more_than_sixty_words(name):
    long = [(len(words(text)), text) for text in texts(name) if len(words(text)) > 60]
    assert not long


def test_words_that_mislead_do_not_occur(name):
    found = [
        (instead, sentence)
        for text in texts(name)
        for sentence in sentences(text)
        for form, instead in FORBIDDEN.items()
        if re.search(form, sentence, re.IGNORECASE if "^" not in form else 0)
    ]
    assert not found


def test_a_technical_word_is_bold_where_it_first_occurs(name):
    for term in TERMS[name]:
        first = next(
            (c.source for c in prose(name) if term.lower() in plain(c.source).lower()), None
        )
        assert first is not None, f"“{term}” does not occur"
        bold = re.findall(r"\*\*([^*]+)\*\*", first)
        assert any(term.lower() in each.lower() for each in bold), (term, first)


def test_the_hook_has_few_words_and_no_greek_letter_before_a_demo_that_plays(name):
    first = next(place for place, cell in enumerate(cells(name)) if cell.cell_type == "code")
    assert is_demo(cells(name)[first])
    before = " ".join(plain(c.source, keep_headings=True) for c in cells(name)[:first])
    assert len(words(before)) <= 25 and not re.search(r"[Α-Ωα-ω]|\$", before), before
    figure = re.search(r"explore\((\w+)", cells(name)[first].source)[1]
    assert figures()[figure].demo.time
    assert "Run ▸ Run All Cells" in cells(name)[0].source
    hook = next(title for _, _, title in headings(name)).replace(" ", "-")
    assert hook in linked(prose(name)[-1].source), "no link back to the hook at the end"


def predictions(name):
    """Each question, what stands right after it, and the place of that."""
    found = cells(name)
    for place, cell in enumerate(found):
        if cell.cell_type == "markdown" and "**Predict" in cell.source:
            yield cell, found[place + 1], place + 1


def test_a_prediction_is_followed_by_its_options_each_with_its_reason(name):
    assert len(list(predictions(name))) >= 2
    for question, options, place in predictions(name):
        assert "<details>" not in question.source and options.cell_type == "markdown"
        reasons = [body.strip() for _, body in FOLDED.findall(options.source)]
        assert len(reasons) >= 2, options.source
        verdicts = [re.match(r"\*\*(Right|No|Not quite)\.\*\* \w+", reason) for reason in reasons]
        assert all(verdicts), reasons
        assert [v[1] for v in verdicts].count("Right") == 1, options.source
        assert all(len(words(plain(reason))) >= 6 for reason in reasons), reasons
        assert options.metadata["slideshow"]["slide_type"] in ("slide", "subslide")
        after = cells(name)[place + 1]
        starts = after.metadata["slideshow"]["slide_type"] in ("slide", "subslide")
        assert starts or "explore(" in after.source, after.source  # a demo has its own slide


def test_no_output_before_its_options_shows_the_answer_to_a_prediction(name):
    """Numbers of the right answer, those of the question apart, are in no output before it."""
    for question, options, place in predictions(name):
        choices = FOLDED.findall(options.source)
        (right,) = [body for _, body in choices if "**Right.**" in body]
        asked = plain(question.source) + " ".join(choice for choice, _ in choices)
        known = {value(n) for n in numbers(asked)}
        answer = {n for n in numbers(plain(right)) if value(n) not in known and digits(n) >= 2}
        shown = [n for c in cells(name)[:place] for n in numbers(output_of(c))]
        clash = {(a, n) for a in answer for n in shown if same(a, n)}
        assert not clash, question.source


def output_of(cell):
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        found += [output.get("text", ""), data.get("text/plain", "")]
        found.append(output.get("metadata", {}).get("image/png", {}).get("alt", ""))
    return " ".join(found)


def digits(number):
    return len(re.sub(r"^0+|\D", "", number.split("·")[0]))


def same(answer, shown):
    """Whether a number shown rounds to the answer; 0.0334 is 3.3%."""
    wanted, found = value(answer), value(shown)
    places = digits(answer) - 1
    return any(f"{found * by:.{places}e}" == f"{wanted:.{places}e}" for by in (1, 100, 0.01))


def test_one_prediction_is_drawn_on_the_axes_and_then_revealed(name):
    """Within two cells of it a demo takes the guess, hides the answer, and has it as a scene."""
    found = cells(name)
    near = [c.source for *_, place in predictions(name) for c in found[place + 1 : place + 3]]
    near = [found[1] for source in near if (found := re.search(r"explore\((\w+)", source))]
    demos = [figures()[figure].demo for figure in near]
    (drawn,) = (described for described in demos if "guess" in described.values)
    scenes = list(drawn.scenes)
    assert scenes[0] == "Draw your guess" and drawn.scene(scenes[0]) == drawn.start
    assert any(scene.startswith("Reveal") for scene in scenes)
    (asked,) = (
        question.source
        for question, *_ in predictions(name)
        if "your guess" in plain(question.source)
    )
    assert "**Reveal" in asked


def test_what_only_asserts_is_one_folded_cell_at_the_end(name):
    *others, last = [c for c in cells(name) if c.cell_type == "code"]
    for cell in others:
        asserts = any(isinstance(n, ast.Assert) for n in ast.walk(ast.parse(cell.source)))
        assert not asserts or cell.outputs, cell.source
    assert cells(name)[-1] is not None and cells(name)[-1].source == last.source
    assert last.metadata["jupyter"]["source_hidden"] and not last.outputs
    assert last.metadata["slideshow"]["slide_type"] == "skip"
    assert CHECKED in cells(name)[-2].source


def test_three_questions_recall_what_came_before(name):
    if name == FIRST:
        return
    opening = place_of(name, "Recall")
    assert opening < place_of(name, "The question") and opening < 10
    recalled = FOLDED.findall(section(name, "Recall"))
    assert len(recalled) == 3
    assert all(question.strip().endswith("?") for question, _ in recalled), recalled


def items(text):
    return re.findall(r"^(?:-|\d+\.) (.*)$", text, re.MULTILINE)


def test_each_objective_comes_back_at_the_end_with_what_tests_it(name):
    objectives, asked = (items(section(name, s)) for s in ("What you will be able", "Can you now"))
    assert 3 <= len(objectives) == len(asked)
    questions = {place for place, c in enumerate(cells(name)) if "**Predict" in c.source}
    for item in asked:
        places = [anchors(name)[anchor] for anchor in linked(item)]
        ends = [
            min((p for p, _, _ in headings(name) if p > place), default=len(cells(name)))
            for place in places
        ]
        tested = any(
            "Exercise" in cells(name)[place].source or any(place <= q < end for q in questions)
            for place, end in zip(places, ends, strict=True)
        )
        assert tested, item
    assert place_of(name, "Can you now") > place_of(name, "Summary")


def test_the_main_line_is_timed_and_every_section_of_it_is_in_the_table(name):
    rows = re.findall(r"^\| \[(.*?)\]\(#(\S+)\) .*\| (\d+) \|$", way(name), re.MULTILINE)
    assert sum(int(minutes) for _, _, minutes in rows) <= MINUTES
    end = place_of(name, "Summary")
    main = [
        title.replace(" ", "-") for p, level, title in headings(name) if level == 2 and p <= end
    ]
    untimed = ("What-you-will-be-able", "The-way-through")
    main = [title for title in main if not title.startswith(untimed)]
    hook = next(title for _, _, title in headings(name)).replace(" ", "-")
    assert [anchor for _, anchor, _ in rows] == [hook, *main]


def test_the_first_notebook_gives_the_minutes_of_each(name):
    told = re.findall(r"^\| (\d\d) \|.*\| (\d+) \|$", section(FIRST, "The notebooks"), re.MULTILINE)
    rows = re.findall(r"^\| \[.*?\]\(#\S+\) .*\| (\d+) \|$", way(name), re.MULTILINE)
    assert int(dict(told)[name[:2]]) == sum(map(int, rows))


def way(name):
    return section(name, "The way through")


def test_one_exercise_is_the_core_and_comes_before_the_summary(name):
    summary, further = place_of(name, "Summary"), place_of(name, "Further")
    assert summary < further
    exercises = [(p, title) for p, _, title in headings(name) if title.startswith("Exercise")]
    assert exercises
    (core,) = (place for place, title in exercises if ", core" in title)
    assert core < summary
    for place, title in exercises:
        assert place == core or ", practice" in title, title
        assert place < summary or place > further, title
        assert re.search(r"\b\d+ minutes\b", cells(name)[place].source), title


def test_links_lead_somewhere(name):
    text = "\n".join(cell.source for cell in prose(name))
    assert set(linked(text)) <= set(anchors(name))
    assert all(anchor.isascii() for anchor in linked(text)), "JupyterLab finds no other letters"
    titles = [title for _, _, title in headings(name)]
    assert len(set(titles)) == len(titles)
    assert not broken_links(text)
    files = set(re.findall(r"\]\(([\w/]+\.ipynb)[^)]*\)", text))
    stems = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
    here = stems.index(f"{name}.ipynb")
    assert set(stems[max(here - 1, 0) : here] + stems[here + 1 : here + 2]) <= files


def test_ten_minutes_are_enough_for_a_path_by_links(name):
    text = "\n".join(cell.source for cell in prose(name))
    short = [line for line in text.splitlines() if line.startswith("**Ten minutes")]
    assert len(short) == 1 and len(linked(short[0])) >= 3
