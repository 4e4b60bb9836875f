"""What the pictures of notebook 03 show, against the library, closed forms and quadrature."""

import numpy as np
import pytest

from course_lib.demos import lecture11_sparse as demos
from course_lib.demos import lecture11_sparse_price as price
from course_lib.demos import lecture11_sparse_proof as proof
from course_lib.demos.explore import about, explore
from course_lib.demos.stream import listed, outside, signed
from course_lib.exact.family import member
from course_lib.exact.lecture11_sparse import (
    find_then_answer_failure,
    known_alpha,
    parts_of_the_loss,
    threshold_density,
)
from course_lib.exact.transcripts import exact_loss
from course_lib.exact.worst_stream import alpha_exact
from course_lib.lab.data import as_fractions, load_survey
from course_lib.lecture11_sparse import lecture11_alpha, sparse_as_printed
from course_lib.support.answers import BELOW
from tests.pictures import lines
from tests.test_exact_lecture11_sparse import failure_by_quadrature


def test_one_run_shows_a_run_of_the_mechanism():
    panel = explore(
        demos.one_lecture11_run, epsilon=0.02, n=50_000, cutoff=2, threshold=0.04, seed=4
    )
    answers = list(
        sparse_as_printed(
            load_survey(),
            as_fractions(demos.STREAM),
            n=50_000,
            threshold=0.04,
            cutoff=2,
            epsilon=0.02,
            rng=np.random.default_rng(4),
        )
    )
    said = ["⊥" if answer is BELOW else f"{answer:.4f}" for answer in answers]
    shown = [text.get_text() for text in panel.figure.axes[0].texts]
    assert shown[: len(answers)] == said and set(shown[len(answers) :]) <= {"not asked"}
    noisy = lines(panel)["noisy fraction"].get_xdata()
    bar = lines(panel)["noisy T, one draw"].get_xdata()[0]
    assert ((noisy >= bar) == [answer is not BELOW for answer in answers]).all()
    released = [answer for answer in answers if answer is not BELOW]
    assert np.allclose(noisy[noisy >= bar], released)  # the very numbers that were compared


def test_one_run_tells_how_it_ends_and_what_is_not_seen():
    panel = explore(demos.one_lecture11_run, cutoff=1)
    assert "one number released, off by" in panel.sentence and "halts at query 8" in panel.sentence
    assert "⊥ to all 16." in panel.set(threshold=0.15, cutoff=3).sentence
    assert "does not halt" in panel.set(threshold=0.07, cutoff=8).sentence
    panel.set(n=1000, cutoff=3)
    assert "Outside the picture: " in panel.sentence
    assert np.nanmax(lines(panel)["noisy fraction"].get_xdata()) <= demos.EDGE
    panel.set(epsilon=0.01)
    assert lines(panel)["noisy T, one draw"].get_xdata()[0] < panel.figure.axes[0].get_xlim()[0]
    assert "the noisy threshold is −0.2829," in panel.sentence
    assert "picture: one noisy threshold and 4 noisy fractions." in panel.sentence
    assert "−0.0712" in [text.get_text() for text in panel.figure.axes[0].texts]


def test_listed():
    assert [listed(list("123"[:n])) for n in (1, 2, 3)] == ["1", "1 and 2", "1, 2 and 3"]


def test_numbers_have_a_true_minus_sign_and_zero_has_none():
    assert [signed(x, 0) for x in (-5050.4, -0.4, 1234.0)] == ["−5,050", "0", "1,234"]
    assert [signed(x, 4) for x in (-0.0712, -0.00001)] == ["−0.0712", "0.0000"]


def test_what_lies_outside_is_counted_by_kind():
    assert outside((0, 1), count=[0, 1, 0.5], threshold=0.2) == ""
    told = outside((0, 1), noisy_count=[-1, 0.5, 2], threshold=0.2, released_number=[7])
    assert told == " Outside the picture: 2 noisy counts and one released number."


