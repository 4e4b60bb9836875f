"""The figures of notebook 04 on the repair: its price, its best split, and Theorem 4."""

import functools

import numpy as np
from scipy.optimize import brentq

from course_lib.demos.drawing import BASIC, EXACT, THEOREM, THRESHOLD, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.is_it_private import REPAIRED
from course_lib.exact import alpha_exact
from course_lib.lecture11_sparse import lecture11_alpha, repaired_alpha
from course_lib.variants import Variant, variant

BETAS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
QUERIES = np.logspace(1, 9, 9)
SHARES = np.geomspace(0.015, 0.9, 27)
DELTAS = np.logspace(-24, -3, 22)
LONGEST = 200  # queries in the stream against Theorem 4
PROMISED = REPAIRED | {"linestyle": "--"}
MONOTONE = {"color": "#56B4E9", "linestyle": (0, (3, 1))}


def reach_up_to(ax, top):
    """Let the axis end at `top`; where it does so already, the background is kept.

    Powers of ten stand above the axis and its name keeps its place, however wide the labels are.
    """
    if ax.get_ylim() != (0, top):
        ax.set_ylim(0, top)
        ax.ticklabel_format(axis="y", style="sci", scilimits=(0, 0), useMathText=True)
        ax.yaxis.set_label_coords(-0.09, 0.5)


def in_shares(cutoff, shares):
    """The repaired algorithm at ε = 1 for any split: threshold, comparisons, numbers."""
    for_threshold, for_queries, for_numbers = shares
    scales = 1 / for_threshold, 2 * cutoff / for_queries, cutoff / for_numbers
    return Variant("in shares", *scales[:2], False, "fresh", cutoff, scales[2])


def above_only(cutoff, share, monotone=False):
    """⊤ and ⊥ alone at ε = 1, with `share` of it for the threshold."""
    queries = (1 if monotone else 2) * cutoff / (1 - share)
    return Variant("above only", 1 / share, queries, False, None, cutoff)


def best_share(cutoff, monotone=False):
    """The threshold's share that Lyu, Su and Li take: least variance of the compared noises."""
    return 1 / (1 + ((1 if monotone else 2) * cutoff) ** (2 / 3))


ROWS_OF_PRICE = {
    "printed, exact": lambda c: variant("lecture11_sparse", cutoff=c, epsilon=1.0),
    "thirds, exact": lambda c: in_shares(c, (1 / 3, 1 / 3, 1 / 3)),
    "quarters, exact": lambda c: in_shares(c, (1 / 4, 1 / 2, 1 / 4)),
    "⊤ only": lambda c: above_only(c, best_share(c)),
    "⊤ only, monotone": lambda c: above_only(c, best_share(c, True), True),
}


@functools.lru_cache(64)
def prices(cutoff, beta, queries=tuple(QUERIES)):
    """The α that each of ROWS_OF_PRICE needs at ε = 1 and n = 1; others are this over ε·n."""
    return np.array(
        [
            alpha_exact(make(cutoff), num_queries=np.array(queries), beta=beta)
            for make in ROWS_OF_PRICE.values()
        ]
    )


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    n=(nice(100, 10**6), 20_000),
    num_queries=(nice(10, 10**9), 1000),
    cutoff=(range(1, 11), 1),
    beta=(BETAS, 0.05),
    size=(7.2, 4.6),
)
def price_of_repair(fig):
    """The error α against the number of queries: as printed, repaired, and with ⊤ alone."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(7, 1.5e9), xlabel="number of queries k", ylabel="error α needed")
    ax.axhspan(1, 1e6, color="0.9", linewidth=0)  # nothing is said of a fraction
    printed, promised = line(ax, "Theorem 2", THEOREM), line(ax, "thirds, promised", PROMISED)
    styles = (EXACT, REPAIRED, BASIC, THRESHOLD, MONOTONE)
    exact = [line(ax, *pair) for pair in zip(ROWS_OF_PRICE, styles, strict=True)]
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)

    def update(*, epsilon, n, num_queries, cutoff, beta):
        at = {"n": n, "cutoff": cutoff, "beta": beta, "epsilon": epsilon}
        printed.set_data(QUERIES, lecture11_alpha(num_queries=QUERIES, **at))
        promised.set_data(QUERIES, repaired_alpha(num_queries=QUERIES, **at))
        reach_up_to(ax, 1.05 * promised.get_ydata()[-1])
        for artist, curve in zip(exact, prices(cutoff, beta), strict=True):
            artist.set_data(QUERIES, curve / (epsilon * n))
        here.set_xdata([num_queries] * 2)
        stated = [f(num_queries=num_queries, **at) for f in (lecture11_alpha, repaired_alpha)]
        needed = prices(cutoff, beta, (float(num_queries),))[:, 0] / (epsilon * n)
        as_printed, thirds, quarters, top, monotone = (about(alpha) for alpha in needed)
        nothing = sum(alpha > 1 for alpha in (*stated, *needed))
        empty = f" α above 1 says nothing of a fraction: {nothing} of these 7." if nothing else ""
        return (
            f"k = {compact(num_queries)}, c = {cutoff}, ε = {epsilon:g}, n = {compact(n)}, "
            f"β = {beta:g}: Theorem 2 promises α = {about(stated[0])} ({as_printed} is enough) "
            f"without privacy; repaired in thirds {about(stated[1])} ({thirds}), in quarters "
            f"{quarters} is enough; ⊤ only, {top}; monotone, {monotone}.{empty}"
        )

    return update


@functools.lru_cache(64)
def alpha_of_shares(num_queries, cutoff, beta, monotone):
    """ε·n·α for ⊤ only, against the share of ε that the threshold gets."""
    row = above_only(cutoff, SHARES, monotone)
    return alpha_exact(row, num_queries=float(num_queries), beta=beta)


@demo(
    num_queries=(nice(100, 10**9), 1000),
    cutoff=(nice(1, 100), 5),
    beta=(BETAS, 0.05),
)
def alpha_against_share(fig):
    """The error against the threshold's share of ε: where the best split lies."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(0.014, 1))
    ax.set_xticks([0.02, 0.05, 0.1, 0.2, 0.5, 1], ["0.02", "0.05", "0.1", "0.2", "0.5", "1"])
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
        for curve, monotone in zip(curves, (False, True), strict=True):
            errors = alpha_of_shares(num_queries, cutoff, beta, monotone)
            curve.set_data(SHARES, errors)
            at = best_share(cutoff, monotone), 0.5
            row = above_only(cutoff, np.array(at), monotone)
            split, halves = alpha_exact(row, num_queries=float(num_queries), beta=beta)
            least = int(np.argmin(errors))
            marks.append((at[0], split))
            lowest.append((SHARES[least], errors[least]))
            told.append(
                f"{about(halves)} with halves, {about(split)} with Lyu, Su and Li’s share "
                f"{at[0]:.2f}, {about(errors[least])} with the best, near {SHARES[least]:.2f}"
            )
        reach_up_to(ax, 5 * lowest[1][1])
        splits.set_data(*zip(*marks, strict=True))
        best.set_data(*zip(*lowest, strict=True))
        return (
            f"k = {compact(num_queries)}, c = {cutoff}, β = {beta:g}, ε·n·α needed: {told[0]}; "
            f"for monotone queries {told[1]}."
        )

    return update


