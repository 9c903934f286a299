"""Request bodies for the parts of a cluster's network, for tests that deploy it whole or with a mistake."""

from dataclasses import dataclass
from typing import Any

from emulator.json_object import Json


@dataclass(frozen=True)
class Network:
    """A customer's network."""

    group: str
    id: str
    master_subnet: str
    worker_subnet: str


def put_network(client: Any, group: str, *, policies: str = "Disabled") -> Network:
    """Create a network, and a network security group that lets in the API's port.

    Args:
        client: the owner's client of Microsoft.Network.
        group: resource group.
        policies: network policies for private link services in the master subnet, `Enabled` or `Disabled`.
    """
    rule = {
        "name": "apiserver_in",
        "properties": {
            "access": "Allow",
            "direction": "Inbound",
            "protocol": "Tcp",
            "priority": 101,
            "sourceAddressPrefix": "*",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "*",
            "destinationPortRange": "6443",
        },
    }
    rules = client.network_security_groups.begin_create_or_update(
        group, "nsg", {"location": "eastus", "properties": {"securityRules": [rule]}}
    ).result()
    made = client.virtual_networks.begin_create_or_update(
        group,
        "vnet",
        {
            "location": "eastus",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.0.0.0/22"]},
                "subnets": [
                    {
                        "name": "master",
                        "properties": {
                            "addressPrefix": "10.0.0.0/27",
                            "networkSecurityGroup": {"id": rules.id},
                            "privateLinkServiceNetworkPolicies": policies,
                        },
                    },
                    {"name": "worker", "properties": {"addressPrefix": "10.0.2.0/23"}},
                ],
            },
        },
    ).result()
    master, worker = made.subnets
    return Network(group, made.id, master.id, worker.id)


def internal_balancer(name: str, group_id: str, subnet_id: str, **members: Any) -> Json:
    """Return a load balancer with a rule for port 6443.

    Args:
        name: name of the load balancer.
        group_id: id of its resource group.
        subnet_id: id of the frontend's subnet.
        members: lists of `properties` that replace the default ones.
    """
    own = f"{group_id}/providers/Microsoft.Network/loadBalancers/{name}"
    properties: Json = {
        "frontendIPConfigurations": [{"name": "front", "properties": {"subnet": {"id": subnet_id}}}],
        "backendAddressPools": [{"name": "pool"}],
        "probes": [
            {
                "name": "ready",
                "properties": {"protocol": "Https", "port": 6443, "requestPath": "/readyz", "intervalInSeconds": 10},
            }
        ],
        "loadBalancingRules": [
            {
                "name": "api",
                "properties": {
                    "frontendIPConfiguration": {"id": f"{own}/frontendIPConfigurations/front"},
                    "backendAddressPool": {"id": f"{own}/backendAddressPools/pool"},
                    "probe": {"id": f"{own}/probes/ready"},
                    "protocol": "Tcp",
                    "frontendPort": 6443,
                    "backendPort": 6443,
                    "disableOutboundSnat": True,
                },
            }
        ],
    }
    return {"location": "eastus", "sku": {"name": "Standard"}, "properties": properties | members}


def interface(subnet_id: str, *pools: str, **members: Any) -> Json:
    """Return a network interface in these pools.

    Args:
        subnet_id: id of its subnet.
        pools: ids of backend address pools.
        members: further members of its IP configuration.
    """
    configuration = {
        "subnet": {"id": subnet_id},
        "loadBalancerBackendAddressPools": [{"id": pool} for pool in pools],
    } | members
    return {"location": "eastus", "properties": {"ipConfigurations": [{"name": "ip", "properties": configuration}]}}


def link_service(frontend_id: str, subnet_id: str, *subscriptions: str) -> Json:
    """Return a private link service that these subscriptions see and may connect to.

    Args:
        frontend_id: id of the load balancer's frontend IP configuration.
        subnet_id: id of the subnet of its NAT addresses.
        subscriptions: subscription ids.
    """
    listed = {"subscriptions": list(subscriptions)}
    return {
        "location": "eastus",
        "properties": {
            "loadBalancerFrontendIpConfigurations": [{"id": frontend_id}],
            "ipConfigurations": [{"name": "nat", "properties": {"subnet": {"id": subnet_id}}}],
            "visibility": listed,
            "autoApproval": listed,
        },
    }


def endpoint(service_id: str, subnet_id: str) -> Json:
    """Return a private endpoint."""
    connection = {"name": "rp-plsconnection", "properties": {"privateLinkServiceId": service_id}}
    return {
        "location": "eastus",
        "properties": {"subnet": {"id": subnet_id}, "manualPrivateLinkServiceConnections": [connection]},
    }
