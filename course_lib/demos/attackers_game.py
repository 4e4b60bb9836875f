"""The attacker's game as pictures: a written rule that plays, and a table one plays by hand."""

import numpy as np

from course_lib.demos.picture import (
    EXACT, MEASURED, THEOREM, area, axes, demo, level, line, linear, log, picture,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact
from course_lib.exact.attackers_game import LEVELS, best_accuracy
from course_lib.lab.attackers_game import RULES, played
from course_lib.lab.confidence import clopper_pearson

SEEN = {"facecolor": ["sky", 0.35], "edgecolor": "paper"}
STEPS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]


@demo(
    stage=(list(LEVELS), "randomised response"),
    rule=(["always guesses", "may pass"], "always guesses"),
    rounds=(STEPS, 10),
    time="rounds",
    seed=1,
    again="New secrets",
    scenes={
        "A coin that lies": dict(rounds=10_000),
        "Noise on a count": dict(stage="Laplace", rounds=10_000),
        "Lecture 11, always guessing": dict(stage="Lecture 11, as printed", rounds=10_000),
        "Lecture 11, passing": dict(stage="Lecture 11, as printed", rule="may pass", rounds=10_000),
        "Stoddard, in fifty rounds": dict(stage="Stoddard", rule="may pass", rounds=50),
    },
)
def a_rule_that_plays(*, stage, rule, rounds, seed, player=None):
    """A written rule plays the attacker: how often it is right, and what ε = 1 allows."""
    chosen = player or RULES[stage][rule == "may pass"]
    game = played(chosen, stage, rounds=STEPS[-1], seed=seed)
    at = [step for step in STEPS if step <= rounds]
    announced, correct = np.array(game.scores(at))
    some = announced > 0
    low, high = clopper_pearson(correct, np.maximum(announced, 1))
    low, high = np.where(some, low, 0.0), np.where(some, high, 1.0)
    share = np.where(some, correct / np.maximum(announced, 1), np.nan)
    return picture(
        axes(
            area("95% interval", at, low, high, SEEN),
            line("right when it speaks", at, share, MEASURED | {"linestyle": "-"}),
            level("what ε = 1 allows", game.line, THEOREM),
            level("the best that always guesses", best_accuracy(stage, epsilon=1.0), EXACT),
            x=log("rounds played", 8, 13_000),
            y=linear("right when it speaks", 0.3, 1.02),
            box=(0.1, 0.16, 0.88, 0.68),
        ),
        size=(7.2, 3.8),
        legend={"columns": 2, "size": 11},
        sentence=_judged(announced[-1], low[-1], high[-1], game.line),
        named={
            "right": correct[-1],
            "announced": announced[-1],
            "allowed at most": game.line,
            "interval, 95%": [float(low[-1]), float(high[-1])],
            "best that always guesses": best_accuracy(stage, epsilon=1.0),
        },
        numbers={"rounds": rounds},
    )


def _judged(announced, low, high, allowed):
    """What the interval says of the mechanism."""
    spoke = f"It spoke {compact(int(announced))} {'time' if announced == 1 else 'times'}"
    if not announced:
        return f"{spoke}, and nothing can be said yet."
    told = f"{spoke} and was right in {about(low)} to {about(high)} of them"
    return f"{told}: {'more than ε allows' if low > allowed else 'no proof of a leak'}."
