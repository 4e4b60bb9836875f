"""The integral of transcripts.py, by quadrature, to nearly double precision.

With h(z) = Σ count · ln F(z - gap) over the ⊥ + Σ count · ln S(z - gap) over the ⊤, the integrand
p · e^h is log-concave and has kinks at 0 and at the gaps. Beyond its gap a run of ⊥ becomes likely
where its hazard, count/2 · e^(-distance), passes 1. Between such marks, Gauss-Legendre panels grow
geometrically from both ends; that resolves every rate that occurs, at whatever distance.
"""

from dataclasses import dataclass

import numpy as np

from course_lib.support.contracts import ParameterError
from course_lib.support.products import one_thread_product

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_REACH = 40  # e^-40 is far below double precision
_BLOCK = 32  # points of a curve at a time: what they need stays in the processor's cache


def log_density(x, scale):
    """ln of the density of Lap(scale) at x."""
    return -np.abs(x) / scale - np.log(2 * scale)


def log_cdf(x):
    """ln Pr[Lap(1) <= x], to full relative precision on both sides."""
    return np.minimum(x, 0) + np.log1p(-0.5 * np.exp(-np.maximum(x, 0)))


def log_within(alpha, scale):
    """ln Pr[|Lap(scale)| <= alpha]."""
    return np.log1p(-np.exp(-alpha / scale))


def log_integral(variant, gaps, counts, below, ceiling=np.inf):
    """ln ∫ p(z) e^h(z) dz over z <= ceiling; the last axis of gaps and counts holds the runs.

    `below` says of each run whether it is answered ⊥.
    """
    _check_reach(variant, gaps)
    integrand, points = _integrand(variant, gaps, counts, below, ceiling)
    if (integrand.unit == 0).all():
        return _log_interval(integrand, below).reshape(points)
    return _in_blocks(integrand, _Integrand.log).reshape(points)


def _check_reach(variant, gaps):
    """Farther out, a double does not tell where in the noise it lies."""
    scale = np.minimum(
        variant.threshold_scale, np.where(variant.query_scale == 0, np.inf, variant.query_scale)
    )
    if np.any(np.abs(gaps) > 1e12 * scale[..., None]):
        raise ParameterError(
            "values must be within 10**12 noise scales of the threshold, "
            f"got a distance of {np.max(np.abs(gaps)):g}"
        )


def complement(variant, gaps, counts, below, within=None):
    """∫ p(z) (1 - e^h(z)) dz, relatively precise however small it is.

    With `within`, the noise that takes a ⊤ over the threshold must also be no larger than that.
    """
    integrand, points = _integrand(variant, gaps, counts, below, np.inf, within)
    if (integrand.unit == 0).all():
        return -np.expm1(_log_interval(integrand, below)).reshape(points)
    return _in_blocks(integrand, _Integrand.complement).reshape(points)


def _integrand(variant, gaps, counts, below, ceiling, within=None):
    """Everything broadcast to one row per point of the curve, and the curve's shape."""
    scalars = variant.threshold_scale, variant.query_scale, ceiling
    scalars += (np.inf if within is None else within,)
    points = np.broadcast_shapes(gaps.shape[:-1], *map(np.shape, scalars))
    scalars = [np.broadcast_to(np.asarray(x, float), points).reshape(-1, 1) for x in scalars]
    runs = [np.broadcast_to(x, (*points, len(below))) for x in (gaps, counts)]
    runs = [x.reshape(len(scalars[0]), -1) for x in runs]
    return _Integrand(*runs, np.where(below, 1.0, -1.0), *scalars), points


def _in_blocks(integrand, method):
    rows = range(0, len(integrand.scale), _BLOCK)
    return np.concatenate([method(integrand.at(slice(i, i + _BLOCK))) for i in rows])


def _log_interval(integrand, below):
    """Without query noise the answers say only between which gaps z lies: a closed form."""
    gaps, scale = integrand.gaps, integrand.scale[:, 0]
    low = gaps[:, below].max(axis=1, initial=-np.inf) / scale
    high = gaps[:, ~below].min(axis=1, initial=np.inf) / scale
    low, high = np.where(low > 0, (-high, -low), (low, high))  # then low <= 0
    with np.errstate(all="ignore"):
        left = log_cdf(high) + np.log(-np.expm1(log_cdf(low) - log_cdf(high)))
        outside = (np.exp(low) + np.exp(-high)) / 2
        around_0 = np.log(-(np.expm1(low) + np.expm1(-high)) / 2)
        inside = np.where(high <= 0, left, np.where(outside < 0.5, np.log1p(-outside), around_0))
    return np.where(low < high, inside, -np.inf)


