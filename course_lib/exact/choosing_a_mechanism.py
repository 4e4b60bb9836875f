"""What each mechanism of the course promises for a task, and which promise is the smallest."""

from dataclasses import replace

import numpy as np

from course_lib.alp import alp_space
from course_lib.exact.small_db import Promises
from course_lib.linear_queries import histogram_alpha
from course_lib.numeric_sparse import sparse_alpha
from course_lib.online_ic import online_ic_alpha
from course_lib.support.contracts import (
    COUNT,
    POSITIVE,
    PROPER,
    ParameterError,
    checked_arrays,
    shown,
)
from course_lib.toolbox import advanced_per_run, laplace_alpha

DASHBOARD = ("noise on each answer", "noise on the table", "SmallDB", "OnlineIC", "a guess")
ALARM = ("the alarm", "noise on each answer", "noise on the table", "a guess")
COLUMNS = ("dense noise", "ALP", "Threshold", "a guess")


@checked_arrays(delta=PROPER)
def dashboard_promises(*, n, universe_size, num_queries, beta, epsilon, delta):
    """The error that each of DASHBOARD promises for shares: a row each, the sizes along it.

    The guess is ½; the answers share the budget by basic or advanced composition; SmallDB has its
    best alpha, and OnlineIC pays with delta where that promises less.
    """
    noise_and_small = [
        Promises(universe_size=size, beta=beta, epsilon=epsilon, delta=delta).least(
            n=n, num_queries=num_queries
        )
        for size in universe_size.ravel()
    ]
    shape = np.broadcast_shapes(universe_size.shape, num_queries.shape)
    basic, advanced, histogram, small = np.moveaxis(noise_and_small, 1, 0).reshape(4, *shape)
    online = 3 * online_ic_alpha(
        n=n, universe_size=universe_size, num_queries=num_queries, beta=beta, epsilon=epsilon,
        delta=np.reshape([0, delta], (2, *[1] * len(shape))),
    )  # fmt: skip
    guess = np.full(shape, 0.5)
    return np.array([np.minimum(basic, advanced), histogram, small, online.min(axis=0), guess])


@checked_arrays(delta=PROPER)
def alarm_promises(*, n, universe_size, num_queries, cutoff, beta, epsilon, delta):
    """The error that each of ALARM promises for counts of n rows, of which one comes or goes.

    Noise on the table then has scale 1/epsilon, half of what a row that is replaced needs.
    """
    given = {"num_queries": num_queries, "beta": beta, "epsilon": epsilon}
    alarm = [sparse_alpha(cutoff=cutoff, delta=spent, **given) for spent in (0.0, delta)]
    shares = epsilon / num_queries, advanced_per_run(runs=num_queries, epsilon=epsilon, delta=delta)
    answers = laplace_alpha(num_queries=num_queries, beta=beta, epsilon=np.maximum(*shares))
    histogram = histogram_alpha(n=1, universe_size=universe_size, **given) / 2
    found = np.minimum(*alarm), answers, histogram, n / 2
    return np.array(np.broadcast_arrays(*found))


@checked_arrays(support=replace(COUNT, most=1e45))
def column_bytes(*, dimension, support, cap, alpha, epsilon):
    """What a release by each of COLUMNS takes, where `support` of the d counts are not 0.

    A float for each count; ALP with a table of 4 cells for each that is not 0; index and float of
    each count that is kept, all of them and one zero; nothing.
    """
    size = 4 * np.ceil(support)
    table = alp_space(size=size, cap=cap, alpha=alpha, epsilon=epsilon) / 8
    found = 8 * dimension, table, 16 * (support + 1), np.zeros_like(support)
    return np.array(np.broadcast_arrays(*found))


@checked_arrays(many=POSITIVE, ratio=POSITIVE)
def ahead_from(many, ratio):
    """From about how many questions on the ratio is above 1, by logs between two computed ones.

    None if it never is.
    """
    if np.ndim(many) != 1 or np.shape(many) != np.shape(ratio):
        raise ParameterError(f"ratio must be one for each of many, got {shown(ratio)}")
    after = int(np.argmax(ratio > 1))
    if not after:
        return many[0] if ratio[0] > 1 else None
    between = slice(after - 1, after + 1)
    return np.round(np.exp(np.interp(0, np.log(ratio[between]), np.log(many[between]))))
