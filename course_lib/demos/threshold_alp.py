"""The pictures of notebook 09: a small file, an entry's error, the largest, space, the survey."""

import numpy as np

from course_lib.alp import alp_expected_error, alp_levels, alp_space
from course_lib.demos.picture import (
    ADVANCED, BASIC, EXACT, MEASURED, THEOREM, THRESHOLD, YOURS, axes, demo, here, intervals, level,
    line, linear, log, nice, picture, symlog, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact, percent
from course_lib.exact.alp import (
    alp_error_among, alp_largest_estimate, collision_probabilities,
)  # fmt: skip
from course_lib.exact.threshold_alp import (
    laplace_largest_error, threshold_alp_exact_error, threshold_largest_error,
)  # fmt: skip
from course_lib.lab.alp import table_size
from course_lib.lab.confidence import normal_interval
from course_lib.lab.profiles import profile_sample, scattered
from course_lib.lab.threshold_alp import (
    errors_of_three, largest_errors, released_bytes, spread_values, survey_estimates,
    survey_promise,
)  # fmt: skip
from course_lib.threshold_alp import (
    threshold_alp_expected_error, threshold_alp_maximum_error, threshold_alp_space, threshold_error,
    threshold_level,
)  # fmt: skip

LAPLACE, ALP = BASIC, EXACT  # one style for each way to release a sparse vector
THRESHOLD_ALP = ADVANCED | {"linestyle": [0, [6, 1, 1.5, 1]], "linewidth": 3}

TOP = 55  # the largest value
VALUES = np.arange(0, TOP + 1, 5)  # measured
GRID = np.linspace(0, TOP, 2 * TOP + 1)
REPEATS = 120  # entries of each of VALUES; those of 0 are looked up, but are not in the vector
ENTRIES = np.repeat(VALUES[1:], REPEATS)
BOUND = THEOREM | {"linewidth": 1.5}
DOT = MEASURED | {"markersize": 5.5}
KEY = "measured, 95%"

DIMENSIONS = [10**i for i in range(2, 19)]
POWERS = 10.0 ** np.array([2, 3, 4, 6, 12, 18])
READ = (100, 1000, 10_000)  # of these dimensions four releases are read throughout
# where their dots stand, beside each other, since equal ones would hide each other
BESIDE = np.multiply.outer(READ, 1.28 ** (np.arange(4) - 1.5)).ravel()

# Chosen before the rows were counted, as the cap is: how many profiles occur is private. If it
# were more than this, privacy would hold all the same.
SPARSITY, SIZE = 10_000, 40_000
CLOUD = MEASURED | {"markersize": 4, "markeredgewidth": 0}


@demo(
    questions=(range(1, 8), 1),
    seed=0,
    time="questions",
    scenes={
        "One question": dict(),
        "Five questions": dict(questions=5),
        "Six questions": dict(questions=6),
        "Seven questions": dict(questions=7),
    },
)
def small_file(*, questions, seed):
    """A column for each set of answers to some questions, and a file that estimates every count."""
    asked = range(1, questions + 1)
    dense, files, found = zip(*(_filed(number, seed) for number in asked), strict=True)
    (indices, _, dimension), (_, counts), _ = profile_sample(questions)
    return picture(
        axes(
            line("a number for each column", asked, dense, LAPLACE | {"marker": "s"}),
            line("the file", asked, files, THRESHOLD_ALP | {"marker": "^"}),
            level("100 kB", 1e5, {"color": "0.55", "linewidth": 1, "linestyle": ":"}, label=None,
                  see="100 kB"),
            text("at 100 kB", 1, 1.6e5, "100 kB", va="bottom"),
            x=linear("questions asked", 0.7, 7.3, ticks=range(1, 8), names=range(1, 8)),
            y=log("bytes", 10, 1e12, ticks=[1e2, 1e4, 1e6, 1e8, 1e10], only=True),
            box=(0.105, 0.16, 0.385, 0.71),
        ),
        axes(
            line("right", [0, 2e4], [0, 2e4], {"color": "0.5", "linewidth": 1.2}),
            line("looked up", scattered(counts), found[-1], CLOUD | {"alpha": 0.5}),
            x=symlog("true count", -0.6, 2e4, within=1, **_ticks(0, 10, 1000)),
            y=symlog("estimate", -0.3, 2e4, within=1, **_ticks(0, 1, 10, 100, 1000, 10_000)),
            box=(0.635, 0.16, 0.335, 0.71),
        ),
        size=(7.2, 3.6),
        legend={"columns": 4, "size": 11},
        sentence=_filled(questions, dimension, dense[-1], files[-1]),
        named={
            "columns": dimension,
            "columns that have a row": len(indices),
            "a number for each, bytes": dense[-1],
            "file, bytes": files[-1],
            "mean error of those looked up": np.abs(found[-1] - counts).mean(),
        },
    )  # fmt: skip


def _filed(codes, seed):
    """The bytes of a number for each column, those of Threshold-ALP’s arrays, and its estimates."""
    found, _, size = survey_estimates(
        "Threshold-ALP", codes=codes, sparsity=SPARSITY, size=SIZE, cap=50, alpha=3.0, epsilon=1.0,
        neighbours="l1", seed=seed,
    )  # fmt: skip
    return 8 * profile_sample(codes)[0][2], size, found


def _filled(codes, columns, dense, size):
    """What the columns take, one by one and in the file."""
    questions = "One question gives" if codes == 1 else f"{codes} questions give"
    told = f"{questions} {columns:,} columns: a number for each takes {in_bytes(dense)}"
    return f"{told}, the file {in_bytes(size)}."


@demo(
    epsilon=(nice(0.3, 1.5), 1.0),
    alpha=([2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0], 3.0),
    cap=([10, 15, 20, 25, 30, 35, 40], 40),
    ratio=([3, 4, 5, 7, 10, 15, 20, 30], 10),
    dimension=([10**j for j in (4, 5, 6, 7, 8, 9, 10, 12)], 10**6),
    seed=0,
    scenes={
        "A million entries": dict(),
        "A million million entries": dict(dimension=10**12),
        "A small table": dict(ratio=3),
        "Wide levels": dict(alpha=10.0),
    },
)
def error_per_entry(*, epsilon, alpha, cap, ratio, dimension, seed):
    """The expected error of an entry against its value, for four releases that cost the same ε."""
    size, half = ratio * len(ENTRIES), epsilon / 2
    single, double = (threshold_level(dimension=dimension, epsilon=e) for e in (epsilon, half))
    met = collision_probabilities(ENTRIES, size=size, cap=double, alpha=alpha, epsilon=half)
    curves = {
        "Laplace, d numbers": np.full(len(GRID), 1 / epsilon),
        "Threshold": threshold_error(GRID, level=single, epsilon=epsilon),
        "ALP": alp_error_among(GRID, ENTRIES, size=size, cap=cap, alpha=alpha, epsilon=epsilon),
        "Threshold-ALP": threshold_alp_exact_error(
            GRID, dimension=dimension, load=met, alpha=alpha, epsilon1=half, epsilon2=half
        ),
    }
    below_cap = alp_expected_error(load=1 / ratio, alpha=alpha, epsilon=epsilon)
    bounds = {
        "ALP’s": below_cap + np.maximum(0, GRID - cap),
        "Threshold-ALP’s": threshold_alp_expected_error(
            GRID, dimension=dimension, load=1 / ratio, alpha=alpha, epsilon1=half, epsilon2=half
        ),
    }
    errors = errors_of_three(
        VALUES, repeats=REPEATS, dimension=dimension, size=size, cap=cap, alpha=alpha,
        epsilon=epsilon, seed=seed,
    )  # fmt: skip
    means = dict(zip([*curves][1:], map(normal_interval, errors), strict=True))
    styles = {"Laplace, d numbers": LAPLACE, "Threshold": THRESHOLD}
    styles |= {"ALP": ALP, "Threshold-ALP": THRESHOLD_ALP}
    markers = {"Threshold": "s", "ALP": "o", "Threshold-ALP": "^"}
    named_bounds = {name: bound[0] for name, bound in bounds.items() if bound[0] < 85}
    worst = {name: errors.max() for name, errors in curves.items()}
    return picture(
        axes(
            upright("end of ALP", cap, {"color": "0.55", "linewidth": 1, "linestyle": ":"},
                    label=None, see="cap"),
            *(line(name, GRID, curves[name], style) for name, style in styles.items()),
            *(line(f"bound, {name}", GRID, y, BOUND, label="bounds") for name, y in bounds.items()),
            *(
                intervals(f"measured, {name}", VALUES, np.where(mean > 0, mean, np.nan), mean - margin,
                          mean + margin, DOT | {"marker": markers[name], "markerfacecolor": styles[name]["color"]},
                          label=None, see=KEY)
                for name, (mean, margin) in means.items()
            ),
            line(KEY, [], [], MEASURED | {"markerfacecolor": "white"}),
            text("whose bound", [0] * len(named_bounds), [*named_bounds.values()], [*named_bounds],
                 size=10.5, va="bottom"),
            text("at the cap", cap, 1, "cap", within="x", color="0.35", ha="center", va="bottom"),
            x=linear("value x of the entry", -1, TOP + 1),
            y=log("expected error", 0.5, 100, **_ticks(0.5, 1, 2, 5, 10, 20, 50, 100)),
            box=(0.1, 0.136, 0.894, 0.672),
        ),
        size=(7.2, 4.1),
        legend={"columns": 3, "size": 11},
        sentence=_worst(worst["Threshold"], worst["Threshold-ALP"]),
        named={
            "Laplace, worst": worst["Laplace, d numbers"],
            "Threshold, worst": worst["Threshold"],
            "ALP, worst up to its cap": curves["ALP"][GRID <= cap].max(),
            "ALP, promised at most": below_cap,
            "Threshold-ALP, worst": worst["Threshold-ALP"],
            "Threshold-ALP, promised at most": bounds["Threshold-ALP’s"].max(),
        },
        numbers={
            "Threshold is worst at x": GRID[curves["Threshold"].argmax()],
            "level of Threshold": single,
            "level of Threshold-ALP": double,
            "largest estimate of ALP": alp_largest_estimate(cap=cap, alpha=alpha, epsilon=epsilon),
            "largest estimate of Threshold-ALP’s table": alp_largest_estimate(cap=double, alpha=alpha, epsilon=half),
            "intervals of the ALPs that hold, of 24": sum(
                np.count_nonzero(abs(means[name][0] - curves[name][::10]) <= means[name][1])
                for name in ("ALP", "Threshold-ALP")
            ),
        },
    )  # fmt: skip


def _ticks(*places):
    return {"ticks": places, "names": map(compact, places), "only": True}


def _worst(threshold, both):
    """Whether the table of Threshold-ALP pays, by its worst entry."""
    told = f"Threshold’s worst entry is off by {about(threshold)} on average, Threshold-ALP’s by {about(both)}"
    return f"{told}: its table {'has what Threshold drops' if both < threshold else 'is not worth it here'}."


@demo(
    dimension=(DIMENSIONS, 1000),
    share=([0.3, 0.4, 0.5, 0.6, 0.7], 0.5),
    alpha=(nice(1.0, 10.0), 3.0),
    sparsity=(nice(10, 100), 30),
    seed=0,
    scenes={
        "Half of ε for Threshold": dict(),
        "Three tenths for Threshold": dict(share=0.3),
        "Seven tenths for Threshold": dict(share=0.7),
        "The largest dimension": dict(dimension=10**18),
    },
)
def largest_error(*, dimension, share, alpha, sparsity, seed):
    """The expected largest error of all d entries: it grows with the logarithm of d."""

    def promised(d):
        return threshold_alp_maximum_error(
            dimension=d, alpha=alpha, epsilon1=share, epsilon2=1 - share
        )

    def threshold_alone(d):
        values = spread_values(dimension=d, sparsity=sparsity, epsilon1=share)
        return threshold_largest_error(values, dimension=d, epsilon=1.0)

    seen = {
        d: largest_errors(
            releases=4, dimension=d, sparsity=sparsity, size=4 * sparsity, alpha=alpha,
            epsilon1=share, epsilon2=1 - share, seed=seed,
        )
        for d in READ
    }  # fmt: skip
    bound, alone = promised(POWERS), [threshold_alone(int(d)) for d in POWERS]
    dense, dense_here = (
        laplace_largest_error(dimension=d, epsilon=1.0) for d in (POWERS, dimension)
    )
    near = max(d for d in READ if d <= dimension)
    cap = threshold_level(dimension=near, epsilon=share)
    frames = [
        axes(
            upright(f"d, {end}", dimension if dimension <= 10**end else None, word="d"),
            line(f"bound, {end}", POWERS, bound, THEOREM, label="Threshold-ALP: bound on the mean"),
            line("single releases", BESIDE, np.concatenate([*seen.values()]), MEASURED | {"markersize": 5},
                 label="Threshold-ALP: single releases") if end == 4 else None,
            line(f"Threshold, {end}", POWERS, alone, THRESHOLD, label="Threshold: exact"),
            line(f"dense, {end}", POWERS, dense, LAPLACE, label="dense Laplace: exact"),
            x=log("dimension d", 50, 2 * 10**end, ticks=10.0 ** np.arange(2, end + 1, step), only=True),
            y=linear(label, 0, top),
            box=(left, 0.144, 0.408, 0.644),
            title=title,
        )
        for end, step, top, left, label, title in (
            (4, 1, 80, 0.084, "largest error, times ε", "with releases, d to 10⁴"),
            (18, 4, 300, 0.565, "", "without, d to 10¹⁸"),
        )
    ]  # fmt: skip
    return picture(
        *frames,
        size=(7.2, 4.1),
        legend={"columns": 2, "size": 11},
        sentence=_largest(seen.get(dimension), dense_here),
        named={
            "dense Laplace, exact": dense_here,
            "Threshold, exact": threshold_alone(dimension),
            "Threshold-ALP, promised at most": promised(dimension),
            f"four releases at d = {compact(near)}": [min(seen[near]), max(seen[near])],
            f"promised at d = {compact(near)}": promised(near),
            "the table’s estimates end at": alp_largest_estimate(
                cap=cap, alpha=alpha, epsilon=1 - share
            ),
        },
        numbers={"releases": [*seen.values()]},
    )


def _largest(releases, dense):
    """The largest errors of some releases against that of noise on every entry."""
    if releases is None:
        return "So many entries cannot all be read in a moment; the bound grows with ln d, and so do the exact errors."
    most, less = about(max(releases)), about(dense)
    if min(releases) > dense:
        return f"Four releases err by up to {most} somewhere, noise on every entry by {less} on average: the gain is space alone."
    return f"Four releases err by up to {most} somewhere, about as much as noise on every entry, with {less} on average."


@demo(
    dimension=(DIMENSIONS, 10**6),
    sparsity=(lambda dimension: [k for k in nice(10, 1000) if k <= dimension], 1000),
    ratio=([2.1, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0], 4.0),
    alpha=(nice(1.0, 10.0), 3.0),
    share=([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], 0.5),
    cap=(nice(3, 1000), 50),
    guess=(nice(100, 10**9), 10**7),
    curves=(["noise on all", "all"], "noise on all"),
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(curves="all"),
        "Thirty entries": dict(sparsity=30, curves="all"),
        "Huge d": dict(sparsity=30, dimension=10**12, curves="all"),
        "Full vector": dict(dimension=100, sparsity=100, curves="all"),
    },
)
def space_against_dimension(*, dimension, sparsity, ratio, alpha, share, cap, guess, curves):
    """Bytes of a release against the dimension: dense, Threshold, ALP, Threshold-ALP, at ε = 1."""
    size = table_size(sparsity, ratio)
    x = np.geomspace(100, 1e18, 200).round()
    x = np.append(x[x >= sparsity], dimension)
    bits = threshold_alp_space(
        dimension=x, sparsity=sparsity, size=size, alpha=alpha, epsilon1=share, epsilon2=1 - share
    )
    *curve, bound = bits / 8
    found = released_bytes(
        dimension=dimension, sparsity=sparsity, size=size, alpha=alpha, epsilon1=share,
        epsilon2=1 - share,
    )  # fmt: skip
    flat = {
        "ALP, cap β": (alp_space(size=size, cap=cap, alpha=alpha, epsilon=1.0) / 8, ALP),
        "Threshold": (16 * (sparsity + 1), THRESHOLD),
        "the vector: 16 k": (16 * sparsity, {"color": "0.35", "linestyle": ":"}),
    }
    own_cap = threshold_level(dimension=dimension, epsilon=share)
    named = {
        "dense, bytes": 8 * dimension,
        "Threshold-ALP, expected at most": bound,
        "Threshold-ALP, one real release": found,
        "ALP": flat["ALP, cap β"][0],
        "Threshold": flat["Threshold"][0],
        "the vector itself": flat["the vector: 16 k"][0],
    }
    hidden = curves != "all"
    if hidden:
        named = {"dense, bytes": 8 * dimension, "your guess": guess}
        flat = {name: (np.nan, style) for name, (_, style) in flat.items()}
        curve, found = np.full(len(curve), np.nan), np.nan
    return picture(
        axes(
            here("d", dimension),
            upright("guess", guess, YOURS),
            line("dense: 8 d", x[:-1], 8 * x[:-1], LAPLACE),
            line("Threshold-ALP", x[:-1], curve, THRESHOLD_ALP),
            *(line(name, [x[0], 1e18], [y, y], style) for name, (y, style) in flat.items()),
            line("a real Threshold-ALP", [dimension], [found], MEASURED),
            x=log("dimension d", 80, 2e18, ticks=10.0 ** np.arange(2, 19, 2), only=True),
            y=log("bytes", 3e1, 1e8),
            box=(0.097, 0.144, 0.886, 0.68),
        ),
        size=(7.2, 4.1),
        legend={"columns": 4, "size": 10.5},
        sentence=_guessed(guess) if hidden else _smaller(8 * dimension, bound),
        named=named,
        numbers={
            "size s": size,
            "levels of Threshold-ALP": alp_levels(cap=own_cap, alpha=alpha, epsilon=1 - share),
            "levels of ALP": alp_levels(cap=cap, alpha=alpha, epsilon=1.0),
        },
    )


