"""The figures of notebook 02 on the price: noise for c answers, and error of the numbers."""

import functools

import numpy as np

from course_lib.demos.drawing import ADVANCED, BASIC, EXACT, MeasuredRates, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse import TRIALS, unit_row
from course_lib.exact.family import Variant, member
from course_lib.exact.worst_stream import alpha_exact, failure
from course_lib.lab.trials import run_trials
from course_lib.numeric_sparse import sparse_scale
from course_lib.toolbox import advanced_per_run, advanced_shortcut_limit, shortcut_is_proved

FULL = ADVANCED | {"linestyle": "-", "linewidth": 1.5}
CUTOFFS = np.unique(np.geomspace(1, 10_000, 120).round())
LEVEL = 0.05


def pays_from(delta):
    """The smallest c at which the shortcut's σ is smaller than 2c/ε."""
    return int(np.floor(8 * np.log(1 / delta))) + 1


def full_pays_from(epsilon, delta):
    """The smallest c at which Theorem 3.20 itself lets each run have more than ε/c."""
    c = np.arange(1, 100_001)
    passes = np.sqrt(2 * np.log(1 / delta) / c) + np.expm1(epsilon / c) < 1
    return int(c[passes][0])


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
        c, c_full = pays_from(delta), full_pays_from(epsilon, delta)
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
            f"formula pays from c = {c_full}."
        )

    return update


def largest_quantile(scale, cutoff):
    """The error that the largest of c numbers with noise Lap(scale) passes with LEVEL."""
    return -scale * np.log(-np.expm1(np.log1p(-LEVEL) / cutoff))


@functools.lru_cache(128)
def largest_errors(cutoff, seed):
    """The largest error of the c numbers of each run, in units of their noise, sorted."""
    trials = max(200, min(TRIALS, 400_000 // cutoff))
    row = unit_row(cutoff, True)
    far = 1e4  # above T, so that each query gets its number
    rng = np.random.default_rng(seed)
    runs = run_trials(row, np.full(cutoff, far), threshold=0.0, trials=trials, rng=rng)
    return np.sort(abs(runs.numbers - far).max(axis=1)) / row.release_scale


@functools.lru_cache(64)
def finding_curve(cutoff, num_queries):
    """Failure of ⊤ and ⊥ alone on the worst stream, over alpha / σ1, and where it is LEVEL."""
    ratios = np.geomspace(1, 4 * np.log(4e4 * cutoff * num_queries), 40)
    row = Variant("sparse", 1.0, 2.0, True, None, cutoff)
    at = {"num_queries": num_queries}
    return ratios, failure(row, **at, alpha=ratios), alpha_exact(row, **at, beta=LEVEL)


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
        tail = -np.expm1(cutoff * np.log1p(-np.exp(-units)))
        basic.set_data(units * pure.release_scale, tail)
        advanced.set_data(units * mixed.release_scale, tail)
        ratios, fails, needed = finding_curve(cutoff, num_queries)
        finding.set_data(ratios * pure.threshold_scale, fails)
        errors = largest_errors(cutoff, seed)
        probes = np.interp([-0.7, -0.3, -0.05, -0.01], -tail, units)
        seen = np.count_nonzero(errors[:, None] > probes, axis=0)
        x = np.outer([pure.release_scale, mixed.release_scale], probes).ravel()
        measured.place(x, np.tile(seen, 2), len(errors))
        each, all_of = (largest_quantile(row.release_scale, cutoff) for row in (pure, mixed))
        better = "smaller" if all_of < each else "larger"
        what = "the largest error of a number" if cutoff > 1 else "the error of the number"
        return (
            f"c = {cutoff:,}, k = {compact(num_queries)}, ε = {epsilon:g}: except in 5% of runs, "
            f"{what} stays within {about(each)} rows (δ = 0) or {about(all_of)} "
            f"(δ = {compact(delta)}, {better}); the answers ⊤ and ⊥ are right within "
            f"{about(needed * pure.threshold_scale)}."
        )

    return update
