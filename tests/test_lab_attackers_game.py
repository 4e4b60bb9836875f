"""The attacker's game: its rules, what it deals, the best rules and twenty others."""

import math

import numpy as np
import pytest

from course_lib.exact.attackers_game import LEVELS, PRIVATE, best_accuracy, level_stream
from course_lib.exact.family import member, run_variant
from course_lib.lab import attackers_game
from course_lib.lab.attackers_game import RULES, Game, dealt, played
from course_lib.lab.confidence import clopper_pearson
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import ParameterError

ROUNDS = 100_000


def best(stage):
    """The best written rule that never passes."""
    if stage == "randomised response":
        return lambda answers: answers[0]
    if stage == "Laplace":
        return lambda answers: answers[0] > 0.5
    if stage == "Stoddard":  # of each pair secret 0 has the higher last: ⊥⊤ tells 0
        return lambda a: not any(a[i] is BELOW and a[i + 1] is not BELOW for i in range(0, 8, 2))
    raise LookupError(stage)


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
@pytest.mark.parametrize("stage", ["randomised response", "Laplace", "Stoddard"])
def test_the_best_rule_is_right_as_often_as_the_law_says(stage, epsilon):
    game = played(best(stage), stage, rounds=ROUNDS, epsilon=epsilon, seed=5)
    low, high = clopper_pearson(game.right, ROUNDS, confidence=0.999)
    assert low <= best_accuracy(stage, epsilon=epsilon) <= high and game.announced == ROUNDS


def test_the_written_rules_by_hand():
    _, passing = zip(*RULES.values(), strict=True)
    coin, laplace, stoddard, patient, _ = passing
    assert coin((True,)) is True and coin((False,)) is False
    assert RULES["Laplace"][0]((0.6,)) is True and RULES["Laplace"][0]((0.5,)) is False
    heard = -0.1, 0.0, 0.5, 1.0, 1.1
    assert [laplace((x,)) for x in heard] == [False, None, None, None, True]
    one, none = [ABOVE], [BELOW]
    for said, secret in [
        (none * 8, None),
        (none * 2 + one * 6, None),
        (none * 5 + one * 3, False),
        (none * 4 + one + none + one * 2, True),
        (one + none + one * 6, True),
        (none + one * 7, False),
    ]:
        assert stoddard(said) is secret and RULES["Stoddard"][0](said) is bool(secret)
    for said, secret in [
        (none * 2 + [0.5], True),
        (none * 3 + [-1.0], True),
        (none * 2 + [0.6], None),
        (none + [0.2], None),
        ([0.2], None),
        (none * 5, None),
    ]:
        assert patient(said) is secret
    waits = RULES["Lecture 11, repaired"][0]
    assert [waits(said) for said in (none * 5, [0.4], [0.5], [0.6])] == [True, True, False, False]


def test_the_scores_of_the_first_rounds_are_those_of_shorter_games():
    game = played(RULES["Laplace"][1], "Laplace", rounds=50, seed=9)
    secrets = dealt("Laplace", rounds=50, epsilon=1.0, seed=9)[0]
    spoke, right = game.scores([1, 2, 3, 10, 50])
    for place, count, correct in zip([1, 2, 3, 10, 50], spoke, right, strict=True):
        rounds = list(zip(secrets, game.said, strict=True))[:place]
        assert count == sum(said is not None for _, said in rounds)
        assert correct == sum(said is secret for secret, said in rounds)
    assert 0 < right[-1] < spoke[-1] < 50 and (right[-1], spoke[-1]) == (game.right, game.announced)


def test_the_line_must_be_below_the_whole_interval():
    game = played(RULES["randomised response"][0], "randomised response", rounds=100)
    assert game.over and game.interval[0] < game.line < game.interval[1] and not game.convicted