def first_above(variant, gaps):
    """Pr[the first ⊤ is at i] for each entry of a stream of gaps, and of none at the end."""
    if variant.query_scale == 0:
        at_most = np.exp(log_cdf(np.maximum.accumulate(gaps) / variant.threshold_scale))
        return np.diff(at_most, prepend=0.0, append=1.0)
    weighted, x = _weighted_nodes(variant, gaps)
    log_terms = np.concatenate([log_cdf(-x), np.zeros((len(x), 1))], axis=1)
    log_terms[:, 1:] += np.cumsum(log_cdf(x), axis=1)
    return one_thread_product(weighted, np.exp(log_terms))


def next_above(variant, gaps):
    """first_above of the stream from each place on, a row each; absolutely precise, and quick."""
    laws = np.zeros((gaps.size, gaps.size + 1))
    if variant.query_scale == 0:
        for start in range(gaps.size):
            laws[start, start:] = first_above(variant, gaps[start:])
        return laws
    weighted, x = _weighted_nodes(variant, gaps)
    below, above = np.exp(log_cdf(x)), np.exp(log_cdf(-x))
    all_below = np.tile(weighted[:, None], gaps.size)  # from each place on, up to the query
    for query in range(gaps.size):
        so_far = all_below[:, : query + 1]
        laws[: query + 1, query] = one_thread_product(above[:, query], so_far)
        so_far *= below[:, query, None]
    laws[:, -1] = all_below.sum(axis=0)
    return laws


def _weighted_nodes(variant, gaps):
    """Weights p(z) dz of the nodes, and for each of them z - gap in units of the query noise."""
    ones = np.ones(gaps.size)
    integrand, _ = _integrand(variant, gaps, ones, ones.astype(bool), np.inf)
    z, weights = _nodes(integrand.marks(), 1 / integrand.scale + 2 / integrand.unit)
    weighted = (weights * np.exp(log_density(z, integrand.scale)))[0]
    return weighted, (z.T - gaps) / integrand.unit


