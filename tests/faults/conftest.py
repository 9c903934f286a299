"""The platforms of the scenarios, and the runs: scenarios that do not disturb each other share a platform, some at once."""

import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests import local_azure
from tests.conftest import SEED
from tests.faults import census
from tests.faults.plugin import MET, SCALE, SECONDS
from tests.faults.runner import Result, Stock, run
from tests.faults.scenarios import Scenario
from tests.product.integration.service.conftest import _own_platform, own_azure

# pytest finds fixtures and hooks by their names in a conftest.
__all__ = [
    "_own_platform",
    "own_azure",
]

# The keys of one cluster take a core for seconds.
AT_ONCE = 4


def _stock(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[Stock]:
    with local_azure.running(tmp_path_factory.mktemp(name) / "local-azure", SCALE) as platform:
        yield Stock(platform, random.Random(f"{os.environ[SEED]}/{name}"))  # noqa: S311 - for repeatable tests


def _expect_no_orphans(stock: Stock) -> None:
    wrong = census.settled(lambda: census.orphans(stock.azure.state))
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="session")
def shared_stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stock]:
    """Give the clusters of a platform on which what goes wrong goes wrong for one cluster alone."""
    for stock in _stock(tmp_path_factory, "shared"):
        yield stock
        _expect_no_orphans(stock)


@pytest.fixture(scope="session")
def lonely_stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stock]:
    """Give the clusters of a platform on which what goes wrong goes wrong for all."""
    for stock in _stock(tmp_path_factory, "lonely"):
        yield stock
        _expect_no_orphans(stock)


@pytest.fixture(scope="session")
def results(request: pytest.FixtureRequest, shared_stock: Stock) -> Iterator[dict[Scenario, Future[Result]]]:
    """Begin all chosen scenarios that may share a platform, some at once; give what will come of each."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    wanted = (item.callspec.params["scenario"] for item in items if "results" in item.fixturenames)
    chosen = [scenario for scenario in wanted if isinstance(scenario, Scenario)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {scenario: pool.submit(run, scenario, shared_stock, SCALE) for scenario in chosen}
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Callable[[Result], None]:
    """Give what tells the report of a result, and fails the test where something is wrong."""

    def told(result: Result) -> None:
        record_property(SECONDS, round(result.seconds, 1))
        record_property(MET, result.met)
        assert not result.violations, "\n".join(result.violations)

    return told