@pytest.mark.parametrize("stage", ["Lecture 11, as printed", "Lecture 11, repaired"])
def test_the_best_rule_for_lecture_11(stage):
    """Secret 1 has value 0 in the first four queries, secret 0 has 1: ratios of exact densities."""
    row = member(LEVELS[stage], cutoff=1, epsilon=1.0)
    grid = np.linspace(-60, 60, 2401)
    z = np.exp(-np.abs(grid) / row.threshold_scale)

    def tail(x):  # the chance that query noise is at least x
        s = np.exp(-np.abs(x) / row.query_scale) / 2
        return np.where(x > 0, s, 1 - s)

    def ratio(answers):
        last, here = answers[-1], []
        for secret in (0, 1):
            values = level_stream(stage, secret=secret)
            weight = z.copy()
            for value, answer in zip(values, answers, strict=False):
                if answer is BELOW:
                    weight = weight * (1 - tail(grid - value))
                elif row.released == "same":
                    weight = (
                        weight * (grid <= answer) * math.exp(-abs(answer - value) / row.query_scale)
                    )
                else:
                    weight = weight * tail(grid - value)
                    weight = weight * math.exp(-abs(last - value) / row.release_scale)
            here.append(weight.sum())
        return here[1] > here[0]

    rounds = 4_000
    game = played(ratio, stage, rounds=rounds, seed=2)
    low, high = clopper_pearson(game.right, rounds, confidence=0.999)
    assert low <= best_accuracy(stage, epsilon=1.0) <= high


def number(answers, least=-math.inf, most=math.inf):
    return answers[-1] is not BELOW and least <= float(answers[-1]) <= most


TWENTY = {
    "True": lambda a: True,
    "False": lambda a: False,
    "first": lambda a: a[0] is not BELOW and float(a[0]) > 0.5,
    "not first": lambda a: not (a[0] is not BELOW and float(a[0]) > 0.5),
    **{f"beyond {t}": lambda a, t=t: True if number(a, least=t) else None for t in (0, 1, 2, 4, 6)},
    **{f"below {t}": lambda a, t=t: False if number(a, most=t) else None for t in (0, -1, -3, -5)},
    **{
        f"{m} ⊥, then at most {t}": lambda a, m=m, t=t: (
            True if len(a) > m and number(a, most=t) else None
        )
        for m, t in ((2, 0.5), (3, 0), (3, 1), (4, 0))
    },
    "silence": lambda a: True if a[-1] is BELOW else None,
    "a number at once": lambda a: False if len(a) == 1 and number(a) else None,
    "how long": lambda a: len(a) >= 3,
}


def test_no_rule_of_twenty_crosses_the_line_of_a_private_mechanism():
    """95% of all 60 intervals at once: none may lie above the line."""
    assert len(TWENTY) == 20
    for stage in PRIVATE:
        for name, rule in TWENTY.items():
            game = played(rule, stage, rounds=ROUNDS, seed=3)
            low, _ = clopper_pearson(game.right, max(game.announced, 1), confidence=1 - 0.05 / 60)
            assert low <= game.line == pytest.approx(math.e / (1 + math.e)), (stage, name)


def test_a_rule_that_passes_convicts_lecture_11_and_always_guessing_does_not():
    rule = TWENTY["2 ⊥, then at most 0.5"]
    game = played(rule, "Lecture 11, as printed", rounds=ROUNDS, seed=4)
    assert game.convicted and 0.007 < game.announced / ROUNDS < 0.014
    often = played(TWENTY["how long"], "Lecture 11, as printed", rounds=ROUNDS, seed=4)
    assert often.announced == ROUNDS and often.interval[1] < best_accuracy("Laplace", epsilon=1.0)


def test_a_player_convicts_stoddard_within_fifty_rounds():
    """She speaks only if a pair differs, which tells all; in at least 99 of 100 games."""

    def rule(a):
        differ = [a[i] is not BELOW for i in range(0, 8, 2) if a[i] is not a[i + 1]]
        return differ[0] if differ else None

    games = [played(rule, "Stoddard", rounds=50, seed=seed) for seed in range(100)]
    assert all(game.right == game.announced for game in games)
    assert sum(game.convicted for game in games) >= 99


