"""The figure of notebook 08 on the embedding; see also alp_walk and alp_loss."""

import numpy as np

from course_lib.demos.drawing import EXACT, VALUES, line
from course_lib.demos.explore import about, demo
from course_lib.demos.explore import explore as explore
from course_lib.lab.alp import embed
from course_lib.support.contracts import ParameterError

VECTOR = {23: 4, 141: 16, 314: 9, 500: 0, 628: 13, 901: 7}  # all other indices hold 0 as well
INDICES, HELD = np.array([*VECTOR]), np.array([*VECTOR.values()], dtype=float)
SPARSITY = np.count_nonzero(HELD)
DIMENSION, CAP = 1000, 20
MOST_LEVELS, MOST_PLACES = 15, 20
SPACING = MOST_PLACES / len(VECTOR)
CODES = SPACING * np.arange(len(VECTOR)) + 1.9  # where the unary codes stand
CELL = {"linestyle": "none", "marker": "s", "markersize": 8.4, "markeredgewidth": 0}
EMPTY = CELL | {"color": "white", "markeredgecolor": "0.85", "markeredgewidth": 0.8}
OWN = CELL | {"color": VALUES["color"]}
OTHER = CELL | {"color": "0.72"}
SEVERAL = CELL | {"color": "0.35"}
ONE = CELL | {"color": "#F0E442", "markeredgecolor": "0.85", "markeredgewidth": 0.8}
READ = CELL | {"color": "none", "markeredgecolor": EXACT["color"], "markeredgewidth": 2}
FLIPPED = {"linestyle": "none", "marker": "x", "color": "0.1", "markersize": 4}
FLIPPED |= {"markeredgewidth": 0.9}
BY_FLIP = FLIPPED | {"color": "black", "markersize": 8, "markeredgewidth": 2.6}
BY_COLLISION = {"linestyle": "none", "marker": "o", "markersize": 7, "color": "none"}
BY_COLLISION |= {"markeredgecolor": "black", "markeredgewidth": 2.6}


def place_cells(artist, table):
    """Show the cells of a table that are true: a column for each level, from 1."""
    rows, columns = np.nonzero(table)
    artist.set_data(columns + 1, rows)


