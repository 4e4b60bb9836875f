"""The pictures of notebook 01: one run, how often it fails, what an answer costs."""

import numpy as np

from course_lib.above_threshold import above_threshold_alpha, above_threshold_beta
from course_lib.demos.picture import (
    ADVANCED,
    BASIC,
    DOTS,
    EXACT,
    MEASURED,
    THEOREM,
    THRESHOLD,
    VALUES,
    axes,
    band,
    demo,
    here,
    intervals,
    level,
    line,
    linear,
    log,
    nice,
    picture,
    rates,
    upright,
)
from course_lib.demos.picture import explore as explore
from course_lib.demos.stream import outside, query_axis, stream_layers
from course_lib.demos.words import about, compact, probability, promised_and_true
from course_lib.exact.above_threshold import (
    above_threshold_failure,
    above_threshold_wrong_probability,
    first_above_errors,
    late_above_loss,
)
from course_lib.exact.family import member
from course_lib.exact.worst_stream import failure_curve, needed_alpha
from course_lib.lab.above_threshold import measured_late_losses
from course_lib.lab.data import health_queries, health_values, load_survey
from course_lib.lab.own_mechanism import own_failures, recorded_run, shortest
from course_lib.lab.trials import measured_errors
from course_lib.support.answers import ABOVE
from course_lib.toolbox import advanced_per_run, laplace_alpha

STREAM = health_queries()[:16]
BETA = 0.05
TRIALS = 5_000
QUERIES = np.unique(np.logspace(0, 12, 25).round())
LENGTHS = np.array([*range(1, 13), 15, 20, 30, 50, 100, 200, 300, 500, 1_000, 10_000, 1_000_000])


@demo(
    epsilon=(nice(0.01, 1.0), 0.05),
    threshold=(range(0, 3001, 50), 1800),
    num_queries=(range(1, len(STREAM) + 1), len(STREAM)),
    seed=11,
    time="num_queries",
    scenes={
        "Enough privacy budget": dict(),
        "Ten times less": dict(epsilon=0.01, seed=3),
        "An alarm that stays silent": dict(threshold=2600),
    },
)
def one_run(*, epsilon, threshold, num_queries, seed, mechanism=None):
    """One run of AboveThreshold on the survey: counts, noisy counts, noisy threshold, answers."""
    answers, draws = recorded_run(
        mechanism or "above_threshold",
        load_survey(),
        STREAM[:num_queries],
        seed=seed,
        threshold=threshold,
        epsilon=epsilon,
    )
    asked, values, limits = len(answers), health_values()[:num_queries], (-700, 3900)
    # of a mechanism that draws in another way we know the answers alone
    shift, *noise = draws if len(draws) == asked + 1 else [np.nan] * (asked + 1)
    above = [answer is ABOVE for answer in answers]
    layers = stream_layers(
        values,
        noise,
        threshold,
        [str(answer) for answer in answers],
        above,
        kind="count",
        edge=3850,
        sizes=(20, 13),
        queries=num_queries,
    )
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
    )


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
        "The α that is enough": dict(alpha=37.7),
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

    def run(queries, rng):
        return mechanism(None, queries, threshold=0.0, epsilon=epsilon, rng=rng)

    failed = own_failures(
        mechanism and run, row, num_queries=num_queries, alpha=probes, trials=TRIALS, seed=seed
    )
    measured = rates(probes, failed, TRIALS)
    bound = above_threshold_beta(num_queries=num_queries, alpha=alpha, epsilon=epsilon)
    real = above_threshold_failure(num_queries=num_queries, alpha=alpha, epsilon=epsilon)
    return picture(
        axes(
            line(
                "Theorem 3.24",
                alphas,
                above_threshold_beta(num_queries=num_queries, alpha=alphas, epsilon=epsilon),
                THEOREM,
            ),
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
    )


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
    scenes={
        "One query": dict(num_queries=1),
        "A thousand queries": dict(num_queries=1000),
        "A million million queries": dict(num_queries=10**12),
    },
)
def alpha_against_queries(*, epsilon, num_queries, beta, delta):
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
    styles = (BASIC, ADVANCED, THEOREM, EXACT)
    now = {name: alpha[-1] for name, alpha in alphas.items()}
    curves = [
        # the axis is logarithmic
        line(name, QUERIES, np.where(alpha > 0, alpha, np.nan)[:-1], style)
        for (name, alpha), style in zip(alphas.items(), styles, strict=True)
    ]
    dots = MEASURED | {"markersize": 7.75}
    return picture(
        axes(
            *curves,
            here("k", num_queries),
            line("at k", [num_queries] * 4, list(now.values()), dots, label=None, see="k"),
            x=log("number of queries k", 0.7, 2e12, ticks=10.0 ** np.arange(0, 13, 2)),
            y=log("error α needed", 1, 1e9),
            box=(0.097, 0.147, 0.891, 0.747),
        ),
        sentence=_cheaper(now),
        named=now,
        numbers={
            "ε of an answer, advanced": per_answer[-1],
            "ε of an answer, basic": epsilon / num_queries,
        },
    )


def _cheaper(alphas):
    """Which way needs the smaller error, and by how much."""
    best = min(alphas["Laplace, basic"], alphas["Laplace, advanced"])
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
    """The exact privacy loss of ⊥, …, ⊥, ⊤ on two neighbouring streams, as a share of ε."""
    *curve, loss = late_above_loss(
        num_queries=[*LENGTHS, num_queries], threshold=threshold, epsilon=epsilon
    )
    probes, *measured = measured_late_losses(
        threshold=threshold, trials=TRIALS, epsilon=epsilon, seed=seed
    )
    share = loss / epsilon
    lost = f"{share:.2%}" if share < 0.99995 else "all but a ten-thousandth"
    before = {1: "A ⊤ at once loses", 2: "A ⊥ and then a ⊤ lose"}.get(
        num_queries, f"{compact(num_queries - 1)} times ⊥ and then a ⊤ lose"
    )
    return picture(
        axes(
            level("promised", 1, THEOREM),
            line("exact", LENGTHS, np.divide(curve, epsilon), EXACT),
            intervals("measured, 95%", probes, *np.divide(measured, epsilon)),
            line(
                "at k",
                [num_queries],
                [share],
                EXACT | DOTS | {"marker": "D", "markersize": 10},
                label=None,
                see="exact",
            ),
            x=log("number of queries k (k − 1 times ⊥, then ⊤)", 0.8, 1.6e6),
            y=linear("privacy loss / ε", 0, 1.3),
            box=(0.092, 0.147, 0.903, 0.747),
        ),
        sentence=f"{before} {lost} of ε; however many ⊥ come, it is never more than ε.",
        named={"exact loss": loss, "share of ε": share, "promised at most": epsilon},
        numbers={"k measured": probes, "measured losses": measured[0]},
    )
