"""One set of services for all tests of this folder; each test has its own resource group."""

from collections.abc import Iterator

import pytest
from azure.mgmt.compute import ComputeManagementClient

from tests.emulator.integration.compute.stage import Stage, running


@pytest.fixture(scope="package")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Run the services while this folder's tests run."""
    with running(tmp_path_factory.mktemp("state")) as services:
        yield services


@pytest.fixture
def compute(stage: Stage) -> Iterator[ComputeManagementClient]:
    """Yield the owner's client."""
    with stage.compute() as client:
        yield client


@pytest.fixture
def group(stage: Stage) -> str:
    """Create a resource group with a virtual network; return its name."""
    stage.guests.outcomes.clear()
    stage.guests.told.clear()
    return stage.group()
