"""The panel without a browser: what is drawn, what is said, what is refused."""

import base64
import importlib
import inspect
import io
import pkgutil

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image, ImageFont

import course_lib.demos
from course_lib.demos import explore as explore_module
from course_lib.demos.explore import STYLE, code, compact, demo, explore, nice, sweep
from course_lib.support.contracts import ParameterError, check

pytestmark = pytest.mark.usefixtures("nothing_left_of_it")


@demo(epsilon=(nice(0.1, 10), 1.0), top=([1, 10, 100], 10), n=(range(1, 11), 5), seed=0)
def toy(fig):
    """A curve, ten noisy points and a limit that moves."""
    ax = fig.subplots()
    x = np.linspace(0, 1, 50)
    (curve,) = ax.plot([], [], animated=True, zorder=5, label="curve")
    points = ax.scatter([], [], animated=True, zorder=4, color="red", label="points")
    ax.axhline(0.5, zorder=9)
    ax.set_xlim(0, 1)
    ax.legend()

    def update(*, epsilon, top, n, seed):
        check(epsilon=epsilon)
        if n == 10 and top == 100:
            raise ParameterError("n must be below 10 when top is 100, got 10")
        if n == 7:
            raise ZeroDivisionError("a bug in the figure")
        if ax.get_ylim() != (0, top):
            ax.set_ylim(0, top)
        curve.set_data(x, n * np.exp(-epsilon * x))
        points.set_offsets(np.random.default_rng(seed).random((n, 2)) * [1, top])
        return f"n = {n}, ε = {epsilon:g} < {compact(top)}, seed {seed}"

    return update


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)))


def drawn_afresh(panel):
    """The panel's state drawn in full: all that is static, then the animated artists by z-order."""
    canvas = panel.figure.canvas
    with matplotlib.rc_context(STYLE):
        canvas.draw()
        animated = panel.figure.findobj(lambda artist: artist.get_animated())
        for artist in sorted(animated, key=lambda artist: artist.get_zorder()):
            artist.draw(canvas.get_renderer())
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


@pytest.fixture
def panel():
    return explore(toy)


@pytest.fixture
def draws(monkeypatch):
    """Counts the pictures that are drawn, and the backgrounds among them."""
    counts = {"pictures": 0, "backgrounds": 0}

    def count(owner, method, what):
        original = getattr(owner, method)

        def counted(self):
            counts[what] += 1
            return original(self)

        monkeypatch.setattr(owner, method, counted)

    count(explore_module.Drawing, "pixels", "pictures")
    count(FigureCanvasAgg, "draw", "backgrounds")
    return counts


def test_moving_only_animated_artists_keeps_the_background(panel, draws):
    panel.set(epsilon=3.0, n=8, seed=4)
    assert draws == {"pictures": 1, "backgrounds": 0}


def test_a_changed_limit_draws_the_background_again(panel, draws):
    panel.set(top=100)
    assert draws == {"pictures": 1, "backgrounds": 1}


@pytest.mark.parametrize("values", [{"epsilon": 3.0, "n": 8}, {"top": 100}, {"seed": 9}])
def test_picture_is_the_same_dot_for_dot_as_a_full_draw(panel, values):
    shown = pixels(panel.set(**values).png)
    assert np.array_equal(shown, drawn_afresh(panel))


def test_picture_does_not_depend_on_how_one_got_there(panel):
    for values in (
        {"top": 1},
        {"epsilon": 0.1},
        {"top": 100, "n": 2},
        {"seed": 3},
        {"top": 10, "n": 9},
    ):
        panel.set(**values)
    assert panel.png == explore(toy, epsilon=0.1, n=9, seed=3).png
    assert panel.set(top=100).png == explore(toy, epsilon=0.1, n=9, seed=3, top=100).png


def test_animated_artists_lie_above_static_ones_and_among_themselves_by_zorder():
    @demo(x=([0.2, 0.5], 0.2))
    def lid(fig):
        ax = fig.subplots()
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.axhspan(0, 1, color="black", zorder=99)
        above = ax.axvspan(0.1, 0.3, color="#00ff00", zorder=2, animated=True)
        ax.axvspan(0.1, 0.6, color="#ff0000", zorder=1, animated=True)
        return lambda *, x: above.set(x=x) and None or "a lid"

    panel = explore(lid)
    for x in (0.5, 0.2):
        shown = pixels(panel.set(x=x).png)
        assert all((shown == colour).all(axis=-1).any() for colour in ([0, 255, 0], [255, 0, 0]))
    assert not panel.figure.stale


def test_same_values_are_not_drawn_again(panel, draws):
    panel.set(n=5, seed=0)
    assert draws["pictures"] == 0


def test_reset_draws_once(panel, draws):
    panel.set(epsilon=3.0, n=8, seed=4)
    draws["pictures"] = 0
    panel.buttons[0].click()
    assert draws["pictures"] == 1
    assert panel.values == panel.start == {"epsilon": 1.0, "top": 10, "n": 5, "seed": 0}


