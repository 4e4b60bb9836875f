"""ALP (Aumüller, Lebeda, Pagh, Section 4): private sparse vectors, small and fast to read.

A vector with entries >= 0 is given by the indices of its entries and their values. Neighbours
differ by at most 1 in the sum of absolute differences ("l1"). Where a person is one row of a
histogram they differ by 1 in one entry ("histogram"), and less noise is enough.
"""

import functools
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from course_lib.support.contracts import (
    ParameterError,
    checked_arrays,
    checked_numbers,
    theorem,
)
from course_lib.support.hashing import (
    MOST_BITS,
    check_embedding,
    draw_hashes,
    look_up,
    random_bits,
    set_bits,
)
from course_lib.support.release_files import Release
from course_lib.support.vectors import check_dimension, check_vector, positions, read_in_pieces

SOURCE = "Aumüller, Lebeda, Pagh"
DERIVED = SOURCE + "; constants derived here"
_CELLS = 2**17  # of the bits that estimate reads at once


@checked_numbers(values=None, also=check_embedding)
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


def alp1_estimator(bits, hashes, indices, *, size, alpha):
    """The value of each index: where the walk over its bits is highest, on average."""
    steps = 2 * look_up(bits, indices, hashes, size).astype(np.int32) - 1
    walk = np.zeros((len(indices), hashes.shape[1] + 1), dtype=np.int32)
    np.cumsum(steps, axis=1, out=walk[:, 1:])
    highest = walk == walk.max(axis=1, keepdims=True)
    return alpha * (highest @ np.arange(walk.shape[1])) / highest.sum(axis=1)


@checked_arrays
def alp_scale(*, alpha, epsilon, neighbours="l1"):
    """What ALP multiplies values by before it embeds them.

    For "histogram" the largest scale at which a change of 1 in one entry costs epsilon. That is
    exp(epsilon) - 1 if alpha is at least as large; else alpha for each whole level, and the rest.
    """
    if neighbours == "l1":
        return epsilon
    whole = np.floor(epsilon / np.log1p(alpha))
    return alpha * whole + np.expm1(epsilon - whole * np.log1p(alpha))


@checked_arrays
def alp_levels(*, cap, alpha, epsilon, neighbours="l1"):
    """m, the number of levels of the embedding: cap, scaled, in steps of alpha, rounded up."""
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    return np.maximum(1, np.ceil(cap * scale / alpha))  # 1 if the product is too small


def check_sizes(sparsity, size, cap, alpha, epsilon, neighbours="l1"):
    """Against public parameters alone: a complaint about the entries would tell of them."""
    if not size > 2 * sparsity:
        raise ParameterError(f"size must be greater than 2 * sparsity = {2 * sparsity}, got {size}")
    levels = alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    bits = levels * (size + 512)  # 64 numbers of a byte, at least, are the hash function
    if bits > MOST_BITS:
        raise ParameterError(
            f"levels times (size + 512) must be at most {MOST_BITS:,} bits, got {bits:,.0f}: "
            f"size = {size}, cap = {cap:g}, alpha = {alpha:g}, epsilon = {epsilon:g}"
        )


def _check_alp(indices, values, dimension, sparsity, size, cap, alpha, epsilon, neighbours):
    check_vector(indices, values, dimension)
    check_sizes(sparsity, size, cap, alpha, epsilon, neighbours)


@checked_numbers(values=None, also=_check_alp)
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
    hashes = draw_hashes(int(levels), size, rng)
    scaled = np.asarray(values, dtype=float) * scale
    bits = alp1_projection(positions(indices), scaled, hashes, size=size, alpha=alpha, rng=rng)
    return AlpRelease(dimension, sparsity, size, cap, alpha, epsilon, neighbours, hashes, bits)


