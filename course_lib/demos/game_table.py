"""The attacker's game played by hand: three buttons, and the state of the game in plain words."""

import base64

from ipywidgets import HTML, Button, Dropdown, HBox, ToggleButton, VBox

from course_lib.demos.attackers_game import a_rule_that_plays
from course_lib.demos.drawing import captioned, png
from course_lib.exact.attackers_game import LEVELS
from course_lib.lab.attackers_game import Game
from course_lib.support.answers import ABOVE, BELOW

ROUNDS = 50


class Table(VBox):
    """Buttons for the announcements; Tab and Enter are enough to play. On a page: a picture and the line."""

    def __init__(self, stage="randomised response", *, rounds=ROUNDS, seed=0):
        self._rounds, self._seed = rounds, seed
        self.words = HTML()
        self.stage = Dropdown(options=list(LEVELS), value=stage, description="Level")
        self.open_end = ToggleButton(value=False, description="Stop when you like")
        self.again = ToggleButton(value=False, description="Same row again (5 runs)")
        says = {"The secret is 1": True, "The secret is 0": False, "Pass": None}
        self.says = [Button(description=word) for word in says]
        for button, announced in zip(self.says, says.values(), strict=True):
            button.on_click(lambda _, announced=announced: self.say(announced))
        self.ends = Button(description="Stop now")
        self.ends.on_click(lambda _: self.stop())
        self.renew = Button(description="New game")
        self.renew.on_click(lambda _: self.start(self._seed + 1))
        for switch in (self.stage, self.open_end, self.again):
            switch.observe(lambda _: self.start(self._seed), "value")
        rows = HBox(self.says), HBox([self.ends, self.renew]), HBox([self.open_end, self.again])
        super().__init__([self.stage, self.words, *rows])
        self.start(seed)

    def start(self, seed):
        """A new game; what was announced is forgotten."""
        self._seed = seed
        self.game = Game(
            self.stage.value, rounds=self._rounds, repeats=5 if self.again.value else 1, seed=seed,
            open_end=self.open_end.value,
        )  # fmt: skip
        self._show()

    def say(self, announced):
        """Announce, or pass, and go on to the next round."""
        if not self.game.over:
            self.game = self.game.say(announced)
            self._show()

    def stop(self):
        """End the game early, if that is allowed."""
        if self.open_end.value and not self.game.over:
            self.game = self.game.stop()
            self._show()

    def _show(self):
        for button in self.says:
            button.disabled = self.game.over
        self.ends.disabled = self.game.over or not self.open_end.value
        self.words.value = "".join(f"<p>{line}</p>" for line in told(self.game))

    def _repr_mimebundle_(self, **kwargs):
        words = " ".join(list(told(self.game))[1:])
        line = f'play("{self.game.stage}"): run this line to play {self.game.rounds} rounds.'
        shown = a_rule_that_plays(stage=self.game.stage, rounds=10_000)
        data = {
            **super()._repr_mimebundle_(**kwargs),
            "text/plain": f"{line}\n{words}",
            "image/png": base64.b64encode(png(captioned(shown), level=6)).decode(),
        }
        return data, {"image/png": {"width": 600, "alt": f"{line} {shown['sentence']}"}}


def told(game):
    """A game in sentences: the answers of the round, the score, the verdict."""
    low, high = game.interval
    if game.over:
        first = f"The game is over after {len(game.said)} rounds."
    else:
        answers = ", ".join(map(_answer, game.answers))
        first = f"Round {len(game.said) + 1} of {game.rounds}. The mechanism says: <b>{answers}</b>"
    yield first
    score = f"Right in {game.right} of {game.announced} announcements"
    if game.announced:
        score += f", so between {low:.3f} and {high:.3f} (95%)"
    yield f"{score}; allowed are {game.line:.3f}."
    if game.stopped:
        yield "You stopped when you liked: so the interval proves nothing."
    elif game.over:
        yield "Convicted: it is not private." if game.convicted else "No proof of a leak."


def _answer(answer):
    if answer is ABOVE or answer is BELOW:
        return str(answer)
    return str(int(answer)) if isinstance(answer, bool) else f"{answer:.2f}".replace("-", "−")


def play(stage="randomised response", *, rounds=ROUNDS, seed=0):
    """A game at this level; the rounds are fixed before the first."""
    return Table(stage, rounds=rounds, seed=seed)