@demo(
    epsilon=([0.5, 0.7, 1.0, 1.2, 1.5], 1.0),
    alpha=([2.0, 2.5, 3.0, 4.0, 5.0, 6.0], 2.0),
    ratio=([2.2, 2.4, 3.0, 3.6, 4.0], 3.0),
    index=([*VECTOR], 314),
    seed=925,  # a look-up misled by flips and by a collision, which a larger table avoids
    size=(7.2, 4.4),
)
def embedding_bits(fig):
    """The unary codes of a vector’s entries, their bits in a table, and the table released."""
    code, hashed, released = axes = fig.subplots(1, 3, sharex=True, sharey=True)
    for ax, title in zip(axes, ("unary codes", "hashed: z", "released: $\\tilde z$"), strict=True):
        ax.set_title(title)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.set(xlim=(-0.2, MOST_LEVELS + 0.6), ylim=(MOST_PLACES - 0.4, -0.6))
        ax.set(xlabel="level b", xticks=(1, 5, 10, 15), yticks=(0, 5, 10, 15))
    code.tick_params(labelleft=False)
    hashed.tick_params(labelleft=True)
    hashed.set_ylabel("place", labelpad=3)
    code.set_xlabel("level b;  ❙ xε/α")
    for y, index in zip(CODES, VECTOR, strict=True):
        code.text(0.5, y - 0.65, f"index {index}: x = {VECTOR[index]}", fontsize=11, va="bottom")
    empty = [line(ax, None, EMPTY) for ax in axes]
    own = [line(code, None, OWN), line(hashed, "its own bit", OWN)]
    other = [line(code, None, OTHER), line(hashed, "another’s", OTHER)]
    several = line(hashed, "of several", SEVERAL)
    ones = line(released, "1, released", ONE)
    read = [line(hashed, "read", READ), line(released, None, READ)]
    flipped = line(released, "flipped", FLIPPED)
    by_flip = line(released, "wrong by a flip", BY_FLIP)
    by_collision = line(released, "… by a collision", BY_COLLISION)
    unrounded = line(code, None, {"linestyle": "none", "marker": "|", "color": "black"})
    unrounded.set(markersize=14, markeredgewidth=2)
    pointer = line(code, None, EXACT | {"marker": ">", "linestyle": "none", "clip_on": False})
    handles = [own[1], other[1], several, read[0], ones, flipped, by_flip, by_collision]
    fig.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False, fontsize=11)

    def update(*, epsilon, alpha, ratio, index, seed):
        if index not in VECTOR:
            known = ", ".join(map(str, VECTOR))
            raise ParameterError(f"index must be one of {known} in this picture, got {index}")
        inside = embed(
            INDICES,
            HELD,
            dimension=DIMENSION,
            size=round(ratio * SPARSITY),
            cap=CAP,
            alpha=alpha,
            epsilon=epsilon,
            seed=seed,
        )
        levels = len(inside.release.bits)
        who = [*VECTOR].index(index)
        column, place = np.arange(levels), inside.places[who]
        codes = column < inside.rounded[:, None]
        for artist, table in zip(empty[1:], (inside.number, inside.flipped), strict=True):
            place_cells(artist, np.ones_like(table))
        empty[0].set_data(np.tile(column + 1, len(CODES)), np.repeat(CODES, levels))
        mine = np.zeros(inside.number.shape, dtype=bool)
        mine[place, column] = codes[who]
        alone = inside.number == 1
        place_cells(own[1], mine & alone)
        place_cells(other[1], ~mine & alone)
        place_cells(several, inside.number > 1)
        own[0].set_data(column[codes[who]] + 1, np.full(codes[who].sum(), CODES[who]))
        rows, columns = np.nonzero(codes & (INDICES != index)[:, None])
        other[0].set_data(columns + 1, CODES[rows])
        unrounded.set_data(inside.exact + 0.5, CODES)
        pointer.set_data([-0.3], [CODES[who]])
        place_cells(ones, inside.release.table)
        place_cells(flipped, inside.flipped)
        for artist in read:
            artist.set_data(column + 1, place)
        flips, collisions = inside.wrong_bits(who)
        for artist, wrong in (by_flip, flips), (by_collision, collisions):
            artist.set_data(column[wrong] + 1, place[wrong])
        return told(inside, who, epsilon, alpha, np.sum(flips), np.sum(collisions))

    return update


def told(inside, who, epsilon, alpha, flips, collisions):
    """The sentence: sizes, what one look-up reads, what it makes of it."""
    size, levels = inside.number.shape
    estimate = about(inside.release.estimate(int(INDICES[who])))
    rounded = f"{inside.rounded[who]:g} {'level' if inside.rounded[who] == 1 else 'levels'}"
    return (
        f"ε = {epsilon:g}, α = {alpha:g}, β = {CAP}: m = {levels} levels of s = {size} places, "
        f"each bit flipped with probability {about(1 / (alpha + 2))}. Index {INDICES[who]} holds "
        f"{HELD[who]:g}, {rounded} in the code. Of the {levels} bits read, "
        f"{wrong_bits(flips, collisions)}: the estimate is {estimate}."
    )


def wrong_bits(flips, collisions):
    """How many bits are wrong, and why, in words."""
    causes = [(flips, "a flip", "flips"), (collisions, "a collision", "collisions")]
    parts = [f"{n} by {one if n == 1 else many}" for n, one, many in causes if n]
    wrong = flips + collisions
    if not wrong:
        return "none is wrong"
    return f"{wrong} {'is' if wrong == 1 else 'are'} wrong ({', '.join(parts)})"