@functools.lru_cache(256)
def mass_beyond(delta, epsilon):
    """∫ (p − e^ε p′)₊ da for ⊥ j times and then the number a, for each j below LONGEST.

    c = 1; equal queries of value 0, on the neighbour 1/n, T = 0, noise as in Theorem 4. What they
    add up to is the δ that this stream really takes.
    """
    b = np.sqrt(32 * np.log(1 / delta)) / epsilon
    away = 12 * b * np.linspace(0, 1, 201) ** 3
    edges = np.concatenate([-away[:0:-1], np.linspace(0, 1, 41), 1 + away[1:]])
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    threshold = epsilon / 4 * np.exp(-np.abs(middle) * epsilon / 2) * width
    densities = []
    for value in (0.0, 1.0):
        x = (middle - value) / b
        log_below = np.where(x < 0, x - np.log(2), np.log1p(-np.exp(-np.abs(x)) / 2))
        step = threshold * np.exp(np.arange(LONGEST)[:, None] * log_below)
        so_far = np.cumsum(step, axis=1) - step / 2  # the threshold lies below the number
        densities.append(np.exp(-np.abs(x)) / (2 * b) * so_far)
    excess = np.maximum(densities[0] - np.exp(epsilon) * densities[1], 0)
    return excess @ width


@functools.lru_cache(64)
def refuted_below(num_queries, epsilon):
    """The δ up to which this stream refutes Theorem 4; None if it refutes nothing here."""

    def excess(log_delta):
        mass = mass_beyond(10.0**log_delta, epsilon)[:num_queries].sum()
        return np.log10(mass or 1e-300) - log_delta

    ends = np.log10(DELTAS[[0, -1]])
    if excess(ends[0]) < 0:
        return None
    return DELTAS[-1] if excess(ends[1]) > 0 else 10.0 ** brentq(excess, *ends, xtol=1e-3)


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    num_queries=(nice(10, LONGEST), LONGEST),
    delta=(DELTAS, 1e-15),
)
def theorem_4(fig):
    """The δ that one kind of stream takes against the δ that Theorem 4 promises."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(1e-25, 1e-2), ylim=(1e-25, 1e-2))
    ax.set(xlabel="δ promised", ylabel="δ taken by this stream")
    ax.plot(DELTAS, DELTAS, label="Theorem 4", **THEOREM)
    ax.text(1e-23, 3e-6, "above: refuted", fontsize=12)
    exact = line(ax, "exact", EXACT)
    here = line(ax, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 10})
    fig.legend(loc="outside upper center", ncols=2, frameon=False)

    def update(*, epsilon, num_queries, delta):
        taken = [mass_beyond(d, epsilon)[:num_queries].sum() or np.nan for d in DELTAS]
        exact.set_data(DELTAS, taken)
        mass = mass_beyond(delta, epsilon)[:num_queries].sum()
        here.set_data([delta], [mass or np.nan])
        limit = refuted_below(num_queries, epsilon)
        refuted = f"for every δ below {about(limit)}" if limit else "nowhere from 10⁻²⁴ on"
        verdict = "more than promised: refuted" if mass > delta else "which refutes nothing"
        return (
            f"c = 1, ε = {epsilon:g}, {num_queries} equal queries: at δ = {compact(delta)} the "
            f"stream takes δ = {about(mass)}, {verdict}. Streams of this kind refute Theorem 4 "
            f"{refuted}."
        )

    return update
