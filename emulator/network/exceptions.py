"""The errors of Microsoft.Network, in Azure's wording."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError


def invalid_cidr(prefix: str, where: str) -> ServiceError:
    """Return the error for a text that is not an address range, or a range with host bits set."""
    return ServiceError(
        400,
        "InvalidCIDRNotation",
        f"The address prefix {prefix} in resource {where} has an invalid CIDR notation. For the given prefix length, "
        "the address prefix should be the network's own address.",
    )


def invalid_subnet(name: str, network: str) -> ServiceError:
    """Return the error for a subnet outside its network's ranges."""
    return ServiceError(
        400,
        "NetcfgInvalidSubnet",
        f"Subnet '{name}' is not valid because its IP address range is outside the IP "
        f"address range of virtual network '{network}'.",
    )


def subnet_ranges_overlap(name: str, other: str) -> ServiceError:
    """Return the error for two overlapping subnets of a network."""
    return ServiceError(
        400,
        "NetcfgSubnetRangesOverlap",
        f"Subnet '{name}' is not valid because its IP address range overlaps with that of an existing subnet '{other}'.",
    )


def overlapping_prefixes(network: str, prefixes: Sequence[str]) -> ServiceError:
    """Return the error for overlapping ranges of a network."""
    return ServiceError(
        400,
        "VnetAddressSpacesOverlap",
        f"The address prefixes {', '.join(prefixes)} of virtual network {network} overlap.",
    )


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


def missing(code: str, message: str) -> ServiceError:
    """Return the error for a required member that is missing or does not fit."""
    return ServiceError(400, code, message)


