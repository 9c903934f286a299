"""The errors of Microsoft.Compute, in its own words."""

from collections.abc import Sequence
from urllib.parse import quote

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said

MESSAGES = documentation("https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/error-messages")
GALLERIES = documentation("https://learn.microsoft.com/azure/virtual-machines/troubleshooting-shared-images")
TERRAFORM = public_output(
    "hashicorp/terraform-provider-azurerm: comments of internal/services/compute quote the answer"
)


# Names, values and members


@said(GALLERIES)
def invalid_name(entity: str, longest: int) -> ServiceError:
    """Build the 400 for a name that a machine, a disk or a disk encryption set cannot have.

    Args:
        entity: what the message calls the name, such as `dataDisk.name`.
        longest: how many characters it may have.
    """
    return ServiceError(
        400,
        "InvalidParameter",
        f"The entity name '{entity}' is invalid according to its validation rule: "
        rf"^[^_\W][\w-._]{{0,{longest - 1}}}(?<![-.])$.",
        target=entity,
    )


@said(MESSAGES)
def invalid_value(parameter: str) -> ServiceError:
    """Build the 400 for a member whose value is not allowed."""
    return ServiceError(400, "InvalidParameter", f"The value of parameter {parameter} is invalid.", target=parameter)


@said(public_output("https://github.com/JeffBow/AzurePowerShell/issues/10"))
def missing(parameter: str) -> ServiceError:
    """Build the 400 for a required member that is missing."""
    return ServiceError(
        400, "InvalidParameter", f"Required parameter '{parameter}' is missing (null).", target=parameter
    )


@said(MEMORY)
def not_allowed(parameter: str) -> ServiceError:
    """Build the 400 for a member that must be absent."""
    return ServiceError(400, "InvalidParameter", f"Parameter '{parameter}' is not allowed.", target=parameter)


@said(OWN)
def not_here(what: str) -> ServiceError:
    """Build the 400 for a part of Azure that the local Azure does not have."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


@said(public_output("an answer that a public Go program quotes to recognise it"))
def change_not_allowed(path: str) -> ServiceError:
    """Build the 409 for changing a property that a resource keeps for life."""
    return ServiceError(409, "PropertyChangeNotAllowed", f"Changing property '{path}' is not allowed.", target=path)


# Sizes, zones, quotas


@said(OWN)
def size_not_emulated(size: str) -> ServiceError:
    """Build the 400 for a size that Azure has and the local Azure lacks."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have the VM size '{size}'.")


@said(public_output("an answer to `az vm resize` in a published transcript"))
def invalid_size(size: str, known: Sequence[str]) -> ServiceError:
    """Build the 400 for a size that does not exist.

    Args:
        size: the name that was given.
        known: names of the sizes that the region has.
    """
    return ServiceError(
        400,
        "InvalidParameter",
        f"The value {size} provided for the VM size is not valid. The valid sizes in the current region are: "
        f"{','.join(known)}. Find out more on the valid VM sizes in each region at https://aka.ms/azure-regions.",
        target="vmSize",
    )


@said(MESSAGES)
def size_not_in_region(size: str, known: Sequence[str]) -> ServiceError:
    """Build the 400 for a size that the region does not have.

    Args:
        size: name of the size.
        known: names of the sizes that the region has.
    """
    return ServiceError(
        400,
        "InvalidParameter",
        f"The requested VM size {size} is not available in the current region. The sizes available in the current region "
        f"are: {','.join(known)}. Find out more on the available VM sizes in each region at "
        "https://aka.ms/azure-regions.",
        target="vmSize",
    )


@said(MEMORY)
def sku_not_available(size: str, location: str, zone: str = "") -> ServiceError:
    """Build the 409 for a size that this subscription cannot use in the region or zone.

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


@said(MEMORY)
def several_zones(resource_id: str, count: int) -> ServiceError:
    """Build the 400 for more than one zone."""
    return ServiceError(
        400, "InvalidParameter", f"The resource {resource_id} can be in one zone, not in {count}.", target="zones"
    )


@said(MEMORY)
def quota_exceeded(what: str, location: str, limit: int, used: int, required: int) -> ServiceError:
    """Build the 409 for exceeding a quota of the subscription in the region.

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


