"""Bad and extreme input: every public function of the core gives a right kind of result, or a
ParameterError that names a parameter; never NaN, never a warning, never another exception.
"""

import importlib
import inspect
import math
import re
import warnings
from datetime import date
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from course_lib import (
    above_threshold,
    alp,
    lecture11_sparse,
    linear_queries,
    numeric_sparse,
    online_ic,
    small_db,
    sparse_mw,
    threshold_alp,
    toolbox,
)
from course_lib.exact import above_threshold as exact_above_threshold
from course_lib.exact import alp as exact_alp
from course_lib.exact import attackers_game as exact_game
from course_lib.exact import choosing_a_mechanism as exact_choosing
from course_lib.exact import composition, family, integral, transcripts, worst_stream
from course_lib.exact import is_it_private as exact_is_it_private
from course_lib.exact import lecture11_sparse as exact_lecture11
from course_lib.exact import online_ic as exact_online_ic
from course_lib.exact import small_db as exact_small_db
from course_lib.exact import sparse_mw as exact_sparse_mw
from course_lib.exact import threshold_alp as exact_threshold_alp
from course_lib.exact.family import member
from course_lib.lab import above_threshold as lab_above_threshold
from course_lib.lab import alp as lab_alp
from course_lib.lab import attackers_game as lab_game
from course_lib.lab import (
    audit,
    confidence,
    histograms,
    noise,
    own_mechanism,
    profiles,
    trials,
)
from course_lib.lab import choosing_a_mechanism as lab_choosing
from course_lib.lab import is_it_private as lab_is_it_private
from course_lib.lab import lecture11_sparse as lab_lecture11
from course_lib.lab import numeric_sparse as lab_numeric_sparse
from course_lib.lab import online_ic as lab_online_ic
from course_lib.lab import small_db as lab_small_db
from course_lib.lab import sparse_mw as lab_sparse_mw
from course_lib.lab import threshold_alp as lab_threshold_alp
from course_lib.lab import toolbox as lab_toolbox
from course_lib.support import contracts, hashing, multisets, products, vectors
from course_lib.support.answers import BELOW
from course_lib.support.contracts import ParameterError
from tests.family import asking
from tools.house import files, used

PACKAGE = Path(toolbox.__file__).parent
STRANGE = ["3", b"1", date(2026, 1, 1), 3 + 1j, None, [], [[1], [2, 3]], object(), {}]
EXTREME = [10**400, -(10**400), 10**5000, Fraction(10**400, 3), Fraction(1, 10**400)]
EXTREME += [math.nan, math.inf, -math.inf, 1e308, -1e308, 1e160, 1e50, 1e30, 1e16, 10**19, 2**63]
EXTREME += [5e-324, 1e-310, 1e-160, 1e-50, 0, -1, 0.5, 2, [2, -1], True]


def rng():
    return np.random.default_rng(0)


def row(name="numeric_sparse"):
    return member(name, cutoff=2, epsilon=1.0)


LEARNER = online_ic.MultiplicativeWeights(universe_size=4, alpha=0.5)
SPARSE_LEARNER = sparse_mw.SparseMultiplicativeWeights(support=2, alpha=0.5)
UNIVERSE = linear_queries.Universe(("a", "b"))
HISTOGRAM, QUERIES = [3, 0, 2, 1], [[0, 0, 1, 1], [0, 1, 0, 1]]
HASHES = hashing.draw_hashes(3, 7, rng())
STREAM = {"threshold": 0.5, "epsilon": 1.0, "rng": rng()}
SPARSE = {**STREAM, "cutoff": 2, "delta": 1e-6}
BOUND = {"num_queries": 9, "beta": 0.1, "epsilon": 1.0}
COMPOSED = {"runs": 3, "epsilon": 0.1, "delta": 1e-6}
ONLINE = {**BOUND, "n": 1000, "universe_size": 8, "delta": 0.0}
SMW = {**BOUND, "n": 1000, "support": 3, "delta": 0.0}
SMALL = {"num_queries": 3, "alpha": 0.5, "universe_size": 4, "beta": 0.1, "epsilon": 1.0}
DATABASE = {"alpha": 1.0, "epsilon": 1.0}
EMBED = {"cap": 4.0, "alpha": 2.0, "epsilon": 1.0}
BOTH = {"alpha": 2.0, "epsilon1": 1.0, "epsilon2": 1.0}

