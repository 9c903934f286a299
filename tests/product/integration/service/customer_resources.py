"""What customers make in Azure beside the network of the documentation: route tables, gateways, groups, roles."""

from typing import Any

from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient

from demo.customer import register_provider
from shared.json_object import Json
from tests.product.integration.service.stage import Cluster

READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"


class Resources:
    """Makes resources for a cluster that differ from those in the documentation."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.customer = cluster.customer
        self.network: Any = self.customer.client(NetworkManagementClient)
        self.vnet = self.customer.vnet_id.rsplit("/", 1)[1]

    def lay(self, location: str, subnets: dict[str, Json], dns_servers: list[str]) -> None:
        """Make the resource group and the virtual network.

        Args:
            location: location of the group and of the network.
            subnets: `properties` of each subnet, by its name.
            dns_servers: addresses of the network's own DNS servers.
        """
        register_provider(self.customer, lambda: None)
        groups = f"/subscriptions/{self.customer.subscription_id}/resourceGroups"
        body = {"location": location}
        answer = self.cluster.send("PUT", f"{groups}/{self.customer.group}?api-version=2021-04-01", body)
        assert answer.ok, answer.text
        self.network.virtual_networks.begin_create_or_update(
            self.customer.group,
            self.vnet,
            {
                "location": location,
                "properties": {
                    "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
                    "dhcpOptions": {"dnsServers": dns_servers},
                    "subnets": [{"name": name, "properties": body} for name, body in subnets.items()],
                },
            },
        ).result()

    def route_table(self, location: str, *routes: Json) -> str:
        """Make a route table with routes, given by their `properties`; return its id."""
        named = [{"name": f"route-{number}", "properties": each} for number, each in enumerate(routes)]
        wish = {"location": location, "properties": {"routes": named}}
        return str(self.network.route_tables.begin_create_or_update(self.customer.group, "routes", wish).result().id)

    def security_group(self, location: str, *rules: Json) -> str:
        """Make a network security group with rules, given by their `properties`; return its id."""
        named = [{"name": f"rule-{number}", "properties": each} for number, each in enumerate(rules)]
        wish = {"location": location, "properties": {"securityRules": named}}
        groups = self.network.network_security_groups
        return str(groups.begin_create_or_update(self.customer.group, "own-nsg", wish).result().id)

    def attach(self, **members: Any) -> None:
        """Change properties of both subnets."""
        network = self.network.virtual_networks.get(self.customer.group, self.vnet).as_dict()
        for subnet in network["properties"]["subnets"]:
            subnet["properties"] |= members
        self.network.virtual_networks.begin_create_or_update(self.customer.group, self.vnet, network).result()

    def nat_gateway(self, location: str) -> str:
        """Make a NAT gateway with a public address; return its id."""
        standard: Json = {"location": location, "sku": {"name": "Standard"}}
        address = self.network.public_ip_addresses.begin_create_or_update(
            self.customer.group, "nat-ip", standard | {"properties": {"publicIPAllocationMethod": "Static"}}
        ).result()
        gateway = standard | {"properties": {"publicIpAddresses": [{"id": address.id}]}}
        return str(self.network.nat_gateways.begin_create_or_update(self.customer.group, "nat", gateway).result().id)

    def encryption_set(self, location: str) -> str:
        """Make a disk encryption set; return its id."""
        vault = f"{self.customer.group_id}/providers/Microsoft.KeyVault/vaults/keys"
        key = {"keyUrl": "https://keys.vault.azure.net/keys/disks/1", "sourceVault": {"id": vault}}
        sets: Any = self.customer.client(ComputeManagementClient).disk_encryption_sets
        wish = {"location": location, "identity": {"type": "SystemAssigned"}, "properties": {"activeKey": key}}
        return str(sets.begin_create_or_update(self.customer.group, "des", wish).result().id)

    def grant(self, role: str, scope: str) -> None:
        """Assign a role to the cluster's principal and to the resource provider."""
        assignments: Any = self.customer.client(AuthorizationManagementClient).role_assignments
        roles = f"/subscriptions/{self.customer.subscription_id}/providers/Microsoft.Authorization/roleDefinitions"
        for number, object_id in enumerate(
            (self.cluster.azure.endpoints["rp_object_id"], self.customer.principal["object_id"])
        ):
            body = {
                "properties": {
                    "roleDefinitionId": f"{roles}/{role}",
                    "principalId": object_id,
                    "principalType": "ServicePrincipal",
                }
            }
            assignments.create(scope, f"00000000-0000-4000-8000-00000000000{number}", body)