@said(MEMORY)
def quota_exceeded_together(refused: ServiceError) -> ServiceError:
    """Build the error of a preflight for machines that together exceed a quota: the same refusal with another code."""
    return ServiceError(refused.status_code, "QuotaExceeded", refused.message)


@said(MEMORY)
def feature_not_enabled(path: str, feature: str) -> ServiceError:
    """Build the 400 for a member that needs a feature which the subscription has not registered."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"The property '{path}' is not valid because the '{feature}' feature is not enabled for this subscription.",
        target=path,
    )


@said(MEMORY)
def encryption_not_supported(size: str) -> ServiceError:
    """Build the 400 for encryption at host on a size whose hosts cannot encrypt."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"Encryption at host is not supported for the VM size '{size}'.",
        target="securityProfile.encryptionAtHost",
    )


# Images and operating systems


@said(MEMORY)
def image_incomplete() -> ServiceError:
    """Build the 400 for an image reference without one of its four parts."""
    return ServiceError(
        400,
        "InvalidParameter",
        "Parameter imageReference must have either publisher, offer, sku and version, or id.",
        target="imageReference",
    )


@said(MEMORY)
def image_not_found(parts: Sequence[str]) -> ServiceError:
    """Build the 404 for an image that is not in the marketplace."""
    return ServiceError(
        404,
        "PlatformImageNotFound",
        f"The platform image '{':'.join(parts)}' is not available. Verify that all fields in the storage profile are "
        "correct. For more details about storage profile information, please refer to https://aka.ms/storageprofile",
        target="imageReference",
    )


@said(MESSAGES)
def invalid_linux_name(longest: int, characters: str) -> ServiceError:
    """Build the 400 for a host name that Linux cannot have."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"Linux host name cannot exceed {longest} characters in length or contain the following characters: "
        f"{characters}.",
        target="computerName",
    )


@said(MESSAGES)
def invalid_windows_name(longest: int, characters: str) -> ServiceError:
    """Build the 400 for a computer name that Windows cannot have."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"Windows computer name cannot be more than {longest} characters long, be entirely numeric, or contain the "
        f"following characters: {characters}.",
        target="computerName",
    )


@said(MESSAGES)
def user_not_allowed() -> ServiceError:
    """Build the 400 for a user name that Azure reserves."""
    return ServiceError(400, "InvalidParameter", "The Admin Username specified is not allowed.", target="adminUsername")


@said(MESSAGES)
def password_not_allowed() -> ServiceError:
    """Build the 400 for a password that everybody guesses."""
    return ServiceError(400, "InvalidParameter", "The Admin password specified is not allowed.", target="adminPassword")


@said(MESSAGES)
def weak_password(shortest: int, longest: int, kinds: int) -> ServiceError:
    """Build the 400 for a password that is too short, too long or too simple."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"The supplied password must be between {shortest}-{longest} characters long and must satisfy at least {kinds} "
        "of password complexity requirements from the following:\r\n1) Contains an uppercase character\r\n2) Contains a "
        "lowercase character\r\n3) Contains a numeric digit\r\n4) Contains a special character\r\n5) Control characters "
        "are not allowed",
        target="adminPassword",
    )


@said(TERRAFORM)
def no_login() -> ServiceError:
    """Build the 400 for a Linux machine with neither a password nor a key."""
    return ServiceError(
        400,
        "InvalidParameter",
        "Authentication using either SSH or by user name and password must be enabled in Linux profile.",
        target="linuxConfiguration",
    )


@said(MESSAGES)
def key_elsewhere(path: str) -> ServiceError:
    """Build the 400 for an SSH key that is to be written to another file than the user's."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"Destination path for SSH public keys is currently limited to its default value {path}  due to a known issue "
        "in Linux provisioning agent.",
        target="linuxConfiguration.ssh.publicKeys.path",
    )


@said(MESSAGES)
def invalid_custom_data(longest: int) -> ServiceError:
    """Build the 400 for custom data that is not base64, or too long."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"Custom data in OSProfile must be in Base64 encoding and with a maximum length of {longest} characters.",
        target="customData",
    )


@said(MEMORY)
def invalid_user_data(longest: int) -> ServiceError:
    """Build the 400 for user data that is not base64, or too long."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"User data must be in Base64 encoding and with a maximum length of {longest} characters.",
        target="userData",
    )


