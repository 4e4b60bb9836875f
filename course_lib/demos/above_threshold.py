"""The pictures of notebook 01: waiting, one run, how often it fails, why it is private."""

import numpy as np

from course_lib.above_threshold import above_threshold_alpha, above_threshold_beta
from course_lib.demos.picture import (
    ADVANCED, BASIC, DOTS, EXACT, MEASURED, NEIGHBOUR, THEOREM, THRESHOLD, VALUES, YOURS, axes,
    band, demo, here, intervals, level, line, linear, log, nice, picture, rates, text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.stream import budget_meter, outside, query_axis, stream_layers
from course_lib.demos.words import about, compact, probability, promised_and_true, times
from course_lib.exact.above_threshold import (
    above_threshold_failure, above_threshold_wrong_probability, coupled_noise, coupling_price,
    first_above_errors, late_above_loss,
)  # fmt: skip
from course_lib.exact.family import member
from course_lib.exact.worst_stream import failure_curve, needed_alpha
from course_lib.lab.above_threshold import late_noise, measured_late_losses
from course_lib.lab.data import health_queries, health_values, load_survey
from course_lib.lab.own_mechanism import own, own_failures, recorded_run, shortest
from course_lib.lab.trials import measured_errors
from course_lib.support.answers import ABOVE
from course_lib.toolbox import advanced_per_run, laplace_alpha

STREAM = health_queries()[:16]
BETA = 0.05
TRIALS = 5_000
QUERIES = np.unique(np.logspace(0, 12, 25).round())
LENGTHS = np.array([*range(1, 13), 15, 20, 30, 50, 100, 200, 300, 500, 1_000, 10_000, 1_000_000])


@demo(
    num_queries=(range(1, len(STREAM) + 1), 1),
    time="num_queries",
    scenes={
        "The first question": dict(),
        "Still waiting": dict(num_queries=14),
        "The alarm rings": dict(num_queries=15),
    },
)
def waiting(*, num_queries):
    """What two ways of asking have used: a noisy count for each question, or an alarm that waits."""
    answers, _ = recorded_run(
        "above_threshold", load_survey(), STREAM[:num_queries], seed=11, threshold=1800,
        epsilon=0.05,
    )  # fmt: skip
    asked, rings = np.arange(1, len(answers) + 1), answers[-1] is ABOVE
    # a count with the same noise, of scale 4/ε, costs ε/4; the alarm ε/2, and as much for its ⊤
    counts, alarm = (
        np.arange(1, num_queries + 1) / 4,
        np.where(asked < len(asked), 0.5, 0.5 + 0.5 * rings),
    )
    ended = asked[-1:] if rings else asked[:0]
    return picture(
        axes(
            level("the whole budget", 1, {"color": "0.5", "linewidth": 1.5}),
            line("publish each count", np.arange(1, num_queries + 1), counts, BASIC | {"marker": "^"}),
            line("wait for the alarm", asked, alarm, EXACT | {"marker": "o"}),
            text("rings", ended.tolist(), [1.15] * rings, ["⊤"] * rings, color="blue", size=20,
                 bold=True, ha="center", va="bottom"),
            x=linear("questions asked", 0.4, len(STREAM) + 0.6, ticks=range(2, len(STREAM) + 1, 2)),
            y=linear("budget used", 0, 4.25, ticks=range(5), names=["0", "once", "twice", "3 times", "4 times"]),
            box=(0.145, 0.16, 0.845, 0.72),
        ),
        size=(7.2, 3.6),
        sentence=_waited(num_queries, len(answers), rings),
        named={"used by the alarm": alarm[-1], "used by counts": counts[-1]},
        numbers={"⊤ at question": asked[-1] if rings else None, "questions": num_queries},
    )  # fmt: skip


def _waited(num_queries, asked, rings):
    counts = f"published counts would have used {compact(num_queries / 4)} budgets"
    if rings:
        return f"The alarm rang at question {asked}, and its budget is used up; {counts}."
    return f"After {times(num_queries, 'question')} the silent alarm has used half its budget; {counts}."


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    threshold=(range(0, 3001, 50), 1800),
    num_queries=(range(1, len(STREAM) + 1), len(STREAM)),
    seed=11,
    time="num_queries",
    scenes={
        "Enough privacy budget": dict(),
        "Two fifths of it": dict(epsilon=0.02),
        "A fifth of it": dict(epsilon=0.01, seed=6),
        "An alarm that stays silent": dict(threshold=2600),
    },
)
def one_run(*, epsilon, threshold, num_queries, seed, mechanism=None):
    """One run of AboveThreshold on the survey: counts, noisy counts, noisy threshold, answers."""
    answers, draws = recorded_run(
        mechanism or "above_threshold", load_survey(), STREAM[:num_queries], seed=seed,
        threshold=threshold, epsilon=epsilon,
    )  # fmt: skip
    asked, values, limits = len(answers), health_values()[:num_queries], (-700, 3900)
    # of a mechanism that draws in another way we know the answers alone
    shift, *noise = draws if len(draws) == asked + 1 else [np.nan] * (asked + 1)
    above = [answer is ABOVE for answer in answers]
    layers = stream_layers(
        values, noise, threshold, [str(answer) for answer in answers], above, kind="count",
        edge=3850, sizes=(20, 13), queries=num_queries,
    )  # fmt: skip
    reach = np.flatnonzero(values >= threshold) + 1
    rings = above.index(True) + 1 if any(above) else None
    return picture(
        axes(
            *layers,
            upright("noisy T", threshold + shift, THRESHOLD),
            x=linear("count (rows)", *limits),
            y=query_axis(STREAM, size=10.5),
            box=(0.422, 0.115, 0.565, 0.805),
        ),
        budget_meter([1, sum(above)], f"budget used: {'all' if any(above) else 'half'}",
                     box=(0.012, 0.02, 0.30, 0.035)),
        size=(7.2, 5.0),
        sentence=_told(rings, reach, values, threshold),
        named={
            "noise of T, scale": 2 / epsilon,
            "noise of a count, scale": 4 / epsilon,
            "noisy T": threshold + shift,
            "answers": asked,
        },
        numbers={
            "⊤ at query": rings,
            "its count": None if rings is None else values[rings - 1],
            "queries that reach T": reach,
            "noisy counts": values[:asked] + noise,
            "outside the picture": outside(limits, values[:asked] + noise),
        },
    )  # fmt: skip


