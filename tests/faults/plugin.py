"""The pytest plugin: collects the result of each scenario and writes the report."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SEED
from tests.faults.report import Line, render
from tests.faults.scenarios import STORIES, Scenario

HERE = Path(__file__).parent
# A restart takes the same time at every time scale, but a deadline does not; this scale leaves room for many in a row.
SCALE = 40
FAMILY, NAME, OPERATION, SECONDS, MET = "family", "scenario", "operation", "seconds", "met"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the report's path."""
    parser.addoption("--report", type=Path, default=None, help="write what came of every scenario to this page")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Record the family of each test, so that the report counts the test whatever its result."""
    callspec = getattr(item, "callspec", None)
    scenario = callspec.params.get("scenario") if callspec else None
    marker = item.get_closest_marker("family")
    if isinstance(scenario, Scenario):
        item.user_properties += [(FAMILY, scenario.family), (NAME, str(scenario)), (OPERATION, scenario.operation)]
    else:
        family = marker.args[0] if marker else STORIES
        item.user_properties += [(FAMILY, family.name), (NAME, item.name)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the tests outside this folder, keep only the stories that `make test` leaves out."""
    chosen = [item for item in items if HERE in item.path.parents or item.get_closest_marker("thorough")]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


class Collector:
    """Collects the lines of the report, in the process that controls the run."""

    def __init__(self) -> None:
        self.lines: dict[str, Line] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the result of a phase of a test."""
        told: dict[str, Any] = {str(name): value for name, value in report.user_properties}
        if FAMILY not in told or (report.when != "call" and not report.failed):
            return
        before = self.lines.get(report.nodeid)
        error = " ".join(filter(None, [before.error if before else "", _error(report) if report.failed else ""]))
        if report.failed:
            # The run goes on for an hour, and pytest shows failures at its end.
            sys.stderr.write(f"\n{told.get(NAME, report.nodeid)}: {_error(report)}\n")
        self.lines[report.nodeid] = Line(
            told[FAMILY],
            told.get(NAME, report.nodeid),
            told.get(OPERATION, ""),
            told.get(SECONDS, report.duration),
            error,
            told.get(MET, True),
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report, if its path is given."""
        path: Path | None = session.config.getoption("--report")
        if path is not None:
            only = str(session.config.getoption("keyword"))
            path.write_text(render(self.lines.values(), os.environ[SEED], SCALE, only), encoding="utf-8")


def _error(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash is not None else report.longreprtext)


def pytest_configure(config: pytest.Config) -> None:
    """Register the collector, except in the workers of xdist."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Collector(), "faults-collector")
