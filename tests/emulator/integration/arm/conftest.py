"""One set of services for all tests of this folder; each test works in its own resource group."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from azure.mgmt.resource.resources import ResourceManagementClient

from tests.emulator.integration.arm.stage import Stage, running


@pytest.fixture(scope="package")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Run the services while this folder's tests run."""
    with running(tmp_path_factory.mktemp("state")) as services:
        yield services


@pytest.fixture
def resources(stage: Stage) -> Iterator[ResourceManagementClient]:
    """Yield the owner's client."""
    with ResourceManagementClient(stage.owner, stage.world.subscription_id) as client:
        yield client


@pytest.fixture
def group(resources: ResourceManagementClient) -> str:
    """Create a resource group; return its name."""
    name = f"group-{uuid4().hex[:8]}"
    resources.resource_groups.create_or_update(name, {"location": "eastus"})
    return name
