"""Right answers to the exercises of notebook 08, written in ways of which there are many."""

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from course_lib.alp import alp_expected_error
from course_lib.toolbox import randomised_response


def fair(cost):
    return 1 / (1 + math.exp(cost))


def bit_by_bit(bits, cost, rng):
    flipped = bits.copy()
    for row in range(bits.shape[0]):
        for column in range(bits.shape[1]):
            if rng.random() < fair(cost):
                flipped[row, column] = 1 - bits[row, column]
    return flipped


def by_choice(bits, cost, rng):
    p = fair(cost)
    return [[int(rng.choice([bit, 1 - bit], p=[1 - p, p])) for bit in row] for row in bits]


def kept_or_random(bits, cost, rng):
    """A random bit with probability 2p: half of the time it is the bit itself."""
    return np.where(rng.random(bits.shape) < 2 * fair(cost), rng.integers(2, size=bits.shape), bits)


def by_likelihood(bits, cost, rng):
    """The chance that a 1 comes out, given the bit."""
    return rng.random(bits.shape) < np.where(bits == 1, 1 - fair(cost), fair(cost))


def binomial_number(bits, cost, rng):
    """First how many, then where."""
    flat = bits.flatten()
    number = rng.binomial(flat.size, fair(cost))
    places = rng.choice(flat.size, size=number, replace=False)
    flat[places] = 1 - flat[places]
    return flat.reshape(bits.shape)


RIGHT_FLIP = {
    "loops": bit_by_bit,
    "choice": by_choice,
    "kept or random": kept_or_random,
    "likelihood": by_likelihood,
    "a binomial number": binomial_number,
    "signs": lambda b, c, r: (
        ((2 * b - 1) * np.where(r.random(b.shape) * (np.exp(c) + 1) < 1, -1, 1) + 1) / 2
    ),
    "binomial": lambda b, c, r: (b + r.binomial(1, fair(c), size=b.shape)) % 2,
    "not kept": lambda b, c, r: b == (r.random(b.shape) > fair(c)),
    "exponential": lambda b, c, r: np.abs(b - (r.exponential(size=b.shape) > np.log1p(np.exp(c)))),
    "logistic noise": lambda b, c, r: b ^ (r.logistic(size=b.shape) > c),
    "a race": lambda b, c, r: b ^ (r.gumbel(size=b.shape) > r.gumbel(c, size=b.shape)),
    "ALP1’s p": lambda b, c, r: b ^ (r.random(b.shape) < 1 / (np.expm1(c) + 2)),
    "the toolbox": lambda b, c, r: randomised_response(b, epsilon=c, rng=r),
    "columns": lambda b, c, r: (
        np.stack([column ^ (r.random(len(column)) < fair(c)) for column in b.T]).T
    ),
    "bytes": lambda b, c, r: b.astype(np.uint8) ^ (r.random(b.shape) < fair(c)),
    "a generator of its own": lambda b, c, r: (
        b ^ (np.random.default_rng(r.integers(2**60)).random(b.shape) < fair(c))
    ),
}


def value_by_value(values, step, rng):
    print("rounding", values)
    rounded = []
    for value in values:
        low = math.floor(value / step) * step
        rounded.append(low + step if rng.random() * step < value - low else low)
    return rounded


def between_neighbours(values, step, rng):
    low, high = step * np.floor(values / step), step * np.ceil(values / step)
    return np.where(rng.random(len(values)) < (high - values) / step, low, high)


def by_choice_of_neighbour(values, step, rng):
    rounded = []
    for value in values:
        low, rest = divmod(value, step)
        up = rest / step
        rounded.append(step * rng.choice([low, low + 1], p=[1 - up, up]))
    return rounded


def by_reciprocal(values, step, rng):
    """1/2.5 is not exact in binary: results are off by rounding, and no more."""
    per_step = 1 / step
    return np.floor(values * per_step + rng.random(values.shape)) / per_step


RIGHT_ROUNDING = {
    "loops": value_by_value,
    "neighbours": between_neighbours,
    "choice": by_choice_of_neighbour,
    "reciprocal": by_reciprocal,
    "up from below": lambda v, s, r: s * np.ceil(v / s - r.random(v.shape)),
    "nearest": lambda v, s, r: s * np.rint((v + r.uniform(-s / 2, s / 2, size=v.shape)) / s),
    "whole numbers": lambda v, s, r: (v / s + r.random(v.size)).astype(int) * s,
    "binomial": lambda v, s, r: v - v % s + s * r.binomial(1, v % s / s),
    "modf": lambda v, s, r: s * (np.modf(v / s)[1] + (np.modf(v / s)[0] > r.random(v.shape))),
    "rest": lambda v, s, r: v - v % s + np.where(s * r.random(v.shape) < v % s, s, 0),
    "added first": lambda v, s, r: (w := v + r.uniform(0, s, size=v.shape)) - w % s,
    "down": lambda v, s, r: (v + s * r.random(v.shape)) // s * s,
    "backwards": lambda v, s, r: s * np.floor(v[::-1] / s + r.random(v.size))[::-1],
    "fractions": lambda v, s, r: [Fraction(s) * math.floor(x / s + r.random()) for x in v],
    "a little off": lambda v, s, r: s * np.floor(v / s + r.random(v.shape)) * (1 + 1e-12),
}


