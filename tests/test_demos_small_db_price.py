"""What the pictures of notebook 05 on prices show, against enumeration, formulas and new runs."""

import itertools
import math
import re

import numpy as np
import pytest

from course_lib.demos import small_db_price as price
from course_lib.demos.explore import about, explore, sweep
from course_lib.lab.confidence import quantile_interval
from course_lib.lab.histograms import WORKLOADS, workload
from course_lib.lab.small_db import RATES, at_rates, workload_histogram_errors, workload_levels
from course_lib.linear_queries import fractions
from tests.pictures import lines
from tests.test_lab_small_db import enumerated, fresh_histogram_errors
from tests.test_linear_queries import laplace_error


def failure(errors, error, n, epsilon):
    """The chance of more than this error, for weights exp(-epsilon n error / 2)."""
    least = errors[0][0]
    weights = [(e, k * math.exp(-epsilon * n * (e - least) / 2)) for e, k in errors]
    return sum(w for e, w in weights if e > error + 1e-12) / sum(w for _, w in weights)


def quantile(errors, n, beta, epsilon):
    return next(e for e, _ in errors if failure(errors, e, n, epsilon) <= beta)


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
        levels = workload_levels(f"{2**d - 1} marginals", alpha=alpha / 2)
        (scan,) = lines(panel)["|D| with the 6"].get_xdata()
        at_scan = failure(list(zip(levels.errors, levels.counts, strict=True)), alpha, scan, 1.0)
        assert at_scan < 1e-3


def test_error_against_rows_has_the_rows_that_are_enough():
    panel = explore(price.error_against_rows, epsilon=5.0, beta=0.5)
    assert panel.sentence.endswith("at most α in the whole picture (|D| ≥ 5).")
    assert panel.figure.axes[0].get_xlim()[0] == 5
    assert lines(panel)["exact"].get_ydata()[0] <= 0.7
    panel.set(beta=0.001, epsilon=0.05, alpha=0.7)
    rows = int(re.search(r"from \|D\| = (\d+) on\.$", panel.sentence)[1])
    levels = workload_levels("7 marginals", alpha=0.35)
    errors = levels.error(n=[rows - 1, rows], beta=0.001, epsilon=0.05)
    assert errors[0] > 0.7 >= errors[1]


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


@pytest.mark.parametrize("queries", WORKLOADS)
@pytest.mark.parametrize(("beta", "epsilon"), [(0.05, 0.5), (0.5, 5.0)])
def test_noise_on_the_histogram_is_shown_with_its_interval(queries, beta, epsilon):
    panel = explore(price.exact_comparison, queries=queries, beta=beta, epsilon=epsilon)
    n, shown = lines(panel)["histogram, 95%"].get_data()
    (bars,) = [c for c in panel.figure.axes[0].collections if hasattr(c, "get_segments")]
    ends = np.array(bars.get_segments())[:, :, 1]
    found = quantile_interval(workload_histogram_errors(queries), beta=beta)
    np.testing.assert_allclose([shown, *ends.T], found)
    np.testing.assert_allclose(n * epsilon, RATES)
    assert ((ends[:, 0] <= shown) & (shown <= ends[:, 1])).all()


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
    levels = workload_levels(queries, alpha=alpha)
    small = np.concatenate(
        [levels.error(n=part, beta=beta, epsilon=epsilon) for part in np.array_split(n, 100)]
    )
    noise = min(laplace_error(len(workload(queries)[1]), 1, beta, epsilon, 1e-6))
    assert first == n[noise / n < small][0]
    assert always == n[noise / n >= small][-1] + 1
    least = levels.error(n=10**6, beta=beta, epsilon=epsilon)
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
    queries = panel.values["queries"]
    levels = workload_levels(queries, alpha=panel.values["alpha"])
    noise = min(laplace_error(len(workload(queries)[1]), 1, 0.05, 1.0, 1e-6))
    guess = np.abs(0.5 - fractions(*workload(queries))).max()
    for n in (10, 20, 40, 90, 160, 300, 1000, 3000):
        small = levels.error(n=n, beta=0.05, epsilon=1.0)
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
        levels, n = workload_levels(queries, alpha=0.6), price.WIDE
        noise = min(laplace_error(len(workload(queries)[1]), 1, 0.05, 1.0, 1e-6))
        others = np.minimum(levels.error(n=n, beta=0.05, epsilon=1.0), noise / n)
        found = quantile_interval(workload_histogram_errors(queries), beta=0.05)
        _, low, high = (at_rates(each, n) for each in found)
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
