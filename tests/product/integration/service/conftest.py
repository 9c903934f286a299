"""The platform of the stories that kill processes, inject faults or delete the task hub."""

from collections.abc import Iterator

import pytest

from tests import local_azure
from tests.local_azure import LocalAzure, wait_for
from tests.product.integration.service.stage import delete_all


@pytest.fixture(scope="package")
def _own_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAzure]:
    with local_azure.running(tmp_path_factory.mktemp("own") / "local-azure") as platform:
        yield platform


@pytest.fixture
def own_azure(_own_platform: LocalAzure) -> Iterator[LocalAzure]:
    """Give a local Azure that one test at a time uses; the next one finds it serving, without faults or clusters."""
    yield _own_platform
    _own_platform.control("DELETE", "/faults")
    wait_for(_own_platform.serves, "the resource provider after this test")
    delete_all(_own_platform)