@pytest.mark.parametrize(("cutoff", "delta", "sigma"), [(1, 0.0, 2), (5, 0.0, 10), (2, 1e-3, None)])
def test_failure_curve_is_the_integral(cutoff, delta, sigma):
    sigma = sigma or np.sqrt(32 * cutoff * np.log(1 / delta))
    panel = explore(
        demos.lecture11_failure_against_alpha,
        epsilon=0.5,
        n=2000,
        num_queries=100,
        cutoff=cutoff,
        delta=delta,
    )
    alpha, exact = lines(panel)["exact"].get_data()
    for i in (25, 35, 42):
        oracle = failure_by_quadrature(100, cutoff, sigma, alpha[i] * 0.5 * 2000)
        assert np.isclose(exact[i], oracle, rtol=1e-6, atol=1e-9)
    promised = lines(panel)["Theorem 2 or 5"].get_ydata()
    assert (promised >= exact).all()


@pytest.mark.parametrize("where", [{}, {"cutoff": 1, "delta": 1e-3}])
def test_measured_intervals_hold_the_exact_value(where):
    """Eight panels, five intervals each at 95%: fewer than 33 of 40 has probability below 0.001."""
    held, panel = 0, explore(demos.lecture11_failure_against_alpha, **where)
    for seed in range(8):
        panel.set(seed=seed)
        (bars,) = [c for c in panel.figure.axes[0].collections if hasattr(c, "get_segments")]
        segments = np.array(bars.get_segments())
        alpha, exact = lines(panel)["exact"].get_data()
        truth = np.exp(np.interp(segments[:, 0, 0], alpha, np.log(exact)))
        held += np.count_nonzero((segments[:, 0, 1] <= truth) & (truth <= segments[:, 1, 1]))
        assert len(segments) == 5
    assert held >= 33


def test_failure_sentence_has_the_numbers_of_the_library():
    where = {"epsilon": 0.5, "num_queries": 10_000, "cutoff": 2}
    panel = explore(demos.lecture11_failure_against_alpha, n=5000, alpha=0.02, **where)
    stated = lecture11_alpha(n=5000, beta=0.05, **where)
    row = member("lecture11_sparse", cutoff=2, epsilon=0.5)
    enough = alpha_exact(row, num_queries=10_000, beta=0.05) / 5000
    for number in (stated, enough, failure_by_quadrature(10_000, 2, 4, 0.02 * 0.5 * 5000)):
        assert about(number) in panel.sentence
    assert "Theorem 2 promises at most" not in panel.sentence
    assert "Theorem 5" in panel.set(delta=1e-6).sentence
    assert "promises nothing" in panel.set(alpha=1e-5).sentence
    assert "α ≥ 1" not in panel.sentence
    empty = panel.set(n=1000, cutoff=20, epsilon=0.05).sentence
    assert empty.endswith("is enough. α ≥ 1 says nothing of a fraction.")
    huge = panel.set(n=10**7, cutoff=1, epsilon=5.0, delta=0.0, alpha=1.0).sentence
    assert "promises at most 10⁻³⁰⁰; it fails with probability below 10⁻³⁰⁰" in huge


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_price_lines(delta):
    where = {"epsilon": 0.5, "cutoff": 3, "beta": 0.1, "delta": delta}
    panel = explore(price.price_of_not_knowing, num_queries=10**6, n=10**5, **where)
    against_n, against_k = ([x.get_ydata() for x in axes.lines[:4]] for axes in panel.figure.axes)
    rows = panel.figure.axes[0].lines[0].get_xdata()
    stated = lecture11_alpha(num_queries=10**6, n=rows, **where)
    np.testing.assert_allclose(against_n[0], stated, rtol=1e-9)
    row = member("lecture11_sparse", cutoff=3, epsilon=0.5, delta=delta)
    enough = alpha_exact(row, num_queries=price.QUERIES, beta=0.1)
    np.testing.assert_allclose(against_k[1], enough / known_alpha(n=1, **where), rtol=1e-9)
    assert (against_k[0] > against_k[1]).all() and (against_k[3] == 1).all()
    failed = find_then_answer_failure(
        num_queries=price.QUERIES,
        n=1,
        cutoff=3,
        alpha=against_k[2] * known_alpha(n=1, **where),
        epsilon=0.5,
        delta=delta,
    )
    np.testing.assert_allclose(failed, 0.1, rtol=1e-9)  # beta
    assert np.ptp(np.diff(against_k[0])) < 1e-6 * against_k[0][0]  # a straight line in ln k
    assert panel.figure.axes[1].get_ylim()[1] > against_k[0].max()
    at_n = [line[0] * rows[0] / 10**5 for line in against_n]  # slope -1
    np.testing.assert_allclose(at_n[1], enough[4] / 10**5)
    assert all(about(alpha) in panel.sentence for alpha in at_n)
    assert "α ≥ 1" not in panel.sentence
    assert panel.set(n=1000, epsilon=0.05).sentence.endswith("α ≥ 1 says nothing of a fraction.")


