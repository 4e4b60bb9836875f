"""What holds of every picture: plain data, scenes, captions, legends, room, and how it is drawn."""

import functools
import json
import re
import subprocess
import sys
import textwrap
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_lib.demos.drawing import (
    DOTS_PER_INCH,
    PIXELS_PER_INCH,
    Renderer,
    captioned,
    drawn,
    png,
)  # fmt: skip
from course_lib.demos.picture import (
    axes,
    demo,
    layer,
    line,
    linear,
    log,
    nice,
    picture,
    plain,
    points,
)
from course_lib.demos.words import about, code, compact, listed, signed, written
from course_lib.support.contracts import ParameterError
from tests import memory
from tests.pictures import EVERY_STOP, dependencies, every_stop, figures, shown_at, states

FIGURES = figures()
VERSION_1_0 = json.loads((Path(__file__).parent / "demos_of_1_0.json").read_text(encoding="utf8"))
# What version 1.0 had and is there no more: (demo, parameter or label), and why.
GONE = {
    ("price_of_not_knowing", "Theorem 2 or 5"): "now “Sparse: Theorem 2 or 5”",
    ("price_of_not_knowing", "exact"): "now “Sparse: exact”",
    ("price_of_not_knowing", "c known"): "now “c known: Laplace”",
    ("dropped_factor", "T̂ ≤ âᵢ"): "now written on the band itself",
    ("error_against_rows", "as printed"): "now “in the notes”",
    ("error_against_rows", "scan’s |D|"): "now “|D| with the 6”",
}
# Stops that show that nothing changes any more: for Theorem 4 because no δ is taken beyond.
NO_MORE = {("theorem_4", "num_queries"): {(150, 200)}}
DOT = {"color": "ink", "linestyle": "none", "marker": "o"}
SMALLEST = 10.5  # points: 12 pixels where a picture is 600 pixels wide


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    top=([1, 10, 100], 10),
    n=(lambda top: range(1, top + 1), 5),
    kind=(["round", "square"], "round"),
    seed=0,
    scenes={"Few": dict(n=2), "Many": dict(n=9)},
)
def toy(*, epsilon, top, n, kind, seed, mechanism=None):
    """Some dots below a curve."""
    if n == 7:
        raise ZeroDivisionError("a bug in the picture")
    if n == 8:
        raise ParameterError("n must not be 8, got 8")
    x = np.linspace(0, 1, 50)
    heights = np.random.default_rng(seed).random(n) * top
    return picture(
        axes(
            line("curve", x, top * np.exp(-epsilon * x), {"color": "blue"}),
            line(
                "dots", np.linspace(0, 1, n), heights, DOT | {"marker": kind[0].replace("r", "o")}
            ),
            x=linear("x", 0, 1),
            y=linear("y", 0, top),
            box=(0.12, 0.15, 0.8, 0.7),
        ),
        sentence=f"{n} dots below {top}.",
        named={"n": n, "highest": heights.max()},
        numbers={"heights": heights, "given": mechanism is not None},
    )


@pytest.fixture(scope="module", params=FIGURES.values(), ids=FIGURES)
def figure(request):
    yield request.param
    memory.free()


def sample(figure):
    """What is looked at of a demo, kept for the next test, unless it is all that there is."""
    return shown_at(figure) if EVERY_STOP else kept(figure)


@functools.lru_cache(maxsize=1)
def kept(figure):
    return list(shown_at(figure))


def test_every_stop_is_every_pair_also_where_a_range_follows():
    seen = list(every_stop(toy.demo))
    tops = [(top, n) for top in (1, 10, 100) for n in range(1, top + 1)]
    assert {(at["top"], at["n"]) for at in seen} == set(tops)
    kinds = set(product(("round", "square"), (1, 10, 100)))
    assert {(at["kind"], at["top"]) for at in seen} == kinds
    alone = every_stop(FIGURES["waiting"].demo)
    assert [at["num_queries"] for at in alone] == [*range(1, 17)]


def layers(shown):
    return [each for frame in shown["axes"] for each in frame["layers"]]


def test_a_picture_is_plain_data(figure):
    for _, shown in sample(figure):
        assert json.loads(json.dumps(shown, allow_nan=False)) == shown


