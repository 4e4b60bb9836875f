"""How often a check that rests on `misfit` refuses an answer, by exact binomial probabilities."""

import numpy as np
from scipy.stats import binom

from course_lib.checks.sparse_task import VIEWS, views
from course_lib.lab.confidence import clopper_pearson


def refusals(law, true_law, *, runs, level, ordered=True):
    """For each event that is judged: the probability that it alone has the answer refused."""
    seen = np.arange(runs + 1)
    law, true_law = (np.asarray(each) for each in (law, true_law))
    if ordered:
        law, true_law = (np.append(each, each.cumsum()[:-1]) for each in (law, true_law))
    low, high = clopper_pearson(seen, runs, confidence=1 - level / len(law))
    for claimed, true in zip(law.clip(0, 1), true_law.clip(0, 1), strict=True):
        yield binom.pmf(seen, runs, true)[(claimed < low) | (claimed > high)].sum()


def transcript_refusals(task, stream, factors=(1, 1)):
    """The same for the transcripts of a stream with scales off by these factors."""
    scales = task.scales(stream)[:2]
    wrong = [scale * factor for scale, factor in zip(scales, factors, strict=True)]
    laws = task.law(stream, *scales), task.law(stream, *wrong)
    level = task.level / (VIEWS * len(task.streams))
    for outcome, by, _ in views(stream):
        tables = (np.bincount(outcome, weights=law) for law in laws)
        yield from refusals(*tables, runs=stream.runs, level=level, ordered=bool(by))
