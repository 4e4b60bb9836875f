"""Solutions to the exercises of notebook 10; tools/refresh.py copies them into its folded cells."""

import math


# A sum of |X|/2 noises has |X|/2 times the variance of one, and Lap(b) has variance 2b².
def my_choice(num_queries, universe_size, n, epsilon):
    off = {
        "answers": math.sqrt(2) * num_queries / (epsilon * n),
        "histogram": math.sqrt(universe_size / 2) * math.sqrt(2) * 2 / (epsilon * n),
        "guess": 0.5,
    }
    return min(off, key=off.get)


# The largest k with −k ln(1 − 2^(−1/k)) ≤ 0.0024 · 20,190: 15 gives 46.5, 16 gives 50.6.
shares_in_budget = 15

# Promise against promise, the table is 13 times better (0.0097), and it can be run.
# Its answers agree too: all are sums of the same noisy counts. SmallDB pays only once, too.
run_small_db = "c"
