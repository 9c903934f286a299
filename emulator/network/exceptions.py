"""The errors of virtual networks, subnets, route tables and NAT gateways, in Azure's wording.

The modules `…_exceptions.py` beside this one have those of the other types of Microsoft.Network.
"""

from collections.abc import Sequence
from ipaddress import ip_network

from emulator.arm.ids import ResourceId
from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said


@said(OWN)
def not_emulated(what: str) -> ServiceError:
    """Return the error for what Azure has and the local Azure lacks."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not support {what}.")


@said(public_output("https://github.com/Azure/azure-cli/issues/19761"))
def child_not_found(identifier: ResourceId) -> ServiceError:
    """Return the error for a child that does not exist; the provider says it, because its parent exists."""
    return ServiceError(404, "NotFound", f"Resource {identifier} not found.")


@said(documentation("https://github.com/Azure/PSRule.Rules.Azure/blob/main/docs/en/rules/Azure.VNET.Name.md"))
def invalid_network_name(found: Found) -> ServiceError:
    """Return the error for a name that a virtual network cannot have; the page has the limits, the text is ours."""
    return ServiceError(
        400,
        "InvalidResourceName",
        f"Resource name {found.value} is invalid. The name can be 2 to 64 characters long. It must begin with a word "
        "character, and it must end with a word character or with '_'. The name may contain word characters or '.', "
        "'-', '_'.",
    )


# Ranges and addresses


@said(public_output("https://github.com/Azure/azure-service-operator/issues/997"))
def invalid_prefix(found: Found) -> ServiceError:
    """Return the error for a text that is not an address range."""
    return ServiceError(
        400,
        "InvalidAddressPrefixFormat",
        f"Address prefix {found.value} of resource {found.id} is not formatted correctly. It should follow CIDR "
        "notation, for example 10.0.0.0/24.",
    )


@said(public_output("https://github.com/Azure/azure-service-operator/blob/master/pkg/errhelp/errors.go"))
def invalid_cidr(found: Found) -> ServiceError:
    """Return the error for a range with host bits set."""
    return ServiceError(
        400,
        "InvalidCIDRNotation",
        f"The address prefix {found.value} in resource {found.id} has an invalid CIDR notation. For the given prefix "
        f"length, the address prefix should be {ip_network(found.value, strict=False)}.",
    )


@said(MEMORY)
def invalid_address(found: Found) -> ServiceError:
    """Return the error for a text that is not an address."""
    return ServiceError(
        400, "InvalidIPAddressFormat", f"IP address {found.value} of resource {found.id} is not formatted correctly."
    )


@said(MEMORY)
def space_missing(network_id: str) -> ServiceError:
    """Return the error for a virtual network without ranges."""
    return ServiceError(
        400, "VnetAddressSpaceNotSpecified", f"Address space is not specified for virtual network {network_id}."
    )


@said(MEMORY)
def overlapping_prefixes(network: str, prefixes: Sequence[str]) -> ServiceError:
    """Return the error for overlapping ranges of a network."""
    return ServiceError(
        400,
        "VnetAddressSpacesOverlap",
        f"The address prefixes {', '.join(prefixes)} of virtual network {network} overlap.",
    )


@said(MEMORY)
def reserved_range(prefix: str, network: str, reserved: str) -> ServiceError:
    """Return the error for a range that nobody may use.

    Args:
        prefix: the network's range.
        network: the network's name.
        reserved: the reserved range that it overlaps.
    """
    return ServiceError(
        400,
        "VnetAddressPrefixNotAllowed",
        f"The address prefix {prefix} of virtual network {network} overlaps with {reserved}, which is reserved.",
    )


@said(MEMORY)
def invalid_flow_timeout(found: Found) -> ServiceError:
    """Return the error for a flow timeout that is too short or too long."""
    return ServiceError(
        400,
        "InvalidFlowTimeout",
        f"Virtual network {found.id} has invalid flow timeout {found.value}. The value must be between 4 and 30.",
    )


# Subnets


@said(MEMORY)
def prefix_missing(subnet_id: str) -> ServiceError:
    """Return the error for a subnet without ranges."""
    return ServiceError(
        400, "SubnetAddressPrefixNotSpecified", f"Address prefix is not specified for subnet {subnet_id}."
    )


@said(public_output("https://github.com/MicrosoftDocs/azure-docs/pull/123869"))
def subnet_outside(name: str, network: str) -> ServiceError:
    """Return the error for a subnet outside its network's ranges."""
    return ServiceError(
        400,
        "NetcfgSubnetRangeOutsideVnet",
        f"Subnet '{name}' is not valid because its IP address range is outside the IP address range of virtual network "
        f"'{network}'.",
    )


