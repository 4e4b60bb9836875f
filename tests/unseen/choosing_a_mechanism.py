"""Answers to the exercises of notebook 10: wrong ones, and right ones in unusual styles."""

import numpy as np


def rows_decide(num_queries, universe_size, n, epsilon):
    return "guess" if n < 100 else "answers" if num_queries**2 < 2 * universe_size else "histogram"


def by_borders(num_queries, universe_size, n, epsilon):
    noisy = "Histogram" if num_queries * num_queries > 2 * universe_size else "Answers"
    least = min(num_queries * 2**0.5, 2 * universe_size**0.5)
    return "Guess" if 2 * least > epsilon * n else noisy


WRONG = {
    "my_choice": {
        "the border of the survey": lambda k, *given: "answers" if k <= 22 else "histogram",
        "a number of rows in place of εn": rows_decide,
        "an index": lambda *given: 0,
    },
    "shares_in_budget": {"not whole": 15.4},
}
RIGHT = {
    "my_choice": {"by borders, capitals": by_borders},
    "shares_in_budget": {"an array": np.array([15])},
    "run_small_db": {"in brackets": "(C)"},
}
