"""What the pictures of notebook 05 on prices show, against enumeration, formulas and new runs."""

import itertools
import math
import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

from course_lib.demos import small_db_laplace as promises
from course_lib.demos import small_db_price as price
from course_lib.demos.explore import about, explore, sweep
from course_lib.demos.small_db_histogram import GRID, between, histogram_quantiles
from course_lib.demos.small_db_sample import WORKLOADS, workload
from course_lib.exact.small_db import error_quantile
from course_lib.lab.histograms import survey_histogram
from course_lib.linear_queries import fractions
from course_lib.small_db import scored
from tests.pictures import lines

NAMES = ("visit", "chronic", "unwell", "free", "frequent", "limited")


def shares(d):
    _, histogram = survey_histogram(*NAMES[:d])
    return [float(count / histogram.sum()) for count in histogram]


def attribute_sets(d):
    """The marginals of d attributes, the smallest sets first; of six only the first two."""
    sets = [s for k in range(1, d + 1) for s in itertools.combinations(range(d), k)]
    return sets[:2] if d == 6 else sets


def enumerated(d, size, *, predicates=False):
    """The largest error of each database of `size` rows, in plain Python: error, how many."""
    truth, sets = shares(d), attribute_sets(d)
    asked = [[x for x in range(2**d) if all(x >> (d - 1 - i) & 1 for i in s)] for s in sets]
    found = Counter()
    for rows in itertools.combinations_with_replacement(range(2**d), size):
        gaps = [rows.count(x) / size - truth[x] for x in range(2**d)]
        if predicates:  # the worst predicate takes all elements of which there are too many
            worst = sum(abs(gap) for gap in gaps) / 2
        else:
            worst = max(abs(sum(gaps[x] for x in elements)) for elements in asked)
        found[round(worst, 12)] += 1
    return sorted(found.items())


def failure(errors, error, n, epsilon):
    """The chance of more than this error, for weights exp(-epsilon n error / 2)."""
    least = errors[0][0]
    weights = [(e, k * math.exp(-epsilon * n * (e - least) / 2)) for e, k in errors]
    return sum(w for e, w in weights if e > error + 1e-12) / sum(w for _, w in weights)


def quantile(errors, n, beta, epsilon):
    return next(e for e, _ in errors if failure(errors, e, n, epsilon) <= beta)


@pytest.mark.parametrize(
    ("queries", "d", "size"),
    [("2 of 64", 6, 2), ("3 marginals", 2, 4), ("7 marginals", 3, 6), ("127 subsets", 3, 5)],
)
def test_error_levels_are_those_of_enumeration_in_another_order(queries, d, size):
    levels, counts = price.error_levels(queries, 1.0 if size == 5 else 0.6)
    oracle = enumerated(d, size, predicates=size == 5)
    assert counts.sum() == math.comb(2**d + size - 1, size)
    one_by_one = [error for error, number in oracle for _ in range(number)]
    np.testing.assert_allclose(np.repeat(levels, counts), one_by_one, atol=3e-12)


def test_exact_error_is_the_library_s_with_every_candidate_on_its_own():
    histogram, queries = workload("7 marginals")
    errors = np.sort(np.concatenate([e for _, e in scored(histogram, queries, 0.45)]))
    levels = price.error_levels("7 marginals", 0.45)
    n = np.array([1, 17, 60, 150, 400, 10_000])
    for beta, epsilon in ((0.05, 1.0), (0.001, 0.3), (0.5, 5.0)):
        at = {"beta": beta, "epsilon": epsilon}
        one_by_one = [error_quantile(errors, n=rows, **at) for rows in n]
        np.testing.assert_allclose(price.exact_error(*levels, n=n, **at), one_by_one, atol=1e-11)


