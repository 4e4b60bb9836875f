"""Hypothesis without chance and without a clock; what is slow; what a check prints."""

import pytest
from hypothesis import settings
from ipywidgets import Widget

# the same examples on every machine
settings.register_profile("workbook", derandomize=True, deadline=None, database=None)
settings.load_profile("workbook")


def pytest_collection_modifyitems(items):
    """Without the slow ones, what is left tests the core and the lab."""
    for item in items:
        if item.path.name.startswith(("test_demos_", "test_checks_", "test_start_here")):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module", autouse=True)
def no_panels_left():
    """ipywidgets keeps every widget, and so every picture, until it is closed."""
    yield
    Widget.close_all()


@pytest.fixture
def verdict(capsys):
    """What a check prints, with its line breaks as spaces."""

    def of(check, answer):
        assert check(answer) is None
        return " ".join(capsys.readouterr().out.split())

    return of
