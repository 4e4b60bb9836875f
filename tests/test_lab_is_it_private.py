"""The runs of notebook 04: each by hand on the same noise, or against its exact law."""

import numpy as np
import pytest
from scipy.stats import beta

from course_lib.exact.family import ROWS, member, privacy_loss
from course_lib.exact.is_it_private import event_probabilities, half_noise, printed_loss
from course_lib.exact.transcripts import log_probability
from course_lib.lab import is_it_private
from course_lib.lab.audit import exact_audit
from course_lib.lab.is_it_private import (
    AUDIT_RUNS,
    MEASURABLE,
    RUNS,
    announcements,
    audited,
    first_announcements,
    measured_losses,
    multiples,
    noisy_counts,
    on_lattice,
    published_losses,
)
from course_lib.lab.trials import laplace, run_trials
from course_lib.lecture11_sparse import sparse_as_printed
from course_lib.support.answers import ABOVE, BELOW
from course_lib.toolbox import laplace_mechanism


def test_loss_intervals_hold_the_exact_loss_all_at_once():
    """Twelve seeds at 95%: more than 3 with a miss has probability below 0.003."""
    missed = 0
    exact = printed_loss(num_below=np.arange(1, 9), cutoff=1, epsilon=1.0)
    for seed in range(12):
        _, low, high = measured_losses(
            num_below=8, trials=400_000, cutoff=1, epsilon=1.0, seed=seed
        )
        missed += bool(((exact < low) | (exact > high)).any())
    assert missed <= 3


def low_events(num_below, trials, cutoff, epsilon, seed):
    """How often each m gives the event, run by run with the printed algorithm, in both states."""
    rng = np.random.default_rng(seed)
    threshold, last = laplace(rng, 1.0, np.empty((2, RUNS)))
    kept = [run for run in range(RUNS) if threshold[run] < 0 and last[run] < 0]
    noise = laplace(rng, 1.0, np.empty((len(kept), MEASURABLE)))
    kept = [run for run in kept if run < trials]
    counts = np.zeros((2, num_below), dtype=int)
    for state in (0, 1):
        for run, queries in zip(kept, noise, strict=False):
            noisy_threshold = threshold[run] * 2 / epsilon
            number = last[run] * 2 * cutoff / epsilon
            for m in range(1, num_below + 1):
                values = [state + x * 2 * cutoff / epsilon for x in queries[:m]]
                below = all(value < noisy_threshold for value in values)
                counts[state, m - 1] += below and noisy_threshold <= number <= 0
    return counts


@pytest.mark.parametrize(("cutoff", "epsilon"), [(1, 1.0), (2, 3.0)])
def test_measured_losses_run_by_run(cutoff, epsilon):
    seen = low_events(4, 3000, cutoff, epsilon, 5)
    ratio, low, high = measured_losses(
        num_below=4, trials=3000, cutoff=cutoff, epsilon=epsilon, seed=5
    )
    assert seen[:, 0].all()
    some = seen.all(axis=0)
    assert not some.all() and np.isposinf(ratio[~some]).all()
    np.testing.assert_allclose(ratio[some], np.log(seen[0, some] / seen[1, some]))
    tail = 0.05 / 16  # on either side of each of 8 rates
    first = beta.ppf(tail, seen[0, 0], 3001 - seen[0, 0])
    then = beta.isf(tail, seen[1, 0] + 1, 3000 - seen[1, 0])
    assert np.isclose(low[0], np.log(first / then))
    first = beta.isf(tail, seen[0, 0] + 1, 3000 - seen[0, 0])
    then = beta.ppf(tail, seen[1, 0], 3001 - seen[1, 0])
    assert np.isclose(high[0], np.log(first / then))
    low[:] = 0  # what is given away is not what is kept
    again = measured_losses(num_below=4, trials=3000, cutoff=cutoff, epsilon=epsilon, seed=5)
    assert again[1].all()


