"""Rules of the attacker's game that do not convict."""

from course_lib.support.answers import BELOW

WRONG = {
    "my_rule": {
        "always passes": lambda answers: None,
        "a coin of its own": lambda answers: len(answers) % 2 == 0,
        "too careful": lambda answers: (
            True if len(answers) == 5 and answers[-1] is not BELOW and answers[-1] < -8 else None
        ),
        "a word": lambda answers: "poor",
        "always guesses well": lambda answers: len(answers) > 2,
    }
}
