"""ALP and Threshold-ALP (Aumüller, Lebeda, Pagh): private sparse vectors, small and fast to read.

A vector with entries >= 0 is given by the indices of its entries and their values. Neighbours
differ by at most 1 in the sum of absolute differences ("l1"). Where a person is one row of a
histogram they differ by 1 in one entry ("histogram"), and less noise is enough.
"""

import math

import numpy as np
from tqdm import tqdm

from course_lib.alp_bounds import (
    alp_equation1,
    alp_expected_error,
    alp_levels,
    alp_loss,
    alp_scale,
    alp_space,
    alp_tail,
    alp_zero_error,
    threshold_alp_expected_error,
    threshold_alp_maximum_error,
    threshold_alp_space,
    threshold_error,
    threshold_level,
)
from course_lib.alp_release import (
    MOST_BITS,
    AlpRelease,
    ThresholdAlpRelease,
    alp1_estimator,
    check_sizes,
    load_release,
)
from course_lib.support.contracts import ParameterError, check_positive, checked, shown
from course_lib.support.hashing import check_hashes, draw_hashes, random_bits, set_bits
from course_lib.support.vectors import Kept, as_numbers, check_vector, positions, surviving_zeros

__all__ = [
    "alp1_estimator",
    "alp1_projection",
    "alp_equation1",
    "alp_expected_error",
    "alp_levels",
    "alp_loss",
    "alp_projection",
    "alp_scale",
    "alp_space",
    "alp_tail",
    "alp_zero_error",
    "load_release",
    "threshold_alp_expected_error",
    "threshold_alp_maximum_error",
    "threshold_alp_projection",
    "threshold_alp_space",
    "threshold_error",
    "threshold_level",
    "threshold_release",
]

_MOST_ZEROS = 2**26


def check_embedding(indices, values, hashes, size, alpha):
    """Refuse what ALP1 cannot embed."""
    check_positive(alpha)
    check_hashes(hashes)
    if not np.all(as_numbers(values) >= 0):  # infinite ones are capped: to refuse them would tell
        raise ParameterError(f"values must be 0 or greater, got {shown(values)}")
    if positions(indices).shape != np.shape(values) or np.ndim(values) != 1:
        raise ParameterError(f"values must have one number for each index, got {shown(values)}")
    if size > MOST_BITS:
        raise ParameterError(f"size must be at most {MOST_BITS:,} here, got {shown(size)}")


@checked(also=check_embedding, apart=["values"])
def alp1_projection(indices, values, hashes, *, size, alpha, rng):
    """The bits of the embedding: unary code, hashed level by level, each bit flipped at random.

    Privacy: if neighbours differ by at most 1 in all, 1-differentially private. (Lemma 4.1, which
    the excerpt only quotes; proved in the notebook.)
    Notebook: 08_alp.
    """
    levels, flip_rate = hashes.shape[1], 1 / (alpha + 2)
    exact = np.minimum(values / alpha, levels)
    rest = exact % 1
    rounded = np.floor(exact) + (rng.random(len(exact)) < rest)
    bits = np.empty((levels, -(-size // 8)), dtype=np.uint8)
    for b in tqdm(range(levels), unit=" levels", delay=2, leave=False):
        row = set_bits(indices[rounded > b], hashes[:, b : b + 1], size)
        bits[b] = row ^ random_bits(size, flip_rate, rng)
    return bits


def _check_alp(indices, values, dimension, sparsity, size, cap, alpha, epsilon, neighbours):
    check_vector(indices, values, dimension)
    check_sizes(sparsity, size, cap, alpha, epsilon, neighbours)


@checked(also=_check_alp, apart=["values"])
@np.errstate(over="ignore")  # a warning would tell of the entries; infinity is capped as well
def alp_projection(
    indices, values, *, dimension, sparsity, size, cap, alpha, epsilon, neighbours="l1", rng
):
    """Algorithm 4: scale by epsilon, embed by ALP1; the release scales its estimates back.

    Privacy: epsilon-differentially private, whatever the data, for `neighbours` that differ by 1 in
    all ("l1", Lemma 4.12) or by 1 in one entry ("histogram", derived in the notebook).
    Accuracy: alp_expected_error for an entry of at most `cap`, if no more than `sparsity` entries
    are positive (Lemma 4.14). More entries are taken too and collide more often: from size / 2 on,
    nothing is promised. What a value has beyond `cap` is lost.
    Notebook: 08_alp.
    """
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    levels = alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    hashes = draw_hashes(int(levels), int(size), rng)
    scaled = np.asarray(values, dtype=float) * scale
    bits = alp1_projection(positions(indices), scaled, hashes, size=int(size), alpha=alpha, rng=rng)
    return AlpRelease(
        int(dimension), int(sparsity), int(size), float(cap), float(alpha), float(epsilon),
        neighbours, hashes, bits,
    )  # fmt: skip


def _check_threshold(indices, values, dimension, level, epsilon):
    check_vector(indices, values, dimension)
    level, epsilon = float(level), float(epsilon)
    if dimension * _survival(level, epsilon) > _MOST_ZEROS:
        raise ParameterError(
            f"level must keep at most {_MOST_ZEROS:,} zeros in expectation, got {level:g}: "
            f"dimension = {dimension}, epsilon = {epsilon:g}"
        )


def _survival(level, epsilon):
    """The chance that the noise of a zero reaches the level."""
    return math.exp(-level * epsilon) / 2


@checked(also=_check_threshold, apart=["values"])
@np.errstate(over="ignore")  # see alp_projection
def threshold_release(indices, values, *, dimension, level, epsilon, rng):
    """Algorithm 6: noise on every entry of the vector, and only what reaches the level is kept.

    Privacy: epsilon-differentially private: the Laplace mechanism, then post-processing. (Lemma
    5.1, which the excerpt only quotes.)
    Accuracy: threshold_error. An entry well below the level is lost, however large epsilon is.
    Time and memory are in the entries given and kept, not in the dimension.
    Notebook: 08_alp.
    """
    places = positions(indices)
    noisy = np.asarray(values, dtype=float) + rng.laplace(scale=1 / epsilon, size=len(places))
    kept = noisy >= level
    zeros = surviving_zeros(places, int(dimension), _survival(level, epsilon), rng)
    above = level + rng.exponential(scale=1 / epsilon, size=len(zeros))
    return Kept.sorted(np.append(places[kept], zeros), np.append(noisy[kept], above))


@checked(also=check_vector, apart=["values"])
def threshold_alp_projection(
    indices, values, *, dimension, sparsity, size, alpha, epsilon1, epsilon2, rng
):
    """Algorithm 7: Threshold for the large entries, ALP below its level for the others.

    Privacy: (epsilon1 + epsilon2)-differentially private, by composition (Lemma 5.3).
    Accuracy: threshold_alp_expected_error, if at most `sparsity` entries are positive (Lemma 5.5);
    for more see alp_projection.
    Notebook: 08_alp.
    """
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    kept = threshold_release(
        indices, values, dimension=dimension, level=level, epsilon=epsilon1, rng=rng
    )
    embedding = alp_projection(
        indices,
        values,
        dimension=dimension,
        sparsity=sparsity,
        size=size,
        cap=level,
        alpha=alpha,
        epsilon=epsilon2,
        rng=rng,
    )
    return ThresholdAlpRelease(kept, float(epsilon1), embedding)
