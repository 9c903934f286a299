"""The platforms and the runs: scenarios that do not disturb each other share a platform, several at a time."""

import os
import random
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests import local_azure
from tests.conftest import SEED
from tests.faults.checks import census
from tests.faults.plugin import MET, SCALE, SECONDS
from tests.faults.runner import Result, SpareClusters, run
from tests.faults.scenarios import Scenario

# Generating the keys of a cluster takes a core for seconds.
AT_ONCE = 4


def _clusters(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[SpareClusters]:
    with local_azure.running(tmp_path_factory.mktemp(name) / "local-azure", SCALE) as platform:
        yield SpareClusters(platform, random.Random(f"{os.environ[SEED]}/{name}"))  # noqa: S311 - for repeatable tests


def _expect_no_orphans(clusters: SpareClusters) -> None:
    wrong = census.settled(lambda: census.orphans(clusters.azure.state))
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="session", autouse=True)
def _proxies() -> Iterator[None]:
    """Read the proxies again if the environment changes meanwhile.

    Scenarios of several tests run in threads. `requests` reads all environment variables before each call, and fails
    where pytest removes its own at that moment.
    """
    read = urllib.request.getproxies_environment

    def proxies() -> dict[str, str]:
        while True:
            with suppress(KeyError):
                return read()

    with pytest.MonkeyPatch.context() as patch:
        for where in ("urllib.request.getproxies_environment", "requests.utils.getproxies"):
            patch.setattr(where, proxies)
        yield


@pytest.fixture(scope="session")
def shared_clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpareClusters]:
    """Give the clusters of a platform on which each scenario affects only its own cluster."""
    for clusters in _clusters(tmp_path_factory, "shared"):
        yield clusters
        _expect_no_orphans(clusters)


@pytest.fixture(scope="session")
def lonely_clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpareClusters]:
    """Give the clusters of a platform on which each scenario affects all clusters."""
    for clusters in _clusters(tmp_path_factory, "lonely"):
        yield clusters
        _expect_no_orphans(clusters)


@pytest.fixture(scope="session")
def results(request: pytest.FixtureRequest, shared_clusters: SpareClusters) -> Iterator[dict[Scenario, Future[Result]]]:
    """Start all chosen scenarios that may share a platform, some at the same time; give the future result of each."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    wanted = (item.callspec.params["scenario"] for item in items if "results" in item.fixturenames)
    chosen = [scenario for scenario in wanted if isinstance(scenario, Scenario)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {scenario: pool.submit(run, scenario, shared_clusters, SCALE) for scenario in chosen}
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Callable[[Result], None]:
    """Give a function that records a result for the report, and fails the test if there are violations."""

    def told(result: Result) -> None:
        record_property(SECONDS, round(result.seconds, 1))
        record_property(MET, result.met)
        assert not result.violations, "\n".join(result.violations)

    return told
