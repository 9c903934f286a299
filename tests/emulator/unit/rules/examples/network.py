"""Examples of Microsoft.Network."""

from tests.emulator.unit.rules.stage import Example

NETWORK = "Microsoft.Network"

EXAMPLES = {
    "virtual network": Example(
        f"{NETWORK}/virtualNetworks",
        {
            "location": "eastus",
            "tags": {"team": "one"},
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
                "dhcpOptions": {"dnsServers": ["10.0.0.4"]},
                "subnets": [
                    {
                        "name": "inline",
                        "properties": {
                            "addressPrefix": "10.0.255.0/24",
                            "serviceEndpoints": [{"service": "Microsoft.KeyVault"}],
                            "delegations": [
                                {"name": "web", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}
                            ],
                        },
                    }
                ],
            },
        },
    ),
    "subnet": Example(
        f"{NETWORK}/virtualNetworks/subnets",
        {
            "properties": {
                "addressPrefix": "10.0.0.0/24",
                "networkSecurityGroup": {"id": "{id:security group}"},
                "routeTable": {"id": "{id:route table}"},
                "natGateway": {"id": "{id:NAT gateway}"},
                "serviceEndpoints": [{"service": "Microsoft.Storage", "locations": ["*"]}],
                "delegations": [{"name": "web", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}],
            }
        },
        parent="virtual network",
    ),
    "remote network": Example(
        f"{NETWORK}/virtualNetworks",
        {
            "location": "eastus",
            "properties": {
                "addressSpace": {"addressPrefixes": ["172.16.0.0/16"]},
                "encryption": {"enabled": True, "enforcement": "AllowUnencrypted"},
                "flowTimeoutInMinutes": 30,
            },
        },
        name="remote{n}",
    ),
    "peering": Example(
        f"{NETWORK}/virtualNetworks/virtualNetworkPeerings",
        {
            "properties": {
                "allowVirtualNetworkAccess": True,
                "allowForwardedTraffic": True,
                "remoteVirtualNetwork": {"id": "{id:remote network}"},
            }
        },
        parent="virtual network",
    ),
    "security group": Example(
        f"{NETWORK}/networkSecurityGroups",
        {
            "location": "eastus",
            "properties": {
                "securityRules": [
                    {
                        "name": "inline",
                        "properties": {
                            "access": "Allow",
                            "direction": "Inbound",
                            "priority": 100,
                            "protocol": "Tcp",
                            "sourceAddressPrefix": "10.0.0.0/8",
                            "sourcePortRange": "*",
                            "destinationAddressPrefix": "VirtualNetwork",
                            "destinationPortRange": "443",
                        },
                    }
                ]
            },
        },
    ),
    "security rule": Example(
        f"{NETWORK}/networkSecurityGroups/securityRules",
        {
            "properties": {
                "access": "Deny",
                "description": "Nothing from there",
                "direction": "Outbound",
                "priority": 4096,
                "protocol": "*",
                "sourceAddressPrefixes": ["10.0.0.4", "10.1.0.0/16"],
                "sourcePortRanges": ["1024-65535"],
                "destinationAddressPrefixes": ["192.0.2.0/24"],
                "destinationPortRanges": ["80", "443"],
            }
        },
        parent="security group",
    ),
    "route table": Example(
        f"{NETWORK}/routeTables",
        {
            "location": "eastus",
            "properties": {
                "disableBgpRoutePropagation": True,
                "routes": [
                    {"name": "inline", "properties": {"addressPrefix": "10.1.0.0/16", "nextHopType": "VnetLocal"}}
                ],
            },
        },
    ),
    "route": Example(
        f"{NETWORK}/routeTables/routes",
        {
            "properties": {
                "addressPrefix": "0.0.0.0/0",
                "nextHopType": "VirtualAppliance",
                "nextHopIpAddress": "10.0.0.4",
            }
        },
        parent="route table",
    ),
    "public address": Example(
        f"{NETWORK}/publicIPAddresses",
        {
            "location": "eastus",
            "sku": {"name": "Standard", "tier": "Regional"},
            "zones": ["1", "2", "3"],
            "properties": {
                "publicIPAllocationMethod": "Static",
                "publicIPAddressVersion": "IPv4",
                "idleTimeoutInMinutes": 4,
                "ddosSettings": {"protectionMode": "VirtualNetworkInherited"},
                "dnsSettings": {"domainNameLabel": "label{n}"},
            },
        },
    ),
    "NAT gateway": Example(
        f"{NETWORK}/natGateways",
        {
            "location": "eastus",
            "sku": {"name": "Standard"},
            "zones": ["1"],
            "properties": {"idleTimeoutInMinutes": 10, "publicIpAddresses": [{"id": "{id:public address}"}]},
        },
    ),
    "machine subnet": Example(
        f"{NETWORK}/virtualNetworks/subnets",
        {
            "properties": {
                "addressPrefixes": ["10.0.1.0/24"],
                "privateLinkServiceNetworkPolicies": "Disabled",
                "privateEndpointNetworkPolicies": "Enabled",
            }
        },
        name="machines{n}",
        parent="virtual network",
    ),
    "load balancer": Example(
        f"{NETWORK}/loadBalancers",
        {
            "location": "eastus",
            "sku": {"name": "Standard"},
            "properties": {
                "frontendIPConfigurations": [
                    {
                        "name": "front",
                        "zones": ["1", "2", "3"],
                        "properties": {
                            "subnet": {"id": "{id:machine subnet}"},
                            "privateIPAddress": "10.0.1.10",
                            "privateIPAllocationMethod": "Static",
                        },
                    }
                ],
                "backendAddressPools": [{"name": "pool", "properties": {"syncMode": "Automatic"}}],
                "probes": [
                    {
                        "name": "ready",
                        "properties": {
                            "protocol": "Https",
                            "port": 6443,
                            "requestPath": "/readyz",
                            "intervalInSeconds": 5,
                            "numberOfProbes": 2,
                            "probeThreshold": 1,
                        },
                    }
                ],
                "loadBalancingRules": [
                    {
                        "name": "api",
                        "properties": {
                            "frontendIPConfiguration": {"id": "{id:load balancer}/frontendIPConfigurations/front"},
                            "backendAddressPool": {"id": "{id:load balancer}/backendAddressPools/pool"},
                            "probe": {"id": "{id:load balancer}/probes/ready"},
                            "protocol": "Tcp",
                            "frontendPort": 6443,
                            "backendPort": 6443,
                            "idleTimeoutInMinutes": 30,
                        },
                    }
                ],
            },
        },
        cheap=False,
    ),
    "public load balancer": Example(
        f"{NETWORK}/loadBalancers",
        {
            "location": "eastus",
            "sku": {"name": "Standard", "tier": "Regional"},
            "properties": {
                "frontendIPConfigurations": [
                    {"name": "front", "properties": {"publicIPAddress": {"id": "{id:public address}"}}}
                ],
                "backendAddressPools": [{"name": "pool"}],
                "outboundRules": [
                    {
                        "name": "out",
                        "properties": {
                            "frontendIPConfigurations": [
                                {"id": "{id:public load balancer}/frontendIPConfigurations/front"}
                            ],
                            "backendAddressPool": {"id": "{id:public load balancer}/backendAddressPools/pool"},
                            "protocol": "All",
                            "allocatedOutboundPorts": 1024,
                            "idleTimeoutInMinutes": 4,
                        },
                    }
                ],
            },
        },
        name="public{n}",
        cheap=False,
    ),
    "backend address pool": Example(
        f"{NETWORK}/loadBalancers/backendAddressPools",
        {"properties": {"virtualNetwork": {"id": "{id:virtual network}"}}},
        parent="load balancer",
        cheap=False,
    ),
    "interface": Example(
        f"{NETWORK}/networkInterfaces",
        {
            "location": "eastus",
            "properties": {
                "dnsSettings": {"dnsServers": ["10.0.0.4"]},
                "networkSecurityGroup": {"id": "{id:security group}"},
                "ipConfigurations": [
                    {
                        "name": "ip",
                        "properties": {
                            "subnet": {"id": "{id:machine subnet}"},
                            "privateIPAddressVersion": "IPv4",
                            "privateIPAllocationMethod": "Static",
                            "privateIPAddress": "10.0.1.20",
                            "loadBalancerBackendAddressPools": [{"id": "{id:load balancer}/backendAddressPools/pool"}],
                        },
                    }
                ],
            },
        },
        cheap=False,
    ),
    "private link service": Example(
        f"{NETWORK}/privateLinkServices",
        {
            "location": "eastus",
            "properties": {
                "loadBalancerFrontendIpConfigurations": [{"id": "{id:load balancer}/frontendIPConfigurations/front"}],
                "ipConfigurations": [
                    {
                        "name": "nat",
                        "properties": {
                            "subnet": {"id": "{id:machine subnet}"},
                            "privateIPAllocationMethod": "Dynamic",
                            "primary": True,
                        },
                    }
                ],
                "visibility": {"subscriptions": ["*"]},
                "autoApproval": {"subscriptions": ["{guid}"]},
            },
        },
        cheap=False,
    ),
    "private endpoint": Example(
        f"{NETWORK}/privateEndpoints",
        {
            "location": "eastus",
            "properties": {
                "subnet": {"id": "{id:machine subnet}"},
                "ipVersionType": "IPv4",
                "privateLinkServiceConnections": [
                    {
                        "name": "link",
                        "properties": {
                            "privateLinkServiceId": "{id:private link service}",
                            "requestMessage": "Please",
                        },
                    }
                ],
            },
        },
        cheap=False,
    ),
    "manual private endpoint": Example(
        f"{NETWORK}/privateEndpoints",
        {
            "location": "eastus",
            "properties": {
                "subnet": {"id": "{id:machine subnet}"},
                "customDnsConfigs": [{"fqdn": "api.example.com", "ipAddresses": ["10.0.1.30"]}],
                "manualPrivateLinkServiceConnections": [
                    {"name": "link", "properties": {"privateLinkServiceId": "{id:private link service}"}}
                ],
            },
        },
        name="manual{n}",
        cheap=False,
    ),
}