def step_by_step(bits):
    height, top, tops = 0, 0, [0]
    for n, bit in enumerate(bits, start=1):
        height += 1 if bit else -1
        if height > top:
            top, tops = height, [n]
        elif height == top:
            tops.append(n)
    return sum(tops) / len(tops)


def by_likelihood_of(bits):
    """The posterior’s top: where most bits agree with the code of n."""
    agree = [int(bits[:n].sum() + (1 - bits[n:]).sum()) for n in range(len(bits) + 1)]
    return np.mean([n for n, number in enumerate(agree) if number == max(agree)])


RIGHT_ESTIMATE = {
    "steps": step_by_step,
    "agreement": by_likelihood_of,
    "fraction": lambda b: Fraction(step_by_step(b)),
    "signs": lambda b: np.average(
        np.arange(len(b) + 1),
        weights=(w := np.concatenate([[0], np.where(b == 1, 1, -1).cumsum()])) == w.max(),
    ),
    "halves": lambda b: np.argwhere(
        (w := np.cumsum(np.insert(b - 0.5, 0, 0))) >= max(w) - 0.1
    ).mean(),
    "an array of one": lambda b: np.array(step_by_step(b)),
}


def one_by_one(values, cap, alpha, sensitivity, epsilon, alp1):
    scale = epsilon / sensitivity
    return [alp1(scale * value, scale * cap, alpha) / scale for value in values]


def one_array_each(values, cap, alpha, sensitivity, epsilon, alp1):
    scale = epsilon / sensitivity
    pieces = [alp1(np.array([value]) * scale, cap * scale, alpha) for value in values]
    return np.concatenate(pieces) / scale


def with_keywords(values, cap, alpha, sensitivity, epsilon, alp1):
    unit = sensitivity / epsilon
    found = alp1(alpha=alpha, cap=cap / unit, values=[value / unit for value in values])
    return [each * unit for each in found]


def cut_first(values, cap, alpha, sensitivity, epsilon, alp1):
    cut = np.minimum(values, cap) / sensitivity * epsilon
    found = alp1(cut, cap / sensitivity * epsilon, alpha) / epsilon * sensitivity
    return np.clip(found, 0, cap)


def in_two_stages(values, cap, alpha, sensitivity, epsilon, alp1):
    """First an ALP for sensitivity 1, then one for any."""

    def for_one(values, cap):
        return alp1(values * epsilon, cap * epsilon, alpha) / epsilon

    return sensitivity * for_one(values / sensitivity, cap / sensitivity)


RIGHT_SCALING = {
    "one by one": one_by_one,
    "one array each": one_array_each,
    "keywords": with_keywords,
    "cut first": cut_first,
    "two stages": in_two_stages,
    "reciprocal": lambda v, c, a, d, e, alp1: (d / e) * alp1(v / (d / e), c / (d / e), a),
}


def on_a_grid(step):
    def best_alpha(load):
        alphas = np.arange(0.5, 20, step)
        return alphas[np.argmin(alp_expected_error(load=load, alpha=alphas, epsilon=1))]

    return best_alpha


def by_hand(alpha, load):
    p = 1 / (alpha + 2)
    g = p + load * (1 - 2 * p)
    return alpha * (0.5 + 4 * g * (1 - g) / (1 - 2 * g) ** 2)


RIGHT_BEST = {
    "grid of 0.01": on_a_grid(0.01),
    "grid of 0.02": on_a_grid(0.02),
    "grid of 0.05": on_a_grid(0.05),
    "1 decimal": lambda load: round(2 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2), 1),
    "scipy": lambda load: minimize_scalar(by_hand, bounds=(0.1, 50), args=(load,)).x,
    "Nelder and Mead": lambda load: minimize(
        lambda x: by_hand(x[0], load), [3.0], method="Nelder-Mead"
    ).x[0],
    "BFGS": lambda load: float(minimize(lambda x: by_hand(x[0], load), [3.0]).x[0]),
    "expanded": lambda load: 2 / (0.5 + 2 * load - 2 * load**2) ** 0.5,
    "rounded": lambda load: round(2 / math.sqrt(1 - (1 - 2 * load) ** 2 / 2), 2),
    "an array of one": lambda load: np.array(2 / np.sqrt(1 - (1 - 2 * load) ** 2 / 2)),
    "single precision": lambda load: np.float32(2 / np.sqrt(1 - (1 - 2 * load) ** 2 / 2)),
}
