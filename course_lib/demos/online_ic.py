"""The figures of notebook 06 on runs: the hypothesis and its answers; see also online_ic_price."""

import functools

import numpy as np
from matplotlib.ticker import MaxNLocator
from scipy.special import rel_entr

from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, VALUES, bars, line, place_bars
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse_survey import RELEASED
from course_lib.demos.online_ic_queries import KINDS, LONGEST, noise_generator, stream
from course_lib.demos.small_db import database
from course_lib.demos.small_db_sample import NAMES, survey
from course_lib.linear_queries import fractions
from course_lib.online_ic import MultiplicativeWeights, mw_updates, online_ic, online_ic_alpha

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


def worst_marginal(truth, hypothesis, queries):
    """The marginal on which the hypothesis is furthest off, and its name."""
    i = np.argmax(np.abs(queries.rows @ (truth - hypothesis)))
    return queries.rows[i], f"“{queries.names[i]}”"


def worst_query(truth, hypothesis, queries):
    """No query has a larger gap than the set of elements with too small a share."""
    low = truth > hypothesis
    return low.astype(float), f"the {low.sum()} elements that are too light"


# Of marginals, or of all queries, the analyst always asks the one that is furthest off.
ANALYSTS = {"marginals": (worst_marginal, "marginal"), "all queries": (worst_query, "query")}


@functools.lru_cache(64)
def chase(analyst, attributes, alpha):
    """Truth, hypotheses, relative entropies and updates until no query is alpha off.

    An update is (query, its name, true value, value on the hypothesis); the value given to
    multiplicative weights is the true one, so the potential argument applies as it stands.
    """
    universe, histogram, queries = survey(attributes)
    truth = histogram / histogram.sum()
    learner = MultiplicativeWeights(universe_size=len(universe), alpha=alpha)
    hypotheses, updates = [learner.hypothesis], []
    while True:
        query, name = ANALYSTS[analyst][0](truth, learner.hypothesis, queries)
        value, guess = float(query @ truth), learner.evaluate(query)
        if abs(value - guess) < alpha:
            break
        learner.update(query, value)
        hypotheses.append(learner.hypothesis)
        updates.append((query, name, value, guess))
    entropies = rel_entr(truth, np.array(hypotheses)).sum(axis=1)
    return truth, hypotheses, entropies, updates


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
        truth, hypotheses, entropies, made = chase(analyst, attributes, alpha)
        if len(elements.get_yticks()) != len(truth):
            universe = survey(attributes)[0]
            elements.set_yticks(range(len(truth)), universe.elements, fontsize=11)
            elements.set_ylim(len(truth) - 0.4, -0.6)
            elements.set_xlim(-0.015, max(truth) + 0.03)
            elements.set_ylabel("bits: " + ", ".join(universe.names), fontsize=12)
        t = min(updates, len(made))
        rows = np.arange(len(truth))
        query = made[t - 1][0] if t else np.zeros(len(truth))
        inside = rows[query > 0]
        place_bars(asked, (0 * inside - 1, inside), (0 * inside + 1, inside))
        true.set_data(truth, rows)
        hypothesis.set_data(hypotheses[t], rows)
        most = mw_updates(universe_size=len(truth), alpha=alpha)
        steps = most * np.append(np.linspace(0, 0.98, 80), 1 - np.geomspace(0.02, 1e-9, 40))
        start = entropies[0] / np.log(len(truth))  # the same shape, on a smaller scale
        promised.set_data(steps, np.log(len(truth)) - steps * alpha**2 / 4)
        from_start.set_data(start * steps, entropies[0] - start * steps * alpha**2 / 4)
        entropy.set_data(range(t + 1), entropies[: t + 1])
        rest.set_data(range(t, len(entropies)), entropies[t:])
        now.set_data([t], [entropies[t]])
        limit.set_xdata([most] * 2)
        word.set(x=most * 0.9, text=f"B(α) = {int(most):,}")
        last = "the hypothesis is uniform; no update yet"
        if t:
            _, name, value, guess = made[t - 1]
            moved = "raised" if value > guess else "lowered"
            last = f"update {t} {moved} {name}, true {about(value)}, before {about(guess)}"
        drop = f", down by {about(-np.diff(entropies)[t - 1])}" if t else ""
        ends = "1 update" if len(made) == 1 else f"{len(made)} updates"
        return (
            f"d = {attributes}, α = {alpha:g}, exact values: {last}. Relative entropy "
            f"{about(entropies[t])} (ln|X| = {about(np.log(len(truth)))}){drop}; promised: "
            f"α²/4 = {about(alpha**2 / 4)}. After {ends} no {ANALYSTS[analyst][1]} is α off; "
            f"B(α) = {int(most):,}."
        )

    return update


@functools.lru_cache(64)
def one_run(queries, num_queries, n, alpha, epsilon, seed):
    """Errors of all answers, of the hypothesis before each, where it was updated, and B(α)."""
    data, rng = database(n, len(NAMES))[0], noise_generator(seed)
    asked = stream(queries, seed)[:num_queries]
    learner = MultiplicativeWeights(universe_size=len(data), alpha=alpha)
    guesses = []

    def analyst():
        for query in asked:
            guesses.append(query @ learner.hypothesis)
            yield query

    found = online_ic(data, analyst(), learner, n=n, epsilon=epsilon, rng=rng)
    answers, updated = np.array(list(found)).T
    truth = fractions(data, asked)
    return np.abs(answers - truth), np.abs(guesses - truth), updated == 1, learner.max_updates


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
        errors, gaps, updated, most = one_run(queries, num_queries, n, alpha, epsilon, seed)
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
