"""Solutions to the exercises of notebook 02; tools/refresh.py copies them into its folded cells."""

import numpy as np

from course_lib.support.answers import ABOVE, BELOW


# The c thresholds pay share·ε for shifts of 1, and the c ⊤ pay the rest for shifts of 2.
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


# Finding is Sparse with (1 - share)·ε. A number has no threshold to pay for, so each of the c
# numbers hides a shift of 1 only, at a cost of share·ε/c.
def my_numeric_sparse(data, queries, *, threshold, cutoff, share, epsilon, rng):
    for_finding = (1 - share) * epsilon
    threshold_scale, query_scale = 2 * cutoff / for_finding, 4 * cutoff / for_finding
    noisy_threshold = threshold + rng.laplace(scale=threshold_scale)
    count = 0
    for query in queries:
        value = query(data)
        if value + rng.laplace(scale=query_scale) < noisy_threshold:
            yield BELOW
            continue
        yield value + rng.laplace(scale=cutoff / (share * epsilon))
        count += 1
        if count == cutoff:
            return
        noisy_threshold = threshold + rng.laplace(scale=threshold_scale)


# √(32c ln(1/δ)) < 2c when c > 8 ln(1/δ), which is 110.52 for δ = 10⁻⁶.
# NumericSparse finds with less noise from 100 on already: with a δ, finding has more of ε.
pays_from = int(np.floor(8 * np.log(1 / 1e-6))) + 1

# The number misses by more than α with probability e^(−α/(√8 x)) = (4k/β)^(−1/√8).
# That is more than β as long as 4k/β < (1/β)^√8.
# So it is 59. From 425 on the number misses with probability β/2 at most, as the proof asks.
printed_fails_up_to = int(0.05 * 20 ** np.sqrt(8) / 4)
