"""The pictures of notebook 08: codes under noise, the embedding, the walk, the loss, α, collisions."""

import numpy as np

from course_lib.alp import (
    alp_equation1, alp_expected_error, alp_levels, alp_loss, alp_scale, alp_zero_error,
)  # fmt: skip
from course_lib.demos.picture import (
    BASIC, DOTS, EXACT, MEASURED, THEOREM, VALUES, YOURS, axes, band, bars, demo, here, intervals,
    level, line, linear, log, nice, picture, rates, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact, listed, percent
from course_lib.exact.alp import (
    alp_error_among, alp_exact_error, alp_largest_estimate, alp_law, code_errors,
    collision_probabilities, enumerated_loss, equation1_crossing, equation1_error, least_bound,
    nearest_level, three_scalings,
)  # fmt: skip
from course_lib.lab.alp import (
    crowded_intervals, crowded_values, embed, errors_alone, errors_by_alpha, look_ups, noisy_codes,
    table_size,
)  # fmt: skip
from course_lib.lab.confidence import normal_interval

VECTOR = {"23": 4, "141": 16, "314": 9, "500": 0, "628": 13, "901": 7}  # elsewhere it is 0 as well
INDICES = np.array([int(index) for index in VECTOR])
HELD = np.array([*VECTOR.values()], dtype=float)
MOST_PLACES, MOST_LEVELS = 20, 15
CODES = MOST_PLACES / len(VECTOR) * np.arange(len(VECTOR)) + 1.9  # where the unary codes stand
CELL = DOTS | {"marker": "s", "markersize": 8.4, "markeredgewidth": 0}
EMPTY = CELL | {"color": "none", "markeredgecolor": "0.85", "markeredgewidth": 0.8}
OWN = CELL | {"color": "sky"}
OTHER = CELL | {"color": "0.55"}
ONE = EMPTY | {"color": "yellow", "markeredgecolor": "0.55"}
READ = CELL | {"color": "none", "markeredgecolor": "blue", "markeredgewidth": 2}
FLIPPED = DOTS | {"marker": "x", "color": "0.1", "markersize": 4, "markeredgewidth": 0.9}
BY_FLIP = FLIPPED | {"color": "ink", "markersize": 8, "markeredgewidth": 2.6}
PLAIN = {"bare": True, "lineless": True}
RING = DOTS | {"marker": "o", "color": "none", "markeredgecolor": "ink"}

WALK_CAP, LOOK_UPS, MOST_STEPS = 30, 2000, 23
ESTIMATE = {"color": "ink", "linewidth": 2}
TRUE = {"color": "0.45", "linestyle": ":"}
LEVEL = "level n = value·ε/α; the law counts the nearest level"

BUDGETS = np.arange(0.5, 4.1, 0.5)  # where all outputs are enumerated
ENUMERATED = DOTS | {"marker": "o", "color": "white", "markersize": 10}
ENUMERATED |= {"markeredgecolor": "blue", "markeredgewidth": 2}
HISTOGRAM = {"color": "sky", "linestyle": "-."}  # with the scale for histograms
HISTOGRAM_MARK = HISTOGRAM | DOTS | {"marker": "^", "markersize": 13}
HISTOGRAM_MARK |= {"markeredgecolor": "ink", "markeredgewidth": 1.5}

RATIOS = [3, 4, 5, 7, 10, 15, 20, 30]
CAP = 40  # after scaling: 20 levels at α = 2, where the expected error begins
SPREAD = CAP * (np.arange(60) + 0.5) / 60  # entries from 0 to the cap, after scaling
ENTRIES = np.repeat(SPREAD, 3)
ALPHAS = np.geomspace(0.3, 30, 161)
FEW = np.array([2, 2.5, 3, 3.5, 4, 5, 7, 9, 12, 16, 24, 30])
TRIED = np.array([0.6, 1.2, 2.5, 4.0, 7.0, 12.0, 24.0])  # measured
THIN = THEOREM | {"linewidth": 1.5}
PAPER = THIN | {"linestyle": [0, [1, 2]]}
MARK = DOTS | {"color": "0.2", "marker": "D", "markersize": 9}
UNSCALED = {"color": "0.55", "linewidth": 1, "linestyle": ":"}
EPSILONS = np.geomspace(0.05, 10, 81)
KEY = "measured at value x, 95%"

SIZES = [2.05, 2.1, 2.2, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0, 100.0]
SMOOTH = 2 * np.geomspace(1.01, 55, 100)
BOUNDS = alp_zero_error, alp_expected_error


SMALL = {"markersize": 6}
SHARES = np.arange(46) / 100  # of bits that are flipped


@demo(
    noise=(range(0, 46), 0),
    count=(range(32), 20),
    seed=3,  # the highest binary digit is flipped early
    time="noise",
    scenes={
        "Without noise": dict(),
        "One bit in ten": dict(noise=10),
        "One bit in four": dict(noise=25),
        "Nearly all is noise": dict(noise=45),
    },
)
def code_and_noise(*, noise, count, seed):
    """A count as a row of ones and in binary, and what is read after some bits were flipped."""
    run = noisy_codes(count, probability=noise / 100, seed=seed)
    of_row, of_binary = code_errors(SHARES, value=count)
    ones, digits = run.row ^ run.row_flipped, run.binary ^ run.binary_flipped
    places = {3: np.arange(1, len(ones) + 1), 2: 4 + 6 * np.arange(len(digits))}
    bits, flips = {3: ones, 2: digits}, {3: run.row_flipped, 2: run.binary_flipped}

    def chosen(of_which):
        x = np.concatenate([places[row][of_which(row)] for row in places])
        return x, np.repeat([*places], [np.count_nonzero(of_which(row)) for row in places])

    now = [of_row[noise], of_binary[noise]]
    empty = CELL | {"color": "none", "markeredgecolor": "0.55", "markeredgewidth": 0.8}
    return picture(
        axes(
            line("bit 0", *chosen(lambda row: ~bits[row]), empty | SMALL),
            line("bit 1", *chosen(lambda row: bits[row]), OWN | SMALL),
            line("flipped", *chosen(lambda row: flips[row]), BY_FLIP | SMALL | {"markeredgewidth": 2}),
            line("the count", [count] * 2, [0.62, 1.38], {"color": "ink", "linewidth": 2.5}),
            line("the row reads", [run.row_read], [1.16], EXACT | DOTS | {"marker": "o", "markersize": 10}),
            line("binary reads", [run.binary_read], [0.84], BASIC | DOTS | {"marker": "^", "markersize": 10}),
            x=linear("", -1, 32, ticks=range(0, 31, 5), bare=True, lineless=True),
            y=linear("", 0.55, 3.5, ticks=[3, 2, 1], names=["row of ones", "binary", "reads"],
                     bare=True, lineless=True),
            box=(0.155, 0.16, 0.485, 0.59),
            title="the bits",
        ),
        axes(
            line("row of ones", SHARES[: noise + 1], of_row[: noise + 1], EXACT),
            line("binary", SHARES[: noise + 1], of_binary[: noise + 1], BASIC),
            line("now", [SHARES[noise]] * 2, now, MEASURED | {"markersize": 6}, label=None, see="row of ones"),
            x=linear("share of bits flipped", -0.01, 0.46, ticks=(0, 0.2, 0.4), names=["0", "0.2", "0.4"]),
            y=linear("", -0.3, 15.5, ticks=(0, 5, 10, 15)),
            box=(0.71, 0.16, 0.275, 0.59),
            title="expected error",
        ),
        size=(7.2, 3.6),
        legend={"columns": 4, "size": 11},
        sentence=_survived(noise, count, run.row_read, run.binary_read),
        named={
            "the count": count,
            "the row reads": run.row_read,
            "binary reads": run.binary_read,
            "expected error, row": now[0],
            "expected error, binary": now[1],
        },
        numbers={
            "flipped in the row": int(run.row_flipped.sum()),
            "flipped in binary": int(run.binary_flipped.sum()),
        },
    )  # fmt: skip


def _survived(noise, count, row, binary):
    """How far off the two readings are."""
    if not noise:
        return f"Nothing is flipped: both codes read {count}."
    flipped = (
        f"With {noise} of 100 bits flipped the row of ones reads {compact(row)}, binary {binary}"
    )
    return f"{flipped}; the count is {count}."


@demo(
    epsilon=([0.5, 0.7, 1.0, 1.2, 1.5], 1.0),
    alpha=([2.0, 2.5, 3.0, 4.0, 5.0, 6.0], 2.0),
    ratio=([2.2, 2.4, 3.0, 3.6, 4.0], 3.0),
    index=([*VECTOR], "314"),
    seed=925,  # a look-up misled by flips and by a collision, which a larger table avoids
    scenes={
        "Misled in both ways": dict(),
        "A larger table": dict(ratio=4.0),
        "Few and coarse levels": dict(alpha=6.0),
        "A zero": dict(index="500"),
    },
)
def embedding_bits(*, epsilon, alpha, ratio, index, seed):
    """The unary codes of a vector’s entries, their bits in a table, and the table released."""
    size = round(ratio * np.count_nonzero(HELD))
    inside = embed(
        INDICES, HELD, dimension=1000, size=size, cap=20, alpha=alpha, epsilon=epsilon, seed=seed
    )
    who, levels = [*VECTOR].index(index), len(inside.release.bits)
    column, place = np.arange(levels), inside.places[who]
    codes = column < inside.rounded[:, None]
    mine = np.zeros((size, levels), dtype=bool)
    mine[place, column] = codes[who]
    alone, everywhere = inside.number == 1, np.ones((size, levels))
    by_flip, by_other = inside.wrong_bits(who)
    flips, collisions = int(by_flip.sum()), int(by_other.sum())
    held, estimate = VECTOR[index], inside.release.estimate(int(index))
    rows, columns = np.nonzero(codes)
    other = rows != who
    numbered = linear("level b", -0.2, MOST_LEVELS + 0.6, ticks=(1, 5, 10, 15), **PLAIN)
    return picture(
        axes(
            text("codes", [0.5] * len(CODES), (CODES - 0.65).tolist(),
                 [f"index {i}: x = {x}" for i, x in VECTOR.items()], color="ink", va="bottom"),
            line("levels", np.tile(column + 1, len(CODES)), np.repeat(CODES, levels), EMPTY,
                 label=None, see="unary codes"),
            line("its code", columns[~other] + 1, CODES[rows[~other]], OWN, label=None,
                 see="its own bit"),
            line("other codes", columns[other] + 1, CODES[rows[other]], OTHER, label=None,
                 see="another’s"),
            line("xε/α", inside.exact + 0.5, CODES,
                 {"marker": "|", "color": "ink", "markersize": 14, "markeredgewidth": 2} | DOTS,
                 label=None, see="level b;  ❙ xε/α"),
            line("looked up", [-0.3], [CODES[who]],
                 {"marker": ">", "color": "blue", "clip_on": False} | DOTS, label=None,
                 see=f"index {index}: x = {VECTOR[index]}"),
            x=numbered | {"label": "level b;  ❙ xε/α"},
            y=_places("", named=False),
            box=(0.014, 0.115, 0.291, 0.685),
            title="unary codes",
        ),
        axes(
            _cells("places of z", everywhere, EMPTY, label=None, see="hashed: z"),
            _cells("its own bit", mine & alone, OWN),
            _cells("another’s", ~mine & alone, OTHER),
            _cells("of several", inside.number > 1, CELL | {"color": "0.35"}),
            line("read", column + 1, place, READ),
            x=numbered,
            y=_places("place"),
            box=(0.391, 0.115, 0.291, 0.685),
            title="hashed: z",
        ),
        axes(
            _cells("places released", everywhere, EMPTY, label=None, see="released: $\\tilde z$"),
            _cells("1, released", inside.release.table, ONE),
            line("read from it", column + 1, place, READ, label=None, see="read"),
            _cells("flipped", inside.flipped, FLIPPED),
            line("wrong by a flip", column[by_flip] + 1, place[by_flip], BY_FLIP),
            line("… by a collision", column[by_other] + 1, place[by_other],
                 RING | {"markersize": 7, "markeredgewidth": 2.6}),
            x=numbered,
            y=_places("", named=False),
            box=(0.699, 0.115, 0.291, 0.685),
            title="released: $\\tilde z$",
        ),
        size=(7.2, 4.4),
        legend={"columns": 4, "size": 11},
        sentence=_read(held, estimate, inside.rounded[who] * alpha / epsilon, flips, collisions),
        named={
            "the entry holds": held,
            "estimate": estimate,
            "bits read": levels,
            "wrong by flips": flips,
            "wrong by collisions": collisions,
        },
        numbers={
            "ones in its code": int(inside.rounded[who]),
            "places of a level": size,
            "probability of a flip": 1 / (alpha + 2),
        },
    )  # fmt: skip


def _places(label, named=True):
    names = None if named else [""] * 4
    return linear(label, MOST_PLACES - 0.4, -0.6, ticks=(0, 5, 10, 15), names=names, **PLAIN)


def _cells(name, table, style, **legend):
    """The cells of a table that are true: a column for each level, from 1."""
    rows, columns = np.nonzero(table)
    return line(name, columns + 1, rows, style, **legend)


def _read(held, estimate, meant, flips, collisions):
    """What misled a look-up; `meant` is the estimate if all bits were right."""
    told = f"the entry holds {held}, the estimate is {about(estimate)}"
    if not flips + collisions:
        if np.isclose(estimate, held):
            return f"All bits read are right, and so is the estimate: {held}."
        return f"All bits read are right; {told}, because only whole levels can be written."
    causes = [["a flip", "flips"][flips > 1]] * (flips > 0)
    causes += [["a collision", "collisions"][collisions > 1]] * (collisions > 0)
    who, s = listed(causes).capitalize(), "s" if flips + collisions == 1 else ""
    if np.isclose(estimate, meant):
        bits = "a bit" if s else "bits"
        return f"{who} make{s} {bits} wrong without moving the estimate: {told}."
    if np.isclose(estimate, held):
        return f"{who} make{s} good, by luck, what rounding did: the estimate is right, {held}."
    return f"{who} mislead{s} the look-up: {told}."


@demo(
    value=(range(WALK_CAP + 1), 12),
    epsilon=([0.3, 0.4, 0.5, 0.7, 1.0, 1.2, 1.5], 1.0),
    alpha=([2.0, 2.5, 3.0, 4.0, 5.0, 6.0], 2.0),
    step=(lambda epsilon, alpha: range(1 + _levels(WALK_CAP, alpha, epsilon)), 5),
    seed=3,
    time="step",
    scenes={
        "The first five bits": dict(),
        "The whole walk": dict(step=15),
        "A zero": dict(value=0, step=15),
        "Few levels": dict(epsilon=0.3, step=5),
        "Many levels": dict(epsilon=1.5, step=23),
    },
)
def walk_of_estimate(*, value, epsilon, alpha, step, seed):
    """The walk over the bits of one look-up, bit by bit, and the law of the estimate."""
    unit, levels = alpha / epsilon, _levels(WALK_CAP, alpha, epsilon)
    run = look_ups(value, number=LOOK_UPS, levels=levels, alpha=alpha, epsilon=epsilon, seed=seed)
    n = np.arange(levels + 1)
    without = run.rounded - np.abs(n - run.rounded)
    high = 12 if np.abs([run.walk, without]).max() < 12 else 24  # in small and large values
    walk = run.walk[: step + 1]
    top = np.flatnonzero(walk == walk.max())
    possible, chances = alp_law(value, cap=WALK_CAP, alpha=alpha, epsilon=epsilon)
    weight = np.bincount(nearest_level(possible, alpha=alpha, epsilon=epsilon), chances, levels + 1)
    seen = np.bincount(
        nearest_level(run.estimates, alpha=alpha, epsilon=epsilon), minlength=levels + 1
    )
    mean, margin = normal_interval(np.abs(run.estimates - value))
    error = alp_exact_error(value, cap=WALK_CAP, alpha=alpha, epsilon=epsilon)
    bound = alp_expected_error if value else alp_zero_error
    law = bars("exact law", (n, np.zeros(levels + 1)), (n, weight), EXACT | {"linewidth": 9})
    measured = rates(n, seen, LOOK_UPS, style=MEASURED | {"markersize": 4})
    return picture(
        axes(
            level("zero", 0, {"color": "0.85", "linewidth": 1}, label=None, see="walk f(n)"),
            line("without flips", n, without, {"color": "0.55", "linewidth": 1.5}),
            line("walk f(n)", n[: step + 1], walk, VALUES | {"markersize": 5}),
            line("highest", top, walk[top], RING | {"markersize": 12, "markeredgewidth": 2}),
            upright("estimate so far", top.mean(), ESTIMATE),
            upright("true x", value / unit, TRUE),
            x=linear("", -0.7, MOST_STEPS + 0.7, ticks=range(0, 21, 5), names=[""] * 5),
            y=linear("walk f(n)", -high, high, away=0.085),
            box=(0.107, 0.436, 0.887, 0.419),
        ),
        axes(
            law,
            measured,
            upright("estimate in the law", top.mean(), ESTIMATE, label="estimate so far"),
            upright("true x in the law", value / unit, TRUE, label="true x"),
            x=linear(LEVEL, -0.7, MOST_STEPS + 0.7),
            y=linear("probability", 0, 0.85, away=0.085),  # the largest probability is 0.78
            box=(0.107, 0.126, 0.887, 0.28),
        ),
        size=(7.2, 4.4),
        legend={"columns": 4, "size": 11},
        sentence=_walked(value, step, levels, top, top.mean() * unit),
        named={
            "estimate so far" if step < levels else "estimate": top.mean() * unit,
            "expected error, exact": error,
            "promised at most": bound(alpha=alpha, epsilon=epsilon),
            "mean error, measured": [mean - margin, mean + margin],
            "bits in all": levels,
        },
        numbers={"highest at n": top, f"mean error of {LOOK_UPS:,} look-ups": mean},
    )


def _levels(cap, alpha, epsilon):
    return int(alp_levels(cap=cap, alpha=alpha, epsilon=epsilon))


def _walked(value, step, levels, top, estimate):
    """Where the walk is highest, and whether that may still change."""
    if step == levels:
        if np.isclose(estimate, value):
            return f"All bits are read, and the estimate is right: {compact(value)}."
        return f"All bits are read: the estimate is {about(estimate)}, and the entry holds {compact(value)}."
    if step == 0:
        return "No bit is read yet; the walk will climb with every 1 and fall with every 0."
    if len(top) > 1:
        return f"So far the walk is highest at several places; the estimate is their average, {about(estimate)}."
    if top[0] == step:
        return f"The walk is highest where it stands; a 1 as the next bit moves the estimate on from {about(estimate)}."
    return (
        f"The walk is past its summit; the estimate stays {about(estimate)} unless it climbs back."
    )


@demo(
    epsilon=(nice(0.1, 4.0), 1.0),
    alpha=([0.25, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0], 3.0),
    entries=([1, 2, 4, 8, 16], 2),
    scenes={
        "In two halves": dict(),
        "In one entry": dict(entries=1),
        "Spread over 16 entries": dict(entries=16),
        "One entry, a large ε": dict(entries=1, epsilon=4.0),
    },
)
def privacy_spent(*, epsilon, alpha, entries):
    """The loss that a change of 1 in all causes, against the budget that was asked for."""
    budgets = np.linspace(0, 4, 161)[1:]
    enumerated = [enumerated_loss(entries=entries, alpha=alpha, epsilon=e) for e in BUDGETS]
    spent = alp_loss(entries=entries, alpha=alpha, epsilon=epsilon)
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours="histogram")
    wider = alp_loss(entries=entries, alpha=alpha, epsilon=scale)
    if entries == 1:
        sentence = f"A change of 1 in one entry costs {percent(spent / epsilon)} of ε; the histogram’s scale spends all of it."
    else:
        sentence = (
            f"A change of 1 in {entries} equal parts costs {percent(spent / epsilon)} of ε; "
            "the histogram’s scale is for one entry, and costs more than ε."
        )
    return picture(
        axes(
            line("promised (Lemma 4.12)", [0, 4], [0, 4], THEOREM),
            line("exact, closed form", budgets,
                 alp_loss(entries=entries, alpha=alpha, epsilon=budgets), EXACT),
            line("by enumeration", BUDGETS, enumerated, ENUMERATED),
            bars("from scale to scale", (epsilon, spent), (epsilon, wider),
                 {"color": "0.55", "linewidth": 1.5}, label=None, see="the histogram’s scale"),
            line("the paper’s scale ε", [epsilon], [spent],
                 EXACT | DOTS | {"marker": "D", "markersize": 11}),
            line("the histogram’s scale", [epsilon], [wider], HISTOGRAM_MARK),
            x=linear("ε asked for", 0, 4.15),
            y=linear("loss of a change of 1", 0,
                     next(y for y in (4.4, 6.6, 11) if y > 1.05 * wider), away=0.065),
            box=(0.09, 0.126, 0.904, 0.729),
        ),
        size=(7.2, 4.4),
        legend={"columns": 3, "size": 11},
        sentence=sentence,
        named={
            "promised at most": epsilon,
            "exact": spent,
            "exact, histogram’s scale": wider,
            "histogram’s scale": scale,
        },
        numbers={
            "share of ε": spent / epsilon,
            "histogram’s scale / ε": scale / epsilon,
            "share of ε, histogram’s scale": wider / epsilon,
            "by enumeration": enumerated,
        },
    )  # fmt: skip


