"""Reference values for the sparse vector technique, by mpmath alone (nothing of course_lib is imported).

    python tests/oracles/compute.py        # rewrites sparse_vector.json next to it, byte for byte the same

Lap(b) has density exp(-|x|/b)/(2b), cdf F, and S = 1 - F.  The threshold is T + Z, Z ~ Lap(b_T); a query of value q is
ABOVE iff q + Lap(b_q) >= T + Z, else BELOW.  With d = q - T the probability of a transcript is the integral over z of
p(z) * prod F(z-d)^count (BELOW runs) * prod S(z-d) (ABOVE).  Numbers in the file are exact doubles or integers and are
taken as such; results ("value", "failure", "alpha") are strings of 30 significant digits.  ln is natural.

failure          eps, k, alpha -> failure = 1 - Pr[BELOW^(k-1) ABOVE], k-1 queries at T-alpha, the last at T+alpha, b_T = 2/eps, b_q = 4/eps
alpha_exact      eps, beta, k -> alpha at which that failure is beta
log_probability  threshold_scale, query_scale, threshold, values, counts, transcript (one entry a run) -> value = ln Pr
loss             eps, k -> value = ln(Pr on (0,..,0,1) / Pr on (1,..,1,0)) of BELOW^(k-1) ABOVE, T = 0, scales as in failure
released_same    as log_probability, but a transcript entry may be a number a = q + the same noise: factor p_q(a - q), and z <= a - T;
                 value = ln density
released_fresh   a number a is ABOVE (factor S) and, independently, q + Lap(release_scale) = a; redrawn: a new threshold after each
                 ABOVE or number (the integrals multiply); value = ln density
numbers          threshold_scale, query_scale, low, high, alpha -> failure = 1 - Pr[BELOW to `low` queries at T-alpha, and for each of
                 `high` at T+alpha a number q + noise, the noise it was compared with, that is within alpha], one threshold
no_query_noise   query_scale = 0: BELOW iff q < T + z, ABOVE iff q >= T + z; value = ln Pr, "-inf" if impossible

Two methods.  (1) Quadrature: adaptive 48-point Gauss-Legendre, 50 digits, split at every kink and Gumbel transition.
(2) Series: between kinks the integrand is exp(c z) times a polynomial in exp(-z/b_q), integrated term by term with hundreds of digits.
They must agree to 1e-31 relative; where (2) does not apply (see `series`), (1) is compared with tanh-sinh on another splitting.
In "failure" all rows come from (2), and those at eps = 1 and every fifth of the others also from (1).
"""

import json
import pathlib
import time

from mpmath import inf, mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

mp.dps = 50
NODES = GaussLegendre(mp).calc_nodes(5, mp.prec + 20)
AGREE, DIGITS, BIG, CUT, TERMS = mpf("1e-31"), 250, 1000, 200, 900
checked = dict.fromkeys(("series", "tanh-sinh", "closed form", "root"), 0)


def log_cdf(x, b):  # ln F(x)
    return x / b - mp.ln2 if x < 0 else mp.log1p(-mp.exp(-x / b) / 2)


def log_answers(z, bq, runs):  # runs: (d, count, is_above)
    return mp.fsum(n * log_cdf(d - z if above else z - d, bq) for d, n, above in runs)


def adaptive(f, points):
    def rule(a, b):
        m, h = (a + b) / 2, (b - a) / 2
        return h * mp.fsum(w * f(m + h * x) for x, w in NODES)

    points = sorted(set(points))
    stack = [(a, b, rule(a, b)) for a, b in zip(points, points[1:])]
    size, parts = mp.fsum(s[2] for s in stack), []  # the integrand is never negative
    while stack:
        a, b, whole = stack.pop()
        if whole < size * mpf("1e-50"):
            continue
        m = (a + b) / 2
        left, right = rule(a, m), rule(m, b)
        if abs(whole - left - right) <= size * mpf("1e-37"):  # the halves are far better than this
            parts += [left, right]
        else:
            stack += [(a, m, left), (m, b, right)]
    total = mp.fsum(parts)
    assert total < 2 * size < 4 * total
    return total


def transitions(bq, runs):  # kinks and Gumbel transitions
    return (
        [mpf(0)]
        + [d for d, _, _ in runs]
        + [d + bq * mp.log(mpf(n) / 2) for d, n, above in runs if not above and n > 2]
    )


