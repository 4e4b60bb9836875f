"""What the pictures of notebook 05 on prices show, against enumeration, formulas and quadrature."""

import itertools
import math
import re
from collections import Counter

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import binom, laplace

from course_lib.demos import small_db_laplace as promises
from course_lib.demos import small_db_price as price
from course_lib.demos.explore import about, explore, sweep
from course_lib.lab.histograms import survey_histogram
from course_lib.linear_queries import fractions
from course_lib.small_db import error_quantile, scored, small_db_error

NAMES = ("visit", "chronic", "unwell", "free")


def lines(panel):
    return {line.get_label(): line for line in panel.figure.axes[0].get_lines()}


def shares(d):
    _, histogram = survey_histogram(*NAMES[:d])
    return [float(count / histogram.sum()) for count in histogram]


def enumerated(d, size, *, predicates=False):
    """The largest error of each database of `size` rows, in plain Python: error, how many."""
    truth = shares(d)
    sets = [s for k in range(1, d + 1) for s in itertools.combinations(range(d), k)]
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


@pytest.mark.parametrize("queries", ["3 marginals", "7 marginals", "127 predicates"])
def test_error_levels_are_those_of_enumeration_in_another_order(queries):
    d, size = {"3 marginals": (2, 4), "7 marginals": (3, 6), "127 predicates": (3, 5)}[queries]
    levels, counts = price.error_levels(queries, 1.0 if size == 5 else 0.6)
    oracle = enumerated(d, size, predicates=size == 5)
    assert counts.sum() == math.comb(2**d + size - 1, size)
    one_by_one = [error for error, number in oracle for _ in range(number)]
    np.testing.assert_allclose(np.repeat(levels, counts), one_by_one, atol=3e-12)


def test_exact_error_is_the_library_s_with_every_candidate_on_its_own():
    histogram, queries = price.workload("7 marginals")
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
    np.testing.assert_allclose(shown["lemma"].get_ydata(), lemma)
    np.testing.assert_allclose(shown["lemma, printed"].get_ydata(), printed)
    asked = math.ceil((16 * log_x * log_q + 4 * math.log(10)) / 0.5)
    scanned = math.ceil(6 * (log_x * log_q + 4 * math.log(10)) / 0.5)
    assert shown["theorem’s |D|"].get_xydata().tolist() == [[asked, 1]]
    assert shown["scan’s |D|"].get_xydata().tolist() == [[scanned, 1]]
    assert np.interp(asked, n, printed) <= 1 < np.interp(asked - 1, n, printed) + 1e-3
    dot = panel.figure.axes[0].get_lines()[-1].get_xydata().tolist()
    assert dot == [[300, pytest.approx(quantile(oracle, 300, 0.1, 0.5), abs=1e-10)]]
    assert f"asks for |D| = {asked:,}, the scan’s 6 for {scanned:,}" in panel.sentence
    assert f"error is {about(dot[0][1])} at n = 300" in panel.sentence


def test_error_against_rows_tells_where_the_6_falls_short_of_the_printed_lemma():
    """ln|X| ln|Q| > 2 α² ln(1/β), up to rounding |D| up; the truth is far below either way."""
    panel = explore(price.error_against_rows)
    for d, alpha, beta in itertools.product((2, 3), (0.7, 0.8, 1.0), (0.001, 0.05, 0.1, 0.5)):
        panel.set(attributes=d, alpha=alpha, beta=beta)
        excess = math.log(2**d) * math.log(2**d - 1) - 2 * alpha**2 * math.log(1 / beta)
        if abs(excess) > 0.1:
            assert ("too much" in panel.sentence) == (excess > 0), panel.sentence
        (told,) = re.findall(r"probability ([^ ]+)\. The", panel.sentence) or ["10⁻⁹⁹"]
        assert "·10⁻" in told or told.startswith("10⁻")  # below 0.001
    assert "α is never exceeded" in panel.set(alpha=1.0, attributes=3).sentence


