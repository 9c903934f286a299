"""The errors of public and private addresses, in Azure's wording."""

from collections.abc import Sequence

from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said

_DEPLOYMENTS = "https://learn.microsoft.com/azure/azure-resource-manager/templates/common-deployment-errors"
_JAVA = "Azure/azure-sdk-for-java: PublicIpAddressImpl.java, whose comments name the code"


@said(OWN)
def version_not_emulated(found: Found) -> ServiceError:
    """Return the error for an IPv6 address, which has no meaning here: the emulated networks carry IPv4."""
    return ServiceError(
        400, "NotSupportedByLocalAzure", f"The local Azure does not support {found.value} addresses ({found.path})."
    )


# Public addresses


@said(public_output("https://github.com/oap-project/cloudtik/issues/158"))
def in_use_public_address(address_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a public address that something has."""
    return ServiceError(
        400,
        "PublicIPAddressCannotBeDeleted",
        f"Public IP address {address_id} can not be deleted since it is still allocated to resource {holders[0]}. In "
        "order to delete the public IP, disassociate/detach the Public IP address from the resource. To learn how to "
        "do this, see aka.ms/deletepublicip.",
    )


@said(MEMORY)
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


@said(MEMORY)
def too_many_static_addresses(limit: int) -> ServiceError:
    """Return the error for more static public addresses than the subscription may have in the region."""
    return ServiceError(
        400,
        "StaticPublicIPCountLimitReached",
        f"Cannot create more than {limit} public IP addresses with static allocation method for this subscription in "
        "this region.",
    )


@said(MEMORY)
def too_many_addresses(limit: int) -> ServiceError:
    """Return the error for more public addresses than the subscription may have in the region."""
    return ServiceError(
        400,
        "PublicIPCountLimitReached",
        f"Cannot create more than {limit} public IP addresses for this subscription in this region.",
    )


@said(MEMORY)
def standard_must_be_static(address_id: str) -> ServiceError:
    """Return the error for an address of SKU Standard that is allocated dynamically."""
    return ServiceError(
        400,
        "PublicIPAndSkuMismatch",
        f"Standard sku publicIp {address_id} must have AllocationMethod set to Static.",
    )


@said(public_output(_JAVA))
def sku_fixed(found: Found) -> ServiceError:
    """Return the error for changing the SKU of an address or a load balancer."""
    return ServiceError(
        400, "SkuCannotBeChangedOnUpdate", f"SKU property of resource {found.id} cannot be changed to {found.value}."
    )


@said(public_output(_JAVA))
def zones_fixed(resource_id: str, before: Sequence[str], wanted: Sequence[str]) -> ServiceError:
    """Return the error for changing the zones of an address, a frontend or a NAT gateway.

    Args:
        resource_id: the resource.
        before: the zones that it has.
        wanted: the zones in the request.
    """
    has, asks = (", ".join(sorted(zones)) or "NoZone" for zones in (before, wanted))
    return ServiceError(
        400,
        "ResourceAvailabilityZonesCannotBeModified",
        f"Resource {resource_id} has an existing availability zone constraint {has} and the request has availability "
        f"zone constraint {asks}, which do not match. Zones cannot be added/updated/removed once the resource is "
        "created. The resource cannot be updated from regional to zonal or vice-versa.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/pull/3579"))
def invalid_idle_timeout(found: Found) -> ServiceError:
    """Return the error for an idle timeout that a public address cannot have."""
    return ServiceError(
        400,
        "PublicIPIdleTimeoutIsOutOfRange",
        f"Public IP address {found.id.name} has invalid Idle Timeout. The value must be between 4 and 30.",
    )


@said(public_output("https://github.com/deis/deis/issues/4854"))
def invalid_label(found: Found) -> ServiceError:
    """Return the error for a label that cannot be part of a domain name."""
    return ServiceError(
        400,
        "InvalidDomainNameLabel",
        f"The domain name label {found.value} is invalid. It must conform to the following regular expression: "
        "^[a-z][a-z0-9-]{1,61}[a-z0-9]$.",
    )


@said(documentation(_DEPLOYMENTS))
def label_taken(name: str) -> ServiceError:
    """Return the error for a domain name that another public address has."""
    return ServiceError(400, "DnsRecordInUse", f"DNS record {name} is already used by another public IP.")


# Private addresses


@said(MEMORY)
def subnet_is_full(subnet_id: str, ranges: Sequence[str]) -> ServiceError:
    """Return the error for a subnet without a free address."""
    return ServiceError(
        400,
        "SubnetIsFull",
        f"Subnet {subnet_id.rsplit('/', 1)[-1]} with address prefix {', '.join(ranges)} does not have enough capacity "
        "for 1 IP addresses.",
    )


@said(MEMORY)
def private_address_missing(configuration_id: str) -> ServiceError:
    """Return the error for a static IP configuration without an address."""
    return ServiceError(
        400,
        "PrivateIPAddressNotSpecified",
        f"Private IP address is not specified for IP configuration {configuration_id}, whose allocation method is "
        "Static.",
    )


@said(MEMORY)
def private_address_not_in_subnet(address: str, prefix: str) -> ServiceError:
    """Return the error for an address outside the subnet."""
    return ServiceError(
        400,
        "PrivateIPAddressNotInSubnet",
        f"Private static IP address {address} does not belong to the range of subnet prefix {prefix}.",
    )


@said(MEMORY)
def private_address_reserved(address: str, prefix: str) -> ServiceError:
    """Return the error for one of the five addresses that Azure reserves in each range."""
    return ServiceError(
        400,
        "PrivateIPAddressInReservedRange",
        f"Private static IP address {address} falls within reserved IP range of subnet prefix {prefix}.",
    )


@said(MEMORY)
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
