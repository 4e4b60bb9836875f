"""The figures of notebook 00: the definition, noise on counts, composition, a private choice."""

import numpy as np

from course_lib.demos.drawing import (
    EXACT,
    MEASURED,
    NEIGHBOUR,
    THEOREM,
    THRESHOLD,
    bars,
    line,
    place_bars,
)
from course_lib.demos.explore import compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.composition import affordable_runs, exact_composition_epsilon
from course_lib.exact.integral import log_density
from course_lib.lab.confidence import clopper_pearson, log_odds_interval
from course_lib.lab.data import health_queries, health_values
from course_lib.lab.toolbox import (
    MOST_RUNS,
    choices,
    neighbouring_counts,
    released_histograms,
    unit_noise,
)
from course_lib.toolbox import (
    advanced_composition,
    basic_composition,
    exponential_mechanism_law,
    exponential_mechanism_shortfall,
    laplace_alpha,
)

WIDTH, REACH = 0.5, 10  # of the bins of a histogram, and how far they go from the true count
BINS = round(2 * REACH / WIDTH)
CHOICES = 2_000
SMALL = {"markersize": 5}
PAIRS = {"again": "Another pair", "size": (7.2, 5.0)}
TRIANGLES = NEIGHBOUR | {"linestyle": "none"} | SMALL


@demo(epsilon=(nice(0.2, 2.0), 1.0), runs=(nice(100, MOST_RUNS), 20_000), seed=0, **PAIRS)
def neighbours(fig):
    """A noisy count with and without one row: both densities, and the logarithm of their ratio."""
    density, ratio = fig.subplots(2, sharex=True)
    density.set(yscale="log", ylim=(1e-3, 1.5), ylabel="density")
    ratio.set(ylim=(-3, 3), xlabel="released count", ylabel="log-ratio")
    ratio.xaxis.set_major_formatter("{x:,.0f}")
    ratio.axhline(0, color="0.8", linewidth=1)
    lines = [line(density, "with the row", EXACT)]
    lines += [line(density, "without it", NEIGHBOUR | {"marker": "none"})]
    seen = [line(density, "measured", MEASURED | SMALL), line(density, None, TRIANGLES)]
    exact = line(ratio, None, EXACT)
    promise = line(ratio, "±ε", THEOREM)
    intervals = bars(ratio)
    measured = line(ratio, None, MEASURED | SMALL)
    fig.legend(loc="outside upper center", ncols=4)

    def update(*, epsilon, runs, seed):
        query, row, counts = neighbouring_counts(seed)
        reach = counts[0] + np.array([-REACH, REACH])
        if tuple(reach) != ratio.get_xlim():
            ratio.set(xlim=reach, xticks=counts[0] + np.arange(-REACH, REACH + 1, 5))
        for curve, count in zip(lines, counts, strict=True):
            peaked = np.array([reach[0], count, reach[1]])
            curve.set_data(peaked, np.exp(log_density(peaked - count, 1 / epsilon)))
        exact.set_data([reach[0], *counts[::-1], reach[1]], epsilon * np.array([-1, -1, 1, 1]))
        promise.set_data([*reach, np.nan, *reach], epsilon * np.array([1, 1, np.nan, -1, -1]))
        middles = counts[0] + WIDTH * (np.arange(BINS) + 0.5) - REACH
        here = released_histograms(
            counts, width=WIDTH, reach=REACH, runs=runs, epsilon=epsilon, seed=seed
        )
        for dots, bins in zip(seen, here, strict=True):
            dots.set_data(middles, np.where(bins, bins / (runs * WIDTH), np.nan))
        drawn = here[0] + here[1] >= 10
        middles, first, second = middles[drawn], here[0][drawn], here[1][drawn]
        # all intervals hold at once with 95%
        ends = log_odds_interval(first, first + second, confidence=1 - 0.05 / BINS)
        low, high = np.clip(ends, -9, 9)
        with np.errstate(divide="ignore"):
            measured.set_data(middles, np.log(first / second))
        place_bars(intervals, [middles, low], [middles, high])
        wrong = np.count_nonzero((low > epsilon) | (high < -epsilon))
        return (
            f"“{query}”: {counts[0]:,} rows, {counts[1]:,} without row {row:,}. ε = {epsilon:g}: "
            f"no output is more than e^ε = {np.exp(epsilon):.3g} times as likely in one case as in "
            f"the other; in {runs:,} runs of each, {wrong} of {len(low)} intervals contradict it."
        )

    return update


