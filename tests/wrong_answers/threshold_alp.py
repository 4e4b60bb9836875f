"""More answers to the exercises on Threshold-ALP."""

from course_lib.checks.solutions import threshold_alp as solutions

WRONG = {
    "my_threshold": {
        "not the last entry": lambda values, level, epsilon, rng: {
            i: x
            for i, x in solutions.my_threshold(values, level, epsilon, rng).items()
            if i < len(values) - 1 or len(values) == 1
        },
        "the scale a quarter too wide": lambda values, level, epsilon, rng: solutions.my_threshold(
            values, level, 0.8 * epsilon, rng
        ),
        "noise of two decimals": lambda values, level, epsilon, rng: {
            i: x
            for i, x in enumerate(
                values + rng.laplace(scale=1 / epsilon, size=len(values)).round(2)
            )
            if x >= level
        },
        "the level itself": lambda *given: dict.fromkeys(solutions.my_threshold(*given), given[1]),
    },
    "my_look_up": {"a list of pairs": lambda indices, kept, estimate: list(kept.items())},
    "my_level": {"a part too low": lambda *given: 0.999 * solutions.my_level(*given)},
}
