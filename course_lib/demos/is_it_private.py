"""The figures of notebook 04 on what is broken: the loss, and an attack on one row."""

import functools

import numpy as np

from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, bars, line, place_bars
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.family import member
from course_lib.exact.integral import log_cdf, log_density
from course_lib.exact.transcripts import exact_loss
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.trials import laplace
from course_lib.support.answers import BELOW

REPAIRED = {"color": "#CC79A7", "linestyle": (0, (5, 1.5, 1, 1.5))}
TRIALS = 400_000
MEASURABLE = np.arange(1, 9)  # more ⊥ than these are too rare to be seen
LENGTHS = np.array([*range(1, 13), 15, 20, 30, 50, 100, 200, 500, 1000])


def times_below(number):
    return "one ⊥" if number == 1 else f"{compact(number)} times ⊥"


@functools.lru_cache(16)
def unit_noise(num_below, state, seed):
    """Lap(1) for the threshold, for the largest of m queries, and for one more, a row a run.

    Kept are the runs whose threshold is the largest: with equal scales (c = 1) no others get ⊥
    to m queries of value 0 or more. What a run gets does not depend on m. Each of the two states
    of the row has noise of its own: the intervals need independent runs.
    """
    rng = np.random.default_rng([seed, state])
    threshold, last = laplace(rng, 1.0, np.empty((2, TRIALS)))
    largest = np.full(TRIALS, -np.inf)
    for _ in range(num_below):
        largest = np.maximum(largest, laplace(rng, 1.0, np.empty(len(largest))))
        kept = largest < threshold
        threshold, largest, last = threshold[kept], largest[kept], last[kept]
    return threshold, largest, last


@functools.lru_cache(4)
def low_numbers(seed):
    """Lap(1) as above, for each of MEASURABLE, in the runs where threshold and last are negative.

    Only those runs can end in a number of at most 0.
    """
    rng = np.random.default_rng(seed)
    threshold, last = laplace(rng, 1.0, np.empty((2, TRIALS)))
    kept = (threshold < 0) & (last < 0)
    noise = laplace(rng, 1.0, np.empty((np.count_nonzero(kept), MEASURABLE[-1])))
    return threshold[kept], np.maximum.accumulate(noise, axis=1).T, last[kept]


@functools.lru_cache(128)
def measured_losses(cutoff, epsilon, seed):
    """The log-ratio of the rates of “m times ⊥, then a number of at most 0”, and its interval.

    All intervals hold at once with 95%: a sixteenth of the doubt for each of 16 rates.
    """
    threshold, largest, last = low_numbers(seed)
    query_scale, threshold_scale = 2 * cutoff / epsilon, 2 / epsilon
    shown = threshold_scale * threshold <= query_scale * last
    seen = [
        [
            np.count_nonzero(shown & (query_scale * m + move < threshold_scale * threshold))
            for m in largest
        ]
        for move in (0.0, 1.0)
    ]
    (low, high), (low_there, high_there) = (
        clopper_pearson(np.array(count), TRIALS, confidence=1 - 0.05 / 16) for count in seen
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(np.divide(*seen))
        return ratio, np.log(low / high_there), np.log(high / low_there)


@functools.lru_cache(128)
def repaired_losses(lengths, cutoff, epsilon):
    """Exact losses of the repaired algorithm on its worst pair: m times ⊥, then c numbers."""
    row = member("lecture11_repaired", cutoff=cutoff, epsilon=epsilon)
    here, there = [0.0, *[1.0] * cutoff], [1.0, *[0.0] * cutoff]
    counts = np.ones((len(lengths), 1 + cutoff))
    counts[:, 0] = lengths
    return exact_loss(row, here, there, [BELOW, *[2.0] * cutoff], threshold=0.0, counts=counts)


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    cutoff=(range(1, 11), 1),
    num_below=(nice(1, 1000), 10),
    seed=0,
)
def loss_against_below(fig):
    """The loss of m times ⊥ and then a number: claimed, exact, measured, and after the repair."""
    ax = fig.subplots()
    ax.set(xscale="log", yscale="log", xlim=(0.8, 1300), ylim=(0.01, 4000))
    ax.set(xlabel="m, how often ⊥ comes before the number", ylabel="privacy loss")
    claimed = ax.axhline(1, label="claimed", **THEOREM, animated=True)
    exact = line(ax, "printed, exact", EXACT)
    repaired = line(ax, "repaired, exact", REPAIRED)
    intervals = bars(ax)
    measured = line(ax, "measured, 95%", MEASURED)
    here = line(ax, None, EXACT | {"linestyle": "none", "marker": "D", "markersize": 10})
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, cutoff, num_below, seed):
        claimed.set_ydata([epsilon] * 2)
        exact.set_data(LENGTHS, LENGTHS * epsilon / (2 * cutoff))
        loss = num_below * epsilon / (2 * cutoff)
        here.set_data([num_below], [loss])
        repaired.set_data(LENGTHS, repaired_losses(tuple(LENGTHS), cutoff, epsilon))
        ratio, low, high = measured_losses(cutoff, epsilon, seed)
        measured.set_data(MEASURABLE, np.where(np.isfinite(ratio), ratio, np.nan))
        ends = (np.clip(end, 1e-3, 1e5) for end in (low, high))
        said = np.isfinite(ratio) | (low > 0)
        place_bars(intervals, *((MEASURABLE[said], end[said]) for end in ends))
        best = int(np.argmax(low))
        bound = max(low[best], 0.0)
        verdict = "more than claimed" if bound > epsilon else "within the claim"
        sampled = (
            f"at least {about(bound)} (m = {MEASURABLE[best]}), {verdict}" if bound else "nothing"
        )
        after = repaired_losses((num_below,), cutoff, epsilon)[0]
        return (
            f"ε = {epsilon:g}, c = {cutoff}: {times_below(num_below)}, then a number of at "
            f"most 0, loses exactly m·ε/(2c) = {about(loss)} on (0, …, 0, 0) against (1, …, 1, 0); "
            f"claimed: at most {epsilon:g}. Sampling alone shows "
            f"{sampled}. The repaired algorithm on its own worst pair: "
            f"{about(after)}."
        )

    return update


