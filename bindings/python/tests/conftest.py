"""What holds for all tests: how long one example of a property takes says more of the machine than of the package, and a test
does not answer for what others leave behind."""

from collections.abc import Generator

import pytest

try:
    from hypothesis import settings
except ImportError:  # Then the properties are skipped.
    pass
else:
    settings.register_profile("any machine", deadline=None)
    settings.load_profile("any machine")

failed: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        failed.append(report.nodeid)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Ignore unclosed sockets once a test has failed: they may be its own, and are collected in any later test."""
    if failed:
        item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))
    return (yield)