def test_announcements_are_those_of_the_trial_engine():
    """Two ways to simulate the same event, 5 deviations of their difference."""
    row = member("lecture11_sparse", cutoff=1, epsilon=1.5)
    got = announcements(num_below=3, cut=2, trials=400_000, epsilon=1.5, seed=5)
    for low, count in zip((0.0, 1.0), got, strict=True):
        runs = run_trials(
            row,
            [low, 0.0],
            counts=[3, 1],
            threshold=0.0,
            trials=400_000,
            rng=np.random.default_rng(1),
        )
        seen = np.count_nonzero((runs.above[:, 0] == 3) & (runs.numbers[:, 0] <= 2))
        assert abs(seen - count) < 5 * np.sqrt(seen + count)


def test_announcements_at_0_come_as_often_as_the_closed_form_says():
    """At 5 deviations, in 200,000 runs."""
    for m in (1, 2, 3):
        got = announcements(num_below=m, cut=0, trials=200_000, epsilon=0.5, seed=3)
        expected = 200_000 * event_probabilities(num_below=m, epsilon=0.5)
        assert (np.abs(got - expected) < 5 * np.sqrt(expected)).all()


def test_who_announces_first_follows_the_law_of_one_run():
    """1,000 announcements, each 3.4 standard deviations wide: 99.93%."""
    poor, attackers = first_announcements(size=1000, seed=0)
    at_both = event_probabilities(num_below=4, epsilon=1.0)
    right = at_both[0] / at_both.sum()
    assert abs(poor.mean() - right) < 3.4 * np.sqrt(right * (1 - right) / 1000)
    assert abs(attackers[-1] * at_both.mean() / 1000 - 1) < 3.4 / np.sqrt(1000)
    assert (np.diff(attackers) > 0).all() and attackers[0] >= 1


def test_an_attacker_announces_after_four_times_below_and_a_low_number():
    rng = np.random.default_rng(5)
    state = rng.random(100_000) < 0.5
    noise = laplace(rng, 2.0, np.empty((6, 100_000)))
    speaks = [
        i
        for i, (z, last, *queries) in enumerate(noise.T.tolist())
        if all(x + (not state[i]) < z for x in queries) and z <= last <= 0
    ]
    poor, attackers = first_announcements(size=len(speaks), seed=5)
    assert attackers.tolist() == [i + 1 for i in speaks] and len(speaks) > 10
    assert poor.tolist() == state[speaks].tolist()


def test_the_two_states_have_noise_of_their_own():
    """40 pairs of counts: with common noise, as good as equal here, they correlate by 0.9."""
    counts = np.array(
        [
            announcements(num_below=1, cut=10, trials=100_000, epsilon=0.3, seed=seed)
            for seed in range(40)
        ]
    )
    assert abs(np.corrcoef(counts.T)[0, 1]) < 0.5
    assert len(np.unique(counts[:, 0])) > 30


def own_printed(data, queries, *, n, threshold, cutoff, epsilon, rng):
    """The printed algorithm at c = 1, as a reader writes it; it also draws what nobody uses."""
    rng.normal()
    noisy_threshold = threshold + rng.laplace(scale=2 / (epsilon * n))
    for query in queries:
        noisy = query(data) + rng.laplace(scale=2 * cutoff / (epsilon * n))
        if noisy >= noisy_threshold:
            yield noisy
            return
        yield BELOW


def test_a_mechanism_of_ones_own_gets_the_noise_of_the_library():
    losses = {"num_below": 5, "trials": 2000, "cutoff": 1, "epsilon": 2.0, "seed": 4}
    for ours, own in zip(
        measured_losses(**losses), measured_losses(**losses, mechanism=own_printed), strict=True
    ):
        assert ours.tolist() == own.tolist() and np.isfinite(ours[0])
    attack = {"num_below": 2, "cut": 3.0, "trials": 2000, "epsilon": 1.0, "seed": 4}
    spoke = announcements(**attack)
    assert announcements(**attack, mechanism=own_printed) == spoke and min(spoke) > 20