# function: (positional arguments, the others)
CALLS = {
    above_threshold.above_threshold: ((None, asking([0, 1])), STREAM),
    above_threshold.above_threshold_alpha: ((), BOUND),
    above_threshold.above_threshold_beta: ((), {"num_queries": 9, "alpha": 3.0, "epsilon": 1.0}),
    exact_above_threshold.above_threshold_failure: (
        (),
        {"num_queries": 9, "alpha": 3.0, "epsilon": 1.0},
    ),
    exact_above_threshold.above_threshold_alpha_exact: ((), BOUND),
    exact_above_threshold.above_threshold_loss: (
        ([0, 1], [1, 0]),
        {"threshold": 0.5, "epsilon": 1.0},
    ),
    exact_above_threshold.late_above_loss: (
        (),
        {"num_queries": 9, "threshold": 0.5, "epsilon": 1.0},
    ),
    exact_above_threshold.first_above_errors: (([0, 1],), {"threshold": 0.5}),
    exact_above_threshold.above_threshold_wrong_probability: (
        ([0, 1],),
        {"threshold": 0.5, "alpha": 0.1, "epsilon": 1.0},
    ),
    exact_above_threshold.coupled_noise: (([0, 1], [1, 0], [0.5, 1.0, 2.0]), {}),
    exact_above_threshold.coupling_price: (([0.5, 1.0], [1.5, 3.0]), {"epsilon": 1.0}),
    lab_above_threshold.measured_late_losses: (
        (),
        {"threshold": 0.5, "trials": 500, "epsilon": 1.0, "seed": 0},
    ),
    alp.alp1_projection: (
        (np.array([1, 5]), np.array([1.0, 2.0]), HASHES),
        {"size": 7, "alpha": 1.0, "rng": rng()},
    ),
    alp.alp_projection: (
        ([1, 5], [1, 2]),
        {**EMBED, "dimension": 9, "sparsity": 2, "size": 7, "neighbours": "l1", "rng": rng()},
    ),
    threshold_alp.threshold_release: (
        ([1, 5], [1, 2]),
        {"dimension": 9, "level": 2.0, "epsilon": 1.0, "rng": rng()},
    ),
    threshold_alp.threshold_alp_projection: (
        ([1, 5], [1, 2]),
        {**BOTH, "dimension": 9, "sparsity": 2, "size": 7, "rng": rng()},
    ),
    alp.alp_scale: ((), {"alpha": 2.0, "epsilon": 1.0, "neighbours": "histogram"}),
    alp.alp_levels: ((), {**EMBED, "neighbours": "histogram"}),
    alp.alp_equation1: ((), {"alpha": 2.0}),
    alp.alp_expected_error: ((), {"load": 0.1, "alpha": 2.0, "epsilon": 1.0}),
    alp.alp_zero_error: ((), {"load": 0.1, "alpha": 2.0, "epsilon": 1.0}),
    alp.alp_tail: ((3,), {"load": 0.1, "alpha": 2.0}),
    alp.alp_loss: ((), {"entries": 2, "alpha": 2.0, "epsilon": 1.0}),
    alp.alp_space: ((), {"size": 9, **EMBED, "neighbours": "l1"}),
    threshold_alp.threshold_level: ((), {"dimension": 9, "epsilon": 1.0}),
    threshold_alp.threshold_alp_space: ((), {"dimension": 9, "sparsity": 2, "size": 7, **BOTH}),
    threshold_alp.threshold_error: (([0, 1],), {"level": 2.0, "epsilon": 1.0}),
    threshold_alp.threshold_alp_expected_error: (([0, 1],), {"dimension": 9, "load": 0.1, **BOTH}),
    threshold_alp.threshold_alp_maximum_error: ((), {"dimension": 9, **BOTH}),
    exact_alp.walk_law: (([0.5, 0.2],), {}),
    exact_alp.code_errors: (([0.5, 0.2],), {"value": 3}),
    exact_alp.alp_law: (([0, 1],), {"load": 0.1, **EMBED, "neighbours": "l1"}),
    exact_alp.alp_exact_error: (([0, 1],), {"load": 0.1, **EMBED, "neighbours": "l1"}),
    exact_threshold_alp.threshold_alp_exact_error: (
        ([0, 1],),
        {"dimension": 9, "load": 0.1, **BOTH},
    ),
    exact_alp.embedding_law: (([1, 5], [1.0, 2.0], HASHES), {"size": 4, "alpha": 1.0}),
    exact_alp.collision_probabilities: (([0, 1],), {"size": 9, **EMBED}),
    exact_alp.alp_error_among: (([0, 1], [2, 3]), {"size": 9, **EMBED}),
    exact_alp.alp_largest_estimate: ((), {**EMBED, "neighbours": "l1"}),
    exact_alp.alp_error_bound: (([0, 1],), {"load": 0.1, **EMBED, "neighbours": "l1"}),
    exact_alp.equation1_error: ((), {"zero": False, "alpha": 2.0, "epsilon": 1.0}),
    exact_alp.equation1_crossing: ((), {"alpha": 2.0}),
    exact_alp.three_scalings: ((), {"alpha": 2.0, "epsilon": 1.0}),
    exact_threshold_alp.threshold_largest_error: (([0, 1],), {"dimension": 9, "epsilon": 1.0}),
    exact_threshold_alp.laplace_largest_error: ((), {"dimension": 9, "epsilon": 1.0}),
    contracts.finite: ((1.0,), {}),
    transcripts.log_probability: (
        (row(), [0, 1], [BELOW, 0.5]),
        {"threshold": 0.5, "counts": [3, 1]},
    ),
    transcripts.exact_loss: (
        (row(), [0, 1], [1, 0], [BELOW, 0.5]),
        {"threshold": 0.5, "counts": [3, 1]},
    ),
    transcripts.first_above_law: ((row(), [0, 1]), {"threshold": 0.5}),
    worst_stream.failure: ((row(),), {"num_queries": 9, "alpha": 3.0}),
    worst_stream.alpha_exact: ((row(),), {"num_queries": 9, "beta": 0.1}),
    worst_stream.failure_curve: ((row(),), {"num_queries": 9, "alpha": 3.0}),
    worst_stream.needed_alpha: ((row(),), {"num_queries": 9, "beta": 0.1}),
    transcripts.wrong_answer_probability: ((row(), [0, 1]), {"threshold": 0.5, "alpha": 0.1}),
    lecture11_sparse.sparse_as_printed: ((None, asking([0, 1])), {**SPARSE, "n": 5}),
    lecture11_sparse.sparse_repaired: ((None, asking([0, 1])), {**SPARSE, "n": 5}),
    lecture11_sparse.lecture11_alpha_printed: ((), {**BOUND, "n": 5, "cutoff": 2, "delta": 1e-6}),
    lecture11_sparse.lecture11_alpha: ((), {**BOUND, "n": 5, "cutoff": 2, "delta": 1e-6}),
    lecture11_sparse.repaired_alpha: ((), {**BOUND, "n": 5, "cutoff": 2, "delta": 1e-6}),
    lecture11_sparse.lecture11_beta: (
        (),
        {"num_queries": 9, "n": 5, "cutoff": 2, "alpha": 0.5, "epsilon": 1.0, "delta": 1e-6},
    ),
    exact_lecture11.known_alpha: (
        (),
        {"n": 5, "cutoff": 2, "beta": 0.1, "epsilon": 1.0, "delta": 1e-6},
    ),
    exact_lecture11.parts_of_the_loss: (
        (),
        {"num_below": 3, "cutoff": 2, "answer": 0.5, "epsilon": 1.0},
    ),
    exact_lecture11.threshold_density: (
        (0.5,),
        {"num_below": 3, "value": 1.0, "cutoff": 2, "epsilon": 1.0},
    ),
    exact_lecture11.failures_at_stated_alpha: (
        (),
        {"num_queries": 9, "beta": 0.1, "delta": 1e-6},
    ),
    exact_lecture11.find_then_answer_failure: (
        (),
        {"num_queries": 9, "n": 5, "cutoff": 2, "alpha": 0.5, "epsilon": 1.0, "delta": 1e-6},
    ),
    exact_lecture11.find_then_answer_alpha: ((), {**BOUND, "n": 5, "cutoff": 2, "delta": 1e-6}),
    exact_lecture11.find_then_answer_alpha_exact: (
        (),
        {**BOUND, "n": 5, "cutoff": 2, "delta": 1e-6},
    ),
    exact_is_it_private.printed_loss: (
        (),
        {"num_below": 3, "cutoff": 2, "epsilon": 1.0, "delta": 1e-6},
    ),
    exact_is_it_private.repaired_loss: ((), {"num_below": 3, "cutoff": 2, "epsilon": 1.0}),
    exact_is_it_private.half_noise: ((), {"epsilon": 1.0}),
    exact_is_it_private.late_loss: ((row("sparse"),), {"num_below": 3}),
    exact_is_it_private.attack_probabilities: ((), {"num_below": 3, "epsilon": 1.0}),
    exact_is_it_private.event_probabilities: ((), {"num_below": 3, "epsilon": 1.0}),
    exact_is_it_private.chance_after: ((), {"run": 5, "num_below": 3, "epsilon": 1.0}),
    exact_is_it_private.happened_by: ((), {"run": 5, "num_below": 3, "epsilon": 1.0}),
    exact_is_it_private.chance_allowed: ((), {"run": 5, "epsilon": 1.0}),
    exact_is_it_private.repaired_chance: ((), {"num_below": 3, "epsilon": 1.0}),
    exact_is_it_private.in_shares: (
        (),
        {"cutoff": 2, "shares": [0.2, 0.5, 0.3], "epsilon": 1.0},
    ),
    exact_is_it_private.above_only: (
        (),
        {"cutoff": 2, "threshold_share": 0.2, "monotone": False, "epsilon": 1.0},
    ),
    exact_is_it_private.least_variance_share: ((), {"cutoff": 2, "monotone": False}),
    exact_is_it_private.repair_alphas: ((), {"num_queries": 9, "cutoff": 2, "beta": 0.1}),
    exact_is_it_private.alpha_of_shares: ((), {"num_queries": 9, "cutoff": 2, "beta": 0.1}),
    exact_is_it_private.delta_taken: ((), {"num_queries": 50, "epsilon": 1.0, "delta": 1e-6}),
    exact_is_it_private.log_delta_taken_at_least: (
        (),
        {"num_queries": 50, "epsilon": 1.0, "log_inverse": 14.0},
    ),
    exact_is_it_private.refuted_range: ((), {"num_queries": 50, "epsilon": 1.0}),
    linear_queries.marginals: ((UNIVERSE,), {"order": 1}),
    linear_queries.all_predicates: ((UNIVERSE,), {}),
    linear_queries.counts: ((HISTOGRAM, QUERIES), {}),
    linear_queries.fractions: ((HISTOGRAM, QUERIES), {}),
    linear_queries.fraction_sensitivity: ((), {"n": 5}),
    linear_queries.answers_alpha: ((), {**BOUND, "n": 5, "delta": 1e-6}),
    linear_queries.histogram_alpha: ((), {**BOUND, "n": 5, "universe_size": 8}),
    numeric_sparse.sparse: ((None, asking([0, 1])), SPARSE),
    numeric_sparse.numeric_sparse: ((None, asking([0, 1])), SPARSE),
    numeric_sparse.sparse_alpha: ((), {**BOUND, "cutoff": 2, "delta": 1e-6}),
    numeric_sparse.numeric_sparse_alpha: ((), {**BOUND, "cutoff": 2, "delta": 1e-6}),
    numeric_sparse.numeric_sparse_alpha_printed: ((), {**BOUND, "cutoff": 2, "delta": 1e-6}),
    numeric_sparse.numeric_sparse_beta: (
        (),
        {"num_queries": 9, "cutoff": 2, "alpha": 3.0, "epsilon": 1.0, "delta": 1e-6},
    ),
    numeric_sparse.numeric_sparse_beta_printed: (
        (),
        {"num_queries": 9, "cutoff": 2, "alpha": 3.0, "epsilon": 1.0, "delta": 1e-6},
    ),
    numeric_sparse.numeric_sparse_printed_from: ((), {"cutoff": 2, "beta": 0.1}),
    lab_numeric_sparse.number_errors: ((), {"cutoff": 2, "trials": 5, "seed": 0}),
    lab_numeric_sparse.numeric_failures: (
        (row(),),
        {"num_queries": 9, "alpha": 3.0, "trials": 5, "seed": 0},
    ),
    online_ic.online_ic: (
        (HISTOGRAM, QUERIES, LEARNER),
        {"n": 6, "cutoff": 2, "epsilon": 1.0, "delta": 0.0, "rng": rng()},
    ),
    online_ic.MultiplicativeWeights: ((), {"universe_size": 4, "alpha": 0.5}),
    online_ic.mw_updates: ((), {"universe_size": 4, "alpha": 0.5}),
    online_ic.online_ic_alpha_printed: ((), ONLINE),
    online_ic.online_ic_alpha: ((), ONLINE),
    exact_online_ic.online_ic_useful_n: ((), {**BOUND, "universe_size": 8, "delta": 0.0}),
    composition.exact_per_run: ((), COMPOSED),
    exact_game.chance_at_most: ((), {"epsilon": 1.0, "repeats": 2}),
    exact_game.best_accuracy: (("Stoddard",), {"epsilon": 1.0}),
    exact_game.convicted_by_watching: ((), {"rounds": 5, "epsilon": 1.0, "confidence": 0.9}),
    lab_game.dealt: (("Laplace",), {"rounds": 5, "repeats": 2, "epsilon": 1.0, "seed": 0}),
    lab_game.Game: (
        ("Laplace",),
        {"rounds": 5, "repeats": 2, "epsilon": 1.0, "seed": 0, "open_end": True}
        | {"said": (True, None), "stopped": False},
    ),
    lab_game.played: (
        (lambda heard: True, "Laplace"),
        {"rounds": 5, "repeats": 2, "epsilon": 1.0, "seed": 0},
    ),
    lab_choosing.guess_errors: ((2,), {}),
    lab_choosing.errors_by_order: ((2,), {}),
    lab_choosing.marginals_up_to: ((2,), {}),
    lab_choosing.predicate_errors: ((4,), {}),
    lab_choosing.online_ic_errors: ((), {"cutoff": 2, "alpha": 0.5}),
    lab_choosing.column_errors: (
        ("ALP",),
        {"codes": 1, "kind": "all", "epsilon": 1.0, "seed": 0},
    ),
    exact_choosing.dashboard_promises: ((), {**ONLINE, "delta": 1e-6}),
    exact_choosing.alarm_promises: ((), {**ONLINE, "cutoff": 2, "delta": 1e-6}),
    exact_choosing.ahead_from: (([2, 9], [0.5, 2.0]), {}),
    exact_choosing.column_bytes: ((), {**EMBED, "dimension": 100, "support": 3}),
    small_db.small_db: (
        (HISTOGRAM, QUERIES),
        {**DATABASE, "max_candidates": 10**4, "rng": rng()},
    ),
    exact_small_db.small_db_failure: ((HISTOGRAM, QUERIES), {**DATABASE, "error": 0.3}),
    exact_small_db.small_db_loss: ((HISTOGRAM, [3, 0, 2, 2], QUERIES), DATABASE),
    exact_small_db.small_db_error_exact: ((HISTOGRAM, QUERIES), {**DATABASE, "beta": 0.1}),
    exact_small_db.error_levels: ((HISTOGRAM, QUERIES), {"alpha": 1.0}),
    exact_small_db.sample_tails: ((HISTOGRAM, QUERIES), {"size": 5, "alpha": 0.1}),
    exact_small_db.small_db_alpha: ((), {"num_queries": 3, "size": 5}),
    exact_small_db.existence_alpha: ((), {"num_queries": 3, "size": 5}),
    exact_small_db.Promises: (
        (),
        {"universe_size": 8, "beta": 0.1, "epsilon": 1.0, "delta": 1e-6},
    ),
    small_db.small_db_size: ((), {"num_queries": 3, "alpha": 0.5}),
    small_db.sample_beta: ((), {"num_queries": 3, "size": 5, "alpha": 0.5}),
    small_db.small_db_error_printed: ((), {**SMALL, "n": 5}),
    small_db.small_db_error: ((), {**SMALL, "n": 5}),
    small_db.small_db_n_printed: ((), SMALL),
    small_db.small_db_n: ((), SMALL),
    sparse_mw.SparseMultiplicativeWeights: ((), {"support": 2, "alpha": 0.5}),
    sparse_mw.smw_size: ((), {"support": 2, "alpha": 0.5}),
    sparse_mw.smw_updates: ((), {"support": 2, "alpha": 0.5}),
    sparse_mw.smw_alpha_printed: ((), SMW),
    sparse_mw.smw_alpha: ((), SMW),
    sparse_mw.smw_accuracy_bare: ((), {**SMW, "delta": 1e-6}),
    toolbox.posterior: ((), {"prior": 0.5, "loss": 1.0}),
    toolbox.laplace_mechanism: (
        (None, lambda data: 1),
        {"sensitivity": 1.0, "epsilon": 1.0, "rng": rng()},
    ),
    toolbox.laplace_alpha: ((), BOUND),
    toolbox.laplace_beta: ((), {"num_queries": 9, "alpha": 3.0, "epsilon": 1.0}),
    toolbox.exponential_mechanism: (
        ([1, 2],),
        {"sensitivity": 1.0, "epsilon": 1.0, "rng": rng()},
    ),
    toolbox.exponential_mechanism_law: (([1, 2],), {"sensitivity": 1.0, "epsilon": 1.0}),
    toolbox.exponential_mechanism_shortfall: (
        (),
        {"num_candidates": 3, "sensitivity": 1.0, "beta": 0.1, "epsilon": 1.0},
    ),
    toolbox.report_noisy_max: ((None, asking([0, 1])), {"epsilon": 1.0, "rng": rng()}),
    toolbox.randomised_response: (([0, 1],), {"epsilon": 1.0, "rng": rng()}),
    toolbox.basic_composition: ((), {"runs": 3, "epsilon": 0.1}),
    toolbox.advanced_composition: ((), COMPOSED),
    toolbox.advanced_shortcut_limit: ((), {"runs": 3, "delta": 1e-6}),
    toolbox.shortcut_is_proved: ((), COMPOSED),
    toolbox.advanced_shortcut: ((), COMPOSED),
    toolbox.shortcut_pays_from: ((), {"delta": 1e-6}),
    toolbox.advanced_pays_from: ((), {"epsilon": 1.0, "delta": 1e-6}),
    composition.exact_composition_delta: ((), {"runs": 3, "epsilon": 0.1, "total": 0.2}),
    composition.exact_composition_epsilon: ((), COMPOSED),
    composition.affordable_runs: ((), {"epsilon": 0.1, "total": 0.2, "delta": 1e-6}),
    toolbox.advanced_per_run: ((), COMPOSED),
    family.run_variant: ((row(), None, asking([0, 1])), {"threshold": 0.5, "rng": rng()}),
    family.privacy_loss: ((row(),), {"monotone": False}),
    family.member: (("sparse",), {"cutoff": 2, "epsilon": 1.0, "delta": 1e-6}),
    audit.exact_audit: ((row(),), {"num_queries": 3}),
    audit.audit: (
        (lambda data, rng: rng.laplace(), 0, 1),
        {"trials": 8, "confidence": 0.9, "rng": rng(), "progress": False},
    ),
    confidence.clopper_pearson: ((1, 2), {"confidence": 0.9}),
    confidence.log_odds_interval: ((1, 2), {"confidence": 0.9}),
    confidence.quantile_interval: (([1, 2, 3],), {"beta": 0.5, "confidence": 0.1}),
    confidence.log_ratio_interval: ((1, 2, 3), {"confidence": 0.9}),
    lab_is_it_private.measured_losses: (
        (),
        {"num_below": 2, "trials": 99, "cutoff": 2, "epsilon": 1.0, "seed": 0},
    ),
    lab_is_it_private.announcements: (
        (),
        {"num_below": 2, "cut": 1.0, "trials": 99, "epsilon": 1.0, "seed": 0},
    ),
    lab_is_it_private.first_announcements: ((), {"size": 5, "seed": 0}),
    lab_is_it_private.audited: (
        (row("sparse"),),
        {"num_below": 2, "trials": 99, "epsilon": 1.0, "seed": 0},
    ),
    lab_is_it_private.published_losses: (
        (),
        {"num_below": 2, "cutoff": 2, "epsilon": 1.0, "monotone": False},
    ),
    lab_is_it_private.noisy_counts: ((), {"trials": 9, "epsilon": 1.0, "seed": 0}),
    lab_is_it_private.on_lattice: (([0.3, 1],), {"places": 5}),
    lab_is_it_private.multiples: (([0.3, 1],), {"places": 5}),
    histograms.survey_histogram: (("visit",), {}),
    histograms.survey_marginals: ((2,), {}),
    histograms.workload: (("3 marginals",), {}),
    histograms.scaled: (([1, 2],), {"n": 9}),
    histograms.scaled_survey: ((2,), {"n": 9}),
    histograms.uneven_histogram: ((UNIVERSE,), {"n": 9, "rng": rng()}),
    lab_small_db.histogram_errors: ((HISTOGRAM, QUERIES), {"trials": 9, "rng": rng()}),
    profiles.survey_profiles: (("health",), {}),
    trials.run_trials: (
        (row(), [0, 1]),
        {"threshold": 0.5, "trials": 5, "counts": [3, 1], "rng": rng()},
    ),
    trials.above_threshold_trials: (
        ([0, 1],),
        {"threshold": 0.5, "trials": 5, "epsilon": 1.0, "counts": [3, 1], "rng": rng()},
    ),
    trials.failures: ((row(),), {"num_queries": 9, "alpha": 3.0, "trials": 5, "seed": 0}),
    trials.measured_errors: ((row(), [0, 1]), {"threshold": 0.5, "trials": 5, "seed": 0}),
    exact_alp.enumerated_loss: ((), {"entries": 2, "alpha": 2.0, "epsilon": 1.0}),
    exact_alp.least_bound: ((lambda alphas: alphas, [1.0, 2.0]), {}),
    exact_alp.nearest_level: (([0.5, 2.0],), {"alpha": 2.0, "epsilon": 1.0}),
    exact_online_ic.potential_left: ((3,), {"start": 1.0, "alpha": 0.5}),
    exact_sparse_mw.has_valid_update: ((), {"mass": 0.5, "support": 2, "alpha": 0.3}),
    exact_sparse_mw.potential_run: ((), {"mass": 0.5, "weight": 0.5, "support": 2, "alpha": 0.3}),
    exact_small_db.in_bins: (([0.1, 0.9], [1, 2]), {"bins": 4}),
    lab_above_threshold.coupled_runs: (
        ([0, 1], [1, 0]),
        {"threshold": 0.5, "trials": 9, "epsilon": 1.0, "seed": 0},
    ),
    lab_above_threshold.late_noise: (([0, 1],), {"threshold": 0.5, "epsilon": 1.0, "seed": 0}),
    lab_alp.crowded_intervals: (
        ([[0.0], [1.0]],),
        {"number": 3, "sparsity": 3, "sizes": [7], **EMBED, "seed": 0},
    ),
    lab_alp.crowded_values: ((3,), {"cap": 4.0}),
    lab_alp.embed: (([1, 5], [0.0, 2.0]), {"dimension": 9, "size": 7, **EMBED, "seed": 0}),
    lab_alp.noisy_codes: ((3,), {"probability": 0.1, "seed": 0}),
    lab_alp.errors_alone: ((3.0,), {"alpha": 2.0, "epsilon": 1.0, "seed": 0}),
    lab_alp.errors_by_alpha: (
        ([1.0, 2.0],),
        {"zeros": True, "size": 9, "cap": 4.0, "alphas": [1.0, 2.0], "seed": 0},
    ),
    lab_alp.look_ups: (
        (3.0,),
        {"number": 5, "levels": 9, "alpha": 2.0, "epsilon": 1.0, "seed": 0},
    ),
    lab_alp.table_size: ((3, 4.5), {}),
    lab_lecture11.lecture11_failures: (
        (None,),
        {"num_queries": 30, "n": 5, "cutoff": 2, "alpha": [0.5], "epsilon": 1.0, "delta": 1e-6}
        | {"trials": 5, "seed": 0},
    ),
    lab_numeric_sparse.noise_by_query: (([0.5, 1.0], [BELOW]), {"cutoff": 2}),
    lab_online_ic.random_queries: ((3, "predicates"), {"num_queries": 9, "seed": 0}),
    lab_online_ic.survey_chase: ((2, "marginals"), {"alpha": 0.3}),
    lab_online_ic.survey_run: (
        (2, "predicates"),
        {"n": 99, "num_queries": 9, "cutoff": 2, "alpha": 0.3, "epsilon": 1.0, "seed": 0},
    ),
    lab_small_db.at_rates: ((np.ones(40), [0.5, 2.0]), {}),
    lab_small_db.invented_rows: ((2,), {"size": 3, "seed": 0}),
    lab_small_db.stretches: (([1, 2, 4], [0, 1, 1]), {}),
    lab_small_db.survey_draw: ((2,), {"n": 9, "alpha": 0.9, "epsilon": 1.0, "seed": 0}),
    lab_small_db.survey_sample_errors: ((2,), {"size": 3, "seed": 0}),
    lab_small_db.workload_histogram_errors: (("3 marginals",), {}),
    lab_small_db.workload_levels: (("3 marginals",), {"n": 9, "alpha": 0.9}),
    lab_sparse_mw.filling: ((), {"num_queries": 9, "support": 3, "alpha": 0.3, "seed": 0}),
    lab_sparse_mw.look_ups: (([9, None],), {"support": 3, "alpha": 0.3}),
    lab_sparse_mw.random_queries: ((), {"num_queries": 9, "support": 3, "seed": 0}),
    lab_sparse_mw.searching: ((), {"num_queries": 9}),
    lab_threshold_alp.errors_of_three: (
        ([0.0, 3.0],),
        {"repeats": 2, "dimension": 99, "size": 9, **EMBED, "seed": 0},
    ),
    lab_threshold_alp.largest_errors: (
        (),
        {"releases": 2, "dimension": 9, "sparsity": 2, "size": 7, **BOTH, "seed": 0},
    ),
    lab_threshold_alp.released_bytes: ((), {"dimension": 9, "sparsity": 2, "size": 7, **BOTH}),
    lab_threshold_alp.spread_values: ((), {"dimension": 9, "sparsity": 2, "epsilon1": 1.0}),
    lab_threshold_alp.survey_estimates: (
        ("ALP",),
        {"codes": 1, "sparsity": 4, "size": 9, **EMBED, "neighbours": "l1", "seed": 0},
    ),
    lab_threshold_alp.survey_promise: (
        ("ALP", [0, 3]),
        {"dimension": 9, "load": 0.1, **EMBED, "neighbours": "l1"},
    ),
    lab_toolbox.counts_around: ((2,), {}),
    lab_toolbox.neighbouring_counts: ((0,), {}),
    lab_toolbox.released_histograms: (
        ([5, 4],),
        {"width": 1.0, "reach": 9.0, "runs": 9, "epsilon": 1.0, "seed": 0},
    ),
    lab_toolbox.measured_log_ratios: (([5, 40], [4, 30]), {}),
    lab_toolbox.unit_noise: ((9,), {"seed": 0}),
    lab_toolbox.choices: (([0.5, 1],), {"trials": 9, "epsilon": 1.0, "seed": 0}),
    confidence.normal_interval: (([1.0, 2.0],), {}),
    confidence.student_interval: (([1.0, 2.0],), {}),
    noise.generator: ((0,), {}),
    own_mechanism.own: ((above_threshold.above_threshold,), {"threshold": 0.5, "epsilon": 1.0}),
    own_mechanism.own_failures: (
        (None, row()),
        {"num_queries": 9, "alpha": [3.0], "trials": 5, "seed": 0},
    ),
    own_mechanism.recorded_run: (
        ("above_threshold", None, asking([0, 1])),
        {"seed": 0, "threshold": 0.5, "epsilon": 1.0},
    ),
    own_mechanism.shortest: (([9, 99], None), {}),
    profiles.profile_sample: ((1,), {}),
    profiles.scattered: (([0, 3],), {}),
}
CALLS |= {
    linear_queries.Universe: ((("a", "b"),), {}),
    linear_queries.LinearQueries: ((["q"], [[0, 1]]), {}),
    linear_queries.predicates: ((UNIVERSE, {"a": lambda rows: rows["a"]}), {}),
    family.Variant: (("row", 2.0, 4.0, True, "fresh", 2, 3.0), {}),
    noise.RecordedNoise: ((0,), {}),
    noise.GivenNoise: (([1.0],), {}),
    multisets.multisets: ((4, 3), {"num_queries": 2}),
    LEARNER.evaluate: (([0, 0, 1, 1],), {}),
    LEARNER.update: (([0, 0, 1, 1], 0.5), {}),
    SPARSE_LEARNER.evaluate: (({"a": 1.0},), {}),
    SPARSE_LEARNER.update: (({"a": 1.0}, 0.5), {}),
}
# Parts of what is above, which checks before it calls them: no demo and no check takes them.
PARTS = {
    alp: {"alp1_estimator", "check_sizes", "AlpRelease"},
    threshold_alp: {"threshold_parts", "ThresholdAlpRelease"},
    lab_alp: {"Embedding", "LookUps", "crowded_errors", "small_release", "NoisyCodes"},
    lab_threshold_alp: {"array_bytes", "small_threshold_release"},
    contracts: {"Range", "Kind", "OneOf", "Stream", "check", "check_single", "shown"},
    hashing: {
        "check_hashes", "check_embedding", "draw_hashes", "hash_places", "hashes_apart", "set_bits",
        "random_bits", "look_up",
    },
    integral: {
        "complement", "first_above", "log_cdf", "log_density", "log_integral", "log_within",
        "next_above",
    },
    audit: {"judge"},
    family: {"as_count"},
    toolbox: {"shortcut_limit"},
    transcripts: {"as_stream"},
    worst_stream: {"worst_runs", "unit_row", "in_units"},
    lab_above_threshold: {"is_late", "sampled_noise"},
    lab_numeric_sparse: {"check_room"},
    own_mechanism: {"runs_in_step"},
    lab_lecture11: {"of_counts"},
    lecture11_sparse: {"repaired_error"},
    linear_queries: {"check_rows"},
    multisets: {"log_multisets", "all_multisets"},
    numeric_sparse: {
        "numeric_error", "sparse_scale", "numeric_split", "check_sparse_budget",
        "check_numeric_budget",
    },
    online_ic: {"one_at_a_time", "share", "printed_alpha", "repaired_alpha_for"},
    exact_online_ic: {"worst_query", "Chase", "chase"},
    lab_online_ic: {"Run"},
    lab_sparse_mw: {"Filling", "Element", "element", "searches"},
    products: {"one_thread_product"},
    small_db: {"scored", "check_database"},
    exact_small_db: {"ErrorLevels", "are_all_predicates", "changes"},
    exact_game: {"level_stream", "best_after_passing", "transcript_laws"},
    lab_small_db: {"every_marginal"},
    vectors: {
        "check_dimension", "as_numbers", "pieces", "read_in_pieces", "check_vector", "positions",
        "surviving_zeros", "binomial",
    },
    trials: {"laplace", "fill_above", "no_answers"},
}  # fmt: skip
TESTED_ELSEWHERE = {
    "Statement", "ParameterError", "checked_numbers", "checked_arrays", "theorem", "Release",
    "StructureFull", "Answer", "Row", "Kept", "Worst", "Event", "Audit",
    "Query", "health_queries", "load_survey", "Attribute", "Code", "Transcripts",
    "show_code", "Draw",
    "health_values", "clinic", "shared_states", "errors_so_far",  # without an argument
    "use_own_data",  # in a Python of its own
    "as_fractions", "rated", "excellent", "coinsurance",  # of queries and rows of the survey
}  # fmt: skip


