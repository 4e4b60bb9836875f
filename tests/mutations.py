"""Does some test notice each mistake?  python -m tests.mutations [above_threshold lab/alp.py …]

One at a time, in the files of TESTS, each number, comparison and arithmetic operator is changed,
each minus sign is dropped, and each max or min of two is replaced by either. The tests of that file
that enter the changed function are run, the quickest first. A change that no test notices survives
and is listed; there should be none. EXEMPT (numbers, comparisons) and EXEMPT_OPERATORS name the
lines where a change is no mistake, with the reason.

Each mutant runs in a fork of this process with limits of memory and time, and what exceeds one is
noticed. A process with threads is never forked, because the fork may wait for ever for one of them,
and a fork that waits for anything else is ended. Results are kept in .mutations/ by the content of
everything they depend on, so a second run is instant. Forks and limits are those of Linux;
elsewhere this does not run.
"""

import ast
import cProfile
import functools
import gc
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, Phase, settings
from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / ".mutations"
PROCESSES = 2
MEMORY = 3 * 2**30  # bytes beyond those of this process
PATIENCE = 1800  # seconds by the clock
OPTIONS = ["-x", "-q", "--assert=plain", "-o", "addopts=", "-p", "no:cacheprovider"]
IMPORTED_ONCE = (
    "hypothesis.extra.numpy", "ipywidgets", "matplotlib.pyplot", "mpmath",
    "scipy.optimize.elementwise", "scipy.special", "scipy.stats", "tqdm",
)  # fmt: skip
TESTS = {
    "toolbox.py": ["test_toolbox.py"],
    "above_threshold.py": ["test_above_threshold.py"],
    "numeric_sparse.py": ["test_numeric_sparse.py", "test_family.py"],
    "lecture11_sparse.py": ["test_lecture11_sparse.py"],
    "linear_queries.py": ["test_linear_queries.py"],
    "small_db.py": ["test_small_db.py"],
    "online_ic.py": ["test_online_ic.py"],
    "sparse_mw.py": ["test_sparse_mw.py"],
    "support/code.py": ["test_code.py"],
    "alp.py": ["test_alp.py", "test_alp_release.py", "test_alp_theorems.py", "test_exact_alp.py"],
    "threshold_alp.py": [
        "test_alp.py",
        "test_alp_release.py",
        "test_alp_theorems.py",
        "test_exact_alp.py",
        "test_vectors.py",
    ],
    "support/contracts.py": ["test_contracts.py", "test_above_threshold.py"],
    "support/hashing.py": ["test_hashing.py"],
    "support/multisets.py": ["test_multisets.py"],
    "support/products.py": ["test_products.py"],
    "support/release_files.py": ["test_alp_release.py"],
    "support/vectors.py": ["test_vectors.py"],
    "exact/above_threshold.py": ["test_exact_above_threshold.py"],
    "exact/alp.py": ["test_exact_alp.py", "test_edges.py"],
    "exact/attackers_game.py": ["test_exact_attackers_game.py"],
    "exact/choosing_a_mechanism.py": ["test_exact_choosing_a_mechanism.py"],
    "exact/composition.py": ["test_toolbox.py", "test_exact_choosing_a_mechanism.py"],
    "exact/family.py": ["test_family.py", "test_numeric_sparse.py", "test_exact_worst_stream.py"],
    "exact/integral.py": ["test_integral.py", "test_transcripts.py", "test_exact_worst_stream.py"],
    "exact/online_ic.py": ["test_exact_online_ic.py", "test_edges.py"],
    "exact/is_it_private.py": ["test_exact_is_it_private.py"],
    "exact/lecture11_sparse.py": ["test_lecture11_sparse.py", "test_exact_lecture11_sparse.py"],
    "exact/sparse_mw.py": ["test_exact_sparse_mw.py", "test_edges.py"],
    "exact/small_db.py": ["test_exact_small_db.py", "test_small_db.py", "test_edges.py"],
    "exact/transcripts.py": ["test_transcripts.py", "test_integral.py"],
    "exact/worst_stream.py": ["test_exact_worst_stream.py", "test_exact_above_threshold.py"],
    "lab/above_threshold.py": ["test_lab_above_threshold.py", "test_edges.py"],
    "lab/lecture11_sparse.py": ["test_lab_lecture11_sparse.py", "test_edges.py"],
    "lab/numeric_sparse.py": ["test_lab_numeric_sparse.py", "test_edges.py"],
    "lab/own_mechanism.py": ["test_lab_own_mechanism.py", "test_edges.py"],
    "lab/toolbox.py": ["test_lab_toolbox.py", "test_edges.py"],
    "exact/threshold_alp.py": ["test_exact_threshold_alp.py", "test_exact_alp.py"],
    "lab/trials.py": ["test_trials.py"],
    "lab/alp.py": ["test_lab_alp.py", "test_edges.py"],
    "lab/threshold_alp.py": ["test_lab_threshold_alp.py", "test_edges.py"],
    "lab/audit.py": ["test_audit.py", "test_family.py"],
    "lab/data.py": ["test_data.py", "test_own_data.py"],
    "lab/own_data.py": ["test_own_data.py"],
    "lab/noise.py": ["test_noise.py", "test_edges.py"],
    "lab/attackers_game.py": ["test_lab_attackers_game.py", "test_edges.py"],
    "lab/choosing_a_mechanism.py": ["test_lab_choosing_a_mechanism.py"],
    "lab/confidence.py": ["test_confidence.py", "test_edges.py"],
    "lab/is_it_private.py": ["test_lab_is_it_private.py"],
    "lab/histograms.py": ["test_histograms.py", "test_edges.py"],
    "lab/online_ic.py": ["test_lab_online_ic.py", "test_edges.py"],
    "lab/profiles.py": ["test_profiles.py", "test_edges.py"],
    "lab/sparse_mw.py": ["test_lab_sparse_mw.py", "test_edges.py"],
    "lab/small_db.py": ["test_lab_small_db.py", "test_edges.py"],
}
EXEMPT = {
    "# beyond: less than e": "how far, and how finely, a tail is followed",
    "np.where(values <= u, lost, 0)": "at equality: one point of a grid",
    "# any will do": "so large that it does not matter",
    "150000 becomes 150001": "one look-up more or less",
    "np.random.default_rng(0)": "any seed will do",
    "size=2 * _ZEROS": "more are drawn than needed",
    "np.broadcast_to(load, (1, levels))": "of equal rows the first is used",
    "301 becomes 302": "how fine the search is",
    "1e-09 becomes": "a rounding error is as small as that or smaller",
    "np.full(sparsity, 2 * level)": "anything well above the level is kept",
    "leggauss(12)": "nodes of a panel: more are as good",
    "np.where(basic, 0.5, delta)": "any delta: not used where composition is basic",
    "_REACH = ": "how far the tails are followed",
    "7 becomes 8 in “flip, reach = ": "how far the tails are followed",
    "_BLOCK = ": "speed alone",
    "_CELLS = ": "speed alone",
    "_BITS, _INDICES, _LEVELS = ": "memory and speed alone",
    "_COLUMNS = ": "speed alone",
    "# numbers beyond tell no more": "nor do others beyond",
    "place: int = 0": "not used unless a number is cut",
    "go_on = (left > 0)": "a run of which nothing is left says nothing",
    "np.where(log_tail < ": "equality has probability 0",
    "drawn = result.above": "more thresholds than are used change nothing",
    "below = np.arange(length) < self.above": "where the last ⊤ stands there is no ⊥ in any case",
    "running = running[count[running] < ": "speed alone: what has halted says no more",
    "_TIGHT = ": "how far the root is refined",
    "np.array([0]), size=1": "of one bit a level any index reads all",
    "TRIES = 100": "how long is searched",
    "since < len(chosen) becomes since <=": "one more round changes nothing",
    "< least - 1e-12": "a rounding error is as small as that or smaller",
    "+ ~state < threshold becomes": "equality has probability 0",
    "last <= 0 becomes last < 0 in “speaks": "equality has probability 0",
    "if len(poor) >= size": "one block more changes nothing",
    "0.0 if scale is None": "a scale that is not used",
    "delay=2": "when the progress bar appears",
    "rate = 1 / self.scale": "how fine the panels are",
    "highs = self.counts": "how fine the panels are",
    "z, weights = _nodes(self.marks()": "how fine the panels are",
    "_nodes(integrand.marks()": "how fine the panels are",
    "self.slope(marks[:, -1:]), 0)": "how fine the panels are",
    "from_left, from_right = ": "from which end the panels grow",
    "np.round(mantissa, 12)": "how many digits are as good as all",
    "np.maximum(1.99 * log_inverse": "any bracket that holds the root is as good",
    "np.maximum(8.01 * log_inverse": "any bracket that holds the root is as good",
    "rounded = total * (1 + 1e-12)": "a rounding error is as small as that or smaller",
    "if np.log(b * d / (a * c)) <= 2": "equality has probability 0",
    "MOST_RUNS = ": "how many are drawn at once",
    "1 becomes 2 in “noise = laplace(np.random.default_rng([seed, 1])": "other noise is as good",
    "default_rng([seed, 1]).laplace(": "other noise is as good, and more than is used too",
    "1 becomes 2 in “return np.random.default_rng([seed, 1])": "other noise is as good",
    "answers, numbers = 2 * np.max(": "any bracket that holds the root is as good",
    "enough = answers * np.log(": "any bracket that holds the root is as good",
    "enough = np.maximum(enough, numbers": "any bracket that holds the root is as good",
    "becomes alphas >= ratio": "equality has probability 0",
    "1 + 3 * num_queries)))": "more noise than is drawn changes nothing",
    "signs > 0 becomes signs >= 0": "a sign is 1 or -1",
    "above = above[count[above] < ": "what has halted says no more",
    "1 becomes 2 in “cutoff = np.maximum(np.floor(": "any epsilon is proved for up to 5 runs",
    "cutoff <= 8 * np.log(parts / known) becomes": "8 ln(parts/δ) is no whole number",
    "runs <= 8 * np.log(1 / delta) becomes": "8 ln(1/δ) is no whole number",
    "abs(value) <= self.most becomes abs(value) < self.most": "the slower way decides the same",
    "if value == 0 or abs(value) >= self.least": "the slower way decides the same",
    "_NUMBERS = np.linspace(": "how fine the grid is, and how far it reaches",
    "# beyond, all answers are alike": "nor do others beyond",
    "x < 0 becomes x <= 0 in “return np.array([0.0": "at 0 both forms are right",
    "0 becomes 1 in “return np.array([0.0, *np.where(x < 0": "at whole numbers nothing changes",
    "most=1e45)": "what is larger would do as well",
    "ROUNDS = 10": "how many rounds are enough, or too many",
    "repeats=replace(COUNT, most=20)": "how long a wait is too long",
    "noisy >= threshold becomes": "equality has probability 0",
    "self.interval[0] > self.line becomes": "equality has probability 0",
    "seed: int = 0": "any seed will do",
    "0 becomes 1 in “def played(": "any seed will do",
    "RUNS = 4": "how many runs are enough",
    "ONLINE_RUNS = ": "how many runs are enough",
    "PREDICATE_RUNS, LARGE_PREDICATE_RUNS = ": "how many runs are enough",
    "runs = PREDICATE_RUNS if universe_size": "how many runs are enough",
    "1 becomes 2 in “runs, together = ": "speed alone: how many are drawn at once",
    "10000 becomes 10001 in “ENTRIES, TABLE": "what is promised alone: nothing depends on it",
    "1000 becomes 1001 in “return np.sort(": "there are no more",
    "255 becomes 256 in “n, asked = ": "the first marginal again",
    "_quick_delta(runs, high, epsilon) <= delta becomes": "equality has probability 0",
    "_quick_delta(runs, middle, epsilon) <= delta becomes": "equality has probability 0",
    "700 becomes 701 in “found[some] = tail - ": "beyond, all is summed up",
    " in “some[some] = (tail > 1e-305)": "speed alone: both ways have nine digits there",
    "10000000.0 becomes 12500000.0 in “@checked_arrays(runs=": "how long a wait is too long",
    "2 becomes 3 in “low, high = np.where(kept, high, low), np.where(kept, 2": (
        "any bracket that holds the root is as good"
    ),
    "for _ in range(32)": "how far the root is refined",
    "46 becomes 47": "how far the tails are followed",
    "2 becomes 3 in “mean, reach = ": "how far the tails are followed",
    "1 becomes 2 in “flips = np.arange(": "speed alone: what loses nothing adds nothing",
    "enough > after becomes": "at equality the next loss is the total as well",
    "high <= _MOST becomes high < _MOST": "ten million is no power of two",
    "[taken(delta) > delta for": "at none of DELTAS is it equal",
    "<= rounded becomes": "what is rounded up is met by no whole number of runs",
    "np.minimum(np.minimum(*alone)": "any bracket that holds the root is as good",
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
    "_NUMBERS = 2**16": "speed alone",
    "_SIZES = ": "finer than enough",
    "if trials > most": "how much memory is too much",
    "places = np.unique(np.geomspace(low": "how many numbers are looked at",
    "errors.round(12), return_counts": "a rounding error is as small as that or smaller",
    "fractions(histogram, queries)).round(12)": "a rounding error is as small as that or smaller",
    "low, high = 0, 1": "that no row is too few need not be known",
    "low, high = high, 2 * high": "speed alone",
    "width = max(64, ": "speed alone",
    "height * depth * width <= most": "at equality the pieces are one too",
    "num_queries=1)": "pieces are no narrower for two queries",
    "law = 1 / ranks": "proportions alone count",
    "if len(universe) > 16": "the size of a universe is a power of two",
    "return 20 + universe_size * (10": "how fast the machine is",
    "alpha < 0.999": "an alpha of use for fractions: 1 is as good a border",
    "if universe_size <= 2 * size": "speed alone: either way makes each database once",
    "elif half and choices.sum() > width": "at equality either way is right",
    "> math.log(limit) + 1": "beyond the limit the number itself is not needed",
    "_number(universe_size, size, 1e15)": "how many digits are written out",
    "enough = limit + 1": "a longer range holds nothing more that fits",
    "(u for u, s in _UNITS": "at equality either unit is right",
    "if power < 15": "how many digits are written out",
    "level, cutoff = 2 * learner.alpha": "for the check any finite threshold is as good",
    "becomes bits.T[chosen] != ": "as often negated as not",
    "universe.elements]) != ": "as often negated as not",
    "1 becomes 2 in “used = ": "2 has no more bytes than 1",
    "default_rng(7)": "other made-up codes are as good",
    "for _ in range(2 * CODES)": "more names than are used change nothing",
    "becomes abs(value - guess) > alpha in “valid = ": "no made-up share is off by exactly alpha",
    "looked_up = 0": "differences alone count",
    'return Element(f"{i} "': "strings of any length",
    "1.0 becomes 1.25 in “learner.update(": "any value above the hypothesis",
    "find_root(excess, (": "any bracket that holds the root is as good",
    "_PRECISE = ": "more digits than enough",
    "_STEP = ": "finer than enough",
    "self._bits = ": "where the digits begin, as many as enough",
    "self._bits *= ": "how soon there are enough digits",
    "self._total.bit_length() < ": "at equality there are as many digits as enough",
    "self._steps.get(element, 0)": "one step is 2^-60",
    "digits << shift if shift >= 0": "a shift by 0 is the same to either side",
    "# any delta: not used": "not used",
    "_NOISE = replace(": "what is larger would do as well",
    "_ALPHA = replace(": "how long a wait is too long",
    "least=0.01": "how long a wait is too long",
    "_MOST = 2**2": "how much memory is too much",
    "_MOST_TRIALS": "how much memory is too much",
    "4097 becomes 4098": "how long a name is too long",
    "_FEW = replace(": "how much memory is too much",
    "bins=replace(": "how much memory is too much",
    "> _MOST becomes": "how much memory is too much",
    "num_queries + 1) > _MOST:": "how much memory is too much",
    "number * levels > _CELLS": "how much memory is too much",
    "500 becomes 501": "how much memory is too much",
    "releases=replace(COUNT": "how long a wait is too long",
    "most=10_000)": "how long a wait is too long",
    "size=replace(COUNT, most=100)": "how long a wait is too long",
    "bins > MOST_RUNS": "how many bins are too many",
    "most=1e15)": "what is larger would do as well",
    "least=1e-250, most=1e250)": "what is larger or smaller would do as well",
    "_HELD = 2**24": "how much memory is too much",
    "levels > 2**53": "whatever is above, as long as a whole number has room",
    "1 becomes 2 in “patterns = sorted(": "any small number puts rare patterns behind sure ones",
    "parts = np.linspace(0, 1, 33)[1:-1]": "how fine the cuts are",
    "parts = 1 / np.arange(1, len(TERMS)": "proportions alone count",
    "str(rng.integers(1000))": "other made-up strings are as good",
    "kept = noisy >= level": "equality has probability 0",
    "1 + _CELLS": "speed alone",
    "maxsize=": "speed alone",
    "short = gap >= ": "at 0 either form is right",
    "sunk = levels - b + 1": "speed alone: how soon states become one",
    "order = np.lexsort(": "speed alone: how many states become one",
    "length = 2**62 if": "memory and speed alone",
    "max(1, len(array)), length)": "an empty piece more changes nothing",
    "array.dtype.itemsize < 8": "what is wide stays as it is",
    "_error(*, load=0.0": "the bounds at load 1 are those at load 0",
    "alp_tail(steps, *, load=0.0": "the bounds at load 1 are those at load 0",
    "def read(self, size=-1)": "any negative number means the same",
    "1 becomes 2 in “data = super().read(": "one byte too many is enough, and two are",
    "> length becomes sum(": "with its headers a file is longer than what it holds",
    "2.0 becomes 2.5 in “return exact_loss(row, here": "numbers beyond tell no more",
    "transcript = [BELOW, 5.0]": "the number tells nothing",
    "np.linspace(-12 * b, 0, 1201)": "how fine the cells are, how far they reach",
    "_TERMS = ": "more terms than are needed",
    "xtol=1e-4": "how far the root is refined",
    "np.maximum(weight, 1e-300)": "so small that it does not matter",
    "or 1e-300": "any number far below the least delta",
    "_COINSURANCE = ": "any border between two plans separates them",
    "2 becomes 3 in “largest = -np.log(": "where the search begins",
    "1e+49 becomes": "so large that it does not matter",
    "1e-15 becomes": "a rounding error is as small as that or smaller",
    "10 becomes 11 in “for _ in range(10)": "the slower way finds the same",
    "np.abs(z / y - 1) < 1e-06 becomes": "equality has probability 0",
    "1e-06 becomes 1.2499999999999999e-06 in “there = ": "how near is near enough",
    "np.max(np.abs(z / y - 1)) < 1e-05 becomes": "equality has probability 0",
    "1e-05 becomes 1.25e-05 in “if np.max(": "how near is near enough",
    "22 becomes 23 in “places = ": "finer than enough",
    "terms = int(30 + 60 / root)": "more terms than are needed",
    "2 becomes 3 in “away = ": "how fine the cells are",
    "16 becomes 17 in “edges = ": "how fine the cells are, how far they reach",
    "41 becomes 42 in “edges = ": "how fine the cells are",
    "36 becomes 37 in “edges = ": "how fine the cells are, how far they reach",
    "out=densities[0]": "where it is stored is all the same",
    "_TOGETHER = ": "speed alone",
    "1 becomes 2 in “width = max(1, ": "speed alone",
    "high < size becomes high <= size": "beyond all rows there is nothing: 0 either way",
    "error < histogram becomes": "two promises are not equal to the last bit",
    "1 becomes 2 in “for i, before, k in ": "any that is no index",
    "each * num_queries > self.epsilon becomes": "two promises are not equal to the last bit",
    "total > self.epsilon becomes": "two promises are not equal to the last bit",
    "clock < (num_queries - row.cutoff) * hazard becomes": "equality has probability 0",
    "lowest < np.maximum(shift - alpha, -alpha) becomes": "equality has probability 0",
    "highest > alpha becomes": "equality has probability 0",
    "1 becomes 2 in “_QUERIES = ": "more queries than are used change nothing",
    "bars <= query_scale * last[kept] becomes": "equality has probability 0",
    "largest[m, run] + value < bars[run] becomes": "equality has probability 0",
    "threshold < 0 becomes threshold <= 0 in “kept = ": "equality has probability 0",
    "last < 0 becomes last <= 0 in “kept = ": "equality has probability 0",
    "2 becomes 3 in “run = _answering(mechanism, [seed, 2]": "other noise is as good",
    "3 becomes 4 in “run = _answering(mechanism, [seed, 3]": "other noise is as good",
    "1 becomes 2 in “run = _answering(mechanism, [seed, 1]": "other noise is as good",
    "1 becomes 2 in “rng = np.random.default_rng([seed, value, 1])": "other noise is as good",
    "value * epsilon / 2 < threshold[run] becomes": "equality has probability 0",
    "last[run] <= cut becomes": "equality has probability 0",
    "threshold <= last becomes": "equality has probability 0",
    "largest < bars becomes": "equality has probability 0",
    "variant.query_scale * noise[i] >= bars becomes": "equality has probability 0",
    "2 becomes 3 in “noise = [_audit_noise(": "more noise than is drawn changes nothing",
    "4 becomes 5 in “return laplace(": "more noise than is drawn changes nothing",
    "1 becomes 2 in “return itertools.islice(": "one answer too many is enough, and two are",
    "10000 becomes 10001 in “noise = sampled_noise(": "one run more or less",
    "abs(runs.numbers - alpha) > alpha becomes": "equality has probability 0",
    "10 becomes 11 in “rng, number, dimension = ": "any large dimension",
    "score_there > score becomes": "at equality either event is as good",
    "gap + first >= threshold becomes": "equality has probability 0",
    "second - gap >= threshold becomes": "equality has probability 0",
    "answer < 0 becomes answer <= 0 in “factors = ": "equality has probability 0",
    "9 becomes 10 in “rng, number, dimension = ": "any large dimension",
}
EXEMPT_OPERATORS = {
    "-1 becomes +1 in “tail, mirrored = ": "speed alone: what is below 0 is summed up",
    " in “found[some] = tail - np.exp(": "speed alone: what is below 0 is summed up",
    "0.001 * tail becomes": "speed alone: both ways have nine digits there",
    "becomes values[:, 0] - rng.laplace(": "either sign has the same law",
    "becomes values - row.query_scale": "either sign has the same law",
    "becomes values - rng.laplace(": "either sign has the same law",
    "level, cutoff = 2 * learner.alpha": "for the check any finite threshold is as good",
    "becomes counts / np.exp(0.12 * shift)": "either sign has the same law",
    "# beyond: less than e": "how far a tail is followed",
    "delta + basic becomes delta - basic": "not used where composition is basic",
    "np.maximum(1.99 * log_inverse, 1.4 * epsilon) becomes": "any bracket that holds the root",
    "becomes np.floor(updates(size, alpha)) in “cutoff": "any epsilon is proved for up to 5 runs",
    "law = law * np.ones(": "ones: the shape alone counts",
    "min(variant.cutoff, size) becomes variant.cutoff": "speed alone: no more can be above",
    "_CELLS = ": "speed alone",
    "_COLUMNS = ": "speed alone",
    "min(len(values), _COLUMNS) becomes _COLUMNS": "speed alone: smaller pieces than need be",
    "becomes length in “rows = -(-_CELLS": "how many runs are drawn at once",
    "becomes variant.cutoff in “rows = -(-_CELLS": "speed alone: smaller pieces than need be",
    "values[place] + noise becomes values[place] - noise": "either sign has the same law",
    "becomes out /= (1 - 2 * bits": "1 and -1 divide as they multiply",
    "becomes alpha / sign": "1 and -1 divide as they multiply",
    "levels - b becomes levels + b in “sunk = ": "speed alone: how soon states become one",
    "np.minimum(down[:, 0], sunk) becomes down": "speed alone: how soon states become one",
    "-1 becomes +1 in “order = np.lexsort(": "equal rows are side by side in either order",
    "levels) becomes np.asarray(values, dtype=float) / alpha in": (
        "beyond the last level, all levels are reached either way"
    ),
    "np.minimum(most, np.ceil(runs * flip + reach)) becomes most": "speed alone: more terms of 0",
    "runs * flip becomes runs / flip in “after = ": "speed alone: more terms of 0",
    "math.log(delta)) * 2 in “mean, reach = ": "how far the tails are followed",
    "most = math.ceil(runs / 2) - 1": "speed alone: what loses nothing adds nothing",
    "min(most, math.ceil(mean + reach)) becomes": "speed alone: what loses nothing adds nothing",
    "max(0, math.floor(mean - reach)) becomes": "speed alone: more terms of 0",
    "min(high, _MOST + 1) becomes _MOST + 1": "speed alone: a longer range is searched",
    "np.minimum(sums, 1) becomes sums": "what it takes away is a rounding error",
    "1 + np.log1p(epsilon / runs)),”": "any bracket that holds the root is as good",
    "0 * enough becomes 0 / enough": "0 either way",
    "np.maximum(1, np.ceil(cap * scale / alpha)) becomes np.ceil(": (
        "in range, the smallest product is a float above 0"
    ),
    "2 ** digit // 2 becomes 2 ** digit / 2": "the half is dropped when it is stored",
    "min(depth, _WITH_A_VECTOR // side) becomes _W": "speed alone: smaller pieces than need be",
    "min(width, _WITH_A_VECTOR // terms) becomes _W": "speed alone: smaller pieces than need be",
    "2 * cutoff becomes 2 / cutoff in “enough = ": "any bracket that holds the root is as good",
    "np.log1p(-beta) / cutoff becomes": "any bracket that holds the root is as good",
    "rate = 1 / self.scale": "how fine the panels are",
    "_nodes(integrand.marks()": "how fine the panels are",
    "np.minimum(outside, 0.9) becomes outside": "what is greater is computed anew",
    "_BITS, _INDICES, _LEVELS = ": "memory and speed alone",
    "if universe_size <= 2 * size + 2": "speed alone: either way makes each database once",
    "min(universe_size, enough)": "a longer range holds nothing more that fits",
    "min(size, enough) becomes enough": "a longer range holds nothing more that fits",
    "np.maximum(successes, 1) becomes successes": "what is not used may be nan",
    "np.maximum(trials - successes, 1) becomes trials - successes": "what is not used may be nan",
    "row.threshold_scale / np.log(beta) in “guess = ": "where the search begins",
    "np.minimum(values * epsilon / alpha, levels) becomes values": (
        "beyond the last level, all levels are reached either way"
    ),
    "60 / root becomes 60 * root": "more terms than are needed",
    "_TOGETHER = ": "speed alone",
    "_MOST = 2**2": "how much memory is too much",
    "_MOST_TRIALS = ": "how much memory is too much",
    "reach) // width becomes": "what is kept is at least 0, and is cut to a whole number",
    "_FEW = replace(": "how much memory is too much",
    "num_queries + 1) > _MOST:": "how much memory is too much",
    "number * levels becomes number / levels": "how much memory is too much",
    "trials * len(utilities) becomes": "how much memory is too much",
    "levels > 2**53": "whatever is above, as long as a whole number has room",
    "max(1, _TOGETHER // right.shape[1]) becomes 1 in": "speed alone",
    "max(1, _TOGETHER // size) becomes 1 in": "speed alone",
    "maxsize=": "speed alone",
    "+ rng.laplace(scale=1 / epsilon, size=(2, trials)) becomes": "either sign has the same law",
}
PLACING = {"slope", "peak", "marks"}  # of integral.py: where nodes lie, not what is added up
SWAPS = {
    ast.GtE: ast.Gt, ast.Gt: ast.GtE, ast.LtE: ast.Lt, ast.Lt: ast.LtE,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.USub: ast.UAdd,
}  # fmt: skip
EXTREMES = {"max", "min", "np.maximum", "np.minimum"}


