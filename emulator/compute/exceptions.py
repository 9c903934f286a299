"""The errors of Microsoft.Compute, in its own words."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, documentation, public_output

MESSAGES = documentation("https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/error-messages")
GALLERIES = documentation("https://learn.microsoft.com/azure/virtual-machines/troubleshooting-shared-images")
TERRAFORM = public_output(
    "hashicorp/terraform-provider-azurerm: comments of internal/services/compute quote the answer"
)


# fmt: off
INVALID_NAME = Refusal(400, "InvalidParameter", GALLERIES,
    "The entity name '{entity}' is invalid according to its validation rule: "
    "^[^_\\W][\\w-._]{{0,{most}}}(?<![-.])$.", "{entity}")
MISSING = Refusal(400, "InvalidParameter", public_output("https://github.com/JeffBow/AzurePowerShell/issues/10"),
    "Required parameter '{parameter}' is missing (null).", "{parameter}")
NOT_HERE = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")
CHANGE_NOT_ALLOWED = Refusal(409, "PropertyChangeNotAllowed",
    public_output("an answer that a public Go program quotes to recognise it"),
    "Changing property '{path}' is not allowed.", "{path}")

# Sizes, zones, quotas
INVALID_SIZE = Refusal(400, "InvalidParameter", public_output("an answer to `az vm resize` in a published transcript"),
    "The value {size} provided for the VM size is not valid. The valid sizes in the current region are: {known:,}. "
    "Find out more on the valid VM sizes in each region at https://aka.ms/azure-regions.", "vmSize")
SIZE_NOT_IN_REGION = Refusal(400, "InvalidParameter", MESSAGES,
    "The requested VM size {size} is not available in the current region. The sizes available in the current region "
    "are: {known:,}. Find out more on the available VM sizes in each region at https://aka.ms/azure-regions.", "vmSize")
FEATURE_NOT_ENABLED = Refusal(400, "InvalidParameter", MEMORY,
    "The property '{path}' is not valid because the '{feature}' feature is not enabled for this subscription.",
    "{path}")
ENCRYPTION_NOT_SUPPORTED = Refusal(400, "InvalidParameter", MEMORY,
    "Encryption at host is not supported for the VM size '{size}'.", "securityProfile.encryptionAtHost")

ALLOCATION_FAILED = Refusal(409, "AllocationFailed", MESSAGES, "{message}")

# Images and operating systems
IMAGE_NOT_FOUND = Refusal(404, "PlatformImageNotFound", MEMORY,
    "The platform image '{parts::}' is not available. Verify that all fields in the storage profile are correct. For "
    "more details about storage profile information, please refer to https://aka.ms/storageprofile", "imageReference")
OWN_IMAGE_NOT_FOUND = Refusal(404, "GalleryImageNotFound", GALLERIES,
    "The gallery image {id} is not available in this region. Please contact image owner to replicate to this region, or "
    "change your requested region.", "imageReference")
INVALID_GALLERY_NAME = Refusal(400, "InvalidParameter", GALLERIES,
    "The entity name 'galleryName' is invalid according to its validation rule: "
    "^[^_\\W][\\w-._]{{0,79}}(?<![-.])$.", "galleryName")
INVALID_IMAGE_VERSION = Refusal(400, "InvalidParameter", GALLERIES,
    "The value of parameter galleryImageVersion.name is invalid.", "galleryImageVersion.name")
GENERATION = Refusal(400, "BadRequest", public_output("https://github.com/loft-sh/devpod/issues/731"),
    "The selected VM size '{size}' cannot boot Hypervisor Generation '{generation}'. If this was a Create operation "
    "please check that the Hypervisor Generation of the Image matches the Hypervisor Generation of the selected VM "
    "Size. If this was an Update operation please select a Hypervisor Generation '{generation}' VM Size. For more "
    "information, see https://aka.ms/azuregen2vm")
DISK_CONTROLLER = Refusal(400, "InvalidParameter", public_output("https://github.com/openshift/installer/pull/9232"),
    "The VM size '{size}' cannot boot with OS image or disk. Please check that disk controller types supported by the "
    "OS image or disk is one of the supported disk controller types for the VM size '{size}'. Please query sku api at "
    "https://aka.ms/azure-compute-skus  to determine supported disk controller types for the VM size.", "vmSize")
PLAN_MISSING = Refusal(400, "VMMarketplaceInvalidInput", MEMORY,
    "Creating a virtual machine from Marketplace image or a custom image sourced from a Marketplace image requires "
    "Plan information in the request. VM: '{id}'.")
TERMS_NOT_ACCEPTED = Refusal(400, "MarketplacePurchaseEligibilityFailed",
    public_output("https://github.com/Azure/azure-cli/issues/10361"),
    "Marketplace purchase eligibilty check returned errors. See inner errors for details. ",
    details=[{"code": "BadRequest", "message":
    "Offer with PublisherId: {publisher}, OfferId: {offer} cannot be purchased due to validation errors. See details "
    'for more information.[{{"Legal terms have not been accepted for this item on this subscription: '
    "'{subscription}'. To accept legal terms using PowerShell, please use Get-AzureRmMarketplaceTerms and "
    "Set-AzureRmMarketplaceTerms API(https://go.microsoft.com/fwlink/?linkid=862451) or deploy via the Azure portal "
    'to accept the terms":"StoreApi"}}]'}])
NO_TERMS = Refusal(400, "BadRequest", MEMORY,
    "Unable to find legal terms for this offer: Publisher: {publisher}, Offer: {offer}, Sku/Plan: {plan}.")
NO_LOGIN = Refusal(400, "InvalidParameter", TERRAFORM,
    "Authentication using either SSH or by user name and password must be enabled in Linux profile.",
    "linuxConfiguration")
INVALID_CUSTOM_DATA = Refusal(400, "InvalidParameter", MESSAGES,
    "Custom data in OSProfile must be in Base64 encoding and with a maximum length of {longest} characters.",
    "customData")

# Disks
SMALLER_THAN_IMAGE = Refusal(409, "OperationNotAllowed",
    public_output("an answer that a public Terraform configuration quotes"),
    "The specified disk size {size} GB is smaller than the size of the corresponding disk in the VM image: {image} "
    "GB. This is not allowed. Please choose equal or greater size or do not specify an explicit size.",
    "osDisk.diskSizeGB")
INVALID_ACCOUNT_TYPE = Refusal(400, "InvalidAccountType", MESSAGES, "The AccountType {given} is invalid.")
DISK_OWNED = Refusal(409, "ConflictingUserInput", MESSAGES,
    "Disk '{name}' cannot be attached as the disk is already owned by VM '{machine_id}'.")

# Other resources
INTERFACE_IN_USE = Refusal(400, "NicInUse", MEMORY,
    "Network Interface {interface_id} is used by existing resource {machine_id}. In order to use the network "
    "interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.")
ACCOUNT_NOT_FOUND = Refusal(409, "StorageAccountNotFound", MESSAGES,
    "Storage account {account} not found. Ensure storage account is not deleted and belongs to the same Azure "
    "location as the VM.")
NO_BLOB_ADDRESS = Refusal(400, "InvalidParameter", MESSAGES,
    "The URI {uri} does not look to be correct blob URI.", "storageUri")
DIAGNOSTICS_DISABLED = Refusal(409, "OperationNotAllowed", MEMORY,
    "Boot diagnostics is not enabled for the virtual machine.", "vm")
UNKNOWN_FILTER = Refusal(400, "InvalidParameter", MEMORY,
    "The filter '{given}' is not supported; use location eq '<name>'.", "$filter")
REGION_NOT_FOUND = Refusal(400, "NoRegisteredProviderFound", MEMORY,
    "No registered resource provider found for location '{location}' and API version '{version}' for type '{kind}'. "
    "The supported locations are '{known:, }'.")
SKU_NOT_AVAILABLE = Refusal(409, "SkuNotAvailable", MEMORY,
    "The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: {size}' is currently not "
    "available in location {where}. Please try another size or deploy to a different location or different zone. See "
    "https://aka.ms/azureskunotavailable for details.")
DISK_EXISTS = Refusal(409, "ConflictingUserInput",
    public_output("an answer to `az vm disk attach --new` in a published transcript"),
    "Disk {name} already exists in resource group {group}. Only CreateOption.Attach is supported.")
DISK_ATTACHED = Refusal(409, "OperationNotAllowed",
    public_output("an answer to the Kubernetes volume provisioner of Azure, in the documentation of a workshop"),
    "Disk {identifier!n} is attached to VM {holders:, }.")
ENCRYPTION_SET_IN_USE = Refusal(409, "OperationNotAllowed", MEMORY,
    "Disk encryption set {identifier} cannot be deleted because it is in use by {holders:, }.")
# For one machine, and for those of a template that together exceed a quota: the same words with another code.
QUOTA_EXCEEDED = Refusal(409, "OperationNotAllowed", MEMORY,
    "Operation could not be completed as it results in exceeding approved {what} quota. Additional details - Deployment "
    "Model: Resource Manager, Location: {location}, Current Limit: {limit}, Current Usage: {used}, Additional Required: "
    "{required}, (Minimum) New Limit Required: {wanted}. Setup Alerts when Quota reaches threshold. Learn more at "
    "https://aka.ms/quotamonitoringalerting . Please read more about quota limits at "
    "https://docs.microsoft.com/en-us/azure/azure-supportability/per-vm-quota-requests")
QUOTA_EXCEEDED_TOGETHER = Refusal(409, "QuotaExceeded", MEMORY, "{message}")
# fmt: on