def test_a_picture_is_a_function_of_its_parameters(figure):
    for name in figure.demo.scenes:
        state = figure.demo.scene(name)
        first, between, second = figure(**state), figure(), figure(**state)
        assert first == second and between == figure()


def test_a_caption_is_one_sentence_and_at_most_six_numbers(figure):
    for state, shown in sample(figure):
        sentence = shown["sentence"]
        assert 20 <= len(sentence) <= 120 and sentence.endswith("."), (state, sentence)
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence[0] in "“⊤⊥αβδεΨ", sentence
        assert not re.search(r"but with prob|whoever|nan|inf\b|e-\d\d|None", sentence), sentence
        assert len(shown["named"]) <= 6 and set(shown["named"]) <= set(shown["numbers"])


def test_scenes_are_few_have_short_names_and_differ(figure):
    scenes = figure.demo.scenes
    assert 2 <= len(scenes) <= 5
    assert all(len(name.split()) <= 6 for name in scenes)
    seen = [json.dumps(figure(**figure.demo.scene(name))) for name in scenes]
    assert len(set(seen)) == len(scenes)


# scenes with the sentence of one before them, and what they show by it
SAME_SENTENCE = {
    "coupling": {"Wait twice as long": "k costs nothing"},
    "choice_of_alpha": {
        "A smaller ε": "the best α stays",
        "A larger ε": "the best α stays",
    },
    "lecture11_failure_against_alpha": {"A million rows": "α falls as 1/n"},
    "small_db_where_it_runs": {"A coarser database": "the order stays"},
    "stated_against_needed": {"The same, for one number": "true for any c"},
    "table_of_variants": {"Three times ⊤": "the verdicts stay"},
    "updates_against_bound": {"500 queries": "no query forces more"},
    "who_wins_the_columns": {
        "A megabyte": "the borders move",
        "A small budget": "the borders move",
    },
    "who_wins_the_dashboard": {"A billion rows": "the borders move"},
}


def test_scenes_say_different_things_unless_a_reason_is_given(figure):
    said, again = set(), set()
    for name in figure.demo.scenes:
        sentence = figure(**figure.demo.scene(name))["sentence"]
        if sentence in said:
            again.add(name)
        said.add(sentence)
    assert again == set(SAME_SENTENCE.get(figure.__name__, ()))
    assert set(SAME_SENTENCE) <= set(FIGURES)


def test_every_slider_changes_the_picture(figure):
    """From the start or from a scene: to both ends, as data, and the seed by one."""
    described = figure.demo
    moves = {name: (stops[0], stops[-1]) for name, stops in described.choices.items()}
    if "seed" in described.start:
        moves["seed"] = (described.start["seed"], described.start["seed"] + 1)
    places = [described.start, *map(described.scene, described.scenes)]
    for name, values in moves.items():
        assert values[0] != values[-1], name
        assert any(len(pictures(figure, place, name, values)) > 1 for place in places), name


