"""One set of services for all tests of this folder; each test has a resource group of its own."""

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
    """Give the owner's client."""
    with stage.compute() as client:
        yield client


@pytest.fixture
def group(stage: Stage) -> str:
    """Give a resource group with a virtual network."""
    stage.guests.outcomes.clear()
    stage.guests.told.clear()
    return stage.group()
