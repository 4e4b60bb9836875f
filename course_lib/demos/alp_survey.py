"""The figure of notebook 08 on real data: how many rows of the survey have each profile."""

import functools

import numpy as np

from course_lib.alp import (
    alp_expected_error,
    alp_levels,
    alp_projection,
    alp_scale,
    alp_zero_error,
    threshold_alp_expected_error,
    threshold_alp_projection,
    threshold_error,
    threshold_level,
    threshold_release,
)
from course_lib.demos.alp_price import array_bytes, in_bytes
from course_lib.demos.alp_style import THRESHOLDED
from course_lib.demos.drawing import MEASURED, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.lab.profiles import CODES, survey_profiles

# Chosen before the rows were counted, as the cap is: how many profiles occur is private. If it
# were more than this, privacy would hold all the same.
SPARSITY, SIZE = 10_000, 40_000
LOAD = SPARSITY / SIZE
ENTRIES, ZEROS = 2000, 1000  # looked up in a release, if there are as many
BOTH = "Thresh-ALP"  # Threshold-ALP, half of epsilon for either part
CLOUD = MEASURED | {"markersize": 4, "alpha": 0.25, "markeredgewidth": 0}


@functools.cache
def profiles(codes):
    """The vector, and what of it is looked up: some of its entries, and some zeros."""
    indices, counts, dimension = survey_profiles(*list(CODES)[:codes])
    rng = np.random.default_rng(0)
    some = np.sort(rng.permutation(len(indices))[:ENTRIES])
    zeros = np.setdiff1d(rng.integers(dimension, size=2 * ZEROS), indices)
    zeros = rng.permutation(zeros)[:ZEROS]
    return (indices, counts, dimension), (indices[some], counts[some]), zeros


@functools.lru_cache(64)
def released(codes, mechanism, neighbours, epsilon, alpha, cap, seed):
    """Estimates for the entries and the zeros that are looked up, and the bytes of the release."""
    (indices, counts, dimension), (places, _), zeros = profiles(codes)
    at = {"dimension": dimension, "rng": np.random.default_rng(seed)}
    embedding = at | {"sparsity": SPARSITY, "size": SIZE, "alpha": alpha}
    if mechanism == "ALP":
        embedding |= {"cap": cap, "epsilon": epsilon, "neighbours": neighbours}
        release = alp_projection(indices, counts, **embedding)
    elif mechanism == BOTH:
        half = {"epsilon1": epsilon / 2, "epsilon2": epsilon / 2}
        release = threshold_alp_projection(indices, counts, **embedding, **half)
    else:
        level = threshold_level(dimension=dimension, epsilon=epsilon)
        kept = threshold_release(indices, counts, level=level, epsilon=epsilon, **at)
        return kept.look_up(places), kept.look_up(zeros), array_bytes(kept._asdict())
    return release.estimate(places), release.estimate(zeros), array_bytes(release.fields())


def promised(counts, dimension, mechanism, neighbours, epsilon, alpha, cap):
    """The expected error for each of the counts: exact for Threshold, else at most this."""
    counts = np.asarray(counts, float)
    if mechanism == "Threshold":
        level = threshold_level(dimension=dimension, epsilon=epsilon)
        return threshold_error(counts, level=level, epsilon=epsilon)
    at = {"load": LOAD, "alpha": alpha}
    if mechanism == BOTH:
        half = {"epsilon1": epsilon / 2, "epsilon2": epsilon / 2}
        return threshold_alp_expected_error(counts, dimension=dimension, **at, **half)
    at["epsilon"] = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    positive = alp_expected_error(**at) + np.maximum(0, counts - cap)
    return np.where(counts > 0, positive, alp_zero_error(**at))


def scattered(counts):
    """The counts, a little to the left or right, so that fewer dots hide each other."""
    shift = np.random.default_rng(0).uniform(-1, 1, len(counts))
    return np.where(counts > 0, counts * np.exp(0.12 * shift), 0.3 * shift)


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
        (indices, _, dimension), (_, counts), places = profiles(codes)
        at = (mechanism, neighbours, epsilon, alpha, cap)
        found, empty, size = released(codes, *at, seed)
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
