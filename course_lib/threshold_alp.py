"""Threshold-ALP (Aumüller, Lebeda, Pagh, Section 5): Threshold for large entries, ALP below.

Vectors and neighbours are those of ALP; the neighbours are always "l1".
"""

import math
from dataclasses import dataclass

import numpy as np

from course_lib.alp import (
    DERIVED,
    SOURCE,
    AlpRelease,
    alp_expected_error,
    alp_projection,
    alp_space,
)
from course_lib.support.contracts import (
    NOT_NEGATIVES,
    ParameterError,
    Range,
    checked_numbers,
    theorem,
)
from course_lib.support.release_files import Release
from course_lib.support.vectors import (
    Kept,
    check_vector,
    positions,
    surviving_zeros,
)

_MOST_KEPT = 2**26
_DIMENSION = Range(
    "a whole number greater than 2, where ln(d/2) > 0, up to 2**63",
    lambda x: (x > 2) & (x <= 2.0**63),
    whole=True,
)


def _check_threshold(indices, values, dimension, level, epsilon):
    check_vector(indices, values, dimension)
    if dimension * _survival(level, epsilon) > _MOST_KEPT:
        raise ParameterError(
            f"level must keep at most {_MOST_KEPT:,} zeros in expectation, got {level:g}: "
            f"dimension = {dimension}, epsilon = {epsilon:g}"
        )


def _survival(level, epsilon):
    """The chance that the noise of a zero reaches the level."""
    return math.exp(-level * epsilon) / 2


@checked_numbers(values=None, also=_check_threshold)
@np.errstate(over="ignore")  # see alp_projection
def threshold_release(indices, values, *, dimension, level, epsilon, rng):
    """Algorithm 6: noise on every entry of the vector, and only what reaches the level is kept.

    Privacy: epsilon-differentially private: the Laplace mechanism, then post-processing. (Lemma
    5.1, which the excerpt only quotes.)
    Accuracy: threshold_error. An entry well below the level is lost, however large epsilon is.
    Time and memory are in the entries given and kept, not in the dimension.
    Notebook: 09_threshold_alp.
    """
    places = positions(indices)
    noisy = np.asarray(values, dtype=float) + rng.laplace(scale=1 / epsilon, size=len(places))
    kept = noisy >= level
    zeros = surviving_zeros(places, dimension, _survival(level, epsilon), rng)
    above = level + rng.exponential(scale=1 / epsilon, size=len(zeros))
    return Kept.sorted(np.append(places[kept], zeros), np.append(noisy[kept], above))


@theorem(
    "Lemma 5.2, the level",
    source=SOURCE,
    latex=r"t = \frac{\ln(d/2)}{\varepsilon}:\quad \Pr[\mathrm{Lap}(1/\varepsilon) \ge t]"
    r" = \frac1d",
    dimension=_DIMENSION,
)
def threshold_level(*, dimension, epsilon):
    """The level that a zero entry reaches with probability 1/dimension."""
    return np.log(dimension / 2) / epsilon


@checked_numbers(values=None)  # what it calls checks them
def threshold_alp_projection(
    indices, values, *, dimension, sparsity, size, alpha, epsilon1, epsilon2, rng
):
    """Algorithm 7: Threshold for the large entries, ALP below its level for the others.

    Privacy: (epsilon1 + epsilon2)-differentially private, by composition (Lemma 5.3).
    Accuracy: threshold_alp_expected_error, if at most `sparsity` entries are positive (Lemma 5.5);
    for more see alp_projection.
    Notebook: 09_threshold_alp.
    """
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    kept = threshold_release(
        indices, values, dimension=dimension, level=level, epsilon=epsilon1, rng=rng
    )
    embedding = alp_projection(
        indices, values, dimension=dimension, sparsity=sparsity, size=size, cap=level, alpha=alpha,
        epsilon=epsilon2, rng=rng,
    )  # fmt: skip
    return ThresholdAlpRelease(kept, epsilon1, embedding)


