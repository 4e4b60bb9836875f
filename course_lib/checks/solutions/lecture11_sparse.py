"""Solutions to the exercises of notebook 03; tools/refresh.py copies them into its folded cells."""

import math

from scipy.integrate import quad


# The number’s own noise is the same on D and D′; what differs is how likely m times ⊥ come together
# with a T̂ that lies below the number. Factors that do not depend on z cancel.
def my_log_ratio(m, number, cutoff, epsilon):
    def joint(z, value):
        x = (z - value) * epsilon / (2 * cutoff)
        below = math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2
        return math.exp(-abs(z) * epsilon / 2) * below**m

    here, there = (quad(joint, -math.inf, number, args=(v,), epsabs=0)[0] for v in (0, 1))
    return math.log(here / there)


# A number says two things: what its noise was, and that T̂ lies below it. Step (b) has the first.
which_step = "b"

# m · 0.5 / (2 · 3) is more than 10 · 0.5 as soon as m is more than 60.
breaks_at = 61
