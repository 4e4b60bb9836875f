"""Solutions to the exercises of notebook 06; tools/refresh.py copies them into its folded cells."""

import math

import numpy as np

from course_lib.support.answers import BELOW


# The value says only which way to move; each element moves by its own weight in the query.
def my_update(hypothesis, query, value, alpha):
    sign = -1 if value < query @ hypothesis else 1
    weights = hypothesis * np.exp(sign * alpha / 2 * query)
    return weights / weights.sum()


# The second gap is Q(Dᵗ) − Q(D), so its number is taken off the guess: hence the same sign twice.
def my_answer(value, guess, sparse):
    for sign in (1, -1):
        number = sparse(sign * (value - guess))
        if number is not BELOW:
            return guess + sign * number, True
    return guess, False


# The hypothesis is made of released numbers, and with small noise no valid update is left.
after_the_last_update = "d"

# ⊥ is allowed for a gap from α to 3α, and then nothing changes: it can come back for ever.
why_not_theorem_2 = "b"


# A number costs: after it the other gap is not asked, and after the last one nothing is.
def my_online_ic(data, queries, learner, *, alpha, cutoff, epsilon, start):
    sparse, updates = start(threshold=2 * alpha, cutoff=cutoff, epsilon=epsilon), 0
    for query in queries:
        answer = guess = learner.evaluate(query)
        for sign in (1, -1):
            if updates < cutoff:
                number = sparse(sign * (query @ data - guess))
                if number is not BELOW:
                    answer, updates = guess + sign * number, updates + 1
                    learner.update(query, answer)
                    break
        yield answer


# With B(α) = 4 ln|X|/α² put in, α³ is alone on the left.
def my_alpha(n, universe_size, num_queries, beta, epsilon):
    logs = math.log(2 * num_queries) + math.log(3 / beta)
    return (48 * math.log(universe_size) * logs / (epsilon * n)) ** (1 / 3)
