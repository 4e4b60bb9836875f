"""The panel without a browser: what it shows, what it answers, what it refuses."""

import base64
import gc
import sys
import weakref
from functools import partial

import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel
from tqdm import tqdm

from course_lib.above_threshold import above_threshold
from course_lib.checks.solutions.above_threshold import my_above_threshold
from course_lib.checks.solutions.numeric_sparse import my_sparse
from course_lib.demos import panel as panel_module
from course_lib.demos.above_threshold import one_run
from course_lib.demos.drawing import Renderer
from course_lib.demos.numeric_sparse import one_sparse_run
from course_lib.demos.picture import explore
from course_lib.support.contracts import ParameterError
from tests import memory
from tests.browser import ROOT
from tests.pictures import pixels
from tests.test_pictures import toy

pytestmark = pytest.mark.usefixtures("nothing_left_of_it")
START = dict(epsilon=1.0, top=10, n=5, kind="round", seed=0)


@pytest.fixture
def panel():
    return explore(toy)


@pytest.fixture
def draws(monkeypatch):
    """The pictures that are drawn."""
    drawn, original = [], Renderer.draw

    def draw(self, picture):
        drawn.append(picture)
        return original(self, picture)

    monkeypatch.setattr(Renderer, "draw", draw)
    return drawn


def ask(panel, **positions):
    """What the script does when a slider moves: all positions, with a number for the move."""
    at = panel.shown["at"] | positions
    panel.wanted = {"move": panel.wanted.get("move", 0) + 1, "at": at}


def test_it_shows_the_picture_its_sentence_and_its_numbers(panel):
    shown = toy()
    assert np.array_equal(pixels(panel.image), Renderer().draw(shown)[..., :3])
    assert panel.sentence == shown["sentence"] and panel.numbers == shown["numbers"]
    assert panel.shown["named"] == [["n", "5"], ["highest", panel.shown["named"][1][1]]]
    assert [name for name, _ in panel.shown["numbers"]] == ["n", "highest", "heights", "given"]


def test_controls_have_names_and_values_in_words(panel):
    by_name = {control["name"]: control for control in panel.controls}
    assert by_name["epsilon"]["label"] == "ε" and by_name["n"]["label"] == "rows n"
    assert by_name["epsilon"]["stops"][by_name["epsilon"]["at"]] == "1"
    assert by_name["kind"]["kind"] == "choice" and by_name["top"]["kind"] == "slider"
    assert panel.buttons == {"scenes": ["Few", "Many"], "again": "New noise", "time": ""}


def test_a_move_of_the_script_is_answered_by_its_number(panel):
    ask(panel, n=1)
    assert panel.values == START | {"n": 2}
    assert panel.shown["answers"] == 1 and panel.sentence == toy(n=2)["sentence"]
    ask(panel, n=1)  # to where it is
    assert panel.shown["answers"] == 2


def test_same_values_are_not_drawn_again(panel, draws):
    panel.set(n=5, seed=0)
    ask(panel)
    assert draws == []
    panel.set(epsilon=3.0, n=9, seed=4)
    assert len(draws) == 1


def test_a_range_that_follows_moves_its_slider_too(panel):
    ask(panel, top=0)
    assert panel.values["top"] == panel.values["n"] == 1
    control = next(control for control in panel.controls if control["name"] == "n")
    assert control["stops"] == ["1"]
    assert panel.set(top=10).values["n"] == 1


def test_reset_returns_to_the_values_of_the_call():
    panel = explore(toy, epsilon=3, seed=7)
    panel.set(epsilon=0.1, n=2, seed=1).reset()
    assert panel.values == START | {"epsilon": 3.0, "seed": 7}


def press(panel, message):
    panel._handle_custom_msg(message, [])


def test_buttons_move_to_scenes_draw_new_noise_and_reset(panel):
    press(panel, "Many")
    assert panel.values == START | {"n": 9} and panel.shown["scene"] == "Many"
    press(panel, "again")
    assert panel.values["seed"] == 1 and panel.shown["scene"] == ""
    press(panel, "reset")
    assert panel.values == START


