"""Rules of the attacker's game: some that do not convict, and one in another style."""

import numpy as np

from course_lib.support.answers import BELOW


def with_numpy(answers):
    low = len(answers) > 2 and answers[-1] is not BELOW and answers[-1] < 0
    return np.bool_(True) if low else None


WRONG = {
    "my_rule": {
        "always passes": lambda answers: None,
        "a word": lambda answers: "poor",
        "always guesses well": lambda answers: len(answers) > 2,
    }
}
RIGHT = {"my_rule": {"with NumPy’s bool": with_numpy}}