def test_reset_returns_to_the_values_of_the_call():
    panel = explore(toy, epsilon=3, seed=7)
    panel.set(epsilon=0.1, n=2, seed=1).reset()
    assert panel.values == {"epsilon": 3.0, "top": 10, "n": 5, "seed": 7}


def test_new_noise_adds_one_to_the_seed(panel):
    before = panel.png
    panel.buttons[1].click()
    assert panel.values["seed"] == 1
    assert panel.png != before


def test_button_for_new_noise_has_the_name_it_was_given():
    named = demo(n=([1, 2], 1), seed=0, again="Another pair")(lambda fig: lambda *, n, seed: "")
    silent = demo(n=([1, 2], 1))(lambda fig: lambda *, n: "")
    assert [b.description for b in explore(named).buttons] == ["Reset", "Another pair"]
    assert [b.description for b in explore(silent).buttons] == ["Reset"]


def test_moving_a_slider_changes_picture_sentence_and_line(panel):
    before = bytes(panel._picture.value)
    panel.sliders["n"].value = 2
    assert panel.sentence == "n = 2, ε = 1 < 10, seed 0"
    assert bytes(panel._picture.value) != before
    assert "n&nbsp;=&nbsp;2, ε&nbsp;=&nbsp;1 &lt; 10, seed 0" in panel._status.value
    assert "explore(toy, n=2)" in panel._line.value


def test_combination_that_makes_no_sense_shows_the_reason_on_a_card_of_the_same_size(panel):
    size = pixels(panel.png).shape
    panel.set(n=10, top=100)
    assert panel.sentence == "n must be below 10 when top is 100, got 10"
    assert pixels(panel.png).shape == size
    assert (pixels(panel.png)[:, :10] == 255).all() and (pixels(panel.png) < 128).any()
    panel.set(top=10)
    assert np.array_equal(pixels(panel.png), drawn_afresh(panel))


def test_a_bug_in_the_figure_is_raised_from_code_and_from_the_slider(panel):
    with pytest.raises(ZeroDivisionError):
        panel.set(n=7)
    with pytest.raises(ZeroDivisionError):
        explore(toy).sliders["n"].value = 7
    assert panel.set(n=6).sentence.startswith("n = 6")


@pytest.mark.parametrize(
    "wrong",
    [
        {"gamma": 1},
        {"epsilon": "1"},
        {"epsilon": None},
        {"n": 1.5},
        {"epsilon": float("nan")},
        {"seed": "a"},
    ],
)
def test_parameters_that_do_not_fit_are_refused_by_name(wrong):
    (name,) = wrong
    with pytest.raises(
        ParameterError, match=f"toy takes epsilon=1.0, top=10, n=5, seed=0; {name}="
    ):
        explore(toy, **wrong)


def test_value_between_two_steps_is_inserted_in_order():
    panel = explore(toy, epsilon=np.float64(0.33), n=12.0)
    values = [value for _, value in panel.sliders["epsilon"].options]
    assert values == sorted(values) and panel.values["epsilon"] == 0.33
    assert panel.call == "explore(toy, epsilon=0.33, n=12)"
    assert panel.set(epsilon=0.34).values["epsilon"] == 0.34


@pytest.mark.parametrize("start", [{}, {"epsilon": 0.33}])
@pytest.mark.parametrize("back", [{"epsilon": 2.0}, {"epsilon": 0.35}, None])
def test_a_value_between_two_steps_stays_on_the_slider_only_while_it_is_shown(start, back):
    panel = explore(toy, **start)
    steps = [value for _, value in panel.sliders["epsilon"].options]
    assert steps == sorted({*nice(0.1, 10), *start.values()})
    panel.set(epsilon=0.34, n=3)
    assert [x for _, x in panel.sliders["epsilon"].options] == sorted([*steps, 0.34])
    panel = panel.reset() if back is None else panel.set(**back)
    between = [] if back is None else {*back.values()}.difference(steps)
    assert [x for _, x in panel.sliders["epsilon"].options] == sorted([*steps, *between])
    assert panel.values["epsilon"] == (panel.start if back is None else back)["epsilon"]


def test_a_long_line_can_be_scrolled_in_its_box(panel):
    layout = panel._line.layout
    assert (layout.height, layout.overflow) == ("28px", "auto")


def test_a_long_power_of_ten_is_short_in_the_printed_line():
    values = [10**18, 10**7, 10**6, 2 * 10**9, 1e18, 100.0, "10000000"]
    assert [code(value) for value in values[:2]] == ["10**18", "10**7"]
    assert [code(value) for value in values[2:]] == [repr(value) for value in values[2:]]
    assert [eval(code(value)) for value in values] == values


