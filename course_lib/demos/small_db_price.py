"""The figures of notebook 05 on the exact error: against lemma and theorem, and other noise."""

import numpy as np
from matplotlib.lines import Line2D

from course_lib.demos.drawing import (
    ADVANCED,
    BASIC,
    EXACT,
    MEASURED,
    THEOREM,
    bars,
    line,
    place_bars,
)
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.lecture11_sparse import NO_USE
from course_lib.demos.small_db_laplace import BETAS, DELTAS
from course_lib.demos.small_db_sample import NARROW, SAYS_NOTHING
from course_lib.lab.confidence import quantile_interval
from course_lib.lab.histograms import WORKLOADS, workload
from course_lib.lab.small_db import RATES, at_rates, workload_histogram_errors, workload_levels
from course_lib.linear_queries import answers_alpha, fractions
from course_lib.small_db import (
    small_db_error,
    small_db_error_printed,
    small_db_n,
    small_db_n_printed,
)
from course_lib.support.contracts import ParameterError

LEFT = 5
ROWS = np.unique(np.geomspace(LEFT, 1.3e5, 300).round())
WIDE = np.unique(np.geomspace(3, 3e5, 300).round())
ALPHA = 0.6  # where exact_comparison starts
LEAST = {"2 of 64": 0.5, "15 marginals": 0.6, "127 subsets": 0.6}  # below, R is too large
PRINTED = THEOREM | {"linestyle": ":", "linewidth": 1.5}
POINT = {"linestyle": "none", "markersize": 11, "markeredgecolor": "white"}
# carets with their tips on the line at α, one below it and one above
ASKED = POINT | {"color": THEOREM["color"], "marker": 6}
COPIED = POINT | {"color": MEASURED["color"], "marker": 7}
NOISY = MEASURED | {"linestyle": "-", "linewidth": 1, "markersize": 4}
HALF = {"color": "0.45", "linestyle": ":", "linewidth": 2}
STOP = {"color": "0.4", "linewidth": 1.2}
BOX = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    alpha=([0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0], 0.7),
    beta=(BETAS, 0.05),
    n=(nice(10, 10**5), 50),
    attributes=([2, 3], 3),
    size=(7.2, 4.1),
)
def error_against_rows(fig):
    """The largest error of SmallDB run with α/2, against the rows: exact, lemma and theorem."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(LEFT, 1.3e5), ylim=(0, 1.5), yticks=np.arange(0, 1.6, 0.25))
    ax.set(
        xlabel="rows |D| = n, in the survey’s proportions, not rounded",
        ylabel="(1−β)-error, and its bounds",
    )
    ax.axhspan(1, 1.5, **NO_USE)
    ax.text(1.1e5, 1.25, SAYS_NOTHING, va="center", ha="right", color="0.3")
    exact = line(ax, "exact", EXACT | {"drawstyle": "steps-post"})
    lemma = line(ax, "accuracy lemma", THEOREM)
    printed = line(ax, "in the notes", PRINTED)
    target = ax.axhline(0, color="0.5", linewidth=1, animated=True)
    name = ax.text(1.1e5, 0, "α", color="0.3", va="bottom", ha="right", animated=True)
    asked = line(ax, "theorem’s |D|", ASKED)
    copied = line(ax, "|D| with the 6", COPIED)
    here = line(ax, None, EXACT | {"marker": "o", "markersize": 9})
    keys = Line2D([], [], **ASKED | {"marker": "^"}), Line2D([], [], **COPIED | {"marker": "v"})
    shown = [exact, lemma, printed, *keys]
    names = [a.get_label() for a in (exact, lemma, printed, asked, copied)]
    fig.legend(shown, names, loc="outside upper center", ncols=5, frameon=False, **NARROW)

    def update(*, epsilon, alpha, beta, n, attributes):
        at = {"universe_size": 2**attributes, "num_queries": 2**attributes - 1}
        at |= {"beta": beta, "epsilon": epsilon}
        levels = workload_levels(f"{2**attributes - 1} marginals", alpha=alpha / 2)
        rows = np.union1d(ROWS, n)
        errors = levels.error(n=rows, beta=beta, epsilon=epsilon)
        exact.set_data(rows, errors)
        lemma.set_data(rows, small_db_error(n=rows, alpha=alpha / 2, **at))
        printed.set_data(rows, small_db_error_printed(n=rows, alpha=alpha / 2, **at))
        theorem, six = (
            int(np.ceil(f(alpha=alpha, **at))) for f in (small_db_n, small_db_n_printed)
        )
        asked.set_data([theorem], [alpha])
        copied.set_data([six], [alpha])
        target.set_ydata([alpha] * 2)
        name.set_y(alpha)
        error = errors[rows == n][0]
        here.set_data([n], [error])
        bound = small_db_error_printed(n=six, alpha=alpha / 2, **at)
        short = f"{about(bound - alpha)} too much" if bound > alpha else "at most α"
        enough = levels.rows_enough(error=alpha, beta=beta, epsilon=epsilon)
        since = f"from |D| = {enough:,} on"
        if enough <= LEFT:
            since = f"in the whole picture (|D| ≥ {LEFT})"
        return (
            f"SmallDB with α/2 = {alpha / 2:g}. For error α the theorem asks for "
            f"|D| = {theorem:,}, the transcript’s 6 for {six:,}: there the notes’ lemma gives "
            f"{about(bound)} ({short}). The exact (1−β)-error is {about(error)} at "
            f"n = {compact(n)}, and at most α {since}."
        )

    return update


@demo(
    queries=(list(WORKLOADS), "3 marginals"),
    alpha=([0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], ALPHA),
    epsilon=(nice(0.1, 5.0), 1.0),
    beta=(BETAS, 0.05),
    delta=(DELTAS, 1e-6),
    size=(7.2, 4.1),
)
def exact_comparison(fig):
    """The error of SmallDB, of noise on the answers or the histogram, and of ½ for every answer."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(WIDE[0], WIDE[-1]), ylim=(2e-3, 3))
    ax.set(xlabel="rows n, in the survey’s proportions, not rounded", ylabel="(1−β)-error")
    ax.axhspan(1, 3, **NO_USE)
    ax.text(2.6e5, 1.7, SAYS_NOTHING, va="center", ha="right", color="0.3", fontsize=12)
    small = line(ax, "SmallDB", EXACT | {"drawstyle": "steps-post"})
    basic = line(ax, "answers, basic", BASIC)
    advanced = line(ax, "advanced", ADVANCED)
    intervals = bars(ax)
    noisy = line(ax, "histogram, 95%", NOISY)
    half = ax.axhline(1, label="½ for all", **HALF, animated=True)
    stops = [ax.axvline(1, **STOP | {"linestyle": s}, animated=True) for s in (":", "-")]
    word = ax.text(1, 2.3e-3, "", va="bottom", fontsize=11, color="0.3", bbox=BOX, animated=True)
    fig.legend(loc="outside upper center", ncols=5, frameon=False, **NARROW)
    for queries in WORKLOADS:  # now, so that no slider has to wait for it
        workload_levels(queries, alpha=ALPHA)
        workload_histogram_errors(queries)

    def update(*, queries, alpha, epsilon, beta, delta):
        histogram, rows = workload(queries)
        if alpha < LEAST.get(queries, 0):
            raise ParameterError(
                f"α must be at least {LEAST[queries]} for {queries} in this picture, "
                f"got {alpha:g}: below, R has too many databases for a slider"
            )
        levels = workload_levels(queries, alpha=alpha)
        laplace = [  # times n: basic and advanced
            answers_alpha(n=1, num_queries=len(rows), beta=beta, epsilon=epsilon, delta=d)
            for d in (0.0, delta)
        ]
        dots = quantile_interval(workload_histogram_errors(queries), beta=beta)
        guess = np.abs(0.5 - fractions(histogram, rows)).max()
        errors = levels.error(n=WIDE, beta=beta, epsilon=epsilon)
        small.set_data(WIDE, errors)
        for curve, times in zip((basic, advanced), laplace, strict=True):
            curve.set_data(WIDE[[0, -1]], times / WIDE[[0, -1]])
        noisy.set_data(RATES / epsilon, dots[0])
        place_bars(intervals, (RATES / epsilon, dots[1]), (RATES / epsilon, dots[2]))
        half.set_ydata([guess] * 2)
        first = levels.first_beaten(error=min(laplace), beta=beta, epsilon=epsilon)
        always = levels.always_beaten(error=min(laplace), beta=beta, epsilon=epsilon)
        since = f"first at n ≈ {first:,}, always from {always:,} on"
        if first == always:
            since = f"from n ≈ {always:,} on"
        for stop, n in zip(stops, (first, always), strict=True):
            stop.set_xdata([n] * 2)
        word.set_text(" answers better: \n " + since.replace(", ", ", \n ") + " ")
        foot = RATES[np.argmax(dots[0] < 4e-3)] / epsilon  # there the histogram's line comes down
        if first > 60 and not first / 15 < foot < 1.2 * first:
            word.set(x=first, ha="right")
        else:
            word.set(x=always, ha="left")
        low, high = (at_rates(each, epsilon * WIDE) for each in dots[1:])
        others = np.minimum(np.minimum(min(laplace) / WIDE, guess), low)
        kind = "basic" if laplace[0] <= laplace[1] else "advanced"
        end = "histogram" if high[-1] * WIDE[-1] < min(laplace) else "answers"
        return (
            f"SmallDB’s error is at least {about(levels.errors[0])}. ½ for all ({about(guess)}) is "
            f"better {up_to(errors > guess + 1e-9)}; noise on the answers ({kind}), "
            f"{since}; on the histogram, {stretch(errors <= high, 'except ', 'everywhere')}. "
            f"SmallDB is best {stretch(errors < others - 1e-9, 'at ', 'nowhere in the picture')}; "
            f"far right, noise on the {end} is."
        )

    return update


def stretch(holds, before, otherwise):
    """Where something holds in the picture of exact_comparison: the rows n."""
    steps = np.diff(np.concatenate([[0], holds, [0]]).astype(int))
    starts, ends = WIDE[np.flatnonzero(steps > 0)], WIDE[np.flatnonzero(steps < 0) - 1]
    if not len(starts):
        return otherwise
    several = f" ({len(starts)} stretches)" if len(starts) > 1 else ""
    last = f" to {about(ends[-1])}" if ends[-1] > starts[0] else ""
    return f"{before}n ≈ {about(starts[0])}{last}{several}"


def up_to(holds):
    """The same for what holds at first and then never again."""
    if holds.all() or not holds.any():
        return "everywhere" if holds.all() else "nowhere"
    return f"up to n ≈ {about(WIDE[np.argmin(holds) - 1])}"