@functools.lru_cache(32)
def attack_curves(num_below, epsilon):
    """Pr[m times ⊥, then a number of at most a] in one run, over a, for both states of the row.

    The number's own query is the same in both; c = 1, so both noises have the scale b. Exact.
    """
    b = 2 / epsilon
    edges = np.unique(
        np.concatenate(
            [np.linspace(-12 * b, 0, 1201), np.linspace(0, 1, 61), np.linspace(1, 14, 601)]
        )
    )
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    density = np.exp(log_density(middle, b))
    rates = []
    for low in (0.0, 1.0):
        step = density * np.exp(num_below * log_cdf((middle - low) / b)) * width
        so_far = np.cumsum(step) - step / 2  # of the threshold, up to the middle of the cell
        rates.append(np.cumsum(density * so_far * width))
    return edges[1:], np.array(rates)


@functools.lru_cache(32)
def repaired_posterior(num_below, epsilon):
    """The posterior after the same answers of the repaired algorithm; the number tells nothing."""
    row = member("lecture11_repaired", cutoff=1, epsilon=epsilon)
    counts = [num_below, 1]
    loss = exact_loss(row, [0.0, 0.0], [1.0, 0.0], [BELOW, 0.0], threshold=0.0, counts=counts)
    return 1 / (1 + np.exp(-loss))


def announcements(num_below, epsilon, cut, seed):
    """How often the attacker speaks in TRIALS runs: in poor health (value 0), and not (1)."""
    counts = []
    for value in (0, 1):
        threshold, largest, last = unit_noise(num_below, value, seed)
        below = largest + value * epsilon / 2 < threshold
        counts.append(np.count_nonzero(below & (threshold <= last) & (2 / epsilon * last <= cut)))
    return counts


@demo(
    epsilon=(nice(0.3, 3.0), 1.0),
    num_below=(range(1, 13), 4),
    cut=(range(-5, 11), 0),
    seed=0,
    size=(7.2, 4.4),
)
def attack(fig):
    """One run: how often an attacker is right about one row and how often she speaks, by cut."""
    right, often = fig.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    right.set(xlim=(-6, 11), ylim=(0.45, 1.02), ylabel="P(right)")
    often.set(yscale="log", ylim=(1e-9, 1), ylabel="P(speaks)")
    often.set(xlabel="cut: the attacker speaks if n times the number is at most this")
    limit = right.axhline(0.5, label="ε allows", **THEOREM, animated=True)
    exact, rate = line(right, "printed, exact", EXACT), line(often, None, EXACT)
    repaired = right.axhline(0.5, label="repaired, exact", **REPAIRED, animated=True)
    artists = [
        (bars(ax), line(ax, label, MEASURED))
        for ax, label in ((right, "measured, 95%"), (often, None))
    ]
    here = [ax.axvline(0, color="0.5", linewidth=1, animated=True) for ax in (right, often)]
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, num_below, cut, seed):
        allowed = 1 / (1 + np.exp(-epsilon))
        limit.set_ydata([allowed] * 2)
        at, rates = attack_curves(num_below, epsilon)
        exact.set_data(at, rates[0] / rates.sum(axis=0))
        rate.set_data(at, rates.mean(axis=0))
        after = repaired_posterior(num_below, epsilon)
        repaired.set_ydata([after] * 2)
        said = announcements(num_below, epsilon, cut, seed)
        counts = [(said[0], sum(said)), (sum(said), 2 * TRIALS)]
        measured = [
            (a / b if a else np.nan, *clopper_pearson(a, b)) if b else (np.nan, 0.0, 1.0)
            for a, b in counts
        ]
        for (interval, dot), mark, (value, low, high) in zip(artists, here, measured, strict=True):
            dot.set_data([cut], [value])
            place_bars(interval, ([cut], [max(low, 1e-12)]), ([cut], [high]))
            mark.set_xdata([cut] * 2)
        posterior, frequency = (
            np.interp(cut, at, y) for y in (rates[0] / rates.sum(axis=0), rates.mean(axis=0))
        )
        seen = (
            f"measured {measured[0][1]:.3f} to {measured[0][2]:.3f}" if sum(said) else "never seen"
        )
        sure = f"{posterior:.4f}" if posterior < 0.99995 else "above 0.9999"
        at_most = f"{cut}/n".replace("-", "−") if cut else "0"
        one_in = compact(float(f"{1 / frequency:.2g}"))
        return (
            f"ε = {epsilon:g}, both states equally likely. If one run gives "
            f"{times_below(num_below)} and then a number of at most {at_most} (one in {one_in} "
            f"does), “poor health” is right with probability {sure} ({seen} in "
            f"{compact(2 * TRIALS)} runs); ε allows {allowed:.4f}. The same answers, repaired: "
            f"{after:.4f}."
        )

    return update
