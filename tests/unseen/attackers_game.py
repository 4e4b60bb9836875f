"""Rules of the attacker's game in other styles."""

import numpy as np

from course_lib.support.answers import BELOW


def by_counting(answers):
    waits = sum(answer is BELOW for answer in answers)
    numbers = [answer for answer in answers if answer is not BELOW]
    return True if waits >= 3 and numbers and numbers[0] < 1 else None


def with_numpy(answers):
    return (
        np.bool_(True)
        if len(answers) > 2 and answers[-1] is not BELOW and answers[-1] < 0
        else None
    )


RIGHT = {"my_rule": {"by counting": by_counting, "with NumPy’s bool": with_numpy}}
WRONG = {"my_rule": {"the last is a number": lambda a: True if a[-1] is not BELOW else None}}
