"""The pictures of notebook 04: attacks, what is lost, audits, the table, the repair, last bits."""

import re

import numpy as np

from course_lib.demos.picture import (
    BASIC, DOTS, EXACT, INTERVAL, MEASURED, NEIGHBOUR, NO_USE, THEOREM, THRESHOLD, VALUES, YOURS,
    area, axes, band, bars, demo, here, intervals, level, line, linear, log, nice, picture, rates,
    text, upright,
)  # fmt: skip
from course_lib.demos.picture import explore as explore
from course_lib.demos.words import about, compact, listed, percent, raised
from course_lib.exact.family import ROWS, member, privacy_loss
from course_lib.exact.is_it_private import (
    DELTAS, SHARES, alpha_of_shares, attack_probabilities, chance_after, chance_allowed,
    delta_taken, event_probabilities, half_noise, happened_by, late_loss, least_variance_share,
    log_delta_taken_at_least, printed_loss, refuted_range, repair_alphas, repaired_chance,
    repaired_loss,
)  # fmt: skip
from course_lib.lab.confidence import clopper_pearson, log_ratio_interval
from course_lib.lab.is_it_private import (
    AUDIT_RUNS, AUDITED_BELOW, MEASURABLE, MOST_BELOW, RUNS, announcements, audited,
    first_announcements, measured_losses, multiples, noisy_counts, on_lattice, published_losses,
)  # fmt: skip
from course_lib.lecture11_sparse import lecture11_alpha, repaired_alpha

REPAIRED = {"color": "purple", "linestyle": [0, [5, 1.5, 1, 1.5]]}
MONOTONE = {"color": "sky", "linestyle": [0, [3, 1]]}
BEYOND = {"color": "vermilion", "linestyle": "none", "marker": "X", "markersize": 10}
POINT = EXACT | DOTS | {"marker": "D", "markersize": 10}
LENGTHS = np.array([*range(1, 13), 15, 20, 30, 50, 100, 200, 500, 1000])
WAITED = np.unique(np.concatenate([np.arange(1, 10), np.logspace(1, 7, 121)]))
QUERIES = np.array([1e1, 1e2, 1e5, 1e9])  # between them α is nearly a straight line in ln k
BETAS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
ANNOUNCED = 100
HIDDEN = "the budget alone"
EDGE = 3000.0  # what is infinite is drawn to here
OUTPUTS = 20_000
BITS = np.arange(34, 71)
ALL_AT_ONCE = 1 - 0.05 / (2 * len(BITS))  # confidence of each interval


def _times_below(number):
    return "one ⊥" if number == 1 else f"{compact(number)} times ⊥"


def _trials(mechanism):
    """How many runs a slider reaches; a mechanism of one's own takes its time."""
    return [n for n in (1000, 4000, 10_000, 40_000, 100_000, RUNS) if not mechanism or n <= 40_000]


