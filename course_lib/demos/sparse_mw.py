"""The figures of notebook 07 on the proof and on the structure; see also sparse_mw_price."""

import numpy as np

from course_lib.demos.drawing import EXACT, THEOREM, THRESHOLD, VALUES, bars, line, place_bars
from course_lib.demos.explore import about, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.exact.sparse_mw import potential_run
from course_lib.lab.sparse_mw import LONGEST, clinic, filling

PRINTED = {"color": THEOREM["color"], "linestyle": ":"}
SHORT = {
    "linestyle": "none",
    "marker": "x",
    "color": "black",
    "markeredgewidth": 1.2,
    "markersize": 6,
}
DROPS = {"linestyle": "none", "marker": "o", "markeredgewidth": 0}
END = {"color": "0.6", "linewidth": 1.5, "animated": True}
SHOWN = 10  # of the first variables; then come the last three that are assigned, the next two, s
SLOTS = SHOWN + 8
UNASSIGNED = {"color": "0.5", "linestyle": "none", "marker": "o", "markerfacecolor": "white"}


def reduced(weight):
    """The second query in words."""
    return {0: "Σb", 1: "a + Σb"}.get(weight, f"{weight:g}·a + Σb")


@demo(
    updates=(nice(1, 2500), 100),
    mass=([0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], 0.25),
    weight=(np.arange(0, 1.01, 0.1).round(1), 0.0),
    alpha=([0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2], 0.1),
    support=(nice(2, 100), 20),
    size=(7.2, 4.1),
)
def two_potentials(fig):
    """Lemma 6's potential and the repaired one, update by update, and how far each falls."""
    ax, drop = fig.subplots(2, 1, sharex=True)
    ax.set(ylabel="potential", xlim=(0, 312), ylim=(0, 3))
    drop.set(xlabel="valid updates", ylabel="drop / (α²/4)", ylim=(-8, 45))
    drop.set_yscale("symlog", linthresh=2, linscale=1.2)
    drop.set_yticks([-5, -1, 0, 1, 5, 20], ["−5", "−1", "0", "1", "5", "20"])
    drop.axhline(0, color="0.8", linewidth=1)
    drop.axhline(1, label="promised, α²/4", **THRESHOLD)
    printed, repaired = (
        [line(ax, label, style), line(drop, None, style | DROPS | {"markersize": size})]
        for label, style, size in (("Ψ as printed", PRINTED, 7), ("repaired", EXACT, 3))
    )
    short = line(drop, "falls short", SHORT)
    ends = [axes.axvline(0, **END) for axes in (ax, drop)]
    word = ax.text(0, 0.97, "", transform=ax.get_xaxis_transform(), va="top", animated=True)
    word.set(color="0.4", fontsize=11)
    fig.legend(loc="outside upper center", ncols=4, frameon=False)

    def update(*, updates, mass, weight, alpha, support):
        potentials, log = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
        shown, promised = min(updates, len(log)), alpha**2 / 4
        limits = 0, 1.04 * next(x for x in (150, 300, 600, 1000, 1500, 2500) if x > len(log))
        top = next(y for y in (3, 6, 15) if y > potentials.max())
        if ax.get_xlim() != limits or ax.get_ylim() != (0, top):
            ax.set(xlim=limits, ylim=(0, top))
        drops = -np.diff(potentials, axis=0)[:shown]
        for i, (curve, dots) in enumerate((printed, repaired)):
            curve.set_data(range(shown + 1), potentials[: shown + 1, i])
            dots.set_data(range(1, shown + 1), drops[:, i] / promised)
        fails = np.flatnonzero(drops[:, 0] < promised)
        short.set_data(fails + 1, drops[fails, 0] / promised)
        for end in ends:
            end.set_xdata([len(log)] * 2)
        side = "right" if len(log) > limits[1] / 2 else "left"
        word.set(x=len(log), ha=side, text=f" last: {len(log):,} ")
        start = f"D(a) = {mass:g}, α = {alpha:g}, m = {support}: "
        if not log:
            return start + "no query is α or more away from the truth, so there is no valid update."
        sign, guess = log[shown - 1]
        asked, truth = ("a + Σb", mass) if sign > 0 else (reduced(weight), weight * mass)
        counted = (
            f"{len(log):,} valid updates, {shown:,} shown" if len(log) > 1 else "1 valid update"
        )
        rises = sum(drops[:, 0] < 0)
        s = "" if rises == 1 else "s"
        return (
            f"{start}{counted}. Drops below α²/4 = {about(promised)}: as printed {len(fails):,}"
            f"{f' ({rises:,} rise{s})' if rises else ''}, least {number(drops[:, 0].min())}; "
            f"repaired {sum(drops[:, 1] < promised)}, least {number(drops[:, 1].min())}. "
            f"Update {shown:,} {'raises' if sign > 0 else 'lowers'} {asked} (hypothesis "
            f"{about(guess)}, true {about(truth)}): drops {number(drops[-1, 0])} and "
            f"{number(drops[-1, 1])}."
        )

    return update


