"""The figure of notebook 08 on real data: how many rows of the survey have each profile."""

import numpy as np

from course_lib.alp import alp_levels
from course_lib.demos.alp_price import in_bytes
from course_lib.demos.alp_style import THRESHOLDED
from course_lib.demos.drawing import MEASURED, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import alp_error_bound
from course_lib.lab.profiles import profile_sample, scattered
from course_lib.lab.threshold_alp import survey_estimates
from course_lib.threshold_alp import (
    threshold_alp_expected_error,
    threshold_error,
    threshold_level,
)

# Chosen before the rows were counted, as the cap is: how many profiles occur is private. If it
# were more than this, privacy would hold all the same.
SPARSITY, SIZE = 10_000, 40_000
LOAD = SPARSITY / SIZE
BOTH = "Thresh-ALP"  # Threshold-ALP, half of epsilon for either part
CLOUD = MEASURED | {"markersize": 4, "alpha": 0.25, "markeredgewidth": 0}


def promised(counts, dimension, mechanism, neighbours, epsilon, alpha, cap):
    """The expected error for each of the counts: exact for Threshold, else at most this."""
    if mechanism == "Threshold":
        level = threshold_level(dimension=dimension, epsilon=epsilon)
        return threshold_error(counts, level=level, epsilon=epsilon)
    if mechanism == "ALP":
        return alp_error_bound(
            counts, load=LOAD, cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours
        )
    half = epsilon / 2
    return threshold_alp_expected_error(
        counts, dimension=dimension, load=LOAD, alpha=alpha, epsilon1=half, epsilon2=half
    )


@demo(
    codes=([5, 6, 7], 6),
    mechanism=(["ALP", "Threshold", BOTH], "ALP"),
    neighbours=(["l1", "histogram"], "l1"),
    epsilon=(nice(0.2, 2.0), 1.0),
    alpha=([2.0, 3.0, 4.0, 5.0, 7.0, 10.0], 3.0),
    cap=([10, 15, 20, 30, 40, 50], 50),
    seed=0,
    size=(7.2, 4.1),
)
def profiles_of_the_survey(fig):
    """Estimated against true counts of survey profiles; one row, a person-year, is protected."""
    ax = fig.subplots()
    ax.set_xscale("symlog", linthresh=1)
    ax.set_yscale("symlog", linthresh=1)
    ax.set(xlim=(-0.6, 1000), ylim=(-0.3, 2000))
    ax.set(xlabel="true count (rows; logarithmic from 1 on)", ylabel="estimate")
    for set_ticks in (ax.set_xticks, ax.set_yticks):
        set_ticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
        set_ticks([], minor=True)
    ax.plot([0, 1000], [0, 1000], color="0.5", linewidth=1.2, label="right")
    entries = line(ax, "profiles that occur", CLOUD)
    zeros = line(ax, "zeros", CLOUD | {"color": "0.4", "marker": "^"})
    limit = ax.axhline(1, **THRESHOLDED | {"linewidth": 1.5}, label="cap or level", animated=True)
    legend = fig.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=11)
    for handle in legend.legend_handles:
        handle.set_alpha(1)

    def update(*, codes, mechanism, neighbours, epsilon, alpha, cap, seed):
        (indices, _, dimension), (_, counts), places = profile_sample(codes)
        at = (mechanism, neighbours, epsilon, alpha, cap)
        found, empty, size = survey_estimates(
            mechanism,
            codes=codes,
            sparsity=SPARSITY,
            size=SIZE,
            cap=cap,
            alpha=alpha,
            epsilon=epsilon,
            neighbours=neighbours,
            seed=seed,
        )
        nothing = np.zeros(len(places), int)
        entries.set_data(scattered(counts), found)
        zeros.set_data(scattered(nothing), empty)
        share = epsilon / 2 if mechanism == BOTH else epsilon
        level = cap if mechanism == "ALP" else threshold_level(dimension=dimension, epsilon=share)
        limit.set_ydata([level] * 2)
        scaled = {"alpha": alpha, "epsilon": share}
        scaled |= {"neighbours": neighbours} if mechanism == "ALP" else {}
        levels = alp_levels(cap=level, **scaled)
        how = {
            "ALP": f"ALP for {neighbours}, α = {alpha:g}, β = {cap}, m = {levels:.0f}",
            "Threshold": f"Threshold, always l1 (no α, no cap), level {about(level)}",
            BOTH: f"Threshold-ALP, always l1, α = {alpha:g}, β = level = {about(level)}, "
            f"m = {levels:.0f}",
        }
        public = "" if mechanism == "Threshold" else f" (promise: k = {SPARSITY:,}, s = {SIZE:,})"
        words = "{} expected" if mechanism == "Threshold" else "bound {}"
        bounds = [
            words.format(about(promised(x, dimension, *at).mean())) for x in (counts, nothing)
        ]
        errors = np.abs(found - counts).mean(), np.abs(empty).mean()
        return (
            f"d = {compact(float(f'{dimension:.3g}'))}, {len(indices):,} entries{public}, "
            f"ε = {epsilon:g}. {how[mechanism]}. Mean error of {len(counts):,} entries: "
            f"{about(errors[0])} ({bounds[0]}), of {len(places):,} zeros: "
            f"{about(errors[1])} ({bounds[1]}). {in_bytes(size)}; dense "
            f"{in_bytes(8 * dimension)}."
        )

    return update