def _guessed(guess):
    return f"Your guess: Threshold-ALP takes less space than noise on every entry from d = {compact(guess)} on."


def _smaller(dense, bound):
    """Whether a table pays."""
    told = f"Noise on every entry takes {in_bytes(dense)}, Threshold-ALP at most {in_bytes(bound)} on average"
    if bound < dense:
        return f"{told}, because d enters only by ln d."
    return f"{told}: so small a vector needs no table."


def in_bytes(size):
    """A number of bytes in words."""
    unit = "bytes"
    for larger in ("kB", "MB", "GB", "TB", "PB", "EB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{about(size)} {unit}"


def _only_alp(stops):
    """Stops that a mechanism without this parameter does not have: there it stays at the last."""
    return lambda mechanism: stops if mechanism == "ALP" else stops[-1:]


@demo(
    codes=([5, 6, 7], 6),
    mechanism=(["ALP", "Threshold", "Threshold-ALP"], "ALP"),
    neighbours=(_only_alp(["histogram", "l1"]), "l1"),
    epsilon=(nice(0.2, 2.0), 1.0),
    alpha=(
        lambda mechanism: [3.0] if mechanism == "Threshold" else [2.0, 3.0, 4.0, 5.0, 7.0, 10.0],
        3.0,
    ),
    cap=(_only_alp([10, 15, 20, 30, 40, 50]), 50),
    seed=0,
    scenes={
        "Six codes, ALP": dict(),
        "A seventh code": dict(codes=7),
        "Threshold": dict(mechanism="Threshold"),
        "Threshold-ALP": dict(mechanism="Threshold-ALP"),
        "The histogram’s scale": dict(neighbours="histogram"),
    },
)
def profiles_of_the_survey(*, codes, mechanism, neighbours, epsilon, alpha, cap, seed):
    """Estimated against true counts of survey profiles; one row, a person-year, is protected."""
    (indices, _, dimension), (_, counts), places = profile_sample(codes)
    found, empty, size = survey_estimates(
        mechanism, codes=codes, sparsity=SPARSITY, size=SIZE, cap=cap, alpha=alpha, epsilon=epsilon,
        neighbours=neighbours, seed=seed,
    )  # fmt: skip
    nothing = np.zeros(len(places), int)
    share = epsilon / 2 if mechanism == "Threshold-ALP" else epsilon
    end = cap if mechanism == "ALP" else threshold_level(dimension=dimension, epsilon=share)
    of_entries, of_zeros = (
        survey_promise(
            mechanism, x, dimension=dimension, load=SPARSITY / SIZE, cap=cap, alpha=alpha,
            epsilon=epsilon, neighbours=neighbours,
        ).mean()
        for x in (counts, nothing)
    )  # fmt: skip
    levels = alp_levels(cap=end, alpha=alpha, epsilon=share, neighbours=neighbours)
    clouds = {"profiles that occur": (scattered(counts), found, CLOUD)}
    clouds["zeros"] = scattered(nothing), empty, CLOUD | {"color": "0.4", "marker": "^"}
    promise = "expected" if mechanism == "Threshold" else "promised at most"
    return picture(
        axes(
            line("right", [0, 1000], [0, 1000], {"color": "0.5", "linewidth": 1.2}),
            *(line(f"dots: {name}", x, y, style | {"alpha": 0.25}, label=None, see=name)
              for name, (x, y, style) in clouds.items()),
            *(line(name, [], [], style) for name, (_, _, style) in clouds.items()),
            level("cap or level", end, THRESHOLD | {"linewidth": 1.5}),
            x=symlog("true count (rows; logarithmic from 1 on)", -0.6, 1000, within=1,
                     **_ticks(0, 1, 10, 100, 1000)),
            y=symlog("estimate", -0.3, 2000, within=1, **_ticks(0, 1, 10, 100, 1000)),
            box=(0.124, 0.136, 0.835, 0.766),
        ),
        size=(7.2, 4.1),
        legend={"columns": 4, "size": 11},
        sentence=_surveyed(mechanism, found, counts, size, 8 * dimension),
        named={
            "error of an entry, mean": np.abs(found - counts).mean(),
            f"error of an entry, {promise}": of_entries,
            "error of a zero, mean": np.abs(empty).mean(),
            f"error of a zero, {promise}": of_zeros,
            "bytes": size,
            "bytes, noise on all": 8 * dimension,
        },
        numbers={
            "dimension d": dimension,
            "profiles that occur": len(indices),
            "entries and zeros looked up": [len(counts), len(places)],
            "k and s, promised": [SPARSITY, SIZE],
            "cap or level": end,
            "levels m": None if mechanism == "Threshold" else levels,
            "entries answered 0": np.mean(found == 0),
        },
    )  # fmt: skip


def _surveyed(mechanism, found, counts, size, dense):
    """How far off a mechanism is, or how much it drops, and whether it saves space."""
    if mechanism == "Threshold":
        return f"Threshold answers 0 for {percent(np.mean(found == 0))} of the profiles that occur: most small counts are lost."
    told = f"{mechanism} is off by {about(np.abs(found - counts).mean())} rows on average where a profile occurs"
    if size < dense:
        return f"{told}, and takes {in_bytes(size)} instead of {in_bytes(dense)}."
    return f"{told}; noise on every count would take less space."
