"""The pictures of notebook 00: two counts, the definition, noise, composition, a private choice."""

import numpy as np

from course_lib.demos.picture import (
    DOTS, EXACT, MEASURED, NEIGHBOUR, THEOREM, THRESHOLD, YOURS, axes, band, bars, demo, intervals,
    level, line, linear, log, nice, picture, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact, percent, signed, times
from course_lib.exact.composition import affordable_runs, exact_composition_epsilon
from course_lib.exact.integral import log_density
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.data import health_queries, health_values
from course_lib.lab.toolbox import (
    FACTS, MOST_RUNS, choices, counts_around, measured_log_ratios, neighbouring_counts,
    released_histograms, unit_noise,
)  # fmt: skip
from course_lib.toolbox import (
    advanced_composition, basic_composition, exponential_mechanism_law,
    exponential_mechanism_shortfall, laplace_alpha, posterior,
)  # fmt: skip

WIDTH, REACH = 0.5, 10  # of the bins of a histogram, and how far they go from the true count
CHOICES = 2_000
RUNS = np.unique(np.rint(np.logspace(0, 5, 41)))
NAMES = [query.name for query in health_queries()]
SMALL = {"markersize": 5}
TRIANGLES = NEIGHBOUR | DOTS | SMALL


@demo(
    known=(range(1, len(FACTS) + 1), 1),
    published=(["exact", "noisy"], "exact"),
    seed=0,
    time="known",
    scenes={
        "One fact": dict(),
        "One row is left": dict(known=len(FACTS)),
        "The same with noise": dict(known=len(FACTS), published="noisy"),
    },
)
def two_counts(*, known, published, seed):
    """What two counts tell together of the rows that fit some known facts."""
    fit = [counts_around(k)[0] for k in range(1, known + 1)]
    truth = np.array(counts_around(known)[1:])
    noisy = published == "noisy"
    seen = truth + noisy * 2 * unit_noise(2, seed=seed)  # both together for ε = 1
    radius = laplace_alpha(num_queries=1, beta=0.05, epsilon=0.5) if noisy else None
    words = [signed(count, 1) if noisy else compact(int(count)) for count in seen]
    facts, places = list(FACTS), np.arange(known)
    spread = (
        bars("95% of noisy counts", (seen - radius, [1, 0]), (seen + radius, [1, 0]),
             {"color": "vermilion", "linewidth": 5, "alpha": 0.5})
        if noisy
        else None
    )  # fmt: skip
    return picture(
        axes(
            bars("rows that fit", (np.full(known, 0.7), places), (fit, places), {"color": "blue", "linewidth": 12}, label=None, see="rows that fit"),
            text("how many fit", [1.2 * rows for rows in fit], places.tolist(), [compact(rows) for rows in fit], color="ink", size=13),
            x=log("rows that fit what you know", 0.7, 12_000),
            y=linear("", len(facts) - 0.4, -0.6, ticks=range(len(facts)), names=facts, bare=True),
            box=(0.29, 0.535, 0.68, 0.375),
        ),
        axes(
            spread,
            bars("they differ by", (seen[:1], 0.5), (seen[1:], 0.5), {"color": "green", "linewidth": 4}),
            line("published", seen, [1, 0], MEASURED | {"markersize": 9}),
            text("the two counts", [310] * 2, [1, 0], words, color="ink", size=13, bold=True),
            x=linear("count (rows)", 250, 330),
            y=linear("", -0.6, 1.6, ticks=[1, 0], names=["in poor health", "the same, without\nthose that fit"], bare=True),
            box=(0.29, 0.145, 0.68, 0.25),
        ),
        size=(7.2, 4.4),
        legend={"columns": 3, "size": 11},
        sentence=_told_together(known, fit[-1], seen, noisy),
        named={
            "rows that fit": fit[-1],
            "first count": seen[0],
            "second count": seen[1],
            "they differ by": seen[0] - seen[1],
        },
        numbers={"in poor health": truth[0] - truth[1], "95% are within": radius},
    )  # fmt: skip


def _told_together(known, fit, seen, noisy):
    """What the difference of the two counts tells of the rows that fit."""
    if noisy:
        return f"The noisy counts differ by {signed(seen[0] - seen[1], 1)}: of {times(fit, 'row')} they tell next to nothing."
    poor = int(seen[0] - seen[1])
    if fit == 1:
        return "One row fits, and the two counts differ by 1: that person is in poor health."
    return f"The counts differ by {poor}: of the {compact(fit)} rows that fit, {poor} are in poor health."


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    prior=(np.arange(1, 20) / 20, 0.5),
    released=(np.arange(-12, 13) / 2 + 301.5, 295.5),
    guess=(np.arange(50, 100) / 100, 0.6),
    shown=(["the prior alone", "all"], "the prior alone"),
    time="released",
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(shown="all", released=305.5),
        "Between the two counts": dict(shown="all", released=301.5),
        "She was nearly sure before": dict(shown="all", released=305.5, prior=0.9),
    },
)
def how_sure(*, epsilon, prior, released, guess, shown):
    """From prior to posterior: what one noisy count teaches somebody who knows all other rows."""
    counts = np.array(counts_around(len(FACTS))[1:])
    x = np.array([294.0, *counts[::-1], 309.0])
    densities = [log_density(x - count, 1 / epsilon) for count in counts]
    loss = np.subtract(*log_density(released - counts, 1 / epsilon))
    after = posterior(prior=prior, loss=loss)
    ends = posterior(prior=prior, loss=np.array([-epsilon, epsilon]))
    hidden = shown == "the prior alone"
    return picture(
        axes(
            *(
                line(name, x, np.exp(density), style)
                for name, density, style in zip(
                    ("counted", "not counted"), densities, (EXACT, NEIGHBOUR | {"marker": "none"}), strict=True
                )
            ),
            upright("released", released, {"color": "ink", "linewidth": 1.5}, label=None, see="released count"),
            x=linear("released count", 294, 309, ticks=range(295, 309, 2)),
            y=log("density", 5e-5, 4),
            box=(0.12, 0.53, 0.845, 0.37),
        ),
        axes(
            None if hidden else band("ε allows", *ends, {"color": "vermilion", "alpha": 0.2, "linewidth": 0}),
            bars("posterior", (prior, 0), (prior if hidden else after, 0), {"color": "blue", "linewidth": 16}, label=None if hidden else True, see="probability"),
            upright("prior", prior, {"color": "ink", "linewidth": 2.5}),
            upright("your guess", guess, YOURS),
            x=linear("probability that she is counted", 0, 1, ticks=np.arange(11) / 10),
            y=linear("", -1, 1, ticks=[], bare=True),
            box=(0.12, 0.145, 0.845, 0.21),
        ),
        size=(7.2, 4.4),
        legend={"columns": 6, "size": 10.5},
        sentence=_learned(prior, after, ends, guess, loss, hidden),
        named={"prior": prior} if hidden else {
            "prior": prior,
            "posterior": after,
            "privacy loss": loss,
            "ε allows": ends.tolist(),
        },
    )  # fmt: skip


