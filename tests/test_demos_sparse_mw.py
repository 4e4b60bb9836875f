"""What the pictures of notebook 07 on potentials and structure show, against explicit arrays."""

import itertools
import math

import numpy as np
import pytest

from course_lib.demos import sparse_mw as demos
from course_lib.demos.explore import about, explore, sweep
from course_lib.exact.sparse_mw import potential_run
from course_lib.lab.sparse_mw import clinic
from course_lib.sparse_mw import smw_size
from tests.pictures import curves
from tests.test_demos_online_ic import check_room
from tests.test_exact_sparse_mw import textbook_potentials
from tests.test_lab_sparse_mw import textbook_filling


@pytest.mark.parametrize(
    "position",
    [(0.25, 0.0, 0.1, 20), (0.5, 0.5, 0.1, 20), (0.9, 0.4, 0.2, 5), (0.3, 0.0, 0.15, 2)],
)
def test_both_potentials_are_those_of_the_lecture_s_arrays(position):
    potentials, _ = textbook_potentials(*position)
    mass, weight, alpha, support = position
    at = {"mass": mass, "weight": weight, "alpha": alpha, "support": support}
    panel = explore(demos.two_potentials, **at, updates=2500)
    top, bottom = (curves(axes) for axes in panel.figure.axes)
    np.testing.assert_allclose(top["Ψ as printed"][1], potentials[:, 0], atol=1e-9)
    np.testing.assert_allclose(top["repaired"][1], potentials[:, 1], atol=1e-9)
    drops = (potentials[:-1] - potentials[1:]) / (alpha**2 / 4)
    shown = [
        line.get_ydata()
        for line in panel.figure.axes[1].get_lines()
        if len(line.get_xdata()) == len(drops)
    ]
    np.testing.assert_allclose(shown[:2], drops.T, atol=1e-6)
    short = 1 + np.flatnonzero(drops[:, 0] < 1)
    assert list(bottom["falls short"][0]) == list(short)
    assert f"{len(drops)} valid updates, {len(drops)} shown" in panel.sentence
    assert f"as printed {len(short)}" in panel.sentence and "; repaired 0, least" in panel.sentence


def test_the_counterexamples_of_lemma_6():
    panel = explore(demos.two_potentials, updates=2500)
    assert panel.sentence.startswith(
        "D(a) = 0.25, α = 0.1, m = 20: 222 valid updates, 222 shown. Drops below α²/4 = 0.0025: "
        "as printed 47, least 0.00124; repaired 0, least 0.00485."
    )
    panel.set(mass=0.5, weight=0.5, updates=163)
    assert "313 valid updates, 163 shown" in panel.sentence and "as printed 0" in panel.sentence
    panel.set(updates=164)
    assert "as printed 1 (1 rise), least −0.00268; repaired 0" in panel.sentence
    assert panel.sentence.endswith(
        "Update 164 lowers 0.5·a + Σb (hypothesis 0.399, true 0.25): drops −0.00268 and 0.00715."
    )
    assert "as printed 78 (78 rises), least −0.00379" in panel.set(updates=2500).sentence


def test_sentences_of_short_runs():
    panel = explore(demos.two_potentials, mass=0.1)
    assert panel.sentence.endswith(
        "m = 20: no query is α or more away from the truth, so there is no valid update."
    )
    first = panel.set(mass=0.25, updates=1).sentence
    guess = 20 / smw_size(support=20, alpha=0.1)
    assert f"Update 1 raises a + Σb (hypothesis {about(guess)}, true 0.25)" in first
    assert "0 shown" not in panel.set(weight=1.0, updates=2500).sentence
    assert "as printed 0, least" in panel.sentence  # only raises: Lemma 6 holds for them


def test_the_start_shows_no_drop_that_falls_short():
    assert "as printed 0" in explore(demos.two_potentials).sentence


