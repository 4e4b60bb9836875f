"""Solutions to the exercises of notebook 04; tools/refresh.py copies them into its folded cells."""

import math

from course_lib.lab.confidence import clopper_pearson
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


def my_bound(hits, neighbour_hits, runs):
    low, _ = clopper_pearson(hits, runs)
    _, high = clopper_pearson(neighbour_hits, runs)
    return max(0.0, math.log(low / high)) if low > 0 else 0.0


def my_loss(threshold_scale, query_scale, number_scale, cutoff, redrawn):
    thresholds = cutoff if redrawn else 1
    loss = thresholds / threshold_scale + 2 * cutoff / query_scale
    return loss if number_scale is None else loss + cutoff / number_scale
