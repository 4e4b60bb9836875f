"""What the paper on ALP promises, with constants: error, tail, space, and privacy really spent."""

import numpy as np

from course_lib.support.contracts import ParameterError, check_positive, checked, shown, theorem

SOURCE = "Aumüller, Lebeda, Pagh"
DERIVED = SOURCE + "; constants derived here"


def _check_neighbours(alpha, neighbours):
    check_positive(alpha)
    if neighbours not in ("l1", "histogram"):
        raise ParameterError(f"neighbours must be 'l1' or 'histogram', got {shown(neighbours)}")


@checked(also=_check_neighbours)
def alp_scale(*, alpha, epsilon, neighbours="l1"):
    """What ALP multiplies values by before it embeds them.

    For "histogram" the largest scale at which a change of 1 in one entry costs epsilon. That is
    exp(epsilon) - 1 if alpha is at least as large; else alpha for each whole level, and the rest.
    """
    if neighbours == "l1":
        return epsilon
    whole = np.floor(epsilon / np.log1p(alpha))
    return alpha * whole + np.expm1(epsilon - whole * np.log1p(alpha))


@checked(also=_check_neighbours)
def alp_levels(*, cap, alpha, epsilon, neighbours="l1"):
    """m, the number of levels of the embedding: cap, scaled, in steps of alpha, rounded up."""
    scale = alp_scale(alpha=alpha, epsilon=epsilon, neighbours=neighbours)
    return np.maximum(1, np.ceil(np.multiply(cap, scale) / alpha))  # 1 if the product is too small


def _misled(load, alpha):
    """4g(1 - g), times (1 + 2/alpha)^2, where g bounds the chance that a bit misleads."""
    return 4 * (np.divide(1, alpha) + load) * (1 + np.divide(1, alpha) - load)


def _spread(load, alpha):
    """4g(1 - g) / (1 - 2g)^2."""
    return _misled(load, alpha) / np.square(1 - 2 * np.asarray(load))


@theorem(
    "Equation 1",
    source=SOURCE + ", as Section 4.3 quotes it",
    latex=r"\mathbb E\,|y_i - \tilde y_i| \le \frac{8(\alpha + 1)}{\alpha^2}"
    r"\ \text{ without collisions}",
    also=check_positive,
)
def alp_equation1(*, alpha):
    """The paper's bound on the error of the walk, in levels."""
    return 8 / np.asarray(alpha, float) + 8 / np.asarray(alpha, float) / alpha


@theorem(
    "Lemma 4.14",
    source=DERIVED,
    latex=r"\mathbb E\,|x_i - \tilde x_i| \le \frac\alpha\varepsilon\left(\frac12 + "
    r"\frac{4g(1-g)}{(1-2g)^2}\right) \text{ if } x_i \le \beta,\quad"
    r" g = \frac{1}{\alpha+2} + \frac ks\,\frac{\alpha}{\alpha+2}",
    also=check_positive,
)
def alp_expected_error(*, load=0.0, alpha, epsilon):
    """A bound on the expected error of an entry of at most cap; beyond it, add what is beyond."""
    return np.divide(alpha, epsilon) * (0.5 + _spread(load, alpha))


@theorem(
    "The error of a zero entry",
    source="derived here",
    latex=r"\mathbb E\,\tilde x_i \le \frac\alpha\varepsilon\cdot\frac{2g(1-g)}{(1-2g)^2},"
    r"\ \text{ with equality as } \beta \to \infty"
    r"\text{ if every level collides with probability } k/s",
    also=check_positive,
)
def alp_zero_error(*, load=0.0, alpha, epsilon):
    """A bound on the expected estimate, and so on the error, of an entry that is 0."""
    return np.divide(alpha, epsilon) * _spread(load, alpha) / 2


@theorem(
    "The tail of the walk",
    source=SOURCE + ", the lemma after 4.14; in levels, and proved, here",
    latex=r"\Pr[|y_i - \tilde y_i| \ge j] \le 2r^j \text{ if } x_i \le \beta,\quad"
    r" r = \sqrt{4g(1-g)}",
    also=check_positive,
)
def alp_tail(steps, *, load=0.0, alpha):
    """A bound on the chance that the walk misses the rounded value by `steps` levels or more.

    An error of tau or more is a miss of more than tau * scale / alpha - 1 levels: the rounding has
    moved the value by less than one.
    """
    ratio = np.sqrt(_misled(load, alpha)) / (1 + np.divide(2, alpha))
    return np.minimum(1, 2 * ratio ** np.asarray(steps, float))


@theorem(
    "What a change of 1 costs",
    source="derived here",
    latex=r"\ln\left[(1+\alpha)^{\lfloor\varepsilon/\alpha\rfloor}"
    r"\left(1 + \varepsilon - \alpha\left\lfloor\tfrac{\varepsilon}{\alpha}\right\rfloor\right)"
    r"\right] \le \varepsilon \ \text{ in one entry}",
    also=check_positive,
)
def alp_loss(*, entries=1, alpha, epsilon):
    """The most that a change of 1, in equal parts in some entries, costs of the budget epsilon."""
    part = np.divide(epsilon, entries)
    whole = np.floor(part / alpha)
    return entries * (whole * np.log1p(alpha) + np.log1p(part - alpha * whole))


