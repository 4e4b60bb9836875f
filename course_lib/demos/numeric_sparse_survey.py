"""The figures of notebook 02 on the survey: one run, and how often an answer is wrong."""

import numpy as np

from course_lib.demos.drawing import EXACT, THEOREM, THRESHOLD, VALUES, MeasuredRates, line
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse import TRIALS, probability, promise
from course_lib.demos.stream import StreamPicture, listed, outside, signed
from course_lib.exact.family import member
from course_lib.exact.transcripts import wrong_answer_probability
from course_lib.lab.data import health_queries, health_values
from course_lib.lab.noise import RecordedNoise
from course_lib.lab.numeric_sparse import noise_by_query
from course_lib.lab.trials import measured_errors
from course_lib.numeric_sparse import numeric_sparse, numeric_sparse_beta
from course_lib.support.answers import BELOW

RELEASED = {"color": "#F0E442", "linestyle": "none", "marker": "D", "markeredgecolor": "black"}
GRID = np.arange(0, 2001, 25)
STREAM = health_queries()


@demo(
    epsilon=(nice(0.1, 10.0), 0.3),
    threshold=(range(500, 5001, 100), 1800),
    cutoff=(range(1, 13), 6),
    seed=0,
    size=(7.2, 4.7),
)
def one_sparse_run(fig):
    """One run of NumericSparse on the survey: a new noisy threshold after each released number."""
    ax = fig.subplots()
    queries = [lambda _, v=v: v for v in health_values()]
    ax.set_xscale("symlog", linthresh=2500, linscale=1.8)
    ax.set(xlim=(-1200, 110_000), xlabel="count (rows; logarithmic from 2,500 on)")
    ticks = [0, 1000, 2000, 10_000]
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    at = {"edge": 100_000, "sizes": (11, 9), "names": 8.5}
    picture = StreamPicture(ax, STREAM, kind="count", **at)
    noisy_bar = line(ax, "noisy T", THRESHOLD | {"linestyle": "-", "linewidth": 3})
    released = line(ax, "released", RELEASED)
    fig.legend(loc="outside upper center", ncols=5, frameon=False, fontsize=11)

    def update(*, epsilon, threshold, cutoff, seed):
        rng = RecordedNoise(seed)
        at = {"threshold": threshold, "cutoff": cutoff, "epsilon": epsilon}
        answers = list(numeric_sparse(None, queries, **at, rng=rng))
        asked, values, rows = len(answers), health_values(), picture.rows
        above = [row for row, answer in enumerate(answers) if answer is not BELOW]
        shift, noise = noise_by_query(rng.numbers, answers, cutoff=cutoff)
        words = [str(a) if a is BELOW else signed(a, 0) for a in answers]
        picture.place(values, noise, threshold, words, [row in above for row in range(asked)])
        released.set_data([answers[row] for row in above], above)
        # a gap in the line wherever a threshold ends
        x, y = np.repeat(threshold + shift, 3), np.repeat(rows[:asked], 3).astype(float)
        y += np.tile([-0.5, 0.5, np.nan], asked)
        noisy_bar.set_data(x, y)
        row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon)
        head = (
            f"ε = {epsilon:g}, T = {threshold:,}, c = {cutoff}: noise of scale "
            f"{about(row.threshold_scale)} on the threshold, {about(row.query_scale)} on the "
            f"queries, {about(row.release_scale)} on the numbers. "
        )
        numbers = [answers[row] for row in above]
        starts = [0, *(row + 1 for row in above if row + 1 < asked)]  # each draws a threshold
        hidden = outside(
            ax.get_xlim(),
            noisy_threshold=threshold + shift[starts],
            noisy_count=values[:asked] + noise,
            released_number=numbers,
        )
        if not above:
            return f"{head}⊥ to all {asked}.{hidden}"
        errors = [abs(answers[row] - values[row]) for row in above]
        places = listed([str(row + 1) for row in above])
        halt = f", then a halt with {len(rows) - asked} unasked" if asked < len(rows) else ""
        kind = "queries" if len(above) > 1 else "query"
        worst = "largest error of a number" if len(above) > 1 else "error of the number"
        return f"{head}⊤ at {kind} {places}{halt}; {worst}: {max(errors):,.1f} rows.{hidden}"

    return update