@dataclass(frozen=True)
class Mutant:
    """A file of course_lib with one change; `function`: the line where it begins, 0 for none."""

    file: str
    line: int
    function: int
    change: str
    source: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.change}"


def mutants(file):
    """Every mutant of one file, in order."""
    text = (ROOT / "course_lib" / file).read_text(encoding="utf8")
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node, field, new, words in changes(tree):
        words += f" in “{text.splitlines()[node.lineno - 1].strip()}”"
        exempt = EXEMPT if isinstance(node, ast.Constant | ast.Compare) else EXEMPT_OPERATORS
        # what comes before the body of a function is evaluated on import
        around = [f for f in functions if f.body[0].lineno <= node.lineno <= f.end_lineno]
        if any(part in words for part in exempt) or any(f.name in PLACING for f in around):
            continue
        starts = [min(part.lineno for part in (f, *f.decorator_list)) for f in around]
        old = getattr(node, field)
        setattr(node, field, new)
        yield Mutant(file, node.lineno, max(starts, default=0), words, ast.unparse(tree))
        setattr(node, field, old)


def changes(tree):
    """For each change: the node, its field, what the field becomes, and words for it; in order."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            other = node.value + 1 if isinstance(node.value, int) else node.value * 1.25
            other += node.value == 0 and isinstance(node.value, float)
            found.append((node, "value", other, f"{node.value} becomes {other}"))
        if isinstance(node, ast.Compare):
            ops = [SWAPS[type(node.ops[0])](), *node.ops[1:]]
            found.append((node, "ops", ops, _words(node, ops=ops)))
        if isinstance(node, ast.BinOp | ast.AugAssign | ast.UnaryOp) and type(node.op) in SWAPS:
            op = SWAPS[type(node.op)]()
            found.append((node, "op", op, _words(node, op=op)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in EXTREMES:
            if len(node.args) == 2 and not node.keywords:
                for place, one in enumerate(node.args):
                    func = ast.parse(f"lambda *both: both[{place}]", mode="eval").body
                    words = f"{ast.unparse(node)} becomes {ast.unparse(one)}"
                    found.append((node, "func", func, words))
    return sorted(found, key=lambda change: (change[0].lineno, change[0].col_offset))


def _words(node, **fields):
    after = type(node)(**dict(ast.iter_fields(node)) | fields)
    return f"{ast.unparse(node)} becomes {ast.unparse(after)}"


def in_forks(function, jobs, *, processes=PROCESSES, patience=PATIENCE):
    """Each job with function(job), made in a fork of its own; None if the fork did not end well."""
    if threading.active_count() > 1:
        raise RuntimeError(f"a fork of a process with threads may hang: {threading.enumerate()}")
    jobs, running = iter(jobs), {}
    while True:
        while len(running) < processes and (job := next(jobs, None)) is not None:
            answer = tempfile.TemporaryFile("w+")
            pid = os.fork()
            if pid == 0:
                try:
                    json.dump(function(job), answer)
                    answer.flush()
                finally:
                    os._exit(0)
            running[pid] = job, answer, time.monotonic() + patience
        if not running:
            return
        pid = 0
        while not pid:
            for late in (pid for pid, (*_, end) in running.items() if end < time.monotonic()):
                os.kill(late, signal.SIGKILL)
            time.sleep(0.005)
            pid, _ = os.waitpid(-1, os.WNOHANG)
        job, answer, _ = running.pop(pid)
        answer.seek(0)
        yield job, json.loads(answer.read() or "null")
        answer.close()


def run_pytest(tests, plugin):
    """pytest in this fork, silent, with the course and its tests imported anew."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("CI", None)  # where the suite's memory is judged too
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    return pytest.main([*OPTIONS, *(str(ROOT / "tests" / test) for test in tests)], [plugin])


