"""Answers to the exercises of notebook 03 that are right for some outputs."""

from course_lib.checks.solutions.lecture11_sparse import my_log_ratio


def no_more_than_epsilon(m, number, cutoff, epsilon):
    return min(epsilon, my_log_ratio(m, number, cutoff, epsilon))


def low_numbers_alone(m, number, cutoff, epsilon):
    return my_log_ratio(m, min(number, 1), cutoff, epsilon)


WRONG = {
    "my_log_ratio": {
        "as the theorem has it": no_more_than_epsilon,
        "right for numbers of at most 1": low_numbers_alone,
        "m is 1": lambda m, number, cutoff, epsilon: m * my_log_ratio(1, number, cutoff, epsilon),
    },
    "breaks_at": {"a long way": 10_000},
}
