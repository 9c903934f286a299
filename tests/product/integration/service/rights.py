"""What the service has used of the roles that `infra/` gives it, by the journal of ARM."""

import json
from collections.abc import Iterable
from pathlib import Path

from tests.local_azure import LocalAzure

TEMPLATE = Path(__file__).resolve().parents[4] / "infra" / "subscription.json"
FIRST_PARTY = "Azure Red Hat OpenShift RP"
_IDENTITIES = "a cluster with workload identity"
# What neither a plain create nor its delete needs, and when it is needed.
ELSEWHERE = {
    "Microsoft.ContainerRegistry/registries/scopeMaps/read": "Azure, for a token; ARO-RP grants it",
    "Microsoft.ContainerRegistry/registries/tokens/operationStatuses/read": "Azure, for a token; ARO-RP grants it",
    "Microsoft.Authorization/roleAssignments/delete": "an update to another service principal",
    "Microsoft.Compute/disks/write": "Azure may ask for it: OpenShift's page lists it for installers",
    "Microsoft.Compute/diskEncryptionSets/read": "a create with an encryption set",
    "Microsoft.Compute/galleries/images/read": "a version whose image has a resource id",
    "Microsoft.Compute/galleries/images/versions/read": "a version whose image has a resource id",
    "Microsoft.Compute/galleries/images/versions/write": "an image that is made from a release's disk",
    "Microsoft.Compute/galleries/images/write": "an image that is made from a release's disk",
    "Microsoft.Compute/galleries/write": "an image that is made from a release's disk",
    "Microsoft.Compute/images/read": "a version whose image has a resource id",
    "Microsoft.MarketplaceOrdering/offertypes/publishers/offers/plans/agreements/read": "an image that is bought",
    "Microsoft.Compute/virtualMachines/deallocate/action": "a stop",
    "Microsoft.Compute/virtualMachines/start/action": "a start; an update that starts machines",
    "Microsoft.Compute/virtualMachines/instanceView/read": "an update that starts machines; a failed create",
    "Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action": "a create whose machines do not come up",
    "Microsoft.Network/virtualNetworks/checkIpAddressAvailability/read": "OpenShift's own installer, not its stand-in",
    "Microsoft.Resources/subscriptions/locations/read": "OpenShift's own installer, not its stand-in",
    "Microsoft.Features/providers/features/read": "a create with encryption at host",
    "Microsoft.Network/natGateways/join/action": "a network with a NAT gateway",
    "Microsoft.Network/publicIPAddresses/delete": "an update to fewer outbound addresses",
    "Microsoft.Network/routeTables/join/action": "a network with a route table",
    "Microsoft.Network/routeTables/read": "a network with a route table",
    "Microsoft.Resources/deployments/delete": "a create that is resumed after its certificates have expired",
    "Microsoft.Resources/deployments/operations/read": "a deployment that fails",
}
# The same, by who calls the service. In one's own subscription it reads the roles of its callers for each create.
_ELSEWHERE_BY_CALLERS = {
    "arm": {
        "Microsoft.Authorization/denyAssignments/read": _IDENTITIES,
        "Microsoft.Authorization/roleAssignments/read": _IDENTITIES,
        "Microsoft.Authorization/roleDefinitions/read": _IDENTITIES,
    },
    "entra": {
        "Microsoft.Storage/storageAccounts/blobServices/containers/delete": _IDENTITIES,
        "Microsoft.Storage/storageAccounts/blobServices/containers/read": _IDENTITIES,
        "Microsoft.Storage/storageAccounts/blobServices/generateUserDelegationKey/action": _IDENTITIES,
    },
}


def granted(callers: str = "arm") -> set[str]:
    """Return every action of the custom roles of a service with these callers."""
    roles = json.loads(TEMPLATE.read_text(encoding="utf-8"))["variables"]["roles"]
    return {action for role in roles for action in role["actions"] + role.get(callers, [])}


def elsewhere(callers: str = "arm") -> set[str]:
    """Return the actions that neither a plain create nor its delete needs in a service with these callers."""
    return set(ELSEWHERE | _ELSEWHERE_BY_CALLERS[callers])


def used(azure: LocalAzure, correlation_ids: Iterable[str], who: str = FIRST_PARTY) -> set[str]:
    """Return the actions on which ARM decided for the service, in the spelling of the roles.

    Args:
        azure: the platform.
        correlation_ids: the correlation ids of the operations that count.
        who: who acts for the service, by the name in the journal.
    """
    spelling = {action.lower(): action for callers in ("arm", "entra") for action in granted(callers)}
    calls = [call for each in correlation_ids for call in azure.journal(correlation_id=each, service="arm")]
    return {
        spelling.get(action.lower(), action) for call in calls if call["caller"] == who for action in call["actions"]
    }