@demo(epsilon=(nice(0.001, 1.0), 0.02), seed=0)
def laplace_noise(fig):
    """Counts of the health survey, true and released, with the error that is promised."""
    names, truth = _counts(0, 2, 3, 4, 7, 11, 14, 20, 22, 23)
    places = np.arange(len(truth))[::-1]
    low, high = 10, 30_000
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(low, high), ylim=(-0.6, len(truth) - 0.4), xlabel="count (rows)")
    ax.set_yticks(places, names)
    ax.tick_params(axis="y", length=0)
    ax.plot(truth, places, "|", color=EXACT["color"], markersize=17, mew=3, label="true")
    reach = bars(ax, color=THEOREM["color"], linewidth=5, alpha=0.5, label="95% of answers")
    released = line(ax, "released", MEASURED)
    lost = line(ax, None, MEASURED | {"marker": "<"})
    fig.legend(loc="outside upper center", ncols=3)

    def update(*, epsilon, seed):
        noise = unit_noise(len(truth), seed=seed) / epsilon
        radius = laplace_alpha(num_queries=1, beta=0.05, epsilon=epsilon)
        ends = np.clip([truth - radius, truth + radius], low, high)
        place_bars(reach, [ends[0], places], [ends[1], places])
        off, share = truth + noise < low, radius / truth
        released.set_data((truth + noise)[~off], places[~off])
        lost.set_data(np.full(np.count_nonzero(off), low * 1.1), places[off])
        return (
            f"ε = {epsilon:g} an answer: each is within {float(f'{radius:.3g}'):,g} of the truth "
            f"with probability 95%; here {(abs(noise) <= radius).sum()} of {len(truth)} are. That "
            f"is {share.max():.2g} times the smallest count and {share.min():.2g} times the "
            f"largest. {off.sum()} answers fell below {low}."
        )

    return update


def _counts(*places):
    """The names and the true values of some of the counts of the survey."""
    queries = health_queries()
    return [queries[i].name for i in places], health_values()[[*places]]


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    budget=(nice(0.1, 10.0), 1.0),
    delta=([float(f"1e-{k}") for k in range(12, 0, -1)], 1e-6),
)
def composition(fig):
    """Total ε against the number of answers: two theorems, the exact total, and the budget."""
    runs = np.unique(np.rint(np.logspace(0, 5, 41)))
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(1, 1e5), ylim=(0.01, 100))
    ax.set(xlabel="number of answers", ylabel="total ε")
    basic = line(ax, "basic composition", THEOREM | {"linestyle": ":"})
    advanced = line(ax, "advanced composition", THEOREM)
    exact = line(ax, "exact", EXACT)
    allowed = line(ax, "budget", THRESHOLD)
    ends = line(ax, None, MEASURED | {"marker": "D"})
    fig.legend(loc="outside upper center", ncols=4, columnspacing=1, handlelength=1.8)

    def update(*, epsilon, budget, delta):
        last = affordable_runs(epsilon=epsilon, total=budget, delta=delta)
        basic.set_data(runs, basic_composition(runs=runs, epsilon=epsilon))
        advanced.set_data(runs, advanced_composition(runs=runs, epsilon=epsilon, delta=delta))
        total = exact_composition_epsilon(runs=runs, epsilon=epsilon, delta=delta)
        exact.set_data(runs, np.clip(total, 1e-9, 200))  # beyond the picture on either side
        allowed.set_data([1, 1e5], [budget] * 2)
        ends.set_data([k or np.nan for k in last], [budget] * 3)
        return (
            f"ε = {epsilon:g} an answer, δ = {compact(delta)}. Answers within a budget of "
            f"{budget:g}: {last[0]:,} by basic composition, {last[1]:,} by advanced composition, "
            f"{last[2]:,} by the exact total of the worst mechanism."
        )

    return update


@demo(epsilon=(nice(0.01, 10.0), 0.2), seed=0)
def private_choice(fig):
    """Which group is the largest? How often each is chosen, by two mechanisms."""
    names, utilities = _counts(13, 18, 11, 6, 12, 16)  # the largest first
    places = np.arange(len(utilities))[::-1]
    ax = fig.subplots()
    ax.set(xlim=(-0.01, 1), ylim=(-0.5, len(utilities) - 0.5), xlabel="probability of being chosen")
    labels = [f"{name}: {u:.0f}" for name, u in zip(names, utilities, strict=True)]
    ax.set_yticks(places, [label.replace(", ", ",\n") for label in labels], fontsize=11)
    ax.tick_params(axis="y", length=0)
    exact = bars(ax, color=EXACT["color"], linewidth=4, label="exponential mechanism: exact")
    points = [line(ax, "measured", MEASURED | SMALL), line(ax, "noisy max: measured", TRIANGLES)]
    intervals = [bars(ax, color=p.get_color()) for p in points]
    promise = line(ax, "below: at most 5%", THEOREM)
    fig.legend(loc="outside upper right", ncols=2)

    def update(*, epsilon, seed):
        law = exponential_mechanism_law(utilities, epsilon=epsilon)
        place_bars(exact, [law, places - 0.3], [law, places + 0.3])
        seen = []
        both = choices(utilities, trials=CHOICES, epsilon=epsilon, seed=seed)
        for i, (times, shift) in enumerate(zip(both, (0.15, -0.15), strict=True)):
            low, high = clopper_pearson(times, CHOICES)
            points[i].set_data(times / CHOICES, places + shift)
            place_bars(intervals[i], [low, places + shift], [high, places + shift])
            seen.append(f"{low[0]:.3f} to {high[0]:.3f}")
        shortfall = exponential_mechanism_shortfall(num_candidates=6, beta=0.05, epsilon=epsilon)
        far = utilities <= utilities[0] - shortfall
        promise.set_data([0, 1], [far.sum() - 0.5 if far.any() else np.nan] * 2)
        says = f"in truth {law[far].sum():.2g}" if far.any() else "that says nothing here"
        return (
            f"ε = {epsilon:g}: the largest group is chosen with probability {law[0]:.3f} (measured "
            f"{seen[0]}; noisy max {seen[1]}). At most 5% goes to groups smaller by "
            f"{shortfall:.3g} or more: {says}."
        )

    return update
