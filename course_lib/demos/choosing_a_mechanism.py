"""The pictures of notebook 10: three tasks, the baselines, and who wins where."""

import numpy as np

from course_lib.demos.picture import (
    ADVANCED, BASIC, DOTS, EXACT, MEASURED, THEOREM, YOURS, axes, demo, here, intervals, level,
    line, log, nice, picture, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact, listed
from course_lib.exact.choosing_a_mechanism import (
    ALARM, COLUMNS, DASHBOARD, ahead_from, alarm_promises, column_bytes, dashboard_promises,
)  # fmt: skip
from course_lib.exact.composition import exact_per_run
from course_lib.exact.family import member
from course_lib.exact.small_db import Promises
from course_lib.exact.worst_stream import needed_alpha
from course_lib.lab.choosing_a_mechanism import (
    CLASSES, MOST_ATTRIBUTES, column_errors, errors_by_order, errors_so_far, guess_errors,
    marginals_up_to, online_ic_errors, predicate_errors,
)  # fmt: skip
from course_lib.lab.confidence import quantile_interval
from course_lib.lab.small_db import workload_levels
from course_lib.linear_queries import histogram_alpha
from course_lib.numeric_sparse import sparse_alpha
from course_lib.online_ic import online_ic_alpha
from course_lib.toolbox import laplace_alpha

ROWS, DELTA, BETA = 20_190, 1e-6, 0.05
HALF = 0.5  # of the runs: a typical largest error is its median
TYPICAL = "typical largest error"
ASKED = [*range(1, 9), 10, 12, 15, 20, 25, 30, 36, 45, 60, 80, 92, 120, 162, 218, 255]
MARKS, MARKS_C = [1, 8, 36, 255], [1, 10, 50, 255]
GUESS = {"color": "0.45", "linestyle": ":", "linewidth": 2}
TABLE = MEASURED | {"linestyle": "-", "linewidth": 1, "markersize": 5}
NOT_RUN = "bound, not run"
ONLINE = THEOREM | {"color": "orange"}


@demo(
    asked=(ASKED, 1),
    epsilon=(nice(0.05, 5.0), 1.0),
    time="asked",
    scenes={
        "One question": dict(),
        "Eight shares": dict(asked=8),
        "All pairs too": dict(asked=36),
        "Every combination": dict(asked=255),
    },
)
def thinning(*, asked, epsilon):
    """One budget for ever more questions: noise on each answer, or once on the table of counts."""
    done = np.array([k for k in ASKED if k <= asked])
    each = exact_per_run(runs=ASKED, epsilon=epsilon, delta=DELTA)[: len(done)]
    basic, exact = (
        laplace_alpha(num_queries=done, beta=HALF, epsilon=share) / ROWS
        for share in (epsilon / done, each)
    )
    noisy = quantile_interval(errors_so_far()[done - 1], beta=HALF) / (epsilon * ROWS)
    table, best = noisy[0, -1], min(basic[-1], exact[-1])
    return picture(
        axes(
            level("a guess", guess_errors()[:asked].max(), GUESS),
            line("noise on each answer", done, basic, BASIC | {"marker": "^"}),
            line("the same, exact composition", done, exact, ADVANCED | {"marker": "s"}),
            intervals("noise on the table, 95%", done, *noisy, TABLE),
            x=log("questions answered", 0.9, 300, ticks=MARKS, names=MARKS, only=True),
            y=log(TYPICAL, 3e-6, 3, ticks=10.0 ** np.arange(-5, 1)),
            box=(0.118, 0.15, 0.872, 0.68),
        ),
        size=(7.2, 4.0),
        legend={"columns": 2, "size": 11},
        sentence=_thinned(asked, table, best),
        named={
            "noise on each answer": basic[-1],
            "the same, exact composition": exact[-1],
            "noise on the table": table,
            "a guess": guess_errors()[:asked].max(),
        },
        numbers={"questions": asked, "noise on the table, 95%": noisy[1:, -1]},
    )


def _thinned(asked, table, best):
    questions = "one question" if asked == 1 else f"{asked} questions"
    if best < table:
        return f"With {questions}, noise on each answer is {_times(table / best)} better than noise on the table."
    return f"With {questions}, noise on the table is {_times(best / table)} better than on each answer."


def _times(factor):
    return f"{about(factor)} times" if factor >= 1.05 else "hardly"


GRIDS = [0.35, 0.4, 0.5, 0.6, 0.7]
SEVEN = "7 marginals"
POWERS = np.geomspace(1e-4, 5, 200)


@demo(
    epsilon=(nice(0.0001, 5.0), 1.0),
    alpha=(GRIDS, 0.35),
    scenes={
        "The year’s budget": dict(),
        "A hundredth of it": dict(epsilon=0.01),
        "A ten-thousandth of it": dict(epsilon=0.0001),
        "A coarser database": dict(alpha=0.5),
    },
)
def small_db_where_it_runs(*, epsilon, alpha):
    """SmallDB on eight kinds of rows, where all of R can be listed, and both baselines."""
    levels, everything = workload_levels(SEVEN, alpha=alpha), np.append(POWERS, epsilon)
    small = levels.error(n=ROWS, beta=HALF, epsilon=everything)
    basic = laplace_alpha(num_queries=7, beta=HALF, epsilon=everything / 7) / ROWS
    noisy = quantile_interval(errors_by_order(3)[-1], beta=HALF) / ROWS
    table, guess, where = noisy[0] / epsilon, guess_errors(3).max(), POWERS[::8]
    found = {
        "SmallDB": small[-1],
        "answers": basic[-1],
        "table": table,
        "guess": guess,
    }
    return picture(
        axes(
            level("a guess", guess, GUESS),
            line("SmallDB, exact", POWERS, small[:-1], EXACT | {"drawstyle": "steps-post"}),
            line("noise on each answer", POWERS, basic[:-1], BASIC),
            intervals("noise on the table, 95%", where, *(noisy[:, None] / where), TABLE),
            here("ε", epsilon),
            x=log("ε, for 20,190 rows", 8e-5, 8),
            y=log(TYPICAL, 3e-5, 3),
            box=(0.118, 0.15, 0.872, 0.68),
        ),
        size=(7.2, 4.0),
        legend={"columns": 2, "size": 11},
        sentence=_order(found, epsilon),
        named={
            "SmallDB": small[-1],
            "noise on each answer": basic[-1],
            "noise on the table": table,
            "a guess": guess,
            "the best of its databases": levels.errors[0],
        },
    )


def _order(found, epsilon):
    words = {"SmallDB": "SmallDB", "answers": "noise on each answer", "table": "noise on the table"}
    words["guess"] = "the guess"
    ranked = sorted(found, key=found.get)
    return f"At ε = {compact(epsilon)}, best first: {', '.join(words[name] for name in ranked)}."


CUTOFFS = [1, 2, 5, 10, 20, 30, 50, 70, 100, 150, 200, 255]


@demo(
    cutoff=(CUTOFFS, 50),
    alpha=([0.02, 0.03, 0.04, 0.05, 0.07, 0.1], 0.04),
    scenes={
        "Fifty updates": dict(),
        "Ten updates": dict(cutoff=10),
        "Two hundred updates": dict(cutoff=200),
        "Few and large updates": dict(cutoff=10, alpha=0.1),
    },
)
def online_ic_by_cutoff(*, cutoff, alpha):
    """OnlineIC on 255 marginals, up to this cutoff, which no theorem sets, and the baselines."""
    so_far = [c for c in CUTOFFS if c < cutoff] + [cutoff]
    runs = np.array([online_ic_errors(cutoff=c, alpha=alpha) for c in so_far])
    found = quantile_interval(runs, beta=HALF)
    given = {"n": ROWS, "universe_size": 256, "num_queries": 255, "beta": BETA, "epsilon": 1.0}
    its_alpha = online_ic_alpha(**given)
    as_set = quantile_interval(online_ic_errors(cutoff=None, alpha=its_alpha), beta=HALF)[0]
    basic = laplace_alpha(num_queries=255, beta=HALF, epsilon=1 / 255) / ROWS
    table = quantile_interval(errors_so_far()[-1], beta=HALF)[0] / ROWS
    here_is = found[0, -1]
    guess = guess_errors().max()
    behind = "ahead of" if here_is < basic else "behind"
    return picture(
        axes(
            level("a guess, and OnlineIC as its theorem sets it", guess, GUESS),
            intervals("OnlineIC, nothing promised, 95%", so_far, *found,
                      {"color": "blue", "linestyle": "-", "marker": "D"}),
            level("noise on each answer", basic, BASIC),
            level("noise on the table", table, {"color": "ink", "linewidth": 1}),
            here("c", cutoff),
            x=log("cutoff c: the updates that are paid for", 0.9, 300, ticks=MARKS_C, names=MARKS_C,
                  only=True),
            y=log(TYPICAL, 1e-3, 1.2),
            box=(0.118, 0.15, 0.872, 0.68),
        ),
        size=(7.2, 4.0),
        legend={"columns": 2, "size": 10.5},
        sentence=f"With {compact(cutoff)} update{'s' * (cutoff > 1)} OnlineIC is typically off by "
        f"{about(here_is)}: {behind} noise on each answer.",
        named={
            "OnlineIC": here_is,
            "as its theorem sets it": as_set,
            "noise on each answer": basic,
            "noise on the table": table,
            "a guess": guess,
            "promised by the theorem": 3 * its_alpha,
        },
        numbers={"95%": found[1:, -1], "α of the theorem": its_alpha},
    )  # fmt: skip


ATTRIBUTES = [8, 10, 12, 14, 16, 18, 24, 30, 40, 60]
MANY = np.geomspace(2, 1e6, 60).round()


@demo(
    attributes=(ATTRIBUTES, 18),
    n=([2_000, 5_000, 20_190, 50_000, 10**5, 10**6, 10**7, 10**8], 20_190),
    epsilon=([0.1, 0.2, 0.5, 1.0, 2.0, 5.0], 1.0),
    guess=(nice(10, 10**5), 100),
    curves=(["answers alone", "all"], "answers alone"),
    scenes={
        "Draw your guess": dict(),
        "Reveal: eighteen attributes": dict(curves="all"),
        "Our eight attributes": dict(attributes=8, curves="all"),
        "Forty, a million rows": dict(attributes=40, n=10**6, curves="all"),
    },
)
def bigger_universe(*, attributes, n, epsilon, guess, curves):
    """Many marginals of ever more attributes: what was run, and bounds that no laptop can run."""
    size, rate = 2**attributes, epsilon * n
    many = np.append(MANY[MANY < size - 1], min(MANY[-1], size - 1))  # that many marginals exist
    share = exact_per_run(runs=many, epsilon=epsilon, delta=DELTA)
    answers = laplace_alpha(num_queries=many, beta=HALF, epsilon=share) / n
    asked = {"universe_size": size, "beta": HALF, "epsilon": epsilon}
    promises = Promises(**asked, delta=DELTA).small_db(n=n, num_queries=many)
    online = 3 * np.min(
        [online_ic_alpha(n=n, num_queries=many, delta=delta, **asked) for delta in (0.0, DELTA)],
        axis=0,
    )
    table_bound = histogram_alpha(n=n, num_queries=many, **asked)
    run = attributes <= MOST_ATTRIBUTES
    if run:
        places = marginals_up_to(attributes)
        noisy = quantile_interval(errors_by_order(attributes), beta=HALF) / rate
        seen = places <= many[-1]
        table = np.interp(np.log(many), np.log(places), noisy[0])
    else:
        places, noisy, seen, table = np.empty(0), np.empty((3, 0)), slice(None), table_bound
    since = ahead_from(many, answers / table)
    best = min(answers[-1], table[-1], promises[-1], online[-1])
    sentence, shown = _since(attributes, since, run), 1.0
    named = {
        "the table is ahead from": since,
        "marginals at the right end": many[-1],
        "answers there": answers[-1],
        "table there": table[-1],
        "SmallDB’s bound there": promises[-1],
        "OnlineIC’s bound there": online[-1],
    }
    numbers = {"the table was run": run, "smallest there": best,
               "table, by order": noisy[0], "marginals, by order": places}  # fmt: skip
    if curves == "answers alone":
        sentence, shown, seen = _guessed(attributes, guess), np.nan, slice(0)
        named = {name: named[name] for name in ("marginals at the right end", "answers there")}
        numbers = {}
    return picture(
        axes(
            level("½ for each", 0.5, GUESS),
            line("noise on each answer, exact composition", many, answers, ADVANCED),
            intervals("noise on the table, 95%", places[seen], *noisy[:, seen], TABLE),
            line(f"noise on the table: {NOT_RUN}", many, shown * table_bound,
                 {"color": "ink", "linestyle": "--", "linewidth": 1}),
            line(f"SmallDB: {NOT_RUN}", many, shown * promises, THEOREM),
            line(f"OnlineIC: {NOT_RUN}", many, shown * online, ONLINE),
            upright("guess", guess, YOURS, word="your guess"),
            x=log("marginals asked for, the shortest first", 1.6, 1.8e6),
            y=log(TYPICAL, 1e-4, 30),
            box=(0.118, 0.15, 0.872, 0.625),
        ),
        size=(7.2, 4.3),
        legend={"columns": 2, "size": 10.5},
        sentence=sentence,
        named=named,
        numbers=numbers,
    )  # fmt: skip


def _guessed(attributes, guess):
    kinds = f"with {compact(2**attributes)} kinds of rows"
    return f"Your guess: {kinds} noise on the table is ahead from {compact(guess)} marginals on."


def _since(attributes, since, run):
    kinds = f"With {compact(2**attributes)} kinds of rows"
    how = "runs" if run else "bounds"
    if since is None:
        return f"{kinds} noise on each answer stays ahead of noise on the table, by our {how}."
    return (
        f"{kinds} noise on the table is ahead from about {about(since)} marginals on, by our {how}."
    )


STREAM = np.geomspace(10, 1e6, 41).round()


@demo(
    universe_size=([4, 16, 64, 256, 1024], 256),
    cutoff=([1, 2, 3, 5, 10, 20, 50, 100], 1),
    epsilon=(nice(0.1, 5.0), 1.0),
    scenes={
        "One alarm": dict(),
        "A small universe": dict(universe_size=64),
        "Ten alarms": dict(cutoff=10),
        "A large universe": dict(universe_size=1024),
    },
)
def an_alarm(*, universe_size, cutoff, epsilon):
    """An alarm on a stream of counts: what it needs and promises, and answering every question.

    Alarms and answers share the budget alike, by exact composition with the same delta.
    """
    given = {"beta": BETA, "epsilon": epsilon}
    each = exact_per_run(runs=cutoff, epsilon=epsilon, delta=DELTA)
    row = member("sparse", cutoff=cutoff, epsilon=float(cutoff * each))
    asked = np.append(STREAM, 1000)
    share = exact_per_run(runs=asked, epsilon=epsilon, delta=DELTA)[asked >= cutoff]
    asked = asked[asked >= cutoff]
    stream = asked[:-1]
    needed = needed_alpha(row, num_queries=asked, beta=BETA)
    promised = sparse_alpha(num_queries=asked, cutoff=cutoff, **given)
    answers = laplace_alpha(num_queries=asked, beta=BETA, epsilon=share)
    table = quantile_interval(predicate_errors(universe_size), beta=BETA) / epsilon
    table_first = table[0, -1] < needed[-1]
    return picture(
        axes(
            line("Theorem 3.26", stream, promised[:-1], THEOREM),
            line("the alarm, exact", stream, needed[:-1], EXACT),
            line("noise on each answer, exact composition", stream, answers[:-1], ADVANCED),
            intervals("noise on the table, 95%", [10, 100, 1000], *table, TABLE),
            level("half of the rows, a guess", ROWS / 2, GUESS),
            x=log("questions in the stream", 8, 1.6e6),
            y=log("error, except with probability 0.05", 0.5, 1e7),
            box=(0.118, 0.15, 0.872, 0.625),
        ),
        size=(7.2, 4.2),
        legend={"columns": 2, "size": 10.5},
        sentence=f"For 1,000 questions the alarm needs {about(needed[-1])} rows, noise on "
        f"{compact(universe_size)} counts {about(table[0, -1])}: "
        + ("the table is better." if table_first else "the alarm is better."),
        named={
            "the alarm needs": needed[-1],
            "the alarm promises": promised[-1],
            "noise on each answer": answers[-1],
            "noise on the table": table[0, -1],
            "a guess": ROWS / 2,
        },
        numbers={"questions": 1000, "table, 95%": table[1:, -1]},
    )


RELEASES = {
    "guess": {"color": "0.45", "marker": "x"},
    "dense noise": {"color": "green", "marker": "^"},
    "Threshold": {"color": "orange", "marker": "s"},
    "ALP": {"color": "blue", "marker": "o"},
    "Threshold-ALP": {"color": "purple", "marker": "D"},
}


@demo(
    codes=([5, 6, 7], 7),
    kind=(list(CLASSES), "all"),
    epsilon=([0.5, 1.0, 2.0], 1.0),
    seed=0,
    scenes={
        "All profiles": dict(),
        "The rare ones": dict(kind="1 to 4"),
        "Those in between": dict(kind="5 to 19"),
        "The common ones": dict(kind="20 or more"),
        "A vector that fits": dict(codes=5),
    },
)
def columns(*, codes, kind, epsilon, seed):
    """Bytes and errors of five ways to publish the counts of all profiles of the survey."""
    found = {
        name: column_errors(name, codes=codes, kind=kind, epsilon=epsilon, seed=seed)
        for name in RELEASES
    }
    errors = {name: off.mean() for name, (off, _) in found.items()}
    size = {name: max(taken, 1) for name, (_, taken) in found.items()}
    fits = size["dense noise"] <= 10**9
    small = min((name for name in RELEASES if name != "dense noise"), key=errors.get)
    dense = "dense noise" if fits else f"dense noise: {NOT_RUN}"
    return picture(
        axes(
            *(
                line(dense if name == "dense noise" else name, [size[name]], [errors[name]],
                     style | DOTS | {"markersize": 11} | ({} if fits or name != "dense noise" else
                     {"markerfacecolor": "none"}))
                for name, style in RELEASES.items()
            ),
            x=log("bytes of the release (a guess: none)", 0.4, 1e13, ticks=10.0 ** np.arange(0, 13, 3)),
            y=log("mean error of a count that occurs", 0.3, 300),
            box=(0.118, 0.15, 0.872, 0.68),
        ),
        size=(7.2, 4.0),
        legend={"columns": 3, "size": 11},
        sentence=_released(kind, small, errors[small], fits),
        named={name: errors[name] for name in RELEASES}
        | {"bytes, dense noise": found["dense noise"][1]},
        numbers={f"bytes, {name}": found[name][1] for name in RELEASES if name != "dense noise"}
        | {"counts looked up": len(found["guess"][0]), "best without dense noise": small},
    )  # fmt: skip


def _released(kind, small, error, fits):
    which = "all counts of the support" if kind == "all" else f"counts of {kind}"
    small = "the guess of 0" if small == "guess" else small
    first = "Dense noise fits; without it," if fits else "Dense noise does not fit;"
    return f"{first} for {which}, {small} is best, off by {about(error)} on average."


SIGNS = {
    "noise on each answer": {"color": "green", "marker": "^"},
    "noise on the table": {"color": "ink", "marker": "o"},
    "SmallDB": {"color": "vermilion", "marker": "s"},
    "OnlineIC": {"color": "orange", "marker": "D"},
    "the alarm": {"color": "blue", "marker": "s"},
    "dense noise": {"color": "green", "marker": "^"},
    "ALP": {"color": "blue", "marker": "o"},
    "Threshold": {"color": "orange", "marker": "s"},
    "a guess": {"color": "0.45", "marker": "x"},
}


def _map(names, winners, x, y, *, across, up, title="smallest promise: from bounds, not from runs"):
    """A map of dots: at each place the sign of who wins."""
    places = np.meshgrid(x, y)
    shown = [
        line(name, *(each[winners == i] for each in places), SIGNS[name] | DOTS | {"markersize": 5})
        for i, name in enumerate(names)
    ]
    share = {name: float(np.mean(winners == i)) for i, name in enumerate(names)}
    return picture(
        axes(*shown, x=across, y=up, box=(0.108, 0.15, 0.88, 0.63),
             title=title),
        size=(7.2, 4.3),
        legend={"columns": 3, "size": 11},
        sentence=_wins(share),
        named={f"{name}, share of the map": share[name] for name in names},
        numbers={"winners": winners.tolist()},
    )  # fmt: skip


def _wins(share):
    """Who wins at some place of a map, and who at none."""
    first, rest = [name for name in share if share[name]], [n for n in share if not share[n]]
    return f"Wins somewhere: {listed(first)}" + (f"; nowhere: {listed(rest)}." if rest else ".")


QUESTIONS = np.geomspace(2, 1e12, 36).round()
KINDS = 2.0 ** np.arange(3, 61, 3)  # of rows


@demo(
    n=([10**k for k in range(2, 10)], 10**4),
    epsilon=(nice(0.05, 5.0), 1.0),
    scenes={
        "Ten thousand rows": dict(),
        "A million rows": dict(n=10**6),
        "A hundred rows": dict(n=100),
        "A billion rows": dict(n=10**9),
    },
)
def who_wins_the_dashboard(*, n, epsilon):
    """Which mechanism promises the smallest error on k shares, against k and |X|."""
    promises = dashboard_promises(
        n=n, universe_size=KINDS[:, None], num_queries=QUESTIONS, beta=BETA, epsilon=epsilon,
        delta=DELTA,
    )  # fmt: skip
    return _map(
        DASHBOARD, promises.argmin(axis=0), QUESTIONS, KINDS, across=log("questions k", 1.3, 2e12),
        up=log("kinds of rows |X|", 3, 5e18, ticks=2.0 ** np.arange(10, 61, 10),
               names=["2¹⁰", "2²⁰", "2³⁰", "2⁴⁰", "2⁵⁰", "2⁶⁰"], only=True),
    )  # fmt: skip


ALARMS = np.unique(np.geomspace(1, 1000, 24).round())


@demo(
    universe_size=([2**d for d in (2, 4, 6, 8, 10, 12, 16, 20, 30)], 256),
    n=([10**k for k in range(2, 7)], 10**4),
    epsilon=(nice(0.05, 5.0), 1.0),
    scenes={
        "256 kinds of rows": dict(),
        "A large universe": dict(universe_size=2**20),
        "A tiny universe": dict(universe_size=16),
        "A hundred rows": dict(n=100),
    },
)
def who_wins_the_alarm(*, universe_size, n, epsilon):
    """Which mechanism promises the smallest error on a stream of k questions with c alarms."""
    promises = alarm_promises(
        n=n, universe_size=universe_size, num_queries=QUESTIONS, cutoff=ALARMS[:, None], beta=BETA,
        epsilon=epsilon, delta=DELTA,
    )  # fmt: skip
    promises = np.where(ALARMS[:, None] > QUESTIONS, np.inf, promises)
    winners = np.where(np.isinf(promises[0]), -1, promises.argmin(axis=0))
    return _map(
        ALARM, winners, QUESTIONS, ALARMS, across=log("questions k", 1.3, 2e12),
        up=log("alarms c", 0.8, 1300),
    )  # fmt: skip


SUPPORT = np.geomspace(1, 1e10, 31).round()
DIMENSIONS = np.geomspace(100, 1e18, 33).round()


@demo(
    memory=([10**6, 10**8, 10**9, 10**10], 10**9),
    epsilon=([0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0], 1.0),
    cap=([10, 100, 1000, 10_000], 100),
    scenes={
        "A gigabyte": dict(),
        "A megabyte": dict(memory=10**6),
        "A high cap": dict(cap=10_000),
        "A small budget": dict(epsilon=0.05),
    },
)
def who_wins_the_columns(*, memory, epsilon, cap):
    """Of the releases that fit, the first: dense noise, then ALP, then Threshold, then nothing."""
    sizes = column_bytes(
        dimension=DIMENSIONS[:, None], support=SUPPORT, cap=cap, alpha=3.0, epsilon=epsilon
    )
    winners = np.argmax(sizes <= memory, axis=0)
    winners = np.where(SUPPORT > DIMENSIONS[:, None], -1, winners)
    return _map(
        COLUMNS, winners, SUPPORT, DIMENSIONS, across=log("counts that are not 0", 0.7, 2e10),
        up=log("columns d", 40, 3e18), title="first that fits: from bounds, not from runs",
    )  # fmt: skip
