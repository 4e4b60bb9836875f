"""What an answer of OnlineIC costs, with sparse and with plain multiplicative weights.

python benchmarks/online.py prints times and ratios, all taken in one run, beside what is wanted:
sparse multiplicative weights on 2^60 elements at most 1.2 times as slow as on 2^10, and as fast
whatever s is; plain ones beside the speed of the memory; a million updates within 1e-9 of the
textbook. With --mwem also error and time of smartnoise-synth's MWEM on the same marginals, from an
environment of its own in a temporary folder (some 100 MB from PyPI; nothing here depends on it). It
knows all the queries before it starts; OnlineIC is told one at a time, and has B(α) updates to pay.
"""

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np

from course_lib.lab.histograms import scaled, survey_histogram
from course_lib.linear_queries import fractions, marginals
from course_lib.online_ic import MultiplicativeWeights, online_ic, online_ic_alpha
from course_lib.sparse_mw import SparseMultiplicativeWeights, smw_size

SUPPORT, ALPHA, QUERIES, REPEATS = 10, 0.1, 1000, 9
NAMES = ["visit", "frequent", "free", "deductible", "incentive", "limited", "chronic", "excellent"]
PACKAGES = ["smartnoise-synth==1.0.8", "smartnoise-sql==1.0.10"]  # without torch, jax and the like
NEEDED = [
    "numpy",
    "scipy",
    "pandas<3",
    "opendp<0.15",
    "pyyaml",
    "sqlalchemy",
    "faker",
    "deprecated",
]
NEEDED += ["antlr4-python3-runtime==4.9.3", "graphviz", "setuptools"]
MWEM = """
import json, sys, time
import numpy as np
from snsynth.mwem import MWEMSynthesizer
from snsynth.transform.table import NoTransformer
rows = np.load(sys.argv[1])
model = MWEMSynthesizer(epsilon=1.0, marginal_width=3)
begin = time.perf_counter()
model.fit(rows, transformer=NoTransformer())
seconds = time.perf_counter() - begin
histogram = model.synthetic_histograms[0][0].ravel()
print(json.dumps({"seconds": seconds, "spent": model.spent, "histogram": histogram.tolist()}))
"""


def seconds(work, *arguments):
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin


def interleaved(kinds):
    """Each kind's times; a slow moment hits all alike."""
    times = {kind: [] for kind in kinds}
    for _ in range(REPEATS):
        for kind, prepare in kinds.items():
            times[kind].append(seconds(*prepare()))
    return times


def ratio(times, one, other):
    return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))


def sparse_queries(draw):
    rng = np.random.default_rng(0)
    return [(dict.fromkeys(draw(rng), 1.0), float(rng.choice([-1, 2]))) for _ in range(QUERIES)]


def integers(bits):
    return lambda rng: rng.integers(2**bits, size=SUPPORT).tolist()


def terms(rng):
    return [f"a search term of any length, such as {x}" for x in integers(60)(rng)]


def answer(learner, queries):
    """An evaluation and an update each, which is what the dearest queries cost."""
    for query, value in queries:
        learner.evaluate(query)
        learner.update(query, value)


def report(title, times, per, first):
    print(f"\n{title}, median of {REPEATS}")
    for kind, taken in times.items():
        micro = 1e6 * statistics.median(taken) / per
        print(f"{kind:28} {micro:9.1f} µs, {ratio(times, kind, first):5.2f} times {first}")


def against_the_universe():
    asked = {f"2^{bits}": sparse_queries(integers(bits)) for bits in (10, 20, 40, 60)}
    asked["strings"] = sparse_queries(terms)

    def prepare(queries):
        return answer, SparseMultiplicativeWeights(support=SUPPORT, alpha=ALPHA), queries

    kinds = {kind: (lambda queries=queries: prepare(queries)) for kind, queries in asked.items()}
    times = interleaved(kinds)
    report(f"SMW, m = {SUPPORT}, α = {ALPHA}: a query with its update", times, QUERIES, "2^10")
    print(f"2^60 : 2^10 is {ratio(times, '2^60', '2^10'):.2f} (at most 1.2)")


def against_the_size():
    queries = sparse_queries(integers(10))
    kinds = {}
    for alpha in (0.5, 0.2, 0.1, 0.05, 0.02):
        name = f"s = {smw_size(support=SUPPORT, alpha=alpha):,}"
        kinds[name] = lambda alpha=alpha: (
            answer, SparseMultiplicativeWeights(support=SUPPORT, alpha=alpha), queries
        )  # fmt: skip
    times = interleaved(kinds)
    report(f"SMW, m = {SUPPORT}, |X| = 2^10", times, QUERIES, next(iter(kinds)))