@demo(
    announced=(range(1, ANNOUNCED + 1), 1),
    seed=0,
    again="Other attackers",
    time="announced",
    scenes={
        "The first announcement": dict(),
        "Twenty announcements": dict(announced=20),
        "A hundred announcements": dict(announced=ANNOUNCED),
    },
)
def one_run_each(*, announced, seed):
    """Attackers with one run each: those who announce, and whether they are right."""
    poor, attackers = first_announcements(size=ANNOUNCED, seed=seed)
    poor, place = poor[:announced], np.arange(announced)
    right, allowed = np.cumsum(poor), chance_allowed(run=1, epsilon=1.0)
    share, (low, high) = right / (place + 1), clopper_pearson(right, place + 1)
    marks = {
        "right": (poor, EXACT | DOTS | {"marker": "o", "markersize": 11}),
        "wrong": (~poor, BEYOND),
    }
    return picture(
        axes(
            *(
                line(name, place[which] % 10, place[which] // 10, style)
                for name, (which, style) in marks.items()
            ),
            x=linear("each announcement", -0.7, 9.7, ticks=[]),
            y=linear("", 9.7, -0.7, ticks=[]),
            box=(0.03, 0.147, 0.34, 0.73),
        ),
        axes(
            area("95%", place + 1, low, high, {"color": "0.5", "alpha": 0.25}),
            level("the promise allows", allowed, THEOREM),
            line("share right", place + 1, share, {"color": "ink", "linestyle": "-"}),
            line("now", [announced], share[-1:], MEASURED, label=None, see="share right"),
            x=linear("announcements", 0, ANNOUNCED + 2),
            y=linear("", 0, 1.04),
            box=(0.46, 0.147, 0.52, 0.73),
        ),
        legend=5,
        sentence=_announced(right[-1], announced, allowed, low[-1] > allowed),
        named={
            "right": right[-1],
            "announcements": announced,
            "share right": share[-1],
            "the promise allows": allowed,
            "attackers, with those who stay silent": attackers[announced - 1],
        },
        numbers={"95%": [low[-1], high[-1]]},
    )


def _announced(right, announced, allowed, more):
    """How many announcements are right, and whether they are more than luck makes of the allowed."""
    if announced == 1:
        return f"The first announcement is {'right' if right else 'wrong'}; one alone says little."
    told = (
        f"{right} of {announced} announcements are right, and the promise allows {percent(allowed)}"
    )
    return f"{told}: that is hardly luck." if more else f"{told}: so few say little."


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    cutoff=(range(1, 11), 1),
    num_below=(nice(1, 1000), 2),
    trials=(_trials, 4000),
    seed=0,
    scenes={
        "Within the claim": dict(),
        "Beyond it, and 400,000 runs": dict(num_below=4, trials=RUNS),
        "Ten numbers, 400,000 runs": dict(cutoff=10, num_below=21, trials=RUNS),
        "A thousand times ⊥": dict(num_below=1000, trials=RUNS),
    },
)
def loss_against_below(*, epsilon, cutoff, num_below, trials, seed, mechanism=None):
    """The loss of m times ⊥ and then a number: claimed, exact, measured, and after the repair."""
    *curve, loss = printed_loss(num_below=[*LENGTHS, num_below], cutoff=cutoff, epsilon=epsilon)
    *repaired, after = repaired_loss(
        num_below=[*LENGTHS, num_below], cutoff=cutoff, epsilon=epsilon
    )
    ratio, low, high = measured_losses(
        num_below=MEASURABLE, trials=trials, cutoff=cutoff, epsilon=epsilon, seed=seed,
        mechanism=mechanism,
    )  # fmt: skip
    seen = np.isfinite(ratio) | (low > 0)
    ends = (np.clip(end[seen], 1e-3, 1e5) for end in (low, high))
    found = max(low.max(), 0.0)
    return picture(
        axes(
            level("claimed", epsilon, THEOREM),
            line("printed, exact", LENGTHS, curve, EXACT),
            line("repaired, exact", LENGTHS, repaired, REPAIRED),
            intervals("measured, 95%", 1 + np.flatnonzero(seen), ratio[seen], *ends),
            line("at m", [num_below], [loss], POINT, label=None, see="printed, exact"),
            x=log("m, how often ⊥ comes before the number", 0.8, 1300),
            y=log("privacy loss", 0.01, 4000),
            box=(0.111, 0.147, 0.883, 0.747),
        ),
        sentence=_lost(num_below, cutoff, loss, found, epsilon, mechanism),
        named={
            "claimed at most": epsilon,
            "exact loss": loss,
            "runs show at least": found,
            "they show it at m": int(np.argmax(low)) + 1 if found else None,
            "repaired, exact": after,
        },
        numbers={
            "each ⊥ loses": loss / num_below,
            "claim passed from m": 2 * cutoff + 1,
            "measured losses": ratio,
            "their lower ends": low,
        },
    )


def _lost(num_below, cutoff, loss, found, epsilon, mechanism):
    """Whether the loss of these answers passes the claim, and whether runs alone show that."""
    if mechanism:
        if found > epsilon:
            return f"Your runs alone refute the claim: they show a loss of at least {about(found)}."
        return "Your runs do not refute the claim; but a sample can only convict, never acquit."
    lose = f"{_times_below(num_below).capitalize()} and then a number lose {about(loss)}"
    if num_below <= 2 * cutoff:
        return f"{lose}, within the claim; but every further ⊥ costs the same again."
    if found > epsilon:
        return f"{lose}, more than is claimed; the runs alone refute the claim too."
    return f"{lose}, more than is claimed; but the runs alone cannot show it."