def test_the_printed_line_gives_the_same_picture(panel):
    panel.set(epsilon=0.3, n=3, seed=7)
    again = eval(panel.call, {"explore": explore, "toy": toy})
    assert panel.call == "explore(toy, epsilon=0.3, n=3, seed=7)"
    assert (again.png, again.sentence, again.values) == (panel.png, panel.sentence, panel.values)


def test_output_carries_widget_picture_and_text(panel):
    data, metadata = panel.set(n=3)._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.widget.model_id
    assert base64.b64decode(data["image/png"]) == panel.png
    assert data["text/plain"] == "explore(toy, n=3): n = 3, ε = 1 < 10, seed 0" == repr(panel)
    assert metadata == {"image/png": {"width": 720, "height": 400, "alt": panel.sentence}}
    assert pixels(panel.png).shape == (800, 1440, 3)


def test_fast_picture_has_the_same_dots_as_the_stored_one(panel):
    assert np.array_equal(pixels(bytes(panel._picture.value)), pixels(panel.png))
    assert np.array_equal(pixels(panel.png), panel._pixels[..., :3])


def test_the_picture_has_a_text_alternative(panel):
    assert panel._picture.tooltip == toy.__doc__
    assert panel._picture.description == ""  # the page reads its length


def test_nice_numbers():
    assert nice(1, 10) == [1, 2, 3, 4, 5, 7, 10]
    assert nice(0.05, 0.5) == [0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5]
    assert nice(3, 80) == [3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 80]
    assert nice(1, 10**12)[-2:] == [7 * 10**11, 10**12]
    assert all(type(x) is int for x in nice(1, 10**12))
    with pytest.raises(ParameterError):
        nice(0, 1)


LABELS = {0: "0", 1000: "1,000", 0.05: "0.05", 10**12: "10¹²", 3e-5: "3·10⁻⁵", 1.5e8: "1.5·10⁸"}
LABELS |= {-2.5: "-2.5", 999_999: "999,999", "first": "first", True: "yes"}


@pytest.mark.parametrize(("value", "text"), LABELS.items())
def test_compact_labels(value, text):
    assert compact(value) == text


def test_sweep_moves_every_slider_and_comes_back(capsys):
    good = demo(n=(range(1, 4), 2), seed=0)(toy_bars)
    panel = explore(good, n=3)
    sweep(panel)
    assert capsys.readouterr().out == "toy_bars: n 1 to 3, seed 0 to 1\n"
    assert panel.values == {"n": 3, "seed": 0}


def test_sweep_finds_a_slider_that_changes_nothing():
    dead = demo(n=(range(1, 4), 2), idle=([1, 2], 1), seed=0)(toy_bars)
    with pytest.raises(AssertionError, match="toy_bars: idle changes nothing in the picture"):
        sweep(explore(dead))


def toy_bars(fig):
    bars = fig.subplots().vlines([], 0, 1, animated=True)

    def update(*, n, seed, idle=1):
        places = np.random.default_rng(seed).random(n)
        bars.set_segments([[(x, 0), (x, 1)] for x in places])
        return f"{n} bars, idle {idle}"

    return update


FONT = ImageFont.truetype(matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf", 15)


def status_lines(sentence):
    """Into how many lines of 720 pixels the sentence is broken, in a font wider than most."""
    lines, unbroken = [""], sentence.replace(" = ", "\u00a0=\u00a0")
    for word in unbroken.split(" "):
        longer = f"{lines[-1]} {word}".strip(" ")
        lines = [*lines[:-1], longer] if FONT.getlength(longer) <= 716 else [*lines, word]
    return len(lines)


def panel_height(figure):
    """Pixels of a panel: two sliders in a row of 28, the picture, the sentence, the buttons."""
    return 28 * -(-len(figure.demo.choices) // 2) + round(100 * figure.demo.size[1]) + 100


def figures():
    for module in pkgutil.iter_modules(course_lib.demos.__path__, "course_lib.demos."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if inspect.isfunction(value) and hasattr(value, "demo"):
                yield pytest.param(value, id=f"{module.name.rsplit('.')[-1]}.{name}")


def test_a_name_means_one_figure_throughout_the_course():
    """So that a line from one's notes shows the same picture in any notebook."""
    found = [figure.values[0] for figure in figures()]
    assert len({figure.__name__ for figure in found}) == len(set(found)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("figure", list(figures()))
def test_figure_of_the_course_at_the_ends_of_its_sliders(figure):
    """Dot for dot what a full draw gives, and nothing cut off."""
    panel = explore(figure)
    ends = [{name: values[end]} for name, values in figure.demo.choices.items() for end in (0, -1)]
    for values in ends:
        shown = pixels(panel.set(**panel.start | values).png)
        try:
            panel._update(**panel.values)
        except ParameterError as reason:
            assert panel.sentence == str(reason)
            continue
        assert np.array_equal(shown, drawn_afresh(panel)), values
        box, page = panel.figure.get_tightbbox(), panel.figure.bbox_inches
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.x1 and box.y1 <= page.y1, values