def _told(rings, reach, values, threshold):
    """What became of one run: where the ⊤ came, and where it should have come."""
    first = reach[0] if len(reach) else None
    if rings is None:
        if first is None:
            return "Every answer is ⊥, and rightly: no count asked reaches T."
        return f"Every answer is ⊥, although query {first} reaches T: the noise hid it."
    if values[rings - 1] < threshold:
        short = compact(threshold - values[rings - 1])
        return f"The ⊤ comes at query {rings}, by mistake: its count is {short} below T."
    if first < rings:
        return f"The ⊤ comes at query {rings}; query {first} reaches T too, and was missed."
    return f"The ⊤ comes at query {rings}, the first count that reaches T."


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    num_queries=(lambda mechanism: shortest(nice(1, 10**12), mechanism), 1000),
    alpha=(nice(0.5, 5000.0), 40.0),
    seed=0,
    scenes={
        "The α that is enough": dict(alpha=37.72),
        "The α of the theorem": dict(alpha=84.8),
        "A million million queries": dict(num_queries=10**12, alpha=120.5),
    },
)
def failure_against_alpha(*, epsilon, num_queries, alpha, seed, mechanism=None):
    """Failure probability against alpha on the worst stream: promised, exact and measured."""
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    most = above_threshold_alpha(num_queries=num_queries, beta=1e-9, epsilon=epsilon)
    alphas = np.append(0.01 / epsilon, np.geomspace(most / 100, most, 60))
    curve = failure_curve(row, num_queries=num_queries, alpha=alphas)
    probes = np.interp(-np.log([0.7, 0.3, 0.05, 0.01]), -np.log(curve), alphas)
    probes = np.append(probes, alpha)
    run = mechanism and own(mechanism, threshold=0.0, epsilon=epsilon)
    failed = own_failures(run, row, num_queries=num_queries, alpha=probes, trials=TRIALS, seed=seed)
    measured = rates(probes, failed, TRIALS)
    bound = above_threshold_beta(num_queries=num_queries, alpha=alpha, epsilon=epsilon)
    real = above_threshold_failure(num_queries=num_queries, alpha=alpha, epsilon=epsilon)
    return picture(
        axes(
            line("Theorem 3.24", alphas,
                 above_threshold_beta(num_queries=num_queries, alpha=alphas, epsilon=epsilon),
                 THEOREM),
            line("exact", alphas, curve, EXACT),
            measured,
            here("α", alpha),
            x=log("error α", 0.4, 6500),
            y=log("probability of failure", 1e-9, 3),
            box=(0.111, 0.147, 0.883, 0.747),
        ),
        sentence=promised_and_true(bound, real),
        named={
            "promised at most": bound,
            "exact": real,
            "measured": [measured["low"][-1], measured["high"][-1]],
            f"α promised for β = {BETA}": above_threshold_alpha(
                num_queries=num_queries, beta=BETA, epsilon=epsilon
            ),
            "α that is enough": needed_alpha(row, num_queries=num_queries, beta=BETA),
        },
    )  # fmt: skip


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    threshold=(range(0, 3001, 50), 1800),
    alpha=(range(0, 2001, 25), 100),
    seed=0,
    scenes={
        "Far from every count": dict(threshold=1800),
        "Close to the fourth count": dict(threshold=1000),
        "Four counts in the gap": dict(threshold=850),
        "Where the theorem promises": dict(threshold=3000, alpha=500, epsilon=1.0),
    },
)
def failure_on_the_survey(*, epsilon, threshold, alpha, seed):
    """Which counts of a fixed stream lie in the gap T ± alpha, and how likely a wrong answer is."""
    k, values, grid = len(STREAM), health_values()[: len(STREAM)], np.linspace(0, 2000, 200)
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    *curve, wrong = above_threshold_wrong_probability(
        values, threshold=threshold, alpha=np.append(grid, alpha), epsilon=epsilon
    )
    *promised, bound = above_threshold_beta(
        num_queries=k, alpha=np.append(grid, alpha), epsilon=epsilon
    )
    errors = measured_errors(row, values, threshold=threshold, trials=TRIALS, seed=seed)
    probes = np.append(np.linspace(50, 1950, 11), alpha)
    seen = np.count_nonzero(errors[:, None] > probes, axis=0)
    shown = (seen > 0) | (np.arange(len(probes)) == len(probes) - 1)
    measured = rates(probes[shown], seen[shown], TRIALS)
    inside = np.count_nonzero(abs(values - threshold) <= alpha)
    early = np.flatnonzero(values[:-1] >= threshold - alpha) + 1
    can_be = (first_above_errors(values, threshold=threshold) > alpha).any()
    gap = f"{inside} of {k} counts lie within α of T, where either answer is right"
    often = (
        f"a wrong answer has probability {probability(wrong)}" if can_be else "none can be wrong"
    )
    return picture(
        axes(
            line("count", values, np.arange(k), VALUES | DOTS),
            band("T ± α", threshold - alpha, threshold + alpha, {"color": "orange", "alpha": 0.3}),
            upright("T", threshold, THRESHOLD),
            x=linear("count (rows)", 0, 3050),
            y=linear("query", k - 0.4, -0.6, ticks=range(0, k, 3), names=range(1, k + 1, 3)),
            box=(0.085, 0.13, 0.30, 0.75),
        ),
        axes(
            line("Theorem 3.24", grid, promised, THEOREM),
            line("exact", grid, curve, EXACT | {"drawstyle": "steps-post"}),
            measured,
            here("α", alpha),
            x=linear("error α", -25, 2030),
            y=log("probability of a wrong answer", 1e-6, 3),
            box=(0.525, 0.13, 0.445, 0.75),
        ),
        size=(7.2, 4.6),
        legend={"columns": 6, "size": 11},
        sentence=f"{gap}; {often}.",
        named={
            "exact": wrong if can_be else 0.0,
            "measured": [measured["low"][-1], measured["high"][-1]],
            "promised at most": bound,
            "first query that reaches T − α": early[0] if len(early) else "only the last",
        },
        numbers={"counts in the gap": inside, "queries before the last that reach T − α": early},
    )


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    num_queries=(nice(1, 10**12), 1000),
    beta=([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], 0.05),
    delta=([1e-12, 1e-9, 1e-6, 1e-3], 1e-6),
    guess=(nice(1, 10**6), 100),
    curves=(["Laplace alone", "all"], "Laplace alone"),
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(curves="all"),
        "One query": dict(num_queries=1, curves="all"),
        "A million million queries": dict(num_queries=10**12, curves="all"),
    },
)
def alpha_against_queries(*, epsilon, num_queries, beta, delta, guess, curves):
    """The error alpha needed for k queries: AboveThreshold against answering them all."""
    k = np.append(QUERIES, num_queries)
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    per_answer = advanced_per_run(runs=k, epsilon=epsilon, delta=delta)
    alphas = {
        "Laplace, basic": laplace_alpha(num_queries=k, beta=beta, epsilon=epsilon / k),
        "Laplace, advanced": laplace_alpha(num_queries=k, beta=beta, epsilon=per_answer),
        "Theorem 3.24": above_threshold_alpha(num_queries=k, beta=beta, epsilon=epsilon),
        "exact": needed_alpha(row, num_queries=k, beta=beta),
    }
    if curves == "Laplace alone":
        alphas |= dict.fromkeys(("Theorem 3.24", "exact"), np.full(len(k), np.nan))
    styles = (BASIC, ADVANCED, THEOREM, EXACT)
    now = {name: alpha[-1] for name, alpha in alphas.items()}
    drawn = [
        # the axis is logarithmic
        line(name, QUERIES, np.where(alpha > 0, alpha, np.nan)[:-1], style)
        for (name, alpha), style in zip(alphas.items(), styles, strict=True)
    ]
    dots = MEASURED | {"markersize": 7.75}
    return picture(
        axes(
            *drawn,
            here("k", num_queries),
            line("at k", [num_queries] * 4, list(now.values()), dots, label=None, see="k"),
            upright("guess", guess, YOURS),
            x=log("number of queries k", 0.7, 2e12, ticks=10.0 ** np.arange(0, 13, 2)),
            y=log("error α needed", 1, 1e9),
            box=(0.097, 0.147, 0.891, 0.747),
        ),
        legend={"columns": 5, "size": 10.5},
        sentence=_cheaper(now, guess),
        named={name: alpha for name, alpha in now.items() if not np.isnan(alpha)},
        numbers={
            "ε of an answer, advanced": per_answer[-1],
            "ε of an answer, basic": epsilon / num_queries,
        },
    )


