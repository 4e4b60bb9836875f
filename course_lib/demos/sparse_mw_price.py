"""The figures of notebook 07 on cost and accuracy: sparse against plain multiplicative weights."""

import numpy as np

from course_lib.demos.drawing import MEASURED, THEOREM, line
from course_lib.demos.explore import about, compact, demo, nice
from course_lib.demos.explore import explore as explore
from course_lib.demos.lecture11_sparse import DELTAS, NO_USE
from course_lib.lab.sparse_mw import look_ups
from course_lib.online_ic import online_ic_alpha, online_ic_alpha_printed
from course_lib.sparse_mw import (
    smw_accuracy_bare,
    smw_alpha,
    smw_alpha_printed,
    smw_size,
    smw_updates,
)

BETA = 0.05
PLAIN = {"color": "0.35", "linestyle": "-"}
COUNTED = MEASURED | {"markersize": 6}
PRINTED = {"linestyle": ":", "linewidth": 1.5}
BARE = {"color": "#0072B2", "linestyle": (0, (1, 3)), "linewidth": 1.5}
ANY = "any string"
BITS = [10, 20, 30, 40, 50, 60]
ROOM = ["kB", "MB", "GB", "TB", "PB", "EB"]  # for that many numbers of 8 bytes
FITS = 30  # 2^30 numbers of 8 bytes are 8 GB
UNIVERSES = [f"2^{bits}" for bits in BITS] + [ANY]
PLACES = [*BITS, 70]  # on an axis of log₂|X|; the strings stand where 2^70 would
WIDE = np.array([*range(5, 20), *range(20, 60, 5), *range(60, 201, 10)], float)  # log₂|X|

TOP = 30  # above every error
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@demo(
    universe_size=(UNIVERSES, "2^20"),
    support=(nice(1, 500), 10),
    alpha=([0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2], 0.1),
    size=(7.2, 4.4),
)
def cost_per_query(fig):
    """Numbers touched for one query, and numbers kept, as the universe grows; no clock."""
    touched, kept = fig.subplots(1, 2)
    titles = {touched: "touched by one query", kept: "kept in memory"}
    for ax, title in titles.items():
        ax.set(yscale="log", xlim=(7, 77), ylim=(0.7, 1e19), xlabel="universe |X|", title=title)
        ax.set_xticks([10, 30, 50, 70], ["2¹⁰", "2³⁰", "2⁵⁰", "strings"])
        ax.axvspan(FITS, 77, **NO_USE)
        ax.text(76, 1e9, "plain MW needs\nmore than 8 GB", ha="right", color="0.3", fontsize=11)
        sizes = [10, FITS, 60]
        for part, style in ((slice(0, 2), {}), (slice(1, 3), {"linestyle": ":"})):
            label = "plain MW: |X|" if ax is touched and not style else None
            ax.plot(sizes[part], 2.0 ** np.array(sizes[part]), **PLAIN | style, label=label)
    touched.set_ylabel("numbers")
    all_s = [line(touched, "SMW as printed: s", THEOREM), line(kept, None, THEOREM)]
    value = line(touched, "SMW: a value", COUNTED | {"marker": "o"})
    more = line(touched, "a value and an update", COUNTED | {"marker": "^"})
    after = line(kept, "after two updates", COUNTED | {"marker": "D"})
    style = {"color": "0.5", "linewidth": 1, "animated": True}
    marks = [ax.plot([], [], **style, transform=ax.get_xaxis_transform())[0] for ax in titles]
    fig.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=11)

    def update(*, universe_size, support, alpha):
        counts = [look_ups(digits=b, support=support, alpha=alpha) for b in (*BITS, None)]
        reads, writes, memory = np.transpose(counts)
        size = smw_size(support=support, alpha=alpha)
        for curve in all_s:
            curve.set_data([10, 70], [size] * 2)
        value.set_data(PLACES, reads)
        after.set_data(PLACES, memory)
        more.set_data(PLACES, reads + writes)
        here = UNIVERSES.index(universe_size)
        for mark in marks:
            words = (0.45, np.nan, 0.63) if PLACES[here] > FITS else ()  # not through them
            mark.set_data([PLACES[here]] * (2 + len(words)), [0, *words, 1])
        most = support * int(smw_updates(support=support, alpha=alpha))
        return (
            f"{told_plain(universe_size)} SMW, m = {support:,}, α = {alpha:g}: "
            f"{plural(reads[here], 'look-up')} for a value, {writes[here]:,} more for an "
            f"update; sweeping all s, as printed, {rounded(size)}. In memory: "
            f"{memory[here]:,} after two updates, at most m·⌊B(α)⌋ = {rounded(most)}."
        )

    return update


