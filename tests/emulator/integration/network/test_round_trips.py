"""What was read can be written back, as a cluster's cloud provider does with load balancers and interfaces."""

from typing import Any

import pytest
from azure.mgmt.network import NetworkManagementClient

from tests.emulator.groups import ensure_group
from tests.emulator.integration.arm.stage import Stage
from tests.emulator.integration.network.cluster import (
    Network,
    endpoint,
    interface,
    internal_balancer,
    link_service,
    put_network,
)

GROUP = "round-trips"

OPERATIONS = {
    "load_balancers": "lb",
    "network_interfaces": "nic",
    "private_link_services": "pls",
    "public_ip_addresses": "pip",
}


@pytest.fixture(scope="module")
def group(stage: Stage) -> str:
    """Create the group of this module's resources, which each test leaves as it found them."""
    ensure_group(stage.arm, stage.world.subscription_id, GROUP, "eastus")
    return GROUP


@pytest.fixture(scope="module")
def vnet(stage: Stage, group: str) -> Network:
    """Create a load balancer, an interface in its pool, a private link service and an address; return their network."""
    group_id = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"
    with NetworkManagementClient(stage.owner, stage.world.subscription_id, polling_interval=0.1) as opened:
        client: Any = opened
        found = put_network(client, group)
        made = client.load_balancers.begin_create_or_update(
            group, "lb", internal_balancer("lb", group_id, found.master_subnet)
        ).result()
        address: Any = {
            "location": "eastus",
            "sku": {"name": "Standard"},
            "zones": ["1", "2", "3"],
            "properties": {"publicIPAllocationMethod": "Static"},
        }
        nic = interface(found.master_subnet, made.backend_address_pools[0].id)
        frontend = made.frontend_ip_configurations[0].id
        service = link_service(frontend, found.master_subnet, stage.world.rp_subscription_id)
        begun = (
            client.network_interfaces.begin_create_or_update(group, "nic", nic),
            client.private_link_services.begin_create_or_update(group, "pls", service),
            client.public_ip_addresses.begin_create_or_update(group, "pip", address),
        )
        for poller in begun:
            poller.result()
    return found


@pytest.fixture
def balancer(network: Any, group: str, vnet: Network) -> Any:
    """Return the load balancer as a GET shows it."""
    assert vnet.group == group
    return network.load_balancers.get(group, "lb")


@pytest.mark.usefixtures("vnet")
@pytest.mark.parametrize("kind", OPERATIONS)
def test_what_was_read_is_written_back_unchanged(network: Any, group: str, kind: str) -> None:
    """Only ETags may differ afterwards."""
    operations = getattr(network, kind)
    before = operations.get(group, OPERATIONS[kind])
    operations.begin_create_or_update(group, OPERATIONS[kind], before).result()
    after = operations.get(group, OPERATIONS[kind])
    assert _comparable(after.as_dict()) == _comparable(before.as_dict())


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _comparable(member) for name, member in value.items() if name != "etag"}
    return [_comparable(member) for member in value] if isinstance(value, list) else value


def test_a_rule_is_added_to_what_was_read(network: Any, group: str, balancer: Any) -> None:
    """A cluster's cloud provider adds a port for a Service like this; the interface stays in its pool."""
    rule = balancer.load_balancing_rules[0].as_dict()
    rule["name"] = rule["id"] = "https"
    rule["properties"] |= {"frontendPort": 443, "backendPort": 443}
    body = balancer.as_dict()
    body["properties"]["loadBalancingRules"].append(rule)
    after = network.load_balancers.begin_create_or_update(group, "lb", body).result()
    assert [found.name for found in after.load_balancing_rules] == ["api", "https"]
    assert len(after.backend_address_pools[0].backend_ip_configurations) == 1
    network.load_balancers.begin_create_or_update(group, "lb", balancer).result()
    assert {found.id for found in after.probes[0].load_balancing_rules} == {
        found.id for found in after.load_balancing_rules
    }


def test_the_parts_have_addresses_of_their_own(network: Any, group: str, balancer: Any) -> None:
    """Each kind of part can be listed, and each part can be read by its name."""
    parts = (
        (network.load_balancer_frontend_ip_configurations, balancer.frontend_ip_configurations),
        (network.load_balancer_backend_address_pools, balancer.backend_address_pools),
        (network.load_balancer_probes, balancer.probes),
        (network.load_balancer_load_balancing_rules, balancer.load_balancing_rules),
    )
    for operations, shown in parts:
        assert [found.id for found in operations.list(group, "lb")] == [found.id for found in shown]
        assert operations.get(group, "lb", shown[0].name).provisioning_state == "Succeeded"
    assert [found.name for found in network.network_interface_ip_configurations.list(group, "nic")] == ["ip"]


def test_usages_count_what_there_is(network: Any, group: str, balancer: Any) -> None:
    """Usage counts by type in the region."""
    assert balancer.name in [found.name for found in network.load_balancers.list(group)]
    usages = {found.name.value: found for found in network.usages.list("eastus")}
    assert usages["LoadBalancers"].current_value >= 1
    assert usages["StandardSkuPublicIpAddresses"].limit == 1000
    assert usages["PublicIPAddresses"].current_value >= usages["StaticPublicIPAddresses"].current_value


def test_a_service_s_owner_decides_on_a_connection(  # noqa: PLR0917 - fixtures
    network: Any,
    provider_network: Any,
    provider: tuple[Any, str],
    stage: Stage,
    group: str,
    balancer: Any,
    vnet: Network,
) -> None:
    """Without approval in advance a connection is pending, until the owner approves, rejects or deletes it."""
    service = link_service(
        balancer.frontend_ip_configurations[0].id, vnet.master_subnet, stage.world.rp_subscription_id
    )
    service["properties"]["autoApproval"] = {"subscriptions": []}
    services, endpoints = network.private_link_services, provider_network.private_endpoints
    made = services.begin_create_or_update(group, "pls", service).result()
    rp_group, name = stage.world.rp_resource_group, f"pe-{group}"
    endpoints.begin_create_or_update(rp_group, name, endpoint(made.id, provider[1])).result()

    def status() -> str:
        connection = endpoints.get(rp_group, name).manual_private_link_service_connections[0]
        return str(connection.private_link_service_connection_state.status)

    assert status() == "Pending"
    connection = services.get(group, "pls").private_endpoint_connections[0]
    for wanted in ("Approved", "Rejected"):
        connection.private_link_service_connection_state.status = wanted
        services.update_private_endpoint_connection(group, "pls", connection.name, connection)
        assert status() == wanted
    services.begin_delete_private_endpoint_connection(group, "pls", connection.name).result()
    assert status() == "Disconnected"
    endpoints.begin_delete(rp_group, name).result()
