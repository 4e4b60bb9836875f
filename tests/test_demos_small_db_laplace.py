"""What the map of notebook 05 shows, against the bounds in plain Python."""

import itertools
import math

import numpy as np
import pytest

from course_lib.demos import small_db_laplace as promises
from course_lib.demos.explore import about, explore, sweep
from course_lib.exact.small_db import Promises
from tests.pictures import lines
from tests.test_exact_small_db import histogram_error, lemma_at_best_alpha
from tests.test_linear_queries import laplace_error


@pytest.mark.parametrize(
    "where",
    [
        {},
        {"universe_size": "2^20", "epsilon": 0.1},
        {"universe_size": "2^60", "beta": 0.001, "delta": 1e-3},
        {"universe_size": "2^8", "epsilon": 5.0, "delta": 1e-12},
    ],
)
def test_the_map_shows_the_smallest_of_the_four_numbers(where):
    """At 60 random points, except within 1% of a draw."""
    panel = explore(promises.smaller_promise, **where)
    values = panel.values
    universe = 2.0 ** int(values.pop("universe_size")[2:])
    areas = {
        patch.get_label(): patch.get_path()
        for patch in panel.figure.axes[0].patches
        if patch.get_visible()
    }
    rng, compared = np.random.default_rng(1), 0
    for _ in range(60):
        num_queries, n = round(10 ** rng.uniform(0.5, 12)), round(10 ** rng.uniform(2.05, 9.95))
        basic, advanced = laplace_error(num_queries, n, **values)
        small = lemma_at_best_alpha(num_queries, n, universe, values["beta"], values["epsilon"])
        other = histogram_error(num_queries, n, universe, values["beta"], values["epsilon"])
        numbers = {"SmallDB": small, "answers, basic": basic, "answers, advanced": advanced}
        numbers |= {"histogram": other}
        ranked = sorted([*numbers.items(), ("nothing below 1", 1.0)], key=lambda item: item[1])
        if ranked[1][1] > 1.03 * ranked[0][1]:
            compared += 1
            point = [math.log(num_queries), math.log(n)]
            inside = [
                name
                for name, path in areas.items()
                if type(path)(np.log(path.vertices)).contains_point(point)
            ]
            assert inside == [ranked[0][0]], (num_queries, n, numbers)
    assert compared > 50


def test_the_line_is_where_small_db_promises_a_tenth():
    panel = explore(promises.smaller_promise)
    num_queries, n = lines(panel)["SmallDB promises 0.1"].get_data()
    for i in (0, 50, 110):
        at = lemma_at_best_alpha(num_queries[i], round(n[i]), 2**30, 0.05, 1.0)
        assert math.isclose(at, 0.1, rel_tol=2e-3)


def test_the_sentence_of_the_map_is_true_at_the_ends_of_all_sliders():
    """Who is told to win does so just before and just after each named |Q|, and on a grid."""
    panel = explore(promises.smaller_promise)
    ends = [(s.options[0][1], s.options[-1][1]) for s in panel.sliders.values()]
    more = [(1.0, 0.05, 1e-6, f"2^{d}") for d in (15, 20, 25, 30, 40)]
    for epsilon, beta, delta, universe in [*itertools.product(*ends), *more]:
        panel.set(epsilon=epsilon, beta=beta, delta=delta, universe_size=universe)
        at = {"beta": beta, "epsilon": epsilon}
        size = 2.0 ** int(universe[2:])
        promised = Promises(universe_size=size, beta=beta, epsilon=epsilon, delta=delta)

        def winner(k, at=at, promised=promised, size=size, delta=delta):
            other = histogram_error(k, 10**6, size, **at)
            small = promised.small_db(n=10**6, num_queries=k)
            numbers = [*laplace_error(k, 10**6, **at, delta=delta), other, small]
            return int(np.argmin(numbers)), numbers

        places = [int(k) for k in panel.figure.axes[0].get_lines()[-1].get_xdata()]
        order = "basic", "advanced", "noise on the histogram", "SmallDB"
        told, now = "noise on the answers, basic", 0
        for k in places:
            assert winner(k - 1)[0] == now != winner(k)[0]
            now = winner(k)[0]
            told += f"; {order[now]} from |Q| {'=' if k < 1000 else '≈'} {about(k)} on"
        told += f", with {about(min(winner(places[-1])[1]))}."
        assert f"at n = 10⁶: {told}" in panel.sentence
        for k in np.unique(np.geomspace(2, 1e12, 25).round()).tolist():
            assert winner(k)[0] == ([0] + [winner(p)[0] for p in places if p <= k])[-1]
        *answers, other, small = winner(10**12)[1]
        said = f"SmallDB promises {about(small)}, noise on the histogram {about(other)}, on the an"
        assert f"{said}swers {about(min(answers))}; 1 or more says nothing." in panel.sentence


def test_the_names_on_the_map_lie_in_their_regions():
    panel = explore(promises.smaller_promise)
    for universe in ("2^8", "2^30", "2^60"):
        panel.set(universe_size=universe)
        axes = panel.figure.axes[0]
        for area, word in zip(axes.patches, axes.texts, strict=True):
            path = area.get_path()
            inside = type(path)(np.log(path.vertices)).contains_point(np.log(word.get_position()))
            assert inside or not word.get_visible()
        assert "from the bounds, not from runs" in axes.get_title()


def test_every_slider_changes_the_map():
    sweep(explore(promises.smaller_promise))
