"""The pictures of notebook 03: the hole, a run, how often it fails, what it costs, the proof."""

import numpy as np

from course_lib.demos.picture import (
    ADVANCED, BASIC, DOTS, EXACT, NEIGHBOUR, NO_USE, THEOREM, THRESHOLD, VALUES, YOURS, area, axes,
    band, bars, demo, here, level, line, linear, log, nice, picture, rates, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.stream import budget_meter, outside, query_axis, stream_layers
from course_lib.demos.words import about, compact, promised_and_true, signed, times
from course_lib.exact.family import member
from course_lib.exact.lecture11_sparse import (
    failures_at_stated_alpha, find_then_answer_alpha_exact, known_alpha, parts_of_the_loss,
    threshold_density,
)  # fmt: skip
from course_lib.exact.worst_stream import failure, failure_curve, needed_alpha
from course_lib.lab.data import as_fractions, health_queries, health_values, load_survey
from course_lib.lab.lecture11_sparse import lecture11_failures
from course_lib.lab.own_mechanism import MOST_QUERIES, recorded_run, shortest
from course_lib.lecture11_sparse import (
    lecture11_alpha, lecture11_alpha_printed, lecture11_beta,
)  # fmt: skip
from course_lib.support.answers import BELOW

STREAM = health_queries()[:16]
BETA = 0.05
BETAS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
DELTAS = [0.0, 1e-12, 1e-9, 1e-6, 1e-3]
TRIALS = 3_000
QUERIES = 10.0 ** np.arange(2, 13, 2)
ROWS = np.array([1e3, 1e8])  # on both axes logarithmic, two points make the line
PROVED = "what the proof counts"
SPENT = np.geomspace(9e-4, 20, 61)  # ln(1/δ)


@demo(
    num_below=(range(1, 13), 1),
    time="num_below",
    scenes={
        "Within the budget": dict(),
        "Past the budget": dict(num_below=3),
        "Six budgets": dict(num_below=12),
    },
)
def hole_in_the_proof(*, num_below):
    """What a printed proof counts for silent answers and a number, and what they really reveal."""
    m = np.arange(1, num_below + 1)
    ends = sum(parts_of_the_loss(num_below=m, cutoff=1, answer=0.0, epsilon=1.0))
    starts, gap = np.append(0.0, ends[:-1]), 0.04  # pieces side by side are to be told apart
    counted, thick = np.array([0.0, 0.5]), 34
    return picture(
        axes(
            bars("counted", (counted, [1, 1]), (counted + 0.5 - gap, [1, 1]),
                 {"color": "purple", "linewidth": thick}, label=None, see="all ⊥"),
            bars("lost", (starts, 0 * m), (ends - gap, 0 * m),
                 {"color": "blue", "linewidth": thick}, label=None, see="⊥"),
            text("what is counted", (counted + 0.25 - gap / 2).tolist(), [1.3] * 2, ["all ⊥", "0"],
                 size=11.5, color="ink", ha="center", va="bottom"),
            text("silent answers", ((starts + ends - gap) / 2).tolist(), [0.3] * num_below,
                 ["⊥"] * num_below, size=15, color="ink", ha="center", va="bottom"),
            upright("the whole budget", 1, {"color": "0.5", "linewidth": 1.5}),
            text("then a number", ends[-1] + 0.03, 0, "then 0", size=13, color="ink", box=True),
            x=linear("privacy budgets", -0.08, 7, ticks=range(8)),
            y=linear("", -0.45, 1.75, ticks=[1, 0], names=["the proof counts", "really lost"],
                     size=13, bare=True),
            box=(0.215, 0.16, 0.775, 0.72),
        ),
        size=(7.2, 3.4),
        sentence=_given_away(num_below, ends[-1]),
        named={"really lost": ends[-1], "counted by the proof": 1.0, "silent answers": num_below},
        numbers={"lost to each ⊥": ends - starts},
    )  # fmt: skip


def _given_away(num_below, lost):
    """What silent answers and a number reveal, against the one budget that the proof counts."""
    what = f"{'One silence' if num_below == 1 else f'{num_below} silences'} and then a number"
    if lost > 1 + 1e-9:
        return f"{what} can reveal {compact(lost)} budgets, and the proof counts one."
    share = "a whole budget" if lost > 1 - 1e-9 else "half a budget"
    return f"{what} can reveal {share}, no more than the proof counts."


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    n=(nice(1000, 10**8), 20_190),
    cutoff=(range(1, 9), 3),
    threshold=(np.arange(0, 0.1501, 0.005).round(3), 0.07),
    num_queries=(range(1, len(STREAM) + 1), len(STREAM)),
    seed=3,
    time="num_queries",
    scenes={
        "The survey as it is": dict(),
        "Five times the rows": dict(n=100_000),
        "A thousand rows": dict(n=1000),
        "It halts too early": dict(cutoff=1),
    },
)
def one_lecture11_run(*, epsilon, n, cutoff, threshold, num_queries, seed, mechanism=None):
    """One run on fractions of the survey: noisy values, one noisy threshold, released numbers."""
    answers, draws = recorded_run(
        mechanism or "lecture11_sparse", load_survey(), as_fractions(STREAM[:num_queries]),
        seed=seed, n=n, threshold=threshold, cutoff=cutoff, epsilon=epsilon,
    )  # fmt: skip
    asked, limits = len(answers), (-0.04, 0.2)
    values = health_values()[:num_queries] / len(load_survey())
    # of a mechanism that draws in another way we know the answers alone
    shift, *noise = draws if len(draws) == asked + 1 else [np.nan] * (asked + 1)
    above = np.array([answer is not BELOW for answer in answers], dtype=bool)
    released = {i: a for i, a in enumerate(answers) if isinstance(a, float)}
    off = max((abs(a - values[i]) for i, a in released.items()), default=None)
    layers = stream_layers(
        values, noise, threshold,
        [signed(released[i], 4) if i in released else str(a) for i, a in enumerate(answers)], above,
        kind="fraction", edge=0.258, sizes=(14, 13), queries=num_queries,
    )  # fmt: skip
    return picture(
        axes(
            *layers,
            upright("noisy T, one draw", threshold + shift, THRESHOLD),
            x=linear("fraction of the rows", *limits, ticks=np.arange(0, 0.21, 0.05).round(2)),
            y=query_axis(STREAM, size=10.5),
            box=(0.43, 0.111, 0.455, 0.804),
        ),
        # the printed proof has half of ε for the threshold, and half for the c numbers
        budget_meter(
            [1, np.count_nonzero(above) / cutoff],
            f"budget used, says the proof: {(1 + np.count_nonzero(above) / cutoff) / 2:.0%}",
            box=(0.012, 0.02, 0.30, 0.035),
        ),
        size=(7.2, 5.0),
        sentence=_told(above, values >= threshold, off),
        named={
            "noise of T, scale": 2 / (epsilon * n),
            "noise of a fraction, scale": 2 * cutoff / (epsilon * n),
            "noisy T": threshold + shift,
            "numbers released": len(released),
            "largest error of a number": off,
            "answers": asked,
        },
        numbers={
            "halts": np.count_nonzero(above) == cutoff,
            "numbers": list(released.values()),
            "their queries": [i + 1 for i in released],
            "queries that reach T": np.flatnonzero(values >= threshold) + 1,
            "noisy fractions": values[:asked] + noise,
            "noisy fractions outside the picture": outside(limits, values[:asked] + noise),
            "noisy T outside the picture": outside(limits, threshold + shift),
        },
    )  # fmt: skip


