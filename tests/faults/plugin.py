"""pytest's part: collects what came of each scenario, tells it while the run goes on, and writes the report."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SEED
from tests.faults.report import Line, render
from tests.faults.scenarios import STORIES, Scenario

HERE = Path(__file__).parent
# A restart takes the same seconds at every time scale, a deadline does not: this one leaves room for many in a row.
SCALE = 40
FAMILY, NAME, OPERATION, SECONDS, MET = "family", "scenario", "operation", "seconds", "met"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add where the report goes."""
    parser.addoption("--report", type=Path, default=None, help="write what came of every scenario to this page")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Say of which family a test is, so that the report counts it whatever comes of it."""
    callspec = getattr(item, "callspec", None)
    scenario = callspec.params.get("scenario") if callspec else None
    marker = item.get_closest_marker("family")
    if isinstance(scenario, Scenario):
        item.user_properties += [(FAMILY, scenario.family), (NAME, str(scenario)), (OPERATION, scenario.operation)]
    else:
        family = marker.args[0] if marker else STORIES
        item.user_properties += [(FAMILY, family.name), (NAME, item.name)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the other tests, keep the stories that `make test` has no time for."""
    chosen = [item for item in items if HERE in item.path.parents or item.get_closest_marker("thorough")]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


class Collector:
    """Collects the lines of the report, on the process that controls the run."""

    def __init__(self) -> None:
        self.lines: dict[str, Line] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a phase of a test has come to."""
        told: dict[str, Any] = {str(name): value for name, value in report.user_properties}
        if FAMILY not in told or (report.when != "call" and not report.failed):
            return
        before = self.lines.get(report.nodeid)
        error = " ".join(filter(None, [before.error if before else "", _error(report) if report.failed else ""]))
        self.lines[report.nodeid] = Line(
            told[FAMILY],
            told.get(NAME, report.nodeid),
            told.get(OPERATION, ""),
            told.get(SECONDS, report.duration),
            error,
            told.get(MET, True),
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page."""
        path: Path | None = session.config.getoption("--report")
        if path is not None:
            only = str(session.config.getoption("keyword"))
            path.write_text(render(self.lines.values(), os.environ[SEED], SCALE, only), encoding="utf-8")


def _error(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash is not None else report.longreprtext)


def pytest_configure(config: pytest.Config) -> None:
    """Collect, but not in the workers of xdist."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Collector(), "faults-collector")
