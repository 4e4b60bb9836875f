"""The attacker's game as a picture and as a table: its numbers, its keys, its words."""

import base64

import pytest

from course_lib.demos.attackers_game import a_rule_that_plays
from course_lib.demos.game_table import play
from course_lib.lab.attackers_game import RULES, dealt, played
from course_lib.lab.confidence import clopper_pearson
from tests.pictures import check_captions, curve, near


def test_the_score_is_counted_from_the_secrets():
    secrets, answers = dealt("Laplace", rounds=10_000, epsilon=1.0, seed=1)
    said = [True if a > 1 else False if a < 0 else None for (a,) in answers[:50]]
    right = sum(s == a for s, a in zip(secrets, said, strict=False))
    announced = sum(a is not None for a in said)
    shown = a_rule_that_plays(stage="Laplace", rule="may pass", rounds=50)
    found = shown["numbers"]
    assert (found["right"], found["announced"]) == (right, announced)
    assert found["interval, 95%"] == pytest.approx(clopper_pearson(right, announced))
    x, y = curve(shown, "right when it speaks")
    assert x.tolist() == [10, 20, 50] and y[-1] == pytest.approx(right / announced)


def test_a_function_of_the_readers_own_plays():
    mine = a_rule_that_plays(stage="Laplace", rounds=100, player=lambda answers: True)["numbers"]
    assert mine["announced"] == 100
    assert mine["right"] == sum(dealt("Laplace", rounds=10_000, epsilon=1.0, seed=1)[0][:100])


def test_what_is_said_of_a_rule():
    def nothing(n, p):
        return n["announced"] == 0

    def said(n, p, times, low, high, verdict):
        beyond = n["interval, 95%"][0] > n["allowed at most"]
        ends = near(low, n["interval, 95%"][0]) and near(high, n["interval, 95%"][1])
        return ends and near(times, n["announced"]) and beyond == verdict.startswith("more")

    form = r"It spoke (\S+) times? and was right in (\S+) to (\S+) of them: "
    check_captions(
        a_rule_that_plays,
        {
            r"It spoke 0 times, and nothing can be said yet\.": nothing,
            form + r"(more than ε allows|no proof of a leak)\.": said,
        },
        also=[{"stage": "Lecture 11, as printed", "rule": "may pass", "rounds": 10}],
    )


def test_buttons_alone_play_a_game():
    table, (secrets, _) = (
        play("Laplace", rounds=4, seed=2),
        dealt("Laplace", rounds=4, epsilon=1.0, seed=2),
    )
    one, zero, no = table.says
    for button in (one, zero, no, one):
        assert not button.disabled and "Round" in table.words.value
        button.click()
    assert all(button.disabled for button in table.says)
    assert table.game.said == (True, False, None, True)
    right = sum(s == a for s, a in zip(secrets, table.game.said, strict=True))
    assert f"Right in {right} of 3 announcements" in table.words.value
    assert "No proof of a leak" in table.words.value
    one.click()
    assert len(table.game.said) == 4
    table.renew.click()
    assert table.game.said == () and table.game.seed == 3


def test_the_switches():
    table = play("randomised response", rounds=5)
    assert table.ends.disabled
    table.again.value = True
    assert table.game.repeats == 5 and "0.993" in table.words.value
    table.open_end.value = True
    table.says[0].click()
    table.ends.click()
    assert "proves nothing" in table.words.value and table.game.over


def test_stoddard_is_convicted_at_the_table():
    table = play("Stoddard", rounds=50)
    while not table.game.over:
        said = RULES["Stoddard"][1](table.game.answers)
        table.says[2 if said is None else 0 if said else 1].click()
    assert "Convicted" in table.words.value
    assert table.game.said == played(RULES["Stoddard"][1], "Stoddard", rounds=50).said


def test_without_a_kernel_there_are_a_picture_and_the_line():
    table = play("Stoddard")
    data, metadata = table._repr_mimebundle_()
    plain = data["text/plain"]
    assert base64.b64decode(data["image/png"])[1:4] == b"PNG"
    assert metadata["image/png"]["alt"].startswith('play("Stoddard")')
    assert plain.startswith('play("Stoddard"): run this line to play 50 rounds.')
    assert " at 0x" not in plain