def against_the_memory(size=2**16, number=50):
    """An update reads query and exponents, and writes exponents and hypothesis: four arrays."""
    rng = np.random.default_rng(0)
    query, b, c = rng.random(size), rng.random(size), np.empty(size)

    def update(learner):
        for turn in range(number):
            learner.update(query, -1.0 if turn % 2 else 2.0)

    def copy():
        for _ in range(number):
            np.copyto(c, b)

    def triad():
        for _ in range(number):
            np.multiply(b, 0.5, out=c)
            np.add(c, query, out=c)

    def exponential():
        for _ in range(number):
            np.exp(b, out=c)

    kinds = {
        "triad": lambda: (triad,),
        "copy": lambda: (copy,),
        "exp": lambda: (exponential,),
        "MW update": lambda: (update, MultiplicativeWeights(universe_size=size, alpha=ALPHA)),
    }
    times = interleaved(kinds)
    report(f"MW, |X| = {size:,}", times, number, "triad")
    rate = number / statistics.median(times["MW update"])
    speed = {"copy": 2, "triad": 5}  # arrays of 8-byte numbers that are read or written
    moved = (
        f"{kind} {8e-9 * arrays * size * number / statistics.median(times[kind]):.1f} GB/s"
        for kind, arrays in speed.items()
    )
    print(f"{rate:,.0f} updates a second; {', '.join(moved)}")


def a_million_updates(number=10**6):
    """Beside the textbook, which normalises every time, on s = 15 variables."""
    learner, rng = SparseMultiplicativeWeights(support=1, alpha=0.999), np.random.default_rng(1)
    variables = np.full(learner.size, 1 / learner.size)
    elements, steps = rng.integers(learner.size, size=number), rng.random(number)
    signs = rng.choice([-1, 1], size=number)
    factors = np.exp(learner.alpha / 2 * signs * steps)
    moves = zip(elements.tolist(), steps.tolist(), signs.tolist(), factors.tolist(), strict=True)
    worst, begin = 0.0, time.perf_counter()
    for turn, (element, step, sign, factor) in enumerate(moves, start=1):
        learner.update({element: step}, 2.0 * sign)
        variables[element] *= factor
        variables /= variables.sum()
        if turn % 1000 == 0:
            found = [learner.evaluate({x: 1.0}) for x in range(learner.size)]
            worst = max(worst, np.abs(found - variables).max())
    taken = time.perf_counter() - begin
    print(f"\n{number:,} updates, s = {learner.size}: {taken:.0f} s with the textbook's")
    print(f"largest difference {worst:.1e} (at most 1e-9)")


def environment(folder):
    """A Python with MWEM in it, or None."""
    venv.create(folder, with_pip=True)
    python = str(Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = (
        [*install, *NEEDED],
        [*install, "--no-deps", *PACKAGES],
        [python, "-c", "import snsynth.mwem"],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True)
        if done.returncode:
            print("MWEM does not install here:", done.stderr.strip().splitlines()[-1])
            return None
    return python


def beside_mwem(runs=3):
    universe, counts = survey_histogram(*NAMES)
    queries = marginals(universe, order=3)
    print(f"\nThe survey's {len(queries)} marginals of up to 3 of {len(NAMES)} attributes, ε = 1:")
    print(f"the largest error of all, and seconds; {runs} runs each")
    with tempfile.TemporaryDirectory() as folder:
        python = environment(folder)
        for n in (int(counts.sum()), 10**6):
            data = scaled(counts, n=n)
            truth = fractions(data, queries)
            print(f"n = {n:,}: all from the uniform database {uniform_error(queries, truth):.3f}")
            if python:
                show("MWEM", [mwem(python, folder, data, queries, truth) for _ in range(runs)])
            promised = float(
                online_ic_alpha(
                    n=n, universe_size=len(universe), num_queries=len(queries), beta=0.05,
                    epsilon=1.0, delta=1e-6,
                )
            )  # fmt: skip
            for alpha in (promised, 0.3, 0.1, 0.03):
                if alpha < 1:
                    kept = promised <= alpha < 1 / 3
                    words = "within 3α except with 0.05" if kept else "no guarantee"
                    kind = f"OnlineIC, δ = 1e-6, α = {alpha:.3f}, {words}"
                    show(kind, [ours(data, queries, truth, n, alpha, seed) for seed in range(runs)])


def show(kind, results):
    errors, times, *more = zip(*results, strict=True)
    updates = f", {min(more[0])} to {max(more[0])} updates" if more else ""
    print(
        f"  {kind}: {min(errors):.3f} to {max(errors):.3f}, "
        f"{statistics.median(times):.3f} s{updates}"
    )


def uniform_error(queries, truth):
    return np.abs(np.asarray(queries).mean(axis=1) - truth).max()


def ours(data, queries, truth, n, alpha, seed):
    learner = MultiplicativeWeights(universe_size=len(data), alpha=alpha)
    rows, rng = np.asarray(queries), np.random.default_rng(seed)
    begin = time.perf_counter()
    answers = list(online_ic(data, rows, learner, n=n, epsilon=1.0, delta=1e-6, rng=rng))
    taken = time.perf_counter() - begin
    errors = np.abs([a for a, _ in answers] - truth)
    return errors.max(), taken, sum(cost for _, cost in answers)


def mwem(python, folder, data, queries, truth):
    bits = np.array(list(itertools.product([0, 1], repeat=len(NAMES))))
    rows = Path(folder) / "rows.npy"
    np.save(rows, np.repeat(bits, data, axis=0))
    done = subprocess.run(
        [python, "-W", "ignore", "-c", MWEM, str(rows)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return np.abs(fractions_of(found["histogram"], queries) - truth).max(), found["seconds"]


def fractions_of(histogram, queries):
    return np.asarray(queries) @ histogram / np.sum(histogram)


def main():
    against_the_universe()
    against_the_size()
    against_the_memory()
    a_million_updates()
    if "--mwem" in sys.argv[1:]:
        beside_mwem()


if __name__ == "__main__":
    main()
