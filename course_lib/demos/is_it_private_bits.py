"""The figure of notebook 04's appendix: what the last bits of a noisy count tell."""

import numpy as np

from course_lib.demos.drawing import NEIGHBOUR, VALUES, bars, line, place_bars
from course_lib.demos.explore import compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.lab.confidence import clopper_pearson, log_ratio_interval
from course_lib.lab.is_it_private import multiples, noisy_counts, on_lattice

OUTPUTS = 20_000
BITS = np.arange(34, 71)
ALL_AT_ONCE = 1 - 0.05 / (2 * len(BITS))  # confidence of each interval


@demo(epsilon=(nice(0.1, 5.0), 1.0), lattice=(range(40, 71), 70), seed=0)
def last_bits(fig):
    """The share of noisy counts that are multiples of 2^-j, when the true count is 0 and 1."""
    ax = fig.subplots()
    ax.set(xlim=(33.5, 70.5), ylim=(-0.03, 1.05))
    ax.set(xlabel="j", ylabel="share of multiples of $2^{-j}$")
    intervals = [bars(ax), bars(ax)]
    shares = [
        line(ax, "true count 0", VALUES | {"markersize": 9}),
        line(ax, "true count 1", NEIGHBOUR),
    ]
    ax.axvline(53, color="0.8", linewidth=1)
    lattice_line = ax.axvline(53, color="0.3", linestyle=":", label="lattice", animated=True)
    fig.legend(loc="outside upper center", ncols=3, frameon=False)

    def update(*, epsilon, lattice, seed):
        outputs = noisy_counts(trials=OUTPUTS, epsilon=epsilon, seed=seed)
        outputs = on_lattice(outputs, places=lattice)
        counts = np.array([multiples(outputs, places=j) for j in BITS]).T
        ends = clopper_pearson(counts, OUTPUTS, confidence=ALL_AT_ONCE)
        apart = ends[0].max(axis=0) > ends[1].min(axis=0)
        drawn = zip(shares, intervals, counts, *ends, strict=True)
        for artist, interval, count, low, high in drawn:
            artist.set_data(BITS, count / OUTPUTS)
            place_bars(interval, (BITS, low), (BITS, high))
        lattice_line.set_xdata([lattice] * 2)
        off = OUTPUTS - multiples(outputs, places=53)
        if not off.any():
            tells = "every output is a multiple of 2⁻⁵³, whatever the count: this test is blind"
        else:
            loss, _ = log_ratio_interval(*off, OUTPUTS)
            tells = (
                f"{off[0] / OUTPUTS:.0%} of the outputs are no multiple of 2⁻⁵³ if the count is "
                f"0, and {off[1] / OUTPUTS:.0%} if it is 1, so the loss is at least "
                f"{loss:.1f} (95%)"
            )
        power = str(lattice).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        where = f"{compact(OUTPUTS)} outputs each, rounded to multiples of 2⁻{power}"
        return (
            f"ε = {epsilon:g}, {where}: {tells}. The intervals of the two counts, 95% for all at "
            f"once, lie apart at {compact(np.count_nonzero(apart))} of {len(BITS)} j."
        )

    return update
