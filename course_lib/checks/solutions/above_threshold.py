"""Solutions to the exercises of notebook 01; tools/refresh.py copies them into its folded cells."""

from course_lib.support.answers import ABOVE, BELOW


def my_above_threshold(data, queries, *, threshold, sensitivity, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 * sensitivity / epsilon)
    for query in queries:
        noise = rng.laplace(scale=4 * sensitivity / epsilon)
        if query(data) + noise >= noisy_threshold:
            yield ABOVE
            return
        yield BELOW


# α = 8 ln(2k/β) / ε doubles when 2k/β is squared: k becomes 2 k² / β.
doubled_at = 2 * 1000**2 / 0.05

# For such queries T̂ pays for a shift of 1 at scale s, and the last noise for 1 at scale 2s. That is
# 1.5/s, more than 1/s, and c computes it. Without any noise a and b are passed too; d looks at each
# scale alone, and the two prices add up.
which_test = "c"
