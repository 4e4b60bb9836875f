"""Sparse and NumericSparse (Dwork & Roth, Algorithms 2 and 3; on Ligett's slides in words)."""

import numpy as np

from course_lib.support.answers import ABOVE, BELOW
from course_lib.support.contracts import (
    NOT_NEGATIVE,
    ParameterError,
    checked_numbers,
    finite,
    shown,
    theorem,
)
from course_lib.toolbox import shortcut_limit


def sparse_scale(cutoff, epsilon, delta):
    """σ of Sparse: 2c/ε, or √(32 c ln(1/δ))/ε if δ > 0; c runs of AboveThreshold share ε."""
    basic = np.equal(delta, 0)
    advanced = np.sqrt(32 * cutoff * np.log(1 / (delta + basic)))  # 0, not used, where δ is 0
    return np.where(basic, 2.0 * cutoff, advanced) / epsilon


def numeric_split(epsilon, delta):
    """ε1 for finding the queries, ε2 for their values; with noise σ(ε2) these cost only ε2/2."""
    parts = np.where(np.equal(delta, 0), 8, np.sqrt(512))
    return epsilon * (parts / (parts + 1)), epsilon * (2 / (parts + 1))


def check_sparse_budget(cutoff, epsilon, delta):
    """Refuse an epsilon that, for δ > 0, neither composition theorem proves for c runs with σ."""
    _check_proved(cutoff, epsilon, delta, parts=1)


def check_numeric_budget(cutoff, epsilon, delta):
    """The same for NumericSparse: c steps, each a run and its number, with the σ of δ/2."""
    _check_proved(cutoff, epsilon, delta, parts=2)


def _check_proved(cutoff, epsilon, delta, parts):
    """Each of c steps has ε/√(8 c ln(parts/δ)); Theorem 3.20, at δ, is solved for ε."""
    basic = np.equal(delta, 0)  # then σ is that of basic composition, and any delta will do here
    known = np.where(basic, 0.5, delta)
    limit = shortcut_limit(cutoff, known / parts, known)
    proved = basic | (cutoff <= 8 * np.log(parts / known)) | (epsilon <= limit)
    if not np.all(proved):
        raise ParameterError(
            f"epsilon must be at most {np.where(proved, np.inf, limit).min():.6g} for "
            f"cutoff = {shown(cutoff)} and delta = {shown(delta)}: "
            f"that the noise keeps a larger one is not proved here, got {shown(epsilon)}"
        )


@checked_numbers(also=check_sparse_budget)
def sparse(data, queries, *, threshold, cutoff, epsilon, delta=0.0, rng):
    """AboveThreshold, started again with a new noisy threshold after each ABOVE, cutoff times.

    Privacy: (epsilon, delta)-differentially private for queries of sensitivity 1: cutoff runs of
    AboveThreshold, composed. For delta > 0 an epsilon that is not proved is refused.
    Accuracy: (alpha, beta) with alpha of sparse_alpha, if at most cutoff values reach
    threshold - alpha and, if cutoff do, the last of them is the last query (Theorem 3.26).
    Notebook: 02_numeric_sparse.
    """
    scale = sparse_scale(cutoff, epsilon, delta)
    noisy_threshold = threshold + rng.laplace(scale=scale)
    count = 0
    for query in queries:
        noise = rng.laplace(scale=2 * scale)
        if finite(query(data)) + noise >= noisy_threshold:
            yield ABOVE
            count += 1
            if count == cutoff:
                return
            noisy_threshold = threshold + rng.laplace(scale=scale)
        else:
            yield BELOW


@checked_numbers(also=check_numeric_budget)
def numeric_sparse(data, queries, *, threshold, cutoff, epsilon, delta=0.0, rng):
    """Sparse, but in place of ABOVE the value itself, with fresh noise, as a float.

    Privacy: (epsilon, delta)-differentially private for queries of sensitivity 1, also if released
    values steer later queries: epsilon1 for finding the queries and epsilon2 / 2 for their values
    add up to epsilon. For delta > 0 each has delta / 2, and an epsilon not proved is refused.
    Accuracy: (alpha, beta) with alpha of numeric_sparse_alpha, under the condition of sparse
    (Theorem 3.28, corrected).
    Notebook: 02_numeric_sparse.
    """
    epsilon1, epsilon2 = numeric_split(epsilon, delta)
    scale1, scale2 = (sparse_scale(cutoff, part, delta / 2) for part in (epsilon1, epsilon2))
    noisy_threshold = threshold + rng.laplace(scale=scale1)
    count = 0
    for query in queries:
        value = finite(query(data))
        noise = rng.laplace(scale=2 * scale1)
        if value + noise >= noisy_threshold:
            yield value + rng.laplace(scale=scale2)
            count += 1
            if count == cutoff:
                return
            noisy_threshold = threshold + rng.laplace(scale=scale1)
        else:
            yield BELOW


