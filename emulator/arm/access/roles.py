"""Built-in roles that the resource provider, its clients and its tests use. Ids and actions are Azure's public ones.

Source: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles.
"""

from emulator.arm.access.openshift_roles import OPENSHIFT_ROLES
from emulator.arm.access.role import Role

OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
USER_ACCESS_ADMINISTRATOR = "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9"
TAG_CONTRIBUTOR = "4a9ae827-6dc8-4573-8ac7-8239d42aa03f"
RBAC_ADMINISTRATOR = "f58310d9-a9f6-439a-9e8d-f62e7b41a168"

# The actions that every resource-level contributor role of Azure has in addition to those of its own namespace.
COMMON = (
    "Microsoft.Authorization/*/read",
    "Microsoft.Insights/alertRules/*",
    "Microsoft.ResourceHealth/availabilityStatuses/read",
    "Microsoft.Resources/deployments/*",
    "Microsoft.Resources/subscriptions/resourceGroups/read",
    "Microsoft.Support/*",
)
# The actions that the Key Vault roles of the data plane have, so that the portal shows the vaults.
VAULT_READS = (
    "Microsoft.Authorization/*/read",
    "Microsoft.Insights/alertRules/*",
    "Microsoft.Resources/deployments/*",
    "Microsoft.Resources/subscriptions/resourceGroups/read",
    "Microsoft.Support/*",
    "Microsoft.KeyVault/checkNameAvailability/read",
    "Microsoft.KeyVault/deletedVaults/read",
    "Microsoft.KeyVault/locations/*/read",
    "Microsoft.KeyVault/vaults/*/read",
    "Microsoft.KeyVault/operations/read",
)


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
    TAG_CONTRIBUTOR: Role(
        "Tag Contributor",
        "Lets you manage tags on entities, without providing access to the entities themselves.",
        (
            *COMMON,
            "Microsoft.Resources/subscriptions/resourceGroups/resources/read",
            "Microsoft.Resources/subscriptions/resources/read",
            "Microsoft.Resources/tags/*",
        ),
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
    "f1a07417-d97a-45cb-824c-7a7467783830": Role(
        "Managed Identity Operator",
        "Read and Assign User Assigned Identity",
        (
            *COMMON,
            "Microsoft.ManagedIdentity/userAssignedIdentities/*/read",
            "Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action",
        ),
    ),
    RBAC_ADMINISTRATOR: Role(
        "Role Based Access Control Administrator",
        "Manage access to Azure resources by assigning roles using Azure RBAC. This role does not allow you to manage "
        "access using other ways, such as Azure Policy.",
        (
            "Microsoft.Authorization/roleAssignments/write",
            "Microsoft.Authorization/roleAssignments/delete",
            "*/read",
            "Microsoft.Support/*",
        ),
    ),
    "e40ec5ca-96e0-45a2-b4ff-59039f2c2b59": Role(
        "Managed Identity Contributor",
        "Create, Read, Update, and Delete User Assigned Identity",
        (
            "Microsoft.ManagedIdentity/userAssignedIdentities/read",
            "Microsoft.ManagedIdentity/userAssignedIdentities/write",
            "Microsoft.ManagedIdentity/userAssignedIdentities/delete",
            "Microsoft.Authorization/*/read",
            "Microsoft.Insights/alertRules/*",
            "Microsoft.Resources/subscriptions/resourceGroups/read",
            "Microsoft.Resources/deployments/*",
            "Microsoft.Support/*",
        ),
    ),
    "de139f84-1756-47ae-9be6-808fbbe84772": Role(
        "Website Contributor",
        "Lets you manage websites (not web plans), but not access to them.",
        (
            *COMMON,
            "Microsoft.Insights/components/*",
            "Microsoft.Web/certificates/*",
            "Microsoft.Web/listSitesAssignedToHostName/read",
            "Microsoft.Web/serverFarms/join/action",
            "Microsoft.Web/serverFarms/read",
            "Microsoft.Web/sites/*",
        ),
    ),
    "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": Role(
        "Storage Blob Data Owner",
        "Allows for full access to Azure Storage blob containers and data, including assigning POSIX access control.",
        (
            "Microsoft.Storage/storageAccounts/blobServices/containers/*",
            "Microsoft.Storage/storageAccounts/blobServices/generateUserDelegationKey/action",
        ),
        data_actions=("Microsoft.Storage/storageAccounts/blobServices/containers/blobs/*",),
    ),
    "974c5e8b-45b9-4653-ba55-5f855dd0fb88": Role(
        "Storage Queue Data Contributor",
        "Allows for read, write, and delete access to Azure Storage queues and queue messages",
        (
            "Microsoft.Storage/storageAccounts/queueServices/queues/delete",
            "Microsoft.Storage/storageAccounts/queueServices/queues/read",
            "Microsoft.Storage/storageAccounts/queueServices/queues/write",
        ),
        data_actions=(
            "Microsoft.Storage/storageAccounts/queueServices/queues/messages/delete",
            "Microsoft.Storage/storageAccounts/queueServices/queues/messages/read",
            "Microsoft.Storage/storageAccounts/queueServices/queues/messages/write",
            "Microsoft.Storage/storageAccounts/queueServices/queues/messages/process/action",
        ),
    ),
    "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": Role(
        "Storage Table Data Contributor",
        "Allows for read, write and delete access to Azure Storage tables and entities",
        (
            "Microsoft.Storage/storageAccounts/tableServices/tables/read",
            "Microsoft.Storage/storageAccounts/tableServices/tables/write",
            "Microsoft.Storage/storageAccounts/tableServices/tables/delete",
        ),
        data_actions=(
            "Microsoft.Storage/storageAccounts/tableServices/tables/entities/read",
            "Microsoft.Storage/storageAccounts/tableServices/tables/entities/write",
            "Microsoft.Storage/storageAccounts/tableServices/tables/entities/delete",
            "Microsoft.Storage/storageAccounts/tableServices/tables/entities/add/action",
            "Microsoft.Storage/storageAccounts/tableServices/tables/entities/update/action",
        ),
    ),
    "00482a5a-887f-4fb3-b363-3b7fe8e74483": Role(
        "Key Vault Administrator",
        "Perform all data plane operations on a key vault and all objects in it, including certificates, keys, and "
        "secrets. Cannot manage key vault resources or manage role assignments. Only works for key vaults that use the "
        "'Azure role-based access control' permission model.",
        VAULT_READS,
        data_actions=("Microsoft.KeyVault/vaults/*",),
    ),
    "b86a8fe4-44ce-4948-aee5-eccb2c155cd7": Role(
        "Key Vault Secrets Officer",
        "Perform any action on the secrets of a key vault, except manage permissions. Only works for key vaults that "
        "use the 'Azure role-based access control' permission model.",
        VAULT_READS,
        data_actions=("Microsoft.KeyVault/vaults/secrets/*",),
    ),
    "4633458b-17de-408a-b874-0445c86b69e6": Role(
        "Key Vault Secrets User",
        "Read secret contents. Only works for key vaults that use the 'Azure role-based access control' permission "
        "model.",
        (),
        data_actions=(
            "Microsoft.KeyVault/vaults/secrets/getSecret/action",
            "Microsoft.KeyVault/vaults/secrets/readMetadata/action",
        ),
    ),
    "a4417e6f-fecd-4de8-b567-7b0420556985": Role(
        "Key Vault Certificates Officer",
        "Perform any action on the certificates of a key vault, excluding reading the secret and key portions, and "
        "managing permissions. Only works for key vaults that use the 'Azure role-based access control' permission "
        "model.",
        VAULT_READS,
        data_actions=(
            "Microsoft.KeyVault/vaults/certificatecas/*",
            "Microsoft.KeyVault/vaults/certificates/*",
            "Microsoft.KeyVault/vaults/certificatecontacts/write",
        ),
    ),
    "f25e0fa2-a7c8-4377-a976-54943a77a395": Role(
        "Key Vault Contributor",
        "Lets you manage key vaults, but not access to them.",
        (
            "Microsoft.Authorization/*/read",
            "Microsoft.Insights/alertRules/*",
            "Microsoft.KeyVault/*",
            "Microsoft.Resources/deployments/*",
            "Microsoft.Resources/subscriptions/resourceGroups/read",
            "Microsoft.Support/*",
        ),
        ("Microsoft.KeyVault/locations/deletedVaults/purge/action", "Microsoft.KeyVault/hsmPools/*"),
    ),
    "3913510d-42f4-4e42-8a64-420c390055eb": Role(
        "Monitoring Metrics Publisher",
        "Enables publishing metrics against Azure resources",
        (
            "Microsoft.Insights/Register/Action",
            "Microsoft.Support/*",
            "Microsoft.Resources/subscriptions/resourceGroups/read",
        ),
        data_actions=("Microsoft.Insights/Metrics/Write", "Microsoft.Insights/Telemetry/Write"),
    ),
    **OPENSHIFT_ROLES,
}
