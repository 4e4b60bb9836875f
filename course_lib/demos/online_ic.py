"""The figures of notebook 06 on runs: the hypothesis and its answers; see also online_ic_price."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, VALUES, bars, line, place_bars
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse_survey import RELEASED
from course_lib.exact.online_ic import potential_left
from course_lib.lab.histograms import NAMES, survey_marginals
from course_lib.lab.online_ic import KINDS, LONGEST, survey_chase, survey_run
from course_lib.online_ic import mw_updates, online_ic_alpha

BETA = 0.05
ROWS = sorted([*nice(10_000, 10**8), 20_190])  # with the survey's own
MOST = 60  # updates that the slider of chasing reaches
STEPS = 4000  # the right end of its axis, beyond every B(α)
TRUE = VALUES | {"linestyle": "none", "markersize": 9}
GUESSED = {"color": EXACT["color"], "linestyle": "none", "marker": "o", "markersize": 7}
FROM_START = THEOREM | {"linestyle": ":", "linewidth": 1.8}
ANSWERED = MEASURED | {"markersize": 3}
TWO_ALPHA = {"color": "0.5", "linewidth": 1, "linestyle": ":"}
NOTHING = "says nothing of a fraction"


# Of marginals, or of all queries, the analyst always asks the one that is furthest off.
ANALYSTS = {"marginals": "marginal", "all queries": "query"}


def named(query, attributes, analyst):
    """A query of the analyst in words."""
    if analyst == "all queries":
        return f"the {query.sum():.0f} elements that are too light"
    marginals = survey_marginals(attributes)[2]
    (place,) = np.flatnonzero((marginals.rows == query).all(axis=1))
    return f"“{marginals.names[place]}”"


@demo(
    updates=(range(MOST + 1), 1),
    alpha=([0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4], 0.2),
    attributes=([3, 4], 4),
    analyst=(list(ANALYSTS), "marginals"),
    size=(7.2, 4.3),
)
def chasing(fig):
    """The hypothesis of multiplicative weights chasing the survey's histogram, update by update."""
    elements, ax = fig.subplots(1, 2, width_ratios=(4, 5))
    elements.set(xlabel="share of the rows", xticks=np.arange(0, 0.5, 0.1))
    ax.set_xscale("symlog", linthresh=1, linscale=0.5)
    ax.set(yscale="log", xlim=(-0.2, STEPS), ylim=(0.01, 6))
    ax.set(xlabel="updates made", ylabel="relative entropy to the truth")
    ax.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
    ax.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    asked = bars(elements, color="0.87", linewidth=9)
    asked.set_label("in the query")
    true = line(elements, "true", TRUE)
    hypothesis = line(elements, "hypothesis", GUESSED)
    entropy = line(ax, "relative entropy", EXACT | {"marker": ".", "markersize": 6})
    rest = line(ax, None, EXACT | {"linewidth": 1, "alpha": 0.35})
    now = line(ax, None, GUESSED | {"markersize": 10})
    promised = line(ax, "ln|X| − tα²/4", THEOREM)
    from_start = line(ax, "its start − tα²/4", FROM_START)
    limit = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    word = ax.text(1, 4, "", color="0.3", ha="right", va="center", fontsize=11, animated=True)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=12)

    def update(*, updates, alpha, attributes, analyst):
        universe, histogram, _ = survey_marginals(attributes)
        truth, chase = histogram / histogram.sum(), survey_chase(attributes, analyst, alpha=alpha)
        entropies, made = chase.potentials, len(chase.queries)
        if len(elements.get_yticks()) != len(truth):
            elements.set_yticks(range(len(truth)), universe.elements, fontsize=11)
            elements.set_ylim(len(truth) - 0.4, -0.6)
            elements.set_xlim(-0.015, max(truth) + 0.03)
            elements.set_ylabel("bits: " + ", ".join(universe.names), fontsize=12)
        t = min(updates, made)
        rows = np.arange(len(truth))
        query = chase.queries[t - 1] if t else np.zeros(len(truth))
        inside = rows[query > 0]
        place_bars(asked, (0 * inside - 1, inside), (0 * inside + 1, inside))
        true.set_data(truth, rows)
        hypothesis.set_data(chase.hypotheses[t], rows)
        most = mw_updates(universe_size=len(truth), alpha=alpha)
        steps = most * np.append(np.linspace(0, 0.98, 80), 1 - np.geomspace(0.02, 1e-9, 40))
        start = entropies[0] / np.log(len(truth))  # the same shape, on a smaller scale
        promised.set_data(steps, potential_left(steps, start=np.log(len(truth)), alpha=alpha))
        fewer = start * steps
        from_start.set_data(fewer, potential_left(fewer, start=entropies[0], alpha=alpha))
        entropy.set_data(range(t + 1), entropies[: t + 1])
        rest.set_data(range(t, len(entropies)), entropies[t:])
        now.set_data([t], [entropies[t]])
        limit.set_xdata([most] * 2)
        word.set(x=most * 0.9, text=f"B(α) = {int(most):,}")
        last = "the hypothesis is uniform; no update yet"
        if t:
            value, guess = chase.values[t - 1], chase.guesses[t - 1]
            moved = "raised" if value > guess else "lowered"
            name = named(query, attributes, analyst)
            last = f"update {t} {moved} {name}, true {about(value)}, before {about(guess)}"
        drop = f", down by {about(-np.diff(entropies)[t - 1])}" if t else ""
        ends = "1 update" if made == 1 else f"{made} updates"
        return (
            f"d = {attributes}, α = {alpha:g}, exact values: {last}. Relative entropy "
            f"{about(entropies[t])} (ln|X| = {about(np.log(len(truth)))}){drop}; promised: "
            f"α²/4 = {about(alpha**2 / 4)}. After {ends} no {ANALYSTS[analyst]} is α off; "
            f"B(α) = {int(most):,}."
        )

    return update


