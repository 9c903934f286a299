"""The platforms of the stories that kill processes, put faults in force or take the task hub away."""

from collections.abc import Iterator

import pytest

from tests.integration import local_azure
from tests.integration.local_azure import LocalAzure, wait_for
from tests.integration.service.stage import delete_all

# A restart takes the same seconds at every time scale, a deadline does not.
PATIENT_SCALE = 40


@pytest.fixture(scope="package")
def _own_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAzure]:
    with local_azure.running(tmp_path_factory.mktemp("own") / "local-azure") as platform:
        yield platform


@pytest.fixture(scope="package")
def _patient_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAzure]:
    with local_azure.running(tmp_path_factory.mktemp("patient") / "local-azure", PATIENT_SCALE) as platform:
        yield platform


@pytest.fixture
def patient_azure(_patient_platform: LocalAzure) -> Iterator[LocalAzure]:
    """Give a local Azure as `own_azure`, whose deadlines have room for many restarts of the host in a row."""
    yield from _for_one_test(_patient_platform)


@pytest.fixture
def own_azure(_own_platform: LocalAzure) -> Iterator[LocalAzure]:
    """Give a local Azure that only one test at a time uses; the next finds it without faults or clusters, and serving."""
    yield from _for_one_test(_own_platform)


def _for_one_test(platform: LocalAzure) -> Iterator[LocalAzure]:
    yield platform
    platform.control("DELETE", "/faults")
    wait_for(platform.serves, "the resource provider after this test")
    delete_all(platform)
