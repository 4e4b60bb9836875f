"""The exercises of notebook 10: a rule for the dashboard, a budget for shares, a tempting promise."""

import math

from course_lib.checks.engine import Choice, Function, NotYet, Slip, Value, brief, plain_run
from course_lib.checks.solutions import choosing_a_mechanism as solutions
from course_lib.lab.noise import generator

NAMES = ("answers", "histogram", "guess")


def _word(result):
    """One of NAMES, however it is written."""
    word = result.strip().lower() if isinstance(result, str) else None
    if word not in NAMES:
        raise NotYet(f"your function returned {brief(result)}; return one of {', '.join(NAMES)}.")
    return word


def _tasks():
    """Tasks on both sides of each border: k² = 2|X|, √2 k = εn/2 and 2√|X| = εn/2, never on it."""
    for size in (32, 256, 2**18):
        for factor in (0.3, 0.6, 0.9, 1.1, 1.3, 1.8, 4):
            yield max(1, round(factor * math.sqrt(2 * size))), size, 10**8, 0.5
    for factor in (0.2, 0.4, 0.6, 0.9, 1.1, 1.6, 3, 10):
        yield 8, 2**20, round(factor * 2 * math.sqrt(2) * 8 / 0.1), 0.1
        yield 10**6, 256, round(factor * 4 * math.sqrt(256) / 2.5), 2.5
    rng = generator(3)
    for _ in range(12):
        size, k = 2 ** int(rng.integers(3, 20)), int(rng.integers(1, 2000))
        yield k, size, int(10 ** rng.uniform(1, 6)), float(rng.uniform(0.05, 4))


_ANSWERS = "math.sqrt(2) * num_queries / (epsilon * n)"
_TABLE = "math.sqrt(universe_size / 2) * math.sqrt(2) * 2 / (epsilon * n)"
check_choice = Function(
    solutions.my_choice,
    _tasks,
    [
        Slip("each answer could have all of ε. The answers share it.", {_ANSWERS: "math.sqrt(2) / (epsilon * n)"}),
        Slip("a share added up all |X| noisy counts, and not half of them.", {"universe_size / 2": "universe_size"}),
        Slip("a share were one noisy count, and not a sum of |X|/2 of them.", {"math.sqrt(universe_size / 2) * ": ""}),
        Slip("a row that is replaced moved one count only. It leaves one and enters another.", {"math.sqrt(2) * 2 /": "math.sqrt(2) /"}),
        Slip("noises added up like the counts. They partly cancel: it is variances that add.", {"math.sqrt(universe_size / 2)": "universe_size / 2"}, 2),
        Slip("the scale of the noise on the answers were its standard deviation.", {_ANSWERS: "num_queries / (epsilon * n)"}, 2),
        Slip("the scale of the noise on the counts were its standard deviation.", {"* math.sqrt(2) * 2": "* 2"}, 2),
        Slip("there were no guess. Where the noise is larger than ½, looking at no data is better.", {'        "guess": 0.5,\n': ""}),
        Slip("counts were asked for, and not shares: divide by n.", {_ANSWERS: "math.sqrt(2) * num_queries / epsilon", _TABLE: "math.sqrt(universe_size / 2) * math.sqrt(2) * 2 / epsilon"}),
        Slip("ε were always 1.", {_ANSWERS: "math.sqrt(2) * num_queries / n", _TABLE: "math.sqrt(universe_size / 2) * math.sqrt(2) * 2 / n"}),
        Slip("the largest error were wanted, and not the smallest.", {"min(off": "max(off"}),
        Slip("the histogram shared ε among the questions. It is released once, and the rest is free.", {"* 2 / (epsilon * n)": "* 2 * num_queries / (epsilon * n)"}),
        Slip("the noise on the answers grew with √k: that is the independent sum of k noises, not the scale each of them needs.", {_ANSWERS: "math.sqrt(2 * num_queries) / (epsilon * n)"}),
    ],
    run=plain_run(_word),
    praise="the border is at k = √(2|X|): 22 or 23 questions for 256 kinds of rows, whatever n and ε "
    "are. Those decide only whether a guess is better than either.",
)  # fmt: skip


check_shares = Value(
    "shares_in_budget",
    solutions.shares_in_budget,
    praise="the error grows a little faster than k, as k ln k: the noise of each answer is k times "
    "as wide, and the largest of k noises lies further out.",
    slips={
        16: "16 shares are typically off by 0.00250, which is more than 0.0024.",
        14: "a union bound says 14. The median of the largest of k independent noises has a closed "
        "form, and it allows more.",
        69: "that is for the typical error of one answer. The largest of k has to be within 0.0024.",
        48: "that is for the mean error of one answer. The largest of k has to be within 0.0024.",
        9: "that is for all but 5% of the runs. Typical means half of the runs here.",
    },
    otherwise=lambda given: (
        "a whole number of shares is asked for."
        if given != int(given)
        else f"{given:,.0f} shares are typically off by {_typical(given):.3g}: "
        + ("too much." if given > 15 else "there is room for more.")
        if given > 0
        else "some shares can be published."
    ),
)


def _typical(k):
    return -k * math.log(1 - 0.5 ** (1 / k)) / 20_190


check_tempting = Choice(
    "run_small_db",
    {
        "a": "0.131 is below the guess, but the guess is only one of two baselines. What is the other "
        "one off by?",
        "b": "the accuracy lemma is proved, and 0.131 is what it promises at the best α. Being true "
        "does not make it useful here.",
        "c": "noise on the table promises 0.0097, 13 times less, and takes a "
        "millisecond. SmallDB pays off where the table is too large to be noised, with many "
        "questions and many rows.",
        "d": "so does noise on the table: every answer comes from one noised histogram, and they "
        "agree with each other.",
        "e": "SmallDB chooses one database and pays ε once; its 255 answers cost nothing more.",
    },
    right="c",
)