def test_every_run_fits_the_axes():
    choices = demos.two_potentials.demo.choices
    for mass, weight, alpha, support in itertools.product(
        choices["mass"], choices["weight"], (0.05, 0.1, 0.2), (2, 20, 100)
    ):
        potentials, updates = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
        assert len(updates) < 2500 and 0 < potentials.min() and potentials.max() < 15
        drops = -np.diff(potentials, axis=0) / (alpha**2 / 4)
        assert ((-8 < drops) & (drops < 45)).all()


@pytest.mark.parametrize(
    ("asked", "alpha", "support"), [(150, 0.1, 10), (400, 0.2, 3), (1, 0.1, 20)]
)
def test_the_structure_is_the_lecture_s(asked, alpha, support):
    size, data = smw_size(support=support, alpha=alpha), clinic()
    book, used, updates, (value, guess) = textbook_filling(asked, support, alpha, 3)
    panel = explore(demos.structure_filling, asked=asked, alpha=alpha, support=support, seed=3)
    top, bottom = panel.figure.axes
    shown, drawn = curves(top), curves(bottom)
    names = {
        text.get_position()[0]: text.get_text() for text in top.texts if text.get_rotation() == 90
    }
    for x, weight in zip(*shown["assigned variable"], strict=True):
        assert weight == pytest.approx(book.weights[book.places[names[x]]], rel=1e-9)
    assert len(shown["assigned variable"][0]) == min(13, used[-1])
    np.testing.assert_allclose(shown["unassigned"][1], book.weights[-1], rtol=1e-9)
    free = [int(names[x].replace(",", "")) for x in shown["unassigned"][0]]
    assert free[:2] == [used[-1] + 1, used[-1] + 2] and free[-1] == size
    ind = next(text for text in top.texts if text.get_text().startswith("ind"))
    assert names[ind.get_position()[0]] == f"{used[-1] + 1:,}"
    for x, part in zip(*shown["its code’s share of D"], strict=True):
        assert part == data.get(names[x], 0) or math.isnan(part) and names[x][0] == "U"
    steps = next(line for line in bottom.get_lines() if list(line.get_ydata()) == used)
    assert len(steps.get_xdata()) == asked
    np.testing.assert_allclose(drawn["m × updates"][1], support * np.cumsum(updates))
    assert f"ind = {used[-1] + 1:,}. In memory: {used[-1]:,} of s = {size:,}" in panel.sentence
    assert f"{sum(updates)} update" in panel.sentence
    rest = 100 * book.weights[used[-1] :].sum()
    assert (
        f"the others weigh {rest:.4g}%. The last query: {about(value)} on D, {about(guess)} on"
        in panel.sentence
    )


def test_gaps_and_neighbours_of_ind():
    assert demos.places(0, 99) == [*range(1, 11), None, 99]
    assert demos.places(9, 99) == [*range(1, 12), None, 99]
    assert demos.places(12, 99) == [*range(1, 15), None, 99]
    assert demos.places(13, 99) == [*range(1, 16), None, 99]
    assert demos.places(14, 99) == [*range(1, 11), None, 12, 13, 14, 15, 16, None, 99]
    assert max(len(demos.places(i, 99)) for i in range(90)) == demos.SLOTS


def test_a_query_that_is_no_update_changes_nothing_and_is_called_so():
    panel = explore(demos.structure_filling, asked=1, alpha=0.2, support=1)
    assert panel.sentence.startswith(
        "α = 0.2, m = 1; 1 query asked with exact values: 0 updates, ind = 1."
    )
    assert "In memory: 0 of s = 764 variables (0%); the others weigh 100%." in panel.sentence
    assert panel.sentence.endswith("no update.")


def test_no_variable_used_is_a_dot_on_the_axis():
    panel = explore(demos.structure_filling, asked=1, alpha=0.2, support=1)
    used = panel.figure.axes[1]
    assert any(list(line.get_ydata()) == [0] for line in used.get_lines())
    assert used.get_yscale() == "symlog" and used.get_ylim()[0] < 0


@pytest.mark.parametrize("figure", [demos.two_potentials, demos.structure_filling])
def test_all_fits_and_every_slider_changes_the_picture(figure, capsys):
    check_room(figure)
    sweep(explore(figure))
