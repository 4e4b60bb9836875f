"""The figures of notebook 01: one run, accuracy promised and real, the price of privacy."""

import functools

import numpy as np

from course_lib.above_threshold import (
    above_threshold,
    above_threshold_alpha,
    above_threshold_alpha_exact,
    above_threshold_beta,
    above_threshold_failure,
)
from course_lib.demos.explore import (
    EXACT,
    MEASURED,
    NEIGHBOUR,
    THEOREM,
    THRESHOLD,
    VALUES,
    compact,
    demo,
    nice,
)
from course_lib.exact import exact_loss, first_above_law
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.data import health_queries, load_survey
from course_lib.lab.trials import above_threshold_trials
from course_lib.toolbox import advanced_per_run, laplace_alpha
from course_lib.variants import ABOVE, BELOW, variant

STREAM = health_queries()[:16]
BETA = 0.05
TRIALS = 5_000
NEIGHBOURS = np.array([[0.0, 1.0], [1.0, 0.0]])  # ⊥ to the first value, any number of times, then ⊤


@functools.cache
def stream_values():
    return np.array([query(load_survey()) for query in STREAM])


class RecordedNoise(np.random.Generator):
    """A generator that remembers the Laplace noise it gave."""

    def laplace(self, **parameters):
        self.given = [*getattr(self, "given", []), super().laplace(**parameters)]
        return self.given[-1]


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    threshold=(range(0, 3001, 50), 1800),
    num_queries=(range(1, len(STREAM) + 1), len(STREAM)),
    seed=0,
    size=(7.2, 5.0),
)
def one_run(fig):
    """One run of AboveThreshold on the survey: counts, noisy counts, noisy threshold, answers."""
    ax = fig.subplots()
    rows = np.arange(len(STREAM))
    ax.set(xlim=(-700, 3900), ylim=(len(STREAM) - 0.4, -0.6), xlabel="rows that count")
    ax.set_yticks(rows, [query.name for query in STREAM], fontsize=10)
    shifts = ax.hlines([], [], [], color="0.6", linewidth=1, animated=True)
    (counts,) = ax.plot([], [], label="count", **VALUES | {"linestyle": "none"}, animated=True)
    (noisy,) = ax.plot([], [], label="noisy count", **MEASURED, animated=True)
    bar = ax.axvline(0, color="0.5", linewidth=1.5, label="T", animated=True)
    noisy_bar = ax.axvline(0, label="noisy T", **THRESHOLD, animated=True)
    words = [ax.text(3850, row, "", va="center", ha="right", animated=True) for row in rows]
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, threshold, num_queries, seed):
        rng = RecordedNoise(np.random.PCG64(seed))
        run = above_threshold(
            load_survey(), STREAM[:num_queries], threshold=threshold, epsilon=epsilon, rng=rng
        )
        answers = list(run)
        asked = len(answers)
        values, (shift, *noise) = stream_values(), rng.given
        counts.set_data(values[:asked], rows[:asked])
        noisy.set_data(values[:asked] + noise, rows[:asked])
        ends = np.stack([values[:asked], values[:asked] + noise], axis=1)
        shifts.set_segments([[(a, row), (b, row)] for row, (a, b) in enumerate(ends)])
        bar.set_xdata([threshold] * 2)
        noisy_bar.set_xdata([threshold + shift] * 2)
        for row, word in enumerate(words):
            told = row < num_queries
            word.set_text(str(answers[row]) if row < asked else "not asked" if told else "")
            word.set_color("black" if row < asked else "0.5")
        if answers[-1] is ABOVE:
            told = f"⊤ at query {asked} (“{STREAM[asked - 1].name}”, {values[asked - 1]:,.0f} rows)"
            told += f" after {asked - 1} times ⊥"
        else:
            told = f"⊥ to all {asked}"
        hidden = np.count_nonzero((ends[:, 1] < -700) | (ends[:, 1] > 3900))
        outside = f" Outside the picture: {hidden} noisy." if hidden else ""
        return (
            f"ε = {epsilon:g}, T = {threshold:,}: the noisy threshold is {threshold + shift:,.0f}, "
            f"query noise has scale 4/ε = {4 / epsilon:,.0f}; {told}.{outside}"
        )

    return update


@functools.lru_cache(64)
def failure_curve(num_queries):
    """Exact failure probabilities over epsilon·alpha, on which alone they depend."""
    enough = above_threshold_alpha(num_queries=num_queries, beta=1e-9, epsilon=1.0)
    products = np.append(0.01, np.geomspace(enough / 100, enough, 60))
    return products, above_threshold_failure(num_queries=num_queries, alpha=products, epsilon=1.0)


