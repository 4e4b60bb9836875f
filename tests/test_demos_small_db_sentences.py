"""The sentences of notebook 05's panels fit the three lines that are kept free for them."""

import itertools

import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.ft2font import FT2Font

from course_lib.demos.small_db import law_over_small_databases, small_beside_real
from course_lib.demos.small_db_laplace import smaller_promise
from course_lib.demos.small_db_price import error_against_rows, exact_comparison
from course_lib.demos.small_db_sample import sample_is_enough
from course_lib.support.contracts import ParameterError

PANELS = [sample_is_enough, small_beside_real, law_over_small_databases]
PANELS += [error_against_rows, exact_comparison, smaller_promise]


def number_of_lines(sentence, font, width=715):
    """How many lines a page 720 pixels wide breaks a sentence into, in a wide font."""
    count, so_far = 1, ""
    for word in sentence.replace(" = ", "\u00a0=\u00a0").split(" "):
        longer = f"{so_far} {word}".strip()
        font.set_text(longer)
        fits = font.get_width_height()[0] / 64 <= width
        count, so_far = (count, longer) if fits else (count + 1, word)
    return count


@pytest.mark.parametrize("figure", PANELS, ids=lambda figure: figure.__name__)
def test_sentences_take_three_lines_at_all_corners_and_between(figure):
    font = FT2Font(font_manager.findfont("DejaVu Sans"))
    font.set_size(15, 72)
    update, choices = figure(Figure()), figure.demo.choices
    corners = itertools.product(*([values[0], values[-1]] for values in choices.values()))
    places = [dict(zip(choices, corner, strict=True)) for corner in corners]
    places += [{name: value} for name, values in choices.items() for value in values]
    for where in places:
        try:
            told = update(**figure.demo.start | where)
        except ParameterError as reason:
            told = str(reason)
        assert number_of_lines(told, font) <= 3, (where, told)


def test_panels_fit_the_part_of_a_small_screen_that_a_notebook_has():
    """Two sliders in a row of 28 pixels, the picture, 100 for the sentence and the buttons."""
    for figure in PANELS:
        rows = -(-len(figure.demo.choices) // 2)
        assert 28 * rows + 100 * figure.demo.size[1] + 100 <= 595, figure.__name__
