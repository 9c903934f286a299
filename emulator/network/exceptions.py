"""The errors of Microsoft.Network, in its words."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError


def invalid_cidr(prefix: str, where: str) -> ServiceError:
    """Not an address range, or one with host bits set."""
    return ServiceError(
        400,
        "InvalidCIDRNotation",
        f"The address prefix {prefix} in resource {where} has an invalid CIDR notation. For the given prefix length, "
        "the address prefix should be the network's own address.",
    )


def invalid_subnet(name: str, network: str) -> ServiceError:
    """A subnet outside its network's ranges."""
    return ServiceError(
        400,
        "NetcfgInvalidSubnet",
        f"Subnet '{name}' is not valid because its IP address range is outside the IP "
        f"address range of virtual network '{network}'.",
    )


def subnet_ranges_overlap(name: str, other: str) -> ServiceError:
    """Two subnets of one network overlap."""
    return ServiceError(
        400,
        "NetcfgSubnetRangesOverlap",
        f"Subnet '{name}' is not valid because its IP address range overlaps with that of an existing subnet '{other}'.",
    )


def overlapping_prefixes(network: str, prefixes: Sequence[str]) -> ServiceError:
    """Two ranges of one network overlap."""
    return ServiceError(
        400,
        "VnetAddressSpacesOverlap",
        f"The address prefixes {', '.join(prefixes)} of virtual network {network} overlap.",
    )


def reserved_range(prefix: str, network: str, reserved: str) -> ServiceError:
    """A range that is nobody's to use."""
    return ServiceError(
        400,
        "VnetAddressPrefixNotAllowed",
        f"The address prefix {prefix} of virtual network {network} overlaps with {reserved}, which is reserved.",
    )


def missing(code: str, message: str) -> ServiceError:
    """A member that the type cannot be without."""
    return ServiceError(400, code, message)


def in_use_subnet(subnet_id: str, holders: Sequence[str]) -> ServiceError:
    """A subnet with something in it."""
    name = subnet_id.rsplit("/", 1)[-1]
    return ServiceError(
        400,
        "InUseSubnetCannotBeDeleted",
        f"Subnet {name} is in use by {' and '.join(holders)} and cannot be deleted. In order to delete the subnet, "
        "delete all the resources within the subnet. See aka.ms/deletesubnet.",
    )


def in_use_security_group(group_id: str, holders: Sequence[str]) -> ServiceError:
    """A network security group attached to something."""
    return ServiceError(
        400,
        "InUseNetworkSecurityGroupCannotBeDeleted",
        f"Network security group {group_id} cannot be deleted because it is in use by the following resources: "
        f"{', '.join(holders)}. In order to delete the Network security group, remove the association with the "
        "resource(s). To learn how to do this, see aka.ms/deletensg.",
    )


def in_use(code: str, kind: str, resource_id: str, holders: Sequence[str]) -> ServiceError:
    """Anything else that is referred to."""
    name = resource_id.rsplit("/", 1)[-1]
    return ServiceError(400, code, f"{kind} {name} is in use by {', '.join(holders)} and cannot be deleted.")


def in_use_public_address(address_id: str, holders: Sequence[str]) -> ServiceError:
    """A public address that something has."""
    return ServiceError(
        400,
        "PublicIPAddressCannotBeDeleted",
        f"Public IP address {address_id} can not be deleted since it is still allocated to resource {holders[0]}. In "
        "order to delete the public IP, disassociate/detach the Public IP address from the resource. To learn how to "
        "do this, see aka.ms/deletepublicip.",
    )


def public_address_in_use(resource_id: str, address_id: str, holder: str) -> ServiceError:
    """A second IP configuration wants a public address."""
    return ServiceError(
        400,
        "PublicIPAddressInUse",
        f"Resource {resource_id} is referencing public IP address {address_id} that is already allocated to resource "
        f"{holder}.",
    )


def subnet_is_full(subnet_id: str, ranges: Sequence[str]) -> ServiceError:
    """No address is left."""
    return ServiceError(
        400,
        "SubnetIsFull",
        f"Subnet {subnet_id.rsplit('/', 1)[-1]} with address prefix {', '.join(ranges)} does not have enough capacity "
        "for 1 IP addresses.",
    )


def private_address_missing(configuration_id: str) -> ServiceError:
    """Static, and no address."""
    return ServiceError(
        400,
        "PrivateIPAddressNotSpecified",
        f"Private IP address is not specified for IP configuration {configuration_id}, whose allocation method is "
        "Static.",
    )


def invalid_private_address(address: str, configuration_id: str) -> ServiceError:
    """No address at all."""
    return ServiceError(
        400, "InvalidIPAddressFormat", f"IP address {address} of IP configuration {configuration_id} is not valid."
    )