def test_a_scene_takes_all_sliders_from_the_start():
    assert explore(toy, epsilon=3.0).scene("Few").values == START | {"n": 2}


def test_the_printed_line_gives_the_same_picture(panel):
    panel.set(epsilon=0.3, n=3, seed=7)
    again = eval(panel.call, {"explore": explore, "toy": toy})
    assert panel.call == "explore(toy, epsilon=0.3, n=3, seed=7)"
    assert (again.png, again.sentence, again.values) == (panel.png, panel.sentence, panel.values)


def test_a_mechanism_is_handed_on_and_printed():
    panel = explore(toy, mechanism=above_threshold)
    assert panel.numbers["given"] is True and panel.set(n=3).numbers["given"] is True
    assert panel.call == "explore(toy, n=3, mechanism=above_threshold)"


def test_an_answer_to_an_exercise_takes_our_place_and_is_printed():
    theirs = explore(one_run, mechanism=my_above_threshold)
    assert theirs.picture == one_run()
    assert theirs.call == "explore(one_run, mechanism=my_above_threshold)"
    theirs = explore(toy, mechanism=partial(my_sparse, share=0.5))
    assert theirs.call == "explore(toy, mechanism=partial(my_sparse, share=0.5))"
    refused = explore(one_sparse_run, mechanism=my_sparse)
    assert refused.sentence.startswith("mechanism must need no share here; choose one with")


def test_combination_that_makes_no_sense_shows_the_reason(panel):
    panel.set(n=8)
    assert panel.sentence == "n must not be 8, got 8" and panel.numbers == {}
    assert (pixels(panel.image) == 255).all()
    assert panel.set(n=9).sentence == toy(n=9)["sentence"]


def test_a_bug_in_the_picture_is_shown_and_raised_from_code_and_from_the_slider(panel):
    with pytest.raises(ZeroDivisionError):
        panel.set(n=7)
    assert panel.sentence == "ZeroDivisionError: a bug in the picture"
    other = explore(toy)
    with pytest.raises(ZeroDivisionError):
        ask(other, n=6)
    assert other.sentence == panel.sentence and other.shown["answers"] == 1
    assert panel.set(n=6).sentence == toy(n=6)["sentence"]


def test_what_is_no_demo_is_refused_in_a_line_that_says_what_to_do():
    with pytest.raises(ParameterError, match="above_threshold is not a demo") as refused:
        explore(above_threshold)
    assert len(refused.value._render_traceback_()) == 1
    with pytest.raises(
        ParameterError, match="toy takes epsilon=1.0, .* foo=3 does not fit"
    ) as refused:
        explore(toy, foo=3)
    assert len(refused.value._render_traceback_()) == 1


@pytest.mark.parametrize("value", [-1.0, 100.0])
def test_a_value_out_of_range_shows_its_reason_and_the_sliders_still_move(value):
    panel = explore(toy, epsilon=value)
    assert panel.sentence.startswith("epsilon must be from 0.1 to 10 in this picture, got")
    ask(panel, epsilon=3)
    assert "must be" not in panel.sentence


def test_value_between_two_steps_is_inserted_while_it_is_shown_or_was_the_start():
    panel = explore(toy, epsilon=np.float64(0.33))
    stops = panel.controls[0]["stops"]
    assert "0.33" in stops and panel.call == "explore(toy, epsilon=0.33)"
    panel.set(epsilon=0.34)
    assert {"0.33", "0.34"} <= set(panel.controls[0]["stops"])
    panel.set(epsilon=2.0)
    assert panel.controls[0]["stops"] == stops


def test_the_picture_is_drawn_at_the_size_and_for_the_page_it_is_shown_on(panel):
    for width in (997, 602, 1000):
        panel.view = {"width": width, "dark": True}
        assert pixels(panel.image).shape[1] == width
    assert pixels(panel.image)[0, 0].max() < 40
    panel.set(n=9)
    assert pixels(panel.image).shape[1] == 1000
    assert pixels(panel.png)[0, 0].tolist() == [255] * 3  # what is stored is light


