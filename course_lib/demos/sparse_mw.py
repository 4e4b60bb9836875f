"""The pictures of notebook 07: how the structure fills, two potentials, what a query costs."""

import itertools

import numpy as np

from course_lib.demos.picture import (
    BASIC, DOTS, EXACT, HERE, MEASURED, NO_USE, THEOREM, THRESHOLD, VALUES, YOURS, axes, band, bars,
    demo, level, line, linear, log, nice, picture, symlog, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact, raised, times
from course_lib.exact.sparse_mw import has_valid_update, potential_run
from course_lib.lab.sparse_mw import LONGEST, clinic, filling, look_ups, searching
from course_lib.online_ic import online_ic_alpha, online_ic_alpha_printed
from course_lib.sparse_mw import (
    smw_accuracy_bare, smw_alpha, smw_alpha_printed, smw_size, smw_updates,
)  # fmt: skip

SHOWN = 10  # of the first variables; then come the last three that are assigned, the next two, s
UNASSIGNED = {"color": "0.5", "linestyle": "none", "marker": "o", "markerfacecolor": "white"}
FIRST = 7  # rows of the small table that are shown; below them one for every other string


@demo(
    asked=([1, 2, 3, 5, *range(10, 100, 10), *range(100, LONGEST + 1, 50)], 1),
    time="asked",
    scenes={
        "The first question": dict(),
        "A hundred questions": dict(asked=100),
        "A thousand questions": dict(asked=LONGEST),
    },
)
def small_table(*, asked):
    """Questions about strings of any length, and the few of them that get a row in a table."""
    state, named = searching(num_queries=asked)
    rows = list(state.weights.items())[:FIRST]
    heights, weights = range(len(rows)), [weight / state.free for _, weight in rows]
    names = [_cut(string) for string, _ in rows] + [""] * (FIRST - len(rows)) + ["any other string"]
    steps, used = range(1, asked + 1), state.assigned
    return picture(
        axes(
            bars("above the others", (1, heights), (weights, heights), HERE | {"linewidth": 1.5},
                 label=None, see="has a row"),
            line("has a row", weights, heights, EXACT | DOTS | {"marker": "o"}),
            line("has none", [1], [FIRST], UNASSIGNED),
            x=log("weight", 0.7, 2000, ticks=[1, 10, 100, 1000], names=["1", "10", "100", "1,000"]),
            y=linear("", FIRST + 0.6, -0.6, ticks=range(FIRST + 1), names=names, bare=True),
            box=(0.275, 0.16, 0.27, 0.66),
            title="the table’s first rows",
        ),
        axes(
            line("strings named", steps, named, BASIC),
            line("rows of the table", steps, used, EXACT),
            line("so far", [asked] * 2, [named[-1], used[-1]], MEASURED | {"markersize": 6},
                 label=None, see="rows of the table"),
            x=linear("questions asked", -25, 1.1 * LONGEST, ticks=range(0, LONGEST + 1, 500),
                     names=["0", "500", "1,000"]),
            y=linear("", -25, 1100, ticks=range(0, 1001, 250), names=["0", "250", "500", "750", "1,000"]),
            box=(0.66, 0.16, 0.325, 0.66),
        ),
        size=(7.2, 3.6),
        legend={"columns": 4, "size": 11},
        sentence=(
            f"After {times(asked, 'question')} about {compact(named[-1])} strings the table has "
            f"{compact(used[-1])} rows; all other strings share one weight."
        ),
        named={
            "strings named": named[-1],
            "rows of the table": used[-1],
            "changes of the table": state.updates[-1],
        },
        numbers={
            "weights of the rows shown": weights,
            "share of all without a row": 1 - sum(state.weights.values()),
        },
    )  # fmt: skip


def _cut(string):
    """A long string's beginning."""
    return string if len(string) <= 17 else string[:15].rstrip() + " …"


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
    time="asked",
    scenes={
        "The first ten queries": dict(),
        "Five hundred queries": dict(asked=500),
        "A thousand queries": dict(asked=1000),
        "One code in a query": dict(asked=1000, support=1),
    },
)
def structure_filling(*, asked, alpha, support, seed):
    """The data structure of sparse multiplicative weights while it is asked about made-up codes."""
    state = filling(num_queries=asked, support=support, alpha=alpha, seed=seed)
    size, assigned, codes = state.size, state.assigned[-1], list(state.weights)
    shown = places(assigned, size)
    full = {slot: codes[i - 1] for slot, i in enumerate(shown) if i and i <= assigned}
    free = [slot for slot, i in enumerate(shown) if i and i > assigned]
    slots, heights = list(full), [state.weights[code] for code in full.values()]
    labels = [full.get(slot, compact(i) if i else "…") for slot, i in enumerate(shown)]
    steps = range(1, asked + 1)
    return picture(
        axes(
            text("made up", 0.5, 1.03, "made-up codes; nobody has one with U", within="axes",
                 ha="center", va="bottom"),
            bars("above 1/s", (slots, 1 / size), (slots, heights), HERE | {"linewidth": 1.5},
                 label=None, see="assigned variable"),
            line("assigned variable", slots, heights, EXACT | DOTS | {"marker": "o"}),
            line("unassigned", free, [state.free] * len(free), UNASSIGNED),
            line("its code’s share of D", slots,
                 [clinic().get(code, np.nan) for code in full.values()], VALUES | DOTS),
            text("variables", list(range(len(shown))), [-0.04] * len(shown), labels, within="x",
                 rotation=90, ha="center", va="top", size=10.5, color="ink"),
            text("ind", shown.index(assigned + 1), 1, "ind\n↓", ha="center", size=13),
            x=linear("", -0.7, SHOWN + 7.7, ticks=[]),
            y=log("weight $D_t[i]$", 1e-7, 10),
            box=(0.124, 0.530, 0.846, 0.286),
        ),
        axes(
            level("s", size, {"color": "0.3", "linewidth": 1.5}, word=f"s = {compact(size)}"),
            line("m × updates", steps, support * state.updates, THEOREM),
            line("assigned so far", steps, state.assigned,
                 EXACT | {"marker": "o", "markevery": [-1]}),
            x=log("queries asked", 0.9, 1.1 * LONGEST, ticks=[1, 10, 100, 1000],
                  names=["1", "10", "100", "1,000"]),
            y=symlog("assigned", -0.4, 5e6, within=1, share=0.5, ticks=[0, 10, 1e3, 1e5],
                     names=["0", "10", "1,000", "10⁵"]),
            box=(0.124, 0.126, 0.846, 0.228),
        ),
        size=(7.2, 4.7),
        legend={"columns": 3, "size": 11},
        sentence=_filled(assigned, size),
        named={
            "updates": state.updates[-1],
            "variables assigned": assigned,
            "variables, s": size,
            "weight of the others": (size - assigned) * state.free,
            "last query on D": state.value,
            "last query on the hypothesis": state.guess,
        },
        numbers={
            "ind": assigned + 1,
            "share of the variables assigned": assigned / size,
            "last query": "no update" if not state.updated
            else "raised" if state.value > state.guess else "lowered",
        },
    )  # fmt: skip


