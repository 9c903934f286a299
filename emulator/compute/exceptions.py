"""The errors of Microsoft.Compute, in its own words."""

from collections.abc import Sequence
from urllib.parse import quote

from emulator.core.errors import ServiceError


def invalid_parameter(target: str, message: str) -> ServiceError:
    """Return the 400 for a member whose value is not allowed."""
    return ServiceError(400, "InvalidParameter", message, target=target)


def feature_not_enabled(path: str, feature: str) -> ServiceError:
    """Return the 400 for a member that needs a feature which the subscription has not registered."""
    return invalid_parameter(
        path,
        f"The property '{path}' is not valid because the '{feature}' feature is not enabled for this subscription.",
    )


def encryption_not_supported(size: str) -> ServiceError:
    """Return the 400 for encryption at host on a size whose hosts cannot encrypt."""
    return invalid_parameter(
        "securityProfile.encryptionAtHost", f"Encryption at host is not supported for the VM size '{size}'."
    )


def missing(parameter: str) -> ServiceError:
    """Return the 400 for a required member that is missing."""
    return invalid_parameter(parameter, f"Required parameter '{parameter}' is missing (null).")


def not_allowed(parameter: str) -> ServiceError:
    """Return the 400 for a member that must be absent."""
    return invalid_parameter(parameter, f"Parameter '{parameter}' is not allowed.")


def not_here(what: str) -> ServiceError:
    """Return the 400 for a part of Azure that the local Azure does not have."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


def change_not_allowed(path: str) -> ServiceError:
    """Return the 409 for changing a property that a virtual machine keeps for life."""
    return ServiceError(409, "PropertyChangeNotAllowed", f"Changing property '{path}' is not allowed.", target=path)


def invalid_size(size: str, location: str, known: Sequence[str]) -> ServiceError:
    """Return the 400 for a size that does not exist.

    Args:
        size: the name that was given.
        location: name of the region.
        known: names of the sizes that the region has.
    """
    return invalid_parameter(
        "vmSize",
        f"The value {size} provided for the VM size is not valid. The valid sizes in the current region "
        f"({location}) are: {', '.join(known)}.",
    )


def sku_not_available(size: str, location: str, zone: str = "") -> ServiceError:
    """Return the 409 for a size that this subscription cannot use in the region or zone.

    Args:
        size: name of the size.
        location: name of the region.
        zone: the zone, if only the zone lacks the size.
    """
    where = f"location '{location}' in zone '{zone}'" if zone else f"location '{location}'"
    return ServiceError(
        409,
        "SkuNotAvailable",
        f"The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: {size}' is "
        f"currently not available in {where}. Please try another size or deploy to a different location or different "
        "zone. See https://aka.ms/azureskunotavailable for details.",
    )


def zones_not_supported(resource_id: str, location: str) -> ServiceError:
    """Return the 400 for a zone in a region without zones."""
    return ServiceError(
        400,
        "LocationNotSupportAvailabilityZones",
        f"The resource '{resource_id}' does not support availability zones at location '{location}'.",
    )


def unknown_zone(resource_id: str, zone: str, location: str, known: Sequence[str]) -> ServiceError:
    """Return the 400 for a zone that the region does not have.

    Args:
        resource_id: the resource that was to be placed there.
        zone: the zone that was given.
        location: name of the region.
        known: the region's zones.
    """
    return ServiceError(
        400,
        "AvailabilityZoneNotSupported",
        f"The zone(s) '{zone}' for resource '{resource_id}' is not supported. The supported zones for location "
        f"'{location}' are '{','.join(known)}'.",
    )


def image_not_found(parts: Sequence[str]) -> ServiceError:
    """Return the 404 for an image that is not in the marketplace."""
    return ServiceError(
        404,
        "PlatformImageNotFound",
        f"The platform image '{':'.join(parts)}' is not available. Verify that all fields in the storage profile are "
        "correct. For more details about storage profile information, please refer to https://aka.ms/storageprofile",
        target="imageReference",
    )


def quota_exceeded(what: str, location: str, limit: int, used: int, required: int) -> ServiceError:
    """Return the 409 for exceeding a quota of the subscription in the region.

    Args:
        what: what the message calls the quota.
        location: name of the region.
        limit: the limit.
        used: the current usage.
        required: what the request would add.
    """
    detail = quote(f'{{"location":"{location}","quota":"{what}","newLimit":{used + required}}}')
    return ServiceError(
        409,
        "OperationNotAllowed",
        f"Operation could not be completed as it results in exceeding approved {what} quota. Additional details - "
        f"Deployment Model: Resource Manager, Location: {location}, Current Limit: {limit}, Current Usage: {used}, "
        f"Additional Required: {required}, (Minimum) New Limit Required: {used + required}. Setup Alerts when Quota "
        "reaches threshold. Learn more at https://aka.ms/quotamonitoringalerting . Submit a request for Quota increase "
        "at https://aka.ms/ProdportalCRP/#blade/Microsoft_Azure_Capacity/UsageAndQuota.ReactView/Parameters/"
        f"{detail} by specifying parameters listed in the 'Details' section for deployment to succeed. Please read "
        "more about quota limits at https://docs.microsoft.com/en-us/azure/azure-supportability/per-vm-quota-requests",
    )


def interface_in_use(interface_id: str, machine_id: str) -> ServiceError:
    """Return the 400 for a network interface that another machine uses."""
    return ServiceError(
        400,
        "NicInUse",
        f"Network Interface {interface_id} is used by existing resource {machine_id}. In order to use the network "
        "interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.",
    )


def one_primary_interface(machine_id: str) -> ServiceError:
    """Return the 400 for several network interfaces of which not exactly one is the primary."""
    return ServiceError(
        400,
        "VirtualMachineMustHaveOneNetworkInterfaceAsPrimary",
        f"Virtual machine {machine_id} must have one network interface set as the primary.",
    )


def account_not_found(account: str) -> ServiceError:
    """Return the 409 for boot diagnostics whose storage account does not exist."""
    return ServiceError(
        409,
        "StorageAccountNotFound",
        f"Storage account '{account}' not found. Ensure storage account is not deleted and belongs to the same Azure "
        "location as the VM.",
    )


def disk_exists(name: str, group: str) -> ServiceError:
    """Return the 409 for creating a disk with the name of an existing one."""
    return ServiceError(
        409,
        "ConflictingUserInput",
        f"Disk {name} already exists in resource group {group}. Only CreateOption.Attach is supported.",
    )


def disk_owned(name: str, machine_id: str) -> ServiceError:
    """Return the 409 for a disk that is attached to another machine."""
    return ServiceError(
        409,
        "ConflictingUserInput",
        f"Disk '{name}' cannot be attached as the disk is already owned by VM '{machine_id}'.",
    )


def disk_attached(disk_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the 409 for deleting a disk that is attached."""
    return ServiceError(
        409,
        "OperationNotAllowed",
        f"Disk {disk_id.rsplit('/', 1)[-1]} is attached to VM {', '.join(holders)}.",
    )