def direct(bT, bq, runs, upper=inf, check=False):
    """ln of the integral over z <= upper; the integrand is log-concave, so its mode leads to all that matters (check: by tanh-sinh)."""
    g = lambda z: log_answers(z, bq, runs) - abs(z) / bT - mp.log(2 * bT)

    def bisect(lo, hi, test, steps):  # last point from lo where test holds
        for _ in range(steps):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if test(mid) else (lo, mid)
        return lo

    points, unit = transitions(bq, runs), bT + bq
    lo, hi = min(points + [upper]) - unit, min(max(points) + unit, upper)
    step = unit * mpf(2) ** -130
    mode = bisect(lo, hi, lambda z: g(z + step) > g(z), 110)
    top, ends = g(mode), []
    for sign in (-1, 1):  # where it has fallen by exp(-115)
        reach = unit
        while g(mode + sign * reach) > top - 115:
            reach *= 2
        ends.append(mode + sign * reach)
        ends[-1] = bisect(ends[-1], mode, lambda z: g(z) < top - 115, 60)
    ends[1] = min(ends[1], upper)
    parts = 13 if check else 8
    grid = [ends[0] + (ends[1] - ends[0]) * j / parts for j in range(parts + 1)] + [
        p for p in points if ends[0] < p < ends[1]
    ]
    f = lambda z: mp.exp(g(z) - top)
    return top + mp.log(mp.quad(f, sorted(set(grid))) if check else adaptive(f, grid + [mode]))


def complement(bT, bq, runs):  # 1 - Pr, to full relative precision
    edge, points = 256 * bT, transitions(bq, runs)
    grid = points + [p + s * b for p in points for b in (4 * bq, 16 * bq, 4 * bT) for s in (-1, 1)]
    f = lambda z: -mp.expm1(log_answers(z, bq, runs)) * mp.exp(-abs(z) / bT) / (2 * bT)
    return adaptive(f, [p for p in grid if -edge < p < edge] + [j * edge / 8 for j in range(-8, 9)])


def numbers(bT, bq, low, high, alpha):
    """1 - Pr where each ABOVE also needs noise between -alpha and alpha; quadrature twice, on different splittings."""
    bT, bq, alpha = mpf(bT), mpf(bq), mpf(alpha)
    far = mp.exp(-alpha / bq) / 2  # one tail of the noise

    def fails(z):
        bottom = max(z - alpha, -alpha)
        outside = far + (mp.exp(bottom / bq) / 2 if bottom < 0 else 1 - mp.exp(-bottom / bq) / 2)
        if bottom >= alpha:
            return mpf(1)
        return -mp.expm1(low * log_cdf(z + alpha, bq) + high * mp.log1p(-outside))

    f = lambda z: fails(z) * mp.exp(-abs(z) / bT) / (2 * bT)
    marks = [-alpha, mpf(0), alpha, 2 * alpha, bq * mp.log(mpf(low + 2) / 2) - alpha]
    edge = 256 * bT
    grid = marks + [
        m + s * b for m in marks for b in (bq, 4 * bq, 16 * bq, 4 * bT) for s in (-1, 1)
    ]
    grid = [x for x in grid if -edge < x < edge] + [-edge, edge]
    value = adaptive(f, grid + [j * edge / 8 for j in range(-7, 8)])
    compare(
        mp.quad(f, sorted({*grid, *(j * edge / 13 for j in range(-12, 13))})), value, "tanh-sinh"
    )
    return value


def number_cases():
    for bT, bq, low, high in (
        (2.0, 2.0, 0, 1),
        (2.0, 2.0, 999, 1),
        (2.0, 6.0, 50, 3),
        (2.0, 0.25, 7, 2),
        (0.5, 20.0, 96, 4),
        (2.0, 20.0, 10**12, 10),
    ):
        for times in (0.25, 3.0, 12.0, 60.0):
            yield dict(
                threshold_scale=bT, query_scale=bq, low=low, high=high, alpha=times * max(bT, bq)
            )


