"""The pictures of notebook 05: a small database, samples, SmallDB's law, and who promises less."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from course_lib.demos.picture import (
    ADVANCED, BASIC, DOTS, EXACT, MEASURED, NO_USE, RELEASED, THEOREM, VALUES, YOURS, area, axes,
    band, bars, demo, intervals, level, line, linear, log, nice, picture, rates, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact
from course_lib.exact.small_db import (
    Promises, existence_alpha, in_bins, sample_tails, small_db_alpha,
)  # fmt: skip
from course_lib.lab.confidence import quantile_interval
from course_lib.lab.histograms import NAMES, WORKLOADS, scaled_survey, survey_marginals, workload
from course_lib.lab.small_db import (
    RATES, SAMPLES, at_rates, invented_rows, stretches, survey_draw, survey_sample_errors,
    workload_histogram_errors, workload_levels,
)  # fmt: skip
from course_lib.linear_queries import answers_alpha, fractions
from course_lib.small_db import (
    sample_beta, small_db_error, small_db_error_printed, small_db_n, small_db_n_printed,
    small_db_size,
)  # fmt: skip

BETA = 0.05
BETAS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
DELTAS = [1e-12, 1e-9, 1e-6, 1e-3]
ALPHAS = [0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]  # R stays small enough
INVENTED = 8  # rows, one for each attribute: few enough to be seen
SAYS_NOTHING = "1 or more: says nothing"
GREY = {"color": "0.55", "linewidth": 1.5}


def _lemma(epsilon, n, alpha, attributes):
    """What the accuracy lemma promises for all marginals, except with probability BETA."""
    return small_db_error(
        n=n, universe_size=2**attributes, num_queries=2**attributes - 1, alpha=alpha, beta=BETA,
        epsilon=epsilon,
    )  # fmt: skip


def _rows(names, label=""):
    """An axis with a line for each name, the first on top."""
    return linear(label, len(names) - 0.4, -0.6, ticks=range(len(names)), names=names, size=11)


def _two_lines(name):
    """A marginal of three attributes, broken after the second."""
    return name if name.count(" and ") < 2 else "\nand ".join(name.rsplit(" and ", 1))


@demo(
    rows=(range(1, INVENTED + 1), 1),
    time="rows",
    scenes={
        "The first row": dict(),
        "Four rows": dict(rows=4),
        "Eight rows": dict(rows=INVENTED),
    },
)
def invented(*, rows):
    """All marginals of eight attributes, on the survey and on the first of eight invented rows."""
    universe, histogram, queries = survey_marginals(len(NAMES))
    chosen = invented_rows(len(NAMES), size=INVENTED, seed=0)[:rows]
    small = np.bincount(chosen, minlength=len(universe))
    values, answers = fractions(histogram, queries), fractions(small, queries)
    errors = np.abs(values - answers)
    worst = int(errors.argmax())
    bits = np.array([list(universe.elements[element]) for element in chosen]) == "1"
    row, attribute = np.indices(bits.shape)
    square = DOTS | {"marker": "s", "markersize": 15, "markeredgecolor": "ink"}
    ring = {"color": "none", "marker": "o", "markersize": 15, "markeredgecolor": "ink"}
    return picture(
        axes(
            line("yes", attribute[bits], row[bits], square | {"color": "ink"}),
            line("no", attribute[~bits], row[~bits], square | {"color": "none"}),
            x=linear("", -0.6, len(NAMES) - 0.4, ticks=range(len(NAMES)), names=NAMES, size=11,
                     rotation=90, bare=True),
            y=linear("", INVENTED - 0.4, -0.6, ticks=range(INVENTED),
                     names=range(1, INVENTED + 1), bare=True),
            box=(0.04, 0.235, 0.38, 0.605),
            title="invented rows",
        ),
        axes(
            line("equal", [0, 1], [0, 1], {"color": "0.55", "linewidth": 1}),
            line("one question", values, answers, MEASURED | {"markersize": 5}),
            line("largest error", [values[worst]], [answers[worst]], ring),
            x=linear("share of the survey", -0.03, 1.03, ticks=[0, 0.5, 1]),
            y=linear("share of the invented rows", -0.03, 1.03, ticks=[0, 0.5, 1]),
            box=(0.555, 0.145, 0.425, 0.695),
            title=f"{len(queries)} questions",
        ),
        size=(7.2, 4.2),
        legend={"columns": 5, "size": 11},
        sentence=_answered(rows, len(queries), errors[worst]),
        named={"largest error": errors[worst], "on": queries.names[worst], "rows": rows},
        numbers={
            "questions": len(queries),
            "elements": [universe.elements[element] for element in chosen],
            "real answers": values,
            "invented answers": answers,
        },
    )  # fmt: skip


def _answered(rows, questions, error):
    who = "One invented row answers" if rows == 1 else f"{rows} invented rows answer"
    return f"{who} all {questions} questions within {about(error)}."


@demo(
    epsilon=(nice(0.05, 10.0), 1.0),
    n=(nice(20, 20_190), 100),
    alpha=(ALPHAS, 0.8),
    attributes=([2, 3], 3),
    seed=1,
    again="New draw",
    scenes={
        "Four rows for a hundred": dict(),
        "Eight rows for a hundred": dict(alpha=0.5),
        "Eight rows for the whole survey": dict(alpha=0.5, n=20_190),
        "Hardly any ε": dict(alpha=0.5, epsilon=0.05),
    },
)
def small_beside_real(*, epsilon, n, alpha, attributes, seed):
    """The elements and the marginals of the real database and of the small one it releases."""
    universe, _, queries = survey_marginals(attributes)
    histogram = scaled_survey(attributes, n=n)
    released, errors = survey_draw(attributes, n=n, alpha=alpha, epsilon=epsilon, seed=seed)
    shares, small_shares = histogram / n, released / released.sum()
    values, small_values = fractions(histogram, queries), fractions(released, queries)
    elements, marginals = np.arange(len(shares)), np.arange(len(values))
    worst, bound = int(errors.argmax()), _lemma(epsilon, n, alpha, attributes)
    share_error, guess_error = np.abs(shares - small_shares).max(), np.abs(0.5 - values).max()
    promised = {"color": "vermilion", "linewidth": 9, "alpha": 0.3}
    real = VALUES | DOTS | {"markersize": 10}
    ring = {"color": "none", "marker": "o", "markersize": 18, "markeredgecolor": "ink"}
    ends = np.maximum(values - bound, 0), np.minimum(values + bound, 1)
    return picture(
        axes(
            bars("errors of shares", (shares, elements), (small_shares, elements), GREY,
                 label=None, see="error"),
            line("real shares", shares, elements, real, label=None, see="real"),
            line("small shares", small_shares, elements, RELEASED, label=None, see="small"),
            x=linear("share of the rows", -0.04, 1.04, ticks=[0, 0.5, 1]),
            y=_rows(universe.elements, "bits: " + ", ".join(universe.names)),
            box=(0.094, 0.128, 0.262, 0.72),
            title="elements",
        ),
        axes(
            bars("accuracy lemma, β = 0.05", (ends[0], marginals), (ends[1], marginals), promised),
            bars("error", (values, marginals), (small_values, marginals), GREY),
            line("real", values, marginals, real),
            line("small", small_values, marginals, RELEASED),
            line("largest error", [small_values[worst]], [worst], ring),
            x=linear("answer", -0.04, 1.04, ticks=[0, 0.5, 1]),
            y=_rows([_two_lines(name) for name in queries.names]),
            box=(0.596, 0.128, 0.393, 0.72),
            title="marginals",
        ),
        size=(7.2, 4.35),
        legend={"columns": 5, "size": 11},
        sentence=_fits(released.sum(), len(values), errors[worst], share_error, guess_error),
        named={
            "largest error": errors[worst],
            "on": queries.names[worst],
            "promised at most": bound,
            "largest error of a share": share_error,
            "rows m": released.sum(),
        },
        numbers={
            "marginals": queries.names,
            "real answers": values,
            "small answers": small_values,
            "real shares": shares,
            "small shares": small_shares,
            "½ for every answer is off by": guess_error,
        },
    )  # fmt: skip


def _fits(size, number, error, share_error, guess_error):
    """How good the small database is, on marginals and on elements."""
    if error > guess_error + 1e-9:
        return f"This draw is off by {about(error)}: to answer ½ to everything would be better."
    rows = f"{size} rows answer all {number} marginals within {about(error)}"
    if share_error > error + 1e-9:
        return f"{rows}; the share of some element is off by more, {about(share_error)}."
    return f"{rows}, and no element’s share is off by more than that."


@demo(
    sample=(nice(5, 2000), 100),
    attributes=(range(2, len(NAMES) + 1), len(NAMES)),
    guess=(np.arange(2, 51) / 100, 0.3),
    curves=(["bounds alone", "all"], "bounds alone"),
    seed=0,
    again="New samples",
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(curves="all"),
        "Fifty rows, seven marginals": dict(sample=50, attributes=3, curves="all"),
        "Too few for the lemma": dict(sample=5, curves="all"),
    },
)
def sample_is_enough(*, sample, attributes, guess, curves, seed):
    """How often a sample of m rows of the survey is off by more than α on some marginal.

    With the bounds alone it shows a guess: within what nineteen samples in twenty are.
    """
    revealed = curves == "all"
    number, (_, histogram, queries) = 2**attributes - 1, survey_marginals(attributes)
    lemma = small_db_alpha(num_queries=number, size=sample)
    grid = np.union1d(np.geomspace(0.004, 1, 90), min(lemma, 1.0))  # no share is off by more than 1
    union = sample_beta(num_queries=number, size=sample, alpha=grid)
    single = sample_beta(num_queries=1, size=sample, alpha=grid)
    tails = sample_tails(histogram, queries, size=sample, alpha=grid)
    errors = survey_sample_errors(attributes, size=sample, seed=seed)
    # about the same for every m, and the lemma's
    probes = np.append(np.array([0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.8]) / sample**0.5, lemma)
    seen = SAMPLES - np.searchsorted(errors, probes, side="right")
    shown = (seen > 0) | (probes == lemma)
    measured = rates(probes[shown], seen[shown], SAMPLES)
    low, high = (measured[end][-1] for end in ("low", "high"))
    half, most = np.quantile(errors, [0.5, 0.95], method="inverted_cdf")
    found = {
        "exact tails there": tails[np.searchsorted(grid, min(lemma, 1.0))],
        "measured there": [low, high],
        "half the samples within": half,
        "95% of samples within": most,
    }
    cap = MEASURED | {"marker": "_", "markersize": 16, "markeredgewidth": 3}
    if revealed:
        told = f"Nineteen samples in twenty are within {about(most)} on all {number} marginals; "
        told += f"the lemma’s α is {about(lemma)}." if lemma < 1 else "the lemma’s α says nothing."
    else:
        measured = intervals(measured["name"], [], [], [], [])
        told = f"Your guess: nineteen samples in twenty are within {compact(guess)} on all {number} marginals."
    return picture(
        axes(
            band("no use", 1, 1e3, NO_USE, flat=True, label=None, see=SAYS_NOTHING),
            text(SAYS_NOTHING, 1.2, 480, SAYS_NOTHING, ha="right", size=12),
            bars("the lemma’s α", (lemma, 1e-5), (lemma, 1), {"color": "0.55", "linewidth": 1},
                 label=None, see="existence lemma"),
            level("one in twenty", 0.05, word="1 in 20"),
            line("union bound", grid, union, THEOREM),
            line("Hoeffding, one query", grid, single, {"color": "0.45", "linestyle": ":"}),
            line("sum of exact tails", grid, np.maximum(tails, 1e-30 if revealed else np.nan), EXACT),
            measured,
            # the upper end of an interval without a dot
            line("none was seen", [lemma], [None if seen[-1] or not revealed else high], cap, label=None,
                 see="measured, 95%"),
            upright("your guess", guess, YOURS),
            line("existence lemma", [lemma], [2 / number], THEOREM | DOTS | {"marker": "D"}),
            x=log("error α", 0.004, 1.3, ticks=[0.01, 0.1, 1], names=["0.01", "0.1", "1"]),
            y=log("probability: off by more than α", 1e-5, 1e3),
            box=(0.111, 0.126, 0.883, 0.715),
        ),
        size=(7.2, 4.4),
        legend={"columns": 4, "size": 10.5},
        sentence=told,
        named={"α of the lemma": lemma, "union bound there": 2 / number}
        | (found if revealed else {}),
        numbers={
            "marginals": number,
            "α up to which the union bound says nothing": existence_alpha(
                num_queries=number, size=sample
            ),
        },
    )  # fmt: skip


@demo(
    epsilon=(nice(0.05, 10.0), 1.0),
    n=(nice(20, 20_190), 100),
    alpha=(ALPHAS, 0.5),
    attributes=([2, 3], 3),
    seed=1,
    again="New draw",
    scenes={
        "A hundred rows": dict(),
        "Half the rows": dict(n=50),
        "Half of ε": dict(epsilon=0.5),
        "Twenty rows": dict(n=20),
        "Twenty rows, a smaller α": dict(n=20, alpha=0.35),
    },
)
def law_over_small_databases(*, epsilon, n, alpha, attributes, seed):
    """The errors of all small databases, and the chance that SmallDB gives to each."""
    levels = workload_levels(f"{2**attributes - 1} marginals", n=n, alpha=alpha)
    number, bins = int(levels.counts.sum()), 40
    edges = np.repeat(np.linspace(0, 1, bins + 1), 2)
    uniform = in_bins(levels.errors, levels.counts / number, bins=bins)
    chances = in_bins(levels.errors, levels.law(n=n, epsilon=epsilon), bins=bins)
    _, errors = survey_draw(attributes, n=n, alpha=alpha, epsilon=epsilon, seed=seed)
    drawn, bound = errors.max(), _lemma(epsilon, n, alpha, attributes)
    height = in_bins([drawn], [1.0], bins=bins) @ chances
    few = max(number // 100, 1)
    chance = levels.best_probability(n=n, num_candidates=few, epsilon=epsilon)
    return picture(
        axes(
            area("uniform on R", edges[1:-1], np.full(2 * bins, 1e-9),
                 np.repeat(np.maximum(uniform, 1e-12), 2), {"color": "0.8"}),
            line("SmallDB", edges, [1e-12, *np.repeat(np.maximum(chances, 1e-12), 2), 1e-12], EXACT),
            upright("best", levels.errors[0], {"color": "ink", "linestyle": ":"}),
            upright("accuracy lemma", bound, THEOREM),
            upright("α", alpha, label=None, see="α"),
            # left of its line, because the lemma's may be just right of it
            text("name of α", alpha, 0.98, "α ", within="x", ha="right", va="top"),
            line("this draw", [drawn], [height], MEASURED | {"markersize": 9}),
            x=linear("largest error on a marginal", -0.01, 1.01),
            y=log("probability of the bin", 1e-7, 3),
            box=(0.111, 0.132, 0.872, 0.772),
        ),
        size=(7.2, 4.2),
        legend={"columns": 5, "size": 11},
        sentence=_found(number, few, chance),
        named={
            "probability of the best": chance,
            "best is off by": levels.errors[0],
            "this draw is off by": drawn,
            f"exact error, β = {BETA}": levels.error(n=n, beta=BETA, epsilon=epsilon),
            "promised at most": bound,
            "databases in R": number,
        },
        numbers={
            "databases counted as the best": few,
            "rows m": small_db_size(num_queries=2**attributes - 1, alpha=alpha),
        },
    )  # fmt: skip


def _found(number, few, chance):
    """How likely SmallDB finds one of the best databases."""
    best = "one of the best 1% of all databases" if few > 1 else f"the best of {number} databases"
    likely = about(chance) if chance < 0.9995 else "above 0.999"
    if chance < 0.5:
        return f"With so little ε·n SmallDB finds {best} with probability {likely} only."
    return f"SmallDB finds {best} with probability {likely}."


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    alpha=([0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0], 0.7),
    beta=(BETAS, 0.05),
    n=(nice(10, 10**5), 50),
    attributes=([2, 3], 2),
    scenes={
        "Two attributes": dict(),
        "Three attributes": dict(attributes=3),
        "With the theorem’s rows": dict(attributes=3, n=206),
        "With a hundred thousand rows": dict(attributes=3, n=10**5),
    },
)
def error_against_rows(*, epsilon, alpha, beta, n, attributes):
    """The largest error of SmallDB run with α/2, against the rows: exact, lemma and theorem."""
    left, universe, number = 5, 2**attributes, 2**attributes - 1
    levels = workload_levels(f"{number} marginals", alpha=alpha / 2)
    rows = np.union1d(np.geomspace(left, 1.3e5, 300).round(), n)
    errors = levels.error(n=rows, beta=beta, epsilon=epsilon)

    def promised(bound, rows):
        return bound(n=rows, universe_size=universe, num_queries=number, alpha=alpha / 2,
                     beta=beta, epsilon=epsilon)  # fmt: skip

    theorem, six = (
        int(np.ceil(asked(universe_size=universe, num_queries=number, alpha=alpha, beta=beta,
                          epsilon=epsilon)))
        for asked in (small_db_n, small_db_n_printed)
    )  # fmt: skip
    at_six = promised(small_db_error_printed, six)
    error, enough = (
        errors[rows == n][0],
        levels.rows_enough(error=alpha, beta=beta, epsilon=epsilon),
    )
    # with their tips on the line at α, one below it and one above
    tip, tips = 0.038, DOTS | {"markersize": 11, "markeredgecolor": "paper"}
    if n < theorem:
        short = ", the 6 for too few by the notes’ lemma" if at_six > alpha else ""
        truly = "all n shown are enough" if enough <= left else f"{enough} are enough"
        sentence = (
            f"The theorem asks for {theorem:,} rows for an error of α{short}; in truth {truly}."
        )
    else:
        sentence = f"With {compact(n)} rows the theorem promises an error of α = {alpha:g}; in truth it is {about(error)}."
    return picture(
        axes(
            band("no use", 1, 1.5, NO_USE, flat=True, label=None, see=SAYS_NOTHING),
            text(SAYS_NOTHING, 1.1e5, 1.25, SAYS_NOTHING, ha="right", size=13),
            line("exact", rows, errors, EXACT | {"drawstyle": "steps-post"}),
            line("accuracy lemma", rows, promised(small_db_error, rows), THEOREM),
            line("in the notes", rows, promised(small_db_error_printed, rows),
                 THEOREM | {"linestyle": ":", "linewidth": 1.5}),
            level("α", alpha, word="α"),
            line("theorem’s |D|", [theorem], [alpha - tip],
                 tips | {"color": "vermilion", "marker": "^"}),
            line("|D| with the 6", [six], [alpha + tip], tips | {"color": "ink", "marker": "v"}),
            line("here", [n], [error], EXACT | {"marker": "o", "markersize": 9}, label=None,
                 see="exact"),
            x=log("rows |D| = n, in the survey’s proportions, not rounded", left, 1.3e5),
            y=linear("(1−β)-error, and its bounds", 0, 1.5, ticks=np.arange(0, 1.6, 0.25)),
            box=(0.108, 0.144, 0.886, 0.69),
        ),
        size=(7.2, 4.1),
        legend={"columns": 3, "size": 11},
        sentence=sentence,
        named={
            "theorem asks for": theorem,
            "the 6 asks for": six,
            "the notes’ lemma there": at_six,
            "enough in truth": enough,
            "exact error at n": error,
            "best in R is off by": levels.errors[0],
        },
    )  # fmt: skip


LEAST_ROWS, MOST_ROWS, NAMED_ROWS = 1e2, 1e10, 10**6  # of the map, and those of its sentence
REGIONS = {
    "nothing below 1": {"facecolor": "0.9"},
    "SmallDB": {"facecolor": ["vermilion", 0.3], "hatch": "//"},
    "histogram": {"facecolor": ["yellow", 0.5], "hatch": "--"},
    "answers, basic": {"facecolor": ["green", 0.35], "hatch": ".."},
    "answers, advanced": {"facecolor": ["purple", 0.4], "hatch": "\\\\"},
}


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    beta=(BETAS, 0.05),
    delta=(DELTAS, 1e-6),
    universe_size=([2**d for d in (8, 10, 15, 20, 25, 30, 40, 50, 60)], 2**15),
    scenes={
        "Fifteen attributes": dict(),
        "Twenty attributes": dict(universe_size=2**20),
        "Thirty attributes": dict(universe_size=2**30),
        "Forty attributes": dict(universe_size=2**40),
        "Sixty attributes": dict(universe_size=2**60),
    },
)
def smaller_promise(*, epsilon, beta, delta, universe_size):
    """A map, made from the bounds: which of four mechanisms promises the smallest error."""
    promises = Promises(universe_size=universe_size, beta=beta, epsilon=epsilon, delta=delta)
    queries, last = np.unique(np.geomspace(2, 1e12, 121).round()), 10**12
    regions = promises.regions(queries)
    leads = promises.leads(n=NAMED_ROWS, most=last)
    begins = {name: float(k) for name, k in leads}
    basic, advanced, histogram, small = promises.least(n=NAMED_ROWS, num_queries=last)
    since = float(leads[-1][1])
    if "SmallDB" in begins:
        told = f"SmallDB’s promise is the smallest from about {about(since)} queries on"
        there = promises.small_db(n=NAMED_ROWS, num_queries=since)
    else:
        told = f"the histogram’s promise is the smallest from about {about(since)} queries on, SmallDB’s nowhere here"
        there = None
    return picture(
        axes(
            *[_area(name, *regions[name]) for name in REGIONS],
            line("SmallDB promises 0.1", queries,
                 promises.small_db_n(num_queries=queries, error=0.1), THEOREM),
            level("10⁶ rows", NAMED_ROWS, {"color": "0.3", "linewidth": 1}, label=None,
                  see="change at 10⁶"),
            line("change at 10⁶", [k for _, k in leads[1:]],
                 [NAMED_ROWS] * (len(leads) - 1), DOTS | {"color": "0.2", "marker": "D",
                                                          "markersize": 9}),
            *[_name(name, *regions[name]) for name in REGIONS],
            x=log("number of queries |Q|", 2, 1e12, ticks=10.0 ** np.arange(1, 13)),
            y=log("rows n", LEAST_ROWS, MOST_ROWS),
            box=(0.108, 0.136, 0.859, 0.667),
            title="smallest promise: from the bounds, not from runs",
        ),
        size=(7.2, 4.35),
        legend={"columns": 4, "size": 10.5},
        sentence=f"With {compact(NAMED_ROWS)} rows {told}.",
        named={
            "SmallDB leads from |Q|": begins.get("SmallDB"),
            "there it promises": there,
            "histogram leads from |Q|": begins.get("histogram"),
            "SmallDB at |Q| = 10¹²": small,
            "histogram at |Q| = 10¹²": histogram,
            "answers at |Q| = 10¹²": min(basic, advanced),
        },
        numbers={
            "leaders": [name for name, _ in leads],
            "from |Q|": [k for _, k in leads],
        },
    )  # fmt: skip


def _area(name, queries, low, high):
    """A region of the map, cut to its frame."""
    low, high = (np.clip(ends, LEAST_ROWS, MOST_ROWS) for ends in (low, high))
    return area(name, queries, low, high, REGIONS[name] | {"edgecolor": "paper"})


def _name(name, queries, low, high):
    """The name of a region where it fits, or nowhere; upright where the region is narrow."""
    narrow = name == "answers, basic"
    words = name if narrow else name.replace(", ", ",\n").replace(" below", "\nbelow")
    columns, needed = (5, 2.2) if narrow else (19, 0.9)  # the latter in powers of ten
    floor, ceiling = (np.log10(np.clip(ends, LEAST_ROWS, MOST_ROWS)) for ends in (low, high))
    x, y = [], []
    if len(queries):
        # over so many columns about each place
        floor, ceiling = (
            sliding_window_view(np.pad(ends, columns // 2, constant_values=beyond), columns)
            for ends, beyond in ((floor, 99), (ceiling, -99))
        )
        floor, ceiling = floor.max(axis=1), ceiling.min(axis=1)
        widest = np.argmax(ceiling - floor)
        height = (ceiling - floor)[widest]
        share = 0.75 if height > 3 else 0.5  # where there is room, above the lines
        if name == "SmallDB":  # or below them
            share = 0.3
        if height > needed:
            x, y = [queries[widest]], [10 ** (floor[widest] + share * height)]
    return text(f"name: {name}", x, y, [words] * len(x), color="ink", size=12, ha="center",
                rotation=90 if narrow else 0, box=True)  # fmt: skip


def _alphas(queries):
    """The α for which R is small enough for a slider."""
    least = {"2 of 64": 0.5, "15 marginals": 0.6, "127 subsets": 0.6}.get(queries, 0)
    return [alpha for alpha in ALPHAS if alpha >= least]


@demo(
    queries=(list(WORKLOADS), "3 marginals"),
    alpha=(_alphas, 0.6),
    epsilon=(nice(0.1, 5.0), 1.0),
    beta=(BETAS, 0.05),
    delta=(DELTAS, 1e-6),
    scenes={
        "Three marginals": dict(),
        "Seven marginals": dict(queries="7 marginals"),
        "Seven marginals, a lucky α": dict(queries="7 marginals", alpha=0.9),
        "All subsets of eight elements": dict(queries="127 subsets"),
        "Two queries on 64 elements": dict(queries="2 of 64", alpha=0.5),
    },
)
def exact_comparison(*, queries, alpha, epsilon, beta, delta):
    """The error of SmallDB, of noise on the answers or the histogram, and of ½ for every answer."""
    histogram, rows = workload(queries)
    n = np.unique(np.geomspace(3, 3e5, 300).round())
    levels = workload_levels(queries, alpha=alpha)
    errors = levels.error(n=n, beta=beta, epsilon=epsilon)
    noisy = quantile_interval(workload_histogram_errors(queries), beta=beta)
    low, high = (at_rates(ends, epsilon * n) for ends in noisy[1:])
    basic, advanced = (  # times n
        answers_alpha(n=1, num_queries=len(rows), beta=beta, epsilon=epsilon, delta=used)
        for used in (0.0, delta)
    )
    answers, guess = min(basic, advanced), np.abs(0.5 - fractions(histogram, rows)).max()
    first = levels.first_beaten(error=answers, beta=beta, epsilon=epsilon)
    always = levels.always_beaten(error=answers, beta=beta, epsilon=epsilon)
    best = stretches(n, errors < np.minimum(np.minimum(answers / n, guess), low) - 1e-9)
    behind = stretches(n, errors <= high)  # the histogram
    guessed = stretches(n, errors > guess + 1e-9)
    end = "histogram" if high[-1] * n[-1] < answers else "answers"
    since = f"from n = {always:,} on"
    if first < always:
        since = f"first at n = {first:,}, \n always from {always:,} on"
    words = f" answers better: \n {since} "
    foot = RATES[np.argmax(noisy[0] < 4e-3)] / epsilon  # there the histogram's line comes down
    room = int(first > 60 and not first / 15 < foot < 1.2 * first)  # left of the lines
    stop, ends = {"color": "0.4", "linewidth": 1.2}, n[[0, -1]]
    return picture(
        axes(
            band("no use", 1, 3, NO_USE, flat=True, label=None, see=SAYS_NOTHING),
            text(SAYS_NOTHING, 2.6e5, 1.7, SAYS_NOTHING, ha="right", size=12),
            line("SmallDB", n, errors, EXACT | {"drawstyle": "steps-post"}),
            line("answers, basic", ends, basic / ends, BASIC),
            line("advanced", ends, advanced / ends, ADVANCED),
            intervals("histogram, 95%", RATES / epsilon, *noisy,
                      MEASURED | {"linestyle": "-", "linewidth": 1, "markersize": 4}),
            level("½ for all", guess, {"color": "0.45", "linestyle": ":", "linewidth": 2}),
            upright("answers first better", first, stop | {"linestyle": ":"}, label=None,
                    see="answers better"),
            upright("answers always better", always, stop, label=None, see="answers better"),
            # on the side where there is room
            text("answers better, left", [first][:room], [2.3e-3][:room], [words][:room],
                 ha="right", va="bottom", box=True),
            text("answers better, right", [always][room:], [2.3e-3][room:], [words][room:],
                 ha="left", va="bottom", box=True),
            x=log("rows n, in the survey’s proportions, not rounded", 3, 3e5),
            y=log("(1−β)-error", 2e-3, 3),
            box=(0.112, 0.144, 0.883, 0.69),
        ),
        size=(7.2, 4.1),
        legend={"columns": 3, "size": 11},
        sentence=f"{_best(best, levels.errors[0])}; with many rows, noise on the {end} is.",
        named={
            "SmallDB is best at n": _span(best),
            "SmallDB comes down to": levels.errors[0],
            "answers always ahead from n": always,
            "histogram last behind at n": behind[-1][1] if behind else None,
            "½ for all is off by": guess,
            "½ better than SmallDB at n": _span(guessed),
        },
        numbers={
            "answers first ahead at n": first,
            "SmallDB is best, stretches": best,
            "histogram behind, stretches": behind,
            "composition of the answers": "basic" if basic <= advanced else "advanced",
            "best with many rows": end,
        },
    )  # fmt: skip


def _span(found):
    """From the first to the last of some stretches."""
    return [found[0][0], found[-1][1]] if found else None


def _best(found, least):
    """Where SmallDB is the best."""
    if not found:
        return f"SmallDB comes down to {about(least)} and is clearly the best at no n shown"
    low, high = map(about, _span(found))
    if low == high:
        return f"SmallDB is the best only near n = {low}"
    now_and_then = "now and then " if len(found) > 1 else ""
    return f"SmallDB is the best {now_and_then}from n ≈ {low} to {high}"