@demo(
    epsilon=(nice(0.3, 1.5), 1.0),
    ratio=(RATIOS, 30),
    value=(["spread", "zero"], "zero"),
    neighbours=(["l1", "histogram"], "l1"),
    guess=(nice(0.3, 30.0), 20.0),
    seed=0,
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(value="spread"),
        "A smaller ε": dict(value="spread", epsilon=0.3),
        "A larger ε": dict(value="spread", epsilon=1.5),
        "… and the histogram’s scale": dict(value="spread", epsilon=1.5, neighbours="histogram"),
    },
)
def choice_of_alpha(*, epsilon, ratio, value, neighbours, guess, seed):
    """The error of ALP against α: promised, exact and measured, with the least bound marked."""
    zero, size = value == "zero", ratio * len(ENTRIES)

    def scale(alpha):
        return alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)

    def bound(alpha):
        bounded = alp_zero_error if zero else alp_expected_error
        return bounded(load=1 / ratio, alpha=alpha, epsilon=scale(alpha))

    def printed(alpha):
        return equation1_error(zero=zero, alpha=alpha, epsilon=scale(alpha))

    errors = [
        alp_error_among(
            [0.0] if zero else SPREAD, ENTRIES, size=size, cap=CAP, alpha=alpha, epsilon=1.0
        )
        for alpha in FEW.tolist()
    ]
    average, worst = np.mean(errors, axis=1) / scale(FEW), np.max(errors, axis=1) / scale(FEW)
    measured = errors_by_alpha(
        tuple(ENTRIES), zeros=zero, size=size, cap=CAP, alphas=tuple(TRIED), seed=seed
    )
    measured = (measured.T / scale(TRIED)).T
    (best, least), (paper_best, paper_least) = (
        least_bound(each, ALPHAS) for each in (bound, printed)
    )
    same = epsilon if neighbours == "l1" else np.expm1(epsilon)
    return picture(
        axes(
            line("Equation 1, no collisions", ALPHAS, printed(ALPHAS), PAPER),
            line("bound with collisions", ALPHAS, bound(ALPHAS), THEOREM),
            line("expected, worst of “spread”", FEW, np.full(len(FEW), np.nan) if zero else worst,
                 EXACT | {"linestyle": [0, [5, 1, 1, 1]], "linewidth": 1.5}),
            line("expected, average or zero", FEW, average, EXACT),
            _means("measured, 95%", TRIED, measured, MEASURED | {"markersize": 5.5}),
            line("least bound", [best], [least], MARK),
            upright("α without scaling", same, UNSCALED, label=None, see="no scaling"),
            upright("guess", guess, YOURS),
            text("at that α", same, 1, "no scaling", within="x", color="0.35", ha="center", va="bottom"),
            x=log("α", 0.28, 32, **_ticks(0.3, 0.5, 1, 2, 3, 5, 10, 20, 30)),
            y=log("expected error of an entry", 0.35, 400, **_ticks(1, 10, 100)),
            box=(0.1, 0.129, 0.89, 0.636),
        ),
        size=(7.2, 4.3),
        legend={"columns": 3, "size": 11},
        sentence=_best(zero, best, guess),
        named={
            "bound is least at α": best,
            "least bound": least,
            "error is least at α": FEW[average.argmin()],
            "least error": average.min(),
            "α without scaling": same,
            "bound without scaling": bound(same),
        },
        numbers={
            "Equation 1 is least at α": paper_best,
            "least of Equation 1": paper_least,
            "α measured": TRIED,
            "measured": measured.mean(axis=1),
        },
    )  # fmt: skip


