"""Answers to the exercises of notebook 04 that an earlier check has met."""

from course_lib.checks.solutions.is_it_private import my_repaired
from course_lib.support.answers import ABOVE, BELOW
from tests.wrong_answers.dependent import NOISES, dependent


def of_repaired(cutoff, n, shares, epsilon):
    first, second, third = (1 / (share * epsilon * n) for share in shares)
    return first, 2 * cutoff * second, cutoff * third


def scaled(*factors):
    """The repair with its three scales off by these factors."""

    def answer(*args, shares, **given):
        shares = [share / factor for share, factor in zip(shares, factors, strict=True)]
        return my_repaired(*args, shares=shares, **given)

    return answer


def numbers(change):
    """Each number changed by a function of it."""

    def answer(*args, **given):
        for each in my_repaired(*args, **given):
            yield each if each is BELOW else change(each)

    return answer


def shares_turned(*args, shares, **given):
    return my_repaired(*args, shares=(*shares[1:], shares[0]), **given)


def remembers(data, queries, **given):
    """A number, once given for a value, is given again."""
    values, known = [], {}
    asked = (values.append(query(data)) or query for query in queries)
    for answer in my_repaired(data, asked, **given):
        yield answer if answer is BELOW else known.setdefault(values[-1], answer)


def never_below_the_threshold(*args, threshold, **given):
    for each in my_repaired(*args, threshold=threshold, **given):
        yield each if each is BELOW else max(each, threshold)


def noise_of_two_decimals(data, queries, **given):
    values = []
    asked = (values.append(query(data)) or query for query in queries)
    for each in my_repaired(data, asked, **given):
        yield each if each is BELOW else values[-1] + round(each - values[-1], 2)


def reads_ahead(data, queries, **given):
    values = [query(data) for query in queries]
    yield from my_repaired(None, [lambda data, value=value: value for value in values], **given)


WRONG = {
    "my_repaired": {
        "threshold noise a quarter too wide": scaled(1.25, 1, 1),
        "comparisons a fifth too narrow": scaled(1, 0.8, 1),
        "numbers a quarter too wide": scaled(1, 1, 1.25),
        "shares turned": shares_turned,
        "numbers remembered": remembers,
        "never below the threshold": never_below_the_threshold,
        "reads ahead": reads_ahead,
        "noise of two decimals": noise_of_two_decimals,
        "clipped": numbers(lambda number: min(max(number, 0.0), 1.0)),
        "rounded to one decimal": numbers(lambda number: round(number, 1)),
        "no number": numbers(lambda number: float("nan")),
        "⊤ and number": numbers(lambda number: (ABOVE, number)),
        **{
            words: dependent(noises, of_repaired, redrawn=False) for words, noises in NOISES.items()
        },
    },
}
