"""The solution to the exercise of the attacker's game; tools/refresh.py copies it into cells."""

from course_lib.support.answers import BELOW


# Each ⊥ says that T̂ is high, and a number that it is at most that: rare together, and telling.
def my_rule(answers):
    *below, last = answers
    if len(below) >= 2 and last is not BELOW and last <= 0.5:
        return True
    return None
