"""One set of services for all tests of this folder; each test has its own resource group and network."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from azure.identity import ClientSecretCredential
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.privatedns import PrivateDnsManagementClient
from azure.mgmt.resource.resources import ResourceManagementClient

from emulator.arm.access.roles import OWNER
from emulator.arm.seeding import ensure_role
from tests.emulator.groups import ensure_group
from tests.emulator.integration.arm.stage import Stage, running
from tests.emulator.integration.network.cluster import Network, put_network

ENDPOINT_NETWORK = "endpoints"
# Private endpoints get loopback addresses, because the product connects to them.
ENDPOINT_SUBNET = {
    "name": "endpoints",
    "properties": {"addressPrefix": "127.128.4.0/22", "privateEndpointNetworkPolicies": "Disabled"},
}


@pytest.fixture(scope="package")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Run the services while this folder's tests run."""
    with running(tmp_path_factory.mktemp("state")) as services:
        yield services


@pytest.fixture
def network(stage: Stage) -> Iterator[Any]:
    """Yield the owner's client of Microsoft.Network."""
    with NetworkManagementClient(stage.owner, stage.world.subscription_id, polling_interval=0.1) as client:
        yield client


@pytest.fixture
def private_dns(stage: Stage) -> Iterator[Any]:
    """Yield the owner's client of private DNS zones."""
    with PrivateDnsManagementClient(stage.owner, stage.world.subscription_id, polling_interval=0.1) as client:
        yield client


@pytest.fixture
def resources(stage: Stage) -> Iterator[ResourceManagementClient]:
    """Yield the owner's client of groups and resources."""
    with ResourceManagementClient(stage.owner, stage.world.subscription_id, polling_interval=0.1) as client:
        yield client


@pytest.fixture
def new_group(resources: ResourceManagementClient) -> Callable[[], str]:
    """Return a function that creates a resource group and returns its name."""

    def make() -> str:
        name = f"group-{uuid4().hex[:8]}"
        resources.resource_groups.create_or_update(name, {"location": "eastus"})
        return name

    return make


@pytest.fixture
def group(new_group: Callable[[], str]) -> str:
    """Create a resource group; return its name."""
    return new_group()


@pytest.fixture
def vnet(network: Any, new_group: Callable[[], str]) -> Network:
    """Create a customer's network in its own group, with subnets for masters and workers."""
    return put_network(network, new_group())


@pytest.fixture(scope="package")
def provider(stage: Stage) -> tuple[ClientSecretCredential, str]:
    """Return the resource provider's credential, and the id of the subnet for its private endpoints."""
    world = stage.world
    credential, object_id = stage.principal("rp", tenant_id=world.rp_tenant_id)
    ensure_group(stage.arm, world.rp_subscription_id, world.rp_resource_group, world.location)
    ensure_role(stage.arm, f"/subscriptions/{world.rp_subscription_id}", object_id, OWNER)
    body: Any = {
        "location": world.location,
        "properties": {"addressSpace": {"addressPrefixes": ["127.128.0.0/16"]}, "subnets": [ENDPOINT_SUBNET]},
    }
    with NetworkManagementClient(credential, world.rp_subscription_id, polling_interval=0.1) as client:
        made = client.virtual_networks.begin_create_or_update(world.rp_resource_group, ENDPOINT_NETWORK, body).result()
    return credential, str(made.subnets[0].id)


@pytest.fixture
def provider_network(stage: Stage, provider: tuple[ClientSecretCredential, str]) -> Iterator[Any]:
    """Yield the resource provider's client of Microsoft.Network."""
    with NetworkManagementClient(provider[0], stage.world.rp_subscription_id, polling_interval=0.1) as client:
        yield client
