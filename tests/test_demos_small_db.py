"""What the pictures of notebook 05 show, against closed forms, enumeration and other runs."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from course_lib.demos import small_db as demos
from course_lib.demos.picture import layer
from course_lib.exact.small_db import sample_tails, small_db_error_exact
from course_lib.lab.confidence import clopper_pearson, quantile_interval
from course_lib.lab.histograms import NAMES, WORKLOADS, survey_marginals, workload
from course_lib.lab.small_db import (
    RATES,
    SAMPLES,
    survey_sample_errors,
    workload_histogram_errors,
    workload_levels,
)
from course_lib.linear_queries import Universe, fractions, marginals
from course_lib.small_db import scored, small_db
from tests.pictures import check_captions, curve, near, scene
from tests.test_exact_small_db import histogram_error, lemma_at_best_alpha
from tests.test_lab_small_db import (
    answers,
    enumerated,
    exact_sample_errors,
    fresh_histogram_errors,
    real_database,
    sample_errors,
    subsets,
    survey_counts,
)
from tests.test_linear_queries import laplace_error


def rows_of_small(alpha, attributes):
    return math.ceil(math.log(2**attributes - 1) / alpha**2)


def lemma(epsilon, n, alpha, attributes, beta=0.05):
    """The accuracy lemma with |R| counted."""
    m = rows_of_small(alpha, attributes)
    log_r = math.log(math.comb(2**attributes + m - 1, m))
    return alpha + 2 * (log_r + math.log(1 / beta)) / (epsilon * n)


def drawn(n, attributes, alpha, epsilon, seed):
    """The real database, its histogram, and what the mechanism releases of it with this seed."""
    real, counts = real_database(n, attributes)
    queries, rng = marginals(Universe(NAMES[:attributes])), np.random.default_rng(seed)
    small = small_db(counts, queries, alpha=alpha, epsilon=epsilon, rng=rng)
    return real, counts, small, Counter(dict(zip(real, small.tolist(), strict=True)))


def largest_error(database, other, attributes):
    pairs = zip(answers(database, attributes), answers(other, attributes), strict=True)
    return max(abs(a - b) for a, b in pairs)


def test_invented_rows_answer_all_questions():
    """Every answer, and the largest error, counted row by row; each row makes it smaller."""
    counts = survey_counts(8)
    true = answers(counts, 8)
    least = []
    for rows in range(1, 9):
        shown = demos.invented(rows=rows)
        numbers, d = shown["numbers"], range(8)
        invented = Counter(tuple(map(int, element)) for element in numbers["elements"])
        assert sum(invented.values()) == rows
        given = answers(invented, 8)
        x, y = curve(shown, "one question")
        assert np.allclose(x, [float(a) for a in true]) and np.allclose(
            y, [float(a) for a in given]
        )
        errors = [abs(a - b) for a, b in zip(true, given, strict=True)]
        least.append(max(errors))
        assert np.isclose(numbers["largest error"], float(max(errors)))
        worst = errors.index(max(errors))
        assert numbers["on"] == " and ".join(NAMES[i] for i in subsets(8)[worst])
        assert [*curve(shown, "largest error")] == [x[worst], y[worst]]
        for name, bit in ("yes", 1), ("no", 0):
            squares = sorted(zip(*curve(shown, name), strict=True))
            bits = [list(map(int, element)) for element in numbers["elements"]]
            assert squares == sorted((i, r) for r in range(rows) for i in d if bits[r][i] == bit)
    assert least == sorted(least, reverse=True) and round(float(least[-1]), 4) == 0.0965


def test_within_what_the_invented_rows_answer_is_told():
    def within(n, p, rows, number, error):
        assert int(number) == n["questions"] == 255 == len(subsets(8))
        return rows in ("One", str(p["rows"])) and near(error, n["largest error"])

    rest = r" all (\d+) questions within (.*)\."
    check_captions(
        demos.invented,
        {r"(One) invented row answers" + rest: within, r"(\d) invented rows answer" + rest: within},
    )


@pytest.mark.parametrize(
    "where",
    [dict(alpha=0.5), dict(epsilon=0.05, seed=3), dict(attributes=2, n=50), dict(alpha=1.0, n=20)],
)
def test_both_databases_and_their_answers(where):
    shown, state = demos.small_beside_real(**where), demos.small_beside_real.demo.complete(where)
    d, n = state["attributes"], state["n"]
    real, counts, small, released = drawn(**state)
    true, given = (np.array([float(a) for a in answers(x, d)]) for x in (real, released))
    for name, shares in (("real shares", counts / n), ("small shares", small / small.sum())):
        x, y = curve(shown, name)
        assert np.allclose(x, shares) and y.tolist() == list(range(2**d))
    assert np.allclose(curve(shown, "real")[0], true)
    assert np.allclose(curve(shown, "small")[0], given)
    for name, ends in (
        ("error", [true, given]),
        ("errors of shares", [counts / n, small / small.sum()]),
        ("accuracy lemma, β = 0.05", np.clip([true - shown["numbers"]["promised at most"],
                                              true + shown["numbers"]["promised at most"]], 0, 1)),
    ):  # fmt: skip
        bar = layer(shown, name)
        assert np.allclose([bar["x"], bar["to_x"]], ends) and bar["y"] == bar["to_y"]
    (x,), (worst,) = curve(shown, "largest error")
    error = float(largest_error(real, released, d))
    assert np.isclose(abs(true - given)[int(worst)], error) and x == given[int(worst)]
    numbers, queries = shown["numbers"], marginals(Universe(NAMES[:d]))
    assert np.isclose(numbers["largest error"], error)
    assert numbers["on"] == queries.names[int(worst)] and numbers["rows m"] == small.sum()
    assert np.isclose(numbers["promised at most"], lemma(state["epsilon"], n, state["alpha"], d))
    share_error = np.abs(counts / n - small / small.sum()).max()
    assert np.isclose(numbers["largest error of a share"], share_error)
    assert numbers["½ for every answer is off by"] == pytest.approx(np.abs(0.5 - true).max())
    left, right = (frame["y"] for frame in shown["axes"])
    assert [name.replace("\n", " ") for name in right["names"]] == queries.names
    assert left["names"] == ["".join(map(str, row)) for row in itertools.product((0, 1), repeat=d)]
    assert left["label"] == "bits: " + ", ".join(NAMES[:d])


def test_answers_of_the_small_database_are_consistent():
    """More attributes, fewer rows; and P(A and B) >= P(A) + P(B) - 1, whatever the privacy."""
    sets = subsets(3)
    for seed in range(10):
        shown = demos.small_beside_real(epsilon=0.05, n=20, alpha=0.5, seed=seed)
        answer = dict(zip(sets, shown["numbers"]["small answers"], strict=True))
        for s, t in itertools.product(sets, repeat=2):
            both = tuple(sorted({*s, *t}))
            assert answer[both] <= min(answer[s], answer[t])
            assert answer[both] >= answer[s] + answer[t] - 1 - 1e-12


def test_how_well_the_small_database_fits_is_told():
    def errors(p):
        real, counts, small, released = drawn(**p)
        share = np.abs(counts / p["n"] - small / small.sum()).max()
        guess = max(abs(0.5 - a) for a in answers(real, p["attributes"]))
        return float(largest_error(real, released, p["attributes"])), share, float(guess)

    def fits(n, p, rows, number, error, share=None):
        real_error, real_share, guess = errors(p)
        assert int(rows) == rows_of_small(p["alpha"], p["attributes"]) == n["rows m"]
        assert int(number) == 2 ** p["attributes"] - 1 and near(error, real_error)
        assert share is None or near(share, real_share)
        return real_error <= guess + 1e-9 and (real_share > real_error + 1e-9) == (
            share is not None
        )

    rows = r"(\d+) rows answer all (\d+) marginals within (\S*\d)"
    check_captions(
        demos.small_beside_real,
        {
            rows + r"; the share of some element is off by more, (.*)\.": fits,
            rows + r", and no element’s share is off by more than that\.": fits,
            r"This draw is off by (.*): to answer ½ to everything would be better\.": (
                lambda n, p, error: near(error, errors(p)[0]) and errors(p)[0] > errors(p)[2]
            ),
        },
    )


def test_eight_rows_answer_seven_marginals_of_a_hundred():
    numbers = scene(demos.small_beside_real, "Eight rows for a hundred")
    assert np.isclose(numbers["largest error"], 0.075) and numbers["rows m"] == 8
    assert (numbers["real shares"][0], numbers["small shares"][0]) == (0.13, 0)


def test_bounds_are_hoeffding_s_and_meet_the_lemma():
    shown = demos.sample_is_enough(sample=300, attributes=4, curves="all")
    alpha, union = curve(shown, "union bound")
    np.testing.assert_allclose(union, [30 * math.exp(-600 * a * a) for a in alpha])
    single = curve(shown, "Hoeffding, one query")[1]
    np.testing.assert_allclose(single, [2 * math.exp(-600 * a * a) for a in alpha])
    (x,), (y,) = curve(shown, "existence lemma")
    assert np.isclose(x, math.sqrt(math.log(15) / 300)) and np.isclose(y, 2 / 15)
    assert np.isclose(np.interp(x, alpha, union), y)
    numbers = shown["numbers"]
    assert numbers["α of the lemma"] == x == layer(shown, "the lemma’s α")["x"][0]
    assert np.isclose(numbers["union bound there"], y)
    silent = numbers["α up to which the union bound says nothing"]
    assert np.isclose(silent, math.sqrt(math.log(30) / 600))


@pytest.mark.parametrize(("sample", "attributes"), [(5, 2), (40, 3), (2000, 3)])
def test_exact_tails_are_below_the_bound(sample, attributes):
    shown = demos.sample_is_enough(sample=sample, attributes=attributes, curves="all")
    alpha, tails = curve(shown, "sum of exact tails")
    _, histogram, queries = survey_marginals(attributes)
    exact = sample_tails(histogram, queries, size=sample, alpha=alpha)
    assert tails.tolist() == np.maximum(exact, 1e-30).tolist()
    assert (tails <= np.maximum(curve(shown, "union bound")[1], 1e-30)).all()
    there = math.sqrt(math.log(2**attributes - 1) / sample)
    there = sample_tails(histogram, queries, size=sample, alpha=there)
    assert np.isclose(shown["numbers"]["exact tails there"], there)


@pytest.mark.parametrize("sample", [5, 10])
def test_measured_rates_are_those_of_the_samples(sample):
    """And half and 95% of them are within what is told, as it is for all samples that exist."""
    shown = demos.sample_is_enough(sample=sample, attributes=2, seed=7, curves="all")
    measured = survey_sample_errors(2, size=sample, seed=7)
    alphas, rates = curve(shown, "measured, 95%")
    for alpha, rate in zip(alphas, rates, strict=True):
        assert np.isclose(np.nan_to_num(rate), (measured > alpha).mean())
    assert math.sqrt(math.log(3) / sample) in alphas and len(alphas) >= 6
    half, most = (
        shown["numbers"][f"{part} within"] for part in ("half the samples", "95% of samples")
    )
    assert (half, most) == tuple(np.quantile(measured, [0.5, 0.95], method="inverted_cdf"))
    errors, chances = exact_sample_errors(sample)
    assert chances[errors <= half + 1e-9].sum() > 0.45 and chances[errors < half].sum() < 0.55
    assert chances[errors <= most + 1e-9].sum() > 0.93 and chances[errors < most].sum() < 0.97


def test_measured_intervals_are_those_of_the_dots():
    shown = demos.sample_is_enough(sample=70, attributes=8, curves="all")
    alpha, rates = curve(shown, "measured, 95%")
    low, high = clopper_pearson(np.nan_to_num(rates) * SAMPLES, SAMPLES)
    measured = layer(shown, "measured, 95%")
    assert np.allclose(measured["low"], low) and np.allclose(measured["high"], high)
    assert shown["numbers"]["measured there"] == [low[-1], high[-1]] == [0, high[-1]]
    assert np.isnan(rates[-1]) and np.isclose(alpha[-1], math.sqrt(math.log(255) / 70))
    assert [*curve(shown, "none was seen")] == [alpha[-1], high[-1]]
    seen = demos.sample_is_enough(
        sample=50, attributes=3, curves="all"
    )  # where some samples are off by more
    assert layer(seen, "none was seen")["y"] == [None] and seen["numbers"]["measured there"][0] > 0


def test_what_samples_do_and_the_lemma_promises_is_told():
    def within(p, text):
        """The same samples, with products instead of sums by attribute."""
        _, histogram, queries = survey_marginals(p["attributes"])
        rng = np.random.default_rng(p["seed"])
        errors = sample_errors(histogram, queries, size=p["sample"], trials=SAMPLES, rng=rng)
        return near(text, errors[math.ceil(0.95 * SAMPLES) - 1])

    def promised(n, p, most, number, alpha=None):
        real = math.sqrt(math.log(2 ** p["attributes"] - 1) / p["sample"])
        assert int(number) == 2 ** p["attributes"] - 1 and (real < 1) == (alpha is not None)
        assert p["curves"] == "all"
        return within(p, most) and (alpha is None or near(alpha, real))

    form = r"Nineteen samples in twenty are within (.*) on all (\d+) marginals; the lemma’s α "
    check_captions(
        demos.sample_is_enough,
        {
            form + r"is (.*)\.": promised,
            form + r"says nothing\.": promised,
            r"Your guess: nineteen samples in twenty are within (.*) on all (\d+) marginals\.": (
                lambda n, p, guess, number: (
                    p["curves"] == "bounds alone"
                    and float(guess) == p["guess"]
                    and int(number) == 2 ** p["attributes"] - 1
                )
            ),
        },
        also=[
            dict(sample=sample, attributes=attributes, curves="all", seed=seed)
            for sample, attributes, seed in ((5, 7, 0), (2000, 8, 1), (30, 2, 2), (150, 5, 3))
        ],
    )


def test_before_the_reveal_no_sample_and_no_tail_is_shown():
    """Nor any number of theirs; the reader's guess stands on the axis, before and after."""
    asked, told = (
        demos.sample_is_enough(guess=0.19, curves=curves) for curves in ("bounds alone", "all")
    )
    assert np.isnan(curve(asked, "sum of exact tails")[1]).all()
    assert not layer(asked, "measured, 95%")["x"]
    assert layer(asked, "none was seen")["y"] == [None]
    assert not {"exact tails there", "95% of samples within", "half the samples within"} & set(
        asked["numbers"]
    )
    assert layer(asked, "your guess")["at"] == layer(told, "your guess")["at"] == 0.19
    for name in ("union bound", "Hoeffding, one query", "existence lemma"):
        assert layer(asked, name) == layer(told, name)


