"""AboveThreshold measured: its privacy loss from the frequencies of one transcript."""

import numpy as np

from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.trials import above_threshold_trials
from course_lib.support.contracts import checked_numbers


@checked_numbers
def measured_late_losses(*, threshold, trials, epsilon, seed):
    """The loss of late_above_loss from frequencies, at some k: arrays of k, loss, low and high.

    Each interval holds the loss with 95%; those wider than 2 epsilon, which say nothing, are left
    out, and so are those of transcripts seen fewer than 20 times.
    """
    rng = np.random.default_rng(seed)
    kept = []
    for num_queries in (2, 4, 8, 16):
        seen = [
            np.count_nonzero(
                above_threshold_trials(
                    values,
                    counts=[num_queries - 1, 1],
                    threshold=threshold,
                    trials=trials,
                    epsilon=epsilon,
                    rng=rng,
                )
                == num_queries - 1
            )
            for values in ([0.0, 1.0], [1.0, 0.0])
        ]
        if min(seen) >= 20:  # both rates within their intervals at once: 97.5% each
            (a, b), (c, d) = (clopper_pearson(n, trials, confidence=0.975) for n in seen)
            if np.log(b * d / (a * c)) <= 2 * epsilon:
                kept.append((num_queries, np.log(seen[0] / seen[1]), np.log(a / d), np.log(b / c)))
    return np.array(kept).reshape(-1, 4).T