def number(x):
    return about(x).replace("-", "−")


def places(assigned, size):
    """The variables that are shown, in their order; None is a gap."""
    near = [i for i in range(assigned - 2, assigned + 3) if i > SHOWN]
    gap = [None] if near and near[0] > SHOWN + 1 else []
    return [*range(1, SHOWN + 1), *gap, *near, None, size]


@demo(
    asked=(nice(1, LONGEST), 10),
    alpha=([0.05, 0.07, 0.1, 0.15, 0.2], 0.1),
    support=(nice(1, 20), 10),
    seed=0,
    again="Other queries",
    size=(7.2, 4.4),
)
def structure_filling(fig):
    """The data structure of sparse multiplicative weights while it is asked about made-up codes."""
    ax, used = fig.subplots(2, 1, height_ratios=(1.25, 1))
    ax.set(yscale="log", ylim=(1e-7, 10), xlim=(-0.7, SLOTS - 0.3), ylabel="weight $D_t[i]$")
    ax.set_xticks(range(SLOTS), ["U00.0000"] * SLOTS, rotation=90, fontsize=10)
    ax.tick_params(axis="x", labelcolor="none", length=0)  # keeps the room for `names`
    below = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "top", "fontsize": 10}
    names = [ax.text(i, -0.04, "", rotation=90, **below, animated=True) for i in range(SLOTS)]
    stems = bars(ax, color="0.5")
    weights = line(ax, "assigned variable", EXACT | {"linestyle": "none", "marker": "o"})
    unassigned = line(ax, "unassigned", UNASSIGNED)
    truth = line(ax, "its code’s share of D", VALUES | {"linestyle": "none"})
    ax.set_title("made-up codes; nobody has one with U", color="0.3", fontsize=11, pad=3)
    here = ax.text(0, 1, "ind\n↓", ha="center", va="center", color="0.3", animated=True)
    used.set(xscale="log", xlim=(0.9, 1.1 * LONGEST))
    used.set_yscale("symlog", linthresh=1, linscale=0.5)
    used.set_ylim(-0.4, 5e6)
    used.set_yticks([0, 10, 1e3, 1e5], ["0", "10", "1,000", "10⁵"])
    used.set(xlabel="queries asked", ylabel="assigned")
    size_line = used.axhline(1, color="0.3", linewidth=1.5, animated=True)
    size_word = used.text(LONGEST, 1, "", ha="right", color="0.3", fontsize=11, animated=True)
    bound = line(used, "m × updates", THEOREM)
    filled = line(used, None, EXACT | {"marker": "o", "markevery": [-1]})
    fig.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=11)

    def update(*, asked, alpha, support, seed):
        state = filling(num_queries=asked, support=support, alpha=alpha, seed=seed)
        learner, assigned = state.learner, state.learner.assigned
        empty, size = learner.evaluate({"": 1.0}), learner.size
        shown = places(assigned, size)
        x = {i: slot for slot, i in enumerate(shown) if i}
        full = [(x[i], state.elements[i - 1]) for i in x if i <= assigned]
        slots = np.array([slot for slot, _ in full])
        heights = np.array([learner.evaluate({name: 1.0}) for _, name in full])
        weights.set_data(slots, heights)
        place_bars(stems, (slots, np.full(len(slots), 1 / size)), (slots, heights))
        truth.set_data(slots, [clinic().get(name, np.nan) for _, name in full])
        free = [x[i] for i in x if i > assigned]
        unassigned.set_data(free, np.full(len(free), empty))
        labels = [f"{i:,}" if i else "…" for i in shown] + [""] * (SLOTS - len(shown))
        for slot, name in full:
            labels[slot] = name
        for text, label in zip(names, labels, strict=True):
            text.set_text(label)
        here.set_x(x[assigned + 1])
        filled.set_data(range(1, asked + 1), state.assigned)
        bound.set_data(range(1, asked + 1), support * state.updates)
        size_line.set_ydata([size] * 2)
        size_word.set(y=size * 1.6, text=f"s = {size:,}")
        count = state.updates[-1]
        moved = "raised" if state.value > state.guess else "lowered"
        change = moved if state.updated else "no update"
        return (
            f"α = {alpha:g}, m = {support}; {asked:,} {'query' if asked == 1 else 'queries'} asked "
            f"with exact values: {count} {'update' if count == 1 else 'updates'}, ind = "
            f"{assigned + 1:,}. In memory: {assigned:,} of s = {size:,} variables "
            f"({100 * assigned / size:.2g}%); the others weigh "
            f"{100 * (size - assigned) * empty:.4g}%. "
            f"The last query: {about(state.value)} on D, {about(state.guess)} on the hypothesis, "
            f"{change}."
        )

    return update