def test_output_carries_widget_picture_and_text(panel):
    data, metadata = panel.set(n=3)._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.model_id
    assert "text/html" not in data
    stored = pixels(base64.b64decode(data["image/png"]))
    shown = toy(n=3)
    assert np.array_equal(stored[:800], Renderer().draw(shown)[..., :3]) and stored.shape[0] > 800
    first, second = data["text/plain"].split("\n")
    assert first == f"explore(toy, n=3): {shown['sentence']}" and second.startswith(
        "n: 3; highest: "
    )
    size = metadata["image/png"]
    assert (size["width"], size["height"]) == (720, stored.shape[0] // 2)
    assert size["alt"] == f"{shown['sentence']}\n{second}"


@pytest.fixture
def cell(monkeypatch):
    """A cell that seems to run; its header is to be changed for another run."""
    run = {"metadata": {"cellId": "a"}, "header": {"msg_id": 1}}
    kernel = type("Kernel", (), {"get_parent": lambda self: run})()
    shell = type("Shell", (), {"kernel": kernel})()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr(panel_module, "_SHOWN", {})
    return run


def test_a_cell_that_is_run_again_closes_its_earlier_panels(cell):
    first, second = explore(toy), explore(toy)
    assert first.comm and second.comm
    cell["header"] = {"msg_id": 2}
    third = explore(toy)
    assert not first.comm and not second.comm and third.comm


AGAIN = """
from course_lib.demos.above_threshold import explore, failure_against_alpha
explore(failure_against_alpha)
"""
SEEN = '_.view = {"width": 620, "dark": False}'  # as the page says once it shows the panel


@pytest.mark.slow
@pytest.mark.skipif(not memory.LINUX, reason="reads /proc")
def test_a_cell_that_is_run_a_hundred_times_again_adds_less_than_100_megabytes():
    """In a kernel, where the list of outputs keeps every panel."""
    kernel, client = start_new_kernel(cwd=str(ROOT))

    def run(cell, code):
        message = client.session.msg("execute_request", {"code": code}, metadata={"cellId": cell})
        client.shell_channel.send(message)
        answer = client.get_shell_msg(timeout=60)
        while answer["msg_type"] == "kernel_info_reply":  # a late one, from the kernel's start
            answer = client.get_shell_msg(timeout=60)
        assert answer["parent_header"]["msg_id"] == message["header"]["msg_id"]
        assert answer["content"]["status"] == "ok", answer["content"]

    taken = []
    try:
        for _ in range(101):
            run("a", AGAIN)
            run("b", SEEN)
            taken.append(memory.megabytes(str(kernel.provisioner.pid)))
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert taken[-1] - taken[0] < 100


def test_a_move_tells_that_it_computes_and_how_far_until_it_ends(monkeypatch, capsys):
    def slow(database, queries, *, epsilon, **named):
        for _ in tqdm(range(2), mininterval=0, leave=False):
            if epsilon == 1:
                raise KeyboardInterrupt
        print("a warning", file=sys.stderr)
        return above_threshold(database, queries, epsilon=epsilon, **named)

    panel, told = explore(one_run, mechanism=slow), []
    assert "100%" in capsys.readouterr().err  # while the cell runs, its output shows the bar
    monkeypatch.setattr(panel, "send", told.append)
    ask(panel, epsilon=3)
    assert told == ["computing", "0%", "50%", "100%", "computed"]
    assert capsys.readouterr().err == "a warning\n"
    told.clear()
    with pytest.raises(KeyboardInterrupt):
        panel.set(epsilon=1)
    assert told[0] == "computing" and told[-1] == "computed"


def test_a_panel_that_was_closed_is_forgotten():
    panel = panel_module.Panel(one_run)
    seen = weakref.ref(panel)
    panel.close()
    del panel
    gc.collect()
    assert seen() is None


def test_the_script_and_its_style_are_small():
    files = [panel_module.Panel._esm, panel_module.Panel._css]
    assert sum(len(file.encode()) for file in files) <= 15_000
