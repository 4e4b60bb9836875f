"""The figure of notebook 05 on samples: a few random rows answer every marginal well."""

import numpy as np

from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, MeasuredRates, line
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.lecture11_sparse import NO_USE, USELESS
from course_lib.demos.numeric_sparse import probability
from course_lib.exact.small_db import existence_alpha, sample_tails, small_db_alpha
from course_lib.lab.histograms import NAMES, survey_marginals
from course_lib.lab.small_db import SAMPLES, survey_sample_errors
from course_lib.small_db import sample_beta

SCALED = np.array([0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.8])  # α√m, about the same for every m
GRID = np.geomspace(0.004, 1, 90)
ONE_QUERY = {"color": "0.45", "linestyle": ":"}
CAP = MEASURED | {"marker": "_", "markersize": 16, "markeredgewidth": 3}
NARROW = {"handlelength": 1.7, "columnspacing": 0.8, "fontsize": 11}  # a legend with many words
SAYS_NOTHING = "1 or more: says nothing"


@demo(
    sample=(nice(5, 2000), 50),
    attributes=(range(2, len(NAMES) + 1), 3),
    seed=0,
    again="New samples",
    size=(7.2, 4.4),
)
def sample_is_enough(fig):
    """How often a sample of m rows of the survey is off by more than α on some marginal."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.004, 1.3), ylim=(1e-5, 1e3))
    ax.set(xlabel="error α", ylabel="probability: off by more than α")
    ax.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    ax.axhspan(1, 1e3, **NO_USE)
    ax.text(1.2, 480, SAYS_NOTHING, ha="right", va="center", color="0.3", fontsize=12)
    bound = line(ax, "union bound", THEOREM)
    single = line(ax, "Hoeffding, one query", ONE_QUERY)
    tails = line(ax, "sum of exact tails", EXACT)
    measured = MeasuredRates(ax)
    measured.intervals.set(zorder=2.5, linewidth=2)
    here = ax.axvline(1, ymax=5 / 8, color="0.6", linewidth=1, zorder=1.5, animated=True)
    cap = line(ax, None, CAP)  # the upper end of an interval without a dot
    point = line(ax, None, THEOREM | {"marker": "D"})
    fig.legend(loc="outside upper center", ncols=4, frameon=False, **NARROW)

    def update(*, sample, attributes, seed):
        number = 2**attributes - 1
        _, histogram, queries = survey_marginals(attributes)
        lemma = small_db_alpha(num_queries=number, size=sample)
        grid = np.sort(np.append(GRID, min(lemma, 1.0)))  # no fraction is off by more than 1
        sums = sample_tails(histogram, queries, size=sample, alpha=grid)
        bound.set_data(grid, sample_beta(num_queries=number, size=sample, alpha=grid))
        single.set_data(grid, sample_beta(num_queries=1, size=sample, alpha=grid))
        tails.set_data(grid, np.maximum(sums, 1e-30))
        errors = survey_sample_errors(attributes, size=sample, seed=seed)
        probes = np.append(SCALED / sample**0.5, lemma)
        seen = SAMPLES - np.searchsorted(errors, probes, side="right")
        shown = (seen > 0) | (probes == lemma)
        low, high = measured.place(probes[shown], seen[shown], SAMPLES)
        cap.set_data([lemma], high[-1:] if not seen[-1] else [np.nan])
        here.set_xdata([lemma] * 2)
        point.set_data([lemma], [2 / number])
        half, most = np.quantile(errors, [0.5, 0.95], method="inverted_cdf")
        empty = existence_alpha(num_queries=number, size=sample)
        exact = sums[np.searchsorted(grid, min(lemma, 1.0))]
        silent = f" Up to α = {about(empty)} it says nothing."
        return (
            f"At the existence lemma’s α = √(ln {number}/m) = {about(lemma)} exact tails sum to "
            f"{probability(exact, 1e-12)}, measured {about(low[-1])} to {about(high[-1])}; the "
            f"union bound is 2/{number} = {about(2 / number)}.{USELESS if lemma >= 1 else silent} "
            f"Half the samples are within {about(half)} on all {number} marginals, 95% within "
            f"{about(most)}."
        )

    return update
