"""Answers to the exercises of notebook 10 that come near."""


def fixed_border(num_queries, universe_size, n, epsilon):
    return "answers" if num_queries <= 22 else "histogram"


def rows_decide(num_queries, universe_size, n, epsilon):
    return "guess" if n < 100 else "answers" if num_queries**2 < 2 * universe_size else "histogram"


def index(num_queries, universe_size, n, epsilon):
    off = [2**0.5 * num_queries / (epsilon * n), 2 * universe_size**0.5 / (epsilon * n), 0.5]
    return off.index(min(off))


WRONG = {
    "my_choice": {
        "always the table": lambda k, size, n, epsilon: "histogram",
        "the border of the survey": fixed_border,
        "a number of rows in place of εn": rows_decide,
        "an index": index,
        "no return": lambda k, size, n, epsilon: None,
    },
    "shares_in_budget": {"none": 0, "all": 255, "not whole": 15.4, "eight": 8},
    "run_small_db": {letter: letter for letter in "abde"},
}
