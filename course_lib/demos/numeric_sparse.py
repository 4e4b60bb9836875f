"""The pictures of notebook 02: one run, noise for c answers, failures, the bound as printed."""

from dataclasses import replace

import numpy as np

from course_lib.demos.picture import (
    ADVANCED, BASIC, DOTS, EXACT, HERE, MEASURED, RELEASED, THEOREM, THRESHOLD, VALUES, YOURS, axes,
    band, demo, here, level, line, linear, log, nice, picture, rates, symlog, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.stream import budget_meter, outside, query_axis, stream_layers
from course_lib.demos.words import about, compact, probability, promised_and_true, signed, times
from course_lib.exact.family import member
from course_lib.exact.transcripts import wrong_answer_probability
from course_lib.exact.worst_stream import failure_curve, needed_alpha
from course_lib.lab.data import health_queries, health_values, load_survey
from course_lib.lab.numeric_sparse import noise_by_query, number_errors, numeric_failures
from course_lib.lab.own_mechanism import own, own_failures, recorded_run, shortest
from course_lib.lab.trials import measured_errors
from course_lib.numeric_sparse import (
    numeric_sparse_alpha, numeric_sparse_alpha_printed, numeric_sparse_beta,
    numeric_sparse_beta_printed, numeric_sparse_printed_from, sparse_scale,
)  # fmt: skip
from course_lib.support.answers import ABOVE, BELOW
from course_lib.toolbox import (
    advanced_pays_from, advanced_per_run, advanced_shortcut_limit, laplace_alpha, laplace_beta,
    shortcut_is_proved, shortcut_pays_from,
)  # fmt: skip

STREAM = health_queries()
BETA = 0.05
TRIALS = 2_000
EPSILON, DELTA = 0.1, 1e-6  # of stated_against_needed, where any would do
CUTOFFS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]
LENGTHS = nice(1, 10**12)
MANY_CUTOFFS = np.unique(np.geomspace(1, 10_000, 120).round())
PRINTED = THEOREM | {"linestyle": ":", "marker": "x"}
FULL = ADVANCED | {"linestyle": "-", "linewidth": 1.5}


@demo(
    num_queries=(range(1, len(STREAM) + 1), 1),
    time="num_queries",
    scenes={
        "The first question": dict(),
        "Still silent": dict(num_queries=14),
        "Two rings": dict(num_queries=16),
        "Empty": dict(num_queries=len(STREAM)),
    },
)
def rings(*, num_queries):
    """What is left of a budget for three rings, and of one that pays for every count."""
    cutoff, answers = 3, _rung(num_queries)
    above = np.array([answer is ABOVE for answer in answers])
    asked, rung = np.arange(len(above) + 1), np.append(0, np.cumsum(above))
    # a third for each ring, of which half is paid with the first answer after the ring before
    waits = np.append(0, ~above)
    left = 1 - (rung + waits / 2) / cutoff
    # a count with the same noise, of scale 4c/ε, costs ε/4c
    every = np.arange(num_queries + 1)
    counts = np.maximum(0, 1 - every / (4 * cutoff))
    at = np.flatnonzero(above) + 1
    return picture(
        axes(
            line("publish each count", every, counts, BASIC | {"marker": "^"}),
            line("pay for each ring", asked, left, EXACT | {"marker": "o"}),
            text("rings", at.tolist(), (left[at] + 0.06).tolist(), ["⊤"] * len(at), color="blue",
                 size=18, bold=True, ha="center", va="bottom"),
            x=linear("questions asked", -0.4, len(STREAM) + 0.6, ticks=range(0, len(STREAM) + 1, 4)),
            y=linear("budget left", -0.04, 1.06, ticks=[0, 1 / 3, 2 / 3, 1], names=["empty", "⅓", "⅔", "full"]),
            box=(0.14, 0.16, 0.85, 0.72),
        ),
        size=(7.2, 3.6),
        sentence=_left(num_queries, at, cutoff, left[-1], counts[-1]),
        named={"left for rings": left[-1], "left for counts": counts[-1], "rings": len(at)},
        numbers={"⊤ at questions": at, "questions answered": len(answers)},
    )  # fmt: skip