def test_a_mechanism_that_says_too_little_is_counted_as_it_is():
    def silent(data, queries, **parameters):
        return [BELOW] * len(queries)

    def always(data, queries, *, rng, **parameters):
        return [BELOW] * (len(queries) - 1) + [-1.0]

    attack = {"num_below": 3, "cut": 0, "trials": 50, "epsilon": 1.0, "seed": 0}
    assert announcements(**attack, mechanism=silent) == [0, 0]
    assert announcements(**attack, mechanism=lambda *_, **__: []) == [0, 0]
    assert announcements(**attack, mechanism=always) == [50, 50]
    ratio, *_ = measured_losses(
        num_below=8, trials=50, cutoff=1, epsilon=1.0, seed=0, mechanism=always
    )
    assert ratio.tolist() == [0.0] * 8


def test_a_number_of_exactly_the_cut_is_low_enough():
    def always(data, queries, **parameters):
        return [BELOW] * (len(queries) - 1) + [-1.5]

    attack = {"num_below": 2, "trials": 50, "epsilon": 1.0, "seed": 0, "mechanism": always}
    assert announcements(**attack, cut=-1.5) == [50, 50]
    assert announcements(**attack, cut=-1.51) == [0, 0]


@pytest.mark.parametrize("function", [measured_losses, announcements, audited])
def test_a_mechanism_of_ones_own_gets_unit_noise_whatever_it_answers(function):
    """|Lap(1)| has mean and deviation 1: each draw of a run on average, at 5 deviations."""
    drawn = []

    def mechanism(data, queries, *, rng, **parameters):
        drawn.append([rng.laplace(scale=1.0) for _ in range(len(queries) + 3)])
        return [BELOW] * len(queries)

    if function is audited:
        row = member("above_threshold", cutoff=1, epsilon=1.0)
        audited(row, num_below=3, trials=2000, epsilon=1.0, seed=3, mechanism=mechanism)
    else:
        chosen = {"cutoff": 1} if function is measured_losses else {"cut": 0.0}
        function(num_below=3, trials=2000, epsilon=1.0, seed=3, mechanism=mechanism, **chosen)
    full = np.abs([draws for draws in drawn if len(draws) == 7])
    assert (np.abs(full.mean(axis=0) - 1) < 5 / np.sqrt(2000)).all() and len(full) >= 4000


def test_noise_is_drawn_at_unit_scale_and_of_rows_of_their_own_at_2(monkeypatch):
    scales = []

    def watched(rng, scale, out):
        scales.append(scale)
        return laplace(rng, scale, out)

    monkeypatch.setattr(is_it_private, "laplace", watched)
    shape = dict(num_below=2, trials=99, epsilon=1.0, seed=987)  # of no other test: runs are kept
    measured_losses(**shape, cutoff=1)
    announcements(**shape, cut=1.0)
    announcements(**shape, cut=1.0, mechanism=sparse_as_printed)
    audited(member("sparse", cutoff=1, epsilon=1.0), **shape)
    assert set(scales) == {1.0} and len(scales) > 30
    scales.clear()
    first_announcements(size=1, seed=987)
    assert set(scales) == {2.0}


def test_the_first_runs_of_a_seed_stay_the_same():
    """What 40,000 runs show is part of what 400,000 do."""
    attack = {"num_below": 1, "cut": 5, "epsilon": 1.0, "seed": 2}
    few, many = (np.array(announcements(**attack, trials=t)) for t in (40_000, RUNS))
    rest = many - few
    assert (few > 0).all() and (rest > 0).all()
    assert (abs(few / 40_000 - rest / (RUNS - 40_000)) < 5 * np.sqrt(few) / 40_000).all()


@pytest.mark.parametrize(
    ("trials", "seed"), [(2, 6), (501, 6), (4000, 6), *((12, seed) for seed in range(20))]
)
def test_an_audit_of_a_row_is_that_of_its_code(trials, seed):
    """On the same noise: every draw of the code is one of the row's, in its order."""

    def coded(query_noise):
        def mechanism(data, queries, *, threshold, epsilon, rng):
            noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
            for query in queries:
                if query(data) + rng.laplace(scale=query_noise / epsilon) >= noisy_threshold:
                    yield ABOVE
                    return
                yield BELOW

        return mechanism

    right = member("above_threshold", cutoff=1, epsilon=0.8)
    for row, noise in ((right, 4.0), (half_noise(epsilon=0.8), 2.0)):
        audit = {"num_below": 4, "trials": trials, "epsilon": 0.8, "seed": seed}
        assert audited(row, **audit) == audited(row, **audit, mechanism=coded(noise))


