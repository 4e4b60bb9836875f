"""Hypothesis without chance and without a clock: the same examples on every machine."""

from hypothesis import settings

settings.register_profile("workbook", derandomize=True, deadline=None, database=None)
settings.load_profile("workbook")
