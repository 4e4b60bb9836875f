"""A table of your own in the survey's place, for the demos of notebooks 00 to 07."""

import numpy as np

from course_lib.lab import data, histograms
from course_lib.support.contracts import ParameterError, shown


def use_own_data(table, *, counts, attributes):
    """Put a table in the survey's place; call it in the first cell, before any other import.

    `table` is a NumPy array with a record per row. `counts` maps 24 names to functions that take
    the table and say for each row whether it is counted. `attributes` maps 8 names to functions of
    the same kind, the yes-or-no questions of which notebooks 05 to 07 make marginals. Neither may
    be chosen by looking at the rows: that would be an answer which costs privacy.

    The pictures, their captions and their numbers follow. The texts around them, and the checks of
    their numbers in a notebook's last cell, still speak of the survey.
    """
    if data.load_survey.cache_info().currsize:
        raise ParameterError("use_own_data must come before the survey is read: restart the kernel")
    if not isinstance(table, np.ndarray) or table.ndim != 1 or not len(table):
        raise ParameterError(f"table must be an array with a record per row, got {shown(table)}")
    for name, given, ours in (
        ("counts", counts, data.COUNTS),
        ("attributes", attributes, histograms.NAMES),
    ):
        if len(given) != len(ours):
            raise ParameterError(f"{name} must be {len(ours)} functions by name, got {len(given)}")
        for title, function in given.items():
            holds = np.asarray(function(table))
            if holds.shape != table.shape or holds.dtype != bool:
                raise ParameterError(f"{name} must say yes or no of each row; {title!r} does not")
    table = table.copy()
    table.flags.writeable = False
    data.OWN_TABLE[:] = [table]
    data.COUNTS.clear()
    data.COUNTS.update(counts)
    histograms.NAMES[:] = attributes
    histograms.ATTRIBUTES |= {
        name: histograms.Attribute(holds, "one of your own") for name, holds in attributes.items()
    }