def test_patterns_of_answers_are_in_the_order_in_which_runs_have_them():
    """So that the auditor decides a tie as it does for the code; 200 runs of two queries."""
    row = member("above_threshold", cutoff=1, epsilon=1.0)
    for seed in range(5):
        noise = np.random.default_rng(seed).laplace(size=(3, 200))
        runs = {}
        for threshold, first, second in noise.T.tolist():
            answers = (BELOW, BELOW)
            if 0.25 + 4 * first >= 2 * threshold:
                answers = (ABOVE,)
            elif 0.5 + 4 * second >= 2 * threshold:
                answers = (BELOW, ABOVE)
            runs[answers] = runs.get(answers, 0) + 1
        found = is_it_private._first_above(row, [0.25, 0.5], noise)
        assert [(pattern, len(seen)) for pattern, seen in found.items()] == list(runs.items())


def test_an_audit_asks_m_queries_of_0_and_one_of_1_and_on_the_neighbour_the_opposite():
    seen = []

    def mechanism(data, queries, **parameters):
        seen.append([query(data) for query in queries])
        return [BELOW] * len(queries)

    row = member("above_threshold", cutoff=1, epsilon=1.0)
    audited(row, num_below=3, trials=6, epsilon=1.0, seed=0, mechanism=mechanism)
    assert seen == [[0, 0, 0, 1]] * 6 + [[1, 1, 1, 0]] * 6


def test_an_audit_sees_the_exact_rates():
    """Its event is ⊥ six times, then ⊤: two rates of 50,000 runs at 5 deviations."""
    row = half_noise(epsilon=1.0)
    found = audited(row, num_below=6, trials=AUDIT_RUNS, epsilon=1.0, seed=9)
    assert str(found.event) == "⊥ ⊥ ⊥ ⊥ ⊥ ⊥ ⊤"
    for stream, rate in (([0, 1], found.rate), ([1, 0], found.lower_rate)):
        law = np.exp(log_probability(row, stream, [BELOW, ABOVE], threshold=0, counts=[6, 1]))
        assert abs(rate - law) < 5 * np.sqrt(law / 50_000)


@pytest.mark.parametrize("monotone", [False, True])
def test_published_losses_are_those_of_the_auditor_and_the_closed_form(monotone):
    losses = published_losses(num_below=7, cutoff=3, epsilon=0.5, monotone=monotone)
    for name, (found, limit) in zip(ROWS, losses, strict=True):
        row = member(name, cutoff=1 if name == "above_threshold" else 3, epsilon=0.5)
        assert found == exact_audit(row, num_queries=7, monotone=monotone).loss
        assert limit == privacy_loss(row, monotone=monotone)
    losses[:] = 0
    assert published_losses(num_below=7, cutoff=3, epsilon=0.5, monotone=monotone).any()


def test_noisy_counts_have_laplace_noise_about_0_and_1():
    """|Lap(b)| is exponential with mean and deviation b = 1/ε: within 5 deviations of the mean."""
    outputs = noisy_counts(trials=50_000, epsilon=0.4, seed=1)
    assert outputs.shape == (2, 50_000)
    noise = outputs - [[0], [1]]
    assert (np.abs(np.abs(noise).mean(axis=1) - 2.5) < 5 * 2.5 / np.sqrt(50_000)).all()
    assert (np.abs(noise.mean(axis=1)) < 5 * 2.5 * np.sqrt(2 / 50_000)).all()
    assert (noisy_counts(trials=50_000, epsilon=0.4, seed=2) != outputs).all()


