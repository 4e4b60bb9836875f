"""What ALP costs: to build, to read, in time and memory, whatever the dimension is.

python benchmarks/alp.py prints times and ratios, all taken in one run, beside what is wanted: a
build beside the drawing of its flips, which is the least it can cost; cost flat in d from 10^5 to
10^18; memory of a release of 2^28 bits; all of it again while another program keeps a core busy, as
a second kernel does, at most 3 times as slow. With --opendp also OpenDP's make_alp_queryable on the
same vector, with the same epsilon, alpha, cap and number of bits, in both states of the machine,
from an environment of its own in a temporary folder (nothing here depends on it); --opendp PYTHON
takes one that has opendp already. Wanted: a build 50 times as fast, look-ups in bulk 100 times as
fast, a single one no slower, and errors that agree. OpenDP hashes all levels into one table, the
paper into one for each level.
"""

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
import venv
from pathlib import Path

import numpy as np

from course_lib.alp import alp_levels, alp_projection
from course_lib.exact.alp import alp_exact_error
from course_lib.threshold_alp import threshold_level, threshold_release

SPARSITY, CAP, ALPHA, EPSILON = 1000, 100, 4, 1.0
BITS = 2**22  # OpenDP takes a power of two
LEVELS = int(alp_levels(cap=CAP, alpha=ALPHA, epsilon=EPSILON))
SIZE = BITS // LEVELS
REPEATS, ROUNDS, SINGLE, BULK, ZEROS = 9, 3, 1000, 10**6, 10_000
BUSY = "print(flush=True)\nwhile True: pass"
PEER = """
import json, sys, time
import opendp.prelude as dp
dp.enable_features("contrib", "idealized-numerics")
given = json.load(sys.stdin)
data = dict(zip(given["indices"], given["values"]))
total = sum(data.values())
factor = int(given["bits"] * given["alpha"] / (given["epsilon"] * total))
measurement = dp.m.make_alp_queryable(
    dp.map_domain(dp.atom_domain(T=dp.i32), dp.atom_domain(T=dp.i32)),
    dp.l01inf_distance(dp.absolute_distance(T=dp.i32)),
    scale=given["epsilon"], total_limit=total, value_limit=given["cap"], size_factor=factor,
    alpha=given["alpha"],
)
begin = time.perf_counter()
release = measurement(data)
build = time.perf_counter() - begin
begin = time.perf_counter()
for index in given["asked"][: given["single"]]:
    release(index)
single = (time.perf_counter() - begin) / given["single"]
estimates = [release(index) for index in given["asked"]]
print(json.dumps({"build": build, "single": single, "estimates": estimates}))
"""


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def interleaved(kinds, repeats=REPEATS):
    """Each kind's times; a slow moment hits all alike."""
    times = {kind: [] for kind in kinds}
    for _ in range(repeats):
        for kind, work in kinds.items():
            times[kind].append(seconds(work))
    return times


def ratio(times, one, other):
    return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))


@contextlib.contextmanager
def busy_core():
    """Meanwhile another program computes without a pause."""
    other = subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE)
    try:
        other.stdout.readline()
        yield
    finally:
        other.kill()
        other.communicate()


STATES = {"quiet": contextlib.nullcontext, "one core busy": busy_core}


def load():
    """How many programs have wanted a core of late, this one among them; where nobody says it, ?"""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "?"


def vector(dimension, rng):
    indices = np.unique(rng.integers(dimension, size=2 * SPARSITY))
    return rng.permutation(indices)[:SPARSITY], rng.integers(1, CAP + 1, size=SPARSITY)


def built(indices, values, rng, *, dimension=10**6, size=SIZE, cap=CAP):
    return alp_projection(
        indices, values, dimension=dimension, sparsity=SPARSITY, size=size, cap=cap, alpha=ALPHA,
        epsilon=EPSILON, rng=rng,
    )  # fmt: skip