def _rung(num_queries):
    survey, stream = load_survey(), STREAM[:num_queries]
    answers, _ = recorded_run(
        "sparse", survey, stream, seed=0, threshold=1800, cutoff=3, epsilon=0.3
    )
    return answers


def _left(num_queries, rung, cutoff, left, counts):
    if len(rung) == cutoff:
        return f"Ring {cutoff}, at question {rung[-1]}, empties the budget; published counts emptied it at 12."
    after = f"After {times(num_queries, 'question')} and {times(len(rung), 'ring') if len(rung) else 'no ring'}"
    would = f"would leave {counts:.0%}" if counts else "would leave nothing"
    return f"{after}, {left:.0%} of the budget is left; published counts {would}."


@demo(
    epsilon=(nice(0.1, 10.0), 0.3),
    threshold=(range(500, 5001, 100), 1800),
    cutoff=(range(1, 13), 6),
    num_queries=(range(1, len(STREAM) + 1), len(STREAM)),
    seed=0,
    time="num_queries",
    scenes={
        "Six numbers for six groups": dict(),
        "Half as many numbers": dict(cutoff=3),
        "A third of the budget": dict(epsilon=0.1),
        "The opening question": dict(threshold=3000, cutoff=4, epsilon=1.0),
    },
)
def one_sparse_run(*, epsilon, threshold, cutoff, num_queries, seed, mechanism=None):
    """One run of NumericSparse on the survey: a new noisy threshold after each released number."""
    answers, draws = recorded_run(
        mechanism or "numeric_sparse", load_survey(), STREAM[:num_queries], seed=seed,
        threshold=threshold, cutoff=cutoff, epsilon=epsilon,
    )  # fmt: skip
    asked, values, limits = len(answers), health_values()[:num_queries], (-1200, 110_000)
    above = np.array([answer is not BELOW for answer in answers], dtype=bool)
    numbers = np.array([a if isinstance(a, float) else np.nan for a in answers])
    errors = abs(numbers - values[:asked])[np.isfinite(numbers)]
    shift, noise = noise_by_query(draws, answers, cutoff=cutoff)
    rows, bars = np.arange(asked), threshold + shift
    layers = stream_layers(
        values, noise, threshold,
        [signed(a, 0) if isinstance(a, float) else str(a) for a in answers], above, kind="count",
        edge=100_000, sizes=(11, 10.5), queries=num_queries,
    )  # fmt: skip
    row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon)
    ticks = [0, 1000, 2000, 10_000]
    return picture(
        axes(
            *layers,
            # a gap in the line wherever a threshold ends
            line("noisy T", np.repeat(bars, 3),
                 np.repeat(rows, 3) + np.tile([-0.5, 0.5, np.nan], asked),
                 THRESHOLD | {"linestyle": "-", "linewidth": 3}),
            line("released", numbers[above], rows[above], RELEASED),
            x=symlog("count (rows; logarithmic from 2,500 on)", *limits, within=2500, share=1.8,
                     ticks=ticks, names=map(compact, ticks)),
            y=query_axis(STREAM, size=10.5),
            box=(0.412, 0.112, 0.582, 0.81),
        ),
        # of a number’s part of ε the threshold pays 4/9, with the first answer after the number before
        budget_meter(_parts(above, cutoff), f"budget used: {np.mean(_parts(above, cutoff)):.0%}",
                     box=(0.012, 0.02, 0.30, 0.035)),
        size=(7.2, 5.2),
        legend={"columns": 5, "size": 11},
        sentence=_told(above, values, threshold, cutoff, errors),
        named={
            "noise of T, scale": row.threshold_scale,
            "noise of a count, scale": row.query_scale,
            "noise of a number, scale": row.release_scale,
            "queries with a number": np.flatnonzero(above) + 1,
            "largest error of a number": errors.max() if len(errors) else None,
            "queries not asked": num_queries - asked,
        },
        numbers={
            "queries that reach T": np.flatnonzero(values >= threshold) + 1,
            "numbers": numbers[above],
            "noisy counts": values[:asked] + noise,
            "noisy thresholds": bars,
            "noisy counts outside the picture": outside(limits, values[:asked] + noise),
            "noisy thresholds outside the picture": outside(limits, np.unique(bars)),
            "numbers outside the picture": outside(limits, numbers),
        },
    )  # fmt: skip