def _learned(prior, after, ends, guess, loss, hidden):
    """How sure the released count makes somebody; before the reveal, what is guessed."""
    if hidden:
        return f"Your guess: the most telling count raises a chance of {about(prior)} to {about(guess)}."
    if abs(loss) < 1e-9:
        return f"This count lies just between the two: her chance stays at {about(prior)}."
    way, end = ("raises", ends[1]) if loss > 0 else ("lowers", ends[0])
    moved = f"This count {way} her chance from {about(prior)} to {about(after)}"
    if np.isclose(after, end, rtol=1e-9):
        return f"{moved}, and no count {way} it further."
    return f"{moved}; others {way[:-1]} it to {about(end)}."


@demo(
    epsilon=(nice(0.2, 2.0), 1.0),
    runs=(nice(100, MOST_RUNS), 20_000),
    seed=0,
    again="Another pair",
    scenes={
        "Little privacy": dict(epsilon=2.0),
        "Much privacy": dict(epsilon=0.2),
        "Too few runs to see it": dict(runs=100),
        "Another row, another query": dict(seed=1),
    },
)
def neighbours(*, epsilon, runs, seed):
    """A noisy count with and without one row: both densities, and the logarithm of their ratio."""
    query, row, counts = neighbouring_counts(seed)
    low, high = reach = counts[0] - REACH, counts[0] + REACH
    seen = released_histograms(
        counts, width=WIDTH, reach=REACH, runs=runs, epsilon=epsilon, seed=seed
    )
    middles = np.arange(low, high, WIDTH) + WIDTH / 2
    peaks = [np.array([low, count, high]) for count in counts]
    ratios = measured_log_ratios(*seen)
    drawn = ~np.isnan(ratios[1])
    wrong, differ = (np.count_nonzero((ratios[1] > x) | (ratios[2] < -x)) for x in (epsilon, 0))
    ticks = np.arange(low, high + 1, 5)
    return picture(
        axes(
            *(
                line(name, x, np.exp(log_density(x - count, 1 / epsilon)), style)
                for name, x, count, style in zip(
                    ("with the row", "without it"), peaks, counts, (EXACT, NEIGHBOUR | {"marker": "none"}), strict=True
                )
            ),
            *(
                line(name, middles, np.where(bins, bins / (runs * WIDTH), np.nan), style)
                for name, bins, style in zip(
                    ("measured", "measured without it"), seen, (MEASURED | SMALL, TRIANGLES), strict=True
                )
            ),
            x=linear("", *reach, ticks=ticks, names=[""] * len(ticks)),
            y=log("density", 1e-3, 1.5),
            box=(0.111, 0.534, 0.847, 0.381),
        ),
        axes(
            level("0", 0, {"color": "0.8", "linewidth": 1}, label=None, see="log-ratio"),
            line("exact log-ratio", [low, *counts[::-1], high], epsilon * np.array([-1, -1, 1, 1]),
                 EXACT, label=None, see="log-ratio"),
            line("±ε", [*reach, None, *reach], [epsilon, epsilon, None, -epsilon, -epsilon], THEOREM),
            intervals("measured log-ratio", middles[drawn], *ratios[:, drawn], MEASURED | SMALL, label="measured"),
            x=linear("released count", *reach, ticks=ticks),
            y=linear("log-ratio", -3, 3),
            box=(0.111, 0.111, 0.847, 0.381),
        ),
        size=(7.2, 5.0),
        legend={"columns": 5, "size": 11},
        sentence=_agrees(wrong, differ, epsilon),
        named={
            "query": query,
            "rows counted": counts[0],
            "without the row": counts[1],
            "e^ε": np.exp(epsilon),
            "intervals": np.count_nonzero(drawn),
            "that contradict": wrong,
        },
        numbers={"row": row, "intervals without 0": differ},
    )  # fmt: skip


