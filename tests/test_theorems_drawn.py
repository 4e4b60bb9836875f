"""Every numbered theorem is drawn with what it promises, what is measured and what is exact.

Run with -s to see the table: theorem, demo, layers, and which of ε, c, T, α its sliders vary.
"""

import importlib
import inspect
import re

import pytest

from tests.pictures import figures, shown_at
from tests.test_layout import SLIDES

FIGURES = figures()
SYMBOLS = {"epsilon": "ε", "cutoff": "c", "threshold": "T", "alpha": "α"}
# theorem: (demo, promised, exact, measured); None where nothing is known, or nothing can be run
DRAWN = {
    "Theorem 3.8": ("laplace_noise", "95% of answers", "true", "released"),
    "Corollary 3.12": (
        "private_choice",
        "below: at most 5%",
        "exponential mechanism: exact",
        "measured",
    ),
    "Theorem 3.16": ("composition", "basic composition", "exact", None),
    "Theorem 3.20": ("composition", "advanced composition", "exact", None),
    "Corollary 3.21": ("scale_against_cutoff", "advanced, √(32c ln(1/δ))/ε", None, None),
    "Theorem 3.24": ("failure_against_alpha", "Theorem 3.24", "exact", "measured, 95%"),
    "Theorem 3.26": ("numbers_against_finding", "⊤ and ⊥, δ = 0", None, "measured, 95%"),
    "Theorem 3.28": ("sparse_failure_against_alpha", "Theorem 3.28", "exact", "measured, 95%"),
    "Theorems 2 and 5": (
        "lecture11_failure_against_alpha",
        "Theorem 2 or 5",
        "exact",
        "measured, 95%",
    ),
    "Theorem 3, Lecture 11": ("loss_against_below", "claimed", "printed, exact", "measured, 95%"),
    "Theorem 4, Lecture 11": ("theorem_4", "Theorem 4", "exact", None),
    "Existence lemma": ("sample_is_enough", "existence lemma", "sum of exact tails", "measured, 95%"),
    "Lemma, SmallDB": ("error_against_rows", "accuracy lemma", "exact", None),
    "Theorem, SmallDB": ("error_against_rows", "theorem’s |D|", "exact", None),
    "Theorem 1": ("answers_and_updates", "3α", None, "from the hypothesis"),
    "B(α)-DUA": ("updates_against_bound", "B(α)", None, "marginals"),
    "Theorem 4": ("two_potentials", "promised, α²/4", "repaired", None),
    "Theorem 7": ("sparse_or_plain", "SMW", None, None),
    "Lemma 4.12": ("privacy_spent", "promised (Lemma 4.12)", "exact, closed form", None),
    "Lemma 4.13": ("space_against_dimension", "ALP, cap β", None, "a real Threshold-ALP"),
    "Equation 1": ("choice_of_alpha", "Equation 1, no collisions", "expected, average or zero", "measured, 95%"),
    "Lemma 4.14": ("choice_of_alpha", "bound with collisions", "expected, average or zero", "measured, 95%"),
    "Lemma 5.2": ("profiles_of_the_survey", "cap or level", None, "zeros"),
    "Lemma 5.4": ("space_against_dimension", "Threshold-ALP", None, "a real Threshold-ALP"),
    "Lemma 5.5": ("largest_error", "Threshold-ALP: bound on the mean", None, "Threshold-ALP: single releases"),
}  # fmt: skip
# which demos run a mechanism or compute its law; together they vary all of ε, c, T, α it takes
RUN = {
    "above_threshold.above_threshold": ["one_run", "failure_against_alpha"],
    "numeric_sparse.sparse": ["numbers_against_finding", "table_of_variants", "sparse_on_the_survey"],
    "numeric_sparse.numeric_sparse": ["one_sparse_run", "sparse_failure_against_alpha"],
    "lecture11_sparse.sparse_as_printed": ["one_lecture11_run"],
    "lecture11_sparse.sparse_repaired": ["loss_against_below", "one_lecture11_run"],
    "small_db.small_db": ["law_over_small_databases", "small_beside_real"],
    "online_ic.online_ic": ["answers_and_updates"],
    "alp.alp_projection": ["embedding_bits", "choice_of_alpha"],
    "threshold_alp.threshold_release": ["profiles_of_the_survey"],
    "threshold_alp.threshold_alp_projection": ["profiles_of_the_survey"],
}  # fmt: skip


def labels(name):
    return {x["label"] for _, p in shown_at(FIGURES[name]) for f in p["axes"] for x in f["layers"]}


@pytest.mark.parametrize("theorem", DRAWN)
def test_a_theorem_is_drawn_with_what_is_measured_and_exact(theorem):
    demo, *drawn = DRAWN[theorem]
    assert {each for each in drawn if each} <= labels(demo)
    varied = [symbol for name, symbol in SYMBOLS.items() if name in FIGURES[demo].demo.start]
    cells = (each or "–" for each in drawn)
    print(f"| {theorem} | {demo} | {' | '.join(cells)} | {', '.join(varied) or '–'} |")


def test_every_numbered_theorem_of_the_slides_is_in_the_table():
    titles = set()
    for slide in SLIDES:
        module = importlib.import_module(f"course_lib.{slide}")
        titles |= {f.statement.title for f in vars(module).values() if hasattr(f, "statement")}
    numbered = {m[0] for t in titles if (m := re.match(r"(\w+) [\d.]+( and \d)?", t))}
    assert numbered <= set(DRAWN)


@pytest.mark.parametrize("mechanism", RUN)
def test_the_sliders_vary_all_of_epsilon_c_t_and_alpha_that_a_mechanism_takes(mechanism):
    module, name = mechanism.split(".")
    function = getattr(importlib.import_module(f"course_lib.{module}"), name)
    takes = set(inspect.signature(function).parameters) & set(SYMBOLS)
    varied = {slider for demo in RUN[mechanism] for slider in FIGURES[demo].demo.start}
    assert takes <= varied
