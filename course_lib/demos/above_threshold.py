"""The figures of notebook 01 on runs and accuracy; those on price are in above_threshold_price."""

import numpy as np

from course_lib.above_threshold import above_threshold, above_threshold_alpha, above_threshold_beta
from course_lib.demos.drawing import EXACT, THEOREM, THRESHOLD, VALUES, MeasuredRates, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse import probability, promise
from course_lib.demos.stream import StreamPicture
from course_lib.exact.above_threshold import (
    above_threshold_failure,
    above_threshold_wrong_probability,
    first_above_errors,
)
from course_lib.exact.family import member
from course_lib.exact.worst_stream import failure_curve, needed_alpha
from course_lib.lab.data import health_queries, health_values, load_survey
from course_lib.lab.noise import RecordedNoise
from course_lib.lab.trials import failures, measured_errors
from course_lib.support.answers import ABOVE

STREAM = health_queries()[:16]
BETA = 0.05
TRIALS = 5_000


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    threshold=(range(0, 3001, 50), 1800),
    num_queries=(range(1, len(STREAM) + 1), len(STREAM)),
    seed=11,
    size=(7.2, 5.0),
)
def one_run(fig):
    """One run of AboveThreshold on the survey: counts, noisy counts, noisy threshold, answers."""
    ax = fig.subplots()
    ax.set(xlim=(-700, 3900), xlabel="count (rows)")
    picture = StreamPicture(ax, STREAM, kind="count", edge=3850, sizes=(20, 13))
    noisy_bar = ax.axvline(0, label="noisy T", **THRESHOLD, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, threshold, num_queries, seed):
        rng = RecordedNoise(seed)
        run = above_threshold(
            load_survey(), STREAM[:num_queries], threshold=threshold, epsilon=epsilon, rng=rng
        )
        answers = list(run)
        asked, values, (shift, *noise) = len(answers), health_values(), rng.numbers
        words, above = [str(a) for a in answers], [a is ABOVE for a in answers]
        picture.place(values, noise, threshold, words, above, queries=num_queries)
        noisy_bar.set_xdata([threshold + shift] * 2)
        if answers[-1] is ABOVE:
            told = f"⊤ at query {asked} (“{STREAM[asked - 1].name}”, {values[asked - 1]:,.0f} rows)"
            told += f" after {asked - 1} times ⊥" if asked > 1 else ""
        else:
            told = f"⊥ to all {asked}" if asked > 1 else "⊥ to the one query"
        shown = picture.noisy.get_xdata()
        hidden = np.count_nonzero((shown < -700) | (shown > 3900))
        outside = f" Noisy counts outside the picture: {hidden}." if hidden else ""
        return (
            f"ε = {epsilon:g}, T = {threshold:,}: the noisy threshold is {threshold + shift:,.0f}, "
            f"query noise has scale 4/ε = {4 / epsilon:,.0f}; {told}.{outside}"
        )

    return update


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    num_queries=(nice(1, 10**12), 1000),
    alpha=(nice(0.5, 5000.0), 40.0),
    seed=0,
)
def failure_against_alpha(fig):
    """Failure probability against alpha on the worst stream: promised, exact and measured."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.4, 6500), ylim=(1e-9, 3))
    ax.set(xlabel="error α", ylabel="probability of failure")
    promised = line(ax, "Theorem 3.24", THEOREM)
    exact = line(ax, "exact", EXACT)
    measured = MeasuredRates(ax)
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, num_queries, alpha, seed):
        row = member("above_threshold", cutoff=1, epsilon=epsilon)
        at = {"num_queries": num_queries, "epsilon": epsilon}
        most = above_threshold_alpha(beta=1e-9, **at)
        alphas = np.append(0.01 / epsilon, np.geomspace(most / 100, most, 60))
        curve = failure_curve(row, num_queries=num_queries, alpha=alphas)
        exact.set_data(alphas, curve)
        promised.set_data(alphas, above_threshold_beta(alpha=alphas, **at))
        probes = np.interp(-np.log([0.7, 0.3, 0.05, 0.01]), -np.log(curve), alphas)
        probes = np.append(probes, alpha)
        failed = failures(row, num_queries=num_queries, alpha=probes, trials=TRIALS, seed=seed)
        low, high = measured.place(probes, failed, TRIALS)
        here.set_xdata([alpha] * 2)
        bound = above_threshold_beta(alpha=alpha, **at)
        real = above_threshold_failure(alpha=alpha, **at)
        stated = above_threshold_alpha(beta=BETA, **at)
        enough = needed_alpha(row, num_queries=num_queries, beta=BETA)
        return (
            f"k = {compact(num_queries)}, ε = {epsilon:g}, α = {compact(alpha)}: the theorem "
            f"{promise(bound)}; it fails with probability {probability(real)}, measured "
            f"{about(low[-1])} to {about(high[-1])}. For β = {BETA} the theorem asks for "
            f"α = {about(stated)}; {about(enough)} is enough."
        )

    return update


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    threshold=(range(0, 3001, 50), 1800),
    alpha=(range(0, 2001, 25), 400),
    seed=0,
    size=(7.2, 4.6),
)
def failure_on_the_survey(fig):
    """Which counts of a fixed stream lie in the gap T ± alpha, and how likely a wrong answer is."""
    stream, ax = fig.subplots(1, 2, width_ratios=(2, 3))
    k = len(STREAM)
    values, rows = health_values()[:k], np.arange(k)
    stream.set(xlim=(0, 3050), ylim=(k - 0.4, -0.6), xlabel="count (rows)", ylabel="query")
    stream.set_yticks(rows[::3], rows[::3] + 1)
    stream.plot(values, rows, **VALUES | {"linestyle": "none"})
    stream.set_title("counts, and T ± α")
    gap = stream.axvspan(0, 1, color=THRESHOLD["color"], alpha=0.3, animated=True)
    bar = stream.axvline(0, **THRESHOLD, animated=True)
    ax.set(yscale="log", xlim=(-25, 2030), ylim=(1e-6, 3))
    ax.set(xlabel="error α", ylabel="probability of a wrong answer")
    promised = line(ax, "Theorem 3.24", THEOREM)
    exact = line(ax, "exact", EXACT | {"drawstyle": "steps-post"})
    measured = MeasuredRates(ax)
    here = ax.axvline(0, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)
    grid = np.linspace(0, 2000, 200)

    def update(*, epsilon, threshold, alpha, seed):
        row = member("above_threshold", cutoff=1, epsilon=epsilon)
        *curve, here_wrong = above_threshold_wrong_probability(
            values, threshold=threshold, alpha=np.append(grid, alpha), epsilon=epsilon
        )
        exact.set_data(grid, curve)
        promised.set_data(grid, above_threshold_beta(num_queries=k, alpha=grid, epsilon=epsilon))
        errors = measured_errors(row, values, threshold=threshold, trials=TRIALS, seed=seed)
        probes = np.append(np.linspace(50, 1950, 11), alpha)
        wrong = np.count_nonzero(errors[:, None] > probes, axis=0)
        shown = (wrong > 0) | (np.arange(len(probes)) == len(probes) - 1)
        low, high = measured.place(probes[shown], wrong[shown], TRIALS)
        here.set_xdata([alpha] * 2)
        bar.set_xdata([threshold] * 2)
        gap.set_x(threshold - alpha)
        gap.set_width(2 * alpha)
        inside = np.count_nonzero(abs(values - threshold) <= alpha)
        early = np.flatnonzero(values[:-1] >= threshold - alpha)
        can_be = (first_above_errors(values, threshold=threshold) > alpha).any()
        real = probability(here_wrong) if can_be else "0"  # 0 only where none can be wrong
        real = real if "below" in real else f"exactly {real}"
        bound = above_threshold_beta(num_queries=k, alpha=alpha, epsilon=epsilon)
        said = promise(bound)
        if early.size:
            proof = f"; its proof still bounds them by {about(bound)}" if bound < 1 else ""
            said = f"does not apply, because query {early[0] + 1} reaches T − α{proof}"
        return (
            f"T = {threshold:,}, α = {alpha:,}: {inside} of {k} counts lie in the gap, where "
            f"either answer is right. Wrong answers: {real}, "
            f"measured {about(low[-1])} to {about(high[-1])}; Theorem 3.24 {said}."
        )

    return update