@functools.lru_cache(256)
def exact_alpha(num_queries, beta):
    """The alpha really needed at epsilon = 1; at another epsilon it is divided by that."""
    return above_threshold_alpha_exact(num_queries=num_queries, beta=beta, epsilon=1.0)


@functools.lru_cache(256)
def failures(num_queries, product, seed):
    """How many of TRIALS runs fail on the worst stream, at epsilon = 1 and alpha = product."""
    values, counts = np.array([-product, product]), [num_queries - 1, 1]
    runs = slice(0 if num_queries > 1 else 1, None)  # with one query there are no low values
    first = above_threshold_trials(
        values[runs],
        counts=counts[runs],
        threshold=0.0,
        trials=TRIALS,
        epsilon=1.0,
        rng=np.random.default_rng(seed),
    )
    return np.count_nonzero(first != num_queries - 1)


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    num_queries=(nice(1, 10**12), 1000),
    alpha=(nice(0.5, 5000.0), 40.0),
    seed=0,
)
def failure_against_alpha(fig):
    """Failure probability against alpha on the worst stream: promised, exact and measured."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.5, 5000), ylim=(1e-9, 3))
    ax.set(xlabel="error α", ylabel="probability of failure")
    (promised,) = ax.plot([], [], label="Theorem 3.24", **THEOREM, animated=True)
    (exact,) = ax.plot([], [], label="exact", **EXACT, animated=True)
    bars = ax.vlines([], [], [], color="black", linewidth=1.5, animated=True)
    (measured,) = ax.plot([], [], label="measured, 95%", **MEASURED, animated=True)
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, num_queries, alpha, seed):
        products, curve = failure_curve(num_queries)
        exact.set_data(products / epsilon, curve)
        promised.set_data(
            products / epsilon,
            above_threshold_beta(num_queries=num_queries, alpha=products, epsilon=1.0),
        )
        probes = np.interp(-np.log([0.7, 0.3, 0.05, 0.01]), -np.log(curve), products)
        probes = np.append(probes, epsilon * alpha)
        failed = np.array([failures(num_queries, probe, seed) for probe in probes])
        low, high = clopper_pearson(failed, TRIALS)
        measured.set_data(probes / epsilon, np.where(failed, failed / TRIALS, np.nan))
        x = probes / epsilon
        bars.set_segments(np.stack([[x, np.maximum(low, 1e-12)], [x, high]]).transpose(2, 0, 1))
        here.set_xdata([alpha] * 2)
        at = {"num_queries": num_queries, "epsilon": epsilon}
        bound = above_threshold_beta(alpha=alpha, **at)
        promise = f"at most {bound:.2g}" if bound < 1 else "nothing (at most 1)"
        real = above_threshold_failure(alpha=alpha, **at)
        stated = above_threshold_alpha(beta=BETA, **at)
        enough = exact_alpha(num_queries, BETA) / epsilon
        return (
            f"k = {compact(num_queries)}, ε = {epsilon:g}, α = {alpha:g}: failure promised {promise}, "
            f"exactly {real:.2g}, measured {low[-1]:.2g} to {high[-1]:.2g}. "
            f"For β = {BETA} the theorem asks for α = {stated:.3g}; {enough:.3g} is enough."
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
    values, rows = stream_values(), np.arange(len(STREAM))
    k = len(STREAM)
    stream.set(xlim=(0, 3000), ylim=(k - 0.4, -0.6), xlabel="rows that count", ylabel="query")
    stream.set_yticks(rows[::3], rows[::3] + 1)
    stream.plot(values, rows, **VALUES | {"linestyle": "none"})
    stream.set_title("counts, and T ± α")
    gap = stream.axvspan(0, 1, color=THRESHOLD["color"], alpha=0.3, animated=True)
    bar = stream.axvline(0, **THRESHOLD, animated=True)
    ax.set(yscale="log", xlim=(0, 2000), ylim=(1e-6, 3))
    ax.set(xlabel="error α", ylabel="probability of a wrong answer")
    (promised,) = ax.plot([], [], label="Theorem 3.24", **THEOREM, animated=True)
    (exact,) = ax.plot([], [], label="exact", **EXACT, drawstyle="steps-post", animated=True)
    bars = ax.vlines([], [], [], color="black", linewidth=1.5, animated=True)
    (measured,) = ax.plot([], [], label="measured, 95%", **MEASURED, animated=True)
    here = ax.axvline(0, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)
    grid = np.linspace(0, 2000, 200)

    def update(*, epsilon, threshold, alpha, seed):
        row = variant("above_threshold", cutoff=1, epsilon=epsilon)
        law = first_above_law(row, values, threshold=threshold)
        errors = largest_error(values, threshold)
        exact.set_data(grid, [law[errors > a].sum() for a in grid])
        promise = above_threshold_beta(num_queries=k, alpha=grid, epsilon=epsilon)
        promised.set_data(grid, promise)
        first = above_threshold_trials(
            values,
            threshold=threshold,
            trials=TRIALS,
            epsilon=epsilon,
            rng=np.random.default_rng(seed),
        )
        probes = np.append(np.linspace(50, 1950, 11), alpha)
        wrong = np.array([np.count_nonzero(errors[first] > a) for a in probes])
        low, high = clopper_pearson(wrong, TRIALS)
        seen = (wrong > 0) | (probes == alpha)
        measured.set_data(probes, np.where(wrong, wrong / TRIALS, np.nan))
        ends = [[probes, np.maximum(low, 1e-9)], [probes, high]]
        bars.set_segments(np.stack(ends).transpose(2, 0, 1)[seen])
        here.set_xdata([alpha] * 2)
        bar.set_xdata([threshold] * 2)
        gap.set_x(threshold - alpha)
        gap.set_width(2 * alpha)
        inside = np.count_nonzero(abs(values - threshold) <= alpha)
        early = np.flatnonzero(values[:-1] >= threshold - alpha)
        bound = above_threshold_beta(num_queries=k, alpha=alpha, epsilon=epsilon)
        said = "promises nothing here" if bound == 1 else f"promises at most {bound:.2g}"
        if early.size:
            said = f"does not apply: query {early[0] + 1} of {k} reaches T − α"
        return (
            f"T = {threshold:,}, α = {alpha:,}: {inside} of {k} counts lie in the gap, where either "
            f"answer is right. Wrong: exactly {law[errors > alpha].sum():.2g}, measured "
            f"{low[-1]:.2g} to {high[-1]:.2g}; Theorem 3.24 {said}."
        )

    return update


def largest_error(values, threshold):
    """For a first ⊤ at each place, and for none, by how much the worst answer given is off."""
    missed = np.maximum.accumulate(np.concatenate([[0.0], values - threshold]))  # by a ⊥ before
    return np.maximum(missed, np.concatenate([threshold - values, [0.0]]))  # by the ⊤ itself


QUERIES = np.unique(np.logspace(0, 12, 25).round())


@functools.lru_cache(64)
def exact_alphas(beta):
    """The alpha really needed at epsilon = 1 for every k on the axis, by interpolation."""
    products, curves = failure_table()
    return np.array([np.interp(-np.log(beta), -np.log(curve), products) for curve in curves])


@functools.cache
def failure_table():
    products = np.linspace(0.0, 200.0, 100)
    curves = above_threshold_failure(num_queries=QUERIES[:, None], alpha=products, epsilon=1.0)
    return products, np.maximum(curves, 1e-300)


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    num_queries=(nice(1, 10**12), 1000),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], 0.05),
    delta=([1e-12, 1e-9, 1e-6, 1e-3], 1e-6),
)
def alpha_against_queries(fig):
    """The error alpha needed for k queries: AboveThreshold against answering them all."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(1, 1e12), ylim=(1, 1e9))
    ax.set(xlabel="number of queries k", ylabel="error α needed")
    ax.set_xticks(10.0 ** np.arange(0, 13, 2))
    plain = NEIGHBOUR | {"marker": "none"}
    (basic,) = ax.plot([], [], label="Laplace, basic", **plain, animated=True)
    advanced_style = {"color": "#CC79A7", "linestyle": ":"}
    (advanced,) = ax.plot([], [], label="Laplace, advanced", **advanced_style, animated=True)
    (promised,) = ax.plot([], [], label="Theorem 3.24", **THEOREM, animated=True)
    (exact,) = ax.plot([], [], label="exact", **EXACT, animated=True)
    here = ax.axvline(1, color="0.5", linewidth=1, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, num_queries, beta, delta):
        all_k = {"num_queries": QUERIES, "beta": beta}
        runs = advanced_per_run(runs=QUERIES, epsilon=epsilon, delta=delta)
        basic.set_data(QUERIES, laplace_alpha(**all_k, epsilon=epsilon / QUERIES))
        advanced.set_data(QUERIES, laplace_alpha(**all_k, epsilon=runs))
        promised.set_data(QUERIES, above_threshold_alpha(**all_k, epsilon=epsilon))
        exact.set_data(QUERIES, exact_alphas(beta) / epsilon)
        here.set_xdata([num_queries] * 2)
        one = {"num_queries": num_queries, "beta": beta}
        per_run = advanced_per_run(runs=num_queries, epsilon=epsilon, delta=delta)
        stated = above_threshold_alpha(**one, epsilon=epsilon)
        enough = exact_alpha(num_queries, beta) / epsilon
        each, all_of = (
            laplace_alpha(**one, epsilon=e) for e in (epsilon / num_queries, per_run)
        )
        return (
            f"k = {compact(num_queries)}, ε = {epsilon:g}, β = {beta:g}: AboveThreshold asks for "
            f"α = {stated:.3g} by the theorem and {enough:.3g} in truth; answering every query by the "
            f"Laplace mechanism, {each:.3g} (basic) or {all_of:.3g} (advanced, δ = {delta:g})."
        )

    return update


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    num_queries=(nice(1, 10**6), 10),
    threshold=(range(-10, 11), 0),
    seed=0,
)
def loss_against_answers(fig):
    """The exact privacy loss of ⊥, …, ⊥, ⊤ on two neighbouring streams, as a share of ε."""
    ax = fig.subplots()
    ax.set(xscale="log", xlim=(0.9, 1e6), ylim=(0, 1.3))
    ax.set(xlabel="number of queries k (k − 1 times ⊥, then ⊤)", ylabel="privacy loss / ε")
    ax.axhline(1, label="promised", **THEOREM)
    (exact,) = ax.plot([], [], label="exact", **EXACT, animated=True)
    bars = ax.vlines([], [], [], color="black", linewidth=1.5, animated=True)
    (measured,) = ax.plot([], [], label="measured, 95%", **MEASURED, animated=True)
    (here,) = ax.plot([], [], "D", color=EXACT["color"], markersize=10, animated=True)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)
    lengths = (*range(1, 13), 15, 20, 30, 50, 100, 1_000, 1_000_000)

    def update(*, epsilon, num_queries, threshold, seed):
        exact.set_data(lengths, losses(lengths, threshold, epsilon) / epsilon)
        loss = losses((num_queries,), threshold, epsilon)[0]
        here.set_data([num_queries], [loss / epsilon])
        probes, low, high = measured_losses(threshold, epsilon, seed)
        measured.set_data(probes, (low + high) / 2 / epsilon)
        ends = [[probes, low / epsilon], [probes, high / epsilon]]
        bars.set_segments(np.stack(ends).transpose(2, 0, 1))
        return (
            f"ε = {epsilon:g}, T = {threshold}: {compact(num_queries - 1)} times ⊥ and then ⊤ has a "
            f"privacy loss of {loss:.6f} on (0, …, 0, 1) against (1, …, 1, 0), "
            f"{loss / epsilon:.2%} of ε; the theorem allows {epsilon:g}."
        )

    return update


