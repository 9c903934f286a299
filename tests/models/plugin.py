"""Validates at the end of a test run what the local Azure answered in it, and what the product sent to it.

Every local Azure of the run, in this process or another, writes its exchanges to one folder. The validation runs once,
in the process that also reports the tests: a violation fails the run, although no test failed.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from emulator.core.journal import OBSERVER
from tests.models.differences import DIFFERENCES, Row, is_of_product, row_of
from tests.models.exchanges import Exchange, Finding, check, read
from tests.models.samples import FOLDER, PLUG
from tests.models.sources import MissingPackageError

# A run of all of these must meet every difference.
WHOLE = ("tests/product/integration", "tests/emulator/integration", "tests/faults")
SHOWN = 40
_FOLDER = pytest.StashKey[Path]()
_REPORT = pytest.StashKey["Report"]()


@dataclass
class Report:
    """What the validation of a run found.

    Args:
        exchanges: how many exchanges were validated.
        violations: what is wrong, each with an exchange that shows it.
        met: the rows of differences that were met.
        unused: rows that a whole run did not meet.
        missing: packages that are not installed. `tests/emulator/unit/models` fails without them.
    """

    exchanges: int = 0
    violations: dict[str, Exchange] = field(default_factory=dict)
    met: set[Row] = field(default_factory=set)
    unused: list[Row] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)

    @property
    def failed(self) -> bool:
        """Whether the run has to fail."""
        return bool(self.violations or self.unused)


def validate(exchanges: Iterable[Exchange]) -> Report:
    """Validate exchanges, and tell what is wrong with them."""
    report = Report()
    for exchange in exchanges:
        report.exchanges += 1
        try:
            for found in check(exchange, sent_by_product=is_of_product(exchange)):
                _note(report, exchange, found)
        except MissingPackageError as error:
            report.missing.add(str(error))
    return report


def _note(report: Report, exchange: Exchange, found: Finding) -> None:
    row = row_of(found)
    if row is None:
        report.violations.setdefault(f"{exchange.service}: {exchange.operation}: {found}", exchange)
    else:
        report.met.add(row)


def pytest_configure(config: pytest.Config) -> None:
    """Name the folder before workers and platforms start, so that all write to it."""
    if not hasattr(config, "workerinput") and not os.environ.get(FOLDER):
        config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="exchanges-"))
        os.environ |= {FOLDER: str(config.stash[_FOLDER]), OBSERVER: PLUG}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Validate what was written, and fail the run for a violation."""
    folder = session.config.stash.get(_FOLDER, None)
    if folder is None:
        return
    report = validate(read(folder))
    if set(WHOLE) <= {argument.rstrip("/") for argument in session.config.args}:
        report.unused = [row for row in DIFFERENCES if row not in report.met]
    session.config.stash[_REPORT] = report
    if report.failed and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what is wrong."""
    report = config.stash.get(_REPORT, None)
    if report is None or not report.exchanges:
        return
    terminalreporter.section("exchanges with the local Azure, against the models of the newest SDKs")
    lines = [f"{text} [{shown.status}, {shown.correlation_id}]" for text, shown in report.violations.items()]
    lines += [f"no run met this difference, remove its row: {row}" for row in report.unused]
    lines += sorted(report.missing)
    for line in lines[:SHOWN]:
        terminalreporter.write_line(line)
    hidden = len(lines) - SHOWN
    terminalreporter.write_line(
        f"{report.exchanges} kinds of exchanges, {len(lines)} violations{f', {hidden} not shown' if hidden > 0 else ''}"
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder."""
    folder = config.stash.get(_FOLDER, None)
    if folder is not None:
        del os.environ[FOLDER], os.environ[OBSERVER]
        shutil.rmtree(folder, ignore_errors=True)
