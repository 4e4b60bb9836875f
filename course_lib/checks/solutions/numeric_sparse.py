"""Solutions to the exercises of notebook 02; tools/refresh.py copies them into its folded cells."""

import numpy as np

from course_lib.support.answers import ABOVE, BELOW


def my_sparse(data, queries, *, threshold, cutoff, share, epsilon, rng):
    threshold_scale = cutoff / (share * epsilon)
    query_scale = 2 * cutoff / ((1 - share) * epsilon)
    noisy_threshold = threshold + rng.laplace(scale=threshold_scale)
    count = 0
    for query in queries:
        if query(data) + rng.laplace(scale=query_scale) < noisy_threshold:
            yield BELOW
            continue
        yield ABOVE
        count += 1
        if count == cutoff:
            return
        noisy_threshold = threshold + rng.laplace(scale=threshold_scale)


# √(32c ln(1/δ)) < 2c when c > 8 ln(1/δ), which is 110.52 for δ = 10⁻⁶.
pays_from = int(np.floor(8 * np.log(1 / 1e-6))) + 1
