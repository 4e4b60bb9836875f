"""The reader's own mechanism in the place of ours: one run, and many, on the same noise."""

import functools
import inspect
import itertools

import numpy as np
from tqdm import tqdm

from course_lib.above_threshold import above_threshold
from course_lib.exact.family import Variant
from course_lib.exact.worst_stream import worst_runs
from course_lib.lab.noise import GivenNoise, RecordedNoise
from course_lib.lab.numeric_sparse import numeric_failures
from course_lib.lab.trials import failures, laplace, no_answers
from course_lib.lecture11_sparse import sparse_as_printed
from course_lib.numeric_sparse import numeric_sparse, sparse
from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import (
    COUNT,
    NOT_NEGATIVES,
    ParameterError,
    checked_numbers,
    shown,
)

MOST_QUERIES = 20  # that a mechanism of one's own is asked in each of thousands of runs
_MOST_TRIALS = 10**6

OURS = {
    "above_threshold": above_threshold,
    "sparse": sparse,
    "numeric_sparse": numeric_sparse,
    "lecture11_sparse": sparse_as_printed,
}


def own(mechanism, **parameters):
    """A mechanism with these parameters; one that asks for the sensitivity gets that of a count."""
    try:
        takes = inspect.signature(mechanism).parameters.values()
    except (TypeError, ValueError):
        raise ParameterError(f"mechanism must be a function, got {shown(mechanism)}") from None
    bare = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty)
    needed = {each.name for each in takes if (each.kind, each.default) == bare}
    parameters |= {"sensitivity": 1.0} if "sensitivity" in needed else {}
    for name in sorted(needed - {*parameters, "rng"}):
        raise ParameterError(
            f"mechanism must need no {name} here; choose one with functools.partial, such as "
            f"partial({mechanism.__name__}, {name}=…)"
        )
    return functools.partial(mechanism, **parameters)


@checked_numbers
def recorded_run(mechanism, data, queries, *, seed, **parameters):
    """The answers of one run, and the numbers that it drew from its generator, in order.

    The mechanism is a function, or the name of a row of the family whose slide is meant.
    """
    rng, answers, queries = RecordedNoise(seed), [], list(queries)
    run = own(OURS.get(mechanism, mechanism), **parameters)
    for answer in run(data, queries, rng=rng):
        if len(answers) == len(queries):
            raise ParameterError(
                f"mechanism must give each of its queries one answer, got more than {len(queries)}"
            )
        answers.append(answer)
    return answers, rng.numbers


def shortest(num_queries, mechanism):
    """Of some lengths of a stream, those that a mechanism of one's own can be asked."""
    COUNT.check("num_queries", num_queries)
    if np.ndim(num_queries) != 1:
        raise ParameterError(f"num_queries must be a list of numbers, got {shown(num_queries)}")
    return [k for k in num_queries if mechanism is None or k <= MOST_QUERIES]


@checked_numbers(alpha=NOT_NEGATIVES)
def own_failures(one_run, variant: Variant, *, num_queries, alpha, trials, seed):
    """How many of `trials` runs fail on the worst stream of a row, as lab.trials.failures counts.

    `one_run(None, queries, rng=…)` answers queries around the threshold 0; None is the row itself.
    Up to 20 queries both get the same noise, draw by draw, so the mechanism that the row describes
    fails in the same runs. Beyond, only the row is run. A bar shows the progress of what is slow.
    """
    if num_queries > MOST_QUERIES:
        if one_run is None:
            numeric = variant.redrawn and variant.released == "fresh"
            count = numeric_failures if numeric else failures
            return count(variant, num_queries=num_queries, alpha=alpha, trials=trials, seed=seed)
        raise ParameterError(
            f"num_queries must be at most {MOST_QUERIES} with a mechanism of your own, "
            f"got {num_queries}"
        )
    if trials > _MOST_TRIALS:
        raise ParameterError(f"trials must be at most {_MOST_TRIALS:,} here, got {shown(trials)}")
    signs = np.repeat(*worst_runs(variant, num_queries))
    noise = _unit_noise(trials, num_queries, seed)
    alphas = tqdm(
        np.ravel(alpha), delay=2, leave=False, desc="your mechanism", disable=one_run is None
    )
    fail = _row_failures if one_run is None else functools.partial(_run_failures, one_run)
    return np.array([fail(variant, noise, signs, each) for each in alphas])


@functools.lru_cache(maxsize=2)
def _unit_noise(trials, num_queries, seed):
    """Lap(1) for every draw of a run: at most a threshold and a number for each query."""
    rng = np.random.default_rng(seed)
    return laplace(rng, 1.0, np.empty((trials, 1 + 3 * num_queries)))


def _row_failures(row, noise, signs, alpha):
    runs = runs_in_step(row, alpha * signs, noise, threshold=0.0)
    high = np.flatnonzero(signs > 0)
    more = np.full(runs.above.shape[1] - len(high), len(signs))  # ⊤ that should not come
    wrong = runs.above != np.append(high, more)
    if runs.numbers is not None:
        wrong |= abs(runs.numbers - alpha) > alpha
    return np.count_nonzero(wrong.any(axis=1))


@checked_numbers
def runs_in_step(variant: Variant, values, noise, *, threshold):
    """The Transcripts of a run for each row of unit noise, drawn in the order of the slides."""
    result = no_answers(variant, len(noise), len(values))
    drawn, count = np.zeros((2, len(noise)), dtype=int)
    running = np.arange(len(noise))

    def draw(scale, runs):
        drawn[runs] += 1
        return scale * noise[runs, drawn[runs] - 1]

    bars = threshold + draw(variant.threshold_scale, running)
    for place, value in enumerate(values):
        noisy = value + draw(variant.query_scale, running)
        reaches = noisy >= bars[running]
        above = running[reaches]
        given = above, count[above]
        result.above[given] = place
        if variant.released == "same":
            result.numbers[given] = noisy[reaches]
        elif variant.released == "fresh":
            result.numbers[given] = value + draw(variant.release_scale, above)
        count[above] += 1
        running = running[count[running] < result.above.shape[1]]
        if variant.redrawn:
            above = above[count[above] < result.above.shape[1]]
            bars[above] = threshold + draw(variant.threshold_scale, above)
    return result


def _run_failures(run, variant, noise, signs, alpha):
    queries = [lambda _, value=alpha * sign: value for sign in signs]
    more, left, wrong = np.random.default_rng(0), iter(()), 0
    # one generator for all runs, so that what a run draws by other methods differs from the last
    rng = GivenNoise(lambda scale: scale * next(left))
    for units in noise:
        left = itertools.chain(units, iter(more.laplace, None))
        rng.draws.clear()
        wrong += not _is_right(run(None, queries, rng=rng), signs > 0, variant.released, alpha)
    return wrong


def _is_right(transcript, high, released, alpha):
    """Whether each query that should has its ⊤, or a number within alpha, and each other its ⊥."""
    for answer, is_high in itertools.zip_longest(transcript, high):
        if not is_high:
            right = is_high is not None and answer is BELOW
        elif released is None:
            right = answer is ABOVE
        else:
            right = isinstance(answer, float) and abs(answer - alpha) <= alpha
        if not right:
            return False
    return True