def _cheaper(alphas, guess):
    """Which way needs the smaller error, and by how much; before the reveal, what is guessed."""
    best = min(alphas["Laplace, basic"], alphas["Laplace, advanced"])
    if np.isnan(alphas["exact"]):
        return f"Your guess: AboveThreshold needs a smaller error than Laplace noise from k = {compact(guess)} on."
    if best <= alphas["exact"]:
        return "For so few queries it is better to answer every one by the Laplace mechanism."
    if best <= alphas["Theorem 3.24"]:
        return (
            "AboveThreshold needs a smaller error than Laplace noise; its theorem cannot show it."
        )
    factor = about(best / alphas["Theorem 3.24"])
    return f"To answer every query would need an error {factor} times what AboveThreshold’s theorem asks."


@demo(
    epsilon=(nice(0.1, 10.0), 1.0),
    num_queries=(nice(1, 10**6), 1),
    threshold=(range(-10, 11), 0),
    seed=0,
    scenes={
        "A single query": dict(),
        "Six times ⊥ before it": dict(num_queries=7),
        "A higher threshold": dict(num_queries=91, threshold=10),
        "A million times ⊥": dict(num_queries=10**6),
    },
)
def loss_against_answers(*, epsilon, num_queries, threshold, seed):
    """The exact privacy loss of ⊥, …, ⊥, ⊤ on two neighbours, as a share of ε, up to this k."""
    k = np.append(LENGTHS, num_queries)
    curve = late_above_loss(num_queries=k, threshold=threshold, epsilon=epsilon)
    so_far, loss = np.append(LENGTHS < num_queries, True), curve[-1]
    probes, *measured = measured_late_losses(
        threshold=threshold, trials=TRIALS, epsilon=epsilon, seed=seed
    )
    probes, *measured = np.array([probes, *measured])[:, np.less_equal(probes, num_queries)]
    share = loss / epsilon
    lost = f"{share:.2%}" if share < 0.99995 else "all but a ten-thousandth"
    before = {1: "A ⊤ at once loses", 2: "A ⊥ and then a ⊤ lose"}.get(
        num_queries, f"{compact(num_queries - 1)} times ⊥ and then a ⊤ lose"
    )
    return picture(
        axes(
            level("promised", 1, THEOREM),
            line("exact", k[so_far], curve[so_far] / epsilon, EXACT),
            intervals("measured, 95%", probes, *np.divide(measured, epsilon)),
            line("at k", [num_queries], [share], EXACT | DOTS | {"marker": "D", "markersize": 10},
                 label=None, see="exact"),
            x=log("number of queries k (k − 1 times ⊥, then ⊤)", 0.8, 1.6e6),
            y=linear("privacy loss / ε", 0, 1.3),
            box=(0.092, 0.147, 0.903, 0.747),
        ),
        sentence=f"{before} {lost} of ε; however many ⊥ come, it is never more than ε.",
        named={"exact loss": loss, "share of ε": share, "promised at most": epsilon},
        numbers={"k measured": probes, "measured losses": measured[0]},
    )  # fmt: skip