@demo(
    epsilon=(nice(0.3, 3.0), 1.0),
    num_below=(range(1, MOST_BELOW + 1), 1),
    cut=(range(-5, 11), 0),
    trials=(_trials, RUNS),
    seed=0,
    scenes={
        "A single ⊥": dict(),
        "Four times ⊥": dict(num_below=4),
        "She speaks more often": dict(num_below=4, cut=3),
        "She speaks up to 10/n": dict(num_below=4, cut=10),
    },
)
def attack(*, epsilon, num_below, cut, trials, seed, mechanism=None):
    """One run: how often an attacker is right about one row and how often she speaks, by cut."""
    allowed = chance_allowed(run=1, epsilon=epsilon)
    repaired = repaired_chance(num_below=num_below, epsilon=epsilon)
    cuts, probabilities = attack_probabilities(num_below=num_below, epsilon=epsilon)
    right, speaks = probabilities[0] / probabilities.sum(axis=0), probabilities.mean(axis=0)
    chance, often = (np.interp(cut, cuts, y) for y in (right, speaks))
    spoke = announcements(
        num_below=num_below, cut=cut, trials=trials, epsilon=epsilon, seed=seed,
        mechanism=mechanism,
    )  # fmt: skip
    measured = rates([cut], [spoke[0]], max(sum(spoke), 1))
    if not sum(spoke):
        measured["high"] = [1.0]
    speaking = rates([cut], [sum(spoke)], 2 * trials, name="speaks, measured", label=None,
                     see="measured, 95%")  # fmt: skip
    return picture(
        axes(
            level("ε allows", allowed, THEOREM),
            line("printed, exact", cuts, right, EXACT),
            level("repaired, exact", repaired, REPAIRED),
            measured,
            here("cut", cut),
            x=linear("", -6, 11, ticks=range(-6, 11, 2), names=[""] * 9),
            y=linear("P(right)", 0.45, 1.02),
            box=(0.111, 0.467, 0.883, 0.437),
        ),
        axes(
            line("speaks, exact", cuts, speaks, EXACT, label=None, see="printed, exact"),
            speaking,
            upright("here", cut, label=None, see="cut"),
            x=linear("cut: the attacker speaks if n times the number is at most this", -6, 11),
            y=log("P(speaks)", 1e-9, 1, ticks=[1e-8, 1e-4, 1]),
            box=(0.111, 0.126, 0.883, 0.291),
        ),
        size=(7.2, 4.4),
        sentence=_sure(chance, allowed, measured["low"][0], mechanism),
        named={
            "right, exact": chance,
            "right, measured": [measured["low"][0], measured["high"][0]],
            "ε allows": allowed,
            "one run in": 1 / often,
            "repaired, exact": repaired,
        },
        numbers={"she spoke, in poor health and not": spoke, "runs of each": trials},
    )


def _sure(chance, allowed, low, mechanism):
    """Whether an announcement says more than an ε-private algorithm allows."""
    if mechanism:
        if low > allowed:
            return f"In your runs she is right with {about(low)} at least, more than ε allows."
        return "Your runs do not show that she is right more often than ε allows."
    right = f"If she speaks, she is right with probability {_chance(chance)}"
    if chance > allowed * (1 + 1e-9):
        return f"{right}; no ε-private algorithm allows more than {about(allowed)}."
    return f"{right}, within the {about(allowed)} that ε-privacy allows."


def _chance(probability):
    """A probability to three digits; what rounds to 1 is below it."""
    return about(probability) if probability < 0.9995 else "above 0.999"


