"""Right answers to the exercises of notebook 08, written in ways of which there are many."""

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from course_lib.alp import alp_expected_error


def bit_by_bit(bits, alpha, rng):
    flipped = bits.copy()
    for row in range(bits.shape[0]):
        for column in range(bits.shape[1]):
            if rng.random() < 1 / (alpha + 2):
                flipped[row, column] = 1 - bits[row, column]
    return flipped


def by_choice(bits, alpha, rng):
    p = 1 / (alpha + 2)
    return [[int(rng.choice([bit, 1 - bit], p=[1 - p, p])) for bit in row] for row in bits]


def kept_or_random(bits, alpha, rng):
    """A random bit with probability 2p: half of the time it is the bit itself."""
    return np.where(
        rng.random(bits.shape) < 2 / (alpha + 2), rng.integers(2, size=bits.shape), bits
    )


def by_likelihood(bits, alpha, rng):
    """The chance that a 1 comes out, given the bit."""
    return rng.random(bits.shape) < np.where(bits == 1, (alpha + 1) / (alpha + 2), 1 / (alpha + 2))


def binomial_number(bits, alpha, rng):
    """First how many, then where."""
    flat = bits.flatten()
    number = rng.binomial(flat.size, 1 / (alpha + 2))
    places = rng.choice(flat.size, size=number, replace=False)
    flat[places] = 1 - flat[places]
    return flat.reshape(bits.shape)


RIGHT_FLIP = {
    "loops": bit_by_bit,
    "choice": by_choice,
    "kept or random": kept_or_random,
    "likelihood": by_likelihood,
    "a binomial number": binomial_number,
    "signs": lambda b, a, r: (
        ((2 * b - 1) * np.where(r.random(b.shape) * (a + 2) < 1, -1, 1) + 1) / 2
    ),
    "binomial": lambda b, a, r: (b + r.binomial(1, 1 / (a + 2), size=b.shape)) % 2,
    "not kept": lambda b, a, r: b == (r.random(b.shape) > 1 / (a + 2)),
    "exponential": lambda b, a, r: np.abs(b - (r.exponential(size=b.shape) > np.log(a + 2))),
    "columns": lambda b, a, r: np.stack([c ^ (r.random(len(c)) < 1 / (a + 2)) for c in b.T]).T,
    "bytes": lambda b, a, r: b.astype(np.uint8) ^ (r.random(b.shape) < 1 / (a + 2)),
    "a generator of its own": lambda b, a, r: (
        b ^ (np.random.default_rng(r.integers(2**60)).random(b.shape) < 1 / (a + 2))
    ),
}


def value_by_value(values, rng):
    print("rounding", values)
    return [math.floor(v) + (rng.random() < v - math.floor(v)) for v in values]


def between_neighbours(values, rng):
    low, high = np.floor(values), np.ceil(values)
    return np.where(rng.random(len(values)) < high - values, low, high)


def by_choice_of_neighbour(values, rng):
    rounded = []
    for value in values:
        low = int(value)
        rounded.append(rng.choice([low, low + 1], p=[1 - (value - low), value - low]))
    return rounded


RIGHT_ROUNDING = {
    "loops": value_by_value,
    "neighbours": between_neighbours,
    "choice": by_choice_of_neighbour,
    "up from below": lambda v, r: np.ceil(v - r.random(v.shape)),
    "nearest": lambda v, r: np.rint(v + r.uniform(-0.5, 0.5, size=v.shape)),
    "whole numbers": lambda v, r: (v + r.random(v.size)).astype(int),
    "binomial": lambda v, r: np.floor(v) + r.binomial(1, v % 1),
    "modf": lambda v, r: np.modf(v)[1] + (np.modf(v)[0] > r.random(v.shape)),
    "divmod": lambda v, r: v // 1 + 1 - (r.random(v.shape) >= v % 1),
    "backwards": lambda v, r: np.floor(v[::-1] + r.random(v.size))[::-1],
    "fractions": lambda v, r: [Fraction(math.floor(x + r.random())) for x in v],
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


def one_by_one(values, cap, alpha, epsilon, alp1):
    return [alp1(epsilon * value, epsilon * cap, alpha) / epsilon for value in values]


def one_array_each(values, cap, alpha, epsilon, alp1):
    pieces = [alp1(np.array([value]) * epsilon, cap * epsilon, alpha) for value in values]
    return np.concatenate(pieces) / epsilon


def with_keywords(values, cap, alpha, epsilon, alp1):
    found = alp1(alpha=alpha, cap=epsilon * cap, values=[epsilon * value for value in values])
    return [each / epsilon for each in found]


def cut_first(values, cap, alpha, epsilon, alp1):
    cut = np.minimum(values, cap) * epsilon
    return np.clip(alp1(cut, cap * epsilon, alpha) / epsilon, 0, cap)


def zeros_apart(values, cap, alpha, epsilon, alp1):
    """Each entry is asked about once, so nothing is left out."""
    estimates = np.empty(len(values))
    for part in (values == 0, values != 0):
        estimates[part] = alp1(values[part] * epsilon, cap * epsilon, alpha) / epsilon
    return estimates


RIGHT_SCALING = {
    "one by one": one_by_one,
    "one array each": one_array_each,
    "keywords": with_keywords,
    "cut first": cut_first,
    "zeros apart": zeros_apart,
    "reciprocal": lambda v, c, a, e, alp1: (1 / e) * alp1(v / (1 / e), c / (1 / e), a),
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