def _best(zero, best, guess):
    """Where the bound is least; of a zero beside what is guessed for entries of all sizes."""
    if zero:
        return f"For a zero the bound is least at α = {about(best)}; your guess for entries of all sizes is {about(guess)}."
    return f"For entries of all sizes the bound is least at α = {about(best)}: a smaller α means more flips, a larger one coarser levels."


def _ticks(*places):
    return {"ticks": places, "names": map(compact, places), "only": True}


def _means(name, x, errors, style, **legend):
    """The mean of each row of errors at its x, with its 95% interval.

    Entries of one release are independent except for collisions, which the intervals leave out.
    """
    mean, margin = normal_interval(errors)
    shown = np.where(mean > 0, mean, np.nan)  # the axis is logarithmic
    return intervals(name, x, shown, mean - margin, mean + margin, style, **legend)


@demo(
    epsilon=(nice(0.2, 5.0), 0.3),
    alpha=([0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0], 3.0),
    value=([0, 1, 2, 3, 5, 7, 10, 20, 50, 100], 0),
    seed=0,
    scenes={
        "A small ε": dict(),
        "Where the two meet": dict(epsilon=3.0),
        "A large ε": dict(epsilon=5.0),
        "A small α": dict(alpha=0.5),
        "A large α": dict(alpha=8.0),
    },
)
def with_or_without_scaling(*, epsilon, alpha, value, seed):
    """The error against ε if values are scaled by ε, by e^ε − 1, or not at all, p = 1/(ε+2)."""
    ways = {
        "no scaling, x = 0": {"color": "0.35", "linestyle": [0, [3, 1, 1, 1, 1, 1]]},
        "scaled by ε, x = 0": EXACT,
        "by e^ε − 1, α ≥ that, x = 0": HISTOGRAM,
    }
    of_zero = [
        alp_zero_error(alpha=width, epsilon=scale)
        for scale, width in three_scalings(alpha=alpha, epsilon=np.append(EPSILONS, epsilon))
    ]
    errors = [
        errors_alone(value, alpha=float(width), epsilon=float(scale), seed=seed)
        for scale, width in three_scalings(alpha=alpha, epsilon=epsilon)
    ]
    curves = [
        line(name, EPSILONS, zeros[:-1], style)
        for (name, style), zeros in zip(ways.items(), of_zero, strict=True)
    ]
    dots = [
        _means(f"measured, {name}", [beside * epsilon], found[None],
               MEASURED | {"markerfacecolor": style["color"], "markersize": 7.5}, label=None, see=KEY)
        # side by side, so that none hides another
        for (name, style), found, beside in zip(ways.items(), errors, (0.94, 1, 1.06), strict=True)
    ]  # fmt: skip
    meet = equation1_crossing(alpha=alpha)
    crossings = (
        alp_zero_error(alpha=alpha, epsilon=alpha),
        equation1_error(alpha=alpha, epsilon=meet),
    )
    unscaled, scaled, wide = (zeros[-1] for zeros in of_zero)
    if epsilon == alpha:
        sentence = "At ε = α it is all the same: not to scale is ALP with α = ε."
    elif epsilon < alpha:
        times = about(unscaled / scaled)
        sentence = (
            f"Below ε = α scaling pays: without it the error of a zero is {times} times as large."
        )
    else:
        times = about(scaled / unscaled)
        sentence = f"Beyond ε = α scaling by ε costs: the error of a zero is {times} times as large as without."
    return picture(
        axes(
            line("Equation 1, no scaling", EPSILONS, alp_equation1(alpha=EPSILONS), THIN),
            line("Equation 1, scaled", EPSILONS, equation1_error(alpha=alpha, epsilon=EPSILONS), PAPER),
            *curves,
            here("ε", epsilon),
            line("crossings", [alpha, meet], crossings, MARK | {"markersize": 7}, label=None, see="equal"),
            text("at the crossings", [alpha / 1.07, meet / 1.07], [*crossings], ["equal"] * 2,
                 ha="right", va="top"),
            *dots,
            line(KEY, [], [], MEASURED | {"markerfacecolor": "white"}),
            x=log("ε", 0.045, 11, **_ticks(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)),
            y=log("expected error of an entry", 0.01, 5000),
            box=(0.111, 0.129, 0.882, 0.723),
        ),
        size=(7.2, 4.3),
        legend={"columns": 3, "size": 11},
        sentence=sentence,
        named={
            "no scaling, exact at 0": unscaled,
            "scaled by ε, exact at 0": scaled,
            "by e^ε − 1, exact at 0": wide,
            f"no scaling, measured at {value}": [dots[0]["low"][0], dots[0]["high"][0]],
            f"scaled by ε, measured at {value}": [dots[1]["low"][0], dots[1]["high"][0]],
            f"by e^ε − 1, measured at {value}": [dots[2]["low"][0], dots[2]["high"][0]],
        },
        numbers={
            "means measured": [found.mean() for found in errors],
            "Equation 1, no scaling": alp_equation1(alpha=epsilon),
            "Equation 1, scaled": equation1_error(alpha=alpha, epsilon=epsilon),
            "Equation 1 is the same at ε": meet,
        },
    )  # fmt: skip