def test_error_against_rows_has_the_exact_failure_and_the_rows_that_are_enough():
    oracle = enumerated(3, 8)
    levels = price.error_levels("7 marginals", 0.5)
    for alpha, beta, epsilon in ((0.5, 0.05, 1.0), (0.3, 0.001, 0.2), (0.8, 0.001, 0.05)):
        enough = price.enough_rows(*levels, alpha=alpha, beta=beta, epsilon=epsilon)
        chances = [failure(oracle, alpha, n, epsilon) for n in (enough - 1, enough)]
        assert chances[1] <= beta < chances[0]
    panel = explore(price.error_against_rows, alpha=0.9, epsilon=5.0, beta=0.5)  # m = ⌈ln 7/0.2025⌉
    oracle = enumerated(3, 10)
    (scan,) = lines(panel)["scan’s |D|"].get_xdata()
    assert f"exceeded with probability {about(failure(oracle, 0.9, scan, 5.0))}." in panel.sentence
    assert panel.sentence.endswith("at most α at every |D|.")
    panel.set(beta=0.001, epsilon=0.05, alpha=0.7)
    rows = int(re.search(r"from \|D\| = (\d+) on\.$", panel.sentence)[1])
    levels = price.error_levels("7 marginals", 0.35)
    errors = price.exact_error(*levels, n=np.array([rows - 1, rows]), beta=0.001, epsilon=0.05)
    assert errors[0] > 0.7 >= errors[1]


def lemma_at_best_alpha(num_queries, n, universe_size, beta, epsilon):
    grid = np.geomspace(1e-12, 2, 6_000)
    at = {"universe_size": universe_size, "beta": beta, "epsilon": epsilon}
    return small_db_error(n=n, num_queries=num_queries, alpha=grid, **at).min()


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


@pytest.mark.parametrize(
    "where",
    [
        {},
        {"universe_size": "2^3", "epsilon": 0.1},
        {"universe_size": "2^60", "beta": 0.001, "delta": 1e-3},
        {"universe_size": "2^8", "epsilon": 5.0, "delta": 1e-12},
    ],
)
def test_the_map_shows_the_smallest_of_the_three_numbers(where):
    """At 60 random points, except within 1% of a draw."""
    panel = explore(promises.smaller_promise, **where)
    values = panel.values
    universe = 2.0 ** int(values.pop("universe_size")[2:])
    areas = {patch.get_label(): patch.get_path() for patch in panel.figure.axes[0].patches}
    rng, compared = np.random.default_rng(1), 0
    for _ in range(60):
        num_queries, n = round(10 ** rng.uniform(0.5, 12)), round(10 ** rng.uniform(2.05, 9.95))
        basic, advanced = laplace_error(num_queries, n, **values)
        small = lemma_at_best_alpha(num_queries, n, universe, values["beta"], values["epsilon"])
        numbers = {"SmallDB": small, "Laplace, basic": basic, "Laplace, advanced": advanced}
        ranked = sorted([*numbers.items(), ("nothing below 1", 1.0)], key=lambda item: item[1])
        if ranked[1][1] > 1.03 * ranked[0][1]:
            compared += 1
            point = [math.log(num_queries), math.log(n)]
            inside = [
                name
                for name, path in areas.items()
                if type(path)(np.log(path.vertices)).contains_point(point)
            ]
            assert inside == [ranked[0][0]], (num_queries, n, numbers)
    assert compared > 50


def test_the_promise_is_the_lemma_at_its_best_alpha_and_its_rows_are_its_inverse():
    promise = promises.Promise(2.0**20, 0.05, 1.0)
    for num_queries, n in ((5, 10**4), (10**6, 10**6), (10**12, 10**10)):
        best = lemma_at_best_alpha(num_queries, n, 2**20, 0.05, 1.0)
        assert math.isclose(promise.at(num_queries, n)[0], best, rel_tol=1e-3)
        assert math.isclose(promise.rows(num_queries, best), n, rel_tol=5e-3)
    panel = explore(promises.smaller_promise)
    num_queries, n = lines(panel)["SmallDB promises 0.1"].get_data()
    for i in (0, 50, 110):
        at = lemma_at_best_alpha(num_queries[i], round(n[i]), 2**20, 0.05, 1.0)
        assert math.isclose(at, 0.1, rel_tol=2e-3)


