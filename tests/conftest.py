"""Shared by all tests: a printed seed, local Azures, a finished cluster, and of a failed test what its Azure saw."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import local_azure
from tests.entra_azure import EntraAzure
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.copies import copied, original
from tests.product.integration.service.stage import Cluster, delete_all

pytest_plugins = ["tests.xdist_groups", "tests.azure_verified", "tests.models.plugin"]

SEED = "TEST_SEED"
# How many of the last lines of logs and journal a failure shows.
LAST_LINES = 100
# What only a test that hangs takes, its platform's start and end included. Each of its waits has a limit of its own.
STORY_SECONDS = 1800
# What a test marked `slow` takes, if its marker names no other number.
SLOW_SECONDS = 20


def pytest_configure() -> None:
    """Choose the seed before the workers start, so that all have the same one; let examples take their time."""
    settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy machine")
    os.environ.setdefault(SEED, str(random.randrange(1_000_000)))  # noqa: S311 - for repeatable tests


def pytest_report_header() -> str:
    """Print the seed that repeats this run."""
    return f"seed: {os.environ[SEED]} (repeat with {SEED}={os.environ[SEED]})"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest stories first, so that no worker is left alone with them at the end.

    A module of quick tests runs on one worker, so what its fixtures prepare is prepared once. The garbage collector's
    warnings appear in whichever test runs at the time. Where processes and sockets are used, they are shown but do not
    fail that test.
    """
    items.sort(key=_seconds, reverse=True)
    for item in items:
        if "unit" not in item.path.parts:
            if not _seconds(item) and item.get_closest_marker("xdist_group") is None:
                item.add_marker(pytest.mark.xdist_group(item.path.parent.name + "-" + item.path.stem))
            item.add_marker(pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning"))
            item.add_marker(pytest.mark.timeout(STORY_SECONDS))


def _seconds(item: pytest.Item) -> int:
    """Return how long a test takes, roughly: the number in its `slow` marker."""
    marker = item.get_closest_marker("slow")
    if marker is None:
        return 0
    return int(marker.args[0]) if marker.args else SLOW_SECONDS


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Give random numbers that depend only on the seed and the test."""
    return random.Random(f"{os.environ[SEED]}/{request.node.nodeid}")  # noqa: S311 - for repeatable tests


@pytest.fixture(scope="session")
def azure(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[LocalAzure]:
    """Give the one local Azure of this session. Tests use unique names in it and kill nothing."""
    with local_azure.shared(of_session(tmp_path_factory, worker_id) / "local-azure") as platform:
        yield platform


@pytest.fixture(scope="session")
def entra_azure(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[EntraAzure]:
    """Give the one local Azure of this session whose service takes tokens. Tests use unique names and kill nothing."""
    state = of_session(tmp_path_factory, worker_id) / "entra-azure"
    with local_azure.shared(state, "--callers", "entra") as platform:
        yield EntraAzure(platform.state)


def of_session(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the folder that all workers of this session share."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def _own_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAzure]:
    with local_azure.running(tmp_path_factory.mktemp("own") / "local-azure") as platform:
        yield platform


@pytest.fixture
def own_azure(_own_platform: LocalAzure) -> Iterator[LocalAzure]:
    """Give a local Azure that one test at a time uses; the next one finds it serving, without faults or clusters.

    Tests that kill processes, inject faults or delete the task hub need it.
    """
    yield _own_platform
    _own_platform.control("DELETE", "/faults")
    wait_for(_own_platform.serves, "the resource provider after this test")
    delete_all(_own_platform)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Give the state folder of a local Azure with one finished cluster, which does not run and which nobody changes."""
    numbers = random.Random(f"{os.environ[SEED]}/finished")  # noqa: S311 - for repeatable tests
    return original(of_session(tmp_path_factory, worker_id), unique(numbers, "s"))


@pytest.fixture(scope="session")
def standing(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a finished cluster to the stories that leave it as they found it, or change what no other story reads.

    It was created with the first client secret of its principal. Nobody deletes it.
    """
    with copied(finished, tmp_path_factory.mktemp("standing") / "local-azure") as cluster:
        yield cluster


@pytest.fixture
def own_cluster(finished: Path, tmp_path: Path) -> Iterator[Cluster]:
    """Give a finished cluster that one story has for itself, on a local Azure of its own."""
    with copied(finished, tmp_path / "local-azure") as cluster:
        yield cluster


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
    call: pytest.CallInfo[None],  # noqa: ARG001 - the hook's signature
) -> Iterator[None]:
    """Add to the report of a failed test what its local Azure saw, and where its state is."""
    report: pytest.TestReport = yield  # type: ignore[assignment]  # a wrapper is sent the report
    if report.failed:
        # Some fixtures are not a platform but have one as `azure`.
        found = (getattr(value, "azure", value) for value in getattr(item, "funcargs", {}).values())
        for state in {platform.state for platform in found if isinstance(platform, LocalAzure)}:
            report.sections += _sections(state)
    return report  # type: ignore[return-value]  # the wrapper returns the report


def _sections(state: Path) -> list[tuple[str, str]]:
    from emulator.run.commands.logs import merged  # noqa: PLC0415 - only failures need it

    logs = state / "logs"
    sections = [("local Azure: state", f"{state}\nTry: python -m emulator explain OPERATION --state {state}")]
    if logs.exists():
        sections.append(
            ("local Azure: last lines of all logs and of the journal", "\n".join(merged(logs, "", LAST_LINES)))
        )
    return sections
