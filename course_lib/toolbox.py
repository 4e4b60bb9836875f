"""What the lectures take for granted: noise on a count, a private choice, and composition.

The numbers of theorems are those of Dwork and Roth, The Algorithmic Foundations of Differential
Privacy (2014).
"""

import numpy as np
from scipy.optimize.elementwise import find_root
from scipy.special import expit, logit, softmax

from course_lib.support.contracts import (
    NOT_NEGATIVE,
    PROPER,
    ParameterError,
    checked_arrays,
    checked_numbers,
    finite,
    shown,
    theorem,
)

BOOK = "Dwork & Roth"


@theorem(
    "Bayes’ rule for two databases",
    source="derived here",
    latex=r"\frac{\Pr[D \mid y]}{\Pr[D' \mid y]} = e^{\mathrm{loss}}\,\frac{\Pr[D]}{\Pr[D']}",
)
def posterior(*, prior, loss):
    """How likely D is after an output with this privacy loss, where only D and D' are possible."""
    return expit(logit(prior) + loss)


@checked_numbers
def laplace_mechanism(data, query, *, sensitivity=1.0, epsilon, rng):
    """Release the value of one query with Laplace noise.

    Privacy: epsilon-differentially private if the query changes by at most sensitivity.
    Accuracy: within ln(1/beta) sensitivity / epsilon except with probability beta (Theorem 3.8).
    Notebook: 00_start_here.
    """
    return finite(query(data)) + rng.laplace(scale=sensitivity / epsilon)


@theorem(
    "Theorem 3.8, without the union bound",
    source="derived here",
    latex=r"\alpha = -\ln\left(1 - (1-\beta)^{1/k}\right)/\varepsilon",
)
def laplace_alpha(*, num_queries, beta, epsilon):
    """The alpha within which all of k answers with noise Lap(1/epsilon) lie, except with beta."""
    return -np.log(-np.expm1(np.log1p(-beta) / num_queries)) / epsilon


@theorem(
    "Theorem 3.8, without the union bound, solved for β",
    source="derived here",
    latex=r"\beta = 1 - \left(1 - e^{-\varepsilon\alpha}\right)^k",
    alpha=NOT_NEGATIVE,
)
def laplace_beta(*, num_queries, alpha, epsilon):
    """The probability that one of k answers with noise Lap(1/epsilon) is off by more than alpha."""
    with np.errstate(divide="ignore"):
        log_within = np.log1p(-np.exp(-epsilon * alpha))
    return 0.0 - np.expm1(num_queries * log_within)


@checked_numbers
def exponential_mechanism(utilities, *, sensitivity=1.0, epsilon, rng):
    """Choose an index with probability proportional to exp(epsilon utility / (2 sensitivity)).

    Privacy: epsilon-differentially private if no utility changes by more than sensitivity.
    Accuracy: within exponential_mechanism_shortfall of the best (Corollary 3.12).
    Notebook: 00_start_here.
    """
    if np.ndim(utilities) != 1:
        raise ParameterError(f"utilities must be a list of numbers, got {shown(utilities)}")
    law = exponential_mechanism_law(utilities, sensitivity=sensitivity, epsilon=epsilon)
    return int(rng.choice(len(law), p=law))


@checked_arrays
def exponential_mechanism_law(utilities, *, sensitivity=1.0, epsilon):
    """The probability of each index (along the last axis) under the exponential mechanism."""
    below_best = utilities - utilities.max(axis=-1, keepdims=True)
    return softmax(epsilon * below_best / (2 * sensitivity), axis=-1)


@theorem(
    "Corollary 3.12",
    source=BOOK,
    latex=r"\Pr\left[u \le \mathrm{OPT} - \frac{2\Delta u}{\varepsilon}"
    r"\left(\ln|R| + \ln\frac1\beta\right)\right] \le \beta",
)
def exponential_mechanism_shortfall(*, num_candidates, sensitivity=1.0, beta, epsilon):
    """How far below the best utility the choice lies at most, except with probability beta."""
    return 2 * sensitivity / epsilon * (np.log(num_candidates) - np.log(beta))


@checked_numbers
def report_noisy_max(data, queries, *, epsilon, rng):
    """The index of the query whose noisy value is the largest; the value itself stays secret.

    Privacy: epsilon-differentially private for queries of sensitivity 1. Counts all move the same
    way when a row comes or goes; for them Lap(1/epsilon) is enough.
    Accuracy: within 4 ln(k/beta) / epsilon of the best except with probability beta (union bound).
    Notebook: 00_start_here.
    """
    noisy = [finite(query(data)) + rng.laplace(scale=2 / epsilon) for query in queries]
    if not noisy:
        raise ParameterError("queries must not be empty")
    return int(np.argmax(noisy))


@checked_numbers
def randomised_response(bits, *, epsilon, rng):
    """Flip each bit with probability 1 / (1 + e^epsilon).

    Privacy: epsilon-differentially private when one bit is replaced; nobody has to be trusted with
    the bits, for each is flipped on its own.
    Accuracy: (mean - p) / (1 - 2p), p the probability of a flip, is unbiased for the true mean.
    Notebook: 00_start_here.
    """
    bits = np.asarray(bits, dtype=bool)
    return bits ^ (rng.random(bits.shape) < expit(-epsilon))


