"""The figures of notebook 03 on the proofs: the factor that Theorem 3 drops, Theorem 5's δ.

Lengths are in units of 1/n, so n = 1 here.
"""

import functools

import numpy as np

from course_lib.demos.drawing import EXACT, NEIGHBOUR, THEOREM, THRESHOLD, VALUES, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.family import member
from course_lib.exact.integral import log_cdf, log_density
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.exact.worst_stream import failure
from course_lib.lecture11_sparse import lecture11_alpha, lecture11_alpha_printed
from course_lib.support.answers import BELOW

LONGEST = 20
ON_D, ON_D_PRIME = np.array([0.0, 0.0]), np.array([1.0, 0.0])  # m times the first, the second
DROPPED = {"color": THRESHOLD["color"], "alpha": 0.45, "linewidth": 0}
KEPT = {"color": EXACT["color"], "alpha": 0.45, "linewidth": 0}


@functools.lru_cache(256)
def parts_of_the_loss(epsilon, cutoff, answer):
    """For m = 1, …, LONGEST: the log-ratio of m ⊥, of the number's noise, of T̂ <= answer.

    T = 0, m queries answered ⊥, then one with the number `answer`. The chain rule gives
    Pr[⊥^m] · Pr[ν = answer - value] · Pr[T̂ <= answer | ⊥^m]: the first is an integral over all
    thresholds; in the density of the whole transcript that integral ends at `answer`.
    """
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon)
    counts = np.stack([np.arange(1, LONGEST + 1), np.ones(LONGEST)], axis=-1)
    streams = [np.tile(values, (LONGEST, 1)) for values in (ON_D, ON_D_PRIME)]
    first = [stream[:, :1] for stream in streams]
    below = exact_loss(row, *first, [BELOW], threshold=0.0, counts=counts[:, :1])
    whole = exact_loss(row, *streams, [BELOW, answer], threshold=0.0, counts=counts)
    at_answer, there = (log_density(answer - v[1], row.query_scale) for v in (ON_D, ON_D_PRIME))
    noise = np.full(LONGEST, at_answer - there)
    return below, noise, whole - below - noise


def threshold_density(row, value, num_below, z):
    """The density of the noisy threshold, T = 0, given ⊥ to `num_below` queries of this value."""
    log_all = log_probability(row, [value], [BELOW], threshold=0.0, counts=[num_below])
    log_here = num_below * log_cdf((z - value) / row.query_scale)
    return np.exp(log_density(z, row.threshold_scale) + log_here - log_all)


@demo(
    epsilon=(nice(0.1, 3.0), 1.0),
    cutoff=(range(1, 6), 1),
    num_below=(range(1, LONGEST + 1), 10),
    answer=(np.arange(-2, 8.1, 0.5), 0.0),
    size=(7.2, 4.4),
)
def dropped_factor(fig):
    """What m times ⊥ say of the threshold on D and D′, and what the number then gives away."""
    ax, loss = fig.subplots(1, 2)
    ax.set(yscale="log", ylim=(1e-9, 10), xlabel="noisy threshold, in 1/n")
    ax.set_ylabel("its density after m times ⊥")
    cut = ax.axvspan(-1, 0, color="0.85", label="T̂ ≤ âᵢ", animated=True)
    here, there = (
        line(ax, label, style | {"marker": ""})
        for label, style in (("on D", VALUES), ("on D′", NEIGHBOUR))
    )
    loss.set(xlim=(0, LONGEST + 0.5), ylim=(0, 10.5), xlabel="m times ⊥, then âᵢ")
    loss.set_ylabel("log-ratio / ε")
    loss.set_xticks(range(0, LONGEST + 1, 5))
    kept = loss.fill([0], [0], label="the ⊥", **KEPT, animated=True)[0]
    dropped = loss.fill([0], [0], label="dropped factor", **DROPPED, animated=True)[0]
    total = line(loss, "exact", EXACT)
    loss.axhline(1, label="Theorem 3", **THEOREM)
    dot = line(loss, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 9})
    for axes in (ax, loss):
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    m = np.arange(1, LONGEST + 1)

    def update(*, epsilon, cutoff, num_below, answer):
        row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon)
        # In steps: a new limit means a new background, which takes ten times as long.
        right = next(step for step in (15, 50, 150, 500) if step >= (6 + 8 * cutoff) / epsilon)
        limits = -right / 3, right
        if ax.get_xlim() != limits:
            ax.set_xlim(limits)
        z = np.linspace(*limits, 301)
        here.set_data(z, threshold_density(row, ON_D[0], num_below, z))
        there.set_data(z, threshold_density(row, ON_D_PRIME[0], num_below, z))
        cut.set_x(limits[0])
        cut.set_width(max(0.0, answer - limits[0]))
        parts = parts_of_the_loss(epsilon, cutoff, answer)
        below, whole = parts[0] / epsilon, sum(parts) / epsilon
        place_area(kept, m, np.zeros(LONGEST), below)
        place_area(dropped, m, below, whole)
        total.set_data(m, whole)
        dot.set_data([num_below], [whole[num_below - 1]])
        waiting, _, factor = (part[num_below - 1] for part in parts)
        verdict = "within" if waiting + factor <= epsilon * (1 + 1e-9) else "above"
        times = f"{num_below} times ⊥" if num_below > 1 else "one ⊥"
        number = compact(answer).replace("-", "−")
        return (
            f"ε = {epsilon:g}, c = {cutoff}: {times}, then the number n·âᵢ = {number}. "
            f"To the log-ratio the ⊥ give {about(waiting)} (at most ε/2), the number’s noise "
            f"gives 0, the dropped factor {about(factor)}: together "
            f"{about(waiting + factor)}, {verdict} ε = {epsilon:g}."
        )

    return update