def forget_the_course():
    for name in [name for name in sys.modules if name.partition(".")[0] in ("course_lib", "tests")]:
        del sys.modules[name]


class Measuring:
    """A plugin that runs each test alone: which functions does it enter, and how long does it take?

    Those that are entered while the tests are collected belong to each test.
    """

    def __init__(self):
        self.profile, self.table = cProfile.Profile(builtins=False), {}

    def run(self, item):
        start = time.process_time()
        passed = not any(report.failed for report in runtestprotocol(item, log=False))
        seconds = time.process_time() - start
        self.profile.disable()
        codes = [entry.code for entry in self.profile.getstats()]
        course = f"{ROOT}/course_lib/"
        enters = {
            f"{code.co_filename.removeprefix(course)}:{code.co_firstlineno}"
            for code in codes
            if not isinstance(code, str) and code.co_filename.startswith(course)
        }
        return {"seconds": seconds, "passed": passed, "enters": sorted(enters)}

    def pytest_runtestloop(self, session):
        session.config.watch.stop()  # the thread that looks at the memory
        failed = {"seconds": 0, "passed": False, "enters": []}
        for item, measured in in_forks(self.run, session.items, processes=1):
            self.table[item.nodeid] = measured or failed
        return True


def measure(test):
    """For each test of a file, by its name: its seconds, if it passes, the functions it enters."""
    forget_the_course()
    measuring = Measuring()
    measuring.profile.enable()
    run_pytest([test], measuring)
    return measuring.table