def test_densities_of_the_proof_and_the_part_that_is_dropped():
    panel = explore(proof.dropped_factor, epsilon=0.7, cutoff=2, num_below=6, answer=1.5)
    for label, value in ("on D", 0.0), ("on D′", 1.0):
        z, shown = lines(panel, 0)[label].get_data()
        density = threshold_density(z, num_below=6, value=value, cutoff=2, epsilon=0.7)
        np.testing.assert_allclose(shown, density)
    _, dropped = parts_of_the_loss(num_below=6, cutoff=2, answer=1.5, epsilon=0.7)
    assert about(dropped) in panel.sentence


def test_areas_of_the_proof_add_up_to_the_exact_loss():
    panel = explore(proof.dropped_factor, epsilon=2.0, answer=1.0)
    row = member("lecture11_sparse", cutoff=1, epsilon=2.0)
    m, total = lines(panel)["exact"].get_data()
    for i in (0, 4, 19):
        stream = {"threshold": 0.0, "counts": [m[i], 1]}
        loss = exact_loss(row, [0.0, 0.0], [1.0, 0.0], [BELOW, 1.0], **stream)
        assert np.isclose(total[i], loss / 2.0)
    kept, dropped = (patch.get_xy() for patch in panel.figure.axes[1].patches)
    np.testing.assert_allclose(dropped[20:40, 1], total[::-1])
    np.testing.assert_allclose(dropped[:20, 1], kept[20:40, 1][::-1])


def test_proof_sentence_at_the_ends():
    panel = explore(proof.dropped_factor, num_below=1)
    assert "one ⊥, then the number n·âᵢ = 0." in panel.sentence
    assert "the number’s noise gives 0, the dropped" in panel.sentence
    assert "within ε = 1" in panel.sentence
    assert "together 5, above ε = 1" in panel.set(num_below=10).sentence
    assert "n·âᵢ = −2." in panel.set(answer=-2.0).sentence
    assert "together 1, within" in panel.set(answer=0.0, cutoff=5).sentence  # exactly epsilon


def test_proof_axis_shows_the_mass_and_rarely_changes():
    """Limits in steps: of 25 positions only those that cross a step draw a new background."""
    panel, seen = explore(proof.dropped_factor), set()
    for epsilon in (0.1, 0.3, 1.0, 2.0, 3.0):
        for cutoff in range(1, 6):
            panel.set(epsilon=epsilon, cutoff=cutoff, num_below=proof.LONGEST)
            low, high = panel.figure.axes[0].get_xlim()
            seen.add((low, high))
            assert low <= -5 / epsilon * 0.99 and high >= (6 + 8 * cutoff) / epsilon
    assert len(seen) == 4


def test_theorem_5_fails_for_delta_near_1_as_printed():
    """One query at T + alpha and one number: sigma and alpha in closed form, then quadrature."""
    panel = explore(proof.theorem_5_and_delta)
    sigma = np.sqrt(32 * np.log(1 / 0.99))
    truth = failure_by_quadrature(1, 1, sigma, 2 * sigma * np.log(40))
    assert truth > 0.05 and about(truth) in panel.sentence and "is broken" in panel.sentence
    spent, printed = lines(panel)["exact, at the printed α"].get_data()
    right = lines(panel)["… at the right α"].get_ydata()
    assert (right <= 0.05).all() and (printed[spent >= 1 / 8] <= 0.05).all()
    assert np.allclose(printed[spent >= 1 / 8], right[spent >= 1 / 8])
    assert "at least 1/8" in panel.set(delta=0.5).sentence and "is kept" in panel.sentence
