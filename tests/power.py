"""How often the check of a mechanism refuses an answer, by exact binomial probabilities."""

from dataclasses import replace

import numpy as np
from scipy.stats import binom, laplace

from course_lib.checks.laws import FALSE_ALARM
from course_lib.checks.streams import NOISE, stream_case
from course_lib.lab.confidence import clopper_pearson


def law_refusals(exercise, case, true_law):
    """For each event of a case: the probability that it alone has an answer of that law refused."""
    level = FALSE_ALARM / sum(len(each.table[0]) for each in exercise.cases)
    low, high = clopper_pearson(np.arange(case.runs + 1), case.runs, confidence=1 - level)
    true = (case.table[2] @ [true_law.get(label, 0.0) for label in case.law]).clip(0, 1)
    few = np.searchsorted(high, case.table[1])  # fewer than this are refused
    many = np.searchsorted(low, case.table[1], side="right")  # and this many or more
    return binom.cdf(few - 1, case.runs, true) + binom.sf(many - 1, case.runs, true)


def other_law(case, scales, factor):
    """The law of a stream whose row has these scales times a factor."""
    row = case.given.row
    changed = replace(row, **{scale: factor * getattr(row, scale) for scale in scales})
    law = stream_case(list(case.given.values), changed, words="", runs=1, **case.given.given).law
    if "release_scale" not in scales:
        return law
    # the kinds are those of the right scale
    edges = np.array([-np.inf, *NOISE.values()])
    right, wrong = (np.diff(laplace.cdf(edges, scale=each)) for each in (1, factor))
    ratio = dict(zip(NOISE, wrong / right, strict=True))
    return {
        label: p * np.prod([r ** label.count(f"({kind})") for kind, r in ratio.items()])
        for label, p in law.items()
    }