def place_area(polygon, x, low, high):
    """Let a polygon fill the space between two curves."""
    polygon.set_xy(np.column_stack([np.append(x, x[::-1]), np.append(low, high[::-1])]))


def stated_failures(num_queries, beta, delta):
    """Exact failure at c = 1 and Theorem 5's alpha, as printed and as it holds for every delta."""
    row = member("lecture11_sparse", cutoff=1, epsilon=1.0, delta=delta)
    at = {"num_queries": num_queries, "n": 1, "cutoff": 1, "beta": beta}
    stated = (f(**at, epsilon=1.0, delta=delta) for f in (lecture11_alpha_printed, lecture11_alpha))
    return [failure(row, num_queries=num_queries, alpha=alpha) for alpha in stated]


@demo(
    num_queries=(nice(1, 1000), 1),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], 0.05),
    delta=([1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999], 0.99),
)
def theorem_5_and_delta(fig):
    """Failure at Theorem 5's alpha for one number (c = 1), as δ comes close to 1."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(20, 9e-4), ylim=(1e-7, 2))
    ax.set(xlabel="ln(1/δ): δ grows to the right, up to 0.999")
    ax.set_ylabel("probability of failure")
    printed = line(ax, "exact, at the printed α", EXACT)
    right = line(ax, "… at the right α", EXACT | {"linestyle": ":"})
    promised = ax.axhline(1, label="β", **THEOREM, animated=True)
    ax.axvline(1 / 8, color="0.5", linewidth=1.5)
    ax.text(0.12, 1.8, " 1/8", va="top", color="0.3")
    dot = line(ax, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 10})
    fig.legend(loc="outside upper center", ncols=3, frameon=False)
    spent = np.geomspace(9e-4, 20, 61)

    def update(*, num_queries, beta, delta):
        for curve, failed in zip(
            (printed, right), stated_failures(num_queries, beta, np.exp(-spent)), strict=True
        ):
            curve.set_data(spent, failed)
        promised.set_ydata([beta] * 2)
        failed, corrected = stated_failures(num_queries, beta, delta)
        dot.set_data([-np.log(delta)], [failed])
        covered = "at least 1/8" if -np.log(delta) >= 1 / 8 else "below 1/8"
        kept = "kept" if failed <= beta else "broken"
        return (
            f"c = 1, k = {compact(num_queries)}, δ = {compact(delta)}: ln(1/δ) = "
            f"{about(-np.log(delta))}, {covered}. At the printed α it fails with probability "
            f"{about(failed)}: β = {beta:g} is {kept}. At the larger of that α "
            f"and 4 ln(2/β)/(εn) it fails with probability {about(corrected)}."
        )

    return update
