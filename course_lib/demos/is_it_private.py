"""The figures of notebook 04 on what is broken: the loss, and an attack on one row."""

import numpy as np

from course_lib.demos.drawing import EXACT, MEASURED, THEOREM, bars, line, place_bars
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.is_it_private import (
    attack_probabilities,
    chance_allowed,
    printed_loss,
    repaired_chance,
    repaired_loss,
)
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.is_it_private import announcements, measured_losses

REPAIRED = {"color": "#CC79A7", "linestyle": (0, (5, 1.5, 1, 1.5))}
TRIALS = 400_000
MEASURABLE = np.arange(1, 9)  # more ⊥ than these are too rare to be seen
LENGTHS = np.array([*range(1, 13), 15, 20, 30, 50, 100, 200, 500, 1000])


def times_below(number):
    return "one ⊥" if number == 1 else f"{compact(number)} times ⊥"


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
        exact.set_data(LENGTHS, printed_loss(num_below=LENGTHS, cutoff=cutoff, epsilon=epsilon))
        loss = printed_loss(num_below=num_below, cutoff=cutoff, epsilon=epsilon)
        here.set_data([num_below], [loss])
        after = repaired_loss(num_below=[*LENGTHS, num_below], cutoff=cutoff, epsilon=epsilon)
        repaired.set_data(LENGTHS, after[:-1])
        ratio, low, high = measured_losses(
            num_below=len(MEASURABLE), trials=TRIALS, cutoff=cutoff, epsilon=epsilon, seed=seed
        )
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
        return (
            f"ε = {epsilon:g}, c = {cutoff}: {times_below(num_below)}, then a number of at "
            f"most 0, loses exactly m·ε/(2c) = {about(loss)} on (0, …, 0, 0) against (1, …, 1, 0); "
            f"claimed: at most {epsilon:g}. Sampling alone shows "
            f"{sampled}. The repaired algorithm on its own worst pair: "
            f"{about(after[-1])}."
        )

    return update


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
        allowed = chance_allowed(run=1, epsilon=epsilon)
        limit.set_ydata([allowed] * 2)
        at, rates = attack_probabilities(num_below=num_below, epsilon=epsilon)
        exact.set_data(at, rates[0] / rates.sum(axis=0))
        rate.set_data(at, rates.mean(axis=0))
        after = repaired_chance(num_below=num_below, epsilon=epsilon)
        repaired.set_ydata([after] * 2)
        said = announcements(
            num_below=num_below, cut=cut, trials=TRIALS, epsilon=epsilon, seed=seed
        )
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