class Choosing:
    """A plugin that runs the chosen tests alone (None: all), in order, and shrinks no example."""

    def __init__(self, chosen):
        self.chosen = chosen

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        settings.register_profile(
            "mutations",
            settings(),  # those of conftest.py
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),  # which look at the clock
        )
        settings.load_profile("mutations")

    def pytest_collection_modifyitems(self, items):
        if self.chosen is not None:
            by_name = {item.nodeid: item for item in items}
            items[:] = [by_name[name] for name in self.chosen if name in by_name]


def survives(job):
    """Whether the chosen tests pass on the mutant, within the limits."""
    mutant, chosen, seconds = job
    with open("/proc/self/statm") as sizes:
        memory = int(sizes.read().split()[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    forget_the_course()
    _load(mutant)
    code = run_pytest(TESTS[mutant.file], Choosing(chosen))
    assert code != pytest.ExitCode.USAGE_ERROR
    return code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def _load(mutant):
    """Put the mutant in the place of its module."""
    package, _, stem = mutant.file.removesuffix(".py").rpartition("/")
    name = ".".join(filter(None, ("course_lib", package, stem)))
    path = ROOT / "course_lib" / mutant.file
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    exec(compile(mutant.source, path, "exec"), sys.modules[name].__dict__)
    setattr(importlib.import_module(name.rpartition(".")[0]), stem, sys.modules[name])


def _needed(paths):
    """These files and all of ours that they import, one way or another."""
    found, left = set(), [*paths, ROOT / "tests" / "conftest.py"]
    while left:
        path = left.pop()
        if path in found or not path.exists():
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.ImportFrom):
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            left += [ROOT / (name.replace(".", "/") + ".py") for name in names]
    return {*found, *ROOT.glob("tests/oracles/*.json"), *ROOT.glob("course_lib/lab/*.npz")}


@functools.cache
def _content(tests, without=None):
    """A digest of the tests and of all that they need, without one file of the course."""
    needed = _needed([ROOT / "tests" / test for test in tests])
    needed.discard(ROOT / "course_lib" / str(without))
    digest = hashlib.sha256()
    for path in sorted(needed):
        digest.update(f"{path.relative_to(ROOT)}".encode() + path.read_bytes())
    return digest.hexdigest()


def _kept(kind, *parts):
    """The file that holds a result."""
    return RESULTS / f"{kind}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.json"


def _all_kept(function, jobs, places):
    """Each job with its result, from its place or made now."""
    places = dict(zip(jobs, places, strict=True))
    new = [job for job, place in places.items() if not place.exists()]
    for job, place in places.items():
        if place.exists():
            yield job, json.loads(place.read_text())
    for job, result in in_forks(function, new):
        places[job].write_text(json.dumps(result))
        yield job, result


def main(stems):
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    tqdm.monitor_interval = 0  # no thread looks at the progress bars
    for name in IMPORTED_ONCE:
        importlib.import_module(name)
    gc.freeze()
    RESULTS.mkdir(exist_ok=True)
    files = [file for file in TESTS if not stems or {file, Path(file).stem} & {*stems}]
    tests = list(dict.fromkeys(test for file in files for test in TESTS[file]))
    places = [_kept("tests", test, _content((test,))) for test in tests]
    measured = {}
    for _, table in _all_kept(measure, tests, places):
        measured |= table
    for name in (name for name, test in measured.items() if not test["passed"]):
        print(f"fails without any change, so it is left out: {name}")
    survivors = []
    for file in files:
        jobs = [_job(mutant, measured) for mutant in mutants(file)]
        content = _content(tuple(TESTS[file]), file)
        places = [_kept("mutant", mutant.source, content) for mutant, *_ in jobs]
        print(f"{file}: {len(jobs)} mutants ", end="", flush=True)
        for (mutant, *_), survived in _all_kept(survives, jobs, places):
            print(f"\nsurvives: {mutant}\n" if survived else ".", end="", flush=True)
            survivors += [mutant] if survived else []
        print()
    print(f"{len(survivors)} survive")
    return bool(survivors)


def _job(mutant, measured):
    """A mutant, the tests that enter its function, the quickest first, and a limit of seconds."""
    of_file = tuple(f"tests/{test}::" for test in TESTS[mutant.file])
    entered = f"{mutant.file}:{mutant.function}"
    chosen = {
        name: test["seconds"]
        for name, test in measured.items()
        if name.startswith(of_file) and test["passed"]
        if not mutant.function or entered in test["enters"]
    }
    seconds = 10 + int(3 * sum(chosen.values()))
    return mutant, tuple(sorted(chosen, key=chosen.get)), seconds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