def test_a_hundred_rows_answer_255_marginals():
    numbers = scene(demos.sample_is_enough, "Reveal")
    assert round(numbers["α of the lemma"], 3) == 0.235
    assert round(numbers["union bound there"], 4) == 0.0078
    assert numbers["measured there"][0] == 0 and round(numbers["95% of samples within"], 3) == 0.135


@pytest.mark.parametrize(
    ("epsilon", "n", "alpha", "attributes"),
    [(1.0, 100, 0.5, 2), (0.3, 20, 0.35, 2), (5.0, 20_190, 0.8, 3), (2.0, 40, 0.7, 3)],
)
def test_law_by_enumeration(epsilon, n, alpha, attributes):
    shown = demos.law_over_small_databases(epsilon=epsilon, n=n, alpha=alpha, attributes=attributes)
    real, _ = real_database(n, attributes)
    m = rows_of_small(alpha, attributes)
    chosen = itertools.combinations_with_replacement(real, m)
    errors = [largest_error(real, Counter(rows), attributes) for rows in chosen]
    weights = [math.exp(-epsilon * n * float(e - min(errors)) / 2) for e in errors]
    share, law = np.zeros(40), np.zeros(40)
    for error, weight in zip(errors, weights, strict=True):
        share[min(math.floor(40 * error), 39)] += 1 / len(errors)
        law[min(math.floor(40 * error), 39)] += weight / sum(weights)
    uniform, edges = layer(shown, "uniform on R"), np.repeat(np.linspace(0, 1, 41), 2)
    assert np.allclose(uniform["x"], edges[1:-1]) and max(uniform["low"]) < 1e-7
    np.testing.assert_allclose(uniform["high"], np.repeat(np.maximum(share, 1e-12), 2), rtol=1e-9)
    x, chances = curve(shown, "SmallDB")
    assert np.allclose(x, edges) and chances[0] == chances[-1] < 1e-7
    steps = np.repeat(np.maximum(law, 1e-12), 2)
    np.testing.assert_allclose(chances[1:-1], steps, rtol=1e-9, atol=1e-14)
    numbers, few = shown["numbers"], max(len(errors) // 100, 1)
    chance = math.fsum(sorted(weights)[::-1][:few]) / math.fsum(weights)
    assert np.isclose(numbers["probability of the best"], chance, rtol=1e-9)
    assert (numbers["databases in R"], numbers["rows m"]) == (len(errors), m)
    assert numbers["databases counted as the best"] == few
    best, bound = float(min(errors)), lemma(epsilon, n, alpha, attributes)
    for name, value in (("best", best), ("accuracy lemma", bound), ("α", alpha)):
        assert np.isclose(layer(shown, name)["at"], value)
    assert np.isclose(numbers["best is off by"], best)
    assert np.isclose(numbers["promised at most"], bound)


def test_the_dot_is_what_small_db_draws():
    for epsilon, alpha, seed in itertools.product((0.05, 1.0), (0.4, 0.5), (0, 5)):
        shown = demos.law_over_small_databases(n=70, epsilon=epsilon, alpha=alpha, seed=seed)
        real, _, _, released = drawn(n=70, attributes=3, alpha=alpha, epsilon=epsilon, seed=seed)
        error = largest_error(real, released, 3)
        (x,), (y,) = curve(shown, "this draw")
        assert np.isclose(x, float(error)) and shown["numbers"]["this draw is off by"] == x
        assert y == curve(shown, "SmallDB")[1][1 + 2 * math.floor(40 * error)]


def test_the_exact_error_is_the_library_s():
    queries = marginals(Universe(NAMES[:3]))
    for epsilon, n, alpha in (0.05, 100, 0.5), (1.0, 20, 0.4), (1.0, 300, 0.6):
        numbers = demos.law_over_small_databases(epsilon=epsilon, n=n, alpha=alpha)["numbers"]
        enough = small_db_error_exact(
            real_database(n, 3)[1], queries, alpha=alpha, beta=0.05, epsilon=epsilon
        )
        assert np.isclose(numbers["exact error, β = 0.05"], enough)


def test_more_rows_are_like_a_larger_epsilon():
    """Of the database only the proportions and ε·n matter."""
    first, second = (
        demos.law_over_small_databases(epsilon=epsilon, n=n)
        for epsilon, n in ((0.5, 20_190), (1.0, 10_095))
    )
    np.testing.assert_allclose(*(curve(x, "SmallDB")[1] for x in (first, second)), rtol=0.9)
    halves = [scene(demos.law_over_small_databases, s) for s in ("Half the rows", "Half of ε")]
    chances = [numbers["probability of the best"] for numbers in halves]
    assert abs(chances[0] - chances[1]) < 0.04 < 0.3 < 0.948 - max(chances)


def best_probability(p):
    """How likely the best hundredth of R is, or the best one, and how many databases R has."""
    queries, (_, counts) = (
        marginals(Universe(NAMES[: p["attributes"]])),
        real_database(p["n"], p["attributes"]),
    )
    errors = np.sort(np.concatenate([e for _, e in scored(counts, queries, p["alpha"])]))
    weights = np.exp(-p["epsilon"] * p["n"] * (errors - errors[0]) / 2)
    return weights[: max(len(errors) // 100, 1)].sum() / weights.sum(), len(errors)


def test_how_likely_the_best_are_is_told():
    def found(n, p, which, likely):
        chance, number = best_probability(p)
        one = "one of the best 1% of all databases"
        assert which == (one if number >= 200 else f"the best of {number} databases")
        return chance > 0.9995 - 1e-9 if likely == "above 0.999" else near(likely, chance)

    check_captions(
        demos.law_over_small_databases,
        {
            r"With so little ε·n SmallDB finds (.*) with probability (.*) only\.": (
                lambda n, p, *said: found(n, p, *said) and best_probability(p)[0] < 0.5
            ),
            r"SmallDB finds (.*) with probability (.*)\.": (
                lambda n, p, *said: found(n, p, *said) and best_probability(p)[0] >= 0.5
            ),
        },
        also=[dict(attributes=2, epsilon=0.1)],
    )


def test_twenty_rows_and_a_hundred():
    hundred, twenty, finer = (
        scene(demos.law_over_small_databases, name)
        for name in ("A hundred rows", "Twenty rows", "Twenty rows, a smaller α")
    )
    assert round(hundred["probability of the best"], 2) == 0.95
    assert round(twenty["probability of the best"], 2) == 0.15
    assert finer["exact error, β = 0.05"] > twenty["exact error, β = 0.05"]


def failure(errors, error, n, epsilon):
    """The chance of more than this error, for weights exp(-epsilon n error / 2)."""
    least = errors[0][0]
    weights = [(e, k * math.exp(-epsilon * n * (e - least) / 2)) for e, k in errors]
    return sum(w for e, w in weights if e > error + 1e-12) / sum(w for _, w in weights)


def quantile(errors, n, beta, epsilon):
    return next(e for e, _ in errors if failure(errors, e, n, epsilon) <= beta)


def asked_rows(alpha, beta, epsilon, attributes):
    """The theorem's |D|, and that with the 6, rounded up."""
    log_x, log_q = math.log(2**attributes), math.log(2**attributes - 1)
    logs, log_beta = log_x * log_q, math.log(1 / beta)
    scale = epsilon * alpha**3
    sixteen = (16 * logs + 4 * alpha**2 * log_beta) / scale
    return math.ceil(sixteen), math.ceil(6 * (logs + 4 * alpha**2 * log_beta) / scale)


def printed_lemma(n, alpha, beta, epsilon, attributes):
    """The lemma of the notes, for SmallDB run with α/2."""
    logs = math.log(2**attributes) * math.log(2**attributes - 1) / (alpha / 2) ** 2
    return alpha / 2 + 2 * (logs + math.log(1 / beta)) / (epsilon * n)


@pytest.mark.parametrize(("d", "m"), [(2, 5), (3, 8)])
def test_error_against_rows_shows_the_exact_error_the_lemma_and_the_theorem(d, m):
    """α = 1: SmallDB runs with 0.5. The formulas of the notes, written again."""
    shown = demos.error_against_rows(alpha=1.0, epsilon=0.5, beta=0.1, n=300, attributes=d)
    oracle, (n, exact) = enumerated(d, m), curve(shown, "exact")
    for i in range(0, len(n), 40):
        assert math.isclose(exact[i], quantile(oracle, n[i], 0.1, 0.5), abs_tol=1e-10)
    printed = [printed_lemma(rows, 1.0, 0.1, 0.5, d) for rows in n]
    np.testing.assert_allclose(
        curve(shown, "accuracy lemma")[1], [lemma(0.5, rows, 0.5, d, 0.1) for rows in n]
    )
    np.testing.assert_allclose(curve(shown, "in the notes")[1], printed)
    asked, six = asked_rows(1.0, 0.1, 0.5, d)
    assert np.interp(asked, n, printed) <= 1 < np.interp(asked - 1, n, printed) + 1e-3
    numbers = shown["numbers"]
    assert (numbers["theorem asks for"], numbers["the 6 asks for"]) == (asked, six)
    assert curve(shown, "theorem’s |D|")[0] == asked and curve(shown, "|D| with the 6")[0] == six
    assert layer(shown, "α")["at"] == 1
    assert np.isclose(numbers["the notes’ lemma there"], printed_lemma(six, 1.0, 0.1, 0.5, d))
    at = quantile(oracle, 300, 0.1, 0.5)
    assert np.allclose(np.ravel(curve(shown, "here")), [300, at], atol=1e-10)
    assert math.isclose(numbers["exact error at n"], at, abs_tol=1e-10)
    assert np.isclose(numbers["best in R is off by"], oracle[0][0])


def test_where_the_6_falls_short_of_the_printed_lemma():
    """ln|X| ln|Q| > 2 α² ln(1/β), up to rounding |D| up; the truth is far below either way."""
    for d, alpha, beta in itertools.product((2, 3), (0.7, 0.8, 1.0), (0.001, 0.05, 0.1, 0.5)):
        numbers = demos.error_against_rows(attributes=d, alpha=alpha, beta=beta)["numbers"]
        excess = math.log(2**d) * math.log(2**d - 1) - 2 * alpha**2 * math.log(1 / beta)
        if abs(excess) > 0.1:
            assert (numbers["the notes’ lemma there"] > alpha) == (excess > 0)
        levels = workload_levels(f"{2**d - 1} marginals", alpha=alpha / 2)
        levels = list(zip(levels.errors, levels.counts, strict=True))
        assert failure(levels, alpha, numbers["the 6 asks for"], 1.0) < 1e-3


STATE = ("alpha", "beta", "epsilon", "attributes")


def test_what_the_theorem_asks_and_what_is_enough_is_told():
    def told(n, p, asked, enough, short):
        levels = workload_levels(f"{2 ** p['attributes'] - 1} marginals", alpha=p["alpha"] / 2)
        levels = list(zip(levels.errors, levels.counts, strict=True))

        def fails(rows):
            return failure(levels, p["alpha"], rows, p["epsilon"]) > p["beta"]

        state = [*map(p.get, STATE)]
        sixteen, six = asked_rows(*state)
        assert int(asked.replace(",", "")) == sixteen > p["n"]
        assert short == (printed_lemma(six, *state) > p["alpha"])
        if enough is None:
            return not fails(5) and n["enough in truth"] <= 5
        return not fails(int(enough)) and fails(int(enough) - 1) and int(enough) > 5

    def beyond(n, p, rows, alpha, error):
        asked, error_at_n = n["theorem asks for"], n["exact error at n"]
        assert int(rows.replace(",", "")) == p["n"] >= asked == asked_rows(*map(p.get, STATE))[0]
        return float(alpha) == p["alpha"] >= error_at_n and near(error, error_at_n)

    form = r"The theorem asks for (.*) rows for an error of α"
    short = ", the 6 for too few by the notes’ lemma"
    claims = {
        r"With (.*) rows the theorem promises an error of α = (.*); in truth it is (.*)\.": beyond
    }
    for missing in (True, False):
        start = form + short * missing + "; in truth "
        claims[start + r"(\d+) are enough\."] = lambda n, p, asked, enough, missing=missing: told(
            n, p, asked, enough, missing
        )
        claims[start + r"all n shown are enough\."] = lambda n, p, asked, missing=missing: told(
            n, p, asked, None, missing
        )
    also = [dict(attributes=3, epsilon=0.05, beta=beta) for beta in (0.001, 0.05)]
    also += [dict(attributes=3, epsilon=0.7), dict(attributes=3, epsilon=2.0, beta=0.02)]  # 6 and 5
    check_captions(demos.error_against_rows, claims, also=[*also, dict(epsilon=0.05, beta=0.001)])


def test_three_attributes_and_an_error_of_seven_tenths():
    numbers = scene(demos.error_against_rows, "Three attributes")
    assert (numbers["theorem asks for"], numbers["the 6 asks for"]) == (206, 174)
    assert round(numbers["the notes’ lemma there"], 3) == 0.764
    far = scene(demos.error_against_rows, "With a hundred thousand rows")
    assert round(far["exact error at n"], 4) == 0.0297 == round(far["best in R is off by"], 4)


MAPS = [
    {},
    dict(universe_size=2**20, epsilon=0.1),
    dict(universe_size=2**60, beta=0.001, delta=1e-3),
    dict(universe_size=2**8, epsilon=5.0, delta=1e-12),
]


def promised(num_queries, n, *, epsilon, beta, delta, universe_size):
    """What each of four mechanisms promises, in plain Python."""
    basic, advanced = laplace_error(num_queries, n, beta, epsilon, delta)
    return {
        "answers, basic": basic,
        "answers, advanced": advanced,
        "histogram": histogram_error(num_queries, n, universe_size, beta, epsilon),
        "SmallDB": lemma_at_best_alpha(num_queries, n, universe_size, beta, epsilon),
    }


def lies_in(region, num_queries, n):
    if not region["x"] or not region["x"][0] <= num_queries <= region["x"][-1]:
        return False
    low, high = (
        np.interp(math.log(num_queries), np.log(region["x"]), np.log(region[end]))
        for end in ("low", "high")
    )
    return low <= math.log(n) <= high


@pytest.mark.parametrize("where", MAPS)
def test_the_map_shows_the_smallest_of_the_four_numbers(where):
    """At 60 random points, except within 3% of a draw."""
    shown, state = demos.smaller_promise(**where), demos.smaller_promise.demo.complete(where)
    rng, compared = np.random.default_rng(1), 0
    for _ in range(60):
        num_queries, n = round(10 ** rng.uniform(0.5, 12)), round(10 ** rng.uniform(2.05, 9.95))
        ranked = promised(num_queries, n, **state) | {"nothing below 1": 1.0}
        ranked = sorted(ranked.items(), key=lambda item: item[1])
        if ranked[1][1] > 1.03 * ranked[0][1]:
            compared += 1
            names = [name for name in demos.REGIONS if lies_in(layer(shown, name), num_queries, n)]
            assert names == [ranked[0][0]], (num_queries, n, ranked)
    assert compared > 50


@pytest.mark.parametrize("where", MAPS)
def test_the_names_on_the_map_lie_in_their_regions(where):
    shown = demos.smaller_promise(**where)
    for name in demos.REGIONS:
        word = layer(shown, f"name: {name}")
        for x, y, words in zip(word["x"], word["y"], word["words"], strict=True):
            assert lies_in(layer(shown, name), x, y) and words.replace("\n", " ") == name
    assert "from the bounds, not from runs" in shown["axes"][0]["title"]


def test_the_line_is_where_small_db_promises_a_tenth():
    num_queries, n = curve(demos.smaller_promise(universe_size=2**30), "SmallDB promises 0.1")
    for i in (0, 50, 110):
        at = lemma_at_best_alpha(num_queries[i], round(n[i]), 2**30, 0.05, 1.0)
        assert math.isclose(at, 0.1, rel_tol=2e-3)


def test_who_leads_at_a_million_rows_is_told():
    """Just before and just after each change, where SmallDB's lead may be off by a thousandth."""

    def leads(n, p):
        state = {name: p[name] for name in ("epsilon", "beta", "delta", "universe_size")}
        for place, k in list(enumerate(n["from |Q|"]))[1:]:
            before, after = n["leaders"][place - 1 : place + 1]
            exact = "SmallDB" not in (before, after)
            gap = 1 if exact else round(0.01 * k)
            for number, leader in ((k - gap, before), (k + gap - 1, after)):
                found = promised(number, 10**6, **state)
                assert found[leader] <= min(found.values()) * (1 + 1e-12), (p, number, found)
        far = promised(10**12, 10**6, **state)
        assert np.isclose(n["SmallDB at |Q| = 10¹²"], far["SmallDB"], rtol=2e-3)
        assert np.isclose(n["histogram at |Q| = 10¹²"], far["histogram"])
        assert np.isclose(
            n["answers at |Q| = 10¹²"], min(far["answers, basic"], far["answers, advanced"])
        )
        assert min(far, key=far.get) == n["leaders"][-1]
        shown = demos.smaller_promise(**p)
        assert curve(shown, "change at 10⁶")[0].tolist() == n["from |Q|"][1:]
        return True

    def small_db_wins(n, p, since):
        there = promised(n["from |Q|"][-1], 10**6, **p)
        return (
            leads(n, p)
            and n["leaders"][-1] == "SmallDB"
            and near(since, n["from |Q|"][-1])
            and np.isclose(n["there it promises"], there["SmallDB"], rtol=2e-3)
        )

    check_captions(
        demos.smaller_promise,
        {
            r"With 10⁶ rows SmallDB’s promise is the smallest from about (.*) queries on\.": (
                small_db_wins
            ),
            r"With 10⁶ rows the histogram’s promise is the smallest from about (.*) queries on, "
            r"SmallDB’s nowhere here\.": lambda n, p, since: (
                leads(n, p)
                and "SmallDB" not in n["leaders"]
                and near(since, n["from |Q|"][n["leaders"].index("histogram")])
                and n["SmallDB leads from |Q|"] is n["there it promises"] is None
            ),
        },
        also=[
            dict(zip(("epsilon", "beta", "delta", "universe_size"), ends, strict=True))
            for ends in itertools.product((0.05, 5.0), (0.001, 0.5), (1e-12, 1e-3), (2**8, 2**60))
        ],
    )


def test_small_db_leads_from_three_million_queries_on_if_the_universe_is_large():
    forty = scene(demos.smaller_promise, "Forty attributes")
    assert forty["from |Q|"][-1] == pytest.approx(2.82e6, rel=2e-3)
    assert round(forty["there it promises"], 3) == 0.163
    assert "SmallDB" not in scene(demos.smaller_promise, "Twenty attributes")["leaders"]
    sizes = {}
    for power in (15, 20, 25, 30, 40, 50, 60):
        area = layer(demos.smaller_promise(universe_size=2**power), "SmallDB")
        sizes[power] = np.trapezoid(np.log(np.divide(area["high"], area["low"])), np.log(area["x"]))
    sizes = list(sizes.values())
    assert sizes[:5] == sorted(sizes[:5]) and sizes[4] > sizes[5] > sizes[6]


def test_exact_comparison_of_all_predicates_is_total_variation():
    shown = demos.exact_comparison(queries="127 subsets", alpha=1.0, epsilon=0.5)
    oracle, (n, small) = enumerated(3, 5, predicates=True), curve(shown, "SmallDB")
    for i in range(0, len(n), 30):
        assert math.isclose(small[i], quantile(oracle, n[i], 0.05, 0.5), abs_tol=1e-10)
    for label, k in (("answers, basic", 0), ("advanced", 1)):
        n, noise = curve(shown, label)
        expected = [laplace_error(127, rows, 0.05, 0.5, 1e-6)[k] for rows in n]
        np.testing.assert_allclose(noise, expected, rtol=1e-9)


@pytest.mark.parametrize("queries", WORKLOADS)
@pytest.mark.parametrize(("beta", "epsilon"), [(0.05, 0.5), (0.5, 5.0)])
def test_noise_on_the_histogram_is_shown_with_its_interval(queries, beta, epsilon):
    shown = demos.exact_comparison(queries=queries, beta=beta, epsilon=epsilon)
    noisy = layer(shown, "histogram, 95%")
    found = quantile_interval(workload_histogram_errors(queries), beta=beta)
    np.testing.assert_allclose([noisy["y"], noisy["low"], noisy["high"]], found)
    np.testing.assert_allclose(np.array(noisy["x"]) * epsilon, RATES)


@pytest.mark.parametrize("queries", ["2 of 64", "3 marginals", "7 marginals", "127 subsets"])
@pytest.mark.parametrize(("alpha", "epsilon", "beta"), [(0.6, 1.0, 0.05), (0.8, 5.0, 0.5)])
def test_who_is_better_from_where_on_by_comparing_every_n(queries, alpha, epsilon, beta):
    shown = demos.exact_comparison(queries=queries, alpha=alpha, epsilon=epsilon, beta=beta)
    numbers = shown["numbers"]
    first, always = numbers["answers first ahead at n"], numbers["answers always ahead from n"]
    n = np.arange(1, 2 * always + 100)
    levels = workload_levels(queries, alpha=alpha)
    small = np.concatenate(
        [levels.error(n=part, beta=beta, epsilon=epsilon) for part in np.array_split(n, 100)]
    )
    both = laplace_error(len(workload(queries)[1]), 1, beta, epsilon, 1e-6)
    noise = min(both)
    assert numbers["composition of the answers"] == ("basic", "advanced")[both[1] < both[0]]
    assert first == n[noise / n < small][0] == layer(shown, "answers first better")["at"]
    assert always == n[noise / n >= small][-1] + 1 == layer(shown, "answers always better")["at"]
    least = levels.error(n=10**6, beta=beta, epsilon=epsilon)
    assert numbers["SmallDB comes down to"] == least
    guess = max(abs(0.5 - a) for a in fractions(*workload(queries)))
    assert np.isclose(layer(shown, "½ for all")["at"], guess)
    assert np.isclose(numbers["½ for all is off by"], guess)
    (words,) = [
        w for side in ("left", "right") for w in layer(shown, f"answers better, {side}")["words"]
    ]
    assert f"from {'n = ' * (first == always)}{always:,} on" in words
    assert (f"first at n = {first:,}," in words) == (first < always)
    better = numbers["½ better than SmallDB at n"]
    if better is None:
        assert small[2] <= guess + 1e-9
    else:
        until = int(better[1])
        assert better[0] == 3 and small[until - 1] > guess + 1e-9
        assert until == 300_000 or guess + 1e-9 >= small[math.ceil(1.05 * until + 1)]


@pytest.mark.parametrize(
    ("where", "best"),
    [
        (dict(queries="7 marginals"), None),
        (dict(queries="127 subsets"), None),
        (dict(queries="3 marginals", alpha=0.4), (160, 160)),
        (dict(queries="7 marginals", alpha=0.9), (90, 90)),
        (dict(queries="2 of 64"), None),
        (dict(queries="2 of 64", alpha=0.5), (40, 90)),
    ],
)
def test_where_small_db_and_where_the_histogram_is_best_by_other_runs(where, best):
    """At n = 10 to 3,000; a difference below 5% is not asked for."""
    state = demos.exact_comparison.demo.complete(where)
    numbers = demos.exact_comparison(**where)["numbers"]
    behind, small_at = numbers["histogram last behind at n"], numbers["SmallDB is best at n"]
    levels = workload_levels(state["queries"], alpha=state["alpha"])
    noise = min(laplace_error(len(workload(state["queries"])[1]), 1, 0.05, 1.0, 1e-6))
    guess = np.abs(0.5 - fractions(*workload(state["queries"]))).max()
    for n in (10, 20, 40, 90, 160, 300, 1000, 3000):
        small = levels.error(n=n, beta=0.05, epsilon=1.0)
        errors = np.sort(fresh_histogram_errors(state["queries"], n, 1.0, 4_000, n))
        other = errors[math.ceil(0.95 * 4_000) - 1]
        if small < 0.95 * min(other, guess, noise / n):
            assert small_at and small_at[0] <= n <= small_at[1]
        if small < 0.95 * other:
            assert behind and n <= behind
    if best:
        assert small_at[0] <= best[0] <= best[1] <= small_at[1]
    else:
        assert small_at is None
    assert numbers["best with many rows"] == ("histogram" if other < noise / n else "answers")


def test_no_number_says_that_the_histogram_is_behind_where_it_is_ahead():
    """Three marginals: it is behind in three short stretches, and ahead between them."""
    numbers = demos.exact_comparison()["numbers"]
    levels = workload_levels("3 marginals", alpha=0.6)
    for n in (20, 30):
        errors = np.sort(fresh_histogram_errors("3 marginals", n, 1.0, 4_000, n))
        assert errors[math.ceil(0.97 * 4_000)] < levels.error(n=n, beta=0.05, epsilon=1.0)
        said = [value for name, value in numbers.items() if name.startswith("histogram behind")]
        stretches = [stretch for value in said for stretch in np.reshape(value, (-1, 2))]
        assert stretches and not any(low <= n <= high for low, high in stretches)
    assert numbers["histogram last behind at n"] == 38


def test_where_small_db_is_the_best_is_told():
    def compared(p):
        """At each n: SmallDB's error, the least of the others, and the histogram's at most."""
        shown = demos.exact_comparison(**p)
        n, small = curve(shown, "SmallDB")
        both = laplace_error(len(workload(p["queries"])[1]), 1, p["beta"], p["epsilon"], p["delta"])
        noisy = layer(shown, "histogram, 95%")
        x = np.log(np.append(noisy["x"], 1e9))
        low, high = (  # beyond the last dot as 1/n
            np.exp(np.interp(np.log(n), x, np.log(np.append(y, y[-1] * noisy["x"][-1] / 1e9))))
            for y in (noisy["low"], noisy["high"])
        )
        others = np.minimum(np.minimum(min(both) / n, low), layer(shown, "½ for all")["at"])
        return n, small, others, high[-1] < min(both) / n[-1], low[-1] > min(both) / n[-1]

    def nowhere(n, p, least, end):
        return near(least, n["SmallDB comes down to"]) and told(n, p, None, None, end, stretches=0)

    def told(n, p, low, high, end, *, stretches=1):
        places, small, others, histogram, answers_best = compared(p)
        best = places[small < others - 1e-9]
        assert {"histogram": histogram, "answers": answers_best}[end] and small[-1] > others[-1]
        assert len(n["SmallDB is best, stretches"]) == stretches or stretches > 1
        if low is None:
            return not len(best)
        return near(low, best[0]) and near(high, best[-1])

    end = r"; with many rows, noise on the (histogram|answers) is\."
    check_captions(
        demos.exact_comparison,
        {
            r"SmallDB comes down to (.*) and is clearly the best at no n shown" + end: nowhere,
            r"SmallDB is the best from n ≈ (.*) to (.*)" + end: told,
            r"SmallDB is the best only near n = (.*)" + end: lambda n, p, at, end: told(
                n, p, at, at, end
            ),
            r"SmallDB is the best now and then from n ≈ (.*) to (.*)" + end: (
                lambda n, p, *said: (
                    told(n, p, *said, stretches=2) and len(n["SmallDB is best, stretches"]) > 1
                )
            ),
        },
        also=[
            dict(alpha=0.7, epsilon=4.0, beta=0.5),
            dict(queries="7 marginals", alpha=0.4, epsilon=0.1, beta=0.5),
        ],
    )


def test_scenes_of_the_comparison_have_the_notebook_s_numbers():
    seven, lucky, subsets_, two = (
        scene(demos.exact_comparison, name)
        for name in (
            "Seven marginals",
            "Seven marginals, a lucky α",
            "All subsets of eight elements",
            "Two queries on 64 elements",
        )
    )
    assert round(seven["SmallDB comes down to"], 4) == 0.0744
    assert (seven["answers first ahead at n"], seven["answers always ahead from n"]) == (353, 463)
    assert seven["½ better than SmallDB at n"][1] == 20
    assert seven["histogram last behind at n"] == 4 and seven["SmallDB is best at n"] is None
    assert lucky["SmallDB is best at n"] == [68, 92]
    assert subsets_["answers always ahead from n"] == 5679
    assert subsets_["histogram last behind at n"] == 6
    assert two["SmallDB is best at n"] == [34, 131] and two["best with many rows"] == "answers"
    for queries, last in (("3 marginals", 38), ("15 marginals", 5)):
        numbers = demos.exact_comparison(queries=queries)["numbers"]
        assert numbers["histogram last behind at n"] == last


def test_alpha_begins_where_r_is_small_enough():
    stops = demos.exact_comparison.demo.stops
    for queries, least in (("2 of 64", 0.5), ("15 marginals", 0.6), ("7 marginals", 0.35)):
        assert stops("alpha", {"queries": queries})[0] == least
