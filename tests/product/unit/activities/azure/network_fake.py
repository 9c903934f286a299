"""A cluster's network as its deployment leaves it, for the rows that read it back."""

from typing import Any

from tests.product.unit.activities.calls import call
from tests.product.unit.product_world import CLUSTER_GROUP, World

RP_GROUP = "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourceGroups/rp"
ENDPOINT = f"{RP_GROUP}/providers/Microsoft.Network/privateEndpoints/rp-pe-doc-1".lower()
API_RECORD = f"{RP_GROUP}/providers/Microsoft.Network/dnsZones/eastus.aroapp.io/A/api.c1".lower()
ZONE = f"{CLUSTER_GROUP}/providers/Microsoft.Network/privateDnsZones/c1.eastus.aroapp.io".lower()
INTERNAL, PUBLIC, ENDPOINT_ADDRESS = "10.0.0.4", "20.1.2.3", "10.240.0.9"


def lay(world: World) -> str:
    """Decide the names and create the network; return the infra id."""
    call("decide_names")
    infra_id = str(world.properties["infraId"])
    world.properties["apiserverProfile"] = {"visibility": "Public"}
    network = f"{CLUSTER_GROUP}/providers/Microsoft.Network"
    put(world, f"{network}/publicIPAddresses/{infra_id}-pip-v4", {"ipAddress": PUBLIC})
    frontend = {"name": "internal-lb-ip-v4", "properties": {"privateIPAddress": INTERNAL}}
    put(world, f"{network}/loadBalancers/{infra_id}-internal-lb", {"frontendIPConfigurations": [frontend]})
    for number in range(3):
        interface(world, f"{network}/networkInterfaces/{infra_id}-master{number}-nic", f"10.0.0.{number + 10}")
    return infra_id


def interface(world: World, resource_id: str, address: str) -> None:
    """Let a network interface have an address."""
    put(world, resource_id, {"ipConfigurations": [{"properties": {"privateIPAddress": address}}]})


def endpoint(world: World, state: str, connection: str = "Approved") -> None:
    """Let the private endpoint exist."""
    owned = f"{RP_GROUP}/providers/Microsoft.Network/networkInterfaces/pe-nic"
    interface(world, owned, ENDPOINT_ADDRESS)
    link = {"properties": {"privateLinkServiceConnectionState": {"status": connection}}}
    put(
        world,
        ENDPOINT,
        {"manualPrivateLinkServiceConnections": [link], "networkInterfaces": [{"id": owned}]},
        state=state,
    )


def put(world: World, resource_id: str, properties: dict[str, Any], state: str = "Succeeded") -> None:
    """Let a resource exist."""
    name = resource_id.rsplit("/", 1)[-1]
    world.azure.resources[resource_id.lower()] = {
        "id": resource_id,
        "name": name,
        "properties": {"provisioningState": state} | properties,
    }