@theorem(
    "Lemma 4.13, for our release",
    source=DERIVED,
    latex=r"m\,(s + 64\lceil\log_2 s\rceil) \text{ bits},\quad"
    r" m = \left\lceil\frac{\beta\varepsilon}{\alpha}\right\rceil",
    also=_check_neighbours,
)
def alp_space(*, size, cap, alpha, epsilon, neighbours="l1"):
    """How many bits a release of ALP takes, packed; our files keep the hashes in whole bytes.

    A hash function takes 64 numbers below `size`, where the paper has O(log d) bits: in tables of
    fewer than 640 places that is more than the bits. For histograms the scale takes the place of
    epsilon.
    """
    column = np.asarray(size) + 64 * np.ceil(np.log2(size))
    return alp_levels(cap=cap, alpha=alpha, epsilon=epsilon, neighbours=neighbours) * column


def _check_level(dimension):
    if not np.min(dimension) > 2:
        raise ParameterError(
            f"dimension must be greater than 2, where ln(d/2) > 0, got {np.min(dimension)}"
        )


@theorem(
    "Lemma 5.2, the level",
    source=SOURCE,
    latex=r"t = \frac{\ln(d/2)}{\varepsilon}:\quad \Pr[\mathrm{Lap}(1/\varepsilon) \ge t]"
    r" = \frac1d",
    also=_check_level,
)
def threshold_level(*, dimension, epsilon):
    """The level that a zero entry reaches with probability 1/dimension."""
    return np.log(np.divide(dimension, 2)) / epsilon


@theorem(
    "Lemma 5.4, for our release",
    source=DERIVED,
    latex=r"\text{at most } 128\,(k + 1) + m\,(s + 64\lceil\log_2 s\rceil)"
    r" \text{ bits in expectation},\quad"
    r" m = \left\lceil\frac{\varepsilon_2\ln(d/2)}{\alpha\varepsilon_1}\right\rceil",
    also=check_positive,
)
def threshold_alp_space(*, dimension, sparsity, size, alpha, epsilon1, epsilon2):
    """At most how many bits Threshold-ALP takes on average: 64 for an index or a value it keeps.

    The lemma has O(k log(d + u)) with high probability; a value of any size u takes 64 bits here.
    """
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    return 128 * np.add(sparsity, 1) + alp_space(
        size=size, cap=level, alpha=alpha, epsilon=epsilon2
    )


def check_not_negative(values):
    if np.min(values) < 0:
        raise ParameterError(f"values must be 0 or greater, got {np.min(values)}")


def threshold_parts(values, level, epsilon):
    """For each value: the chance that it is not kept, and the noise expected in what is kept."""
    values = np.asarray(values, dtype=float)
    gap = np.subtract(level, values)  # the noise that lifts the value to the level
    tail = np.exp(-np.abs(gap) * epsilon) / 2
    beyond = tail * (np.abs(gap) + 1 / np.asarray(epsilon))  # E|noise| on the far side of the gap
    short = gap >= 0  # at 0 either form is right
    lost = np.where(short, 1 - tail, tail)
    return lost, np.where(short, beyond, 1 / np.asarray(epsilon) - beyond)


@theorem(
    "The error of Threshold",
    source="derived here, exact",
    latex=r"\mathbb E\,|x - \tilde v| = x\,\Pr[\eta < t - x]"
    r" + \mathbb E\left[|\eta|\,;\ \eta \ge t - x\right]",
    also=check_not_negative,
)
def threshold_error(values, *, level, epsilon):
    """The expected error of entries of these values after Threshold."""
    lost, noise = threshold_parts(values, level, epsilon)
    return np.multiply(values, lost) + noise


@theorem(
    "Lemma 5.5, an entry",
    source=DERIVED,
    latex=r"\mathbb E\,|x - \tilde x| \le \left(\max(0, x - t) + E(\varepsilon_2)\right)"
    r"\Pr[\eta < t - x] + \mathbb E\left[|\eta|\,;\ \eta \ge t - x\right],"
    r"\quad E \text{ of Lemma 4.14}",
    also=check_not_negative,
)
def threshold_alp_expected_error(values, *, dimension, load=0.0, alpha, epsilon1, epsilon2):
    """A bound on the expected error of entries of these values after Threshold-ALP."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    lost, noise = threshold_parts(values, level, epsilon1)
    embedded = alp_expected_error(load=load, alpha=alpha, epsilon=epsilon2)
    return (np.maximum(0, np.subtract(values, level)) + embedded) * lost + noise


@theorem(
    "Lemma 5.5, the largest error",
    source=DERIVED,
    latex=r"\mathbb E\max_i|x_i - \tilde x_i| \le \frac{\ln(d/2) + \ln d + 1}{\varepsilon_1}"
    r" + \frac{\alpha}{\varepsilon_2}",
    also=check_positive,
)
def threshold_alp_maximum_error(*, dimension, alpha, epsilon1, epsilon2):
    """A bound on the expected largest error of all entries after Threshold-ALP."""
    level = threshold_level(dimension=dimension, epsilon=epsilon1)
    return level + (np.log(dimension) + 1) / epsilon1 + np.divide(alpha, epsilon2)
