"""Solutions to the exercises of notebook 04; tools/refresh.py copies them into its folded cells."""

from course_lib.support.answers import ABOVE, BELOW


def my_repaired(data, queries, *, n, threshold, cutoff, shares, epsilon, rng):
    for_threshold, for_queries, for_numbers = (share * epsilon * n for share in shares)
    noisy_threshold = threshold + rng.laplace(scale=1 / for_threshold)
    count = 0
    for query in queries:
        value = query(data)
        if value + rng.laplace(scale=2 * cutoff / for_queries) < noisy_threshold:
            yield BELOW
            continue
        yield value + rng.laplace(scale=cutoff / for_numbers)
        count += 1
        if count == cutoff:
            return


# 20 values move up and are answered ⊥, two move down and are answered ⊤.
my_pair = (
    [0] * 20 + [1] * 2,
    [1] * 20 + [0] * 2,
    [BELOW] * 20 + [ABOVE] * 2,
)