def against_the_flips():
    rng = np.random.default_rng(0)
    indices, values = vector(10**6, rng)

    def flips():
        for _ in range(LEVELS):
            rng.random(SIZE)

    times = interleaved({"flips": flips, "build": lambda: built(indices, values, rng)})
    print(
        f"k = {SPARSITY:,}, cap = {CAP}, α = {ALPHA}, ε = {EPSILON:g}: {LEVELS} levels of {SIZE:,}"
    )
    for kind, taken in times.items():
        print(f"{kind:8} {1e3 * statistics.median(taken):8.1f} ms, median of {REPEATS}")
    print(f"build : drawing the flips alone is {ratio(times, 'build', 'flips'):.2f}")


UNITS = {
    "build": (1e3, "ms"),
    "bulk": (1e6 / 10**5, "µs a look-up"),
    "single": (1e6 / SINGLE, "µs a look-up"),
    "threshold": (1e3 / 10, "ms"),
}


def works(dimension, size, rng):
    """What is timed in one dimension, by name."""
    indices, values = vector(dimension, rng)
    many = rng.integers(dimension, size=10**5)
    few = many[:SINGLE].tolist()
    release = built(indices, values, rng, dimension=dimension, size=size)
    level = threshold_level(dimension=dimension, epsilon=EPSILON)

    def threshold():
        for _ in range(10):
            threshold_release(
                indices, values, dimension=dimension, level=level, epsilon=EPSILON, rng=rng
            )

    return {
        "build": lambda: built(indices, values, rng, dimension=dimension, size=size),
        "bulk": lambda: release.estimate(many),
        "single": lambda: [release.estimate(index) for index in few],
        "threshold": threshold,
    }


def against_the_dimension(powers=(5, 6, 9, 12, 15, 18)):
    """At s = 100 k, so that the entries count for something beside the flips."""
    rng, size = np.random.default_rng(0), 100 * SPARSITY
    kinds = {
        (name, power): work
        for power in powers
        for name, work in works(10**power, size, rng).items()
    }
    times = interleaved(kinds)
    print(f"\nagainst d, s = {size:,}: median of {REPEATS}, and times that of d = 10^5")
    for name, (scale, unit) in UNITS.items():
        words = ", ".join(
            f"10^{power}: {scale * statistics.median(times[name, power]):.3g}"
            f" ({ratio(times, (name, power), (name, 5)):.2f})"
            for power in powers
        )
        print(f"{name:9} {unit:12} {words}")


def against_a_busy_core():
    """A look-up of its own may be held up once in a while, so its slow ones are shown too."""
    rng = np.random.default_rng(0)
    indices, values = vector(10**6, rng)
    release = built(indices, values, rng)
    many = rng.integers(10**6, size=10**5)
    few = many[:SINGLE].tolist()
    times = {"build": {}, "bulk": {}, "single": {}, "slowest of 100": {}}
    for _ in range(REPEATS):
        for state, begin in STATES.items():
            with begin():
                singles = [seconds(lambda i=i: release.estimate(i)) for i in few]
                taken = {
                    "build": seconds(lambda: built(indices, values, rng)),
                    "bulk": seconds(lambda: release.estimate(many)) / len(many),
                    "single": statistics.median(singles),
                    "slowest of 100": statistics.quantiles(singles, n=100)[-1],
                }
            for name, each in taken.items():
                times[name].setdefault(state, []).append(each)
    print(f"\n{' and '.join(STATES)}, {os.cpu_count()} cores, load {load()}: median of {REPEATS}")
    for name, each in times.items():
        quiet, busy = (1e6 * statistics.median(each[state]) for state in STATES)
        print(
            f"{name:14} {quiet:10,.2f} µs and {busy:10,.2f} µs: "
            f"{ratio(each, 'one core busy', 'quiet'):.2f} times as slow (at most 3)"
        )


def memory(levels=32, size=2**23):
    rng = np.random.default_rng(0)
    indices, values = vector(10**6, rng)
    tracemalloc.start()
    release = built(indices, values, rng, size=size, cap=levels * ALPHA)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    held = release.bits.nbytes + release.hashes.nbytes
    print(f"\n{levels} levels of {size:,}, 2^{math.log2(levels * size):.0f} bits:")
    print(
        f"the release holds {held / 1e6:.1f} MB (below 64); peak of the build {peak / 1e6:.0f} MB"
    )