@functools.lru_cache(256)
def losses(lengths, threshold, epsilon):
    """The exact loss for streams of the given lengths, in increasing order."""
    lengths = np.array(lengths, dtype=float)
    row = variant("above_threshold", cutoff=1, epsilon=epsilon)
    if lengths[0] == 1:
        alone = exact_loss(row, *NEIGHBOURS[:, 1:], [ABOVE], threshold=threshold)
        rest = losses(tuple(lengths[1:]), threshold, epsilon) if lengths.size > 1 else []
        return np.append(alone, rest)
    counts = np.stack([lengths - 1, np.ones_like(lengths)], axis=-1)
    return exact_loss(row, *NEIGHBOURS, [BELOW, ABOVE], threshold=threshold, counts=counts)


@functools.lru_cache(256)
def measured_losses(threshold, epsilon, seed):
    """Intervals for the loss from the frequency of ⊥, …, ⊥, ⊤ on both streams, where seen often."""
    rng = np.random.default_rng(seed)
    kept = []
    for length in (2, 4, 8, 16):
        seen = [
            np.count_nonzero(
                above_threshold_trials(
                    values,
                    counts=[length - 1, 1],
                    threshold=threshold,
                    trials=TRIALS,
                    epsilon=epsilon,
                    rng=rng,
                )
                == length - 1
            )
            for values in NEIGHBOURS
        ]
        if min(seen) >= 20:  # both rates within their intervals at once: 97.5% each
            (a, b), (c, d) = (clopper_pearson(n, TRIALS, confidence=0.975) for n in seen)
            kept.append((length, np.log(a / d), np.log(b / c)))
    return np.array(kept).reshape(-1, 3).T
