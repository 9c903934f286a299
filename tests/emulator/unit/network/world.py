"""A customer's network, and requests against it."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.entra.models import Principal
from emulator.json_object import Json
from emulator.network.reach import Reach
from tests.emulator.groups import ensure_group
from tests.emulator.integration.network.cluster import endpoint, interface, internal_balancer, link_service
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD, Time

__all__ = ["CALLER", "GROUP", "WORLD", "Time"]

API = "2023-11-01"
DNS_API = "2020-06-01"
NETWORK = f"{GROUP}/providers/Microsoft.Network"
SUBNET = f"{NETWORK}/virtualNetworks/vnet/subnets/master"
BALANCER = f"{NETWORK}/loadBalancers/lb"
POOL = f"{BALANCER}/backendAddressPools/pool"
FRONTEND = f"{BALANCER}/frontendIPConfigurations/front"
RP_GROUP = f"/subscriptions/{WORLD.rp_subscription_id}/resourceGroups/{WORLD.rp_resource_group}"
RP_NETWORK = f"{RP_GROUP}/providers/Microsoft.Network"
RP_SUBNET = f"{RP_NETWORK}/virtualNetworks/pe/subnets/pe"
RP_CALLER = Principal("22222222-2222-4222-8222-222222222222", "rp-client", WORLD.rp_tenant_id, "rp", "", {})
# Longer than any operation on a network takes.
SECONDS = 600


@dataclass
class World:
    """Requests whose operations have ended when they return."""

    arm: ArmModel
    time: Time

    @property
    def reach(self) -> Reach:
        """The model of where connections end."""
        return self.arm.platform.model(Reach)

    def run(self, work: Coroutine[Any, Any, Json]) -> Json:
        """Run a coroutine, and let the operations that it began end."""
        done = asyncio.run(work)
        self.time.pass_(SECONDS)
        return done

    def put(self, path: str, body: Json, *, version: str = API, caller: Principal = CALLER) -> Json:
        """Put a resource; return it as GET shows it.

        Args:
            path: id, or path below the customer's Microsoft.Network.
            body: PUT body.
            version: API version.
            caller: principal that sends the request.
        """
        identifier = path if path.startswith("/") else f"{NETWORK}/{path}"
        asyncio.run(self.arm.put_resource(caller, identifier, version, body))
        self.time.pass_(SECONDS)
        return self.get(identifier)

    def get(self, path: str) -> Json:
        """Return a resource."""
        found = self.arm.get_resource(path if path.startswith("/") else f"{NETWORK}/{path}", API)
        assert found is not None, path
        return found

    def delete(self, path: str, *, version: str = API, caller: Principal = CALLER) -> None:
        """Delete a resource.

        Args:
            path: id, or path below the customer's Microsoft.Network.
            version: API version.
            caller: principal that sends the request.
        """
        identifier = path if path.startswith("/") else f"{NETWORK}/{path}"
        asyncio.run(self.arm.delete_resource(caller, identifier, version))
        self.time.pass_(SECONDS)

    def put_network(self, **members: Any) -> None:
        """Create the customer's network; `members` go into its master subnet."""
        subnet = {"addressPrefix": "10.0.0.0/28", "privateLinkServiceNetworkPolicies": "Disabled"} | members
        space = {"addressPrefixes": ["10.0.0.0/24"]}
        subnets = [
            {"name": "master", "properties": subnet},
            {"name": "worker", "properties": {"addressPrefix": "10.0.0.128/25"}},
        ]
        body = {"location": "eastus", "properties": {"addressSpace": space, "subnets": subnets}}
        self.put("virtualNetworks/vnet", body)

    def put_balancer(self, name: str = "lb", **members: Any) -> Json:
        """Create an internal load balancer with a rule for port 6443; `members` replace lists of it."""
        return self.put(f"loadBalancers/{name}", internal_balancer(name, GROUP, SUBNET, **members))

    def put_public(self, name: str = "pip", sku: str = "Standard") -> Json:
        """Create a public address."""
        body = {"location": "eastus", "sku": {"name": sku}, "properties": {"publicIPAllocationMethod": "Static"}}
        return self.put(f"publicIPAddresses/{name}", body)

    def put_public_balancer(self, **members: Any) -> Json:
        """Create a public load balancer with a rule for port 6443; return its address."""
        address = self.put_public()
        front = {"name": "front", "properties": {"publicIPAddress": {"id": address["id"]}}}
        self.put_balancer(frontendIPConfigurations=[front], **members)
        return address

    def put_interface(self, name: str = "nic", *pools: str, **members: Any) -> Json:
        """Create an interface in the master subnet.

        Args:
            name: name of the interface.
            pools: ids of backend address pools.
            members: further members of its IP configuration.
        """
        return self.put(f"networkInterfaces/{name}", interface(SUBNET, *pools, **members))

    def put_machine(self, name: str = "vm", *pools: str) -> str:
        """Store a machine with an interface in these pools; return its id."""
        nic = self.put_interface(f"{name}-nic", *pools)
        identifier = f"{GROUP}/providers/Microsoft.Compute/virtualMachines/{name}"
        # Stored directly, without a request: these tests are not about how machines are created.
        self.arm.documents.put(
            {
                "id": identifier,
                "name": name,
                "type": "Microsoft.Compute/virtualMachines",
                "location": "eastus",
                "properties": {
                    "networkProfile": {"networkInterfaces": [{"id": nic["id"]}]},
                    "storageProfile": {"osDisk": {"deleteOption": "Detach"}, "dataDisks": []},
                },
                "references": [nic["id"].lower()],
            }
        )
        return identifier

    def delete_machine(self, name: str) -> None:
        """Remove a machine from the store."""
        found = self.arm.load(f"{GROUP}/providers/Microsoft.Compute/virtualMachines/{name}")
        assert found is not None
        self.arm.documents.drop(found)

    def put_rules(self, *rules: Json, subnet: bool = True) -> Json:
        """Create a security group, by default on the master subnet; rules override members of one that allows 6443."""
        allowing = {
            "access": "Allow",
            "direction": "Inbound",
            "protocol": "Tcp",
            "priority": 101,
            "sourceAddressPrefix": "*",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "*",
            "destinationPortRange": "6443",
        }
        bodies = [{"name": f"rule-{index}", "properties": allowing | rule} for index, rule in enumerate(rules)]
        body = {"location": "eastus", "properties": {"securityRules": bodies}}
        made = self.put("networkSecurityGroups/nsg", body)
        if subnet:
            self.put_network(networkSecurityGroup={"id": made["id"]})
        return made

    def put_service(self, *subscriptions: str, balancer: str = "lb", **members: Any) -> Json:
        """Create a private link service on a load balancer.

        Args:
            subscriptions: ids of those that see it and may connect; by default the resource provider's.
            balancer: name of the load balancer.
            members: properties that are added or replaced.
        """
        frontend = f"{NETWORK}/loadBalancers/{balancer}/frontendIPConfigurations/front"
        body = link_service(frontend, SUBNET, *(subscriptions or (WORLD.rp_subscription_id,)))
        body["properties"] |= members
        return self.put("privateLinkServices/pls", body)

    def put_endpoint(
        self, service_id: str = f"{NETWORK}/privateLinkServices/pls", *, network: str = "127.128", apps: str = ""
    ) -> Json:
        """Create a private endpoint of the resource provider, with its network.

        Args:
            service_id: the private link service.
            network: how the addresses of the network begin.
            apps: the service to which a second subnet is delegated, if any.
        """
        self.arm.subscriptions.ensure(WORLD.rp_subscription_id, WORLD.rp_tenant_id, "RP")
        ensure_group(self.arm, WORLD.rp_subscription_id, WORLD.rp_resource_group, "eastus")
        ensure_role(self.arm, f"/subscriptions/{WORLD.rp_subscription_id}", RP_CALLER.object_id, OWNER)
        if self.arm.load(RP_SUBNET) is None:
            subnets: list[Json] = [{"name": "pe", "properties": {"addressPrefix": f"{network}.4.0/22"}}]
            if apps:
                delegation = {"name": "apps", "properties": {"serviceName": apps}}
                properties = {"addressPrefix": f"{network}.0.0/24", "delegations": [delegation]}
                subnets.append({"name": "apps", "properties": properties})
            space = {"addressPrefixes": [f"{network}.0.0/16"]}
            body = {"location": "eastus", "properties": {"addressSpace": space, "subnets": subnets}}
            self.put(f"{RP_NETWORK}/virtualNetworks/pe", body, caller=RP_CALLER)
        return self.put(f"{RP_NETWORK}/privateEndpoints/pe", endpoint(service_id, RP_SUBNET), caller=RP_CALLER)

    def endpoint_address(self) -> str:
        """Return the private endpoint's address."""
        interface_id = self.get(f"{RP_NETWORK}/privateEndpoints/pe")["properties"]["networkInterfaces"][0]["id"]
        configurations = self.get(interface_id)["properties"]["ipConfigurations"]
        return str(configurations[0]["properties"]["privateIPAddress"])