LATE = np.array([0.0] * 23 + [12.0])  # in units of 1/ε: low values, then one at the threshold
MOVED = ["nothing", "T̂", "T̂ and νₖ"]


@demo(
    moved=(MOVED, "nothing"),
    num_queries=(range(2, len(LATE) + 1), 12),
    epsilon=(nice(0.5, 5.0), 2.0),
    seed=35,
    time="num_queries",
    scenes={
        "The same noise": dict(),
        "Move the threshold": dict(moved="T̂"),
        "Move the last noise too": dict(moved="T̂ and νₖ"),
        "Wait twice as long": dict(moved="T̂ and νₖ", num_queries=24),
    },
)
def coupling(*, moved, num_queries, epsilon, seed):
    """The proof of privacy: move two of the random numbers, and a neighbour gives the same answers."""
    threshold, every = (
        12 / epsilon,
        late_noise(LATE, threshold=12.0, epsilon=1.0, seed=seed) / epsilon,
    )
    here = np.append(LATE[: num_queries - 1], LATE[-1]) / epsilon
    there = here + np.where(np.arange(num_queries) < num_queries - 1, 1.0, -1.0)
    noise = np.append(every[:num_queries], every[-1])
    proof, shifted = coupled_noise(here, there, noise), noise.copy()
    places = {"nothing": [], "T̂": [0], "T̂ and νₖ": [0, -1]}[moved]
    shifted[places] = proof[places]
    bound = [0.5 if place in places else 0.0 for place in (0, -1)]
    price = coupling_price(noise, shifted, epsilon=epsilon)
    frames = [
        _coupled("D", here, noise, noise, threshold, VALUES, (0.105, 0.545, 0.885, 0.335)),
        _coupled("D′", there, shifted, noise, threshold, NEIGHBOUR, (0.105, 0.165, 0.885, 0.335)),
    ]
    answers = _answers(there, shifted, threshold)
    same = answers == _answers(here, noise, threshold)
    return picture(
        *frames,
        budget_meter(np.multiply(2, bound), f"price: {_halves(len(places))}",
                     box=(0.62, 0.012, 0.37, 0.035)),
        size=(7.2, 5.2),
        legend={"columns": 6, "size": 11},
        sentence=_coupling_told(len(places), same, answers, num_queries),
        named={
            "T̂ moves by": shifted[0] - noise[0],
            "νₖ moves by": shifted[-1] - noise[-1],
            "price at most": epsilon * sum(bound),
            "price with this noise": sum(price),
        },
        numbers={
            "same answers": same,
            "answers on D′": answers,
            "noise on D": noise,
            "noise on D′": shifted,
        },
    )  # fmt: skip