def _told(above, large, off):
    """What became of one run: which queries had a number, which should, how far these are off."""
    asked = large[: len(above)]
    wrong, missed = np.count_nonzero(above & ~asked), np.count_nonzero(asked & ~above)
    unasked = np.count_nonzero(large) - np.count_nonzero(asked)
    if wrong and missed:
        more = "⊥ should be a number" if missed == 1 else "⊥ should be numbers"
        return f"The noise misleads it: {times(wrong, 'number')} should be ⊥, and {missed} {more}."
    if wrong:
        below = "its fraction is" if wrong == 1 else "their fractions are"
        return f"It releases {times(wrong, 'number')} by mistake: {below} below T."
    if missed:
        hid = (
            "that reaches T: the noise hid it"
            if missed == 1
            else "that reach T: the noise hid them"
        )
        return f"It misses {times(missed, 'fraction')} {hid}."
    if unasked:
        reach = "fraction that reaches T is" if unasked == 1 else "fractions that reach T are"
        return f"It has no number left and halts: {unasked} more {reach} never asked for."
    if not above.any():
        return "Every answer is ⊥, and rightly: no fraction asked for reaches T."
    right = np.count_nonzero(above)
    reach = (
        "one fraction that reaches T gets" if right == 1 else f"{right} fractions that reach T get"
    )
    error = "" if off is None else f", off by at most {about(off)}"
    return f"It is right: the {reach} a number{error}; all others get ⊥."


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    n=(nice(1000, 10**7), 20_190),
    num_queries=(lambda cutoff, mechanism: shortest(nice(cutoff, 10**12), mechanism), 1000),
    cutoff=(nice(1, 20), 5),
    delta=(DELTAS, 0.0),
    alpha=(nice(1e-5, 1.0), 0.005),
    seed=0,
    scenes={
        "The α that is enough": dict(alpha=0.00457),
        "The α of the theorem": dict(alpha=0.0105),
        "A million rows": dict(n=10**6, alpha=0.000212),
        "Too few rows": dict(n=1000, epsilon=0.05),
    },
)
def lecture11_failure_against_alpha(
    *, epsilon, n, num_queries, cutoff, delta, alpha, seed, mechanism=None
):
    """Failure probability against alpha on the worst stream: promised, exact and measured."""
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)

    def stated(beta):
        return lecture11_alpha(
            num_queries=num_queries, n=n, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=delta
        )

    alphas = np.geomspace(stated(1e-9) / 100, stated(1e-9), 60)
    curve = failure_curve(row, num_queries=num_queries, alpha=alphas * n)
    probes = np.interp(-np.log([0.7, 0.3, 0.05, 0.01]), -np.log(curve), alphas)
    probes = np.append(probes, alpha)
    trials = TRIALS if num_queries > MOST_QUERIES else TRIALS // 3  # the reader's own is slow
    failed = lecture11_failures(
        mechanism, num_queries=num_queries, n=n, cutoff=cutoff, alpha=probes, epsilon=epsilon,
        delta=delta, trials=trials, seed=seed,
    )  # fmt: skip
    measured = rates(probes, failed, trials)
    *promised, bound = lecture11_beta(
        num_queries=num_queries, n=1, cutoff=cutoff, alpha=np.append(alphas, alpha) * epsilon * n,
        epsilon=1.0, delta=delta,
    )  # fmt: skip
    real = failure(row, num_queries=num_queries, alpha=alpha * n)
    enough = needed_alpha(row, num_queries=num_queries, beta=BETA) / n
    return picture(
        axes(
            band("α > 1: no use", 1, 10, NO_USE),
            line("Theorem 2 or 5", alphas, promised, THEOREM),
            line("exact", alphas, curve, EXACT),
            measured,
            here("α", alpha),
            x=log("error α of a fraction", 1e-6, 10),
            y=log("probability of failure", 1e-9, 3),
            box=(0.111, 0.147, 0.861, 0.747),
        ),
        sentence=_no_use(stated(BETA), enough) or promised_and_true(bound, real),
        named={
            "promised at most": bound,
            "exact": real,
            "measured": [measured["low"][-1], measured["high"][-1]],
            f"α promised for β = {BETA}": stated(BETA),
            "α that is enough": enough,
        },
        numbers={"theorem": 5 if delta else 2},
    )


