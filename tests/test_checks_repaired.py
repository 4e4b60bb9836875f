"""What the check of notebook 04's first exercise rests on: the laws of ⊥ and of numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from course_lib.checks import released_law, repaired, sparse_law, sparse_task
from course_lib.checks.exercise import misfit
from course_lib.checks.stream import FALSE_ALARM
from course_lib.exact.family import member
from course_lib.lecture11_sparse import sparse_as_printed, sparse_repaired
from course_lib.support.answers import BELOW
from tests.power import refusals, transcript_refusals
from tests.wrong_answers import repaired as answers

TASK, check_repaired = repaired.TASK, repaired.check_repaired


def test_a_style_that_nobody_foresaw_gets_a_verdict_on_its_behaviour(verdict):
    def never_the_first(data, queries, **parameters):
        yield BELOW
        yield from answers.repaired()(data, queries[1:], **parameters)

    text = verdict(check_repaired, never_the_first)
    assert text.startswith("Not yet: your answers are not distributed as they should be. With")
    assert "And " not in text
    assert "the first number comes at query 2 in 86.9% of 6,000 runs; it should be 3.5%." in text


def test_numbers_for_later_queries_alone_are_judged_too(verdict):
    def never_the_first_and_positive(data, queries, **parameters):
        yield BELOW
        positive = answers.WRONG_NOISE["positive numbers"][0]
        yield from positive(data, queries[1:], **parameters)

    text = verdict(check_repaired, never_the_first_and_positive)
    assert "And your numbers are not distributed as they should be" in text
    assert "number − value, right after a ⊥, is at most 0 in 0.0%" in text


def test_two_faults_are_both_named(verdict):
    text = verdict(check_repaired, answers.WRONG_NOISE["as Lecture 11, 2 forgotten"][0])
    assert "your query noise has scale c/(s2·ε·n);" in text
    assert "And you release the noise you compared with: Lecture 11’s flaw." in text


def with_thirds(stream):
    return replace(stream, shares=(1 / 3, 1 / 3, 1 / 3))


def test_thirds_are_the_repaired_row():
    for stream in TASK.settings:
        row = member("lecture11_repaired", cutoff=stream.cutoff, epsilon=stream.epsilon)
        scales = np.array([row.threshold_scale, row.query_scale, row.release_scale]) / stream.n
        assert np.allclose(repaired._scales(with_thirds(stream)), scales)


def test_any_split_costs_epsilon():
    # in units of 1/n: the threshold moves by 1, c queries by 2 against it, c numbers by 1
    for stream in TASK.settings:
        assert math.isclose(sum(stream.shares), 1)
        scales = np.array(repaired._scales(stream)) * stream.n
        spent = (np.array([1, 2 * stream.cutoff, stream.cutoff]) / scales).sum()
        assert math.isclose(spent, stream.epsilon)


def judged(mechanism, stream):
    """What refutes the transcripts and the numbers of a mechanism on one stream."""
    task = replace(TASK, streams=(stream,), others=())
    counts, given, _ = sparse_task.observe(task, mechanism)
    collected = [released_law.collect(stream, given[0])]
    transcripts = sparse_task.refuted(task, counts, task.law, task.right(0), task.right(1))
    return transcripts, released_law.refuted(task, collected, 5e-7)


def without_shares(mechanism):
    def my_repaired(data, queries, *, shares, **parameters):
        return mechanism(data, queries, **parameters)

    return my_repaired


def test_the_librarys_repaired_mechanism_passes_with_thirds():
    assert judged(without_shares(sparse_repaired), with_thirds(TASK.streams[1])) == (None, None)


def test_the_printed_mechanism_does_not_pass():
    transcripts, numbers = judged(without_shares(sparse_as_printed), with_thirds(TASK.streams[1]))
    assert transcripts
    assert numbers


def test_the_law_of_compared_noise_is_that_of_the_simulation():
    # false alarm below 1e-6; fresh noise of the same scale is refused by the same numbers
    stream = replace(TASK.streams[1], runs=4000)
    threshold, query, right = TASK.scales(stream)
    _, given = sparse_task._count(TASK, answers.WRONG_NOISE["as Lecture 11"][0], stream, seed=3)
    (first,) = released_law.collect(stream, given)["first"].values()
    seen = released_law.binned(first, released_law.EDGES * right)
    law = released_law.compared(stream, threshold, query, right)
    assert misfit(seen, law, level=1e-6) is None
    assert misfit(seen, released_law.fresh(stream, query, right), level=1e-6)
    # brought to the right scale, the same numbers have the law of rescaled noise
    seen = released_law.binned(first * right / query, released_law.EDGES * right)
    law = released_law.compared_rescaled(stream, threshold, query, right)
    assert misfit(seen, law, level=1e-6) is None


def test_the_bins_of_fresh_noise_are_those_of_laplace():
    edges = released_law.EDGES
    for scale in (0.5, 1.0, 3.0):
        expected = np.diff(laplace.cdf(edges, scale=scale), prepend=0, append=1)
        assert np.allclose(released_law.fresh(None, scale, 1.0), expected)
    assert released_law.binned([-100, 0.001, 100], edges).tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]


def test_the_bins_of_a_difference_are_those_of_two_laplace_draws():
    below = [
        quad(lambda x, e=edge: laplace.pdf(x) * laplace.cdf(e + x), -40, 40, points=(0, -edge))[0]
        for edge in released_law.PAIR_EDGES
    ]
    assert np.allclose(released_law.difference(), np.diff(below, prepend=0, append=1))


def test_errors_are_sorted_by_their_neighbours_and_by_pairs():
    stream = replace(TASK.streams[1], values=(1.0,) * 4)
    given = [[1.5, BELOW, 3.0, 6.0], [BELOW] * 4, [BELOW, 0.0, 2.0, BELOW], [BELOW] * 3 + [1.25]]
    tables = released_law.collect(stream, given)
    found = {kind: [errors.tolist() for errors in each.values()] for kind, each in tables.items()}
    assert found == {
        "first": [[0.5]],
        "later": [[2.0, -1.0, 0.25], [5.0, 1.0]],  # after a ⊥, after a number
        "next": [[0.5, 1.0], [2.0, -1.0], [5.0, 0.25]],  # before a ⊥, before a number, at the end
        "pair": [[-1.5, -2.0], [-4.5], [-3.0]],  # first and second, first and third, second and
    }


def number_refusals(factor=1.0):
    """For each event judged: the probability that it has numbers with this scale refused.

    The tables hold their level whatever the number of numbers; here it is the expected one.
    """
    sizes = {}
    for stream in TASK.streams:
        law = TASK.law(stream, *TASK.scales(stream)[:2])
        given = sparse_law.transcripts(len(stream.values), stream.cutoff)
        for probability, marks in zip(law, given, strict=True):
            numbers = [BELOW if mark is BELOW else 0.0 for mark in marks]
            for kind, tables in released_law.collect(stream, [numbers]).items():
                for words, errors in tables.items():
                    table = stream, kind, words
                    sizes[table] = sizes.get(table, 0) + probability * len(errors)
    assert len(sizes) == 6 * 3 + 1 + 3 + 1
    for (stream, kind, _), size in sizes.items():
        laws = [released_law.difference()] * 2
        if kind != "pair":
            laws = [released_law.fresh(stream, scale, 1.0) for scale in (1.0, factor)]
        level = (FALSE_ALARM - TASK.level) / len(sizes)
        yield from refusals(*laws, runs=int(stream.runs * size), level=level)


def test_at_most_one_right_answer_in_a_million_is_refused():
    transcripts = sum(sum(transcript_refusals(TASK, stream)) for stream in TASK.streams)
    assert transcripts <= TASK.level
    assert sum(number_refusals()) <= FALSE_ALARM - TASK.level
    assert FALSE_ALARM == 1e-6


@pytest.mark.parametrize("factor", [1.25, 0.8])
def test_fresh_noise_off_by_a_quarter_is_seen_with_power_99_percent(factor):
    assert max(number_refusals(factor)) >= 0.99
