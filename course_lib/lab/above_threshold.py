"""AboveThreshold measured: its privacy loss from frequencies, and its proof on sampled noise."""

import numpy as np

from course_lib.exact.above_threshold import coupled_noise, coupling_price
from course_lib.exact.family import member
from course_lib.exact.transcripts import as_stream
from course_lib.lab.confidence import clopper_pearson
from course_lib.lab.trials import above_threshold_trials
from course_lib.support.contracts import ParameterError, checked_numbers, shown

_MOST = 2**26  # numbers that are held in memory


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


def is_late(values, noise, *, threshold):
    """For each row of noise, the threshold's and each query's: do the answers read ⊥, …, ⊥, ⊤?"""
    says_above = values + noise[..., 1:] >= threshold + noise[..., :1]
    return says_above[..., -1] & ~says_above[..., :-1].any(axis=-1)


def sampled_noise(num_queries, *, trials, epsilon, seed):
    """In each row the noise of a run: that of the threshold, then that of each query."""
    if trials * (num_queries + 1) > _MOST:
        raise ParameterError(f"trials must need at most {_MOST:,} draws, got {shown(trials)}")
    row = member("above_threshold", cutoff=1, epsilon=epsilon)
    scales = np.repeat([row.threshold_scale, row.query_scale], [1, num_queries])
    return np.random.default_rng(seed).laplace(scale=scales, size=(trials, num_queries + 1))


@checked_numbers
def coupled_runs(values, neighbour, *, threshold, trials, epsilon, seed):
    """The proof of privacy on sampled noise, an entry or row for each: here, there and the price.

    Whether the answers read ⊥, …, ⊥, ⊤ on the values; on the neighbour, with the noise moved; and
    what moving the threshold and the last query's noise costs.
    """
    values, neighbour = as_stream(values), as_stream(neighbour, "neighbour")
    noise = sampled_noise(len(values), trials=trials, epsilon=epsilon, seed=seed)
    moved = coupled_noise(values, neighbour, noise)
    return (
        is_late(values, noise, threshold=threshold),
        is_late(neighbour, moved, threshold=threshold),
        coupling_price(noise, moved, epsilon=epsilon),
    )


@checked_numbers
def late_noise(values, *, threshold, epsilon, seed):
    """Noise of one run on the values whose answers are ⊥, …, ⊥, ⊤: the first of 10,000 rows."""
    values = as_stream(values)
    noise = sampled_noise(len(values), trials=10_000, epsilon=epsilon, seed=seed)
    late = np.flatnonzero(is_late(values, noise, threshold=threshold))
    if not len(late):
        raise ParameterError("values must make ⊥, …, ⊥, ⊤ likelier than one in 10,000")
    return noise[late[0]]
