"""The trial engine against the textbook loop and against drawing the noise alone.

python benchmarks/trials.py prints times and ratios, all taken in one run, beside what is wanted: at
least 100 times the loop, at most 1.5 times the noise, and runs of 10^12 queries at most 1.5 times
runs of 100. AboveThreshold has 100 queries, NumericSparse 10 answers above among 1000.
"""

import statistics
import time

import numpy as np

from course_lib.above_threshold import above_threshold
from course_lib.exact.family import member
from course_lib.lab.trials import above_threshold_trials, laplace, run_trials
from course_lib.numeric_sparse import numeric_sparse

QUERIES, TRIALS, REPEATS = 100, 100_000, 7
VALUES = np.append(np.full(QUERIES - 1, -30.0), 30.0)
ABOVE, LONG = 10, 1000
MANY = np.tile(np.append(np.full(LONG // ABOVE - 1, -3000.0), 3000.0), ABOVE)


def textbook_loop(trials):
    rng = np.random.default_rng(0)
    queries = [lambda data, value=value: value for value in VALUES]
    for _ in range(trials):
        for _answer in above_threshold(None, queries, threshold=0.0, epsilon=1.0, rng=rng):
            pass


def engine():
    rng = np.random.default_rng(0)
    above_threshold_trials(VALUES, threshold=0.0, trials=TRIALS, epsilon=1.0, rng=rng)


def family_loop(trials):
    rng = np.random.default_rng(0)
    queries = [lambda data, value=value: value for value in MANY]
    for _ in range(trials):
        for _answer in numeric_sparse(
            None, queries, threshold=0.0, cutoff=ABOVE, epsilon=1.0, rng=rng
        ):
            pass


def family():
    row = member("numeric_sparse", cutoff=ABOVE, epsilon=1.0)
    rng = np.random.default_rng(0)
    run_trials(row, MANY, threshold=0.0, trials=TRIALS // 10, rng=rng)


def noise_alone(numbers):
    rng = np.random.default_rng(0)
    out = np.empty(2**16)
    for _ in range(numbers // len(out)):
        laplace(rng, 4.0, out)


def plain_laplace():
    np.random.default_rng(0).laplace(size=TRIALS * QUERIES)


def in_runs(length):
    rng = np.random.default_rng(0)
    alpha = 4 * np.log(length) + 10
    counts = [length - 1, 1]
    above_threshold_trials(
        [-alpha, alpha], counts=counts, threshold=0.0, trials=TRIALS, epsilon=1.0, rng=rng
    )


def seconds(work, *arguments):
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin


def main():
    kinds = {
        "loop": (textbook_loop, TRIALS // 200),
        "engine": (engine,),
        "noise": (noise_alone, TRIALS * (QUERIES + 1)),
        "rng.laplace": (plain_laplace,),
        "family loop": (family_loop, TRIALS // 2000),
        "family": (family,),
        "family noise": (noise_alone, TRIALS // 10 * (LONG + 2 * ABOVE)),
        "runs, k = 100": (in_runs, 100),
        "runs, k = 10^12": (in_runs, 10**12),
    }
    times = {kind: [] for kind in kinds}
    for _ in range(REPEATS):  # interleaved, so that a slow moment hits all alike
        for kind, work in kinds.items():
            times[kind].append(seconds(*work))
    for kind in ("loop", "family loop"):
        times[kind] = [200 * t for t in times[kind]]
    print(f"{TRIALS:,} trials of {QUERIES} queries, median of {REPEATS}")
    for kind, taken in times.items():
        print(f"{kind:16} {statistics.median(taken):10.4f} s")
    for one, other, limit in (
        ("loop", "engine", "at least 100"),
        ("rng.laplace", "noise", ""),
        ("engine", "noise", "at most 1.5"),
        ("family loop", "family", "at least 100"),
        ("family", "family noise", "at most 1.5"),
        ("runs, k = 10^12", "runs, k = 100", "at most 1.5"),
    ):
        ratio = statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))
        print(f"{one} / {other}: {ratio:.2f} {limit and f'({limit})'}")


if __name__ == "__main__":
    main()