@dataclass(frozen=True, eq=False)
class AlpRelease(Release):
    """What ALP publishes: parameters, hash functions and noisy bits. Nothing else is in it.

    `bits` has a row for each level, packed, eight places to a byte; `table` unpacks them.
    """

    dimension: int
    sparsity: int
    size: int
    cap: float
    alpha: float
    epsilon: float
    neighbours: str
    hashes: np.ndarray
    bits: np.ndarray

    @property
    def table(self):
        """The bits as the paper draws them: a row for each place, a column for each level."""
        return np.unpackbits(self.bits, axis=1, count=self.size, bitorder="little").T

    def estimate(self, index_or_indices):
        """Algorithm 5: the estimated value of one index, or of each of many.

        Time for an index: O(cap epsilon) bits, each at a place that takes a sum over the digits of
        the index to find, so O(cap epsilon log d). Lemma 4.14 has O(cap epsilon).
        """

        def read(indices):
            return alp1_estimator(self.bits, self.hashes, indices, size=self.size, alpha=self.alpha)

        length = 1 + _CELLS // len(self.bits)
        return read_in_pieces(read, index_or_indices, self.dimension, length) / self._scale

    @functools.cached_property
    def _scale(self):
        return float(alp_scale(alpha=self.alpha, epsilon=self.epsilon, neighbours=self.neighbours))

    def check_announced(self):
        super().check_announced()
        check_dimension(self.dimension)
        check_sizes(self.sparsity, self.size, self.cap, self.alpha, self.epsilon, self.neighbours)
        levels = alp_levels(
            cap=self.cap, alpha=self.alpha, epsilon=self.epsilon, neighbours=self.neighbours
        )
        if self.bits.shape != (levels, -(-self.size // 8)) or self.bits.dtype != np.uint8:
            raise ParameterError(f"bits must fill {levels:g} levels, got {self.bits.shape}")
        if self.hashes.shape != (64, levels) or self.hashes.dtype.kind != "u":
            raise ParameterError(f"hashes must be 64 by {levels:g}, got {self.hashes.shape}")

    def check_contents(self):
        if self.hashes.max() >= self.size:
            raise ParameterError(f"hashes must be below size = {self.size}")


def _misled(load, alpha):
    """4g(1 - g), times (1 + 2/alpha)^2, where g bounds the chance that a bit misleads."""
    return 4 * (1 / alpha + load) * (1 + 1 / alpha - load)


def _spread(load, alpha):
    """4g(1 - g) / (1 - 2g)^2."""
    return _misled(load, alpha) / (1 - 2 * load) ** 2


@theorem(
    "Equation 1",
    source=SOURCE + ", as Section 4.3 quotes it",
    latex=r"\mathbb E\,|y_i - \tilde y_i| \le \frac{8(\alpha + 1)}{\alpha^2}"
    r"\ \text{ without collisions}",
)
def alp_equation1(*, alpha):
    """The paper's bound on the error of the walk, in levels."""
    return 8 / alpha + 8 / alpha / alpha


@theorem(
    "Lemma 4.14",
    source=DERIVED,
    latex=r"\mathbb E\,|x_i - \tilde x_i| \le \frac\alpha\varepsilon\left(\frac12 + "
    r"\frac{4g(1-g)}{(1-2g)^2}\right) \text{ if } x_i \le \beta,\quad"
    r" g = \frac{1}{\alpha+2} + \frac ks\,\frac{\alpha}{\alpha+2}",
)
def alp_expected_error(*, load=0.0, alpha, epsilon):
    """A bound on the expected error of an entry of at most cap; beyond it, add what is beyond."""
    return alpha / epsilon * (0.5 + _spread(load, alpha))


@theorem(
    "The error of a zero entry",
    source="derived here",
    latex=r"\mathbb E\,\tilde x_i \le \frac\alpha\varepsilon\cdot\frac{2g(1-g)}{(1-2g)^2},"
    r"\ \text{ with equality as } \beta \to \infty"
    r"\text{ if every level collides with probability } k/s",
)
def alp_zero_error(*, load=0.0, alpha, epsilon):
    """A bound on the expected estimate, and so on the error, of an entry that is 0."""
    return alpha / epsilon * _spread(load, alpha) / 2


@theorem(
    "The tail of the walk",
    source=SOURCE + ", the lemma after 4.14; in levels, and proved, here",
    latex=r"\Pr[|y_i - \tilde y_i| \ge j] \le 2r^j \text{ if } x_i \le \beta,\quad"
    r" r = \sqrt{4g(1-g)}",
)
def alp_tail(steps, *, load=0.0, alpha):
    """A bound on the chance that the walk misses the rounded value by `steps` levels or more.

    An error of tau or more is a miss of more than tau * scale / alpha - 1 levels: the rounding has
    moved the value by less than one.
    """
    ratio = np.sqrt(_misled(load, alpha)) / (1 + 2 / alpha)
    return np.minimum(1, 2 * ratio**steps)


@theorem(
    "What a change of 1 costs",
    source="derived here",
    latex=r"\ln\left[(1+\alpha)^{\lfloor\varepsilon/\alpha\rfloor}"
    r"\left(1 + \varepsilon - \alpha\left\lfloor\tfrac{\varepsilon}{\alpha}\right\rfloor\right)"
    r"\right] \le \varepsilon \ \text{ in one entry}",
)
def alp_loss(*, entries=1, alpha, epsilon):
    """The most that a change of 1, in equal parts in some entries, costs of the budget epsilon."""
    part = epsilon / entries
    whole = np.floor(part / alpha)
    return entries * (whole * np.log1p(alpha) + np.log1p(part - alpha * whole))


@theorem(
    "Lemma 4.13, for our release",
    source=DERIVED,
    latex=r"m\,(s + 64\lceil\log_2 s\rceil) \text{ bits},\quad"
    r" m = \left\lceil\frac{\beta\varepsilon}{\alpha}\right\rceil",
)
def alp_space(*, size, cap, alpha, epsilon, neighbours="l1"):
    """How many bits a release of ALP takes, packed; our files keep the hashes in whole bytes.

    A hash function takes 64 numbers below `size`, where the paper has O(log d) bits: in tables of
    fewer than 640 places that is more than the bits. For histograms the scale takes the place of
    epsilon.
    """
    column = size + 64 * np.ceil(np.log2(size))
    return alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours) * column