def _parts(above, cutoff):
    """Of each of the c parts of a budget, one for each number, the share that is used."""
    full = np.count_nonzero(above)
    waits = len(above) and not above[-1]
    return [1.0 if j < full else 4 / 9 if j == full and waits else 0.0 for j in range(cutoff)]


def _told(above, values, threshold, cutoff, errors):
    """What became of one run: who got a number, who should have, and where it halted."""
    asked, reach = len(above), values[: len(above)] >= threshold
    lifted, hidden = np.count_nonzero(above & ~reach), np.count_nonzero(reach & ~above)
    if asked < len(values):
        left = len(values) - asked
        unasked = f"{times(left, 'query')} {'is' if left == 1 else 'are'} never asked"
        if np.count_nonzero(above) < cutoff:
            return f"It halts after {times(asked, 'query')}, with numbers to spare; {unasked}."
        if lifted:
            return f"{_so_many(lifted)} below T got a number, and {unasked}."
        spent = "number is" if cutoff == 1 else "numbers are"
        return f"Its {spent} spent at query {asked}; {unasked}."
    if lifted and hidden:
        wrong = lifted + hidden
        return (
            f"{wrong} answers are wrong: noise lifted a count below T, and hid one that reaches it."
        )
    if lifted:
        return f"{_so_many(lifted)} below T got a number: the noise made the decision."
    if hidden:
        return f"{_so_many(hidden)} of T or more got ⊥: the noise made the decision."
    if not reach.any():
        return "Every answer is ⊥, and rightly: no count asked reaches T."
    if not len(errors):
        return "Each count asked that reaches T is found, but none gets a number."
    off = about(errors.max())
    return f"Each count asked that reaches T got its number; none is off by more than {off} rows."


def _so_many(counts):
    return "A count" if counts == 1 else f"{counts} counts"


@demo(
    epsilon=(nice(0.1, 20.0), 1.0),
    delta=([1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.1], 1e-9),
    cutoff=(nice(1, 10_000), 10),
    guess=(nice(1, 10_000), 1000),
    curves=(["basic alone", "all"], "basic alone"),
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(curves="all", cutoff=166),
        "The full formula pays": dict(curves="all", cutoff=44),
        "An ε beyond the proof": dict(curves="all", delta=0.1, cutoff=100, epsilon=10.0),
    },
)
def scale_against_cutoff(*, epsilon, delta, cutoff, guess, curves):
    """The noise scale of Sparse against the number c of answers, for each way of composing."""
    c = np.append(MANY_CUTOFFS, cutoff)
    proved = shortcut_is_proved(runs=c, epsilon=epsilon, delta=delta)
    scales = {
        "basic, 2c/ε": (sparse_scale(c, epsilon, 0.0), BASIC),
        "advanced, √(32c ln(1/δ))/ε": (np.where(proved, sparse_scale(c, epsilon, delta), np.nan),
                                       ADVANCED),
        "advanced, full": (2 / advanced_per_run(runs=c, epsilon=epsilon, delta=delta), FULL),
    }  # fmt: skip
    hidden = curves == "basic alone"
    if hidden:
        scales = {
            name: (sigma if style is BASIC else np.full(len(c), np.nan), style)
            for name, (sigma, style) in scales.items()
        }
    basic, shortcut, full = (sigma[-1] for sigma, _ in scales.values())
    pays = int(shortcut_pays_from(delta=delta))
    usable = shortcut_is_proved(runs=pays, epsilon=epsilon, delta=delta)
    limit = advanced_shortcut_limit(runs=cutoff, delta=delta) if cutoff >= pays else np.inf
    return picture(
        axes(
            *(
                line(name, MANY_CUTOFFS, sigma[:-1], style)
                for name, (sigma, style) in scales.items()
            ),
            upright("shortcut pays", None if hidden else pays, HERE | {"linestyle": ":"},
                    word=f"c = {pays}: shortcut {'pays' if usable else 'not proved'}"),
            upright("guess", guess, YOURS),
            line("at c", [cutoff] * 3, [basic, shortcut, full], MEASURED | {"markersize": 7.75}),
            x=log("cutoff c", 0.8, 12_000),
            y=log("noise scale σ (rows)", 0.08, 3e5),
            box=(0.111, 0.147, 0.877, 0.751),
        ),
        legend={"columns": 5, "size": 10.5},
        sentence=_guessed(guess) if hidden else _composed(basic, shortcut, full, limit),
        named={"σ, basic": basic}
        | (
            {}
            if hidden
            else {
                "σ, shortcut": shortcut,
                "σ, full formula": full,
                "shortcut proved up to ε": limit,
                "shortcut pays from c": pays,
                "full formula pays from c": int(advanced_pays_from(epsilon=epsilon, delta=delta)),
            }
        ),
        numbers={} if hidden else {"shortcut proved where it pays": bool(usable)},
    )  # fmt: skip