@demo(
    epsilon=(nice(0.3, 3.0), 1.0),
    num_below=(range(1, MOST_BELOW + 1), 4),
    run=(nice(1, 10**7), 700),
    guess=(nice(1, 10**7), 100),
    curves=([HIDDEN, "all"], HIDDEN),
    time="run",
    scenes={
        "Draw your guess": dict(),
        "Reveal": dict(curves="all", run=4441),
        "The first run": dict(curves="all", run=1),
        "Our attacker’s run": dict(curves="all", run=611),
        "Ten thousand runs": dict(curves="all", run=10_000),
    },
)
def repeated_attack(*, epsilon, num_below, run, guess, curves):
    """An attack repeated until it succeeds: what the number of runs says, and that all succeed."""
    *allowed, allows = chance_allowed(run=[*WAITED, run], epsilon=epsilon)
    *chances, chance = chance_after(run=[*WAITED, run], num_below=num_below, epsilon=epsilon)
    came = happened_by(run=[*WAITED, run], num_below=num_below, epsilon=epsilon)
    often = event_probabilities(num_below=num_below, epsilon=epsilon)
    decades, hidden = 10.0 ** np.arange(8), curves == HIDDEN
    return picture(
        axes(
            level("as before", 0.5, {"color": "0.55", "linewidth": 1}, word="½"),
            line("the budget allows", WAITED, allowed, THEOREM),
            line("exact", WAITED, np.where(hidden, np.nan, chances), EXACT),
            upright("guess", guess, YOURS),
            here("N", run),
            x=log("", 0.8, 2.5e7, ticks=decades, names=[""] * 8),
            y=linear("P(poor health)", -0.04, 1.2),
            box=(0.108, 0.46, 0.878, 0.444),
        ),
        axes(
            line("in poor health", WAITED, came[0, :-1], {"color": "ink", "linestyle": "-"}),
            line("not", WAITED, came[1, :-1], {"color": "green", "linestyle": "-."}),
            upright("here", run, label=None, see="N"),
            x=log("the run N in which it comes for the first time", 0.8, 2.5e7, ticks=decades),
            y=linear("P(it came)", -0.04, 1.08),
            box=(0.108, 0.134, 0.878, 0.296),
        ),
        size=(7.2, 4.4),
        legend=5,
        sentence=_guessed(guess) if hidden else _first_came(run, chance, allows),
        named=({} if hidden else {"chance of poor health": chance})
        | {
            "the budget allows": allows,
            "came by now, poor health": came[0, -1],
            "came by now, if not": came[1, -1],
            "one run in, poor health": 1 / often[0],
            "one run in, if not": 1 / often[1],
        },
        numbers={"right, of all who wait": 0.5},
    )


def _guessed(guess):
    return (
        f"Your guess: from run {compact(guess)} on “poor health” is more likely wrong than right."
    )


def _first_came(run, chance, allows):
    """What is said of the row if the event first comes in this run, against its budget."""
    comes = f"If it first comes in run {compact(run)}, poor health has the chance {_chance(chance)}"
    if chance > allows:
        return f"{comes}, more than a budget of {compact(run)}·ε allows."
    if chance >= 0.5:
        return f"{comes}, no more than a budget of {compact(run)}·ε allows."
    return f"If it first comes only in run {compact(run)}, “poor health” is more likely wrong than right."


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    num_below=(range(1, AUDITED_BELOW + 1), 6),
    trials=([1000, 4000, 10_000, 40_000, AUDIT_RUNS], AUDIT_RUNS),
    query_noise=(lambda mechanism: ["yours"] if mechanism else ["2/ε", "4/ε"], "4/ε"),
    seed=0,
    scenes={
        "The query noise is right": dict(),
        "Half the query noise": dict(query_noise="2/ε"),
        "The same, too few runs": dict(query_noise="2/ε", trials=1000),
    },
)
def sampled_audit(*, epsilon, num_below, trials, query_noise, seed, mechanism=None):
    """AboveThreshold, or your own, before an auditor who only runs it: the loss that he finds."""
    rows = {
        "4/ε": member("above_threshold", cutoff=1, epsilon=epsilon),
        "2/ε": half_noise(epsilon=epsilon),
    }
    lengths = LENGTHS[LENGTHS <= 100]
    losses = {noise: late_loss(row, num_below=lengths) for noise, row in rows.items()}
    hidden = query_noise == "4/ε"  # the reader guesses first what half the noise costs
    found = audited(
        rows.get(query_noise, rows["4/ε"]), num_below=num_below, trials=trials, epsilon=epsilon,
        seed=seed, mechanism=mechanism,
    )  # fmt: skip
    seen = np.log(found.rate / found.lower_rate) if found.rate and found.lower_rate else np.nan
    bound = f"The audit finds a loss of at least {about(found.epsilon)}"
    convicts = f"{bound}, more than the {compact(epsilon)} that is claimed: it convicts."
    return picture(
        axes(
            level("claimed", 1, THEOREM),
            line("query noise 4/ε, exact", lengths, losses["4/ε"] / epsilon, EXACT),
            line("query noise 2/ε, exact", lengths,
                 np.where(hidden, np.nan, losses["2/ε"] / epsilon), BASIC),
            here("m", num_below),
            line("audit: at least, 95%", [num_below], [found.epsilon / epsilon],
                 {"color": "ink", "linestyle": "none", "marker": "^", "markersize": 11}),
            line("seen in its runs", [num_below], [seen / epsilon], MEASURED),
            x=log("m, how often ⊥ comes before the ⊤", 0.8, 130),
            y=linear("privacy loss / ε", -0.05, 2.2, ticks=[0, 0.5, 1, 1.5, 2]),
            box=(0.092, 0.147, 0.903, 0.66),
        ),
        legend=3,
        sentence=convicts
        if found.epsilon > epsilon
        else f"{bound}, within the claim: it does not convict, but it can never acquit.",
        named={
            "claimed at most": epsilon,
            "found at least, 95%": found.epsilon,
            "seen in its runs": seen,
            "exact, query noise 4/ε": losses["4/ε"][lengths == num_below][0],
        }
        | ({} if hidden else {"exact, query noise 2/ε": losses["2/ε"][lengths == num_below][0]}),
        numbers={
            "event": str(found.event),
            "its two rates": [found.rate, found.lower_rate],
        }
        | ({} if hidden else {"at most, query noise 2/ε": privacy_loss(rows["2/ε"])}),
    )  # fmt: skip