def test_the_sentence_of_the_map_is_true_at_the_ends_of_all_sliders():
    """The named |Q| is the first: not one before it, and all of a grid after it."""
    panel = explore(promises.smaller_promise)
    ends = [(s.options[0][1], s.options[-1][1]) for s in panel.sliders.values()]
    for epsilon, beta, delta, universe in [*itertools.product(*ends), (1.0, 0.05, 1e-6, "2^20")]:
        panel.set(epsilon=epsilon, beta=beta, delta=delta, universe_size=universe)
        at = {"beta": beta, "epsilon": epsilon, "delta": delta}
        promise = promises.Promise(2.0 ** int(universe[2:]), beta, epsilon)
        first = promises.first_queries(promise, **at)
        grid = np.append([2.0, first - 1, first], np.geomspace(first, 1e12, 50).round())
        noise = np.minimum(*promises.laplace_rows(grid, **at)) / 1e6
        ahead = promise.at(grid, 10**6)[0] < noise
        assert not ahead[:2].any() and ahead[2:].all()
        basic, advanced = laplace_error(first, 10**6, **at)
        assert math.isclose(noise[2], min(basic, advanced), rel_tol=1e-9) and noise[2] < 1
        kind = "basic" if basic < advanced else "advanced"
        least, size = promise.at(first, 10**6)
        said = f"from about |Q| = {about(first)} on SmallDB promises the smallest error, "
        said += f"{about(least)} (m = {about(size)}, |R| = 10^"
        assert said in panel.sentence
        assert f"; Laplace, {kind}: {about(noise[2])})." in panel.sentence
        last, _ = promise.at(10**12, 10**6)
        assert f"promises {about(last)}, and Laplace’s {about(noise[-1])} says n" in panel.sentence
        assert last < 1 < noise[-1]


def test_the_names_on_the_map_lie_in_their_regions():
    panel = explore(promises.smaller_promise)
    for universe in ("2^3", "2^60"):
        panel.set(universe_size=universe)
        axes = panel.figure.axes[0]
        for area, word in zip(axes.patches, axes.texts, strict=True):
            path = area.get_path()
            inside = type(path)(np.log(path.vertices)).contains_point(np.log(word.get_position()))
            assert inside or not word.get_visible()
        assert "from the bounds, not from runs" in axes.get_title()


def test_exact_comparison_of_all_predicates_is_total_variation():
    panel = explore(price.exact_comparison, queries="127 predicates", alpha=1.0, epsilon=0.5)
    oracle = enumerated(3, 5, predicates=True)
    n, shown = lines(panel)["SmallDB"].get_data()
    for i in range(0, len(n), 30):
        assert math.isclose(shown[i], quantile(oracle, n[i], 0.05, 0.5), abs_tol=1e-10)
    for label, k in (("Laplace, basic", 0), ("advanced", 1)):
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


@pytest.mark.parametrize("beta", [0.001, 0.05, 0.5])
def test_noise_on_the_histogram_of_two_attributes_by_quadrature(beta):
    """|N11|, |N11 + N10| and |N11 + N01| all within t; one 95% interval at each of three betas."""

    def within(t):
        def density(z):
            half = laplace.cdf(t - z, scale=4) - laplace.cdf(-t - z, scale=4)
            return laplace.pdf(z, scale=4) * half**2

        return quad(density, -t, t, points=[0])[0]

    truth = brentq(lambda t: within(t) - (1 - beta), 1, 200)
    middle, low, high = price.histogram_rows("3 marginals", beta=beta, epsilon=0.5)
    assert low <= truth <= high and low < middle < high < 1.2 * low