def _guessed(guess):
    return f"Your guess: a δ makes the noise smaller from c = {compact(guess)} on."


def _composed(basic, shortcut, full, limit):
    """Which way of composing c runs has the least noise."""
    if np.isnan(shortcut):
        return f"At this c the shortcut is proved only up to ε = {about(limit)}, so it is left out."
    if shortcut < basic:
        smaller = _smaller(basic / shortcut)
        return f"Advanced composition pays: even by the shortcut the noise is {smaller}."
    if full < basic:
        return "Advanced composition pays here by its full formula, but not yet by the shortcut."
    return "For so few answers basic composition has the least noise; δ buys nothing."


def _smaller(factor):
    return f"{about(factor)} times smaller" if factor >= 1.05 else "a little smaller"


def lengths(cutoff):
    """The k of a slider: the worst stream has c values above T."""
    return [k for k in LENGTHS if k >= cutoff]


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    cutoff=(lambda mechanism: shortest(CUTOFFS, mechanism), 2),
    num_queries=(lambda cutoff, mechanism: shortest(lengths(cutoff), mechanism), 100),
    delta=([0.0, 1e-12, 1e-9, 1e-6, 1e-3], 0.0),
    alpha=(nice(1.0, 10.0**6), 100.0),
    seed=0,
    scenes={
        "The α that is enough": dict(cutoff=10, num_queries=1000, alpha=496.1),
        "The α of the theorem": dict(cutoff=10, num_queries=1000, alpha=1223.3),
        "Twice the numbers, twice the α": dict(cutoff=20, num_queries=1000, alpha=992.2),
        "A million million queries": dict(cutoff=10, num_queries=10**12, alpha=1360.0),
        "With δ, the α printed": dict(cutoff=10, num_queries=100, delta=1e-6, alpha=3213.0),
    },
)
def sparse_failure_against_alpha(
    *, epsilon, cutoff, num_queries, delta, alpha, seed, mechanism=None
):
    """NumericSparse on its worst stream: the probability of failure promised, exact, measured."""
    row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=delta)
    (most, stated), (_, short) = (
        theorem(num_queries=num_queries, cutoff=cutoff, beta=[1e-9, BETA], epsilon=epsilon,
                delta=delta)
        for theorem in (numeric_sparse_alpha, numeric_sparse_alpha_printed)
    )  # fmt: skip
    alphas = np.append(0.01 * row.threshold_scale, np.geomspace(most / 50, most, 60))
    (*promised, bound), (*printed, claimed) = (
        theorem(num_queries=num_queries, cutoff=cutoff, alpha=np.append(alphas, alpha),
                epsilon=epsilon, delta=delta)
        for theorem in (numeric_sparse_beta, numeric_sparse_beta_printed)
    )  # fmt: skip
    *curve, real = failure_curve(row, num_queries=num_queries, alpha=np.append(alphas, alpha))
    probes = np.interp(-np.log([0.5, 0.05, 0.01]), -np.log(curve), alphas)
    probes = np.append(probes, alpha)
    run = mechanism and own(mechanism, threshold=0.0, cutoff=cutoff, epsilon=epsilon, delta=delta)
    failed = own_failures(run, row, num_queries=num_queries, alpha=probes, trials=TRIALS, seed=seed)
    measured = rates(probes, failed, TRIALS)
    if claimed < real:
        claim = f"the theorem as printed promises {about(max(claimed, 1e-300))} or less"
        sentence = f"A run fails with probability {probability(real)}, where {claim}."
    else:
        sentence = promised_and_true(bound, real)
    return picture(
        axes(
            line("Theorem 3.28", alphas, promised, THEOREM),
            line(
                "printed (δ > 0)",
                alphas,
                printed if delta else [None] * len(alphas),  # without δ they are the same
                PRINTED | {"markevery": 4},
            ),
            line("exact", alphas, curve, EXACT),
            measured,
            here("α", alpha),
            x=log("error α", 0.8, 1e6),
            y=log("probability of failure", 1e-7, 3),
            box=(0.111, 0.134, 0.861, 0.77),
        ),
        size=(7.2, 4.4),
        sentence=sentence,
        named={
            "promised at most": bound,
            "as printed at most": claimed,
            "exact": real,
            "measured": [measured["low"][-1], measured["high"][-1]],
            f"α promised for β = {BETA}": stated,
            "α that is enough": needed_alpha(row, num_queries=num_queries, beta=BETA),
        },
        numbers={f"α printed for β = {BETA}": short},
    )


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    threshold=(range(500, 5001, 100), 1800),
    cutoff=(range(1, 13), 6),
    alpha=(range(0, 2001, 25), 200),
    seed=1,
    scenes={
        "Six counts above T": dict(),
        "Two counts above T": dict(threshold=5000),
        "More counts than numbers": dict(threshold=1500),
        "A promise": dict(epsilon=5.0),
    },
)
def sparse_on_the_survey(*, epsilon, threshold, cutoff, alpha, seed):
    """Counts of the survey and the gap T ± alpha, and how likely a wrong answer is."""
    k, values, grid = len(STREAM), health_values(), np.arange(0, 2001, 25)
    row = member("numeric_sparse", cutoff=cutoff, epsilon=epsilon)
    *curve, wrong = wrong_answer_probability(
        row, values, threshold=threshold, alpha=np.append(grid, alpha)
    )
    *promised, bound = numeric_sparse_beta(
        num_queries=k, cutoff=cutoff, alpha=np.append(grid, alpha), epsilon=epsilon
    )
    errors = measured_errors(row, values, threshold=threshold, trials=TRIALS, seed=seed)
    probes = np.append(np.arange(100, 2000, 200), alpha)
    seen = np.count_nonzero(errors[:, None] > probes, axis=0)
    shown = (seen > 0) | (np.arange(len(probes)) == len(probes) - 1)
    measured = rates(probes[shown], seen[shown], TRIALS)
    reach = np.count_nonzero(values >= threshold - alpha)
    return picture(
        axes(
            line("count", values, np.arange(k), VALUES | DOTS),
            band(
                "T ± α",
                max(threshold - alpha, 1),  # the axis is logarithmic
                threshold + alpha,
                {"color": "orange", "alpha": 0.3},
            ),
            upright("T", threshold, THRESHOLD),
            x=log("count (rows)", 60, 16_000),
            y=linear("query", k - 0.4, -0.6, ticks=[0, 5, 10, 15, 20, 23],
                     names=[1, 6, 11, 16, 21, 24]),
            box=(0.084, 0.128, 0.307, 0.729),
        ),
        axes(
            line("Theorem 3.28", grid, promised, THEOREM),
            line("exact", grid, curve, EXACT),
            measured,
            here("α", alpha),
            x=linear("error α", -25, 2030),
            y=log("probability of a wrong answer", 1e-6, 3),
            box=(0.508, 0.128, 0.461, 0.729),
        ),
        size=(7.2, 4.6),
        legend={"columns": 6, "size": 11},
        sentence=_on_the_survey(reach, cutoff, bound, wrong),
        named={
            "exact": max(wrong, 0.0),  # to 12 places
            "measured": [measured["low"][-1], measured["high"][-1]],
            "promised at most": bound if reach <= cutoff else "does not apply",
            "counts that reach T − α": reach,
            "counts in the gap T ± α": np.count_nonzero(abs(values - threshold) <= alpha),
        },
        numbers={"bound of the proof": bound},
    )  # fmt: skip


