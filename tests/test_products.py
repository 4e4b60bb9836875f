"""Products in one thread: exact against whole numbers, in small pieces, with no thread beside."""

import ast
import itertools
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tqdm import tqdm

from course_lib.alp import alp_projection
from course_lib.exact.family import member
from course_lib.exact.online_ic import worst_query
from course_lib.exact.transcripts import first_above_law
from course_lib.lab.small_db import histogram_errors
from course_lib.linear_queries import Universe, all_predicates, counts
from course_lib.online_ic import MultiplicativeWeights, share
from course_lib.small_db import scored
from course_lib.support import products as module
from course_lib.support.products import one_thread_product

ROOT = Path(__file__).resolve().parent.parent
SIZES = st.tuples(*[st.integers(1, 300)] * 3) | st.permutations([1, 1, 30_000])
SIZES |= st.permutations([1, 90, 3000]) | st.permutations([64, 25, 600])


@pytest.mark.parametrize(
    "shape, other",
    [
        ((20_001,), (20_001,)),  # pieces of a sum, the last of them short
        ((3, 9000), (9000,)),
        ((9000,), (9000, 3)),
        ((700, 64), (64, 25)),
        ((65, 257), (257, 33)),
        ((2, 3, 5000), (5000, 40)),
        ((3, 2), (2,)),
        ((0, 64), (64, 25)),
    ],
)
def test_a_product_is_the_sum_of_all_its_terms(shape, other):
    """Whole numbers, so that nothing is rounded; NumPy leaves theirs to no BLAS."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(-99, 100, shape), rng.integers(-99, 100, other)
    found, exact = one_thread_product(left, right), left @ right
    assert found.shape == exact.shape and found.dtype == float
    assert np.array_equal(found, exact)


def lengths(cuts, size):
    """How long the parts of a side are; together they must be the side, each place once."""
    ends = sorted({cut.indices(size)[:2] for cut in cuts})
    assert [0, *(stop for _, stop in ends)] == [*(start for start, _ in ends), size]
    return [stop - start for start, stop in ends]


@given(SIZES)
def test_the_pieces_are_the_whole_and_none_is_large_enough_for_a_second_thread(sizes):
    """OpenBLAS begins beyond 2^18; where one side is a vector, in some versions, at 9,216."""
    pieces = module._pieces(*sizes)
    parts = [lengths(*side) for side in zip(zip(*pieces, strict=True), sizes, strict=True)]
    assert len(pieces) == len(set(map(str, pieces))) == math.prod(map(len, parts))
    for rows, terms, columns in itertools.product(*parts):
        assert rows * terms * columns <= (9215 if 1 in (rows, columns) else 2**18)


def test_a_small_product_is_left_whole():
    for sizes in ((64, 64, 64), (1, 64, 128), (8192, 1, 1), (127, 8, 258)):
        assert len(module._pieces(*sizes)) == 1


def test_nothing_is_multiplied_but_the_pieces(monkeypatch):
    whole = slice(None)
    two_rows = [(slice(0, 1), whole, whole), (slice(1, 2), whole, whole)]
    monkeypatch.setattr(module, "_pieces", lambda *sizes: two_rows)
    assert one_thread_product(np.ones((3, 5)), np.ones(5)).tolist() == [5, 5, 0]


MULTIPLY = {
    "support/products.py": "the pieces",
    "alp.py": "whole numbers, which NumPy leaves to no BLAS",
    "lab/online_ic.py": "vectors of 256 numbers, a thousand times in a run",
    "demos/small_db.py": "two vectors of a bar for each bin",
}


@pytest.mark.parametrize(
    "path",
    [
        path
        for room in ("", "support/", "exact/", "lab/", "demos/")
        for path in sorted((ROOT / "course_lib").glob(f"{room}*.py"))
    ],
    ids=lambda path: path.relative_to(ROOT / "course_lib").as_posix(),
)
def test_what_a_slider_waits_for_multiplies_matrices_in_one_thread_alone(path):
    named = {"dot", "vdot", "vecdot", "inner", "matmul", "tensordot", "linalg", "einsum"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        product = isinstance(node, ast.MatMult) or getattr(node, "attr", None) in named
        assert not product or path.relative_to(ROOT / "course_lib").as_posix() in MULTIPLY


def works():
    """What a user may wait for, by name, at sizes that BLAS would divide among threads."""
    rng, entries = np.random.default_rng(0), np.arange(5000)

    def build(indices, values, sparsity, size, cap):
        return alp_projection(
            indices, values, dimension=10**6, sparsity=sparsity, size=size, cap=cap, alpha=1,
            epsilon=1.0, rng=rng,
        )  # fmt: skip

    release = build(entries, entries % 20, sparsity=5000, size=10**5, cap=20)
    tall = build([0], [9.0], sparsity=1, size=3, cap=8000)
    universe = Universe(tuple("abcd"))
    queries, database = all_predicates(universe), np.arange(1, 17)
    learner, query = MultiplicativeWeights(universe_size=2**18, alpha=0.1), rng.random(2**18)
    many, rows = rng.integers(9, size=(1000, 64)), rng.random((99, 64))
    asked = rng.random((255, 256))
    values, row = rng.normal(size=50), member("above_threshold", cutoff=1, epsilon=0.1)
    return {
        "build": lambda: build(entries, entries % 20, sparsity=5000, size=10**5, cap=20),
        "bulk": lambda: release.estimate(np.arange(10**5)),
        "single": lambda: tall.estimate(7),
        "SmallDB": lambda: list(scored(database, queries, 2.0)),
        "counts": lambda: counts(many, rows),
        "evaluate": lambda: learner.evaluate(query),
        "share": lambda: share(query, query, 1),
        "worst query": lambda: worst_query(query[:256], query[256:512], asked),
        "first above": lambda: first_above_law(row, values, threshold=0.0),
        "noisy histogram": lambda: histogram_errors(many[0], rows, trials=999, rng=rng),
    }


def report():
    """For each of the works the seconds that other threads of this process are at work."""
    tqdm.monitor_interval = 0  # the progress bar has a thread that looks on
    found = {}
    for name, work in works().items():
        before = time.process_time() - time.thread_time()
        work()
        found[name] = time.process_time() - time.thread_time() - before
    print(json.dumps(found))


def test_no_second_thread_works_while_somebody_waits():
    """As a user starts it: no variable of the environment tells BLAS how many threads to take."""
    free = {name: word for name, word in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", "from tests.test_products import report; report()"]
    run = subprocess.run(command, cwd=ROOT, env=free, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    assert found and all(taken < 0.001 for taken in found.values()), found