@said(MESSAGES)
def invalid_license(given: str) -> ServiceError:
    """Build the 400 for an unknown licence."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"The license type {given} is invalid. Valid license types are: Windows_Client or Windows_Server, case sensitive.",
        target="licenseType",
    )


@said(MEMORY)
def eviction_without_spot() -> ServiceError:
    """Build the 409 for an eviction policy of a machine that is never evicted."""
    return ServiceError(
        409,
        "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines",
        "Eviction policy can be set only on Azure Spot Virtual Machines. This VM is not a Spot VM, so you can't set the "
        "eviction policy.",
    )


# Disks


@said(public_output("an answer that a public Terraform configuration quotes"))
def smaller_than_image(size: int, image: int) -> ServiceError:
    """Build the 409 for an operating system disk that is smaller than its image.

    Args:
        size: the size that was given, in GiB.
        image: the size of the image's disk, in GiB.
    """
    return ServiceError(
        409,
        "OperationNotAllowed",
        f"The specified disk size {size} GB is smaller than the size of the corresponding disk in the VM image: "
        f"{image} GB. This is not allowed. Please choose equal or greater size or do not specify an explicit size.",
        target="osDisk.diskSizeGB",
    )


@said(MEMORY)
def disk_size(target: str, size: int, largest: int) -> ServiceError:
    """Build the 400 for a size that no disk of its kind has.

    Args:
        target: the member.
        size: the size that was given, in GiB.
        largest: the largest size, in GiB.
    """
    return ServiceError(
        400,
        "InvalidParameter",
        f"Value '{size}' of parameter '{target}' is out of range. The value must be between '1' and '{largest}', "
        "inclusive.",
        target=target,
    )


@said(public_output("a comment of a public Go program, in Chinese, quotes the answer"))
def disk_shrinks(before: int, after: int) -> ServiceError:
    """Build the 400 for a disk that is to become smaller; the sizes are in GiB."""
    return ServiceError(
        400,
        "ResizeDiskError",
        f"Disk size reduction is not supported. Current size is {before * 2**30} bytes, requested size is "
        f"{after * 2**30} bytes.",
        target="disk.diskSizeGB",
    )


@said(MESSAGES)
def invalid_account_type(given: str) -> ServiceError:
    """Build the 400 for a kind of storage that disks cannot have."""
    return ServiceError(400, "InvalidAccountType", f"The AccountType {given} is invalid.")


@said(MEMORY)
def create_option(given: str) -> ServiceError:
    """Build the 400 for a disk that is created from an image or empty, but should be the other one."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"The value '{given}' of parameter 'createOption' is not allowed for this disk.",
        target="createOption",
    )


@said(MESSAGES)
def image_for_existing_disk() -> ServiceError:
    """Build the 400 for an existing operating system disk together with an image."""
    return ServiceError(
        400,
        "InvalidParameter",
        "Cannot attach an existing OS disk if the VM is created from a platform or user image.",
        target="osDisk",
    )


@said(MESSAGES)
def lun_taken(lun: int) -> ServiceError:
    """Build the 400 for two data disks with one number."""
    return ServiceError(400, "InvalidParameter", f"A disk at LUN {lun} already exists.", target="dataDisk.lun")


@said(MESSAGES)
def disk_named_twice(name: str) -> ServiceError:
    """Build the 400 for two disks of one name in a machine."""
    return ServiceError(400, "InvalidParameter", f"A disk named '{name}' already exists.", target="dataDisk.name")


@said(MESSAGES)
def too_many_disks(most: int) -> ServiceError:
    """Build the 409 for more data disks than the size of the machine can have."""
    return ServiceError(
        409,
        "OperationNotAllowed",
        f"The maximum number of data disks allowed to be attached to a VM of this size is {most}.",
        target="dataDisks",
    )


@said(public_output("an answer to `az vm disk attach --new` in a published transcript"))
def disk_exists(name: str, group: str) -> ServiceError:
    """Build the 409 for creating a disk with the name of an existing one."""
    return ServiceError(
        409,
        "ConflictingUserInput",
        f"Disk {name} already exists in resource group {group.upper()}. Only CreateOption.Attach is supported.",
    )


