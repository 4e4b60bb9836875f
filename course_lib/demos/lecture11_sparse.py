"""The figures of notebook 03 on runs and accuracy; see also lecture11_sparse_price and _proof."""

import numpy as np

from course_lib.demos.above_threshold import BETA, STREAM
from course_lib.demos.drawing import EXACT, THEOREM, THRESHOLD, MeasuredRates, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.numeric_sparse import probability, promise
from course_lib.demos.stream import StreamPicture, outside, signed
from course_lib.exact.family import member
from course_lib.exact.worst_stream import failure, failure_curve, needed_alpha
from course_lib.lab.data import as_fractions, health_values, load_survey
from course_lib.lab.noise import RecordedNoise
from course_lib.lab.trials import failures
from course_lib.lecture11_sparse import lecture11_alpha, lecture11_beta, sparse_as_printed
from course_lib.support.answers import BELOW

TRIALS = 3_000
DELTAS = [0.0, 1e-12, 1e-9, 1e-6, 1e-3]
EDGE = 0.2  # of the fractions that one_lecture11_run shows; the answers stand to the right of it
USELESS = " α ≥ 1 says nothing of a fraction."
NO_USE = {"color": "0.9", "linewidth": 0}  # where a fraction's error is above 1


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    n=(nice(1000, 10**8), 20_190),
    cutoff=(range(1, 9), 3),
    threshold=(np.arange(0, 0.1501, 0.005).round(3), 0.07),
    seed=3,
    size=(7.2, 5.0),
)
def one_lecture11_run(fig):
    """One run on fractions of the survey: noisy values, one noisy threshold, released numbers."""
    ax = fig.subplots()
    ax.set(xlim=(-0.04, 0.26), xlabel="fraction of the rows")
    ax.set_xticks(np.arange(0, 0.21, 0.05))
    ax.spines["bottom"].set_bounds(-0.04, EDGE)
    picture = StreamPicture(ax, STREAM, kind="fraction", edge=0.258, sizes=(14, 13))
    noisy_bar = ax.axvline(0, label="noisy T, one draw", **THRESHOLD, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)
    values = health_values()[: len(STREAM)] / len(load_survey())

    def update(*, epsilon, n, cutoff, threshold, seed):
        rng = RecordedNoise(seed)
        at = {"n": n, "threshold": threshold, "cutoff": cutoff, "epsilon": epsilon}
        answers = list(sparse_as_printed(load_survey(), as_fractions(STREAM), **at, rng=rng))
        shift, *noise = rng.numbers
        shown = values[: len(answers)] + noise
        limits = ax.get_xlim()[0], EDGE
        hidden = outside(limits, noisy_threshold=threshold + shift, noisy_fraction=shown)
        noise = np.where(shown <= EDGE, noise, np.nan)
        above = [answer is not BELOW for answer in answers]
        words = [signed(a, 4) if up else "⊥" for a, up in zip(answers, above, strict=True)]
        picture.place(values, noise, threshold, words, above)
        noisy_bar.set_xdata([threshold + shift if threshold + shift <= EDGE else np.nan] * 2)
        return (
            f"ε = {epsilon:g}, n = {compact(n)}, T = {threshold:g}, c = {cutoff}: the noisy "
            f"threshold is {signed(threshold + shift, 4)}, query noise has scale 2c/(εn) = "
            f"{about(2 * cutoff / (epsilon * n))}; {_told(answers, values, cutoff)}{hidden}"
        )

    return update


def _told(answers, values, cutoff):
    numbers = [(i, answer) for i, answer in enumerate(answers) if answer is not BELOW]
    if not numbers:
        return f"⊥ to all {len(answers)}."
    worst = max(abs(answer - values[i]) for i, answer in numbers)
    many = "one number" if len(numbers) == 1 else f"{len(numbers)} numbers"
    off = "off by" if len(numbers) == 1 else "the worst off by"
    end = f"it halts at query {len(answers)}" if len(numbers) == cutoff else "it does not halt"
    return f"{many} released, {off} {about(worst)}; {end}."


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    n=(nice(1000, 10**7), 20_190),
    num_queries=(nice(100, 10**12), 1000),
    cutoff=(nice(1, 20), 5),
    delta=(DELTAS, 0.0),
    alpha=(nice(1e-5, 1.0), 0.005),
    seed=0,
)
def lecture11_failure_against_alpha(fig):
    """Failure probability against alpha on the worst stream: promised, exact and measured."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(1e-6, 10), ylim=(1e-9, 3))
    ax.set(xlabel="error α of a fraction", ylabel="probability of failure")
    ax.axvspan(1, 10, **NO_USE)
    ax.text(3.2, 1e-8, "α > 1:\nno use", ha="center", color="0.3")
    promised = line(ax, "Theorem 2 or 5", THEOREM)
    exact = line(ax, "exact", EXACT)
    measured = MeasuredRates(ax)
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, n, num_queries, cutoff, delta, alpha, seed):
        at = {"num_queries": num_queries, "cutoff": cutoff, "delta": delta}
        row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
        most = lecture11_alpha(**at, n=n, beta=1e-9, epsilon=epsilon)
        alphas = np.geomspace(most / 100, most, 60)
        curve = failure_curve(row, num_queries=num_queries, alpha=alphas * n)
        exact.set_data(alphas, curve)
        promised.set_data(
            alphas, lecture11_beta(**at, n=1, alpha=alphas * epsilon * n, epsilon=1.0)
        )
        probes = np.interp(-np.log([0.7, 0.3, 0.05, 0.01]), -np.log(curve), alphas)
        probes = np.append(probes, alpha)
        failed = failures(row, num_queries=num_queries, alpha=probes * n, trials=TRIALS, seed=seed)
        low, high = measured.place(probes, failed, TRIALS)
        here.set_xdata([alpha] * 2)
        bound = lecture11_beta(**at, n=1, alpha=alpha * epsilon * n, epsilon=1.0)
        real = failure(row, num_queries=num_queries, alpha=alpha * n)
        stated = lecture11_alpha(**at, n=n, beta=BETA, epsilon=epsilon)
        enough = needed_alpha(row, num_queries=num_queries, beta=BETA) / n
        useless = USELESS if stated >= 1 else ""
        return (
            f"ε = {epsilon:g}, n = {compact(n)}, k = {compact(num_queries)}, c = {cutoff}, "
            f"δ = {compact(delta)}, α = {compact(alpha)}: Theorem {5 if delta else 2} "
            f"{promise(bound)}; it fails with probability {probability(real)}, measured "
            f"{about(low[-1])} to {about(high[-1])}. For β = {BETA} the theorem asks for "
            f"α = {about(stated)}; {about(enough)} is enough.{useless}"
        )

    return update