@theorem(
    "Theorem 3.26",
    source="Dwork & Roth",
    latex=r"\alpha = \frac{8c\,(\ln k + \ln(2c/\beta))}{\varepsilon}"
    r"\ \text{ or, if } \delta > 0,\ "
    r"\frac{(\ln k + \ln(2c/\beta))\sqrt{512\,c\ln(1/\delta)}}{\varepsilon}",
)
def sparse_alpha(*, num_queries, cutoff, beta, epsilon, delta=0.0):
    """The error bound alpha that Sparse keeps except with probability beta."""
    check_sparse_budget(cutoff, epsilon, delta)
    logs = np.log(num_queries) + np.log(2 * cutoff / beta)
    return 4 * sparse_scale(cutoff, epsilon, delta) * logs


def numeric_error(num_queries, cutoff, beta, epsilon, delta):
    """The error of NumericSparse for any real cutoff, as 06_online_ic needs it."""
    _, epsilon2 = numeric_split(epsilon, delta)
    for_numbers = sparse_scale(cutoff, epsilon2, delta / 2) * np.log(2 * cutoff / beta)
    return np.maximum(_printed_error(num_queries, cutoff, beta, epsilon, delta), for_numbers)


def _printed_error(num_queries, cutoff, beta, epsilon, delta):
    epsilon1, _ = numeric_split(epsilon, delta)
    logs = np.log(num_queries) + np.log(4 * cutoff / beta)
    return 4 * sparse_scale(cutoff, epsilon1, delta / 2) * logs


@theorem(
    "Theorem 3.28, corrected",
    source="Ligett, Sparse Vector; corrected here",
    latex=r"\alpha = \frac{9c\,(\ln k + \ln(4c/\beta))}{\varepsilon}"
    r"\ \text{ or, if } \delta > 0,\ \frac{(\sqrt{512}+1)\sqrt{c\ln(2/\delta)}}{\varepsilon}"
    r"\max\left(\ln k + \ln\frac{4c}{\beta},\ \sqrt8\,\ln\frac{2c}{\beta}\right)",
)
def numeric_sparse_alpha(*, num_queries, cutoff, beta, epsilon, delta=0.0):
    """The error bound alpha that NumericSparse keeps except with probability beta."""
    check_numeric_budget(cutoff, epsilon, delta)
    return numeric_error(num_queries, cutoff, beta, epsilon, delta)


@theorem(
    "Theorem 3.28, as printed",
    source="Ligett, Sparse Vector",
    latex=r"\alpha = \frac{9c\,(\ln k + \ln(4c/\beta))}{\varepsilon}"
    r"\ \text{ or, if } \delta > 0,\ "
    r"\frac{(\ln k + \ln\frac{4c}{\beta})\sqrt{c\ln\frac2\delta}\,(\sqrt{512}+1)}{\varepsilon}",
)
def numeric_sparse_alpha_printed(*, num_queries, cutoff, beta, epsilon, delta=0.0):
    """The alpha that the theorem prints; for delta > 0 and short streams it is too small."""
    return _printed_error(num_queries, cutoff, beta, epsilon, delta)


@theorem(
    "Theorem 3.28, corrected, solved for β",
    source="Ligett, Sparse Vector; corrected here",
    latex=r"\beta = \min\left(1,\ \max\left(4ck\,e^{-\alpha/4\sigma(\varepsilon_1)},\ "
    r"2c\,e^{-\alpha/\sigma(\varepsilon_2)}\right)\right)",
    alpha=NOT_NEGATIVE,
)
def numeric_sparse_beta(*, num_queries, cutoff, alpha, epsilon, delta=0.0):
    """The failure probability that the theorem promises at error alpha."""
    _, epsilon2 = numeric_split(epsilon, delta)
    of_numbers = 2 * cutoff * np.exp(-alpha / sparse_scale(cutoff, epsilon2, delta / 2))
    printed = numeric_sparse_beta_printed(
        num_queries=num_queries, cutoff=cutoff, alpha=alpha, epsilon=epsilon, delta=delta
    )
    return np.maximum(printed, np.minimum(1, of_numbers))


@theorem(
    "Theorem 3.28, as printed, solved for β",
    source="Ligett, Sparse Vector",
    latex=r"\beta = \min\left(1,\ 4ck\,e^{-\alpha/4\sigma(\varepsilon_1)}\right)",
    alpha=NOT_NEGATIVE,
)
def numeric_sparse_beta_printed(*, num_queries, cutoff, alpha, epsilon, delta=0.0):
    """The same for the theorem as printed, which forgets the numbers."""
    epsilon1, _ = numeric_split(epsilon, delta)
    scale = sparse_scale(cutoff, epsilon1, delta / 2)
    return np.minimum(1, 4 * cutoff * num_queries * np.exp(-alpha / (4 * scale)))


@theorem(
    "Theorem 3.28, as printed, is enough",
    source="derived here",
    latex=r"k \ge \tfrac12\left(\frac{2c}{\beta}\right)^{\sqrt8 - 1}",
)
def numeric_sparse_printed_from(*, cutoff, beta):
    """The k from which on, for delta > 0, the printed alpha is the corrected one."""
    with np.errstate(over="ignore"):  # an infinite k is one that no stream reaches
        return (2 * cutoff / beta) ** (np.sqrt(8) - 1) / 2
