"""The attacker's game played by hand: three buttons, and the state of the game in plain words."""

import base64
import gc

from ipywidgets import HTML, Box, Button, Dropdown, Layout, ToggleButton, VBox

from course_lib.demos.attackers_game import a_rule_that_plays
from course_lib.demos.drawing import DOTS_PER_INCH, PIXELS_PER_INCH, captioned, png
from course_lib.exact.attackers_game import LEVELS
from course_lib.lab.attackers_game import Game
from course_lib.support.answers import ABOVE, BELOW

ROUNDS = 50
# Without a kernel one sentence in place of a broken link on every button; large words in class.
STYLE = """<style>
.workbook-game p { margin: 0 0 4px; line-height: 1.4; }
.workbook-game .jupyter-widgets-disconnected::before { content: none; }
.workbook-game.jupyter-widgets-disconnected::before {
  content: "Run the cell above to play."; font: italic 14px system-ui, sans-serif;
  color: var(--jp-ui-font-color1); padding: 4px;
}
.jp-mod-presentationMode .workbook-game {
  --jp-widgets-font-size: 18px; --jp-widgets-inline-height: 36px;
}
</style>"""


class Table(VBox):
    """Buttons for the announcements; Tab and Enter are enough to play. On a page: a picture and the line."""

    def __init__(self, stage="randomised response", *, rounds=ROUNDS, seed=0):
        self._rounds, self._seed = rounds, seed
        self.words = HTML(layout=Layout(min_height="72px", width="auto"))
        self.stage = Dropdown(
            options=list(LEVELS), value=stage, description="Level",
            layout=Layout(max_width="100%"), style={"description_width": "auto"},
        )  # fmt: skip
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
        others = [self.renew, self.again, self.open_end, self.ends]
        for button in (*self.says, *others):
            button.layout = Layout(width="auto", min_width="130px")
        wrap = Layout(flex_flow="row wrap")
        style = HTML(STYLE, layout=Layout(display="none"))
        rows = [Box(self.says, layout=wrap), Box(others, layout=wrap)]
        super().__init__([style, self.stage, self.words, *rows])
        self.add_class("workbook-game")
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
        shown = a_rule_that_plays(stage=self.game.stage, rounds=10_000)
        starts = f'play("{self.game.stage}"): run this line to play {self.game.rounds} rounds.'
        alt = f"{starts} Here a written rule plays. {shown['sentence']}"
        image = png(captioned(shown | {"sentence": alt}), level=6)
        gc.collect()  # a figure is made of circles, which would stay for long
        sides = (int.from_bytes(image[at : at + 4], "big") for at in (16, 20))
        width, height = (round(side * PIXELS_PER_INCH / DOTS_PER_INCH) for side in sides)
        data = {"text/plain": alt, "image/png": base64.b64encode(image).decode()}
        data = {**super()._repr_mimebundle_(**kwargs), **data}
        return data, {"image/png": {"width": width, "height": height, "alt": alt}}


def told(game):
    """A game in sentences: the answers of the round, the score, the verdict."""
    low, high = game.interval
    if game.over:
        first = f"The game is over after {_counted(len(game.said), 'round')}."
    else:
        answers = _answers(game)
        first = f"Round {len(game.said) + 1} of {game.rounds}. The mechanism says: <b>{answers}</b>"
    yield first
    score = f"Right in {game.right} of {_counted(game.announced, 'announcement')}"
    if game.announced:
        score += f", so between {low:.3f} and {high:.3f} (95%)"
    yield f"{score}; allowed are {game.line:.3f}."
    if game.stopped:
        yield "You stopped when you liked: so the interval proves nothing."
    elif game.over:
        yield "Convicted: it is not private." if game.convicted else "No proof of a leak."


def _answers(game):
    """What the mechanism says; Stoddard's answers in pairs."""
    said = list(map(_answer, game.answers))
    if game.stage == "Stoddard":
        said = [one + other for one, other in zip(said[::2], said[1::2], strict=True)]
    return ", ".join(said)


def _counted(number, what):
    return f"{number} {what}" + "s" * (number != 1)


def _answer(answer):
    if answer is ABOVE or answer is BELOW:
        return str(answer)
    return str(int(answer)) if isinstance(answer, bool) else f"{answer:.2f}".replace("-", "−")


def play(stage="randomised response", *, rounds=ROUNDS, seed=0):
    """A game at this level; the rounds are fixed before the first."""
    return Table(stage, rounds=rounds, seed=seed)
