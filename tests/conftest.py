"""Hypothesis without chance and without a clock; what is slow; what a check prints; memory."""

import pytest
from hypothesis import settings
from ipywidgets import Widget

from tests import memory

# the same examples on every machine
settings.register_profile("workbook", derandomize=True, deadline=None, database=None)
settings.load_profile("workbook")


def is_worker(config):
    """Whether this is one of several processes that share the tests."""
    return hasattr(config, "workerinput")


def pytest_configure(config):
    if not is_worker(config):
        config.watch = memory.Watch(shared=bool(config.getoption("numprocesses", 0)))
        config.watch.start()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from tests.workers import FromBothEnds

    return FromBothEnds(config, log)


def pytest_collection_modifyitems(config, items):
    """Without the slow ones, what is left tests the core and the lab."""
    for item in items:
        if item.path.name.startswith(("test_demos_", "test_checks_", "test_start_here")):
            item.add_marker(pytest.mark.slow)
    if is_worker(config):
        from tests.workers import place

        items.sort(key=place)


def pytest_sessionfinish(session):
    if not is_worker(session.config):
        session.config.most = session.config.watch.stop()
        if session.exitstatus == pytest.ExitCode.OK and memory.too_much(session.config.most):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    for name, most in config.most.items():
        limit = memory.LIMITS[name]
        terminalreporter.write_line(f"memory of {name}: {most:,.0f} MB at most, allowed {limit:,}")
    for name in memory.too_much(config.most):
        terminalreporter.write_line(f"FAILED: {name} took too much memory", red=True)


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