def test_no_stop_shows_the_same_as_the_one_before_wherever_the_others_stand(figure):
    """In layers or numbers, at the start, in a scene or at an end of another slider."""
    described, limit = figure.demo, 1 + len(figure.demo.scenes) + 2 * len(figure.demo.values)
    places = list(states(figure))[:limit]
    for name, stops in described.choices.items():
        pairs = list(pairwise(stops))
        some = {pairs[0], pairs[len(pairs) // 2], *pairs[-2:]}
        for pair in set(pairs if EVERY_STOP else some) - NO_MORE.get((described.name, name), set()):
            shown = (pictures(figure, place, name, pair, ["axes", "numbers"]) for place in places)
            assert any(len(different) > 1 for different in shown), (name, pair)


def pictures(figure, place, name, values, parts=("axes",)):
    found = set()
    for value in values:
        try:
            shown = figure(**place | {name: value})
        except ParameterError:
            continue
        found.add(json.dumps([shown[part] for part in parts]))
    return found


def test_every_layer_is_in_the_legend_or_labelled_where_it_stands(figure):
    for _, shown in sample(figure):
        labels = {each["label"] for each in layers(shown)} - {None}
        if not shown["legend"]:
            labels = set()
        names = [each["name"] for each in layers(shown)]
        assert len(set(names)) == len(names), names
        for frame in shown["axes"]:
            words = [frame["title"], frame["x"]["label"], frame["y"]["label"]]
            words += [
                w for each in frame["layers"] for w in each.get("words", [each.get("word", "")])
            ]
            for each in frame["layers"]:
                if each["label"]:
                    told = each["label"] in labels
                else:
                    told = each["kind"] == "text" or each.get("word") or each["see"] in labels
                    told = told or each["see"] and any(each["see"] in part for part in words)
                assert told, each["name"]


OTHERWISE = re.compile(r"(?<![\w⁻])-\d|(?<![\d.])\d{4,}|\d[eE][+-]?\d|\*\*|\b(nan|inf)\b")


@pytest.mark.parametrize("text", ["1000", "at -5", "1e-07", "1E9", "10**6", "nan", "12345.5"])
def test_numbers_written_otherwise_are_noticed(text):
    assert OTHERWISE.search(text)


def test_numbers_are_written_in_one_way(figure):
    """1,000; −5; 4.2·10⁻⁷; 2³⁰. What has binary digits alone is no number."""
    told = {compact(value) for stops in figure.demo.choices.values() for value in stops}
    for _, shown in sample(figure):
        told |= {shown["sentence"], *shown["numbers"], *map(written, shown["numbers"].values())}
        for frame in shown["axes"]:
            told |= {frame["title"]}
            for axis in (frame["x"], frame["y"]):
                told |= {axis["label"], *(axis["names"] or [])}
            for each in frame["layers"]:
                told |= {each["label"] or "", *each.get("words", [each.get("word", "")])}
    parts = {part for text in told for part in text.split() if set(part) - set("01,")}
    assert not [part for part in parts if OTHERWISE.search(part)]


def is_a_word(artist):
    return hasattr(artist, "get_text") and hasattr(artist, "get_fontsize")


@pytest.mark.parametrize("dots", [DOTS_PER_INCH, PIXELS_PER_INCH, 60])  # stored; panels
def test_words_are_large_enough_inside_the_picture_and_apart(figure, dots):
    """At the start, in the scenes and at both ends of each slider."""
    renderer, dot = Renderer(dots), dots / DOTS_PER_INCH
    for state in list(states(figure))[: 1 + len(figure.demo.scenes) + 2 * len(figure.demo.choices)]:
        try:
            shown = figure(**state)
        except ParameterError:
            continue
        renderer.draw(shown)
        page = renderer.figure.bbox
        words = drawn_words(renderer)
        for text, box in words:
            assert text.get_fontsize() >= SMALLEST, (state, text.get_text())
            inside = page.x0 - dot <= box.x0 and box.x1 <= page.x1 + dot
            assert inside and page.y0 - dot <= box.y0 and box.y1 <= page.y1 + dot, (
                state,
                text.get_text(),
            )
        for i, (one, first) in enumerate(words):
            for other, second in words[i + 1 :]:
                wide = min(first.x1, second.x1) - max(first.x0, second.x0)
                high = min(first.y1, second.y1) - max(first.y0, second.y0)
                apart = wide <= 2 * dot or high <= 4 * dot
                assert apart, (state, one.get_text(), other.get_text())


def drawn_words(renderer):
    """The words that are drawn, with their boxes: those of ticks, axes, legend and layers."""
    canvas = renderer.canvas.get_renderer()
    texts = []
    for ax in renderer.axes:
        texts += [ax.title, ax.xaxis.label, ax.yaxis.label]
        for axis, limits in ((ax.xaxis, sorted(ax.get_xlim())), (ax.yaxis, sorted(ax.get_ylim()))):
            ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False)
            texts += [label for place, label in ticks if limits[0] <= place <= limits[1]]
    for legend in renderer.figure.legends:
        texts += legend.get_texts()
    for made in renderer.layers:
        for each in made:
            texts += [artist for artist in each.artists if is_a_word(artist)]
    texts = [text for text in texts if text.get_visible() and text.get_text().strip()]
    with renderer.style():
        return [(text, text.get_window_extent(canvas)) for text in texts]


def test_a_picture_that_was_moved_is_dot_for_dot_one_drawn_afresh(figure):
    renderer = Renderer()
    for state in list(states(figure))[:: 1 if EVERY_STOP else 6]:
        try:
            shown = figure(**state)
        except ParameterError:
            continue
        assert np.array_equal(renderer.draw(shown), Renderer().draw(shown)), state


@pytest.mark.parametrize("name", VERSION_1_0)
def test_what_version_1_0_showed_is_shown(name):
    figure, before = FIGURES[name], VERSION_1_0[name]
    missing = set(before["parameters"]) - set(figure.demo.start)
    for parameter, ends in before["parameters"].items():
        if ends and parameter in figure.demo.values:
            stops = figure.demo.choices[parameter]
            words = any(isinstance(end, str) for end in (stops[0], ends[0]))
            if not callable(figure.demo.values[parameter]) and not words:
                assert stops[0] <= ends[0] and ends[1] <= stops[-1], parameter
    labels = {each["label"] for _, shown in shown_at(figure) for each in layers(shown)}
    missing |= {label for label in before["labels"] if label not in labels}
    assert missing == {what for demo, what in GONE if demo == name}


RECORD = json.loads((Path(__file__).parent / "layers.json").read_text(encoding="utf8"))


@pytest.mark.parametrize("name", FIGURES)
def test_layers_depend_on_the_parameters_that_are_recorded(name):
    """`python -m tests.pictures` writes the record anew; a change of it is a change to look at."""
    assert dependencies(FIGURES[name]) == RECORD[name]


def test_moving_layers_keeps_the_background(monkeypatch):
    renderer = Renderer()
    renderer.draw(toy())
    monkeypatch.setattr(renderer.canvas, "draw", lambda: pytest.fail("the background was drawn"))
    placed = []
    for made in renderer.layers[0]:
        monkeypatch.setattr(made, "place", lambda shown: placed.append(shown["name"]))
    renderer.draw(toy(seed=4))
    assert placed == ["dots"]


def test_a_changed_limit_draws_the_background_again():
    renderer = Renderer()
    before = renderer.draw(toy()).copy()
    assert np.array_equal(renderer.draw(toy(top=100)), Renderer().draw(toy(top=100)))
    assert np.array_equal(renderer.draw(toy()), before)


@pytest.mark.parametrize("scale", [linear, log])
@pytest.mark.parametrize("name", "xy")
def test_limits_ticks_and_label_move_without_another_figure(scale, name, monkeypatch):
    def shown(low, high, ticks, label):
        scales = {"x": linear("x", 0, 1), "y": linear("y", 0, 1)}
        names = [f"at {tick}" for tick in ticks]
        scales[name] = scale(label, low, high, ticks=ticks, names=names)
        curve = line("curve", [1, 40], [1, 40], {"color": "blue"})
        return picture(axes(curve, **scales, box=(0.2, 0.2, 0.7, 0.6)), sentence="", named={})

    places = [(1, 20, [2, 10], "rows"), (3, 400, [5, 7, 200], "α"), (1, 2, [], "")]
    renderer = Renderer()
    renderer.draw(shown(*places[0]))
    afresh = [Renderer().draw(shown(*place)) for place in places]
    monkeypatch.setattr(renderer.canvas, "draw", lambda: pytest.fail("the legend was drawn"))
    for place, pixels in zip(places[::-1], afresh[::-1], strict=True):
        assert np.array_equal(renderer.draw(shown(*place)), pixels), place


def test_layers_are_drawn_in_their_order():
    wide = {"linewidth": 40}
    green, red = ({"color": colour} | wide for colour in ("#00ff00", "#ff0000"))

    def over(*styles):
        shown = [line(style["color"], [0, 1], [0.5, 0.5], style) for style in styles]
        frame = axes(*shown, x=linear("", 0, 1), y=linear("", 0, 1), box=(0, 0, 1, 1))
        pixels = Renderer().draw(picture(frame, sentence="", named={}, legend=None))
        return pixels[400, 720, :3].tolist()

    assert over(green, red) == [255, 0, 0] and over(red, green) == [0, 255, 0]


def test_a_dark_picture_is_the_same_in_other_colours():
    light, dark = (Renderer(dark=dark).draw(toy()) for dark in (False, True))
    assert light.shape == dark.shape
    assert light[0, 0, :3].tolist() == [255] * 3 and max(dark[0, 0, :3]) < 40
    # what is not paper covers the same dots
    assert np.mean((light[..., :3] < 128).any(-1) != (dark[..., :3] > 128).any(-1)) < 0.03


GUIDES = {"0.8", "0.85", "0.87", "0.9"}  # lines at 0, strips behind what is drawn


def contrast(colour, paper):
    """As the guidelines for accessible pages compute it."""
    light, dark = sorted((0.05 + luminance(colour), 0.05 + luminance(paper)), reverse=True)
    return light / dark


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def least_contrast(colour, paper, opacity=1.0):
    """In colours and in the greys that a browser makes of them, with the paper shining through."""
    through = [
        opacity * c + (1 - opacity) * p for c, p in zip(*map(to_rgb, (colour, paper)), strict=True)
    ]
    both = (through, to_rgb(paper))
    greys = ([float(np.dot(each, [0.2126, 0.7152, 0.0722]))] * 3 for each in both)
    return min(contrast(*both), contrast(*greys))


def is_a_surface(each):
    """A strip, an area or a cloud of dots upon each other, through which one sees; no line."""
    style = each["style"]
    wide, cloud = style.get("linewidth", 0) >= 5, len(each.get("x", [])) > 100
    return each["kind"] in ("band", "area") or "alpha" in style and (wide or cloud)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_lines_and_words_stand_out_from_the_paper(figure, dark):
    renderer = Renderer(dark=dark)
    renderer.draw(figure())
    paper = renderer.figure.get_facecolor()
    for text, _ in drawn_words(renderer):
        assert least_contrast(text.get_color(), paper) >= 4.5, text.get_text()
    for each in (each for _, shown in sample(figure) for each in layers(shown)):
        style, looks = each["style"], renderer.looks(each["style"])
        if is_a_surface(each) or style["color"] in {*GUIDES, "none"}:
            continue
        least = 4.5 if each["kind"] == "text" else 3
        seen = [looks[k] for k in ("color", "markeredgecolor") if k in style]
        best = max(least_contrast(colour, paper, style.get("alpha", 1)) for colour in seen)
        assert best >= least, each["name"]


def test_a_point_of_the_picture_can_be_turned_into_data():
    shown = toy()
    renderer = Renderer()
    renderer.draw(shown)
    left, bottom, width, height = shown["axes"][0]["box"]
    size = np.multiply(shown["size"], 200)
    place = (np.array([left, bottom]) + 0.25 * np.array([width, height])) * size
    there = renderer.axes[0].transData.inverted().transform(place)
    limits = [shown["axes"][0][name]["limits"] for name in "xy"]
    assert there == pytest.approx([low + 0.25 * (high - low) for low, high in limits])


def test_the_stored_picture_carries_its_caption():
    shown = toy()
    pixels = captioned(shown)
    assert pixels.shape[1] == 1440 and pixels.shape[0] > 800
    assert (pixels[800:, :, :3] < 128).any()
    assert drawn(shown).data[:4] == b"\x89PNG" == png(pixels)[:4]


def test_no_picture_needs_matplotlib_or_a_widget():
    modules = ", ".join(
        {f"course_lib.demos.{f.__module__.rsplit('.')[-1]}" for f in FIGURES.values()}
    )
    heavy = "{'matplotlib', 'ipywidgets', 'anywidget'}"
    lines = f"import sys, {modules}; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True)
    assert run.stdout == "set()\n", run.stdout + run.stderr


def test_interact_moves_any_picture_in_the_lines_of_contributing(monkeypatch, capsys):
    import ipywidgets

    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf8")
    (block,) = re.findall(r"(?:^    .*\n)*^    interact\(.*\n", text, re.MULTILINE)
    interact, made = ipywidgets.interact, []
    monkeypatch.setattr(
        ipywidgets, "interact", lambda *at, **more: made.append(interact(*at, **more).widget)
    )
    exec(textwrap.dedent(block), {})
    (moved,), figure = made, FIGURES["failure_against_alpha"]
    moved.children[0].value = 4.0
    assert moved.result.data == drawn(figure(epsilon=4.0)).data != drawn(figure()).data
    assert not capsys.readouterr().err


def test_parameters_that_are_not_given_stay_at_their_start():
    assert toy() == toy(epsilon=1.0, top=10, n=5, kind="round", seed=0)
    assert toy(n=np.int64(3))["numbers"]["n"] == 3
    assert toy(mechanism=len)["numbers"]["given"] is True


def test_a_start_beyond_a_range_that_follows_gives_way_to_its_end():
    assert toy(top=1)["numbers"]["n"] == 1
    assert toy.demo.stops("n", {"top": 10}) == list(range(1, 11))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            dict(gamma=1),
            "toy takes epsilon=1.0, top=10, n=5, kind='round', seed=0; gamma=1 does not fit",
        ),
        (dict(epsilon="1"), "epsilon='1' does not fit"),
        (dict(n=1.5), "n=1.5 does not fit"),
        (dict(epsilon=float("nan")), "epsilon=nan does not fit"),
        (dict(epsilon=20), "epsilon must be from 0.1 to 10 in this picture, got 20"),
        (dict(top=1, n=2), "n must be from 1 to 1 in this picture, got 2"),
        (dict(kind="flat"), "kind must be one of round, square in this picture, got flat"),
        (dict(seed=-1), "seed must be 0 or greater, got -1"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(wrong, words):
    with pytest.raises(ParameterError, match=re.escape(words)):
        toy(**wrong)


def test_infinity_is_a_word_and_what_is_nowhere_is_none():
    assert plain([np.inf, -np.inf, np.nan, np.float64(2), np.array([1, 2])]) == [
        "∞",
        "−∞",
        None,
        2.0,
        [1, 2],
    ]
    assert points([1, np.nan, np.inf]) == [1.0, None, None]
    assert layer(toy(), "curve")["x"][0] == 0.0


def test_nice_numbers():
    assert nice(1, 10) == [1, 2, 3, 4, 5, 7, 10]
    assert nice(0.05, 0.5) == [0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5]
    assert nice(3, 80) == [3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 80]
    assert nice(1, 10**12)[-2:] == [7 * 10**11, 10**12]
    assert all(type(x) is int for x in nice(1, 10**12))
    with pytest.raises(ParameterError):
        nice(0, 1)


LABELS = {0: "0", 1000: "1,000", 0.05: "0.05", 10**12: "10¹²", 3e-5: "3·10⁻⁵", 1.5e8: "1.5·10⁸"}
LABELS |= {-2.5: "−2.5", 999_999: "999,999", "first": "first", True: "yes", 2**30: "2³⁰"}
LABELS |= {-3e-7: "−3·10⁻⁷", float("inf"): "∞"}


@pytest.mark.parametrize(("value", "text"), LABELS.items())
def test_compact_numbers(value, text):
    assert compact(value) == text


def test_numbers_in_words():
    assert [about(x) for x in (84.773, 1699.6, 4.167e-7, 0, -1.234)] == [
        "84.8",
        "1,700",
        "4.17·10⁻⁷",
        "0",
        "−1.23",
    ]
    assert signed(-0.04, 1) == "0.0" and signed(-1234.5, 0) == "−1,234"
    assert listed(["1"]) == "1" and listed(["1", "2", "3"]) == "1, 2 and 3"
    assert written([0.1, 0.25]) == "0.1 to 0.25" and written([15, 16]) == "15, 16"
    assert written(None) == "–" and written([]) == "none" and written(12345) == "12,345"


def test_a_long_power_is_short_in_the_printed_line():
    assert code(2**200) == "2**200" and code(2**10) == "1024"
    values = [10**18, 10**7, 10**6, 2 * 10**9, 1e18, 100.0, "10000000"]
    assert [code(value) for value in values[:2]] == ["10**18", "10**7"]
    assert [code(value) for value in values[2:]] == [repr(value) for value in values[2:]]
    assert [eval(code(value)) for value in values] == values