@dataclass
class _Integrand:
    """p · e^h on the line: a row a point of a curve, a column a run; sign 1 for ⊥ and -1 for ⊤."""

    gaps: np.ndarray
    counts: np.ndarray
    signs: np.ndarray
    scale: np.ndarray
    unit: np.ndarray
    ceiling: np.ndarray
    within: np.ndarray

    def at(self, rows):
        fields = (self.gaps, self.counts, self.scale, self.unit, self.ceiling, self.within)
        gaps, counts, *rest = (field[rows] for field in fields)
        return _Integrand(gaps, counts, self.signs, *rest)

    def log(self):
        """ln ∫ p e^h, relatively precise at both ends of (0, 1)."""
        # e^h is log-concave and p even: where e^h(0) < 1/2 the integral is at most 5/8
        direct = self.h(np.zeros_like(self.scale)) < -np.log(2)
        direct = (direct | np.isfinite(self.ceiling))[:, 0]
        result = np.empty(len(direct))
        if not direct.all():
            outside = self.at(~direct).complement()
            result[~direct] = np.log1p(-np.minimum(outside, 0.9))
            direct[~direct] = outside > 0.9
        if direct.any():
            result[direct] = self.at(direct).log_value()
        return result

    def h(self, z):
        total = np.zeros_like(z)
        for run, sign in enumerate(self.signs):
            gap, count = self.gaps[:, run, None], self.counts[:, run, None]
            if sign < 0 and np.isfinite(self.within).all():
                total += count * self.log_between(z - gap)
            else:
                total += count * log_cdf((z - gap) * (sign / self.unit))
        return total

    def log_between(self, low):
        """ln Pr[the query noise is at least `low`, and no larger than `within` either way]."""
        ends = np.maximum(low, -self.within), -self.within
        outside = sum(np.exp(log_cdf(end / self.unit)) for end in ends)
        with np.errstate(divide="ignore"):
            return np.log1p(-np.minimum(outside, 1.0))

    def complement(self):
        """∫ p (1 - e^h), precise where it is small."""
        highs = self.counts[:, self.signs < 0].sum(axis=1, keepdims=True)
        z, weights = _nodes(self.marks(), 1 / self.scale + (1 + highs) / self.unit)
        return -(weights * np.exp(log_density(z, self.scale)) * np.expm1(self.h(z))).sum(axis=1)

    def log_value(self):
        """ln ∫ p e^h, precise however small it is."""
        # left of its gap a run of ⊥ decays at count / unit, but from a height of 2^-count
        rate = 1 / self.scale + np.minimum(self.counts, 40).sum(axis=1, keepdims=True) / self.unit
        marks = self.marks()
        rate = rate + np.maximum(self.slope(marks[:, -1:]), 0)  # where a ceiling cuts it off
        peak = self.peak(marks[:, :1], marks[:, -1:], rate)
        z, weights = _nodes(np.sort(np.concatenate([marks, peak], axis=1), axis=1), rate)
        z = np.concatenate([z, peak], axis=1)
        logs = log_density(z, self.scale) + self.h(z)
        top = logs[:, -1:]
        with np.errstate(divide="ignore"):
            return np.log((weights * np.exp(logs[:, :-1] - top)).sum(axis=1)) + top[:, 0]

    def slope(self, z):
        """The derivative of ln p + h; at a kink, a value between those on its two sides."""
        x = (z - self.gaps) * (self.signs / self.unit)
        tail = 0.5 * np.exp(-np.abs(x))
        slopes = self.counts * self.signs / self.unit * np.where(x < 0, 1, tail / (1 - tail))
        return slopes.sum(axis=1, keepdims=True) - np.sign(z) / self.scale

    def peak(self, low, high, rate):
        """Where p · e^h is largest, to 1/(8 rate), by bisection of the slope of its logarithm."""
        for _ in range(4 + int(np.log2(1 + ((high - low) * rate).max()))):
            z = (low + high) / 2
            rising = self.slope(z) > 0
            low, high = np.where(rising, z, low), np.where(rising, high, z)
        return low

    def marks(self):
        """Kinks, transitions and ends, sorted."""
        marks = [np.zeros_like(self.scale), self.gaps]
        if np.isfinite(self.within).all():
            highs = self.gaps[:, self.signs < 0]
            marks += [highs - self.within, highs + self.within]
        for sign in (1.0, -1.0):
            side = self.signs == sign
            at = sign * self.gaps[:, side]
            order = np.argsort(at, axis=1)
            at, counts = (np.take_along_axis(x, order, 1) for x in (at, self.counts[:, side]))
            with np.errstate(divide="ignore"):
                hazard = np.logaddexp.accumulate(np.log(counts / 2) + at / self.unit, axis=1)
            marks.append(sign * np.maximum(hazard * self.unit, at))
        marks.append(np.where(np.isinf(self.ceiling), 0.0, self.ceiling))
        inner = np.concatenate(marks, axis=1)
        reach = _REACH * self.scale
        ends = inner.min(axis=1)[:, None] - reach, inner.max(axis=1)[:, None] + reach
        return np.sort(np.minimum(np.concatenate([inner, *ends], axis=1), self.ceiling), axis=1)


def _nodes(marks, rate):
    """Nodes and weights between the first and last mark; `rate`: the fastest decay that matters."""
    nodes, weights = [], []
    gaps = list(zip(marks.T[:-1, :, None], marks.T[1:, :, None], strict=True))
    for left, right in gaps:
        # the outer two hold the tails: there panels grow outwards alone
        from_left, from_right = right is not gaps[0][1], left is not gaps[-1][0]
        stretch = np.arcsinh((right - left) * rate / (from_left + from_right))
        panels = int(np.ceil(stretch.max()))
        s = (np.arange(panels)[:, None] + (_NODES + 1) / 2).ravel() / panels
        growth = np.exp(stretch * s)
        step = (growth - 1 / growth) / (2 * rate)
        weight = (growth + 1 / growth) * (stretch / (2 * rate))
        weight *= np.tile(_WEIGHTS, panels) / (2 * panels)
        nodes += [left + step] * from_left + [right - step] * from_right
        weights += [weight] * (from_left + from_right)
    return np.concatenate(nodes, axis=1), np.concatenate(weights, axis=1)