def told_plain(universe):
    """What plain multiplicative weights needs, in words."""
    if universe == ANY:
        return "Strings of any length: plain MW has no such array."
    bits = int(universe[2:])
    room = f"8 {ROOM[BITS.index(bits)]}"
    return f"|X| = {universe}: plain MW touches {rounded(2**bits)} numbers, {room}."


def rounded(count):
    return f"{count:,}" if count < 10**6 else about(count)


def plural(count, noun):
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@demo(
    universe_size=([f"2^{b}" for b in (5, 8, 10, 15, 20, 30, 40, 60, 100, 150, 200)], "2^10"),
    support=(nice(1, 10**6), 1000),
    num_queries=(nice(10, 10**9), 1000),
    n=(nice(10**5, 10**9), 10**6),
    epsilon=(nice(0.05, 5.0), 1.0),
    delta=(DELTAS, 0.0),
    size=(7.2, 4.1),
)
def sparse_or_plain(fig):
    """The error that plain and sparse multiplicative weights promise, against the universe."""
    ax = fig.subplots()
    ax.set(yscale="log", xlim=(5, 200), ylim=(0.1, TOP))
    ax.set(xlabel="universe |X|", ylabel=f"error promised, β = {BETA:g}")
    ticks = [5, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200]
    ax.set_xticks(ticks, [f"2{str(b).translate(RAISED)}" for b in ticks])
    ax.axhspan(1, TOP, **NO_USE)
    ax.text(7, 0.9 * TOP, "1 or more: says nothing", va="top", color="0.3")
    plain, sparse = line(ax, "plain MW", PLAIN), line(ax, "SMW", THEOREM)
    printed = [
        line(ax, label, style | PRINTED)
        for label, style in (("dotted: as printed", PLAIN), (None, THEOREM))
    ]
    bare = line(ax, None, BARE)
    above = {"xytext": (0, 3), "textcoords": "offset points", "ha": "right", "fontsize": 11}
    name = ax.annotate("Theorem 7, constant 1", (198, 1), **above, animated=True)
    name.set_color(BARE["color"])
    mark = line(ax, None, {"color": "0.5", "linewidth": 1})
    here = line(ax, None, PLAIN | {"marker": "o"})
    cross = line(ax, None, {"color": "0.2", "linestyle": "none", "marker": "D", "markersize": 9})
    fig.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=11)

    def update(*, universe_size, support, num_queries, n, epsilon, delta):
        at = {"n": n, "num_queries": num_queries, "beta": BETA, "epsilon": epsilon, "delta": delta}
        sizes = 2.0**WIDE
        flat, flat_printed = (f(support=support, **at) for f in (smw_alpha, smw_alpha_printed))
        grows = 3 * online_ic_alpha(universe_size=sizes, **at)
        plain.set_data(WIDE, grows)
        both = at | {"num_queries": 2 * num_queries}  # two for each query, as SMW’s bound has
        printed[0].set_data(WIDE, 3 * online_ic_alpha_printed(universe_size=sizes, **both))
        ends = WIDE[[0, -1]]
        sparse.set_data(ends, [3 * flat] * 2)
        printed[1].set_data(ends, [3 * flat_printed] * 2)
        bits = int(universe_size[2:])
        (there,) = grows[WIDE == bits]
        here.set_data([bits], [there])
        size = smw_size(support=support, alpha=flat)  # with s elements plain MW promises the same
        cross.set_data([np.log2(size)], [3 * flat])
        from_here = (
            f"beyond |X| = s = 2^{np.log2(size):.1f}" if size >= 2**5 else "at every |X| shown"
        )
        constant = smw_accuracy_bare(support=support, **at) if delta else 0
        bare.set_data(ends, [constant or np.nan] * 2)
        name.set_visible(constant > 0)
        name.xy = 198, constant or 1
        lowest = min(constant or np.inf, 3 * flat_printed, printed[0].get_ydata()[0])
        bottom = 10 ** np.floor(np.log10(lowest))
        if ax.get_ylim()[0] != bottom:
            ax.set_ylim(bottom, TOP)
        mark.set_data([bits] * 2, [bottom, there])
        bare_words = f" Theorem 7, constant 1: {about(constant)}." if delta else ""
        return (
            f"m = {compact(support)}, k = {compact(num_queries)}, n = {compact(n)}, ε = "
            f"{epsilon:g}, δ = {compact(delta)}: SMW 3α = {about(3 * flat)} on any universe, "
            f"plain MW {about(there)} at |X| = {universe_size}{nothing(3 * flat, there)}. SMW "
            f"promises the smaller error {from_here}. As printed: {about(3 * flat_printed)}."
            f"{bare_words}"
        )

    return update


def nothing(sparse, plain):
    """In words, which of the two errors says nothing of a fraction."""
    told = {(True, True): "both say", (True, False): "SMW says", (False, True): "says"}
    empty = told.get((sparse >= 1, plain >= 1))
    return f" ({empty} nothing)" if empty else ""