def private_address_not_in_subnet(address: str, prefix: str) -> ServiceError:
    """An address of another network."""
    return ServiceError(
        400,
        "PrivateIPAddressNotInSubnet",
        f"Private static IP address {address} does not belong to the range of subnet prefix {prefix}.",
    )


def private_address_reserved(address: str, prefix: str) -> ServiceError:
    """One of the five addresses that are Azure's own."""
    return ServiceError(
        400,
        "PrivateIPAddressInReservedRange",
        f"Private static IP address {address} falls within reserved IP range of subnet prefix {prefix}.",
    )


def private_address_taken(configuration_id: str, address: str, holder: str) -> ServiceError:
    """Somebody else has the address."""
    return ServiceError(
        400,
        "PrivateIPAddressIsAllocated",
        f"IP configuration {configuration_id} is using the private IP address {address} which is already allocated to "
        f"resource {holder}.",
    )


def sku_mismatch(code: str, message: str) -> ServiceError:
    """Basic and Standard do not go together."""
    return ServiceError(400, code, message)


def in_use_part(part_id: str, holders: Sequence[str]) -> ServiceError:
    """A part of a load balancer that interfaces or link services hold on to."""
    kind = part_id.rsplit("/", 2)[-2]
    kind = kind[0].upper() + kind[1:].removesuffix("s")
    return ServiceError(
        400,
        f"InUse{kind}CannotBeDeleted",
        f"{kind} {part_id} is in use by {', '.join(holders)} and cannot be deleted.",
    )


def load_balancer_with_link_service(balancer_id: str, service_id: str) -> ServiceError:
    """A private link service stands on a load balancer."""
    return ServiceError(
        400,
        "CannotDeleteLoadBalancerWithPrivateLinkService",
        f"Cannot delete load balancer {balancer_id} since it is referenced by private link service {service_id}. Please "
        "delete private link service prior to deleting load balancer.",
    )


def in_use_interface(interface_id: str, holders: Sequence[str]) -> ServiceError:
    """A machine has the interface."""
    return ServiceError(
        400,
        "NicInUse",
        f"Network Interface {interface_id} is used by existing resource {holders[0]}. In order to delete the network "
        "interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.",
    )


def owned_interface(interface_id: str, owner: str) -> ServiceError:
    """The interface belongs to a private endpoint or a private link service, and comes and goes with it."""
    kind = "PrivateEndpoint" if "/privateendpoints/" in owner.lower() else "PrivateLinkService"
    return ServiceError(
        400,
        f"NicInUseWith{kind}",
        f"Network interface {interface_id} is currently in use with {owner} and can be neither changed nor deleted on "
        "its own.",
    )


def service_with_connections(service_id: str, count: int) -> ServiceError:
    """Private endpoints are connected to a private link service."""
    return ServiceError(
        400,
        "PrivateLinkServiceWithPrivateEndpointConnectionsCannotBeDeleted",
        f"Private link service {service_id} cannot be deleted since it has {count} private endpoint "
        f"connection{'s' if count > 1 else ''}. Please delete all private endpoint connections before deleting the "
        "private link service.",
    )


def policies_enabled(service_id: str, subnet_id: str) -> ServiceError:
    """A private link service needs a subnet without network policies for its addresses."""
    return ServiceError(
        400,
        "PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled",
        f"Private link service {service_id} cannot be created in a subnet {subnet_id} since it has private link service "
        "network policies enabled.",
    )


def policies_needed_off(subnet_id: str) -> ServiceError:
    """A subnet with a private link service in it."""
    return ServiceError(
        400,
        "PrivateLinkServiceNetworkPoliciesCannotBeEnabledOnPrivateLinkServiceSubnet",
        f"Private link service network policies cannot be enabled on private link service subnet {subnet_id}.",
    )


def wrong_frontend(service_id: str, frontend_id: str, reason: str) -> ServiceError:
    """A private link service stands on internal frontends of Standard load balancers."""
    return ServiceError(
        400,
        "PrivateLinkServiceFrontendIPConfigurationNotSupported",
        f"Private link service {service_id} cannot reference load balancer frontend IP configuration {frontend_id}: "
        f"{reason}.",
    )


def service_not_visible(endpoint_id: str, service_id: str) -> ServiceError:
    """Who makes a private endpoint may not see the private link service, or there is none."""
    return ServiceError(
        400,
        "PrivateLinkServiceNotFound",
        f"Private link service {service_id} referenced by private endpoint {endpoint_id} was not found, or is not "
        "visible to the subscription of the private endpoint.",
    )


def too_many_public_addresses(limit: int, *, static: bool) -> ServiceError:
    """More public addresses than the subscription may have in the region."""
    how = " with static allocation method" if static else ""
    return ServiceError(
        400,
        "StaticPublicIPCountLimitReached" if static else "PublicIPCountLimitReached",
        f"Cannot create more than {limit} public IP addresses{how} for this subscription in this region.",
    )
