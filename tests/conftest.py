"""Hypothesis without chance and without a clock; what the check of an exercise prints."""

import pytest
from hypothesis import settings

# the same examples on every machine
settings.register_profile("workbook", derandomize=True, deadline=None, database=None)
settings.load_profile("workbook")


@pytest.fixture
def verdict(capsys):
    """What a check prints, with its line breaks as spaces."""

    def of(check, answer):
        assert check(answer) is None
        return " ".join(capsys.readouterr().out.split())

    return of
