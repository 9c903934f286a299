"""Built-in roles that the resource provider, its clients and its tests use. Ids and actions are Azure's public ones."""

from dataclasses import dataclass
from typing import Any

OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
USER_ACCESS_ADMINISTRATOR = "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9"
# A custom role of the resource provider's own tenant in Azure; here every tenant has it.
REGISTRY_TOKEN_CONTRIBUTOR = "48983534-3d06-4dcb-a566-08a694eb1279"  # noqa: S105 - a role's id

# The actions that every resource-level contributor role of Azure has in addition to those of its own namespace.
COMMON = (
    "Microsoft.Authorization/*/read",
    "Microsoft.Insights/alertRules/*",
    "Microsoft.ResourceHealth/availabilityStatuses/read",
    "Microsoft.Resources/deployments/*",
    "Microsoft.Resources/subscriptions/resourceGroups/read",
    "Microsoft.Support/*",
)


@dataclass(frozen=True)
class Role:
    """A role definition.

    Args:
        name: `roleName`.
        description: what the role is for.
        actions: the actions that it allows, with wildcards.
        not_actions: exceptions from `actions`.
        data_actions: like `actions`, for the data plane; listed, but not enforced here.
        custom: whether it is a custom role, not a built-in one.
    """

    name: str
    description: str
    actions: tuple[str, ...]
    not_actions: tuple[str, ...] = ()
    data_actions: tuple[str, ...] = ()
    custom: bool = False

    def permission(self) -> dict[str, Any]:
        """Return the entry for the role's `permissions`."""
        return {
            "actions": list(self.actions),
            "notActions": list(self.not_actions),
            "dataActions": list(self.data_actions),
            "notDataActions": [],
        }


ROLES: dict[str, Role] = {
    OWNER: Role(
        "Owner",
        "Grants full access to manage all resources, including the ability to assign roles in Azure RBAC.",
        ("*",),
    ),
    CONTRIBUTOR: Role(
        "Contributor",
        "Grants full access to manage all resources, but does not allow you to assign roles in Azure RBAC, manage "
        "assignments in Azure Blueprints, or share image galleries.",
        ("*",),
        (
            "Microsoft.Authorization/*/Delete",
            "Microsoft.Authorization/*/Write",
            "Microsoft.Authorization/elevateAccess/Action",
            "Microsoft.Blueprint/blueprintAssignments/write",
            "Microsoft.Blueprint/blueprintAssignments/delete",
            "Microsoft.Compute/galleries/share/action",
            "Microsoft.Purview/consents/write",
            "Microsoft.Purview/consents/delete",
            "Microsoft.Resources/deploymentStacks/manageDenySetting/action",
        ),
    ),
    READER: Role("Reader", "View all resources, but does not allow you to make any changes.", ("*/read",)),
    NETWORK_CONTRIBUTOR: Role(
        "Network Contributor", "Lets you manage networks, but not access to them.", (*COMMON, "Microsoft.Network/*")
    ),
    USER_ACCESS_ADMINISTRATOR: Role(
        "User Access Administrator",
        "Lets you manage user access to Azure resources.",
        ("*/read", "Microsoft.Authorization/*", "Microsoft.Support/*"),
    ),
    "befefa01-2a29-4197-83a8-272ff33ce314": Role(
        "DNS Zone Contributor",
        "Lets you manage DNS zones and record sets in Azure DNS, but does not let you control who has access to them.",
        (*COMMON, "Microsoft.Network/dnsZones/*"),
    ),
    "b12aa53e-6015-4669-85d0-8515ebb3ae7f": Role(
        "Private DNS Zone Contributor",
        "Lets you manage private DNS zone resources, but not the virtual networks they are linked to.",
        (
            *COMMON,
            "Microsoft.Network/privateDnsZones/*",
            "Microsoft.Network/privateDnsOperationResults/*",
            "Microsoft.Network/privateDnsOperationStatuses/*",
            "Microsoft.Network/virtualNetworks/read",
            "Microsoft.Network/virtualNetworks/join/action",
        ),
    ),
    "17d1049b-9a84-46fb-8f53-869881c3d3ab": Role(
        "Storage Account Contributor",
        "Lets you manage storage accounts, including accessing storage account keys which provide full access to "
        "storage account data.",
        (
            *COMMON,
            "Microsoft.Insights/diagnosticSettings/*",
            "Microsoft.Network/virtualNetworks/subnets/joinViaServiceEndpoint/action",
            "Microsoft.Storage/storageAccounts/*",
        ),
    ),
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe": Role(
        "Storage Blob Data Contributor",
        "Allows for read, write and delete access to Azure Storage blob containers and data",
        (
            "Microsoft.Storage/storageAccounts/blobServices/containers/delete",
            "Microsoft.Storage/storageAccounts/blobServices/containers/read",
            "Microsoft.Storage/storageAccounts/blobServices/containers/write",
            "Microsoft.Storage/storageAccounts/blobServices/generateUserDelegationKey/action",
        ),
        data_actions=(
            "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/delete",
            "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read",
            "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write",
            "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/move/action",
            "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/add/action",
        ),
    ),
    "5bd9cd88-fe45-4216-938b-f97437e15450": Role(
        "DocumentDB Account Contributor",
        "Lets you manage DocumentDB accounts, but not access to them.",
        (*COMMON, "Microsoft.DocumentDb/databaseAccounts/*"),
    ),
    "7f951dda-4ed3-4680-a7ca-43fe172d538d": Role(
        "AcrPull", "acr pull", ("Microsoft.ContainerRegistry/registries/pull/read",)
    ),
    REGISTRY_TOKEN_CONTRIBUTOR: Role(
        "ARO v4 ContainerRegistry Token Contributor",
        "Manages the tokens with which clusters pull their images.",
        (
            "Microsoft.ContainerRegistry/registries/generateCredentials/action",
            "Microsoft.ContainerRegistry/registries/scopeMaps/read",
            "Microsoft.ContainerRegistry/registries/tokens/delete",
            "Microsoft.ContainerRegistry/registries/tokens/operationStatuses/read",
            "Microsoft.ContainerRegistry/registries/tokens/read",
            "Microsoft.ContainerRegistry/registries/tokens/write",
        ),
        custom=True,
    ),
    "f1a07417-d97a-45cb-824c-7a7467783830": Role(
        "Managed Identity Operator",
        "Read and Assign User Assigned Identity",
        (
            *COMMON,
            "Microsoft.ManagedIdentity/userAssignedIdentities/*/read",
            "Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action",
        ),
    ),
}