@dataclass(frozen=True, eq=False)
class ThresholdAlpRelease(Release):
    """What Threshold-ALP publishes: the entries that Threshold kept, and an embedding."""

    kept: Kept
    epsilon1: float
    embedding: AlpRelease

    @property
    def bits(self):
        return self.embedding.bits

    def estimate(self, index_or_indices):
        """Algorithm 8: the value kept, where there is one, else the embedding's estimate.

        Time for an index: O(log^2 d), as for AlpRelease with a cap of ln(d/2) / epsilon1, and a
        binary search among the entries kept. Lemma 5.5 has O(log d).
        """
        estimates = self.embedding.estimate(index_or_indices)
        values = self.kept.look_up(positions(index_or_indices), otherwise=estimates)
        return values if np.ndim(values) else float(values)

    def fields(self):
        kept = {"kept_indices": self.kept.indices, "kept_values": self.kept.values}
        return self.embedding.fields() | kept | {"epsilon1": self.epsilon1}

    @classmethod
    def of_fields(cls, *, kept_indices, kept_values, epsilon1, **embedding):
        return cls(Kept(kept_indices, kept_values), epsilon1, AlpRelease(**embedding))

    def check_announced(self):
        """As for ALP; and at most 2**26 entries that Threshold kept are read."""
        super().check_announced()
        self.embedding.check_announced()
        level = threshold_level(dimension=self.embedding.dimension, epsilon=self.epsilon1)
        cap = self.embedding.cap
        if not math.isclose(level, cap):
            raise ParameterError(f"cap must be the level of Threshold, {level:g}, got {cap:g}")
        if max(array.nbytes for array in self.kept) > 8 * _MOST_KEPT:
            raise ParameterError(f"entries must be at most {_MOST_KEPT:,}")

    def check_contents(self):
        self.embedding.check_contents()
        self.kept.check(self.embedding.dimension, self.embedding.cap)


def threshold_parts(values, level, epsilon):
    """For each value: the chance that it is not kept, and the noise expected in what is kept."""
    gap = level - values  # the noise that lifts the value to the level
    tail = np.exp(-np.abs(gap) * epsilon) / 2
    beyond = tail * (np.abs(gap) + 1 / epsilon)  # E|noise| on the far side of the gap
    short = gap >= 0  # at 0 either form is right
    lost = np.where(short, 1 - tail, tail)
    return lost, np.where(short, beyond, 1 / epsilon - beyond)


@theorem(
    "The error of Threshold",
    source="derived here, exact",
    latex=r"\mathbb E\,|x - \tilde v| = x\,\Pr[\eta < t - x]"
    r" + \mathbb E\left[|\eta|\,;\ \eta \ge t - x\right]",
    values=NOT_NEGATIVES,
)
def threshold_error(values, *, level, epsilon):
    """The expected error of entries of these values after Threshold."""
    lost, noise = threshold_parts(values, level, epsilon)
    return values * lost + noise


@theorem(
    "Lemma 5.5, an entry",
    source=DERIVED,
    latex=r"\mathbb E\,|x - \tilde x| \le \left(\max(0, x - t) + E(\varepsilon_2)\right)"
    r"\Pr[\eta < t - x] + \mathbb E\left[|\eta|\,;\ \eta \ge t - x\right],"
    r"\quad E \text{ of Lemma 4.14}",
    values=NOT_NEGATIVES,
)
def threshold_alp_expected_error(values, *, dimension, load=0.0, alpha, epsilon1, epsilon2):
    """A bound on the expected error of entries of these values after Threshold-ALP."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    lost, noise = threshold_parts(values, level, epsilon1)
    embedded = alp_expected_error(load=load, alpha=alpha, epsilon=epsilon2)
    return (np.maximum(0, values - level) + embedded) * lost + noise


@theorem(
    "Lemma 5.5, the largest error",
    source=DERIVED,
    latex=r"\mathbb E\max_i|x_i - \tilde x_i| \le \frac{\ln(d/2) + \ln d + 1}{\varepsilon_1}"
    r" + \frac{\alpha}{\varepsilon_2}",
)
def threshold_alp_maximum_error(*, dimension, alpha, epsilon1, epsilon2):
    """A bound on the expected largest error of all entries after Threshold-ALP."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    return level + (np.log(dimension) + 1) / epsilon1 + alpha / epsilon2


@theorem(
    "Lemma 5.4, for our release",
    source=DERIVED,
    latex=r"\text{at most } 128\,(k + 1) + m\,(s + 64\lceil\log_2 s\rceil)"
    r" \text{ bits in expectation},\quad"
    r" m = \left\lceil\frac{\varepsilon_2\ln(d/2)}{\alpha\varepsilon_1}\right\rceil",
)
def threshold_alp_space(*, dimension, sparsity, size, alpha, epsilon1, epsilon2):
    """At most how many bits Threshold-ALP takes on average: 64 for an index or a value it keeps.

    The lemma has O(k log(d + u)) with high probability; a value of any size u takes 64 bits here.
    """
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    return 128 * (sparsity + 1) + alp_space(size=size, cap=level, alpha=alpha, epsilon=epsilon2)
