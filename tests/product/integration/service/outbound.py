"""The outbound addresses of a cluster as Azure has them, and the requests that change their number."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from azure.mgmt.network import NetworkManagementClient

from shared.json_object import Json
from tests.product.integration.service.forbidden_changes import Inside
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, begun

# The parts of a load balancer that the cluster's cloud provider makes for a Service.
PARTS = ("frontendIPConfigurations", "loadBalancingRules", "probes")


@dataclass(frozen=True)
class Outbound:
    """The way out of one cluster's workers."""

    cluster: Cluster

    def patch(self, count: int) -> str:
        """PATCH the number of addresses; return the operation's id."""
        profile = {"loadBalancerProfile": {"managedOutboundIps": {"count": count}}}
        return begun(self.cluster.send("PATCH", body={"properties": {"networkProfile": profile}}))

    def patch_tags(self) -> str:
        """PATCH only the cluster's tags; return the operation's id."""
        return begun(self.cluster.send("PATCH", body={"tags": {"run": uuid4().hex[:8]}}))

    def _resources(self, path: str) -> list[Json]:
        customer = self.cluster.customer
        group = f"/subscriptions/{customer.subscription_id}/resourcegroups/aro-{customer.cluster}"
        with taken(self.cluster.azure.state) as inventory:
            return inventory.resources(f"{group}/providers/microsoft.network/{path}")

    @property
    def _infra_id(self) -> str:
        return Inside(self.cluster).infra_id

    def addresses(self) -> dict[str, str]:
        """Return the outbound addresses by their names without the infra id."""
        found = {
            each["name"].removeprefix(f"{self._infra_id}-"): each["properties"]["ipAddress"]
            for each in self._resources("publicipaddresses/")
        }
        return {name: address for name, address in found.items() if name.startswith("outbound-")}

    def in_region(self) -> int:
        """Count the public addresses of the subscription."""
        with taken(self.cluster.azure.state) as inventory:
            subscription = f"/subscriptions/{self.cluster.customer.subscription_id}/"
            found = inventory.resources(subscription)
        return sum(each["type"] == "Microsoft.Network/publicIPAddresses" for each in found)

    def parts(self, kind: str) -> dict[str, Json]:
        """Return the properties of the load balancer's parts of one kind, by name."""
        path = f"loadbalancers/{self._infra_id}/{kind}/".lower()
        return {each["name"].rsplit("/", 1)[-1]: each["properties"] for each in self._resources(path)}

    def of_services(self) -> dict[str, dict[str, Json]]:
        """Return what the cluster has on its load balancer for its Services."""
        return {
            kind: {name: each for name, each in self.parts(kind).items() if not name.startswith("outbound")}
            for kind in PARTS
        }

    def add_service(self, name: str) -> None:
        """Add a Service's address and port to the load balancer, as the cluster's cloud provider does."""
        inside = Inside(self.cluster)
        network: Any = inside.client(NetworkManagementClient)
        group, infra_id = inside.group, inside.infra_id
        standard: Json = {"location": self.cluster.azure.endpoints["location"], "sku": {"name": "Standard"}}
        address = network.public_ip_addresses.begin_create_or_update(
            group, f"{infra_id}-{name}", standard | {"properties": {"publicIPAllocationMethod": "Static"}}
        ).result()
        balancer = network.load_balancers.get(group, infra_id).as_dict()
        own, parts = balancer["id"], balancer["properties"]
        parts["frontendIPConfigurations"].append({"name": name, "properties": {"publicIPAddress": {"id": address.id}}})
        parts["probes"].append({"name": name, "properties": {"protocol": "Tcp", "port": 31000}})
        rule = {
            "frontendIPConfiguration": {"id": f"{own}/frontendIPConfigurations/{name}"},
            "backendAddressPool": {"id": f"{own}/backendAddressPools/{infra_id}"},
            "probe": {"id": f"{own}/probes/{name}"},
            "protocol": "Tcp",
            "frontendPort": 8080,
            "backendPort": 8080,
            "disableOutboundSnat": True,
        }
        parts["loadBalancingRules"].append({"name": name, "properties": rule})
        network.load_balancers.begin_create_or_update(group, infra_id, balancer).result()

    def expect(self, count: int) -> None:
        """Check that workers send from so many addresses, that no others are left, and that clients see them."""
        suffixes = ["", *(f"-{number}" for number in range(2, count + 1))]
        addresses = [f"outbound-pip-v4{each}" for each in suffixes]
        assert set(self.addresses()) == set(addresses)
        frontends = [f"outbound{each}" for each in suffixes]
        assert {name for name in self.parts("frontendIPConfigurations") if name.startswith("outbound")} == set(
            frontends
        )
        (rule,) = self.parts("outboundRules").values()
        assert [each["id"].rsplit("/", 1)[1] for each in rule["frontendIPConfigurations"]] == frontends
        shown = self.cluster.send("GET").json()["properties"]["networkProfile"]["loadBalancerProfile"]
        assert shown["managedOutboundIps"] == {"count": count}
        ids = [each["id"].rsplit("/", 1)[1] for each in shown["effectiveOutboundIps"]]
        assert ids == [f"{self._infra_id}-{name}" for name in addresses]