def _no_use(stated, enough):
    """That an error of 1 or more says nothing of a fraction, where that is what is needed."""
    if enough >= 1:
        return f"Even the α that is enough, {about(enough)}, says nothing: no fraction is ever off by more than 1."
    if stated >= 1:
        return f"The theorem asks for α = {about(stated)}, and that says nothing of a fraction; {about(enough)} is enough."
    return ""


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    n=(nice(1000, 10**8), 20_190),
    num_queries=(nice(100, 10**12), 1000),
    cutoff=(nice(1, 100), 5),
    beta=(BETAS, 0.05),
    delta=(DELTAS, 0.0),
    scenes={
        "A thousand queries": dict(),
        "A trillion queries": dict(num_queries=10**12),
        "A hundred large ones": dict(cutoff=100),
        "A hundred, and δ > 0": dict(cutoff=100, delta=1e-6),
        "Too few rows": dict(n=1000, epsilon=0.05),
    },
)
def price_of_not_knowing(*, epsilon, n, num_queries, cutoff, beta, delta):
    """The error against the rows n, and against that of an analyst who knows the c queries."""
    k = np.append(QUERIES, num_queries)
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
    base = known_alpha(n=1, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=delta)
    asked = lecture11_alpha(
        num_queries=k, n=1, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=delta
    )
    enough = needed_alpha(row, num_queries=k, beta=beta)
    found = find_then_answer_alpha_exact(
        num_queries=k, n=1, cutoff=cutoff, beta=beta, epsilon=epsilon, delta=delta
    )
    ways = {
        "Sparse: Theorem 2 or 5": (asked, THEOREM),
        "Sparse: exact": (enough, EXACT),
        "all known: exponential, Laplace": (found, ADVANCED),
        "c known: Laplace": (np.full(len(k), base), BASIC),
    }
    top = next(limit for limit in (60, 200, 500, 3000) if max(asked) < limit * base)
    return picture(
        axes(
            band("no use", 1, 100, NO_USE, flat=True, label=None, see="α > 1: no use"),
            text("why", 1.2e5, 10, "α > 1: no use", size=13),
            *(line(name, ROWS, alpha[-1] / ROWS, style) for name, (alpha, style) in ways.items()),
            here("n", n),
            x=log("rows n", *ROWS, ticks=10.0 ** np.arange(3, 9)),
            y=log("error α needed", 5e-9, 100),
            box=(0.111, 0.134, 0.377, 0.694),
        ),
        axes(
            *(
                line(f"{name}, factor", QUERIES, alpha[:-1] / base, style, label=name)
                for name, (alpha, style) in ways.items()
            ),
            here("k", num_queries),
            x=log("number of queries k", 70, 2e12, ticks=10.0 ** np.arange(2, 13, 2)),
            y=linear("factor over “c known”", 0, top),
            box=(0.6, 0.134, 0.377, 0.694),
        ),
        size=(7.2, 4.4),
        legend=2,
        sentence=_no_use(asked[-1] / n, enough[-1] / n)
        or _price(cutoff, enough[-1] / base, asked[-1] / base),
        named={
            "α of the theorem": asked[-1] / n,
            "α that is enough": enough[-1] / n,
            "all known": found[-1] / n,
            "c known": base / n,
            "factor of Sparse": enough[-1] / base,
            "factor of the theorem": asked[-1] / base,
        },
        numbers={"theorem": 5 if delta else 2, "factor, all known": found[-1] / base},
    )