def citation(name):
    """A row of the table, in short: Lee & Clifton."""
    return re.sub(r" 20\d\d|^Roth, | here$", "", ROWS[name].source)


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    cutoff=(range(1, 11), 1),
    num_below=(nice(1, 1000), 1),
    monotone=(["no", "yes"], "no"),
    scenes={
        "A single ⊥": dict(),
        "A hundred times ⊥": dict(num_below=100),
        "Three times ⊤": dict(num_below=100, cutoff=3),
        "Monotone, one ⊤": dict(num_below=100, monotone="yes"),
    },
)
def table_of_variants(*, epsilon, cutoff, num_below, monotone):
    """For each published variant the largest exact loss found, as a multiple of its claim."""
    monotone = monotone == "yes"
    found = published_losses(num_below=num_below, cutoff=cutoff, epsilon=epsilon, monotone=monotone)
    rows, (loss, limit) = np.arange(len(ROWS)), found.T / epsilon
    more, proved = loss > 1 + 1e-9, limit <= 1 + 1e-9
    claimed = np.array([monotone or not row.monotone for row in ROWS.values()])
    states = np.where(proved, "cleared", np.where(more, "convicted", "not yet convicted"))
    states = np.where(claimed, states, "no such claim")
    names = [citation(name) for name in ROWS]
    words = [
        f"{state}: ∞" if np.isinf(size) else f"{state}: {about(size)} ε"
        for state, size in zip(states, loss, strict=True)
    ]
    shown, endless, guilty = np.minimum(loss, EDGE), np.isinf(loss), states == "convicted"
    dots = {
        "within the claim": (~more, EXACT | DOTS | {"marker": "o"}),
        "beyond it": (more & ~endless, BEYOND),
        "infinite": (endless, BEYOND | {"marker": ">"}),
    }
    told = {
        state: [n for n, s in zip(names, states, strict=True) if s == state] for state in states
    }
    return picture(
        axes(
            upright("claimed", 1, THEOREM),
            bars("how far", (0.1, rows), (shown, rows), {"color": "0.55", "linewidth": 2},
                 label=None, see="exact loss"),
            *(line(name, shown[at], rows[at], style) for name, (at, style) in dots.items()),
            *(
                text(name, [3.5e6] * len(at), at.tolist(), [words[i] for i in at], ha="right",
                     color="ink", bold=name == "convicted")
                for name, at in (("convicted", rows[guilty]), ("others", rows[~guilty]))
            ),
            x=log("exact loss / ε", 0.1, 4e6, ticks=10.0 ** np.arange(-1, 4),
                  names=["0.1", "1", "10", "100", "1,000"], only=True),
            y=linear("", len(ROWS) - 0.4, -0.6, ticks=rows, names=names, size=10.5),
            box=(0.395, 0.121, 0.6, 0.787),
        ),
        size=(7.2, 4.6),
        sentence=_verdict(told),
        named={state: len(told.get(state, ())) for state in
               ("convicted", "not yet convicted", "cleared", "no such claim")},
        numbers=dict(zip(names, loss, strict=True)),
    )  # fmt: skip


