"""What the pictures of notebook 04 show, against the library and closed forms."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from course_lib.demos import is_it_private as demos
from course_lib.demos import is_it_private_bits as bits
from course_lib.demos import is_it_private_delta as delta_demo
from course_lib.demos import is_it_private_repair as repair
from course_lib.demos import is_it_private_repeat as repeat
from course_lib.demos import is_it_private_table as table
from course_lib.demos.explore import about, compact, explore
from course_lib.exact.family import ROWS, member, privacy_loss
from course_lib.exact.transcripts import exact_loss, log_probability
from course_lib.exact.worst_stream import alpha_exact
from course_lib.lab.audit import exact_audit
from course_lib.lab.trials import run_trials
from course_lib.lecture11_sparse import lecture11_alpha, repaired_alpha
from course_lib.support.answers import BELOW
from tests.pictures import lines


def segments(panel, axes=-1):
    return [np.array(bars.get_segments()) for bars in panel.figure.axes[axes].collections]


def printed_loss(m, cutoff, epsilon):
    row = member("lecture11_sparse", cutoff=cutoff, epsilon=epsilon)
    pair = [0.0, 0.0], [1.0, 0.0]
    return exact_loss(row, *pair, [BELOW, 0.0], threshold=0.0, counts=[m, 1])


@pytest.mark.parametrize(("cutoff", "epsilon"), [(1, 1.0), (10, 0.1), (3, 5.0)])
def test_loss_curves_are_the_exact_losses(cutoff, epsilon):
    panel = explore(demos.loss_against_below, cutoff=cutoff, epsilon=epsilon)
    m, loss = lines(panel)["printed, exact"].get_data()
    for i in (0, 5, -1):
        assert np.isclose(loss[i], printed_loss(m[i], cutoff, epsilon), rtol=1e-9)
    assert lines(panel)["claimed"].get_ydata() == [epsilon, epsilon]
    repaired = lines(panel)["repaired, exact"].get_ydata()
    assert (repaired <= epsilon * (1 + 1e-9)).all() and repaired[-1] > 0.99 * epsilon
    row = member("lecture11_repaired", cutoff=cutoff, epsilon=epsilon)
    assert np.isclose(repaired[-1], exact_audit(row, num_queries=1000).loss, rtol=1e-9)


def test_loss_intervals_hold_the_exact_loss_all_at_once():
    """Twelve panels at 95%: more than 3 with a miss has probability below 0.003."""
    missed = 0
    for seed in range(12):
        _, low, high = demos.measured_losses(1, 1.0, seed)
        exact = demos.MEASURABLE / 2
        missed += bool(((exact < low) | (exact > high)).any())
    assert missed <= 3


def test_low_numbers_come_as_often_as_the_integral_says():
    """m times ⊥ and a number of at most 0, c = 1: 2^-(m+2) / ((m+1)(m+2)), at 5 deviations."""
    threshold, largest, last = demos.low_numbers(3)
    for m in (1, 2, 3):
        seen = np.count_nonzero((largest[m - 1] < threshold) & (threshold <= last))
        expected = demos.TRIALS * 2.0 ** -(m + 2) / ((m + 1) * (m + 2))
        assert abs(seen - expected) < 5 * np.sqrt(expected)


def test_loss_sentence_at_the_ends():
    panel = explore(demos.loss_against_below, num_below=1)
    assert "c = 1: one ⊥, then a number" in panel.sentence and "m·ε/(2c) = 0.5 " in panel.sentence
    assert "= 8.33 " in panel.set(cutoff=3, num_below=50).sentence
    assert "more than claimed" in panel.reset().sentence
    assert "Sampling alone shows nothing" in panel.set(epsilon=0.1).sentence


@pytest.mark.parametrize(("m", "epsilon"), [(1, 1.0), (4, 3.0), (12, 0.3)])
def test_attack_curves_are_integrals_of_the_exact_density(m, epsilon):
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon)
    cuts, rates = demos.attack_curves(m, epsilon)
    for world, low in enumerate((0.0, 1.0)):

        def density(a, low=low):
            numbers = [BELOW, a]
            return np.exp(log_probability(row, [low, 0.0], numbers, threshold=0.0, counts=[m, 1]))

        upto_0, _ = quad(density, -40 / epsilon, 0, limit=100)
        further, _ = quad(density, 0, 4, points=[1], limit=100)
        got = [np.interp(cut, cuts, rates[world]) for cut in (0, 4)]
        np.testing.assert_allclose(got, [upto_0, upto_0 + further], rtol=3e-3)


def test_attack_is_right_as_often_as_the_loss_says():
    """At cuts of at most 0 the posterior is that of the loss m·ε/2."""
    panel = explore(demos.attack, num_below=6, epsilon=0.7, cut=-2)
    cut, right = lines(panel, 0)["printed, exact"].get_data()
    np.testing.assert_allclose(right[cut <= 0], 1 / (1 + np.exp(-6 * 0.7 / 2)), rtol=1e-9)
    assert np.isclose(lines(panel, 0)["ε allows"].get_ydata()[0], 1 / (1 + np.exp(-0.7)))
    assert lines(panel, 0)["repaired, exact"].get_ydata()[0] < 1 / (1 + np.exp(-0.7))
    assert "at most −2/n" in panel.sentence
    often = np.interp(-2, *lines(panel, 1)["_child0"].get_data())
    assert f"(one in {compact(float(f'{1 / often:.2g}'))} does)" in panel.sentence
    assert "If one run gives 6 times ⊥" in panel.sentence
    sure = panel.set(num_below=12, epsilon=3.0).sentence
    assert "probability above 0.9999" in sure and "1.0000" not in sure


def test_announcements_are_those_of_the_trial_engine():
    """Two ways to simulate the same event, 5 deviations of their difference."""
    row = member("lecture11_sparse", cutoff=1, epsilon=1.0)
    got = demos.announcements(3, 1.0, 2, seed=5)
    for low, count in zip((0.0, 1.0), got, strict=True):
        runs = run_trials(
            row,
            [low, 0.0],
            counts=[3, 1],
            threshold=0.0,
            trials=demos.TRIALS,
            rng=np.random.default_rng(1),
        )
        seen = np.count_nonzero((runs.above[:, 0] == 3) & (runs.numbers[:, 0] <= 2))
        assert abs(seen - count) < 5 * np.sqrt(seen + count)


def test_the_two_states_have_noise_of_their_own():
    """40 pairs of counts: with common noise, as good as equal here, they correlate by 0.9."""
    counts = np.array([demos.announcements(1, 0.3, 10, seed) for seed in range(40)])
    assert abs(np.corrcoef(counts.T)[0, 1]) < 0.5


def integral_up_to_0(row, m, low):
    """Pr[m times ⊥ to values `low`, then a number of at most 0 to a value 0], by quadrature."""

    def density(a):
        here = {"threshold": 0.0, "counts": [m, 1]}
        return np.exp(log_probability(row, [low, 0.0], [BELOW, a], **here))

    return quad(density, -60 * row.query_scale, 0, points=[-row.query_scale], epsabs=0)[0]


@pytest.mark.parametrize(("m", "epsilon"), [(1, 1.0), (4, 1.0), (7, 0.4)])
def test_event_rates_are_integrals_of_the_exact_density(m, epsilon):
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon)
    integrals = [integral_up_to_0(row, m, low) for low in (0.0, 1.0)]
    np.testing.assert_allclose(repeat.event_rates(m, epsilon), integrals, rtol=1e-7)


@pytest.mark.parametrize(("m", "epsilon"), [(1, 1.0), (2, 1.5)])
def test_waiting_for_the_event_is_right_as_often_as_the_prior(m, epsilon):
    """Bayes by enumeration of the first 20,000 runs: the law of the first event in either state."""
    runs, law = np.arange(1, 20_001), []
    for rate in repeat.event_rates(m, epsilon):
        none_before = np.cumprod(np.full(len(runs), 1 - rate)) / (1 - rate)
        law.append(none_before * rate)
    law = np.array(law)
    np.testing.assert_allclose(repeat.chance_after(runs, m, epsilon), law[0] / law.sum(axis=0))
    np.testing.assert_allclose(repeat.happened_by(runs, m, epsilon), law.cumsum(axis=1), rtol=1e-9)
    came = law.sum(axis=1)
    np.testing.assert_allclose(came, 1, atol=1e-9)
    right = np.average(repeat.chance_after(runs, m, epsilon), weights=law.mean(axis=0))
    assert np.isclose(right, 0.5)


def test_repeated_attack_shows_these_laws():
    panel = explore(repeat.repeated_attack, run=1)
    assert "the chance of poor health is 0.8808; 1·ε allows 0.7311" in panel.sentence
    above, below = lines(panel, 0), lines(panel, 1)
    runs, chance = above["exact"].get_data()
    allowed = above["the budget allows"].get_ydata()
    assert (chance > allowed).tolist() == [run == 1 for run in runs]
    assert chance[-1] < 1e-9
    for label in ("in poor health", "not"):
        came = below[label].get_ydata()
        assert (np.diff(came) >= 0).all() and came[0] < 1e-3 and came[-1] > 1 - 1e-9
    assert "one run in 1,920 gives this in poor health, in 14,200 if not" in panel.sentence
    assert "is below 0.0001; 100,000·ε allows" in panel.set(run=10**5).sentence
    assert "right half the time" in panel.sentence


def test_attack_never_seen_is_said_so():
    panel = explore(demos.attack, cut=-5)
    assert "never seen in 800,000 runs" in panel.sentence
    assert segments(panel, 0)[0][0, :, 1].tolist() == [1e-12, 1.0]


def test_table_shows_each_verdict():
    panel = explore(table.table_of_variants)
    words = dict(zip(ROWS, (t.get_text() for t in panel.figure.axes[0].texts), strict=True))
    assert words["sparse"] == "cleared: 1 ε" and words["stoddard"] == "convicted: ∞"
    assert words["lee_clifton"] == "convicted: 3.25 ε"
    assert words["lyu_su_li_monotone"] == "no such claim: 1.5 ε"
    x, y = lines(panel)["infinite"].get_data()
    assert x.tolist() == [table.EDGE] and list(ROWS)[y[0]] == "stoddard"
    panel.set(num_below=1)
    assert "streams with one ⊥. Convicted" in panel.sentence
    assert "Not yet, though no proof can exist: Lecture 11 (" in panel.sentence
    assert "only: Lyu, Su & Li, Algorithm 1, monotone (" in panel.sentence
    assert "Lyu, Su & Li" not in panel.set(num_below=100, monotone=True).sentence


@pytest.mark.parametrize("cutoff", [1, 7])
def test_price_curves_are_theorems_and_exact_values(cutoff):
    panel = explore(repair.price_of_repair, cutoff=cutoff, epsilon=0.5, n=1000, beta=0.1)
    shown, k = lines(panel), repair.QUERIES
    at = {"num_queries": k, "n": 1000, "cutoff": cutoff, "beta": 0.1, "epsilon": 0.5}
    np.testing.assert_allclose(shown["Theorem 2"].get_ydata(), lecture11_alpha(**at))
    np.testing.assert_allclose(shown["thirds, promised"].get_ydata(), repaired_alpha(**at))
    for label, name in (("printed", "lecture11_sparse"), ("thirds", "lecture11_repaired")):
        row = member(name, cutoff=cutoff, epsilon=0.5)
        exact = alpha_exact(row, num_queries=k, beta=0.1) / 1000
        np.testing.assert_allclose(shown[f"{label}, exact"].get_ydata(), exact, rtol=1e-9)
    for label, share in (("⊤ only", False), ("⊤ only, monotone", True)):
        row = repair.above_only(cutoff, repair.best_share(cutoff, share), share)
        exact = alpha_exact(row, num_queries=k, beta=0.1) / (0.5 * 1000)
        np.testing.assert_allclose(shown[label].get_ydata(), exact, rtol=1e-9)
    quarters = repair.in_shares(cutoff, (1 / 4, 1 / 2, 1 / 4))
    exact = alpha_exact(quarters, num_queries=1000, beta=0.1) / (0.5 * 1000)
    assert f"in quarters {about(exact)} is enough" in panel.sentence
    ordered = [shown[name].get_ydata() for name in ("⊤ only, monotone", "⊤ only", "thirds, exact")]
    assert (np.diff(ordered, axis=0) > 0).all()


@pytest.mark.parametrize("cutoff", [1, 4])
def test_every_split_spends_epsilon(cutoff):
    for shares in ((1 / 3, 1 / 3, 1 / 3), (1 / 4, 1 / 2, 1 / 4), (0.2, 0.7, 0.1)):
        assert np.isclose(privacy_loss(repair.in_shares(cutoff, shares)), 1)
    for monotone in (False, True):
        row = repair.above_only(cutoff, repair.best_share(cutoff, monotone), monotone)
        assert np.isclose(privacy_loss(row, monotone=monotone), 1)


def test_price_sentence_counts_what_says_nothing():
    panel = explore(repair.price_of_repair, n=100, cutoff=1)
    assert "α above 1 says nothing of a fraction: 1 of these 7." in panel.sentence
    assert "says nothing" not in panel.set(n=20_000).sentence


def test_best_share_is_the_least_variance():
    for cutoff, moves in ((1, 2), (5, 2), (5, 1)):
        share = repair.best_share(cutoff, moves == 1)
        around = share + np.array([-1e-3, 0, 1e-3])
        variance = 1 / around**2 + (moves * cutoff / (1 - around)) ** 2
        assert variance.argmin() == 1


def test_share_curves_are_exact_alphas():
    panel = explore(repair.alpha_against_share, cutoff=2, num_queries=10_000)
    for label, monotone in (("⊤ only", False), ("⊤ only, monotone", True)):
        share, error = lines(panel)[label].get_data()
        row = repair.above_only(2, share[9], monotone)
        assert np.isclose(error[9], alpha_exact(row, num_queries=10_000, beta=0.05), rtol=1e-9)
        assert privacy_loss(row, monotone=monotone) <= 1 + 1e-9
        split = repair.above_only(2, repair.best_share(2, monotone), monotone)
        needed = alpha_exact(split, num_queries=10_000, beta=0.05)
        assert f"{about(needed)} with Lyu, Su and Li" in panel.sentence
    halves = member("lyu_su_li", cutoff=2, epsilon=1.0)
    assert about(alpha_exact(halves, num_queries=10_000, beta=0.05)) in panel.sentence


@pytest.mark.parametrize(("num_queries", "cutoff"), [(1000, 5), (10**9, 5), (100, 1)])
@pytest.mark.parametrize("monotone", [False, True])
def test_the_best_share_is_where_a_search_finds_it(num_queries, cutoff, monotone):
    def needed(share):
        row = repair.above_only(cutoff, share, monotone)
        return alpha_exact(row, num_queries=num_queries, beta=0.05)

    found = minimize_scalar(needed, bounds=(0.01, 0.8), method="bounded", options={"xatol": 1e-5})
    panel = explore(repair.alpha_against_share, num_queries=num_queries, cutoff=cutoff)
    share, error = (place[monotone] for place in lines(panel)["best"].get_data())
    assert np.isclose(share, found.x, rtol=0.01) and np.isclose(error, found.fun, rtol=1e-5)
    assert f"with the best, near {share:.2g}" in panel.sentence


@pytest.mark.parametrize(
    ("num_queries", "cutoff", "beta"), [(10**9, 100, 0.5), (100, 1, 0.001), (100, 1, 0.5)]
)
def test_best_share_of_the_picture_lies_inside_it(num_queries, cutoff, beta):
    at = {"num_queries": num_queries, "cutoff": cutoff, "beta": beta}
    panel = explore(repair.alpha_against_share, **at)
    share, error = lines(panel)["best"].get_data()
    assert np.all(np.array(share) > repair.SHARES[0]) and np.all(np.array(share) < 0.7)
    assert panel.figure.axes[0].get_ylim()[1] > max(error)


def test_axes_end_at_round_numbers_and_their_background_is_kept():
    for highest, top in ((0.0745, 0.1), (1.01, 2), (2, 2), (3e4, 5e4)):
        ax = Figure().subplots()
        repair.reach_up_to(ax, highest)
        assert np.isclose(ax.get_ylim()[1], top)
        ax.figure.stale = False
        repair.reach_up_to(ax, 0.99 * top)
        assert not ax.figure.stale


@pytest.mark.parametrize(
    ("delta", "epsilon", "m"), [(1e-15, 1.0, 40), (1e-6, 3.0, 25), (1e-60, 1.0, 70)]
)
def test_mass_beyond_is_an_integral_of_the_exact_densities(delta, epsilon, m):
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon, delta=delta)

    def excess(a):
        here, there = (
            log_probability(row, [v, v], [BELOW, a], threshold=0.0, counts=[m, 1])
            for v in (0.0, 1.0)
        )
        return max(np.exp(here) - np.exp(epsilon + there), 0) / delta

    b = row.query_scale
    places = [-4 * b, -b, -b / 5, 0, 1, b / 5, b, 9 * b]
    pieces = [quad(excess, *ends, epsrel=1e-4)[0] for ends in zip(places, places[1:], strict=False)]
    mass = delta_demo.mass_beyond(delta, epsilon)[m] / delta
    assert np.isclose(mass, sum(pieces), rtol=3e-4)


@pytest.mark.parametrize(("delta", "epsilon"), [(1e-15, 1.0), (1e-6, 3.0)])
def test_mass_at_least_is_the_part_with_low_numbers(delta, epsilon):
    """The last query moves too: N answers, each with the ratio e^(ε/s), by quadrature."""
    row = member("lecture11_sparse", cutoff=1, epsilon=epsilon, delta=delta)
    s = np.sqrt(32 * np.log(1 / delta))
    total = 0.0
    for answers in range(int(s) + 1, int(s) + 11):
        rate = integral_up_to_0(row, answers - 1, 0.0)
        total += rate * (1 - np.exp(epsilon - answers * epsilon / s))
    got = delta_demo.log_mass_at_least(np.log(1 / delta), epsilon, int(s) + 10)
    assert np.isclose(got, np.log(total), rtol=1e-7)
    assert np.exp(got) < delta_demo.mass_beyond(delta, epsilon).sum()
    assert delta_demo.log_mass_at_least(np.log(1 / delta), epsilon, int(s)) == -np.inf


@pytest.mark.parametrize(("epsilon", "end"), [(0.1, 1.98e-14), (1.0, 1.76e-12), (5.0, 2.83e-10)])
def test_theorem_4_is_refuted_up_to_these_deltas(epsilon, end):
    """From a quadrature with ten times the points: 1.9775, 1.7556 and 2.8333."""
    low, high = delta_demo.refuted_range(200, epsilon)
    assert low == delta_demo.DELTAS[0] and np.isclose(high, end, rtol=3e-3, atol=0)
    for power in (60, 300, 10_000):
        taken = delta_demo.log_mass_at_least(power * np.log(10), epsilon, 3000)
        assert taken > -power * np.log(10)


@pytest.mark.parametrize(("num_queries", "epsilon"), [(200, 1.0), (40, 1.0), (50, 5.0)])
def test_theorem_4_is_refuted_in_the_range_said(num_queries, epsilon):
    panel = explore(delta_demo.theorem_4, num_queries=num_queries, epsilon=epsilon)
    assert "more than promised: refuted. Such streams refute" in panel.sentence
    delta, taken = lines(panel)["exact"].get_data()
    low, high = delta_demo.refuted_range(num_queries, epsilon)
    assert ((np.nan_to_num(taken) > delta) == ((low <= delta) & (delta <= high))).all()
    near = np.array([0.99 * low, 1.01 * low, 0.99 * high, 1.01 * high])
    taken = [delta_demo.mass_beyond(d, epsilon)[:num_queries].sum() for d in near]
    at_left_end = low == delta_demo.DELTAS[0]
    assert (taken > near).tolist() == [at_left_end, True, True, False]
    begins = "at every δ shown up" if at_left_end else f"for δ from {about(low)}"
    assert f"refute Theorem 4 {begins} to {about(high)}." in panel.sentence
    assert "which refutes nothing" in panel.set(delta=1e-6).sentence


def test_short_streams_refute_nothing():
    """j times ⊥ and a number lose at most (j + 1)·ε/√(32 ln(1/δ)): below ε for 10 queries."""
    panel = explore(delta_demo.theorem_4, num_queries=10)
    assert 10 / np.sqrt(32 * np.log(1 / delta_demo.DELTAS[-1])) < 1
    assert "No transcript this short passes e^ε, at any δ shown." in panel.sentence
    assert np.isnan(lines(panel)["exact"].get_ydata()).all()
    assert "refute Theorem 4 at no δ shown" in panel.set(num_queries=20).sentence


def test_a_count_of_1_is_always_on_the_lattice():
    for epsilon in (0.1, 1.0, 5.0):
        zero, one = bits.multiples(bits.noisy_counts(epsilon, 7), 53)
        assert one == bits.OUTPUTS > zero


def test_rounding_is_to_the_lattice_and_to_the_nearest():
    outputs = bits.noisy_counts(1.0, 2)
    rounded = bits.on_lattice(outputs, 10)
    assert (rounded * 2**10 == np.round(rounded * 2**10)).all()
    assert (abs(rounded - outputs) <= 2**-11).all()


def test_last_bits_shows_the_shares_of_both_counts():
    panel = explore(bits.last_bits, epsilon=2.0, seed=3)
    outputs = bits.noisy_counts(2.0, 3)
    for label, row in (("true count 0", outputs[0]), ("true count 1", outputs[1])):
        j, share = lines(panel)[label].get_data()
        scaled = row * 2.0 ** j[4]
        assert share[4] == np.mean(scaled == np.floor(scaled))
    assert "0% if it is 1" in panel.sentence
    assert "this test is blind" in panel.set(lattice=53).sentence
    assert (lines(panel)["true count 0"].get_ydata()[-10:] == 1).all()
    assert "no multiple of 2⁻⁵³" in panel.reset().sentence and "2⁻⁷⁰: " in panel.sentence


@pytest.mark.parametrize(("lattice", "apart"), [(40, False), (47, False), (50, True), (70, True)])
def test_last_bits_says_whether_the_counts_differ(lattice, apart):
    """Differences sit below the lattice, and all of them are in the picture."""
    panel = explore(bits.last_bits, lattice=lattice)
    lower, higher = (ends[:, :, 1] for ends in segments(panel))
    shown = np.maximum(lower[:, 0], higher[:, 0]) > np.minimum(lower[:, 1], higher[:, 1])
    assert shown.any() == apart
    assert f"lie apart at {np.count_nonzero(shown)} of 37 j." in panel.sentence
    assert (bits.BITS[shown] < lattice).all() and bits.BITS[0] < 40
