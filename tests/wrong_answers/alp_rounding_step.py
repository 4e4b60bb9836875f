"""Roundings at random that go wrong with the step, and what their messages say."""

import numpy as np

from tests.wrong_answers.alp_rounding import down, framed

NOTHING = "the values and round nothing. The results have to be multiples of step."
WRONG_STEP = {
    "step ignored": (
        lambda v, s, r: down(v, r),
        "Not yet: step plays no part, you round to whole numbers. Divide by step, round",
    ),
    "step ignored, nearest": (
        lambda v, s, r: np.rint(v),
        "step plays no part, you round to whole numbers.",
        "Besides, you round to the nearest, always the same way.",
    ),
    "step ignored, a fair coin": (
        lambda v, s, r: np.floor(v) + (v % 1 > 0) * r.integers(0, 2, size=v.shape),
        "step plays no part",
        "Besides, you toss a fair coin between the two neighbours.",
    ),
    "in steps": (
        framed(down, after=lambda x, s: x),
        "your results are numbers of steps. Multiply them by step at the end.",
    ),
    "in steps, down": (
        lambda v, s, r: v // s,
        "your results are numbers of steps.",
        "Besides, you always round down.",
    ),
    "divided twice": (
        framed(down, after=lambda x, s: x / s),
        "you divide by step once more at the end.",
    ),
    "not divided": (
        framed(down, before=lambda v, s: v),
        "you round the values to whole numbers and multiply these by step",
    ),
    "divided at the end": (
        framed(down, before=lambda v, s: v, after=lambda x, s: x / s),
        "you round the values to whole numbers and divide these by step.",
    ),
    "the wrong way round": (
        framed(down, before=lambda v, s: v * s, after=lambda x, s: x / s),
        "step is the wrong way round: you multiply before you round and divide after",
        "multiples of 1/step.",
    ),
    "multiplied before": (
        framed(down, before=lambda v, s: v * s, after=lambda x, s: x),
        "you multiply the values by step before you round, and leave it at that.",
    ),
    "multiplied twice": (
        framed(down, before=lambda v, s: v * s),
        "you multiply by step before you round, and after.",
    ),
    "the rest": (
        lambda v, s, r: v - v % s + s * (r.random(v.shape) < v % s),
        "you go up with the rest, values % step, as probability.",
    ),
    "the value’s fraction": (
        lambda v, s, r: v - v % s + s * (r.random(v.shape) < v % 1),
        "you go up with the fraction of the value, values % 1, as probability.",
    ),
    "a coin of 0 to step": (
        lambda v, s, r: s * (v // s + (r.uniform(0, s, size=v.shape) < v / s % 1)),
        "you compare the fraction of a step with a random number from 0 to step.",
    ),
    "up by 1": (
        lambda v, s, r: v - v % s + (r.random(v.shape) < v % s / s),
        "you go up by 1, not by step.",
    ),
    "0 to 1 before dividing": (
        lambda v, s, r: s * np.floor((v + r.random(v.shape)) / s),
        "you add a random number from 0 to 1 to the values and then round down to a multiple",
    ),
    "0 to step after dividing": (
        lambda v, s, r: s * np.floor(v / s + s * r.random(v.shape)),
        "you divide the values by step and then add a random number from 0 to step.",
    ),
    "0 to step, whole": (
        lambda v, s, r: np.floor(v + s * r.random(v.shape)),
        "you add a random number from 0 to step, and then round down to a whole number",
    ),
    "up by step from a whole number": (
        lambda v, s, r: np.floor(v) + s * (r.random(v.shape) < v % 1),
        "you round down to a whole number and go up by step from there.",
    ),
    "a part of step after": (
        lambda v, s, r: v - v % s + s * r.random(v.shape),
        "you round down first and then add a random part of step",
    ),
    "a part of 1 after": (
        lambda v, s, r: v - v % s + r.random(v.shape),
        "you round down first and then add a random number from 0 to 1",
    ),
    "a wide step more, a narrow one less": (
        lambda v, s, r: (
            s * np.floor(v / s)
            + s * (r.random(v.shape) < v / s % 1 + (v % s > 0) * (0.08 if s > 1 else -0.08))
        ),
        " becomes ",
        " on average with step = ",
    ),
    "a part of step, not evenly": (
        lambda v, s, r: v - v % s + s * r.beta(2, 2, size=v.shape),
        "Not yet: with step = 2.5 you make ",
        "and the results have to be multiples of step.",
    ),
    "a part of step, and far away": (
        lambda v, s, r: v + s * (r.random(v.shape) + 7 * (r.random(v.shape) < 0.001)),
        "Not yet: with step = 2.5 you make ",
        "and the results have to be multiples of step.",
    ),
    "a part of step": (lambda v, s, r: v + s * r.random(v.shape), NOTHING),
    "a part of step, centred": (lambda v, s, r: v + s * (r.random(v.shape) - 0.5), NOTHING),
    "a part of 1": (lambda v, s, r: v + r.random(v.shape), NOTHING),
    "a part of 1, centred": (lambda v, s, r: v + r.random(v.shape) - 0.5, NOTHING),
    "a part that fits nothing": (
        lambda v, s, r: v + r.normal(size=v.shape),
        "Not yet: with step = 2.5 you make ",
        " of 0, and the results have to be multiples of step.",
    ),
}
