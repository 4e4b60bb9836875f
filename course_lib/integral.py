"""The integral of exact.py, by quadrature, to nearly double precision.

With h(z) = Σ count · ln F(z - gap) over the ⊥ + Σ count · ln S(z - gap) over the ⊤, the integrand
p · e^h is log-concave and has kinks at 0 and at the gaps. Beyond its gap a run of ⊥ becomes likely
where its hazard, count/2 · e^(-distance), passes 1. Between such marks, Gauss-Legendre panels grow
geometrically from both ends; that resolves every rate that occurs, at whatever distance.
"""

import numpy as np

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_REACH = 40  # e^-40 is far below double precision


def log_density(x, scale):
    """ln of the density of Lap(scale) at x."""
    return -np.abs(x) / scale - np.log(2 * scale)


def log_cdf(x):
    """ln Pr[Lap(1) <= x], to full relative precision on both sides."""
    return np.minimum(x, 0) + np.log1p(-0.5 * np.exp(-np.maximum(x, 0)))


def log_integral(variant, gaps, counts, below, ceiling=np.inf):
    """ln ∫ p(z) e^h(z) dz over z <= ceiling; the last axis of gaps and counts holds the runs.

    `below` says of each run whether it is answered ⊥. Relative precision is kept on both ends of
    (0, 1): where the integral is near 1 it comes from ∫ p (1 - e^h), elsewhere from ∫ p e^h.
    """
    points = np.broadcast_shapes(
        gaps.shape[:-1], *map(np.shape, (ceiling, variant.threshold_scale, variant.query_scale))
    )
    signs = np.where(below, 1.0, -1.0)
    scale, unit, ceiling = (
        np.broadcast_to(x, points).ravel()
        for x in (variant.threshold_scale, variant.query_scale, ceiling)
    )
    gaps, counts = (np.broadcast_to(x, points + signs.shape).reshape(-1, signs.size) for x in (gaps, counts))
    floor = np.full(scale.shape, -np.inf)
    if (unit == 0).any():  # without query noise the answers say only between which gaps z lies
        floor = gaps[:, below].max(axis=-1, initial=-np.inf)
        ceiling = np.minimum(ceiling, gaps[:, ~below].min(axis=-1, initial=np.inf))
        gaps, counts, signs, unit = gaps[:, :0], counts[:, :0], signs[:0], np.ones_like(unit)
    whole = np.isinf(floor) & np.isinf(ceiling)
    result = np.full(scale.shape, -np.inf)
    columns = [x[:, None] for x in (scale, unit, floor, ceiling)]
    if whole.all():
        outside = _complement(gaps, counts, signs, *columns)
        near_one = outside < 0.9
        result[near_one] = np.log1p(-outside[near_one])
    else:
        near_one = np.zeros(scale.shape, dtype=bool)
    if not near_one.all():
        rest = [x[~near_one] for x in (gaps, counts)], [x[~near_one] for x in columns]
        result[~near_one] = _log_value(*rest[0], signs, *rest[1])
    return result.reshape(points)


def _h(z, gaps, counts, signs, unit):
    total = np.zeros_like(z)
    for run, sign in enumerate(signs):
        total += counts[:, run, None] * log_cdf((z - gaps[:, run, None]) * (sign / unit))
    return total


def _complement(gaps, counts, signs, scale, unit, floor, ceiling):
    marks = _marks(gaps, counts, signs, scale, unit, floor, ceiling)
    rate = 1 / scale + (1 + counts[:, signs < 0].sum(axis=-1, keepdims=True)) / unit
    return _integrate(
        marks,
        rate,
        lambda z: -np.expm1(_h(z, gaps, counts, signs, unit)) * np.exp(log_density(z, scale)),
    )


def _log_value(gaps, counts, signs, scale, unit, floor, ceiling):
    marks = _marks(gaps, counts, signs, scale, unit, floor, ceiling)
    peak = _peak(marks, gaps, counts, signs, scale, unit)

    def log_integrand(z):
        return log_density(z, scale) + _h(z, gaps, counts, signs, unit)

    top = log_integrand(peak)
    # left of its gap a run of ⊥ decays at count / unit, but from a height of 2^-count
    rate = 1 / scale + np.minimum(counts, 40).sum(axis=-1, keepdims=True) / unit
    marks = np.sort(np.concatenate([marks, peak], axis=-1), axis=-1)
    value = _integrate(marks, rate, lambda z: np.exp(log_integrand(z) - top))
    with np.errstate(divide="ignore"):
        return np.log(value) + top[:, 0]


def _peak(marks, gaps, counts, signs, scale, unit):
    """Where the integrand is largest, by bisection of the slope of its logarithm."""
    low, high = marks[:, :1], marks[:, -1:]
    for _ in range(60):
        z = (low + high) / 2
        x = (z - gaps) * (signs / unit)
        tail = 0.5 * np.exp(-np.abs(x))
        slopes = counts * signs / unit * np.where(x < 0, 1.0, tail / (1 - tail))
        rising = slopes.sum(axis=-1, keepdims=True) > np.sign(z) / scale
        low, high = np.where(rising, z, low), np.where(rising, high, z)
    return low


def _marks(gaps, counts, signs, scale, unit, floor, ceiling):
    """Kinks, transitions and ends of the integrand, sorted."""
    marks = [np.zeros_like(scale), gaps]
    for sign in (1.0, -1.0):
        at = sign * gaps[:, signs == sign]
        order = np.argsort(at, axis=-1)
        at = np.take_along_axis(at, order, axis=-1)
        ordered = np.take_along_axis(counts[:, signs == sign], order, axis=-1)
        with np.errstate(divide="ignore"):
            hazard = np.logaddexp.accumulate(np.log(ordered / 2) + at / unit, axis=-1)
        marks.append(sign * np.maximum(hazard * unit, at))
    marks += [np.where(np.isfinite(limit), limit, 0.0) for limit in (floor, ceiling)]
    inner = np.concatenate(marks, axis=-1)
    ends = (
        inner.min(axis=-1, keepdims=True) - _REACH * scale,
        inner.max(axis=-1, keepdims=True) + _REACH * scale,
    )
    marks = np.clip(np.concatenate([inner, *ends], axis=-1), floor, np.maximum(floor, ceiling))
    return np.sort(marks, axis=-1)


def _integrate(marks, rate, integrand):
    """The integral between the first and the last mark; `rate` is the fastest decay that matters."""
    total = np.zeros(marks.shape[0])
    for left, right in zip(marks.T[:-1, :, None], marks.T[1:, :, None], strict=True):
        stretch = np.arcsinh((right - left) / 2 * rate)
        panels = int(np.ceil(stretch.max()))
        if panels:
            s = ((np.arange(panels)[:, None] + (_NODES + 1) / 2) / panels).ravel()
            weights = np.tile(_WEIGHTS / 2 / panels, panels)
            growth = np.exp(stretch * s)
            step = (growth - 1 / growth) / (2 * rate)
            weights = stretch * (growth + 1 / growth) / (2 * rate) * weights
            for z in (left + step, right - step):
                total += (integrand(z) * weights).sum(axis=-1)
    return total
