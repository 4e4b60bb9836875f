"""The figures of notebook 02 on the price: noise for c answers, and error of the numbers."""

from dataclasses import replace

import numpy as np

from course_lib.demos.drawing import ADVANCED, BASIC, EXACT, MeasuredRates, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse import TRIALS
from course_lib.exact.family import member
from course_lib.exact.worst_stream import failure_curve, needed_alpha
from course_lib.lab.numeric_sparse import number_errors
from course_lib.numeric_sparse import sparse_scale
from course_lib.toolbox import (
    advanced_pays_from,
    advanced_per_run,
    advanced_shortcut_limit,
    laplace_alpha,
    laplace_beta,
    shortcut_is_proved,
    shortcut_pays_from,
)

FULL = ADVANCED | {"linestyle": "-", "linewidth": 1.5}
CUTOFFS = np.unique(np.geomspace(1, 10_000, 120).round())
LEVEL = 0.05


@demo(
    epsilon=(nice(0.1, 20.0), 1.0),
    delta=([1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.1], 1e-9),
    cutoff=(nice(1, 10_000), 10),
)
def scale_against_cutoff(fig):
    """The noise scale of Sparse against the number c of answers, for each way of composing."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.8, 12_000), ylim=(0.08, 3e5))
    ax.set(xlabel="cutoff c", ylabel="noise scale σ (rows)")
    basic = line(ax, "basic, 2c/ε", BASIC)
    shortcut = line(ax, "advanced, √(32c ln(1/δ))/ε", ADVANCED)
    full = line(ax, "advanced, full", FULL)
    cross = ax.axvline(1, color="0.5", linewidth=1, linestyle=":", animated=True)
    word = ax.text(1, 0.12, "", fontsize=11, color="0.35", animated=True)
    dots = ax.scatter([1] * 3, [1] * 3, s=60, c="k", zorder=5, animated=True)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)

    def scales(cutoff, epsilon, delta):
        sigma = sparse_scale(cutoff, epsilon, delta)
        advanced = np.where(
            shortcut_is_proved(runs=cutoff, epsilon=epsilon, delta=delta), sigma, np.nan
        )
        per_run = advanced_per_run(runs=cutoff, epsilon=epsilon, delta=delta)
        return sparse_scale(cutoff, epsilon, 0.0), advanced, 2 / per_run

    def update(*, epsilon, delta, cutoff):
        for artist, sigma in zip(
            (basic, shortcut, full), scales(CUTOFFS, epsilon, delta), strict=True
        ):
            artist.set_data(CUTOFFS, sigma)
        c = int(shortcut_pays_from(delta=delta))
        usable = shortcut_is_proved(runs=c, epsilon=epsilon, delta=delta)
        cross.set_xdata([c] * 2)
        word.set(x=c * 1.08, text=f"c = {c}" + ("" if usable else ", not proved here"))
        each, advanced, all_of = scales(cutoff, epsilon, delta)
        dots.set_offsets([(cutoff, sigma) for sigma in (each, advanced, all_of)])
        limit = about(advanced_shortcut_limit(runs=cutoff, delta=delta))
        if cutoff < c:
            said = f"{about(advanced)} by the shortcut (proved here for every ε)"
        elif shortcut_is_proved(runs=cutoff, epsilon=epsilon, delta=delta):
            said = f"{about(advanced)} by the shortcut (proved here up to ε = {limit})"
        else:
            said = f"not given by the shortcut (proved here only up to ε = {limit})"
        pays = f"The shortcut pays from c = {c}"
        if not usable:
            pays = f"The shortcut would pay from c = {c}, but is not proved there"
        return (
            f"c = {cutoff:,}, ε = {epsilon:g}, δ = {compact(delta)}: σ is {about(each)} by basic "
            f"composition, {said} and {about(all_of)} by the full formula. {pays}; the full "
            f"formula pays from c = {advanced_pays_from(epsilon=epsilon, delta=delta):.0f}."
        )

    return update


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    cutoff=(nice(1, 2000), 10),
    num_queries=(nice(2000, 10**12), 10_000),
    delta=([1e-12, 1e-9, 1e-6, 1e-3], 1e-6),
    seed=0,
)
def numbers_against_finding(fig):
    """How far off the c released numbers are, and how far off the answers ⊤ and ⊥."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(3, 3e6), ylim=(1e-3, 1.3))
    ax.set(xlabel="error α (rows)", ylabel="Pr[largest error > α]")
    ax.axhline(LEVEL, color="0.5", linewidth=1)
    finding = line(ax, "⊤ and ⊥, δ = 0", EXACT)
    basic = line(ax, "numbers, δ = 0", BASIC)
    advanced = line(ax, "numbers, δ > 0", ADVANCED)
    measured = MeasuredRates(ax)
    fig.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=11)
    units = np.geomspace(0.05, 20, 60)

    def update(*, epsilon, cutoff, num_queries, delta, seed):
        pure, mixed = (
            member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=d) for d in (0.0, delta)
        )
        tail = laplace_beta(num_queries=cutoff, alpha=units, epsilon=1.0)
        basic.set_data(units * pure.release_scale, tail)
        advanced.set_data(units * mixed.release_scale, tail)
        row = replace(pure, released=None)  # ⊤ and ⊥ alone
        alphas = pure.threshold_scale * np.geomspace(1, 4 * np.log(4e4 * cutoff * num_queries), 40)
        finding.set_data(alphas, failure_curve(row, num_queries=num_queries, alpha=alphas))
        needed = needed_alpha(row, num_queries=num_queries, beta=LEVEL)
        trials = max(200, min(TRIALS, 400_000 // cutoff))
        errors = number_errors(cutoff=cutoff, trials=trials, seed=seed)
        probes = np.interp([-0.7, -0.3, -0.05, -0.01], -tail, units)
        seen = np.count_nonzero(errors[:, None] > probes, axis=0)
        x = np.outer([pure.release_scale, mixed.release_scale], probes).ravel()
        measured.place(x, np.tile(seen, 2), len(errors))
        each, all_of = (
            laplace_alpha(num_queries=cutoff, beta=LEVEL, epsilon=1 / row.release_scale)
            for row in (pure, mixed)
        )
        better = "smaller" if all_of < each else "larger"
        what = "the largest error of a number" if cutoff > 1 else "the error of the number"
        return (
            f"c = {cutoff:,}, k = {compact(num_queries)}, ε = {epsilon:g}: except in 5% of runs, "
            f"{what} stays within {about(each)} rows (δ = 0) or {about(all_of)} "
            f"(δ = {compact(delta)}, {better}); the answers ⊤ and ⊥ are right within "
            f"{about(needed)}."
        )

    return update