def test_noise_on_the_histogram_is_noise_on_the_histogram():
    """15 marginals, 20,000 new runs on the survey itself; 99.9% intervals on either side."""
    histogram, queries = price.workload("15 marginals")
    noise = np.random.default_rng(8).laplace(scale=2 / 0.5, size=(20_000, 16))
    n, values = histogram.sum(), fractions(histogram, queries)
    answers = (histogram + noise) @ np.asarray(queries).T / n
    errors = np.abs(answers - values).max(axis=1)
    middle, low, high = price.histogram_rows("15 marginals", beta=0.05, epsilon=0.5) / n
    least, most = binom.ppf([0.0005, 0.9995], 20_000, 0.05)
    assert np.count_nonzero(errors > low) >= least and np.count_nonzero(errors > high) <= most
    panel = explore(price.exact_comparison, queries="15 marginals", alpha=0.8, epsilon=0.5)
    dots, shown = lines(panel)["noise on histogram"].get_data()
    np.testing.assert_allclose(shown * dots / n, middle)
    (bars,) = [c for c in panel.figure.axes[0].collections if hasattr(c, "get_segments")]
    ends = np.array(bars.get_segments())[:, :, 1] * dots[:, None] / n
    np.testing.assert_allclose(ends, np.tile([low, high], (len(dots), 1)))


@pytest.mark.parametrize("queries", ["3 marginals", "7 marginals", "127 predicates"])
@pytest.mark.parametrize(("alpha", "epsilon", "beta"), [(0.6, 1.0, 0.05), (0.8, 5.0, 0.5)])
def test_who_wins_from_where_on_by_comparing_every_n(queries, alpha, epsilon, beta):
    panel = explore(
        price.exact_comparison, queries=queries, alpha=alpha, epsilon=epsilon, beta=beta
    )
    found = re.search(
        r"best up to n = ([\d,]+),.*from n = ([\d,]+) on, Laplace.*from n = ([\d,]+) on",
        panel.sentence,
    )
    best, histogram, answers = (int(number.replace(",", "")) for number in found.groups())
    n = np.arange(1, 2 * answers)
    levels = price.error_levels(queries, alpha)
    small = np.concatenate(
        [
            price.exact_error(*levels, n=part, beta=beta, epsilon=epsilon)
            for part in np.split(n, n[99::100])
        ]
    )
    number = len(price.workload(queries)[1])
    noise = min(laplace_error(number, 1, beta, epsilon, 1e-6))
    _, low, high = price.histogram_rows(queries, beta=beta, epsilon=epsilon)
    assert low < noise  # so the histogram is what ends SmallDB's lead
    assert best == np.argmax(low / n < small)
    assert histogram == n[high / n >= small][-1] + 1
    assert answers == n[noise / n >= small][-1] + 1
    assert about(small[best - 1]) in panel.sentence and f"{about(noise)}/n" in panel.sentence
    least = price.exact_error(*levels, n=10**6, beta=beta, epsilon=epsilon)
    assert panel.sentence.endswith(f"cannot go below {about(least)}, the best in R.")


def test_the_histogram_beats_laplace_answers_at_every_position_of_the_sliders():
    for queries in price.WORKLOADS:
        number = len(price.workload(queries)[1])
        for beta, epsilon in itertools.product(price.BETAS, (0.1, 1.0, 5.0)):
            _, _, high = price.histogram_rows(queries, beta=beta, epsilon=epsilon)
            for delta in (1e-12, 1e-3):
                noise = promises.laplace_rows(number, beta=beta, epsilon=epsilon, delta=delta)
                assert high < min(noise), (queries, beta, epsilon, delta)


def test_what_cannot_be_enumerated_at_once_is_refused_with_a_sentence():
    panel = explore(price.exact_comparison, alpha=0.4)
    assert "m = 13, |R| = 77,520" in panel.sentence
    for queries in ("15 marginals", "127 predicates"):
        told = panel.set(queries=queries, alpha=0.5).sentence
        assert told.startswith(f"alpha must be at least 0.6 for {queries} in this picture, got 0.5")
    assert "Laplace answers (advanced)" in panel.set(alpha=0.8).sentence


def test_every_slider_changes_the_picture():
    sweep(explore(price.error_against_rows), explore(promises.smaller_promise))
    sweep(explore(price.exact_comparison))