def _coupled(name, values, noise, before, threshold, style, box):
    """One database: values, noisy values, the noisy threshold, and the answers along the top."""
    queries, limits = np.arange(1, len(values) + 1), (-threshold, 2.5 * threshold)
    answers = _answers(values, noise, threshold)
    differs = [i + 1 for i, each in enumerate(answers) if (each == "⊤") != (i + 1 == len(values))]
    last, top = name == "D′", 0.88 * limits[1]
    ring = {"color": "vermilion", "marker": "o", "markersize": 19, "fillstyle": "none"}
    return axes(
        line(f"{name}: values", queries, values, style | DOTS, label=f"on {name}"),
        line(f"{name}: noisy values", queries, values + noise[1:], MEASURED, label="with noise"),
        level("T̂ on D", threshold + before[0]) if last else None,
        level(f"{name}: T̂", threshold + noise[0], THRESHOLD, label="T̂"),
        line("differs", differs, [top] * len(differs), ring | DOTS) if last else None,
        text(f"{name}: answers", list(range(1, len(answers) + 1)), [top] * len(answers),
             list(answers), color="ink", ha="center", size=14),
        x=linear("query" * last, 0.3, len(LATE) + 0.7, ticks=range(2, len(LATE) + 1, 2) if last else []),
        y=linear(name, *limits),
        box=box,
    )  # fmt: skip


def _answers(values, noise, threshold):
    """What a run with this noise says, up to its ⊤."""
    above = values + noise[1:] >= threshold + noise[0]
    return "⊥" * above.argmax() + "⊤" if above.any() else "⊥" * len(above)


def _halves(moved):
    return ["nothing moved", "ε/2 for T̂", "ε/2 for T̂, ε/2 for νₖ"][moved]


def _coupling_told(moved, same, answers, num_queries):
    """Whether the neighbour gives the same answers, and what it cost."""
    price = ["for nothing", "for ε/2", "for ε/2 + ε/2, however many queries there are"][moved]
    if same:
        lucky = "" if moved == 2 else "; this noise is lucky"
        return f"D′ gives the same answers as D, {price}{lucky}."
    if "⊤" not in answers:
        return f"All {num_queries - 1} ⊥ stay, but the last answer is ⊥ as well: its ⊤ is lost."
    return (
        f"D′ rings already at query {len(answers)}: the same noise does not give the same answers."
    )