@said(MEMORY)
def subnet_too_small(name: str, network: str, prefix: str) -> ServiceError:
    """Return the error for a subnet in which Azure's reserved addresses leave no room, or an IPv6 one that is no /64."""
    wanted = "exactly /64" if ":" in prefix else "/29 or larger"
    return ServiceError(
        400,
        "NetcfgInvalidSubnet",
        f"Subnet '{name}' is not valid in virtual network '{network}'. The size of its address prefix {prefix} is not "
        f"supported: it must be {wanted}.",
    )


@said(public_output("https://github.com/MicrosoftDocs/azure-docs/pull/123869"))
def subnet_ranges_overlap(name: str, network: str) -> ServiceError:
    """Return the error for two overlapping subnets of a network."""
    return ServiceError(
        400,
        "NetcfgSubnetRangesOverlap",
        f"Subnet '{name}' is not valid because its IP address range overlaps with that of an existing subnet in virtual "
        f"network '{network}'.",
    )


@said(MEMORY)
def prefix_in_use(name: str, prefix: str) -> ServiceError:
    """Return the error for a write that takes a range from a subnet in which somebody has an address."""
    return ServiceError(
        400,
        "InUsePrefixCannotBeDeleted",
        f"IpPrefix {prefix} on Subnet {name} has active allocations and cannot be deleted.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/6818"))