@demo(
    ratio=([2.05, 2.1, 2.2, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0], 10.0),
    given=([0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0], 1.0),
    sparsity=([10, 20, 30, 50, 100, 200, 300], 100),
    alpha=(nice(1.5, 20.0), 3.0),
    epsilon=(nice(0.1, 2.0), 1.0),
    cap=(lambda alpha, epsilon: [b for b in nice(2, 60) if _levels(b, alpha, epsilon) <= 20], 30),
    seed=0,
    scenes={
        "As many entries as promised": dict(),
        "The smallest table": dict(ratio=2.05),
        "Three times as many entries": dict(given=3.0),
        "… in the smallest table": dict(given=3.0, ratio=2.05),
    },
)
def collisions_against_size(*, ratio, given, sparsity, alpha, epsilon, cap, seed):
    """Expected error against s/k: what is promised, what collisions cost, what is possible."""
    number, size = max(1, round(given * sparsity)), table_size(sparsity, ratio)
    sizes = sorted({size, *(table_size(sparsity, each) for each in SIZES)})
    tried = sorted({size, *(table_size(sparsity, each) for each in (2.2, 40.0))})
    values = crowded_values(number, cap=cap)
    exact = epsilon * np.array(
        [
            alp_error_among(value, others, size=sizes, cap=cap, alpha=alpha, epsilon=epsilon)
            for value, others in ((0.0, values), (cap / 2, values[:-1]))
        ]
    )
    real = exact[:, np.searchsorted(sizes, tried)]
    mean, margin = crowded_intervals(
        real, number=number, sparsity=sparsity, sizes=tried, cap=cap, alpha=alpha, epsilon=epsilon,
        seed=seed,
    )  # fmt: skip
    flips = epsilon * alp_exact_error(0.0, cap=cap, alpha=alpha, epsilon=epsilon)
    top = epsilon * alp_largest_estimate(cap=cap, alpha=alpha, epsilon=epsilon)
    most = top, max(top - epsilon * cap / 2, epsilon * cap / 2)
    # the theorem holds for these, whatever was promised
    load, now = max(number, sparsity) / size, tried.index(size)
    promised = [
        bound(load=load, alpha=alpha, epsilon=1.0) if load < 0.5 else None for bound in BOUNDS
    ]
    frames = [
        axes(
            band(f"refused, {kind}", 1, 2, {"color": "0.85", "linewidth": 0}, label=None,
                 see="size s/k (grey: refused)"),
            upright(f"here: {kind}", size / sparsity, label=None, see="size s/k"),
            line(f"bound, {kind}", SMOOTH, bound(load=1 / SMOOTH, alpha=alpha, epsilon=1.0), THEOREM,
                 label="bound, k entries"),
            line(f"exact, {kind}", np.divide(sizes, sparsity), exact[i], EXACT, label="exact"),
            intervals(f"measured, {kind}", np.divide(tried, sparsity), mean[i], mean[i] - margin[i],
                      mean[i] + margin[i], label="measured, 95%"),
            line(f"largest, {kind}", [2, 115], [most[i]] * 2, {"color": "0.35", "linestyle": ":"},
                 label="largest possible"),
            x=log("size s/k (grey: refused)", 1.85, 115, **_ticks(2, 5, 10, 20, 50, 100)),
            y=log("", 0.2, 2000, ticks=(1, 10, 100, 1000), names=[""] * 4)
            if i
            else log("expected error, times ε", 0.2, 2000),
            box=((0.097, 0.555)[i], 0.136, 0.43, 0.709),
            title=f"an entry of {kind}",
        )
        for i, (kind, bound) in enumerate(zip(("0", "β/2"), BOUNDS, strict=True))
    ]  # fmt: skip
    hit = collision_probabilities(values, size=size, cap=cap, alpha=alpha, epsilon=epsilon)[0]
    told = [
        {
            f"{kind}, promised at most": promised[i],
            f"{kind}, exact": real[i, now],
            f"{kind}, measured": [mean[i, now] - margin[i, now], mean[i, now] + margin[i, now]],
        }
        for i, kind in enumerate(("zero", "β/2"))
    ]
    return picture(
        *frames,
        size=(7.2, 4.1),
        legend={"columns": 4, "size": 11},
        sentence=_crowded(real[0, now] / flips, promised[0], real[0, now], most[0]),
        named=told[0] | told[1],
        numbers={
            "entries given": number,
            "size s": size,
            "levels m": _levels(cap, alpha, epsilon),
            "first bit of a zero is hit": hit,
            "k/s": sparsity / size,
            "zero, exact, by flips alone": flips,
            "zero, largest possible": most[0],
            "β/2, largest possible": most[1],
        },
    )


def _crowded(factor, bound, real, most):
    """What collisions do to a zero, and what is promised of it."""
    lead = f"Collisions make the error of a zero {about(factor)} times that of flips alone"
    if factor < 1.005:
        lead = "Collisions hardly change the error of a zero"
    if bound is None:
        return f"{lead}; with so many entries nothing is promised."
    if bound > most:
        return f"{lead}; the bound is beyond all that is possible."
    return f"{lead}; the bound is {about(bound / real)} times the error."
