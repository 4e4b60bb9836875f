"""The figures of notebook 06 on prices: the number of updates, and alpha against the rows."""

import numpy as np

from course_lib.demos.drawing import ADVANCED, BASIC, EXACT, THEOREM, VALUES, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.lecture11_sparse import NO_USE
from course_lib.demos.online_ic import BETA, ROWS
from course_lib.demos.small_db_laplace import BETAS, DELTAS
from course_lib.exact.online_ic import online_ic_useful_n
from course_lib.lab.histograms import NAMES
from course_lib.lab.online_ic import WORST, update_counts
from course_lib.linear_queries import answers_alpha, histogram_alpha
from course_lib.online_ic import mw_updates, online_ic_alpha, online_ic_alpha_printed

ALPHAS = np.array([0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5])
UNIVERSE = 2 ** len(NAMES)
LINES = {
    "predicates": {"color": "black", "linestyle": "-", "marker": "o"},
    "marginals": VALUES,
    WORST: EXACT | {"marker": "D"},
}


@demo(
    alpha=(ALPHAS, 0.3),
    epsilon=(nice(0.1, 10.0), 1.0),
    n=(ROWS, 10**7),
    num_queries=(nice(20, 500), 200),
    seed=0,
    size=(7.2, 4.3),
)
def updates_against_bound(fig):
    """Updates against alpha: of three analysts, the worst from this alpha on, and the bound."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(0.018, 0.55), xlabel="α", ylabel="updates")
    ax.set_yscale("symlog", linthresh=1, linscale=0.4)
    ax.set_ylim(-0.15, 2e5)
    ax.set_xticks([0.02, 0.05, 0.1, 0.2, 0.5], ["0.02", "0.05", "0.1", "0.2", "0.5"])
    ax.set_xticks([], minor=True)
    ax.set_yticks([0, 1, 10, 100, 1e3, 1e4, 1e5])
    ax.set_yticklabels(["0", "1", "10", "100", "1,000", "10⁴", "10⁵"])
    unsure = ax.axvspan(1e-9, 1, color="0.5", alpha=0.2, linewidth=0, animated=True)
    unsure.set_label("no guarantee")
    all_queries = ax.axhline(1, label="all k", color="0.5", linewidth=1, animated=True)
    bound = line(ax, "B(α)", THEOREM)
    bound.set_data(ALPHAS, mw_updates(universe_size=UNIVERSE, alpha=ALPHAS))
    curves = {name: line(ax, name, style | {"linewidth": 1.5}) for name, style in LINES.items()}
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=12)

    def update(*, alpha, epsilon, n, num_queries, seed):
        def counts(analyst, alpha):
            return update_counts(
                len(NAMES),
                analyst,
                n=n,
                num_queries=num_queries,
                alpha=alpha,
                epsilon=epsilon,
                seed=seed,
            )

        for name, curve in curves.items():
            shown = (
                ALPHAS[ALPHAS >= alpha] if name == WORST else ALPHAS
            )  # the rest is to be guessed
            curve.set_data(shown, [counts(name, each)[0] for each in shown])
        here.set_xdata([alpha] * 2)
        all_queries.set_ydata([num_queries] * 2)
        needed = online_ic_alpha(
            n=n, universe_size=UNIVERSE, num_queries=num_queries, beta=BETA, epsilon=epsilon
        )
        unsure.set_width(needed)
        made, invalid = zip(*(counts(name, alpha) for name in curves), strict=True)
        told = ", ".join(f"{name} {many:,}" for name, many in zip(curves, made, strict=True))
        wrong = f"{sum(invalid):,} of the {sum(made):,} are" if sum(invalid) else "None is"
        sure = "at least" if alpha >= needed else "below"
        return (
            f"α = {alpha:g}, ε = {epsilon:g}, n = {compact(n)}, k = {num_queries:,}: updates for "
            f"{told}; B(α) = {int(mw_updates(universe_size=UNIVERSE, alpha=alpha)):,}. {wrong} "
            f"invalid (gap below α, or value α off). α is {sure} the {about(needed)} that the "
            f"guarantee needs for β = {BETA}."
        )

    return update


SURVEY = 20_190
GRID = np.geomspace(1e3, 1e12, 19).round()
ENDS = np.array([1e3, 1e12])
PRINTED = THEOREM | {"linestyle": ":", "linewidth": 2}
WITH_DELTA = THEOREM | {"linestyle": "-"}
HISTOGRAM = {"color": "0.25", "linestyle": (0, (6, 1, 1, 1, 1, 1)), "linewidth": 2}
PROMISES = {
    "Theorem 1, printed": (online_ic_alpha_printed, PRINTED),
    "repaired, δ = 0": (online_ic_alpha, THEOREM),
    "repaired, δ > 0": (online_ic_alpha, WITH_DELTA),
}


@demo(
    universe_size=([f"2^{d}" for d in (2, 4, 8, 10, 15, 20, 30, 40, 50, 60)], "2^30"),
    num_queries=(nice(10, 10**12), 10**6),
    epsilon=(nice(0.05, 5.0), 1.0),
    beta=(BETAS, 0.05),
    delta=(DELTAS, 1e-6),
    n=(sorted([*nice(1000, 10**12), SURVEY]), 10**6),
    size=(7.2, 4.1),
)
def alpha_against_rows(fig):
    """The error promised by OnlineIC, 3 alpha, by Laplace noise on every answer, and by noise on
    the histogram, which promises it for queries fixed in advance only, against the rows."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=ENDS, ylim=(1e-4, 30))
    ax.set(xlabel="rows n", ylabel="error promised for all k")
    ax.set_xticks(10.0 ** np.arange(3, 13))
    ax.axhspan(1, 30, **NO_USE)
    ax.text(7e11, 8, "1 or more: says nothing", va="center", ha="right", color="0.3")
    ax.axvline(SURVEY, color="0.5", linewidth=1, linestyle=":")
    ax.text(SURVEY * 1.15, 1.4e-4, "survey", color="0.3", fontsize=11)
    curves = {name: line(ax, name, style) for name, (_, style) in PROMISES.items()}
    basic = line(ax, "Laplace, basic", BASIC)
    advanced = line(ax, "Laplace, advanced", ADVANCED)
    histogram = line(ax, "histogram, fixed queries", HISTOGRAM)
    here = ax.axvline(1, ymax=0.83, color="0.4", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=12)

    def update(*, universe_size, num_queries, epsilon, beta, delta, n):
        at = {"universe_size": 2.0 ** int(universe_size[2:]), "num_queries": num_queries}
        at |= {"beta": beta, "epsilon": epsilon}
        deltas = dict(zip(PROMISES, (0.0, 0.0, delta), strict=True))
        promised = {}
        for name, (alpha_at, _) in PROMISES.items():
            *errors, promised[name] = 3 * alpha_at(n=np.append(GRID, n), delta=deltas[name], **at)
            curves[name].set_data(GRID, errors)
        laplace = [  # times n: basic and advanced
            answers_alpha(n=1, num_queries=num_queries, beta=beta, epsilon=epsilon, delta=d)
            for d in (0.0, delta)
        ]
        noisy = histogram_alpha(n=1, **at)
        for curve, rows in zip((basic, advanced, histogram), (*laplace, noisy), strict=True):
            curve.set_data(ENDS, rows / ENDS)
        here.set_xdata([n] * 2)
        printed, pure, approximate = promised.values()
        first, then = (online_ic_useful_n(**at, delta=d) for d in (0.0, delta))
        found = {"OnlineIC": min(pure, approximate), "Laplace": min(laplace) / n}
        found |= {"histogram": noisy / n}
        best = min(found, key=found.get)
        told = f"Smallest: {best}." if found[best] < 1 else "All say nothing."
        return (
            f"|X| = {universe_size}, k = {compact(num_queries)}, ε = {epsilon:g}, β = {beta:g}: "
            f"3α is below 1 from n ≈ {about(first)} on (δ = {compact(delta)}: "
            f"{about(then)}). At n = {compact(n)} it is {about(pure)} ({about(approximate)}; "
            f"printed {about(printed)}), Laplace {about(laplace[0] / n)} (advanced "
            f"{about(laplace[1] / n)}), histogram {about(noisy / n)}. {told}"
        )

    return update