def environment(folder):
    """A Python with OpenDP in it, or None."""
    venv.create(folder, with_pip=True)
    python = str(Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for step in ([*install, "opendp==0.16.0"], [python, "-c", "import opendp.prelude"]):
        done = subprocess.run(step, capture_output=True, text=True)
        if done.returncode:
            print("OpenDP does not install here:", done.stderr.strip().splitlines()[-1])
            return None
    return python


def opendp(python, indices, values, asked):
    given = {
        "indices": indices.tolist(),
        "values": values.tolist(),
        "asked": asked.tolist(),
        "single": SINGLE,
        "bits": BITS,
        "cap": CAP,
        "alpha": ALPHA,
        "epsilon": EPSILON,
    }
    done = subprocess.run(
        [python, "-W", "ignore", "-c", PEER],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    found["bulk"] = found["single"]  # there is no other way to ask
    return found | {"estimates": np.array(found["estimates"])}


def ours(indices, values, asked, rng):
    begin = time.perf_counter()
    release = built(indices, values, rng)
    build = time.perf_counter() - begin
    many, few = rng.integers(10**6, size=BULK), asked[:SINGLE].tolist()
    bulk = seconds(lambda: release.estimate(many)) / BULK
    single = seconds(lambda: [release.estimate(index) for index in few]) / SINGLE
    return {"build": build, "bulk": bulk, "single": single, "estimates": release.estimate(asked)}


def interval(errors):
    return errors.mean(), 1.96 * errors.std(ddof=1) / math.sqrt(len(errors))


def faster(results):
    wanted = {"build": "at least 50", "bulk": "at least 100", "single": "at least 1"}
    for name, words in wanted.items():
        times = {kind: [result[name] for result in taken] for kind, taken in results.items()}
        medians = (1e6 * statistics.median(taken) for taken in times.values())
        print(
            f"{name:7} {next(medians):12,.1f} µs, OpenDP {next(medians):12,.1f} µs: "
            f"{ratio(times, 'OpenDP', 'ours'):,.1f} times as fast ({words})"
        )


def beside_opendp(python):
    rng = np.random.default_rng(1)
    found = {state: {"ours": [], "OpenDP": []} for state in STATES}
    errors = {"ours": [], "OpenDP": []}
    for _ in range(ROUNDS):
        indices, values = vector(10**6, rng)
        zeros = np.setdiff1d(rng.integers(10**6, size=2 * ZEROS), indices)[:ZEROS]
        asked = np.append(indices, zeros)
        truth = np.append(values, np.zeros(ZEROS))
        for state, begin in STATES.items():
            with begin():
                results = {
                    "ours": ours(indices, values, asked, rng),
                    "OpenDP": opendp(python, indices, values, asked),
                }
            for kind, result in results.items():
                found[state][kind].append(result)
                errors[kind].append(np.abs(result["estimates"] - truth))
    print(f"\nd = 10^6, s = {SIZE:,}, {LEVELS * SIZE:,} bits; OpenDP {BITS:,}; {ROUNDS} rounds")
    for state, results in found.items():
        print(f"{state}, load {load()}")
        faster(results)
    for name, part in (("entries", slice(SPARSITY)), ("zeros", slice(SPARSITY, None))):
        (mine, half), (theirs, other) = (
            interval(np.concatenate([each[part] for each in errors[kind]])) for kind in errors
        )
        gap = abs(mine - theirs)
        print(
            f"mean error, {name}: {mine:.3f} ± {half:.3f}, OpenDP {theirs:.3f} ± {other:.3f}; "
            f"difference {gap:.3f} (at most {math.hypot(half, other):.3f} with 95 %)"
        )
    zero, *entries = alp_exact_error(np.arange(0.0, CAP + 1), cap=CAP, alpha=ALPHA, epsilon=EPSILON)
    print(f"exact without collisions: {np.mean(entries):.3f} and {zero:.3f}")


def main():
    against_the_flips()
    against_the_dimension()
    against_a_busy_core()
    memory()
    if "--opendp" in sys.argv[1:]:
        named = sys.argv[sys.argv.index("--opendp") + 1 :]
        with tempfile.TemporaryDirectory() as folder:
            python = named[0] if named else environment(folder)
            if python:
                beside_opendp(python)


if __name__ == "__main__":
    main()