@pytest.mark.parametrize("stage", ["Lecture 11, as printed", "Lecture 11, repaired", "Stoddard"])
def test_what_is_dealt_has_the_law_of_the_mechanism(stage):
    """Lengths of transcripts and the last numbers, beside runs of the family's own engine."""
    row = member(LEVELS[stage], cutoff=1, epsilon=1.0)
    secrets, answers = dealt(stage, rounds=20_000, epsilon=1.0, seed=6)
    rng = np.random.default_rng(7)
    queries = [lambda data, i=i: data[i] for i in range(8)]
    for secret in (0, 1):
        values = level_stream(stage, secret=secret)
        own = [
            tuple(run_variant(row, values, queries[: len(values)], threshold=0.0, rng=rng))
            for _ in range(4_000)
        ]
        mine = [a for s, a in zip(secrets, answers, strict=True) if s == secret]

        def key(a):
            return tuple(each is BELOW for each in a), row.released and number(a, most=0.5)

        kinds = {key(a) for a in own + mine}
        for kind in kinds:
            theirs, ours = (sum(key(a) == kind for a in some) for some in (own, mine))
            ends = [
                clopper_pearson(k, len(some), confidence=1 - 1e-5)
                for k, some in ((theirs, own), (ours, mine))
            ]
            assert ends[0][0] <= ends[1][1] and ends[1][0] <= ends[0][1], kind


def test_lecture_11_is_played_with_the_noise_of_its_row():
    """The same draws in the same order: threshold, queries, what is released."""
    stage, epsilon, shape = "Lecture 11, repaired", 0.5, (2000, 5)
    row = member(LEVELS[stage], cutoff=1, epsilon=epsilon)
    values = np.broadcast_to([0.2, 0.0, -0.4, 0.1, 1.0], shape)
    rng = np.random.default_rng(3)
    bars = row.threshold_scale * rng.laplace(size=(2000, 1))
    above = values + row.query_scale * rng.laplace(size=shape) >= bars
    numbers = values + row.release_scale * rng.laplace(size=shape)
    found = attackers_game._run(stage, values, epsilon, np.random.default_rng(3))
    for answers, tops, released in zip(found, above, numbers, strict=True):
        below = tops.argmax() if tops.any() else 5
        assert answers[:below] == (BELOW,) * below
        assert answers[below:] == pytest.approx(tuple(released[below : below + 1]))


def test_the_same_row_again_moves_the_line():
    game = played(lambda a: sum(a) >= 3, "randomised response", rounds=20_000, repeats=5, seed=1)
    assert len(game._deal()[1][0]) == 5 and game.line == pytest.approx(1 / (1 + math.exp(-5)))
    keep = 1 / (1 + math.exp(-1))
    exact = sum(math.comb(5, k) * keep**k * (1 - keep) ** (5 - k) for k in (3, 4, 5))
    low, high = clopper_pearson(game.right, 20_000, confidence=0.999)
    assert low <= exact <= high and high < game.line


def test_a_game_is_a_state_that_nothing_changes():
    game = Game("Laplace", rounds=3, seed=8)
    after = game.say(True).say(None)
    assert game.said == () and after.said == (True, None) and after.announced == 1
    assert after == Game("Laplace", rounds=3, seed=8).say(True).say(None)
    assert game.answers == dealt("Laplace", rounds=3, epsilon=1.0, seed=8)[1][0]
    end = after.say(False)
    assert end.over and end.answers is None and not after.over
    assert game.interval == (0.0, 1.0)
    with pytest.raises(ParameterError, match="rounds must be 3"):
        end.say(True)
    with pytest.raises(ParameterError, match="said must be True, False or None, got 1"):
        game.say(1)
    with pytest.raises(ParameterError, match="said must be True, False or None, got 'yes'"):
        Game("Laplace", said=("yes",))
    with pytest.raises(ParameterError, match="said must be a list of one announcement"):
        Game("Laplace", rounds=3, said=(True,) * 4)
    assert not Game("Laplace", said=(None,) * 49).over and Game("Laplace", said=(None,) * 50).over
    listed = Game("Laplace", rounds=3, said=[np.True_, None, False])
    assert listed.over and listed.said == (True, None, False) and listed.said[0] is True
    with pytest.raises(ParameterError, match="rounds must be 1"):
        played(lambda heard: True, "Laplace", rounds=1).say(True)
    with pytest.raises(ParameterError, match="open_end"):
        game.stop()
    early = Game("Laplace", rounds=3, open_end=True).say(True).stop()
    assert early.over and early.answers is None and not early.convicted
    with pytest.raises(ParameterError, match="stage"):
        Game("Gauss")
    with pytest.raises(ParameterError, match="rounds"):
        Game("Laplace", rounds=0)