def test_noisy_counts_are_those_of_the_slide():
    ours, own = (
        noisy_counts(trials=300, epsilon=0.4, seed=1, mechanism=mechanism)
        for mechanism in (None, laplace_mechanism)
    )
    assert ours.tolist() == own.tolist()


def test_as_many_counts_as_memory_is_given_are_drawn(monkeypatch):
    monkeypatch.setattr(is_it_private, "_MOST_DRAWS", 100)
    assert noisy_counts(trials=50, epsilon=1.0, seed=0).shape == (2, 50)
    with pytest.raises(ValueError, match="trials must need at most 100 draws of noise, got 51"):
        noisy_counts(trials=51, epsilon=1.0, seed=0)


def test_a_count_of_1_is_always_on_the_lattice():
    for epsilon in (0.1, 1.0, 5.0):
        zero, one = multiples(noisy_counts(trials=20_000, epsilon=epsilon, seed=7), places=53)
        assert one == 20_000 > zero


def test_rounding_is_to_the_lattice_and_to_the_nearest():
    outputs = noisy_counts(trials=20_000, epsilon=1.0, seed=2)
    rounded = on_lattice(outputs, places=10)
    assert (rounded * 2**10 == np.round(rounded * 2**10)).all()
    assert (abs(rounded - outputs) <= 2**-11).all()
    assert on_lattice([0.3, -1.75], places=1).tolist() == [0.5, -2.0]
    assert multiples([[0.5, 0.25, 3.0], [0.75, 0.1, 0.3]], places=1).tolist() == [2, 0]
    assert multiples([0.5, 0.25, 3.0], places=1) == 2


def audit_of_a_row(**parameters):
    return audited(member("above_threshold", cutoff=1, epsilon=1.0), **parameters)


@pytest.mark.parametrize(
    ("function", "parameters", "message"),
    [
        (announcements, {"num_below": 13, "cut": 0, "trials": 1}, "num_below must be .* 12 in"),
        (announcements, {"num_below": 1, "cut": 0, "trials": RUNS + 1}, "trials must be .* 400000"),
        (measured_losses, {"num_below": 9, "cutoff": 1, "trials": 2}, "num_below must be .* 8 in"),
        (
            measured_losses,
            {"num_below": 1, "cutoff": 1, "trials": RUNS + 1},
            "trials must be at most 400000",
        ),
        (audit_of_a_row, {"num_below": 10, "trials": 2}, "num_below must be .* 9 in size"),
        (audit_of_a_row, {"num_below": 1, "trials": 100_001}, "trials must be .* 100000 in size"),
        (noisy_counts, {"trials": 2**26 + 1}, "trials must need at most 134,217,728 draws"),
        (noisy_counts, {"trials": [5, 6]}, "trials must be a single number"),
    ],
)
def test_more_noise_than_memory_holds_is_refused(function, parameters, message):
    with pytest.raises(ValueError, match=message):
        function(**parameters, epsilon=1.0, seed=0)


def test_more_announcements_than_can_be_awaited_are_refused():
    with pytest.raises(ValueError, match="size must be .* 1000 in size"):
        first_announcements(size=1001, seed=0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_below": 10_001}, "num_below must be .* 10000 in size"),
        ({"cutoff": 101}, "cutoff must be .* 100 in size"),
        ({"epsilon": 1.1e12}, "epsilon must be .* 1e.12 in size"),
    ],
)
def test_tables_that_would_take_hours_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        published_losses(**{"num_below": 3, "cutoff": 2, "epsilon": 1.0} | changes)


def test_the_largest_tables_are_made():
    for changes in ({"num_below": 10_000, "cutoff": 1}, {"cutoff": 100}, {"epsilon": 1e12}):
        losses = published_losses(**{"num_below": 1, "cutoff": 2, "epsilon": 1.0} | changes)
        assert (losses[:, 0] <= losses[:, 1] * (1 + 1e-9)).all()


def test_the_finest_lattice():
    assert on_lattice(0.1, places=99) == 0.1 and on_lattice(2.0**-100, places=99) == 0