def _verdict(told):
    """Who loses more than claimed, and who will on longer streams."""
    guilty, later = listed(told["convicted"]), len(told.get("not yet convicted", ()))
    lose = "loses" if len(told["convicted"]) == 1 else "lose"
    if later:
        others = "one variant" if later == 1 else f"{later} variants"
        return f"{guilty} {lose} more than claimed; longer streams will convict {others} more."
    return f"{guilty} {lose} more than claimed; {len(told['cleared'])} variants provably do not."


def _reaching(label, highest, away):
    """An axis from 0 to 1, 2 or 5 times a power of ten, and so far; its name keeps its place."""
    power = 10.0 ** np.floor(np.log10(highest))
    top = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= highest)
    ticks, unit = np.linspace(0, top, 6), int(np.floor(np.log10(top / 5)))
    names = [compact(round(tick, 12)) for tick in ticks]
    if top < 0.01:
        names = ["0", *(f"{tick / 10.0**unit:.0f}·10{raised(unit)}" for tick in ticks[1:])]
    return linear(label, 0, top, ticks=ticks, names=names, away=away)


PRICED = {
    "printed, exact": EXACT,
    "thirds, exact": REPAIRED,
    "quarters, exact": BASIC,
    "⊤ only": THRESHOLD,
    "⊤ only, monotone": MONOTONE,
}


@demo(
    epsilon=(nice(0.05, 5.0), 1.0),
    n=(nice(100, 10**6), 20_000),
    num_queries=(nice(10, 10**9), 1000),
    cutoff=(range(1, 11), 5),
    beta=(BETAS, 0.05),
    scenes={
        "Five numbers": dict(),
        "One number": dict(cutoff=1),
        "A billion queries": dict(num_queries=10**9),
        "A hundred rows": dict(n=100),
    },
)
def price_of_repair(*, epsilon, n, num_queries, cutoff, beta):
    """The error α against the number of queries: as printed, repaired, and with ⊤ alone."""
    theorems = {"Theorem 2": lecture11_alpha, "thirds, promised": repaired_alpha}
    promised = {
        name: bound(
            num_queries=[*QUERIES, num_queries], n=n, cutoff=cutoff, beta=beta, epsilon=epsilon
        )
        for name, bound in theorems.items()
    }
    curves, alphas = (
        repair_alphas(num_queries=k, cutoff=cutoff, beta=beta) / (epsilon * n)
        for k in (QUERIES, [num_queries])
    )
    now = {name: alpha[-1] for name, alpha in promised.items()}
    now |= dict(zip(PRICED, alphas[:, 0], strict=True))
    factors = {name: now[name] / now["printed, exact"] for name in list(PRICED)[1:]}
    if now["thirds, exact"] > 1:
        sentence = "The repair in thirds needs an α above 1 here, which says nothing of a fraction."
    else:
        silent = about(factors["⊤ only"])
        sentence = (
            f"The repair in thirds needs {about(factors['thirds, exact'])} times the α of the "
            f"printed algorithm; ⊤ only, {silent} times."
        )
    dashes = {"Theorem 2": THEOREM, "thirds, promised": REPAIRED | {"linestyle": "--"}}
    return picture(
        axes(
            band("α > 1: no use", 1, 1e6, NO_USE, flat=True),
            *(line(name, QUERIES, promised[name][:-1], dashes[name]) for name in promised),
            *(
                line(name, QUERIES, curve, style)
                for (name, style), curve in zip(PRICED.items(), curves, strict=True)
            ),
            here("k", num_queries),
            x=log("number of queries k", 7, 1.5e9, ticks=10.0 ** np.arange(1, 10)),
            y=_reaching("error α needed", promised["thirds, promised"][-2], away=0.145),
            box=(0.16, 0.134, 0.83, 0.673),
        ),
        size=(7.2, 4.4),
        legend={"columns": 4, "size": 11},
        sentence=sentence,
        named={
            "Theorem 2 promises": now["Theorem 2"],
            "printed needs": now["printed, exact"],
            **{f"times that, {name.split(', e')[0]}": factor for name, factor in factors.items()},
        },
        numbers=now
        | {
            "promised, thirds over Theorem 2": now["thirds, promised"] / now["Theorem 2"],
            "above 1": sum(alpha > 1 for alpha in now.values()),
        },
    )


