"""The network template of a cluster, deployed as the product deploys it and read back with the real SDKs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from azure.identity import ClientSecretCredential
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.resources import ResourceManagementClient

from emulator.network.reach import Reach
from tests.emulator.integration.arm.stage import Stage
from tests.emulator.integration.network.cluster import Network, endpoint

TEMPLATE = Path(__file__).parents[4] / "shared" / "azure" / "templates" / "network.json"
DOMAIN = "cluster.eastus.aroapp.io"
INFRA = "cluster-abcde"


@pytest.fixture
def deployments(stage: Stage) -> Iterator[DeploymentsMgmtClient]:
    """Yield the owner's client of deployments."""
    with DeploymentsMgmtClient(stage.owner, stage.world.subscription_id, polling_interval=0.1) as client:
        yield client


def _deploy(client: DeploymentsMgmtClient, group: str, vnet: Network, visibility: str, stage: Stage) -> Any:
    values = {
        "infraId": INFRA,
        "location": "eastus",
        "domain": DOMAIN,
        "virtualNetworkId": vnet.id,
        "masterSubnetId": vnet.master_subnet,
        "masterAddresses": [],
        "apiServerVisibility": visibility,
        "outboundWays": [{"frontend": "outbound", "publicIpAddress": f"{INFRA}-outbound-pip-v4"}],
        "resourceProviderSubscriptionId": stage.world.rp_subscription_id,
    }
    body: Any = {
        "properties": {
            "mode": "Incremental",
            "template": json.loads(TEMPLATE.read_text(encoding="utf-8")),
            "parameters": {name: {"value": value} for name, value in values.items()},
        }
    }
    return client.deployments.begin_create_or_update(group, "network", body).result()


@pytest.mark.parametrize("visibility", ["Public", "Private"])
def test_a_cluster_s_network_comes_up_and_goes(  # noqa: PLR0917 - fixtures
    visibility: str,
    stage: Stage,
    deployments: DeploymentsMgmtClient,
    resources: ResourceManagementClient,
    network: Any,
    private_dns: Any,
    group: str,
    vnet: Network,
) -> None:
    """Records name the allocated addresses, a second deployment keeps them, and the group can be deleted."""
    assert _deploy(deployments, group, vnet, visibility, stage).properties.provisioning_state == "Succeeded"
    balancer = network.load_balancers.get(group, f"{INFRA}-internal-lb")
    front = balancer.frontend_ip_configurations[0].private_ip_address
    zone = {record.name: record for record in private_dns.record_sets.list(group, DOMAIN)}
    assert [zone[name].a_records[0].ipv4_address for name in ("api", "api-int")] == [front, front]
    masters = [network.network_interfaces.get(group, f"{INFRA}-master{index}-nic") for index in range(3)]
    addresses = [master.ip_configurations[0].private_ip_address for master in masters]
    assert [zone[f"etcd-{index}"].a_records[0].ipv4_address for index in range(3)] == addresses
    assert len({front, *addresses}) == len([front, *addresses])
    assert [record.target for record in zone["_etcd-server-ssl._tcp"].srv_records] == [
        f"etcd-{index}.{DOMAIN}" for index in range(3)
    ]
    assert stage.platform.model(Reach).resolve_private(vnet.id, f"api-int.{DOMAIN}") == [front]
    public = network.load_balancers.get(group, f"{INFRA}-public-lb")
    assert len(public.load_balancing_rules) == (visibility == "Public")
    pool = public.backend_address_pools[0]
    assert len(pool.backend_ip_configurations) == 4

    _deploy(deployments, group, vnet, visibility, stage)
    again = network.load_balancers.get(group, f"{INFRA}-internal-lb")
    assert again.frontend_ip_configurations[0].private_ip_address == front

    resources.resource_groups.begin_delete(group).result()
    assert not resources.resource_groups.check_existence(group)
    assert network.subnets.get(vnet.group, "vnet", "master").ip_configurations is None
    network.virtual_networks.begin_delete(vnet.group, "vnet").result()


def test_a_group_with_a_connected_private_link_service_stays(  # noqa: PLR0917 - fixtures
    stage: Stage,
    deployments: DeploymentsMgmtClient,
    resources: ResourceManagementClient,
    provider_network: Any,
    provider: tuple[ClientSecretCredential, str],
    group: str,
    vnet: Network,
) -> None:
    """The group's deletion fails while a private endpoint of another group is connected, and succeeds afterwards."""
    _deploy(deployments, group, vnet, "Public", stage)
    service = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}/providers/Microsoft.Network/"
    service += f"privateLinkServices/{INFRA}-pls"
    endpoints = provider_network.private_endpoints
    made = endpoints.begin_create_or_update(
        stage.world.rp_resource_group, f"rp-pe-{group}", endpoint(service, provider[1])
    ).result()
    state = made.manual_private_link_service_connections[0].private_link_service_connection_state
    assert state.status == "Approved"
    shown = endpoints.get(stage.world.rp_resource_group, f"rp-pe-{group}", expand="networkInterfaces")
    assert shown.network_interfaces[0].ip_configurations[0].private_ip_address.startswith("127.128.")
    with pytest.raises(Exception, match="PrivateLinkServiceWithPrivateEndpointConnectionsCannotBeDeleted"):
        resources.resource_groups.begin_delete(group).result()
    endpoints.begin_delete(stage.world.rp_resource_group, f"rp-pe-{group}").result()
    resources.resource_groups.begin_delete(group).result()
    assert not resources.resource_groups.check_existence(group)
