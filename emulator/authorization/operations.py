"""The operations that the providers of this Azure have, as far as custom roles may name them.

Most follow from the rows of the types and from the routes. The tables below have the rest: actions that Azure asks for
in addition to those of a call, operations on parts of a resource that have no path of their own here, and data actions.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from emulator.arm.access.authorization import matches
from emulator.arm.access.roles import ROLES
from emulator.arm.call import ArmRoute
from emulator.arm.resources import Checks, ResourceType
from emulator.arm.schema import Reference
from emulator.authorization.exceptions import UNKNOWN_ACTION, UNKNOWN_DATA_ACTION
from emulator.core.errors import ServiceError

Json = dict[str, Any]

_VERBS = {"GET": "read", "HEAD": "read", "PUT": "write", "PATCH": "write", "DELETE": "delete", "POST": "action"}

# Namespace, and the operations in it that no row and no route tells.
_FURTHER: dict[str, tuple[str, ...]] = {
    "Microsoft.App": ("environments/join/action",),
    "Microsoft.Authorization": (
        "classicAdministrators/read",
        "permissions/read",
        "policyDefinitions/read",
    ),
    "Microsoft.Compute": (
        "availabilitySets/read",
        "disks/beginGetAccess/action",
        "locations/operations/read",
        "locations/usages/read",
        "locations/vmSizes/read",
        "skus/read",
        "virtualMachines/instanceView/read",
        "virtualMachines/vmSizes/read",
    ),
    "Microsoft.ContainerRegistry": ("registries/pull/read", "registries/tokens/operationStatuses/read"),
    "Microsoft.DocumentDB": (
        "databaseAccounts/listKeys/action",
        "databaseAccounts/readonlykeys/action",
        "databaseAccounts/sqlDatabases/throughputSettings/read",
    ),
    "Microsoft.Features": ("features/read", "providers/features/read", "providers/features/register/action"),
    "Microsoft.Insights": ("alertRules/read", "alertRules/write", "alertRules/delete", "register/action"),
    "Microsoft.KeyVault": (
        "checkNameAvailability/read",
        "deletedVaults/read",
        "locations/deletedVaults/read",
        "locations/deletedVaults/purge/action",
        "locations/operationResults/read",
        "vaults/deploy/action",
    ),
    "Microsoft.ManagedIdentity": (
        "userAssignedIdentities/assign/action",
        "userAssignedIdentities/federatedIdentityCredentials/read",
        "userAssignedIdentities/federatedIdentityCredentials/write",
        "userAssignedIdentities/federatedIdentityCredentials/delete",
    ),
    "Microsoft.Network": (
        "applicationGateways/backendAddressPools/join/action",
        "applicationSecurityGroups/joinIpConfiguration/action",
        "applicationSecurityGroups/joinNetworkSecurityRule/action",
        "dnsOperationResults/read",
        "dnsOperationStatuses/read",
        "loadBalancers/backendAddressPools/join/action",
        "loadBalancers/backendAddressPools/joinViaIPBased/action",
        "loadBalancers/frontendIPConfigurations/join/action",
        "loadBalancers/inboundNatPools/join/action",
        "loadBalancers/inboundNatRules/join/action",
        "loadBalancers/probes/join/action",
        "locations/operationResults/read",
        "locations/operations/read",
        "locations/usages/read",
        "natGateways/join/action",
        "networkInterfaces/effectiveNetworkSecurityGroups/action",
        "networkInterfaces/effectiveRouteTable/action",
        "networkInterfaces/join/action",
        "networkSecurityGroups/join/action",
        "privateDnsOperationResults/read",
        "privateDnsOperationStatuses/read",
        "privateDnsZones/join/action",
        "privateEndpoints/privateLinkServiceProxies/read",
        "privateLinkServices/privateEndpointConnectionsApproval/action",
        "publicIPAddresses/join/action",
        "publicIPPrefixes/join/action",
        "routeTables/join/action",
        "serviceEndpointPolicies/join/action",
        "virtualNetworks/join/action",
        "virtualNetworks/joinLoadBalancer/action",
        "virtualNetworks/peer/action",
        "virtualNetworks/subnets/join/action",
        "virtualNetworks/subnets/joinViaServiceEndpoint/action",
        "virtualNetworks/subnets/prepareNetworkPolicies/action",
    ),
    # Roles may name them even where no site is registered as the provider: in Azure there is always Microsoft's.
    "Microsoft.RedHatOpenShift": (
        "locations/listInstallVersions/read",
        "locations/listPlatformWorkloadIdentityRoleSets/read",
        "locations/openshiftVersions/read",
        "locations/operationresults/read",
        "locations/operationsstatus/read",
        "openShiftClusters/delete",
        "openShiftClusters/detectors/read",
        "openShiftClusters/listAdminCredentials/action",
        "openShiftClusters/listCredentials/action",
        "openShiftClusters/read",
        "openShiftClusters/write",
        "operations/read",
    ),
    "Microsoft.ResourceHealth": ("availabilityStatuses/read",),
    "Microsoft.Resources": (
        "checkResourceName/action",
        "deployments/cancel/action",
        "deployments/delete",
        "deployments/exportTemplate/action",
        "deployments/operationStatuses/read",
        "deployments/operations/read",
        "deployments/read",
        "deployments/validate/action",
        "deployments/whatIf/action",
        "deployments/write",
        "providers/read",
        "subscriptions/locations/read",
        "subscriptions/operationresults/read",
        "subscriptions/providers/read",
        "subscriptions/read",
        "subscriptions/resourceGroups/delete",
        "subscriptions/resourceGroups/deployments/read",
        "subscriptions/resourceGroups/moveResources/action",
        "subscriptions/resourceGroups/read",
        "subscriptions/resourceGroups/resources/read",
        "subscriptions/resourceGroups/write",
        "subscriptions/resources/read",
        "tags/read",
        "tags/write",
        "tags/delete",
        "tenants/read",
    ),
    "Microsoft.Storage": (
        "checkNameAvailability/read",
        "locations/usages/read",
        "storageAccounts/blobServices/generateUserDelegationKey/action",
        "storageAccounts/joinPerimeter/action",
        "storageAccounts/queueServices/queues/delete",
        "storageAccounts/queueServices/queues/read",
        "storageAccounts/queueServices/queues/write",
        "storageAccounts/tableServices/tables/delete",
        "storageAccounts/tableServices/tables/read",
        "storageAccounts/tableServices/tables/write",
    ),
    "Microsoft.Support": ("supportTickets/read", "supportTickets/write"),
    "Microsoft.Web": ("serverfarms/join/action", "sites/publish/action"),
}
_BLOBS = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/"
_VAULTS = "Microsoft.KeyVault/vaults/"
# The data actions that the built-in roles here name only by a wildcard.
_DATA = (
    *(
        f"{_BLOBS}{each}"
        for each in ("filter/action", "manageOwnership/action", "modifyPermissions/action", "tags/read", "tags/write")
    ),
    *(
        f"{_VAULTS}secrets/{each}"
        for each in (
            *("backup/action", "delete", "getSecret/action", "purge/action", "readMetadata/action", "recover/action"),
            *("restore/action", "setSecret/action", "update/action"),
        )
    ),
    *(
        f"{_VAULTS}certificates/{each}"
        for each in (
            *("backup/action", "create/action", "delete", "import/action", "purge/action", "read", "recover/action"),
            *("restore/action", "update/action"),
        )
    ),
    *(f"{_VAULTS}certificatecas/{each}" for each in ("delete", "read", "write")),
    *(f"{_VAULTS}certificatecontacts/{each}" for each in ("delete", "read", "write")),
    *(f"{_VAULTS}keys/{each}" for each in ("create/action", "decrypt/action", "encrypt/action", "read", "sign/action")),
)


def check_actions(arm: Checks, permission: Json) -> None:
    """Check that each action of a custom role's permission matches an operation of a provider.

    Raises:
        ServiceError: 400 `InvalidActionOrNotAction` or `InvalidDataActionOrNotDataAction`.
    """
    known = control_operations(arm)
    _check([*permission["actions"], *permission["notActions"]], known, UNKNOWN_ACTION)
    data = {action for role in ROLES.values() for action in role.data_actions if "*" not in action} | {*_DATA}
    _check([*permission["dataActions"], *permission["notDataActions"]], data, UNKNOWN_DATA_ACTION)


def control_operations(arm: Checks) -> set[str]:
    """Return the operations of the control plane."""
    return {
        *(f"{namespace}/{name}" for namespace, names in _FURTHER.items() for name in names),
        *(
            f"{namespace}/{name}"
            for namespace in arm.subscriptions.namespaces()
            for name in ("register/action", "unregister/action", "operations/read")
        ),
        *(operation for row in arm.types.values() for operation in _of_row(row)),
        *(row.permission for row in arm.provider_actions.values()),
        *(operation for route in arm.routes if isinstance(route, ArmRoute) for operation in _of_route(route)),
        *(
            f"{namespace}/{kind}/{verb}"
            for namespace, kinds in arm.subscriptions.provided().items()
            for kind in kinds
            for verb in ("read", "write", "delete")
        ),
    }


def _check(actions: Iterable[str], known: set[str], refusal: Callable[[str], ServiceError]) -> None:
    for action in actions:
        if not any(matches((action,), each) for each in known):
            raise refusal(action)


def _of_row(row: ResourceType) -> Iterator[str]:
    yield from (f"{row.name}/{verb}" for verb in ("read", "write", "delete", "operationStatuses/read"))
    yield from (f"{row.name}/{action}/action" for action in row.actions)
    yield from (f"{row.name}/{collection}/read" for collection in row.collections)
    yield from (f"{one.type}/{one.join}" for one in _references([row.properties, row.members]) if one.join)


def _references(kind: Any) -> Iterator[Reference]:
    """Yield the references in a property table."""
    if isinstance(kind, Reference):
        yield kind
    elif isinstance(kind, dict):
        yield from (found for member in kind.values() for found in _references(member))
    elif isinstance(kind, list):
        yield from (found for member in kind for found in _references(member))
    elif hasattr(kind, "kind"):
        yield from _references(kind.kind)


def _of_route(route: ArmRoute) -> Iterator[str]:
    name = route.row.name
    if name.startswith("Microsoft."):
        yield from (f"{name}/{_VERBS[method]}" for method in route.row.methods.split())
