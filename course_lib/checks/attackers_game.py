"""The exercise of the attacker's game: a rule that convicts Lecture 11 as printed, by passing."""

from course_lib.checks.engine import Function, NotYet, Slip, brief, patience
from course_lib.checks.solutions import attackers_game as solutions
from course_lib.lab.attackers_game import Game, dealt
from course_lib.support.answers import BELOW

STAGE, ROUNDS, LEAST = "Lecture 11, as printed", 100_000, 200


def _announced(result):
    """True, False or None, however Python writes them."""
    if result is None or result is True or result is False:
        return result
    if type(result).__name__ in ("bool", "bool_"):
        return bool(result)
    raise NotYet(f"your rule returned {brief(result)}. Announce True or False, or pass with None.")


def _rounds():
    return [(each,) for each in dealt(STAGE, rounds=ROUNDS, epsilon=1.0, seed=1)[1]]


class Attack(Function):
    """A rule is right if it convicts the mechanism in ROUNDS rounds; many rules do."""

    def judge(self, answer):
        with patience() as limited:
            limited(
                self.observed, answer, ((BELOW,) * 5,)
            )  # a stub ends here: the rounds take memory
            said = limited(lambda: [self.observed(answer, case) for case in self.cases])
        fault = next((each for each in said if isinstance(each, NotYet)), None)
        if fault is not None:
            raise fault
        game = Game(STAGE, rounds=ROUNDS, seed=1, said=tuple(said))
        if game.announced >= LEAST and game.convicted:
            return self.praise
        self.name_it(lambda function: self._agree(said, self.seen(function)))
        if game.announced < LEAST:
            raise NotYet(
                f"in {ROUNDS:,} rounds it speaks {game.announced} times, and {LEAST} are asked for. "
                "Which other transcripts tell almost as much?"
            )
        low, high = game.interval
        raise NotYet(
            f"it speaks in {game.announced:,} of {ROUNDS:,} rounds and is right in {low:.3f} to "
            f"{high:.3f} of them (95%). Any private mechanism allows 0.731."
        )


_TEST = "len(below) >= 2 and last is not BELOW and last <= 0.5"
check_rule = Attack(
    solutions.my_rule,
    _rounds,
    [
        Slip("it always announced True. Pass unless the answers tell much.", {_TEST: "True"}),
        Slip("True and False were exchanged: each ⊥ speaks for the secret True.", {"return True": "return False"}),
        Slip("the number did not matter. A large one says nothing of T̂.", {" and last <= 0.5": ""}, 2),
        Slip("the ⊥ did not matter. It is they that speak for the secret.", {"len(below) >= 2 and ": ""}),
        Slip("silence told much. Five times ⊥ come often, whatever the secret is.", {_TEST: "last is BELOW"}, 2),
        Slip("one ⊥ were enough. Each ⊥ multiplies the odds by e^½ at most.", {">= 2": ">= 1"}, 2),
        Slip("it never passed: otherwise it announced False.", {"return None": "return False"}),
    ],
    run=lambda rule, case: _announced(rule(*case)),
    praise="its interval lies above 0.731, so the mechanism is not private at ε = 1. It speaks in few "
    "rounds: privacy is about the worst output, not about the average.",
)  # fmt: skip