@said(MESSAGES)
def disk_owned(name: str, machine_id: str) -> ServiceError:
    """Build the 409 for a disk that is attached to another machine."""
    return ServiceError(
        409,
        "ConflictingUserInput",
        f"Disk '{name}' cannot be attached as the disk is already owned by VM '{machine_id}'.",
    )


@said(public_output("an answer to the Kubernetes volume provisioner of Azure, in the documentation of a workshop"))
def disk_attached(disk_id: str, holders: Sequence[str]) -> ServiceError:
    """Build the 409 for deleting a disk that is attached."""
    return ServiceError(
        409,
        "OperationNotAllowed",
        f"Disk {disk_id.rsplit('/', 1)[-1]} is attached to VM {', '.join(holders)}.",
    )


@said(MEMORY)
def disk_elsewhere(name: str, zone: str, machine_zone: str) -> ServiceError:
    """Build the 400 for attaching a disk of another zone than the machine's; a zone may be ""."""
    return ServiceError(
        400,
        "BadRequest",
        f"Disk {name} cannot be attached to the VM because it is not in the same zone as the VM. VM zone: "
        f"'{machine_zone}'. Disk zone: '{zone}'.",
    )


@said(MEMORY)
def encryption_set_in_use(set_id: str, holders: Sequence[str]) -> ServiceError:
    """Build the 409 for deleting a disk encryption set to which machines or disks refer."""
    return ServiceError(
        409,
        "OperationNotAllowed",
        f"Disk encryption set {set_id} cannot be deleted because it is in use by {', '.join(holders)}.",
    )


# Other resources


@said(MEMORY)
def interface_in_use(interface_id: str, machine_id: str) -> ServiceError:
    """Build the 400 for a network interface that another machine uses."""
    return ServiceError(
        400,
        "NicInUse",
        f"Network Interface {interface_id} is used by existing resource {machine_id}. In order to use the network "
        "interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.",
    )


@said(MEMORY)
def one_primary_interface(machine_id: str) -> ServiceError:
    """Build the 400 for several network interfaces of which not exactly one is the primary."""
    return ServiceError(
        400,
        "VirtualMachineMustHaveOneNetworkInterfaceAsPrimary",
        f"Virtual machine {machine_id} must have one network interface set as the primary.",
    )


@said(MESSAGES)
def account_not_found(account: str) -> ServiceError:
    """Build the 409 for boot diagnostics whose storage account does not exist."""
    return ServiceError(
        409,
        "StorageAccountNotFound",
        f"Storage account {account} not found. Ensure storage account is not deleted and belongs to the same Azure "
        "location as the VM.",
    )


@said(MESSAGES)
def no_blob_address(uri: str) -> ServiceError:
    """Build the 400 for boot diagnostics whose URI is not the address of an account's blob service."""
    return ServiceError(
        400, "InvalidParameter", f"The URI {uri} does not look to be correct blob URI.", target="storageUri"
    )


@said(MEMORY)
def diagnostics_disabled() -> ServiceError:
    """Build the 409 for reading boot diagnostics that are disabled."""
    return ServiceError(
        409, "OperationNotAllowed", "Boot diagnostics is not enabled for the virtual machine.", target="vm"
    )


@said(MEMORY)
def expiration_out_of_range(longest: int) -> ServiceError:
    """Build the 400 for a signature of boot diagnostics that is to be valid for too long."""
    return ServiceError(
        400,
        "InvalidParameter",
        f"The value must be between 1 and {longest} minutes.",
        target="sasUriExpirationTimeInMinutes",
    )


@said(MEMORY)
def unknown_filter(given: str) -> ServiceError:
    """Build the 400 for a filter of the list of SKUs that is not a location."""
    return ServiceError(
        400, "InvalidParameter", f"The filter '{given}' is not supported; use location eq '<name>'.", target="$filter"
    )


@said(MEMORY)
def region_not_found(location: str, version: str, kind: str, known: Sequence[str]) -> ServiceError:
    """Build the 400 for a list of a region that does not exist.

    Args:
        location: the region that was given.
        version: the api-version of the request.
        kind: type of the list without its namespace.
        known: names of the regions.
    """
    return ServiceError(
        400,
        "NoRegisteredProviderFound",
        f"No registered resource provider found for location '{location}' and API version '{version}' for type '{kind}'. "
        f"The supported locations are '{', '.join(known)}'.",
    )