def _price(cutoff, factor, promised):
    which = "which query is large" if cutoff == 1 else f"which {cutoff} queries are large"
    return f"Not to know {which} makes the error {about(factor)} times as large; the theorem says {about(promised)} times."


@demo(
    num_queries=(nice(1, 1000), 1),
    beta=(BETAS, 0.05),
    delta=([1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999], 0.5),
    scenes={
        "A δ that one would choose": dict(delta=1e-6),
        "Where the proof ends": dict(delta=0.8824),
        "A δ close to 1": dict(delta=0.99),
        "Closer, with a hundred queries": dict(num_queries=100, delta=0.999),
    },
)
def theorem_5_and_delta(*, num_queries, beta, delta):
    """Failure at Theorem 5's alpha for one number (c = 1), up to this δ."""
    printed, right = (
        alpha(num_queries=num_queries, n=1, cutoff=1, beta=beta, epsilon=1.0, delta=delta)
        for alpha in (lecture11_alpha_printed, lecture11_alpha)
    )
    spent = -np.log(delta)
    grid = np.append(spent, SPENT[SPENT > spent])
    failed, corrected = failures_at_stated_alpha(
        num_queries=num_queries, beta=beta, delta=np.append(delta, np.exp(-grid[1:]))
    )
    if failed[0] > beta:
        sentence = f"At the printed α a run fails with probability {about(failed[0])}, and at most β = {beta:g} was promised."
    elif printed >= right:
        sentence = f"The proof of Theorem 2 still holds at δ = {compact(delta)}, and the printed α keeps its promise."
    else:
        sentence = (
            "The proof does not hold at this δ; the printed α keeps its promise all the same."
        )
    return picture(
        axes(
            line("exact, at the printed α", grid, failed, EXACT),
            line("… at the right α", grid, corrected, EXACT | {"linestyle": ":"}),
            level("β", beta, THEOREM),
            upright("1/8", 1 / 8, {"color": "0.5", "linewidth": 1.5}, word="1/8"),
            line("at δ", [spent], failed[:1], EXACT | DOTS | {"marker": "D", "markersize": 10},
                 label=None, see="exact, at the printed α"),
            x=log("ln(1/δ): δ grows to the right, up to 0.999", 20, 9e-4),
            y=log("probability of failure", 1e-7, 2),
            box=(0.111, 0.147, 0.863, 0.746),
        ),
        sentence=sentence,
        named={
            "promised at most": beta,
            "exact, at the printed α": failed[0],
            "exact, at the right α": corrected[0],
            "ln(1/δ)": spent,
        },
        numbers={"printed α, in 1/(εn)": printed, "right α, in 1/(εn)": right},
    )  # fmt: skip