@pytest.mark.parametrize(("d", "m"), [(2, 5), (3, 8)])
def test_error_against_rows_shows_the_exact_error_the_lemma_and_the_theorem(d, m):
    """α = 1: SmallDB runs with 0.5. The formulas of the notes, written again."""
    panel = explore(price.error_against_rows, alpha=1.0, epsilon=0.5, beta=0.1, n=300, attributes=d)
    oracle, shown = enumerated(d, m), lines(panel)
    n, exact = shown["exact"].get_data()
    for i in range(0, len(n), 40):
        assert math.isclose(exact[i], quantile(oracle, n[i], 0.1, 0.5), abs_tol=1e-10)
    log_x, log_q, log_r = math.log(2**d), math.log(2**d - 1), math.log(math.comb(2**d + m - 1, m))
    lemma = 0.5 + 2 * (log_r + math.log(10)) / (0.5 * n)
    printed = 0.5 + 2 * (log_x * log_q / 0.25 + math.log(10)) / (0.5 * n)
    np.testing.assert_allclose(shown["accuracy lemma"].get_ydata(), lemma)
    np.testing.assert_allclose(shown["in the notes"].get_ydata(), printed)
    asked = math.ceil((16 * log_x * log_q + 4 * math.log(10)) / 0.5)
    scanned = math.ceil(6 * (log_x * log_q + 4 * math.log(10)) / 0.5)
    assert shown["theorem’s |D|"].get_xydata().tolist() == [[asked, 1]]
    assert shown["|D| with the 6"].get_xydata().tolist() == [[scanned, 1]]
    assert np.interp(asked, n, printed) <= 1 < np.interp(asked - 1, n, printed) + 1e-3
    dot = panel.figure.axes[0].get_lines()[-1].get_xydata().tolist()
    assert dot == [[300, pytest.approx(quantile(oracle, 300, 0.1, 0.5), abs=1e-10)]]
    assert f"asks for |D| = {asked:,}, the transcript’s 6 for {scanned:,}" in panel.sentence
    assert f"error is {about(dot[0][1])} at n = 300" in panel.sentence


def test_error_against_rows_tells_where_the_6_falls_short_of_the_printed_lemma():
    """ln|X| ln|Q| > 2 α² ln(1/β), up to rounding |D| up; the truth is far below either way."""
    panel = explore(price.error_against_rows)
    for d, alpha, beta in itertools.product((2, 3), (0.7, 0.8, 1.0), (0.001, 0.05, 0.1, 0.5)):
        panel.set(attributes=d, alpha=alpha, beta=beta)
        excess = math.log(2**d) * math.log(2**d - 1) - 2 * alpha**2 * math.log(1 / beta)
        if abs(excess) > 0.1:
            assert ("too much" in panel.sentence) == (excess > 0), panel.sentence
        levels = price.error_levels(f"{2**d - 1} marginals", alpha / 2)
        (scan,) = lines(panel)["|D| with the 6"].get_xdata()
        at_scan = failure(list(zip(*levels, strict=True)), alpha, scan, 1.0)
        assert at_scan < 1e-3


def test_error_against_rows_has_the_rows_that_are_enough():
    oracle = enumerated(3, 8)
    levels = price.error_levels("7 marginals", 0.5)
    for alpha, beta, epsilon in ((0.5, 0.05, 1.0), (0.3, 0.001, 0.2), (0.8, 0.001, 0.05)):
        enough = price.enough_rows(*levels, alpha=alpha, beta=beta, epsilon=epsilon)
        chances = [failure(oracle, alpha, n, epsilon) for n in (enough - 1, enough)]
        assert chances[1] <= beta < chances[0]
    panel = explore(price.error_against_rows, epsilon=5.0, beta=0.5)
    assert panel.sentence.endswith("at most α in the whole picture (|D| ≥ 5).")
    assert panel.figure.axes[0].get_xlim()[0] == 5
    assert lines(panel)["exact"].get_ydata()[0] <= 0.7
    panel.set(beta=0.001, epsilon=0.05, alpha=0.7)
    rows = int(re.search(r"from \|D\| = (\d+) on\.$", panel.sentence)[1])
    levels = price.error_levels("7 marginals", 0.35)
    errors = price.exact_error(*levels, n=np.array([rows - 1, rows]), beta=0.001, epsilon=0.05)
    assert errors[0] > 0.7 >= errors[1]


def laplace_error(num_queries, n, beta, epsilon, delta):
    """Basic and advanced composition, in plain Python; Theorem 3.20 solved by bisection."""
    low, high = 0.0, epsilon
    for _ in range(200):
        each = (low + high) / 2
        total = each * math.sqrt(2 * num_queries * math.log(1 / delta))
        total += num_queries * each * math.expm1(each)
        low, high = (each, high) if total <= epsilon else (low, each)
    worst = -math.log(-math.expm1(math.log1p(-beta) / num_queries))
    return worst * num_queries / epsilon / n, worst / low / n


def test_exact_comparison_of_all_predicates_is_total_variation():
    panel = explore(price.exact_comparison, queries="127 subsets", alpha=1.0, epsilon=0.5)
    oracle = enumerated(3, 5, predicates=True)
    n, shown = lines(panel)["SmallDB"].get_data()
    for i in range(0, len(n), 30):
        assert math.isclose(shown[i], quantile(oracle, n[i], 0.05, 0.5), abs_tol=1e-10)
    for label, k in (("answers, basic", 0), ("advanced", 1)):
        n, shown = lines(panel)[label].get_data()
        expected = [laplace_error(127, rows, 0.05, 0.5, 1e-6)[k] for rows in n]
        np.testing.assert_allclose(shown, expected, rtol=1e-9)


