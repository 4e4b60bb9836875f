"""The figure of notebook 08 on privacy: what a change of 1 costs of the budget epsilon."""

import numpy as np

from course_lib.alp import alp_loss, alp_scale
from course_lib.demos.alp_style import ALP, HISTOGRAM
from course_lib.demos.drawing import EXACT, THEOREM, bars, line, place_bars
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.alp import MOST_ENTRIES, enumerated_loss

BUDGETS = np.arange(0.5, 4.1, 0.5)  # where all outputs are enumerated
ENUMERATED = {"linestyle": "none", "marker": "o", "color": "white", "markersize": 10}
ENUMERATED |= {"markeredgecolor": EXACT["color"], "markeredgewidth": 2}
PAPER_MARK = ALP | {"linestyle": "none", "marker": "D", "markersize": 11}
HISTOGRAM_MARK = HISTOGRAM | {"linestyle": "none", "marker": "^", "markersize": 13}
HISTOGRAM_MARK |= {"markeredgecolor": "black", "markeredgewidth": 1.5}


@demo(
    epsilon=(nice(0.1, 4.0), 1.0),
    alpha=([0.25, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0], 3.0),
    entries=([1, 2, 4, 8, 16], 2),
    size=(7.2, 4.4),
)
def privacy_spent(fig):
    """The loss that a change of 1 in all causes, against the budget that was asked for."""
    ax = fig.subplots()
    ax.set(xlim=(0, 4.15), ylim=(0, 4.4), xlabel="ε asked for", ylabel="loss of a change of 1")
    ax.yaxis.set_label_coords(-0.065, 0.5)  # left of the widest tick labels
    ax.plot([0, 4], [0, 4], label="promised (Lemma 4.12)", **THEOREM)
    closed = line(ax, "exact, closed form", EXACT)
    dots = line(ax, "by enumeration", ENUMERATED)
    stem = bars(ax, color="0.6")
    paper = line(ax, "the paper’s scale ε", PAPER_MARK)
    histogram = line(ax, "the histogram’s scale", HISTOGRAM_MARK)
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)
    budgets = np.linspace(0, 4, 161)[1:]

    def update(*, epsilon, alpha, entries):
        closed.set_data(budgets, alp_loss(entries=entries, alpha=alpha, epsilon=budgets))
        losses = [enumerated_loss(entries=entries, alpha=alpha, epsilon=e) for e in BUDGETS]
        dots.set_data(BUDGETS, losses)
        spent = alp_loss(entries=entries, alpha=alpha, epsilon=epsilon)
        scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours="histogram")
        wider = alp_loss(entries=entries, alpha=alpha, epsilon=scale)
        top = next(y for y in (4.4, 6.6, 11) if y > 1.05 * wider)
        if ax.get_ylim() != (0, top):
            ax.set_ylim(0, top)
        paper.set_data([epsilon], [spent])
        histogram.set_data([epsilon], [wider])
        place_bars(stem, ([epsilon], [spent]), ([epsilon], [wider]))
        return told(epsilon, alpha, entries, spent, scale, wider)

    return update


def told(epsilon, alpha, entries, spent, scale, wider):
    """The sentence: what each scale costs, and what the larger one gains."""
    where = "in one entry" if entries == 1 else f"in {entries} equal parts"
    start = (
        f"ε = {epsilon:g}, α = {alpha:g}: a change of 1 {where} costs {about(spent)} with the "
        f"paper’s scale, {spent / epsilon:.1%} of the promise. The histogram’s scale, "
        f"{about(scale / epsilon)}·ε, "
    )
    if entries == 1:
        return start + (
            f"costs {about(wider)}, all of ε, and at this α divides bounds on expected errors by "
            f"{about(scale / epsilon)}."
        )
    too_many = "" if entries <= MOST_ENTRIES else " Too many outputs to list."
    beyond = about(100 * (wider / epsilon - 1))
    return start + (
        f"is for one entry: here it costs {about(wider)}, {beyond}% more than ε.{too_many}"
    )