def _agrees(wrong, differ, epsilon):
    """What the definition promises, and whether the runs agree; they may show no difference."""
    likely = f"No count is more than {about(np.exp(epsilon))} times as likely in one case as in the other"
    if wrong:
        return f"{likely}; by chance {times(wrong, 'interval')} {'says' if wrong == 1 else 'say'} otherwise."
    return (
        f"{likely}, and the runs agree." if differ else f"{likely}; so few runs show no difference."
    )


@demo(
    epsilon=(nice(0.001, 1.0), 0.5),
    seed=0,
    scenes={
        "All counts are known": dict(),
        "The smallest is lost": dict(epsilon=0.02),
        "Only the largest are left": dict(epsilon=0.001),
    },
)
def laplace_noise(*, epsilon, seed):
    """Counts of the health survey, true and released, with the error that is promised."""
    shown = [0, 2, 3, 4, 7, 11, 14, 20, 22, 23]
    truth, places, low, high = health_values()[shown], np.arange(len(shown))[::-1], 10, 30_000
    noise = unit_noise(len(shown), seed=seed) / epsilon
    radius = laplace_alpha(num_queries=1, beta=0.05, epsilon=epsilon)
    off, share = truth + noise < low, radius / truth
    drowned = np.count_nonzero(share >= 1)
    if drowned:
        sentence = f"The noise drowns {drowned} of the {len(shown)} counts; the largest is still known to within {percent(share.min())}."
    else:
        sentence = (
            f"Even the smallest count is known to within {percent(share.max())}, in 95% of runs."
        )
    ends = np.clip([truth - radius, truth + radius], low, high)
    return picture(
        axes(
            line("true", truth, places, {"color": "blue", "linestyle": "none", "marker": "|", "markersize": 17, "markeredgewidth": 3}),
            bars("95% of answers", (ends[0], places), (ends[1], places), {"color": "vermilion", "linewidth": 5, "alpha": 0.5}),
            line("released", np.where(off, np.nan, truth + noise), places, MEASURED),
            line("below 10", np.where(off, 1.1 * low, np.nan), places, MEASURED | {"marker": "<"}),
            x=log("count (rows)", low, high),
            y=linear("", -0.6, len(shown) - 0.4, ticks=places, names=[NAMES[i] for i in shown], bare=True),
            box=(0.289, 0.147, 0.705, 0.747),
        ),
        sentence=sentence,
        named={
            "95% are within": radius,
            "of the smallest count": share.max(),
            "of the largest count": share.min(),
            "within it here": np.count_nonzero(abs(noise) <= radius),
            "below 10": np.count_nonzero(off),
        },
        numbers={"true counts": truth, "released counts": truth + noise},
    )  # fmt: skip