def series(bT, bq, runs, upper=inf):
    """The integral in closed form, or None.  (1-y)^n, y = exp(-(z-d)/bq)/2, is expanded in full for n <= BIG; for larger n only
    where n*y <= CUT (relative mass lost < 1e-60 required, else None), with TERMS terms.  At most one run longer than 100."""
    if sum(n > 100 for _, n, _ in runs) > 1:
        return None
    with mp.workdps(DIGITS + sum(n for _, n, _ in runs if n <= BIG) // 2):
        start = max(
            [d + bq * mp.log(mpf(n) / (2 * CUT)) for d, n, above in runs if n > BIG and not above],
            default=-inf,
        )
        inner = {x for x in [mpf(0)] + [d for d, _, _ in runs] if start < x < upper}
        total, cuts = mpf(0), [start] + sorted(inner) + [upper]
        for a, b in zip(cuts, cuts[1:]) if start < upper else ():
            z0 = b if a == -inf else a  # w = exp(-(z - z0)/bq)
            mid = b - 1 if a == -inf else a + 1 if b == inf else (a + b) / 2
            sign, low, const, poly = (
                (1 if mid < 0 else -1),
                0,
                1 / (2 * bT),
                [mpf(1)],
            )  # const * w^low * poly(w)
            for d, n, above in runs:
                if above == (mid > d):  # a pure exponential: z < d BELOW, z > d ABOVE
                    const, low = (
                        const * mp.exp(-abs(z0 - d) / bq * n) / mpf(2) ** n,
                        low + (n if above else -n),
                    )
                    continue
                y, row, c = mp.exp(-abs(z0 - d) / bq) / 2, [], mpf(1)
                for j in range(min(n, TERMS if n > BIG else n) + 1):  # (1 - y w)^n or (1 - y / w)^n
                    row.append(c)
                    c = -c * y * (n - j) / (j + 1)
                if above:
                    row, low = row[::-1], low - n
                short, long = sorted((poly, row), key=len)
                poly = [mpf(0)] * (len(short) + len(long) - 1)
                for i, s in enumerate(short):
                    for j, t in enumerate(long):
                        poly[i + j] += s * t
            base, width = mp.exp(sign * z0 / bT) * const, b - a
            if width < inf:
                w = mp.exp(-width / bq)
                power = mp.exp(sign * width / bT) * w**low  # exp(rate * width)
            for p, c in enumerate(poly, low):
                rate = sign / bT - p / bq
                if width == inf:
                    total += base * c / abs(rate)
                else:
                    total += (
                        base
                        * c
                        * ((power - 1) / rate if abs(rate) * width > mpf("1e-40") else width)
                    )
                    power *= w
        if start > -inf:
            lost = (
                mp.exp(log_answers(start, bq, runs) - abs(start) / bT) * max(1, bq / bT)
                if start < upper
                else inf
            )
            if total <= 0 or lost > total * mpf("1e-60"):
                return None
        return total


def compare(value, reference, kind):
    assert abs(value - reference) <= AGREE * abs(reference), (kind, value, reference)
    checked[kind] += 1


def failure(bT, bq, runs, check=True):
    with mp.workdps(DIGITS):
        value = 1 - series(bT, bq, runs)
    if check:
        compare(value, complement(bT, bq, runs), "series")
    return value


def log_pr(bT, bq, runs, upper=inf):
    value, exact = direct(bT, bq, runs, upper), series(bT, bq, runs, upper)
    if upper == inf and value > -mp.ln2:
        assert exact is not None
        value = mp.log1p(-complement(bT, bq, runs))
    if exact is None:
        compare(value, direct(bT, bq, runs, upper, check=True), "tanh-sinh")
    else:
        with mp.workdps(DIGITS):
            compare(value, mp.log(exact), "series")
    return value


def log_lap(x, b):
    return -abs(x) / b - mp.log(2 * b)


text = lambda x: mp.nstr(x, 30)


def log_transcript(bT, bq, T, values, counts, transcript, release=None, redrawn=False):
    """ln Pr (or density): "BELOW", "ABOVE" or a released number per run; release = None is the same noise."""
    bT, bq, total, runs, upper = mpf(bT), mpf(bq), mpf(0), [], inf
    for q, n, out in zip(values, counts, transcript):
        d, above = mpf(q) - mpf(T), out != "BELOW"
        assert n == 1 or not above
        if isinstance(out, float):
            total += log_lap(mpf(out) - mpf(q), mpf(release or bq))
        if isinstance(out, float) and release is None:
            upper = min(upper, mpf(out) - mpf(T))
        else:
            runs.append((d, n, above))
        if redrawn and above:
            total, runs, upper = total + log_pr(bT, bq, runs, upper), [], inf
    return total + log_pr(bT, bq, runs, upper) if runs or upper < inf else total


def no_noise(bT, T, values, transcript):
    lo = max(
        [mpf(q) - mpf(T) for q, out in zip(values, transcript) if out == "BELOW"], default=-inf
    )  # lo < z <= hi
    hi = min([mpf(q) - mpf(T) for q, out in zip(values, transcript) if out == "ABOVE"], default=inf)
    if lo >= hi:
        return -inf
    with mp.workdps(DIGITS):
        cdf = lambda z: mp.exp(z / bT) / 2 if z < 0 else 1 - mp.exp(-z / bT) / 2
        value = mp.log(cdf(hi) - cdf(lo))
    ends = [max(lo, min(hi, mpf(0)) - 150 * bT), min(hi, max(lo, mpf(0)) + 150 * bT)]
    ends += [mpf(0)] if lo < 0 < hi else []
    compare(mp.exp(value), adaptive(lambda z: mp.exp(log_lap(z, bT)), ends), "closed form")
    return value


def worst(alpha, k):
    return [(-alpha, k - 1, False)][: k - 1] + [(alpha, 1, True)]


def case(bT, bq, T, *runs):  # runs: (value - T, count, answer)
    full = {"B": "BELOW", "A": "ABOVE"}
    return dict(
        threshold_scale=bT,
        query_scale=bq,
        threshold=T,
        values=[T + u for u, _, _ in runs],
        counts=[n for _, n, _ in runs],
        transcript=[full.get(out, out) for _, _, out in runs],
    )


def finish(rows, function):
    names = dict(threshold_scale="bT", query_scale="bq", threshold="T", release_scale="release")
    return [
        {**row, "value": text(function(**{names.get(f, f): x for f, x in row.items()}))}
        for row in rows
    ]


def log_probability_cases():
    for bT in (2000.0, 2.0, 0.04):  # AboveThreshold at eps = 0.001, 1, 50
        yield case(bT, 2 * bT, 0.0, (-bT, 10, "B"), (2 * bT, 1, "A"))
        yield case(bT, 2 * bT, 3.5, (0.0, 1000, "B"), (0.0, 1, "A"))
        yield case(
            bT,
            2 * bT,
            -64.0,
            (-3 * bT, 3, "B"),
            (bT, 1, "A"),
            (-2 * bT, 10**6, "B"),
            (4 * bT, 1, "A"),
        )
    for bT, r in ((1.0, 0.01), (1.0, 0.5), (3.0, 1.0), (0.25, 2.0), (1.0, 20.0), (0.5, 400.0)):
        yield case(bT, r * bT, 0.0, (bT, 30, "B"))
        yield case(bT, r * bT, 1.0, (-bT / 2, 2, "B"), (bT / 4, 1, "A"), (0.0, 10**12, "B"))
        yield case(
            bT,
            r * bT,
            0.0,
            (-bT, 1, "B"),
            (0.0, 1, "A"),
            (2 * bT, 3, "B"),
            (2 * bT, 1, "A"),
            (-4 * bT, 1000, "B"),
            (bT, 1, "A"),
        )
    yield case(
        1.0,
        1.0,
        10.0,
        (2.0, 10, "B"),
        (2.0, 1, "A"),
        (2.0, 30, "B"),
        (2.0, 1, "A"),
        (2.0, 1000, "B"),
    )  # equal values
    yield case(
        1.0,
        2.0,
        0.0,
        (-1.0, 10**6, "B"),
        (3.0, 10**12, "B"),
        (5.0, 1000, "B"),
        (0.0, 1, "A"),
        (7.0, 30, "B"),
        (9.0, 1, "A"),
    )
    yield case(2.0, 4.0, 0.0, (-140.0, 1, "B"))  # almost certain
    yield case(2.0, 4.0, 0.0, (-200.0, 10**6, "B"))
    yield case(2.0, 4.0, 0.0, (150.0, 1, "A"))
    yield case(
        1.0, 2.0, 100.0, (-180.0, 3, "B"), (180.0, 1, "A"), (-200.0, 10**12, "B"), (190.0, 1, "A")
    )
    yield case(1.0, 0.01, 0.0, (-35.0, 1000, "B"), (33.0, 1, "A"))
    yield case(0.01, 1.0, 0.0, (-35.0, 2, "B"), (40.0, 1, "A"))
    yield case(2.0, 1.0, 0.0, (1000.0, 1, "B"))  # very unlikely
    yield case(1.0, 0.5, 0.0, (1e6, 1, "B"))
    yield case(1.0, 400.0, 0.0, (8e4, 1000, "B"))
    yield case(2.0, 4.0, 0.0, (800.0, 10**12, "B"))
    yield case(2.0, 4.0, 0.0, (-800.0, 1, "A"), (-600.0, 1, "A"), (-700.0, 1, "A"))
    yield case(1.0, 1.0, 0.0, (200.0, 10**6, "B"), (-200.0, 1, "A"))
    yield case(1.0, 0.01, 0.0, (0.0, 10**6, "B"), (-2.0, 1, "A"))


def released_same_cases():
    for c, m in ((1, 10), (3, 50)):  # rows 0..3: the two pairs against Theorem 3 of Lecture 11
        for value in (0.0, 1.0):
            yield case(2.0, 2.0 * c, 0.0, (value, m, "B"), (0.0, 1, 0.0))
    yield case(2.0, 2.0, 0.0, (0.0, 1, 1.5))
    yield case(
        2.0,
        6.0,
        5.0,
        (-1.0, 100, "B"),
        (1.0, 1, 12.0),
        (0.0, 30, "B"),
        (4.0, 1, 9.5),
        (-3.0, 1, 7.25),
    )
    yield case(2000.0, 4000.0, 0.0, (-1000.0, 1000, "B"), (5000.0, 1, 9000.0))
    yield case(0.04, 0.08, 1.0, (-0.5, 10**12, "B"), (3.0, 1, 3.9))
    yield case(
        1.0, 20.0, 0.0, (0.0, 10**6, "B"), (2.0, 1, 0.0)
    )  # cut at the kink: ln is about -10^6 ln 2
    yield case(1.0, 2.0, 0.0, (0.0, 10**6, "B"), (2.0, 1, 3.0))  # cut far below the transition
    yield case(1.0, 0.01, 0.0, (0.5, 3, "B"), (0.25, 1, 0.5), (1.0, 1, 1.03))
    yield case(1.0, 2.0, -2.0, (-200.0, 2, "B"), (0.0, 1, -300.0))
    yield case(
        3.0, 1.5, 0.0, (1.0, 10, "B"), (1.0, 1, 1.0), (1.0, 10, "B"), (1.0, 1, 2.0), (1.0, 1, 200.0)
    )


def released_fresh_cases():
    for more in (dict(release_scale=3.0, redrawn=False), dict(release_scale=9.0, redrawn=True)):
        yield {**case(3.0, 6.0, 0.0, (-4.0, 10, "B"), (5.0, 1, 6.5)), **more}
        yield {
            **case(
                3.0,
                6.0,
                2.0,
                (-4.0, 1000, "B"),
                (20.0, 1, 13.0),
                (-1.0, 30, "B"),
                (30.0, 1, 30.0),
                (0.0, 2, "B"),
            ),
            **more,
        }
        yield {
            **case(
                2000.0,
                4000.0,
                0.0,
                (-9000.0, 10**6, "B"),
                (60000.0, 1, 61000.0),
                (-9000.0, 10**12, "B"),
                (99000.0, 1, "A"),
            ),
            **more,
        }
        yield {
            **case(
                1.0, 0.5, 0.0, (0.0, 1, -1.0), (0.0, 1, 2.0), (-150.0, 1, -150.0), (3.0, 3, "B")
            ),
            **more,
        }
        yield {
            **case(
                0.04, 0.08, 1.0, (0.0, 10**12, "B"), (0.0, 1, 1.0), (-1.0, 1, "A"), (2.0, 10, "B")
            ),
            **more,
        }


def no_query_noise_cases():
    yield case(2.0, 0.0, 0.0, (0.0, 1, "B"), (1.0, 1, "A"))
    yield case(2.0, 0.0, 0.0, (1.0, 1, "B"), (0.0, 1, "A"))  # the neighbour: impossible
    yield case(2.0, 0.0, 1.0, (0.5, 3, "B"), (0.5, 1, "A"))  # equal values: impossible
    yield case(1.0, 0.0, 3.0, (-2.0, 10**12, "B"), (-5.0, 10, "B"))
    yield case(1.0, 0.0, 0.0, (-40.0, 10, "B"), (45.0, 1, "A"))  # almost certain
    yield case(0.5, 0.0, 0.0, (100.0, 2, "B"), (101.0, 1, "A"), (100.5, 1, "A"))
    yield case(0.04, 0.0, -1.0, (-20.0, 1, "A"), (0.0, 1, "A"))


def main():
    begin, tables = time.time(), {}
    rows = tables["failure"] = []
    for eps in (1e-3, 0.05, 1.0, 7.5, 50.0):
        for k in (1, 2, 3, 10, 1000, 10**6, 10**12):
            for alpha in (x / eps for x in (0.0, 0.5, 5.0, 20.0, 60.0, 150.0, 300.0)):
                value = failure(
                    2 / mpf(eps),
                    4 / mpf(eps),
                    worst(mpf(alpha), k),
                    check=eps == 1 or len(rows) % 5 == 0,
                )
                rows.append(dict(eps=eps, k=k, alpha=alpha, failure=text(value)))
    rows = tables["alpha_exact"] = []
    for beta in (0.05, 1e-6, 0.3):
        for k in (1, 10, 1000, 10**12):

            def gap(a):  # by series; then checked by quadrature
                return mp.log(failure(mpf(2), mpf(4), worst(a, k), check=False) / mpf(beta))

            alpha = mp.findroot(
                gap,
                (4 * mp.log(k / beta), 4 * mp.log(k / beta) + 1),
                solver="secant",
                tol=mpf("1e-90"),
            )
            compare(failure(mpf(2), mpf(4), worst(alpha, k)), mpf(beta), "root")
            rows.append(dict(eps=1.0, beta=beta, k=k, alpha=text(alpha)))
    rows = tables["loss"] = []
    for eps in (1e-3, 0.1, 1.0, 10.0, 50.0):
        for k in (1, 2, 3, 10, 100, 10**4, 10**6, 10**12):
            one, two = ([(mpf(x), k - 1, False)][: k - 1] + [(mpf(1 - x), 1, True)] for x in (0, 1))
            value = log_pr(2 / mpf(eps), 4 / mpf(eps), one) - log_pr(
                2 / mpf(eps), 4 / mpf(eps), two
            )
            rows.append(dict(eps=eps, k=k, value=text(value)))
    tables["log_probability"] = finish(log_probability_cases(), log_transcript)
    tables["released_same"] = finish(released_same_cases(), log_transcript)
    tables["released_fresh"] = finish(released_fresh_cases(), log_transcript)
    tables["numbers"] = [{**row, "failure": text(numbers(*row.values()))} for row in number_cases()]
    tables["no_query_noise"] = finish(
        no_query_noise_cases(),
        lambda bT, bq, T, values, counts, transcript: no_noise(bT, T, values, transcript),
    )

    find = lambda name, field, **want: next(
        mpf(r[field]) for r in tables[name] if want.items() <= r.items()
    )
    same = [mpf(r["value"]) for r in tables["released_same"]]
    fail = lambda alpha, k, bT=2: failure(mpf(bT), mpf(2 * bT), worst(mpf(alpha), k))
    lecture11 = [
        log_pr(mpf(2), mpf(2), [(mpf(x), 99, False), (mpf(1 - x), 1, True)]) for x in (0, 1)
    ]
    for value, stated in (
        (find("loss", "value", eps=1.0, k=2), 0.395815334),
        (find("loss", "value", eps=1.0, k=10), 0.989259968),  # reference figures
        (find("loss", "value", eps=1.0, k=100), 1),
        (find("alpha_exact", "alpha", beta=0.05, k=1000), 37.7185),
        (find("alpha_exact", "alpha", beta=0.05, k=10), 19.3535),
        (fail(8 * mp.log(40000), 1000), 4.1667e-7),
        # Sparse, c = 2, sigma = 4:
        (1 - (1 - fail(40, 10, 4)) ** 2, 0.08382),
        (1 - (1 - fail(40, 1, 4)) * (1 - fail(40, 19, 4)), 0.08220),
        (lecture11[0] - lecture11[1], 1.5),
        (same[0] - same[1], 5),
        (same[2] - same[3], mpf(25) / 3),
    ):
        assert abs(value - stated) < 1e-4 * stated, (value, stated)
    pathlib.Path(__file__).with_name("sparse_vector.json").write_text(
        json.dumps(tables, indent=1) + "\n"
    )
    print(
        {name: len(rows) for name, rows in tables.items()},
        "checks:",
        checked,
        f"{time.time() - begin:.0f} s",
    )


if __name__ == "__main__":
    main()