@demo(
    epsilon=(nice(0.1, 3.0), 1.0),
    cutoff=(range(1, 6), 5),
    num_below=(range(1, 21), 20),
    answer=(np.arange(-2, 8.1, 0.5), 0.0),
    guess=(range(1, 21), 6),
    curves=([PROVED, "all"], PROVED),
    time="num_below",
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(curves="all"),
        "One number allowed": dict(cutoff=1, num_below=10, curves="all"),
        "And a large number": dict(cutoff=1, num_below=10, answer=8.0, curves="all"),
        "One ⊥": dict(cutoff=1, num_below=1, curves="all"),
    },
)
def dropped_factor(*, epsilon, cutoff, num_below, answer, guess, curves):
    """What m times ⊥ say of the threshold on D and D′, and what the number then gives away.

    Lengths are in units of 1/n, so n = 1 here.
    """
    m = np.arange(1, num_below + 1)
    # in steps: a new limit means a new background, which takes ten times as long
    right = next(step for step in (15, 50, 150, 500) if step >= (6 + 8 * cutoff) / epsilon)
    z = np.linspace(-right / 3, right, 301)
    densities = [
        threshold_density(z, num_below=num_below, value=value, cutoff=cutoff, epsilon=epsilon)
        for value in (0.0, 1.0)
    ]
    parts = parts_of_the_loss(num_below=m, cutoff=cutoff, answer=answer, epsilon=epsilon)
    below, whole = parts[0] / epsilon, (parts[0] + parts[1]) / epsilon
    hidden, top = curves == PROVED, 10.5 / cutoff
    named = {
        "of the ⊥": parts[0][-1],
        "of the number’s noise": 0.0,
        "allowed by Theorem 3": epsilon,
    }
    if not hidden:
        named |= {"of the dropped factor": parts[1][-1], "log-ratio": whole[-1] * epsilon}
    revealed = np.where(hidden, np.nan, whole)
    return picture(
        axes(
            band("cut", z[0], max(z[0], answer), {"color": "0.85"}, label=None, see="T̂ ≤ âᵢ"),
            text("of the cut", 0.02, 0.99, "T̂ ≤ âᵢ", within="axes", size=12, va="top"),
            line("on D", z, densities[0], VALUES | {"marker": ""}),
            line("on D′", z, densities[1], NEIGHBOUR | {"marker": ""}),
            x=linear("noisy threshold, in 1/n", z[0], z[-1]),
            y=log("its density after m times ⊥", 5e-10, 10),
            box=(0.111, 0.128, 0.364, 0.713),
        ),
        axes(
            area("the ⊥", m, 0 * below, below, {"color": "blue", "alpha": 0.45}),
            area("dropped factor", m, below, below if hidden else whole,
                 {"color": "orange", "alpha": 0.45}),
            line("exact", m, revealed, EXACT),
            level("Theorem 3", 1, THEOREM),
            upright("guess", guess, YOURS),
            line("at m", [num_below], revealed[-1:],
                 EXACT | DOTS | {"marker": "D", "markersize": 9}, label=None, see="exact"),
            x=linear("m times ⊥, then âᵢ", 0, 20.5, ticks=range(0, 21, 5)),
            y=linear("log-ratio / ε", 0, top,
                     ticks=np.arange(0, top, 2 if cutoff == 1 else 0.5 if cutoff > 3 else 1)),
            box=(0.581, 0.128, 0.364, 0.713),
        ),
        size=(7.2, 4.4),
        legend=4,
        sentence=_guessed(guess, answer) if hidden else _lost(num_below, answer, whole[-1]),
        named=named,
    )  # fmt: skip


def _guessed(guess, answer):
    what = "one ⊥" if guess == 1 else f"{guess} times ⊥"
    return f"Your guess: after {what} the number {compact(answer)} loses more than ε for the first time."


def _lost(num_below, answer, share):
    """Whether m times ⊥ and a number stay within ε, of which they lose this share."""
    what = "One ⊥" if num_below == 1 else f"{num_below} times ⊥"
    what = f"{what} and then the number {compact(answer)}"
    if share > 1 + 1e-9:
        return f"{what} lose {about(share)} times ε: the factor that the proof drops is too much."
    if share > 1 - 1e-9:
        return f"{what} lose exactly ε, all that Theorem 3 allows."
    return f"{what} lose {about(share)} of ε, no more than Theorem 3 allows."