def guarantee(alpha, needed):
    """What Theorem 1 says of answers within 3 alpha, when it needs at least `needed`."""
    if alpha < needed:
        empty = f", where 3α {NOTHING}" if 3 * needed >= 1 else ""
        return f"No guarantee: β = {BETA} needs α ≥ {about(needed)}{empty}."
    told = f"which {NOTHING}" if 3 * alpha >= 1 else f"except with probability β = {BETA}"
    return f"α ≥ {about(needed)}, so 3α = {3 * alpha:g} is promised, {told}."


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    alpha=(nice(0.02, 0.5), 0.1),
    n=(ROWS, 10**7),
    num_queries=(nice(20, LONGEST), 20),
    queries=(list(KINDS), "conjunctions"),
    seed=0,
    size=(7.2, 4.1),
)
def answers_and_updates(fig):
    """The error of every answer of one run of OnlineIC, and which of them cost an update."""
    ax = fig.subplots()
    ax.set(xlabel="query", ylabel="error of the answer")
    ax.xaxis.set(major_formatter="{x:,.0f}", major_locator=MaxNLocator(6, integer=True))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_label_coords(-0.115, 0.5)  # beyond the widest number
    saved = bars(ax, color="0.6", linewidth=1)
    answered = line(ax, "from the hypothesis", ANSWERED)
    costly = line(ax, "update (line: hypothesis)", RELEASED)
    promised = ax.axhline(1, label="3α", **THEOREM, animated=True)
    threshold = ax.axhline(1, label="2α", **TWO_ALPHA, animated=True)
    middle = {"transform": ax.transAxes, "ha": "center", "va": "center", "fontsize": 22}
    word = ax.text(0.5, 0.9, "no guarantee", color="0.5", **middle, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=12)

    def update(*, epsilon, alpha, n, num_queries, queries, seed):
        run = survey_run(
            len(NAMES),
            queries,
            n=n,
            num_queries=num_queries,
            alpha=alpha,
            epsilon=epsilon,
            seed=seed,
        )
        errors, gaps, updated, most = run.errors, run.gaps, run.updated, run.max_updates
        numbers = np.arange(1, num_queries + 1)
        answered.set_data(numbers[~updated], errors[~updated])
        costly.set_data(numbers[updated], errors[updated])
        place_bars(saved, (numbers[updated], errors[updated]), (numbers[updated], gaps[updated]))
        promised.set_ydata([3 * alpha] * 2)
        threshold.set_ydata([2 * alpha] * 2)
        needed = online_ic_alpha(
            n=n, universe_size=2 ** len(NAMES), num_queries=num_queries, beta=BETA, epsilon=epsilon
        )
        word.set_visible(alpha < needed)
        top = nice_top(max(errors.max(), gaps.max(), 3 * alpha))
        end = 1.05 * next(x for x in (20, 50, 100, 200, 500, LONGEST) if x >= num_queries)
        if (ax.get_xlim()[1], ax.get_ylim()[1]) != (end, top):
            ax.set(xlim=(0, end), ylim=(-0.03 * top, top))
        count, beyond = np.count_nonzero(updated), np.count_nonzero(errors > 3 * alpha)
        spent = f" (all spent at query {numbers[updated][-1]:,})" if count == most else ""
        off = f", {beyond:,} above 3α = {3 * alpha:g}" if beyond else ""
        updates = "1 update" if count == 1 else f"{count:,} updates"
        return (
            f"ε = {epsilon:g}, α = {alpha:g}, n = {compact(n)}: {num_queries:,} {queries}, "
            f"{updates} of at most B(α) = {most:,}{spent}. The largest error is "
            f"{about(errors.max())}{off}. {guarantee(alpha, needed)}"
        )

    return update


def nice_top(value):
    """The end of an axis that shows this value with some room: 1, 1.5, 2, 3, 5 or 7 times 10^j."""
    digits = np.array([1, 1.5, 2, 3, 5, 7, 10]) * 10.0 ** np.floor(np.log10(1.1 * value))
    return digits[np.argmax(digits >= 1.1 * value)]
