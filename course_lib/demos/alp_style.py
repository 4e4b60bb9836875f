"""One style for each way to release a sparse vector, in all pictures of notebook 08."""

from course_lib.demos.drawing import ADVANCED, BASIC, EXACT, THRESHOLD, VALUES

LAPLACE = BASIC  # noise on each of the d entries
THRESHOLDED = THRESHOLD
ALP = EXACT
THRESHOLD_ALP = ADVANCED | {"linestyle": (0, (6, 1, 1.5, 1)), "linewidth": 3}
HISTOGRAM = {"color": VALUES["color"], "linestyle": "-."}  # ALP with the scale for histograms