@demo(
    num_queries=(nice(100, 10**9), 1000),
    cutoff=(nice(1, 100), 5),
    beta=(BETAS, 0.05),
    scenes={
        "Five times ⊤": dict(),
        "A single ⊤": dict(cutoff=1),
        "A hundred times ⊤": dict(cutoff=100),
        "A billion queries": dict(num_queries=10**9),
    },
)
def alpha_against_share(*, num_queries, cutoff, beta):
    """The error against the threshold's share of ε: where the best split lies."""
    alphas, best = alpha_of_shares(num_queries=num_queries, cutoff=cutoff, beta=beta)
    curves, (theirs, halves, least) = alphas[:, :-3], alphas[:, -3:].T
    split = [least_variance_share(cutoff=cutoff, monotone=m) for m in (False, True)]
    ticks = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
    return picture(
        axes(
            line("⊤ only", SHARES, curves[0], THRESHOLD),
            line("⊤ only, monotone", SHARES, curves[1], MONOTONE),
            upright("halves", 0.5, {"color": "0.5", "linewidth": 1}),
            line("Lyu, Su & Li’s split", split, theirs, MEASURED | {"marker": "D"}),
            line("best", best, least, EXACT | DOTS | {"marker": "v", "markersize": 11}),
            x=log("the threshold’s share of ε", 0.0018, 1, ticks=ticks, names=map(compact, ticks),
                  only=True),
            y=_reaching("error, as ε·n·α", 5 * least[1], away=0.115),
            box=(0.13, 0.139, 0.856, 0.639),
        ),
        legend=3,
        sentence=f"Lyu, Su and Li’s split needs {about(theirs[0] / halves[0])} of the error of "
        f"halves; the best share needs {about(least[0] / halves[0])}.",
        named={
            "Lyu, Su & Li’s share": split[0],
            "best share": best[0],
            "best share, monotone": best[1],
            "theirs over halves": theirs[0] / halves[0],
            "best over halves": least[0] / halves[0],
        },
        numbers={
            "Lyu, Su & Li’s share, monotone": split[1],
            **{
                f"ε·n·α, {name}": pair
                for name, pair in (("halves", halves), ("their split", theirs), ("best", least))
            },
        },
    )  # fmt: skip


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    num_queries=(nice(10, 200), 20),
    delta=(DELTAS, 1e-15),
    scenes={
        "Too few queries": dict(),
        "Refuted": dict(num_queries=200),
        "Not refuted": dict(num_queries=200, delta=1e-6),
        "A tiny δ": dict(num_queries=200, delta=1e-60),
    },
)
def theorem_4(*, epsilon, num_queries, delta):
    """The δ that one kind of stream takes against the δ that Theorem 4 promises."""
    *curve, taken = (
        delta_taken(num_queries=num_queries, epsilon=epsilon, delta=d) for d in [*DELTAS, delta]
    )
    logs = [
        log_delta_taken_at_least(num_queries=num_queries, epsilon=epsilon, log_inverse=-np.log(d))
        for d in [*DELTAS, delta]
    ]
    low, high = refuted_range(num_queries=num_queries, epsilon=epsilon) or (None, None)
    if taken > delta:
        takes = f"takes δ = {about(taken)}, more than Theorem 4 promises, and refutes it."
    elif taken:
        takes = f"takes only δ = {about(taken)}, which refutes nothing."
    else:
        takes = "is too short for any answers to pass e^ε, and refutes nothing."
    return picture(
        axes(
            line("Theorem 4", DELTAS, DELTAS, THEOREM),
            text("why", 1e-58, 3e-10, "above: refuted", color="ink", size=12, va="baseline"),
            line("exact", DELTAS, [mass or np.nan for mass in curve], EXACT),
            line("at least, closed form", DELTAS, [np.exp(x) or np.nan for x in logs[:-1]],
                 {"color": "0.4", "linestyle": ":"}),
            line("at δ", [delta], [taken or np.nan], POINT, label=None, see="exact"),
            x=log("δ promised", 1e-62, 1e-1, ticks=10.0 ** np.arange(-60, 0, 10)),
            y=log("δ taken by this stream", 1e-62, 1e-1, ticks=10.0 ** np.arange(-60, 0, 10)),
            box=(0.122, 0.147, 0.872, 0.747),
        ),
        legend=3,
        sentence=f"At δ = {compact(delta)} this stream of {num_queries} queries {takes}",
        named={
            "δ promised": delta,
            "δ taken, exact": taken,
            "at least, closed form": np.exp(logs[-1]),
            "refuted from δ": low,
            "refuted up to δ": high,
        },
    )  # fmt: skip


