"""Another table in the survey’s place; each test has a Python of its own, to read no survey."""

import copy
import functools
import subprocess
import sys

import numpy as np
import pytest

from course_lib.lab import data, histograms
from course_lib.lab.own_data import use_own_data
from course_lib.support.contracts import ParameterError
from tests.class_environment import ROOT

PARKING = """
import numpy as np
rng = np.random.default_rng(1)
table = np.zeros(5000, dtype=[("hours", int), ("zone", int), ("paid", bool)])
table["hours"], table["zone"] = rng.integers(0, 24, 5000), rng.integers(0, 8, 5000)
table["paid"] = rng.random(5000) < 0.7
counts = {f"{hours} hours or more": lambda rows, h=hours: rows["hours"] >= h for hours in range(24)}
attributes = {f"zone {zone}": lambda rows, z=zone: rows["zone"] == z for zone in range(7)}
attributes["paid"] = lambda rows: rows["paid"]
"""
USED = "from course_lib.lab.own_data import use_own_data\n"
CALL = "use_own_data(table, counts=counts, attributes=attributes)\n"
# Of every picture that shows the stream or the histogram, what it must show of this table.
SHOWN = """
from course_lib.demos import above_threshold, numeric_sparse
from course_lib.lab.histograms import survey_marginals
true = [int(np.sum(table["hours"] >= hours)) for hours in range(24)]
def drawn(picture, name):
    (layer,) = [l for axes in picture["axes"] for l in axes["layers"] if l["name"] == name]
    return layer["x"]
run = above_threshold.one_run(epsilon=1.0, threshold=100, num_queries=16, seed=11)
assert len(drawn(run, "count"))
assert drawn(run, "count") == true[: len(drawn(run, "count"))]
universe, histogram, queries = survey_marginals(8)
assert histogram.sum() == 5000
paid = (queries.rows @ histogram)[list(queries.names).index("paid")]
assert paid == table["paid"].sum()
assert above_threshold.STREAM[3].name == numeric_sparse.STREAM[3].name == "3 hours or more"
"""


def alone(code):
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


def test_the_pictures_show_another_table():
    done = alone(PARKING + USED + CALL + SHOWN)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "spoiled, told",
    [
        ("counts.popitem()", "counts must be 24 functions by name, got 23"),
        (
            "attributes['more'] = attributes['paid']",
            "attributes must be 8 functions by name, got 9",
        ),
        ("counts['0 hours or more'] = len", "counts must say yes or no of each row; '0 hours"),
        ("table = [1, 2]", "table must be an array with a record per row"),
        (
            "from course_lib.demos import above_threshold as a; a.health_values()",
            "restart the kernel",
        ),
    ],
)
def test_what_cannot_be_used_is_told_and_the_survey_stays(spoiled, told):
    kept = "finally:\n    from course_lib.lab.data import load_survey\n"
    kept += "    print(len(load_survey()))"
    done = alone(PARKING + USED + spoiled + "\ntry:\n    " + CALL + kept)
    assert told in done.stderr.splitlines()[-1]
    assert done.stdout == "20190\n"


TABLE = np.array([3, 1, 2])
YES = {f"at least {number}": lambda rows, n=number: rows >= n for number in range(24)}
EIGHT = dict(list(YES.items())[:8])


@pytest.fixture
def unread(monkeypatch):
    """What reads the survey, as if it had not been read, nor would be by the tests after this."""
    read = data.load_survey.__wrapped__
    monkeypatch.setattr(data, "load_survey", functools.cache(lambda: None))
    for room, name in ((data, "OWN_TABLE"), (data, "COUNTS"), (histograms, "NAMES")):
        monkeypatch.setattr(room, name, copy.copy(getattr(room, name)))
    monkeypatch.setattr(histograms, "ATTRIBUTES", dict(histograms.ATTRIBUTES))
    return read


def test_a_table_is_read_from_then_on_and_cannot_be_changed(unread):
    use_own_data(TABLE, counts=YES, attributes=EIGHT)
    kept = unread()
    assert kept.tolist() == [3, 1, 2] and kept is not TABLE and not kept.flags.writeable
    assert data.COUNTS == YES and histograms.NAMES == list(EIGHT)
    assert [histograms.ATTRIBUTES[name].holds for name in EIGHT] == list(EIGHT.values())


@pytest.mark.parametrize(
    "changed",
    [
        {"table": TABLE[:0]},
        {"table": TABLE.reshape(3, 1)},
        {"counts": EIGHT},
        {"attributes": YES},
        {"counts": YES | {"at least 5": lambda rows: rows}},
        {"attributes": EIGHT | {"at least 5": lambda rows: rows[1:] >= 5}},
    ],
)
def test_what_is_no_table_and_no_question_is_refused(unread, changed):
    with pytest.raises(ParameterError):
        use_own_data(**{"table": TABLE, "counts": YES, "attributes": EIGHT} | changed)
    assert not data.OWN_TABLE