def in_use_subnet(subnet_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a subnet with something in it."""
    name = subnet_id.rsplit("/", 1)[-1]
    return ServiceError(
        400,
        "InUseSubnetCannotBeDeleted",
        f"Subnet {name} is in use by {' and '.join(holders)} and cannot be deleted. In order to delete the subnet, "
        "delete all the resources within the subnet. See aka.ms/deletesubnet.",
    )


def in_use_security_group(group_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a network security group that is attached to something."""
    return ServiceError(
        400,
        "InUseNetworkSecurityGroupCannotBeDeleted",
        f"Network security group {group_id} cannot be deleted because it is in use by the following resources: "
        f"{', '.join(holders)}. In order to delete the Network security group, remove the association with the "
        "resource(s). To learn how to do this, see aka.ms/deletensg.",
    )


def in_use(code: str, kind: str, resource_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting any other resource that others refer to.

    Args:
        code: the error's code.
        kind: the type in words.
        resource_id: the resource.
        holders: ids of the resources that refer to it.
    """
    name = resource_id.rsplit("/", 1)[-1]
    return ServiceError(400, code, f"{kind} {name} is in use by {', '.join(holders)} and cannot be deleted.")


def in_use_public_address(address_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a public address that something has."""
    return ServiceError(
        400,
        "PublicIPAddressCannotBeDeleted",
        f"Public IP address {address_id} can not be deleted since it is still allocated to resource {holders[0]}. In "
        "order to delete the public IP, disassociate/detach the Public IP address from the resource. To learn how to "
        "do this, see aka.ms/deletepublicip.",
    )


def public_address_in_use(resource_id: str, address_id: str, holder: str) -> ServiceError:
    """Return the error for a second IP configuration that wants a public address.

    Args:
        resource_id: the second IP configuration.
        address_id: the public address.
        holder: the IP configuration that has it.
    """
    return ServiceError(
        400,
        "PublicIPAddressInUse",
        f"Resource {resource_id} is referencing public IP address {address_id} that is already allocated to resource "
        f"{holder}.",
    )


def subnet_is_full(subnet_id: str, ranges: Sequence[str]) -> ServiceError:
    """Return the error for a subnet without a free address."""
    return ServiceError(
        400,
        "SubnetIsFull",
        f"Subnet {subnet_id.rsplit('/', 1)[-1]} with address prefix {', '.join(ranges)} does not have enough capacity "
        "for 1 IP addresses.",
    )


def private_address_missing(configuration_id: str) -> ServiceError:
    """Return the error for a static IP configuration without an address."""
    return ServiceError(
        400,
        "PrivateIPAddressNotSpecified",
        f"Private IP address is not specified for IP configuration {configuration_id}, whose allocation method is "
        "Static.",
    )


def invalid_private_address(address: str, configuration_id: str) -> ServiceError:
    """Return the error for a text that is not an address."""
    return ServiceError(
        400, "InvalidIPAddressFormat", f"IP address {address} of IP configuration {configuration_id} is not valid."
    )


def private_address_not_in_subnet(address: str, prefix: str) -> ServiceError:
    """Return the error for an address outside the subnet."""
    return ServiceError(
        400,
        "PrivateIPAddressNotInSubnet",
        f"Private static IP address {address} does not belong to the range of subnet prefix {prefix}.",
    )


def private_address_reserved(address: str, prefix: str) -> ServiceError:
    """Return the error for one of the five addresses that Azure reserves in each range."""
    return ServiceError(
        400,
        "PrivateIPAddressInReservedRange",
        f"Private static IP address {address} falls within reserved IP range of subnet prefix {prefix}.",
    )


def private_address_taken(configuration_id: str, address: str, holder: str) -> ServiceError:
    """Return the error for an address that somebody else has.

    Args:
        configuration_id: the IP configuration that wants it.
        address: the address.
        holder: the IP configuration that has it.
    """
    return ServiceError(
        400,
        "PrivateIPAddressIsAllocated",
        f"IP configuration {configuration_id} is using the private IP address {address} which is already allocated to "
        f"resource {holder}.",
    )


def sku_mismatch(code: str, message: str) -> ServiceError:
    """Return the error for SKUs that do not go together, or a SKU without the feature."""
    return ServiceError(400, code, message)


def in_use_part(part_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for removing a part of a load balancer that interfaces or private link services refer to."""
    kind = part_id.rsplit("/", 2)[-2]
    kind = kind[0].upper() + kind[1:].removesuffix("s")
    return ServiceError(
        400,
        f"InUse{kind}CannotBeDeleted",
        f"{kind} {part_id} is in use by {', '.join(holders)} and cannot be deleted.",
    )


def load_balancer_with_link_service(balancer_id: str, service_id: str) -> ServiceError:
    """Return the error for deleting a load balancer that a private link service uses."""
    return ServiceError(
        400,
        "CannotDeleteLoadBalancerWithPrivateLinkService",
        f"Cannot delete load balancer {balancer_id} since it is referenced by private link service {service_id}. Please "
        "delete private link service prior to deleting load balancer.",
    )


def in_use_interface(interface_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting an interface that a machine has."""
    return ServiceError(
        400,
        "NicInUse",
        f"Network Interface {interface_id} is used by existing resource {holders[0]}. In order to delete the network "
        "interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.",
    )


def owned_interface(interface_id: str, owner: str) -> ServiceError:
    """Return the error for changing or deleting the interface of a private endpoint or private link service."""
    kind = "PrivateEndpoint" if "/privateendpoints/" in owner.lower() else "PrivateLinkService"
    return ServiceError(
        400,
        f"NicInUseWith{kind}",
        f"Network interface {interface_id} is currently in use with {owner} and can be neither changed nor deleted on "
        "its own.",
    )


def service_with_connections(service_id: str, count: int) -> ServiceError:
    """Return the error for deleting a private link service to which private endpoints are connected."""
    return ServiceError(
        400,
        "PrivateLinkServiceWithPrivateEndpointConnectionsCannotBeDeleted",
        f"Private link service {service_id} cannot be deleted since it has {count} private endpoint "
        f"connection{'s' if count > 1 else ''}. Please delete all private endpoint connections before deleting the "
        "private link service.",
    )


def policies_enabled(service_id: str, subnet_id: str) -> ServiceError:
    """Return the error for a private link service in a subnet that has network policies enabled."""
    return ServiceError(
        400,
        "PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled",
        f"Private link service {service_id} cannot be created in a subnet {subnet_id} since it has private link service "
        "network policies enabled.",
    )


def policies_needed_off(subnet_id: str) -> ServiceError:
    """Return the error for enabling network policies on a subnet with a private link service in it."""
    return ServiceError(
        400,
        "PrivateLinkServiceNetworkPoliciesCannotBeEnabledOnPrivateLinkServiceSubnet",
        f"Private link service network policies cannot be enabled on private link service subnet {subnet_id}.",
    )


def wrong_frontend(service_id: str, frontend_id: str, reason: str) -> ServiceError:
    """Return the error for a frontend that a private link service cannot use.

    Args:
        service_id: the private link service.
        frontend_id: the frontend, which has to be an internal one of a Standard load balancer.
        reason: why it cannot be used, as a clause.
    """
    return ServiceError(
        400,
        "PrivateLinkServiceFrontendIPConfigurationNotSupported",
        f"Private link service {service_id} cannot reference load balancer frontend IP configuration {frontend_id}: "
        f"{reason}.",
    )


def service_not_visible(endpoint_id: str, service_id: str) -> ServiceError:
    """Return the error for a private link service that does not exist, or that the endpoint's owner may not see."""
    return ServiceError(
        400,
        "PrivateLinkServiceNotFound",
        f"Private link service {service_id} referenced by private endpoint {endpoint_id} was not found, or is not "
        "visible to the subscription of the private endpoint.",
    )


def too_many_public_addresses(limit: int, *, static: bool) -> ServiceError:
    """Return the error for more public addresses than the subscription may have in the region."""
    how = " with static allocation method" if static else ""
    return ServiceError(
        400,
        "StaticPublicIPCountLimitReached" if static else "PublicIPCountLimitReached",
        f"Cannot create more than {limit} public IP addresses{how} for this subscription in this region.",
    )


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


def delegation_in_use(subnet_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for a write that takes the delegation from a subnet in which the service has resources."""
    return ServiceError(
        400,
        "SubnetMissingRequiredDelegation",
        f"Subnet {subnet_id} requires its delegations to stay, because these resources use them: {', '.join(holders)}.",
    )