def public():
    for path in sorted(
        path for room in ("", "support/", "exact/", "lab/") for path in PACKAGE.glob(f"{room}*.py")
    ):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts))
        for name, value in vars(module).items():
            own = getattr(value, "__module__", None) == module.__name__
            if own and callable(value) and not name.startswith("_"):
                yield module, name, value


def test_every_public_function_is_here():
    for module, name, value in public():
        alone = name in PARTS.get(module, ()) or name in TESTED_ELSEWHERE
        assert (value in CALLS) != alone, f"{module.__name__}.{name}"


DRAWN = {"course_lib.exact.integral.log_density": "a density, in the pictures of 00"}
DRAWN |= {"course_lib.numeric_sparse.sparse_scale": "σ, in the pictures and checks of 02"}


def test_no_demo_and_no_check_takes_a_part():
    parts = {f"{module.__name__}.{name}" for module, names in PARTS.items() for name in names}
    taken = {name for room in ("demos", "checks") for path in files(room) for name in used(path)}
    assert parts & taken == DRAWN.keys()


def numbers(result):
    """Every float in what a function returned, streams followed for some steps."""
    if inspect.isgenerator(result):
        result = [answer for answer, _ in zip(result, range(4), strict=False)]
    if isinstance(result, (list, tuple)):
        return [x for part in result for x in numbers(part)]
    if isinstance(result, np.ndarray) and result.dtype.kind in "fc":
        return result.ravel().tolist()
    return [result] if isinstance(result, float) else []


