"""What a cluster's network is made of, as requests: what the tests deploy, whole or with a mistake in it."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Network:
    """A customer's network."""

    group: str
    id: str
    master_subnet: str
    worker_subnet: str


def put_network(client: Any, group: str, *, policies: str = "Disabled") -> Network:
    """Make a network with a group of rules that lets the API's port in."""
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
    """Return a load balancer with a rule for port 6443; `members` replace some of its lists."""
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
    """Return a network interface in these pools."""
    configuration = {
        "subnet": {"id": subnet_id},
        "loadBalancerBackendAddressPools": [{"id": pool} for pool in pools],
    } | members
    return {"location": "eastus", "properties": {"ipConfigurations": [{"name": "ip", "properties": configuration}]}}


def link_service(frontend_id: str, subnet_id: str, *subscriptions: str) -> Json:
    """Return a private link service that these subscriptions see and may connect to."""
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
