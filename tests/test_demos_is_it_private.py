"""What the pictures of notebook 04 show, against the library and closed forms."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from course_lib.demos import is_it_private as demos
from course_lib.demos import is_it_private_bits as bits
from course_lib.demos import is_it_private_delta as delta_demo
from course_lib.demos import is_it_private_repair as repair
from course_lib.demos import is_it_private_repeat as repeat
from course_lib.demos import is_it_private_table as table
from course_lib.demos.explore import about, compact, explore
from course_lib.exact.family import ROWS, member, privacy_loss
from course_lib.exact.is_it_private import (
    DELTAS,
    above_only,
    alpha_of_shares,
    in_shares,
    least_variance_share,
    refuted_range,
)
from course_lib.exact.transcripts import exact_loss
from course_lib.exact.worst_stream import alpha_exact
from course_lib.lab.audit import exact_audit
from course_lib.lab.is_it_private import noisy_counts
from course_lib.lecture11_sparse import lecture11_alpha, repaired_alpha
from course_lib.support.answers import BELOW
from tests.pictures import lines


def segments(panel, axes=-1):
    return [np.array(bars.get_segments()) for bars in panel.figure.axes[axes].collections]


def lyu_su_li(cutoff, monotone):
    """⊤ only with their share, at ε = 1."""
    share = least_variance_share(cutoff=cutoff, monotone=monotone)
    return above_only(cutoff=cutoff, threshold_share=share, monotone=monotone, epsilon=1.0)


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


def test_loss_sentence_at_the_ends():
    panel = explore(demos.loss_against_below, num_below=1)
    assert "c = 1: one ⊥, then a number" in panel.sentence and "m·ε/(2c) = 0.5 " in panel.sentence
    assert "= 8.33 " in panel.set(cutoff=3, num_below=50).sentence
    assert "more than claimed" in panel.reset().sentence
    assert "Sampling alone shows nothing" in panel.set(epsilon=0.1).sentence


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
    for label, monotone in (("⊤ only", False), ("⊤ only, monotone", True)):
        row = lyu_su_li(cutoff, monotone)
        exact = alpha_exact(row, num_queries=k, beta=0.1) / (0.5 * 1000)
        np.testing.assert_allclose(shown[label].get_ydata(), exact, rtol=1e-9)
    quarters = in_shares(cutoff=cutoff, shares=(1 / 4, 1 / 2, 1 / 4), epsilon=1.0)
    exact = alpha_exact(quarters, num_queries=1000, beta=0.1) / (0.5 * 1000)
    assert f"in quarters {about(exact)} is enough" in panel.sentence
    ordered = [shown[name].get_ydata() for name in ("⊤ only, monotone", "⊤ only", "thirds, exact")]
    assert (np.diff(ordered, axis=0) > 0).all()


def test_price_sentence_counts_what_says_nothing():
    panel = explore(repair.price_of_repair, n=100, cutoff=1)
    assert "α above 1 says nothing of a fraction: 1 of these 7." in panel.sentence
    assert "says nothing" not in panel.set(n=20_000).sentence


def test_share_curves_are_exact_alphas():
    panel = explore(repair.alpha_against_share, cutoff=2, num_queries=10_000)
    for label, monotone in (("⊤ only", False), ("⊤ only, monotone", True)):
        share, error = lines(panel)[label].get_data()
        row = above_only(cutoff=2, threshold_share=share[9], monotone=monotone, epsilon=1.0)
        assert np.isclose(error[9], alpha_exact(row, num_queries=10_000, beta=0.05), rtol=1e-9)
        assert privacy_loss(row, monotone=monotone) <= 1 + 1e-9
        needed = alpha_exact(lyu_su_li(2, monotone), num_queries=10_000, beta=0.05)
        assert f"{about(needed)} with Lyu, Su and Li" in panel.sentence
    _, best = alpha_of_shares(num_queries=10_000, cutoff=2, beta=0.05)
    assert lines(panel)["best"].get_xdata() == pytest.approx(best)
    assert f"with the best, near {best[0]:.2g}; for" in panel.sentence
    halves = member("lyu_su_li", cutoff=2, epsilon=1.0)
    assert about(alpha_exact(halves, num_queries=10_000, beta=0.05)) in panel.sentence


@pytest.mark.parametrize(
    ("num_queries", "cutoff", "beta"), [(10**9, 100, 0.5), (100, 1, 0.001), (100, 1, 0.5)]
)
def test_best_share_of_the_picture_lies_inside_it(num_queries, cutoff, beta):
    at = {"num_queries": num_queries, "cutoff": cutoff, "beta": beta}
    panel = explore(repair.alpha_against_share, **at)
    share, error = lines(panel)["best"].get_data()
    assert np.all(np.array(share) > 0.002) and np.all(np.array(share) < 0.7)
    assert panel.figure.axes[0].get_ylim()[1] > max(error)


def test_axes_end_at_round_numbers_and_their_background_is_kept():
    for highest, top in ((0.0745, 0.1), (1.01, 2), (2, 2), (3e4, 5e4)):
        ax = Figure().subplots()
        repair.reach_up_to(ax, highest)
        assert np.isclose(ax.get_ylim()[1], top)
        ax.figure.stale = False
        repair.reach_up_to(ax, 0.99 * top)
        assert not ax.figure.stale


@pytest.mark.parametrize(("num_queries", "epsilon"), [(200, 1.0), (40, 1.0), (50, 5.0)])
def test_theorem_4_is_refuted_in_the_range_said(num_queries, epsilon):
    panel = explore(delta_demo.theorem_4, num_queries=num_queries, epsilon=epsilon)
    assert "more than promised: refuted. Such streams refute" in panel.sentence
    delta, taken = lines(panel)["exact"].get_data()
    low, high = refuted_range(num_queries=num_queries, epsilon=epsilon)
    assert ((np.nan_to_num(taken) > delta) == ((low <= delta) & (delta <= high))).all()
    at_left_end = low == DELTAS[0]
    begins = "at every δ shown up" if at_left_end else f"for δ from {about(low)}"
    assert f"refute Theorem 4 {begins} to {about(high)}." in panel.sentence
    assert "which refutes nothing" in panel.set(delta=1e-6).sentence


def test_short_streams_refute_nothing():
    """j times ⊥ and a number lose at most (j + 1)·ε/√(32 ln(1/δ)): below ε for 10 queries."""
    panel = explore(delta_demo.theorem_4, num_queries=10)
    assert 10 / np.sqrt(32 * np.log(1 / DELTAS[-1])) < 1
    assert "No transcript this short passes e^ε, at any δ shown." in panel.sentence
    assert np.isnan(lines(panel)["exact"].get_ydata()).all()
    assert "refute Theorem 4 at no δ shown" in panel.set(num_queries=20).sentence


def test_last_bits_shows_the_shares_of_both_counts():
    panel = explore(bits.last_bits, epsilon=2.0, seed=3)
    outputs = noisy_counts(trials=bits.OUTPUTS, epsilon=2.0, seed=3)
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
