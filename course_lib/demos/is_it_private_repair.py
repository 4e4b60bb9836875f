"""The figures of notebook 04 on the repair: its price, and its best split."""

import numpy as np

from course_lib.demos.drawing import BASIC, EXACT, THEOREM, THRESHOLD, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.is_it_private import REPAIRED
from course_lib.exact.is_it_private import (
    SHARES,
    alpha_of_shares,
    least_variance_share,
    repair_alphas,
)
from course_lib.lecture11_sparse import lecture11_alpha, repaired_alpha

BETAS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
QUERIES = np.logspace(1, 9, 9)
PROMISED = REPAIRED | {"linestyle": "--"}
MONOTONE = {"color": "#56B4E9", "linestyle": (0, (3, 1))}


def reach_up_to(ax, highest):
    """Let the axis end at 1, 2 or 5 times a power of ten; a move that keeps it draws no background.

    Powers of ten stand above the axis and its name keeps its place, however wide the labels are.
    """
    power = 10.0 ** np.floor(np.log10(highest))
    top = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= highest)
    if ax.get_ylim() != (0, top):
        ax.set_ylim(0, top)
        ax.ticklabel_format(axis="y", style="sci", scilimits=(0, 0), useMathText=True)
        ax.yaxis.set_label_coords(-0.09, 0.5)


PRICED = ("printed, exact", "thirds, exact", "quarters, exact", "⊤ only", "⊤ only, monotone")


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    n=(nice(100, 10**6), 20_000),
    num_queries=(nice(10, 10**9), 1000),
    cutoff=(range(1, 11), 5),
    beta=(BETAS, 0.05),
    size=(7.2, 4.4),
)
def price_of_repair(fig):
    """The error α against the number of queries: as printed, repaired, and with ⊤ alone."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(7, 1.5e9), xlabel="number of queries k", ylabel="error α needed")
    ax.axhspan(1, 1e6, color="0.9", linewidth=0)  # nothing is said of a fraction
    printed, promised = line(ax, "Theorem 2", THEOREM), line(ax, "thirds, promised", PROMISED)
    styles = (EXACT, REPAIRED, BASIC, THRESHOLD, MONOTONE)
    exact = [line(ax, *pair) for pair in zip(PRICED, styles, strict=True)]
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    where = {"loc": "outside upper center", "ncols": 4, "columnspacing": 0.8}
    fig.legend(**where, frameon=False, fontsize=11)

    def update(*, epsilon, n, num_queries, cutoff, beta):
        at = {"n": n, "cutoff": cutoff, "beta": beta, "epsilon": epsilon}
        printed.set_data(QUERIES, lecture11_alpha(num_queries=QUERIES, **at))
        promised.set_data(QUERIES, repaired_alpha(num_queries=QUERIES, **at))
        reach_up_to(ax, promised.get_ydata()[-1])
        queries = np.append(QUERIES, num_queries)
        curves = repair_alphas(num_queries=queries, cutoff=cutoff, beta=beta) / (epsilon * n)
        for artist, curve in zip(exact, curves, strict=True):
            artist.set_data(QUERIES, curve[:-1])
        here.set_xdata([num_queries] * 2)
        stated = [f(num_queries=num_queries, **at) for f in (lecture11_alpha, repaired_alpha)]
        as_printed, thirds, quarters, top, monotone = (about(alpha) for alpha in curves[:, -1])
        nothing = sum(alpha > 1 for alpha in (*stated, *curves[:, -1]))
        empty = f" α above 1 says nothing of a fraction: {nothing} of these 7." if nothing else ""
        return (
            f"k = {compact(num_queries)}, c = {cutoff}, ε = {epsilon:g}, n = {compact(n)}, "
            f"β = {beta:g}: Theorem 2 promises α = {about(stated[0])} ({as_printed} is enough) "
            f"without privacy; repaired in thirds {about(stated[1])} ({thirds}), in quarters "
            f"{quarters} is enough; ⊤ only, {top}; monotone, {monotone}.{empty}"
        )

    return update


@demo(
    num_queries=(nice(100, 10**9), 1000),
    cutoff=(nice(1, 100), 5),
    beta=(BETAS, 0.05),
)
def alpha_against_share(fig):
    """The error against the threshold's share of ε: where the best split lies."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(0.0018, 1))
    ticks = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
    ax.set_xticks(ticks, [f"{share:g}" for share in ticks])
    ax.set_xticks([], minor=True)
    ax.set(xlabel="the threshold’s share of ε", ylabel="error, as ε·n·α")
    curves = line(ax, "⊤ only", THRESHOLD), line(ax, "⊤ only, monotone", MONOTONE)
    ax.axvline(0.5, color="0.5", linewidth=1, label="halves")
    splits = line(
        ax, "Lyu, Su & Li’s split", {"color": "black", "linestyle": "none", "marker": "D"}
    )
    best = line(ax, "best", EXACT | {"linestyle": "none", "marker": "v", "markersize": 11})
    fig.legend(loc="outside upper center", ncols=3, frameon=False)

    def update(*, num_queries, cutoff, beta):
        marks, lowest, told = [], [], []
        needed, best_shares = alpha_of_shares(num_queries=num_queries, cutoff=cutoff, beta=beta)
        rows = zip(curves, (False, True), needed, best_shares, strict=True)
        for curve, monotone, (*errors, split, halves, least), best_found in rows:
            curve.set_data(SHARES, errors)
            share = least_variance_share(cutoff=cutoff, monotone=monotone)
            marks.append((share, split))
            lowest.append((best_found, least))
            told.append(
                f"{about(halves)} with halves, {about(split)} with Lyu, Su and Li’s share "
                f"{share:.2g}, {about(least)} with the best, near {best_found:.2g}"
            )
        reach_up_to(ax, 5 * lowest[1][1])
        splits.set_data(*zip(*marks, strict=True))
        best.set_data(*zip(*lowest, strict=True))
        return (
            f"k = {compact(num_queries)}, c = {cutoff}, β = {beta:g}, ε·n·α needed: {told[0]}; "
            f"for monotone queries {told[1]}."
        )

    return update
