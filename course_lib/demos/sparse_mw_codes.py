"""Made-up codes, their shares of a database, and random queries on them, for notebook 07."""

import functools

import numpy as np

CODES, ASKED = 300, 1000  # codes that somebody has, and queries of the longest run
NOBODY = 0.2  # of the codes in a query, those that nobody has


@functools.cache
def clinic():
    """Made-up codes in the manner of ICD-10, and the fraction of the rows with each: 1/rank."""
    rng = np.random.default_rng(7)
    names = dict.fromkeys(code(rng) for _ in range(2 * CODES))
    shares = 1 / np.arange(1, CODES + 1)
    return dict(zip(names, (shares / shares.sum()).tolist(), strict=False))


def code(rng):
    """A letter, two digits and up to three more."""
    digits = "".join(map(str, rng.integers(10, size=rng.integers(4))))
    stem = f"{'ABCDEFGHIJKLMNOPQRST'[rng.integers(20)]}{rng.integers(100):02}"
    return f"{stem}.{digits}" if digits else stem


@functools.lru_cache(16)
def random_queries(support, seed):
    """Which fraction of the rows has one of m codes? The codes are drawn by popularity."""
    rng, names = np.random.default_rng(seed), np.array(list(clinic()))
    keys = np.log(list(clinic().values())) + rng.gumbel(size=(ASKED, CODES))
    chosen = names[np.argsort(-keys, axis=1)[:, :support]]
    numbers = rng.integers(10**6, size=chosen.shape)
    nobody = rng.random(chosen.shape) < NOBODY
    return [
        {
            f"U{n // 10**4:02}.{n % 10**4:04}" if new else str(name): 1.0
            for name, n, new in zip(*row, strict=True)
        }
        for row in zip(chosen, numbers, nobody, strict=True)
    ]
