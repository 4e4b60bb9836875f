"""SmallDB: candidates a second, against a loop and against the noise alone; memory.

python benchmarks/small_db.py prints what it measured on one core beside what is wanted, for the
seven marginals of three bits (|X| = 8): at least 5 million candidates a second; as fast for 10^8
candidates as for 10^5; no more memory. Everything runs in processes that are told to use one core;
every size has its own, and the system says how much memory it had at most. About a minute.
"""

import itertools
import math
import os
import statistics
import subprocess
import sys
import time

import numpy as np

from course_lib.lab.histograms import scaled, survey_histogram
from course_lib.linear_queries import fractions, marginals
from course_lib.small_db import small_db, small_db_size
from course_lib.support.multisets import _nanoseconds

UNIVERSE, SURVEY = survey_histogram("visit", "chronic", "unwell")
QUERIES, ROWS = marginals(UNIVERSE), scaled(SURVEY, n=1000)
ALPHAS = {0.38: 100, 0.31: 10, 0.255: 1, 0.213: 1}  # how often; |R| is 10^5, 10^6, 10^7, 10^8
ALPHA, REPEATS, ROUNDS, LOOP = 0.35, 15, 3, 20_000


def number(alpha):
    size = small_db_size(num_queries=len(QUERIES), alpha=alpha)
    return math.comb(len(UNIVERSE) + size - 1, size)


def mechanism(alpha):
    rng = np.random.default_rng(0)
    small_db(ROWS, QUERIES, alpha=alpha, epsilon=1.0, rng=rng)


def loop(alpha):
    """The same utility in plain Python, candidate by candidate; the first 20,000."""
    size = small_db_size(num_queries=len(QUERIES), alpha=alpha)
    weights, truth = QUERIES.rows.T.tolist(), fractions(ROWS, QUERIES).tolist()
    rng, best, everything = np.random.default_rng(0), -math.inf, by_itertools(size)
    for chosen in itertools.islice(everything, LOOP):
        sums = map(sum, zip(*(weights[x] for x in chosen), strict=True))
        error = max(abs(a / size - b) for a, b in zip(sums, truth, strict=True))
        best = max(best, -error * ROWS.sum() / 2 + rng.gumbel())


def arrays(alpha):
    """The same with itertools for the candidates and numpy for the rest, 2^13 at a time."""
    size = small_db_size(num_queries=len(QUERIES), alpha=alpha)
    truth, rng, best = fractions(ROWS, QUERIES), np.random.default_rng(0), -math.inf
    everything = itertools.chain.from_iterable(by_itertools(size))
    while (chosen := np.fromiter(itertools.islice(everything, size * 2**13), np.intp)).size:
        answers = QUERIES.rows.T[chosen].reshape(-1, size, len(QUERIES)).mean(axis=1)
        errors = np.abs(answers - truth).max(axis=1)
        best = max(best, (rng.gumbel(size=len(errors)) - errors * ROWS.sum() / 2).max())


def by_itertools(size):
    return itertools.combinations_with_replacement(range(len(UNIVERSE)), size)


def noise_alone(alpha):
    """The limit: a Gumbel variable for every candidate, and nothing else."""
    rng, width = np.random.default_rng(0), 2**13
    for _ in range(number(alpha) // width):
        (-np.log(rng.standard_exponential(width))).max()


def seconds(work, *arguments):
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin


def peak_megabytes():
    """The largest memory this process has had in main memory; None where nobody says it."""
    try:
        import resource
    except ImportError:
        return None
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def child(alpha, repeats):
    """In a process of its own: candidates a second, and memory before and after."""
    mechanism(1.0)
    before = peak_megabytes()
    taken = [seconds(mechanism, alpha) for _ in range(repeats)]
    print(number(alpha) / statistics.median(taken), before, peak_megabytes())


def in_a_process(alpha):
    run = on_one_core(alpha, ALPHAS[alpha], capture_output=True, text=True)
    return tuple(math.nan if word == "None" else float(word) for word in run.stdout.split())


def on_one_core(*words, **options):
    """This file again, with an environment that numpy reads when it is imported."""
    one = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
    command = [sys.executable, __file__, *map(str, words)]
    return subprocess.run(command, env=os.environ | one, check=True, **options)


def rates():
    work = dict.fromkeys((mechanism, arrays, loop, noise_alone), number(ALPHA)) | {loop: LOOP}
    found = {kind.__name__: [] for kind in work}
    for _ in range(REPEATS):  # interleaved, so that a slow moment hits all alike
        for kind, candidates in work.items():
            found[kind.__name__].append(candidates / seconds(kind, ALPHA))
    print(f"|R| = {number(ALPHA):,} (alpha = {ALPHA}), median of {REPEATS}, candidates a second")
    for name, taken in found.items():
        wanted = "(at least 5 million)" if name == "mechanism" else ""
        print(f"{name:12} {statistics.median(taken) / 1e6:8.2f} million {wanted}")
    for one, other in (
        ("mechanism", "arrays"),
        ("mechanism", "loop"),
        ("noise_alone", "mechanism"),
    ):
        ratio = statistics.median(a / b for a, b in zip(found[one], found[other], strict=True))
        print(f"{one} / {other}: {ratio:.2f}")
    taken, reckoned = 1e9 / statistics.median(found["mechanism"]), _nanoseconds(8, len(QUERIES))
    print(f"a candidate: {taken:.0f} ns; a refusal reckons with {reckoned:.0f}")


def sizes():
    rounds = [{alpha: in_a_process(alpha) for alpha in ALPHAS} for _ in range(ROUNDS)]
    print(f"each in its own process, median of {ROUNDS} rounds; memory is the largest, in MB")
    print("alpha          |R|   million a second   before   after")
    for alpha in ALPHAS:
        speed = statistics.median(each[alpha][0] for each in rounds) / 1e6
        before, after = (max(each[alpha][i] for each in rounds) for i in (1, 2))
        print(f"{alpha:<6} {number(alpha):>11,} {speed:18.2f} {before:8.1f} {after:7.1f}")
    first, *_, last = ALPHAS
    flat = statistics.median(each[last][0] / each[first][0] for each in rounds)
    more = max(each[last][2] - each[first][2] for each in rounds)
    print(f"speed at 10^8 / speed at 10^5: {flat:.2f} (flat: about 1)")
    print(f"memory at 10^8 - memory at 10^5: {more:.1f} MB (flat: about 0)")


if __name__ == "__main__":
    if sys.argv[1:] == ["rates"]:
        rates()
    elif sys.argv[1:]:
        child(float(sys.argv[1]), int(sys.argv[2]))
    else:
        on_one_core("rates")
        sizes()
