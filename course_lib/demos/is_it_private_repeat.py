"""The figure of notebook 04 on an attack that is repeated until it succeeds: what that proves."""

import numpy as np

from course_lib.demos.drawing import EXACT, NEIGHBOUR, THEOREM, line
from course_lib.demos.explore import compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.is_it_private import times_below
from course_lib.exact.is_it_private import (
    chance_after,
    chance_allowed,
    event_probabilities,
    happened_by,
)

RUNS = np.unique(np.concatenate([np.arange(1, 10), np.logspace(1, 7, 121)]))


def four_digits(chance):
    """0.8808; what rounds to 0 or 1 is neither."""
    if 0.00005 <= chance < 0.99995:
        return f"{chance:.4f}"
    return "below 0.0001" if chance < 0.5 else "above 0.9999"


@demo(
    epsilon=(nice(0.3, 3.0), 1.0),
    num_below=(range(1, 13), 4),
    run=(nice(1, 10**7), 700),
    size=(7.2, 4.4),
)
def repeated_attack(fig):
    """An attack repeated until it succeeds: what the number of runs says, and that all succeed."""
    chance, came = fig.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    chance.set(xscale="log", xlim=(0.8, 1.3e7), ylim=(-0.04, 1.08), ylabel="P(poor health)")
    came.set(ylim=(-0.04, 1.08), ylabel="P(it came)")
    came.set(xlabel="the run in which it comes for the first time")
    chance.axhline(0.5, color="0.7", linewidth=1)
    allowed, exact = line(chance, "the budget allows", THEOREM), line(chance, "exact", EXACT)
    in_poor_health = line(came, "in poor health", {"color": "black", "linestyle": "-"})
    not_in_it = line(came, "not", NEIGHBOUR | {"marker": None})
    marks = [ax.axvline(1, color="0.5", linewidth=1, animated=True) for ax in (chance, came)]
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, epsilon, num_below, run):
        allowed.set_data(RUNS, chance_allowed(run=RUNS, epsilon=epsilon))
        exact.set_data(RUNS, chance_after(run=RUNS, num_below=num_below, epsilon=epsilon))
        poor, not_poor = happened_by(run=RUNS, num_below=num_below, epsilon=epsilon)
        in_poor_health.set_data(RUNS, poor)
        not_in_it.set_data(RUNS, not_poor)
        for mark in marks:
            mark.set_xdata([run] * 2)
        one_in, one_in_not = (
            compact(float(f"{1 / probability:.3g}"))
            for probability in event_probabilities(num_below=num_below, epsilon=epsilon)
        )
        sure = four_digits(chance_after(run=run, num_below=num_below, epsilon=epsilon))
        allows = four_digits(chance_allowed(run=run, epsilon=epsilon))
        return (
            f"ε = {epsilon:g}, {times_below(num_below)} and then a number of at most 0: one run "
            f"in {one_in} gives this in poor health, in {one_in_not} if not. If it first comes in "
            f"run {compact(run)}, the chance of poor health is {sure}; {compact(run)}·ε allows "
            f"{allows}. Attackers who wait for it are right half the time."
        )

    return update
