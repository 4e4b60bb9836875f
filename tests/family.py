"""What the tests of the sparse-vector family share: 30 digits, rows, queries of given values."""

import json
from pathlib import Path

from course_lib.exact.family import Variant

ORACLE = json.loads((Path(__file__).parent / "oracles" / "sparse_vector.json").read_text())


def row(threshold_scale, query_scale, *, redrawn=False, released=None, release_scale=0.0):
    return Variant(
        "row", threshold_scale, query_scale, redrawn, released, None, release_scale=release_scale
    )


def asking(values):
    return [lambda data, value=value: value for value in values]
