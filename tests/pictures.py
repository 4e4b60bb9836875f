"""What a demo has drawn, for the tests to compare."""

import numpy as np


def lines(panel, axes=-1):
    """The lines of one pair of axes, by their labels."""
    return {line.get_label(): line for line in panel.figure.axes[axes].get_lines()}


def curves(axes):
    """The points of each line, by its label."""
    return {line.get_label(): np.asarray(line.get_data()) for line in axes.get_lines()}


def intervals(panel, axes=-1):
    """The vertical bars of one pair of axes: where each stands, its lower and its upper end."""
    (bars,) = (c for c in panel.figure.axes[axes].collections if hasattr(c, "get_segments"))
    segments = np.array(bars.get_segments())
    return segments[:, 0, 0], segments[:, 0, 1], segments[:, 1, 1]