@pytest.mark.parametrize("number", [3, 127])
def test_laplace_answers_exceed_their_line_with_probability_beta(number):
    """100,000 runs; the number beyond leaves its central 99.9% interval once in a thousand."""
    (rows, _) = promises.laplace_rows(number, beta=0.05, epsilon=2.0, delta=1e-6)
    noise = np.random.default_rng(3).laplace(scale=number / 2.0, size=(100_000, number))
    beyond = np.count_nonzero(np.abs(noise).max(axis=1) > rows)
    low, high = binom.ppf([0.0005, 0.9995], 100_000, 0.05)
    assert low <= beyond <= high


def fresh_histogram_errors(queries, n, epsilon, runs, seed):
    """The largest error when the counts get noise and negative ones become 0, in plain NumPy."""
    d = {"2": 6, "3": 2, "7": 3, "15": 4, "127": 3}[queries.split()[0]]
    share = np.array(shares(d))
    counts = n * share + np.random.default_rng(seed).laplace(scale=2 / epsilon, size=(runs, 2**d))
    counts[counts < 0] = 0
    total = counts.sum(axis=1)[:, None]
    found = np.where(total > 0, counts / np.maximum(total, 1e-300), 1 / 2**d) - share
    if queries == "127 subsets":  # every subset of the eight elements
        sets = np.array(list(itertools.product((0, 1), repeat=8)))
    else:
        sets = [
            [all(x >> (d - 1 - i) & 1 for i in s) for x in range(2**d)] for s in attribute_sets(d)
        ]
        sets = np.array(sets)
    return np.abs(found @ sets.T).max(axis=1)


@pytest.mark.parametrize("queries", WORKLOADS)
@pytest.mark.parametrize(("beta", "epsilon"), [(0.05, 0.5), (0.5, 5.0)])
def test_noise_on_the_histogram_by_other_runs(queries, beta, epsilon):
    """At three dots each: the shown 95% interval meets the 99.9% one of 4,000 new runs."""
    panel = explore(price.exact_comparison, queries=queries, beta=beta, epsilon=epsilon)
    n, shown = lines(panel)["histogram, 95%"].get_data()
    (bars,) = [c for c in panel.figure.axes[0].collections if hasattr(c, "get_segments")]
    ends = np.array(bars.get_segments())[:, :, 1]
    assert ((ends[:, 0] <= shown) & (shown <= ends[:, 1])).all()
    least, most = binom.ppf([0.0005, 0.9995], 4_000, 1 - beta).astype(int)
    for i in (8, 18, 30):
        errors = np.sort(fresh_histogram_errors(queries, n[i], epsilon, 4_000, i))
        assert ends[i, 0] <= errors[most] + 1e-9 and errors[least - 1] <= ends[i, 1] + 1e-9


def test_far_out_the_histogram_s_error_is_proportional_to_one_over_n():
    """So what follows the last dot is known; within 3% from dot to dot, the same noise in both."""
    for queries in WORKLOADS:
        for curve in histogram_quantiles(queries, 0.05):
            np.testing.assert_allclose(np.diff(np.log(curve * GRID)[-4:]), 0, atol=0.03)
            np.testing.assert_allclose(between(curve, GRID), curve)
            assert np.isclose(between(curve, 10 * GRID[-1]), curve[-1] / 10)


@pytest.mark.parametrize("queries", ["2 of 64", "3 marginals", "7 marginals", "127 subsets"])
@pytest.mark.parametrize(("alpha", "epsilon", "beta"), [(0.6, 1.0, 0.05), (0.8, 5.0, 0.5)])
def test_who_is_better_from_where_on_by_comparing_every_n(queries, alpha, epsilon, beta):
    panel = explore(
        price.exact_comparison, queries=queries, alpha=alpha, epsilon=epsilon, beta=beta
    )
    found = re.search(
        r"\), (?:first at n ≈ ([\d,]+), always )?from (?:n ≈ )?([\d,]+) on;", panel.sentence
    )
    first, always = (int((number or found[2]).replace(",", "")) for number in found.groups())
    n = np.arange(1, 2 * always + 100)
    levels = price.error_levels(queries, alpha)
    small = np.concatenate(
        [
            price.exact_error(*levels, n=part, beta=beta, epsilon=epsilon)
            for part in np.split(n, n[99::100])
        ]
    )
    noise = min(laplace_error(len(workload(queries)[1]), 1, beta, epsilon, 1e-6))
    assert first == n[noise / n < small][0]
    assert always == n[noise / n >= small][-1] + 1
    least = price.exact_error(*levels, n=10**6, beta=beta, epsilon=epsilon)
    assert panel.sentence.startswith(f"SmallDB’s error is at least {about(least)}. ½ for all (")
    guess = max(abs(0.5 - a) for a in fractions(*workload(queries)))
    assert np.isclose(lines(panel)["½ for all"].get_ydata()[0], guess)
    better = rf"\({about(guess)}\) is better (nowhere|everywhere|up to n ≈ (\d+));"
    where, until = re.search(better, panel.sentence).groups()
    if until:
        assert small[int(until) - 1] > guess + 1e-9 >= small[math.ceil(1.05 * int(until) + 1)]
    elif where == "everywhere":
        assert least > guess + 1e-9
    else:
        assert small[2] <= guess + 1e-9
    assert [mark.get_xdata()[0] for mark in panel.figure.axes[0].get_lines()[-2:]] == [
        first,
        always,
    ]