def changed(function):
    """The call with one argument after the other exchanged."""
    positional, named = CALLS[function]
    names = inspect.signature(function).parameters
    for i, (place, usual) in enumerate(zip(names, positional, strict=False)):
        for value in STRANGE + EXTREME:
            yield place, usual, value, [*positional[:i], value, *positional[i + 1 :]], named
    for place, usual in named.items():
        for value in STRANGE + EXTREME:
            yield place, usual, value, positional, named | {place: value}


FREE = {"monotone", "progress", "zero", "zeros", "open_end", "stopped"}  # any value is true or not
FREE |= {"conditions", "mechanism", "one_run"}  # code


def is_free(place, usual):
    """Whether it may be any value, as what nothing looks at (None here), or is code."""
    code = callable(usual) or isinstance(usual, list) and all(map(callable, usual))
    return place in FREE or place == "data" and usual is None or code


A_QUERY = "query must"  # one of a stream, or what it returned
MAY_BE_NAN = {  # where its docstring says so
    lab_toolbox.measured_log_ratios,
    lab_alp.crowded_intervals,
    lab_numeric_sparse.noise_by_query,
    exact_alp.enumerated_loss,
}


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_bad_input_is_refused_by_name_or_gives_no_nan(function):
    positional, named = CALLS[function]
    names = [*inspect.signature(function).parameters, *named, "cap"]  # Threshold's level is a cap
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = numbers(function(*positional, **named))
        assert function in MAY_BE_NAN or not any(map(math.isnan, said))
        for place, usual, value, arguments, others in changed(function):
            if is_free(place, usual):
                continue
            try:
                found = numbers(function(*arguments, **others))
            except ParameterError as error:
                said = str(error)
                blamed = [place] if value in STRANGE else [*names, "values"]  # of a single value
                found = (re.search(rf"\b{name}\b", said) for name in [*blamed, A_QUERY])
                assert any(found), (place, said)
                assert value not in STRANGE or "got " in said, said
            except Exception as error:
                raise AssertionError(f"{place} = {contracts.shown(value)}: {error!r}") from error
            else:
                right = function in MAY_BE_NAN or not any(map(math.isnan, found))
                assert right, f"{place} = {contracts.shown(value)}"


@pytest.mark.parametrize(
    "index",
    ["3", b"1", None, [[1], [2, 3]], 10**400, 10**5000, -1, 9, 0.5],
    ids=contracts.shown,
)
def test_a_release_is_read_at_indices_alone(index):
    positional, named = CALLS[alp.alp_projection]
    release = alp.alp_projection(*positional, **named)
    with pytest.raises(ParameterError, match="indices must be"):
        release.estimate(index)
