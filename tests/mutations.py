"""Does some test notice each mistake?  python -m tests.mutations [above_threshold …]

One at a time, every number and every comparison in the files of TESTS is changed, in a copy, and
the tests of that file are run. A change that no test notices survives and is listed; there should
be none. EXEMPT names the lines where a change is no mistake, with the reason.
"""

import ast
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    "toolbox.py": ["test_toolbox.py"],
    "contracts.py": ["test_contracts.py", "test_above_threshold.py"],
    "variants.py": ["test_variants.py", "test_numeric_sparse.py", "test_exact.py"],
    "above_threshold.py": ["test_above_threshold.py"],
    "numeric_sparse.py": ["test_numeric_sparse.py"],
    "lecture11_sparse.py": ["test_lecture11_sparse.py"],
    "linear_queries.py": ["test_linear_queries.py"],
    "products.py": ["test_products.py"],
    "multisets.py": ["test_multisets.py"],
    "small_db.py": ["test_small_db.py"],
    "online_ic.py": ["test_online_ic.py"],
    "sparse_mw.py": ["test_sparse_mw.py"],
    "alp.py": ["test_alp.py", "test_vectors.py"],
    "alp_release.py": ["test_alp_release.py", "test_alp.py"],
    "alp_bounds.py": ["test_alp_bounds.py", "test_alp_law.py"],
    "alp_law.py": ["test_alp_law.py"],
    "hashing.py": ["test_hashing.py"],
    "vectors.py": ["test_vectors.py"],
    "exact.py": ["test_above_threshold.py", "test_exact.py"],
    "integral.py": ["test_exact.py"],
    "lab/trials.py": ["test_trials.py"],
    "lab/audit.py": ["test_audit.py", "test_variants.py"],
    "lab/confidence.py": ["test_confidence.py"],
    "lab/histograms.py": ["test_histograms.py"],
    "lab/profiles.py": ["test_profiles.py"],
}
EXEMPT = {
    "leggauss(12)": "nodes of a panel: more are as good",
    "_REACH = ": "how far the tails are followed",
    "_BLOCK = ": "speed alone",
    "_CELLS = ": "speed alone",
    "_BITS, _INDICES, _LEVELS = ": "memory and speed alone",
    "_COLUMNS = ": "speed alone",
    "# numbers beyond tell no more": "nor do others beyond",
    "place: int = 0": "not used unless a number is cut",
    "go_on = (left > 0)": "a run of which nothing is left says nothing",
    "np.where(log_tail < ": "equality has probability 0",
    "drawn = result.above": "more thresholds than are used change nothing",
    "running = running[count[running] < ": "speed alone: what has halted says no more",
    "np.log2(1 + ": "steps of a bisection: one more is as good",
    "_TIGHT = ": "how far the root is refined",
    "0.0 if scale is None": "a scale that is not used",
    "delay=2": "when the progress bar appears",
    "rate = 1 / self.scale": "how fine the panels are",
    "highs = self.counts": "how fine the panels are",
    "z, weights = _nodes(self.marks()": "how fine the panels are",
    "_nodes(integrand.marks()": "how fine the panels are",
    "self.slope(marks[:, -1:]), 0)": "how fine the panels are",
    "from_left, from_right = ": "from which end the panels grow",
    "panels = max(1": "how fine the panels are",
    "enough = 2 * np.max(scales": "any bracket that holds the root is as good",
    "np.where(basic, 0.5, delta)": "any delta: the limit there is infinite",
    "np.where(pure, 0.5, delta)": "any delta: not used where delta is 0",
    "most = np.minimum(": "any bracket that holds the root is as good",
    "(most / 1e9, most)": "any bracket that holds the root is as good",
    ".reshape(": "any negative number means the same",
    "# then low <= 0": "at 0 both forms are right",
    "direct = self.h(": "near the border either form is precise",
    "if sign < 0 and np.isfinite(": "a sign is 1 or -1",
    "np.minimum(outside, 0.9)": "near the border either form is precise",
    "outside > 0.9": "near the border either form is precise",
    "inside = np.where(high <= 0": "near the border either form is precise",
    "return np.where(low < high": "at equality the other form is -inf too",
    "rng.random(": "equality has probability 0",
    "clock[run] < left * hazard": "equality has probability 0",
    "if noisy.max() > best": "equality has probability 0",
    "+ 1e-12": "a rounding error is as small as that or smaller",
    "_NUMBERS = ": "speed alone",
    "width = max(64, ": "speed alone",
    "height * depth * width <= most": "at equality the pieces are one too",
    "num_queries=1)": "pieces are no narrower for two queries",
    "law = 1 / ranks": "proportions alone count",
    "if len(universe) > 16": "the size of a universe is a power of two",
    "return 20 + universe_size * (10": "how fast the machine is",
    "alpha < 0.999": "an alpha of use for fractions: 1 is as good a border",
    "> 1e300 / ": "near the largest float",
    "< 1e-100)": "where 1 / alpha^2 is near the largest float",
    "if universe_size <= 2 * size": "speed alone: either way makes each database once",
    "elif half and choices.sum() > width": "at equality either way is right",
    "> math.log(limit) + 1": "beyond the limit the number itself is not needed",
    "_number(universe_size, size, 1e15)": "how many digits are written out",
    "enough = limit + 1": "a longer range holds nothing more that fits",
    "(u for u, s in _UNITS": "at equality either unit is right",
    "if power < 15": "how many digits are written out",
    "find_root(excess, (": "any bracket that holds the root is as good",
    "_PRECISE = ": "more digits than enough",
    "_STEP = ": "finer than enough",
    "self._bits = ": "where the digits begin, as many as enough",
    "self._bits *= ": "how soon there are enough digits",
    "self._total.bit_length() < ": "at equality there are as many digits as enough",
    "self._steps.get(element, 0)": "one step is 2^-60",
    "digits << shift if shift >= 0": "a shift by 0 is the same to either side",
    "kept = noisy >= level": "equality has probability 0",
    "1 + _CELLS": "speed alone",
    "maxsize=": "speed alone",
    "short = gap >= ": "at 0 either form is right",
    "sunk = levels - b + 1": "speed alone: how soon states become one",
    "rounded = np.arange(levels + 1)": "a law more than is used",
    "order = np.lexsort(": "speed alone: how many states become one",
    "length = 2**62 if": "memory and speed alone",
    "max(1, len(array)), length)": "an empty piece more changes nothing",
    '3 * row["hlthp"]': "4 is held at 3, the last of the codes",
    "int(value) if value < 2**63": "from there to 2^64 either is right",
    "value.dtype.itemsize < 8": "what is wide stays as it is",
    "_error(*, load=0.0": "the bounds at load 1 are those at load 0",
    "alp_tail(steps, *, load=0.0": "the bounds at load 1 are those at load 0",
    "_COINSURANCE = ": "any border between two plans separates them",
}
PLACING = {"slope", "peak", "marks"}  # of integral.py: where nodes lie, not what is added up
SWAPS = {
    ast.GtE: ast.Gt, ast.Gt: ast.GtE, ast.LtE: ast.Lt, ast.Lt: ast.LtE,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A file of course_lib with one change."""

    file: str
    line: int
    change: str
    source: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.change}"


def mutants(file):
    """Every mutant of one file, in order."""
    text = (ROOT / "course_lib" / file).read_text(encoding="utf8")
    sites = len(_sites(ast.parse(text)))
    placing = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name in PLACING
        for line in range(node.lineno, node.end_lineno + 1)
    }
    for number in range(sites):
        tree = ast.parse(text)
        node, change = _sites(tree)[number]
        line = text.splitlines()[node.lineno - 1]
        if node.lineno not in placing and not any(words in line for words in EXEMPT):
            yield Mutant(file, node.lineno, f"{change()} in “{line.strip()}”", ast.unparse(tree))


def _sites(tree):
    """The nodes that can be changed, each with the function that changes it."""
    sites = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            sites.append((node, lambda node=node: _other_number(node)))
        if isinstance(node, ast.Compare):
            sites.append((node, lambda node=node: _other_comparison(node)))
    return sorted(sites, key=lambda site: (site[0].lineno, site[0].col_offset))


def _other_number(node):
    before = node.value
    node.value = before + 1 if isinstance(before, int) else before * 1.25 + (before == 0)
    return f"{before} becomes {node.value}"


def _other_comparison(node):
    before = ast.unparse(node)
    node.ops[0] = SWAPS[type(node.ops[0])]()
    return f"{before} becomes {ast.unparse(node)}"


def noticed(mutant):
    """Whether the tests of the file fail on the mutant, within ten minutes."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("course_lib", "tests"):
            shutil.copytree(ROOT / name, Path(folder) / name)
        (Path(folder) / "course_lib" / mutant.file).write_text(mutant.source, encoding="utf8")
        tests = [f"tests/{name}" for name in TESTS[mutant.file]]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        try:
            return (
                subprocess.run(command, cwd=folder, capture_output=True, timeout=600).returncode
                == 1
            )
        except subprocess.TimeoutExpired:
            return True


def main(stems):
    files = [file for file in TESTS if not stems or Path(file).stem in stems]
    everything = [mutant for file in files for mutant in mutants(file)]
    print(f"{len(everything)} mutants")
    survivors = []
    with ThreadPoolExecutor(2) as pool:
        for mutant, found in zip(everything, pool.map(noticed, everything), strict=True):
            print("." if found else f"\nsurvives: {mutant}\n", end="", flush=True)
            survivors += [] if found else [mutant]
    print(f"\n{len(survivors)} survive")
    return bool(survivors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