def told_stretches(sentence):
    """What the sentence says of the histogram and of SmallDB: two ranges of n or None."""
    pattern = r"histogram, (?:everywhere|except n ≈ ([\d,]+) to ([\d,]+).*?)\. SmallDB is best "
    pattern += r"(?:nowhere in the picture|at n ≈ ([\d,]+) to ([\d,]+).*?); far"
    a, b, c, d = (g and int(g.replace(",", "")) for g in re.search(pattern, sentence).groups())
    return a and (a, b), c and (c, d)


@pytest.mark.parametrize(
    ("where", "best"),
    [
        ({"queries": "7 marginals"}, None),
        ({"queries": "127 subsets"}, None),
        ({"queries": "3 marginals", "alpha": 0.4}, (160, 160)),
        ({"queries": "7 marginals", "alpha": 0.9}, (90, 90)),
        ({"queries": "2 of 64"}, None),
        ({"queries": "2 of 64", "alpha": 0.5}, (40, 90)),
    ],
)
def test_where_small_db_and_where_the_histogram_is_best_by_other_runs(where, best):
    """At n = 10 to 3,000; a difference below 5% is not asked for."""
    panel = explore(price.exact_comparison, **where)
    except_at, small_at = told_stretches(panel.sentence)
    queries, levels = (
        panel.values["queries"],
        price.error_levels(panel.values["queries"], panel.values["alpha"]),
    )
    noise = min(laplace_error(len(workload(queries)[1]), 1, 0.05, 1.0, 1e-6))
    guess = np.abs(0.5 - fractions(*workload(queries))).max()
    for n in (10, 20, 40, 90, 160, 300, 1000, 3000):
        small = price.exact_error(*levels, n=n, beta=0.05, epsilon=1.0)
        errors = np.sort(fresh_histogram_errors(queries, n, 1.0, 4_000, n))
        other = errors[math.ceil(0.95 * 4_000) - 1]
        if small < 0.95 * min(other, guess, noise / n):
            assert small_at and small_at[0] <= n <= small_at[1]
        if small < 0.95 * other:
            assert except_at and except_at[0] <= n <= except_at[1]
    if best:
        assert small_at[0] <= best[0] <= best[1] <= small_at[1]
    else:
        assert small_at is None
    assert panel.sentence.endswith(
        f"far right, noise on the {'histogram' if other < noise / n else 'answers'} is."
    )


def test_the_histogram_is_the_best_in_four_pictures_of_five():
    """α = 0.6, ε = 1, β = 0.05: after these n in the picture, and never for two queries of 64."""
    last = {"3 marginals": 38, "7 marginals": 4, "15 marginals": 5, "127 subsets": 6}
    for queries in WORKLOADS:
        levels, n = price.error_levels(queries, 0.6), price.WIDE
        noise = min(laplace_error(len(workload(queries)[1]), 1, 0.05, 1.0, 1e-6))
        others = np.minimum(price.exact_error(*levels, n=n, beta=0.05, epsilon=1.0), noise / n)
        low, high = (between(each, n) for each in histogram_quantiles(queries, 0.05)[1:])
        if queries == "2 of 64":
            assert (low > others)[n > 30].all()
        else:
            assert n[high >= others][-1] == last[queries]


def test_what_cannot_be_enumerated_at_once_is_refused_with_a_sentence():
    panel = explore(price.exact_comparison, alpha=0.4)
    for queries in ("15 marginals", "127 subsets"):
        told = panel.set(queries=queries, alpha=0.5).sentence
        assert told.startswith(f"α must be at least 0.6 for {queries} in this picture, got 0.5")
    assert "noise on the answers (advanced), " in panel.set(alpha=0.8).sentence
    told = panel.set(queries="2 of 64", alpha=0.45).sentence
    assert told.startswith("α must be at least 0.5 for 2 of 64 in this picture, got 0.45")


def test_every_slider_changes_the_picture():
    sweep(explore(price.error_against_rows), explore(price.exact_comparison))