@demo(
    epsilon=(nice(0.1, 5.0), 1.0),
    lattice=(range(40, 71), 70),
    seed=0,
    scenes={
        "As computed": dict(),
        "Rounded to multiples of 2⁻⁵³": dict(lattice=53),
        "Rounded to multiples of 2⁻⁴⁷": dict(lattice=47),
    },
)
def last_bits(*, epsilon, lattice, seed, mechanism=None):
    """The share of noisy counts that are multiples of 2^-j, when the true count is 0 and 1."""
    outputs = noisy_counts(trials=OUTPUTS, epsilon=epsilon, seed=seed, mechanism=mechanism)
    outputs = on_lattice(outputs, places=lattice)
    counts = np.array([multiples(outputs, places=j) for j in BITS]).T
    low, high = clopper_pearson(counts, OUTPUTS, confidence=ALL_AT_ONCE)
    apart = BITS[low.max(axis=0) > high.min(axis=0)]
    off = OUTPUTS - counts[:, BITS == 53][:, 0]
    if off[0] and not off[1]:
        sentence = (
            f"{percent(off[0] / OUTPUTS)} of the outputs are no multiple of 2⁻⁵³ if the count is 0, "
            "none if it is 1: they betray it."
        )
    elif len(apart):
        differ = f"at {len(apart)} of the {len(BITS)} j" if len(apart) > 1 else "at one j"
        sentence = f"The two counts still differ in their shares of multiples of 2⁻ʲ, {differ}."
    else:
        sentence = (
            f"In the last bits of {compact(OUTPUTS)} outputs the two counts cannot be told apart."
        )
    styles = {"true count 0": VALUES | {"markersize": 9}, "true count 1": NEIGHBOUR}
    return picture(
        axes(
            upright("53", 53, {"color": "0.8", "linewidth": 1}, label=None, see="2⁻⁵³"),
            text("why", 53.3, 0.06, "2⁻⁵³"),
            *(
                bars(
                    f"{name}, 95%", (BITS, low[i]), (BITS, high[i]), INTERVAL, label=None, see=name
                )
                for i, name in enumerate(styles)
            ),
            *(
                line(name, BITS, counts[i] / OUTPUTS, style)
                for i, (name, style) in enumerate(styles.items())
            ),
            upright("lattice", lattice, {"color": "0.3", "linestyle": ":"}),
            x=linear("j", 33.5, 70.5),
            y=linear("share of multiples of 2⁻ʲ", -0.03, 1.05),
            box=(0.097, 0.139, 0.893, 0.755),
        ),
        sentence=sentence,
        named={
            "off 2⁻⁵³, count 0": off[0] / OUTPUTS,
            "off 2⁻⁵³, count 1": off[1] / OUTPUTS,
            "loss at least, 95%": max(0.0, log_ratio_interval(*off, OUTPUTS)[0]) if off[0] else 0.0,
            "j that tell the counts apart": len(apart),
        },
        numbers={
            "those j": apart,
            "off 2⁻⁵², both counts": 1 - counts[:, BITS == 52][:, 0] / OUTPUTS,
        },
    )