def _filled(assigned, size):
    """How much of the structure is in use."""
    if assigned == 0:
        return f"No query was off by α yet: all {compact(size)} variables are equal, and none has a code."
    have = f"{compact(assigned)} of {compact(size)} variables have codes"
    if assigned == 1:
        have = f"One of {compact(size)} variables has a code"
    return f"{have}; the others are equal and kept as one number."


MASSES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
WEIGHTS = np.arange(0, 1, 0.1).round(1).tolist()
PRINTED = {"color": "vermilion", "linestyle": ":"}
DROPS = DOTS | {"marker": "o", "markeredgewidth": 0}
SHORT = DOTS | {"marker": "x", "color": "ink", "markeredgewidth": 1.2, "markersize": 6}
TICKS = {150: 25, 300: 50, 600: 100, 1000: 200, 1500: 250, 2500: 500}  # by the axis's end


def _masses(alpha, support):
    return [m for m in MASSES if has_valid_update(mass=m, support=support, alpha=alpha)]


def _weights(mass, alpha, support):
    """Up to the first with which no update lowers: with larger ones the run is the same."""

    def lowers(weight):
        _, done = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
        return any(sign < 0 for sign, _ in done)

    return [*itertools.takewhile(lowers, WEIGHTS), next(itertools.filterfalse(lowers, WEIGHTS))]