def _on_the_survey(reach, cutoff, bound, wrong):
    """What the theorem says of this stream, of which the last query always reaches T − α."""
    if reach > cutoff:
        most = times(cutoff, "number")
        return (
            f"{reach} counts reach T − α, but only {most} may be given: the theorem does not apply."
        )
    if bound < 1e-12:  # which is as far as the true one is known
        return f"The theorem promises right answers, except with probability {probability(bound)}."
    real = probability(wrong, least=1e-12)
    if bound < 1:
        return f"The theorem allows a wrong answer with probability {about(bound)}; the true one is {real}."
    return (
        f"The theorem promises nothing here; in truth an answer is wrong with probability {real}."
    )


@demo(
    cutoff=(CUTOFFS, 10),
    num_queries=(lengths, 100),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2], 0.05),
    seed=0,
    scenes={
        "One query, one number": dict(cutoff=1, num_queries=1),
        "Ten numbers": dict(),
        "Fifty numbers": dict(cutoff=50, num_queries=1000),
        "Both are the same": dict(num_queries=28_619),
        "The same, for one number": dict(cutoff=1, num_queries=425),
    },
)
def stated_against_needed(*, cutoff, num_queries, beta, seed):
    """Theorem 3.28 for δ > 0, as printed and corrected, against what is needed, up to this k."""
    row = member("numeric_sparse", cutoff=cutoff, epsilon=EPSILON, delta=DELTA)

    def stated(num_queries):
        """α as printed and as corrected."""
        return np.array(
            [
                theorem(num_queries=num_queries, cutoff=cutoff, beta=beta, epsilon=EPSILON,
                        delta=DELTA)
                for theorem in (numeric_sparse_alpha_printed, numeric_sparse_alpha)
            ]
        )  # fmt: skip

    def sizes_and_rates(num_queries):
        """Both over the α that is needed, and how often a run fails at them."""
        needed = needed_alpha(row, num_queries=num_queries, beta=beta)
        fails = failure_curve(row, num_queries=num_queries, alpha=stated(num_queries))
        return stated(num_queries) / needed, fails

    # multiples of c, from c itself on, where nothing lies below T
    k = cutoff * np.unique(np.geomspace(1, 1e12 / cutoff, 21).round())
    k = np.append(k[k < num_queries], num_queries)
    sizes, fails = sizes_and_rates(k)
    (printed, corrected), (rate, corrected_rate) = sizes[:, -1], fails[:, -1]
    probes = np.array([cutoff, 100 * cutoff, 10**4 * cutoff, num_queries])
    failed = numeric_failures(
        row, num_queries=probes, alpha=stated(probes)[0], trials=TRIALS, seed=seed
    )
    drawn = probes <= num_queries
    measured = rates(probes[drawn], failed[drawn], TRIALS)
    same_from = numeric_sparse_printed_from(cutoff=cutoff, beta=beta)
    if num_queries >= same_from:
        sentence = "For so many queries the printed α is the corrected one, and it is enough."
    elif rate <= beta:
        sentence = "The printed α is enough here, although its proof does not show it."
    elif rate < 1.01 * beta:
        sentence = (
            f"The printed α is a little too small: runs fail with probability just above {beta:g}."
        )
    else:
        sentence = (
            f"The printed α is too small: runs fail with probability {about(rate)}, not {beta:g}."
        )
    queries = log("number of queries k", 0.7, 2e12, ticks=10.0 ** np.arange(0, 13, 4))
    return picture(
        axes(
            level("needed", 1, EXACT),
            line("printed / needed", k, sizes[0], PRINTED, label="printed"),
            line("corrected / needed", k, sizes[1], THEOREM, label="corrected"),
            here("k", num_queries),
            upright("both equal", same_from, {"color": "0.5", "linewidth": 1.5, "linestyle": ":"}),
            x=queries,
            y=linear("α stated / α needed", 0, 4),
            box=(0.092, 0.134, 0.374, 0.716),
            title="below 1: too small",
        ),
        axes(
            level("β", beta, HERE | {"linewidth": 1.5}),
            line("printed", k, fails[0], PRINTED),
            line("corrected", k, fails[1], THEOREM),
            measured,
            upright("here: k, on the right", num_queries, word="k"),
            x=queries,
            y=log("failure probability", 6e-7, 1),
            box=(0.601, 0.134, 0.374, 0.716),
            title="at the stated α",
        ),
        size=(7.2, 4.4),
        legend={"columns": 6, "size": 10.5},
        sentence=sentence,
        named={
            "promised at most": beta,
            "printed fails with": rate,
            "measured": [measured["low"][-1], measured["high"][-1]],
            "corrected fails with": corrected_rate,
            "printed α / needed α": printed,
            "both the same from k": int(np.ceil(same_from)),
        },
        numbers={"corrected α / needed α": corrected},
    )


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    cutoff=(nice(1, 2000), 2),
    num_queries=(nice(2000, 10**12), 10**6),
    delta=([1e-12, 1e-9, 1e-6, 1e-3], 1e-6),
    seed=0,
    scenes={
        "Ten numbers": dict(cutoff=10, num_queries=10_000),
        "Ten numbers, a longer stream": dict(cutoff=10, num_queries=10**12),
        "Just before δ pays": dict(cutoff=799, num_queries=10_000),
        "δ pays": dict(cutoff=800, num_queries=10_000),
    },
)
def numbers_against_finding(*, epsilon, cutoff, num_queries, delta, seed):
    """How far off the c released numbers are, and how far off the answers ⊤ and ⊥."""
    pure, mixed = (
        member("numeric_sparse", cutoff=cutoff, epsilon=epsilon, delta=d) for d in (0.0, delta)
    )
    units = np.geomspace(0.05, 20, 60)
    tail = laplace_beta(num_queries=cutoff, alpha=units, epsilon=1.0)
    row = replace(pure, released=None)  # ⊤ and ⊥ alone
    alphas = pure.threshold_scale * np.geomspace(1, 4 * np.log(4e4 * cutoff * num_queries), 40)
    trials = max(200, min(TRIALS, 400_000 // cutoff))
    errors = number_errors(cutoff=cutoff, trials=trials, seed=seed)
    probes = np.interp([-0.7, -0.3, -0.05, -0.01], -tail, units)
    seen = np.count_nonzero(errors[:, None] > probes, axis=0)
    finding = needed_alpha(row, num_queries=num_queries, beta=BETA)
    largest = laplace_alpha(num_queries=cutoff, beta=BETA, epsilon=1.0)
    without, with_delta = largest * pure.release_scale, largest * mixed.release_scale
    return picture(
        axes(
            level("5%", BETA, word="5%"),
            line("⊤ and ⊥, δ = 0", alphas,
                 failure_curve(row, num_queries=num_queries, alpha=alphas), EXACT),
            line("numbers, δ = 0", units * pure.release_scale, tail, BASIC),
            line("numbers, δ > 0", units * mixed.release_scale, tail, ADVANCED),
            rates(np.outer([pure.release_scale, mixed.release_scale], probes).ravel(),
                  np.tile(seen, 2), trials),
            x=log("error α (rows)", 3, 3e6),
            y=log("Pr[largest error > α]", 1e-3, 1.3),
            box=(0.111, 0.147, 0.883, 0.752),
        ),
        legend={"columns": 4, "size": 11},
        sentence=_numbers_or_finding(without, with_delta, finding),
        named={
            "numbers, δ = 0, within": without,
            "numbers, δ > 0, within": with_delta,
            "⊤ and ⊥, δ = 0, within": finding,
            "except with probability": BETA,
        },
    )  # fmt: skip


def _numbers_or_finding(without, with_delta, finding):
    """Which part has the larger error, and whether δ makes the numbers better."""
    if with_delta < without:
        smaller = _smaller(without / with_delta)
        return f"For so many numbers δ pays: it makes their largest error {smaller}."
    if without < finding:
        factor = about(finding / without)
        return (
            f"Finding needs an error {factor} times that of the numbers, which δ would make worse."
        )
    factor = about(without / finding)
    return f"The numbers need an error {factor} times that of finding, and δ would make them worse."
