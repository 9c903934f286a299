"""The customer's network as the checks of a create find it; each test breaks one thing in it."""

import re
from typing import Any

from tests.product.unit.product_world import CLUSTER_GROUP, CUSTOMER, NETWORK, World

GROUP = f"/subscriptions/{CUSTOMER}/resourceGroups/customer"
ROUTES = f"{GROUP}/providers/Microsoft.Network/routeTables/routes"
GATEWAY = f"{GROUP}/providers/Microsoft.Network/natGateways/nat"
SECURITY_GROUP = f"{GROUP}/providers/Microsoft.Network/networkSecurityGroups/nsg"
ENCRYPTION_SET = f"{GROUP}/providers/Microsoft.Compute/diskEncryptionSets/des"
ALL = {"actions": ["*"], "notActions": []}


def lay(world: World, **network: Any) -> dict[str, dict[str, Any]]:
    """Create the network, and choose the release and the ranges of pods and services.

    Returns:
        The properties of both subnets.
    """
    world.properties["clusterProfile"].setdefault("version", "4.19.24")
    world.properties["networkProfile"] = {"podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16"}
    subnets: dict[str, dict[str, Any]] = {
        name: {
            "addressPrefix": prefix,
            "provisioningState": "Succeeded",
            "privateLinkServiceNetworkPolicies": "Enabled",
        }
        for name, prefix in (("master", "10.0.0.0/23"), ("worker", "10.0.2.0/23"))
    }
    body = {
        "id": NETWORK,
        "name": "vnet",
        "location": "eastus",
        "properties": {
            "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
            "subnets": [
                {"id": f"{NETWORK}/subnets/{name}", "name": name, "properties": properties}
                for name, properties in subnets.items()
            ],
        }
        | network.pop("properties", {}),
    }
    world.azure.resources[NETWORK.lower()] = body | network
    for name in subnets:
        lock(world, name)
    return subnets


def lock(world: World, subnet: str, *levels: str) -> None:
    """Give a subnet locks, such as ReadOnly; take all others away."""
    scope = f"{NETWORK}/subnets/{subnet}"
    locks = f"{scope}/providers/Microsoft.Authorization/locks"
    found = [{"id": f"{locks}/{one}", "name": one, "properties": {"level": one}} for one in levels]
    world.azure.resources[locks.lower()] = {"value": found}


def permit(world: World, resource_id: str, *entries: dict[str, list[str]]) -> None:
    """Make the permissions API answer with these entries for a resource."""
    # The SDK leaves the segment of the parent empty.
    scope = re.sub(r"(/providers/[^/]+)/", r"\1//", resource_id)
    path = f"{scope}/providers/Microsoft.Authorization/permissions"
    world.azure.resources[path.lower()] = {"value": list(entries)}


def own_group(infra_id: str, role: str) -> dict[str, str]:
    """Return the reference to a network security group of the cluster's own."""
    return {"id": f"{CLUSTER_GROUP}/providers/Microsoft.Network/networkSecurityGroups/{infra_id}-{role}-nsg"}
