"""Hypothesis without chance and without a clock; what is slow; what a check prints; memory."""

import pytest
from hypothesis import settings
from ipywidgets import Widget

from tests import memory

# the same examples on every machine
settings.register_profile("workbook", derandomize=True, deadline=None, database=None)
settings.load_profile("workbook")


def pytest_configure(config):
    config.watch = memory.Watch()
    config.watch.start()


def pytest_collection_modifyitems(items):
    """Without the slow ones, what is left tests the core and the lab."""
    for item in items:
        if item.path.name.startswith(("test_demos_", "test_checks_", "test_start_here")):
            item.add_marker(pytest.mark.slow)


def pytest_sessionfinish(session):
    session.config.most = session.config.watch.stop()


def pytest_terminal_summary(terminalreporter, config):
    for name, most in config.most.items():
        limit = memory.LIMITS[name]
        terminalreporter.write_line(f"memory of {name}: {most:,.0f} MB at most, allowed {limit:,}")


@pytest.fixture(scope="module", autouse=True)
def nothing_left():
    yield
    forget()


@pytest.fixture
def nothing_left_of_it():
    """For files whose every test makes many panels."""
    yield
    forget()


def forget():
    """ipywidgets keeps every widget, and so every picture, until it is closed."""
    Widget.close_all()
    memory.free()


@pytest.fixture
def verdict(capsys):
    """What a check prints, with its line breaks as spaces."""

    def of(check, answer):
        assert check(answer) is None
        return " ".join(capsys.readouterr().out.split())

    return of