def in_use_subnet(subnet_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a subnet with something in it."""
    name = subnet_id.rsplit("/", 1)[-1]
    return ServiceError(
        400,
        "InUseSubnetCannotBeDeleted",
        f"Subnet {name} is in use by {' and '.join(holders)} and cannot be deleted. In order to delete the subnet, "
        "delete all the resources within the subnet. See aka.ms/deletesubnet.",
    )


@said(MEMORY)
def invalid_service(found: Found) -> ServiceError:
    """Return the error for a service endpoint of a service that has none."""
    return ServiceError(
        400,
        "SubnetHasServiceEndpointWithInvalidServiceName",
        f"Subnet {found.id} has a service endpoint with an invalid service name: {found.value}.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/pull/21779"))
def invalid_delegation(service: str, identifier: str, valid: Sequence[str]) -> ServiceError:
    """Return the error for a delegation to a service that does not exist.

    Args:
        service: the service in the request.
        identifier: id of the delegation.
        valid: the services that there are.
    """
    return ServiceError(
        400,
        "InvalidServiceNameOnDelegation",
        f"The service name {service} specified on delegation {identifier} is not valid. Valid value(s) are: {','.join(valid)}.",
    )


@said(MEMORY)
def several_delegations(subnet_id: str) -> ServiceError:
    """Return the error for a subnet that is delegated to two services."""
    return ServiceError(
        400,
        "SubnetCannotHaveMultipleDelegations",
        f"Subnet {subnet_id} has more than one delegation. It can be delegated to one service.",
    )


@said(public_output("https://github.com/MicrosoftDocs/azure-docs/issues/39112"))
def delegation_of_used_subnet(
    subnet_id: str, before: Sequence[str], wanted: Sequence[str], holder: str
) -> ServiceError:
    """Return the error for delegating a subnet in which somebody else has an address.

    Args:
        subnet_id: the subnet.
        before: the services to which it is delegated.
        wanted: the services in the request.
        holder: the IP configuration in the subnet.
    """
    return ServiceError(
        400,
        "SubnetDelegationsCannotChangeWhenSubnetUsedByResource",
        f"Delegations of subnet {subnet_id} cannot be changed from [{', '.join(before)}] to [{', '.join(wanted)}] "
        f"because it is being used by the resource {holder}.",
    )


@said(MEMORY)
def delegation_in_use(subnet_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for a write that takes the delegation from a subnet in which the service has resources."""
    return ServiceError(
        400,
        "SubnetMissingRequiredDelegation",
        f"Subnet {subnet_id} requires its delegations to stay, because these resources use them: {', '.join(holders)}.",
    )


# Route tables


@said(MEMORY)
def in_use_route_table(table_id: str, _holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a route table that subnets have."""
    name = table_id.rsplit("/", 1)[-1]
    return ServiceError(400, "InUseRouteTableCannotBeDeleted", f"Route table {name} is in use and cannot be deleted.")


@said(MEMORY)
def next_hop_missing(route_id: str) -> ServiceError:
    """Return the error for a route to an appliance that does not say where the appliance is."""
    return ServiceError(
        400,
        "RouteNextHopIpAddressRequired",
        f"NextHopIpAddress cannot be Null or Empty in route {route_id} when NextHopType is VirtualAppliance.",
    )


@said(MEMORY)
def next_hop_not_allowed(route_id: str, kind: str) -> ServiceError:
    """Return the error for a route with the address of an appliance that leads to something else."""
    return ServiceError(
        400,
        "RouteNextHopIpAddressNotAllowed",
        f"NextHopIpAddress must be empty in route {route_id} when NextHopType is {kind}: only VirtualAppliance has one.",
    )


@said(MEMORY)
def route_conflict(route: str, other: str) -> ServiceError:
    """Return the error for two routes of a table with the same range."""
    return ServiceError(
        400,
        "RouteConflict",
        f"Route: {route} conflicts with Route: {other}. Routes cannot have the same AddressPrefix.",
    )


# NAT gateways


@said(public_output("https://github.com/Azure-Samples/Copilot-Studio-with-Azure-AI-Search/issues/62"))
def in_use_nat_gateway(gateway_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a NAT gateway that subnets have."""
    return ServiceError(
        400,
        "CannotDeleteNatGatewayAssociatedToSubnet",
        f"NAT Gateway {gateway_id} is still configured on {len(holders)} subnets. Remove NAT Gateway from all referenced "
        "subnets and then delete NAT Gateway.",
    )


@said(documentation("https://github.com/MicrosoftDocs/azure-docs/issues/64352"))
def invalid_gateway_timeout(found: Found) -> ServiceError:
    """Return the error for an idle timeout that a NAT gateway cannot have; the page has the limits, the text is ours."""
    return ServiceError(
        400,
        "NatGatewayIdleTimeoutOutOfRange",
        f"Nat gateway {found.id} has invalid Idle Timeout {found.value}. The value must be between 4 and 120.",
    )


@said(MEMORY)
def gateway_in_several_zones(gateway_id: str, zones: Sequence[str]) -> ServiceError:
    """Return the error for a gateway of SKU Standard in more than one zone."""
    return ServiceError(
        400,
        "NatGatewayCannotHaveMultipleZones",
        f"Nat gateway {gateway_id} of sku Standard can be in one zone only; it has {', '.join(zones)}.",
    )


@said(MEMORY)
def basic_address_on_gateway(gateway_id: str, address_id: str) -> ServiceError:
    """Return the error for a NAT gateway with a public address of SKU Basic."""
    return ServiceError(
        400,
        "NatGatewayCannotReferenceBasicSkuPublicIp",
        f"Nat gateway {gateway_id} cannot reference public IP address {address_id}, which is of sku Basic.",
    )
