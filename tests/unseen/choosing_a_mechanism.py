"""Answers to the exercises of notebook 10 in other styles."""

import numpy as np


def by_variance(num_queries, universe_size, n, epsilon):
    unit = (epsilon * n) ** 2
    variances = np.array([2 * num_queries**2, 4 * universe_size, unit / 4]) / unit
    return ["answers", "histogram", "guess"][int(np.argmin(variances))]


def by_borders(num_queries, universe_size, n, epsilon):
    noisy = "Histogram" if num_queries * num_queries > 2 * universe_size else "Answers"
    least = min(num_queries * 2**0.5, 2 * universe_size**0.5)
    return "Guess" if 2 * least > epsilon * n else noisy


def noiseless(num_queries, universe_size, n, epsilon):
    return "answers" if num_queries < universe_size else "histogram"


def many_rows(num_queries, universe_size, n, epsilon):
    return "histogram" if n > universe_size else "answers"


RIGHT = {
    "my_choice": {"by variance": by_variance, "by borders": by_borders},
    "shares_in_budget": {"a float": 15.0, "an array": np.array([15])},
    "run_small_db": {"in brackets": "(C)"},
}
WRONG = {"my_choice": {"k against |X|": noiseless, "n against |X|": many_rows}}
