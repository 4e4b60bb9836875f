"""What each mechanism of the course promises for a task, and which promise is the smallest."""

from dataclasses import replace

import numpy as np

from course_lib.alp import alp_space
from course_lib.exact.small_db import Promises
from course_lib.linear_queries import histogram_alpha
from course_lib.numeric_sparse import sparse_alpha
from course_lib.online_ic import online_ic_alpha
from course_lib.support.contracts import COUNT, PROPER, checked_arrays
from course_lib.toolbox import advanced_per_run, laplace_alpha

DASHBOARD = ("noise on the answers", "noise on the histogram", "SmallDB", "OnlineIC", "a guess")
ALARM = ("the alarm", "noise on the answers", "noise on the histogram", "a guess")
COLUMNS = ("dense noise", "ALP", "Threshold", "a guess")


@checked_arrays(delta=PROPER)
def dashboard_promises(*, n, universe_size, num_queries, beta, epsilon, delta):
    """The error that each of DASHBOARD promises for shares: a row each, num_queries along it.

    The guess is ½; the answers share the budget by basic or advanced composition; SmallDB has its
    best alpha, and OnlineIC pays with delta where that promises less.
    """
    promises = Promises(universe_size=universe_size, beta=beta, epsilon=epsilon, delta=delta)
    basic, advanced, histogram, small = promises.least(n=n, num_queries=num_queries)
    online = [
        3 * online_ic_alpha(n=n, universe_size=universe_size, num_queries=num_queries, beta=beta,
                            epsilon=epsilon, delta=spent)
        for spent in (0.0, delta)
    ]  # fmt: skip
    guess = np.full(np.shape(basic), 0.5)
    return np.array([np.minimum(basic, advanced), histogram, small, np.minimum(*online), guess])


@checked_arrays(delta=PROPER)
def alarm_promises(*, n, universe_size, num_queries, cutoff, beta, epsilon, delta):
    """The error that each of ALARM promises for counts of n rows, of which one comes or goes.

    Noise on the histogram then has scale 1/epsilon, half of what a row that is replaced needs.
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