def _stops(mass, weight, alpha, support):
    made = len(potential_run(mass=mass, weight=weight, support=support, alpha=alpha)[1])
    return sorted({1, *range(made // 50, made, max(1, made // 50)), made} - {0})


@demo(
    mass=(_masses, 0.25),
    weight=(_weights, 0.0),
    alpha=([0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2], 0.1),
    support=(nice(2, 100), 20),
    updates=(_stops, 222),
    time="updates",
    scenes={
        "Some drops fall short": dict(),
        "The first forty updates": dict(updates=40),
        "The printed potential rises": dict(mass=0.5, weight=0.5, updates=164),
        "It rises again and again": dict(mass=0.5, weight=0.5, updates=313),
        "Only raising updates": dict(weight=0.2, updates=136),
    },
)
def two_potentials(*, mass, weight, alpha, support, updates):
    """Lemma 6's potential and the repaired one, update by update, and how far each falls."""
    potentials, done = potential_run(mass=mass, weight=weight, support=support, alpha=alpha)
    made, promised, steps = len(done), alpha**2 / 4, range(1, updates + 1)
    drops = -np.diff(potentials[: updates + 1], axis=0)
    short, rises = np.flatnonzero(drops[:, 0] < promised), np.count_nonzero(drops[:, 0] < 0)
    end = next(x for x in TICKS if x > made)
    ticks, last = range(0, end + 1, TICKS[end]), f"last: {compact(made)}"
    late = made > 1.04 * end / 2  # its word stands on the side where there is room
    lowers = np.array([sign < 0 for sign, _ in done[:updates]], dtype=bool)
    sign, guess = done[updates - 1]
    told = "raises a + Σb" if sign > 0 else f"lowers {_second(weight)}"
    curves = [("Ψ as printed", PRINTED, 7), ("repaired", EXACT, 3)]
    ends = {"color": "0.55", "linewidth": 1.5}
    return picture(
        axes(
            *(line(name, range(updates + 1), potentials[: updates + 1, i], style)
              for i, (name, style, _) in enumerate(curves)),
            upright("last update", made, ends, label=None, see=last),
            *(text(f"last, {side}", [made] * shown, [0.97] * shown, [f" {last} "] * shown, within="x",
                   ha=side, va="top", color="0.4")
              for side, shown in (("left", not late), ("right", late))),
            x=linear("", 0, 1.04 * end, ticks=ticks, names=[""] * len(ticks)),
            y=linear("potential", 0, next(y for y in (3, 6, 15) if y > potentials.max())),
            box=(0.089, 0.531, 0.905, 0.348),
        ),
        axes(
            level("no drop", 0, {"color": "0.8", "linewidth": 1}, label=None, see="drop / (α²/4)"),
            level("promised, α²/4", 1, THRESHOLD),
            *(line(f"drops, {name}", steps, drops[:, i] / promised,
                   style | DROPS | {"markersize": dot}, label=None, see=name)
              for i, (name, style, dot) in enumerate(curves)),
            line("falls short", short + 1, drops[short, 0] / promised, SHORT),
            upright("last update below", made, ends, label=None, see="valid updates"),
            x=linear("valid updates", 0, 1.04 * end, ticks=ticks),
            y=symlog("drop / (α²/4)", -8, 45, within=2, share=1.2, ticks=[-5, -1, 0, 1, 5, 20],
                     names=["−5", "−1", "0", "1", "5", "20"]),
            box=(0.089, 0.136, 0.905, 0.348),
        ),
        size=(7.2, 4.1),
        sentence=_fallen(updates, made, len(short), rises),
        named={
            "valid updates": made,
            "promised drop, α²/4": promised,
            "too small, as printed": len(short),
            "rises, as printed": rises,
            "least drop, as printed": drops[:, 0].min(),
            "least drop, repaired": drops[:, 1].min(),
        },
        numbers={
            "too small, repaired": np.count_nonzero(drops[:, 1] < promised),
            "updates that lower the hypothesis": np.count_nonzero(lowers),
            "too small and lowering": np.count_nonzero(lowers[short]),
            "last update": told,
            "its true value": mass if sign > 0 else weight * mass,
            "its value on the hypothesis": guess,
            "its drop, as printed": drops[-1, 0],
            "its drop, repaired": drops[-1, 1],
        },
    )  # fmt: skip


def _second(weight):
    """The query that lowers, in words."""
    return f"{compact(weight)}·a + Σb" if weight else "Σb"


def _fallen(updates, made, short, rises):
    """Whether every drop is as large as Lemma 6 says."""
    if rises:
        raised_by = "One update raises" if rises == 1 else f"{compact(rises)} updates raise"
        return (
            f"{raised_by} the printed potential; the repaired one falls by α²/4 or more each time."
        )
    if short:
        lower = "One update lowers" if short == 1 else f"{compact(short)} updates lower"
        return f"{lower} the printed potential by less than α²/4; the repaired one always falls by more."
    if updates < made:
        return "So far each update lowers both potentials by α²/4 or more."
    return "To the end each update lowers both potentials by α²/4 or more."


BITS = [10, 20, 30, 40, 50, 60]
ROOM = dict(zip(BITS, ("kB", "MB", "GB", "TB", "PB", "EB"), strict=True))  # of 8 bytes a number
FITS = 30  # 2^30 numbers of 8 bytes are 8 GB
PLACES = {f"2{raised(bits)}": bits for bits in BITS} | {"any string": 70}  # on an axis of log₂|X|
PLAIN = {"color": "0.35", "linestyle": "-"}
COUNTED = MEASURED | {"markersize": 6}


@demo(
    universe_size=([*PLACES], "2²⁰"),
    support=(nice(1, 500), 10),
    alpha=([0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2], 0.1),
    scenes={
        "A million elements": dict(),
        "A universe smaller than s": dict(universe_size="2¹⁰"),
        "More than a machine holds": dict(universe_size="2⁶⁰"),
        "All strings": dict(universe_size="any string"),
    },
)
def cost_per_query(*, universe_size, support, alpha):
    """Numbers touched for one query, and numbers kept, up to this universe; no clock."""
    size, place = smw_size(support=support, alpha=alpha), PLACES[universe_size]
    so_far = [bits for bits in PLACES.values() if bits <= place]
    counted = look_ups((*BITS, None)[: len(so_far)], support=support, alpha=alpha)
    reads, writes, added = np.transpose(counted)
    touched = [
        line("SMW as printed: s", [10, 70], [size] * 2, THEOREM),
        line("SMW: a value", so_far, reads, COUNTED),
        line("a value and an update", so_far, reads + writes, COUNTED | {"marker": "^"}),
    ]
    kept = [
        line("s variables", [10, 70], [size] * 2, THEOREM, label=None, see="SMW as printed: s"),
        line("after two updates", so_far, support + added, COUNTED | {"marker": "D"}),
    ]
    return picture(
        _costs(touched, place, "touched by one query", "numbers", left=0.108),
        _costs(kept, place, "kept in memory", "", left=0.591),
        size=(7.2, 4.4),
        legend={"columns": 3, "size": 11},
        sentence=_cost(universe_size, place, support, size),
        named={
            "plain MW": 2**place if place in BITS else "∞",
            "SMW, a value": reads[-1],
            "SMW, an update": writes[-1],
            "SMW as printed, s": size,
            "in memory after two updates": support + added[-1],
            "in memory at most": support * int(smw_updates(support=support, alpha=alpha)),
        },
        numbers={"bytes of plain MW": 8 * 2**place if place in BITS else "∞"},
    )


def _costs(layers, place, title, numbers, *, left):
    """One of the two counts against the universe, with that of plain multiplicative weights."""
    words = "plain MW needs\nmore than 8 GB"
    fits, beyond = np.array([10.0, FITS]), np.array([FITS, 60.0])
    here = [(0.7, 1.5e8), (3e11, 1e19)] if place > FITS else [(0.7, 1e19)]  # not through the words
    low, high = zip(*here, strict=True)
    return axes(
        band(f"{title}: too much", FITS, 77, NO_USE, label=None, see=words),
        text(f"{title}: words", 76, 1e9, words, ha="right", va="bottom"),
        line(f"{title}: plain", fits, 2**fits, PLAIN, label="plain MW: |X|"),
        line(f"{title}: would be", beyond, 2**beyond, PLAIN | {"linestyle": ":"}, label=None,
             see="plain MW: |X|"),
        *layers,
        bars(f"{title}: here", (place, low), (place, high), HERE, label=None, see="universe |X|"),
        x=linear("universe |X|", 7, 77, ticks=[10, 30, 50, 70], names=["2¹⁰", "2³⁰", "2⁵⁰", "strings"]),
        y=log(numbers, 0.7, 1e19),
        box=(left, 0.127, 0.4, 0.676),
        title=title,
    )  # fmt: skip


def _cost(universe, place, support, size):
    """What plain multiplicative weights would do, and what SMW does."""
    looked_up = f"SMW looks up the {times(support, 'element')} of the query"
    if universe == "any string":
        return f"Plain MW has no array for all strings; {looked_up}."
    if place > FITS:
        return f"Plain MW would need more than 8 {ROOM[place]} of memory; {looked_up}."
    if size > 2**place:
        return f"As printed, SMW sweeps more variables than |X| has elements; lazy {looked_up}."
    return f"Plain MW touches all {about(2**place)} elements of X; {looked_up}."


BETA, TOP = 0.05, 30  # above every error
WIDE = np.array([*range(5, 20), *range(20, 60, 5), *range(60, 201, 10)], float)  # log₂|X|
NAMED = [5, *range(20, 201, 20)]
AS_PRINTED = {"linestyle": ":", "linewidth": 1.5}
BARE = {"color": "blue", "linestyle": [0, [1, 3]], "linewidth": 1.5}
MEET = {"color": "0.2", "linestyle": "none", "marker": "D", "markersize": 9}


@demo(
    universe_size=([2**b for b in (5, 8, 10, 15, 20, 30, 40, 60, 100, 150, 200)], 2**10),
    support=(nice(1, 10**6), 10),
    num_queries=(nice(10, 10**9), 1000),
    n=(nice(10**5, 10**9), 10**6),
    epsilon=(nice(0.05, 5.0), 1.0),
    delta=([0.0, 1e-12, 1e-9, 1e-6, 1e-3], 0.0),
    guess=([2**b for b in (*range(5, 40), *range(40, 201, 10))], 2**100),
    curves=(["plain alone", "all"], "plain alone"),
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(universe_size=2**60, curves="all"),
        "A thousand times the rows": dict(n=10**9, curves="all"),
        "An enormous universe": dict(universe_size=2**200, curves="all"),
        "δ, and Theorem 7’s ln m": dict(delta=1e-6, curves="all"),
    },
)
def sparse_or_plain(*, universe_size, support, num_queries, n, epsilon, delta, guess, curves):
    """The error that plain and sparse multiplicative weights promise, against the universe."""

    def promised(alpha_of, num_queries=num_queries, **sizes):
        return 3 * alpha_of(
            n=n, num_queries=num_queries, beta=BETA, epsilon=epsilon, delta=delta, **sizes
        )

    universes = np.append(2.0**WIDE, float(universe_size))
    *grows, plain = promised(online_ic_alpha, universe_size=universes)
    # two for each query, as SMW’s bound has
    *grew, plain_printed = promised(
        online_ic_alpha_printed, 2 * num_queries, universe_size=universes
    )
    sparse, printed = (
        promised(smw_alpha, support=support),
        promised(smw_alpha_printed, support=support),
    )
    size = smw_size(support=support, alpha=sparse / 3)  # with s elements plain MW promises the same
    bare = (
        smw_accuracy_bare(
            n=n, support=support, num_queries=num_queries, beta=BETA, epsilon=epsilon, delta=delta
        )
        if delta
        else 0.0
    )
    bottom = 10 ** np.floor(np.log10(min(bare or np.inf, printed, grew[0])))
    bits, ends = np.log2(float(universe_size)), WIDE[[0, -1]]
    named = {
        "SMW": sparse,
        "plain MW": plain,
        "SMW as printed": printed,
        "plain MW as printed, 2k queries": plain_printed,
        "log₂ s, where both are equal": np.log2(size),
        "Theorem 7, constant 1": bare if delta else None,
    }
    sentence, told = _smaller(sparse, plain), {"s": size}
    if curves == "plain alone":
        named = {name: error for name, error in named.items() if name.startswith("plain")}
        sentence, told = _guessed(guess), {}
        sparse, printed, bare = np.nan, np.nan, 0.0
    return picture(
        axes(
            band("no use", 1, TOP, NO_USE, flat=True, label=None, see="1 or more: says nothing"),
            text("1 or more", 7, 0.9 * TOP, "1 or more: says nothing", va="top", size=13),
            line("plain MW", WIDE, grows, PLAIN),
            line("SMW", ends, [sparse] * 2, THEOREM),
            line("dotted: as printed", WIDE, grew, PLAIN | AS_PRINTED),
            line("SMW as printed", ends, [printed] * 2, THEOREM | AS_PRINTED, label=None,
                 see="dotted: as printed"),
            level("Theorem 7, constant 1", bare or None, BARE, word="Theorem 7, constant 1"),
            bars("here: |X|", (bits, bottom), (bits, plain), HERE, label=None, see="universe |X|"),
            line("plain MW here", [bits], [plain], PLAIN | {"marker": "o"}, label=None,
                 see="plain MW"),
            line("|X| = s", [np.log2(size)], [sparse], MEET),
            bars("your guess", (np.log2(float(guess)), bottom), (np.log2(float(guess)), 1), YOURS),
            x=linear("universe |X|", 5, 200, ticks=NAMED, names=[f"2{raised(b)}" for b in NAMED]),
            y=log(f"error promised, β = {BETA}", bottom, TOP),
            box=(0.112, 0.136, 0.86, 0.766),
        ),
        size=(7.2, 4.1),
        legend={"columns": 5, "size": 11},
        sentence=sentence,
        named=named,
        numbers=told,
    )  # fmt: skip


def _guessed(guess):
    """Before the reveal: what the reader guesses."""
    return f"Your guess: from |X| = 2{raised(guess.bit_length() - 1)} on SMW promises a smaller error than plain MW."


def _smaller(sparse, plain):
    """Which of the two promises is the smaller one, and if it says anything."""
    if min(sparse, plain) >= 1:
        return "Neither promise says anything here: no share can be off by more than 1."
    if sparse < plain:
        other = (
            f"plain MW promises {about(plain)}"
            if plain < 1
            else "what plain MW promises says nothing"
        )
        return f"SMW promises an error of {about(sparse)} on any universe; here {other}."
    other = f"SMW promises {about(sparse)}" if sparse < 1 else "what SMW promises says nothing"
    return f"On this universe plain MW promises the smaller error, {about(plain)}; {other}."