def condition(threshold, cutoff, alpha):
    """Whether the theorem speaks of this stream, in words that follow “Theorem 3.28”."""
    reach = np.flatnonzero(health_values() >= threshold - alpha)
    if len(reach) > cutoff:
        return f"does not apply: {len(reach)} counts reach T − α"
    if len(reach) == cutoff and reach[-1] + 1 < len(STREAM):
        return f"does not apply: it may halt after query {reach[-1] + 1} of {len(STREAM)}"
    return ""


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    threshold=(range(500, 5001, 100), 1800),
    cutoff=(range(1, 13), 6),
    alpha=(range(0, 2001, 25), 200),
    seed=1,
    size=(7.2, 4.6),
)
def sparse_on_the_survey(fig):
    """Counts of the survey and the gap T ± alpha, and how likely a wrong answer is."""
    stream, ax = fig.subplots(1, 2, width_ratios=(2, 3))
    values, k = health_values(), len(STREAM)
    rows = np.arange(k)
    stream.set(xscale="log", xlim=(60, 16_000), ylim=(k - 0.4, -0.6))
    stream.set(xlabel="count (rows)", ylabel="query", title="counts, and T ± α")
    stream.set_yticks([0, 5, 10, 15, 20, 23], [1, 6, 11, 16, 21, 24])
    stream.plot(values, rows, **VALUES | {"linestyle": "none"})
    gap = stream.axvspan(100, 200, color=THRESHOLD["color"], alpha=0.3, animated=True)
    bar = stream.axvline(100, **THRESHOLD, animated=True)
    ax.set(yscale="log", xlim=(-25, 2030), ylim=(1e-6, 3))
    ax.set(xlabel="error α", ylabel="probability of a wrong answer")
    promised = line(ax, "Theorem 3.28", THEOREM)
    exact = line(ax, "exact", EXACT)
    measured = MeasuredRates(ax)
    here = ax.axvline(0, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=3, frameon=False)

    def update(*, epsilon, threshold, cutoff, alpha, seed):
        row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon)
        *curve, here_wrong = wrong_answer_probability(
            row, values, threshold=threshold, alpha=np.append(GRID, alpha)
        )
        exact.set_data(GRID, curve)
        *curve, bound = numeric_sparse_beta(
            num_queries=k, cutoff=cutoff, alpha=np.append(GRID, alpha), epsilon=epsilon
        )
        promised.set_data(GRID, curve)
        errors = measured_errors(row, values, threshold=threshold, trials=TRIALS, seed=seed)
        probes = np.append(np.arange(100, 2000, 200), alpha)
        wrong = np.count_nonzero(errors[:, None] > probes, axis=0)
        shown = (wrong > 0) | (np.arange(len(probes)) == len(probes) - 1)
        low, high = measured.place(probes[shown], wrong[shown], TRIALS)
        here.set_xdata([alpha] * 2)
        bar.set_xdata([threshold] * 2)
        left = max(threshold - alpha, 1)  # the axis is logarithmic
        gap.set_x(left)
        gap.set_width(threshold + alpha - left)
        inside = np.count_nonzero(abs(values - threshold) <= alpha)
        said = condition(threshold, cutoff, alpha) or promise(bound)
        real = probability(here_wrong, least=1e-12)
        return (
            f"ε = {epsilon:g}, T = {threshold:,}, c = {cutoff}, α = {alpha:,}: counts in the gap, "
            f"where either answer is right: {inside} of {k}. Wrong with probability {real}, "
            f"measured {about(low[-1])} to {about(high[-1])}; Theorem 3.28 {said}."
        )

    return update
