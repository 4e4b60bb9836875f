"""Products of matrices and vectors that are computed in one thread.

NumPy leaves a product to BLAS, which divides a large one among as many threads as there are cores.
Where another program keeps a core busy, the threads wait for each other, milliseconds at a time,
and the product takes many times as long. Here a large one is the sum of pieces that BLAS does not
divide.
"""

import itertools

import numpy as np

# OpenBLAS divides more than 2^18 multiplications. Where one side is a vector, some versions divide
# from 9,216 on; where both are, it does beyond 10,000.
PRODUCTS, _WITH_A_VECTOR = 2**18, 2**13


def one_thread_product(left, right):
    """left @ right, of numbers; `right` is a matrix or a vector."""
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    rows, columns = left.reshape(-1, len(right)), right.reshape(len(right), -1)
    pieces = _pieces(*rows.shape, columns.shape[1])
    if len(pieces) == 1:
        return left @ right
    product = np.zeros((len(rows), columns.shape[1]))
    for i, x, j in pieces:
        product[i, j] += rows[i, x] @ columns[x, j]
    return product.reshape(left.shape[:-1] + right.shape[1:])


def _pieces(height, depth, width):
    """The rows, the terms of their sums and the columns of each piece, as slices."""
    most = _WITH_A_VECTOR if 1 in (height, width) else PRODUCTS
    if height * depth * width <= most:
        return [(slice(None),) * 3]
    # A piece may be the last, of one row or of one column: that is a product with a vector.
    side = min(height, width, PRODUCTS // _WITH_A_VECTOR)
    terms = min(depth, _WITH_A_VECTOR // side)
    columns = min(width, _WITH_A_VECTOR // terms)
    rows = min(_WITH_A_VECTOR // terms, PRODUCTS // (terms * columns))
    steps = ((height, rows), (depth, terms), (width, columns))
    cuts = ([slice(i, i + step) for i in range(0, length, step)] for length, step in steps)
    return list(itertools.product(*cuts))