@demo(
    epsilon=(nice(0.01, 1.0), 0.3),
    budget=(nice(0.1, 10.0), 1.0),
    delta=([float(f"1e-{k}") for k in range(12, 0, -1)], 1e-6),
    scenes={
        "Twenty answers, or not": dict(epsilon=0.05),
        "Many cheap answers": dict(epsilon=0.01),
        "A budget of 10": dict(epsilon=0.05, budget=10.0),
        "A δ that covers the loss": dict(epsilon=0.05, delta=0.1),
    },
)
def composition(*, epsilon, budget, delta):
    """Total ε against the number of answers: two theorems, the exact total, and the budget."""
    last = affordable_runs(epsilon=epsilon, total=budget, delta=delta)
    total = exact_composition_epsilon(runs=RUNS, epsilon=epsilon, delta=delta)
    advanced = advanced_composition(runs=RUNS, epsilon=epsilon, delta=delta)
    basic = basic_composition(runs=RUNS, epsilon=epsilon)
    return picture(
        axes(
            line("basic composition", RUNS, basic, THEOREM | {"linestyle": ":"}),
            line("advanced composition", RUNS, advanced, THEOREM),
            line("exact", RUNS, np.clip(total, 1e-9, 200), EXACT),  # beyond the picture
            line("budget", [1, 1e5], [budget] * 2, THRESHOLD),
            line("paid", [k or None for k in last], [budget] * 3, MEASURED | {"marker": "D"}),
            x=log("number of answers", 1, 1e5),
            y=log("total ε", 0.008, 100),
            box=(0.111, 0.147, 0.861, 0.725),
        ),
        legend={"columns": 5, "size": 10.5},
        sentence=_paid(*last[:2]),
        named=dict(zip(("basic composition", "advanced composition", "exactly"), last, strict=True)),
    )  # fmt: skip


def _paid(basic, advanced):
    """Which theorem pays for more answers."""
    if basic == advanced == 0:
        return "By both theorems a single answer costs more than the budget."
    if advanced > basic:
        return f"Here the square root pays: advanced composition pays for {compact(advanced)} answers, basic composition for {compact(basic)}."
    if advanced < basic:
        return f"Here basic composition is better: it pays for {times(basic, 'answer')}, advanced composition for {compact(advanced)}."
    return f"Here both theorems pay for {times(basic, 'answer')}."


@demo(
    epsilon=(nice(0.01, 10.0), 0.2),
    seed=0,
    scenes={
        "Hardly better than chance": dict(epsilon=0.01),
        "The small groups are out": dict(epsilon=0.2),
        "One row is still hidden": dict(epsilon=1.0),
        "Nine times out of ten": dict(epsilon=5.0),
    },
)
def private_choice(*, epsilon, seed):
    """Which group is the largest? How often each is chosen, by two mechanisms."""
    shown = [13, 18, 11, 6, 12, 16]  # the largest first
    utilities, places = health_values()[shown], np.arange(len(shown))[::-1]
    law = exponential_mechanism_law(utilities, epsilon=epsilon)
    chosen = np.array(choices(utilities, trials=CHOICES, epsilon=epsilon, seed=seed))
    low, high = clopper_pearson(chosen, CHOICES)
    shortfall = exponential_mechanism_shortfall(num_candidates=6, beta=0.05, epsilon=epsilon)
    far = utilities <= utilities[0] - shortfall
    names = [f"{NAMES[i]}: {compact(count)}" for i, count in zip(shown, utilities, strict=True)]
    return picture(
        axes(
            bars("exponential mechanism: exact", (law, places - 0.3), (law, places + 0.3), {"color": "blue", "linewidth": 4}),
            *(
                intervals(name, chosen[i] / CHOICES, places + shift, low[i], high[i], style, across=True)
                for i, (name, shift, style) in enumerate(
                    (("measured", 0.15, MEASURED | SMALL), ("noisy max: measured", -0.15, TRIANGLES))
                )
            ),
            level("below: at most 5%", far.sum() - 0.5 if far.any() else None, THEOREM),
            x=linear("probability of being chosen", -0.01, 1),
            y=linear("", -0.5, 5.5, ticks=places, names=[name.replace(", ", ",\n") for name in names], size=11, bare=True),
            box=(0.308, 0.139, 0.666, 0.692),
        ),
        legend=2,
        sentence=_chosen(law[0], far.any()),
        named={
            "largest chosen, exact": law[0],
            "measured": [low[0, 0], high[0, 0]],
            "noisy max, measured": [low[1, 0], high[1, 0]],
            "shortfall, 95%": shortfall,
            "beyond the shortfall, exact": law[far].sum() if far.any() else None,
        },
        numbers={"law": law, "groups that far below": np.count_nonzero(far)},
    )  # fmt: skip


def _chosen(largest, some_are_out):
    """How often the largest group is chosen, and what the theorem says of the others."""
    chance = f"the largest is chosen with probability {about(largest)}"
    if largest >= 0.9:
        return f"ε is so large that one row decides: {chance}."
    if some_are_out:
        return f"Groups that are much smaller are out, but one row is what ε hides: {chance}."
    return f"The theorem rules out no group here: {chance}."
