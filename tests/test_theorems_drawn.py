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
COLUMNS = ("promised", "exact", "measured")
# theorem: (demos, promised, exact, measured); None where LEFT_OUT says why
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
    "Theorem 3.26": (
        "an_alarm, numbers_against_finding",
        "Theorem 3.26",
        "the alarm, exact",
        "measured, 95%",
    ),
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
ADDS_UP = "adds up ε: nothing is run"
ENUMERATED = "every database is enumerated"
LEFT_OUT = {
    "Theorem 3.16": {"measured": ADDS_UP},
    "Theorem 3.20": {"measured": ADDS_UP},
    "Corollary 3.21": {"exact": "only sets the ε of each run", "measured": ADDS_UP},
    "Theorem 4, Lecture 11": {"measured": "so small a δ is never seen in runs"},
    "Lemma, SmallDB": {"measured": ENUMERATED},
    "Theorem, SmallDB": {"measured": ENUMERATED},
    "Theorem 1": {"exact": "the law of a whole run is not known"},
    "B(α)-DUA": {"exact": "the worst of all streams is not known"},
    "Theorem 4": {"measured": "a potential, without noise"},
    "Theorem 7": {
        "exact": "the law of a whole run is not known",
        "measured": "so large a universe is not run",
    },
    "Lemma 4.12": {"measured": "enumerated instead"},
    "Lemma 4.13": {"exact": "the promise is the size itself"},
    "Lemma 5.2": {"exact": "the promise is an equality"},
    "Lemma 5.4": {"exact": "depends on which entries are kept"},
    "Lemma 5.5": {"exact": "the law of the largest error is not known"},
}
# which demos run a mechanism or compute its law; together they vary what of ε, c, T, α it takes
RUN = {
    "toolbox.laplace_mechanism": ["laplace_noise"],
    "toolbox.exponential_mechanism": ["private_choice"],
    "toolbox.report_noisy_max": ["private_choice"],
    "toolbox.randomised_response": ["composition"],
    "above_threshold.above_threshold": ["one_run", "failure_against_alpha"],
    "numeric_sparse.sparse": ["an_alarm", "numbers_against_finding"],
    "numeric_sparse.numeric_sparse": ["one_sparse_run", "sparse_failure_against_alpha"],
    "lecture11_sparse.sparse_as_printed": ["one_lecture11_run"],
    "lecture11_sparse.sparse_repaired": ["loss_against_below"],
    "small_db.small_db": ["law_over_small_databases", "small_beside_real"],
    "online_ic.online_ic": ["answers_and_updates"],
    "alp.alp1_projection": ["embedding_bits"],
    "alp.alp_projection": ["embedding_bits", "choice_of_alpha"],
    "threshold_alp.threshold_release": ["profiles_of_the_survey"],
    "threshold_alp.threshold_alp_projection": ["profiles_of_the_survey"],
}  # fmt: skip
# what no slider varies, and why
FIXED = {
    "numeric_sparse.sparse": {"threshold": "only distances from T count"},
    "lecture11_sparse.sparse_repaired": {"threshold": "only distances from T count"},
}


def labels(name):
    return {x["label"] for _, p in shown_at(FIGURES[name]) for f in p["axes"] for x in f["layers"]}


@pytest.mark.parametrize("theorem", DRAWN)
def test_a_theorem_is_drawn_with_what_is_measured_and_exact(theorem):
    demos, *drawn = DRAWN[theorem]
    drawn, reasons = dict(zip(COLUMNS, drawn, strict=True)), LEFT_OUT.get(theorem, {})
    seen = set().union(*map(labels, demos.split(", "))) - {None}
    assert {each for each in drawn.values() if each} <= seen
    assert {column for column, each in drawn.items() if not each} == set(reasons)
    assert all(reasons.values()) and not any(each.startswith(tuple(reasons)) for each in seen)
    sliders = {name for demo in demos.split(", ") for name in FIGURES[demo].demo.start}
    varied = [symbol for name, symbol in SYMBOLS.items() if name in sliders]
    cells = (each or f"– ({reasons[column]})" for column, each in drawn.items())
    print(f"| {theorem} | {demos} | {' | '.join(cells)} | {', '.join(varied) or '–'} |")


def test_every_numbered_theorem_of_the_slides_is_in_the_table():
    titles = {f.statement.title for f in of_the_slides().values() if hasattr(f, "statement")}
    numbered = {m[0] for t in titles if (m := re.match(r"(\w+) [\d.]+( and \d)?", t))}
    assert numbered <= set(DRAWN) >= set(LEFT_OUT)


def of_the_slides():
    """The public functions of the slides, by module and name."""
    modules = {slide: importlib.import_module(f"course_lib.{slide}") for slide in SLIDES}
    return {
        f"{slide}.{name}": function
        for slide, module in modules.items()
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def taken(function):
    """Which of ε, c, T, α a mechanism has as parameters; of what is none, nothing."""
    parameters = set(inspect.signature(function).parameters)
    return parameters & set(SYMBOLS) if "rng" in parameters else set()


def test_every_mechanism_of_the_slides_is_run():
    assert {name for name, function in of_the_slides().items() if taken(function)} == set(RUN)


@pytest.mark.parametrize("mechanism", RUN)
def test_the_sliders_vary_all_of_epsilon_c_t_and_alpha_that_a_mechanism_takes(mechanism):
    varied = {slider for demo in RUN[mechanism] for slider in FIGURES[demo].demo.start}
    assert taken(of_the_slides()[mechanism]) - varied == set(FIXED.get(mechanism, ()))