@theorem("Theorem 3.16", source=BOOK, latex=r"\varepsilon = c\,\varepsilon_0")
def basic_composition(*, runs, epsilon):
    """The total epsilon of `runs` runs of epsilon each."""
    return runs * epsilon


@theorem(
    "Theorem 3.20",
    source=BOOK,
    latex=r"\varepsilon = \varepsilon_0\big(\sqrt{2c\ln(1/\delta)} + c(e^{\varepsilon_0}-1)\big)",
    delta=PROPER,
)
def advanced_composition(*, runs, epsilon, delta):
    """The total epsilon, at this delta, of `runs` runs of epsilon each."""
    return _advanced(runs, epsilon, delta)


@np.errstate(over="ignore")  # an infinite total is one that no budget pays for
def _advanced(runs, epsilon, delta):
    return epsilon * (np.sqrt(2 * runs * np.log(1 / delta)) + runs * np.expm1(epsilon))


@theorem(
    "Theorem 3.20, solved for the shortcut",
    source="derived here",
    latex=r"\varepsilon \le \sqrt{8cL}\,\ln\left(1+\sqrt{2L/c}\right),\quad L = \ln(1/\delta)",
    delta=PROPER,
)
def advanced_shortcut_limit(*, runs, delta):
    """The largest total epsilon for which Theorem 3.20 proves that advanced_shortcut keeps it."""
    return shortcut_limit(runs, delta, delta)


def shortcut_limit(runs, spent, delta):
    """The same if each run has epsilon / sqrt(8 runs ln(1/spent)) and the total may have delta."""
    inner, outer = np.log(1 / spent), np.log(1 / delta)
    room = (np.sqrt(8 * inner) - np.sqrt(2 * outer)) / runs**0.5
    return np.sqrt(8 * runs * inner) * np.log1p(room)


@checked_arrays(delta=PROPER)
def shortcut_is_proved(*, runs, epsilon, delta):
    """Whether basic or advanced composition proves that advanced_shortcut keeps the total epsilon.

    Basic composition proves it for every epsilon if runs <= 8 ln(1/delta), and Theorem 3.20 up to
    advanced_shortcut_limit. Beyond both it may hold or fail: exact_composition_delta tells.
    """
    few = runs <= 8 * np.log(1 / delta)
    return few | (epsilon <= advanced_shortcut_limit(runs=runs, delta=delta))


@theorem(
    "Corollary 3.21",
    source=BOOK,
    latex=r"\varepsilon_0 = \varepsilon/\sqrt{8c\ln(1/\delta)}",
    delta=PROPER,
)
def advanced_shortcut(*, runs, epsilon, delta):
    """An epsilon for each of `runs` runs that keeps the total; refused where that is not proved.

    The book states it for a total below 1.
    """
    proved = shortcut_is_proved(runs=runs, epsilon=epsilon, delta=delta)
    if not np.all(proved):
        limit = np.where(proved, np.inf, advanced_shortcut_limit(runs=runs, delta=delta)).min()
        raise ParameterError(
            f"epsilon must be at most {limit:.6g} for runs = {shown(runs)} and "
            f"delta = {shown(delta)}: beyond that it is not proved here that the shortcut keeps "
            f"the total, got {shown(epsilon)}"
        )
    return epsilon / np.sqrt(8 * runs * np.log(1 / delta))


@checked_arrays(delta=PROPER)
def advanced_per_run(*, runs, epsilon, delta):
    """The largest epsilon for each of `runs` runs that Theorem 3.20 lets pass with this total."""

    def excess(per_run, runs, epsilon, delta):
        return _advanced(runs, per_run, delta) - epsilon

    alone = epsilon / np.sqrt(2 * runs * np.log(1 / delta)), np.sqrt(epsilon / runs)
    # at the root one of the two terms is half of epsilon or more, and neither is more than epsilon
    bracket = (
        np.minimum(np.minimum(*alone) / 2, 0.5),
        np.minimum(np.minimum(*alone), 1 + np.log1p(epsilon / runs)),
    )
    return find_root(excess, bracket, args=(runs, epsilon, delta)).x[()]


@theorem("Corollary 3.21 pays", source="derived here", latex=r"c > 8\ln(1/\delta)", delta=PROPER)
def shortcut_pays_from(*, delta):
    """The smallest number of runs to each of which the shortcut gives more than epsilon / runs."""
    return np.floor(8 * np.log(1 / delta)) + 1


@theorem(
    "Theorem 3.20 pays",
    source="derived here",
    latex=r"\sqrt{2\ln(1/\delta)/c} + e^{\varepsilon/c} - 1 < 1",
    delta=PROPER,
)
def advanced_pays_from(*, epsilon, delta):
    """The smallest number of runs to each of which Theorem 3.20 gives more than epsilon / runs."""
    log_inverse = np.log(1 / delta)

    def excess(runs, epsilon, log_inverse):
        return np.sqrt(2 * log_inverse / runs) + np.expm1(epsilon / runs) - 1

    # where one of the two terms is above 1 alone, and where each of them is below a half
    bracket = (
        np.maximum(1.99 * log_inverse, 1.4 * epsilon),
        np.maximum(8.01 * log_inverse, 2.5 * epsilon),
    )
    return np.floor(find_root(excess, bracket, args=(epsilon, log_inverse)).x)[()] + 1
