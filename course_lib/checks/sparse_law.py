"""The exact laws of a sparse vector mechanism's answers: of the right one, and of each slip.

A law takes a stream and the scales of the noise on the threshold and on the queries, and gives the
probability of each transcript. The values of a stream are equal, so the integral of
course_lib.exact is needed only once for each number of ⊥ and ⊤.
"""

import functools
import itertools
import math

import numpy as np

from course_lib.exact.family import Variant
from course_lib.exact.transcripts import first_above_law, log_probability
from course_lib.support.answers import ABOVE, BELOW


@functools.cache
def transcripts(size, cutoff):
    """Every transcript of `size` queries, cut off at the last ⊤ it may have; ⊤ sorts before ⊥."""
    found = {}
    for answers in itertools.product((ABOVE, BELOW), repeat=size):
        above = [i for i, answer in enumerate(answers) if answer is ABOVE]
        found[answers[: above[cutoff - 1] + 1] if len(above) >= cutoff else answers] = None
    return list(found)


@functools.cache
def together(stream, above, below, threshold_scale, query_scale):
    """Pr[so many ⊤ and so many ⊥ in a given order] with one threshold for all of them."""
    row = Variant("with these scales", threshold_scale, query_scale, False, None, None)
    values = [stream.values[0]] * (above + below)
    answers = [ABOVE] * above + [BELOW] * below
    return math.exp(log_probability(row, values, answers, threshold=stream.threshold))


def kept(stream, threshold_scale, query_scale):
    """The law if the threshold is drawn once."""
    answers = transcripts(len(stream.values), stream.cutoff)
    counts = [(each.count(ABOVE), each.count(BELOW)) for each in answers]
    return np.array([together(stream, *each, threshold_scale, query_scale) for each in counts])


def restarted(stream, threshold_scale, query_scale):
    """The law if the threshold is drawn again after each ⊤: a product over the ⊤."""
    row = Variant("with these scales", threshold_scale, query_scale, True, None, 1)
    first = first_above_law(row, stream.values, threshold=stream.threshold)
    none_within = 1 - np.cumsum([0, *first])
    law = []
    for answers in transcripts(len(stream.values), stream.cutoff):
        ends = [-1, *(i for i, answer in enumerate(answers) if answer is ABOVE)]
        runs = (first[j - i - 1] for i, j in itertools.pairwise(ends))
        law.append(math.prod(runs) * none_within[len(answers) - 1 - ends[-1]])
    return np.array(law)


def independent(stream, threshold_scale, query_scale):
    """The law if the threshold is drawn again for each query, or has no noise."""
    above = together(stream, 1, 0, threshold_scale, query_scale)
    answers = transcripts(len(stream.values), stream.cutoff)
    counts = ((each.count(ABOVE), each.count(BELOW)) for each in answers)
    return np.array([above**yes * (1 - above) ** no for yes, no in counts])


def no_threshold_noise(stream, threshold_scale, query_scale):
    return independent(stream, query_scale, 0.0)


def no_query_noise(stream, threshold_scale, query_scale):
    return restarted(stream, threshold_scale, 0.0)


def no_query_noise_kept(stream, threshold_scale, query_scale):
    return kept(stream, threshold_scale, 0.0)


def one_draw(stream, threshold_scale, query_scale):
    """The law if one noise serves all queries, with a new threshold after each ⊤.

    Then the thresholds are compared with the noise as the queries should be with the threshold, and
    the first ⊥ is followed by nothing else.
    """
    return _stuck(stream, lambda *n: together(stream, *n, query_scale, threshold_scale))


def one_draw_a_run(stream, threshold_scale, query_scale):
    """The law if the noise of the queries, too, is drawn again only after a ⊤."""
    above = together(stream, 1, 0, threshold_scale, query_scale)
    return _stuck(stream, lambda yes, no: above**yes * (1 - above) ** no)


def one_draw_kept(stream, threshold_scale, query_scale):
    """The law if one noise and one threshold serve all queries, so that all answers are equal."""
    above = together(stream, 1, 0, threshold_scale, query_scale)
    return _stuck(stream, lambda yes, no: (1 - above, above)[yes > 0] * (yes == 0 or no == 0))


def _stuck(stream, probability):
    law = []
    for answers in transcripts(len(stream.values), stream.cutoff):
        above = answers.count(ABOVE)
        begins = answers[:above].count(ABOVE) == above
        law.append(probability(above, int(above < len(answers))) if begins else 0.0)
    return np.array(law)
