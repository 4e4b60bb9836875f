"""The pictures of notebook 06: the hypothesis, a run of OnlineIC, its updates, what is promised."""

import numpy as np

from course_lib.demos.picture import (
    ADVANCED, BASIC, DOTS, EXACT, HERE, MEASURED, NO_USE, RELEASED, THEOREM, VALUES, YOURS, axes,
    band, bars, demo, here, level, line, linear, log, nice, picture, symlog, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.stream import budget_meter
from course_lib.demos.words import about, compact, times
from course_lib.exact.online_ic import online_ic_useful_n, potential_left
from course_lib.lab.histograms import NAMES, survey_marginals
from course_lib.lab.online_ic import KINDS, LONGEST, WORST, survey_chase, survey_run
from course_lib.linear_queries import answers_alpha, histogram_alpha
from course_lib.online_ic import mw_updates, online_ic_alpha, online_ic_alpha_printed

BETA = 0.05
SURVEY = 20_190
UNIVERSE = 2 ** len(NAMES)
ROWS = sorted([*nice(10_000, 10**8), SURVEY])
GUESSED = {"color": "blue", "linestyle": "none", "marker": "o", "markersize": 7}
FROM_START = {"color": "vermilion", "linestyle": ":", "linewidth": 1.8}


@demo(
    num_queries=([1, *range(25, LONGEST + 1, 25)], 1),
    time="num_queries",
    scenes={
        "The first question": dict(),
        "A hundred questions": dict(num_queries=100),
        "A thousand questions": dict(num_queries=LONGEST),
    },
)
def learning_from_answers(*, num_queries):
    """A guess of 16 shares that chases the truth, and how many of the answers it has cost."""
    run = survey_run(
        4, "conjunctions", n=10**8, num_queries=num_queries, alpha=0.05, epsilon=1.0, seed=0
    )
    histogram = survey_marginals(4)[1]
    truth, rows = histogram / histogram.sum(), np.arange(len(histogram))
    asked, paid = np.arange(num_queries + 1), np.append(0, np.cumsum(run.updated))
    return picture(
        axes(
            bars("missing", (run.hypothesis, rows), (truth, rows),
                 {"color": "0.55", "linewidth": 1}, label=None, see="the guess"),
            line("the truth", truth, rows, VALUES | DOTS | {"markersize": 9}),
            line("the guess", run.hypothesis, rows, GUESSED),
            x=linear("share of the rows", -0.015, max(truth) + 0.03, ticks=np.arange(0, 0.5, 0.1)),
            y=linear("kind of row", len(truth) - 0.4, -0.6, ticks=rows[::3], names=rows[::3] + 1),
            box=(0.095, 0.16, 0.375, 0.72),
        ),
        axes(
            line("pay for each", [0, num_queries], [0, num_queries], BASIC),
            line("pay to correct the guess", asked, paid, EXACT),
            line("so far", [num_queries], [paid[-1]], GUESSED, label=None,
                 see="pay to correct the guess"),
            x=linear("questions asked", 0, LONGEST * 1.02, ticks=range(0, 1001, 250)),
            y=linear("answers paid for", 0, 520, ticks=range(0, 501, 100)),
            box=(0.595, 0.16, 0.37, 0.72),
        ),
        size=(7.2, 3.6),
        sentence=_learned(num_queries, paid[-1]),
        named={
            "answers paid for": paid[-1],
            "free answers": num_queries - paid[-1],
            "guess and truth differ by": np.abs(run.hypothesis - truth).sum() / 2,
        },
    )  # fmt: skip


def _learned(asked, paid):
    """What was paid for, and what was not."""
    if asked == 1:
        far = (
            "had to be paid for, because the guess was far"
            if paid
            else "was free: the guess was not"
        )
        return f"The guess begins with equal shares, and the first answer {far} off."
    return (
        f"After {compact(asked)} questions {compact(asked - paid)} answers were free; "
        f"{times(paid, 'answer')} had to be paid for."
    )


@demo(
    alpha=([0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4], 0.2),
    attributes=([3, 4], 4),
    # of marginals, or of all queries, the one that is furthest off is asked each time
    analyst=(["marginals", "all queries"], "marginals"),
    updates=(
        lambda alpha, attributes, analyst: range(
            len(survey_chase(attributes, analyst, alpha=alpha).hypotheses)
        ),
        1,
    ),
    time="updates",
    scenes={
        "The first update": dict(),
        "All nine updates": dict(updates=9),
        "Half of α": dict(alpha=0.1, updates=39),
        "Any query may be asked": dict(analyst="all queries", updates=12),
    },
)
def chasing(*, alpha, attributes, analyst, updates):
    """The hypothesis of multiplicative weights chasing the survey's histogram, update by update."""
    universe, histogram, _ = survey_marginals(attributes)
    chase = survey_chase(attributes, analyst, alpha=alpha)
    truth, rows = histogram / histogram.sum(), np.arange(len(histogram))
    asked = rows[chase.queries[updates - 1] > 0] if updates else rows[:0]
    entropies, now, most = chase.potentials, chase.potentials[updates], np.log(len(truth))
    allowed = mw_updates(universe_size=len(truth), alpha=alpha)
    # as shares of the way to 0: close together at its end, which is steep
    way = np.append(np.linspace(0, 0.98, 80), 1 - np.geomspace(0.02, 1e-9, 40))
    long, short = way * allowed, way * allowed * entropies[0] / most
    limit = f"B(α) = {compact(int(allowed))}"
    elements = linear("share of the rows", -0.015, max(truth) + 0.03, ticks=np.arange(0, 0.5, 0.1))
    return picture(
        axes(
            bars("in the query", (-1, asked), (1, asked), {"color": "0.87", "linewidth": 9}),
            line("true", truth, rows, VALUES | DOTS | {"markersize": 9}),
            line("hypothesis", chase.hypotheses[updates], rows, GUESSED),
            x=elements,
            y=linear("bits: " + ", ".join(universe.names), len(truth) - 0.4, -0.6, ticks=rows,
                     names=universe.elements, size=11),
            box=(0.114, 0.129, 0.336, 0.714),
        ),
        axes(
            line("relative entropy", range(updates + 1), entropies[: updates + 1],
                 EXACT | {"marker": ".", "markersize": 6}),
            line("to come", range(updates, len(entropies)), entropies[updates:],
                 EXACT | {"linewidth": 1, "alpha": 0.75}, label=None, see="relative entropy"),
            line("now", [updates], [now], GUESSED | {"markersize": 10}, label=None,
                 see="relative entropy"),
            line("ln|X| − tα²/4", long, potential_left(long, start=most, alpha=alpha), THEOREM),
            line("its start − tα²/4", short,
                 potential_left(short, start=entropies[0], alpha=alpha), FROM_START),
            upright("B(α)", allowed, HERE, label=None, see=limit),
            text("allowed", allowed * 0.9, 4, limit, ha="right"),
            x=symlog("updates made", -0.2, 4000, within=1, share=0.5, ticks=[0, 1, 10, 100, 1000],
                     names=["0", "1", "10", "100", "1,000"]),
            y=log("relative entropy to the truth", 0.01, 6, ticks=[0.01, 0.1, 1],
                  names=["0.01", "0.1", "1"]),
            box=(0.564, 0.129, 0.43, 0.714),
        ),
        size=(7.2, 4.3),
        legend=3,
        sentence=_told(chase, updates, analyst, attributes, int(allowed)),
        named={
            "relative entropy": now,
            "fell by": entropies[updates - 1] - now if updates else None,
            "promised, α²/4": alpha**2 / 4,
            "updates in all": len(chase.queries),
            "allowed, ⌊B(α)⌋": int(allowed),
        },
        numbers={
            "ln|X|": most,
            "query": _query_name(chase, updates, analyst, attributes),
            "true value": chase.values[updates - 1] if updates else None,
            "value on the hypothesis before": chase.guesses[updates - 1] if updates else None,
        },
    )  # fmt: skip


def _query_name(chase, updates, analyst, attributes):
    """The query of an update in words."""
    if not updates:
        return None
    if analyst == "all queries":
        return "the elements that are too light"
    queries = survey_marginals(attributes)[2]
    (place,) = np.flatnonzero((queries.rows == chase.queries[updates - 1]).all(axis=1))
    return f"“{queries.names[place]}”"


def _told(chase, updates, analyst, attributes, allowed):
    """What an update did, or how the chase begins and ends."""
    made, kind = len(chase.queries), {"marginals": "marginal"}.get(analyst, "query")
    if updates == made:
        return (
            f"After {times(made, 'update')} no {kind} is off by α or more; the theorem would have "
            f"allowed {compact(allowed)}."
        )
    if updates == 0:
        gap = abs(chase.values[0] - chase.guesses[0])
        return f"The hypothesis is uniform, and the worst {kind} is off by {about(gap)}."
    value, guess = chase.values[updates - 1], chase.guesses[updates - 1]
    return (
        f"Update {updates} {'raises' if value > guess else 'lowers'} "
        f"{_query_name(chase, updates, analyst, attributes)}: the hypothesis said {about(guess)}, "
        f"the truth is {about(value)}."
    )


AS_THE_THEOREM = "⌊B(α)⌋"


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    alpha=(nice(0.02, 0.5), 0.1),
    n=(ROWS, 10**7),
    num_queries=(nice(20, LONGEST), 20),
    queries=(list(KINDS), "conjunctions"),
    cutoff=([AS_THE_THEOREM, "50", "20", "10"], AS_THE_THEOREM),
    seed=0,
    time="num_queries",
    scenes={
        "A thousand queries": dict(num_queries=1000),
        "The survey’s own rows": dict(num_queries=1000, n=SURVEY),
        "All marginals of the survey": dict(num_queries=255, n=SURVEY, queries="all marginals"),
        "The same, α = 0.3": dict(num_queries=255, n=SURVEY, queries="all marginals", alpha=0.3),
        "At most 50 updates": dict(
            num_queries=255, n=SURVEY, queries="all marginals", alpha=0.05, cutoff="50"
        ),
    },
)
def answers_and_updates(*, epsilon, alpha, n, num_queries, queries, cutoff, seed):
    """The error of every answer of one run of OnlineIC, and which of them cost an update."""
    run = survey_run(
        len(NAMES), queries, n=n, num_queries=num_queries,
        cutoff=None if cutoff == AS_THE_THEOREM else int(cutoff), alpha=alpha, epsilon=epsilon,
        seed=seed,
    )  # fmt: skip
    needed = online_ic_alpha(
        n=n, universe_size=UNIVERSE, num_queries=num_queries, beta=BETA, epsilon=epsilon
    )
    asked, paid, errors = np.arange(1, num_queries + 1), run.updated, run.errors
    promised = cutoff == AS_THE_THEOREM and alpha >= needed
    top = nice_top(max(errors.max(), run.gaps.max(), 3 * alpha))
    end = next(x for x in (20, 50, 100, 200, 255, 500, LONGEST) if x >= num_queries)
    made = np.count_nonzero(paid)
    spent = made == run.cutoff
    return picture(
        axes(
            bars("saved", (asked[paid], errors[paid]), (asked[paid], run.gaps[paid]),
                 {"color": "0.55", "linewidth": 1}, label=None, see="update (line: hypothesis)"),
            line("from the hypothesis", asked[~paid], errors[~paid], MEASURED | {"markersize": 3}),
            line("update (line: hypothesis)", asked[paid], errors[paid], RELEASED),
            level("3α", 3 * alpha, THEOREM),
            level("2α", 2 * alpha, {"color": "0.5", "linewidth": 1, "linestyle": ":"}),
            text("no guarantee", *([[], [], []] if promised else (0.5, 0.96, "no guarantee")),
                 within="axes", ha="center", size=18, color="0.45"),
            x=linear("query", 0, 1.05 * end, whole=True),
            y=linear("error of the answer", -0.03 * top, top, away=0.115),
            box=(0.131, 0.205, 0.863, 0.685),
        ),
        # of the repaired sparse vector a third each pays for threshold, comparisons, numbers
        budget_meter([1, made / run.cutoff, made / run.cutoff],
                     f"budget used: {(1 + 2 * made / run.cutoff) / 3:.0%}",
                     box=(0.012, 0.02, 0.37, 0.035)),
        size=(7.2, 4.4),
        sentence=_kept(cutoff, alpha, needed, errors.max()),
        named={
            "largest error": errors.max(),
            "promised at most": 3 * alpha if promised else None,
            "updates": made,
            "cutoff c": run.cutoff,
            "answers off by more than 3α": np.count_nonzero(errors > 3 * alpha),
            f"α needed for β = {BETA}": needed,
        },
        numbers={
            "updates that are not valid": np.count_nonzero(run.invalid),
            "all updates spent at query": asked[paid][-1] if spent else None,
            "share of the budget": (1 + 2 * made / run.cutoff) / 3,
            "updates in the first quarter": np.count_nonzero(paid[: num_queries // 4]),
        },
    )  # fmt: skip


def _kept(cutoff, alpha, needed, worst):
    """What is promised of the answers of a run, and what became of it."""
    if cutoff != AS_THE_THEOREM and worst <= 3 * alpha:
        return f"With c = {cutoff} nothing is promised, and yet no answer is off by more than {about(worst)}."
    if cutoff != AS_THE_THEOREM:
        return (
            f"With c = {cutoff} nothing is promised, and the worst answer is off by {about(worst)}."
        )
    if alpha < needed:
        return f"No guarantee: the theorem needs α ≥ {about(needed)}. The worst answer is off by {about(worst)}."
    if 3 * alpha >= 1:
        return f"The promise, 3α = {compact(round(3 * alpha, 12))}, says nothing of a share; the worst answer is off by {about(worst)}."
    return f"Errors of at most 3α = {about(3 * alpha)} are promised; the worst answer is off by {about(worst)}."


def nice_top(value):
    """The end of an axis that shows this value with some room: 1, 1.5, 2, 3, 5 or 7 times 10^j."""
    digits = np.array([1, 1.5, 2, 3, 5, 7, 10]) * 10.0 ** np.floor(np.log10(1.1 * value))
    return digits[np.argmax(digits >= 1.1 * value)]


ALPHAS = np.array([0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5])
ANALYSTS = {
    "predicates": {"color": "ink", "linestyle": "-", "marker": "o", "linewidth": 1.5},
    "marginals": VALUES | {"linewidth": 1.5},
    WORST: EXACT | {"marker": "D", "linewidth": 1.5},
}


@demo(
    alpha=(ALPHAS, 0.3),
    epsilon=(nice(0.1, 10.0), 1.0),
    n=(ROWS, 10**7),
    num_queries=(nice(20, 500), 200),
    seed=0,
    scenes={
        "A large α": dict(),
        "α = 0.1": dict(alpha=0.1),
        "500 queries": dict(alpha=0.1, num_queries=500),
        "The survey’s own rows": dict(alpha=0.1, n=SURVEY),
    },
)
def updates_against_bound(*, alpha, epsilon, n, num_queries, seed):
    """Updates against alpha: of three analysts, the worst from this alpha on, and the bound."""

    def runs(analyst, alphas):
        return [
            survey_run(len(NAMES), analyst, n=n, num_queries=num_queries, alpha=each,
                       epsilon=epsilon, seed=seed)
            for each in alphas
        ]  # fmt: skip

    needed = online_ic_alpha(
        n=n, universe_size=UNIVERSE, num_queries=num_queries, beta=BETA, epsilon=epsilon
    )
    # the curve of the worst is to be guessed to the left of alpha
    shown = {name: ALPHAS[ALPHAS >= alpha] if name == WORST else ALPHAS for name in ANALYSTS}
    curves = [
        line(name, alphas, [run.updated.sum() for run in runs(name, alphas)], ANALYSTS[name])
        for name, alphas in shown.items()
    ]
    now = {name: runs(name, [alpha])[0] for name in ANALYSTS}
    made = {name: int(run.updated.sum()) for name, run in now.items()}
    invalid = {name: int(run.invalid.sum()) for name, run in now.items()}
    allowed = int(mw_updates(universe_size=UNIVERSE, alpha=alpha))
    return picture(
        axes(
            band("no guarantee", 1e-9, needed, {"color": "0.5", "alpha": 0.2, "linewidth": 0}),
            level("all k", num_queries),
            line("B(α)", ALPHAS, mw_updates(universe_size=UNIVERSE, alpha=ALPHAS), THEOREM),
            *curves,
            here("α", alpha),
            x=log("α", 0.018, 0.55, ticks=[0.02, 0.05, 0.1, 0.2, 0.5],
                  names=["0.02", "0.05", "0.1", "0.2", "0.5"], only=True),
            y=symlog("updates", -0.15, 2e5, within=1, share=0.4,
                     ticks=[0, 1, 10, 100, 1e3, 1e4, 1e5],
                     names=["0", "1", "10", "100", "1,000", "10⁴", "10⁵"]),
            box=(0.124, 0.129, 0.871, 0.714),
        ),
        size=(7.2, 4.3),
        legend=3,
        sentence=_forced(made, sum(invalid.values()), allowed, alpha >= needed),
        named=made | {
            "allowed, ⌊B(α)⌋": allowed,
            "not valid": sum(invalid.values()),
            f"α needed for β = {BETA}": needed,
        },
        numbers={f"{name}, not valid": number for name, number in invalid.items()},
    )  # fmt: skip


def _forced(made, invalid, allowed, promised):
    """How many updates the analysts force, and whether the noise has a part in them."""
    most = f"none of the three forces more than {times(max(made.values()), 'update')}"
    if invalid:
        return f"The noise makes updates of its own: {invalid} of the {sum(made.values())} are not valid."
    if not promised:
        return f"At this α nothing is promised, but every update is valid, and {most}."
    if max(made.values()) == 0:
        return (
            f"At this α none of the three forces an update; the theorem allows {compact(allowed)}."
        )
    return f"The theorem allows {compact(allowed)} updates; {most}."


GRID = np.geomspace(1e3, 1e12, 19).round()
ENDS = np.array([1e3, 1e12])
HISTOGRAM = {"color": "0.25", "linestyle": [0, [6, 1, 1, 1, 1, 1]], "linewidth": 2}


@demo(
    universe_size=([2**d for d in (2, 4, 8, 10, 15, 20, 30, 40, 50, 60)], 2**8),
    num_queries=(nice(10, 10**12), 1000),
    epsilon=(nice(0.05, 5.0), 1.0),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], 0.05),
    delta=([1e-12, 1e-9, 1e-6, 1e-3], 1e-6),
    n=(sorted([*nice(1000, 10**12), SURVEY]), SURVEY),
    guess=(nice(1000, 10**9), 10**6),
    curves=(["noise alone", "all"], "noise alone"),
    scenes={
        "Draw your guess": dict(),
        "Reveal, at our survey": dict(curves="all"),
        "A hundred times the rows": dict(n=100 * SURVEY, curves="all"),
        "A million rows": dict(n=10**6, curves="all"),
        "Nothing can be listed": dict(
            universe_size=2**40, num_queries=10**9, n=10**7, curves="all"
        ),
    },
)
def alpha_against_rows(*, universe_size, num_queries, epsilon, beta, delta, n, guess, curves):
    """The error promised by OnlineIC, 3 alpha, by Laplace noise on every answer, and by noise on
    the histogram, which promises it for queries fixed in advance only, against the rows."""

    def promised(alpha_of, delta):
        return 3 * alpha_of(
            n=np.append(GRID, n), universe_size=universe_size, num_queries=num_queries, beta=beta,
            epsilon=epsilon, delta=delta,
        )  # fmt: skip

    def laplace(delta):  # times n
        return answers_alpha(n=1, num_queries=num_queries, beta=beta, epsilon=epsilon, delta=delta)

    def useful(delta):
        return online_ic_useful_n(
            universe_size=universe_size, num_queries=num_queries, beta=beta, epsilon=epsilon,
            delta=delta,
        )  # fmt: skip

    noisy = histogram_alpha(
        n=1, universe_size=universe_size, num_queries=num_queries, beta=beta, epsilon=epsilon
    )
    ours = {
        "Theorem 1, printed": promised(online_ic_alpha_printed, 0.0),
        "repaired, δ = 0": promised(online_ic_alpha, 0.0),
        "repaired, δ > 0": promised(online_ic_alpha, delta),
    }
    if curves == "noise alone":
        ours = dict.fromkeys(ours, np.full(len(GRID) + 1, np.nan))
    straight = {
        "Laplace, basic": (laplace(0.0), BASIC),
        "Laplace, advanced": (laplace(delta), ADVANCED),
        "histogram, fixed queries": (noisy, HISTOGRAM),
    }
    styles = (
        THEOREM | {"linestyle": ":", "linewidth": 2}, THEOREM, THEOREM | {"linestyle": "-"},
    )  # fmt: skip
    now = {name: errors[-1] for name, errors in ours.items()}
    now |= {name: rows / n for name, (rows, _) in straight.items()}
    return picture(
        axes(
            band("says nothing", 1, 30, NO_USE, flat=True, label=None,
                 see="1 or more: says nothing"),
            upright("the survey’s rows", SURVEY, HERE | {"linestyle": ":"}, label=None,
                    see="survey"),
            text("survey", SURVEY * 1.15, 1.4e-4, "survey", va="baseline"),
            text("1 or more", 7e11, 8, "1 or more: says nothing", ha="right", size=13),
            *(line(name, GRID, errors[:-1], style)
              for (name, errors), style in zip(ours.items(), styles, strict=True)),
            *(line(name, ENDS, rows / ENDS, style) for name, (rows, style) in straight.items()),
            bars("here: n", (n, 1e-4), (n, 3.5), {"color": "0.4", "linewidth": 1}, label=None,
                 see="rows n"),  # not through the words
            bars("your guess", (guess, 1e-4), (guess, 3.5), YOURS),
            x=log("rows n", 1e3, 1e12, ticks=10.0 ** np.arange(3, 13)),
            y=log("error promised for all k", 1e-4, 30, ticks=10.0 ** np.arange(-3, 2)),
            box=(0.111, 0.144, 0.855, 0.692),
        ),
        size=(7.2, 4.1),
        legend={"columns": 4, "size": 10.5},
        sentence=_smallest(now, guess),
        named={name: error for name, error in now.items() if not np.isnan(error)},
        numbers={
            "rows from which on 3α < 1": useful(0.0),
            "the same with δ": useful(delta),
        }
        if curves == "all"
        else {},
    )  # fmt: skip


def _smallest(errors, guess):
    """Which of the promises is the best one; before the reveal, what is guessed."""
    if np.isnan(errors["repaired, δ = 0"]):
        return f"Your guess: from {compact(guess)} rows on OnlineIC promises an error below 1."
    ours = min(errors["repaired, δ = 0"], errors["repaired, δ > 0"])
    every = min(errors["Laplace, basic"], errors["Laplace, advanced"])
    fixed = errors["histogram, fixed queries"]
    if min(ours, every, fixed) >= 1:
        return "With so few rows none of these promises says anything of a share."
    if ours < min(every, fixed):
        return f"OnlineIC promises an error of {about(ours)}, noise on the answers or the histogram one of {about(min(every, fixed))} at best."
    better = "Noise on every answer" if every <= fixed else "Noise on the histogram"
    less = f"{better} promises an error of {about(min(every, fixed))}"
    if ours >= 1:
        return f"{less}; what OnlineIC promises says nothing of a share."
    return f"{less}, OnlineIC one of {about(ours)}."
