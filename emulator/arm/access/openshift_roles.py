"""Built-in roles for clusters with workload identity, which clients read and assign before they create one.

Source: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles/containers.
"""

from emulator.arm.access.role import Role

_NAME = "Azure Red Hat OpenShift"
_SUBNETS = "virtualNetworks/subnets"


def _in(namespace: str, *operations: str) -> tuple[str, ...]:
    """Return operations of a namespace as actions."""
    return tuple(f"Microsoft.{namespace}/{operation}" for operation in operations)


OPENSHIFT_ROLES = {
    "4436bae4-7702-4c84-919b-c4069ff25ee2": Role(
        f"{_NAME} Service Operator",
        "Maintain machine health, network configuration, monitoring, and other features of the managed service.",
        (
            *_in("Network", f"{_SUBNETS}/read", f"{_SUBNETS}/write", "natGateways/join/action"),
            *_in("Network", "routeTables/join/action", "networkSecurityGroups/join/action"),
            *_in("Storage", "storageAccounts/listKeys/action", "storageAccounts/read"),
        ),
    ),
    "a1f96423-95ce-4224-ab27-4e3dc72facd4": Role(
        f"{_NAME} Cloud Controller Manager",
        "Manage and update the cloud controller manager of a cluster.",
        (
            *_in("Compute", "virtualMachines/read"),
            *_in("Network", "loadBalancers/backendAddressPools/join/action", "loadBalancers/read"),
            *_in("Network", "loadBalancers/write", "loadBalancers/inboundNatRules/join/action"),
            *_in("Network", "networkInterfaces/read", "networkInterfaces/write"),
            *_in("Network", "networkSecurityGroups/read", "networkSecurityGroups/write"),
            *_in("Network", "networkSecurityGroups/join/action"),
            *_in("Network", "publicIPAddresses/join/action", "publicIPAddresses/read", "publicIPAddresses/write"),
            *_in("Network", "publicIPPrefixes/join/action"),
            *_in("Network", "applicationSecurityGroups/joinNetworkSecurityRule/action"),
            *_in("Network", f"{_SUBNETS}/join/action", f"{_SUBNETS}/read", f"{_SUBNETS}/write"),
            *_in("Network", "natGateways/join/action", "routeTables/join/action"),
        ),
    ),
    "be7a6435-15ae-4171-8f30-4a343eff9e8f": Role(
        f"{_NAME} Network Operator",
        "Install and upgrade the networking components of a cluster.",
        (
            *_in("Network", "networkInterfaces/read", "networkInterfaces/write"),
            *_in("Network", "virtualNetworks/read", f"{_SUBNETS}/join/action"),
            *_in("Network", "loadBalancers/backendAddressPools/join/action"),
            *_in("Network", "loadBalancers/backendAddressPools/read"),
            *_in("Compute", "virtualMachines/read"),
        ),
    ),
    "5b7237c5-45e1-49d6-bc18-a1f62f400748": Role(
        f"{_NAME} Disk Storage Operator",
        "Install the storage drivers that enable a cluster to use Azure Disks, and set its storage defaults.",
        (
            *_in("Compute", "virtualMachines/write", "virtualMachines/read"),
            *_in("Compute", "virtualMachineScaleSets/virtualMachines/write"),
            *_in("Compute", "virtualMachineScaleSets/virtualMachines/read", "virtualMachineScaleSets/read"),
            *_in("Compute", "snapshots/write", "snapshots/read", "snapshots/delete"),
            *_in("Compute", "locations/operations/read", "locations/DiskOperations/read"),
            *_in("Compute", "disks/write", "disks/read", "disks/delete", "disks/beginGetAccess/action"),
            *_in("Compute", "diskEncryptionSets/read"),
            *_in("Resources", "subscriptions/resourceGroups/read"),
        ),
    ),
    "0d7aedc0-15fd-4a67-a412-efad370c947e": Role(
        f"{_NAME} File Storage Operator",
        "Install the storage drivers that enable a cluster to use Azure Files, and set its storage defaults.",
        (
            *_in("Storage", "storageAccounts/delete", "storageAccounts/read", "storageAccounts/write"),
            *_in("Storage", "storageAccounts/listKeys/action", "storageAccounts/fileServices/read"),
            *_in("Storage", "storageAccounts/fileServices/shares/delete"),
            *_in("Storage", "storageAccounts/fileServices/shares/read", "storageAccounts/fileServices/shares/write"),
            *_in("Network", "networkSecurityGroups/join/action", "virtualNetworks/join/action"),
            *_in("Network", f"{_SUBNETS}/read", f"{_SUBNETS}/write", f"{_SUBNETS}/join/action"),
            *_in("Network", "routeTables/join/action", "natGateways/join/action"),
        ),
    ),
    "8b32b316-c2f5-4ddf-b05b-83dacd2d08b5": Role(
        f"{_NAME} Image Registry Operator",
        "Manage the image registry of a cluster, and its storage.",
        (
            *_in("Storage", "storageAccounts/blobServices/read", "storageAccounts/blobServices/containers/read"),
            *_in("Storage", "storageAccounts/blobServices/containers/write"),
            *_in("Storage", "storageAccounts/blobServices/containers/delete"),
            *_in("Storage", "storageAccounts/blobServices/generateUserDelegationKey/action"),
            *_in("Storage", "storageAccounts/read", "storageAccounts/write", "storageAccounts/delete"),
            *_in("Storage", "storageAccounts/listKeys/action"),
            *_in("Resources", "tags/write"),
            *_in("Network", "virtualNetworks/join/action", f"{_SUBNETS}/read", f"{_SUBNETS}/join/action"),
        ),
        data_actions=_in(
            "Storage",
            "storageAccounts/blobServices/containers/blobs/delete",
            "storageAccounts/blobServices/containers/blobs/write",
            "storageAccounts/blobServices/containers/blobs/read",
            "storageAccounts/blobServices/containers/blobs/add/action",
            "storageAccounts/blobServices/containers/blobs/move/action",
        ),
    ),
    "0336e1d3-7a87-462b-b6db-342b63f7802c": Role(
        f"{_NAME} Cluster Ingress Operator",
        "Manage and configure the router of a cluster.",
        (
            *_in("Network", "dnsZones/A/delete", "dnsZones/A/write"),
            *_in("Network", "privateDnsZones/A/delete", "privateDnsZones/A/write"),
            *_in("Network", f"{_SUBNETS}/read", f"{_SUBNETS}/join/action"),
        ),
    ),
    "0358943c-7e01-48ba-8889-02cc51d78637": Role(
        f"{_NAME} Machine API Operator",
        "Manage the machines of a cluster, as its machine objects ask for them.",
        (
            *_in("Compute", "availabilitySets/delete", "availabilitySets/read", "availabilitySets/write"),
            *_in("Compute", "diskEncryptionSets/read", "disks/delete", "galleries/images/versions/read", "skus/read"),
            *_in("Compute", "virtualMachines/delete", "virtualMachines/read", "virtualMachines/write"),
            *_in("Compute", "capacityReservationGroups/deploy/action"),
            *_in("ManagedIdentity", "userAssignedIdentities/assign/action"),
            *_in("Network", "applicationSecurityGroups/read"),
            *_in("Network", "applicationSecurityGroups/joinNetworkSecurityRule/action"),
            *_in("Network", "loadBalancers/backendAddressPools/join/action", "loadBalancers/read"),
            *_in("Network", "loadBalancers/write", "loadBalancers/frontendIPConfigurations/join/action"),
            *_in("Network", "loadBalancers/inboundNATRules/join/action"),
            *_in("Network", "networkInterfaces/delete", "networkInterfaces/join/action"),
            *_in("Network", "networkInterfaces/loadBalancers/read", "networkInterfaces/read"),
            *_in("Network", "networkInterfaces/write", "networkSecurityGroups/read", "networkSecurityGroups/write"),
            *_in("Network", "networkSecurityGroups/join/action", "publicIPAddresses/delete"),
            *_in("Network", "publicIPAddresses/join/action", "publicIPAddresses/read", "publicIPAddresses/write"),
            *_in("Network", "routeTables/read", f"{_SUBNETS}/join/action", f"{_SUBNETS}/read"),
            *_in("Resources", "subscriptions/resourceGroups/read"),
        ),
    ),
    "ef318e2a-8334-4a05-9e4a-295a196c6a6e": Role(
        f"{_NAME} Federated Credential",
        "Create, update and delete federated credentials of user-assigned identities.",
        (
            *_in("ManagedIdentity", "userAssignedIdentities/read"),
            *_in("ManagedIdentity", "userAssignedIdentities/federatedIdentityCredentials/write"),
            *_in("ManagedIdentity", "userAssignedIdentities/federatedIdentityCredentials/read"),
            *_in("ManagedIdentity", "userAssignedIdentities/federatedIdentityCredentials/delete"),
        ),
    ),
    # Azure publishes neither the name nor the actions of this role. These are the actions that the service needs.
    "42f3c60f-e7b1-46d7-ba56-6de681664342": Role(
        f"{_NAME} Resource Provider",
        "Let the service join the networks of its customers.",
        (
            *_in("Network", "virtualNetworks/read"),
            *_in("Network", f"{_SUBNETS}/join/action", f"{_SUBNETS}/read", f"{_SUBNETS}/write"),
            *_in("Network", "routeTables/join/action", "routeTables/read", "natGateways/join/action"),
            *_in("Network", "networkSecurityGroups/join/action", "networkSecurityGroups/read"),
        ),
    ),
}
